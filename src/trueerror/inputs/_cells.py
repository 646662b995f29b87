"""What a cell is, whatever its column is from.

Blanks around a text are no part of it. `MISSING` lists the spellings of a missing cell. A text is a number only in CSV,
which has no other way to write one. Labels and keys are numbers there where each cell of the column is written as its
number is printed: all as whole numbers (1), or all as floats (1.0). Dates and durations go by one name each.
"""

from __future__ import annotations

import datetime
import re
import string
from collections.abc import Iterable, Sequence
from typing import Any

BLANKS = string.whitespace
MISSING = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NaT", "null", "NULL")
NUMBER = r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?"
PLAIN_NUMBER = re.compile(NUMBER)
MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d)(?:\.(\d+))? ?(Z|[-+]\d\d(?::?\d\d)?)?)?", re.ASCII)
# A duration, as engines are asked to write it.
DURATION = re.compile(r"(-?\d+)(\.0)? µs", re.ASCII)


def changed_texts(texts: Iterable[str]) -> dict[str, str | None]:
    """Those texts that stand for others: without the blanks around them, None where they say that a cell is missing.

    >>> changed_texts([" yes ", "NA", "no"])
    {' yes ': 'yes', 'NA': None}
    """
    plain = {text: text.strip(BLANKS) for text in texts}
    return {t: None if bare in MISSING else bare for t, bare in plain.items() if bare != t or bare in MISSING}


def named_cells(cells: Sequence[Any]) -> list[Any]:
    """Distinct cells with texts as `changed_texts` has them, and dates by their names where all of them are dates."""
    changed = changed_texts(cell for cell in cells if isinstance(cell, str))
    plain = [changed.get(cell, cell) if isinstance(cell, str) else cell for cell in cells]
    present = list(dict.fromkeys(cell for cell in plain if cell is not None))
    names = dict(zip(present, date_names(present), strict=True)) if are_dates(present) else {}
    return [names.get(cell, cell) for cell in plain]


def are_dates(texts: Iterable[object]) -> bool:
    """Whether there are texts, and all of them are dates, moments or durations."""
    seen = (isinstance(text, str) and any(form.fullmatch(text) for form in (DURATION, MOMENT)) for text in texts)
    return next(seen, False) and all(seen)


def date_name(text: str) -> str:
    """A date or a moment as text, in one way for all libraries: in UTC where it has a time zone, a midnight as its day;
    a duration as Python writes it.

    >>> date_name("2024-01-02T03:04:05.120000"), date_name("2024-01-02 00:00:00"), date_name("2024-01-02 01:00:00+01")
    ('2024-01-02 03:04:05.12', '2024-01-02', '2024-01-02')
    >>> date_name("0001-01-01 00:00:00+01:00"), date_name("90000500000 µs")
    ('0001-01-01 00:00:00+01:00', '1 day, 1:00:00.500000')
    """
    lasting = DURATION.fullmatch(text)
    if lasting is not None:
        return str(datetime.timedelta(microseconds=int(lasting[1])))
    written = MOMENT.fullmatch(text)
    if written is None or written[2] is None:
        return text
    day, clock, fraction, zone = written.groups()
    if zone is not None:
        try:
            moment = datetime.datetime.fromisoformat(f"{day} {clock}{zone}").astimezone(datetime.UTC)
        except (OverflowError, ValueError):
            return text  # before the year 1, or no time of day
        day, clock = moment.replace(tzinfo=None).isoformat(" ").split()
    fraction = (fraction or "").rstrip("0")
    if clock == "00:00:00" and not fraction:
        return day
    return f"{day} {clock}.{fraction}" if fraction else f"{day} {clock}"


def date_names(texts: Sequence[str]) -> list[str]:
    """The names of distinct dates; as they stand where two would have one name."""
    names = [date_name(text) for text in texts]
    return names if len(set(names)) == len(names) else list(texts)
