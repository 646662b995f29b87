"""Power, sample size, smallest difference."""

import math
from math import comb

import numpy as np
import pytest
from scipy.special import expit, ndtri

import trueerror as te
from trueerror.inference.power import _designs
from trueerror.inference.power._designs import (
    TESTS,
    NormalDesign,
    binomial_power,
    critical_count,
    margin_power,
    mcnemar_power,
)
from trueerror.inference.power._sample_size import Power, smallest_difference
from trueerror.inference.proportion._distributions import at_most, pmf
from trueerror.inference.proportion._paired import METHODS, equivalence, mcnemar_test, noninferiority
from trueerror.inference.proportion._two_samples import one_proportion
from trueerror.inputs._options import InputError

ALTERNATIVES = ("two-sided", "greater", "less")


def test_published_figures():
    shared = {"n": 500, "first": 0.82, "second": 0.80, "disagreement": 0.025}
    assert te.power(method="exact", **shared).power == pytest.approx(0.798, abs=5e-4)
    assert te.power(**shared).power == pytest.approx(0.862, abs=5e-4)
    rows = [
        te.sample_size(first=0.5 + a, second=0.5 + b, disagreement=a + b).n for a, b in ((0.06, 0.04), (0.10, 0.08))
    ]
    assert rows == [1960, 3530]
    pairs = ((0.80, 0.85), (0.90, 0.92), (0.5, 0.6))
    assert [te.sample_size(test="two-proportions", first=a, second=b).n for a, b in pairs] == [906, 3213, 388]


def test_rows_of_an_evaluation_with_repeated_answers():
    # ω² + σA²/KA + σB²/KB is the variance of a row's difference when each model answers it K times.
    assert te.sample_size(test="paired-mean", first=0.03, sd=math.sqrt(1 / 9)).n == 969
    noisy = 1 / 9 + 0.2 / 4 + 0.2 / 4
    assert te.sample_size(test="paired-mean", first=0.03, sd=math.sqrt(noisy)).n == pytest.approx(969 * 1.9, rel=2e-3)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_mcnemar_by_listing_all_outcomes(method, alternative):
    n, p10, p01 = 30, 0.25, 0.1
    power = wrong = size = 0.0
    for b in range(n + 1):
        for c in range(n + 1 - b):
            if mcnemar_test(b, c, method, alternative)[1] <= 0.05:
                weight = comb(n, b) * comb(n - b, c) * p10**b * p01**c * (1 - p10 - p01) ** (n - b - c)
                power, wrong, size = power + weight, wrong + weight * (b < c), size + weight * abs(b - c) / n
    made = mcnemar_power(n, p10, p01, 0.05, method, alternative)
    assert made == pytest.approx((power, wrong / power, size / power / (p10 - p01)), rel=1e-10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("p", "p0"), [(0.65, 0.5), (0.6, 0.7), (0.99, 0.9)])
def test_one_proportion_by_listing_all_outcomes(alternative, p, p0):
    n = 40
    power = wrong = size = 0.0
    for x in range(n + 1):
        if one_proportion(x, n, p0, alternative=alternative).p_value <= 0.05:
            weight = comb(n, x) * p**x * (1 - p) ** (n - x)
            power, size = power + weight, size + weight * abs(x / n - p0)
            wrong += weight * ((x / n < p0) if p > p0 else (x / n > p0))
    made = binomial_power(n, p, p0, 0.05, alternative)
    assert made == pytest.approx((power, wrong / power, size / power / abs(p - p0)), rel=1e-6)


@pytest.mark.parametrize("both", [True, False])
def test_margins_by_listing_all_outcomes(both):
    n, p10, p01, margin = 60, 0.06, 0.05, 0.1
    test = equivalence if both else noninferiority
    power = sum(
        comb(n, b) * comb(n - b, c) * p10**b * p01**c * (1 - p10 - p01) ** (n - b - c)
        for b in range(20)
        for c in range(20)
        if test(b, c, n=n, margin=margin).p_value <= 0.05
    )
    assert margin_power(n, p10, p01, margin, 0.05, both=both).power == pytest.approx(power, rel=1e-6)


