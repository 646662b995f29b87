"""The errors that users see, checks of the options that all verbs share, and the settings of `te.config`.

No setting changes a result beyond rounding.

The words that people bring: what an option is called elsewhere, and what it is called here.

One table for all public functions and for the command line. A word of the same meaning is taken in the place of ours;
one whose meaning is not plain is refused with ours. Every public function is wrapped by `speaks` when it is first used
(`trueerror._attach`), so that an option or an argument too many ends with a sentence and never with a bare TypeError.
"""

from __future__ import annotations

import difflib
import inspect
import logging
import math
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

from trueerror.results import Result
from trueerror.results._format import one_line

if TYPE_CHECKING:
    import numpy as np


# A message with a whole table in it tells nobody anything.
LONGEST = 300
MOST_REPLICATES = 10_000_000


class InputError(ValueError):
    """Something in the input is wrong; the message says in one line what, where and what to do.

    >>> str(InputError("a name with \\x1b in it,\\nand more"))
    'a name with   in it, and more'
    >>> len(str(InputError("a value " * 1000 + "; pass a list"))) <= LONGEST
    True
    """

    def __init__(self, message: object = "") -> None:
        words = one_line(str(message))
        if len(words) > LONGEST:
            words = f"{words[: LONGEST - 100].rstrip()} … {words[-90:].lstrip()}"
        super().__init__(words)


class ColumnError(InputError):
    """A column that was named is not there."""


class FileError(InputError):
    """A file cannot be read as a table."""


class RepeatedIdError(InputError):
    """An id stands for more than one row: `rows` of them repeat the id of an earlier one, such as `example`."""

    def __init__(self, message: str, *, rows: int, example: object) -> None:
        super().__init__(message)
        self.rows = rows
        self.example = example


class MissingPredictionError(InputError):
    """Rows lack a prediction, and nothing says how they count."""


def in_few_words(value: object) -> str:
    """A value in a few words: text and numbers as they are, all else by its kind and size.

    >>> in_few_words("75%"), in_few_words([1, 2, 3]), in_few_words({"a": 1}), in_few_words(3.5)
    ("'75%'", 'a list of 3', 'a dict of 1', '3.5')
    """
    if value is None or isinstance(value, str | bytes | int | float | complex):
        return f"{value!r:.40}"
    kind = type(value).__name__
    article = "an" if kind[:1] in "AEIOUaeio" else "a"
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{article} {kind} of {' × '.join(map(str, shape))}"
    size = f" of {len(value)}" if isinstance(value, list | tuple | dict | set) else ""
    return f"{article} {kind}{size}"


LOOKALIKES = str.maketrans("OoIl", "0011")


def nearest(name: object, choices: Iterable[object]) -> str:
    """A hint at the nearest known name, or the known names when there are few, or nothing.

    >>> nearest("acuracy", ["accuracy", "recall"])
    "; did you mean 'accuracy'?"
    >>> nearest("zzz", ["a", "b"])
    "; there are 'a', 'b'"
    >>> nearest("TE2O2", ["TE202", "TE212"])
    "; did you mean 'TE202'?"
    """
    known = [str(c) for c in choices]
    # A letter typed for the digit that it looks like is nearer than any other slip: TE2O2 is TE202.
    alike = str(name).translate(LOOKALIKES)
    if alike != str(name) and alike in (as_digits := {k.translate(LOOKALIKES): k for k in known}):
        return f"; did you mean {as_digits[alike]!r}?"
    close = difflib.get_close_matches(str(name), known, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    if 0 < len(known) <= 30:
        return "; there are " + ", ".join(repr(k) for k in known)
    return ""


Chosen = TypeVar("Chosen", bound=str)


def check_confidence(confidence: float, *, one_sided: bool = False) -> float:
    """A confidence level strictly between 0 and 1; a one-sided limit below one half would leave the estimate out."""
    try:
        level = float(confidence)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"confidence={confidence!r} is not a number; give a share such as 0.95") from None
    if not 0 < level < 1:
        hint = f"; did you mean {level / 100:g}?" if 1 < level < 100 else ""
        raise InputError(f"confidence={confidence!r} must lie between 0 and 1, such as 0.95{hint}")
    if one_sided and level < 0.5:
        raise InputError(
            f"confidence={confidence!r} is below one half, which leaves the estimate itself outside; give 0.95"
        )
    if 1 - level == 1:
        raise InputError(f"confidence={confidence!r} is so small that the limits would be one point")
    return level


