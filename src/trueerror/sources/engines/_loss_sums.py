"""Losses of two classes summed where the rows are: of all models, and of all pairs row by row, by one look at them.

A loss that is a function of the probability which the true class was given is written once, for arrays; `Chance` writes
it as an expression of the engine. Sums are taken about the loss of the first rows, so that no digits cancel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from trueerror.inputs._labels import Label
from trueerror.sources._predictions import KeyedLosses, KeyKind, Loss
from trueerror.sources.engines._engine_table import FIRST_ROWS, AnyTable
from trueerror.tallies import Moments

if TYPE_CHECKING:
    from trueerror.sources.engines._groupby import GroupedSource

# With fewer rows than these the rows themselves are summed, to the last bit as arrays are.
SUMMED = 1 << 20
# Pairs of models that one query takes.
MOST_PAIRS = 66
OfTruth = Callable[[Any], Any]
# One model, or two whose losses are subtracted.
Models = tuple[str, ...]


class Chance:
    """An expression of an engine with the operations of arrays; NumPy's functions call its methods."""

    def __init__(self, table: AnyTable, expression: Any, *, logs: bool = False) -> None:
        self.table, self.expression, self.logs = table, expression, logs

    def _made(self, expression: Any) -> Chance:
        return Chance(self.table, expression, logs=self.logs)

    def __rsub__(self, other: float) -> Chance:
        return self._made(self.expression * -1.0 + float(other))

    def __pow__(self, power: int) -> Chance:
        assert power == 2
        return self._made(self.expression * self.expression)

    def __abs__(self) -> Chance:
        x = self.expression
        return self._made(self.table.dialect.choose(x < 0.0, x * -1.0, x))

    def log(self) -> Chance:
        """The logarithm; engines differ in that of 0, so that it is never asked for."""
        d, x = self.table.dialect, self.expression
        return Chance(self.table, d.log(d.choose(x <= 0.0, d.constant(1.0), x)), logs=True)


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
        known |= _moments(source, wanted, function)
    if models in known:
        return known[models]
    turned = known[models[::-1]]
    return None if turned is None else Moments(turned.n, -turned.mean, turned.squares)


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
    about = _first_losses(source, models, function)
    made = [x.alias(f"p{i}") for i, x in enumerate(given)] + [x.alias(f"l{i}") for i, x in enumerate(losses)]
    amounts = [d.lowest(d.column(f"p{i}")).alias(f"low{i}") for i in range(len(models))]
    places = {model: i for i, model in enumerate(models)}
    for i, pair in enumerate(wanted):
        x = d.column(f"l{places[pair[0]]}")
        x = x - d.column(f"l{places[pair[1]]}") if len(pair) == 2 else x
        x = x - _pivot(about, pair)
        amounts += [d.count(x).alias(f"n{i}"), d.total(x).alias(f"s{i}"), d.total(x * x).alias(f"q{i}")]
    found = {name: column[0] for name, column in table.answer(table.frame.select(*made).select(*amounts)).items()}
    # A logarithm of 0 is infinite: such models are asked row by row.
    infinite = {m for m, i in places.items() if logs and found[f"low{i}"] is not None and float(found[f"low{i}"]) <= 0}
    answers: dict[Models, Moments | None] = {}
    for i, pair in enumerate(wanted):
        n = int(found[f"n{i}"])
        total, squares = (float(found[f"{part}{i}"]) if n else 0.0 for part in "sq")
        moments = Moments(n, _pivot(about, pair) + total / n, max(squares - total * total / n, 0.0)) if n else None
        answers[pair] = None if infinite & set(pair) else moments
    return answers


def _pivot(about: dict[str, float], models: Models) -> float:
    return about[models[0]] - (about[models[1]] if len(models) == 2 else 0.0)


def _first_losses(source: GroupedSource, models: Sequence[str], function: OfTruth) -> dict[str, float]:
    """The mean loss of each model on the first rows."""
    table, positive = source.table, _positive(source)
    stored = table.stored(source.layout.truth, positive)
    is_positive = np.asarray(table.first(source.layout.truth, FIRST_ROWS) == stored, dtype=bool)
    found = {}
    for model in models:
        scores = table.first(source.score_column(model, positive), FIRST_ROWS).astype(np.float64)
        given = np.where(is_positive, scores, 1 - scores)
        values = function(given[given > 0])
        found[model] = float(values.mean()) if len(values) else 0.0
    return found


def keyed_loss_sums(source: GroupedSource, models: Models, kind: KeyKind, loss: Loss) -> KeyedLosses | None:
    """The sums of such losses for each key, by one GROUP BY; None where the rows have to be asked."""
    function = _of_truth(source, loss)
    if function is None or not _summable(source, models):
        return None
    table, d = source.table, source.table.dialect
    keys, names, places_of = source.key_groups(kind)
    given, losses, logs = _expressions(source, models, function)
    named = [f"k{i}" for i in range(len(keys))]
    made = [table.expression(key).alias(name) for key, name in zip(keys, named, strict=True)]
    difference = losses[0] if len(losses) == 1 else losses[0] - losses[1]
    made += [difference.alias("x"), *(p.alias(f"p{i}") for i, p in enumerate(given))]
    lowest = [d.lowest(d.column(f"p{i}")).alias(f"low{i}") for i in range(len(given))]
    amounts = [d.count(d.column("x")).alias("n"), d.total(d.column("x")).alias("s"), *lowest]
    found = table.answer(table.frame.select(*made).group_by(*named).agg(*amounts))
    if logs and any((found[f"low{i}"].astype(np.float64) <= 0).any() for i in range(len(given))):
        return None
    where = places_of([found[name] for name in named])
    sizes, sums = np.zeros(len(names), dtype=np.int64), np.zeros(len(names))
    sizes[where], sums[where] = found["n"].astype(np.int64), np.nan_to_num(found["s"].astype(np.float64))
    return KeyedLosses(names, sizes, sums)
