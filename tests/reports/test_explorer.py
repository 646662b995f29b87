"""The operating-point explorer in a real browser: the numbers that it shows are those of the library."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from report_sources import SOURCES, scored
from selenium.webdriver import ActionChains, Keys

import trueerror as te
from trueerror.reports._explorer import three_digits
from trueerror.results._format import brief_names, number, share_words, threshold_words

# Share of positives, cost of a false alarm, cost of a miss.
CONDITIONS = [(0.1, 1, 1), (0.37, 1, 10), (0.02, 1, 200), (0.6, 5, 1), (0.95, 0.5, 3), (0.001, 1, 1), (0.5, 700, 0.1)]
INTO_VIEW = "arguments[0].scrollIntoView({ block: 'center' });"


def words_of(best, shown) -> str:
    if best.classifier in ("AlwaysNeg", "AlwaysPos"):
        how = {"AlwaysNeg": "nothing", "AlwaysPos": "everything"}[best.classifier]
        return f"Flag {how} as “1”: even at its best threshold no model is worth its errors."
    return f"On these rows {shown[best.classifier]} at threshold {number(best.threshold)} looks cheapest."


def decimals(largest: float) -> int:
    """As many as give the largest number of a column three digits, and one at least."""
    return max(1, min(6, 2 - int(np.floor(np.log10(largest))))) if largest > 0 else 0


def written(amounts, largest) -> list[str]:
    """Costs of a row as the page writes them, per 100 rows."""
    return [f"{100 * a:,.{decimals(100 * largest)}f}" for a in amounts]


def numbers(text: str) -> list[str]:
    return re.findall(r"[\d,]+(?:\.\d+)?", text)


def cost_interval(given, model, threshold, prior, fp, fn):
    """What `te.evaluate` says of a model's cost at a threshold, under a class mix and costs."""
    one = given.select(model).with_threshold(threshold)
    found = te.evaluate(one, metrics="expected_cost", costs=[[0, fp], [fn, 0]], prior=prior)
    return found.model(model)["expected_cost"]


@pytest.mark.parametrize("name", ["one", "twelve", "forty"])
def test_it_says_what_the_hull_says(name, pages, browser):
    browser.open(pages(name))
    given = SOURCES[name]()
    hull = te.roc_hull(given)
    shown = brief_names(given.models)
    n, m = given.truth_counts().tolist()
    assert not browser.one('[data-x="badge"]').is_displayed()
    browser.one("#x-mode-best").click()
    chosen = set()
    for prior, fp, fn in CONDITIONS:
        browser.set_condition(prior, fp, fn)
        best = hull.best(prior=prior, cost_fp=fp, cost_fn=fn, replicates=100)
        chosen.add(best.classifier)
        assert browser.said_by("choice") == words_of(best, shown)
        misses, alarms = round(m * (1 - best.tpr)), round(n * best.fpr)
        counts = browser.said_by("counts")
        assert re.match(rf"{misses} miss(es)? of {m}\b", counts)
        assert re.search(rf"\band {alarms} false alarms? of {n}\b", counts)
        cells = [browser.said_by(f"cell-{key}") for key in ("tp", "fn", "fp", "tn")]
        assert cells == [str(m - misses), str(misses), str(alarms), str(n - alarms)]
        trivial = [prior * fn, (1 - prior) * fp]
        words = browser.said_by("cost")
        # The same decimals as in the table beside it.
        tuned = "on these rows " in words
        assert tuned == (best.classifier in shown)
        first = numbers(words)[2 if tuned else 1]
        digits = len(first.partition(".")[2])
        assert browser.run("return document.querySelector('#explore tr.best td').firstChild.data;") == first
        if best.classifier in shown:
            own = cost_interval(given, best.classifier, best.threshold, prior, fp, fn)
            assert own.estimate == pytest.approx(best.cost)
            low, high = (f"{100 * x:,.{digits}f}" for x in (own.low, own.high))
            assert f"95 % CI {low} to {high})" in words
            # Elsewhere it costs more than here.
            assert float(numbers(words)[1].replace(",", "")) >= float(first.replace(",", ""))
        rest = [f"{100 * x:,.{digits}f}" for x in trivial]
        assert words.endswith(f"flagging nothing {rest[0]}, everything {rest[1]}.")
        assert browser.one('[data-x="badge"]').is_displayed()
    assert {"AlwaysNeg", "AlwaysPos"} < chosen
    assert browser.said() == []


