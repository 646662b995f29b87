"""TE1xx, TE2xx, TE4xx: findings about the rows, about the metrics of one model, and about comparisons of models."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.findings._rules import rule
from trueerror.inference._clusters import effective_clusters
from trueerror.inference._joined import CrossedFound, RunsFound
from trueerror.inference.proportion._interval import is_normal, normal_model_caution
from trueerror.inputs._labels import Label
from trueerror.results import Contrast, Interval
from trueerror.results._format import (
    ci_words,
    common_format,
    counted,
    in_points,
    listing,
    number,
    p_value,
    per_100,
    percent,
    percents,
    share_words,
    whole,
    with_limits,
)
from trueerror.results._values import HALF_A_UNIT, undone_in_words
from trueerror.sources._duplicates import DuplicateRows, Overlap, RepeatedRows
from trueerror.sources._predictions import Keys
from trueerror.tallies import Confusion, KeyedConfusion
from trueerror.tallies._graded import is_graded

FEW_ROWS = 30
FEW_OF_A_CLASS = 10
MOST_DOUBLED = 0.01


@rule("TE101", severity="warning", title="fewer than 30 rows",
      fix="Test on more rows; trueerror sample-size says how many an interval of a given width takes.")  # fmt: skip
def few_rows(confusion: Confusion) -> Iterator[str]:
    """With fewer than 30 rows every interval is wide and approximations are coarse.

    A score on 20 rows moves by five points with each row. The interval says so; the estimate alone does not.
    """
    if 0 < confusion.n < FEW_ROWS:
        yield f"only {confusion.n} rows: read the interval, not the estimate"


@rule("TE102", severity="warning", title="fewer than 10 rows of a class",
      fix="Collect more rows of the rare class, or leave its recall and F1 out of the comparison.")  # fmt: skip
def few_of_a_class(confusion: Confusion) -> Iterator[str]:
    """Recall, F1 and every macro average lean on each class's own rows, however many rows there are in all."""
    t = confusion
    if t.n < FEW_ROWS:
        return  # TE101 has said it
    totals = t.classes(weighted=False).truth
    rare = sorted((n, str(label)) for label, n in zip(t.labels, totals, strict=True) if 0 < n < FEW_OF_A_CLASS)
    if rare:
        classes = listing([f"{label} ({n:.0f})" for n, label in rare[:4]] + (["others"] if len(rare) > 4 else []))
        yield f"fewer than {FEW_OF_A_CLASS} rows of {classes}: recall and F1 there are hardly known"


@rule("TE103", severity="note", title="strong imbalance while reading accuracy",
      fix="Read balanced accuracy, recall and precision of the rare class, or the cost, beside accuracy.")  # fmt: skip
def imbalance(confusion: Confusion, metrics: tuple[str, ...]) -> Iterator[str]:
    """When nearly all rows are of one class, accuracy mostly says how common that class is."""
    t = confusion
    if t.n == 0 or "accuracy" not in metrics:
        return
    totals = t.classes(weighted=False).truth
    share, index = totals.max() / t.n, int(totals.argmax())
    if 0.9 <= share < 1:
        start = f"{share_words(float(share))} of the rows are {t.labels[index]}: accuracy says little here, "
        yield start + "look at the other classes' recall"


@rule("TE104", severity="error", title="the truth is constant",
      fix="Check that the right column was read as the truth, and that the test set holds every class.")  # fmt: skip
def constant_truth(confusion: Confusion) -> Iterator[str]:
    """With one class alone a classifier cannot show that it knows one class from another."""
    t = confusion
    totals = t.classes(weighted=False).truth
    if t.n > 0 and (totals > 0).sum() == 1 and not is_graded(t):
        yield f"all {whole(t.n)} rows are {t.labels[int(totals.argmax())]}: there is no other class to recognise"


@rule("TE105", severity="note", title="a class that does not occur",
      fix="Leave the class out of labels=, or test on rows that hold it.")  # fmt: skip
def absent_class(confusion: Confusion) -> Iterator[str]:
    """A class with neither rows nor predictions leaves the macro averages; the average is over the others."""
    t = confusion
    margins = t.classes(weighted=False)
    empty = [str(v) for v, a, b in zip(t.labels, margins.truth, margins.predicted, strict=True) if a == 0 and b == 0]
    if empty and t.n > 0 and len(t.labels) > 2:
        classes = listing([*empty[:4], *(["others"] if len(empty) > 4 else [])])
        yield f"no row is {classes} and none was predicted so: left out of the averages"


