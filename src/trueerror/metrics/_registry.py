"""The registry of metrics, their averages over classes (macro, micro, weighted), and the catalogue that lists them.

A metric is a function of one tally with its facts attached. Formulas work on numbers and on arrays alike (all classes
at once, all bootstrap replicates at once, complex numbers for derivatives), so they use `ratio` and plain arithmetic
only.

The value of a metric of a tally, also at another class distribution, and why it is undefined.

At another class distribution what happens within a class (its recall, its errors) is kept, and how many rows it has is
not: the accuracy at a prior is pos·TPR + neg·(1 − FPR) for any pos + neg = 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import product
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs._arrays import Floats, check_probabilities
from trueerror.inputs._labels import Codes, Label, find_label, need_positive
from trueerror.inputs._options import InputError, in_few_words, nearest
from trueerror.results import Result, Table
from trueerror.results._format import listing
from trueerror.tallies._confusion import Amount, BinaryCounts, ClassCounts, Confusion, collapsed, sum_columns
from trueerror.tallies._moments import Moments, MultiLabel
from trueerror.tallies._scores import ScoreTable

# What a metric is computed from:
#   binary        BinaryCounts: one class against the rest; also macro_, micro_ and weighted_ averages over classes
#   classes       ClassCounts: hits and margins of all classes
#   cells         (Confusion, masses (…, cells) or None): every cell counts by itself (cost, weighted kappa)
#   scores        (ScoreTable, masses or None): masses is a pair of (…, scores) arrays in place of its counts
#   losses        (codes, probabilities (n, K)) → one loss for each row; the metric is their mean
#   grades        the same of rows that carry grades (te.graded), whose one class has the grade for its score
#   class_scores  (codes, scores (n, K), shares (K) or None) → number; shares replace the classes' own
Needs = Literal["binary", "classes", "cells", "scores", "losses", "grades", "class_scores", "folds"]
# A metric's formula, and (successes, trials) of one that is a plain proportion.
Formula = Callable[..., Any]
Share = Callable[[Any], tuple[Amount, Amount]]
Average = Literal["macro", "micro", "weighted"]
AVERAGES: tuple[Average, ...] = ("macro", "micro", "weighted")


OF: dict[str, tuple[Needs, ...]] = {
    "of_labels": ("binary", "classes", "cells"), "of_one_class": ("binary",), "of_all_classes": ("classes",),
    "of_cells": ("cells",), "of_scores": ("scores",), "of_losses": ("losses", "grades"), "of_grades": ("grades",),
    "of_class_scores": ("class_scores",), "of_folds": ("folds",),
}  # fmt: skip

# At which class distributions a metric is the same: at every one, at every one of two classes, or at its own alone.
PriorFree = Literal["always", "two classes", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A metric with its facts: whatever else must be known of it is a field here, never a list of names elsewhere.

    `share` gives (successes, trials) where the metric is a plain proportion; `undefined` says why it can be NaN;
    `higher_is_better` is None where neither end is good (prevalence). `average` is set on the averaged versions.

    `total_of`: it is the rows times this metric, and doubles when every row is there twice. `ordinal`: the order of the
    classes matters.
    `probabilities`: the scores must be some.
    `top_label`: with more than two classes it is asked of the called class and its probability. `multilabel` is the
    formula for rows that carry several labels, where the metric has one.

    `prior_free`: at which class distributions it is the same. `right_or_wrong`: 1 for the share of rows that are right,
    −1 for the share that are wrong; `share_of_rows` says the same of averages that amount to it. `sum_of`: it is one
    less than the sum of these two proportions of different rows. `area`: it is this many times an area under the ROC
    curve, less what is beyond 1 (Gini 2). `by_rank`: only the order of the scores matters. `calibration_error`: it is
    one. `chance_corrected`: 0 is what chance agreement gives. `given_by_prior`: a class distribution that is asked for
    is its value. `worst_bin`: a calibration error of the bin where it is largest, not of all. `range_for`: the range as
    a function of the options. `scale_words`: on which of several usual scales it is, as a function of the number of
    classes and the options.

    `within_class`: a proportion of the rows of its class, so that different classes' are independent. `rows_in_play`:
    a function of a proportion of the rows that are positive or were called so. `relative_cost`: a cost against that
    of the cheapest constant call. `takahashi`: the averages for which Takahashi and others published the variance.
    `gradient`: the derivative, written out: by the margins (`ClassCounts` → `MarginGradients`) of a metric of all
    classes, by the cells (table, counts) of one of cells; without it derivatives are taken by a complex step. That of a
    metric of scores, (table, masses) → `ScoreInfluences`, is by the rows of either class at each score. `left_out`,
    (masses, share): what such a metric loses without one of these rows, times (n − 1)/n. That of a metric of scores by
    class, (codes, scores), is by row.
    `row_hits`: each row counts 1 or 0, so the mean over rows is a plain proportion; any scores will do, since only
    their order within a row matters.
    `origin` is the function of a metric of one's own (`metrics._compute.own_measure`), with its options; `unsaid` that
    nothing has told yet whether it takes labels or scores.
    """

    name: str
    title: str
    function: Formula
    needs: Needs
    best: float | None
    range: tuple[float, float]
    share: Share | None = None
    aliases: tuple[str, ...] = ()
    undefined: str = ""
    options: tuple[str, ...] = ()
    average: Average | None = None
    of: str = ""
    total_of: str = ""
    ordinal: bool = False
    probabilities: bool = False
    top_label: bool = False
    multilabel: Callable[[Any], Any] | None = None
    prior_free: PriorFree = "never"
    right_or_wrong: Literal[1, -1, 0] = 0
    share_of_rows: Literal[1, -1, 0] = 0
    sum_of: tuple[str, str] | None = None
    area: float = 0.0
    by_rank: bool = False
    calibration_error: bool = False
    chance_corrected: bool = False
    given_by_prior: bool = False
    worst_bin: bool = False
    range_for: Callable[..., tuple[float, float]] | None = None
    scale_words: Callable[..., str] | None = None
    within_class: bool = False
    rows_in_play: bool = False
    relative_cost: bool = False
    takahashi: tuple[Average, ...] = ()
    gradient: Formula | None = None
    left_out: Formula | None = None
    row_hits: bool = False
    origin: Formula | None = None
    origin_options: tuple[tuple[str, Any], ...] = ()
    unsaid: bool = False
    # What it is computed from, a field for each: a confusion matrix (the four counts of one class against the rest,
    # hits and margins of all classes, or every cell by itself), scores of one class, losses of rows, scores by class.
    of_labels: bool = field(init=False)
    of_one_class: bool = field(init=False)
    of_all_classes: bool = field(init=False)
    of_cells: bool = field(init=False)
    of_scores: bool = field(init=False)
    of_losses: bool = field(init=False)
    of_grades: bool = field(init=False)
    of_class_scores: bool = field(init=False)
    of_folds: bool = field(init=False)

    def __post_init__(self) -> None:
        for name, kinds in OF.items():
            object.__setattr__(self, name, self.needs in kinds)

    @property
    def higher_is_better(self) -> bool | None:
        """Which way is good; None where neither is."""
        low, high = self.range
        return None if self.best is None or low == high else self.best == high

    @property
    def is_ratio(self) -> bool:
        """Whether it is a ratio of one class: from 0 without end."""
        return self.of_one_class and self.range == (0.0, math.inf)

    @property
    def averages_classes(self) -> bool:
        """Whether each class counts alike, however many rows it has."""
        return self.average == "macro" or (self.of_all_classes and self.prior_free == "always")

    @property
    def summary(self) -> str:
        """The first line of the formula's docstring."""
        return (self.function.__doc__ or "").strip().split("\n")[0]

    def of_table(
        self, table: Confusion, masses: Amount | None = None, *, positive: object = None, **options: Any
    ) -> Amount:
        """The metric of a confusion matrix, or of (weighted) counts (…, cells) in place of its own."""
        return self.function(*COUNTED[self.needs](table, masses, positive), **options)

    def bounds(self, options: Mapping[str, Any]) -> tuple[float, float]:
        """Where its value can lie with these options."""
        return self.range if self.range_for is None else self.range_for(**options)

    def on_scale_of(self, options: Mapping[str, Any]) -> Measure:
        """The same with the range, and the best end, of the scale that grades have; other metrics as they are."""
        if not self.of_grades:
            return self
        ends = self.bounds(options)
        return replace(self, range=ends, best=ends[1])

    def is_prior_free(self, classes: int) -> bool:
        """Whether it is the same at every distribution of so many classes."""
        return self.prior_free == "always" or (self.prior_free == "two classes" and classes <= 2)


