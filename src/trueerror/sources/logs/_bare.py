"""Files of rows without a header, as fastText, LIBSVM, Vowpal Wabbit and plain lists of predictions are written:

    __label__pos some words         fastText's data; its predictions, with __label__neg 0.1 and so on behind the first
    +1 1:0.5 3:2                    LIBSVM's data (SVMlight's, XGBoost's); its predictions are lists, or with -b 1 begin
                                    with "labels 1 -1" and go on with a label and a probability for each
    1 'id |f a b:2                  Vowpal Wabbit's data; its predictions are lists, maybe with the id, or 1:0.2 2:0.8
    0.25                            one number, or one word that comes again, a line

Of data only the label is kept, and the id where there is one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from trueerror.inputs._options import FileError
from trueerror.sources._bytes import head_of, lines_of
from trueerror.sources._tables import ColumnsTable

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
FAST_TEXT = "__label__"
Columns = dict[str, list[object]]
Lines = list[tuple[int, str]]


def bare_table(path: object) -> ColumnsTable | None:
    """The table in such a file; None where it is none."""
    if not isinstance(path, str | os.PathLike) or not os.path.isfile(path):
        return None
    file = Path(path)
    # A cut line at the end of the sample says nothing.
    head = head_of(file, 1 << 16)
    first = head.decode("utf-8", "replace").lstrip("\ufeff").splitlines()[:50]
    first = first if len(head) < 1 << 16 else first[:-1]
    shown = [line.strip() for line in first if line.strip()]
    if not shown or "\x00" in shown[0]:
        return None
    read = next((read for looks, read in FORMS if looks(shown)), None)
    if read is None:
        return None
    lines = [(i, line.strip()) for i, line in enumerate(lines_of(file), 1) if line.strip()]
    try:
        columns = read(lines)
    except FileError as error:
        raise FileError(f"{file.name}: {error}") from None
    except (ValueError, IndexError, KeyError):
        raise FileError(f"{file.name} begins like predictions without a header, and does not go on so") from None
    return ColumnsTable(dict(columns), name=file.name, provenance=file.name)


def _typed(words: Iterable[str]) -> list[object]:
    """Words as numbers where all of them are; whole ones as whole numbers."""
    given = list(words)
    if not all(re.fullmatch(NUMBER, word) for word in given):
        return list(given)
    numbers = [float(word) for word in given]
    return [int(x) for x in numbers] if all(x.is_integer() for x in numbers) else list(numbers)


def _fast_text(lines: Lines) -> Columns:
    """Labels, and the probabilities of all classes where each line has them."""
    predicted, chances = [], []
    for number, line in lines:
        words = line.split()
        labels = [word.removeprefix(FAST_TEXT) for word in words if word.startswith(FAST_TEXT)]
        numbers = [word for word in words[1::2] if re.fullmatch(NUMBER, word)]
        scored = len(words) == 2 * len(labels) == 2 * len(numbers)
        if len(labels) != 1 and not scored:
            raise FileError(f"line {number:,} has {len(labels)} labels of fastText: one is needed")
        predicted.append(labels[0])
        chances.append(dict(zip(labels, map(float, numbers), strict=True)) if scored else {})
    classes = sorted({label for row in chances for label in row})
    whole = len(classes) > 1 and all(len(row) == len(classes) for row in chances)
    scores: Columns = {f"prob_{c}": [row[c] for row in chances] for c in classes} if whole else {}
    return {"prediction" if any(chances) else "label": _typed(predicted), **scores}


def _probabilities(lines: Lines) -> Columns:
    """LIBSVM's predictions with probabilities."""
    rows = [line.split() for _, line in lines]
    chances: Columns = {f"prob_{c}": [float(row[i]) for row in rows[1:]] for i, c in enumerate(_typed(rows[0][1:]), 1)}
    return {"prediction": _typed(row[0] for row in rows[1:]), **chances}


def _pairs(lines: Lines) -> Columns:
    """Vowpal Wabbit's probabilities: class:probability in each line, and maybe an id."""
    rows = [line.split() for _, line in lines]
    pairs = [dict(word.rsplit(":", 1) for word in row if ":" in word) for row in rows]
    classes = list(dict.fromkeys(c for row in pairs for c in row))
    ids: Columns = {"id": [row[-1] for row in rows]} if all(":" not in row[-1] for row in rows) else {}
    return ids | {f"prob_{c}": [float(row[c]) for row in pairs] for c in classes}


def _parts(form: re.Pattern[str], lines: Lines) -> Columns:
    """The named parts of each line: a label or a prediction, and an id where all lines have one of their own."""
    rows = [found.groupdict() for _, line in lines if (found := form.fullmatch(line)) is not None]
    if len(rows) < len(lines):
        raise ValueError
    columns: Columns = {name: _typed(row[name] or "" for row in rows) for name in form.groupindex}
    alone = "id" in columns and all(row["id"] for row in rows) and len(set(columns["id"])) == len(rows)
    return columns if alone else {name: values for name, values in columns.items() if name != "id"}


def _lines_like(pattern: str, sign: str = "", again: bool = False) -> Callable[[list[str]], bool]:
    """Whether lines are of a form: each of them, `sign` in one of them, the first of them `again` (a header is not)."""
    form = re.compile(pattern)
    return lambda shown: (
        all(form.fullmatch(line) for line in shown) and any(sign in line for line in shown)
        and (not again or (len(shown) > 2 and shown[0] in shown[1:]))
    )  # fmt: skip


VOWPAL = rf"(?P<label>{NUMBER})( {NUMBER})*( '?(?P<id>[^\s|]+))? ?\|.*"
SPARSE = rf"(?P<label>{NUMBER})([ \t]+(\d+|qid):\S+)*([ \t]*#.*)?"
NUMBERS, WORDS = rf"(?P<prediction>{NUMBER})( (?P<id>[A-Za-z_]\S*))?", r"(?P<prediction>[\w.\-]+)"
FORMS: tuple[tuple[Callable[[list[str]], bool], Callable[[Lines], Columns]], ...] = (
    (_lines_like(rf"{FAST_TEXT}.*"), _fast_text),
    (lambda shown: bool(re.match(rf"labels( {NUMBER})+$", shown[0])) and len(shown) > 1, _probabilities),
    (_lines_like(VOWPAL), partial(_parts, re.compile(VOWPAL))),
    (_lines_like(rf"\S+:{NUMBER}( \S+:{NUMBER})+( \S+)?"), _pairs),
    # Rows of zeros have no pairs of an index and a value.
    (_lines_like(SPARSE, ":"), partial(_parts, re.compile(SPARSE))),
    (_lines_like(NUMBERS), partial(_parts, re.compile(NUMBERS))),
    (_lines_like(WORDS, again=True), partial(_parts, re.compile(WORDS))),
)
