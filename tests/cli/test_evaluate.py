"""`trueerror evaluate`, `compare` and `demo`, run for real on files."""

import json
import os
import subprocess
import sys

import duckdb
import numpy as np
import pytest

import trueerror as te
from tests.cli.program import run
from trueerror.data import path

CANCER, DIGITS = str(path("breast_cancer")), str(path("digits"))


def good(*args: str, **more) -> str:
    done = run(*args, **more)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_text_says_what_was_read_then_the_verdict():
    text = good("evaluate", CANCER, "--positive", "malignant", "--model", "logreg")
    assert text.startswith("285 rows, 106 malignant (positive), 1 model with scores: logreg.")
    assert "logreg is right on" in text
    assert 'Always answering "benign" would be right on 62.8 %' in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


def test_the_numbers_are_the_apis():
    data = te.load(good("evaluate", CANCER, "--positive", "malignant", "--format", "json"))
    assert data == te.evaluate(te.read(CANCER, positive="malignant"), rng=0)


@pytest.mark.parametrize(("form", "mark"), [("markdown", "| --- |"), ("latex", r"\toprule"), ("html", "<table>")])
def test_formats(form, mark):
    assert mark in good("evaluate", DIGITS, "--format", form)


def test_metrics_can_be_chosen():
    text = good("evaluate", DIGITS, "--model", "svm", "--metric", "kappa", "--metric", "macro_recall")
    assert "Cohen's kappa" in text
    assert "macro recall" in text
    assert "Matthews" not in text


def test_standard_input():
    with open(DIGITS, encoding="utf-8") as file:
        assert "899 rows" in good("evaluate", "-", stdin=file)


def test_slices(tmp_path):
    file = tmp_path / "p.csv"
    file.write_text(
        "y,m,city\n" + "".join(f"{i % 2},{(i // 3) % 2},{'Oslo' if i % 3 else 'Rome'}\n" for i in range(90))
    )
    text = good("evaluate", str(file), "--truth", "y", "--model", "m", "--by", "city")
    assert "Oslo" in text
    assert "Rome" in text


def test_columns_shows_how_the_file_was_read():
    assert "scores of knn" in good("evaluate", CANCER, "--positive", "malignant", "--columns")


def test_findings_can_be_silenced():
    noisy = good("evaluate", CANCER, "--positive", "malignant")
    assert "TE202" in noisy
    assert "TE202" not in good("evaluate", CANCER, "--positive", "malignant", "--ignore", "TE202")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("evaluate", "nowhere.csv"), "nowhere.csv"),
        (("evaluate", CANCER), "positive"),
        (("evaluate", CANCER, "--truth", "thruth"), "did you mean 'truth'"),
        (("evaluate", CANCER, "--positive", "malignat"), "did you mean 'malignant'"),
        (("evaluate", DIGITS, "--metric", "acuracy"), "did you mean 'accuracy'"),
        (("evaluate", CANCER, "--positive", "malignant", "--costs", "nonsense"), "not a JSON table"),
        (("compare", CANCER, "--positive", "malignant", "--model", "logreg"), "one model"),
        (("compare",), "give one file"),
        (("compare", "--counts", "both=1"), "neither"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(args, message):
    done = run(*args)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_compare_counts_is_the_users_transcript():
    text = " ".join(good("compare", "--counts", "both=810", "new=60", "old=40", "neither=90").split())
    assert "new is probably better; a close call. 87.00 % against 85.00 % accuracy: +2.00 points" in text


def test_compare_a_file():
    data = te.load(good("compare", CANCER, "--positive", "malignant", "--metric", "auc", "--format", "json"))
    assert data["logreg", "knn"].name == "AUC"


def test_compare_two_files(tmp_path):
    rows = [line.split(",") for line in path("digits").read_text(encoding="utf-8").splitlines()]
    for name, column in (("a.csv", 2), ("b.csv", 3)):
        (tmp_path / name).write_text("\n".join(",".join((r[0], r[1], r[column])) for r in rows))
    text = good("compare", str(tmp_path / "a.csv"), "--with", str(tmp_path / "b.csv"))
    assert "svm" in text
    assert "forest" in text


def test_demo_prints_a_verdict_and_writes_a_report(tmp_path):
    text = good("demo", cwd=tmp_path)
    assert "Wrote report.html" in text
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Content-Security-Policy" in page
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert len(page) < 2_000_000


def test_a_closed_pipe_is_no_error():
    command = f'"{sys.executable}" -m trueerror evaluate "{CANCER}" --positive malignant | head -1'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, env=os.environ)
    assert done.stderr == ""


@pytest.mark.parametrize("least", ["0.1", "0.999"])
def test_a_verdict_that_nobody_reads_is_no_other_verdict(least):
    out, into = os.pipe()
    os.close(out)
    command = [sys.executable, "-m", "trueerror", "gate", CANCER, "--positive", "malignant", "--model", "bayes"]
    done = subprocess.run([*command, "--at-least", least], stdout=into, stderr=subprocess.PIPE, text=True, check=False)
    os.close(into)
    assert (done.returncode, done.stderr) == (141, "")


def test_json_has_no_surprises():
    data = json.loads(good("evaluate", DIGITS, "--model", "svm", "--format", "json"))
    assert data["type"] == "Evaluation"


def test_a_budget_is_said_and_kept(tmp_path):
    rng = np.random.default_rng(5)
    truth = (rng.random(20_000) < 0.3).astype(int)
    file = tmp_path / "scores.csv"
    rows = "\n".join(f"{t},{s!r}" for t, s in zip(truth, rng.normal(truth).tolist(), strict=True))
    file.write_text(f"truth,forest\n{rows}\n")
    asked = ("evaluate", str(file), "--metric", "auc")
    text = good(*asked, "--budget", "100kB")
    assert "the memory budget of 100kB" in " ".join(text.split())
    assert "Scores are in bins" not in good(*asked)
    done = run(*asked, "--budget", "lots")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--budget 'lots' is not an amount of memory" in done.stderr


