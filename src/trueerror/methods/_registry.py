"""The registry of methods that can be run: which questions each answers, and by which words it is asked for.

A method enters with `@inference_method`, beside the function that computes it; this module knows no statistics. Which
method is the default is said by one table, `trueerror.inference._choose`; what people read of a method stands under its
key in `methods.toml`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, TypeVar

# What a question is about: a metric of one sample, the difference of two models on the same rows or on different rows,
# how good a learner is, and the difference of two learners.
Kind = Literal["one sample", "same rows", "different rows", "learner", "learners"]
ONE: Kind = "one sample"
SAME: Kind = "same rows"
DIFFERENT: Kind = "different rows"
LEARNER: Kind = "learner"
LEARNERS: Kind = "learners"

# The modules that hold the methods of each kind, in the order in which their words are listed.
MODULES: dict[Kind, tuple[str, ...]] = {
    ONE: (
        "trueerror.inference.proportion._interval",
        "trueerror.inference._effective_t",
        "trueerror.inference.counts._one_class",
        "trueerror.inference.auc._interval",
        "trueerror.inference.auc._average_precision",
        "trueerror.inference.calibration",
        "trueerror.inference.loss._mean",
        "trueerror.inference.bootstrap._tables",
        "trueerror.inference._metric_interval",
        "trueerror.inference.learner._fold_scores",
    ),
    SAME: ("trueerror.inference._two_models",),
    DIFFERENT: ("trueerror.inference._unpaired",),
    LEARNER: ("trueerror.experiments._estimate",),
    LEARNERS: ("trueerror.experiments._compare",),
}

# Methods in the order in which their files were read.
RUNNABLE: list[InferenceMethod] = []
# Kind → its methods in the order of the modules, kept until another is entered.
ORDERED: dict[Kind, list[InferenceMethod]] = {}


def always(_: Any) -> bool:
    """No condition."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceMethod:
    """A method that can be run: a function of a `Problem` (`trueerror.inference._problem`).

    `key` is what results carry; `word` is what people ask for, where that is shorter (`mid-p` for McNemar's); `aliases`
    are other words for it, which no message lists. It answers questions of the kind `on` for which `applies` holds.
    `of_learners`: it speaks of the learners behind the models.
    """

    key: str
    function: Callable[[Any], Any]
    on: Kind
    word: str
    applies: Callable[[Any], bool] = always
    aliases: tuple[str, ...] = ()
    of_learners: bool = False

    def is_called(self, word: str) -> bool:
        """Whether this is a word for it."""
        return word in (self.word, self.key, *self.aliases)


Function = TypeVar("Function", bound=Callable[..., Any])


def inference_method(
    key: str,
    *,
    on: Kind,
    word: str = "",
    aliases: tuple[str, ...] = (),
    applies: Callable[[Any], bool] = always,
    of_learners: bool = False,
) -> Callable[[Function], Function]:
    """Enter a function of a `Problem` as a method."""

    def enter(function: Function) -> Function:
        ORDERED.clear()
        RUNNABLE.append(
            InferenceMethod(
                key=key, function=function, on=on, word=word or key, applies=applies, aliases=aliases,
                of_learners=of_learners,
            )
        )  # fmt: skip
        return function

    return enter


def methods_on(kind: Kind) -> list[InferenceMethod]:
    """The methods for a kind of question, in the order of their modules; those are imported now.

    >>> [m.word for m in methods_on(DIFFERENT)][:2]
    ['miettinen-nurminen', 'newcombe']
    """
    if kind not in ORDERED:
        modules = MODULES[kind]
        for module in modules:
            import_module(module)
        place = {module: i for i, module in enumerate(modules)}
        found = (m for m in RUNNABLE if m.on == kind)
        ORDERED[kind] = sorted(found, key=lambda m: place.get(m.function.__module__, len(place)))
    return ORDERED[kind]


def speaks_of_learners(key: str) -> bool:
    """Whether a method of two models on the same rows speaks of the learners behind them.

    >>> speaks_of_learners("corrected-t-test"), speaks_of_learners("mcnemar-mid-p")
    (True, False)
    """
    return any(m.of_learners and m.is_called(key) for m in methods_on(SAME))
