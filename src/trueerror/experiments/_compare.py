"""What an experiment answers about several learners: who is better on one data set, and over all of them.

Two learners on the same test folds differ by so much; the method is the one that the plan calls for, or another.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.experiments._dataset import Dataset
from trueerror.experiments._estimate import (
    MEAN_OF_ROWS,
    Needs,
    acting_plan,
    ask,
    learner_interval,
    learner_method,
    learners_at,
    left_out,
    on_rows_like,
    rounds_of_folds,
    same_rows_each_round,
)
from trueerror.experiments._outcomes import CHOSEN, FoldPairLosses, FoldScores, ResampleResults, mean_over_rows
from trueerror.findings import Evidence, Findings, find
from trueerror.findings._rules import sorted_findings
from trueerror.inference._answer import contrast_of
from trueerror.inference._choose import row_of
from trueerror.inference._contrast import contrast, normal_p, of_better, student_quantile
from trueerror.inference._problem import IntervalSpec, Problem
from trueerror.inference.learner._fold_scores import taken_together
from trueerror.inference.learner._intervals import nested_error
from trueerror.inference.loss._t_tests import corrected_t, five_by_two_f, five_by_two_t, paired_t, unpaired_t
from trueerror.inference.proportion._paired import mcnemar_test
from trueerror.inputs._arrays import Floats
from trueerror.inputs._groups import Pairwise
from trueerror.inputs._labels import Codes, Label
from trueerror.inputs._options import InputError, Rng, check_alternative, check_confidence, check_word, nearest
from trueerror.inputs._words import speaks
from trueerror.methods._registry import LEARNERS, InferenceMethod, Kind, inference_method, methods_on
from trueerror.metrics._registry import Measure, find_measure, ranks_rows
from trueerror.people._score_sheet import FoldKey, ScoreSheet
from trueerror.resampling._plan import Plan
from trueerror.results import Alternative, Contrast
from trueerror.results._values import sentences_of
from trueerror.tallies import Confusion
from trueerror.verbs._compare import ADJUSTMENTS, assemble_comparison, compare_predictions
from trueerror.verbs._comparison import Comparison, ComparisonDetails
from trueerror.verbs._model_metrics import Settings
from trueerror.verbs._rank import by_family, rank_sheet
from trueerror.verbs._ranking_result import LearnerRanking

# What the linter calls a method.
LINTED = {"unpaired": "plain-t"}


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedLearners:
    """What all pairs of learners of an experiment share, on one data set."""

    run: ResampleResults
    data: str
    measure: Measure
    positive: Label | None
    options: Mapping[str, Any]

    @property
    def of_rows(self) -> bool:
        """Whether the metric is a mean over rows."""
        return mean_over_rows(self.measure)

    @property
    def reach(self) -> float:
        """How large a difference can be."""
        return self.measure.range[1] - self.measure.range[0]

    @cached_property
    def table(self) -> FoldScores:
        """The metric of every learner on every test fold; of a ratio of counts the parts' shares in that of all."""
        return self.run.fold_scores(self.measure.name, self.data, positive=self.positive, together=True, **self.options)

    def scores_of(self, learners: Sequence[str]) -> dict[str, tuple[float, ...]]:
        """The scores of these learners on the test folds that all of them have: what a picture shows."""
        table = self.run.fold_scores(self.measure.name, self.data, positive=self.positive, **self.options)
        values = np.stack([table.of(x) for x in learners])
        known = ~np.isnan(values.sum(axis=0))
        return {x: tuple(row[known].tolist()) for x, row in zip(learners, values, strict=True)}


