"""Doors: what comes through a pipe, what is written when the disk is full, forked processes, how errors end."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import math
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import trueerror as te
from tests.fuzz.calls import damaged_tree
from trueerror.inputs._options import FileError, InputError
from trueerror.results import _files
from trueerror.results._document import to_csv
from trueerror.results._files import WriteError, write_file

ROWS = 3_000


def jsonl_rows() -> bytes:
    """Rows of 64 bytes, so that blocks of any power of two end with a row."""
    rows = (json.dumps({"truth": "ab"[i % 2], "svm": "ab"[i % 3 == 0]}) for i in range(ROWS))
    return b"".join(row.ljust(63).encode() + b"\n" for row in rows)


def csv_rows() -> bytes:
    return b"truth,svm\n" + b"".join(b"%d,%d\n" % (i % 2, i % 3 == 0) for i in range(ROWS))


@pytest.mark.parametrize("content", [jsonl_rows(), csv_rows()], ids=["json lines", "csv"])
def test_a_pipe_loses_no_row(content: bytes) -> None:
    out, into = os.pipe()

    def fill() -> None:
        with os.fdopen(into, "wb") as stream:
            stream.write(content)

    writer = threading.Thread(target=fill)
    writer.start()
    try:
        assert te.evaluate(te.read(f"/dev/fd/{out}")).n == ROWS
    finally:
        writer.join()
        os.close(out)


def test_a_named_pipe_is_read_once(tmp_path: Path) -> None:
    fifo = tmp_path / "rows.csv"
    os.mkfifo(fifo)
    writer = threading.Thread(target=fifo.write_bytes, args=(csv_rows(),))
    writer.start()
    assert te.evaluate(te.read(fifo)).n == ROWS
    writer.join()


def test_a_name_in_another_encoding(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"caf\xe9.csv")
    try:
        file.write_bytes(csv_rows())
    except (OSError, UnicodeError):
        pytest.skip("this file system takes names in UTF-8 only")
    assert te.evaluate(te.read(file)).n == ROWS
    p = te.predictions([0, 1] * 20, {file.stem: [0, 1, 1, 1] * 10})
    assert te.report(p, tmp_path / "r.html").exists()
    for ending in ("json", "svg", "html", "csv"):
        te.evaluate(p).save(tmp_path / f"r.{ending}")
    assert te.load(tmp_path / "r.json") == te.evaluate(p)


def test_what_is_no_file_is_said() -> None:
    with pytest.raises(FileError, match="null is no file but a device"):
        te.read("/dev/null")
    with pytest.raises(FileError, match="the path is empty"):
        te.read("")
    with pytest.raises(FileError, match="name too long"):
        te.read("x" * 5000)


def test_a_folder_that_is_a_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trueerror.sources._paths.MOST_FILES", 3)
    for i in range(5):
        (tmp_path / f"{i}.log").touch()
    with pytest.raises(FileError, match="more than 3 files"):
        te.read(tmp_path)


@pytest.mark.parametrize("ending", ["json", "md", "csv", "svg", "html", "png"])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    old = tmp_path / f"result.{ending}"
    old.write_text("old")

    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_files.os, "fdopen", full)
    with pytest.raises(WriteError, match=f"cannot write result.{ending}: no space left on device; the file is as it"):
        te.evaluate([0, 1, 1, 0] * 5, [0, 1, 1, 1] * 5).save(old)
    assert old.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == [old.name]


def test_a_report_is_whole_or_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "report.html"
    page.write_text("old")
    monkeypatch.setattr(_files.os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(WriteError, match="no space left"):
        te.report(te.predictions([0, 1, 1, 0] * 5, [0, 1, 1, 1] * 5), page)
    assert page.read_text() == "old"


def test_writing_keeps_links_and_rights(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    write_file(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert real.stat().st_mode & 0o777 == 0o600


CHILD = """
import os, sys
import trueerror as te
p = te.read(sys.argv[1], positive=1)
before = te.evaluate(te.read(sys.argv[1], positive=1)).to_json()
child = os.fork()
if child == 0:
    same = te.evaluate(p).to_json() == before
    os._exit(0 if same else 3)
