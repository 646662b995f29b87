"""What would settle a comparison that these rows leave open."""

from __future__ import annotations

from trueerror.inputs.errors import InputError
from trueerror.metrics.registry import find_measure
from trueerror.significance.planning import sample_size
from trueerror.verbs.comparison import Comparison


def next_step(made: Comparison) -> str:
    """What would settle an inconclusive comparison of shares: how many rows of this kind."""
    best = made.ranked[0]
    rivals = [m for m in made.ranked[1:] if made.reference is None or made.reference in (best, m)]
    open_ = [m for m in rivals if not made.told_apart(best, m) or made.facts["borderline"]]
    if not open_:
        return ""
    c = made[best, open_[0]]
    counts = made.facts["discordance"].get((c.first, c.second)) or made.facts["discordance"].get((c.second, c.first))
    if counts is None or c.estimate == 0 or not c.method.startswith("mcnemar"):
        return ""
    n, differ = sum(counts), counts[1] + counts[2]
    a, b = (made.estimates[m].estimate for m in (best, open_[0]))
    try:
        # With several pairs the first step of Holm's correction asks each for its share of the level.
        alpha = (1 - made.confidence) / (1 if made.adjust == "none" else len(made.pairs))
        plan = sample_size(test="mcnemar", first=a, second=b, disagreement=differ / n, alpha=alpha)
    except InputError:
        return ""
    rows = _rounded(plan.n)
    whole = n == made.estimates[best].n and find_measure(made.metric).needs == "classes"
    kind = "rows of this kind" if whole else f"rows of those that {made.title} speaks of"
    size = abs(100 * c.estimate)
    gap = f"{size:.1f} points" if size >= 0.05 else f"{size:.1g} points"
    if plan.n <= n:
        return f"{n:,} rows find a true gap of {gap} 80 % of the time; more rows of this kind would settle it."
    return f"about {rows:,} {kind} settle a gap of {gap} between {best} and {open_[0]} (80 % power); there are {n:,}."


def _rounded(n: int) -> int:
    """Two significant figures: more would be false precision."""
    digits = max(0, len(str(n)) - 2)
    return int(round(n, -digits))
