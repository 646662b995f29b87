"""The charts of the report: what they show is the library's, they answer to hand and keys, and they can be saved."""

from __future__ import annotations

import base64
import re

import numpy as np
import pytest
from selenium.webdriver import Keys

import trueerror as te
from trueerror.plots._headings import estimate_words
from trueerror.reports._chart_sections import PAIRS, calibration_chart, confusion_matrix, difference_matrix, gap_figures
from trueerror.reports._html import Gallery


def cells(markup) -> list[list[str]]:
    """The texts of a table's cells, row by row."""
    rows = re.findall(r"<tr>(.*?)</tr>", str(markup))
    return [
        [" ".join(re.sub(r"<[^>]+>", " ", c).split()) for c in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", r)]
        for r in rows
    ]


def digits() -> te.Predictions:
    """Three classes; the second model is better on the first class and worse on the last."""
    truth = np.repeat([0, 1, 2], [40, 30, 20])
    first, second = truth.copy(), truth.copy()
    first[:6], first[40:42] = 1, 2
    second[0], second[70:75] = 1, 0
    return te.predictions(truth, {"a": first, "b": second})


def test_a_confusion_matrix_has_blank_zeros_and_its_own_scale_for_errors():
    ev = te.evaluate(digits())
    made = str(confusion_matrix(ev.model("a").parts[0].confusion, "a", Gallery()))
    rows = cells(made)
    assert rows[1] == ["0", "34 85.0 %", "6 15.0 %", ""]
    assert rows[3] == ["2", "", "", "20 100.0 %"]
    # The commonest error is the darkest, though it is a small share of its row.
    assert '<td class="e8">6<small>15.0 %' in made
    assert '<td class="e4">2<small>6.7 %' in made


def test_the_difference_of_two_models_is_blue_where_the_first_does_better():
    ev = te.evaluate(digits())
    made = str(difference_matrix(ev.model("b").parts[0], ev.model("a").parts[0]))
    rows = cells(made)
    assert rows[1] == ["0", "+5", "−5", ""]
    assert rows[2] == ["1", "", "+2", "−2"]
    assert rows[3] == ["2", "+5", "", "−5"]
    assert '<td class="h8 right">+5' in made
    assert '<td class="e8 right">−5' in made
    assert difference_matrix(ev.model("a").parts[0], ev.model("a").parts[0]) is None


# loess(y ~ x, span = 0.5, degree = 1, surface = "direct") of R 4 with these rows, at these places.
PLACES = [0.1, 0.3, 0.5, 0.72, 0.9]
LOESS = [0.0791452074, 0.1594807285, 0.3540299620, 0.5601217366, 0.8171161128]


def test_smooth_calibration_is_loess():
    i = np.arange(100)
    x = ((i * 37) % 100 + 0.5) / 100
    y = ((i * 53) % 101 / 101 < x**1.5).astype(int)
    smooth = te.calibration(y, x).smooth()
    assert np.interp(PLACES, smooth.forecast, smooth.observed) == pytest.approx(LOESS, abs=2e-3)
    assert ((smooth.low <= smooth.observed) & (smooth.observed <= smooth.high)).all()
    assert ((smooth.low >= 0) & (smooth.high <= 1)).all()


@pytest.mark.parametrize("forecast", [[0.5] * 20, [0.2, 0.8] * 10, [0.0, 1.0] * 10])
@pytest.mark.parametrize("truth", [[0] * 20, [1] * 20, [0, 1] * 10])
def test_smooth_calibration_of_few_forecasts_or_one_outcome_has_limits(forecast, truth):
    smooth = te.calibration(truth, forecast).smooth()
    assert np.isfinite(smooth.observed).all()
    assert (smooth.low < smooth.high).all()


def test_the_limits_of_smooth_calibration_cover():
    rng = np.random.default_rng(5)
    inside = []
    for _ in range(120):
        p = rng.beta(2, 3, 400)
        smooth = te.calibration((rng.random(400) < p).astype(int), p).smooth()
        inside.append((smooth.low <= smooth.forecast) & (smooth.forecast <= smooth.high))
    assert np.mean(inside) > 0.93


def test_bins_below_ten_rows_are_put_together():
    chart = calibration_chart(te.calibration(np.arange(35) % 2, np.linspace(0.01, 0.99, 35)), "m")
    assert chart.whiskers[0].tips["rows"].sum() == 35
    assert (chart.whiskers[0].tips["rows"] >= 10).all()


def test_slices_are_judged_by_cost_where_costs_are_asked_for():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 300)
    scores = {m: 1 / (1 + np.exp(-(rng.normal(size=300) + g * (truth - 0.5)))) for m, g in (("a", 2.0), ("b", 3.0))}
    p = te.predictions(truth, scores=scores, by=np.where(np.arange(300) % 3, "x", "y"))
    cmp = te.compare(p, cost_fp=1, cost_fn=10)
    ev = te.evaluate(p.with_threshold(cmp.threshold))
    figures, verdict = gap_figures(ev, cmp.metric, Gallery(), cmp)
    text = str(figures[0])
    assert "cost per 100 rows" in verdict
    assert "Cost per 100 rows by slice" in text
    assert "Recall by slice" in text
    t = p.slice("y").confusion("b", threshold=cmp.threshold).binary()
    cost = 100 * float(10 * t.fn + t.fp) / p.slice("y").n
    assert f"y, b: {cost:.3g} [" in text
    assert re.search(r"adjusted for all pairs: a p [=<] [\d.]+; b p [=<] [\d.]+", text)


