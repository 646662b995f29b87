"""Adjusted p-values against R's p.adjust."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trueerror.inference._many import adjust

DATA = Path(__file__).parent / "data"
CASES = json.loads((DATA / "f_p_adjust.json").read_text(encoding="utf-8"))["cases"]
PAIRS = json.loads((DATA / "f_friedman.json").read_text(encoding="utf-8"))["cases"]


def same(p: list[float], method: str, expected: list[float]) -> None:
    assert adjust(p, method).tolist() == pytest.approx(expected, rel=1e-9, abs=1e-12)  # type: ignore[arg-type]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_adjusted(case: dict[str, Any]) -> None:
    for name, expected in case["adjusted"].items():
        same(case["p"], name.lower(), expected)
    same(case["p"], "sidak", case["sidak_explicit"])
    same(case["p"], "holm-sidak", case["holm_sidak_explicit"])


@pytest.mark.parametrize("case", PAIRS, ids=lambda c: c["id"])
def test_pairs_and_controls_of_friedman(case: dict[str, Any]) -> None:
    for group in ("pair", "control"):
        for name, expected in case[f"{group}_p_adjusted"].items():
            listed = expected if isinstance(expected, list) else [expected]
            same(case[f"{group}_p_unadjusted"], name.lower(), listed)
