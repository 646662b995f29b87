"""What scikit-learn's cross-validation returns, as predictions with folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import trueerror as te
from trueerror.inputs._options import InputError

X, Y = load_breast_cancer(return_X_y=True)
MODELS = {"logreg": make_pipeline(StandardScaler(), LogisticRegression()), "bayes": GaussianNB()}
CV = StratifiedKFold(5, shuffle=True, random_state=3)


@pytest.fixture(scope="module")
def results() -> dict[str, dict[str, object]]:
    return {
        name: cross_validate(model, X, Y, cv=CV, return_estimator=True, return_indices=True)
        for name, model in MODELS.items()
    }


def test_cross_validate_is_cross_val_predict(results: dict[str, dict[str, object]]) -> None:
    p = te.logs.cross_validate(results, X, Y)
    called = {name: cross_val_predict(model, X, Y, cv=CV) for name, model in MODELS.items()}
    q = te.logs.cross_val_predict(Y, called, cv=CV)
    assert len(p.keys("folds").names) == len(q.keys("folds").names) == 5
    for name in MODELS:
        one, two = te.evaluate(p).model(name)["accuracy"], te.evaluate(q).model(name)["accuracy"]
        assert one.estimate == two.estimate == np.mean(called[name] == Y)
    chances = cross_val_predict(MODELS["bayes"], X, Y, cv=CV, method="predict_proba")
    scored = te.logs.cross_val_predict(Y, scores={"bayes": chances}, cv=CV)
    assert te.evaluate(scored)["auc"].estimate == pytest.approx(te.evaluate(p).model("bayes")["auc"].estimate)


def test_repeated_folds_are_kept_apart() -> None:
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    made = cross_validate(GaussianNB(), X, Y, cv=cv, return_estimator=True, return_indices=True)
    p = te.logs.cross_validate(made, X, Y)
    assert p.n == 2 * len(Y)
    own = te.evaluate(p)["accuracy"]
    assert own.n == len(Y)
    assert own.estimate == pytest.approx(made["test_score"].mean(), abs=1e-3)


def test_scores_of_folds_are_ranked(results: dict[str, dict[str, object]]) -> None:
    table = te.logs.fold_scores({"cancer": results, "again": results})
    assert set(table) == {"dataset", "learner", "repeat", "fold", "train_rows", "test_rows", "test_score"}
    assert len(table["fold"]) == 2 * 2 * 5
    assert te.rank(table).best == "logreg"
    assert te.rank(te.logs.fold_scores(results, score="accuracy")).value_name == "accuracy"


def test_what_is_lacking_is_said(results: dict[str, dict[str, object]]) -> None:
    plain = cross_validate(GaussianNB(), X, Y, cv=CV)
    with pytest.raises(InputError, match="return_estimator=True"):
        te.logs.cross_validate(plain, X, Y)
    other = cross_validate(GaussianNB(), X, Y, cv=5, return_estimator=True, return_indices=True)
    with pytest.raises(InputError, match="tested on other rows"):
        te.logs.cross_validate({**results, "other": other}, X, Y)
    with pytest.raises(InputError, match="random_state"):
        te.logs.cross_val_predict(Y, Y, cv=StratifiedKFold(5, shuffle=True))


REPEATED = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)


def test_results_of_cross_validate_are_compared_as_learners() -> None:
    made = {n: cross_validate(m, X, Y, cv=REPEATED, return_indices=True) for n, m in MODELS.items()}
    cmp = te.compare(made)
    names = list(MODELS)
    gap = made[names[0]]["test_score"] - made[names[1]]["test_score"]
    by_hand = te.significance.corrected_t(gap, test_train_ratio=1 / 4)
    assert cmp[names[0], names[1]].p_value == pytest.approx(by_hand.p_value, rel=0.02)
    assert cmp.estimates[names[0]].estimate == pytest.approx(made[names[0]]["test_score"].mean())
    pair = te.compare(*made.values())
    assert pair["first", "second"].p_value == cmp[names[0], names[1]].p_value
    own = te.evaluate(made[names[0]])
    assert own["score"].estimate == cmp.estimates[names[0]].estimate
    assert "threshold" not in str(own)


def test_sizes_are_asked_for_and_taken_from_the_splitter() -> None:
    made = {n: cross_validate(m, X, Y, cv=REPEATED) for n, m in MODELS.items()}
    scores = {n: one["test_score"] for n, one in made.items()}
    for given in (made, scores):
        with pytest.raises(InputError, match="pass the splitter as cv="):
            te.compare(given)
        pair = te.compare(given, cv=REPEATED).pairs[0]
        gap = np.subtract(*scores.values())
        assert pair.p_value == pytest.approx(te.significance.corrected_t(gap, test_train_ratio=1 / 4).p_value)
    with pytest.raises(InputError, match="there are 15 scores"):
        te.compare(scores, cv=10)


def test_random_splits_keep_their_ratio_in_rankings() -> None:
    cv = ShuffleSplit(20, test_size=0.3, random_state=0)
    made = {n: cross_validate(m, X, Y, cv=cv, return_indices=True) for n, m in MODELS.items()}
    gap = np.subtract(*(one["test_score"] for one in made.values()))
    tests, trains = (len(next(iter(made.values()))["indices"][part][0]) for part in ("test", "train"))
    right = te.significance.corrected_t(gap, test_train_ratio=tests / trains).p_value
    assert te.rank(te.logs.fold_scores(made)).within[0].p_value == pytest.approx(right)
    assert te.rank(made).within[0].p_value == pytest.approx(right)
    scores = {n: one["test_score"] for n, one in made.items()}
    assert te.rank(scores, cv=cv).within[0].p_value == pytest.approx(right, rel=0.05)
    assert te.compare(scores, cv=cv).pairs[0].p_value == pytest.approx(right, rel=0.05)


def test_a_frame_of_cross_val_score_is_asked_about() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({n: cross_val_score(m, X, Y, cv=5) for n, m in MODELS.items()})
    with pytest.raises(InputError, match="are they data sets, or folds of one"):
        te.rank(frame)
    assert te.rank(frame, cv=5).data_sets == ("the data set",)


def test_named_scores_and_losses() -> None:
    made = {
        n: cross_validate(m, X, Y, cv=CV, scoring=["roc_auc", "neg_log_loss", "f1"], return_indices=True)
        for n, m in MODELS.items()
    }
    assert te.compare(made, metric="roc_auc").metric == "auc"
    loss = te.compare(made, metric="neg_log_loss")
    assert not loss.higher_is_better
    assert loss.estimates["bayes"].estimate == pytest.approx(-made["bayes"]["test_neg_log_loss"].mean())
    assert "TE515" in te.compare(made, metric="f1").findings.codes
    with pytest.raises(InputError, match="several scores"):
        te.compare(made)


def test_a_search_is_judged_without_its_luck() -> None:
    grid = {"max_depth": [1, 2, 3, 5], "min_samples_leaf": [1, 4]}
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=CV, scoring="roc_auc").fit(X, Y)
    ev = te.evaluate(search)
    scores = np.stack([search.cv_results_[f"split{i}_test_score"] for i in range(5)])
    honest = [scores[k][np.delete(scores, k, 0).mean(axis=0).argmax()] for k in range(5)]
    assert ev["auc"].estimate == pytest.approx(np.mean(honest))
    assert ev["auc"].estimate <= search.best_score_ + 1e-9
    assert "best of 8 settings" in ev["auc"].note
    assert te.evaluate(search.cv_results_, cv=5)["score"].estimate == pytest.approx(np.mean(honest))
    assert te.logs.grid_search(search).best is not None
    assert len(te.compare(search).models) == 8


def test_the_splitter_gives_the_folds_of_cross_val_predict() -> None:
    chances = {n: cross_val_predict(m, X, Y, cv=CV, method="predict_proba")[:, 1] for n, m in MODELS.items()}
    one = te.compare(Y, scores=chances, cv=CV, metric="auc")
    two = te.compare(te.logs.cross_val_predict(Y, scores=chances, cv=CV), metric="auc")
    assert one.pairs == two.pairs
    assert one.pairs[0].method == "within-folds-paired"
    assert te.evaluate(Y, scores=chances["bayes"], cv=CV)["auc"].method == "within-folds"