def test_bands_of_rows_in_clusters_are_wider(tmp_path):
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 120)
    scores = {"a": rng.random(120) * 0.6 + 0.4 * truth, "b": rng.random(120)}
    for clusters in (None, np.repeat(np.arange(30), 4)):
        p = te.predictions(truth, scores=scores, clusters=clusters)
        text = te.report(p, tmp_path / "x.html").read_text(encoding="utf-8")
        assert 'class="bands"' in text


def test_bands_are_those_of_the_library_and_hold_the_curves():
    p = te.predictions([0, 1, 1] * 40, scores={"a": np.random.default_rng(2).random(120) * 0.7 + [0, 0.3, 0.2] * 40})
    roc = te.roc(p).band(kind="pointwise")
    for _, _, kinds in PAIRS:
        for kind in kinds:
            curve = kind.make(p, model="a")
            x, low, high = kind.limits(curve, 0.95)
            assert (low <= high).all()
            if kind.make is te.det:
                assert low == pytest.approx(np.clip(1 - np.interp(x, roc.fpr, roc.high), 1e-6, 1), abs=0.02)
            elif kind.make is te.decision_curve:
                assert ((low <= curve.net_benefit[1::2]) & (curve.net_benefit[1::2] <= high)).all()
                assert low[10] == curve.at(curve.thresholds[21]).low
            elif kind.make is te.cost_curve:
                assert ((low <= curve.cost(x) + 1e-12) & (curve.cost(x) <= high + 1e-12)).all()
            elif kind.make is te.risk_coverage:
                assert high[-1] == 1 - te.evaluate(p)["accuracy"].low


def test_the_legend_of_clustered_rows_says_what_evaluate_says(tmp_path):
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 120)
    scores = {name: rng.random(120) * 0.6 + 0.4 * truth for name in "ab"}
    p = te.predictions(truth, scores=scores, clusters=np.repeat(np.arange(30), 4))
    text = te.report(p, tmp_path / "x.html").read_text(encoding="utf-8")
    for name in "ab":
        assert f"{name}: AUC {estimate_words(te.evaluate(p, metrics='auc').model(name)['auc'])}" in text


LIT = """
const found = document.querySelectorAll(arguments[0] + " " + arguments[1]);
return [...found].map((e) => e.getAttribute(arguments[2]));
"""


