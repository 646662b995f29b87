"""Metrics and their textbook limits in NumPy alone, beside which the library's are judged: none of its code is used.

Every metric is, to first order, its value plus a sum of what each row adds (its influence over n); over clusters the
sums of their rows. Limits are Student's t on the straight line, or on the logit (log) of the metric.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from scipy import special

Range = tuple[float, float]
Z = 1.959963984540054


class Rows(NamedTuple):
    """Rows of a sample: classes (grades have none), what each model said of them, and how they were drawn."""

    y: np.ndarray
    said: tuple[np.ndarray, ...]
    keys: np.ndarray | None = None
    weights: np.ndarray | None = None

    @property
    def clusters(self) -> int:
        return len(self.y) if self.keys is None else int(self.keys[-1]) + 1


class Question(NamedTuple):
    """A metric with its options; `classes` where it is one of labels."""

    metric: str
    classes: int = 0
    costs: tuple[tuple[float, ...], ...] = ()
    prior: float | None = None

    @property
    def range(self) -> Range:
        """Between which values it lies."""
        if self.metric in ("log_loss", "expected_cost"):
            return 0.0, math.inf
        return (-1.0, 1.0) if self.metric in ("mcc", "kappa") else (0.0, 1.0)


class Units(NamedTuple):
    """A metric's value and what each row adds to it; these sum to nothing."""

    value: float
    adds: np.ndarray


def auc(y: np.ndarray, scores: np.ndarray) -> Units:
    """The share of pairs in order, ties half, and the rows' placements (DeLong, DeLong and Clarke-Pearson 1988)."""
    up = y == 1
    positives, negatives = np.sort(scores[up]), np.sort(scores[~up])
    p, n = len(positives), len(negatives)

    def placed(x: np.ndarray, among: np.ndarray) -> np.ndarray:
        return (np.searchsorted(among, x, "left") + np.searchsorted(among, x, "right")) / (2 * len(among))

    adds = np.empty(len(y))
    above = placed(scores[up], negatives)
    area = float(above.mean())
    adds[up] = (above - area) / p
    adds[~up] = (1 - placed(scores[~up], positives) - area) / n
    return Units(area, adds)


def average_precision(y: np.ndarray, scores: np.ndarray) -> Units:
    """Σ precision · Δrecall over distinct scores, and its derivative in how many rows of each class have each score."""
    levels, place = np.unique(-scores, return_inverse=True)
    up = (y == 1).astype(float)
    own = np.bincount(place, up, len(levels))
    called, hits = np.cumsum(np.bincount(place, minlength=len(levels))), np.cumsum(own)
    total = hits[-1]
    precision = hits / called
    value = float((own * precision).sum() / total)

    def onward(x: np.ndarray) -> np.ndarray:
        return np.cumsum((x * own / total)[::-1])[::-1]

    hit = (precision - value) / total + onward((called - hits) / called**2)
    false = -onward(hits / called**2)
    adds = np.where(up > 0, hit[place], false[place])
    return Units(value, adds - adds.mean())


def _mean(x: np.ndarray, weights: np.ndarray | None = None) -> Units:
    w = np.ones(len(x)) if weights is None else weights
    share = w / w.sum()
    value = float((share * x).sum())
    return Units(value, share * (x - value))


LOSSES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "brier": lambda y, p: (p - y) ** 2,
    "log_loss": lambda y, p: -np.log(np.where(y == 1, p, 1 - p)),
}


