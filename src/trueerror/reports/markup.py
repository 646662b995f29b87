"""HTML and SVG as values: whatever is not markup already is text, and text is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from markupsafe import Markup, escape

from trueerror.results.names import clip, one_line, short_names

# Names longer than this are cut in the middle: nobody reads on, and a page repeats them in many places.
LONGEST_NAME = 120
# In sentences, and where many stand under each other, names are cut to this.
BRIEF = 40
# Elements without an end tag.
VOID = frozenset({"img", "input", "br"})


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
    shown = name.rstrip("_").replace("_", "-")
    return f" {shown}" if value is True else f' {shown}="{escape(value)}"'


def joined(parts: Iterable[object], between: str = "") -> Markup:
    """Parts after each other."""
    return escape(between).join(escape(part) for part in parts)


def named(text: object) -> str:
    """User text as one line that is not too long.

    >>> named("a\\nb"), len(named("x" * 500))
    ('a b', 120)
    """
    return clip(one_line(str(text)), LONGEST_NAME)


@cache
def brief_names(names: tuple[str, ...]) -> dict[str, str]:
    """Each name, and how it is shown where room is short: at most `BRIEF` columns, and no two alike.

    >>> rate = ", learning rate 0.05, trained in May"
    >>> list(brief_names((f"gradient boosting, depth 3{rate}", f"gradient boosting, depth 4{rate}", "svm")).values())
    ['gradient boosting, depth 3, learning ra…', 'gradient boosting, depth 4, learning ra…', 'svm']
    """
    return dict(zip(names, short_names([one_line(n) for n in names], BRIEF), strict=True))


def brief(text: str, names: Iterable[object]) -> str:
    """A sentence with its long names cut.

    >>> brief(f"Use {'x' * 30}{'y' * 30} here", ["x" * 30 + "y" * 30])
    'Use xxxxxxxxxxxxxxxxxxxx…yyyyyyyyyyyyyyyyyyy here'
    """
    shown = brief_names(tuple(str(n) for n in names))
    # A name may be the beginning of another one.
    for name in sorted((n for n in shown if len(n) > BRIEF), key=len, reverse=True):
        text = text.replace(one_line(name), shown[name])
    return text


def place(x: float) -> str:
    """A coordinate with a tenth of a pixel.

    >>> place(12.0), place(3.14159), place(-0.01)
    ('12', '3.1', '0')
    """
    shown = f"{x:.1f}".rstrip("0").rstrip(".")
    return "0" if shown in ("-0", "") else shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A headed part of the page. `folded` ones are closed at first; `lead` stands under the heading."""

    key: str
    title: str
    blocks: tuple[Markup, ...]
    lead: str = ""
    folded: bool = False
