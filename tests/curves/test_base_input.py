"""One place takes the input of every curve: rows, predictions, score tables, other curves."""

import pickle
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.curves._input import curve_input
from trueerror.inputs._memory import MemoryBudgetExceeded
from trueerror.inputs._options import InputError
from trueerror.methods import every_method
from trueerror.tallies import ScoreTable

KINDS = [
    te.precision_recall, te.precision_recall_gain, te.lift, te.gains, te.det, te.risk_coverage, te.cost_curve,
    te.brier_curve, te.calibration, te.decision_curve,
]  # fmt: skip
RNG = np.random.default_rng(0)
TRUTH = np.array(["no", "yes"])[(RNG.random(60) < 0.4).astype(int)]
SCORES = np.clip(0.5 + 0.2 * (TRUTH == "yes") + 0.2 * RNG.normal(size=60), 0, 1).round(2)


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_every_form_of_input_gives_the_same_curve(kind):
    pd = pytest.importorskip("pandas")
    made = kind(TRUTH, SCORES, positive="yes", model="m")
    assert kind(pd.Series(TRUTH), pd.Series(SCORES), positive="yes", model="m") == made
    columns = kind(list(TRUTH), np.column_stack([1 - SCORES, SCORES]), positive="yes", model="m")
    assert columns.records() == made.records()
    predictions = te.predictions(TRUTH, scores={"m": SCORES}, positive="yes")
    assert kind(predictions) == kind(predictions, "m") == kind(predictions, model="m") == made
    if kind is not te.risk_coverage:
        assert kind(made).records() == made.records()
        table = ScoreTable.count(TRUTH, SCORES, positive="yes")
        assert kind(table, model="m") == made


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_results_travel(kind):
    made = kind(TRUTH, SCORES, positive="yes", model="m")
    again = te.load(made.to_json())
    assert again == made
    assert again.records() == made.records()
    assert str(again) == str(made)
    assert "of m" in str(made)
    import pickle

    assert pickle.loads(pickle.dumps(made)) == made
    with pytest.raises(FrozenInstanceError):
        made.table = None
    with pytest.raises(FrozenInstanceError):
        del made.table
    assert made._repr_html_().startswith("<div>")
    assert "|" in made.to_markdown()


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_bad_input_is_said_to_be_so(kind):
    with pytest.raises(InputError, match="NaN at row 2"):
        kind([0, 1, 1], [0.1, np.nan, 0.3])
    with pytest.raises(InputError, match="rows"):
        kind([0, 1, 1], [0.1, 0.2])
    with pytest.raises(InputError, match="positive="):
        kind(["a", "b"], [0.1, 0.2])
    with pytest.raises(InputError, match="need"):
        kind([0, 1, 1])
    with pytest.raises(InputError, match="but there are none"):
        kind([], [])


def test_scores_of_three_classes_one_against_the_rest():
    truth = ["a", "b", "c", "a"]
    scores = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.4, 0.5, 0.1]]
    table, *_ = curve_input("a curve", truth, scores, positive="a")
    assert table.scores.tolist() == [0.1, 0.2, 0.4, 0.7]
    assert table.positives.tolist() == [0, 0, 1, 1]
    with pytest.raises(InputError, match="3 columns but truth has 2 classes"):
        curve_input("a curve", ["a", "b"], [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], positive="a")
    with pytest.raises(InputError, match="which class is positive"):
        curve_input("a curve", truth, scores)


def test_rows_without_weight_leave_no_score():
    table, *_ = curve_input("a curve", [0, 1, 1], [0.1, 0.2, 0.3], weights=[1, 0, 2], weights_kind="frequency")
    assert table.scores.tolist() == [0.1, 0.3]
    table, *_ = curve_input("a curve", [0, 1, 1], [0.1, 0.2, 0.3], weights=[1, 0, 0.5], weights_kind="sampling")
    assert table.squares.tolist() == [[0.0, 0.25], [1.0, 0.0]]


def test_counted_scores_take_no_rows():
    table = ScoreTable.count([0, 1], [0.1, 0.2])
    with pytest.raises(InputError, match="counted in"):
        curve_input("a curve", table, positive=1)
    with pytest.raises(InputError, match="choose by model="):
        curve_input("a curve", te.predictions([0, 1], scores=[0.1, 0.2]), [0.1, 0.2])


def test_repeats_are_not_pooled():
    predictions = te.predictions(
        [0, 1, 0, 1] * 2, scores=np.arange(8.0), folds=[1, 1, 2, 2] * 2, repeats=[1] * 4 + [2] * 4
    )
    with pytest.raises(InputError, match="for every repeat"):
        te.det(predictions)
    with pytest.raises(InputError, match="for every repeat"):
        te.risk_coverage(predictions, threshold=3)
    assert te.det(predictions.slice(1, "repeats")).n == 4


