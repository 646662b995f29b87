"""TE1xx: findings about the rows themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trueerror.findings._rules import rule
from trueerror.results._format import listing, percent, whole
from trueerror.sources._duplicates import DuplicateRows, Overlap, RepeatedRows
from trueerror.tallies import Confusion
from trueerror.tallies._confusion import is_graded

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
        shown = listing([f"{label} ({n:.0f})" for n, label in rare[:4]] + (["others"] if len(rare) > 4 else []))
        yield f"fewer than {FEW_OF_A_CLASS} rows of {shown}: recall and F1 there are hardly known"


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
        yield (
            f"{percent(round(float(share), 3))} of the rows are {t.labels[index]}: accuracy says little here, "
            "look at the other classes' recall"
        )


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
        shown = listing([*empty[:4], *(["others"] if len(empty) > 4 else [])])
        yield f"no row is {shown} and none was predicted so: left out of the averages"


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
        shown = listing([f"{label} ({n:,} times)" for n, label in sorted(invented, reverse=True)[:4]])
        yield f"predicted {shown}, a label that no row has"


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

    Without a repeat column the rule goes by a truth that repeats itself from end to end.
    """
    times = f"{whole(repeats.times)} times"
    seen = f"{whole(repeats.items)} rows stand there {times}"
    if repeats.declared:
        yield f"{seen}, once for each repeat: pooled, each would count {times}; one repeat was judged"
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
        shown = listing([f"{first} lacks {most} of {whole(n)} predictions", *others, *more])
        yield f"{shown}; those rows were left out here"
