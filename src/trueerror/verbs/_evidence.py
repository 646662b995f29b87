"""What the linter sees of an evaluation: tallies that are counted anyway, and facts about how they were used.

What a comparison tells the linter: facts about each pair and about all models.

Two models that answer every row alike: one model read twice, or two that never reach the threshold?
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TypedDict

import numpy as np

from trueerror.findings import Evidence, Finding, Findings, find
from trueerror.findings._rules import sorted_findings
from trueerror.findings.models import (
    ClassErrors,
    CountedAsWrong,
    CrossingCurves,
    GradesSeen,
    HarderRows,
    RateAtPrior,
    WorstSlice,
    never_found,
    shares_of_uncertainty,
)
from trueerror.inference._chosen import best_of_several
from trueerror.inference._joined import CrossedFound, Miscalibration, RunsFound
from trueerror.inference._problem import IntervalSpec
from trueerror.inference._two_models import PairedRows, harder_rows
from trueerror.inference.auc._average_precision import decided_by
from trueerror.inference.proportion._interval import too_few_events
from trueerror.inputs._memory import MemoryBudgetExceeded
from trueerror.methods._registry import speaks_of_learners
from trueerror.metrics._registry import Measure, find_measure, ranks_rows, score_share
from trueerror.results import Contrast, Interval
from trueerror.results._format import in_points, key_names, signed
from trueerror.sources._duplicates import duplicate_rows, repeated_sample
from trueerror.sources._predictions import Keys, Predictions
from trueerror.sources.engines._array_source import ArraySource, scored_rows, skipped_rows
from trueerror.sources.engines._groupby import GroupedSource
from trueerror.tallies import Agreement
from trueerror.tallies._confusion import Confusion
from trueerror.tallies._graded import is_graded
from trueerror.verbs._comparison import Comparison, IdenticalCalls
from trueerror.verbs._evaluation import Evaluation, ModelEvaluation, leading
from trueerror.verbs._model_metrics import ModelMetrics, Settings, commonest_p, constant_answers


def model_evidence(part: ModelEvaluation, p: Predictions | None) -> Evidence:
    """The evidence of one model; `p` is None where counts were given."""
    bench = part.bench
    measures = {name: find_measure(name) for name in part.overall}
    small, proportions, lost = [], [], []
    for name, interval in part.overall.items():
        title = measures[name].title
        reasons = [reason for note in interval.notes for reason in note.within()] if interval.note else []
        lost += [(title, v) for r in reasons if r.code == "lost-resamples" for v in r.values if isinstance(v, float)]
        if measures[name].share is None or interval.n is None or math.isnan(interval.estimate):
            continue
        proportions.append((title, interval.method, interval.estimate, interval.n))
        x = round(interval.estimate * interval.n)
        if too_few_events(interval.method, x, interval.n):
            small.append((title, x, interval.n))
    # Under costs a constant is judged by its cost (TE210); one cluster gives no p-value, but the two shares.
    asked = part.shows_accuracy and bench.settings.costs is None
    clustered = bench.clusters is not None and bench.settings.prior is None
    judged = asked and (clustered or not math.isnan(part.baseline_p))
    of_counts = Evidence(
        model=part.name, confusion=part.confusion,
        clusters=_cluster_rows(p) if bench.clusters is None else bench.clusters,
        metrics=tuple(part.overall), small_counts=small, proportions=proportions,
        rates_at_prior=_rates_at_prior(part.confusion, bench.settings), class_errors=_class_errors(part.confusion),
        class_means=tuple(m.title for m in measures.values() if m.averages_classes),
        metrics_at_prior=tuple(
            m.title
            for m in measures.values()
            if bench.settings.prior is not None and m.of_labels and not m.is_prior_free(2) and not m.given_by_prior
        ),
        lost_replicates=lost, baseline_p=part.baseline_p if judged else None,
        never_found=None if part.confusion is None else never_found(part.confusion),
        constant_answers=constant_answers(part),
    )  # fmt: skip
    if p is None:
        return of_counts
    of_rows = replace(
        of_counts, loss_sizes=_loss_sizes(part, p, measures), missing_predictions=(p.absent(part.name), p.n, p.missing),
        scores_alone=p.facts.model(part.name).lacks_scores_alone(bench.settings.threshold), unranked=True if
        p.has_scores(part.name) and p.scale is None and not bench.has_scores else None, grades_seen=_grades_seen(p,
        part.name), rare_in_folds=bench.rare_in_folds(measures.values()),
    )  # fmt: skip
    if not bench.has_scores:
        return of_rows
    if any(ranks_rows(m) for m in measures.values()):
        of_rows = replace(of_rows, fold_scales=bench.fold_scales)
    asked = p.has_key("clusters") and bench.has_probabilities and len(p.labels) == 2 and p.positive is not None
    scored = replace(
        of_rows, score_range=p.score_range(part.name), probabilities=bench.has_probabilities,
        tuned_threshold=bench.tuned, z_test=Miscalibration.of(p, part.name) if asked else None,
    )  # fmt: skip
    precision = part.overall.get("average_precision")
    if precision is not None and not math.isnan(precision.estimate):
        table, prior = bench.score_table(), bench.settings.prior
        scored = replace(scored, precision_by=decided_by(table, None if prior is None else score_share(prior, table)))
    area = part.overall.get("auc")
    if area is None or math.isnan(area.estimate):
        return scored
    # Counted for the area already, so it costs nothing to look at.
    table = bench.score_table().compact()
    return replace(scored, auc=area, scores=table)


def _grades_seen(p: Predictions, model: str) -> GradesSeen | None:
    """Which grades the rows of a model carry; None of other rows."""
    if p.scale is None:
        return None
    grades = p.class_scores(model)[1][:, 0]
    if not len(grades):
        return None
    return GradesSeen(len(grades), len(np.unique(grades)), float(grades.min()), float(grades.max()), p.scale)


def _class_errors(t: Confusion | None) -> list[ClassErrors]:
    """Of more than two classes the errors of each, or its hits, with its share of the uncertainty of their mean."""
    if t is None or len(t.labels) < 3:
        return []
    margins = t.classes(weighted=False)
    shares = shares_of_uncertainty(margins.hits, margins.truth)
    fewer = np.minimum(margins.hits, margins.truth - margins.hits)
    rows = zip(t.labels, fewer, margins.truth, shares, strict=True)
    return [ClassErrors(str(label), float(x), float(n), float(share)) for label, x, n, share in rows if n > 0]


def _rates_at_prior(t: Confusion | None, settings: Settings) -> list[RateAtPrior]:
    """Errors and right calls of each of two classes, where another class mix is asked for."""
    if t is None or settings.prior is None or len(t.labels) != 2:
        return []
    margins = t.classes(weighted=False)
    rates = []
    for label, hits, rows in zip(t.labels, margins.hits, margins.truth, strict=True):
        words = ("hits", "misses") if label == t.positive else ("right calls", "false alarms")
        rates += [RateAtPrior(word, float(x), float(rows)) for word, x in zip(words, (hits, rows - hits), strict=True)]
    return rates


def _loss_sizes(part: ModelEvaluation, p: Predictions, measures: Mapping[str, Measure]) -> list[tuple[str, float]]:
    """For each mean loss over plain rows how many equal losses would be as uncertain: (mean/standard error)²."""
    settings = part.bench.settings
    if p.facts.weights_kind is not None or p.has_key("clusters") or settings.prior is not None:
        return []
    worth = []
    for name, interval in part.overall.items():
        if measures[name].of_losses and not measures[name].of_grades and math.isfinite(interval.estimate):
            m = p.moments(part.name, measures[name].function, **settings.options(measures[name]))
            if m.n > 1 and m.standard_error > 0:
                worth.append((measures[name].title, (m.mean / m.standard_error) ** 2))
    return worth


# So many rows are looked at for copies without being asked; te.check looks at more.
SOUGHT_ROWS = 50_000
# What the rows and each model by itself may show beside the difference; more would bury it.
ABOUT_THE_SAMPLE = (
    "TE101", "TE102", "TE103", "TE104", "TE106", "TE108", "TE109", "TE110", "TE201", "TE202", "TE204", "TE206", "TE211",
    "TE212", "TE213", "TE214", "TE218", "TE219", "TE220", "TE304", "TE408", "TE412", "TE413", "TE512", "TE513", "TE514",
)  # fmt: skip
# Of these it matters which model they are about.
ABOUT_A_MODEL = (
    "TE106", "TE201", "TE202", "TE206", "TE211", "TE213", "TE214", "TE218", "TE219", "TE220", "TE304", "TE408",
    "TE412", "TE512", "TE513",
)  # fmt: skip


def sample_evidence(
    p: Predictions, measure: Measure, settings: Settings, estimates: Mapping[str, Interval]
) -> list[Evidence]:
    """The rows once, and each model by itself: its few errors, and where accuracy decides how a constant does."""
    benches = [b for b in (ModelMetrics(m, settings, predictions=p) for m in p.models) if b.calls]
    counted = measure.of_labels
    if not benches or not (counted or int((p.truth_counts() > 0).sum()) == 1):
        rows = benches[0].confusion if benches and p.weights_kind is not None else _classes_alone(p)
        return [Evidence(confusion=rows, clusters=_cluster_rows(p), metrics=(measure.name,))]
    judged = measure.right_or_wrong and settings.prior is None and not is_graded(benches[0].confusion)
    evidence = [Evidence(confusion=benches[0].confusion, clusters=benches[0].clusters, metrics=(measure.name,))]
    for b in benches:
        interval = estimates[b.model]
        x = round(interval.estimate * interval.n) if interval.n is not None and measure.share is not None else 0
        few = interval.n is not None and too_few_events(interval.method, x, interval.n)
        evidence.append(
            Evidence(
                model=b.model,
                confusion=b.confusion,
                baseline_p=commonest_p(b) if judged and settings.costs is None else None,
                small_counts=[(measure.title, x, interval.n or 0)] if few else None,
                never_found=never_found(b.confusion) if judged else None,
                tuned_threshold=b.tuned,
            )
        )
    if settings.prior is not None and counted and not measure.is_prior_free(len(p.labels)):
        for b in benches:
            rates = _rates_at_prior(b.confusion, settings)
            evidence.append(Evidence(model=b.model, rates_at_prior=rates, metrics_at_prior=(measure.title,)))
    return evidence


def _classes_alone(p: Predictions) -> Confusion | None:
    """The rows of each class, for metrics that call none; None of grades and weighted rows."""
    if p.scale is not None or p.weights_kind is not None:
        return None
    counts = p.truth_counts()
    occurring = np.flatnonzero(counts)
    return Confusion.from_cells(
        labels=tuple(p.labels), positive=p.positive, row=occurring, col=occurring, counts=counts[occurring],
        declared=True,
    )  # fmt: skip


def _cluster_rows(p: Predictions | None) -> Keys | None:
    return p.keys("clusters") if p is not None and p.has_key("clusters") else None


def row_evidence(p: Predictions, threshold: float | None = None) -> list[Evidence]:
    """Copies of rows, a sample that stands there several times, errors that depend; not looked for among more rows than
    that, nor where rows have no order: they have one in memory and in files. Copies are told by scores or folds."""
    told = p.folded or any(map(p.has_scores, p.models))
    in_order = p.source.table.in_order if isinstance(p.source, GroupedSource) else isinstance(p.source, ArraySource)
    if p.n > SOUGHT_ROWS or not in_order:
        return []
    seen: type[RunsFound | CrossedFound] = CrossedFound if {*p.facts.kinds} == {"clusters", "slices"} else RunsFound
    alone = p.n >= 50 and (seen is CrossedFound or not {"clusters", "folds", "repeats"} & {*p.facts.kinds})
    try:
        runs = seen.of(p, threshold) if alone else None
    except MemoryBudgetExceeded:
        return []  # a finding is not worth more memory than was allowed
    found = [] if runs is None else [Evidence(model=runs.model, runs=runs)]
    return [*found, Evidence(doubled=duplicate_rows(p), repeats=repeated_sample(p))] if told else found


def gap_evidence(
    p: Predictions, measure: Measure, settings: Settings, contrasts: Iterable[Contrast], counted: Iterable[Contrast]
) -> list[Evidence]:
    """Of models that left out rows: how many, whether another one does worse on those, and whether a lead rests on
    leaving them out: `counted` are differences with rows that the first left out counted as wrong."""
    gaps = {m: p._unanswered(m, of_labels=measure.of_labels, threshold=settings.threshold) for m in p.models}
    evidence_list = [
        Evidence(
            model=m,
            missing_predictions=(gaps[m], p.n, p.missing),
            scores_alone=p.facts.model(m).lacks_scores_alone(settings.threshold),
        )
        for m in p.models
        if gaps[m]
    ]
    if p.missing != "drop":
        return evidence_list
    left_out = skipped_rows(p, of_labels=measure.of_labels, threshold=settings.threshold)
    for model, skipped in groupby(left_out, key=lambda s: s.model):
        tested = [(harder_rows(s), s) for s in skipped]
        test, s = min(tested, key=lambda pair: pair[0].p_value)
        # One of several others: Bonferroni.
        p_value = min(1.0, len(tested) * test.p_value)
        rates = float(s.left_out.mean()), float(s.answered.mean())
        evidence_list.append(
            Evidence(model=model, harder_rows=HarderRows(gaps[model], p.n, s.other, rates[0], rates[1], p_value))
        )
    sizes = {frozenset((c.first, c.second)): abs(c.estimate) for c in contrasts}
    for c in counted:
        lead = math.copysign(sizes[frozenset((c.first, c.second))], 1 if measure.higher_is_better else -1)
        ahead, left = (f"{in_points(x)} points" if measure.share is not None else signed(x) for x in (lead, c.estimate))
        evidence = CountedAsWrong(gaps[c.first], c.second, ahead, left, c.p_value)
        evidence_list.append(Evidence(model=c.first, counted_as_wrong=evidence, level=1 - settings.confidence))
    return evidence_list


def fold_evidence(rows: PairedRows, contrasts: Iterable[Contrast], spec: IntervalSpec) -> list[Evidence]:
    """Of predictions with folds: whether their scores lie on one scale, and what the corrected t says of the learners.

    A pair of models that differs says nothing yet of the learners, so only such pairs are looked at.
    """
    p, measure = rows.p, rows.measure
    if not p.folded:
        return []
    evidence = []
    if ranks_rows(measure):
        benches = [ModelMetrics(m, Settings(), predictions=p) for m in p.models]
        evidence = [Evidence(model=b.model, fold_scales=b.fold_scales) for b in benches]
        evidence.append(Evidence(rare_in_folds=benches[0].rare_in_folds([measure])))
    level = 1 - spec.confidence
    for c in contrasts:
        if speaks_of_learners(c.method) or not c.p_value < level or not rows.large_folds:
            continue
        learners = rows.parts.contrast(c.first, c.second, spec)
        about = f"{c.first} and {c.second}"
        evidence.append(Evidence(model=about, level=level, learners_p=learners.p_value, significant=True))
    return evidence


def loss_evidence(rows: PairedRows, settings: Settings) -> list[Evidence]:
    """Whether a few rows hold a model's mean loss, and which grades there are."""
    measure, p = rows.measure, rows.p
    if measure.of_grades:
        return [Evidence(model=m, grades_seen=_grades_seen(p, m)) for m in p.models]
    if not measure.of_losses or p.weights_kind is not None or rows.clustered:
        return []
    evidence = []
    for model in p.models:
        m = p.moments(model, measure.function, **settings.options(measure))
        if m.n > 1 and math.isfinite(m.mean) and m.standard_error > 0:
            evidence.append(Evidence(model=model, loss_sizes=[(measure.title, (m.mean / m.standard_error) ** 2)]))
    return evidence