def test_a_name_in_a_legend_brings_its_curve_and_band_out(pages, browser):
    browser.open(pages("twelve"))
    browser.unfold()
    place = "section:has(#precision-recall) .pair > :last-child .picture"
    items = browser.all(f"{place} .legend li[data-line] [role=button]")
    seen = "[data-band]:not(.quiet)"
    assert browser.run(LIT, place, seen, "data-band") == ["0"]
    assert items[2].get_attribute("aria-pressed") == "false"
    browser.run("arguments[0].focus();", items[2])
    assert browser.run(LIT, place, ".curve.lit", "data-line") == ["2"]
    assert browser.run(LIT, place, seen, "data-band") == ["2"]
    items[2].send_keys(Keys.ENTER)
    browser.run("arguments[0].blur();", items[2])
    assert items[2].get_attribute("aria-pressed") == "true"
    assert browser.run(LIT, place, ".curve.lit", "data-line") == ["2"]
    browser.run("arguments[0].click();", items[2])
    browser.run('arguments[0].closest("li").dispatchEvent(new Event("pointerleave"));', items[2])
    assert browser.run(LIT, place, ".curve.lit", "data-line") == []
    assert browser.run(LIT, place, seen, "data-band") == ["0"]


def test_sharp_models_are_shown_in_their_corner_at_first(pages, browser):
    browser.open(pages("sharp"))
    browser.unfold()
    views = browser.all("section:has(#precision-recall) .pair > :last-child [data-view]")
    assert [v.is_displayed() for v in views] == [True, False]
    browser.run("arguments[0].click();", browser.one("section:has(#precision-recall) .pair > :last-child [data-zoom]"))
    assert [v.is_displayed() for v in views] == [False, True]
    browser.open(pages("two"))
    assert browser.all("[data-zoom]") == []


CAUGHT = """
const done = arguments[1], held = [];
const made = URL.createObjectURL;
URL.createObjectURL = (blob) => { held.push(blob); return made(blob); };
HTMLAnchorElement.prototype.click = function () { held.push(this.download); };
for (const button of document.querySelectorAll(arguments[0] + " .saves button")) button.click();
setTimeout(async () => {
  const out = [];
  for (const one of held) {
    if (typeof one === "string") { out.push(one); continue; }
    const bytes = new Uint8Array(await one.arrayBuffer());
    out.push([one.type, btoa(bytes.reduce((text, b) => text + String.fromCharCode(b), ""))]);
  }
  URL.createObjectURL = made;
  done(out);
}, 400);
"""


def test_a_chart_is_saved_as_svg_and_png(pages, browser, tmp_path):
    browser.open(pages("two"))
    browser.unfold()
    browser.said()
    kinds = browser.driver.execute_async_script(CAUGHT, "section:has(#gains) figure:first-child")
    files = {name: base64.b64decode(data) for (_, data), name in zip(kinds[::2], kinds[1::2], strict=True)}
    assert set(files) == {"cumulative-gains-of-2-models.svg", "cumulative-gains-of-2-models.png"}
    svg = files["cumulative-gains-of-2-models.svg"].decode()
    assert svg.startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    assert "Cumulative gains of 2 models</text>" in svg
    assert "model 1: top 10 %" in svg
    assert "class=" not in svg
    assert "var(" not in svg
    assert files["cumulative-gains-of-2-models.png"].startswith(b"\x89PNG")
    # Painted: not one colour.
    assert len(files["cumulative-gains-of-2-models.png"]) > 8000
    assert browser.said() == []


def test_recall_of_each_class_is_drawn_worst_first(tmp_path):
    text = te.report(digits(), tmp_path / "x.html").read_text(encoding="utf-8")
    ev = te.evaluate(digits())
    shown = re.findall(r"<title>(\w), (\w): ([\d.]+) \[([\d.]+), ([\d.]+)\]", text)
    assert [label for label, model, *_ in shown if model == "a"] == ["2", "0", "1"]
    for label, model, *numbers in shown:
        own = ev.model(model)["recall", int(label)]
        assert numbers == [f"{v:.3g}" for v in (own.estimate, own.low, own.high)]
