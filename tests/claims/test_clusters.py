"""One model over clusters: truth, sharpness and power together."""

from __future__ import annotations

import pytest

from tests.claims.held import held, missed, missed_on_average
from validation.claims import clusters


@pytest.mark.parametrize("key", [c.key for c in held(clusters)])
def test_what_is_claimed_of_a_cell_holds(key: str) -> None:
    assert not missed(key, clusters)


def test_what_is_claimed_of_the_mean_holds() -> None:
    assert not missed_on_average(clusters)
