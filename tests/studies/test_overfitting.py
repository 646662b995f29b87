"""te.overfitting: training and test error over a complexity parameter."""

import numpy as np
import pytest
from study_learners import Nearest, Neighbours, two_normals

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.studies._overfitting import places
from trueerror.studies._training_history import shown_steps


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


def answers(y, wrong):
    """Labels of one epoch: the first so many rows wrong."""
    return [1 - t if i < wrong else t for i, t in enumerate(y)]


Y = [0, 1] * 60
WRONG = {1: 50, 2: 14, 3: 12, 4: 13, 5: 45}


@pytest.fixture(scope="module")
def history():
    return te.training_history(Y, {e: answers(Y, k) for e, k in WRONG.items()}, training={5: 0.01, 1: 0.3})


def test_stop_at_the_simplest_epoch_that_is_not_told_apart_from_the_best(history):
    assert (history.best.setting, history.stop.setting) == ("3", "2")
    assert history.alike == ("2", "3", "4")
    assert history.overfits == ("5",)
    alone = te.compare(Y, {"2": answers(Y, 14), "3": answers(Y, 12)}, metric="error_rate")["2", "3"]
    price = history.price()
    assert (price.estimate, price.low, price.p_value) == (alone.estimate, alone.low, alone.p_value)
    assert "Stop at epoch 2" in " ".join(str(history).split())
    assert "Later it gets worse again" in history.verdict
    assert history[1].training == 0.3
    assert np.isnan(history[3].training)
    with pytest.raises(InputError, match="is the best one"):
        history.price(3)
    with pytest.raises(InputError, match="no epoch 9"):
        history[9]


def test_history_from_a_long_table_and_other_names(history):
    long = {
        "epoch": [e for e in (5, 1, 3, 2, 4) for _ in Y], "id": list(range(120)) * 5, "truth": Y * 5,
        "label": [v for e in (5, 1, 3, 2, 4) for v in answers(Y, WRONG[e])],
    }  # fmt: skip
    made = te.training_history(long)
    assert [p.setting for p in made.points] == ["1", "2", "3", "4", "5"]
    assert made.verdict == history.verdict
    pruned = te.training_history(Y, {"stump": answers(Y, 30), "tree": answers(Y, 20)}, parameter="pruning")
    assert "pruning" in pruned.verdict
    assert [p.place for p in pruned.points] == [1.0, 2.0]


def test_history_in_the_direction_of_the_metric_and_of_scores():
    up = te.training_history(Y, {e: answers(Y, k) for e, k in WRONG.items()}, metric="accuracy")
    assert (up.best.setting, up.stop.setting, up.overfits) == ("3", "2", ("5",))
    rng = np.random.default_rng(0)
    scores = {e: k * np.array(Y) + rng.normal(size=120) for e, k in ((1, 0.0), (2, 3.0))}
    by_rank = te.training_history(Y, scores, metric="auc")
    assert by_rank.stop.setting == by_rank.best.setting == "2"
    assert "still getting better" in by_rank.verdict


def test_equal_epochs_stop_at_the_first():
    made = te.training_history(Y, dict.fromkeys((1, 2, 3), answers(Y, 10)))
    assert made.stop.setting == made.best.setting == "1"
    assert made.alike == ("1", "2", "3")
    assert made.overfits == ()


def test_history_travels_and_is_drawn(history):
    from trueerror.plots.compose.studies import overfitting_picture

    again = te.load(history.to_json())
    assert str(again) == str(history)
    drawn = overfitting_picture(history)
    assert [m.words for m in drawn.marks] == ["overfits", "stop", "best"]
    assert len(history.frame()) == 5
    bare = te.training_history(Y, {e: answers(Y, k) for e, k in WRONG.items()})
    assert len(overfitting_picture(bare).whiskers) == 1


def test_histories_that_cannot_be_judged():
    for wrong in ({1: Y}, [Y, Y]):
        with pytest.raises(InputError, match="history"):
            te.training_history(Y, wrong)
    with pytest.raises(InputError, match="pass the truth"):
        te.training_history(Y)
    with pytest.raises(InputError, match="no such epoch"):
        te.training_history(Y, {1: Y, 2: Y}, training={3: 0.1})


def test_a_long_history_is_printed_in_part():
    made = te.training_history(Y, {e: answers(Y, 40 - min(e, 25)) for e in range(1, 41)})
    shown = [p.setting for p in shown_steps(made.points, (made.best, made.stop))]
    assert len(shown) <= 24
    assert {"1", "40", made.best.setting, made.stop.setting} <= set(shown)
