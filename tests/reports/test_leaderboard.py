"""The first figure of the page, in a real browser: its numbers are the library's, and everybody can use it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from report_sources import SOURCES, scored

import trueerror as te
from trueerror.reports._contents import headline
from trueerror.reports._leaderboard import Column, comparison_board, told
from trueerror.results._format import brief_names, fixed, name_key
from trueerror.results._values import decided
from trueerror.verbs._comparison import verdict_beneath

BOARD = """
return [...document.querySelectorAll(arguments[0] + " .leaderboard tbody tr")].filter((r) => r.offsetParent !== null)
  .map((r) => [...r.cells].filter((c) => !c.hidden && !c.classList.contains("line")).map((c) => c.textContent.trim()));
"""
# What axe-core calls serious, as far as it can be seen from the elements: nothing to press inside something to press,
# everything that is pressed at least 24 pixels high and wide or with as much room around it, landmarks with names of
# their own, and nothing that scrolls out of the keyboard's reach.
NESTED = """
const active = "a[href], button, input, select, textarea, summary, [tabindex]";
return [...document.querySelectorAll("summary, button, a[href], [role=button], label")]
  .filter((e) => e.tagName !== "LABEL" && e.querySelector(active)).map((e) => e.outerHTML.slice(0, 90));
"""
TARGETS = """
const shown = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary")]
  .filter((e) => e.getClientRects().length && e.checkVisibility({ visibilityProperty: true }) && !e.matches(".skip"));
const box = (e) => e.getBoundingClientRect();
const near = (e) => shown.some((o) => {
  if (o === e) return false;
  const a = box(e), b = box(o), x = (a.left + a.right) / 2, y = (a.top + a.bottom) / 2;
  const dx = Math.max(b.left - x, 0, x - b.right), dy = Math.max(b.top - y, 0, y - b.bottom);
  return Math.hypot(dx, dy) < 12;
});
const inline = (e) => e.tagName === "A" && e.closest("p, td, th, li") && getComputedStyle(e).display === "inline";
return shown.filter((e) => (box(e).height < 24 || box(e).width < 24) && !inline(e) && near(e))
  .map((e) => [e.tagName, e.textContent.trim().slice(0, 30), box(e).width, box(e).height].join(" "));
