"""Comparing two models from four counts alone: both right, only one, only the other, neither."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from trueerror.inputs.errors import InputError
from trueerror.inputs.numbers import count
from trueerror.intervals.binomial import interval
from trueerror.metrics.registry import find_measure
from trueerror.significance.contrasts import check_margin
from trueerror.significance.paired import mcnemar
from trueerror.tallies import Discordance
from trueerror.verbs.comparing import alike, completed, pair_facts
from trueerror.verbs.comparison import Comparison


def parse_pairs(words: list[str]) -> tuple[tuple[str, str], Discordance]:
    """both=810 new=60 old=40 neither=90 as the two names and the four counts."""
    given: dict[str, int] = {}
    for word in words:
        name, mark, number = word.rpartition("=")
        if not mark or not name:
            raise InputError(f"cannot read {word!r}: write counts as NAME=N, such as both=810 new=60 old=40 neither=90")
        if name in given:
            raise InputError(f"{name!r} is given twice")
        given[name] = count(_whole(number, name), name)
    for needed in ("both", "neither"):
        if needed not in given:
            raise InputError(f"{needed}=N is missing: the four counts are both=N A=N B=N neither=N")
    names = [n for n in given if n not in ("both", "neither")]
    if len(names) != 2:
        raise InputError(f"there must be two models beside both= and neither=, not {len(names)}")
    a, b = names
    return (a, b), Discordance(given["both"], given[a], given[b], given["neither"])


def _whole(text: str, name: str) -> int:
    try:
        return int(text.replace(",", "").replace("_", ""))
    except ValueError:
        raise InputError(f"{name}={text}: a count is a whole number") from None


def compare_counts(
    pairs: tuple[tuple[str, str], Discordance],
    *,
    confidence: float = 0.95,
    method: Any = "mid-p",
    alternative: Any = "two-sided",
    margin: float | None = None,
) -> Comparison:
    """The comparison that the counts of rows both, only one, or neither model got right allow.

    >>> cmp = compare_counts((("new", "old"), Discordance(810, 60, 40, 90)))
    >>> round(cmp["new", "old"].p_value, 3)
    0.046
    """
    (a, b), d = pairs
    if d.n == 0:
        raise InputError("the counts are all 0: there is nothing to compare")
    found = replace(
        mcnemar(
            d.only_first, d.only_second, both_right=d.both_right, both_wrong=d.both_wrong, method=method,
            confidence=confidence, alternative=alternative,
        ),
        name="accuracy", first=a, second=b,
    )  # fmt: skip
    width = None if margin is None else check_margin(margin)
    discordance = {(a, b): d}
    estimates = {
        name: replace(interval(d.both_right + only, d.n, confidence=confidence), name="accuracy")
        for name, only in ((a, d.only_first), (b, d.only_second))
    }
    made = Comparison(
        metric="accuracy",
        title="accuracy",
        higher_is_better=True,
        estimates=estimates,
        pairs=(found,),
        margin=width,
        within_margin=() if width is None else (alike(found, discordance, width, confidence),),
        confidence=confidence,
        reading=f"Counts of {d.n:,} rows: {a} and {b} on the same rows.",
        estimand=f"Estimates: these two models as they stand, on rows drawn at random like these {d.n:,}.",
        facts=pair_facts(find_measure("accuracy"), [found], discordance),
    )
    return completed(made)
