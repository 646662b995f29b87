"""Calls that people try first: they are taken, or the error holds the call that works."""

from __future__ import annotations

import numpy as np
import pytest

import trueerror as te
from tests.cli.program import run

RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 2, 120)
SCORES = np.round(np.clip(0.5 + 0.3 * (TRUTH - 0.5) + 0.2 * RNG.normal(size=120), 0, 1), 4)


@pytest.fixture(scope="module")
def trees() -> te.Experiment:
    from sklearn.tree import DecisionTreeClassifier

    X = np.column_stack([SCORES, RNG.normal(size=120)])
    learners = {
        "stump": DecisionTreeClassifier(max_depth=1, random_state=0),
        "tree": DecisionTreeClassifier(random_state=0),
    }
    return te.experiment(learners, (X, TRUTH), plan=4, progress=False)


def test_r2_an_experiment_is_compared(trees: te.Experiment):
    assert te.compare(trees) == trees.compare()
    assert te.compare(trees, metric="f1", reference="tree") == trees.compare(metric="f1", reference="tree")
    with pytest.raises(te.InputError, match=r"an experiment has \.estimate\(\)"):
        te.evaluate(trees)


def test_r7_a_truth_of_some_rows_names_the_way_for_judges():
    with pytest.raises(te.InputError, match=r"te\.ppi"):
        te.evaluate([1, 0, None, 1], [1, 0, 1, 1])


def test_r10_axes_are_for_draw():
    with pytest.raises(te.InputError, match=r"\.draw\(ax\) draws on axes"):
        te.roc(TRUTH, SCORES).plot(ax=None)


def test_r11_percents_of_papers_are_read():
    out = run("compare", "--marginals", "A=89.6%/48", "B=80%/48")
    by_count = run("compare", "--marginals", "A=43/48", "B=38/48")
    assert out.returncode == 0, out.stderr
    assert out.stdout == by_count.stdout
    with pytest.raises(te.InputError, match=r"te\.interval\(43, 48\)"):
        te.interval("43/48")


def test_r13_names_of_epidemiologists_are_known():
    calls = (SCORES >= 0.5).astype(int)
    assert te.metric("LR+", TRUTH, calls) == te.metric("lr_plus", TRUTH, calls)
    assert te.metric("LR-", TRUTH, calls) == te.metric("lr_minus", TRUTH, calls)
    assert te.metric("f-measure", TRUTH, calls) == te.metric("f1", TRUTH, calls)
    with pytest.raises(te.InputError, match=r"te\.calibration\(…\)\.slope\(\)"):
        te.evaluate(TRUTH, scores=SCORES, metrics="calibration_slope")


def test_r14_who_was_right_goes_by_name():
    right = {"claude": [1, 0, 1, 1] * 20, "gpt": [1, 1, 0, 1] * 20}
    assert te.compare(right=right).pairs == te.compare(right, right=True).pairs
    grades = {"claude": [0.5, 0.2] * 20, "gpt": [0.3, 0.4] * 20}
    assert te.compare(grade=grades).pairs == te.compare(te.graded(grades)).pairs


def test_r17_options_of_a_metric_in_one_word():
    labels = (SCORES >= 0.5).astype(int)
    by_word, by_table = (te.evaluate(TRUTH, labels, metrics=m) for m in ("f_beta:beta=2", {"f_beta": {"beta": 2}}))
    assert by_word["f_beta"] == by_table["f_beta"]
    with pytest.raises(te.InputError, match="beta=2"):
        te.metric("f_beta:beta=2", TRUTH, labels)


def test_s2_labels_with_decision_values_print_and_are_reported(tmp_path):
    made = te.evaluate(TRUTH, (SCORES > 0.6).astype(int), scores=6 * SCORES - 3)
    assert "AUC" in str(made)
    assert "most confident" not in str(made)
    assert te.load(made.to_json())["accuracy"] == made["accuracy"]
    te.report(made, tmp_path / "m.html")
    within = te.evaluate(TRUTH, (SCORES > 0.6).astype(int), scores=SCORES)
    assert "most confident" in str(within)


def test_s6_found_and_to_be_found_are_of_the_positive_class():
    table = te.Confusion([[150, 40], [60, 250]], labels=["+", "-"], positive="+")
    words = table.plot(kind="sets")._repr_html_()
    assert "+: 190 rows, 78.9 % found (recall)" in words
    assert "flagged: 210 rows, 71.4 % right (precision)" in words
