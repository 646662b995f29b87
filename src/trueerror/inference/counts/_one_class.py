"""Metrics of one class against the rest, for one class or for all of them at once.

What the intervals of one class are given: its counts, and what a variance is for the rows that it came from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._delta import binary_gradients
from trueerror.inference._sampling import (
    Sample,
    class_cluster_variances,
    class_clusters,
    class_weighted_variances,
    effective_size,
    occupied,
)
from trueerror.inference._spec import Terms, tail
from trueerror.inference.proportion._array_intervals import (
    as_jaccard,
    at_size,
    from_jaccard,
    limits,
    on_log,
    on_logit,
    plain,
)
from trueerror.inference.proportion._interval import BINOMIAL_METHODS
from trueerror.metrics._registry import Measure, find_measure
from trueerror.results._format import whole
from trueerror.tallies._agreement import KeyedConfusion
from trueerror.tallies._confusion import BinaryCounts, Confusion

Floats = NDArray[np.float64]
Words = NDArray[np.object_]
Parts = tuple[bool, bool, bool, bool]

ONE_CLUSTER = "all rows are in one cluster, so nothing shows how clusters differ"
JOINED = "a count is 0: the outer limits with those from counts with ½ added to each"
CORRECTED = "a count is 0: limits from counts with ½ added to each"
# Rounding leaves dust of about 1e−34 where a variance is 0; one error in a billion rows gives 1e−18.
DUST = 1e-27
# An estimate within this many standard errors of the end of (−1, 1) has its delta interval on Fisher's scale.
BEND = 1.96


class Rough(NamedTuple):
    """Limits before they are cut to range and side, with the method and the note of each."""

    low: Floats
    high: Floats
    method: Words
    note: Words

    def mended(self, where: Any, other: Rough) -> Rough:
        """The other's limits, methods and notes where asked."""
        return Rough(*(np.where(where, b, a) for a, b in zip(self, other, strict=True)))


def rough(pair: tuple[Floats, Floats], method: str, note: Any = "") -> Rough:
    """One method for all."""
    shape = pair[0].shape
    words: Words = np.full(shape, method, dtype=object)
    notes: Words = np.broadcast_to(np.asarray(note, dtype=object), shape)
    return Rough(pair[0], pair[1], words, notes)


@dataclass(frozen=True, slots=True, eq=False)
class ClassView:
    """The four counts of some classes as arrays, and what a variance is for them.

    `seen` is what formulas are given (weights or another class distribution in it), `rows` counts rows. `variance`
    takes a metric's slopes; `groups` and `spread_rows` say, for the rows in given of the four counts, how many clusters
    they are from and how many equal weights they are worth.
    """

    seen: BinaryCounts
    rows: BinaryCounts
    kind: str
    at_prior: bool
    variance: Callable[[BinaryCounts], Floats]
    groups: Callable[[Parts], Any]
    spread_rows: Callable[[Parts], Any]

    @property
    def plain(self) -> bool:
        """Rows at random, at their own class distribution."""
        return self.kind == "random" and not self.at_prior


def parts_of(trials: Callable[[BinaryCounts], Any]) -> Parts:
    """Which of TP, FP, FN, TN a function of the counts looks at.

    >>> parts_of(lambda t: t.tp + t.fn)
    (True, False, True, False)
    """
    units = (BinaryCounts(*(float(i == j) for j in range(4))) for i in range(4))
    a, b, c, d = (bool(trials(u) > 0) for u in units)
    return a, b, c, d


