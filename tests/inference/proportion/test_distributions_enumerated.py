"""Binomial and hypergeometric chances against exact sums of whole numbers, at every count of small samples."""

from decimal import Decimal, getcontext
from fractions import Fraction
from math import comb, factorial, inf, isinf, log, pi, sqrt

import numpy as np
import pytest

from trueerror.inference.proportion import _distributions as d

SHARES = (Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(7, 8))
SIZES = (1, 2, 5, 12, 17, 40)


def exact(k, n, p):
    return comb(n, k) * p**k * (1 - p) ** (n - k) if 0 <= k <= n else Fraction(0)


@pytest.mark.parametrize("p", SHARES)
@pytest.mark.parametrize("n", SIZES)
def test_binomial_chances(n, p):
    ks = range(-2, n + 3)
    each = [exact(k, n, p) for k in ks]
    sums = [sum(each[: i + 1], Fraction(0)) for i in range(len(each))]
    np.testing.assert_allclose(d.pmf(list(ks), n, float(p)), [float(x) for x in each], rtol=5e-14)
    np.testing.assert_allclose(d.at_most(list(ks), n, float(p)), [float(x) for x in sums], rtol=1e-13)
    above = [float(1 - s + e) for s, e in zip(sums, each, strict=True)]
    np.testing.assert_allclose(d.at_least(list(ks), n, float(p)), above, rtol=1e-13)


@pytest.mark.parametrize("p", SHARES)
@pytest.mark.parametrize("n", SIZES)
def test_two_sided_binomial(n, p):
    each = [exact(k, n, p) for k in range(n + 1)]
    for x in range(n + 1):
        assert d.as_likely(x, n, float(p)) == pytest.approx(float(sum(e for e in each if e <= each[x])), rel=1e-12)


def test_certain_shares():
    assert d.log_pmf([0, 1, 3], 3, 0.0).tolist() == [0.0, -inf, -inf]
    assert d.log_pmf([0, 2, 3], 3, 1.0).tolist() == [-inf, -inf, 0.0]


@pytest.mark.parametrize("n1", [0, 1, 4, 9])
@pytest.mark.parametrize("n2", [0, 1, 3, 11])
def test_every_table_of_two_groups(n1, n2):
    for drawn in range(n1 + n2 + 1):
        ks = range(max(0, drawn - n2), min(n1, drawn) + 1)
        each = {k: Fraction(comb(n1, k) * comb(n2, drawn - k), comb(n1 + n2, drawn)) for k in ks}
        for x in ks:
            wanted = {
                "two-sided": sum(e for e in each.values() if e <= each[x]),
                "greater": sum(e for k, e in each.items() if k >= x),
                "less": sum(e for k, e in each.items() if k <= x),
            }
            found = d.hypergeometric_p(x, n1, n2, drawn)
            assert found == pytest.approx({k: float(v) for k, v in wanted.items()}, rel=1e-11), (x, drawn)


def test_a_large_table_is_the_sum_of_all_its_terms():
    from scipy.stats import hypergeom

    for x, n1, n2, drawn in ((520, 1000, 3000, 2000), (480, 1000, 3000, 2000), (3950, 4000, 50, 3990)):
        ks = np.arange(max(0, drawn - n2), min(n1, drawn) + 1)
        each = hypergeom.pmf(ks, n1 + n2, n1, drawn)
        here = each[ks == x][0]
        found = d.hypergeometric_p(x, n1, n2, drawn)
        assert found["two-sided"] == pytest.approx(each[each <= here * (1 + 1e-7)].sum(), rel=1e-8)
        assert found["less"] == pytest.approx(each[ks <= x].sum(), rel=1e-8)
        assert found["greater"] == pytest.approx(each[ks >= x].sum(), rel=1e-8)


def test_what_stirling_leaves_out():
    getcontext().prec = 50
    turn = Decimal("3.14159265358979323846264338327950288419716939937510") * 2
    for n in (1, 2, 15, 16, 17, 24, 60):
        rest = Decimal(factorial(n)).ln() - (turn * n).ln() / 2 - n * Decimal(n).ln() + n
        assert float(d._stirling_error(np.array([float(n)]))[0]) == pytest.approx(
            float(rest), abs=4e-14 if n < 16 else 2e-16
        )


