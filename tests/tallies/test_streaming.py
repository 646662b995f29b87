"""Batches that are counted and added give what one count of everything gives, in any order."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import trueerror as te

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
