"""A ranking as a result: its words, its groups, its way through JSON."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pytest

from trueerror.inference._many import groups_not_told_apart
from trueerror.inference.ranking._rank_tests import bonferroni_dunn, nemenyi, shaffer
from trueerror.inputs._options import InputError
from trueerror.results import load

RNG = np.random.default_rng(8)
APART = {"good": RNG.random(30) + 2, "fair": RNG.random(30) + 1.6, "poor": RNG.random(30), "worst": RNG.random(30) - 1}
LEVEL = {name: RNG.random(20) for name in "abc"}


def test_order_best_and_ranks() -> None:
    r = nemenyi(APART)
    assert r.order == ("good", "fair", "poor", "worst")
    assert r.best == "good"
    assert list(r.ranks.values()) == sorted(r.mean_ranks)
    assert r.ranks["worst"] == 4


def test_pairs_by_name_in_either_order() -> None:
    r = nemenyi(APART)
    ab, ba = r["good", "poor"], r["poor", "good"]
    assert ab.estimate == -ba.estimate < 0
    assert (ab.low, ab.high, ab.statistic) == (-ba.high, -ba.low, -ba.statistic)
    assert ab.p_adjusted == ba.p_adjusted
    with pytest.raises(InputError, match="did you mean 'good'"):
        r["goood", "poor"]
    with pytest.raises(InputError, match="compared with 'good' alone"):
        bonferroni_dunn(APART, control="good")["fair", "poor"]


def test_outcomes_add_up_to_the_data_sets() -> None:
    r = shaffer({"x": [1, 2, 3, 4], "y": [1, 1, 4, 2], "z": [0, 0, 0, 0]})
    assert r.outcomes == ((2, 1, 1), (4, 0, 0), (4, 0, 0))
    assert [(rec["wins"], rec["ties"], rec["losses"]) for rec in r.records()] == list(r.outcomes)


def test_groups_follow_the_critical_difference() -> None:
    r = nemenyi(APART)
    assert r.critical_difference is not None
    for a, b in combinations(r.names, 2):
        wide = abs(r.ranks[a] - r.ranks[b]) >= r.critical_difference
        assert r.told_apart(a, b) == wide
        assert any({a, b} <= set(g) for g in r.groups) == (not wide)


def test_words_never_say_equal() -> None:
    for r in (nemenyi(APART), nemenyi(LEVEL), shaffer(LEVEL), bonferroni_dunn(APART, control="fair")):
        text = str(r).lower()
        assert "equal" not in text
        assert "same" not in text
        assert "p = 0.000" not in text
        assert max(len(line) for line in text.splitlines()) <= 80
    assert nemenyi(LEVEL).verdict.startswith("No clear winner: ")
    assert "too close to call" in nemenyi(LEVEL).verdict


def test_verdicts() -> None:
    clear = {"a": np.arange(30) + 2.0, "b": np.arange(30) + 1.0, "c": np.arange(30) + 0.0}
    assert nemenyi(clear).verdict == "b and c rank behind a."
    assert nemenyi({k: v[:6] for k, v in clear.items()}).verdict == (
        "No clear winner: a and b are too close to call. c ranks behind a."
    )
    assert bonferroni_dunn(clear, control="b").verdict == "c ranks behind b. a ranks ahead of b."
    many = {f"m{i}": RNG.random(5) for i in range(12)}
    assert "and 7 more" in nemenyi(many).verdict


def test_omnibus_without_pairs_says_not_which() -> None:
    # Demšar's rounded areas: the omnibus test sees a difference, Nemenyi no pair.
    rows = [[0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.59, 0.569], [0.954, 0.971, 0.968, 0.967],
            [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
            [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
            [1, 1, 1, 1], [0.94, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
            [0.972, 0.981, 0.975, 0.975], [0.957, 0.978, 0.946, 0.97]]  # fmt: skip
    assert "some differ, but not which" in str(nemenyi(rows))
    assert "no evidence of a difference" in str(nemenyi(LEVEL))


@pytest.mark.parametrize("made", [nemenyi(APART), shaffer(LEVEL), bonferroni_dunn(APART, control="poor")])
def test_json_pickle_and_frames(made) -> None:
    assert load(made.to_json()) == made
    assert pickle.loads(pickle.dumps(made)) == made
    assert len(made.frame()) == len(made.pairs)
    assert "mean rank" in made.to_markdown()
    assert made.to_latex().startswith("\\begin{tabular}")
    assert "Method:" in made.explain()
    assert made.to_json().count('"type": "Contrast"') == len(made.pairs)


def brute_groups(order, apart) -> set[frozenset[str]]:
    sets = [
        frozenset(s)
        for size in range(1, len(order) + 1)
        for s in combinations(order, size)
        if not any(frozenset(pair) in apart for pair in combinations(s, 2))
    ]
    return {s for s in sets if not any(s < t for t in sets)}


@pytest.mark.parametrize("seed", range(20))
def test_groups_by_enumeration(seed) -> None:
    rng = np.random.default_rng(seed)
    order = list("abcdefg")
    apart = {frozenset(pair) for pair in combinations(order, 2) if rng.random() < 0.5}
    groups = groups_not_told_apart(order, apart)
    assert {frozenset(g) for g in groups} == brute_groups(order, apart)
    assert len(set(groups)) == len(groups)
    assert all(list(g) == sorted(g) for g in groups)
