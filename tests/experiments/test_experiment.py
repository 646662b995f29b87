"""te.experiment: what is predicted, what is recorded, and what is refused."""

import re
import signal
import sys

import numpy as np
import pytest
from simple_learners import (
    Broken,
    Busy,
    Dice,
    Interrupted,
    KillsItsProcess,
    KillsOnce,
    Loud,
    Means,
    OddProbabilities,
    OneThread,
    Slow,
    Stuck,
    Watched,
)

import trueerror as te
from trueerror.inputs._options import InputError


def same(first: te.Experiment, second: te.Experiment) -> bool:
    return first.outcomes.keys() == second.outcomes.keys() and all(
        a.same_result(b)
        for key in first.outcomes
        for a, b in zip(first.outcomes[key], second.outcomes[key], strict=True)
    )


def test_out_of_fold_predictions_equal_a_bare_loop(rows):
    X, y = rows
    run = te.experiment({"means": Means()}, rows, plan=te.KFold(5, repeats=2))
    p = run.predictions()
    assert p.n == 180
    right = 0
    for split in te.KFold(5, repeats=2).splits(te.Dataset(X, y).rows, 0):
        right += int((Means().fit(X[split.train], y[split.train]).predict(X[split.test]) == y[split.test]).sum())
    assert p.confusion("means").matrix.trace() == right
    assert p.has_key("folds")
    assert p.has_key("repeats")
    assert p.has_scores("means")


def test_scikit_learn_pipelines_on_a_data_frame():
    import pandas as pd
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    iris = load_iris()
    frame = pd.DataFrame(iris.data, columns=iris.feature_names)
    names = iris.target_names[iris.target]
    model = make_pipeline(StandardScaler(), LogisticRegression())
    cv = StratifiedKFold(5, shuffle=True, random_state=1)
    run = te.experiment({"logistic": model}, te.Dataset(frame, names), plan=cv)
    expected = (cross_val_predict(model, frame, names, cv=cv) == names).sum()
    assert run.predictions().confusion("logistic").matrix.trace() == expected
    assert run.predictions().labels == ("setosa", "versicolor", "virginica")


def test_fold_scores_are_those_of_each_fold(rows):
    run = te.experiment({"means": Means(), "dice": Dice()}, rows, plan=te.KFold(5, repeats=2))
    scores = run.fold_scores("accuracy")
    assert scores.values.shape == (2, 10)
    assert scores.tests.tolist() == [18] * 10
    assert scores.trains.tolist() == [72] * 10
    assert scores.test_train_ratio == 0.25
    p = run.predictions().slice("repeat 1, fold 3", "folds")
    assert scores.of("means")[8] == te.metric("accuracy", p.confusion("means"))
    assert run.fold_scores("auc").of("means")[8] == pytest.approx(te.metric("auc", p.scores("means")))
    assert run.fold_scores("log_loss").of("means")[8] == pytest.approx(p.moments("means", _log_loss).mean)
    assert not run.fold_scores("log_loss").higher_is_better


def _log_loss(codes, p):
    return -np.log(p[np.arange(len(codes)), codes])


def test_a_failing_fit_is_recorded_and_the_rest_goes_on(rows):
    run = te.experiment({"broken": Broken(), "means": Means()}, rows, plan=5)
    assert len(run.failures) == 5
    assert run.failures[0].error == "RuntimeError: no luck with 72 rows"
    assert "simple_learners.py" in run.failures[0].trace
    assert "5 fits failed; the first: broken on data, RuntimeError: no luck" in str(run)
    p = run.predictions()
    assert p.models == ("means",)
    assert "Left out: 5 of 5 fits of broken failed" in p.notes[0]
    assert np.isnan(run.fold_scores().of("broken")).all()
    with pytest.raises(InputError, match="5 of 5 fits of broken failed"):
        run.predictions(learners=["broken"])


def test_an_exception_without_words_is_recorded(rows):
    class Mute(Exception):
        def __str__(self):
            raise KeyError

    class Silent(Means):
        def fit(self, X, y):
            raise Mute

    run = te.experiment({"silent": Silent(), "means": Means()}, rows, plan=2)
    assert [f.error for f in run.failures] == ["Mute"] * 2
    assert run.predictions().models == ("means",)


