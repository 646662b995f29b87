"""Studies on known sources: do extrapolated learning curves cover, and do lesion studies leave noise alone?

`python -m validation.studies [--runs N]` prints the figures; `cells` are the same scenarios for the frame.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from scipy import special

import trueerror as te
from trueerror.studies._curve_bands import weights_of
from validation.frame import CONFIDENCES, Cell, Later, Procedure, generator
from validation.writing import table

# Fresh training sets behind each true error.
FRESH = 2_000


class Linear:
    """Two classes by a line: between the means, or turned by the pooled covariance."""

    def __init__(self, covariance: bool = False) -> None:
        self.covariance = covariance

    def fit(self, X: np.ndarray, y: np.ndarray) -> Linear:
        first, second = X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)
        self.w = second - first
        if self.covariance:
            rest = X - np.where(y[:, None] == 1, second, first)
            self.w = np.linalg.solve(rest.T @ rest / len(y) + 1e-3 * np.eye(X.shape[1]), self.w)
        self.b = float(-self.w @ (first + second) / 2)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return (X @ self.w + self.b > 0).astype(int)


class Neighbour:
    """The nearest training row."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Neighbour:
        self.X, self.y = X, y
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.y[((self.X**2).sum(axis=1) - 2 * X @ self.X.T).argmin(axis=1)]


