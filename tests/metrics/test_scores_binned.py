"""Plain numbers of binned scores: a warning says how far they may be off, and calls within a bin are refused."""

from __future__ import annotations

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.metrics._compute import confusion_at
from trueerror.metrics.scores import middled
from trueerror.tallies import ScoreTable

BINNED = ScoreTable([0.0, 0.6], [1, 3], [3, 1], exact=False, uppers=np.array([0.4, 0.8]))


@pytest.mark.parametrize(
    ("metric", "low", "high"),
    [("auc", "0.5625", "0.9375"), ("gini", "0.1250", "0.8750"), ("brier", "0.1050", "0.3250")],
)
def test_a_plain_number_is_not_given_without_a_warning(metric: str, low: str, high: str) -> None:
    with pytest.warns(UserWarning, match=rf"{metric}: binned scores: the exact value lies in \[{low}, {high}\]"):
        assert float(low) < te.metric(metric, BINNED) < float(high)


def test_a_number_without_bounds_says_that() -> None:
    with pytest.warns(UserWarning, match="ece: binned scores: no bound is known"):
        te.metric("ece", BINNED)


def test_bins_that_leave_nothing_open_need_no_words() -> None:
    apart = ScoreTable([0.0, 0.6], [0, 3], [3, 0], exact=False, uppers=np.array([0.4, 0.8]))
    assert te.metric("auc", apart) == 1.0
    assert te.metric("auc", ScoreTable.count([0, 1], [0.1, 0.2])) == 1.0


def test_calls_within_a_bin_are_refused() -> None:
    assert confusion_at(BINNED, 0.6).matrix.tolist() == [[3, 1], [1, 3]]
    assert te.metric("accuracy", BINNED, threshold=0.5) == 0.75
    with pytest.raises(InputError, match="lies within a bin of scores"):
        te.metric("accuracy", BINNED, threshold=0.7)
    curve = te.measure_curve(BINNED, x="fpr", y="tpr")
    assert curve.at(0.6) == (0.25, 0.75)
    with pytest.raises(InputError, match="lies within a bin of scores"):
        curve.at(0.7)


@pytest.mark.parametrize(("lowest", "highest", "read"), [(0.0, 1.0, True), (0.0, 1.2, False), (-0.1, 1.0, False)])
def test_only_probabilities_are_read_at_the_middle(lowest: float, highest: float, read: bool) -> None:
    table = ScoreTable([lowest, 0.6], [1, 3], [3, 1], exact=False, uppers=np.array([0.4, highest]))
    wanted = [(lowest + 0.4) / 2, (0.6 + highest) / 2] if read else [lowest, 0.6]
    assert middled(table).scores.tolist() == pytest.approx(wanted)
