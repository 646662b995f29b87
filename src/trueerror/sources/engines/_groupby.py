"""Rows that an engine counts by GROUP BY: all of `Source`, from the questions that an `AnyTable` answers.

`counted_facts` says what must hold before an engine may count rows where they are, and what is known of them then.

Losses of two classes are summed where the rows are: of all models, and of all pairs row by row, by one look at them. A
loss that is a function of the probability which the true class was given is written once, for arrays; `Chance` writes
it as an expression of the engine. Sums are taken about the loss of the first rows, so that no digits cancel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Array, Floats, WeightsKind
from trueerror.inputs._cells import are_dates, date_names
from trueerror.inputs._labels import (
    Codes,
    Label,
    check_labels,
    code_column,
    find_label,
    merge_answers,
    natural_labels,
    ordered,
    plain_label,
    recode,
)
from trueerror.inputs._memory import byte_amount, need_memory
from trueerror.inputs._options import InputError
from trueerror.inputs._settings import current
from trueerror.sources._collect import build, given_rows
from trueerror.sources._keys import truth_fingerprint
from trueerror.sources._predictions import (
    KINDS,
    DecisionRule,
    Facts,
    KeyedLosses,
    KeyKind,
    Keys,
    Loss,
    ModelFacts,
    ScoreRange,
    apply_threshold,
    labels_only,
    pick_key,
    settled_threshold,
)
from trueerror.sources._tables import Layout, Options
from trueerror.sources.engines import _group_tallies as groups
from trueerror.sources.engines._array_source import ArraySource, moments_of, probabilities, table_moments
from trueerror.sources.engines._engine_table import FIRST_ROWS, MOST_CELLS, AnyTable, Chance, Weight
from trueerror.sources.engines._score_bins import (
    EXACT_BYTES,
    TARGET,
    Bins,
    binned_by_groups,
    guessed_distinct,
    placements_by_groups,
    ranges_by_key,
)
from trueerror.tallies import Agreement, Confusion, KeyedAgreement, KeyedConfusion, Moments, ScoreTable
from trueerror.tallies._moments import Placements

Ints = NDArray[np.int64]
# What a row takes for each model, and once besides, while models are ranked side by side.
RANKED_BYTES = 48
# What a distinct score takes where the engine groups rows by it: its own table of groups, and ours.
GROUPED_BYTES = 200
# With fewer rows grouping takes no time, whatever it finds.
MANY_ROWS = 1 << 18
# Combinations of keys and answers that are counted in one scan.
MOST_CELLS_APART = 1 << 22
NUMBERS = ("boolean", "integer", "number")
# A loss as a function of the probability of the true class, of arrays and of expressions.
OfTruth = Callable[[Any], Any]
# One model, or two whose losses are subtracted.
Models = tuple[str, ...]
# What the rows of each key, by its place, remember.
Remembered = dict[int, dict[Any, Any]]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GroupedSource:
    """A wide table in an engine; nothing but counts leaves it, unless a method needs rows."""

    facts: Facts
    layout: Layout
    table: AnyTable
    # What was counted already and serves more than one question; with other facts it is forgotten.
    memory: dict[Any, Any] = field(default_factory=dict)
    # Bytes; None for the budget of te.config.
    budget: int | None = None
    # Rows that were fetched, by whether labels and ids are there, and whose scores: the same whatever the facts.
    held: dict[tuple[bool, bool, frozenset[str]], ArraySource] = field(default_factory=dict)
    # The rows of which these are the slice (of this kind and name), where those fit into memory.
    whole: tuple[GroupedSource, KeyKind, Label] | None = None
    # Areas are compared in bins, and each model's own comes of the same bins.
    paired: bool = False

    @property
    def name(self) -> str:
        """Where the rows are from."""
        return self.table.provenance

    def with_facts(self, facts: Facts) -> Self:
        """The same rows, seen with other facts."""
        if self.whole is None:
            return replace(self, facts=facts, memory={})
        source, kind, name = self.whole
        # The whole knows of which slices it is made, also where these have no more slices of the kind.
        kinds = (*facts.kinds, *({kind} - set(facts.kinds)))
        whole = source.with_facts(replace(facts, n=source.facts.n, kinds=kinds))
        return replace(self, facts=facts, memory={}, whole=(whole, kind, name))

    # groups.Groups.

    def group(self, keys: Sequence[groups.GroupKey], *, weighted: bool = True) -> groups.Groups:
        """The rows counted by keys; `weighted=False` counts rows whatever their weights."""
        return self.table.group(keys, weight=self.weight() if weighted else None)

    def weight(self) -> Weight | None:
        """What rows weigh."""
        kind, column = self.facts.weights_kind, self.layout.weight
        return None if kind is None or column is None else Weight(column, kind)

    def nearly_distinct(self, column: str) -> bool:
        """Whether grouping by a column would hardly make fewer groups than rows, so that it does not pay."""
        n = self.facts.n
        if n * EXACT_BYTES > self.memory_budget or (n < MANY_ROWS and not self.table.costly_queries):
            return False
        # The first rows are known already, and mostly enough: a larger sample is a query more.
        first = self.table.first(column, FIRST_ROWS).astype(np.float64)
        guess = _guessed(first)
        if self.table.costly_queries and guess <= n // 8:
            return 2 * guess >= len(first) ** 2 / 21
        return guess > n // 8 or self.guessed_distinct(column) > n // 8

    def about_distinct(self, column: str) -> int:
        """About how many distinct values a column has, rather too many than too few."""
        known: dict[str, int] = self.memory.setdefault("distinct", {})
        if column not in known:
            guess = self.guessed_distinct(column)
            # A sample without repetitions shows that there are many, without a look at all rows.
            if guess * GROUPED_BYTES > 4 * self.memory_budget:
                known[column] = min(int(guess), self.facts.n)
            else:
                # Of all columns of scores at once, where one look at the rows serves every model.
                known |= self.table.estimated_distinct([column, *(c for c in self._scored() if c not in known)])
        return known[column]

    def guessed_distinct(self, column: str) -> float:
        """How many distinct values a column has, as a sample of its rows shows."""
        return _guessed(self.table.samples([column, *self._scored()])[column])

    def score_ranges(self) -> dict[str, ScoreRange]:
        """Between which values the scores of each model that has some lie, by one look at the rows."""
        table, d = self.table, self.table.dialect
        names = self.scored_columns()
        ranges = {c: table.range(c) for columns in names.values() for c in columns}
        wanted = {f"r{i}": table.number(c) for i, c in enumerate(ranges) if ranges[c] is None}
        for i, columns in enumerate(names.values()):
            if len(columns) > 1:
                wanted[f"s{i}"] = sum((table.number(c) for c in columns[1:]), table.number(columns[0]))
        ends = [(d.lowest(e).alias(f"{key}low"), d.highest(e).alias(f"{key}high")) for key, e in wanted.items()]
        limits = table.ask(*(end for pair in ends for end in pair)) if wanted else {}

        def asked(key: str) -> tuple[float, float]:
            low, high = (math.nan if (v := limits[f"{key}{end}"]) is None else float(v) for end in ("low", "high"))
            return low, high

        known = {c: asked(f"r{i}") if ends is None else ends for i, (c, ends) in enumerate(ranges.items())}
        return {
            model: ScoreRange(
                min(known[c][0] for c in columns),
                max(known[c][1] for c in columns),
                *(asked(f"s{i}") if len(columns) > 1 else ()),
            )
            for i, (model, columns) in enumerate(names.items())
        }

    def key_values(self, kind: KeyKind) -> tuple[list[tuple[object, ...]], tuple[Label, ...]]:
        """The raw values behind each key, in the order of their names, and those names."""
        known: tuple[list[tuple[object, ...]], tuple[Label, ...]] | None = self.memory.get(("keys", kind))
        if known is None:
            columns: list[groups.GroupKey] = [groups.ColumnValue(c) for c in key_columns(self.layout, kind)]
            tallies = self._raw_by_key(kind) or self.table.group(columns)
            values, names, sizes = groups.named_and_sized(tallies.keys[-len(columns) :], tallies.weighed.counts)
            self.memory["sizes", kind] = sizes
            known = self.memory["keys", kind] = (values, names)
        return known

    def _raw_by_key(self, kind: KeyKind) -> groups.Groups | None:
        """The rows by truth, the labels of all models and the key, where it is known that these make few groups.

        Labels are asked of the keys next: one look at the rows for both.
        """
        memory_key = ("raw by key", kind)
        if memory_key not in self.memory:
            keys: list[groups.GroupKey] = [groups.ColumnValue(c) for c in key_columns(self.layout, kind)]
            wanted = [groups.ColumnValue(self.layout.truth), *self._predictable(None).values(), *keys]
            plain = self.facts.weights_kind is None and all(isinstance(key, groups.ColumnValue) for key in wanted)
            most = self.table.most_groups(wanted) if plain else None
            self.memory[memory_key] = self.group(wanted) if most is not None and most <= MOST_CELLS_APART else None
        known: groups.Groups | None = self.memory[memory_key]
        return known

    def _counted_apart(self, kind: KeyKind) -> dict[int, groups.Groups] | None:
        """What all models answered, for each key, by one scan: the key's place, and its groups of codes.

        None where rows have weights or gaps, a model answers nothing, or there may be many combinations.
        """
        if ("apart", kind) not in self.memory:
            self.memory["apart", kind] = self._count_apart(kind)
        return self.memory["apart", kind]  # type: ignore[no-any-return]

    def _count_apart(self, kind: KeyKind) -> dict[int, groups.Groups] | None:
        used = {c for model in self.layout.models.values() for c in model.columns()}
        complete = all(self.table.filled(c) == self.table.n for c in (self.layout.truth, *used))
        every = [model.name for model in self.facts.models]
        by_key = self._by_key(kind, every, None) if complete and self.facts.weights_kind is None else None
        if by_key is None:
            return None
        (*answers, place), weighed = by_key.ordered()
        cuts = np.flatnonzero(np.diff(place, prepend=-1, append=int(place[-1]) + 1))
        by_place = {}
        for start, stop in pairwise(cuts.tolist()):
            part = slice(start, stop)
            by_place[int(place[start])] = groups.Groups(
                tuple(a[part] for a in answers), weighed.kept(np.arange(start, stop))
            )
        return by_place

    def _counted_within(self, kind: KeyKind, inner: KeyKind) -> Remembered:
        """For each key, by its place, what its rows remember of keys of another kind, such as the folds or clusters of
        a slice: all by one scan, and not one for each. Nothing where these may be many combinations."""
        memory_key = ("within", kind, inner)
        if memory_key not in self.memory:
            self.memory[memory_key] = self._count_within(kind, inner)
        known: Remembered = self.memory[memory_key]
        return known

    def _count_within(self, kind: KeyKind, inner: KeyKind) -> Remembered:
        (keys, names, places_of), (inner_keys, inner_names, inner_places_of) = map(self.key_groups, (kind, inner))
        every = self._predictable(None)
        cells = len(names) * len(inner_names) * len(self.facts.labels) ** (len(every) + 1)
        most = min(cells, self.facts.n)
        if most > MOST_CELLS_APART or most * 8 * (len(every) + 4) > self.memory_budget // 8:
            return {}
        wanted = [groups.ColumnValue(self.layout.truth), *every.values()]
        grouped = self.group([*wanted, *inner_keys, *keys])
        width = len(wanted)
        place = places_of(grouped.keys[width + len(inner_keys) :])
        inner_place = inner_places_of(grouped.keys[width : width + len(inner_keys)])
        (*answers, inner_place, place), weighed = groups.Groups(
            (*self._coded(wanted, grouped), inner_place, place), grouped.weighed
        ).ordered()
        raw = self.key_values(inner)[0]
        within = {}
        cuts = np.flatnonzero(np.diff(place, prepend=-1, append=int(place[-1]) + 1))
        for start, stop in pairwise(cuts.tolist()):
            part = slice(start, stop)
            known, where = np.unique(inner_place[part], return_inverse=True)
            part_weighed = weighed.kept(np.arange(start, stop))
            codes = groups.Groups((*(a[part] for a in answers), where.astype(np.int64)), part_weighed)
            within[int(place[start])] = {
                ("keys", inner): ([raw[i] for i in known], tuple(inner_names[i] for i in known)),
                ("sizes", inner): part_weighed.added(where, len(known)).counts,
                ("by key", inner, None): codes,
            }
        return within

    def _by_key(self, kind: KeyKind, models: Sequence[str], threshold: float | None) -> groups.Groups | None:
        """The truth, the predictions of all models and the key as codes, by one scan; None where they are too many, or
        one of the models named predicts nothing."""
        for model in models:
            self.facts.decision_rule(model, threshold)
        every = self._predictable(threshold)
        if not all(model in every for model in models):
            return None
        memory_key = ("by key", kind, threshold)
        if memory_key not in self.memory:
            keys, names, places_of = self.key_groups(kind)
            cells = (len(self.facts.labels) + any(m.absent for m in self.facts.models)) ** (len(every) + 1)
            if min(len(names) * cells, self.facts.n) > MOST_CELLS_APART:
                self.memory[memory_key] = None
            else:
                wanted = [groups.ColumnValue(self.layout.truth), *every.values()]
                grouped = (self._raw_by_key(kind) if threshold is None else None) or self.group([*wanted, *keys])
                codes = [*self._coded(wanted, grouped), places_of(grouped.keys[len(wanted) :])]
                self.memory[memory_key] = groups.Groups(tuple(codes), grouped.weighed)
        return self.memory[memory_key]  # type: ignore[no-any-return]

    def _keyed(
        self, kind: KeyKind, models: Sequence[str], threshold: float | None
    ) -> tuple[list[Ints], Ints, tuple[Label, ...], groups.WeightedCounts]:
        """The truth and the predictions of some models as codes, in groups, the place of their key, and all keys."""
        keys, names, places_of = self.key_groups(kind)
        grouped = self._by_key(kind, models, threshold)
        if grouped is not None:
            truth, *answers, place = grouped.keys
            at = {model: i for i, model in enumerate(self._predictable(threshold))}
            return [truth, *(answers[at[model]] for model in models)], place, names, grouped.weighed
        truth_key: groups.GroupKey = groups.ColumnValue(self.layout.truth)
        wanted = [truth_key, *(self._predicted_code(model, threshold) for model in models)]
        grouped = self.group([*wanted, *keys])
        return self._coded(wanted, grouped), places_of(grouped.keys[len(wanted) :]), names, grouped.weighed

    def narrowed(self, kind: KeyKind, values: tuple[object, ...]) -> Self:
        """The rows of one key."""
        table = self.table
        for column, value in zip(key_columns(self.layout, kind), values, strict=True):
            table = table.narrowed(column, value)
        return self._over(table, self.facts.models)

    def _over(self, table: AnyTable, models: Iterable[ModelFacts]) -> Self:
        """These models on other rows."""
        given = [(m, self.layout.models[m.name]) for m in models]
        known = tuple(
            replace(m, absent=table.absent(c.columns()), unlabelled=table.absent(c.labels())) for m, c in given
        )
        facts = replace(self.facts, n=table.n, models=known)
        return replace(self, table=table, facts=facts, memory={}, held={}, whole=None)

    def truth_codes(self) -> Codes:
        if self.table.costly_queries:
            need_memory(self.facts.n, 1, f"the rows of {self.table.name}", self.memory_budget)
        values = self.table.pulled([self.layout.truth]).values(self.layout.truth)
        return recode(code_column(values, "truth"), self.facts.labels, "truth")

    def fetched(self) -> ArraySource:
        facts = self.facts
        full = any(m.has_labels for m in facts.models)
        array_source = self._held(facts.by_name, full=full, ids=facts.has_ids)
        if array_source is None and self.whole is not None:
            source, kind, name = self.whole
            array_source = source.fetched().subset(kind, name)
        if array_source is not None:
            return array_source
        layout = self.layout.select(tuple(m.name for m in facts.models))
        layout = layout if facts.has_ids else replace(layout, id=None)
        options = Options(labels=facts.labels, weights_kind=facts.weights_kind, missing=facts.missing)
        models, every = (
            [c for model in part.models.values() for c in model.columns()] for part in (layout, self.layout)
        )
        need_memory(
            facts.n, len(models), f"the rows of {self.table.name}", self.memory_budget, all_columns=len(every),
            clustered="clusters" in facts.kinds,
        )  # fmt: skip
        extra = [column for column in (layout.id, layout.weight) if column is not None]
        # All by one query: an engine may give rows in another order the next time.
        rows = self.table.pulled(list(dict.fromkeys([layout.truth, *models, *layout.keys.values(), *extra])))
        array_source = build(given_rows(rows, layout, options)).with_facts(facts)
        if self._fit(models):
            self.held[full, facts.has_ids, frozenset(facts.by_name)] = array_source
        return array_source

    def _held(self, models: Iterable[str], *, full: bool, ids: bool) -> ArraySource | None:
        for (has_labels, has_ids, names), rows in self.held.items():
            if has_labels >= full and has_ids >= ids and names.issuperset(models):
                return rows.with_facts(self.facts)
        return None

    def _fit(self, columns: Sequence[str]) -> bool:
        """Whether these columns may stay in memory beside a score table that is made of them."""
        return self.facts.n * (EXACT_BYTES + 8 * len(columns)) <= self.memory_budget

    def scored_rows(self, models: Sequence[str]) -> ArraySource:
        """The rows with the scores of these models: of all models, fetched once, where they fit into memory."""
        cached = self._held(models, full=False, ids=False)
        if cached is None and self.whole is not None:
            source, kind, name = self.whole
            cached = source.scored_rows(models).subset(kind, name)
            self.held[False, False, frozenset(cached.columns)] = cached
        if cached is None and "clusters" in self.facts.kinds:
            return self.fetched()
        scored = [m.name for m in self.facts.models if m.scores != "none"] if self._fit(self._scored()) else models
        return cached or self._only(scored).fetched().with_facts(self.facts)

    # What follows from it.

    def truth_counts(self) -> Ints:
        joint: groups.Groups | None = self.memory.get(("joint", None)) or self._joint_by_key()
        if joint is not None and self.facts.weights_kind is None:
            return joint.weighed.added(joint.keys[0], len(self.facts.labels)).counts
        known = self.table.tallied(self.layout.truth)
        if known is not None:
            return np.array([known.get(label, 0) for label in self.facts.labels], dtype=np.int64)
        grouped = self.group([groups.ColumnValue(self.layout.truth)], weighted=False)
        truth = self._codes(grouped.keys[0])
        return grouped.weighed.added(truth, len(self.facts.labels)).counts

    def fingerprint(self) -> str:
        return truth_fingerprint(self.truth_codes(), self.facts.labels)

    def expect_scores(self) -> None:
        """Have the rows fetched that exact score tables will be made of, so that cut scores are counted in them too.

        Of rows with keys and of scores of few values nothing is fetched.
        """
        facts = self.facts
        scored = [m.name for m in facts.models if m.scores == "one" and not m.has_labels]
        plain = facts.weights_kind is None and not facts.kinds and self.whole is None
        if not plain or facts.positive is None or not self._fit(self._scored()):
            return
        columns = [self.score_column(model, facts.positive) for model in scored]
        if columns and len(columns) == len(facts.models) and all(map(self.nearly_distinct, columns)):
            self.scored_rows(scored)

    def _cut_rows(self, models: Sequence[str], threshold: float | None) -> ArraySource | None:
        """Rows in memory in which the scores of these models can be cut; None where there are none."""
        cut = all(self.facts.decision_rule(model, threshold).kind == "cut" for model in models)
        return self._held(models, full=False, ids=False) if cut and not self.facts.kinds else None

    def confusion(self, model: str, *, threshold: float | None = None) -> Confusion:
        rows = self._cut_rows([model], threshold)
        if rows is not None:
            return rows.confusion(model, threshold=threshold)
        (truth, predicted), weighed = self._predicted([model], threshold)
        return groups.confusion(self.facts, truth, predicted, weighed, self.name)

    def keyed_confusion(self, model: str, kind: KeyKind, *, threshold: float | None = None) -> KeyedConfusion:
        (truth, predicted), keys, names, weighed = self._keyed(kind, [model], threshold)
        return groups.keyed_confusion(self.facts, keys, names, truth, predicted, weighed, self.name)

    def agreement(self, first: str, second: str, *, threshold: float | None = None) -> Agreement:
        rows = self._cut_rows([first, second], threshold)
        if rows is not None:
            return rows.agreement(first, second, threshold=threshold)
        (truth, a, b), weighed = self._predicted([first, second], threshold)
        return groups.agreement_table(self.facts, truth, a, b, weighed)

    def _predicted(self, models: Sequence[str], threshold: float | None) -> tuple[list[Ints], groups.WeightedCounts]:
        """The truth and the predictions of these models as codes, in groups.

        One scan counts all models together, where their answers can make few combinations only: whatever is asked of
        them next is then at hand.
        """
        for model in models:
            self.facts.decision_rule(model, threshold)
        every = self._predictable(threshold)
        if not all(model in every for model in models) or (len(self.facts.labels) + 1) ** (len(every) + 1) > MOST_CELLS:
            counted = self.pairs_at_once(every, threshold) if all(model in every for model in models) else None
            if counted is not None:
                return groups.of_pairs(counted, [list(every).index(model) for model in models])
            wanted = [
                groups.ColumnValue(self.layout.truth),
                *(self._predicted_code(model, threshold) for model in models),
            ]
            grouped = self.group(wanted)
            return self._coded(wanted, grouped), grouped.weighed
        key = ("joint", threshold)
        if key not in self.memory:
            self.memory[key] = self._jointly(every, threshold)
        (truth, *predicted), weighed = self.memory[key]
        position = {model: i for i, model in enumerate(every)}
        return [truth, *(predicted[position[model]] for model in models)], weighed

    def _jointly(self, every: Mapping[str, groups.GroupKey], threshold: float | None) -> groups.Groups:
        """The truth and the predictions of all models as codes, in groups.

        Where every query is costly, rows in slices are counted by slice, which is asked for next.
        """
        by_key = self._joint_by_key() if threshold is None else None
        if by_key is None and "slices" in self.facts.kinds and self.table.costly_queries:
            by_slice = self._by_key("slices", (), threshold) if self.facts.weights_kind is None else None
            by_key = None if by_slice is None else by_slice.without_last()
        if by_key is not None:
            return by_key
        wanted = [groups.ColumnValue(self.layout.truth), *every.values()]
        grouped = self.group(wanted)
        return groups.Groups(tuple(self._coded(wanted, grouped)), grouped.weighed).ordered()

    def _joint_by_key(self) -> groups.Groups | None:
        """What all models answered, from groups of a key where these are at hand without a look of their own."""
        kind = next((kind for kind in self.facts.kinds if self._raw_by_key(kind) is not None), None)
        by_key = None if kind is None else self._by_key(kind, [], None)
        return None if by_key is None else by_key.without_last()

    def pairs_at_once(self, every: Mapping[str, groups.GroupKey], threshold: float | None) -> groups.PairCounts | None:
        """All pairs of many models in one scan, where an engine can do that."""
        return None

    def _predictable(self, threshold: float | None) -> dict[str, groups.GroupKey]:
        """How each model predicts rows, of those that do."""
        group_keys = {}
        for model in self.facts.models:
            given = threshold if model.scores != "none" else None
            try:
                rule = self.facts.decision_rule(model.name, given)
            except InputError:
                continue
            low, high, *_ = self.score_range(model.name) if rule == DecisionRule("cut") else (0.0, 1.0)
            if low >= 0 and high <= 1:
                group_keys[model.name] = self._predicted_code(model.name, given)
        return group_keys

    def score_range(self, model: str) -> ScoreRange:
        if self.facts.model(model).scores == "none":
            raise labels_only("this", model)
        if self.whole is not None and self.whole[0].held:
            return self.scored_rows([model]).score_range(model)
        if "ranges" not in self.memory:
            self.memory["ranges"] = self.score_ranges() if self.whole is None else ranges_by_key(*self.whole)
        return self.memory["ranges"][model]  # type: ignore[no-any-return]

    def scored_columns(self) -> dict[str, list[str]]:
        """The columns of scores of each model that has some."""
        columns = {}
        for model in self.facts.models:
            layout = self.layout.models[model.name]
            if model.scores != "none":
                each = list((layout.class_scores or {}).values())
                columns[model.name] = each if layout.score is None else [layout.score]
        return columns

    def _scored(self) -> list[str]:
        return [column for columns in self.scored_columns().values() for column in columns]

    def keyed_agreement(
        self, first: str, second: str, kind: KeyKind, *, threshold: float | None = None
    ) -> KeyedAgreement:
        (truth, a, b), keys, names, weighed = self._keyed(kind, [first, second], threshold)
        return groups.keyed_agreement(self.facts, keys, names, truth, a, b, weighed)

    def scores(self, model: str, *, positive: object = None) -> ScoreTable:
        chosen = self.facts.score_class(model, positive)
        column = self.score_column(model, chosen)
        if not self.table_fits(column):
            groups.absent_scores(self.facts, model, self.facts.n - self.table.filled(column))
            # Comparing areas asks for the tables again; they are kept as long as they take little of the budget.
            kept: dict[tuple[str, Label], ScoreTable] = self.memory.setdefault("binned", {})
            table = kept.get((model, chosen)) or self.binned(model, chosen)
            if table.nbytes + sum(t.nbytes for t in kept.values()) <= self.memory_budget // 2:
                kept[model, chosen] = table
            low, high = table.bounds.auc()
            self.memory["open"] = max(self.memory.get("open", 0.0), high - low)
            return table
        if self.whole is not None or self.nearly_distinct(column):
            table = self.scored_rows([model]).scores(model, positive=positive)
        else:
            table = groups.score_table(*self._score_groups(model, chosen), chosen, self.name)
        self.memory["latest"] = (model, chosen, table)
        return table

    # Beyond the memory budget.

    @property
    def memory_budget(self) -> int:
        """Bytes that tables and rows in memory may take."""
        return self.budget or current().budget_bytes

    def side_by_side(self) -> Self:
        scored = [m.name for m in self.facts.models if m.scores == "one"]
        if self.paired or len(scored) < 2 or not self.must_bin_pairs(scored):
            return self
        # Kept, so that the next comparison finds what this one counted.
        made: Self | None = self.memory.get("side by side")
        if made is None:
            known = {key: value for key, value in self.memory.items() if key not in ("binned", "latest", "open")}
            made = self.memory["side by side"] = replace(self, paired=True, memory=known)
        return made

    def table_fits(self, column: str) -> bool:
        """Whether an exact score table may be made in memory."""
        if self.facts.n * EXACT_BYTES <= self.memory_budget:
            return True
        if self.paired:
            return False
        return self.about_distinct(column) * GROUPED_BYTES <= self.memory_budget

    @property
    def binning(self) -> str:
        """In words that scores were binned, where some were; else empty."""
        if not self.memory.get("open"):
            return ""
        budget = byte_amount(self.memory_budget)
        return (
            f"Scores are in bins, since exact tables would take more than the memory budget of {budget}: "
            f"areas are known to ±{self.memory['open'] / 2:.2g}"
            f"{'; a larger budget narrows that' if self.memory['open'] > 2 * TARGET else ''}."
        )

    def must_bin_pairs(self, models: Sequence[str]) -> bool:
        """Whether the scores of these models, side by side, take more memory than they may while they are ranked."""
        return self.facts.weights_kind is None and self.facts.n * (len(models) + 1) * RANKED_BYTES > self.memory_budget

    def complete(self, models: Sequence[str]) -> Self:
        """These models on the rows that all of them scored, where missing="drop" leaves the others out."""
        columns = self.scored_columns()
        wanted = list(dict.fromkeys(c for model in models for c in columns.get(model, ())))
        if self.facts.missing != "drop" or all(self.table.filled(c) == self.table.n for c in wanted):
            return self
        table = self.table.complete([c for c in wanted if self.table.filled(c) < self.table.n])
        return self._over(table, [self.facts.model(model) for model in models])

    def binned(self, model: str, chosen: Label) -> ScoreTable:
        """The score table in bins, counted by GROUP BY of all models at once; another one splits the heaviest bins."""
        if self.facts.weights_kind == "sampling":
            need_memory(self.facts.n, EXACT_BYTES // 8, "the rows with their sampling weights", self.memory_budget)
        known: dict[str, Bins] = self.memory.setdefault(("bins", chosen), {})
        if model not in known:
            columns = {m: self.score_column(m, chosen) for m in self.scored(chosen)}
            wanted = [m for m, c in columns.items() if m == model or (m not in known and not self.table_fits(c))]
            ranges = {columns[m]: self.score_range(m) for m in wanted}
            reach = {c: (r.low, r.high) for c, r in ranges.items()}
            counted = binned_by_groups(self, reach, chosen, self.memory_budget)
            known |= {m: counted[columns[m]] for m in wanted}
        return known[model].table(chosen, self.name)

    def scored(self, chosen: Label) -> list[str]:
        """The models with scores of a class."""
        one = chosen == self.facts.positive
        return [m.name for m in self.facts.models if m.scores == "each" or (m.scores == "one" and one)]

    def placements(self, models: Sequence[str], *, positive: object = None) -> Placements | None:
        """What comparing areas needs, where the rows do not fit into memory; None where they do."""
        chosen = [self.facts.score_class(model, positive) for model in models]
        if not self.must_bin_pairs(models):
            return None
        rows = self.complete(models)
        if rows is not self:
            return rows.placements(models, positive=positive)
        for model in models:
            groups.absent_scores(self.facts, model, self.unscored(model))
        return self.counted_placements(models, chosen)

    def unscored(self, model: str) -> int:
        return self.table.absent(self.scored_columns()[model])

    def counted_placements(self, models: Sequence[str], chosen: Sequence[Label]) -> Placements:
        """Placements of complete rows, by GROUP BY."""
        columns = [self.score_column(model, c) for model, c in zip(models, chosen, strict=True)]
        ranges = [self.score_range(model) for model in models]
        tables = [self.scores(model, positive=c) for model, c in zip(models, chosen, strict=True)]
        return placements_by_groups(self, columns, chosen[0], [(r.low, r.high) for r in ranges], tables)

    def keys(self, kind: KeyKind) -> Keys:
        self.facts.need_kind(kind)
        values, names = self.key_values(kind)
        return Keys(names, self.memory.get(("sizes", kind), np.array([self.table.n] * len(values), dtype=np.int64)))

    def subset(self, kind: KeyKind, value: object) -> Self | ArraySource:
        self.facts.need_kind(kind)
        values, names = self.key_values(kind)
        place = pick_key(value, names, kind)
        counted = self._counted_apart(kind)
        if counted is None or place not in counted:
            columns = [c for model in self.layout.models.values() for c in model.columns()]
            return self.fetched().subset(kind, value) if self._fit(columns) else self.narrowed(kind, values[place])
        d, keys = self.table.dialect, key_columns(self.layout, kind)
        conditions = [d.equal(self.table.col(c), v) for c, v in zip(keys, values[place], strict=True)]
        rows = int(counted[place].weighed.counts.sum())
        memory = {("joint", None): counted[place], ("keys", kind): ([values[place]], (names[place],))}
        for inner in self.facts.kinds:
            memory |= {} if inner == kind else self._counted_within(kind, inner).get(place, {})
        # Scores of all slices come from the rows of all, fetched once, where these fit.
        whole = (self, kind, names[place]) if self._fit(self._scored()) and self._scored() else None
        table, facts = self.table.part(conditions, rows), replace(self.facts, n=rows)
        return replace(self, table=table, facts=facts, memory=memory, held={}, whole=whole)

    def summed(self) -> bool:
        """Whether losses are summed in the engine: rows are many, or do not fit, and none have been fetched."""
        many = self.facts.n > SUMMED or not self._fit(self._scored())
        return many and self.whole is None and not self.held

    def loss_moments(self, wanted: Sequence[Models], function: OfTruth) -> dict[Models, Moments | None]:
        """The moments of models' losses and of differences of two, by one look at the rows; None where one is infinite.

        `function` gives the loss from the probability of the true class.
        """
        return _moments(self, wanted, function)

    def moments(self, model: str, loss: Loss) -> Moments:
        facts = self.facts
        latest: tuple[str, Label, ScoreTable] | None = self.memory.get("latest")
        if self.summed() and (latest is None or latest[0] != model):
            summed = summed_moments(self, (model,), loss)
            if summed is not None:
                return summed
        cached = None if facts.weights_kind is not None else self._held([model], full=False, ids=False)
        if cached is not None or facts.model(model).scores == "each" or facts.weights_kind == "sampling":
            return (cached or self.scored_rows([model])).moments(model, loss)
        # The loss of a row depends on its score and its class alone, so distinct scores are enough.
        chosen = facts.score_class(model, None)
        if self.table_fits(self.score_column(model, chosen)):
            # Areas and losses of a model are asked for one after the other, and the table of its scores serves both.
            known = latest is not None and latest[:2] == (model, chosen)
            table = latest[2] if latest is not None and known else self.scores(model)
            return table_moments(table, facts, model, loss)
        scores, is_positive, weighed = self._score_groups(model, chosen)
        index = facts.labels.index(chosen)
        values = loss(np.where(is_positive, index, 1 - index), probabilities(scores, facts, model))
        return moments_of(np.asarray(values, np.float64), weighed.counts.astype(np.float64), "frequency")

    def paired_moments(self, first: str, second: str, loss: Loss) -> Moments:
        summed = summed_moments(self, (first, second), loss) if self.summed() else None
        return self.scored_rows([first, second]).paired_moments(first, second, loss) if summed is None else summed

    def keyed_losses(self, model: str, kind: KeyKind, loss: Loss) -> KeyedLosses:
        summed = keyed_loss_sums(self, (model,), kind, loss) if self.summed() else None
        return self.scored_rows([model]).keyed_losses(model, kind, loss) if summed is None else summed

    def paired_keyed_losses(self, first: str, second: str, kind: KeyKind, loss: Loss) -> KeyedLosses:
        summed = keyed_loss_sums(self, (first, second), kind, loss) if self.summed() else None
        if summed is not None:
            return summed
        return self.scored_rows([first, second]).paired_keyed_losses(first, second, kind, loss)

    def class_scores(self, model: str) -> tuple[Codes, Floats]:
        return self.scored_rows([model]).class_scores(model)

    def score_columns(self, models: Sequence[str], *, positive: object = None) -> tuple[NDArray[np.bool_], Floats]:
        return self.scored_rows(models).score_columns(models, positive=positive)

    def __reduce__(self) -> tuple[object, ...]:
        # An engine cannot travel to another process; its rows can.
        return (replace, (self.fetched(),))

    def _only(self, models: Sequence[str]) -> Self:
        """These models without ids, which only joining needs, and without labels where they have scores."""
        facts = self.facts.select(models)
        layouts = {
            m.name: replace(self.layout.models[m.name], label=None)
            if m.scores != "none"
            else self.layout.models[m.name]
            for m in facts.models
        }
        known = tuple(replace(m, has_labels=m.scores == "none") for m in facts.models)
        facts = replace(facts, has_ids=False, models=known)
        return replace(self, facts=facts, layout=replace(self.layout, models=layouts), memory={})

    def key_groups(
        self, kind: KeyKind
    ) -> tuple[list[groups.GroupKey], tuple[Label, ...], Callable[[Sequence[Array]], Ints]]:
        """The columns of a key, the names of all keys, and what finds the place of each among these."""
        self.facts.need_kind(kind)
        values, names = self.key_values(kind)
        columns: list[groups.GroupKey] = [groups.ColumnValue(column) for column in key_columns(self.layout, kind)]
        if ("places", kind) not in self.memory:
            self.memory["places", kind] = groups.key_places(values)
        return columns, names, self.memory["places", kind]

    def _predicted_code(self, model: str, threshold: float | None) -> groups.GroupKey:
        rule = self.facts.decision_rule(model, threshold)
        layout = self.layout.models[model]
        if rule.kind == "labels":
            assert layout.label is not None
            return groups.ColumnValue(layout.label)
        if rule.kind == "argmax":
            assert layout.class_scores is not None
            return groups.ArgmaxCode(tuple(layout.class_scores[label] for label in self.facts.labels))
        positive = self.facts.positive
        assert positive is not None
        index = self.facts.labels.index(positive)
        cut = settled_threshold(model, rule.threshold, lambda: self.score_range(model))
        return groups.ThresholdCode(self.score_column(model, positive), cut, index, 1 - index)

    def score_column(self, model: str, label: Label) -> str:
        """The column of a model's scores for a class."""
        layout = self.layout.models[model]
        if layout.class_scores is not None:
            return layout.class_scores[label]
        assert layout.score is not None
        return layout.score

    def _score_groups(self, model: str, chosen: Label) -> tuple[Floats, NDArray[np.bool_], groups.WeightedCounts]:
        grouped = self.group(
            [groups.ColumnValue(self.score_column(model, chosen)), groups.IsLabel(self.layout.truth, chosen)]
        )
        known = groups.Groups((grouped.keys[0].astype(np.float64), grouped.keys[1] == 1), grouped.weighed)
        (scores, is_positive), weighed = known.ordered()
        gone = np.isnan(scores)
        if not gone.any():
            return scores, is_positive, weighed
        groups.absent_scores(self.facts, model, int(weighed.counts[gone].sum()))
        return scores[~gone], is_positive[~gone], weighed.kept(~gone)

    def _coded(self, wanted: Sequence[groups.GroupKey], found: groups.Groups) -> list[Ints]:
        """Labels as codes; predictions by threshold or by the highest score are codes already."""
        return [
            self._codes(values) if isinstance(part, groups.ColumnValue) else values.astype(np.int64)
            for part, values in zip(wanted, found.keys, strict=False)
        ]

    def _codes(self, values: Array) -> Ints:
        return groups.key_place(self.facts.labels)(values)


