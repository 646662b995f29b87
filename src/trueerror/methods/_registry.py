"""The registry of methods that can be run: where each can be asked for, where it is the default and why.

A method enters with `@inference_method`, beside the function that computes it; this module knows no statistics. What
people read of a method stands under its key in `methods.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

# Situation → the modules whose methods answer it. Where several methods of a situation are defaults, the first whose
# condition holds is taken: modules in this order, and within a module the order of the file. The last is the general
# one.
HOMES: dict[str, tuple[str, ...]] = {
    "proportion": (
        "trueerror.inference.proportion._interval",
        "trueerror.inference.counts._one_class",
        "trueerror.inference._metric_interval",
    ),
    **dict.fromkeys(
        ("f1", "ratio", "label-metric"),
        ("trueerror.inference.counts._one_class", "trueerror.inference._metric_interval"),
    ),
    "auc": (
        "trueerror.inference._score_tables",
        "trueerror.inference.auc._interval",
        "trueerror.inference.bootstrap._tables",
    ),
    "average-precision": (
        "trueerror.inference._score_tables",
        "trueerror.inference.auc._average_precision",
        "trueerror.inference.bootstrap._tables",
    ),
    "calibration-error": ("trueerror.inference.calibration", "trueerror.inference.bootstrap._tables"),
    "class-areas": ("trueerror.inference.auc._multiclass",),
    "score-metric": ("trueerror.inference._score_tables", "trueerror.inference.bootstrap._tables"),
    "mean": ("trueerror.inference.loss._mean",),
    "mean-loss": ("trueerror.inference.loss._mean", "trueerror.inference.bootstrap._tables"),
    "mean-score": ("trueerror.inference.loss._bounded_mean",),
    "metric-over-folds": ("trueerror.inference.learner._fold_scores",),
    **dict.fromkeys(
        (
            "paired-over-folds",
            "paired-proportions",
            "paired-auc",
            "paired-class-areas",
            "paired-metric",
            "paired-score-metric",
            "paired-calibration-error",
            "paired-score",
            "paired-loss",
            "clustered-difference",
        ),
        ("trueerror.inference._two_models",),
    ),
    **dict.fromkeys(
        ("independent-proportions", "independent-auc", "independent-calibration-error", "independent-metric"),
        ("trueerror.inference._unpaired",),
    ),
    **dict.fromkeys(
        (
            "learner-holdout",
            "learner-folds",
            "learner-leave-one-out",
            "learner-bootstrap",
            "learner-pairs-of-folds",
            "learner-halves",
            "learner-auc",
            "chosen-setting",
        ),
        ("trueerror.experiments._estimate",),
    ),
    "two-learners": ("trueerror.experiments._compare",),
}

# Methods in the order in which their files were read.
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
) -> Callable[[Function], Function]:
    """Enter a function of a `Problem` as a method; `default` alone is that of the first situation in `answers`."""
    rows = (answers,) if isinstance(answers, str) else answers
    defaults = {rows[0]: default} if isinstance(default, Default) else dict(default or {})

    def enter(function: Function) -> Function:
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


def withdraw(key: str) -> None:
    """Take a method out again, as a test does that entered one."""
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


def methods_for(situation: str) -> list[InferenceMethod]:
    """The methods that answer a situation, in the order of its homes; those are imported now."""
    if situation not in ORDERED:
        homes = HOMES[situation]
        for home in homes:
            import_module(home)
        place = {home: i for i, home in enumerate(homes)}
        answering = (m for m in RUNNABLE if situation in m.answers)
        ORDERED[situation] = sorted(answering, key=lambda m: place.get(m.function.__module__, len(place)))
    return ORDERED[situation]


def unasked(situation: str) -> list[InferenceMethod]:
    """The methods that are chosen in a situation; the last is the general one, the others are for cases that need more.

    The general one is chosen without a condition, or else last.
    """
    chosen = [m for m in methods_for(situation) if situation in m.defaults]
    return sorted(chosen, key=lambda m: m.defaults[situation].when is always)


def default_for(situation: str) -> str:
    """The default method of a situation.

    >>> default_for("proportion")
    'wilson'
    """
    return unasked(situation)[-1].key