def class_limits(
    measure: Measure, situation: str, view: ClassView, method: str, terms: Terms, options: Mapping[str, Any]
) -> tuple[Floats, Rough, Floats]:
    """Estimates, rough limits and how many rows each speaks of."""
    estimate = np.asarray(measure.function(view.seen, **options), dtype=np.float64)
    slopes = None

    def variances() -> Floats:
        nonlocal slopes
        if slopes is None:
            slopes = binary_gradients(measure, view.seen, options)
        with np.errstate(invalid="ignore", over="ignore"):
            v = view.variance(slopes)
        return np.where(v > DUST, v, 0.0)

    total = np.asarray(view.rows.total, dtype=np.float64) + np.zeros_like(estimate)
    if situation == "proportion":
        assert measure.share is not None
        return _proportion(measure, view, estimate, variances, method, terms)
    if situation == "f1":
        play = view.rows.tp + view.rows.fp + view.rows.fn
        return estimate, _like_f1(measure, view, estimate, variances, play, method, terms), play
    if method == "mover-wilson" and view.plain:
        return estimate, _sum_of_two(measure, view, estimate, terms), total
    if situation == "ratio":
        return estimate, _ratio(measure, view, estimate, variances, method, terms, options), total
    made = spread_limits(estimate, variances(), view.kind, view.groups, total, method, terms, measure)
    if situation == "smooth-share" and method == "delta-logit" and view.plain:
        made = _unseen_error(measure, view, made, terms, options)
    return estimate, made, total


def _unseen_error(measure: Measure, view: ClassView, made: Rough, terms: Terms, options: Mapping[str, Any]) -> Rough:
    """Where a count that weighs is 0, the outer limits with those from counts with ½ added to each.

    An error that was not seen adds nothing to the variance, however heavy it is: with misses that weigh 20 and one
    expected among 100 rows the delta method covers .61, so joined .97 (simulated).
    """
    more = BinaryCounts(*(np.asarray(c) + 0.5 for c in view.seen))
    slopes = binary_gradients(measure, more, options)
    unseen = np.any([(np.asarray(c) == 0) & (s != 0) for c, s in zip(view.seen, slopes, strict=True)], axis=0)
    if not unseen.any():
        return made
    spread = sum(c * s * s for c, s in zip(more, slopes, strict=True))
    low, high = on_logit(np.asarray(measure.function(more, **options)), spread, terms.factor())
    outer = np.fmin(made.low, low), np.fmax(made.high, high)
    return made.mended(unseen, made._replace(low=outer[0], high=outer[1], note=_word(JOINED)))


def _proportion(
    measure: Measure, view: ClassView, p: Floats, variances: Callable[[], Floats], method: str, terms: Terms
) -> tuple[Floats, Rough, Floats]:
    assert measure.share is not None
    share = measure.share
    x, n = (np.asarray(v, dtype=np.float64) for v in share(view.seen))
    rows = np.asarray(share(view.rows)[1], dtype=np.float64)
    if view.plain:
        made = rough(limits(x, n, method, terms.level, terms.side), method)
        if method == "wald":
            flat = (x == 0) if terms.side == "upper" else (x == n) if terms.side == "lower" else (x == 0) | (x == n)
            made = made.mended(flat, made._replace(method=_word("wilson"), note=_word("wald has no width here")))
        return p, made, rows
    if view.kind == "random":
        made = rough(on_logit(p, variances(), terms.factor()), "delta-logit", gives_way(method, "delta-logit"))
        lost = np.isnan(made.low)
        return p, made.mended(lost, rough(at_size(p, rows, terms, terms.factor()), "wilson-effective")), rows
    parts = parts_of(lambda t: share(t)[1])
    return p, _at_effective_size(p, variances(), view, parts, rows, method, terms), rows


def _at_effective_size(
    p: Floats, v: Floats, view: ClassView, parts: Parts, rows: Any, method: str, terms: Terms
) -> Rough:
    """Wilson's limits at the number of independent rows that would show this variance."""
    if view.kind == "weighted":
        size = effective_size(p, v, rows, view.spread_rows(parts))
        way = gives_way(method, "wilson-weighted", "; ")
        note = _each(lambda s: f"{way}the weights leave about {whole(float(np.round(s)))} rows' worth", size)
        return rough(at_size(p, size, terms, terms.factor()), "wilson-weighted", note)
    groups = np.asarray(view.groups(parts), dtype=np.float64) + np.zeros_like(p)
    z = t_factors(terms, groups - 1)
    size = effective_size(p, v, rows, groups)
    way = gives_way(method, "wilson-clustered", "; ")
    note = _each(
        lambda g, s: f"{way}{whole(g)} clusters, worth about {whole(float(np.round(s)))} independent rows", groups, size
    )
    made = rough(at_size(p, size, terms, z), "wilson-clustered", note)
    if method == "cluster-t":
        straight = rough(plain(p, v, z), "cluster-t", note)
        made = straight.mended(np.isnan(straight.low), made)
    return one_cluster(made, groups)


