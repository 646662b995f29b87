"""Two sets of predictions of the same rows as one, so that their models can be compared pair by pair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Column
from trueerror.inputs._labels import Codes, Label, merge_labels, smallest
from trueerror.inputs._options import InputError
from trueerror.sources._grades import UNIT, as_grades
from trueerror.sources._keys import join_rows, plain_id
from trueerror.sources._predictions import KINDS, Predictions
from trueerror.sources.engines._array_source import ArraySource, ModelColumns

DIFFERENT = "for models on different rows, pass paired=False"


def pair(first: Predictions, second: Predictions) -> Predictions:
    """The models of both on the rows of the first: joined on ids where both have them, else by the same truth.

    Models of the same name become "name (first)" and "name (second)". Anything that shows that the rows
    are not the same rows is an error.

    >>> import trueerror as te
    >>> a = te.predictions([0, 1, 1], {"svm": [0, 1, 0]}, ids=["x", "y", "z"])
    >>> b = te.predictions([1, 0, 1], {"forest": [1, 0, 1]}, ids=["z", "x", "y"])
    >>> pair(a, b).agreement("svm", "forest").discordance()
    Discordance(both_right=2, only_first=0, only_second=1, both_wrong=0)
    """
    a, b = first.source.fetched(), second.source.fetched()
    if first.scale != second.scale:
        a, b = _on_one_scale(first, a), _on_one_scale(second, b)
    _same_rules(a, b)
    labels = _common_labels(a, b)
    if a.ids is not None and b.ids is not None:
        b = b.take(_joined(a, b))
        _same_truth(a, b)
    elif a.facts.n != b.facts.n:
        raise InputError(
            f"the first has {a.facts.n:,} rows and the second {b.facts.n:,}, so they are not the same rows; give both "
            f"ids to join them, or {DIFFERENT}"
        )
    elif a.fingerprint() != b.fingerprint():
        raise InputError(
            "the truth of the first is not that of the second, so they are not the same rows in the same order; give "
            f"both ids to join them, or {DIFFERENT}"
        )
    if a.weights is not None and b.weights is not None and not np.array_equal(a.weights, b.weights):
        raise InputError("the two give the same rows different weights")
    names = _names(first.models, second.models)
    columns: dict[str, ModelColumns] = {}
    models = []
    for source, given in ((a, names[: len(first.models)]), (b, names[len(first.models) :])):
        for facts, name in zip(source.facts.models, given, strict=True):
            columns[name] = _moved(source.columns[facts.name], source.facts.labels, labels, facts.name)
            models.append(replace(facts, name=name))
    keyed = {kind: (a if kind in a.keyed else b).keyed[kind] for kind in KINDS if kind in a.keyed or kind in b.keyed}
    chosen = a.facts.chosen if a.facts.chosen is not None else b.facts.chosen
    joined = ArraySource(
        facts=replace(
            a.facts,
            labels=labels,
            chosen=chosen,
            models=tuple(models),
            declared=a.facts.declared or b.facts.declared,
            kinds=tuple(keyed),
            has_ids=a.ids is not None or b.ids is not None,
        ),
        truth=_recoded(a.truth, a.facts.labels, labels),
        columns=columns,
        keyed=keyed,
        ids=a.ids if a.ids is not None else b.ids,
        weights=a.weights,
        name=a.name,
    )
    said = dict.fromkeys((*first.notes, *second.notes))
    of_columns = {*first.roles.left_out, *second.roles.left_out} & {*said}
    together = first.roles.beside(second.roles).left_out if of_columns else ()
    return Predictions(
        source=joined,
        roles=first.roles,
        notes=(*(note for note in said if note not in of_columns), *together),
        backend=first.backend or second.backend,
    )


def _on_one_scale(p: Predictions, source: ArraySource) -> ArraySource:
    """Rows that are right or wrong as grades of 0 and 1, beside others that carry grades."""
    return as_grades(source, UNIT) if p.scale is None and p.graded else source


def _same_rules(a: ArraySource, b: ArraySource) -> None:
    if a.facts.scale != b.facts.scale:
        scales = [f"from {s[0]:g} to {s[1]:g}" if (s := x.facts.scale) else "with classes" for x in (a, b)]
        raise InputError(f"the first has rows {scales[0]} and the second {scales[1]}: give both the same scale=")
    mine, other = a.facts.positive, b.facts.positive
    if mine is not None and other is not None and mine != other:
        raise InputError(f"positive is {mine!r} in the first and {other!r} in the second")
    if a.facts.missing != b.facts.missing:
        raise InputError(f"missing is {a.facts.missing!r} in the first and {b.facts.missing!r} in the second")
    if a.facts.weights_kind != b.facts.weights_kind:
        raise InputError("one of the two has weights that the other lacks; give both the same weights, or none")


def _joined(a: ArraySource, b: ArraySource) -> NDArray[np.int64]:
    try:
        return join_rows(_full_ids(a), _full_ids(b))
    except InputError as error:
        raise InputError(f"the two do not hold the same rows: {error}; keep the common rows, or {DIFFERENT}") from None


def _full_ids(source: ArraySource) -> Column:
    """Ids, together with the repeat where rows are repeated."""
    assert source.ids is not None
    if "repeats" not in source.keyed:
        return source.ids
    codes, names = source.keyed["repeats"]
    both = np.empty(len(codes), dtype=object)
    both[:] = [(plain_id(i), names[c]) for i, c in zip(source.ids, codes, strict=True)]
    return both


def _same_truth(a: ArraySource, b: ArraySource) -> None:
    labels = merge_labels({"the first": a.facts.labels, "the second": b.facts.labels})
    mine, other = _recoded(a.truth, a.facts.labels, labels), _recoded(b.truth, b.facts.labels, labels)
    differ = mine != other
    if differ.any():
        assert a.ids is not None
        row = int(np.argmax(differ))
        raise InputError(
            f"the truth of id {plain_id(a.ids[row])!r} is {labels[mine[row]]!r} in the first but "
            f"{labels[other[row]]!r} in the second ({int(differ.sum()):,} such rows); the two are not the same rows"
        )


def _common_labels(a: ArraySource, b: ArraySource) -> tuple[Label, ...]:
    if a.facts.labels == b.facts.labels:
        return a.facts.labels
    # An order that the user gave comes first; labels that only the other knows follow.
    merged = merge_labels({"the first": a.facts.labels, "the second": b.facts.labels})
    if not (a.facts.declared or b.facts.declared):
        return merged
    lead = a.facts.labels if a.facts.declared else b.facts.labels
    return (*lead, *(v for v in merged if v not in lead))


def _names(first: tuple[str, ...], second: tuple[str, ...]) -> list[str]:
    twice = set(first) & set(second)
    return [f"{n} (first)" if n in twice else n for n in first] + [f"{n} (second)" if n in twice else n for n in second]


def _recoded(codes: Codes, old: tuple[Label, ...], new: tuple[Label, ...]) -> Codes:
    if old == new:
        return codes
    position = {label: i for i, label in enumerate(new)}
    # One more place at the end serves the code −1 of absent labels.
    table = np.array([*(position[v] for v in old), -1], dtype=smallest(len(new)))
    return table[codes]


def _moved(columns: ModelColumns, old: tuple[Label, ...], new: tuple[Label, ...], name: str) -> ModelColumns:
    labels = None if columns.labels is None else _recoded(columns.labels, old, new)
    scores = columns.scores
    if scores is not None and scores.ndim == 2 and old != new:
        if len(old) != len(new):
            lacking = next(v for v in new if v not in old)
            raise InputError(f"{name!r} has no score for {lacking!r}, which the other one has; give both labels=")
        scores = scores[:, [old.index(v) for v in new]]
    return ModelColumns(labels, scores)
