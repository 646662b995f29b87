"""What a learning curve does between its sizes: rises that speak against it, a flat end, where two cross."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from trueerror.inference._many import adjust
from trueerror.inference.loss._t_tests import corrected_factor, corrected_t
from trueerror.inputs._arrays import Floats
from trueerror.results import Contrast

DRAWS = 4_000
# Only a crossing in this share of the draws is called one.
SURE = 0.95


class Crossed(NamedTuple):
    """Where the difference of two curves changes its sign between the smallest and the largest size."""

    size: float
    low: float
    high: float
    share: float


def worst_rise(sizes: Floats, losses: Floats, ratio: float, confidence: float) -> Contrast:
    """The clearest rise of the loss from one size to a larger one, over all pairs of sizes (Holm).

    Models of one split differ by their subsets only, so the differences are paired. A small p says that more rows made
    things worse: the curve is not one that can be carried on.
    """
    pairs = list(combinations(range(len(sizes)), 2))
    tests = [
        corrected_t(losses[:, j] - losses[:, i], test_train_ratio=ratio, confidence=confidence, alternative="greater")
        for i, j in pairs
    ]
    p_values = [1.0 if np.isnan(t.p_value) else t.p_value for t in tests]
    adjusted = adjust(p_values)
    worst = int(np.lexsort(([-t.estimate for t in tests], p_values))[0])
    i, j = pairs[worst]
    return replace(
        tests[worst], name="rise", first=f"{sizes[j]:,.0f} rows", second=f"{sizes[i]:,.0f} rows",
        p_value=p_values[worst], p_adjusted=float(adjusted[worst]),
        estimand="the expected loss at the larger size minus that at the smaller",
    )  # fmt: skip


def last_gain(sizes: Floats, losses: Floats, ratio: float, confidence: float) -> Contrast:
    """By how much the loss fell over the last step, with an upper limit."""
    gain = corrected_t(losses[:, -2] - losses[:, -1], test_train_ratio=ratio, confidence=confidence, alternative="less")
    return replace(
        gain, name="gain", first=f"{sizes[-2]:,.0f} rows", second=f"{sizes[-1]:,.0f} rows",
        estimand="the expected loss before the last step minus that after it",
    )  # fmt: skip


def curve_crossing(
    sizes: Floats, first: Floats, second: Floats, ratio: float, confidence: float, generator: np.random.Generator
) -> Crossed:
    """Where first − second changes its sign, on the scale of log n.

    Differences over J splits have the covariance S·(1/J + n_test/n_train) between sizes, as in the corrected t; mean
    curves are drawn from a multivariate t with J − 1 degrees of freedom around the one found.
    """
    d = first - second
    splits = len(d)
    scale = np.atleast_2d(np.cov(d, rowvar=False)) * corrected_factor(splits, ratio)
    values, vectors = np.linalg.eigh(scale)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    noise = generator.standard_normal((DRAWS, len(sizes))) @ root.T
    df = max(splits - 1, 1)
    noise /= np.sqrt(generator.chisquare(df, (DRAWS, 1)) / df)
    mean = d.mean(axis=0)
    places = _changes(np.log(sizes), mean + noise)
    crossings = places[~np.isnan(places)]
    at = float(_changes(np.log(sizes), mean[None, :])[0])
    if not len(crossings):
        return Crossed(float(np.exp(at)), np.nan, np.nan, 0.0)
    tail = (1 - confidence) / 2
    low, high = np.quantile(crossings, [tail, 1 - tail])
    if not np.isnan(at):
        low, high = min(low, at), max(high, at)
    return Crossed(float(np.exp(at)), float(np.exp(low)), float(np.exp(high)), len(crossings) / DRAWS)


def _changes(places: Floats, curves: Floats) -> Floats:
    """Where each curve last changes its sign; NaN where both ends have the same."""
    positive = curves > 0
    ends_differ = positive[:, 0] != positive[:, -1]
    changes = positive[:, 1:] != positive[:, :-1]
    last = changes.shape[1] - 1 - np.argmax(changes[:, ::-1], axis=1)
    rows = np.arange(len(curves))
    left, right = curves[rows, last], curves[rows, last + 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(left == right, 0.5, left / (left - right))
    crossings: Floats = np.where(ends_differ, places[last] + part * (places[last + 1] - places[last]), np.nan)
    return crossings
