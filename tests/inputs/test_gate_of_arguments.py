"""Every argument is what its name says, and is read once, in every public function."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError

TRUTH, SCORES = [0, 1, 0, 1, 1, 0] * 8, [0.2, 0.7, 0.4, 0.9, 0.3, 0.1] * 8
CURVES = [te.roc, te.det, te.precision_recall, te.gains, te.lift, te.cost_curve, te.brier_curve, te.decision_curve]


@pytest.mark.parametrize("curve", [*CURVES, te.calibration, te.risk_coverage])
def test_curves_read_iterators_once(curve: Callable[..., object]) -> None:
    wanted = str(curve(TRUTH, SCORES))
    assert str(curve(iter(TRUTH), (score for score in SCORES))) == wanted
    assert str(curve(map(int, TRUTH), itertools.chain(SCORES[:9], SCORES[9:]))) == wanted


def test_verbs_read_iterators_once() -> None:
    labels = [int(score >= 0.5) for score in SCORES]
    assert str(te.evaluate(iter(TRUTH), iter(labels))) == str(te.evaluate(TRUTH, labels))
    both = {"a": labels, "b": TRUTH[::-1]}
    of_iterators = {name: iter(column) for name, column in both.items()}
    assert str(te.compare(iter(TRUTH), of_iterators)) == str(te.compare(TRUTH, both))
    with pytest.raises(InputError, match="never ends"):
        te.evaluate(TRUTH, itertools.cycle([0, 1]))


NO_NUMBERS = [np.nan, datetime.timedelta(1), np.timedelta64(1, "D"), 1 + 2j, float, [0.1], {}, "much", np.ma.masked]


@pytest.mark.parametrize("odd", NO_NUMBERS, ids=repr)
@pytest.mark.parametrize("option", ["threshold", "cost_fp", "margin", "confidence"])
def test_what_is_no_number_is_refused_in_one_line(option: str, odd: object) -> None:
    with pytest.raises(InputError) as refused:
        te.compare(TRUTH, scores={"a": SCORES, "b": SCORES[::-1]}, **{option: odd})  # type: ignore[arg-type]
    assert len(str(refused.value)) <= 300
    assert "\n" not in str(refused.value)