_, status = os.waitpid(child, 0)
assert te.evaluate(p).to_json() == before
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_forked_process_opens_its_file_again(tmp_path: Path, ending: str) -> None:
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"truth": rng.integers(0, 2, 300), "m": rng.random(300)})
    file = tmp_path / f"rows.{ending}"
    (frame.write_csv if ending == "csv" else frame.write_parquet)(file)
    done = subprocess.run([sys.executable, "-c", CHILD, str(file)], timeout=300, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_forked_relation_is_refused_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    p = te.read(duckdb.sql("SELECT i % 2 AS truth, (i * 7 % 30) / 30 AS m FROM range(30) AS r(i)").select("truth, m"))
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(InputError, match="forked process"):
        te.evaluate(p)


def test_a_small_zip_cannot_eat_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trueerror.sources._bytes.LONGEST_LINE", 100_000)
    file = tmp_path / "bomb.eval"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("summaries.json", "[" + "[]," * 100_000 + "[]]")
    with pytest.raises(FileError, match="unpacks to more than"):
        te.logs.inspect(file)


def test_a_log_packed_by_zstandard_is_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = sorted((Path(__file__).parents[1] / "sources" / "logs" / "data").glob("inspect_d*.eval"))[0]
    with zipfile.ZipFile(real) as archive:
        assert {member.compress_type for member in archive.infolist()} == {93}
    liar, content, at = tmp_path / "liar.eval", bytearray(real.read_bytes()), 0
    while (at := content.find(b"PK\x01\x02", at)) >= 0:
        content[at + 24 : at + 28] = (10).to_bytes(4, "little")  # the size that the directory claims
        at += 4
    liar.write_bytes(content)
    with pytest.raises(FileError, match="damaged"):
        te.logs.inspect(liar)
    monkeypatch.setattr("trueerror.sources._bytes.LONGEST_LINE", 100)
    with pytest.raises(FileError, match="unpacks to more than"):
        te.logs.inspect(real)


def test_a_line_without_end_in_a_packed_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trueerror.sources._bytes.LONGEST_LINE", 1 << 20)
    file = tmp_path / "samples_x.jsonl.gz"
    with gzip.open(file, "wb") as stream:
        stream.write(b'{"doc_id": 1, "filtered_resps": [], "x": "' + b"a" * 3_000_000)
    with pytest.raises(FileError, match="has a line of more than 1 MB"):
        te.read(file)


def run(*words: str, **more: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "trueerror", *words]
    return subprocess.run(command, text=True, stderr=subprocess.PIPE, timeout=300, **more)  # type: ignore[call-overload,no-any-return]


def test_errors_of_the_system_are_one_sentence_and_end_with_2(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_bytes(csv_rows())
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as full:
            done = run("check", str(file), stdout=full)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert "no space left" in done.stderr
    long = run("check", "x" * 5000, stdout=subprocess.PIPE)
    assert (long.returncode, long.stderr.count("\n")) == (2, 1)
    assert "Traceback" not in long.stderr


def test_closed_output_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_bytes(csv_rows())
    done = subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m trueerror evaluate "{file}" 1>&-'], stderr=subprocess.PIPE, text=True,
        timeout=300,
    )  # fmt: skip
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


ESCAPE = "\x1b[5mblink\x07\x9b"


def test_no_escape_sequence_reaches_a_terminal_or_a_document() -> None:
    ev = te.evaluate([0, 1, 1, 0] * 5, {ESCAPE: [0, 1, 1, 1] * 5, "=1+1": [0, 0, 1, 1] * 5})
    with pytest.raises(InputError) as wrong:
        te.compare([0, 1] * 5, {ESCAPE: [0, 1] * 5, "b": [1, 0] * 5}, metric="auc")
    shown = [str(ev), ev.to_markdown(), ev.to_latex(), to_csv(ev.records()), str(wrong.value)]
    for text in shown:
        assert not [c for c in text if not c.isprintable() and c not in "\r\n"], text


def test_a_spreadsheet_runs_nothing() -> None:
    text = to_csv([{"model": m, "low": -1.5} for m in ("=cmd|x", "@sum", "+1+1", "-a", "-1.5", "+", "plain")])
    cells = [line.split(",")[0] for line in text.splitlines()[1:]]
    assert cells == ["'=cmd|x", "'@sum", "'+1+1", "'-a", "-1.5", "+", "plain"]


def test_messages_are_short_and_of_one_line() -> None:
    pd = pytest.importorskip("pandas")
    big = pd.DataFrame({f"column {i}": range(100) for i in range(50)})
    for call in (
        lambda: te.interval(big, 5),
        lambda: te.evaluate([0, 1], big),
        lambda: te.read({f"{i}" * 50: ["a", "b"] for i in range(60)}),
        lambda: te.compare([0, 1], {"a" * 5000: [0, 1], "b": [1, 0]}, metric="auc"),
        lambda: te.evaluate([0, 1], [0, 1], metrics=["x" * 4000]),
    ):
        with pytest.raises(InputError) as wrong:
            call()
        assert len(str(wrong.value)) <= 300
        assert "\n" not in str(wrong.value)


@pytest.mark.parametrize("cell", ["null", "None", "N/A", "-", "?", "99", "-1", "inf", "2"])
def test_an_odd_cell_drops_no_model(tmp_path: Path, cell: str) -> None:
    file = tmp_path / "rows.csv"
    rows = [f"{i % 2},{cell if i == 7 else (i // 3) % 2},0.{i:02}" for i in range(60)]
    file.write_text("\n".join(["y_true,a,a_score", *rows]))
    said = r"is missing at row 8" if cell in ("null", "N/A") else r"holds labels, but .* in row 8"
    with pytest.raises(InputError, match=rf"column 'a' of rows.csv {said}"):
        te.read(file)


@pytest.mark.parametrize("truths", [2, 5])
def test_a_number_that_stands_for_nothing_is_no_score(truths: int) -> None:
    truth, count = np.arange(100) % truths, np.arange(100) // 3 % truths
    with pytest.raises(InputError, match=r"column 'a' of .* holds labels, but '-99' in row 8"):
        te.read({"truth": truth, "a": np.where(np.arange(100) == 7, -99, count), "b": count})
    if truths == 2:  # votes for and against are scores
        assert te.read({"truth": truth, "vote": np.arange(100) % 3 - 1}).has_scores("vote")


def test_a_table_of_features_is_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "wide.csv"
    file.write_text(",".join(["y", *(f"c{i}" for i in range(9_999))]) + "\n" + ",".join(["1"] * 10_000) + "\n")
    with pytest.raises(FileError, match="10,000 columns"):
        te.read(file)


@pytest.mark.parametrize(
    "call",
    [
        lambda: te.gate(te.predictions([0, 1] * 9, [0, 1] * 9), cost_fn="null"),
        lambda: te.evaluate([0, 1], [0, 1], cost_fp=np.datetime64("NaT", "s")),
        lambda: te.sample_size(first=0.9, second=0.8, alpha=np.ma.masked),
        lambda: te.interval(3, 10, confidence=10**400),
        lambda: te.ppi([1, 0], [1, 0, 1], [1, 0], bounds="-"),
        lambda: te.rank({"a": [1, 2], "b": [2, 3]}, names=0.5),
        lambda: te.training_history([0, 1] * 5, {1: [0, 1] * 5, 2: [1, 1] * 5}, training=-math.inf),
        lambda: te.roc([0, 1] * 5, [0.1, 0.8] * 5, positive={"a": 1}),
        lambda: te.pass_at_k([[1, 0]], method={}),
        lambda: te.roc(np.array(2), [0.1]),
        lambda: te.significance.friedman({"a": [1 + 2j, 2], "b": [1, 2]}),
        lambda: te.roc([0, 1] * 5, [0.1, 0.8] * 5).interpolate([[1], [2, 3]]),
        lambda: te.ScoreTable(0.5, 1, 2),
        lambda: te.read("\ud800.csv"),
        lambda: te.decision_curve(["a"] * 8, [1] * 8, positive="a", prior=1).at(0),
    ],
)
def test_a_value_of_another_kind_is_one_sentence(call: Callable[[], object]) -> None:
    with pytest.raises(InputError) as wrong:
        call()
    assert str(wrong.value).isprintable()


def test_texts_of_all_results_are_without_escapes() -> None:
    scores = {"a": [1.0, 2.0, 3.0], ESCAPE: [2.0, 3.0, 5.0]}
    truth = [0, 1] * 10
    p = te.predictions(truth, scores={ESCAPE: [i / 20 for i in range(20)]})
    for result in (te.significance.nemenyi(scores), te.check(p), te.lift(p), te.risk_coverage(p), te.rank(scores)):
        assert not [c for c in str(result) if not c.isprintable() and c != "\n"]


def test_json_keeps_empty_names_and_refuses_what_cannot_be_shown() -> None:
    dunn = te.significance.bonferroni_dunn({"": [0.0, 1.0], "b": [1.0, 0.5]}, control="")
    assert te.load(dunn.to_json()) == dunn
    found = json.loads(te.check(te.predictions([0, 1] * 9, [0, 1] * 9)).to_json())
    assert found["items"]
    found["items"] = 0.5
    with pytest.raises(ValueError, match="damaged"):
        te.load(json.dumps(found))


def test_a_tampered_result_is_refused_or_can_be_shown() -> None:
    truth, scores = [0, 1] * 20, {"a": [i / 40 for i in range(40)], "b": [i % 7 / 7 for i in range(40)]}
    p = te.predictions(truth, scores=scores, positive=1)
    ranked = te.rank({"a": [0.1, 0.2, 0.3, 0.4], "b": [0.2, 0.3, 0.4, 0.5], "c": [0.3, 0.1, 0.2, 0.9]})
    rng, said = np.random.default_rng(0), list[str]()
    for saved in (r.to_json() for r in (te.evaluate(p), te.compare(p), te.roc(p), te.check(p), ranked)):
        for _ in range(80):
            damaged = damaged_tree(lambda among: among[rng.integers(len(among))], json.loads(saved))
            try:
                read = te.load(json.dumps(damaged))
            except ValueError as wrong:
                said.append(str(wrong))
            else:
                assert read.to_markdown()
                assert read.to_latex()
    assert said
    assert [words for words in said if len(words) > 300 or not words.isprintable()] == []


def zstandard(data: bytes, *, times: int = 0) -> bytes:
    """A frame of Zstandard whose blocks are as they were (RFC 8878), or one byte so many times 128 KB."""
    blocks = [data[i : i + (1 << 17)] for i in range(0, len(data), 1 << 17)]
    sizes = [(len(block) << 3, block) for block in blocks] if not times else [(1 << 20 | 2, data)] * times
    packed = b"".join(
        (size | (i == len(sizes) - 1)).to_bytes(3, "little") + block for i, (size, block) in enumerate(sizes)
    )
    return b"\x28\xb5\x2f\xfd" + b"\x00\x38" + packed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress, "zst": zstandard
}  # fmt: skip


