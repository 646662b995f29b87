"""te.graded: grades from arrays, mappings and tables, on any scale."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError

LONG = {
    "model": ["a", "a", "a", "b", "b", "b"],
    "id": ["x", "y", "z", "z", "x", "y"],
    "grade": [0.5, 0.25, 1.0, 0.75, 0.0, 0.5],
}
WIDE = {"id": ["x", "y", "z"], "a": [0.5, 0.25, 1.0], "b": [0.0, 0.5, 0.75]}


def grades(p: te.Predictions) -> dict[str, list[float]]:
    return {m: p.class_scores(m)[1][:, 0].tolist() for m in p.models}


def test_arrays_mappings_long_and_wide_tables_say_the_same() -> None:
    wanted = {"a": [0.5, 0.25, 1.0], "b": [0.0, 0.5, 0.75]}
    given = te.graded({"a": WIDE["a"], "b": WIDE["b"]}, ids=WIDE["id"])
    for made in (given, te.graded(LONG), te.graded(WIDE, ids="id"), te.read(LONG, grade="grade")):
        assert grades(made) == wanted
        assert made.scale == (0.0, 1.0)
        assert made.has_ids
    assert grades(te.graded(WIDE["a"])) == {"model": wanted["a"]}


def test_frames_and_files(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    path = tmp_path / "grades.csv"
    pd.DataFrame(LONG).to_csv(path, index=False)
    for table in (pd.DataFrame(LONG), pl.DataFrame(LONG), path, str(path)):
        assert grades(te.graded(table)) == grades(te.graded(LONG))
    assert te.graded(pd.DataFrame(LONG)).backend == "pandas"


def test_other_columns_of_a_table_keep_their_roles() -> None:
    table = {**LONG, "topic": ["m", "m", "n", "n", "m", "m"], "w": [1, 2, 3, 3, 1, 2]}
    p = te.graded(table, by="topic", weights="w", weights_kind="frequency")
    assert p.slices() == ("m", "n")
    assert p.weights_kind == "frequency"
    both = te.graded({**WIDE, "t": ["m", "m", "n"], "u": ["p", "q", "q"]}, grade=["a", "b"], by=["t", "u"])
    assert len(both.slices()) == 3


def test_named_columns_and_models() -> None:
    table = {"who": LONG["model"], "q": LONG["id"], "points": LONG["grade"], "other": [1, 2, 3, 4, 5, 6]}
    assert grades(te.graded(table, models="who", ids="q", grade="points")) == grades(te.graded(LONG))
    assert te.graded(LONG, models=["b"]).models == ("b",)
    assert te.graded(WIDE, grade=["a"], models=["mine"]).models == ("mine",)


def test_the_scale_is_given_and_never_guessed() -> None:
    with pytest.raises(InputError, match=r"run from 1 to 5, beyond 0 to 1.*scale=\(1, 5\)"):
        te.graded([1, 3, 5])
    p = te.graded([1, 3, 5], scale=(1, 5))
    assert p.scale == (1.0, 5.0)
    assert "graded from 1 to 5" in str(p)
    with pytest.raises(InputError, match="row 3 is 5, beyond the scale 1 to 4"):
        te.graded([1, 3, 5], scale=(1, 4))
    for wrong in ((5, 1), (1,), "ab", (0, np.inf), 3):
        with pytest.raises(InputError, match="lowest and the highest grade"):
            te.graded([0.5], scale=wrong)


def test_grades_of_0_and_1_are_right_or_wrong() -> None:
    p = te.graded({"a": [True, False, True], "b": [1, 1, 0]})
    assert p.graded
    assert p.scale is None
    assert te.evaluate(p).model("a")["accuracy"].method == "wilson"
    assert te.evaluate(p, metrics="mean_score").model("a")["accuracy"].estimate == pytest.approx(2 / 3)
    assert not te.graded([0, 1, 1], scale=(0, 2)).graded
    assert not te.graded([0, 1, 0.5]).graded


def test_rows_without_a_grade() -> None:
    gappy = {"a": [0.5, None, 1.0, 0.2], "b": [0.5, 0.5, np.nan, 0.1]}
    with pytest.raises(InputError, match="1 of 4 rows have no grade of 'a'"):
        te.graded(gappy)
    dropped, filled = te.graded(gappy, missing="drop"), te.graded(gappy, missing="wrong")
    assert te.evaluate(dropped).model("a")["mean_score"].n == 3
    assert te.compare(dropped).pairs[0].n == 2
    assert grades(filled)["a"][1] == 0.0
    assert "graded 0" in filled.notes[0]
    assert grades(te.graded([1, np.nan, 4], scale=(1, 5), missing="wrong"))["model"] == [1.0, 1.0, 4.0]


def test_what_cannot_be_read_is_said() -> None:
    with pytest.raises(InputError, match="must be numbers, but one is 'good'"):
        te.graded(["good", "0.5"])
    with pytest.raises(InputError, match="no such column; did you mean 'grade'"):
        te.graded(LONG, grade="grad")
    with pytest.raises(InputError, match="which column of the table holds the grades"):
        te.graded({"model": ["a", "b"], "id": [1, 1], "p": [0.1, 0.2], "q": [0.3, 0.1]}, models="model")
    with pytest.raises(InputError, match="has 2 columns"):
        te.graded([[0.1, 0.2], [0.3, 0.4]])
    with pytest.raises(InputError, match="no rows"):
        te.graded([])
    with pytest.raises(InputError, match="infinite at row 2"):
        te.graded([0.1, np.inf])
    with pytest.raises(InputError, match="leave one out"):
        te.read(LONG, grade="grade", truth="id")
    with pytest.raises(InputError, match="name their column with grade="):
        te.read(LONG, scale=(0, 1))


def test_two_tables_are_joined_on_ids_and_their_scales_must_agree() -> None:
    a, b = te.graded({"a": [0.5, 1.0, 0.2]}, ids=[1, 2, 3]), te.graded({"b": [0.1, 0.4, 0.9]}, ids=[3, 1, 2])
    assert te.compare(a, b)["a", "b"].estimate == pytest.approx((0.1 + 0.1 + 0.1) / 3)
    with pytest.raises(InputError, match="give both the same scale="):
        te.compare(a, te.graded({"b": [1, 4, 9]}, ids=[1, 2, 3], scale=(0, 10)))
    right = te.graded({"b": [1, 0, 1]}, ids=[1, 2, 3])
    assert te.compare(a, right)["a", "b"].estimate == pytest.approx((1.7 - 2) / 3)
