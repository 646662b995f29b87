"""Curves as SVG: every point inside the picture, on linear, logarithmic and normal-deviate axes; few of them."""

import re

import numpy as np
import pytest

import trueerror as te
from trueerror.plots import picture
from trueerror.plots._specs import Axis, Band, Curves, Line, Mark, Whiskers
from trueerror.plots.svg._elements import outline
from trueerror.reports._html import MOST_HOVERED, Gallery, svg_curves


def rows(n=400, seed=1):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    return truth, 1 / (1 + np.exp(-(rng.normal(size=n) + truth)))


def drawn(shown):
    gallery = Gallery()
    text = svg_curves(shown, gallery, words="what it shows")
    return str(text), gallery.hover.get("p1", {})


def places(path):
    """The corners of a path whose steps are relative: M, h, v, l, z."""
    at, corners = [0.0, 0.0], []
    for kind, figures in re.findall(r"([Mhvlz])([^Mhvlz]*)", path):
        numbers = [float(n) for n in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", figures)]
        if kind in "hv":
            numbers = [v for n in numbers for v in ((n, 0.0) if kind == "h" else (0.0, n))]
        for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
            at = [dx, dy] if kind == "M" else [at[0] + dx, at[1] + dy]
            corners.append(tuple(at))
    return corners


def test_a_path_passes_the_places_it_is_made_of():
    wanted = [(round(x, 1), round(y, 1)) for x, y in np.random.default_rng(0).uniform(-20, 300, (200, 2)).tolist()]
    wanted += [(5.0, 7.0), (9.0, 7.0), (9.0, 7.5), (0.1, -0.4)]
    np.testing.assert_allclose(places(outline(wanted)), wanted, atol=1e-9)


def inside(text):
    """Every place of a path, circle or polygon lies within the view box."""
    width, height = (float(v) for v in re.search(r'viewBox="0 0 (\d+) (\d+)"', text).groups())
    points = [p.split(",") for group in re.findall(r'points="([^"]+)"', text) for p in group.split()]
    points += [p for d in re.findall(r' d="([^"]+)"', text) for p in places(d)]
    points += re.findall(r'cx="([^"]+)" cy="([^"]+)"', text)
    assert points
    return all(-1 <= float(x) <= width + 1 and -1 <= float(y) <= height + 1 for x, y in points)


@pytest.mark.parametrize("make", [te.roc, te.precision_recall, te.gains, te.lift, te.det, te.calibration])
def test_every_kind_of_curve_stays_in_its_frame(make):
    text, hover = drawn(picture(make(*rows())))
    assert inside(text)
    assert "<title>what it shows</title>" in text
    assert "NaN" not in text
    assert all(len(line[1]) == len(line[2]) == len(line[3][0]) for line in hover["lines"])


def test_logarithmic_axes_have_their_own_ticks_and_place_everything():
    x = np.array([10.0, 100.0, 1000.0])
    y = np.array([0.3, 0.2, 0.1])
    shown = Curves(
        title="t",
        x=Axis(title="rows", low=9, high=1100, scale="log", ticks=(10, 100, 1000)),
        y=Axis(title="error"),
        lines=(Line(x=x, y=y, name="a"),),
        bands=(Band(x=x, low=y - 0.05, high=y + 0.05, name="band"),),
        marks=(Mark(x=1000.0, y=0.1, shape="diamond", series=0),),
        whiskers=(Whiskers(x=x, y=y, low=y - 0.1, high=y + 0.1, name="a", tips={"rows": x}),),
    )
    text, hover = drawn(shown)
    assert inside(text)
    places = [float(v) for v in re.findall(r'circle cx="([^"]+)"', text)]
    assert places[1] - places[0] == pytest.approx(places[2] - places[1], abs=0.2)
    assert [t for t in (">10<", ">100<", ">1,000<") if t not in text] == []
    assert hover["lines"][0][1] == pytest.approx(places, abs=0.11)


def test_many_points_are_thinned_and_few_of_them_answer():
    truth, scores = rows(200_000)
    text, hover = drawn(picture(te.roc(truth, scores)))
    assert len(text) < 20_000
    assert sum(len(line[1]) for line in hover["lines"]) <= MOST_HOVERED
    several = picture({f"m{i}": te.roc(*rows(2000, i)) for i in range(40)})
    text, hover = drawn(several)
    assert sum(len(line[1]) for line in hover["lines"]) <= MOST_HOVERED
    assert text.count('class="curve rest"') == text.count('<li class="grey"') == 33


def test_names_in_legends_are_text():
    text, hover = drawn(picture({"<b>": te.roc(*rows()), "c": te.roc(*rows(seed=2))}))
    assert "<b>" not in text
    assert "&lt;b&gt;" in text
    assert hover["lines"][0][0].startswith("<b>")
