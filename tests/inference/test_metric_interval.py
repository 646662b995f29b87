import math

import numpy as np
import pytest
from scipy import stats

import trueerror as te
from trueerror.inference._metric_interval import class_intervals, metric_interval
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import every_measure, find_measure
from trueerror.tallies import Confusion, KeyedConfusion, Moments, MultiLabel, ScoreTable

BINARY = Confusion([[80, 10], [8, 30]])
THREE = Confusion([[50, 5, 2], [6, 30, 4], [1, 3, 19]])
AT_PRIOR = Confusion([[160, 40], [5, 45]])


def limits(made):
    return made.low, made.high


# The check figures of the methods' sources.


def test_balanced_accuracy_is_the_macro_recall():
    made, recall = (metric_interval(m, Confusion([[45, 5], [15, 15]])) for m in ("balanced_accuracy", "macro_recall"))
    assert limits(recall) == pytest.approx(limits(made))


def test_f1_by_wilson_on_jaccard():
    made = metric_interval("f1", BINARY)
    assert limits(made) == pytest.approx((0.6520, 0.8557), abs=5e-5)
    assert (made.method, made.n) == ("wilson-f1", 48)
    jaccard = te.interval(30, 48)
    assert limits(made) == pytest.approx((2 * jaccard.low / (1 + jaccard.low), 2 * jaccard.high / (1 + jaccard.high)))
    assert limits(metric_interval("f_beta", BINARY)) == pytest.approx(limits(made), abs=0.003)


def test_mcc_by_fisher_z():
    made = metric_interval("mcc", BINARY, method="fisher-z")
    assert (made.estimate, *limits(made)) == pytest.approx((0.6687, 0.5038, 0.7865), abs=5e-5)
    assert made.method == "fisher-z"
    assert limits(metric_interval("mcc", BINARY)) == pytest.approx(limits(made), abs=0.002)


def test_results_at_another_prior():
    made = metric_interval("accuracy", AT_PRIOR, prior=0.1)
    assert (made.estimate, *limits(made)) == pytest.approx((0.81, 0.754, 0.856), abs=1e-3)
    error = metric_interval("error_rate", AT_PRIOR, prior=0.1)
    assert limits(error) == pytest.approx((1 - made.high, 1 - made.low))


@pytest.mark.parametrize(
    ("name", "error"),
    [("micro_f1", 0.03469), ("macro_f1", 0.03760), ("macro_precision", 0.03882), ("macro_recall", 0.03775)],
)
def test_takahashi_errors(name, error):
    made = metric_interval(name, THREE, method="takahashi")
    assert made.width / 2 / 1.959964 == pytest.approx(error, abs=5e-6)
    assert made.method == "takahashi"


def test_delta_error_of_f1():
    made = metric_interval("f1", BINARY, method="delta")
    assert made.width / 2 / 1.959964 == pytest.approx(0.0529, abs=5e-5)


def test_takahashi_formula_is_the_delta_method():
    p = THREE.matrix / THREE.n
    rows_and_columns = p.sum(axis=1) + p.sum(axis=0)
    hits = np.diag(p)
    f = 2 * hits / rows_and_columns
    rest = (rows_and_columns - 2 * hits) / rows_and_columns
    a = (f * rest / rows_and_columns * (rest + f / 2)).sum()
    scaled = f / rows_and_columns
    b = (p * np.outer(scaled, scaled))[~np.eye(3, dtype=bool)].sum()
    expected = math.sqrt(2 * (a + b) / (THREE.n * 9))
    made = metric_interval("macro_f1", THREE, method="takahashi")
    assert made.width / 2 / 1.959963984540054 == pytest.approx(expected, rel=1e-12)


# Ratios.


def test_likelihood_ratio_by_the_usual_log_formula():
    made = metric_interval("lr_plus", BINARY)
    error = math.sqrt(1 / 30 - 1 / 38 + 1 / 10 - 1 / 90)
    assert limits(made) == pytest.approx(
        (made.estimate * math.exp(-1.959964 * error), made.estimate * math.exp(1.959964 * error)), rel=1e-6
    )


