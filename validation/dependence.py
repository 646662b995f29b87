"""Rows that depend on each other: errors in runs of time, and rows that belong to a user and to an item at once.

    PYTHONPATH=src python -m validation.dependence --samples 3000 --jobs 16

Needs NumPy and SciPy alone. Each line is one design: coverage of 95 % limits and their width over 3.92 times the true
standard deviation, for the naive limits, for this library's and for the best published rivals; the level of a test of
two equal models; and how often errors in runs are noticed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import fft, signal, special, stats

from trueerror.inference._dependence import runs_of
from trueerror.inference._estimate import Estimate, ends_of, p_of
from trueerror.inference._joined import joined_worst
from trueerror.inference._label_tables import label_estimate
from trueerror.inference._variance import Sample
from trueerror.inference.loss._mean import mean_over_units
from trueerror.metrics._registry import find_measure
from trueerror.tallies import KeyedConfusion


class Key(NamedTuple):
    """Whether the clusters of a key stand in order of time, and how many there are."""

    timed: bool
    groups: int = 0


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Pair = tuple[float, float]

# What comes in runs, and how many rows there are; fixed before a method was chosen.
KINDS = ("independent", "ar .3", "ar .5", "ar .7", "ar .9", "ar .95", "season of 25", "four seasons", "drift")
ROWS = (200, 500, 2_000, 5_000)
# (users, items), and the share of all pairs that are rows.
CROSSED = (
    (5, 5, 1.0), (5, 50, 1.0), (10, 10, 1.0), (20, 20, 1.0), (40, 20, 1.0), (10, 200, 1.0), (50, 50, 1.0),
    (200, 20, 0.3), (200, 200, 0.05), (50, 50, 0.2), (20, 200, 0.1),
)  # fmt: skip
# Standard deviations of what users, and items, have in common, on the logistic scale.
EFFECTS = ((1.0, 1.0), (1.0, 0.0), (0.0, 0.0), (0.5, 1.5))


# Errors in order of time.


def ar(rng: np.random.Generator, phi: float, n: int) -> Floats:
    """A stationary series of neighbours' correlation φ."""
    shocks = rng.standard_normal(n) * np.sqrt(1 - phi * phi)
    shocks[0] /= np.sqrt(1 - phi * phi)
    return np.asarray(signal.lfilter([1], [1, -phi], shocks))


def wrong(rng: np.random.Generator, kind: str, n: int, rate: float, *, models: int = 1) -> NDArray[np.bool_]:
    """Which rows each of some equally good models has wrong (models, n); half of what drives them they share."""
    t = np.arange(n)
    if kind.startswith("ar"):
        phi = float(kind[3:])
        common = ar(rng, phi, n)
        own = [ar(rng, phi, n) for _ in range(models)]
        latent = np.array([common if models == 1 else (common + x) / np.sqrt(2) for x in own])
        return np.asarray(special.ndtr(latent) < rate)
    chance = {
        "independent": np.full(n, rate),
        "season of 25": rate * (1 + 0.8 * np.sin(2 * np.pi * (t / 25 + rng.random()))),
        "four seasons": rate * (1 + 0.8 * np.sin(8 * np.pi * (t + 0.5) / n)),
        "drift": rate * (0.5 + (t + 0.5) / n),
    }[kind]
    return np.asarray(rng.random((models, n)) < chance)


def accuracy_of(truth: Ints, right: NDArray[np.bool_], keys: Ints) -> Estimate:
    """The accuracy over clusters, as the library has it."""
    measure = find_measure("accuracy")
    called, names = np.where(right, truth, 1 - truth), tuple(range(int(keys.max()) + 1))
    keyed = KeyedConfusion.from_codes(keys, names, truth, called, (0, 1))
    return label_estimate(measure, Sample.of(measure, keyed.table, clusters=keyed), {}, (0.0, 1.0))


def wilson(p: float, error: float, q: float) -> Pair:
    n = p * (1 - p) / error**2
    middle, reach = p + q * q / 2 / n, q * np.sqrt(p * (1 - p) / n + (q / n / 2) ** 2)
    return (middle - reach) / (1 + q * q / n), (middle + reach) / (1 + q * q / n)


def newey_west(x: Floats, lags: int) -> float:
    """The standard error of the mean with Bartlett's weights."""
    n, apart = len(x), x - x.mean()
    total = float(apart @ apart)
    for k in range(1, min(lags, n - 1) + 1):
        total += 2 * (1 - k / (lags + 1)) * float(apart[k:] @ apart[:-k])
    return float(np.sqrt(total)) / n


def andrews(x: Floats) -> tuple[float, float]:
    """Newey and West 1987 with the bandwidth of Andrews 1991, normal."""
    n, apart = len(x), x - x.mean()
    rho = np.clip(float(apart[1:] @ apart[:-1] / (apart @ apart)), -0.97, 0.97)
    lags = int(1.1447 * (4 * rho**2 / (1 - rho**2) ** 2 * n) ** (1 / 3))
    return newey_west(x, lags), 1.959964


