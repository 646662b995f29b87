"""TE5xx: findings about learners under resampling, about rankings over data sets, and about bootstrap estimates."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from trueerror.findings._rules import rule
from trueerror.results._format import listing, number, p_value, some, whole

if TYPE_CHECKING:
    from trueerror.inference.auc._within_folds import Comparability

# The t-interval over folds rests on the normal distribution of a fold's error.
SMALL_TEST = 30
# With 100 rows the 5×2 F-test called equal learners different in .096 of the cases; twice that many is taken as few.
SMALL_FOR_F = 200
# From here on leave-one-out covers what it should for learners that one row hardly changes.
ENOUGH_FOR_ONE_OUT = 400
# Below so many rows of a class in a test fold its metrics mean little fold by fold.
FEW_IN_A_FOLD = 5


@rule("TE503", severity="warning", title="a plain t-test over folds is optimistic",
      fix="Use the corrected t (leave method out), on 10 × 10 folds for comparing two learners.")  # fmt: skip
def plain_t(fold_method: str, test_parts: int) -> Iterator[str]:
    """The training sets of folds overlap, so the scores of folds are not independent and s²/J is too small.

    Two equal learners are called different at .05 in .04–.08 of the cases over 10 folds, .57–.60 over 30 random splits
    and .53–.57 over 10 × 10 folds: more repeats make it worse.
    """
    if fold_method == "plain-t":
        start = f"the t over {whole(test_parts)} test folds takes them as independent, but their training sets "
        yield start + "overlap: limits too narrow, p-values too small"


@rule("TE504", severity="note", title="the corrected t on a single round of folds is conservative",
      fix="To compare learners that a few rows hardly change, repeat: te.KFold(10, repeats=10).")  # fmt: skip
def single_round(fold_method: str, rounds: int) -> Iterator[str]:
    """The correction for overlapping training sets is made for repeats. On one round of 10 folds equal learners are
    called different at .05 in only .009–.020 of the cases, so real differences are missed more often than need be."""
    if fold_method == "corrected-t" and rounds == 1:
        yield "the corrected t on one round of folds is conservative: its limits are wider than necessary"


@rule("TE505", severity="warning", title="the 5×2 F-test is optimistic at few rows",
      fix="Use 10 × 10 folds and the corrected t (leave method out).")  # fmt: skip
def few_rows_for_f(fold_method: str, data_rows: int) -> Iterator[str]:
    """With 100 rows the combined 5×2cv F-test calls equal learners different at .05 in .096 of the cases: its five
    variances come from halves of the rows, which are then small."""
    if fold_method == "five-by-two-f" and data_rows < SMALL_FOR_F:
        yield f"{whole(data_rows)} rows are few for the 5×2 F-test: with 100 its type I error is .096 at .05"


@rule("TE506", severity="warning", title="test folds of fewer than 30 rows",
      fix="Use fewer folds: te.KFold(5, repeats=10) has test folds twice as large as ten folds.")  # fmt: skip
def small_test_parts(smallest_test: int, fold_method: str) -> Iterator[str]:
    """A t-interval over folds takes each fold's score as nearly normal, which a share of fewer than 30 rows is not; and
    metrics of a rare class may be undefined there."""
    if smallest_test < SMALL_TEST and fold_method in ("plain-t", "corrected-t", "five-by-two-t", "five-by-two-f"):
        rows = f"{whole(smallest_test)} row{'' if smallest_test == 1 else 's'}"
        yield f"the smallest test fold has {rows}; t intervals need 30 or more"


@rule("TE508", severity="warning", title="the bootstrap shows a bias that matters",
      fix="Report the bias-corrected estimate beside it, or use BCa limits, which take the bias in.")  # fmt: skip
def biased_bootstrap(
    bootstrap_bias: float, bootstrap_error: float, bootstrap_replicates: int | None = None
) -> Iterator[str]:
    """A bias below a quarter of the standard error changes an interval's coverage little; beyond that, percentile
    limits sit in the wrong place (Efron and Tibshirani 1993, chapter 10).

    The mean of B replicates is itself known only to a standard error over √B: what lies within twice that is no bias
    yet.
    """
    noise = 0.0 if bootstrap_replicates is None else 2 * bootstrap_error / math.sqrt(bootstrap_replicates)
    if abs(bootstrap_bias) - noise > bootstrap_error / 4:
        start = f"the bias, {number(bootstrap_bias)}, is more than a quarter of the standard error, "
        yield start + f"{number(bootstrap_error)}"


@rule("TE516", severity="warning", title="a few extreme values decide the spread",
      fix="Collect more values, report quantiles or the median absolute deviation, or take logarithms.")  # fmt: skip
def spread_of_heavy_tails(spread_tails: tuple[float, float]) -> Iterator[str]:
    """A sample that holds few of the values far out understates how far its standard deviation may be off.

    Nothing that is drawn again from it shows them: with exponential or lognormal values 95 % limits of a standard
    deviation cover .87–.92 whatever the method, and the truth is above them. The rule fires where kurtosis or
    skewness are larger than in 99 of 100 normal samples.
    """
    kurtosis, p = spread_tails
    if p < 0.01:
        yield f"heavy or skewed tails (kurtosis {number(kurtosis)}, normal 3): the spread may be beyond the limits"


@rule("TE509", severity="warning", title="some fits failed",
      fix="Look at .failures; a learner that fails on hard parts gains by their absence.")  # fmt: skip
def failed_fits(failed: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    """A test fold without a prediction of one learner is left out for all that it is compared with. Fits tend to fail
    where the task is hard, so what is left flatters the learner that failed."""
    counts = [(name, bad, fits) for name, (bad, fits) in failed.items() if bad]
    partly = [f"{whole(bad)} of {whole(fits)} fits of {name}" for name, bad, fits in counts if bad < fits]
    every = [name for name, bad, fits in counts if bad == fits]
    if partly:
        yield f"{some(partly, 4)} failed; their test folds are left out"
    if every:
        yield f"all fits of {some(every, 4)} failed: nothing can be said of {'it' if len(every) == 1 else 'them'}"


@rule("TE510", severity="warning", title="leave-one-out assumes a learner that one row hardly changes",
      fix="Use te.KFold(10): the corrected t over one round of folds held for every learner "
          "tried.", standing=True)  # fmt: skip
def one_row_out(fold_method: str, data_rows: int) -> Iterator[str]:
    """The models of leave-one-out share all rows but one, and each is tested on a row that all the others were fitted
    to. Its limits and p-values take the losses as independent, which holds when leaving out a row hardly changes what a
    model says, and no split shows whether it does. 95 % limits covered .90 with 40 rows, .93 with 100 and .95 with 400
    for naive Bayes and logistic regression; .87–.91 for 5 neighbours and .72–.80 for trees and boosted stumps, whatever
    the number of rows. Equal learners were called different at .05 in .05–.09, .15 and .21 of the cases."""
    if fold_method != "leave-one-out":
        return
    few = f"; {whole(data_rows)} rows are too few even then" if data_rows < ENOUGH_FOR_ONE_OUT else ""
    yield f"limits and p-values of leave-one-out hold for a learner that one row hardly changes{few}"


@rule("TE511", severity="note", title="limits and p-values over folds fail for learners that a few rows change",
      fix='For the limits of a learner ask for method="corrected-t"; for p-values take one round, te.KFold(10), or '
          "te.experiment with te.Bootstrap.", standing=True)  # fmt: skip
def many_rounds(fold_method: str, rounds: int | None = None) -> Iterator[str]:
    """The correction supposes that scores of test folds are as correlated as the share of rows that they are tested on,
    n_test/n, which is so when the model hardly depends on the rows that it was fitted to. Equal learners were called
    different at .05 over 10 × 10 folds in .05 of the cases with clean halves of each class, in .06–.13 with label
    noise, more features than rows or a random class mix (naive Bayes and logistic regression, too), and in .10–.12
    with 5 neighbours; over one round in .01–.04. Nested cross-validation with pairs of folds covered .90–.97.

    Limits from the rows of a round are for the models that were fitted. They are for the learner, too, if a few rows
    hardly change a model: with 200 rows 95 % limits of the error covered the learner's in .93–.98 for naive Bayes and
    logistic regression, in .85–.93 for neighbours and trees, and these models' in .94–.98 whatever the learner. The
    corrected t covered the learner's in .94–1.00, with limits 1.1 to 1.7 times as wide."""
    if fold_method == "corrected-t" and rounds != 1:
        yield "p-values over many test folds are too small for learners that a few rows change, such as trees"
    elif fold_method == "bates":
        yield "limits from pairs of folds can be too narrow for learners that a few rows change, such as trees"
    elif fold_method == "pooled-folds":
        yield "limits are for these models, and too narrow for learners that a few rows change, such as trees"


