"""What half and twice a number of `inference/` do to answers that rest on it: the figures of `constants.md`.

python -m validation.constants
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

import numpy as np

import trueerror as te
from trueerror.inference._bayes import pair_posterior
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference.proportion._distributions import as_likely, hypergeometric_p

RNG = np.random.default_rng(5)
DIFFERENCES = {n: RNG.normal(0.2, 1, n) for n in (30, 80, 150, 250, 900, 2000)}
Answers = Callable[[], list[float]]


class Number(NamedTuple):
    """A number of a module, and answers that rest on it; `above` is what is not halved or doubled of it."""

    module: str
    name: str
    answers: Answers
    above: float = 0.0


def ordered_tails() -> list[float]:
    exact = [as_likely(x, n, p) for n, p in ((10, 0.5), (40, 0.5), (300, 0.1), (1000, 0.37)) for x in range(n + 1)]
    return exact + [hypergeometric_p(x, 30, 50, 20)["two-sided"] for x in range(21)]


def of_the_best() -> list[float]:
    right = np.random.default_rng(6).random((400, 5)) < np.linspace(0.8, 0.9, 5)
    made = te.compare(np.ones(400, dtype=int), dict(zip("abcde", right.T.astype(int), strict=True)), metric="accuracy")
    return [value for m in "abcd" if (c := made.judged(m, made.best)) for value in (c.low, c.high, c.p_adjusted or 0.0)]


def calibration_gaps() -> list[float]:
    truth = np.arange(600) % 2
    made = te.compare(truth, scores={"a": 0.5 + 0.1 * truth, "b": 0.95 - 0.4 * truth}, metric="ece")
    return [made["a", "b"].p_value]


def signed_ranks(*sizes: int) -> list[float]:
    found = [te.significance.wilcoxon(DIFFERENCES[n], np.zeros(n)) for n in sizes]
    return [value for c in found for value in (c.p_value, c.low, c.high)]


def discordant() -> list[float]:
    pairs = te.significance.mcnemar(20, 15, n=200)
    found = pair_posterior(pairs, (150, 20, 15, 15), rope=0.02, higher_is_better=True)
    return [found.left, found.rope, found.right]


def large_plans() -> list[float]:
    return [te.power(n=n, first=0.80, second=0.7985, disagreement=0.1).power for n in (600_000, 1_500_000)]


def exact_p() -> list[float]:
    return [te.significance.wilcoxon(DIFFERENCES[900], np.zeros(900), method="exact").p_value]


def ends(*intervals: te.Interval) -> list[float]:
    return [end for i in intervals for end in (i.low, i.high)]


def few_positives() -> list[float]:
    tables = [te.Confusion([[50, 6], [1, found]]) for found in (3, 4)]
    return [metric_interval("recall", t, positive=1, method="bootstrap").high for t in tables]


def drawn_values() -> list[float]:
    rng = np.random.default_rng(7)
    return ends(*(te.bootstrap(rng.integers(0, k, 40)).interval for k in (5, 10)))


def many_clusters() -> list[float]:
    found = []
    for groups in (24_000, 48_000):
        up, keys = np.arange(3 * groups) % 5 == 0, np.arange(3 * groups) // 3
        scores = np.random.default_rng(groups).standard_normal(3 * groups) + up
        found.append(te.evaluate(up, scores=scores, positive=True, metrics=["average_precision"], clusters=keys))
    return ends(*(ev["average_precision"] for ev in found))


def label_tables() -> list[float]:
    found = []
    for cells in ([[50, 0], [0, 20]], [[48, 2], [3, 17]], [[30, 0, 0], [1, 12, 0], [0, 0, 8]]):
        table = te.Confusion(cells)
        found += ends(*(metric_interval(m, table) for m in ("macro_f1", "mcc", "kappa")))
    return found


def many_classes() -> list[float]:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 70, 900)
    called = np.where(rng.random(900) < 0.95, y, rng.integers(0, 70, 900))
    return ends(te.evaluate(y, called, metrics=["macro_f1"])["macro_f1"])


def identical() -> list[float]:
    y = np.arange(100) % 2
    return [*label_tables(), te.compare(y, {"a": y, "b": y}, positive=1, metric="mcc")["a", "b"].p_value]


def two_scores(seed: int, *noise: float) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {f"m{k}": np.arange(200) % 2 + rng.normal(size=200) * k for k in noise}


def resampled_pairs() -> list[float]:
    made = te.compare(np.arange(200) % 2, scores=two_scores(3, 1, 1.3), positive=1, metric="auc", method="bootstrap")
    return ends(made["m1", "m1.3"])


def two_samples() -> list[float]:
    one, two = (
        te.predictions(np.arange(200) % 2, scores=two_scores(4, k), positive=1) for k in (0.3, 3.0)
    )  # fmt: skip
    return [te.compare(one, two, metric="auc", paired=False).pairs[0].p_value]


def ranked_in_folds() -> list[float]:
    folds = np.arange(200) % 5
    scores = {"m": two_scores(5, 1)["m1"] + folds * 0.5}
    p = te.predictions(np.arange(200) // 5 % 2, scores=scores, positive=1, folds=folds)
    return ends(te.evaluate(p, metrics=["auc"], threshold=0.5)["auc"])


NUMBERS = (
    Number("_label_tables", "HALF", label_tables),
    Number("_label_tables", "TIED", label_tables),
    Number("_label_tables", "STEPPED_CELLS", many_classes),
    Number("_variance", "STEP", label_tables),
    Number("_estimate", "ROUNDING", identical),
    Number("counts._one_class", "VARIANCE_TOLERANCE", identical),
    Number("_two_models", "ROW_REPLICATES", resampled_pairs),
    Number("_unpaired", "LEAST_LEVEL", two_samples),
    Number("calibration", "NEAREST", calibration_gaps),
    Number("auc._within_folds", "LOSS", ranked_in_folds),
    Number("proportion._distributions", "EQUALLY_LIKELY", ordered_tails, above=1.0),
    Number("ranking._rank_tests", "EXACT_UP_TO", lambda: signed_ranks(80, 150)),
    Number("_bayes", "DRAWS", discordant),
    Number("_many", "DRAWS", of_the_best),
    # The module that searches holds it by its name.
    Number("calibration", "FURTHEST", calibration_gaps),
    Number("power._designs", "ENUMERATE_UP_TO", large_plans),
    Number("ranking._rank_tests", "EXACT_MOST", exact_p),
    Number("bootstrap._limits", "MOST_LOST", few_positives),
    Number("bootstrap._values", "FEW_VALUES", drawn_values),
    Number("bootstrap._tables", "TURNS", many_clusters),
)


def changed(number: Number, factor: float) -> float:
    """The largest change of an answer, as a share of it."""
    module = import_module(f"trueerror.inference.{number.module}")
    value = getattr(module, number.name)
    there = np.array(number.answers())
    try:
        setattr(module, number.name, type(value)(number.above + (value - number.above) * factor))
        found = np.array(number.answers())
    finally:
        setattr(module, number.name, value)
    return float(np.max(np.abs(found - there) / np.maximum(np.abs(there), 1e-300)))


def main() -> None:
    for number in NUMBERS:
        print(
            f"{number.module} {number.name}: half {changed(number, 0.5):.0e}, twice {changed(number, 2):.0e}",
            flush=True,
        )


if __name__ == "__main__":
    main()
