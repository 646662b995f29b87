"""A drawing as a whole: an SVG document that follows light and dark by itself, a part of a page, or a page of its own.

Everything takes its colour from custom properties, by classes: no element has a style of its own, so that a page's
policy can forbid those. Selectors are held within `.te-picture`, since the style of an SVG inside a page is the page's.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from trueerror.plots._style import DARK, FONT, LIGHT, PALETTE, fold, plain
from trueerror.plots.svg._elements import Drawing, el, joined, place, text, widest

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
& .grid { stroke: var(--faint); } & .tick { stroke: var(--soft); } & .frame { fill: none; stroke: var(--soft); }
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
    return base64.b64encode(hashlib.sha256(source.encode()).digest()).decode("ascii")