def test_each_table_says_at_which_thresholds_it_compares(pages, browser):
    browser.open(pages("twelve"))
    models, ranges = '[data-x="models"] caption', '[data-x="ranges"] caption'
    said = []
    for mode, beginning, about in (
        ("use", "As used now, ", "as used now"),
        ("costs", "At threshold 0.5, which follows from the costs, ", "at the threshold that follows from the costs"),
        (
            "best",
            "Each model at its own cheapest threshold on these rows, ",
            "each at its best threshold on these rows",
        ),
    ):
        browser.one(f"#x-mode-{mode}").click()
        assert browser.one(models).text.startswith(beginning)
        assert browser.one(ranges).text == f"Cheapest by the share of positives, {about}, at equal costs"
        said.append(browser.rows('[data-x="ranges"]'))
    assert said[0] != said[2]
    browser.set_condition(0.001, 1, 1)
    browser.one("#x-mode-use").click()
    assert browser.said_by("choice") == "Flag nothing as “1”: as used now no model is worth its errors."


@pytest.mark.parametrize("name", ["two", "twelve"])
def test_costs_move_the_threshold_that_follows_from_them(name, pages, browser):
    """Whatever cost is typed, the page recommends what `te.compare` recommends, and puts the slider there."""
    browser.open(pages(name))
    given = SOURCES[name]()
    for prior, fn in ((None, 4), (None, 9), (0.2, 10)):
        if prior is not None:
            browser.set_condition(prior, 1, fn)
        else:
            browser.type("fn", fn)
        verdict = te.compare(given, cost_fn=fn, prior=prior)
        cut = float(browser.one('[data-x="at"]').get_attribute("value"))
        assert cut == pytest.approx(verdict.threshold, abs=0.0051)
        if prior is None:
            cheapest = [f"Run {m} at threshold {threshold_words(verdict.threshold)}." for m in verdict.leaders]
            assert browser.said_by("choice") in cheapest
            said = numbers(browser.said_by("cost"))
            cost = verdict.estimates[verdict.best]
            # "Cost per 100 rows: 38.7 (95 % CI 32.4 to 46.5)"
            shown = [float(said[k]) for k in (1, 3, 4)]
            assert shown == pytest.approx([100 * x for x in (cost.estimate, cost.low, cost.high)], abs=0.0501)
        assert not browser.one('[data-x="badge"]').is_displayed()
        assert "on rows not used to choose" not in browser.said_by("cost")


def test_costs_typed_again_change_no_advice(tmp_path, browser):
    given = scored(3)
    browser.open(te.report(given, tmp_path / "costs.html", cost_fn=10))
    cost, sure = browser.said_by("cost"), browser.said_by("sure")
    best = te.compare(given, cost_fn=10).best
    browser.type("fn", 10)
    assert browser.said_by("choice") == f"Run {best} at threshold 0.091."
    assert (browser.said_by("cost"), browser.said_by("sure")) == (cost, sure)


def test_a_tuned_threshold_costs_first_what_it_costs_elsewhere(tmp_path, browser):
    given = scored(3)
    browser.open(te.report(given, tmp_path / "costs.html", cost_fn=10, rng=1))
    browser.one("#x-mode-best").click()
    elsewhere = 100 * te.compare(given, cost_fn=10, rng=1).chosen.corrected.estimate
    first, here = (float(x) for x in numbers(browser.said_by("cost"))[1:3])
    assert first == pytest.approx(elsewhere, abs=0.06)
    assert first > here
    # At other costs too, from resamples of the page's own.
    for price in (2, 4, 20):
        browser.type("fn", price)
        point = te.roc_hull(given).best(cost_fn=price, rng=1)
        first, here = (float(x) for x in numbers(browser.said_by("cost"))[1:3])
        assert first - here == pytest.approx(100 * (point.corrected.estimate - point.cost), rel=0.2, abs=0.15)


def test_scores_that_are_no_probabilities_have_no_threshold_from_costs(tmp_path, browser):
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 200)
    given = te.predictions(truth, scores={"a": truth + rng.normal(size=200)}, positive=1)
    browser.open(te.report(given, tmp_path / "x.html"))
    assert browser.all("#x-mode-costs") == []
    browser.one("#x-mode-best").click()
    browser.type("fn", 10)
    assert browser.one('[data-x="badge"]').is_displayed()


