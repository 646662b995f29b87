"""The words that people bring: what an option is called elsewhere, and what it is called here.

One table for all public functions and for the command line. A word of the same meaning is taken in the place of ours;
one whose meaning is not plain is refused with ours. Every public function is wrapped by `speaks` when it is first used
(`trueerror._attach`), so that an option or an argument too many ends with a sentence and never with a bare TypeError.
"""

from __future__ import annotations

import difflib
import inspect
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar, cast

from trueerror.inputs._options import InputError, in_few_words

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
    trueerror.inputs._words.CallError: te.interval has no option confidnece=; did you mean confidence=?
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
