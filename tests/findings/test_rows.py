"""TE1xx: each rule with a case that fires and cases that do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from trueerror.findings import Evidence, every_rule, find
from trueerror.sources._duplicates import DuplicateRows, Overlap, Repeats
from trueerror.tallies import Confusion


def table(matrix: list[list[int]], labels: list[Any] | None = None, **facts: Any) -> Evidence:
    return Evidence(confusion=Confusion(np.array(matrix), labels=labels), facts=facts)


def fact(**facts: Any) -> Evidence:
    return Evidence(facts=facts)


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
    "TE110": (fact(repeats=Repeats(10, 285, True)), "285 rows stand there 10 times, once for each repeat",
              [fact(repeats=None)]),
    "TE111": (fact(training_overlap=Overlap(7, 100)), "7 of 100 test rows are training rows too",
              [fact(training_overlap=Overlap(0, 100))]),
    "TE112": (fact(undecided=((("svm", 4), ("nb", 0), ("knn", 2)), 100)),
              "svm lacks 4 of 100 predictions and knn 2; those rows were left out here",
              [fact(undecided=((("svm", 0),), 100))]),
}  # fmt: skip


def test_every_rule_of_the_family_has_cases() -> None:
    assert set(CASES) == {code for code in every_rule() if code.startswith("TE1")}


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


def test_words_fit_one_and_all() -> None:
    assert "1 row repeats" in find([fact(repeated_ids=(1, 5))])[0].message
    assert "all 50 test rows" in find([fact(training_overlap=Overlap(50, 50))])[0].message
    undeclared = find([fact(repeats=Repeats(3, 40, False))])[0].message
    assert "the truth repeats itself" in undeclared
    assert "each counts 3 times" in undeclared