def test_the_lead_says_where_a_verdict_about_costs_cuts_scores(tmp_path):
    given = scored(3)
    words = ", with every model at threshold 0.091."
    assert words in te.report(given, tmp_path / "costs.html", cost_fn=10).read_text(encoding="utf-8")
    assert ", with every model at" not in te.report(given, tmp_path / "plain.html").read_text(encoding="utf-8")


def test_calls_at_the_threshold_of_the_costs_are_not_called_those_in_use(tmp_path, browser):
    browser.open(te.report(scored(3), tmp_path / "costs.html", cost_fn=10))
    assert browser.one('[data-x="models"] caption').text.startswith("At the verdict's threshold, a false alarm ")
    words = r"At the verdict's threshold model \d costs least \(threshold 0\.091\)\."
    assert re.match(words, browser.said_by("choice"))
    assert browser.said() == []


def test_the_lead_says_why_a_cheaper_threshold_is_not_the_advice(tmp_path):
    rng = np.random.default_rng(23)
    truth = rng.integers(0, 2, 120)
    scores = {n: (1 / (1 + np.exp(-((truth - 0.5) * 2 + rng.normal(0, 1.4, 120))))).round(3) for n in "ab"}
    made = te.report(te.predictions(truth, scores=scores), tmp_path / "costs.html", cost_fn=3)
    assert "less than at 0.25 on these rows: chance, if" in made.read_text(encoding="utf-8")


def test_each_model_has_its_own_cheapest_threshold_and_limits(pages, browser):
    browser.open(pages("twelve"))
    browser.one("#x-mode-best").click()
    given = scored(12)
    for prior, fp, fn in CONDITIONS[:3]:
        browser.set_condition(prior, fp, fn)
        rows = {row[0]: row[1:] for row in browser.rows('[data-x="models"]')}
        points = {
            m: te.roc(given, model=m).operating_point(prior=prior, cost_fp=fp, cost_fn=fn, replicates=100)
            for m in given.models
        }
        cut = {m: x for m, x in points.items() if np.isfinite(x.threshold)}
        own = {m: cost_interval(given, m, x.threshold, prior, fp, fn) for m, x in cut.items()}
        largest = max([i.high for i in own.values()] + [x.cost for m, x in points.items() if m not in cut])
        for model, i in own.items():
            point = points[model]
            cost, low, high = written((point.cost, i.low, i.high), largest)
            misses, alarms = round(point.positives * (1 - point.tpr)), round(point.negatives * point.fpr)
            (a, b), (c, d) = (
                (te.interval(x, of).low, te.interval(x, of).high)
                for x, of in ((misses, int(point.positives)), (alarms, int(point.negatives)))
            )
            beneath = [
                f"{math.floor(a * point.positives)}\u00a0to {math.ceil(b * point.positives)}",
                f"{math.floor(c * point.negatives)}\u00a0to {math.ceil(d * point.negatives)}",
            ]
            assert rows[model][:4] == [
                f"{cost}{low}\u00a0to {high}", number(point.threshold),
                f"{misses}{beneath[0]}", f"{alarms}{beneath[1]}",
            ]  # fmt: skip


def test_with_nothing_moved_it_shows_the_calls_in_use(pages, browser):
    browser.open(pages("two"))
    given = scored(2)
    ev = te.evaluate(given, metrics="accuracy")
    rows = {row[0]: row[1:] for row in browser.rows('[data-x="models"]')}
    intervals = {m: ev.model(m)["accuracy"] for m in given.models}
    largest = max(1 - i.low for i in intervals.values())
    for model, i in intervals.items():
        (tn, fp), (fn, tp) = given.confusion(model).matrix.astype(int).tolist()
        cost, low, high = written((1 - i.estimate, 1 - i.high, 1 - i.low), largest)
        assert rows[model][:2] == [f"{cost}{low}\u00a0to {high}", "0.5"]
        assert [int(numbers(c)[0][: len(str(x))]) for c, x in zip(rows[model][2:4], (fn, fp), strict=True)] == [fn, fp]
        assert fn + tp == 94
        assert fp + tn == 146
    best = max(given.models, key=lambda m: intervals[m].estimate)
    assert browser.said_by("choice") == f"As used now {best} costs least (threshold 0.5)."
    # The comparison at the top of the page has the same difference and limits, in points of accuracy.
    c = te.compare(given)[next(m for m in given.models if m != best), best]
    low, high = sorted((-100 * c.low, -100 * c.high))
    assert f"95 % CI {low:+.1f} to {high:+.1f}".replace("-", "−") in browser.said_by("sure")


