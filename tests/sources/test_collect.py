"""te.predictions: what may be given, what is refused and how it is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError


def test_one_array_is_one_model() -> None:
    p = te.predictions([0, 1, 1], [0, 1, 0], scores=[0.1, 0.9, 0.4])
    assert p.models == ("model",)
    assert p.has_labels("model")
    assert p.has_scores("model")
    assert p.confusion().matrix.tolist() == [[1, 0], [1, 1]]


def test_labels_win_over_scores_unless_a_threshold_is_given() -> None:
    p = te.predictions([0, 1, 1], [1, 1, 1], scores=[0.1, 0.9, 0.4])
    assert p.confusion().matrix.tolist() == [[0, 1], [0, 2]]
    assert p.confusion(threshold=0.5).matrix.tolist() == [[1, 0], [1, 1]]
    assert p.with_threshold(0.3).confusion().matrix.tolist() == [[1, 0], [0, 2]]


def test_a_score_at_the_threshold_is_positive() -> None:
    p = te.predictions([0, 1], scores=[0.5, 0.49999])
    assert p.confusion().matrix.tolist() == [[0, 1], [1, 0]]


def test_scores_beyond_zero_and_one_need_a_threshold() -> None:
    p = te.predictions([0, 1, 1], scores={"svm": [-1.5, 0.2, 3.0]})
    assert not p.has_predictions("svm")
    with pytest.raises(InputError, match=r"'svm' run from -1.5 to 3, not within \[0, 1\].*threshold="):
        p.confusion("svm")
    assert p.confusion("svm", threshold=0).matrix.tolist() == [[1, 0], [0, 2]]
    given = te.predictions([0, 1, 1], scores={"svm": [-1.5, 0.2, 3.0]}, threshold=0)
    assert given.has_predictions("svm")
    assert given.confusion("svm") == p.confusion("svm", threshold=0)
    one_each = te.predictions([0, 1], scores={"a": [-1.0, 1.0], "b": [0.2, 9.0]}, threshold={"a": 0, "b": 0.1})
    assert one_each.confusion("b").matrix.tolist() == [[0, 1], [0, 1]]


def test_the_positive_class_is_never_guessed() -> None:
    p = te.predictions(["no", "yes"], scores={"svm": [0.1, 0.9]})
    assert p.positive is None
    assert not p.has_predictions("svm")
    for ask in (p.confusion, p.scores):
        with pytest.raises(InputError, match="positive= one of 'no', 'yes'"):
            ask("svm")
    assert p.with_positive("yes").confusion("svm").matrix.tolist() == [[1, 0], [0, 1]]
    assert p.scores("svm", positive="yes").n_positive == 1


def test_scores_are_never_flipped() -> None:
    p = te.predictions([0, 1, 1], scores={"svm": [0.1, 0.9, 0.4]})
    with pytest.raises(InputError, match="never flipped"):
        p.scores("svm", positive=0)
    with pytest.raises(InputError, match="never flipped"):
        p.with_positive(0)
    both = te.predictions([0, 1, 1], scores={"svm": np.array([[0.9, 0.1], [0.1, 0.9], [0.6, 0.4]])})
    assert both.scores("svm", positive=0).scores.tolist() == [0.1, 0.6, 0.9]
    assert both.with_positive(0).scores("svm").positives.tolist() == [0, 0, 1]


def test_class_scores_follow_the_label_order_or_their_names() -> None:
    truth = ["a", "b", "c"]
    table = np.array([[0.1, 0.2, 0.7], [0.1, 0.8, 0.1], [0.5, 0.2, 0.3]])
    p = te.predictions(truth, scores=table)
    assert p.confusion().matrix.tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    ordered = te.predictions(truth, scores=table, labels=["c", "a", "b"])
    assert ordered.labels == ("c", "a", "b")
    assert ordered.confusion().records()[0] == {"truth": "c", "predicted": "c", "count": 1}
    named = te.predictions(truth, scores={"m": {"c": table[:, 0], "a": table[:, 1], "b": table[:, 2]}})
    assert named.scores("m", positive="c").scores.tolist() == [0.1, 0.5]


def test_columns_named_by_class_go_by_name() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    table = {"b": [0.9, 0.2], "a": [0.1, 0.8]}
    for frame in (pandas.DataFrame(table), polars.DataFrame(table)):
        p = te.predictions(["a", "b"], scores={"m": frame})
        assert p.scores("m", positive="b").scores.tolist() == [0.2, 0.9]
    nameless = pandas.DataFrame(np.array([[0.1, 0.9], [0.8, 0.2]]))
    assert te.predictions(["a", "b"], scores=nameless).scores(positive="b").scores.tolist() == [0.2, 0.9]
    named = pandas.DataFrame({"1": [0.1, 0.8], "0": [0.9, 0.2]})
    assert te.predictions([0, 1], scores=named).scores().scores.tolist() == [0.1, 0.8]


def test_natural_labels_and_unseen_ones() -> None:
    assert te.predictions([1, 1], [1, 1]).labels == (0, 1)
    p = te.predictions(["a", "b"], {"m": ["a", "z"]})
    assert p.labels == ("a", "b", "z")
    assert te.predictions([0, 1], {"m": [True, False]}).confusion("m").matrix.tolist() == [[0, 1], [1, 0]]
    assert te.predictions(np.array([0.0, 1.0]), [0, 1]).labels == (0, 1)


def test_keys_may_be_anything() -> None:
    days = np.array(["2024-01-01", "2024-01-02", "2024-01-01"], dtype="datetime64[D]")
    p = te.predictions([0, 1, 1], [0, 1, 0], by=days, clusters=[1.5, 2.5, 1.5])
    assert p.slices() == ("2024-01-01", "2024-01-02")
    assert p.keys("clusters").names == ("1.5", "2.5")
    assert p.keys("clusters").sizes.tolist() == [2, 1]


def test_a_fold_belongs_to_its_repeat() -> None:
    p = te.predictions([0, 1, 0, 1], [0, 1, 1, 1], ids=[1, 2, 1, 2], folds=[1, 2, 1, 2], repeats=[1, 1, 2, 2])
    assert p.keys("folds").names == ("repeat 1, fold 1", "repeat 1, fold 2", "repeat 2, fold 1", "repeat 2, fold 2")
    assert p.slice("repeat 2, fold 1", "folds").confusion().matrix.tolist() == [[0, 1], [0, 0]]


class Fitted:
    """Enough of a fitted classifier."""

    def __init__(self, classes: list[Any], **answers: Any) -> None:
        self.classes_ = np.array(classes)
        self.answers = answers
        for name in answers:
            setattr(self, name, lambda X, name=name: np.asarray(self.answers[name])[X])


ROWS = np.array([0, 1, 2])


def test_fitted_probabilities_follow_classes() -> None:
    model = Fitted(["yes", "no"], predict=["yes", "no", "no"], predict_proba=[[0.8, 0.2], [0.3, 0.7], [0.4, 0.6]])
    p = te.predictions(["yes", "yes", "no"], fitted={"rf": model}, X=ROWS, positive="yes")
    assert p.labels == ("no", "yes")
    assert p.scores("rf").scores.tolist() == [0.3, 0.4, 0.8]
    assert p.confusion("rf").matrix.tolist() == [[1, 0], [1, 1]]


def test_fitted_decision_values_speak_for_the_second_class() -> None:
    model = Fitted(["b", "a"], predict=["a", "b", "b"], decision_function=[2.0, -1.0, 0.0])
    p = te.predictions(["a", "b", "a"], fitted={"svm": model}, X=ROWS, positive="b")
    assert p.scores("svm").scores.tolist() == [-2.0, 0.0, 1.0]
    assert p.with_positive("a").scores("svm").scores.tolist() == [-1.0, 0.0, 2.0]
    # The model's own labels are its calls, whatever its scores.
    assert p.confusion("svm").matrix.tolist() == [[1, 1], [0, 1]]


def test_fitted_labels_only_and_unseen_classes() -> None:
    only = Fitted(["a", "b"], predict=["a", "b", "b"])
    assert not te.predictions(["a", "b", "a"], fitted={"m": only}, X=ROWS).has_scores("m")
    model = Fitted(["a", "b"], predict=["a", "b", "b"], predict_proba=[[0.8, 0.2], [0.3, 0.7], [0.4, 0.6]])
    p = te.predictions(["a", "b", "c"], fitted={"m": model}, X=ROWS)
    assert p.scores("m", positive="c").scores.tolist() == [0.0]
    trained_on_more = te.predictions(
        ["a", "b", "a"], fitted={"m": Fitted(["a", "b", "d"], predict=["a", "d", "a"])}, X=ROWS
    )
    assert trained_on_more.labels == ("a", "b", "d")


def test_real_estimators() -> None:
    datasets = pytest.importorskip("sklearn.datasets")
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    X, y = datasets.load_iris(return_X_y=True)
    models = {"lr": LogisticRegression(max_iter=2000).fit(X, y), "svc": LinearSVC(dual=False).fit(X, y)}
    p = te.predictions(y, fitted=models, X=X)
    for name, model in models.items():
        assert p.confusion(name) == te.predictions(y, model.predict(X)).confusion()
        assert p.has_class_scores(name)
    codes, table = p.class_scores("lr")
    assert np.allclose(table, models["lr"].predict_proba(X))
    assert (codes == y).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"truth": [0, 1]}, "there is no model"),
        ({"truth": [], "predicted": []}, "truth is empty"),
        ({"truth": [0, 1], "predicted": [0, 1, 1]}, "truth has 2 rows but predicted has 3"),
        ({"truth": [0, 1], "predicted": {"a": [0, 1], "b": [0]}}, r"predicted\['b'\] has 1"),
        ({"truth": [0, None], "predicted": [0, 1]}, "truth is missing at row 2"),
        ({"truth": [0.0, float("nan")], "predicted": [0, 1]}, "truth is missing at row 2"),
        ({"truth": [0, 1], "predicted": [0, None]}, 'predicted is missing at row 2 .*missing="wrong"'),
        ({"truth": [0, 1], "scores": [0.5, float("nan")]}, "scores is missing at row 2"),
        ({"truth": [0, 1], "scores": [0.5, None]}, "scores is missing at row 2"),
        ({"truth": [0, 1], "scores": ["a", "b"]}, "scores must be numbers"),
        ({"truth": ["a", 1], "predicted": ["a", "b"]}, "mix text"),
        ({"truth": [0, 1], "predicted": ["0", "1"]}, "labels must be of one type"),
        ({"truth": [0, 1], "predicted": [0.2, 0.7], "scores": [0.2, 0.7]}, "scores of rows go in scores="),
        ({"truth": [0, 1], "predicted": [0, 1], "positive": 2}, "positive=2 is not among the labels"),
        ({"truth": [0, 1], "predicted": [0, 1], "labels": [0]}, "not among the labels"),
        ({"truth": [0, 1], "predicted": [0, 1], "ids": ["x", "x"]}, "'x' is at rows 1 and 2"),
        ({"truth": [0, 1], "predicted": [0, 1], "ids": ["x", None]}, "ids is missing at row 2"),
        ({"truth": [0, 1], "predicted": [0, 1], "ids": ["x"]}, "ids has 1"),
        ({"truth": [0, 1], "predicted": [0, 1], "clusters": [1, None]}, "clusters is missing at row 2"),
        ({"truth": [0, 1], "predicted": [0, 1], "by": ["x"]}, "by has 1"),
        ({"truth": [0, 1], "predicted": [0, 1], "weights": [1, 2]}, "needs weights_kind"),
        ({"truth": [0, 1], "predicted": [0, 1], "weights": [1, -2], "weights_kind": "frequency"}, "-2.0 at row 2"),
        ({"truth": [0, 1], "predicted": [0, 1], "weights_kind": "frequency"}, "without weights"),
        ({"truth": [0, 1], "predicted": [0, 1], "missing": "skip"}, "missing='skip' is not known"),
        ({"truth": [0, 1], "predicted": [0, 1], "threshold": 0.5}, "no model has scores"),
        ({"truth": [0, 1], "scores": [0.1, 0.2], "threshold": float("nan")}, "threshold=nan"),
        ({"truth": [0, 1], "scores": {"svm": [0.1, 0.2]}, "threshold": {"svn": 1}}, "did you mean 'svm'"),
        ({"truth": [0, 1, 2], "scores": [[0.1, 0.9]] * 3}, "2 columns but there are 3 labels"),
        ({"truth": [0, 1], "predicted": {}}, "empty mapping"),
        ({"truth": [0, 1], "predicted": {"a": None}}, "is None"),
        ({"truth": [0, 1], "fitted": {"m": object()}, "X": [[0], [1]]}, "without predict"),
        ({"truth": [0, 1], "fitted": {"m": object()}}, "needs X="),
        ({"truth": [0, 1], "predicted": [0, 1], "X": [[0], [1]]}, "X= was given without fitted="),
        ({"truth": "truth.csv", "predicted": [0, 1]}, "must be an array"),
    ],
)
def test_bad_input_is_one_sentence(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        te.predictions(**arguments)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_pandas_indexes_must_agree_unless_ids_are_given() -> None:
    pandas = pytest.importorskip("pandas")
    truth = pandas.Series([0, 1, 1], index=[0, 1, 2])
    shuffled = pandas.Series([0, 1, 1], index=[2, 1, 0])
    with pytest.raises(InputError, match="different indexes"):
        te.predictions(truth, {"m": shuffled})
    with pytest.raises(InputError, match="truth and clusters are pandas objects with different indexes"):
        te.predictions(truth, [0, 1, 1], clusters=shuffled)
    assert te.predictions(truth, {"m": shuffled}, ids=[1, 2, 3]).n == 3
    assert te.predictions(truth, shuffled.to_numpy()).backend == "pandas"
    assert te.predictions([0, 1], [0, 1]).backend is None


def test_gaps_of_every_library_are_gaps() -> None:
    pandas, polars, arrow = (pytest.importorskip(m) for m in ("pandas", "polars", "pyarrow"))
    for gaps in (
        [0, None, 1],
        np.array([0.0, np.nan, 1.0]),
        pandas.Series([0, None, 1], dtype="Int64"),
        polars.Series([0, None, 1]),
        arrow.array([0, None, 1]),
        np.ma.array([0, 5, 1], mask=[False, True, False]),
    ):
        p = te.predictions([0, 1, 1], {"m": gaps}, missing="drop")
        assert p.absent("m") == 1
        assert p.confusion("m").matrix.tolist() == [[1, 0], [0, 1]]
        q = te.predictions([0, 1, 1], scores={"m": gaps}, missing="drop")
        assert q.scores("m").n == 2


def test_options_of_read_beside_a_table() -> None:
    table = {"truth": [1, 0, 1, 0], "y": [0, 1, 0, 1], "svm": [0.2, 0.9, 0.6, 0.5], "knn": [0, 1, 1, 1]}
    p = te.predictions(table, truth="y", models=["svm", "knn"], budget="1GB")
    assert p.models == ("svm", "knn")
    assert p.roles["y"] == "truth"
    assert te.evaluate(table, truth="y", models=["knn"])["accuracy"].estimate == 0.75
    assert te.compare(table, truth="y", models=["svm", "knn"]).models == ("svm", "knn")
    for verb in (te.predictions, te.evaluate, te.compare):
        with pytest.raises(InputError, match=rf"te.{verb.__name__} has no option truht=; did you mean truth="):
            verb(table, truht="y")
        with pytest.raises(InputError, match="models= says how to read a file or a table, but none was given"):
            verb([0, 1], {"a": [0, 1], "b": [0, 1]}, models=["a"])
        with pytest.raises(InputError, match="truth= says how to read a table, but these predictions were read"):
            verb(p, truth="y")


def test_a_score_table_points_to_curves() -> None:
    with pytest.raises(InputError, match=r"te\.roc"):
        te.evaluate(te.ScoreTable.count([0, 1], [0.2, 0.9]))


def test_clusters_and_sampling_weights_combine() -> None:
    table = {"truth": [1, 0, 1, 0], "svm": [0, 1, 1, 0], "patient": [1, 1, 2, 2], "w": [0.5, 1.0, 2.0, 1.0]}
    p = te.read(table, weight="w", weights_kind="sampling")
    clustered = te.evaluate(p)["accuracy"]
    assert (clustered.estimate, clustered.n) == (pytest.approx(3 / 4.5), 4)
    assert clustered.method == "effective-t"
    assert "2 clusters" in clustered.note
    alone = te.evaluate(te.read(table, weight="w", weights_kind="sampling", cluster=False))["accuracy"]
    assert (alone.estimate, alone.n) == (clustered.estimate, 4)
    assert "clusters" not in alone.note
