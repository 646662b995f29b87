"""The options that verbs share, each declared in one line: its type, its default, what it means, how a shell writes it.

Python's signatures and their lists of parameters, the options of the command line and the tables of the reference are
made from these groups. What one verb is asked for is a class that inherits the groups which it takes.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ClassVar, Literal, ParamSpec, TypeVar, cast

from trueerror.inputs._options import Rng
from trueerror.results import Alternative

P = ParamSpec("P")
Request = TypeVar("Request", bound="Group")
Answer = TypeVar("Answer")
ClassMix = float | Mapping[Any, float] | None
Design = Literal["random", "case-control"]
Adjustment = Literal["bonferroni", "sidak", "none"]
Demand = float | Mapping[str, float] | None
MetricChoice = str | Callable[..., Any] | Iterable[str] | Mapping[Any, Mapping[str, Any]] | None


@dataclass(frozen=True)
class Option:
    """What is known of an option beside its type and default; without `metavar` the command line has none.

    `kind` is the type that the command line reads, `flags` its spelling where that is not the name, `usual` its default
    where that is another one.
    """

    meaning: str
    metavar: str | None = None
    kind: Any = str
    flags: str = ""
    usual: Any = None
    least: float | None = None

    @property
    def several(self) -> bool:
        """Whether the command line takes it several times."""
        return bool(self.kind == list[str])


def further(meaning: str) -> Any:
    """The field of a request that collects what the others do not name."""
    return field(default_factory=dict, metadata={"option": Option(meaning)})


def option(default: Any, meaning: str, *shell: Any, **more: Any) -> Any:
    """A field of a group."""
    return field(default=default, metadata={"option": Option(meaning, *shell, **more)})


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Group:
    """Options that belong together; `PLACE` is where the help of a command has them."""

    PLACE: ClassVar[str] = ""

    @classmethod
    def described(cls) -> dict[str, Option]:
        """Each option by its name."""
        return {f.name: f.metadata["option"] for f in dataclasses.fields(cls) if "option" in f.metadata}

    def given(self, kind: type[Group] | None = None) -> dict[str, Any]:
        """The options of this group, or of one that it inherits, by name."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(kind or type(self))}

    def changed(self, *kinds: type[Group]) -> list[str]:
        """Which options are not at their defaults."""
        wanted = [f for kind in kinds or (type(self),) for f in dataclasses.fields(kind)]
        return [f.name for f in wanted if not _same(getattr(self, f.name), f.default)]


def _same(value: object, default: object) -> bool:
    return value is default or (type(value) in (str, int, float, bool) and value == default)


def asked_by(request: Callable[P, Request]) -> Callable[[Callable[[Request], Answer]], Callable[P, Answer]]:
    """A verb of one request as a function of the request's fields.

    A field `columns` collects what the others do not name.
    """
    kind = cast("type[Any]", request)
    fields = {f.name: f for f in dataclasses.fields(kind)}
    parameters = list(inspect.signature(kind).parameters.values())
    rest = [p.replace(kind=p.VAR_KEYWORD, default=p.empty, annotation="Any") for p in parameters if p.name == "columns"]
    own = [p for p in parameters if p.name != "columns"]

    def decorate(verb: Callable[[Request], Answer]) -> Callable[P, Answer]:
        @wraps(verb)
        def called(*args: P.args, **options: P.kwargs) -> Answer:
            known = {name: value for name, value in options.items() if name in fields}
            more = {name: value for name, value in options.items() if name not in fields}
            return verb(kind(*args, **known, **({"columns": more} if more and rest else more)))

        returned = inspect.signature(verb).return_annotation
        called.__dict__["__signature__"] = inspect.Signature([*own, *rest], return_annotation=returned)
        called.__dict__["request"] = kind
        return called

    return decorate


# An option is a line: its default, what it means, and its place in a shell where it has one.
# fmt: off
TABLE_OPTIONS = 'Options of `te.read` where a path or a table is passed: `truth="y"`, `cluster="patient"`, …'


