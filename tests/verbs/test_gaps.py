"""Gaps between groups: who is worst off, and is that more than chance?"""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.people._group_gaps import fisher_mid_p, range_adjusted, ratio_of, simultaneous_level

# Fairlearn 0.15.0, with scikit-learn's recall_score, accuracy_score and f1_score:
#   m = MetricFrame(metrics={...}, y_true=y, y_pred=p, sensitive_features=g); m.by_group, m.difference(), m.ratio()
#   equalized_odds_difference(y, p, sensitive_features=g), demographic_parity_difference(y, p, sensitive_features=g)
Y = np.tile([1, 1, 0, 1, 0, 0, 1, 0, 1, 1], 12)
G = np.array(["a", "b", "c"])[np.arange(120) % 3]
P = np.where((np.arange(120) * 7) % 11 < 3, 1 - Y, Y)
FAIRLEARN = {
    "recall": ({"a": 0.625, "b": 0.7916666666666666, "c": 0.75}, 0.16666666666666663, 0.7894736842105263),
    "accuracy": ({"a": 0.75, "b": 0.725, "c": 0.7}, 0.050000000000000044, 0.9333333333333332),
    "f1": ({"a": 0.75, "b": 0.7755102040816326, "c": 0.75}, 0.025510204081632626, 0.9671052631578948),
    "fpr": ({"a": 0.0625, "b": 0.375, "c": 0.375}, 0.3125, 0.16666666666666666),
    "selection_rate": ({"a": 0.4, "b": 0.625, "c": 0.6}, 0.22499999999999998, 0.64),
}


@pytest.mark.parametrize("metric", FAIRLEARN)
def test_values_are_fairlearns(metric):
    by_group, difference, ratio = FAIRLEARN[metric]
    gap = te.evaluate(Y, P, by=G).gaps(metric)[metric]
    assert {g: i.estimate for g, i in gap.groups.items()} == pytest.approx(by_group)
    assert gap.difference.estimate == pytest.approx(difference)
    assert gap.ratio.estimate == pytest.approx(ratio)


def test_equalised_odds_and_demographic_parity_are_fairlearns():
    found = te.gaps(Y, P, by=G)
    assert found.equalised_odds.estimate == pytest.approx(0.3125)
    assert found["selection_rate"].difference.estimate == pytest.approx(0.22499999999999998)
    assert "Equalised odds: 0.312" in str(found) or "Equalised odds: 0.313" in str(found)


def test_worst_and_best_follow_the_metric():
    found = te.gaps(Y, P, by=G, metrics=["recall", "fpr"])
    assert (found["recall"].worst, found["recall"].best) == ("a", "b")
    assert found["fpr"].best == "a"
    assert found["fpr"].worst == found["fpr"].highest


def test_limits_and_p_values_agree_and_hold_the_estimate():
    for gap in te.gaps(Y, P, by=G, metrics=["recall", "accuracy", "f1", "fpr"]):
        d = gap.difference
        assert 0 <= d.low <= d.estimate <= d.high <= 1
        assert gap.ratio.low <= gap.ratio.estimate <= gap.ratio.high
        assert gap.differ == (gap.p_value <= 0.05)
        for c in gap.pairs:
            assert c.p_adjusted >= c.p_value
            assert (c.low > 0 or c.high < 0) <= (c.p_adjusted <= 0.0501)


def test_two_groups_need_no_adjustment():
    gap = te.gaps(Y[G != "c"], P[G != "c"], by=G[G != "c"], metrics="recall")["recall"]
    assert gap.pairs[0].p_adjusted == pytest.approx(gap.pairs[0].p_value, rel=1e-6)