def test_the_same_threshold_for_all(pages, browser):
    browser.open(pages("twelve"))
    given = scored(12)
    for cut in (0.3, 0.62):
        browser.type("at", cut)
        rows = {row[0]: row[1:] for row in browser.rows('[data-x="models"]')}
        for model in given.models:
            cells = given.confusion(model, threshold=cut).binary()
            assert rows[model][1] == f"{cut}"
            assert all(c.startswith(str(int(x))) for c, x in zip(rows[model][2:4], (cells.fn, cells.fp), strict=True))
        right = {m: np.trace(given.confusion(m, threshold=cut).matrix) for m in given.models}
        best = max(reversed(given.models), key=right.__getitem__)
        assert browser.said_by("choice") == f"At threshold {cut} {best} costs least."


def test_the_table_of_thresholds_is_the_librarys(pages, browser):
    browser.open(pages("two"))
    browser.set_condition(0.2, 1, 4)
    given, best = scored(2), "model 1"
    rows = browser.rows('[data-x="thresholds"]')
    # The threshold that is looked at has a row of its own, and is marked.
    assert [e.get_attribute("textContent") for e in browser.all('[data-x="steps"] tr.taken th')] == ["0.39"]
    rows = [row for row in rows if row[0] != "0.39"]
    assert [row[0] for row in rows] == [f"{i / 20:.2f}" for i in range(1, 20)]
    flagged = [
        float(c.tp + c.fp) / 240 for c in (given.confusion(best, threshold=i / 20).binary() for i in range(1, 20))
    ]
    few = 2 if any(0 < f < 0.01 for f in flagged) else 1
    intervals = [cost_interval(given, best, i / 20, 0.2, 1, 4) for i in range(1, 20)]
    largest = max(i.high for i in intervals)
    for row, own in zip(rows, intervals, strict=True):
        t = given.confusion(best, threshold=float(row[0])).binary()
        cost, low, high = written((own.estimate, own.low, own.high), largest)
        assert row[1] == f"{cost}{low} to {high}"
        assert row[2] == f"{int(t.tp + t.fp)}{100 * float(t.tp + t.fp) / 240:.{few}f} %"
        assert row[3].startswith(str(int(t.tp)))
        assert row[4].startswith(str(int(t.fp)))
        precision = te.evaluate(given.select(best).with_threshold(float(row[0])), metrics="precision", prior=0.2)
        assert row[5] == f"{100 * precision.model(best)['precision'].estimate:.1f} %"
        assert row[6] == f"{100 * float(t.tp) / 94:.1f} %"
    browser.run("document.querySelector('[data-x=thresholds]').open = true;")
    button = browser.all('[data-x="steps"] button')[3]
    browser.run(INTO_VIEW, button)
    button.click()
    assert browser.said_by("choice") == f"{best} at threshold 0.2."


def test_it_says_what_changed(pages, browser):
    browser.open(pages("two"))
    given, best = scored(2), "model 1"
    box = browser.one('[data-x="at"]')
    before = given.confusion(best, threshold=0.5).binary()
    after = given.confusion(best, threshold=0.7).binary()
    browser.run("arguments[0].value = 0.7; arguments[0].dispatchEvent(new Event('input'));", box)
    more, fewer = int(after.fn - before.fn), int(before.fp - after.fp)
    change = float(after.fn + after.fp - before.fn - before.fp) / 240
    words = browser.said_by("changed")
    assert words.startswith(f"Changed: threshold 0.5 → 0.7: {more} more misses, {fewer} fewer false alarms, ")
    assert f"{100 * abs(change):.1f} per 100" in words


