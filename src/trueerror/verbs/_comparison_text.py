"""How a comparison speaks: who is better, by how much, how sure; sizes beside p-values; "cannot tell" is an answer."""

from __future__ import annotations

import html
import math
from dataclasses import replace
from typing import TYPE_CHECKING

from trueerror.inference.loss._mean import infinite_words
from trueerror.results import Contrast, Table
from trueerror.results._format import filled, listing, number, p_value, percent, whole
from trueerror.results._tables import one_line
from trueerror.verbs._compare import slices_text
from trueerror.verbs._evaluation_text import WIDTH, findings_text, short

if TYPE_CHECKING:
    from trueerror.verbs._comparison import Comparison

# Adjusted p-values up to here are called proven; between here and the level, probable.
PROVEN = 0.005


def points(cmp: Comparison, x: float) -> str:
    """A difference with its sign: in points of a percent for shares, else as a number."""
    if math.isnan(x) or math.isinf(x):
        return number(x)
    if cmp.facts.get("share"):
        shown = f"{100 * x:+.{decimals(cmp)}f}"
        return shown[1:] if not float(shown) else shown
    return f"{x:+.3g}"


def level(cmp: Comparison, x: float) -> str:
    """A model's own figure."""
    return f"{100 * x:.{decimals(cmp)}f} %" if cmp.facts.get("share") else number(x)


# The last comparison that was asked for its decimals: known by identity, since hashing hundreds of pairs is slow.
_LAST: list[tuple[Comparison, int]] = []


def decimals(cmp: Comparison) -> int:
    """Of points of a percent: one, or as many more as the narrowest interval takes to show its width."""
    last = _LAST[0] if _LAST else None
    if last is None or last[0] is not cmp:
        widths = [100 * (c.high - c.low) for c in cmp.pairs if math.isfinite(c.high - c.low) and c.high > c.low]
        narrowest = min(widths, default=1.0)
        last = (cmp, min(10, max(1, 1 + math.ceil(-math.log10(narrowest) - 0.7))))
        _LAST[:] = [last]
    return last[1]


def unit(cmp: Comparison) -> str:
    """What differences are counted in."""
    return " points" if cmp.facts.get("share") else ""


def adjusted(c: Contrast) -> float:
    """The p-value that decides."""
    return c.p_value if c.p_adjusted is None else c.p_adjusted


def decided(c: Contrast) -> str:
    """The same in words."""
    return p_value(adjusted(c), at_most=c.p_at_most)


def verdict(cmp: Comparison) -> str:
    """The verdict in one paragraph."""
    infinite = cmp.facts.get("infinite", {})
    if infinite:
        return _some_infinite(cmp, infinite)
    if len(cmp.models) == 2:
        return _two(cmp)
    return _many(cmp)


def _some_infinite(cmp: Comparison, infinite: dict[str, int]) -> str:
    """Models with a finite loss are judged among themselves; of the others is said why they are not."""
    finite = {m: own for m, own in cmp.estimates.items() if m not in infinite}
    why = infinite_words(infinite, cmp.title)
    judged = [c for c in cmp.pairs if c.first in finite and c.second in finite]
    if judged:
        rest = replace(cmp, estimates=finite, facts={k: v for k, v in cmp.facts.items() if k != "infinite"})
        if len(finite) > 2:
            return f"{_many(rest)} {why}"
        # Of two models the other one is not named, which goes without saying only where there is no third.
        a, b = map(one_line, rest.ranked)
        return f"{_two(rest)} That compares {a} with {b}; {why}"
    if len(finite) == 1:
        (best,) = finite
        against = "an infinite one" if len(infinite) == 1 else "infinite ones"
        return f"{one_line(best)} is ahead, {level(cmp, finite[best].estimate)} {cmp.title} against {against}: {why}"
    if cmp.reference in infinite and finite:
        return f"Cannot tell which is better than {one_line(cmp.reference)}: {why}"
    return f"Cannot tell which is better by {cmp.title}: {why}"


