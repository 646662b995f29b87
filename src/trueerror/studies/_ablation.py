"""te.lesion_study, also te.ablation: take out one part after the other, and see what each contributes.

Parts of a system are columns, pipeline steps, settings, transformations, or other learners; `Ablated` is a learner
with some of them taken out.
"""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from trueerror.experiments._compare import learner_against_constant
from trueerror.experiments._dataset import Features
from trueerror.experiments._experiment import Experiment, RunOptions, run_experiment
from trueerror.experiments._fit import Balance, weights_for
from trueerror.experiments._learners import Learner, as_learners
from trueerror.findings import Findings
from trueerror.inference._contrast import student_quantile
from trueerror.inference._many import adjust_contrasts
from trueerror.inference.loss._t_tests import corrected_t
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Label
from trueerror.inputs._options import (
    InputError,
    Rng,
    check_alternative,
    check_confidence,
    check_word,
    in_few_words,
    nearest,
)
from trueerror.metrics._registry import Measure
from trueerror.resampling._cross_validation import KFold, as_plan
from trueerror.resampling._plan import Plan
from trueerror.resampling._wrapped import Reseeded
from trueerror.results import Alternative, Contrast, DocumentResult, Interval, Result, Table
from trueerror.results._document import WIDTH, Document, Footer, TableBlock, Verdict, data_summary
from trueerror.results._format import (
    estimate_and_limits,
    fixed,
    limits,
    listing,
    number,
    one_line,
    p_cell,
    p_value,
    percent,
    with_limits,
)
from trueerror.results._values import common_decimals
from trueerror.studies._study import as_study_data, judged_measure, spread_interval, study_findings, why_failed
from trueerror.verbs._compare import ADJUSTMENTS

if TYPE_CHECKING:
    from trueerror.curves._folds import AverageCurve
    from trueerror.curves._roc import Roc

