"""Names that are cut stay different, within their room."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trueerror as te
from trueerror.results import Table
from trueerror.results._format import clip, figures, short_names, width, with_limits
from trueerror.results._values import common_decimals, interval_cell, short
from trueerror.verbs._evaluation import class_table, slice_table
from trueerror.verbs._gaps import _pairs_block, gaps_table

BOOSTED = [f"gradient boosting, max_depth={i}, learning_rate=0.05, tuned" for i in range(9)]
CLASSES = [f"Klasse {i:02d} mit langem Namen" for i in range(30)]


@pytest.mark.parametrize("room", [8, 12, 17, 23, 30, 40])
@pytest.mark.parametrize("names", [BOOSTED, CLASSES])
def test_names_that_differ_in_the_middle_keep_it(names: list[str], room: int) -> None:
    shown = short_names(names, room)
    assert len(set(shown)) == len(names)
    assert max(map(width, shown)) <= room
    assert not any(s.startswith("#") for s in shown)


def test_numbers_are_kept_whole() -> None:
    shown = short_names(["a long name with lr=0.05 and more", "a long name with lr=0.01 and more"], 14)
    assert "0.05" in shown[0]
    assert "0.01" in shown[1]


def test_what_cannot_be_told_apart_in_its_room_is_numbered_with_a_key() -> None:
    names = ["".join((20 * "x", i, 20 * "y", i, 20 * "z")) for i in "12"]
    table = Table(columns=("model", "accuracy"), rows=tuple((n, "0.800") for n in names))
    text = table.text(22)
    assert text.count("#1 ") == 2
    assert text.count("#2 ") == 2
    assert names[0] in "".join(text.split())


def test_a_user_name_that_looks_like_a_number_does_not_collide() -> None:
    names = ["ab" * 20 + "x" + "cd" * 20, "ab" * 20 + "yyyyyyyyyyyy" + "cd" * 20]
    names.append("#1 " + clip(names[0], 6))
    assert len(set(short_names(names, 9))) == 3


@given(st.lists(st.text(max_size=40), max_size=12), st.integers(8, 30))
def test_short_names_differ_where_names_do(names: list[str], room: int) -> None:
    shown = short_names(names, room)
    assert [shown.index(s) for s in shown] == [names.index(n) for n in names]
    assert all(width(s) <= room for s in shown)


def test_headings_are_never_cut_and_fold_before_names_are_cut() -> None:
    rows = tuple((a, b, "+1.0", "[-5.1, +7.1]") for a, b in itertools.pairwise(BOOSTED))
    table = Table(columns=("first", "second", "difference (points)", "95 % interval"), rows=rows, names=2)
    lines = table.text(80).splitlines()
    assert lines[0].split() == ["difference"]
    assert lines[1].split() == ["first", "second", "(points)", "95", "%", "interval"]
    assert max(map(width, lines)) <= 80
    assert len(set(lines)) == len(lines)


def test_a_model_looks_the_same_on_both_sides_of_a_pair() -> None:
    rows = tuple((a, b, "+1.0") for a, b in itertools.pairwise(BOOSTED))
    lines = Table(columns=("first", "second", "size"), rows=rows, names=2).text(60).splitlines()[1:]
    cells = [line.split("  ") for line in lines]
    assert [[c for c in row if c][1].strip() for row in cells[:-1]] == [row[0] for row in cells[1:]]


def test_estimates_and_limits_of_very_many_rows_are_told_apart() -> None:
    rows = te.Confusion([[600_000_000, 100_000_000], [50_000_000, 250_000_000]])
    words = str(te.evaluate(rows))
    assert "is right on 85.000 % of rows like these, 95 % CI 84.998 to 85.002 %" in " ".join(words.split())
    assert "0.85000  [0.84998, 0.85002]" in words
    assert str(te.interval(750_000_000, 10**9)).startswith("proportion 0.75000 [0.74997, 0.75003]")


@pytest.mark.parametrize(
    ("estimate", "low", "high", "words"),
    [
        (0.84524, 0.84516, 0.84533, "0.84524 [0.84516, 0.84533]"),
        (0.8034, 0.8027, 0.8042, "0.8034 [0.8027, 0.8042]"),
        (20.31, 20.0, 20.46, "20.3 [20.0, 20.5]"),
        (8.1094, 1.6521, 35.13, "8.1 [1.7, 35.1]"),
        (0.0109, 0.005, 0.0168, "0.011 [0.005, 0.017]"),
        (1 - 1e-9, 1 - 5.7e-9, 1 - 1e-10, "0.999999999 [0.999999994, 1.000000000]"),
        (1.0, 0.7, 1.0, "1.000 [0.700, 1.000]"),
        (0.75, 0.75 - 1e-15, 0.8, "0.750 [0.750, 0.800]"),
        (2e-13, 1e-13, 3.14159e-13, "2e-13 [1e-13, 3.14e-13]"),
        (-2e-13, -3e-13, 0.0, "−2e-13 [−3e-13, 0.000]"),
        (1.5e20, 1.25e20, 2e20, "1.5e+20 [1.25e+20, 2e+20]"),
        (3e-12, 1e-12, 5e-12, "0.000000000003 [0.000000000001, 0.000000000005]"),
        (float("nan"), float("nan"), float("nan"), "undefined no interval"),
    ],
)
def test_an_estimate_and_its_limits_have_the_same_decimals(
    estimate: float, low: float, high: float, words: str
) -> None:
    assert with_limits(estimate, low, high) == words


@given(
    st.lists(st.floats(-200, 200).map(lambda x: round(x, 6)), min_size=3, max_size=3, unique=True).map(sorted),
    st.sampled_from([0, 2]),
)
def test_no_limit_looks_like_the_estimate(three: list[float], power: int) -> None:
    low, estimate, high = three
    written = figures(estimate, low, high, least=3 if not power else 1, power=power)
    assert len({len(figure.partition(".")[2]) for figure in written}) == 1
    if min(estimate - low, high - estimate) > 1e-3 * (high - low):
        assert len(set(written)) == 3


def test_a_column_of_intervals_has_the_decimals_of_its_narrowest() -> None:
    rows = te.compare(te.Confusion([[600_000, 100_000], [50_000, 250_000]]), te.Confusion([[6, 1], [1, 2]]))
    narrow, wide = (short(i, common_decimals(rows.estimates.values())) for i in rows.estimates.values())
    assert len(narrow.split(" ")[0]) == len(wide.split(" ")[0])


def _decimals_in(column: Iterable[str]) -> set[int]:
    return {len(figure) for cell in column for figure in re.findall(r"\.(\d+)", cell)}


def test_numbers_above_and_below_ten_in_a_column_have_the_same_decimals() -> None:
    truth = [0, 1] * 100
    models = {"good": [0, 1] * 85 + [1, 0] * 15, "weak": [0, 1] * 67 + [1, 0] * 33}
    evaluation = te.evaluate(truth, models, metrics=["diagnostic_odds_ratio"])
    cells = [line for line in str(evaluation).splitlines() if re.match(r"(good|weak) +\d", line)]
    assert len(cells) == 2
    assert _decimals_in(cells) == {3}
    assert "with 32.111, 95 % CI 14." in " ".join(str(evaluation).split())
    columns = [interval_cell(p.overall["diagnostic_odds_ratio"], decimals=2)[0] for p in evaluation.parts]
    assert _decimals_in(columns) == {2}


def test_slices_classes_and_gaps_of_few_and_many_rows_have_the_same_decimals() -> None:
    rng = np.random.default_rng(0)
    truth, group = rng.integers(0, 2, 300_000), np.repeat(["many", "some", "few"], [298_000, 1_900, 100])
    wrong = rng.random(300_000) < np.where(group == "many", 0.01, 0.2)
    evaluation = te.evaluate(truth, np.where(wrong, 1 - truth, truth), by=group)
    slices = slice_table(evaluation)
    assert slices is not None
    assert _decimals_in(row[2] for row in slices.rows) == {4}
    counts = te.Confusion([[600_000, 1_000, 0], [30, 70, 5], [2, 5, 90]])
    assert _decimals_in(row[3] for row in class_table(te.evaluate(counts).parts[0]).rows) == {4}
    gap = evaluation.gaps("accuracy")["accuracy"]
    (pairs,) = _pairs_block(gap)
    assert len(pairs.table.rows) == 2
    assert len(_decimals_in(cell for row in pairs.table.rows for cell in row[1:3])) == 1
    assert len(_decimals_in(row[-3] for row in gaps_table([*evaluation.gaps(["accuracy", "recall"])]).rows)) == 1


def test_a_difference_of_costs_on_one_side_of_0_is_not_shown_as_0() -> None:
    assert figures(0.034, 0.002, 0.067, least=0, power=2, sign=True) == ["+3.4", "+0.2", "+6.7"]
    assert figures(0.034, -0.002, 0.067, least=0, power=2, sign=True) == ["+3", "0", "+7"]
