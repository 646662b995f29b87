"""te.evaluate, as a user would call it."""

import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import find_measure

RNG = np.random.default_rng(7)
TRUTH = RNG.integers(0, 2, 300)
SCORES = np.clip(0.5 + (TRUTH - 0.5) * 0.4 + RNG.normal(0, 0.25, 300), 0, 1)
CALLS = (SCORES >= 0.5).astype(int)
NAMES = np.array(["ape", "bee", "cat"])
ANIMALS = NAMES[RNG.integers(0, 3, 240)]
GUESSES = np.where(RNG.random(240) < 0.8, ANIMALS, NAMES[RNG.integers(0, 3, 240)])


def test_each_number_is_the_metric_of_the_counts():
    ev = te.evaluate(TRUTH, CALLS)
    for name in ("accuracy", "recall", "specificity", "precision", "f1", "mcc", "balanced_accuracy", "kappa", "npv"):
        assert float(ev[name]) == pytest.approx(te.metric(name, TRUTH, CALLS), abs=1e-12)
        assert ev[name].low < float(ev[name]) < ev[name].high


def test_scores_and_their_calls_agree():
    from_scores, from_labels = te.evaluate(TRUTH, scores=SCORES), te.evaluate(TRUTH, CALLS)
    assert from_scores.confusion == from_labels.confusion
    assert from_scores["accuracy"] == from_labels["accuracy"]
    assert float(from_scores["auc"]) == pytest.approx(te.metric("auc", TRUTH, scores=SCORES), abs=1e-12)
    assert float(from_scores["brier"]) == pytest.approx(np.mean((SCORES - TRUTH) ** 2), abs=1e-12)


def test_one_class_and_averages_of_many():
    ev = te.evaluate(ANIMALS, GUESSES)
    assert float(ev["recall", "bee"]) == pytest.approx(np.mean(GUESSES[ANIMALS == "bee"] == "bee"))
    assert float(ev["macro_f1"]) == pytest.approx(te.metric("macro_f1", ANIMALS, GUESSES))
    with pytest.raises(ValueError, match=r"recall needs to know which class is positive.*macro_recall"):
        ev["recall"]
    with pytest.raises(ValueError, match="did you mean 'bee'"):
        ev["recall", "beee"]
    with pytest.raises(ValueError, match="did you mean 'accuracy'"):
        ev["acuracy"]


def test_the_margins_of_a_table_are_added_up_once(monkeypatch):
    count, counted = te.Confusion._class_counts, []
    monkeypatch.setattr(te.Confusion, "_class_counts", lambda self, m: counted.append(len(m)) or count(self, m))
    te.evaluate([0, 1] * 50, [0, 1] * 40 + [1, 0] * 10, metrics=["accuracy", "recall", "precision", "f1"])
    assert len(counted) == 1


def test_the_majority_is_always_beside_it():
    ev = te.evaluate([0] * 90 + [1] * 10, [0] * 90 + [1] * 2 + [0] * 8)
    assert float(ev.baseline) == 0.9
    assert 'Always answering "0" would be right on 90.0 %' in " ".join(str(ev).split())


def test_several_models():
    ev = te.evaluate(TRUTH, {"a": CALLS, "b": 1 - CALLS})
    assert ev.models == ("a", "b")
    assert float(ev.model("a")["accuracy"]) + float(ev.model("b")["accuracy"]) == pytest.approx(1)
    with pytest.raises(ValueError, match=r"2 models: choose one with \.model"):
        ev["accuracy"]
    with pytest.raises(ValueError, match="no model 'c'"):
        ev.model("c")


def test_slices_add_up():
    place = np.array(["north", "south", "west"])[RNG.integers(0, 3, 300)]
    ev = te.evaluate(TRUTH, CALLS, by=place)
    assert sum(s.n for s in ev.slices.values()) == ev.n
    total = sum(s.confusion.matrix for s in ev.slices.values())
    assert (total == ev.confusion.matrix).all()
    assert "by slice" in str(ev)
    assert {r["slice"] for r in ev.records()} == {None, "north", "south", "west"}


def test_a_confusion_matrix_will_do():
    ev = te.evaluate(te.Confusion([[50, 5], [10, 35]]))
    assert float(ev["accuracy"]) == 0.85
    with pytest.raises(ValueError, match="clusters= cannot be used here"):
        te.evaluate(te.Confusion([[50, 5], [10, 35]]), clusters=[1] * 100)