@pytest.mark.parametrize("name", ["rows.sqlite", "rows.duckdb"])
def test_a_data_base_of_several_tables(tmp_path, name):
    """The shell is told of its own option, by every command that reads files, never of Python."""
    library = pytest.importorskip("sqlite3" if name.endswith("sqlite") else "duckdb")
    database = library.connect(str(tmp_path / name))
    for table, rows in (("new", "(0, 0, 0), (0, 1, 0), (1, 1, 1), (1, 1, 0)"), ("old", "(0, 1, 1), (1, 0, 0)")):
        database.execute(f"CREATE TABLE {table} (truth INT, a INT, b INT)")
        database.execute(f"INSERT INTO {table} VALUES {rows}")
    database.commit()
    database.close()
    for command in (("evaluate",), ("compare",), ("check",), ("gate", "--candidate", "a", "--baseline", "b")):
        lost = run(command[0], name, *command[1:], cwd=tmp_path)
        assert lost.returncode == 2
        assert f"{name} holds 2 tables ('new', 'old'): name the one that is meant with --table\n" in lost.stderr
        assert "4 rows, 2 positive" in run(command[0], name, *command[1:], "--table", "new", cwd=tmp_path).stdout
    assert "has no table 'mew'; it has 'new', 'old'" in run("evaluate", name, "--table", "mew", cwd=tmp_path).stderr


def test_of_two_files_the_name_of_a_table_is_of_the_one_that_holds_tables(tmp_path):
    lines = [f"{i % 2},{(i * 7 % 10) / 10}" for i in range(20)]
    (tmp_path / "rows.csv").write_text("\n".join(["truth,a", *lines]))
    for part, name in ((0, "truth"), (1, "a")):
        (tmp_path / f"{name}.csv").write_text("\n".join([name, *(line.split(",")[part] for line in lines)]))
    for name, columns in (("rows", "*"), ("a alone", "a")):
        with duckdb.connect(tmp_path / f"{name}.duckdb") as database:
            database.execute(f"CREATE TABLE new AS SELECT {columns} FROM read_csv('{tmp_path / 'rows.csv'}')")
            database.execute("CREATE TABLE old AS SELECT * FROM new LIMIT 5")
    table = ("--table", "new")
    for files in (("rows.duckdb", "--with", "rows.csv"), ("rows.csv", "--with", "rows.duckdb"),
                  ("rows.csv", "rows.duckdb"), ("rows.duckdb", "rows.duckdb")):  # fmt: skip
        assert "20 rows, 10 positive, 2 models with scores" in run("compare", *files, *table, cwd=tmp_path).stdout
    for files in (("rows.duckdb", "--baseline", "rows.csv"), ("rows.csv", "rows.duckdb"),
                  ("rows.duckdb", "--baseline", "rows.duckdb")):  # fmt: skip
        assert "20 rows, 10 positive, 2 models with scores" in run("gate", *files, *table, cwd=tmp_path).stdout
    for files in (("rows.duckdb", "--training", "rows.csv"), ("rows.csv", "--training", "rows.duckdb")):
        assert "TE" in run("check", *files, *table, cwd=tmp_path).stdout
    apart = run("evaluate", "truth.csv", "a alone.duckdb", *table, cwd=tmp_path)
    assert "20 rows, 10 positive, 1 model with scores: a alone." in apart.stdout
    for files in (("rows.csv", "--with", "rows.csv"), ("truth.csv", "a.csv")):
        assert "or a sheet of a workbook: leave it out here" in run("compare", *files, *table, cwd=tmp_path).stderr


def test_files_of_grades(tmp_path):
    """Two are two models to compare, or parts of one table; the first is none of the truth."""
    for name, shift in (("new", 0), ("old", 3)):
        rows = [f"q{i},{(i + shift) % 10 / 10}" for i in range(30)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,score", *rows]))
    (tmp_path / "more.csv").write_text("\n".join(["id,score", *(f"r{i},0.5" for i in range(30))]))
    two = run("compare", "new.csv", "old.csv", "--grade", "score", cwd=tmp_path)
    assert "30 rows, graded from 0 to 1, 2 models with grades: new, old." in two.stdout
    same = run("compare", "new.csv", "--with", "old.csv", "--grade", "score", cwd=tmp_path)
    assert (two.stdout, two.stderr) == (same.stdout, "")
    parts = run("evaluate", "new.csv", "more.csv", "--grade", "score", cwd=tmp_path)
    assert "60 rows, graded from 0 to 1, 1 model with grades" in parts.stdout
    answers = run("repeats", "new.csv", "old.csv", "--grade", "score", "--id", "id", cwd=tmp_path)
    assert "Read 30 questions with 2 answers each" in answers.stdout
    gated = run("gate", "new.csv", "old.csv", "--grade", "score", cwd=tmp_path)
    assert "30 rows, graded from 0 to 1, 2 models with grades" in gated.stdout


def test_advice_of_python_does_not_reach_the_shell(tmp_path):
    (tmp_path / "rows.duckdb").write_bytes(b"\0" * 8 + b"DUCK" + b"\0" * 100)
    for file in ("rows.duckdb", "SELECT * FROM rows", "postgresql://u:p@host/db"):
        said = run("evaluate", file, cwd=tmp_path).stderr
        assert said.startswith("Error: ")
        assert not [word for word in ("connection", "duckdb.sql", "ibis", "frame", "pandas") if word in said]
