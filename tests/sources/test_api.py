"""te.read: which column plays which role, in wide tables and long ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

import trueerror as te
from trueerror.inputs._labels import find_label
from trueerror.inputs._options import ColumnError, InputError

Y = [0, 1, 1, 0]


def test_one_column_a_model() -> None:
    p = te.read({"id": [4, 5, 6, 7], "y_true": Y, "svm": [0, 1, 0, 0], "forest": [0.2, 0.9, 0.4, 0.1]})
    assert p.models == ("svm", "forest")
    assert (p.has_labels("svm"), p.has_scores("svm")) == (True, False)
    assert (p.has_labels("forest"), p.has_scores("forest")) == (False, True)
    assert p.has_ids
    assert dict(p.roles) == {
        "id": "id",
        "y_true": "truth",
        "svm": "labels of svm",
        "forest": "scores of forest",
    }
    assert p.notes == ()


@pytest.mark.parametrize(
    "name", ["y_true", "truth", "label", "target", "y", "actual", "class", "gold", "Ground Truth", "Y_TRUE"]
)
def test_names_of_the_truth(name: str) -> None:
    p = te.read({"svm": [0, 1, 0, 0], name: Y})
    assert p.roles[name] == "truth"
    assert p.models == ("svm",)


@pytest.mark.parametrize(
    ("columns", "model"),
    [
        (("svm_label", "svm_score"), "svm"),
        (("svm_pred", "svm_prob"), "svm"),
        (("svm.prediction", "svm.proba"), "svm"),
        (("pred_svm", "score_svm"), "svm"),
        (("y_pred_svm", "y_score_svm"), "svm"),
        (("svm", "svm_score"), "svm"),
        (("prediction", "score"), "model"),
        (("y_pred", "y_prob"), "model"),
        (("predicted_label", "probability"), "model"),
        (("my net_y_pred", "my net pred_proba"), "my net"),
    ],
)
def test_pairs_of_labels_and_scores(columns: tuple[str, str], model: str) -> None:
    p = te.read({"truth": Y, columns[0]: [0, 1, 0, 0], columns[1]: [0.2, 0.9, 0.4, 0.1]})
    assert p.models == (model,)
    assert p.has_labels(model)
    assert p.has_scores(model)


def test_fractions_under_a_label_name_are_scores() -> None:
    p = te.read({"truth": Y, "svm_pred": [0.2, 0.9, 0.4, 0.1]})
    assert (p.models, p.has_scores("svm"), p.has_labels("svm")) == (("svm",), True, False)


@pytest.mark.parametrize(
    "names",
    [
        ("net_prob_cat", "net_prob_dog", "net_prob_emu"),
        ("net_cat", "net_dog", "net_emu"),
        ("prob_net_cat", "prob_net_dog", "prob_net_emu"),
        ("net[cat]", "net[dog]", "net[emu]"),
    ],
)
def test_one_score_column_a_class(names: tuple[str, ...]) -> None:
    truth = ["emu", "cat", "dog", "cat"]
    table = np.array([[0.1, 0.2, 0.7], [0.6, 0.3, 0.1], [0.3, 0.5, 0.2], [0.1, 0.8, 0.1]])
    p = te.read({"truth": truth, **{n: table[:, i] for i, n in enumerate(names)}})
    assert p.models == ("net",)
    assert p.has_class_scores("net")
    assert p.confusion("net") == te.predictions(truth, scores=table).confusion()


def test_numbered_models_are_not_class_scores() -> None:
    p = te.read({"truth": Y, "svm_0": [0.3, 0.9, 0.4, 0.1], "svm_1": [0.2, 0.9, 0.4, 0.1]})
    assert p.models == ("svm_0", "svm_1")
    q = te.read({"truth": Y, "score_1": [0.3, 0.9, 0.4, 0.1], "score_2": [0.2, 0.9, 0.4, 0.1]})
    assert q.models == ("1", "2")
    summing = te.read({"truth": Y, "svm_0": [0.8, 0.1, 0.6, 0.9], "svm_1": [0.2, 0.9, 0.4, 0.1]})
    assert summing.models == ("svm",)


def test_a_score_named_by_its_class_must_be_of_the_positive_one() -> None:
    columns = {"truth": ["sick", "well", "well"], "prob_sick": [0.9, 0.2, 0.1]}
    p = te.read(columns, positive="sick")
    assert p.confusion("model").binary().tp == 1
    with pytest.raises(InputError, match="holds scores of 'sick', but positive is 'well'"):
        te.read(columns, positive="well")
    with pytest.raises(InputError, match="say positive='sick'"):
        te.read(columns)


def test_what_is_left_out_is_said() -> None:
    pandas = pytest.importorskip("pandas")
    p = te.read(
        {
            "truth": ["a", "b", "b"],
            "svm": ["a", "a", "b"],
            "when": pandas.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"]),
            "city": ["Oslo", "Rome", "Lima"],
            "row": [1, 2, 3],
            "number": [12, 44, 17],
            "nothing": [None, None, None],
            "confidence": [0.5, 0.6, 0.7],
            "weight": [1, 2, 1],
            "flag": [True, False, True],
        }
    )
    assert p.models == ("svm",)
    assert len(p.notes) == 1
    for column, reason in {
        "when": "dates",
        "city": "text",
        "number": "as ids are",
        "nothing": "empty",
        "confidence": "how sure a model was",
        "weight": "weights_kind=",
        "flag": "true and false",
    }.items():
        assert f"{column!r}" in p.notes[0]
        assert reason in p.notes[0]
        assert p.roles[column].startswith("left out: ")
    assert p.roles["row"] == "id"


def test_the_truth_is_never_a_competitor() -> None:
    with pytest.raises(ColumnError, match="several columns of the table could be the truth: 'truth', 'label'"):
        te.read({"truth": Y, "label": Y, "svm": Y})
    p = te.read(
        {"truth": Y, "label": Y, "svm": Y, "y_true_encoded": Y, "target_name": ["n", "y", "y", "n"]}, truth="truth"
    )
    assert p.models == ("svm",)
    for column in ("label", "y_true_encoded", "target_name"):
        assert "looks like another truth" in p.roles[column]
    # Named, it is a model like any other; the truth itself cannot be.
    assert te.read({"truth": Y, "label": Y}, truth="truth", models=["label"]).models == ("label",)
    with pytest.raises(ColumnError, match="that column is the truth"):
        te.read({"truth": Y, "svm": Y}, models=["truth", "svm"], truth="truth")


def test_other_numbers_beside_a_plain_prediction_are_no_models() -> None:
    p = te.read({"y_true": Y, "y_pred": [0, 1, 0, 0], "y_score": [0.1, 0.8, 0.4, 0.2], "age": [31, 31, 40, 22]})
    assert p.models == ("model",)
    assert "age" in p.notes[0]


def test_one_score_cannot_choose_among_three_classes() -> None:
    p = te.read({"truth": [0, 1, 2, 1], "svm": [0, 1, 1, 1], "odd": [0.1, 0.4, 0.2, 0.4]})
    assert p.models == ("svm",)
    assert "among 3 classes" in p.roles["odd"]
    q = te.read({"truth": [0, 1, 2, 1], "svm": [0, 1, 1, 1], "odd": [0.1, 0.4, 0.2, 0.4]}, positive=2)
    assert q.scores("odd").n_positive == 1


def test_everything_can_be_named() -> None:
    columns = {"a": Y, "c1": [0, 1, 0, 0], "c2": [0.2, 0.9, 0.4, 0.1], "c3": [0.8, 0.1, 0.6, 0.9], "k": [1, 1, 2, 2]}
    columns |= {"n": [9, 8, 7, 6], "s": list("xyxy"), "f": [1, 2, 1, 2], "r": [1, 1, 1, 1], "w": [1, 2, 3, 4]}
    p = te.read(
        columns,
        truth="a",
        models={"svm": {"label": "c1", "score": {0: "c3", 1: "c2"}}, "net": {"score": "c2"}, "plain": "c1"},
        id="n",
        cluster="k",
        by="s",
        fold="f",
        repeat="r",
        weight="w",
        weights_kind="frequency",
    )
    assert p.models == ("svm", "net", "plain")
    assert p.has_class_scores("svm")
    assert p.scores("svm") == p.scores("net")
    assert p.confusion("svm") == p.confusion("plain")
    assert p.facts.kinds == ("clusters", "slices", "folds", "repeats")
    assert p.roles["c2"] == "scores of svm for 1; scores of net"
    assert p.roles["w"] == "frequency weights"
    one = te.read(columns, truth="a", label="c1", score="c2")
    assert (one.models, one.has_labels("model"), one.has_scores("model")) == (("model",), True, True)


def test_models_by_name_of_the_pair() -> None:
    p = te.read({"truth": Y, "svm_label": Y, "svm_score": [0.1, 0.9, 0.4, 0.1], "knn": Y}, models=["svm"])
    assert p.models == ("svm",)
    assert p.has_scores("svm")
    assert p.roles["knn"] == "left out"


def test_recognised_keys_can_be_declined() -> None:
    columns = {"truth": Y, "svm": Y, "group": [1, 1, 2, 2], "fold": [1, 2, 1, 2], "id": [1, 2, 3, 4]}
    p = te.read(columns)
    assert p.facts.kinds == ("clusters", "folds")
    q = te.read(columns, cluster=False, fold=False, id=False)
    assert q.facts.kinds == ()
    assert not q.has_ids
    with pytest.raises(ColumnError, match="several columns of the table could be the cluster: 'group', 'patient'"):
        te.read(columns | {"patient": [1, 1, 2, 2]})
    assert te.read(columns | {"patient": [1, 2, 2, 2]}, cluster="patient").keys("clusters").sizes.tolist() == [1, 3]
    singles = te.read({"truth": Y, "svm": Y, "user": ["a", "b", "c", "d"]})
    assert not singles.has_key("clusters")


@pytest.mark.parametrize("name", ["patient", "fold", "repeat", "id", "row", "weight"])
def test_a_declined_column_is_no_model(name: str) -> None:
    option = {"patient": "cluster", "row": "id"}.get(name, name)
    columns = {"truth": Y, "svm": [0.2, 0.9, 0.4, 0.1], name: [7, 7, 9, 9]}
    p = te.read(columns, **{option: False})
    assert p.models == ("svm",)
    assert f"Left out: {name!r}" in " ".join(p.notes)
    assert te.read(columns, models=["svm", name], **{option: False}).models == ("svm", name)


def test_ages_and_sites_are_no_models_beside_scores() -> None:
    scores, age = [0.2, 0.9, 0.4, 0.1], [31, 64, 64, 18]
    told = te.read({"truth": Y, "prob_svm": scores, "site": [1, 2, 2, 3], "bmi": [20.5, 31.0, 27.25, 22.0]})
    assert told.models == ("svm",)
    assert "'site' (other columns say that they are the predictions)" in " ".join(told.notes)
    beside = te.read({"truth": Y, "svm": scores, "age": age, "margin": [-1.5, 2.0, 0.5, -0.1]})
    assert beside.models == ("svm", "margin")
    assert "'age' (taken for a feature)" in " ".join(beside.notes)
    # Alone, or named, or beside labels only, they may be ratings.
    assert te.read({"truth": Y, "age": age}).models == ("age",)
    assert te.read({"truth": Y, "svm": scores, "age": age}, models=["svm", "age"]).models == ("svm", "age")
    assert te.read({"truth": Y, "reader_1": [1, 5, 5, 2], "reader_2": [2, 5, 2, 1]}).models == ("reader_1", "reader_2")


def test_of_two_columns_of_clusters_the_other_is_no_model() -> None:
    columns = {"truth": Y, "svm": [0.2, 0.9, 0.4, 0.1], "patient": [7, 7, 9, 9], "ward": [1, 1, 1, 2]}
    p = te.read(columns, cluster="ward")
    assert p.models == ("svm",)
    assert p.notes == ("Left out: 'patient' (its name says cluster, but 'ward' was named instead).",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"truth": "y_tru"}, "truth='y_tru': the table has no such column; did you mean 'y_true'?"),
        ({"models": ["svn"]}, "did you mean 'svm'"),
        ({"models": {"m": {"label": "svn"}}}, r"models\['m'\]\['label'\]='svn'.*did you mean 'svm'"),
        ({"models": {"m": {"labels": "svm"}}}, "did you mean 'label'"),
        ({"models": {"m": {}}}, "neither a label column nor a score column"),
        ({"models": {"m": 3}}, "must be a column"),
        ({"models": {"m": {"score": "city"}}}, "holds text, not scores"),
        ({"by": "Svm"}, "did you mean 'svm'"),
        ({"id": "svm"}, "'svm' of the table must differ from row to row, but 0 is at rows 1 and 3"),
        ({"cluster": True}, "says nothing"),
        ({"id": "y_true", "truth": "y_true"}, "is the truth already"),
        ({"positive": "2"}, "positive='2' is not among the labels"),
        ({"weights_kind": "frequency"}, "no weight column"),
        ({"weight": "svm"}, "weights_kind="),
        ({"label": "svm", "models": ["svm"]}, "label= and score="),
        ({"labels": [0]}, "not among the labels"),
        ({"missing": "no"}, "missing='no' is not known"),
    ],
)
def test_mistakes_are_named(options: dict[str, Any], message: str) -> None:
    table = {"y_true": Y, "svm": [0, 1, 0, 0], "knn": Y, "city": ["Oslo", "Rome", "Lima", "Kyiv"]}
    with pytest.raises(InputError, match=message) as caught:
        te.read(table, **options)
    assert "\n" not in str(caught.value)


def test_no_truth_and_no_model() -> None:
    with pytest.raises(ColumnError, match="name it with truth=; there are 'svm', 'knn'"):
        te.read({"svm": Y, "knn": Y})
    with pytest.raises(ColumnError, match=r"could be read as a model's labels or scores.*'city' \(text\)"):
        te.read({"truth": Y, "city": ["a", "b", "c", "d"]})
    with pytest.raises(ColumnError, match="both 'svm_pred' and 'pred_svm' could hold the labels"):
        te.read({"truth": Y, "svm_pred": Y, "pred_svm": Y})


def test_text_for_numbers() -> None:
    p = te.read({"truth": Y, "svm": Y}, positive="1", labels=["1", "0"])
    assert p.positive == 1
    assert p.labels == (1, 0)
    assert find_label("1.0", (0, 1)) == 1
    assert find_label("False", (False, True)) is False
    assert find_label("1", ("1", "2")) == "1"
    with pytest.raises(InputError, match="positive='yes' is not among the labels"):
        find_label("yes", (0, 1))


LONG = {
    "model": ["svm", "svm", "svm", "knn", "knn", "knn"],
    "id": ["r1", "r2", "r3", "r3", "r1", "r2"],
    "truth": [0, 1, 1, 1, 0, 1],
    "label": [0, 1, 0, 1, 1, 1],
    "score": [0.2, 0.8, 0.3, 0.9, 0.6, 0.7],
}


def long_file(columns: dict[str, list[Any]], folder: Path) -> Path:
    path = folder / "long.csv"
    lines = [",".join(columns)] + [
        ",".join("" if v is None else str(v) for v in r) for r in zip(*columns.values(), strict=True)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("place", ["memory", "file"])
def test_long_tables(place: str, tmp_path: Path) -> None:
    p = te.read(LONG if place == "memory" else long_file(LONG, tmp_path))
    direct = te.predictions(
        [0, 1, 1],
        {"knn": [1, 1, 1], "svm": [0, 1, 0]},
        scores={"knn": [0.6, 0.7, 0.9], "svm": [0.2, 0.8, 0.3]},
        ids=["r1", "r2", "r3"],
    )
    assert p.n == 3
    assert p.models == ("knn", "svm")
    for model in p.models:
        assert p.confusion(model) == direct.confusion(model)
        assert p.scores(model) == direct.scores(model)
    assert p.agreement("svm", "knn") == direct.agreement("svm", "knn")
    assert p.fingerprint == direct.fingerprint
    assert p.roles["label"] == "labels"
    assert p.roles["model"] == "model"
    assert te.read(LONG, models=["svm"]).models == ("svm",)


def test_long_tables_with_gaps_follow_the_rule_for_missing() -> None:
    short = {name: values[:-1] for name, values in LONG.items()}
    with pytest.raises(InputError, match="missing at row 2"):
        te.read(short)
    p = te.read(short, missing="drop")
    assert p.absent("knn") == 1
    assert p.confusion("knn").n == 2
    assert p.agreement("svm", "knn").n == 2


def test_long_tables_without_ids_go_by_position() -> None:
    columns = {"classifier": ["a", "a", "b", "b"], "y_true": ["x", "y", "x", "y"], "prediction": ["x", "x", "x", "y"]}
    p = te.read(columns)
    assert p.models == ("a", "b")
    assert p.agreement("a", "b").discordance().only_second == 1
    with pytest.raises(InputError, match="in one order: name the id column with id="):
        te.read(columns | {"y_true": ["x", "y", "y", "x"]})


def test_long_tables_under_other_names() -> None:
    columns = {
        "who": ["a", "a", "b", "b"],
        "t": [0, 1, 0, 1],
        "out": [0, 0, 0, 1],
        "p": [0.1, 0.2, 0.3, 0.4],
        "nr": [1, 2, 1, 2],
    }
    p = te.read(columns, models="who", truth="t", label="out", score="p", id="nr")
    assert p.models == ("a", "b")
    assert p.scores("b").scores.tolist() == [0.3, 0.4]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": ["r1", "r1", "r3", "r3", "r1", "r2"]}, "two rows of model 'svm' for id 'r1'.*rows 1 and 2"),
        ({"truth": [0, 1, 1, 0, 0, 1]}, "column 'truth' of the table is 1 in one row of id 'r3' and 0 in another"),
        ({"model": ["svm", None, "svm", "knn", "knn", "knn"]}, "'model' of the table is missing at row 2"),
        ({"label": [None] * 6, "score": [None] * 6}, "could be read as a model's labels or scores"),
        ({"label": [0, 1, 0, None, None, None], "score": [0.1, 0.2, 0.3, None, None, None]}, "'knn' has neither"),
    ],
)
def test_long_tables_that_do_not_hold_together(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        te.read(LONG | change)


def test_repeats_in_a_long_table() -> None:
    columns = {
        "model": ["a"] * 4,
        "id": [1, 2, 1, 2],
        "repeat": [1, 1, 2, 2],
        "fold": [1, 2, 1, 2],
        "truth": [0, 1, 0, 1],
        "label": [0, 1, 1, 1],
    }
    p = te.read(columns)
    assert p.n == 4
    assert p.facts.kinds == ("folds", "repeats")
    assert p.keys("repeats").sizes.tolist() == [2, 2]


def test_wrong_kinds_of_table() -> None:
    for wrong in (3, [[1, 2]], None, []):
        with pytest.raises(InputError):
            te.read(wrong)
    polars = pytest.importorskip("polars")
    with pytest.raises(InputError, match="no rows"):
        te.read(polars.DataFrame({"truth": [], "a": []}, schema={"truth": polars.Int64, "a": polars.Float64}).lazy())
    pandas = pytest.importorskip("pandas")
    twice = pandas.DataFrame([[0, 0, 1]] * 2, columns=["truth", "svm", "svm"])
    with pytest.raises(InputError, match="svm"):
        te.read(twice)


def test_demo_data() -> None:
    p = te.read(te.data.path("breast_cancer"), positive="malignant")
    assert str(p) == "285 rows, 106 malignant (positive), 4 models with scores: logreg, forest, bayes, knn."
    assert p.confusion("logreg").binary().tp == 100
    d = te.read(te.data.path("digits.csv"))
    assert d.labels == tuple(range(10))
    assert d.models == ("svm", "forest", "bayes")
    assert te.data.path("digits").stat().st_size < 60_000
    with pytest.raises(ValueError, match="there are 'breast_cancer', 'digits'"):
        te.data.path("iris")


def test_positive_declares_a_class_that_no_row_shows(tmp_path: Path) -> None:
    path = tmp_path / "well.csv"
    path.write_text("label,svm\nhealthy,0.2\nhealthy,0.7\nhealthy,0.1\n")
    for source in (path, {"label": ["healthy"] * 3, "svm": [0.2, 0.7, 0.1]}):
        with pytest.raises(
            ColumnError, match=r"is always 'healthy', and one score tells.*with positive=, be it 'healthy'"
        ):
            te.read(source)
        p = te.read(source, positive="ill")
        assert (p.labels, p.positive, p.models) == (("healthy", "ill"), "ill", ("svm",))
        assert p.truth_counts().tolist() == [3, 0]
        assert p.confusion("svm").matrix.tolist() == [[2, 1], [0, 0]]
        with pytest.raises(InputError, match="'Healthy' is not among the labels; did you mean 'healthy'"):
            te.read(source, positive="Healthy")
    assert te.read({"label": [3, 3], "svm": [0.2, 0.7]}, positive="4").labels == (3, 4)
    made = te.predictions(["healthy"] * 3, scores=[0.2, 0.7, 0.1], positive="ill")
    assert made.labels == ("healthy", "ill")
    with pytest.raises(InputError, match="'ill' is not among the labels"):
        te.predictions(["a", "b", "a"], scores=[0.2, 0.7, 0.1], positive="ill")


def test_classes_written_as_a_column_each() -> None:
    """One-hot truth, as Keras has it, beside probabilities; a class that no row has keeps its column."""
    truth, drawn = np.array([0, 1, 1, 0, 1, 0]), np.random.default_rng(0).dirichlet([1, 1, 1], 6)
    plain = te.evaluate(truth, scores=drawn, labels=[0, 1, 2])
    assert te.evaluate(np.eye(3)[truth], drawn)["accuracy"] == plain["accuracy"]
    assert te.evaluate(np.eye(3)[truth], scores=drawn)["accuracy"] == plain["accuracy"]
    named = pd.DataFrame(np.eye(3, dtype=bool)[truth], columns=["a", "b", "c"])
    assert te.predictions(named, {"m": np.array(["a", "b", "c"])[truth]}).labels == ("a", "b", "c")
    # Several labels a row stay what they are.
    several = np.array([[1, 1], [0, 1], [1, 0]])
    assert te.evaluate(several, several)["accuracy"].estimate == 1
    with pytest.raises(InputError, match="truth must be one column, but it is 3 × 2"):
        te.predictions(several, {"m": [0, 1, 1]})


def test_labels_that_differ_in_case_are_refused_in_arrays_too() -> None:
    with pytest.raises(InputError, match="predicted says 'no' where truth says 'No'; spell labels alike"):
        te.evaluate(["No", "Yes", "No"], ["no ", "Yes", "Yes"])
    with pytest.raises(InputError, match="predicted says 'yes' where truth says 'Yes'"):
        te.Confusion.count(["No", "Yes"], ["No", "yes"])
    assert te.evaluate(["No", "Yes"], ["no", "Yes"], labels=["No", "Yes", "no"])["accuracy"].estimate == 0.5


def test_frames_of_narwhals_sparse_columns_and_lists_of_models() -> None:
    truth, said = [0, 1, 1, 0], [0, 1, 0, 0]
    frame = pd.DataFrame({"truth": truth, "svm": said})
    plain = te.evaluate(truth, said)["accuracy"]
    assert te.evaluate(nw.from_native(frame))["accuracy"] == plain
    assert te.evaluate(csr_array([truth]).T, csr_array([said]).T)["accuracy"] == plain
    assert te.compare(truth, [said, truth]).models == ("first", "second")
    indexed = frame.set_index(pd.Index(["x", "x", "y", "y"], name="site"))
    with pytest.raises(InputError, match=r"cluster='site'.*it is in the index: pass frame.reset_index\(\)"):
        te.read(indexed, cluster="site")
