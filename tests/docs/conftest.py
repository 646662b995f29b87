"""The tools that make the documentation live beside it."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.reports.conftest import browser  # noqa: F401

DOCS = Path(__file__).resolve().parents[2] / "docs"
if str(DOCS) not in sys.path:
    sys.path.insert(0, str(DOCS))


@pytest.fixture
def run(browser: Any, request: pytest.FixtureRequest) -> Callable[[str, object], Any]:  # noqa: F811
    """What a program gives in a real browser that sees the test file's `SCRIPT` as `c` and an input as `given`."""
    text = request.module.SCRIPT.read_text(encoding="utf-8")
    script = f"const module = {{exports: {{}}}}; {text}; const c = module.exports;"
    browser.driver.get("about:blank")
    return lambda program, given: browser.run(f"{script} const given = arguments[0]; {program}", given)