def test_critical_counts_are_where_the_test_turns():
    differ = np.arange(0, 120)
    for method in METHODS:
        for alternative in ("two-sided", "greater"):
            for place, k in enumerate(critical_count(differ, 0.05, method, alternative)):
                m = int(differ[place])
                if k >= 0:
                    assert mcnemar_test(m - k, k, method, alternative)[1] <= 0.05
                if 2 * (k + 1) <= m:
                    assert mcnemar_test(m - k - 1, k + 1, method, alternative)[1] > 0.05


@pytest.mark.parametrize("alpha", [0.4, 0.125, 0.05, 1e-4, 1e-8, 1e-14])
@pytest.mark.parametrize("start", [0, 1_000, 30_000])
def test_critical_counts_from_one_tail(alpha, start, monkeypatch):
    differ, asked = np.arange(start, start + 1_500), []
    monkeypatch.setattr(_designs, "at_most", lambda k, m, p: asked.append(len(k)) or at_most(k, m, p))
    for method, part in (("exact", 0.0), ("mid-p", 0.5)):
        for sides, alternative in ((2, "two-sided"), (1, "greater")):

            def p_value(k, sides=sides, part=part):
                return sides * (at_most(k, differ, 0.5) - part * pmf(k, differ, 0.5))

            k = critical_count(differ, alpha, method, alternative)
            # A tie, as at the round level of 1/8, is significant.
            assert (p_value(k)[k >= 0] <= alpha * (1 + 1e-12)).all()
            assert (p_value(k + 1)[2 * (k + 1) < differ] > alpha).all()
    assert asked == [1] * 4


def test_a_sample_size_enumerates_each_number_of_rows_once(monkeypatch):
    seen = []
    monkeypatch.setattr(_designs, "mcnemar_power", lambda n, *rest: seen.append(n) or mcnemar_power(n, *rest))
    te.sample_size(first=0.82, second=0.80, disagreement=0.1)
    te.sample_size(first=0.97, second=0.80, disagreement=0.17, method="exact")
    assert len(seen) > 2
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize(("alpha", "n"), [(0.05, 133), (0.025, 189)])
def test_identical_models_within_a_margin(alpha, n):
    for test in ("equivalence", "noninferiority"):
        made = te.sample_size(test=test, first=0.8, disagreement=0.0, margin=0.02, alpha=alpha)
        assert (made.n, made.power) == (n, 1.0)


CALLS = [
    {"test": "mcnemar", "first": 0.86, "second": 0.83, "disagreement": 0.1},
    {"test": "mcnemar", "first": 0.83, "second": 0.86, "disagreement": 0.1, "method": "exact"},
    {"test": "mcnemar", "first": 0.86, "second": 0.83},
    {"test": "two-proportions", "first": 0.9, "second": 0.85},
    {"test": "one-proportion", "first": 0.7, "second": 0.6},
    {"test": "auc", "first": 0.7, "prevalence": 0.3},
    {"test": "auc", "first": 0.8, "second": 0.75, "prevalence": 0.3, "correlation": 0.5},
    {"test": "equivalence", "first": 0.8, "disagreement": 0.05, "margin": 0.03},
    {"test": "noninferiority", "first": 0.8, "second": 0.79, "disagreement": 0.05, "margin": 0.03},
    {"test": "paired-mean", "first": 0.1, "sd": 0.4},
    {"test": "paired-t", "first": 0.02, "sd": 0.03},
    {"test": "unpaired-t", "first": 0.02, "sd": 0.03},
]


def test_every_test_is_called_below():
    assert {call["test"] for call in CALLS} == set(TESTS)


@pytest.mark.parametrize("call", CALLS, ids=lambda c: c["test"])
def test_size_and_power_agree(call):
    planned = te.sample_size(power=0.8, **call)
    assert isinstance(planned, Power)
    assert planned.power >= 0.8
    assert te.power(n=planned.n, **call) == planned
    more = te.sample_size(power=0.9, **call)
    assert more.n > planned.n
    if call["test"] != "mcnemar":
        assert te.power(n=planned.n - 1, **call).power < 0.8
    assert te.load(planned.to_json()) == planned
    assert "Source:" in planned.explain()
    assert f"{planned.n:,} rows" in str(planned)


