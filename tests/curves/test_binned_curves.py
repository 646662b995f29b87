"""Curves of binned scores: what is read off them holds the exact value, and nothing is silent about binning."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import trueerror as te
from tests.tallies.possible_rows import Possible, possible_rows
from trueerror.curves._cost import CostCurve
from trueerror.curves._det import equal_rates
from trueerror.curves._lines import top_at
from trueerror.curves._points import area_under
from trueerror.curves._precision_recall import davis_goadrich_area, gain_areas
from trueerror.curves._roc import _GAINS, part_areas
from trueerror.results import Interval
from trueerror.tallies import ScoreTable

HAIR = 1e-10
STATISTICS: dict[str, Callable[[ScoreTable], Any]] = {
    "partial area": lambda t: part_areas(t.positives[None], t.negatives[None], 0.0, 0.2)[0],
    "partial area by TPR": lambda t: part_areas(t.positives[None], t.negatives[None], 0.7, 1.0, "tpr")[0],
    "equal error rate": lambda t: equal_rates(t.positives[None], t.negatives[None])[0],
    "PR area": lambda t: davis_goadrich_area(t.positives[None], t.negatives[None])[0],
    "PR gain area": lambda t: gain_areas(t.positives[None], t.negatives[None])[0],
    "cost envelope": lambda t: area_under(*CostCurve(t).envelope),
    "hull": lambda t: te.roc(t).hull().area,
    "gains": lambda t: te.gains(t).at(share=0.1).estimate,
    "Brier": lambda t: te.metric("brier", t),
    **{f"best {k}": lambda t, k=k: te.roc(t)._gain(k).max() for k in _GAINS},
}


@settings(max_examples=150, deadline=None)
@given(rows=possible_rows())
def test_the_best_and_worst_tables_bound_whatever_rises_with_the_curve(rows: Possible) -> None:
    for name, statistic in STATISTICS.items():
        low, high = rows.binned.bounds.of(statistic)
        assert low - HAIR <= float(statistic(rows.exact)) <= high + HAIR, name
    grid = np.linspace(0.0, 1.0, 41)
    worst, exact, best = (
        top_at(te.roc(t).fpr, te.roc(t).tpr, grid)
        for t in (rows.binned.bounds.worst, rows.exact, rows.binned.bounds.best)
    )
    assert (worst <= exact + HAIR).all()
    assert (exact <= best + HAIR).all()


@settings(max_examples=60, deadline=None)
@given(rows=possible_rows())
def test_points_hold_those_of_the_exact_curve(rows: Possible) -> None:
    for threshold in (*np.unique(rows.scores).tolist(), 0.517):
        ours, exact = (te.roc(t).at(threshold=threshold) for t in (rows.binned, rows.exact))
        pr, exact_pr = (te.precision_recall(t).at(threshold=threshold) for t in (rows.binned, rows.exact))
        det, exact_det = (te.det(t).at(threshold=threshold) for t in (rows.binned, rows.exact))
        pairs = (
            (ours.tpr_interval, exact.tpr_interval), (ours.fpr_interval, exact.fpr_interval),
            (pr.precision, exact_pr.precision), (pr.recall, exact_pr.recall),
            (det.fpr, exact_det.fpr), (det.fnr, exact_det.fnr),
        )  # fmt: skip
        for mine, sharp in pairs:
            if np.isnan(sharp.low):
                continue
            assert mine.low <= sharp.low + HAIR
            assert mine.high >= sharp.high - HAIR


@settings(max_examples=40, deadline=None)
@given(rows=possible_rows(most=30))
def test_what_thresholds_within_bins_may_reach(rows: Possible) -> None:
    curve, exact = te.roc(rows.binned), te.roc(rows.exact)
    for share in (0.0, 0.1, 0.45):
        best = curve._best
        assert curve.at(fpr=share).tpr <= exact.at(fpr=share).tpr + HAIR
        assert exact.at(fpr=share).tpr <= best.at(fpr=share).tpr + HAIR
        assert best.at(tpr=share).fpr <= exact.at(tpr=share).fpr + HAIR
        assert exact.at(tpr=share).fpr <= curve.at(tpr=share).fpr + HAIR


def test_the_split_tables_hold_the_same_rows() -> None:
    table = ScoreTable([0.0, 0.5, 0.7], [1, 2, 4], [2, 1, 4], exact=False, uppers=np.array([0.4, 0.5, 0.9]))
    best, worst = table.bounds.best, table.bounds.worst
    assert best.scores.tolist() == [0.0, 0.4, 0.5, 0.7, 0.9]
    assert best.positives.tolist() == [0, 1, 2, 0, 4]
    assert best.negatives.tolist() == [2, 0, 1, 4, 0]
    assert worst.positives.tolist() == [1, 0, 2, 4, 0]
    assert worst.negatives.tolist() == [0, 2, 1, 0, 4]
    assert best.exact
    assert worst.exact
    exact = ScoreTable.count([0, 1], [0.1, 0.2])
    assert exact.bounds.best == exact == exact.bounds.worst


rng = np.random.default_rng(11)
UP = rng.random(3000) < 0.4
SCORES = 1 / (1 + np.exp(-(rng.normal(size=3000) + UP)))
PLACES = np.floor(SCORES * 200).astype(int)
THERE = np.unique(PLACES)
BINNED = ScoreTable(
    THERE / 200, np.bincount(PLACES[UP], minlength=200)[THERE], np.bincount(PLACES[~UP], minlength=200)[THERE],
    exact=False, uppers=np.nextafter((THERE + 1) / 200, 0),
)  # fmt: skip
EXACT = ScoreTable.count(UP, SCORES, positive=True)
CURVES = ("roc", "precision_recall", "precision_recall_gain", "det", "gains", "lift", "cost_curve", "calibration",
          "brier_curve", "decision_curve", "risk_coverage")  # fmt: skip
READ: dict[str, list[Callable[[Any], Any]]] = {
    "roc": [
        lambda c: c.auc(), lambda c: c.auc("bootstrap", replicates=200),
        lambda c: c.partial_auc(0, 0.2, replicates=200),
        lambda c: c.band(), lambda c: c.at(fpr=0.1), lambda c: c.at(tpr=0.9), lambda c: c.at(threshold=0.5012),
        lambda c: c.best_threshold(), lambda c: c.operating_point(replicates=100), lambda c: c.hull(),
    ],
    "precision_recall": [
        lambda c: c.average_precision(), lambda c: c.average_precision(method="bootstrap", replicates=200),
        lambda c: c.auc(), lambda c: c.auc("linear"), lambda c: c.at(threshold=0.5012),
        lambda c: c.at(recall=0.5).recall,
    ],
    "precision_recall_gain": [lambda c: c.auc(replicates=200)],
    "det": [
        lambda c: c.equal_error_rate(replicates=200), lambda c: c.at(fpr=0.1).fnr, lambda c: c.at(threshold=0.5012),
    ],
    "gains": [lambda c: c.at(share=0.1)],
    "lift": [lambda c: c.at(share=0.1)],
    "cost_curve": [lambda c: c.area(replicates=200), lambda c: c.at(pc=0.3).cost],
    "calibration": [
        lambda c: c.slope(), lambda c: c.intercept(), lambda c: c.in_the_large(), lambda c: c.brier(),
        lambda c: c.spiegelhalter(), lambda c: c.ece(replicates=100),
    ],
    "brier_curve": [lambda c: c.area(), lambda c: c.at(0.3)],
    "decision_curve": [lambda c: c.at(threshold=0.3)],
    "risk_coverage": [lambda c: c.at(coverage=0.5), lambda c: c.area(replicates=200)],
}  # fmt: skip


def unfolded(x: object) -> str:
    return " ".join(str(x).split())


@pytest.mark.parametrize("name", CURVES)
def test_no_curve_is_silent_about_binning(name: str) -> None:
    curve, exact = (getattr(te, name)(table) for table in (BINNED, EXACT))
    assert "inned scores" in unfolded(curve)
    assert "inned scores" not in unfolded(exact)
    for read in READ[name]:
        found, sharp = read(curve), read(exact)
        assert "inned scores" in unfolded(found), found
        assert "inned scores" not in unfolded(sharp)
        if isinstance(found, Interval) and "exact value lies in" in found.note:
            assert found.low <= sharp.estimate <= found.high
    back = te.load(curve.to_json())
    assert str(back) == str(curve)


def test_the_band_holds_the_exact_curve() -> None:
    ours, exact = te.roc(BINNED).band(), te.roc(EXACT).band()
    assert (ours.low <= exact.tpr).all()
    assert (ours.high >= exact.tpr).all()


def test_several_binned_curves() -> None:
    other = ScoreTable(
        THERE / 200, BINNED.positives[::-1].copy(), BINNED.negatives, exact=False, uppers=BINNED.uppers
    )  # fmt: skip
    mean = te.average_curves([BINNED, other])
    assert "binned scores: rates within a bin are off by" in mean.note
    for method in ("ledell", "mean-t", "corrected-t", "pooled-bootstrap"):
        found = te.auc_over_folds([BINNED, other], method=method, replicates=200)
        assert "binned scores: the exact value lies in" in found.note
        best = te.auc_over_folds([t.bounds.best for t in (BINNED, other)], method=method, replicates=200)
        worst = te.auc_over_folds([t.bounds.worst for t in (BINNED, other)], method=method, replicates=200)
        assert found.low <= worst.estimate < best.estimate <= found.high
    choice = te.roc_hull({"a": te.roc(BINNED), "b": te.roc(other)}).best(replicates=100)
    assert "binned scores" in choice.note
    ours = te.roc_difference(None, te.roc(BINNED), te.roc(other), replicates=100)
    assert "binned scores" in ours.note
    highest, lowest = (top_at(te.roc(t).fpr, te.roc(t).tpr, ours.fpr) for t in (BINNED.bounds.best, other.bounds.worst))
    assert (ours.high >= highest - lowest - HAIR).all()


def test_a_hull_of_rows_that_do_not_fit_is_chosen_curve_by_curve(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"truth": UP.astype(int), "a": SCORES, "b": SCORES**2 + 0.1 * UP}), path)
    p = te.read(path, models={"a": {"score": "a"}, "b": {"score": "b"}}, budget="16kB")
    choice = te.roc_hull(p).best(replicates=100)
    assert not choice.paired
    assert "each curve was resampled by itself" in choice.note
    assert "binned scores" in choice.note


@settings(max_examples=40, deadline=None)
@given(rows=possible_rows())
def test_every_record_says_where_the_exact_curve_lies(rows: Possible) -> None:
    up, scores = rows.up, rows.scores
    first, *points = te.roc(rows.binned).records()
    assert first["threshold"] == np.inf
    assert first["tpr_low"] is None
    for point, other in zip(points, te.precision_recall(rows.binned).records(), strict=True):
        assert point["up_to"] == other["up_to"]
        inside = scores[(scores >= point["threshold"]) & (scores <= point["up_to"])]
        for threshold in np.unique(inside):
            called = scores >= threshold
            assert point["tpr_low"] - HAIR <= called[up].mean() <= point["tpr_high"] + HAIR
            assert point["fpr_low"] - HAIR <= called[~up].mean() <= point["fpr_high"] + HAIR
            assert other["recall_low"] == point["tpr_low"]
            assert other["precision_low"] - HAIR <= up[called].mean() <= other["precision_high"] + HAIR
    assert set(te.roc(rows.exact).records()[0]) == {
        "threshold", "tp", "fp", "tn", "fn", "fpr", "tpr", "precision", "recall"
    }  # fmt: skip