@pytest.mark.parametrize("ending", PACKERS)
def test_what_is_packed_comes_through_a_pipe_too(tmp_path: Path, ending: str) -> None:
    for name in (f"rows.csv.{ending}", "rows"):
        fifo = tmp_path / name
        os.mkfifo(fifo)
        writer = threading.Thread(target=fifo.write_bytes, args=(PACKERS[ending](csv_rows()),))
        writer.start()
        assert te.evaluate(te.read(fifo)).n == ROWS
        writer.join()


def test_tables_packed_by_zstandard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = csv_rows()
    for name, text in {
        "rows.csv.zst": rows,
        "of Windows [1].csv.zst": rows.replace(b"\n", b"\r\n"),
        "rows.jsonl.zst": b"".join(b'{"truth": %d, "a": %d}\n' % (i % 2, i % 3 > 0) for i in range(ROWS)),
    }.items():
        (tmp_path / name).write_bytes(zstandard(text))
        assert te.evaluate(te.read(tmp_path / name)).n == ROWS
    whole = tmp_path / "rows.csv.zst"
    # Frames one after the other are one file.
    whole.write_bytes(zstandard(rows[:100]) + zstandard(rows[100:]))
    assert te.evaluate(te.read(whole)).n == ROWS
    packed = zstandard(rows * 20)
    for cut in (1, 2, 4, len(packed) // 2, len(packed) - 6):
        whole.write_bytes(packed[:-cut])
        with pytest.raises(FileError, match=r"rows\.csv\.zst is not a complete zst file"):
            te.read(whole)
    monkeypatch.setattr("trueerror.sources._bytes.MOST_UNPACKED", 1 << 20)
    whole.write_bytes(zstandard(b"\n", times=9_000))
    with pytest.raises(FileError, match=r"rows\.csv\.zst unpacks to more than"):
        te.read(whole)
    parquet = tmp_path / "rows.parquet.zst"
    parquet.write_bytes(zstandard(b"PAR1" + bytes(40)))
    with pytest.raises(FileError, match="is a packed Parquet file; unpack it"):
        te.read(parquet)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python unpacks it")
def test_other_text_packed_by_zstandard_is_shown_the_way(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv.zst"
    file.write_bytes(zstandard("truth,né\n1,1\n0,0\n".encode("cp1252")))
    with pytest.raises(FileError, match=r"holds other than lines of UTF-8: unpack it first, by zstd -d"):
        te.read(file)


def test_packed_tables_in_a_folder(tmp_path: Path) -> None:
    for ending, pack in PACKERS.items():
        folder = tmp_path / ending
        folder.mkdir()
        (folder / f"rows.csv.{ending}").write_bytes(pack(csv_rows()))
        assert te.evaluate(te.read(folder)).n == ROWS


def test_what_must_be_unpacked_first_is_said(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "rows.csv", "w") as archive:
        archive.writestr("rows.csv", csv_rows())
    with pytest.raises(FileError, match=r"rows\.csv is packed as a zip archive"):
        te.read(tmp_path / "rows.csv")


def test_a_socket_as_standard_input_is_read() -> None:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "trueerror", "evaluate", "/dev/stdin"]
    with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, text=True) as process:
        theirs.close()
        ours.sendall(csv_rows())
        ours.close()
        assert f"{ROWS:,} rows" in process.communicate(timeout=300)[0]