def test_another_class_mix():
    ev = te.evaluate(te.Confusion([[160, 40], [5, 45]]), prior=0.1)
    assert float(ev["accuracy"]) == pytest.approx(0.81)
    assert (ev["accuracy"].low, ev["accuracy"].high) == pytest.approx((0.754, 0.855), abs=2e-3)
    assert "at another class mix: 10 % 1" in ev.estimand


def test_costs():
    table = te.Confusion([[150, 40], [60, 250]])
    ev = te.evaluate(table, costs=[[-1, 100], [1, 0]])
    assert float(ev["expected_cost"]) == pytest.approx(3910 / 500)
    with pytest.raises(ValueError, match="costs"):
        te.evaluate(table, costs=[[0, 1, 2], [1, 0, 3], [4, 5, 0]])


def test_clusters_widen_the_interval():
    rows = np.repeat([0, 1], 50)
    calls = np.repeat(RNG.integers(0, 2, 20), 5)
    clusters = np.repeat(np.arange(20), 5)
    plain, clustered = te.evaluate(rows, calls), te.evaluate(rows, calls, clusters=clusters)
    assert clustered["accuracy"].width > 1.5 * plain["accuracy"].width
    assert "clusters, effective sample size" in clustered["accuracy"].note
    assert "TE204" in clustered.findings
    assert "new clusters" in clustered.estimand


def test_one_cluster_says_why_there_are_no_limits():
    got = te.evaluate([0, 1, 1, 0], [0, 1, 0, 0], clusters=[1, 1, 1, 1])["accuracy"]
    assert math.isnan(got.low)
    assert "cluster" in got.note


def test_frequency_weights_are_repeated_rows():
    truth, calls, times = [0, 1, 1, 0], [0, 1, 0, 1], [30, 20, 7, 4]
    weighed = te.evaluate(truth, calls, weights=times, weights_kind="frequency")
    repeated = te.evaluate(np.repeat(truth, times), np.repeat(calls, times))
    for name in ("accuracy", "recall", "f1", "mcc", "kappa"):
        assert weighed[name] == repeated[name]


def test_sampling_weights_move_the_estimate_and_widen_the_interval():
    weights = np.where(TRUTH == 1, 5.0, 1.0)
    ev = te.evaluate(TRUTH, CALLS, weights=weights, weights_kind="sampling")
    assert float(ev["accuracy"]) == pytest.approx(np.average(TRUTH == CALLS, weights=weights))
    assert "effective sample size" in ev["accuracy"].note
    with pytest.raises(ValueError, match="weights_kind"):
        te.evaluate(TRUTH, CALLS, weights=weights)


def test_missing_predictions_are_handled_openly():
    calls = [0, None, 1, 0]
    with pytest.raises(ValueError, match=r"missing.*row 2"):
        te.evaluate([0, 1, 1, 0], calls)
    assert te.evaluate([0, 1, 1, 0], calls, missing="wrong").confusion.n == 4
    dropped = te.evaluate([0, 1, 1, 0], calls, missing="drop")
    assert dropped.confusion.n == 3
    assert "TE206" in dropped.findings


@pytest.mark.parametrize("lazy", [False, True])
def test_areas_are_left_out_where_rows_without_a_score_count_as_wrong(lazy):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 200)
    full = np.round(0.3 * truth + 0.7 * rng.random(200), 3)
    gaps = np.where(np.arange(200) < 9, np.nan, full)
    columns = {"truth": truth, "gaps": gaps, "full": full}
    if lazy:
        columns = pytest.importorskip("polars").DataFrame(columns).lazy()
    ev = te.evaluate(te.read(columns, missing="wrong"))
    assert set(ev.model("full").only.overall) - set(ev.model("gaps").only.overall) == {"auc", "brier"}
    assert ev.model("gaps").confusion.n == 200
    said = [f.message for f in ev.findings if f.code == "TE206"]
    assert said == [
        "9 of 200 rows have no prediction and were counted as wrong; rows without a score have no rank, so areas and "
        "losses are not shown"
    ]
    assert "auc" not in te.evaluate(te.read(columns, missing="wrong"), metrics="all").model("gaps").only.overall
    assert "AUC" in str(ev)
    with pytest.raises(ValueError, match="'gaps' has no score in 9 rows"):
        te.evaluate(te.read(columns, missing="wrong"), metrics="auc")
    assert "auc" in te.evaluate(te.read(columns, missing="drop")).model("gaps").only.overall
    # Labels that are missing leave the scores to be ranked.
    calls = [None if i < 9 else int(s >= 0.5) for i, s in enumerate(full)]
    both = te.evaluate(truth, {"m": calls}, scores={"m": full}, missing="wrong")
    assert both["auc"].n == 200