@rule("TE106", severity="warning", title="more classes predicted than exist",
      fix="Check that truth and predictions use the same labels.")  # fmt: skip
def invented_class(confusion: Confusion) -> Iterator[str]:
    """A label that is predicted but never true is often a spelling that differs between two columns."""
    t = confusion
    if t.n < FEW_ROWS:
        return
    margins = t.classes(weighted=False)
    invented = [
        (int(b), str(v)) for v, a, b in zip(t.labels, margins.truth, margins.predicted, strict=True) if a == 0 and b > 0
    ]
    if invented and (margins.truth > 0).sum() > 1:
        labels = listing([f"{label} ({n:,} times)" for n, label in sorted(invented, reverse=True)[:4]])
        yield f"predicted {labels}, a label that no row has"


@rule("TE107", severity="error", title="duplicated ids",
      fix="Leave the copies out, name the column as clusters if rows of one id belong together, or as repeats with "
          "repeat= if each item was predicted several times.")  # fmt: skip
def duplicated_ids(repeated_ids: tuple[int, Any]) -> Iterator[str]:
    """An id that stands for two rows is either no id, or the rows were joined wrongly and some count twice.

    Rows that count twice make every interval too narrow, and predictions of two models cannot be paired by such ids.
    """
    rows, example = repeated_ids
    if rows:
        what = "1 row repeats" if rows == 1 else f"{whole(rows)} rows repeat"
        yield f"{what} the id of an earlier row, such as {example!r}"


@rule("TE108", severity="warning", title="duplicated rows",
      fix="Leave the copies out, or pass clusters= so that a row and its copies count as one.")  # fmt: skip
def duplicated_rows(doubled: DuplicateRows) -> Iterator[str]:
    """Copies of a row add no information, but shrink every interval as if they did.

    Two rows are taken for copies when the truth and the scores of all models agree to the last digit, where scores
    are fine enough not to agree by chance. The rule fires above 1 % of the rows; `te.evaluate` and `te.compare` look at
    up to 50,000 rows in memory, `te.check` at up to 2,000,000 wherever they are.
    """
    if doubled.rows > MOST_DOUBLED * doubled.n:
        copies = f"{whole(doubled.rows)} of {whole(doubled.n)} rows"
        yield f"{copies} have exactly the truth and scores of an earlier row: copies?"


@rule("TE109", severity="warning", title="duplicated rows across clusters",
      fix="Leave the copies out, or give rows that repeat each other one cluster.")  # fmt: skip
def rows_across_clusters(doubled: DuplicateRows) -> Iterator[str]:
    """Clusters are taken as independent of each other. A row that is in two of them ties the two together, and the
    intervals are too narrow."""
    if doubled.apart > MOST_DOUBLED * doubled.n:
        copies = f"{whole(doubled.apart)} of {whole(doubled.n)} rows"
        yield f"{copies} have a copy in another cluster: the clusters are not independent"


@rule("TE110", severity="warning", title="the same rows counted several times by repeats",
      fix="Judge one repeat at a time, or name the repeats (repeat=) and let an experiment average them.")  # fmt: skip
def repeated_items(repeats: RepeatedRows) -> Iterator[str]:
    """Ten repeats of cross-validation predict each row ten times. Pooled, they look like ten times as many rows, and
    every interval comes out about three times too narrow.

    Without a repeat column the rule goes by a truth that repeats itself from end to end, or by folds of which every so
    many hold exactly the same classes.
    """
    times = f"{whole(repeats.times)} times"
    seen = f"{whole(repeats.items)} rows stand there {times}"
    if repeats.drawn:
        tested = f"{whole(repeats.items)} rows were tested by {whole(repeats.times)} splits"
        yield f"{tested}, many of them several times: pooled, they would count as often"
    elif repeats.declared:
        yield f"{seen}, once for each repeat: pooled, each would count {times}, so they were not"
    elif repeats.folds:
        rounds = f"{whole(repeats.times)} rounds of {whole(repeats.folds)} folds"
        yield f"it looks as if {seen}, in {rounds}, and each counts {times}: name the rows (id=) or rounds (repeat=)"
    else:
        yield f"the truth repeats itself: it looks as if {seen}, and each counts {times}"


@rule("TE111", severity="error", title="test rows among the training rows",
      fix="Test on rows that the model has not seen; split by id, and by cluster where rows "
          "depend on each other.")  # fmt: skip
