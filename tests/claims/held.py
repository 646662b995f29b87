"""A few hundred samples of a cell against its claims; `python -m tests.claims.held` lists what does not hold yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from validation.claimed import Verdict, aggregates, run, verdicts
from validation.claims import FAMILIES, Claim
from validation.frame import Line

SAMPLES = 300
# Claims that do not hold yet: cell, metric and what, with a tab between.
NOT_YET = Path(__file__).with_name("not_yet.txt")
Family = Callable[[], Iterator[Claim]]


def held(family: Family) -> list[Claim]:
    """The cells of a family that the tests hold."""
    return [c for c in family() if c.quick]


@cache
def _lines(key: str, family: Family) -> tuple[Claim, list[Line]]:
    (claim,) = (c for c in family() if c.key == key)
    return claim, run(claim, SAMPLES)


def _name(v: Verdict) -> str:
    return "\t".join((v.cell, v.metric, v.what))


def _known() -> set[str]:
    return set(NOT_YET.read_text(encoding="utf-8").splitlines()) if NOT_YET.exists() else set()


def missed(key: str, family: Family) -> list[str]:
    """What fails of a cell beyond Monte Carlo error."""
    return [str(v) for v in verdicts(*_lines(key, family)) if v.fails and _name(v) not in _known()]


def missed_on_average(family: Family) -> list[str]:
    """The same of the means over a family's cells, as far as it has that many to speak of."""
    found = aggregates(_lines(c.key, family) for c in held(family))
    return [str(v) for v in found if v.fails and f"{family.__name__}\t{_name(v)}" not in _known()]


def main() -> None:
    """List what fails."""
    told = []
    for family in FAMILIES:
        cells = [_lines(c.key, family) for c in held(family)]
        told += [_name(v) for c in cells for v in verdicts(*c) if v.fails]
        told += [f"{family.__name__}\t{_name(v)}" for v in aggregates(cells) if v.fails]
    NOT_YET.write_text("".join(f"{line}\n" for line in told), encoding="utf-8")


if __name__ == "__main__":
    main()
