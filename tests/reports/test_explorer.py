"""The operating-point explorer in a real browser: the numbers that it shows are those of the library."""

from __future__ import annotations

import re

import numpy as np
import pytest
from report_sources import SOURCES, scored
from selenium.webdriver import ActionChains, Keys

import trueerror as te
from trueerror.reports._explorer import share_words, three_digits
from trueerror.reports._html import brief_names
from trueerror.results._format import number, whole

# Share of positives, cost of a false alarm, cost of a miss.
CONDITIONS = [(0.1, 1, 1), (0.37, 1, 10), (0.02, 1, 200), (0.6, 5, 1), (0.95, 0.5, 3), (0.001, 1, 1), (0.5, 700, 0.1)]
INTO_VIEW = "arguments[0].scrollIntoView({ block: 'center' });"


def merged_ranges(hull, fp, fn, shown) -> list[list[str]]:
    """The ranges of a hull, neighbours of one classifier together."""
    merged: list[list[str]] = []
    for row in hull.ranges(cost_fp=fp, cost_fn=fn):
        if row["to"] > row["from"]:
            who = shown.get(row["classifier"], row["classifier"])
            if merged and merged[-1][0] == who:
                merged[-1][2] = share_words(row["to"])
            else:
                merged.append([who, share_words(row["from"]), share_words(row["to"])])
    return merged


def words_of(best, shown) -> str:
    if best.classifier in ("AlwaysNeg", "AlwaysPos"):
        how = {"AlwaysNeg": "nothing", "AlwaysPos": "everything"}[best.classifier]
        return f"Call {how} “1” ({best.classifier}): here no model is worth its errors."
    return f"Use {shown[best.classifier]}, and call “1” from {number(best.threshold)} up."


@pytest.mark.parametrize("name", ["one", "twelve", "forty"])
def test_it_says_what_the_hull_says(name, pages, browser):
    browser.open(pages(name))
    given = SOURCES[name]()
    hull = te.roc_hull(given)
    shown = brief_names(given.models)
    n, m = given.truth_counts().tolist()
    assert not browser.one('[data-x="badge"]').is_displayed()
    chosen = set()
    for prior, fp, fn in CONDITIONS:
        browser.set_condition(prior, fp, fn)
        best = hull.best(prior=prior, cost_fp=fp, cost_fn=fn, replicates=100)
        chosen.add(best.classifier)
        assert browser.said_by("choice") == words_of(best, shown)
        misses, alarms = round(m * (1 - best.tpr)), round(n * best.fpr)
        assert [int(x) for x in re.findall(r"\d+", browser.said_by("counts"))] == [misses, m, alarms, n]
        cells = [browser.said_by(f"cell-{key}") for key in ("tp", "fn", "fp", "tn")]
        assert cells == [str(m - misses), str(misses), str(alarms), str(n - alarms)]
        cost, neg, pos = (three_digits(100 * v) for v in (best.cost, prior * fn, (1 - prior) * fp))
        assert browser.said_by("cost") == f"Cost per 100 rows: {cost} (AlwaysNeg {neg}, AlwaysPos {pos})."
        assert browser.one('[data-x="badge"]').is_displayed()
        assert browser.rows('[data-x="ranges"]') == merged_ranges(hull, fp, fn, shown)
    assert {"AlwaysNeg", "AlwaysPos"} < chosen
    assert browser.said() == []


def test_each_model_has_its_own_cheapest_threshold(pages, browser):
    browser.open(pages("twelve"))
    given = scored(12)
    for prior, fp, fn in CONDITIONS[:3]:
        browser.set_condition(prior, fp, fn)
        rows = {row[0]: row[1:] for row in browser.rows('[data-x="models"]')}
        for model in given.models:
            point = te.roc(given, model=model).operating_point(prior=prior, cost_fp=fp, cost_fn=fn, replicates=100)
            cut = "calls nothing" if np.isinf(point.threshold) else number(point.threshold)
            misses, alarms = round(point.positives * (1 - point.tpr)), round(point.negatives * point.fpr)
            counts = [f"{misses} of {whole(point.positives)}", f"{alarms} of {whole(point.negatives)}"]
            assert rows[model] == [cut, *counts, three_digits(100 * point.cost)]


def test_with_nothing_moved_it_shows_the_calls_in_use(pages, browser):
    browser.open(pages("two"))
    given = scored(2)
    ev = te.evaluate(given)
    rows = {row[0]: row[1:] for row in browser.rows('[data-x="models"]')}
    for model in given.models:
        (tn, fp), (fn, tp) = given.confusion(model).matrix.astype(int).tolist()
        counts = [f"{fn} of {fn + tp}", f"{fp} of {fp + tn}"]
        assert rows[model] == ["0.5", *counts, three_digits(100 * (1 - ev.model(model)["accuracy"].estimate))]
    best = max(given.models, key=lambda m: ev.model(m)["accuracy"].estimate)
    assert browser.said_by("choice") == f"As used now {best} costs least: call “1” from 0.5 up."


