"""Metrics of all classes together: accuracy, averages over classes, MCC, kappa, costs.

The mean of a metric over many classes, by "wilson-of-classes".

MOVER gives a mean of K parts the skew of one part, whereas the skew of a mean falls with √K; and the square root of a
sum of Wilson's squared reaches is too short where each class has few rows. Both grow with K: balanced accuracy of 100
classes of 10 rows, each found at .95, is covered .84 by MOVER. From four classes on that carry the uncertainty the
mean is taken for what it is then: nearly a proportion, of as many rows as its variance tells. Where the parts are
curved (F1, logarithms) the mean of their estimates is too low by about ½·f''·variance, which does not average out
over classes; limits are moved up by it.

Metrics that stand or fall with a class of which a few rows only were found, or a few only confused.

The delta method sees only what occurred. Of 100 rows with one positive that was missed and two false alarms it makes
kappa −.014 with limits −.032 and .005, whatever other positives would show. With two rows added, spread evenly over all
K² cells (½ each for two classes: Haldane 1956 for the odds ratio, Jeffreys' prior), every cell has a variance; but that
table is drawn towards chance, so its upper limit falls short for a model that is nearly perfect. The outer limits of
both tables are taken where a count is small.

What a row costs on average: rare dear errors make the plain t-interval far too narrow, so shares carry the doubt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._delta import (
    Cross,
    binary_gradients,
    cell_costs,
    class_correlations,
    influence,
    mover,
    multinomial_correlations,
    variance,
)
from trueerror.inference._sampling import Sample, effective_size
from trueerror.inference._spec import Terms
from trueerror.inference.counts._one_class import (
    DUST,
    ClassView,
    Rough,
    class_limits,
    gives_way,
    one_cluster,
    rough,
    spread_limits,
    t_factors,
)
from trueerror.inference.proportion._array_intervals import (
    Pair,
    as_jaccard,
    at_size,
    from_jaccard,
    limits,
    on_log,
    on_logit,
    plain,
)
from trueerror.inputs._labels import cost_matrix
from trueerror.metrics._registry import Measure, classes_in_play, find_measure
from trueerror.results._format import whole
from trueerror.tallies._confusion import BinaryCounts, Confusion

Floats = NDArray[np.float64]
# From this many parts on, counted by how evenly they share the variance, a mean has lost most of its parts' skew.
MANY_PARTS = 3.5
# With fewer than five errors a class MOVER's limits are too short already for three classes of like sizes.
THREE_PARTS = 2.5
FEW_ERRORS = 5
# Each class borrows this many rows from all classes together, and those as many right and wrong ones (Agresti and
# Coull's 2 and 2): a class of one row then has a variance too. Both are the same for every confidence, so that more
# confidence is always wider.
BORROWED = 2.0
ADDED = 2.0


def parts_that_count(weights: Floats, rows: Floats) -> float:
    """(Σa)²/Σa² with a = w²/n: the number of equal parts that would share the variance as evenly.

    >>> round(parts_that_count(np.full(5, 0.2), np.full(5, 30.0)), 6)
    5.0
    >>> round(parts_that_count(np.full(3, 1 / 3), np.array([500.0, 50.0, 5.0])), 1)
    1.2
    """
    known = rows > 0
    a = weights[known] ** 2 / rows[known]
    square = float((a * a).sum())
    return float(a.sum()) ** 2 / square if square > 0 else 0.0


def few_errors(successes: Floats, rows: Floats) -> bool:
    """Whether there are fewer than five errors a class (or, of classes hardly ever found, successes), on average.

    >>> few_errors(np.array([16.0, 17.0, 15.0]), np.array([17.0, 17.0, 16.0]))
    True
    >>> few_errors(np.array([45.0, 15.0, 20.0]), np.array([50.0, 30.0, 40.0]))
    False
    """
    right = float(successes.sum())
    return min(right, float(rows.sum()) - right) < FEW_ERRORS * len(rows)


def shrunk(successes: Floats, rows: Floats) -> Floats:
    """Each class's share, with two rows at the rate of all classes added to it; classes without rows have that rate.

    >>> shrunk(np.array([8.0, 4.0]), np.array([8.0, 8.0]))
    array([0.94, 0.54])
    """
    overall = (float(successes.sum()) + ADDED) / (float(rows.sum()) + 2 * ADDED)
    return np.asarray((successes + BORROWED * overall) / (rows + BORROWED), dtype=np.float64)


def mean_of_shares(
    estimate: float, successes: Floats, rows: Floats, weights: Floats, terms: Terms, cross: Cross | None = None
) -> tuple[Floats, Floats]:
    """Wilson's limits of Σ w·p at t(1 − t)/V rows, V = ΣΣ w_i·w_j·ρ_ij·s_i·s_j, s² = p̃(1 − p̃)/n, t = Σ w·p̃.

    >>> low, high = mean_of_shares(0.9, np.full(10, 45.0), np.full(10, 50.0), np.full(10, 0.1), Terms())
    >>> [round(float(v[0]), 4) for v in (low, high)]     # equal classes: Wilson's of 450 of 500
    [0.8706, 0.9233]
    """
    share = shrunk(successes, rows)
    return _limits(estimate, share, share * (1 - share) / np.maximum(rows, 1.0), weights, terms, cross)


def mean_of_f1s(
    estimate: float, values: Floats, rows: Floats, weights: Floats, terms: Terms, cross: Cross | None = None
) -> tuple[Floats, Floats]:
    """The same for F1 through the Jaccard index of each class: J̃ is shrunk, F = 2J/(1 + J), s = s_J·2/(1 + J̃)².

    Among the rows in play the hits are binomial, so J is unbiased and F is too low by 2·s_J²/(1 + J)³.
    """
    jaccard = shrunk(as_jaccard(values) * rows, rows)
    spread = jaccard * (1 - jaccard) / np.maximum(rows, 1.0)
    short = float((weights * 2 * spread / (1 + jaccard) ** 3).sum())
    slope = 2 / (1 + jaccard) ** 2
    return _limits(estimate + short, from_jaccard(jaccard), spread * slope**2, weights, terms, cross)


def geometric_mean_of_shares(successes: Floats, rows: Floats, terms: Terms) -> tuple[Floats, Floats]:
    """exp(mean log p + mean b ± z·√(Σ 2b)/K), b = (1 − p̃)/(2·n·p̃): the variance of log p is 2b, its bias −b.

    A class that was never found has no logarithm; p̃ stands in for its share.

    >>> low, high = geometric_mean_of_shares(np.full(10, 45.0), np.full(10, 50.0), Terms())
    >>> [round(float(v[0]), 3) for v in (low, high)]
    [0.875, 0.928]
    """
    share = shrunk(successes, rows)
    short = (1 - share) / (2 * rows * share)
    middle = np.log(np.where(successes > 0, successes, share * rows) / rows) + np.where(successes > 0, short, 0.0)
    centre, reach = float(middle.mean()), terms.factor() * float(np.sqrt(2 * short.sum())) / len(rows)
    return np.exp(np.array([centre - reach])), np.exp(np.minimum(np.array([centre + reach]), 0.0))


def _limits(
    estimate: float, values: Floats, variances: Floats, weights: Floats, terms: Terms, cross: Cross | None
) -> tuple[Floats, Floats]:
    reach = np.where(weights > 0, weights * np.sqrt(variances), 0.0)
    alone = float((reach * reach).sum())
    joint = alone if cross is None else alone + cross(reach)
    # Parts that cancel each other leave rounding dust or less: then they count as independent.
    variance = joint if joint > 1e-9 * alone else alone
    middle = float((weights * values).sum()) / float(weights.sum())
    size = float(weights.sum()) ** 2 * middle * (1 - middle) / variance
    return at_size(np.array([estimate]), np.array([size]), terms, terms.factor())


# With this many rows of each class found the delta method holds (validation/RESULTS.md).
FEW = 5
ADDED_ROWS = 2.0
# Of more classes than this one decides little, and the full table grows with their square.
MOST_CLASSES = 30
SMOOTH_AVERAGES = ("correlation", "smooth-share", "ratio")
NOTE = (
    "few rows of a class were found or confused: the outer limits with those from two rows more, spread over all cells"
)


def has_small_counts(measure: Measure, sample: Sample) -> bool:
    """Whether the delta method may have seen too little.

    Kappa and MCC of two classes: one was found fewer than five times, or one of the two kinds of error never seen.
    Smooth averages over classes (informedness, likelihood ratios, weighted shares): a class has fewer than five hits,
    misses or false alarms.

    >>> from trueerror.metrics._registry import find_measure
    >>> kappa = find_measure("kappa")
    >>> tables = [[97, 2], [1, 0]], [[81, 9], [0, 10]], [[80, 10], [8, 30]]
    >>> [has_small_counts(kappa, Sample.of(kappa, Confusion(t))) for t in tables]
    [True, True, False]
    """
    table, k = sample.table, len(sample.table.labels)
    if not sample.plain or not 2 <= k <= MOST_CLASSES or table.unpredicted.any():
        return False
    t = table.classes()
    errors = np.minimum(t.truth - t.hits, t.predicted - t.hits)
    if measure.chance_corrected:
        # Without any error Wilson's limit of the accuracy holds already.
        one_kind = int(errors.min()) == 0 and int(t.hits.sum()) < int(t.total)
        return k == 2 and (int(t.hits.min()) < FEW or one_kind)
    smooth = measure.of_all_classes and measure.situation in SMOOTH_AVERAGES
    return smooth and int(np.minimum(t.hits, errors).min()) < FEW


def joined(
    measure: Measure, sample: Sample, estimate: float, made: Rough, terms: Terms, options: Mapping[str, Any]
) -> Rough:
    """The outer limits of the rows as they are and with two more."""
    full, counts = with_rows_added(sample.table)
    centre = np.array([float(measure.of_table(full, counts, **options))])
    spread = np.array([float(variance(influence(measure, full, options=options, masses=counts), counts))])
    low, high = _on_scale(measure, centre, spread, terms)
    high = np.where(np.isinf(estimate), np.inf, high)
    outer = np.fmin(np.fmin(made.low, low), estimate), np.fmax(np.fmax(made.high, high), estimate)
    wider = (outer[0] < made.low) | (outer[1] > made.high) | np.isnan(made.low)
    words = "haldane-z" if measure.chance_corrected else made.method
    method, note = np.broadcast_to(np.asarray(words, dtype=object), (1,)), np.array([NOTE], dtype=object)
    return made.mended(wider, Rough(*outer, method, note))


def with_rows_added(table: Confusion) -> tuple[Confusion, NDArray[np.float64]]:
    """A table of all K² cells, and the counts with two rows spread over them."""
    k = len(table.labels)
    full = Confusion(np.ones((k, k), dtype=np.int64), labels=table.labels, positive=table.positive)
    return full, table.matrix.ravel().astype(np.float64) + ADDED_ROWS / (k * k)


def _on_scale(measure: Measure, centre: Any, spread: Any, terms: Terms) -> Pair:
    """The delta method's limits on the scale of the metric's range."""
    if not np.isfinite(measure.range).all():
        return on_log(centre, spread, terms.factor())
    return on_logit(centre, spread, terms.factor(), measure.range)


# With more prices than this the limits of all the shares that were never seen would add up to too much.
MANY_PRICES = 24


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


# At another class distribution these are Σ share·recall, or what is missing from 1.


def whole_limits(
    measure: Measure,
    situation: str,
    sample: Sample,
    estimate: float,
    method: str,
    terms: Terms,
    options: dict[str, Any],
) -> tuple[Rough, float]:
    """Rough limits (of one element) and how many rows they speak of."""
    if situation == "mean-cost":
        return cost_limits(measure, sample, estimate, method, terms, options), sample.rows.n
    if situation == "proportion" and method != "takahashi" and (sample.plain or sample.shares is not None):
        return _share(measure, sample, estimate, method, terms, options)
    if sample.plain and method.startswith("mover"):
        makers = {"mover-log": _geometric_mean, "mover-wilson": _mover, "mover-f1": _mover}
        made = makers[method](measure, sample, estimate, terms, options)
        return _other_class_unknown(measure, sample, made), sample.rows.n
    one = np.array([estimate])
    v = np.array([sample.variance(sample.influence(measure, options))])
    v = np.where(v > DUST, v, 0.0)
    if sample.kind != "random" and measure.range == (0.0, 1.0):
        return _effective(one, v, sample, method, terms), sample.rows.n
    made = spread_limits(
        one, v, sample.kind, lambda _: sample.groups, np.array([float(sample.rows.n)]), method, terms, measure
    )
    if made.method[0] == "wilson-effective" and measure.chance_corrected and sample.plain:
        made = _no_errors(made, sample, estimate, terms)
    return made, sample.rows.n


def _share(
    measure: Measure, sample: Sample, estimate: float, method: str, terms: Terms, options: dict[str, Any]
) -> tuple[Rough, float]:
    share = measure.share
    assert share is not None
    t = sample.table.classes(sample.masses())
    x, n = (float(v) for v in share(t))
    if sample.shares is None:
        low, high = limits([x], [n], method, terms.level, terms.side)
        made = rough((low, high), method)
        if method == "wald" and (
            x in (0, n) if terms.side == "two-sided" else x == (0 if terms.side == "upper" else n)
        ):
            made = rough((low, high), "wilson", "wald has no width here")
        return made, n
    by_recalls = measure.share_of_rows != 0
    if by_recalls and sample.kind == "random":
        made = _recalls_at_shares(measure, sample, terms)
        return made._replace(note=np.array([gives_way(method, "mover-wilson")], dtype=object)), sample.rows.n
    one = np.array([estimate])
    v = np.array([sample.variance(sample.influence(measure, options))])
    v = np.where(v > DUST, v, 0.0)
    if sample.kind != "random":
        return _effective(one, v, sample, method, terms), sample.rows.n
    groups = np.array([float(sample.rows.n)])
    return spread_limits(one, v, "random", lambda _: 0, groups, "delta-logit", terms, measure), sample.rows.n


def _recalls_at_shares(measure: Measure, sample: Sample, terms: Terms) -> Rough:
    """The classes' recalls, weighted by the shares that were asked for."""
    t = sample.table.classes(weighted=False)
    shares = sample.shares
    assert shares is not None
    there = (shares > 0) & (t.truth > 0)
    hits = t.hits[there] if measure.share_of_rows == 1 else (t.truth - t.hits)[there]
    rows, weights = t.truth[there].astype(np.float64), shares[there]
    if parts_that_count(weights, rows) >= MANY_PARTS:
        mean = float((weights * hits / rows).sum())
        return rough(mean_of_shares(mean, hits, rows, weights, terms), "wilson-of-classes")
    terms = terms.both_sides
    low, high = limits(hits, rows, "wilson", terms.level, terms.side)
    ends = mover(hits / rows, low, high, weights)
    return rough((np.array([ends[0]]), np.array([ends[1]])), "mover-wilson")


