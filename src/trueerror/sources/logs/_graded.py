"""Right or wrong, item by item: what the readers of logs have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

from trueerror.inputs._arrays import Numeric
from trueerror.inputs._options import FileError, InputError, nearest
from trueerror.sources._collect import predictions
from trueerror.sources._predictions import Predictions, Roles
from trueerror.tallies import Missing
from trueerror.tallies._confusion import GRADES, RIGHT, WRONG

# Which measure says right or wrong: one, or several of which each log takes the first that it has.
Measures = str | Sequence[str] | None


class Item(NamedTuple):
    """One answer: `right` is None where there is none. `mark` tells items apart that have the same id in two files."""

    right: bool | None
    cluster: str = ""
    mark: str = ""


@dataclass(slots=True)
class Run:
    """What one model did on one task. `measure` is what decided between right and wrong."""

    model: str
    task: str
    measure: str
    place: str
    items: dict[str, Item] = field(default_factory=dict)
    note: str = ""

    def add(self, key: str, item: Item) -> None:
        """One more item; the same one twice is an error."""
        if key in self.items:
            raise FileError(f"{self.place} holds item {key} more than once")
        self.items[key] = item


def graded(runs: Iterable[Run], *, missing: Missing = "error") -> Predictions:
    """Runs of any models on any tasks as predictions: rows are items, joined on their ids; tasks are slices."""
    runs = list(runs)
    if not runs or not any(run.items for run in runs):
        raise FileError(f"{runs[0].place if runs else 'the log'} holds no graded items")
    tasks = tuple(dict.fromkeys(run.task for run in runs))
    by_model: dict[str, dict[tuple[str, str], Item]] = {}
    for run in runs:
        mine = by_model.setdefault(run.model, {})
        for key, item in run.items.items():
            if (run.task, key) in mine:
                raise FileError(
                    f"{run.place} is another run of {run.model} on {run.task}: read one of the two, or name them, as "
                    'in {"first": path, "second": path}'
                )
            mine[run.task, key] = item
    keys = list(dict.fromkeys(key for items in by_model.values() for key in items))
    _same_items(by_model, keys)
    called = {
        model: [_word(items.get(key)) for key in keys] for model, items in by_model.items()
    }  # fmt: skip
    clusters = [next((i.cluster for m in by_model.values() if (i := m.get(key)) is not None), "") for key in keys]
    several = len(tasks) > 1
    ids = [f"{task}: {key}" if several else key for task, key in keys]
    made = predictions(
        [RIGHT] * len(keys),
        called,
        labels=GRADES,
        ids=ids,
        clusters=[f"{k[0]}: {c}" if several else c for k, c in zip(keys, clusters, strict=True)] if _grouped(clusters)
        else None,
        by=[task for task, _ in keys] if several else None,
        missing=missing,
    )  # fmt: skip
    words = {run.measure: f"right or wrong of {', '.join(by_model)}" for run in runs}
    notes = dict.fromkeys(run.note for run in runs if run.note)
    return replace(made, roles=Roles({"id": "id", **words}), notes=(*made.notes, *notes))


def _word(item: Item | None) -> str | None:
    if item is None or item.right is None:
        return None
    return RIGHT if item.right else WRONG


def _grouped(clusters: list[str]) -> bool:
    """Whether some items belong together: epochs of one question, say."""
    return len(set(clusters)) < len(clusters) and any(clusters)


def _same_items(by_model: Mapping[str, Mapping[tuple[str, str], Item]], keys: list[tuple[str, str]]) -> None:
    """Models that answered other questions under the same ids cannot be paired."""
    for key in keys:
        marks = {m: items[key].mark for m, items in by_model.items() if key in items and items[key].mark}
        if len(set(marks.values())) > 1:
            names = list(marks)
            raise InputError(
                f"item {key[1]} of {key[0]} is not the same for {names[0]} and {names[1]}: their logs hold different "
                "questions, so the models cannot be compared row by row"
            )


def grade(value: object, right_from: float | None, place: str) -> bool | None:
    """A score as right or wrong: 1 is right, 0 is wrong, None and NaN are no answer; others need `right_from`."""
    if value is None or isinstance(value, bool):
        return value
    try:
        number = float(cast("Numeric", value))
    except (TypeError, ValueError):
        raise FileError(f"{place} is {value!r:.40}, which is neither right nor wrong") from None
    if math.isnan(number):
        return None
    if right_from is not None:
        return number >= right_from
    if number in (0.0, 1.0):
        return number == 1.0
    raise FileError(
        f"{place} is {number:g}, which is neither right (1) nor wrong (0): pass right_from=, the score from which an "
        "answer counts as right"
    )


def first_of(asked: Measures, names: list[str], name_of: Callable[[str], str] = str) -> str | None:
    """Of several measures that were asked for, the first that a log has; the first one where it has none of them."""
    if asked is None or isinstance(asked, str):
        return asked
    return next((word for word in asked if name_of(word) in names), next(iter(asked), None))


def one_measure(names: list[str], asked: str | None, place: str, what: str) -> str:
    """The one measure of a log, or the one asked for; several are never guessed between."""
    if asked is not None:
        if asked in names:
            return asked
        raise InputError(f"{place} has no {what} {asked!r}{nearest(asked, names)}")
    if len(names) == 1:
        return names[0]
    if not names:
        raise FileError(f"{place} holds no {what}")
    raise InputError(f"{place} has several {what}s, {', '.join(map(repr, names[:12]))}: choose one with score=")
