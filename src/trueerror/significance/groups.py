"""Who cannot be told apart from whom: the tiers of a comparison."""

from __future__ import annotations

from collections.abc import Sequence


def groups_not_told_apart(order: Sequence[str], apart: set[frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """The largest sets in which no two members were told apart, in the order of their best members.

    These are the maximal cliques of the graph of pairs that were not told apart (Bron and Kerbosch 1973, with a
    pivot); with a critical difference they are the stretches of the rank line that it spans.

    >>> groups_not_told_apart(["a", "b", "c"], {frozenset("ac")})
    (('a', 'b'), ('b', 'c'))
    """
    place = {name: i for i, name in enumerate(order)}
    near = {a: {b for b in order if b != a and frozenset((a, b)) not in apart} for a in order}
    found: list[tuple[str, ...]] = []

    def grow(group: set[str], candidates: set[str], done: set[str]) -> None:
        if not candidates and not done:
            found.append(tuple(sorted(group, key=place.__getitem__)))
            return
        pivot = max(candidates | done, key=lambda name: (len(near[name] & candidates), -place[name]))
        for name in sorted(candidates - near[pivot], key=place.__getitem__):
            grow(group | {name}, candidates & near[name], done & near[name])
            candidates = candidates - {name}
            done = done | {name}

    grow(set(), set(order), set())
    return tuple(sorted(found, key=lambda group: [place[name] for name in group]))
