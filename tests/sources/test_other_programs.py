"""Tables of other programs: files through pandas, SQLite, packed files, and how other tools lay out probabilities."""

from __future__ import annotations

import bz2
import io
import json
import lzma
import sqlite3
import sys
import zipfile
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import trueerror as te
from trueerror.inputs._options import FileError
from trueerror.sources._paths import table_rows
from trueerror.sources.engines._duckdb import FileSource

Y, SAID, CHANCE = [0, 1, 1, 0, 1, 0], [0, 1, 0, 0, 1, 1], [0.9, 0.2, 0.6, 0.7, 0.1, 0.4]
OTHER = [round(1 - c, 3) for c in CHANCE]
WORDS = ["no", "yes"]
TEXT = "y,svm\n" + "".join(f"{a},{b}\n" for a, b in zip(Y, SAID, strict=True))


@pytest.mark.parametrize("ending", ["dta", "feather", "orc", "sav", "zsav", "xlsx"])
def test_files_through_pandas(tmp_path: Path, ending: str) -> None:
    import pyreadstat

    frame, file = pd.DataFrame({"y": Y, "svm": SAID}), tmp_path / f"t.{ending}"
    written = {
        "dta": lambda: frame.to_stata(file, write_index=False),
        "feather": lambda: frame.to_feather(file),
        "orc": lambda: frame.to_orc(file),
        "xlsx": lambda: frame.to_excel(file, index=False),
    }
    written.get(ending, lambda: pyreadstat.write_sav(frame, file, compress=ending == "zsav"))()
    assert te.evaluate(te.read(file))["accuracy"].estimate == pytest.approx(4 / 6)


def test_what_cannot_be_opened_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "t.pkl").write_bytes(b"cos\nsystem\n")
    with pytest.raises(FileError, match="is a pickle"):
        te.read(tmp_path / "t.pkl")
    (tmp_path / "t.sas7bdat").write_bytes(b"no table")
    with pytest.raises(FileError, match="a SAS file"):
        te.read(tmp_path / "t.sas7bdat")
    (tmp_path / "t.db").write_bytes(b"no database at all, but long enough to be looked at")
    with pytest.raises(FileError, match="cannot be read as SQLite"):
        te.read(tmp_path / "t.db")


