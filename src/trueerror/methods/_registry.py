"""The registry of methods: what each declares, where it can be asked for, where it is the default and why.

A method enters with `@inference_method`, beside the function that computes it; this module knows no statistics.

How often intervals held the truth and tests erred, where it was measured: `coverage.json`, made by `make validate`.

A row of the table is one method in one scenario with a known truth. `nearest_words` finds the row that is most like a
result: the same method, if possible the same metric, a size and a value as near as can be had.
"""

from __future__ import annotations

import json
import math
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

# Sizes that differ by more than this factor are not the same situation.
FAR = 5.0


class Measured(NamedTuple):
    """One row: `rate` is coverage, or how often a test erred; `samples` is 0 where all samples were enumerated."""

    method: str
    metric: str
    kind: str
    confidence: float
    n: float
    truth: float | None
    rate: float
    samples: int
    scenario: str


@cache
def every_measurement() -> tuple[Measured, ...]:
    """The rows of the shipped table.

    >>> {m.kind for m in every_measurement()} <= {"interval", "test"}
    True
    """
    from importlib.resources import files

    path = files("trueerror.methods").joinpath("coverage.json")
    return tuple(Measured(*row) for row in json.loads(path.read_text(encoding="utf-8"))["rows"])


def nearest_measurement(result: object) -> Measured | None:
    """The measurement that is most like a result; None where its method was not measured.

    >>> from types import SimpleNamespace
    >>> made = SimpleNamespace(method="wilson", name="accuracy", estimate=0.9, n=100, confidence=0.95)
    >>> found = nearest_measurement(made)
    >>> found.n, found.truth, 0.93 < found.rate < 0.97
    (100.0, 0.9, True)
    """
    method = getattr(result, "method", "")
    n = getattr(result, "n", None)
    confidence = getattr(result, "confidence", 0.95)
    if not n or not method or getattr(result, "side", "two-sided") != "two-sided":
        return None
    rows = [m for m in every_measurement() if m.method == method and abs(m.confidence - confidence) < 1e-6]
    name = str(getattr(result, "name", "")).replace(" ", "_").replace("-", "_").lower()
    # The same metric; else any proportion, which has the same law; else whatever the method was tried on.
    alike = [m for m in rows if m.metric == name] or [m for m in rows if m.metric == "proportion"]
    estimate = getattr(result, "estimate", math.nan)
    if not (isinstance(estimate, int | float) and math.isfinite(estimate)):
        estimate = None

    def distance(m: Measured) -> float:
        size = abs(math.log(n / m.n))
        comparable = alike and m.truth is not None and estimate is not None
        return size + (abs(_stretched(m.truth) - _stretched(estimate)) if comparable else 0.0)

    return min(alike or rows, key=distance, default=None)


def nearest_words(result: object) -> str:
    """The nearest measurement in a sentence; empty where there is none."""
    measured = nearest_measurement(result)
    if measured is None:
        return ""
    how = "by enumeration" if measured.samples == 0 else f"{measured.samples:,} samples"
    where = f"{measured.scenario}; {how}"
    n = getattr(result, "n", None) or measured.n
    near = max(n / measured.n, measured.n / n) <= FAR
    start = "" if near else "nothing of this size was tried; nearest: "
    if measured.kind == "test":
        return f"{start}equal models declared different in {100 * measured.rate:.1f} % of the samples ({where})"
    level = f"{100 * measured.confidence:g} %"
    return f"{start}{100 * measured.rate:.1f} % of {level} intervals held the true value ({where})"


def _stretched(value: float | None) -> float:
    """The logit of a share, so that .98 and .99 are farther apart than .5 and .51; other values as they are."""
    if value is None:
        return 0.0
    if 0 <= value <= 1:
        p = min(max(value, 0.002), 0.998)
        return math.log(p / (1 - p)) / 2
    return value


# Part of the catalogue → the modules or folders whose declarations belong to it, in catalogue order; "" is any other.
PARTS: dict[str, tuple[str, ...]] = {
    "binomial": ("inference.proportion._interval", "inference.loss._mean"),
    "composite": ("inference.counts._one_class", "inference.counts", "inference._metric_interval"),
    "resampled": ("inference.bootstrap._paired", "inference.bootstrap"),
    "learners": ("inference.learner", "experiments"),
    "studies": ("studies._learning_curve_result", "studies"),
    "differences": ("inference.proportion._two_samples", "inference.proportion", "inference.loss"),
    "omnibus": ("inference._contrast", "inference.ranking"),
    "areas": (
        "inference.auc._tests",
        "curves",
        "inference.auc._interval",
        "inference._metric_interval",
        "inference.auc",
    ),
    "curves": ("curves", "inference.calibration"),
    "curve_shapes": (),
    "bayesian": ("inference._bayes",),
    "sequential": ("inference.proportion._sequential",),
    "planning": ("inference.power",),
    "raters": (
        "inference._rater_agreement",
        "inference._prediction_powered",
        "inference._preferences",
        "inference._preferences",
    ),
    "verdicts": ("inference", "verbs", ""),
}


