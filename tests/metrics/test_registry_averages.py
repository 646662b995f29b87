"""What an averaged metric says about itself."""

from __future__ import annotations

import numpy as np
import pytest

import trueerror as te
from trueerror.methods import usual_method
from trueerror.metrics._registry import averaged, classes_in_play, find_measure, summed

TABLE = te.Confusion([[50, 5, 2], [6, 30, 4], [1, 3, 19]], labels=["a", "b", "c"])


def test_facts_are_those_of_the_metric_but_for_the_name_and_what_it_needs() -> None:
    macro = find_measure("macro_f_beta")
    assert (macro.of, macro.average, macro.needs) == ("f_beta", "macro", "classes")
    assert macro.options == ("beta",)
    assert macro.best == 1
    assert macro.aliases == ()
    assert averaged(find_measure("f_beta"), "macro") is macro
    assert "Mean over the classes" in macro.summary


def test_options_reach_every_class() -> None:
    each = [te.metric("f_beta", TABLE, positive=label, beta=2) for label in "abc"]
    assert te.metric("macro_f_beta", TABLE, beta=2) == pytest.approx(np.mean(each))


@pytest.mark.parametrize("name", ["micro_specificity", "micro_fpr", "micro_npv", "micro_jaccard", "micro_prevalence"])
def test_sums_that_count_a_row_more_than_once_are_no_plain_shares(name: str) -> None:
    """Every row is a negative of K − 1 classes: a binomial interval with n(K − 1) trials would be too narrow."""
    assert find_measure(name).share is None
    assert usual_method(find_measure(name)) == "effective-t"


@pytest.mark.parametrize("name", ["micro_precision", "micro_recall", "micro_f1"])
def test_sums_that_count_a_row_once_are_shares(name: str) -> None:
    share = find_measure(name).share
    assert share is not None
    assert share(TABLE.classes()) == (99, 120)


def test_sums_and_classes_in_play() -> None:
    assert summed(TABLE.classes()) == (99, 21, 21, 219)
    ghost = te.Confusion([[3, 1, 0], [0, 0, 0], [0, 0, 0]]).classes()
    assert classes_in_play(ghost).tolist() == [True, True, False]
