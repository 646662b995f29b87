"""What must hold before an engine may count rows where they are, and the facts that follow: common to all engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import Label, check_labels, find_label, merge_labels, natural_labels, ordered, plain_label
from trueerror.inputs.weights import WeightsKind
from trueerror.rows.layout import Layout, Options
from trueerror.rows.source import KINDS, Facts, ModelFacts
from trueerror.rows.tables import Table
from trueerror.rows.thresholds import apply_threshold

NUMBERS = ("boolean", "integer", "number")


class CountingTable(Table, Protocol):
    """A table whose engine answers a few more questions."""

    def absent(self, columns: Sequence[str]) -> int:
        """How many rows lack a value in one of these columns."""
        ...

    def all_distinct(self, columns: Sequence[str]) -> bool:
        """Whether no two rows agree in all of these columns."""
        ...

    def weights_sound(self, column: str, kind: WeightsKind) -> bool:
        """Whether weights are what their kind says."""
        ...


def counted_facts(table: CountingTable, layout: Layout, options: Options) -> Facts | None:
    """The facts of a wide table, or None where something is wrong that a look at the rows explains best."""
    n = table.n
    needed = [layout.truth, *layout.keys.values(), *([layout.weight] if layout.weight else [])]
    if any(table.filled(column) < n for column in needed) or not _sound(table, layout, options.weights_kind):
        return None
    try:
        seen = {"truth": _labels(table, layout.truth)}
        for name, model in layout.models.items():
            if model.label is not None:
                seen[f"the labels of {name}"] = _labels(table, model.label)
            if any(table.kind(c) not in NUMBERS for c in model.columns()[model.label is not None :]):
                return None
        order = natural_labels(merge_labels(seen)) if options.labels is None else check_labels(options.labels)
        chosen = None if options.positive is None else find_label(options.positive, order)
    except InputError:
        return None
    known = frozenset(order)
    if any(value not in known for values in seen.values() for value in values):
        return None
    if any(m.class_scores is not None and set(m.class_scores) != known for m in layout.models.values()):
        return None
    models = tuple(
        ModelFacts(
            name=name,
            has_labels=model.label is not None,
            scores="one" if model.score is not None else "each" if model.class_scores is not None else "none",
            absent=table.absent(model.columns()),
        )
        for name, model in layout.models.items()
    )
    if options.missing == "error" and any(m.absent for m in models):
        return None
    return Facts(
        n=n,
        labels=order,
        chosen=chosen,
        models=apply_threshold(models, options.threshold),
        declared=options.labels is not None,
        kinds=tuple(kind for kind in KINDS if kind in layout.keys),
        has_ids=layout.id is not None,
        weights_kind=options.weights_kind,
        missing=options.missing,
    )


def _labels(table: CountingTable, column: str) -> tuple[Label, ...]:
    """The distinct labels of a column; a value that is none raises."""
    values = table.few(column, table.n) or ()
    if table.kind(column) == "other":
        raise InputError(f"column {column!r} holds neither text nor numbers")
    return ordered(plain_label(value, f"column {column!r}") for value in values)


def _sound(table: CountingTable, layout: Layout, weights_kind: WeightsKind | None) -> bool:
    """Whether ids differ from row to row and weights are what their kind says."""
    if layout.id is not None:
        repeats = [layout.keys["repeats"]] if "repeats" in layout.keys else []
        if not table.all_distinct([layout.id, *repeats]):
            return False
    if layout.weight is None:
        return weights_kind is None
    if weights_kind is None or table.kind(layout.weight) not in NUMBERS:
        return False
    return table.weights_sound(layout.weight, weights_kind)


def named_keys(found: list[tuple[Any, ...]]) -> tuple[list[tuple[Any, ...]], tuple[Label, ...]]:
    """Distinct raw keys, of one column or of two (repeat and fold), in the order of their names, and those names."""
    width = len(found[0]) if found else 1
    named = [_names(sorted({row[i] for row in found}, key=_key_order)) for i in range(width)]
    order = [{label: i for i, label in enumerate(ordered(names.values()))} for names in named]
    rows = sorted(found, key=lambda row: [order[i][named[i][value]] for i, value in enumerate(row)])
    if width == 1:
        return rows, tuple(named[0][value] for (value,) in rows)
    return rows, tuple(f"repeat {named[0][r]}, fold {named[1][f]}" for r, f in rows)


def _key_order(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value


def _names(values: Sequence[Any]) -> dict[Any, Label]:
    """Keys as labels; where one is no label, all go by their text."""
    try:
        return {value: plain_label(value) for value in values}
    except InputError:
        return {value: str(value) for value in values}
