"""The tables of a ranking of learners: ranks, scores by data set, all pairs; and how their cells are written."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from trueerror.results import Contrast, Table
from trueerror.results.names import one_line, short_names, width
from trueerror.results.words import number, p_value

if TYPE_CHECKING:
    from trueerror.verbs.learner_ranking import LearnerRanking

WIDTH = 80
LONGEST_HEADING = 20
SHOWN_LEARNERS = 6
SHOWN_DATA_SETS = 12


def ranks_table(r: LearnerRanking) -> Table:
    """Each learner beside the best one (or the control): rank, mean score, difference, outcomes, p-value."""
    anchor = r.best if r.control is None else r.control
    ranks, means = r.ranks, r.means
    rows = []
    for name in r.order:
        own = (name, f"{ranks[name]:.2f}", number(means[name]))
        if name == anchor:
            rows.append((*own, "", "", ""))
            continue
        gaps = list(r.gaps(name, anchor).values())
        pair, (wins, ties, losses) = r._compared(name, anchor)
        p = p_value(deciding_p(pair)).removeprefix("p ").removeprefix("= ")
        # The difference of the numbers as shown: of errors, + is worse.
        shown = statistics.median(gaps) if r.higher_is_better else -statistics.median(gaps)
        rows.append((*own, signed(r, shown), f"{wins}–{ties}–{losses}", p))
    unit = " (points)" if r.share else ""
    adjusted = "p" if len(r.pairs) < 2 or r.adjust == "none" else "adjusted p"
    score = one_line(r.value_name or "score")
    mean = f"mean {score}" if width(score) <= 12 else "mean"
    for whom in (one_line(anchor), "control" if r.control else "first"):
        columns = ("learner", "mean rank", mean, f"to {whom}{unit}", "won–tied–lost", adjusted)
        made = Table(columns=columns, rows=tuple(rows))
        if width(whom) <= LONGEST_HEADING and max(map(width, made.text(WIDTH).splitlines())) <= WIDTH:
            break  # a long name would push the table beyond the page
    return made


def scores_table(r: LearnerRanking) -> Table | None:
    """Each data set's scores; * marks a learner that is worse there than the best ranked one, v one that is better."""
    if len(r.names) > SHOWN_LEARNERS or len(r.data_sets) > SHOWN_DATA_SETS:
        return None
    anchor = r.best if r.control is None else r.control
    marked = bool(r.within)
    rows = []
    for d, scores in zip(r.data_sets, r.scores, strict=True):
        by_name = dict(zip(r.names, scores, strict=True))
        cells = []
        for m in r.order:
            c = r.on(d, m, anchor) if m != anchor else None
            mark = "" if c is None or not differs(r, c) else "v" if r.gaps(m, anchor)[d] > 0 else "*"
            cells.append(number(by_name[m]) + (mark or " " if marked else ""))
        rows.append((d, *cells))
    title = f"* worse than {one_line(anchor)} there, v better (corrected t over folds, {r.adjust})" if marked else ""
    # Long names are cut as far as the numbers beneath them are narrow, and stay different.
    most = max(8, (WIDTH - max(width(one_line(d)) for d in ("data set", *r.data_sets))) // len(r.order) - 2)
    names = short_names([one_line(m) for m in r.order], most)
    made = Table(columns=("data set", *names), rows=tuple(rows), title=title)
    return made if max(width(line) for line in made.text(WIDTH).splitlines()) <= WIDTH else None


def comparison_matrix(r: LearnerRanking) -> Table:
    """Row against column: mean difference, outcomes, adjusted p."""
    means = r.means
    rows = []
    for a in r.order:
        cells = []
        for b in r.order:
            if a == b or (r.control is not None and r.control not in (a, b)):
                cells.append("")
                continue
            pair, (wins, ties, losses) = r._compared(a, b)
            gap = signed(r, means[a] - means[b])
            cells.append(f"{gap} · {wins}–{ties}–{losses} · {p_value(deciding_p(pair))}")
        rows.append((a, *cells))
    return Table(columns=("row against column", *r.order), rows=tuple(rows))


def differs(r: LearnerRanking, c: Contrast) -> bool:
    """Whether a pair is told apart at the level."""
    return deciding_p(c) <= r.alpha


def deciding_p(c: Contrast) -> float:
    """The p-value that decides: adjusted where pairs were adjusted."""
    return c.p_value if c.p_adjusted is None else c.p_adjusted


def amount(r: LearnerRanking, x: float) -> str:
    """A size without its sign."""
    if not r.share:
        return number(abs(x))
    shown = f"{100 * abs(x):.1f}"
    return f"{shown} point{'' if shown == '1.0' else 's'}"


def signed(r: LearnerRanking, x: float) -> str:
    """A size with its sign, without a unit."""
    shown = f"{100 * x:+.1f}" if r.share else f"{x:+.3g}"
    return "0.0" if shown in ("+0.0", "-0.0") else shown
