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
