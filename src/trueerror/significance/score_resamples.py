"""Replicates of the difference of a metric of scores: the same rows, or clusters, drawn again for both models.

Few rows are drawn one by one, in the order of their scores, so that no replicate sorts. Many rows are counted first,
neighbouring scores joined, and each cell is drawn as a whole (`score_cells`): replicates then cost the same for a
hundred million rows as for one million. What joining does to the spread is known to first order from the rows'
influences, and is taken back; the estimate is always that of all rows, unjoined.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.kernels.draws import row_weights
from trueerror.kernels.threads import in_threads
from trueerror.metrics.registry import Measure
from trueerror.significance.score_cells import DrawnCells, DrawnClusters, OrderedScores, joint_cells
from trueerror.tallies.scores import ScoreTable
from trueerror.variances.score_influences import ScoreInfluences, score_influences

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Codes = NDArray[np.signedinteger[Any]]
# Rows times replicates up to which every row is drawn by itself.
VISITS = 40_000_000
# Numbers held at a time; they should stay in the processor's cache.
BLOCK = 1 << 16
# By such a factor joining may change the standard error, which is taken back; beyond it rows are drawn one by one.
TRUSTED = 1.5
JOINED = "many rows: neighbouring scores drawn together"


class Replicates(NamedTuple):
    """The difference on the sample, in each replicate (NaN where it is undefined), and a word on how they were made."""

    estimate: float
    values: Floats
    note: str = ""


def paired_replicates(
    measure: Measure,
    up: Flags,
    first: Floats,
    second: Floats,
    *,
    draws: int,
    seed: int,
    clusters: Codes | None = None,
    options: Mapping[str, Any] | None = None,
) -> Replicates:
    """First − second in `draws` replicates; with `clusters` (codes from 0 up) whole clusters are drawn.

    >>> from trueerror.metrics.registry import find_measure
    >>> up = np.array([True, False] * 20)
    >>> made = paired_replicates(find_measure("average_precision"), up, up + 0.0, np.arange(40.0), draws=50, seed=1)
    >>> round(made.estimate, 3), len(made.values), made.note
    (0.5, 50, '')
    """
    columns = [np.asarray(s, dtype=np.float64) for s in (first, second)]
    apart = int(np.argmax(columns[0] != columns[1])) if len(up) else 0
    if len(up) and columns[0][apart] > columns[1][apart]:
        # One order of the two for both questions: exchanging the models turns every sign and changes nothing else.
        turned = paired_replicates(
            measure, up, second, first, draws=draws, seed=seed, clusters=clusters, options=options
        )  # fmt: skip
        return Replicates(-turned.estimate, -turned.values, turned.note)
    pair = _Pair(measure, up, columns, options)
    estimate = float(pair.differences([m.table for m in pair.models]))
    if len(up) * draws > VISITS:
        values = pair.by_cells(draws, seed, clusters, estimate)
        if values is not None:
            return Replicates(estimate, values, JOINED)
    return Replicates(estimate, pair.by_rows(draws, seed, clusters))


class _Pair:
    """Two models' scores on the same rows, and a metric of them."""

    def __init__(self, measure: Measure, up: Flags, columns: list[Floats], options: Mapping[str, Any] | None) -> None:
        self.measure, self.options, self.up = measure, dict(options or {}), up
        self.models = in_threads(lambda scores: OrderedScores(up, scores), columns)

    def differences(self, tables: Sequence[ScoreTable], masses: Sequence[Any] = (None, None)) -> Floats:
        """First − second, by the tables' own rows or by other masses (…, scores)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            one, two = (
                np.asarray(self.measure.function(t, m, **self.options), dtype=np.float64)
                for t, m in zip(tables, masses, strict=True)
            )
            return np.asarray(one - two)

    def influences(self, tables: Sequence[ScoreTable]) -> list[ScoreInfluences] | None:
        """How far a row at each score moves either model's metric; None where that is not known."""
        found = [score_influences(self.measure, t, self.options) for t in tables]
        known = [i for i in found if i is not None]
        return known if len(known) == len(found) else None

    def _spread(self, clusters: Codes | None) -> float | None:
        """Σ over the rows, or clusters, of their squared influence on the difference; None where that is not known."""
        moved = np.zeros(len(self.up))
        # One model after the other: the influences of ten million scores take as much memory as their table.
        for model, sign in zip(self.models, (1.0, -1.0), strict=True):
            found = score_influences(self.measure, model.table, self.options)
            if found is None:
                return None
            moved += sign * model.influences_at_rows(found)
        if clusters is not None:
            moved = np.bincount(clusters, weights=moved).astype(np.float64)
        return float((moved * moved).sum())

    def by_rows(self, draws: int, seed: int, clusters: Codes | None) -> Floats:
        """Every row drawn by itself, or as often as its cluster."""
        units = len(self.up) if clusters is None else int(clusters.max()) + 1
        tables = [m.table for m in self.models]
        step = max(1, BLOCK // max(1, len(self.up)))

        def several(start: int) -> Floats:
            weights = np.stack([row_weights(units, seed, b) for b in range(start, min(start + step, draws))])
            if clusters is not None:
                weights = weights.take(clusters, axis=-1)
            return self.differences(tables, [m.masses(weights) for m in self.models])

        return np.concatenate([np.empty(0), *in_threads(several, range(0, draws, step))])

    def by_cells(self, draws: int, seed: int, clusters: Codes | None, estimate: float) -> Floats | None:
        """Joined scores drawn as a whole; None where that would change too much, or by how much is not known."""
        before = self._spread(clusters)
        if before is None:
            return None
        drawn: DrawnCells | DrawnClusters
        if clusters is None:
            joint = joint_cells(self.up, self.models)
            drawn, tables = DrawnCells(joint, seed), list(joint.tables)
            coarse = self.influences(tables)
            after = math.nan if coarse is None else joint.spread(coarse)
        else:
            drawn = DrawnClusters(self.up, self.models, clusters, seed)
            tables = drawn.tables
            coarse = self.influences(tables)
            after = math.nan if coarse is None else drawn.spread(coarse)
        if before == after == 0:
            return np.full(draws, estimate)
        scale = math.sqrt(before / after) if after > 0 else math.nan
        if not 1 / TRUSTED <= scale <= TRUSTED:
            return None
        centre = float(self.differences(tables))

        def several(start: int) -> Floats:
            return self.differences(tables, drawn.masses(range(start, min(start + drawn.step, draws))))

        values = np.concatenate([np.empty(0), *in_threads(several, range(0, draws, drawn.step))])
        return np.asarray(estimate + (values - centre) * scale)