def test_mcnemar_is_the_larger_of_formula_and_enumeration():
    call = {"first": 0.82, "second": 0.80, "disagreement": 0.025}
    formula = te.sample_size(method="normal", **call).n
    assert te.sample_size(**call).n == formula
    strict = te.sample_size(method="exact", **call)
    assert strict.n > formula
    assert strict.power >= 0.8 > te.power(n=strict.n - 1, method="exact", **call).power


@pytest.mark.parametrize(
    ("first", "second", "alternative"), [(0.9, 0.85, "greater"), (0.85, 0.9, "less"), (0.9, 0.85, "less")]
)
def test_one_sided_plans_know_their_side(first, second, alternative):
    made = te.power(test="two-proportions", n=500, first=first, second=second, alternative=alternative)
    two = te.power(test="two-proportions", n=500, first=first, second=second)
    if (first > second) == (alternative == "greater"):
        assert made.power > two.power
        assert made.wrong_sign == 0
    else:
        assert made.power < 1e-3
        assert made.wrong_sign == 1


def test_wrong_sign_and_exaggeration_by_simulation():
    rng = np.random.default_rng(4)
    first, second = rng.binomial(100, 0.55, 400_000) / 100, rng.binomial(100, 0.5, 400_000) / 100
    pooled = (first + second) / 2
    z = (first - second) / np.sqrt(2 * pooled * (1 - pooled) / 100)
    found = np.abs(z) > 1.959964
    made = te.power(test="two-proportions", n=100, first=0.55, second=0.5)
    assert made.power == pytest.approx((z > 1.959964).mean(), abs=0.015)
    assert made.wrong_sign == pytest.approx((z[found] < 0).mean(), abs=0.01)
    assert made.exaggeration == pytest.approx(np.abs((first - second)[found]).mean() / 0.05, rel=0.03)


def test_exaggeration_of_a_t_test_by_simulation():
    rng = np.random.default_rng(5)
    d = rng.normal(0.4, 1, (200_000, 8))
    t = d.mean(axis=1) / (d.std(axis=1, ddof=1) / math.sqrt(8))
    found = np.abs(t) > 2.364624
    made = te.power(test="paired-t", n=8, first=0.4, sd=1)
    assert made.power == pytest.approx((t > 2.364624).mean(), abs=0.004)
    assert made.wrong_sign == pytest.approx((t[found] < 0).mean(), abs=0.005)
    assert made.exaggeration == pytest.approx(np.abs(d.mean(axis=1)[found]).mean() / 0.4, rel=0.01)


def test_clusters_divide_the_rows():
    call = {"first": 0.86, "second": 0.84, "disagreement": 0.1}
    alone, grouped = te.sample_size(**call), te.sample_size(icc=0.1, cluster_size=11, **call)
    assert grouped.design_effect == pytest.approx(2)
    assert grouped.n == math.ceil(2 * alone.n + 1.9599639845**2 / 2 * 11)  # about two clusters more, for t
    assert grouped.power == alone.power
    assert "effective sample size 1,960 rows" in str(grouped)
    assert te.sample_size(accuracy=0.9, half_width=0.02, icc=0.1, cluster_size=11).n == pytest.approx(2 * 867.3, abs=1)
    assert te.power(n=500, icc=0.0, cluster_size=20, **call).power == te.power(n=500, **call).power


@pytest.mark.parametrize(("accuracy", "half_width"), [(0.9, 0.02), (0.5, 0.05), (1.0, 0.01), (0.0, 0.1), (0.75, 0.3)])
def test_half_width_is_that_of_the_wilson_interval(accuracy, half_width):
    made = te.sample_size(accuracy=accuracy, half_width=half_width)
    z2 = 1.959963984540054**2

    def width(n):
        pq = accuracy * (1 - accuracy)
        return math.sqrt(z2) * math.sqrt(pq / n + z2 / (4 * n * n)) / (1 + z2 / n)

    assert width(made.n) <= half_width
    assert made.n == 1 or width(made.n - 1) > half_width
    assert made.half_width == half_width
    assert math.isnan(made.power)
    assert "±" in str(made)


