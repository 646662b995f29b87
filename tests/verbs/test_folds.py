"""Predictions that carry folds or repeats: ranked within folds, never pooled in silence."""

import numpy as np
import pytest

import trueerror as te
from trueerror.inference.learner._fold_scores import part_scores
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import find_measure

N = 300
RNG = np.random.default_rng(4)
TRUTH = RNG.integers(0, 2, N)
FOLD = np.arange(N) % 5
STRONG = 1.6 * TRUTH + RNG.normal(size=N)
WEAK = 0.8 * TRUTH + RNG.normal(size=N)
SHIFTED = STRONG + 3 * FOLD


@pytest.fixture
def shifted():
    return te.predictions(TRUTH, scores={"strong": SHIFTED, "weak": WEAK}, folds=FOLD)


def test_the_area_is_that_within_folds(shifted):
    ev = te.evaluate(shifted).model("strong")
    mean = np.mean([te.metric("auc", TRUTH[f == FOLD], scores=SHIFTED[f == FOLD]) for f in range(5)])
    assert ev["auc"].estimate == pytest.approx(mean)
    assert ev["auc"] == te.evaluate(te.predictions(TRUTH, scores=STRONG, folds=FOLD))["auc"]
    over = te.auc_over_folds(shifted, model="strong")
    assert (ev["auc"].estimate, ev["auc"].low) == (over.estimate, over.low)
    assert te.roc(shifted, model="strong").auc().low == over.low
    assert "5 models" in ev["auc"].estimand


def test_gini_and_average_precision_too(shifted):
    ev = te.evaluate(shifted, metrics=["auc", "gini", "average_precision"]).model("strong")
    assert ev["gini"].estimate == pytest.approx(2 * ev["auc"].estimate - 1)
    each = [te.metric("average_precision", TRUTH[f == FOLD], scores=SHIFTED[f == FOLD]) for f in range(5)]
    assert ev["average_precision"].estimate == pytest.approx(np.mean(each))
    assert 0 <= ev["average_precision"].low < np.mean(each) < ev["average_precision"].high <= 1


def test_the_better_model_wins_though_its_folds_are_shifted(shifted):
    cmp = te.compare(shifted, metric="auc")
    assert cmp.best == "strong"
    assert cmp["strong", "weak"].p_value < 0.01
    assert "TE512" in cmp.findings.codes
    assert te.compare(shifted, metric="average_precision").best == "strong"


def test_pooled_only_by_name(shifted):
    pooled = te.compare(shifted, metric="auc", method="pooled")["strong", "weak"]
    assert pooled.estimate == pytest.approx(
        te.metric("auc", TRUTH, scores=SHIFTED) - te.metric("auc", TRUTH, scores=WEAK)
    )
    assert "one ranking" in pooled.note
    own = te.evaluate(shifted, metrics="auc", method="pooled").model("strong")["auc"]
    assert own.estimate == pytest.approx(te.metric("auc", TRUTH, scores=SHIFTED))
    with pytest.raises(InputError, match="within-folds"):
        te.compare(shifted, metric="auc", method="delong")


def test_check_speaks_of_the_scales_and_not_of_swapped_classes():
    falling = WEAK - 4 * np.array([TRUTH[f == FOLD].mean() for f in FOLD]) * 5 + 2 * FOLD
    p = te.predictions(TRUTH, scores=falling, folds=FOLD)
    codes = te.check(p).codes
    assert "TE512" in codes
    assert "TE302" not in codes
    assert "TE512" not in te.check(te.predictions(TRUTH, scores=STRONG, folds=FOLD)).codes


def test_leave_one_out_is_pooled_and_says_so():
    p = te.predictions(TRUTH, scores=STRONG, folds=np.arange(N))
    assert "one ranking" in te.evaluate(p)["auc"].note


def test_the_learner_by_name():
    calls = {"a": (STRONG > 0.8).astype(int), "b": (WEAK > 0.4).astype(int)}
    cmp = te.compare(TRUTH, calls, folds=FOLD, method="corrected-t")
    scores = np.array([[(calls[m][f == FOLD] == TRUTH[f == FOLD]).mean() for f in range(5)] for m in "ab"])
    by_hand = te.significance.corrected_t(scores[0] - scores[1], test_train_ratio=1 / 4)
    assert cmp["a", "b"].p_value == pytest.approx(by_hand.p_value)
    assert "learner" in cmp.estimand
    ev = te.evaluate(TRUTH, calls["a"], folds=FOLD, method="corrected-t")
    assert ev["accuracy"].method == "corrected-t"