# Rivals of the best whose curves are looked at, rows beyond which they are not, and resamples of the band.
CURVES_BESIDE_BEST = 2
MOST_CURVE_ROWS = 50_000
BAND_REPLICATES = 200


def crossing_evidence(p: Predictions, measure: Measure, settings: Settings, order: Sequence[str]) -> list[Evidence]:
    """Of an area under the ROC curve: whether the curves of the best model and of the next ones cross clearly.

    Plain rows of two classes only: bands for clusters, weights and folds are others.
    """
    plain = not (p.has_key("clusters") or p.weights_kind is not None or p.folded or p.repeated)
    if not measure.area or not plain or p.positive is None or len(p.labels) != 2 or p.n > MOST_CURVE_ROWS:
        return []
    if settings.prior is not None or not all(p.has_scores(m) and not p.unscored(m) for m in order):
        return []
    if p.placements(p.models) is not None:
        return []  # counted where the rows are, which are not fetched for a finding
    from trueerror.curves._roc_difference import may_cross, roc_difference

    evidence: list[Evidence] = []
    best, *others = order[: 1 + CURVES_BESIDE_BEST]
    try:
        truth, columns, _ = scored_rows(p, [best, *others])
        for place, other in enumerate(others, start=1):
            if not may_cross(truth, columns[:, 0], columns[:, place], settings.confidence):
                continue
            band = roc_difference(
                p, best, other, confidence=settings.confidence, replicates=BAND_REPLICATES, rng=settings.rng
            )
            evidence.append(Evidence(model=f"{best} and {other}", crossing=CrossingCurves(band.regions)))
    except MemoryBudgetExceeded:
        pass  # areas are known from bins; a finding beside them is not worth more memory than was allowed
    return evidence


