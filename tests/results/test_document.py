"""One document of blocks, read by every renderer."""

import pytest

import trueerror as te
from trueerror.results import Table
from trueerror.results._document import (
    Bullets,
    Document,
    Footer,
    Media,
    Paragraph,
    TableBlock,
    Verdict,
    Words,
    cells_block,
    data_summary,
)

LONG = "a sentence that goes on for so long that a terminal of eighty columns cannot show it on one line"


def table(name="svm"):
    return Table(columns=("model", "accuracy"), rows=((name, ".9"),))


def document():
    return Document(
        (
            data_summary("Read 3 rows."),
            Verdict(("svm is right.", "So is <b>.")),
            TableBlock(table(), beneath=("Beneath.",)),
            Paragraph(("For terminals alone.",)),
            TableBlock(table("in notebooks"), where=Media.NOTEBOOK),
            Bullets(("! TE101 few", "! TE102 more")),
            Footer(("Estimates: this.", "Methods: that.")),
        )
    )


def test_text_has_the_blocks_of_a_terminal_with_a_line_between():
    parts = document().text().split("\n\n")
    assert parts == [
        "Read 3 rows.",
        "  svm is right.\n  So is <b>.",
        "model  accuracy\nsvm          .9\nBeneath.",
        "For terminals alone.",
        "! TE101 few\n! TE102 more",
        "Estimates: this.\nMethods: that.",
    ]


def test_a_notebook_has_its_own_blocks_and_escapes_names():
    page = document().html()
    assert page.startswith("<div><p>Read 3 rows.</p><p><b>svm is right. So is &lt;b&gt;.</b></p><table>")
    assert "</table><br><table>" in page
    assert "terminals alone" not in page
    assert "<ul><li>! TE101 few</li><li>! TE102 more</li></ul>" in page
    assert page.endswith("<p><small>Estimates: this.\nMethods: that.</small></p></div>")


def test_tables_are_those_for_export():
    assert document().tables() == [table()]


def test_empty_blocks_leave_no_gap():
    empty = Document((data_summary(""), Verdict(()), Paragraph(()), Bullets(()), Footer(("end",))))
    assert empty.text() == "end"
    assert empty.html() == "<div><p><small>end</small></p></div>"


@pytest.mark.parametrize("block", [Paragraph((LONG,)), Verdict((LONG,)), Footer((LONG,)), Bullets((LONG,))])
def test_every_block_keeps_to_eighty_columns(block):
    lines = block.text().split("\n")
    assert len(lines) > 1
    assert max(map(len, lines)) <= 80


def test_words_are_kept_as_they_are():
    assert Words("a\n  b").html() == "<p>a</p><pre>  b</pre>"
    assert te.interval(15, 20).document().text() == str(te.interval(15, 20))


def test_cells_carry_what_they_are_sorted_by():
    block = cells_block(("model", "n"), [[("a", None), ("1,000", 1000.0)]])
    assert block.table.rows == (("a", "1,000"),)
    assert block.keys == [[None, 1000.0]]


def test_the_lead_is_the_first_paragraph_on_one_line():
    assert Document((Verdict((LONG,)), Footer(("end",)))).lead == LONG


@pytest.mark.parametrize("verb", ["evaluate", "compare"])
def test_results_say_the_same_everywhere(verb):
    truth = [0, 1] * 50
    models = {"a": [0, 1] * 40 + [1, 0] * 10, "b": [0, 1] * 45 + [1, 0] * 5}
    result = getattr(te, verb)(truth, models)
    document = result.document()
    assert str(result) == repr(result) == document.text()
    shown = result._repr_html_()
    picture = result.plot().svg
    assert picture in shown
    assert shown.replace(f"<div>{picture}</div>", "") == document.html() == result._html()
    assert result.to_markdown().endswith("\n\n".join(t.to_markdown() for t in document.tables()))
    assert result.to_latex() == "\n\n".join(t.to_latex() for t in document.tables())
