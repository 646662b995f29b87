"""Names in little room: one line, counted in columns, cut so that different names stay different."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

ELLIPSIS = "…"


def one_line(text: str) -> str:
    """User text without control characters, so that it cannot break a terminal or a table."""
    return "".join(c if c.isprintable() else " " for c in text)


def width(text: str) -> int:
    """How many columns a terminal gives this text: wide characters count two, combining marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def clip(text: str, room: int) -> str:
    """Text cut to `room` columns in the middle, since long names often differ at their ends.

    >>> clip("resnet50_frozen_layers", 12)
    'resnet…ayers'
    """
    if width(text) <= room:
        return text
    front = _front(text, room // 2)
    return f"{front}{ELLIPSIS}{_back(text, room - 1 - width(front))}"


def short_names(names: Sequence[str], room: int) -> list[str]:
    """Each name in at most `room` columns, equal only where the names are.

    Where cutting the middle would make several alike, what they share at both ends is cut instead; where even that is
    too little room, they are numbered by their place.

    >>> short_names(["gbm, depth=1, tuned well", "gbm, depth=2, tuned well", "forest"], 14)
    ['gbm, depth=1…', 'gbm, depth=2…', 'forest']
    >>> short_names(["an ox that eats a pear at dawn", "an ox who ate no apple at dawn"], 10)
    ['#1 an …awn', '#2 an …awn']
    """
    different = list(dict.fromkeys(names))
    shown = {name: clip(name, room) for name in different}
    for twins in _alike(shown):
        shown.update(zip(twins, _without_shared_ends(twins, room), strict=True))
    numbers = {name: f"#{i + 1} " for i, name in enumerate(different)}
    # A second round only where a name looks like the number of another: then all are numbered.
    for again in (False, True):
        for name in different if again else [name for twins in _alike(shown) for name in twins]:
            shown[name] = numbers[name] + clip(name, room - len(numbers[name]))
        if not _alike(shown):
            break
    return [shown[name] for name in names]


def is_numbered(name: str, shown: str) -> bool:
    """Whether `short_names` could only number this name, so that it needs a key."""
    return name != shown and shown.startswith("#")


def _alike(shown: dict[str, str]) -> list[list[str]]:
    """The different names that are shown alike."""
    groups: dict[str, list[str]] = {}
    for name, short in shown.items():
        groups.setdefault(short, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _without_shared_ends(names: list[str], room: int) -> list[str]:
    """The part in which names differ, with as much around it as there is room for."""
    for whole_words in (True, False):
        front = _shared_front(names, whole_words)
        back = _shared_front([name[len(front) :][::-1] for name in names], whole_words)[::-1]
        own = [name[len(front) : len(name) - len(back)] for name in names]
        longest = max(width(x) for x in own)
        if longest + bool(front) + bool(back) <= room:
            left = _ending(front, room - longest - bool(back))
            right = _beginning(back, room - longest - width(left))
            return [f"{left}{x}{right}" for x in own]
    return [clip(name, room) for name in names]


def _shared_front(names: list[str], whole_words: bool) -> str:
    # What the first and the last in sorted order share, all between them share too.
    first, last = min(names), max(names)
    shared = first[: next((i for i in range(len(first)) if not last.startswith(first[: i + 1])), len(first))]
    if not whole_words or not any(len(n) > len(shared) and _in_word(n[len(shared)]) for n in names):
        return shared
    # "depth=1" and "depth=16" differ in the whole number, "0.05" and "0.01" too.
    while shared and _in_word(shared[-1]):
        shared = shared[:-1]
    return shared


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "."


def _ending(text: str, room: int) -> str:
    """The last word of a text, before it as much of its beginning as there is room for."""
    if width(text) <= room:
        return text
    start = text.rstrip().rfind(" ") + 1
    word = _back(text[start:], room - 1)
    left = room - 1 - width(word)
    return (_front(text, left).rstrip(" ,;") if left > 2 else "") + ELLIPSIS + word


def _beginning(text: str, room: int) -> str:
    return text if width(text) <= room else _front(text, room - 1).rstrip(" ,;") + ELLIPSIS


def _front(text: str, room: int) -> str:
    kept = ""
    for c in text:
        if width(kept + c) > room:
            break
        kept += c
    return kept


def _back(text: str, room: int) -> str:
    kept = ""
    for c in reversed(text):
        if width(c + kept) > room:
            break
        kept = c + kept
    return kept