def check_word(value: Chosen, choices: Iterable[str], option: str) -> Chosen:
    """One of a few words, or an error that suggests the nearest."""
    known = list(choices)
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{option}={value!r} is not known{nearest(value, known)}")
    return value


def check_alternative(alternative: str) -> None:
    """two-sided, greater or less."""
    check_word(alternative, ("two-sided", "greater", "less"), "alternative")


def check_replicates(replicates: object, *, least: int = 100, usual: int = 1_000, option: str = "replicates") -> int:
    """How many resamples to draw: enough for limits, and not so many that it never ends.

    >>> check_replicates(2000.0)
    2000
    """
    counts = isinstance(replicates, int | float) or type(replicates).__module__ == "numpy"
    try:
        value = float(cast("float", replicates)) if counts and not isinstance(replicates, bool) else math.nan
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not (value.is_integer() and least <= value <= MOST_REPLICATES):
        raise InputError(
            f"{option}={replicates!r:.40} must be a whole number from {least:,} to {MOST_REPLICATES:,}; {usual:,} is "
            "usual"
        )
    return int(value)


def check_share(value: float, option: str) -> float:
    """A number in [0, 1]."""
    try:
        share = float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{option}={value!r:.40} is not a number; give a share between 0 and 1") from None
    if not 0 <= share <= 1:
        raise InputError(f"{option}={value!r} must lie between 0 and 1")
    return share


# What draws start from.
Rng: TypeAlias = "int | np.random.SeedSequence | np.random.Generator | None"


def generator(rng: Rng) -> tuple[np.random.Generator, str]:
    """A random generator and how to name its seed; None is seed 0.

    Philox is counter-based: the same seed gives the same stream on every platform.
    """
    import numpy as np

    if isinstance(rng, np.random.Generator):
        return rng, "the caller's generator"
    if isinstance(rng, np.random.SeedSequence):
        return np.random.Generator(np.random.Philox(rng)), f"seed {rng.entropy}"
    if rng is None:
        rng = 0
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise InputError(f"rng={rng!r} must be a non-negative integer, a SeedSequence or a Generator")
    return np.random.Generator(np.random.Philox(int(rng))), f"seed {int(rng)}"


