"""Cells and clusters that are drawn as a whole: the masses are those of the rows, counted one by one."""

from __future__ import annotations

import time

import numpy as np
import pytest

from trueerror.inference.bootstrap import _paired_scores as score_cells
from trueerror.inference.bootstrap._paired_scores import CLUSTERED, DrawnClusters, OrderedScores
from trueerror.kernels._random import row_weights


def test_masses_of_clusters_are_those_of_their_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(1)
    n = 5_000
    up, codes = draw.random(n) < 0.3, draw.permutation(np.arange(n) // 7)  # clusters in no order
    scores = [np.round(draw.standard_normal(n) + up, 2) for _ in range(2)]
    models = [OrderedScores(up, s) for s in scores]
    drawn = DrawnClusters(up, models, codes, seed=5)
    found = drawn.masses(range(3, 8))
    for b, place in zip(range(3, 8), range(5), strict=True):
        often = row_weights(int(codes.max()) + 1, 5, b)[codes]
        for model, masses in zip(models, found, strict=True):
            group = model.at_rows(np.unique(model.groups(CLUSTERED), return_inverse=True)[1])
            for side, mass in zip((up, ~up), masses, strict=True):
                want = np.bincount(group[side], weights=often[side], minlength=mass.shape[1])
                assert (mass[place] == want).all()
    monkeypatch.setattr(score_cells, "WEIGHTS", 1)
    one_by_one = DrawnClusters(up, models, codes, seed=5)
    assert one_by_one.step == 1
    assert (one_by_one.masses(range(4, 5))[0][0] == found[0][0][1]).all()


def test_replicates_of_many_rows_in_clusters_cost_a_few_passes_together() -> None:
    draw = np.random.default_rng(2)
    n = 400_000
    up = draw.random(n) < 0.2
    codes = np.arange(n) // 50
    models = [OrderedScores(up, draw.standard_normal(n) + up) for _ in range(2)]
    drawn = DrawnClusters(up, models, codes, seed=0)
    slots = [draw.integers(0, 2048, n) for _ in models]

    def seconds(work: object) -> float:
        taken = []
        for _ in range(3):
            start = time.process_time()
            work()  # type: ignore[operator]
            taken.append(time.process_time() - start)
        return min(taken)

    def row_by_row() -> None:
        for b in range(16):
            often = row_weights(drawn.units, 0, b).astype(np.float64).take(codes)
            for s in slots:
                np.bincount(s, weights=often, minlength=2048)

    assert seconds(lambda: drawn.masses(range(16))) < seconds(row_by_row) / 1.5
