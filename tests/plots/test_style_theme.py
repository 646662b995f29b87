from __future__ import annotations

import pytest

from trueerror.plots import _style as theme
from trueerror.plots.svg._charts import WRITTEN_OPACITY


def contrast(one: str, other: str) -> float:
    a, b = sorted((theme.luminance(one), theme.luminance(other)), reverse=True)
    return (a + 0.05) / (b + 0.05)


@pytest.mark.parametrize("share", [i / 50 for i in range(51)])
def test_text_is_readable_on_every_shade(share: float) -> None:
    background = theme.shade(share)
    assert contrast(theme.ink_on(background), background) >= 4.5


def test_shades_darken_evenly_so_that_grey_prints_keep_their_order() -> None:
    light = [theme.luminance(theme.shade(i / 20)) for i in range(21)]
    assert light == sorted(light, reverse=True)


def test_text_and_lines_stand_out_on_white() -> None:
    assert contrast(theme.INK, "#FFFFFF") > 12
    assert contrast(theme.FAINT_INK, "#FFFFFF") > 4.5
    assert contrast(theme.REFERENCE, "#FFFFFF") > 3


# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
SIGHT = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}


@pytest.mark.parametrize("palette", [theme.PALETTE, theme.DARK_PALETTE], ids=["light", "dark"])
@pytest.mark.parametrize("kind", sorted(SIGHT))
def test_first_colours_stay_apart_for_colour_blind_readers(kind: str, palette: tuple[str, ...]) -> None:
    def seen(colour: str) -> tuple[float, ...]:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return tuple(sum(w * c for w, c in zip(row, linear, strict=True)) for row in SIGHT[kind])

    first = [seen(c) for c in palette[:5]]
    for i, a in enumerate(first):
        for b in first[i + 1 :]:
            assert sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5 > 0.05


def test_series_differ_by_colour_or_dash() -> None:
    assert len({theme.series_style(i) for i in range(35)}) == 35
    assert theme.series_style(0)[1] != theme.series_style(1)[1]


@pytest.mark.parametrize("palette", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_colours_stand_out_on_their_ground(palette: dict[str, str]) -> None:
    paper = palette["paper"]
    assert contrast(palette["ink"], paper) > 12
    assert contrast(palette["soft"], paper) > 4.5
    assert all(contrast(colour, paper) >= 3 for name, colour in palette.items() if name in SERIES)
    # Text in a cell of a heat map, however dark the cell.
    for share in range(11):
        ground = mixed(palette["heat"], paper, WRITTEN_OPACITY * share / 10)
        assert contrast(palette["ink"], ground) >= 4.5


SERIES = {f"s{i}" for i in range(len(theme.PALETTE))}


def mixed(top: str, under: str, opacity: float) -> str:
    both = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in (top, under)]
    return "#" + "".join(f"{round(opacity * a + (1 - opacity) * b):02X}" for a, b in zip(*both, strict=True))