def _two(cmp: Comparison) -> str:
    best, other = cmp.ranked
    c = cmp[best, other]
    p = adjusted(c)
    a, b = one_line(best), one_line(other)
    figures = f"{level(cmp, cmp.estimates[best].estimate)} against {level(cmp, cmp.estimates[other].estimate)}"
    size = f"{points(cmp, c.estimate)}{unit(cmp)}, {_plausible(cmp, c)}"
    if math.isnan(p):
        return f"{a} and {b} cannot be judged: {c.note}."
    if c.estimate == 0:
        lead = f"{a} and {b} cannot be told apart: both have {level(cmp, cmp.estimates[best].estimate)} {cmp.title}"
        if math.isinf(c.low) and math.isinf(c.high):
            return (
                f"{lead}. Their scores never differ, so no limits can be told; that is not proof that they are alike."
            )
        reach = f"{points(cmp, c.low)} to {points(cmp, c.high)}{unit(cmp)}"
        return f"{lead}; the true difference is plausibly {reach}. That is not proof that they are alike."
    close = " a close call." if cmp.facts.get("borderline") else ""
    if p <= PROVEN and p <= 1 - c.confidence:
        lead = f"{a} is better: {figures} {cmp.title}, {size}."
    elif p <= 1 - c.confidence:
        lead = f"{a} is probably better;{close} {figures} {cmp.title}: {size}." if close else (
            f"{a} is probably better: {figures} {cmp.title}, {size}."
        )  # fmt: skip
    else:
        lead = f"Cannot tell which is better;{close} {a} is ahead, {figures} {cmp.title}: {size}." if close else (
            f"Cannot tell which is better: {a} is ahead, {figures} {cmp.title}, {size}."
        )  # fmt: skip
    return f"{lead} {_odds(cmp, c, a)}".strip()


def _odds(cmp: Comparison, c: Contrast, winner: str) -> str:
    """The p-value as a picture: how often a split this uneven comes up by luck."""
    p = c.p_value
    often = (
        "less than 1 time in 1,000"
        if p < 0.001
        else f"about 1 time in {round(1 / p):,}"
        if p < 0.5
        else "most of the time"
    )
    pairs = cmp.facts.get("discordance", {}).get((c.first, c.second)) if c.method.startswith("mcnemar") else None
    if pairs is None and c.method.startswith("mcnemar"):
        swapped = cmp.facts.get("discordance", {}).get((c.second, c.first))
        pairs = None if swapped is None else (swapped[0], swapped[2], swapped[1], swapped[3])
    if pairs is None:
        shown = p_value(p, at_most=c.p_at_most)
        often = often.replace("about", "at most") if c.p_at_most else often
        return f"If they were equally good, a gap this large would come up {often} ({shown})."
    differ, won = pairs[1] + pairs[2], pairs[1]
    if differ == 0:
        return f"They never differ on these rows ({p_value(p)})."
    return (
        f"Of {whole(differ)} rows on which they differ {winner} wins {whole(won)}: if they were equally good, a split "
        f"this uneven would come up {often} ({p_value(p)})."
    )


def _plausible(cmp: Comparison, c: Contrast) -> str:
    """The limits; where they exclude 0 and the adjusted p-value does not reach the level, why that is no contradiction.

    p-values are corrected for the number of pairs, intervals are not.
    """
    if not (math.isfinite(c.low) and math.isfinite(c.high)):
        return "with no limits to be had"
    clash = c.p_adjusted is not None and (c.low > 0 or c.high < 0) and adjusted(c) > 1 - c.confidence
    before = f" before the correction for {len(cmp.pairs)} pairs" if clash else ""
    return f"plausibly {points(cmp, c.low)} to {points(cmp, c.high)}{before}"


def _many(cmp: Comparison) -> str:
    if cmp.reference is not None:
        return _against_reference(cmp, cmp.reference)
    best = cmp.ranked[0]
    title = f"{level(cmp, cmp.estimates[best].estimate)} {cmp.title}"
    if len(cmp.leaders) > 1:
        return _tied(cmp, title)
    others = [m for m in cmp.ranked[1:] if _compared(cmp, best, m)]
    worse = [m for m in others if cmp.better(best, m)]
    open_ = [m for m in others if m not in worse]
    word = "highest" if cmp.higher_is_better else "lowest"
    if not open_ and not worse:
        return f"{one_line(best)} has the {word} estimate, {title}; it was not compared with the others."
    if not open_:
        all_ = "both" if len(worse) == 2 else f"all {len(worse)}"
        lead = f"{one_line(best)} is best, {title}: better than {all_} others, each difference beyond chance."
        return f"{lead} The nearest is {_gap(cmp, best, worse[0])}."
    if not worse:
        return (
            f"No single winner: {one_line(best)} has the {word} estimate ({title}) but cannot be told apart from "
            f"{_names(open_)}. The nearest is {_gap(cmp, best, open_[0])}."
        )
    return (
        f"{one_line(best)} has the {word} estimate ({title}) but cannot be told apart from {_names(open_)}. "
        f"{_worse(cmp, best, worse)}"
    )