How = Literal["drop", "constant"]
Transformation = Callable[[Features], Features]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Contribution(Result):
    """One variant of the system: which parts are out, how good it is, and what those parts contribute.

    `difference` is above 0 where the parts help, whichever way the metric goes; of an addition it is what the part
    brings to a system without any of them. Of a pair, `interaction` is the joint contribution less the two single ones:
    above 0 where each stands in for the other. `seed_sd` is how much differences vary by the learner's random state
    within one test fold (NaN with one seed), `fold_sd` how much by the test folds.
    """

    name: str
    kind: str
    removed: tuple[str, ...]
    estimate: Interval
    difference: Contrast
    interaction: Contrast | None = None
    fold_sd: float = math.nan
    seed_sd: float = math.nan

    def __str__(self) -> str:
        d = self.difference
        return f"{one_line(self.name)}: {d.name} {with_limits(d.estimate, d.low, d.high, sign=True)}, {p_value(self.p)}"

    @property
    def p(self) -> float:
        """The p-value that decides: adjusted where several were made."""
        return self.difference.p_value if self.difference.p_adjusted is None else self.difference.p_adjusted

    def helps(self, level: float = 0.05) -> bool:
        """Whether the parts clearly help."""
        return self.p <= level and self.difference.estimate > 0

    def hurts(self, level: float = 0.05) -> bool:
        """Whether the system is clearly better without them."""
        return self.p <= level and self.difference.estimate < 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LesionStudy(DocumentResult):
    """A system with parts taken out. Made by `te.lesion_study`; `te.ablation` is the same.

    study["part"] is a `Contribution`; `.curves` are the ROC curves of all variants where there are scores
    (`.plot(show="roc")`).
    """

    metric: str
    title: str
    full: Interval
    contributions: tuple[Contribution, ...]
    base: Interval | None = None
    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    curves: Mapping[str, Any] = field(default_factory=dict)
    plan: str = ""
    rows: int = 0
    seeds: int = 1
    adjust: str = "holm"
    confidence: float = 0.95
    seed: int = 0
    notes: tuple[str, ...] = ()
    method: str = "lesion"
    findings: Findings = field(default_factory=Findings)

    def __getitem__(self, name: str) -> Contribution:
        for c in self.contributions:
            if c.name == name:
                return c
        known = [c.name for c in self.contributions]
        raise InputError(f"there is no variant {name!r}{nearest(name, known)}")

    def of_kind(self, kind: str) -> tuple[Contribution, ...]:
        """The variants of one kind ("leave-one-out", "add-one-in", "pairs"), largest contribution first."""
        contributions = [c for c in self.contributions if c.kind == kind]
        return tuple(
            sorted(contributions, key=lambda c: 0.0 if math.isnan(c.difference.estimate) else -c.difference.estimate)
        )

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of variants that there are."""
        return tuple(dict.fromkeys(c.kind for c in self.contributions))

    def records(self) -> list[dict[str, object]]:
        """One record for each variant."""
        return [
            {
                "variant": c.name,
                "kind": c.kind,
                "removed": ", ".join(c.removed),
                self.metric: c.estimate.estimate,
                "contribution": c.difference.estimate,
                "low": c.difference.low,
                "high": c.difference.high,
                "p_value": c.difference.p_value,
                "p_adjusted": c.difference.p_adjusted,
                "interaction": None if c.interaction is None else c.interaction.estimate,
                "interaction_p": None if c.interaction is None else c.interaction.p_adjusted,
                "fold_sd": c.fold_sd,
                "seed_sd": c.seed_sd,
            }
            for c in self.contributions
        ]

    def _variants(self) -> Table:
        chosen = [c for kind in self.kinds for c in self.of_kind(kind)]
        decimals = common_decimals([*(c.difference for c in chosen), self.full, self.base])
        rows = tuple(
            (
                {"leave-one-out": "without ", "pairs": "without ", "add-one-in": "only "}[c.kind] + c.name,
                fixed(c.estimate.estimate, decimals),
                *estimate_and_limits(
                    c.difference.estimate, c.difference.low, c.difference.high, sign=True, decimals=decimals
                ),
                p_cell(p_value(c.p)),
            )
            for c in chosen
        )
        ends = [
            (name, estimate, "", reach, "")
            for name, i in (("full system", self.full), ("none of them", self.base))
            if i is not None
            for estimate, reach in [estimate_and_limits(i.estimate, i.low, i.high, decimals=decimals)]
        ]
        rows = (ends[0], *rows, *ends[1:])
        return Table(columns=("", self.title, "contribution", f"{percent(self.confidence)} CI", "p"), rows=rows)

    @property
    def verdict(self) -> str:
        """What each part contributes, in words: one paragraph a kind."""
        return "\n".join(self.verdict_lines)

    @property
    def verdict_lines(self) -> tuple[str, ...]:
        """The same, paragraph by paragraph."""
        return tuple(_kind_words(self, kind) for kind in self.kinds)

    def document(self) -> Document:
        several = "" if self.seeds == 1 else f", {self.seeds} seeds in each"
        head = f"{self.rows:,} rows, {self.plan}{several}; the same test folds and seeds for all variants."
        adjusted = (
            "" if self.adjust == "none" else f"; intervals and p-values are adjusted within each kind ({self.adjust})"
        )
        last = [f"Corrected t over the same test folds{adjusted}."]
        if self.seeds > 1:
            last.append(_seed_words(self))
        verdict, table = Verdict(self.verdict_lines, width=WIDTH), TableBlock(self._variants())
        block = self.findings.block(several=True)
        return Document((data_summary(head), verdict, table, block, Footer((*last, *self.notes))))


def _kind_words(study: LesionStudy, kind: str) -> str:
    level = 1 - study.confidence
    contributions = study.of_kind(kind)
    helpful = [c for c in contributions if c.helps(level)]
    harmful = [c for c in contributions if c.hurts(level)]
    open_ = [c for c in contributions if c not in helpful and c not in harmful]
    sentences = []
    verb = "brings" if kind == "add-one-in" else "contributes"
    for c in helpful[:4]:
        gap, names = c.difference, one_line(" and ".join(c.removed) if kind == "pairs" else c.name)
        verb = "contribute" if kind == "pairs" else verb
        sentences.append(
            f"{names} {verb} {number(gap.estimate)} to {study.title} {limits(gap.low, gap.high)}, {p_value(c.p)}."
        )
    if len(helpful) > 4:
        sentences.append(
            f"So do {listing([one_line(c.name) for c in helpful[4:10]])}{', …' if len(helpful) > 10 else ''}."
        )
    for c in harmful[:4]:
        sentences.append(
            f"Better without {one_line(c.name)}: {number(-c.difference.estimate)} "
            f"{limits(-c.difference.high, -c.difference.low)}, {p_value(c.p)}."
        )
    if open_:
        widest = max(open_, key=lambda c: 0.0 if math.isnan(c.difference.high) else c.difference.high)
        most = widest.difference.high
        reach = f"; at most {number(most)}" if math.isfinite(most) else ""
        names = listing([one_line(c.name) for c in open_[:8]]) + (", …" if len(open_) > 8 else "")
        sentences.append(f"No clear effect: {names}{reach}.")
    for c in contributions:
        both = c.interaction
        if both is not None and both.p_adjusted is not None and both.p_adjusted <= level:
            names = one_line(" and ".join(c.removed))
            word = "replace each other" if both.estimate > 0 else "contribute more together"
            sentences.append(
                f"{names} {word}: interaction {with_limits(both.estimate, both.low, both.high, sign=True)}."
            )
    head = {"leave-one-out": "Left out one at a time", "pairs": "Left out in pairs", "add-one-in": "Added alone"}[kind]
    return f"{head}: {' '.join(sentences)}"


def _seed_words(study: LesionStudy) -> str:
    widest = max(study.contributions, key=lambda c: -1.0 if math.isnan(c.seed_sd) else c.seed_sd)
    return (
        f"Seeds alone move a difference by {number(widest.seed_sd)} within one test fold "
        f"({one_line(widest.name)}, the most), test folds by {number(widest.fold_sd)}; "
        "differences are means over the seeds."
    )


# What a learner may have beside fit and predict; the ablated one has it where the learner does.
DELEGATED = ("predict_proba", "decision_function")


class Ablated:
    """An estimator around an estimator. The full system is one too, with nothing removed: same random states.

    `removed` are the positions of columns, left out (how="drop") or made the same for all rows (how="constant": as in
    the first training row); `transformations` are applied to X before that, in order.
    """

    def __init__(
        self,
        learner: Learner,
        removed: tuple[int, ...] = (),
        how: How = "drop",
        transformations: tuple[Transformation, ...] = (),
    ) -> None:
        self.learner = learner
        self.removed = removed
        self.how = how
        self.transformations = transformations

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, and those of the learner under learner__."""
        params = {name: getattr(self, name) for name in ("learner", "removed", "how", "transformations")}
        if deep and hasattr(self.learner, "get_params"):
            params |= {f"learner__{key}": value for key, value in self.learner.get_params(deep=True).items()}
        return params

    def set_params(self, **given: Any) -> Ablated:
        """Set parameters; those under learner__ are the learner's."""
        inner = {key.removeprefix("learner__"): v for key, v in given.items() if key.startswith("learner__")}
        for key, value in given.items():
            if not key.startswith("learner__"):
                setattr(self, key, value)
        if inner:
            self.learner.set_params(**inner)
        return self

    def fit(self, X: Features, y: Any, sample_weight: Any = None) -> Ablated:
        """Fit the learner to what is left of the rows."""
        changed = self._transformed(X)
        if self.how == "constant" and self.removed:
            self._fill = [_cell(changed, column) for column in self.removed]
        more = {} if sample_weight is None else weights_for(self.learner, sample_weight)
        self.learner.fit(self._left(changed), y, **more)
        return self

    def predict(self, X: Features) -> Any:
        """What the learner predicts from what is left of the rows."""
        return self.learner.predict(self._left(self._transformed(X)))

    def __getattr__(self, name: str) -> Any:
        learner = self.__dict__.get("learner")
        if learner is None or name not in (*DELEGATED, "classes_"):
            raise AttributeError(name)
        attribute = getattr(learner, name)
        if name == "classes_":
            return attribute
        return lambda X: attribute(self._left(self._transformed(X)))

    def _transformed(self, X: Features) -> Features:
        for function in self.transformations:
            X = function(X)
        return X

    def _left(self, X: Features) -> Features:
        if not self.removed:
            return X
        if self.how == "constant":
            return _filled(X, self.removed, self._fill)
        gone = set(self.removed)
        return _kept_columns(X, [i for i in range(X.shape[1]) if i not in gone])

    def __repr__(self) -> str:
        return f"Ablated({self.learner!r}, {self.removed!r})"


