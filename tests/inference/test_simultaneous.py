import numpy as np
import pytest

from trueerror.inference._metric_interval import metric_interval
from trueerror.inference._simultaneous import joint_level, simultaneous_intervals
from trueerror.inputs._options import InputError
from trueerror.tallies import Confusion

THREE = Confusion([[50, 5, 2], [6, 30, 4], [1, 3, 19]])


def test_bonferroni_is_each_at_its_share_of_alpha():
    made = simultaneous_intervals(["accuracy", "macro_f1", ("recall", 2)], THREE, how="bonferroni")
    alone = metric_interval("recall", THREE, positive=2, simultaneous_over=3)
    assert (made[2].low, made[2].high) == (alone.low, alone.high)
    assert [m.name for m in made] == ["accuracy", "macro_f1", "recall"]


def test_max_t_lies_between_one_alone_and_bonferroni():
    asked = ["accuracy", "macro_f1", "kappa", "mcc"]
    joint = simultaneous_intervals(asked, THREE)
    bonferroni = simultaneous_intervals(asked, THREE, how="bonferroni")
    for a, b, name in zip(joint, bonferroni, asked, strict=True):
        alone = metric_interval(name, THREE)
        assert alone.width < a.width < b.width


def test_equal_metrics_need_no_widening_and_independent_ones_sidaks():
    assert joint_level(np.ones((4, 4)), 0.95) == pytest.approx(0.95, abs=0.002)
    assert joint_level(np.eye(4), 0.95) == pytest.approx(0.95**0.25, abs=0.001)
    assert joint_level(np.eye(4), 0.95, "lower") == pytest.approx(0.95**0.25, abs=0.001)


def test_one_alone_is_itself():
    assert simultaneous_intervals(["accuracy"], THREE) == [metric_interval("accuracy", THREE)]


def test_they_hold_together():
    rng = np.random.default_rng(4)
    p = THREE.matrix / THREE.n
    asked = [("recall", 0), ("recall", 1), ("recall", 2)]
    true = np.diag(p) / p.sum(axis=1)
    held = 0
    for _ in range(150):
        t = Confusion(rng.multinomial(400, p.ravel()).reshape(3, 3))
        made = simultaneous_intervals(asked, t, how="bonferroni")
        held += all(m.low <= v <= m.high for m, v in zip(made, true, strict=True))
    assert held / 150 > 0.9


def test_bad_input():
    with pytest.raises(InputError, match="at least one"):
        simultaneous_intervals([], THREE)
    with pytest.raises(InputError, match="how='scheffe'"):
        simultaneous_intervals(["accuracy"], THREE, how="scheffe")