def test_the_deviance_has_all_its_digits_near_its_root():
    getcontext().prec = 50
    for x, mean in ((100.0, 100.001), (100.0, 81.9), (100.0, 81.8), (100.0, 122.2), (3.0, 40.0), (5.0, 5.0)):
        a, m = Decimal(x), Decimal(mean)
        wanted = float(a * (a / m).ln() + m - a)
        assert float(d._deviance(np.array([x]), np.array([mean]))[0]) == pytest.approx(wanted, rel=1e-13)


def tango_by_the_formula(b, c, n, delta):
    """Tango 1998, equation 4, with the closed root."""
    one = -b - c + (2 * n - b + c) * delta
    q = (sqrt(one * one + 8 * n * c * delta * (1 - delta)) - one) / (4 * n)
    return (b - c - n * delta) / sqrt(n * (2 * q + delta * (1 - delta)))


@pytest.mark.parametrize("table", [(3, 9, 40), (9, 3, 40), (1, 0, 12), (12, 12, 30)])
@pytest.mark.parametrize("delta", [0.05, 0.3, 0.7])
def test_the_score_of_a_paired_difference(table, delta):
    b, c, n = table
    wanted = tango_by_the_formula(b, c, n, delta)
    assert d.tango_z(b, c, n, delta) == pytest.approx(wanted, rel=1e-11)
    assert d.tango_z(c, b, n, -delta) == pytest.approx(-wanted, rel=1e-11)
    z = 1.7
    low, high = d.tango_limits(b, c, n, z)
    assert d.tango_z(b, c, n, low) == pytest.approx(z, rel=1e-9)
    assert d.tango_z(b, c, n, high) == pytest.approx(-z, rel=1e-9)


def test_no_discordant_row():
    z = 1.96
    assert d.tango_limits(0, 0, 30, z) == pytest.approx((-z * z / (30 + z * z), z * z / (30 + z * z)))
    assert d.tango_limits(0, 0, 30, -z) == pytest.approx((z * z / (30 + z * z), -z * z / (30 + z * z)))


@pytest.mark.parametrize("table", [(3, 9, 4, 11), (8, 9, 1, 30), (0, 5, 5, 5), (5, 5, 0, 5), (7, 20, 7, 20)])
@pytest.mark.parametrize("delta", [-0.6, -0.1, 0.0, 0.2, 0.9])
def test_the_share_that_fits_best_under_a_difference(table, delta):
    x1, n1, x2, n2 = table
    if delta < 0:
        assert d.miettinen_nurminen_z(*table, delta) == -d.miettinen_nurminen_z(x2, n2, x1, n1, -delta)
        return
    share = d.constrained_share(*table, delta)

    def likelihood(p2):
        terms = ((x1, p2 + delta), (n1 - x1, 1 - p2 - delta), (x2, p2), (n2 - x2, 1 - p2))
        return sum(k * log(p) if p > 0 else -inf for k, p in terms if k)

    near = np.linspace(max(0.0, share - 1e-3), min(1 - delta, share + 1e-3), 21)
    best = likelihood(share)
    assert isinf(best) or all(likelihood(float(p)) <= best + 1e-9 for p in near)
    p1, p2 = share + delta, share
    variance = (p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2) * (n1 + n2) / (n1 + n2 - 1)
    gap = x1 / n1 - x2 / n2 - delta
    if variance > 1e-12:
        assert d.miettinen_nurminen_z(*table, delta) == pytest.approx(gap / sqrt(variance), rel=1e-9)


def test_the_ends_of_a_score():
    assert d.miettinen_nurminen_z(5, 5, 0, 5, 1.0) == 0.0
    assert d.miettinen_nurminen_z(0, 5, 5, 5, 1.0) == -inf
    assert d.constrained_share(1, 2, 1, 2, 1.0) == 0.0
    assert d.crossing(lambda x: x - 1 / pi, 0.0, 1.0) == pytest.approx(1 / pi, rel=1e-15)
    assert d.crossing(lambda x: x - 0.25, 0.0, 1.0, within=0.5) == pytest.approx(0.25, abs=0.5)
    assert d.crossing(lambda x: x, 0.0, 1.0) == 0.0
    assert d.crossing(lambda x: -inf if x < 0.7 else inf, 0.0, 1.0) == pytest.approx(0.7, rel=1e-14)
