from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.plots import picture
from trueerror.plots._specs import Forest
from trueerror.plots.compose.forests import MOST_ROWS, domain_of


def test_one_interval_shows_estimate_limits_and_how() -> None:
    made = picture(te.interval(750, 1000))
    assert isinstance(made, Forest)
    (row,) = made.panels[0].rows
    assert row.words == "0.750 [0.722, 0.776]"
    assert made.subtitle == ("95 % interval (wilson), n = 1,000",)
    assert 0 <= made.panels[0].domain[0] < row.low < row.high < made.panels[0].domain[1] <= 1


def test_one_sided_limits_are_arrows_to_the_edge(svg: Any) -> None:
    given = {"at least": te.interval(75, 100, side="lower"), "at most": te.interval(5, 100, side="upper")}
    lower, upper = svg(given).all("svg", "interval")[:2]
    assert picture(given).panels[0].rows[0].words == "0.750, at least 0.673"
    for row, arrow, edge in ((lower, "▸", "100%"), (upper, "◂", "0%")):
        assert [e.text for e in row if e.tag.endswith("}text")] == [arrow]
        line, *caps = next(e for e in row if e.get("class") == "limits")
        assert edge in (line.get("x1"), line.get("x2"))
        # A cap where the interval ends, none where it goes on.
        assert len(caps) == 1
        assert caps[0].get("x1") != edge


def test_undefined_is_said_and_not_drawn(svg: Any) -> None:
    nothing = te.Interval(name="recall", estimate=math.nan, low=math.nan, high=math.nan, note="no positives")
    made = svg([nothing, te.interval(1, 2)])
    assert "undefined: no positives" in made.texts()
    first, second = made.all("svg", "interval")[:2]
    assert [e.get("class") for e in first] == ["ground"]
    assert "estimate" in [e.get("class") for e in second]
    assert np.isfinite(made.numbers()).all()
    alone = picture(nothing)
    assert all(math.isfinite(v) for v in alone.panels[0].domain)


def test_infinite_limits_stay_inside_the_axis(svg: Any) -> None:
    wide = te.Interval(name="ratio", estimate=3.0, low=1.0, high=math.inf)
    made = svg(wide)
    assert "▸" in made.texts()
    assert np.isfinite(made.numbers()).all()


def test_estimate_and_limits_lie_where_the_axis_says(svg: Any) -> None:
    given = te.interval(750, 1000)
    low, high = picture(given).panels[0].domain
    (row, _) = svg(given).all("svg", "interval")
    line = next(e for e in row if e.get("class") == "limits")[0]
    dot = next(e for e in row if e.get("class") == "estimate")
    for value, at in ((given.low, line.get("x1")), (given.high, line.get("x2")), (given.estimate, dot.get("cx"))):
        assert float(at.rstrip("%")) == pytest.approx(100 * (value - low) / (high - low), abs=0.051)


def test_contrast_has_zero_line_margin_and_sign() -> None:
    contrast = te.significance.mcnemar(60, 40, n=1000)
    panel = picture(contrast, margin=0.03).panels[0]
    assert panel.references == ((0.0, "no difference"),)
    assert panel.margin == (-0.03, 0.03)
    assert panel.domain[0] < -0.03
    assert panel.rows[0].words.startswith("+0.020 [")
    assert "p = .046" in panel.rows[0].words


def test_several_contrasts_take_one_axis() -> None:
    pair = [te.significance.mcnemar(60, 40, n=1000), te.significance.mcnemar(40, 60, n=1000)]
    made = picture(pair)
    assert len(made.panels[0].rows) == 2
    assert made.panels[0].rows[1].words.startswith("−0.020")
    assert "not adjusted" in made.subtitle[0]


def test_many_intervals_are_cut_and_it_is_said() -> None:
    made = picture([te.interval(i, 200) for i in range(MOST_ROWS + 5)])
    assert len(made.panels[0].rows) == MOST_ROWS
    assert made.panels[0].heading == f"the first {MOST_ROWS} of {MOST_ROWS + 5}"


def test_unknown_option_is_refused_with_those_that_exist() -> None:
    with pytest.raises(InputError, match="no option 'colour'; it has reference"):
        picture(te.interval(1, 2), colour="red")
    with pytest.raises(InputError, match="nothing to plot"):
        picture([])


@pytest.mark.parametrize("values", [[0.5], [0.0], [1.0], [0.0, 1.0], [-3.0, 5.0], [], [1e9], [5.0, 5.0]])
def test_domains_have_width_and_hold_their_values(values: list[float]) -> None:
    low, high = domain_of(values)
    assert low < high
    assert all(low <= v <= high for v in values)


def labels(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    truth = np.where(rng.random(n) < 0.3, "yes", "no")
    return truth, np.where(rng.random(n) < 0.85, truth, "no")


def test_evaluation_of_one_model_marks_the_baseline() -> None:
    truth, called = labels(300)
    made = picture(te.evaluate(truth, called, positive="yes"))
    rows = made.panels[0].rows
    assert [r.label for r in rows][:2] == ["accuracy", "always “no”"]
    assert [r.aside for r in rows][:2] == [False, True]
    assert "300 rows, " in made.subtitle[0]


def test_evaluation_of_several_models_has_a_panel_for_each_metric() -> None:
    truth, called = labels(300)
    ev = te.evaluate(truth, {"a": called, "b": truth[::-1], "a very long name " * 20: truth}, positive="yes")
    made = picture(ev)
    assert len(made.panels) > 3
    assert made.panels[0].heading == "accuracy"
    assert len(made.panels[0].rows) == 4
    assert len(made.panels[1].rows) == 3
    assert made.panels[0].references[0][0] == pytest.approx(ev.baseline.estimate)
    only = picture(ev, metric="mcc")
    assert len(only.panels) == 1


def test_evaluation_of_many_classes_shows_each_class() -> None:
    rng = np.random.default_rng(2)
    truth = rng.choice(["a", "b", "c"], 200)
    made = picture(te.evaluate(truth, np.where(rng.random(200) < 0.8, truth, "a")))
    assert [p.heading for p in made.panels[1:]] == ["recall of each class", "precision of each class"]
    assert [r.label for r in made.panels[1].rows] == ["a", "b", "c"]


def test_a_model_inside_an_evaluation_has_a_picture() -> None:
    truth, called = labels(100)
    part = te.evaluate(truth, called, positive="yes").parts[0]
    assert picture(part).panels[0].rows[0].label == "accuracy"
