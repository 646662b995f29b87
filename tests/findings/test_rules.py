"""The frame of the linter."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields

import pytest

from trueerror.findings import Evidence, Finding, Findings, every_rule, find
from trueerror.findings._rules import rule
from trueerror.results import load

# What issue and design name: changing one of these codes would break people's --ignore lists.
FIXED = {"TE304": "threshold", "TE410": "straddle", "TE507": "too few data sets"}


def test_codes_are_stable_and_well_formed() -> None:
    rules = every_rule()
    assert len(rules) >= 30
    assert list(rules) == sorted(rules)
    assert all(re.fullmatch(r"TE[1-5]\d\d", code) for code in rules)
    for code, word in FIXED.items():
        assert word in rules[code].title


@pytest.mark.parametrize("code", every_rule())
def test_every_rule_explains_itself(code: str) -> None:
    r = every_rule()[code]
    assert r.severity in ("note", "warning", "error")
    assert r.title == r.title.strip()
    assert not r.title.endswith(".")
    assert r.fix.endswith((".", "."))
    assert len(r.why) > 60
    assert r.needs, "a rule without needs would run on everything"
    # A rule sees evidence alone: it can reach no rows.
    assert set(inspect.signature(r.check).parameters) <= {f.name for f in fields(Evidence)}


def test_a_code_is_defined_once() -> None:
    every_rule()
    with pytest.raises(ValueError, match="TE101 is defined twice"):
        rule("TE101", severity="note", title="x", fix="y.")(lambda confusion: iter([]))
    with pytest.raises(ValueError, match="TE199 looks at 'rows', which is no field of Evidence"):
        rule("TE199", severity="note", title="x", fix="y.")(lambda rows: iter([]))
    assert every_rule()["TE101"].title == "fewer than 30 rows"


def test_rules_wait_for_their_evidence() -> None:
    assert len(find([Evidence()])) == 0
    assert len(find([])) == 0


def test_findings_are_sorted_worst_first_and_can_be_silenced() -> None:
    found = find([Evidence(dropped=("iris",), value_name="error", higher_is_better=True, repeated_ids=(3, "x7"))])
    assert found.codes == ("TE107", "TE502", "TE501")
    assert [f.severity for f in found] == ["error", "warning", "note"]
    assert "TE502" in found
    assert found.without("TE107", "TE501").codes == ("TE502",)
    assert found.without() == found
    assert str(Findings()) == "No findings."


def test_findings_survive_json() -> None:
    found = find([Evidence(model="svm", repeated_ids=(3, "x7"))])
    assert load(found.to_json()) == found
    assert found[0] == Finding(
        code="TE107", severity="error", message=found[0].message, fix=every_rule()["TE107"].fix, about="svm"
    )
    assert "TE107" in found.to_markdown()
    assert "TE107" in found.to_latex()
