from __future__ import annotations

import math

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.plots import picture, spec
from trueerror.plots._specs import Forest
from trueerror.plots.compose.forests import MOST_ROWS, domain_of


def test_one_interval_shows_estimate_limits_and_how() -> None:
    made = picture(te.interval(750, 1000))
    assert isinstance(made, Forest)
    (row,) = made.panels[0].rows
    assert row.words == "0.750 [0.722, 0.776]"
    assert made.subtitle == ("95 % interval (wilson), n = 1,000",)
    assert 0 <= made.panels[0].domain[0] < row.low < row.high < made.panels[0].domain[1] <= 1


def test_one_sided_limits_are_arrows_to_the_edge() -> None:
    made = picture({"at least": te.interval(75, 100, side="lower"), "at most": te.interval(5, 100, side="upper")})
    rows = spec({"at least": te.interval(75, 100, side="lower"), "at most": te.interval(5, 100, side="upper")})["data"]
    lower, upper = rows["values"]
    assert made.panels[0].rows[0].words == "0.750, at least 0.673"
    assert lower["arrow_high"] == pytest.approx(made.panels[0].domain[1])
    assert lower["cap_high"] is None
    assert lower["arrow_low"] is None
    assert upper["arrow_low"] == pytest.approx(made.panels[0].domain[0])
    assert upper["arrow_high"] is None


def test_undefined_is_said_and_not_drawn() -> None:
    nothing = te.Interval(name="recall", estimate=math.nan, low=math.nan, high=math.nan, note="no positives")
    made = spec([nothing, te.interval(1, 2)])
    row = made["data"]["values"][0]
    assert row["words"] == "undefined: no positives"
    assert row["estimate"] is None
    alone = picture(nothing)
    assert all(math.isfinite(v) for v in alone.panels[0].domain)


def test_infinite_limits_stay_inside_the_axis() -> None:
    wide = te.Interval(name="ratio", estimate=3.0, low=1.0, high=math.inf)
    made = spec(wide)
    assert made["data"]["values"][0]["arrow_high"] is not None
    assert "Infinity" not in str(made)


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
    assert "Read 300 rows" in made.subtitle[0]


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