@pytest.mark.parametrize(
    "call",
    [
        {"test": "mcnemar", "baseline": 0.8, "disagreement": 0.05},
        {"test": "mcnemar", "baseline": 0.8},
        {"test": "two-proportions", "baseline": 0.8},
        {"test": "two-proportions", "baseline": 0.999},
        {"test": "one-proportion", "baseline": 0.5},
        {"test": "auc", "baseline": 0.6, "prevalence": 0.4},
        {"test": "paired-t", "sd": 0.03},
        {"test": "paired-mean", "sd": 0.03},
    ],
)
def test_the_smallest_difference_has_the_power_asked_for(call):
    made = smallest_difference(n=500, power=0.8, **call)
    assert made.power == pytest.approx(0.8, abs=1e-6)
    assert made.second == call.get("baseline", 0.0)
    again = {k: v for k, v in call.items() if k != "baseline"}
    smaller = te.power(n=500, first=made.second + 0.9 * made.difference, second=made.second, **again)
    assert smaller.power < 0.8


def test_a_baseline_near_one_can_only_fall():
    assert smallest_difference(test="two-proportions", n=500, baseline=0.999).difference < 0


def test_no_difference_to_be_found():
    with pytest.raises(InputError, match="more are needed"):
        smallest_difference(n=5, baseline=0.8, disagreement=0.1)
    with pytest.raises(InputError, match="equivalence"):
        te.sample_size(first=0.8, second=0.8)
    with pytest.raises(InputError, match="too small"):
        te.sample_size(test="two-proportions", first=0.8, second=0.8 + 1e-9)


def test_power_of_no_difference_is_the_level():
    made = te.power(n=500, first=0.8, second=0.8, disagreement=0.2)
    assert made.power == pytest.approx(0.05, abs=0.01)
    assert made.wrong_sign == 0.5
    assert math.isnan(made.exaggeration)
    assert te.power(n=100, first=0.8, second=0.8, disagreement=0.0).power == 0


@pytest.mark.parametrize(
    "call",
    [
        {"first": 0.8},
        {"second": 0.8},
        {"first": 0.8, "second": 1.2},
        {"first": 0.82, "second": 0.8, "disagreement": 0.01},
        {"first": 0.82, "second": 0.8, "disagreement": 0.5},
        {"first": 0.82, "second": 0.8, "icc": 0.1},
        {"first": 0.82, "second": 0.8, "icc": 1.1, "cluster_size": 3},
        {"first": 0.82, "second": 0.8, "cluster_size": 0.5, "icc": 0.1},
        {"first": 0.82, "second": 0.8, "alpha": 0},
        {"first": 0.82, "second": 0.8, "method": "score"},
        {"first": 0.82, "second": 0.8, "test": "chi2"},
        {"first": 0.82, "second": 0.8, "alternative": "both"},
        {"first": float("nan"), "second": 0.8},
        {"test": "equivalence", "first": 0.8},
        {"test": "equivalence", "first": 0.8, "second": 0.7, "margin": 0.05},
        {"test": "auc", "first": 1.0},
        {"test": "auc", "first": 0.8, "second": 0.7, "correlation": 1.0},
        {"test": "paired-t", "first": 0.1},
        {"test": "one-proportion", "first": 0.1, "second": 0},
    ],
)
def test_refused(call):
    with pytest.raises(InputError):
        te.power(n=100, **call)
    with pytest.raises(InputError):
        te.sample_size(**call)


def test_refused_sizes():
    for n in (0, -5, 2.5, float("nan")):
        with pytest.raises(InputError):
            te.power(n=n, first=0.9, second=0.8)
    for accuracy, width in ((0.9, None), (None, 0.1), (0.9, 0.6), (1.9, 0.1)):
        with pytest.raises(InputError):
            te.sample_size(accuracy=accuracy, half_width=width)
    with pytest.raises(InputError):
        te.sample_size(first=0.9, second=0.8, power=1)


def test_a_billion_rows_are_planned_at_once():
    made = te.power(n=10**9, first=0.80004, second=0.8, disagreement=0.1)
    assert made.power == pytest.approx(0.98, abs=0.02)
    close = [
        mcnemar_power(10**6, 0.0505, 0.0496, 0.05, "mid-p", "two-sided").power,
        NormalDesign(0.0009, math.sqrt(0.1001), math.sqrt(0.1001 - 0.0009**2)).analysis(10**6, 0.05, "two-sided").power,
    ]
    assert close[0] == pytest.approx(close[1], abs=1e-4)