def test_odds_ratio_by_woolf_and_with_a_half_added_at_zero():
    made = metric_interval("diagnostic_odds_ratio", BINARY)
    error = math.sqrt(1 / 80 + 1 / 10 + 1 / 8 + 1 / 30)
    assert made.estimate == pytest.approx(30)
    assert math.log(made.high / made.low) == pytest.approx(2 * 1.959964 * error, rel=1e-6)
    none = metric_interval("diagnostic_odds_ratio", Confusion([[80, 0], [8, 30]]))
    error = math.sqrt(1 / 80.5 + 1 / 0.5 + 1 / 8.5 + 1 / 30.5)
    assert none.estimate == math.inf == none.high
    assert none.low == pytest.approx(80.5 * 30.5 / (0.5 * 8.5) * math.exp(-1.959964 * error), rel=1e-6)
    assert (none.method, none.note) == ("haldane-log", "a count is 0: the limits come from counts with ½ added to each")


# Perfect and useless tables.


def test_mcc_and_kappa_without_errors():
    t = Confusion([[60, 0], [0, 40]])
    low = te.interval(100, 100).low
    for name in ("mcc", "kappa"):
        made = metric_interval(name, t)
        assert made.low == pytest.approx(1 - (1 - low) / (1 - 0.52), abs=0.003)
        assert (made.estimate, made.high) == (pytest.approx(1), 1)
    wrong = metric_interval("mcc", Confusion([[0, 60], [40, 0]]))
    assert (wrong.low, wrong.estimate) == (-1, -1)
    assert -1 < wrong.high < -0.8


def test_a_class_that_was_never_found():
    made = metric_interval("g_mean", Confusion([[90, 0], [10, 0]]))
    assert (made.estimate, made.low) == (0, 0)
    assert 0.2 < made.high < 0.7


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("precision", [[5, 0], [4, 0]]),
        ("f1", [[5, 0], [0, 0]]),
        ("macro_precision", [[5, 0], [4, 0]]),
        ("mcc", [[5, 0], [4, 0]]),
        ("kappa", [[5, 0], [0, 0]]),
        ("lr_plus", [[5, 0], [0, 0]]),
        ("g_mean", [[5, 1], [0, 0]]),
    ],
)
def test_undefined_says_why_and_gives_the_range(name, counts):
    made = metric_interval(name, Confusion(counts, positive=1))
    assert math.isnan(made.estimate)
    assert made.note
    bounds = find_measure(name).range
    assert limits(made) == bounds if math.isfinite(bounds[1]) else math.isnan(made.high)


def test_no_rows():
    for name in ("accuracy", "macro_f1", "mcc", "f1"):
        made = metric_interval(name, Confusion([[0, 0], [0, 0]]))
        assert math.isnan(made.estimate)
        assert made.note == "there are no rows"


# Costs.


def test_costs_that_are_all_the_same():
    t = Confusion([[10, 0], [0, 10]])
    made = metric_interval("expected_cost", t, options={"costs": [[0, 5], [5, 0]]})
    assert (made.estimate, made.low) == (0, 0)
    assert made.high == pytest.approx(5 * te.interval(0, 20).high, rel=0.15)


def test_cost_at_another_prior_weighs_the_classes():
    made = metric_interval("expected_cost", AT_PRIOR, prior=0.1, options={"costs": {"fp": 1, "fn": 10}})
    assert made.estimate == pytest.approx(0.9 * 0.2 + 0.1 * 10 * 0.1)
    assert made.low < made.estimate < made.high


# Classes.


def test_all_classes_at_once_are_the_same_as_one_by_one():
    for measure in every_measure().values():
        if measure.needs != "binary":
            continue
        many = class_intervals(measure, THREE)
        for label in THREE.labels:
            assert many[label] == metric_interval(measure, THREE, positive=label), measure.name


def test_classes_that_do_not_occur_are_left_out():
    t = Confusion([[5, 1, 0], [2, 9, 0], [0, 0, 0]])
    assert list(class_intervals("recall", t)) == [0, 1]


def test_class_intervals_are_for_metrics_of_one_class():
    with pytest.raises(InputError, match="all classes together"):
        class_intervals("accuracy", THREE)


def test_class_intervals_at_a_prior_go_class_by_class():
    prior = {0: 0.2, 1: 0.3, 2: 0.5}
    made = class_intervals("precision", THREE, prior=prior)
    assert made[2] == metric_interval("precision", THREE, positive=2, prior=prior)
    assert made[2].estimate > class_intervals("precision", THREE)[2].estimate


# Design and prior.


@pytest.mark.parametrize("name", ["accuracy", "precision", "f1", "mcc", "kappa", "macro_f1", "expected_cost"])
def test_case_control_needs_a_prior_where_the_class_mix_matters(name):
    with pytest.raises(InputError, match="pass prior="):
        metric_interval(name, BINARY, design="case-control")
    assert metric_interval(name, BINARY, design="case-control", prior=0.2).low >= -1


