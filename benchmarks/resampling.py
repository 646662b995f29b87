"""Ten thousand bootstrap replicates of macro-F1: one multinomial draw each, whatever the number of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

import trueerror as te
from benchmarks.counting import labels
from benchmarks.measuring import Row, best_of, peak_beyond, row, side_by_side
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference.bootstrap._paired import paired_bootstrap

REPLICATES = 10_000
TIMED = 20


def resampled(table: te.Confusion) -> te.Interval:
    """Macro-F1 by 10,000 replicates of a table that was counted."""
    return metric_interval("macro_f1", table, method="bootstrap-percentile", replicates=REPLICATES)


def _alike(limits: te.Interval, replicates: list[float], estimate: float) -> bool:
    """Whether few replicates of the peer could have the spread that our limits tell."""
    spread = limits.width / (2 * special.ndtri(0.975))
    shown = float(np.var(replicates, ddof=1)) / spread**2 * (len(replicates) - 1)
    return 1e-4 < special.chdtr(len(replicates) - 1, shown) < 1 - 1e-4 and abs(limits.estimate - estimate) < 1e-12


def case_any_size(quick: bool) -> Row:
    """The growth of time over n: the replicates alone, of tables that were counted."""
    sizes = [10**k for k in range(3, 7 if quick else 8)]
    seconds = {}
    for n in sizes:
        table = te.Confusion.count(*labels(n, 3))
        seconds[n] = best_of(lambda table=table: resampled(table), 5)[0]
    least, most = min(seconds.values()), max(seconds.values())
    found = row(
        f"macro-F1, 10,000 replicates, {sizes[0]:,} to {sizes[-1]:,} rows", ours_s=most, peer="the quickest of these",
        peer_s=least, note="; ".join(f"{n:,}: {s * 1e3:.1f} ms" for n, s in seconds.items()),
    )  # fmt: skip
    largest = seconds[sizes[-1]]
    return found | {"target": "does not grow with n", "met": largest <= 1.5 * seconds[sizes[0]]}


def case_macro_f1(quick: bool) -> Row:
    from sklearn.metrics import f1_score

    n = 1_000_000
    truth, called = labels(n, 3)
    rng = np.random.default_rng(1)
    timed = 4 if quick else TIMED

    def loop() -> list[float]:
        values = []
        for _ in range(timed):
            rows = rng.integers(0, n, n)
            values.append(f1_score(truth[rows], called[rows], average="macro"))
        return values

    def ours() -> te.Interval:
        return resampled(te.Confusion.count(truth, called))

    memory = peak_beyond(ours)
    ours_s, peer_s, limits, replicates = side_by_side(ours, loop, rounds=1, inner=7)
    return row(
        "macro-F1, 10,000 replicates, 1,000,000 rows, counting included", ours_s=ours_s,
        peer=f"scikit-learn loop ({timed} replicates, scaled)", peer_s=peer_s * REPLICATES / timed, faster=1000,
        memory_mb=memory, agree=_alike(limits, replicates, f1_score(truth, called, average="macro")),
    )  # fmt: skip


def case_paired_macro_f1(quick: bool) -> Row:
    from sklearn.metrics import f1_score

    n = 1_000_000
    truth, first = labels(n, 3)
    rng = np.random.default_rng(2)
    second = np.where(rng.random(n) < 0.95, first, rng.integers(0, 3, n))
    timed = 2 if quick else TIMED

    def difference(rows: Any) -> float:
        scores = [f1_score(truth[rows], called[rows], average="macro") for called in (first, second)]
        return float(scores[0] - scores[1])

    def loop() -> list[float]:
        return [difference(rng.integers(0, n, n)) for _ in range(timed)]

    def ours() -> te.Contrast:
        return paired_bootstrap(truth, first, second, metric="macro_f1", method="percentile", replicates=REPLICATES)

    memory = peak_beyond(ours)
    ours_s, peer_s, limits, replicates = side_by_side(ours, loop, rounds=1, inner=7)
    return row(
        "macro-F1 difference, 10,000 paired replicates, 1,000,000 rows, counting included", ours_s=ours_s,
        peer=f"scikit-learn loop ({timed} replicates, scaled)", peer_s=peer_s * REPLICATES / timed, faster=1000,
        memory_mb=memory, agree=_alike(limits, replicates, difference(slice(None))),
    )  # fmt: skip
