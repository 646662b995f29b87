"""Losses that are infinite: a model gave probability 0 to what happened, so its mean loss has no limits to compare."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.labels import Codes
from trueerror.metrics.registry import Measure
from trueerror.results import Alternative, Contrast, Interval
from trueerror.results.tables import one_line
from trueerror.results.words import listing, whole
from trueerror.rows.predictions import Predictions
from trueerror.significance.contrasts import contrast

ADVICE = 'Compare by the Brier score, or in Python set a highest loss with options={"clip": 1e-15}'


def infinite_rows(p: Predictions, model: str, measure: Measure, options: Mapping[str, Any]) -> int:
    """On how many rows the model's loss is infinite."""

    def infinite(codes: Codes, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.isinf(measure.function(codes, probabilities, **options)), dtype=np.float64)

    found = p.source.moments(model, infinite)
    return round(found.n * found.mean)


def infinite_facts(
    given: Mapping[str, tuple[Predictions, str]],
    measure: Measure,
    options: Mapping[str, Any],
    estimates: Mapping[str, Interval],
    contrasts: Iterable[Contrast],
) -> dict[str, dict[str, int]]:
    """Models whose own loss is infinite and so are differences from it, with the number of rows that make it so."""
    apart = {m for c in contrasts if not math.isfinite(c.estimate) for m in (c.first, c.second)}
    wanted = [m for m, own in estimates.items() if m in apart and math.isinf(own.estimate)]
    found = {m: infinite_rows(*given[m], measure, options) for m in wanted}
    return {"infinite": found} if found else {}


def certain_and_wrong(rows: Mapping[str, int]) -> str:
    """Who was certain and wrong, and on how many rows.

    >>> certain_and_wrong({"gamma": 3})
    'gamma was certain and wrong on 3 rows (it gave probability 0 to what happened)'
    >>> certain_and_wrong({"beta": 1, "gamma": 3})
    'beta was certain and wrong on 1 row and gamma on 3 (they gave probability 0 to what happened)'
    """
    parts = []
    for i, (model, k) in enumerate(rows.items()):
        unit = f" row{'' if k == 1 else 's'}" if i == 0 else ""
        parts.append(f"{one_line(model)} {'was certain and wrong on' if i == 0 else 'on'} {whole(k)}{unit}")
    who = "it" if len(rows) == 1 else "they"
    return f"{listing(parts)} ({who} gave probability 0 to what happened)"


def infinite_contrast(
    estimate: float,
    rows: Mapping[str, int],
    measure: Measure,
    *,
    confidence: float,
    alternative: Alternative,
    method: str,
    n: float,
) -> Contrast:
    """First − second where either loss is infinite: no limits, no p-value, and why."""
    whose = "its" if len(rows) == 1 else "their"
    why = (
        f"{certain_and_wrong(rows)}, so {whose} {measure.title} is infinite, without interval or p-value; the Brier "
        "score has both, and so has a loss with a clip"
    )
    return contrast(
        estimate=estimate, limits=(math.nan, math.nan), whole=(-math.inf, math.inf), confidence=confidence,
        alternative=alternative, method=method, p_value=math.nan, statistic=math.nan, n=n, notes=(why,),
    )  # fmt: skip


def infinite_words(rows: Mapping[str, int], title: str) -> str:
    """What a verdict says of the models whose loss is infinite."""
    whose = "its" if len(rows) == 1 else "their"
    return (
        f"{certain_and_wrong(rows)}, so {whose} {title} is infinite, and differences from it have no interval and no "
        f"p-value. {ADVICE}."
    )
