"""Tables keep user text from breaking a terminal, Markdown, LaTeX or HTML."""

import pytest

from trueerror.results import Table
from trueerror.results._document import latex_escape, markdown_escape
from trueerror.results._format import clip, listing, number, p_value, width

HOSTILE = '<script>alert("x")</script>|a_b&50%$#{}~^\\\x1b[31mred\n'


def table(*names: str) -> Table:
    return Table(columns=("model", "accuracy"), rows=tuple((n, "0.750") for n in names))


def test_html_is_escaped():
    assert "<script>" not in table(HOSTILE)._repr_html_()


def test_terminal_gets_no_control_characters():
    text = table(HOSTILE).text(200)
    assert "\x1b" not in text
    assert len(text.splitlines()) == 2


def test_markdown_keeps_its_cells():
    lines = table(HOSTILE).to_markdown().splitlines()
    assert len(lines) == 3
    assert all(line.replace("\\|", "").count("|") == 3 for line in lines)


def test_latex_specials_are_escaped():
    assert latex_escape("50 % of a_b & c") == r"50 \% of a\_b \& c"


def test_long_names_are_clipped_and_numbers_never():
    text = table("a very long name of a model " * 10).text(60)
    assert max(map(len, text.splitlines())) <= 60
    assert "0.750" in text
    assert "…" in text


def test_wide_characters_count_two():
    assert width("模型") == 4
    assert width(clip("模型模型模型", 5)) <= 5


def test_json_of_a_table_comes_back():
    from trueerror.results import load

    assert load(table("a", "b").to_json()) == table("a", "b")


@pytest.mark.parametrize(
    ("x", "shown"),
    [(0.73156, "0.732"), (12.345, "12.3"), (1234.5, "1,234"), (0.0, "0.000"), (-0.25, "−0.250"), (1e-9, "1e-09")],
)
def test_numbers_have_three_figures(x, shown):
    assert number(x) == shown


@pytest.mark.parametrize(
    ("p", "shown"), [(0.0461, "p = .046"), (1e-300, "p < .001"), (0.99999, "p > .999"), (0.05, "p = .050")]
)
def test_a_p_value_is_never_zero(p, shown):
    assert p_value(p) == shown


def test_listing():
    assert listing([]) == ""
    assert listing(["a"]) == "a"
    assert markdown_escape("a|b") == r"a\|b"


def test_latex_quotes_open_and_close():
    made = Table(columns=("model",), rows=(('always "legit"',), ('say "hi" (or "ho")',))).to_latex()
    assert "always ``legit''" in made
    assert "say ``hi'' (or ``ho'')" in made


def test_tables_without_rows_or_columns_print():
    assert Table(columns=(), rows=()).text() == ""
    assert Table(columns=("model", "accuracy"), rows=()).text() == "model  accuracy"
    assert Table(columns=("model",), rows=(("a",),), names=3).text() == "model\na"
