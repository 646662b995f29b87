"""Rows, names and curves that the tests of pictures share, and SVG as the tests read it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from trueerror.plots import figure

# Names that a careless picture would read as an accessor, an expression, markup or a formula.
MARK = "qzxmark"
HOSTILE = (
    f"{MARK} a.b[0]",
    f"datum.{MARK}",
    f"</script><script>alert('{MARK}')</script>",
    f"{MARK}\"'); alert(1); (\"'",
    f"$\\frac{{{MARK}}}{{0}}$ ${{1}}",
    f"{MARK} 😀 \u2028\u202e\x1b[31m\n_",
    (f"_{MARK} " + "long name " * 40)[:300],
    f"%s {{0}} {MARK}\\u0041",
)


@pytest.fixture
def rows() -> tuple[Any, dict[str, Any]]:
    """Truth, and the scores of two models: one smooth, one with ten distinct values."""
    rng = np.random.default_rng(7)
    truth = (rng.random(600) < 0.25).astype(int)
    smooth = 1 / (1 + np.exp(-(rng.normal(size=600) + 2 * truth - 1.2)))
    rough = (1 / (1 + np.exp(-(rng.normal(size=600) + truth - 1.0)))).round(1)
    return truth, {"smooth": smooth, "rough": rough}


class Svg:
    """The SVG of a result: well-formed XML, or it cannot be read."""

    def __init__(self, result: Any, **options: Any) -> None:
        self.source = figure(result, **options).svg
        self.root = ElementTree.fromstring(self.source)

    def all(self, tag: str, kind: str = "") -> list[Any]:
        """Elements by tag, and by one of their classes."""
        found = self.root.iter(f"{{http://www.w3.org/2000/svg}}{tag}")
        return [e for e in found if not kind or kind in (e.get("class") or "").split()]

    def texts(self) -> list[str]:
        """What is written in the picture."""
        return [e.text or "" for e in self.all("text")]

    def tips(self) -> list[str]:
        """What answers the pointer."""
        return [e.text or "" for e in self.all("title")]

    def legend(self) -> list[str]:
        """The names in the legend, each on one line."""
        (legend,) = self.all("g", "legend") or [ElementTree.Element("g")]
        return [" ".join(t.text or "" for t in entry if t.tag.endswith("text")) for entry in legend]

    def numbers(self) -> list[float]:
        """Every coordinate and size."""
        sides = (*"xyrd", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height", "points", "viewBox", "transform")
        written = " ".join(e.get(side, "") for e in self.root.iter() for side in sides)
        return [float(n) for n in re.findall(r"(?:[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|nan|inf)", written)]


@pytest.fixture
def svg() -> Callable[..., Svg]:
    return Svg


@pytest.fixture
def hostile() -> tuple[str, ...]:
    return HOSTILE
