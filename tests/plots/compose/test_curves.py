"""Every curve has a picture of one model and of several; what it draws is what the curve says."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.curves._calibration import calibration
from trueerror.curves._cost import brier_curve, cost_curve, decision_curve
from trueerror.curves._det import det
from trueerror.curves._folds import average_curves
from trueerror.curves._gains import gains, lift
from trueerror.curves._measure import measure_curve
from trueerror.curves._precision_recall import precision_recall, precision_recall_gain
from trueerror.curves._risk_coverage import risk_coverage
from trueerror.curves._roc import roc
from trueerror.inputs._options import InputError
from trueerror.plots import picture
from trueerror.plots._specs import Curves
from trueerror.plots.compose.curves import band_path, davis_goadrich_path
from trueerror.tallies import ScoreTable

KINDS: dict[str, Callable[..., Any]] = {
    "roc": roc,
    "band": lambda truth, scores: roc(truth, scores).band(),
    "pr": precision_recall,
    "gain": precision_recall_gain,
    "gains": gains,
    "lift": lift,
    "det": det,
    "cost": cost_curve,
    "decision": decision_curve,
    "brier": brier_curve,
    "risk": risk_coverage,
    "calibration": calibration,
    "measure": lambda truth, scores: measure_curve(truth, scores, x="threshold", y="f1"),
    "average": lambda truth, scores: average_curves([ScoreTable.count(truth[i::4], scores[i::4]) for i in range(4)]),
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_one_and_two_models_make_valid_pictures(kind: str, rows: Any, svg: Any) -> None:
    truth, scores = rows
    both = {name: KINDS[kind](truth, s) for name, s in scores.items()}
    one = picture(both["smooth"])
    two = picture(both)
    assert isinstance(one, Curves)
    assert len([line for line in two.lines if line.role == "curve"]) == 2
    assert "of 2 models" in two.title
    assert len(svg(both["smooth"]).all("path", "curve")) == 1
    shown = svg(both)
    assert len(shown.all("path", "curve")) == 2
    assert [name.split(":")[0] for name in shown.legend()[:2]] == ["smooth", "rough"]
    assert {one.x.title + " →", "↑ " + one.y.title} <= set(svg(both["smooth"]).texts())


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("case", ["ties", "perfect", "wrong", "one positive", "two rows"])
def test_degenerate_scores_still_make_a_picture(kind: str, case: str, svg: Any) -> None:
    truth, scores = {
        "ties": (np.array([0, 1] * 8), np.full(16, 0.5)),
        "perfect": (np.array([0, 1] * 8), np.array([0.1, 0.9] * 8)),
        "wrong": (np.array([0, 1] * 8), np.array([0.9, 0.1] * 8)),
        "one positive": (np.array([0] * 15 + [1]), np.linspace(0, 1, 16)),
        "two rows": (np.array([0, 1]), np.array([0.0, 1.0])),
    }[case]
    if kind == "average":  # each fold gets the whole case, so that it has both classes
        made = svg(average_curves([ScoreTable.count(truth, scores) for _ in range(3)]))
    else:
        made = svg(KINDS[kind](truth, scores))
    assert np.isfinite(made.numbers()).all()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_drawings_hold_finite_numbers_only(kind: str, rows: Any, svg: Any) -> None:
    truth, scores = rows
    made = svg({name: KINDS[kind](truth, s) for name, s in scores.items()}).numbers()
    assert len(made) > 100
    assert np.isfinite(made).all()


def test_precision_recall_has_prevalence_and_equal_f(rows: Any, svg: Any) -> None:
    truth, scores = rows
    made = picture(precision_recall(truth, scores["smooth"]), band=True)
    words = [line.words for line in made.lines if line.words]
    assert "F1 0.8" in words
    assert any(w.startswith("random: prevalence 0.2") for w in words)
    assert "pointwise" in made.bands[0].name
    shown = svg(precision_recall(truth, scores["smooth"]), band=True)
    assert shown.legend() == [made.bands[0].name]
    assert len([e for e in shown.all("path", "band") if e.get("d")]) == 1


def test_precision_recall_bends_between_distant_points() -> None:
    truth = np.repeat([1, 0, 1, 0], [50, 5, 50, 95])
    curve = precision_recall(truth, np.repeat([0.9, 0.9, 0.1, 0.1], [50, 5, 50, 95]))
    x, y, thresholds = davis_goadrich_path(curve)
    inner = np.isnan(thresholds)
    assert inner.sum() == 11
    np.testing.assert_allclose(y[inner], curve.interpolate(x[inner]))
    straight = np.interp(x[inner], curve.recall, curve.precision)
    assert (y[inner] < straight).all()


def _tied(seed: int = 3) -> tuple[Any, Any]:
    """Rows with six scores, of which the lowest holds two fifths of them."""
    rng = np.random.default_rng(seed)
    truth = rng.random(300) < 0.35
    scores = np.clip(np.round(truth * 2 + rng.normal(0, 1, 300) + 0.5), 0, 5) / 5
    return truth, scores


def _line(made: Curves) -> Any:
    return next(line for line in made.lines if line.role == "curve")


@pytest.mark.parametrize("name", ["lift", "risk"])
def test_between_ties_means_follow_the_counts_and_not_a_straight_line(name: str) -> None:
    truth, scores = _tied()
    curve = KINDS[name](truth, scores)
    line = _line(picture(curve))
    inside = line.x > 0
    assert len(line.x) > 4 * len(curve.thresholds)
    if name == "lift":
        expected = [curve.at(share=float(x)).estimate for x in line.x[inside]]
    else:
        expected = [1 - curve.at(coverage=float(x)).estimate for x in line.x[inside]]
    np.testing.assert_allclose(line.y[inside], expected, rtol=1e-9)
    # Level to the left edge: fewer of the rows of the first score are as good as all of them.
    assert (line.x[0], line.y[0]) == (0.0, line.y[1])


def test_no_lift_rises_above_the_perfect_one() -> None:
    truth, scores = _tied()
    curve = lift(truth, scores)
    line = _line(picture(curve))
    assert (line.y <= 1 / np.maximum(line.x, curve.prevalence) + 1e-12).all()
    straight = np.interp(line.x, curve.share, curve.lift)
    assert (straight > 1 / np.maximum(line.x, curve.prevalence)).any()


def test_a_det_curve_bends_between_ties() -> None:
    truth, scores = _tied()
    curve = det(truth, scores)
    line = _line(picture(curve))
    inside = line.x > 0
    np.testing.assert_allclose(line.y[inside], np.interp(line.x[inside], curve.fpr, curve.fnr), rtol=1e-9)
    assert np.isnan(line.tips["threshold"]).sum() >= 22


def test_limits_of_a_precision_bend_as_the_curve_does() -> None:
    truth, scores = _tied()
    curve = precision_recall(truth, scores)
    x, y, low, high = band_path(curve.band())
    np.testing.assert_allclose(y, curve.interpolate(x), rtol=1e-9)
    assert ((low <= y) & (y <= high) & (low < high)).all()
    made = picture(curve, band=True)
    assert made.bands[0].low.tolist() == low.tolist()
    shown = picture(curve.band())
    assert _line(shown).y.tolist() == y.tolist()


def test_other_measures_follow_the_counts_between_ties() -> None:
    truth, scores = _tied()
    curve = measure_curve(truth, scores, x="detection_prevalence", y="lift")
    line = _line(picture(curve))
    of_lift = lift(truth, scores)
    np.testing.assert_allclose(line.y, [of_lift.at(share=float(x)).estimate for x in line.x], rtol=1e-9)
    steps = _line(picture(measure_curve(truth, scores, x="threshold", y="f1")))
    assert not np.isnan(steps.tips["threshold"]).any()


def test_gains_and_lift_have_random_and_perfect(rows: Any) -> None:
    truth, scores = rows
    for make in (gains, lift):
        words = {line.words for line in picture(make(truth, scores["smooth"])).lines}
        assert {"random", "perfect"} <= words


def test_det_axes_are_normal_deviates(rows: Any, svg: Any) -> None:
    truth, scores = rows
    made = svg(det(truth, scores["smooth"]))
    bottom = max(float(e.get("y")) for e in made.all("text") if (e.text or "").endswith(" %"))
    across = {e.text: float(e.get("x")) for e in made.all("text") if float(e.get("y")) == bottom}
    assert "1 %" in across
    # As far from 20 to 50 % as from 50 to 80 %, and further from 5 to 20 % than a straight scale would have it.
    assert across["50 %"] - across["20 %"] == pytest.approx(across["80 %"] - across["50 %"], abs=0.2)
    step = (across["20 %"] - across["5 %"]) / (across["50 %"] - across["20 %"])
    assert step == pytest.approx((1.6449 - 0.8416) / 0.8416, abs=0.01)


def test_decision_curve_has_both_constant_policies(rows: Any) -> None:
    truth, scores = rows
    words = {line.words for line in picture(decision_curve(truth, scores["smooth"])).lines}
    assert {"act on all", "act on none"} <= words


def test_calibration_has_intervals_and_a_histogram_of_all_rows(rows: Any) -> None:
    truth, scores = rows
    curve = calibration(truth, scores["smooth"])
    made = picture(curve)
    assert made.histogram is not None
    assert made.histogram.first.sum() + made.histogram.second.sum() == len(truth)
    np.testing.assert_array_equal(made.whiskers[0].low, curve.low)
    assert picture({"a": curve, "b": curve}).histogram is None
    # Error bars of many models cannot be read.
    assert picture(dict.fromkeys("abcd", curve)).whiskers[3].low is not None
    crowded = picture(dict.fromkeys("abcde", curve))
    assert all(w.low is None and w.high is None for w in crowded.whiskers)
    assert "interval" not in crowded.subtitle[0]


def test_cost_curve_stays_inside_the_triangle(rows: Any) -> None:
    truth, scores = rows
    made = picture(cost_curve(truth, scores["smooth"]))
    (curve,) = [line for line in made.lines if line.role == "curve"]
    assert (curve.y <= np.minimum(curve.x, 1 - curve.x) + 1e-12).all()
    assert {"flag nothing", "flag everything"} <= {line.words for line in made.lines}


def test_long_curves_are_thinned_and_say_so(svg: Any) -> None:
    rng = np.random.default_rng(0)
    n = 200_000
    truth = (rng.random(n) < 0.3).astype(int)
    made = svg(precision_recall(truth, rng.normal(size=n) + truth))
    (about,) = made.all("desc")
    assert "points are drawn, nowhere more than" in about.text
    assert sum(len(re.findall("[hlv ]", e.get("d"))) for e in made.all("path")) + len(made.all("circle")) < 5000
    assert len(made.source) < 60_000


def test_tooltips_give_the_exact_threshold(rows: Any, svg: Any) -> None:
    truth, scores = rows
    curve = precision_recall(truth, scores["rough"])
    tips = [dict(line.split(": ") for line in tip.split("\n")) for tip in svg(curve).tips()]
    assert {tuple(tip) for tip in tips} == {("threshold", "recall", "precision")}
    told = {tip["threshold"] for tip in tips}
    assert {f"{t:.3f}" for t in curve.thresholds} <= told
    assert "none" not in told


def test_curves_of_different_kinds_do_not_share_a_picture(rows: Any) -> None:
    truth, scores = rows
    with pytest.raises(InputError, match="of one kind, not Gains and Lift"):
        picture({"a": gains(truth, scores["rough"]), "b": lift(truth, scores["rough"])})
    measured = {y: measure_curve(truth, scores["rough"], x="threshold", y=y) for y in ("f1", "accuracy")}
    with pytest.raises(InputError, match="one picture shows"):
        picture(measured)


def test_twelve_models_have_twelve_legend_entries_that_look_different(rows: Any, svg: Any) -> None:
    truth, scores = rows
    made = svg({f"model {i}": precision_recall(truth, scores["rough"]) for i in range(12)})
    assert [name.split(":")[0] for name in made.legend()] == [f"model {i}" for i in range(12)]
    (legend,) = made.all("g", "legend")
    looks = [(e.get("class"), e.get("stroke-dasharray")) for e in legend.iter() if e.tag.endswith("}line")]
    assert len(set(looks)) == 12
    assert looks == [(e.get("class"), e.get("stroke-dasharray")) for e in made.all("path", "curve")]


def test_axes_of_a_det_curve_are_equal_and_idle_classifiers_have_plain_names():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 300)
    scores = {name: y * gap + rng.normal(size=300) for name, gap in (("a", 3.0), ("b", 1.0))}
    made = te.det(y, scores["a"]).plot().picture
    assert (made.x.low, made.x.high) == (made.y.low, made.y.high)
    labels = te.roc_hull(y, scores=scores).best(prior=0.5).plot().picture.labels
    assert {"flag nothing", "flag everything"} <= set(labels)
