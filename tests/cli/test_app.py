"""How the program meets people: help with examples, one sentence for wrong usage, completion, no colours in pipes."""

import io
import json
import os
import re
import sqlite3
import subprocess
import sys

import duckdb
import jsonschema
import pandas
import pytest
import typer
from typer.testing import CliRunner

from tests.cli.program import run
from trueerror.cli._app import COMMANDS, command_of, epilog
from trueerror.cli._commands import CommandRow
from trueerror.data import path

CANCER = str(path("breast_cancer"))
READ = (CANCER, "--positive", "malignant")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples_to_paste(command):
    done = run(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert "{" not in lines[0]
    after = lines[lines.index("  Examples:") + 1 :]
    assert after[0].strip().startswith(f"trueerror {command}")


def test_the_help_lists_every_command_in_full():
    done = run("--help")
    assert (done.returncode, done.stderr) == (0, "")
    for command in COMMANDS:
        assert f"\n  {command} " in done.stdout
    assert "..." not in done.stdout.split("\n", 1)[1]
    assert "\x1b[" not in done.stdout


def test_long_examples_are_broken_so_that_they_can_be_pasted():
    text = epilog(CommandRow("gate", "", ["gate " + "--margin 0.02 " * 8]))
    assert " \\\n" in text
    assert max(map(len, text.splitlines())) <= 78


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("evaluate", CANCER, "--postive", "1"), "has no option --postive; did you mean '--positive'?"),
        (
            ("evaluate", CANCER, "--zzz"),
            "trueerror evaluate has no option --zzz; python -m trueerror evaluate --help lists all",
        ),
        (("evalute",), "there is no command 'evalute'; did you mean 'evaluate'?"),
        ((CANCER,), "say what to do with"),
        (("evaluate",), "give a file of predictions, or counts: --matrix"),
        (("evaluate", *READ, "--labels", "no yes"), "--labels names the classes of --matrix"),
        (("gate",), "missing argument 'CANDIDATE'"),
        (("evaluate", *READ, "--format", "markdwn"), "did you mean 'markdown'?"),
        (("evaluate", *READ, "--seed", "x"), "invalid value for '--seed'"),
        (("evaluate", *READ, "--missing", "drp"), "'drop'"),
        (("evaluate", *READ, "--cost-fn", "10", "--costs", "[[0, 1], [1, 0]]"), "leave --cost-fp and --cost-fn out"),
        (("evaluate", *READ, "--cost-fn", "-1"), "--cost-fn"),
        (("evaluate", *READ, "--weight", "logreg", "--weights-kind", "freq"), "did you mean 'frequency'?"),
        (("evaluate", *READ, "--ignore", "TE2O2"), "there is no finding 'TE2O2'; did you mean 'TE202'?"),
        (("rank", CANCER, "--learner", "learnr"), "--learner 'learnr'"),
        (("plot", *READ, "-o", "x.svg", "--kind", "rocc"), "did you mean 'roc'?"),
        (("schema", "gat"), "'gat' is not known; did you mean 'gate'?"),
        (
            ("compare", *READ, "--metric", "auc", "--metric", "brier"),
            "--metric takes one METRIC, and was given 2 times",
        ),
        (("report", *READ, "--by", "a", "--by", "b"), "--by takes one COLUMN, and was given 2 times"),
        (("evaluate", *READ, "--weight", "a", "--weight", "b"), "--weight takes one COLUMN"),
        (
            ("gate", CANCER, "--truth", "a", "--truth=b", "--truth", "c"),
            "--truth takes one COLUMN, and was given 3 times",
        ),
        (("interval", "3/4", "-c", "0.9", "--confidence", "0.8"), "--confidence takes one SHARE"),
    ],
)
def test_wrong_usage_is_one_sentence_that_names_the_nearest_word(args, message):
    done = run(*args)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1


