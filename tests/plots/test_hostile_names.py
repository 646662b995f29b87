"""Whatever a model or class is called, its name is text: never markup, never a formula."""

from __future__ import annotations

import functools
import html
import re
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.curves._calibration import calibration
from trueerror.curves._precision_recall import precision_recall
from trueerror.curves._roc import roc
from trueerror.plots import draw
from trueerror.plots import figure as figure_of
from trueerror.tallies import Confusion

MARK = "qzxmark"


@functools.cache
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


@pytest.mark.parametrize("kind", KINDS)
def test_svg_holds_names_as_text_only(kind: str, hostile: tuple[str, ...], svg: Any) -> None:
    shown = svg(pictures(hostile)[kind])
    assert MARK in " ".join([*shown.texts(), *shown.tips()]), "the test must see the names"
    assert {e.tag.rpartition("}")[2] for e in shown.root.iter()} <= {
        "svg", "g", "desc", "style", "rect", "line", "path", "polyline", "polygon", "circle", "text", "title",
    }  # fmt: skip
    attributes = [(name, value) for e in shown.root.iter() for name, value in e.attrib.items()]
    assert [name for name, _ in attributes if name.startswith("on") or name in ("href", "style", "id")] == []
    assert [(n, v) for n, v in attributes if (MARK in v or "alert" in v) and n != "aria-label"] == []
    (style,) = shown.all("style")
    assert MARK not in style.text


@pytest.mark.parametrize("kind", KINDS)
def test_files_are_made(kind: str, hostile: tuple[str, ...]) -> None:
    shown = figure_of(pictures(hostile)[kind])
    starts = {".svg": b"<svg", ".html": b"<!DOCTYPE html>", ".png": b"\x89PNG", ".pdf": b"%PDF"}
    assert {ending: shown.to_bytes(ending)[: len(start)] for ending, start in starts.items()} == starts


@pytest.mark.parametrize("kind", KINDS)
def test_no_name_is_markup_in_html(kind: str, hostile: tuple[str, ...]) -> None:
    page = figure_of(pictures(hostile)[kind]).html
    assert "<script" not in page
    assert page.count("<style>") == 2
    assert page.count("<title>") - len(re.findall(r"<(?:circle|rect)[^>]*><title>", page)) == 1
    assert MARK in html.unescape(page)


@pytest.mark.parametrize("kind", KINDS)
def test_matplotlib_takes_names_as_they_are(kind: str, hostile: tuple[str, ...]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ax = draw(pictures(hostile)[kind])
    ax.figure.canvas.draw()  # parses, measures and warns here if it would
    plt.close(ax.figure)
