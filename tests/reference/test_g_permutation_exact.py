"""Exact permutation tests against full enumeration in R."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trueerror.inference.bootstrap._permutation import permutation

CASES = json.loads((Path(__file__).parent / "data" / "g_permutation_exact.json").read_text(encoding="utf-8"))["cases"]
SIDES = {"two.sided": "two-sided", "greater": "greater", "less": "less"}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_exact(case: dict[str, Any]) -> None:
    for theirs, ours in SIDES.items():
        side: Any = ours
        if "differences" in case:
            c = permutation(case["differences"], np.zeros(len(case["differences"])), alternative=side)
        else:
            c = permutation(case["a"], case["b"], paired=False, alternative=side)
        assert c.estimate == pytest.approx(case["observed"], rel=1e-12)
        assert c.p_value == pytest.approx(case["p"][theirs], abs=1e-15)
        assert "random" not in c.note
