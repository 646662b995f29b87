"""User text in pictures: one line or two, clipped to its width, and different names never drawn as one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from trueerror.results._format import clip, one_line, short_names, unbroken, width


def plain(text: object) -> str:
    """Any label as one printable line.

    >>> plain("a\\nb"), plain(None), plain(True)
    ('a b', '', 'True')
    """
    return "" if text is None else " ".join(one_line(str(text)).split())


def shorten(text: object, columns: int) -> str:
    """A label cut to `columns` columns with an ellipsis."""
    return clip(plain(text), columns)


def fold(text: object, columns: int, lines: int = 2) -> list[str]:
    """A label over at most `lines` lines of `columns` columns, cut in the middle of the last where even that is
    too little.

    Breaks at spaces, else after _ - / . : and such, else anywhere.

    >>> fold("gradient boosting on counts", 16)
    ['gradient', 'boosting… counts']
    >>> fold("xgb_depth6_lr0.01_v2", 14)
    ['xgb_depth6_', 'lr0.01_v2']
    """
    rest = unbroken(plain(text))
    folded: list[str] = []
    while rest and len(folded) < lines - 1 and width(rest) > columns:
        cut = _break_place(rest, columns)
        folded.append(rest[:cut].rstrip(" "))
        rest = rest[cut:].lstrip(" ")
    folded += [clip(rest, columns)] if rest or not folded else []
    return [line.replace("\u00a0", " ") for line in folded]


def first_sentence(text: object) -> str:
    """What a picture says of a verdict of several sentences.

    >>> first_sentence("a is better: 0.95 against 0.9, 95 % CI +0.1 to +9.4. The rest is elsewhere.")
    'a is better: 0.95 against 0.9, 95 % CI +0.1 to +9.4.'
    """
    return re.split(r"(?<=[.!?]) ", str(text), maxsplit=1)[0]


def fold_all(texts: Sequence[object], columns: int, lines: int = 2) -> list[list[str]]:
    """Each label folded; those that would look alike are first cut to their differing parts.

    >>> fold_all(["a model of depth 1 and so on and on", "a model of depth 2 and so on and on"], 10)
    [['depth 1'], ['depth 2']]
    """
    folded = [fold(text, columns, lines) for text in texts]
    names = [plain(text) for text in texts]
    if len({"\n".join(f) for f in folded}) == len(set(names)):
        return folded
    # Breaking at spaces wastes some of each line: as much is used as need not be cut again.
    for used in range(lines * columns, columns - 1, -1):
        short = short_names(names, used)
        folded = [fold(name, columns, lines) for name in short]
        if all("".join(f).count("…") <= name.count("…") for f, name in zip(folded, short, strict=True)):
            break
    return folded


def _break_place(text: str, columns: int) -> int:
    used = 0
    space = mark = 0
    for i, c in enumerate(text):
        used += width(c)
        if used > columns:
            # A break in the first third would waste the line: better in the middle of a word.
            return next((place for place in (space, mark) if place > columns // 3), max(i, 1))
        if c == " ":
            space = i + 1
        elif c in "_-/.:,;|+=@#)]}" and not (c in "-+.," and text[i + 1 : i + 2].isdigit()):
            mark = i + 1
    return len(text)


def distinct(names: Iterable[object], columns: int = 60) -> list[str]:
    """Short names, cut so that they stay different, and numbered where the user made them equal.

    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    >>> distinct(["a very long name 1 for a model", "a very long name 2 for a model"], 16)
    ['name 1', 'name 2']
    """
    seen: set[str] = set()
    out = []
    for short in short_names([plain(name) or "(no name)" for name in names], columns):
        candidate, count = short, 1
        while candidate in seen:
            count += 1
            mark = f" ({count})"
            candidate = clip(short, columns - len(mark)) + mark
        seen.add(candidate)
        out.append(candidate)
    return out


def columns_needed(texts: Iterable[str | Sequence[str]]) -> int:
    """The width of the widest line, in columns."""
    lines = (line for text in texts for line in ([text] if isinstance(text, str) else text))
    return max((width(line) for line in lines), default=0)