# What a formula of labels is given of a table.
COUNTED: dict[Needs, Callable[[Confusion, Any, Any], tuple[Any, ...]]] = {
    "binary": lambda table, masses, positive: (table.binary(positive, masses),),
    "classes": lambda table, masses, positive: (table.classes(masses),),
    "cells": lambda table, masses, positive: (table, masses),
}


class MarginGradients(NamedTuple):
    """∂f by each class's hits, true rows and calls, and by the total."""

    hits: Amount
    truth: Amount
    predicted: Amount
    total: Amount


@dataclass(slots=True)
class _Registry:
    measures: dict[str, Measure] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    averages: dict[str, tuple[Measure, Average]] = field(default_factory=dict)
    own: dict[str, Measure] = field(default_factory=dict)
    loaded: bool = False


_REGISTRY = _Registry()


def measure(
    name: str, *, needs: Needs = "binary", best: float | None, range: tuple[float, float] = (0.0, 1.0), title: str = "",
    aliases: tuple[str, ...] = (), probabilities: bool = False, of_truth: Callable[[Any], Any] | None = None,
    **facts: Any,
) -> Callable[[Formula], Formula]:  # fmt: skip
    """Enter a formula into the registry; `facts` are further fields of `Measure`.

    `of_truth` is a loss of two classes as a function of the probability that the true one was given, in operations
    that arrays of other libraries know too.
    """

    by_order = bool(facts.get("row_hits")) or needs == "grades"

    def enter(function: Formula) -> Formula:
        function.__dict__.update(any_scores=by_order, of_truth=of_truth)
        words = (name, *aliases)
        twice = [word for word in words if word in _REGISTRY.measures or word in _REGISTRY.aliases]
        if twice:
            raise ValueError(f"metric {twice[0]!r} is registered twice")
        made = Measure(
            name=name, title=title or name.replace("_", " "), function=function, needs=needs, best=best, range=range,
            aliases=aliases, probabilities=probabilities or (needs == "losses" and not by_order), **facts,
        )  # fmt: skip
        _REGISTRY.measures[name] = made
        _REGISTRY.aliases.update(dict.fromkeys(aliases, name))
        if made.of_one_class:
            for average, word in product(AVERAGES, words):
                _REGISTRY.averages |= dict.fromkeys((f"{average}_{word}", f"{word}_{average}"), (made, average))
        return function

    return enter


