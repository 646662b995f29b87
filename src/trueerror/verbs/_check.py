"""`te.check`: what should a reader of this evaluation know, before believing it?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

from trueerror.findings import Evidence, Findings, find
from trueerror.findings._rules import sorted_findings
from trueerror.inputs._options import InputError, MissingPredictionError, RepeatedIdError
from trueerror.sources._collect import is_openable, opened, takes_whole_rows
from trueerror.sources._duplicates import duplicate_rows, repeated_sample, shared_rows
from trueerror.sources._open_tables import columns_for, held
from trueerror.sources._predictions import Predictions
from trueerror.sources._table_types import is_lazy
from trueerror.tallies import Confusion
from trueerror.verbs._evaluate import evaluate, evaluate_predictions
from trueerror.verbs._evidence import identical_calls
from trueerror.verbs._model_metrics import Settings
from trueerror.verbs._training_gap import training_gap_evidence


@takes_whole_rows()
def check(source: Any, *, training: Any = None, **columns: Any) -> Findings:
    """What the evaluation linter finds: coded findings, worst first; none is good news.

    `source` is what `te.predictions` or `te.read` gave, a path or a data frame (`columns` go to `te.read`), counts
    (`te.Confusion`), or a result that has findings already (an Evaluation, a Comparison, a Ranking). `training` takes
    the same models' predictions for the rows that they were trained on: test rows among them, and the gap between
    both, are then looked for. The page "Findings" of the documentation explains every code.

    >>> import trueerror as te
    >>> print(te.check(te.Confusion([[95, 0], [5, 0]])))
    ! TE102 fewer than 10 rows of 1 (5): recall and F1 there are hardly known
    ! TE201 right on 95.0 % of the rows, no more than the 95.0 % that always answering "0" gets
    ! TE408 found none of the 5 rows of "1"
    ...
    """
    if not is_lazy(source) and isinstance(getattr(source, "findings", None), Findings):
        if training is not None or columns:
            raise InputError("a result has its findings already; pass predictions or a file to check them anew")
        findings: Findings = source.findings
        return findings
    if isinstance(source, Confusion):
        if training is not None:
            raise InputError("training= needs rows, but a confusion matrix has only counts")
        return evaluate(source).findings
    given, seen = _opened(source, columns_for(source, training, columns))
    known = None if training is None else _opened(training, columns_for(training, source, columns))[0]
    return check_predictions(given, seen, known)


def lenient(reader: Callable[..., Predictions], **options: Any) -> tuple[Predictions, Evidence]:
    """Rows read although ids repeat or predictions are missing, and what was seen: a linter reports what others
    refuse.
    """
    repeated, undecided = None, False
    while True:
        try:
            read_rows = reader(**options)
        except RepeatedIdError as error:
            options, repeated = {**options, "id": False}, (error.rows, error.example)
        except MissingPredictionError:
            options, undecided = {**options, "missing": "drop"}, True
        else:
            absent = (tuple((m, read_rows.absent(m)) for m in read_rows.models), read_rows.n) if undecided else None
            return read_rows, Evidence(repeated_ids=repeated, undecided=absent)


def check_predictions(p: Predictions, seen: Evidence | None = None, training: Predictions | None = None) -> Findings:
    """The findings about rows, about each model, about models that are one, and about the training rows."""
    about_rows = replace(seen or Evidence(), repeats=repeated_sample(p), doubled=duplicate_rows(p))
    # Without slices, each of which has an evaluation of its own; rows are judged by themselves above.
    judged = p.one_round().without("repeats", "slices")
    evidence = [about_rows, *_identical_models(judged)]
    if training is not None:
        overlap = shared_rows(judged, training)
        if overlap is not None:
            evidence.append(Evidence(training_overlap=overlap))
        evidence += training_gap_evidence(judged, training)
    models = evaluate_predictions(judged, Settings(), sliced=False).findings
    if about_rows.undecided is not None:
        # What they were treated as is no finding of its own then.
        models = models.without("TE206")
    return sorted_findings([*find(evidence), *models])


def _opened(source: Any, columns: dict[str, Any]) -> tuple[Predictions, Evidence]:
    if isinstance(source, Predictions):
        return opened(source, **columns), Evidence()
    if not is_openable(source):
        raise InputError(
            f"cannot check a {type(source).__name__}: pass a path, a data frame, or what te.predictions, te.read, "
            "te.evaluate or te.compare gave"
        )

    # A stream is over when it was read, and rows with gaps are read again.
    source = held(source)

    def reader(**options: Any) -> Predictions:
        return opened(source, **options)

    return lenient(reader, **columns)


def _identical_models(p: Predictions) -> Iterator[Evidence]:
    """Pairs of models that answer every row alike; equal confusion matrices first, since they are counted anyway."""
    matrices: dict[bytes, list[str]] = {}
    for model in p.models:
        if p.has_predictions(model):
            t = p.confusion(model)
            matrices.setdefault(b"".join(a.tobytes() for a in (t.row, t.col, t.counts)), []).append(model)
    for names in matrices.values():
        for first, second in combinations(names, 2):
            calls = identical_calls(p, p.agreement(first, second), (first, second))
            if calls is not None:
                yield Evidence(model=f"{first} and {second}", **calls)
