"""Every rule of the linter with a case that fires and cases that do not; and what is particular to some of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.findings import Evidence, every_rule, find
from trueerror.findings.models import (
    ClassErrors,
    ConstantAnswer,
    CountedAsWrong,
    CrossingCurves,
    GradesSeen,
    HarderRows,
    Overfit,
    RateAtPrior,
    WorstSlice,
)
from trueerror.inference._joined import RunsFound
from trueerror.inference._tuned import CRITERIA, Tuned
from trueerror.inference.auc._average_precision import DecidedBy
from trueerror.inference.auc._within_folds import Comparability
from trueerror.inference.power._sample_size import smallest_difference
from trueerror.inference.proportion._paired import mcnemar
from trueerror.inference.proportion._two_samples import difference
from trueerror.results import Interval
from trueerror.sources._duplicates import DuplicateRows, Overlap, RepeatedRows
from trueerror.sources._predictions import ScoreRange
from trueerror.tallies import Confusion, Discordance, ScoreTable

fact = Evidence


def table(matrix: list[list[int]], labels: list[Any] | None = None, **more: Any) -> Evidence:
    return fact(confusion=Confusion(np.array(matrix), labels=labels), **more)


def clustered(clusters: int, faulty: int, size: int = 4) -> Evidence:
    truth = np.tile([0, 1], clusters * size // 2)
    called = truth.copy()
    called[np.arange(faulty) * size] = 1 - called[np.arange(faulty) * size]
    keys = np.repeat(np.arange(clusters), size)
    p = te.predictions(truth, called, clusters=keys)
    return fact(clusters=p.keyed_confusion(None, "clusters"))


def area(estimate: float, low: float, high: float) -> Evidence:
    return fact(auc=Interval(name="AUC", estimate=estimate, low=low, high=high))


def forecasts(power: float, n: int = 2000) -> Evidence:
    """Truth drawn with probability p, forecasts p^power / (p^power + q^power): overconfident above 1."""
    rng = np.random.default_rng(3)
    p = rng.random(n)
    truth = (rng.random(n) < p).astype(int)
    shown = p**power / (p**power + (1 - p) ** power)
    return fact(scores=ScoreTable.count(truth, shown), probabilities=True)


def rare_forecasts(times):
    """1,000 forecasts of 1 %, 3,000 of 3 %, and so many times as many come true as `times` says."""
    return fact(scores=ScoreTable([0.01, 0.03], [int(10 / times), int(90 / times)], [990, 2910]),
                    probabilities=True)  # fmt: skip


def pair(d: Discordance, **more: Any) -> Evidence:
    """The evidence of a comparison of accuracy."""
    found = mcnemar(d.only_first, d.only_second, both_right=d.both_right, both_wrong=d.both_wrong)
    forms = ("mid-p", "exact", "chi2")
    p_values = {form: mcnemar(d.only_first, d.only_second, method=form).p_value for form in forms}  # type: ignore[arg-type]
    known: dict[str, Any] = {
        "p_value": found.p_value, "significant": found.p_value <= 0.05, "level": 0.05, "difference": found.estimate,
        "limits": (found.low, found.high), "share": True, "p_values": p_values, "comparisons": 1,
    }  # fmt: skip
    return fact(**{**known, **more})


CLEAR, OPEN, SMALL_N = Discordance(800, 90, 40, 70), Discordance(8000, 410, 400, 1190), Discordance(80, 9, 7, 14)
OVERLAPPING = ((0.87, 0.91), (0.82, 0.88))
APART = ((0.87, 0.91), (0.78, 0.82))
CALLS = ScoreTable([0.0, 1.0], [10, 40], [45, 5])
EXPECTED = Interval(estimate=0.78, low=0.6, high=0.88)
TUNED = Tuned(0.2371, CRITERIA[0], 0.911, Interval(estimate=0.894, low=0.85, high=0.93))
CASES: dict[str, tuple[Evidence, str, list[Evidence]]] = {
    "TE101": (table([[10, 2], [3, 8]]), "only 23 rows", [table([[10, 5], [5, 10]]), table([[0, 0], [0, 0]])]),
    "TE102": (
        table([[60, 3], [4, 5]]), "fewer than 10 rows of 1 (9)",
        [table([[60, 3], [4, 6]]), table([[8, 3], [4, 5]]), table([[60, 0, 3], [0, 0, 0], [4, 0, 26]])],
    ),
    "TE103": (
        table([[90, 2], [3, 5]], metrics=("accuracy",)), "92 % of the rows are 0",
        [table([[80, 2], [3, 15]], metrics=("accuracy",)), table([[90, 2], [3, 5]], metrics=("recall",)),
         table([[90, 2], [0, 0]], metrics=("accuracy",))],
    ),
    "TE104": (table([[40, 3], [0, 0]]), "all 43 rows are 0", [table([[40, 3], [0, 1]])]),
    "TE105": (
        table([[20, 1, 0], [2, 20, 0], [0, 0, 0]], ["a", "b", "c"]), "no row is c",
        [table([[20, 1, 0], [2, 20, 0], [0, 0, 1]], ["a", "b", "c"]),
         table([[20, 1, 1], [2, 20, 0], [0, 0, 0]], ["a", "b", "c"]), table([[20, 0], [0, 0]])],
    ),
    "TE106": (
        table([[20, 1, 4], [2, 20, 0], [0, 0, 0]], ["cat", "dog", "Dog"]), "predicted Dog (4 times)",
        [table([[20, 1, 0], [2, 20, 0], [0, 0, 0]], ["a", "b", "c"]), table([[20, 1], [2, 20]])],
    ),
    "TE107": (fact(repeated_ids=(12, "p7")), "12 rows repeat the id of an earlier row, such as 'p7'",
              [fact(repeated_ids=(0, None))]),
    "TE108": (fact(doubled=DuplicateRows(30, 0, 300)), "30 of 300 rows have exactly the truth and scores",
              [fact(doubled=DuplicateRows(3, 0, 300)), fact(doubled=DuplicateRows(0, 0, 300))]),
    "TE109": (fact(doubled=DuplicateRows(30, 20, 300)), "20 of 300 rows have a copy in another cluster",
              [fact(doubled=DuplicateRows(30, 0, 300))]),
    "TE110": (fact(repeats=RepeatedRows(10, 285, True)), "285 rows stand there 10 times, once for each repeat",
              [fact(repeats=None)]),
    "TE111": (fact(training_overlap=Overlap(7, 100)), "7 of 100 test rows are training rows too",
              [fact(training_overlap=Overlap(0, 100))]),
    "TE112": (fact(undecided=((("svm", 4), ("nb", 0), ("knn", 2)), 100)),
              "svm lacks 4 of 100 predictions and knn 2; those rows were left out here",
              [fact(undecided=((("svm", 0),), 100))]),
    "TE201": (
        table([[90, 0], [10, 0]], baseline_p=1.0),
        'right on 90.0 % of the rows, no more than the 90.0 % that always answering "0" gets',
        [table([[85, 5], [2, 40]], baseline_p=mcnemar(40, 5).p_value), table([[90, 0], [0, 0]], baseline_p=1.0)],
    ),
    "TE202": (fact(small_counts=[("recall", 3, 40)]), "fewer than 5 errors or successes behind recall",
              [fact(small_counts=[])]),
    "TE203": (
        fact(proportions=[("accuracy", "wald", 0.97, 100)]), "n·p·(1 − p) = 2.910",
        [fact(proportions=[("accuracy", "wilson", 0.97, 100)]),
         fact(proportions=[("accuracy", "wald", 0.5, 100)])],
    ),
    "TE204": (clustered(12, 10), "only 12 clusters", [clustered(60, 15)]),
    "TE220": (fact(runs=RunsFound("a", 1e-9, 500, 90.4)), "(p < .001). 500 rows count as about 90 independent ones",
              [fact(runs=None)]),
    "TE205": (fact(lost_replicates=[("macro-F1", 0.08)]), "8 % of the bootstrap replicates of macro-F1 lost a class",
              [fact(lost_replicates=[("macro-F1", 0.005)]), fact(lost_replicates=[])]),
    "TE206": (fact(missing_predictions=(4, 100, "wrong")), "4 of 100 rows have no prediction and were counted as wrong",
              [fact(missing_predictions=(0, 100, "error"))]),
    "TE212": (
        fact(confusion=Confusion.count([0, 1] * 20, [0, 1] * 20, weights=[1.0] * 38 + [40.0] * 2,
                                       weights_kind="sampling")),
        "with these weights 40 rows count as about 4 of equal weight",
        [fact(confusion=Confusion.count([0, 1] * 20, [0, 1] * 20, weights=[1.0, 3.0] * 20, weights_kind="sampling")),
         table([[20, 1], [2, 20]])],
    ),
    "TE213": (
        fact(harder_rows=HarderRows(304, 1000, "bold", 0.55, 0.95, 1e-9)),
        "304 of 1,000 rows were left out, and bold is right on 55 % of them against 95 % of the others (p < .001)",
        [fact(harder_rows=HarderRows(304, 1000, "bold", 0.93, 0.95, 0.2))],
    ),
    "TE219": (
        fact(counted_as_wrong=CountedAsWrong(40, "bold", "+9.0 points", "−3.0 points", 1.0), level=0.05),
        "rows answered (+9.0 points), but with its 40 rows left out counted as wrong the difference is −3.0 points",
        [fact(counted_as_wrong=CountedAsWrong(40, "bold", "+9.0 points", "+5.0 points", 0.01), level=0.05)],
    ),
    "TE208": (
        fact(training_gap=difference((198, 200), (170, 200))),
        "accuracy is 14.0 points higher on the training rows than here, 95 % CI 9.3 to 19.7 (p < .001)",
        [fact(training_gap=difference((180, 200), (176, 200))), fact(training_gap=difference((100, 200), (190, 200))),
         fact(training_gap=difference((99_000, 100_000), (98_000, 100_000)))],
    ),
    "TE209": (
        fact(overfits=(Overfit("tree", "logreg", 0.1, -0.04, 0.003),)),
        "better than logreg on the training rows (+10.0 points) but worse on the test rows (−4.0 points, p = .003)",
        [fact(overfits=())],
    ),
    "TE210": (
        fact(constant_answers=[ConstantAnswer("expected cost", 0.4, 0.3, "no", False, False)]),
        'expected cost 0.400 is not below 0.300, which always answering "no" would get',
        [fact(constant_answers=[ConstantAnswer("accuracy", 0.9, 0.7, "no", True, True)]), fact(constant_answers=[])],
    ),
    "TE211": (fact(loss_sizes=[("log loss", 3.2)]), "log loss rests on a few rows with large losses (effectively 3.2",
              [fact(loss_sizes=[("log loss", 12.0)]), fact(loss_sizes=[])]),
    "TE214": (
        fact(rates_at_prior=[RateAtPrior("false alarms", 0, 40), RateAtPrior("misses", 1, 20),
                             RateAtPrior("hits", 16, 20)], metrics_at_prior=("precision", "F1")),
        "precision and F1 at this class mix rest on no false alarms in 40 rows and only 1 miss in 20 rows",
        [fact(rates_at_prior=[RateAtPrior("false alarms", 5, 40)], metrics_at_prior=("precision",)),
         fact(rates_at_prior=[RateAtPrior("false alarms", 0, 40)], metrics_at_prior=()), fact(rates_at_prior=[])],
    ),
    "TE215": (
        fact(undone_by=0.4, significant=True), "one more row of the worst kind would undo it (0.40 of a row is enough)",
        [fact(undone_by=1.2, significant=True), fact(undone_by=0.4, significant=False)],
    ),
    "TE218": (
        fact(grades_seen=GradesSeen(25, 1, 0.0, 0.0, (0.0, 1.0))), "all 25 grades are 0.000, an end of the scale",
        [fact(grades_seen=GradesSeen(25, 9, 0.0, 1.0, (0.0, 1.0))),
         fact(grades_seen=GradesSeen(1, 1, 0.5, 0.5, (0.0, 1.0))),
         fact(grades_seen=GradesSeen(25, 2, 0.0, 1.0, (0.0, 1.0)))],
    ),
    "TE216": (
        fact(class_errors=[ClassErrors("a", 1, 25, 0.4), ClassErrors("b", 12, 300, 0.1)], class_means=("macro F1",)),
        'macro F1 rests on few errors or few hits in "a" (1 of 25)',
        [fact(class_errors=[ClassErrors("a", 3, 25, 0.4)], class_means=("macro F1",)),
         fact(class_errors=[ClassErrors("a", 1, 25, 0.1)], class_means=("macro F1",)),
         fact(class_errors=[ClassErrors("a", 1, 25, 0.4)], class_means=())],
    ),
    "TE301": (fact(score_range=ScoreRange(0.37, 0.37)), "every score is 0.370",
              [fact(score_range=ScoreRange(0.1, 0.9))]),
    "TE302": (area(0.31, 0.22, 0.41), "AUC 0.310 [0.220, 0.410] is clearly below 0.5",
              [area(0.45, 0.35, 0.55), area(0.9, 0.85, 0.94)]),
    "TE303": (
        fact(score_range=ScoreRange(-0.02, 1.03)), "scores run from −0.020 to 1.030",
        [fact(score_range=ScoreRange(0.0, 1.0)), fact(score_range=ScoreRange(-4.2, 5.1)),
         fact(score_range=ScoreRange(0.0, 1.0, 0.9999, 1.0001)), fact(score_range=ScoreRange(-3.0, 4.0, -2.0, 5.0))],
    ),
    "TE304": (fact(tuned_threshold=TUNED),
              "looks best for accuracy on these very rows (0.911; on other rows expect 0.894 [0.850, 0.930])",
              [fact()]),
    "TE305": (
        fact(scores=CALLS), "the only scores are 0 and 1",
        [fact(scores=ScoreTable([0.0, 0.5, 1.0], [1, 9, 40], [40, 5, 5])),
         fact(scores=ScoreTable([0.2, 0.8], [10, 40], [45, 5])),
         fact(scores=ScoreTable([0.0, 0.37, 1.0], [10, 1, 40], [45, 1, 5]))],
    ),
    "TE307": (
        fact(score_range=ScoreRange(0.5, 98.0)), "are they percentages?",
        [fact(score_range=ScoreRange(0.0, 1.0)), fact(score_range=ScoreRange(-20.0, 90.0)),
         fact(score_range=ScoreRange(0.0, 12.0)), fact(score_range=ScoreRange(0.0, 300.0)),
         fact(score_range=ScoreRange(60.0, 80.0)), fact(score_range=ScoreRange(0.0, 90.0, 20.0, 140.0))],
    ),
    "TE308": (
        fact(precision_by=DecidedBy(excess=2.0, from_negatives=0.9, few=2.1, value=0.96, moved_to=0.93)),
        "about 2 negatives with high scores decide the average precision",
        [fact(precision_by=DecidedBy(1.0, 0.9, 2.1, 0.96, 0.93)),
         fact(precision_by=DecidedBy(2.0, 0.3, 2.1, 0.96, 0.93)),
         fact(precision_by=DecidedBy(2.0, 0.9, 40.0, 0.96, 0.95))],
    ),
    "TE306": (forecasts(4.0), "probabilities are off by",
              [forecasts(1.0), forecasts(4.0, 30), forecasts(1.1), rare_forecasts(1.0)]),
    "TE401": (
        pair(CLEAR, intervals=OVERLAPPING), "their intervals overlap, yet the test of the difference is significant",
        [pair(CLEAR, intervals=APART), pair(OPEN, intervals=OVERLAPPING),
         pair(CLEAR, intervals=OVERLAPPING, comparisons=45)],
    ),
    "TE402": (fact(paired=False, could_be_paired=True), "both samples hold the same rows",
              [fact(paired=True, could_be_paired=True), fact(paired=False, could_be_paired=False)]),
    "TE403": (fact(comparisons=10, adjusted=False), "10 comparisons at 5 % each, uncorrected: a false alarm somewhere "
              "has a chance of up to 40 %", [fact(comparisons=10, adjusted=True), fact(comparisons=1, adjusted=False)]),
    "TE404": (
        pair(Discordance(80_000, 4_500, 4_000, 11_500), margin=0.02),
        "clear but smaller than matters: 0.5 points, with a margin of 2.0 points",
        [pair(CLEAR, margin=0.02), pair(OPEN, margin=0.02), pair(CLEAR)],
    ),
    "TE405": (pair(SMALL_N), "with this many rows only differences of",
              [pair(OPEN), pair(CLEAR), pair(CLEAR, margin=0.5)]),
    "TE406": (fact(identical=True, n=285), "give every row the same label (285 rows)", [fact(identical=False, n=285)]),
    "TE407": (
        fact(n_models=12, best="forest", not_different_from_best=6),
        "forest is the best of 12 models, and 6 are too close to it to call",
        [fact(n_models=12, best="forest", not_different_from_best=2),
         fact(n_models=3, best="a", not_different_from_best=2)],
    ),
    "TE408": (fact(never_found=(("1", 60),)), 'found none of the 60 rows of "1"', [fact(never_found=())]),
    "TE414": (
        fact(worst_slice=WorstSlice("accuracy", "north", 20, True, 0.7, EXPECTED, 7)),
        "north is the lowest of 20 slices by accuracy (0.700), and 7 are too close to it to call: it probably looks "
        "worse than it is; expect 0.780 [0.600, 0.880]",
        [fact(worst_slice=WorstSlice("accuracy", "a", 3, True, 0.7, EXPECTED, 0))],
    ),
    "TE410": (
        pair(Discordance(810, 60, 40, 90)), "sound tests straddle 5 % here (.046 to .057): do not pick among them",
        [pair(CLEAR), pair(OPEN), pair(Discordance(810, 60, 40, 90), comparisons=3), fact(p_values={}, level=0.05)],
    ),
    "TE412": (
        fact(crossing=CrossingCurves((("a", 0.01, 0.2), ("b", 0.4, 0.9)))),
        "their ROC curves cross: a finds more at an FPR of 0.010 to 0.200; b finds more at an FPR of 0.400 to 0.900",
        [fact(crossing=CrossingCurves(())), fact(crossing=CrossingCurves((("a", 0.01, 0.2), ("a", 0.4, 0.9))))],
    ),
    "TE413": (
        fact(class_totals={"M1": (190.0, 310.0), "M2": (295.0, 205.0)}, metrics=("accuracy",)),
        "one class is 41 to 62 % of the rows",
        [fact(class_totals={"M1": (190.0, 310.0), "M2": (200.0, 300.0)}, metrics=("accuracy",)),
         fact(class_totals={"M1": (190.0, 310.0), "M2": (0.0, 0.0)}, metrics=("accuracy",)),
         fact(class_totals={"M1": (190.0, 0.0), "M2": (20.0, 0.0)}, metrics=("accuracy",))],
    ),
    "TE503": (fact(fold_method="plain-t", test_parts=100), "too narrow",
              [fact(fold_method="corrected-t", test_parts=100)]),
    "TE504": (
        fact(fold_method="corrected-t", rounds=1), "conservative",
        [fact(fold_method="corrected-t", rounds=10), fact(fold_method="plain-t", rounds=1)],
    ),
    "TE505": (
        fact(fold_method="five-by-two-f", data_rows=100), "100 rows are few",
        [fact(fold_method="five-by-two-f", data_rows=200), fact(fold_method="five-by-two-t", data_rows=100)],
    ),
    "TE506": (
        fact(fold_method="corrected-t", smallest_test=29), "29 rows",
        [fact(fold_method="corrected-t", smallest_test=30), fact(fold_method="bayle", smallest_test=1)],
    ),
    "TE516": (fact(spread_tails=(8.7, 0.0004)), "heavy or skewed tails (kurtosis 8.700, normal 3)",
              [fact(spread_tails=(3.4, 0.2))]),
    "TE508": (
        fact(bootstrap_bias=-0.026, bootstrap_error=0.1), "a quarter of the standard error",
        [fact(bootstrap_bias=0.024, bootstrap_error=0.1), fact(bootstrap_bias=0.0, bootstrap_error=0.0)],
    ),
    "TE509": (fact(failed={"svm": (2, 10), "tree": (0, 10)}), "2 of 10 fits of svm failed",
              [fact(failed={"svm": (0, 9)})]),
    "TE511": (
        fact(fold_method="corrected-t", rounds=5), "too small for learners that a few rows change",
        [fact(fold_method="corrected-t", rounds=1), fact(fold_method="leave-one-out", rounds=1)],
    ),
    "TE512": (
        fact(fold_scales=Comparability(0.93, 0.55, 1e-9)), "ordered right 0.930 of the time, pairs of different folds",
        [fact(fold_scales=Comparability(0.93, 0.925, 1e-9)), fact(fold_scales=Comparability(0.93, 0.55, 0.2))],
    ),
    "TE513": (
        fact(learners_p=0.2, level=0.05, significant=True), "that does not show that their learners do (p = .200",
        [fact(learners_p=0.01, level=0.05, significant=True), fact(learners_p=0.2, level=0.05, significant=False)],
    ),
    "TE514": (
        fact(rare_in_folds=(("AUC",), "sick", 1.4)), "about 1.4 rows of sick in a test fold: AUC of so few",
        [fact(rare_in_folds=(("AUC",), "sick", 5.0)), fact(rare_in_folds=((), "sick", 1.0))],
    ),
    "TE515": (fact(ratio_of_folds="F1"), "F1 is the mean of the folds' own values", [fact(ratio_of_folds="")]),
    "TE510": (
        fact(fold_method="leave-one-out", data_rows=399), "399 rows are too few even then",
        [fact(fold_method="corrected-t", data_rows=40), fact(fold_method="bayle", data_rows=40)],
    ),
    "TE411": (
        fact(small_groups=("recall", {"rare": 3}, 10)), "left out of the gap in recall, with fewer than 10 rows that",
        [fact(small_groups=("recall", {}, 10))],
    ),
    "TE501": (fact(dropped=("iris", "wine")), "left out because a score is missing: iris and wine", [fact(dropped=())]),
    "TE502": (fact(value_name="log_loss", higher_is_better=True), "'log_loss' was ranked as if higher were better",
              [fact(value_name="log_loss", higher_is_better=False), fact(value_name="accuracy", higher_is_better=True),
               fact(value_name="", higher_is_better=True)]),
    "TE507": (
        fact(data_sets=3, smallest_p=0.25, level=0.05, folds=True),
        'three data sets are too few for "best overall" (no p-value can go below 0.25 here). Folds were not counted as '
        "data sets.",
        [fact(data_sets=6, smallest_p=0.03, level=0.05), fact(data_sets=8, smallest_p=0.0, level=0.05)],
    ),
    "TE517": (
        fact(kinship={"suite": 0.2, "stem": 0.0005}),
        'data sets whose names begin alike rank the learners alike (p < .001): count families instead, by "stem"',
        [fact(kinship={"suite": 0.006, "stem": 0.3}), fact(kinship={})],
    ),
}  # fmt: skip


def test_every_rule_has_cases() -> None:
    assert set(CASES) == set(every_rule())


@pytest.mark.parametrize("code", CASES)
def test_fires(code: str) -> None:
    evidence, words, _ = CASES[code]
    messages = [f.message for f in find([evidence]) if f.code == code]
    assert len(messages) == 1
    assert words in messages[0]


@pytest.mark.parametrize("code", CASES)
def test_stays_silent(code: str) -> None:
    for evidence in CASES[code][2]:
        assert code not in find([evidence])


@pytest.mark.parametrize("code", CASES)
def test_a_rule_reads_its_evidence_as_what_it_is(code: str) -> None:
    known = Evidence.__annotations__
    for name, kind in every_rule()[code].check.__annotations__.items():
        if name != "return":
            assert kind.removesuffix(" | None") == known[name].removesuffix(" | None")


def test_words_fit_one_and_all() -> None:
    assert "1 row repeats" in find([fact(repeated_ids=(1, 5))])[0].message
    assert "all 50 test rows" in find([fact(training_overlap=Overlap(50, 50))])[0].message
    undeclared = find([fact(repeats=RepeatedRows(3, 40, False))])[0].message
    assert "the truth repeats itself" in undeclared
    assert "each counts 3 times" in undeclared


def test_the_baseline_is_tested_not_only_compared() -> None:
    # Above the constant, but by so little that chance explains it.
    close = find([table([[60, 10], [12, 18]], baseline_p=mcnemar(18, 10).p_value)])
    assert "not clearly more than the 70.0 %" in next(f.message for f in close if f.code == "TE201")


def test_few_clusters_with_errors() -> None:
    assert "only 4 of 60 clusters hold an error" in find([clustered(60, 4)])[0].message


@pytest.mark.parametrize(("b", "c"), [(0, 4), (6, 15), (8, 18), (10, 21), (29, 46), (33, 51)])
def test_TE410_wherever_tango_and_mid_p_disagree(b: int, c: int) -> None:
    # METHODS names these: Tango's interval excludes 0, mid-p does not reach 5 %, or the other way round.
    found = mcnemar(b, c, n=1000)
    assert (found.low > 0 or found.high < 0) != (found.p_value <= 0.05)
    assert "TE410" in find([pair(Discordance(500, b, c, 500 - b - c))])


def test_TE405_names_the_difference_that_planning_finds() -> None:
    d = Discordance(300, 60, 55, 85)
    message = next(f.message for f in find([pair(d)]) if f.code == "TE405")
    shown = float(message.split("differences of ")[1].split(" points")[0]) / 100
    planned = smallest_difference(n=d.n, baseline=0.8, disagreement=(d.only_first + d.only_second) / d.n)
    assert shown == pytest.approx(planned.difference, rel=0.06)


def test_TE405_waits_for_a_margin_on_other_scales() -> None:
    open_cost = fact(significant=False, limits=(-3.0, 4.0), level=0.05, difference=0.5, share=False)
    assert "TE405" not in find([open_cost])
    with_margin = fact(significant=False, limits=(-3.0, 4.0), level=0.05, difference=0.5, share=False, margin=1.0)
    assert "differences of 5.00" in find([with_margin])[0].message


def test_TE404_when_the_interval_reaches_past_the_margin() -> None:
    assert "may be smaller than the margin of 6.0 points: 5.0 points here" in (
        next(f.message for f in find([pair(CLEAR, margin=0.06)]) if f.code == "TE404")
    )


def test_with_many_pairs_only_those_with_the_best_are_spoken_of() -> None:
    assert "TE405" not in find([pair(SMALL_N, comparisons=45)])
    assert "TE405" in find([pair(SMALL_N, comparisons=45, with_best=True)])


def test_TE405_is_said_once_and_not_of_one_model_read_twice() -> None:
    assert "TE405" not in find([pair(SMALL_N, closest=False)])
    assert "TE405" not in find([pair(SMALL_N, identical=True)])
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 40)
    calls = {name: np.where(rng.random(40) < 0.8, truth, 1 - truth) for name in "abc"}
    found = te.compare(truth, {**calls, "d": calls["a"]}).findings
    assert [f.code for f in found].count("TE405") == 1
    assert [f.code for f in found].count("TE406") == 1


def test_leave_one_out_is_warned_of_at_any_number_of_rows() -> None:
    (found,) = find([fact(fold_method="leave-one-out", data_rows=400)])
    assert found.code == "TE510"
    assert "too few" not in found.message


def test_nested_cross_validation_is_warned_of_too() -> None:
    assert "TE511" in find([fact(fold_method="bates", rounds=None)])


def test_TE507_says_what_was_counted() -> None:
    assert find([fact(data_sets=4, smallest_p=0.125, level=0.05)])[0].message.startswith("four data sets are too few")
    assert find([fact(data_sets=1, smallest_p=1.0, level=0.05)])[0].message.startswith("one data set is too few")


def test_many_dropped_data_sets_are_counted() -> None:
    assert "and 3 more" in find([fact(dropped=tuple("abcdefg"))])[0].message


def test_class_scores_that_are_no_probabilities() -> None:
    sums = find([fact(score_range=ScoreRange(0.0, 1.0, 0.91, 1.2))])
    assert "add up to 0.910 to 1.200" in sums[0].message
    values = find([fact(score_range=ScoreRange(-0.4, 1.3, 1.0, 1.0))])
    assert "add up to 1 but run from −0.400 to 1.300" in values[0].message


def test_labels_of_minus_one_and_one_are_labels_too() -> None:
    assert "TE305" in find([fact(scores=ScoreTable([-1.0, 1.0], [10, 40], [45, 5]))])
    assert "TE305" in find([fact(scores=ScoreTable([0.0, 0.5, 1.0], [10, 1, 40], [45, 1, 5]))])


def test_scores_that_are_one_but_for_a_row_rank_nothing() -> None:
    one = fact(score_range=ScoreRange(0.2, 0.9), scores=ScoreTable([0.2, 0.9], [20, 1], [30, 0]))
    assert "every score but that of one row is 0.200" in str(find([one]))
    two = fact(score_range=ScoreRange(0.2, 0.9), scores=ScoreTable([0.2, 0.9], [20, 2], [30, 0]))
    assert "TE301" not in find([two])


@pytest.mark.parametrize(("sums", "fires"), [((0.99, 1.01), False), ((0.998, 1.002), True), ((0.93, 1.0), True)])
def test_rounded_probabilities_may_miss_1_by_half_a_unit_a_class(sums: tuple[float, float], fires: bool) -> None:
    three = Confusion.count([0, 1, 2] * 10, [0, 1, 2] * 10)
    low = 0.01 if sums != (0.998, 1.002) else 0.0123
    found = find([fact(confusion=three, score_range=ScoreRange(low, 0.97, *sums))])
    assert ("TE303" in found) == fires


def test_probabilities_only_are_judged_by_calibration() -> None:
    odd = forecasts(4.0)
    assert "TE306" not in find([fact(scores=odd.scores, probabilities=False)])


def test_a_threshold_that_would_be_tuned() -> None:
    unlimited = {"low": math.nan, "high": math.nan}
    cost = CRITERIA[0]._replace(name="cost")
    would = Tuned(0.036, cost, -0.12, Interval(estimate=-0.19, **unlimited), used=False)
    assert find([fact(tuned_threshold=would)])[0].message == (
        "a threshold tuned on these rows would be 0.036 and look like 0.120 (cost); on other rows expect 0.190"
    )
    unknown = Tuned(0.2371, CRITERIA[2], 0.8, Interval(estimate=math.nan, **unlimited))
    assert find([fact(tuned_threshold=unknown)])[0].message.endswith("on these very rows (0.800)")


def test_scores_of_a_row_that_add_up_to_100_are_percentages() -> None:
    assert "TE307" in find([fact(score_range=ScoreRange(20.0, 45.0, 100.0, 100.0))])
    assert "TE307" not in find([fact(score_range=ScoreRange(0.2, 0.5, 1.0, 1.0))])


def test_for_a_rare_class_five_points_would_be_too_many():
    assert "TE306" in find([rare_forecasts(2.5)])
