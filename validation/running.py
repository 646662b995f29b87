"""Run cells on some cores, keep what is done, go on where a run was stopped.

All cells are taken to 500 samples, then those that are not decided to 1,000, and so on: a run that is stopped has seen
every family, and time goes where it is still open whether a claim holds.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from functools import lru_cache, partial

from threadpoolctl import threadpool_limits

from validation import (
    apart,
    bayes_cells,
    calibration_cells,
    claims,
    class_areas,
    clustered_scores,
    count_metrics,
    curve_points,
    dependent,
    differences,
    exchangeable,
    familywise,
    forecasts,
    further_counts,
    gaps,
    graded_cells,
    learners,
    looking,
    many_sets,
    margins,
    paired_scores,
    paired_tests,
    peers,
    proportions,
    raters,
    scores,
    studies,
    unseen_rows,
    variants,
    verdicts,
)
from validation.frame import CONFIDENCES, ESTABLISHED, ROUNDS, Cell, Exact, Line, added, blocks, run_block, settled
from validation.storing import Store, probed

FAMILIES: tuple[Callable[..., Iterator[Cell | Exact]], ...] = (
    proportions.cells,
    differences.cells,
    margins.cells,
    looking.cells,
    count_metrics.cells,
    scores.cells,
    familywise.cells,
    gaps.cells,
    many_sets.cells,
    bayes_cells.cells,
    learners.cells,
    dependent.cells,
    exchangeable.cells,
    forecasts.cells,
    variants.cells,
    paired_tests.cells,
    paired_scores.cells,
    class_areas.cells,
    apart.cells,
    clustered_scores.cells,
    verdicts.cells,
    curve_points.cells,
    calibration_cells.cells,
    further_counts.cells,
    peers.cells,
    studies.cells,
    unseen_rows.cells,
    graded_cells.cells,
    raters.cells,
    claims.cells,
)
QUICK = 1_000


@lru_cache(maxsize=2)
def registry(*, quick: bool) -> dict[str, Cell | Exact]:
    """All parts by name; a quick run looks at 95 % alone."""
    found: dict[str, Cell | Exact] = {}
    for family in FAMILIES:
        for unit in family(quick=quick):
            if unit.key in found:
                raise ValueError(f"two cells are named {unit.key!r}")
            if isinstance(unit, Cell) and len({p.name for p in unit.procedures}) < len(unit.procedures):
                raise ValueError(f"two procedures of {unit.key!r} have one name, and would be counted as one")
            simulated = quick and isinstance(unit, Cell)
            found[unit.key] = replace(unit, confidences=CONFIDENCES[:1]) if simulated else unit
    return found


def work(key: str, quick: bool, samples: int, stop_at: float, *, whole: bool = False) -> str:
    """Take one part to so many samples, or all of them where it is whole, unless it is decided or time is over."""
    if time.time() >= stop_at:
        return key
    # One process a core: threads inside them would only wait for each other.
    threadpool_limits(1)
    unit, store = registry(quick=quick)[key], Store(quick)
    if isinstance(unit, Exact):
        if store.exact(unit) is None:
            store.keep_exact(unit, list(unit.make()))
        return key
    if quick and not whole:
        samples = math.ceil(QUICK * unit.effort * min(1.0, unit.wanted / 10_000))
    due = blocks(unit, samples if whole or quick else min(samples, unit.wanted))
    done, counts = store.counts(unit)
    if done < due and (whole or quick or not done or not settled(unit, counts)):
        now = probed(unit)
        while done < due and time.time() < stop_at:
            more = run_block(unit, done)
            counts = added(counts, more) if counts else more
            done += 1
            store.keep_counts(unit, done, counts, now)
    return key


def run(
    *,
    quick: bool,
    replications: int | None = None,
    word: str = "",
    jobs: int | None = None,
    minutes: float = math.inf,
    told: Callable[[str, int, int], None] | None = None,
) -> list[Line]:
    """The lines of all cells whose name holds the word; `told` hears of what is done, and of how much there is."""
    units = {key: unit for key, unit in registry(quick=quick).items() if word in key}
    stop_at = time.time() + 60 * minutes
    store = Store(quick)
    # Cells of which nothing is known come first.
    order = sorted(units, key=lambda key: (store.knows(units[key]), units[key].rank))
    rounds = (replications,) if replications else (QUICK,) if quick else (*ROUNDS, ESTABLISHED)
    asked = [(key, quick, samples, stop_at) for samples in rounds for key in order]
    doing = partial(work, whole=replications is not None)

    def tell(name: str, done: int) -> None:
        if told is not None:
            told(name, done, len(asked))

    workers = jobs or os.cpu_count() or 1
    if workers == 1:
        for done, arguments in enumerate(asked, 1):
            tell(doing(*arguments), done)
    else:
        with ProcessPoolExecutor(workers) as pool:
            waiting = [pool.submit(doing, *arguments) for arguments in asked]
            for done, future in enumerate(as_completed(waiting), 1):
                tell(future.result(), done)
    return [line for unit in units.values() for line in store.lines(unit)]
