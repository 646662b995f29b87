"""Averaged ROC curves over several runs, against ROCR and against Fawcett's definition, to 1e-9.

ROCR's vertical (and horizontal) average takes the mean of the points on a vertical piece of a run's curve where Fawcett
takes its top; that rule is written out below, on our points, to show that it is all of the difference.
"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

import trueerror as te
from trueerror.curves._folds import _roc_points

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "i_rocr_averaging.json").read_text())["cases"]


def runs(case):
    with open(DATA / case["csv"], newline="") as file:
        table = list(csv.DictReader(file))
    parts = {}
    for row in table:
        parts.setdefault(int(row["run"]), []).append((int(row["label"]), float(row["score"])))
    return [te.ScoreTable.count(*zip(*parts[run], strict=True)) for run in sorted(parts)]


def ties_as_means(x, y, grid):
    distinct = np.unique(x)
    means = np.array([y[x == v].mean() for v in distinct])
    return np.interp(grid, distinct, means)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_areas_of_the_runs(case):
    np.testing.assert_allclose(te.average_curves(runs(case)).areas, case["auc_per_run"], atol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_vertical_average_as_fawcett_defines_it(case):
    theirs = case["fawcett_vertical_grid"]
    mean = te.average_curves(runs(case), how="vertical", grid=theirs["fpr"])
    np.testing.assert_allclose(mean.tpr, theirs["tpr_mean"], atol=1e-9)
    np.testing.assert_allclose(mean.tpr_sd, theirs["tpr_sd"], atol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_threshold_average_with_rocrs_interpolation(case):
    theirs = case["threshold"]
    mean = te.average_curves(runs(case), how="threshold", interpolation="linear", grid=theirs["threshold"])
    np.testing.assert_allclose(mean.fpr, theirs["fpr"], atol=1e-9)
    np.testing.assert_allclose(mean.tpr, theirs["tpr"], atol=1e-9)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_rocrs_vertical_and_horizontal_averages_differ_by_their_rule_for_ties_only(case):
    points = [_roc_points(t)[:2] for t in runs(case)]
    theirs = case["vertical"]
    made = np.mean([ties_as_means(x, y, np.array(theirs["fpr"])) for x, y in points], axis=0)
    np.testing.assert_allclose(made, theirs["tpr"], atol=1e-9)
    theirs = case["horizontal"]
    made = np.mean([ties_as_means(y, x, np.array(theirs["tpr"])) for x, y in points], axis=0)
    np.testing.assert_allclose(made, theirs["fpr"], atol=1e-9)