@pytest.mark.parametrize("name", ["recall", "specificity", "balanced_accuracy", "informedness", "g_mean", "lr_plus"])
def test_case_control_is_fine_within_classes(name):
    assert metric_interval(name, BINARY, design="case-control") == metric_interval(name, BINARY)
    assert metric_interval(name, BINARY, prior=0.9) == metric_interval(name, BINARY)


def test_with_three_classes_specificity_depends_on_the_mix():
    with pytest.raises(InputError, match="specificity depends"):
        metric_interval("specificity", THREE, positive=0, design="case-control")


def test_a_prior_that_is_the_sample_changes_little():
    shares = {0: 57 / 120, 1: 40 / 120, 2: 23 / 120}
    for name in ("accuracy", "macro_f1", "mcc", "kappa"):
        own, at = metric_interval(name, THREE), metric_interval(name, THREE, prior=shares)
        assert at.estimate == pytest.approx(own.estimate)
        assert at.width == pytest.approx(own.width, rel=0.15)


def test_prevalence_at_a_prior_is_given_not_estimated():
    made = metric_interval("prevalence", BINARY, prior=0.3)
    assert made.estimate == pytest.approx(0.3)
    assert math.isnan(made.low)
    assert "given by prior=" in made.note


# One class of several against the rest.


def test_a_named_class_turns_kappa_into_one_against_the_rest():
    made = metric_interval("kappa", THREE, positive=2)
    pair = Confusion([[91, 6], [4, 19]])
    assert limits(made) == pytest.approx(limits(metric_interval("kappa", pair)))


# Options and words.


def test_unknown_methods_list_what_there_is():
    with pytest.raises(InputError, match="'wilson-f1'"):
        metric_interval("f1", BINARY, method="clopper-pearson")
    with pytest.raises(InputError, match="did you mean 'wilson'"):
        metric_interval("accuracy", BINARY, method="wislon")
    with pytest.raises(InputError, match="no option"):
        metric_interval("f1", BINARY, options={"beta": 2})


def test_binomial_methods_reach_every_proportion():
    for method in ("wald", "clopper-pearson", "mid-p", "jeffreys"):
        made = metric_interval("recall", BINARY, method=method)
        plain = te.interval(30, 38, method=method)
        assert (made.method, *limits(made)) == (method, plain.low, plain.high)
    collapsed = metric_interval("recall", Confusion([[9, 1], [0, 5]]), method="wald")
    assert collapsed.method == "wilson"
    assert "no width" in collapsed.note
    overall = metric_interval("accuracy", Confusion([[9, 0], [0, 5]]), method="wald")
    assert overall.method == "wilson"


def test_one_sided_limits_reach_the_end_of_the_range():
    lower = metric_interval("mcc", BINARY, side="lower")
    upper = metric_interval("mcc", BINARY, side="upper")
    both = metric_interval("mcc", BINARY, confidence=0.9)
    assert (lower.low, lower.high) == (pytest.approx(both.low), 1)
    assert (upper.low, upper.high) == (-1, pytest.approx(both.high))
    ratio = metric_interval("lr_plus", BINARY, side="lower")
    assert ratio.high == math.inf


def test_several_at_once_are_wider_and_say_so():
    one, many = metric_interval("accuracy", BINARY), metric_interval("accuracy", BINARY, simultaneous_over=10)
    at = te.interval(110, 128, confidence=0.995)
    assert limits(many) == pytest.approx((at.low, at.high))
    assert many.confidence == one.confidence == 0.95
    assert "99.5 %" in many.note
    with pytest.raises(InputError, match="simultaneous_over=0"):
        metric_interval("accuracy", BINARY, simultaneous_over=0)


def test_the_estimand_travels():
    assert metric_interval("accuracy", BINARY, estimand="this model").estimand == "this model"
    assert class_intervals("recall", BINARY, estimand="this model")[1].estimand == "this model"


# Losses.


def test_mean_loss():
    many = np.array([0.1, 0.3, 0.2, 1.4] * 5)
    made, plain = metric_interval("log_loss", Moments.of(many)), te.mean_interval(many)
    assert plain.low < made.low < 0.5 < plain.high < made.high
    # On a range with one end both limits are as far away in ratio.
    assert made.low * made.high == pytest.approx(0.5**2)
    asked = metric_interval("log_loss", Moments.of(many), method="t-mean")
    assert limits(asked) == pytest.approx((plain.low, plain.high))
    upper = metric_interval("log_loss", Moments.of(many), side="upper")
    assert upper.low == 0
    assert 0.5 < upper.high < made.high
    assert 0 < metric_interval("log_loss", Moments.of(np.array([0.0, 0.0, 0.9]))).low < 0.3