def ratio(a: Amount, b: Amount) -> Amount:
    """a / b, NaN where b is 0: undefined is never reported as 0.

    >>> ratio(1, 4), ratio(0, 0)
    (0.25, nan)
    """
    if isinstance(a, int | float) and isinstance(b, int | float):
        return float(a) / float(b) if b else math.nan
    top, bottom = np.asarray(a), np.asarray(b)
    empty = bottom == 0
    quotient = np.where(empty, np.nan, top / np.where(empty, 1, bottom))
    return quotient if quotient.ndim else quotient.item()


def odds(a: Amount, b: Amount) -> Amount:
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


# What scores of folds are called where nothing says of which metric they are.
UNNAMED = "score"


def _no_formula(*_: Any, **__: Any) -> float:
    """A score that was computed elsewhere."""
    raise InputError("a score that was computed elsewhere has no formula here; name a metric, such as 'accuracy'")


def find_measure(name: str | Formula | Measure | Mapping[Any, Any]) -> Measure:
    """A metric by name or alias, with macro_, micro_ and weighted_ in front of those of one class; or one's own.

    >>> find_measure("tpr").name, find_measure("macro_f1").average, find_measure("f1_macro").name
    ('recall', 'macro', 'macro_f1')
    """
    _load()
    if isinstance(name, Measure):
        return name
    if not isinstance(name, str):
        return _own_measure(name)
    word = name.strip().lower().replace("-", "_").replace(" ", "_")
    # Scorers of other libraries: neg_log_loss, accuracy_score, f1_macro.
    for spelt in (word, word.removeprefix("neg_"), word.removesuffix("_score"), word.removesuffix("_score_loss")):
        canonical = _REGISTRY.aliases.get(spelt, spelt)
        for named in (_REGISTRY.own, _REGISTRY.measures):
            if canonical in named:
                return named[canonical]
        if spelt in _REGISTRY.averages:
            return averaged(*_REGISTRY.averages[spelt])
    return _unnamed(name, word)


def _own_measure(function: Any) -> Measure:
    from trueerror.metrics._compute import own_measure

    if isinstance(function, Mapping) and len(function) == 1:
        ((function, said),) = function.items()
        return own_measure(function, **said) if callable(function) else find_measure(function)
    if not callable(function) or isinstance(function, type):
        raise InputError(
            f"a metric is named by text, such as 'accuracy', and not by {in_few_words(function)}; it comes first: "
            "te.metric('accuracy', truth, labels)"
        )
    return own_measure(function)


def _unnamed(name: str, word: str) -> Measure:
    """What scores of folds are a measure of where nothing says it; any other word is refused with the nearest."""
    if word == UNNAMED:
        return Measure(
            name=UNNAMED, title="score", function=_no_formula, needs="folds", best=math.inf, range=(-math.inf, math.inf)
        )
    known = [*_REGISTRY.measures, *_REGISTRY.aliases]
    known += [f"{a}_{m.name}" for a in AVERAGES for m in _REGISTRY.measures.values() if m.of_one_class]
    options = NAMED_OPTIONS.get(word)
    if options is not None:
        raise InputError(f"metric {name!r} is one that takes an option: metric={options}")
    if ":" in name:
        raise InputError(f"metric {name!r}: an option goes by its own name, te.metric('f_beta', …, beta=2)")
    close = UNOFFERED[word] if word in UNOFFERED else nearest(word, known)
    raise InputError(f"metric {name!r} is not known{close}; te.catalogue() lists all")


# Metrics elsewhere that are one of ours with an option, and metrics that no other stands for.
NAMED_OPTIONS = {
    **{f"f{b}": f'{{"f_beta": {{"beta": {b.replace("_", ".")}}}}}' for b in ("2", "0.5", "0_5")},
    "roc_auc_ovr_weighted": '{"ovr_auc": {"average": "weighted"}}',
    **dict.fromkeys(("quadratic_weighted_kappa", "qwk"), '{"kappa": {"weights": "quadratic"}}'),
    **{f"top_{k}_accuracy": f'{{"top_k_accuracy": {{"k": {k}}}}}' for k in (1, 2, 3, 5, 10)},
}
UNOFFERED = dict.fromkeys(("ndcg", "r2", "rmse", "mse", "mae", "roc_auc_ovo_weighted"), "")
UNOFFERED["calibration_slope"] = "; te.calibration(…).slope() has it, with its interval"


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


# Summed over the classes, each row is called once and is of one class, so these are plain shares of rows. The other
# sums count a row several times (as a negative of every other class), and no binomial interval holds for them.
ROW_ONCE: dict[str, Share] = {
    "precision": lambda t: (t.hits.sum(axis=-1), t.predicted.sum(axis=-1)),
    "recall": lambda t: (t.hits.sum(axis=-1), t.truth.sum(axis=-1)),
    "fnr": lambda t: ((t.truth - t.hits).sum(axis=-1), t.truth.sum(axis=-1)),
    "f1": lambda t: (t.hits.sum(axis=-1), (t.truth + t.predicted).sum(axis=-1) / 2),
}


@cache
def averaged(base: Measure, average: Average) -> Measure:
    """The averaged version of a metric of one class, as a metric of all classes."""
    make, facts = MEANS[average]
    return replace(
        base, name=f"{average}_{base.name}", title=f"{average} {base.title}", function=make(base), needs="classes",
        aliases=(), average=average, of=base.name, sum_of=None, given_by_prior=False, rows_in_play=False,
        gradient=None, **{"share": None, "share_of_rows": 0, "prior_free": "never", **facts(base)},
    )  # fmt: skip


def _mean_over_classes(base: Measure) -> dict[str, Any]:
    # A mean of ratios that have no end is not one of what happens within classes.
    within = math.isfinite(base.range[1])
    return {"prior_free": base.prior_free if within else "never", "undefined": f"for some class {base.undefined}"}


