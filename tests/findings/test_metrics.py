"""TE2xx: each rule with a case that fires and cases that do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.findings import Evidence, every_rule, find
from trueerror.findings.metrics import ConstantAnswer
from trueerror.inference.proportion._paired import mcnemar
from trueerror.inference.proportion._two_samples import difference
from trueerror.tallies import Confusion
from trueerror.verbs._training_gap import Overfit


def table(matrix: list[list[int]], **facts: Any) -> Evidence:
    return Evidence(confusion=Confusion(np.array(matrix)), facts=facts)


def fact(**facts: Any) -> Evidence:
    return Evidence(facts=facts)


def clustered(clusters: int, faulty: int, size: int = 4) -> Evidence:
    truth = np.tile([0, 1], clusters * size // 2)
    called = truth.copy()
    called[np.arange(faulty) * size] = 1 - called[np.arange(faulty) * size]
    keys = np.repeat(np.arange(clusters), size)
    p = te.predictions(truth, called, clusters=keys)
    return Evidence(clusters=p.keyed_confusion(None, "clusters"))


CASES: dict[str, tuple[Evidence, str, list[Evidence]]] = {
    "TE201": (
        table([[90, 0], [10, 0]], baseline_p=1.0), 'accuracy 0.900 is not above 0.900, which always answering "0"',
        [table([[85, 5], [2, 40]], baseline_p=mcnemar(40, 5).p_value), table([[90, 0], [0, 0]], baseline_p=1.0)],
    ),
    "TE202": (fact(small_counts=[("recall", 3, 40)]), "few errors (under 5) or few successes behind recall",
              [fact(small_counts=[])]),
    "TE203": (
        fact(proportions=[("accuracy", "wald", 0.97, 100)]), "n·p·(1 − p) = 2.910",
        [fact(proportions=[("accuracy", "wilson", 0.97, 100)]), fact(proportions=[("accuracy", "wald", 0.5, 100)])],
    ),
    "TE204": (clustered(12, 10), "only 12 clusters", [clustered(60, 15)]),
    "TE205": (fact(lost_replicates=[("macro-F1", 0.08)]), "8 % of the bootstrap replicates of macro-F1 lost a class",
              [fact(lost_replicates=[("macro-F1", 0.005)]), fact(lost_replicates=[])]),
    "TE206": (fact(missing_predictions=(4, 100, "wrong")), "4 of 100 rows have no prediction and were counted as wrong",
              [fact(missing_predictions=(0, 100, "error"))]),
    "TE207": (fact(clusters_ignored=("AUC", "Brier score")), "the intervals take them as independent: AUC and Brier",
              [fact(clusters_ignored=())]),
    "TE208": (
        fact(training_gap=difference((198, 200), (170, 200))),
        "accuracy is 14.0 points higher on the training rows than here, plausibly 9.3 to 19.7 (p < .001)",
        [fact(training_gap=difference((180, 200), (176, 200))), fact(training_gap=difference((100, 200), (190, 200))),
         fact(training_gap=difference((99_000, 100_000), (98_000, 100_000)))],
    ),
    "TE209": (
        fact(overfits=(Overfit("tree", "logreg", 0.1, -0.04, 0.003),)),
        "better than logreg on the training rows (+10.0 points) but worse on the test rows (-4.0 points, p = .003)",
        [fact(overfits=())],
    ),
    "TE210": (
        fact(constant_answers=[ConstantAnswer("expected cost", 0.4, 0.3, "no", False, False)]),
        'expected cost 0.400 is not below 0.300, which always answering "no" would get',
        [fact(constant_answers=[ConstantAnswer("accuracy", 0.9, 0.7, "no", True, True)]), fact(constant_answers=[])],
    ),
    "TE211": (fact(loss_worth=[("log loss", 3.2)]), "log loss rests on a few rows with large losses (worth about 3.2",
              [fact(loss_worth=[("log loss", 12.0)]), fact(loss_worth=[])]),
}  # fmt: skip


def test_every_rule_of_the_family_has_cases() -> None:
    assert set(CASES) == {code for code in every_rule() if code.startswith("TE2")}


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


def test_the_baseline_is_tested_not_only_compared() -> None:
    # Above the constant, but by so little that chance explains it.
    close = find([table([[60, 10], [12, 18]], baseline_p=mcnemar(18, 10).p_value)])
    assert "is not clearly above 0.700" in next(f.message for f in close if f.code == "TE201")


def test_few_clusters_with_errors() -> None:
    assert "only 4 of 60 clusters hold an error" in find([clustered(60, 4)])[0].message
