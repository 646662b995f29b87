"""Labels: text, whole numbers, booleans; how they are coded, ordered and found."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import trueerror as te
from trueerror.inputs._arrays import column
from trueerror.inputs._labels import (
    Coded,
    check_labels,
    code_column,
    find_label,
    merge_labels,
    natural_labels,
    natural_positive,
    ordered,
    plain_label,
    recode,
)
from trueerror.inputs._options import InputError


def coded(values: Any) -> Coded:
    return code_column(column(values, "truth"), "truth")


def decoded(values: Any) -> list[Any]:
    c = coded(values)
    return [None if code < 0 else c.values[code] for code in c.codes]


TEXTS = ["b", "a", "c", "a"]


@pytest.mark.parametrize(
    "values",
    [
        TEXTS,
        np.array(TEXTS),
        np.array(TEXTS, dtype="S1"),
        np.array(TEXTS, dtype=object),
        np.array(TEXTS, dtype=getattr(np.dtypes, "StringDType", lambda: object)()),  # NumPy 2
        np.array(TEXTS)[::-1][::-1],
        np.array(TEXTS, dtype=">U3"),
        pd.Series(TEXTS),
        pd.Series(TEXTS, dtype="string"),
        pd.Series(TEXTS, dtype="category"),
        pd.Series(TEXTS, dtype=pd.CategoricalDtype(["c", "b", "a", "z"])),
        pl.Series(TEXTS),
        pl.Series(TEXTS, dtype=pl.Categorical),
        pl.Series(TEXTS, dtype=pl.Enum(["c", "b", "a"])),
        pa.array(TEXTS),
        pa.array(TEXTS).dictionary_encode(),
        pa.array(TEXTS, type=pa.large_string()),
    ],
    ids=lambda v: f"{type(v).__module__}.{type(v).__name__}.{getattr(v, 'dtype', getattr(v, 'type', ''))}",
)
def test_text_of_every_library(values: Any) -> None:
    assert decoded(values) == TEXTS
    assert coded(values).values == ("a", "b", "c")
    assert all(type(v) is str for v in coded(values).values)


@pytest.mark.parametrize(
    "values",
    [
        [3, 1, 1, 200],
        [3.0, 1.0, 1.0, 200.0],
        np.array([3, 1, 1, 200], np.uint8),
        np.array([3, 1, 1, 200], np.int64),
        np.array([3, 1, 1, 200], np.float32),
        np.array([3, 1, 1, 200], ">i4"),
        pd.Series([3, 1, 1, 200], dtype="Int32"),
        pd.Series([3, 1, 1, 200], dtype="category"),
        pl.Series([3, 1, 1, 200], dtype=pl.UInt8),
        pa.array([3, 1, 1, 200], pa.int16()),
        np.array([3, 1, 1, 200], dtype=object),
    ],
    ids=lambda v: f"{type(v).__module__}.{type(v).__name__}.{getattr(v, 'dtype', getattr(v, 'type', ''))}",
)
def test_whole_numbers_of_every_library(values: Any) -> None:
    assert decoded(values) == [3, 1, 1, 200]
    assert all(type(v) is int for v in coded(values).values)


@pytest.mark.parametrize(
    "values",
    [
        [-100, 100, 0],
        np.array([-100, 100, 0], np.int8),
        np.array([-30_000, 30_000, 0], np.int16),
        np.array([-(2**62), 2**62, 0]),
        np.array([2**64 - 1, 2**64 - 2, 2**64 - 1], np.uint64),
        np.array([2**63 - 1, -(2**63), 0]),
        [2**70, -(2**70), 0],
    ],
)
def test_wide_ranges_do_not_overflow_small_types(values: Any) -> None:
    assert decoded(values) == [int(v) for v in values]


def test_a_label_that_shows_up_late_or_often_is_found() -> None:
    texts = np.array(["x"] * 20_000 + ["late"] + ["y"] * 20_000)
    c = coded(texts)
    assert c.values == ("late", "x", "y")
    assert np.bincount(c.codes).tolist() == [1, 20_000, 20_000]
    many = np.array([f"{i:05d}" for i in range(30_000)])
    assert coded(many[::-1]).codes.tolist() == list(range(29_999, -1, -1))


def test_object_columns_of_many_labels_are_coded_in_one_pass() -> None:
    texts = np.array([f"{i % 20_000:05d}" for i in range(60_000)], dtype=object)
    assert len(coded(texts).values) == 20_000


# Some have more objects than are told apart by their addresses, or more values than a byte numbers.
POOLS = {
    "texts": [f"t{i:03d}" for i in range(100)],
    "equal texts that are other objects": ["".join(["t", str(i % 7)]) for i in range(300)],
    "numbers that are equal": [1.0, True, 1, 0, np.int64(1), False, 2, np.float64(2.0)],
    "with missing values": ["b", None, float("nan"), "a", np.nan, pd.NA, float("nan")],
    "more than 256 texts": [f"t{i:03d}" for i in range(400)],
    "many texts": [f"t{i:04d}" for i in range(2_000)],
    "one text": ["a"],
}


@pytest.mark.parametrize("pool", POOLS.values(), ids=POOLS)
@pytest.mark.parametrize("late", [0, 1, 150_000])
def test_objects_are_coded_alike_whether_rows_share_them_or_not(pool: list[Any], late: int) -> None:
    rng = np.random.default_rng(len(pool))
    shared = np.empty(200_000, dtype=object)
    shared[:late] = pool[0]
    # No row but the last ones has most of the objects where they come late.
    for row, i in enumerate(rng.integers(0, len(pool), len(shared) - late).tolist(), late):
        shared[row] = pool[i]
    twice = np.empty((len(shared), 2), dtype=object)
    twice[:, 0] = shared

    first_met: dict[Any, Any] = {}
    labels = [
        None if v is None or v is pd.NA or v != v else plain_label(first_met.setdefault(v, v)) for v in shared.tolist()
    ]
    values = tuple(sorted({label: None for label in labels if label is not None}))
    wanted = [-1 if label is None else values.index(label) for label in labels[:5_000] + labels[-5_000:]]
    for rows in (shared, twice[:, 0]):
        c = code_column(rows, "truth")
        assert c.values == values
        assert list(map(type, c.values)) == list(map(type, values))
        assert c.codes[np.r_[:5_000, -5_000:0]].tolist() == wanted


def test_rows_that_have_objects_of_their_own_are_coded_by_value() -> None:
    texts = np.array([f"t{i % 300:03d}" for i in range(140_000)])
    own, kept = code_column(texts.astype(object), "truth"), code_column(texts, "truth")
    assert own.values == kept.values
    assert np.array_equal(own.codes, kept.codes)


def test_no_rows_of_objects_have_no_labels() -> None:
    assert code_column(np.empty(0, dtype=object), "truth").values == ()


def test_a_shared_object_that_is_no_label_is_named_with_its_row() -> None:
    values = np.full(10_000, "a", dtype=object)
    values[7_000:] = [0.5] * 3_000
    with pytest.raises(InputError, match=r"truth at row 7,001 is 0\.5"):
        code_column(values, "truth")


def test_missing_values_among_objects_are_missing_whatever_they_are() -> None:
    import pandas as pd

    values = np.array(["b", None, float("nan"), "a", float("nan"), pd.NA, np.nan, pd.NaT, "b"], dtype=object)
    coded = code_column(values, "truth")
    assert coded.values == ("a", "b")
    assert coded.codes.tolist() == [1, -1, -1, 0, -1, -1, -1, -1, 1]


def test_labels_with_gaps_are_coded_without_them() -> None:
    late = np.full(200_000, 3)
    late[-1], late[0] = -1, 9
    coded = code_column(late, "truth")
    assert coded.values == (-1, 3, 9)
    assert coded.codes[[0, 1, -1]].tolist() == [2, 1, 0]


def test_booleans_equal_0_and_1() -> None:
    assert coded([True, False]).values == (False, True)
    assert decoded(pd.Series([True, None, False], dtype="boolean")) == [True, None, False]
    assert te.Confusion.count([True, False], [1, 0]) == te.Confusion.count([1, 0], [True, False])
    assert te.Confusion.count([True, 0, 1.0], [1, 0, False]).matrix.tolist() == [[1, 0], [1, 1]]


def test_minus_nought_is_nought() -> None:
    assert coded(np.array([-0.0, 0.0, 1.0])).values == (0, 1)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([0.5, 1.0], r"0\.5.* at row 1: labels are text, whole numbers or booleans.*scores="),
        ([1.0, float("inf")], "row 2"),
        ([("a", 1), ("b", 2)], "one column"),
        ([Decimal("1.5")], r"1\.5"),
        ([object()], "row 1 is an object"),
        ([1, 2.5, "a"], r"row 2 is 2\.5"),
        (["a", 1], "mix text"),
    ],
)
def test_what_is_no_label_is_refused(values: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        coded(values)


def test_unhashable_labels_are_refused_with_their_row() -> None:
    values = np.empty(2, dtype=object)
    values[:] = ["a", {"b": 1}]
    with pytest.raises(InputError, match="truth at row 2 is a dict"):
        coded(values)


def test_plain_labels() -> None:
    assert plain_label(np.str_("a")) == "a"
    assert type(plain_label(np.int8(3))) is int
    assert plain_label(pa.scalar("a")) == "a"
    assert plain_label(b"ab") == "ab"
    assert plain_label(2.0) == 2


def test_columns_of_two_types_are_refused_with_their_names() -> None:
    with pytest.raises(InputError, match=r"truth has text labels \('1'\) but predicted has numbers \(1\).*look alike"):
        merge_labels({"truth": ("1", "0"), "predicted": (1,)})
    assert merge_labels({"truth": (2,), "predicted": (True, 0)}) == (0, True, 2)


def test_order_is_natural() -> None:
    assert ordered([10, 9, -1]) == (-1, 9, 10)
    assert ordered(["10", "9", "b", "B"]) == ("10", "9", "B", "b")


def test_given_labels_are_checked() -> None:
    assert check_labels(np.array(["b", "a"])) == ("b", "a")
    assert check_labels([1.0, True - 1]) == (1, 0)
    for labels, words in (
        ([], "empty"),
        (["a", "a"], "twice"),
        (["a", 1], "one type"),
        ("ab", "list"),
        ([1, True], "twice"),
    ):
        with pytest.raises(InputError, match=words):
            check_labels(labels)


def test_a_label_outside_the_given_ones_is_named_with_its_row() -> None:
    with pytest.raises(InputError, match="truth has 'cta' at row 3, which is not among the labels; did you mean 'cat'"):
        recode(coded(["cat", "dog", "cta"]), ("cat", "dog"), "truth")


def test_missing_labels_stay_missing_when_recoded() -> None:
    assert recode(coded(["b", None]), ("a", "b"), "predicted").tolist() == [1, -1]
    assert recode(coded([None, None]), ("a", "b"), "predicted").tolist() == [-1, -1]


def test_the_natural_positive_class() -> None:
    assert natural_positive((False, True)) is True
    assert natural_positive((0, 1)) == 1
    assert natural_positive((1, -1)) == 1
    for labels in (("no", "yes"), ("0", "1"), (1, 2), (0, 1, 2), (1,), ()):
        assert natural_positive(labels) is None
    assert natural_labels((1,)) == (0, 1)
    assert natural_labels((False,)) == (False, True)
    assert natural_labels((2,)) == (2,)


def test_finding_a_label() -> None:
    assert find_label(1, (False, True)) is True
    assert find_label(1.0, (0, 1)) == 1
    assert find_label("a", ("a", "b")) == "a"
    # On the command line all is text: "1" means 1 where no label is text.
    assert find_label("1", (0, 1)) == 1
    assert find_label("-1", (-1, 1)) == -1
    assert find_label("True", (False, True)) is True
    assert find_label("1", (False, True)) is True
    for label, labels in (("1", ("a", "b")), (1, ("1", "2")), (2, (0, 1)), ("yes", (0, 1))):
        with pytest.raises(InputError, match="not among the labels"):
            find_label(label, labels)
    with pytest.raises(InputError, match="positive="):
        find_label(None, ("a", "b"))


@pytest.mark.parametrize("late", [0, 3, 700])
def test_few_texts_are_coded_as_sorting_would(late):
    # Labels that the first rows do not show, texts that differ in one place only, and too many for a table of slots.
    rng = np.random.default_rng(0)
    early = np.array([f"class_{i:03d}" for i in range(100)] + ["Ω", "ü", "class_0010"])
    texts = np.concatenate([rng.choice(early, 9000), np.array([f"late{i}" for i in range(late)], dtype="U12")])
    coded = code_column(texts, "truth")
    values, codes = np.unique(texts, return_inverse=True)
    assert coded.values == tuple(values.tolist())
    assert np.array_equal(coded.codes, codes)
