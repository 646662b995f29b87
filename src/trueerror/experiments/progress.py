"""A progress bar with the time left: on stderr, on terminals only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def shown(total: int, done: int, *, wanted: bool) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of tasks that are newly done."""
    if not wanted or total == done or not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("fits"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        # What an earlier run did says nothing about the speed of this one.
        task = bar.add_task("fits", total=total - done)
        yield lambda count: bar.advance(task, count)
