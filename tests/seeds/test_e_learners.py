"""E3 to E6 of the requirements, for learners."""

import numpy as np
import pytest
from scipy import stats

import trueerror as te

FIRST = np.array([0.82, 0.79, 0.85, 0.88, 0.80, 0.83, 0.81, 0.86, 0.84, 0.82])
SECOND = np.array([0.80, 0.78, 0.82, 0.89, 0.78, 0.83, 0.77, 0.85, 0.82, 0.81])


class Cut:
    """Cuts one column half-way between the class means."""

    def __init__(self, column=0):
        self.column = column

    def get_params(self, deep=True):
        return {"column": self.column}

    def set_params(self, **given):
        return self

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.at = np.mean([X[y == c, self.column].mean() for c in self.classes_])
        return self

    def predict(self, X):
        return self.classes_[(X[:, self.column] > self.at).astype(int)]


def rows(n=100, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(0, 1, (n, 2)) + y[:, None] * np.array([1.5, 1.2]), y


def test_e3_the_same_folds_two_and_one_tailed():
    made = te.significance.paired_t(FIRST, SECOND)
    known = stats.ttest_rel(FIRST, SECOND)
    assert made.df == 9
    assert (made.statistic, made.p_value) == pytest.approx((known.statistic, known.pvalue), rel=1e-12)
    limits = known.confidence_interval(0.95)
    assert (made.low, made.high) == pytest.approx((limits.low, limits.high), rel=1e-12)
    one = te.significance.paired_t(FIRST, SECOND, alternative="greater")
    assert one.p_value == pytest.approx(made.p_value / 2, rel=1e-12)


def test_e3_in_an_experiment():
    run = te.experiment({"a": Cut(0), "b": Cut(1)}, rows(), plan=te.KFold(10), jobs=1, progress=False)
    scores = run.fold_scores("error_rate")
    known = stats.ttest_rel(scores.of("a"), scores.of("b"))
    made = run.compare("error_rate", method="plain-t")["a", "b"]
    assert (made.statistic, made.p_value, made.df) == pytest.approx((known.statistic, known.pvalue, 9), rel=1e-9)


def test_e4_different_folds_have_the_smaller_number_less_one_degrees_of_freedom():
    made = te.significance.unpaired_t(FIRST, SECOND[:7], df="conservative")
    assert made.df == 6
    t = (FIRST.mean() - SECOND[:7].mean()) / np.sqrt(FIRST.var(ddof=1) / 10 + SECOND[:7].var(ddof=1) / 7)
    assert made.statistic == pytest.approx(t, rel=1e-12)
    assert made.p_value == pytest.approx(2 * stats.t.sf(abs(t), 6), rel=1e-12)


def test_e5_the_default_is_corrected_and_the_plain_t_says_that_it_is_optimistic():
    run = te.experiment({"a": Cut(0), "b": Cut(1)}, rows(), plan=te.KFold(10, repeats=3), jobs=1, progress=False)
    default, plain = run.compare(), run.compare(method="plain-t")
    assert default.pairs[0].method == "corrected-t-test"
    assert "TE503" not in default.findings
    (finding,) = [f for f in plain.findings if f.code == "TE503"]
    assert "overlap" in finding.message
    assert plain.pairs[0].p_value < default.pairs[0].p_value


def test_e5_how_often_equal_learners_are_called_different():
    """Two learners that see one noise column each are equally good: the plain t over 5 × 5 folds errs far too often."""
    wrong = {"plain-t": 0, "corrected-t": 0}
    samples = 60
    for seed in range(samples):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(0, 1, (60, 2)), np.arange(60) % 2
        run = te.experiment({"a": Cut(0), "b": Cut(1)}, (X, y), plan=te.KFold(5, repeats=5), jobs=1, progress=False)
        for method in wrong:
            wrong[method] += run.compare(method=method).pairs[0].p_value < 0.05
    assert wrong["plain-t"] / samples > 0.2
    assert wrong["corrected-t"] / samples < 0.12


def test_e6_several_data_sets():
    data = {f"set {i}": rows(60, seed=i) for i in range(8)}
    run = te.experiment({"a": Cut(0), "b": Cut(1)}, data, plan=te.KFold(3), jobs=1, progress=False)
    ranking = run.rank()
    assert len(ranking.data_sets) == 8
    assert ranking["a", "b"].method.startswith("wilcoxon")
    assert ranking.posterior is not None
    assert "Higher accuracy is better" in ranking.reading
