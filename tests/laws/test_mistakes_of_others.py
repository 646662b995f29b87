"""One test for each mistake that other tools make, as METHODS lists them; each says what the mistake would give."""

import math

import numpy as np
import pytest

import trueerror as te
from trueerror.findings import Evidence, find
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference.learner._intervals import point_632, point_632_plus
from trueerror.resampling._plan import Rows

PAIRED = ("accuracy", "f1", "mcc", "kappa", "balanced_accuracy", "macro_f1", "precision", "g_mean", "jaccard")
SCORED = ("auc", "gini", "average_precision", "brier", "log_loss", "ece")
TABLE = te.Confusion([[50, 5, 2], [6, 30, 4], [1, 3, 19]])


def rows(n=80, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    return truth, 1 / (1 + np.exp(-(2 * truth - 1 + rng.normal(size=n))))


@pytest.mark.parametrize("metric", [*PAIRED, *SCORED])
def test_identical_models_have_p_1_and_a_sound_interval(metric):
    truth, scores = rows()
    given = {"scores": {"a": scores, "b": scores.copy()}} if metric in SCORED else {
        "predicted": {name: (scores > 0.4).astype(int) for name in "ab"}
    }  # fmt: skip
    made = te.compare(truth, **given, metric=metric, replicates=200)["a", "b"]
    assert made.p_value == 1
    assert made.estimate == 0
    assert made.low < 0 < made.high


@pytest.mark.parametrize("method", ["mid-p", "exact", "chi2", "chi2-cc"])
@pytest.mark.parametrize("interval", ["tango", "bonett-price", "newcombe", "wald"])
def test_models_that_never_differ_are_no_crash_and_no_nan(method, interval):
    made = te.significance.mcnemar(0, 0, both_right=40, both_wrong=10, method=method, interval=interval)
    assert made.p_value == 1
    assert -1 <= made.low < 0 < made.high <= 1


def test_the_delta_method_takes_covariances_not_squares():
    """`p*p` for the outer product leaves out that shares of one sample are correlated: .0675, not .0717."""
    cells = np.array([[80, 10], [8, 30]], dtype=float)
    n, d = cells.sum(), np.zeros((2, 2))
    for i, j in np.ndindex(2, 2):
        up, down = cells.copy(), cells.copy()
        up[i, j], down[i, j] = up[i, j] + 1e-4, down[i, j] - 1e-4
        d[i, j] = (kappa(up) - kappa(down)) / 2e-4
    p, g = (cells / n).ravel(), d.ravel() * n
    right = math.sqrt(g @ (np.diag(p) - np.outer(p, p)) @ g / n)
    wrong = math.sqrt(abs(g @ (np.diag(p) - np.diag(p * p)) @ g) / n)
    made = metric_interval("kappa", te.Confusion(cells.astype(int)), method="delta")
    error = (made.high - made.low) / 2 / 1.959963984540054
    assert error == pytest.approx(right, rel=1e-6)
    assert abs(error - wrong) > 0.004


def kappa(cells):
    n = cells.sum()
    chance = (cells.sum(axis=0) * cells.sum(axis=1)).sum() / n**2
    return (np.trace(cells) / n - chance) / (1 - chance)


@pytest.mark.parametrize("hits", [0, 1, 19, 20])
def test_limits_stay_within_the_range_and_a_perfect_score_has_width(hits):
    table = te.Confusion([[hits, 20 - hits], [20 - hits, hits]])
    for name in ("accuracy", "recall", "precision", "f1", "mcc", "kappa", "balanced_accuracy", "macro_f1", "g_mean"):
        made = metric_interval(name, table, positive=1)
        if math.isnan(made.estimate):
            assert made.note
            continue
        least = -1 if name in ("mcc", "kappa") else 0
        assert least <= made.low < made.high <= 1, name
        assert made.low <= made.estimate <= made.high, name


def test_positives_and_negatives_are_not_swapped_in_the_error_of_an_area():
    truth, scores = rows(60, 3)
    truth[:25] = 0
    area = te.roc(truth, scores)
    a, m, n = float(area.auc()), int(truth.sum()), int((1 - truth).sum())
    assert m != n

    def error(m, n):
        q1, q2 = a / (2 - a), 2 * a * a / (1 + a)
        return math.sqrt((a * (1 - a) + (m - 1) * (q1 - a * a) + (n - 1) * (q2 - a * a)) / (m * n))

    z = 1.959963984540054
    made = area.auc(method="hanley-mcneil")
    assert made.low == pytest.approx(a - z * error(m, n))
    assert abs(made.low - (a - z * error(n, m))) > 1e-3


def test_the_side_of_a_one_sided_test_is_not_picked_from_the_data():
    """Picking it would give the smaller of the two p-values both times."""
    behind = te.significance.mcnemar(4, 15, n=100, alternative="greater")
    ahead = te.significance.mcnemar(4, 15, n=100, alternative="less")
    assert behind.p_value > 0.95
    assert ahead.p_value < 0.05
    assert te.difference((10, 50), (20, 50), alternative="greater").p_value > 0.95


def test_holm_steps_down():
    """A constant level, .05/3 for all, would leave the second and third at .06 and .12."""
    assert te.significance.adjust([0.01, 0.02, 0.04], "holm") == pytest.approx([0.03, 0.04, 0.04])


def test_632_takes_the_error_on_its_own_rows_and_632_plus_is_clipped():
    assert point_632(0.1, 0.3) == pytest.approx(0.368 * 0.1 + 0.632 * 0.3)
    assert point_632_plus(0.0, 0.5, 0.5) == pytest.approx(0.5)
    # Unclipped, R would be above 1 (error beyond no information) or below 0 (out of bag better than apparent).
    assert point_632_plus(0.0, 0.7, 0.5) == pytest.approx(0.5)
    assert point_632_plus(0.3, 0.2, 0.5) == pytest.approx(0.368 * 0.3 + 0.632 * 0.2)


def test_the_direction_of_scores_is_not_picked_again_in_each_resample():
    """Useless scores: with the direction picked again every replicate would be at least .5."""
    rng = np.random.default_rng(4)
    truth = np.tile([0, 1], 30)
    scores = rng.permutation(60) / 60.0
    made = te.roc(truth, scores).auc(method="bootstrap", replicates=500)
    assert made.low < 0.45
    flipped = te.roc(truth, -scores).auc(method="bootstrap", replicates=500)
    assert [flipped.low, flipped.high] == pytest.approx([1 - made.high, 1 - made.low], abs=0.03)


@pytest.mark.parametrize("method", ["auto", "monte-carlo"])
def test_a_permutation_p_is_never_0(method):
    first = np.linspace(0.8, 0.9, 60)
    made = te.significance.permutation(first, first - 0.2, method=method, replicates=999)
    assert 0 < made.p_value <= 1 / 1000


def test_a_paired_t_over_repeated_folds_is_warned_of():
    assert "TE503" in find([Evidence(fold_method="plain-t", test_parts=100)])


def test_folds_are_shuffled_and_stratified_by_default():
    """Sorted classes: unshuffled folds would test one class at a time; unstratified ones miss the share."""
    truth = np.repeat([0, 1], [90, 10])
    for split in te.KFold(10).splits(Rows(codes=truth), seed=0):
        assert truth[split.test].sum() == 1
        assert not np.array_equal(split.test, np.arange(split.test.min(), split.test.max() + 1))


def test_undefined_is_not_0():
    table = te.Confusion([[5, 0], [5, 0]])
    assert math.isnan(te.metric("precision", table, positive=1))
    assert te.metric("f1", table, positive=1) == 0
    assert math.isnan(te.metric("macro_precision", table))
    assert math.isnan(te.metric("recall", te.Confusion([[5, 1], [0, 0]]), positive=1))


def test_a_random_sample_is_not_resampled_class_by_class():
    """Prevalence does not vary in stratified replicates; precision and accuracy then look surer than they are."""
    table = te.Confusion([[160, 40], [5, 45]])
    spread = {
        design: (lambda r: r.high - r.low)(
            metric_interval("precision", table, positive=1, method="bootstrap", replicates=2000, design=design,
                            prior=None if design == "random" else 0.2)
        )
        for design in ("random", "case-control")
    }  # fmt: skip
    assert spread["random"] > 1.1 * spread["case-control"]
    assert metric_interval("prevalence", table, positive=1, method="bootstrap", replicates=2000).low < 0.2