def fixed_b(x: Floats) -> tuple[float, float]:
    """Newey and West with 1.3·√n lags and the critical value of Kiefer and Vogelsang 2005."""
    lags = int(1.3 * np.sqrt(len(x)))
    b = lags / len(x)
    return newey_west(x, lags), 1.9600 + 2.9694 * b + 0.4160 * b * b - 0.5324 * b**3


def cosines(x: Floats) -> tuple[float, float]:
    """Lazarus, Lewis, Stock and Watson 2018: 0.4·n^⅔ cosines, t."""
    n = len(x)
    waves = int(0.4 * n ** (2 / 3))
    squares = fft.dct(x - x.mean(), norm="ortho")[1 : waves + 1] ** 2
    return float(np.sqrt(squares.mean() / n)), float(stats.t.ppf(0.975, waves))


RIVALS: dict[str, Callable[[Floats], tuple[float, float]]] = {
    "NW-Andrews": andrews, "NW-fixed-b": fixed_b, "cosines": cosines,
}  # fmt: skip


def one_in_time(rng: np.random.Generator, kind: str, n: int, rate: float) -> dict[str, Any]:
    """One sample: limits of the accuracy by each method, and p-values."""
    truth, rows = (rng.random(n) < 0.4).astype(np.int64), np.arange(n)
    right = ~wrong(rng, kind, n, rate)[0]
    if right.all() or not right.any():
        return {}
    made, share = accuracy_of(truth, right, rows), float(right.mean())
    found: dict[str, Any] = {"estimate": share}
    found["naive"] = wilson(share, np.sqrt(share * (1 - share) / n), 1.959964)
    found["ours"] = tuple(float(x) for x in ends_of(joined_worst([made], [Key(True, n)]), 0.025))
    for name, rival in RIVALS.items():
        error, q = rival(right.astype(float))
        found[name] = wilson(share, error, q) if error > 0 else (np.nan, np.nan)
    found["noticed"] = runs_of(~right * 1.0, truth)[0] < 0.001
    one, two = ~wrong(rng, kind, n, rate, models=2)
    apart = one * 1.0 - two
    each = mean_over_units(apart, np.ones(n), (-1.0, 1.0))
    if apart.std() > 0:
        found["p naive"], found["p ours"] = float(p_of(each)), float(p_of(joined_worst([each], [Key(True, n)])))
        error, q = cosines(apart)
        found["p cosines"] = 0.0 if abs(apart.mean()) > q * error else 1.0
    return found


# Rows that belong to a user and to an item.


def one_crossed(
    rng: np.random.Generator, users: int, items: int, share: float, effects: Pair, rate: float
) -> dict[str, Any]:
    """One sample of rows of users × items whose own ease is drawn anew."""
    user, item = (x.ravel() for x in np.meshgrid(np.arange(users), np.arange(items), indexing="ij"))
    if share < 1:  # some users, and items, have more rows than others
        weight = rng.gamma(2, size=users)[user] * rng.gamma(2, size=items)[item]
        kept = np.sort(rng.choice(len(user), round(share * len(user)), replace=False, p=weight / weight.sum()))
        user, item = (np.unique(x[kept], return_inverse=True)[1] for x in (user, item))
    # So that the rate over all users and items is right: the logit is stretched by what it varies (Zeger 1988).
    stretch = np.sqrt(1 + (16 * np.sqrt(3) / 15 / np.pi) ** 2 * (effects[0] ** 2 + effects[1] ** 2))
    ease = effects[0] * rng.standard_normal(users)[user] + effects[1] * rng.standard_normal(items)[item]

    def answers() -> NDArray[np.bool_]:
        return np.asarray(rng.random(len(user)) < special.expit(stretch * special.logit(rate) + ease))

    truth, right = (rng.random(len(user)) < 0.4).astype(np.int64), answers()
    if right.all() or not right.any():
        return {}
    both = np.unique(user * items + item, return_inverse=True)[1]
    keys = [np.asarray(k, dtype=np.int64) for k in (user, item, both)]
    made = [accuracy_of(truth, right, k) for k in keys]
    share_right = float(right.mean())
    found: dict[str, Any] = {"estimate": share_right}
    found["naive"] = wilson(share_right, np.sqrt(share_right * (1 - share_right) / len(user)), 1.959964)
    found["users alone"] = tuple(float(x) for x in ends_of(made[0], 0.025))
    found["ours"] = tuple(float(x) for x in ends_of(joined_worst(made, [Key(False)] * 3), 0.025))
    error, q = as_sandwich(right.astype(float), keys)
    found["CGM"] = wilson(share_right, error, q) if error > 0 else (np.nan, np.nan)
    # Two models that find other users, and other items, hard.
    apart = right * 1.0 - np.asarray(
        rng.random(len(user))
        < special.expit(
            stretch * special.logit(rate)
            + effects[0] * rng.standard_normal(users)[user]
            + effects[1] * rng.standard_normal(items)[item]
        )
    )
    each = [mean_over_units(np.bincount(k, apart), np.bincount(k).astype(float), (-1.0, 1.0)) for k in keys]
    if apart.std() > 0:
        found["p users"], found["p ours"] = (
            float(p_of(each[0])),
            float(p_of(joined_worst(each, [Key(False)] * 3))),
        )
        error, q = as_sandwich(apart, keys)
        found["p CGM"] = 0.0 if abs(apart.mean()) > q * error else 1.0
    return found


