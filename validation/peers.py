"""The same scenarios for other packages, where they claim the same thing; what is not installed is named as absent."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import trueerror as te
from trueerror.inference.proportion._paired import mcnemar
from trueerror.inference.ranking._rank_tests import iman_davenport
from validation.count_metrics import Limits, interval_procedure, random_rows, two
from validation.differences import DISAGREEMENT, SHARES, binomial
from validation.frame import CONFIDENCES, Cell, Exact, Line, Procedure
from validation.proportions import misses, shares
from validation.scores import shift_for

START = "side by side: "
PACKAGES = ("confidenceinterval", "mlxtend", "autorank", "scipy", "statsmodels")


def installed() -> dict[str, str]:
    """The version of each peer that is here."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def absent() -> list[str]:
    """The peers that are not here."""
    return [name for name in PACKAGES if name not in installed()]


# One proportion: (successes, rows) → limits.


def _ours(x: int, n: int) -> tuple[float, float]:
    made = te.interval(x, n)
    return made.low, made.high


def _statsmodels(method: str) -> Callable[[int, int], tuple[float, float]]:
    def apply(x: int, n: int) -> tuple[float, float]:
        from statsmodels.stats.proportion import proportion_confint

        low, high = proportion_confint(x, n, method=method)
        return float(low), float(high)

    return apply


def _confidenceinterval(x: int, n: int) -> tuple[float, float]:
    from confidenceinterval import accuracy_score

    low, high = accuracy_score([1] * n, [1] * x + [0] * (n - x))[1]
    return float(low), float(high)


def _scipy_bootstrap(x: int, n: int) -> tuple[float, float]:
    from scipy.stats import bootstrap

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = bootstrap((np.repeat([1.0, 0.0], [x, n - x]),), np.mean, rng=np.random.default_rng(0))
    return float(made.confidence_interval.low), float(made.confidence_interval.high)


PROPORTIONS: dict[str, tuple[str, Callable[[int, int], tuple[float, float]]]] = {
    "trueerror, default (Wilson)": ("", _ours),
    "statsmodels, default (normal)": ("statsmodels", _statsmodels("normal")),
    "statsmodels, beta": ("statsmodels", _statsmodels("beta")),
    "statsmodels, wilson": ("statsmodels", _statsmodels("wilson")),
    "confidenceinterval, default (Wilson)": ("confidenceinterval", _confidenceinterval),
    "SciPy bootstrap, default (BCa)": ("scipy", _scipy_bootstrap),
}


def _proportion_lines(n: int) -> Iterator[Line]:
    for name, (package, apply) in PROPORTIONS.items():
        if package and package not in installed():
            continue
        low, high = np.array([apply(x, n) for x in range(n + 1)]).T
        # No limits: nothing is held.
        low, high = np.where(np.isnan(low), 2.0, low), np.where(np.isnan(high), -1.0, high)
        even, near = shares(low, high)
        near = near[n * np.minimum(near, 1 - near) >= 5]
        for words, p in (("mean over p", even), ("least with np, nq ≥ 5", near)):
            below, above = misses(low, high, p)
            # Where there are no limits both sides miss; it is one miss.
            missed = np.minimum(below + above, 1.0)
            if words.startswith("mean"):
                rate, at = float(missed.mean()), None
            elif len(p):
                at = int(np.argmax(missed))
                rate = float(missed[at])
            else:
                continue
            yield _exact_line("one proportion", f"n = {n}, {words}", name, 1 - rate, "interval", n)


def _exact_line(
    family: str, scenario: str, name: str, rate: float, kind: str, n: float, purpose: str = "level"
) -> Line:
    return Line(
        family=START + family, scenario=scenario, procedure=name, kind=kind, default=False, confidence=0.95,
        truth=np.nan, events=np.nan, rate=rate, n=n, purpose=purpose,
    )  # fmt: skip


# McNemar's test: (b, c) → p.


def _mlxtend(b: int, c: int) -> float:
    from mlxtend.evaluate import mcnemar as test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(test(np.array([[10, b], [c, 10]]))[1])


def _statsmodels_mcnemar(b: int, c: int) -> float:
    from statsmodels.stats.contingency_tables import mcnemar as test

    return float(test([[10, b], [c, 10]]).pvalue)


