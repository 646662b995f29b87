"""A significance test for `te.compare` is one function with one decorator: nothing else need know of it."""

import pytest

import trueerror as te
from tests.architecture.methods import withdraw
from trueerror.inference._contrast import contrast
from trueerror.methods._registry import SAME, inference_method

TRUTH = [0, 1] * 50
MODELS = {"a": [0, 1] * 45 + [1, 0] * 5, "b": [0, 1] * 40 + [1, 0] * 10}


@pytest.fixture
def toy():
    """A sign test of the rows on which two models differ, as anybody might add it."""

    @inference_method("toy-sign", on=SAME, word="toy", applies=lambda q: q.sample.is_share(q.metric))
    def toy_sign(q):
        d = q.sample.discordance
        return contrast(
            estimate=(d.only_first - d.only_second) / d.n, limits=(-1.0, 1.0), confidence=q.spec.confidence,
            alternative=q.spec.alternative, method="toy-sign", p_value=0.5, statistic=0.0, n=d.n,
        )  # fmt: skip

    yield
    withdraw("toy-sign")


@pytest.mark.usefixtures("toy")
def test_a_significance_test_is_one_function():
    made = te.compare(TRUTH, MODELS, method="toy")
    assert made["a", "b"].method == "toy-sign"
    assert made["a", "b"].estimate == pytest.approx(0.1)
    assert "Method: toy-sign." in str(made.explain())
    with pytest.raises(ValueError, match=r"there are .*'toy'"):
        te.compare(TRUTH, MODELS, method="zzz")


def test_the_toy_leaves_nothing_behind():
    with pytest.raises(ValueError, match="method='toy' is not offered"):
        te.compare(TRUTH, MODELS, method="toy")