@rule("TE512", severity="warning", title="the scores of different folds are not on one scale",
      fix="AUC, average precision and their tests are taken within folds here; do not rank or cut rows of different "
          "folds together before the scores are calibrated in each fold.")  # fmt: skip
def folds_on_other_scales(fold_scales: Comparability) -> Iterator[str]:
    """Each fold has a model of its own, and its scores may be shifted against those of the others: a strongly shrunken
    model puts out little more than the share of positives among its training rows, which is lowest where the test fold
    has most of them. Pairs of rows from different folds are then ordered worse than pairs of one fold, and an area over
    all rows in one ranking says nothing about any model: .389 where the folds have .813.

    The rule fires when pairs across folds are ordered worse by more than a point and, within a class, the folds'
    scores differ at p < .001 (Kruskal and Wallis).
    """
    if fold_scales.doubtful:
        yield (
            f"pairs of rows of one fold are ordered right {number(fold_scales.within)} of the time, pairs of different "
            f"folds {number(fold_scales.across)}: the folds' scores are not on one scale"
        )


@rule("TE513", severity="note", title="these models differ, the learners behind them may not",
      fix='Ask for the learners with method="corrected-t", or run te.experiment with repeats.')  # fmt: skip
def models_not_learners(learners_p: float, level: float, significant: bool) -> Iterator[str]:
    """Predictions of a cross-validation test the models of its folds. That these differ says that *these* models
    differ on rows like these; other training rows would make other models. The corrected t over the folds' differences
    asks for the learners, and is wider.

    The rule fires where the first is significant and the second is not.
    """
    if significant and learners_p > level:
        start = "these models, one for each fold, differ; that does not show that their learners do "
        yield start + f"({p_value(learners_p)} over the folds)"