def _effective(one: Floats, v: Floats, sample: Sample, method: str, terms: Terms) -> Rough:
    """Wilson's limits at the number of independent rows that would show this variance."""
    n = float(sample.rows.n)
    if sample.kind == "weighted":
        assert sample.rows.weight_squares is not None
        kish = float(sample.rows.masses.sum()) ** 2 / float(sample.rows.weight_squares.sum())
        size = effective_size(one, v, n, kish)
        note = gives_way(method, "wilson-weighted", "; ")
        note += f"the weights leave about {whole(round(float(size[0])))} rows' worth"
        return rough(at_size(one, size, terms, terms.factor()), "wilson-weighted", note)
    groups = float(sample.groups)
    z = t_factors(terms, [groups - 1])
    size = effective_size(one, v, n, groups)
    note = gives_way(method, "wilson-clustered", "; ")
    note += f"{whole(groups)} clusters, worth about {whole(round(float(size[0])))} independent rows"
    made = rough(at_size(one, size, terms, z), "wilson-clustered", note)
    if method == "cluster-t" and v[0] > 0:
        made = rough(plain(one, v, z), "cluster-t", note)
    return one_cluster(made, np.array([groups]))


def _mover(measure: Measure, sample: Sample, estimate: float, terms: Terms, options: dict[str, Any]) -> Rough:
    """The classes' own limits, combined with delta-method correlations; for many classes those of their mean."""
    table = sample.table
    t = table.classes()
    base = find_measure(measure.of) if measure.average else find_measure("recall")
    there = classes_in_play(t) if measure.average else t.truth > 0
    counts = t.one_vs_rest()
    slopes = BinaryCounts(*(np.where(there, s, 0.0) for s in binary_gradients(base, counts, options)))
    variances = np.maximum(sum(c * s * s for c, s in zip(counts, slopes, strict=True)), 0.0)
    variances = np.where(variances > DUST, variances, 0.0)
    like_f1 = base.situation == "f1"
    weights = np.where(there, 1.0 / max(int(there.sum()), 1), 0.0)
    # Recalls of different classes are of different rows: they are independent.
    cross = None if base.name in ("recall", "fnr") else class_correlations(table, slopes, variances)
    values = np.where(there, np.asarray(base.function(counts, **options), dtype=np.float64), 0.0)
    many = _many_classes(base, counts, weights, values, variances, cross)
    if many is not None:
        pair = many(estimate, terms.both_sides)
        low, high = (float(v[0]) for v in pair)
        # Limits stand off the estimate where the mean of small classes' F1s is known to be too low.
        moved = like_f1 and (low + high) / 2 - estimate > (high - low) / 4
        note = "the F1 of a class with few rows is too low on average: the limits are moved up by that" if moved else ""
        return rough(pair if terms.side == "two-sided" else many(estimate, terms), "wilson-of-classes", note)
    terms = terms.both_sides
    nothing = lambda _: np.zeros(len(there))  # noqa: E731
    view = ClassView(counts, counts, "random", False, lambda _: variances, nothing, nothing)
    situation, key = ("f1", "wilson-f1") if like_f1 else ("proportion", "wilson")
    _, made, _ = class_limits(base, situation, view, key, terms, options)
    low, high = mover(values, np.where(there, made.low, 0.0), np.where(there, made.high, 0.0), weights, cross)
    key = "mover-f1" if like_f1 else "mover-wilson"
    limits_of_mean = rough((np.array([low]), np.array([high])), key)
    also = _many_classes(base, counts, weights, values, variances, cross, THREE_PARTS)
    if also is None:
        return limits_of_mean
    other = also(estimate, terms)
    outer = rough(
        (np.fmin(limits_of_mean.low, other[0]), np.fmax(limits_of_mean.high, other[1])), key,
        "few errors or few hits a class: the outer limits with wilson-of-classes",
    )  # fmt: skip
    return limits_of_mean.mended((outer.low < limits_of_mean.low) | (outer.high > limits_of_mean.high), outer)


