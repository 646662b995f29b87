"""Means of areas over many classes (Hand and Till, one-vs-rest) of two models on the same rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.labels import Codes
from trueerror.intervals.class_areas import area_shares
from trueerror.metrics.registry import Measure
from trueerror.results import Alternative, Contrast
from trueerror.significance.contrasts import contrast, student_p, student_quantile, tail_area
from trueerror.variances.delong import satterthwaite

Floats = NDArray[np.float64]


def class_area_rows(
    measure: Measure, codes: Codes, first: Floats, second: Floats, options: Mapping[str, Any]
) -> tuple[float, Floats]:
    """First − second, and what each row adds to it, less its expectation."""
    one, two = (float(measure.function(codes, s, **options)) for s in (first, second))
    rows = area_shares(measure, codes, first, options) - area_shares(measure, codes, second, options)
    # Identical models leave rounding dust, which must not pass for a variance.
    return one - two, np.where(np.abs(rows) > 1e-15, rows, 0.0)


def class_area_contrast(
    measure: Measure,
    codes: Codes,
    first: Floats,
    second: Floats,
    *,
    options: Mapping[str, Any] | None = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Contrast:
    """t = (A₁ − A₂)/√V with V = Σ over classes of n_c/(n_c − 1)·Σ d², d the difference of a row's shares in the areas.

    Degrees of freedom by Satterthwaite over the classes. Without variance p is 1 where the difference is 0, and the
    limits are ± the sum over classes of 1 − (α/2)^(1/n_c) over K, as for two areas.

    Source: DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837, over the areas' mean.

    >>> from trueerror.metrics.registry import find_measure
    >>> rng = np.random.default_rng(0)
    >>> codes = np.repeat([0, 1, 2], 30)
    >>> good, poor = (rng.random((90, 3)) + pull * np.eye(3)[codes] for pull in (1.0, 0.2))
    >>> c = class_area_contrast(find_measure("hand_till_auc"), codes, good, poor)
    >>> c.estimate > 0, c.p_value < 0.001
    (True, True)
    """
    estimate, rows = class_area_rows(measure, codes, first, second, options or {})
    sizes = np.bincount(codes, minlength=first.shape[1]).astype(float)
    squares = np.bincount(codes, weights=rows * rows, minlength=len(sizes))
    common: dict[str, Any] = {
        "name": measure.title, "estimate": estimate, "whole": (-1.0, 1.0), "confidence": confidence,
        "alternative": alternative, "method": "delong-classes-paired", "n": len(codes),
    }  # fmt: skip
    if (sizes[sizes > 0] < 2).any():
        note = "a class has a single row, so the variance cannot be estimated"
        return contrast(limits=(np.nan, np.nan), p_value=np.nan, statistic=np.nan, notes=(note,), **common)
    parts = [(s * n / (n - 1), n - 1) for s, n in zip(squares, sizes, strict=True) if n > 1]
    variance = sum(v for v, _ in parts)
    if not variance > 0:
        tail = tail_area(confidence, alternative)
        half = 2 * float(sum(1 - tail ** (1 / n) for n in sizes if n > 0)) / len(sizes)
        note = "no variance: the difference is the same for every row, so the limits come from the class sizes"
        p = 1.0 if estimate == 0 else np.nan
        return contrast(
            limits=(estimate - half, estimate + half), p_value=p, statistic=0.0, p_better=0.5, notes=(note,), **common
        )
    df, error = satterthwaite(*parts), float(np.sqrt(variance))
    t, statistic = student_quantile(confidence, alternative, df), estimate / error
    return contrast(
        limits=(estimate - t * error, estimate + t * error), statistic=statistic, df=df,
        p_value=student_p(statistic, df, alternative), p_better=1 - student_p(statistic, df, "greater"), **common,
    )  # fmt: skip
