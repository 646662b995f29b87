"""Where a command writes: the name is checked before any work is done."""

from __future__ import annotations

import os
from pathlib import Path

from trueerror.inputs._options import InputError
from trueerror.results._format import listing

PICTURES = (".svg", ".png", ".pdf", ".html")
PAGES = (".html", ".htm")
LISTS = (".csv", ".json", ".md", ".tex", ".txt", ".html")


def target(path: Path, endings: tuple[str, ...], what: str) -> Path:
    """The path, if a file of one of these endings can be written there.

    >>> target(Path("roc.gif"), (".svg", ".png"), "a picture")
    Traceback (most recent call last):
    ...
    trueerror._errors.InputError: a picture is written as .svg or .png, not as 'roc.gif'
    """
    if path.suffix.lower() not in endings:
        raise InputError(f"{what} is written as {listing(list(endings), 'or')}, not as {path.name!r}")
    if path.suffix.lower() in (".png", ".pdf"):
        from trueerror.plots._figure import need_matplotlib

        need_matplotlib(f"a picture as {path.suffix.lower()}")
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {str(path.parent)!r} to write {path.name!r} into")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(f"{str(path)!r} cannot be written: permission denied")
    return path