def test_case_control_needs_a_prior_for_accuracy():
    ev = te.evaluate(TRUTH, CALLS, design="case-control")
    assert "accuracy" not in ev.only.overall
    with pytest.raises(ValueError, match="prior"):
        ev["accuracy"]
    assert te.evaluate(TRUTH, CALLS, design="case-control", prior=0.3)["accuracy"].low > 0


def test_scores_beyond_01_need_a_threshold_but_rank_without():
    ev = te.evaluate(TRUTH, scores=10 * SCORES - 3)
    assert float(ev["auc"]) == pytest.approx(te.metric("auc", TRUTH, scores=SCORES))
    assert "give a threshold" in str(ev)
    with pytest.raises(ValueError, match="threshold="):
        ev.confusion
    assert te.evaluate(TRUTH, scores=10 * SCORES - 3, threshold=2.0)["accuracy"].n == 300


def test_repeats_are_refused_and_folds_change_the_estimand():
    p = te.predictions(TRUTH, CALLS, folds=np.arange(300) % 5)
    assert "these 5 models, one for each fold" in te.evaluate(p).estimand
    p = te.predictions(np.tile(TRUTH, 2), np.tile(CALLS, 2), repeats=np.repeat([1, 2], 300))
    with pytest.raises(ValueError, match="repeats"):
        te.evaluate(p)
    once = te.predictions(TRUTH, CALLS, repeats=np.ones(300, dtype=int))
    assert te.evaluate(once)["accuracy"].n == 300


def test_chosen_metrics_and_their_options():
    ev = te.evaluate(TRUTH, CALLS, metrics={"f_beta": {"beta": 2}, "accuracy": {}})
    assert list(ev.only.overall) == ["f_beta", "accuracy"]
    assert float(ev["f_beta"]) == pytest.approx(te.metric("f_beta", TRUTH, CALLS, beta=2))
    with pytest.raises(ValueError, match="no option 'gamma'; it takes beta"):
        te.evaluate(TRUTH, CALLS, metrics={"f_beta": {"gamma": 2}})


def test_all_metrics_can_be_asked_for():
    ev = te.evaluate(TRUTH, scores=SCORES, metrics="all")
    assert {"auc", "brier", "log_loss", "ece", "kappa", "diagnostic_odds_ratio", "macro_f1"} <= set(ev.only.overall)
    for name, interval in ev.only.overall.items():
        assert interval.low <= interval.estimate <= interval.high or interval.note, name


def test_simultaneous_intervals_are_wider():
    assert te.evaluate(TRUTH, CALLS, simultaneous=True)["accuracy"].width > te.evaluate(TRUTH, CALLS)["accuracy"].width


def test_confidence_is_kept_everywhere():
    ev = te.evaluate(TRUTH, scores=SCORES, confidence=0.8)
    assert {i.confidence for i in ev.only.overall.values()} == {0.8}
    assert {i.confidence for i in ev.only.classes.values()} == {0.8}
    assert {i.confidence for i in ev.risk_coverage.values()} == {0.8}


def test_risk_and_coverage():
    ev = te.evaluate(TRUTH, scores=SCORES)
    assert list(ev.risk_coverage) == [0.5, 0.8, 0.9]
    assert float(ev.risk_coverage[0.5]) > float(ev["accuracy"])
    order = np.argsort(-np.abs(SCORES - 0.5))[:150]
    assert float(ev.risk_coverage[0.5]) == pytest.approx(np.mean(CALLS[order] == TRUTH[order]))


def test_frames_answer_in_kind():
    pandas = pd.DataFrame({"truth": TRUTH, "m": CALLS})
    assert isinstance(te.evaluate(te.read(pandas)).frame(), pd.DataFrame)
    assert isinstance(te.evaluate(te.read(pl.from_pandas(pandas))).frame(), pl.DataFrame)


