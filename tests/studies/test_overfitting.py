"""te.overfitting: training and test error over a complexity parameter."""

import numpy as np
import pytest
from study_learners import Nearest, Neighbours, two_normals

import trueerror as te
from trueerror.studies._overfitting import places


@pytest.fixture(scope="module")
def view():
    X, y = two_normals(300, np.random.default_rng(0), d=3, shift=0.7)
    return te.overfitting(Neighbours(), X, y, parameter="k", values=[45, 15, 5, 1], progress=False)


def test_the_neighbour_overfits_and_the_many_do_not(view):
    assert view.overfits[-1] == "1"
    assert view["1"].training == 0
    assert view["1"].gap_low > 0.2
    pair = min((p for p in view.pairs if p.setting == "1"), key=lambda p: p.p_adjusted)
    assert pair.training_lead > 0
    assert pair.test_loss > 0
    assert pair.p_value <= pair.p_adjusted <= 0.05
    assert f"{pair.setting} overfits" in view.verdict or "and 1 overfit" in view.verdict
    assert view.best.setting in ("45", "15")


def test_p_is_the_larger_of_both_sides(view):
    X, y = two_normals(300, np.random.default_rng(0), d=3, shift=0.7)
    pair = min(view.pairs, key=lambda p: p.p_adjusted)
    learners = {name: Neighbours(int(name)) for name in (pair.rival, pair.setting)}
    run = te.experiment(learners, (X, y), plan=te.KFold(5, repeats=4), progress=False)
    expected = run.compare("error_rate", alternative="less")[pair.rival, pair.setting].p_value
    # The training rows leave no doubt, so the held-out rows decide.
    assert pair.p_value == pytest.approx(expected)


def test_equal_settings_do_not_overfit(rows):
    made = te.overfitting({"a": Nearest(), "b": Nearest()}, *rows, plan=5, progress=False)
    assert made.pairs == ()
    assert "No setting is shown to overfit" in str(made)


def test_better_on_both_is_no_overfitting():
    X, y = two_normals(300, np.random.default_rng(1), d=4, shift=1.0)
    made = te.overfitting(
        {"one": Nearest(columns=(0,)), "all": Nearest()}, X, y, plan=te.KFold(5, repeats=2), progress=False
    )
    assert made["all"].training < made["one"].training
    assert made["all"].estimate < made["one"].estimate
    assert made.pairs == ()


def test_accuracy_says_the_same(view):
    X, y = two_normals(300, np.random.default_rng(0), d=3, shift=0.7)
    made = te.overfitting(Neighbours(), X, y, parameter="k", values=[45, 15, 5, 1], metric="accuracy", progress=False)
    assert made.overfits == view.overfits
    assert made.best.setting == view.best.setting
    assert made["1"].gap == pytest.approx(view["1"].gap)


def test_places_of_settings():
    assert places(["1", "10"]) == [1.0, 10.0]
    assert places(["1", "none"]) == [1.0, 2.0]
    assert places(["nan", "1"]) == [1.0, 2.0]


def test_it_is_written_down_read_back_and_drawn(view, rows, tmp_path):
    assert te.load(view.to_json()) == view
    assert next(r["overfits_against"] for r in view.records()) == ""
    view.save(tmp_path / "view.svg")
    assert "on training rows" in (tmp_path / "view.svg").read_text()
    words = te.overfitting({"plain": Nearest(), "near": Neighbours()}, *rows, plan=5, progress=False)
    words.save(tmp_path / "words.svg")
    assert "plain" in (tmp_path / "words.svg").read_text()
    low, high = words.draw().get_xlim()
    assert (low, high) == (0.5, 2.5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"learner": Neighbours()}, "parameter= and values="),
        ({"learner": Neighbours(), "parameter": "K", "values": [1, 2]}, "no parameter 'K'"),
        ({"learner": Neighbours(), "parameter": "k", "values": [1]}, "two different"),
        ({"learner": {"a": Nearest()}, "parameter": "k", "values": [1, 2]}, "one learner"),
    ],
)
def test_what_cannot_be_is_told(rows, options, words):
    with pytest.raises(ValueError, match=words):
        te.overfitting(options.pop("learner"), *rows, progress=False, **options)
