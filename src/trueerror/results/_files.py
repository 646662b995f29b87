"""Writing files so that nothing is lost: the whole new file, or the old one as it was."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

from trueerror.results._format import clip, one_line


class WriteError(OSError):
    """A file could not be written; what stood there before is as it was."""

    def __str__(self) -> str:
        return str(self.args[0])


def write_file(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write text (UTF-8, line ends as they are) or bytes by a draft beside the target that then takes its place.

    A pipe or a device is written to as it is. Where the folder cannot be written to, but the file in it can, the file
    is written in place.
    """
    target = Path(path)
    # Half a character, as in the name of a file in another encoding, is written as JSON writes it.
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    try:
        _replace(target, data)
    except (OSError, ValueError) as error:  # a ValueError of a name with a zero byte
        old = "; the file is as it was" if os.path.isfile(target) else ""
        reason = getattr(error, "strerror", None) or str(error)
        name = clip(one_line(target.name), 60) or "to an empty path"
        raise WriteError(f"cannot write {name}: {reason.lower()}{old}") from error
    return target


def _replace(target: Path, data: bytes) -> None:
    # The file behind a link, not the link, is replaced. (Path.resolve answers links in a circle by a RuntimeError.)
    whole = Path(os.path.realpath(target))
    old = whole.stat() if os.path.lexists(whole) else None
    mode = None if old is None else old.st_mode
    if mode is not None and not stat.S_ISREG(mode):
        whole.write_bytes(data)
        return
    if old is not None and not os.access(whole, os.W_OK):
        # A draft could take the place of a file that nobody may write to.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    draft = whole.with_name(f".trueerror-{secrets.token_hex(6)}.part")
    try:
        number = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else stat.S_IMODE(mode))
    except PermissionError:
        if mode is None:
            raise
        whole.write_bytes(data)
        return
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(data)
        if old is not None:
            # Owners first: a change of owner takes some rights away. Only the superuser may give a file to others.
            if hasattr(os, "chown"):
                with contextlib.suppress(OSError):
                    os.chown(draft, old.st_uid, old.st_gid)
            os.chmod(draft, stat.S_IMODE(old.st_mode))
        os.replace(draft, whole)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise
