"""Values that nobody means: each ends in a sound result or in one sentence."""

from __future__ import annotations

import decimal
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import trueerror as te
from trueerror.inputs._options import InputError

RNG = np.random.default_rng(0)
TRUTH, SCORES = RNG.integers(0, 2, 200), RNG.random(200)


@pytest.mark.parametrize("replicates", [math.inf, math.nan, 1e12, "1000", 0, 2, -5, True, 250.5, None])
@pytest.mark.parametrize(
    "call",
    [
        lambda b: te.roc(TRUTH, SCORES).auc("bootstrap", replicates=b),
        lambda b: te.bootstrap(SCORES, replicates=b),
        lambda b: te.calibration(TRUTH, SCORES).ece(replicates=b),
        lambda b: te.roc_difference(te.predictions(TRUTH, scores={"a": SCORES, "b": -SCORES}), "a", "b", replicates=b),
        lambda b: te.evaluate(TRUTH, TRUTH[::-1], replicates=b),
        lambda b: te.significance.paired_bootstrap(TRUTH, TRUTH[::-1], SCORES > 0.5, replicates=b),
    ],
    ids=["auc", "bootstrap", "ece", "difference", "evaluate", "paired"],
)
def test_how_many_resamples(call: Callable[[Any], object], replicates: Any) -> None:
    with pytest.raises(InputError, match="whole number from"):
        call(replicates)


@pytest.mark.parametrize(
    "call",
    [
        te.mean_interval,
        te.bootstrap,
        te.significance.adjust,
        lambda z: te.significance.paired_t(z, [1, 2, 3]),
        lambda z: te.significance.permutation(z, [1, 2, 3]),
        lambda z: te.roc([0, 1, 1], z),
        lambda z: te.evaluate([0, 1, 1], z),
    ],
)
def test_complex_numbers_are_refused(call: Callable[[Any], object]) -> None:
    with pytest.raises(InputError):
        call(np.array([1 + 5j, 2, 3]))


@pytest.mark.parametrize("name", ["paired_t", "unpaired_t", "permutation", "wilcoxon", "sign"])
def test_huge_numbers_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="too large for a variance"):
        getattr(te.significance, name)([1e200, 2e200, 3], [-1e200, 2, 1])


@pytest.mark.parametrize(
    "call",
    [
        lambda c: te.mean_interval([1, 2, 3], confidence=c, side="lower"),
        lambda c: te.interval(3, 10, confidence=c, side="upper"),
        lambda c: te.difference((3, 10), (4, 10), confidence=c, alternative="less"),
        lambda c: te.significance.sign([1, 2, 3], [2, 3, 5], confidence=c, alternative="greater"),
        lambda c: te.significance.mcnemar(3, 9, n=40, confidence=c, alternative="greater"),
    ],
)
def test_a_one_sided_limit_keeps_the_estimate(call: Callable[[float], Any]) -> None:
    with pytest.raises(InputError, match="below one half"):
        call(0.3)
    made = call(0.5)
    assert made.low <= made.estimate <= made.high


def test_arrays_of_other_kinds() -> None:
    pl = pytest.importorskip("polars")
    wide = pl.Series([0, 1, 1], dtype=pl.Int128)
    assert te.evaluate(wide, wide)["accuracy"].estimate == 1
    assert te.evaluate(memoryview(b"\x00\x01"), [0, 1])["accuracy"].estimate == 1
    halves = np.array([0, 60000], dtype=np.float16)
    assert te.evaluate(halves, halves)["accuracy"].estimate == 1


def test_missing_values_as_options() -> None:
    pd = pytest.importorskip("pandas")
    for options in ({"missing": pd.NA}, {"confidence": pd.NA}, {"positive": pd.NA}, {"design": pd.NA}):
        with pytest.raises(InputError):
            te.evaluate([0, 1], [0, 1], **options)


def test_classes_called_infinity_survive() -> None:
    table = te.Confusion([[5, 1], [2, 3]], ["Infinity", "-Infinity"])
    assert te.load(table.to_json()).labels == ("Infinity", "-Infinity")
    ev = te.evaluate(["Infinity", "b"] * 9, {"-Infinity": ["b", "b"] * 9})
    assert te.load(ev.to_json()) == ev
    assert te.load(te.Interval(name="x", estimate=1.0, low=0.0, high=math.inf, confidence=0.9, method="m").to_json())


@pytest.mark.parametrize(
    "change",
    [
        {"low": 0.9, "high": 0.1},
        {"low": True},
        {"name": 5},
        {"estimate": "much"},
        {"estimate": [1]},
        {"confidence": None, "method": None},
        {"unheard": 1},
    ],
)
def test_a_saved_result_is_looked_at(change: dict[str, object]) -> None:
    saved = json.loads(te.interval(15, 20).to_json())
    with pytest.raises(ValueError, match=r"damaged|unknown"):
        te.load(json.dumps(saved | change))


@pytest.mark.parametrize("depth", [900, 5000])
def test_deep_json_is_refused(depth: int) -> None:
    text = '{"schema": "trueerror/1", "type": "Interval", "name": ' + "[" * depth + "]" * depth + "}"
    with pytest.raises(ValueError, match=r"deeply|damaged"):
        te.load(text)


def test_cells_that_do_not_fit() -> None:
    saved = json.loads(te.Confusion([[5, 1], [2, 3]]).to_json())
    for cells in ([10**30, 1, 2, 3], [5, 1], ["a", 1, 2, 3], [-1, 1, 2, 3]):
        with pytest.raises(ValueError, match=r"damaged|cells|counts|negative|large"):
            str(te.load(json.dumps(saved | {"counts": cells})))


HUGE = 10**400
REFUSED: list[Callable[[], object]] = [
    lambda: te.ScoreTable([0.2, 0.6], [1, 1], [[1], 1]),
    lambda: te.ScoreTable([0.2], [1], 1.7e308),
    lambda: te.ScoreTable(np.array([[0.2, 0.3]] * 2), [0], [3]),
    lambda: te.arena(np.array(2)),
    lambda: te.bootstrap([1.0, 2.0, 3.0], statistic=[]),
    lambda: te.bootstrap([1.0, 2.0, 3.0], statistic=pd.NA),
    lambda: te.bootstrap([1.0, 2.0, 3.0], replicates=np.array(None)),
    lambda: te.evaluate([0, 1], [0, 1], replicates=HUGE),
    lambda: te.evaluate([[1], [2, 3]], [0, 1]),
    lambda: te.evaluate([0, 1], [0, 1], metrics=np.array([["auc"]])),
    lambda: te.evaluate([0, 1], [0, 1], metrics=pd.NA),
    lambda: te.difference(np.array([3 + 0j, 10]), (5, 12)),
    lambda: te.cost(te.Confusion([[5, 1], [2, 3]]), HUGE),
    lambda: te.cost(te.Confusion([[5, 1], [2, 3]]), {"fp": HUGE}),
    lambda: te.Confusion(np.array([[1 + 2j, 1], [1, 1]])),
    lambda: te.gaps([0, 1], [0, 1], by={}),
    lambda: te.gaps([0, 1] * 20, [0, 1] * 20, by=[0, 0, 1, 1] * 10, metrics=True),
    lambda: te.graded([0.2, HUGE]),
    lambda: te.graded([0.2], scale=np.array([0j, 3])),
    lambda: te.interval(8, 1.7e308),
    lambda: te.significance.two_proportions(1, 1e200, 7, 1e12),
    lambda: te.significance.mcnemar(3, 1.7e308, alternative="greater"),
    lambda: te.significance.mcnemar([[1], [2, 3]]),
    lambda: te.significance.cochran_q(np.eye(4, dtype=complex)),
    lambda: te.significance.bayes_signed_rank([3.0, 10.0], [5.0, 12.0], samples=1e12),
    lambda: te.significance.smallest_difference(n=30, test=pd.NA),
    lambda: te.sample_size(accuracy=1, half_width=1e-300),
    lambda: te.metric("f1", np.array(2)),
    lambda: te.pass_at_k(np.array(2)),
    lambda: te.pass_at_k([[0]], None, every=True),
    lambda: te.pass_at_k([3, 0], 2, of=1.7e308),
    lambda: te.pass_at_k([3, 0], 2, of=[[1], [2, 3]]),
    lambda: te.repeats({}),
    lambda: te.prediction_powered([True, False], [0.2, 0.4], [0.1, np.inf]),
    lambda: te.prediction_powered([True, False], [0.2, 0.4], [0.1, 0.3], bounds=["None", 1]),
    lambda: te.prediction_powered([True, False], [0.2, 0.4], [0.1, 0.3], positive=decimal.Decimal("sNaN")),
    lambda: te.read({"truth": [0, 1], "a": [0.1, 0.2]}, by=1.0),
    lambda: te.read("nosuch.csv", names=1e-300),
    lambda: te.roc([0, 1], [0.2, 0.7], model=-0.2),
    lambda: te.roc_hull(np.array(2)),
    lambda: te.agreement({"a": [math.inf, 1], "b": [2, 1]}),
    lambda: te.agreement({"a": ["x", 1 + 2j], "b": ["x", "y"]}),
    lambda: te.precision_recall([0, 1], [0.2, 0.7]).iso_f(decimal.Decimal("0.5")),  # type: ignore[arg-type]
    lambda: te.evaluate([], [], cv=5),
    lambda: te.roc_hull([0, 1, 1], [0.1, 0.4, 0.8]).best(cost_fp=10**400),
    lambda: te.significance.smallest_difference(n=10, method=pd.NA),  # type: ignore[arg-type]
    lambda: te.agreement({"a": [True, False], "b": [True, [1]]}),
    lambda: te.rank(np.array([[1 + 0j, 2], [3, 4]])),
    lambda: te.risk_coverage(["x", "y"], missing=pd.NA),
    lambda: te.evaluate([0, 1], scores=[0.2, 0.9], cv=2**70),
    lambda: te.gate(te.predictions([0, 1] * 4, [0, 1] * 4), te.predictions([0, 1] * 4, [0, 1] * 4), margin=10**400),
    lambda: te.read({"truth": [1, 0], "a": [1, 0]}, label=pd.NA),
    lambda: te.precision_recall([0, 1, 1], [0.1, 0.4, 0.8], prior=5e-324),
    lambda: te.DisjointHalves(test=HUGE),
    lambda: te.lesion_study(None, np.eye(4), [0, 1, 0, 1], parts={"a": 0, "b": 1}, variants=1.0),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("call", REFUSED)
def test_what_the_fuzzer_found_is_refused_in_one_line(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError) as caught:
        call()
    assert isinstance(caught.value, InputError)
    assert len(str(caught.value)) <= 300
    assert str(caught.value).isprintable()


def test_what_the_fuzzer_found_has_an_answer() -> None:
    huge = te.ScoreTable([0.2, 0.6], pl.Series([1, 2], dtype=pl.Int128), [1, 1])
    assert huge.n_positive == 3
    assert np.isnan(te.decision_curve([1, 1], [0.4, 0.4], positive=0, prior=0.0).standardised).all()
    assert te.mean_interval(reversed([1.0, 2.0, 4.0])) == te.mean_interval([4.0, 2.0, 1.0])
    half = decimal.Decimal("0.5")
    assert te.significance.smallest_difference(n=100, baseline=half).second == 0.5  # type: ignore[arg-type]
    with pytest.raises(InputError, match="shown in one order only"):
        te.arena([{"model_a": "a", "model_b": "b", "winner": "b"}], position=True)
    assert "<svg" in te.significance.corrected_t([5e-324], test_train_ratio=0.1).plot().svg


def test_an_undefined_baseline_survives_json() -> None:
    rows = te.predictions(["no"], scores={"a": [0.2], "b": [0.4]}, positive="yes", labels=["no", "yes"])
    made = te.gate(rows, "b", model="a", threshold=0.2, prior=0.5, replicates=100)
    assert np.isnan(te.load(made.to_json()).checks[0].baseline)
    assert te.load(made.to_json()) == made