def leaked_rows(training_overlap: Overlap) -> Iterator[str]:
    """A model may remember the rows that it was trained on; its error there says nothing about new rows.

    Rows are known by their ids; without ids by the scores that the same models give them, or by one and the same
    sequence of classes.
    """
    shared, n = training_overlap
    if shared:
        share = f"all {whole(n)}" if shared == n else f"{whole(shared)} of {whole(n)}"
        yield f"{share} test rows are training rows too: the error here is not that on new rows"


@rule("TE112", severity="error", title="predictions are missing, and nothing says how they count",
      fix='Say how rows without a prediction count: missing="wrong" (as errors), or missing="drop" (left out, which '
          "favours a model that skips the hard rows).")  # fmt: skip
def undecided_rows(undecided: tuple[tuple[tuple[str, int], ...], int]) -> Iterator[str]:
    """A model that gives no answer is neither right nor wrong there. Until it is said how such rows count, no number is
    given of them; the other findings speak of the rows that were answered."""
    gaps, n = undecided
    lacking = [(model, whole(count)) for model, count in gaps if count]
    if lacking:
        (first, most), others = lacking[0], [f"{model} {count}" for model, count in lacking[1:4]]
        more = [f"{len(lacking) - 4} more models some"] if len(lacking) > 4 else []
        shortfalls = listing([f"{first} lacks {most} of {whole(n)} predictions", *others, *more])
        yield f"{shortfalls}; those rows were left out here"


class Overfit(NamedTuple):
    """A model that is better than `rival` on the training rows (by `training_lead`) and worse on the test rows."""

    model: str
    rival: str
    training_lead: float
    test_lead: float
    p_value: float


class ConstantAnswer(NamedTuple):
    """A metric of a model, the same of one answer for every row, and whether the model is clearly better.

    A cost of a row is told `per_100_rows` where the rest of the answer is.
    """

    title: str
    own: float
    constant: float
    label: str
    higher_is_better: bool
    clear: bool
    per_100_rows: bool = False


FEW_CLUSTERS = 30
FEW_FAULTY_CLUSTERS = 10
FEW_LOSSES = 5
FEW_EVENTS = 5
FEW_OF_CLASS = 3
LARGE_SHARE = 0.2
SMALLEST_GAP = 0.02
# Below this share of the rows the weights leave few of them.
LEAST_WORTH = 0.5
# The p-value below which rows left out are called harder.
HARDER = 0.01


@rule("TE201", severity="warning", title="no better than always answering the commonest class",
      fix="Do not use accuracy to praise this model; look at costs, recall, or a better model.")  # fmt: skip
def majority_baseline(confusion: Confusion, baseline_p: float, hollow_others: int = 0) -> Iterator[str]:
    """A constant answer is free. A classifier whose accuracy is not clearly above it has shown nothing by accuracy.

    The two are compared on the same rows (McNemar's test, mid-p): rows of other classes that the model gets right
    against rows of the commonest class that it gets wrong; by t where rows are clustered or carry sampling weights, or
    were tested several times. The rule fires when the model is at or below the constant, and when it is above but the
    test, at 5 %, shows no difference. Of many learners it names the best one of which that holds.
    """
    t = confusion
    margins = t.classes()
    if t.n == 0 or (margins.truth > 0).sum() < 2:
        return
    total = margins.truth.sum()
    accuracy, baseline = margins.hits.sum() / total, margins.truth.max() / total
    label = t.labels[int(margins.truth.argmax())]
    share, constant = (f"{percents(float(x))} %" for x in (accuracy, baseline))
    more = f"; the same is true of {whole(hollow_others)} more" if hollow_others else ""
    turned = (margins.predicted.sum() - margins.hits.sum()) / total
    if len(t.labels) == 2 and turned > baseline and baseline_p <= 0.05:
        more += f"; with its two answers swapped it would be right on {percents(float(turned))} %: check which is which"
    if accuracy <= baseline:
        yield f'right on {share} of the rows, no more than the {constant} that always answering "{label}" gets{more}'
    elif baseline_p > 0.05:
        yield (
            f'right on {share} of the rows, not clearly more than the {constant} that always answering "{label}" gets '
            f"({p_value(baseline_p)}){more}"
        )


@rule("TE202", severity="note", title="few errors or few successes",
      fix='Ask for method="mid-p" for this proportion; its coverage is better here.')  # fmt: skip
def few_events(small_counts: Sequence[tuple[str, float, float]]) -> Iterator[str]:
    """Wilson's interval keeps its confidence well where at least 5 successes and 5 failures are seen.

    Nearer to the ends its coverage can fall to .84; the mid-p interval stays above about .925 there.
    """
    if small_counts:
        names = listing([name for name, _, _ in small_counts[:4]])
        yield f'fewer than 5 errors or successes behind {names}: method="mid-p" has better coverage'


