"""Rows on a GPU: tallies are counted there, and only they come back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Floats, check_probabilities, on_device, same_length
from trueerror.inputs._labels import Codes, Label, check_labels, find_label, natural_labels, with_declared
from trueerror.kernels import _device as device
from trueerror.kernels._device import DeviceArray
from trueerror.sources._keys import truth_fingerprint
from trueerror.sources._models import GivenModel
from trueerror.sources._predictions import (
    Facts,
    KeyedLosses,
    KeyKind,
    Keys,
    Loss,
    ModelFacts,
    ScoreRange,
    Threshold,
    apply_threshold,
    labels_only,
    settled_threshold,
)
from trueerror.sources.engines import _group_tallies as groups
from trueerror.sources.engines._array_source import ArraySource, ModelColumns
from trueerror.tallies import Agreement, Confusion, KeyedAgreement, KeyedConfusion, Missing, Moments, ScoreTable
from trueerror.tallies._moments import Placements

UNSCORED = ScoreRange(np.nan, np.nan)


class DeviceColumns(NamedTuple):
    """One model on the device: labels as one-byte codes, one score a row, and the lowest and highest score."""

    labels: DeviceArray | None = None
    scores: DeviceArray | None = None
    reach: ScoreRange = UNSCORED


@dataclass(frozen=True, eq=False, kw_only=True)
class DeviceSource:
    """Columns on a GPU. What cannot be counted there is asked of the same rows in memory."""

    facts: Facts
    truth: DeviceArray
    columns: Mapping[str, DeviceColumns]
    name: str = ""

    @property
    def memory_budget(self) -> None:
        return None

    @property
    def binning(self) -> str:
        return ""

    def with_facts(self, facts: Facts) -> DeviceSource:
        return replace(self, facts=facts)

    @cached_property
    def _in_memory(self) -> ArraySource:
        columns = {
            name: ModelColumns(
                None if c.labels is None else device.to_host(c.labels).astype(np.int64),
                None if c.scores is None else device.to_host(c.scores),
            )
            for name, c in self.columns.items()
        }
        return ArraySource(facts=self.facts, truth=self.truth_codes(), columns=columns, keyed={}, name=self.name)

    def fetched(self) -> ArraySource:
        return self._in_memory

    def scored_rows(self, models: Sequence[str]) -> ArraySource:
        return self._in_memory

    def truth_counts(self) -> NDArray[np.int64]:
        return device.count_cells([self.truth], [len(self.facts.labels)])

    def truth_codes(self) -> Codes:
        return device.to_host(self.truth).astype(np.int64)

    def fingerprint(self) -> str:
        return truth_fingerprint(self.truth_codes(), self.facts.labels)

    # Labels.

    def _called(self, model: str, threshold: float | None) -> DeviceArray:
        """The predicted label of each row, as one-byte codes."""
        rule = self.facts.decision_rule(model, threshold)
        labels, scores, _ = self.columns[model]
        if rule.kind == "labels":
            return labels
        positive = self.facts.positive
        assert positive is not None
        assert scores is not None
        cut = settled_threshold(model, rule.threshold, lambda: self.score_range(model))
        above = scores.astype(np.float64) >= cut if scores.dtype.itemsize < 4 else scores >= _not_below(cut, scores)
        flags = above.view(np.uint8)
        return flags if self.facts.labels.index(positive) else 1 - flags

    def confusion(self, model: str, *, threshold: float | None = None) -> Confusion:
        truth, called, counts = self._cells([self.truth, self._called(model, threshold)])
        return groups.confusion(self.facts, truth, called, groups.WeightedCounts(counts), self.name)

    def agreement(self, first: str, second: str, *, threshold: float | None = None) -> Agreement:
        called = [self._called(model, threshold) for model in (first, second)]
        truth, a, b, counts = self._cells([self.truth, *called])
        return groups.agreement_table(self.facts, truth, a, b, groups.WeightedCounts(counts))

    def _cells(self, parts: list[DeviceArray]) -> tuple[NDArray[np.int64], ...]:
        """The codes of each combination that rows have, and how many rows."""
        sizes = [len(self.facts.labels)] * len(parts)
        counts = device.count_cells(parts, sizes)
        occupied = np.flatnonzero(counts)
        return (*np.unravel_index(occupied, sizes), counts[occupied])

    def keyed_confusion(self, model: str, kind: KeyKind, *, threshold: float | None = None) -> KeyedConfusion:
        return self.fetched().keyed_confusion(model, kind, threshold=threshold)

    def keyed_agreement(
        self, first: str, second: str, kind: KeyKind, *, threshold: float | None = None
    ) -> KeyedAgreement:
        return self.fetched().keyed_agreement(first, second, kind, threshold=threshold)

    # Scores.

    def _score(self, model: str) -> DeviceArray:
        self.facts.model(model)
        scores = self.columns[model].scores
        if scores is None:
            raise labels_only("this", model)
        return scores

    def _is_positive(self, chosen: Label) -> DeviceArray:
        place = self.facts.labels.index(chosen)
        return self.truth.view(np.bool_) if place and len(self.facts.labels) == 2 else self.truth == place

    @cached_property
    def _sorted(self) -> dict[tuple[str, Label], device.SortedScores]:
        """The scores of each model that were sorted already: its own area and its comparisons ask for the same."""
        return {}

    def _in_order(self, model: str, chosen: Label) -> device.SortedScores:
        if (model, chosen) not in self._sorted:
            scores, reach = self._score(model), self.score_range(model)
            self._sorted[model, chosen] = device.sorted_scores(
                scores, self._is_positive(chosen), (reach.low, reach.high)
            )
        return self._sorted[model, chosen]

    def scores(self, model: str, *, positive: object = None) -> ScoreTable:
        chosen = self.facts.score_class(model, positive)
        return ScoreTable.on_device(self._in_order(model, chosen), chosen, (self.name,) if self.name else ())

    def score_range(self, model: str) -> ScoreRange:
        self._score(model)
        return self.columns[model].reach

    def placements(self, models: Sequence[str], *, positive: object = None) -> Placements:
        """Exact ones, counted on the device: nothing is binned."""
        chosen = [self.facts.score_class(model, positive) for model in models]
        areas, up, down, m, n = device.placement_products(
            [self._score(model) for model in models],
            self._is_positive(chosen[0]),
            [self._in_order(model, chosen[0]) for model in models],
        )
        none = np.zeros(len(models))
        return Placements(
            areas=areas, among_positives=up, among_negatives=down, positives=m, negatives=n, slack=none, error=none,
        )  # fmt: skip

    def class_scores(self, model: str) -> tuple[Codes, Floats]:
        return self.fetched().class_scores(model)

    def score_columns(self, models: Sequence[str], *, positive: object = None) -> tuple[NDArray[np.bool_], Floats]:
        return self.fetched().score_columns(models, positive=positive)

    def unscored(self, model: str) -> int:
        return 0

    def side_by_side(self) -> DeviceSource:
        return self

    def expect_scores(self) -> None:
        pass

    def complete(self, models: Sequence[str]) -> DeviceSource:
        return self

    # Losses.

    def _losses(self, model: str, given: Callable[[DeviceArray], DeviceArray]) -> DeviceArray:
        """One loss a row, by the probability that the true class was given."""
        reach = self.score_range(model)
        if self.facts.n:
            check_probabilities(np.array([reach.low, reach.high]), f"the scores of {model!r}")
        positive = self.facts.positive
        assert positive is not None
        scores = device.doubles(self._score(model))
        xp = device.module_of(scores)
        return given(xp.where(self._is_positive(positive), scores, 1.0 - scores))

    def moments(self, model: str, loss: Loss) -> Moments:
        given = self._given(loss)
        return self.fetched().moments(model, loss) if given is None else _moments(self._losses(model, given))

    def paired_moments(self, first: str, second: str, loss: Loss) -> Moments:
        given = self._given(loss)
        if given is None:
            return self.fetched().paired_moments(first, second, loss)
        a, b = (self._losses(model, given) for model in (first, second))
        return _moments(a - b)

    def _given(self, loss: Loss) -> Callable[[DeviceArray], DeviceArray] | None:
        """A loss of two classes as a function of the probability that the true one was given; None where it is none."""
        if len(self.facts.labels) != 2 or self.facts.positive is None or (isinstance(loss, partial) and loss.keywords):
            return None
        of_truth: Callable[[DeviceArray], DeviceArray] | None = getattr(getattr(loss, "func", loss), "of_truth", None)
        return of_truth

    def keyed_losses(self, model: str, kind: KeyKind, loss: Loss) -> KeyedLosses:
        return self.fetched().keyed_losses(model, kind, loss)

    def paired_keyed_losses(self, first: str, second: str, kind: KeyKind, loss: Loss) -> KeyedLosses:
        return self.fetched().paired_keyed_losses(first, second, kind, loss)

    # Keys: rows on a device have none.

    def keys(self, kind: KeyKind) -> Keys:
        return self.fetched().keys(kind)

    def subset(self, kind: KeyKind, value: object) -> ArraySource:
        return self.fetched().subset(kind, value)


def _not_below(cut: float, scores: DeviceArray) -> DeviceArray:
    """The least score of the column's own type that is not below the cut, so that both compare alike."""
    kind = scores.dtype.type
    near = kind(cut)
    return near if float(near) >= cut else np.nextafter(near, kind(np.inf))


