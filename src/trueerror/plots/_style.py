"""How pictures look: colours that colour-blind readers tell apart, on white and on dark ground."""

from __future__ import annotations

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
