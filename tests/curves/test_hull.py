"""Hulls: corners, mixtures, ranges, what they take and how they travel."""

import itertools
import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

import trueerror as te
from trueerror.inputs._options import InputError

TRUTH = [0, 0, 0, 0, 1, 1, 1, 1]
GOOD = te.roc(TRUTH, [1, 2, 3, 6, 4, 5, 7, 8])
POOR = te.roc(TRUTH, [8, 7, 3, 6, 4, 5, 2, 1])


def corners(hull):
    return [(c.classifier, c.threshold, c.fpr, c.tpr) for c in hull.corners]


def test_corners_of_one_curve():
    assert corners(GOOD.hull()) == [
        ("AlwaysNeg", math.inf, 0, 0),
        ("model", 7, 0, 0.5),
        ("model", 4, 0.25, 1),
        ("AlwaysPos", -math.inf, 1, 1),
    ]
    assert GOOD.hull().area == pytest.approx(0.9375)


def test_it_says_that_each_is_taken_at_its_best_threshold():
    both = te.roc_hull({"good": GOOD, "poor": POOR})
    assert str(both).startswith("ROC hull of 2 curves, each at its best threshold on these rows: ")
    points = te.roc_hull({"a": (0.1, 0.6), "b": (0.3, 0.9)})
    assert str(points).startswith("ROC hull of 2 classifiers, ")


def test_other_costs_keep_what_is_said_of_the_hull():
    both = te.roc_hull({"good": GOOD, "poor": POOR})
    at_ten = both.at_costs(cost_fn=10)
    plain, costly = str(both).splitlines(), str(at_ten).splitlines()
    table = next(i for i, line in enumerate(plain) if line.startswith("Cheapest by the share"))
    assert costly[:table] == plain[:table]
    assert "Never the cheapest, whatever the costs: poor." in costly
    assert str(both.ranges(cost_fn=10)) in str(at_ten)
    points = te.roc_hull({"a": (0.1, 0.6), "b": (0.3, 0.9)})
    assert "Most accurate: " in str(points)
    assert "Most accurate: " not in str(points.at_costs(cost_fn=10))


def test_its_costs_are_in_every_answer():
    both = te.roc_hull({"a": (0.1, 0.6), "b": (0.3, 0.9), "counted": te.Confusion([[80, 20], [30, 70]], positive=1)})
    at_ten = both.at_costs(cost_fn=10)
    assert at_ten.to_markdown() == both.ranges(cost_fn=10).to_markdown() != both.to_markdown()
    assert at_ten.by_mix(0.2) == both.by_mix(0.2, cost_fn=10) != both.by_mix(0.2)
    assert at_ten.best(rng=1).to_json() == both.best(cost_fn=10, rng=1).to_json()
    assert at_ten.ranges(cost_fn=1).to_json() == both.ranges().to_json()
    assert str(te.load(at_ten.to_json())) == str(at_ten)
    with pytest.raises(te.InputError, match="cost_fn"):
        both.at_costs(cost_fn=-1)


def test_a_curve_below_the_diagonal_leaves_only_the_trivial_ones():
    hull = te.roc(TRUTH, [5, 6, 7, 8, 1, 2, 3, 4]).hull()
    assert [c.classifier for c in hull.corners] == ["AlwaysNeg", "AlwaysPos"]
    assert hull.area == 0.5
    constant = te.roc(TRUTH, [1] * 8).hull()
    assert [c.classifier for c in constant.corners] == ["AlwaysNeg", "AlwaysPos"]
    assert [(r["from"], r["to"]) for r in constant.ranges()] == [(0, 0.5), (0.5, 1)]


def test_points_on_a_line_are_no_corners():
    table = te.ScoreTable([1, 2, 3, 4], [1, 1, 1, 3], [3, 1, 1, 1])
    assert [(c.fpr, c.tpr) for c in te.roc(table).hull().corners] == [(0, 0), (1 / 6, 0.5), (0.5, 5 / 6), (1, 1)]


def test_many_curves_and_shared_corners():
    hull = te.roc_hull({"good": GOOD, "copy": GOOD, "poor": POOR})
    assert [c.classifier for c in hull.corners] == ["AlwaysNeg", "good", "good", "AlwaysPos"]
    assert hull.corners[1].also == ("copy",)
    assert "poor" in str(hull).splitlines()[1]
    assert "copy" not in str(hull).splitlines()[1]
    listed = te.roc_hull([GOOD, POOR])
    assert list(listed.curves) == ["model 1", "model 2"]


def test_predictions_give_all_models():
    rows = te.predictions(TRUTH, {"labels": TRUTH}, scores={"a": [1, 2, 3, 6, 4, 5, 7, 8], "b": [0.5] * 8})
    hull = te.roc_hull(rows)
    assert list(hull.curves) == ["labels", "a", "b"]
    assert te.roc_hull(rows.select(["a", "b"])).best(replicates=100).paired


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "at least one"),
        ({"a": 3}, "not a ROC curve"),
        ({"AlwaysNeg": GOOD}, "rename"),
        ({"a": GOOD, "b": te.roc(["x", "y"], [1, 2], positive="y")}, "different positive classes"),
    ],
)
def test_what_cannot_be_a_hull(given, words):
    with pytest.raises(InputError, match=words):
        te.roc_hull(given)


