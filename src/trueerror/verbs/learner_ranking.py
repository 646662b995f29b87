"""A ranking of learners over data sets, with what their folds say within each data set."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from trueerror.findings import Findings
from trueerror.results import Contrast, Posterior, Table, Text
from trueerror.significance.mirrored import mirrored
from trueerror.significance.multiplicity import adjust
from trueerror.significance.ranking import Ranking


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LearnerRanking(Ranking):
    """Learners ranked over data sets: mean ranks, tests of pairs over data sets, and tests within each data set.

    `scores` are data sets × learners, folds averaged. `within` compares pairs on one data set each (`name`) by the
    corrected t-test over its folds, adjusted over all of them; it is empty without folds. `posterior` is the Bayesian
    signed-rank test of two learners. `share` says whether scores are shares, so that differences are in points.
    """

    data_sets: tuple[str, ...] = ()
    scores: tuple[tuple[float, ...], ...] = ()
    adjust: str = "holm"
    within: tuple[Contrast, ...] = ()
    posterior: Posterior | None = None
    share: bool = False
    value_name: str = ""
    reading: str = ""
    findings: Findings = field(default_factory=Findings)

    @property
    def means(self) -> dict[str, float]:
        """The mean score of each learner over the data sets, best rank first."""
        columns = list(zip(*self.scores, strict=True))
        by_name = {name: sum(c) / len(c) for name, c in zip(self.names, columns, strict=True)}
        return {name: by_name[name] for name in self.order}

    def gaps(self, first: str, second: str) -> dict[str, float]:
        """By how much the first is better than the second on each data set; below 0 where it is worse."""
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
        """The smallest adjusted p-value that a pair could have over so many data sets, whatever the scores: 2^(1 − N)
        for each pair, adjusted. It is 0 for methods that compare mean ranks, which have no such limit.
        """
        return self._smallest_p(len(self.data_sets), len(self.pairs))

    def _smallest_p(self, data_sets: int, pairs: int) -> float:
        if self.method not in ("wilcoxon", "sign"):
            return 0.0
        return float(adjust([math.ldexp(1.0, 1 - data_sets)] * max(pairs, 1), self.adjust)[0])  # type: ignore[arg-type]

    @property
    def verdict(self) -> str:
        """What the ranking says, in a few sentences; learners that were not told apart are never called equal."""
        from trueerror.verbs.learner_ranking_words import verdict

        return verdict(self)

    def wins(self) -> Table:
        """Won–tied–lost of each learner (row) against each other (column), over data sets."""
        rows = []
        for a in self.order:
            cells = ["" if a == b else _outcome(self.gaps(a, b)) for b in self.order]
            rows.append((a, *cells))
        return Table(columns=("won–tied–lost", *self.order), rows=tuple(rows))

    def matrix(self) -> Table:
        """All pairs at a glance: mean difference, won–tied–lost and adjusted p of row against column."""
        from trueerror.verbs.learner_ranking_tables import comparison_matrix

        return comparison_matrix(self)

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

        keys = [self.method, *([self.adjust] if self.method in ("wilcoxon", "sign") and len(self.pairs) > 1 else [])]
        keys += ["friedman", "iman-davenport"] if len(self.names) > 2 else []
        keys += ["corrected-t-test"] if self.within else []
        keys += ["bayes-signed-rank"] if self.posterior is not None else []
        return Text("\n\n".join([self.reading, *(explain(key) for key in keys if key != "none")]))

    def _table(self) -> Table:
        from trueerror.verbs.learner_ranking_tables import ranks_table

        return ranks_table(self)

    def __str__(self) -> str:
        from trueerror.verbs.learner_ranking_words import ranking_text

        return ranking_text(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from trueerror.verbs.learner_ranking_words import ranking_html

        return ranking_html(self)


def _outcome(gaps: dict[str, float]) -> str:
    values = gaps.values()
    return f"{sum(v > 0 for v in values)}–{sum(v == 0 for v in values)}–{sum(v < 0 for v in values)}"