class AgainstConstant(TypedDict, total=False):
    """The commonest class with its share, and the models that are not shown to be better than answering it."""

    constant: tuple[str, float]
    hollow: tuple[str, ...]


def against_constant(sample: Sequence[Evidence]) -> AgainstConstant:
    """What the verdict must know of one answer for every row, where accuracy was judged against it."""
    judged = [e for e in sample if e.baseline_p is not None]
    if not judged or judged[0].confusion is None:
        return {}
    t = judged[0].confusion
    totals = t.classes().truth
    top = int(totals.argmax())
    hollow = {f.about for f in find(judged, ("TE201", "TE408"))}
    return {
        "constant": (str(t.labels[top]), float(totals[top] / totals.sum())),
        "hollow": tuple(e.model for e in judged if e.model in hollow),
    }


def allowing_for_choice(
    ev: Evaluation, gaps: Callable[[str, Measure], Iterable[Contrast]] = lambda best, measure: ()
) -> Evaluation:
    """The evaluation with what to expect of the model that looks best; `gaps` are its differences from the others."""
    lead = leading(ev)
    if lead is None:
        return ev
    (best, *others), measure = lead.estimates, lead.measure
    bench, sound = lead.parts[0].counted, bool(measure.higher_is_better)
    ends = measure.range if bench is None else measure.bounds(bench.settings.options(measure))
    known = gaps(best, measure) if others else ()
    found = best_of_several(lead.estimates, best, lowest=not sound, gaps=known, ends=ends)
    if found is None or not found.close:
        return ev
    facts = Evidence(n_models=1 + len(others), best=best, not_different_from_best=found.close, expected=found.interval)
    return replace(ev, expected=found.interval, findings=sorted_findings([*ev.findings, *find([facts])]))


