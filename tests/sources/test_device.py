"""Rows on a GPU, with NumPy arrays in the place of the device: the same answers, and no row comes to memory."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trueerror as te
from trueerror.kernels import _device as device
from trueerror.kernels import _numpy as plain
from trueerror.sources.engines._device_source import DeviceSource

N = 4_000
RNG = np.random.default_rng(0)
TRUTH = (RNG.random(N) < 0.3).astype(np.int64)
LABELS = {name: np.where(RNG.random(N) < right, TRUTH, 1 - TRUTH) for name, right in (("a", 0.9), ("b", 0.8))}
SCORES = {
    name: np.clip(0.5 + 0.2 * (TRUTH - 0.5) * s + 0.2 * RNG.normal(size=N), 0.001, 0.999).astype(np.float32).round(3)
    for name, s in (("a", 3), ("b", 2))
}


@pytest.fixture
def there(monkeypatch):
    """NumPy arrays are taken for arrays on a GPU, and fetching rows is counted."""
    fetched = []
    for place in ("_collect", "_models", "engines._device_source"):
        monkeypatch.setattr(f"trueerror.sources.{place}.on_device", lambda values: isinstance(values, np.ndarray))
    whole = DeviceSource.fetched
    monkeypatch.setattr(DeviceSource, "fetched", lambda self: fetched.append(1) or whole(self))
    return fetched


def both(ask, there, monkeypatch):
    """The answer on the device and in memory."""
    on_device = ask()
    assert not there, "rows came to memory"
    monkeypatch.setattr("trueerror.sources._collect.on_device", lambda values: False)
    monkeypatch.setattr("trueerror.sources._models.on_device", lambda values: False)
    return on_device, ask()


def alike(a, b):
    """Records that agree: whole numbers and words exactly, floats to rounding."""
    assert [r.keys() for r in a] == [r.keys() for r in b]
    for one, two in zip(a, b, strict=True):
        for key, value in one.items():
            if isinstance(value, float):
                assert value == pytest.approx(two[key], rel=1e-12, abs=1e-14, nan_ok=True), key
            else:
                assert value == two[key], key


ASKED = {
    "evaluate labels": lambda: te.evaluate(TRUTH, LABELS),
    "evaluate many classes": lambda: te.evaluate(TRUTH + 2 * (np.arange(N) % 2), LABELS["a"] + 2 * (np.arange(N) % 2)),
    "auc": lambda: te.evaluate(TRUTH, scores=SCORES, metrics=["auc"]),
    "brier": lambda: te.evaluate(TRUTH, scores=SCORES, metrics=["brier", "log_loss"]),
    "labels at a threshold": lambda: te.evaluate(TRUTH, scores=SCORES, metrics=["accuracy", "recall"], threshold=0.4),
    "compare accuracy": lambda: te.compare(TRUTH, LABELS),
    "compare f1": lambda: te.compare(TRUTH, LABELS, metric="f1"),
    "bools": lambda: te.evaluate(TRUTH == 1, LABELS["a"] == 1),
    "floats as labels": lambda: te.evaluate(TRUTH.astype(np.float32), LABELS["a"].astype(np.float32)),
    "bootstrap of auc": lambda: te.evaluate(
        TRUTH, scores=SCORES["a"], metrics=["auc"], method="bootstrap", replicates=200, rng=3
    ),
    "roc": lambda: te.roc(TRUTH, SCORES["a"]),
}


@pytest.mark.parametrize("name", ASKED)
def test_the_same_answer_without_fetching_a_row(name, there, monkeypatch):
    first, second = both(ASKED[name], there, monkeypatch)
    alike(first.records(), second.records())
    assert str(first) == str(second)


def test_two_areas_compared_without_fetching_a_row(there, monkeypatch):
    """Fourth powers of placements are not summed there: t has the degrees of freedom of the class sizes."""
    first, second = both(lambda: te.compare(TRUTH, scores=SCORES, metric="auc"), there, monkeypatch)
    for mine, held in zip(first.pairs, second.pairs, strict=True):
        assert mine.estimate == pytest.approx(held.estimate, rel=1e-12)
        assert (mine.low, mine.high) == pytest.approx((held.low, held.high), abs=0.02 * (held.high - held.low))
        assert mine.df > held.df


@pytest.mark.parametrize("metric", ["average_precision", "brier", "log_loss"])
def test_what_cannot_be_counted_there_is_the_same_in_memory(metric, there, monkeypatch):
    first = te.compare(TRUTH, scores=SCORES, metric=metric)
    monkeypatch.setattr("trueerror.sources._collect.on_device", lambda values: False)
    alike(first.records(), te.compare(TRUTH, scores=SCORES, metric=metric).records())


def test_columns_that_are_not_for_the_device_go_to_memory(there):
    p = te.predictions(TRUTH, LABELS, clusters=np.arange(N) // 4)
    assert not isinstance(p.source, DeviceSource)
    assert isinstance(te.predictions(TRUTH, LABELS).source, DeviceSource)
    holes = SCORES["a"].copy()
    holes[3] = np.nan
    with pytest.raises(ValueError, match="missing"):
        te.predictions(TRUTH, scores=holes)
    assert not isinstance(te.predictions(TRUTH, LABELS, labels=[1, 0]).source, DeviceSource)


DEGENERATE = {
    "one class": lambda: te.evaluate(np.zeros(4, dtype=int), np.zeros(4, dtype=int)),
    "one class ranked": lambda: te.evaluate(np.zeros(4, dtype=int), scores=SCORES["a"][:4], metrics=["auc"]),
    "one row": lambda: te.evaluate(TRUTH[:1], TRUTH[:1]),
    "all wrong": lambda: te.evaluate(TRUTH, 1 - TRUTH),
    "all tied": lambda: te.evaluate(TRUTH, scores=np.full(N, 0.5), metrics=["auc", "brier"]),
    "the same model twice": lambda: te.compare(TRUTH, scores={"a": SCORES["a"], "b": SCORES["a"]}, metric="auc"),
    "infinite scores": lambda: te.evaluate(TRUTH[:4], scores=np.array([0, 1, np.inf, 0.5]), metrics=["auc"]),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_rows_are_answered_as_in_memory(name, there, monkeypatch):
    first = DEGENERATE[name]()
    monkeypatch.setattr("trueerror.sources._collect.on_device", lambda values: False)
    monkeypatch.setattr("trueerror.sources._models.on_device", lambda values: False)
    assert str(first) == str(DEGENERATE[name]())


def test_lengths_must_agree(there):
    with pytest.raises(ValueError, match="rows"):
        te.predictions(TRUTH, LABELS["a"][:-1])


KINDS = [np.float16, np.float32, np.float64]


@given(
    st.lists(st.tuples(st.floats(-4, 4, width=16), st.booleans()), max_size=60),
    st.sampled_from(KINDS),
    st.booleans(),
)
def test_score_groups_and_placements(rows, kind, unit):
    scores = np.array([s for s, _ in rows], dtype=kind)
    scores = np.abs(scores) / kind(4) if unit else scores
    positive = np.array([up for _, up in rows], dtype=bool)
    made = device.score_groups(scores, positive)
    for ours, theirs in zip(made, plain.score_groups(scores.astype(np.float64), positive), strict=True):
        assert np.array_equal(ours, theirs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for ours, theirs in zip(
            device.placement_sums(made.positives, made.negatives),
            plain.placement_sums(made.positives, made.negatives),
            strict=True,
        ):
            assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12, nan_ok=True)
    if len(rows):
        assert np.array_equal(
            device.placements(scores, positive), plain.placements(scores.astype(np.float64), positive)
        )


@given(st.lists(st.integers(-3, 400), min_size=1, max_size=30))
def test_codes(values):
    array = np.array(values)
    own = device.distinct_values(array)
    known = own.values
    assert np.array_equal(known, np.unique(array))
    assert np.array_equal(known[device.code_labels(array, known)], array)
    assert np.array_equal(known[device.code_labels(array, known, own)], array)
    wider = np.arange(known[0] - 1, known[-1] + 2)
    assert len(wider) > device.MOST_LABELS or np.array_equal(wider[device.code_labels(array, wider, own)], array)


def test_what_is_no_label():
    assert device.distinct_values(np.array([0.5, 1.0])) is None
    assert device.distinct_values(np.array([np.nan, 1.0])) is None
    assert device.distinct_values(np.array([np.inf, 1.0])) is None
    assert device.distinct_values(np.arange(1000)) is None
    assert len(device.distinct_values(np.zeros(0)).values) == 0


def test_large_tables_are_looked_at_in_bins(there, monkeypatch):
    monkeypatch.setattr("trueerror.tallies._scores.COMPACT", 100)
    table = te.predictions(TRUTH, scores=SCORES["a"]).scores()
    small = table.compact()
    assert not small.exact
    assert 80 < len(small.scores) <= 100  # rows of one score stay together
    assert (small.uppers[:-1] < small.scores[1:]).all()
    assert (small.n_positive, small.n_negative) == (table.n_positive, table.n_negative)
    bounds = small.bounds.auc()
    assert bounds.low <= te.metric("auc", TRUTH, scores=SCORES["a"]) <= bounds.high
    asked = te.evaluate(TRUTH, scores=SCORES["a"], metrics=["auc"])
    assert not there
    assert asked.records()[0]["estimate"] == pytest.approx(te.metric("auc", TRUTH, scores=SCORES["a"]))


@given(
    st.lists(st.tuples(st.integers(-40, 40), st.booleans()), min_size=1, max_size=60), st.sampled_from([0, 0x3F000000])
)
def test_scores_packed_with_their_class_sort_as_scores_do(rows, base):
    """Tiny floats around 0 of either sign, and neighbours of a half."""
    bits = np.array([base + abs(k) for k, _ in rows], dtype=np.int32)
    scores = bits.view(np.float32) * np.array([-1 if k < 0 else 1 for k, _ in rows], dtype=np.float32)
    # As doubles of both signs these do not fit into 64 bits, and are sorted by their places.
    scores = np.concatenate([scores, far := np.float32([-3, 3])])
    assert device._packed(far.astype(np.float64), far > 0, *device._ordered_reach(far.astype(np.float64))) is None
    positive = np.array([*(up for _, up in rows), True, False])
    wide = scores.astype(np.float64)
    assert device._packed(scores, positive, *device._ordered_reach(scores)) is not None
    groups = [part.tolist() for part in device.score_groups(scores, positive)]
    assert groups == [part.tolist() for part in device.score_groups(wide, positive)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device, "PLACES_A_ROW", 2**31)
        placed = device.placements(scores, positive).tolist()
        patch.setattr(device, "MOST_PLACES", 0)
        assert placed == device.placements(scores, positive).tolist()
    assert placed == device.placements(wide, positive).tolist()
