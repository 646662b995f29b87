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
from pathlib import Path

from trueerror.inputs._options import FileError
from trueerror.sources._bytes import head_of, lines_of
from trueerror.sources._tables import ColumnsTable

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
SPARSE = re.compile(rf"{NUMBER}([ \t]+(\d+|qid):\S+)*([ \t]*#.*)?")
FAST_TEXT = "__label__"
Columns = dict[str, list[object]]


def bare_table(path: object) -> ColumnsTable | None:
    """The table in such a file; None where it is none."""
    if not isinstance(path, str | os.PathLike) or not os.path.isfile(path):
        return None
    file = Path(path)
    # A cut line at the end of the sample says nothing.
    head = head_of(file, 1 << 16)
    first = head.decode("utf-8", "replace").lstrip("\ufeff").splitlines()[:50]
    first = first if len(head) < 1 << 16 else first[:-1]
    first_lines = [line.strip() for line in first if line.strip()]
    if not first_lines or "\x00" in first_lines[0]:
        return None
    read = next((read for looks, read in FORMS if looks(first_lines)), None)
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


def _typed(words: Iterable[str | None]) -> list[object]:
    """Words as numbers where all of them are; whole ones as whole numbers."""
    given = list(words)
    if not all(word is None or re.fullmatch(NUMBER, word) for word in given):
        return list(given)
    numbers = [None if word is None else float(word) for word in given]
    whole = all(x is None or x.is_integer() for x in numbers)
    return [None if x is None else int(x) if whole else x for x in numbers]


Lines = list[tuple[int, str]]


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
    classes = lines[0][1].split()[1:]
    rows = [line.split() for _, line in lines[1:]]
    chances: Columns = {f"prob_{c}": [float(row[i]) for row in rows] for i, c in enumerate(_typed(classes), 1)}
    return {"prediction": _typed(row[0] for row in rows), **chances}


def _pairs(lines: Lines) -> Columns:
    """Vowpal Wabbit's probabilities: class:probability in each line, and maybe an id."""
    rows = [line.split() for _, line in lines]
    pairs = [dict(word.rsplit(":", 1) for word in row if ":" in word) for row in rows]
    classes = list(dict.fromkeys(c for row in pairs for c in row))
    ids: Columns = {"id": [row[-1] for row in rows]} if all(":" not in row[-1] for row in rows) else {}
    return ids | {f"prob_{c}": [float(row[c]) for row in pairs] for c in classes}


def _data(lines: Lines) -> Columns:
    """The label of each line, which stands first."""
    return {"label": _typed(line.split()[0] for _, line in lines)}


def _vowpal(lines: Lines) -> Columns:
    """Vowpal Wabbit's data: the label, and the tag as an id where all lines have one."""
    heads = [line.partition("|")[0].split() for _, line in lines]
    tags = [next((word for word in head[1:] if not re.fullmatch(NUMBER, word)), "").lstrip("'") for head in heads]
    ids: Columns = {"id": list(tags)} if all(tags) and len(set(tags)) == len(tags) else {}
    return {**ids, "label": _typed(head[0] for head in heads)}


def _list(lines: Lines) -> Columns:
    """One prediction a line, and maybe an id behind it."""
    rows = [line.split() for _, line in lines]
    ids: Columns = {"id": [row[1] for row in rows]} if len(rows[0]) == 2 else {}
    return {**ids, "prediction": _typed(row[0] for row in rows)}


def _all_like(pattern: str) -> Callable[[list[str]], bool]:
    form = re.compile(pattern)
    return lambda shown: all(form.fullmatch(line) for line in shown)


def _words_again(shown: list[str]) -> bool:
    """One word a line, of which the first comes again: a header would not."""
    return len(shown) > 2 and all(re.fullmatch(r"[\w.\-]+", line) for line in shown) and shown[0] in shown[1:]


def _is_sparse(shown: list[str]) -> bool:
    """A number, then pairs of an index and a value; rows of zeros have none."""
    return any(":" in line for line in shown) and all(SPARSE.fullmatch(line) for line in shown)


def _labelled_first(shown: list[str]) -> bool:
    return bool(re.match(rf"labels( {NUMBER})+$", shown[0])) and len(shown) > 1


FORMS: tuple[tuple[Callable[[list[str]], bool], Callable[[Lines], Columns]], ...] = (
    (lambda shown: all(line.startswith(FAST_TEXT) for line in shown), _fast_text),
    (_labelled_first, _probabilities),
    (_all_like(rf"{NUMBER}( {NUMBER})*( '?\S+)? ?\|.*"), _vowpal),
    (_all_like(rf"\S+:{NUMBER}( \S+:{NUMBER})+( \S+)?"), _pairs),
    (_is_sparse, _data),
    (_all_like(rf"{NUMBER}( [A-Za-z_]\S*)?"), _list),
    (_words_again, _list),
)