def _mean_over_rows(base: Measure) -> dict[str, Any]:
    """Recalls weighted by their class's rows are the accuracy, as is the recall of all counts summed."""
    rows = _sum_over_rows(base) if base.within_class else {}
    return {**rows, "undefined": f"for some class {base.undefined}"}


def _sum_over_rows(base: Measure) -> dict[str, Any]:
    right = 1 if base.best else -1
    return {"share": ROW_ONCE.get(base.name), "share_of_rows": right if base.within_class else 0}


def classes_in_play(t: ClassCounts) -> NDArray[np.bool_]:
    """Which classes have rows or predictions; the others leave the average."""
    return np.asarray((t.truth != 0) | (t.predicted != 0))


def _macro(base: Measure) -> Formula:
    def macro(t: ClassCounts, **options: Any) -> Amount:
        values = np.asarray(base.function(t.one_vs_rest(), **options))
        in_play = classes_in_play(t)
        return ratio(np.where(in_play, values, 0).sum(axis=-1), in_play.sum(axis=-1))  # a NaN of a class in play stays

    macro.__doc__ = f"Mean over the classes of: {base.summary}"
    return macro


def _weighted(base: Measure) -> Formula:
    def weighted(t: ClassCounts, **options: Any) -> Amount:
        values = np.asarray(base.function(t.one_vs_rest(), **options))
        # A class without rows has no weight, so its undefined value must not spoil the sum.
        present = t.truth != 0
        return ratio((np.where(present, values, 0) * t.truth).sum(axis=-1), t.truth.sum(axis=-1))

    weighted.__doc__ = f"Mean over the rows' classes of: {base.summary}"
    return weighted


def _micro(base: Measure) -> Formula:
    def micro(t: ClassCounts, **options: Any) -> Amount:
        return base.function(summed(t), **options)

    micro.__doc__ = f"From the counts summed over classes: {base.summary}"
    return micro


# How each average is made, and what is known of it.
MEANS: dict[Average, tuple[Callable[[Measure], Formula], Callable[[Measure], dict[str, Any]]]] = {
    "macro": (_macro, _mean_over_classes),
    "micro": (_micro, _sum_over_rows),
    "weighted": (_weighted, _mean_over_rows),
}


def summed(t: ClassCounts) -> BinaryCounts:
    """The four counts added over the classes."""
    return BinaryCounts(*(np.asarray(x).sum(axis=-1) for x in t.one_vs_rest()))


# A metric's own options, by name.
MetricOptions = Mapping[str, Any]
NEEDS = {
    "binary": "labels, one class", "classes": "labels", "cells": "labels", "scores": "scores",
    "losses": "probabilities", "grades": "grades", "class_scores": "a score for each class",
}  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Catalogue(Result):
    """Every metric with its facts: iterate over it, look one up by name, or take `.records()` and `.frame()`."""

    measures: tuple[Measure, ...]

    def __reduce__(self) -> tuple[Callable[..., Catalogue], tuple[object]]:
        return (Catalogue._from_data, (self._to_data(),))

    def __iter__(self) -> Iterator[Measure]:
        return iter(self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def __getitem__(self, name: str) -> Measure:
        return find_measure(name)

    def __contains__(self, name: object) -> bool:
        return any(name in (m.name, *m.aliases) for m in self.measures)

    def records(self) -> list[dict[str, object]]:
        """One record for each metric."""
        return [_facts(m) for m in self.measures]

    def _table(self) -> Table:
        rows = tuple((m.name, NEEDS[m.needs], _number(m.best), _range(m), m.summary) for m in self.measures)
        return Table(columns=("metric", "needs", "best", "range", "what"), rows=rows, names=5)

    def _html(self, picture: str = "") -> str:
        return self._table()._repr_html_()

    def __str__(self) -> str:
        rows = tuple((m.name, NEEDS[m.needs], _number(m.best), _range(m), ", ".join(m.options)) for m in self.measures)
        listed = Table(columns=("metric", "needs", "best", "range", "options"), rows=rows, names=5)
        prefixes = listing([f"{a}_" for a in AVERAGES], "or")
        return f"{len(self)} metrics; {prefixes} in front of one of a class averages it.\n\n{listed.text()}"

    __repr__ = __str__

    def _to_data(self) -> dict[str, Any]:
        return {"names": tuple(m.name for m in self.measures)}

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        return cls(tuple(find_measure(name) for name in data["names"]))


def _facts(m: Measure) -> dict[str, object]:
    from trueerror.methods import usual_method

    return {
        "name": m.name, "title": m.title, "summary": m.summary, "needs": NEEDS[m.needs], "best": m.best,
        "low": m.range[0], "high": m.range[1], "higher_is_better": m.higher_is_better,
        "averages": m.needs == "binary", "options": ", ".join(m.options), "aliases": ", ".join(m.aliases),
        "undefined": m.undefined, "interval": usual_method(m),
    }  # fmt: skip


def _number(x: float | None) -> str:
    return "–" if x is None else f"{x:g}".replace("inf", "∞")


def _range(m: Measure) -> str:
    low, high = (_number(x).replace("-", "−") for x in m.range)
    return f"{low} … {high}"


def catalogue() -> Catalogue:
    """Every metric with its best value, range, what it needs, its options, and its default interval.

    >>> catalogue()["tpr"].name, "macro_f1" in [m.name for m in catalogue()]
    ('recall', False)
    """
    return Catalogue(tuple(every_measure().values()))


Prior = float | Mapping[Any, float]
Masses = tuple[Amount, Amount] | None
# Shares that were typed with few digits (0.333, 0.333, 0.334) need not add up to the last bit.
TOLERANCE = 1e-6


def class_shares(prior: Prior, labels: Sequence[Label], positive: Label | None = None) -> Floats:
    """The prior as one share for each label, adding up to 1.

    >>> class_shares(0.1, ("no", "yes"), "yes").tolist()
    [0.9, 0.1]
    >>> class_shares({"a": 0.5, "b": 0.25, "c": 0.25}, ("a", "b", "c")).tolist()
    [0.5, 0.25, 0.25]
    """
    if isinstance(prior, Mapping):
        return _from_mapping(prior, labels)
    share = _share(prior, "prior")
    if len(labels) != 2:
        raise InputError(
            f"prior={prior!r} is the share of the positives among two classes, but there are {len(labels)}: "
            "give every class its share, as in {label: share}"
        )
    if positive is None:
        raise need_positive(labels, "prior=")
    return np.array([share if label == positive else 1 - share for label in labels])


def prior_of_each(prior: Prior | None, labels: Sequence[Label], positive: Label | None) -> Prior | None:
    """One share is that of the positive class, whichever class is asked for: both classes by name.

    >>> prior_of_each(0.25, ("no", "yes"), "yes")
    {'no': 0.75, 'yes': 0.25}
    """
    if prior is None or isinstance(prior, Mapping) or len(labels) != 2 or positive is None:
        return prior
    return dict(zip(labels, map(float, class_shares(prior, labels, positive)), strict=True))


def _from_mapping(prior: Mapping[Any, float], labels: Sequence[Label]) -> Floats:
    given = {find_label(key, labels, "prior"): _share(value, f"prior[{key!r}]") for key, value in prior.items()}
    absent = [label for label in labels if label not in given]
    if absent:
        raise InputError(
            f"prior= does not name the class {absent[0]!r}; give every class a share (0 where it is absent)"
        )
    shares = np.array([given[label] for label in labels])
    if abs(shares.sum() - 1) > TOLERANCE:
        raise InputError(f"prior= adds up to {shares.sum():.6g}; the shares of all classes must add up to 1")
    return np.asarray(shares / shares.sum())


# Odds of smaller shares leave the range of floats.
LEAST_SHARE = 1e-300


def _share(value: Any, name: str) -> float:
    try:
        share = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name}={value!r:.40} is not a number; a prior is a share between 0 and 1") from None
    if not 0 <= share <= 1:
        raise InputError(f"{name}={value!r} must lie between 0 and 1")
    if 0 < share < LEAST_SHARE:
        raise InputError(f"{name}={value!r} cannot be told from 0; give a share of {LEAST_SHARE:g} or more, or 0")
    return share