@rule("TE514", severity="warning", title="few rows of a class in each test fold",
      fix="Use fewer folds: te.KFold(5) has twice as many in each as te.KFold(10); counts of all folds together "
          "(F1, recall, precision) lose nothing.")  # fmt: skip
def rare_class_in_folds(rare_in_folds: tuple[tuple[str, ...], str, float]) -> Iterator[str]:
    """With one positive a fold F1 is 0, ⅔ or 1 and average precision one over a rank; their means over folds are off
    (F1 of 100 rows, 10 positive, over ten folds: .164 where it is .232, and 95 % limits cover .71–.77). Counts are
    therefore summed over folds (Forman and Scholz 2010), which holds the estimate; what is ranked within folds cannot
    be summed.

    The rule fires below five rows a fold of the rarest class.
    """
    metrics, label, rows = rare_in_folds
    if metrics and rows < FEW_IN_A_FOLD:
        yield f"about {rows:.1f} rows of {label} in a test fold: {listing(list(metrics))} of so few mean little"


@rule("TE515", severity="note", title="a mean of the folds' F1 is not F1",
      fix="Hand over the predictions with their folds (cross_val_predict with cv=, te.logs.cross_validate): then the "
          "counts of all folds are taken together.")  # fmt: skip
def mean_of_ratios(ratio_of_folds: str) -> Iterator[str]:
    """F1, precision, recall, Matthews' correlation and kappa are ratios of counts; the mean of the folds' own values is
    not that of all counts, and with a rare class it lies below: F1 .164 where it is .232 (100 rows, 10 positive, ten
    folds; Forman and Scholz 2010). Scores of folds alone do not hold the counts."""
    if ratio_of_folds:
        yield f"{ratio_of_folds} is the mean of the folds' own values, which is too low with a rare class"


WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
LOWER_IS_BETTER = {
    "error", "errors", "errorrate", "err", "loss", "losses", "logloss", "crossentropy", "brier", "brierscore", "cost",
    "costs", "rmse", "mse", "mae", "risk", "fpr", "fnr", "ece", "misclassification",
}  # fmt: skip


def numeral(n: int) -> str:
    """Small numbers in words: three, ten, 11."""
    return WORDS[n] if n < len(WORDS) else whole(n)


@rule("TE501", severity="note", title="data sets left out for missing scores",
      fix="Run the missing learners on them; a learner that fails on hard data sets gains by "
          "their absence.")  # fmt: skip
def dropped_data_sets(dropped: tuple[str, ...]) -> Iterator[str]:
    """Ranks need a score of every learner. A data set on which one has none is left out for all of them, which favours
    learners that fail where the task is hard."""
    if dropped:
        yield f"left out because a score is missing: {some(dropped, 4)}"


@rule("TE502", severity="warning", title="the direction of the scores looks wrong",
      fix="Say higher_is_better=False (--lower-is-better) for errors, losses and costs.")  # fmt: skip
def doubtful_direction(value_name: str, higher_is_better: bool) -> Iterator[str]:
    """Ranking errors as if higher were better turns the table upside down, and every number still looks fine."""
    if higher_is_better and re.sub(r"[^a-z]", "", value_name.lower()) in LOWER_IS_BETTER:
        yield f"{value_name!r} was ranked as if higher were better"


@rule("TE507", severity="warning", title='too few data sets for "best overall"',
      fix="Speak of each data set by itself, or add data sets; more folds do not help.")  # fmt: skip
def few_data_sets(data_sets: int, smallest_p: float, level: float, folds: bool = False) -> Iterator[str]:
    """What holds for learners in general is a question about data sets, so the data sets are the sample.

    With N of them a signed-rank test has 2^N equally likely outcomes, so its p-value cannot go below
    2^(1 − N); Holm's correction multiplies that by the number of pairs. Tests of mean ranks do not have this limit.
    """
    if smallest_p <= level:
        return
    fold_note = " Folds were not counted as data sets." if folds else ""
    sets = "one data set is" if data_sets == 1 else f"{numeral(data_sets)} data sets are"
    yield f'{sets} too few for "best overall" (no p-value can go below {smallest_p:.2g} here).{fold_note}'


@rule("TE517", severity="warning", title="data sets of a family are alike",
      fix='Count families of data sets: family= takes a column, a mapping, or "stem" (--family).')  # fmt: skip
def kindred_data_sets(kinship: Mapping[str, float]) -> Iterator[str]:
    """Data sets that stem from one source rank learners alike, so they are worth fewer, and tests that take them as
    independent find differences that are none. The rule compares the ranks within families, by the first words of the
    names or a column, with families dealt at random; it fires in 1 of 100 where families mean nothing.
    """
    for name, p in sorted(kinship.items(), key=lambda item: item[1])[:1]:
        if p <= 0.01 / len(kinship):
            how = "whose names begin alike" if name == "stem" else f"of one {name}"
            yield f'data sets {how} rank the learners alike ({p_value(p)}): count families instead, by "{name}"'