@dataclass(frozen=True, eq=False, repr=False)
class ByPlace(Group):
    """What may be given by its place."""

    truth_or_predictions: Any = option(None, "The truth; or what `te.read` gave; or any path, table or `te.Confusion`.")
    predicted: Any = option(None, 'Predicted labels: an array, or `{"name": array}` for several models.')

    @property
    def given_rows(self) -> tuple[Any, Any]:
        """Both."""
        return self.truth_or_predictions, self.predicted


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RowOptions(Group):
    """The rows, and what belongs to each."""

    scores: Any = option(None, 'Scores, higher = more positive: one column, or one a class; `{"name": array}`.')
    fitted: Mapping[str, Any] | None = option(None, 'Fitted models, `{"name": model}`, which predict from `X`.')
    X: Any = option(None, "Features of the test rows, for fitted models.")
    labels: Iterable[Any] | None = option(None, "All classes, in the order of tables and columns of scores.")
    positive: object = option(None, "The positive class. Not needed where labels are False/True, 0/1 or −1/1.")
    ids: Any = option(None, "Names of the rows. Two sources are joined by them.")
    clusters: Any = option(None, "Which rows belong together (one patient): limits and tests then count clusters.")
    time: Any = option(None, "When each row was seen: a date, a number, a period; rows are put into that order.")
    by: Any = option(None, "A column of groups, or several: results for each group besides all rows.")
    folds: Any = option(None, "The fold in which each row was tested. Rows are ranked within folds.")
    repeats: Any = option(None, "The repeat of the folds in which each row was tested.")
    weights: Any = option(None, "A weight for each row; `weights_kind` says what it means.")
    weights_kind: Any = option(None, '"frequency": number of equal rows. "sampling": one over the chance to be drawn.')
    missing: Any = option("error", 'Rows without a prediction: "error" refuses, "drop" omits, "wrong" counts an error.')
    threshold: float | None = option(None, "Scores at or above it are positive; 0.5 where all scores lie in [0, 1].")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Folding(Group):
    """How scikit-learn made the folds."""

    cv: Any = option(None, "The splitter (or number of folds) of scikit-learn that made the folds.")
    test_train_ratio: float | None = option(None, "Test rows over training rows: 1/9 for ten folds.")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Judged(Group):
    """By what models are compared, and with which."""

    metric: MetricChoice = option(None, "Metric to compare by (accuracy, or cost), such as f_beta:beta=2.", "METRIC")
    reference: str | None = option(None, "Compare with this model only.", "MODEL")
    margin: float | None = option(None, "The smallest difference that matters.", "NUMBER", float)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Pairwise(Judged):
    """How pairs of models are compared."""

    method: str | None = option(None, "Test: mid-p, exact, chi2, chi2-cc, bootstrap or delong.", "WORD")
    adjust: str = option("holm", "Correction for pairs: holm, hochberg, bh, … or none.", "WORD")
    alternative: Alternative = option("two-sided", "Side of the test: two-sided, greater or less.", "WORD")
    paired: bool | None = option(None, "Whether both models were judged on the same rows.")
    options: Mapping[str, Any] | None = option(None, "Options of the metric itself, such as `{'beta': 2}`.")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Evaluated(Group):
    """By what models are evaluated, and how."""

    metrics: MetricChoice = option(None, "A metric, such as f_beta:beta=2; or 'all'.", "NAME", list[str], "--metric")
    design: Design = option("random", "How rows were drawn: random, or case-control (each class apart).", "WORD")
    method: str | None = option(None, "Interval by name, for the metrics that offer it.", "WORD")
    simultaneous: bool | None = option(None, "True: all intervals hold together. False: each holds by itself.")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Demands(Group):
    """What a gate asks of a candidate."""

    metric: MetricChoice = option(None, "Metric to judge by; several are allowed.", "NAME", list[str])
    margin: Demand = option(0.0, "Largest loss that is still good enough; also METRIC=NUMBER.", "NUMBER", list[str])
    at_least: Demand = option(None, "What the candidate itself must reach; also METRIC=NUMBER.", "NUMBER", list[str])
    adjust: Adjustment = option("bonferroni", "Correction for several checks: bonferroni, sidak or none.", "WORD")
    sequential: bool = option(False, "Limits that hold however often the gate is asked.", "", bool)
    model: str | None = option(None, "The model to judge, where the rows hold several.", "MODEL", str, "--candidate")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Costs(Group):
    """What errors cost, and at which class mix."""

    PLACE = "Costs"
    costs: object = option(None, "Cost of each call, rows = truth: '[[0, 1], [10, 0]]'.", "JSON")
    cost_fp: float | None = option(None, "Cost of a false alarm (default 1).", "NUMBER", float)
    cost_fn: float | None = option(None, "Cost of a miss (default 1).", "NUMBER", float)
    prior: ClassMix = option(None, "Share of positives where the model will run.", "SHARE", float)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Certainty(Group):
    """How sure answers are, and what their randomness begins with."""

    confidence: float = option(0.95, "Confidence of the intervals, between 0 and 1.", "SHARE", float, "--confidence -c")
    rng: Rng = option(None, "Seed of all random draws.", "NUMBER", int, "--seed", usual=0, least=0)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Resampling(Certainty):
    """The same, where rows are drawn again."""

    replicates: int = option(10_000, "Number of bootstrap replicates, where rows are resampled.")
# fmt: on
