"""The matplotlib twins draw the same picture, on new axes or on given ones."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib
import numpy as np
import pytest

import trueerror as te
from trueerror.curves._calibration import calibration
from trueerror.curves._det import det
from trueerror.curves._folds import average_curves
from trueerror.curves._precision_recall import precision_recall
from trueerror.curves._roc import roc
from trueerror.plots import draw, picture
from trueerror.plots.matplotlib._draw import drawable
from trueerror.tallies import Confusion, ScoreTable

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def close() -> Iterator[None]:
    yield
    plt.close("all")


def texts(ax: Any) -> list[str]:
    return [t.get_text() for t in ax.figure.findobj(matplotlib.text.Text)]


RNG = np.random.default_rng(0)
FORTY = RNG.integers(0, 40, 800)
RANKED = RNG.normal(size=(12, 6))
MAKERS: dict[str, Callable[[Any, Any], Any]] = {
    "interval": lambda truth, scores: te.interval(75, 100),
    "one-sided": lambda truth, scores: [te.interval(75, 100, side="lower"), te.interval(5, 100, side="upper")],
    "contrast": lambda truth, scores: te.significance.mcnemar(60, 40, n=1000),
    "evaluation": lambda truth, scores: te.evaluate(truth, {n: (s > 0.5).astype(int) for n, s in scores.items()}),
    "confusion": lambda truth, scores: Confusion([[40, 3], [5, 52]], labels=["no", "yes"]),
    "confusion with gaps": lambda t, s: Confusion.count(["a", "b", "c"], ["a", None, "b"], missing="wrong"),
    "large confusion": lambda truth, scores: Confusion.count(FORTY, np.where(FORTY % 3 > 0, FORTY, 0)),
    "pairs": lambda truth, scores: Confusion.count(np.arange(300), np.zeros(300, dtype=int)),
    "precision and recall": lambda truth, scores: {n: precision_recall(truth, s) for n, s in scores.items()},
    "roc": lambda truth, scores: {n: roc(truth, s) for n, s in scores.items()},
    "comparison": lambda truth, scores: te.compare(truth, {n: (s > 0.5).astype(int) for n, s in scores.items()}),
    "det": lambda truth, scores: det(truth, scores["smooth"]),
    "calibration": lambda truth, scores: calibration(truth, scores["smooth"]),
    "average": lambda truth, scores: average_curves(
        [ScoreTable.count(truth[i::4], scores["smooth"][i::4]) for i in range(4)], how="threshold"
    ),
    "ranking": lambda truth, scores: te.significance.nemenyi(RANKED),
    "control": lambda truth, scores: te.significance.bonferroni_dunn(RANKED, control=0),
    "posterior": lambda truth, scores: te.Posterior(left=0.1, rope=0.2, right=0.7),
}


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_draws_on_new_axes_and_on_given_ones(kind: str, rows: Any) -> None:
    result = MAKERS[kind](*rows)
    fresh = draw(result)
    fresh.figure.canvas.draw()
    image = np.asarray(fresh.figure.canvas.buffer_rgba())
    assert (image[..., :3] < 200).any(axis=2).mean() > 0.002, "something must be drawn"
    figure, axes = plt.subplots(1, 2, figsize=(12, 6), layout="constrained")
    assert draw(result, axes[1]) is axes[1]
    figure.canvas.draw()
    assert not axes[0].lines


def test_an_odd_number_of_panels_leaves_no_empty_axes() -> None:
    truth = np.arange(60) % 3
    ev = te.evaluate(te.predictions(truth, {"a": truth, "b": np.roll(truth, 1), "c": truth // 2}))
    shown = picture(ev)
    assert len(shown.panels) % 2 == 1
    assert shown.columns == 2
    assert len(draw(ev).figure.axes) == len(shown.panels)


def test_a_legend_inside_axes_stays_within_them(rows: Any) -> None:
    truth, scores = rows
    figure, axes = plt.subplots(1, 3, figsize=(13, 4.5))
    for depth in (3, 6, 9):
        name = f"gradient_boosting_of_depth_{depth}_by_night"
        roc(te.predictions(truth, scores={name: scores["smooth"]}), model=name).draw(axes[0])
    figure.canvas.draw()
    assert axes[0].get_legend().get_window_extent().x0 >= axes[0].get_window_extent().x0


def test_axes_placed_by_hand_work_too(rows: Any) -> None:
    truth, scores = rows
    figure = plt.figure()
    ax = figure.add_axes((0.1, 0.4, 0.8, 0.5))
    assert draw(calibration(truth, scores["smooth"]), ax) is ax
    figure.canvas.draw()


def test_result_draw_reaches_the_twin() -> None:
    ax = te.interval(75, 100).draw()
    assert "0.750 [0.657, 0.825]" in texts(ax)


def test_cells_say_what_the_svg_picture_says() -> None:
    ax = draw(Confusion([[40, 3], [5, 52]], labels=["no", "yes"]))
    assert "40\n93.0 %" in texts(ax)
    assert ax.get_xlabel() == "predicted"
    assert ax.get_ylabel() == "truth"


def test_undefined_rows_are_named() -> None:
    nothing = te.Interval(name="x", estimate=math.nan, low=math.nan, high=math.nan, note="no rows")
    assert "undefined: no rows" in texts(draw([nothing, te.interval(1, 2)]))


def test_legend_shows_names_that_begin_with_an_underscore(rows: Any) -> None:
    truth, scores = rows
    ax = draw({"_hidden": precision_recall(truth, scores["smooth"]), "$x$": precision_recall(truth, scores["rough"])})
    shown = [t.get_text() for t in ax.get_legend().get_texts()]
    assert shown[0].startswith("_hidden")
    assert shown[1].startswith("$x$")


def test_characters_that_the_font_lacks_become_boxes() -> None:
    assert drawable("aé\U0010fffd") == "aé□"


def legend(ax: Any) -> list[str]:
    return [t.get_text() for t in ax.get_legend().get_texts()]


def test_curves_share_axes_with_the_colours_of_the_axes(rows: Any) -> None:
    truth, scores = rows
    figure, ax = plt.subplots()
    first, second = roc(truth, scores["smooth"]), roc(truth, scores["rough"])
    first.draw(ax)
    assert "ROC curve" in " ".join(texts(ax))
    assert ax.get_legend() is None
    second.draw(ax, label="rough one")
    assert [matplotlib.colors.to_hex(line.get_color()) for line in ax.lines if line.get_zorder() == 4] == [
        matplotlib.colors.to_hex(c) for c in ("C0", "C1")
    ]
    assert len(legend(ax)) == 2
    assert legend(ax)[0].startswith("AUC")
    assert legend(ax)[1] == "rough one"
    # What was said of the first alone is gone: nothing is printed over anything.
    said = texts(ax)
    assert not [words for words in said if "ROC curve" in words or "most accurate" in words]
    assert said.count("chance") == 1
    figure.canvas.draw()


def test_names_colours_title_and_words_are_asked_for(rows: Any) -> None:
    truth, scores = rows
    _, ax = plt.subplots()
    precision_recall(truth, scores["smooth"]).draw(ax, label="mine", color="red", title="Both", annotate=False)
    assert legend(ax) == ["mine"]
    assert "Both" in texts(ax)
    assert not [words for words in texts(ax) if words.startswith(("F1", "random"))]
    assert [line.get_color() for line in ax.lines if line.get_zorder() == 4] == ["red"]
    _, other = plt.subplots()
    te.interval(75, 100).draw(other, title=False)
    assert "proportion" not in [t for t in texts(other) if t != other.get_xlabel()]
    _, bare = plt.subplots()
    te.interval(75, 100).draw(bare, annotate=False)
    assert "0.750 [0.657, 0.825]" not in texts(bare)
    assert "Mine" in texts(te.interval(75, 100).draw(title="Mine"))


def test_what_somebody_else_drew_stays_in_the_legend(rows: Any) -> None:
    truth, scores = rows
    _, ax = plt.subplots()
    ax.plot([0, 1], [0, 0.5], label="somebody's")
    roc(truth, scores["smooth"]).draw(ax)
    assert legend(ax)[0] == "somebody's"


def test_axes_reach_as_far_as_all_their_curves(rows: Any) -> None:
    truth, scores = rows
    steep, flat = te.lift(truth, truth), te.lift(truth, scores["rough"])
    _, ax = plt.subplots()
    steep.draw(ax)
    high = ax.get_ylim()[1]
    flat.draw(ax)
    assert ax.get_ylim()[1] == high


def test_what_does_not_go_together_is_refused(rows: Any) -> None:
    truth, scores = rows
    _, ax = plt.subplots()
    te.interval(75, 100).draw(ax)
    for wrong in (lambda: te.interval(1, 2).draw(ax), lambda: roc(truth, scores["smooth"]).draw(ax)):
        with pytest.raises(ValueError, match="only curves can share axes"):
            wrong()
    with pytest.raises(ValueError, match="label= goes with curves"):
        te.interval(75, 100).draw(label="x")
    with pytest.raises(ValueError, match="label= names 2 curves, and this picture has 1"):
        roc(truth, scores["smooth"]).draw(label=["a", "b"])
    with pytest.raises(ValueError, match="no colour that matplotlib knows"):
        roc(truth, scores["smooth"]).draw(color=["bluish"])


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_long_names_on_given_axes_leave_room_for_the_plot(layout: Any) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    models = {
        f"gradient-boosted-trees_depth{d}_subsample0.8_2026-10-31": np.where(rng.random(200) < 0.9 - d / 40, truth, 0)
        for d in range(9)
    }
    figure, ax = plt.subplots(layout=layout)
    te.compare(truth, models).draw(ax)
    figure.canvas.draw()
    within = figure.bbox
    assert ax.get_window_extent().width > 0.25 * within.width
    for text in figure.findobj(matplotlib.text.Text):
        box = text.get_window_extent()
        if text.get_text() and box.width:
            assert box.x0 > -5, text.get_text()
            assert box.x1 < within.width + 5, text.get_text()
            assert box.y1 < within.height + 5, text.get_text()
    names = [t.get_window_extent() for t in ax.get_yticklabels()]
    assert all(a.y0 >= b.y1 - 2 for a, b in itertools.pairwise(names)), "no name stands on the next"
