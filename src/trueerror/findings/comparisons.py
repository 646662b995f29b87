"""TE4xx: findings about comparisons."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from scipy import special

from trueerror.findings._rules import rule
from trueerror.inputs._labels import Label
from trueerror.results._format import listing, number, percent, whole

FEW_PAIRS = 3
MANY_MODELS = 5
POWER = 0.8
# Without a margin, five points of a percent are taken for a difference that matters.
MATTERS = 0.05


def _spoken_of(comparisons: int, with_best: bool) -> bool:
    """With many pairs a word on each would bury the answer: only those with the best model are spoken of."""
    return comparisons <= FEW_PAIRS or with_best


def _size(x: float, share: bool) -> str:
    """A difference in points, where it is one of shares."""
    if not share:
        return number(abs(x))
    size = 100 * abs(x)
    return f"{size:.1f} points" if size >= 0.05 or size == 0 else f"{size:.1g} points"


@rule("TE401", severity="note", title="overlap of intervals is not a test",
      fix="Judge a difference by its own interval and p-value, never by whether two intervals overlap.")  # fmt: skip
def overlapping_intervals(
    intervals: tuple[tuple[float, float], tuple[float, float]],
    significant: bool,
    comparisons: int = 1,
    with_best: bool = False,
) -> Iterator[str]:
    """Two models on the same rows err on many rows together, so their difference is known far better than either.

    Even for independent samples, 95 % intervals that overlap a little go with p-values well below .05. Reading
    "overlap" as "no difference" throws away most of the information. The rule fires where a reader of the two
    intervals would be misled: they overlap, and the test tells the models apart.
    """
    (low, high), (other_low, other_high) = intervals
    if _spoken_of(comparisons, with_best) and significant and max(low, other_low) <= min(high, other_high):
        yield "their intervals overlap, yet the test of the difference is significant"


@rule("TE402", severity="warning", title="unpaired data that could be paired",
      fix="Compare the rows pairwise: pass both with ids=, and leave paired=False out.")  # fmt: skip
def unpaired_same_rows(paired: bool, could_be_paired: bool) -> Iterator[str]:
    """Where both models answered the same rows, comparing row by row cancels what makes a row hard for both.

    Treating the same rows as two samples gives a variance that does not hold, nearly always one that is too large.
    """
    if not paired and could_be_paired:
        yield "both samples hold the same rows, but were compared as different ones: pairing them tells more"


@rule("TE403", severity="warning", title="many comparisons without correction",
      fix='Keep adjust="holm" (the default), or name one comparison that matters beforehand.')  # fmt: skip
def uncorrected(comparisons: int, adjusted: bool, level: float = 0.05) -> Iterator[str]:
    """Each test at 5 % errs once in twenty when there is no difference; among many, some will.

    With m independent comparisons of models that do not differ the chance of at least one false alarm is
    1 − (1 − level)^m: 40 % for ten.
    """
    if comparisons > 1 and not adjusted:
        chance = -math.expm1(comparisons * math.log1p(-level))
        yield (
            f"{whole(comparisons)} comparisons at {percent(round(level, 6))} each, uncorrected: a false alarm "
            f"somewhere has a chance of up to {100 * chance:.0f} %"
        )


@rule("TE404", severity="note", title="significant, but smaller than the margin that matters",
      fix="Report the size: a difference can be real and too small to act on.")  # fmt: skip
def real_but_small(
    significant: bool,
    difference: float,
    limits: tuple[float, float],
    margin: float,
    share: bool = False,
    comparisons: int = 1,
    with_best: bool = False,
) -> Iterator[str]:
    """With enough rows any difference becomes significant. Whether it matters is another question, which the margin
    answers."""
    low, high = limits
    if not (_spoken_of(comparisons, with_best) and significant and abs(difference) < margin):
        return
    gap, matters = _size(difference, share), _size(margin, share)
    if max(abs(low), abs(high)) < margin:
        yield f"the difference is clear but smaller than matters: {gap}, with a margin of {matters}"
    else:
        yield f"the difference is clear, but may be smaller than the margin of {matters}: {gap} here"


@rule("TE405", severity="note", title="not significant, but underpowered",
      fix="Collect more rows (trueerror sample-size says how many), or say that the question is open.")  # fmt: skip
def underpowered(
    significant: bool,
    limits: tuple[float, float],
    level: float,
    margin: float | None = None,
    share: bool = False,
    comparisons: int = 1,
    with_best: bool = False,
    closest: bool = True,
    identical: bool = False,
    one_answer: Label | None = None,
) -> Iterator[str]:
    """No evidence of a difference is not evidence of no difference.

    From the width of the interval follows the difference that is detectable with 80 % power:
    (z_{1 − level/2} + z_{0.8}) standard errors. The rule fires when that is larger than the margin that matters, or,
    for shares without a margin, larger than five points.
    """
    low, high = limits
    if significant or not _spoken_of(comparisons, with_best) or not math.isfinite(high - low):
        return
    # The same rows have about the same power for every pair: it is said once, and not of one model read twice.
    if not closest or identical or one_answer is not None:
        return
    if margin is None:
        if not share:
            return  # nobody knows what would matter on this scale
        margin = MATTERS
    z, z_power = float(special.ndtri(1 - level / 2)), float(special.ndtri(POWER))
    detectable = (high - low) / (2 * z) * (z + z_power)
    if detectable > margin:
        yield (
            f"with this many rows only differences of {_size(detectable, share)} or more are detectable "
            f"({percent(POWER)} power)"
        )


@rule("TE406", severity="warning", title="two models with identical predictions",
      fix="Check that the two columns come from two models; where both give one answer alone, "
          "choose another threshold.")  # fmt: skip
def identical_models(
    identical: bool, one_answer: Label | None = None, cut: bool = False, n: float | None = None
) -> Iterator[str]:
    """Two models with the same scores, or the same labels on every row, right or wrong, are usually one model read
    twice.

    Two whose scores differ but never cross the threshold answer every row alike too: that is said of the threshold, not
    of the columns.
    """
    rows = "" if n is None else f" ({whole(n)} rows)"
    if one_answer is not None:
        at = " at this threshold" if cut else ""
        yield f'both always answer "{one_answer}"{at}{rows}: their answers never differ'
    elif identical:
        yield f"the two give every row the same label{rows}: the same column twice?"


@rule("TE407", severity="note", title="the best of many models",
      fix="Test the chosen model on rows that had no part in choosing it; of learners and settings, choose inside the "
          'training rows (te.NestedCV) or correct for the choice (method="bbc-cv").')  # fmt: skip
def winners_curse(n_models: int, best: str, not_different_from_best: int, resampled: bool = False) -> Iterator[str]:
    """The best of many estimates is the best partly by luck, so it is too high on average (the winner's curse).

    The rule fires when at least four others show no clear difference from the best one: then luck had enough to choose
    from. Choosing inside the training rows (nested cross-validation) or the bootstrap of the choice itself (bbc-cv)
    tell what to expect of the chosen one.
    """
    if not_different_from_best + 1 >= MANY_MODELS:
        what = "learners" if resampled else "models"
        honest = "; the plan NestedCV, or an estimate by bbc-cv, allows for the choice" if resampled else ""
        yield (
            f"{best} is the best of {whole(n_models)} {what}, and {whole(not_different_from_best)} are "
            f"too close to it to call: its estimate is probably too good{honest}"
        )


@rule("TE410", severity="note", title="sound tests straddle the level",
      fix="Call it a close call, and collect more rows; do not pick the test that gives the "
          "wanted answer.")  # fmt: skip
def close_call(p_values: Mapping[str, float], level: float, comparisons: int = 1) -> Iterator[str]:
    """Several sound tests answer the same question with slightly different p-values. Where the level lies between
    them, choosing a test chooses the answer.

    McNemar's mid-p, exact and chi² forms differ so, and Tango's interval, which goes with chi², can exclude 0 where
    mid-p does not reach the level. The test that was named beforehand decides; the words say that it is close.
    """
    known = [p for p in p_values.values() if not math.isnan(p)]
    if comparisons > 1 or len(known) < 2:
        return
    low, high = min(known), max(known)
    if low <= level < high:
        span = f"{low:.3f} to {high:.3f}".replace("0.", ".")
        yield f"sound tests straddle {percent(round(level, 6))} here ({span}): do not pick among them"


class CrossingCurves(NamedTuple):
    """Two ROC curves that cross clearly: who is above the other, over which FPRs."""

    regions: tuple[tuple[str, float, float], ...]


@rule("TE412", severity="note", title="ROC curves that cross",
      fix="Choose by the false alarms that you can afford: te.roc_difference shows who is better where, and cost_fp=, "
          "cost_fn= compare by cost.")  # fmt: skip
def crossing_curves(crossing: CrossingCurves) -> Iterator[str]:
    """The area sums over all false positive rates. Where curves cross, one model is better where few false alarms are
    allowed and the other where many are, and the areas may be alike although the models are not.

    The rule fires where the simultaneous band of the difference of the two curves leaves 0 on both sides
    (`te.roc_difference`), so that noise alone makes curves cross in less than 5 % of the samples. Up to
    50,000 plain rows of two classes are looked at.
    """
    names = list(dict.fromkeys(who for who, _, _ in crossing.regions))
    if len(names) > 1:
        spans = {
            name: listing([f"{number(a)} to {number(b)}" for who, a, b in crossing.regions if who == name])
            for name in names
        }
        said = "; ".join(f"{name} finds more at an FPR of {where}" for name, where in spans.items())
        yield f"their ROC curves cross: {said}"


@rule("TE413", severity="warning", title="models compared at different class mixes",
      fix="Compare at one class mix: prior= says how common the positive class (or each class) is.")  # fmt: skip
def different_mixes(class_totals: Mapping[str, tuple[float, ...]], metrics: tuple[str, ...]) -> Iterator[str]:
    """Accuracy, precision, F1 and costs depend on how common each class is. Of two tables with different class mixes
    the difference is partly that of the mixes: a model may look better for having met more of the easy class.

    The rule fires where the chi² test of one class mix for all tables has p below .01; recall, specificity, balanced
    accuracy and whatever else is the same at every mix are left alone, and so is what was asked for at one `prior=`.
    """
    counts = np.array(list(class_totals.values()), dtype=float)
    counts = counts[:, counts.sum(axis=0) > 0]
    if counts.shape[1] < 2 or (counts.sum(axis=1) == 0).any():
        return
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    statistic = float(((counts - expected) ** 2 / expected).sum())
    if special.chdtrc((counts.shape[0] - 1) * (counts.shape[1] - 1), statistic) >= 0.01:
        return
    shares = counts / counts.sum(axis=1, keepdims=True)
    widest = int(np.argmax(shares.max(axis=0) - shares.min(axis=0)))
    low, high = float(shares[:, widest].min()), float(shares[:, widest].max())
    yield (
        f"the class mixes differ (one class is {100 * low:.0f} to {100 * high:.0f} % of the rows) and {metrics[0]} "
        "depends on the mix: compare all at one mix"
    )


@rule("TE411", severity="warning", title="groups too small to compare",
      fix="Collect more rows of these groups, or join them with others; min_rows= says how many count.")  # fmt: skip
def small_groups(small_groups: tuple[str, Mapping[Label, int], int]) -> Iterator[str]:
    """A group of a handful of rows is often the best or the worst of all by chance alone.

    With few rows that count (positives, for recall) a group's own limits span most of the range, and it would widen
    the limits of every gap without telling anything: such groups are left out of the gap, and named, since who is
    rare in the test rows may be exactly who is treated worse.
    """
    metric, groups, fewest = small_groups
    if groups:
        shown = [f"{group} ({rows})" for group, rows in list(groups.items())[:4]]
        more = [f"{len(groups) - 4} more"] if len(groups) > 4 else []
        yield f"left out of the gap in {metric}, with fewer than {fewest} rows that count: {', '.join(shown + more)}"