def test_losses_that_cannot_be_told():
    infinite = metric_interval("log_loss", Moments.of(np.array([0.1, math.inf])))
    assert infinite.estimate == infinite.high == math.inf
    assert math.isnan(infinite.low)
    assert "infinite loss" in infinite.note
    one = metric_interval("brier", Moments.of(np.array([0.1])))
    assert one.high - one.low > 0.9
    assert math.isnan(metric_interval("log_loss", Moments.of(np.array([0.1]))).low)
    assert metric_interval("brier", Moments(0, 0.0, 0.0)).note == "there are no rows"
    flat = metric_interval("log_loss", Moments.of(np.full(10, 0.1)))
    assert math.isnan(flat.low)
    assert flat.note
    # Wilson's form at as many rows, with Student's t for z.
    zero, t = metric_interval("brier", Moments.of(np.zeros(20))), stats.t.ppf(0.975, 19)
    assert limits(zero) == (0, pytest.approx(t * t / (20 + t * t)))
    with pytest.raises(InputError, match=r"not offered for brier; there are .effective-t., .t-mean."):
        metric_interval("brier", Moments.of(np.array([0.1, 0.2])), method="bootstrap")


# Several labels a row.


def test_rows_with_several_labels():
    t = MultiLabel.count([[1, 0, 1], [1, 1, 0], [0, 0, 1], [1, 0, 0]], [[1, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0]])
    accuracy = te.interval(2, 4)
    assert limits(metric_interval("accuracy", t)) == (accuracy.low, accuracy.high)
    recall = te.interval(2, 3)
    assert limits(metric_interval("recall", t, positive=0)) == (recall.low, recall.high)
    macro = metric_interval("macro_recall", t)
    assert macro.low == pytest.approx(np.mean([te.interval(2, 3).low, te.interval(1, 1).low, te.interval(2, 2).low]))
    assert macro.method == "mean-of-limits"
    hamming = metric_interval("hamming_loss", t)
    assert hamming.estimate == pytest.approx(2 / 12)
    assert math.isnan(metric_interval("micro_f1", t).low)
    with pytest.raises(InputError, match="prior="):
        metric_interval("accuracy", t, prior=0.2)


# Clusters.


def clustered(seed=3, groups=25, size=8):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, groups * size)
    right = rng.random((groups, size)) < rng.beta(4, 1, groups)[:, None]
    called = np.where(right.ravel(), truth, 1 - truth)
    return KeyedConfusion.from_codes(np.repeat(np.arange(groups), size), tuple(range(groups)), truth, called, (0, 1))


def test_rows_as_their_own_clusters_change_next_to_nothing():
    rng = np.random.default_rng(0)
    truth, called = rng.integers(0, 3, 600), rng.integers(0, 3, 600)
    called = np.where(rng.random(600) < 0.7, truth, called)
    keyed = KeyedConfusion.from_codes(np.arange(600), tuple(range(600)), truth, called, (0, 1, 2))
    for name in ("accuracy", "mcc", "kappa", "balanced_accuracy", "macro_f1", "g_mean", "weighted_f1", "expected_cost"):
        own, alone = metric_interval(name, keyed.table), metric_interval(name, keyed.table, clusters=keyed)
        assert alone.estimate == pytest.approx(own.estimate)
        assert limits(alone) == pytest.approx(limits(own), abs=0.005), name
    for name in ("recall", "precision", "f1", "specificity", "informedness", "lr_plus"):
        own, alone = class_intervals(name, keyed.table), class_intervals(name, keyed.table, clusters=keyed)
        for label in (0, 1, 2):
            assert limits(alone[label]) == pytest.approx(limits(own[label]), rel=0.04), name


def test_methods_for_plain_rows_are_refused_elsewhere_with_the_words_that_apply():
    keyed = clustered()
    for name in ("accuracy", "recall"):
        with pytest.raises(InputError, match="'effective-t', 'delta', 'cluster-t'"):
            metric_interval(name, keyed.table, clusters=keyed, method="mid-p")
    with pytest.raises(InputError, match="'effective-t'"):
        metric_interval("accuracy", BINARY, prior=0.2, method="mid-p")