def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes(csv_rows())
    for name in ("pipe.csv", "samples_x.jsonl", "log.eval", "log.json"):
        os.mkfifo(tmp_path / name)
    assert te.evaluate(te.read(tmp_path)).n == ROWS


@pytest.mark.parametrize("command", ["compare", "gate"])
def test_pipes_that_are_looked_into_first(tmp_path: Path, command: str) -> None:
    rows = [(i % 2, i % 3 == 0, i % 5 == 0) for i in range(300)]
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for place, file in enumerate(files, 1):
        file.write_text("\n".join(["truth,prediction", *(f"{row[0]},{int(row[place])}" for row in rows)]))
    line = '"$0" -m trueerror "$1" '
    whole = subprocess.run(
        ["bash", "-c", line + '"$2" "$3"', sys.executable, command, *map(str, files)], capture_output=True, timeout=300
    )
    piped = subprocess.run(
        ["bash", "-c", line + '<(cat "$2") <(cat "$3")', sys.executable, command, *map(str, files)],
        capture_output=True, timeout=300, text=True,
    )  # fmt: skip
    assert "300 rows" in piped.stdout, piped.stderr
    assert piped.returncode == whole.returncode


def test_folds_come_through_every_door(tmp_path: Path) -> None:
    content = "fold,a,b\n" + "".join(f"{i},0.8{i},0.7{i}\n" for i in range(5))
    file = tmp_path / "cv.csv.gz"
    file.write_bytes(gzip.compress(content.encode()))
    plain = run("folds", "-", input=content, stdout=subprocess.PIPE)
    assert plain.returncode == 0
    assert run("folds", str(file), stdout=subprocess.PIPE).stdout == plain.stdout
    wide = tmp_path / "wide.csv"
    wide.write_text(f'a,b\n0.5,"{"x" * 200_000}"\n')
    broken = run("folds", str(wide), stdout=subprocess.PIPE)
    assert (broken.returncode, broken.stderr.count("\n")) == (2, 1), broken.stderr


