"""A browser as the tests of the report see it."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from selenium.webdriver import Chrome

DESKTOP, PHONE = 1280, 390
# Reports say when what lies packed in them is in use; other pages are ready at once.
READY = """
const done = arguments[0], root = document.documentElement;
const look = () => (!window.trueerrorData || "ready" in root.dataset ? done() : setTimeout(look, 5));
look();
"""
ROWS = "return [...document.querySelectorAll(arguments[0])].map((row) => [...row.cells].map((c) => c.textContent));"

TYPED = """
for (const [key, value] of Object.entries(arguments[0])) {
  const box = document.querySelector('[data-x="' + key + '"]');
  box.value = value;
  box.dispatchEvent(new Event("input"));
}
"""

AXE = """
const done = arguments[arguments.length - 1];
document.getAnimations().forEach((a) => a.finish());
axe.run(document, {resultTypes: ["violations"]}).then((found) =>
  done(found.violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")} ${n.html.slice(0, 120)}`))));
"""


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
        if scripts:
            self.driver.execute_async_script(READY)

    def data(self, key: str) -> Any:
        """A part of what lies packed in the page."""
        script = "const done = arguments[1]; window.trueerrorData.then((data) => done(data[arguments[0]]));"
        return self.driver.execute_async_script(script, key)

    def said(self) -> list[str]:
        """What stands in the console since the last look."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def asked(self) -> list[str]:
        """The addresses that were asked for since the last look."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        return [url for url in sent if not url.startswith("data:")]

    def axe(self) -> list[str]:
        """What axe-core finds that keeps people from reading or using the page."""
        self.run(files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
        found: list[str] = self.driver.execute_async_script(AXE)
        return found

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

    def type(self, key: str, value: object) -> None:
        """Type into one box of the explorer."""
        self.run(TYPED, {key: value})

    def set_condition(self, prior: float, fp: float, fn: float) -> None:
        """Type the class mix and the costs into their boxes."""
        self.run(TYPED, {"prior": f"{100 * prior:.6g}", "fp": fp, "fn": fn})
