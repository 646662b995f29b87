"""One model under sampling weights: truth, sharpness and power together."""

from __future__ import annotations

import pytest

from tests.claims.held import held, missed, missed_on_average
from validation.claims import weights


@pytest.mark.parametrize("key", [c.key for c in held(weights)])
def test_what_is_claimed_of_a_cell_holds(key: str) -> None:
    assert not missed(key, weights)


def test_what_is_claimed_of_the_mean_holds() -> None:
    assert not missed_on_average(weights)
