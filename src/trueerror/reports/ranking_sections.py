"""The page about a ranking of learners over data sets."""

from __future__ import annotations

from trueerror.reports.any_sections import findings_of
from trueerror.reports.asked import Asked
from trueerror.reports.contents import Contents
from trueerror.reports.html_tables import html_table
from trueerror.reports.markup import Section
from trueerror.reports.methods_words import Used
from trueerror.reports.pictures import Gallery
from trueerror.reports.verdicts import of_ranking
from trueerror.significance.ranking import Ranking
from trueerror.verbs.learner_ranking import LearnerRanking
from trueerror.verbs.learner_ranking_tables import scores_table

TITLE = "Which learner is best over these data sets?"
# With more learners than this a matrix of pairs cannot be read.
MOST_PAIRED = 12


def about_ranking(ranking: Ranking, gallery: Gallery, asked: Asked) -> Contents:
    """Mean ranks, who can be told apart, and the scores behind them."""
    asked.refuse("a ranking", allowed=("ignore",))
    blocks = [gallery.figure(ranking), html_table(ranking._table(), title="Mean ranks; 1 is best", sortable=True)]
    then: list[Section] = []
    if isinstance(ranking, LearnerRanking):
        scores = scores_table(ranking)
        if scores is not None:
            then.append(Section(key="scores", title="Scores by data set", blocks=(html_table(scores),)))
        if len(ranking.names) <= MOST_PAIRED:
            pairs = html_table(ranking.matrix(), title="Row against column: mean difference · won–tied–lost · p")
            then.append(Section(key="pairs", title="All pairs", blocks=(pairs,), folded=True))
    sets = "1 data set" if ranking.n == 1 else f"{ranking.n:,} data sets"
    reading = getattr(ranking, "reading", "") or f"Read {sets} × {len(ranking.names)} models."
    return Contents(
        title=TITLE,
        names=ranking.names,
        verdicts=((of_ranking(ranking), " ".join(ranking.verdict.split())),),
        reading=reading,
        estimand="Estimates: these learners on data sets like these.",
        first=(Section(key="ranks", title="Mean ranks", blocks=tuple(blocks), lead=ranking.note),),
        then=tuple(then),
        findings=findings_of(ranking),
        used=ranking_methods(ranking),
        confidence=1 - ranking.alpha,
    )


def ranking_methods(ranking: Ranking) -> Used:
    """The methods behind a ranking."""
    used: Used = {ranking.method: ["pairs of learners over data sets"]}
    adjust = getattr(ranking, "adjust", "none")
    if ranking.method in ("wilcoxon", "sign") and adjust != "none" and len(ranking.pairs) > 1:
        used[adjust] = [f"p-values of {len(ranking.pairs)} pairs"]
    if len(ranking.names) > 2:
        used |= {"friedman": ["any difference at all"], "iman-davenport": ["any difference at all"]}
    if getattr(ranking, "within", ()):
        used["corrected-t-test"] = ["pairs within a data set"]
    return used
