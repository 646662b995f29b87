"""What a row costs on average: rare dear errors make the plain t-interval far too narrow, so shares carry the doubt."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.costs import cost_matrix
from trueerror.intervals.one_class import DUST, Rough, one_cluster, rough, t_factors
from trueerror.intervals.proportions import limits
from trueerror.intervals.sampling import Sample
from trueerror.intervals.scales import plain
from trueerror.intervals.terms import Terms
from trueerror.metrics.registry import Measure
from trueerror.variances.cell_gradients import cell_costs
from trueerror.variances.mover import mover, multinomial_correlations

Floats = NDArray[np.float64]
# With more prices than this the limits of all the shares that were never seen would add up to too much.
MANY_PRICES = 24
FEW = 5


def cost_limits(
    measure: Measure, sample: Sample, estimate: float, method: str, terms: Terms, options: dict[str, Any]
) -> Rough:
    """Limits of the mean cost of a row, or of a total, which is as many times that as there are rows."""
    scale = float(sample.rows.masses.sum()) if measure.additive else 1.0
    prices = _price_matrix(sample, options)
    by_shares = sample.kind == "random" and (sample.shares is None or sample.place is None)
    if method == "mover-cost" and by_shares and len(np.unique(prices)) <= MANY_PRICES:
        low, high = _by_shares(sample, prices, estimate / scale, terms)
        made = rough((np.array([low]), np.array([high])), "mover-cost")
    else:
        made = _by_variance(measure, sample, estimate, scale, prices, terms, options)
    return made._replace(low=made.low * scale, high=made.high * scale)


def cost_bounds(measure: Measure, sample: Sample, options: dict[str, Any]) -> tuple[float, float]:
    """The least and the most that the rows can cost."""
    prices = _price_matrix(sample, options)
    scale = float(sample.rows.masses.sum()) if measure.additive else 1.0
    return float(prices.min()) * scale, float(prices.max()) * scale


def hardly_seen(sample: Sample) -> bool:
    """Whether some kind of error was made fewer than five times: resamples show too little of what it may cost."""
    table, k = sample.table, len(sample.table.labels)
    wrong = table.row != table.col
    return sample.kind == "random" and sample.shares is None and (
        int((wrong & (table.counts > 0)).sum()) < k * (k - 1) or bool((table.counts[wrong] < FEW).any())
    )  # fmt: skip


def savings_by_shares(sample: Sample, terms: Terms, options: dict[str, Any]) -> tuple[float, float]:
    """1 − C/D with MOVER's limits of the mean cost C; D, the cheapest constant call's, hardly varies beside a rare C.

    NaN where there are too many prices for that.
    """
    prices = _price_matrix(sample, options)
    if prices.ndim == 1 or len(np.unique(prices)) > MANY_PRICES:
        return math.nan, math.nan
    table, k = sample.table, len(sample.table.labels)
    counts = table.counts.astype(np.float64)
    rows = np.bincount(table.row, weights=counts, minlength=k)
    constant = float((rows @ prices[:, :k]).min()) / float(counts.sum())
    low, high = _by_shares(sample, prices, float((counts * prices[table.row, table.col]).sum() / counts.sum()), terms)
    return 1 - max(high, float(prices.min())) / constant, 1 - max(low, float(prices.min())) / constant


def _price_matrix(sample: Sample, options: dict[str, Any]) -> Floats:
    """K × K prices, with a column more where rows without a prediction occur."""
    table, costs = sample.table, options.get("costs")
    k = len(table.labels)
    unanswered = bool((table.col >= k).any())
    if costs is None:
        return (np.arange(k + unanswered) != np.arange(k)[:, None]).astype(np.float64) if k <= 4096 else np.arange(2.0)
    return cost_matrix(costs, table.labels, table.positive)[:, : k + unanswered]


def _by_shares(sample: Sample, prices: Floats, mean: float, terms: Terms) -> tuple[float, float]:
    """MOVER over Wilson's limits of the share of rows at each price, within each class where a prior sets its share."""
    terms = terms.both_sides
    table = sample.table
    paid = cell_costs(table, None) if prices.ndim == 1 else prices[table.row, table.col]
    counts = table.counts.astype(np.float64)
    if sample.shares is None:
        strata = [(counts, paid, np.unique(prices), 1.0)]
    else:
        strata = [
            (
                counts[table.row == k],
                paid[table.row == k],
                np.unique(prices[k] if prices.ndim > 1 else prices),
                float(share),
            )
            for k, share in enumerate(sample.shares)
            if share > 0
        ]
    down = up = 0.0
    for rows, price, levels, weight in strata:
        n = float(rows.sum())
        at = np.bincount(np.searchsorted(levels, price), weights=rows, minlength=len(levels))
        # Prices are counted from the commonest one, whose share is what the others leave.
        base = int(at.argmax())
        others = np.arange(len(levels)) != base
        if not others.any():
            continue
        shares = at[others] / n
        low, high = limits(at[others], n, "wilson", terms.level, terms.side)
        extra = levels[others] - levels[base]
        ends = mover(shares, low, high, extra, multinomial_correlations(shares))
        centre = float((extra * shares).sum())
        down += (weight * (centre - ends[0])) ** 2
        up += (weight * (ends[1] - centre)) ** 2
    return mean - float(np.sqrt(down)), mean + float(np.sqrt(up))


def _by_variance(
    measure: Measure,
    sample: Sample,
    estimate: float,
    scale: float,
    prices: Floats,
    terms: Terms,
    options: dict[str, Any],
) -> Rough:
    """The t-interval of the mean cost; rows that all cost the same leave room for the share that would not."""
    n = sample.rows.n
    v = sample.variance(sample.influence(measure, options)) / scale**2
    if sample.kind == "random" and n > 1:
        v *= n / (n - 1)  # the unbiased variance of a row's cost
    centre = np.array([estimate / scale])
    groups = float(sample.groups)
    if v > DUST * max(1.0, float(np.abs(prices).max(initial=0.0)) ** 2):
        made = rough(plain(centre, np.array([v]), t_factors(terms, [groups - 1])), "t-mean")
    else:
        _, share = limits([0.0], [groups], "wilson", terms.level, "upper" if terms.side != "two-sided" else "two-sided")
        low, high = centre - share * (centre - prices.min()), centre + share * (prices.max() - centre)
        made = rough((low, high), "wilson-constant-loss", "all rows cost the same")
    return made if sample.clusters is None else one_cluster(made, np.array([groups]))
