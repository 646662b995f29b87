"""Which classifier is the cheapest, and how sure that is."""

import numpy as np
import pytest
from scipy import special

import trueerror as te
from trueerror.inputs._options import InputError

RNG = np.random.default_rng(4)
TRUTH = RNG.random(400) < 0.4
SHARED = RNG.normal(size=400)
# Two models that mostly agree, one of them slightly better, and one that is no use.
FIRST = SHARED + 1.5 * TRUTH + 0.1 * RNG.normal(size=400)
SECOND = SHARED + 1.3 * TRUTH + 0.1 * RNG.normal(size=400)
COIN = RNG.normal(size=400)
ROWS = te.predictions(TRUTH, scores={"first": FIRST, "second": SECOND, "coin": COIN})


def test_probabilities_add_up_and_name_everyone():
    made = te.roc_hull(ROWS).best(prior=0.3, cost_fn=2)
    assert sum(made.probabilities.values()) == pytest.approx(1)
    assert list(made.probabilities) == ["first", "second", "coin", "AlwaysNeg", "AlwaysPos"]
    assert made.probabilities["coin"] < 0.01
    assert made.classifier == "first"
    assert made.records()[0]["classifier"] == max(made.probabilities, key=made.probabilities.get)


def test_the_choice_is_the_cheapest_point_of_all():
    hull = te.roc_hull(ROWS)
    for prior, fn in ((0.1, 1), (0.5, 1), (0.3, 20)):
        made = hull.best(prior=prior, cost_fn=fn, replicates=100)
        lowest = min(
            float((prior * fn * (1 - c.tpr) + (1 - prior) * c.fpr).min()) for c in hull.curves.values()
        )  # fmt: skip
        assert made.cost == pytest.approx(lowest)
        for curve in hull.curves.values():
            assert (curve.tpr <= made.line.at(curve.fpr) + 1e-9).all()


def test_pairing_sharpens_what_models_on_the_same_rows_share():
    paired = te.roc_hull(ROWS).best(replicates=400)
    alone = te.roc_hull({"first": te.roc(TRUTH, FIRST), "second": te.roc(TRUTH, SECOND)}).best(replicates=400)
    assert paired.paired
    assert not alone.paired
    assert "doubt is overstated" in alone.note
    assert paired.probabilities["first"] > alone.probabilities["first"]
    again = te.roc_hull([te.roc(ROWS, model=m) for m in ("first", "second", "coin")]).best(replicates=400)
    assert again.probabilities == paired.probabilities


def test_trivial_classifiers_win_at_the_ends():
    # The ten highest scores are negatives', so calling anything is dear where positives are rare.
    hull = te.roc_hull({"bad": te.roc(TRUTH, np.where(TRUTH, 0.0, 1.0) * (np.arange(400) < 40) + 0.001 * FIRST)})
    rare = hull.best(prior=0.001, replicates=200)
    assert rare.classifier == "AlwaysNeg"
    assert rare.probabilities["AlwaysNeg"] == 1
    none = te.roc_hull({"flat": te.roc(TRUTH, np.zeros(400))}).best(prior=0.3, replicates=100)
    assert none.classifier == "AlwaysNeg"
    assert none.probabilities == {"flat": 0, "AlwaysNeg": 1, "AlwaysPos": 0}
    assert str(none).startswith("Flag nothing")


def test_two_equal_models_share():
    rows = te.predictions(TRUTH, scores={"a": FIRST, "b": FIRST * 2})
    made = te.roc_hull(rows).best(replicates=200)
    assert made.probabilities["a"] == pytest.approx(made.probabilities["b"])


def test_seed_is_honoured_and_recorded():
    hull = te.roc_hull(ROWS)
    assert hull.best(replicates=200, rng=3) == hull.best(replicates=200, rng=3)
    assert "seed 3" in hull.best(replicates=200, rng=3).note
    with pytest.raises(InputError, match="from 100 to"):
        hull.best(replicates=5)


def test_weighted_rows_give_no_probabilities():
    curve = te.roc(TRUTH, FIRST, weights=RNG.random(400) + 1, weights_kind="sampling")
    made = te.roc_hull(curve).best()
    assert made.probabilities == {}
    assert "no probabilities" in made.note


