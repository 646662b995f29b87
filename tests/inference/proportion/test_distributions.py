"""Binomial and hypergeometric probabilities."""

from math import comb

import numpy as np
import pytest
from scipy import stats

from trueerror.inference.proportion._distributions import (
    EQUALLY_LIKELY,
    as_likely,
    at_least,
    at_most,
    hypergeometric_p,
    log_pmf,
    pmf,
)


@pytest.mark.parametrize(("n", "p"), [(1, 0.5), (10, 0.3), (1000, 0.02), (10**6, 0.7)])
def test_against_scipy(n, p):
    k = np.unique(np.clip(np.round(n * p + np.sqrt(n * p * (1 - p)) * np.linspace(-6, 6, 25)), 0, n))
    assert pmf(k, n, p) == pytest.approx(stats.binom.pmf(k, n, p), rel=1e-11)
    assert at_most(k, n, p) == pytest.approx(stats.binom.cdf(k, n, p), rel=1e-10)
    assert at_least(k, n, p) == pytest.approx(stats.binom.sf(k - 1, n, p), rel=1e-10)


def test_outside_and_certain():
    assert log_pmf([-1, 4], 3, 0.5).tolist() == [-np.inf, -np.inf]
    assert pmf([0, 3], 3, 0.0).tolist() == [1, 0]
    assert pmf([0, 3], 3, 1.0).tolist() == [0, 1]
    assert at_most([-1, 3], 3, 0.5).tolist() == [0, 1]
    assert at_least([0, 4], 3, 0.5).tolist() == [1, 0]


def test_two_sided_binomial_is_the_sum_of_what_is_at_most_as_likely():
    for n in range(13):
        for p in (0.5, 0.3, 0.1):
            chances = stats.binom.pmf(np.arange(n + 1), n, p)
            for x in range(n + 1):
                expected = min(1.0, chances[chances <= chances[x] * EQUALLY_LIKELY].sum())
                assert as_likely(x, n, p) == pytest.approx(expected, rel=1e-10)


def test_fisher_by_listing_all_tables():
    for n1 in range(6):
        for n2 in range(6):
            for drawn in range(n1 + n2 + 1):
                low, high = max(0, drawn - n2), min(n1, drawn)
                chances = {k: comb(n1, k) * comb(n2, drawn - k) / comb(n1 + n2, drawn) for k in range(low, high + 1)}
                for x, here in chances.items():
                    made = hypergeometric_p(x, n1, n2, drawn)
                    likely = sum(c for c in chances.values() if c <= here * EQUALLY_LIKELY)
                    assert made["two-sided"] == pytest.approx(min(1, likely), rel=1e-10)
                    assert made["greater"] == pytest.approx(sum(c for k, c in chances.items() if k >= x), rel=1e-10)
                    assert made["less"] == pytest.approx(sum(c for k, c in chances.items() if k <= x), rel=1e-10)