@pytest.mark.parametrize(("engine", "learner"), [(None, Slow()), (None, Busy()), ("threading", Busy())])
def test_a_learner_past_its_time_is_recorded(rows, engine, learner):
    run = te.experiment({"slow": learner, "means": Means()}, rows, plan=2, timeout=0.2, engine=engine, jobs=1)
    assert [(f.learner, f.status) for f in run.failures] == [("slow", "timeout")] * 2
    assert "0.2 seconds" in run.failures[0].error
    assert all(t.fit_seconds < 3 for t in run.times)


def test_a_learner_that_never_comes_back_is_ended_with_its_process(rows, tmp_path):
    def go():
        learners = {"stuck": Stuck(), "means": Means()}
        return te.experiment(learners, rows, plan=te.Holdout(), timeout=0.2, jobs=2, store=tmp_path)

    (failure,) = go().failures
    assert (failure.learner, failure.status) == ("stuck", "timeout")
    assert "stopped after 0.2 seconds, with its process" in failure.error
    assert go().resumed == 2


def test_warnings_stay_with_their_task(rows):
    for engine in (None, "threading"):
        run = te.experiment({"loud": Loud(), "means": Means()}, rows, plan=3, engine=engine, jobs=2 if engine else 1)
        assert [(w.learner, w.fold, w.message) for w in run.warnings] == [
            ("loud", fold, "RuntimeWarning: did not converge (3 times)") for fold in range(3)
        ]


def test_open_random_states_are_seeded_and_set_ones_kept(rows):
    first, again, other = (te.experiment({"dice": Dice()}, rows, plan=3, rng=seed) for seed in (1, 1, 2))
    assert same(first, again)
    assert not same(first, other)
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    te.experiment({"dice": Dice()}, rows, plan=3)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


@pytest.mark.parametrize(("engine", "jobs"), [("threading", 3), ("loky", 2)])
def test_every_engine_gives_the_same_results(rows, engine, jobs):
    learners = {"means": Means(), "sharp": Means(4.0), "broken": Broken(), "loud": Loud()}
    plan = te.KFold(4, repeats=2)
    alone = te.experiment(learners, rows, plan=plan)
    assert same(alone, te.experiment(learners, rows, plan=plan, engine=engine, jobs=jobs))


def test_worker_processes_draw_the_same_random_numbers(rows):
    alone = te.experiment({"dice": Dice()}, rows, plan=4)
    assert same(alone, te.experiment({"dice": Dice()}, rows, plan=4, jobs=2))


def test_a_learner_that_kills_its_worker_is_a_failure_and_the_rest_goes_on(rows, tmp_path):
    learners = {"killer": KillsItsProcess(), "means": Means()}
    run = te.experiment(learners, rows, plan=te.Holdout(), jobs=2, store=tmp_path / "run")
    assert [f.learner for f in run.failures] == ["killer"]
    assert "the worker process died" in run.failures[0].error


def test_a_worker_that_dies_once_costs_nothing(rows, tmp_path):
    run = te.experiment({"killer": KillsOnce(str(tmp_path)), "means": Means()}, rows, plan=3, jobs=2)
    assert (tmp_path / "killed").exists()
    assert not run.failures
    assert np.array_equal(run.fold_scores().of("killer"), run.fold_scores().of("means"))


@pytest.mark.parametrize(("engine", "jobs"), [(None, 1), ("loky", 2), ("threading", 2)])
def test_blas_runs_on_one_thread_also_at_one_job(rows, engine, jobs):
    from threadpoolctl import threadpool_info

    before = [pool["num_threads"] for pool in threadpool_info()]
    run = te.experiment({"probe": OneThread()}, rows, plan=2, engine=engine, jobs=jobs)
    assert not run.failures, run.failures
    assert [pool["num_threads"] for pool in threadpool_info()] == before


def test_engines_that_are_not_installed_are_named(rows, monkeypatch):
    for engine, module in (("ray", "ray"), ("dask", "distributed")):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(InputError, match=f'engine="{engine}" needs .*: pip install'):
            te.experiment({"means": Means()}, rows, plan=2, engine=engine, jobs=2)


