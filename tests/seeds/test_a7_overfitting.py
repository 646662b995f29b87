"""REQUIREMENTS A7: h overfits when another h′ has higher training error and lower true error; the gap is reported
with its uncertainty."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te


def noisy_data(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Two classes around two centres, with a fifth of the labels turned."""
    x = rng.normal(size=(n, 2))
    y = (x[:, 0] + x[:, 1] > 0).astype(int)
    return x, np.where(rng.random(n) < 0.2, 1 - y, y)


def nearest(x_train: Any, y_train: Any, x: Any) -> Any:
    """1-nearest neighbour: it remembers every training row, noise and all."""
    return y_train[((x[:, None, :] - x_train[None, :, :]) ** 2).sum(axis=2).argmin(axis=1)]


def line(_x_train: Any, _y_train: Any, x: Any) -> Any:
    """The true boundary, which no training row can change."""
    return (x[:, 0] + x[:, 1] > 0).astype(int)


@pytest.fixture(scope="module")
def rows() -> tuple[te.Predictions, te.Predictions, Any]:
    rng = np.random.default_rng(7)
    (x_train, y_train), (x_test, y_test) = noisy_data(400, rng), noisy_data(400, rng)
    learners = {"neighbour": nearest, "line": line}
    training = te.predictions(y_train, {m: f(x_train, y_train, x_train) for m, f in learners.items()},
                              ids=np.arange(400))  # fmt: skip
    test = te.predictions(y_test, {m: f(x_train, y_train, x_test) for m, f in learners.items()},
                          ids=np.arange(400, 800))  # fmt: skip
    return test, training, (x_train, y_train)


def test_A7_h_overfits_against_another_hypothesis(rows: Any) -> None:
    test, training, _ = rows
    made = te.training_gap(test, training)
    # Training error of h below that of h′ …
    assert made.training[0] == 1.0 > made.training[1]
    # … and on new rows above it, beyond chance.
    assert made.test[0] < made.test[1]
    assert [(o.model, o.rival) for o in made.overfits] == [("neighbour", "line")]
    assert made.overfits[0].p_value < 0.05


def test_A7_the_gap_comes_with_its_uncertainty(rows: Any) -> None:
    test, training, _ = rows
    made = te.training_gap(test, training)
    gap = made["neighbour"]
    assert gap.low > 0.2
    assert gap.low < gap.estimate < gap.high
    assert gap.p_value < 0.001
    # The fixed rule has seen nothing, so its gap is chance: the interval holds 0.
    assert 0 in made["line"]


def test_A7_the_true_errors_bear_it_out(rows: Any) -> None:
    _, _, (x_train, y_train) = rows
    x, y = noisy_data(20_000, np.random.default_rng(8))
    blocks = np.array_split(np.arange(20_000), 40)
    remembered = np.concatenate([nearest(x_train, y_train, x[b]) for b in blocks])
    assert (remembered != y).mean() > (line(None, None, x) != y).mean() + 0.05


def test_A7_as_findings(rows: Any) -> None:
    test, training, _ = rows
    found = te.check(test, training=training)
    assert {(f.code, f.about) for f in found if f.code in ("TE208", "TE209")} == {
        ("TE208", "neighbour"), ("TE209", "neighbour")
    }  # fmt: skip


def test_A7_training_error_is_optimistic_and_held_out_error_is_not() -> None:
    rng = np.random.default_rng(3)
    gaps = []
    for _ in range(60):
        (x_train, y_train), (x_test, y_test) = noisy_data(60, rng), noisy_data(60, rng)
        gaps.append((
            (nearest(x_train, y_train, x_train) != y_train).mean(), (nearest(x_train, y_train, x_test) != y_test).mean()
        ))  # fmt: skip
    training, test = np.mean(gaps, axis=0)
    assert training == 0.0
    assert test > 0.25


def test_A7_from_the_command_line(rows: Any, tmp_path: Path) -> None:
    test, training, _ = rows
    files = []
    for name, p in (("test", test), ("training", training)):
        source = p.source.fetched()
        columns = zip(source.ids, source.truth, *(source.columns[m].labels for m in p.models), strict=True)
        file = tmp_path / f"{name}.csv"
        file.write_text("\n".join(["id,truth,neighbour,line", *(",".join(map(str, row)) for row in columns)]) + "\n")
        files.append(str(file))
    done = subprocess.run(
        [sys.executable, "-m", "trueerror", "check", files[0], "--training", files[1]], capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "! TE209 (warning) neighbour: better than line on the training rows" in done.stdout