def reweighted(table: Confusion, shares: Floats, masses: Amount | None = None) -> Amount:
    """The cells' masses with the classes in the given shares; their sum stays what it was.

    All NaN where a class with a share has no rows: what would happen to its rows is not known. Leading axes of
    `masses` (bootstrap replicates) are kept, each replicate being brought to the prior by itself.

    >>> t = Confusion([[40, 10], [5, 45]])
    >>> reweighted(t, np.array([0.9, 0.1])).tolist()
    [72.0, 18.0, 1.0, 9.0]
    """
    m = table.masses if masses is None else masses
    rows = sum_columns(m, table.row, len(table.labels))
    wanted = shares * np.asarray(m.sum(axis=-1))[..., None]
    scale = np.where((rows == 0) & (shares == 0), 0, ratio(wanted, rows))
    unknown = np.isnan(scale).any(axis=-1, keepdims=True)
    return np.where(unknown, np.nan, m * scale[..., table.row])


def reweighted_scores(
    table: ScoreTable, share: float, masses: tuple[Amount, Amount] | None = None
) -> tuple[Amount, Amount]:
    """The positives and negatives of a score table with the positives in the given share."""
    up, down = (np.asarray(x) for x in ((table.positives, table.negatives) if masses is None else masses))
    total = up.sum(axis=-1) + down.sum(axis=-1)
    parts = []
    for mass, wanted in ((up, share), (down, 1 - share)):
        rows = mass.sum(axis=-1)
        scale = np.where((rows == 0) & (wanted == 0), 0, ratio(wanted * total, rows))
        parts.append(mass * np.asarray(scale)[..., None])
    return parts[0], parts[1]


def missing_class(sizes: Floats, shares: Floats, labels: Sequence[Label]) -> str:
    """Why a result at a prior is undefined: the class that has a share but no rows."""
    for size, share, label in zip(sizes, shares, labels, strict=True):
        if size == 0 and share > 0:
            return f"the prior gives class {label!r} a share of {share:.4g}, but it has no rows"
    return ""


class ClassScores(NamedTuple):
    """True classes as codes, (n, K) scores in label order, and the labels."""

    codes: Codes
    scores: NDArray[np.floating[Any]]
    labels: tuple[Label, ...]

    def sizes(self) -> NDArray[np.int64]:
        """Rows of each class."""
        return np.bincount(self.codes, minlength=len(self.labels)).astype(np.int64)

    def top_label(self) -> ScoreTable:
        """How often the called class was right, by the score that it had; the first wins ties.

        >>> ClassScores(np.array([0, 2]), np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]]), ("a", "b", "c")).top_label()
        2 distinct scores, 1 positives (True), 1 negatives
        """
        called = self.scores.argmax(axis=1) if len(self.scores) else np.zeros(0, dtype=np.intp)
        confidence = np.take_along_axis(self.scores, called[:, None], axis=1)[:, 0]
        return ScoreTable.from_codes(called == self.codes, confidence, True)


Tally = Confusion | ScoreTable | MultiLabel | ClassScores
KINDS = {
    "Confusion": "a confusion matrix",
    "ScoreTable": "a score table",
    "MultiLabel": "rows with several labels",
    "ClassScores": "one score for each class",
}