def test_options_that_may_be_repeated_and_flags_are_given_as_often_as_one_likes():
    done = run("compare", *READ, "-m", "logreg", "--model", "knn", "--explain", "--explain")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("evaluate", "odd.csv", "--model", "nosuch"), "there are 'truth', 'positive=', 'cluster=False'"),
        (("compare", "--counts", "both=8", "first=6", "second=x", "neither=9"), "second=x: a count is a whole number"),
        (
            ("compare", "named.csv", "--truth", "y", "--positive", "1", "--metric", "auc"),
            "auc needs scores, and positive=1 has labels only: pass --score",
        ),
        (("difference", "20/10", "30/100"), "first=(20, 10) has more successes than rows"),
        (("interval", "3/4", "--side", "left"), "--side 'left' is not known"),
        (
            ("power", "--n", "9", "--test", "paired-t", "--first", "1", "--second", "2", "--sd", "-1"),
            "--sd -1.0 must be",
        ),
    ],
)
def test_sentences_name_flags_and_leave_the_words_of_users_alone(args, message, tmp_path):
    (tmp_path / "odd.csv").write_text("truth,positive=,cluster=False\n0,0,0\n1,1,0\n" * 5, encoding="utf-8")
    (tmp_path / "named.csv").write_text("y,positive=1,b\n0,0,1\n1,1,1\n0,1,0\n1,1,0\n", encoding="utf-8")
    done = run(*args, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("trueerror ev", "evaluate"),
        ("trueerror gate --mar", "--margin"),
        ("trueerror evaluate x --metric balanced", "balanced_accuracy"),
        ("trueerror evaluate x --format mark", "markdown"),
    ],
)
def test_the_shell_can_complete(words, expected):
    asked = {"_TRUEERROR_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1)}
    # Completion goes by the program's own name, so the installed script is asked.
    program = os.path.join(os.path.dirname(sys.executable), "trueerror")
    done = subprocess.run([program], capture_output=True, text=True, check=False, env={**os.environ, **asked})
    assert expected in done.stdout.split()


@pytest.mark.parametrize("form", ["text", "json", "markdown", "md", "latex", "html"])
@pytest.mark.parametrize(
    "args",
    [
        ("interval", "3/4"),
        ("difference", "20/100", "30/100"),
        ("power", "--n", "500", "--first", "0.82", "--second", "0.80", "--disagreement", "0.025"),
        ("sample-size", "--accuracy", "0.9", "--half-width", "0.02"),
        ("evaluate", *READ),
        ("compare", *READ),
        ("check", *READ),
        ("gate", *READ, "--candidate", "logreg", "--baseline", "knn", "--margin", "0.1"),
    ],
    ids=lambda args: args[0],
)
def test_every_format_of_every_command(args, form):
    made = typer.Typer()
    made.callback()(lambda: None)
    made.command(args[0])(command_of(args[0]))
    done = CliRunner().invoke(made, [*args, "--format", form])
    assert (done.exit_code, done.stderr) == (0, "")
    mark = {"json": '"schema"', "md": "| --- |", "markdown": "| --- |", "latex": r"\toprule", "html": "<"}
    assert mark.get(form, "") in done.stdout
    if form == "text":
        assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    "args",
    [
        ("evaluate", *READ),
        ("evaluate", *READ, "--cost-fn", "10"),
        ("compare", *READ),
        ("compare", *READ, "--cost-fn", "10"),
        ("check", *READ),
        ("gate", *READ, "--candidate", "logreg", "--baseline", "knn"),
    ],
)
def test_what_commands_write_validates_against_what_schema_says(args):
    schema = json.loads(run("schema", args[0]).stdout)
    data = json.loads(run(*args, "--format", "json").stdout)
    problem = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(data))
    assert problem is None, f"{problem.json_path}: {problem.message}"


def test_costs_bring_the_cost_optimal_threshold():
    text = run("evaluate", *READ, "--model", "logreg", "--cost-fn", "10").stdout
    assert "Thresholds tuned on these rows" in text
    assert "AUC" in text
    data = json.loads(run("evaluate", *READ, "--model", "logreg", "--cost-fn", "10", "--format", "json").stdout)
    point = data["parts"][0]["cheapest"]
    assert point["untuned"] == pytest.approx(1 / 11)
    assert point["corrected"]["estimate"] > point["cost"]


