"""Files without a header (fastText, LIBSVM, Vowpal Wabbit, lists, named columns), and odd ways to write a table."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

import trueerror as te
from trueerror.cli._app import command_of
from trueerror.inputs._options import FileError, InputError

DRAWN = np.random.default_rng(4)
TRUTH = DRAWN.choice([-1, 1], 40)
CHANCE = np.clip(0.5 + 0.2 * TRUTH + DRAWN.normal(size=40) * 0.3, 0, 1).round(3)
SAID = np.where(CHANCE >= 0.5, 1, -1)
RIGHT = float((SAID == TRUTH).mean())
AUC = te.evaluate(TRUTH, scores=CHANCE, metrics=["auc"])["auc"].estimate
WORDS = {-1: "neg", 1: "pos"}


def other(chance: float) -> float:
    return round(1 - chance, 3)


FILES = {
    "libsvm.data": [f"{y:+d} 1:0.5 3:{i}" if i else f"{y:+d}" for i, y in enumerate(TRUTH)],
    "libsvm.out": [str(s) for s in SAID],
    "libsvm-b.out": ["labels 1 -1", *(f"{s} {c} {other(c)}" for s, c in zip(SAID, CHANCE, strict=True))],
    "vowpal.data": [f"{y} 'row{i} |words a b:{i} |more c" for i, y in enumerate(TRUTH)],
    "vowpal.out": [f"{c} row{i}" for i, c in reversed(list(enumerate(CHANCE)))],
    "vowpal-p.out": [f"-1:{other(c)} 1:{c} row{i}" for i, c in enumerate(CHANCE)],
    "fasttext.data": [f"__label__{WORDS[y]} some | words: 3" for y in TRUTH],
    "fasttext.out": [f"__label__{WORDS[s]}" for s in SAID],
    "fasttext-p.out": [
        f"__label__{WORDS[s]} {max(c, other(c))} __label__{WORDS[-s]} {min(c, other(c))}"
        for s, c in zip(SAID, CHANCE, strict=True)
    ],
    "list.data": ["id,y", *(f"{i},{WORDS[y]}" for i, y in enumerate(TRUTH))],
    "list.out": [WORDS[s] for s in SAID],
}


def write(folder: Path, name: str) -> Path:
    file = folder / name
    file.write_text("\n".join(FILES[name]) + "\n")
    return file


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".out")])
def test_data_and_predictions(name: str, tmp_path: Path) -> None:
    tool = name.partition(".")[0].partition("-")[0]
    data, said = write(tmp_path, f"{tool}.data"), write(tmp_path, name)
    p = te.read(data, predictions=[said], positive="pos" if tool in ("fasttext", "list") else None)
    assert te.evaluate(p)["accuracy"].estimate == pytest.approx(RIGHT)
    if "-" in name or tool == "vowpal":
        assert te.evaluate(p, metrics=["auc"])["auc"].estimate == pytest.approx(AUC)


def test_several_labels_a_line_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("__label__a __label__b some words\n" * 3)
    with pytest.raises(FileError, match="line 1 has 2 labels of fastText"):
        te.read(tmp_path / "t.txt")


def test_headers_are_headers_still(tmp_path: Path) -> None:
    for text in ("y,svm\n0,0\n1,1\n", "y|svm\n0|0\n1|1\n", "y\tsvm\n0\t0\n1\t1\n"):
        (tmp_path / "t.txt").write_text(text)
        assert te.read(tmp_path / "t.txt").models == ("svm",)


def test_names_of_columns(tmp_path: Path) -> None:
    file = tmp_path / "batch.csv.out"
    file.write_text("".join(f"{y},{i / 7:.3f},{c}\n" for i, (y, c) in enumerate(zip(TRUTH, CHANCE, strict=True))))
    with pytest.raises(FileError, match="name them with names="):
        te.read(file)
    for names in (["truth", "id", "net"], {1: "truth", 3: "net"}):
        p = te.read(file, names=names)
        assert (p.n, p.models) == (40, ("net",))
        assert te.evaluate(p)["accuracy"].estimate == pytest.approx(RIGHT)
    wrong: list[tuple[Any, str]] = [
        (["truth", "net"], "names 2 columns, and the first line of batch.csv.out has 3"),
        ({0: "truth"}, "with places from 1 up"),
        ("truth", "is a list of column names"),
    ]
    for names, words in wrong:
        with pytest.raises((FileError, InputError), match=words):
            te.read(file, names=names)
    with pytest.raises(InputError, match="a table has names"):
        te.read({"y": [0, 1], "a": [0, 1]}, names=["y", "a"])


def run(name: str, **options: object) -> None:
    import inspect

    command = command_of(name)
    usual = {p.name: p.default for p in inspect.signature(command).parameters.values()}
    command(**{**usual, **options})


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, said = str(write(tmp_path, "libsvm.data")), str(write(tmp_path, "libsvm.out"))
    run("evaluate", file=[data, said])
    assert "40 rows" in capsys.readouterr().out
    better = tmp_path / "better.out"
    better.write_text("\n".join(map(str, TRUTH)))
    for files, baseline in (([data, str(better), said], None), ([data, str(better)], said)):
        run("gate", files=files, baseline=baseline)
        assert "better" in capsys.readouterr().out
    run("gate", files=[data, str(better)], at_least=["0.8"])
    assert capsys.readouterr().out
    with pytest.raises(typer.Exit):
        run("gate", files=[data, said, said, said])
    assert "one candidate against one baseline, not 4 files" in capsys.readouterr().err


ROWS = [(0, 0.25, 0), (1, 0.75, 1), (1, 0.125, 1), (0, 0.5, 1)]
BLANKS = "truth   svm   knn\n" + "".join(f"{t}   {s}   {k}\n" for t, s, k in ROWS)
R_TABLE = '"truth" "svm" "knn"\n' + "".join(f'"r{i}" {t} {s} {k}\n' for i, (t, s, k) in enumerate(ROWS))
PLAIN = "truth,svm,knn\n" + "".join(f"{t},{s},{k}\n" for t, s, k in ROWS)
MARKDOWN = "| truth | svm | knn |\n|:--|--:|---|\n" + "".join(f"| {t} | {s} | {k} |\n" for t, s, k in ROWS)
PSQL = " truth | svm | knn\n-------+-----+----\n" + "".join(f" {t} | {s} | {k}\n" for t, s, k in ROWS) + "(4 rows)\n"
BY_COLUMNS = {name: [row[i] for row in ROWS] for i, name in enumerate(("truth", "svm", "knn"))}
BY_PLACES = {name: {str(i): value for i, value in enumerate(values)} for name, values in BY_COLUMNS.items()}
RECORDS = [dict(zip(BY_COLUMNS, row, strict=True)) for row in ROWS]
FORMS: dict[str, str | bytes] = {
    "utf-16.csv": PLAIN.encode("utf-16"),
    "big-endian.csv": b"\xfe\xff" + PLAIN.encode("utf-16-be"),
    "no-mark.csv": PLAIN.encode("utf-16-le"),
    "no-mark-big-endian.tsv": PLAIN.replace(",", "\t").encode("utf-16-be"),
    "utf-16.json": json.dumps(RECORDS).encode("utf-16"),
    "remarks.csv": f"# made by a tool\n# in 2026\n\n{PLAIN}",
    "excel.csv": "sep=;\n" + PLAIN.replace(",", ";"),
    "spaced.csv": PLAIN.replace(",", " , "),
    "r.csv": '"truth","svm","knn"\n' + "".join(f'"{i}",{t},{s},{k}\n' for i, (t, s, k) in enumerate(ROWS, 1)),
    "trailing.csv": PLAIN.replace("\n", ",\n").replace("knn,", "knn"),
    "r.txt": R_TABLE,
    "blanks.txt": BLANKS,
    "blanks.csv.gz": gzip.compress(BLANKS.encode()),
    "markdown.md": MARKDOWN,
    "psql.txt": PSQL,
    "commas.tsv": PLAIN.replace(",", "\t").replace(".", ","),
    "commas.csv": "truth,svm,knn\n" + "".join(f'{t},"{str(s).replace(".", ",")}",{k}\n' for t, s, k in ROWS),
    "per-cent.csv": "truth,svm,knn\n" + "".join(f"{t},{s:.1%},{k}\n" for t, s, k in ROWS),
    "columns.json": json.dumps(BY_COLUMNS),
    "pandas.json": json.dumps(BY_PLACES),
    "index.json": json.dumps({str(i): row for i, row in enumerate(RECORDS)}),
    "ids.json": json.dumps({f"q{i}": row for i, row in enumerate(RECORDS)}),
    "split.json": json.dumps({"columns": [*BY_COLUMNS], "index": [0, 1, 2, 3], "data": ROWS}),
    "table.json": json.dumps({"schema": {"fields": [{"name": "truth"}]}, "data": RECORDS}),
    "header.json": json.dumps([[*BY_COLUMNS], *ROWS]),
}


@pytest.mark.parametrize("name", FORMS)
def test_tables_as_people_and_programs_write_them(name: str, tmp_path: Path) -> None:
    text = FORMS[name]
    (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
    read = te.read(tmp_path / name)
    assert read.models == ("svm", "knn")
    (tmp_path / "plain").write_text(PLAIN)
    plain = te.read(tmp_path / "plain")
    for model in ("svm", "knn"):
        assert te.evaluate(read).model(model)["accuracy"] == te.evaluate(plain).model(model)["accuracy"]
    assert te.roc(read, model="svm").thresholds.tolist() == te.roc(plain, model="svm").thresholds.tolist()


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".json"])
def test_latin_letters_that_are_not_in_utf_8_are_read_and_said(ending: str, tmp_path: Path) -> None:
    rows = [("groß", "groß", "Málaga"), ("klein", "groß", "Kraków €"), ("klein", "klein", "Málaga")]
    text = "truth,svm,site\n" + "".join(",".join(row) + "\n" for row in rows).replace("ó", "o")
    if ending == ".json":
        text = json.dumps(
            [dict(zip(("truth", "svm", "site"), row, strict=True)) for row in rows], ensure_ascii=False
        ).replace("ó", "o")
    path = tmp_path / f"x{ending}"
    path.write_bytes(gzip.compress(text.encode("cp1252")) if ending.endswith("gz") else text.encode("cp1252"))
    found = te.read(path, by="site")
    assert found.labels == ("groß", "klein")
    assert set(te.evaluate(found).slices) == {"Málaga", "Krakow €"}
    assert "read as Windows-1252: x" in " ".join(found.notes)
    cut = "truth,svm\ngroß,klein\nklein,groß".encode()[:-1]  # half a letter at the end is no other encoding
    (tmp_path / "cut.csv").write_bytes(cut)
    with pytest.raises(te.InputError, match="UTF-8"):
        te.read(tmp_path / "cut.csv")


def test_blanks_around_words_are_no_part_of_them(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("truth, svm, knn\nyes, yes , no\nno,no, yes\nno, no,  NA\n")
    found = te.evaluate(te.read(path, missing="wrong"))
    assert [found.model(name)["accuracy"].estimate for name in ("svm", "knn")] == [1.0, 0.0]


def test_thousands_are_set_apart_and_a_hash_may_begin_a_name(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('#id,truth,svm\na,0,"1,250"\nb,1,"12,500"\nc,1,980\n')
    found = te.read(path, models=["svm"], threshold=1000)
    assert te.roc(found).thresholds.tolist() == [float("inf"), 12500.0, 1250.0, 980.0]


def test_great_numbers_are_scores_and_long_ones_ids(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("case,truth,svm\n" + "".join(f"{10**20 + i},{i % 2},{(i // 2) * 1e299}\n" for i in range(8)))
    found = te.read(path, threshold=2e299)
    assert found.models == ("svm",)
    assert len(te.roc(found).thresholds) == 5