def as_sandwich(x: Floats, keys: list[Ints]) -> tuple[float, float]:
    """Cameron, Gelbach and Miller as R's sandwich::vcovCL has it (each with G/(G − 1)); t of the fewer less 1."""
    n, apart, parts = len(x), x - x.mean(), []
    for k in keys:
        sums = np.bincount(k, apart)
        groups = len(sums)
        parts.append(groups / (groups - 1) * float(sums @ sums) / n**2)
    variance = parts[0] + parts[1] - parts[2]
    fewest = min(int(k.max()) + 1 for k in keys[:2])
    return float(np.sqrt(max(variance, 0.0))), float(stats.t.ppf(0.975, fewest - 1))


# Running.


def accuracy_by_design(effects: Pair, rate: float) -> float:
    """The share that is right over all users and items: an integral over their ease."""
    sd = np.hypot(*effects)
    stretch = np.sqrt(1 + (16 * np.sqrt(3) / 15 / np.pi) ** 2 * sd**2)
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    return float(weights @ special.expit(stretch * special.logit(rate) + sd * nodes) / weights.sum())


def piece(
    draw: Callable[[np.random.Generator], dict[str, Any]], truth: float, samples: int, seed: tuple[int, ...]
) -> list[dict[str, Any]]:
    """Some samples of a design, each with its limits turned into whether they hold the truth, and how wide they are."""
    rng, out = np.random.default_rng(seed), []
    for _ in range(samples):
        sample = draw(rng)
        for name, value in list(sample.items()):
            if isinstance(value, tuple):
                sample[name] = (value[0] <= truth <= value[1], value[1] - value[0])
        out.append(sample)
    return out


def line(title: str, samples: list[dict[str, Any]]) -> str:
    """One line: coverage and width of each method, levels, and how often runs were noticed."""
    seen = [s for s in samples if s]
    sd = float(np.std([s["estimate"] for s in seen]))
    words = [f"{title:40s} {len(seen):6d}"]
    for name in [k for k, v in seen[0].items() if isinstance(v, tuple)]:
        held, width = (np.array([s[name][i] for s in seen], dtype=float) for i in (0, 1))
        words.append(f"{name} {np.nanmean(held):.3f} ({np.nanmean(width) / (3.92 * sd):.2f})")
    for name in ("p naive", "p users", "p ours", "p CGM", "p cosines"):
        values = np.array([s[name] for s in seen if name in s])
        if len(values):
            words.append(f"{name} {np.nanmean(values < 0.05):.3f}")
    if "noticed" in seen[0]:
        words.append(f"noticed {np.mean([s['noticed'] for s in seen]):.4f}")
    return "  ".join(words)


def designs() -> dict[str, tuple[Callable[[np.random.Generator], dict[str, Any]], float]]:
    """Each design: how to draw a sample, and the accuracy that it estimates."""
    found: dict[str, tuple[Callable[[np.random.Generator], dict[str, Any]], float]] = {}
    for rate, n, kind in product((0.2, 0.05), ROWS, KINDS):
        if rate == 0.2 or kind in ("independent", "ar .5", "ar .9"):
            found[f"time: {kind}, {n:,} rows, error {rate:g}"] = (
                partial(one_in_time, kind=kind, n=n, rate=rate),
                1 - rate,
            )
    for (users, items, share), effects in product(CROSSED, EFFECTS):
        title = f"keys: {users} × {items}, {share:.0%} filled, sd {effects[0]:g} and {effects[1]:g}"
        draw = partial(one_crossed, users=users, items=items, share=share, effects=effects, rate=0.8)
        found[title] = draw, accuracy_by_design(effects, 0.8)
    return found


def main() -> None:
    """Print a line for each design."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="", help="designs whose title contains this")
    asked = parser.parse_args()
    step = max(1, -(-asked.samples // (4 * asked.jobs)))
    with ProcessPoolExecutor(asked.jobs) as pool:
        for number, (title, (draw, truth)) in enumerate(designs().items()):
            if asked.only not in title:
                continue
            starts = range(0, asked.samples, step)
            made = [pool.submit(piece, draw, truth, min(step, asked.samples - s), (number, s)) for s in starts]
            print(line(title, [sample for part in made for sample in part.result()]), flush=True)


if __name__ == "__main__":
    main()
