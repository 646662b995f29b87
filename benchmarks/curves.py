"""Areas under ROC and PR curves with their intervals, their bootstrap, and whole curves of many scores."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

import trueerror as te
from benchmarks.measuring import Row, best_of, peak_beyond, peak_of_process, row, side_by_side, skipped
from trueerror.inference._metric_interval import metric_interval

REPLICATES = 1_000


def scored(n: int, seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Labels with three tenths of positives, and distinct scores."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3).astype(np.int64)
    return truth, rng.standard_normal(n) + truth


def area(truth: Any, scores: Any) -> te.Interval:
    """The area under the ROC curve with DeLong's interval, from rows."""
    return te.roc(truth, scores).auc()


def _against_sklearn(kernels: str, quick: bool, target: float | None) -> Row:
    from sklearn.metrics import roc_auc_score

    n = 1_000_000 if quick else 10_000_000
    truth, scores = scored(n)
    te.config(kernels=kernels)
    memory = peak_beyond(lambda: area(truth, scores))
    ours_s, peer_s, ours, theirs = side_by_side(
        lambda: area(truth, scores), lambda: roc_auc_score(truth, scores), rounds=2
    )
    return row(
        f"AUC with DeLong interval, {n:,} rows, {kernels} kernels", ours_s=ours_s, peer="scikit-learn (no interval)",
        peer_s=peer_s, faster=target, memory_mb=memory, agree=bool(np.isclose(ours.estimate, theirs, rtol=1e-12)),
    )  # fmt: skip


def case_auc_fast(quick: bool) -> Row:
    return _against_sklearn("fast", quick, 12)


def case_auc_plain(quick: bool) -> Row:
    """The target is that of `case_sort_plain`; this one tells how far NumPy alone gets."""
    return _against_sklearn("plain", quick, None)


def _against_sort(kernels: str, quick: bool, times: float) -> Row:
    n = 1_000_000 if quick else 10_000_000
    truth, scores = scored(n)
    te.config(kernels=kernels)
    ours_s, peer_s, _, _ = side_by_side(lambda: area(truth, scores), lambda: np.sort(scores), rounds=3)
    return row(
        f"AUC with DeLong interval, {n:,} rows, {kernels} kernels", ours_s=ours_s, peer="one np.sort of the scores",
        peer_s=peer_s, slower=times,
    )  # fmt: skip


def case_sort_fast(quick: bool) -> Row:
    return _against_sort("fast", quick, 2.5)


def case_sort_plain(quick: bool) -> Row:
    return _against_sort("plain", quick, 5)


def case_confidenceinterval_fast(quick: bool) -> Row:
    return _against_confidenceinterval("fast", quick, 30)


def case_confidenceinterval_plain(quick: bool) -> Row:
    return _against_confidenceinterval("plain", quick, None)


def _against_confidenceinterval(kernels: str, quick: bool, target: float | None) -> Row:
    n = 100_000 if quick else 1_000_000
    name = f"AUC with DeLong interval, {n:,} rows, {kernels} kernels"
    te.config(kernels=kernels)
    if find_spec("confidenceinterval") is None:
        return skipped(name, "confidenceinterval")
    from confidenceinterval import roc_auc_score

    truth, scores = scored(n)
    ours_s, peer_s, _, theirs = side_by_side(
        lambda: area(truth, scores), lambda: roc_auc_score(truth, scores, confidence_level=0.95), rounds=2
    )
    same = te.roc(truth, scores).auc("delong")
    estimate, limits = theirs
    agree = bool(np.allclose([same.estimate, same.low, same.high], [estimate, *limits], rtol=1e-9))
    return row(name, ours_s=ours_s, peer="confidenceinterval", peer_s=peer_s, faster=target, agree=agree)


def _bootstrap(metric: str, kernels: str, quick: bool, target: float) -> Row:
    from sklearn.metrics import average_precision_score, roc_auc_score

    peer: Callable[..., float] = roc_auc_score if metric == "auc" else average_precision_score
    n, timed = 1_000_000, 3 if quick else 12
    truth, scores = scored(n)
    te.config(kernels=kernels)
    rng = np.random.default_rng(1)

    def loop() -> list[float]:
        values = []
        for _ in range(timed):
            rows = rng.integers(0, n, n)
            values.append(float(peer(truth[rows], scores[rows])))
        return values

    def ours(rows: int = n) -> te.Interval:
        table = te.ScoreTable.count(truth[:rows], scores[:rows])
        return metric_interval(metric, table, method="bootstrap-percentile", replicates=REPLICATES)

    # Compiled once and cached: what compiling takes is not what the rows take.
    ours(10_000)
    memory = peak_beyond(ours)
    ours_s, peer_s, limits, values = side_by_side(ours, loop, rounds=1, inner=1 if quick else 2)
    spread = limits.width / (2 * special.ndtri(0.975))
    shown = float(np.var(values, ddof=1)) / spread**2 * (timed - 1)
    alike = 1e-4 < special.chdtr(timed - 1, shown) < 1 - 1e-4
    return row(
        f"{metric}, {REPLICATES:,} bootstrap replicates, {n:,} rows, {kernels} kernels, counting included",
        ours_s=ours_s, peer=f"scikit-learn loop ({timed} replicates, scaled)", peer_s=peer_s * REPLICATES / timed,
        faster=target, megabytes=200, memory_mb=memory,
        agree=bool(alike and np.isclose(limits.estimate, peer(truth, scores), rtol=1e-9)),
    )  # fmt: skip


def case_bootstrap_auc_plain(quick: bool) -> Row:
    return _bootstrap("auc", "plain", quick, 30)


def case_bootstrap_auc_fast(quick: bool) -> Row:
    return _bootstrap("auc", "fast", quick, 150)


def case_bootstrap_precision_plain(quick: bool) -> Row:
    return _bootstrap("average_precision", "plain", quick, 30)


def case_bootstrap_precision_fast(quick: bool) -> Row:
    return _bootstrap("average_precision", "fast", quick, 150)


def case_identical(quick: bool) -> Row:
    """The same replicates with both kinds of kernels and any number of threads."""
    truth, scores = scored(100_000 if quick else 1_000_000)

    def drawn() -> te.Interval:
        table = te.ScoreTable.count(truth, scores)
        return metric_interval("auc", table, method="bootstrap-percentile", replicates=REPLICATES)

    te.config(kernels="plain", threads=1)
    seconds, first = best_of(drawn, 1)
    agree = True
    for kernels in ("plain", "fast"):
        for threads in (1, 2, 3):
            te.config(kernels=kernels, threads=threads)
            agree &= drawn() == first
    return row(
        f"{REPLICATES:,} replicates of {len(truth):,} rows in 6 ways", ours_s=seconds, agree=agree,
        note="limits identical to the last bit",
    )  # fmt: skip


def case_whole_curve(quick: bool) -> Row:
    n = 1_000_000 if quick else 10_000_000
    truth, scores = scored(n)

    def ours() -> tuple[Any, Any]:
        curve = te.roc(truth, scores)
        return curve, (curve.fpr, curve.tpr, curve.thresholds, curve.hull(), curve.auc())

    seconds, (curve, made) = best_of(ours, 1)
    memory = peak_of_process()
    hull = made[3]
    agree = bool((hull.interpolate(curve.fpr) >= curve.tpr - 1e-12).all())
    return row(
        f"ROC object and hull of {n:,} distinct scores", ours_s=seconds, megabytes=3000, memory_mb=memory, agree=agree,
        note=f"{len(hull.corners):,} corners; memory of the whole process, input included",
    )  # fmt: skip