KernelChoice = Literal["auto", "plain", "fast"]
UNITS = {"": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Settings(Result):
    """How computations are run.

    `kernels`: which hot loops run, "plain" (NumPy), "fast" (Numba) or "auto" (whichever is quicker for the size).
    `budget`: memory for exact tables of files and lazy tables, such as "2GB"; beyond it tables are binned, with bounds.
    Arrays and data frames are in memory already: they are always counted exactly, whatever the budget.
    `threads`: how many threads large inputs may use; None is as many as there are processors, at most 8.
    """

    kernels: KernelChoice = "auto"
    budget: str = "2GB"
    threads: int | None = None

    @property
    def budget_bytes(self) -> int:
        """The memory budget in bytes."""
        return memory_bytes(self.budget)

    @property
    def thread_count(self) -> int:
        """How many threads large inputs use."""
        return self.threads or min(8, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else _count())

    @property
    def kernels_in_use(self) -> Literal["plain", "fast"]:
        """Which hot loops large inputs get now; "auto" loads the fast ones when the first input is large enough."""
        if self.kernels == "auto":
            return "fast" if "trueerror.kernels._numba" in sys.modules else "plain"
        return self.kernels

    def __str__(self) -> str:
        state = "installed" if find_spec("numba") else "not installed"
        return (
            f"kernels {self.kernels}, {self.kernels_in_use} in use (numba is {state}), memory budget {self.budget} for "
            f"exact tables, {self.thread_count} threads for large inputs"
        )


_current = Settings()


def config(**settings: Any) -> Settings:
    """Change settings by name, and return those that hold from now on; without arguments only look.

    >>> config().kernels
    'auto'
    >>> config(kernels="plain").kernels
    'plain'
    >>> config(kernels="auto").budget
    '2GB'
    """
    global _current
    known = tuple(Settings.__dataclass_fields__)
    for name, value in settings.items():
        if name not in known:
            raise InputError(f"setting {name!r} is not known{nearest(name, known)}")
        if name == "kernels":
            check_word(value, ("auto", "plain", "fast"), "kernels")
            if value == "fast" and find_spec("numba") is None:
                raise InputError('kernels="fast" needs numba: pip install "trueerror[fast]", or keep kernels="auto"')
        elif name == "budget":
            memory_bytes(value)
        elif value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise InputError(f"threads={value!r} must be a whole number from 1 up, or None")
    _current = replace(_current, **settings)
    return _current


def current() -> Settings:
    """The settings that hold now."""
    return _current


def memory_bytes(budget: object) -> int:
    """An amount of memory in bytes, from a number or a text such as "2GB".

    >>> memory_bytes("1.5 GB")
    1500000000
    """
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([kmgt]?b?)\s*", str(budget).lower())
    unit = "" if match is None else match[2] if match[2].endswith("b") or not match[2] else match[2] + "b"
    if match is None or unit not in (*UNITS, "b") or isinstance(budget, bool) or float(match[1]) <= 0:
        raise InputError(f'budget={budget!r} is not an amount of memory; give one such as "2GB" or "500MB"')
    return int(float(match[1]) * UNITS.get(unit, 1))


def _count() -> int:
    return os.cpu_count() or 1


Made = TypeVar("Made", bound=Callable[..., Any])


class CallError(InputError, TypeError):
    """A function was called with an argument that it does not have, or without one that it needs."""


@dataclass(frozen=True, slots=True)
class Word:
    """What a word means: the first of `ours` that a function has, its value turned by `turned`.

    `old` names the functions whose own spelling it was: there it works for one version more, with a note. `say` is
    what to answer where no function has such an option, `in_shell` the same on the command line; `number`: only the
    number of the noun differs.
    """

    ours: tuple[str, ...] = ()
    turned: Callable[[str, Any], Any] | None = None
    old: tuple[str, ...] = ()
    say: str = ""
    in_shell: str = ""
    number: bool = False


def _from_alpha(word: str, value: Any) -> Any:
    """A significance level as a confidence, a confidence as a significance level: 1 − the other."""
    try:
        level = float(value)
    except (TypeError, ValueError):
        raise CallError(f"{word}={value!r:.40} is not a number; pass confidence=0.95") from None
    if not 0 < level <= 0.5:
        raise CallError(f"{word}={value!r} is not a significance level such as 0.05; pass confidence=, such as 0.95")
    return round(1 - level, 12)


def _to_alpha(word: str, value: Any) -> Any:
    try:
        level = float(value)
    except (TypeError, ValueError):
        raise CallError(f"{word}={value!r:.40} is not a number; give a share such as 0.95") from None
    if not 0.5 <= level < 1:
        raise CallError(f"{word}={value!r} is not a confidence such as 0.95; a significance level goes in alpha=")
    return round(1 - level, 12)


def _confident(word: str, value: Any) -> Any:
    """A level that may be meant either way is a confidence only where it is a large one."""
    if isinstance(value, int | float) and 0 < value < 0.5:
        raise CallError(f"{word}={value!r} may be meant either way; pass confidence={round(1 - value, 12)!r}")
    return value


LEVEL = ("confidence",)
REPLICATES = ("replicates", "b", "samples")
ROWS = ("truth", "truth_or_predictions", "data", "y")
PLAN = ("plan",)

WORDS: dict[str, Word] = {
    # The truth and what a model said.
    **dict.fromkeys(("y_true", "truth", "y_test", "actual", "labels_true"), Word(ROWS)),
    **dict.fromkeys(("y_pred", "y_hat", "prediction", "predictions", "labels_pred"), Word(("predicted",))),
    **dict.fromkeys(
        ("y_score", "y_scores", "y_prob", "y_proba", "y_probs", "probas_pred", "proba", "probs", "probabilities"),
        Word(("scores", "score")),
    ),
    **dict.fromkeys(("pos_label", "positive_label", "positive_class", "event_level"), Word(("positive",))),
    **dict.fromkeys(("sample_weight", "sample_weights", "case_weights"), Word(("weights", "weight"))),
    **dict.fromkeys(
        ("groups", "group", "group_ids", "cluster_ids", "blocks", "subjects"), Word(("clusters", "cluster"))
    ),
    **dict.fromkeys(("slices", "slice", "sensitive_features", "subgroups", "segment", "segments"), Word(("by",))),
    **dict.fromkeys(("classes", "class_labels"), Word(("labels",))),
    **dict.fromkeys(("X_test", "features"), Word(("X",))),
    "y": Word(("truth", "truth_or_predictions", "data")),
    # One or several.
    "cluster": Word(("clusters",), number=True),
    "clusters": Word(("cluster",), number=True),
    "fold": Word(("folds",), number=True),
    "folds": Word(("fold",), number=True),
    "repeat": Word(("repeats",), number=True),
    "repeats": Word(("repeat",), number=True),
    "id": Word(("ids",), number=True),
    "ids": Word(("id",), number=True),
    "weight": Word(("weights",), number=True),
    "weights": Word(("weight",), number=True),
    "metric": Word(("metrics",), number=True, say="te.evaluate, te.compare and te.metric take a metric"),
    "metrics": Word(("metric",), number=True),
    "model": Word(("models",)),
    "models": Word(("learners", "model")),
    "learner": Word(("learners",), number=True),
    "learners": Word(("learner",), number=True),
    "score": Word(("scores", "grade"), number=True),
    "scores": Word(("score",), number=True),
    "threshold": Word(("thresholds",), number=True),
    "thresholds": Word(("threshold",), number=True),
    "cost": Word(("costs",), number=True),
    # How sure.
    **dict.fromkeys(("alpha", "significance_level", "sig_level"),
                    Word(LEVEL, turned=_from_alpha, old=("rank", "nemenyi", "shaffer", "bonferroni_dunn"))),
    "confidence": Word(("alpha",), turned=_to_alpha),
    **dict.fromkeys(("confidence_level", "conf_level", "conf", "ci_level"), Word(LEVEL)),
    **dict.fromkeys(("level", "ci"), Word(LEVEL, turned=_confident)),
    **dict.fromkeys(
        ("n_bootstrap", "n_bootstraps", "n_boot", "n_resamples", "n_replicates", "num_bootstrap", "bootstrap_samples",
         "n_permutations", "n_samples", "bootstraps", "replicates"),
        Word(REPLICATES),
    ),
    **dict.fromkeys(("random_state", "seed", "random_seed"), Word(("rng",))),
    **dict.fromkeys(
        ("p_adjust", "p_adjust_method", "adjustment", "multiplicity", "multitest"), Word(("adjust",))
    ),
    "correction": Word(("adjust",), say='a correction for continuity is part of the method: method="chi2-cc"'),
    **dict.fromkeys(("tail", "tails", "sides"), Word(("alternative", "side"))),
    **dict.fromkeys(("delta", "noninferiority_margin", "equivalence_margin", "tolerance"), Word(("margin",))),
    # By what, and against whom.
    **dict.fromkeys(("scoring", "measure", "measures"),
                    Word(("metric", "metrics", "score"), say="learners are judged afterwards, by any metric: "
                         'run.compare("f1"), run.estimate("f1")')),
    "reference": Word(("baseline", "control")),
    "baseline": Word(("reference", "control")),
    "control": Word(("reference", "baseline"), old=("rank",)),
    "candidate": Word(("model",)),
    # Costs, class mix, thresholds.
    **dict.fromkeys(("cost_matrix", "loss_matrix", "cost_mat"), Word(("costs",))),
    **dict.fromkeys(("fp_cost", "cost_false_positive", "cost_false_alarm", "c_fp"), Word(("cost_fp",))),
    **dict.fromkeys(("fn_cost", "cost_false_negative", "cost_miss", "c_fn"), Word(("cost_fn",))),
    **dict.fromkeys(("prevalence", "class_prior", "priors", "base_rate"), Word(("prior",))),
    **dict.fromkeys(("cutoff", "cut_off", "cut", "decision_threshold"), Word(("threshold",))),
    "n_bins": Word(("bins",)),
    # Counts.
    **dict.fromkeys(("n", "nobs", "n_obs", "sample_size"), Word(("trials", "n"))),
    "count": Word(("successes",)),
    **dict.fromkeys(("moe", "margin_of_error"), Word(("half_width",))),
    # Learners.
    **dict.fromkeys(("cv", "splitter", "resampling"), Word(PLAN)),
    **dict.fromkeys(("n_splits", "n_folds", "nfolds", "num_folds"), Word(("k", "outer", "plan"))),
    **dict.fromkeys(("n_repeats", "num_repeats"), Word(("repeats",), say="repeats belong to the plan: te.KFold(10, "
                                                     "repeats=3)")),
    **dict.fromkeys(("test_size", "test_fraction"), Word(("test",), say="the size of the test fold belongs to the "
                                                   "plan: plan=te.Holdout(0.25)")),
    **dict.fromkeys(("n_jobs", "num_workers", "workers", "n_workers"), Word(("jobs",), say="it runs in one "
                    "process; te.experiment and te.learning_curve have jobs=")),
    **dict.fromkeys(("estimator", "clf", "classifier"), Word(("learner", "learners"))),
    **dict.fromkeys(("estimators", "classifiers"), Word(("learners", "learner"))),
    "verbose": Word(("progress",), turned=lambda word, value: bool(value)),
    "train_sizes": Word(("sizes",)),
    "stratified": Word(("stratify",)),
    "param_name": Word(("parameter",)),
    "param_range": Word(("values",)),
    "backend": Word(("engine",)),
    # Words without a counterpart.
    "average": Word(say="the average is part of a metric's name: 'macro_f1', 'micro_f1', 'weighted_f1'",
                    in_shell="the average is part of a metric's name: --metric macro_f1"),
    "beta": Word(say='a metric\'s own options go with its name: metric={"f_beta": {"beta": 2}}',
                 in_shell="a metric's own options go with its name: --metric f_beta:beta=2"),
    "k": Word(say='a metric\'s own options go with its name: metric={"top_k_accuracy": {"k": 5}}',
              in_shell="a metric's own options go with its name: --metric top_k_accuracy:k=5"),
    "exact": Word(say='the form of the test is method=: "exact", "mid-p", "chi2" or "chi2-cc"'),
    "zero_division": Word(say="an undefined metric is NaN with a reason, never 0 or 1"),
    "shuffle": Word(say="plans shuffle the rows by themselves; rng= says how"),
    "normalize": Word(say="metrics are shares of rows already; counts are in te.Confusion"),
    "drop_intermediate": Word(say="every threshold is kept"),
    "target_names": Word(say="classes go by their labels: labels= orders them"),
    "fit_params": Word(say="give a learner its parameters when it is made"),
}  # fmt: skip

# What to write where more arguments were given by place than a function takes.
BY_PLACE = {
    "compare": 'several models go in a dictionary: te.compare(truth, {"a": first, "b": second}), scores in scores={…}',
    "evaluate": "labels go in predicted, scores in scores=: te.evaluate(truth, labels, scores=scores)",
    "predictions": "labels go in predicted, scores in scores=: te.predictions(truth, labels, scores=scores)",
    "gate": 'te.gate(te.predictions(truth, {"new": new, "old": old}), "old") takes arrays',
    "experiment": "data are one thing: te.experiment(learners, (X, y))",
    "assert_not_worse": 'te.testing.assert_not_worse(te.predictions(truth, {"new": new, "old": old}), "old") takes '
    "arrays",
    "assert_at_least": "te.testing.assert_at_least(te.predictions(truth, labels), 0.9) takes arrays",
    "interval": "te.interval(successes, trials) takes two counts; all else goes by name",
    "difference": "te.difference((x1, n1), (x2, n2)) takes two pairs of counts",
    "report": "te.report(predictions, path) takes what te.predictions(truth, labels) gives, and a path",
    "roc": "te.roc(truth, scores) takes one model; te.roc_hull takes several",
    "metric": "te.metric(name, truth, labels), or te.metric(name, truth, scores=scores)",
    "check": "te.check(te.predictions(truth, labels)) takes arrays",
    "mcnemar": "te.compare(truth, first, second) counts the rows and tests them; mcnemar takes two counts or a table",
    "corrected_t": "te.compare(first, second, cv=5) takes the scores of two learners on the same folds",
    "cochran_q": 'te.compare(truth, {"a": a, "b": b, "c": c}).omnibus is the test from labels',
    "bootstrap": "te.bootstrap((truth, predicted), f) takes a function of both columns",
    "sample_size": "te.sample_size(first=0.90, second=0.92) for two models, te.sample_size(accuracy=0.9, "
    "half_width=0.02) for one",
    "power": "te.power(n=500, first=0.90, second=0.92)",
    "rank": "te.rank({learner: scores on the data sets, …}) takes one table",
}
# Options that are one word or one number wherever they are.
ONE_VALUE = frozenset(
    ("confidence", "alpha", "method", "adjust", "alternative", "side", "prior", "positive", "threshold", "margin",
     "design", "reference", "model", "rng", "replicates", "how", "kind", "test", "missing", "weights_kind", "paired",
     "schedule")
)  # fmt: skip
# Options listed where nothing is near: more are not read.
MOST_LISTED = 14


def speaks(function: Made, room: str = "te", name: str = "") -> Made:
    """A public function that takes other people's words for its options, and says in a sentence what it cannot take.

    >>> @speaks
    ... def interval(successes, trials, *, confidence=0.95):
    ...     return confidence
    >>> interval(3, 20, alpha=0.1), interval(3, 20, conf_level=0.8)
    (0.9, 0.8)
    >>> interval(3, 20, confidnece=0.9)
    Traceback (most recent call last):
    trueerror.inputs._options.CallError: te.interval has no option confidnece=; did you mean confidence=?
    """
    if getattr(function, "speaks", False):
        return function
    form = CallForm(function, name, room=room)

    @wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        if options and not form.own.issuperset(options):
            options = form.translated(args, options)
        form.check_places(args, options)
        return function(*args, **options)

    called.__dict__["speaks"] = True
    return cast("Made", called)


def speaks_when_made(kind: type[Any]) -> None:
    """The same for what a class is made with; the class stays itself."""
    init = kind.__init__
    if getattr(init, "speaks", False):
        return
    form = CallForm(init, kind.__name__, bound=True)

    @wraps(init)
    def called(self: object, *args: Any, **options: Any) -> None:
        if options and not form.own.issuperset(options):
            options = form.translated(args, options)
        form.check_places(args, options)
        init(self, *args, **options)

    called.__dict__["speaks"] = True
    kind.__init__ = called


class CallForm:
    """What a function can be called with."""

    def __init__(
        self,
        function: Callable[..., Any],
        name: str = "",
        *,
        room: str = "te",
        bound: bool = False,
        hands_on_to: Callable[..., Any] | None = None,
    ) -> None:
        kinds = inspect.Parameter
        parameters = list(inspect.signature(function).parameters.values())[1 if bound else 0 :]
        self.name = name or function.__name__
        self.spoken = f"{room}.{self.name}"
        self.any_place = any(p.kind is kinds.VAR_POSITIONAL for p in parameters)
        self.any_option = any(p.kind is kinds.VAR_KEYWORD for p in parameters)
        named = [p for p in parameters if p.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)]
        self.places = [p.name for p in named if p.kind is not kinds.KEYWORD_ONLY]
        further = [] if hands_on_to is None else inspect.signature(hands_on_to).parameters.values()
        passed_on = [p.name for p in further if p.kind is kinds.KEYWORD_ONLY]
        self.order = [*dict.fromkeys([*(p.name for p in named), *passed_on])]
        self.own = frozenset(self.order)
        self.needed = [p.name for p in named if p.default is kinds.empty]
        # What stands by its place may come as a table or a path too, which the function says better.
        self.kinds = {p.name: kind for p in named if (kind := _kind(p)) and p.name not in self.places}
        self.may_be_none = {p.name for p in named if p.default is None or "None" in str(p.annotation)}

    def translated(
        self, args: Sequence[object], options: Mapping[str, Any], more: Collection[str] = (), *, hints: bool = True
    ) -> dict[str, Any]:
        """The options by our names. `more` are taken besides the function's own, and hinted at only with `hints`."""
        taken = set(self.places[: len(args)])
        known = [name for name in self.order if name not in taken]
        out: dict[str, Any] = {}
        words: dict[str, str] = {}
        for word, value in self._averaged(args, options).items():
            ours = self._ours(word, known, more)
            if ours is None:
                if not self.any_option or more:
                    raise CallError(self._refusal(word, [*known, *(more if hints else ())]))
                ours = word
            if out.get(ours) is not None and value is not None:
                raise CallError(f"{words[ours]}= and {word}= are the same option of {self.spoken}: give one of them")
            meaning = WORDS.get(word)
            if ours != word and meaning is not None:
                value = value if meaning.turned is None else meaning.turned(word, value)
                if self.name in meaning.old:
                    _note_once(f"{self.spoken}: {word}= is called {ours}= now; the old word goes in the next version")
            if out.get(ours) is None:
                out[ours], words[ours] = value, word
        return out

    def _ours(self, word: str, known: Collection[str], more: Collection[str]) -> str | None:
        if word in known:
            return word
        meaning = WORDS.get(word, Word())
        our_word = next((name for name in meaning.ours if name in known), None)
        if our_word is not None and (meaning.number or word not in more):
            return our_word
        if word in more:
            return word
        return our_word or next((name for name in meaning.ours if name in more), None)

    def _averaged(self, args: Sequence[object], options: Mapping[str, Any]) -> dict[str, Any]:
        """`average="macro"` as a part of the metric's name, where one metric is named."""
        out = dict(options)
        if "average" in self.own or out.get("average") not in ("macro", "micro", "weighted"):
            return out
        where = next((w for w in ("name", "metric", "metrics", "scoring") if isinstance(out.get(w), str)), None)
        if where is not None:
            out[where] = f"{out.pop('average')}_{out[where]}"
        return out

    def _refusal(self, word: str, known: Sequence[str]) -> str:
        lead = f"{self.spoken} has no option {word}="
        meaning = WORDS.get(word)
        if meaning is not None and meaning.say:
            return f"{lead}: {meaning.say}"
        near = nearest_option(word, known)
        if near:
            return f"{lead}; did you mean {near}=?"
        options = [name for name in known if name in self.own]
        if 0 < len(options) <= MOST_LISTED:
            return f"{lead}; it takes {', '.join(f'{name}=' for name in options)}"
        return f"{lead}; help({self.spoken}) lists those that there are"

    def check_places(self, args: Sequence[object], options: Mapping[str, Any]) -> None:
        """Too many arguments by place, one given twice, one that is missing, or a table for a word, in a sentence."""
        for name in ONE_VALUE.intersection(options):
            several = name in ("positive", "model", "method") and type(options[name]).__hash__ is None
            if several or getattr(options[name], "shape", ()) != ():
                raise CallError(f"{name}= of {self.spoken} is one value, and not {in_few_words(options[name])}")
        if len(args) > len(self.places) and not self.any_place:
            raise CallError(self._too_many(args))
        for name, value in (*zip(self.places, args, strict=False), *options.items()):
            if name in self.kinds and not (
                name in self.may_be_none if value is None else _is_kind(value, self.kinds[name])
            ):
                raise CallError(f"{name}={in_few_words(value)} is not {self.kinds[name]}")
        twice = next((name for name in self.places[: len(args)] if name in options), None)
        if twice is not None:
            how = f"; {BY_PLACE[self.name]}" if self.name in BY_PLACE else ""
            raise CallError(f"{twice} is given twice to {self.spoken}: by place and by name{how}")
        filled = {*self.places[: len(args)], *options}
        missing = next((name for name in self.needed if name not in filled), None)
        if missing is not None:
            raise CallError(f"{self.spoken} needs {missing}{self._usage()}")

    def _too_many(self, args: Sequence[object]) -> str:
        lead = f"{self.spoken} takes {_counted(len(self.places))} by place, not {len(args)}"
        return f"{lead}: {BY_PLACE[self.name]}" if self.name in BY_PLACE else f"{lead}{self._usage()}"

    def _usage(self) -> str:
        rest = [f"{name}=" for name in self.needed if name not in self.places]
        arguments = ", ".join([*self.places, *rest, *(["…"] if len(self.order) > len(self.places) + len(rest) else [])])
        return f": {self.spoken}({arguments})"