def _kept_columns(X: Features, kept: list[int]) -> Features:
    """Columns by position; where none is left, one that says nothing."""
    if not kept:
        return np.zeros((X.shape[0], 1))
    if hasattr(X, "iloc"):
        return X.iloc[:, kept]
    if hasattr(X, "column_names"):
        return X.select(kept)
    return X[:, kept]


def _cell(X: Features, column: int) -> object:
    return X.iloc[0, column] if hasattr(X, "iloc") else X[0, column]


def _filled(X: Features, columns: tuple[int, ...], values: list[object]) -> Features:
    if hasattr(X, "iloc"):
        filled = X.copy()
        for column, value in zip(columns, values, strict=True):
            filled.isetitem(column, [value] * len(filled))
        return filled
    if not isinstance(X, np.ndarray):
        raise InputError('how="constant" takes NumPy arrays and pandas frames; use how="drop"')
    filled = X.copy()
    filled[:, list(columns)] = values
    return filled


PartKind = Literal["columns", "step", "settings", "transformation", "learner"]
STEP = "step:"
# More columns than this are not each a part of their own unless somebody says so.
MOST_PARTS = 60


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AblationPart:
    """A part under its name, and what taking it out means."""

    name: str
    kind: PartKind
    columns: tuple[int, ...] = ()
    step: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    function: Transformation | None = None
    learner: Learner = None