def test_mixture_at_corners_and_between():
    hull = GOOD.hull()
    assert str(hull.mixture(fpr=0.0)) == "model at threshold 7.000 at (0.000, 0.500)"
    between = hull.mixture(fpr=0.125)
    assert (between.share, between.tpr) == (0.5, 0.75)
    assert [r["probability"] for r in between.records()] == [0.5, 0.5]
    assert hull.mixture(tpr=0.75).fpr == pytest.approx(0.125)
    assert hull.mixture(tpr=0.25).fpr == 0
    assert hull.mixture(fpr=1).tpr == 1
    for wrong in ({}, {"fpr": 0.1, "tpr": 0.1}, {"fpr": 2}):
        with pytest.raises(InputError):
            hull.mixture(**wrong)


def test_ranges_move_with_costs():
    plain, dear = GOOD.hull().ranges(), GOOD.hull().ranges(cost_fn=9)
    assert [r["classifier"] for r in plain] == ["AlwaysNeg", "model", "model", "AlwaysPos"]
    assert [r["to"] for r in plain] == pytest.approx([0, 1 / 3, 1, 1])
    # With a slope of 2 between the corners: 1/(1 + 9·2).
    assert [r["to"] for r in dear] == pytest.approx([0, 1 / 19, 1, 1])
    assert "a miss 9" in str(dear)
    assert len(plain.records()) == len(plain) == 4


def test_a_hull_is_frozen_and_travels():
    hull = te.roc_hull({"good": GOOD, "poor": POOR})
    with pytest.raises(FrozenInstanceError):
        hull.corners = ()
    assert pickle.loads(pickle.dumps(hull)) == hull
    back = te.load(hull.to_json())
    assert back == hull
    assert corners(back) == corners(hull)
    for part in (hull.ranges(), hull.mixture(fpr=0.1), hull.corners[1], hull.best(replicates=100)):
        assert te.load(part.to_json()) == part
    assert "<table>" in hull.ranges()._repr_html_()


def test_a_million_distinct_scores():
    draw = np.random.default_rng(0)
    truth = draw.random(1_000_000) < 0.5
    curve = te.roc(truth, draw.normal(size=1_000_000) + truth)
    hull = curve.hull()
    assert 50 < len(hull.corners) < 1000
    assert (hull.interpolate(curve.fpr) >= curve.tpr - 1e-12).all()


def test_print_merges_the_corners_of_a_classifier() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(2000) < 0.2
    first, second = (np.round(truth * shift + rng.normal(size=2000), 2) for shift in (2.0, 0.5))
    hull = te.roc_hull({"first": te.roc(truth, first), "second": te.roc(truth, second)})
    assert len(hull.records()) > 8
    lines = str(hull).splitlines()
    shown = [line.split()[0] for line in lines if line.endswith(" %")]
    assert len(shown) == len(hull.ranges().stretches()) < len(hull.records())
    assert not any(a == b for a, b in itertools.pairwise(shown))
    # What is left out is too narrow to see; together the stretches cover all shares.
    parts = hull.ranges().stretches()
    assert parts[0]["from"] < 0.001
    assert parts[-1]["to"] > 0.999
    assert all(abs(a["to"] - b["from"]) < 0.001 for a, b in itertools.pairwise(parts))
    assert len(hull.ranges().records()) == len(hull.corners)


def test_tables_of_a_choice_have_its_threshold_and_cost() -> None:
    hull = te.roc_hull({"good": GOOD})
    made = hull.best(cost_fn=3)
    head, _, chosen, *_ = made.to_markdown().splitlines()
    assert "threshold" in head
    assert "cost of a row" in head
    assert chosen.startswith(f"| {made.classifier} ")
    assert f"{made.cost:.3f}" in chosen
    point = GOOD.operating_point(cost_fn=3)
    assert len(point.to_markdown().splitlines()[0].split("|")) - 2 <= 7
    assert "_" not in point.to_markdown()


def test_the_choice_says_what_it_costs_out_of_the_bag_and_takes_whole_tables():
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 300)
    frame = pd.DataFrame({"truth": truth, **{m: np.clip(0.4 * truth + 0.6 * rng.random(300), 0, 1) for m in "ab"}})
    chosen = te.roc_hull(frame).best(cost_fn=5)
    point = te.roc(truth, frame[chosen.classifier]).operating_point(cost_fn=5)
    assert chosen.threshold == point.threshold
    # The choice between two models flatters too: at least as much is allowed for as for the threshold alone.
    assert chosen.corrected.method == "chosen-cost"
    assert chosen.corrected.high > point.corrected.estimate > chosen.cost
    alone = te.roc_hull({"a": te.roc(truth, frame["a"])}).best(cost_fn=5)
    assert alone.corrected.method == "cost-out-of-bag"
    assert "on rows not used to choose it (bootstrap)" in " ".join(str(chosen).split())
    assert te.load(chosen.to_json()) == chosen
    assert te.evaluate(frame).model("a")["auc"].n == 300
    assert set(te.compare(frame).models) == {"a", "b"}