@rule("TE203", severity="warning", title="normal approximation used where it fails",
      fix='Use method="wilson" (the default) or "clopper-pearson".')  # fmt: skip
def normal_approximation(proportions: Sequence[tuple[str, str, float, float]]) -> Iterator[str]:
    """The simple normal interval p ± z√(pq/n) holds for n of 30 or more and n·p·(1 − p) of 5 or more.

    Outside that it is too narrow and off centre, and at a perfect score it has no width at all.
    """
    for name, method, estimate, n in proportions:
        if n and is_normal(method) and normal_model_caution(n, n * estimate * (1 - estimate)):
            start = f"the normal interval of {name} does not hold: n = {whole(n)}, "
            yield start + f"n·p·(1 − p) = {number(n * estimate * (1 - estimate))}"


@rule("TE204", severity="warning", title="few clusters",
      fix="Collect more clusters; more rows in the same clusters help little.")  # fmt: skip
def few_clusters(clusters: KeyedConfusion | Keys) -> Iterator[str]:
    """Rows of one cluster repeat each other, so what counts is the number of clusters, and of those with errors.

    Clusters of unequal size count as fewer: as (Σn)²/Σn² of equal size. Below 30 the intervals still hold, mostly by
    being wide, but what one large cluster does decides much.
    """
    groups = faulty = int((clusters.sizes > 0).sum())
    weights = clusters.sizes.astype(float)
    if isinstance(clusters, KeyedConfusion):
        weights = clusters.weights
        wrong = clusters.sums((clusters.table.row != clusters.table.col).astype(float))
        faulty = int((wrong > 0).sum())
    effective = effective_clusters(weights)
    if groups < FEW_CLUSTERS:
        few = counted(groups, "cluster")
        yield f"only {few}: the intervals rest on clusters, not on {whole(int(clusters.sizes.sum()))} rows"
    elif effective < FEW_CLUSTERS:
        largest = float(weights.max()) / float(weights.sum())
        yield (
            f"the {groups} clusters are of very unequal size and count as {effective:.1f} of equal size (the largest "
            f"has {percent(round(largest, 2))} of the rows): the intervals rest on a few large clusters"
        )
    elif faulty < FEW_FAULTY_CLUSTERS:
        yield f"only {faulty} of {groups} clusters hold an error: the intervals are rough"


@rule("TE220", severity="warning", title="errors that hang together",
      fix="Pass time= where rows stand in order of time, clusters= where they belong to users, texts or sessions, and "
          "clusters=[user, item] where they belong to both (shell: --cluster user --cluster item).")  # fmt: skip
def errors_that_depend(runs: RunsFound | CrossedFound) -> Iterator[str]:
    """Rows that are wrong together are worth fewer. The rule looks at the errors of all models, in the order of rows
    or, with clusters, by slices that repeat across them; of independent samples it fires in less than 1 of 100."""
    if isinstance(runs, CrossedFound):
        part = f"{percent(round(runs.share, 2))} of the variance of the errors"
        yield f"{runs.column!r} repeats across the clusters and holds {part}: limits by one key are too narrow"
    else:
        yield (
            f"errors come in runs, in the order of the rows ({p_value(runs.p_value)}). {whole(runs.rows)} rows count "
            f"as about {whole(round(runs.effective))} independent ones, so limits are too narrow"
        )


@rule("TE205", severity="warning", title="bootstrap replicates that lose a class",
      fix="Collect more rows of the rare class; an analytic interval is shown instead, where "
          "there is one.")  # fmt: skip
def replicates_that_lose_a_class(lost_replicates: Sequence[tuple[str, float]]) -> Iterator[str]:
    """A replicate without any row of a class cannot give that class's recall; many such make the bootstrap unfit."""
    for name, share in lost_replicates:
        if share > 0.01:
            yield f"{percent(round(share, 3))} of the bootstrap replicates of {name} lost a class"


@rule("TE206", severity="note", title="predictions are missing",
      fix='Get what is missing, or see what the other way to count these rows says: missing="wrong", or '
          'missing="drop".')  # fmt: skip
