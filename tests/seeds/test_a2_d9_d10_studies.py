"""Rows A2, A7, D9 and D10 of the requirements: studies of learners."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simple_learners import Means

import trueerror as te


class Neighbours:
    """k nearest neighbours."""

    def __init__(self, k: int = 1) -> None:
        self.k = k

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"k": self.k}

    def set_params(self, **given: Any) -> Neighbours:
        self.k = given["k"]
        return self

    def fit(self, X: Any, y: Any) -> Neighbours:
        self.X, self.y = X, y
        return self

    def predict(self, X: Any) -> Any:
        near = np.argsort(((X[:, None, :] - self.X) ** 2).sum(axis=2), axis=1)[:, : self.k]
        return (self.y[near].mean(axis=1) > 0.5).astype(int)


def source(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Two overlapping classes; what the second column says is noise."""
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 2))
    X[:, 0] += 1.5 * y
    return X, y


@pytest.fixture(scope="module")
def rows() -> tuple[Any, Any]:
    return source(300, np.random.default_rng(2))


def test_a2_training_error_is_optimistically_biased_and_held_out_error_is_not() -> None:
    lab = te.estimator_laboratory(
        {"neighbour": Neighbours()}, source, n=40, runs=100, estimators=["training", "holdout", "k-fold"],
        test_rows=400, stratify=False, confidence=0.999, progress=False,
    )  # fmt: skip
    assert lab["training"].bias.high < -0.2
    # What chance leaves of the bias of held-out error is no bias: the interval holds 0.
    assert 0 in lab["holdout"].bias
    assert 0 in lab["k-fold"].bias
    for q in lab.estimators:
        values = np.array(lab.values[q.estimator])
        # MSE = variance + bias².
        assert q.mse == pytest.approx(values.var() + (values.mean() - lab.truth.estimate) ** 2)
        assert q.mse == pytest.approx(((values - lab.truth.estimate) ** 2).mean())


def test_a2_bias_and_variance_of_learners() -> None:
    found = te.bias_variance(
        {"neighbour": Neighbours(), "many": Neighbours(25)}, generator=source, n=60, rounds=60, test_rows=300,
        decomposition="kohavi-wolpert", progress=False,
    )  # fmt: skip
    assert found["neighbour"].variance.low > found["many"].variance.high
    assert found["neighbour"].optimism.low > 0.2
    assert found["neighbour"].training.estimate == 0


def test_a7_overfitting_over_a_complexity_parameter(rows: Any) -> None:
    view = te.overfitting(Neighbours(), *rows, parameter="k", values=[51, 15, 1], progress=False)
    # Some h′ has a higher training error and a lower true error than the single neighbour.
    assert view.overfits == ("1",)
    pair = view.pairs[0]
    assert pair.training_lead > 0.1
    assert pair.test_loss > 0
    assert pair.p_adjusted < 0.05
    # The gap between training and test error comes with its uncertainty.
    assert 0.15 < view["1"].gap_low < view["1"].gap < view["1"].gap_high


@pytest.mark.parametrize("schedule", ["arithmetic", "geometric"])
def test_d9_learning_curves_by_both_schedules(rows: Any, schedule: Any) -> None:
    curve = te.learning_curve(Means(), *rows, schedule=schedule, steps=6, progress=False)
    steps, ratios = np.diff(curve.sizes), np.array(curve.sizes[1:]) / np.array(curve.sizes[:-1])
    spread = np.ptp(steps) / steps.mean() if schedule == "arithmetic" else np.ptp(ratios) / ratios.mean()
    assert spread < 0.05
    assert curve.sizes[-1] == 240
    for p in curve.points:
        assert p.low < p.estimate < p.high
        assert not math.isnan(p.training)


def test_d9_bias_and_variance_at_small_sizes_are_visible(rows: Any, tmp_path: Path) -> None:
    X, y = rows
    wide = np.column_stack([X, np.random.default_rng(4).normal(size=(300, 8))])
    curve = te.learning_curve(Means(), wide, y, smallest=6, progress=False)
    first, last = curve.of()[0], curve.of()[-1]
    assert first.bias > 0.05
    assert last.bias == 0
    assert first.sd > last.sd
    assert first.rmse == pytest.approx(math.hypot(first.bias, first.sd))
    curve.save(tmp_path / "spread.svg", show="spread")
    assert "bias" in (tmp_path / "spread.svg").read_text()


def test_d10_lesion_study_with_roc_curves_and_paired_tests(rows: Any, tmp_path: Path) -> None:
    study = te.lesion_study(Means(), *rows, parts={"signal": 0, "noise": 1}, progress=False)
    assert study["signal"].helps()
    assert not study["noise"].helps()
    assert study["signal"].difference.method == "corrected-t-test"
    areas = {name: curve.auc().estimate for name, curve in study.curves.items()}
    assert set(areas) == {"full system", "without signal", "without noise"}
    assert areas["without signal"] < 0.6 < areas["full system"]
    study.save(tmp_path / "roc.svg", show="roc")
    assert "without signal" in (tmp_path / "roc.svg").read_text()
    study.save(tmp_path / "parts.svg")


def test_d9_and_d10_from_the_command_line(tmp_path: Path) -> None:
    X, y = source(120, np.random.default_rng(3))
    lines = ["y,signal,noise", *(f"{c},{a:.4f},{b:.4f}" for c, (a, b) in zip(y, X, strict=True))]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    rest = '[data.rows]\nfile = "rows.csv"\ntarget = "y"\n[learners.bayes]\nclass = "sklearn.naive_bayes.GaussianNB"\n'
    studies = {
        "curve": '[study]\nkind = "learning-curve"\nsizes = [12, 24, 48, 96]\nrepeats = 2\n',
        "lesion": 'plan = 5\n[study]\nkind = "lesion-study"\nparts = { signal = "signal", noise = "noise" }\n',
    }
    said = {}
    for name, study in studies.items():
        (tmp_path / f"{name}.toml").write_text(study + rest)
        command = [sys.executable, "-m", "trueerror", "run", str(tmp_path / f"{name}.toml")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        said[name] = " ".join(done.stdout.split())
    assert "At twice the data (240 rows, 2.5 times the largest size) expect error rate" in said["curve"]
    assert "without signal" in said["lesion"]
