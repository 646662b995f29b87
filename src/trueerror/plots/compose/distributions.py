"""Distributions as pictures: scores of both classes, a statistic where nothing differs, power over the number of rows,
learners' scores over data sets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import chdtrc, fdtrc, gammaln, ndtr, ndtri, stdtr

from trueerror.inference.proportion._distributions import share_limits
from trueerror.inputs._arrays import Floats
from trueerror.inputs._options import InputError
from trueerror.plots._headings import Named, heading, sizes_words
from trueerror.plots._specs import Axis, Band, Bars, Curves, Line, Mark
from trueerror.plots._text import plain, shorten
from trueerror.plots.compose.curves import reference
from trueerror.plots.compose.forests import domain_of
from trueerror.results import Contrast, Posterior, Test
from trueerror.results._format import chance_words, number, p_value, percent, percents, whole

if TYPE_CHECKING:
    from trueerror.curves._roc import Roc
    from trueerror.inference.loss._t_tests import FoldDifferences
    from trueerror.inference.power._sample_size import Power
    from trueerror.people._repeats import Repeats
    from trueerror.tallies import ScoreTable
    from trueerror.verbs._bootstrap import Bootstrapped
    from trueerror.verbs._comparison import Comparison
    from trueerror.verbs._ranking_result import LearnerRanking

BINS = 30
POINTWISE = "95 % pointwise band (Wilson)"
# Lines that are too many to tell by name are drawn without.
MOST_FOLDS = 200


def scores_picture(named: Named, *, threshold: float | None = None, bins: int = BINS) -> Curves:
    """How the scores of each class lie: the share of its rows in each bin, and where scores are cut."""
    return score_table_picture(_one(named, "scores").table, threshold=threshold, bins=bins, name=named[0][0])


def score_table_picture(
    table: ScoreTable, *, threshold: float | None = None, bins: int = BINS, name: str = ""
) -> Curves:
    """The scores of a table by class."""
    scores = np.asarray(table.scores, dtype=float)
    known = np.isfinite(scores)
    if not known.any():
        raise InputError("there is nothing to plot: no score is finite")
    low, high = float(scores[known].min()), float(scores[known].max())
    low, high = (0.0, 1.0) if low >= 0 and high <= 1 else domain_of([low, high])
    edges = np.linspace(low, high, bins + 1)
    lines, bands = [], []
    classes = (("positive", table.positives), ("negative", table.negatives))
    for place, (which, counts) in enumerate(classes):
        amounts = np.histogram(scores[known], edges, weights=np.asarray(counts, dtype=float)[known])[0]
        total = float(amounts.sum())
        steps = np.repeat(amounts / total if total else amounts, 2)
        x = np.repeat(edges, 2)[1:-1]
        called = f"{plain(table.positive)} (positive)" if which == "positive" else "all others (negative)"
        tips = {"score": x, "share of the class": steps}
        lines.append(Line(x=x, y=steps, name=f"{called}: {whole(total)} rows", series=place, tips=tips))
        bands.append(Band(x=x, low=0 * steps, high=steps, name="share of the class in each bin", series=place))
    top = 1.12 * max(float(line.y.max()) for line in lines) or 1.0
    if threshold is not None:
        at = np.full(2, float(threshold))
        words = f"flagged at scores ≥ {number(threshold)}"
        lines.insert(0, reference(at, np.array([0.0, top]), words, (float(threshold), top), shift=(6.0, 8.0)))
    return Curves(
        title=heading("Scores by class", [(name, None)]),
        subtitle=(f"{bins} bins; each class adds to 100 %",),
        x=Axis(title="score", low=low, high=high),
        y=Axis(title="share of the rows of the class", low=0.0, high=top),
        lines=tuple(lines),
        bands=tuple(bands),
        size=(460, 320),
        empty_corner="upper right",
    )


def posterior_picture(posterior: Posterior) -> Bars:
    """Where a difference lies, as three probabilities."""
    amounts = (posterior.right, posterior.rope, posterior.left)
    return Bars(
        title=plain(posterior.name),
        subtitle=("posterior probabilities",),
        axis="probability",
        labels=("the first is better", f"within ±{number(posterior.rope_width)}: alike", "the second is better"),
        amounts=amounts,
        words=tuple(chance_words(a) for a in amounts),
        highest=1.0,
    )


def thresholds_picture(named: Named, *, cost_fp: float = 1.0, cost_fn: float = 1.0) -> Curves:
    """Precision, recall and cost against the threshold, with pointwise bands, and the cheapest one on these rows."""
    curve = _one(named, "thresholds")
    kept = np.isfinite(curve.thresholds)
    if not kept.any():
        raise InputError("there is nothing to plot: the curve has no threshold")
    positives, negatives = curve.table.n_positive, curve.table.n_negative
    cuts, tp, fp = curve.thresholds[kept], positives * curve.tpr[kept], negatives * curve.fpr[kept]
    order = np.argsort(cuts)
    cuts, tp, fp = cuts[order], tp[order], fp[order]
    cost = (cost_fp * fp + cost_fn * (positives - tp)) / (positives + negatives)
    highest = max(cost_fp * negatives, cost_fn * positives) / (positives + negatives) or 1.0
    lines, bands = [], []
    for place, (name, x, n) in enumerate((("recall", tp, np.full(len(tp), positives)), ("precision", tp, tp + fp))):
        defined = n > 0
        share = np.divide(x, n, out=np.full(len(x), np.nan), where=defined)
        limits = share_limits(x[defined], n[defined], "wilson", 0.95)
        tips = {"threshold": cuts[defined], name: share[defined]}
        lines.append(Line(x=cuts[defined], y=share[defined], name=name, series=place, tips=tips))
        bands.append(
            Band(x=cuts[defined], low=np.asarray(limits[0]), high=np.asarray(limits[1]), name=POINTWISE,
                 series=place)
        )  # fmt: skip
    scaled = cost / highest
    name = f"cost of a row (1 is {number(highest)})"
    lines.append(Line(x=cuts, y=scaled, name=name, series=2, tips={"threshold": cuts, "cost of a row": cost}))
    best = int(np.argmin(cost))
    mark = Mark(x=float(cuts[best]), y=float(scaled[best]), shape="diamond", series=2,
                words=f"cheapest: threshold {number(float(cuts[best]))}", shift=(8.0, -12.0))  # fmt: skip
    low, high = (0.0, 1.0) if cuts[0] >= 0 and cuts[-1] <= 1 else domain_of([float(cuts[0]), float(cuts[-1])])
    return Curves(
        title=heading("Precision, recall and cost by threshold", named),
        subtitle=(
            f"a false alarm costs {cost_fp:g}, a miss {cost_fn:g}; the cheapest threshold was chosen on these rows",
            sizes_words(named),
        ),
        x=Axis(title="threshold: scores at or above it are flagged", low=low, high=high),
        y=Axis(title="share, and cost as a share of the highest", low=0.0, high=1.02),
        lines=tuple(lines),
        bands=tuple(bands),
        marks=(mark,),
        size=(460, 360),
    )


def _one(named: Named, kind: str) -> Roc:
    if len(named) > 1:
        raise InputError(f'kind="{kind}" shows one model: [{named[0][0]!r}] of these curves, or model= when it is made')
    curve: Roc = named[0][1]
    return curve


def bootstrap_picture(made: Bootstrapped) -> Curves:
    """How often bootstrap samples gave which value, with the estimate and its limits."""
    if not made.counts:
        raise InputError("there is nothing to plot: this result holds no replicates")
    i = made.interval
    x, y = (
        np.repeat(np.array(made.edges), 2),
        np.concatenate(([0.0], np.repeat(np.array(made.counts, float), 2), [0.0])),
    )
    top = 1.15 * float(y.max())
    labels = (("low", i.low, -6.0, 22.0), ("estimate", i.estimate, 6.0, 8.0), ("high", i.high, 6.0, 22.0))
    lines = [
        reference(np.full(2, at), np.array([0.0, top]), f"{word} {number(at)}", (at, top), shift=(right, down),
                  align="right" if right < 0 else "left")
        for word, at, right, down in labels if math.isfinite(at)
    ]  # fmt: skip
    low, high = domain_of([made.edges[0], made.edges[-1], *(v for v in (i.low, i.high) if math.isfinite(v))])
    return Curves(
        title=f"Bootstrap of the {plain(i.name)}",
        subtitle=(f"{whole(made.replicates)} samples drawn from {whole(i.n)} values; {percent(i.confidence)} limits; "
                  f"standard error {number(made.error)}, bias {number(made.bias)}",),
        x=Axis(title=plain(i.name), low=low, high=high),
        y=Axis(title="bootstrap samples", low=0.0, high=top),
        lines=(*lines, Line(x=x, y=y, series=0, name="bootstrap samples")),
        bands=(Band(x=x, low=0 * y, high=y, name=f"bootstrap samples, {len(made.counts)} bins"),),
        size=(460, 300),
    )  # fmt: skip


def test_picture(test: Contrast | Test) -> Curves:
    """The distribution of a test's statistic where nothing differs, with the tail that makes the p-value.

    Normal without degrees of freedom and Student's t with them for a difference of two, χ² and F for several.
    """
    if not math.isfinite(test.statistic):
        raise InputError("this test has no statistic to draw: print it")
    several = not isinstance(test, Contrast)
    alternative = "greater" if several else str(getattr(test, "alternative", "two-sided"))
    at = test.statistic
    if several:
        reach = max(1.25 * at, 4.0 * float(np.max(test.df or 1)) if not isinstance(test.df, tuple) else 6.0)
        x = np.linspace(1e-3, reach, 400)
    else:
        reach = max(4.0, 1.2 * abs(at))
        x = np.linspace(-reach, reach, 401)
    if not math.isclose(_tail(at, test.df, alternative, several=several), test.p_value, rel_tol=0.1, abs_tol=0.004):
        raise InputError("the p-value of this test is not the tail of a normal, t, χ² or F density: print it")
    y, name = _density(x, test.df, several=several)
    tails = (
        [x >= abs(at), x <= -abs(at)]
        if alternative == "two-sided"
        else [x >= at if alternative == "greater" else x <= at]
    )
    bands = [
        Band(x=x[t], low=0 * x[t], high=y[t], name=f"tail{'s' * (len(tails) > 1)}: {p_value(test.p_value)}", series=1)
        for t in tails if t.any()
    ]  # fmt: skip
    top = 1.15 * float(y[np.isfinite(y)].max())
    line = reference(np.full(2, at), np.array([0.0, top]), f"seen: {number(at)}", (at, top), shift=(6.0, 8.0))
    hypothesis = "no difference at all" if several else "no difference"
    return Curves(
        title=f"{plain(test.name or 'difference')}: what {hypothesis} would give",
        subtitle=(f"{name}; {p_value(test.p_value)} is the chance of a value at least as extreme, if nothing differs",),
        x=Axis(title="value of the statistic", low=float(x[0]), high=float(x[-1])),
        y=Axis(title="density", low=0.0, high=top),
        lines=(line, Line(x=x, y=y, name=name, series=0)),
        bands=tuple(bands),
        size=(460, 280),
        empty_corner="upper right",
    )


def _tail(at: float, df: Any, alternative: str, *, several: bool) -> float:
    """What lies beyond the statistic under the density that would be drawn."""
    if several:
        return float(fdtrc(float(df[0]), float(df[1]), at) if isinstance(df, tuple) else chdtrc(float(df or 1), at))
    below = float(ndtr(at) if df is None or isinstance(df, tuple) else stdtr(float(df), at))
    return 2 * min(below, 1 - below) if alternative == "two-sided" else 1 - below if alternative == "greater" else below


def _density(x: Floats, df: Any, *, several: bool) -> tuple[Floats, str]:
    """The density of the statistic under the hypothesis of no difference, and its name."""
    if several and isinstance(df, tuple):
        a, b = map(float, df)
        log = (a / 2) * np.log(a / b) + (a / 2 - 1) * np.log(x) - ((a + b) / 2) * np.log1p(a * x / b)
        return np.exp(log + gammaln((a + b) / 2) - gammaln(a / 2) - gammaln(b / 2)), f"F on {a:g} and {b:g}"
    if several:
        k = float(df or 1)
        return np.exp((k / 2 - 1) * np.log(x) - x / 2 - (k / 2) * math.log(2) - gammaln(k / 2)), f"χ² on {k:g}"
    if df is None or isinstance(df, tuple):
        return np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi), "standard normal"
    k = float(df)
    log = gammaln((k + 1) / 2) - gammaln(k / 2) - 0.5 * math.log(k * math.pi) - (k + 1) / 2 * np.log1p(x**2 / k)
    return np.exp(log), f"Student's t on {k:g} degrees of freedom"


def power_picture(plan: Power) -> Curves:
    """Power against the number of rows: Φ(√(n/n₀)·(z_α + z_β) − z_α) through the plan's own point."""
    if plan.half_width is not None or not 0 < plan.power < 1:
        raise InputError("this plan has no power to draw over the number of rows; print it")
    z = float(ndtri(1 - (plan.alpha / 2 if plan.alternative == "two-sided" else plan.alpha)))
    slope = z + float(ndtri(plan.power))
    n = np.linspace(1, max(2.0, 3.0 * plan.n), 300)
    y = ndtr(np.sqrt(n / plan.n) * slope - z)
    wanted = reference(np.array([0.0, float(n[-1])]), np.full(2, 0.8), "80 %", (float(n[-1]), 0.8), align="right",
                       shift=(0.0, -8.0))  # fmt: skip
    groups = " in each group" if plan.groups == 2 else ""
    mark = Mark(x=float(plan.n), y=plan.power, words=f"{whole(plan.n)} rows: power {number(plan.power)}",
                shift=(8.0, 14.0))  # fmt: skip
    return Curves(
        title=f"Power to find {number(plan.first)} against {number(plan.second)}",
        subtitle=(f"{plan.test} test at {percent(plan.alpha)}; away from the point by the normal approximation",),
        x=Axis(title=f"rows{groups}", low=0.0, high=float(n[-1])),
        y=Axis(title="power: chance that the test finds the difference"),
        lines=(wanted, Line(x=n, y=y, name="power", series=0, tips={"rows": n, "power": y})),
        marks=(mark,),
        size=(460, 320),
        empty_corner="lower right",
    )


