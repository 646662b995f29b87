from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.plots import picture
from trueerror.plots._specs import Bars, Heat
from trueerror.tallies import Confusion


def confusion(k: int, n: int = 4000, *, names: list[str] | None = None) -> Confusion:
    rng = np.random.default_rng(k)
    truth = rng.integers(0, k, n)
    called = np.where(rng.random(n) < 0.8, truth, (truth + rng.geometric(0.4, n)) % k)
    words = np.array(names or [f"class {i:04}" for i in range(k)], dtype=object)
    return Confusion.count(words[truth], words[called])


def test_cells_say_counts_and_row_percentages(svg: Any) -> None:
    table = Confusion([[9990, 0], [10, 0]], labels=["negative", "positive"])
    made = picture(table)
    assert isinstance(made, Heat)
    assert made.words == (("9,990", "100 %"), ("0", "0 %"), ("10", "100 %"), ("0", "0 %"))
    assert made.row_title == "truth"
    assert made.column_title == "predicted"
    assert made.row_notes == ("9,990", "10")
    assert made.subtitle[0].startswith("9,990 of 10,000 rows right (99.9 %)")
    shown = svg(table)
    assert {"truth ↓", "predicted →", "9,990", "100 %", "negative", "positive"} <= set(shown.texts())
    assert "truth: negative\npredicted: negative\nrows: 9,990\nshare of the truth: 100 %" in shown.tips()


def test_darker_cells_have_larger_shares(svg: Any) -> None:
    made = picture(confusion(10))
    cells = svg(confusion(10)).all("rect", "cell")
    assert [float(e.get("fill-opacity")) for e in cells] == pytest.approx(list(0.5 * np.sqrt(made.share)), abs=0.001)


def test_shares_follow_the_rows() -> None:
    t = confusion(10)
    made = picture(t)
    dense = np.zeros((10, 10))
    dense[made.place[:, 0], made.place[:, 1]] = made.share
    np.testing.assert_allclose(dense, t.shares())
    np.testing.assert_allclose(dense.sum(axis=1), 1)


def test_never_says_all_or_nothing_when_it_is_not() -> None:
    made = picture(Confusion([[99999, 1], [0, 5]]))
    assert made.words[0] == ("99,999", ">99.9 %")
    assert made.words[1] == ("1", "<0.1 %")


def test_rows_without_prediction_have_a_column_apart() -> None:
    t = Confusion.count(["a", "b", "c", "a"], ["a", None, "c", "b"], missing="wrong")
    made = picture(t)
    assert made.columns[-1] == "no prediction"
    assert made.extra_columns == 1
    assert len(made.rows) == 3


def test_a_class_without_rows_is_empty_not_zero() -> None:
    made = picture(Confusion([[3, 1], [0, 0]]))
    assert made.words[2] == ("0", "–")
    assert np.isnan(made.share[2])


@pytest.mark.parametrize(("k", "written"), [(2, True), (15, True), (16, False), (200, False)])
def test_text_stands_in_cells_while_it_fits(k: int, written: bool) -> None:
    made = picture(confusion(k))
    assert isinstance(made, Heat)
    assert made.text is written
    assert all(bool(words) is written for words in made.words)


def test_thousands_of_classes_become_the_worst_pairs() -> None:
    t = confusion(1000, 20000)
    made = picture(t)
    assert isinstance(made, Bars)
    assert len(made.labels) == 25
    assert list(made.amounts) == sorted(made.amounts, reverse=True)
    off = t.row != t.col
    assert made.amounts[0] == t.counts[off].max()
    assert "taken for" in made.labels[0]
    perfect = Confusion.count(np.arange(500), np.arange(500))
    assert picture(perfect).labels == ("no errors",)


def test_equal_looking_classes_stay_apart() -> None:
    made = picture(confusion(3, names=["x" * 200 + end for end in "abc"]))
    assert len(set(made.rows)) == 3
    assert te.evaluate(["a", "b"], ["a", "b"]).confusion.plot().title == "Confusion matrix"


def test_weights_are_what_is_shown(svg: Any) -> None:
    t = Confusion.count(["a", "a", "b"], ["a", "b", "b"], weights=[0.5, 1.5, 2.0], weights_kind="sampling")
    made = picture(t)
    assert made.words[0] == ("0.5", "25.0 %")
    assert {"0.5", "25.0 %"} <= set(svg(t).texts())


def test_a_map_without_numbers_names_the_most_confused() -> None:
    made = picture(confusion(20))
    assert isinstance(made, Heat)
    assert any("most confused: class" in line for line in made.subtitle)
    assert not any("most confused" in line for line in picture(confusion(5)).subtitle)
