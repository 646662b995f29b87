"""Run the examples of a written page, and put what they really print into it.

A page is Markdown. Its fenced blocks are run in order, in one namespace and one fresh folder that holds the bundled
data files:

- `python`: run; what it prints is the `text` block right after it.
- `python` with `>>>`: each example is run; what it prints follows it, blank lines too.
- `console`: each line that starts with `$ ` is run; what it prints follows it. `echo $?` is the last exit code.
- any block after a comment `<!-- file: NAME -->`: written to the folder under that name.
- `bash`, `yaml`, `toml`, `html`: shown, not run. They hold no results.
- `{name}`: a directive of the site.

`real(page)` is the page with real output. A page is right when `real(page) == page`. A picture that a page shows by a
name without folder, `![…](roc.svg)`, is the file that its own examples saved under that name: `pictures(page)`.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

FENCE = "```"
FILE = re.compile(r"^<!-- file: (\S+) -->$")
SHOWN_ONLY = ("bash", "yaml", "toml", "html")
PICTURE = re.compile(r"!\[[^\]]*\]\(([\w.-]+\.(?:svg|png))\)")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
WIDTH = "80"


class Block(NamedTuple):
    """A fenced block: lines[first:last] of the page are its content."""

    language: str
    first: int
    last: int
    file: str | None


def real(page: str) -> str:
    """The page with the output that its examples really print."""
    return _run(page)[0]


def pictures(page: str) -> dict[str, bytes]:
    """The pictures that the page's own examples save and the page shows, by file name."""
    return _run(page)[1] if shown_pictures(page) else {}


def shown_pictures(page: str) -> list[str]:
    """File names of the pictures that the page shows and its own examples make."""
    return sorted(set(PICTURE.findall(page)))


def _run(page: str) -> tuple[str, dict[str, bytes]]:
    lines = page.splitlines()
    out: list[str] = []
    done = 0
    blocks = list(_blocks(lines))
    with Session() as session:
        for i, block in enumerate(blocks):
            if block.first < done:
                continue  # output of the block before it, replaced already
            content = lines[block.first : block.last]
            out += lines[done : block.first]
            done = block.first
            if block.file:
                Path(block.file).write_text("\n".join(content) + "\n", encoding="utf-8")
            elif block.language == "console":
                out += session.console(content)
                done = block.last
            elif block.language == "python" and content and content[0].startswith(">>>"):
                out += session.examples(content)
                done = block.last
            elif block.language == "python":
                printed = session.python("\n".join(content))
                out += [*content, FENCE]
                done = block.last + 1
                if printed:
                    out += ["", FENCE + "text", *printed, FENCE]
                follower = blocks[i + 1] if i + 1 < len(blocks) else None
                if (
                    follower
                    and follower.language == "text"
                    and not follower.file
                    and not _between(lines, block, follower)
                ):
                    done = follower.last + 1
            elif block.language not in SHOWN_ONLY and not block.language.startswith("{"):
                raise ValueError(f"line {block.first}: a block of {block.language or 'no language'!r} follows no code")
        made = {name: Path(name).read_bytes() for name in shown_pictures(page)}
    return "\n".join([*out, *lines[done:]]) + "\n", made


def _between(lines: list[str], block: Block, follower: Block) -> str:
    return "".join(lines[block.last + 1 : follower.first - 1]).strip()


def _blocks(lines: list[str]) -> Iterator[Block]:
    start: int | None = None
    language, file = "", None
    for i, line in enumerate(lines):
        if not line.startswith(FENCE):
            continue
        if start is None:
            language, start = line[len(FENCE) :].strip(), i + 1
            before = FILE.match(lines[i - 1]) if i else None
            file = before[1] if before else None
        else:
            yield Block(language, start, i, file)
            start = None
    if start is not None:
        raise ValueError(f"line {start}: this block is never closed")


class Session:
    """One namespace, one folder and one shell for the examples of a page."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self.code = 0
        self.stack = contextlib.ExitStack()

    def __enter__(self) -> Session:
        from trueerror import data

        folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        for name in data.FILES:
            shutil.copy(data.path(name), folder)
        self.stack.enter_context(contextlib.chdir(folder))
        self.stack.enter_context(_environment(COLUMNS=WIDTH, NO_COLOR="1"))
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def python(self, source: str) -> list[str]:
        """Run a block; the lines that it prints."""
        with _printed() as out:
            exec(compile(source, "<page>", "exec"), self.names)
        return _lines(out)

    def examples(self, content: list[str]) -> list[str]:
        """Run `>>>` examples; the block with what they print."""
        shown: list[str] = []
        source: list[str] = []

        def finish() -> None:
            if source:
                shown.extend([*source, *self._example([line[4:] for line in source])])
                source.clear()

        for line in content:
            if line.startswith(">>> ") or (line.startswith("...") and source):
                if line.startswith(">>> "):
                    finish()
                source.append(line)
            elif source:
                finish()
        finish()
        return shown

    def _example(self, source: list[str]) -> list[str]:
        with _printed() as out:
            try:
                exec(compile("\n".join(source) + "\n", "<page>", "single"), self.names)
            except ValueError as error:  # shown as readers see it, without the places in between
                return [
                    *_lines(out),
                    "Traceback (most recent call last):",
                    "    ...",
                    f"{type(error).__name__}: {error}",
                ]
        return _lines(out)

    def console(self, content: list[str]) -> list[str]:
        """Run the commands of a console block; the block with what they print."""
        shown: list[str] = []
        command: list[str] = []
        for line in content:
            if line.startswith("$ ") or (command and line.startswith("> ")):
                command.append(line[2:])
                shown.append(line)
                if not line.endswith("\\"):
                    shown += self.shell(" ".join(part.rstrip("\\").strip() for part in command))
                    command = []
        return shown

    def shell(self, command: str) -> list[str]:
        """Run one command; trueerror itself runs in this process, to be quick."""
        if command == "echo $?":
            return [str(self.code)]
        words = shlex.split(command)
        if words[0] == "trueerror" and not set("|<>;&") & set(words):
            return self._trueerror(words[1:])
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, check=False, env={**os.environ, "PATH": path}
        )
        self.code = done.returncode
        return (done.stdout + done.stderr).rstrip("\n").split("\n")

    def _trueerror(self, words: list[str]) -> list[str]:
        from trueerror.cli import _app as program

        argv, sys.argv = sys.argv, ["trueerror", *words]
        hook = sys.excepthook
        try:
            with _printed() as out, contextlib.redirect_stderr(out):
                program.run()
            self.code = 0
        except SystemExit as end:
            self.code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        finally:
            sys.argv, sys.excepthook = argv, hook
        return _lines(out)


@contextlib.contextmanager
def _printed() -> Iterator[io.StringIO]:
    out = io.StringIO()
    hook, sys.displayhook = sys.displayhook, sys.__displayhook__
    try:
        with contextlib.redirect_stdout(out):
            yield out
    finally:
        sys.displayhook = hook


@contextlib.contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {key: os.environ.get(key) for key in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value


def _lines(out: io.StringIO) -> list[str]:
    text = COLOUR.sub("", out.getvalue()).rstrip("\n")
    return [line.rstrip() for line in text.split("\n")] if text else []
