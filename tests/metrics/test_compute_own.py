"""Metrics of one's own wherever a metric is asked for."""

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import find_measure

RNG = np.random.default_rng(5)
Y = RNG.integers(0, 2, 200)
A = np.where(RNG.random(200) < 0.9, Y, 1 - Y)
B = np.where(RNG.random(200) < 0.7, Y, 1 - Y)


def net_hits(truth, predicted):
    """Right rows less half the alarms."""
    return float(np.mean(truth == predicted) - 0.5 * np.mean(predicted))


def mean_misses_loss(truth, predicted):
    return float(np.mean(truth > predicted))


def weighed_hits(truth, predicted, sample_weight=None):
    return float(np.average(truth == predicted, weights=sample_weight))


def test_a_function_is_a_metric_everywhere():
    value = net_hits(Y, A)
    own = te.evaluate(Y, A, metrics=["accuracy", net_hits])["net_hits"]
    assert own.estimate == pytest.approx(value)
    assert own.low < value < own.high
    c = te.compare(Y, {"a": A, "b": B}, metric=net_hits, replicates=500)["a", "b"]
    assert c.estimate == pytest.approx(value - net_hits(Y, B))
    assert te.gate(Y, A, B, metric=net_hits, replicates=500).checks[0].metric == "net_hits"
    assert te.metric(net_hits, Y, A) == pytest.approx(value)
    boot = te.significance.paired_bootstrap(Y, A, B, metric=net_hits, replicates=200)
    assert boot.estimate == pytest.approx(c.estimate)
    gap = te.gaps(Y, A, by=np.arange(200) % 2, metrics=net_hits, replicates=200).parts[0]
    assert set(gap.groups) == {0, 1}


def test_one_that_the_registry_has_agrees_with_it():
    own = te.evaluate(Y, A, metrics=weighed_hits)["weighed_hits"]
    known = te.evaluate(Y, A)["accuracy"]
    assert own.estimate == pytest.approx(known.estimate)
    assert (own.low, own.high) == pytest.approx((known.low, known.high), abs=0.01)
    clusters = np.arange(200) // 5
    a, b = (te.compare(Y, {"a": A, "b": B}, metric=m, clusters=clusters)["a", "b"] for m in (weighed_hits, "accuracy"))
    assert a.p_value == pytest.approx(b.p_value, abs=0.001)
    assert (a.low, a.high) == pytest.approx((b.low, b.high), abs=0.005)


def test_direction_is_by_name_or_by_the_scorer():
    cmp = te.compare(Y, {"a": A, "b": B}, metric=mean_misses_loss, replicates=200)
    assert not cmp.higher_is_better
    assert cmp.best == "a"


def test_scorers_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    assert find_measure(metrics.f1_score).name == "f1"
    assert find_measure(metrics.get_scorer("roc_auc")).name == "auc"
    assert find_measure(metrics.make_scorer(metrics.f1_score, average="macro")).name == "macro_f1"
    two = metrics.make_scorer(metrics.fbeta_score, beta=2)
    assert find_measure(two) is find_measure(two)
    ev = te.evaluate(Y, A, metrics=two, replicates=100)
    assert ev["fbeta_score"].estimate == pytest.approx(metrics.fbeta_score(Y, A, beta=2))
    assert ev["fbeta_score"].estimate == pytest.approx(te.metric("f_beta", Y, A, beta=2))


def test_a_scorer_of_scores():
    metrics = pytest.importorskip("sklearn.metrics")

    def spread(truth, scores):
        return float(scores[truth == 1].mean() - scores[truth == 0].mean())

    scores = 0.5 * Y + RNG.random(200) / 2
    scorer = metrics.make_scorer(spread, response_method="predict_proba")
    assert te.evaluate(Y, scores=scores, metrics=scorer, replicates=200)["spread"].estimate == pytest.approx(
        spread(Y, scores)
    )


def test_learners_are_judged_by_it():
    class Cut:
        def fit(self, X, y):
            return self

        def predict(self, X):
            return (X[:, 0] > 0.5).astype(int)

    run = te.experiment({"cut": Cut(), "same": Cut()}, A.reshape(-1, 1), Y, plan=5, progress=False)
    own = run.estimate("cut", metric=net_hits)
    assert own.low < own.estimate < own.high
    assert run.compare(net_hits)["cut", "same"].estimate == 0
    assert "net hits" in str(run.summary(net_hits))


@pytest.mark.parametrize(
    ("metric", "words"),
    [(3, "named by text"), (lambda truth, predicted: truth.nothing, "fails: "), (dict, "named by text")],
)
def test_what_is_no_metric_is_one_sentence(metric, words):
    with pytest.raises(InputError, match=words):
        te.evaluate(Y, A, metrics=[metric])


def test_two_functions_of_one_name_are_two_metrics():
    one, two = (lambda truth, predicted: 0.5), (lambda truth, predicted: float(np.mean(truth == predicted)))
    assert find_measure(one).name != find_measure(two).name
    assert find_measure(find_measure(two).name) is find_measure(two)


def test_a_function_that_is_defined_anew_is_meant():
    def mine(truth, predicted):
        return float(np.mean(truth == predicted))

    before = te.evaluate(Y, A, metrics=[mine])["mine"].estimate

    def mine(truth, predicted):
        return float(np.mean(truth != predicted))

    assert te.evaluate(Y, A, metrics=[mine])["mine"].estimate == pytest.approx(1 - before)