def with_lowest_slice(ev: Evaluation) -> Evaluation:
    """The evaluation with what to expect of the slice that is worst by the first metric, for each model."""
    measure, evidence = find_measure(ev.first_metric), []
    bench, names = ev.parts[0].bench, key_names(ev.slices)
    lowest, ends = measure.higher_is_better is not False, measure.bounds(bench.settings.options(measure))
    level = 1 - (1 - bench.settings.confidence) / next(iter(ev.slices.values())).parts[0].bench.settings.over
    for place, model in enumerate(ev.models):
        each = {v: s.parts[place].overall.get(measure.name) for v, s in ev.slices.items()}
        known = {v: i for v, i in each.items() if i is not None and not math.isnan(i.estimate)}
        if not known:
            continue
        worst = (min if lowest else max)(known, key=lambda v: known[v].estimate)
        found = best_of_several(known, worst, lowest=lowest, ends=ends, level=level, what="slices")
        if found is not None:
            slice_ = WorstSlice(measure.title, names[worst], len(known), lowest, known[worst].estimate, *found)
            evidence.append(Evidence(model=model if len(ev.models) > 1 else "", worst_slice=slice_))
    return replace(ev, findings=sorted_findings([*ev.findings, *find(evidence)]))


def comparison_findings(
    made: Comparison, sound: Mapping[tuple[str, str], Mapping[str, float]], sample: Iterable[Evidence] = ()
) -> Findings:
    """Run the rules on a comparison; `sound` holds the p-values of several sound tests of each pair."""
    closest = _closest(made)
    evidence = [_pair_evidence(made, c, sound.get((c.first, c.second), {}), closest) for c in made.pairs]
    of_sample: dict[tuple[str, str, str], Finding] = {}
    for f in find(sample, ABOUT_THE_SAMPLE):
        # Models on different rows: what is said of the rows holds for one of them.
        about = f.about if f.code in ABOUT_A_MODEL or made.facts.could_be_paired is not None else ""
        of_sample.setdefault((f.code, f.message, about), replace(f, about=about))
    return sorted_findings([*find([*evidence, _whole_evidence(made)]), *of_sample.values()])


