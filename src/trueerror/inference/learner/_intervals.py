"""Intervals for a learner: over test folds, over rows that were each tested once, over bootstrap samples.

Pure functions of arrays: no learner is fitted here. Which one a plan calls for stands in the decision table
(`trueerror.methods.decisions()`); `te.experiment(…).estimate` takes it from there.

Source: Bates, Hastie and Tibshirani 2024, J. Am. Stat. Assoc. 119:1434 (arXiv 2104.00673), algorithm 1, for
cross-validation that measures its own variance; Efron and Tibshirani 1997, J. Am. Stat. Assoc. 92:548, for .632+.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from trueerror.inference._problem import IntervalSpec, Range
from trueerror.inference.bootstrap._limits import quantiles
from trueerror.inference.bootstrap._tables import drawn_counts
from trueerror.inference.loss._mean import mean_limits
from trueerror.inference.loss._t_tests import CorrectedSpread, corrected_spread
from trueerror.inputs._arrays import Floats, matrix, numbers
from trueerror.inputs._options import InputError, Rng, check_replicates, check_word, generator
from trueerror.results import Interval

REALS: Range = (-math.inf, math.inf)
TOO_NARROW = "the folds' training sets overlap: too narrow for the learner"
SINGLE_ROUND = "one round of folds: conservative"
ONE_OF = "mean of all rounds, limits as of one"


def fold_t(
    scores: Any = None,
    *,
    mean: float | None = None,
    sd: float | None = None,
    folds: int | None = None,
    bounds: Range = REALS,
    confidence: float = 0.95,
    rows: int | None = None,
) -> Interval:
    """The mean over k folds ± t(k − 1)·s/√k, as if the folds were independent; they are not, so it is too narrow.

    Give the scores of the folds, or their mean, standard deviation and number. `corrected_t_interval` takes in that
    the training sets overlap.

    Source: Mitchell 1997, Machine Learning, 5.6; Dietterich 1998, Neural Comput. 10:1895, on its optimism.

    >>> print(fold_t(mean=0.1, sd=0.01, folds=11))
    mean over folds 0.100 [0.093, 0.107], 95 % fold-t, n = 11 (the folds' training sets overlap: too narrow for the
    learner)
    """
    if scores is not None:
        if (mean, sd, folds) != (None, None, None):
            raise InputError("give the scores of the folds, or mean=, sd= and folds=, not both")
        spread = corrected_spread(numbers(scores, "scores"), 0.0)
    else:
        if mean is None or sd is None or folds is None:
            raise InputError("give the scores of the folds, or all of mean=, sd= and folds=")
        if not (math.isfinite(mean) and math.isfinite(sd) and sd >= 0 and folds == int(folds) and folds >= 1):
            raise InputError(f"mean={mean!r}, sd={sd!r} and folds={folds!r}: finite, sd not negative, folds from 1 up")
        spread = CorrectedSpread(float(mean), float(sd) / math.sqrt(folds), int(folds) - 1)
    n = spread.df + 1 if rows is None else rows
    return _around(
        "mean over folds", *spread, confidence, bounds=bounds, method="fold-t", n=n, note=TOO_NARROW, estimand=""
    )


def corrected_t_interval(
    scores: Any,
    *,
    test_train_ratio: float,
    repeats: int | None = None,
    round_of: Any = None,
    bounds: Range = REALS,
    confidence: float = 0.95,
    name: str = "mean over folds",
    rows: int | None = None,
    estimand: str = "this learner",
) -> Interval:
    """The mean over J resampled test folds ± t(J − 1)·√(s²(1/J + n_test/n_train)).

    Repeats × folds are read as one list; `test_train_ratio` is 1/9 for ten folds. On a single round of folds
    (`repeats=1`) it is conservative, and the note says so. `round_of` numbers the round of each part: the mean is then
    that of all rounds and the limits are those of one, t(K − 1)·√(s̄²(1/K + n_test/n_train)) with the mean s̄² of the
    rounds' variances. More rounds of the same rows steady the mean and tell nothing new of other rows, and the one list
    is too narrow for learners that a few rows change.

    Source: Nadeau and Bengio 2003, Machine Learning 52:239; Bouckaert and Frank 2004, PAKDD, 3.

    >>> folds = [0.81, 0.84, 0.79, 0.85, 0.83, 0.80, 0.86, 0.82, 0.78, 0.84]
    >>> print(corrected_t_interval(folds, test_train_ratio=1 / 9, repeats=1))
    mean over folds 0.822 [0.794, 0.850], 95 % corrected-t, n = 10 (one round of folds: conservative)
    """
    values = numbers(matrix(scores, "scores").reshape(-1), "scores")
    spread, note = corrected_spread(values, test_train_ratio), SINGLE_ROUND if repeats == 1 else ""
    each = [] if round_of is None else [values[np.asarray(round_of) == r] for r in np.unique(np.asarray(round_of))]
    k = min(map(len, each), default=0)
    if len(each) > 1 and k > 1:
        within = float(np.mean([part.var(ddof=1) for part in each]))
        spread, note = CorrectedSpread(spread.mean, math.sqrt(within * (1 / k + test_train_ratio)), k - 1), ONE_OF
    n = len(values) if rows is None else rows
    return _around(name, *spread, confidence, bounds=bounds, method="corrected-t", n=n, note=note, estimand=estimand)


def bayle(losses: Any, *, bounds: Range = REALS, confidence: float = 0.95) -> Interval:
    """The mean of the losses of n rows, each tested once in a cross-validation: ± z·√(mean (ℓ − ℓ̄)²/n).

    It speaks of the K models that the cross-validation made, not of the learner; it needs no spread between folds, so
    it serves leave-one-out. Where all losses are the same and have a range, Wilson's limits for the share of rows that
    would have another take over.

    Source: Bayle, Bayle, Janson and Mackey 2020, NeurIPS 33:16339.

    >>> print(bayle([1] * 10 + [0] * 90, bounds=(0, 1)))
    mean loss 0.100 [0.041, 0.159], 95 % bayle, n = 100
    """
    values = numbers(losses, "losses")
    n = len(values)
    if n == 0:
        raise InputError("losses is empty; a mean needs at least one row")
    mean, error, df = float(values.mean()), float(values.std()) / math.sqrt(n), math.inf if n > 1 else 0.0
    return _around(
        "mean loss", mean, error, df, confidence, bounds=bounds, method="bayle", n=n, rows=n, estimand="these K models"
    )


def conservative_z(
    estimate: float, halves: Any, *, bounds: Range = REALS, confidence: float = 0.95, rows: int | None = None
) -> Interval:
    """The estimate from all rows ± z·σ̂, σ̂² = Σ(μ̂₁ − μ̂₂)²/2M over M pairs of estimates from disjoint halves.

    In each of M outer repetitions the rows are split into two halves without a row in common, and the whole resampling
    is done in each, with the same number of test rows. The two estimates of a pair are independent, so their difference
    shows the true variance of an estimate from half the rows, which is larger than that from all.

    Source: Nadeau and Bengio 2003, Machine Learning 52:239, 4.2.

    >>> print(conservative_z(0.2, [[0.22, 0.18], [0.24, 0.20], [0.19, 0.23]]))
    mean over splits 0.200 [0.145, 0.255], 95 % conservative-z, n = 3
    """
    table = matrix(halves, "halves")
    if table.ndim != 2 or table.shape[1] != 2 or len(table) == 0:
        raise InputError("halves must have a row for each repetition and two columns, one estimate for each half")
    first, second = numbers(table.reshape(-1), "halves").reshape(-1, 2).T
    error, n = math.sqrt(float(((first - second) ** 2).mean()) / 2), len(table) if rows is None else rows
    return _around(
        "mean over splits", float(estimate), error, math.inf, confidence, bounds=bounds, method="conservative-z", n=n
    )


def _around(
    name: str, mean: float, error: float, df: float, confidence: float, *, bounds: Range, method: str, n: int,
    rows: int = 0, note: str = "", besides: str = "", estimand: str = "this learner",
) -> Interval:  # fmt: skip
    """mean ± t·error (z with infinite df); where the losses of so many `rows` are all the same, Wilson's limits.

    Where nothing varies the reason takes the place of the note.
    """
    spec = IntervalSpec(confidence=confidence, estimand=estimand)
    low, high, used, reason = mean_limits(mean, error, df, rows, bounds if rows else REALS, spec, method)
    notes = "; ".join(filter(None, (besides, reason or note)))
    return spec.interval(name, mean, low, high, bounds=bounds, method=used, n=n, note=notes)


class LeaveTwoOutLosses(Protocol):
    """Losses of one repetition of K folds, row by row.

    `single[k]` are those of fold k from the model fitted without it; `pair[i, j]`, i < j, those of fold i and of fold j
    from the model fitted without both.
    """

    @property
    def single(self) -> Sequence[Floats]: ...
    @property
    def pair(self) -> Mapping[tuple[int, int], tuple[Floats, Floats]]: ...


class NestedError(NamedTuple):
    """The bias-corrected mean loss, its standard error, and by how much that exceeds the naive one."""

    mean: float
    error: float
    inflation: float
    bias: float
    rows: int


def bates(repeats: Sequence[LeaveTwoOutLosses], *, bounds: Range = REALS, confidence: float = 0.95) -> Interval:
    """The learner's mean loss from R repetitions of K folds with all pairs of folds left out, and its limits.

    mean pair loss − bias ± z·inflation·sd/√n, where inflation² compares the squared gap between the losses inside and
    outside each fold with what independent losses would give, kept within [1, K]; the bias is that of models fitted to
    two folds fewer.

    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> rng = np.random.default_rng(0)
    >>> draw = lambda: (rng.random(20) < 0.2).astype(float)
    >>> fold = lambda: SimpleNamespace(single=[draw() for _ in range(5)],
    ...     pair={(i, j): (draw(), draw()) for i in range(5) for j in range(i + 1, 5)})
    >>> made = bates([fold() for _ in range(4)], bounds=(0, 1))
    >>> made.method, made.n, made.low < made.estimate < made.high
    ('bates', 100, True)
    """
    mean, error, inflation, _, n = nested_error(repeats)
    note = f"{inflation:.2f} times the naive standard error"
    return _around(
        "mean loss", mean, error, math.inf, confidence, bounds=bounds, method="bates", n=n, rows=n, note=note
    )


def nested_error(repeats: Sequence[LeaveTwoOutLosses]) -> NestedError:
    """The estimate behind `bates`, without limits; also for differences of two learners' losses."""
    if not repeats:
        raise InputError("there are no repetitions; nested cross-validation needs at least one")
    k = len(repeats[0].single)
    if k < 3:
        raise InputError(f"nested cross-validation needs at least 3 folds, but there are {k}")
    pooled, single, gaps = [], [], []
    for r in repeats:
        _check(r, k)
        pooled += [part for both in r.pair.values() for part in both]
        single += list(r.single)
        for fold in range(k):
            inside = np.concatenate([_inside(r.pair, fold, other) for other in range(k) if other != fold])
            outside = r.single[fold]
            spread = float(outside.var(ddof=1)) if len(outside) > 1 else 0.0
            gaps.append(float(inside.mean() - outside.mean()) ** 2 - spread / len(outside))
    losses = np.concatenate(pooled)
    rows = sum(len(part) for part in repeats[0].single)
    sd, mean = float(losses.std(ddof=1)), float(losses.mean())
    size = math.floor(rows * (k - 1) / k)
    naive = sd / math.sqrt(size)
    inflation = math.sqrt(max(0.0, float(np.mean(gaps)))) / naive if naive > 0 else 1.0
    inflation = min(max(inflation, 1.0), math.sqrt(k))
    bias = (mean - float(np.concatenate(single).mean())) * (1 + ((k - 2) / k) ** 1.5)
    return NestedError(mean - bias, sd / math.sqrt(rows) * inflation, inflation, bias, rows)


