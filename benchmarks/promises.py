"""Promises side by side: how often the usual ways hold what they say, where the truth is known.

    python -m benchmarks.promises [--write]      about a minute; --write puts the table into benchmarks/PROMISES.md

Each row has one promise (a 95 % interval, a 5 % test), the share measured for a peer as people call it, and that of
trueerror's default on the same samples. A package that is not installed is named as absent.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin

import trueerror as te

RESULTS = Path(__file__).with_name("PROMISES.md")
PACKAGES = ("scikit-learn", "statsmodels", "mlxtend", "autorank", "scipy", "numpy")


class Promise(NamedTuple):
    """What is promised, by which call, and what was measured of it and of the default here."""

    peer: str
    call: str
    setting: str
    promised: str
    theirs: str
    ours: str


def share(value: float) -> str:
    """A share to three decimals."""
    return f"{value:.3f}"


def exact_coverage(n: int, p: float, limits: Callable[[int], tuple[float, float]]) -> float:
    """How often limits for x of n hold p, over all outcomes."""
    x = np.arange(n + 1)
    low, high = np.array([limits(int(k)) for k in x]).T
    return float(stats.binom.pmf(x, n, p)[(low <= p) & (p <= high)].sum())


def wilson(n: int) -> Callable[[int], tuple[float, float]]:
    """The default here."""
    return lambda x: (te.interval(x, n).low, te.interval(x, n).high)


def standard_error(n: int) -> Callable[[int], tuple[float, float]]:
    """mean ± 1.96 standard errors, as evaluation logs of language models print it (n − 1 in the variance)."""

    def limits(x: int) -> tuple[float, float]:
        p = x / n
        half = 1.96 * np.sqrt(p * (1 - p) / (n - 1))
        return p - half, p + half

    return limits


class NearestMean(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A learner that goes by the nearer class mean of some columns."""

    def __init__(self, columns: tuple[int, ...] = ()) -> None:
        self.columns = columns

    def fit(self, X: Any, y: Any) -> NearestMean:
        self.classes_ = np.array([0, 1])
        part = X[:, self.columns]
        self.means_ = np.stack([part[y == c].mean(axis=0) for c in (0, 1)])
        return self

    def predict(self, X: Any) -> Any:
        return ((X[:, None, self.columns] - self.means_) ** 2).sum(axis=2).argmin(axis=1)