def test_columns_are_shown_even_where_predictions_are_missing(tmp_path):
    file = tmp_path / "patients.csv"
    file.write_text("patient,truth,old,new\np1,0,0,0\np1,1,,1\np2,1,1,1\np2,0,0,\n", encoding="utf-8")
    for command in ("evaluate", "compare", "check"):
        done = run(command, str(file), "--columns")
        assert (done.returncode, done.stderr) == (0, "")
        assert "patient" in done.stdout
        assert "cluster" in done.stdout
    assert "2 clusters (column 'patient')" in " ".join(run("evaluate", str(file), "--missing", "drop").stdout.split())
    assert "on the 2 rows that both" in " ".join(run("compare", str(file), "--missing", "drop").stdout.split())


OF_PREDICTIONS = ("evaluate", "compare", "report", "gate", "check", "plot", "hull", "repeats")
# A line that works for each other command that reads a table: its rows, and what else it asks for.
OF_TABLES = {
    "rank": ("dataset,p,q\nd1,0.5,0.7\nd2,0.6,0.9\nd3,0.8,0.7\nd4,0.3,0.4\n",),
    "folds": ("p,q\n0.5,0.7\n0.6,0.9\n0.8,0.7\n",),
    "arena": ("model_a,model_b,winner\n" + "x,y,x\ny,x,x\nx,y,y\n" * 5,),
    "agreement": ("ann,bob\n" + "1,1\n0,1\n0,0\n" * 5,),
    "ppi": ("human,judge\n" + "1,1\n0,1\n0,0\n" * 5 + ",1\n,0\n" * 10, "--human", "human", "--judge", "judge"),
    "label-plan": ("score\n" + "0.1\n0.7\n0.5\n" * 10, "--judge", "score", "--budget", "10"),
    "repeats": ("id,correct\n" + "q1,1\nq1,0\nq2,1\nq2,1\nq3,0\nq3,0\n", "--id", "id"),
    "evaluate": ("id,stars\n" + "".join(f"r{i},{i / 20}\n" for i in range(20)), "--grade", "stars"),
    "gate": ("id,stars\n" + "".join(f"r{i},{i / 20}\n" for i in range(20)), "--grade", "stars", "--at-least", "0.1"),
}  # fmt: skip


@pytest.mark.parametrize("ending", ["sqlite", "duckdb"])
@pytest.mark.parametrize("command", OF_TABLES)
def test_every_command_takes_a_table_of_a_data_base(tmp_path, command, ending):
    text, *asked = OF_TABLES[command]
    (tmp_path / "rows.csv").write_text(text)
    head, *lines = text.splitlines()
    names, rows = head.split(","), [[word or None for word in line.split(",")] for line in lines]
    database = (sqlite3 if ending == "sqlite" else duckdb).connect(str(tmp_path / f"rows.{ending}"))
    for table, few in (("old", rows[:2]), ("new", rows)):
        kinds = [f"{name} {'VARCHAR' if rows[0][i][0].isalpha() else 'DOUBLE'}" for i, name in enumerate(names)]
        database.execute(f"CREATE TABLE {table} ({', '.join(kinds)})")
        database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", few)
    database.commit()
    database.close()
    name = f"rows.{ending}"
    lost = run(command, name, *asked, cwd=tmp_path)
    assert (lost.returncode, lost.stdout) == (2, "")
    several = r"holds 2 tables \('(new', 'old|old', 'new)'\): name the one that is meant with --table$"
    assert re.search(several, lost.stderr.strip())
    chosen = run(command, name, *asked, "--table", "new", cwd=tmp_path)
    assert chosen.stderr == ""
    assert chosen.stdout == run(command, "rows.csv", *asked, cwd=tmp_path).stdout
    assert "has no table 'mew'; it has " in run(command, name, *asked, "--table", "mew", cwd=tmp_path).stderr
    refused = run(command, "rows.csv", *asked, "--table", "new", cwd=tmp_path).stderr
    assert "--table 'new' names a table of a SQLite or DuckDB file, or a sheet of a workbook: leave it out" in refused


