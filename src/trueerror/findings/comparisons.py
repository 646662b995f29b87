"""TE4xx: findings about comparisons.

Facts that these rules look at. About one pair:
told_apart       bool: whether the pair differs at the level, after the correction for the number of pairs
p_value          the p-value that decides, adjusted where pairs were adjusted
level            the significance level, 1 − confidence
difference       first − second
limits           (low, high) of the difference, at confidence 1 − level
p_values         {name: p} of the sound tests of the same hypothesis, unadjusted; {} where there is one test alone
intervals        ((low, high), (low, high)) of the two models' own estimates
margin           the smallest difference that matters, where one was given
share            bool: whether the difference is one of shares, so that 0.05 is five points
identical        bool: whether the two models call every row alike, with the same scores where both have scores
one_answer       the label that both models give to every row, where their scores do not say that they are one
cut              bool: whether that label comes from scores that were cut at a threshold
n                rows behind the pair
comparisons      how many pairs were compared
with_best        bool: whether the best model is one of the two; with many pairs only these are spoken of
closest          bool: whether these are the two best models that cannot be told apart
About two samples:
paired           bool: whether the rows were paired
could_be_paired  bool: whether the same rows (by ids or fingerprint) are in both
About all models:
n_models         how many there are
best             the name of the one with the best estimate
not_told_from_best   how many of the others cannot be told apart from it
adjusted         bool: whether p-values were adjusted for the number of pairs
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from scipy import special

from trueerror.findings._rules import Evidence, rule
from trueerror.results._format import number, percent, whole

FEW_PAIRS = 3
MANY_MODELS = 5
POWER = 0.8
# Without a margin, five points of a percent are taken for a difference that matters.
MATTERS = 0.05


def _spoken_of(e: Evidence) -> bool:
    """With many pairs a word on each would bury the answer: only those with the best model are spoken of."""
    return e.facts.get("comparisons", 1) <= FEW_PAIRS or bool(e.facts.get("with_best", False))


def _size(e: Evidence, x: float) -> str:
    """A difference in points, where it is one of shares."""
    if not e.facts.get("share", "discordance" in e.facts):
        return number(abs(x))
    size = 100 * abs(x)
    return f"{size:.1f} points" if size >= 0.05 or size == 0 else f"{size:.1g} points"


@rule(
    "TE401",
    severity="note",
    title="overlap of intervals is not a test",
    fix="Judge a difference by its own interval and p-value, never by whether two intervals overlap.",
    needs=("intervals", "told_apart"),
)
def overlapping_intervals(e: Evidence) -> Iterator[str]:
    """Two models on the same rows err on many rows together, so their difference is known far better than either.

    Even for independent samples, 95 % intervals that overlap a little go with p-values well below .05. Reading
    "overlap" as "no difference" throws away most of the information. The rule fires where a reader of the two
    intervals would be misled: they overlap, and the test tells the models apart.
    """
    (low, high), (other_low, other_high) = e.facts["intervals"]
    if _spoken_of(e) and e.facts["told_apart"] and max(low, other_low) <= min(high, other_high):
        yield "their intervals overlap, yet the test of the difference tells them apart"


@rule(
    "TE402",
    severity="warning",
    title="unpaired data that could be paired",
    fix="Compare the rows pairwise: pass both with ids=, and leave paired=False out.",
    needs=("paired", "could_be_paired"),
)
def could_be_paired(e: Evidence) -> Iterator[str]:
    """Where both models answered the same rows, comparing row by row cancels what makes a row hard for both.

    Treating the same rows as two samples gives a variance that does not hold, nearly always one that is too large.
    """
    if not e.facts["paired"] and e.facts["could_be_paired"]:
        yield "both samples hold the same rows, but were compared as different ones: pairing them tells more"


@rule(
    "TE403",
    severity="warning",
    title="many comparisons without correction",
    fix='Keep adjust="holm" (the default), or name one comparison that matters beforehand.',
    needs=("comparisons", "adjusted"),
)
def uncorrected(e: Evidence) -> Iterator[str]:
    """Each test at 5 % errs once in twenty when there is no difference; among many, some will.

    With m independent comparisons of models that do not differ the chance of at least one false alarm is
    1 − (1 − level)^m: 40 % for ten.
    """
    m, level = e.facts["comparisons"], e.facts.get("level", 0.05)
    if m > 1 and not e.facts["adjusted"]:
        chance = -math.expm1(m * math.log1p(-level))
        yield (
            f"{whole(m)} comparisons at {percent(round(level, 6))} each, uncorrected: a false alarm somewhere has a "
            f"chance of up to {100 * chance:.0f} %"
        )


@rule(
    "TE404",
    severity="note",
    title="significant, but smaller than the margin that matters",
    fix="Report the size: a difference can be real and too small to act on.",
    needs=("told_apart", "difference", "limits", "margin"),
)
def real_but_small(e: Evidence) -> Iterator[str]:
    """With enough rows any difference becomes significant. Whether it matters is another question, which the margin
    answers."""
    low, high = e.facts["limits"]
    margin, gap = e.facts["margin"], e.facts["difference"]
    if not (_spoken_of(e) and e.facts["told_apart"] and abs(gap) < margin):
        return
    if max(abs(low), abs(high)) < margin:
        yield f"the difference is real but smaller than matters: {_size(e, gap)}, with a margin of {_size(e, margin)}"
    else:
        yield f"the difference is real, but may be smaller than the margin of {_size(e, margin)}: {_size(e, gap)} here"


@rule(
    "TE405",
    severity="note",
    title="not significant, but underpowered",
    fix="Collect more rows (trueerror sample-size says how many), or say that the question is open.",
    needs=("told_apart", "limits", "level", "difference"),
)
def underpowered(e: Evidence) -> Iterator[str]:
    """No evidence of a difference is not evidence of no difference.

    From the width of the interval follows the difference that these rows would find 80 times in 100:
    (z_{1 − level/2} + z_{0.8}) standard errors. The rule fires when that is larger than the margin that matters, or,
    for shares without a margin, larger than five points.
    """
    margin, level = e.facts.get("margin"), e.facts["level"]
    low, high = e.facts["limits"]
    if e.facts["told_apart"] or not _spoken_of(e) or not math.isfinite(high - low):
        return
    # The same rows have about the same power for every pair: it is said once, and not of one model read twice.
    if not e.facts.get("closest", True) or e.facts.get("identical") or "one_answer" in e.facts:
        return
    if margin is None:
        if not e.facts.get("share", "discordance" in e.facts):
            return  # nobody knows what would matter on this scale
        margin = MATTERS
    z, z_power = float(special.ndtri(1 - level / 2)), float(special.ndtri(POWER))
    found = (high - low) / (2 * z) * (z + z_power)
    if found > margin:
        yield (
            f"these rows would find a difference of {_size(e, found)} 80 times in 100, and smaller ones seldom: "
            "not telling the two apart says little"
        )


@rule(
    "TE406",
    severity="warning",
    title="two models with identical predictions",
    fix="Check that the two columns come from two models; where both give one answer alone, choose another threshold.",
    needs=("identical",),
)
def identical_models(e: Evidence) -> Iterator[str]:
    """Two models with the same scores, or the same labels on every row, right or wrong, are usually one model read
    twice.

    Two whose scores differ but never cross the threshold call every row alike too: that is said of the threshold, not
    of the columns.
    """
    n = e.facts.get("n")
    rows = "" if n is None else f" ({whole(n)} rows)"
    if "one_answer" in e.facts:
        answer = f'"{e.facts["one_answer"]}"'
        words = (
            f"both always answer {answer} at this threshold" if e.facts.get("cut") else f"both always answer {answer}"
        )
        yield f"{words}{rows}: nothing tells their calls apart"
    elif e.facts["identical"]:
        yield f"the two call every row alike{rows}: the same column twice?"


@rule(
    "TE407",
    severity="note",
    title="the best of many models",
    fix="Test the chosen model on rows that had no part in choosing it.",
    needs=("n_models", "best", "not_told_from_best"),
)
def winners_curse(e: Evidence) -> Iterator[str]:
    """The best of many estimates is the best partly by luck, so it is too high on average (the winner's curse).

    The rule fires when at least four others cannot be told apart from the best one: then luck had enough to choose
    from.
    """
    others = e.facts["not_told_from_best"]
    if others + 1 >= MANY_MODELS:
        yield (
            f"{e.facts['best']} is the best of {whole(e.facts['n_models'])} models, and {whole(others)} cannot be told "
            "apart from it: its estimate is probably too good"
        )


@rule(
    "TE410",
    severity="note",
    title="sound tests straddle the level",
    fix="Call it a close call, and collect more rows; do not pick the test that gives the wanted answer.",
    needs=("p_values", "level"),
)
def close_call(e: Evidence) -> Iterator[str]:
    """Several sound tests answer the same question with slightly different p-values. Where the level lies between
    them, choosing a test chooses the answer.

    McNemar's mid-p, exact and chi² forms differ so, and Tango's interval, which goes with chi², can exclude 0 where
    mid-p does not reach the level. The test that was named beforehand decides; the words say that it is close.
    """
    p_values = [p for p in e.facts["p_values"].values() if not math.isnan(p)]
    level = e.facts["level"]
    if e.facts.get("comparisons", 1) > 1 or len(p_values) < 2:
        return
    low, high = min(p_values), max(p_values)
    if low <= level < high:
        span = f"{low:.3f} to {high:.3f}".replace("0.", ".")
        yield f"sound tests straddle {percent(round(level, 6))} here ({span}): do not pick among them"
