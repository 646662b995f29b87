"""The files of a log."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from trueerror.inputs._options import FileError, in_few_words
from trueerror.sources._paths import files_below, files_like

PathsLike = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
Source = PathsLike | Mapping[str, PathsLike]


def below(folder: Path, patterns: Sequence[str]) -> list[Path]:
    """The files below a folder whose names are like one of the patterns."""
    return [f for f in files_below(folder) if any(fnmatchcase(f.name, p) for p in patterns) and f.is_file()]


def files_of(
    source: Source, patterns: Sequence[str], is_log: Callable[[Path], bool] = lambda _: True
) -> list[tuple[str | None, Path]]:
    """(name, file) of each log: a path, a folder (searched for `patterns`), a pattern, a list, or {model: path}.

    In a folder files that are no log are passed over.
    """
    if isinstance(source, Mapping):
        return [(str(name), file) for name, one in source.items() for _, file in files_of(one, patterns, is_log)]
    if not isinstance(source, str | os.PathLike | Iterable):
        raise FileError(f"a log is a path, a folder, a pattern or a list of them, not {in_few_words(source)}")
    if not isinstance(source, str | os.PathLike):
        return [pair for one in source for pair in files_of(one, patterns, is_log)]
    path = Path(source)
    if not str(source).strip():
        raise FileError("the path is empty; name a log, a folder of logs or a pattern")
    if os.path.isdir(path):
        files = [file for file in below(path, patterns) if is_log(file)]
        if not files:
            raise FileError(f"the folder {path} holds no file like {patterns[0]}")
        return [(None, file) for file in files]
    if os.path.isfile(path):
        return [(None, path)]
    if os.path.exists(path):
        raise FileError(f"{path.name} is a pipe or a device; save the log to a file first")
    return [(None, file) for file in files_like(str(source))]
