"""What people choose after looking: the best of several models, the worst slice, a threshold tuned on the same rows.

    PYTHONPATH=src python -m validation.chosen --samples 3000 --jobs 16 [--only models] [--out FILE]

For each design, fixed before the method was: how often limits hold the true value of what was chosen, how wide they
are beside the ones that ignore the choice, and how far off the estimates are. Rivals of the rule for models: the plain
limits, max-|t| over all models, and the zoom correction (Zrnic and Fithian 2024, arXiv 2411.18569). The zoom's radius
is found from draws of the joint normal distribution: r is the largest radius at which the errors leave the acceptance
region, |ξ_i| ≤ max(r, Δ_i/2), with a probability above α, Δ the smallest gaps that agree with the estimates.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import optimize, special, stats

import trueerror as te
from trueerror.inference._chosen import best_of_several
from trueerror.inference._tuned import CRITERIA, Criterion, cost_of_errors, counts_above, on_other_rows, recall_of
from trueerror.inference.proportion._interval import interval
from trueerror.tallies import ScoreTable

Array = np.ndarray[Any, Any]
Z = 1.959964
DRAWS = 1_000
MODELS = (2, 5, 20, 100)
CORRELATIONS = (0.3, 0.6, 0.95)
PATTERNS = ("equal", "one better by 2", "one better by 4", "many nearly equal", "a fifth better by 3")
SLICES = (5, 20, 100)


def gaps_of(pattern: str, k: int) -> Array:
    """True values above the common one, in standard errors of a difference."""
    above = np.zeros(k)
    if pattern.startswith("one"):
        above[0] = float(pattern[-1])
    elif pattern.startswith("many"):
        above = np.linspace(0, 2, k)
    elif pattern.startswith("a fifth"):
        above[: max(1, k // 5)] = 3
    return above


@cache
def latent(share: float, wanted: float) -> float:
    """The correlation of two normals whose indicators of `share` are correlated as wanted."""

    def off(r: float) -> float:
        z = special.ndtri(share)
        both = stats.multivariate_normal.cdf([z, z], cov=[[1, r], [r, 1]])
        return float((both - share * share) / (share * (1 - share)) - wanted)

    return float(optimize.brentq(off, 0.001, 0.9999))


def accuracies(rng: np.random.Generator, n: int, k: int, rho: float, pattern: str) -> tuple[Array, Array, Any]:
    """True accuracies, rows × models of right and wrong, and what the library says."""
    base = 0.8
    apart = np.sqrt(2 * base * (1 - base) * (1 - rho) / n)
    true = np.minimum(base + apart * gaps_of(pattern, k), 0.995)
    r = latent(base, rho)
    noise = np.sqrt(r) * rng.standard_normal((n, 1)) + np.sqrt(1 - r) * rng.standard_normal((n, k))
    right = noise < special.ndtri(true)
    truth = rng.integers(0, 2, n)
    ev = te.evaluate(
        truth, {str(j): np.where(right[:, j], truth, 1 - truth) for j in range(k)}, metrics=["accuracy"]
    )  # fmt: skip
    return true, right - right.mean(axis=0), ev


def areas(rng: np.random.Generator, n: int, k: int, rho: float, pattern: str) -> tuple[Array, Array, Any]:
    """True areas, what each row adds to the estimated ones, and what the library says."""
    base, m = 0.8, n // 3
    apart = 0.9 * np.sqrt(2 * (1 - rho)) * np.sqrt(base * (1 - base) * (0.45 / m))
    true = np.minimum(base + apart * gaps_of(pattern, k), 0.995)
    truth = np.arange(n) < m
    noise = np.sqrt(rho) * rng.standard_normal((n, 1)) + np.sqrt(1 - rho) * rng.standard_normal((n, k))
    scores = noise + np.sqrt(2) * special.ndtri(true) * truth[:, None]
    units = np.empty((n, k))
    for j in range(k):
        up, down = scores[:m, j], scores[m:, j]
        placed = np.searchsorted(np.sort(down), up) / len(down), 1 - np.searchsorted(np.sort(up), down) / m
        units[:m, j], units[m:, j] = (n / m * (placed[0] - placed[0].mean()),
                                      n / (n - m) * (placed[1] - placed[1].mean()))  # fmt: skip
    columns = {str(j): scores[:, j] for j in range(k)}
    ev = te.evaluate(truth.astype(int), scores=columns, metrics=["auc"], positive=1)
    return true, units, ev


def joint_errors(units: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draws of the models' errors, and their standard errors."""
    n = len(units)
    values, vectors = np.linalg.eigh(units.T @ units / n / (n - 1))
    drawn = rng.standard_normal((DRAWS, len(values))) @ (vectors * np.sqrt(np.maximum(values, 0))).T
    return drawn, np.sqrt((units * units).sum(axis=0) / n / (n - 1))


