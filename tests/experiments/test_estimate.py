"""`.estimate` and `.roc`: the plan decides the method, the result names its estimand, other methods on request."""

import math

import numpy as np
import pytest
from scipy import stats

import trueerror as te
from trueerror.inputs._options import InputError


class Centroid:
    """The nearest class mean over the first columns; probabilities from the distances."""

    def __init__(self, columns=2):
        self.columns = columns

    def get_params(self, deep=True):
        return {"columns": self.columns}

    def set_params(self, **given):
        self.columns = given.get("columns", self.columns)
        return self

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means = np.array([X[y == c, : self.columns].mean(axis=0) for c in self.classes_])
        return self

    def predict_proba(self, X):
        gaps = ((X[:, None, : self.columns] - self.means[None]) ** 2).sum(axis=2)
        weight = np.exp(-(gaps - gaps.min(axis=1, keepdims=True)) / 2)
        return weight / weight.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Fails(Centroid):
    """Fails on every other training set."""

    calls = 0

    def fit(self, X, y):
        Fails.calls += 1
        if Fails.calls % 2:
            raise ValueError("no")
        return super().fit(X, y)


def rows(n=120, seed=0, gap=1.0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(0, 1, (n, 4)) + gap * y[:, None] * np.array([1, 0.5, 0, 0]), y


LEARNERS = {"two": Centroid(2), "one": Centroid(1), "noise": Centroid(4)}


def made(plan, learners=None, data=None, **more):
    return te.experiment(learners or LEARNERS, data or rows(), plan=plan, jobs=1, progress=False, **more)


@pytest.mark.parametrize(
    ("plan", "method", "estimand"),
    [
        (te.Holdout(), "wilson", "this model, fitted to 80 rows"),
        (te.KFold(10, repeats=2), "wilson", "these 20 models at 108 training rows"),
        (te.Subsampling(5), "corrected-t", "this learner at 80 training rows"),
        (te.LeaveOneOut(), "bayle", "these 120 models"),
        (te.Bootstrap(20), "bootstrap-632+", "this learner at 120 training rows"),
        (te.DisjointHalves(4, 5, test=0.2), "conservative-z", "this learner at 96 training rows"),
        (te.BatesCV(4, repeats=2), "bates", "this learner at 90 training rows"),
    ],
    ids=lambda x: getattr(x, "name", None),
)
def test_the_plan_decides(plan, method, estimand):
    run = made(plan)
    right = run.estimate("two")
    assert right.method == method
    assert right.estimand.startswith(estimand)
    assert "of which 50 % are 1" in right.estimand
    assert 0 <= right.low < right.estimate < right.high <= 1
    assert right.name == "accuracy"
    wrong = run.estimate("two", metric="error_rate")
    assert (wrong.estimate, wrong.low, wrong.high) == pytest.approx(
        (1 - right.estimate, 1 - right.high, 1 - right.low), abs=1e-12
    )
    for metric in ("auc", "f1", "macro_f1", "mcc", "brier", "log_loss"):
        other = run.estimate("two", metric=metric)
        assert other.low < other.estimate < other.high, (metric, other)
        assert "Formula:" in other.explain()


def test_corrected_t_from_the_fold_scores():
    run = made(te.KFold(10, repeats=3))
    scores = run.fold_scores("auc").of("two")
    mine = run.estimate("two", metric="auc", method="corrected-t", confidence=0.9)
    # The mean of all rounds, the limits of one.
    within = scores.reshape(3, 10).var(axis=1, ddof=1).mean()
    reach = stats.t.ppf(0.95, 9) * math.sqrt(within * (1 / 10 + 1 / 9))
    assert (mine.low, mine.high) == pytest.approx((scores.mean() - reach, min(1, scores.mean() + reach)), abs=1e-12)
    assert mine.n == 120
    assert mine.estimand.startswith("this learner at 108 training rows")


@pytest.mark.parametrize("metric", ["accuracy", "log_loss", "auc", "f1", "macro_f1"])
def test_folds_have_the_mean_of_what_each_round_gives(metric):
    run = made(te.KFold(5, repeats=3))
    p = run.predictions(learners=["two"])
    rounds = [p.slice(r, "repeats").without("repeats") for r in p.keys("repeats").names]
    each = [te.evaluate(x.with_positive(1), metrics=metric).model("two")[metric] for x in rounds]
    mine = run.estimate("two", metric=metric, positive=1 if metric == "f1" else None)
    for field in ("estimate", "low", "high"):
        assert getattr(mine, field) == pytest.approx(np.mean([getattr(x, field) for x in each]), abs=1e-12)
    assert "a few rows hardly change a model" in mine.note
    assert te.evaluate(p.with_positive(1), metrics=metric).model("two")[metric].low == pytest.approx(mine.low)


def test_more_rounds_of_the_same_rows_do_not_narrow_the_limits():
    widths = [made(te.KFold(5, repeats=r)).estimate("two").width for r in (1, 2, 6)]
    assert max(widths) < 1.05 * min(widths)


def test_what_cannot_be_pooled_goes_by_the_corrected_t():
    run = made(te.KFold(5, repeats=2))
    assert run.estimate("two", metric="ece").method == "corrected-t"
    assert made(te.Subsampling(5)).estimate("two").method == "corrected-t"
    with pytest.raises(InputError, match="the same rows"):
        made(te.Subsampling(5)).estimate("two", method="pooled")
    # What stands beside differences of learners is of learners, too.
    beside = run.compare().estimates["two"]
    assert (beside.low, beside.high) == pytest.approx(
        (run.estimate("two", method="corrected-t").low, run.estimate("two", method="corrected-t").high)
    )


def test_limits_of_folds_say_for_whom_they_are():
    assert "TE511" in made(te.KFold(5), {"two": Centroid(2)}).findings
    assert "TE511" not in made(te.Bootstrap(5), {"two": Centroid(2)}).findings


def test_one_round_says_conservative_and_small_parts_are_named():
    note = made(te.KFold(10)).estimate("two", method="corrected-t").note
    assert "conservative" in note
    assert "12 rows, fewer than 30" in note
    twice = made(te.KFold(3, repeats=2)).estimate("two", method="corrected-t")
    assert twice.note == "mean of all rounds, limits as of one"


def test_plain_t_on_request_is_narrower_and_says_so():
    run = made(te.KFold(10, repeats=3))
    plain = run.estimate("two", method="fold-t")
    assert plain.width < run.estimate("two", method="corrected-t").width / 1.5
    assert "too narrow" in plain.note
    assert plain.estimand.startswith("these 30 models")


def test_bayle_of_leave_one_out():
    run = made(te.LeaveOneOut())
    wrong = np.concatenate([x for _, x in run.losses("two")])
    mine = run.estimate("two", metric="error_rate")
    assert mine.high - mine.estimate == pytest.approx(stats.norm.ppf(0.975) * wrong.std() / math.sqrt(120), abs=1e-12)
    assert mine.note == "if one row hardly changes a model"
    assert "TE510" in run.findings
    assert "TE510" not in made(te.KFold(10)).findings


def test_bayle_takes_each_row_once():
    assert made(te.KFold(5)).estimate("two", method="bayle").method == "bayle"
    with pytest.raises(InputError, match="tested again"):
        made(te.KFold(5, repeats=2)).estimate("two", method="bayle")


def test_bootstrap_kinds_are_ordered():
    run = made(te.Bootstrap(30))
    values = {k: run.estimate("two", metric="error_rate", method=k).estimate for k in ("out-of-bag", "632+", "632")}
    whole = run.losses("two", part="apparent")[0][1].mean()
    assert values["632"] == pytest.approx(0.368 * whole + 0.632 * values["out-of-bag"], abs=1e-12)
    assert min(values["632"], values["out-of-bag"]) - 1e-12 <= values["632+"] <= values["out-of-bag"] + 1e-12
    with pytest.raises(InputError, match=r"te\.Bootstrap"):
        made(te.KFold(5)).estimate("two", method="632+")


def test_conservative_z_from_disjoint_halves():
    run = made(te.DisjointHalves(3, 4, test=0.2))
    splits = run.splits["data"]
    sides = {}
    for i in run.parts(part="half"):
        s = splits[i]
        assert len(s.test) == 24
        assert len(s.train) == 36
        sides.setdefault((s.repeat, s.fold), set()).update(s.train.tolist() + s.test.tolist())
    assert all(not sides[m, 0] & sides[m, 1] for m in range(3))
    table = run.fold_scores("accuracy", part="half").of("two").reshape(3, 2, 4).mean(axis=2)
    mine = run.estimate("two")
    error = math.sqrt(((table[:, 0] - table[:, 1]) ** 2).sum() / 6)
    assert mine.estimate == pytest.approx(run.fold_scores("accuracy").of("two").mean(), abs=1e-12)
    assert mine.low == pytest.approx(mine.estimate - stats.norm.ppf(0.975) * error, abs=1e-12)
    assert run.compare().pairs[0].method == "corrected-t-test"
    with pytest.raises(InputError, match="DisjointHalves"):
        made(te.KFold(5)).estimate("two", method="conservative-z")
    with pytest.raises(InputError, match=r"less than 0\.5"):
        te.DisjointHalves(test=0.6)


def test_ledell_for_these_models_only():
    run = made(te.KFold(5))
    mine = run.estimate("two", metric="auc", method="ledell")
    assert mine.method == "ledell"
    assert mine.estimand.startswith("these 5 models")
    with pytest.raises(InputError, match="AUC"):
        run.estimate("two", method="ledell")


def test_nested_cross_validation_speaks_of_the_chosen_one():
    run = made(te.NestedCV(4, 3))
    table, picked = run.fold_scores("accuracy"), run.chosen("accuracy")
    expected = np.mean([table.of(name)[i] for i, name in enumerate(picked)])
    mine = run.estimate("the chosen one")
    assert mine.estimate == pytest.approx(expected, abs=1e-12)
    assert "chosen" in mine.estimand


def test_bbc_takes_the_choice_into_account():
    noise = {f"n{i}": Shuffled(i) for i in range(12)}
    run = made(te.KFold(5), noise, rows(100, gap=0.0))
    best = max(run.estimate(x).estimate for x in noise)
    chosen = run.estimate("the chosen one", method="bbc-cv")
    assert chosen.method == "bbc-cv"
    assert chosen.estimate < best - 0.02
    assert 0.5 in chosen


class Shuffled:
    """Guesses by a seed of its own."""

    def __init__(self, seed=0):
        self.seed = seed

    def get_params(self, deep=True):
        return {"seed": self.seed}

    def set_params(self, **given):
        return self

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        cut = np.sin(1000 * (self.seed + 1) * X[:, 0])
        return self.classes_[(cut > 0).astype(int)]


def test_all_folds_alike_leave_room_all_the_same():
    X, y = rows(60, gap=50.0)
    mine = made(te.KFold(3), data=(X, y)).estimate("two")
    assert mine.estimate == 1
    assert 0.9 < mine.low < 1


@pytest.mark.parametrize("plan", [te.KFold(3, repeats=2), te.KFold(5), te.Subsampling(4)], ids=str)
@pytest.mark.parametrize("metric", ["auc", "f1", "mcc", "balanced_accuracy"])
def test_perfect_scores_of_any_metric_leave_room(plan, metric):
    X, y = rows(60, gap=50.0)
    mine = made(plan, data=(X, y)).estimate("two", metric=metric)
    assert mine.estimate == 1
    assert 0.5 < mine.low < 1
    assert "model" in mine.estimand


def test_failed_fits_are_left_out_and_said():
    Fails.calls = 0
    run = made(te.KFold(6), {"fails": Fails(), "two": Centroid()})
    mine = run.estimate("fails")
    assert "3 of 6 test folds have no score and are left out" in mine.note
    assert mine.low < mine.estimate < mine.high


def test_clusters_of_leave_one_out():
    X, y = rows(60)
    data = te.Dataset(X, y, clusters=np.arange(60) // 3)
    mine = made(te.LeaveOneOut(), data=data).estimate("two")
    assert mine.method == "effective-t"


def test_questions_that_cannot_be_answered():
    run = made(te.KFold(3))
    with pytest.raises(InputError, match="'tow' is not known"):
        run.estimate("tow")
    with pytest.raises(InputError, match="'corrected-t'"):
        run.estimate("two", method="corected-t")
    with pytest.raises(InputError, match="mean over rows"):
        run.estimate("two", metric="auc", method="bayle")
    with pytest.raises(InputError, match="BatesCV"):
        run.estimate("two", method="bates")
    with pytest.raises(InputError, match="NestedCV"):
        run.estimate("the chosen one", method="corrected-t")
    with pytest.raises(InputError, match="no better end"):
        run.estimate("two", metric="prevalence")


def test_roc_pooled_and_averaged():
    run = made(te.KFold(4, repeats=2))
    pooled = run.roc("two")
    assert pooled.table.n == 120  # one round: a row counts once
    mean = run.roc("two", how="vertical")
    assert len(mean.areas) == 8
    assert abs(pooled.auc().estimate - mean.auc().estimate) < 0.05
    assert len(run.roc("two", how="threshold").areas) == 8
    with pytest.raises(InputError, match="vertical"):
        made(te.Bootstrap(5)).roc("two")


def test_averaged_curves_have_the_area_that_estimate_has():
    run = made(te.KFold(4, repeats=2))
    mean = run.roc("two", how="vertical")
    assert mean.auc() == run.estimate("two", metric="auc")
    wide = run.roc("two", how="threshold", confidence=0.99)
    assert wide.auc() == run.estimate("two", metric="auc", confidence=0.99)
    with pytest.raises(InputError, match="ask"):
        mean.auc(confidence=0.5)
    assert te.load(mean.to_json()) == mean
    plain = te.average_curves(run.predictions(), model="two")
    assert plain.area is None
    assert plain.auc().width < mean.auc().width
    from trueerror.plots import picture

    said = f"{mean.auc().low:.3f}, {mean.auc().high:.3f}] (95 % {mean.auc().method})"
    assert picture(mean).subtitle[0].endswith(said)
    assert "mean AUC" in picture(plain).subtitle[0]
    assert picture(plain).subtitle[0].endswith("(95 % plain t over the curves)")
    assert f"(95 % {mean.auc().method})" in str(mean).replace("\n", " ")


def test_choosing_by_a_metric_of_one_class_needs_and_takes_the_class():
    X, y = rows()
    data = te.Dataset(X, np.array(["sick", "well"])[y])
    run = made(te.NestedCV(3, 3), data=data)
    with pytest.raises(InputError, match="which class is positive"):
        run.estimate(metric="auc")
    mine = run.estimate(metric="auc", positive="well")
    picked = run.chosen("auc", positive="well")
    table = run.fold_scores("auc", positive="well")
    assert mine.estimate == pytest.approx(np.mean([table.of(x)[i] for i, x in enumerate(picked)]), abs=1e-12)


def test_the_chosen_one_has_predictions_and_a_curve():
    run = made(te.NestedCV(4, 3))
    p = run.predictions(learners=["the chosen one", "two"])
    assert p.models == ("the chosen one", "two")
    table, picked = run.fold_scores("accuracy"), run.chosen()
    right = sum(round(table.of(x)[i] * table.tests[i]) for i, x in enumerate(picked))
    assert p.confusion("the chosen one").matrix.trace() == right
    assert run.roc().table.n == 120
    assert len(run.roc(how="vertical").areas) == 4


def test_one_outer_test_part_speaks_of_the_chosen_model():
    run = made(te.NestedCV(te.Holdout(), te.Holdout()))
    mine = run.estimate()
    assert (mine.method, mine.n) == ("wilson", 40)
    assert mine.estimand.startswith("this model of the chosen setting, fitted to 80 rows")
    assert mine.estimate == run.fold_scores().of(run.chosen()[0])[0]


def test_averaged_curves_of_one_class_among_three():
    X, _ = rows()
    run = made(te.KFold(3), data=(X, np.arange(120) % 3), learners={"two": Centroid(2)})
    assert len(run.roc("two", positive=1, how="vertical").areas) == 3
    assert run.roc(positive=2).table.n_positive == 40


class Certain(Centroid):
    """Every probability is 0 or 1."""

    def predict_proba(self, X):
        return super().predict_proba(X).round()


def test_an_infinite_log_loss_is_said_and_can_be_clipped():
    run = made(te.KFold(4), {"certain": Certain(), "two": Centroid()})
    mine = run.estimate("certain", metric="log_loss")
    assert (mine.estimate, math.isnan(mine.low)) == (math.inf, True)
    assert "infinite loss" in mine.note
    with pytest.raises(InputError, match="infinite on 4 test folds"):
        run.compare("log_loss")
    clipped = run.estimate("certain", metric="log_loss", clip=1e-3)
    assert clipped.low < clipped.estimate < clipped.high
    assert run.compare("log_loss", clip=1e-3).best == "two"
