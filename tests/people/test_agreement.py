"""Coefficients of agreement: published and computed references, laws, degenerate ratings."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.people._agreement import COEFFICIENTS, LEVELS, WEIGHTS

# Krippendorff 2011, Computing Krippendorff's alpha-reliability, example C; the example of R's irr::kripp.alpha.
UNITS = [
    [1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4], [4, 4, 4, 4], [1, 1, 2, 1],
    [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, None, 3, None],
]  # fmt: skip
# krippendorff.alpha(units.T, level_of_measurement=…), krippendorff 0.9.0; the same as irr's to the digits printed.
ALPHA = {
    "nominal": 0.743421052631579, "ordinal": 0.8153875037548814, "interval": 0.8491071428571428,
    "ratio": 0.7974027747116121,
}  # fmt: skip
# irrCAC.raw.CAC(units, weights=…, digits=15).conger(), .fleiss(), .gwet(), irrCAC 0.4.4: pa and the coefficients.
BY_WEIGHTS = {
    "none": (0.818181818181818, 0.762817441303306, 0.761169275422411, 0.775444068126995),
    "linear": (0.939393939393939, 0.813776319966141, 0.817944767097309, 0.858739136432611),
    "quadratic": (0.975378787878788, 0.857710656222534, 0.864935064935065, 0.914000723551605),
    "ordinal": (0.968181818181818, 0.843659525188187, 0.850206189397035, 0.898939769907511),
    "ratio": (0.954114873222016, 0.811965175869552, 0.821338343944728, 0.857367557829635),
}


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_krippendorffs(level):
    found = te.agreement(UNITS, level=level, method="krippendorff")
    assert found["krippendorff"].estimate == pytest.approx(ALPHA[level], abs=1e-12)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappas_are_gwets(weights):
    found = te.agreement(UNITS, weights=weights)
    made = [found[word].estimate for word in ("percent", "cohen", "fleiss", "gwet")]
    assert made == pytest.approx(BY_WEIGHTS[weights], abs=1e-12)


def test_fleiss_of_the_psychiatric_diagnoses():
    # Fleiss 1971, table 1 (first ten of 30 patients, six raters); irrCAC.raw.CAC(…, digits=15).fleiss() on the same.
    counts = [
        [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0], [2, 0, 4, 0, 0],
        [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6],
    ]  # fmt: skip
    rows = [[label for label, times in enumerate(row) for _ in range(times)] for row in counts]
    shares = np.sum(counts, axis=0) / 60
    within = np.mean([(sum(c * c for c in row) - 6) / 30 for row in counts])
    expected = float((shares**2).sum())
    assert te.agreement(rows)["fleiss"].estimate == pytest.approx((within - expected) / (1 - expected), abs=1e-12)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_cohen_is_the_kappa_of_the_confusion_matrix(weights):
    rng = np.random.default_rng(0)
    human = rng.integers(1, 5, 200)
    judge = np.clip(human + rng.integers(-1, 2, 200), 1, 4)
    options = {} if weights == "none" else {"weights": weights}
    metric = te.metric("kappa", human, judge, **options)
    assert te.agreement(human, judge, weights=weights)["cohen"].estimate == pytest.approx(metric, abs=1e-12)


@pytest.mark.parametrize("weights", ["none", "quadratic"])
@pytest.mark.parametrize("n", [20, 60, 400])
def test_cohens_limits_are_those_of_the_kappa_of_a_classifier(n, weights):
    rng = np.random.default_rng(n)
    human = rng.integers(0, 3, n)
    judge = np.where(rng.random(n) < 0.7, human, rng.integers(0, 3, n))
    wanted = ["kappa"] if weights == "none" else {"kappa": {"weights": weights}}
    metric = te.evaluate(human, judge, metrics=wanted)["kappa"]
    found = te.agreement(human, judge, weights=weights)["cohen"]
    # Where half an item could be in one of several cells it is in one of them there, and in all alike here.
    assert (found.low, found.high) == pytest.approx((metric.low, metric.high), abs=2e-3)


def test_gaps_leave_conger_its_limits_beside_raters_of_one_label():
    rows = [["a", "a", None], ["a", None, "a"], ["a", "a", "b"], ["a", "a", "a"], [None, "a", "a"]] * 4
    found = te.agreement(rows, method="cohen")["cohen"]
    assert found.low < found.estimate < found.high


def test_many_different_measurements_of_a_ratio():
    rng = np.random.default_rng(5)
    x = rng.gamma(3, size=(700, 1)) * np.exp(0.1 * rng.normal(size=(700, 2)))
    found = te.agreement(x, level="ratio")["krippendorff"]
    assert 0.8 < found.low < found.estimate < found.high < 1


def test_cohen_of_cohens_table():
    # psych::cohen.kappa(matrix(c(20, 10, 5, 15), 2)) in R: kappa .4.
    a = [0] * 25 + [1] * 25
    b = [0] * 20 + [1] * 5 + [0] * 10 + [1] * 15
    assert te.agreement(a, b)["cohen"].estimate == pytest.approx(0.4, abs=1e-12)


tables = arrays(np.int64, st.tuples(st.integers(2, 30), st.integers(2, 4)), elements=st.integers(0, 3))


@given(tables, st.sampled_from(list(COEFFICIENTS)), st.sampled_from(LEVELS))
def test_limits_hold_the_estimate_and_are_never_a_point(ratings, word, level):
    i = te.agreement(ratings + 1, method=word, level=level)[word]
    if math.isnan(i.estimate):
        assert i.note
        assert math.isnan(i.low)
        return
    if math.isnan(i.low):
        # With a rater of one label Cohen's kappa is 0 by its formula, and alpha may be, whatever the others say.
        assert i.estimate == 0
        assert word in ("cohen", "krippendorff")
        assert "one label" in i.note
        assert any(len(set(rater)) == 1 for rater in ratings.T)
        return
    assert -1 <= i.low <= i.estimate <= i.high <= 1
    assert i.low < i.high


@given(tables, st.sampled_from(list(COEFFICIENTS)), st.randoms(use_true_random=False))
def test_names_and_order_do_not_matter(ratings, word, random):
    rows = ratings.tolist()
    random.shuffle(rows)
    renamed = [["dcba"[v] for v in reversed(row)] for row in rows]
    before = te.agreement(ratings, method=word)[word]
    after = te.agreement(renamed, method=word)[word]
    for field in ("estimate", "low", "high"):
        assert getattr(after, field) == pytest.approx(getattr(before, field), abs=1e-9, nan_ok=True)


@given(tables)
def test_more_items_alike_leave_fleiss_and_narrow_it(ratings):
    one, many = (te.agreement(np.tile(ratings, (k, 1)), method="fleiss")["fleiss"] for k in (1, 30))
    assert many.estimate == pytest.approx(one.estimate, abs=1e-9, nan_ok=True)
    if not math.isnan(one.estimate):
        assert many.width <= one.width + 1e-9


def test_full_agreement_is_1_with_a_lower_limit():
    found = te.agreement(["a"] * 15 + ["b"] * 15, ["a"] * 15 + ["b"] * 15)
    for i in found.coefficients.values():
        assert (i.estimate, i.high) == (1, 1), i
        assert 0.5 < i.low < 0.95, i


def test_one_label_has_no_kappa_but_a_percentage():
    found = te.agreement(["a"] * 30, ["a"] * 30)
    assert math.isnan(found["krippendorff"].estimate)
    assert "same label" in found["krippendorff"].note
    assert found["percent"].estimate == 1
    assert "has no value" in found.verdict


def test_a_rare_label_gives_wide_limits_and_says_so():
    found = te.agreement(["a"] * 49 + ["b"], ["a"] * 49 + ["b"])["krippendorff"]
    assert found.low < 0.3
    assert "one item has a label besides 'a'" in found.note
    assert not te.agreement(["a"] * 45 + ["b"] * 5, ["a"] * 45 + ["b"] * 5)["krippendorff"].note


def test_one_item_and_no_pairs_are_told():
    one = te.agreement([[1, 2]], method="percent")["percent"]
    assert "one item" in one.note
    assert math.isnan(one.low)
    none = te.agreement([[1, None], [None, 2], [1, None]], method="fleiss")["fleiss"]
    assert "no item was rated by two raters" in none.note


def test_measurements_are_for_alpha():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 1)) + 0.3 * rng.normal(size=(300, 3))
    found = te.agreement(x, level="interval")
    assert list(found.coefficients) == ["krippendorff"]
    with pytest.raises(InputError, match="measurements"):
        te.agreement(x, level="interval", method="fleiss")


def test_a_level_that_does_not_fit_is_refused():
    with pytest.raises(InputError, match="needs the order of the labels"):
        te.agreement(["lo", "hi"], ["hi", "hi"], level="ordinal")
    with pytest.raises(InputError, match="labels that are numbers"):
        te.agreement(["lo", "hi"], ["hi", "hi"], level="interval", labels=["lo", "hi"])
    with pytest.raises(InputError, match="values from 0 up"):
        te.agreement([-1, 2, 3], [1, 2, 3], level="ratio", method="krippendorff")
    assert te.agreement(["lo", "hi"] * 9, ["hi", "hi"] * 9, level="ordinal", labels=["lo", "hi"]).level == "ordinal"


def test_a_rater_of_one_label_leaves_kappa_without_limits() -> None:
    found = te.agreement([1] * 20, [1, 0] * 10, method="cohen")
    (row,) = found.records()
    assert row["estimate"] == 0
    assert math.isnan(row["low"])
    assert "one label" in str(found)


def test_text_and_numbers_are_not_taken_for_different_labels() -> None:
    with pytest.raises(InputError, match="text for one rater and a number"):
        te.agreement([1, 0] * 10, ["1", "0"] * 10)


def test_m4_whole_numbers_from_1_to_10_are_ratings_in_order():
    draw = np.random.default_rng(0)
    first = draw.integers(1, 6, 80)
    second = np.clip(first + draw.integers(-1, 2, 80), 1, 5)
    found = te.agreement(first, second)
    assert found.level == "ordinal"
    assert found["krippendorff"] == te.agreement(first, second, level="ordinal")["krippendorff"]
    assert "Labels 1 to 5 are taken as ratings" in found.reading
    assert te.agreement(first, second, level="nominal")["krippendorff"].estimate < found["krippendorff"].estimate
    for codes in (first - 1, first * 10, np.minimum(first, 3)):
        assert te.agreement(codes, codes).level == "nominal"
