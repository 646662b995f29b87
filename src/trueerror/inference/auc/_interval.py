"""The area under one ROC curve: DeLong on the logit scale, and Newcombe's method 5 where few pairs are misordered."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._problem import IntervalLimits, IntervalSpec, Problem, independent
from trueerror.inference._variance import ScoreSample
from trueerror.inference.auc._delong import delong_from_table
from trueerror.inference.proportion._array_intervals import on_logit
from trueerror.kernels._numpy import table_placements
from trueerror.methods._registry import Default, inference_method
from trueerror.metrics._registry import Measure
from trueerror.results._values import Note
from trueerror.tallies._scores import ScoreTable

Floats = NDArray[np.float64]
DELONG = "DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837"
# Below this many misordered "events" the logit interval of DeLong's variance undercovers by itself.
FEW = 10.0
# The part of an unseen row of each class at the wrong end that the limits allow for there.
UNSEEN = 0.15
HALVINGS = 100


def area_limits(
    table: ScoreTable, area: float, spec: IntervalSpec, method: str = "delong-logit", variance: float | None = None
) -> IntervalLimits:
    """Limits of the area under the ROC curve of a score table with both classes; `variance` where it is known already.

    >>> t = ScoreTable.count([0] * 20 + [1] * 20, list(range(40)))
    >>> round(area_limits(t, 1.0, IntervalSpec()).low, 4)
    0.8987
    """
    m, n = effective_rows(table)
    z = max(spec.factor(), 0.0)
    modelled = newcombe_area_limits(area, m, n, z)
    if method == "newcombe":
        return IntervalLimits(*modelled, "newcombe-auc", asked=method)
    if variance is None:
        variance = hanley_mcneil_variance(area, m, n) if method == "hanley-mcneil" else delong_variance(table, area)
    if not variance > 0 or not 0 < area < 1:
        why = "one row in a class" if min(m, n) < 2 else "no variance in the order of the scores"
        note = f"{why}: Newcombe's method 5 instead of {method}"
        return IntervalLimits(*modelled, "newcombe-auc", note, asked=method)
    if method != "delong-logit":
        reach = z * math.sqrt(variance)
        return IntervalLimits(max(0.0, area - reach), min(1.0, area + reach), method, asked=method)
    low, high = (float(v) for v in on_logit(area, variance, z))
    if min(m, n) * min(area, 1 - area) < FEW:
        unseen = unseen_low(area, variance, m, n, z), 1 - unseen_low(1 - area, variance, m, n, z)
        low, high = min(low, modelled[0], unseen[0]), max(high, modelled[1], unseen[1])
        return IntervalLimits(low, high, method, Note("auc-near-end"), asked=method)
    return IntervalLimits(low, high, method, asked=method)


def unseen_low(area: float, variance: float, m: float, n: float, z: float) -> float:
    """The lower limit on the logit scale of the same rows and a part of a row of each class at the wrong end.

    With c more positives below all negatives, and c more negatives above all positives, the area is A·mn/((m + c)(n +
    c)), and the new placements are 0. Of what DeLong's variance gives to either class no more than its sum is needed:
    Σ V10² = mA² + m(m − 1)·S10 and so on, with weights of nearly 1.
    """
    ways = m / (m + UNSEEN), n / (n + UNSEEN)
    lower = area * ways[0] * ways[1]
    added = sum(
        (other * other * size * area * area - (size + UNSEEN) * lower * lower) / (size + UNSEEN) ** 2
        for size, other in ((m, ways[1]), (n, ways[0]))
    )
    return float(on_logit(lower, variance + max(0.0, added), z)[0])


def of_area(measure: Measure, value: float) -> float:
    """The area that a multiple of it stands for: (G + 1)/2 of Gini's coefficient."""
    return (value + (measure.area - 1)) / measure.area


def on_scale(measure: Measure, limits: IntervalLimits) -> IntervalLimits:
    """The limits of an area as those of a multiple of it: 2·A − 1 for Gini's coefficient."""
    low, high = (measure.area * limit - (measure.area - 1) for limit in limits[:2])
    return limits._replace(low=low, high=high)


def _limits(q: Problem[ScoreSample], method: str) -> IntervalLimits:
    return on_scale(q.metric, area_limits(q.sample.table, of_area(q.metric, q.sample.estimate), q.spec, method))


@inference_method(
    "delong-logit",
    answers="auc",
    applies=independent,
    default=Default(
        why="at AUC .95 with 20/20 plain DeLong covers .84–.86, the logit scale .946; "
        "with few errors Newcombe's method 5 joins in"
    ),
    part="areas",
    title="DeLong's variance on the logit scale",
    formula="logit(A) ± z·SE/(A(1 − A)), SE² = S10/m + S01/n; where min(m, n)·min(A, 1 − A) < 10 the outer "
    "limits of this, of Newcombe's method 5, and of the rows with 0.15 of an unseen row of each class at the wrong end",
    source=f"{DELONG}; Pepe 2003, The Statistical Evaluation of Medical Tests, 5.2; Newcombe 2006, Stat. Med. 25:559",
    assumes="independent rows; higher scores are more positive",
    measured="AUC .95 of 20 and 20 rows: .946 or more (simulated), where DeLong's straight interval covers .84–.86; "
    "scores of which some positives look like negatives, 1 to 5 misranked rows: .95–.98, .89–.97 without unseen rows",
)
def delong_logit(q: Problem[ScoreSample]) -> IntervalLimits:
    """DeLong's variance on the logit scale, with Newcombe's method 5 where few pairs are misordered."""
    return _limits(q, "delong-logit")


