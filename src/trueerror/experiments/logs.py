"""Append-only logs: each record framed by a mark, its length and its checksum, so that damage is found and passed over.

TEr1 | length, 4 bytes | CRC-32 of length and content, 4 bytes | content
"""

from __future__ import annotations

import os
import struct
import threading
import uuid
import zlib
from collections.abc import Iterator

from trueerror.experiments.outcomes import Outcome, decode, encode
from trueerror.experiments.storage import Appender, open_folder

MARK = b"TEr1"
HEAD = struct.Struct("<II")


def frame(content: bytes) -> bytes:
    """A record with its mark, length and checksum."""
    length = struct.pack("<I", len(content))
    return MARK + length + struct.pack("<I", zlib.crc32(content, zlib.crc32(length))) + content


def frames(data: bytes) -> Iterator[bytes | None]:
    """The records of a log in order, None for each damaged stretch; reading goes on at the next sound record.

    >>> log = frame(b"one") + frame(b"two")
    >>> list(frames(log)), list(frames(log[:-1])), list(frames(b"x" + log))
    ([b'one', b'two'], [b'one', None], [None, b'one', b'two'])
    """
    at, lost = 0, False
    while at < len(data):
        content = _at(data, at)
        if content is not None:
            yield content
            at += len(MARK) + HEAD.size + len(content)
            lost = False
            continue
        if not lost:
            yield None
            lost = True
        at = data.find(MARK, at + 1)
        if at < 0:
            return


def _at(data: bytes, at: int) -> bytes | None:
    start = at + len(MARK) + HEAD.size
    if data[at : at + len(MARK)] != MARK or start > len(data):
        return None
    length, checksum = HEAD.unpack_from(data, at + len(MARK))
    content = data[start : start + length]
    if len(content) != length or zlib.crc32(content, zlib.crc32(data[at + 4 : at + 8])) != checksum:
        return None
    return content


def read_outcomes(data: bytes) -> tuple[list[Outcome], int]:
    """The outcomes of a log, and how many damaged stretches there were."""
    found, damaged = [], 0
    for content in frames(data):
        try:
            if content is None:
                raise ValueError
            found.append(decode(content))
        except (ValueError, KeyError, TypeError):
            damaged += 1
    return found, damaged


class Writer:
    """One worker's log: a name that no other worker, machine or run has."""

    def __init__(self, location: str) -> None:
        name = f"log-{os.getpid()}-{threading.get_ident():x}-{uuid.uuid4().hex[:8]}.tel"
        self._log: Appender = open_folder(location).appender(name)

    def write(self, outcome: Outcome) -> None:
        """Append an outcome."""
        self._log.append(frame(encode(outcome)))

    def close(self) -> None:
        """No more outcomes."""
        self._log.close()