def test_several_columns_and_their_combinations(tmp_path):
    h = np.array(["x", "y"])[(np.arange(120) // 3) % 2]
    frame = pd.DataFrame({"truth": Y, "svm": P, "sex": G, "age": h})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    wanted = te.gaps(Y, P, by={"sex": G, "age": h}, metrics="accuracy")
    assert wanted.columns == ("sex", "age", "sex and age")
    assert set(wanted["accuracy", "sex and age"].groups) == {f"{a}, {b}" for a in "abc" for b in "xy"}
    for found in (
        te.gaps(Y, P, by=frame[["sex", "age"]], metrics="accuracy"),
        te.gaps(frame, truth="truth", models=["svm"], by=["sex", "age"], metrics="accuracy"),
        te.gaps(tmp_path / "rows.csv", truth="truth", models=["svm"], by=["sex", "age"], metrics="accuracy"),
    ):
        assert [g.difference.estimate for g in found] == [g.difference.estimate for g in wanted]
    assert len(te.evaluate(Y, P, by=frame[["sex", "age"]]).slices) == 6


def test_small_groups_are_left_out_and_named():
    g = G.astype(object)
    g[:4] = "rare"
    found = te.gaps(Y, P, by=g, metrics="recall")
    assert "rare" not in found["recall"].groups
    assert found["recall"].left_out["rare"] == 3
    assert "TE411" in found.findings
    assert "TE411" not in te.gaps(Y, P, by=G, metrics="recall").findings
    assert "rare" in te.gaps(Y, P, by=g, metrics="recall", min_rows=1)["recall"].groups


def test_clusters_that_lie_in_several_groups_are_counted_whole():
    """The same patients in both groups, who are alike in both: a paired difference is far surer."""
    rng = np.random.default_rng(1)
    patient = np.repeat(np.arange(60), 10)
    visit = np.tile(["early", "late"], 300)
    hard = np.repeat(rng.random(60) < 0.4, 10)
    y = rng.integers(0, 2, 600)
    wrong = hard & (rng.random(600) < 0.9)
    p = np.where(wrong, 1 - y, y)
    joint = te.gaps(y, p, by=visit, clusters=patient, metrics="accuracy")["accuracy"]
    assert "60 clusters" in joint.pairs[0].note
    apart = te.gaps(y, p, by=visit, clusters=np.char.add(patient.astype(str), visit), metrics="accuracy")["accuracy"]
    assert joint.difference.high < apart.difference.high


def test_sampling_weights_are_respected():
    w = np.where(Y == P, 1.0, 3.0)
    gap = te.gaps(Y, P, by=G, metrics="accuracy", weights=w, weights_kind="sampling")["accuracy"]
    right = {g: (w * (Y == P))[g == G].sum() / w[g == G].sum() for g in "abc"}
    assert {g: i.estimate for g, i in gap.groups.items()} == pytest.approx(right)


def test_scores_and_several_models():
    rng = np.random.default_rng(2)
    scores = {"good": Y + rng.normal(size=120), "poor": rng.normal(size=120)}
    found = te.gaps(Y, scores=scores, by=G, metrics="auc", threshold=0.5)
    assert found["auc", "good"].model == "good"
    with pytest.raises(InputError, match="choose one with"):
        found["auc"]


def test_whether_a_difference_differs_between_groups():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 900)
    g = np.repeat(["a", "b", "c"], 300)
    one = np.where(rng.random(900) < np.where(g == "a", 0.95, 0.6), y, 1 - y)
    two = np.where(rng.random(900) < 0.8, y, 1 - y)
    cmp = te.compare(y, {"one": one, "two": two}, by=g)
    gap = cmp.gaps().parts[0]
    assert gap.differ
    assert gap.highest == "a"
    assert gap.groups["a"].estimate == cmp.slices["a"]["one", "two"].estimate
    assert gap.pairs[0].estimate == pytest.approx(gap.groups["a"].estimate - gap.groups["b"].estimate)
    assert math.isnan(gap.ratio.estimate)
    with pytest.raises(InputError, match="by="):
        te.compare(y, {"one": one, "two": two}).gaps()


def test_it_prints_draws_frames_and_is_saved(tmp_path):
    found = te.gaps(Y, P, by=G)
    assert "adjusted" in str(found)
    assert found.plot().svg.startswith("<svg")
    assert len(found.frame()) == 4 * (3 + 3)
    found.save(tmp_path / "gaps.json")
    assert te.load(tmp_path / "gaps.json")["recall"].worst == "a"
    assert json.loads(found.to_json())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: te.gaps(Y, P), "pass by="),
        (lambda: te.evaluate(Y, P).gaps(), "pass by="),
        (lambda: te.gaps(Y, P, by=["one"] * 120, metrics="recall"), "fewer than two groups"),
        (lambda: te.evaluate(Y, P, by=G, prior=0.1).gaps("accuracy"), "leave prior="),
        (lambda: te.gaps(te.evaluate(Y, P, by=G), "recall", by=G), "groups already"),
        (lambda: te.gaps(Y, P, by=G)["auc"], "there is no gap"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_no_gap_at_all_is_said_so_and_missing_limits_have_a_reason():
    truth, groups = [0, 1] * 60, np.repeat(["x", "y"], 60)
    assert te.gaps(truth, truth, by=groups, metrics="accuracy").verdict.startswith("Accuracy is 1.000 in both groups: ")
    three = te.gaps(truth, truth, by=np.repeat(["x", "y", "z"], 40), metrics="recall")
    assert three.verdict.startswith("Recall is 1.000 in all 3 groups: ")

    def metric(truth, called):
        return 0.5

    (gap,) = te.gaps(truth, truth, by=groups, metrics=[metric])
    assert gap.verdict.startswith("Metric is 0.500 in both groups: ")
    assert {one.note for one in (gap.difference, gap.ratio, *gap.pairs)} == {"the rows show no variance"}


@pytest.mark.parametrize("called", [Y, 1 - Y, np.ones(120, dtype=int)], ids=["all right", "all wrong", "one class"])
def test_degenerate_models_have_no_gap(called):
    for gap in te.gaps(Y, called, by=G, metrics=["accuracy", "recall"]):
        assert not gap.differ or gap.difference.estimate > 0
        assert gap.difference.high > gap.difference.low
        assert gap.p_value > 0


def test_tukey_values_are_rs():
    """R: qtukey(.95, 4, Inf)/sqrt(2); ptukey(sqrt(2)*qnorm(1-.01/2), 5, Inf, lower=FALSE)."""
    from scipy import special

    assert special.ndtri(0.5 + simultaneous_level(0.95, 4) / 2) == pytest.approx(2.569032, abs=1e-5)
    assert range_adjusted(0.01, 5) == pytest.approx(0.07484447, abs=1e-6)


def test_fishers_mid_p_by_enumeration():
    from scipy.stats import hypergeom

    for x, n, y, m in ((9, 10, 150, 200), (0, 10, 0, 20), (3, 3, 0, 4), (5, 12, 30, 31)):
        k = hypergeom(n + m, x + y, n)
        mid = min(1.0, 2 * min(k.cdf(x) - k.pmf(x) / 2, k.sf(x - 1) - k.pmf(x) / 2))
        assert fisher_mid_p((x, n), (y, m)) == pytest.approx(mid, abs=1e-9)


@settings(max_examples=25)
@given(st.lists(st.integers(0, 40), min_size=2, max_size=5), st.integers(0, 2**32))
def test_order_of_groups_changes_nothing(right, seed):
    y = np.tile([0, 1], 20 * len(right))
    g = np.repeat([f"g{i}" for i in range(len(right))], 40)
    p = np.concatenate([np.where(np.arange(40) < k, y[:40], 1 - y[:40]) for k in right])
    order = np.random.default_rng(seed).permutation(len(y))
    one, two = (te.gaps(y[o], p[o], by=g[o], metrics="accuracy").parts[0] for o in (slice(None), order))
    assert one.difference.estimate == pytest.approx(two.difference.estimate)
    assert one.p_value == pytest.approx(two.p_value)
    assert one.difference.low <= one.difference.estimate <= one.difference.high


def test_a_ratio_with_limits_of_its_parts():
    a, b = te.interval(30, 50), te.interval(45, 50)
    r = ratio_of(a, b, 0.95)
    assert r.low < 30 / 45 < r.high
    assert math.isnan(ratio_of(te.interval(0, 50), te.interval(0, 50), 0.95).estimate)


def test_a_model_whose_scores_are_not_cut_stands_beside_others(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    truth, group = rng.integers(0, 2, 240), rng.choice(["u", "v", "w"], 240)
    sure, odd = np.clip(0.3 * truth + 0.7 * rng.random(240), 0, 1), 4 * (truth + rng.normal(size=240))
    both = te.predictions(truth, scores={"sure": sure, "odd": odd}, by=group)
    assert "AUC by slice" in str(te.evaluate(both))  # the first metric that both have
    assert {g.model for g in te.gaps(both)} == {"sure"}
    assert {g.model for g in te.gaps(both, metrics="auc")} == {"sure", "odd"}
    brier = te.gaps(both, metrics="brier")
    assert [g.model for g in brier] == ["sure"]
    assert "Left out: the scores of 'odd'" in brier.reading
    assert "By slice" in te.report(both, tmp_path / "page.html").read_text(encoding="utf-8")
    labelled = te.predictions(truth, {"called": (sure > 0.5).astype(int)}, scores={"odd": odd}, by=group)
    told = te.evaluate(labelled)
    assert "undefined" in str(told)
    assert told.plot(kind="slices") is not None
    with pytest.raises(te.InputError, match="may be the wrong cut"):
        te.gaps(te.predictions(truth, scores={"odd": odd}, by=group), metrics="accuracy")


def test_a_model_called_like_part_of_a_word_is_named() -> None:
    truth = [0, 1] * 40
    found = te.gaps(truth, {"a": truth[:60] + [1, 0] * 10}, by=["u"] * 40 + ["v"] * 40, metrics="accuracy")
    assert "Accuracy of a differs" in found.verdict


def test_a_gap_told_in_hundreds_keeps_a_decimal() -> None:
    said = te.gaps(Y, P, by=G, metrics="accuracy")["accuracy"].said("cost per 100 rows", 100)
    assert "lowest in c (70.0), highest in a (75.0); a gap of 5.0, 95 % CI 0.0 to " in said


def test_a_record_of_a_metric_is_heard() -> None:
    wide = te.gaps(Y, P, by=G, metrics={"f_beta": {"beta": 5}})["f_beta"]
    for group, interval in wide.groups.items():
        rows = group == G
        assert interval.estimate == pytest.approx(te.metric("f_beta", Y[rows], P[rows], beta=5))

    def share(truth, scores):
        return float(np.mean(scores[truth == 1] > 0.5))

    record = {share: {"needs": "scores", "title": "Found"}}
    assert "Found by group" in str(te.gaps(Y, scores=P.astype(float), by=G, metrics=record))
    assert str(te.bootstrap((Y, P), record, replicates=50)).startswith("Found ")
