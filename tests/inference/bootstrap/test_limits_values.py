import numpy as np
import pytest
from scipy import stats

import trueerror as te
from trueerror.inference.bootstrap._values import STATISTICS, Draws

# R: library(boot); set.seed(1); b <- boot(x, function(d, i) c(mean(d[i]), var(d[i])/length(d[i])), R = 99999)
#    boot.ci(b, type = c("norm", "basic", "stud", "perc", "bca")); the same of sd(d[i]) for the last two
X = [0.2, 0.5, 0.7, 0.9, 1.1, 1.3, 1.8, 2.4, 3.1, 4.9, 7.7, 12.4]
R_BOOT = {
    ("mean", "normal"): (1.113, 5.061),
    ("mean", "basic"): (0.892, 4.800),
    ("mean", "bootstrap-t"): (1.369, 8.835),
    ("mean", "percentile"): (1.367, 5.275),
    ("mean", "bca"): (1.633, 6.002),
    ("sd", "percentile"): (1.002, 5.097),
    ("sd", "bca"): (1.819, 5.691),
}


@pytest.mark.parametrize(("case", "expected"), R_BOOT.items())
def test_limits_are_those_of_r_boot(case, expected):
    statistic, method = case
    made = te.bootstrap(X, statistic, method=method, replicates=40_000).interval
    assert (made.low, made.high) == pytest.approx(expected, rel=0.05)


def test_means_and_spreads_are_studentised_and_the_rest_is_bca_with_students_tails():
    assert te.bootstrap(X).interval.method == "bootstrap-studentised"
    assert te.bootstrap(X, "sd").interval.method == "bootstrap-studentised"
    for statistic in ("median", np.median, np.max, lambda v: sorted(v)[2]):
        assert te.bootstrap(X, statistic).interval.method == "bootstrap-bca-t"
    assert te.bootstrap([0, 1, 0, 0, 1, 0, 0, 0, 0, 0]).interval.method == "bootstrap-bca-t"


def test_means_are_never_surer_than_students_t():
    """Bootstrap-t alone covers .915 of 20 values from t(3), where t covers .95; together .955."""
    rng = np.random.default_rng(0)
    for x in (X, *rng.standard_t(3, (12, 20))):
        made, t = te.bootstrap(x).interval, te.mean_interval(x)
        alone = te.bootstrap(x, method="bootstrap-t").interval
        assert made.low == pytest.approx(min(t.low, alone.low))
        assert made.high == pytest.approx(max(t.high, alone.high))


def test_percentiles_by_name_are_replicates_in_order():
    made = te.bootstrap([3, 1, 4, 1, 5, 9, 2, 6, 5, 3], "median", confidence=0.9, method="percentile")
    assert (made.interval.low, made.interval.high) == (2.0, 5.0)
    with pytest.raises(ValueError, match="method="):
        te.bootstrap(X, method="magic")


def test_a_function_of_an_axis_is_run_over_all_samples_at_once():
    calls = []

    def trimmed(v, axis=None):
        calls.append(np.shape(v))
        return np.mean(np.sort(v, axis=-1)[..., 1:-1], axis=-1)

    def one_by_one(v):
        return np.mean(np.sort(v)[1:-1])

    at_once, looped = te.bootstrap(X, trimmed, replicates=500), te.bootstrap(X, one_by_one, replicates=500)
    assert len(calls) < 30
    assert (at_once.interval.low, at_once.error) == pytest.approx((looped.interval.low, looped.error), rel=1e-12)


def test_coverage_of_the_mean_of_ten_normal_values():
    # Percentiles cover .88 to .90 here.
    rng = np.random.default_rng(0)
    held = 0
    for seed in range(300):
        made = te.bootstrap(rng.normal(size=10), rng=seed, replicates=400).interval
        held += made.low <= 0 <= made.high
    assert held >= 276


@pytest.mark.parametrize("replicates", [25, 400])
@pytest.mark.parametrize("statistic", ["mean", "sd", "variance", "median"])
def test_no_bias_is_found_in_clean_samples(statistic, replicates):
    rng = np.random.default_rng(1)
    found = sum(
        "TE508" in te.bootstrap(rng.normal(size=20), statistic, rng=i, replicates=replicates).findings
        for i in range(100)
    )
    assert found <= 5


def test_too_few_replicates_are_said():
    assert "too few for limits at 95 %: draw 200 or more" in te.bootstrap(X, replicates=50).interval.note
    assert "too few" not in te.bootstrap(X, replicates=200).interval.note


def test_skewed_values_are_too_few_for_t():
    rng = np.random.default_rng(2)
    assert "skewness" in te.mean_interval(rng.lognormal(0, 1.5, 25)).note
    clean = sum(bool(te.mean_interval(rng.normal(size=n)).note) for n in (8, 15, 40) for _ in range(100))
    assert clean <= 15


@pytest.mark.parametrize("name", STATISTICS)
def test_a_statistic_of_counted_values_is_that_of_the_values(name):
    rng = np.random.default_rng(2)
    values, times = np.sort(rng.normal(size=40)), rng.integers(0, 4, (3, 40))
    expected = [float(STATISTICS[name].value(np.repeat(values, row)[None, :])[0]) for row in times]
    assert STATISTICS[name].counted(values, times) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("decimals", [0, 9])
@pytest.mark.parametrize("name", STATISTICS)
def test_replicates_of_many_values_spread_as_samples_do(name, decimals):
    # Few distinct values are drawn by their counts, many by weights of rows.
    rng = np.random.default_rng(3)
    sample = np.round(3 * rng.normal(size=20_000), decimals)
    made = Draws.of(sample, STATISTICS[name], 300, np.random.default_rng(0), "")
    drawn = [float(STATISTICS[name].value(rng.choice(sample, len(sample))[None, :])[0]) for _ in range(150)]
    if name == "median" and decimals == 0:
        assert set(made.replicates) <= {-1.0, 0.0, 1.0}
        return
    assert made.replicates.std() == pytest.approx(np.std(drawn), rel=0.25)
    assert made.replicates.mean() == pytest.approx(made.estimate, abs=0.3 * made.replicates.std())


def test_a_spread_by_another_name_is_studentised_and_heavy_tails_are_said():
    random = np.random.default_rng(3)
    for function in (np.std, np.var, lambda x: np.std(x, ddof=1)):
        assert te.bootstrap(random.normal(size=30), function).interval.method == "bootstrap-studentised"
    assert te.bootstrap(random.normal(size=30), np.max).interval.method == "bootstrap-bca-t"
    values = random.exponential(size=25)
    assert float(te.bootstrap(values, np.std)) == pytest.approx(values.std())
    fired = {"normal": 0, "exponential": 0}
    for i in range(100):
        for name in fired:
            drawn = getattr(random, {"normal": "standard_normal", "exponential": "standard_exponential"}[name])(60)
            fired[name] += "TE516" in te.bootstrap(drawn, "sd", replicates=25, rng=i).findings
    assert fired["normal"] <= 5
    assert fired["exponential"] >= 85


@pytest.mark.parametrize("n", [20, 60, 400])
def test_the_chance_of_a_kurtosis_is_that_of_anscombe_and_glynn(n):
    half = np.random.default_rng(n).standard_t(4, n // 2)
    values = np.concatenate([half, -half])  # no skewness: the kurtosis alone decides
    kurtosis, p = Draws.of(values, STATISTICS["sd"], 10, np.random.default_rng(0), "").tails
    assert kurtosis == pytest.approx(stats.kurtosis(values, fisher=False))
    assert p == pytest.approx(stats.kurtosistest(values, alternative="greater").pvalue, rel=1e-9)