def _tied(cmp: Comparison, title: str) -> str:
    """Several models with the same best estimate: none of them is named as the best."""
    best, *tied = cmp.leaders
    rest = [m for m in cmp.ranked if m not in cmp.leaders]
    # Each pair has a p-value of its own, so a model may be told apart from one leader and not from another.
    beaten = {m: [leader for leader in cmp.leaders if cmp.better(leader, m)] for m in rest}
    worse = [m for m in rest if len(beaten[m]) == len(cmp.leaders)]
    open_ = [m for m in rest if not beaten[m]]
    partly = [m for m in rest if beaten[m] and m not in worse]
    lead = f"{_names([best, *tied])} tie{' for best' if rest else ''}, {title} each"
    c = cmp[best, tied[0]]
    if len(tied) == 1 and math.isfinite(c.low) and math.isfinite(c.high):
        reach = f"{points(cmp, c.low)} to {points(cmp, c.high)}{unit(cmp)}"
        lead += f"; the true difference is plausibly {reach}"
    lead += ". That is not proof that they are alike"
    words = [f"{lead}."]
    if open_:
        words.append(f"{_names(open_)} cannot be told apart from {'either' if len(tied) == 1 else 'any of them'}.")
    words += [f"{one_line(m)} is worse than {_names(beaten[m])}, beyond chance, but not told apart from "
              f"{_names([x for x in cmp.leaders if x not in beaten[m]])}." for m in partly[:3]]  # fmt: skip
    if worse:
        words.append(_worse(cmp, best, worse))
    return " ".join(words)


def _against_reference(cmp: Comparison, reference: str) -> str:
    """The verdict where every model was compared with one of them alone."""
    others = [m for m in cmp.ranked if m != reference]
    groups = {
        "better": [m for m in others if cmp.better(m, reference)],
        "worse": [m for m in others if cmp.better(reference, m)],
    }
    groups["open"] = [m for m in others if m not in groups["better"] and m not in groups["worse"]]
    words = []
    for key, phrase in (
        ("better", "better, beyond chance"),
        ("worse", "worse, beyond chance"),
        ("open", "not told apart"),
    ):
        if groups[key]:
            gaps = [f"{one_line(m)} {_size_of(cmp, m, reference)}" for m in groups[key][:4]]
            more = f" and {len(groups[key]) - 4} more" if len(groups[key]) > 4 else ""
            words.append(f"{phrase}: {'; '.join(gaps)}{more}.")
    lead = f"Compared with {one_line(reference)} ({level(cmp, cmp.estimates[reference].estimate)} {cmp.title}): "
    return lead + " ".join([words[0], *(w[:1].upper() + w[1:] for w in words[1:])])


def _size_of(cmp: Comparison, model: str, reference: str) -> str:
    c = cmp[model, reference]
    size = f"{points(cmp, c.estimate)}{unit(cmp)}, {_plausible(cmp, c)}"
    return f"({size}; {_decided(c)})"


def _decided(c: Contrast) -> str:
    """The p-value that decides, and whether it is adjusted."""
    return f"{'' if c.p_adjusted is None else 'adjusted '}{decided(c)}"


def _compared(cmp: Comparison, a: str, b: str) -> bool:
    return cmp.reference is None or cmp.reference in (a, b)


def _worse(cmp: Comparison, best: str, worse: list[str]) -> str:
    """Who is behind beyond chance, and by how much the nearest of them."""
    gap = _gap(cmp, best, worse[0])
    if len(worse) == 1:
        return f"{one_line(worse[0])} is worse, beyond chance: {gap.removeprefix(f'{one_line(worse[0])}, ')}."
    return f"{_names(worse)} are worse, beyond chance: {gap} and more."


def _gap(cmp: Comparison, best: str, other: str) -> str:
    c = cmp[other, best]
    size = f"{points(cmp, c.estimate)}{unit(cmp)} from {one_line(best)}"
    return f"{one_line(other)}, {size}, {_plausible(cmp, c)} ({_decided(c)})"


def _names(names: list[str]) -> str:
    shown = [one_line(n) for n in names[:6]]
    return listing(shown + ([f"{len(names) - 6} more"] if len(names) > 6 else []))


def differences_table(cmp: Comparison) -> Table:
    """Each pair, the better one first: difference, interval, p-value, and the chance of being better if it is known."""
    many = len(cmp.pairs) > 1 and cmp.adjust != "none"
    rows, shown = [], _shown_pairs(cmp)
    for c in shown:
        limits = limits_words(cmp, c)
        chance = "" if c.p_better is None else number(c.p_better)
        rows.append((c.first, c.second, points(cmp, c.estimate), limits, _p(c), chance))
    head = "first − second (points)" if cmp.facts.get("share") else "first − second"
    p_head = "adjusted p" if many else "p"
    columns = ("first", "second", head, f"{percent(cmp.confidence)} interval", p_head, "P(better)")
    last = len(columns) if any(c.p_better is not None for c in shown) else -1
    return Table(columns=columns[:last], rows=tuple(row[:last] for row in rows), names=2)