def _guessed(sample: Array) -> float:
    seen = len(np.unique(sample))
    # Of few values most are in the sample.
    return guessed_distinct(len(sample), seen) if 2 * seen > len(sample) else seen


def key_columns(layout: Layout, kind: KeyKind) -> tuple[str, ...]:
    """The columns behind a key: a fold is one of its repeat, where rows are repeated."""
    if kind == "folds" and "repeats" in layout.keys:
        return (layout.keys["repeats"], layout.keys["folds"])
    return (layout.keys[kind],)


def counted_facts(table: AnyTable, layout: Layout, options: Options) -> Facts | None:
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
        order = natural_labels(merge_answers(seen)) if options.labels is None else check_labels(options.labels)
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
            unlabelled=table.absent(model.labels()),
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


def _labels(table: AnyTable, column: str) -> tuple[Label, ...]:
    """The distinct labels of a column; a value that is none raises."""
    values = table.few(column, table.n) or ()
    if table.kind(column) == "other":
        raise InputError(f"column {column!r} holds neither text nor numbers")
    if are_dates(values) and date_names(values) != list(values):
        raise InputError(f"column {column!r} holds dates, whose names are not what the engine holds")
    return ordered(plain_label(value, f"column {column!r}") for value in values)


def _sound(table: AnyTable, layout: Layout, weights_kind: WeightsKind | None) -> bool:
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


