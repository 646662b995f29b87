"""Words that people bring are taken where they are plain; else the error names ours, in one short line."""

from __future__ import annotations

import logging
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.inputs._words import known_words

TRUTH = [0, 1] * 40
FIRST = [0, 1] * 35 + [1, 0] * 5
SECOND = [0, 1] * 30 + [1, 0] * 10
SCORES = [0.2, 0.9] * 35 + [0.7, 0.4] * 5
GROUPS = list(range(40)) * 2
BOTH = {"a": FIRST, "b": SECOND}
ROWS = np.column_stack([np.array(TRUTH) + np.linspace(-1, 1, 80), np.linspace(0, 1, 80)])
RANKS = {"a": [0.9, 0.8, 0.9, 0.7], "b": [0.8, 0.7, 0.8, 0.6], "c": [0.7, 0.9, 0.6, 0.5]}


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (lambda: te.evaluate(y_true=TRUTH, y_pred=FIRST), lambda: te.evaluate(TRUTH, FIRST)),
        (lambda: te.evaluate(TRUTH, FIRST, pos_label=0), lambda: te.evaluate(TRUTH, FIRST, positive=0)),
        (lambda: te.evaluate(TRUTH, y_score=SCORES), lambda: te.evaluate(TRUTH, scores=SCORES)),
        (lambda: te.evaluate(TRUTH, y_prob=SCORES), lambda: te.evaluate(TRUTH, scores=SCORES)),
        (lambda: te.evaluate(TRUTH, FIRST, groups=GROUPS), lambda: te.evaluate(TRUTH, FIRST, clusters=GROUPS)),
        (lambda: te.evaluate(TRUTH, FIRST, cluster=GROUPS), lambda: te.evaluate(TRUTH, FIRST, clusters=GROUPS)),
        (lambda: te.evaluate(TRUTH, FIRST, slices=GROUPS), lambda: te.evaluate(TRUTH, FIRST, by=GROUPS)),
        (lambda: te.evaluate(TRUTH, FIRST, alpha=0.2), lambda: te.evaluate(TRUTH, FIRST, confidence=0.8)),
        (lambda: te.evaluate(TRUTH, FIRST, conf_level=0.8), lambda: te.evaluate(TRUTH, FIRST, confidence=0.8)),
        (lambda: te.evaluate(TRUTH, FIRST, metric="f1_macro"), lambda: te.evaluate(TRUTH, FIRST, metrics="macro_f1")),
        (lambda: te.metric("f1", TRUTH, FIRST, average="macro"), lambda: te.metric("macro_f1", TRUTH, FIRST)),
        (lambda: te.compare(TRUTH, BOTH, baseline="a"), lambda: te.compare(TRUTH, BOTH, reference="a")),
        (lambda: te.compare(TRUTH, BOTH, scoring="recall"), lambda: te.compare(TRUTH, BOTH, metric="recall")),
        (lambda: te.gate(TRUTH, BOTH, reference="b"), lambda: te.gate(TRUTH, BOTH, baseline="b")),
        (lambda: te.interval(3, 20, significance_level=0.1), lambda: te.interval(3, 20, confidence=0.9)),
        (lambda: te.roc(y_true=TRUTH, y_score=SCORES), lambda: te.roc(TRUTH, SCORES)),
        (lambda: te.KFold(n_splits=4, n_repeats=2), lambda: te.KFold(4, repeats=2)),
        (lambda: te.power(n=90, first=0.8, second=0.7, confidence=0.9),
         lambda: te.power(n=90, first=0.8, second=0.7, alpha=0.1)),
        (lambda: te.significance.nemenyi(RANKS, alpha=0.1), lambda: te.significance.nemenyi(RANKS, confidence=0.9)),
        (lambda: te.bootstrap([1.0, 2, 4], n_resamples=500, random_state=3),
         lambda: te.bootstrap([1.0, 2, 4], replicates=500, rng=3)),
        (lambda: te.read({"y": TRUTH, "m": FIRST, "g": GROUPS}, y_true="y", groups="g").confusion(),
         lambda: te.read({"y": TRUTH, "m": FIRST, "g": GROUPS}, truth="y", cluster="g").confusion()),
        (lambda: te.evaluate({"y": TRUTH, "m": FIRST, "g": GROUPS}, truth="y", cluster="g"),
         lambda: te.evaluate({"y": TRUTH, "m": FIRST, "g": GROUPS}, truth="y", clusters="g")),
    ],
)  # fmt: skip
def test_their_words_mean_ours(theirs, ours):
    assert str(theirs()) == str(ours())