def repeats_picture(found: Repeats) -> Curves:
    """What more answers to each question would buy: the half-width of the mean's interval, which the questions limit.

    A thin line is that of twice the questions.
    """
    z = float(ndtri(0.5 + found.confidence / 2))
    known = [m for m in found.parts if math.isfinite(m.between) and m.between + m.within > 0]
    if not known:
        raise InputError("there is nothing to plot: no question has answers that tell how far they differ")
    r = np.linspace(1.0, max(10.0, *(3 * m.answers / m.questions for m in known)), 200)
    lines, marks = [], []
    for place, m in enumerate(known):
        half, twice = (
            np.array([z * m.error(questions=times * m.questions, repeats=x) for x in r]) for times in (1, 2)
        )  # fmt: skip
        words = f"{shorten(m.name, 30)}: {percents(m.components.share_within, 0)} % of the variance within questions"
        tips = {"answers to each": r, "half-width": half}
        lines.append(Line(x=r, y=half, name=words, series=place, tips=tips))
        lines.append(Line(x=r, y=twice, series=place, role="faint"))
        marks.append(Mark(x=m.answers / m.questions, y=z * m.error(), words="now", shift=(8.0, -6.0)))
    questions = whole(known[0].questions)
    return Curves(
        title="What more answers to each question would buy",
        subtitle=(
            f"half-width of the {percent(found.confidence)} interval of the mean; {questions} questions, thin: twice "
            "as many",
        ),
        x=Axis(title="answers to each question", low=1.0, high=float(r[-1])),
        y=Axis(title="half-width", low=0.0, high=1.05 * max(float(np.max(line.y)) for line in lines)),
        lines=tuple(lines),
        marks=tuple(marks),
        size=(460, 320),
    )