# With fewer rows than these the rows themselves are summed, to the last bit as arrays are.
SUMMED = 1 << 20
# Pairs of models that one query takes.
MOST_PAIRS = 66


def _of_truth(source: GroupedSource, loss: Loss) -> OfTruth | None:
    """The loss as a function of the probability of the true class; None where the rows have to be asked."""
    facts = source.facts
    plain = len(facts.labels) == 2 and facts.positive is not None and facts.weights_kind is None
    if not plain or (isinstance(loss, partial) and loss.keywords):
        return None
    return getattr(getattr(loss, "func", loss), "of_truth", None)


def summed_moments(source: GroupedSource, models: Models, loss: Loss) -> Moments | None:
    """The moments of a model's loss, or of the first one's less the second's; None where the rows have to be asked."""
    function = _of_truth(source, loss)
    if function is None or not _summable(source, models):
        return None
    known: dict[Models, Moments | None] = source.memory.setdefault(("losses", function), {})
    if models not in known:
        every = [m.name for m in source.facts.models if _summable(source, [m.name])]
        wanted: list[Models] = [*((m,) for m in every), *combinations(every, 2)]
        wanted = wanted if len(wanted) <= MOST_PAIRS else [(m,) for m in models] + [models]
        known |= source.loss_moments(wanted, function)
    if models in known:
        return known[models]
    turned = known[models[::-1]]
    return None if turned is None else -turned


