"""TE5xx: each rule with a case that fires and cases that do not."""

from __future__ import annotations

from typing import Any

import pytest

from trueerror.findings import Evidence, every_rule, find


def fact(**facts: Any) -> Evidence:
    return Evidence(facts=facts)


CASES: dict[str, tuple[Evidence, str, list[Evidence]]] = {
    "TE501": (fact(dropped=("iris", "wine")), "left out because a score is missing: iris and wine", [fact(dropped=())]),
    "TE502": (fact(value_name="log_loss", higher_is_better=True), "'log_loss' was ranked as if higher were better",
              [fact(value_name="log_loss", higher_is_better=False), fact(value_name="accuracy", higher_is_better=True),
               fact(value_name="", higher_is_better=True)]),
    "TE507": (
        fact(data_sets=3, pairs=6, level=0.05, folds=True),
        'three data sets are too few for "best overall" (a signed-rank test cannot go below p = 0.25 here). Folds were '
        "not counted as data sets.",
        [fact(data_sets=6, pairs=1, level=0.05), fact(data_sets=8, pairs=6, level=0.05)],
    ),
}  # fmt: skip


def test_every_rule_of_the_family_has_cases() -> None:
    family = "trueerror.findings.learners"
    assert set(CASES) == {code for code, r in every_rule().items() if r.check.__module__ == family}


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


def test_TE507_counts_the_pairs() -> None:
    assert find([fact(data_sets=7, pairs=6, level=0.05)])[0].message == (
        'seven data sets are too few for "best overall" '
        "(a signed-rank test cannot go below p = 0.016 here, times 6 for the pairs)."
    )
    assert find([fact(data_sets=1, pairs=1, level=0.05)])[0].message.startswith("one data set is too few")


def test_many_dropped_data_sets_are_counted() -> None:
    assert "and 3 more" in find([fact(dropped=tuple("abcdefg"))])[0].message