def rows_without_predictions(
    missing_predictions: tuple[int, int, str], unranked: bool = False, scores_alone: bool = False
) -> Iterator[str]:
    """Leaving out the rows that a model would not answer flatters it; counting them as wrong may be harsh."""
    count, total, rule_word = missing_predictions
    if count and scores_alone:
        shown = "are not shown" if unranked else "leave them out"
        yield f"{whole(count)} of {whole(total)} rows have a label and no score: areas and losses {shown}"
    elif count:
        how = "counted as wrong" if rule_word == "wrong" else "left out"
        more = "; rows without a score have no rank, so areas and losses are not shown" if unranked else ""
        yield f"{whole(count)} of {whole(total)} rows have no prediction and were {how}{more}"


class HarderRows(NamedTuple):
    """Rows that a model left out, on which another one does worse than on those that both answered."""

    rows: int
    n: int
    other: str
    left_out: float
    answered: float
    p_value: float


@rule("TE213", severity="warning", title="the rows left out are harder than the others",
      fix='Count them as wrong (missing="wrong"), or compare the models at the same share of rows answered '
          "(te.risk_coverage).")  # fmt: skip
def hard_rows_left_out(harder_rows: HarderRows) -> Iterator[str]:
    """A model that leaves out the rows that it would get wrong looks better than it is, on any rows that remain.

    What it would have said is not known, but what another model says of those rows is. The rule fires where the other
    is right on them clearly less often than on the rows that both answered (p < .01).
    """
    h = harder_rows
    if h.p_value < HARDER:
        yield (
            f"{whole(h.rows)} of {whole(h.n)} rows were left out, and {h.other} is right on "
            f"{percent(round(h.left_out, 3))} of them against {percent(round(h.answered, 3))} of the others "
            f"({p_value(h.p_value)}): leaving them out is optimistic"
        )


class CountedAsWrong(NamedTuple):
    """How far a model is ahead of another on the rows that both answered, and what is left of it (with its p-value)
    when the rows that it left out count against it."""

    rows: int
    behind: str
    ahead: str
    left: str
    p_value: float


@rule("TE219", severity="warning", title="the lead rests on rows left out",
      fix='Find out why they have no prediction; count them as wrong (missing="wrong") where the model chose to be '
          "silent.")  # fmt: skip
def lead_on_answered_rows(counted_as_wrong: CountedAsWrong, level: float) -> Iterator[str]:
    """A model that is silent where it would be wrong is ahead on the rows that it answers. Whether that is so cannot be
    seen; whether it would matter can. The rule fires where a difference that stands on the rows answered does not stand
    once silence counts as an error (of scores: as the worst score that the model gives)."""
    c = counted_as_wrong
    if not c.p_value <= level:
        yield (
            f"ahead of {c.behind} on the rows answered ({c.ahead}), but with its {whole(c.rows)} rows left out counted "
            f"as wrong the difference is {c.left} ({p_value(c.p_value)}): those rows decide"
        )


@rule("TE212", severity="warning", title="few rows carry the weight",
      fix="Collect more of the rows with large weights, or trim the weights; more rows with small weights help "
          "little.")  # fmt: skip
def heavy_weights(confusion: Confusion) -> Iterator[str]:
    """Sampling weights that differ much leave few rows to decide: as many rows of equal weight as (Σw)²/Σw².

    The intervals rest on that number, and hold, but what the heaviest rows do decides much. The rule fires below half
    of the rows.
    """
    t = confusion
    if t.weight_squares is None or t.n < 2:
        return
    squares = float(t.weight_squares.sum())
    kish = float(t.masses.sum()) ** 2 / squares if squares > 0 else 0.0
    if kish < LEAST_WORTH * t.n:
        yield f"with these weights {whole(t.n)} rows count as about {whole(round(kish))} of equal weight"


@rule("TE208", severity="warning", title="train/test gap",
      fix="Believe the test rows; a simpler model, more regularisation or more training rows "
          "may close the gap.")  # fmt: skip
def better_on_training_rows(training_gap: Contrast) -> Iterator[str]:
    """A model that is much better on the rows that it was fitted to than on others has learnt accidents of those rows.

    Training error is optimistically biased, so some gap is usual. The rule fires when the gap is 2 points or more and
    clearly, at p < .01 (score test of two proportions from different rows).
    """
    gap = training_gap
    if gap.estimate >= SMALLEST_GAP and gap.p_value < 0.01:
        shown = common_format(gap.estimate, gap.low, gap.high, least=1, power=2)
        start = f"accuracy is {shown(gap.estimate)} points higher on the training rows than here, "
        yield start + f"{ci_words(gap.low, gap.high, gap.confidence, shown)} ({p_value(gap.p_value)})"


