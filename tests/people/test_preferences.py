"""Bradley–Terry strengths: R's values, laws, models that won all or none, clusters, tables of battles."""

import csv
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.people._preferences import ELO, Battles, fit_strengths, robust_covariance

# 12 ordered pairs of four models: how often the first won, tied, lost.
COUNTS = {
    (0, 1): (14, 6, 7), (0, 2): (17, 5, 4), (0, 3): (19, 3, 2), (1, 0): (9, 5, 8), (1, 2): (11, 7, 6),
    (1, 3): (13, 4, 5), (2, 0): (6, 6, 12), (2, 1): (8, 5, 9), (2, 3): (10, 6, 7), (3, 0): (3, 4, 16),
    (3, 1): (5, 6, 10), (3, 2): (7, 5, 9),
}  # fmt: skip
ROWS = [(a, b, o) for (a, b), times in COUNTS.items() for o, n in enumerate(times) for _ in range(n)]
FIRST, SECOND, OUTCOME = (np.array(x) for x in zip(*ROWS, strict=True))
GROUPS = np.arange(len(ROWS)) * 7 % 40


def battles(*, ties=True, clusters=None):
    kept = np.ones(len(ROWS), dtype=bool) if ties else OUTCOME != 1
    groups = None if clusters is None else clusters[kept]
    return Battles(("a", "b", "c", "d"), FIRST[kept], SECOND[kept], OUTCOME[kept], groups)


# R: glm(win ~ X[, 2:4], binomial) on the decided battles, X the design of first − second, which is what BradleyTerry2's
# BTm(cbind(win, lose), first, second) fits with an effect of order; vcovCL(m, cluster, type = "HC0", cadjust = TRUE) of
# sandwich; Davidson's ties and Firth's penalty by optim on their likelihoods.
GLM = (-0.546414351349, -1.06070742628, -1.51894562861, 0.244023474029)
GLM_ERRORS = (0.253684323408, 0.259693551597, 0.273691312078, 0.151020726947)
CLUSTERED_ERRORS = (0.183867039402, 0.171064934448, 0.191875296356, 0.106174807207)
DAVIDSON = (-0.582056586813, -1.08408365135, -1.56818915107, 0.254841760202, -0.44647863122)
FIRTH = (-0.535657912699, -1.03932091186, -1.48770630156, 0.239106512256)


def test_strengths_and_their_errors_are_rs():
    fit = fit_strengths(battles(ties=False), position=True, ties=False, penalised=False)
    assert fit.parameters[1:5] == pytest.approx(GLM, abs=1e-8)
    assert np.sqrt(np.diag(fit.covariance))[1:5] == pytest.approx(GLM_ERRORS, abs=1e-8)


def test_clustered_errors_are_sandwichs():
    given_ = battles(ties=False, clusters=GROUPS)
    fit = fit_strengths(given_, position=True, ties=False, penalised=False)
    covariance, df = robust_covariance(given_, fit)
    assert np.sqrt(np.diag(covariance))[1:5] == pytest.approx(CLUSTERED_ERRORS, abs=1e-8)
    assert df == 39


def test_davidsons_ties_and_firths_penalty_are_rs():
    ties = fit_strengths(battles(), position=True, ties=True, penalised=False)
    assert ties.parameters[1:] == pytest.approx(DAVIDSON, abs=1e-6)
    firth = fit_strengths(battles(ties=False), position=True, ties=False, penalised=True)
    assert firth.parameters[1:5] == pytest.approx(FIRTH, abs=1e-6)


def test_two_models_are_the_odds():
    found = te.arena([("a", "b", "a")] * 30 + [("b", "a", "b")] * 10)
    assert found["a", "b"].estimate / ELO == pytest.approx(math.log(3))
    assert found.beats("a", "b").estimate == pytest.approx(0.75)
    assert found.beats("b", "a").high == pytest.approx(1 - found.beats("a", "b").low)


games = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 3), st.integers(0, 2)).map(lambda g: (g[0], (g[0] + g[1]) % 4, g[2])),
    min_size=4, max_size=40,
)  # fmt: skip


@settings(max_examples=10)
@given(games, st.booleans())
@example([(0, 1, 0)] * 3 + [(0, 2, 0)], True)
def test_limits_are_finite_and_names_do_not_matter(rows, position):
    words = ("model_a", "tie", "model_b")
    one = [("wxyz"[a], "wxyz"[b], words[o]) for a, b, o in rows]
    try:
        found = te.arena(one, position=position)
    except InputError as error:
        assert "never met" in str(error) or (position and "one order only" in str(error))  # noqa: PT017
        return
    for i in found.elo.values():
        assert -1e5 < i.low < i.estimate < i.high < 1e5
    renamed = te.arena([("zyxw"[a], "zyxw"[b], words[o]) for a, b, o in rows], position=position)
    swap = dict(zip("wxyz", "zyxw", strict=True))
    for m, i in found.elo.items():
        assert renamed.elo[swap[m]].estimate == pytest.approx(i.estimate, abs=1e-3)
    if not position:
        turned = te.arena([(b, a, words[2 - words.index(w)]) for a, b, w in one])
        for m, i in found.elo.items():
            assert turned.elo[m].estimate == pytest.approx(i.estimate, abs=1e-3)


def test_a_model_that_won_all_has_finite_limits_and_says_so():
    found = te.arena([("a", "b", "a")] * 12 + [("b", "c", "b")] * 6 + [("b", "c", "c")] * 5)
    assert found.method == "bradley-terry-firth"
    assert "a won all" in found.note
    pair = found["a", "b"]
    assert pair.low > 0
    assert pair.p_value < 0.01
    assert found.best == "a"
    assert "> 99" in found.verdict