KINDS = {
    "a number": {"float", "int"},
    "True or False": {"bool"},
    "a dictionary": {"Mapping"},
    "a list": {"Sequence", "Iterable"},
    "a pair": {"tuple"},
}


def _kind(parameter: inspect.Parameter) -> str:
    """Which of KINDS a value must be by its annotation; "" where it may be many things."""
    parts = {part.split("[")[0] for part in str(parameter.annotation).split(" | ")} - {"None"}
    if "..." in str(parameter.annotation) or parameter.name in ("confidence", "replicates", "scale"):
        return ""  # any number of them, or checked with better words where they are used
    return next((words for words, of in KINDS.items() if parts and parts <= of), "")


def _is_kind(value: Any, kind: str) -> bool:
    """Whether a value is of the kind.

    >>> _is_kind(0.5, "a number"), _is_kind("1e-3", "a number"), _is_kind(2j, "a number"), _is_kind({}, "a number")
    (True, True, False, False)
    """
    if kind == "True or False":
        return type(value).__name__ in ("bool", "bool_", "int")
    if kind == "a dictionary":
        return hasattr(value, "items")
    try:
        if kind == "a pair":
            return not isinstance(value, str | bytes) and len(value) == 2
        if kind == "a list":
            return iter(value) is not None
        return not (isinstance(value, complex) or type(value).__name__ == "MaskedConstant") and float(value) is not None
    except (TypeError, ValueError, OverflowError):
        return False


