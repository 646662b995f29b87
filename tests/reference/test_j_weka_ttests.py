"""WEKA 3.6.14's own 10 × 10 folds of four learners on seven data sets: corrected and plain t to 1e-9.

WEKA sums squares in one pass, so where a scheme's differences hardly vary its standard deviation has 12–13 digits
(`meta.notes`); R computed the same from the formula. Where the differences are all 0 there is no t.
"""

import csv
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from trueerror.inference._problem import critical_t
from trueerror.inference.learner._intervals import corrected_t_interval, fold_t
from trueerror.inference.loss._t_tests import corrected_t, paired_t

DATA = Path(__file__).parent / "data"
EVERY = json.loads((DATA / "j_weka_ttests.json").read_text(encoding="utf-8"))["cases"]
CASES = [c for c in EVERY if c["explicit_R"]["corrected_t"] != "NaN"]
FOLDS: dict = defaultdict(list)
with (DATA / "j_weka_folds.csv").open(encoding="utf-8") as file:
    for line in csv.DictReader(file):
        FOLDS[line["dataset"], line["scheme"]].append(line)


def columns(case):
    """The two schemes' scores, and test to training rows over all folds."""
    first, second = (FOLDS[case["dataset"], case[s]] for s in ("scheme_x", "scheme_y"))
    assert [(r["run"], r["fold"]) for r in first] == [(r["run"], r["fold"]) for r in second]
    x, y = (np.array([float(r[case["csv_column"]]) for r in part]) for part in (first, second))
    ratio = sum(int(r["n_test"]) for r in first) / sum(int(r["n_train"]) for r in first)
    return x, y, ratio


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-12)


def test_learners_that_never_differ():
    """Both have an AUC of 1 on each of iris's folds: R has no t, WEKA no significance; no difference has p = 1."""
    (case,) = [c for c in EVERY if c not in CASES]
    x, y, ratio = columns(case)
    made = corrected_t(x - y, test_train_ratio=ratio)
    assert (made.estimate, made.p_value) == (0, 1)
    assert case["weka_corrected_significance"] == 0


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_corrected_t(case):
    x, y, ratio = columns(case)
    assert ratio == close(case["test_train_ratio"])
    assert len(x) == case["count"]
    made = corrected_t(x - y, test_train_ratio=ratio)
    known = case["explicit_R"]
    assert made.estimate == close(known["mean_diff"])
    assert made.statistic == close(known["corrected_t"])
    assert made.p_value == close(known["corrected_p"])
    assert made.df == known["df"]
    assert made.p_value == pytest.approx(case["weka_corrected_p"], rel=1e-9, abs=1e-9)
    told = 0 if made.p_value > 0.05 else int(np.sign(made.estimate))
    assert told == case["weka_corrected_significance"]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_plain_t_and_how_much_more_it_claims(case):
    x, y, _ = columns(case)
    made = paired_t(x, y)
    assert made.statistic == close(case["explicit_R"]["uncorrected_t"])
    assert made.p_value == close(case["explicit_R"]["uncorrected_p"])
    assert made.p_value < case["explicit_R"]["corrected_p"]


@pytest.mark.parametrize("case", CASES[::6], ids=lambda c: c["id"])
def test_intervals_rest_on_the_same_errors(case):
    x, y, ratio = columns(case)
    known = case["explicit_R"]
    for made, t in (
        (corrected_t_interval(x - y, test_train_ratio=ratio), "corrected_t"),
        (fold_t(x - y), "uncorrected_t"),
    ):
        error = (made.high - made.low) / 2 / critical_t(0.95, 99)
        assert made.estimate / error == close(known[t])
    alone = corrected_t_interval(x, test_train_ratio=ratio)
    assert alone.estimate == close(case["mean_x"])
    if case["sd_x"] > 1e-9:
        expected = critical_t(0.95, 99) * case["sd_x"] * np.sqrt(1 / 100 + ratio)
        assert (alone.high - alone.low) / 2 == pytest.approx(expected, rel=1e-9)