def _other_class_unknown(measure: Measure, sample: Sample, made: Rough) -> Rough:
    """With two classes both are asked about: one that no row shows may be found always or never.

    The estimate is the other class's value, as everywhere; of many classes those without rows leave the average.
    """
    t = sample.table.classes()
    by_recall = measure.of in ("recall", "fnr") if measure.average else True
    unseen = t.truth == 0 if by_recall else ~classes_in_play(t)
    if len(sample.table.labels) != 2 or unseen.sum() != 1:
        return made
    if measure.situation == "geometric-mean":
        low, high = np.zeros_like(made.low), np.sqrt(made.high)
    else:
        low, high = made.low / 2, (1 + made.high) / 2
    label = sample.table.labels[int(np.flatnonzero(unseen)[0])]
    note = f"no rows of class {label!r}: its part may be anything from 0 to 1"
    return made._replace(low=low, high=high, note=np.array([note], dtype=object))


def _many_classes(
    base: Measure, counts: BinaryCounts, weights: Floats, values: Floats, variances: Floats, cross: Cross | None,
    enough: float = MANY_PARTS,
) -> Callable[[float, Terms], tuple[Floats, Floats]] | None:  # fmt: skip
    """How to make the limits of a mean over classes none of which dominates; None where a few classes decide.

    Three classes are enough where few errors were seen.
    """
    there = weights > 0

    def many(hits: Floats, rows: Floats) -> bool:
        return parts_that_count(weights, rows) >= enough and (
            enough >= MANY_PARTS or few_errors(hits[there], rows[there])
        )

    if base.share is not None:
        x, n = (np.where(there, np.asarray(v, dtype=np.float64), 0.0) for v in base.share(counts))
        if not many(x, n):
            return None
        return lambda estimate, terms: mean_of_shares(estimate, x, n, weights, terms, cross)
    play = np.asarray(counts.tp + counts.fp + counts.fn, dtype=np.float64)
    v = variances * (2 / (2 - values) ** 2) ** 2
    rows = np.where(there, effective_size(as_jaccard(values), v, play, play), 0.0)
    if not many(np.asarray(counts.tp, dtype=np.float64), np.where(there, play, 0.0)):
        return None
    return lambda estimate, terms: mean_of_f1s(estimate, values, rows, weights, terms, cross)


