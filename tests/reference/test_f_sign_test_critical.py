"""How many wins a sign test over N data sets needs, against R's binomial distribution."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trueerror.inference.ranking._rank_tests import sign

CASES = json.loads((Path(__file__).parent / "data" / "f_sign_test_critical.json").read_text(encoding="utf-8"))["cases"]


def wins_needed(n: int, alpha: float, alternative: Any) -> int | None:
    for wins in range(n // 2, n + 1):
        first = [1.0] * wins + [0.0] * (n - wins)
        second = [0.0] * wins + [1.0] * (n - wins)
        if 2 * wins > n and sign(first, second, alternative=alternative).p_value <= alpha:
            return wins
    return None


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["id"])
@pytest.mark.parametrize("alpha", ["0.05", "0.10"])
def test_critical_number_of_wins(case: dict[str, Any], alpha: str) -> None:
    assert wins_needed(case["N"], float(alpha), "two-sided") == case["exact_two_sided"][alpha]
    assert wins_needed(case["N"], float(alpha), "greater") == case["exact_one_sided"][alpha]


def test_demsar_prints_one_sided_values_as_two_sided() -> None:
    # His table for five data sets asks for five wins at .05; the exact two-sided test can never reach .05 there.
    assert wins_needed(5, 0.05, "two-sided") is None
    assert wins_needed(5, 0.05, "greater") == 5