def test_probabilities_are_wanted_where_they_are_read_as_such():
    for kind in (te.calibration, te.brier_curve, te.decision_curve):
        with pytest.raises(InputError, match="from -1 to 2"):
            kind([0, 1, 0], [-1, 0.5, 2])
        with pytest.raises(InputError, match="to inf"):
            kind([0, 1, 0], [0.1, 0.5, np.inf])


@pytest.mark.parametrize(
    "kind", [te.precision_recall, te.precision_recall_gain, te.lift, te.gains, te.det, te.cost_curve]
)
def test_infinite_scores_tiny_scores_and_negative_zero_have_an_order(kind):
    made = kind([0, 0, 1, 0, 1, 1], [-np.inf, -0.0, 0.0, 5e-324, 1e300, np.inf])
    same = kind([0, 0, 1, 0, 1, 1], [0, 1, 1, 2, 3, 4])
    for a, b in zip(made.records(), same.records(), strict=True):
        a.pop("threshold", None), b.pop("threshold", None)
        assert a == b
    assert str(made)
    single = kind(np.array([0, 1, 0, 1]), np.array([0.1, 0.2, 0.3, 0.4], dtype=np.float32))
    assert single.table.scores.dtype == np.float64


def test_one_class_is_an_error_where_the_curve_needs_both():
    for kind in (te.det, te.cost_curve, te.precision_recall_gain):
        with pytest.raises(InputError, match="negative row"):
            kind([1, 1], [0.1, 0.2])
    for kind in (te.det, te.cost_curve, te.precision_recall_gain, te.lift, te.gains, te.precision_recall):
        with pytest.raises(InputError, match="positive row"):
            kind([0, 0], [0.1, 0.2])


