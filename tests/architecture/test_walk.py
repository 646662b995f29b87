"""How far a call walks: the number of our files that the main questions enter is a budget."""

import sys

import numpy as np
import pytest

import trueerror as te

# Entered files at most; a change that needs more asks first whether its concept has a file already.
BUDGET = {"labels": 30, "scores": 42, "two": 32, "auc": 20}


def jobs():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 500)
    p, q = (np.where(rng.random(500) < proportion, y, 1 - y) for proportion in (0.8, 0.75))
    s = 1 / (1 + np.exp(-(2.0 * y - 1 + rng.normal(size=500))))
    return {
        "labels": lambda: str(te.evaluate(y, p)),
        "scores": lambda: str(te.evaluate(y, scores=s, positive=1)),
        "two": lambda: str(te.compare(y, {"a": p, "b": q})),
        "auc": lambda: te.roc(y, s, positive=1).auc(),
    }


@pytest.mark.parametrize("name", BUDGET)
def test_a_question_enters_few_files(name):
    job = jobs()[name]
    job()
    entered = set()

    def note(frame, event, _):
        if event == "call" and "/trueerror/" in frame.f_code.co_filename:
            entered.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        job()
    finally:
        sys.setprofile(before)
    assert len(entered) <= BUDGET[name], sorted(entered)
