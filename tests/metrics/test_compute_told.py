"""A function of one's own is given what it takes: labels or scores, as the scorer, its arguments or the user says."""

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import find_measure

RNG = np.random.default_rng(3)
N = 300
Y = RNG.integers(0, 2, N)
A, B = (1 / (1 + np.exp(-(RNG.normal(size=N) + k * (2 * Y - 1)))) for k in (1.4, 0.9))


def ks(t, x):
    """Kolmogorov and Smirnov's distance, whatever the order of the rows."""
    cuts = np.unique(x)
    return float(max(abs(np.mean(x[t == 1] <= c) - np.mean(x[t == 0] <= c)) for c in cuts))


def share_right(t, x):
    return float(np.mean(t == x))


def first_tenth(truth, score):
    return float(np.mean(truth[np.argsort(-score)[: len(truth) // 10]]))


def test_scores_alone_are_what_the_function_is_given() -> None:
    want = ks(Y, A)
    assert te.metric(ks, Y, scores=A) == pytest.approx(want)
    own = te.evaluate(Y, scores=A, metric=ks, by=np.arange(N) % 2)
    assert own["ks"].estimate == pytest.approx(want)
    assert own["ks"].low < want < own["ks"].high
    assert own.slices[0]["ks"].estimate == pytest.approx(ks(Y[::2], A[::2]))
    assert "Threshold" not in str(own)
    c = te.compare(Y, scores={"a": A, "b": B}, metric=ks)["a", "b"]
    assert c.estimate == pytest.approx(want - ks(Y, B))
    gap = te.gaps(Y, scores=A, metrics=ks, by=np.arange(N) % 2).parts[0]
    assert gap.groups[1].estimate == pytest.approx(ks(Y[1::2], A[1::2]))
    p = te.predictions(Y, scores={"a": A, "b": B})
    made = te.gate(p, candidate="a", baseline="b", metric=ks, margin=0.02)
    assert made.checks[0].metric == "ks"
    assert te.metric(share_right, Y, (A > 0.5).astype(int)) == pytest.approx(np.mean((A > 0.5) == Y))


def test_labels_beside_scores_are_asked_about() -> None:
    both = te.predictions(Y, {"a": (A > 0.3).astype(int)}, scores={"a": A})
    with pytest.raises(InputError, match=r"labels or scores\? Both are here: say metric=\{share_right: "):
        te.evaluate(both, metric=share_right)
    assert te.evaluate(both, metric={share_right: {"needs": "labels"}})["share_right"].estimate == pytest.approx(
        np.mean((A > 0.3) == Y)
    )
    assert te.evaluate(both, metric={ks: {"needs": "scores"}})["ks"].estimate == pytest.approx(ks(Y, A))


def test_the_whole_record_can_be_said() -> None:
    said = {"needs": "scores", "best": "low", "range": (0, 1), "title": "distance"}
    cmp = te.compare(Y, scores={"a": A, "b": B}, metric={ks: said})
    assert cmp.best == "b"
    assert not cmp.higher_is_better
    assert "distance" in cmp.verdict
    assert find_measure({ks: said}).range == (0.0, 1.0)
    with pytest.raises(InputError, match="needs="):
        te.metric(ks, Y, scores=A, needs="numbers")


def test_what_hangs_on_the_order_of_the_rows_is_refused() -> None:
    tied = {"a": np.round(A, 1), "b": np.round(B, 1)}
    with pytest.raises(InputError, match="depends on the order of the rows"):
        te.compare(Y, scores=tied, metric=first_tenth)


def test_a_learner_with_scores_is_asked_about() -> None:
    class Sure:
        classes_ = (0, 1)

        def fit(self, X, y):
            return self

        def predict(self, X):
            return (X[:, 0] > 0.5).astype(int)

        def predict_proba(self, X):
            return np.column_stack([1 - X[:, 0], X[:, 0]])

    run = te.experiment({"one": Sure()}, A.reshape(-1, 1), Y, plan=3, progress=False)
    with pytest.raises(InputError, match="labels or scores"):
        run.estimate("one", metric=lambda t, x: share_right(t, x))
    assert run.estimate("one", metric={share_right: {"needs": "labels"}}).estimate == pytest.approx(
        np.mean((A > 0.5) == Y)
    )


def test_a_scorer_with_options_is_the_metric_of_the_registry() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    scorer = metrics.make_scorer(metrics.fbeta_score, beta=2)
    calls = {"a": (A > 0.5).astype(int), "b": (B > 0.5).astype(int)}
    ours = te.compare(Y, calls, metric={"f_beta": {"beta": 2}})["a", "b"]
    theirs = te.compare(Y, calls, metric=scorer)["a", "b"]
    assert (theirs.estimate, theirs.low, theirs.p_value) == (ours.estimate, ours.low, ours.p_value)
    weighed = metrics.make_scorer(metrics.cohen_kappa_score, weights="quadratic")
    assert te.metric(weighed, Y, calls["a"]) == pytest.approx(te.metric("kappa", Y, calls["a"], weights="quadratic"))
