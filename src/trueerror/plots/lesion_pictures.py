"""Lesion studies as pictures: what each part contributes, and the ROC curves of all variants."""

from __future__ import annotations

import math
import textwrap
from dataclasses import replace
from typing import Any, Literal

from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_word
from trueerror.metrics.registry import find_measure
from trueerror.plots.forests import MOST_ROWS, interval_row, make_panel, p_words
from trueerror.plots.labels import plain
from trueerror.plots.pictures import Curves, Forest, Panel
from trueerror.plots.receiver_pictures import roc_picture
from trueerror.results.words import percent

HEADINGS = {
    "leave-one-out": "what {title} loses without the part",
    "pairs": "what {title} loses without both parts",
    "add-one-in": "what {title} gains by the part alone, over none of them",
}


def lesion_picture(study: Any, *, show: Literal["contributions", "roc"] = "contributions") -> Forest | Curves:
    """Contributions with intervals and the test parts behind them; show="roc": the ROC curves of all variants."""
    check_word(show, ("contributions", "roc"), "show")
    if show == "roc":
        if not study.curves:
            reason = next((n for n in study.notes if n.startswith("No ROC")), "")
            raise InputError(f"there are no ROC curves to show. {reason}".strip())
        made = roc_picture(list(study.curves.items()), hull=False, point=False)
        return replace(made, title=f"ROC curves of {len(study.curves)} variants")
    panels = [_panel(study, kind) for kind in study.kinds]
    ends = (("full system", study.full), ("none of them", study.base))
    panels.append(
        make_panel(
            [interval_row(name, i) for name, i in ends if i is not None],
            axis="", heading=plain(study.title), within=(0.0, 1.0) if study.full.low >= 0 else (-math.inf, math.inf),
        )
    )  # fmt: skip
    verdict = [part for line in study.verdict.split("\n") for part in textwrap.wrap(plain(line), 115)][:8]
    how = f"{percent(study.confidence)} intervals (corrected t), not adjusted; p-values adjusted ({study.adjust})"
    return Forest(
        title=f"What each part contributes to {plain(study.title)}",
        subtitle=(*verdict, f"{how}; dots: the {len(next(iter(study.values.values()))):,} test parts"),
        panels=tuple(panels),
    )


def _panel(study: Any, kind: str) -> Panel:
    own = study.of_kind(kind)[:MOST_ROWS]
    level = 1 - study.confidence
    rows = []
    for c in own:
        word = "helps" if c.helps(level) else "hurts" if c.hurts(level) else "cannot tell"
        more = f"{p_words(c.difference)} · {word}"
        if c.interaction is not None and not math.isnan(c.interaction.estimate):
            more += f" · interaction {c.interaction.estimate:+.3f}"
        rows.append(replace(interval_row(plain(c.name), c.difference, signed=True, more=more), points=_dots(study, c)))
    heading = HEADINGS[kind].format(title=plain(study.title))
    return make_panel(rows, axis="", heading=heading, references=((0.0, "no difference"),))


def _dots(study: Any, c: Any) -> tuple[float, ...]:
    """The differences on the test parts, as they went into the test."""
    key = f"{c.kind}: {' + '.join(c.removed)}"
    first, second = (key, "none of them") if c.kind == "add-one-in" else ("full system", key)
    both = [a - b for a, b in zip(study.values[first], study.values[second], strict=True)]
    known = [d for d in both if not math.isnan(d)]
    # Where lower is better the contribution is the other way round.
    return tuple(known) if find_measure(study.metric).higher_is_better else tuple(-d for d in known)
