"""Intervals as lines in a table: open ends, missing limits, many rows."""

import math

from trueerror.plots._specs import ForestRow, Panel
from trueerror.reports._html import MOST_OPEN, html_panel


def panel(*rows, **more):
    return str(html_panel(Panel(rows=rows, axis="a", domain=(0.0, 1.0), **more)))


def row(label="m", estimate=0.5, low=0.4, high=0.6, **more):
    return ForestRow(label=label, estimate=estimate, low=low, high=high, words="0.5 [0.4, 0.6]", **more)


def test_a_line_with_its_dot_and_the_same_in_words():
    text = panel(row("<m>"), references=((0.5, ""),), margin=(0.45, 0.55))
    assert 'x1="40%" x2="60%"' in text
    assert 'cx="50%"' in text
    assert "0.5 [0.4, 0.6]" in text
    assert "&lt;m&gt;" in text
    assert 'class="zero"' in text
    assert 'class="margin"' in text


def test_open_ends_are_arrows_and_missing_ones_are_not_drawn():
    assert "▸" in panel(row(high=math.inf))
    assert "◂" in panel(row(side="upper"))
    assert 'class="limits"' not in panel(row(low=math.nan, high=math.nan))
    nothing = panel(row(estimate=math.nan, low=math.nan, high=math.nan))
    assert "circle" not in nothing
    assert "nan" not in nothing


def test_a_number_beyond_the_axis_stays_at_its_edge():
    assert 'x1="0%" x2="100%"' in panel(row(low=-3, high=7))


def test_of_many_rows_the_first_are_open():
    text = panel(*(row(f"m{i}") for i in range(30)))
    assert f"{30 - MOST_OPEN} more" in text
    assert text.count('scope="row"') == 30
    assert "more" not in panel(*(row(f"m{i}") for i in range(MOST_OPEN)))
