"""TE5xx about learners: each rule with a case that fires and cases that do not."""

from __future__ import annotations

from typing import Any

import pytest

from trueerror.findings import Evidence, every_rule, find


def fact(**facts: Any) -> Evidence:
    return Evidence(facts=facts)


CASES: dict[str, tuple[Evidence, str, list[Evidence]]] = {
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
    "TE508": (
        fact(bootstrap_bias=-0.026, bootstrap_error=0.1), "a quarter of the standard error",
        [fact(bootstrap_bias=0.024, bootstrap_error=0.1), fact(bootstrap_bias=0.0, bootstrap_error=0.0)],
    ),
    "TE509": (fact(failed={"svm": (2, 10), "tree": (0, 10)}), "2 of 10 fits of svm failed",
              [fact(failed={"svm": (0, 9)})]),
    "TE511": (
        fact(fold_method="corrected-t", rounds=5), "too narrow for learners that a few rows change",
        [fact(fold_method="corrected-t", rounds=1), fact(fold_method="leave-one-out", rounds=1)],
    ),
    "TE510": (
        fact(fold_method="leave-one-out", data_rows=399), "399 rows are too few even then",
        [fact(fold_method="corrected-t", data_rows=40), fact(fold_method="bayle", data_rows=40)],
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


def test_leave_one_out_is_warned_of_at_any_number_of_rows() -> None:
    (found,) = find([fact(fold_method="leave-one-out", data_rows=400)])
    assert found.code == "TE510"
    assert "too few" not in found.message


def test_nested_cross_validation_is_warned_of_too() -> None:
    assert "TE511" in find([fact(fold_method="bates", rounds=None)])
