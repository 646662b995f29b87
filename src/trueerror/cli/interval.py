"""`trueerror interval`: how far the true rate may lie from X of N."""

from __future__ import annotations

import re
from typing import Any

from trueerror.cli._option_groups import OutputOptions
from trueerror.inputs._options import InputError
from trueerror.results import Side
from trueerror.results._format import ci_words, common_format, whole


def parse_counts(text: str) -> tuple[float, int]:
    """ "750/1000" as (750, 1000); a rate, written with a point as in "0.15/30" or "1.0/30", is a float."""
    written = re.fullmatch(r"\s*([-+]?[\d_,.]*\d\.?\s*%?)\s*(?:/|of)\s*([-+]?[\d_,.]+)\s*", text)
    try:
        if not written:
            raise ValueError
        share = written[1].endswith("%")
        x, n = (_number(part.rstrip("% ")) for part in written.groups())
    except ValueError:
        raise InputError(f"cannot read {text!r}: write counts as X/N, such as 750/1000, or a rate: 0.75/1000") from None
    if not n.is_integer():
        raise InputError(f"{text!r}: the number of rows must be whole")
    if share and 0 <= x <= 100:
        return x / 100, int(n)
    if not x.is_integer() and x > 1:
        raise InputError(f"{text!r}: {x:g} is neither a whole number of rows nor a rate between 0 and 1")
    return x if "." in written[1] and x <= 1 else int(x), int(n)


def _number(written: str) -> float:
    """A number with thousands set off by commas or underscores, if at all."""
    if "," in written and not re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d*)?", written):
        raise ValueError
    return float(written.replace(",", "").replace("_", ""))


def one_pair(words: list[str], trials: int | None) -> str:
    """X/N from what was typed: "456/500", "456 500", "456 of 500", or a count or rate with --n.

    >>> one_pair(["456", "500"], None), one_pair(["0.912"], 500), one_pair(["4/5"], None)
    ('456/500', '0.912/500', '4/5')
    """
    typed = [word for word in words if word not in ("of", "/")]
    if trials is not None:
        typed.append(str(trials))
    if len(typed) == 1 and re.search(r"/|of", typed[0]):
        return typed[0]
    if len(typed) == 2 and not any(re.search(r"/|of", word) for word in typed):
        return "/".join(typed)
    if len(typed) == 2 and trials is None:
        raise InputError("one rate is X/N, such as 456/500; two rates are compared by: trueerror difference X/N X/N")
    text = " ".join(words)
    raise InputError(f"cannot read {text!r:.60}: write counts as X/N, such as 456/500, or a rate with --n 500")


def interval_command(counts: list[str], *, out_of: int | None, side: Side, output: OutputOptions, **how: Any) -> None:
    """The true rate behind X of N, with its interval."""
    from trueerror.inference.proportion._interval import interval

    x, n = parse_counts(one_pair(counts, out_of))
    is_rate = isinstance(x, float) and 0 <= x <= 1
    limits = interval(None if is_rate else x, n, rate=x if is_rate else None, side=side, **how)

    def words() -> str:
        shown = common_format(limits.estimate, limits.low, limits.high)
        seen = f"{whole(x * n) if is_rate else whole(x)} of {whole(n)} is {shown(limits.estimate)}"
        reach = ci_words(limits.low, limits.high, limits.confidence, shown, side=side)
        note = f"\n! {limits.note}" if limits.note else ""
        return f"{seen}, {reach}\n({limits.method}; --explain for more).{note}"

    output.show(limits, words)
