"""Every result says how it was made: formula and source of each method, or what was counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.results import Result

RNG = np.random.default_rng(5)
TRUTH = RNG.random(200) < 0.4
FIRST = np.clip(TRUTH * 0.3 + 0.7 * RNG.random(200), 0.01, 0.99)
SECOND = np.clip(TRUTH * 0.2 + 0.8 * RNG.random(200), 0.01, 0.99)


def curve() -> Any:
    return te.roc(TRUTH, FIRST)


def model_of(evaluation: Any) -> Any:
    return evaluation.parts[0]


def hull() -> Any:
    return te.roc_hull({"a": curve(), "b": te.roc(TRUTH, SECOND)})


def folds() -> list[Any]:
    return [te.roc(TRUTH[i::4], FIRST[i::4]) for i in range(4)]


# Result → what its explanation must name beside formula and source.
MADE: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "Roc": (curve, ("the effective t", "Pointwise band", "Simultaneous band", "Measured:", "Fawcett")),
    "RocPoint": (lambda: curve().at(threshold=0.5), ("Wilson",)),
    "OperatingPoint": (lambda: curve().operating_point(cost_fn=3), ("rows not used to choose", "Kim and Pollard")),
    "PrecisionRecall": (lambda: te.precision_recall(TRUTH, FIRST), ("the effective t", "Davis and Goadrich", "band()")),
    "RetrievalPoint": (lambda: te.precision_recall(TRUTH, FIRST).at(recall=0.5), ("Wilson",)),
    "PrecisionRecallGain": (lambda: te.precision_recall_gain(TRUTH, FIRST), ("Flach and Kull", "bootstrap")),
    "Gains": (lambda: te.gains(TRUTH, FIRST), ("Ash and Hughes-Oliver", "Measured:")),
    "Lift": (lambda: te.lift(TRUTH, FIRST), ("Ash and Hughes-Oliver", "Measured:")),
    "CostCurve": (lambda: te.cost_curve(TRUTH, FIRST), ("Drummond and Holte", "optimism", "Measured:")),
    "CostPoint": (lambda: te.cost_curve(TRUTH, FIRST).at(pc=0.5), ("MOVER",)),
    "Calibration": (lambda: te.calibration(TRUTH, FIRST), ("profile likelihood", "Spiegelhalter", "Naeini", "Wilson")),
    "CalibrationError": (lambda: te.calibration(TRUTH, FIRST).ece(), ("Naeini",)),
    "DecisionCurve": (lambda: te.decision_curve(TRUTH, FIRST), ("Vickers and Elkin", "MOVER")),
    "Det": (lambda: te.det(TRUTH, FIRST), ("Martin", "bootstrap")),
    "ErrorPoint": (lambda: te.det(TRUTH, FIRST).at(fpr=0.2), ("Wilson",)),
    "BrierCurve": (lambda: te.brier_curve(TRUTH, FIRST), ("Hernández-Orallo", "MOVER")),
    "RiskCoverage": (lambda: te.risk_coverage(TRUTH, FIRST), ("El-Yaniv", "Wilson")),
    "MeasureCurve": (lambda: te.measure_curve(TRUTH, FIRST, x="recall", y="precision"), ("Sing",)),
    "AverageCurve": (lambda: te.average_curves(folds()), ("mean of TPRs", "t-interval")),
    "RocBand": (lambda: curve().band(), ("Zou and Donner",)),
    "RocHull": (hull, ("Provost and Fawcett", "resamples")),
    "HullRanges": (lambda: hull().ranges(), ("Provost and Fawcett",)),
    "HullCorner": (lambda: hull().corners[1], ("Provost and Fawcett",)),
    "HullChoice": (lambda: hull().best(), ("Provost and Fawcett", "resamples")),
    "Mixture": (lambda: hull().mixture(fpr=0.2), ("Provost and Fawcett",)),
    "IsoLine": (lambda: curve().iso_cost(0.2), ("slope",)),
    "Interval": (lambda: te.interval(3, 10), ("Wilson",)),
    "Contrast": (lambda: te.difference((20, 100), (30, 100)), ("Source:",)),
    "Evaluation": (lambda: te.evaluate(TRUTH, scores=FIRST), ("Wilson",)),
    "ModelEvaluation": (lambda: model_of(te.evaluate(TRUTH, scores=FIRST)), ("Wilson",)),
    "Power": (lambda: te.power(n=500, first=0.82, second=0.8), ("Source:",)),
    "PredictionPowered": (lambda: te.ppi(TRUTH, TRUTH, TRUTH), ("PPI++", "Wilson")),
    "Arena": (lambda: te.arena([("a", "b", "a"), ("a", "b", "b")] * 9), ("Davidson", "Wilson")),
    "RaterAgreement": (lambda: te.agreement(TRUTH, TRUTH), ("Krippendorff 2011", "Fleiss 1971")),
    "LearnerRanking": (lambda: te.rank({"a": [0.9] * 6, "b": [0.8] * 6}), ("signed-rank",)),
}
COUNTED: dict[str, Callable[[], Any]] = {
    "Confusion": lambda: model_of(te.evaluate([1, 0, 1], [1, 0, 0])).confusion,
    "ScoreTable": lambda: curve().table,
    "Table": lambda: te.rank({"a": [0.9] * 6, "b": [0.8] * 6}).wins(),
    "Findings": lambda: te.evaluate(TRUTH, scores=FIRST).findings,
    "Catalogue": te.catalogue,
    "Settings": te.config,
}


# Rows of a larger result, which explains them.
PARTS = {
    "Bootstrapped", "ComplexityPoint", "Contribution", "CurveFit", "EstimatorQuality", "Finding", "LearnerEstimate",
    "LossParts", "MostConfused", "OverfitPair", "RepeatedModel",
}  # fmt: skip


@pytest.mark.parametrize("kind", MADE)
def test_each_method_is_told_with_formula_and_source(kind: str) -> None:
    make, words = MADE[kind]
    result = make()
    assert type(result).__name__ == kind
    told = " ".join(result.explain().split())
    for word in ("Method:", "Formula:", "Source:", *words):
        assert word in told, word
    if kind != "Evaluation":  # its reading is one long line
        assert max(len(line) for line in result.explain().removeprefix(str(result)).splitlines()) <= 80


@pytest.mark.parametrize("kind", COUNTED)
def test_what_was_only_counted_says_so(kind: str) -> None:
    result = COUNTED[kind]()
    assert type(result).__name__ == kind
    told = result.explain()
    assert "counted or listed, not estimated" in told
    assert "What:      " in told


def test_every_type_explains_itself_or_is_among_these(result_types: dict[str, type]) -> None:
    """A type that `te.load` reads has a method, an explanation of its own, or is tested here."""
    for kind, made in result_types.items():
        fields = getattr(made, "__dataclass_fields__", {})
        own = made.explain is not Result.explain or made._made_by is not Result._made_by or "method" in fields
        assert own or kind in MADE or kind in COUNTED or kind in PARTS, kind


@pytest.mark.parametrize("kind", [k for k in MADE if k not in ("Interval", "Contrast", "Power")])
def test_printed_curves_and_points_fit_a_terminal(kind: str) -> None:
    assert max(len(line) for line in str(MADE[kind][0]()).splitlines()) <= 80
