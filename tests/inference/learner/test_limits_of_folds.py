"""Limits from the rows of a round of folds: they hold for the models, and are as wide as the estimate varies."""

from dataclasses import replace

import numpy as np
import pytest

from validation.fast_learners import LEARNERS
from validation.learner_plans import Plans

SAMPLES = 200


@pytest.fixture(scope="module", params=["naive Bayes", "5 neighbours"])
def held(request):
    """Of 2 × 10 folds of 100 rows: limits less the models' error, limits, and estimates; by the rows and by the t."""
    cell = Plans(replace(LEARNERS[request.param], asked=512), "", lambda n: 0.0).folds(100, 2)
    rng = np.random.default_rng(11)
    drawn = [cell.draw(rng) for _ in range(SAMPLES)]
    models, pooled, corrected = (
        np.array([[x.low, x.high, x.estimate] for x in (p.apply(s, 0.95) for s in drawn)]) for p in cell.procedures[:3]
    )
    truth = np.mean([s["true"] for s in drawn])
    return request.param, models, pooled - truth, corrected - truth


def test_they_cover_the_error_of_the_models(held):
    _, models, _, _ = held
    covered = np.mean((models[:, 0] <= 0) & (models[:, 1] >= 0))
    assert covered > 0.925 - 2.5 * np.sqrt(0.95 * 0.05 / SAMPLES)


def test_for_the_learner_they_are_the_oracles_if_it_is_stable_and_too_narrow_if_it_is_not(held):
    name, _, pooled, corrected = held
    oracle = 2 * 1.96 * pooled[:, 2].std()
    ratio = np.mean(pooled[:, 1] - pooled[:, 0]) / oracle
    wide = np.mean(corrected[:, 1] - corrected[:, 0]) / oracle
    covered = np.mean((corrected[:, 0] <= 0) & (corrected[:, 1] >= 0))
    assert covered > 0.95
    if name == "naive Bayes":
        assert 0.9 < ratio < 1.2 < 1.4 < wide
    else:
        assert ratio < 0.9 < 1.1 < wide