def _pair_evidence(
    made: Comparison, c: Contrast, sound: Mapping[str, float], closest: tuple[str, str] | None
) -> Evidence:
    pair = (c.first, c.second)
    # Two models alone are shown by their difference: there are no two intervals that could mislead.
    intervals = [made.estimates[m] for m in pair] if len(made.models) > 2 else []
    judged = made[*pair]
    evidence = Evidence(
        model=f"{c.first} and {c.second}", p_values=sound, level=1 - made.confidence, difference=c.estimate,
        limits=(c.low, c.high), p_value=judged.p_value if judged.p_adjusted is None else judged.p_adjusted,
        undone_by=c.undone_by, undone_unit=c.undone_unit, significant=made.told_apart(*pair),
        comparisons=len(made.pairs), share=made.facts.share, with_best=made.best in pair, closest=pair == closest,
        intervals=((intervals[0].low, intervals[0].high), (intervals[1].low, intervals[1].high)) if intervals else None,
        margin=made.margin, n=c.n,
    )  # fmt: skip
    twins = (made.facts.twins or {}).get(pair)
    return evidence if twins is None else replace(evidence, **twins)


def _closest(made: Comparison) -> tuple[str, str] | None:
    """The pair of the best models, by rank, that differ, but not clearly: one word about power is enough."""
    rank = {m: i for i, m in enumerate(made.ranked)}
    same = made.facts.twins or {}
    pairs = [(c.first, c.second) for c in made.pairs]
    open_ = [pair for pair in pairs if not made.told_apart(*pair) and pair not in same]
    return min(open_, key=lambda pair: (rank[pair[0]] + rank[pair[1]], max(rank[m] for m in pair)), default=None)