@pytest.mark.parametrize(("baseline", "disagreement"), [(0.8, 0.23), (0.95, 0.08), (0.2, 0.3)])
def test_smallest_difference_where_much_disagreement_leaves_little_room(baseline, disagreement):
    # Two models that differ on 23 % of the rows cannot be right on 80 % and on 99 %.
    found = smallest_difference(n=500, baseline=baseline, disagreement=disagreement)
    again = te.power(n=500, first=found.first, second=baseline, disagreement=disagreement)
    assert again.power == pytest.approx(0.8, abs=1e-6)


def test_rates_of_one_and_zero_have_full_power():
    made = te.power(test="two-proportions", n=100, first=1, second=0)
    assert made.power == pytest.approx(1)
    assert made.exaggeration == pytest.approx(1)
    assert te.power(test="two-proportions", n=2, first=1, second=0).power >= 0.99


def test_without_accuracies_it_says_what_to_give() -> None:
    with pytest.raises(InputError, match=r"first= and second= are needed.*smallest_difference"):
        te.power(n=500)


def test_what_the_correlation_within_clusters_is_of() -> None:
    plan = {"first": 0.85, "second": 0.75, "disagreement": 0.2, "cluster_size": 20}
    by_differences = te.sample_size(**plan, icc=2 * 0.8 * 0.2 * (0.2 - 0.18) / (0.2 - 0.01))
    by_right = te.sample_size(**plan, icc_right=0.2, icc_between=0.18)
    assert by_right.n == by_differences.n
    assert by_right.n < te.sample_size(**plan, icc=0.2).n / 2
    assert te.power(**plan, n=by_right.n, icc_right=0.2, icc_between=0.18).power >= 0.79
    for wrong, words in (
        ({"icc_right": 0.2}, "go together"),
        ({"icc": 0.1, "icc_right": 0.2, "icc_between": 0.1}, "not both"),
        ({"icc_right": 0.2, "icc_between": 0.3}, "at most icc_right"),
    ):
        with pytest.raises(ValueError, match=words):
            te.sample_size(**plan, **wrong)


def test_power_with_clusters_holds_in_simulation() -> None:
    """Clusters that are hard for both models, and a little of each model's own: a third of the rows that icc= asks."""
    rng = np.random.default_rng(0)
    groups, size, draws = 40, 10, 3000
    common, own = rng.standard_normal((draws, groups, 1, 1)), rng.standard_normal((draws, groups, 1, 2))
    latent = (
        0.5 * common
        + 0.2 * own
        + np.sqrt(1 - 0.25 - 0.04)
        * (
            np.sqrt(0.6) * rng.standard_normal((draws, groups, size, 1))
            + np.sqrt(0.4) * rng.standard_normal((draws, groups, size, 2))
        )
    )
    right = latent < np.array([0.8416, 0.6745])
    p = right.mean(axis=(0, 1, 2))
    e = right - p

    def between(i: int, j: int) -> float:
        sums, both = e[..., i].sum(axis=2) * e[..., j].sum(axis=2), (e[..., i] * e[..., j]).sum(axis=2)
        return float((sums - both).mean() / (size * (size - 1)))

    spread = float(np.sqrt(np.prod(p * (1 - p))))
    own_icc = (between(0, 0) + between(1, 1)) / 2 / spread
    disagreement = float((right[..., 0] != right[..., 1]).mean())
    planned = te.power(
        n=groups * size, first=float(p[0]), second=float(p[1]), disagreement=disagreement, method="normal",
        icc_right=own_icc, icc_between=between(0, 1) / spread, cluster_size=size,
    ).power  # fmt: skip
    d = (right[..., 0].astype(float) - right[..., 1]).mean(axis=2)
    t = d.mean(axis=1) / (d.std(axis=1, ddof=1) / np.sqrt(groups))
    assert float((np.abs(t) > 2.0227).mean()) == pytest.approx(planned, abs=0.03)


