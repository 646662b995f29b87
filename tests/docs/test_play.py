"""The simulations in the lessons run in a real browser and find what theory and the library say."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from build import DOCS
from scipy import stats

import trueerror as te

SCRIPT = DOCS / "learn" / "play.js"
LESSONS = sorted((DOCS / "learn").glob("[0-9]*.md"))
pytestmark = pytest.mark.browser


@pytest.fixture
def found(run: Any) -> Callable[..., list[dict[str, Any]]]:
    """What a simulation finds with these settings, for several seeds."""
    program = "return given[2].map((seed) => c.SIMULATIONS[given[0]].run(given[1], c.generator(seed)).found);"
    return lambda name, seeds=8, **settings: run(program, [name, settings, list(range(1, seeds + 1))])


def mean(values: list[dict[str, Any]], name: str) -> float:
    return float(np.mean([v[name] for v in values]))


def test_every_lesson_has_one_of_its_own() -> None:
    named = [re.findall(r'data-play="([\w-]+)"', p.read_text(encoding="utf-8")) for p in LESSONS]
    assert all(len(names) == 1 for names in named)
    script = SCRIPT.read_text(encoding="utf-8")
    known = re.findall(r'^    "?([\w-]+)"?: \{\n      fields:', script, re.MULTILINE)
    assert sorted(names[0] for names in named) == sorted(known)
    assert not re.search(r"fetch\(|XMLHttpRequest|import\(|localStorage|cookie|https?://(?!www.w3.org)", script)


def test_critical_values_and_areas(run: Any) -> None:
    made = run("return given.map((df) => c.student(df));", list(range(1, 400)))
    np.testing.assert_allclose(made, stats.t.ppf(0.975, range(1, 400)), rtol=2e-3)
    at = list(np.linspace(-8, 8, 161))
    np.testing.assert_allclose(run("return given.map((x) => c.phi(x));", at), stats.norm.cdf(at), atol=1e-9)


def test_the_same_seed_draws_the_same(found: Any) -> None:
    settings = {"error": 0.3, "rows": 40}
    assert found("test-sets", **settings) == found("test-sets", **settings)
    assert len({str(v) for v in found("test-sets", **settings)}) > 1


def test_intervals_hold_the_truth_as_often_as_exact_sums_say(found: Any) -> None:
    held = sum(v["holds"] for v in found("test-sets", seeds=40, error=0.3, rows=40)) / (30 * 40)
    x = np.arange(41)
    chance = stats.binom.pmf(x, 40, 0.3)
    wilson = np.array([te.interval(int(k), 40).low <= 0.3 <= te.interval(int(k), 40).high for k in x])
    assert held == pytest.approx(float(chance @ wilson), abs=0.03)
    made = found("coverage", error=0.05, rows=40)
    p, chance = x / 40, stats.binom.pmf(x, 40, 0.05)
    half = 1.96 * np.sqrt(p * (1 - p) / 40)
    assert mean(made, "textbook") == pytest.approx(chance @ ((p - half <= 0.05) & (p + half >= 0.05)), abs=0.01)
    wilson = np.array([te.interval(int(k), 40).low <= 0.05 <= te.interval(int(k), 40).high for k in x])
    assert mean(made, "wilson") == pytest.approx(chance @ wilson, abs=0.01)


def test_the_spread_of_a_difference(found: Any) -> None:
    made = found("same-rows", first=0.2, second=0.3, shared=0.75, rows=100)
    assert mean(made, "apart") == pytest.approx((0.2 * 0.8 / 100 + 0.3 * 0.7 / 100) ** 0.5, rel=0.05)
    assert mean(made, "same") == pytest.approx(((0.2 - 0.1**2) / 100) ** 0.5, rel=0.05)


def test_folds_promise_too_much(found: Any) -> None:
    made = found("folds", rows=60, k=10, features=20)
    assert mean(made, "spread") > 1.1 * mean(made, "promised")
    assert mean(made, "plain") < 0.93
    assert mean(made, "corrected") > mean(made, "plain")
    once, often = found("alarms", seeds=4, rows=80, repeats=1), found("alarms", seeds=4, rows=80, repeats=8)
    assert mean(once, "plain") < 0.15
    assert mean(often, "plain") > 0.3
    assert mean(often, "corrected") <= 0.07


def test_the_bootstrap(found: Any) -> None:
    made = found("bootstrap", seeds=20, rows=100, replicates=400)
    assert mean(made, "truth") == pytest.approx(1 / 100**0.5, rel=0.1)  # 1/(2f√n) with f = 1/2 at the median
    assert mean(made, "error") == pytest.approx(mean(made, "truth"), rel=0.25)
    assert sum(v["low"] <= np.log(2) <= v["high"] for v in made) >= 16


def test_figures_of_counts_and_points_are_the_library_s(found: Any) -> None:
    made = found("mix", seeds=1, recall=0.8, fpr=0.14, prior=0.1, miss=10)[0]
    table = te.Confusion([[860, 140], [200, 800]])
    for name in ("accuracy", "precision"):
        assert made[name] == pytest.approx(te.metric(name, table, prior=0.1), abs=1e-12)
    assert made["cost"] == pytest.approx(te.metric("cost", table, prior=0.1, costs=[[0, 1], [10, 0]]) / 2000, abs=1e-12)
    hull = te.roc_hull({"C4.5": (0.2, 0.84), "SVM": (0.6, 0.95), "CN2": (0.05, 0.5)})
    for prior, best in ((0.05, "flag nothing"), (0.2, "CN2"), (0.5, "C4.5"), (0.8, "SVM"), (0.95, "flag everything")):
        told = found("hull", seeds=1, prior=prior, coin=0.5)[0]
        assert told["best"] == best
        assert best.lower() in str(hull.best(prior=prior)).lower()
    coin = found("hull", prior=0.5, coin=0.5)
    assert mean(coin, "fpr") == pytest.approx((0.2 + 0.05) / 2, abs=0.02)
    assert mean(coin, "tpr") == pytest.approx((0.84 + 0.5) / 2, abs=0.02)


def test_areas(found: Any) -> None:
    made = found("area", gap=1, rows=50)
    assert mean(made, "mean") == pytest.approx(stats.norm.cdf(1 / 2**0.5), abs=0.01)
    assert made[0]["truth"] == pytest.approx(stats.norm.cdf(1 / 2**0.5), abs=1e-9)
    t = np.linspace(9, -7, 20_001)
    tp, fp = 0.05 * stats.norm.sf(t - 2.3), 0.95 * stats.norm.sf(t)
    expected = np.trapezoid(tp / (tp + fp), tp / 0.05)
    assert mean(found("rare", gap=2.3, prior=0.05), "ap") == pytest.approx(expected, abs=0.03)


def test_data_sets_are_the_sample(found: Any) -> None:
    made = found("data-sets", sets=8, folds=10, domain=3)
    assert mean(made, "sets") == pytest.approx(0.05, abs=0.015)
    # The variance of a fold against that of the mean of all folds, which share their domain.
    z = stats.t.ppf(0.975, 79) * ((18 - 9 / 8) / 80 / (9 / 8 + 9 / 80)) ** 0.5
    assert mean(made, "folds") == pytest.approx(2 * stats.norm.sf(z), abs=0.05)


def test_overfitting_and_parts(found: Any) -> None:
    for v in found("overfitting", rows=300, noise=0.2):
        assert v["training"][1:] == sorted(v["training"][1:], reverse=True)
        assert v["truth"][1] == pytest.approx(0.2)
        assert v["truth"][-1] > 0.25
    made = found("parts", copy=0.05, other=1.2)
    distance = (1 / 0.49 + 1 / 1.44) ** 0.5
    assert mean(made, "whole") == pytest.approx(stats.norm.cdf(distance / 2), abs=0.01)
    assert abs(mean(made, "first")) < 0.005
    assert mean(made, "first and copy") == pytest.approx(
        stats.norm.cdf(distance / 2) - stats.norm.cdf(1 / 2.4), abs=0.01
    )


def test_sliders_and_button_in_the_page(tmp_path: Path, browser: Any) -> None:
    shutil.copy(SCRIPT, tmp_path)
    page = tmp_path / "page.html"
    names = [re.search(r'data-play="([\w-]+)"', p.read_text(encoding="utf-8"))[1] for p in LESSONS]  # type: ignore[index]
    boxes = "".join(f'<div class="te-play" data-play="{name}"></div>' for name in names)
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title>'
    page.write_text(f'{head}<main>{boxes}</main><script src="play.js"></script></html>', encoding="utf-8")
    browser.open(page)
    assert browser.said() == []
    before = [box.text for box in browser.all("output")]
    assert len(before) == len(LESSONS)
    for words in before:
        assert re.search(r"\d", words)
        assert not re.search("undefined|NaN|Infinity", words)
    assert not re.search("undefined|NaN", "".join(d.get_attribute("outerHTML") for d in browser.all("svg")))
    for button in browser.all("button"):
        button.click()
    assert all(a != b.text for a, b in zip(before, browser.all("output"), strict=True))
    # Each slider at its ends still gives an answer.
    told = browser.run(
        "return [...document.querySelectorAll('input')].flatMap((input) => ['min', 'max'].map((end) => {"
        "input.value = input[end]; input.dispatchEvent(new Event('input', {bubbles: true}));"
        "const box = input.closest('.te-play');"
        "return box.querySelector('output').textContent + box.querySelector('svg').outerHTML; }))"
    )
    assert not [words for words in told if re.search("undefined(?! \\(nothing)|NaN|Infinity", words)]
    assert browser.said() == []
    assert [url for url in browser.asked() if not url.startswith("file:")] == []
