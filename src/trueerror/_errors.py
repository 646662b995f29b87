"""The one error that the library raises, in one line that can be read anywhere."""

LONGEST = 300  # a message with a whole table in it tells nobody anything


def one_line(text: str) -> str:
    """User text without control characters, so that it cannot break a terminal or a table."""
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


class InputError(ValueError):
    """Something in the input is wrong; the message says in one line what, where and what to do."""

    def __init__(self, message: object = "") -> None:
        words = one_line(str(message))
        if len(words) > LONGEST:
            words = f"{words[: LONGEST - 100].rstrip()} … {words[-90:].lstrip()}"
        super().__init__(words)
