"""A8: every result names its estimand: which model, for which rows, at which class mix."""

import re

import numpy as np
import pytest

import trueerror as te

TRUTH = np.array([0] * 75 + [1] * 25)
CALLS = np.array([0] * 70 + [1] * 5 + [1] * 20 + [0] * 5)


def test_a8_this_model_on_rows_like_these_at_their_class_mix():
    ev = te.evaluate(TRUTH, CALLS)
    assert ev.estimand == (
        "Estimates: this model as it stands, on rows drawn at random like these 100, of which 25 % are 1."
    )
    assert all(i.estimand == ev.estimand for i in ev.only.overall.values())
    assert all(i.estimand == ev.estimand for i in ev.only.classes.values())


def test_a8_another_class_mix_is_said():
    assert "at another class mix: 10 % 1" in te.evaluate(TRUTH, CALLS, prior=0.1).estimand


def test_a8_these_k_models_when_the_rows_come_from_folds():
    p = te.predictions(TRUTH, CALLS, folds=np.arange(100) % 10)
    assert "these 10 models, one for each fold" in te.evaluate(p).estimand


def test_a8_new_clusters_when_rows_depend_on_each_other():
    assert "rows of new clusters" in te.evaluate(TRUTH, CALLS, clusters=np.arange(100) // 2).estimand


def test_a8_comparisons_name_theirs():
    c = te.compare(TRUTH, {"a": CALLS, "b": TRUTH})["a", "b"]
    assert "between these two models, on rows like these 100" in c.estimand


@pytest.mark.parametrize("text", [str(te.evaluate(TRUTH, CALLS)), str(te.compare(TRUTH, {"a": CALLS, "b": TRUTH}))])
def test_a8_the_estimand_is_printed(text):
    assert re.search("Estimates: (this|each) model as it stands", text)
