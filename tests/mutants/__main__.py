"""`python -m tests.mutants --mutants 300 --seed 0`: small changes of the statistics, which the tests must notice.

A mutant changes one comparison, sum, product, sign, number, condition or call (min for max, cdf for sf) of a module of
a room that counts (`FOLDERS`). Which tests run which block of statements is found once and kept in build/; a
mutant meets those that run its block, fastest first, for some seconds. One that none of them notices survives: a test
is missing there, or the change makes no difference. Places are drawn by a seed, which is kept with the score and the
survivors in validation/MUTANTS.json.
"""

from __future__ import annotations

import argparse
import ast
import fcntl
import functools
import hashlib
import json
import math
import os
import random
import struct
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.mutants.runner import (
    FOLDERS,
    MODULES,
    PACKAGE,
    RAN,
    ROOT,
    SPACE,
    Loop,
    Marked,
    Say,
    begin,
    collected,
    in_a_child,
    put_in_place,
    side_by_side,
)  # fmt: skip
from tests.mutants.sites import Walk, sites

KEPT = ROOT / "validation" / "MUTANTS.json"
MAP = ROOT / "build" / "mutants"
# What compares figures in the process itself, and is no long run; figures of all verbs are in golden.
TESTS = (*(f"tests/{name}" for name in (
    "golden", "reference", "metrics", "tallies", "inference", "people", "verbs", "curves", "findings", "sources")),
    *(f"src/trueerror/{name}" for name in FOLDERS))  # fmt: skip
Seen = dict[str, tuple[float, set[int]]]
Site = tuple[Path, int, int, int, str]


def map_of(files: list[str], jobs: int, seconds: float = 1200) -> Seen:
    """For each test that passes its seconds and the blocks that it runs.

    A file is not run again while its own text and the blocks of the modules that it runs are what they were: a change
    within a block may send a test another way, and then a mutant meets a test too few.
    """
    places = {f: MAP / f"{hashlib.sha256(f.encode() + text_of(f)).hexdigest()[:24]}.json" for f in files}
    shape = [[str(m.relative_to(PACKAGE)), len(Walk(ast.parse(m.read_text("utf-8"))).blocks)] for m in MODULES]
    new = {f: place for f, place in places.items() if not (place.exists() and held(place, shape))}
    if new:
        MAP.mkdir(parents=True, exist_ok=True)
        in_a_child(lambda _: look(new, shape, jobs, seconds), 1e9)
    found = [held(place, shape) or {} for place in places.values() if place.exists()]
    return {t: (s, set(ran)) for one in found for t, (s, ran) in one.items()}