def _moments(values: DeviceArray) -> Moments:
    n = len(values)
    if n == 0:
        return Moments(0, 0.0, 0.0)
    mean = float(values.sum()) / n
    if not np.isfinite(mean):
        return Moments(n, mean, np.inf)
    apart = values - mean
    squares = apart * apart
    return Moments(n, mean, *(float(x.sum()) for x in (squares, squares * apart, squares * squares)))


def device_source(
    truth: object,
    models: Mapping[str, GivenModel],
    *,
    labels: Sequence[object] | None,
    positive: object,
    missing: Missing,
    threshold: Threshold,
) -> DeviceSource | None:
    """The rows where they are, if all columns lie on a GPU and are of kinds that can be counted there; else None.

    Labels are whole numbers or booleans, at most 254 of them; scores one column of floats without NaN.
    """
    given = [truth, *(m.labels for m in models.values()), *(m.scores for m in models.values())]
    if not models or not all(on_device(values) for values in given if values is not None):
        return None
    arrays = {
        name: DeviceColumns(
            None if m.labels is None else device.shared(m.labels), None if m.scores is None else device.shared(m.scores)
        )
        for name, m in models.items()
    }
    true = device.shared(truth)
    scores = [c.scores for c in arrays.values() if c.scores is not None]
    if any(s.ndim != 1 or s.dtype.kind != "f" for s in scores):
        return None
    ranges = {
        name: ScoreRange(*map(float, device.reach(c.scores)))
        for name, c in arrays.items()
        if c.scores is not None and len(c.scores)
    }
    whole = [true, *(c.labels for c in arrays.values() if c.labels is not None)]
    if (
        any(np.isnan((reach.low, reach.high)).any() for reach in ranges.values())
        or any(w.ndim != 1 for w in whole)
        or len({w.dtype.kind == "b" for w in whole}) > 1
    ):
        return None
    label_values = [device.distinct_values(w) for w in whole]
    if any(f is None for f in label_values):
        return None
    lengths = {"truth": true}
    for name, m in models.items():
        lengths |= {m.place_of_labels: arrays[name].labels} if m.labels is not None else {}
        lengths |= {m.place_of_scores: arrays[name].scores} if m.scores is not None else {}
    same_length(lengths)
    known = np.unique(np.concatenate([f.values for f in label_values if f is not None]))
    order = natural_labels(known.tolist()) if labels is None else check_labels(labels)
    declared = labels is not None
    if not declared and positive is not None:
        wider = with_declared(order, positive)
        declared, order = wider != order, wider
    if list(order) != known.tolist() or len(order) < 2:
        return None  # labels in an order of their own, or some that no row has: coded in memory
    chosen = None if positive is None else find_label(positive, order)
    coded = iter(
        [device.code_labels(w, known, column_values) for w, column_values in zip(whole, label_values, strict=True)]
    )
    coded_truth = next(coded)
    columns = {
        name: DeviceColumns(None if c.labels is None else next(coded), c.scores, ranges.get(name, UNSCORED))
        for name, c in arrays.items()
    }
    facts = [
        ModelFacts(name=name, has_labels=c.labels is not None, scores="none" if c.scores is None else "one")
        for name, c in columns.items()
    ]
    return DeviceSource(
        facts=Facts(
            n=len(true), labels=tuple(order), chosen=chosen, models=apply_threshold(facts, threshold),
            declared=declared, missing=missing,
        ),
        truth=coded_truth,
        columns=columns,
    )  # fmt: skip
