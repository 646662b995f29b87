"""Where the legend stands on axes of one's own."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

import trueerror as te


def scores(models):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2_000)
    spread = {
        m: 1 / (1 + np.exp(-(1.2 + 0.4 * i) * (1.5 * y - 0.75 + rng.normal(size=len(y))))) for i, m in enumerate(models)
    }
    return y, spread


def hidden(ax):
    box = ax.get_legend().get_window_extent()
    curves = [line for line in ax.lines if len(line.get_xdata()) > 2]
    assert curves
    return [c for c in curves if c.get_transform().transform_path(c.get_path()).intersects_bbox(box, filled=False)]


@pytest.mark.parametrize("models", [2, 3, 5])
@pytest.mark.parametrize("curve", [te.calibration, te.roc], ids=["calibration", "ROC"])
def test_a_legend_hides_no_curve_on_small_axes(curve, models):
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.5))
    for ax in axes:
        curve(*scores("abcde"[:models])).draw(ax=ax)
    figure.tight_layout()
    figure.canvas.draw()
    assert [hidden(ax) for ax in axes] == [[], [], []]
    plt.close(figure)


def test_curves_that_join_later_keep_the_place_of_the_legend():
    y, of_models = scores("abcd")
    figure, (ax, _) = plt.subplots(1, 2, figsize=(7, 3.5))
    for values in of_models.values():
        te.calibration(y, values).draw(ax=ax)
    figure.canvas.draw()
    assert hidden(ax) == []
    assert len(ax.get_legend().get_texts()) == 4
    plt.close(figure)


def test_a_legend_made_anew_has_the_names():
    y, of_models = scores("ab")
    figure, ax = plt.subplots(figsize=(3.3, 3.0))
    te.roc(y, of_models).draw(ax=ax)
    named = [t.get_text() for t in ax.get_legend().get_texts()]
    ax.legend()
    assert {t.get_text() for t in ax.get_legend().get_texts()} == {name.replace("\n", " ") for name in named}
    plt.close(figure)


@pytest.mark.parametrize("models", [2, 12])
@pytest.mark.parametrize("curve", [te.calibration, te.roc, te.precision_recall, te.det])
def test_titles_and_numbers_stay_within_a_column_of_a_paper(curve, models):
    figure, ax = plt.subplots(figsize=(3.3, 3.0))
    curve(*scores("abcdefghijkl"[:models])).draw(ax=ax)
    figure.canvas.draw()
    for words in (ax.xaxis.label, ax.yaxis.label, *ax.get_xticklabels(), *ax.get_yticklabels()):
        box = words.get_window_extent()
        assert min(box.x0, box.y0) >= -1, words.get_text()
        assert box.x1 <= figure.bbox.width + 1
        assert box.y1 <= figure.bbox.height + 1
    plt.close(figure)


@pytest.mark.parametrize("models", [2, 12])
def test_rows_of_a_comparison_can_be_read_in_a_column_of_a_paper(models):
    y, of_models = scores("abcdefghijkl"[:models])
    figure, ax = plt.subplots(figsize=(3.3, 3.0))
    te.compare(y, scores=of_models).draw(ax=ax)
    figure.canvas.draw()
    for axes in figure.axes:
        boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
        assert all(label.get_fontsize() >= 6 for label in axes.get_yticklabels())
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])
    plt.close(figure)
