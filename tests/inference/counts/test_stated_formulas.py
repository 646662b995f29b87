"""Small formulas of counts against what they state."""

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.tallies import ScoreTable


def test_binned_tables_add_up_with_the_ends_of_their_bins():
    one = ScoreTable([0.0, 0.6], [1, 3], [3, 1], exact=False, uppers=np.array([0.4, 0.8]))
    two = ScoreTable([0.0, 0.9], [1, 1], [2, 1], exact=False, uppers=np.array([0.4, 1.0]))
    both = one + two
    assert both.scores.tolist() == [0.0, 0.6, 0.9]
    assert both.positives.tolist() == [2, 3, 1]
    assert both.negatives.tolist() == [5, 1, 1]
    assert both.bounds.uppers.tolist() == [0.4, 0.8, 1.0]


@pytest.mark.parametrize("bounds", [(0.2, 1.0), (0.0, 0.8), (1.0, 0.0)])
def test_labels_beyond_their_bounds(bounds):
    with pytest.raises(InputError, match="bounds="):
        te.corrected([0.1, 0.5, 0.9] * 5, [0.5, 0.5, 0.6] * 5, [0.5] * 90, bounds=bounds)
