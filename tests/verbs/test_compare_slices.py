"""Comparisons slice by slice."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import trueerror as te

RNG = np.random.default_rng(0)
N = 400
TRUTH = RNG.integers(0, 2, N)
CALLED = {name: np.where(RNG.random(N) < skill, TRUTH, 1 - TRUTH) for name, skill in (("a", 0.92), ("b", 0.8))}
CITY = np.where(np.arange(N) % 3, "Oslo", "Rome")


def test_each_slice_is_the_comparison_of_its_rows() -> None:
    made = te.compare(TRUTH, CALLED, by=CITY)
    assert set(made.slices) == {"Oslo", "Rome"}
    for city, inner in made.slices.items():
        rows = city == CITY
        alone = te.compare(TRUTH[rows], {m: c[rows] for m, c in CALLED.items()})
        assert inner["a", "b"].estimate == alone["a", "b"].estimate
        assert inner["a", "b"].p_value == alone["a", "b"].p_value
    whole = te.compare(TRUTH, CALLED)
    assert made["a", "b"] == whole["a", "b"]
    assert not whole.slices


def test_p_values_are_adjusted_over_all_slices() -> None:
    made = te.compare(TRUTH, CALLED, by=CITY)
    raw = [inner["a", "b"].p_value for inner in made.slices.values()]
    told = [inner["a", "b"].p_adjusted for inner in made.slices.values()]
    assert told == pytest.approx(list(te.significance.adjust(raw, "holm")))
    assert all(
        i["a", "b"].p_adjusted is None for i in te.compare(TRUTH, CALLED, by=CITY, adjust="none").slices.values()
    )


def test_words_records_and_json() -> None:
    made = te.compare(TRUTH, CALLED, by=CITY)
    text = str(made)
    assert "a − b in points of accuracy, by slice" in text
    assert max(map(len, text.splitlines())) <= 80
    assert [r["slice"] for r in made.records()] == [None, "Oslo", "Rome"]
    assert te.load(made.to_json()) == made
    assert "<td" in made._repr_html_()
    assert "Rome" in made.to_markdown()


def test_a_slice_without_an_answer_is_left_out_with_the_reason() -> None:
    only = np.where(TRUTH == 1, "Oslo", CITY)
    made = te.compare(TRUTH, CALLED, metric="recall", by=only, positive=1)
    assert list(made.slices) == ["Oslo"]
    assert "Left out: Rome, recall of 'a' and 'b' is undefined" in " ".join(str(made).split())


def test_the_command(tmp_path: Path) -> None:

    file = tmp_path / "p.csv"
    rows = zip(TRUTH, CALLED["a"], CALLED["b"], CITY, strict=True)
    file.write_text("truth,a,b,city\n" + "".join(",".join(map(str, r)) + "\n" for r in rows))
    command = [sys.executable, "-m", "trueerror", "compare", str(file), "--by", "city"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "by slice" in done.stdout
