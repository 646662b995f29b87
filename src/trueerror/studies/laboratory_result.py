"""EstimatorLaboratory: bias, variance and mean squared error of ways to estimate a learner's error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from trueerror.inputs.errors import InputError, nearest
from trueerror.results import Interval, Result, Table
from trueerror.results.words import filled, limits, number, percent

WIDTH = 80


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EstimatorQuality(Result):
    """One way to estimate the error, over many samples: mse = bias² + sd², against the learner's true error.

    `model_rmse` is the root mean squared distance to the true error of the very model that all rows of the sample
    make. `coverage` is how often the interval held the learner's true error; NaN where there is no interval.
    """

    estimator: str
    mean: float
    bias: Interval
    sd: float
    mse: float
    rmse: float
    model_rmse: float
    coverage: float = math.nan
    fits: float = math.nan

    def __str__(self) -> str:
        return (
            f"{self.estimator}: bias {number(self.bias.estimate)} {limits(self.bias.low, self.bias.high)}, "
            f"sd {number(self.sd)}, √MSE {number(self.rmse)}"
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EstimatorLaboratory(Result):
    """Estimators of the error on samples from a known source. Made by `te.estimator_laboratory`."""

    learner: str
    truth: Interval
    estimators: tuple[EstimatorQuality, ...]
    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    n: int
    runs: int
    confidence: float = 0.95
    seed: int = 0
    method: str = "estimator-laboratory"

    def __getitem__(self, estimator: str) -> EstimatorQuality:
        for quality in self.estimators:
            if quality.estimator == estimator:
                return quality
        raise InputError(f"{estimator!r} is not known{nearest(estimator, [q.estimator for q in self.estimators])}")

    def records(self) -> list[dict[str, object]]:
        """One record for each estimator."""
        return [
            {
                "estimator": q.estimator, "mean": q.mean, "truth": self.truth.estimate, "bias": q.bias.estimate,
                "bias_low": q.bias.low, "bias_high": q.bias.high, "variance": q.sd**2, "sd": q.sd, "mse": q.mse,
                "rmse": q.rmse, "model_rmse": q.model_rmse, "coverage": q.coverage, "fits": q.fits,
            }
            for q in self.estimators
        ]  # fmt: skip

    def _table(self) -> Table:
        rows = tuple(
            (
                q.estimator, f"{q.bias.estimate:+.4f} {_signed(q.bias)}", f"{q.sd:.4f}", f"{q.mse:.5f}",
                f"{q.rmse:.4f}", "" if math.isnan(q.coverage) else f"{q.coverage:.3f}",
            )
            for q in self.estimators
        )  # fmt: skip
        return Table(columns=("estimator", "bias", "sd", "MSE", "√MSE", "coverage"), rows=rows)

    @property
    def verdict(self) -> str:
        """Who is biased beyond chance, and who has the least mean squared error."""
        low = [q.estimator for q in self.estimators if q.bias.high < 0]
        high = [q.estimator for q in self.estimators if q.bias.low > 0]
        best = min(self.estimators, key=lambda q: q.mse)
        said = [f"True error {number(self.truth.estimate)}."]
        if low:
            said.append(f"Too optimistic: {', '.join(low)}.")
        if high:
            said.append(f"Too pessimistic: {', '.join(high)}.")
        said.append(f"The least mean squared error has {best.estimator} (√MSE {number(best.rmse)}).")
        return " ".join(said)

    def __str__(self) -> str:
        head = f"{self.learner} on {self.runs:,} samples of {self.n:,} rows from a known source."
        last = (
            f"MSE = bias² + sd². bias: mean estimate less the true error of models of {self.n:,} rows, with limits of "
            f"{percent(self.confidence)} for the number of samples; coverage: of each {percent(self.confidence)} "
            "interval."
        )
        body = filled(f"  {self.verdict}", WIDTH, subsequent_indent="  ")
        return "\n\n".join([head, body, self._table().text(WIDTH), filled(last, WIDTH)])


def _signed(i: Interval) -> str:
    return limits(i.low, i.high, 4)
