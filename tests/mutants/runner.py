"""A plugin of pytest that runs the collected tests against one mutant after the other, each in a forked child.

The library and the tests are imported once. A change within a function is put in place by giving every function made
from the old code the new one; a change of what is run at import needs a child that has not imported the library yet
(`afresh`). Tests run fastest first, and the first that fails ends the child.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import select
import signal
import sys
import time
import traceback
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.mutants.sites import code_of

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "trueerror"
FOLDERS = ("inference", "people", "metrics", "tallies", "sources", "verbs", "findings", "curves")
MODULES = sorted(p for folder in FOLDERS for p in (PACKAGE / folder).rglob("*.py"))
SPACE = 100_000  # marks a module
RAN: set[int] = set()


def dotted(module: Path) -> str:
    parts = module.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class Marked(importlib.machinery.SourceFileLoader):
    """Compiles a module of the statistics with its marks, and with its mutant where it has one."""

    mutant: tuple[Path, int] | None = None

    def get_code(self, fullname: str) -> types.CodeType:
        path = Path(self.get_filename(fullname))
        number = self.mutant[1] if self.mutant and self.mutant[0] == path else None
        return compiled(path, number)


def compiled(path: Path, number: int | None) -> types.CodeType:
    tree = code_of(path.read_text(encoding="utf-8"), str(path), SPACE * (MODULES.index(path) + 1), number)
    return compile(tree, str(path), "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Modules of the statistics are loaded by `Marked`."""

    names = {dotted(m): m for m in MODULES}  # noqa: RUF012 - one finder

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> Any:
        if fullname not in self.names:
            return None
        file = self.names[fullname]
        found = [str(file.parent)] if file.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            fullname, file, loader=Marked(fullname, str(file)), submodule_search_locations=found
        )


def begin() -> None:
    """Load modules with marks from here on."""
    import builtins

    builtins.__ran__ = RAN.add  # type: ignore[attr-defined]
    sys.meta_path.insert(0, Finder())


def pairs(old: types.CodeType, new: types.CodeType) -> Iterator[tuple[types.CodeType, types.CodeType]]:
    """The code objects within a module that differ, outer ones first."""
    if old != new:
        yield old, new
    inner = [[c for c in code.co_consts if isinstance(c, types.CodeType)] for code in (old, new)]
    for first, second in zip(*inner, strict=True):
        yield from pairs(first, second)


def put_in_place(module: Path, number: int) -> None:
    """Give every function made from the old code the mutant's, and forget what was cached."""
    Marked.mutant = (module, number)
    other = list(pairs(compiled(module, None), compiled(module, number)))
    kept = list(gc.get_objects())
    for one in kept:
        if isinstance(one, types.FunctionType) and one.__code__.co_filename == str(module):
            for old, new in other:
                if one.__code__ == old:
                    one.__code__ = new
                    break
        elif isinstance(one, functools._lru_cache_wrapper) and str(one.__module__).startswith("trueerror"):
            one.cache_clear()


Say = Callable[[object], None]


def in_a_child(work: Callable[[Say], None], limit: float) -> tuple[list[Any], bool]:
    """What the work says in a forked child, a JSON value a line, and whether it ended in time."""
    said: list[Any] = []
    return said, side_by_side([work], limit, said.append)


def side_by_side(works: Sequence[Callable[[Say], None]], limit: float, heard: Say) -> bool:
    """Each work in a forked child of its own, all at once; what they say is heard, and whether they ended in time."""
    children = dict(map(_forked, works))
    said, until, timely = dict.fromkeys(children, b""), time.monotonic() + limit, True
    while children and timely:
        ready, *_ = select.select(list(children), [], [], max(0.0, until - time.monotonic()))
        timely = bool(ready)
        for pipe in ready:
            more = os.read(pipe, 1 << 20)
            *lines, said[pipe] = (said[pipe] + more).split(b"\n")
            for line in lines:
                heard(json.loads(line))
            if not more:
                _ended(children.pop(pipe), pipe)
    for pipe, pid in children.items():
        os.kill(pid, signal.SIGKILL)
        _ended(pid, pipe)
    return timely


def _forked(work: Callable[[Say], None]) -> tuple[int, int]:
    """The pipe on which a new child talks, and its number."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return reading, pid
    os.setpgid(0, 0)
    os.close(reading)
    loud, quiet = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    try:
        with os.fdopen(writing, "w", encoding="utf-8") as pipe:
            work(lambda value: print(json.dumps(value), file=pipe, flush=True))
    except BaseException:  # noqa: BLE001 - said before the child ends
        os.write(loud, traceback.format_exc().encode())
    finally:
        os._exit(0)


def _ended(pid: int, pipe: int) -> None:
    os.waitpid(pid, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # what the tests left behind
    os.close(pipe)


class Loop:
    """Takes the place of pytest's own loop: `work` is done once all tests are collected."""

    def __init__(self, work: Callable[[Loop], None]) -> None:
        self.work, self.failed = work, False
        self.items: dict[str, pytest.Item] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        plugins = session.config.pluginmanager
        plugins.unregister(plugins.getplugin("terminalreporter"))  # a dot for every test of every mutant
        self.work(self)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed |= report.failed

    def run(self, names: Sequence[str]) -> Iterator[tuple[str, float, bool]]:
        """Each test with its seconds of the processor, whatever else the machine does, and whether it failed."""
        items = [self.items[name] for name in names]
        for item, following in zip(items, [*items[1:], None], strict=True):
            self.failed, before = False, time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            yield item.nodeid, time.process_time() - before, self.failed

    def first_failure(self, names: Sequence[str], say: Say) -> None:
        for name, _, failed in self.run(names):
            if failed:
                return say(name)
        return say([])


def collected(files: Sequence[str], work: Callable[[Loop], None], partly: bool = False) -> None:
    """Import the library, collect the tests (partly: those that can be) and do the work in pytest's loop."""
    # Before pytest, which would load a plugin's package by a loader of its own; the rest once for all children.
    for module in sorted(PACKAGE.rglob("*.py")) if Marked.mutant is None else MODULES:
        if module.name != "__main__.py":
            try:
                importlib.import_module(dotted(module))
            except ModuleNotFoundError as error:
                # An extra that is not installed: its tests are left out, as pytest says.
                if str(error.name).startswith("trueerror"):
                    raise
    told = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    code = pytest.main([*told, *files], [Loop(work)])
    if not partly and code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise SystemExit(f"the tests could not be collected: {code!r}")
