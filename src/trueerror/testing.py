"""Helpers for test suites: a model that got worse fails the build, with the reason in words."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from trueerror.inputs._groups import MetricChoice
from trueerror.inputs._options import check_word
from trueerror.inputs._words import list_parameters
from trueerror.sources._collect import takes_whole_rows
from trueerror.verbs._gate import Gate, gate, together

__all__ = ["assert_at_least", "assert_not_worse"]
# One point of a share: what nobody would call worse.
DEFAULT_MARGIN = 0.01


@takes_whole_rows("candidate", "baseline", room="te.testing", hands_on_to=gate)
def assert_not_worse(
    candidate: object,
    baseline: object = None,
    metric: MetricChoice = None,
    margin: float | Mapping[str, float] = DEFAULT_MARGIN,
    *,
    on_cannot_tell: Literal["fail", "warn"] = "fail",
    **options: Any,
) -> Gate:
    """Raise an AssertionError unless the candidate is shown to be not worse than the baseline by more than `margin`.

    Both may stand with their truth: `assert_not_worse(truth, new, old)`. `options` go to `te.gate`, whose result is
    given back. Too few rows to tell is a failure as well, since a test that passes for lack of rows tests nothing;
    `on_cannot_tell="warn"` makes it a UserWarning. The margin is 0.01 (one point of a share) unless another one is
    named; margin 0 asks for better. A candidate that answers every row as the baseline does is not worse, whatever the
    margin and however few the rows.

    >>> import trueerror as te
    >>> truth = [0, 1] * 100
    >>> new, old = te.predictions(truth, {"new": truth}), te.predictions(truth, {"old": truth})
    >>> assert_not_worse(new, old).decision
    'pass'
    """
    __tracebackhide__ = True
    check_word(on_cannot_tell, ("fail", "warn"), "on_cannot_tell")
    return _settled(
        _same_is_not_worse(gate(candidate, baseline, metric=metric, margin=margin, **options)), on_cannot_tell
    )


def _same_is_not_worse(made: Gate) -> Gate:
    """The gate's answer, where a model passes against itself."""
    checks = tuple(replace(c, decision="pass") if c.identical else c for c in made.checks)
    return replace(made, checks=checks, decision=together(checks))


@takes_whole_rows(room="te.testing", hands_on_to=gate)
def assert_at_least(
    candidate: object,
    at_least: float | Mapping[str, float],
    metric: MetricChoice = None,
    *,
    on_cannot_tell: Literal["fail", "warn"] = "fail",
    **options: Any,
) -> Gate:
    """Raise an AssertionError unless the one-sided limit of the metric shows the candidate to reach `at_least`.

    >>> import trueerror as te
    >>> truth = [0, 1] * 100
    >>> assert_at_least(te.predictions(truth, {"new": truth}), 0.95).decision
    'pass'
    """
    __tracebackhide__ = True
    check_word(on_cannot_tell, ("fail", "warn"), "on_cannot_tell")
    return _settled(gate(candidate, metric=metric, at_least=at_least, **options), on_cannot_tell)


def _settled(result: Gate, on_cannot_tell: str) -> Gate:
    __tracebackhide__ = True
    if result.passed:
        return result
    if result.decision == "cannot tell" and on_cannot_tell == "warn":
        warnings.warn(result.verdict, UserWarning, stacklevel=5)
        return result
    raise AssertionError(str(result))


for _name in __all__:
    list_parameters(globals()[_name], f"te.testing.{_name}")