def find_parts(parts: Any, X: Features, learner: Learner, names: Sequence[str] = ()) -> tuple[AblationPart, ...]:
    """The parts as given; without any, every column is one. `names` are those of the columns, where X has none.

    >>> import numpy as np
    >>> found = find_parts({"first two": [0, 1], "third": 2}, np.zeros((5, 3)), None)
    >>> [(p.name, p.columns) for p in found]
    [('first two', (0, 1)), ('third', (2,))]
    """
    names, width = list(names) or column_names(X), int(X.shape[1])
    if parts is None:
        if width > MOST_PARTS:
            raise InputError(f"there are {width:,} columns; say which of them make up the parts: parts={{…}}")
        parts = dict(zip(names, names, strict=True)) if names else {f"column {i}": i for i in range(width)}
    if not isinstance(parts, Mapping):
        if isinstance(parts, str) or not isinstance(parts, Iterable):
            raise InputError('parts must be {"name": columns, step, settings or transformation}')
        parts = {str(p): p for p in parts}
    if not parts:
        raise InputError('parts is empty; pass {"name": columns}')
    return tuple(_part(str(name), given, names, width, learner) for name, given in parts.items())


def column_names(X: Features) -> list[str]:
    """The names of the columns of a frame; none of an array."""
    named = getattr(X, "column_names", None)
    if named is None:
        named = getattr(X, "columns", None)
    return [] if named is None else [str(name) for name in named]


