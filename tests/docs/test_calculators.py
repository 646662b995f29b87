"""The calculators of the documentation give what the library gives: 1,000 inputs each, in a real browser."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from build import DOCS

import trueerror as te

SCRIPT = DOCS / "calculators" / "calculators.js"
PAGES = sorted(p.stem for p in (DOCS / "calculators").glob("*.md") if p.stem != "index")
INPUTS = 1000
WITHIN = 1e-9

pytestmark = pytest.mark.browser


@pytest.fixture
def calculated(run: Callable[[str, object], Any]) -> Callable[[str, list[dict[str, Any]]], list[Any]]:
    """What a function of the script gives for each input; NaN and infinities come back as None."""
    return lambda function, inputs: run(f"return given.map((o) => c.{function}(o));", inputs)


def near(found: Any, expected: float, given: object) -> None:
    assert found == pytest.approx(expected, abs=WITHIN), given


def counts(rng: np.random.Generator, lowest: int = 1) -> tuple[int, int]:
    """x of n, from one row to a million, with the ends more often than by chance."""
    n = max(lowest, int(10 ** rng.uniform(0, 6)))
    x = int(rng.choice([0, n, rng.integers(0, n + 1), rng.binomial(n, 0.9)]))
    return x, n


def test_interval(calculated: Any) -> None:
    rng = np.random.default_rng(0)
    inputs = []
    for i in range(INPUTS):
        x, n = counts(rng)
        inputs.append({
            "x": x, "n": n, "method": ("wilson", "clopper-pearson", "mid-p")[i % 3],
            "side": ("two-sided", "lower", "upper")[i // 3 % 3], "confidence": (0.95, 0.8, 0.9, 0.99, 0.999)[i % 5],
        })  # fmt: skip
    for o, found in zip(inputs, calculated("interval", inputs), strict=True):
        made = te.interval(o["x"], o["n"], method=o["method"], side=o["side"], confidence=o["confidence"])
        near(found["estimate"], made.estimate, o)
        near(found["low"], made.low, o)
        near(found["high"], made.high, o)


def test_difference(calculated: Any) -> None:
    rng = np.random.default_rng(1)
    inputs = []
    for i in range(INPUTS):
        (x1, n1), (x2, n2) = counts(rng, 2), counts(rng, 2)
        inputs.append({"x1": x1, "n1": n1, "x2": x2, "n2": n2, "method": ("miettinen-nurminen", "newcombe")[i % 2],
                       "confidence": (0.95, 0.8, 0.99)[i % 3]})  # fmt: skip
    for o, found in zip(inputs, calculated("difference", inputs), strict=True):
        made = te.difference((o["x1"], o["n1"]), (o["x2"], o["n2"]), method=o["method"], confidence=o["confidence"])
        near(found["estimate"], made.estimate, o)
        near(found["low"], made.low, o)
        near(found["high"], made.high, o)
        near(found["p"], made.p_value, o)


def test_mcnemar(calculated: Any) -> None:
    rng = np.random.default_rng(2)
    inputs = []
    for i in range(INPUTS):
        both, first, second, neither = (int(10 ** rng.uniform(0, 5)) - 1 for _ in range(4))
        o = {"both": both + 1, "first": first, "second": first if i % 7 == 0 else second, "neither": neither}
        inputs.append({**o, "confidence": (0.95, 0.8, 0.99)[i % 3]})
    for o, found in zip(inputs, calculated("mcnemar", inputs), strict=True):
        n = o["both"] + o["first"] + o["second"] + o["neither"]
        made = te.significance.mcnemar(o["first"], o["second"], n=n, confidence=o["confidence"])
        near(found["estimate"], made.estimate, o)
        near(found["low"], made.low, o)
        near(found["high"], made.high, o)
        near(found["p"], made.p_value, o)
        forms = [te.significance.mcnemar(o["first"], o["second"], method=m).p_value for m in ("mid-p", "exact", "chi2")]
        near(found["from"], min(forms), o)
        near(found["to"], max(forms), o)


@pytest.mark.parametrize(("first", "second"), [(60, 40), (61, 39), (62, 40), (5, 0), (6, 0), (30, 20), (70, 30)])
def test_a_close_call_is_one_in_the_page_and_in_the_library(run: Any, first: int, second: int) -> None:
    given = {"both": 810, "first": first, "second": second, "neither": 90, "confidence": 0.95}
    words = run("return c.CALCULATORS.mcnemar.answer(given).words;", given)
    made = te.compare(counts={"both": 810, "a": first, "b": second, "neither": 90})
    assert ("a close call" in words) == ("a close call" in made.verdict.lower())
    assert ("TE410" in [f.code for f in made.findings]) == ("do not pick" in words)


def plans(rng: np.random.Generator, how_many: int) -> list[dict[str, Any]]:
    made = []
    for i in range(how_many):
        first = float(rng.uniform(0.5, 0.99))
        second = float(np.clip(first + rng.choice([-1, 1]) * rng.uniform(0.02, 0.2), 0.3, 0.995))
        gap, most = abs(first - second), min(first + second, 2 - first - second)
        o: dict[str, Any] = {"rows": ("same", "different")[i % 2], "first": first, "second": second,
                             "alpha": (0.05, 0.01, 0.1)[i % 3]}  # fmt: skip
        if i % 2 == 0:
            o["disagreement"] = float(rng.uniform(gap, min(most, gap + 0.2)))
        made.append(o)
    return made


def planned(o: dict[str, Any]) -> dict[str, Any]:
    options = {name: value for name, value in o.items() if name not in ("rows", "n", "power")}
    return options | ({"test": "two-proportions"} if o["rows"] == "different" else {})


def test_power(calculated: Any) -> None:
    rng = np.random.default_rng(3)
    inputs = [{**o, "n": int(10 ** rng.uniform(1, 4))} for o in plans(rng, INPUTS)]
    for o, found in zip(inputs, calculated("power", inputs), strict=True):
        near(found, te.power(n=o["n"], **planned(o)).power, o)


def test_sample_size_of_a_comparison(calculated: Any) -> None:
    rng = np.random.default_rng(4)
    inputs = [{**o, "power": (0.8, 0.9, 0.5)[i // 2 % 3]} for i, o in enumerate(plans(rng, INPUTS // 4))]
    for o, found in zip(inputs, calculated("sampleSize", inputs), strict=True):
        assert found == te.sample_size(power=o["power"], **planned(o)).n, o


def test_sample_size_of_an_interval(calculated: Any) -> None:
    rng = np.random.default_rng(5)
    inputs = [{"accuracy": float(rng.uniform(0, 1)), "half": float(10 ** rng.uniform(-3, -0.5)),
               "confidence": (0.95, 0.8, 0.99)[i % 3]} for i in range(INPUTS)]  # fmt: skip
    for o, found in zip(inputs, calculated("rowsForWidth", inputs), strict=True):
        made = te.sample_size(accuracy=o["accuracy"], half_width=o["half"], alpha=1 - o["confidence"])
        assert found == made.n, o


def test_prevalence(calculated: Any) -> None:
    rng = np.random.default_rng(6)
    inputs = []
    for _ in range(INPUTS):
        tp, fn, fp, tn = (int(10 ** rng.uniform(0, 4)) for _ in range(4))
        inputs.append({"tp": tp, "fn": fn, "fp": fp, "tn": tn, "prior": float(rng.uniform(0.001, 0.999)),
                       "costFp": float(rng.uniform(0, 10)), "costFn": float(rng.uniform(0.1, 100))})  # fmt: skip
    for o, found in zip(inputs, calculated("prevalence", inputs), strict=True):
        table = te.Confusion([[o["tn"], o["fp"]], [o["fn"], o["tp"]]])
        for name in ("accuracy", "precision", "npv", "recall", "fpr"):
            near(found[name], te.metric(name, table, prior=o["prior"]), o)
        costs = [[0, o["costFp"]], [o["costFn"], 0]]
        near(found["cost"], te.metric("cost", table, prior=o["prior"], costs=costs) / table.n, o)
        made = te.evaluate(
            table, prior=o["prior"], costs=costs, metrics=["accuracy", "precision", "npv", "expected_cost"]
        )
        for name, metric in (("accuracy",) * 2, ("precision",) * 2, ("npv",) * 2, ("cost", "expected_cost")):
            low, high = found[f"{name}Limits"]
            near(low, made[metric].low, o)
            near(high, made[metric].high, o)
        near(found["nothing"], o["prior"] * o["costFn"], o)
        near(found["everything"], (1 - o["prior"]) * o["costFp"], o)


CALCULATORS = ("interval", "difference", "mcnemar", "power", "width", "prevalence")


def shown_lines(run: Any, changes: dict[str, dict[str, Any]]) -> dict[str, dict[str, str]]:
    program = (
        "const out = {};"
        "for (const name in c.CALCULATORS) { const o = {}, one = c.CALCULATORS[name];"
        "one.fields.forEach((f) => (o[f.name] = f.value)); out[name] = one.answer(Object.assign(o, given[name])); }"
        "return out;"
    )
    found: dict[str, dict[str, str]] = run(program, changes)
    return found


OTHERS: dict[str, dict[str, Any]] = {
    "interval": {"x": 3, "n": 40, "method": "mid-p", "confidence": 0.9, "side": "upper"},
    "difference": {"method": "newcombe", "confidence": 0.8},
    "mcnemar": {"confidence": 0.9},
    "power": {"rows": "different", "alpha": 0.01, "power": 0.9, "n": 77},
    "width": {"confidence": 0.9},
    "prevalence": {"prior": 0.2, "costFn": 3, "confidence": 0.9},
}


@pytest.mark.parametrize("changes", [{}, OTHERS], ids=["as opened", "all options"])
def test_the_lines_that_are_shown_run_and_say_the_same(run: Any, changes: dict[str, dict[str, Any]]) -> None:
    from making.examples import Session

    with Session() as session:
        for name, answer in shown_lines(run, changes).items():
            for line in answer["python"].split("\n"):
                made = eval(line, {"te": te})
                if name in ("power", "width"):
                    expected = f"{made.n:,} rows" if line.startswith("te.sample") else f"{made.power:.3f}"
                elif name == "prevalence":
                    found = made["precision"]
                    limits = f"{100 * found.confidence:.0f} % CI {found.low:.4f} to {found.high:.4f}"
                    expected = f"(precision {found.estimate:.4f}, {limits})"
                elif name == "interval":
                    expected = f"{made.low:.4f} to {made.high:.4f}"
                else:
                    expected = f"{100 * made.low:+.2f} to {100 * made.high:+.2f}".replace("-", "−")
                assert expected in answer["words"], (line, answer["words"])
            for line in answer["shell"].split("\n"):
                words = shlex.split(line)
                assert words[0] == "trueerror"
                assert session._trueerror(words[1:])
                assert session.code == 0, line


def test_every_calculator_has_a_page() -> None:
    text = "".join((DOCS / "calculators" / f"{page}.md").read_text(encoding="utf-8") for page in PAGES)
    for name in CALCULATORS:
        assert text.count(f'data-calculator="{name}"') == 1


def test_nothing_is_loaded_or_sent() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    for word in (
        "fetch(",
        "XMLHttpRequest",
        "import(",
        "sendBeacon",
        "WebSocket",
        "https://",
        "localStorage",
        "cookie",
    ):
        assert word not in text


def page_with(*calculators: str, folder: Path) -> Path:
    shutil.copy(SCRIPT, folder)
    boxes = "".join(f'<div class="te-calculator" data-calculator="{name}"></div>' for name in calculators)
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>t</title>'
    made = folder / "page.html"
    made.write_text(f'{head}<main>{boxes}</main><script src="calculators.js"></script></html>', encoding="utf-8")
    return made


def test_every_form_opens_with_an_answer(tmp_path: Path, browser: Any) -> None:
    browser.open(page_with(*CALCULATORS, folder=tmp_path))
    answers = [place.text for place in browser.all("output")]
    assert len(answers) == len(CALCULATORS)
    for words in answers:
        assert re.search(r"\d", words)
        assert not re.search("undefined|NaN", words)
    assert all(code.text for code in browser.all("code"))
    inputs = browser.all("input, select")
    assert len({field.get_attribute("id") for field in inputs}) == len(inputs)


def test_a_form_in_a_real_browser(tmp_path: Path, browser: Any) -> None:
    """Labels, keyboard, state in the address, refusals in words; no request but the page's own files."""
    from selenium.webdriver.common.keys import Keys

    driver = browser.driver

    def answer() -> str:
        return str(browser.text("output"))

    browser.open(page_with("interval", folder=tmp_path))
    assert "0.7222 to 0.7758" in answer()
    labels = browser.all("label")
    assert [label.text.split("\n")[0] for label in labels][:3] == ["Successes (or errors)", "Rows", "Confidence"]
    for label in labels:
        assert browser.one("#" + label.get_attribute("for"))
    first = browser.one("[name=x]")
    first.send_keys(Keys.CONTROL, "a")
    first.send_keys("75", Keys.TAB)
    driver.switch_to.active_element.send_keys(Keys.CONTROL, "a")
    driver.switch_to.active_element.send_keys("100")
    assert "75 of 100" in answer()
    address = driver.current_url
    assert "x=75&n=100" in address
    driver.get("about:blank")
    driver.get(address)
    assert "75 of 100" in answer()
    assert "te.interval(75, 100)" in browser.text("code")
    rows = browser.one("[name=n]")
    rows.send_keys(Keys.CONTROL, "a")
    rows.send_keys("50")
    assert answer() == "There are more successes than rows."
    rows.clear()
    assert rows.get_attribute("aria-invalid") == "true"
    assert [url for url in browser.asked() if not url.startswith(("file:", "about:", "chrome:"))] == []
