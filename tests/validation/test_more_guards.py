"""A short guard over further families: truths that large samples tend to, defaults that cover."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import trueerror as te
from validation import class_areas, count_metrics, curve_points, dependent, paired_scores
from validation.frame import Cell, lines, run_block

SAMPLES = 300
CELLS: dict[str, Cell] = {
    "many classes": class_areas.area_cell("three even classes", 90, 0.85),
    "paired losses": paired_scores.loss_cell("log_loss", 100, 2.0, (0.5, 0.5)),
    "clustered difference": dependent.two_models_cell("f1", 20, 10, 0.85, 0.85),
    "points of curves": curve_points.points_cell(0.8, 0.3, 200),
}


@pytest.mark.parametrize("name", CELLS)
def test_default_intervals_cover_and_tests_keep_their_level(name: str) -> None:
    cell = replace(CELLS[name], confidences=(0.95,), block=SAMPLES)
    for line in lines(cell, run_block(cell, 0)):
        if line.kind == "test":
            assert line.rate <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / SAMPLES), line
        else:
            assert line.rate >= 0.945 - 4 * math.sqrt(0.945 * 0.055 / SAMPLES), line


def test_truths_of_two_models_and_of_many_classes() -> None:
    rng = np.random.default_rng(4)
    mix = np.array([0.5, 0.3, 0.2])
    pulls = class_areas.pulls_for(0.85, 3)
    y = class_areas.drawn_classes(rng, 60_000, mix)
    scores = class_areas.drawn_scores(rng, y, pulls)
    for metric, truth in class_areas.true_areas(pulls, mix).items():
        assert te.metric(metric, y, scores=scores) == pytest.approx(truth, abs=0.006)
    forecasts = paired_scores.Forecasts(2.0, (0.5, 1.5))
    up, said = forecasts.draw(rng, 400_000)
    for which in (0, 1):
        right = np.where(up == 1, said[which], 1 - said[which])
        assert np.mean((1 - right) ** 2) == pytest.approx(forecasts.mean_loss("brier", which), abs=0.001)
        assert np.mean(-np.log(right)) == pytest.approx(forecasts.mean_loss("log_loss", which), abs=0.004)
    made = curve_points.Population(0.85, 0.2)
    table = made.draw(rng, 200_000)
    assert te.gains(table).at(share=0.1).estimate == pytest.approx(made.gain(0.1), abs=0.006)
    assert te.decision_curve(table).at(0.3).estimate == pytest.approx(made.net_benefit(0.3), abs=0.004)
    assert te.risk_coverage(table).at(coverage=0.5).estimate == pytest.approx(made.selective(0.5), abs=0.003)


def test_totals_grow_with_the_rows() -> None:
    cell = count_metrics.random_rows("guard", "costs", count_metrics.two(0.3, 0.8, 0.9), 50, ("cost", "expected_cost"))
    assert cell.truth["cost"] == pytest.approx(50 * cell.truth["expected_cost"])
    assert cell.truth["expected_cost"] == pytest.approx(0.3 * 0.2 * 20 + 0.7 * 0.1)