def _part(name: str, given: Any, names: list[str], width: int, learner: Learner) -> AblationPart:
    steps = [step for step, _ in getattr(learner, "steps", [])]
    if isinstance(given, Mapping):
        known = list(learner.get_params(deep=True)) if hasattr(learner, "get_params") else []
        for key in given:
            if key not in known:
                raise InputError(f"part {name!r}: the learner has no setting {key!r}{nearest(str(key), known)}")
        return AblationPart(name=name, kind="settings", settings=dict(given))
    if all(callable(getattr(given, method, None)) for method in ("fit", "predict")) and not isinstance(given, type):
        return AblationPart(name=name, kind="learner", learner=given)
    if callable(given):
        return AblationPart(name=name, kind="transformation", function=given)
    if isinstance(given, str) and (given.startswith(STEP) or (given in steps and given not in names)):
        return AblationPart(name=name, kind="step", step=_step(name, given.removeprefix(STEP), steps))
    columns = sorted({i for spec in _listed(given) for i in _columns(name, spec, names, width)})
    if not columns:
        raise InputError(f"part {name!r} has no columns")
    return AblationPart(name=name, kind="columns", columns=tuple(columns))


def _step(name: str, step: str, steps: list[str]) -> str:
    if step not in steps:
        problem = "the learner is no pipeline" if not steps else f"there is no step {step!r}{nearest(step, steps)}"
        raise InputError(f"part {name!r}: {problem}")
    if step == steps[-1]:
        raise InputError(f"part {name!r}: {step!r} is the last step, without which nothing is learned")
    return step


def _listed(given: Any) -> Sequence[Any]:
    if isinstance(given, str | slice | bool) or not isinstance(given, Iterable):
        return [given]
    values = list(given)
    if values and all(isinstance(v, bool | np.bool_) for v in values):
        return [np.asarray(values)]
    return values


def _columns(name: str, spec: Any, names: list[str], width: int) -> list[int]:
    """Positions of columns: by name, by a prefix such as "mean_*", by position, slice or mask."""
    if isinstance(spec, str):
        if not names:
            raise InputError(f"part {name!r}: X has no column names, so {spec!r} cannot be found; use positions")
        if spec.endswith("*"):
            positions = [i for i, column in enumerate(names) if column.startswith(spec[:-1])]
            if not positions:
                raise InputError(f"part {name!r}: no column begins with {spec[:-1]!r}; there are {_some(names)}")
            return positions
        if spec not in names:
            raise InputError(f"part {name!r}: there is no column {spec!r}{nearest(spec, names)}")
        return [i for i, column in enumerate(names) if column == spec]
    if isinstance(spec, slice):
        return list(range(width))[spec]
    if isinstance(spec, np.ndarray):
        if len(spec) != width:
            raise InputError(f"part {name!r}: the mask has {len(spec):,} values for {width:,} columns")
        return np.flatnonzero(spec).tolist()
    if isinstance(spec, bool) or not isinstance(spec, int | np.integer) or not -width <= spec < width:
        raise InputError(f"part {name!r}: {spec!r} is no column; there are {width:,}")
    return [int(spec) % width]


