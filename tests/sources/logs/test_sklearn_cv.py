"""What scikit-learn's cross-validation returns, as predictions with folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, cross_val_predict, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

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
    assert own.method == "corrected-t"
    assert own.estimate == pytest.approx(made["test_score"].mean())


def test_scores_of_folds_are_ranked(results: dict[str, dict[str, object]]) -> None:
    table = te.logs.fold_scores({"cancer": results, "again": results})
    assert set(table) == {"dataset", "learner", "fold", "test_score"}
    assert len(table["fold"]) == 2 * 2 * 5
    assert te.rank(table).best == "logreg"
    with pytest.raises(InputError, match="did you mean 'test_score'"):
        te.logs.fold_scores(results, score="test_scor")


def test_what_is_lacking_is_said(results: dict[str, dict[str, object]]) -> None:
    plain = cross_validate(GaussianNB(), X, Y, cv=CV)
    with pytest.raises(InputError, match="return_estimator=True"):
        te.logs.cross_validate(plain, X, Y)
    other = cross_validate(GaussianNB(), X, Y, cv=5, return_estimator=True, return_indices=True)
    with pytest.raises(InputError, match="tested on other rows"):
        te.logs.cross_validate({**results, "other": other}, X, Y)
    with pytest.raises(InputError, match="random_state"):
        te.logs.cross_val_predict(Y, Y, cv=StratifiedKFold(5, shuffle=True))
