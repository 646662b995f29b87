"""Doors: what comes through a pipe, what is written when the disk is full, forked processes, how errors end."""

from __future__ import annotations

import gzip
import json
import math
import os
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
    from trueerror.sources.logs import inspect_ai

    monkeypatch.setattr(inspect_ai, "MOST_PARSED", 100_000)
    file = tmp_path / "bomb.eval"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("summaries.json", "[" + "[]," * 100_000 + "[]]")
    with pytest.raises(FileError, match="unpacks to more than"):
        te.logs.inspect(file)


def test_a_log_packed_by_zstandard_is_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trueerror.sources.logs import inspect_ai

    real = sorted((Path(__file__).parents[1] / "sources" / "logs" / "data").glob("inspect_d*.eval"))[0]
    with zipfile.ZipFile(real) as archive:
        assert {member.compress_type for member in archive.infolist()} == {inspect_ai.ZSTANDARD}
    liar, content, at = tmp_path / "liar.eval", bytearray(real.read_bytes()), 0
    while (at := content.find(b"PK\x01\x02", at)) >= 0:
        content[at + 24 : at + 28] = (10).to_bytes(4, "little")  # the size that the directory claims
        at += 4
    liar.write_bytes(content)
    with pytest.raises(FileError, match="damaged"):
        te.logs.inspect(liar)
    monkeypatch.setattr(inspect_ai, "MOST_PARSED", 100)
    with pytest.raises(FileError, match="unpacks to more than"):
        te.logs.inspect(real)


def test_a_line_without_end_in_a_packed_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trueerror.sources.logs import _recognise

    file = tmp_path / "samples_x.jsonl.gz"
    with gzip.open(file, "wb") as stream:
        stream.write(b'{"doc_id": 1, "filtered_resps": [], "x": "' + b"a" * 3_000_000)
    with pytest.raises(FileError, match="has a line of more than 1 MB"):
        list(_recognise.lines_of(file, 1 << 20))


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
    with pytest.raises(InputError, match=r"column 'a' of rows.csv holds labels, but .* in row 8"):
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