def zoom_radius(gaps: Array, errors: Array, alpha: float = 0.05) -> float:
    """The largest radius at which errors leave the acceptance region too often, by halving."""
    size = np.abs(errors)

    def left(r: float) -> float:
        return float((size > np.where(gaps <= 4 * r, r, (gaps - r) / 3)).any(axis=1).mean())

    low, high = 0.0, float(np.quantile(size.max(axis=1), 1 - alpha))
    for _ in range(14):
        r = (low + high) / 2
        low, high = (r, high) if left(r) > alpha else (low, r)
    return high


def one_of_models(make: Callable[..., tuple[Array, Array, Any]], n: int, k: int, rho: float, pattern: str,
                  seed: int) -> dict[str, tuple[float, float, float]]:  # fmt: skip
    """Of each method (truth, lower limit, upper limit) and of the estimates their errors."""
    rng = np.random.default_rng([seed, n, k, int(100 * rho), PATTERNS.index(pattern)])
    true, units, ev = make(rng, n, k, rho, pattern)
    own = [next(iter(p.overall.values())) for p in ev.parts]
    j = int(np.argmax([i.estimate for i in own]))
    best, expected = own[j], ev.expected or own[j]
    drawn, errors = joint_errors(units, rng)
    together = np.quantile(np.abs(drawn / np.maximum(errors, 1e-12)).max(axis=1), 0.95) * errors[j]
    gaps = np.array([best.estimate - i.estimate for i in own]) / errors[j]
    radius = zoom_radius(gaps, drawn / np.maximum(errors, 1e-12)) * errors[j]
    t = float(true[j])
    return {
        "plain": (t - best.estimate, t - best.low, best.high - t),
        "rule": (t - expected.estimate, t - expected.low, expected.high - t),
        "max-t": (t - best.estimate, t - best.estimate + together, best.estimate + together - t),
        "zoom": (t - best.estimate, t - best.estimate + radius, best.estimate + radius - t),
    }


def other_pairs(n: int, k: int, rho: float, pattern: str, seed: int) -> dict[str, tuple[float, float, float]]:
    """How far the limits of all differences that the best has no part in hold together: each by itself, and as told."""
    rng = np.random.default_rng([seed, n, k, int(100 * rho), PATTERNS.index(pattern)])
    true, units, _ = accuracies(rng, n, k, rho, pattern)
    right, truth = units > 0, rng.integers(0, 2, n)
    told = te.compare(truth, {str(j): np.where(right[:, j], truth, 1 - truth) for j in range(k)})
    slack: dict[str, list[tuple[float, float]]] = {"plain": [], "rule": []}
    for c in (c for c in told.pairs if told.best not in (c.first, c.second)):
        i, j = int(c.first), int(c.second)
        off = float(true[i] - true[j]) - c.estimate
        reach = Z * float(np.std(right[:, i] * 1.0 - right[:, j], ddof=1)) / np.sqrt(n)
        slack["plain"].append((off + reach, reach - off))
        slack["rule"].append((off + c.estimate - c.low, c.high - c.estimate - off))
    return {name: (0.0, *np.min(each, axis=0).tolist()) for name, each in slack.items()}


def one_of_slices(k: int, unlike: bool, pattern: str, seed: int) -> dict[str, tuple[float, float, float]]:
    """The lowest of k slices: plain limits and the rule; and all slices together, by the share left out."""
    rng = np.random.default_rng([seed, k, unlike, len(pattern)])
    sizes = np.maximum(np.round(60 * np.exp(rng.normal(size=k) * 0.8)), 15) if unlike else np.full(k, 60)
    true = np.full(k, 0.85)
    if pattern != "equal":
        true[0] -= 0.12
    x = rng.binomial(sizes.astype(int), true)
    each = {str(i): interval(int(a), int(b)) for i, (a, b) in enumerate(zip(x, sizes, strict=True))}
    name = min(each, key=lambda i: each[i].estimate)
    t, own = float(true[int(name)]), each[name]
    found = best_of_several(each, name, lowest=True, ends=(0.0, 1.0))
    assert found is not None
    wide = [interval(int(a), int(b), confidence=1 - 0.05 / k) for a, b in zip(x, sizes, strict=True)]
    slack = min(min(p - i.low, i.high - p) for p, i in zip(true, wide, strict=True))
    size = wide[int(name)].width / 2
    return {
        "plain": (t - own.estimate, t - own.low, own.high - t),
        "rule": (t - found.interval.estimate, t - found.interval.low, found.interval.high - t),
        "all together": (t - own.estimate, slack, 2 * size - slack),
    }


def tuned_criteria() -> tuple[Criterion, ...]:
    """The ways in which a threshold is tuned."""
    return (*CRITERIA, recall_of(0.9), cost_of_errors(1.0, 5.0))