def _summable(source: GroupedSource, models: Sequence[str]) -> bool:
    """Whether these models have probabilities of the positive class; for others the rows say best what is wrong."""
    if any(source.facts.model(m).scores != "one" for m in models):
        return False
    ranges = [source.score_range(m) for m in models]
    gaps = source.facts.missing != "drop" and any(source.unscored(m) for m in models)
    return not gaps and all(r.low >= 0 and r.high <= 1 for r in ranges)


def _expressions(source: GroupedSource, models: Sequence[str], function: OfTruth) -> tuple[list[Any], list[Any], bool]:
    """For each model the probability of the true class and the loss; whether the loss of 0 is infinite."""
    table, positive = source.table, _positive(source)
    is_positive = table.dialect.equal(table.col(source.layout.truth), table.stored(source.layout.truth, positive))
    scores = [table.number(source.score_column(model, positive)) for model in models]
    given = [table.dialect.choose(is_positive, s, s * -1.0 + 1.0) for s in scores]
    losses: list[Chance] = [function(Chance(table, p)) for p in given]
    return given, [loss.expression for loss in losses], any(loss.logs for loss in losses)


def _positive(source: GroupedSource) -> Label:
    assert source.facts.positive is not None
    return source.facts.positive


def _moments(source: GroupedSource, wanted: Sequence[Models], function: OfTruth) -> dict[Models, Moments | None]:
    table, d = source.table, source.table.dialect
    models = list(dict.fromkeys(m for pair in wanted for m in pair))
    given, losses, logs = _expressions(source, models, function)
    about = first_losses(source, models, function)
    columns = [x.alias(f"p{i}") for i, x in enumerate(given)] + [x.alias(f"l{i}") for i, x in enumerate(losses)]
    places = {model: i for i, model in enumerate(models)}
    # Columns of their own, since an engine works an expression out wherever it stands.
    lowest, apart, squares = [d.column(f"p{i}") for i in range(len(models))], [], []
    amounts = [d.lowest(x).alias(f"low{i}") for i, x in enumerate(lowest)]
    for i, pair in enumerate(wanted):
        x = d.column(f"l{places[pair[0]]}")
        x = x - d.column(f"l{places[pair[1]]}") if len(pair) == 2 else x
        apart.append((x - pivot(about, pair)).alias(f"x{i}"))
        x, square = d.column(f"x{i}"), d.column(f"q{i}")
        squares.append((x * x).alias(f"q{i}"))
        powers = (x, square, square * x, square * square)
        amounts += [d.count(x).alias(f"n{i}"), *(d.total(y).alias(f"s{i}_{k}") for k, y in enumerate(powers))]
    every = [d.column(f"x{i}") for i in range(len(wanted))]
    rows = table.frame.select(*columns).select(*lowest, *apart).select(*lowest, *every, *squares)
    sums = {name: column[0] for name, column in table.answer(rows.select(*amounts)).items()}
    # A logarithm of 0 is infinite: such models are asked row by row.
    infinite = {m for m, i in places.items() if logs and sums[f"low{i}"] is not None and float(sums[f"low{i}"]) <= 0}
    answers: dict[Models, Moments | None] = {}
    for i, pair in enumerate(wanted):
        n = int(sums[f"n{i}"])
        totals = [float(sums[f"s{i}_{k}"]) if n else 0.0 for k in range(4)]
        answers[pair] = None if infinite & set(pair) else Moments.about(pivot(about, pair), n, totals)
    return answers


