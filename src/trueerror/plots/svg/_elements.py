"""Elements of SVG and HTML as values, where whatever is not markup already is text, and text is escaped; and a drawing
as a whole: a document that follows light and dark by itself, a part of a page, or a page of its own.

Everything takes its colour from custom properties, by classes: no element has a style of its own, so that a page's
policy can forbid those. Selectors are held within `.te-picture`, since the style of an SVG inside a page is the page's.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup, escape

from trueerror.plots._style import DARK, FONT, LIGHT, PALETTE
from trueerror.plots._text import fold, plain
from trueerror.results._format import width

# Elements without an end tag, and shapes, which end themselves where there is nothing in them.
VOID = frozenset({"input", "br"})
SHAPES = frozenset({"line", "rect", "circle", "path", "polygon"})
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
    if tag in SHAPES and not inside:
        return Markup(f"<{tag}{written}/>")
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
    digits = f"{x:.1f}".rstrip("0").rstrip(".")
    return "0" if digits in ("-0", "") else digits


def corners(places: Iterable[tuple[float, float]]) -> str:
    """Places as a polygon takes them."""
    return " ".join(f"{place(x)},{place(y)}" for x, y in places)


def outline(places: Iterable[tuple[float, float]], *, closed: bool = False) -> str:
    """Places as a path takes them, each from the one before: half as long as they themselves.

    >>> outline([(10, 20), (12.5, 20), (12.5, 18), (14, 17.5), (15, 17)])
    'M10 20h2.5v-2l1.5-.5 1-.5'
    """
    out, x, y, before = "", 0, 0, ""
    for px, py in places:
        a, b = round(10 * px), round(10 * py)
        dx, dy = a - x, b - y
        if not out:
            out = f"M{_tenths(a)} {_tenths(b)}"
        elif dx and dy:
            first, second = _tenths(dx), _tenths(dy)
            lead = "l" if before != "l" else "" if first.startswith("-") else " "
            out += f"{lead}{first}{'' if second.startswith('-') else ' '}{second}"
            before = "l"
        elif dx or dy:
            before = "h" if dx else "v"
            out += f"{before}{_tenths(dx or dy)}"
        x, y = a, b
    return f"{out}z" if closed and out else out


@lru_cache(1 << 12)
def _tenths(n: int) -> str:
    whole, rest = divmod(abs(n), 10)
    return ("-" if n < 0 else "") + (f"{whole or ''}.{rest}" if rest else f"{whole}")


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


# Around the picture.
PAD = 16
# A line of the title and of what stands under it.
TITLE, SUBTITLE = 18, 17
TITLE_SIZE = 14
# A narrow picture has room for this much text above it all the same.
NARROWEST = 560
# Average width of a character of the subtitle, in pixels.
CHARACTER = 6.4
# Characters that XML has no place for.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

RULES = """\
& { color: var(--ink); }
& text { fill: var(--soft); font-size: 12px; }
& .name, & .axis, & .words, & .title { fill: var(--ink); }
& .title { font-size: 14px; } & .title, & .heading { font-weight: 700; } & .heading { fill: var(--ink); }
& .small { font-size: 10px; }
& .words { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
& .paper { fill: var(--paper); } & .ground { fill: none; pointer-events: all; }
& .grid { fill: none; stroke: var(--faint); } & .tick { stroke: var(--soft); }
& .frame { fill: none; stroke: var(--soft); }
& .line, & .curve, & .limits { fill: none; stroke: currentColor; }
& .curve { stroke-width: 2.2; stroke-linejoin: round; } & .limits { stroke-width: 2; }
& .hull { stroke-width: 1.5; stroke-dasharray: 2 3; }
& .reference { color: var(--soft); stroke-dasharray: 5 4; } & .faint { color: var(--line); }
& .beside { color: var(--soft); stroke-width: 1.5; stroke-dasharray: 1.5 3; }
& .rest { color: var(--rest); stroke-width: 1.1; }
& .band, & .point, & .bar { fill: currentColor; } & .band { opacity: .18; } & .key { opacity: .35; }
& .mark { fill: currentColor; stroke: currentColor; } & .hollow { fill: var(--paper); }
& .first { color: var(--s0); } & .second { color: var(--s1); } & .first, & .second { opacity: .8; }
& .hover { fill: transparent; } & .hover:hover { fill: none; stroke: var(--ink); stroke-width: 2; }
& .zero { stroke: var(--soft); stroke-dasharray: 4 3; } & .margin { fill: var(--margin); }
& .dot { fill: var(--soft); opacity: .6; } & .estimate { fill: currentColor; }
& .open { fill: currentColor; font-size: 17px; }
&.interval, & .interval { color: var(--s0); overflow: visible; } &.aside, & .aside { color: var(--rest); }
&.aside .estimate, & .aside .estimate { fill: var(--paper); stroke: currentColor; stroke-width: 2; }
& .cell { fill: var(--heat); } & .empty { fill: var(--faint); } & .gap { fill: none; stroke: var(--paper); }
& .elbow { fill: none; stroke: var(--soft); stroke-width: 1.2; }
& .group { stroke: currentColor; stroke-width: 4; stroke-linecap: round; }
& .ruler { stroke: var(--s1); stroke-width: 2; }
"""
SERIES = "".join(f"& .c{i} {{ color: var(--s{i}); }}\n" for i in range(len(PALETTE)))
WHOLE = f"&.whole {{ max-width: 100%; height: auto; font-family: {FONT}; }}\n"
# Notebooks have themes of their own, which need not be the system's.
NOTEBOOKS = (
    ('[data-jp-theme-light="true"] &, .vscode-light &', LIGHT),
    ('[data-jp-theme-light="false"] &, .vscode-dark &', DARK),
)


def rules() -> str:
    """The style of pictures, for a page that defines their colours."""
    return _scoped(RULES + SERIES)


def colours(selector: str, palette: Mapping[str, str]) -> str:
    """The colours of pictures as custom properties."""
    return f"{selector} {{ {' '.join(f'--{name}: {colour};' for name, colour in palette.items())} }}\n"


def own_style() -> str:
    """The style of a picture that stands by itself: light or dark as the system or the notebook is, light on paper."""
    dark = "@media screen and (prefers-color-scheme: dark) {\n" + colours("&", DARK) + "}\n"
    notebooks = "@media screen {\n" + "".join(colours(selector, palette) for selector, palette in NOTEBOOKS) + "}\n"
    return _scoped(colours("&", LIGHT) + dark + notebooks + WHOLE + _with_fallbacks(RULES + SERIES))


def _scoped(style: str) -> str:
    return style.replace("&", ".te-picture")


def _with_fallbacks(style: str) -> str:
    """Before each colour by name the light one itself, for programs that read SVG but no custom properties."""
    return re.sub(r"([\w-]+): var\(--(\w+)\)", lambda found: f"{found[1]}: {LIGHT[found[2]]}; {found[0]}", style)


@dataclass(frozen=True, slots=True)
class PictureFrame:
    """A picture as a whole, in pixels: what stands above the drawing, where that begins, and the size of it all."""

    title: tuple[str, ...]
    subtitle: tuple[str, ...]
    top: float
    width: float
    height: float
    left: float


def frame_of(drawing: Drawing, title: str, subtitle: Sequence[str]) -> PictureFrame:
    """The title and what was read, folded to the width of the drawing."""
    columns = int(max(drawing.width, NARROWEST) / CHARACTER)
    lines = tuple(part for line in subtitle for part in fold(line, columns, lines=3))
    name = tuple(fold(title, int(columns * 12 / TITLE_SIZE), lines=2)) if plain(title) else ()
    top = PAD + TITLE * len(name) + SUBTITLE * len(lines) + 10
    width = max(drawing.width, widest(lines), widest(name, 1.06 * TITLE_SIZE)) + 2 * PAD
    return PictureFrame(name, lines, top, width, top + drawing.height + PAD, PAD + drawing.left)


def document(drawing: Drawing, title: str, subtitle: Sequence[str]) -> str:
    """The picture with its title as an SVG document that needs nothing else."""
    frame = frame_of(drawing, title, subtitle)
    size = (place(frame.width), place(frame.height))
    lines = [text(line, PAD, PAD + TITLE * i + 14, kind="title") for i, line in enumerate(frame.title)]
    under = PAD + TITLE * len(frame.title) + 13
    lines += [text(line, PAD, under + SUBTITLE * i) for i, line in enumerate(frame.subtitle)]
    svg = el(
        "svg",
        el("desc", " ".join(drawing.notes)) if drawing.notes else None,
        el("style", Markup(own_style())),
        el("rect", width="100%", height="100%", class_="paper"),
        *lines,
        el("g", drawing.body, transform=f"translate({PAD} {place(frame.top)})"),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {size[0]} {size[1]}",
        width=size[0],
        height=size[1],
        role="img",
        aria_label=". ".join([plain(title), *subtitle]),
        class_="te-picture whole",
    )
    return FORBIDDEN.sub("\ufffd", str(svg))


def inline(drawing: Drawing, words: str) -> Markup:
    """The picture as a part of a page that has the style of pictures; `words` is the text alternative."""
    size = (place(drawing.width), place(drawing.height))
    return el(
        "svg",
        el("title", words),
        drawing.body,
        viewBox=f"0 0 {size[0]} {size[1]}",
        width=size[0],
        height=size[1],
        role="img",
        class_="te-picture",
    )


def picture_page(svg: str, title: str) -> str:
    """A page that holds the picture; its policy lets it load nothing and run nothing at all."""
    ground = (
        "body { margin: 0; background: #FFFFFF; overflow-x: auto; }\n"
        f"@media screen and (prefers-color-scheme: dark) {{ body {{ background: {DARK['paper']}; }} }}\n"
    )
    hashes = " ".join(f"'sha256-{source_hash(style)}'" for style in (own_style(), ground))
    policy = f"default-src 'none'; style-src {hashes}; base-uri 'none'; form-action 'none'"
    head = [
        Markup('<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'),
        Markup('<meta http-equiv="Content-Security-Policy" content="{}">\n').format(policy),
        el("title", title or "trueerror"),
        el("style", Markup(ground)),
    ]
    body = el("body", el("main", Markup(svg)))
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{joined(head)}\n</head>\n{body}\n</html>\n'


def source_hash(source: str) -> str:
    """What a policy names a style or a script by."""
    return base64.b64encode(hashlib.sha256(source.encode(errors="backslashreplace")).digest()).decode("ascii")
