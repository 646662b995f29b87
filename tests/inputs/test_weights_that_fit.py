"""Weights must be numbers that can be added up; the row that is at fault is named."""

from __future__ import annotations

from typing import Any

import pytest

import trueerror as te
from trueerror.inputs._options import InputError

TRUTH, SAID = [0, 1, 0, 1], [0, 1, 1, 1]


@pytest.mark.parametrize("weights", [[2**62] * 4, [2**63 - 1, 1, 1, 1], [1, 1, 2**53, 0]])
def test_counts_of_rows_that_wrap_around_are_refused(weights: list[int]) -> None:
    with pytest.raises(
        InputError, match=r"weights has .* at row \d; together they must stand for less than 2\^53 rows"
    ):
        te.evaluate(TRUTH, SAID, weights=weights, weights_kind="frequency")


@pytest.mark.parametrize("kind", ["frequency", "sampling"])
@pytest.mark.parametrize("odd", [10**400, 1e300, float("inf"), float("nan"), -1, 1e-300])
def test_weights_that_no_sum_holds_are_refused(odd: Any, kind: Any) -> None:
    with pytest.raises(InputError, match=r"weights has .* at row 3"):
        te.evaluate(TRUTH, SAID, weights=[1, 1, odd, 1], weights_kind=kind)


def test_tables_refuse_them_alike() -> None:
    polars = pytest.importorskip("polars")
    columns = {"y": TRUTH, "svm": SAID, "w": [1.0, 1.0, 1e300, 1.0]}
    for rows in (columns, polars.DataFrame(columns).lazy()):
        with pytest.raises(InputError, match="weights has 1e\\+300 at row 3"):
            te.evaluate(rows, weight="w", weights_kind="sampling")
