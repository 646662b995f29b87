"""A ranking of learners over data sets, with what their folds say within each data set, its tables and its words."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field, replace

from trueerror.findings import Findings
from trueerror.findings.learners import numeral
from trueerror.inference._contrast import mirrored
from trueerror.inference._many import adjust
from trueerror.inference.ranking._rank_tests import PAIR_TESTS, TOGETHER, PairTest, nemenyi_distance
from trueerror.inference.ranking._ranking import Ranking
from trueerror.inputs._options import check_word
from trueerror.results import Contrast, DocumentResult, Posterior, Table, Text
from trueerror.results._document import WIDTH, Document, Media, Paragraph, TableBlock, page
from trueerror.results._format import (
    capitalised,
    chance_words,
    filled,
    fixed,
    folded,
    listing,
    number,
    one_line,
    p_cell,
    p_value,
    percent,
    real_minus,
    short_names,
    some,
    width,
)
from trueerror.results._values import deciding_p, surety


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class LearnerRanking(DocumentResult, Ranking):
    """Learners ranked over data sets: mean ranks, tests of pairs over data sets, and tests within each data set.

    `scores` are data sets × learners, folds averaged. `within` compares pairs on one data set each (`name`) by the
    corrected t-test over its folds, adjusted over the pairs of that data set; it is empty without folds. `posterior` is
    the Bayesian signed-rank test of two learners, where the data sets are enough for it. `share` says whether scores
    are shares, and `percent` whether they are percentages, so that differences are in points.
    """

    data_sets: tuple[str, ...] = ()
    scores: tuple[tuple[float, ...], ...] = ()
    adjust: str = TOGETHER
    percent: bool | None = None
    within: tuple[Contrast, ...] = ()
    posterior: Posterior | None = None
    share: bool = False
    value_name: str = ""
    reading: str = ""
    findings: Findings = field(default_factory=Findings)

    @property
    def pair_test(self) -> PairTest | None:
        """The test that compared each pair by itself, over data sets; None where mean ranks of all were compared."""
        return PAIR_TESTS.get(self.method)

    @property
    def adjusted_by(self) -> str:
        """The correction over several pairs, by key; none where the method has its own."""
        return self.adjust if self.pair_test is not None and len(self.pairs) > 1 else "none"

    @property
    def means(self) -> dict[str, float]:
        """The mean score of each learner over the data sets, best rank first."""
        columns = list(zip(*self.scores, strict=True))
        by_name = {name: sum(c) / len(c) for name, c in zip(self.names, columns, strict=True)}
        return {name: by_name[name] for name in self.order}

    @property
    def order(self) -> tuple[str, ...]:
        """The learners from the best mean rank to the worst; of equal ranks the better mean score comes first."""
        columns = list(zip(*self.scores, strict=True))
        sign = -1.0 if self.higher_is_better else 1.0
        keys = [(self.mean_ranks[i], sign * sum(c) / len(c), i) for i, c in enumerate(columns)]
        return tuple(self.names[i] for *_, i in sorted((round(r, 9), m, i) for r, m, i in keys))

    def gap(self, first: str, second: str) -> float:
        """The typical lead of the first over the second on a data set, by the estimator of the test.

        Hodges and Lehmann's median of pairwise means for signed ranks, else the median; below 0 where it is worse.
        """
        if self.pair_test is not None:
            middle = self[first, second].estimate
            return middle if self.higher_is_better else -middle
        return statistics.median(self.gaps(first, second).values())

    def gaps(self, first: str, second: str) -> dict[str, float]:
        """The lead of the first over the second on each data set; below 0 where it is worse."""
        for name in (first, second):
            check_word(name, self.names, "learner")
        i, j = self.names.index(first), self.names.index(second)
        sign = 1.0 if self.higher_is_better else -1.0
        return {d: sign * (row[i] - row[j]) for d, row in zip(self.data_sets, self.scores, strict=True)}

    def on(self, data_set: str, first: str, second: str) -> Contrast | None:
        """First − second on one data set, over its folds; None where there are none, or the pair was not compared."""
        for c in self.within:
            if c.name == data_set and {c.first, c.second} == {first, second}:
                return c if c.first == first else mirrored(c)
        return None

    @property
    def smallest_p(self) -> float:
        """The smallest adjusted p-value that a pair could have over so many data sets, whatever the scores:
        2^(1 − N) for each pair, adjusted. It is 0 for methods that compare mean ranks, which have no such limit."""
        return self._smallest_p(len(self.data_sets), len(self.pairs))

    def _smallest_p(self, data_sets: int, pairs: int) -> float:
        if self.pair_test is None:
            return 0.0
        each = [math.ldexp(1.0, 1 - data_sets)] * max(pairs, 1)
        return each[0] if self.adjust == TOGETHER else float(adjust(each, self.adjust)[0])  # type: ignore[arg-type]

    @property
    def verdict(self) -> str:
        """What the ranking says, in a few sentences; learners without a clear difference are never called equal."""
        return " ".join([_verdict(self), *self.findings.without("TE507").but(())])

    def wins(self) -> Table:
        """Won–tied–lost of each learner (row) against each other (column), over data sets."""
        rows = []
        for a in self.order:
            cells = ["" if a == b else _outcome(self.gaps(a, b)) for b in self.order]
            rows.append((a, *cells))
        return Table(columns=("won–tied–lost", *self.order), rows=tuple(rows))

    def matrix(self) -> Table:
        """All pairs at a glance: mean difference, won–tied–lost and adjusted p of row against column."""
        return _pairs_matrix(self)

    def records(self) -> list[dict[str, object]]:
        """One record for each pair."""
        means = self.means
        return [
            {**record, "mean_difference": means[str(record["first"])] - means[str(record["second"])]}
            for record in Ranking.records(self)
        ]

    def without(self, *codes: str) -> LearnerRanking:
        """The same ranking with some findings silenced, by code."""
        return replace(self, findings=self.findings.without(*codes)) if codes else self

    def explain(self) -> Text:
        """Each method that was used, with formula, source and what it assumes."""
        from trueerror.methods import explain

        keys = [self.method, self.adjusted_by]
        keys += ["friedman", "iman-davenport"] if len(self.names) > 2 else []
        keys += ["corrected-t-test"] if self.within else []
        keys += ["bayes-signed-rank"] if self.posterior is not None else []
        return Text("\n\n".join([folded(self.reading), *(explain(key) for key in keys if key != "none")]))

    def document(self) -> Document:
        table = scores_table(self)
        return page(
            self.reading, [_verdict(self), *self.findings.without("TE507").but(())], TableBlock(_ranks_table(self)),
            None if table is None else TableBlock(table, where=Media.SCREEN), self.findings.block(several=True),
            Paragraph(_overall_lines(self), "  ", where=Media.SCREEN), footer=_footer_lines(self), hanging="  ",
            names=self.names,
        )  # fmt: skip


def _outcome(gaps: dict[str, float]) -> str:
    values = gaps.values()
    return f"{sum(v > 0 for v in values)}–{sum(v == 0 for v in values)}–{sum(v < 0 for v in values)}"


LONGEST_HEADING = 20
SHOWN_LEARNERS = 6
SHOWN_DATA_SETS = 12


def _ranks_table(r: LearnerRanking) -> Table:
    """Each learner beside the best one (or the control): rank, mean score, difference, outcomes, p-value."""
    anchor = r.best if r.control is None else r.control
    ranks, means = r.ranks, r.means
    rows = []
    for name in r.order:
        cells = (name, f"{ranks[name]:.2f}", number(means[name]))
        if name == anchor:
            rows.append((*cells, "", "", ""))
            continue
        pair, (wins, ties, losses) = r._compared(name, anchor)
        # One data set has a test over its folds; ranks of data sets say nothing of it.
        alone = r.on(r.data_sets[0], name, anchor) if len(r.data_sets) == 1 else None
        p = p_cell(p_value(deciding_p(alone or pair)))
        # The difference of the numbers as shown: of errors, + is worse.
        gap = r.gap(name, anchor) if r.higher_is_better else -r.gap(name, anchor)
        rows.append((*cells, _signed(r, gap), f"{wins}–{ties}–{losses}", p))
    unit = " (points)" if r.share or r.percent else ""
    adjusted = "p" if len(r.pairs) < 2 or r.adjust == "none" else "adjusted p"
    score = one_line(r.value_name or "score")
    mean = f"mean {score}" if width(score) <= 12 else "mean"
    for whom in (one_line(anchor), "control" if r.control else "first"):
        columns = ("learner", "mean rank", mean, f"median difference to {whom}{unit}", "won–tied–lost", adjusted)
        table = Table(columns=columns, rows=tuple(rows))
        if width(whom) <= LONGEST_HEADING and max(map(width, table.text(WIDTH).splitlines())) <= WIDTH:
            break  # a long name would push the table beyond the page
    return table


def scores_table(r: LearnerRanking) -> Table | None:
    """Each data set's scores; ▼ marks a learner that is worse there than the best ranked one, ▲ one that is better."""
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
            mark = "" if c is None or not _differs(r, c) else "▲" if r.gaps(m, anchor)[d] > 0 else "▼"
            cells.append(number(by_name[m]) + (mark or " " if marked else ""))
        rows.append((d, *cells))
    count = len({frozenset((c.first, c.second)) for c in r.within})
    over = f", adjusted over the {count} pairs of each data set" if count > 1 else ""
    title = filled(f"▼ worse than {one_line(anchor)} there, ▲ better (corrected t over folds{over})", WIDTH)
    title = title if marked else ""
    # Long names are cut as far as the numbers beneath them are narrow, and stay different.
    most = max(8, (WIDTH - max(width(one_line(d)) for d in ("data set", *r.data_sets))) // len(r.order) - 2)
    names = short_names([one_line(m) for m in r.order], most)
    table = Table(columns=("data set", *names), rows=tuple(rows), title=title)
    return table if max(width(line) for line in table.text(WIDTH).splitlines()) <= WIDTH else None


def _pairs_matrix(r: LearnerRanking) -> Table:
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
            gap = _signed(r, means[a] - means[b])
            cells.append(f"{gap} · {wins}–{ties}–{losses} · {p_value(deciding_p(pair))}")
        rows.append((a, *cells))
    return Table(columns=("row against column", *r.order), rows=tuple(rows))


def _differs(r: LearnerRanking, c: Contrast) -> bool:
    """Whether a pair differs clearly at the level."""
    return deciding_p(c) <= r.alpha


def _points(r: LearnerRanking, x: float) -> float:
    """A difference in points, where scores are shares or percentages."""
    return 100 * x if r.share else x


def _amount(r: LearnerRanking, x: float) -> str:
    """A size without its sign."""
    if not (r.share or r.percent):
        return number(abs(x))
    amount = f"{abs(_points(r, x)):.1f}"
    return f"{amount} point{'' if amount == '1.0' else 's'}"


def _signed(r: LearnerRanking, x: float) -> str:
    """A size with its sign, without a unit."""
    return fixed(_points(r, x), 1, sign=True) if r.share or r.percent else real_minus(f"{x:+.3g}")


SHOWN = 6


def _verdict(r: LearnerRanking) -> str:
    """The verdict in a few sentences."""
    if r.control is not None:
        return _against_control(r)
    if len(r.data_sets) == 1:
        return _one_data_set(r)
    if len(r.names) == 2:
        return _two(r)
    if not r.within and r.smallest_p > r.alpha:
        return _too_few(r)
    return " ".join(_many(r))


def ranking_headline(r: LearnerRanking) -> str:
    """The first sentence of the verdict of several learners over data sets that can show a difference; else nothing."""
    several = r.control is None and len(r.data_sets) > 1 and len(r.names) > 2
    return _many(r)[0] if several and (r.within or r.smallest_p <= r.alpha) else ""


def _too_few(r: LearnerRanking) -> str:
    """Where no result could reach the level: that says nothing about the learners, so the verdict is about the test."""
    n, best, test = len(r.data_sets), r.best, "" if r.pair_test is None else r.pair_test.name
    tied = [m for m in r.order if math.isclose(r.ranks[m], r.ranks[best], rel_tol=1e-12)]
    beaten = [m for m in r.order[1:] if all(gap > 0 for gap in r.gaps(best, m).values())]
    words = f"{_named(tied)} {'tie for' if len(tied) > 1 else 'has'} the best mean rank, {r.ranks[best]:.2f}"
    if beaten:
        whom = [f"{one_line(m)} {_span_of(r, best, m)}" for m in beaten[-2:][::-1]]
        who = f"; {one_line(best)}" if len(tied) > 1 else ", and"
        words += f"{who} is ahead of {listing(whom)} on {'both' if n == 2 else f'all {numeral(n)}'}"
    ways = []
    if r._smallest_p(n, len(r.names) - 1) <= r.alpha:
        ways.append("comparing with one learner, named beforehand (reference=)")
    if nemenyi_distance(len(r.names), n, r.alpha) < len(r.names) - 1:
        ways.append('comparing mean ranks (method="nemenyi")')
    ways.append(
        f"{numeral(next(m for m in range(n, 200) if r._smallest_p(m, len(r.pairs)) <= r.alpha))} data sets or more"
    )
    return (
        f"{capitalised(numeral(n))} data sets are too few for the {test} test to show a clear difference between "
        f"any two, whatever the scores (its smallest p is {r.smallest_p:.2g}). {words}. "
        f"What could: {listing(ways, 'or')}."
    )


def _span_of(r: LearnerRanking, best: str, m: str) -> str:
    gaps = r.gaps(best, m).values()
    return f"({_span(r, min(gaps), max(gaps))})"


def _one_data_set(r: LearnerRanking) -> str:
    """What the folds of a single data set say; without folds there is nothing to judge by."""
    best = r.best
    if not r.within:
        tied = [m for m in r.order if r.gaps(best, m)[r.data_sets[0]] == 0]
        who = f"{_named(tied)} tie for the best score" if len(tied) > 1 else f"{one_line(best)} has the best score"
        return f"{who}, but one score each on one data set cannot show a difference."
    behind = [m for m in r.order[1:] if _worse_throughout(r, m, best)]
    front = [m for m in r.order if m not in behind]
    sure = all(surety(deciding_p(c), r.alpha) == "clear" for m in behind for c in _within(r, best, m))
    parts = [f"{one_line(best)} is {'' if sure else 'probably '}best on this data set."]
    if len(front) > 1:
        parts = [f"No clear winner on this data set: {_named(front)} are too close to call."]
        nearest = r.on(r.data_sets[0], best, front[1])
        if nearest is not None:
            gap = r.gaps(best, front[1])[r.data_sets[0]]
            parts.append(f"{one_line(front[1])} is {_amount(r, gap)} behind ({p_value(deciding_p(nearest))}).")
    parts += [_throughout(r, m, best) for m in behind[:3]]
    return " ".join(parts)


def _many(r: LearnerRanking) -> list[str]:
    best = r.best
    behind = [m for m in r.order[1:] if r.told_apart(best, m) and r.gap(best, m) > 0]
    against = [m for m in r.order[1:] if r.told_apart(best, m) and r.gap(best, m) <= 0]
    weak = [m for m in r.order[1:] if m not in (*behind, *against) and _worse_throughout(r, m, best)]
    front = [m for m in r.order if m not in behind and m not in weak]
    if len(front) > 1:
        together = any(set(front) <= set(group) for group in r.groups)
        whom = _named(front) if together else f"{one_line(best)} and any of {_named(front[1:])}"
        parts = [f"No clear winner: {whom} are too close to call."]
        if against:
            parts = [f"No clear winner: {one_line(best)} has the best mean rank, but pair by pair {_named(against)} "
                     f"{'is' if len(against) == 1 else 'are'} ahead of it."]  # fmt: skip
        elif not behind and not weak:
            parts += _lead(r, front[1])
    elif weak:
        parts = [f"{one_line(best)} leads, but the data sets are too few to call it best overall."]
    else:
        sure = all(surety(deciding_p(r[best, m]), r.alpha) == "clear" for m in behind)
        parts = [f"{one_line(best)} is {'' if sure else 'probably '}best overall."]
    if behind:
        parts.append(_behind(r, behind, best))
    parts += [_throughout(r, m, best) for m in weak[:3]]
    return parts + ([_speaks_of(r, weak[:3], best)] if weak else [])


def _lead(r: LearnerRanking, second: str) -> list[str]:
    """By how much the first is ahead of the next one, where nothing is settled."""
    first, second_rank = r.best, r.ranks[second]
    if math.isclose(r.ranks[first], second_rank, rel_tol=1e-12):
        return []
    gap, p = r.gap(first, second), p_value(deciding_p(r[first, second]))
    size = f"{_amount(r, gap)} behind in the median, {p}" if gap > 0 else p
    best = f"{one_line(first)} has the best mean rank, {r.ranks[first]:.2f}"
    return [f"{best}; the next is {one_line(second)} with {second_rank:.2f} ({size})."]


def _speaks_of(r: LearnerRanking, weak: list[str], best: str) -> str:
    """Over what that was said: single data sets, which is not the same as all of them."""
    n = len(r.data_sets)
    every = "both" if n == 2 else f"all {numeral(n)}"
    smallest = min(deciding_p(r[best, m]) for m in weak)
    who = f"{one_line(weak[0])} has" if len(weak) == 1 else "none of them has"
    difference = f"{'no' if len(weak) == 1 else 'a'} clear difference from {one_line(best)}"
    return f"That is by the folds of single data sets; over {every} {who} {difference} ({p_value(smallest)})."


def _behind(r: LearnerRanking, behind: list[str], best: str) -> str:
    """Learners that the test over data sets puts behind the best one, with sizes beside the p-values."""
    said = []
    for m in behind[:3]:
        gaps = list(r.gaps(best, m).values())
        lost = sum(g > 0 for g in gaps)
        size = f"(median {_amount(r, r.gap(best, m))}, {p_value(deciding_p(r[best, m]))})"
        said.append(f"{one_line(m)} is worse than {one_line(best)} on {_lost(lost, len(gaps))} {size}.")
    if len(behind) > 3:
        return f"{_named(behind)} rank behind {one_line(best)} over the data sets. The nearest: {said[0]}"
    return " ".join(said)


def _lost(lost: int, n: int) -> str:
    return f"all {n:,} data sets" if lost == n else f"{lost:,} of {n:,} data sets"


def _worse_throughout(r: LearnerRanking, m: str, best: str) -> bool:
    """Whether a learner loses on every data set, and clearly or probably on at least one by its folds."""
    if not all(gap > 0 for gap in r.gaps(best, m).values()):
        return False
    return any(_differs(r, c) for c in _within(r, best, m))


def _throughout(r: LearnerRanking, m: str, best: str) -> str:
    gaps = list(r.gaps(best, m).values())
    n = len(gaps)
    where = "" if n == 1 else " on both" if n == 2 else f" on all {numeral(n)}"
    span = _span(r, min(gaps), max(gaps))
    tested = _within(r, best, m)
    sure = [c.name for c in tested if surety(deciding_p(c), r.alpha) == "clear"]
    likely = [c.name for c in tested if surety(deciding_p(c), r.alpha) == "probable"]
    words = []
    for names, how in ((sure, "clearly"), (likely, "probably")):
        if names:
            words.append(how if n == 1 else f"{how} on {_named(names)}")
    return f"{one_line(m)} is worse{where} ({span}), {', '.join(words)}."


def _two(r: LearnerRanking) -> str:
    best, other = r.order
    c = r[best, other]
    gaps = list(r.gaps(best, other).values())
    p = deciding_p(c)
    middle = r.gap(best, other)
    # The winner is whom the test puts ahead, which need not be who won more often.
    if p <= r.alpha and middle < 0:
        best, other = other, best
        gaps, middle, c = [-g for g in gaps], -middle, r[best, other]
    a, b, n = one_line(best), one_line(other), len(gaps)
    ahead = sum(g > 0 for g in gaps)
    won = "both" if ahead == n == 2 else f"all {n:,}" if ahead == n else f"{ahead:,} of {n:,}"
    score = f"{a} is ahead on {won} data sets, {_middle(r, middle, b)}"
    low, high = (c.low, c.high) if r.higher_is_better else (-c.high, -c.low)
    if r.pair_test and math.isfinite(low) and math.isfinite(high):
        score += f", {percent(round(1 - r.alpha, 6))} CI {_signed(r, low)} to {_signed(r, high)}"
    if all(g == 0 for g in gaps):
        return f"No clear difference: {a} and {b} tie on every data set. That does not mean that they are equally good."
    if p <= r.alpha:
        sure = "" if surety(p, r.alpha) == "clear" else "probably "
        parts = [f"{a} is {sure}better over data sets like these: {score} ({p_value(p)})."]
    else:
        parts = [f"Too close to call overall: {score} ({p_value(p)})."]
        if _worse_throughout(r, other, best):
            parts += [_throughout(r, other, best), "That is by the folds of single data sets."]
    mean = statistics.fmean(gaps)
    if r.pair_test and p <= r.alpha and mean < middle / 2:
        parts.append(
            f"On average the difference is {_signed(r, mean)}{' points' if r.share or r.percent else ''}: signed "
            "ranks describe the middle of the differences, and some data sets lie far on the other side."
        )
    return " ".join(parts)


def _middle(r: LearnerRanking, gap: float, other: str) -> str:
    """The middle of the differences, and in whose favour it is."""
    if _signed(r, gap) == "0.0" or gap == 0:
        return "with a median difference of 0"
    return f"by {_amount(r, gap)} in the median" if gap > 0 else f"but {_amount(r, gap)} behind {other} in the median"


def _against_control(r: LearnerRanking) -> str:
    control = str(r.control)
    others = [m for m in r.order if m != control]
    apart = [m for m in others if r.told_apart(control, m)]
    parts = []
    for ahead, word in ((True, "better"), (False, "worse")):
        for m in apart:
            middle, p = r.gap(m, control), deciding_p(r[m, control])
            # Tests of mean ranks go by these, signed ranks by the middle of the differences.
            better = middle > 0 if r.pair_test else r.ranks[m] < r.ranks[control]
            if better == ahead:
                sure = "" if surety(p, r.alpha) == "clear" else "probably "
                size = f"{_middle(r, middle if ahead else -middle, one_line(control) if ahead else one_line(m))}"
                parts.append(f"{one_line(m)} is {sure}{word} than {one_line(control)} ({size}, {p_value(p)}).")
    unclear = [m for m in others if m not in apart]
    if unclear:
        verb = "has" if len(unclear) == 1 else "have"
        parts.append(f"{_named(unclear)} {verb} no clear difference from {one_line(control)}.")
    return " ".join(parts)


def _overall_lines(r: LearnerRanking) -> tuple[str, ...]:
    """The test of any difference, the critical difference and the posterior, where there are these."""
    lines = [r._omnibus()] if len(r.names) > 2 else []
    if r.posterior is not None:
        p = r.posterior
        first, second = (one_line(m) for m in r.names)
        middle = f"no difference beyond ±{_amount(r, p.rope_width)} {chance_words(p.rope)}, " if p.rope_width else ""
        lines.append(
            f"Posterior probabilities (Bayesian signed rank; prior: half a data set without a difference): {first} "
            f"better {chance_words(p.right)}, {middle}{second} better {chance_words(p.left)}."
        )
    if r.critical_difference is not None:
        lines.append(f"Mean ranks must lie {r.critical_difference:.2f} apart to differ clearly ({r.method}).")
    return tuple(lines)


def _footer_lines(r: LearnerRanking) -> tuple[str, ...]:
    how = f"Methods: {r.method} over data sets at {percent(round(r.alpha, 6))}"
    if r.pair_test and len(r.pairs) > 1:
        how += f", {r.adjust} over {len(r.pairs)} pairs"
    if r.within:
        count = len({frozenset((c.first, c.second)) for c in r.within})
        how += "; corrected t within data sets" + (f", adjusted over the {count} pairs of each" if count > 1 else "")
    how += "; .explain() for more."
    if r.pair_test:
        return (f"Differences are medians over data sets ({r.pair_test.middle}), not differences of the means.", how)
    return (how,)


def _within(r: LearnerRanking, first: str, second: str) -> list[Contrast]:
    contrasts = (r.on(d, first, second) for d in r.data_sets)
    return [c for c in contrasts if c is not None]


def _span(r: LearnerRanking, low: float, high: float) -> str:
    """ "by 4 to 13 points": whole points where the smaller is two or more."""
    if not (r.share or r.percent):
        return f"by {number(low)}" if low == high else f"by {number(low)} to {number(high)}"
    digits = 0 if _points(r, low) >= 1.95 else 1
    a, b = (f"{_points(r, x):.{digits}f}" for x in (low, high))
    return f"by {a if a == b else f'{a} to {b}'} point{'' if a == b and float(a) == 1 else 's'}"


def _named(models: list[str]) -> str:
    return some([one_line(m) for m in models], SHOWN if len(models) <= SHOWN else SHOWN - 1)