@rule("TE209", severity="warning", title="overfitting against another model",
      fix="Prefer the model that is better on test rows, whatever the training rows say.")  # fmt: skip
def worse_on_test_rows(overfits: tuple[Overfit, ...]) -> Iterator[str]:
    """A hypothesis overfits when another one has a higher training error and a lower true error (Mitchell 1997).

    The true errors are known only from the test rows, so the second half is tested: on the same rows, by McNemar's
    mid-p test, with Holm's correction for the number of pairs.
    """
    for o in overfits:
        yield (
            f"better than {o.rival} on the training rows ({in_points(o.training_lead)} points) but worse on the test "
            f"rows ({in_points(o.test_lead)} points, {p_value(o.p_value)})"
        )


@rule("TE210", severity="warning", title="no better than a constant answer at these costs or this class mix",
      fix="Use the constant answer, another threshold (te.roc(…).operating_point finds it), or "
          "a better model.")  # fmt: skip
def constant_answer(constant_answers: Sequence[ConstantAnswer]) -> Iterator[str]:
    """Costs and class mixes change what a constant answer is worth: where positives are very rare, or false alarms very
    costly, flagging nothing may cost less than the best of models.

    The rule fires when the model is at or behind the best constant answer, and when the interval of its metric reaches
    that far.
    """
    for c in constant_answers:
        ahead = c.own > c.constant if c.higher_is_better else c.own < c.constant
        if not c.clear:
            side, say = "above" if c.higher_is_better else "below", per_100 if c.per_100_rows else number
            yield (
                f"{c.title} {say(c.own)} is not {'clearly ' if ahead else ''}{side} {say(c.constant)}, "
                f'which always answering "{c.label}" would get'
            )


@rule("TE211", severity="warning", title="a few rows hold most of the loss",
      fix="Test on more rows: with more of the rows that go wrong the mean loss settles.")  # fmt: skip
def few_losses(loss_sizes: Sequence[tuple[str, float]]) -> Iterator[str]:
    """Log loss and Brier score of a confident model are near 0 on most rows and large on the few that it gets wrong.

    Their mean then rests on those few. (mean/standard error)² says how many equal losses would be as uncertain; below
    5 the 95 % interval is wide, and where it misses it is mostly too low.
    """
    for name, size in loss_sizes:
        if size < FEW_LOSSES:
            rows = f"effectively {size:.1f} rows"
            yield f"the {name} rests on a few rows with large losses ({rows}): the true one may well be higher"


class RateAtPrior(NamedTuple):
    """How many rows of a class were of one kind ("false alarms"), of how many."""

    what: str
    seen: float
    rows: float

    @property
    def noun(self) -> str:
        """What was seen, in the singular where it was one."""
        return self.what.removesuffix("es" if self.what == "misses" else "s") if self.seen == 1 else self.what


@rule("TE214", severity="warning", title="few errors behind a metric at another class mix",
      fix="Test on more rows of that class, and go by the limits: the estimate alone says little.")  # fmt: skip
def few_errors_at_prior(rates_at_prior: Sequence[RateAtPrior], metrics_at_prior: tuple[str, ...]) -> Iterator[str]:
    """At another class mix the errors of one class are multiplied: where positives are rare, a false alarm counts much.

    No false alarm among 40 negatives gives a precision of 1, yet 1 negative in 12 may be one, and at 5 % positives
    precision is then .32. The rule fires below 5 errors, or below 5 rows that were right, of a class. The limits hold
    (.93 to .99, exact), but they are wide, and the estimate is mostly too good.
    """
    few = [r for r in rates_at_prior if r.seen < FEW_EVENTS]
    if few and metrics_at_prior:
        seen = [f"{'no' if r.seen == 0 else f'only {whole(r.seen)}'} {r.noun} in {whole(r.rows)} rows" for r in few]
        rest = "rests" if len(metrics_at_prior) == 1 else "rest"
        yield f"{listing(list(metrics_at_prior[:4]))} at this class mix {rest} on {listing(seen)}"


@rule("TE215", severity="warning", title="one more row or cluster of the worst kind would undo the difference",
      fix="Test on more rows of the kind that decides, and treat the difference as open until then.")  # fmt: skip
