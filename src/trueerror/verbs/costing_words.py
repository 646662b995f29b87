"""How a comparison by cost speaks: which model, from which score up, in misses, false alarms and cost per 100 rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from trueerror.results import Interval, Table
from trueerror.results.tables import one_line
from trueerror.results.words import filled, listing, number, p_value, percent
from trueerror.verbs.comparison_words import adjusted, decided
from trueerror.verbs.evaluation_words import WIDTH, findings_text, short

if TYPE_CHECKING:
    from trueerror.verbs.costing import CostComparison


def verdict(cmp: CostComparison) -> str:
    """Which model to use, from which score up, and how sure that is."""
    cut = f"{cmp.threshold:.2g}"
    cheaper = cmp.cheaper_tuned
    rivals = [m for m in cmp.ranked[1:] if cmp.reference in (None, m, cmp.best)]
    open_ = [m for m in rivals if not cmp.told_apart(cmp.best, m)]
    dearer = [m for m in rivals if m not in open_]
    sure = "not fully." if open_ or cheaper else "beyond chance."
    words = []
    for m in [m for m in open_ if m not in cmp.leaders][:3]:
        c = cmp[m, cmp.best]
        clash = c.low > 0 and len(cmp.pairs) > 1
        lead = f"may be as cheap, with {len(cmp.pairs)} pairs compared" if clash else "may be as cheap"
        words.append(f"{one_line(m)} {lead}: it costs {_money(c.estimate)} more per 100 rows{_reach(c.low, c.high)}.")
    for m in dearer[:3]:
        c = cmp[m, cmp.best]
        words.append(
            f"{one_line(m)} is dearer, beyond chance: by {_money(c.estimate)} per 100 rows{_reach(c.low, c.high)} "
            f"({decided(c)})."
        )
    words += _constant_words(cmp)
    lead = _use(cmp, cut) if cheaper is None else _not_yet(cmp, cheaper)
    where = f" At {cut}:" if cheaper and words else ""
    return " ".join([lead, f"How sure: {sure}{where}", *words, *_ranking_words(cmp)])


def _use(cmp: CostComparison, cut: str) -> str:
    instead = "" if abs(cmp.threshold - 0.5) < 0.005 else " (not 0.5)"
    return f"Use {_best(cmp)}, and {_calling(cmp, cmp.threshold, 'call')}{instead}."


def _calling(cmp: CostComparison, threshold: float, verb: str) -> str:
    """What a threshold does, in words: one beyond every score calls nothing, or everything."""
    label = f'"{one_line(str(cmp.positive))}"'
    if math.isinf(threshold):
        return f"{verb} {'no' if threshold > 0 else 'every'} row {label}"
    return f"{verb} {label} from {threshold:.2g} up"


def _reach(low: float, high: float) -> str:
    """The limits of a cost of a row; nothing where there are none."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return ", with no limits to be had"
    return f", plausibly {_money(low, sign=True)} to {_money(high, sign=True)}"


def _best(cmp: CostComparison) -> str:
    """The cheapest model, or those that tie for it."""
    tied = [one_line(m) for m in cmp.leaders]
    more = [f"{len(tied) - 6} more"] if len(tied) > 6 else []
    return tied[0] if len(tied) == 1 else f"{listing(tied[:6] + more, 'or')} (they cost the same)"


def _not_yet(cmp: CostComparison, cheaper: str) -> str:
    """The costs name a threshold for probabilities that hold; some model's do not, and it shows in the costs."""
    best, point = cmp.best, cmp.tuned[cheaper]
    slope = f" ({_slope(cmp.slopes[cheaper])})" if cheaper in cmp.slopes else ""
    gain = (
        f"{_money(point.corrected.estimate)} per 100 rows out of the bag, against "
        f"{_money(cmp.estimates[best].estimate)}"
    )
    constant = math.isinf(point.threshold)
    instead = (
        _calling(cmp, point.threshold, "calling") if constant else f"{one_line(cheaper)} from {point.threshold:.2g} up"
    )
    lead = (
        f"Use {_best(cmp)}, but not from {cmp.threshold:.2g} up: from {point.threshold:.2g} up "
        f"{'it' if len(cmp.leaders) == 1 else one_line(cheaper)} would cost {gain}."
        if cheaper in cmp.leaders and not constant
        else f"Not settled: at {cmp.threshold:.2g}, which the costs name, {one_line(best)} "
        f"{'is cheapest' if len(cmp.leaders) == 1 else 'and others tie for cheapest'}, but "
        f"{instead} would cost less, {gain}."
    )
    off = cheaper in cmp.slopes and not cmp.slopes[cheaper].low <= 1 <= cmp.slopes[cheaper].high
    return (
        f"{lead} The scores of {one_line(cheaper)} {'do' if off else 'may'} not hold as probabilities{slope}: "
        "recalibrate them, or choose the threshold, on other rows."
    )


def _slope(found: Interval) -> str:
    """A calibration slope; scores that part the classes without an error have one beyond every number."""
    if math.isfinite(found.low) and math.isinf(found.high):
        return f"calibration slope {number(found.low)} or more"
    if math.isfinite(found.high) and math.isinf(found.low):
        return f"calibration slope {number(found.high)} or less"
    return f"calibration slope {short(found)}" if math.isfinite(found.estimate) else "calibration slope not known"