def value(
    measure: Measure, tally: Tally, *, positive: object = None, prior: Prior | None = None, **options: Any
) -> float:
    """The metric of a tally as a plain float, NaN where it is undefined (`undefined_reason` says why).

    `positive` turns a table of several classes into one class against the rest; `prior` is another class distribution.

    >>> from trueerror.metrics._registry import find_measure
    >>> value(find_measure("recall"), Confusion([[50, 5], [10, 30]]))
    0.75
    """
    check_metric_options(measure, options)
    of_tally, needs = VALUES[type(tally)]
    if measure.needs not in needs:
        raise InputError(
            f"{measure.name} cannot be computed from {KINDS[type(tally).__name__]}; {NEEDED[measure.needs]}"
        )
    return of_tally(measure, tally, positive, prior, options)


NEEDED = {
    "binary": "it needs labels: a Confusion, or truth and predicted",
    "classes": "it needs labels: a Confusion, or truth and predicted",
    "cells": "it needs labels, one for each row: a Confusion, or truth and predicted",
    "scores": "it needs scores: a ScoreTable, or truth and scores=",
    "losses": "it needs probabilities: a ScoreTable, or truth and scores=",
    "grades": "it needs rows that carry grades: te.graded(grades)",
    "class_scores": "it needs one score for each class: truth and scores= of shape (rows, classes)",
}


def check_metric_options(measure: Measure, options: MetricOptions) -> None:
    """Options that the metric does not have are refused, with the nearest that it has."""
    unknown = [option for option in options if option not in measure.options]
    if unknown:
        raise _unknown_option(measure, unknown[0])


def _unknown_option(measure: Measure, option: str) -> InputError:
    if option in ("weights", "weights_kind", "sample_weight"):
        return InputError(
            f"{measure.name} has no option {option}=; to weigh rows, count them with weights= and weights_kind= "
            "(te.Confusion.count, te.ScoreTable.count) and pass the table"
        )
    known = nearest(option, measure.options) if measure.options else "; it has none"
    return InputError(f"{measure.name} has no option {option}={known}")


def needs_collapse(measure: Measure, table: Confusion, positive: object) -> bool:
    """Whether a named class turns the table into one class against the rest."""
    if positive is None:
        return False
    find_label(positive, table.labels)
    several = len(table.labels) > 2
    if several and measure.average is not None:
        raise InputError(
            f"{measure.name} is an average over all classes; leave positive= out, or ask for {measure.of} of one class"
        )
    return several and not measure.of_one_class


@dataclass(frozen=True, slots=True, eq=False)
class ClassMix:
    """Cells brought to a class distribution: within a class nothing changes."""

    table: Confusion
    shares: Floats

    def masses(self, of_rows: Amount) -> Amount:
        """share·n_c/n_class in each cell, times all rows."""
        return reweighted(self.table, self.shares, of_rows)

    def slopes(self, of_rows: Amount, slopes: Floats) -> Floats:
        """The chain rule: the mean slope of each class is taken out."""
        k = len(self.table.labels)
        sizes = sum_columns(of_rows, self.table.row, k)
        safe = np.where(sizes == 0, 1.0, sizes)
        mean = sum_columns(of_rows * slopes, self.table.row, k) / safe
        scale = self.shares * np.asarray(of_rows.sum(axis=-1))[..., None] / safe
        return np.asarray(scale[..., self.table.row] * (slopes - mean[..., self.table.row]))

    @property
    def known(self) -> bool:
        """Whether every class that has a share has rows."""
        return bool(((self.table.classes().truth > 0) | (self.shares == 0)).all())