def fragile_difference(undone_by: float, significant: bool, undone_unit: str | None = None) -> Iterator[str]:
    """A sample knows nothing of a kind of row that it does not hold: a disaster in one row of a hundred, a positive
    ranked last, a patient on whom one model fails throughout.

    The rule asks how many more rows (or clusters) on which one model alone fails would take the limit back to no
    difference. A failed row is called wrongly, scores as rows of the other class do, or has the label that its forecast
    makes dearest. The rule fires where half of one is enough, the pseudo-count of Haldane and Jeffreys. It changes no
    limit, no p-value and no verdict; a gate answers "cannot tell" where it fires.
    """
    if significant and undone_by <= HALF_A_UNIT:
        yield f"the difference is fragile: {undone_in_words(undone_by, undone_unit)}"


class GradesSeen(NamedTuple):
    """How many rows and how many different grades there are, the lowest and highest of them, and of the scale."""

    rows: int
    different: int
    lowest: float
    highest: float
    scale: tuple[float, float]


@rule("TE218", severity="note", title="the grades hardly differ",
      fix="Check that the right column and scale were read; harder questions would show differences.")  # fmt: skip
def equal_grades(grades_seen: GradesSeen) -> Iterator[str]:
    """Where all grades are equal, nothing shows how far others would lie: the limits rest on the number of rows and the
    scale alone. Two different grades that are not the ends of the scale are mostly right and wrong, written otherwise,
    and then te.graded with 0 and 1 has shorter limits.
    """
    g = grades_seen
    if g.rows > 1 and g.different == 1:
        end = ", an end of the scale" if g.lowest in g.scale else ""
        yield f"all {whole(g.rows)} grades are {number(g.lowest)}{end}: the limits rest on the number of rows alone"
    elif g.rows >= 20 and g.different == 2 and (g.lowest, g.highest) != g.scale:
        yield (
            f"the {whole(g.rows)} grades are {number(g.lowest)} or {number(g.highest)} and nothing else, on a scale "
            f"from {g.scale[0]:g} to {g.scale[1]:g}"
        )


class ClassErrors(NamedTuple):
    """The errors of a class, or its hits where those are fewer, of how many rows, and its share of the uncertainty."""

    label: str
    seen: float
    rows: float
    share: float