def _like_f1(
    measure: Measure, view: ClassView, f: Floats, variances: Callable[[], Floats], play: Any, method: str, terms: Terms
) -> Rough:
    if method in ("delta", "delta-logit") and view.kind == "random":
        v = variances()
        straight = plain(f, v, terms.factor()) if method == "delta" else on_logit(f, v, terms.factor())
        again = _like_f1(measure, view, f, variances, play, "wilson-f1", terms)
        made = rough(straight, method)
        return made.mended(np.isnan(made.low), again)
    j = as_jaccard(f)
    parts: Parts = (True, True, True, False)
    if view.plain and measure.name == "f1":
        size, z = np.asarray(play, dtype=np.float64), np.asarray(terms.factor())
    else:
        v = variances() * (2 / (2 - f) ** 2) ** 2
        groups = np.asarray(view.groups(parts), dtype=np.float64) + np.zeros_like(f)
        z = t_factors(terms, groups - 1) if view.kind == "clustered" else np.asarray(terms.factor())
        without = {"random": play, "clustered": groups}.get(view.kind)
        size = effective_size(j, v, play, view.spread_rows(parts) if without is None else without)
    low, high = at_size(j, size, terms, z)
    made = rough((from_jaccard(low), from_jaccard(high)), "wilson-f1")
    if view.kind == "clustered":
        note = _each(lambda g: f"{whole(g)} clusters", groups)
        return one_cluster(made._replace(note=note), groups)
    return made


def _sum_of_two(measure: Measure, view: ClassView, estimate: Floats, terms: Terms) -> Rough:
    """MOVER over Wilson's limits of two proportions of different rows."""
    terms = terms.both_sides
    reach = []
    for name in measure.sum_of or ():
        part = find_measure(name)
        assert part.share is not None
        x, n = part.share(view.seen)
        low, high = limits(x, n, "wilson", terms.level, terms.side)
        p = np.asarray(part.function(view.seen))
        reach.append((p - low, high - p))
    down, up = (np.sqrt(reach[0][i] ** 2 + reach[1][i] ** 2) for i in (0, 1))
    return rough((estimate - down, estimate + up), "mover-wilson")


def _ratio(
    measure: Measure,
    view: ClassView,
    estimate: Floats,
    variances: Callable[[], Floats],
    method: str,
    terms: Terms,
    options: Mapping[str, Any],
) -> Rough:
    v = variances()
    if view.kind == "clustered":
        groups = np.asarray(view.groups((True, True, True, True)), dtype=np.float64) + np.zeros_like(estimate)
        z: Any = t_factors(terms, groups - 1)
    else:
        z = terms.factor()
    pair = plain(estimate, v, z) if method == "delta" else on_log(estimate, v, z)
    made = rough(pair, "delta" if method == "delta" else "delta-log")
    if view.kind == "clustered":
        made = one_cluster(made, groups)
    lost = np.isnan(made.low) & ~np.isnan(estimate)
    if not lost.any():
        return made
    if not view.plain:
        return made.mended(
            lost & (made.note == ""), made._replace(note=_word("a count is 0, so no limits can be told"))
        )
    more = BinaryCounts(*(np.asarray(c) + 0.5 for c in view.seen))
    centre = np.asarray(measure.function(more, **options))
    slopes = binary_gradients(measure, more, options)
    spread = sum(c * s * s for c, s in zip(more, slopes, strict=True))
    low, high = on_log(centre, spread, terms.factor())
    # An infinite estimate has no finite upper limit.
    high = np.where(np.isinf(estimate), np.inf, high)
    return made.mended(lost, rough((low, high), "haldane-log", CORRECTED))


