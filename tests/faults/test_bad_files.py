"""Bad files: each a one-sentence error with the file and, where known, the row and the column; no traceback chain."""

from __future__ import annotations

import gzip
import os
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

import trueerror as te
from trueerror.inputs._options import FileError, InputError


def written(name: str, content: str | bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def half_a_parquet(folder: Path) -> Path:
    polars = pytest.importorskip("polars")
    path = folder / "p.parquet"
    polars.DataFrame({"truth": [0, 1] * 500, "svm": [0.1, 0.9] * 500}).write_parquet(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    return path


def broken_parquet(folder: Path) -> Path:
    """The end is there, but a page in the middle is not."""
    polars = pytest.importorskip("polars")
    path = folder / "p.parquet"
    polars.DataFrame({"truth": [0, 1] * 50_000, "svm": [float(i) for i in range(100_000)]}).write_parquet(path)
    data = bytearray(path.read_bytes())
    data[100:50_000] = os.urandom(49_900)
    path.write_bytes(data)
    return path


def half_a_gzip(folder: Path) -> Path:
    packed = gzip.compress(os.urandom(50_000).hex().encode())
    return written("p.csv.gz", packed[: len(packed) // 2])(folder)


def unlike_files(folder: Path) -> str:
    written("a.csv", "truth,svm\n0,1\n")(folder)
    written("b.csv", "svm,truth\n0,1\n")(folder)
    return str(folder / "*.csv")


def mixed_formats(folder: Path) -> Path:
    written("a.csv", "truth,svm\n0,1\n")(folder)
    written("b.jsonl", '{"truth": 0, "svm": 1}\n')(folder)
    return folder


def empty_folder(folder: Path) -> Path:
    (folder / "sub").mkdir()
    return folder / "sub"


CASES = [
    (lambda folder: folder / "no.csv", r"there is no file .*no\.csv$"),
    (lambda folder: written("predz.csv", "a\n")(folder).with_name("preds.csv"), "did you mean 'predz.csv'"),
    (lambda folder: folder / "sub" / "no.csv", r"there is no file .*no\.csv$"),
    (lambda folder: str(folder / "x*.csv"), r"no file matches .*x\*\.csv"),
    (lambda folder: "https://example.org/p.csv", "not on this machine; trueerror reads local files only"),
    (lambda folder: "s3://bucket/p.parquet", "not on this machine"),
    (lambda folder: "a\x00b.csv", "is not a path"),
    (lambda folder: [], "a path, a list of paths"),
    (empty_folder, "holds no CSV, Parquet or JSON file"),
    (unlike_files, "the order of the columns of b.csv is not that of a.csv"),
    (mixed_formats, "a.csv is CSV, and .*b.jsonl is JSON"),
    (written("p.csv", ""), "^p.csv is empty$"),
    (written("p.csv", "\n\n"), "p.csv is empty"),
    (written("p.csv", "# remark\n\ntruth,svm\n0,1\n1,0,1\n"), "3 fields at line 5, but its header names 2 columns"),
    (written("p.jsonl", ""), "p.jsonl is empty"),
    (written("p.parquet", ""), "p.parquet is empty"),
    (written("p.csv", "truth,svm\n"), "^p.csv has column names but no rows$"),
    (written("p.csv", "truth,svm"), "has column names but no rows"),
    (written("p.csv", "0,0\n1,1\n"), r"first line of p.csv holds numbers \('0'\), not column names"),
    (written("p.csv", "truth,svm,svm\n0,1,1\n"), "two columns of p.csv are called 'svm'"),
    (written("p.csv", "truth,svm\n0,0.1\n1,0.9,7\n"), "p.csv has 3 fields at line 3, but its header names 2 columns"),
    (written("p.csv", "truth,svm\n0,0.1\n1\n"), "p.csv has 1 fields at line 3"),
    (written("p.csv", "truth,svm\n" + "0,0.1\n" * 40_000 + "1\n"), "at line 40,002"),
    (written("p.csv", 'truth,svm\n0,"0.1\n1,0.9\n'), "a quote that is not closed at line 2"),
    (written("p.csv", b"truth,svm\n0,\x81\x40\n"), "not UTF-8 text at line 2; save it as UTF-8"),
    (written("p.csv", b"truth,svm\n0,gro\xdf\n1,\x01\n"), "not UTF-8 text at line 2; save it as UTF-8"),
    (written("p.csv", b"\x8d\x81,svm\n0,1\n"), "p.csv is not UTF-8 text"),
    (written("p.csv", "truth,svm\n0,1\n".encode("utf-16") + b"\x00"), "p.csv is not a text file in utf-16"),
    (written("p.csv", bytes(range(256)) * 10), "p.csv is not a text file"),
    (written("p.csv", "truth,svm\n0,0.5\r\n1,0.4\n"), "do its lines end in different ways"),
    (half_a_gzip, "p.csv.gz is not a complete gzip file"),
    (written("p.csv.gz", b"\x1f\x8b not gzip"), "not a complete gzip file"),
    (half_a_parquet, "p.parquet is not a complete Parquet file"),
    (broken_parquet, "p.parquet is damaged inside and cannot be read"),
    (written("p.parquet", "truth,svm\n0,1\n"), "p.parquet is not a complete Parquet file"),
    (written("p.jsonl", '{"truth": 1, "svm": 0.5}\n{"truth": 0, "svm":'), "p.jsonl is not valid JSON at line 2"),
    (written("p.jsonl", '{"truth": 1}\n{"truth": 0}\nhello\n'), "p.jsonl is not valid JSON at line 3"),
    (written("p.json", '[{"truth": 1}, {"truth": 0'), "p.json is not valid JSON at record 2"),
    (written("p.json", '{"truth": [0, 1], "svm": [0, 1, 1]}'), "p.json is JSON, and no table: write a list of rows"),
    (written("p.json", "[1, 2, 3]"), "p.json is JSON, and no table"),
    (written("p.csv", "truth,svm\n0,1\n,1\n"), "column 'truth' of p.csv is missing at row 2"),
    (written("p.csv", "truth,svm\n0,1\n1,\n"), "column 'svm' of p.csv is missing at row 2 .*missing="),
    (written("p.csv", "truth,svm\n0.5,1\n1.25,0\n"), "column 'truth' of p.csv has .*0.5.* at row 1"),
    (written("p.csv", "truth,svm\n,1\n,0\n"), "column 'truth' of p.csv is empty"),
    (written("p.csv", "truth,svm,id\n0,1,x\n1,0,y\n1,1,x\n"), "column 'id' of p.csv .*'x' is at rows 1 and 3"),
    (written("p.csv", "truth,svm,fold\n0,1,1\n1,0,\n"), "column 'fold' of p.csv is missing at row 2"),
    (written("p.csv", "y_tru,svm\n0,1\n"), "name it with truth=; there are 'y_tru', 'svm'"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message"), CASES)
def test_bad_files(make: Callable[[Path], object], message: str, tmp_path: Path) -> None:
    source = make(tmp_path)
    with pytest.raises(InputError, match=message) as caught:
        te.read(source)
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 400
    assert "duckdb" not in text.lower()
    assert "c0" not in text
    assert str(tmp_path / "trueerror-") not in text
    shown = "".join(traceback.format_exception(caught.value))
    assert "During handling" not in shown
    assert "direct cause" not in shown


def test_a_file_error_is_an_input_error_and_a_value_error(tmp_path: Path) -> None:
    with pytest.raises(FileError):
        te.read(tmp_path / "no.csv")
    assert issubclass(FileError, InputError)
    assert issubclass(FileError, ValueError)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user who may be refused")
def test_no_permission(tmp_path: Path) -> None:
    path = written("p.csv", "truth,svm\n0,1\n")(tmp_path)
    path.chmod(0)
    with pytest.raises(FileError, match=r"cannot read p\.csv: permission denied"):
        te.read(path)


@pytest.mark.parametrize("mark", ["N/A", "null"])
def test_a_truth_that_is_missing_is_refused(mark: str, tmp_path: Path) -> None:
    rows = [f"{mark if i == 5 else 'yn'[i % 2]},{'yn'[i // 3 % 2]}" for i in range(30)]
    path = written("p.csv", "\n".join(["truth,svm", *rows]))(tmp_path)
    with pytest.raises(InputError, match=r"column 'truth' of p.csv is missing at row 6 .*leave it out of the input"):
        te.read(path)


@pytest.mark.parametrize("mark", ["-", "?"])
def test_a_truth_that_is_a_mark_for_nothing_is_no_class(mark: str, tmp_path: Path) -> None:
    rows = [f"{mark if i == 5 else 'yn'[i % 2]},{'yn'[i // 3 % 2]}" for i in range(30)]
    path = written("p.csv", "\n".join(["truth,svm", *rows]))(tmp_path)
    with pytest.raises(InputError, match=r"column 'truth' of p.csv has .* at row 6, which no model answers"):
        te.read(path)
    assert te.evaluate(te.read(path, labels=["y", "n", mark])).n == 30
    answered = written("q.csv", "\n".join(["truth,svm", *rows, f"y,{mark}"]))(tmp_path)
    assert len(te.evaluate(te.read(answered)).labels) == 3


def test_a_log_is_a_path() -> None:
    for read in (te.logs.lm_eval, te.logs.inspect, te.logs.weka, te.logs.weka_results):
        with pytest.raises(InputError, match="not 5"):
            read(5)
    with pytest.raises(InputError, match="there are 0"):
        te.logs.weka_results([])
