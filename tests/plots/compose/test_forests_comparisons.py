from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.plots import picture
from trueerror.plots._specs import Forest, Heat


@pytest.fixture
def comparison() -> te.Comparison:
    rng = np.random.default_rng(3)
    truth = np.where(rng.random(400) < 0.3, "yes", "no")
    other = np.where(truth == "yes", "no", "yes")
    called = {name: np.where(rng.random(400) < p, truth, other) for name, p in (("a", 0.9), ("b", 0.88), ("c", 0.7))}
    return te.compare(truth, called, margin=0.02)


def test_differences_from_the_leader_come_first(comparison: te.Comparison) -> None:
    made = picture(comparison)
    assert isinstance(made, Forest)
    differences, own = made.panels
    assert [r.label for r in differences.rows] == list(comparison.ranked[1:])
    assert differences.references == ((0.0, "no difference"),)
    assert differences.axis == f"model − {comparison.best}, points"
    assert "difference from the" in str(comparison)  # the printed table holds the same differences
    assert differences.margin == (-2.0, 2.0)
    first = comparison[comparison.ranked[1], comparison.best]
    assert differences.rows[0].estimate == pytest.approx(100 * first.estimate)
    assert len(own.rows) == 3
    assert made.subtitle[0] in comparison.verdict.replace("\n", " ")


def test_words_say_what_colour_shows(comparison: te.Comparison) -> None:
    rows = {r.label: r.words for r in picture(comparison).panels[0].rows}
    assert rows["c"].endswith("worse")
    told = comparison.told_apart("b", comparison.best) if comparison.best != "b" else None
    if told is False:
        assert rows["b"].endswith("too close to call")


def test_every_pair_at_a_glance(comparison: te.Comparison, svg: Any) -> None:
    made = picture(comparison, show="pairs")
    assert isinstance(made, Heat)
    assert len(made.words) == 9
    assert [bool(words[0]) for words in made.words] == [False, True, True, True, False, True, True, True, False]
    by_place = {tuple(p): w for p, w in zip(made.place.tolist(), made.words, strict=True)}
    assert by_place[0, 2][0].startswith("+")
    assert by_place[2, 0][0].startswith("−")
    assert by_place[0, 2][2] == "better"
    assert by_place[2, 0][2] == "worse"
    shown = svg(comparison, show="pairs")
    assert {words for cell in made.words for words in cell if words} <= set(shown.texts())
    assert (len(shown.all("rect", "cell")), len(shown.all("rect", "empty"))) == (6, 3)


def test_pairs_that_were_not_compared_are_empty() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    called = {name: np.where(rng.random(200) < 0.8, truth, 1 - truth) for name in "abc"}
    made = picture(te.compare(truth, called, reference="b"), show="pairs")
    compared = [bool(words[0]) for words in made.words]
    assert sum(compared) == 4


def test_unknown_show_is_refused(comparison: te.Comparison) -> None:
    with pytest.raises(InputError, match="show='all' is not known"):
        picture(comparison, show="all")


def test_training_gap_is_a_forest_of_differences() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 150)
    test = {name: np.where(rng.random(150) < 0.8, truth, 1 - truth) for name in "ab"}
    training = {name: np.where(rng.random(150) < 0.95, truth, 1 - truth) for name in "ab"}
    gap = te.training_gap(te.predictions(truth, training), te.predictions(truth, test))
    made = picture(gap)
    assert [r.label for r in made.panels[0].rows] == ["a", "b"]
    assert made.panels[0].references == ((0.0, "no difference"),)


def test_the_subtitle_is_one_sentence_with_names_that_differ() -> None:
    names = [f"gradient boosting, max_depth={i}, learning_rate=0.05, tuned" for i in range(4)]
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 300)
    calls = {name: np.where(rng.random(300) < 0.6 + 0.1 * i, truth, 1 - truth) for i, name in enumerate(names)}
    made = picture(te.compare(te.predictions(truth, calls)))
    assert isinstance(made, Forest)
    said = [line for line in made.subtitle if "intervals" not in line]
    assert len(said) <= 3
    assert "max_depth=3" in said[0]
    assert "max_depth=3" in made.panels[0].heading
