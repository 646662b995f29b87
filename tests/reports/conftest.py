"""Reports written once for all tests, and a real browser for them: Chromium without a window and without a network."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver import Chrome
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

import trueerror as te
from tests.reports.sources import SOURCES

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MISSING = "the report is tested in a real browser: apt-get install chromium chromium-driver (make test does it as root)"
OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Whatever a page asks for besides files is nowhere to be found.
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
DESKTOP, PHONE = 1280, 390
ROWS = "return [...document.querySelectorAll(arguments[0])].map((row) => [...row.cells].map((c) => c.textContent));"


class Browser:
    """Opens pages from files and says what happened in them."""

    def __init__(self, driver: Chrome) -> None:
        self.driver = driver
        self.run = driver.execute_script

    def open(self, path: Path, *, width: int = DESKTOP, dark: bool = False, scripts: bool = True, at: str = "") -> None:
        """Open a file at a width, in light or dark, with or without scripts."""
        do = self.driver.execute_cdp_cmd
        size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width == PHONE}
        do("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        do("Emulation.setEmulatedMedia", {"media": "", "features": [scheme]})
        do("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        self.driver.get("about:blank")
        self.said(), self.asked()
        self.driver.get(path.as_uri() + at)

    def said(self) -> list[str]:
        """What stands in the console since the last look."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def asked(self) -> list[str]:
        """The addresses that were asked for since the last look."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        return [url for url in sent if not url.startswith("data:")]

    def all(self, css: str) -> list[Any]:
        """Every element that a selector finds."""
        return self.driver.find_elements("css selector", css)

    def one(self, css: str) -> Any:
        """The first of them."""
        return self.driver.find_element("css selector", css)

    def text(self, css: str) -> str:
        """What can be read in the first of them."""
        return str(self.one(css).text)

    def rows(self, css: str) -> list[list[str]]:
        """The cells of a table's body, as written."""
        found: list[list[str]] = self.run(ROWS, f"{css} tbody tr")
        return found

    def said_by(self, key: str) -> str:
        """What a part of the explorer says."""
        return self.text(f'[data-x="{key}"]')

    def unfold(self) -> None:
        """Open everything that can be opened."""
        self.run("document.querySelectorAll('details').forEach((d) => { d.open = true; });")

    def set_condition(self, prior: float, fp: float, fn: float) -> None:
        """Type the class mix and the costs into their boxes."""
        self.run(
            """for (const [key, value] of Object.entries(arguments[0])) {
                 const box = document.querySelector('[data-x="' + key + '"]');
                 box.value = value;
                 box.dispatchEvent(new Event("input"));
               }""",
            {"prior": f"{100 * prior:.6g}", "fp": fp, "fn": fn},
        )


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Reports by the name of their source."""
    folder = tmp_path_factory.mktemp("pages")
    made: dict[str, Path] = {}

    def page(name: str) -> Path:
        if name not in made:
            made[name] = te.report(SOURCES[name](), folder / f"{name}.html", command="trueerror report x.csv")
        return made[name]

    return page


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        pytest.fail(MISSING)
    options = Options()
    options.binary_location = program
    for option in (*OPTIONS, f"--user-data-dir={tmp_path_factory.mktemp('browser')}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = Chrome(options=options, service=Service(driver))
    yield Browser(started)
    started.quit()
