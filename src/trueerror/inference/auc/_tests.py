"""Two areas under ROC curves: DeLong's test on the same rows, or on different ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._contrast import check_test_options, t_contrast
from trueerror.inference._effective_t import effective_t_contrast
from trueerror.inference._estimate import Sums, estimate_of_sums
from trueerror.inference._problem import IntervalSpec
from trueerror.inference.auc._interval import CentredPlacements, centred_placements, sums_of_areas
from trueerror.inputs._arrays import check_indexes, column, same_length, score_array
from trueerror.inputs._labels import code_column, find_label, natural_labels, natural_positive, need_positive
from trueerror.inputs._options import InputError, check_word
from trueerror.results import Alternative, Contrast
from trueerror.tallies._moments import Placements

Reference = Literal["t", "z"]
UnpairedDf = Literal["welch", "satterthwaite"]


def delong(
    truth: Any,
    first: Any,
    second: Any,
    *,
    positive: object = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    reference: Reference = "t",
) -> Contrast:
    """Do two score columns rank the same rows equally well? The difference of their areas under the ROC curve.

    t = (A₁ − A₂)/√V with DeLong's V = S10/m + S01/n of the differences of placements, on Satterthwaite's degrees of
    freedom; `reference="z"` takes the normal distribution, as most software does, and is too eager with few positives.
    Higher scores are more positive, and are never flipped. When the models order every pair alike V is 0: then p is 1,
    and the limits are those of as many rows that agree as the rarer class has.

    Source: DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837.

    >>> truth = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> print(delong(truth, [0.1, 0.2, 0.3, 0.6, 0.5, 0.7, 0.8, 0.9], [0.3, 0.1, 0.8, 0.4, 0.2, 0.6, 0.7, 0.9]))
    AUC: first − second = +0.250 [−0.281, 0.781], 95 % delong-paired-t, p = .277, n = 8
    """
    check_word(reference, ("t", "z"), "reference")
    check_indexes({"truth": truth, "first": first, "second": second})
    is_positive = _positives(truth, positive, "truth")
    columns = [_scores(first, "first"), _scores(second, "second")]
    same_length({"truth": is_positive, "first": columns[0], "second": columns[1]})
    spec = IntervalSpec(confidence=confidence, alternative=alternative)
    return area_contrast(centred_placements(is_positive, columns), 0, 1, spec, reference)


def area_contrast(
    found: CentredPlacements | Placements, first: int, second: int, spec: IntervalSpec, reference: Reference = "t"
) -> Contrast:
    """The contrast of two of several models whose rows were placed together."""
    sums = sums_of_areas(found, (first, second))
    difference = float(found.areas[first] - found.areas[second])
    return straight_contrast(difference, sums, spec, f"delong-paired-{reference}", reference=reference)


def delong_unpaired(
    truth1: Any,
    scores1: Any,
    truth2: Any,
    scores2: Any,
    *,
    positive: object = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    reference: Reference = "t",
    df: UnpairedDf = "welch",
) -> Contrast:
    """Two areas on different rows: t = (A₁ − A₂)/√(V₁ + V₂).

    `df="welch"`, as in R's pROC, counts rows: (V₁ + V₂)²/(V₁²/(N₁ − 1) + V₂²/(N₂ − 1)). `df="satterthwaite"` counts
    positives and negatives apart, which holds the level better when a class has few rows.

    Source: DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837; Robin et al. 2011, BMC Bioinformatics 12:77.

    >>> c = delong_unpaired([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1], [0.4, 0.3, 0.2, 0.9])
    >>> c.estimate, round(c.df, 3)
    (0.25, 5.4)
    """
    check_word(reference, ("t", "z"), "reference")
    check_word(df, ("welch", "satterthwaite"), "df")
    areas, samples = [], []
    for i, (truth, scores) in enumerate(((truth1, scores1), (truth2, scores2)), start=1):
        names = (f"truth{i}", f"scores{i}")
        check_indexes(dict(zip(names, (truth, scores), strict=True)))
        is_positive, values = _positives(truth, positive, names[0]), _scores(scores, names[1])
        same_length(dict(zip(names, (is_positive, values), strict=True)))
        placed = centred_placements(is_positive, [values])
        areas.append(float(placed.areas[0]))
        samples.append([Sums.of(side[0] / side.shape[1]) for side in (placed.positives, placed.negatives)])
    freedom = None
    if df == "welch":
        parts = [
            (float(estimate_of_sums(0.0, s, (-1.0, 1.0)).spread.error) ** 2, sum(x.rows for x in s)) for s in samples
        ]
        inverse = sum(v * v / (n - 1) for v, n in parts)
        freedom = sum(v for v, _ in parts) ** 2 / inverse if inverse > 0 else math.nan
    spec, every = IntervalSpec(confidence=confidence, alternative=alternative), [x for s in samples for x in s]
    return straight_contrast(
        areas[0] - areas[1], every, spec, f"delong-unpaired-{reference}", reference=reference, df=freedom
    )


def _positives(truth: Any, positive: object, name: str) -> NDArray[np.bool_]:
    coded = code_column(column(truth, name), name)
    labels = natural_labels(coded.values)
    chosen = natural_positive(labels) if positive is None else find_label(positive, labels)
    if chosen is None:
        raise need_positive(labels, "an area under the ROC curve")
    if (coded.codes < 0).any():
        raise InputError(f"{name} is missing at row {int(np.argmax(coded.codes < 0)) + 1:,}; leave those rows out")
    is_positive: NDArray[np.bool_] = (
        coded.codes == coded.values.index(chosen) if chosen in coded.values else np.zeros(len(coded.codes), dtype=bool)
    )
    if is_positive.all() or not is_positive.any():
        lacking = "negative" if len(is_positive) and is_positive.all() else "positive"
        raise InputError(f"{name} has no {lacking} rows ({chosen!r} is positive); an area needs both classes")
    return is_positive


def _scores(values: Any, name: str) -> NDArray[Any]:
    array = score_array(values, name)
    if array.ndim != 1:
        raise InputError(f"{name} has {array.shape[1]} columns; pass the scores of the positive class alone")
    return array


def straight_contrast(
    difference: float, samples: Sequence[Sums], spec: IntervalSpec, method: str, *, reference: Reference = "t",
    df: float | None = None,
) -> Contrast:  # fmt: skip
    """d ± t·√V of a difference of areas, each class a sample of its own; df is Satterthwaite's or the one given.

    Without spread, what the effective t says.
    """
    check_test_options(spec.confidence, spec.alternative)
    e = estimate_of_sums(difference, [Sums(x.rows, x.squares) for x in samples], (-1.0, 1.0))
    n, error = sum(x.rows for x in samples), float(e.spread.error)
    if not error > 0:
        return replace(effective_t_contrast(e, spec, n=n, higher_is_better=True), name="AUC", method=method)
    free = math.inf if reference == "z" else float(e.spread.df) if df is None else df
    made = t_contrast(difference, error, free, spec, method=method, n=n, whole=(-1.0, 1.0))
    return replace(made, name="AUC", df=None if math.isinf(free) else free)