def pivot(about: dict[str, float], models: Models) -> float:
    return about[models[0]] - (about[models[1]] if len(models) == 2 else 0.0)


def first_losses(source: GroupedSource, models: Sequence[str], function: OfTruth) -> dict[str, float]:
    """The mean loss of each model on the first rows."""
    table, positive = source.table, _positive(source)
    stored = table.stored(source.layout.truth, positive)
    is_positive = np.asarray(table.first(source.layout.truth, FIRST_ROWS) == stored, dtype=bool)
    means = {}
    for model in models:
        scores = table.first(source.score_column(model, positive), FIRST_ROWS).astype(np.float64)
        given = np.where(is_positive, scores, 1 - scores)
        values = function(given[given > 0])
        means[model] = float(values.mean()) if len(values) else 0.0
    return means


def keyed_loss_sums(source: GroupedSource, models: Models, kind: KeyKind, loss: Loss) -> KeyedLosses | None:
    """The sums of such losses for each key, by one GROUP BY; None where the rows have to be asked."""
    function = _of_truth(source, loss)
    if function is None or not _summable(source, models):
        return None
    table, d = source.table, source.table.dialect
    keys, names, places_of = source.key_groups(kind)
    given, losses, logs = _expressions(source, models, function)
    named = [f"k{i}" for i in range(len(keys))]
    columns = [table.expression(key).alias(name) for key, name in zip(keys, named, strict=True)]
    difference = losses[0] if len(losses) == 1 else losses[0] - losses[1]
    columns += [difference.alias("x"), *(p.alias(f"p{i}") for i, p in enumerate(given))]
    lowest = [d.lowest(d.column(f"p{i}")).alias(f"low{i}") for i in range(len(given))]
    amounts = [d.count(d.column("x")).alias("n"), d.total(d.column("x")).alias("s"), *lowest]
    grouped = table.answer(table.frame.select(*columns).group_by(*named).agg(*amounts))
    if logs and any((grouped[f"low{i}"].astype(np.float64) <= 0).any() for i in range(len(given))):
        return None
    where = places_of([grouped[name] for name in named])
    sizes, sums = np.zeros(len(names), dtype=np.int64), np.zeros(len(names))
    sizes[where], sums[where] = grouped["n"].astype(np.int64), np.nan_to_num(grouped["s"].astype(np.float64))
    return KeyedLosses(names, sizes, sums)
