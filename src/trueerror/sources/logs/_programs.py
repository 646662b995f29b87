"""Tables of other programs, known by the names of their columns."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from trueerror.sources._predictions import ONE_MODEL
from trueerror.sources._tables import InputTable, remade
from trueerror.sources.columns._names import FOLD, MODEL, PREDICTED, REPEAT, SCORE, TRUTH, bare, marked
from trueerror.sources.columns._roles import MOST_CLASSES, NUMERIC, ColumnRequest


def nested_chances(value: object) -> dict[str, float] | None:
    """The probability of each class in one cell: a list (classes 0, 1, …), BigQuery's label and prob, Spark's vector,
    label and score of Hugging Face's pipelines or Argilla, Vertex AI's classes and scores.

    >>> nested_chances("[0.25, 0.75]"), nested_chances([{"label": "no", "prob": 1.0}])
    ({'0': 0.25, '1': 0.75}, {'no': 1.0})
    """
    if isinstance(value, str):
        try:
            value = json.loads(value.replace("'", '"'))
        except (json.JSONDecodeError, RecursionError):
            return None
    if isinstance(value, Mapping) and {"classes", "scores"} <= set(value):
        value = [{"label": c, "score": s} for c, s in zip(value["classes"], value["scores"], strict=False)]
    if isinstance(value, Mapping) and "values" in value:
        value = value["values"]
    for way in ("toArray", "tolist"):
        value = getattr(value, way)() if callable(getattr(value, way, None)) else value
    if not isinstance(value, list | tuple) or not value:
        return None
    for word in ("prob", "score"):
        if all(isinstance(one, Mapping) and {"label", word} <= set(one) for one in value):
            return {str(one["label"]): float(one[word]) for one in value}
    if all(isinstance(one, list | tuple) and len(one) == 2 and isinstance(one[0], str) for one in value):
        return {label: float(chance) for label, chance in value}
    if all(isinstance(one, int | float) and not isinstance(one, bool) for one in value):
        return {str(i): float(one) for i, one in enumerate(value)}
    return None


def spread_probabilities(table: InputTable) -> InputTable:
    """The table with a column for each class in the place of a column that holds all probabilities of a row."""
    found: dict[str, dict[str, list[float]]] = {}
    for column in table.columns:
        nested = bare(column) in SCORE | PREDICTED or bare(column).endswith("probs")
        if not nested or table.kind(column) not in ("other", "text") or not table.filled(column):
            continue
        first = table.first(column, 1)
        if nested_chances(first[0]) is None:
            continue
        rows = [nested_chances(value) for value in table.values(column)]
        names = _class_names(table, column, rows)
        base = re.sub(r"[ _]probs$", "", column)
        mine = marked(base) if base in table.columns else None
        stem = f"{mine.model}_prob" if mine is not None and mine.model else "prob"
        if names is not None:
            found[column] = {
                f"{stem}_{name}": [math.nan if row is None else row.get(key, math.nan) for row in rows]
                for key, name in names.items()
            }
    if not found:
        return table
    alone = {c for c in table.columns if bare(c) in SCORE and c not in found and "probability" in bare(c)}
    kept = [c for c in table.columns if c not in found and c not in alone and not _lists_classes(table, c)]
    columns: dict[str, object] = {c: table.values(c) for c in kept}
    for spread in found.values():
        columns |= spread
    return remade(table, columns)


RESAMPLE = re.compile(r"(?P<fold>Fold\d+)[._ ](?P<repeat>Rep(?:eat)?\d+)", re.IGNORECASE)


def split_resamples(table: InputTable) -> InputTable:
    """The table with a column of folds and one of repeats in the place of caret's Fold1.Rep1."""
    for column in table.columns:
        if bare(column) not in FOLD | {"resample"} or table.kind(column) != "text" or not table.filled(column):
            continue
        if RESAMPLE.fullmatch(str(table.first(column, 1)[0])) is None:
            continue
        parts = [RESAMPLE.fullmatch(str(value)) for value in table.values(column)]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts) or any(bare(c) in REPEAT for c in table.columns):
            continue
        columns: dict[str, object] = {c: table.values(c) for c in table.columns}
        columns |= {column: [part["fold"] for part in known], "repeat": [part["repeat"] for part in known]}
        return remade(table, columns)
    return table


def _lists_classes(table: InputTable, column: str) -> bool:
    """Whether a column holds the same list of classes in every row, as SageMaker writes it beside probabilities."""
    values = table.few(column, 1) if bare(column) == "labels" and table.kind(column) in ("text", "other") else None
    return bool(values) and str((values or ("",))[0]).startswith("[")


def _class_names(table: InputTable, column: str, rows: list[dict[str, float] | None]) -> dict[str, str] | None:
    """Key in a cell → class: as it says itself, as a column of classes beside it says, or by number."""
    keys = list(dict.fromkeys(key for row in rows if row is not None for key in row))
    if not all(key.isdigit() for key in keys):
        return {key: key for key in keys}
    listed = next((c for c in table.columns if _lists_classes(table, c)), None)
    if listed is not None:
        names = re.findall(r"[^\[\],'\"\s][^\[\],'\"]*", str(table.first(listed, 1)[0]))
        return dict(zip(keys, names, strict=True)) if len(names) == len(keys) else None
    return {key: key for key in keys}


class Spelling(NamedTuple):
    """How a program calls the columns of its predictions: by patterns, in which {truth} is what the labels' name says.

    `truth` are its names for the truth; where there are none, it is the one column that holds the labels' values.
    `anybody` may call columns so: a column whose own name says truth goes first.
    """

    label: str
    score: str
    truth: tuple[str, ...] = ("{truth}",)
    id: str = ""
    fold: str = ""
    repeat: str = ""
    anybody: bool = False


