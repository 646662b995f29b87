"""The limits behind each check of a gate: two one-sided limits of a difference, or of the candidate itself."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inputs.errors import InputError
from trueerror.metrics.registry import Measure
from trueerror.rows.predictions import Predictions
from trueerror.significance.anytime import confidence_sequence
from trueerror.significance.margins import noninferiority
from trueerror.significance.paired import mcnemar_test
from trueerror.tallies import Discordance
from trueerror.verbs.bench import Bench
from trueerror.verbs.gate_result import GateCheck, decide
from trueerror.verbs.pairs import Pairs
from trueerror.verbs.separate import separate_contrast
from trueerror.verbs.settings import Settings

Model = tuple[Predictions, str]
Floats = NDArray[np.float64]
# The chance with which `rows_needed` rows decide, if the estimate is right.
POWER_Z = float(special.ndtri(0.8))
MOST_ROWS = 10**9
DRAWN = "the mid-p test does not exclude 0, so the limit is drawn to 0"
BY_CLUSTER = "each cluster counts as one, by its mean"


class Limits(NamedTuple):
    """An estimate between two one-sided limits. `unlike` is False where the two models never differed."""

    estimate: float
    low: float
    high: float
    method: str
    n: int
    note: str = ""
    unlike: bool = True


def difference_check(
    candidate: Model, baseline: Model, measure: Measure, settings: Settings, *, margin: float, level: float,
    sequential: bool,
) -> GateCheck:  # fmt: skip
    """Candidate − baseline against the margin; on the same rows when both come from the same predictions."""
    own = [Bench(m, settings, predictions=p).interval(measure.name) for p, m in (candidate, baseline)]
    undefined = next((i.note or "undefined" for i in own if math.isnan(i.estimate)), "")
    paired = candidate[0] is baseline[0]
    total = candidate[0].n if paired else candidate[0].n + baseline[0].n
    if undefined:
        found = Limits(math.nan, math.nan, math.nan, "", total, undefined)
    elif not paired:
        if sequential:
            raise InputError("a sequential gate needs both models on the same rows")
        c = separate_contrast(candidate, baseline, measure, _one_sided(settings, level), alternative="two-sided")
        found = Limits(c.estimate, c.low, c.high, c.method, total, c.note)
    else:
        engine = Pairs(candidate[0], measure, _one_sided(settings, level), method=None, alternative="two-sided")
        how = _watched if sequential else _same_rows
        found = how(engine, candidate[1], baseline[1], level)
    up = bool(measure.higher_is_better)
    bound = (-margin if up else margin) + 0.0
    return GateCheck(
        metric=measure.name, title=measure.title, kind="difference", candidate=own[0].estimate,
        decision=decide(found.low, found.high, bound, higher_is_better=up, strictly=True),
        baseline=own[1].estimate, estimate=found.estimate, low=found.low, high=found.high, confidence=level,
        margin=margin, higher_is_better=up, share=measure.share is not None, method=found.method, n=found.n,
        rows_needed=_rows_needed(found, bound, level, total), note=found.note,
    )  # fmt: skip


def threshold_check(
    candidate: Model, measure: Measure, settings: Settings, *, at_least: float, level: float, sequential: bool
) -> GateCheck:
    """The candidate's own limits against a number."""
    p, model = candidate
    own = Bench(model, _one_sided(settings, level), predictions=p).interval(measure.name)
    if math.isnan(own.estimate):
        found = Limits(math.nan, math.nan, math.nan, "", p.n, own.note or "undefined")
    elif sequential:
        found = _watched_share(p, model, measure, settings, level)
    else:
        found = Limits(own.estimate, own.low, own.high, own.method, int(own.n or p.n), own.note)
    up = bool(measure.higher_is_better)
    return GateCheck(
        metric=measure.name, title=measure.title, kind="threshold", candidate=own.estimate,
        decision=decide(found.low, found.high, at_least, higher_is_better=up, strictly=False),
        estimate=found.estimate, low=found.low, high=found.high, confidence=level, at_least=at_least,
        higher_is_better=up, share=measure.share is not None, method=found.method, n=found.n,
        rows_needed=_rows_needed(found, at_least, level, p.n), note=found.note,
    )  # fmt: skip


def _one_sided(settings: Settings, level: float) -> Settings:
    """Each end of a two-sided interval at 2·level − 1 is a one-sided limit at `level`."""
    return replace(settings, confidence=2 * level - 1)


def _same_rows(engine: Pairs, first: str, second: str, level: float) -> Limits:
    counts = _counts(engine, first, second)
    if counts is None:
        c = engine.contrast(first, second)
        return Limits(c.estimate, c.low, c.high, c.method, int(c.n or engine.p.n), c.note)
    b, c_, n = counts.only_first, counts.only_second, counts.n
    if n == 0:
        return Limits(math.nan, math.nan, math.nan, "tango-noninferiority", 0, "no rows: nothing is known")
    below = noninferiority(b, c_, n=n, margin=0.0, confidence=level)
    above = noninferiority(b, c_, n=n, margin=0.0, higher_is_better=False, confidence=level)
    low, high, note = below.low, above.high, ""
    # With few differing rows the score test rejects "no difference" too easily: both tests must.
    if low > 0 and mcnemar_test(b, c_, "mid-p", "greater")[1] > 1 - level:
        low, note = 0.0, DRAWN
    if high < 0 and mcnemar_test(b, c_, "mid-p", "less")[1] > 1 - level:
        high, note = 0.0, DRAWN
    return Limits(below.estimate, low, high, below.method, n, note, unlike=b + c_ > 0)


