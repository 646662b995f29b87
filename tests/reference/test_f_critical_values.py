"""Critical values of Nemenyi's and Bonferroni–Dunn's tests against R."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trueerror.inference.ranking._rank_tests import bonferroni_dunn, nemenyi

CASES = json.loads((Path(__file__).parent / "data" / "f_critical_values.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
def test_critical_values(case: dict[str, Any]) -> None:
    k = case["k"]
    scores = np.random.default_rng(k).random((7, k))
    unit = math.sqrt(k * (k + 1) / 42)
    for alpha, q in case["nemenyi_q"].items():
        difference = nemenyi(scores, alpha=float(alpha)).critical_difference
        assert difference is not None
        assert difference / unit == pytest.approx(q, abs=1e-6)
    for alpha, q in case["bonferroni_dunn_q"].items():
        difference = bonferroni_dunn(scores, control=0, alpha=float(alpha)).critical_difference
        assert difference is not None
        assert difference / unit == pytest.approx(q, abs=1e-9)
