from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from pathlib import Path

import pytest
from trueerror.plots._save import script_safe, to_bytes

import trueerror as te
from trueerror.tallies import Confusion

STARTS = {".png": b"\x89PNG\r\n", ".svg": b"<svg", ".pdf": b"%PDF-", ".html": b"<!DOCTYPE html>"}


@pytest.mark.parametrize("ending", sorted(STARTS))
def test_files_are_written_and_not_trivial(ending: str, tmp_path: Path) -> None:
    for name, result in (("interval", te.interval(75, 100)), ("matrix", Confusion([[40, 3], [5, 52]]))):
        path = result.save(tmp_path / f"{name}{ending}")
        content = path.read_bytes()
        assert content.startswith(STARTS[ending])
        assert len(content) > 4000
    assert (tmp_path / f"interval{ending}").read_bytes() != (tmp_path / f"matrix{ending}").read_bytes()


def test_svg_holds_the_words_as_text(tmp_path: Path) -> None:
    text = te.interval(75, 100).save(tmp_path / "x.svg").read_text()
    assert "0.750 [0.657, 0.825]" in text


def test_png_is_twice_as_dense(tmp_path: Path) -> None:
    data = te.interval(75, 100).save(tmp_path / "x.png").read_bytes()
    assert int.from_bytes(data[16:20], "big") > 900


def test_html_loads_nothing_and_forbids_all_else(tmp_path: Path) -> None:
    page = te.interval(75, 100).save(tmp_path / "x.html").read_text(encoding="utf-8")
    outside = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"(?:src|href)=", outside)
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1))  # type: ignore[union-attr]
    assert policy.startswith("default-src 'none'")
    assert "unsafe-eval" not in policy
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 2
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    data = re.search(r'<script type="application/json" id="specification">(.*?)</script>', page, re.DOTALL)
    assert json.loads(data.group(1))["layer"]  # type: ignore[union-attr]


def test_html_names_the_picture_safely(tmp_path: Path) -> None:
    evil = te.Interval(name="</title><script>alert(1)</script>", estimate=0.5, low=0.4, high=0.6)
    page = evil.save(tmp_path / "x.html").read_text(encoding="utf-8")
    assert "<title>&lt;/title&gt;&lt;script&gt;" in page
    assert "<script>alert" not in page


def test_json_in_a_script_survives_the_round_trip() -> None:
    value = {"a": "</script><!-- & \u2028 'x' \\", "b": [1.5, None]}
    assert json.loads(script_safe(value)) == value
    assert not set("<>&\u2028") & set(script_safe(value))


def test_unknown_endings_are_refused() -> None:
    with pytest.raises(ValueError, match=r"use \.html \.png"):
        to_bytes({}, ".gif")