def _inside(pair: Mapping[tuple[int, int], Any], fold: int, other: int) -> Floats:
    """Losses on the other fold from the model fitted without both."""
    losses: Floats = pair[fold, other][1] if fold < other else pair[other, fold][0]
    return losses


def _check(r: LeaveTwoOutLosses, k: int) -> None:
    if len(r.single) != k:
        raise InputError(f"one repetition has {len(r.single)} folds and another {k}; all must have the same number")
    for i in range(k):
        if len(r.single[i]) == 0:
            raise InputError(f"fold {i + 1} has no rows; use fewer folds")
        for j in range(i + 1, k):
            if (i, j) not in r.pair:
                raise InputError(f"the losses without folds {i + 1} and {j + 1} are missing: a fit may have failed")


BootstrapError = Literal["632+", "632", "out-of-bag"]
BOOTSTRAP_ERRORS: tuple[BootstrapError, ...] = ("632+", "632", "out-of-bag")


class Bagged(NamedTuple):
    """The rows that one bootstrap sample left out, and their losses."""

    rows: NDArray[np.intp]
    losses: Floats


def no_information_rate(truth: Any, called: Any) -> float:
    """γ = Σ p_k(1 − q_k): the error if classes and calls had nothing to do with each other.

    p_k is the share of rows of class k, q_k the share of rows that the model of all rows calls k.

    >>> no_information_rate([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    first, second = np.asarray(truth), np.asarray(called)
    if len(first) != len(second) or len(first) == 0:
        raise InputError(
            f"truth has {len(first):,} rows and called {len(second):,}; they must be the same rows, at least 1"
        )
    classes = np.unique(np.concatenate([first, second]))
    p, q = (np.array([(part == c).mean() for c in classes]) for part in (first, second))
    return float((p * (1 - q)).sum())


def point_632(apparent: float, out_of_bag: float) -> float:
    """.368·err + .632·Err1: a bootstrap sample holds 1 − 1/e of the rows and leaves 1/e out.

    >>> point_632(0.0, 0.5)
    0.316
    """
    return 0.368 * apparent + 0.632 * out_of_bag


def point_632_plus(apparent: float, out_of_bag: float, no_information: float) -> float:
    """(1 − w)·err + w·Err1′ with w = .632/(1 − .368R), R = (Err1′ − err)/(γ − err) in [0, 1], Err1′ = min(Err1, γ).

    R says how much of the way to no information at all the learner overfits; a nearest neighbour that learns nothing
    has error 0 on its own rows, and .632 believes it too much.

    >>> point_632_plus(0.0, 0.5, 0.5)
    0.5
    """
    bounded = min(out_of_bag, no_information)
    overfit = 0.0
    if bounded > apparent and no_information > apparent:
        overfit = min(1.0, max(0.0, (bounded - apparent) / (no_information - apparent)))
    weight = 0.632 / (1 - 0.368 * overfit)
    return (1 - weight) * apparent + weight * bounded


def leave_one_out_bootstrap(samples: Sequence[Bagged], n: int) -> tuple[float, int]:
    """Err1: for each row the mean of its losses over the samples without it, then the mean over rows.

    Also how many rows were in every sample and so have no loss.

    >>> leave_one_out_bootstrap([Bagged(np.array([0, 1]), np.array([1.0, 0.0])),
    ...                          Bagged(np.array([1]), np.array([1.0]))], 3)
    (0.75, 1)
    """
    rows, losses = (np.concatenate(parts) for parts in zip(*samples, strict=True))
    sums, often = np.bincount(rows, losses, n), np.bincount(rows, minlength=n)
    left = often > 0
    if not left.any():
        raise InputError("no row was ever left out; draw more bootstrap samples")
    return float((sums[left] / often[left]).mean()), int(n - left.sum())


def bootstrap_error(
    samples: Sequence[Bagged],
    *,
    n: int,
    apparent: float = math.nan,
    no_information: float = math.nan,
    kind: BootstrapError = "632+",
    bounds: Range = (0.0, 1.0),
    confidence: float = 0.95,
) -> Interval:
    """The learner's mean loss from bootstrap samples, and its limits.

    `samples` hold the losses of the rows left out, `apparent` is the loss of the model of all rows on the same rows,
    `no_information` the loss if classes and calls were unrelated. The limits are those of the out-of-bag error by the
    corrected t (J samples, test to distinct training rows .368/.632), moved to the estimate.

    >>> rng = np.random.default_rng(0)
    >>> rows = [np.unique(rng.integers(0, 100, 37)) for _ in range(50)]
    >>> drawn = [Bagged(r, (rng.random(len(r)) < 0.3).astype(float)) for r in rows]
    >>> made = bootstrap_error(drawn, n=100, apparent=0.1, no_information=0.5)
    >>> made.method, round(made.estimate, 2)
    ('bootstrap-632+', 0.27)
    """
    check_word(kind, BOOTSTRAP_ERRORS, "kind")
    usable = [s for s in samples if len(s.rows)]
    if len(usable) < 2:
        raise InputError(f"{len(usable)} bootstrap samples leave rows out; an interval needs at least two, better 200")
    outside, never = leave_one_out_bootstrap(usable, n)
    kinds = {"632+": point_632_plus(apparent, outside, no_information), "632": point_632(apparent, outside)}
    estimate = kinds.get(kind, outside)
    if math.isnan(estimate):
        raise InputError(f"kind={kind!r} needs apparent=" + (" and no_information=" if kind == "632+" else ""))
    tested = float(np.mean([len(s.rows) for s in usable]))
    spread = corrected_spread(np.array([float(s.losses.mean()) for s in usable]), tested / (n - tested))
    return _around(
        "error", estimate, spread.error, spread.df, confidence, bounds=bounds, method=f"bootstrap-{kind}", n=n, rows=n,
        besides=f"{never:,} rows were in every sample" if never else "",
    )  # fmt: skip


def bbc_cv(
    losses: Any,
    *,
    higher_is_better: bool = False,
    replicates: int = 1000,
    bounds: Range = (0.0, 1.0),
    confidence: float = 0.95,
    clusters: Any = None,
    rng: Rng = None,
) -> Interval:
    """The loss of the setting that is best in cross-validation, without the optimism of having chosen it there.

    `losses` are rows × settings, each row's loss when it was in the test fold. B times, n rows are drawn with
    replacement; the setting that is best on them is scored on the rows that were not drawn. The estimate is the mean of
    these scores, the limits their percentiles. No model is fitted again. Rows of `clusters` (a code a row) are drawn
    together: with 20 clusters of 10 rows, correlation .5, the limits hold in .98, by rows in .71 (simulated).

    Source: Tsamardinos, Greasidou and Borboudakis 2018, Machine Learning 107:1895.

    >>> draws = (np.random.default_rng(0).random((100, 20)) < 0.3).astype(float)
    >>> float(round(draws.mean(axis=0).min(), 2)), round(bbc_cv(draws).estimate, 2)
    (0.23, 0.31)
    """
    table = matrix(losses, "losses")
    if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] < 1:
        raise InputError("losses must have a row for each example (at least 2) and a column for each setting")
    values = numbers(table.reshape(-1), "losses").reshape(table.shape)
    replicates, (draw, seed), n = check_replicates(replicates), generator(rng), len(values)
    codes = np.arange(n) if clusters is None else np.unique(np.asarray(clusters), return_inverse=True)[1]
    if len(codes) != n:
        raise InputError(f"there are {len(codes):,} clusters for {n:,} rows of losses; give each row one")
    units = int(codes.max()) + 1
    if units < 2:
        raise InputError("all rows are in one cluster, and drawing it again shows no spread; leave clusters= out")
    sign, blocks = 1.0 if higher_is_better else -1.0, drawn_counts(np.ones(units), [np.arange(units)], draw, replicates)
    scores = np.concatenate([_chosen_scores(often[:, codes], values, sign) for often in blocks])
    scores = scores[~np.isnan(scores)]
    mean, (name, estimand) = float(scores.mean()), ("loss of the chosen setting", "the chosen setting")
    spec = IntervalSpec(confidence=confidence, estimand=estimand)
    low, high = (float(q) for q in quantiles(scores, np.array([spec.tail, 1 - spec.tail])))
    if not high > low:
        return _around(
            name, mean, 0.0, units - 1, confidence, bounds=bounds, method="bbc-cv", n=n, rows=units, estimand=estimand
        )
    drawn = f"{replicates:,} resamples" + ("" if clusters is None else f" of {units:,} clusters")
    return spec.interval(name, mean, low, high, bounds=bounds, method="bbc-cv", n=n, note=f"{drawn}, {seed}")


def _chosen_scores(often: NDArray[np.int64], values: Floats, sign: float) -> Floats:
    """For each replicate: the best setting on the rows drawn, scored on those left out; NaN where none is."""
    best = np.argmax(sign * (often @ values), axis=1)
    out = (often == 0).astype(np.float64)
    left = out.sum(axis=1)
    sums = np.take_along_axis(out @ values, best[:, None], axis=1)[:, 0]
    scores: Floats = np.where(left > 0, sums / np.where(left > 0, left, 1.0), np.nan)
    return scores