class LearnerPair(NamedTuple):
    """Two learners on the same test folds."""

    learners: PairedLearners
    first: str
    second: str

    @property
    def on(self) -> Kind:
        """Two learners."""
        return LEARNERS

    @property
    def usual_method(self) -> str:
        """The method of the plan, where it suits the metric."""
        x = self.learners
        plain = x.of_rows and not x.options and x.positive is None
        return x.run.plan._pair_method if plain else Plan._pair_method

    @property
    def run(self) -> ResampleResults:
        """The experiment."""
        return self.learners.run

    @property
    def of_rows(self) -> bool:
        """Whether the metric is a mean over rows."""
        return self.learners.of_rows

    @property
    def never_differ(self) -> bool:
        """Whether no test row was judged differently."""
        x = self.learners
        both = (x.run.losses(name, x.data, x.measure.name) for name in (self.first, self.second))
        return all(np.array_equal(a, b) for (_, a), (_, b) in zip(*both, strict=True))

    def scores(self) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """The scores of both on the test folds, and on which parts both have one."""
        x = self.learners
        a, b = x.table.of(self.first), x.table.of(self.second)
        known = ~(np.isnan(a) | np.isnan(b))
        if known.sum() < 2:
            folds = "no test fold" if not known.any() else "one test fold"
            raise InputError(
                f"{self.first!r} and {self.second!r} both have a score ({x.measure.name}) on {folds} only; comparing "
                "over folds takes two: see .failures"
            )
        for name, scores in ((self.first, a), (self.second, b)):
            if np.isinf(scores).any():
                raise InputError(
                    f"the {x.measure.title} of {name!r} is infinite on {int(np.isinf(scores).sum())} test folds (a "
                    "row that was called certain was wrong), so no difference can be given; clip=1e-6 sets the highest"
                )
        return a, b, known

    def answered(self, q: Pair, chosen: InferenceMethod) -> Contrast:
        """First − second by a method: limits within what a difference can be.

        Tango's limits stand where no row was judged differently.
        """
        x = self.learners
        difference: Contrast = chosen.function(q)
        reach, note = x.reach, difference.note
        if difference.p_value == 1 and difference.estimate == 0 and x.of_rows and self.never_differ:
            z = student_quantile(q.spec.confidence, q.spec.alternative)
            reach *= z**2 / (x.run.datasets[x.data].n + z**2)
            note = "the models agree on every test row: the limits follow from the number of rows alone"
        return replace(
            of_better(difference, x.measure.higher_is_better), name=x.measure.title, first=self.first,
            second=self.second, note=note,
            low=max(difference.low, -reach), high=min(difference.high, reach),
            estimand=f"the difference in {x.measure.title} between the two learners, "
            f"at {round(float(x.table.trains.mean())):,} training rows",
        )  # fmt: skip


Pair = Problem[LearnerPair]


def _noted(difference: Contrast, known: NDArray[np.bool_]) -> Contrast:
    """With the number of test folds that are left out."""
    return replace(difference, note=sentences_of((difference.note, left_out(int((~known).sum()), len(known)))))


@inference_method("corrected-t-test", on=LEARNERS, word="corrected-t")
def corrected_t_of_pair(q: Pair) -> Contrast:
    """Part by part, with the variance that overlapping training sets add."""
    a, b, known = q.sample.scores()
    difference = corrected_t(
        (a - b)[known], test_train_ratio=q.sample.learners.table.ratio_of(known), confidence=q.spec.confidence,
        alternative=q.spec.alternative,
    )  # fmt: skip
    return _noted(difference, known)


@inference_method("paired-t", on=LEARNERS, word="plain-t", aliases=("fold-t",))
def plain_t_of_pair(q: Pair) -> Contrast:
    """Part by part, as if they were independent: optimistic."""
    a, b, known = q.sample.scores()
    return _noted(paired_t(a[known], b[known], confidence=q.spec.confidence, alternative=q.spec.alternative), known)


@inference_method("conservative-t", on=LEARNERS, word="unpaired")
def unpaired_t_of_pair(q: Pair) -> Contrast:
    """As if each learner had test folds of its own."""
    a, b, known = q.sample.scores()
    level, side = q.spec.confidence, q.spec.alternative
    return _noted(unpaired_t(a[known], b[known], df="conservative", confidence=level, alternative=side), known)


@inference_method("five-by-two-t", on=LEARNERS, aliases=("5x2-t",))
def five_by_two_t_of_pair(q: Pair) -> Contrast:
    """Dietterich's test of five repeats of two folds."""
    grid = _five_by_two(q, "five-by-two-t")
    return five_by_two_t(grid, confidence=q.spec.confidence, alternative=q.spec.alternative)


