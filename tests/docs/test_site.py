"""The site as readers have it: built once, opened from its folder in a real browser, searched in people's words."""

import re
import subprocess
import sys

import pytest
from build import DOCS

# The site is built once for all of them, which takes a minute, and more where other work shares the machine.
pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(900)]

# What people type, and the pages that answer it: one of them must come first or second.
QUERIES = {
    "cross-validation": ["howto/experiments", "howto/cross-validation", "learn/*"],
    "compare two models with cross-validation": ["howto/experiments", "howto/cross-validation"],
    "compare two learners by cross-validation": ["howto/experiments"],
    "how many test rows do I need": ["howto/plan-a-test-set", "calculators/*"],
    "sample size": ["howto/plan-a-test-set", "calculators/*"],
    "power analysis": ["howto/plan-a-test-set", "calculators/*"],
    "confidence interval for F1": ["howto/choose-an-interval"],
    "confidence interval for accuracy": ["howto/choose-an-interval", "tutorial/first-evaluation", "calculators/*"],
    "AUC confidence interval": ["tutorial/curves", "howto/choose-an-interval"],
    "which test": ["which-test"],
    "which statistical test should I use": ["which-test"],
    "threshold": ["howto/costs", "tutorial/curves", "learn/*"],
    "choose the best threshold": ["howto/costs", "tutorial/curves"],
    "prevalence": ["howto/another-class-mix", "calculators/*"],
    "different base rate in production": ["howto/another-class-mix"],
    "McNemar": ["tutorial/comparing", "calculators/*", "which-test"],
    "mcnemar test": ["tutorial/comparing", "calculators/*", "which-test"],
    "DeLong": ["tutorial/curves", "which-test"],
    "compare two AUCs": ["tutorial/curves"],
    "significance": ["explain/p-values"],
    "p-value meaning": ["explain/p-values"],
    "is the difference significant": ["tutorial/comparing", "explain/p-values", "explain/overlapping-bars"],
    "LLM eval error bars": ["howto/llm-evals"],
    "lm-eval": ["howto/evaluation-logs", "from/*"],
    "imbalanced classes": ["howto/imbalance", "learn/*"],
    "several rows per patient": ["howto/clusters-and-weights"],
    "bootstrap": [
        "learn/*",
        "howto/choose-an-interval",
        "reference/python/bootstrap",
        "reference/python/class-Bootstrap",
    ],
    "learning curve": ["howto/studies", "learn/*"],
    "ablation study": ["howto/studies", "learn/*"],
    "friedman nemenyi critical difference": ["howto/many-data-sets", "learn/*"],
    "compare many models multiple comparisons": ["howto/many-models"],
    "peeking at results": ["howto/look-while-data-arrive"],
    "GitHub Actions fail the build": ["howto/gate"],
    "cost-sensitive": ["howto/costs", "learn/*"],
    "precision recall curve": ["tutorial/curves", "learn/*", "explain/average-precision"],
    "calibration": ["tutorial/curves", "reference/python/calibration", "learn/*"],
    "read csv": ["howto/read-a-file"],
    "spark": ["howto/big-data"],
    "LaTeX table": ["howto/save-and-load"],
    "overlapping confidence intervals": ["explain/overlapping-bars"],
    "GridSearchCV": ["howto/cross-validation", "from/*"],
    "difference of two proportions": ["howto/counts-from-papers", "calculators/*"],
    "data leakage": ["howto/check"],
    "TE204": ["reference/findings"],
    "te.compare": ["reference/python/compare"],
    "gallery of plots": ["gallery"],
    "fairness between groups": ["howto/slices"],
    "pass@k": ["howto/repeats"],
    "Cohen's kappa": ["howto/raters-and-judges"],
    "LLM as a judge": ["howto/few-labels", "howto/raters-and-judges"],
    "Elo rating": ["howto/arena"],
    "generalization error": ["learn/01-sample-and-true-error"],
    "overfitting": ["howto/studies", "learn/*"],
    "McNemar calculator": ["calculators/mcnemar"],
    "small test set": ["howto/small-samples", "howto/plan-a-test-set"],
}
TEN = (
    "index", "which-test", "gallery", "tutorial/comparing", "howto/costs", "learn/08-roc", "calculators/mcnemar",
    "from/scikit-learn", "reference/python/compare", "reference/command-line",
)  # fmt: skip
SEARCH = """
const done = arguments[arguments.length - 1];
const wait = () => (Search._index ? done(Object.fromEntries(arguments[0].map((q) => [q,
  Search._performSearch(...Search._parseQuery(q)).reverse().slice(0, 4).map((r) => r[0])]))) : setTimeout(wait, 50));
wait();
"""
TOO_WIDE = "return document.documentElement.scrollWidth - document.documentElement.clientWidth;"


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documentation")
    words = ["--out", str(folder / "site"), "--sources", str(folder / "sources")]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(DOCS / "build.py"), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "WARNING" not in done.stderr
    return folder / "site"


