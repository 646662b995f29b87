"""ModelCurves of several models: made, drawn, framed, saved as one."""

import numpy as np
import pandas as pd
import pytest

import trueerror as te
from trueerror.curves._base import every_curve_kind
from trueerror.curves._roc import Roc
from trueerror.curves._verb import ModelCurves

RNG = np.random.default_rng(3)
Y = RNG.integers(0, 2, 120)
A = np.clip(0.3 * Y + RNG.uniform(0, 0.7, 120), 0, 1)
B = np.clip(0.2 * Y + RNG.uniform(0, 0.8, 120), 0, 1)
KINDS = [kind for kind in every_curve_kind() if kind.verb != "measure_curve"]


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.verb)
def test_every_curve_takes_several_models(kind, tmp_path):
    make = kind.make()
    both = make(Y, {"a": A, "b": B})
    assert isinstance(both, ModelCurves)
    assert list(both) == ["a", "b"]
    pd.testing.assert_frame_equal(pd.DataFrame(both["a"].records()), pd.DataFrame(make(Y, A).records()))
    assert [r["model"] for r in both.records()][:1] == ["a"]
    assert both.plot().svg.count('class="curve') >= 2
    assert str(both["b"]) in str(both)
    for other in (make(te.predictions(Y, scores={"a": A, "b": B})), make(Y, pd.DataFrame({"a": A, "b": B}))):
        assert other["b"] == both["b"]
    both.save(tmp_path / "both.json")
    assert te.load(tmp_path / "both.json")["a"] == both["a"]


def test_a_table_with_two_models_gives_two_curves(tmp_path):
    table = {"y": list(Y), "a": list(A), "b": list(B)}
    pd.DataFrame(table).to_csv(tmp_path / "rows.csv", index=False)
    for source in (table, tmp_path / "rows.csv"):
        assert list(te.roc(source, truth="y")) == ["a", "b"]
        assert te.roc(source, truth="y", model="b").name == "b"


def test_of_several_models_the_only_one_with_scores():
    rows = te.predictions(Y, {"calls": Y}, scores={"scored": A})
    assert te.roc(rows).name == "scored"


def test_one_curve_of_several_is_named_in_the_error():
    both = te.roc(Y, {"a": A, "b": B})
    with pytest.raises(AttributeError, match=r"\['a'\].auc"):
        both.auc()
    with pytest.raises(KeyError, match="no curve of 'c'"):
        both["c"]
    assert not hasattr(both, "nonsense")


def test_pictures_of_several_have_bands():
    both = te.roc(Y, {"a": A, "b": B})
    assert both.plot().svg.count('class="band') > both.plot(band=False).svg.count('class="band')


def test_from_estimator_and_from_predictions():
    class Model:
        classes_ = np.array([0, 1])

        def predict(self, X):
            return (X[:, 0] > 0.5).astype(int)

        def predict_proba(self, X):
            return np.column_stack([1 - X[:, 0], X[:, 0]])

    wanted = te.roc(Y, A).auc()
    assert Roc.from_estimator(Model(), A.reshape(-1, 1), Y).auc() == wanted
    assert Roc.from_predictions(Y, A).auc() == wanted
    assert list(te.roc([Model(), Model()], A.reshape(-1, 1), Y)) == ["Model", "Model 2"]
