from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.plots import picture
from trueerror.plots._specs import Bars, Ranks
from trueerror.plots.compose.matrices import lay_out


def scores(k: int, n: int, step: float = 0.4) -> np.ndarray:
    rng = np.random.default_rng(k)
    return rng.normal(size=(n, k)) + step * np.arange(k)


def test_ranks_bars_and_ruler_follow_the_ranking() -> None:
    ranking = te.significance.nemenyi(scores(6, 14))
    made = picture(ranking)
    assert isinstance(made, Ranks)
    assert made.ranks == tuple(sorted(made.ranks))
    assert made.difference == ranking.critical_difference
    for group in made.groups:
        ranks = [made.ranks[i] for i in group]
        assert max(ranks) - min(ranks) < ranking.critical_difference
    layout = lay_out(made)
    assert layout.high >= layout.low + made.difference
    assert all(layout.low <= e.rank <= layout.high for e in layout.elbows)


def test_a_ranking_of_learners_speaks_of_learners() -> None:
    assert picture(te.rank(scores(3, 14))).title.startswith("Mean ranks of 3 learners")
    assert picture(te.significance.nemenyi(scores(3, 14))).title.startswith("Mean ranks of 3 models")


@pytest.mark.parametrize("k", [2, 3, 7, 12, 25])
def test_names_never_share_a_place(k: int) -> None:
    layout = lay_out(picture(te.significance.nemenyi(scores(k, 20))))
    places = {(e.left, round(e.level, 6)) for e in layout.elbows}
    assert len(places) == k
    assert min(e.level for e in layout.elbows) > max((b.level for b in layout.bars), default=0)


def test_overlapping_bars_stand_on_different_levels() -> None:
    layout = lay_out(picture(te.significance.shaffer(scores(12, 30))))
    for i, a in enumerate(layout.bars):
        for b in layout.bars[i + 1 :]:
            if a.level == b.level:
                assert a.ranks[-1] < b.ranks[0] or b.ranks[-1] < a.ranks[0]


def test_a_model_that_a_bar_only_crosses_has_no_dot() -> None:
    made = Ranks(title="", names=("a", "b", "c"), ranks=(1.0, 2.0, 3.0), groups=((0, 2),), difference=None)
    (bar,) = lay_out(made).bars
    assert bar.ranks == (1.0, 3.0)


def test_the_control_is_marked(svg: Any) -> None:
    ranking = te.significance.bonferroni_dunn(scores(5, 20), control=2)
    made = svg(ranking)
    assert [words for words in made.texts() if "(control)" in words] == [
        e.words for e in lay_out(picture(ranking)).elbows if "(control)" in e.words
    ]
    assert any(words.startswith("control ±") for words in made.texts())
    assert len(made.all("polyline", "elbow")) == 5
    assert len(made.all("line", "ruler")) == 3
    assert len(made.all("line", "group")) == len(lay_out(picture(ranking)).bars)


def test_posterior_is_three_bars(svg: Any) -> None:
    posterior = te.Posterior(left=0.1, rope=0.2, right=0.7, rope_width=0.01)
    made = picture(posterior)
    assert isinstance(made, Bars)
    assert made.amounts == (0.7, 0.2, 0.1)
    assert made.highest == 1.0
    assert [float(e.get("width")) for e in svg(posterior).all("rect", "bar")] == pytest.approx([210, 60, 30])