@inference_method("five-by-two-f", on=LEARNERS, aliases=("5x2-f",))
def five_by_two_f_of_pair(q: Pair) -> Contrast:
    """Alpaydin's test of the same."""
    grid = _five_by_two(q, "five-by-two-f")
    if q.spec.alternative != "two-sided":
        raise InputError("the 5×2 F-test has no sides; use method='five-by-two-t' for a one-sided test")
    return five_by_two_f(grid, confidence=q.spec.confidence)


def _five_by_two(q: Pair, word: str) -> Floats:
    """The differences, a row for each of five repeats."""
    a, b, known = q.sample.scores()
    table = q.sample.learners.table
    if len(known) != 10 or len(set(table.repeats.tolist())) != 5 or len(set(table.folds.tolist())) != 2:
        raise InputError(f"method={word!r} needs the plan te.KFold(2, repeats=5), not {q.sample.run.plan!r}")
    if not known.all():
        raise InputError(f"method={word!r} needs all ten test folds, but some have no score: see .failures")
    grid: Floats = (a - b)[np.lexsort((table.folds, table.repeats))].reshape(5, 2)
    return grid


@inference_method("bates-difference", on=LEARNERS, word="bates", applies=Needs((MEAN_OF_ROWS,)))
def bates_of_pair(q: Pair) -> Contrast:
    """Nested cross-validation of the losses' differences, row by row; of accuracy, losses are errors."""
    x, first, second = q.sample
    sign = -1.0 if x.measure.right_or_wrong == 1 else 1.0
    both = [x.run.pair_losses(name, x.data, x.measure.name) for name in (first, second)]
    gap = nested_error([_difference(a, b, sign) for a, b in zip(*both, strict=True)])
    answer = partial(
        contrast, estimate=gap.mean, whole=(-x.reach, x.reach), confidence=q.spec.confidence,
        alternative=q.spec.alternative, method="bates-difference", n=gap.rows,
    )  # fmt: skip
    if not gap.error > 0:
        same = gap.mean == 0
        note = "no row differs: the difference has no variance" if same else "the losses' differences do not vary"
        return answer(
            limits=(-np.inf, np.inf), p_value=1.0 if same else np.nan, statistic=0.0, notes=(note,),
            p_better=0.5 if same else None,
        )  # fmt: skip
    half = student_quantile(q.spec.confidence, q.spec.alternative) * gap.error
    z = gap.mean / gap.error
    return answer(
        limits=(gap.mean - half, gap.mean + half), statistic=z, p_value=normal_p(z, q.spec.alternative),
        p_better=float(special.ndtr(z)), notes=(f"{gap.inflation:.2f} times the naive standard error",),
    )  # fmt: skip


def _difference(a: FoldPairLosses, b: FoldPairLosses, sign: float) -> FoldPairLosses:
    return FoldPairLosses(
        single=tuple(sign * (x - y) for x, y in zip(a.single, b.single, strict=True)),
        pair={k: (sign * (a.pair[k][0] - b.pair[k][0]), sign * (a.pair[k][1] - b.pair[k][1])) for k in a.pair},
    )


