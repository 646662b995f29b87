"""A model that was certain and wrong has an infinite log loss: that is said, and nothing else is made of it."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.inference._estimate import Estimate, ends_of
from trueerror.inference._variance import ScoreSample
from trueerror.inference.loss._mean import infinite_rows, mean_of_rows, mean_of_table, mean_over_units
from trueerror.metrics._registry import find_measure
from trueerror.tallies import Moments

N = 400
RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 2, N)


def scored(noise: float, wrong: int = 0) -> np.ndarray:
    """Probabilities, certain and wrong on so many rows."""
    found = np.clip(TRUTH * 0.4 + 0.3 + RNG.normal(0, noise, N), 0.01, 0.99)
    found[np.flatnonzero(TRUTH == 1)[:wrong]] = 0.0
    return found


ALPHA, BETA, GAMMA, DELTA = scored(0.15), scored(0.25), scored(0.15, 3), scored(0.15, 1)
SPOILT = re.compile(r"\bnan\b|\binf\b|undefined|−infinite|no spread", re.IGNORECASE)
CLUSTERS = [None, np.arange(N) // 4]


def compared(clusters: Any = None, **models: np.ndarray) -> te.Comparison:
    return te.compare(TRUTH, scores=models, metric="log_loss", clusters=clusters)


@pytest.mark.parametrize("clusters", CLUSTERS)
def test_two_models_one_of_them_infinite(clusters: Any) -> None:
    cmp = compared(clusters, alpha=ALPHA, gamma=GAMMA)
    assert cmp.verdict.startswith("alpha is ahead, ")
    assert "gamma was certain and wrong on 3 rows (it gave probability 0 to what happened)" in cmp.verdict
    assert "no interval and no p-value" in cmp.verdict
    assert "Brier score" in cmp.verdict
    assert '"clip"' in cmp.verdict
    assert not SPOILT.search(cmp.verdict)
    c = cmp["gamma", "alpha"]
    assert c.estimate == math.inf
    assert math.isnan(c.p_value)
    assert math.isnan(c.low)
    assert c.p_better is None


@pytest.mark.parametrize("clusters", CLUSTERS)
def test_others_are_judged_among_themselves(clusters: Any) -> None:
    cmp = compared(clusters, alpha=ALPHA, beta=BETA, gamma=GAMMA)
    alone = compared(clusters, alpha=ALPHA, beta=BETA)
    assert cmp.verdict.startswith(alone.verdict)
    assert "That compares alpha with beta; gamma was certain and wrong on 3 rows" in cmp.verdict
    assert "difference from gamma" not in str(cmp)
    assert cmp.tiers == (*alone.tiers, ("gamma",))
    assert not SPOILT.search(cmp.verdict)


@pytest.mark.parametrize("clusters", CLUSTERS)
def test_all_infinite(clusters: Any) -> None:
    for models in ({"gamma": GAMMA, "delta": DELTA}, {"gamma": GAMMA, "delta": DELTA, "other": GAMMA.copy()}):
        cmp = compared(clusters, **models)
        assert cmp.verdict.startswith("No comparison by log loss: gamma was certain and wrong on 3 rows")
        assert "delta on 1" in cmp.verdict
        assert not SPOILT.search(cmp.verdict)


def test_a_reference() -> None:
    models = {"alpha": ALPHA, "beta": BETA, "gamma": GAMMA}
    against = {r: te.compare(TRUTH, scores=models, metric="log_loss", reference=r).verdict for r in ("alpha", "gamma")}
    assert "gamma was certain and wrong on 3 rows" in against["alpha"]
    assert against["gamma"].startswith("No comparison with gamma: gamma was certain")
    assert not any(SPOILT.search(words) for words in against.values())


def test_a_clip_makes_it_finite() -> None:
    models = {"alpha": ALPHA, "gamma": GAMMA}
    cmp = te.compare(TRUTH, scores=models, metric="log_loss", options={"clip": 1e-15})
    assert math.isfinite(cmp.pairs[0].estimate)
    assert "certain" not in cmp.verdict


def test_different_rows() -> None:
    p = {m: te.predictions(TRUTH, scores={m: s}) for m, s in (("alpha", ALPHA), ("gamma", GAMMA), ("delta", DELTA))}
    cmp = te.compare(p["alpha"], p["gamma"], metric="log_loss", paired=False)
    assert cmp.verdict.startswith("alpha is ahead, ")
    assert math.isnan(cmp.pairs[0].p_value)
    both = te.compare(p["delta"], p["gamma"], metric="log_loss", paired=False)
    assert both.verdict.startswith("No comparison by log loss")


def test_the_gate_cannot_tell_and_says_why() -> None:
    p = te.predictions(TRUTH, scores={"alpha": ALPHA, "gamma": GAMMA})
    for candidate, baseline in (("alpha", "gamma"), ("gamma", "alpha")):
        made = te.gate(p, baseline, model=candidate, metric="log_loss", at_least=0.5)
        assert made["log_loss"].decision == "cannot tell"
        assert "log loss cannot be judged: gamma was certain and wrong on 3 rows" in made.verdict
        assert not SPOILT.search(made.verdict)


def test_rows_are_counted_wherever_they_are(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = zip(TRUTH, ALPHA, GAMMA, strict=True)
    path.write_text("y,alpha,gamma\n" + "".join(f"{y},{a},{g}\n" for y, a, g in rows))
    p = te.read(path, truth="y", models={m: {"score": m} for m in ("alpha", "gamma")})
    assert [infinite_rows(p, m, find_measure("log_loss"), {}) for m in p.models] == [0, 3]
    assert "gamma was certain and wrong on 3 rows" in te.compare(p, metric="log_loss").verdict
    weighted = te.predictions(TRUTH, scores={"gamma": GAMMA}, weights=np.full(N, 2), weights_kind="frequency")
    assert infinite_rows(weighted, "gamma", find_measure("log_loss"), {}) == 6


def test_a_loaded_comparison_says_the_same(tmp_path: Path) -> None:
    cmp = compared(alpha=ALPHA, beta=BETA, gamma=GAMMA)
    path = tmp_path / "cmp.json"
    path.write_text(cmp.to_json())
    assert te.load(path).verdict == cmp.verdict


def test_one_giant_cluster_has_limits():
    keys = np.repeat(np.arange(6), [500, 2, 2, 2, 2, 2])
    rng = np.random.default_rng(2)
    p = rng.uniform(0.1, 0.9, 510)
    found = te.evaluate((rng.random(510) < p).astype(int), scores=p, positive=1, clusters=keys, metrics=["brier"])
    assert 0 <= found["brier"].low < found["brier"].estimate < found["brier"].high <= 1


def ends(**options: Any) -> tuple[float, float]:
    """The limits of the Brier score of 60 rows."""
    truth, chance = TRUTH[:60], ALPHA[:60]
    found = te.evaluate(truth, scores=chance, positive=1, metrics=["brier"], **options)["brier"]
    return found.low, found.high


def test_clusters_of_one_row_and_equal_weights_are_rows() -> None:
    rows = ends()
    assert ends(clusters=np.arange(60)) == pytest.approx(rows, abs=1e-6)
    assert ends(weights=np.full(60, 3.5), weights_kind="sampling") == pytest.approx(rows, abs=1e-6)


def test_the_standard_error_is_that_of_the_textbook() -> None:
    losses = (TRUTH - ALPHA) ** 2
    of_rows = mean_of_rows(Moments.of(losses), (0, 1)).spread
    assert float(of_rows.error) == pytest.approx(losses.std(ddof=1) / math.sqrt(N), rel=1e-10)
    sizes = np.random.default_rng(2).integers(1, 9, 40)
    keys = np.repeat(np.arange(40), sizes)
    x = losses[: len(keys)]
    sums = np.bincount(keys, weights=x)
    # The jackknife of a ratio, centred: (G − 1)/G·Σ(θ₋g − mean)².
    without = (x.sum() - sums) / (len(x) - sizes)
    centred = 39 / 40 * ((without - without.mean()) ** 2).sum()
    own = mean_over_units(sums, sizes.astype(float), (0, 1)).spread
    assert float(own.error) ** 2 == pytest.approx(centred, rel=1e-10)


def test_classes_are_strata_where_a_class_mix_is_asked_for() -> None:
    table = te.predictions(TRUTH, scores={"a": ALPHA}, positive=1).scores("a")
    measure = find_measure("brier")
    e = mean_of_table(measure, ScoreSample(table=table, estimate=0.0, share=0.2), {}, (0, 1))
    losses = (TRUTH - ALPHA) ** 2
    expected = sum(
        s * s * losses[k == TRUTH].var(ddof=1) / (k == TRUTH).sum() for k, s in ((1, 0.2), (0, 0.8))
    )  # fmt: skip
    assert float(e.spread.error) ** 2 == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("shape", ["few", "many", "skewed"])
def test_three_values_say_what_all_units_do(shape: str) -> None:
    rng = np.random.default_rng(3)
    x = {"few": rng.random(5), "many": rng.random(500), "skewed": rng.gamma(0.2, 1.0, 200)}[shape]
    whole = Estimate(value=np.array(x.mean()), units=(x - x.mean()) / len(x), range=(0, math.inf))
    for tail in (0.1, 0.025, 0.001):
        own = ends_of(mean_of_rows(Moments.of(x), (0, math.inf)), tail)
        assert [float(v) for v in own] == pytest.approx([float(v) for v in ends_of(whole, tail)], rel=1e-6)
