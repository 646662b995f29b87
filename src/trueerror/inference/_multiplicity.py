"""Many p-values at once: adjusted so that the family, or the share of false discoveries, keeps its level."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import column
from trueerror.inputs._options import InputError, check_word
from trueerror.methods._registry import Method, declare
from trueerror.results import Contrast

Floats = NDArray[np.float64]
Adjustment = Literal["holm", "hochberg", "hommel", "bonferroni", "sidak", "holm-sidak", "bh", "by", "none"]
ADJUSTMENTS: tuple[str, ...] = get_args(Adjustment)


def adjust(p_values: Any, method: Adjustment = "holm") -> Floats:
    """Adjusted p-values: reject where one is at most the level. NaN stays NaN and does not count.

    With the m p-values sorted, Holm takes the running maximum of (m − i + 1)·p₍ᵢ₎, so its level changes from step to
    step; Hochberg the running minimum of the same from the largest down; Hommel closes Simes' test; "bh" the running
    minimum of m·p₍ᵢ₎/i (false discovery rate), "by" the same times Σ 1/i for any dependence.

    Source: Holm 1979, Scand. J. Stat. 6:65; Hochberg 1988 and Hommel 1988, Biometrika 75:800 and 75:383; Benjamini and
    Hochberg 1995, JRSS B 57:289; Benjamini and Yekutieli 2001, Ann. Stat. 29:1165.

    >>> adjust([0.01, 0.02, 0.03, 0.04]).tolist()
    [0.04, 0.06, 0.06, 0.06]
    """
    check_word(method, ADJUSTMENTS, "method")
    given = _probabilities(p_values)
    known = ~np.isnan(given)
    p = given[known]
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(_STEPS[method](p[order]), 1.0) if len(p) else p
    result = np.full(len(given), np.nan)
    result[known] = adjusted
    return result


def adjust_contrasts(contrasts: Sequence[Contrast], method: str, *, every: bool = False) -> list[Contrast]:
    """The same contrasts with their p-values adjusted for each other; a single one needs no adjusting.

    With `every`, a single one has an adjusted p-value too (its own), and one without a p-value counts as 1.
    """
    if method == "none" or not contrasts or (len(contrasts) < 2 and not every):
        return list(contrasts)
    given = [1.0 if every and math.isnan(c.p_value) else c.p_value for c in contrasts]
    values = adjust(given, method)  # type: ignore[arg-type]
    return [replace(c, p_adjusted=float(p)) for c, p in zip(contrasts, values, strict=True)]


def adjust_shaffer(p_values: Any, models: int) -> Floats:
    """Shaffer's static procedure for all pairs of `models`: Holm that knows which sets of pairs can be true together.

    Step i multiplies by the most hypotheses that can still be true when i − 1 are false: if a differs from b, then c
    cannot equal both.

    Source: Shaffer 1986, JASA 81:826; García and Herrera 2008, JMLR 9:2677.

    >>> adjust_shaffer([0.01, 0.02, 0.03], 3).tolist()
    [0.03, 0.03, 0.03]
    """
    p = _probabilities(p_values)
    pairs = models * (models - 1) // 2
    if len(p) != pairs:
        raise InputError(f"{models} models have {pairs} pairs, but there are {len(p)} p-values")
    if np.isnan(p).any():
        raise InputError(f"p-value {int(np.argmax(np.isnan(p))) + 1} is NaN; Shaffer's procedure needs every pair")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * shaffer_multipliers(models)), 1.0)
    return adjusted


def shaffer_multipliers(models: int) -> NDArray[np.int64]:
    """For each step the most pairs of equal models that are possible when the earlier pairs differ.

    >>> shaffer_multipliers(5).tolist()
    [10, 6, 6, 6, 6, 4, 4, 3, 2, 1]
    """
    pairs = models * (models - 1) // 2
    possible = np.array(sorted(true_pair_counts(models)))
    left = np.arange(pairs, 0, -1)
    return possible[np.searchsorted(possible, left, side="right") - 1]


@cache
def true_pair_counts(models: int) -> frozenset[int]:
    """How many of the pairs can be equal: S(k) = ∪ⱼ {j(j − 1)/2 + x : x ∈ S(k − j)}.

    Equal models form groups, and a group of j has j(j − 1)/2 equal pairs.

    >>> sorted(true_pair_counts(4))
    [0, 1, 2, 3, 6]
    """
    if models < 2:
        return frozenset({0})
    for size in range(2, models):
        true_pair_counts(size)  # from the bottom, so that the recursion stays shallow
    return frozenset(
        group * (group - 1) // 2 + rest for group in range(1, models + 1) for rest in true_pair_counts(models - group)
    )


def _probabilities(p_values: Any) -> Floats:
    array = column(p_values, "p_values") if not np.isscalar(p_values) else np.asarray([p_values])
    try:
        if array.dtype.kind == "c":
            raise TypeError("complex")
        p = array.astype(np.float64)
    except (TypeError, ValueError):
        raise InputError(f"p_values must be numbers, but they hold {array.flat[0]!r:.30}") from None
    wrong = (p < 0) | (p > 1)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise InputError(f"p_values has {p[i]:g} at place {i + 1}; a p-value lies between 0 and 1")
    return p


def _holm(p: Floats) -> Floats:
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


def _hochberg(p: Floats) -> Floats:
    return _step_up(p * np.arange(len(p), 0, -1))


def _hommel(p: Floats) -> Floats:
    """For every set size s, Simes' test of the largest that contains each hypothesis; O(m²)."""
    m = len(p)
    ranks = np.arange(1, m + 1)
    adjusted = np.full(m, np.min(m * p / ranks))
    for size in range(m - 1, 1, -1):
        upper = p[m - size + 1 :]
        simes = np.min(size * upper / np.arange(2, size + 1))
        bound = np.empty(m)
        bound[: m - size + 1] = np.minimum(size * p[: m - size + 1], simes)
        bound[m - size + 1 :] = bound[m - size]
        np.maximum(adjusted, bound, out=adjusted)
    return np.maximum(adjusted, p)