"""
LANDMARKS = """
const marks = [...document.querySelectorAll("header, nav, main, section[aria-labelledby], [role=region], aside")];
const heading = (e) => document.getElementById(e.getAttribute("aria-labelledby")) || {};
const names = marks.map((e) => e.tagName + " " + (e.getAttribute("aria-label") || heading(e).textContent || ""));
return names.filter((n, i) => names.indexOf(n) !== i);
"""
UNREACHED = """
return [...document.querySelectorAll("*")].filter((e) => {
  const style = getComputedStyle(e), moves = (o) => o === "auto" || o === "scroll";
  const wide = moves(style.overflowX) && e.scrollWidth > e.clientWidth + 1;
  const high = moves(style.overflowY) && e.scrollHeight > e.clientHeight + 1;
  return (wide || high) && e.tabIndex < 0 && !e.querySelector("a[href], button, input, select, [tabindex]");
}).map((e) => e.tagName + "." + e.className);
"""
SIZES = """
const sizes = new Set();
for (const e of document.body.querySelectorAll("*")) {
  const written = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  if (written && e.getClientRects().length && !e.closest("script")) sizes.add(getComputedStyle(e).fontSize);
}
return [...sizes].sort();
"""


def board(browser, of="#main"):
    return browser.run(BOARD, of)


@pytest.mark.parametrize("name", ["two", "twelve"])
def test_every_number_is_the_librarys(name, pages, browser):
    browser.open(pages(name))
    cmp = te.compare(SOURCES[name]())
    rows = {row[0]: row[1:] for row in board(browser)}
    d = cmp._decimals
    for m in cmp.models:
        own, *rest = rows[m][1:] if len(cmp.models) > 2 else rows[m]
        i = cmp.estimates[m]
        assert own == f"{fixed(i.estimate, d, power=2)} [{fixed(i.low, d, power=2)}, {fixed(i.high, d, power=2)}]"
        if m == cmp.best:
            assert rest[0] == ""
            continue
        c = cmp[m, cmp.best]
        figures = [fixed(x, d, power=2, sign=True) for x in (c.estimate, c.low, c.high)]
        assert rest[0] == f"{figures[0]} [{figures[1]}, {figures[2]}]"
        assert rest[2].endswith(told(cmp, c).word)
        # The interval leaves 0 out exactly where the word says that there is a difference.
        assert ((c.low > 0) or (c.high < 0)) == ("no clear" not in rest[2])
    assert list(rows)[: len(cmp.models)] == list(cmp.ranked)


def test_models_that_share_a_letter_do_not_differ_clearly(pages, browser):
    browser.open(pages("twelve"))
    cmp = te.compare(SOURCES["twelve"]())
    letters = comparison_board(cmp).letters
    shown = {row[0]: row[1] for row in board(browser)}
    assert {m: shown[m] for m in cmp.models} == letters
    for a in cmp.models:
        for b in cmp.models:
            if a != b and "–" not in letters[a] + letters[b]:
                assert cmp.told_apart(a, b) == (not set(letters[a]) & set(letters[b]))


def test_many_models_are_counted_filtered_sorted_and_folded(pages, browser):
    browser.open(pages("forty"))
    cmp = te.compare(SOURCES["forty"]())
    told_worse = sum(cmp.better(cmp.best, m) for m in cmp.ranked[1:])
    assert headline(cmp).startswith(f"Too close to call between {40 - told_worse} of 40; the other {told_worse} are")
    assert browser.text(".headline").endswith(f"{headline(cmp)}.")
    assert len(browser.text(".headline")) < 100
    assert len(board(browser)) == 16  # and one answer for every row
    browser.run("document.querySelector('.board > button').click();")
    assert len(board(browser)) == 41
    names = brief_names(cmp.models)
    assert {row[0] for row in board(browser)} >= set(names.values())
    assert all(len(shown) <= 28 for shown in names.values())
    assert name_key(cmp.models)[0] in browser.text("#main")
    browser.one("[data-board=filter]").send_keys("depth 39")
    assert [row[0] for row in board(browser)] == [names[m] for m in cmp.models if "depth 39" in m]
    browser.one("[data-board=filter]").clear()
    browser.run("const b = document.querySelector('[data-board=filter]'); b.dispatchEvent(new Event('input'));")


def test_another_metric_judges_the_models_anew(pages, browser):
    browser.open(pages("twelve"))
    given = SOURCES["twelve"]()
    for title, metric in (("AUC", "auc"), ("F1", "f1"), ("log loss", "log_loss")):
        browser.run(
            """const s = document.querySelector("[data-judge]");
               s.value = [...s.options].find((o) => o.text === arguments[0]).value;
               s.dispatchEvent(new Event("change"));""",
            title,
        )
        cmp = te.compare(given, metric=metric)
        shown = [row for row in board(browser) if row[0] in cmp.models]
        assert [row[0] for row in shown] == list(cmp.ranked)
        column = Column.of([cmp[m, cmp.best] for m in cmp.ranked[1:]])
        for row, m in list(zip(shown, cmp.ranked, strict=True))[1:]:
            assert column.words(cmp[m, cmp.best], sign=True) in row
            assert row[-1].endswith(told(cmp, cmp[m, cmp.best]).word)
        assert f"By {cmp.title}: {cmp.verdict[:40]}" in browser.text("[data-judged]:not([hidden])").replace(
            "\u00a0", " "
        )


def test_one_number_of_decimals_in_a_column(pages, browser):
    browser.open(pages("twelve"))
    for head in (2, 3):
        cells = [row[head] for row in board(browser) if "[" in row[head]]
        assert (
            len(
                {
                    len(x.split(".")[1])
                    for row in cells
                    for x in row.strip("]").replace("[", "").replace(",", "").split()
                }
            )
            == 1
        )


def test_the_matrix_holds_every_pair(pages, browser):
    browser.open(pages("twelve"), at="#pairs")
    cmp = te.compare(SOURCES["twelve"]())
    rows = browser.rows(".pairs")
    for a, row in zip(cmp.ranked, rows, strict=True):
        for b, sign in zip(cmp.ranked, row[1:], strict=True):
            assert sign == ("" if a == b else told(cmp, cmp[a, b]).sign)
    # Where the pointer rests there are the figures, of either half.
    titles = "[...document.querySelectorAll('.pairs tbody tr')].map((r) => [...r.cells].slice(1).map((c) => c.title))"
    tips = browser.run(f"return {titles};")
    for a, row in zip(cmp.ranked, tips, strict=True):
        for b, tip in zip(cmp.ranked, row, strict=True):
            if a != b:
                c = cmp[a, b]
                size, low, high = (fixed(x, cmp._decimals, power=2, sign=True) for x in (c.estimate, c.low, c.high))
                assert tip == f"{size} [{low}, {high}], {decided(c)}"


def test_heads_stay_and_the_side_names_every_section(pages, browser):
    browser.open(pages("forty"), width=1440)
    heads = browser.all(".leaderboard thead th, .tall thead th")
    assert {browser.run("return getComputedStyle(arguments[0]).position;", h) for h in heads} == {"sticky"}
    assert browser.run("return getComputedStyle(document.querySelector('nav ul')).position;") == "sticky"
    links = browser.run("return [...document.querySelectorAll('nav a')].map((a) => a.getAttribute('href').slice(1));")
    sections = "return [...document.querySelectorAll('main section')].map((s) => s.getAttribute('aria-labelledby'));"
    assert links == browser.run(sections)


def test_the_worst_finding_stands_with_the_verdict(browser, tmp_path):
    rng = np.random.default_rng(4)
    truth = (rng.random(600) < 0.3).astype(int)
    p = te.predictions(truth, {name: truth ^ (rng.random(600) < wrong) for name, wrong in (("a", 0.3), ("b", 0.4))})
    browser.open(te.report(p, tmp_path / "x.html"))
    assert "always answering" in browser.text("#verdict")


def test_scores_by_class_count_every_row(pages, browser):
    p = SOURCES["two"]()
    browser.open(pages("two"))
    browser.unfold()
    figures = browser.run("""
        const box = document.getElementById("scores").closest("section");
        return [...box.querySelectorAll("figure")].map((f) => f.textContent);""")
    assert len(figures) == len(p.models)
    for text in figures:
        assert f"1 (positive): {p.truth_counts()[1]} rows" in text
        assert f"all others (negative): {p.truth_counts()[0]} rows" in text


def test_results_are_downloaded_as_json_and_read_back(pages, browser):
    browser.open(pages("two"))
    text = browser.driver.execute_async_script(
        """const done = arguments[0];
           URL.createObjectURL = (blob) => { blob.text().then(done); return "#"; };
           document.getElementById("download").click();"""
    )
    found = json.loads(text)
    cmp = te.compare(SOURCES["two"]())
    assert te.load(json.dumps(found["comparison"])).verdict == cmp.verdict
    assert set(found) == {"comparison", "evaluation"}


def test_the_verdict_is_copied_in_words(pages, browser):
    browser.open(pages("twelve"))
    browser.run("navigator.clipboard.writeText = (t) => { window.copied = t; return Promise.resolve(); };")
    browser.run("document.querySelector('[data-copies=verdict]').click();")
    copied = browser.run("return window.copied;")
    cmp = te.compare(SOURCES["twelve"]())
    assert copied.startswith(headline(cmp))
    assert verdict_beneath(cmp) in copied


def test_the_preview_and_the_header_say_what_and_where_from(pages, browser, tmp_path):
    browser.open(te.report(scored(2), tmp_path / "named.html", file="scores <1>.csv"))
    described = browser.one("meta[name=description]").get_attribute("content")
    assert described == browser.one('meta[property="og:description"]').get_attribute("content")
    assert described.startswith(headline(te.compare(scored(2))))
    assert browser.text(".provenance").startswith("scores <1>.csv · 20")
    assert f"trueerror {te.__version__}" in browser.text(".provenance")


def test_the_grid_of_data_sets_and_the_one_that_is_chosen(pages, browser):
    browser.open(pages("experiments"))
    run = SOURCES["experiments"]()
    rows = browser.rows(".grid")
    for row, data in zip(rows, run.datasets, strict=True):
        cmp = run.compare("accuracy", data)
        order = run.rank().order
        for learner, cell in zip(order, row[2:], strict=False):
            assert cell.startswith(fixed(cmp.estimates[learner].estimate, 1, power=2))
            mark = "●" if learner in cmp.leaders else "" if cmp.told_apart(learner, cmp.best) else "○"
            assert cell.lstrip("0123456789.") == mark
    shown = "return [...document.querySelectorAll('.set')].map((s) => s.offsetParent !== null);"
    assert browser.run(shown) == [True, False]
    browser.run("const s = document.getElementById('set-choice'); s.value = '1'; s.dispatchEvent(new Event('change'));")
    assert browser.run(shown) == [False, True]
    browser.open(pages("experiments"), scripts=False)
    assert [d.is_displayed() for d in browser.all(".set > summary")] == [True, True]


@pytest.mark.parametrize("name", ["one", "two", "twelve", "forty", "called", "experiments", "ranking"])
def test_nothing_serious_for_those_who_cannot_see_or_point(name, pages, browser):
    browser.open(pages(name))
    browser.unfold()
    assert browser.run(NESTED) == []
    assert browser.run(LANDMARKS) == []
    assert browser.run(UNREACHED) == []
    assert browser.run(TARGETS) == []


@pytest.mark.parametrize("name", ["one", "twelve", "experiments"])
def test_five_sizes_of_type(name, pages, browser):
    browser.open(pages(name))
    browser.unfold()
    assert len(browser.run(SIZES)) <= 5


def test_what_scrolls_on_a_phone_shows_it_and_keeps_its_names(pages, browser):
    from report_browser import PHONE

    browser.open(pages("twelve"), width=PHONE)
    table = browser.one("#models ~ .wide")
    assert "gradient" in table.value_of_css_property("background-image")
    before = browser.run("return arguments[0].querySelector('tbody th').getBoundingClientRect().left;", table)
    browser.run("arguments[0].scrollLeft = 80;", table)
    assert browser.run("return arguments[0].querySelector('tbody th').getBoundingClientRect().left;", table) == before
    # A row of the leaderboard fits, with all that it says.
    assert all(len(row) > 4 for row in board(browser)[:3])


def test_four_models_print_on_four_pages(browser, tmp_path):
    import base64
    import re

    browser.open(te.report(scored(4), tmp_path / "four.html"))
    paper = {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": True}
    pdf = base64.b64decode(browser.driver.execute_cdp_cmd("Page.printToPDF", paper)["data"])
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 4


def test_losses_and_costs_have_their_best_first_and_real_minus_signs(browser, tmp_path):
    p = scored(3)
    for options, cmp in (
        ({"metric": "brier"}, te.compare(p, metric="brier")),
        ({"cost_fn": 5}, te.compare(p, cost_fn=5)),
    ):
        browser.open(te.report(p, tmp_path / "low.html", **options))
        rows = board(browser)
        assert [row[0] for row in rows[:3]] == list(cmp.ranked)
        text = browser.run("return document.body.innerText;")
        assert not [w for w in text.split() if w[:1] == "-" and w[1:2].isdigit()]


def test_by_costs_slices_are_by_cost_and_errors(tmp_path):
    rng = np.random.default_rng(4)
    truth = rng.random(300) < 0.3
    scores = {m: 1 / (1 + np.exp(-(rng.normal(size=300) + g * (truth - 0.5)))) for m, g in (("a", 3), ("b", 2))}
    p = te.predictions(truth.astype(int), scores=scores, positive=1, by=np.repeat(["x", "y", "z"], 100))
    text = te.report(p, tmp_path / "costs.html", cost_fn=5).read_text(encoding="utf-8")
    slices = text[text.index('id="slices"') :]
    slices = slices[: slices.index("</section>")]
    assert "Cost per 100 rows by slice" in slices
    assert "False positive rate by slice" in slices
    assert "ccuracy" not in slices
    cmp = te.compare(p, cost_fn=5)
    part = te.evaluate(p.with_threshold(cmp.threshold), costs=[[0, 1], [5, 0]]).slices["y"].parts[0]
    cost = part.metric("expected_cost")
    assert fixed(cost.estimate, 1, power=2) in slices


def test_a_usual_metric_that_cannot_be_had_is_left_out_with_its_reason(tmp_path):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 200)
    p = te.predictions(truth, scores={"a": 0.5 * rng.random(200) + 0.5 * truth}, clusters=np.arange(200) // 4)
    ev = te.evaluate(p, prior=0.02)
    assert np.isnan(ev.parts[0].overall["brier"].estimate)
    assert "another class mix is not offered with clusters" in str(ev)
    assert "another class mix" in te.report(p, tmp_path / "mix.html", prior=0.02).read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="not offered with clusters"):
        te.evaluate(p, metrics=["brier"], prior=0.02)


def test_an_experiment_shows_one_data_set_at_a_time(pages, browser):
    browser.open(pages("experiments"))
    height = "return document.documentElement.scrollHeight;"
    one = browser.run(height)
    browser.run("for (const s of document.querySelectorAll('.set')) { s.hidden = false; s.open = true; }")
    assert one < browser.run(height) - 300


def test_columns_take_their_decimals_from_the_narrowest_interval():
    wide, narrow = te.interval(50, 100), te.interval(9000, 10_000)
    column = Column.of([wide, narrow], power=2, least=1)
    assert column.words(wide).count(".") == 3
    assert np.isclose(float(column.say(narrow.estimate)), 90.0)


def test_the_accuracy_of_a_constant_stands_beside_the_accuracy(tmp_path, browser):
    table = te.Confusion([[150, 40], [60, 250]], labels=["+", "-"], positive="+")
    browser.open(te.report(te.evaluate(table, costs=[[-1, 100], [1, 0]]), tmp_path / "costs.html"))
    names = [row[0] for row in browser.rows(".leaderboard")]
    assert names[names.index("accuracy") + 1].startswith("always")
