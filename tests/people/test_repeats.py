"""te.repeats and te.pass_at_k: several answers to the same questions."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.people._answers import AnswerGrades, Components

RNG = np.random.default_rng(2)
HARD = RNG.beta(0.6, 0.6, 40)
A = (RNG.random((40, 5)) < HARD[:, None]).astype(int)
B = (RNG.random((40, 5)) < np.clip(HARD[:, None] - 0.2, 0, 1)).astype(int)
LINES = st.lists(st.lists(st.sampled_from([0, 1]), min_size=3, max_size=7), min_size=2, max_size=12)
UNIT = (0.0, 1.0)


def padded(lines: list[list[float]]) -> np.ndarray:
    table = np.full((len(lines), max(map(len, lines))), np.nan)
    for row, line in zip(table, lines, strict=True):
        row[: len(line)] = line
    return table


def test_the_published_estimator() -> None:
    # Chen and others 2021: 1 − Π_{i = n − c + 1}^{n} (1 − k/i), the numerically stable form of 1 − C(n − c, k)/C(n, k)
    for n, c, k in ((200, 3, 10), (10, 0, 5), (10, 7, 5), (20, 20, 20), (100, 1, 100), (1000, 5, 500)):
        stable = 1.0 if n - c < k else 1 - np.prod(1 - k / np.arange(n - c + 1, n + 1))
        found = AnswerGrades(np.r_[np.ones(c), np.zeros(n - c)][None], UNIT).best_of(k)[0]
        assert found == pytest.approx(stable, abs=1e-9)
        every = AnswerGrades(np.r_[np.ones(c), np.zeros(n - c)][None], UNIT).worst_of(k)[0]
        assert every == pytest.approx(math.comb(c, k) / math.comb(n, k), abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=6), st.integers(1, 6))
def test_best_and_worst_of_k_are_means_over_all_choices(grades: list[float], k: int) -> None:
    table = AnswerGrades(np.array([grades]), UNIT)
    if k > len(grades):
        assert math.isnan(table.best_of(k)[0])
        return
    chosen = list(combinations(grades, k))
    assert table.best_of(k)[0] == pytest.approx(np.mean([max(c) for c in chosen]), abs=1e-9)
    assert table.worst_of(k)[0] == pytest.approx(np.mean([min(c) for c in chosen]), abs=1e-9)
    if len(grades) > 1:
        apart = np.mean([abs(a - b) for a, b in combinations(grades, 2)])
        assert table.alike()[0] == pytest.approx(1 - apart, abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(LINES, st.integers(1, 3))
def test_majority_is_a_mean_over_all_choices(lines: list[list[int]], k: int) -> None:
    found = AnswerGrades(padded(lines), UNIT).majority_of(k)
    for value, line in zip(found, lines, strict=True):
        votes = [np.sign(2 * sum(c) - k) / 2 + 0.5 for c in combinations(line, k)]
        assert value == pytest.approx(np.mean(votes), abs=1e-9)


def test_components_are_those_of_an_analysis_of_variance() -> None:
    # R: x <- c(1,1,0,1, 0,0,1,0, 1,1,1,1, 0,0,0,0, 1,0,1,1); g <- gl(5, 4); anova(lm(x ~ g)): MSB .675, MSW .15
    lines = [[1, 1, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 1, 1]]
    parts = AnswerGrades(padded(lines), UNIT).components()
    assert parts.within == pytest.approx(0.15)
    assert parts.between == pytest.approx((0.675 - 0.15) / 4)
    uneven = AnswerGrades(padded([[1, 1], [0, 1, 0], [0, 0, 0, 1]]), UNIT).components()
    x, n = [np.array(v, dtype=float) for v in ([1, 1], [0, 1, 0], [0, 0, 0, 1])], np.array([2.0, 3, 4])
    msw = sum(((v - v.mean()) ** 2).sum() for v in x) / (9 - 3)
    msb = sum(k * (v.mean() - 4 / 9) ** 2 for k, v in zip(n, x, strict=True)) / 2
    assert uneven.within == pytest.approx(msw)
    assert uneven.between == pytest.approx(max((msb - msw) / ((9 - (n @ n) / 9) / 2), 0))


def test_the_best_number_of_repeats_has_the_least_error_for_the_outlay() -> None:
    for between, within, ratio in ((0.1, 0.1, 10.0), (0.02, 0.2, 3.0), (0.2, 0.01, 50.0), (0.1, 0.1, 0.0)):
        parts = Components(between, within)
        outlay = [parts.error(1000 / (ratio + r), r) for r in range(1, 60)]
        assert parts.best_repeats(ratio) == 1 + int(np.argmin(np.round(outlay, 12)))
    even = Components(0.1, 0.05)
    assert even.best_repeats(even.break_even - 0.01) == 1
    assert even.best_repeats(even.break_even + 0.01) == 2
    assert Components(0.0, 0.1).best_repeats(1.0) == math.inf


def test_one_model_and_several() -> None:
    r = te.repeats({"a": A, "b": B})
    assert r["pass@1", "a"].estimate == pytest.approx(A.mean())
    assert r["pass@5", "a"].estimate == pytest.approx((A.sum(axis=1) > 0).mean())
    assert r["pass^5", "a"].estimate == pytest.approx((A.sum(axis=1) == 5).mean())
    assert r["majority of 5", "b"].estimate == pytest.approx((B.sum(axis=1) >= 3).mean())
    assert r.contrast("a", "b").estimate == pytest.approx(A.mean() - B.mean())
    turned = r.contrast("b", "a", "pass@5")
    assert turned.low == pytest.approx(-r.contrast("a", "b", "pass@5").high)
    assert r.model("a").always == int((A.sum(axis=1) == 5).sum())
    assert te.load(r.to_json()) == r
    assert {record["model"] for record in r.records()} == {"a", "b"}
    assert "pass@5" in str(r)
    assert "Chen" in te.repeats.__doc__
    assert "Satterthwaite" in str(r.explain())
    with pytest.raises(InputError, match="2 models"):
        r["pass@1"]
    with pytest.raises(InputError, match="k= asks for more"):
        r["pass@3", "a"]
    assert te.repeats(A, k=3)["pass@3"].estimate == pytest.approx(te.pass_at_k(A, 3).estimate)


def test_answers_to_one_question_are_never_independent_rows() -> None:
    same = np.repeat(A[:, :1], 6, axis=1)
    assert te.repeats(same)["pass@1"].width == pytest.approx(te.repeats(A[:, :1])["pass@1"].width, abs=1e-9)
    assert te.repeats(same).parts[0].within == 0
    assert "repeats add nothing" in str(te.repeats(same))


def test_long_tables_matrices_and_rows_that_were_read_agree(tmp_path: Path) -> None:
    rows = [(m, f"q{i}", e, int(t[i, e])) for m, t in (("a", A), ("b", B)) for i in range(40) for e in range(5)]
    table = {
        name: list(v)
        for name, v in zip(("model", "question_id", "epoch", "correct"), zip(*rows, strict=True), strict=True)
    }
    path = tmp_path / "answers.csv"
    path.write_text("model,question_id,epoch,correct\n" + "".join(f"{m},{q},{e},{c}\n" for m, q, e, c in rows))
    wanted = te.repeats({"a": A, "b": B})
    read = te.graded(table, ids="question_id", repeats="epoch")
    for made in (te.repeats(table, grade="correct"), te.repeats(path), te.repeats(read)):
        for metric in ("pass@5", "pass^2", "consistency"):
            assert made[metric, "b"].estimate == pytest.approx(wanted[metric, "b"].estimate)
            assert made[metric, "b"].low == pytest.approx(wanted[metric, "b"].low)
    assert te.repeats(path, models=["b"]).models == ("b",)


def test_grades_on_a_scale() -> None:
    grades = np.array([[1, 5, 3], [2, 2, 2], [5, 5, 4], [1, 1, 2]])
    r = te.repeats(grades, scale=(1, 5))
    assert r["mean score"].estimate == pytest.approx(grades.mean())
    assert r["best of 3"].estimate == pytest.approx(grades.max(axis=1).mean())
    assert r["worst of 3"].estimate == pytest.approx(grades.min(axis=1).mean())
    assert 1 <= r["best of 3"].low < r["best of 3"].high <= 5
    assert 0 < r["consistency"].high <= 1


def test_all_right_and_all_wrong_have_a_width() -> None:
    for value in (0, 1):
        r = te.repeats(np.full((20, 4), value))
        for metric in ("pass@1", "pass@4", "pass^4", "consistency"):
            assert r[metric].estimate == (1.0 if metric == "consistency" else value)
            assert 0 <= r[metric].low < r[metric].high <= 1
        assert str(r)
    same = te.repeats({"a": A, "b": A}).contrast("a", "b")
    assert (same.estimate, same.p_value) == (0.0, 1.0)
    assert same.low < 0 < same.high


def test_unequal_numbers_of_answers() -> None:
    r = te.repeats([[1, 0], [1, 1, 1], [0, 0, 1, 0]], k=[2, 3])
    assert r["pass@2"].n == 3
    assert r["pass@3"].n == 2
    assert "fewer than 3 answers" in str(r)
    one = te.repeats([[1], [0], [1]])
    assert one.parts[0].consistency is None
    assert math.isnan(one.parts[0].within)
    assert "one answer" in str(one)


def test_clusters_of_questions_widen() -> None:
    groups = np.argsort(np.argsort(A.mean(axis=1))) // 8  # like questions together
    alone, together = te.repeats(A)["pass@1"], te.repeats(A, clusters=groups)["pass@1"]
    assert together.width > alone.width
    each = te.repeats(A, clusters=np.arange(40))["pass@1"]
    assert (each.low, each.high) == pytest.approx((alone.low, alone.high), abs=1e-6)


def test_pass_at_k_of_counts() -> None:
    assert te.pass_at_k(A.sum(axis=1), 3, of=5) == te.pass_at_k(A, 3)
    assert te.pass_at_k([2, 3], 2, of=[4, 3], every=True).estimate == pytest.approx((1 / 6 + 1) / 2)
    assert te.pass_at_k(A, 1, every=True).name == "pass@1"
    for wrong, words in (((5,), "at most all"), ((-1,), "at most all"), ((1.5,), "whole numbers")):
        with pytest.raises(InputError, match=words):
            te.pass_at_k(list(wrong), 1, of=4)
    with pytest.raises(InputError, match="one model"):
        te.pass_at_k({"a": A}, 1)
    with pytest.raises(InputError, match=r"right \(1\) or wrong"):
        te.pass_at_k(A / 2, 1)


def test_what_is_wrong_is_said() -> None:
    for k in (0, 2.5, True, [1, -1]):
        with pytest.raises(InputError, match="whole numbers of at least 1"):
            te.repeats(A, k=k)
    with pytest.raises(InputError, match="more than any question has"):
        te.repeats(A, k=6)
    with pytest.raises(InputError, match="cost_ratio"):
        te.repeats(A, cost_ratio=-1)
    with pytest.raises(InputError, match='missing="drop"'):
        te.repeats([[1, None], [0, 1]])
    assert te.repeats([[1, None], [0, 1]], missing="wrong")["pass^2"].n == 2
    assert te.repeats([[1, None], [0, 1]], missing="drop").parts[0].answers == 3
    with pytest.raises(InputError, match="one line a question"):
        te.repeats(5)
    with pytest.raises(InputError, match="names the questions"):
        te.repeats({"grade": [1, 0]}, grade="grade")
    with pytest.raises(InputError, match="right or wrong, or graded"):
        te.repeats(te.predictions([0, 1], [0, 1]))
    with pytest.raises(InputError, match="in two clusters"):
        te.repeats({"id": [1, 1], "grade": [0, 1], "cluster": [1, 2]}, grade="grade")


def test_paired_differences_hold_their_level() -> None:
    # Two models with the same chances question by question: 300 comparisons of 30 questions × 4 answers.
    rng = np.random.default_rng(9)
    called = 0
    for _ in range(300):
        p = rng.beta(0.5, 0.8, 30)[:, None]
        tables = [AnswerGrades((rng.random((30, 4)) < p).astype(float), UNIT) for _ in range(2)]
        from trueerror.inference._problem import IntervalSpec
        from trueerror.people._answers import question_contrast

        c = question_contrast(tables[0].best_of(4), tables[1].best_of(4), UNIT, None, IntervalSpec())
        called += c.p_value < 0.05
    assert called / 300 <= 0.06


def test_few_questions_are_said() -> None:
    few = te.repeats(np.tile([1, 0], (29, 1)))
    assert few.notes[0].startswith("Only 29 questions: read the intervals")
    assert "Only 29 questions" in str(few)
    assert not any(note.startswith("Only") for note in te.repeats(np.tile([1, 0], (30, 1))).notes)
