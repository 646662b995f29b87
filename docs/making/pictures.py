"""The pictures of the pages, by running the library.

An SVG file depends on the fonts of the machine that made it, so each carries a fingerprint of the figures that it
shows: a picture is up to date when the library still gives those figures.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import trueerror as te

Spec = dict[str, Any]
MARK = re.compile(r"<!-- figures ([0-9a-f]{16}) -->")
BLUE, RED, GREY = "#0072B2", "#D55E00", "#767676"


def cancer() -> te.Predictions:
    """The bundled scores of four learners on 285 tumours."""
    return te.read(te.data.path("breast_cancer"), positive="malignant")


def digits() -> te.Predictions:
    """The bundled labels of three learners on 899 digits."""
    return te.read(te.data.path("digits"))


def evaluation() -> Any:
    """Accuracy, recall and precision of four models."""
    return te.evaluate(cancer(), metrics=["accuracy", "recall", "precision"]).plot()


def confusion() -> Any:
    """Which digits naive Bayes takes for which."""
    return te.evaluate(digits()).model("bayes").confusion.plot()


def hull() -> Any:
    """ROC curves of four models, and the hull over them."""
    rows = cancer()
    return te.roc_hull({name: te.roc(rows, model=name) for name in rows.models}).plot()


def precision_recall() -> Any:
    """Precision against recall of naive Bayes."""
    return te.precision_recall(cancer(), model="bayes").plot()


def calibration() -> Any:
    """Whether the forest's probabilities mean what they say."""
    return te.calibration(cancer(), model="forest", bins=5).plot()


def risk_coverage() -> Any:
    """Errors on the most confident rows."""
    return te.risk_coverage(cancer(), model="bayes").plot()


def gains() -> Any:
    """Share of the tumours found by looking at the highest scores first."""
    return te.gains(cancer(), model="bayes").plot()


def comparison() -> Any:
    """How far each model is from the leader, on the digits."""
    return te.compare(digits()).plot()


def ranking() -> Any:
    """Mean ranks of four learners over 14 data sets: the table of the page that shows it."""
    page = (Path(__file__).parents[1] / "howto" / "many-data-sets.md").read_text(encoding="utf-8")
    table = page.split("<!-- file: auc.csv -->\n```text\n")[1].split("\n```")[0]
    head, *rows = (line.split(",") for line in table.split("\n"))
    columns = {name: [float(row[i]) for row in rows] for i, name in enumerate(head) if i}
    return te.rank(columns).plot()


def coverage() -> Spec:
    """How often 95 % intervals hold the true rate, by enumeration over all outcomes of 50 rows."""
    from scipy.special import gammaln

    n = 50
    x = np.arange(n + 1)
    rates = np.linspace(0.005, 0.995, 199)
    ways = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    chance = np.exp(ways + x * np.log(rates[:, None]) + (n - x) * np.log1p(-rates[:, None]))
    rows = []
    for method in ("wald", "wilson"):
        limits = [te.interval(int(k), n, method=method) for k in x]
        low, high = np.array([i.low for i in limits]), np.array([i.high for i in limits])
        if method == "wald":  # as it is usually computed: no width at 0 and n
            low[0] = high[0] = 0.0
            low[n] = high[n] = 1.0
        holds = (low <= rates[:, None]) & (rates[:, None] <= high)
        rows += [
            {"method": method, "rate": round(float(p), 4), "coverage": round(float(c), 4)}
            for p, c in zip(rates, (chance * holds).sum(axis=1), strict=True)
        ]
    return _coverage_lines(rows)


def _coverage_lines(rows: list[Spec]) -> Spec:
    """Two lines and the level; the labels stand beside the lines, so that no colour has to be told."""
    y = {"field": "coverage", "type": "quantitative", "scale": {"domain": [0.7, 1.0]}}
    words = {"domain": ["wilson", "wald"]}
    line = {
        "mark": {"type": "line", "clip": True},
        "encoding": {
            "x": {"field": "rate", "type": "quantitative", "title": "true rate"},
            "y": y | {"title": "share of intervals that hold it"},
            "color": {"field": "method", "title": None, "scale": words | {"range": [BLUE, RED]}},
            "strokeDash": {"field": "method", "title": None, "scale": words | {"range": [[], [5, 3]]}},
        },
    }
    level = {
        "data": {"values": [{"coverage": 0.95}]},
        "mark": {"type": "rule", "color": GREY},
        "encoding": {"y": y},
    }
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": {"text": "Coverage of 95 % intervals, 50 rows", "anchor": "start"},
        "width": 520,
        "height": 260,
        "data": {"values": rows},
        "layer": [level, line],
        "config": {"font": "Helvetica, Arial, Liberation Sans, sans-serif", "axis": {"titleFontWeight": "normal"}},
    }


MAKERS = (
    evaluation, confusion, hull, precision_recall, calibration, risk_coverage, gains, comparison, ranking, coverage,
)  # fmt: skip
PICTURES: dict[str, Callable[[], Any]] = {maker.__name__.replace("_", "-"): maker for maker in MAKERS}


def specification(name: str) -> Spec:
    """The Vega-Lite specification of one picture."""
    made = PICTURES[name]()
    spec: Spec = made if isinstance(made, dict) else made.to_dict()
    return spec


def fingerprint(spec: Spec) -> str:
    """A hash of the figures and words that a picture shows, to six digits."""
    shown = json.dumps(_shown(spec), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(shown.encode()).hexdigest()[:16]


def _shown(value: Any) -> Any:
    """All data and titles of a specification; how it looks is left out."""
    if isinstance(value, dict):
        kept = [v if isinstance(v, str) else _rounded(v) for k, v in value.items() if k in ("values", "text", "title")]
        kept += [_rounded(v) for v in value.get("datasets", {}).values()]
        return kept + [x for k, v in value.items() if k not in ("values", "datasets") and (x := _shown(v))]
    return [x for v in value if (x := _shown(v))] if isinstance(value, list) else []


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items()}
    return [_rounded(v) for v in value] if isinstance(value, list) else value


def draw(name: str) -> str:
    """A picture as SVG, with the fingerprint of its figures."""
    import vl_convert

    spec = specification(name)
    svg = str(vl_convert.vegalite_to_svg(json.dumps(spec), allowed_base_urls=[]))
    return f"{svg.rstrip()}\n<!-- figures {fingerprint(spec)} -->\n"


def shown_figures(svg: str) -> str:
    """The fingerprint that a file carries."""
    found = MARK.search(svg)
    return found[1] if found else ""