def folds_picture(given: FoldDifferences | Comparison) -> Curves:
    """Two learners fold by fold, as lines that rise or fall from the first to the second (a slope graph)."""
    names, pairs = _fold_scores(given)
    values = np.array(pairs, dtype=float)
    ends = np.array([0.0, 1.0])
    lines = []
    for which, role in ((values[:, 1] >= values[:, 0], 0), (values[:, 1] < values[:, 0], 1)):
        for i, pair in enumerate(values[which][:MOST_FOLDS]):
            # One line of each direction stands in the legend for all.
            word = f"{names[1]} {'is at least as high' if role == 0 else 'is lower'} on {int(which.sum())} folds"
            lines.append(
                Line(x=ends, y=pair, series=role, name=word if i == 0 else "", role="curve" if i == 0 else "faint")
            )
    mean = values.mean(axis=0)
    lines.append(Line(x=ends, y=mean, name=f"mean: {number(mean[0])} and {number(mean[1])}", series=6))
    low, high = domain_of([float(values.min()), float(values.max())])
    return Curves(
        title=f"{shorten(names[0], 30)} and {shorten(names[1], 30)} fold by fold",
        subtitle=(f"{len(values)} test folds; a line that rises is a fold on which {shorten(names[1], 30)} is higher",),
        x=Axis(title="", low=-0.15, high=1.15, ticks=(0.0, 1.0), names=tuple(shorten(n, 16) for n in names[:2])),
        y=Axis(title="score on the test fold", low=low, high=high),
        lines=tuple(lines),
        size=(340, 360),
    )  # fmt: skip


