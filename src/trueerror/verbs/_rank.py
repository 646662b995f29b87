"""`te.rank`: which learner is best over several data sets?"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from trueerror.findings import Evidence, Findings, find
from trueerror.inference._bayes import bayes_signed_rank
from trueerror.inference._many import ADJUSTMENTS, Adjustment, adjust_contrasts, together_with_best
from trueerror.inference._many import adjust as adjusted
from trueerror.inference.loss._t_tests import corrected_t
from trueerror.inference.ranking import _rank_tests as rank_tests
from trueerror.inference.ranking._ranking import Ranking
from trueerror.inputs._options import InputError, Rng, check_confidence, check_word, in_few_words, nearest
from trueerror.inputs._words import speaks
from trueerror.people._score_sheet import USUAL_FOLDS, Columns, MissingScores, ScoreSheet, read_sheet, sheet_of_folds
from trueerror.results import Contrast, Posterior
from trueerror.sources._models import FoldTable, is_fold_result
from trueerror.sources._open_tables import check_table_name
from trueerror.sources.columns import _names as naming
from trueerror.sources.logs.sklearn_cv import fold_table
from trueerror.verbs._ranking_result import LearnerRanking

PostHoc = Literal["wilcoxon", "sign", "nemenyi", "bonferroni-dunn", "shaffer"]
METHODS = (*rank_tests.PAIR_TESTS, "nemenyi", "bonferroni-dunn", "shaffer")
Together = Literal["westfall-young"] | Adjustment
# Beyond this many tests within data sets only those with the best learner are made.
MOST_WITHIN = 5000
# Differences of shares up to here are taken as no difference that matters, unless rope= says otherwise.
ROPE = 0.01
# Means of losses below 1 are no shares, and their differences no points.
LOSS = r"(?<!zeroone)(?<!01)loss|brier|entropy|mse|mae|deviance"
PERCENT_WORDS = frozenset(("accuracy", "error", "auc", "f1", "recall", "precision", "rate", "acc"))


@speaks
def rank(
    scores: Any, *, higher_is_better: bool = True, method: PostHoc = "wilcoxon", adjust: Together = "westfall-young",
    reference: str | None = None, family: Any = None, confidence: float = 0.95, missing: MissingScores = "error",
    dataset: str | None = None, learner: str | None = None, fold: str | None = None, repeat: str | None = None,
    value: str | None = None, names: Iterable[Any] | None = None, test_train_ratio: float | None = None,
    rope: float | None = None, rng: Rng = None, cv: Any = None, table: str | None = None,
) -> LearnerRanking:  # fmt: skip
    """Rank learners over data sets, and say between which of them there is a clear difference.

    `scores` is a path, a data frame, a mapping of columns or an array. Wide: a row for each data set (and fold), a
    column for each learner. Long: columns of data set, learner, value, and fold where there are folds; columns with
    plain names are recognised. Folds are averaged within a data set and never counted as data sets; all learners must
    have the same folds. A cell without a score is an error, unless `missing="drop"` leaves out its data set (or fold).
    `table="name"` chooses a table of a SQLite or DuckDB file that holds several, or a sheet of a workbook.

    Pairs are compared over data sets by Wilcoxon's signed-rank test, and judged together by turning the signs of data
    sets (Westfall and Young; `adjust` may be "holm" and others). `method` may be "sign", "nemenyi", "shaffer" or
    "bonferroni-dunn" (against `reference`); the last three compare mean ranks and so depend on which other learners are
    in the pool. `reference` compares with one learner only. `family` says which data sets belong together: a column, a
    mapping of their names, or "stem", the first word of each name; they are averaged, and families are counted. If
    there are folds, each data set is looked at by itself too, with the corrected t-test (`test_train_ratio`, 1/(k − 1)
    for k folds), adjusted over the pairs of that data set. Results of cross_validate by name, and arrays of
    cross_val_score with the splitter as `cv`, are folds of one data set. Signed ranks describe the middle of the
    differences (Hodges–Lehmann), which is what is shown, not their mean. For two learners on data sets enough for the
    test the Bayesian signed-rank test says how probable a difference beyond ±`rope` is (0.01 for shares, 1 for
    percentages). Demšar 2006, JMLR 7:1; Benavoli, Corani and Mangili 2016, JMLR 17:5.

    >>> made = rank({"a": [0.9, 0.8, 0.9, 0.9, 0.7, 0.8], "b": [0.8, 0.7, 0.7, 0.8, 0.6, 0.6]})
    >>> made.best, round(made["a", "b"].p_value, 3)
    ('a', 0.031)
    """
    check_word(method, METHODS, "method")
    check_word(adjust, (rank_tests.TOGETHER, *ADJUSTMENTS), "adjust")
    check_word(missing, ("error", "drop"), "missing")
    level = round(1 - check_confidence(confidence), 12)
    check_table_name(scores, table)
    column = family if isinstance(family, str) and family != "stem" else None
    columns = Columns(dataset, learner, fold, repeat, value, column)
    sheet = _folds_alone(scores, columns, cv, test_train_ratio)
    if sheet is None:
        sheet = read_sheet(scores, columns, names=names, missing=missing, table=table)
    if reference is not None and str(reference) not in sheet.learners:
        raise InputError(f"reference={reference!r} is not among the learners{nearest(reference, sheet.learners)}")
    if test_train_ratio is not None and not sheet.has_folds:
        raise InputError("test_train_ratio= is for folds within data sets, and these scores have none")
    if rope is not None and len(sheet.learners) != 2:
        raise InputError(f"rope= is for the comparison of two learners, and there are {len(sheet.learners)}")
    sheet = sheet if family is None else by_family(sheet, family)
    return rank_sheet(
        sheet, higher_is_better=bool(higher_is_better), method=method, adjust=adjust,
        control=None if reference is None else str(reference), alpha=level, rope=rope, rng=rng,
        test_train_ratio=test_train_ratio,
    )  # fmt: skip


def by_family(sheet: ScoreSheet, asked: Any) -> ScoreSheet:
    """Families in the place of data sets, which are averaged: by a column, a mapping of names, or first words."""
    known = asked if isinstance(asked, Mapping) else sheet.families.get(str(asked), {})
    lacking = next((d for d in sheet.data_sets if d not in known), None)
    if lacking is not None:
        how = 'name a column, a mapping of data sets to families, or "stem" where names begin alike'
        raise InputError(f"family={in_few_words(asked)} has no family of {lacking!r:.60}: {how}")
    codes = np.array([str(known[d]) for d in sheet.data_sets])
    names = tuple(dict.fromkeys(codes.tolist()))
    return replace(
        sheet, data_sets=names, parts=tuple(sheet.means[codes == name].mean(axis=0)[None] for name in names),
        folds=(sheet.folds[0][:1],) * len(names), ratios=(), family=None,
        notes=(*sheet.notes, f"{len(codes):,} data sets are averaged within {len(names):,} families."),
    )  # fmt: skip


def _folds_alone(scores: Any, columns: Columns, cv: Any, ratio: float | None) -> ScoreSheet | None:
    """The folds of one data set, where that is what was handed over: results of cross_validate, a search, cv=."""
    if cv is None and not is_fold_result(scores):
        return None
    if columns.value is not None and not isinstance(columns.value, str):
        raise InputError(f"value={in_few_words(columns.value)} must be the name of a column of scores")
    if cv is not None and hasattr(scores, "columns") and not isinstance(scores, Mapping):
        scores = {str(c): np.asarray(scores[c]) for c in scores.columns}
    table = scores if isinstance(scores, FoldTable) else fold_table(scores, cv=cv, test_train_ratio=ratio,
                                                                    score=columns.value)  # fmt: skip
    if table is None:
        raise InputError('cv= goes with scores of folds of one data set: {"learner": scores}, or a frame of them')
    return sheet_of_folds(table)


def rank_sheet(
    sheet: ScoreSheet, *, higher_is_better: bool = True, method: PostHoc = "wilcoxon",
    adjust: Together = "westfall-young", control: str | None = None, alpha: float = 0.05,
    test_train_ratio: float | None = None, rope: float | None = None, rng: Rng = None,
) -> LearnerRanking:  # fmt: skip
    """Rank a sheet that was read."""
    m = sheet.matrix(higher_is_better=higher_is_better)
    loss = re.search(LOSS, naming.bare(sheet.value_name)) is not None
    share = not loss and all(part.min() >= 0 and part.max() <= 1 for part in sheet.parts)
    percent = not share and _percentages(sheet, higher_is_better)
    base = _over_data_sets(m, method, adjust, control, alpha)
    within = _within_data_sets(
        sheet, base, test_train_ratio, "holm" if adjust == rank_tests.TOGETHER else adjust, 1 - alpha
    )
    posterior: Posterior | None = None
    width = (ROPE if share else 100 * ROPE if percent else 0.0) if rope is None else rope
    # Without a region of no difference the posterior of a few data sets is sure where no test could be.
    enough = math.ldexp(1.0, 1 - m.n) <= alpha
    if m.k == 2 and (enough or (m.n > 1 and rope)):
        first, second = (m.values[:, j] if higher_is_better else -m.values[:, j] for j in (0, 1))
        posterior = replace(
            bayes_signed_rank(first, second, rope=width, rng=rng), name=f"{m.models[0]} and {m.models[1]}"
        )
    known = {f.name: getattr(base, f.name) for f in fields(Ranking)}
    made = LearnerRanking(
        **known, data_sets=m.datasets, scores=tuple(tuple(float(v) for v in row) for row in m.values), adjust=adjust,
        within=within, posterior=posterior, share=share, percent=percent or None,
        value_name=sheet.value_name, reading=_reading(sheet, higher_is_better, test_train_ratio is not None),
    )  # fmt: skip
    return replace(made, findings=_findings(sheet, made))


def _percentages(sheet: ScoreSheet, higher_is_better: bool) -> bool:
    """Whether scores are shares written as percentages: 0 to 100, by their name or by their size.

    Scores between 20 and 100 of which higher is better are taken for percentages; errors and losses only by name.
    """
    low, high = min(part.min() for part in sheet.parts), max(part.max() for part in sheet.parts)
    if low < 0 or high > 100 or high <= 1:
        return False
    name = sheet.value_name.lower().replace("_", " ").replace("-", " ")
    if "%" in name or "percent" in name:
        return True
    # Shares among which one is above 1 are no percentages, whatever they are called.
    mostly = float(np.median(np.concatenate(sheet.parts))) > 1
    return mostly and (any(word in name.split() for word in PERCENT_WORDS) or (higher_is_better and low >= 20))


def _over_data_sets(
    m: rank_tests.ScoreMatrix, method: PostHoc, adjust: Together, control: str | None, alpha: float
) -> Ranking:
    if method == "bonferroni-dunn":
        if control is None:
            raise InputError(f'method="bonferroni-dunn" needs reference=, one of {", ".join(map(repr, m.models))}')
        return rank_tests.bonferroni_dunn(m, control=control, confidence=1 - alpha)
    if method in ("nemenyi", "shaffer"):
        if control is not None:
            raise InputError(
                f'method={method!r} compares all pairs; for reference= use "wilcoxon" or "bonferroni-dunn"'
            )
        return (rank_tests.nemenyi if method == "nemenyi" else rank_tests.shaffer)(m, confidence=1 - alpha)
    column, test = dict(zip(m.models, m.values.T, strict=True)), rank_tests.PAIR_TESTS[method]
    pairs = [
        replace(test.test(column[a], column[b], confidence=1 - alpha), name="median difference", first=a, second=b)
        for a, b in rank_tests.pairs_of(m.models, control)
    ]
    own = [p.p_value for p in pairs]
    together = rank_tests.judged_together(m, test, pairs) if adjust == rank_tests.TOGETHER else adjusted(own, adjust)
    return rank_tests.ranking_of(m, pairs, together, method, alpha, control=control)


def _within_data_sets(
    sheet: ScoreSheet, base: Ranking, ratio: float | None, adjust: Adjustment, confidence: float
) -> tuple[Contrast, ...]:
    """Pairs on one data set each, over its folds, adjusted over the pairs of that data set."""
    pairs = list(combinations(range(len(sheet.learners)), 2))
    anchor = base.best if base.control is None else base.control
    if base.control is not None or len(pairs) * len(sheet.parts) > MOST_WITHIN:
        best = sheet.learners.index(anchor)
        pairs = [(best, j) for j in range(len(sheet.learners)) if j != best]
    contrasts: list[Contrast] = []
    for i, part in enumerate(sheet.parts):
        share = sheet.split_ratio(i) if ratio is None else float(ratio)
        if len(part) < 2 or math.isnan(share):
            continue
        here: list[Contrast] = []
        for a, b in pairs:
            contrast = corrected_t(part[:, a] - part[:, b], test_train_ratio=share, confidence=confidence)
            first, second = sheet.learners[a], sheet.learners[b]
            here.append(replace(contrast, name=sheet.data_sets[i], first=first, second=second))
        best_first = np.argsort(part.mean(axis=0) * (-1 if base.higher_is_better else 1), kind="stable")
        order = tuple(sheet.learners[j] for j in best_first)
        together = together_with_best(here, order, base.control, adjust, math.inf)
        nearer = {frozenset((c.first, c.second)): c for c in together}
        contrasts += [nearer.get(frozenset((c.first, c.second)), c) for c in adjust_contrasts(here, adjust, every=True)]
    return tuple(contrasts)


def _reading(sheet: ScoreSheet, higher_is_better: bool, ratio_given: bool) -> str:
    n, k = len(sheet.data_sets), len(sheet.learners)
    unnamed = not sheet.has_folds and n > 1 and sheet.data_sets == tuple(str(i + 1) for i in range(n))
    hint = f" (rows without a name count as data sets; for folds say cv={n})" if unnamed else ""
    text = f"Read {n:,} data set{'' if n == 1 else 's'}{hint} × {k:,} learners"
    if sheet.has_folds:
        sizes = [len(folds) for folds in sheet.folds]
        repeats = {len({key.repeat for key in folds}) for folds in sheet.folds}
        count = f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
        if len(repeats) == 1 and (r := next(iter(repeats))) > 1 and min(sizes) == max(sizes) and sizes[0] % r == 0:
            count = f"{r} repeats of {sizes[0] // r}"
        text += f" × {count} folds; the same folds for all learners"
        if max(sizes) > USUAL_FOLDS and repeats == {1} and not sheet.ratios and not ratio_given:
            text += ", taken for parts of one cross-validation (for random splits give test_train_ratio=)"
    direction = "Higher" if higher_is_better else "Lower"
    better = f"{direction} {sheet.value_name or 'scores'} {'is' if sheet.value_name else 'are'} better."
    return " ".join((f"{text}.", better, *sheet.notes))


def _findings(sheet: ScoreSheet, made: LearnerRanking) -> Findings:
    ranks = sheet.matrix(higher_is_better=made.higher_is_better).ranks
    kin = {
        name: rank_tests.kinship(ranks, [known[d] for d in sheet.data_sets]) for name, known in sheet.families.items()
    }
    evidence = Evidence(
        data_sets=len(sheet.data_sets), smallest_p=made.smallest_p, level=made.alpha, folds=sheet.has_folds,
        dropped=sheet.dropped, value_name=sheet.value_name, higher_is_better=made.higher_is_better, kinship=kin,
    )  # fmt: skip
    return find([evidence])
