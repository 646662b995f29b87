"""TE5xx: findings about rankings over several data sets.

Facts that these rules look at:
data_sets         how many data sets were ranked
pairs             how many pairs of learners were tested, one data set a value
level             the significance level
method            the test over data sets; only "wilcoxon" and "sign" have the limit that TE507 speaks of
folds             whether scores of folds were averaged
dropped           names of the data sets (or folds of one) that were left out because a score is missing
value_name        the name of the column of scores, "" where it has none
higher_is_better  the direction that was taken
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from trueerror.findings.rules import Evidence, rule
from trueerror.results.words import listing, whole

WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
LOWER_IS_BETTER = {
    "error", "errors", "errorrate", "err", "loss", "losses", "logloss", "crossentropy", "brier", "brierscore", "cost",
    "costs", "rmse", "mse", "mae", "risk", "fpr", "fnr", "ece", "misclassification",
}  # fmt: skip


def numeral(n: int) -> str:
    """Small numbers in words: three, ten, 11."""
    return WORDS[n] if n < len(WORDS) else whole(n)


@rule(
    "TE501",
    severity="note",
    title="data sets left out for missing scores",
    fix="Run the missing learners on them; a learner that fails on hard data sets gains by their absence.",
    needs=("dropped",),
)
def dropped_data_sets(e: Evidence) -> Iterator[str]:
    """Ranks need a score of every learner. A data set on which one has none is left out for all of them, which favours
    learners that fail where the task is hard."""
    dropped = e.facts["dropped"]
    if dropped:
        more = [f"{len(dropped) - 4} more"] if len(dropped) > 4 else []
        yield f"left out because a score is missing: {listing([*dropped[:4], *more])}"


@rule(
    "TE502",
    severity="warning",
    title="the direction of the scores looks wrong",
    fix="Say higher_is_better=False (--lower-is-better) for errors, losses and costs.",
    needs=("value_name", "higher_is_better"),
)
def doubtful_direction(e: Evidence) -> Iterator[str]:
    """Ranking errors as if higher were better turns the table upside down, and every number still looks fine."""
    name = e.facts["value_name"]
    if e.facts["higher_is_better"] and re.sub(r"[^a-z]", "", name.lower()) in LOWER_IS_BETTER:
        yield f"{name!r} was ranked as if higher were better"


@rule(
    "TE507",
    severity="warning",
    title='too few data sets for "best overall"',
    fix="Speak of each data set by itself, or add data sets; more folds do not help.",
    needs=("data_sets", "pairs", "level"),
)
def few_data_sets(e: Evidence) -> Iterator[str]:
    """What holds for learners in general is a question about data sets, so the data sets are the sample.

    With N of them a signed-rank test has 2^N equally likely outcomes, and its two-sided p-value cannot go below
    2^(1 − N), whatever the differences; Holm's correction multiplies the smallest by the number of pairs. The rule
    fires when no result could reach the level. Folds are parts of one data set, not data sets. Tests of mean ranks
    (Nemenyi, Shaffer, Bonferroni–Dunn) do not have this limit.
    """
    if e.facts.get("method", "wilcoxon") not in ("wilcoxon", "sign"):
        return
    n, pairs, level = e.facts["data_sets"], e.facts["pairs"], e.facts["level"]
    smallest = math.ldexp(1.0, 1 - n)
    if n == 0 or smallest * max(pairs, 1) <= level:
        return
    test = "sign" if e.facts.get("method") == "sign" else "signed-rank"
    reach = f"a {test} test cannot go below p = {smallest:.2g} here"
    if smallest <= level:
        reach += f", times {whole(pairs)} for the pairs"
    said = " Folds were not counted as data sets." if e.facts.get("folds") else ""
    sets = "one data set is" if n == 1 else f"{numeral(n)} data sets are"
    yield f'{sets} too few for "best overall" ({reach}).{said}'