# Modules that declare methods which answer no situation: they are called by name.
DECLARING = (
    "inference._unpaired",
    "inference.counts._at_prior",
    "inference.bootstrap._limits",
    "inference.bootstrap._paired", "inference.learner._intervals", "inference.loss._t_tests",
    "inference.ranking._rank_tests", "inference.ranking._rank_tests", "inference._contrast", "inference._bayes",
    "inference.power._sample_size", "inference.proportion._sequential", "studies._learning_curve_result",
    "inference._rater_agreement", "inference._prediction_powered", "inference._preferences",
    "studies._ablation", "studies._bias_variance", "studies._overfitting",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """What is known about one method; `key` is what a result carries as its `method`, `part` a chapter of the docs."""

    key: str
    title: str
    formula: str
    source: str
    assumes: str = ""
    measured: str = ""
    advice: str = ""
    part: str = ""


# What most methods assume.
ROWS = "independent rows, drawn at random from the population that you care about"

# Methods that were declared beside their functions, by key, with the module of each, and those that can be run, in
# their files' order.
_DECLARED: dict[str, Method] = {}
_HOMES: dict[str, str] = {}
RUNNABLE: list[InferenceMethod] = []
# Situation → its methods in the order of their homes, kept until another is entered.
ORDERED: dict[str, list[InferenceMethod]] = {}


def always(_: Any) -> bool:
    """No condition."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Default:
    """Why a method is the default in a situation, and when."""

    why: str
    when: Callable[[Any], bool] = always


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceMethod:
    """A method that can be run: a function of a `Problem` (`trueerror.inference._problem`).

    `key` is what results carry; `word` is what people ask for, where that is shorter (`mid-p` for McNemar's);
    `answers` are the situations in which it can be asked for, `applies` says more, and `defaults` where it is chosen
    unasked. A method with `word=None` cannot be asked for: it stands in for others where they give out; `aliases` are
    other words for it, which no message lists.
    """

    key: str
    function: Callable[[Any], Any]
    answers: tuple[str, ...]
    defaults: Mapping[str, Default]
    word: str | None
    applies: Callable[[Any], bool]
    aliases: tuple[str, ...] = ()


Function = TypeVar("Function", bound=Callable[..., Any])


def inference_method(
    key: str,
    *,
    answers: str | tuple[str, ...],
    default: Mapping[str, Default] | Default | None = None,
    word: str | None = "",
    aliases: tuple[str, ...] = (),
    applies: Callable[[Any], bool] = always,
    **facts: str,
) -> Callable[[Function], Function]:
    """Enter a function of a `Problem` as a method; `facts` are the fields of `Method` (title, formula, source, …).

    `default` alone is that of the first situation in `answers`. Without facts the method is declared elsewhere, under
    the same key.
    """
    rows = (answers,) if isinstance(answers, str) else answers
    defaults = {rows[0]: default} if isinstance(default, Default) else dict(default or {})

    def enter(function: Function) -> Function:
        if facts:
            declare(Method(key=key, **facts), home=function.__module__)
        ORDERED.clear()
        RUNNABLE.append(
            InferenceMethod(
                key=key,
                function=function,
                answers=rows,
                defaults=defaults,
                word=key if word == "" else word,
                applies=applies,
                aliases=aliases,
            )
        )
        return function

    return enter


def declare(*entries: Method, part: str = "", home: str = "") -> None:
    """Enter what is known of methods, beside the code that computes them; `home` is the calling module."""
    home = home or str(sys._getframe(1).f_globals["__name__"])
    for entry in entries:
        if entry.key in _DECLARED:
            raise ValueError(f"method {entry.key!r} is in the catalogue twice")
        _DECLARED[entry.key] = replace(entry, part=entry.part or part)
        _HOMES[entry.key] = home


def withdraw(key: str) -> None:
    """Take a method out again, as a test does that entered one."""
    _DECLARED.pop(key, None)
    _HOMES.pop(key, None)
    ORDERED.clear()
    RUNNABLE[:] = [m for m in RUNNABLE if m.key != key]


def reason_for(key: str, situation: str = "") -> str:
    """Why a method is the default where it is one, of several situations in this one; "" where it must be asked for.

    A beginning stands for all situations that begin so; without one, those of different rows ("independent") come last.

    >>> reason_for("mcnemar-exact")
    ''
    """
    whys = [(s, d.why) for m in RUNNABLE if m.key == key for s, d in m.defaults.items()]
    whys.sort(key=lambda why: why[0].startswith("independent") if not situation else not why[0].startswith(situation))
    return whys[0][1] if whys else ""


def entries_of(part: str) -> tuple[Method, ...]:
    """The entries of one part, in the order of its homes."""
    return _by_part()[part]


def _by_part() -> dict[str, tuple[Method, ...]]:

    homes = [home for row in SITUATIONS.values() for home in row.homes] + [f"trueerror.{home}" for home in DECLARING]
    for home in dict.fromkeys(homes):
        import_module(home)
    import_module("trueerror.curves._base").every_curve_kind()  # curves declare theirs, too
    parts: dict[str, list[tuple[int, str, Method]]] = {part: [] for part in PARTS}
    for key, entry in _DECLARED.items():
        home = _HOMES[key].removeprefix("trueerror.")
        part = entry.part or _part_of(home)
        place = next((i for i, around in enumerate(PARTS[part]) if _within(home, around)), len(PARTS[part]))
        parts[part].append((place, home, entry))
    return {part: tuple(e for *_, e in sorted(rows, key=lambda row: row[:2])) for part, rows in parts.items()}


def _within(home: str, folder: str) -> bool:
    return home == folder or not folder or home.startswith(f"{folder}.")


def _part_of(home: str) -> str:
    """The part whose folder is the nearest around a module."""
    return max((len(f), part) for part, homes in PARTS.items() for f in homes if _within(home, f))[1]


def every_method() -> dict[str, Method]:
    """All methods by key, in catalogue order.

    >>> every_method()["wilson"].title
    'Wilson score interval'
    """
    return {entry.key: entry for entries in _by_part().values() for entry in entries}


def method(key: str) -> Method:
    """The entry of one method."""
    entry = _find(key)
    if entry is None:
        raise ValueError(f"method {key!r:.60} is not in the catalogue")
    return entry


def _find(key: str) -> Method | None:
    """The entry of a method; that of a result at hand was declared when the result was computed."""
    return _DECLARED.get(key) or every_method().get(key)


def explain(key: str, result: object = None) -> str:
    """A method in words, for the result that used it."""
    lines = [] if result is None else [str(result), ""]
    entry = _find(key)
    if entry is None:
        lines.append(f"Method: {key or 'none'}.")
        return "\n".join(lines)
    return "\n".join([*lines, *_facts(entry, result)])


def explain_parts(result: object, parts: Sequence[tuple[str, object]]) -> str:
    """A result that was made in several ways: each method once, with what it is for.

    A part is (what, method key or the result that names its method).
    """
    lines = [str(result)]
    by_method: dict[str, list[tuple[str, object]]] = {}
    for what, part in parts:
        key = part if isinstance(part, str) else str(getattr(part, "method", ""))
        by_method.setdefault(key, []).append((what, None if isinstance(part, str) else part))
    for key, uses in by_method.items():
        purpose = "; ".join(dict.fromkeys(what for what, _ in uses if what))
        lines += [
            "",
            *_wrapped("For", purpose),
            *_facts(method(key), next((r for _, r in uses if r is not None), None)),
        ]
    if not by_method:
        lines += ["", *_wrapped("What", _first_sentence(result))]
        lines += _wrapped("Method", "counted or listed, not estimated")
    return "\n".join(lines)


def _first_sentence(result: object) -> str:
    return " ".join((type(result).__doc__ or "").split("\n\n")[0].split())


def _wrapped(head: str, text: str) -> list[str]:
    text = "".join(c if c.isprintable() else " " for c in text)
    return textwrap.wrap(f"{head + ':':<10} {text}", 80, subsequent_indent=" " * 11) if text else []


def _facts(entry: Method, result: object) -> list[str]:
    facts = {
        "Method": entry.title,
        "Formula": entry.formula,
        "Assumes": entry.assumes,
        "Measured": entry.measured,
        "Near here": "" if result is None else nearest_words(result),
        "Advice": entry.advice,
        "Source": entry.source,
        "Estimates": str(getattr(result, "estimand", "")).removeprefix("Estimates: "),
        "Note": getattr(result, "note", ""),
    }
    return [line for head, text in facts.items() for line in _wrapped(head, text)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One row: in this situation this method is the default; `also` can be asked for.

    `homes` are the modules whose methods answer it; the rest is then read off their declarations, and `also` names what
    is asked for in another way. `before` are methods that come before the default where their condition holds, each
    with its reason.
    """

    situation: str
    title: str
    default: str = ""
    why: str = ""
    also: tuple[str, ...] = ()
    before: tuple[tuple[str, str], ...] = ()
    homes: tuple[str, ...] = ()


_TWO_MODELS = "trueerror.inference._two_models"
_UNPAIRED = "trueerror.inference._unpaired"
_ONE_CLASS = "trueerror.inference.counts._one_class"
_PROPORTION = "trueerror.inference.proportion._interval"
_BOOTSTRAPS = "trueerror.inference._metric_interval"
_ONE_LEARNER = ("trueerror.experiments._estimate",)
_SCORES = "trueerror.inference._score_tables"
_SCORE_BOOTSTRAPS = "trueerror.inference.bootstrap._tables"


def _answered_in(situation: str, title: str, *homes: str) -> Decision:
    return Decision(situation=situation, title=title, homes=homes)


# Where several methods of a situation are defaults, the first whose condition holds is taken: homes in this order, and
# within a home the order of the file. The last is the general one.
SITUATIONS: dict[str, Decision] = {
    d.situation: d
    for d in (
        _answered_in(
            "proportion",
            "one proportion (accuracy, recall, precision, …) on a fixed test set",
            _PROPORTION,
            _ONE_CLASS,
            _BOOTSTRAPS,
        ),
        _answered_in("f1", "F1 of one class", _ONE_CLASS, _BOOTSTRAPS),
        _answered_in("ratio", "likelihood ratios and the diagnostic odds ratio", _ONE_CLASS, _BOOTSTRAPS),
        _answered_in(
            "label-metric",
            "any other metric of labels: averages over classes, Matthews correlation, kappa, costs, your own; any "
            "metric of labels over clusters, with sampling weights or at another class mix",
            _ONE_CLASS,
            _BOOTSTRAPS,
        ),
        _answered_in(
            "auc",
            "area under the ROC curve",
            _SCORES,
            "trueerror.inference.auc._interval",
            _SCORE_BOOTSTRAPS,
        ),
        _answered_in(
            "average-precision",
            "average precision (area under PR)",
            _SCORES,
            "trueerror.inference.auc._average_precision",
            _SCORE_BOOTSTRAPS,
        ),
        _answered_in(
            "calibration-error",
            "expected and maximum calibration error",
            "trueerror.inference.calibration",
            _SCORE_BOOTSTRAPS,
        ),
        _answered_in(
            "class-areas",
            "mean of areas over many classes (Hand and Till, one-vs-rest)",
            "trueerror.inference.auc._multiclass",
        ),
        _answered_in("score-metric", "any other metric of scores (Brier skill score)", _SCORES, _SCORE_BOOTSTRAPS),
        _answered_in("mean", "mean of measured values", "trueerror.inference.loss._mean"),
        _answered_in(
            "mean-loss",
            "mean loss over test rows (log loss, Brier score)",
            "trueerror.inference.loss._mean",
            _SCORE_BOOTSTRAPS,
        ),
        _answered_in("mean-score", "mean of grades between two ends", "trueerror.inference.loss._bounded_mean"),
        _answered_in(
            "metric-over-folds",
            "areas of predictions that carry folds; any metric over repeated folds",
            "trueerror.inference.learner._fold_scores",
        ),
        _answered_in("paired-over-folds", "two models over repeated folds of the same rows", _TWO_MODELS),
        _answered_in("paired-proportions", "two models on the same rows", _TWO_MODELS),
        Decision(
            situation="paired-difference",
            title="size of the difference of two models on the same rows",
            default="tango",
            why="score interval; the p-value decides where the two disagree",
            also=("bonett-price", "newcombe-paired", "wald-paired"),
        ),
        _answered_in("independent-proportions", "two models on different rows", _UNPAIRED),
        _answered_in("paired-auc", "two areas under the ROC curve, same rows", _TWO_MODELS),
        _answered_in("paired-class-areas", "two means of areas over many classes, same rows", _TWO_MODELS),
        _answered_in("paired-metric", "any other metric of labels, two models on the same rows", _TWO_MODELS),
        _answered_in("paired-score-metric", "average precision, or another metric of scores, same rows", _TWO_MODELS),
        _answered_in("paired-calibration-error", "two calibration errors, two models on the same rows", _TWO_MODELS),
        _answered_in("paired-score", "mean grades of two models on the same rows", _TWO_MODELS),
        _answered_in("paired-loss", "mean losses of two models on the same rows", _TWO_MODELS),
        _answered_in("clustered-difference", "two models on the same rows, rows in clusters", _TWO_MODELS),
        _answered_in("independent-auc", "two areas under the ROC curve, different rows", _UNPAIRED),
        _answered_in(
            "independent-calibration-error", "two calibration errors, two models on different rows", _UNPAIRED
        ),
        _answered_in("independent-metric", "any other metric, two models on different rows", _UNPAIRED),
        Decision(
            situation="many-pairs",
            title="many pairs at once",
            default="holm",
            why="holds for any dependence, and is never worse than Bonferroni's",
            also=("hochberg", "hommel", "bonferroni", "sidak", "bh", "by"),
        ),
        Decision(
            situation="two-learners-many-data-sets",
            title="two learners over many data sets",
            default="wilcoxon",
            why="data sets differ in scale, so ranks of differences are compared, not means",
            also=("bayes-signed-rank", "sign"),
        ),
        Decision(
            situation="many-learners-many-data-sets",
            title="many learners over many data sets",
            default="iman-davenport",
            why="closer to its level than Friedman's χ²; pairs by Wilcoxon with Holm, which do not depend on the pool",
            also=("friedman", "quade", "wilcoxon", "nemenyi", "bonferroni-dunn", "shaffer"),
        ),
        Decision(
            situation="arriving-rows",
            title="looking while rows arrive",
            default="e-value",
            why="valid at every look; mid-p looked at 100 times has type I error .36",
            also=("betting-sequence", "e-value-margin"),
        ),
        Decision(
            situation="learner-holdout",
            title="a learner's error, one holdout",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="learner-folds",
            title="a learner's error, k folds or random subsampling",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="learner-leave-one-out",
            title="a learner's error, leave-one-out",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="learner-bootstrap",
            title="a learner's error, bootstrap samples",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="learner-pairs-of-folds",
            title="a learner's error, folds with all pairs left out (BatesCV)",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="learner-halves",
            title="a learner's error, random test sets with disjoint halves (DisjointHalves)",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="learner-auc",
            title="a learner's AUC over folds",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="chosen-setting",
            title="the best of several settings",
            homes=_ONE_LEARNER,
        ),
        Decision(
            situation="two-learners",
            title="two learners on the same test folds",
            also=("bayes-correlated-t",),
            homes=("trueerror.experiments._compare",),
        ),
    )
}


def methods_for(situation: str) -> list[InferenceMethod]:
    """The methods that answer a situation, in the order of its homes; those are imported now."""
    if situation not in ORDERED:
        homes = SITUATIONS[situation].homes
        for home in homes:
            import_module(home)
        place = {home: i for i, home in enumerate(homes)}
        answering = (m for m in RUNNABLE if situation in m.answers)
        ORDERED[situation] = sorted(answering, key=lambda m: place.get(m.function.__module__, len(place)))
    return ORDERED[situation]


def decision(situation: str) -> Decision:
    """One row of the table, with what its methods declare.

    >>> decision("proportion").default
    'wilson'
    """
    row = SITUATIONS[situation]
    if not row.homes:
        return row
    known = methods_for(situation)
    # What is chosen without a condition, or else last, is the general one; the others are for cases that need more.
    unasked = [m for m in known if situation in m.defaults]
    unasked.sort(key=lambda m: m.defaults[situation].when is always)
    general = unasked[-1]
    on_request = (m.key for m in known if m.word is not None and m.key != general.key)
    also = tuple(dict.fromkeys((*on_request, *row.also)))
    before = tuple((m.key, m.defaults[situation].why) for m in unasked[:-1])
    return replace(row, default=general.key, why=general.defaults[situation].why, before=before, also=also)


def decisions() -> dict[str, Decision]:
    """The whole table."""
    return {situation: decision(situation) for situation in SITUATIONS}


def default_for(situation: str) -> str:
    """The default method of a situation.

    >>> default_for("proportion")
    'wilson'
    """
    return decision(situation).default
