"""A ranking as a critical-difference picture, a posterior as three bars."""

from __future__ import annotations

from typing import Any

from trueerror.plots.labels import distinct, plain
from trueerror.plots.pictures import Bars, Ranks
from trueerror.results import Posterior
from trueerror.results.words import number, p_value, percent

# Columns of a name beside its line.
NAME = 30


def ranking_picture(ranking: Any) -> Ranks:
    """Mean ranks on a line; a bar joins models that were not told apart (Demšar 2006, J. Mach. Learn. Res. 7:1)."""
    order = ranking.order
    place = {name: i for i, name in enumerate(order)}
    # Where no pair could be told apart, a bar over all would say something about the models that nobody knows.
    powerless = getattr(ranking, "smallest_p", 0.0) > ranking.alpha
    groups = tuple(tuple(sorted(place[m] for m in g)) for g in ranking.groups if len(g) > 1 and not powerless)
    test = ranking.iman_davenport
    how = f"{ranking.method} at {percent(ranking.alpha)}"
    if ranking.critical_difference is not None:
        how += f", critical difference {ranking.critical_difference:.2f}"
    sets = "1 data set" if ranking.n == 1 else f"{ranking.n:,} data sets"
    joined = (
        "a bar joins models that were not told apart"
        if ranking.control is None
        else "the bar joins models not told apart from the control"
    )
    if powerless:
        joined = f"no bars: so few data sets cannot tell any pair apart (smallest {p_value(ranking.smallest_p)})"
    return Ranks(
        title=f"Mean ranks of {len(order)} models over {sets}",
        subtitle=(f"{joined}: {how}", f"any difference at all: Iman–Davenport {p_value(test.p_value)}"),
        names=tuple(distinct(order, NAME)),
        ranks=tuple(ranking.ranks[name] for name in order),
        groups=groups,
        difference=ranking.critical_difference,
        control=None if ranking.control is None else place[ranking.control],
    )


def posterior_picture(posterior: Posterior) -> Bars:
    """Where a difference lies, as three probabilities."""
    width = number(posterior.rope_width)
    amounts = (posterior.right, posterior.rope, posterior.left)
    return Bars(
        title=plain(posterior.name),
        subtitle=("posterior probabilities",),
        axis="probability",
        labels=("the first is better", f"no difference that matters (within ±{width})", "the second is better"),
        amounts=amounts,
        words=tuple(number(a) for a in amounts),
        highest=1.0,
    )
