"""Batches that are counted and added give what one count of everything gives, in any order."""

from __future__ import annotations

import copy
import pickle
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueerror as te
from trueerror.inputs._options import InputError

labels = st.sampled_from(["cat", "dog", "fish"])
answers = st.lists(st.tuples(labels, labels), min_size=3, max_size=40)
scored = st.lists(st.tuples(st.booleans(), st.integers(-4, 4)), min_size=3, max_size=40).filter(
    lambda rows: len({up for up, _ in rows}) == 2
)


@settings(max_examples=80, deadline=None)
@given(answers, st.randoms(use_true_random=False), st.integers(1, 6))
def test_confusions(rows: list[tuple[str, str]], random: object, parts: int) -> None:
    batches = [rows[i::parts] for i in range(parts) if rows[i::parts]]
    random.shuffle(batches)  # type: ignore[attr-defined]
    total = te.Confusion.count(*zip(*batches[0], strict=True))
    for batch in batches[1:]:
        total += te.Confusion.count(*zip(*batch, strict=True))
    assert total == te.Confusion.count(*zip(*rows, strict=True))
    assert sum(te.Confusion.count(*zip(*batch, strict=True)) for batch in batches) == total


@settings(max_examples=80, deadline=None)
@given(scored, st.randoms(use_true_random=False), st.integers(1, 6))
def test_score_tables(rows: list[tuple[bool, int]], random: object, parts: int) -> None:
    batches = [rows[i::parts] for i in range(parts) if rows[i::parts]]
    random.shuffle(batches)  # type: ignore[attr-defined]

    def counted(batch: list[tuple[bool, int]]) -> te.ScoreTable:
        truth, scores = zip(*batch, strict=True)
        return te.ScoreTable.count(truth, np.array(scores) / 4, labels=[False, True])

    total = counted(batches[0])
    for batch in batches[1:]:
        total += counted(batch)
    whole = counted(rows)
    assert total == whole
    assert te.metric("auc", total) == te.metric("auc", whole)
    tables = [counted(batch) for batch in batches]
    assert sum(tables) == te.ScoreTable.total(iter(tables)) == whole
    # However the additions are bracketed.
    while len(tables) > 1:
        place = random.randrange(len(tables) - 1)  # type: ignore[attr-defined]
        tables[place : place + 2] = [tables[place] + tables[place + 1]]
    assert tables[0] == whole


def test_a_month_of_batches() -> None:
    rng = np.random.default_rng(1)
    truth, scores = rng.integers(0, 2, 9000), rng.random(9000)
    days = [slice(300 * d, 300 * (d + 1)) for d in range(30)]
    confusion = te.Confusion.count(truth[days[0]], scores[days[0]] >= 0.5)
    table = te.ScoreTable.count(truth[days[0]], scores[days[0]])
    for day in days[1:]:
        confusion += te.Confusion.count(truth[day], scores[day] >= 0.5)
        table += te.ScoreTable.count(truth[day], scores[day])
    assert confusion == te.Confusion.count(truth, scores >= 0.5)
    assert te.evaluate(confusion)["accuracy"] == te.evaluate(truth, scores >= 0.5)["accuracy"]
    assert te.roc(table).auc() == te.roc(truth, scores).auc()


weighted = st.lists(st.tuples(st.booleans(), st.integers(-4, 4), st.integers(0, 16)), min_size=2, max_size=40).filter(
    lambda rows: len({up for up, *_ in rows}) == 2
)


@settings(max_examples=60, deadline=None)
@given(weighted, st.sampled_from(["frequency", "sampling"]), st.integers(1, 5))
def test_weighted_score_tables(rows: list[tuple[bool, int, int]], kind: Any, parts: int) -> None:
    def counted(batch: list[tuple[bool, int, int]]) -> te.ScoreTable:
        truth, scores, weights = (np.array(column) for column in zip(*batch, strict=True))
        # Sixteenths add up without rounding, in any order.
        share = weights if kind == "frequency" else weights / 16
        return te.ScoreTable.count(truth, scores, labels=[False, True], weights=share, weights_kind=kind)

    batches = [rows[i::parts] for i in range(parts) if any(w for *_, w in rows[i::parts])]
    if not batches:
        return
    whole = counted([row for batch in batches for row in batch])
    tables = [counted(batch) for batch in batches]
    assert sum(tables) == te.ScoreTable.total(tables) == whole