@pytest.mark.parametrize(("n", "gap"), [(8, 0.5), (20, 0.3), (60, 0.1)])
def test_wrong_signs_of_a_t_test_are_those_of_the_noncentral_t(n: int, gap: float) -> None:
    from scipy import stats

    found = te.power(test="paired-t", n=n, first=gap, second=0.0, sd=1.0)
    cut, law = stats.t.ppf(0.975, n - 1), stats.nct(n - 1, gap * math.sqrt(n))
    right, wrong = float(law.sf(cut)), float(law.cdf(-cut))
    assert found.power == pytest.approx(right, rel=1e-6)  # to the right side
    assert found.wrong_sign == pytest.approx(wrong / (right + wrong), rel=2e-3)
    rng = np.random.default_rng(0)
    seen = rng.normal(gap, 1 / math.sqrt(n), 400_000)
    t = seen / np.sqrt(rng.chisquare(n - 1, 400_000) / (n - 1) / n)
    assert found.exaggeration == pytest.approx(np.abs(seen[np.abs(t) > cut]).mean() / gap, rel=0.02)


def two_forecasts(rng, n, areas=(0.97, 0.94)):
    """Classes, and two calibrated forecasts with these areas whose scores correlate by one half."""
    y = rng.integers(0, 2, n)
    shared = rng.standard_normal(n)
    gaps = [2**0.5 * ndtri(area) for area in areas]
    scores = [d * y + 0.5**0.5 * (shared + rng.standard_normal(n)) for d in gaps]
    return y, *(expit(d * x - d * d / 2) for d, x in zip(gaps, scores, strict=True))


def log_loss(y, p):
    return -(y * np.log(p) + (1 - y) * np.log1p(-p))


def of_log_loss(power):
    y, a, b = two_forecasts(np.random.default_rng(1), 400_000)
    d = log_loss(y, b) - log_loss(y, a)
    plan = te.sample_size(test="paired-t", first=float(d.mean()), second=0, sd=float(d.std()), power=power)

    def verdict(rng):
        y, a, b = two_forecasts(rng, plan.n)
        return te.compare(y, scores={"a": a, "b": b}, metric="log_loss")

    return plan, verdict


def of_accuracy(power):
    plan = te.sample_size(first=0.9, second=0.8, disagreement=0.2, power=power)

    def verdict(rng):
        u = rng.random(plan.n)  # 15 % of the rows only the first has right, 5 % only the second
        right = {"a": u < 0.9, "b": (u < 0.75) | (u > 0.95)}
        y = rng.integers(0, 2, plan.n)
        return te.compare(y, {m: np.where(r, y, 1 - y) for m, r in right.items()})

    return plan, verdict


def of_clusters(power):
    plan = te.sample_size(first=0.9, second=0.8, disagreement=0.2, icc=0.25, cluster_size=5, power=power)

    def verdict(rng):
        clusters = np.repeat(np.arange(round(plan.n / 5)), 5)
        # Half of the rows repeat what their cluster does, so that two rows correlate by a quarter.
        own, common = rng.random(len(clusters)), rng.random(len(clusters) // 5)[clusters]
        u = np.where(rng.random(len(clusters)) < 0.5, own, common)
        right = {"a": u < 0.9, "b": (u < 0.75) | (u > 0.95)}
        y = rng.integers(0, 2, len(clusters))
        return te.compare(y, {m: np.where(r, y, 1 - y) for m, r in right.items()}, clusters=clusters)

    return plan, verdict


@pytest.mark.parametrize("design", [of_log_loss, of_accuracy, of_clusters])
@pytest.mark.parametrize("power", [0.5, 0.8])
def test_a_comparison_keeps_the_power_that_was_promised(design, power):
    plan, verdict = design(power)
    rng = np.random.default_rng(7)
    kept = np.mean([verdict(rng).told_apart("a", "b") for _ in range(250)])
    # Three standard errors of 250 samples.
    assert kept == pytest.approx(plan.power, abs=3 * math.sqrt(power * (1 - power) / 250))


@pytest.mark.parametrize("call", CALLS[4:6] + CALLS[9:], ids=lambda c: c["test"])
def test_no_rows_show_the_other_side(call):
    with pytest.raises(InputError, match="too small to be shown"):
        te.sample_size(alternative="less", **call)


def test_a_huge_difference_takes_two_rows():
    assert te.sample_size(test="paired-t", first=1000, sd=1).n == 2
