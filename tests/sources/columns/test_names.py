"""Long tables whose ids are called something else."""

from __future__ import annotations

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import ColumnError

RNG = np.random.default_rng(8)
N = 60
TRUTH = RNG.integers(0, 2, N)
SCORES = {m: np.clip(0.3 * TRUTH + RNG.random(N) * 0.7, 0, 1).round(3) for m in ("a", "b")}


def long_table(order: dict[str, np.ndarray], **more: np.ndarray) -> dict[str, list[object]]:
    rows = [(f"T{i:03}", m, int(TRUTH[i]), float(SCORES[m][i]), i) for m in SCORES for i in order[m]]
    names = ("transaction", "model", "truth", "score")
    table: dict[str, list[object]] = {name: [r[k] for r in rows] for k, name in enumerate(names)}
    return {**table, **{name: [values[r[4]] for r in rows] for name, values in more.items()}}


def shuffled() -> dict[str, np.ndarray]:
    """Each model's rows in an order of its own in which the truth does not give it away."""
    by_truth = np.argsort(TRUTH, kind="stable")
    other = np.concatenate([np.flatnonzero(TRUTH == 0)[::-1], np.flatnonzero(TRUTH == 1)[::-1]])
    return {"a": by_truth, "b": other}


def test_a_column_that_numbers_the_items_is_the_id_whatever_its_name() -> None:
    p = te.read(long_table(shuffled()))
    assert p.roles["transaction"] == "id"
    want = te.compare(TRUTH, scores=SCORES)["a", "b"]
    found = te.compare(p)["a", "b"]
    assert (found.estimate, found.p_value) == (want.estimate, want.p_value)


def test_where_nothing_numbers_the_items_the_order_is_said_to_count() -> None:
    table = long_table({"a": np.arange(N), "b": np.arange(N)})
    del table["transaction"]
    assert "matched by their order" in str(te.read(table))


def test_two_columns_that_could_be_the_id_are_asked_about() -> None:
    table = long_table(shuffled(), invoice=np.arange(N) + 1000)
    with pytest.raises(ColumnError, match="'transaction', 'invoice'; say which with id="):
        te.read(table)
    assert te.read(table, id="invoice").roles["invoice"] == "id"
    numbered = long_table(shuffled(), index=np.arange(N))
    assert te.read(numbered).roles["transaction"] == "id"
