"""Reports of every kind as pictures: at three widths, light, dark and printed; they are kept, and a page shows them."""

from itertools import product
from pathlib import Path

import pytest
from making.screenshots import FIRST, KEPT, KINDS, SCHEMES, keep, reports_page, take
from PIL import Image, ImageStat


def names(kind: str) -> list[str]:
    return [*(f"{kind}-{width}-{scheme}.webp" for width, scheme in product(FIRST, SCHEMES)), f"{kind}-paper.webp"]


def test_every_kind_is_kept_at_every_width_light_dark_and_printed():
    wanted = [name for kind in KINDS for name in names(kind)]
    assert sorted(path.name for path in KEPT.iterdir()) == sorted(wanted)
    text = reports_page()
    for name in wanted:
        assert f"(../pictures/reports/{name})" in text
    for kind, width, scheme in product(KINDS, FIRST, SCHEMES):
        with Image.open(KEPT / f"{kind}-{width}-{scheme}.webp") as picture:
            assert picture.width == width
    assert sum(path.stat().st_size for path in KEPT.iterdir()) < 6_000_000


@pytest.mark.browser
def test_a_report_is_taken_at_every_width_light_dark_and_printed(tmp_path: Path):
    ((kind, size, pages, heights),) = take(tmp_path, ["one"], first=True)
    assert (kind, pages, list(heights)) == ("one", 3, list(FIRST))
    assert size == (tmp_path / "one.html").stat().st_size
    keep(tmp_path, ["one"], tmp_path / "kept")
    light = {}
    for name in names("one"):
        with Image.open(tmp_path / "kept" / name) as picture:
            light[name] = ImageStat.Stat(picture.convert("L")).mean[0]
    assert all(light[f"one-{width}-light.webp"] > 200 > 60 > light[f"one-{width}-dark.webp"] for width in FIRST)
    assert light["one-paper.webp"] > 200