@pytest.mark.parametrize(
    ("ending", "needs"), [("xlsx", "openpyxl"), ("ods", "odfpy"), ("sav", "pyreadstat"), ("xpt", "pyreadstat")]
)
def test_a_package_that_is_missing_is_named(
    ending: str, needs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name without a module in sys.modules cannot be imported, be it installed or not."""
    for module in ("openpyxl", "odf", "pyreadstat"):
        monkeypatch.setitem(sys.modules, module, None)
    (tmp_path / f"t.{ending}").write_bytes(b"PK\x03\x04" if ending in ("xlsx", "ods") else b"$FL2")
    with pytest.raises(FileError, match=f"pip install pandas {needs}, or save it as CSV|cannot be read as"):
        te.read(tmp_path / f"t.{ending}")


def test_the_sheet_with_the_table_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sheets = {"About": pd.DataFrame({"note": ["read me"]}), "Data": pd.DataFrame({"y": Y, "svm": SAID})}
    monkeypatch.setattr(pd, "read_excel", lambda file, **options: sheets)
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    p = te.read(tmp_path / "t.xlsx")
    assert (p.n, p.models) == (6, ("svm",))
    assert "Read the sheet 'Data' of 2 in t.xlsx." in p.notes


def test_sqlite(tmp_path: Path) -> None:
    file = tmp_path / "t.sqlite"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE answers (y INTEGER, svm INTEGER)")
        database.executemany("INSERT INTO answers VALUES (?, ?)", zip(Y, SAID, strict=True))
    assert te.evaluate(te.read(file))["accuracy"].estimate == pytest.approx(4 / 6)
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE more (x INTEGER)")
    with pytest.raises(
        FileError, match=r"holds 2 tables \('answers', 'more'\): name the one that is meant with table=,"
    ):
        te.read(file)
    assert te.evaluate(file, table="answers")["accuracy"].estimate == pytest.approx(4 / 6)
    with pytest.raises(FileError, match=r"t\.sqlite has no table 'answer'; it has 'answers', 'more'"):
        te.read(file, table="answer")
    assert te.read([file], table="answers").models == te.read(file, table="answers").models
    with pytest.raises(te.InputError, match=r"table='answers' names a table of a SQLite .*: name one such file alone"):
        te.read([file, file], table="answers")


def test_a_sheet_by_its_name(tmp_path: Path) -> None:
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        pd.DataFrame({"y": Y, "svm": SAID}).to_excel(book, sheet_name="May", index=False)
        pd.DataFrame({"y": Y, "tree": Y}).to_excel(book, sheet_name="June", index=False)
    assert te.read(tmp_path / "t.xlsx", table="June").models == ("tree",)
    with pytest.raises(FileError, match=r"t\.xlsx has no table 'July'; it has 'May', 'June'"):
        te.read(tmp_path / "t.xlsx", table="July")


@pytest.mark.parametrize("given", [{"y": [0, 1], "m": [0, 1]}, "rows.csv", ["rows.csv"]])
def test_what_holds_one_table_takes_no_name(given: Any) -> None:
    with pytest.raises(te.InputError, match="table='m' names a table of a SQLite or DuckDB file"):
        te.read(given, table="m")


BATTLES = [("x", "y", "x"), ("y", "x", "x"), ("x", "y", "y")] * 5


@pytest.mark.parametrize(
    ("verb", "columns", "arrays"),
    [
        (te.rank, {"dataset": [*"abcd"], "p": [0.5, 0.6, 0.8, 0.3], "q": [0.7, 0.9, 0.7, 0.4]}, [[0.5, 0.7]]),
        (te.arena, {"model_a": [*"xyx"] * 5, "model_b": [*"yxy"] * 5, "winner": [*"xxy"] * 5}, BATTLES),
        (te.agreement, {"ann": Y, "bob": SAID}, [[0, 1], [1, 1]]),
        (te.graded, {"model": ["a"] * 6, "id": [*range(6)], "grade": [0.1, 0.4, 0.2, 0.9, 0.5, 0.3]}, [0.1, 0.4]),
        (te.repeats, {"id": [1, 1, 2, 2, 3, 3], "correct": Y}, [[0, 1], [1, 1]]),
    ],
)  # fmt: skip
def test_verbs_that_open_a_file_take_a_table_of_it(tmp_path: Path, verb: Any, columns: Any, arrays: Any) -> None:
    file = tmp_path / "t.sqlite"
    with sqlite3.connect(file) as database:
        database.execute(f"CREATE TABLE new ({', '.join(columns)})")
        marks = ", ".join("?" * len(columns))
        database.executemany(f"INSERT INTO new VALUES ({marks})", zip(*columns.values(), strict=True))
        database.execute("CREATE TABLE old (x INTEGER)")
    assert str(verb(file, table="new")) == str(verb(pandas_frame(columns)))
    with pytest.raises(FileError, match=r"holds 2 tables .*: name the one that is meant with table=,"):
        verb(file)
    for one in (arrays, pandas_frame(columns)):
        with pytest.raises(te.InputError, match=r"table='new' names a table of a SQLite or DuckDB file, .* out here"):
            verb(one, table="new")


def pandas_frame(columns: Any) -> Any:
    return pd.DataFrame(columns)


def test_grades_of_a_table_by_its_name(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "t.sqlite") as database:
        for name, shift in (("may", 0.0), ("june", 0.25)):
            database.execute(f"CREATE TABLE {name} (id INTEGER, stars REAL)")
            database.executemany(f"INSERT INTO {name} VALUES (?, ?)", [(i, i / 10 + shift) for i in range(6)])
    means = [
        te.evaluate(te.read(tmp_path / "t.sqlite", grade="stars", table=name))["mean_score"].estimate
        for name in ("may", "june")
    ]
    assert means == pytest.approx([0.25, 0.5])


def test_files_of_tables_are_opened_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    (tmp_path / "a.csv").write_text("truth,m\n0,0\n1,1\n")
    with sqlite3.connect(tmp_path / "b.sqlite") as database:
        database.execute("CREATE TABLE t (truth INTEGER, m INTEGER)")
    with duckdb.connect(tmp_path / "b.duckdb") as database:
        database.execute("CREATE TABLE t (truth INTEGER, m INTEGER)")
    with zipfile.ZipFile(tmp_path / "b.xlsx", "w") as book:
        book.writestr("[Content_Types].xml", "<Types/>")
    for name, program in (("b.sqlite", "SQLite"), ("b.duckdb", "DuckDB"), ("b.xlsx", "Excel")):
        with pytest.raises(FileError, match=f"^{name} is a file of {program}, .* with the ending .{name[2:]}$"):
            te.read([tmp_path / "a.csv", tmp_path / name])
        with (tmp_path / name).open("rb") as stream:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
            with pytest.raises(FileError, match=f"^standard input is a file of {program}"):
                te.read("-")


@pytest.mark.parametrize(("ending", "pack"), [("bz2", bz2.compress), ("xz", lzma.compress)])
def test_packed_files(tmp_path: Path, ending: str, pack: Any) -> None:
    file = tmp_path / f"t.csv.{ending}"
    file.write_bytes(pack(TEXT.encode()))
    assert te.read(file).n == 6
    file.write_bytes(pack(TEXT.encode())[:-12])
    with pytest.raises(FileError, match=f"is not a complete {ending} file"):
        te.read(file)


TRUTH = [WORDS[v] for v in Y]
CALLED = [WORDS[v] for v in SAID]
LAYOUTS: dict[str, tuple[dict[str, list[Any]], dict[str, Any]]] = {
    "H2O with numbers": ({"predict": SAID, "p0": CHANCE, "p1": OTHER, "actual": Y}, {}),
    "H2O with words": ({"predict": CALLED, "no": CHANCE, "yes": OTHER, "actual": TRUTH}, {"positive": "yes"}),
    "Azure": ({"income": Y, "Scored Labels": SAID, "Scored Probabilities": OTHER}, {"truth": "income"}),
    "SageMaker": (
        {"target": TRUTH, "predicted_label": CALLED, "probability": CHANCE, "labels": ["['no', 'yes']"] * 6,
         "probabilities": [f"[{a}, {b}]" for a, b in zip(CHANCE, OTHER, strict=True)]},
        {"positive": "yes"},
    ),
    "BigQuery ML": (
        {"survived": Y, "predicted_survived": SAID, "predicted_survived_probs": [
            [{"label": 1, "prob": b}, {"label": 0, "prob": a}] for a, b in zip(CHANCE, OTHER, strict=True)
        ]},
        {},
    ),
    "SAS, another procedure": ({"BAD": Y, "_FROM_": Y, "_INTO_": SAID, "IP_0": CHANCE, "IP_1": OTHER}, {}),
    "DataRobot with the truth": (
        {"left (actual)": TRUTH, "left_yes_PREDICTION": OTHER, "left_no_PREDICTION": CHANCE, "left_PREDICTION": CALLED},
        {"positive": "yes"},
    ),
    "Orange": (
        {"churn": TRUTH, "age": [30, 40, 50, 60, 70, 80], "Tree": CALLED, "Tree (no)": CHANCE, "Tree (yes)": OTHER,
         "Fold": [1, 2] * 3},
        {"positive": "yes", "fold": False},
    ),
    "Argilla": (
        {"text": ["…"] * 6, "annotation": TRUTH, "pred": CALLED, "probabilities": [
            [["no", a], ["yes", b]] for a, b in zip(CHANCE, OTHER, strict=True)
        ]},
        {"positive": "yes"},
    ),
    "by hand": ({"age": [30, 40, 50, 60, 70, 80], "churn": Y, "churn_pred": SAID, "churn_prob": OTHER}, {}),
    "by hand, otherwise": ({"actual_churn": Y, "pred": SAID, "score": OTHER}, {}),
    "Spark ML": (
        {"label": [float(v) for v in Y], "prediction": [float(v) for v in SAID], "probability": [
            {"type": 1, "values": [a, b]} for a, b in zip(CHANCE, OTHER, strict=True)
        ]},
        {},
    ),
    "KNIME": (
        {"row ID": [f"Row{i}" for i in range(6)], "Class": TRUTH, "P (Class=no)": CHANCE, "P (Class=yes)": OTHER,
         "Prediction (Class)": CALLED},
        {"positive": "yes"},
    ),
    "RapidMiner": (
        {"id": [*range(6)], "buys": TRUTH, "prediction(buys)": CALLED, "confidence(no)": CHANCE,
         "confidence(yes)": OTHER},
        {"positive": "yes"},
    ),
    "SAS": ({"F_BAD": Y, "I_BAD": SAID, "P_BAD0": CHANCE, "P_BAD1": OTHER}, {}),
    "SPSS": ({"default": Y, "age": [30, 40, 50, 60, 70, 80], "PRE_1": OTHER, "PGR_1": SAID}, {}),
    "SPSS Modeler": (
        {"churn": TRUTH, "$R-churn": CALLED, "$RC-churn": CHANCE, "$RRP-churn": OTHER}, {"positive": "yes"}
    ),
    "DataRobot": (
        {"left": TRUTH, "left_yes_PREDICTION": OTHER, "left_no_PREDICTION": CHANCE, "left_PREDICTION": CALLED,
         "THRESHOLD": [0.5] * 6},
        {"positive": "yes"},
    ),
    "mlr3": (
        {"row_ids": [*range(1, 7)], "truth": TRUTH, "response": CALLED, "prob.no": CHANCE, "prob.yes": OTHER},
        {"positive": "yes"},
    ),
    "caret": (
        {"pred": CALLED, "obs": TRUTH, "no": CHANCE, "yes": OTHER, "rowIndex": [*range(1, 7)], "mtry": [2] * 6,
         "Resample": ["Fold1", "Fold2"] * 3},
        {"positive": "yes", "fold": False},
    ),
    "tidymodels": (
        {".pred_class": CALLED, ".pred_no": CHANCE, ".pred_yes": OTHER, "id": ["Fold1", "Fold2"] * 3,
         ".row": [*range(1, 7)], "bought": TRUTH, ".config": ["Model1"] * 6},
        {"positive": "yes", "fold": False},
    ),
    "CatBoost": ({"SampleId": [*range(6)], "Probability": OTHER, "Class": SAID, "Label": Y}, {}),
    "Stata": ({"foreign": Y, "phat": OTHER, "yhat": SAID}, {"truth": "foreign"}),
    "Hugging Face": (
        {"text": ["…"] * 6, "label": TRUTH, "pred": CALLED, "probabilities": [
            [{"label": "no", "score": a}, {"label": "yes", "score": b}] for a, b in zip(CHANCE, OTHER, strict=True)
        ]},
        {"positive": "yes"},
    ),
    "Vertex AI": (
        {"instance": [{"x": 1, "label": v} for v in TRUTH], "pred": CALLED, "probability": [
            {"classes": ["no", "yes"], "scores": [a, b]} for a, b in zip(CHANCE, OTHER, strict=True)
        ]},
        {"positive": "yes"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("tool", LAYOUTS)
def test_probabilities_of_one_model_are_no_rivals(tool: str, tmp_path: Path) -> None:
    columns, options = LAYOUTS[tool]
    file = tmp_path / "t.jsonl"
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    p = te.read(file, **options)
    assert len(p.models) == 1
    found = te.evaluate(p, metrics=["accuracy", "auc"])
    assert found["accuracy"].estimate == pytest.approx(4 / 6)
    assert found["auc"].estimate == te.evaluate(Y, scores=OTHER, metrics=["auc"])["auc"].estimate


def test_two_models_called_p1_and_p2_stay_two() -> None:
    assert te.read({"y": Y, "p1": OTHER, "p2": CHANCE}).models == ("p1", "p2")


def test_the_roles_of_rows_and_folds_are_known_too() -> None:
    columns, _ = LAYOUTS["tidymodels"]
    assert {c: r for c, r in te.read(columns).roles.items() if c in ("id", ".row")} == {"id": "fold", ".row": "id"}
    two = {"Class": TRUTH, "Prediction (Class)": CALLED, "Prediction (Class) (forest)": TRUTH}
    assert te.read(two).models == ("model", "forest")
    # A truth's own name goes before the words that anybody may use.
    assert te.read({"y": Y, "svm": OTHER, "svm_pred": SAID}).roles["y"] == "truth"
    # Words that anybody may use, without a program's scores, are read as ever.
    assert te.read({"truth": TRUTH, "response": CALLED, "svm": CALLED}).models == ("response", "svm")
    assert te.read({"obs": TRUTH, "pred": CALLED}).models == ("model",)


def test_repeats_of_folds_in_one_column_or_two() -> None:
    caret: dict[str, list[Any]] = {
        "pred": CALLED * 2,
        "obs": TRUTH * 2,
        "no": CHANCE * 2,
        "yes": OTHER * 2,
        "rowIndex": [*range(6)] * 2,
    }
    caret |= {"Resample": [f"Fold{i % 2 + 1}.Rep{r}" for r in (1, 2) for i in range(6)]}
    tidy: dict[str, list[Any]] = {
        "id": [f"Repeat{r}" for r in (1, 2) for _ in range(6)],
        "id2": ["Fold1", "Fold2"] * 6,
        "bought": TRUTH * 2,
    }
    tidy |= {".pred_class": CALLED * 2, ".pred_no": CHANCE * 2, ".pred_yes": OTHER * 2, ".row": [*range(6)] * 2}
    for columns in (caret, tidy):
        p = te.read(columns, positive="yes")
        assert (p.folded, p.repeated) == (True, True)
        assert "2 repeats" in str(p)


def test_rows_of_several_models_below_each_other() -> None:
    common: dict[str, list[Any]] = {
        "response": CALLED + TRUTH,
        "prob.no": CHANCE * 2,
        "prob.yes": OTHER * 2,
        "row_ids": [*range(6)] * 2,
    }
    mlr3: dict[str, list[Any]] = {
        "learner_id": ["tree"] * 6 + ["forest"] * 6,
        "iteration": [1, 2] * 6,
        "truth": TRUTH * 2,
        **common,
    }
    tidy: dict[str, list[Any]] = {
        "wflow_id": ["tree"] * 6 + ["forest"] * 6,
        "id": ["Fold1", "Fold2"] * 6,
        "bought": TRUTH * 2,
    }
    tidy |= {".pred_class": CALLED + TRUTH, ".pred_no": CHANCE * 2, ".pred_yes": OTHER * 2, ".row": [*range(6)] * 2}
    for columns in (mlr3, tidy):
        found = te.evaluate(te.read(columns, positive="yes", fold=False))
        assert [found.model(m)["accuracy"].estimate for m in ("tree", "forest")] == [pytest.approx(4 / 6), 1.0]


def test_answers_in_words_are_no_classes() -> None:
    ragas: dict[str, list[Any]] = {
        "user_input": [f"q{i}" for i in range(12)],
        "reference": [f"It is {i}." for i in range(12)],
    }
    ragas |= {"faithfulness": [i / 11 for i in range(12)], "context_recall": [0.5 + i / 30 for i in range(12)]}
    with pytest.raises(te.InputError, match="choose one: grade='faithfulness'"):
        te.read(ragas)
    with pytest.raises(te.InputError, match=r"battles of two models: te\.arena"):
        te.read({"model_a": ["x"] * 3, "model_b": ["y"] * 3, "winner": ["model_a", "tie", "model_b"]})
    opencompass = {"accuracy": 50.0, "details": {str(i): {"prompt": "p", "correct": i < 3} for i in range(6)}}
    assert te.evaluate(te.read(table_rows(opencompass)))["accuracy"].estimate == 0.5


def test_rows_as_lists_and_dictionaries() -> None:
    rows = [{"truth": t, "svm": s} for t, s in zip(Y, SAID, strict=True)]
    plain = te.evaluate(Y, SAID)["accuracy"]
    assert te.evaluate(rows)["accuracy"] == plain
    assert te.evaluate({f"q{i}": row for i, row in enumerate(rows)})["accuracy"] == plain
    assert te.evaluate({"truth": dict(enumerate(Y)), "svm": dict(enumerate(SAID))})["accuracy"] == plain
    assert (
        te.evaluate(np.array([*zip(Y, SAID, strict=True)], dtype=[("truth", int), ("svm", int)]))["accuracy"] == plain
    )


def test_three_lines_of_header_of_orange(tmp_path: Path) -> None:
    (tmp_path / "x.tab").write_text(
        "y\tTree\tTree (no)\tTree (yes)\nd\td\tc\tc\nclass\tmeta\tmeta\tmeta\n"
        + "".join(f"{t}\t{c}\t{a}\t{b}\n" for t, c, a, b in zip(TRUTH, CALLED, CHANCE, OTHER, strict=True))
    )
    p = te.read(tmp_path / "x.tab", positive="yes")
    assert (p.models, p.n, p.has_scores("Tree")) == (("Tree",), 6, True)


def test_a_name_of_a_table_goes_with_the_one_of_two_files_that_holds_tables(tmp_path: Path) -> None:
    database, text = tmp_path / "runs.sqlite", tmp_path / "old.csv"
    with closing(sqlite3.connect(database)) as made:
        for table in ("may", "june"):
            made.execute(f"CREATE TABLE {table} (id INT, truth INT, svm INT)")
            made.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", [(i, Y[i], SAID[i]) for i in range(len(Y))])
        made.commit()
    text.write_text("id,truth,svm\n" + "".join(f"{i},{t},{t}\n" for i, t in enumerate(Y)))
    new, old = te.read(database, table="may"), te.read(text)
    assert te.compare(database, text, table="may").records() == te.compare(new, old).records()
    assert te.compare(text, database, table="may").records() == te.compare(old, new).records()
    assert te.compare(old, database, table="may").records() == te.compare(old, new).records()
    for candidate, baseline, read in ((database, text, (new, old)), (text, database, (old, new))):
        gated = te.gate(candidate, baseline, margin=0.2, table="may")
        assert gated.records() == te.gate(*read, margin=0.2).records()
        assert te.check(candidate, training=baseline, table="may").records() == (
            te.check(read[0], training=read[1]).records()
        )
        assert te.training_gap(candidate, baseline, table="may").records() == te.training_gap(*read).records()
    assert te.read([database], table="june").n == te.read([database], table="june", grade="svm").n == len(Y)
    with pytest.raises(te.InputError, match="leave it out here"):
        te.compare(text, text, table="may")
    with pytest.raises(te.InputError, match="tables of a database or a workbook have names"):
        te.read(database, table="may", names=["id", "truth", "svm"])


def test_a_text_with_the_mark_of_duckdb_in_its_header_is_a_text(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("y,model,DUCKNET\n1,1,0\n0,0,1\n1,0,1\n")
    assert te.read(tmp_path / "x.csv", truth="y").models == ("model", "DUCKNET")


@pytest.mark.parametrize("name", ["rows.duckdb", "rows.db"])
def test_a_file_of_duckdb_is_counted_there(tmp_path: Path, name: str) -> None:
    import duckdb

    columns = {"truth": [0, 1] * 20, "m": [0, 1, 1, 0] * 10}
    with duckdb.connect(tmp_path / name) as made:
        made.execute('CREATE TABLE "my rows" AS SELECT i % 2 AS truth, (i + 1) // 2 % 2 AS m FROM range(40) r(i)')
    ours, arrays = te.read(tmp_path / name), te.read(columns)
    assert isinstance(ours.source, FileSource)
    assert te.evaluate(ours).records() == te.evaluate(arrays).records()
    assert ours.confusion("m").sources == (name,)
    with duckdb.connect(tmp_path / "two.duckdb") as made:
        made.execute("CREATE TABLE a (x INT); CREATE SCHEMA s")
        made.execute('CREATE TABLE s."b c" AS SELECT i % 2 AS truth, (i + 1) // 2 % 2 AS m FROM range(40) r(i)')
    with pytest.raises(
        te.InputError, match=r"two\.duckdb holds 2 tables \('a', 's\.b c'\): name the one that is meant"
    ):
        te.evaluate(tmp_path / "two.duckdb")
    named = te.read(tmp_path / "two.duckdb", table="s.b c")
    assert te.evaluate(named).records() == te.evaluate(arrays).records()
    assert te.roc_hull(tmp_path / "two.duckdb", table="s.b c").curves.keys() == {"m"}
    (tmp_path / "no.duckdb").write_text("truth,m\n")
    with pytest.raises(te.InputError, match=r"no\.duckdb cannot be read as DuckDB: "):
        te.evaluate(tmp_path / "no.duckdb")