PAIRED: dict[str, tuple[str, Callable[[int, int], float]]] = {
    "trueerror, default (mid-p)": ("", lambda b, c: mcnemar(b, c).p_value),
    "mlxtend, default (χ², corrected)": ("mlxtend", _mlxtend),
    "statsmodels, default (exact)": ("statsmodels", _statsmodels_mcnemar),
}


@lru_cache(maxsize=32)
def _smallest_rejected(name: str, most: int) -> tuple[int, ...]:
    """For each number of differing rows the largest smaller count at which a test rejects, −1 where none does."""
    apply = PAIRED[name][1]
    found = []
    for total in range(most + 1):
        low = -1
        while low + 1 <= total // 2 and apply(low + 1, total - low - 1) <= 0.05:
            low += 1
        found.append(low)
    return tuple(found)


def _mcnemar_lines(n: int) -> Iterator[Line]:
    for name, (package, _) in PAIRED.items():
        if package and package not in installed():
            continue
        for differ, difference in (*((d, 0.0) for d in DISAGREEMENT), (0.2, 0.1), (0.4, 0.1)):
            chance, rate = binomial(n, differ), 0.0
            for total, most in enumerate(_smallest_rejected(name, n)):
                if chance[total] > 1e-15:
                    tails = np.minimum(np.arange(total + 1), total - np.arange(total + 1)) <= most
                    rate += float(chance[total] * binomial(total, (1 + difference / differ) / 2)[tails].sum())
            better = "" if difference == 0 else f", the first better by {difference:.0%}"
            words = f"{n} rows, differing on {differ:.0%}{better}"
            yield _exact_line("McNemar's test", words, name, rate, "test", n, "level" if difference == 0 else "power")


# Two proportions of different rows.


def _difference_lines(n: int) -> Iterator[Line]:
    def ours(x: int, y: int) -> tuple[float, float]:
        made = te.difference((x, n), (y, n))
        return made.low, made.high

    def theirs(x: int, y: int) -> tuple[float, float]:
        from statsmodels.stats.proportion import confint_proportions_2indep

        low, high = confint_proportions_2indep(x, n, y, n)
        return float(low), float(high)

    tried = {"trueerror, default (Miettinen–Nurminen)": ours}
    if "statsmodels" in installed():
        tried["statsmodels, default (Newcombe)"] = theirs
    for name, apply in tried.items():
        made = np.array([[apply(x, y) for y in range(n + 1)] for x in range(n + 1)])
        rates = []
        for p in SHARES:
            for q in SHARES:
                held = (made[..., 0] <= p - q + 1e-12) & (p - q - 1e-12 <= made[..., 1])
                rates.append(float(np.outer(binomial(n, p), binomial(n, q))[held].sum()))
        for words, rate in (("mean over the grid", np.mean(rates)), ("least", np.min(rates))):
            yield _exact_line("two proportions", f"{n} and {n} rows, {words}", name, float(rate), "interval", 2 * n)


# Metrics of tables and areas, on the same samples.


def _peer_f1(average: str) -> Callable[[np.ndarray, float], Limits]:
    kept: dict[bytes, Limits] = {}

    def apply(counts: np.ndarray, confidence: float) -> Limits:
        from confidenceinterval import f1_score

        key = counts.tobytes()
        if key not in kept:
            cells = [(t, c) for t in range(2) for c in range(2) for _ in range(int(counts[t, c]))]
            truth, called = (list(x) for x in zip(*cells, strict=True))
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                value, (low, high) = f1_score(truth, called, average=average, confidence_level=confidence)
            kept[key] = Limits(float(value), float(low), float(high), None, "")
        return kept[key]

    return apply


def tables_cell(n: int, prevalence: float) -> Cell:
    """F1 and macro-F1 by their defaults."""
    metrics = ("f1", "macro_f1")
    base = random_rows(
        START + "F1", f"{prevalence:.0%} positive, 80% found, 95% spared", two(prevalence, 0.8, 0.95), n, metrics
    )
    procedures = [Procedure(f"trueerror, default, {m}", interval_procedure(m).apply, False, target=m) for m in metrics]
    if "confidenceinterval" in installed():
        for average, metric in (("binary", "f1"), ("macro", "macro_f1")):
            name = f"confidenceinterval, default (Takahashi), {metric}"
            procedures.append(Procedure(name, _peer_f1(average), default=False, target=metric))
    return Cell(
        family=base.family, scenario=base.scenario, draw=base.draw, procedures=tuple(procedures), truth=base.truth,
        events=base.events, confidences=CONFIDENCES[:1], n=n, rank=2,
    )  # fmt: skip