def held(place: Path, shape: list[list[Any]]) -> dict[str, Any] | None:
    """What a file of the map says in the numbers of today's modules; None where a module that it ran has changed."""
    kept = json.loads(place.read_text(encoding="utf-8"))
    number = {i: shape.index(one) if one in shape else None for i, one in enumerate(kept["shape"])}
    used = {block // SPACE - 1 for _, ran in kept["tests"].values() for block in ran}
    if any(number[i] is None for i in used):
        return None
    moved = {i: SPACE * (n - i) for i, n in number.items() if n is not None}
    return {t: (s, [block + moved[block // SPACE - 1] for block in ran]) for t, (s, ran) in kept["tests"].items()}


def text_of(file: str) -> bytes:
    """What a test file and what lies beside it say."""
    around = sorted((ROOT / file).parent.rglob("*.json")) if "golden" in file else []
    return b"".join(path.read_bytes() for path in [ROOT / file, *around])


def in_turn(many: int) -> Iterator[int]:
    """Numbers below so many, each to one of the processes that draw them."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 1 << 18)
    os.write(writing, b"".join(struct.pack("i", number) for number in range(many)))
    os.close(writing)
    return (struct.unpack("i", more)[0] for more in iter(lambda: os.read(reading, 4), b""))


def look(new: dict[str, Path], shape: list[list[Any]], jobs: int, limit: float) -> None:
    """Run the tests of each file in children, some at a time, and keep what they run."""
    begin()

    def work(loop: Loop) -> None:
        by_file: dict[str, list[str]] = {f: [] for f in new}
        for name, item in loop.items.items():
            # Long runs would be the last to meet a mutant, and what runs elsewhere does not meet it.
            marks = {m.name for m in item.iter_markers()} - ({"slow"} if "golden" in name else set())
            if not marks & {"browser", "spark", "slow"}:
                by_file[str(item.path.relative_to(ROOT))].append(name)
        some = [(f, names[i : i + 40]) for f, names in by_file.items() for i in range(0, len(names), 40)]
        turns = in_turn(len(some))
        found: dict[str, dict[str, Any]] = {f: {} for f in new}

        def one(say: Say) -> None:
            for file, names in (some[turn] for turn in turns):

                def run(tell: Say, names: list[str] = names) -> None:
                    RAN.clear()
                    for name, took, failed in loop.run(names):
                        tell([name, took, failed, sorted(RAN)])
                        RAN.clear()

                said, _ = in_a_child(run, limit)
                say([file, {t: (s, ran) for t, s, failed, ran in said if not failed}])

        def heard(value: Any) -> None:
            found[value[0]] |= value[1]

        side_by_side([one] * jobs, 1e9, heard)
        for file, place in new.items():
            place.write_text(json.dumps({"shape": shape, "tests": found[file]}), encoding="utf-8")

    collected(list(new), work, partly=True)


def tests_for(site: Site, seen: Seen, seconds: float) -> list[str]:
    """The tests that run the block, fastest first; of what is run at import those that run the module."""
    first = SPACE * (MODULES.index(site[0]) + 1)
    block = first + site[3]
    if site[3]:
        found = [(s, t) for t, (s, ran) in seen.items() if block in ran]
    else:
        found = [(s, t) for t, (s, ran) in seen.items() if any(first < one < first + SPACE for one in ran)]
    names, total = [], 0.0
    for s, t in sorted(found):
        total += s
        if total > seconds and names:
            break
        names.append(t)
    return names


def noticed_by(site: Site, names: list[str], seen: Seen, child: Callable[..., Any]) -> str:
    """The test that noticed the mutant; "" where none did."""
    if not names:
        return ""
    said, timely = in_a_child(lambda say: child(site, names, say), 60 + 20 * sum(seen[t][0] for t in names))
    if not timely:
        return "time-out"
    if not said:
        return "the process died"
    return said[0] if isinstance(said[0], str) else ""


def afresh(site: Site, names: list[str], say: Say) -> None:
    """In a process that has not imported the library: the mutant is what it imports."""
    Marked.mutant = site[0], site[1]
    try:
        collected(sorted({t.split("::")[0] for t in names}), lambda loop: loop.first_failure(names, say))
    except Exception as error:  # noqa: BLE001 - whatever it is, it was noticed
        say(f"{type(error).__name__} at import")
    except SystemExit:
        say("collecting")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=300, metavar="N", help="how many mutants are drawn (300)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="by which seed (0)")
    parser.add_argument("--seconds", type=float, default=20.0, metavar="S", help="of tests that a mutant meets (20)")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="processes (1)")
    parser.add_argument("--kept", type=Path, default=KEPT, metavar="FILE", help="where the score is kept")
    parser.add_argument("--only", default="", metavar="TEXT", help="mutants of places that hold this text alone")
    parser.add_argument("--again", type=Path, metavar="FILE", help="the survivors that a file of scores lists")
    asked = parser.parse_args()
    every = [(m, i, *found) for m in MODULES for i, found in enumerate(sites(m.read_text("utf-8")))]
    drawn = random.Random(asked.seed).sample(every, min(asked.mutants, len(every)))
    if asked.again:
        before = set(json.loads(asked.again.read_text(encoding="utf-8"))["survivors"])
        drawn = [site for site in every if place_of(site) in before]
    drawn = [site for site in drawn if asked.only in place_of(site)]
    import duckdb  # noqa: F401 - what the tests import from elsewhere, once for all children
    import hypothesis  # noqa: F401
    import pandas  # noqa: F401
    import polars  # noqa: F401
    import scipy.stats  # noqa: F401
    import sklearn.metrics  # noqa: F401

    files = [
        str(f.relative_to(ROOT))
        for name in TESTS
        for f in sorted((ROOT / name).rglob("*.py" if name.startswith("src") else "test_*.py"))
        if not name.startswith("src") or ">>>" in f.read_text(encoding="utf-8")
    ]
    seen = map_of(files, asked.jobs)
    print(f"{len(seen):,} tests, {sum(s for s, _ in seen.values()):.0f} s", flush=True)
    begin()
    started, noticed = time.perf_counter(), {}

    def judge(some: list[Site], child: Callable[..., Any], sound: Callable[[str], bool]) -> None:
        """Each of some mutants by one of the processes."""
        turns = in_turn(len(some))

        def one(say: Say) -> None:
            for turn in turns:
                names = tests_for(some[turn], seen, asked.seconds)
                while (by := noticed_by(some[turn], names, seen, child)) in seen and not sound(by):
                    del seen[by], names[names.index(by)]
                say([turn, by])

        def heard(value: Any) -> None:
            turn, by = value
            noticed[some[turn]] = by
            spent = time.perf_counter() - started
            sys.__stderr__.write(
                f"{len(noticed)}/{len(drawn)} {spent:.0f} s {place_of(some[turn])}: {by or 'SURVIVED'}\n"
            )
            if not (asked.only or asked.again):
                keep(asked, noticed, len(every), len(seen), spent)

        side_by_side([one] * asked.jobs, 1e9, heard)

    judge([s for s in drawn if not s[3]], afresh, lambda test: True)

    def within(loop: Loop) -> None:
        def child(site: Site, names: list[str], say: Say) -> None:
            put_in_place(site[0], site[1])
            loop.first_failure(names, say)

        @functools.cache
        def sound(test: str) -> bool:
            """Whether a test passes without a mutant: the map may be older than a change that broke it."""
            said, _ = in_a_child(lambda say: loop.first_failure([test], say), 600)
            return said == [[]]

        judge([s for s in drawn if s[3]], child, sound)

    needed = sorted({t.split("::")[0] for s in drawn if s[3] for t in tests_for(s, seen, asked.seconds)})
    if needed:
        collected(needed, within)
    killed = sum(map(bool, noticed.values()))
    low, high = wilson(killed, len(noticed))
    score = killed / max(len(noticed), 1)
    print(f"{killed} of {len(noticed)} mutants noticed ({score:.1%}, 95 % interval {low:.1%} to {high:.1%}), "
          f"of {len(every):,} places; seed {asked.seed}")  # fmt: skip
    return 0 if score >= 0.85 else 1


def wilson(killed: int, n: int) -> tuple[float, float]:
    """Wilson's interval of 95 %: the mutants are a random sample of all places."""
    z2 = 1.959964**2
    middle, half = killed + z2 / 2, math.sqrt(z2 * killed * (n - killed) / max(n, 1) + z2 * z2 / 4)
    return (middle - half) / (n + z2), (middle + half) / (n + z2)


def keep(asked: argparse.Namespace, noticed: dict[Site, str], places: int, tests: int, spent: float) -> None:
    """What is known so far: a run that is cut short has judged a part of what was drawn."""
    killed = sum(map(bool, noticed.values()))
    rooms = sorted({site[0].relative_to(PACKAGE).parts[0] for site in noticed})
    by_room = {room: [bool(by) for site, by in noticed.items() if room in site[0].parts] for room in rooms}
    asked.kept.write_text(json.dumps({
        "command": f"python -m tests.mutants --mutants {asked.mutants} --seed {asked.seed} --seconds {asked.seconds:g}",
        "places": places, "mutants": len(noticed), "killed": killed, "score": round(killed / len(noticed), 3),
        "interval": [round(limit, 3) for limit in wilson(killed, len(noticed))],
        "rooms": {room: f"{sum(some)} of {len(some)}" for room, some in by_room.items()},
        "tests": tests, "seconds": round(spent), "survivors": [place_of(s) for s, by in noticed.items() if not by],
    }, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")  # fmt: skip


def place_of(site: Site) -> str:
    return f"{site[0].relative_to(PACKAGE)}:{site[2]}: {site[4]}"


if __name__ == "__main__":
    sys.exit(main())