def test_the_address_holds_the_setting_and_brings_it_back(pages, browser):
    browser.open(pages("twelve"))
    browser.set_condition(0.2, 1, 4)
    for key, value in (("unit", "<b>€"), ("at", 0.4)):
        browser.type(key, value)
    said = [browser.said_by(key) for key in ("choice", "cost", "sure", "counts")]
    assert " <b>€ (" in said[1]
    address = browser.driver.current_url
    assert "#explorer&prior=0.2&fn=4" in address
    browser.open(pages("twelve"), at="#" + address.split("#")[1])
    assert [browser.said_by(key) for key in ("choice", "cost", "sure", "counts")] == said
    assert browser.one('[data-x="unit"]').get_attribute("value") == "<b>€"
    browser.one('[data-x="reset"]').click()
    assert browser.driver.current_url.endswith("#explorer")


@pytest.mark.parametrize("wrong", ["prior=7&fn=-3", "at=x&model=99", "mode=none&unit=" + "y" * 50, "%%%"])
def test_an_address_that_makes_no_sense_changes_nothing_it_cannot(wrong, pages, browser):
    browser.open(pages("two"), at="#explorer&" + wrong)
    assert browser.said_by("choice").startswith("As used now model 1 costs least")
    assert len(browser.one('[data-x="unit"]').get_attribute("value")) <= 12


def test_named_ranges_are_what_the_hull_says_and_have_no_slivers(pages, browser):
    browser.open(pages("twelve"))
    browser.one("#x-mode-best").click()
    browser.set_condition(0.3, 1, 5)
    hull = te.roc_hull(scored(12))
    rows = browser.rows('[data-x="ranges"]')
    assert 1 <= len(rows) <= 7
    assert rows[0][1] == "0 %"
    assert rows[-1][2] == "100 %"
    names = {"Flag nothing": "AlwaysNeg", "Flag everything": "AlwaysPos"}
    for name, low, high in rows:
        if name == "too close to call":
            continue
        ends = np.clip([float(x.removesuffix(" %")) / 100 for x in (low, high)], 0.001, 0.999)
        middle = 1 / (1 + np.exp(-np.log(ends / (1 - ends)).mean()))
        found = hull.best(prior=float(middle), cost_fn=5, replicates=200, rng=0).probabilities
        named = [names.get(n, n) for n in name.replace(" or ", ", ").split(", ")]
        assert sum(found.get(n, 0.0) for n in named) >= 0.7


def test_a_click_on_a_curve_takes_its_threshold(pages, browser):
    browser.open(pages("two"))
    plot = browser.one("#explore svg.plot")
    browser.run(INTO_VIEW, plot)
    # A point of the first curve: a quarter of the square to the right of where it stands now, and up to the curve.
    curve = te.roc(scored(2), model="model 1")
    tpr = float(np.interp(0.3, curve.fpr, curve.tpr))
    offset = browser.run(
        """const plot = arguments[0], frame = plot.getBoundingClientRect();
           const scale = frame.width / plot.viewBox.baseVal.width;
           const [left, top, wide, high] = arguments[3];
           const x = scale * (left + wide * arguments[1]), y = scale * (top + high * (1 - arguments[2]));
           return [x - frame.width / 2, y - frame.height / 2];""",
        plot, 0.3, tpr, browser.data("explorer")["panels"][0]["at"],
    )  # fmt: skip
    ActionChains(browser.driver).move_to_element_with_offset(plot, *(round(v) for v in offset)).click().perform()
    found = re.fullmatch(r"model 1 at threshold (0\.\d+)\.", browser.said_by("choice"))
    cells = scored(2).confusion("model 1", threshold=float(found[1])).binary()
    assert float(cells.fp) / 146 == pytest.approx(0.3, abs=0.06)


def test_rows_in_clusters_are_drawn_by_cluster_and_have_wider_limits(browser, tmp_path):
    rng = np.random.default_rng(2)
    cluster = np.repeat(np.arange(40), 6)
    truth = (rng.random(240) < 0.4).astype(int)
    scores = {m: 1 / (1 + np.exp(-(2 * rng.normal(size=40)[cluster] + g * truth))) for m, g in (("a", 1.0), ("b", 2.0))}
    widths = []
    for clusters in (None, cluster):
        p = te.predictions(truth, scores=scores, clusters=clusters)
        browser.open(te.report(p, tmp_path / "x.html"))
        browser.set_condition(0.2, 1, 4)
        low, high = re.search(r"CI ([\d.]+) to ([\d.]+)", browser.said_by("cost")).groups()
        widths.append(float(high) - float(low))
    assert widths[1] > 1.2 * widths[0]