def _counts(engine: Pairs, first: str, second: str) -> Discordance | None:
    """Right and wrong row by row, where the metric is a share of rows and the rows do not depend on each other."""
    if engine.measure.needs not in ("binary", "classes") or engine.measure.share is None:
        return None
    if engine.p.has_key("clusters"):
        return None
    return engine.discordance(engine.p.agreement(first, second, threshold=engine.settings.threshold))


def _watched(engine: Pairs, first: str, second: str, level: float) -> Limits:
    """One-sided limits that hold at every look."""
    p, name = engine.p, engine.measure.name
    counts = _counts(engine, first, second)
    if counts is not None:
        if not counts.n:
            return Limits(math.nan, math.nan, math.nan, "betting-sequence", 0, "no rows: nothing is known")
        return _betting(counts.only_first, counts.only_second, counts.n, level)
    if p.has_key("clusters") and name in ("accuracy", "error_rate"):
        return _betting(*_cluster_means(engine, first, second), None, level)._replace(note=BY_CLUSTER)
    raise _not_watched(engine.measure, p)


def _betting(first: Any, second: Any, n: int | None, level: float) -> Limits:
    # Two one-sided sequences, not one two-sided: a two-sided e-value grows for a worse candidate too.
    below = confidence_sequence(first, second, n=n, confidence=level, alternative="greater")
    above = confidence_sequence(first, second, n=n, confidence=level, alternative="less")
    return Limits(below.estimate, below.low, above.high, below.method, int(below.n or 0))


def _cluster_means(engine: Pairs, first: str, second: str) -> tuple[Floats, Floats]:
    keyed = engine.p.keyed_agreement(first, second, "clusters", threshold=engine.settings.threshold)
    t = keyed.table
    right = [(calls == t.truth).astype(np.float64) for calls in (t.first, t.second)]
    if engine.measure.name == "error_rate":
        right = [1 - r for r in right]
    sizes = keyed.sizes
    there = sizes > 0  # of some clusters there may be no row that both answered
    one, two = (keyed.sums(r)[there] / sizes[there] for r in right)
    return one, two


def _watched_share(p: Predictions, model: str, measure: Measure, settings: Settings, level: float) -> Limits:
    """A share s is watched as 2s − 1: each row is a bet of +1 or −1."""
    if p.has_key("clusters"):
        if measure.name not in ("accuracy", "error_rate"):
            raise _not_watched(measure, p)
        keyed = p.keyed_agreement(model, model, "clusters", threshold=settings.threshold)
        there = keyed.sizes > 0
        right = keyed.sums((keyed.table.first == keyed.table.truth).astype(np.float64))
        means = right[there] / keyed.sizes[there]
        means = means if measure.name == "accuracy" else 1 - means
        found = _betting(means, 1 - means, None, level)._replace(note=BY_CLUSTER)
    elif measure.share is not None and measure.needs in ("binary", "classes"):
        table = p.confusion(model, threshold=settings.threshold)
        x, n = (
            round(float(v)) for v in measure.share(table.binary() if measure.needs == "binary" else table.classes())
        )
        found = _betting(x, n - x, n, level)
    else:
        raise _not_watched(measure, p)
    return found._replace(estimate=(1 + found.estimate) / 2, low=(1 + found.low) / 2, high=(1 + found.high) / 2)


def _not_watched(measure: Measure, p: Predictions) -> InputError:
    if p.has_key("clusters"):
        return InputError(f"a sequential gate over clusters takes accuracy or error_rate, not {measure.name}")
    return InputError(
        f"a sequential gate bets on rows that are right or wrong, and {measure.name} is not a share of fixed rows; "
        "take accuracy, error_rate, recall or specificity"
    )


def _rows_needed(found: Limits, bound: float, level: float, total: int) -> int | None:
    """Rows at which the limit nearer to the bound clears it in 4 of 5 cases, if the estimate is right.

    The limits' half-width shrinks as 1/√n: n·((z_α + z_β)·(half-width/z_α)/gap)². Two models that never differ have
    limits ±z²/(n + z²) instead, which are within the margin m from z²(1 − m)/m rows on.
    """
    gap = abs(found.estimate - bound)
    if math.isnan(gap) or gap == 0 or not found.low <= bound <= found.high or not found.n:
        return None
    z = float(special.ndtri(level))
    if not found.unlike:
        rows = math.floor(z * z * (1 - gap) / gap) + 1.0
        exact = True
    else:
        half = (found.high - found.low) / 2
        times = (1 + POWER_Z / z) * half / gap
        rows = found.n * times * times
        exact = False
    # A metric of one class, or of clusters, counts fewer units than there are rows.
    rows *= total / found.n
    if not math.isfinite(rows) or rows > MOST_ROWS:
        return None
    whole = max(math.ceil(rows - 1e-9), total + 1)
    return whole if exact else max(_rounded_up(whole), total + 1)


def _rounded_up(n: int) -> int:
    """Two significant figures: more would be false precision."""
    step: int = 10 ** max(0, len(str(n)) - 2)
    return -(-n // step) * step