@partial(speaks, room="experiment", name="compare")
def compare_learners(
    run: ResampleResults,
    metric: str = "accuracy",
    data: str | None = None,
    *,
    learners: Sequence[str] | None = None,
    method: str | None = None,
    reference: str | None = None,
    adjust: str = "holm",
    margin: float | None = None,
    positive: Label | None = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    rng: Rng = None,
    **options: Any,
) -> Comparison:
    """Which learner is better on one data set, by how much, and how sure that is.

    All learners were tested on the same parts, so pairs are compared part by part, with the variance that overlapping
    training sets add (the corrected t); of a BatesCV plan by nested cross-validation of the difference; of Holdout and
    LeaveOneOut as models on the same rows. On request: method="plain-t" (optimistic), "unpaired" (as if the parts were
    different, min(k, j) − 1 degrees of freedom), "five-by-two-t" and "five-by-two-f" (plan KFold(2, repeats=5)).
    `cmp.bayes(a, b, rope=0.01)` is the Bayesian correlated t-test. Several data sets: name one, or `.rank()` them all.
    """
    check_alternative(alternative)
    check_word(adjust, ADJUSTMENTS, "adjust")
    level = check_confidence(confidence)
    name, measure = run.data_name(data), find_measure(metric)
    if measure.higher_is_better is None:
        raise InputError(f"{measure.name} has no better end, so no learner can be better by it")
    names = fitted_learners(run, [name]) if learners is None else tuple(run.learner_name(x) for x in learners)
    if len(names) < 2:
        what = f"one learner, {names[0]!r}" if names else "no learner that could be fitted: see .failures"
        raise InputError(f"there is {what}; comparing takes two: .estimate judges one by itself")
    if reference is not None and reference not in names:
        raise InputError(f"reference={reference!r} is not among the learners{nearest(reference, names)}")
    asked = Pairwise(reference=reference, method=method, adjust=adjust, margin=margin, alternative=alternative)
    splits = [run.splits[name][i] for i in run.parts(name)]
    plan = acting_plan(run.plan, splits)
    tried = run.learners if learners is None else names
    if plan._of_models and method not in {m.word for m in methods_on(LEARNERS)}:
        p = run.predictions(name, learners=names)
        settings = Settings(confidence=level, metrics={measure.name: options}, rng=rng)
        of_models = compare_predictions(p if positive is None else p.with_positive(positive), measure, settings, asked)
        return _with_findings(of_models, learner_evidence(run, name, plan._judged, tried, measure.name))
    paired = PairedLearners(run=run, data=name, measure=measure, positive=positive, options=options)
    wanted = list(combinations(names, 2)) if reference is None else [(x, reference) for x in names if x != reference]
    spec = IntervalSpec(confidence=level, alternative=alternative)
    questions = [
        Problem(metric=measure, sample=LearnerPair(paired, a, b), spec=spec, options=options) for a, b in wanted
    ]
    chosen = learner_method(questions[0], method)
    word = chosen.word
    contrasts = [contrast_of(q, chosen) for q in questions]
    interval_method = own_method(run, word)
    estimates = {
        x: learner_interval(
            ask(run, x, name, metric, positive=positive, confidence=level, rng=rng, **options), interval_method
        )
        for x in names
    }
    sizes = [s.distinct for s in splits]
    hollow = _hollow_evidence(run, name, names) if measure.right_or_wrong else []
    label, share = run.commonest(name)
    comparison = assemble_comparison(
        measure,
        estimates,
        contrasts,
        asked,
        confidence=level,
        reading=_reading(run, name, names),
        estimand=f"Estimates: {learners_at('these learners', sizes)}, {on_rows_like(run.datasets[name])}.",
        details=ComparisonDetails(
            why=f"{measure.title}: {row_of(questions[0]).why}",
            parts=paired.scores_of(names),
            constant=(str(label), share) if measure.right_or_wrong else None,
            hollow=tuple(e.model for e in hollow) if measure.right_or_wrong else None,
        ),
    )
    return _with_findings(comparison, learner_evidence(run, name, word, tried, measure.name), _one_for_many(hollow))


def _with_findings(comparison: Comparison, evidence: Evidence, hollow: Sequence[Evidence] = ()) -> Comparison:
    """What the linter says of the resampling, besides what it said of the comparison."""
    return replace(
        comparison, findings=sorted_findings([*comparison.findings, *find([evidence]), *find(hollow, ("TE201",))])
    )


# More learners that are no better than a constant are counted, not named.
SHOWN_HOLLOW = 4


def _hollow_evidence(run: ResampleResults, data: str, learners: Sequence[str]) -> list[Evidence]:
    """The learners that are not shown to be right more often than one answer for all tested rows, best first."""
    judged = [e for e in (learner_against_constant(run, data, x) for x in learners) if e is not None]
    hollow = {f.about for f in find(judged, ("TE201",))}
    accuracy = {e.model: e.confusion.classes().hits.sum() / e.confusion.n for e in judged if e.confusion is not None}
    return sorted((e for e in judged if e.model in hollow), key=lambda e: -accuracy[e.model])


