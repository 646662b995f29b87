"""How an answer looks in a terminal: a line while people wait, verdicts and findings in colour, tables as wide as the
window. Pipes and files get plain text.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Literal, TextIO

from trueerror.results._document import WIDTH, Block, Bullets, Document, Footer, Media, Tone, Verdict, Words
from trueerror.results._format import filled, unbroken

PATIENCE = 1.5
BEATS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
BOLD, DIM, GREEN, YELLOW, RED, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[0m"
Colour = Literal["auto", "always", "never"]
# Columns of tables on a wide screen.
WIDEST = 120
CLEAR = "\r\x1b[2K"


def is_terminal(stream: TextIO | None) -> bool:
    """Whether people look at the stream, and have not asked for plain text (NO_COLOR, TERM=dumb)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # a closed one
        return False


# How sure a verdict is, before its words and as a colour.
TONES: dict[Tone, str] = {"clear": GREEN, "probable": YELLOW, "open": BOLD, "bad": RED, "": BOLD}
# What the small print is replaced by.
MORE = "Add --explain for methods and assumptions."


@dataclass(frozen=True, slots=True)
class Screen:
    """What an answer is written for: columns of tables, columns and rows that are seen (None: no terminal), colour."""

    tables: int = WIDTH
    columns: int | None = None
    rows: int | None = None
    colour: bool = False

    @classmethod
    def of(cls, stream: TextIO | None, colour: Colour = "auto") -> Screen:
        """The screen that a stream is shown on; tables are as wide as it is, from 80 to 120 columns."""
        columns = width_of(stream)
        columns_text = os.environ.get("COLUMNS", "")
        wide = columns or (int(columns_text) if columns_text.isdecimal() else WIDTH)
        rows = shutil.get_terminal_size().lines if columns is not None else None
        painted = is_terminal(stream) if colour == "auto" else colour == "always"
        return cls(min(max(wide, WIDTH), WIDEST), columns, rows, painted)

    def written(self, document: Document, *, advice: Callable[[str], str] = str) -> str:
        """A document for this screen: without its small print, the verdict once more where it has scrolled away."""
        parts, verdicts = [], []
        for block in document.shown(Media.TEXT):
            if isinstance(block, Bullets):
                block = replace(block, lines=tuple(advice(line) for line in block.lines))
            words = block.text(self.tables)
            words = MORE if words and isinstance(block, Footer) else words
            if words:
                painted = self._painted(block, fitted(words, self.columns))
                parts.append(painted)
                verdicts += [painted] if isinstance(block, Verdict) else []
        text = "\n\n".join(parts)
        if self.rows is not None and text.count("\n") + 2 > self.rows and len(parts) > len(verdicts) + 1:
            text = "\n\n".join([text, *verdicts])
        return text

    def _painted(self, block: Block, words: str) -> str:
        if not self.colour:
            return words
        if isinstance(block, Verdict):
            return f"{BOLD}{TONES[block.tone]}{words}{PLAIN}"
        if isinstance(block, Footer):
            return f"{DIM}{words}{PLAIN}"
        if isinstance(block, Words):
            lead, mark, rest = words.partition("\n")
            return f"{BOLD}{lead}{PLAIN}{mark}{rest}"
        if isinstance(block, Bullets):
            lines, bullet = [], -1
            for line in words.split("\n"):
                if line.startswith("! "):
                    bullet += 1
                    mark, code, rest = line.split(" ", 2)
                    line = f"{RED if bullet in block.grave else YELLOW}{mark} {code}{PLAIN} {rest}"
                lines.append(line)
            return "\n".join(lines)
        return words


def width_of(stream: TextIO | None) -> int | None:
    """How many columns people see, at least 20; None where the stream goes to a pipe or a file."""
    try:
        if stream is None or not stream.isatty():
            return None
        columns_text = os.environ.get("COLUMNS", "")
        columns = int(columns_text) if columns_text.isdecimal() else os.get_terminal_size(stream.fileno()).columns
    except (ValueError, OSError):  # a closed one, or one that does not know
        return None
    return max(columns, 20) if columns else None


def fitted(text: str, width: int | None) -> str:
    """Text whose sentences are broken between words where a terminal would break them anywhere.

    Words are laid out for 80 columns, so in a narrower window their lines are joined and broken anew; lines of tables
    are left as they are. `None` (a pipe or a file) changes nothing.

    >>> print(fitted("Error: there is no such file\\n\\na   b\\n1   2", 20))
    Error: there is no
    such file
    <BLANKLINE>
    a   b
    1   2
    """
    if width is None or all(len(line) <= width for line in text.split("\n")):
        return text
    out: list[str] = []
    paragraph: list[str] = []
    for line in [*text.split("\n"), ""]:
        if paragraph and not _continues(paragraph[-1], line):
            out += _laid_out(paragraph, width)
            paragraph = []
        if not line.strip() or _in_table(line):
            out.append(line)
        else:
            paragraph.append(line)
    return "\n".join(out[:-1])


def _in_table(line: str) -> bool:
    return re.search(r"\S {2,}\S", line) is not None


def _continues(before: str, line: str) -> bool:
    """Whether a line goes on with a sentence that was broken for want of room, at 76 columns or more."""
    words = unbroken(line).split(" ")
    first = next((word for word in words if word), "")
    if not first or _in_table(line) or re.match(r"\s*(! TE|→ |\d+\. )", line):
        return False
    return len(before) + 1 + len(first) > 76


def _laid_out(lines: list[str], width: int) -> list[str]:
    if all(len(line) <= width for line in lines):
        return lines
    first, last = (" " * (len(line) - len(line.lstrip(" "))) for line in (lines[0], lines[-1]))
    more = last if len(lines) > 1 else f"{first}  " if lines[0].lstrip().startswith("! ") else first
    text = " ".join(line.strip() for line in lines)
    return filled(text, width, initial_indent=first, subsequent_indent=more, cut=False).split("\n")


class Waiting:
    """A line on stderr with the seconds that passed, once a command takes longer than a moment.

    It is drawn on terminals only, and wiped before anything is written to stdout.
    """

    def __init__(self, stream: TextIO | None = None, *, patience: float = PATIENCE) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.patience = patience
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._stdout: TextIO | None = None

    def __enter__(self) -> Waiting:
        if is_terminal(self.stream):
            self._thread = threading.Thread(target=self._beat, daemon=True)
            self._thread.start()
            if is_terminal(sys.stdout):
                self._stdout, sys.stdout = sys.stdout, _Announced(sys.stdout, self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.settle()
        if self._stdout is not None:
            sys.stdout = self._stdout

    def settle(self) -> None:
        """Wipe the line, and draw no more."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()

    def _beat(self) -> None:
        started, beat = time.monotonic(), 0
        if self._stop.wait(self.patience):
            return
        while True:
            seconds = time.monotonic() - started
            self.stream.write(f"{CLEAR}{BEATS[beat % len(BEATS)]} working, {seconds:.0f} s")
            self.stream.flush()
            beat += 1
            if self._stop.wait(0.1):
                break
        self.stream.write(CLEAR)
        self.stream.flush()


class _Announced:
    """A stream that lets the line be wiped before it is written to."""

    def __init__(self, stream: TextIO, waiting: Waiting) -> None:
        self._stream, self._waiting = stream, waiting

    def write(self, text: str) -> int:
        self._waiting.settle()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
