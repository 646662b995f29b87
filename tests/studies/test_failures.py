"""A learner that cannot be fitted ends each study in one sentence that says why."""

import numpy as np
import pytest
from study_learners import Nearest, two_normals

import trueerror as te


class Broken(Nearest):
    def fit(self, X, y):
        raise RuntimeError("out of luck")


ROWS = two_normals(60, np.random.default_rng(0))


@pytest.mark.parametrize(
    "study",
    [
        lambda: te.learning_curve(Broken(), *ROWS, repeats=1, progress=False),
        lambda: te.lesion_study(Broken(), *ROWS, parts={"a": 0, "b": 1}, plan=3, progress=False),
        lambda: te.bias_variance(Broken(), *ROWS, rounds=3, progress=False),
        lambda: te.estimator_laboratory(Broken(), n=20, runs=2, estimators=["holdout"], progress=False),
        lambda: te.overfitting({"a": Broken(), "b": Nearest()}, *ROWS, plan=3, progress=False),
    ],
    ids=["curve", "lesion", "bias", "laboratory", "overfitting"],
)
def test_why_it_failed_is_told(study):
    with pytest.raises(ValueError, match="out of luck"):
        study()


def test_a_part_without_which_nothing_runs_is_told_of():
    class Needy(Nearest):
        def fit(self, X, y):
            if X.shape[1] < 6:
                raise RuntimeError("all columns, please")
            return super().fit(X, y)

    with pytest.raises(ValueError, match="all columns, please"):
        te.lesion_study(Needy(), *ROWS, parts={"a": 0}, plan=3, progress=False)
    kept = te.lesion_study(Needy(), *ROWS, parts={"a": 0}, how="constant", plan=3, progress=False)
    assert kept["a"].estimate.estimate > 0.5
