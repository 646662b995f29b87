"""Differences of metrics of scores by the bootstrap of rows and clusters."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import trueerror as te
from trueerror.inference._problem import IntervalSpec, Problem
from trueerror.inference.bootstrap import _tables
from trueerror.inference.bootstrap._paired import paired_score_contrast
from trueerror.inputs._options import InputError, generator
from trueerror.kernels._random import row_weights, seed_of
from trueerror.metrics._registry import find_measure
from trueerror.results import Contrast
from trueerror.tallies import ScoreTable

METRICS = ("average_precision", "auc", "brier_skill_score", "ece", "mce")
Rows = tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]


def rows(n: int = 80, seed: int = 0, share: float = 0.3, digits: int = 2, noise: float = 1.0) -> Rows:
    rng = np.random.default_rng(seed)
    up = rng.random(n) < share
    base = rng.standard_normal(n) + 1.5 * up - 1
    one, two = (np.round(1 / (1 + np.exp(-base - f * noise * rng.standard_normal(n))), digits) for f in (0.5, 1.0))
    return up, one, two


def contrast(metric: str, data: Rows, *, clusters: Any = None, replicates: int = 400, **asked: Any) -> Contrast:
    def instead(why: str) -> Contrast:
        raise AssertionError(why)

    q: Problem[Any] = Problem(metric=find_measure(metric), sample=None, spec=IntervalSpec(**asked))
    return paired_score_contrast(q, *data, clusters=clusters, replicates=replicates, instead=instead)


def by_hand(metric: str, data: Rows, often: NDArray[Any]) -> float:
    """First − second over the rows that were drawn."""
    up, *scores = data
    taken = np.repeat(np.arange(len(up)), often)
    one, two = (float(find_measure(metric).function(ScoreTable.from_codes(up[taken], s[taken], 1))) for s in scores)
    return one - two


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("digits", [1, 15])
def test_limits_are_percentiles_of_the_metric_of_drawn_rows(metric: str, clustered: bool, digits: int) -> None:
    data = rows(300, digits=digits)
    keys = np.arange(300) // (4 if clustered else 1)
    made = contrast(metric, data, clusters=keys if clustered else None, replicates=60, rng=9)
    seed = seed_of(generator(9)[0])
    drawn = [by_hand(metric, data, row_weights(int(keys[-1]) + 1, seed, b)[keys]) for b in range(60)]
    assert made.estimate == pytest.approx(by_hand(metric, data, np.ones(300, int)), abs=1e-12)
    expected = np.quantile(drawn, [0.025, 0.975])
    # Limits hold the estimate, which calibration errors of resamples may all lie beyond.
    assert made.low == pytest.approx(min(expected[0], made.estimate), abs=1e-12)
    assert made.high == pytest.approx(max(expected[1], made.estimate), abs=1e-12)
    below = (1 + sum(d <= 0 for d in drawn)) / 61, (1 + sum(d >= 0 for d in drawn)) / 61
    assert made.p_value == pytest.approx(min(1.0, 2 * min(below)))
    assert made.method == "paired-bootstrap-percentile"


def test_replicates_do_not_depend_on_blocks_and_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = contrast("average_precision", rows(), rng=3)
    monkeypatch.setattr(_tables, "BLOCK", 1_000)
    for threads in (1, 2):
        monkeypatch.setattr("trueerror.kernels._threads.current", lambda t=threads: SimpleNamespace(thread_count=t))
        assert contrast("average_precision", rows(), rng=3) == whole


@pytest.mark.parametrize("n", [80, 20_000])
def test_changing_places_turns_the_signs(n: int) -> None:
    up, one, two = rows(n, digits=15)
    ahead, behind = (contrast("average_precision", (up, *pair), rng=1) for pair in ((one, two), (two, one)))
    assert (behind.estimate, behind.low, behind.high) == pytest.approx((-ahead.estimate, -ahead.high, -ahead.low))
    assert behind.p_value == pytest.approx(ahead.p_value)
    assert behind.p_better == pytest.approx(1 - (ahead.p_better or 0))


def test_whole_clusters_are_drawn() -> None:
    data = rows(40)
    up, one, two = (np.repeat(a, 5) for a in data)
    plain = contrast("average_precision", data, rng=2)
    copied = contrast("average_precision", (up, one, two), clusters=np.repeat(np.arange(40), 5), rng=2)
    # Rows that are there five times tell no more than once.
    assert (copied.low, copied.high) == pytest.approx((plain.low, plain.high), abs=1e-12)
    assert "40 clusters drawn whole" in copied.note
    assert contrast("average_precision", (up, one, two), rng=2).width < 0.6 * plain.width


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("share", "noise"), [(0.3, 1.0), (0.3, 0.008), (0.02, 0.6)])
def test_random_groups_spread_as_rows_do(metric: str, share: float, noise: float) -> None:
    data = rows(20_000, share=share, digits=15, noise=noise)
    made = contrast(metric, data)
    assert "16,384 random groups" in made.note
    drawn = np.array([by_hand(metric, data, row_weights(20_000, 5, b)) for b in range(200)])
    low, high = np.quantile(drawn, [0.025, 0.975])
    limits = min(low, made.estimate), max(high, made.estimate)
    # 200 draws know a quantile to a fifth of the standard error, 400 to a seventh: three times both together.
    assert (made.low, made.high) == pytest.approx(limits, abs=0.72 * float(drawn.std()))


def test_a_million_rows_are_drawn_in_groups() -> None:
    up, one, two = rows(1_000_000, digits=15)
    asked: dict[str, Any] = {"scores": {"one": one, "two": two}, "positive": True, "metric": "average_precision"}
    drawn = te.compare(up, **asked, method="bootstrap", replicates=100)["one", "two"]
    made = te.compare(up, **asked)["one", "two"]
    assert drawn.width == pytest.approx(made.width, rel=0.3)


def test_compare_gives_this_contrast() -> None:
    up, one, two = rows()
    asked: dict[str, Any] = {"scores": {"a": one, "b": two}, "positive": True, "metric": "average_precision"}
    for keys in (None, np.repeat(np.arange(16), 5)):
        (pair,) = te.compare(up, **asked, clusters=keys, method="bootstrap").pairs
        own = contrast("average_precision", (up, one, two), clusters=keys, replicates=2_000)
        assert (pair.low, pair.high, pair.p_value, pair.method) == (own.low, own.high, own.p_value, own.method)


@pytest.mark.parametrize("metric", ["average_precision", "brier_skill_score", "ece"])
def test_models_that_never_differ_have_width_and_no_verdict(metric: str) -> None:
    up, one, _ = rows()
    made = te.compare(up, scores={"a": one, "b": one}, positive=True, metric=metric, method="bootstrap")["a", "b"]
    assert (made.estimate, made.p_value, made.method) == (0, 1, "effective-t")
    assert made.low < 0 < made.high
    assert "replicates are alike" in made.note


def test_replicates_that_lose_a_class_are_counted() -> None:
    up, one, two = rows(60)
    up = np.arange(60) < 3
    made = te.compare(up, scores={"a": one, "b": two}, positive=True, metric="brier_skill_score", method="bootstrap")
    assert made["a", "b"].method == "effective-t"
    assert "of the 2,000 replicates leave the metric undefined" in made["a", "b"].note


def test_one_class_alone_is_refused() -> None:
    for up in (np.ones(20, dtype=bool), np.zeros(20, dtype=bool)):
        one, two = np.linspace(0.1, 0.9, 20), np.linspace(0.9, 0.1, 20)
        for metric in ("brier_skill_score", "auc"):
            with pytest.raises(InputError, match="is undefined"):
                contrast(metric, (up, one, two))
    with pytest.raises(InputError, match="no rows"):
        contrast("auc", (np.zeros(0, dtype=bool), np.zeros(0), np.zeros(0)))


def test_the_smallest_p_that_replicates_can_show_is_written_as_a_bound() -> None:
    draw = np.random.default_rng(0)
    up = np.arange(400) < 200
    good, fair, poor = (draw.standard_normal(400) + pull * up for pull in (3.0, 1.0, 0.3))
    sure = contrast("average_precision", (up, good, poor), replicates=200)
    assert sure.p_at_most is True
    assert sure.p_value == pytest.approx(2 / 201)
    assert "p ≤ .010" in str(sure)
    open_ = contrast("average_precision", (up, fair, fair + 1e-3 * draw.standard_normal(400)), replicates=200)
    assert open_.p_at_most is None
    assert contrast("average_precision", (up, good, poor), replicates=200, alternative="less").p_at_most is None
    drawn: dict[str, Any] = {"metric": "average_precision", "method": "bootstrap", "replicates": 1000}
    cmp = te.compare(up.astype(int), scores={"good": good, "fair": fair, "poor": poor}, **drawn)
    # By how far the limits are from 0 it is less, for both differences together; replicates show no smaller one.
    assert "adjusted p ≤" in cmp.verdict
    assert cmp["poor", "good"].p_at_most is True
    assert cmp["good", "poor"].p_adjusted == pytest.approx(2 / 1001)
    assert cmp["good", "poor"].p_at_most is True
    two = te.compare(up.astype(int), scores={"good": good, "poor": poor}, **drawn)
    assert "p ≤ .002" in two.verdict