def test_cost_of_the_chosen_of_equal_models_is_held():
    rng, inside = np.random.default_rng(2), 0
    for _ in range(60):
        truth = (rng.random(120) < 0.3).astype(int)
        common = rng.standard_normal(120)
        scores = {f"m{i}": (common + rng.standard_normal(120)) / 2**0.5 + 0.75 * truth for i in range(6)}
        best = te.roc_hull(te.predictions(truth, scores=scores)).best(cost_fn=3.0, prior=0.3, replicates=150, rng=1)
        if best.corrected is None:
            inside += 1
            continue
        real = 0.3 * 3 * float(special.ndtr(best.threshold - 0.75)) + 0.7 * float(special.ndtr(-best.threshold))
        assert best.cost < best.corrected.estimate
        inside += real in best.corrected
    assert inside >= 54


def test_curves_of_rows_of_their_own_allow_for_the_choice_too():
    rng = np.random.default_rng(3)
    curves = {}
    for name in "abc":
        truth = (rng.random(150) < 0.4).astype(int)
        curves[name] = te.roc(truth, rng.standard_normal(150) + truth)
    best = te.roc_hull(curves).best(replicates=200, rng=1)
    assert best.corrected.method == "chosen-cost"
    assert best.cost < best.corrected.estimate < best.corrected.high <= 1


@pytest.mark.parametrize("size", [None, 2, 10])
def test_random_groups_of_many_rows_choose_as_the_rows_do(size, monkeypatch):
    """Rows by themselves, more clusters than groups, and fewer."""
    draw = np.random.default_rng(0)
    up, shared = draw.random(20_000) < 0.2, draw.standard_normal(20_000)
    scores = {
        m: special.expit(gap * up + 0.7 * shared + 0.7 * draw.standard_normal(len(up)))
        for m, gap in (("a", 1.5), ("b", 1.52), ("c", 1.2))
    }
    clusters = None if size is None else np.arange(len(up)) // size
    hull = te.roc_hull(te.predictions(up.astype(int), scores=scores, clusters=clusters))
    by_row = hull.best(cost_fn=5, replicates=300, rng=1)
    assert "random groups" not in by_row.note
    monkeypatch.setattr("trueerror.curves._hull.VISITS", 0)
    in_groups = hull.best(cost_fn=5, replicates=300, rng=1)
    assert ("in 4,096 random groups" in in_groups.note) == (size != 10)
    for name, share in by_row.probabilities.items():
        assert in_groups.probabilities[name] == pytest.approx(share, abs=0.12)
    for end in ("estimate", "low", "high"):
        assert getattr(in_groups.corrected, end) == pytest.approx(getattr(by_row.corrected, end), abs=0.002)
    assert in_groups == hull.best(cost_fn=5, replicates=300, rng=1)


def test_random_groups_where_nothing_is_to_be_chosen(monkeypatch):
    """Constant scores have no threshold of their own: always the same answer is as cheap."""
    monkeypatch.setattr("trueerror.curves._hull.VISITS", 0)
    truth = np.arange(6000) % 2
    p = te.predictions(truth, scores={"flat": np.full(6000, 0.5), "good": truth * 0.5 + np.arange(6000) / 12_000})
    best = te.roc_hull(p).best(replicates=100, rng=1)
    assert best.probabilities["good"] == 1
    assert best.probabilities["flat"] == 0


def test_groups_of_rows_see_thresholds_that_flag_few():
    """Rows drawn in random groups choose as rows drawn one by one do, also where false alarms are so costly that the
    best thresholds flag a few rows in thousands."""
    draw = np.random.default_rng(1)
    truth = (draw.random(20_000) < 0.3).astype(int)
    seen = draw.normal(size=20_000) + truth
    scores = {m: seen + width * draw.normal(size=20_000) for m, width in (("A", 0.7), ("B", 0.8))}
    rows = te.roc_hull(truth, scores=scores, positive=1).best(cost_fp=100, rng=1)
    groups = te.roc_hull(
        np.append(truth, 0), scores={m: np.append(s, -9.0) for m, s in scores.items()}, positive=1
    ).best(cost_fp=100, rng=1)
    assert ("random groups" in rows.note, "random groups" in groups.note) == (False, True)
    for name, share in rows.probabilities.items():
        assert groups.probabilities[name] == pytest.approx(share, abs=0.06)
    assert groups.corrected.high - groups.corrected.low == pytest.approx(
        rows.corrected.high - rows.corrected.low, rel=0.25
    )


def test_few_rows_are_drawn_one_by_one_however_often():
    draw = np.random.default_rng(2)
    truth = draw.integers(0, 2, 4000)
    scores = {m: truth + draw.normal(size=4000) for m in "ab"}
    assert "groups" not in te.roc_hull(truth, scores=scores, positive=1).best(replicates=5100, rng=1).note