def test_binned_tables() -> None:
    def binned(lowest: list[float], ups: list[int]) -> te.ScoreTable:
        width = [x + 0.1 for x in lowest]
        return te.ScoreTable(lowest, ups, [1] * len(ups), exact=False, uppers=np.array(width))

    a, b, c = binned([0.0, 0.25], [1, 2]), binned([0.25, 0.5], [3, 4]), binned([0.75], [5])
    for made in (a + b + c, c + (b + a), sum([c, a, b]), te.ScoreTable.total([b, c, a])):
        assert made == binned([0.0, 0.25, 0.5, 0.75], [1, 5, 4, 5]) + te.ScoreTable(
            [0.25], [0], [1], exact=False, uppers=np.array([0.35])
        )
    with pytest.raises(InputError, match="different grids"):
        te.ScoreTable.total([a, binned([0.05], [1])])
    with pytest.raises(InputError, match="different grids"):
        a + binned([0.05], [1])
    with pytest.raises(InputError, match="exact score table to a binned one"):
        te.ScoreTable.total([a, te.ScoreTable([0.0], [1], [1])])


def test_what_does_not_add_up() -> None:
    table = te.ScoreTable.count([0, 1], [0.1, 0.2])
    empty = te.ScoreTable([], [], [])
    assert table + empty == empty + table == table
    assert empty + empty == empty
    with pytest.raises(InputError, match="no score table"):
        te.ScoreTable.total([])
    with pytest.raises(InputError, match="one of these is a int"):
        te.ScoreTable.total([table, 3])  # type: ignore[list-item]
    with pytest.raises(InputError, match="positive is 1 in one table and 'b' in the other"):
        te.ScoreTable.total([table, te.ScoreTable.count(["a", "b"], [1, 2], positive="b")])
    for wrong in (1, None, 0.5):
        with pytest.raises(TypeError, match="unsupported operand"):
            wrong + table  # type: ignore[operator]


@pytest.fixture(scope="module")
def many() -> tuple[list[te.ScoreTable], te.ScoreTable]:
    """300 batches of 2,000 distinct scores, and one count of everything."""
    rng = np.random.default_rng(2)
    truth, scores = rng.integers(0, 2, 600_000), rng.random(600_000)
    tables = [te.ScoreTable.count(truth[i : i + 2000], scores[i : i + 2000]) for i in range(0, len(truth), 2000)]
    return tables, te.ScoreTable.count(truth, scores)


def test_hundreds_of_batches_in_any_order(many: tuple[list[te.ScoreTable], te.ScoreTable]) -> None:
    tables, whole = many
    order = np.random.default_rng(3).permutation(len(tables))
    total, seen = tables[order[0]], 0.0
    for i, place in enumerate(order[1:]):
        total += tables[place]
        if i % 100 == 99:
            # Whoever looks in between changes nothing.
            seen = total.n
    assert 0 < seen < whole.n
    assert total == whole
    assert te.roc(total).auc() == te.roc(whole).auc()
    halves = sum(tables[:150]), sum(tables[150:])
    assert halves[1] + halves[0] == whole
    # Unmerged sums travel, and are frozen like others.
    assert pickle.loads(pickle.dumps(sum(tables))) == te.load(sum(tables[:40]).to_json()) + sum(tables[40:])
    assert copy.deepcopy(sum(tables)) == whole
    with pytest.raises(ValueError, match="read-only"):
        sum(tables).positives[0] = 7
    with pytest.raises(AttributeError, match="cannot assign to field"):
        sum(tables).scores = None


def test_hundreds_of_batches_take_n_log_n(many: tuple[list[te.ScoreTable], te.ScoreTable]) -> None:
    tables, whole = many
    start = time.process_time()
    np.sort(whole.scores[np.random.default_rng(0).permutation(len(whole.scores))])
    once = time.process_time() - start
    for add in (sum, te.ScoreTable.total):
        start = time.process_time()
        assert len(add(tables).scores) == 600_000
        # Sorting the whole total anew for each batch, as was done once, takes 150 times as long as sorting it once.
        assert time.process_time() - start < 40 * once + 0.5
