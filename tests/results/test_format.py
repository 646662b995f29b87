"""Names that are cut stay different, within their room."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trueerror as te
from trueerror.results import Table
from trueerror.results._format import clip, short_names, width

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
    names = ["all of this is rather long at both ENDS", "all of it could be longer at both ENDS"]
    table = Table(columns=("model", "accuracy"), rows=tuple((n, "0.800") for n in names))
    text = table.text(22)
    assert text.count("#1 ") == 2
    assert text.count("#2 ") == 2
    assert names[0] in " ".join(text.replace("\n  ", "").split())


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
    assert [[c for c in row if c][1] for row in cells[:-1]] == [row[0] for row in cells[1:]]


def test_estimates_and_limits_of_very_many_rows_are_told_apart() -> None:
    rows = te.Confusion([[600_000_000, 100_000_000], [50_000_000, 250_000_000]])
    words = str(te.evaluate(rows))
    assert "is right on 85.000 % of rows like these, 95 % CI 84.998 to 85.002 %" in " ".join(words.split())
    assert "0.85000  [0.84998, 0.85002]" in words
    assert str(te.interval(750_000_000, 10**9)).startswith("proportion 0.75000 [0.74997, 0.75003]")
