"""TE1xx: findings about the rows themselves."""

from __future__ import annotations

from collections.abc import Iterator

from trueerror.findings.rules import Evidence, rule
from trueerror.results.words import listing, percent, whole

FEW_ROWS = 30
FEW_OF_A_CLASS = 10


@rule(
    "TE101",
    severity="warning",
    title="fewer than 30 rows",
    fix="Test on more rows; trueerror sample-size says how many an interval of a given width takes.",
    needs=("confusion",),
)
def few_rows(e: Evidence) -> Iterator[str]:
    """With fewer than 30 rows every interval is wide and approximations are coarse.

    A score on 20 rows moves by five points with each row. The interval says so; the estimate alone does not.
    """
    assert e.confusion is not None
    if 0 < e.confusion.n < FEW_ROWS:
        yield f"only {e.confusion.n} rows: read the interval, not the estimate"


@rule(
    "TE102",
    severity="warning",
    title="fewer than 10 rows of a class",
    fix="Collect more rows of the rare class, or leave its recall and F1 out of the comparison.",
    needs=("confusion",),
)
def few_of_a_class(e: Evidence) -> Iterator[str]:
    """Recall, F1 and every macro average lean on each class's own rows, however many rows there are in all."""
    t = e.confusion
    assert t is not None
    if t.n < FEW_ROWS:
        return  # TE101 has said it
    totals = t.classes(weighted=False).truth
    rare = sorted((n, str(label)) for label, n in zip(t.labels, totals, strict=True) if 0 < n < FEW_OF_A_CLASS)
    if rare:
        shown = listing([f"{label} ({n:.0f})" for n, label in rare[:4]] + (["others"] if len(rare) > 4 else []))
        yield f"fewer than {FEW_OF_A_CLASS} rows of {shown}: recall and F1 there are hardly known"


@rule(
    "TE103",
    severity="note",
    title="strong imbalance while reading accuracy",
    fix="Read balanced accuracy, recall and precision of the rare class, or the cost, beside accuracy.",
    needs=("confusion", "metrics"),
)
def imbalance(e: Evidence) -> Iterator[str]:
    """When nearly all rows are of one class, accuracy mostly says how common that class is."""
    t = e.confusion
    assert t is not None
    if t.n == 0 or "accuracy" not in e.facts["metrics"]:
        return
    totals = t.classes(weighted=False).truth
    share, index = totals.max() / t.n, int(totals.argmax())
    if 0.9 <= share < 1:
        yield (
            f"{percent(round(float(share), 3))} of the rows are {t.labels[index]}: accuracy says little here, "
            "look at the other classes' recall"
        )


@rule(
    "TE104",
    severity="error",
    title="the truth is constant",
    fix="Check that the right column was read as the truth, and that the test set holds every class.",
    needs=("confusion",),
)
def constant_truth(e: Evidence) -> Iterator[str]:
    """With one class alone a classifier cannot show that it tells classes apart."""
    t = e.confusion
    assert t is not None
    totals = t.classes(weighted=False).truth
    if t.n > 0 and (totals > 0).sum() == 1:
        yield f"all {whole(t.n)} rows are {t.labels[int(totals.argmax())]}: nothing can be told apart"


@rule(
    "TE105",
    severity="note",
    title="a class that does not occur",
    fix="Leave the class out of labels=, or test on rows that hold it.",
    needs=("confusion",),
)
def absent_class(e: Evidence) -> Iterator[str]:
    """A class with neither rows nor predictions leaves the macro averages; the average is over the others."""
    t = e.confusion
    assert t is not None
    margins = t.classes(weighted=False)
    empty = [str(v) for v, a, b in zip(t.labels, margins.truth, margins.predicted, strict=True) if a == 0 and b == 0]
    if empty and t.n > 0 and len(t.labels) > 2:
        shown = listing([*empty[:4], *(["others"] if len(empty) > 4 else [])])
        yield f"no row is {shown} and none was predicted so: left out of the averages"


@rule(
    "TE106",
    severity="warning",
    title="more classes predicted than exist",
    fix="Check that truth and predictions use the same labels.",
    needs=("confusion",),
)
def invented_class(e: Evidence) -> Iterator[str]:
    """A label that is predicted but never true is often a spelling that differs between two columns."""
    t = e.confusion
    assert t is not None
    if t.n < FEW_ROWS:
        return
    margins = t.classes(weighted=False)
    invented = [
        (int(b), str(v)) for v, a, b in zip(t.labels, margins.truth, margins.predicted, strict=True) if a == 0 and b > 0
    ]
    if invented and (margins.truth > 0).sum() > 1:
        shown = listing([f"{label} ({n:,} times)" for n, label in sorted(invented, reverse=True)[:4]])
        yield f"predicted {shown}, a label that no row has"