@pytest.mark.parametrize("make", [
    lambda: te.evaluate(TRUTH, scores={"a": SCORES, "b": 1 - SCORES}),
    lambda: te.evaluate(ANIMALS, GUESSES, by=ANIMALS),
    lambda: te.evaluate(TRUTH, scores=10 * SCORES - 3),
    lambda: te.evaluate(te.Confusion([[3, 0], [0, 0]])),
])  # fmt: skip
def test_json_comes_back_equal(make):
    ev = make()
    again = te.load(ev.to_json())
    assert again == ev
    assert str(again) == str(ev)


def test_a_loaded_evaluation_still_computes():
    again = te.load(te.evaluate(ANIMALS, GUESSES).to_json())
    assert float(again["weighted_f1"]) == pytest.approx(te.metric("weighted_f1", ANIMALS, GUESSES))


@pytest.mark.parametrize(
    ("truth", "calls"),
    [
        ([1], [1]), ([0], [1]), ([1] * 50, [1] * 50), ([0] * 50, [1] * 50), ([0, 1] * 20, [0, 1] * 20),
        ([0, 1] * 20, [1, 0] * 20), (["a"] * 10, ["a"] * 10), (["a", "b", "c"] * 5, ["c"] * 15), ([False], [True]),
    ],
)  # fmt: skip
def test_degenerate_samples_give_sound_intervals_or_a_reason(truth, calls):
    ev = te.evaluate(truth, calls, metrics="all")
    assert str(ev)
    for name, i in ev.only.overall.items():
        low, high = find_measure(name).range
        if math.isnan(i.estimate):
            assert i.note, name
        elif not math.isnan(i.low):
            assert low <= i.low <= i.estimate <= i.high <= high, name
            assert i.high > i.low, name
        else:
            assert i.note, name


