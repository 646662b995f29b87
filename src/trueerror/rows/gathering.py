"""From a table and its roles to columns in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from trueerror.rows.building import GivenModel, GivenRows
from trueerror.rows.layout import Layout, Options
from trueerror.rows.tables import Table


def given_rows(table: Table, layout: Layout, options: Options) -> GivenRows:
    """The columns of a wide table, each with its place for messages."""

    def place(column: str) -> str:
        return f"column {column!r} of {table.name}"

    models = {}
    for name, model in layout.models.items():
        scores: Any = None
        classes = None
        at = place(model.label or name)
        if model.score is not None:
            scores, at = table.values(model.score), place(model.score)
        elif model.class_scores is not None:
            classes = tuple(model.class_scores)
            scores = np.stack([table.values(c) for c in model.class_scores.values()], axis=1)
            at = f"the scores of {name} in {table.name}"
        models[name] = GivenModel(
            labels=None if model.label is None else table.values(model.label),
            scores=scores,
            classes=classes,
            place_of_labels=place(model.label or name),
            place_of_scores=at,
        )
    places: dict[str, str] = {"truth": place(layout.truth)}
    places |= {} if layout.id is None else {"ids": place(layout.id)}
    places |= {str(kind): place(column) for kind, column in layout.keys.items()}
    return GivenRows(
        truth=table.values(layout.truth),
        models=models,
        labels=options.labels,
        positive=options.positive,
        ids=None if layout.id is None else table.values(layout.id),
        keys={kind: table.values(column) for kind, column in layout.keys.items()},
        weights=None if layout.weight is None else table.values(layout.weight),
        weights_kind=options.weights_kind,
        missing=options.missing,
        threshold=options.threshold,
        places=places,
        name=table.provenance,
    )