def test_models_that_differ_may_have_learners_that_do_not():
    truth, fold = np.tile([0, 1], 50), np.repeat(np.arange(5), 20)
    wrong = np.arange(100) < 8  # all in the first fold
    calls = {"a": truth, "b": np.where(wrong, 1 - truth, truth)}
    cmp = te.compare(truth, calls, folds=fold)
    assert cmp["a", "b"].p_value < 0.05
    assert "TE513" in cmp.findings.codes
    spread = np.where(np.arange(100) % 5 < 2, 1 - truth, truth)
    assert "TE513" not in te.compare(truth, {"a": truth, "b": spread}, folds=fold).findings.codes


def repeated(folds=True, ids=True):
    rng = np.random.default_rng(0)
    items = np.tile(np.arange(100), 4)
    truth = np.tile(rng.integers(0, 2, 100), 4)
    repeat = np.repeat(np.arange(4), 100)
    fold = np.concatenate([rng.permutation(100) % 5 for _ in range(4)])
    calls = {m: np.where(rng.random(400) < e, 1 - truth, truth) for m, e in (("a", 0.15), ("b", 0.3))}
    return te.predictions(truth, calls, repeats=repeat, folds=fold if folds else None, ids=items if ids else None)


def test_repeated_folds_go_by_the_corrected_t():
    p = repeated()
    parts = [p.slice(f, "folds") for f in p.keys("folds").names]
    scores = [[te.metric("accuracy", part.confusion(m)) for part in parts] for m in "ab"]
    gap = np.subtract(*scores)
    by_hand = te.significance.corrected_t(gap, test_train_ratio=1 / 4)
    cmp = te.compare(p)["a", "b"]
    assert cmp.estimate == pytest.approx(gap.mean())
    assert cmp.p_value == pytest.approx(by_hand.p_value)
    ev = te.evaluate(p, method="corrected-t").model("a")
    assert ev["accuracy"].method == "corrected-t"
    assert ev["accuracy"].n == 100
    assert ev.confusion.n == 100


def test_the_gate_does_not_pool_repeats():
    gate = te.gate(repeated(), "b", model="a")
    assert gate.checks[0].method == "corrected-t-test"
    alone = te.gate(repeated().select("a"), at_least=0.7).checks[0]
    assert alone.n == 100


def test_f1_over_repeats_is_that_of_all_counts():
    p = repeated()
    made = te.evaluate(p, metrics="f1", method="corrected-t").model("a")["f1"]
    assert made.estimate == pytest.approx(te.metric("f1", p.confusion("a")))


@pytest.mark.parametrize("metric", ["accuracy", "f1", "mcc"])
def test_repeated_folds_have_the_limits_of_one_round(metric):
    p = repeated()
    made = te.evaluate(p, metrics=metric)
    rounds = [te.evaluate(p.slice(r, "repeats").without("repeats"), metrics=metric) for r in range(4)]
    for field in ("estimate", "low", "high"):
        mean = np.mean([getattr(one.model("a")[metric], field) for one in rounds])
        assert getattr(made.model("a")[metric], field) == pytest.approx(mean)
    assert "these 20 models" in made.estimand
    assert "like these 100," in made.estimand
    assert "each learner" in te.evaluate(p, metrics=metric, method="corrected-t").estimand


def test_answers_to_the_same_items_are_clusters():
    ev = te.evaluate(repeated(folds=False)).model("a")["accuracy"]
    assert ev.method == "effective-t"
    assert te.gate(repeated(folds=False).select("a"), at_least=0.7).checks[0].method == "effective-t"
    with pytest.raises(InputError, match="ids="):
        te.evaluate(repeated(folds=False, ids=False))


def test_a_report_of_folds_and_of_repeats(tmp_path, shifted):
    te.report(shifted, tmp_path / "a.html", metric="auc")
    text = (tmp_path / "a.html").read_text()
    assert "TE512" in text
    te.report(repeated(), tmp_path / "b.html")


def test_plans_work_as_cv():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.tile([0, 1], 30)
    for plan, parts in ((te.KFold(5), 5), (te.KFold(3, repeats=2), 6), (te.Subsampling(4, 1 / 3), 4)):
        assert plan.get_n_splits() == plan.get_n_splits(X, y) == parts
        assert len(cross_val_score(LogisticRegression(), X, y, cv=plan)) == parts
    groups = np.repeat(np.arange(12), 5)
    for train, test in te.KFold(4).split(X, y, groups):
        assert not set(groups[train]) & set(groups[test])


