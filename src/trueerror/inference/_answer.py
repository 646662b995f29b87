"""The one door: a question is answered by the method that was asked for, or by the table's (`_choose`).

What a method gives is finished by the sample that it is of: an interval within its range, with its notes
(`_sample.OneSample`), the difference of two models with their names. Everything that asks passes here: evaluate,
compare, gates, gaps, curves, experiments and plans. A word that does not apply is refused with those that do.
"""

from __future__ import annotations

from typing import Any

from trueerror.inference._choose import choose
from trueerror.inference._problem import NotOffered, Problem
from trueerror.methods._registry import InferenceMethod, methods_on
from trueerror.results import Contrast, Interval


def words_for(q: Problem[Any]) -> dict[str, InferenceMethod]:
    """What can be asked for in answer to a question, the default first."""
    default, words = choose(q), dict[str, InferenceMethod]()
    for m in (default, *methods_on(q.on)):
        if m.applies(q):
            words.setdefault(m.word, m)
    return words


def method_named(q: Problem[Any], method: str) -> InferenceMethod:
    """The method that was asked for by word, key or alias; what does not apply is refused with the words that do."""
    words = words_for(q)
    others = {other: m for m in words.values() for other in (*m.aliases, m.key)}
    if isinstance(method, str) and (method in words or method in others):
        return words.get(method) or others[method]
    raise NotOffered(method, q.metric.name, words)


def answer(q: Problem[Any], method: str | InferenceMethod | None = None) -> Any:
    """The answer by the method asked for, or by the table's: an interval of one sample, the contrast of two."""
    chosen = method if isinstance(method, InferenceMethod) else choose(q) if method is None else method_named(q, method)
    return q.sample.answered(q, chosen)


def interval_of(q: Problem[Any], method: str | InferenceMethod | None = None) -> Interval:
    """Where the true value of one sample's metric may lie."""
    interval: Interval = answer(q, method)
    return interval


def contrast_of(q: Problem[Any], method: str | InferenceMethod | None = None) -> Contrast:
    """How far two models, or learners, are apart."""
    contrast: Contrast = answer(q, method)
    return contrast