def spread_limits(
    estimate: Floats, v: Floats, kind: str, groups_of: Any, total: Any, method: str, terms: Terms, measure: Measure
) -> Rough:
    """Limits from a variance alone, on the scale that suits the metric's range; Wilson's where there is no variance."""
    bounds = measure.range
    z: Any = terms.factor()
    groups = None
    without = total
    if kind == "clustered":
        groups = np.asarray(groups_of((True, True, True, True)), dtype=np.float64) + np.zeros_like(estimate)
        z = t_factors(terms, groups - 1)
        without = groups
    if not np.isfinite(bounds).all():
        made = rough(plain(estimate, v, z) if method == "delta" else on_log(estimate, v, z), method)
    elif method in ("delta", "takahashi"):
        made = rough(plain(estimate, v, z), method)
        # Near an end of the range the interval is bent to stay within; where that is does not depend on the confidence,
        # so that more confidence is always wider.
        reach = BEND * np.sqrt(v)
        past = (estimate - reach < bounds[0]) | (estimate + reach > bounds[1])
        if bounds == (-1.0, 1.0) and past.any():
            bent = rough(
                on_logit(estimate, v, z, bounds), "fisher-z", "too near the end of the range for a straight interval"
            )
            made = made.mended(past & ~np.isnan(bent.low), bent)
    else:
        key = "fisher-z" if bounds == (-1.0, 1.0) else "delta-logit"
        made = rough(on_logit(estimate, v, z, bounds), key)
    lost = np.isnan(made.low) & ~np.isnan(estimate)
    if lost.any() and np.isfinite(bounds).all():
        note = "no variance to be seen in the counts: Wilson's limit at the number of " + (
            "clusters" if kind == "clustered" else "rows"
        )
        made = made.mended(lost, rough(at_size(estimate, without, terms, z, bounds), "wilson-effective", note))
    elif lost.any():
        made = made.mended(lost, made._replace(note=_word("no variance to be seen in the counts")))
    if groups is not None:
        made = one_cluster(made, groups)
        named = _each(lambda g: f"{whole(g)} clusters", groups)
        made = made._replace(note=np.where(made.note == "", named, made.note))
    return made


def gives_way(method: str, used: str, end: str = "") -> str:
    """A note where a method for plain rows was asked for by name and cannot be used."""
    plain_rows = method in BINOMIAL_METHODS and method != "wilson"
    return f"{method} is for plain rows: {used} instead{end}" if plain_rows else ""


def one_cluster(made: Rough, groups: Any) -> Rough:
    """With a single cluster there is nothing to tell from."""
    alone = np.asarray(groups) < 2
    if not alone.any():
        return made
    nothing = np.full(made.low.shape, np.nan)
    return made.mended(alone, Rough(nothing, nothing, made.method, _word(ONE_CLUSTER)))


def t_factors(terms: Terms, df: Any) -> Floats:
    """Student's t for each number of degrees of freedom; 1 stands in where there is none."""
    from scipy import special

    safe = np.maximum(np.asarray(df, dtype=np.float64), 1.0)
    return np.asarray(-special.stdtrit(safe, tail(terms.level, terms.side)), dtype=np.float64)


def _word(text: str) -> Any:
    return np.asarray(text, dtype=object)


def _each(make: Callable[..., str], *arrays: Any) -> Words:
    """A sentence for each element."""
    flat = [np.asarray(a, dtype=np.float64).reshape(-1) for a in np.broadcast_arrays(*arrays)]
    words = np.empty(len(flat[0]), dtype=object)
    words[:] = [make(*map(float, values)) for values in zip(*flat, strict=True)]
    return words.reshape(np.broadcast_arrays(*arrays)[0].shape)