@dataclass(frozen=True, slots=True, eq=False)
class Pooled:
    """Cells added up into those of a smaller table, as of one class against the rest; `place` is where each goes."""

    table: Confusion
    place: NDArray[np.int64]

    def masses(self, of_rows: Amount) -> Amount:
        """Their sums."""
        return sum_columns(of_rows, self.place, len(self.table.row))

    def slopes(self, of_rows: Amount, slopes: Floats) -> Floats:
        """A row of a cell moves what it goes to."""
        return slopes[..., self.place]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A table as the formula of a metric sees it: `table`, and the steps from the cells of the rows to its cells."""

    table: Confusion
    positive: Any
    mix: ClassMix | None
    steps: tuple[ClassMix | Pooled, ...]

    @classmethod
    def of(cls, measure: Measure, rows: Confusion, positive: Any = None, prior: Prior | None = None) -> Seen:
        """At the prior, where there is one, and one class against the rest, where one is named."""
        # One share says nothing of many classes, but of a named one against the rest.
        one_share = prior is not None and not isinstance(prior, Mapping)
        against = one_share and len(rows.labels) > 2 and positive is not None
        steps: list[ClassMix | Pooled] = []
        table, mix = rows, None
        if prior is not None and not against:
            chosen = rows.positive if positive is None else find_label(positive, rows.labels)
            mix = ClassMix(rows, class_shares(prior, rows.labels, chosen))
            steps.append(mix)
        if against or needs_collapse(measure, rows, positive):
            table, place = collapsed(rows, positive)
            positive = True
            steps.append(Pooled(table, place))
        elif positive is not None and len(rows.labels) == 2 and positive != rows.positive:
            table = rows.with_positive(positive)
        if against:
            assert prior is not None
            mix = ClassMix(table, class_shares(prior, table.labels, True))
            steps.append(mix)
        return cls(table, positive, mix, tuple(steps))

    def at(self, table: Confusion) -> Seen:
        """Another table of the same classes, at the same class mix."""
        mix = None if self.mix is None else ClassMix(table, self.mix.shares)
        return Seen(table, self.positive, mix, () if mix is None else (mix,))

    def masses(self, of_rows: Amount) -> Amount:
        """Those of the cells of `table`; leading axes are replicates."""
        for step in self.steps:
            of_rows = step.masses(of_rows)
        return of_rows

    def slopes(self, of_rows: Amount, slopes: Floats) -> Floats:
        """How far a row in each cell of the rows moves what a row in each cell of `table` moves so far."""
        before = [of_rows]
        for step in self.steps[:-1]:
            before.append(step.masses(before[-1]))
        for step, masses in zip(reversed(self.steps), reversed(before), strict=False):
            slopes = step.slopes(masses, slopes)
        return slopes

    @np.errstate(invalid="ignore", divide="ignore")
    def value(self, measure: Measure, of_rows: Amount, options: MetricOptions) -> Amount:
        """The metric of these masses."""
        return measure.of_table(self.table, self.masses(of_rows), positive=self.positive, **options)


def _of_confusion(
    measure: Measure, table: Confusion, positive: object, prior: Prior | None, options: MetricOptions
) -> float:
    return float(Seen.of(measure, table, positive, prior).value(measure, table.masses, options))


def _of_multilabel(
    measure: Measure, tally: MultiLabel, positive: object, prior: Prior | None, options: MetricOptions
) -> float:
    if prior is not None:
        raise InputError("prior= is for rows with one label each; here each row has several")
    if measure.needs == "binary":
        if positive is None:
            raise InputError(
                f"{measure.name} is of one label: pass positive= one of {tally.labels!r:.80}, or ask for "
                f"macro_{measure.name}"
            )
        return float(measure.function(tally.binary(positive), **options))
    if positive is not None:
        raise InputError(f"{measure.name} is of all labels together; leave positive= out")
    if measure.average is not None:
        return float(measure.function(tally.classes(), **options))
    if measure.multilabel is None:
        raise InputError(f"{measure.name} is not defined for rows with several labels; macro_f1 or hamming_loss are")
    return float(measure.multilabel(tally))


def _of_score_table(
    measure: Measure, table: ScoreTable, positive: object, prior: Prior | None, options: MetricOptions
) -> float:
    check_same_positive(table, positive)
    if measure.probabilities or measure.of_losses:
        check_probabilities(table.scores)
    masses = None if prior is None else reweighted_scores(table, score_share(prior, table))
    if measure.needs == "losses":
        return float(mean_loss(table, measure, masses, **options))
    return float(measure.function(table, masses, **options))


def check_same_positive(table: ScoreTable, positive: object) -> None:
    """A score table speaks of one positive class; another cannot be asked of it."""
    if positive is not None and positive != table.positive:
        raise InputError(f"positive={positive!r}, but the score table was counted for {table.positive!r}")


def score_share(prior: Prior, table: ScoreTable) -> float:
    """The prior's share of the positives, for a table that knows only its positive label."""
    if isinstance(prior, Mapping):
        shares = class_shares(prior, tuple(prior))
        return float(shares[tuple(prior).index(find_label(table.positive, tuple(prior), "prior"))])
    return float(class_shares(prior, (False, True), True)[1])


def _of_class_scores(
    measure: Measure, rows: ClassScores, positive: object, prior: Prior | None, options: MetricOptions
) -> float:
    shares = None if prior is None else class_shares(prior, rows.labels)
    if measure.needs == "class_scores":
        return float(measure.function(rows.codes, rows.scores, shares, **options))
    if measure.probabilities:
        check_probabilities(rows.scores)
    if len(rows.codes) == 0:
        return float("nan")
    losses = measure.function(rows.codes, rows.scores, **options)
    if shares is None:
        return float(np.mean(losses, dtype=np.float64))
    sizes = rows.sizes()
    if ((sizes == 0) & (shares > 0)).any():
        return float("nan")
    means = np.bincount(rows.codes, weights=losses, minlength=len(sizes)) / np.where(sizes == 0, 1, sizes)
    return float((np.where(shares > 0, means, 0) * shares).sum())


# How each tally gives a metric, and of which kinds.
VALUES: dict[type, tuple[Callable[..., float], tuple[Needs, ...]]] = {
    Confusion: (_of_confusion, ("binary", "classes", "cells")),
    MultiLabel: (_of_multilabel, ("binary", "classes")),
    ScoreTable: (_of_score_table, ("scores", "losses")),
    ClassScores: (_of_class_scores, ("losses", "grades", "class_scores")),
}

NAMED = 3


def undefined_reason(
    measure: Measure, tally: Tally, *, positive: object = None, prior: Prior | None = None, **options: Any
) -> str:
    """Why the metric of this tally is NaN, or "" where it is a number.

    >>> t = Confusion([[10, 0, 5], [3, 0, 7], [2, 0, 20]], labels=["a", "b", "c"])
    >>> undefined_reason(find_measure("macro_precision"), t)
    "precision of class 'b' is undefined: no row was predicted positive"
    """
    if not math.isnan(value(measure, tally, positive=positive, prior=prior, **options)):
        return ""
    if _size(tally) == 0:
        return "there are no rows"
    reason = "" if prior is None else _prior_reason(tally, prior, positive)
    if reason:
        return reason
    if isinstance(tally, ClassScores):
        return _absent_classes(tally) or measure.undefined
    if measure.average in ("macro", "weighted"):
        if isinstance(tally, Confusion):
            seen = Seen.of(measure, tally, positive, prior)
            return _average_reason(measure, seen.table.classes(seen.masses(tally.masses)), seen.table.labels, options)
        assert isinstance(tally, MultiLabel)
        return _average_reason(measure, tally.classes(), tally.labels, options)
    if measure.needs == "classes" and isinstance(tally, Confusion):
        seen = Seen.of(measure, tally, positive, prior)
        return _margin_reason(measure, seen.table.classes(seen.masses(tally.masses)), seen.table)
    return measure.undefined