def _some(names: list[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")


def ablated(learner: Learner, parts: Sequence[AblationPart], how: How) -> Ablated:
    """The learner with these parts taken out."""
    system = copy.deepcopy(learner)
    columns: set[int] = set()
    functions: list[Transformation] = []
    for part in parts:
        if part.kind == "learner":
            if len(parts) > 1:
                raise InputError(
                    f"part {part.name!r} is a learner of its own, which cannot be taken out together with others"
                )
            system = copy.deepcopy(part.learner)
        elif part.kind == "step":
            system.set_params(**{part.step: "passthrough"})
        elif part.kind == "settings":
            system.set_params(**part.settings)
        elif part.function is not None:
            functions.append(part.function)
        columns.update(part.columns)
    return Ablated(system, tuple(sorted(columns)), how, tuple(functions))


Kind = Literal["leave-one-out", "add-one-in", "pairs"]
# What kind of variant it is, and the parts that are out.
Variant = tuple[Kind, tuple[AblationPart, ...]]
KINDS: tuple[Kind, ...] = ("leave-one-out", "add-one-in", "pairs")
FULL, NONE = "full system", "none of them"
DEFAULT_PLAN = KFold(10, repeats=5)
# More pairs than this are a table that nobody reads.
MOST_VARIANTS = 500


def lesion_study(
    learner: Learner,
    X: Features,
    y: Any = None,
    *,
    parts: Any = None,
    variants: Kind | Sequence[Kind] = "leave-one-out",
    how: How = "drop",
    plan: object = DEFAULT_PLAN,
    seeds: int = 1,
    metric: str = "accuracy",
    positive: Label | None = None,
    adjust: str = "holm",
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
    store: str | os.PathLike[str] | None = None,
    engine: object = None,
    jobs: int | None = None,
    timeout: float | None = None,
    rng: Rng = None,
    progress: bool = True,
    balance: Balance | None = None,
) -> LesionStudy:
    """What each part of a system contributes: the system without it, on the same test folds and with the same seeds.

    `parts` maps names to what is taken out: columns (a name, a prefix such as "mean_*", a position, a slice, a mask, or
    a list of these), a pipeline step ("step:scale": it lets rows pass), settings of the learner ({"n_estimators": 1}),
    a function that gives X without the part, or a whole learner that lacks it. Every column is a part unless `parts`
    are given. `variants`: "leave-one-out", "add-one-in" (each part alone, against none of them), "pairs" (every two,
    with their interaction), or several. Columns are left out (how="drop") or made constant (how="constant").

    Differences are above 0 where a part helps. They are tested by the corrected t over the test folds of the `plan`,
    adjusted within each kind; `alternative="greater"` asks only whether a part helps. `seeds` fits each variant several
    times on each training set, so that the learner's own chance is averaged out and known by itself. Everything runs
    through `te.experiment`. Lesion studies of learning systems: Cohen and Howe 1988, AI Magazine 9(4):35.

    >>> import numpy as np
    >>> from sklearn.neighbors import NearestCentroid
    >>> y = np.arange(200) % 2
    >>> X = np.random.default_rng(0).normal(size=(200, 2)) + np.stack([2.0 * y, 0 * y], axis=1)
    >>> study = lesion_study(NearestCentroid(), X, y, parts={"signal": 0, "noise": 1}, plan=10)
    >>> study["signal"].helps(), study["noise"].helps()
    (True, False)
    """
    data, measure = as_study_data(X, y), judged_measure(metric)
    if not isinstance(variants, Sequence) or not variants:
        raise InputError(f"variants={in_few_words(variants)} is not known{nearest('', KINDS)}")
    kinds: tuple[Kind, ...] = (variants,) if isinstance(variants, str) else tuple(variants)
    for word in kinds:
        check_word(word, KINDS, "variants")
    check_word(how, ("drop", "constant"), "how")
    check_word(adjust, ADJUSTMENTS, "adjust")
    check_alternative(alternative)
    level = check_confidence(confidence)
    ((_, system),) = as_learners(learner).items() if not isinstance(learner, Mapping) or len(learner) == 1 else _one()
    ablation_parts = find_parts(parts, data.X, system, data.names)
    removed = all_variants(ablation_parts, kinds)
    learners: dict[str, Ablated] = {FULL: ablated(system, (), how)}
    if "add-one-in" in kinds:
        learners[NONE] = ablated(system, ablation_parts, how)
    learners |= {_key(k, gone): ablated(system, gone, how) for k, gone in removed}
    options = RunOptions(
        store=store, engine=engine, jobs=jobs, timeout=timeout, rng=rng, progress=progress, balance=balance
    )
    run = run_experiment(learners, data, Reseeded(as_plan(plan), seeds), options)
    tests = _TestOptions(metric, measure, positive, alternative, level, adjust)
    return _study(run, ablation_parts, removed, tests, plan=as_plan(plan), seeds=seeds)


ablation = lesion_study


def _one() -> NoReturn:
    raise InputError("a lesion study takes one learner; give each of several a study of its own")


def all_variants(parts: Sequence[AblationPart], kinds: Sequence[Kind]) -> list[Variant]:
    """Which parts are out, for each variant."""
    variants: list[Variant] = []
    for kind in dict.fromkeys(kinds):
        if kind == "leave-one-out" or (kind == "pairs" and "leave-one-out" not in kinds):
            # Interactions of pairs need the single parts.
            variants += [("leave-one-out", (p,)) for p in parts]
        if kind == "add-one-in":
            if len(parts) < 2:
                raise InputError('variants="add-one-in" takes at least two parts')
            variants += [("add-one-in", tuple(q for q in parts if q is not p)) for p in parts]
        elif kind == "pairs":
            variants += [("pairs", pair) for pair in combinations(parts, 2)]
    if len(variants) > MOST_VARIANTS:
        raise InputError(f"that would be {len(variants):,} variants, more than {MOST_VARIANTS}; put columns together")
    return variants


def _key(kind: Kind, removed: Sequence[AblationPart]) -> str:
    return f"{kind}: {' + '.join(p.name for p in removed)}"


@dataclass(frozen=True, slots=True)
class _TestOptions:
    metric: str
    measure: Measure
    positive: Label | None
    alternative: Alternative
    confidence: float
    adjust: str


def _study(
    run: Experiment,
    parts: Sequence[AblationPart],
    removed: Sequence[Variant],
    tests: _TestOptions,
    *,
    plan: Plan,
    seeds: int,
) -> LesionStudy:
    values, ratio = _scores(run, tests, seeds)
    data = run.datasets[run.data_name(None)]
    units = data.rows.units
    sign = 1.0 if tests.measure.higher_is_better else -1.0
    size = round(data.n / (1 + ratio))

    def interval(key: str) -> Interval:
        return spread_interval(
            values[key].mean(axis=1), ratio=ratio, rows=units, bounds=tests.measure.range, confidence=tests.confidence,
            name=tests.measure.title, estimand=f"this learner at {size:,} training rows",
        )  # fmt: skip

    def contrast(d: Floats, first: str, second: str) -> Contrast:
        known = d[~np.isnan(d)]
        if len(known) < 2:
            failed = why_failed([run], FULL) or next((w for x in run.learners if (w := why_failed([run], x))), "")
            raise InputError(
                f"{first!r} and {second!r} have {len(known)} test folds with a score in common; it takes two{failed}"
            )
        difference = corrected_t(
            known, test_train_ratio=ratio, confidence=tests.confidence, alternative=tests.alternative
        )
        if math.isinf(difference.low) and math.isinf(difference.high):
            difference = _no_spread(difference, units, tests)
        return replace(difference, name=f"contribution to {tests.measure.title}", first=first, second=second,
                       estimand=f"what the part adds to this learner at {size:,} training rows")  # fmt: skip

    contributions = []
    for kind, gone in removed:
        key, names = _key(kind, gone), tuple(p.name for p in gone)
        added = next(p.name for p in parts if p not in gone) if kind == "add-one-in" else ""
        better, worse = (key, NONE) if added else (FULL, key)
        d = sign * (values[better] - values[worse])
        interaction = None
        if kind == "pairs":
            single = [values[_key("leave-one-out", (p,))] for p in gone]
            joint = sign * (single[0] + single[1] - values[FULL] - values[key])
            interaction = replace(contrast(joint.mean(axis=1), "together", "each by itself"), name="interaction")
        fold_sd, seed_sd = spreads(d)
        joined = " + ".join(names)
        contributions.append(
            Contribution(
                name=added or joined, kind=kind, removed=names, estimate=interval(key),
                difference=contrast(d.mean(axis=1), *((added, NONE) if added else ("full", f"without {joined}"))),
                interaction=interaction, fold_sd=fold_sd, seed_sd=seed_sd,
            )
        )  # fmt: skip
    curves, missing = _curves(run, removed, parts)
    return LesionStudy(
        metric=tests.measure.name, title=tests.measure.title, full=interval(FULL),
        base=interval(NONE) if NONE in values else None, contributions=_adjusted(contributions, tests.adjust),
        values={key: tuple(v.mean(axis=1).tolist()) for key, v in values.items()}, curves=curves, plan=str(plan),
        rows=data.n, seeds=seeds, adjust=tests.adjust, confidence=tests.confidence, seed=run.seed,
        notes=missing, findings=_findings(run, tests),
    )  # fmt: skip


def _findings(run: Experiment, tests: _TestOptions) -> Findings:
    """About the test folds, and whether the full system is better than a constant answer."""
    data = run.data_name(None)
    splits = [run.splits[data][i] for i in run.parts(data)]
    full = learner_against_constant(run, data, FULL) if tests.measure.right_or_wrong else None
    return study_findings(
        [run], [len(s.test) for s in splits], rounds=len({s.repeat for s in splits}),
        judged=[None if full is None else replace(full, model="full system")],
    )  # fmt: skip


def _no_spread(made: Contrast, rows: int, tests: _TestOptions) -> Contrast:
    """Limits where all test folds differ alike: for shares ±z²/(n + z²), as of paired rows that never differ."""
    low, high = tests.measure.range
    reach = high - low
    if tests.measure.right_or_wrong and made.estimate == 0:
        z = student_quantile(tests.confidence, "two-sided")
        reach = z * z / (rows + z * z)
    return replace(made, low=max(low - high, made.estimate - reach), high=min(high - low, made.estimate + reach))


def _scores(run: Experiment, tests: _TestOptions, seeds: int) -> tuple[dict[str, Floats], float]:
    """The metric by test fold and seed, for each variant."""
    first = run.fold_scores(tests.metric, positive=tests.positive)
    if first.values.shape[1] < 2:
        raise InputError("a lesion study needs several test folds; use a plan such as te.KFold(10, repeats=5)")
    columns = [first.values[:, :, None]]
    if seeds > 1:
        others = run.fold_scores(tests.metric, part="seed", positive=tests.positive).values
        columns.append(others.reshape(len(run.learners), -1, seeds - 1))
    values = np.concatenate(columns, axis=2)
    return dict(zip(run.learners, values, strict=True)), first.test_train_ratio


def spreads(differences: Floats) -> tuple[float, float]:
    """(sd between test folds, sd between seeds within a part): the variance of part means less what seeds add to it.

    >>> spreads(np.array([[0.0, 0.2], [0.4, 0.6]]))[1].__round__(4)
    0.1414
    """
    known = differences[~np.isnan(differences).any(axis=1)]
    if len(known) < 2:
        return math.nan, math.nan
    between = float(known.mean(axis=1).var(ddof=1))
    if known.shape[1] == 1:
        return math.sqrt(between), math.nan
    within = float(known.var(axis=1, ddof=1).mean())
    return math.sqrt(max(0.0, between - within / known.shape[1])), math.sqrt(within)


def _adjusted(made: Sequence[Contribution], method: str) -> tuple[Contribution, ...]:
    """p-values adjusted within each kind, and those of interactions by themselves."""
    adjusted = list(made)
    for kind in dict.fromkeys(c.kind for c in made):
        places = [i for i, c in enumerate(made) if c.kind == kind]
        differences = adjust_contrasts([made[i].difference for i in places], method, every=True)
        for i, difference in zip(places, differences, strict=True):
            adjusted[i] = replace(adjusted[i], difference=difference)
    interactions = {i: c.interaction for i, c in enumerate(made) if c.interaction is not None}
    for i, joint in zip(interactions, adjust_contrasts(list(interactions.values()), method, every=True), strict=True):
        adjusted[i] = replace(adjusted[i], interaction=joint)
    return tuple(adjusted)


def _curves(
    run: Experiment, removed: Sequence[Variant], parts: Sequence[AblationPart]
) -> tuple[dict[str, Roc | AverageCurve], tuple[str, ...]]:
    """The ROC curve of each variant from one round of its test folds; a note where there is none."""
    words = {FULL: FULL, NONE: NONE}
    for kind, gone in removed:
        names = " + ".join(p.name for p in gone)
        only = next((p.name for p in parts if p not in gone), "")
        words[_key(kind, gone)] = f"only {only}" if kind == "add-one-in" else f"without {names}"
    curves: dict[str, Roc | AverageCurve] = {}
    for key in run.learners:
        try:
            curves[words[key]] = run.roc(key)
        except InputError as error:
            return {}, (f"No ROC curves: {error}.",)
    return curves, ()
