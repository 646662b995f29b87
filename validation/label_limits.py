"""Two ways to limits of a label table, side by side: half a row in the worst cell, and score limits.

`python -m validation.label_limits [SAMPLES]` prints coverage, the worse tail and the width over the oracle's, of the
library's rule (the effective t with half a row more in the cell that hurts most) and of the score limits: the table is
reweighted by empirical likelihood (Owen 1988) until the metric takes a candidate value, and the standard error is taken
there. Of shares these are Wilson's limits, of pairs Tango's. Decision note 22 has the table.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from trueerror.inference._metric_interval import metric_interval
from trueerror.metrics._registry import Measure, find_measure
from trueerror.tallies import Confusion

Floats = NDArray[np.float64]
Z = 1.959963984540054
STEP = 1e-6
TWO = ("accuracy", "balanced_accuracy", "recall", "precision", "f1", "mcc", "kappa", "g_mean", "informedness")
MANY = ("accuracy", "balanced_accuracy", "macro_f1", "macro_precision", "mcc", "kappa", "g_mean")


class Design(NamedTuple):
    """Classes with their shares, how often each is called right, and sample sizes."""

    words: str
    shares: tuple[float, ...]
    right: tuple[float, ...]
    sizes: tuple[int, ...]

    @property
    def chances(self) -> Floats:
        """Of each cell; wrong calls are spread evenly."""
        k = len(self.shares)
        share, right = np.array(self.shares) / sum(self.shares), np.array(self.right)
        cells = np.repeat((share * (1 - right) / (k - 1))[:, None], k, axis=1)
        cells[np.arange(k), np.arange(k)] = share * right
        return cells.ravel()


DESIGNS = (
    Design("2 classes, even, .9", (1, 1), (0.9, 0.9), (40, 100, 400)),
    Design("2 classes, 10 % positive, .95 and .6", (9, 1), (0.95, 0.6), (60, 200)),
    Design("2 classes, 3 % positive, .98 and .7", (97, 3), (0.98, 0.7), (400,)),
    Design("2 classes, even, .99", (1, 1), (0.99, 0.99), (50, 200)),
    Design("3 classes, even, .85", (1,) * 3, (0.85,) * 3, (45, 150)),
    Design("3 classes, 10:3:1", (10, 3, 1), (0.95, 0.8, 0.6), (60, 200)),
    Design("4 classes, one rare", (10, 10, 10, 1), (0.9, 0.9, 0.9, 0.5), (150,)),
    Design("5 classes, even, .9", (1,) * 5, (0.9,) * 5, (50, 150)),
    Design("6 classes by rank", (1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 1 / 6), (0.9, 0.85, 0.8, 0.75, 0.7, 0.6), (120,)),
    Design("10 classes, even, .95", (1,) * 10, (0.95,) * 10, (100,)),
    Design("20 classes, even, .8", (1,) * 20, (0.8,) * 20, (200,)),
)


def score_limits(value: float, influence: Floats, masses: Floats, ends: tuple[float, float]) -> tuple[float, float]:
    """The candidates that lie z standard errors, taken there, from the estimate.

    `influence` is n times what one more row of a cell adds. A cell without rows that lies farthest on one side stands
    in with next to no mass.

    >>> influence, masses = np.array([0.1, -0.9]), np.array([90.0, 10.0])
    >>> [round(x, 4) for x in score_limits(0.9, influence, masses, (0.0, 1.0))]  # Wilson's
    [0.8256, 0.9448]
    """
    found = []
    for side, end in ((-1, ends[0]), (1, ends[1])):
        x, m = side * influence, masses.copy()
        known = np.isfinite(x)
        x, m = x[known], m[known]
        if not x.max() > STEP:
            found.append(value)
            continue
        m[np.argmax(x)] = max(m[np.argmax(x)], 1e-9)
        n, top = m.sum(), x.max()
        x = x / top

        def beyond(u: float, x: Floats = x, m: Floats = m, n: float = n) -> tuple[float, float]:
            w = m / (math.exp(-u) + (1 - x))
            w = w / w.sum()
            mean = float((w * x).sum())
            return mean - Z * math.sqrt(float((w * (x - mean) ** 2).sum()) / n), mean

        root = brentq(lambda u: beyond(u)[0], -30.0, 60.0, xtol=1e-10) if beyond(60.0)[0] > 0 else 60.0
        limit = value + side * top * beyond(root)[1]
        found.append(float(max(limit, end) if side < 0 else min(limit, end)))
    return found[0], found[1]


def of_cells(measure: Measure, table: Confusion, masses: Floats) -> Floats:
    """The metric of tables (…, cells)."""
    positive = table.labels[-1] if measure.of_one_class else None
    return np.asarray(measure.of_table(table, masses, positive=positive), dtype=np.float64)


class Seen(NamedTuple):
    """Of one way in one cell: limits (samples, 2) and estimates."""

    limits: Floats
    estimates: Floats
    truth: float

    @property
    def coverage(self) -> float:
        """How often the truth lies between the limits."""
        return float(1 - self.below - self.above)

    @property
    def below(self) -> float:
        """How often the truth lies below the lower limit."""
        return float((self.truth < self.limits[:, 0] - 1e-9).mean())

    @property
    def above(self) -> float:
        """How often it lies above the upper one."""
        return float((self.truth > self.limits[:, 1] + 1e-9).mean())

    @property
    def width(self) -> float:
        """The mean width over that of limits which know the sampling error."""
        return float((self.limits[:, 1] - self.limits[:, 0]).mean() / (2 * Z * self.estimates.std()))


def cells(samples: int) -> Iterator[tuple[str, Seen, Seen]]:
    """Each design, size and metric: the library's limits, and score limits."""
    rng = np.random.default_rng(np.random.SeedSequence(22))
    for design in DESIGNS:
        k = len(design.shares)
        labels = list(range(k))
        whole = Confusion(np.ones((k, k), dtype=int), labels=labels, positive=1 if k == 2 else None)
        for n in design.sizes:
            drawn = rng.multinomial(n, design.chances, size=samples)
            drawn = drawn[(drawn.reshape(-1, k, k).sum(axis=2) > 0).all(axis=1)]
            for name in TWO if k == 2 else MANY:
                measure = find_measure(name)
                truth = float(of_cells(measure, whole, design.chances * 1e6))
                half, score, estimates = [], [], []
                for row in drawn:
                    masses = row.astype(np.float64)
                    value = float(of_cells(measure, whole, masses))
                    if not math.isfinite(value):
                        continue
                    table = Confusion(row.reshape(k, k), labels=labels, positive=1 if k == 2 else None)
                    positive = 1 if measure.of_one_class else None
                    got = metric_interval(name, table, positive=positive, method="effective-t")
                    moved = of_cells(measure, whole, masses + STEP * np.eye(k * k))
                    estimates.append(value)
                    half.append((got.low, got.high))
                    score.append(score_limits(value, n * (moved - value) / STEP, masses, measure.range))
                of = (np.array(estimates), truth)
                yield f"{design.words}, n {n}, {name}", Seen(np.array(half), *of), Seen(np.array(score), *of)


def main() -> None:
    """Print the cells, and what sums them up."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    ways: dict[str, list[Seen]] = {"half a row": [], "score limits": []}
    for words, half, score in cells(samples):
        ways["half a row"].append(half)
        ways["score limits"].append(score)
        told = (f"{s.coverage:.3f} {max(s.below, s.above):.3f} {s.width:5.2f}" for s in (half, score))
        print(f"{words:60s}", *told, sep="   ", flush=True)
    for way, seen in ways.items():
        covers = np.array([s.coverage for s in seen])
        widths = np.array([s.width for s in seen])
        tails = np.array([max(s.below, s.above) for s in seen])
        print(
            f"{way}: {len(seen)} cells of {samples} samples; coverage least {covers.min():.3f}, 10 % "
            f"{np.quantile(covers, 0.1):.3f}, median {np.median(covers):.3f}; below .925 {(covers < 0.925).sum()}; "
            f"worst tail {tails.max():.3f}; width median {np.median(widths):.3f}, 90 % {np.quantile(widths, 0.9):.2f}, "
            f"most {widths.max():.2f}"
        )


if __name__ == "__main__":
    main()
