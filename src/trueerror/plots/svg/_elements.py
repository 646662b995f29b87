"""Elements of SVG and HTML as values: whatever is not markup already is text, and text is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup, escape

from trueerror.results._format import width

# Elements without an end tag.
VOID = frozenset({"input", "br"})
# Advance widths of Helvetica and Arial in thousandths of the font size; a character that is not listed has 600.
ADVANCES = {
    222: "ijl", 278: " tfI.,:;/\\![]·|’", 333: "r-()“”", 500: "cksvxyzJ", 556: "abdeghnopqu0123456789?$_#L–",
    584: "+<>=~−±", 611: "FTZ", 667: "ABEKPSVXY&", 722: "CDHNRUw", 778: "GOQ", 833: "mM", 889: "%", 944: "W",
    1000: "@…→",
}  # fmt: skip
ADVANCE = {character: advance for advance, characters in ADVANCES.items() for character in characters}
# Other sans-serif fonts are wider than Helvetica, DejaVu Sans by about so much.
SLACK = 1.17


def el(tag: str, /, *children: object, **attributes: object) -> Markup:
    """An element. Children that are markup are kept, others are escaped, None is left out.

    An attribute's underscores become hyphens (`class_` is class); None and False leave it out, True gives it no value.

    >>> print(el("td", "a < b", class_="name", data_sort=1.5))
    <td class="name" data-sort="1.5">a &lt; b</td>
    """
    written = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in VOID:
        return Markup(f"<{tag}{written}>")
    inside = Markup("").join(escape(child) for child in children if child is not None)
    return Markup(f"<{tag}{written}>") + inside + Markup(f"</{tag}>")


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    # viewBox is the one attribute that we write with a capital letter, and it has no underscore.
    written = name.rstrip("_").replace("_", "-")
    return f" {written}" if value is True else f' {written}="{escape(value)}"'


def joined(parts: Iterable[object], between: str = "") -> Markup:
    """Parts after each other."""
    return escape(between).join(escape(part) for part in parts)


def place(x: float) -> str:
    """A coordinate with a tenth of a pixel.

    >>> place(12.0), place(3.14159), place(-0.01)
    ('12', '3.1', '0')
    """
    shown = f"{x:.1f}".rstrip("0").rstrip(".")
    return "0" if shown in ("-0", "") else shown


def corners(places: Iterable[tuple[float, float]]) -> str:
    """Places as a polyline or polygon takes them."""
    return " ".join(f"{place(x)},{place(y)}" for x, y in places)


ANCHORS = {"left": None, "center": "middle", "right": "end"}


def text(words: object, x: float, y: float, *, align: str = "left", kind: str | None = None, **more: object) -> Markup:
    """Words whose baseline is at y."""
    return el("text", words, x=place(x), y=place(y), text_anchor=ANCHORS[align], class_=kind, **more)


def straight(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    """A straight line."""
    return el("line", x1=place(x1), y1=place(y1), x2=place(x2), y2=place(y2), class_=kind)


def box(x: float, y: float, wide: float, high: float, kind: str | None, *children: object, **more: object) -> Markup:
    """A rectangle."""
    sides = {"x": place(x), "y": place(y), "width": place(wide), "height": place(high)}
    return el("rect", *children, **sides, class_=kind, **more)


def text_width(words: str, size: float = 12) -> float:
    """About how many pixels a line of text takes.

    >>> round(text_width("recall 0.91")), round(text_width("召回率"))
    (65, 42)
    """
    wide = sum(1000 * w // 2 if (w := width(c)) != 1 else ADVANCE.get(c, 600) for c in words)
    return SLACK * size * wide / 1000


def widest(lines: Iterable[str], size: float = 12) -> float:
    """The width of the widest line."""
    return max((text_width(line, size) for line in lines), default=0.0)


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a picture shows beneath its title, in pixels: `left` is where its plot begins."""

    body: Markup
    width: float
    height: float
    left: float
    notes: tuple[str, ...] = ()
