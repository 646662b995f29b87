"""Small files that hold gigabytes, pipes without a writer, folders without an end: one sentence, in little time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

import trueerror as te
from trueerror.inputs._options import FileError, InputError
from trueerror.sources.logs import _registry
from trueerror.tallies import ScoreTable

MB = 1 << 20


def gzipped(path: Path, head: bytes, block: bytes, times: int) -> Path:
    packer = zlib.compressobj(1, wbits=31)
    with path.open("wb") as stream:
        stream.write(packer.compress(head))
        for _ in range(times):
            stream.write(packer.compress(block))
        stream.write(packer.flush())
    return path


def rows_of_parquet(path: Path) -> Path:
    import duckdb

    rows = "SELECT 1 AS y, 0.5 AS a FROM range(300_000_000)"
    duckdb.sql(f"COPY ({rows}) TO '{path}' (FORMAT parquet, row_group_size 50_000_000)")
    return path


def sheet(path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("[Content_Types].xml", "<x/>")
        archive.writestr("xl/worksheets/sheet1.xml", b"<row/>" * (20 * MB))
    return path


BOMBS: dict[str, Callable[[Path], Path]] = {
    "rows.csv.gz": lambda path: gzipped(path, b"y,a\n", b"0,1\n" * (MB // 4), 700),
    "samples_line.jsonl.gz": lambda path: gzipped(path, b'{"doc_id": 1, "filtered_resps": [], "x": "', b"a" * MB, 700),
    "lists.json.gz": lambda path: gzipped(path, b"[", b"[]," * (MB // 3), 60),
    "book.xlsx": sheet,
    "rows.parquet": rows_of_parquet,
}
CHILD = """
import re, sys, time
import trueerror as te
try:
    te.evaluate(sys.argv[1])
except te.InputError as error:
    print(error)
print(time.process_time(), re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory is asked of Linux")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends_in_one_sentence(name: str, tmp_path: Path) -> None:
    file = BOMBS[name](tmp_path / name)
    done = subprocess.run([sys.executable, "-c", CHILD, str(file)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    said, figures = done.stdout.splitlines()
    assert re.fullmatch(rf"{re.escape(name)} (unpacks to|would take) (more than )?[\d,]+ MB.*", said)
    seconds, kilobytes = map(float, figures.split())
    assert seconds < 10  # of work; two on a machine of its own
    assert kilobytes < 500_000


def test_a_true_file_that_packs_well_is_read(tmp_path: Path) -> None:
    rows = b"".join(b"%d,%d\n" % (i % 2, i % 3 > 0) for i in range(60_000))
    file = gzipped(tmp_path / "rows.csv.gz", b"y,a\n", rows, 10)
    assert te.read(file).n == 600_000


def test_limits_are_in_relation_to_the_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trueerror.sources._bytes.MOST_UNPACKED", 1000)
    noise = b"".join(b"%d,%.17f\n" % (i % 2, (i * 7919 % 1009) / 1009) for i in range(2000))
    assert te.read(gzipped(tmp_path / "noise.csv.gz", b"y,a\n", noise, 1)).n == 2000
    with pytest.raises(FileError, match="over 80 times its size"):
        te.read(gzipped(tmp_path / "same.csv.gz", b"y,a\n", b"0,1\n" * 100_000, 2))


def test_saved_results_are_bounded(tmp_path: Path) -> None:
    huge = tmp_path / "huge.json"
    with huge.open("wb") as stream:
        stream.write(b"{")
        stream.truncate(300 * MB)
    os.mkfifo(tmp_path / "pipe")
    for path in (huge, tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(ValueError, match="a folder, a pipe, a device, or too large"):
            te.load(path)
    with pytest.raises(ValueError, match="too many lists"):
        te.load('{"a":[' + "[]," * 2_000_000 + "[]]}")


def test_a_pipe_without_a_writer_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trueerror.sources._bytes.PATIENCE", 0.1)
    os.mkfifo(tmp_path / "rows.csv")
    with pytest.raises(FileError, match=r"nobody writes to the pipe rows\.csv"):
        te.read(tmp_path / "rows.csv")


@pytest.mark.parametrize(
    "call", [te.repeats, te.auc_over_folds, te.evaluate, te.read, lambda f: te.read(f / "**/*.csv")]
)
def test_a_disk_is_walked_once_and_not_to_its_end(
    call: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trueerror.sources._paths.MOST_FILES", 20)
    for i in range(30):
        (tmp_path / f"{i}").mkdir()
    (tmp_path / "loop").symlink_to(tmp_path)
    with pytest.raises(InputError, match="more than 20 files"):
        call(tmp_path)


def test_patterns_find_what_they_name(tmp_path: Path) -> None:
    for place in ("a/x.csv", "a/b/y.csv", "a/.hidden/z.csv", "c[1]/w.csv"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("y,m\n0,0\n1,1\n")
    (tmp_path / "a" / "loop").symlink_to(tmp_path / "a")
    for pattern, files in (("**/*.csv", 3), ("*/*.csv", 2), ("a/**", 2), ("a/[xy].csv", 1), ("c[[]1]/*.csv", 1)):
        assert te.read(f"{tmp_path}/{pattern}").n == 2 * files, pattern
    with pytest.raises(FileError, match="no file matches"):
        te.read(f"{tmp_path}/*/none-*.csv")


PLUG_IN = '''
from trueerror.sources.logs._graded import Log, Record, reads
from trueerror.sources.logs._registry import LogForm

@reads(LogForm("foo", (".foo",), b"FOO1"))
def foo(file, asked):
    """Right or wrong, from files of foo."""
    rows = [line.split() for line in file.read_text().splitlines()[1:]]
    return Log([Record(key, {"right": right == "1"}) for key, right in rows], model="m")
'''


def test_another_package_adds_a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "foo_reader.py").write_text(PLUG_IN)
    about = tmp_path / "foo_reader-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: foo-reader\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[trueerror.readers]\nfoo = foo_reader:foo\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    log = tmp_path / "run.foo"
    log.write_text("FOO1\na 1\nb 0\nc 1\nd 1\n")
    _registry.installed.cache_clear()
    try:
        assert te.evaluate(te.read(log))["accuracy"].estimate == 0.75
        assert te.repeats(log).model("m").answers == 4
        plain = tmp_path / "plain.csv"
        plain.write_text("y,m\n0,0\n1,1\n")
        monkeypatch.setattr(_registry, "installed", lambda: pytest.fail("a plain CSV needs no reader"))
        assert te.read(plain).n == 2
    finally:
        _registry.installed.cache_clear() if hasattr(_registry.installed, "cache_clear") else None
        sys.modules.pop("foo_reader", None)


def test_what_a_score_table_cannot_save_it_does_not_take() -> None:
    with pytest.raises(InputError, match="squares= holds sums of squared weights"):
        ScoreTable([0.1, 0.9], [1, 2], [2, 1], squares=True)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="sources= are names"):
        ScoreTable([0.1, 0.9], [1, 2], [2, 1], sources=({"a": [1]},))  # type: ignore[arg-type]
    kept = ScoreTable([0.1, 0.9], [1.5, 2], [2, 1], squares=[[2.0, 4.0], [4.0, 1.0]], sources=("a.csv",))  # type: ignore[arg-type]
    assert te.load(kept.to_json()).squares.tolist() == [[2.0, 4.0], [4.0, 1.0]]
