"""A short guard: the defaults still cover what they claim, with fixed seeds and tolerances from binomial error.

The full run is `make validate`. Exact figures come from enumeration; simulated ones may miss their claim by four
standard errors, which a sound procedure does once in thirty thousand.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from trueerror.methods import every_method
from validation import (
    bayes_cells,
    count_metrics,
    dependent,
    differences,
    exchangeable,
    familywise,
    fast_bayes,
    learner_plans,
    proportions,
    scores,
)
from validation.frame import Cell, Line, added, generator, lines, run_block
from validation.judging import judge
from validation.running import registry
from validation.writing import summary

BLOCK = 250
SAMPLES = 2 * BLOCK


def simulated(cell: Cell, blocks: int = SAMPLES // BLOCK) -> dict[str, Line]:
    """The lines of a cell at 95 %."""
    only = replace(cell, confidences=(0.95,), block=BLOCK)
    counts = run_block(only, 0)
    for block in range(1, blocks):
        counts = added(counts, run_block(only, block))
    return {line.procedure: line for line in lines(only, counts)}


def allowed(claim: float, samples: int) -> float:
    return claim - 4 * math.sqrt(claim * (1 - claim) / samples)


# Mean over p and the least anywhere, at n = 50; METHODS has the first with a coarser grid.
BINOMIAL = {
    "wilson": (0.952, 0.837),
    "mid-p": (0.955, 0.924),
    "clopper-pearson": (0.969, 0.950),
    "jeffreys": (0.950, 0.883),
    "bare wald": (0.901, 0.0),
}


@pytest.mark.parametrize("method", BINOMIAL)
def test_binomial_coverage_by_enumeration(method: str) -> None:
    low, high = proportions.limits(method, 50, 0.95)
    even, near = proportions.shares(low, high)
    mean, least = BINOMIAL[method]
    assert 1 - sum(a.mean() for a in proportions.misses(low, high, even)) == pytest.approx(mean, abs=0.001)
    assert 1 - sum(proportions.misses(low, high, near)).max() >= least


def test_wilson_holds_where_five_events_stand_on_each_side() -> None:
    for n in (20, 50, 100):
        low, high = proportions.limits("wilson", n, 0.95)
        near = proportions.shares(low, high)[1]
        near = near[n * np.minimum(near, 1 - near) >= 5]
        assert 1 - sum(proportions.misses(low, high, near)).max() >= 0.925


def test_differences_by_enumeration() -> None:
    found = [*differences._independent("miettinen-nurminen", 10, 10, 0.95), *differences._paired("tango", 20, 0.95)]
    for line in found:
        assert line.method in every_method()
        assert line.rate >= (0.945 if "mean" in line.scenario else 0.92)
        assert line.rate == pytest.approx(1 - line.below - line.above)


@pytest.mark.parametrize("n", [20, 100])
def test_mcnemar_mid_p_is_wrong_at_most_one_time_in_twenty(n: int) -> None:
    rates = [line.rate for line in differences._type_one("mid-p", n)]
    exact = [line.rate for line in differences._type_one("exact", n)]
    assert max(rates) <= 0.05
    assert all(e <= r for e, r in zip(exact, rates, strict=True))


CELLS = {
    "two classes": count_metrics.random_rows(
        "guard", "30 % positive", count_metrics.two(0.3, 0.85, 0.85), 150, count_metrics.MAIN
    ),
    "three classes": count_metrics.random_rows(
        "guard", "three classes", count_metrics.THREE["three classes"], 200, count_metrics.MAIN_CLASSES
    ),
    "area": scores.area_cell(0.95, 20, 20),
    "average precision": scores.precision_cell(0.8, 200, 0.2),
    "clusters": dependent.clustered_cell(0.8, 40, 10, 0.2),
    "weights": dependent.weighted_cell(200, 0.95, 0.6, 4),
    "loss": scores.loss_cell(300, 1, 1),
}


@pytest.mark.parametrize("name", CELLS)
def test_default_intervals_cover(name: str) -> None:
    for line in simulated(CELLS[name]).values():
        if line.default:
            assert line.rate >= allowed(0.945, SAMPLES), line
            # Neither tail may hold nearly all of a doubled error.
            assert max(line.below, line.above) <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / SAMPLES), line


def test_default_tests_keep_their_level() -> None:
    paired = simulated(scores.paired_cell(0.8, 20, 40, 0.5))
    assert paired["DeLong's test, t"].rate <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / SAMPLES)
    assert paired["DeLong's interval, t"].rate >= allowed(0.945, SAMPLES)


def test_five_equal_models_are_seldom_told_apart() -> None:
    cell = familywise.familywise_cell(5, 100, 0.8, 0.5)
    rng, samples = generator(cell, 0), 80
    adjusted, plain = (p.apply for p in cell.procedures)
    made = [cell.draw(rng) for _ in range(samples)]
    assert sum(adjusted(m, 0.05) for m in made) / samples <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / samples)
    # Without the correction this would have been seen: the guard can fail.
    assert sum(plain(m, 0.05) for m in made) / samples > 0.1


def test_limits_of_differences_from_the_best_hold_together() -> None:
    cell = replace(familywise.together_cell(60, 20), block=100)
    (line,) = lines(cell, run_block(cell, 0))
    assert line.rate <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 100)


def test_the_frame_sees_an_interval_that_does_not_cover() -> None:
    """Plain DeLong limits of a high area, and clusters that are ignored."""
    assert simulated(scores.area_cell(0.95, 20, 20))["auc, delong"].rate < 0.91
    ignored = simulated(dependent.clustered_cell(0.8, 20, 20, 0.3))["accuracy, clusters ignored"]
    assert ignored.rate < 0.8
    judged = judge([Line(**{**_fields(ignored), "default": True, "samples": 10_000})])
    assert not judged[0].holds
    assert "missed" in summary([Line(**{**_fields(ignored), "default": True})])


def _fields(line: Line) -> dict[str, object]:
    return {name: getattr(line, name) for name in Line.__dataclass_fields__}


def test_a_cell_gives_the_same_line_again() -> None:
    cell = CELLS["weights"]
    assert simulated(cell, blocks=1) == simulated(cell, blocks=1)


def test_truths_are_what_large_samples_tend_to() -> None:
    rng = np.random.default_rng(3)
    for cell in (scores.precision_cell(0.8, 200_000, 0.1), scores.area_cell(0.9, 50_000, 50_000, digits=0)):
        (procedure, *_) = cell.procedures
        made = procedure.apply(cell.draw(rng), 0.9999)
        assert made.low <= cell.truth[procedure.truth_name] <= made.high


def test_every_cell_has_a_truth_for_each_interval() -> None:
    for cell in registry(quick=False).values():
        for procedure in cell.procedures if isinstance(cell, Cell) else ():
            if procedure.kind == "interval":
                assert math.isfinite(cell.truth[procedure.truth_name]), cell.key
                assert cell.events[procedure.truth_name] >= 0


def test_fast_naive_bayes_is_that_of_scikit_learn() -> None:
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(0)
    X, y = learner_plans.rows(rng, 60)
    weights = rng.integers(0, 3, (5, 60)).astype(float)
    queries = rng.standard_normal((200, X.shape[1]))
    ours = fast_bayes.scores(X, y, weights, queries)
    for row, w in zip(ours, weights, strict=True):
        kept = np.repeat(np.arange(60), w.astype(int))
        log = GaussianNB().fit(X[kept], y[kept]).predict_log_proba(queries)
        assert row == pytest.approx(log[:, 1] - log[:, 0], rel=1e-6, abs=1e-6)


def test_intervals_and_tests_of_learners() -> None:
    made = simulated(bayes_cells.PLANS.folds(100, 5))
    assert made["corrected t, 5 × 10 folds"].rate >= allowed(0.945, SAMPLES)
    # Without the correction this would have been seen: the guard can fail.
    assert made["fold t, 5 × 10 folds"].rate < 0.75
    tests = simulated(exchangeable.two_learners_cell(100, 1.2, 1.2), blocks=1)
    assert tests["corrected t, 10 × 10 folds"].rate <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / BLOCK)
    assert tests["t over 10 × 10 folds"].rate > 0.2


def test_true_errors_of_learners_are_known_to_one_in_a_thousand() -> None:
    X, y = learner_plans.queries()
    best = X[:, :2].sum(axis=1) > learner_plans.APART / math.sqrt(2)
    assert np.mean(best != y) == pytest.approx(0.27425, abs=0.0015)  # Φ(−0.6)
    few, many = bayes_cells.true_error(20), bayes_cells.true_error(200)
    assert 0.2743 < many < few < 0.4
