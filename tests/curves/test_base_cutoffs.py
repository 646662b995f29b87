"""Curves of very many scores are read at single cutoffs, without the sums at all of them: to the same figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.curves import _calibration as calibration
from trueerror.tallies import _scores as scores

SHARES = (0.001, 0.1, 0.5, 0.77, 1.0)
READ: dict[str, Callable[[te.ScoreTable], Any]] = {
    "gains": lambda t: [te.gains(t).at(share=x) for x in SHARES] + [te.gains(t).at(threshold=0.4)],
    "lift": lambda t: [te.lift(t).at(share=x) for x in SHARES],
    "risk and coverage": lambda t: (
        [te.risk_coverage(t).at(coverage=x) for x in SHARES]
        + [te.risk_coverage(t).at(threshold=0.7), te.risk_coverage(t).at(accuracy=0.7)]
    ),
    "decision": lambda t: [*te.decision_curve(t).net_benefit.tolist(), te.decision_curve(t).at(0.3)],
    "cost": lambda t: [te.cost_curve(t).at(pc=x) for x in SHARES[:-1]] + te.cost_curve(t)._rates[0].tolist(),
    "ROC": lambda t: [part.tolist() for part in te.roc(t)._at(te.roc(t)._corners)],
    "smooth calibration": lambda t: [part.tolist() for part in te.calibration(t).smooth()],
    "calibration": lambda t: [te.calibration(t).slope(), te.calibration(t).in_the_large()],
}


@pytest.mark.parametrize("ties", [0, 5], ids=["distinct", "tied"])
@pytest.mark.parametrize("read", READ.values(), ids=READ)
def test_figures_are_those_of_all_cutoffs(
    read: Callable[[te.ScoreTable], Any], ties: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(150_000) < 0.4
    values = 1 / (1 + np.exp(-(rng.normal(size=len(truth)) + 1.5 * truth - 0.7)))
    values = values.round(ties) if ties else values

    def counted() -> te.ScoreTable:
        return te.ScoreTable.count(truth, values)

    monkeypatch.setattr(scores, "MANY", 1 << 12)
    quick = read(counted())
    monkeypatch.setattr(scores, "MANY", 1 << 30)
    assert str(quick) == str(read(counted()))


def test_scores_without_rows_are_left_out_of_smoothing() -> None:
    rng = np.random.default_rng(4)
    size = 70_000
    ups, downs = rng.integers(0, 2, size), rng.integers(0, 2, size)
    table = te.ScoreTable(np.linspace(0, 1, size), ups, downs)
    there = ups + downs > 0
    fewer = te.ScoreTable(table.scores[there], ups[there], downs[there])
    for part, other in zip(calibration._grouped_forecasts(table), calibration._grouped_forecasts(fewer), strict=True):
        assert part == pytest.approx(other, rel=1e-12)