def _fold_scores(given: FoldDifferences | Comparison) -> tuple[tuple[str, str], list[tuple[float, float]]]:
    facts = getattr(given, "facts", None)
    typed = {} if facts else dict(zip(given.names, (given.first, given.second), strict=True))  # type: ignore[union-attr]
    parts = typed if facts is None else facts.parts or {}
    if len(parts) < 2 or len({len(scores) for scores in parts.values()}) > 1:
        raise InputError("this picture shows two learners on the same test folds, and there are none")
    second, first = given.names[::-1] if facts is None else given.ranked[:2]  # type: ignore[union-attr]
    return (first, second), list(zip(parts[first], parts[second], strict=True))


def profile_picture(ranking: LearnerRanking) -> Curves:
    """On which share of the data sets each learner is within so much of the best one there (Dolan and Moré 2002)."""
    scores = np.array(ranking.scores, dtype=float)
    if not len(scores):
        raise InputError("there is nothing to plot: this ranking holds no scores of data sets")
    better = scores if ranking.higher_is_better else -scores
    behind = better.max(axis=1, keepdims=True) - better
    reach = float(behind.max()) or 1.0
    lines = []
    for place, name in enumerate(ranking.order):
        lags = np.sort(behind[:, ranking.names.index(name)])
        x = np.repeat(np.append(lags, 1.05 * reach), 2)
        y = np.repeat(np.arange(len(lags) + 1) / len(lags), 2)
        x, y = x[:-1], y[1:]
        lines.append(Line(x=np.insert(x, 0, 0.0), y=np.insert(y, 0, y[0] if lags[0] == 0 else 0.0),
                          name=f"{shorten(name, 30)}: best on {int((lags == 0).sum())}", series=place))  # fmt: skip
    return Curves(
        title=f"How often {len(lines)} learners come close to the best",
        subtitle=(f"{len(scores)} data sets; higher and further left is better (performance profile)",),
        x=Axis(title="behind the best learner of the data set by at most", low=0.0, high=1.05 * reach),
        y=Axis(title="share of the data sets", low=0.0, high=1.02),
        lines=tuple(lines),
        size=(460, 340),
        empty_corner="lower right",
    )