def _geometric_mean(measure: Measure, sample: Sample, estimate: float, terms: Terms, options: dict[str, Any]) -> Rough:
    """MOVER over the logarithms of the recalls' Wilson limits; for many classes the limits of their mean.

    A class that was never found makes the mean 0; its upper limit then takes the place of its recall.
    """
    t = sample.table.classes()
    there = t.truth > 0
    hits, n = t.hits[there].astype(np.float64), t.truth[there].astype(np.float64)
    if parts_that_count(np.full(len(n), 1.0 / len(n)), n) >= MANY_PARTS:
        low, high = geometric_mean_of_shares(hits, n, terms)
        lost = not (hits > 0).all()
        note = "a class was never found: its share with two rows borrowed from all classes stands in" if lost else ""
        return rough((np.zeros(1) if lost else low, high), "wilson-of-classes", note)
    terms = terms.both_sides
    low, high = limits(hits, n, "wilson", terms.level, terms.side)
    found = hits > 0
    values = np.log(np.where(found, hits / n, high))
    ends = mover(values, np.log(np.where(found, low, high)), np.log(high), 1.0 / len(n))
    bottom = math.exp(ends[0]) if found.all() else 0.0
    note = "" if found.all() else "a class was never found: its upper limit stands in for it"
    return rough((np.array([bottom]), np.array([math.exp(ends[1])])), "mover-log", note)


def _no_errors(made: Rough, sample: Sample, estimate: float, terms: Terms) -> Rough:
    """MCC or kappa of a table without errors (or without hits): 1 − ε/(1 − Σ share²), ε Wilson's limit of the errors.

    The chance agreement Σ share² is what the margins give; with no errors both metrics fall by this much for each
    error at first.
    """
    t = sample.table.classes()
    n = float(t.total)
    right = float(t.hits.sum()) == n
    if not right and estimate > -1 + 1e-9:
        return made
    chance = float((t.truth * t.truth).sum()) / (n * n)
    both = terms.both_sides
    low, _ = limits([n], [n], "wilson", both.level, both.side)
    # A sample of all hits is mirrored by one of all misses.
    worst = np.maximum(1 - (1 - low) / (1 - chance), -1.0)
    note = f"{'no errors' if right else 'no hits'}: from Wilson's limit of the accuracy"
    one = np.ones(1)
    return rough((worst, one) if right else (-one, -worst), "wilson-agreement", note)