def one_of_thresholds(n: int, share: float, area: float, which: int, seed: int) -> dict[str, tuple[float, ...]]:
    """What the chosen threshold is worth: the plain limits of the calls, and those that allow for the choice."""
    rng, criterion = np.random.default_rng([seed, n, int(100 * share), which]), tuned_criteria()[which]
    mu = float(np.sqrt(2) * special.ndtri(area))
    truth = rng.random(n) < share
    while min(truth.sum(), n - truth.sum()) < 5:
        truth = rng.random(n) < share
    scores = rng.standard_normal(n) + mu * truth
    table = ScoreTable.count(truth.astype(int).tolist(), scores.tolist(), positive=1)
    counts = counts_above(table.positives, table.negatives)
    place = criterion.place(*counts)
    cut = float(table.scores[place])
    tpr, fpr = special.ndtr(mu - cut), special.ndtr(-cut)
    many = 1e9  # rows, whose shares are the true ones
    t = float(criterion.worth(many * share * tpr, many * (1 - share) * fpr, many * share, many * (1 - share)))
    found = on_other_rows(table, criterion, place)
    sign = -1.0 if criterion.metric == "expected_cost" else 1.0
    costs: dict[str, Any] = {"costs": [[0, 1], [5, 0]]} if sign < 0 else {}
    own = te.evaluate(
        truth.astype(int), scores=scores, positive=1, threshold=cut, metrics=[criterion.metric], **costs
    )[criterion.metric]  # fmt: skip
    low, high = (own.low, own.high) if sign > 0 else (-own.high, -own.low)
    return {
        "plain": (t - sign * own.estimate, t - low, high - t),
        "rule": (t - found.estimate, t - found.low, found.high - t),
    }


def designs() -> Iterator[tuple[str, str, Callable[[int], dict[str, Any]], float]]:
    """Family, name, one sample of it, and what share of the samples it gets."""
    for make, sizes in ((accuracies, (200, 1000)), (areas, (200, 1000))):
        for n in sizes:
            for k in MODELS:
                for rho in CORRELATIONS:
                    for pattern in PATTERNS:
                        name = f"{make.__name__}, {n} rows, {k} models, correlation {rho:g}, {pattern}"
                        yield "models", name, partial(one_of_models, make, n, k, rho, pattern), 20 / max(k, 20)
    for pattern in ("equal", "one better by 4", "many nearly equal"):
        yield "pairs", f"other pairs of 5 models, 300 rows, {pattern}", partial(other_pairs, 300, 5, 0.6, pattern), 1.0
    for k in SLICES:
        for unlike in (False, True):
            for pattern in ("equal", "one lower"):
                name = f"{k} slices of {'unlike' if unlike else 'like'} sizes, {pattern}"
                yield "slices", name, partial(one_of_slices, k, unlike, pattern), 1.0
    for n in (100, 200, 500, 2000):
        for share, area in ((0.5, 0.75), (0.3, 0.85), (0.1, 0.9)):
            for which, criterion in enumerate(tuned_criteria()):
                name = f"{n} rows, {share:g} positive, AUC {area:g}, tuned for {criterion.name}"
                yield "thresholds", name, partial(one_of_thresholds, n, share, area, which), 0.5


def measured(index: int, samples: int, seed: int = 0) -> dict[str, Any]:
    """One design: coverage, misses on either side, width beside the plain one, and root mean squared errors."""
    family, name, one, part = list(designs())[index]
    runs = max(int(samples * part), 20)
    found = [one(seed + i) for i in range(runs)]
    plain = np.mean([sum(f["plain"][1:]) for f in found])
    out: dict[str, Any] = {"family": family, "design": name, "samples": runs}
    for method in found[0]:
        off, above, below = (np.array([f[method][i] for f in found]) for i in range(3))
        out[method] = {
            "covers": round(float(((above >= 0) & (below >= 0)).mean()), 4),
            "too low a truth": round(float((above < 0).mean()), 4),
            "width": round(float(np.mean(above + below) / plain), 3),
            "bias": round(float(-off.mean()), 4),
            "error": round(float(np.sqrt((off * off).mean())), 4),
        }
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=3000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", choices=["models", "pairs", "slices", "thresholds"])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="chosen.jsonl")
    asked = parser.parse_args()
    wanted = [i for i, d in enumerate(designs()) if asked.only in (None, d[0])]
    with ProcessPoolExecutor(asked.jobs) as pool, open(asked.out, "w", encoding="utf-8") as out:
        for done in pool.map(partial(measured, samples=asked.samples, seed=asked.seed), wanted):
            out.write(json.dumps(done, ensure_ascii=False) + "\n")
            out.flush()
            told = " ".join(
                f"{m} {v['covers']:.3f} {v['width']:.2f} {v['error']:.4f}"
                for m, v in done.items()
                if isinstance(v, dict)
            )
            sys.stdout.write(f"{done['design']}: {told}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
