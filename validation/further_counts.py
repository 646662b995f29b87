"""Metrics of a confusion matrix beyond the main ones: ratios, other averages, costs, another prior."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from validation.count_metrics import TEN, THREE, random_rows, two
from validation.frame import CONFIDENCES, Cell

OTHERS = (
    "precision", "recall", "f_beta", "fowlkes_mallows", "informedness", "markedness", "g_mean", "lr_plus",
    "diagnostic_odds_ratio",
)  # fmt: skip
OTHERS_CLASSES = (
    "macro_precision", "macro_recall", "g_mean", "weighted_f1", "weighted_precision", "macro_specificity",
)  # fmt: skip
RATIOS = ("lr_plus", "lr_minus", "diagnostic_odds_ratio", "weighted_accuracy")
# Averages that are neither shares of rows nor means of such: smooth, correlations, ratios.
AVERAGES = ("weighted_f1", "weighted_specificity", "micro_specificity", "macro_informedness", "macro_lr_plus")


def mix(sizes: tuple[int, ...], recall: float) -> np.ndarray:
    """Classes of these sizes, each found with the same chance and else taken for any other."""
    k = len(sizes)
    share = np.where(np.eye(k) > 0, recall, (1 - recall) / (k - 1))
    return share * (np.array(sizes) / sum(sizes))[:, None]


MEANS = ("balanced_accuracy", "g_mean", "macro_f1", "macro_precision")
SKEWED = tuple(
    (f"classes of {', '.join(map(str, sizes))} rows, recall {recall}", mix(sizes, recall), sum(sizes))
    for sizes, recall in (
        ((25, 25, 25, 300), 0.97),
        ((30, 30, 30, 500, 500), 0.8),
        ((240, 120, 60, 30, 15), 0.9),
        ((12, 12, 200), 0.99),
    )
)


def cells(*, quick: bool) -> Iterator[Cell]:
    """Other metrics, other priors, costs."""
    if quick:
        return
    for n in (40, 100, 400):
        for words, p in (
            ("10% positive, sensitivity 0.7, specificity 0.95", two(0.1, 0.7, 0.95)),
            ("30% positive, sensitivity 0.9, specificity 0.9", two(0.3, 0.9, 0.9)),
        ):
            yield replace(random_rows("other count metrics, two classes", words, p, n, OTHERS), rank=3)
    for n in (100, 400):
        for name, p in THREE.items():
            cell = random_rows("other count metrics, three classes", name, p, n, OTHERS_CLASSES)
            yield replace(cell, rank=2 if (name, n) == ("three classes", 100) else 4)
    at = ("accuracy", "precision", "npv", "f1", "mcc", "kappa", "macro_f1")
    for n in (100, 400):
        words = "50% positive, asked for at 10%"
        rank = 2 if n == 100 else 3
        yield replace(random_rows("at another prior", words, two(0.5, 0.9, 0.8), n, at, prior=0.1), rank=rank)
        cost = random_rows("expected cost", "rare dear misses", two(0.1, 0.9, 0.95), n, ("expected_cost",))
        yield replace(cost, rank=rank)
    for words, p, n, prior in (
        ("33% positive, 2 false alarms expected, asked for at 5%", two(1 / 3, 0.8, 0.95), 60, 0.05),
        ("9% positive, 3 false alarms expected, asked for at 1%", two(1 / 11, 0.9, 0.99), 330, 0.01),
        ("50% positive, 1 miss expected, asked for at 70%", two(0.5, 0.95, 0.7), 40, 0.7),
    ):
        rare = random_rows("at another prior, few errors", words, p, n, at, prior=prior)
        yield replace(rare, confidences=CONFIDENCES[:1], rank=2)
    for words, p, n in SKEWED:
        mixes = random_rows("means over classes of unlike sizes", words, p, n, MEANS)
        yield replace(mixes, confidences=CONFIDENCES[:1], rank=2)
    for n in (1_000, 4_000):
        yield replace(
            random_rows("expected cost", "rare dear misses", two(0.1, 0.9, 0.95), n, ("expected_cost",)), rank=3
        )
    for n in (100, 400, 2_000):
        if n < 2_000:
            saved = random_rows("savings", "rare dear misses", two(0.1, 0.9, 0.95), n, ("savings",))
            yield replace(saved, confidences=CONFIDENCES[:1], rank=3)
            often = random_rows("savings", "frequent misses", two(0.3, 0.8, 0.9), n, ("savings",))
            yield replace(often, confidences=CONFIDENCES[:1], rank=3)
        total = random_rows("total cost", "frequent misses", two(0.3, 0.8, 0.9), n, ("cost",))
        yield replace(total, rank=2 if n == 100 else 3)
        for words, p in (("30% positive, sensitivity 0.8, specificity 0.9", two(0.3, 0.8, 0.9)),
                         ("10% positive, sensitivity 0.9, specificity 0.95", two(0.1, 0.9, 0.95))):  # fmt: skip
            ratios = random_rows("ratios and weighted accuracy", words, p, n, RATIOS)
            yield replace(ratios, rank=2 if n == 100 else 3)
        for name in ("three classes", "three classes, one rare"):
            averages = random_rows("smooth averages, three classes", name, THREE[name], n, AVERAGES)
            yield replace(averages, rank=2 if (name, n) == ("three classes", 100) else 4)
    for name, p in THREE.items():
        yield replace(random_rows("other count metrics, three classes", name, p, 2_000, OTHERS_CLASSES), rank=4)
    for n in (400, 2_000):
        ten = random_rows("other count metrics, ten classes", "ten classes", TEN["ten classes"], n, OTHERS_CLASSES)
        yield replace(ten, rank=3)
