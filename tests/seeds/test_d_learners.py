"""D3, D7 and D8 of the requirements."""

import math

import numpy as np
import pytest

import trueerror as te
from trueerror.findings import Evidence, find
from trueerror.inference._problem import tail
from trueerror.inference.bootstrap._limits import quantiles
from trueerror.inference.learner._intervals import fold_t, point_632, point_632_plus


class Majority:
    """Calls everything the commonest class of its training rows."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.common = self.classes_[np.argmax([(y == c).sum() for c in self.classes_])]
        return self

    def predict(self, X):
        return np.repeat(self.common, len(X))


class Cut(Majority):
    """Cuts the first column half-way between the class means."""

    def fit(self, X, y):
        super().fit(X, y)
        self.at = np.mean([X[y == c, 0].mean() for c in self.classes_])
        return self

    def predict(self, X):
        return self.classes_[(X[:, 0] > self.at).astype(int)]


class Wrong(Cut):
    """The same, turned about."""

    def predict(self, X):
        return self.classes_[(X[:, 0] <= self.at).astype(int)]


def rows(n=110):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    return rng.normal(0, 1, (n, 2)) + 1.5 * y[:, None], y


def test_d3_the_t_interval_over_eleven_folds():
    made = fold_t(mean=0.1, sd=0.01, folds=11)
    assert (round(made.low, 4), round(made.high, 4)) == (0.0933, 0.1067)
    assert "too narrow" in made.note  # optimistic: the training sets overlap


def test_d3_ten_folds_by_default_with_mean_and_standard_deviation():
    assert te.KFold().k == 10
    run = te.experiment({"cut": Cut()}, rows(), plan=te.KFold(11), jobs=1, progress=False)
    scores = run.fold_scores("error_rate").of("cut")
    made = run.estimate("cut", metric="error_rate", method="fold-t")
    assert made.estimate == pytest.approx(scores.mean(), abs=1e-12)
    assert made.high - made.estimate == pytest.approx(2.228139 * scores.std(ddof=1) / np.sqrt(11), rel=1e-6)


def test_d3_folds_of_fewer_than_30_rows_are_warned_of():
    run = te.experiment({"cut": Cut(), "wrong": Wrong()}, rows(), plan=te.KFold(10), jobs=1, progress=False)
    assert "fewer than 30" in run.estimate("cut", method="corrected-t").note
    assert "TE506" in run.compare().findings


def test_d7_the_50th_and_950th_of_1000():
    replicates = np.random.default_rng(0).permutation(np.arange(1.0, 1001.0))
    assert quantiles(replicates, np.array([tail(0.9), 1 - tail(0.9)]), "order").tolist() == [50, 950]
    made = te.bootstrap(replicates, replicates=1000, confidence=0.9, method="percentile")
    assert made.variance == pytest.approx(made.error**2)
    assert made.error == pytest.approx(np.std(replicates) / math.sqrt(1000), rel=0.1)


def test_d7_bias_and_the_bias_corrected_estimate():
    """The plug-in variance is too low by 1/n: the bootstrap sees it, and a finding names it where it matters."""
    values = np.random.default_rng(3).normal(0, 1, 5)
    made = te.bootstrap(values, np.var, replicates=2000)
    assert made.bias == pytest.approx(-np.var(values) / 5, rel=0.25)
    assert made.corrected == pytest.approx(made.estimate - made.bias)
    assert "TE508" in made.findings
    assert "TE508" not in te.bootstrap(np.arange(50.0)).findings
    facts = {"bootstrap_bias": 0.0251, "bootstrap_error": 0.1}
    assert "TE508" in find([Evidence(**facts)])
    assert "TE508" not in find([Evidence(**facts | {"bootstrap_bias": 0.0249})])


def test_d7_the_same_seed_gives_the_same_answer():
    assert te.bootstrap([1, 2, 4, 8], rng=7) == te.bootstrap([1, 2, 4, 8], rng=7)
    assert te.load(te.bootstrap([1, 2, 4, 8]).to_json()) == te.bootstrap([1, 2, 4, 8])


def test_d7_bootstrap_errors():
    assert (point_632(0, 0.5), point_632_plus(0, 0.5, 0.5)) == (pytest.approx(0.316), pytest.approx(0.5))
    run = te.experiment({"cut": Cut()}, rows(), plan=te.Bootstrap(30), jobs=1, progress=False)
    for method in ("out-of-bag", "632", "632+"):
        made = run.estimate("cut", metric="error_rate", method=method)
        assert made.method == f"bootstrap-{method}"
        assert made.low < made.estimate < made.high


@pytest.mark.parametrize("inner", [te.Holdout(), te.KFold(3)], ids=["validation set", "internal cross-validation"])
def test_d8_the_test_rows_take_no_part_in_choosing(inner):
    X, y = rows(60)
    run = te.experiment({"cut": Cut(), "wrong": Wrong()}, (X, y), plan=te.NestedCV(te.KFold(3), inner), jobs=1,
                        progress=False)  # fmt: skip
    assert run.chosen() == ("cut",) * 3
    splits = run.splits["data"]
    for i in run.parts(part="inner"):
        outer = next(splits[j] for j in run.parts() if splits[j].fold == splits[i].fold)
        used = set(splits[i].train.tolist()) | set(splits[i].test.tolist())
        assert not used & set(outer.test.tolist())
    made = run.estimate("the chosen one")
    assert "chosen" in made.estimand
