"""Every curve has a picture of one model and of several; what it draws is what the curve says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair
import numpy as np
import pytest

from trueerror.curves._brier import brier_curve
from trueerror.curves._calibration import calibration
from trueerror.curves._cost import cost_curve
from trueerror.curves._decision import decision_curve
from trueerror.curves._det import det
from trueerror.curves._folds import average_curves
from trueerror.curves._gains import gains, lift
from trueerror.curves._measure import measure_curve
from trueerror.curves._precision_recall import precision_recall, precision_recall_gain
from trueerror.curves._risk_coverage import risk_coverage
from trueerror.curves._roc import roc
from trueerror.inputs._options import InputError
from trueerror.plots import chart, picture, spec
from trueerror.plots._specs import Curves
from trueerror.plots.compose.curves import davis_goadrich_path
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
def test_one_and_two_models_make_valid_charts(kind: str, rows: Any) -> None:
    truth, scores = rows
    both = {name: KINDS[kind](truth, s) for name, s in scores.items()}
    one = picture(both["smooth"])
    two = picture(both)
    assert isinstance(one, Curves)
    assert len([line for line in two.lines if line.role == "curve"]) == 2
    assert "of 2 models" in two.title
    for made in (chart(both["smooth"]), chart(both)):
        assert isinstance(made, altair.LayerChart | altair.VConcatChart)
        assert made.to_dict()["$schema"].startswith("https://vega.github.io/schema/vega-lite/")


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("case", ["ties", "perfect", "wrong", "one positive", "two rows"])
def test_degenerate_scores_still_make_a_picture(kind: str, case: str) -> None:
    truth, scores = {
        "ties": (np.array([0, 1] * 8), np.full(16, 0.5)),
        "perfect": (np.array([0, 1] * 8), np.array([0.1, 0.9] * 8)),
        "wrong": (np.array([0, 1] * 8), np.array([0.9, 0.1] * 8)),
        "one positive": (np.array([0] * 15 + [1]), np.linspace(0, 1, 16)),
        "two rows": (np.array([0, 1]), np.array([0.0, 1.0])),
    }[case]
    if kind == "average":  # each fold gets the whole case, so that it has both classes
        made = spec(average_curves([ScoreTable.count(truth, scores) for _ in range(3)]))
    else:
        made = spec(KINDS[kind](truth, scores))
    assert np.isfinite(_numbers(made)).all()


def _numbers(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [n for v in value.values() for n in _numbers(v)]
    if isinstance(value, list):
        return [n for v in value for n in _numbers(v)]
    return [float(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_specifications_hold_finite_numbers_only(kind: str, rows: Any) -> None:
    truth, scores = rows
    made = spec({name: KINDS[kind](truth, s) for name, s in scores.items()})
    assert np.isfinite(_numbers(made)).all()


def test_precision_recall_has_prevalence_and_equal_f(rows: Any) -> None:
    truth, scores = rows
    made = picture(precision_recall(truth, scores["smooth"]), band=True)
    words = [line.words for line in made.lines if line.words]
    assert "F1 0.8" in words
    assert any(w.startswith("random: prevalence 0.2") for w in words)
    assert "pointwise" in made.bands[0].name
    assert any(
        "pointwise" in str(layer.get("data"))
        for layer in spec(precision_recall(truth, scores["smooth"]), band=True)["layer"]
    )


def test_precision_recall_bends_between_distant_points() -> None:
    truth = np.repeat([1, 0, 1, 0], [50, 5, 50, 95])
    curve = precision_recall(truth, np.repeat([0.9, 0.9, 0.1, 0.1], [50, 5, 50, 95]))
    x, y, thresholds = davis_goadrich_path(curve)
    inner = np.isnan(thresholds)
    assert inner.sum() == 11
    np.testing.assert_allclose(y[inner], curve.interpolate(x[inner]))
    straight = np.interp(x[inner], curve.recall, curve.precision)
    assert (y[inner] < straight).all()


def test_gains_and_lift_have_random_and_perfect(rows: Any) -> None:
    truth, scores = rows
    for make in (gains, lift):
        words = {line.words for line in picture(make(truth, scores["smooth"])).lines}
        assert {"random", "perfect"} <= words


def test_det_axes_are_normal_deviates(rows: Any) -> None:
    truth, scores = rows
    made = spec(det(truth, scores["smooth"]))
    axis = made["layer"][0]["encoding"]["x"]["axis"]
    assert "cumulativeNormal" in axis["labelExpr"]
    assert min(axis["values"]) < -1


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


def test_cost_curve_stays_inside_the_triangle(rows: Any) -> None:
    truth, scores = rows
    made = picture(cost_curve(truth, scores["smooth"]))
    (curve,) = [line for line in made.lines if line.role == "curve"]
    assert (curve.y <= np.minimum(curve.x, 1 - curve.x) + 1e-12).all()
    assert {"call nothing", "call everything"} <= {line.words for line in made.lines}


def test_long_curves_are_thinned_and_say_so() -> None:
    rng = np.random.default_rng(0)
    n = 200_000
    truth = (rng.random(n) < 0.3).astype(int)
    made = spec(precision_recall(truth, rng.normal(size=n) + truth))
    assert "points are drawn, nowhere more than" in made["description"]
    rows = sum(len(layer["data"]["values"]) for layer in made["layer"] if "data" in layer)
    assert rows < 5000


def test_tooltips_give_the_exact_threshold(rows: Any) -> None:
    truth, scores = rows
    curve = precision_recall(truth, scores["rough"])
    hover = spec(curve)["layer"][-1]
    titles = [tip["title"] for tip in hover["encoding"]["tooltip"]]
    assert titles == ["threshold", "recall", "precision"]
    told = {row["tip0"] for row in hover["data"]["values"]}
    assert {f"{t:.3f}" for t in curve.thresholds} <= told
    assert "none" not in told


def test_curves_of_different_kinds_do_not_share_a_picture(rows: Any) -> None:
    truth, scores = rows
    with pytest.raises(InputError, match="of one kind, not Gains and Lift"):
        picture({"a": gains(truth, scores["rough"]), "b": lift(truth, scores["rough"])})
    measured = {y: measure_curve(truth, scores["rough"], x="threshold", y=y) for y in ("f1", "accuracy")}
    with pytest.raises(InputError, match="one picture shows"):
        picture(measured)


def test_twelve_models_have_twelve_legend_entries(rows: Any) -> None:
    truth, scores = rows
    made = spec({f"model {i}": precision_recall(truth, scores["rough"]) for i in range(12)})
    colours = next(la["encoding"]["color"] for la in made["layer"] if "scale" in la["encoding"].get("color", {}))
    assert len(set(colours["scale"]["domain"])) == 12
    assert colours["legend"] is not None
