"""A comparison as pictures: differences from the leader with the line of no difference, or all pairs at a glance."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from trueerror.inputs.options import check_word
from trueerror.plots.forests import MOST_ROWS, contrasts_forest, how_words, interval_row, make_panel, p_words
from trueerror.plots.labels import distinct, first_sentence, fold, plain
from trueerror.plots.pictures import Forest, Heat, Panel
from trueerror.results import Contrast
from trueerror.results.words import number, p_value

# In a matrix of pairs colour fills up as p falls to this: p = 1 is white.
SMALLEST_P = 1e-4
MOST_MODELS = 30
NAME = 30


def comparison_picture(comparison: Any, *, show: Literal["differences", "pairs"] = "differences") -> Forest | Heat:
    """Each model's difference from the leader (or the reference) and its own estimate; or a matrix of all pairs."""
    check_word(show, ("differences", "pairs"), "show")
    return differences_forest(comparison) if show == "differences" else pairs_heat(comparison)


def differences_forest(c: Any) -> Forest:
    """Differences first, since overlapping bars mislead; the models' own intervals beneath."""
    anchor = c.best if c.reference is None else c.reference
    ranked = [m for m in c.ranked if m != anchor][:MOST_ROWS]
    pairs = [c[model, anchor] for model in ranked]
    parts = _parts(c)
    rows = [
        replace(
            interval_row(plain(model), pair, signed=True, more=_told(c, pair)),
            points=_differences(parts, model, anchor),
        )
        for model, pair in zip(ranked, pairs, strict=True)
    ]
    margin = None if c.margin is None else (-abs(c.margin), abs(c.margin))
    better = "higher" if c.higher_is_better else "lower"
    panels: list[Panel] = []
    if rows:
        leader = _short(c)[plain(anchor)]
        heading = f"difference in {plain(c.title)} from {leader} ({better} is better)"
        panels.append(
            make_panel(
                rows, axis=f"model − {leader}", heading=heading, references=((0.0, "no difference"),), margin=margin
            )
        )
    own = [replace(interval_row(plain(m), c.estimates[m]), points=parts.get(m, ())) for m in [anchor, *ranked]]
    shares = all(0 <= v <= 1 for r in own if r.drawn for v in (r.low, r.high))
    within = (0.0, 1.0) if shares else (-math.inf, math.inf)
    panels.append(make_panel(own, axis="", heading=plain(c.title), within=within))
    subtitle = [
        *_verdict_lines(c),
        *how_words(pairs or list(c.estimates.values()), more=UNADJUSTED),
    ]
    if margin is not None:
        subtitle.append(f"shaded: differences up to ±{number(margin[1])} do not matter")
    if parts:
        subtitle.append(f"dots: the {len(next(iter(parts.values()))):,} test parts")
    what = "learners" if parts else "models"
    return Forest(
        title=f"{len(c.models)} {what} compared", subtitle=tuple(s for s in subtitle if s), panels=tuple(panels)
    )


def _verdict_lines(c: Any) -> list[str]:
    """What the comparison comes to, with short names; the whole verdict is printed."""
    text = plain(c.verdict)
    for name, short in sorted(_short(c).items(), key=lambda pair: -len(pair[0])):
        # Held together, so that a full stop in a name ends no sentence; a short name may be part of a word.
        text = text.replace(name, short.replace(" ", "\u00a0")) if len(name) > NAME else text
    return fold(first_sentence(text), 115, lines=3)


def _short(c: Any) -> dict[str, str]:
    """Each model's name, and how it is written where room is short."""
    return dict(zip((plain(m) for m in c.models), distinct(c.models, NAME), strict=True))


def _parts(c: Any) -> dict[str, tuple[float, ...]]:
    """The scores of learners on their test parts, where learners were compared."""
    return {name: tuple(values) for name, values in c.facts.get("parts", {}).items()}


def _differences(parts: dict[str, tuple[float, ...]], first: str, second: str) -> tuple[float, ...]:
    if first not in parts or second not in parts:
        return ()
    return tuple(a - b for a, b in zip(parts[first], parts[second], strict=True))


UNADJUSTED = " of each pair by itself; p-values are adjusted for the number of pairs"


def training_forest(gap: Any) -> Forest:
    """How much better each model looks on its training rows than on test rows."""
    made = contrasts_forest({g.name: g for g in gap.gaps}, title="Accuracy on training rows − on test rows")
    return replace(made, panels=tuple(replace(p, axis="training − test") for p in made.panels))


def _told(c: Any, pair: Contrast) -> str:
    words = p_words(pair)
    if c.told_apart(pair.first, pair.second):
        return f"{words} · {'better' if c.better(pair.first, pair.second) else 'worse'}"
    return f"{words} · cannot tell"


def pairs_heat(c: Any) -> Heat:
    """Row − column for each pair: the difference, its p-value and what it says; darker where p is smaller."""
    models = list(c.ranked)[:MOST_MODELS]
    place: list[tuple[int, int]] = []
    share: list[float] = []
    words: list[tuple[str, ...]] = []
    tips: list[dict[str, str]] = []
    for i, a in enumerate(models):
        for j, b in enumerate(models):
            pair = _pair(c, a, b)
            place.append((i, j))
            if pair is None:
                share.append(math.nan)
                words.append(("",))
                tips.append({"row": plain(a), "column": plain(b), "difference": "not compared", "p": ""})
                continue
            p = pair.p_value if pair.p_adjusted is None else pair.p_adjusted
            share.append(_strength(p))
            verdict = "better" if c.better(a, b) else "worse" if c.told_apart(a, b) else "cannot tell"
            gap = ("+" if pair.estimate > 0 else "") + number(pair.estimate).replace("-", "−")
            shown = p_value(p, at_most=pair.p_at_most)
            words.append((gap, shown, verdict))
            tips.append({"row": plain(a), "column": plain(b), "difference": plain(str(pair)), "p": shown})
    names = tuple(distinct(models))
    return Heat(
        title=f"{plain(c.title)}: row − column for each pair",
        subtitle=(
            *_verdict_lines(c),
            "darker: smaller p, adjusted for the number of pairs",
        ),
        row_title="this model",
        column_title="against this one",
        rows=names,
        columns=names,
        place=np.array(place, dtype=np.int64).reshape(-1, 2),
        share=np.array(share),
        words=tuple(words),
        tips=tuple(tips),
        scale_title="strength of evidence",
    )


def _pair(c: Any, first: str, second: str) -> Contrast | None:
    if first == second or (c.reference is not None and c.reference not in (first, second)):
        return None
    found: Contrast = c[first, second]
    return found


def _strength(p: float) -> float:
    """From 0 at p = 1 to 1 at the smallest p; squared, since colours go by the square root."""
    if math.isnan(p):
        return math.nan
    return (min(1.0, math.log(max(p, SMALLEST_P)) / math.log(SMALLEST_P)) * 0.8) ** 2
