"""TE3xx: findings about scores, probabilities and thresholds."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from trueerror.findings._rules import rule
from trueerror.inference._joined import Miscalibration
from trueerror.inference._tuned import Tuned
from trueerror.inference.auc._average_precision import DecidedBy
from trueerror.inputs._arrays import SUM_SLACK, sum_slack
from trueerror.kernels._groups import neighbour_groups
from trueerror.results import Interval
from trueerror.results._format import fixed, number, percent, signed, threshold_words, whole, with_limits
from trueerror.results._format import p_value as p_value_words
from trueerror.sources._predictions import ScoreRange
from trueerror.tallies import Confusion, ScoreTable

NEARLY = 0.1
# Percentages fill a good part of the way to 100; counts of votes or small distances do not.
PERCENTAGES = 50.0
MISCALIBRATED = 0.05
# Calls with so few ties between them are still calls.
MOST_BETWEEN = 0.05


@rule("TE301", severity="error", title="constant scores",
      fix="Check that the right column was read as scores, and that the model was fitted.")  # fmt: skip
def constant_scores(
    score_range: ScoreRange, confusion: Confusion | None = None, scores: ScoreTable | None = None
) -> Iterator[str]:
    """A model that gives every row one score ranks nothing: its AUC is 0.5, and any threshold calls all rows alike.

    The same holds of 20 rows or more with one score but for a single row.
    """
    if score_range.low == score_range.high and (confusion is None or confusion.n > 1):
        yield f"every score is {number(score_range.low)}: they rank nothing"
    elif scores is not None and scores.squares is None and scores.n >= 20:
        # Most tables have no score with so many rows, as the largest counts of either class tell without their sum.
        if int(scores.positives.max()) + int(scores.negatives.max()) < scores.n - 1:
            return
        rows = scores.positives + scores.negatives
        if int(rows.max()) == scores.n - 1:
            common = number(float(scores.scores[int(rows.argmax())]))
            yield f"every score but that of one row is {common}: they rank nothing"


@rule("TE302", severity="error", title="inverted scores",
      fix="Check which class is positive (positive=) and that higher scores mean more positive; "
          "scores are never flipped for you.")  # fmt: skip
def inverted_scores(auc: Interval) -> Iterator[str]:
    """An AUC clearly below 0.5 is worse than tossing a coin, which takes knowledge of the truth.

    Nearly always the direction or the positive class is swapped: the score is that of the other class, or a distance
    or loss, for which lower is more positive. The rule fires when the whole interval of the AUC lies below 0.5.
    """
    if auc.high < 0.5:
        yield (
            f"AUC {with_limits(auc.estimate, auc.low, auc.high)} is clearly below 0.5: "
            "is the direction of the scores or the positive class swapped?"
        )


@rule("TE303", severity="warning", title="probabilities outside [0, 1], or not adding up to 1",
      fix="Pass the probabilities as the model gives them; for other scores pass one column, or labels.")  # fmt: skip
def broken_probabilities(score_range: ScoreRange, confusion: Confusion | None = None) -> Iterator[str]:
    """Scores that are nearly probabilities, but not quite, often come from a regression, from rounding, or from a
    column that is missing.

    The rule speaks of one column that leaves [0, 1] by at most 0.1, and of one column a class when either the values
    or the sums of the rows are those of probabilities and the other is not. Scores on another scale, such as margins
    or logits, are no probabilities and are left alone. Rounded probabilities of K classes may miss 1 by K/2 units of
    their last decimal.
    """
    low, high, lowest, highest = score_range
    inside = low >= 0 and high <= 1
    if math.isnan(lowest):
        if not inside and low >= -NEARLY and high <= 1 + NEARLY and low < high:
            yield f"scores run from {number(low)} to {number(high)}: nearly probabilities, which stay within 0 and 1"
        return
    slack = SUM_SLACK if confusion is None else sum_slack(score_range, len(confusion.labels))
    whole = lowest >= 1 - slack and highest <= 1 + slack
    if inside and not whole and high > 0:
        yield f"the scores of a row add up to {number(lowest)} to {number(highest)}; probabilities add up to 1"
    if whole and not inside:
        yield f"the scores of each row add up to 1 but run from {number(low)} to {number(high)}, outside 0 and 1"


@rule("TE304", severity="warning", title="threshold chosen on these rows",
      fix="Choose the threshold on other rows, or take the one that follows from the costs: "
          "cost_fp/(cost_fp + cost_fn) for probabilities.")  # fmt: skip
def threshold_chosen_here(tuned_threshold: Tuned) -> Iterator[str]:
    """The best of all cutoffs on a sample fits its accidents too, so its result there is better than on other rows.

    A threshold that is one of the scores, or one step of a grid of hundredths, and the best one for accuracy, Youden's
    index, F1, the costs that were given or a round recall, was chosen here. How much that flatters is seen by choosing
    on resampled rows and scoring on the others; limits allow for it. Where nothing is lost, nothing is said.
    """
    t = tuned_threshold
    beyond = "above every score" if t.threshold > 0 else "below every score"
    cutoff = beyond if math.isinf(t.threshold) else threshold_words(t.threshold)
    # A share in three decimals; costs of 100 rows as the verdict gives them. A cost is one with a minus.
    ends = sorted((abs(t.expected.low), abs(t.expected.high)))
    known = [abs(x) for x in (t.apparent, t.expected.estimate) if not math.isnan(x)]
    digits = 3 if max(known) <= 1 else 1 if max(known) < 100 else 0
    apparent, elsewhere, low, high = (fixed(abs(x), digits) for x in (t.apparent, t.expected.estimate, *ends))
    if t.expected.estimate >= t.apparent or apparent == elsewhere:
        return
    limits = "" if math.isnan(ends[0]) else f" [{low}, {high}]"
    honest = "" if math.isnan(t.expected.estimate) else f"; on other rows expect {elsewhere}{limits}"
    if t.used:
        seems = f"is the one that looks best for {t.criterion.name} on these very rows"
        yield f"the threshold {cutoff} {seems} ({apparent}{honest})"
    else:
        yield f"a threshold tuned on these rows would be {cutoff} and look like {apparent} ({t.criterion.name}){honest}"


@rule("TE305", severity="warning", title="scores that look like labels",
      fix="Pass labels as predicted=, and the model's probabilities or decision function as scores=.")  # fmt: skip
def scores_like_labels(scores: ScoreTable) -> Iterator[str]:
    """Calls of 0 and 1 given as scores make a curve with one corner: its AUC is the balanced accuracy of the calls,
    and says nothing about how the model ranks rows. A tie in the middle, such as 0.5, in up to 5 % of the rows changes
    nothing of that."""
    values = scores.scores[:4].tolist()
    if scores.n >= 10 and values in ([0.0, 1.0], [-1.0, 1.0]):
        yield f"the only scores are {values[0]:g} and {values[1]:g}: these are calls, not scores"
    elif scores.n >= 10 and len(values) == 3 and values in ([0.0, 0.5, 1.0], [-1.0, 0.0, 1.0]):
        between = float(scores.positives[1] + scores.negatives[1])
        if between <= MOST_BETWEEN * float((scores.positives + scores.negatives).sum()):
            ends = f"{values[0]:g} and {values[2]:g}"
            yield f"nearly all scores are {ends}, the others {values[1]:g}: these are calls, not scores"


@rule("TE306", severity="note", title="badly calibrated probabilities",
      fix="Recalibrate on other rows (Platt, isotonic) before reading scores as probabilities or choosing a threshold "
          "by costs; te.calibration shows where they are off.")  # fmt: skip
def badly_calibrated(scores: ScoreTable, probabilities: bool, z_test: Miscalibration | None = None) -> Iterator[str]:
    """A probability of 0.8 should come true four times in five. Ranking (AUC) and calls are not touched by bad
    calibration, but costs, thresholds that follow from costs, and anyone who reads the numbers are.

    The rule fires when forecasts miss the shares seen by more than 5 points on average, or by more than half the
    share of the rarer class, over ten bins of equal size, and Spiegelhalter's test shows at p < .001 that this is no
    accident; over clusters with their variance.
    """
    if not probabilities or scores.n < 50:
        return
    from trueerror.curves._calibration import spiegelhalter_test
    from trueerror.metrics.scores import middled

    t = middled(scores)
    if not (test := z_test or spiegelhalter_test(t)).p_value < 0.001:
        return
    forecast, ups, rows = neighbour_groups(t.scores, t.positives, t.negatives, 10)
    off = float(np.abs(ups - rows * forecast).sum() / t.n)
    if off > min(MISCALIBRATED, min(t.n_positive, t.n_negative) / t.n / 2):
        z = f"Spiegelhalter's z {signed(test.statistic, 1)}, {p_value_words(test.p_value)}"
        yield f"probabilities are off by {100 * off:.1f} points on average ({z})"


@rule("TE307", severity="warning", title="scores that look like percentages",
      fix="Divide them by 100 and pass them again, if they are percentages: then they are cut at 0.5, and Brier score, "
          "log loss, calibration and costs can be had.")  # fmt: skip
def percentages(score_range: ScoreRange) -> Iterator[str]:
    """Ranking is the same for 80 and for 0.8, but only the second can be read as a probability.

    The rule fires when scores lie within 0 and 100 and reach beyond 50, or when those of a row add up to 100.
    """
    low, high, lowest, highest = score_range
    alone = math.isnan(lowest) and low < PERCENTAGES < high
    together = lowest >= 100 * (1 - SUM_SLACK) and highest <= 100 * (1 + SUM_SLACK)
    if low >= 0 and 1 < high <= 100 and (alone or together):
        yield f"scores run from {number(low)} to {number(high)}: are they percentages? Probabilities run from 0 to 1"


FEW_NEGATIVES = 10


@rule("TE308", severity="note", title="few negatives decide the average precision",
      fix="Look at the negatives with the highest scores: wrong labels, copies of positives, a kind of their own? "
          "Collect more negatives; report the AUC beside it, which a few rows cannot move so far.")  # fmt: skip
def few_negatives_decide(precision_by: DecidedBy) -> Iterator[str]:
    """A negative scored above most positives lowers the precision at every one of them. With few such rows the average
    precision hangs on how many of them happen to be in the sample, and no resampling of the rows can tell.

    The rule fires where the rows' influences give more than 1.2 times the variance that the positives alone would, more
    than half of it comes from negatives, and that from fewer than ten equal ones. At a class mix with fewer positives a
    negative counts as several: the rule fires too where it counts as more than a tenth of all positives. The estimate
    is then mostly too good.
    """
    d = precision_by
    if d.heavy * FEW_NEGATIVES > d.positives:
        yield (
            f"at this class mix one negative counts as much as {whole(round(d.heavy))} of the {whole(d.positives)} "
            f"positives; one more above all rows would take the average precision from {number(d.value)} to "
            f"{number(d.moved_to)}"
        )
    elif d.excess > 1.2 and d.from_negatives > 0.5 and d.few < FEW_NEGATIVES:
        rows = f"about {d.few:.0f} negatives" if d.few >= 1.5 else "one negative"
        part = percent(round(d.from_negatives, 2))
        yield (
            f"{rows} with high scores decide{'s' * (d.few < 1.5)} the average precision ({part} of its spread comes "
            f"from negatives); one more above all rows would take it from {number(d.value)} to {number(d.moved_to)}"
        )