@pytest.mark.parametrize("balance", ["over", "under"])
def test_balancing_never_takes_a_test_row(tmp_path, balance):
    n = 100
    y = (np.arange(n) % 5 == 0).astype(int)
    X = np.stack([np.arange(n), y], axis=1).astype(float)
    run = te.experiment({"watched": Watched(str(tmp_path))}, (X, y), plan=te.KFold(5, repeats=2), balance=balance)
    seen = [np.load(path) for path in sorted(tmp_path.glob("*.npz"))]
    assert len(seen) == 10
    for fit, split in zip(seen, run.splits["data"], strict=True):
        assert not set(fit["rows"].astype(int)) & set(split.test.tolist())
        assert set(fit["rows"].astype(int)) <= set(split.train.tolist())
        assert (fit["y"] == 0).sum() == (fit["y"] == 1).sum() == (64 if balance == "over" else 16)
        # Test folds keep their own class shares.
        assert y[split.test].mean() == 0.2


def test_imbalanced_learn_pipelines_are_learners_like_others(tmp_path):
    pytest.importorskip("imblearn")
    from imblearn.over_sampling import RandomOverSampler
    from imblearn.pipeline import make_pipeline
    from sklearn.base import BaseEstimator

    class Seen(Watched, BaseEstimator):
        pass

    n = 60
    y = (np.arange(n) % 4 == 0).astype(int)
    X = np.stack([np.arange(n), y], axis=1).astype(float)
    run = te.experiment({"over": make_pipeline(RandomOverSampler(), Seen(str(tmp_path)))}, (X, y), plan=te.KFold(3))
    assert not run.failures, run.failures[0].trace
    leaks = [fit & test for fit, test in zip(fitted_rows(tmp_path), rows_tested(run), strict=True)]
    assert leaks == [set(), set(), set()]
    for path, split in zip(sorted(tmp_path.glob("*.npz")), run.splits["data"], strict=True):
        fit = np.load(path)
        assert (fit["y"] == 0).sum() == (fit["y"] == 1).sum() == 30
        assert set(fit["rows"].astype(int)) <= set(split.train.tolist())


def test_oversampling_before_the_split_would_be_seen(tmp_path):
    """What the test above looks for, done wrong on purpose: copies of test rows among the training rows."""
    y = (np.arange(60) % 4 == 0).astype(int)
    again = np.concatenate([np.arange(60), np.repeat(np.flatnonzero(y), 2)])
    X = np.stack([again, y[again]], axis=1).astype(float)
    run = te.experiment({"over": Watched(str(tmp_path))}, (X, y[again]), plan=te.KFold(3))
    tested = [set(X[test, 0].astype(int).tolist()) for test in (s.test for s in run.splits["data"])]
    assert all(fit & test for fit, test in zip(fitted_rows(tmp_path), tested, strict=True))


def fitted_rows(folder):
    """The rows that each fit saw, by the number in their first column."""
    return [set(np.load(path)["rows"].astype(int).tolist()) for path in sorted(folder.glob("*.npz"))]


def rows_tested(run):
    return [set(s.test.tolist()) for s in run.splits["data"]]


def test_pair_losses_have_the_shape_that_bates_needs(rows):
    run = te.experiment({"means": Means()}, rows, plan=te.BatesCV(4, repeats=2))
    repeats = run.pair_losses("means")
    assert len(repeats) == 2
    for repeat in repeats:
        assert sum(map(len, repeat.single)) == 90
        assert sorted(repeat.pair) == [(i, j) for i in range(4) for j in range(i + 1, 4)]
        for (i, j), (on_i, on_j) in repeat.pair.items():
            assert len(on_i) == len(repeat.single[i])
            assert len(on_j) == len(repeat.single[j])
    with pytest.raises(InputError, match=r"need the plan te\.BatesCV"):
        te.experiment({"means": Means()}, rows, plan=3).pair_losses("means")