def test_links_in_a_circle_and_files_that_are_closed(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to(tmp_path / "b.json")
    (tmp_path / "b.json").symlink_to(tmp_path / "a.json")
    for target in (tmp_path / "a.json", tmp_path / "a\x00b.json", tmp_path / f"{'x' * 300}\x1b[5m.json"):
        with pytest.raises(WriteError) as wrong:
            te.interval(3, 10).save(target)
        assert str(wrong.value).isprintable()
        assert len(str(wrong.value)) < 200


def test_a_file_that_nobody_may_write_to_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "result.json"
    file.write_text("old")
    monkeypatch.setattr(_files.os, "access", lambda *_: False)  # as it is for all but the superuser
    with pytest.raises(WriteError, match="permission denied"):
        te.interval(3, 10).save(file)
    assert file.read_text() == "old"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only the superuser gives files away")
def test_writing_keeps_the_owner(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_text("old")
    os.chown(file, 12345, 12345)
    file.chmod(0o640)
    te.interval(3, 10).save(file)
    about = file.stat()
    assert (about.st_uid, about.st_gid, stat.S_IMODE(about.st_mode)) == (12345, 12345, 0o640)


def test_ctrl_c_ends_quietly_at_any_time() -> None:
    code = (
        "import os, signal, sys, threading\n"
        "sys.argv = ['trueerror', 'demo']\n"
        "import trueerror.cli._app as app\n"
        "app.made = lambda name: os.kill(os.getpid(), signal.SIGINT)\n"
        "from trueerror.cli import main\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (128 + signal.SIGINT, "")


def test_a_fault_of_ours_is_no_verdict(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from trueerror.cli import _app

    def broken(**_: object) -> None:
        raise KeyError("x" * 1000)

    monkeypatch.setattr(_app, "app", broken)
    with pytest.raises(SystemExit) as ended:
        _app.run()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("Error: a fault of trueerror")
    assert said.count("\n") == 1
    assert len(said) < 320


def test_a_forked_lazy_table_is_refused_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    pl = pytest.importorskip("polars")
    p = te.read(pl.LazyFrame({"truth": [0, 1] * 20, "m": [i / 40 for i in range(40)]}))
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(InputError, match="forked process"):
        te.evaluate(p)


def failing_polars() -> object:
    pl = pytest.importorskip("polars")
    calls = ["x" if i == 4500 else str(i % 2) for i in range(5000)]
    return pl.LazyFrame({"truth": [0, 1] * 2500, "m": calls}).with_columns(pl.col("m").cast(pl.Int64))


def failing_duckdb() -> object:
    import duckdb

    return duckdb.sql(
        "SELECT i % 2 AS truth, (CASE WHEN i = 4500 THEN 'x' ELSE '0' END)::INT AS m FROM range(5000) r(i)"
    )


def dropped_table() -> object:
    import duckdb

    connection = duckdb.connect()
    connection.execute("CREATE TABLE rows AS SELECT 1 AS truth, 1 AS m")
    relation = connection.table("rows")
    connection.execute("DROP TABLE rows")
    return relation


def failing_dask() -> object:
    frames, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    frame = frames.from_pandas(pd.DataFrame({"truth": [0, 1] * 9, "m": [0, 1] * 9}), npartitions=2)
    return frame.map_partitions(lambda part: part.assign(m=1 / 0), meta=frame)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (failing_polars, r"polars could not answer: conversion from `str` to `i64` failed"),
        (failing_duckdb, "DuckDB could not answer: Could not convert string 'x' to INT32"),
        (dropped_table, "DuckDB could not answer: "),
        (failing_dask, "Dask could not answer: division by zero"),
    ],
)
def test_an_engine_that_fails_is_named_in_one_sentence(make: Callable[[], object], message: str) -> None:
    for verb in (te.evaluate, te.compare, te.check, te.roc):
        with pytest.raises(InputError, match=message) as raised:
            verb(make())
        assert "\n" not in str(raised.value)
        assert len(str(raised.value)) < 320


def test_a_fault_of_our_own_is_not_blamed_on_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that raises the same error is; what is ours keeps its type and its lines."""
    pl = pytest.importorskip("polars")
    from trueerror.sources._paths import asking
    from trueerror.sources.engines import _narwhals

    monkeypatch.delattr(_narwhals, "_opened")
    with pytest.raises(NameError, match="_opened"):
        te.evaluate(pl.LazyFrame({"truth": [0, 1], "m": [0, 1]}))
    with pytest.raises(InputError, match="polars could not answer: division by zero"), asking("polars"):
        1 / 0


def test_a_relation_is_no_column() -> None:
    import duckdb

    with pytest.raises(InputError, match="values is a lazy column; collect it"):
        te.mean_interval(duckdb.sql("SELECT 1 AS v"))


def test_queries_and_addresses_are_no_files() -> None:
    for text in ("SELECT * FROM rows", "with a as (select 1) select * from a", "read_parquet('rows.parquet')"):
        with pytest.raises(FileError, match=r"is a query, not a file: pass what duckdb\.sql"):
            te.read(text)
    with pytest.raises(FileError, match=r"^postgresql://… is a database, not a file: pass ibis\.connect"):
        te.evaluate("postgresql://me:secret@server/rows")


ODD = ["null", "N/A", "-", "?", "nan", "inf", "unknown", "00", "１"]


@pytest.mark.parametrize("cell", ODD)
@pytest.mark.parametrize("column", ["a", "a_score", "s"])
def test_an_odd_cell_in_json_drops_no_model(tmp_path: Path, cell: str, column: str) -> None:
    rows: list[dict[str, object]] = [
        {"y_true": i % 2, "a": (i // 3) % 2, "a_score": i * 37 % 60 / 60, "s": i * 17 % 60 / 60} for i in range(60)
    ]
    rows[7][column] = cell
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    said = "is missing at row 8" if cell in ("null", "N/A", "nan") else "holds (labels|numbers), but .* in row 8"
    with pytest.raises(InputError, match=rf"column '{column}' of rows.jsonl {said}"):
        te.read(file, models=["a", "s"] if column == "s" and cell in ("null", "N/A", "nan") else None)


def test_a_decimal_comma_in_one_cell_changes_no_column(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    rows = [f"{i % 2},{i * 37 % 60 / 60:.3f},{(i // 3) % 2}" for i in range(60)]
    file.write_text("\n".join(["y_true,b,a", *rows[:-1], '1,0.5,"1,5"']))
    with pytest.raises(InputError, match=r"column 'a' of rows.csv holds labels, but '1,5' in row 60"):
        te.read(file)


@pytest.mark.parametrize("name", ["\t=1+1", " =1", "＝1+1", "＠x", "－1+1", "\x0b=1", "\u22121+x"])
def test_a_formula_behind_blanks_or_in_wide_signs_is_text(name: str) -> None:
    assert to_csv([{"model": name}]).splitlines()[1].startswith("'")


def test_pages_hold_no_control_character(tmp_path: Path) -> None:
    p = te.predictions([ESCAPE, "b"] * 20, {ESCAPE: [ESCAPE, "b", "b", ESCAPE] * 10, "m": [ESCAPE, "b"] * 20})
    page = te.report(p, tmp_path / "r.html", title=ESCAPE)
    ev = te.evaluate(p)
    for text in (page.read_text(encoding="utf-8"), ev._repr_html_(), str(ev.explain())):
        assert not [c for c in text if c in "\x1b\x07\x9b"]


@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        ("interval", {"n": -5}),
        ("interval", {"confidence": 7}),
        ("test", {"p_value": 1.5}),
        ("test", {"df": -1}),
        ("ranking", {"groups": [["a", "x"]]}),
        ("difference", {"low": [None] * 3}),
    ],
)
def test_what_would_fail_later_is_damaged(kind: str, damage: dict[str, object]) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random(40), rng.random(40)
    made = {
        "interval": lambda: te.interval(3, 10),
        "test": lambda: te.significance.paired_t(a, b),
        "ranking": lambda: te.significance.nemenyi({"a": a[:9], "b": b[:9], "c": b[9:18]}),
        "difference": lambda: te.roc_difference([0, 1] * 20, a, b, positive=1),
    }[kind]()
    assert te.load(made.to_json()) == made
    with pytest.raises(ValueError, match="damaged") as wrong:
        te.load(json.dumps(json.loads(made.to_json()) | damage))
    assert len(str(wrong.value)) <= 300


def test_numbers_of_thousands_of_digits_are_no_result() -> None:
    text = te.interval(3, 10).to_json().replace('"n": 10', f'"n": {"9" * 5000}')
    with pytest.raises(ValueError, match="too many digits"):
        te.load(text)


@pytest.mark.parametrize(
    "call",
    [
        lambda: te.rank({"a": [10**400, 1], "b": [0.1, 0.2]}),
        lambda: te.agreement({"a": [10**400, 1] * 5, "b": [0, 1] * 5}),
        lambda: te.agreement({"a": [1e308, -1e308] * 5, "b": [0, 1] * 5}, level="interval"),
        lambda: te.ppi([1e308, -1e308] * 5, [0.1, 0.2] * 5, [0.1, 0.2] * 9),
    ],
)
def test_numbers_beyond_all_sums_are_refused(call: Callable[[], object]) -> None:
    with pytest.raises(InputError):
        call()


def test_frames_hold_all_names_and_labels() -> None:
    for label, other, kind in ((2**64 - 1, 1, np.uint64), (10**30, 1, object), ("\udcff", "b", object)):
        rows: list[list[object]] = [[label, other] * 20, [label, other, other, label] * 10]
        truth, answers = (np.array(row, dtype=kind) for row in rows)
        assert len(te.evaluate(truth, answers).frame()) > 0


def test_large_numbers_are_written_out_and_very_large_ones_with_a_power_of_ten() -> None:
    def said(scale: float) -> str:
        return str(te.significance.paired_t([scale, 2.0, 3 * scale, 4.0], [0.1, 0.2, 0.3, 0.7]))

    assert "+1,000,001 [−1,250," in said(1e6)
    assert "+1e+30 [−1.25e+30, 3.25e+30]" in said(1e30)


def test_gaps_in_numpy_text_are_missing() -> None:
    text = np.array(["a", None] * 10, dtype=np.dtypes.StringDType(na_object=None))  # type: ignore[call-arg]
    with pytest.raises(InputError, match=r"column 'm' of the table is missing at row 2 \(10 in all\)"):
        te.read({"truth": ["a", "b"] * 10, "m": text})
