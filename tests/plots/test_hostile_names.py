"""Whatever a model or class is called, its name is text: never an accessor, an expression, markup or a formula."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import vl_convert
from trueerror.plots._save import to_bytes, to_html

import trueerror as te
from trueerror.curves._calibration import calibration
from trueerror.curves._precision_recall import precision_recall
from trueerror.curves._roc import roc
from trueerror.plots import chart, draw, spec
from trueerror.tallies import Confusion

MARK = "qzxmark"
# Where Vega evaluates or looks up what it finds.
READ = {"signal", "expr", "test", "update", "field", "fields", "groupby", "as", "init", "events", "ops", "key", "from"}


def pictures(names: tuple[str, ...]) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    k = len(names)
    truth = (rng.random(120) < 0.4).astype(int)
    scores = {name: rng.random(120).round(1) for name in names}
    labels = np.array(names, dtype=object)
    codes = rng.integers(0, k, 300)
    called = np.where(rng.random(300) < 0.7, codes, rng.integers(0, k, 300))
    first, second = names[:2]
    interval = te.Interval(name=first, estimate=0.5, low=0.4, high=0.6, note=second, method=second)
    contrast = te.Contrast(name=first, estimate=0.1, low=0.0, high=0.2, first=first, second=second)
    table = dict(zip(names, rng.normal(size=(k, 9)), strict=True))
    ranking = te.significance.nemenyi(np.array(list(table.values())).T)
    object.__setattr__(ranking, "names", names)
    object.__setattr__(ranking, "pairs", ())
    object.__setattr__(ranking, "groups", (names[:3], names[2:]))
    return {
        "interval": interval,
        "intervals": {name: te.interval(i + 1, 10) for i, name in enumerate(names)},
        "contrast": contrast,
        "confusion": Confusion.count(labels[codes], labels[called]),
        "pairs": Confusion.count(np.arange(300).astype(str).astype(object) + first, ["?" + first] * 300),
        "evaluation": te.evaluate(truth, {n: (s > 0.5).astype(int) for n, s in scores.items()}),
        "curves": {n: precision_recall(truth, s) for n, s in scores.items()},
        "curve": precision_recall(truth, scores[first], model=first),
        "roc": {n: roc(truth, s) for n, s in scores.items()},
        "comparison": te.compare(truth, {n: (s > 0.5).astype(int) for n, s in scores.items()}),
        "calibration": calibration(truth, scores[first], model=first),
        "ranking": ranking,
    }


KINDS = sorted(pictures(("a", "b", "c", "d")))


def read_strings(value: Any, under: str = "") -> list[str]:
    """Every string of a compiled specification that Vega does not take literally."""
    if isinstance(value, dict):
        return [s for k, v in value.items() if k != "values" for s in read_strings(v, k)]
    if isinstance(value, list):
        return [s for v in value for s in read_strings(v, under)]
    return [value] if isinstance(value, str) and under in READ else []


@pytest.mark.parametrize("kind", KINDS)
def test_vega_reads_no_name(kind: str, hostile: tuple[str, ...]) -> None:
    compiled = vl_convert.vegalite_to_vega(json.dumps(spec(pictures(hostile)[kind])))
    text = json.dumps(compiled)
    assert MARK in text, "the test must see the names"
    assert [s for s in read_strings(compiled) if MARK in s or "alert" in s] == []


@pytest.mark.parametrize("kind", KINDS)
def test_charts_are_valid_and_files_are_made(kind: str, hostile: tuple[str, ...]) -> None:
    result = pictures(hostile)[kind]
    made = chart(result).to_dict()
    svg = to_bytes(spec(result), ".svg").decode()
    assert svg.startswith("<svg")
    assert "<script" not in svg
    assert made["$schema"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_name_ends_the_script_in_html(kind: str, hostile: tuple[str, ...]) -> None:
    page = to_html(spec(pictures(hostile)[kind]))
    assert page.count("</script>") == 3
    assert page.count("<script") == 3
    assert f"alert('{MARK}')</" not in page


@pytest.mark.parametrize("kind", KINDS)
def test_matplotlib_takes_names_as_they_are(kind: str, hostile: tuple[str, ...]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ax = draw(pictures(hostile)[kind])
    ax.figure.canvas.draw()  # parses, measures and warns here if it would
    plt.close(ax.figure)