def limits_words(cmp: Comparison, c: Contrast) -> str:
    """The limits of a pair in brackets, where it has some."""
    if math.isnan(c.low) or math.isnan(c.high):
        return "none"
    return f"[{points(cmp, c.low)}, {points(cmp, c.high)}]"


def _p(c: Contrast) -> str:
    return decided(c)[2:].lstrip("= ")


def _shown_pairs(cmp: Comparison) -> list[Contrast]:
    """Pairs with the leader first; with many models only those with the leader (or the reference)."""
    order = cmp.ranked
    place = {m: i for i, m in enumerate(order)}
    chosen = []
    for c in cmp.pairs:
        chosen.append(cmp[c.first, c.second] if place[c.first] < place[c.second] else cmp[c.second, c.first])
    chosen.sort(key=lambda c: (place[c.first], place[c.second]))
    return chosen if len(chosen) <= 10 else [c for c in chosen if c.first == (cmp.reference or order[0])] or chosen[:10]


def leader_contrasts(cmp: Comparison) -> list[Contrast]:
    """Each model less the leader (or less the reference): what the picture of differences shows."""
    anchor = cmp.reference or cmp.best
    return [cmp[m, anchor] for m in cmp.ranked if m != anchor]


def models_table(cmp: Comparison) -> Table:
    """Each model's own estimate, best first."""
    rows = tuple((m, short(cmp.estimates[m])) for m in cmp.ranked)
    return Table(columns=("model", f"{cmp.title} {percent(cmp.confidence)}"), rows=rows)


def tiers_text(cmp: Comparison) -> str:
    """The tiers, where there are more than two models."""
    if len(cmp.models) < 3 or cmp.reference is not None or all(len(tier) == 1 for tier in cmp.tiers):
        return ""
    lines = [f"  {i + 1}. {', '.join(one_line(m) for m in tier)}" for i, tier in enumerate(cmp.tiers[:8])]
    return "Groups in which no two can be told apart, best first:\n" + "\n".join(
        filled(x, WIDTH, subsequent_indent="     ") for x in lines
    )


def margin_text(cmp: Comparison) -> str:
    """Whether pairs are alike within the margin."""
    lines = []
    for c in cmp.within_margin:
        shown = c.p_value <= 1 - cmp.confidence
        word = "shown" if shown else "not shown" if not math.isnan(c.p_value) else "cannot be judged"
        lines.append(
            f"{one_line(c.first)} and {one_line(c.second)} alike within ±{points(cmp, cmp.margin or 0).lstrip('+')}"
            f"{unit(cmp)}: {word}{'' if math.isnan(c.p_value) else f' ({p_value(c.p_value)})'}."
        )
    return "\n".join(filled(x, WIDTH) for x in lines[:8])


def comparison_text(cmp: Comparison) -> str:
    """The whole comparison for a terminal."""
    blocks = [filled(one_line(cmp.reading), WIDTH) if cmp.reading else ""]
    blocks.append(filled(cmp.verdict, WIDTH - 2, initial_indent="  ", subsequent_indent="  "))
    if len(cmp.models) > 2:
        blocks.append(models_table(cmp).text(WIDTH))
    blocks.append(differences_table(cmp).text(WIDTH))
    blocks += [tiers_text(cmp), margin_text(cmp), slices_text(cmp)]
    if len(cmp.findings):
        of_one = any(f.about in cmp.models for f in cmp.findings)
        blocks.append(findings_text(cmp.findings, several=len(cmp.models) > 2 or of_one))
    blocks.append(filled(f"Next: {cmp.next_step}", WIDTH) if cmp.next_step else "")
    blocks.append(_footer(cmp))
    return "\n\n".join(b for b in blocks if b)


def _footer(cmp: Comparison) -> str:
    methods = listing(list(dict.fromkeys(c.method for c in cmp.pairs)))
    more = f", {cmp.adjust} over {len(cmp.pairs)} pairs (intervals unadjusted)" if len(cmp.pairs) > 1 else ""
    lines = [filled(cmp.estimand, WIDTH)] if cmp.estimand else []
    lines.append(filled(f"Methods: {methods}{more}; .explain() or --explain for more.", WIDTH))
    return "\n".join(lines)


def comparison_html(cmp: Comparison) -> str:
    """The same for a notebook."""
    parts = [f"<p>{html.escape(cmp.reading)}</p>", f"<p><b>{html.escape(cmp.verdict)}</b></p>"]
    parts.append("<br>".join(table._repr_html_() for table in cmp._tables()))
    if len(cmp.findings):
        parts.append("<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in cmp.findings.lines) + "</ul>")
    parts.append(f"<p><small>{html.escape(_footer(cmp))}</small></p>")
    return f"<div>{''.join(parts)}</div>"