def drawn(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Two groups of four columns, of equal worth."""
    y = rng.permutation(np.arange(n) % 2)
    return rng.normal(size=(n, 8)) + 0.45 * y[:, None], y


def logs() -> Iterator[Promise]:
    """Standard errors of benchmark logs."""
    for n, p in ((100, 0.95), (50, 0.98)):
        yield Promise(
            "Inspect, lm-eval", "mean ± 1.96·stderr", f"{n} questions, {p:.0%} right in truth", "holds .95",
            share(exact_coverage(n, p, standard_error(n))), share(exact_coverage(n, p, wilson(n))),
        )  # fmt: skip


def statsmodels() -> Iterator[Promise]:
    """Defaults of statsmodels."""
    from statsmodels.stats.proportion import proportion_confint

    for n, p in ((50, 0.95), (100, 0.9)):
        yield Promise(
            "statsmodels", "proportion_confint(x, n)", f"n = {n}, p = {p}", "holds .95",
            share(exact_coverage(n, p, lambda x, n=n: proportion_confint(x, n))),  # type: ignore[misc]
            share(exact_coverage(n, p, wilson(n))),
        )  # fmt: skip


def scikit_learn() -> Iterator[Promise]:
    """scores.mean() ± 1.96·scores.std()/√k, as people write it."""
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    rng = np.random.default_rng(0)
    found = []
    for i in range(400):
        X, y = drawn(rng, 80)
        folds = StratifiedKFold(10, shuffle=True, random_state=i)
        found.append(cross_val_score(NearestMean((0, 1, 2, 3)), X, y, cv=folds))
    scores = np.array(found)
    means, sds = scores.mean(axis=1), scores.std(axis=1)
    truth = means.mean()
    half = 1.96 * sds / np.sqrt(10)
    corrected = te.critical(0.95, df=9) * scores.std(axis=1, ddof=1) * np.sqrt(1 / 10 + 1 / 9)
    yield Promise(
        "scikit-learn", "scores.mean() ± 1.96·scores.std()/√10", "10 folds of 80 rows, 400 data sets", "holds .95",
        share(np.mean(abs(means - truth) <= half)), share(np.mean(abs(means - truth) <= corrected)),
    )  # fmt: skip


def mlxtend() -> Iterator[Promise]:
    """Tests of two learners that are equally good by construction."""
    from mlxtend.evaluate import mcnemar, paired_ttest_resampled

    first, second = NearestMean((0, 1, 2, 3)), NearestMean((4, 5, 6, 7))
    rng = np.random.default_rng(1)
    theirs, ours = [], []
    for i in range(300):
        X, y = drawn(rng, 80)
        theirs.append(paired_ttest_resampled(first, second, X, y, scoring="accuracy", random_seed=i)[1] < 0.05)
        splits = np.random.default_rng(i)
        gaps = []
        for _ in range(30):
            order = splits.permutation(80)
            train, test = order[24:], order[:24]
            a, b = (learner.fit(X[train], y[train]).score(X[test], y[test]) for learner in (first, second))
            gaps.append(a - b)
        ours.append(te.significance.corrected_t(np.array(gaps), test_train_ratio=24 / 56).p_value < 0.05)
    yield Promise(
        "mlxtend", "paired_ttest_resampled(a, b, X, y)", "two equally good learners, 300 data sets", "rejects .05",
        share(np.mean(theirs)), share(np.mean(ours)),
    )  # fmt: skip
    chances = stats.binom.pmf(np.arange(51), 50, 0.02)
    shares = []
    for reject in (lambda b, c: mcnemar(np.array([[10, b], [c, 10]]))[1] < 0.05,
                   lambda b, c: te.significance.mcnemar(b, c).p_value < 0.05):  # fmt: skip
        total = 0.0
        for m in range(15):
            split = stats.binom.pmf(np.arange(m + 1), m, 0.5)
            total += chances[m] * sum(split[b] for b in range(m + 1) if reject(b, m - b))
        shares.append(total)
    yield Promise(
        "mlxtend", "mcnemar(table)", "50 rows, two equally good models that differ on 2 %", "rejects .05",
        share(shares[0]), share(shares[1]),
    )  # fmt: skip


def autorank() -> Iterator[Promise]:
    """Folds in the place of data sets, which a table of scores does not show."""
    import pandas as pd
    from autorank import autorank as ranked

    rng = np.random.default_rng(2)
    theirs, ours = [], []
    for _ in range(100):
        domain = rng.normal(0, 0.03, (8, 1))
        scores = np.stack((domain + rng.normal(0, 0.02, (8, 10)), rng.normal(0, 0.02, (8, 10))), axis=1) + 0.8
        frame = pd.DataFrame({"a": scores[:, 0].ravel(), "b": scores[:, 1].ravel()})
        theirs.append(ranked(frame, alpha=0.05, verbose=False).pvalue < 0.05)
        ours.append(te.rank(scores, names=["a", "b"])["a", "b"].p_value < 0.05)
    yield Promise(
        "autorank", "autorank(frame of 80 folds)", "8 data sets × 10 folds, equal over domains", "rejects .05",
        share(np.mean(theirs)), share(np.mean(ours)),
    )  # fmt: skip


def proc() -> Iterator[Promise]:
    """pROC at a perfect separation, through R."""
    code = "library(pROC); r <- roc(rep(0:1, each=10), 1:20, quiet=TRUE); cat(ci.auc(r)[1], ci.auc(r)[3])"
    done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    low, high = (float(word) for word in done.stdout.split())
    made = te.roc(np.repeat([0, 1], 10), np.arange(20)).auc()
    yield Promise(
        "pROC", "ci.auc(roc)", "10 positives above 10 negatives", "a 95 % interval", f"[{low:.2f}, {high:.2f}]",
        f"[{made.low:.2f}, {made.high:.2f}]",
    )  # fmt: skip


def measured() -> tuple[list[Promise], list[str]]:
    """All promises, and what could not be measured."""
    found: list[Promise] = []
    absent = []
    for measure in (logs, scikit_learn, statsmodels, mlxtend, autorank, proc):
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                found += list(measure())
        except (ImportError, FileNotFoundError, subprocess.CalledProcessError):
            absent.append(measure.__name__)
    return found, absent


def versions() -> str:
    """Python, this package and the peers."""
    named = [f"Python {sys.version.split()[0]}", f"trueerror {te.__version__}"]
    for name in PACKAGES:
        try:
            named.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    if shutil.which("Rscript"):
        code = 'cat(paste0("R ", getRversion(), ", pROC ", packageVersion("pROC")))'
        done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=False)
        named.append(done.stdout.strip())
    return ", ".join(part for part in named if part)


def page(found: list[Promise], absent: list[str]) -> str:
    """The table with its command and versions."""
    head = ("peer", "call", "setting", "promised", "measured", "trueerror")
    lines = [
        "# Promises, side by side", "",
        "Generated by `python -m benchmarks.promises --write`; do not edit. The same samples for both sides.", "",
        f"- Versions: {versions()}", *([f"- Not installed: {', '.join(absent)}"] if absent else []), "",
        f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(row)} |" for row in found),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.promises", description=__doc__.split(":")[0])
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = parser.parse_args()
    text = page(*measured())
    print(text)
    if given.write:
        RESULTS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
