"""How pictures look: colours that colour-blind readers tell apart, on white and on dark ground.

User text in pictures: one line or two, clipped to its width, and different names never drawn as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from trueerror.results._format import clip, one_line, short_names, unbroken, width

# After Okabe and Ito's palette (2008), without its yellow, which vanishes on white paper; the light ones are darkened.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#B4578C", "#C58700", "#2F95CF", "#000000")
DARK_PALETTE = ("#58B4F0", "#FF8A3D", "#2FD0A2", "#E59AC6", "#F0B93A", "#9AD7FF", "#FFFFFF")
# Lines differ by dash as well, so that a black-and-white print keeps them apart.
DASHES: tuple[tuple[int, ...], ...] = ((), (9, 3), (3, 2), (9, 3, 2, 3), (9, 3, 2, 3, 2, 3))

# The colours of pictures by what they are for; those of the series are s0, s1, ….
LIGHT = {
    "ink": "#1B1F24", "soft": "#57606A", "paper": "#FFFFFF", "line": "#D0D7DE", "faint": "#E6E9ED", "rest": "#9AA4AE",
    "margin": "#F6E7C4", "heat": "#0B5CAD", **{f"s{i}": colour for i, colour in enumerate(PALETTE)},
}  # fmt: skip
DARK = {
    "ink": "#E6EDF3", "soft": "#A3AFBB", "paper": "#0F141A", "line": "#3A424B", "faint": "#262D35", "rest": "#6B7683",
    "margin": "#4A3B14", "heat": "#6CB6FF", **{f"s{i}": colour for i, colour in enumerate(DARK_PALETTE)},
}  # fmt: skip
INK, FAINT_INK, GRID, REFERENCE, MARGIN = (LIGHT[name] for name in ("ink", "soft", "faint", "soft", "margin"))
EMPTY = "#F3F3F3"
ACCENT = PALETTE[0]

# One hue from white to dark blue: its lightness falls evenly, so it also reads in grey.
SHADES = ("#FFFFFF", "#E3EDF6", "#C3DAED", "#9CC3E1", "#6BA6D0", "#3F86BB", "#1F669F", "#0B477D", "#08305C")

# After the Latin ones, fonts that have Chinese, Japanese and Korean, for names in those scripts.
FONT = (
    "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, Noto Sans CJK SC, Noto Sans CJK JP, "
    "Hiragino Sans, Yu Gothic, Microsoft YaHei, Malgun Gothic, sans-serif"
)


def series_style(place: int) -> tuple[str, tuple[int, ...]]:
    """Colour and dash of the series at a place: no two of the first 35 look alike.

    >>> series_style(0)
    ('#0072B2', ())
    >>> len({series_style(i) for i in range(35)})
    35
    """
    cycle, colour = divmod(place, len(PALETTE))
    # Two steps on for each round through the colours, so that lines of one colour get dashes that differ clearly.
    return PALETTE[colour], DASHES[(place + 2 * cycle) % len(DASHES)]


def shade(share: float) -> str:
    """The colour of a share between 0 and 1, between the stops of the scale.

    >>> shade(0.0), shade(1.0)
    ('#FFFFFF', '#08305C')
    """
    place = min(max(share, 0.0), 1.0) * (len(SHADES) - 1)
    first = min(int(place), len(SHADES) - 2)
    part = place - first
    ends = [[int(SHADES[i][j : j + 2], 16) for j in (1, 3, 5)] for i in (first, first + 1)]
    mixed = [round(a + part * (b - a)) for a, b in zip(*ends, strict=True)]
    return "#" + "".join(f"{c:02X}" for c in mixed)


def ink_on(background: str) -> str:
    """Black or white, whichever contrasts more with the background (WCAG 2.1): never less than 4.5 to 1.

    >>> ink_on("#FFFFFF"), ink_on("#08305C")
    ('#000000', '#FFFFFF')
    """
    light = luminance(background)
    return "#000000" if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) else "#FFFFFF"


def luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour (WCAG 2.1)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def plain(text: object) -> str:
    """Any label as one printable line.

    >>> plain("a\\nb"), plain(None), plain(True)
    ('a b', '', 'True')
    """
    return "" if text is None else " ".join(one_line(str(text)).split())


def shorten(text: object, columns: int) -> str:
    """A label cut to `columns` columns with an ellipsis."""
    return clip(plain(text), columns)


def fold(text: object, columns: int, lines: int = 2) -> list[str]:
    """A label over at most `lines` lines of `columns` columns, cut in the middle of the last where even that is
    too little.

    Breaks at spaces, else after _ - / . : and such, else anywhere.

    >>> fold("gradient boosting on counts", 16)
    ['gradient', 'boosting… counts']
    >>> fold("xgb_depth6_lr0.01_v2", 14)
    ['xgb_depth6_', 'lr0.01_v2']
    """
    rest = unbroken(plain(text))
    folded: list[str] = []
    while rest and len(folded) < lines - 1 and width(rest) > columns:
        cut = _break_place(rest, columns)
        folded.append(rest[:cut].rstrip(" "))
        rest = rest[cut:].lstrip(" ")
    folded += [clip(rest, columns)] if rest or not folded else []
    return [line.replace("\u00a0", " ") for line in folded]


def first_sentence(text: object) -> str:
    """What a picture says of a verdict of several sentences.

    >>> first_sentence("a is better: 0.95 against 0.9, 95 % CI +0.1 to +9.4. The rest is elsewhere.")
    'a is better: 0.95 against 0.9, 95 % CI +0.1 to +9.4.'
    """
    return re.split(r"(?<=[.!?]) ", str(text), maxsplit=1)[0]


def fold_all(texts: Sequence[object], columns: int, lines: int = 2) -> list[list[str]]:
    """Each label folded; those that would look alike are first cut to their differing parts.

    >>> fold_all(["a model of depth 1 and so on and on", "a model of depth 2 and so on and on"], 10)
    [['a model', 'o…depth 1…'], ['a model', 'o…depth 2…']]
    """
    folded = [fold(text, columns, lines) for text in texts]
    names = [plain(text) for text in texts]
    if len({"\n".join(f) for f in folded}) == len(set(names)):
        return folded
    # Breaking at spaces wastes some of each line: as much is used as need not be cut again.
    for used in range(lines * columns, columns - 1, -1):
        short = short_names(names, used)
        folded = [fold(name, columns, lines) for name in short]
        if all("".join(f).count("…") <= name.count("…") for f, name in zip(folded, short, strict=True)):
            break
    return folded


def _break_place(text: str, columns: int) -> int:
    used = 0
    space = mark = 0
    for i, c in enumerate(text):
        used += width(c)
        if used > columns:
            # A break in the first third would waste the line: better in the middle of a word.
            return next((place for place in (space, mark) if place > columns // 3), max(i, 1))
        if c == " ":
            space = i + 1
        elif c in "_-/.:,;|+=@#)]}" and not (c in "-+.," and text[i + 1 : i + 2].isdigit()):
            mark = i + 1
    return len(text)


def distinct(names: Iterable[object], columns: int = 60) -> list[str]:
    """Short names, cut so that they stay different, and numbered where the user made them equal.

    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    >>> distinct(["a very long name 1 for a model", "a very long name 2 for a model"], 16)
    ['a very l…name 1…', 'a very l…name 2…']
    """
    seen: set[str] = set()
    out = []
    for short in short_names([plain(name) or "(no name)" for name in names], columns):
        candidate, count = short, 1
        while candidate in seen:
            count += 1
            mark = f" ({count})"
            candidate = clip(short, columns - len(mark)) + mark
        seen.add(candidate)
        out.append(candidate)
    return out


def columns_needed(texts: Iterable[str | Sequence[str]]) -> int:
    """The width of the widest line, in columns."""
    lines = (line for text in texts for line in ([text] if isinstance(text, str) else text))
    return max((width(line) for line in lines), default=0)