def _constant_words(cmp: CostComparison) -> list[str]:
    """Whether the chosen model is cheaper than one answer for every row."""
    c = cmp.against_constant
    if c is None:
        return []
    answer = f'calling every row "{one_line(c.second)}"'
    size = f"{_money(-c.estimate)} per 100 rows{_reach(-c.high, -c.low)}"
    if c.p_value <= 1 - c.confidence and c.estimate < 0:
        return [f"It is cheaper than {answer}, by {size}."]
    if c.estimate >= 0:
        return [f"But {answer} is as cheap or cheaper: no model is needed at these costs."]
    return [f"Whether it is cheaper than {answer} cannot be told: it saves {size}{_tested(c.p_value)}."]


def _tested(p: float) -> str:
    return "" if math.isnan(p) else f" ({p_value(p)})"


def _ranking_words(cmp: CostComparison) -> list[str]:
    """Who ranks rows worse than the chosen model, beyond chance."""
    found = []
    for c in cmp.area_pairs:
        other = c.first if c.second == cmp.best else c.second
        gap = c.estimate if c.first == other else -c.estimate
        if adjusted(c) <= 1 - c.confidence and gap < 0:
            found.append(f"{one_line(other)} ranks rows worse; that is real ({decided(c)}).")
    return found[:3]


def _money(x: float, *, sign: bool = False) -> str:
    """A cost of a row as one of 100 rows, with one decimal below 100."""
    if not math.isfinite(x):
        return "not known"
    shown = f"{abs(100 * x):,.1f}" if abs(100 * x) < 100 else f"{abs(100 * x):,.0f}"
    return (("+" if x >= 0 else "-") if sign else "-" if x < 0 else "") + shown


def costing_table(cmp: CostComparison) -> Table:
    """Misses, false alarms, cost per 100 rows and AUC of each model, cheapest first."""
    rows = []
    for m in cmp.ranked:
        missed, positives, alarms, negatives = cmp.calls[m]
        cost = cmp.estimates[m]
        known = math.isfinite(cost.low) and math.isfinite(cost.high)
        money = f"{_money(cost.estimate)} [{_money(cost.low)}, {_money(cost.high)}]" if known else _money(cost.estimate)
        area = short(cmp.areas[m])
        rows.append((m, f"{missed:,} of {positives:,}", f"{alarms:,} of {negatives:,}", money, area))
    if cmp.against_constant is not None:
        label = cmp.against_constant.second
        positives, negatives = cmp.calls[cmp.best][1], cmp.calls[cmp.best][3]
        all_positive = label == str(cmp.positive)
        missed, alarms = (0, negatives) if all_positive else (positives, 0)
        price = _money(cmp.estimates[cmp.best].estimate - cmp.against_constant.estimate)
        rows.append((f'always "{label}"', f"{missed:,} of {positives:,}", f"{alarms:,} of {negatives:,}", price, ""))
    head = (f"At {cmp.threshold:.2g}", "misses", "false alarms", "cost per 100", "ranking (AUC)")
    return Table(columns=head, rows=tuple(rows))


def costing_text(cmp: CostComparison) -> str:
    """The whole comparison for a terminal."""
    indent = {"initial_indent": "  ", "subsequent_indent": "  "}
    blocks = [filled(one_line(cmp.reading), WIDTH)]
    first, _, rest = cmp.verdict.partition(" How sure: ")
    blocks.append(
        filled(first, WIDTH - 2, **indent) + "\n" + filled(f"How sure: {rest}", WIDTH - 2, **indent)  # type: ignore[arg-type]
    )
    missed, price = cmp.usual[cmp.best][0], _money(cmp.cost_per_100(cmp.best, cmp.usual) / 100)
    usual = f"At 0.5 {one_line(cmp.best)} would miss {missed:,} and cost {price} per 100."
    blocks.append(costing_table(cmp).text(WIDTH) + ("" if cmp.threshold == 0.5 else f"\n{filled(usual, WIDTH)}"))
    trust = ""
    untuned = cmp.tuned[cmp.best].untuned
    if abs(untuned - cmp.threshold) > 1e-9:
        trust = f"{cmp.threshold:.2g} was given; the costs themselves name {untuned:.2g} for probabilities."
    elif cmp.best in cmp.slopes:
        trust = (
            f"{cmp.threshold:.2g} follows from the costs and needs no tuning, but trusts {one_line(cmp.best)}'s "
            f"probabilities ({_slope(cmp.slopes[cmp.best])})."
        )
    blocks += [
        findings_text(cmp.findings, several=True) if len(cmp.findings) else "",
        filled(trust, WIDTH) if trust else "",
    ]
    mix = "the class mix of these rows" if cmp.prior is None else f"{percent(round(cmp.prior, 4))} positives"
    methods = ", ".join(dict.fromkeys(c.method for c in cmp.pairs))
    costs = f"Costs: a false alarm {cmp.cost_fp:g}, a miss {cmp.cost_fn:g}, at {mix}."
    blocks.append(filled(f"{costs} Methods: {methods}; --explain for more.", WIDTH))
    return "\n\n".join(b for b in blocks if b)
