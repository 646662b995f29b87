"""For pytest: the fixture `model_gate`, whose verdicts are listed at the end of the run.

pytest finds it by itself where trueerror is installed:

    def test_new_model(model_gate):
        model_gate.not_worse("new.csv", "old.csv", margin=0.01)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from trueerror.results._format import one_line

if TYPE_CHECKING:
    from trueerror.verbs._gate_result import Gate

VERDICTS = pytest.StashKey[list[tuple[str, str]]]()


class ModelGate:
    """Assertions about models that remember what they found, whether it failed or not."""

    def __init__(self) -> None:
        self.verdicts: list[str] = []

    def not_worse(self, *rows: Any, **options: Any) -> Gate:
        """`te.testing.assert_not_worse`: fails unless the candidate is shown to be not worse, up to the margin."""
        __tracebackhide__ = True
        from trueerror.testing import assert_not_worse

        return self._kept(lambda: assert_not_worse(*rows, **options))

    def at_least(self, *rows: Any, **options: Any) -> Gate:
        """`te.testing.assert_at_least`: fails unless the limit of the metric reaches a value."""
        __tracebackhide__ = True
        from trueerror.testing import assert_at_least

        return self._kept(lambda: assert_at_least(*rows, **options))

    def _kept(self, judge: Callable[[], Gate]) -> Gate:
        __tracebackhide__ = True
        try:
            found = judge()
        except AssertionError as failed:
            self.verdicts.append(str(failed).strip().split("\n\n")[0])
            raise
        self.verdicts.append(one_line(found.verdict))
        return found


@pytest.fixture
def model_gate(request: pytest.FixtureRequest) -> Iterator[ModelGate]:
    """Assertions about models; their verdicts are listed after the tests."""
    gate = ModelGate()
    yield gate
    kept = request.config.stash.setdefault(VERDICTS, [])
    kept.extend((request.node.nodeid, verdict) for verdict in gate.verdicts)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The verdicts of all gates, one line each."""
    kept = config.stash.get(VERDICTS, [])
    if kept:
        terminalreporter.section("models")
        for place, verdict in kept:
            terminalreporter.write_line(f"{place}: {verdict}")
