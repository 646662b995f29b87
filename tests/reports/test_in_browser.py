"""The report in a real browser: it fits, it asks for nothing, and everybody can use it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from report_browser import DESKTOP, PHONE
from report_sources import HOSTILE, SOURCES, experiment
from selenium.webdriver import ActionChains, Keys

import trueerror as te
from trueerror.results._document import Table

PAINTED = """
const done = arguments[0];
new PerformanceObserver((list) => {
  const paint = list.getEntriesByName("first-contentful-paint")[0];
  if (paint) done(paint.startTime);
}).observe({ type: "paint", buffered: true });
"""
# The ratio of WCAG 2.1 for every text that is shown; grounds may be half transparent.
CONTRAST = r"""
const parts = (colour) => { const c = colour.match(/[\d.]+/g).map(Number); return c.length < 4 ? [...c, 1] : c; };
const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3]));
const ground = (e) => {
  if (!e) return [255, 255, 255];
  const own = parts(getComputedStyle(e).backgroundColor);
  return own[3] === 1 ? own.slice(0, 3) : over(own, ground(e.parentElement));
};
const light = (colour) => {
  const [r, g, b] = colour.map((v) => (v / 255 <= 0.04045 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const weak = [];
let seen = 0;
for (const e of document.body.querySelectorAll("*")) {
  const written = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  if (!written || !e.getClientRects().length || e.closest("svg, .permalink, script")) continue;
  const under = ground(e), a = light(over(parts(getComputedStyle(e).color), under)), b = light(under);
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  seen += 1;
  if (ratio < 4.5) weak.push(e.tagName + "." + e.className + " " + ratio.toFixed(2) + " " + e.textContent.slice(0, 30));
}
return [seen, weak];
"""
FOCUSED = """
const e = document.activeElement;
return e.dataset.x || [e.tagName.toLowerCase(), e.id, e.getAttribute("class")].filter(Boolean).join(" ");
"""


@pytest.mark.parametrize("name", list(SOURCES))
def test_it_opens_from_a_file_asks_for_nothing_complains_of_nothing_and_fits(name, pages, browser):
    for width in (DESKTOP, PHONE):
        browser.open(pages(name), width=width)
        for unfolded in (False, True):
            if unfolded:
                browser.unfold()
            wide, room = browser.run("const e = document.documentElement; return [e.scrollWidth, e.clientWidth];")
            assert wide <= room, (width, unfolded)
        assert browser.said() == []
        assert browser.asked() == [pages(name).as_uri()]


def test_first_paint_is_within_a_second(pages, browser):
    times = []
    for _ in range(3):
        browser.open(pages("forty"))
        times.append(browser.driver.execute_async_script(PAINTED))
    assert min(times) < 1000


def test_hostile_names_do_nothing(pages, browser):
    browser.open(pages("hostile"))
    browser.set_condition(0.3, 1, 8)
    browser.unfold()
    for plot in browser.all("svg.plot"):
        plot.send_keys(Keys.ARROW_RIGHT)
    assert browser.run("return window.owned;") is None
    text = " ".join(browser.run("return document.body.textContent;").split())
    for name in HOSTILE:
        assert name in text
    assert browser.all("main script, img") == []
    assert all(a.get_attribute("href").startswith("file:") for a in browser.all("a"))
    assert browser.said() == []


def test_tables_sort_and_say_how(pages, browser):
    browser.open(pages("twelve"))
    head = browser.one("#models ~ .wide thead th:nth-child(2)")
    before = browser.rows("#models ~ .wide")
    for order, last in (("descending", False), ("ascending", True)):
        head.find_element("css selector", "button").click()
        assert head.get_attribute("aria-sort") == order
        rows = browser.rows("#models ~ .wide")
        figures = [float(row[1].split()[0]) for row in rows]
        assert figures == sorted(figures, reverse=not last)
        assert sorted(rows) == sorted(before)


def test_tables_copy_as_the_library_writes_them(pages, browser):
    browser.open(pages("called"))
    browser.run("navigator.clipboard.writeText = (t) => { window.copied = t; return Promise.resolve(); };")
    heads = browser.run("return [...document.querySelectorAll('#models ~ .wide thead th')].map((h) => h.dataset.text);")
    table = Table(columns=tuple(heads), rows=tuple(tuple(row) for row in browser.rows("#models ~ .wide")))
    buttons = {b.text: b for b in browser.all("#models ~ .copies button")}
    for words, written in (("Markdown", table.to_markdown()), ("LaTeX", table.to_latex())):
        browser.run("arguments[0].click();", buttons[words])
        assert browser.run("return window.copied;") == written
    browser.run("arguments[0].click();", buttons["CSV"])
    lines = browser.run("return window.copied;").splitlines()
    assert lines[0].startswith("model,accuracy,")
    assert len(lines) == 1 + len(table.rows)
    browser.run("document.querySelector('[data-copies=paragraph]').click();")
    assert "90 rows, " in browser.run("return window.copied;")


def test_without_scripts_the_answers_still_show(pages, browser):
    browser.open(pages("two"), scripts=False)
    for css in (
        ".headline",
        ".verdict",
        ".strip",
        ".leaderboard .line svg",
        "#models ~ .wide table",
        "#explore svg.plot",
        "#findings",
    ):
        assert browser.one(css).is_displayed()
    assert not browser.one('[data-x="fn-slider"]').is_displayed()
    assert "misses" in browser.said_by("models")


def test_a_link_to_a_folded_section_opens_it(pages, browser):
    browser.open(pages("twelve"), at="#pairs")
    assert browser.one("section[aria-labelledby=pairs] table").is_displayed()
    assert not browser.one("section[aria-labelledby=confusions] table").is_displayed()


def test_light_and_dark_by_the_system_and_by_hand(pages, browser):
    paper = "return getComputedStyle(document.body).backgroundColor;"
    browser.open(pages("two"))
    light = browser.run(paper)
    browser.one("#theme").click()
    dark = browser.run(paper)
    browser.open(pages("two"), dark=True)
    assert browser.run(paper) == dark != light


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_contrasts_enough_with_its_ground(dark, pages, browser):
    browser.open(pages("twelve"), dark=dark)
    browser.set_condition(0.2, 1, 4)
    browser.unfold()
    seen, weak = browser.run(CONTRAST)
    assert seen > 300
    assert weak == []


def test_headings_go_down_one_step_at_a_time(pages, browser):
    browser.open(pages("twelve"))
    levels = browser.run("return [...document.querySelectorAll('h1, h2, h3, h4')].map((h) => Number(h.tagName[1]));")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_paper_shows_everything_and_no_controls(pages, browser):
    browser.open(pages("two"))
    closed = "return document.querySelectorAll('details:not([open])').length;"
    browser.run("dispatchEvent(new Event('beforeprint'));")
    assert browser.run(closed) == 0
    ink = "return getComputedStyle(document.body).color;"
    light = browser.run(ink)
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": dark})
    assert browser.run(ink) == light
    assert not browser.one("nav").is_displayed()
    assert not browser.one('[data-x="fn-slider"]').is_displayed()
    assert browser.one(".leaderboard").is_displayed()
    assert browser.one(".on-screen").is_displayed()
    assert not browser.one("section:has(#gains)").is_displayed()
    browser.run("dispatchEvent(new Event('afterprint'));")
    assert browser.run(closed) > 0


def test_everything_is_reached_by_keyboard(pages, browser):
    browser.open(pages("two"))
    seen = set()
    for _ in range(60):
        ActionChains(browser.driver).send_keys(Keys.TAB).perform()
        seen.add(browser.run(FOCUSED))
    wanted = {
        "prior-slider",
        "prior",
        "fp-slider",
        "fp",
        "fn-slider",
        "fn",
        "reset",
        "summary",
        "a skip",
        "svg te-picture plot",
    }
    assert wanted <= seen


@pytest.mark.parametrize(("name", "width", "dark"), [("two", DESKTOP, False), ("experiments", PHONE, True)])
def test_axe_finds_nothing_serious(name, width, dark, pages, browser):
    browser.open(pages(name), width=width, dark=dark)
    browser.unfold()
    assert browser.axe() == []


INTRUDERS = """
const done = arguments[0];
const attempt = (act) => { try { act(); } catch (error) { if (error.name !== "TypeError") throw error; } };
attempt(() => setTimeout("window.owned = 1"));
attempt(() => {
  const script = document.createElement("script");
  script.text = "window.owned = 2";
  document.body.append(script);
});
attempt(() => { document.body.insertAdjacentHTML("beforeend", "<img src=data: onerror='window.owned = 3'>"); });
fetch("https://example.org/").then(() => { window.owned = 4; }, () => null);
setTimeout(() => done(window.owned === undefined ? "nothing" : window.owned), 200);
"""


def test_the_policy_lets_nothing_else_run_or_load(pages, browser):
    browser.open(pages("two"))
    assert browser.driver.execute_async_script(INTRUDERS) == "nothing"
    assert any("Content Security Policy" in line for line in browser.said())


def test_a_saved_picture_asks_for_nothing_complains_of_nothing_and_follows_light_and_dark(browser, tmp_path):
    import trueerror as te

    path = te.roc([0, 1] * 30, [0.2, 0.7, 0.6] * 20).save(tmp_path / "x.html")
    grounds = set()
    for dark in (False, True):
        browser.open(path, dark=dark, width=PHONE)
        assert browser.asked() == [path.as_uri()]
        assert browser.said() == []
        grounds.add(browser.run("return getComputedStyle(document.querySelector('.paper')).fill;"))
        assert browser.run("return document.documentElement.scrollWidth <= document.documentElement.clientWidth;")
    assert len(grounds) == 2
    assert browser.run("return document.querySelectorAll('.hover title').length;") > 2


def test_an_experiment_shows_the_ranks_of_rank_and_one_data_set_at_a_time(browser, tmp_path):
    run = experiment(7)
    browser.open(te.report(run, tmp_path / "seven.html"))
    scores = [[run.fold_scores("accuracy", d).of(x).mean() for x in run.learners] for d in run.datasets]
    ranks = {name: f"{rank:.2f}" for name, rank in te.rank(scores, names=run.learners).ranks.items()}
    heads = browser.run("return [...document.querySelectorAll('table.grid thead th')].map((h) => h.textContent);")
    foot = browser.run("return [...document.querySelectorAll('table.grid tfoot tr > *')].map((c) => c.textContent);")
    assert {name: rank for name, rank in zip(heads, foot, strict=True) if name in ranks} == ranks
    board = """return [...document.querySelectorAll('[data-label="mean rank"]')].map(
      (c) => [c.parentNode.cells[0].textContent, c.textContent]);"""
    assert dict(browser.run(board)) == ranks
    heights = "return [...document.querySelectorAll('.set')].map((s) => s.getBoundingClientRect().height);"
    length = "return document.documentElement.scrollHeight;"
    # Whichever is chosen, it is open and the others take no room.
    for chosen in (6, 0):
        browser.one(f"#set-choice option[value='{chosen}']").click()
        assert [i for i, height in enumerate(browser.run(heights)) if height] == [chosen]
    opened = browser.run(length)
    browser.unfold()
    browser.run("document.querySelectorAll('.set').forEach((s) => { s.hidden = false; });")
    assert 3 * opened <= browser.run(length)