@pytest.mark.parametrize("kind", [te.roc, *KINDS], ids=lambda k: k.__name__)
def test_intervals_know_of_clusters(kind):
    predictions = te.predictions(TRUTH, scores={"m": SCORES}, positive="yes", clusters=np.arange(60) // 4)
    made = kind(predictions)
    assert "15 clusters" not in made.caution
    assert "Caution: rows come in 15 clusters" not in str(made)
    # Of a saved curve the rows are gone, so it says what its limits are then.
    assert te.load(made.to_json()) == made
    assert "too narrow" in te.load(made.to_json()).caution
    areas = {
        te.roc: lambda c: [c.auc(), c.partial_auc(0, 0.5, replicates=100)],
        te.precision_recall: lambda c: [c.average_precision(), c.auc(), c.at(recall=0.5).recall],
        te.precision_recall_gain: lambda c: [c.auc(replicates=100)],
        te.lift: lambda c: [c.at(share=0.2)],
        te.gains: lambda c: [c.at(share=0.2)],
        te.det: lambda c: [c.equal_error_rate(replicates=100), c.at(fpr=0.2).fnr],
        te.risk_coverage: lambda c: [c.area(replicates=100), c.at(coverage=0.5)],
        te.cost_curve: lambda c: [c.area(replicates=100), c.at(pc=0.3).cost],
        te.brier_curve: lambda c: [c.area(), c.at(0.3)],
        te.calibration: lambda c: [c.slope(), c.intercept(), c.in_the_large(), c.brier()],
        te.decision_curve: lambda c: [c.at(0.3)],
    }
    for interval in areas[kind](made):
        assert "clusters" in interval.note
        assert interval.method in every_method()
        assert "Formula:" in interval.explain()
    if kind is te.roc:
        assert all("clusters" in other.note for other in (made.at(fpr=0.2), made.best_threshold(), made.band()))
    alone = te.predictions(TRUTH, scores={"m": SCORES}, positive="yes", clusters=np.arange(60))
    assert kind(alone).caution == ""


GAPS = {"truth": [0, 1, 1, 0, 1, 0], "a": [0.1, 0.9, 0.6, 0.4, 0.8, 0.3], "b": [0.2, None, 0.7, 0.1, 0.6, 0.4]}


@pytest.mark.parametrize("kind", [te.roc, *KINDS], ids=lambda k: k.__name__)
def test_only_the_gaps_of_the_model_at_hand_matter(kind, tmp_path):
    pl = pytest.importorskip("polars")
    path = tmp_path / "gaps.parquet"
    pl.DataFrame(GAPS).write_parquet(path)
    for source in (GAPS, path):
        assert kind(source, model="a").n == kind(source, "a").n == 6
        with pytest.raises(InputError, match=r"'b'.* is missing at row 2 \(1 in all\).*missing=\"drop\""):
            kind(source, model="b")
        assert kind(source, model="b", missing="drop").n == 5
        with pytest.raises(InputError, match="there are 2 models; choose one of"):
            kind(source)


@pytest.mark.parametrize("kind", [te.roc, *KINDS], ids=lambda k: k.__name__)
def test_options_of_read_beside_a_table(kind):
    table = {"truth": [1, 0, 1, 0], "y": [0, 1, 0, 1], "svm": [0.2, 0.9, 0.6, 0.5]}
    assert kind(table, truth="y", models=["svm"], budget="1GB") == kind(table["y"], table["svm"], model="svm")
    with pytest.raises(InputError, match=rf"te.{kind.__name__} has no option truht=; did you mean truth="):
        kind(table, truht="y")
    with pytest.raises(InputError, match="cluster= says how to read a file or a table, but none was given"):
        kind(table["y"], table["svm"], cluster="svm")
    with pytest.raises(InputError, match="truth= says how to read a table, but these predictions were read already"):
        kind(te.read(table, truth="y", models=["svm"]), truth="y")


def test_hulls_and_differences_take_options_of_read():
    assert set(te.roc_hull(GAPS, missing="drop").curves) == {"a", "b"}
    with pytest.raises(InputError, match=r"te.roc_hull has no option mising=; did you mean missing="):
        te.roc_hull(GAPS, mising="drop")
    with pytest.raises(InputError, match="missing= says how to read"):
        te.roc_hull(te.roc(GAPS, model="a"), missing="drop")
    other = {
        "y": GAPS["truth"],
        "truth": [1 - t for t in GAPS["truth"]],
        "a": GAPS["a"],
        "c": [1 - s for s in GAPS["a"]],
    }
    made = te.roc_difference(other, "a", "c", truth="y", models=["a", "c"], replicates=100, rng=0)
    assert made.difference.max() > 0


def test_rows_without_a_score_in_arrays():
    scores = [0.2, float("nan"), 0.7, 0.1]
    with pytest.raises(InputError, match=r'te.predictions or te.read do it with missing="drop"'):
        te.roc([0, 1, 1, 0], scores)
    assert te.roc([0, 1, 1, 0], scores, missing="drop").n == 3


CURVES = [te.roc, te.precision_recall, te.gains, te.calibration, te.det]


@pytest.mark.parametrize("curve", CURVES[1:])
@pytest.mark.parametrize("as_table", [False, True])
def test_a_curve_of_labels_is_refused_in_the_words_of_compare(curve: Any, as_table: bool) -> None:
    labels = {"truth": [0, 1, 1, 0], "a": [0, 1, 0, 0], "b": [1, 1, 1, 0]}
    rows = labels if as_table else te.predictions(labels["truth"], {m: labels[m] for m in "ab"})
    with pytest.raises(InputError, match="needs scores, and a has labels only: pass scores="):
        te.compare(rows, metric="auc")
    with pytest.raises(InputError, match="needs scores, and a has labels only: pass scores="):
        curve(rows, model="a")


@pytest.mark.parametrize("as_table", [False, True])
def test_a_model_with_labels_is_a_point_of_the_roc_space_without_an_area(as_table: bool) -> None:
    labels = {"truth": [0, 1, 1, 0], "a": [0, 1, 0, 0], "b": [1, 1, 1, 0]}
    rows = labels if as_table else te.predictions(labels["truth"], {m: labels[m] for m in "ab"})
    made = te.roc(rows, model="a")
    for point in (made, pickle.loads(pickle.dumps(made)), te.load(made.to_json())):
        a_point_without_an_area(point)
    # What was given as scores is taken as scores.
    assert te.roc([0, 1, 1, 0], [0, 1, 0, 0]).auc().estimate == 0.75


def a_point_without_an_area(point: Any) -> None:
    assert (point.fpr.tolist(), point.tpr.tolist()) == ([0, 0, 1], [0, 0.5, 1])
    assert "ROC curve of a, which has labels and no scores: one point, and no area." in str(point)
    assert not [name for name, _ in point._figures() if "area" in name]
    for area in (point.auc, lambda: point.gini, lambda: point.partial_auc(0, 0.5)):
        with pytest.raises(InputError, match="needs scores, and a has labels only"):
            area()
    for threshold in (point.best_threshold, lambda: point.operating_point(cost_fn=3)):
        with pytest.raises(InputError, match="a threshold needs scores, and a has labels only"):
            threshold()
    assert "threshold of" not in str(point.hull().best(cost_fn=3))


@pytest.mark.parametrize("curve", CURVES)
def test_curves_of_rows_in_clusters_are_not_binned(curve: Any, tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 20_000)
    table = {"y": truth, "g": rng.integers(0, 300, 20_000), "a": 0.2 * truth + 0.8 * rng.random(20_000)}
    pl.DataFrame(table).write_parquet(tmp_path / "rows.parquet")
    rows = te.read(tmp_path / "rows.parquet", truth="y", cluster="g", budget="100kB")
    with pytest.raises(MemoryBudgetExceeded, match="rows in clusters are not binned"):
        curve(rows)
    independent = te.read(tmp_path / "rows.parquet", truth="y", models="a", cluster=False, budget="100kB")
    assert curve(independent).table.n == 20_000