def test_rows_in_order_of_time_have_periods():
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(0)
    month = rng.permutation(np.repeat(np.arange(10), 12))
    X = np.c_[month, rng.normal(size=120)]
    data = te.Dataset(X, rng.integers(0, 2, 120), time=month)
    assert (np.diff(data.X[:, 0]) >= 0).all()
    run = te.experiment({"nb": GaussianNB()}, data, plan=te.TimeOrdered(4), jobs=1, progress=False)
    p = run.predictions()
    assert p.has_key("clusters")
    assert len(p.keys("clusters").names) < 12
    assert "clusters" in te.evaluate(p)["accuracy"].note


def test_another_class_mix_over_repeated_folds_is_refused_at_once():
    truth, fold = [0, 1, 2, 0, 1, 2] * 10, [0, 1, 2, 3, 4] * 12
    p = te.predictions(truth, {"a": truth}, folds=fold, repeats=[0] * 30 + [1] * 30)
    with pytest.raises(te.InputError, match="not offered over repeated folds"):
        te.evaluate(p, prior={0: 0.2, 1: 0.3, 2: 0.5})


def numbered_folds(rng, splits, rows=60):
    """Rows of one file that several folds test again, numbered through, and the ids that say so."""
    ids = np.concatenate(splits)
    truth = rng.integers(0, 2, rows)
    called = {name: np.where(rng.random(rows) < 0.3, 1 - truth, truth)[ids] for name in ("a", "b")}
    folds = np.repeat(np.arange(len(splits)), [len(s) for s in splits])
    return te.predictions(truth[ids], called, ids=ids, folds=folds)


def test_folds_that_test_the_same_ids_again_are_rounds():
    rng = np.random.default_rng(8)
    splits = [part for _ in range(3) for part in np.array_split(rng.permutation(60), 5)]
    p = numbered_folds(rng, splits)
    assert p.keys("repeats").names == (1, 2, 3)
    assert len(p.keys("folds").names) == 15
    parts = part_scores(p, ["a"], find_measure("accuracy"), {})
    assert (parts.rounds, parts.rows, set(parts.trains.tolist())) == (3, 60, {48})
    assert te.compare(p)["a", "b"].method == "corrected-t-test"


def test_random_splits_count_each_row_once():
    rng = np.random.default_rng(8)
    splits = [rng.choice(60, 12, replace=False) for _ in range(20)]
    p = numbered_folds(rng, splits)
    seen = len(np.unique(np.concatenate(splits)))
    parts = part_scores(p, ["a"], find_measure("accuracy"), {})
    assert (parts.rounds, parts.rows, set(parts.trains.tolist())) == (None, seen, {seen - 12})
    assert p.one_round().n == seen
    assert "TE101" not in te.evaluate(p, metrics=["accuracy"]).findings
    found = te.check(p)
    assert "TE101" not in found
    assert f"{seen} rows were tested by 20 splits" in str(found)


@pytest.mark.parametrize("ids", [[1, 1, 2, 3], [1, 2, 2, 1]], ids=["twice in a fold", "counted anew"])
def test_ids_that_do_not_name_rows_are_refused(ids):
    with pytest.raises(InputError, match="must differ"):
        te.predictions([0, 1, 0, 1], {"a": [0, 1, 1, 1]}, ids=ids, folds=[0, 0, 1, 1])


@pytest.mark.parametrize("metric", ["accuracy", "f1", "auc", "brier", "log_loss"])
def test_folds_that_all_score_the_same_have_the_limits_of_the_rows_of_one_round(metric):
    truth = np.arange(60) % 2
    rows = np.concatenate([np.random.default_rng(r).permutation(60) for r in range(3)])
    scores = {"m": np.where(truth == 1, 0.95, 0.05)[rows]}
    folds, repeats = np.tile(np.repeat(np.arange(5), 12), 3), np.repeat(np.arange(3), 60)
    p = te.predictions(truth[rows], scores=scores, ids=rows, folds=folds, repeats=repeats)
    found, once = (te.evaluate(x, metrics=[metric])[metric] for x in (p, p.one_round().without("folds")))
    assert (found.low, found.high) == pytest.approx((once.low, once.high), nan_ok=True)
    assert not found.high - found.low < 0.01