def test_bootstrap_keeps_the_apparent_errors(rows):
    run = te.experiment({"means": Means()}, rows, plan=te.Bootstrap(5))
    ((tested, losses),) = run.losses("means", part="apparent")
    X, y = rows
    assert losses.mean() == (Means().fit(X, y).predict(X) != y).mean()
    assert len(tested) == 90
    assert len(run.losses("means")) == 5


def test_weights_and_clusters_reach_learners_and_predictions(rows):
    X, y = rows
    from sklearn.naive_bayes import GaussianNB

    data = te.Dataset(X, y, clusters=np.arange(90) // 3, weights=np.arange(90.0), ids=[f"r{i}" for i in range(90)])
    run = te.experiment({"nb": GaussianNB()}, data, plan=5)
    plain = te.experiment({"nb": GaussianNB()}, te.Dataset(X, y, clusters=np.arange(90) // 3), plan=5)
    assert not same(run, plain)
    assert run.predictions().has_key("clusters")
    assert run.predictions().has_ids


def test_learners_that_take_no_weights_are_fitted_without_and_it_is_said(rows):
    run = te.experiment({"means": Means()}, te.Dataset(*rows, weights=np.arange(90.0)), plan=3)
    assert not run.failures
    assert {w.message for w in run.warnings} == {"UserWarning: Means takes no weights: fitted without"}
    assert same(run, te.experiment({"means": Means()}, rows, plan=3))


def test_scores_of_parts_are_computed_once_and_cannot_be_changed(rows):
    run = te.experiment({"means": Means()}, rows, plan=3)
    assert run.fold_scores() is run.fold_scores("accuracy")
    assert run.fold_scores("f_beta", beta=2) is not run.fold_scores("f_beta", beta=3)
    with pytest.raises(ValueError, match="read-only"):
        run.fold_scores().values[0, 0] = 1


def test_a_class_that_is_not_in_the_training_part_has_probability_zero():
    X = np.arange(12.0).reshape(-1, 1)
    y = np.array(["a"] * 5 + ["b"] * 6 + ["c"])
    run = te.experiment({"means": Means()}, (X, y), plan=[([0, 1, 5, 6], [2, 7, 11])])
    assert run.outcomes["data", "means"][0].scores[:, 2].tolist() == [0, 0, 0]


def test_several_data_sets_are_asked_by_name(rows):
    run = te.experiment({"means": Means()}, {"one": rows, "two": rows}, plan=3)
    with pytest.raises(InputError, match="there are 2 data sets; choose one of one, two"):
        run.predictions()
    assert run.predictions("two").n == 90
    with pytest.raises(InputError, match="did you mean 'two'"):
        run.predictions("twoo")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learners": []}, 'learners is empty; pass {"name": estimator}'),
        ({"learners": [3]}, "without fit"),
        ({"learners": {"m": Means}}, "is the class Means; pass an instance"),
        ({"learners": {1: Means(), "1": Means()}}, "two of learners have the same name: 1, '1'"),
        ({"learners": {"the chosen one": Means()}}, "give the learner another name"),
        ({"data": "rows.csv"}, r"not str; te.Dataset.read\(path, target="),
        ({"learners": {"m": object()}}, "without fit"),
        ({"data": 3}, "must be a te.Dataset or a pair"),
        ({"data": ([[1], [2]], [0, 0])}, "y has 1 class"),
        ({"data": ([[1], [2], [3]], [0, 1])}, "X has 3 rows but y has 2"),
        ({"y": te.KFold(3)}, "KFold is a plan, not the classes of the rows: it goes in plan="),
        ({"plan": 100}, "data set 'data': 100-fold cross-validation needs at least 100 rows"),
        ({"engine": "lokey"}, "did you mean 'loky'"),
        ({"jobs": 0}, "jobs=0 must be"),
        ({"balance": "both"}, "balance='both' is not known"),
        ({"timeout": -1}, "timeout=-1 must be"),
        ({"rng": -1}, "rng=-1 must be"),
    ],
)
def test_wrong_input_is_refused_in_words(rows, change, message):
    given = {"learners": {"means": Means()}, "data": rows, "plan": 3} | change
    with pytest.raises(InputError, match=message):
        te.experiment(given.pop("learners"), given.pop("data"), **given)


def test_forests_are_asked_once_and_say_the_same():
    from sklearn.datasets import load_iris
    from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier

    from trueerror.experiments._fit import calls_most_probable, predict

    X, y = load_iris(return_X_y=True)
    for kind in (RandomForestClassifier, ExtraTreesClassifier, BaggingClassifier):
        model = kind(n_estimators=4, max_features=1, random_state=0).fit(X[::2], y[::2])
        assert calls_most_probable(model)
        codes, scores = predict(model, X, (0, 1, 2), 150)
        assert codes.tolist() == model.predict(X).tolist()
        assert np.array_equal(scores, model.predict_proba(X))

    class Own(RandomForestClassifier):
        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    own = Own(n_estimators=4).fit(X, y)
    assert not calls_most_probable(own)
    assert set(predict(own, X, (0, 1, 2), 150)[0].tolist()) == {0}
    assert not calls_most_probable(Means())


def _odd(odd, other=None, **options):
    r = np.random.default_rng(0)
    X = r.normal(size=(100, 2))
    y = (X[:, 0] + r.normal(size=100) > 0).astype(int)
    learners = {"odd": OddProbabilities(odd, other), "means": Means()}
    return te.experiment(learners, {"rows": (X, y)}, plan=te.KFold(5), rng=0, progress=False, **options)


@pytest.mark.parametrize(("odd", "seen"), [(-0.2, "1.2 for class 0"), (1.7, "-0.7 for class 0")])
def test_scores_beyond_01_rank_but_are_no_probabilities(odd, seen, tmp_path):
    run = _odd(odd, store=tmp_path / "run.sqlite")
    row = int(run.splits["rows"][0].test[3]) + 1
    said = re.escape(f"'odd' on 'rows' (repeat 1, fold 1) gave {seen} in row {row}:")
    for judge in (
        lambda: run.estimate("odd", metric="brier"),
        lambda: run.fold_scores("log_loss"),
        lambda: run.losses("odd", metric="brier"),
    ):
        with pytest.raises(InputError, match=said):
            judge()
    # What does not read them as probabilities stands, and nothing that was fitted is lost.
    assert run.failures == ()
    assert 0.4 < run.estimate("odd", metric="auc").estimate < 0.6
    assert run.estimate("odd").estimate > 0.7
    assert "TE303" in run.findings
    assert {w.learner for w in run.warnings} == {"odd"}
    assert "in row 4 of 20 test rows: no probability" in run.warnings[0].message
    assert _odd(odd, store=tmp_path / "run.sqlite").resumed == 10


@pytest.mark.parametrize("odd", [np.inf, -np.inf])
def test_infinite_probabilities_are_named(odd):
    with pytest.raises(InputError, match=rf"gave {odd} for class 1 in row \d+: give it a predict_proba"):
        _odd(odd, 0.5).estimate("odd", metric="brier")


def test_probabilities_that_do_not_add_up_are_named():
    run = _odd(0.9, 0.5)
    said = r"the scores of 'odd' on 'rows' \(repeat 1, fold 1\) must add up to 1 in each row, but row 4 adds up to 1\.4"
    for judge in (lambda: run.estimate("odd", metric="brier"), lambda: run.losses("odd", metric="log_loss")):
        with pytest.raises(InputError, match=said):
            judge()
    assert "TE303" in run.findings


def test_a_missing_probability_fails_the_fit_and_says_where():
    run = _odd(np.nan, 0.5)
    assert {f.learner for f in run.failures} == {"odd"}
    assert "the scores hold NaN: that of class 1 in row 4 of 20 test rows" in run.failures[0].error
    assert run.estimate("means").estimate > 0.7


def test_probabilities_that_pass_1_by_rounding_are_probabilities():
    run = _odd(1 + 1e-12)
    assert run.warnings == ()
    assert 0.2 < run.estimate("odd", metric="brier").estimate < 0.3


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="a matter of POSIX")
def test_ctrl_c_reaches_the_process_that_directs_alone(rows):
    # Where it came to workers too, one could print a traceback, or stop all by an exception of its own.
    run = te.experiment({"m": Interrupted()}, rows, plan=te.KFold(4), jobs=2, rng=0, progress=False)
    assert run.failures == ()
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
