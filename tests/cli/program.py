"""The program as `python -m trueerror` runs it, without the second that a process of its own takes to start."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from subprocess import CompletedProcess
from typing import IO

import pytest

import trueerror.__main__ as started


def run(*args: str, cwd: Path | None = None, stdin: IO[str] | None = None) -> CompletedProcess[str]:
    """What it prints and how it ends."""
    files = [io.BytesIO(), io.BytesIO()]
    streams: list[IO[str]] = [
        stdin or io.StringIO(),
        *(io.TextIOWrapper(file, encoding="utf-8", write_through=True) for file in files),
    ]
    with pytest.MonkeyPatch.context() as world:
        world.setitem(sys.modules, "__main__", started)
        world.setattr(sys, "argv", [str(started.__file__), *args])
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            world.setattr(sys, name, stream)
        if cwd is not None:
            world.chdir(cwd)
        with pytest.raises(SystemExit) as end:
            started.main()
    return CompletedProcess(args, int(end.value.code or 0), *(file.getvalue().decode() for file in files))