def _chance_corrected(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    truth, called, n = t.sum(-1), t.sum(-2), t.sum((-1, -2))
    hits = np.diagonal(t, axis1=-2, axis2=-1).sum(-1)
    return hits * n - (truth * called).sum(-1), n * n, (truth * truth).sum(-1), (called * called).sum(-1)


def _mcc(t: np.ndarray) -> np.ndarray:
    together, n2, truth, called = _chance_corrected(t)
    return np.asarray(together / np.sqrt((n2 - truth) * (n2 - called)))


def _kappa(t: np.ndarray) -> np.ndarray:
    together, n2, _, _ = _chance_corrected(t)
    return np.asarray(together / (n2 - (t.sum(-1) * t.sum(-2)).sum(-1)))


def _hits(t: np.ndarray) -> np.ndarray:
    return np.asarray(np.diagonal(t, axis1=-2, axis2=-1))


def _f1(t: np.ndarray) -> np.ndarray:
    return np.asarray(2 * _hits(t) / (t.sum(-1) + t.sum(-2)))


# Of tables truth × called, in the last two axes; analytic, so that a complex step gives their derivatives.
TABLES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "accuracy": lambda t: _hits(t).sum(-1) / t.sum((-1, -2)),
    "balanced_accuracy": lambda t: (_hits(t) / t.sum(-1)).mean(-1),
    "recall": lambda t: t[..., 1, 1] / t[..., 1, :].sum(-1),
    "precision": lambda t: t[..., 1, 1] / t[..., :, 1].sum(-1),
    "f1": lambda t: _f1(t)[..., 1],
    "macro_f1": lambda t: _f1(t).mean(-1),
    "mcc": _mcc,
    "kappa": _kappa,
    "g_mean": lambda t: np.prod(_hits(t) / t.sum(-1), axis=-1) ** (1 / t.shape[-1]),
}


def table_of(q: Question, rows: Rows, which: int = 0) -> np.ndarray:
    """Truth × called, counted or weighed."""
    cells = rows.y * q.classes + rows.said[which]
    return np.bincount(cells, rows.weights, q.classes**2).reshape(q.classes, q.classes).astype(float)


def _formula(q: Question) -> Callable[[np.ndarray], np.ndarray]:
    plain = (lambda t: (t * np.array(q.costs)).sum((-1, -2)) / t.sum((-1, -2))) if q.costs else TABLES[q.metric]
    if q.prior is None:
        return plain
    share = np.array([[1 - q.prior], [q.prior]])
    return lambda t: plain(t / t.sum(-1, keepdims=True) * share)


def of_table(q: Question, table: np.ndarray) -> float:
    """A metric of labels; NaN where it is undefined."""
    with np.errstate(all="ignore"):
        return float(_formula(q)(table))


def _of_labels(q: Question, rows: Rows, which: int) -> Units:
    table, k = table_of(q, rows, which), q.classes
    step = 1e-30
    moved = table + 1j * step * np.eye(k * k).reshape(k * k, k, k)
    with np.errstate(all="ignore"):
        adds = np.nan_to_num(_formula(q)(moved).imag / step)[rows.y * k + rows.said[which]]
    adds = adds if rows.weights is None else adds * rows.weights
    return Units(of_table(q, table), adds - (0 if rows.weights is not None else adds.mean()))


def units(q: Question, rows: Rows, which: int = 0) -> Units:
    """A metric of one of the models, and what each row adds to it."""
    said = rows.said[which]
    if q.classes:
        return _of_labels(q, rows, which)
    if q.metric == "mean_score":
        return _mean(said)
    if q.metric in LOSSES:
        return _mean(LOSSES[q.metric](rows.y, said), rows.weights)
    if q.metric == "ece":
        return Units(calibration_error(rows.y, said), np.zeros(len(said)))
    return (auc if q.metric == "auc" else average_precision)(rows.y, said)


def calibration_error(y: np.ndarray, p: np.ndarray, bins: int = 10) -> float:
    """Σ |mean outcome − mean forecast| · share over bins of equal width."""
    place = np.minimum((p * bins).astype(int), bins - 1)
    return float(np.abs(np.bincount(place, y - p, bins)).sum() / len(y))


class Told(NamedTuple):
    """A value with its standard error and degrees of freedom."""

    value: float
    error: float
    df: float