def _whole_evidence(made: Comparison) -> Evidence:
    with_best = [c for c in made.pairs if made.best in (c.first, c.second)]
    could_be_paired = made.facts.could_be_paired
    return Evidence(
        n_models=len(made.models), best=made.best, expected=made.expected, comparisons=len(made.pairs),
        adjusted=made.adjust != "none" or len(made.pairs) < 2, not_different_from_best=sum(not made.told_apart(c.first,
        c.second) for c in with_best), resampled=made.facts.parts is not None, paired=None if could_be_paired is None
        else False, could_be_paired=could_be_paired,
    )  # fmt: skip


def identical_calls(p: Predictions, table: Agreement, models: tuple[str, str]) -> IdenticalCalls | None:
    """What the linter should know of two models that agree on every row; None of two that differ somewhere.

    `identical` where their scores are the same too, or where labels that vary are; `one_answer` where both give one
    and the same answer to every row, which says nothing of where the answers come from.
    """
    if not (table.first == table.second).all():
        return None
    scored = all(p.has_scores(m) and not p.unscored(m) for m in models)
    answers = np.unique(table.first[table.counts > 0])
    if scored and same_scores(p, *models):
        return {"n": table.n, "identical": True}
    if len(answers) == 1 and answers[0] < len(table.labels):
        cut = any(not p.has_labels(m) for m in models)
        return {"n": table.n, "identical": False, "one_answer": table.labels[int(answers[0])], "cut": cut}
    return None if scored else {"n": table.n, "identical": True}


def identical_pairs(
    p: Predictions, settings: Settings, contrasts: Iterable[Contrast]
) -> dict[tuple[str, str], IdenticalCalls]:
    """The same of each pair that was compared; only pairs without a difference need a second look."""
    identical = {}
    for c in contrasts:
        models = (c.first, c.second)
        if p.scale is not None:
            grades = p.source.fetched().columns[c.first].scores
            # Grades that never vary say nothing of where they come from.
            varied = grades is not None and len(np.unique(grades)) > 1
            if c.estimate == 0 and varied and same_grades(p, *models):
                identical[models] = IdenticalCalls(n=p.n, identical=True, graded=True)
        elif c.estimate == 0 and all(p.has_predictions(m, threshold=settings.threshold) for m in models):
            calls = identical_calls(p, p.agreement(*models, threshold=settings.threshold), models)
            if calls is not None:
                identical[models] = calls
    return identical


def same_grades(p: Predictions, first: str, second: str) -> bool:
    """Whether both have the same grade in every row."""
    one, other = (p.source.fetched().columns[m].scores for m in (first, second))
    return one is not None and other is not None and np.array_equal(one, other, equal_nan=True)


def same_scores(p: Predictions, first: str, second: str) -> bool:
    """Whether both have the same scores as often in each class, by the tables that areas are counted from."""
    if p.has_class_scores(first) != p.has_class_scores(second):
        return False
    for label in p.labels if p.has_class_scores(first) or p.positive is None else (p.positive,):
        a, b = (p.scores(m, positive=label) for m in (first, second))
        parts = ((a.scores, b.scores), (a.positives, b.positives), (a.negatives, b.negatives))
        if not all(np.array_equal(x, y) for x, y in parts):
            return False
    return True