@dataclass(frozen=True)
class Source:
    """Two normal classes of so many columns, their centres `distance` apart along the first."""

    columns: int
    distance: float

    def rows(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        y = rng.permutation(np.arange(n) % 2)
        X = rng.standard_normal((n, self.columns))
        X[:, 0] += self.distance * y
        return X, y

    def error(self, model: Linear | Neighbour, rng: np.random.Generator) -> float:
        """The true error of a model: exact for a line, else on fresh rows."""
        if isinstance(model, Linear):
            size = float(np.linalg.norm(model.w))
            shift = float(model.w[0]) * self.distance
            return float(special.ndtr(model.b / size) + special.ndtr(-(shift + model.b) / size)) / 2
        X, y = self.rows(1_000, rng)
        return float((model.predict(X) != y).mean())


@dataclass(frozen=True)
class Scenario:
    """A learner on samples of n rows from a source."""

    name: str
    make: Callable[[], Linear | Neighbour]
    source: Source
    n: int

    @cache  # noqa: B019  scenarios live as long as the program
    def truth(self, size: int) -> float:
        """The learner's expected error at so many training rows, over fresh training sets."""
        rng = np.random.Generator(np.random.Philox(size))
        models = (self.make().fit(*self.source.rows(size, rng)) for _ in range(FRESH))
        return float(np.mean([self.source.error(model, rng) for model in models]))

    def curve(self, rng: np.random.Generator) -> te.LearningCurve:
        """A learning curve of one sample."""
        X, y = self.source.rows(self.n, rng)
        return te.learning_curve({"learner": self.make()}, X, y, rng=int(rng.integers(1 << 62)), progress=False)


SCENARIOS = (
    Scenario("nearest mean, 10 columns", Linear, Source(10, 2.0), 300),
    Scenario("discriminant, 5 columns", lambda: Linear(covariance=True), Source(5, 2.0), 300),
    Scenario("nearest mean, 5 columns, hard", Linear, Source(5, 1.0), 200),
    Scenario("nearest neighbour, 2 columns", Neighbour, Source(2, 2.0), 200),
)


def cells(*, quick: bool) -> Iterator[Cell]:
    """Extrapolation to twice the data, and evidence that taking out a column of noise hurts."""
    for scenario in SCENARIOS[: 1 if quick else None]:
        yield Cell(
            family="learning curve, extrapolated to twice the data",
            scenario=f"{scenario.name}, n = {scenario.n}",
            draw=scenario.curve,
            procedures=(
                Procedure("extrapolation", lambda c, level: c.extrapolate(confidence=level), method="learning-curve"),
            ),
            truth=Later(extrapolation=partial(scenario.truth, 2 * scenario.n)),
            events=Later(extrapolation=lambda s=scenario: s.truth(2 * s.n) * s.n),
            confidences=CONFIDENCES[:1],
            wanted=2_000,
            block=50,
            effort=0.25,
            n=scenario.n,
            rank=4,
        )
    yield Cell(
        family="lesion study, a column of noise",
        scenario="nearest mean, n = 100, one column that tells and one of noise",
        draw=lesioned,
        procedures=(
            Procedure("removal hurts, one-sided", lambda s, level: s["noise"].difference.p_value <= level, kind="test",
                      method="lesion"),
        ),
        confidences=CONFIDENCES[:1],
        wanted=2_000,
        block=50,
        effort=0.25,
        n=100,
        rank=4,
    )  # fmt: skip


def lesioned(rng: np.random.Generator, n: int = 100, repeats: int = 2) -> te.LesionStudy:
    """A study of one column that tells and one of noise."""
    X, y = Source(2, 2.0).rows(n, rng)
    return te.lesion_study(
        {"learner": Linear()}, X, y, parts={"signal": 0, "noise": 1}, plan=te.KFold(10, repeats=repeats),
        alternative="greater", rng=int(rng.integers(1 << 62)), progress=False,
    )  # fmt: skip


def oracle_errors(scenario: Scenario, curves: list[te.LearningCurve]) -> np.ndarray:
    """Estimates at twice the data of one who knows the true curve but for level and scale, from the same values."""
    sizes = curves[0].sizes
    shape = np.array([scenario.truth(size) for size in sizes])
    made = []
    for curve in curves:
        values = np.asarray(curve.values["learner"])
        mean, w = values.mean(axis=0), weights_of(values)
        w = w / w.sum()
        centre = float(w @ shape)
        slope = float((w * (shape - centre)) @ (mean - w @ mean)) / float(w @ (shape - centre) ** 2)
        made.append(float(w @ mean) + slope * (scenario.truth(2 * scenario.n) - centre))
    return np.array(made)


def extrapolation_row(scenario: Scenario, runs: int) -> tuple[str, ...]:
    """Coverage of the extrapolation, refusals, and widths beside those of the oracle."""
    cell = next(c for c in cells(quick=False) if c.scenario.startswith(f"{scenario.name}, n"))
    rng = generator(cell, 0)
    curves = [scenario.curve(rng) for _ in range(runs)]
    found = [c.extrapolate() for c in curves]
    truth = scenario.truth(2 * scenario.n)
    refused = [f for f in found if math.isnan(f.estimate)]
    covered = [f.low <= truth <= f.high for f in found if not math.isnan(f.estimate)]
    width = float(np.median([f.width for f in found if not math.isnan(f.estimate)]))
    oracle = 2 * float(special.ndtri(0.975)) * float(oracle_errors(scenario, curves).std(ddof=1))
    return (
        f"{scenario.name}, n = {scenario.n}", f"{truth:.4f}", str(runs), f"{np.sum(covered) / runs:.3f}",
        f"{len(refused) / runs:.3f}", f"{width:.4f}", f"{oracle:.4f}", f"{width / oracle:.2f}",
    )  # fmt: skip


def lesion_row(runs: int, n: int, repeats: int) -> tuple[str, ...]:
    """How often removal of noise, and of the only column that tells, is said to hurt."""
    cell = next(c for c in cells(quick=True) if c.family.startswith("lesion"))
    rng = generator(cell, 0)
    studies = [lesioned(rng, n, repeats) for _ in range(runs)]
    noise = np.mean([s["noise"].difference.p_value <= 0.05 for s in studies])
    holm = np.mean([s["noise"].helps() for s in studies])
    signal = np.mean([s["signal"].helps() for s in studies])
    where = f"nearest mean, n = {n}, 10 folds × {repeats}"
    return (where, str(runs), f"{noise:.4f}", f"{holm:.4f}", f"{signal:.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m validation.studies", description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=400, metavar="N", help="samples for each learning curve (400)")
    parser.add_argument("--only", default="", metavar="WORD", help="scenarios whose name holds this word")
    given = parser.parse_args()
    started = time.perf_counter()
    rows = [extrapolation_row(s, given.runs) for s in SCENARIOS if given.only in s.name]
    if rows:
        head = ("scenario", "truth", "runs", "coverage", "refused", "median width", "oracle", "ratio")
        print(table(head, rows))
    if given.only in "noise":
        head = ("scenario", "runs", "noise hurts, p ≤ .05", "noise helps, Holm", "signal found")
        print(table(head, [lesion_row(5 * given.runs // 2, 100, 2), lesion_row(given.runs, 200, 5)]))
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