def told(u: Units, rows: Rows) -> Told:
    """The standard error from rows or from the sums of clusters, with one less degree of freedom than there are."""
    adds = u.adds if rows.keys is None else np.bincount(rows.keys, u.adds, rows.clusters)
    g = len(adds)
    return Told(u.value, math.sqrt(g / (g - 1) * float(adds @ adds)), g - 1)


def t_limits(found: Told, ends: Range) -> Range:
    """Student's t on the straight line, within the range."""
    reach = -float(special.stdtrit(found.df, 0.025)) * found.error
    return max(found.value - reach, ends[0]), min(found.value + reach, ends[1])


def bent_limits(found: Told, ends: Range) -> Range:
    """Student's t on the logit of the value within its range, or on its logarithm where one end is infinite."""
    low, high = ends
    q = -float(special.stdtrit(found.df, 0.025)) * found.error
    if math.isinf(high):
        reach = math.exp(q / found.value) if found.value > 0 and q / found.value < 700 else math.inf
        return found.value / reach, found.value * reach
    p, w = (found.value - low) / (high - low), high - low
    if not 0 < p < 1:
        return found.value, found.value
    reach, centre = q / w / (p * (1 - p)), math.log(p / (1 - p))
    return low + w * float(special.expit(centre - reach)), low + w * float(special.expit(centre + reach))


def newcombe(found: Told, rows: Rows) -> Range:
    """Limits of an area where they lie z of Hanley and McNeil's standard errors from it, mean class size for both
    (Newcombe 2006, method 5)."""
    p = int(rows.y.sum())
    n = len(rows.y) - p
    half = (p + n) / 2 - 1

    def off(x: float) -> float:
        spread = x * (1 - x) / (p * n) * (1 + half * (1 - x) / (2 - x) + half * x / (1 + x))
        return (found.value - x) ** 2 - Z * Z * spread

    def solve(inside: float, outside: float) -> float:
        if off(outside) <= 0:
            return outside
        for _ in range(50):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if off(middle) <= 0 else (inside, middle)
        return inside

    return solve(found.value, 0.0), solve(found.value, 1.0)


def wilson(found: Told, rows: Rows) -> Range:
    """Wilson's limits of a share of all rows."""
    n, p = len(rows.y), found.value
    middle, reach = p + Z * Z / 2 / n, Z * math.sqrt(p * (1 - p) / n + Z * Z / 4 / n / n)
    return (middle - reach) / (1 + Z * Z / n), (middle + reach) / (1 + Z * Z / n)


def intervals(q: Question, rows: Rows) -> tuple[float, Mapping[str, Range]]:
    """A metric of one model with its textbook limits by name."""
    u = units(q, rows)
    if q.metric == "ece" or math.isnan(u.value):
        return u.value, {}
    found = told(u, rows)
    made = {"t": t_limits(found, q.range), "logit t": bent_limits(found, q.range)}
    plain = rows.keys is None and rows.weights is None
    if q.metric == "auc" and plain:
        made["Newcombe 5"] = newcombe(found, rows)
    elif q.metric == "accuracy" and plain and q.prior is None:
        made["Wilson"] = wilson(found, rows)
    return u.value, made


def paired_p(q: Question, rows: Rows) -> float:
    """The paired t of what each row (cluster) adds to both: DeLong's test, the t-test of losses, the delta method."""
    a, b = units(q, rows, 0), units(q, rows, 1)
    found = told(Units(a.value - b.value, a.adds - b.adds), rows)
    return _p(found)


def apart_p(q: Question, first: Rows, second: Rows) -> float:
    """Welch's t of two samples."""
    a, b = told(units(q, first), first), told(units(q, second), second)
    v, w = a.error**2, b.error**2
    if not v + w > 0:
        return 1.0
    return _p(Told(a.value - b.value, math.sqrt(v + w), (v + w) ** 2 / (v * v / a.df + w * w / b.df)))


def _p(found: Told) -> float:
    if not found.error > 1e-12:
        return 1.0
    return 2 * float(special.stdtr(found.df, -abs(found.value) / found.error))