@pytest.mark.parametrize("command", OF_TABLES)
def test_every_command_says_which_sheet_it_read(tmp_path, monkeypatch, command):
    text, *asked = OF_TABLES[command]
    rows = pandas.read_csv(io.StringIO(text))
    # Where each column of numbers is one of scores or ratings there is room for no other.
    more = {} if command in ("rank", "folds", "agreement") else {"row": range(len(rows))}
    sheets = {"About": pandas.DataFrame({"note": ["read me"]}), "Data": rows.assign(**more), "More": rows}
    monkeypatch.setattr(pandas, "read_excel", lambda file, **options: sheets)
    (tmp_path / "rows.xlsx").write_bytes(b"PK")
    (tmp_path / "rows.csv").write_text(text)
    said = run(command, "rows.xlsx", *asked, cwd=tmp_path)
    assert said.stderr == ""
    assert "Read the sheet 'Data' of 3 in rows.xlsx." in " ".join(said.stdout.split())
    named = run(command, "rows.xlsx", *asked, "--table", "More", cwd=tmp_path)
    assert (named.stdout, named.stderr) == (run(command, "rows.csv", *asked, cwd=tmp_path).stdout, "")


def test_rows_without_names_are_data_sets_in_a_workbook_as_in_a_text(tmp_path, monkeypatch):
    scores = pandas.DataFrame({"p": [0.5, 0.6, 0.8, 0.3], "q": [0.7, 0.9, 0.7, 0.4]})
    monkeypatch.setattr(pandas, "read_excel", lambda file, **options: {"Sheet1": scores})
    (tmp_path / "rows.xlsx").write_bytes(b"PK")
    scores.to_csv(tmp_path / "rows.csv", index=False)
    book, text = (run("rank", name, cwd=tmp_path) for name in ("rows.xlsx", "rows.csv"))
    assert (book.stdout, book.stderr) == (text.stdout, "")
    assert "Read 4 data sets" in book.stdout


@pytest.mark.parametrize("command", [*OF_PREDICTIONS, "rank", "folds", "arena", "agreement", "ppi", "label-plan"])
def test_help_names_the_files_that_are_read(command):
    said = " ".join(run(command, "--help").stdout.split())
    assert not [word for word in (".zst", "SQLite", "DuckDB", "Excel", "--table NAME") if word not in said]


def test_what_is_no_table_is_called_so(tmp_path):
    (tmp_path / "train.py").write_text("import x, y, z\nprint(1)\n")
    assert run("compare", "train.py", cwd=tmp_path).stderr.startswith(
        "Error: train.py is a Python program, not a table"
    )
    (tmp_path / "x.r").write_text("truth,m\n0,0\n1,1\n")
    refused = " ".join(run("evaluate", "x.r", cwd=tmp_path).stderr.split())
    assert "x.r is an R program, not a table, by its ending" in refused
    assert "or rename it to x.csv if it is one" in refused
    (tmp_path / "x.r").rename(tmp_path / "x.csv")
    assert run("evaluate", "x.csv", cwd=tmp_path).returncode == 0
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "may.sqlite").write_bytes(b"SQLite format 3")
    lost = run("evaluate", "runs", cwd=tmp_path).stderr
    assert "holds no CSV, Parquet or JSON file; a database or a workbook is named itself: may.sqlite" in lost
    (folder / "a.csv").write_text("truth,m\n0,0\n1,1\n")
    assert "Not taken for tables: may.sqlite." in " ".join(run("evaluate", "runs", cwd=tmp_path).stdout.split())
    (folder / "b.csv").write_text("truth,k\n0,0\n1,1\n")
    assert "name one of them, or those that are parts of one table" in run("evaluate", "runs", cwd=tmp_path).stderr