_NOTED: set[str] = set()


def _note_once(sentence: str) -> None:
    """A note to the logger, once in a session."""
    if sentence not in _NOTED:
        _NOTED.add(sentence)
        logging.getLogger("trueerror").warning(sentence)


def _counted(n: int) -> str:
    return {0: "no argument", 1: "one argument"}.get(n, f"{n} arguments")


def nearest_option(word: str, known: Iterable[str]) -> str:
    """The known option that a word is nearest to, by its spelling or by that of a word for it; "" where none is.

    >>> nearest_option("pos_lable", ["positive", "rng"]), nearest_option("zzz", ["positive"])
    ('positive', '')
    """
    names = list(known)
    spelt: dict[str, str] = {name: name for name in names}
    for other, meaning in WORDS.items():
        ours = next((name for name in meaning.ours if name in names), None)
        if ours is not None:
            spelt.setdefault(other, ours)
    close = difflib.get_close_matches(word, list(spelt), n=1, cutoff=0.7)
    return spelt[close[0]] if close else ""


def option_for(word: str, known: Iterable[str]) -> str:
    """Our option for a word that is plain, among those that are known; "" where there is none.

    >>> option_for("pos_label", ["positive", "rng"]), option_for("n_jobs", ["rng"])
    ('positive', '')
    """
    names = list(known)
    meaning = WORDS.get(word)
    return "" if meaning is None else next((name for name in meaning.ours if name in names), "")