def test_groups_that_never_met_are_named():
    with pytest.raises(InputError, match=r"2 groups of models that never met \(a and b; c and d\)"):
        te.arena([("a", "b", "a"), ("b", "a", "a"), ("c", "d", "c"), ("d", "c", "c")])


def test_clusters_widen_and_are_found_by_their_name():
    rng = np.random.default_rng(0)
    taste = rng.normal(size=40) * 2
    rows = [("a", "b", "a" if rng.random() < 1 / (1 + math.exp(-0.3 - t)) else "b", q) for q, t in enumerate(taste)
            for _ in range(8)]  # fmt: skip
    table = {name: [r[i] for r in rows] for i, name in enumerate(("model_a", "model_b", "winner", "prompt"))}
    together, alone = te.arena(table), te.arena(table, clusters=False)
    assert together.clusters == 40
    assert together["a", "b"].width > 1.4 * alone["a", "b"].width
    assert "clusters (prompt)" in together.reading


def test_the_place_is_taken_out():
    rng = np.random.default_rng(1)
    rows = [("x", "y", "x" if rng.random() < 0.7 else "y") for _ in range(300)]
    rows += [("y", "x", "y" if rng.random() < 0.7 else "x") for _ in range(100)]
    plain, corrected = te.arena(rows), te.arena(rows, position=True)
    assert deciding(plain) < 0.001 < deciding(corrected)
    assert corrected.position.low > 0.5
    assert "shown first is preferred" in str(corrected)


def deciding(found):
    return found["x", "y"].p_value


def test_long_wide_list_and_file_are_one(tmp_path):
    rows = [("a", "b", "a"), ("b", "c", "tie"), ("c", "a", "c"), ("a", "b", "b")] * 10
    table = {name: [r[i] for r in rows] for i, name in enumerate(("model_a", "model_b", "winner"))}
    with (tmp_path / "battles.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(rows)
    score = {"tie": (1, 1)}
    long = [(i, m, s) for i, (a, b, w) in enumerate(rows)
            for m, s in zip((a, b), score.get(w, (int(w == a), int(w == b))), strict=True)]  # fmt: skip
    wide = te.arena(rows)
    assert te.arena(table) == wide
    assert te.arena(str(tmp_path / "battles.csv")) == wide
    assert te.arena({n: [r[i] for r in long] for i, n in enumerate(("battle", "model", "score"))}) == wide
    assert te.load(wide.to_json()) == wide
    assert "Elo" in wide.plot().svg


def test_tiers_share_letters_where_nothing_is_clear():
    rng = np.random.default_rng(2)
    strength = {"p": 1.5, "q": 1.4, "r": -1.5}
    rows = []
    for _ in range(300):
        a, b = rng.choice(list(strength), 2, replace=False)
        won = rng.random() < 1 / (1 + math.exp(strength[b] - strength[a]))
        rows.append((a, b, "model_a" if won else "model_b"))
    found = te.arena(rows)
    letters = found.letters()
    assert letters["p"] == letters["q"] == "a"
    assert letters["r"] == "b"
    assert "too close to call" in found.verdict


def test_who_beats_whom_in_a_ring_is_told():
    rows = [("a", "b", "a")] * 40 + [("b", "c", "b")] * 40 + [("c", "a", "c")] * 40
    rows += [("a", "b", "b")] * 10 + [("b", "c", "c")] * 10 + [("c", "a", "a")] * 10
    found = te.arena(rows)
    assert found.fit.p_value < 0.001
    assert "does not explain who beats whom" in str(found)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("a", "a", "a")], "against itself"),
        ([("a", "b", "c")], "is neither 'a', 'b'"),
        ([("a", "b")], "list of"),
        ([], "list of"),
        ({"left": ["a"], "right": ["b"]}, "winner="),
        ({"x": ["a"], "y": ["b"]}, "name model_a="),
    ],
)
def test_what_cannot_be_read_is_said(rows, words):
    with pytest.raises(InputError, match=words):
        te.arena(rows)


def test_only_ties_and_one_battle_have_answers():
    ties = te.arena([("a", "b", "tie")] * 20)
    assert ties["a", "b"].estimate == pytest.approx(0)
    one = te.arena([("a", "b", "a")])
    assert one["a", "b"].low < 0 < one["a", "b"].high


def test_preferences_of_alpaca_eval_and_ties_alone() -> None:
    battles = {"generator_1": ["base"] * 8, "generator_2": ["new"] * 8, "preference": [1.0, 2.0, 2.0, 1.5] * 2}
    assert te.arena(battles).rates["new"] == 0.625
    with pytest.raises(InputError, match=r"te.graded takes it, with scale=\(1, 2\)"):
        te.arena({**battles, "preference": [1.0, 1.98, 2.0, 1.5] * 2})
    assert "All battles are tied" in str(te.arena([("a", "b", "tie")] * 9))


def test_one_cluster_shows_no_spread_and_says_so() -> None:
    arena = te.arena([{"model_a": "a", "model_b": "b", "winner": "a"}], clusters=[0])
    for part in (arena.elo["a"], arena["a", "b"]):
        assert math.isnan(part.low)
        assert "one cluster" in part.note
    assert "1 cluster (" in str(arena)


def test_a_place_that_cannot_be_told_from_strength_is_refused():
    rows = [("a", "b", "a")] * 3 + [("a", "c", "a"), ("b", "d", "d"), ("c", "d", "c")]
    with pytest.raises(InputError, match="shown in one order only"):
        te.arena(rows, position=True)
    assert te.arena(rows).position is None
    assert te.arena([*rows, ("d", "a", "a")], position=True).position is not None
