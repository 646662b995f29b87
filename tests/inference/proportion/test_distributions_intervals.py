import pytest

from trueerror.inference.proportion._distributions import count_model
from trueerror.inputs._options import InputError


def test_both_rules_are_told():
    assert count_model(0.1, 20).reason == "n is 20, below 30 and n·p·(1 − p) is 1.8, below 5"
    assert not count_model(0.1, 20).normal_holds
    assert count_model(0.5, 29).reason == "n is 29, below 30"
    assert count_model(0.5, 30) == (15, 7.5, True, "")


def test_bad_input():
    with pytest.raises(InputError, match=r"p=1\.2"):
        count_model(1.2, 10)
    with pytest.raises(InputError, match="n=-1"):
        count_model(0.2, -1)
