"""Two and many models on the same rows."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

import trueerror as te
from benchmarks.measuring import Row, best_of, peak_beyond, row, side_by_side, skipped
from trueerror.inference._many import adjust
from trueerror.inference.auc._tests import delong


def case_delong(quick: bool) -> Row:
    n = 100_000 if quick else 1_000_000
    name = f"paired DeLong, {n:,} rows"
    if find_spec("MLstatkit") is None:
        return skipped(name, "MLstatkit")
    from MLstatkit import Delong_test

    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    first, second = (truth * shift + rng.standard_normal(n) for shift in (1.0, 0.99))
    memory = peak_beyond(lambda: delong(truth, first, second))
    ours_s, peer_s, _, (z, p) = side_by_side(
        lambda: delong(truth, first, second),
        lambda: Delong_test(truth, first, second, return_ci=False, return_auc=False),
        rounds=2,
    )
    same = delong(truth, first, second, reference="z")
    agree = bool(np.isclose(-same.statistic, z, rtol=1e-7) and np.isclose(same.p_value, p, rtol=1e-6))
    return row(name, ours_s=ours_s, peer="MLstatkit", peer_s=peer_s, faster=30, memory_mb=memory, agree=agree)


def case_fifty_models(quick: bool) -> Row:
    """1,225 McNemar tests with Tango intervals, Holm, tiers, verdict and findings."""
    from statsmodels.stats.contingency_tables import mcnemar

    n, models = 100_000, 20 if quick else 50
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    calls = {f"m{i:02d}": np.where(rng.random(n) < 0.9 + 0.0004 * i, truth, 1 - truth) for i in range(models)}
    memory = peak_beyond(lambda: te.compare(truth, calls))
    seconds, found = best_of(lambda: te.compare(truth, calls), 3)
    shown = found.pairs[:: max(1, len(found.pairs) // 20)]
    agree = bool(
        np.allclose(
            [c.p_adjusted for c in found.pairs], adjust([c.p_value for c in found.pairs], "holm"), rtol=1e-12, atol=0
        )
    )
    for c in shown:
        b, d = (
            int(((calls[x] == truth) & (calls[y] != truth)).sum())
            for x, y in ((c.first, c.second), (c.second, c.first))
        )
        theirs = mcnemar([[0, b], [d, 0]], exact=True).pvalue
        agree &= abs(c.p_value - theirs) <= 0.02 and np.isclose(c.estimate, (b - d) / n, rtol=1e-12)
    return row(
        f"all {len(found.pairs):,} pairs of {models} models, 100,000 rows (McNemar, Tango, Holm)", ours_s=seconds,
        seconds=2, memory_mb=memory, agree=bool(agree),
    )  # fmt: skip
