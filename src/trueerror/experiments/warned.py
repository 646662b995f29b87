"""Warnings of learners, kept with the task that caused them; also where several threads fit at once."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

MOST = 20


class Warned:
    """The warnings of one task."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def messages(self) -> tuple[str, ...]:
        """Each warning once, with how often it came."""
        return tuple(text if n == 1 else f"{text} ({n} times)" for text, n in self.counts.most_common(MOST))


_here = threading.local()


@contextmanager
def collect_warnings() -> Iterator[Warned]:
    """Collect the warnings of this thread; `listening` must be on around it."""
    warned = Warned()
    _here.warned = warned
    try:
        yield warned
    finally:
        _here.warned = None


@contextmanager
def listening() -> Iterator[None]:
    """Send every warning to the task of the thread that gives it. Python's own recorder is for one thread only."""
    with warnings.catch_warnings():
        before = warnings.showwarning

        def hear(message: Warning | str, category: type[Warning], *more: Any, **named: Any) -> None:
            warned: Warned | None = getattr(_here, "warned", None)
            if warned is None:
                before(message, category, *more, **named)
            else:
                warned.counts[f"{category.__name__}: {' '.join(str(message).split())[:500]}"] += 1

        warnings.simplefilter("always")
        warnings.showwarning = hear
        yield
