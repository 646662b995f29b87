"""Tables that say who was right: known by their names and words, else named; never guessed from 0 and 1 alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import trueerror as te
from trueerror.inputs._options import ColumnError, FileError, InputError

FIRST, SECOND = [1, 1, 0, 1, 0, 1, 1, 1], [0, 1, 0, 0, 0, 1, 0, 1]
LONG: dict[str, list[Any]] = {"model": ["a"] * 8 + ["b"] * 8, "id": [*range(8)] * 2, "correct": FIRST + SECOND}


def accuracies(p: te.Predictions) -> dict[str, float]:
    return {m: te.evaluate(p.select(m))["accuracy"].estimate for m in p.models}


@pytest.mark.parametrize(
    "words",
    [(1, 0), (1.0, 0.0), (True, False), ("right", "wrong"), ("C", "I"), ("correct", "incorrect"), ("yes", "no"),
     ("PASS", "FAIL"), ("true", "false")],
)  # fmt: skip
def test_long_tables(words: tuple[Any, Any]) -> None:
    p = te.read({**LONG, "correct": [words[0] if v else words[1] for v in LONG["correct"]]})
    assert p.graded
    assert accuracies(p) == {"a": 0.75, "b": 0.375}
    assert te.compare(p)["a", "b"].p_value == te.significance.mcnemar(3, 0).p_value


def test_rows_in_any_order_pair_by_id(tmp_path: Path) -> None:
    lines = [f"{m},{i},{c}" for m, i, c in zip(*LONG.values(), strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["model,id,correct", *sorted(lines, key=hash)]))
    assert te.compare(te.read(tmp_path / "t.csv"))["a", "b"].p_value == te.significance.mcnemar(3, 0).p_value


def test_wide_tables() -> None:
    ids = list(range(8))
    named = te.read({"id": ids, "a_correct": FIRST, "is_correct_b": SECOND})
    told = te.read({"id": ids, "a": FIRST, "b": SECOND}, right=["a", "b"])
    every = te.read({"id": ids, "a": FIRST, "b": SECOND}, right=True)
    in_words = te.read(
        {"id": ids, **{m: ["right" if v else "wrong" for v in c] for m, c in (("a", FIRST), ("b", SECOND))}}
    )
    for p in (named, told, every, in_words):
        assert accuracies(p) == {"a": 0.75, "b": 0.375}
    assert te.read({"id": ids, "gpt-4o": FIRST, "claude": SECOND}, right=["gpt-4o", "claude"]).graded


def test_columns_of_0_and_1_are_not_taken_for_grades_without_a_word() -> None:
    """One of them may be the truth."""
    with pytest.raises(
        ColumnError, match=r"name it with truth=.*Or if 'diagnosis', 'svm' say who was right .*right=True"
    ):
        te.read({"id": [1, 2, 3], "diagnosis": [1, 0, 1], "svm": [1, 1, 0]})


def test_a_grade_beside_a_truth_is_no_model() -> None:
    p = te.read({"y_true": [0, 1, 1], "y_pred": [0, 1, 0], "correct": [1, 1, 0]})
    assert p.models == ("model",)
    assert any("name it with right=" in note for note in p.notes)
    assert te.read({"y_true": [0, 1, 1], "y_pred": [0, 1, 0], "correct": [1, 1, 0]}, right="correct").graded


def test_without_ids_nothing_would_show_that_orders_differ() -> None:
    table = {"model": ["a", "a", "b", "b"], "correct": [1, 0, 1, 1]}
    with pytest.raises(ColumnError, match="name it with id=, or id=False"):
        te.read(table)
    assert te.read(table, id=False).n == 2


def test_several_answers_to_a_question_belong_together() -> None:
    table = {"model": ["a"] * 8 + ["b"] * 8, "question_id": [0, 0, 1, 1, 2, 2, 3, 3] * 2, "epoch": [1, 2] * 8}
    p = te.read({**table, "correct": FIRST + SECOND})
    assert p.repeated
    assert te.evaluate(p.select("a"))["accuracy"].method == "effective-t"


def test_slices_clusters_and_missing_answers() -> None:
    table = {**LONG, "subject": ["x", "y"] * 8, "passage": [0, 0, 1, 1, 2, 2, 3, 3] * 2}
    p = te.read(table, by="subject", cluster="passage")
    assert p.slices() == ("x", "y")
    assert len(p.keys("clusters").names) == 4
    gap = {**LONG, "correct": [None, *LONG["correct"][1:]]}
    with pytest.raises(InputError, match="missing"):
        te.read(gap)
    assert te.evaluate(te.read(gap, missing="wrong").select("a"))["accuracy"].estimate == 5 / 8


def test_scores_need_the_one_from_which_an_answer_is_right() -> None:
    table = {"id": [1, 2, 3], "score": [0.2, 0.5, 1]}
    with pytest.raises(FileError, match=r"row 1 of 'score' in the table is 0\.2"):
        te.read(table, right="score")
    assert te.evaluate(te.read(table, right="score", right_from=0.5))["accuracy"].estimate == pytest.approx(2 / 3)
    with pytest.raises(InputError, match="name the column with right="):
        te.read({"y": [0, 1], "svm": [0, 1]}, right_from=0.5)
    with pytest.raises(InputError, match="there is no truth="):
        te.read({"y": [0, 1], "svm": [0, 1]}, right="svm", truth="y")


def test_truth_values_beside_numbers_and_gaps() -> None:
    table = {"model": ["a"] * 6 + ["b"] * 6, "id": [*range(6)] * 2}
    mixed = {**table, "correct": ["True", "1", "0", "False", "1", "0"] * 2}
    assert te.evaluate(te.read(mixed).select("a"))["accuracy"].estimate == 0.5
    gaps = {**table, "correct": ["1", "None", "0", "NaN", "true", ""] * 2}
    assert te.evaluate(te.read(gaps, missing="drop").select("a"))["accuracy"].estimate == pytest.approx(2 / 3)
    partly = {**table, "correct": ["True", "0.5", "0", "False", "1", "0"] * 2}
    with pytest.raises(InputError, match="grade='correct' takes grades as they are"):
        te.read(partly)
    assert te.evaluate(te.read(partly, grade="correct").select("a"))["mean_score"].estimate == pytest.approx(2.5 / 6)


def test_a_score_without_truth_is_told_how_to_be_a_grade() -> None:
    table = {"model": ["a", "b"] * 3, "id": [1, 1, 2, 2, 3, 3], "score": [1, 5, 3, 2, 4, 4]}
    with pytest.raises(InputError, match=r"grade='score' with scale=, its two ends"):
        te.read(table)
    found = te.compare(te.graded({"a": [0.1, None, 0.5] * 9, "b": [0.2, 0.3, None] * 9}, missing="drop"))
    assert found["b", "a"].estimate == pytest.approx(0.1)


def test_variants_of_a_prompt_are_models() -> None:
    rows = {"question": [f"q{i // 2}" for i in range(40)], "prompt": ["short", "long"] * 20}
    found = te.read({**rows, "passed": [i % 3 > 0 for i in range(40)]})
    assert found.models == ("long", "short")
    graded = te.read({**rows, "score": [i / 40 for i in range(40)]}, grade="score")
    assert set(graded.models) == {"long", "short"}
    # The prompts themselves, another one in every row, are none.
    alone = te.read({"id": [*range(40)], "prompt": [f"Say {i}" for i in range(40)], "passed": [1, 0] * 20})
    assert alone.models == ("model",)