def _one_for_many(hollow: list[Evidence]) -> list[Evidence]:
    """The same, the best one for all where they are many."""
    return hollow if len(hollow) <= SHOWN_HOLLOW else [replace(hollow[0], hollow_others=len(hollow) - 1)]


def learner_against_constant(run: ResampleResults, data: str, learner: str) -> Evidence | None:
    """A learner's answers on all tested rows against their commonest class; None where no fit succeeded."""
    splits = run.splits[data]
    tested = [
        (splits[i].test, o.labels.astype(np.intp))
        for i, o in zip(run.parts(data), run.tested(learner, data), strict=True)
        if o.status == "done"
    ]
    return constant_evidence(run.datasets[data], tested, learner)


def constant_evidence(dataset: Dataset, tested: Sequence[tuple[Codes, Codes]], learner: str) -> Evidence | None:
    """The answers to the tested rows, (rows, codes of the labels) of each part, with their p-value against always
    answering the commonest class of these rows; None where there are none.

    On the same rows, as a model is judged: McNemar's mid-p where each was tested once, else the t of the rows' mean
    gains.
    """
    if not tested:
        return None
    rows, answers = (np.concatenate(column) for column in zip(*tested, strict=True))
    truth = dataset.codes[rows]
    constant = truth == int(np.bincount(truth).argmax())
    right = answers == truth
    often = np.bincount(rows, minlength=dataset.n)
    if often.max() == 1:
        p_value = mcnemar_test(int((right & ~constant).sum()), int((constant & ~right).sum()), "mid-p", "two-sided")[1]
    else:
        of_learner, of_constant = (
            np.bincount(rows, x, dataset.n)[often > 0] / often[often > 0] for x in (right, constant)
        )
        p_value = paired_t(of_learner, of_constant).p_value if len(of_learner) > 1 else math.nan
    counted = Confusion.from_codes(truth, answers, dataset.labels, positive=dataset.positive, declared=True)
    return Evidence(model=learner, confusion=counted, baseline_p=p_value)


def own_method(run: ResampleResults, word: str) -> str | None:
    """The method of each learner's own estimate, such that the differences are those of the estimates.

    The corrected t is of learners. .632+ and nested cross-validation move estimates away from the means over test
    folds, which most pairs rest on.
    """
    if word == "plain-t":
        return "fold-t"
    moved = word == "corrected-t" or run.plan.name == "Bootstrap" or (run.plan.name == "BatesCV" and word != "bates")
    return "corrected-t" if moved else None


def fitted_learners(run: ResampleResults, datasets: Sequence[str]) -> tuple[str, ...]:
    """The learners with at least one successful fit on these data sets: the others have nothing to be judged by."""
    return tuple(x for x in run.learners if any(run.failed(x, data) < len(run.outcomes[data, x]) for data in datasets))


def experiment_findings(run: ResampleResults) -> Findings:
    """What the linter says of the whole experiment, each data set by its name where there are several."""
    evidence, hollow, scored = [], [], []
    for data in run.datasets:
        splits = [run.splits[data][i] for i in run.parts(data)]
        method = acting_plan(run.plan, splits)._judged
        several = len(run.datasets) > 1
        about = data if several else ""
        if method == "corrected-t" and same_rows_each_round(splits):
            evidence.append(Evidence(fold_method="pooled-folds", model=about))
            method = method if len(run.learners) > 1 else ""
        evidence.append(replace(learner_evidence(run, data, method, run.learners), model=about))
        judged = (CHOSEN,) if run.plan.name == "NestedCV" else run.learners
        for e in _one_for_many(_hollow_evidence(run, data, judged)):
            hollow.append(replace(e, model=f"{e.model} on {data}" if several else e.model))
        for x in run.learners:
            scored.append(Evidence(model=f"{x} on {data}" if several else x, score_range=run._score_range(x, data)))
    return sorted_findings([*find(evidence), *find(hollow, ("TE201",)), *find(scored, ("TE303",))])