PROGRAMS = (
    # KNIME, RapidMiner, SAS (two procedures), SPSS Modeler, DataRobot
    Spelling(r"Prediction \((?P<truth>.+?)\)(?P<model>.*)", r"P \({truth}=(?P<label>.+)\)(?P<model>.*)"),
    Spelling(r"prediction\((?P<truth>.+)\)", r"confidence\((?P<label>.+)\)"),
    Spelling(r"I_(?P<truth>.+)", r"P_{truth}(?P<label>.+)", ("F_{truth}", "{truth}")),
    Spelling(r"_INTO_", r"IP_(?P<label>.+)", ("_FROM_",)),
    Spelling(r"\$(?P<model>[A-Z])-(?P<truth>.+)", r"\$(?P<model>[A-Z])RP-{truth}"),
    Spelling(r"(?P<truth>.+)_PREDICTION", r"{truth}_(?P<label>.+)_PREDICTION", ("{truth}", "{truth} (actual)")),
    # mlr3 (benchmarks too), caret, tidymodels, CatBoost, SPSS
    Spelling(r"response", r"prob\.(?P<label>.+)", ("truth",), id="row_ids", fold="iteration"),
    Spelling(r"pred", r"(?P<label>.+)", ("obs",), id="rowIndex", fold="Resample"),
    Spelling(r"\.pred_class", r"\.pred_(?P<label>.+)", (), id=".row", fold="id2", repeat="id"),
    Spelling(r"\.pred_class", r"\.pred_(?P<label>.+)", (), id=".row", fold="id"),
    Spelling(r"Class", r"Probability(:Class=(?P<label>.+))?", ("Label",), id="SampleId"),
    Spelling(r"PGR_\d+", r"PRE_\d+", ()),
    # Orange; BigQuery and whoever calls what is predicted after the truth
    Spelling(r"(?P<model>.+)", r"(?P<model>.+) \((?P<label>.+)\)", (), fold="Fold"),
    Spelling(r"(?i:pred|predicted|prediction)[_ .](?P<truth>.+)", r"{truth}_prob_(?P<label>.+)", anybody=True),
    Spelling(r"(?P<truth>.+)[_ .](?i:pred|predicted|prediction)", r"{truth}_(?:prob|score)", anybody=True),
)


def as_programs_write(table: InputTable, asked: ColumnRequest) -> ColumnRequest:
    """The request with truth and models by name, where the columns are called as a program calls its predictions."""
    if any(choice is not None for choice in (asked.models, asked.label, asked.score)):
        return asked
    for program in PROGRAMS:
        request = _written_by(program, table, asked)
        if request is not None:
            return request
    return asked


def _written_by(program: Spelling, table: InputTable, asked: ColumnRequest) -> ColumnRequest | None:
    columns = table.columns
    if program.repeat and not {program.fold, program.repeat} <= set(columns):
        return None
    if program.anybody and any(bare(c) in TRUTH for c in columns):
        return None
    labels = [m for c in columns if (m := re.fullmatch(program.label, c))]
    if not program.truth:
        # Whose probabilities stand beside it is a model, and not the truth.
        scored = {_whose(m) for c in columns if table.kind(c) in NUMERIC and (m := re.fullmatch(program.score, c))}
        labels = [m for m in labels if _whose(m) in scored]
    labels = [m for m in labels if table.few(m[0], MOST_CLASSES)]
    for label in labels:
        name = label.groupdict().get("truth") or ""
        label_words = _class_words(table, label[0])
        pattern = program.score.replace("{truth}", re.escape(name))
        scores = [m for c in columns if table.kind(c) in NUMERIC and (m := re.fullmatch(pattern, c))]
        named = [t.format(truth=name) for t in program.truth]
        if not program.truth:
            beside = {program.id, program.fold, *(m[0] for m in (*labels, *scores))}
            named = [c for c in columns if c not in beside and _class_words(table, c) == label_words]
        truths = [c for c in ([asked.truth] if asked.truth else named) if c in columns and c != label[0]]
        if not truths or (len(truths) > 1 and not program.truth):
            continue
        classes = _class_words(table, truths[0]) | label_words
        models: dict[str, dict[str, Any]] = {
            _whose(m): {"label": m[0]} for m in labels if (m.groupdict().get("truth") or "") == name
        }
        for one in scores:
            mine, of = models.get(_whose(one)), one.groupdict().get("label")
            if mine is not None and (of is None or of in classes):
                mine["score"] = one[0] if of is None else {**mine.get("score", {}), of: one[0]}
        for model in models.values():
            if isinstance(model.get("score"), dict) and model["score"].keys() != classes:
                del model["score"]
        # Words that anybody may use are a program's own only beside its scores.
        if name or any("score" in model for model in models.values()):
            id_ = asked.id if asked.id is not None or program.id not in columns else program.id
            fold = asked.fold if asked.fold is not None or program.fold not in columns else program.fold
            made = replace(asked, truth=truths[0], id=id_, fold=fold, repeat=asked.repeat or program.repeat or None)
            whose = next((c for c in columns if bare(c) in MODEL and table.kind(c) == "text"), None)
            if whose is not None and len(models) == 1:  # a row for each model and item
                return replace(made, models=whose, **next(iter(models.values())))
            return replace(made, models=models)
    return None


def _class_words(table: InputTable, column: str) -> set[str]:
    """The values of a column as names of classes; none where there are too many, or fractions."""
    values = table.few(column, MOST_CLASSES) or ()
    if table.kind(column) == "number" and not table.is_whole(column):
        return set()
    return {str(int(v)) if isinstance(v, float) else str(v) for v in values}


def _whose(column: re.Match[str]) -> str:
    return (column.groupdict().get("model") or "").strip(" _-()") or ONE_MODEL
