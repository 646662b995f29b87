"""Predictions: what it says of itself, its parts, and that counting happens once."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.sources import Roles


def sample() -> te.Predictions:
    return te.predictions(
        [0, 1, 1, 0],
        {"forest": [0, 1, 1, 1]},
        scores={"logreg": [0.1, 0.9, 0.4, 0.2], "bayes": [0.2, 0.8, 0.7, 0.6]},
        by=["x", "x", "y", "y"],
        clusters=["p", "q", "p", "q"],
    )


def test_it_says_what_was_read() -> None:
    assert str(sample()).splitlines() == [
        "4 rows, 2 positive, 1 model with labels: forest; 2 with scores: logreg, bayes.",
        "With 2 clusters, 2 slices.",
    ]
    three = te.predictions([0, 1], scores={"logreg": [0.1, 0.9], "forest": [0, 1], "bayes": [0.5, 0.5]})
    assert str(three) == "2 rows, 1 positive, 3 models with scores: logreg, forest, bayes."
    words = te.predictions(["no", "yes", "no"], ["no", "no", "no"])
    assert str(words) == "3 rows, 2 no, 1 yes, 1 model with labels: model."
    assert "1 yes (positive)" in str(words.with_positive("yes"))
    assert "3 rows, 3 classes" in str(te.predictions([0, 1, 2], [0, 1, 2]))
    gaps = te.predictions([0, 1], [0, None], missing="drop")
    assert str(gaps).endswith("Note: 1 of 2 rows have no prediction of model; they are left out.")
    scored = te.predictions([0, 1], [0, 1], scores=[0.2, None], missing="drop")
    words = "1 of 2 rows have no score of model; metrics of its scores leave them out, those of its labels need none."
    assert str(scored).endswith(words)
    cut = "1 of 2 rows have no score of model to cut; they are left out."
    assert scored.with_threshold(0.3).notes == (cut,)
    assert te.predictions([0, 1], [0, 1], scores=[0.2, None], missing="drop", threshold=0.3).notes == (cut,)
    assert scored.with_threshold(0.3).with_threshold(None).notes == scored.notes == (words,)
    unlabelled = te.predictions([0, 1], [0, None], scores=[0.2, 0.4], missing="drop")
    words = "1 of 2 rows have no label or no score of model; where it is needed they are left out."
    assert str(unlabelled).endswith(words)


def test_hostile_names_cannot_break_a_terminal_or_a_page() -> None:
    p = te.predictions([0, 1], {"a\x1b[31m\nred": [0, 1], "<script>": [0, 1]})
    assert "\x1b" not in str(p)
    assert "\n" not in str(p)
    assert "<script>" not in p._repr_html_()


def test_select_keeps_the_order_asked_for() -> None:
    p = sample()
    assert p.select(["bayes", "forest"]).models == ("bayes", "forest")
    assert p.select("logreg").confusion() == p.confusion("logreg")
    with pytest.raises(InputError, match="did you mean 'logreg'"):
        p.select(["logrek"])
    with pytest.raises(InputError, match="at least one"):
        p.select([])
    with pytest.raises(InputError, match="3 models; choose one"):
        p.confusion()


def test_what_is_known_without_counting() -> None:
    p = sample()
    assert (p.n, p.labels, p.positive, p.missing, p.weights_kind, p.has_ids) == (4, (0, 1), 1, "error", None, False)
    assert [p.has_key(k) for k in ("clusters", "slices", "folds", "repeats")] == [True, True, False, False]
    assert (p.has_scores("forest"), p.has_labels("forest"), p.has_class_scores("bayes")) == (False, True, False)
    with pytest.raises(InputError, match="kind='fold'"):
        p.has_key("fold")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no folds; give them with folds="):
        p.keyed_confusion("forest", "folds")
    with pytest.raises(InputError, match="labels only"):
        p.scores("forest")
    with pytest.raises(InputError, match="labels only; there is no score to cut"):
        p.confusion("forest", threshold=0.2)


def test_a_threshold_on_one_score_needs_two_classes() -> None:
    p = te.predictions([0, 1, 2], scores={"m": [0.1, 0.5, 0.9]}, positive=2)
    assert not p.has_predictions("m")
    assert p.scores("m").n_positive == 1
    with pytest.raises(InputError, match="tells two classes apart, but there are 3"):
        p.confusion("m")


def test_counted_once() -> None:
    p = sample()
    assert p.confusion("forest") is p.confusion("forest")
    assert p.scores("bayes") is p.scores("bayes")


def test_frozen_and_picklable() -> None:
    p = sample()
    with pytest.raises(AttributeError):
        p.backend = "polars"  # type: ignore[misc]
    again = pickle.loads(pickle.dumps(p))
    assert again.confusion("bayes") == p.confusion("bayes")
    assert again.fingerprint == p.fingerprint


def test_fingerprint_is_of_the_truth_alone() -> None:
    truth = ["b", "a", "b"]
    base = te.predictions(truth, ["a", "a", "b"]).fingerprint
    assert te.predictions(truth, ["z", "z", "z"]).fingerprint == base
    assert te.predictions(truth, ["a", "a", "b"], labels=["b", "a"]).fingerprint == base
    assert te.predictions(["a", "b", "b"], ["a", "a", "b"]).fingerprint != base
    assert te.predictions(["b", "c", "b"], ["b", "c", "b"]).fingerprint != base


def test_fifty_thousand_classes_stay_sparse() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 50_000, 100_000)
    p = te.predictions(truth, {"m": np.where(rng.random(100_000) < 0.9, truth, 7)}, clusters=truth % 10)
    table = p.confusion("m")
    assert table.n == 100_000
    assert len(table.counts) < 100_000
    assert p.keyed_confusion("m", "clusters").pooled() == table


def test_weights_are_counted_in_agreements_and_clusters() -> None:
    p = te.predictions(
        [0, 1, 1], {"a": [0, 1, 0], "b": [0, 1, 1]}, weights=[0.5, 1, 2], weights_kind="sampling", clusters=[1, 1, 2]
    )
    # Sampling weights stand beside the counts of rows, frequency weights are the counts.
    both, keyed = p.agreement("a", "b"), p.keyed_confusion("a", "clusters")
    assert both.n == 3
    assert sorted(both.weight_sums.tolist()) == [0.5, 1.0, 2.0]
    assert both.weight_sums[both.first != both.second].tolist() == [2.0]
    assert keyed.sizes.tolist() == [2, 1]
    assert [keyed.weight_sums[keyed.key == k].sum() for k in (0, 1)] == [1.5, 2.0]
    q = te.predictions(
        [0, 1, 1], {"a": [0, 1, 0], "b": [0, 1, 1]}, weights=[3, 1, 2], weights_kind="frequency", clusters=[1, 1, 2]
    )
    assert q.agreement("a", "b").n == 6
    assert q.keyed_confusion("a", "clusters").sizes.tolist() == [4, 2]
    assert q.keyed_confusion("a", "clusters").pooled() == q.confusion("a")


def test_losses_need_probabilities() -> None:
    def loss(codes: Any, table: Any) -> Any:
        return 1 - table[np.arange(len(codes)), codes]

    p = te.predictions([0, 1], scores={"m": [-1.0, 0.4], "q": np.array([[0.9, 0.4], [0.5, 0.5]])})
    with pytest.raises(InputError, match="must be probabilities"):
        p.moments("m", loss)
    with pytest.raises(InputError, match="must add up to 1"):
        p.moments("q", loss)
    good = te.predictions(["b", "a"], scores=[0.75, 0.25], positive="b")
    assert good.moments(None, loss).mean == pytest.approx(0.25)
    assert good.moments(None, lambda c, t, power: loss(c, t) ** power, power=2).mean == pytest.approx(0.0625)


def test_roles_show_themselves() -> None:
    roles = Roles({"y": "truth", "svm": "labels of svm"})
    assert dict(roles) == {"y": "truth", "svm": "labels of svm"}
    assert str(roles).splitlines()[1].split() == ["y", "truth"]
    assert "<td" in roles._repr_html_()
