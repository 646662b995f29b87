"""Scores by class, thresholds, test statistics, power, folds and learners over data sets, as pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.plots import draw, picture
from trueerror.plots._specs import Curves, Heat

RNG = np.random.default_rng(4)
TRUTH = RNG.integers(0, 2, 300)
SCORES = np.clip(0.5 + 0.3 * (TRUTH - 0.5) + 0.2 * RNG.normal(size=300), 0, 1)
MODELS = {name: np.where(RNG.random(300) < right, TRUTH, 1 - TRUTH) for name, right in (("a", 0.9), ("b", 0.8))}
RANKED = te.rank({"dataset": list("stuvw"), "x": [0.9, 0.8, 0.7, 0.9, 0.6], "y": [0.8, 0.8, 0.6, 0.7, 0.5]})


def test_scores_of_each_class_add_up_to_one() -> None:
    made = picture(te.roc(TRUTH, SCORES), kind="scores", threshold=0.5, bins=10)
    assert isinstance(made, Curves)
    cut, *classes = made.lines
    assert cut.words == "flagged at scores ≥ 0.500"
    for line in classes:
        assert line.y[::2].sum() == pytest.approx(1.0)
    assert picture(te.roc(TRUTH, SCORES).table, bins=10).lines[0].y.tolist() == classes[0].y.tolist()


def test_the_cheapest_threshold_is_marked() -> None:
    curve = te.roc(TRUTH, SCORES)
    made = picture(curve, kind="thresholds", cost_fn=5)
    assert isinstance(made, Curves)
    (mark,) = made.marks
    assert mark.x == pytest.approx(curve.operating_point(cost_fn=5, rng=0).threshold)
    recall, precision, _ = made.lines
    for line, band in zip((recall, precision), made.bands, strict=True):
        assert (band.low <= line.y + 1e-12).all()
        assert (line.y <= band.high + 1e-12).all()
    point = curve.at(threshold=float(recall.x[40]))
    assert recall.y[40] == pytest.approx(point.tpr)
    assert band.name == "95 % pointwise band (Wilson)"


def test_a_kind_of_several_models_is_refused_with_the_way_to_one() -> None:
    with pytest.raises(ValueError, match="shows one model"):
        te.roc(TRUTH, {"a": SCORES, "b": SCORES}).plot(kind="scores")
    with pytest.raises(ValueError, match="there are roc, scores, thresholds"):
        te.roc(TRUTH, SCORES).plot(kind="score")
    with pytest.raises(ValueError, match="it has one picture"):
        te.gains(TRUTH, SCORES).plot(kind="scores")
    with pytest.raises(ValueError, match="evaluate with by="):
        te.evaluate(TRUTH, MODELS).plot(kind="slices")
    with pytest.raises(ValueError, match="this comparison has none"):
        te.compare(TRUTH, MODELS).plot(kind="folds")


def test_the_tails_of_a_statistic_are_as_large_as_its_p_value() -> None:
    for result, options in (
        (te.significance.paired_t([0.1, 0.2, 0.35, 0.1, 0.3], [0.0, 0.1, 0.05, 0.1, 0.1]), {"kind": "test"}),
        (te.significance.friedman(RNG.random((30, 4))), {}),
        (te.significance.iman_davenport(RNG.random((30, 4))), {}),
    ):
        made = picture(result, **options)
        assert isinstance(made, Curves)
        areas = [np.trapezoid(band.high, band.x) for band in made.bands]
        assert sum(areas) == pytest.approx(result.p_value, abs=0.02)
    with pytest.raises(ValueError, match="not the tail of a normal"):
        te.significance.mcnemar(60, 40, n=1000, method="exact").plot(kind="test")


def test_power_goes_through_the_plan() -> None:
    plan = te.power(n=500, first=0.82, second=0.8, disagreement=0.03)
    made = picture(plan)
    assert isinstance(made, Curves)
    line = made.lines[-1]
    assert np.interp(500, line.x, line.y) == pytest.approx(plan.power, abs=1e-3)
    assert (np.diff(line.y) > 0).all()


def test_folds_profile_and_improvement_show_every_data_set() -> None:
    profile = picture(RANKED, kind="profile")
    assert isinstance(profile, Curves)
    assert [line.name for line in profile.lines] == ["x: best on 5", "y: best on 1"]
    assert all(line.y[-1] == 1 for line in profile.lines)
    improved = picture(RANKED, kind="improvement")
    assert isinstance(improved, Heat)
    assert improved.words == (("",), ("90.0 %", "4–1–0"), ("10.0 %", "0–1–4"), ("",))


def test_confusion_matrices_are_subtracted_and_slices_laid_out(svg: Any) -> None:
    compared = te.compare(TRUTH, MODELS)
    made = picture(compared, kind="confusion", first="a", second="b")
    assert isinstance(made, Heat)
    a, b = (te.evaluate(TRUTH, MODELS[m]).confusion.matrix for m in "ab")
    rows = [int(words[1].split(" ")[0].replace("−", "-")) if words[0] else 0 for words in made.words]
    assert rows == (a - b).ravel().tolist()
    ev = te.evaluate(TRUTH, MODELS, by=np.where(np.arange(300) % 3, "north", "south"))
    heat = picture(ev, kind="slices", metric="recall")
    assert isinstance(heat, Heat)
    assert heat.rows == ("all rows", "north", "south")
    assert heat.words[2][0] == f"{ev.slices['north'].model('a')['recall'].estimate:.3f}"
    assert "recall by slice" in svg(ev, kind="slices", metric="recall").texts()
    draw(compared, kind="pairs")
