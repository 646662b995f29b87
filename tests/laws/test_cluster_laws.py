"""Laws of rows in clusters: what clusters of single rows, other names, another order and copies of rows must give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import trueerror as te
from trueerror.curves._curve_clusters import CurveClusters
from trueerror.inference._clusters import degrees_of_freedom, effective_clusters
from trueerror.inference._problem import critical_t, critical_z
from trueerror.inference._variance import ClusteredRows

FEW = settings(max_examples=40, deadline=None)
FEWER = settings(max_examples=20, deadline=None)
CUTOFF, SHARE, BINS = 0.5, 0.3, 4
# What is read off each curve, as the limits of intervals or bands.
READ = {
    "roc": lambda p: _ends(te.roc(p).at(threshold=CUTOFF).tpr_interval, te.roc(p).at(threshold=CUTOFF).fpr_interval),
    "roc band": lambda p: _band(te.roc(p).band()),
    "partial area": lambda p: _ends(te.roc(p).partial_auc(0.0, 0.5, replicates=100, rng=0)),
    "precision": lambda p: _ends(*_precision(p)),
    "precision band": lambda p: _band(te.precision_recall(p).band()),
    "det": lambda p: _ends(te.det(p).at(threshold=CUTOFF).fpr, te.det(p).at(threshold=CUTOFF).fnr),
    "gains": lambda p: _ends(te.gains(p).at(share=SHARE), te.lift(p).at(share=SHARE)),
    "cost": lambda p: _ends(te.cost_curve(p).at(pc=SHARE).cost),
    "decision": lambda p: _ends(te.decision_curve(p).at(SHARE)),
    "risk": lambda p: _ends(te.risk_coverage(p, threshold=CUTOFF).at(coverage=SHARE)),
    "calibration": lambda p: _band(te.calibration(p, bins=BINS)),
}


def _ends(*intervals):
    return np.array([[i.low, i.high] for i in intervals]).T


def _band(band):
    return np.array([band.low, band.high])


def _precision(p):
    at = te.precision_recall(p).at(threshold=CUTOFF)
    return at.precision, at.recall


@st.composite
def clustered(draw, most: int = 6):
    """Truth, scores that are exact, and clusters of which some rows are alone."""
    n = draw(st.integers(8, 40))
    truth = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    scores = np.array(draw(st.lists(st.integers(0, 16), min_size=n, max_size=n))) / 16
    keys = np.array(draw(st.lists(st.integers(0, n // draw(st.integers(2, most))), min_size=n, max_size=n)))
    # Of each class several clusters, and something on either side of the cutoff.
    assume(all(len(set(keys[truth == c])) > 1 for c in (0, 1)))
    assume(len(set(keys)) < n)
    assume((scores >= CUTOFF).any())
    return truth, scores, keys


def rows_of(truth, scores, keys):
    return te.predictions(truth, scores=scores, clusters=keys, positive=1)


@pytest.mark.parametrize("kind", READ)
@given(clustered(), st.randoms(use_true_random=False))
@FEWER
def test_order_of_rows_changes_nothing(kind, rows, random) -> None:
    order = list(range(len(rows[0])))
    random.shuffle(order)
    expected = READ[kind](rows_of(*rows))
    np.testing.assert_allclose(READ[kind](rows_of(*(column[order] for column in rows))), expected, atol=1e-12)


@pytest.mark.parametrize("kind", READ)
@given(clustered(), st.sampled_from(["text", "rising", "gaps"]))
@FEWER
def test_names_of_clusters_change_nothing(kind, rows, naming) -> None:
    truth, scores, keys = rows
    # Names in the same order, so that resamples draw the same clusters.
    renamed = {"text": [f"c{k:03}" for k in keys], "rising": keys + 100, "gaps": 17 * keys - 40}[naming]
    expected = READ[kind](rows_of(*rows))
    np.testing.assert_allclose(READ[kind](rows_of(truth, scores, renamed)), expected, atol=1e-12)


@given(clustered())
@FEW
def test_other_names_in_another_order_change_no_worth(rows) -> None:
    truth, scores, keys = rows
    codes = np.unique(keys, return_inverse=True)[1]
    mirrored = codes.max() - codes
    one, other = (in_clusters(truth, scores, c) for c in (codes, mirrored))
    thresholds = np.unique(scores)[::-1]
    np.testing.assert_allclose(other.of_precision(thresholds, 0.95), one.of_precision(thresholds, 0.95), atol=1e-12)
    for positive in (False, True):
        assert other.of_class(positive, 0.95) == pytest.approx(one.of_class(positive, 0.95), rel=1e-12)


@given(clustered())
@FEW
def test_rows_alone_in_their_clusters_are_independent_rows(rows) -> None:
    truth, scores, _ = rows
    plain = te.predictions(truth, scores=scores, positive=1)
    alone = rows_of(truth, scores, np.arange(len(truth)))
    # Clusters of one row are no clusters: the curves are those of rows.
    for read in READ.values():
        np.testing.assert_array_equal(read(alone), read(plain))
    # What the rows of a class are worth where they are counted as clusters: all of them, t and 1/(1 − w) apart.
    worth = in_clusters(truth, scores, np.arange(len(truth)))
    for positive in (False, True):
        n = int((truth == positive).sum())
        least = t_rows(n * (1 - 1 / n) ** 2, n - 1, 0.95)
        assert least * (1 - 1e-9) <= worth.of_class(positive, 0.95) <= t_rows(n, len(truth) - 1, 0.95) * (1 + 1e-9)


@given(clustered(), st.integers(2, 4))
@FEW
def test_copies_of_rows_within_their_clusters_widen_no_curve(rows, times) -> None:
    truth, scores, keys = rows
    # With one cutoff that is seen among the quantiles of either class, with copies too.
    scores = np.where(scores >= CUTOFF, 1.0, 0.0)
    assume(all(scores[truth == c].mean() > 0.1 for c in (0, 1)))
    codes = np.unique(keys, return_inverse=True)[1]
    once = in_clusters(truth, scores, codes)
    copied = in_clusters(*(np.repeat(column, times) for column in (truth, scores, codes)))
    for positive in (False, True):
        one, more = once.of_class(positive, 0.95), copied.of_class(positive, 0.95)
        side = truth == positive
        df = degrees_of_freedom(effective_clusters(np.bincount(codes[side])))
        all_rows = one >= t_rows(float(side.sum()), df, 0.95) * (1 - 1e-9)
        assert more >= one * (1 - 1e-9) if all_rows else more == pytest.approx(one, rel=1e-9)


def in_clusters(truth, scores, codes):
    return CurveClusters(ClusteredRows(positive=truth == 1, scores=scores, codes=codes))


def t_rows(rows, df, confidence):
    """With z as many rows have the limits that `rows` have with t."""
    return rows * (critical_z(confidence) / critical_t(confidence, df)) ** 2