def test_one_cluster_shows_nothing():
    truth = np.array([0, 1, 1, 0])
    keyed = KeyedConfusion.from_codes(np.zeros(4, int), ("a",), truth, np.array([0, 1, 0, 0]), (0, 1))
    for name in ("accuracy", "recall", "mcc", "macro_f1", "expected_cost", "f1", "lr_plus"):
        made = metric_interval(name, keyed.table, clusters=keyed, options=None)
        assert math.isnan(made.low)
        assert math.isnan(made.high)
        assert "one cluster" in made.note, name


def test_clusters_must_be_of_the_same_rows():
    with pytest.raises(InputError, match="same rows"):
        metric_interval("accuracy", BINARY, clusters=clustered())


# Weights.


def test_equal_sampling_weights_change_next_to_nothing():
    truth, called = np.array([0] * 90 + [1] * 38), np.array([0] * 80 + [1] * 10 + [0] * 8 + [1] * 30)
    t = Confusion.count(truth, called, weights=np.full(128, 0.3), weights_kind="sampling")
    for name in ("accuracy", "recall", "f1", "mcc", "macro_f1"):
        own, weighted = metric_interval(name, BINARY), metric_interval(name, t)
        assert weighted.estimate == pytest.approx(own.estimate)
        assert weighted.width == pytest.approx(own.width, rel=0.12), name


def test_heavy_rows_that_are_all_right_prove_no_correlation():
    """Of two classes balanced accuracy and informedness are one metric on two scales; the delta method covered .79."""
    truth, called = np.array([0] * 60 + [1] * 60), np.array([0] * 48 + [1] * 60 + [0] * 12)
    weights = np.where(np.arange(120) % 40 == 0, 40.0, 1.0)  # three rows, all right
    t = Confusion.count(truth, called, weights=weights, weights_kind="sampling")
    shared = metric_interval("balanced_accuracy", t)
    made = metric_interval("informedness", t)
    assert made.low <= 2 * shared.low - 1 + 1e-9
    for name in ("mcc", "kappa", "markedness"):
        assert metric_interval(name, t).low < metric_interval(name, BINARY).low - 0.1, name


def test_weighted_rows_are_left_out_each():
    rng = np.random.default_rng(1)
    truth, right = rng.integers(0, 2, 200), rng.random(200) < 0.8
    t = Confusion.count(truth, np.where(right, truth, 1 - truth), weights=rng.random(200) + 0.1,
                        weights_kind="sampling")  # fmt: skip
    made = metric_interval("accuracy", t)
    assert made.n == 200
    assert "weights: effective sample size" in made.note
    with pytest.raises(InputError, match="not offered for accuracy; there are 'effective-t'"):
        metric_interval("accuracy", t, method="bootstrap")


def test_all_right_with_weights_rests_on_kishs_size():
    truth = np.array([0, 1] * 100)
    w = np.array([1.0, 3.0] * 100)
    t = Confusion.count(truth, truth, weights=w, weights_kind="sampling")
    kish = w.sum() ** 2 / (w**2).sum()
    assert metric_interval("accuracy", t).low == pytest.approx(te.interval(round(kish), round(kish)).low, abs=0.005)


def test_frequency_weights_are_rows():
    t = Confusion.count([0, 0, 1], [0, 1, 1], weights=[8, 2, 10], weights_kind="frequency")
    assert metric_interval("accuracy", t) == metric_interval("accuracy", Confusion([[8, 2], [0, 10]]))


def test_scores_are_not_labels():
    with pytest.raises(InputError, match="needs labels"):
        metric_interval("accuracy", ScoreTable.count([0, 1], [0.1, 0.9]))


def test_savings_under_sampling_weights():
    t = Confusion.count([0, 1] * 10, [0, 1, 1, 1] * 5, weights=[0.5, 1.5] * 10, weights_kind="sampling")
    made = metric_interval("savings", t, options={"costs": [[0, 1], [5, 0]]})
    assert made.low < made.estimate < made.high <= 1
    with pytest.raises(InputError, match="not offered for savings"):
        metric_interval("savings", t, options={"costs": [[0, 1], [5, 0]]}, method="bootstrap")


def test_a_loss_of_one_bad_row_is_hardly_known():
    bad = Moments.of(np.array([0.0] * 99 + [1.0]))
    bounded, own = metric_interval("brier", bad), te.interval(1, 100)
    assert 0 < bounded.low < own.low < own.high < bounded.high < 0.5
    without_end = metric_interval("log_loss", bad)
    assert own.high < without_end.high < 1


def test_savings_without_an_error_have_limits():
    table = Confusion([[70, 0], [0, 30]], positive=1)
    made = metric_interval("savings", table, options={"costs": {"fp": 1, "fn": 20}})
    assert made.low < 0.3
    assert made.high == 1
