"""What raters and judges say: how ratings are read, and what is told of them."""

import numpy as np
import pandas as pd
import pytest

import trueerror as te
from trueerror.inputs._options import InputError

WIDE = pd.DataFrame({"item": range(60), "ann": [1, 2, 3] * 20, "bob": [1, 2, 3, 1, 2, 2] * 10, "eve": [1, 2, 3] * 20})


def long_of(wide):
    return wide.melt(id_vars="item", var_name="rater", value_name="label")


def test_wide_long_array_and_columns_are_one(tmp_path):
    wide = te.agreement(WIDE)
    long_of(WIDE).to_csv(tmp_path / "long.csv", index=False)
    others = [
        te.agreement(long_of(WIDE)),
        te.agreement(WIDE[["ann", "bob", "eve"]].to_numpy(), raters=["ann", "bob", "eve"]),
        te.agreement(WIDE["ann"], WIDE["bob"], WIDE["eve"]),
        te.agreement(str(tmp_path / "long.csv")),
    ]
    for other in others:
        assert other == wide
    assert wide.raters == ("ann", "bob", "eve")
    assert len(wide.pairs) == 3


def test_other_names_of_columns_are_given():
    named = long_of(WIDE).rename(columns={"item": "doc_no", "rater": "who", "label": "said"})
    found = te.agreement(named, item="doc_no", rater="who", label="said")
    assert found["fleiss"] == te.agreement(WIDE)["fleiss"]


def test_missing_ratings_are_left_out():
    gappy = WIDE.astype(object)
    gappy.loc[:9, "bob"] = None
    found = te.agreement(gappy)
    assert "10 ratings missing" in found.reading
    assert found["fleiss"].n == 60


def test_the_verdict_names_the_bar():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 400)
    good = [np.where(rng.random(400) < 0.02, (truth + 1) % 3, truth) for _ in range(3)]
    poor = [np.where(rng.random(400) < 0.4, (truth + 1) % 3, truth) for _ in range(3)]
    assert "above 0.800, the usual bar for labels to rely on" in te.agreement(*good).verdict
    assert "below 0.667" in te.agreement(*poor).verdict
    assert "too close to call" in te.agreement(*[x[:30] for x in good[:2]]).verdict


def test_what_cannot_be_read_is_said():
    with pytest.raises(InputError, match="two raters or more"):
        te.agreement([1, 2, 3])
    with pytest.raises(InputError, match="two raters or more"):
        te.agreement({"item": [1, 2], "ann": [1, 2]})
    with pytest.raises(InputError, match="rated item 1 twice"):
        te.agreement({"item": [1, 1], "rater": ["a", "a"], "label": [0, 1]})
    with pytest.raises(InputError, match="there are"):
        te.agreement(WIDE)["icc"]
    with pytest.raises(InputError, match="did you mean 'fleiss'"):
        te.agreement(WIDE, method="fleis")


def test_it_tabulates_plots_and_comes_back():
    found = te.agreement(WIDE)
    assert te.load(found.to_json()) == found
    assert len(found.frame()) == 5 + 3
    assert "Fleiss" in found.plot().svg
    assert "Krippendorff 2011" in found.explain()


def test_games_of_kaggle_and_of_mt_bench():
    rows = [("x", "y", "model_a"), ("y", "z", "tie"), ("x", "z", "model_b"), ("z", "y", "model_a")] * 5
    a, b, won = ([row[i] for row in rows] for i in range(3))
    plain = te.arena({"model_a": a, "model_b": b, "winner": won})
    kaggle = {"model_a": a, "model_b": b, "winner_tie": [int(w == "tie") for w in won]}
    kaggle |= {f"winner_{m}": [int(w == m) for w in won] for m in ("model_a", "model_b")}
    assert te.arena(kaggle).records() == plain.records()
    named = [{"model_a": "model_1", "model_b": "model_2"}.get(w, w) for w in won]
    # Where the judge changes its mind with the order, it is a tie.
    other = ["tie" if w != "tie" else "model_1" for w in named]
    first = [w if w != "tie" else "model_2" for w in named]
    both = {
        "model_1": a,
        "model_2": b,
        "g1_winner": first,
        "g2_winner": [w if w != "tie" else "model_1" for w in named],
    }
    assert te.arena(both).records() == plain.records()
    assert te.arena({**both, "g2_winner": other}).records() != plain.records()


def test_votes_with_a_winner_and_a_loser():
    rows = [("x", "y"), ("y", "z"), ("x", "z"), ("z", "y")] * 5
    plain = te.arena([(a, b, "model_a") for a, b in rows])
    votes = te.arena({"winner": [a for a, _ in rows], "loser": [b for _, b in rows]})
    assert [r["elo"] for r in votes.records()] == [r["elo"] for r in plain.records()]
    with pytest.raises(te.InputError, match="each winner stands first"):
        te.arena({"winner": ["x", "y", "z"], "loser": ["y", "z", "x"]}, position=True)


def test_an_arena_names_who_is_weaker_and_says_what_the_position_does():
    rng = np.random.default_rng(0)
    pairs = [rng.permutation(["x", "y", "z"])[:2] for _ in range(300)]
    strength = {"x": 1.0, "y": 0.9, "z": 0.1}
    battles = [(a, b, a if rng.random() < strength[a] / (strength[a] + strength[b]) else b) for a, b in pairs]
    found = te.arena(battles, position=True)
    assert "too close to call. z is clearly weaker." in found.verdict
    text = " ".join(str(found).split())
    assert "No clear effect of being shown first: between equals the first wins" in text
    first = " ".join(str(te.arena([(a, b, a) for a, b in pairs[:150]] + battles[150:], position=True)).split())
    assert "The model shown first is preferred: between equals the first wins" in first


def test_what_was_rated_is_no_rater():
    labels = {"anna": ["a", "b", "a", "b"] * 5, "ben": ["a", "b", "b", "b"] * 5}
    text = {"text": [f"comment {i}" for i in range(20)]}
    assert te.agreement({**text, **labels}).records() == te.agreement(labels).records()
