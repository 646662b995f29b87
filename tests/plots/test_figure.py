"""Figures show themselves and are saved: SVG and pages without a network, PNG and PDF without pyplot."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import html
import re
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

import trueerror as te
from trueerror.cli._target import target
from trueerror.plots._figure import Figure
from trueerror.plots._style import DARK, LIGHT
from trueerror.tallies import Confusion

STARTS = {".png": b"\x89PNG\r\n", ".svg": b"<svg", ".pdf": b"%PDF-", ".html": b"<!DOCTYPE html>"}


@pytest.mark.parametrize("ending", sorted(STARTS))
def test_files_are_written_and_not_trivial(ending: str, tmp_path: Path) -> None:
    for name, result in (("interval", te.interval(75, 100)), ("matrix", Confusion([[40, 3], [5, 52]]))):
        path = result.save(tmp_path / f"{name}{ending}")
        content = path.read_bytes()
        assert content.startswith(STARTS[ending])
        assert len(content) > 4000
        assert result.plot().save(tmp_path / f"same{ending}").read_bytes() == content
    assert (tmp_path / f"interval{ending}").read_bytes() != (tmp_path / f"matrix{ending}").read_bytes()


def test_svg_holds_the_words_as_text(tmp_path: Path) -> None:
    text = te.interval(75, 100).save(tmp_path / "x.svg").read_text(encoding="utf-8")
    assert "0.750 [0.657, 0.825]" in text


def test_png_is_twice_as_dense(tmp_path: Path) -> None:
    data = te.interval(75, 100).save(tmp_path / "x.png").read_bytes()
    assert int.from_bytes(data[16:20], "big") > 900


def test_files_leave_pyplot_and_its_style_alone(tmp_path: Path) -> None:
    before = plt.get_fignums(), dict(plt.rcParams)
    te.interval(75, 100).save(tmp_path / "x.png")
    te.interval(75, 100).save(tmp_path / "x.pdf")
    assert (plt.get_fignums(), dict(plt.rcParams)) == before


def test_html_loads_nothing_and_runs_nothing(tmp_path: Path) -> None:
    page = te.interval(75, 100).save(tmp_path / "x.html").read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href|style)=|<script|@import|url\(", page)
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1))  # type: ignore[union-attr]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "script-src" not in policy
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert len(styles) == 2
    for style in styles:
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert "0.750 [0.657, 0.825]" in page


def test_html_names_the_picture_safely(tmp_path: Path) -> None:
    evil = te.Interval(name="</title><script>alert(1)</script>", estimate=0.5, low=0.4, high=0.6)
    page = evil.save(tmp_path / "x.html").read_text(encoding="utf-8")
    assert "<title>&lt;/title&gt;&lt;script&gt;" in page
    assert "<script>alert" not in page


def test_unknown_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"'\.gif'; use \.html \.png \.svg or \.pdf"):
        te.interval(1, 2).plot().save(tmp_path / "x.gif")
    with pytest.raises(ValueError, match="a file without ending"):
        te.interval(1, 2).plot().save(tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_a_figure_shows_itself_offline_and_says_little() -> None:
    shown = te.interval(75, 100).plot()
    assert isinstance(shown, Figure)
    assert repr(shown) == "Figure('proportion')"
    assert len(str(shown)) < 100
    bundle = shown._repr_mimebundle_()
    assert set(bundle) == {"text/html", "image/svg+xml", "text/plain"}
    assert bundle["text/html"] == shown._repr_html_() == shown._repr_svg_() == shown.svg
    assert set(shown._repr_mimebundle_(include={"text/html"})) == {"text/html"}
    assert "text/html" not in shown._repr_mimebundle_(exclude={"text/html"})
    # The one address is the name of SVG's own vocabulary, which nothing fetches.
    assert re.findall(r"https?://[^\"]+", shown.svg) == ["http://www.w3.org/2000/svg"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        shown.picture = None


def test_a_figure_draws_on_axes() -> None:
    _, ax = plt.subplots()
    assert te.interval(75, 100).plot().draw(ax) is ax
    plt.close(ax.figure)


def test_colours_follow_light_and_dark_and_do_not_leak(svg: Any) -> None:
    (style,) = svg(te.interval(75, 100)).all("style")
    text = style.text
    light, dark = text.split("@media screen and (prefers-color-scheme: dark)", 1)
    assert f"--ink: {LIGHT['ink']}" in light
    assert f"--ink: {DARK['ink']}" in dark
    assert set(LIGHT) == set(DARK)
    # The style of an SVG inside a page is the page's: every rule is about pictures only.
    selectors = re.findall(r"(?:^|[}\n{])\s*([^@{}]+?)\s*\{", text)
    assert len(selectors) > 30
    assert all(".te-picture" in one for selector in selectors for one in selector.split(","))
    # Programs without custom properties find each colour itself before its name.
    for found in re.finditer(r"([\w-]+): var\(--(\w+)\)", text):
        assert text[: found.start()].endswith(f"{found[1]}: {LIGHT[found[2]]}; ")


def test_characters_that_xml_forbids_are_replaced(svg: Any) -> None:
    odd = te.Interval(name="a\x00b\ufffe\ud800c", estimate=0.5, low=0.4, high=0.6)
    assert any("b" in words for words in svg(odd).texts())


def test_without_matplotlib_svg_and_pages_are_there_and_the_rest_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = te.evaluate(Confusion([[40, 10], [5, 45]]))
    for ending in (".svg", ".html"):
        assert found.save(tmp_path / f"a{ending}").stat().st_size > 1000
    named = re.escape('needs matplotlib: pip install "trueerror[matplotlib]"')
    for ending in (".png", ".pdf"):
        with pytest.raises(te.InputError, match=named):
            found.save(tmp_path / f"a{ending}")
        with pytest.raises(te.InputError, match=named):
            target(tmp_path / f"a{ending}", (".svg", ending), "a picture")
        assert not (tmp_path / f"a{ending}").exists()
    with pytest.raises(te.InputError, match=named):
        found.draw()
