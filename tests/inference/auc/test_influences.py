"""Influences of one row at each score against small steps of the metric itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from trueerror.inference.auc._influences import score_influences
from trueerror.metrics._registry import find_measure, reweighted_scores
from trueerror.tallies import ScoreTable

CASES: list[tuple[str, dict[str, Any]]] = [
    ("auc", {}), ("gini", {}), ("average_precision", {}), ("brier_skill_score", {}), ("ece", {}),
    ("ece", {"bins": 4}), ("mce", {}),
]  # fmt: skip


def table(n: int = 60) -> ScoreTable:
    rng = np.random.default_rng(4)
    up = rng.random(n) < 0.4
    return ScoreTable.count(up, np.round(1 / (1 + np.exp(0.4 - up - rng.standard_normal(n))), 2))


@pytest.mark.parametrize(("name", "options"), CASES)
def test_influences_are_slopes(name: str, options: dict[str, Any]) -> None:
    measure, t = find_measure(name), table()
    found = score_influences(measure, t, options)
    assert found is not None
    up, down = t.positives.astype(float), t.negatives.astype(float)
    for side, slopes in enumerate(found):
        for i in range(len(t.scores)):
            ends = []
            for step in (1e-6, -1e-6):
                masses = [up.copy(), down.copy()]
                masses[side][i] += step
                ends.append(float(measure.function(t, (masses[0], masses[1]), **options)))
            assert slopes[i] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-7)


@pytest.mark.parametrize("name", ["average_precision", "brier_skill_score", "ece"])
def test_influences_at_another_share_of_positives(name: str) -> None:
    measure, t = find_measure(name), table()
    found = score_influences(measure, t, share=0.05)
    assert found is not None
    for side, slopes in enumerate(found):
        for i in (0, 5, len(t.scores) - 1):
            ends = []
            for step in (1e-6, -1e-6):
                masses = [t.positives.astype(float), t.negatives.astype(float)]
                masses[side][i] += step
                ends.append(float(measure.function(t, reweighted_scores(t, 0.05, masses))))
            assert slopes[i] == pytest.approx((ends[0] - ends[1]) / 2e-6, abs=1e-7)
    assert score_influences(measure, t, share=0.0) is None


@pytest.mark.parametrize(("name", "options"), [*CASES, ("ece", {"binning": "mass"})])
def test_influences_of_all_rows_sum_to_nothing(name: str, options: dict[str, Any]) -> None:
    t = table()
    found = score_influences(find_measure(name), t, options)
    assert found is not None
    assert float((t.positives * found.positives + t.negatives * found.negatives).sum()) == pytest.approx(0, abs=1e-12)


def test_what_is_not_known_is_not_guessed() -> None:
    assert score_influences(find_measure("log_loss"), table()) is None
    one_class = ScoreTable.count([1, 1, 1], [0.2, 0.4, 0.5], positive=1, labels=[0, 1])
    assert score_influences(find_measure("auc"), one_class) is None


def test_perfect_forecasts_do_not_divide_by_nothing() -> None:
    found = score_influences(find_measure("brier_skill_score"), ScoreTable.count([0, 1], [0.0, 1.0]))
    assert found is not None
    assert np.isfinite(np.concatenate(found)).all()
