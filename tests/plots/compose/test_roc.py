from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from trueerror.curves._hull import roc_hull
from trueerror.curves._roc import roc
from trueerror.curves._roc_difference import roc_difference
from trueerror.inputs._options import InputError
from trueerror.plots import picture
from trueerror.plots._specs import Curves, Line


def only(made: Curves, role: str) -> Line:
    (line,) = [line for line in made.lines if line.role == role]
    return line


def test_curve_hull_diagonal_and_constant_classifiers(rows: Any) -> None:
    truth, scores = rows
    curve = roc(truth, scores["smooth"], model="forest")
    made = picture(curve)
    drawn = only(made, "curve")
    np.testing.assert_array_equal(drawn.x, curve.fpr)
    np.testing.assert_array_equal(drawn.y, curve.tpr)
    hull = only(made, "hull")
    assert (np.interp(curve.fpr, hull.x, hull.y) >= curve.tpr - 1e-12)[curve.fpr > 0].all()
    assert only(made, "reference").words == "chance"
    assert {"flag nothing", "flag everything"} <= {mark.words for mark in made.marks}
    assert made.title == "ROC curve of forest"
    assert made.subtitle[0].startswith("AUC 0.")


@pytest.mark.parametrize(("prior", "cost_fn"), [(None, 1.0), (None, 10.0), (0.02, 1.0), (0.9, 3.0)])
def test_line_of_equal_cost_touches_the_hull_at_the_chosen_point(
    rows: Any, prior: float | None, cost_fn: float
) -> None:
    truth, scores = rows
    curve = roc(truth, scores["smooth"])
    made = picture(curve, prior=prior, cost_fn=cost_fn)
    point = made.marks[-1]
    condition = curve.condition(prior, cost_fn=cost_fn)
    costs = condition.cost(curve.fpr, curve.tpr)
    assert condition.cost(point.x, point.y) == pytest.approx(costs.min())
    line = only(made, "iso")
    slope = (line.y[1] - line.y[0]) / (line.x[1] - line.x[0])
    assert slope == pytest.approx(condition.slope)
    above = curve.tpr - (line.y[0] + slope * (curve.fpr - line.x[0]))
    assert above.max() <= 1e-9


def test_the_best_classifier_of_several_is_named(rows: Any) -> None:
    truth, scores = rows
    curves = {name: roc(truth, s) for name, s in scores.items()}
    made = picture(curves)
    assert any("smooth threshold" in line for line in made.subtitle)
    assert picture(roc_hull(curves)) is not None
    assert len([line for line in picture(roc_hull(curves)).lines if line.role == "curve"]) == 2


def test_constant_classifiers_can_be_the_best_ones() -> None:
    curve = roc([0, 1] * 10, [0.5] * 20)
    made = picture(curve, prior=0.01)
    assert any("flag nothing" in line for line in made.subtitle)


def test_what_is_not_wanted_is_left_out(rows: Any) -> None:
    truth, scores = rows
    made = picture(roc(truth, scores["rough"]), hull=False, point=False)
    assert {line.role for line in made.lines} == {"curve", "reference"}
    assert len(made.marks) == 2


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
def test_bands_say_in_the_legend_what_they_are(rows: Any, kind: Any, svg: Any) -> None:
    truth, scores = rows
    curve = roc(truth, scores["rough"])
    made = picture(curve, band=kind)
    assert made.bands[0].name == f"95 % {kind} band"
    assert svg(curve, band=kind).legend() == [f"95 % {kind} band"]
    assert kind in picture(curve.band(kind)).subtitle[0]


def test_bands_of_several_models_share_one_legend_entry(rows: Any, svg: Any) -> None:
    truth, scores = rows
    made = svg({name: roc(truth, s) for name, s in scores.items()}, band="pointwise")
    assert made.legend()[2:] == ["95 % pointwise band"]
    assert len([e for e in made.all("path", "band") if e.get("d")]) == 2


def test_options_reach_the_picture_from_the_result(rows: Any) -> None:
    truth, scores = rows
    made = roc(truth, scores["rough"]).plot(cost_fn=10)
    assert "a miss 10" in " ".join(made.picture.subtitle)
    assert "a miss 10" in made.svg


def test_points_of_a_curve_are_forests(rows: Any) -> None:
    truth, scores = rows
    curve = roc(truth, scores["rough"])
    made = picture(curve.at(threshold=0.5))
    assert [r.label for r in made.panels[0].rows] == ["tpr", "fpr"]
    assert picture(curve.operating_point(replicates=200)).panels


def test_difference_of_two_curves_has_its_band_and_the_line_of_none(rows: Any) -> None:
    truth, scores = rows
    difference = roc_difference(truth, scores["smooth"], scores["rough"], replicates=200)
    made = picture(difference)
    np.testing.assert_array_equal(made.bands[0].low, difference.low)
    assert made.bands[0].name == "95 % simultaneous band"
    assert "no difference" in {line.words for line in made.lines}
    assert made.y.low <= 0 <= made.y.high
    assert made.subtitle[0].startswith(("clear differences: first from", "no clear difference anywhere"))


def test_who_is_cheapest_where(rows: Any) -> None:
    truth, scores = rows
    hull = roc_hull({name: roc(truth, s) for name, s in scores.items()})
    ranges = picture(hull.ranges())
    assert ranges.starts[0] == 0
    assert ranges.amounts[-1] == 1
    assert ranges.amounts[:-1] == pytest.approx(ranges.starts[1:])
    chosen = picture(hull.best(replicates=200))
    assert sum(chosen.amounts) == pytest.approx(1)
    for result in (hull.ranges(), hull.best(replicates=200)):
        assert result.plot().svg.count('class="bar c0"') == len(picture(result).labels)


def test_wrong_options_are_refused(rows: Any) -> None:
    truth, scores = rows
    with pytest.raises(InputError, match="band"):
        picture(roc(truth, scores["rough"]), band="both")
    with pytest.raises(InputError, match="no option 'costs'"):
        picture(roc(truth, scores["rough"]), costs=3)