def test_decimals_in_the_place_of_labels_are_scores():
    ev = te.evaluate([0, 1, 1], [0.2, 0.7, 0.4])
    assert ev["auc"].estimate == 1
    assert ev["accuracy"].estimate == pytest.approx(2 / 3)
    assert "taken as scores" in " ".join(str(ev).split())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: te.evaluate([0, 1] * 9, [0, 1] * 9, test_train_ratio=0.2), "goes with scores of folds"),
        (lambda: te.compare([0, 1] * 9, {"a": [0, 1] * 9, "b": [0] * 18}, test_train_ratio=0.2), "goes with scores"),
        (lambda: te.evaluate([0, 1] * 9, [0, 1] * 9, cv=3, folds=[0, 1, 2] * 6), "cv= or folds=, not both"),
        (lambda: te.evaluate(te.predictions([0, 1] * 9, [0, 1] * 9), cv=3), "here pass folds="),
        (lambda: te.compare(te.predictions([0, 1] * 9, {"a": [0, 1] * 9, "b": [0] * 18}), cv=3), "here pass folds="),
        (lambda: te.compare(counts={"both": 8, "a": 6, "b": 4, "neither": 9}, cv=3), "it needs rows"),
    ],
)
def test_how_folds_were_made_is_refused_where_it_says_nothing(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_no_rows():
    with pytest.raises(ValueError, match=r"no rows|empty"):
        te.evaluate([], [])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: te.evaluate([0, 1], [0, 1, 1]), "truth has 2 rows but"),
        (lambda: te.evaluate([0, None, 1], [0, 1, 1]), "truth is missing at row 2"),
        (lambda: te.evaluate([0, 1], [0, 1], positive=3), "positive=3 is not among the labels"),
        (lambda: te.evaluate([0, "a"], [0, 1]), "mix text"),
        (lambda: te.evaluate(["0", "1"], [0, 1]), "text labels"),
        (lambda: te.evaluate([0, 1], [0, 1], confidence=95), "did you mean 0.95"),
        (lambda: te.evaluate([0, 1], [0.2, 0.7], scores=[0.2, 0.7]), "scores="),
        (lambda: te.evaluate([0, 1], scores=[0.1, float("nan")]), "scores is missing at row 2"),
        (lambda: te.evaluate([0, 1], [0, 1], metrics="acuracy"), "did you mean 'accuracy'"),
    ],
)
def test_bad_input_gets_one_clear_sentence(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_explain_names_every_method_once():
    text = te.evaluate(TRUTH, CALLS).explain()
    assert text.count("Wilson 1927") >= 1
    assert "Satterthwaite" in text


def test_text_fits_a_terminal():
    long = {"a model with a rather long and winding name that goes on": CALLS, "b" * 90: 1 - CALLS}
    for ev in (te.evaluate(TRUTH, long), te.evaluate(ANIMALS, GUESSES), te.evaluate(TRUTH, scores=SCORES)):
        assert max(map(len, str(ev).splitlines())) <= 80


def test_hostile_names_do_no_harm():
    name = '<img src=x onerror=alert(1)>|\x1b[31m"'
    ev = te.evaluate(["<b>x</b>", "y|z"] * 20, {name: ["<b>x</b>", "y|z"] * 15 + ["y|z", "<b>x</b>"] * 5})
    assert "<img" not in ev._repr_html_()
    assert "<b>x" not in ev._repr_html_()
    assert "\x1b" not in str(ev)


def test_several_labels_a_row():
    truth = RNG.integers(0, 2, (150, 3))
    calls = np.where(RNG.random((150, 3)) < 0.9, truth, 1 - truth)
    ev = te.evaluate(truth, calls, labels=["x", "y", "z"])
    assert float(ev["accuracy"]) == pytest.approx(np.mean((truth == calls).all(axis=1)))
    assert float(ev["hamming_loss"]) == pytest.approx(np.mean(truth != calls))
    assert float(ev["recall", "y"]) == pytest.approx(np.mean(calls[truth[:, 1] == 1, 1]))
    assert te.load(ev.to_json()) == ev


def test_scores_respect_clusters_priors_and_designs():
    rng = np.random.default_rng(0)
    effects, size = rng.normal(size=30), 10
    truth = np.repeat(rng.random(30) < 0.5, size) ^ (rng.random(300) < 0.2)
    scores = 1 / (1 + np.exp(-(truth - 0.5 + np.repeat(effects, size) + rng.normal(size=300))))
    clusters = np.repeat(np.arange(30), size)
    plain, clustered = te.evaluate(truth, scores=scores), te.evaluate(truth, scores=scores, clusters=clusters)
    for name in ("auc", "brier"):
        assert clustered[name].estimate == pytest.approx(plain[name].estimate)
        assert clustered[name].width > 1.2 * plain[name].width
        assert "30 clusters" in clustered[name].note
    rare = te.evaluate(truth, scores=scores, prior=0.05)
    assert rare["average_precision"].estimate < plain["average_precision"].estimate
    assert (rare["auc"].low, rare["auc"].high) == (plain["auc"].low, plain["auc"].high)
    fixed = te.evaluate(truth, scores=scores, design="case-control")
    assert fixed["auc"].low == plain["auc"].low
    with pytest.raises(ValueError, match="pass prior="):
        fixed["brier"]


def test_one_class_is_judged_on_the_same_terms_as_all():
    truth, calls = [0] * 60 + [1] * 40, [0] * 50 + [1] * 10 + [1] * 35 + [0] * 5
    elsewhere = te.evaluate(truth, calls, prior=0.1)
    assert elsewhere["precision", 1] == elsewhere["precision"]
    assert elsewhere["precision", 1].estimate == pytest.approx(0.1 * 35 / 40 / (0.1 * 35 / 40 + 0.9 / 6))
    exact = te.evaluate(truth, calls, method="clopper-pearson")
    assert exact["recall", 1] == exact["recall"]
    fixed = te.evaluate(["a", "b", "c"] * 20, ["a", "b", "b"] * 20, design="case-control")
    assert {metric for metric, _ in fixed.parts[0].classes} == {"recall"}
    assert "recall" in str(fixed)


@pytest.mark.parametrize("more", [{}, {"prior": 0.1}, {"clusters": [0, 1, 2, 3] * 5}, {"by": ["x", "y"] * 10}])
def test_an_evaluation_can_be_pickled(more):
    ev = te.evaluate([0, 1] * 10, {"a": [0, 1] * 8 + [1, 0] * 2, "b": [1] * 20}, **more)
    again = pickle.loads(pickle.dumps(ev))
    assert again == ev
    assert str(again) == str(ev)


@pytest.mark.parametrize("more", [{"prior": 0.1}, {"clusters": [0, 1, 2, 3] * 5}, {"design": "case-control"}])
def test_a_loaded_evaluation_does_not_guess_what_its_counts_do_not_hold(more):
    ev = te.load(te.evaluate([0, 1] * 10, [0, 1] * 8 + [1, 0] * 2, **more).to_json())
    assert ev["recall"].method
    with pytest.raises(ValueError, match="evaluate the rows again"):
        ev["npv"]


def three_classes(n=240, seed=3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    scores = rng.dirichlet([1, 1, 1], n) + 0.4 * np.eye(3)[truth]
    return truth, scores / scores.sum(axis=1, keepdims=True), rng


@pytest.mark.parametrize("metric", ["auc", "average_precision", "ece", "hand_till_auc", "ovr_auc"])
@pytest.mark.parametrize("clustered", [False, True])
def test_rows_that_stand_for_several_are_repeated_for_scores_too(metric, clustered):
    truth, scores, rng = three_classes()
    often, groups = rng.integers(0, 4, 240), np.arange(240) // 8
    if not metric.endswith(("till_auc", "ovr_auc")):
        truth, scores = (truth == 2).astype(int), scores[:, 2]
    more = {"clusters": groups} if clustered else {}
    counted = te.evaluate(truth, scores=scores, weights=often, weights_kind="frequency", metrics=[metric], **more)
    more = {"clusters": np.repeat(groups, often)} if clustered else {}
    written_out = te.evaluate(
        np.repeat(truth, often), scores=np.repeat(scores, often, axis=0), metrics=[metric], **more
    )
    for limit in ("estimate", "low", "high", "n"):
        assert getattr(counted[metric], limit) == pytest.approx(getattr(written_out[metric], limit), abs=1e-12)


def test_areas_over_classes_rest_on_clusters_and_refuse_sampling_weights():
    truth, scores, rng = three_classes()
    alone = te.evaluate(truth, scores=scores)["hand_till_auc"]
    # Every row five times: five times as many rows in clusters that tell no more than one row.
    five = [np.repeat(x, 5, axis=0) for x in (truth, scores, np.arange(240))]
    clustered = te.evaluate(five[0], scores=five[1], clusters=five[2])["hand_till_auc"]
    plain = te.evaluate(five[0], scores=five[1])["hand_till_auc"]
    assert clustered.width == pytest.approx(alone.width, rel=0.03)
    assert plain.width < 0.6 * alone.width
    one = te.evaluate(truth, scores=scores, clusters=np.zeros(240))["hand_till_auc"]
    assert math.isnan(one.low)
    assert "one cluster" in one.note
    weighted = te.evaluate(truth, scores=scores, weights=rng.random(240), weights_kind="sampling")
    assert "hand_till_auc" not in weighted.parts[0].overall
    with pytest.raises(ValueError, match="sampling weights"):
        weighted["hand_till_auc"]


def test_scores_that_are_missing_leave_their_rows_out_of_clusters_too():
    scores = SCORES.copy()
    scores[:5] = np.nan
    groups = np.arange(300) // 10
    some = te.evaluate(TRUTH, scores=scores, missing="drop", clusters=groups, metrics=["auc"])["auc"]
    rest = te.evaluate(TRUTH[5:], scores=scores[5:], clusters=groups[5:], metrics=["auc"])["auc"]
    assert (some.low, some.high, some.n) == (rest.low, rest.high, rest.n)


def test_the_verdict_alone() -> None:
    p = te.read(te.data.path("breast_cancer"), positive="malignant")
    assert te.evaluate(p).verdict.startswith("Highest accuracy: logreg with 0.972")
    assert te.evaluate(p.select("knn")).verdict.startswith("knn is right on 96.5 % of rows like these")
    assert "\n" not in te.evaluate(p).verdict


def test_costs_bring_the_cheapest_threshold() -> None:
    p = te.read(te.data.path("breast_cancer"), positive="malignant").select("logreg")
    made = te.evaluate(p, cost_fn=10)
    point = te.roc(p).operating_point(cost_fn=10)
    assert made.cheapest == point
    assert made["expected_cost"] == te.evaluate(p, costs={"fp": 1, "fn": 10})["expected_cost"]
    assert te.evaluate(p).cheapest is None
    assert te.evaluate(p, prior=0.01).cheapest.prior == 0.01
    assert te.evaluate(p, prior={"benign": 0.99, "malignant": 0.01}).cheapest == te.evaluate(p, prior=0.01).cheapest
    other_way = te.evaluate(p, costs=[[0, 1], [10, 0]]).cheapest
    assert other_way == point
    with pytest.raises(ValueError, match="leave cost_fp"):
        te.evaluate(p, costs=[[0, 1], [10, 0]], cost_fn=10)
    digits = te.read(te.data.path("digits")).select("svm")
    assert te.evaluate(digits, costs=[[0 if i == j else 1 for j in range(10)] for i in range(10)]).cheapest is None


def test_costs_are_said_by_name_and_a_constant_answer_is_set_beside_them():
    table = te.Confusion([[900, 50], [20, 30]], ["healthy", "ill"])
    dear = te.evaluate(table, costs=[[0, 20], [1, 0]], positive="ill")
    assert 'Costs: "healthy" predicted as "ill" costs 20, "ill" as "healthy" 1.' in dear.reading
    assert dear.verdict == (
        "model costs 1.020 a row, 95 % CI 0.782 to 1.326. "
        'Always answering "healthy" would cost 0.050: the model is clearly more costly than that (p < .001).'
    )
    found = [f for f in dear.findings if f.code == "TE210"]
    assert [f.message for f in found] == [
        'expected cost 1.020 is not below 0.050, which always answering "healthy" would get'
    ]
    assert "TE210" not in te.evaluate(table, costs=[[0, 1], [10, 0]], positive="ill").findings
    rare = te.evaluate(table, prior=0.001, positive="ill")
    assert any(f.code == "TE210" and "accuracy 0.947 is not above 0.999" in f.message for f in rare.findings)
    assert "TE210" not in te.evaluate(table, prior=0.5, positive="ill").findings


def test_an_infinite_score_is_told_and_takes_nothing_from_the_other_models() -> None:
    truth = [1, 0, 1, 0, 1, 0, 1, 0]
    fine = [0.9, 0.2, 0.8, 0.4, 0.3, 0.1, 0.7, 0.6]
    made = te.evaluate(te.predictions(truth, scores={"fine": fine, "odd": [float("inf"), *fine[1:]]}))
    text = " ".join(str(made).split())
    assert "odd gives no labels, because 1 of its 8 scores is infinite: give a threshold" in text
    rows = {line.split()[0]: line for line in str(made).splitlines() if line.startswith(("fine ", "odd "))}
    assert rows["fine"].split()[1] == "0.750"
    assert rows["odd"].split()[1] == "–"


def test_models_that_share_the_highest_figure_are_all_named() -> None:
    truth = [1, 0, 1, 0, 1]
    right, wrong = [1, 0, 1, 0, 0], [0, 1, 0, 1, 0]
    said = te.evaluate(te.predictions(truth, {"a": right, "b": wrong, "c": right})).verdict
    assert said.startswith("Highest accuracy: a and c with 0.800 each")
    assert "one is really better than another" in said


def test_several_models_are_estimated_each_as_it_stands() -> None:
    truth, labels = [1, 0, 1, 0, 1], [1, 0, 1, 0, 0]
    assert te.evaluate(te.predictions(truth, {"a": labels, "b": labels})).estimand.startswith("Estimates: each model")
    assert te.evaluate(truth, labels).estimand.startswith("Estimates: this model")


TERMS = {
    "plain": {},
    "clusters": {"clusters": [i // 3 for i in range(60)]},
    "sampling": {"weights": [0.5, 1.5] * 30, "weights_kind": "sampling"},
    "frequency": {"weights": [1, 2] * 30, "weights_kind": "frequency"},
    "case-control": {"design": "case-control"},
    "simultaneous": {"simultaneous": True},
    "prior": {"prior": True},
    "case-control at a prior": {"design": "case-control", "prior": True},
}


@pytest.mark.parametrize("terms", TERMS)
@pytest.mark.parametrize("metrics", [None, "all"])
@pytest.mark.parametrize("kind", ["labels", "probabilities", "logits", "classes", "class probabilities"])
def test_what_can_be_had_is_given_on_any_terms(kind, metrics, terms):
    rng = np.random.default_rng(0)
    k = 3 if "class" in kind else 2
    truth = rng.integers(0, k, 60)
    logits = rng.normal(size=(60, k)) + 1.5 * np.eye(k)[truth]
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    given = {
        "labels": {"predicted": shares.argmax(axis=1)}, "classes": {"predicted": shares.argmax(axis=1)},
        "probabilities": {"scores": shares[:, -1]}, "logits": {"scores": logits[:, 1] - logits[:, 0]},
        "class probabilities": {"scores": shares},
    }[kind]  # fmt: skip
    options = dict(TERMS[terms])
    if "prior" in options:
        options["prior"] = dict(zip(range(k), (0.5, 0.3, 0.2) if k == 3 else (0.7, 0.3), strict=True))
    ev = te.evaluate(truth, **given, metrics=metrics, replicates=200, **options)
    assert ev.parts[0].overall
    for name, made in ev.parts[0].overall.items():
        assert not math.isnan(made.estimate) or made.note, name
        assert made.low < made.high or made.note, name
    assert str(ev)


def test_rounded_probabilities_of_many_classes_keep_their_losses():
    rng = np.random.default_rng(0)
    exact = rng.dirichlet(np.ones(6), 200)
    y = np.array([rng.choice(6, p=row) for row in exact]).tolist()
    rounded = exact.round(2)
    assert np.abs(rounded.sum(axis=1) - 1).max() > 0.005
    for scores in (rounded, rounded.astype(np.float32)):
        ev = te.evaluate(y, scores, metrics=["brier"])
        assert ev["brier"].estimate == pytest.approx(
            te.evaluate(y, exact, metrics=["brier"])["brier"].estimate, abs=0.01
        )
        assert "TE303" not in str(ev.findings)
    # A row that lacks a tenth is no rounding.
    broken = rounded * np.where(np.arange(200) == 7, 0.9, 1.0)[:, None]
    assert "TE303" in str(te.evaluate(y, broken).findings)
    with pytest.raises(InputError, match=r"row 8 adds up|probabilit"):
        te.metric("brier", y, scores=broken)


@pytest.mark.parametrize("classes", [2, 3])
def test_heavy_rows_with_middling_losses_are_told_of(classes):
    """Brier scores of .01 and .81, but for four rows of weight 40 that lie between: few rows carry the weight."""
    truth = np.arange(120) % classes
    own = np.where(np.arange(120) % 3 == 0, 0.1, 0.9)
    own[:4] = 0.5
    scores = np.repeat((1 - own)[:, None] / (classes - 1), classes, axis=1)
    scores[np.arange(120), truth] = own
    weights = np.where(np.arange(120) < 4, 40.0, 1.0)
    given = scores[:, 1] if classes == 2 else {k: scores[:, k] for k in range(classes)}
    ev = te.evaluate(truth, scores={"model": given}, weights=weights, weights_kind="sampling", metrics=["brier"],
                     positive=1 if classes == 2 else None)  # fmt: skip
    losses = ((scores - np.eye(classes)[truth]) ** 2).sum(axis=1) / 2
    assert ev["brier"].estimate == pytest.approx(np.average(losses, weights=weights))
    assert "TE212" in ev.findings


def test_moments_as_slices_are_shown_with_one_precision() -> None:
    """Keys stay as they are: a midnight is its day; beside other hours it is shown as one of them, and none is cut."""
    hours = np.repeat(np.arange("2024-01-01T00", "2024-01-01T04", dtype="datetime64[h]"), 30)
    truth = np.arange(120) % 2
    models = {name: np.where(np.arange(120) % (i + 4) == 0, 1 - truth, truth) for i, name in enumerate("abc")}
    sliced = te.evaluate(truth, models, by=hours)
    assert list(sliced.slices)[:2] == ["2024-01-01", "2024-01-01 01:00:00"]
    lines = str(sliced).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("slice"))
    shown = [line.split("  ")[0] for line in lines[start + 1 : start + 3]]
    assert shown in ([before + hour for hour in ("00:00", "01:00")] for before in ("2024-01-01 ", "…01-01 ", "…"))
    assert "#" not in str(sliced)
    compared = str(te.compare(truth, models, by=hours))
    assert "2024-01-01 00:00 " in compared
    assert "2024-01-01 03:00 " in compared
    assert "2024-01-01 00:00 " in str(te.gaps(truth, models["a"], by=hours, metric="accuracy"))
    assert "2024-01-01 00:00" in sliced.plot(kind="slices")._repr_svg_()
    days = te.evaluate(truth, models, by=hours.astype("datetime64[D]"))
    assert "2024-01-01 00:00" not in str(days)
