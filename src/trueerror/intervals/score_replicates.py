"""The bootstrap of a score table: one multinomial draw over its (score, class) cells, neighbours grouped when many."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError
from trueerror.inputs.options import generator
from trueerror.intervals.resampled import FEWEST, MOST_LOST, lost_words
from trueerror.intervals.sampling import Design
from trueerror.intervals.terms import Terms
from trueerror.kernels import chosen
from trueerror.kernels.draws import seed_of
from trueerror.kernels.layout import rank_layout
from trueerror.metrics.priors import Prior, reweighted_scores
from trueerror.metrics.probabilities import mean_loss
from trueerror.metrics.registry import Measure
from trueerror.metrics.values import score_share
from trueerror.tallies.scores import ScoreTable
from trueerror.variances.bootstrap import BootstrapMethod, bootstrap_limits
from trueerror.variances.score_cells import drawn_tables, one_row_less, row_influences, table_cells

Floats = NDArray[np.float64]
# With more distinct scores neighbours are grouped for the replicates, which moves an area or a calibration error by
# far less than its standard error; the limits are moved by what grouping does to the estimate.
GROUPS = 1024
# Areas of ranks are resampled row by row, without grouping, while rows × resamples do not exceed this.
RANKED = ("auc", "gini", "average_precision")
VISITS = 2_000_000_000


def bootstrap_of_scores(
    measure: Measure,
    table: ScoreTable,
    estimate: float,
    method: str,
    terms: Terms,
    options: dict[str, Any],
    *,
    prior: Prior | None = None,
    design: Design = "random",
    rng: Any = None,
    replicates: int = 2_000,
) -> tuple[float, float, str, str]:
    """Limits, method and note; NaN limits with the reason where the replicates give none."""
    if replicates < FEWEST or replicates != int(replicates):
        raise InputError(f"replicates={replicates!r} must be a whole number of at least {FEWEST}; 2,000 is usual")
    if table.squares is not None:
        return math.nan, math.nan, method, "sampling weights were summed over rows, which cannot be resampled"
    draw, seed = generator(rng)
    small = grouped(table)
    cells = table_cells(small.positives, small.negatives)
    share = None if prior is None else score_share(prior, table)

    def evaluate(up: Any, down: Any) -> Floats:
        masses = (up, down) if share is None else reweighted_scores(small, share, (up, down))
        if measure.needs == "losses":
            return np.asarray(mean_loss(small, measure, masses, **options), dtype=np.float64)
        return np.asarray(measure.function(small, masses, **options), dtype=np.float64)

    by_rank = small is not table and prior is None and design == "random" and measure.name in RANKED
    with np.errstate(invalid="ignore", divide="ignore"):
        if by_rank and float(table.n) * replicates <= VISITS:
            values, centre = _rank_replicates(measure.name, table, draw, int(replicates)), estimate
        else:
            drawn = drawn_tables(cells, draw, int(replicates), by_class=design == "case-control")
            values = np.concatenate([evaluate(*pair) for pair in drawn])
            centre = float(evaluate(small.positives[None], small.negatives[None])[0])
        counts = cells[cells > 0] if method == "bootstrap-bca" else None
        influences = None if counts is None else row_influences(one_row_less(cells, evaluate), counts)
    known = np.isfinite(values)
    lost = 1 - float(known.mean())
    if lost > MOST_LOST:
        return math.nan, math.nan, method, lost_words(lost)
    values = values[known]
    if float(values.min()) == float(values.max()):
        return math.nan, math.nan, method, "the resamples have no spread"
    kind = cast(BootstrapMethod, method.removeprefix("bootstrap-"))
    low, high = bootstrap_limits(centre, values, tail=terms.tail, method=kind, influences=influences, counts=counts)
    move = estimate - centre
    low, high = min(low + move, estimate), max(high + move, estimate)
    return low, high, method, f"{int(replicates):,} resamples, {seed}"


def _rank_replicates(name: str, table: ScoreTable, draw: np.random.Generator, b: int) -> Floats:
    """Areas of resampled rows, without grouping and without sorting again: rows stay in score order."""
    layout = rank_layout(table.positives, table.negatives)
    kernels = chosen(layout.rows * b)
    areas, precisions = kernels.area_replicates(layout, seed_of(draw), 0, b, precision=name == "average_precision")
    return precisions if name == "average_precision" else 2 * areas - 1 if name == "gini" else areas


def grouped(table: ScoreTable, groups: int = GROUPS) -> ScoreTable:
    """The table with neighbouring scores joined at their mean, about as many rows in each group."""
    starts = group_starts(table, groups)
    return table if len(starts) == len(table.scores) else joined(table, starts)


def joined(table: ScoreTable, starts: NDArray[np.intp]) -> ScoreTable:
    """The scores from each start to the next as one, at their mean."""
    mass = (table.positives + table.negatives).astype(np.float64)
    up, down = np.add.reduceat(table.positives, starts), np.add.reduceat(table.negatives, starts)
    finite = np.isfinite(table.scores)
    sums = np.add.reduceat(mass * np.where(finite, table.scores, 0.0), starts)
    scores = sums / np.add.reduceat(mass, starts)
    # Infinite scores have no mean with others; the first score of the group stands for it then.
    if not finite.all() or not (np.diff(scores) > 0).all():
        scores = table.scores[starts]
    return ScoreTable(scores, up, down, positive=table.positive, exact=False)


def group_starts(table: ScoreTable, groups: int = GROUPS) -> NDArray[np.intp]:
    """Where each group of neighbouring scores begins; every score by itself while there are few."""
    if len(table.scores) <= groups:
        return np.arange(len(table.scores))
    mass = (table.positives + table.negatives).astype(np.float64)
    place = np.floor((np.cumsum(mass) - mass / 2) * groups / mass.sum())
    return np.flatnonzero(np.concatenate(([True], place[1:] > place[:-1])))
