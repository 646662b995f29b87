"""The learners of these tests are found by name."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def rows():
    from study_learners import two_normals

    return two_normals(200, np.random.default_rng(1))