@pytest.mark.parametrize("design", ["clusters", "weights", "weighted clusters", "rows"])
def test_limits_in_any_design_are_those_of_evaluate(design, browser, tmp_path):
    rng = np.random.default_rng(4)
    truth = (rng.random(240) < 0.4).astype(int)
    cluster = np.repeat(np.arange(40), 6)
    scores = (1 / (1 + np.exp(-(rng.normal(size=40)[cluster] + rng.normal(size=240) + 2 * truth)))).round(3)
    weights = rng.uniform(0.5, 3.0, 240)
    given = te.predictions(
        truth, scores={"m": scores}, positive=1, clusters=cluster if "clusters" in design else None,
        weights=weights if "weight" in design else None, weights_kind="sampling" if "weight" in design else None,
    )  # fmt: skip
    browser.open(te.report(given, tmp_path / "x.html"))
    for prior, fp, fn in [(None, 1, 4), (None, 3, 1), (None, 1, 1), *CONDITIONS[:4]]:
        if prior is not None:
            browser.set_condition(prior, fp, fn)
        else:
            for key, value in (("fp", fp), ("fn", fn)):
                browser.type(key, value)
        rows = browser.rows('[data-x="thresholds"]')
        for row in [row for row in rows if not round(100 * float(row[0]), 6) % 5][1::4]:
            cut = float(row[0])
            own = cost_interval(given, "m", cut, prior, fp, fn)
            if design == "rows" and prior is None and fp == fn:
                own = te.evaluate(given, threshold=cut, metrics="error_rate").model("m")["error_rate"]
            digits = len(row[1].split()[-1].partition(".")[2])
            assert row[1].endswith(f"{100 * own.low:,.{digits}f} to {100 * own.high:,.{digits}f}")
            rates = te.evaluate(given, threshold=cut, metrics=["recall", "fpr"])
            sizes = np.bincount(truth, weights=weights if "weight" in design else None)
            for shown, name, of in ((row[3], "recall", sizes[1]), (row[4], "fpr", sizes[0])):
                assert shown.endswith(f"{math.floor(rates[name].low * of)}\u00a0to {math.ceil(rates[name].high * of)}")


def test_the_line_of_equal_cost_is_the_hulls(pages, browser):
    browser.open(pages("two"))
    browser.one("#x-mode-best").click()
    browser.set_condition(0.2, 1, 4)
    ends = te.roc_hull(scored(2)).best(prior=0.2, cost_fn=4, replicates=100).line.ends
    panels = browser.data("explorer")["panels"]
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
    # So good a model is looked at in the corner from the start.
    assert [p.is_displayed() for p in panels] == [False, True]
    browser.run(INTO_VIEW, browser.one('[data-x="zoom"]'))
    browser.one('[data-x="zoom"]').click()
    assert [p.is_displayed() for p in panels] == [True, False]
    browser.one('[data-x="zoom"]').click()
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
    ActionChains(browser.driver).drag_and_drop_by_offset(slider, 6, 0).perform()
    browser.one('[data-x="prior-slider"]').send_keys(Keys.ARROW_LEFT * 6)
    prior = float(browser.one('[data-x="prior"]').get_attribute("value")) / 100
    fn = float(browser.one('[data-x="fn"]').get_attribute("value"))
    assert prior < 0.3
    assert fn > 1
    verdict = te.compare(scored(2), prior=prior, cost_fn=fn)
    cut = float(browser.one('[data-x="at"]').get_attribute("value"))
    assert cut == pytest.approx(verdict.threshold, abs=0.0051)
    assert re.fullmatch(rf"Run model \d at threshold {cut:g}\.", browser.said_by("choice"))
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
        browser.type("prior", wrong)
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


def test_a_model_with_labels_alone_keeps_the_curves_of_the_others(tmp_path, browser):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    scores = {name: 1 / (1 + np.exp(-(gap * y + rng.normal(size=200)))) for name, gap in (("a", 2.0), ("b", 1.0))}
    given = te.predictions(y, {"labels": y ^ (rng.random(200) < 0.2)}, scores=scores, positive=1)
    browser.open(te.report(given, tmp_path / "mixed.html"))
    assert {row[0].split()[0] for row in browser.rows('[data-x="models"]')} >= {"labels", "a", "b"}
    assert browser.all("#calibration")
    assert not browser.said()