def _size(tally: Tally) -> float:
    return len(tally.codes) if isinstance(tally, ClassScores) else tally.n


def _prior_reason(tally: Tally, prior: Prior, positive: object) -> str:
    if isinstance(tally, Confusion):
        sizes = tally.classes().truth
        if isinstance(prior, Mapping) or len(tally.labels) <= 2:
            chosen = tally.positive if positive is None else find_label(positive, tally.labels)
            return missing_class(sizes, class_shares(prior, tally.labels, chosen), tally.labels)
        label = find_label(positive, tally.labels)
        positives = sizes[tally.labels.index(label)]
        parts = np.array([sizes.sum() - positives, positives])
        return missing_class(parts, class_shares(prior, (False, True), True), ("the rest", label))
    if isinstance(tally, ScoreTable):
        share = score_share(prior, tally)
        parts = np.array([tally.n_negative, tally.n_positive])
        return missing_class(parts, np.array([1 - share, share]), ("the rest", tally.positive))
    if isinstance(tally, ClassScores):
        return missing_class(tally.sizes().astype(np.float64), class_shares(prior, tally.labels), tally.labels)
    return ""


def _absent_classes(rows: ClassScores) -> str:
    absent = [repr(label) for label, size in zip(rows.labels, rows.sizes(), strict=True) if size == 0]
    if not absent:
        return "" if len(rows.labels) > 1 else "there is only one class"
    return f"{_classes(absent)} {'has' if len(absent) == 1 else 'have'} no rows"


def _average_reason(measure: Measure, t: ClassCounts, labels: tuple[Label, ...], options: MetricOptions) -> str:
    base = find_measure(measure.of)
    counted = classes_in_play(t) if measure.average == "macro" else t.truth != 0
    values = np.asarray(base.function(t.one_vs_rest(), **options))
    wrong = [repr(labels[i]) for i in np.flatnonzero(counted & np.isnan(values))]
    if not wrong:
        return measure.undefined
    return f"{base.title} of {_classes(wrong)} is undefined: {base.undefined}"


def _margin_reason(measure: Measure, t: ClassCounts, table: Confusion) -> str:
    """A metric of all classes: name a class that was predicted but has no rows, where that is the trouble."""
    strange = [repr(table.labels[i]) for i in np.flatnonzero((t.truth == 0) & (t.predicted != 0))]
    if strange and measure.undefined.startswith("a class was predicted"):
        verbs = ("was", "has") if len(strange) == 1 else ("were", "have")
        return f"{_classes(strange)} {verbs[0]} predicted but {verbs[1]} no rows"
    return measure.undefined


def _classes(names: list[str]) -> str:
    more = len(names) - NAMED
    listed = names if more <= 0 else [*names[:NAMED], f"{more} more"]
    return f"{'class' if len(names) == 1 else 'classes'} {listing(listed)}"


class TableLosses(NamedTuple):
    """The loss of a positive and of a negative at each distinct score of a table."""

    positive: Floats
    negative: Floats


def table_losses(table: ScoreTable, loss: Measure, **options: Any) -> TableLosses:
    """A loss of two classes by distinct score, so that a billion rows cost no more than their distinct scores."""
    scores = table.scores
    probabilities = np.column_stack([1 - scores, scores])
    ones = np.ones(len(scores), dtype=np.int64)
    return TableLosses(loss.function(ones, probabilities, **options), loss.function(0 * ones, probabilities, **options))


def mean_loss(table: ScoreTable, loss: Measure, masses: Masses = None, **options: Any) -> Amount:
    """The mean of a loss over the rows (or weights) of a score table, or over `masses` in place of its own."""
    up, down = (table.positives, table.negatives) if masses is None else masses
    losses = table_losses(table, loss, **options)
    # An infinite loss that no row has must not spoil the sum as 0 · ∞.
    sums = sum(
        (np.where(mass == 0, 0, mass) * np.where((mass == 0) & np.isinf(value), 0, value)).sum(axis=-1)
        for value, mass in ((losses.positive, np.asarray(up)), (losses.negative, np.asarray(down)))
    )
    return ratio(sums, up.sum(axis=-1) + down.sum(axis=-1))


def loss_moments(table: ScoreTable, loss: Measure, **options: Any) -> Moments:
    """n, mean and spread of a loss over the rows of a score table.

    >>> from trueerror.metrics._registry import find_measure
    >>> loss_moments(ScoreTable.count([1, 0], [0.8, 0.4]), find_measure("brier")).mean.__round__(6)
    0.1
    """
    if table.squares is not None:
        raise InputError("a table with sampling weights has no plain moments; use table_losses and its squares")
    losses = table_losses(table, loss, **options)
    parts = ((losses.positive, table.positives), (losses.negative, table.negatives))
    values = np.concatenate([value[mass > 0] for value, mass in parts])
    return Moments.of(values, np.concatenate([mass[mass > 0] for _, mass in parts]).astype(np.int64))


def ranks_rows(measure: Measure) -> bool:
    """Whether a metric compares the scores of one row with those of another.

    >>> from trueerror.metrics._registry import find_measure
    >>> [ranks_rows(find_measure(m)) for m in ("auc", "average_precision", "hand_till_auc", "brier", "accuracy")]
    [True, True, True, False, False]
    """
    return measure.by_rank or measure.of_class_scores
