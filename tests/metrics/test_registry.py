"""The registry: names, aliases, averages, and the two kinds of quotient."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

from trueerror.inputs._options import InputError
from trueerror.metrics._registry import every_measure, find_measure, odds, ratio


def test_names_and_aliases_are_found_in_any_spelling() -> None:
    assert find_measure("TPR").name == "recall"
    assert find_measure(" F-beta ").name == "f_beta"
    assert find_measure("macro recall").name == "macro_recall"
    assert find_measure("weighted_sensitivity").name == "weighted_recall"


def test_a_metric_whose_name_starts_like_an_average_is_itself() -> None:
    assert find_measure("weighted_accuracy").average is None
    assert find_measure("macro_weighted_accuracy").average == "macro"


@pytest.mark.parametrize(
    ("name", "hint"), [("acuracy", "accuracy"), ("macro_f2", "macro_f1"), ("recal", "recall"), ("ROCAUC", "roc_auc")]
)
def test_a_misspelt_name_suggests_the_nearest(name: str, hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        find_measure(name)


@pytest.mark.parametrize("name", ["macro_accuracy", "micro_auc", "", "weighted_", None, 3])
def test_what_is_no_metric_is_refused(name: object) -> None:
    with pytest.raises(InputError):
        find_measure(name)  # type: ignore[arg-type]


def test_every_metric_has_its_facts() -> None:
    for measure in every_measure().values():
        low, high = measure.range
        assert low < high
        assert measure.best is None or low <= measure.best <= high
        assert measure.summary.endswith(".") or measure.summary.endswith(")"), measure.name
        assert measure.undefined or measure.total_of, measure.name
        assert (measure.higher_is_better is None) == (measure.best is None)


def test_which_way_is_good() -> None:
    assert find_measure("accuracy").higher_is_better is True
    assert find_measure("fpr").higher_is_better is False
    assert find_measure("cost").higher_is_better is False
    assert find_measure("lr_plus").higher_is_better is True
    assert find_measure("prevalence").higher_is_better is None


def test_a_family_that_was_imported_alone_does_not_hide_the_others() -> None:
    code = (
        "import trueerror.metrics.counts, trueerror.metrics.scores\n"
        "from trueerror.metrics._registry import every_measure\n"
        "print(*every_measure())"
    )
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert names == list(every_measure())


def test_ratio_is_undefined_over_zero_and_odds_infinite() -> None:
    assert ratio(3, 4) == 0.75
    assert math.isnan(ratio(0, 0))
    assert math.isnan(ratio(3, 0))
    assert odds(3, 0) == math.inf
    assert math.isnan(odds(0, 0))
    assert isinstance(ratio(1, 2), float)
    assert isinstance(odds(np.float64(1), 2), float)


def test_quotients_work_on_arrays() -> None:
    top, bottom = np.array([[1.0, 0.0], [2.0, 3.0]]), np.array([[2.0, 0.0], [0.0, 4.0]])
    assert np.array_equal(ratio(top, bottom), [[0.5, np.nan], [np.nan, 0.75]], equal_nan=True)
    assert np.array_equal(odds(top, bottom), [[0.5, np.nan], [np.inf, 0.75]], equal_nan=True)
