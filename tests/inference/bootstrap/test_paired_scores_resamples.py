"""Replicates of differences: row by row as by hand, and many rows through cells as row by row."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray

import trueerror as te
from trueerror.inference.bootstrap import _paired_scores as score_resamples
from trueerror.inference.bootstrap._paired_scores import JOINED, paired_replicates
from trueerror.kernels._random import row_weights
from trueerror.metrics._registry import find_measure
from trueerror.tallies import ScoreTable

METRICS = ("average_precision", "auc", "brier_skill_score", "ece", "mce")
Rows = tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.float64]]


def rows(n: int, share: float = 0.3, noise: float = 0.5, seed: int = 0) -> Rows:
    rng = np.random.default_rng(seed)
    up = rng.random(n) < share
    base = rng.standard_normal(n) + 1.5 * up - 1
    one, two = (1 / (1 + np.exp(-base - f * noise * rng.standard_normal(n))) for f in (1.0, 1.4))
    return up, one, two


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("digits", [1, 15])
def test_row_by_row_is_what_tables_of_the_drawn_rows_give(metric: str, digits: int) -> None:
    up, one, two = rows(300)
    one, two = np.round(one, digits), np.round(two, digits)
    measure = find_measure(metric)
    keys = np.arange(300) // 4
    for clusters in (None, keys):
        made = paired_replicates(measure, up, one, two, draws=40, seed=9, clusters=clusters)
        units = 300 if clusters is None else 75
        for b in range(40):
            often = row_weights(units, 9, b)
            taken = np.repeat(np.arange(300), often if clusters is None else often[keys])
            by_hand = [float(measure.function(ScoreTable.from_codes(up[taken], s[taken], 1))) for s in (one, two)]
            assert made.values[b] == pytest.approx(by_hand[0] - by_hand[1], abs=1e-12)
        assert made.note == ""


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("share", "noise"), [(0.3, 0.5), (0.3, 0.004), (0.02, 0.3)])
def test_through_cells_the_replicates_spread_as_row_by_row(
    metric: str, share: float, noise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    up, one, two = rows(20_000, share, noise)
    measure, draws = find_measure(metric), 600
    by_row = paired_replicates(measure, up, one, two, draws=draws, seed=1)
    monkeypatch.setattr(score_resamples, "VISITS", 0)
    by_cell = paired_replicates(measure, up, one, two, draws=draws, seed=2)
    assert (by_row.note, by_cell.note) == ("", JOINED)
    assert by_cell.estimate == by_row.estimate
    a, b = by_row.values, by_cell.values
    # 600 draws know a standard deviation to 3 %, and a mean to 4 % of it.
    assert b.std() == pytest.approx(a.std(), rel=0.16)
    assert b.mean() == pytest.approx(a.mean(), abs=0.3 * a.std())


def test_through_cells_whole_clusters_spread_as_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    up, one, two = (np.repeat(x, 4) for x in rows(6_000))
    keys = np.repeat(np.arange(6_000), 4)
    measure = find_measure("average_precision")
    by_row = paired_replicates(measure, up, one, two, draws=400, seed=1, clusters=keys)
    monkeypatch.setattr(score_resamples, "VISITS", 0)
    by_cell = paired_replicates(measure, up, one, two, draws=400, seed=1, clusters=keys)
    assert by_cell.note == JOINED
    # The same clusters are drawn: replicate by replicate nearly the same difference.
    assert np.corrcoef(by_row.values, by_cell.values)[0, 1] > 0.99
    assert by_cell.values.std() == pytest.approx(by_row.values.std(), rel=0.03)


def test_changing_places_turns_the_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_resamples, "VISITS", 0)
    up, one, two = rows(20_000)
    measure = find_measure("average_precision")
    ahead, behind = (paired_replicates(measure, up, *pair, draws=40, seed=5) for pair in ((one, two), (two, one)))
    assert behind.estimate == -ahead.estimate
    assert np.array_equal(behind.values, -ahead.values)


def test_models_that_are_alike_have_no_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_resamples, "VISITS", 0)
    up, one, _ = rows(20_000)
    made = paired_replicates(find_measure("average_precision"), up, one, one.copy(), draws=30, seed=1)
    assert (made.values == 0).all()


def test_where_joining_would_blur_the_difference_rows_are_drawn_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_resamples, "VISITS", 0)
    up, one, _ = rows(60_000)
    two = one.copy()
    order = np.argsort(one)
    i = int(np.flatnonzero(up[order][:-1] & ~up[order][1:])[7_000])
    two[order[[i, i + 1]]] = one[order[[i + 1, i]]]
    made = paired_replicates(find_measure("auc"), up, one, two, draws=50, seed=1)
    assert made.note == ""
    assert made.values.std() > 0


@pytest.mark.parametrize("visits", [0, score_resamples.VISITS])
def test_threads_change_nothing(visits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score_resamples, "VISITS", visits)
    up, one, two = rows(20_000)
    found = []
    for threads in (1, 2):
        monkeypatch.setattr("trueerror.kernels._threads.current", lambda t=threads: SimpleNamespace(thread_count=t))
        found.append(paired_replicates(find_measure("average_precision"), up, one, two, draws=40, seed=1).values)
    assert np.array_equal(*found)


def test_a_million_rows_are_compared_without_drawing_and_drawn_in_cells() -> None:
    up, one, two = rows(1_000_000)
    made = te.compare(up, scores={"one": one, "two": two}, metric="average_precision")["one", "two"]
    assert made.low < made.estimate < made.high
    # Row by row the draws took more than ten minutes; neighbours drawn together take seconds.
    drawn = paired_replicates(find_measure("average_precision"), up, one, two, draws=50, seed=1)
    assert drawn.note == JOINED
    assert made.low < drawn.values.mean() < made.high
