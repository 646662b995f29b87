"""Reports written once for all tests, and a real browser for them: Chromium without a window and without a network."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from report_browser import Browser
from report_sources import SOURCES
from selenium.webdriver import Chrome
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

import trueerror as te

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
