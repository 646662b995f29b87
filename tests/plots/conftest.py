"""Rows, names and curves that the tests of pictures share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

# Names that a careless picture would read as an accessor, an expression, markup or a formula.
MARK = "qzxmark"
HOSTILE = (
    f"{MARK} a.b[0]",
    f"datum.{MARK}",
    f"</script><script>alert('{MARK}')</script>",
    f"{MARK}\"'); alert(1); (\"'",
    f"$\\frac{{{MARK}}}{{0}}$ ${{1}}",
    f"{MARK} 😀 \u2028\u202e\x1b[31m\n_",
    (f"_{MARK} " + "long name " * 40)[:300],
    f"%s {{0}} {MARK}\\u0041",
)


@pytest.fixture
def rows() -> tuple[Any, dict[str, Any]]:
    """Truth, and the scores of two models: one smooth, one with ten distinct values."""
    rng = np.random.default_rng(7)
    truth = (rng.random(600) < 0.25).astype(int)
    smooth = 1 / (1 + np.exp(-(rng.normal(size=600) + 2 * truth - 1.2)))
    rough = (1 / (1 + np.exp(-(rng.normal(size=600) + truth - 1.0)))).round(1)
    return truth, {"smooth": smooth, "rough": rough}


@pytest.fixture
def hostile() -> tuple[str, ...]:
    return HOSTILE
