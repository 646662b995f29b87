"""TE4xx: each rule with a case that fires and cases that do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.findings import Evidence, every_rule, find
from trueerror.inference.power._plan import smallest_difference
from trueerror.inference.proportion._paired import mcnemar
from trueerror.tallies import Discordance


def fact(**facts: Any) -> Evidence:
    return Evidence(facts=facts)


def pair(d: Discordance, **more: Any) -> Evidence:
    """The facts of a comparison of accuracy."""
    found = mcnemar(d.only_first, d.only_second, both_right=d.both_right, both_wrong=d.both_wrong)
    forms = ("mid-p", "exact", "chi2")
    p_values = {form: mcnemar(d.only_first, d.only_second, method=form).p_value for form in forms}  # type: ignore[arg-type]
    facts: dict[str, Any] = {
        "p_value": found.p_value, "told_apart": found.p_value <= 0.05, "level": 0.05, "difference": found.estimate,
        "limits": (found.low, found.high), "discordance": d, "p_values": p_values, "comparisons": 1,
    }  # fmt: skip
    return Evidence(facts={**facts, **more})


CLEAR, OPEN, SMALL_N = Discordance(800, 90, 40, 70), Discordance(8000, 410, 400, 1190), Discordance(80, 9, 7, 14)
OVERLAPPING = ((0.87, 0.91), (0.82, 0.88))
APART = ((0.87, 0.91), (0.78, 0.82))
CASES: dict[str, tuple[Evidence, str, list[Evidence]]] = {
    "TE401": (
        pair(CLEAR, intervals=OVERLAPPING), "their intervals overlap, yet the test of the difference tells them apart",
        [pair(CLEAR, intervals=APART), pair(OPEN, intervals=OVERLAPPING),
         pair(CLEAR, intervals=OVERLAPPING, comparisons=45)],
    ),
    "TE402": (fact(paired=False, could_be_paired=True), "both samples hold the same rows",
              [fact(paired=True, could_be_paired=True), fact(paired=False, could_be_paired=False)]),
    "TE403": (fact(comparisons=10, adjusted=False), "10 comparisons at 5 % each, uncorrected: a false alarm somewhere "
              "has a chance of up to 40 %", [fact(comparisons=10, adjusted=True), fact(comparisons=1, adjusted=False)]),
    "TE404": (
        pair(Discordance(80_000, 4_500, 4_000, 11_500), margin=0.02),
        "real but smaller than matters: 0.5 points, with a margin of 2.0 points",
        [pair(CLEAR, margin=0.02), pair(OPEN, margin=0.02), pair(CLEAR)],
    ),
    "TE405": (pair(SMALL_N), "these rows would find a difference of",
              [pair(OPEN), pair(CLEAR), pair(CLEAR, margin=0.5)]),
    "TE406": (fact(identical=True, n=285), "the two call every row alike (285 rows)", [fact(identical=False, n=285)]),
    "TE407": (
        fact(n_models=12, best="forest", not_told_from_best=6),
        "forest is the best of 12 models, and 6 cannot be told apart from it",
        [fact(n_models=12, best="forest", not_told_from_best=2), fact(n_models=3, best="a", not_told_from_best=2)],
    ),
    "TE410": (
        pair(Discordance(810, 60, 40, 90)), "sound tests straddle 5 % here (.046 to .057): do not pick among them",
        [pair(CLEAR), pair(OPEN), pair(Discordance(810, 60, 40, 90), comparisons=3), fact(p_values={}, level=0.05)],
    ),
}  # fmt: skip


def test_every_rule_of_the_family_has_cases() -> None:
    assert set(CASES) == {code for code in every_rule() if code.startswith("TE4")}


@pytest.mark.parametrize("code", CASES)
def test_fires(code: str) -> None:
    evidence, words, _ = CASES[code]
    messages = [f.message for f in find([evidence]) if f.code == code]
    assert len(messages) == 1
    assert words in messages[0]


@pytest.mark.parametrize("code", CASES)
def test_stays_silent(code: str) -> None:
    for evidence in CASES[code][2]:
        assert code not in find([evidence])


@pytest.mark.parametrize(("b", "c"), [(0, 4), (6, 15), (8, 18), (10, 21), (29, 46), (33, 51)])
def test_TE410_wherever_tango_and_mid_p_disagree(b: int, c: int) -> None:
    # METHODS names these: Tango's interval excludes 0, mid-p does not reach 5 %, or the other way round.
    found = mcnemar(b, c, n=1000)
    assert (found.low > 0 or found.high < 0) != (found.p_value <= 0.05)
    assert "TE410" in find([pair(Discordance(500, b, c, 500 - b - c))])


def test_TE405_names_the_difference_that_planning_finds() -> None:
    d = Discordance(300, 60, 55, 85)
    message = next(f.message for f in find([pair(d)]) if f.code == "TE405")
    shown = float(message.split("difference of ")[1].split(" points")[0]) / 100
    planned = smallest_difference(n=d.n, baseline=0.8, disagreement=(d.only_first + d.only_second) / d.n)
    assert shown == pytest.approx(planned.difference, rel=0.06)


def test_TE405_waits_for_a_margin_on_other_scales() -> None:
    open_cost = fact(told_apart=False, limits=(-3.0, 4.0), level=0.05, difference=0.5, share=False)
    assert "TE405" not in find([open_cost])
    with_margin = fact(told_apart=False, limits=(-3.0, 4.0), level=0.05, difference=0.5, share=False, margin=1.0)
    assert "a difference of 5.00" in find([with_margin])[0].message


def test_TE404_when_the_interval_reaches_past_the_margin() -> None:
    assert "may be smaller than the margin of 6.0 points: 5.0 points here" in (
        next(f.message for f in find([pair(CLEAR, margin=0.06)]) if f.code == "TE404")
    )


def test_with_many_pairs_only_those_with_the_best_are_spoken_of() -> None:
    assert "TE405" not in find([pair(SMALL_N, comparisons=45)])
    assert "TE405" in find([pair(SMALL_N, comparisons=45, with_best=True)])


def test_TE405_is_said_once_and_not_of_one_model_read_twice() -> None:
    assert "TE405" not in find([pair(SMALL_N, closest=False)])
    assert "TE405" not in find([pair(SMALL_N, identical=True)])
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 40)
    calls = {name: np.where(rng.random(40) < 0.8, truth, 1 - truth) for name in "abc"}
    found = te.compare(truth, {**calls, "d": calls["a"]}).findings
    assert [f.code for f in found].count("TE405") == 1
    assert [f.code for f in found].count("TE406") == 1
