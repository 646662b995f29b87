"""Bias and variance as pictures: parts of the error, and estimators around the truth."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import Any

from trueerror.plots.forests import interval_row, make_panel
from trueerror.plots.labels import plain, shorten
from trueerror.plots.pictures import Forest, ForestRow
from trueerror.results.words import number, percent, whole

PARTS = (("error", "expected error"), ("noise", "noise"), ("bias", "bias"), ("variance", "variance"))
OWN = (("training", "on training rows"), ("held_out", "on held-out rows"), ("optimism", "optimism"))


def bias_picture(found: Any) -> Forest:
    """For each learner the error and its parts, then training and held-out error with the optimism."""
    panels = []
    for parts in found.learners:
        rows = [interval_row(word, getattr(parts, field)) for field, word in (*PARTS, *OWN)]
        heading = shorten(parts.learner, 60)
        panels.append(make_panel(rows, axis="", heading=heading, references=((0.0, ""),)))
    # One scale for all learners, so that they can be compared by eye.
    low, high = min(p.domain[0] for p in panels), max(p.domain[1] for p in panels)

    verdict = [part for line in found.verdict.split("\n") for part in textwrap.wrap(plain(line), 110)][:8]
    sets = f"{whole(found.rounds)} training sets of {whole(found.size)} rows, {found.drawn}"
    return Forest(
        title="Where the error comes from",
        subtitle=(*verdict, f"{sets}; {percent(found.confidence)} intervals; {found.method}"),
        panels=tuple(replace(p, domain=(low, high)) for p in panels),
    )


def laboratory_picture(lab: Any) -> Forest:
    """Each estimator's mean over the samples, ± its standard deviation, with the samples as dots around the truth."""
    rows = [
        ForestRow(
            label=q.estimator,
            estimate=q.mean,
            low=max(0.0, q.mean - q.sd),
            high=min(1.0, q.mean + q.sd),
            words=f"bias {_signed(q.bias.estimate)} · sd {number(q.sd)} · √MSE {number(q.rmse)}",
            tip=plain(str(q.bias)),
            points=tuple(lab.values[q.estimator]),
        )
        for q in lab.estimators
    ]
    panel = make_panel(
        rows, axis="estimated error", references=((lab.truth.estimate, f"true error {number(lab.truth.estimate)}"),),
        within=(0.0, 1.0),
    )  # fmt: skip
    return Forest(
        title=f"Estimates of the error of {shorten(lab.learner, 40)}",
        subtitle=(
            *textwrap.wrap(plain(lab.verdict), 110),
            f"{whole(lab.runs)} samples of {whole(lab.n)} rows, a dot each; squares: mean ± standard deviation",
        ),
        panels=(panel,),
    )


def _signed(x: float) -> str:
    return ("+" if x > 0 else "") + number(x).replace("-", "−")
