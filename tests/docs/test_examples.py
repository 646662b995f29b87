"""The tool that runs the examples of pages finds what is wrong in them."""

import pytest


def page(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def test_printed_text_follows_its_code():
    from making.examples import real

    right = page("# T", "", "```python", "print(1 + 1)", "```", "", "```text", "2", "```", "", "End.")
    assert real(right) == right
    assert real(right.replace("\n2\n", "\n3\n")) == right
    assert real(right.replace("\n\n```text\n2\n```", "")) == right


def test_output_that_is_no_longer_printed_goes():
    from making.examples import real

    stale = page("```python", "x = 1", "```", "", "```text", "1", "```", "", "End.")
    assert real(stale) == page("```python", "x = 1", "```", "", "End.")


def test_interactive_examples_keep_blank_lines_and_names():
    from making.examples import real

    right = page(
        "```python",
        ">>> x = 'a'",
        ">>> print(x + '\\n\\nb')",
        "a",
        "",
        "b",
        ">>> for i in range(2):",
        "...     i",
        "0",
        "1",
        "```",
    )
    assert real(right) == right
    assert real(right.replace("\na\n", "\nz\n")) == right


def test_errors_are_shown_as_readers_see_them():
    from making.examples import real

    text = page("```python", ">>> import trueerror as te", ">>> te.interval(3, 2)", "```")
    assert "Traceback (most recent call last):\n    ...\nInputError: " in real(text)


def test_commands_are_run_and_their_exit_code_is_kept():
    from making.examples import real

    text = real(
        page("```console", "$ trueerror interval 3/4", "$ echo $?", "$ trueerror interval 5/4", "$ echo $?", "```")
    )
    lines = text.splitlines()
    assert lines[1:3] == ["$ trueerror interval 3/4", "3 of 4 is 0.750, 95 % CI 0.301 to 0.954"]
    assert lines[lines.index("$ echo $?") + 1] == "0"
    assert lines[-2] == "2"
    assert lines[-4].startswith("Error: ")


def test_files_are_written_where_examples_run():
    from making.examples import real

    right = page(
        "<!-- file: a.txt -->",
        "```text",
        "hello",
        "```",
        "",
        "```python",
        "print(open('a.txt').read().strip())",
        "```",
        "",
        "```text",
        "hello",
        "```",
    )
    right = right.replace("open('a.txt').read()", "__import__('pathlib').Path('a.txt').read_text()")
    assert real(right) == right


def test_output_without_code_is_refused():
    from making.examples import real

    with pytest.raises(ValueError, match="follows no code"):
        real(page("```text", "accuracy 1.000", "```"))
    with pytest.raises(ValueError, match="never closed"):
        real(page("```python", "x = 1"))
