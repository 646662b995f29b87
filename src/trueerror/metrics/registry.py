"""The registry of metrics: a metric is a function of one tally with its facts attached.

Formulas work on numbers and on arrays alike (all classes at once, all bootstrap replicates at once, complex numbers
for derivatives), so they use `ratio` and plain arithmetic only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from trueerror.inputs.errors import InputError, nearest
from trueerror.tallies.counts import Amount

# What a metric is computed from:
#   binary        BinaryCounts: one class against the rest; also macro_, micro_ and weighted_ averages over classes
#   classes       ClassCounts: hits and margins of all classes
#   cells         (Confusion, masses (…, cells) or None): every cell counts by itself (cost, weighted kappa)
#   scores        (ScoreTable, masses or None): masses is a pair of (…, scores) arrays in place of its counts
#   losses        (codes, probabilities (n, K)) → one loss for each row; the metric is their mean
#   class_scores  (codes, scores (n, K), shares (K) or None) → number; shares replace the classes' own
Needs = Literal["binary", "classes", "cells", "scores", "losses", "class_scores"]
Average = Literal["macro", "micro", "weighted"]
AVERAGES: tuple[Average, ...] = ("macro", "micro", "weighted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A metric with its facts.

    `situation` is the row of the decision table that gives its default interval; `share` gives (successes, trials)
    where the metric is a plain proportion; `undefined` says why it can be NaN; `higher_is_better` is None where
    neither end is good (prevalence). `average` is set on the averaged versions.

    `additive`: a total, which doubles when every row is there twice. `ordinal`: the order of the classes matters.
    `probabilities`: the scores must be some.
    `top_label`: with more than two classes it is asked of the called class and its probability. `multilabel` is the
    formula for rows that carry several labels, where the metric has one.
    """

    name: str
    title: str
    function: Callable[..., Any]
    needs: Needs
    best: float | None
    range: tuple[float, float]
    situation: str = "other"
    share: Callable[[Any], tuple[Amount, Amount]] | None = None
    aliases: tuple[str, ...] = ()
    undefined: str = ""
    options: tuple[str, ...] = ()
    average: Average | None = None
    of: str = ""
    additive: bool = False
    ordinal: bool = False
    probabilities: bool = False
    top_label: bool = False
    multilabel: Callable[[Any], Any] | None = None

    @property
    def higher_is_better(self) -> bool | None:
        """Which way is good; None where neither is."""
        if self.best is None:
            return None
        low, high = self.range
        return self.best == high if high != low else None

    @property
    def summary(self) -> str:
        """The first line of the formula's docstring."""
        return (self.function.__doc__ or "").strip().split("\n")[0]


@dataclass(slots=True)
class _Registry:
    measures: dict[str, Measure] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    loaded: bool = False


_REGISTRY = _Registry()


def measure(
    name: str,
    *,
    needs: Needs = "binary",
    best: float | None,
    range: tuple[float, float] = (0.0, 1.0),
    title: str = "",
    situation: str = "other",
    share: Callable[[Any], tuple[Amount, Amount]] | None = None,
    aliases: tuple[str, ...] = (),
    undefined: str = "",
    options: tuple[str, ...] = (),
    additive: bool = False,
    ordinal: bool = False,
    probabilities: bool = False,
    top_label: bool = False,
    multilabel: Callable[[Any], Any] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a formula into the registry."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        for word in (name, *aliases):
            if word in _REGISTRY.measures or word in _REGISTRY.aliases:
                raise ValueError(f"metric {word!r} is registered twice")
        _REGISTRY.measures[name] = Measure(
            name=name, title=title or name.replace("_", " "), function=function, needs=needs, best=best, range=range,
            situation=situation, share=share, aliases=aliases, undefined=undefined, options=options,
            additive=additive, ordinal=ordinal, probabilities=probabilities or needs == "losses", top_label=top_label,
            multilabel=multilabel,
        )  # fmt: skip
        for alias in aliases:
            _REGISTRY.aliases[alias] = name
        return function

    return enter


def ratio(a: Amount, b: Amount) -> Any:
    """a / b, NaN where b is 0: undefined is never reported as 0.

    >>> ratio(1, 4), ratio(0, 0)
    (0.25, nan)
    """
    top, bottom = np.asarray(a), np.asarray(b)
    empty = bottom == 0
    quotient = np.where(empty, np.nan, top / np.where(empty, 1, bottom))
    return quotient if quotient.ndim else quotient.item()


def odds(a: Amount, b: Amount) -> Any:
    """a / b where the quotient has no upper end: infinite where only b is 0, NaN for 0 / 0.

    >>> odds(3, 0), odds(0, 0), odds(1, 4)
    (inf, nan, 0.25)
    """
    top, bottom = np.asarray(a), np.asarray(b)
    quotient = np.where((bottom == 0) & (np.real(top) > 0), np.inf, ratio(top, bottom))
    return quotient if quotient.ndim else quotient.item()


def every_measure() -> dict[str, Measure]:
    """All metrics by name, family by family, averages not spelt out."""
    _load()
    return dict(_REGISTRY.measures)


def find_measure(name: str) -> Measure:
    """A metric by name or alias, with macro_, micro_ and weighted_ in front of those of one class.

    >>> find_measure("tpr").name, find_measure("macro_f1").average
    ('recall', 'macro')
    """
    _load()
    if not isinstance(name, str):
        raise InputError(f"metric {name!r} must be a name, such as 'accuracy'")
    word = name.strip().lower().replace("-", "_").replace(" ", "_")
    word = _REGISTRY.aliases.get(word, word)
    if word in _REGISTRY.measures:
        return _REGISTRY.measures[word]
    prefix, _, rest = word.partition("_")
    base = _REGISTRY.measures.get(_REGISTRY.aliases.get(rest, rest))
    if base is not None and prefix in AVERAGES and base.needs == "binary":
        from trueerror.metrics.averages import averaged

        return averaged(base, prefix)
    known = [*_REGISTRY.measures, *_REGISTRY.aliases]
    known += [f"{a}_{m.name}" for a in AVERAGES for m in _REGISTRY.measures.values() if m.needs == "binary"]
    raise InputError(f"metric {name!r} is not known{nearest(word, known)}; te.catalogue() lists all")


def _load() -> None:
    """Import the families; each enters its metrics on import."""
    if _REGISTRY.loaded:
        return
    from importlib import import_module

    from trueerror.metrics import FAMILIES

    for family in FAMILIES:
        import_module(f"trueerror.metrics.{family}")
    # Rooms may have imported a family by itself before: the order is that of the families all the same.
    place = {f"trueerror.metrics.{family}": i for i, family in enumerate(FAMILIES)}
    ranked = sorted(_REGISTRY.measures.values(), key=lambda m: place.get(m.function.__module__, len(place)))
    _REGISTRY.measures = {m.name: m for m in ranked}
    _REGISTRY.loaded = True
