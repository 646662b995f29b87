"""Scores by class, thresholds, test statistics, power, folds and learners over data sets, as pictures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import integrate

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.plots import draw, picture
from trueerror.plots._specs import Curves, Heat
from trueerror.results._format import number

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
    with pytest.raises(ValueError, match="two learners on the same test folds, and there are none"):
        te.compare(TRUTH, MODELS).plot(kind="folds")


def test_the_tails_of_a_statistic_are_as_large_as_its_p_value() -> None:
    for result, options in (
        (te.significance.paired_t([0.1, 0.2, 0.35, 0.1, 0.3], [0.0, 0.1, 0.05, 0.1, 0.1]), {"kind": "test"}),
        (te.significance.friedman(RNG.random((30, 4))), {}),
        (te.significance.iman_davenport(RNG.random((30, 4))), {}),
    ):
        made = picture(result, **options)
        assert isinstance(made, Curves)
        areas = [integrate.trapezoid(band.high, band.x) for band in made.bands]
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


def test_bootstrap_samples_are_drawn_with_the_estimate_and_its_limits():
    made = te.bootstrap([3, 1, 4, 1, 5, 9, 2, 6, 5, 3], "mean", rng=0)
    assert sum(made.counts) == made.replicates == 1000
    assert len(made.edges) == len(made.counts) + 1
    drawn = picture(made)
    words = [line.words for line in drawn.lines if line.words]
    i = made.interval
    assert words == [f"low {number(i.low)}", f"estimate {number(i.estimate)}", f"high {number(i.high)}"]
    assert max(drawn.lines[-1].y) == max(made.counts)
    with pytest.raises(ValueError, match="no replicates"):
        picture(replace(made, counts=()))


@pytest.mark.parametrize(("plan", "tests_every_row"), [(te.KFold(4), True), (te.TimeOrdered(3), False)])
def test_a_plan_shows_which_rows_it_trains_on_and_tests_on(plan, tests_every_row):
    y = [0, 1, 1] * 8
    drawn = picture(plan, y=y)
    order = np.argsort(y, kind="stable") if tests_every_row else np.arange(24)
    for place, (train, test) in enumerate(plan.split(y, np.asarray(y)[order]), start=1):
        for series, rows in ((0, train), (1, test)):
            bands = [b for b in drawn.bands if b.series == series and b.low[0] == place - 0.4]
            assert {int(i) for b in bands for i in range(int(b.x[0]), int(b.x[1]))} == set(rows.tolist())
    assert plan.plot(rows=30).svg.startswith("<svg")
    with pytest.raises(ValueError, match="2 to 400 rows"):
        plan.plot(rows=1000)


def test_discs_of_found_and_to_be_found_have_areas_by_counts():
    truth, called = [1] * 40 + [0] * 60, [1] * 30 + [0] * 10 + [1] * 20 + [0] * 40
    drawn = picture(te.evaluate(truth, called).only.confusion, kind="sets", positive=1)
    relevant, flagged = (line for line in drawn.lines if line.role == "curve")
    radii = [(line.x.max() - line.x.min()) / 2 for line in (relevant, flagged)]
    assert [np.pi * r * r for r in radii] == pytest.approx([40, 50], rel=1e-3)
    # The area that both share, by counting points of a grid.
    middles = [(line.x.max() + line.x.min()) / 2 for line in (relevant, flagged)]
    x, y = np.meshgrid(np.linspace(-8, 12, 1500), np.linspace(-6, 6, 900))
    inside = [(x - m) ** 2 + y**2 < r * r for m, r in zip(middles, radii, strict=True)]
    assert (inside[0] & inside[1]).mean() * 20 * 12 == pytest.approx(30, rel=0.02)
    assert {line.words for line in drawn.lines if line.words} == {"30", "10", "20"}
    with pytest.raises(ValueError, match="no row is positive, or none was flagged"):
        picture(te.evaluate([0, 1], [0, 0]).only.confusion, kind="sets")


def test_roc_stands_beside_precision_and_recall(tmp_path):
    curve = te.roc([0, 1, 1, 0, 1, 0] * 9, [0.2, 0.8, 0.6, 0.5, 0.4, 0.3] * 9)
    drawn = picture(curve, kind="precision-recall")
    assert [p.title for p in drawn.pictures] == ["ROC", "Precision–recall"]
    own = te.precision_recall([0, 1, 1, 0, 1, 0] * 9, [0.2, 0.8, 0.6, 0.5, 0.4, 0.3] * 9)
    lines = [line for line in drawn.pictures[1].lines if line.role == "curve"]
    assert lines[0].y.tolist() == next(line for line in picture(own).lines if line.role == "curve").y.tolist()
    figure = curve.plot(kind="precision-recall")
    assert figure.svg.count(">ROC<") == figure.svg.count(">Precision–recall<") == 1
    assert figure.save(tmp_path / "x.png").stat().st_size > 10_000


def test_gates_and_repeats_have_a_picture():
    gate = te.gate(
        [0, 1] * 50, [0, 1, 1, 1] * 25, metrics=["accuracy", "recall"], at_least={"accuracy": 0.7, "recall": 0.9}
    )
    drawn = picture(gate)
    assert [(p.references[0][0], p.rows[0].low) for p in drawn.panels] == [
        (100 * c.bound, pytest.approx(100 * c.low)) for c in gate.checks
    ]
    repeats = te.repeats(np.arange(60).reshape(20, 3) % 4 < 2)
    assert [p.heading for p in picture(repeats).panels] == list(repeats.parts[0].metrics)[:6]
    assert "<svg" in repeats._repr_mimebundle_()["text/html"]


def test_what_more_answers_buy() -> None:
    found = te.repeats({"a": [[1, 0, 1], [0, 0, 1], [1, 1, 1], [0, 0, 0]] * 5})
    drawn = picture(found, kind="allocation")
    half, twice = (line.y for line in drawn.lines)
    assert (np.diff(half) < 0).all()
    assert twice == pytest.approx(half / np.sqrt(2))
    (now,) = drawn.marks
    assert (now.x, now.y) == pytest.approx((3.0, np.interp(3.0, drawn.lines[0].x, half)), rel=1e-3)
    with pytest.raises(InputError, match="nothing to plot"):
        te.repeats([[1], [0]]).plot(kind="allocation")


def test_many_curves_have_no_bands_unless_asked():
    scores = {name: np.random.default_rng(i).random(60) for i, name in enumerate("abcdef")}
    p = te.predictions([0, 1] * 30, scores=scores)
    assert len(picture(te.roc(p.select(["a", "b", "c"]))).bands) == 3
    assert picture(te.roc(p)).bands == ()
    assert len(picture(te.roc(p), band=True).bands) == 6