@inference_method(
    "delong",
    answers="auc",
    applies=independent,
    part="areas",
    title="DeLong's interval",
    formula="A ± z·√(S10/m + S01/n), cut to [0, 1]",
    source=DELONG,
    assumes="independent rows, many of each class; higher scores are more positive",
    measured="AUC .95 of 20 and 20 rows: .84–.86; .99 of 50 and 50: .79–.80 (simulated)",
    advice="prefer delong-logit",
)
def delong_straight(q: Problem[ScoreSample]) -> IntervalLimits:
    """DeLong's variance as it is."""
    return _limits(q, "delong")


@inference_method(
    "hanley-mcneil",
    answers="auc",
    applies=independent,
    part="areas",
    title="Hanley and McNeil's interval",
    formula="A ± z·√((A(1−A) + (m−1)(Q1−A²) + (n−1)(Q2−A²))/mn), Q1 = A/(2−A), Q2 = 2A²/(1+A)",
    source="Hanley and McNeil 1982, Radiology 143:29",
    assumes="independent rows; scores near to exponential in shape",
    advice="prefer delong-logit",
)
def hanley_mcneil(q: Problem[ScoreSample]) -> IntervalLimits:
    """Hanley and McNeil's variance, from the area and the class sizes alone."""
    return _limits(q, "hanley-mcneil")


@inference_method(
    "newcombe-auc",
    word="newcombe",
    answers="auc",
    applies=independent,
    part="areas",
    title="Newcombe's interval of an area, method 5",
    formula="θ with (A − θ)² = z²·θ(1−θ)(1 + ν(1−θ)/(2−θ) + νθ/(1+θ))/mn, ν = (m + n)/2 − 1",
    source="Newcombe 2006, Stat. Med. 25:559",
    assumes="independent rows; higher scores are more positive",
    measured="at A = 1 the lower limit is .8987 of 20 and 20 rows, .9603 of 50 and 50",
)
def newcombe_auc(q: Problem[ScoreSample]) -> IntervalLimits:
    """Newcombe's method 5."""
    return _limits(q, "newcombe")


def effective_rows(table: ScoreTable) -> tuple[float, float]:
    """Positives and negatives; with sampling weights the equal rows that they are worth, (Σw)²/Σw²."""
    sums = np.array([float(table.n_positive), float(table.n_negative)])
    if table.squares is None:
        return float(sums[0]), float(sums[1])
    squares = table.squares.sum(axis=-1)
    positives, negatives = np.where(squares > 0, sums**2 / np.where(squares > 0, squares, 1.0), 0.0)
    return float(positives), float(negatives)


def delong_variance(table: ScoreTable, area: float) -> float:
    """S10/m + S01/n from placements; with weights Σw²(V − A)²/(Σw)² for each class. NaN where a class has one row."""
    if table.squares is None:
        return float(delong_from_table(table).covariance[0, 0])
    m, n = float(table.n_positive), float(table.n_negative)
    beats, beaten = table_placements(table.positives, table.negatives)
    total = 0.0
    rows = effective_rows(table)
    for values, squares, mass, size in (
        (beats / (2 * n), table.squares[0], m, rows[0]),
        (beaten / (2 * m), table.squares[1], n, rows[1]),
    ):
        if size <= 1:
            return math.nan
        total += float((squares * (values - area) ** 2).sum()) / mass**2 * size / (size - 1)
    return total


def hanley_mcneil_variance(area: float, m: float, n: float) -> float:
    """(A(1−A) + (m−1)(Q1−A²) + (n−1)(Q2−A²))/mn, Q1 = A/(2−A), Q2 = 2A²/(1+A) (Hanley and McNeil 1982).

    >>> round(hanley_mcneil_variance(0.9, 20, 30) ** 0.5, 5)
    0.0497
    """
    square = area * area
    q1, q2 = area / (2 - area), 2 * square / (1 + area)
    return (area * (1 - area) + (m - 1) * (q1 - square) + (n - 1) * (q2 - square)) / (m * n)


def newcombe_area_limits(area: float, m: float, n: float, z: float) -> tuple[float, float]:
    """Method 5 of Newcombe 2006: θ with (A − θ)² = z²·V(θ), V Hanley and McNeil's with both class sizes at (m + n)/2.

    The upper limit is the mirror image of the lower one for 1 − A.

    >>> [round(newcombe_area_limits(1.0, a, b, 1.959964)[0], 4) for a, b in ((20, 20), (50, 50), (10, 500))]
    [0.8987, 0.9603, 0.9001]
    """

    def spread(theta: float) -> float:
        nu = (m + n) / 2 - 1
        return theta * (1 - theta) / (m * n) * (1 + nu * (1 - theta) / (2 - theta) + nu * theta / (1 + theta))

    return score_low(area, z, spread), 1 - score_low(1 - area, z, spread)


def score_low(area: float, z: float, variance: Callable[[float], float]) -> float:
    """The θ below the area with (A − θ)² = z²·V(θ), by halving."""
    low, high = 0.0, min(area, 1 - 1e-15)
    for _ in range(HALVINGS if area > 0 else 0):
        theta = (low + high) / 2
        if (area - theta) ** 2 > z * z * variance(theta):
            low = theta
        else:
            high = theta
    return (low + high) / 2
