"""What is asked, of which counts, and by which method it is answered: the decision table, executable.

A `Problem` is one question: a metric of one sample, or the difference between two models, to a given spec. Methods are
functions of it, entered with `@inference_method` (`trueerror.methods`) beside all that people read of them.

`choose` takes the first method of the question's situation whose condition holds; `named` takes the one that was asked
for, and refuses a word that does not apply with the words that do; `solve` runs it. Allowed words, the docs' decision
table, the command line's help and `.explain()` are read off the registry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from trueerror.inputs._options import InputError, nearest
from trueerror.methods._decision_table import methods_for
from trueerror.methods._registry import InferenceMethod, always

if TYPE_CHECKING:
    from trueerror.inference._spec import IntervalSpec
    from trueerror.metrics._registry import Measure

S = TypeVar("S")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem(Generic[S]):
    """One question: `situation` is its row of the decision table, `sample` the counts with what is known of the rows.

    `spec` holds confidence, side or alternative, how many intervals hold together, replicates and random numbers;
    `options` are the metric's own.
    """

    situation: str
    metric: Measure
    sample: S
    spec: IntervalSpec
    options: Mapping[str, Any] = field(default_factory=dict)


def clustered(q: Problem[Any]) -> bool:
    """Whether the rows of a sample come in clusters."""
    return q.sample.clusters is not None


def independent(q: Problem[Any]) -> bool:
    """Whether the rows of a sample are not in clusters."""
    return q.sample.clusters is None


class NotOffered(InputError):
    """A method that does not apply to a metric of these rows; the message lists those that do."""

    def __init__(self, method: str, metric: str, words: Iterable[str], why: str = "") -> None:
        known = list(words)
        hint = nearest(method, known) if known else "; leave method= out"
        super().__init__(f"method={method!r} is not offered for {metric}{why}{hint}")


def words_for(q: Problem[Any]) -> dict[str, InferenceMethod]:
    """What can be asked for in answer to a question, the default first."""
    words: dict[str, InferenceMethod] = {}
    known = [m for m in methods_for(q.situation) if m.applies(q)]
    for m in sorted(known, key=lambda m: not _is_default(m, q)):
        if m.word is not None:
            words.setdefault(m.word, m)
    return words


def _is_default(m: InferenceMethod, q: Problem[Any]) -> bool:
    default = m.defaults.get(q.situation)
    return default is not None and (default.when is always or default.when(q))


def words_of(situation: str) -> set[str]:
    """Every word that can be asked for in a situation, whatever the sample."""
    return {m.word for m in methods_for(situation) if m.word is not None}


def choose(q: Problem[Any]) -> InferenceMethod:
    """The default: the first method of the situation whose condition holds; one without a condition comes last."""
    general = None
    for m in methods_for(q.situation):
        default = m.defaults.get(q.situation)
        if default is not None and default.when is always:
            general = general or m
        elif default is not None and default.when(q):
            return m
    if general is not None:
        return general
    raise LookupError(f"no method is the default for {q.situation!r}")


def general(q: Problem[Any]) -> InferenceMethod:
    """The last of those: what serves where no special case is looked at."""
    return [m for m in methods_for(q.situation) if _is_default(m, q)][-1]


def named(q: Problem[Any], method: str) -> InferenceMethod:
    """The method that was asked for by word, key or alias; what does not apply is refused with the words that do."""
    words = words_for(q)
    others = {other: m for m in words.values() for other in (*m.aliases, m.key)}
    if method in words or method in others:
        return words.get(method) or others[method]
    raise NotOffered(method, q.metric.name, words)


def solve(q: Problem[Any], method: str | None = None) -> Any:
    """The answer by the method that was asked for, or by the default."""
    return (choose(q) if method is None else named(q, method)).function(q)
