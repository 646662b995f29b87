"""Small data and learners that need no scikit-learn, so that processes start quickly."""

import numpy as np
import pytest


@pytest.fixture
def rows():
    rng = np.random.Generator(np.random.Philox(3))
    y = np.repeat([0, 1], [60, 30])
    return rng.normal(size=(90, 3)) + y[:, None], y
