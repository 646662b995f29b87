"""What holds for every test of two things: swapping turns it, one-sided tests fit together, limits are sound."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueerror as te
from trueerror import significance as sig
from trueerror.results import Contrast

quick = settings(max_examples=40, deadline=None)

Counts = tuple[int, int, int, int]
Test = Callable[..., Contrast]


@st.composite
def two_samples(draw: Any) -> Counts:
    n1, n2 = draw(st.integers(1, 60)), draw(st.integers(1, 60))
    return draw(st.integers(0, n1)), n1, draw(st.integers(0, n2)), n2


@st.composite
def tables(draw: Any) -> Counts:
    cells = draw(st.lists(st.integers(0, 40), min_size=4, max_size=4).filter(any))
    return cells[0], cells[1], cells[2], cells[3]


# Scores on a grid: ties and zeros are common, and rounding is part of the game.
scores = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=14).map(
    lambda pairs: ([a / 20 for a, _ in pairs], [b / 20 for _, b in pairs])
)

INDEPENDENT: dict[str, Test] = {
    **{
        f"difference {m}": lambda x1, n1, x2, n2, m=m, **o: te.difference((x1, n1), (x2, n2), method=m, **o)
        for m in ("miettinen-nurminen", "newcombe", "newcombe-cc", "agresti-caffo", "wald")
    },
    **{
        f"two_proportions {m}": lambda x1, n1, x2, n2, m=m, **o: sig.two_proportions(x1, n1, x2, n2, method=m, **o)
        for m in ("pooled-z", "unpooled-z", "fisher", "yates")
    },
}
PAIRED: dict[str, Test] = {
    **{
        f"mcnemar {m} {i}": lambda a, b, c, d, m=m, i=i, **o: sig.mcnemar(
            b, c, both_right=a, both_wrong=d, method=m, interval=i, **o
        )
        for m, i in (("mid-p", "tango"), ("exact", "bonett-price"), ("chi2", "newcombe"), ("chi2-cc", "wald"))
    },
    "confidence_sequence": lambda a, b, c, d, **o: sig.confidence_sequence(b, c, n=a + b + c + d, **o),
}
SCORES: dict[str, Test] = {
    "paired_t": sig.paired_t,
    "unpaired_t welch": sig.unpaired_t,
    "unpaired_t pooled": lambda a, b, **o: sig.unpaired_t(a, b, df="pooled", **o),
    "unpaired_t conservative": lambda a, b, **o: sig.unpaired_t(a, b, df="conservative", **o),
    "corrected_t": lambda a, b, **o: sig.corrected_t(np.subtract(a, b), test_train_ratio=0.1, **o),
    "wilcoxon": sig.wilcoxon,
    "wilcoxon pratt": lambda a, b, **o: sig.wilcoxon(a, b, zeros="pratt", **o),
    "wilcoxon normal": lambda a, b, **o: sig.wilcoxon(a, b, method="normal", **o),
    "sign": sig.sign,
}


# Their estimate is a median, which can be 0 or of another sign than the rank sum that is tested.
RANKED = ("wilcoxon", "wilcoxon-pratt", "sign")


def turned(one: Contrast, two: Contrast) -> None:
    """`two` is the same comparison with the models swapped."""
    assert (two.low, two.high) == pytest.approx((-one.high, -one.low), rel=1e-9, abs=1e-12, nan_ok=True)
    assert two.estimate == pytest.approx(-one.estimate, rel=1e-9, abs=1e-12, nan_ok=True)
    assert two.p_value == pytest.approx(one.p_value, rel=1e-9, nan_ok=True)
    if one.p_better is not None:
        assert two.p_better == pytest.approx(1 - one.p_better, abs=1e-9)


def sound(made: Contrast, whole: tuple[float, float]) -> None:
    """Limits in the range, with width and around the estimate; p in (0, 1]; nothing undefined without a reason."""
    if math.isnan(made.p_value):
        assert made.note
    else:
        assert 0 < made.p_value <= 1
    assert whole[0] <= made.low < made.high <= whole[1]
    if made.side == "two-sided":
        assert made.low <= made.estimate <= made.high
    assert type(made.p_value) is type(made.low) is float
    assert made.estimand


def sided(run: Callable[..., Contrast]) -> None:
    """Both one-sided tests together: at least all the probability, and the smaller one at most half above two-sided."""
    two, up, down = (run(alternative=a) for a in ("two-sided", "greater", "less"))
    assert (up.side, down.side) == ("lower", "upper")
    if math.isnan(two.p_value):
        return
    assert up.p_value + down.p_value >= 1 - 1e-9
    assert min(up.p_value, down.p_value) <= two.p_value + 1e-12
    # The side is the caller's, never picked from the data: against the data a one-sided test has a large p-value.
    if two.method not in RANKED and two.estimate != 0:
        against = down if two.estimate > 0 else up
        assert against.p_value >= 0.5 - 1e-12


@pytest.mark.parametrize("test", INDEPENDENT.values(), ids=INDEPENDENT)
@quick
@given(counts=two_samples(), confidence=st.sampled_from([0.5, 0.8, 0.95, 0.999]))
def test_independent_counts(test: Test, counts: Counts, confidence: float) -> None:
    x1, n1, x2, n2 = counts
    made = test(x1, n1, x2, n2, confidence=confidence)
    sound(made, (-1, 1))
    turned(made, test(x2, n2, x1, n1, confidence=confidence))
    sided(lambda **o: test(x1, n1, x2, n2, **o))
    if x1 * n2 == x2 * n1:
        assert made.p_value == 1


@pytest.mark.parametrize("test", PAIRED.values(), ids=PAIRED)
@settings(max_examples=20, deadline=None)
@given(table=tables(), confidence=st.sampled_from([0.5, 0.8, 0.95, 0.999]))
def test_paired_counts(test: Test, table: Counts, confidence: float) -> None:
    a, b, c, d = table
    made = test(a, b, c, d, confidence=confidence)
    sound(made, (-1, 1))
    turned(made, test(a, c, b, d, confidence=confidence))
    if b == c == 0:
        assert (made.p_value, made.estimate) == (pytest.approx(1, rel=1e-12), 0)


@quick
@given(table=tables())
def test_paired_sides(table: Counts) -> None:
    a, b, c, d = table
    for name in ("mcnemar mid-p tango", "mcnemar exact bonett-price", "mcnemar chi2 newcombe", "mcnemar chi2-cc wald"):
        sided(lambda name=name, **o: PAIRED[name](a, b, c, d, **o))


@quick
@given(table=tables(), confidence=st.sampled_from([0.8, 0.95]))
def test_one_sided_limits_are_two_sided_limits_at_twice_the_error(table: Counts, confidence: float) -> None:
    a, b, c, d = table
    wide = 2 * confidence - 1
    for name in ("mcnemar mid-p tango", "mcnemar exact bonett-price", "mcnemar chi2 newcombe"):
        two = PAIRED[name](a, b, c, d, confidence=wide)
        up = PAIRED[name](a, b, c, d, confidence=confidence, alternative="greater")
        down = PAIRED[name](a, b, c, d, confidence=confidence, alternative="less")
        # Two-sided limits are stretched to the estimate where shrinkage misses it.
        assert min(up.low, two.estimate) == pytest.approx(two.low, rel=1e-9, abs=1e-9)
        assert max(down.high, two.estimate) == pytest.approx(two.high, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("test", SCORES.values(), ids=SCORES)
@quick
@given(columns=scores)
def test_scores(test: Test, columns: tuple[list[float], list[float]]) -> None:
    a, b = columns
    made = test(a, b)
    sound(made, (-math.inf, math.inf))
    turned(made, test(b, a))
    sided(lambda **o: test(a, b, **o))
    same = test(a, a)
    assert same.estimate == 0
    if len(a) > 1 or made.method in ("paired-t", "corrected-t-test", "wilcoxon", "wilcoxon-pratt", "sign"):
        assert same.p_value == 1
    else:
        assert "too few" in same.note or same.p_value == 1


@quick
@given(columns=scores, shift=st.integers(1, 8))
def test_scaling_scores_scales_the_difference(columns: tuple[list[float], list[float]], shift: int) -> None:
    a, b = (np.array(c) for c in columns)
    for name in ("wilcoxon", "sign", "paired_t"):
        one, two = SCORES[name](a, b), SCORES[name](a * 2.0**shift, b * 2.0**shift)
        assert two.p_value == pytest.approx(one.p_value, rel=1e-9, nan_ok=True)
        assert two.estimate == pytest.approx(one.estimate * 2.0**shift, rel=1e-9, abs=1e-12)


@quick
@given(table=tables(), margin=st.sampled_from([0.01, 0.05, 0.2]))
def test_margins(table: Counts, margin: float) -> None:
    a, b, c, d = table
    n = a + b + c + d
    one, two = sig.equivalence(b, c, n=n, margin=margin), sig.equivalence(c, b, n=n, margin=margin)
    sound(one, (-1, 1))
    turned(one, two)
    # A wider margin is easier, and non-inferiority is easier than equivalence.
    assert sig.equivalence(b, c, n=n, margin=2 * margin).p_value <= one.p_value + 1e-12
    assert sig.noninferiority(b, c, n=n, margin=margin).p_value <= one.p_value + 1e-12


@quick
@given(b=st.integers(0, 50), c=st.integers(0, 50))
def test_e_values_turn_and_average(b: int, c: int) -> None:
    two, up, down = (sig.e_value(b, c, alternative=a).statistic for a in ("two-sided", "greater", "less"))
    assert two == pytest.approx((up + down) / 2)
    assert sig.e_value(c, b, alternative="less").statistic == pytest.approx(up)


@quick
@given(b=st.integers(0, 12), c=st.integers(0, 12))
def test_an_e_value_is_expected_to_stay(b: int, c: int) -> None:
    """Given any past, the next differing row moves E up and down by the same amount on average: a martingale."""
    now = sig.e_value(b, c).statistic
    then = (sig.e_value(b + 1, c).statistic + sig.e_value(b, c + 1).statistic) / 2
    assert then == pytest.approx(now)


@quick
@given(first=st.floats(0.05, 0.95), second=st.floats(0.05, 0.95), n=st.integers(2, 400), share=st.floats(0.0, 1.0))
def test_power_does_not_care_who_is_first(first: float, second: float, n: int, share: float) -> None:
    gap, most = abs(first - second), min(first + second, 2 - first - second)
    differ = min(most, max(gap, gap + share * (most - gap)))
    one = te.power(n=n, first=first, second=second, disagreement=differ)
    two = te.power(n=n, first=second, second=first, disagreement=differ)
    assert 0 <= one.power <= 1 + 1e-12
    assert one.power == pytest.approx(two.power, rel=1e-9, abs=1e-15)
    if one.power > 0 and gap > 1e-6:
        assert 0 <= one.wrong_sign <= 1
        assert one.exaggeration > 0


def test_every_public_name_is_there_and_listed() -> None:
    assert set(sig.__all__) == set(dir(sig))
    mine = ["one_proportion", "two_proportions", "mcnemar", "cochran_q", "bowker", "paired_t", "unpaired_t",
            "corrected_t", "five_by_two_t", "five_by_two_f", "wilcoxon", "sign", "equivalence", "noninferiority",
            "e_value", "confidence_sequence", "Power", "smallest_difference"]  # fmt: skip
    for name in mine:
        assert callable(getattr(sig, name)), name
        assert getattr(sig, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sig.nothing


def test_no_module_has_the_name_of_a_public_callable() -> None:
    import pkgutil

    modules = {m.name for m in pkgutil.iter_modules(sig.__path__)}
    assert not modules & set(sig.__all__)
