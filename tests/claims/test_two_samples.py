"""Two models on rows of their own: truth, sharpness and power together."""

from __future__ import annotations

import pytest

from tests.claims.held import held, missed, missed_on_average
from validation.claims import two_samples


@pytest.mark.parametrize("key", [c.key for c in held(two_samples)])
def test_what_is_claimed_of_a_cell_holds(key: str) -> None:
    assert not missed(key, two_samples)


def test_what_is_claimed_of_the_mean_holds() -> None:
    assert not missed_on_average(two_samples)