def areas_cell(area: float, positives: int, negatives: int) -> Cell:
    """The area under the ROC curve by their defaults."""
    shift = shift_for(area)
    up = np.arange(positives + negatives) < positives

    def draw(rng: np.random.Generator) -> np.ndarray:
        return rng.standard_normal(len(up)) + shift * up

    def ours(scores: np.ndarray, confidence: float) -> Any:
        return te.roc(up, scores).auc(confidence=confidence)

    def theirs(scores: np.ndarray, confidence: float) -> Limits:
        from confidenceinterval import roc_auc_score

        value, (low, high) = roc_auc_score(up.astype(int), scores, confidence_level=confidence)
        return Limits(float(value), float(low), float(high), None, "")

    procedures = [Procedure("trueerror, default", ours, default=False, target="auc")]
    if "confidenceinterval" in installed():
        procedures.append(Procedure("confidenceinterval, default (DeLong)", theirs, default=False, target="auc"))
    return Cell(
        family=START + "AUC", scenario=f"AUC {area}, {positives} positives, {negatives} negatives", draw=draw,
        procedures=tuple(procedures), truth={"auc": area}, events={"auc": min(positives, negatives) * (1 - area)},
        confidences=CONFIDENCES[:1], n=len(up), rank=2,
    )  # fmt: skip


def many_cell(models: int, sets: int) -> Cell:
    """Equal models over data sets of unequal difficulty: does the omnibus test see a difference?"""

    def draw(rng: np.random.Generator) -> np.ndarray:
        return np.clip(rng.beta(8, 2, sets)[:, None] + 0.03 * rng.standard_normal((sets, models)), 0, 1)

    def theirs(scores: np.ndarray, level: float) -> bool:
        import pandas as pd
        from autorank import autorank

        # autorank prints its table.
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            frame = pd.DataFrame(scores, columns=[f"m{i}" for i in range(models)])
            return bool(autorank(frame, alpha=level, verbose=False).pvalue <= level)

    def ours(scores: np.ndarray, level: float) -> bool:
        return iman_davenport(scores).p_value <= level

    procedures = [Procedure("trueerror, default (Iman–Davenport)", ours, default=False, kind="test")]
    if "autorank" in installed():
        procedures.append(Procedure("autorank, default", theirs, default=False, kind="test"))
    return Cell(
        family=START + "many models over data sets", scenario=f"{models} equal models, {sets} data sets", draw=draw,
        procedures=tuple(procedures), confidences=CONFIDENCES[:1], n=sets, rank=5, block=100,
    )  # fmt: skip


def _probe() -> list[float]:
    """Ours, and which peers there are: another version is another peer."""
    versions = [float(sum(map(ord, v))) for v in installed().values()]
    return [*_ours(3, 20), mcnemar(7, 1).p_value, te.difference((9, 10), (3, 10)).low, *versions]


def cells(*, quick: bool) -> Iterator[Cell | Exact]:
    """The same table for each."""
    for n in (20,) if quick else (20, 50, 100):
        yield Exact(START + "one proportion", f"n = {n}", partial(_proportion_lines, n), _probe)
    for n in (50,) if quick else (50, 200):
        yield Exact(START + "McNemar's test", f"n = {n}", partial(_mcnemar_lines, n), _probe)
    if quick:
        return
    yield Exact(START + "two proportions", "n = 30", partial(_difference_lines, 30), _probe)
    for n, prevalence in ((100, 0.3), (100, 0.1), (400, 0.1)):
        yield tables_cell(n, prevalence)
    for area, positives, negatives in ((0.8, 30, 30), (0.95, 20, 20), (0.95, 20, 200)):
        yield areas_cell(area, positives, negatives)
    yield many_cell(5, 15)