def test_an_experiment_takes_the_words_of_scikit_learn():
    run = te.experiment(GaussianNB(), ROWS, TRUTH, cv=3, n_jobs=1, random_state=4, verbose=0)
    assert (run.plan, run.seed) == (te.KFold(3), 4)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("neg_log_loss", "log_loss"), ("neg_brier_score", "brier"), ("matthews_corrcoef", "mcc"),
        ("pr_auc", "average_precision"), ("auprc", "average_precision"), ("roc_auc_ovr", "ovr_auc"),
        ("precision_macro", "macro_precision"),
        ("recall_weighted", "weighted_recall"), ("accuracy_score", "accuracy"), ("sensitivity", "recall"),
        ("balanced_accuracy", "balanced_accuracy"), ("cohen_kappa_score", "kappa"), ("jaccard_micro", "micro_jaccard"),
    ],
)  # fmt: skip
def test_scorers_of_scikit_learn_are_known(name, ours):
    from trueerror.metrics._registry import find_measure

    assert find_measure(name).name == ours


FRAME = pd.DataFrame({"a": SCORES, "b": SCORES})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: te.interval(3, 20, foo=1), "it takes rate=, method=, confidence=, side="),
        (lambda: te.interval(3, 20, confidnece=0.9), "did you mean confidence=?"),
        (lambda: te.interval(3, 20, 0.95), "te.interval(successes, trials)"),
        (lambda: te.interval(3, 20, alpha=0.95), "pass confidence="),
        (lambda: te.interval(3, 20, level=0.05), "pass confidence=0.95"),
        (lambda: te.interval(3, 20, alpha=0.05, confidence=0.9), "are the same option"),
        (lambda: te.interval(3, 20, method=FRAME), "a DataFrame of 80 × 2"),
        (lambda: te.evaluate(TRUTH, FIRST, confidence=FRAME), "a DataFrame of 80 × 2"),
        (lambda: te.evaluate(TRUTH, FIRST, zero_division=0), "NaN with a reason"),
        (lambda: te.evaluate(TRUTH, FIRST, beta=2), 'metric={"f_beta": {"beta": 2}}'),
        (lambda: te.compare(TRUTH, BOTH, costs=[[0, 1], [5, 0]], metric="accuracy"), "leave metric= out"),
        (lambda: te.compare(TRUTH, BOTH, metrics=["f1", "recall"]), "one metric at a time"),
        (lambda: te.metric(TRUTH, FIRST, "f1"), "te.metric('accuracy', truth, labels)"),
        (lambda: te.metric("ndcg", TRUTH, FIRST), "is not known; te.catalogue()"),
        (lambda: te.significance.paired_t([1, 2]), "te.significance.paired_t(first, second"),
        (lambda: te.KFold(5, random_state=0), "it takes repeats=, stratify="),
        (lambda: te.power(100, 0.8, 0.7), "te.power(n=500, first=0.90, second=0.92)"),
        (lambda: te.evaluate(te.evaluate(TRUTH, FIRST)), "Evaluation"),
    ],
)
def test_what_cannot_be_taken_is_said_in_one_short_line(call, words):
    with pytest.raises(InputError) as caught:
        call()
    said = str(caught.value)
    assert words in said
    assert len(said) <= 300
    assert "\n" not in said


def test_old_words_work_with_one_note(caplog):
    with caplog.at_level(logging.WARNING, "trueerror"):
        old = te.rank(RANKS, control="a")
    assert old == te.rank(RANKS, reference="a")
    assert all("reference=" in record.message for record in caplog.records)


def test_a_hint_names_only_what_is_taken_next():
    """A word that stands for one of ours is ours for some function, and no word stands for itself alone."""
    for word, meaning in known_words().items():
        assert meaning.say or any(ours != word for ours in meaning.ours), word


def test_public_functions_can_be_pickled():
    assert pickle.loads(pickle.dumps(te.interval))(3, 20) == te.interval(3, 20)