def test_the_line_of_equal_cost_is_the_hulls(pages, browser):
    browser.open(pages("two"))
    browser.set_condition(0.2, 1, 4)
    ends = te.roc_hull(scored(2)).best(prior=0.2, cost_fn=4, replicates=100).line.ends
    panels = browser.run("return JSON.parse(document.getElementById('explorer-data').textContent).panels;")
    drawn = browser.run(
        """return [...document.querySelectorAll(".iso-cost")].map(
             (line) => ["x1", "y1", "x2", "y2"].map((a) => Number(line.getAttribute(a))));"""
    )
    assert len(drawn) == len(panels)
    for line, panel in zip(drawn, panels, strict=True):
        (left, top, width, height), (a, b), (c, d) = panel["at"], panel["x"], panel["y"]
        scaled = [(left + width * (x - a) / (b - a), top + height * (1 - (y - c) / (d - c))) for x, y in ends]
        assert line == pytest.approx([v for point in scaled for v in point], abs=0.02)


def test_a_corner_can_be_looked_at_closely(pages, browser):
    browser.open(pages("sharp"))
    panels = browser.all('[data-x="panel"]')
    assert [p.is_displayed() for p in panels] == [True, False]
    browser.run(INTO_VIEW, browser.one('[data-x="zoom"]'))
    browser.one('[data-x="zoom"]').click()
    assert [p.is_displayed() for p in panels] == [False, True]
    plot = panels[1].find_element("css selector", "svg.plot")
    plot.send_keys(Keys.ARROW_RIGHT * 2)
    assert "threshold" in browser.text(".tip")
    browser.open(pages("two"))
    assert browser.all('[data-x="zoom"]') == []


def test_sliders_move_by_hand_and_by_keys_and_come_back(pages, browser):
    browser.open(pages("two"))
    used = browser.said_by("choice")
    slider = browser.one('[data-x="fn-slider"]')
    browser.run(INTO_VIEW, slider)
    ActionChains(browser.driver).drag_and_drop_by_offset(slider, 40, 0).perform()
    browser.one('[data-x="prior-slider"]').send_keys(Keys.ARROW_LEFT * 60)
    prior = float(browser.one('[data-x="prior"]').get_attribute("value")) / 100
    fn = float(browser.one('[data-x="fn"]').get_attribute("value"))
    assert prior < 0.3
    assert fn > 5
    best = te.roc_hull(scored(2)).best(prior=prior, cost_fn=fn, replicates=100)
    assert browser.said_by("choice") == words_of(best, {m: m for m in best.probabilities})
    assert browser.said_by("badge") == "Tuned on these rows: optimistic"
    assert slider.get_attribute("aria-valuetext") == three_digits(fn)
    browser.one('[data-x="reset"]').click()
    assert browser.said_by("choice") == used
    assert not browser.one('[data-x="badge"]').is_displayed()


def test_a_number_that_cannot_be_is_marked_and_changes_nothing(pages, browser):
    browser.open(pages("two"))
    browser.set_condition(0.2, 1, 4)
    before = browser.said_by("cost")
    box = browser.one('[data-x="prior"]')
    for wrong in ("0", "-3", "", "120"):
        browser.run("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'));", box, wrong)
        assert box.get_attribute("aria-invalid") == "true"
        assert browser.said_by("cost") == before


def test_points_of_curves_answer_the_keys_and_the_pointer(pages, browser):
    browser.open(pages("two"))
    plot = browser.one("#explore svg.plot")
    browser.run(INTO_VIEW, plot)
    plot.send_keys(Keys.ARROW_RIGHT * 5)
    name, *lines = browser.text(".tip").split("\n")
    told = dict(line.split(": ", 1) for line in lines)
    curve = te.roc(scored(2), model=name.split(":")[0])
    columns = curve.thresholds, curve.fpr, curve.tpr
    points = [(number(float(t)), number(x), number(y)) for t, x, y in zip(*columns, strict=True)]
    assert (told["threshold"], told["false positive rate"], told["true positive rate"]) in points
    plot.send_keys(Keys.ESCAPE)
    assert not browser.one(".tip").is_displayed()
    # The ring stands where it was last: the pointer goes there, in pixels from the middle of the picture.
    offset = browser.run(
        """const plot = arguments[0], ring = plot.querySelector(".ring"), frame = plot.getBoundingClientRect();
           const scale = frame.width / plot.viewBox.baseVal.width;
           const x = scale * ring.cx.baseVal.value, y = scale * ring.cy.baseVal.value;
           return [x - frame.width / 2, y - frame.height / 2];""",
        plot,
    )
    ActionChains(browser.driver).move_to_element_with_offset(plot, *(round(v) for v in offset)).perform()
    assert browser.one(".tip").is_displayed()


NUMBERS = [0.0625, 0.1875, 0.5, 0.00012, 1.2345e-7, 12.345, 12.25, 999.96, 1234.5, 1e6, 0.9995, 3.0, 0.0, 123.456]


def test_numbers_are_written_as_everywhere(pages, browser):
    browser.open(pages("two"))
    for value in NUMBERS:
        written = browser.run("const w = trueerrorWords, x = arguments[0]; return [w.number(x), w.figure(x)];", value)
        assert written == [number(value), three_digits(value)]
        share = min(value, 1.0)
        assert browser.run("return trueerrorWords.share(arguments[0]);", share) == share_words(share)