def every_class(table: Confusion, clusters: KeyedConfusion | None = None) -> ClassView:
    """All classes of a table at once, at its own class distribution."""
    if clusters is not None:
        Sample.check_clusters(table, clusters)
        table = clusters.table
    rows = table.classes(weighted=False).one_vs_rest()
    seen = rows
    if table.weight_sums is not None:
        # Weights that cancel leave rounding dust where there is no row.
        seen = BinaryCounts(
            *(np.where(n > 0, w, 0.0) for n, w in zip(rows, table.classes().one_vs_rest(), strict=True))
        )

    def random_variance(slopes: BinaryCounts) -> Any:
        return sum(c * s * s for c, s in zip(seen, slopes, strict=True))

    if clusters is not None:
        return ClassView(
            seen, rows, "clustered", False, lambda s: class_cluster_variances(clusters, s),
            lambda parts: class_clusters(clusters, parts), lambda _: rows.total,
        )  # fmt: skip
    if table.weight_sums is not None:
        return ClassView(
            seen, rows, "weighted", False, lambda s: class_weighted_variances(table, s), lambda _: rows.total,
            lambda parts: _kish_by_class(table, parts),
        )  # fmt: skip
    return ClassView(seen, rows, "random", False, random_variance, lambda _: rows.total, lambda _: rows.total)


def one_class(measure: Measure, sample: Sample, options: dict[str, Any]) -> ClassView:
    """One class of a sample, as arrays of one element."""
    table, positive = sample.table, sample.positive
    seen = _wide(table.binary(positive, sample.masses()))
    rows = _wide(table.binary(positive, table.counts.astype(np.float64)))

    def variance(slopes: BinaryCounts) -> Any:
        if sample.plain:
            return sum(c * s * s for c, s in zip(seen, slopes, strict=True))
        return np.array([sample.variance(sample.influence(measure, options))])

    def chosen(parts: Parts) -> Any:
        """Which cells of the rows fall into the given of the four counts."""
        index = table.labels.index(table.positive if positive is None else positive)
        is_true, is_called = table.row == index, table.col == index
        four = (is_true & is_called, ~is_true & is_called, is_true & ~is_called, ~is_true & ~is_called)
        mask = np.zeros(len(table.row), dtype=bool)
        for wanted, part in zip(parts, four, strict=True):
            if wanted:
                mask |= part
        return mask if sample.place is None else mask[sample.place]

    def groups(parts: Parts) -> Any:
        return occupied(sample.clusters, chosen(parts)) if sample.clusters is not None else sample.rows.n

    def spread_rows(parts: Parts) -> Any:
        mask = chosen(parts)
        if sample.rows.weight_squares is None:
            return float(sample.rows.counts[mask].sum())
        squares = float(sample.rows.weight_squares[mask].sum())
        return float(sample.rows.masses[mask].sum()) ** 2 / squares if squares > 0 else 0.0

    return ClassView(seen, rows, sample.kind, sample.shares is not None, variance, groups, spread_rows)


def _wide(counts: BinaryCounts) -> BinaryCounts:
    return BinaryCounts(*(np.array([c], dtype=np.float64) for c in counts))


def _kish_by_class(table: Confusion, parts: Parts) -> Any:
    """(Σw)²/Σw² of each class's rows among the given of its four counts."""
    k = len(table.labels)
    assert table.weight_squares is not None
    hit = table.row == table.col
    called = ~hit & (table.col < k)
    sums = []
    for weights in (table.masses, table.weight_squares):
        tp = np.bincount(table.row[hit], weights=weights[hit], minlength=k)
        fp = np.bincount(table.col[called], weights=weights[called], minlength=k)
        fn = np.bincount(table.row[~hit], weights=weights[~hit], minlength=k)
        four = (tp, fp, fn, float(weights.sum()) - tp - fp - fn)
        sums.append(sum((part for wanted, part in zip(parts, four, strict=True) if wanted), np.zeros(k)))
    return np.where(sums[1] > 0, sums[0] ** 2 / np.where(sums[1] > 0, sums[1], 1.0), 0.0)
