"""Pairs of learners over few data sets: level and power of the joint permutation beside Holm's and Nemenyi's.

    PYTHONPATH=src python -m validation.rankings --samples 1000 --jobs 16

Each line: a design, and of each method how often equal learners are called different, and how many differences of
those that are true it finds on average.
"""

from __future__ import annotations

import argparse
from itertools import combinations, product
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from trueerror.inference._many import adjust
from trueerror.inference.ranking._rank_tests import PAIR_TESTS, judged_together, nemenyi, score_matrix
from trueerror.verbs._rank import rank

EFFECTS = {"equal": (0.0,) * 5, "one better": (0.0, 0.0, 0.0, 0.0, 2.0), "steps": (0.0, 0.0, 0.7, 1.4, 2.1)}
NOISE = ("normal", "skewed", "unequal data sets", "unequal learners", "heavy tails")


def scores(rng: np.random.Generator, noise: str, sets: int, effects: tuple[float, ...]) -> Any:
    """Scores of learners (columns) on data sets, whose difficulty differs."""
    k = len(effects)
    drawn = {
        "normal": lambda: rng.normal(size=(sets, k)),
        "skewed": lambda: rng.exponential(size=(sets, k)),
        "unequal data sets": lambda: rng.normal(size=(sets, k)) * rng.lognormal(0, 0.7, size=(sets, 1)),
        "unequal learners": lambda: rng.normal(size=(sets, k)) * np.linspace(0.5, 2, k),
        "heavy tails": lambda: rng.standard_t(3, size=(sets, k)),
    }[noise]()
    return drawn + np.array(effects) + 3 * rng.normal(size=(sets, 1))


def cell(noise: str, sets: int, name: str, samples: int) -> str:
    """One design."""
    effects, rng = EFFECTS[name], np.random.default_rng([sets, NOISE.index(noise), len(name)])
    true = np.array([effects[a] != effects[b] for a, b in combinations(range(5), 2)])
    found: dict[str, list[tuple[bool, int]]] = {"joint": [], "holm": [], "nemenyi": []}
    for _ in range(samples):
        m = score_matrix(scores(rng, noise, sets, effects))
        pairs = rank(m.values).pairs
        p = {
            "joint": judged_together(m, PAIR_TESTS["wilcoxon"], pairs),
            "holm": adjust([c.p_value for c in pairs]),
            "nemenyi": np.array([c.p_adjusted for c in nemenyi(m).pairs]),
        }
        for method, values in p.items():
            rejected = values <= 0.05
            found[method].append((bool((rejected & ~true).any()), int((rejected & true).sum())))
    figures = " | ".join(f"{np.mean([a for a, _ in x]):.3f}, {np.mean([b for _, b in x]):.2f}" for x in found.values())
    return f"| {sets} | {noise} | {name} | {figures} |"


def main() -> None:
    """All designs, or those asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sets", type=int, nargs="*", default=[6, 8, 12, 20])
    asked = parser.parse_args()
    print("| data sets | noise | effects | joint | Wilcoxon, Holm | Nemenyi |\n|---|---|---|---|---|---|")
    designs = product(NOISE, asked.sets, EFFECTS)
    for line in Parallel(n_jobs=asked.jobs)(delayed(cell)(n, s, e, asked.samples) for n, s, e in designs):
        print(line, flush=True)


if __name__ == "__main__":
    main()