def matches(page, wanted):
    return any(page == w or (w.endswith("/*") and page.startswith(w[:-1])) for w in wanted)


def test_forty_questions_find_their_page(site, browser):
    browser.open(site / "search.html")
    found = browser.driver.execute_async_script(SEARCH, list(QUERIES))
    wrong = {q: found[q] for q, wanted in QUERIES.items() if not any(matches(p, wanted) for p in found[q][:2])}
    assert not wrong


def test_search_works_from_a_folder_and_says_what_pages_are_about(site, browser):
    browser.open(site / "search.html", at="?q=how+many+test+rows+do+I+need")
    browser.driver.implicitly_wait(10)
    first = browser.one("#search-results li")
    assert "Sample size" in first.text
    assert browser.one("#search-results li .about").text
    assert all(url.startswith("file:") for url in browser.asked())
    first.find_element("css selector", "a").click()
    assert browser.driver.current_url.split("?")[0].endswith("howto/plan-a-test-set.html")


def test_no_page_asks_for_anything_outside(site):
    loads = re.compile(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"(?:https?:)?//[^\"]*", re.IGNORECASE)
    for path in site.rglob("*.html"):
        assert not loads.findall(path.read_text(encoding="utf-8")), path.name
    for path in site.rglob("*.css"):
        assert not re.findall(r"url\([\"']?(?:https?:)?//|@import[^;]*//", path.read_text(encoding="utf-8")), path.name


@pytest.mark.parametrize(("page", "width"), [*zip(TEN, (1440, 390) * 5, strict=True), ("index", 390)])
def test_pages_can_be_read_by_everyone(site, browser, page, width):
    """On a desktop in light and on a phone in dark, by turns: the theme and its style are the same on all pages."""
    browser.open(site / f"{page}.html", width=width, dark=width == 390)
    assert browser.axe() == []
    assert browser.run(TOO_WIDE) <= 1
    assert all(url.startswith("file:") for url in browser.asked())


def test_the_tree_opens_by_clicks_and_by_address(site, browser):
    browser.open(site / "which-test.html")
    leaf = browser.one("#paired-auc")
    assert not leaf.find_element("css selector", "pre").is_displayed()
    for box in ("#q2", "#q2-1", "#paired-auc"):
        browser.one(f"{box} > summary").click()
    assert leaf.find_element("css selector", "pre").is_displayed()
    assert "DeLong" in leaf.text
    browser.open(site / "which-test.html", at="#two-learners")
    assert browser.one("#two-learners pre").is_displayed()


def test_tabs_of_a_page_change_together(site, browser):
    browser.open(site / "howto/plan-a-test-set.html")
    commands = browser.all(".highlight-console")
    assert len(commands) >= 5
    assert not any(command.is_displayed() for command in commands)
    next(label for label in browser.all("label.sd-tab-label") if label.text == "Shell").click()
    assert all(command.is_displayed() for command in commands)


def test_the_report_is_one_click_from_the_start(site, browser):
    browser.open(site / "index.html")
    browser.driver.find_element("partial link text", "sample report").click()
    assert browser.driver.current_url.endswith("sample-report.html")
    assert browser.one("h1").is_displayed()


def test_every_page_has_a_search_box_in_sight(site, browser):
    for page in ("index", "howto/costs", "reference/python/compare"):
        browser.open(site / f"{page}.html", width=1440)
        box = browser.one(".search-button-field, .search-button")
        assert box.is_displayed()
        assert 0 <= box.location["y"] < 80
