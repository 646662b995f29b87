"""te.read: predictions from files and data frames."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import Label, label_from_text
from trueerror.inputs.options import check_word
from trueerror.inputs.settings import current, memory_bytes
from trueerror.inputs.weights import WeightsKind
from trueerror.rows.building import build
from trueerror.rows.collecting import absent_notes
from trueerror.rows.frames import open_frame
from trueerror.rows.gathering import given_rows
from trueerror.rows.layout import Options
from trueerror.rows.logs.recognising import log_reader, read_log
from trueerror.rows.pivot import widen
from trueerror.rows.predictions import Predictions, Roles
from trueerror.rows.roles import Asked, ColumnChoice, ModelChoice, resolve
from trueerror.rows.source import Source
from trueerror.rows.tables import Table
from trueerror.rows.thresholds import Threshold
from trueerror.tallies import Missing


def read(
    path_or_table: Any,
    *,
    truth: str | None = None,
    models: ModelChoice = None,
    label: str | None = None,
    score: Any = None,
    positive: Any = None,
    id: ColumnChoice = None,
    cluster: ColumnChoice = None,
    by: str | None = None,
    fold: ColumnChoice = None,
    repeat: ColumnChoice = None,
    weight: ColumnChoice = None,
    weights_kind: WeightsKind | None = None,
    labels: Iterable[Any] | None = None,
    missing: Missing = "error",
    threshold: Threshold = None,
    budget: str | int | None = None,
) -> Predictions:
    """Predictions from files (CSV, TSV, Parquet, JSON, JSON Lines; .gz; folders, patterns, lists of paths) or a frame.

    "-" is standard input. Folders called key=value make a column of text, in Parquet files.

    Logs of lm-evaluation-harness, Inspect and WEKA are recognised (see `te.logs`; `score` then names the measure).

    Wide tables (a column for each model, or pairs like svm_label and svm_score, or one score column a class) and long
    ones (model, id, truth, label, score) both work. Columns with plain names are recognised, and all can be named:
    `models=["a", "b"]`, or `models={"svm": {"label": "c1", "score": "c2"}}`, where the score may be {class: column}.
    `False` for id, cluster, fold, repeat or weight says that there is none. `.roles` shows how columns were read.
    Lazy tables (DuckDB relations, polars LazyFrames, PySpark DataFrames, Ibis tables) stay in their engine and are
    counted there. `budget="2GB"` is the memory that the tables of a file or a lazy table may take, if not that of
    te.config: beyond it scores are binned, and results say between which values the exact ones lie.

    >>> p = read({"y_true": [0, 1, 1], "svm": [0.2, 0.9, 0.4], "forest": [0, 1, 1], "city": ["Oslo", "Rome", "Lima"]})
    >>> print(p)
    Read 3 rows (2 positive): 1 model with scores: svm; 1 with labels: forest.
    Note: Left out: 'city' (text).
    """
    check_word(missing, ("error", "wrong", "drop"), "missing")
    if weights_kind is not None:
        check_word(weights_kind, ("frequency", "sampling"), "weights_kind")
    given_labels = None if labels is None else list(labels)
    if isinstance(weight, str) and weights_kind is None:
        raise InputError(
            f'weight={weight!r} needs weights_kind="frequency" (a row stands for so many equal rows) or "sampling" '
            "(a row stands for a share of the population): the intervals differ"
        )
    reader = log_reader(path_or_table)
    if reader is not None:
        named = {
            "truth": truth, "models": models, "label": label, "id": id, "cluster": cluster, "by": by, "fold": fold,
            "repeat": repeat, "weight": weight, "labels": labels, "threshold": threshold,
        }  # fmt: skip
        return read_log(path_or_table, reader, score=score, positive=positive, missing=missing, **named)
    table = _open(path_or_table)
    about_files: tuple[str, ...] = getattr(table, "notes", ())
    asked = Asked(
        truth=truth,
        models=models,
        label=label,
        score=score,
        id=id,
        cluster=cluster,
        by=by,
        fold=fold,
        repeat=repeat,
        weight=weight,
        weights_kind=weights_kind,
        labels=given_labels,
        positive=positive,
    )
    layout, known = resolve(table, asked)
    if weights_kind is not None and layout.weight is None:
        raise InputError(f"weights_kind={weights_kind!r} was given, but no weight column: name it with weight=")
    room = current().budget_bytes if budget is None else memory_bytes(budget)
    if layout.model is not None:
        wanted = None if models is None or isinstance(models, str) else list(models)
        table, layout = widen(table, layout, wanted, room)
    order = layout.declared if given_labels is None else known[: len(given_labels)]
    options = Options(
        labels=order,
        positive=_typed(positive, known),
        weights_kind=weights_kind if layout.weight is not None else None,
        missing=missing,
        threshold=threshold,
        budget=None if budget is None else room,
    )
    # Counted where the rows are; where something is wrong, a look at the rows says what.
    source: Source = table.counted(layout, options) or build(given_rows(table, layout, options))
    return Predictions(
        source=source,
        roles=Roles(layout.words),
        notes=(*absent_notes(source.facts), *about_files, *layout.notes),
        backend=table.backend,
    )


def _open(path_or_table: Any) -> Table:
    paths = isinstance(path_or_table, str | os.PathLike)
    if isinstance(path_or_table, list | tuple):
        paths = bool(path_or_table) and all(isinstance(p, str | os.PathLike) for p in path_or_table)
        if not paths:
            raise InputError("te.read takes a path, a list of paths, or a data frame; arrays go to te.predictions")
    if not paths:
        return open_frame(path_or_table)
    from trueerror.rows.opening import open_files

    return open_files(path_or_table)


def _typed(positive: Any, labels: tuple[Label, ...]) -> Any:
    return label_from_text(positive, labels) if isinstance(positive, str) else positive
