"""Laws of counting: shards add up to the whole in any order, whatever labels each has seen."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueerror.tallies import Agreement, Confusion, KeyedConfusion, Moments, MultiLabel, ScoreTable

quick = settings(max_examples=50, deadline=None)
LABELS: dict[str, list[Any]] = {
    "text": ["a", "b", "c", "d"],
    "0 and 1": [0, 1],
    "booleans": [False, True],
    "plus and minus one": [-1, 1],
    "numbers": [0, 1, 2, 7],
}


@st.composite
def labelled_rows(draw: st.DrawFn, most: int = 12) -> tuple[list[Any], list[Any]]:
    labels = LABELS[draw(st.sampled_from(list(LABELS)))]
    n = draw(st.integers(1, most))
    column = st.lists(st.sampled_from(labels), min_size=n, max_size=n)
    return draw(column), draw(column)


def cut(draw: Any, n: int) -> list[slice]:
    """Three shards, some of them empty."""
    first, second = sorted((draw(st.integers(0, n)), draw(st.integers(0, n))))
    return [slice(0, first), slice(first, second), slice(second, n)]


def assert_adds_up(parts: list[Any], whole: Any) -> None:
    a, b, c = parts
    for total in ((a + b) + c, a + (b + c), (c + a) + b, b + (c + a), c + (b + a)):
        assert total == whole


@given(rows=labelled_rows(), data=st.data())
@quick
def test_confusions_of_shards_add_up_to_the_whole(rows: Any, data: st.DataObject) -> None:
    truth, called = rows
    shards = cut(data.draw, len(truth))
    assert_adds_up([Confusion.count(truth[s], called[s]) for s in shards], Confusion.count(truth, called))


@given(rows=labelled_rows(), data=st.data())
@quick
def test_declared_and_seen_labels_add_up_too(rows: Any, data: st.DataObject) -> None:
    truth, called = rows
    labels = data.draw(st.permutations(sorted({*truth, *called})))
    declared = [data.draw(st.booleans()) for _ in range(3)]
    parts = [
        Confusion.count(truth[s], called[s], labels=labels if d else None)
        for s, d in zip(cut(data.draw, len(truth)), declared, strict=True)
    ]
    whole = Confusion.count(truth, called, labels=labels if any(declared) else None)
    assert_adds_up(parts, whole)


@given(rows=labelled_rows(), data=st.data())
@quick
def test_weights_and_missing_predictions_add_up(rows: Any, data: st.DataObject) -> None:
    truth, called = rows
    n = len(truth)
    labels = sorted({*truth, *called})
    called = [None if data.draw(st.integers(0, 3)) == 0 else c for c in called]
    weights = np.array(data.draw(st.lists(st.integers(1, 8), min_size=n, max_size=n))) / 2
    missing: Any = data.draw(st.sampled_from(["wrong", "drop"]))

    def count(s: slice) -> Confusion:
        return Confusion.count(
            truth[s], called[s], labels=labels, weights=weights[s], weights_kind="sampling", missing=missing
        )  # fmt: skip

    shards = [s for s in cut(data.draw, n) if s.stop > s.start]
    total = count(shards[0])
    for s in shards[1:]:
        total = total + count(s)
    assert total == count(slice(0, n))


@given(rows=labelled_rows(), data=st.data())
@quick
def test_missing_predictions_add_up_though_two_classes_turn_out_to_be_more(rows: Any, data: st.DataObject) -> None:
    truth, called = rows
    called = [None if data.draw(st.integers(0, 3)) == 0 else c for c in called]
    parts = [Confusion.count(truth[s], called[s], missing="wrong") for s in cut(data.draw, len(truth))]
    assert_adds_up(parts, Confusion.count(truth, called, missing="wrong"))


@given(rows=labelled_rows(), data=st.data())
@quick
def test_the_order_of_rows_does_not_matter(rows: Any, data: st.DataObject) -> None:
    truth, called = rows
    order = data.draw(st.permutations(range(len(truth))))
    moved = Confusion.count([truth[i] for i in order], [called[i] for i in order])
    assert moved == Confusion.count(truth, called)


@given(rows=labelled_rows())
@quick
def test_counting_by_hand(rows: Any) -> None:
    truth, called = rows
    table = Confusion.count(truth, called)
    matrix = table.matrix
    for i, t in enumerate(table.labels):
        for j, c in enumerate(table.labels):
            assert matrix[i, j] == sum(a == t and b == c for a, b in zip(truth, called, strict=True))
    assert Confusion(matrix.T, labels=table.labels, rows="predicted") == table


@given(data=st.data(), n=st.integers(1, 12))
@quick
def test_score_tables_of_shards_add_up_to_the_whole(data: st.DataObject, n: int) -> None:
    truth = data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    scores = data.draw(st.lists(st.sampled_from([-1.5, -0.0, 0.0, 0.25, 3.0, float("inf")]), min_size=n, max_size=n))
    shards = cut(data.draw, n)
    parts = [ScoreTable.count(truth[s], scores[s], positive=1, labels=[0, 1]) for s in shards]
    assert_adds_up(parts, ScoreTable.count(truth, scores))


@given(rows=labelled_rows(), data=st.data())
@quick
def test_agreements_keyed_tables_and_several_labels_add_up(rows: Any, data: st.DataObject) -> None:
    truth, first = rows
    n = len(truth)
    labels = sorted({*truth, *first})
    second = data.draw(st.permutations(first))
    shards = cut(data.draw, n)
    parts = [Agreement.count(truth[s], first[s], second[s], labels=labels) for s in shards]
    assert_adds_up(parts, Agreement.count(truth, first, second, labels=labels))
    codes, calls = (np.array([labels.index(v) for v in column]) for column in (truth, first))
    keys = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))

    def keyed(s: slice) -> KeyedConfusion:
        return KeyedConfusion.from_codes(keys[s], ("x", "y", "z"), codes[s], calls[s], tuple(labels))

    assert_adds_up([keyed(s) for s in shards], keyed(slice(0, n)))
    there, called = np.eye(len(labels), dtype=int)[codes], np.eye(len(labels), dtype=int)[calls]
    if len(labels) > 1:
        several = [MultiLabel.count(there[s].reshape(-1, len(labels)), called[s]) for s in shards]
        assert_adds_up(several, MultiLabel.count(there, called))


@given(values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20), data=st.data())
@quick
def test_moments_of_shards_add_up_to_the_whole(values: list[float], data: st.DataObject) -> None:
    array = np.array(values)
    parts = [Moments.of(array[s]) for s in cut(data.draw, len(array))]
    whole = Moments.of(array)
    for total in ((parts[0] + parts[1]) + parts[2], parts[2] + (parts[1] + parts[0])):
        assert total.n == whole.n
        assert total.mean == pytest.approx(whole.mean, rel=1e-9, abs=1e-6)
        assert total.squares == pytest.approx(whole.squares, rel=1e-6, abs=1e-3)


MANY = """
import sys
import numpy as np
import trueerror as te
rng = np.random.default_rng(0)
truth = rng.integers(0, 50_000, 1_000_000)
called = np.where(rng.random(1_000_000) < 0.5, truth, rng.integers(0, 50_000, 1_000_000))
if sys.argv[1] == "text":
    names = np.array([f"class {i:05d}" for i in range(50_000)])
    truth, called = names[truth], names[called]
table = te.Confusion.count(truth, called)
for name in ("accuracy", "mcc", "kappa", "macro_f1", "weighted_precision", "balanced_accuracy", "expected_cost"):
    te.metric(name, table)
te.metric("kappa", table, weights="quadratic")
assert len(table.labels) == 50_000 and table.n == 1_000_000
# Not getrusage: its peak is passed on from the process that started this one.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak.split()[1]) / 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak memory of a process is read from /proc")
@pytest.mark.parametrize("kind", ["numbers", "text"])
def test_fifty_thousand_classes_and_a_million_rows_need_less_than_500_megabytes(kind: str) -> None:
    """The whole process, with Python, NumPy and the rows themselves."""
    done = subprocess.run([sys.executable, "-c", MANY, kind], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 500