def _rare_in_folds(run: ResampleResults, data: str, metric: str | None) -> tuple[tuple[str, ...], str, float] | None:
    """A metric that says little of a rare class fold by fold, and how many rows of it a test fold has."""
    measure = None if metric is None else find_measure(metric)
    if measure is None or not (ranks_rows(measure) or taken_together(measure)):
        return None
    dataset, tests = run.datasets[data], [run.splits[data][i].test for i in run.parts(data)]
    counts = np.bincount(np.concatenate([dataset.codes[t] for t in tests]), minlength=len(dataset.labels))
    rarest = min((int(i) for i in np.flatnonzero(counts)), key=lambda i: int(counts[i]))
    return (measure.title,), str(dataset.labels[rarest]), float(counts[rarest]) / len(tests)


def learner_evidence(
    run: ResampleResults, data: str, method: str, learners: Sequence[str], metric: str | None = None
) -> Evidence:
    """What the linter may know of the way in which learners were resampled and judged."""
    splits = [run.splits[data][i] for i in run.parts(data)]
    return Evidence(
        rare_in_folds=_rare_in_folds(run, data, metric),
        fold_method=LINTED.get(method, method),
        rounds=rounds_of_folds(splits),
        test_parts=len(splits),
        smallest_test=run.smallest_test_part(data),
        data_rows=run.datasets[data].n,
        failed={x: (run.failed(x, data), len(run.outcomes[data, x])) for x in learners},
    )


def _reading(run: ResampleResults, data: str, learners: Sequence[str]) -> str:
    dataset = run.datasets[data]
    prefix = "" if len(run.datasets) == 1 else f"{data}: "
    return f"{prefix}{len(learners)} learners on {dataset.n:,} rows, {run.plan}; the same test folds for all."


@partial(speaks, room="experiment", name="rank")
def rank_learners(
    run: ResampleResults,
    metric: str = "accuracy",
    *,
    learners: Sequence[str] | None = None,
    positive: Label | None = None,
    method: Any = "wilcoxon",
    adjust: Any = "westfall-young",
    reference: str | None = None,
    family: Any = None,
    confidence: float = 0.95,
    rope: float | None = None,
    rng: Rng = None,
    **options: Any,
) -> LearnerRanking:
    """The learners over all data sets: mean ranks, pairs over data sets, and pairs within each data set.

    A data set counts once, however many test folds it has; within each the corrected t judges. See `te.rank` for the
    methods. Test folds on which a learner has no score are left out for all learners, and said so.
    """
    measure = find_measure(metric)
    names = fitted_learners(run, list(run.datasets)) if learners is None else tuple(map(run.learner_name, learners))
    if len(names) < 2:
        raise InputError("ranking takes at least two learners; .estimate judges one by itself")
    if reference is not None and reference not in names:
        raise InputError(f"reference={reference!r} is not among the learners{nearest(reference, names)}")
    parts, folds, kept, ratios = [], [], [], []
    dropped: list[str] = []
    for data in run.datasets:
        table = run.fold_scores(metric, data, positive=positive, together=True, **options)
        values = np.stack([table.of(x) for x in names], axis=1)
        known = ~np.isnan(values.sum(axis=1))
        if not known.all():
            lost = int((~known).sum())
            dropped.append(data if lost == len(known) else f"{lost} of {len(known)} test folds of {data}")
        if not known.any():
            continue
        parts.append(values[known])
        kept.append(data)
        keys = zip(table.repeats[known], table.folds[known], strict=True)
        folds.append(tuple(FoldKey(str(r), str(f)) for r, f in keys))
        ratios.append(table.test_train_ratio)
    if not parts:
        raise InputError(f"no data set has a {measure.name} of every learner: see .failures")
    sheet = ScoreSheet(
        data_sets=tuple(kept), learners=names, parts=tuple(parts), folds=tuple(folds), value_name=measure.title,
        dropped=tuple(dropped),
    )  # fmt: skip
    ratio = float(np.mean(ratios))
    sheet = sheet if family is None else by_family(sheet, family)
    return rank_sheet(
        sheet, higher_is_better=bool(measure.higher_is_better), method=method, adjust=adjust, control=reference,
        alpha=round(1 - check_confidence(confidence), 12), rope=rope, rng=rng,
        test_train_ratio=None if math.isnan(ratio) else ratio,
    )  # fmt: skip
