"""Metrics of label tables, one model: truth, sharpness and power together."""

from __future__ import annotations

import pytest

from tests.claims.held import held, missed, missed_on_average
from validation.claims import tables


@pytest.mark.parametrize("key", [c.key for c in held(tables)])
def test_what_is_claimed_of_a_cell_holds(key: str) -> None:
    assert not missed(key, tables)


def test_what_is_claimed_of_the_mean_holds() -> None:
    assert not missed_on_average(tables)
