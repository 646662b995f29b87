"""Counts under a key."""

from __future__ import annotations

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.tallies import KeyedConfusion

rng = np.random.default_rng(4)
KEYS = rng.integers(0, 5, 300)
TRUTH = rng.integers(0, 3, 300)
CALLED = np.where(rng.random(300) < 0.8, TRUTH, rng.integers(0, 3, 300))
LABELS = (0, 1, 2)
NAMES = tuple("vwxyz")


def keyed(rows: slice = slice(None), **options: object) -> KeyedConfusion:
    return KeyedConfusion.from_codes(KEYS[rows], NAMES, TRUTH[rows], CALLED[rows], LABELS, **options)  # type: ignore[arg-type]


def test_each_key_has_its_table_and_together_they_are_the_whole() -> None:
    table = keyed()
    for i, name in enumerate(NAMES):
        mine = i == KEYS
        assert table[name] == te.Confusion.count(TRUTH[mine], CALLED[mine], labels=LABELS)
    assert table.pooled() == te.Confusion.count(TRUTH, CALLED)
    assert table.sizes.tolist() == np.bincount(KEYS).tolist()
    assert [k for k, _ in table.items()] == list(NAMES)


def test_sums_of_a_value_of_the_cell() -> None:
    table = keyed()
    wrong = (table.table.row != table.table.col).astype(float)
    expected = np.bincount(KEYS, weights=TRUTH != CALLED)
    assert table.sums(wrong).tolist() == expected.tolist()


def test_shards_add_in_any_order() -> None:
    a, b = keyed(slice(0, 100)), keyed(slice(100, 300))
    assert a + b == b + a == keyed()
    assert a != b


def test_shards_may_have_other_keys() -> None:
    one = KeyedConfusion.from_codes(np.array([0, 0]), ("p",), np.array([0, 1]), np.array([0, 1]), (0, 1))
    two = KeyedConfusion.from_codes(np.array([0, 1]), ("b", "p"), np.array([0, 1]), np.array([1, 1]), (0, 1))
    both = one + two
    assert both == two + one
    assert both.keys == ("b", "p")
    assert both["p"].n == 3


def test_unknown_and_missing_keys() -> None:
    with pytest.raises(InputError, match="'q'"):
        keyed()["q"]
    with pytest.raises(InputError, match="row 2"):
        KeyedConfusion.from_codes(np.array([0, -1]), ("p",), np.array([0, 1]), np.array([0, 1]), (0, 1))


def test_missing_predictions() -> None:
    called = np.where(np.arange(300) % 10 == 0, -1, CALLED)
    dropped = KeyedConfusion.from_codes(KEYS, NAMES, TRUTH, called, LABELS, missing="drop")
    assert dropped.sizes.sum() == 270
    wrong = KeyedConfusion.from_codes(KEYS, NAMES, TRUTH, called, LABELS, missing="wrong")
    assert wrong.sizes.sum() == 300
    assert wrong.pooled().unpredicted.sum() == 30
    assert wrong.pooled() == te.Confusion.from_codes(TRUTH, called, LABELS, missing="wrong")
