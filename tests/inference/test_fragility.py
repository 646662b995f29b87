"""How many more rows of the worst kind would undo a difference: what one more row can do, counted by adding it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import trueerror as te
from trueerror.inference._two_models import PairedRows
from trueerror.metrics._registry import find_measure


def _drawn(n, classes, seed):
    rng = np.random.default_rng(seed)
    y = rng.choice(classes, n, p=np.arange(classes, 0, -1) / np.arange(classes, 0, -1).sum())
    return y, *(np.where(rng.random(n) < right, y, rng.integers(0, classes, n)) for right in (0.9, 0.8))


def _difference(metric, y, a, b):
    return te.metric(metric, y, a) - te.metric(metric, y, b)


@pytest.mark.parametrize("metric", ["accuracy", "error_rate", "macro_f1", "mcc", "kappa", "macro_recall"])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_worst_row_is_the_worst_of_all_rows_that_could_be_added(metric, classes):
    y, a, b = _drawn(4_000, classes, 1)
    p = te.predictions(y, {"a": a, "b": b}, positive=1 if classes == 2 else None)
    low, high = PairedRows(p, find_measure(metric), {}).pair("a", "b").extreme()
    before = _difference(metric, y, a, b)
    added = [
        _difference(metric, np.append(y, truth), np.append(a, one), np.append(b, two)) - before
        for truth, one, two in product(range(classes), repeat=3)
    ]
    assert low == pytest.approx(min(added), rel=0.01)
    assert high == pytest.approx(max(added), rel=0.01)


def test_the_gate_of_two_models_with_many_rows_in_between_is_not_fragile():
    p = te.read(te.data.path("breast_cancer"), positive="malignant")
    assert te.gate(p, "knn", model="logreg", margin=0.03).decision == "pass"


def test_what_would_undo_a_difference_is_the_same_for_every_form_of_mcnemars_test():
    y, a, b = _drawn(400, 2, 3)
    forms = [te.compare(y, {"a": a, "b": b}, method=m)["a", "b"] for m in ("mid-p", "exact", "chi2", "chi2-cc")]
    assert forms[0].undone_by > 0
    assert [c.undone_by for c in forms] == pytest.approx([forms[0].undone_by] * 4, rel=1e-12)