def shares_of_uncertainty(successes: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much of the variance of the mean of the classes' shares each class carries: p̃(1 − p̃)/n over their sum.

    p̃ = (x + ½)/(n + 1), so that a class without an error does not pass for certain.

    >>> import numpy as np
    >>> shares_of_uncertainty(np.array([24.0, 24.0, 290.0]), np.array([25.0, 25.0, 300.0])).round(2)
    array([0.49, 0.49, 0.03])
    """
    share, rest = (successes + 0.5) / (rows + 1), (rows - successes + 0.5) / (rows + 1)
    variances = np.where(rows > 0, share * rest / np.maximum(rows, 1.0), 0.0)
    return np.asarray(variances / max(float(variances.sum()), 1e-300), dtype=np.float64)


@rule("TE216", severity="note", title="few errors in the classes that decide a mean",
      fix="Collect more rows of these classes; more rows of the common ones help little.")  # fmt: skip
def few_errors_by_class(class_errors: Sequence[ClassErrors], class_means: tuple[str, ...]) -> Iterator[str]:
    """Balanced accuracy, macro-F1 and their kin weigh a class of 25 rows as much as one of 3,000, so the small classes
    decide how sure they are, however many rows there are in all.

    The rule fires where a class that carries more than a fifth of the uncertainty shows fewer than 3 errors, or fewer
    than 3 hits: one row more or less there moves the mean by 1/(classes × rows of the class).
    """
    few = [c for c in class_errors if c.seen < FEW_OF_CLASS and c.share > LARGE_SHARE]
    if few and class_means:
        classes = [f'"{c.label}" ({whole(c.seen)} of {whole(c.rows)})' for c in few[:4]]
        rest = "rests" if len(class_means) == 1 else "rest"
        yield f"{listing(list(class_means[:4]))} {rest} on few errors or few hits in {listing(classes)}"


# Rows of a class of which some should be found.
ENOUGH_TO_FIND = 5


def never_found(confusion: Confusion) -> tuple[tuple[str, int], ...]:
    """The classes of at least five rows of which none was found, with their rows; none where rows are only graded."""
    if is_graded(confusion):
        return ()
    of_all = confusion.classes(weighted=False)
    counts = zip(confusion.labels, of_all.truth, of_all.hits, strict=True)
    return tuple((str(label), int(n)) for label, n, hits in counts if n >= ENOUGH_TO_FIND and hits == 0)


@rule("TE408", severity="warning", title="a class of which no row is found",
      fix="Lower the threshold, weigh the class in training, or choose by cost; do not praise this model.")  # fmt: skip
def finds_none(never_found: tuple[tuple[str, int], ...]) -> Iterator[str]:
    """A model that never finds a class is of no use to whoever asks for it, however good its accuracy.

    The rule fires where not one of five or more rows of a class is found.
    """
    if never_found:
        missed = listing([f'{whole(n)} rows of "{label}"' for label, n in never_found[:4]])
        more = f" (and {len(never_found) - 4} more classes)" if len(never_found) > 4 else ""
        yield f"found none of the {missed}{more}"


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
    identical: bool,
    one_answer: Label | None = None,
    cut: bool = False,
    graded: bool | None = None,
    n: float | None = None,
) -> Iterator[str]:
    """Two models with the same scores, or the same labels or grades on every row, right or wrong, are usually one model
    read twice.

    Two whose scores differ but never cross the threshold answer every row alike too: that is said of the threshold, not
    of the columns.
    """
    rows = "" if n is None else f" ({whole(n)} rows)"
    if one_answer is not None:
        at = " at this threshold" if cut else ""
        yield f'both always answer "{one_answer}"{at}{rows}: their answers never differ'
    elif identical:
        answers = "have the same grade in every row" if graded else "give every row the same label"
        yield f"the two {answers}{rows}: the same column twice?"


@rule("TE407", severity="note", title="the best of many models",
      fix="Test the chosen model on rows that had no part in choosing it; of learners and settings, choose inside the "
          'training rows (te.NestedCV) or correct for the choice (method="bbc-cv").')  # fmt: skip
def winners_curse(
    n_models: int, best: str, not_different_from_best: int, expected: Interval | None = None, resampled: bool = False
) -> Iterator[str]:
    """The best of many estimates is the best partly by luck, so it is too high on average (the winner's curse).

    The rule fires when at least four others show no clear difference from the best one: then luck had enough to choose
    from. Choosing inside the training rows (nested cross-validation) or the bootstrap of the choice itself (bbc-cv)
    tell what to expect of the chosen one.
    """
    if not_different_from_best + 1 >= MANY_MODELS:
        what = "learners" if resampled else "models"
        honest = "; the plan NestedCV, or an estimate by bbc-cv, allows for the choice" if resampled else ""
        e = expected
        expect = "" if e is None else f"; expect {with_limits(e.estimate, e.low, e.high)}"
        yield (
            f"{best} is the best of {whole(n_models)} {what}, and {whole(not_different_from_best)} are "
            f"too close to it to call: its estimate is probably too good{expect}{honest}"
        )


class WorstSlice(NamedTuple):
    """The worst of several slices by a metric: its own figure, what to expect of it, how many others are close."""

    metric: str
    name: str
    slices: int
    lowest: bool
    own: float
    expected: Interval
    close: int


@rule("TE414", severity="note", title="the worst of many slices",
      fix="Look at other rows of this slice before acting on it; te.gaps tests whether slices differ.")  # fmt: skip
def worst_of_many_slices(worst_slice: WorstSlice) -> Iterator[str]:
    """The worst of many slices is the worst partly by luck, and small slices most of all.

    The rule fires when at least four others show no clear difference from the worst one. What to expect of it has
    limits that allow for its having been picked.
    """
    s, e = worst_slice, worst_slice.expected
    if s.close + 1 >= MANY_MODELS:
        yield (
            f"{s.name} is the {'lowest' if s.lowest else 'highest'} of {whole(s.slices)} slices by {s.metric} "
            f"({number(s.own)}), and {whole(s.close)} are too close to it to call: it probably looks worse than it is; "
            f"expect {with_limits(e.estimate, e.low, e.high)}"
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
        spans = [
            listing([f"{number(a)} to {number(b)}" for w, a, b in crossing.regions if w == name]) for name in names
        ]
        advantages = "; ".join(f"{m} finds more at an FPR of {where}" for m, where in zip(names, spans, strict=True))
        yield f"their ROC curves cross: {advantages}"


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
    widest = shares[:, int(np.argmax(np.ptp(shares, axis=0)))]
    mixes = f"one class is {100 * widest.min():.0f} to {100 * widest.max():.0f} % of the rows"
    yield f"the class mixes differ ({mixes}) and {metrics[0]} depends on the mix: compare all at one mix"


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
        listed = [f"{group} ({rows})" for group, rows in list(groups.items())[:4]]
        more = [f"{len(groups) - 4} more"] if len(groups) > 4 else []
        yield f"left out of the gap in {metric}, with fewer than {fewest} rows that count: {', '.join(listed + more)}"