def _sidak(p: Floats) -> Floats:
    return _at_least_one(p, len(p))


def _holm_sidak(p: Floats) -> Floats:
    return np.maximum.accumulate(_at_least_one(p, np.arange(len(p), 0, -1)))


def _at_least_one(p: Floats, times: Any) -> Floats:
    """1 − (1 − p)^times without losing small p."""
    with np.errstate(divide="ignore"):
        out: Floats = -np.expm1(times * np.log1p(-p))
    return out


def _bh(p: Floats) -> Floats:
    return _step_up(p * (len(p) / np.arange(1, len(p) + 1)))


def _by(p: Floats) -> Floats:
    return _step_up(p * (len(p) / np.arange(1, len(p) + 1)) * (1 / np.arange(1, len(p) + 1)).sum())


def _step_up(p: Floats) -> Floats:
    return np.minimum.accumulate(p[::-1])[::-1]


_STEPS: dict[str, Callable[[Floats], Floats]] = {
    "holm": _holm,
    "hochberg": _hochberg,
    "hommel": _hommel,
    "bonferroni": lambda p: p * len(p),
    "sidak": _sidak,
    "holm-sidak": _holm_sidak,
    "bh": _bh,
    "by": _by,
    "none": lambda p: p,
}


declare(
    Method(
        key="holm",
        title="Holm's step-down adjustment",
        formula="running maximum of (m − i + 1)·p₍ᵢ₎",
        source="Holm 1979, Scand. J. Stat. 6:65",
        assumes="nothing about dependence",
    ),
    Method(
        key="hochberg",
        title="Hochberg's step-up adjustment",
        formula="running minimum, from the largest, of (m − i + 1)·p₍ᵢ₎",
        source="Hochberg 1988, Biometrika 75:800",
        assumes="independent or positively dependent p-values",
    ),
    Method(
        key="hommel",
        title="Hommel's adjustment",
        formula="closed testing with Simes' test",
        source="Hommel 1988, Biometrika 75:383; Wright 1992, Biometrics 48:1005",
        assumes="independent or positively dependent p-values",
    ),
    Method(
        key="bonferroni",
        title="Bonferroni's adjustment",
        formula="m·p",
        source="Dunn 1961, JASA 56:52",
        assumes="nothing about dependence",
        advice="Holm is never worse",
    ),
    Method(
        key="sidak",
        title="Šidák's adjustment",
        formula="1 − (1 − p)^m",
        source="Šidák 1967, JASA 62:626",
        assumes="independent p-values, or two-sided ones of jointly normal statistics",
    ),
    Method(
        key="holm-sidak",
        title="Holm's step-down adjustment with Šidák's levels",
        formula="running maximum of 1 − (1 − p₍ᵢ₎)^(m − i + 1)",
        source="Holm 1979, Scand. J. Stat. 6:65",
        assumes="independent p-values, or two-sided ones of jointly normal statistics",
    ),
    Method(
        key="bh",
        title="Benjamini and Hochberg's false discovery rate",
        formula="running minimum, from the largest, of m·p₍ᵢ₎/i",
        source="Benjamini and Hochberg 1995, JRSS B 57:289",
        assumes="independent or positively dependent p-values; controls the share of false discoveries, not any error",
    ),
    Method(
        key="by",
        title="Benjamini and Yekutieli's false discovery rate",
        formula="running minimum, from the largest, of m·(Σ 1/j)·p₍ᵢ₎/i",
        source="Benjamini and Yekutieli 2001, Ann. Stat. 29:1165",
        assumes="nothing about dependence; controls the share of false discoveries, not any error",
    ),
    part="omnibus",
)