class MemoryBudgetExceeded(InputError):
    """Rows would take more memory than they may."""


def need_memory(
    rows: int,
    columns: int,
    what: str,
    budget: int,
    *,
    all_columns: int = 0,
    clustered: bool = False,
    instead: str = "choose a metric that can be counted",
) -> None:
    """Refuse to pull rows that would take more than the budget.

    `all_columns` are those of all models: a budget for them is enough for whatever is asked next.
    """
    needed = 8 * rows * max(columns, 1)
    if needed <= budget:
        return
    enough = byte_amount(max(needed, 8 * rows * all_columns), up=True)
    reason = (
        "scores of rows in clusters are not binned, since the rows of a cluster belong together; take the rows as "
        "independent with cluster=False, which bins them, or "
        if clustered
        else f"{instead}, or "
    )
    raise MemoryBudgetExceeded(
        f"this needs {what} themselves, {rows:,} of them, about {byte_amount(needed)}, and the memory budget is "
        f'{byte_amount(budget)}: {reason}allow more with budget="{enough}"'
    )


def byte_amount(size: int, *, up: bool = False) -> str:
    """Bytes in a unit that suits; `up` for an amount that is never less.

    >>> byte_amount(3_200_000_000), byte_amount(1_231_000), byte_amount(1_231_000, up=True)
    ('3.2GB', '1.23MB', '1.24MB')
    """
    for unit, word in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            step = 10 ** (len(str(size)) - 3)
            size = -(-size // step) * step if up else size
            return f"{size / unit:.3g}{word}"
    return f"{size:d}B"
