"""`te.compare`: is this model better than that one, in each slice too, and what would settle what is open?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import combinations, islice
from typing import Any, TypeVar, cast

from trueerror.findings import Evidence
from trueerror.findings._rules import sorted_findings
from trueerror.inference import _many
from trueerror.inference._choose import reason_for
from trueerror.inference._chosen import best_of_several
from trueerror.inference._contrast import check_margin, mirrored, statistic_of
from trueerror.inference._joined import check_keys
from trueerror.inference._two_models import PairedRows, both_readings
from trueerror.inference._unpaired import ModelRows, unpaired_contrast
from trueerror.inference.learner._fold_scores import is_word_of_folds
from trueerror.inference.loss._mean import infinite_losses
from trueerror.inference.power._sample_size import sample_size
from trueerror.inference.proportion._paired import cochran_from_pairs
from trueerror.inputs._costs import cost_matrix
from trueerror.inputs._groups import (
    TABLE_OPTIONS,
    ByPlace,
    Costs,
    Folding,
    Pairwise,
    Resampling,
    RowOptions,
    asked_by,
    further,
    option,
)
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError, check_alternative, check_word, nearest
from trueerror.methods._registry import DIFFERENT, SAME
from trueerror.metrics._registry import Measure, find_measure
from trueerror.results import Contrast, Interval, Test
from trueerror.results._format import listing, number
from trueerror.sources._collect import is_openable, predictions, refuse_columns, takes_table_options
from trueerror.sources._grades import graded
from trueerror.sources._models import FoldTable, is_fold_result, refuse_fold_sizes
from trueerror.sources._open_tables import columns_for
from trueerror.sources._pairing import pair
from trueerror.sources._predictions import Predictions
from trueerror.sources.engines._array_source import answered_by_all
from trueerror.sources.logs.sklearn_cv import folds_of
from trueerror.tallies import Confusion, Discordance
from trueerror.verbs._comparison import Comparison, ComparisonDetails, best_first
from trueerror.verbs._evaluation import Evaluation
from trueerror.verbs._evidence import (
    ABOUT_THE_SAMPLE,
    against_constant,
    comparison_findings,
    crossing_evidence,
    fold_evidence,
    gap_evidence,
    identical_pairs,
    loss_evidence,
    row_evidence,
    sample_evidence,
)
from trueerror.verbs._label_metrics import is_multilabel, one_label_each
from trueerror.verbs._model_metrics import (
    ModelMetrics,
    Settings,
    compared_reading,
    fixed_model,
    judged_by,
    judged_on,
    named_costs,
    priced,
    refuse_classes,
)

Made = TypeVar("Made", bound=Comparison)
Comparer = Callable[[Predictions], Comparison]


def sliced(made: Made, p: Predictions, compared: Callable[[Predictions], Comparison]) -> Made:
    """The comparison with those of its slices, whose p-values are adjusted over all pairs of all slices together.

    A slice in which the metric is undefined for a model is left out, and `facts["slices_left_out"]` says why.
    """
    slices: dict[Label, Comparison] = {}
    left_out: dict[Label, str] = {}
    for value in p.slices():
        try:
            slices[value] = compared(p.slice(value))
        except InputError as error:
            left_out[value] = str(error)
    of_slices = [c for inner in slices.values() for c in inner.pairs]
    if len(of_slices) > 1:
        adjusted = iter(_many.adjust_contrasts(of_slices, made.adjust))
        # One family, of all pairs of all slices, takes the place of each slice's own.
        slices = {
            value: replace(s, pairs=tuple(islice(adjusted, len(s.pairs))), simultaneous=None, also=None)
            for value, s in slices.items()
        }
    return replace(made, slices=slices, facts=replace(made.facts, slices_left_out=left_out or None))


def next_step(made: Comparison, measure: Measure) -> str:
    """What would settle an inconclusive comparison of shares: how many rows of this kind."""
    best = made.ranked[0]
    rivals = [m for m in made.ranked[1:] if made.reference is None or made.reference in (best, m)]
    open_ = [m for m in rivals if not made.told_apart(best, m) or made.facts.borderline]
    if not open_:
        return ""
    c = made[best, open_[0]]
    if measure.of_grades:
        return _more_grades(c, made, best, open_[0])
    counts = made.facts.counts(c.first, c.second)
    if counts is None or c.estimate == 0 or not statistic_of(c).of_rows:
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
    whole = n == made.estimates[best].n and measure.of_all_classes
    kind = "rows of this kind" if whole else f"rows that count for {made.title}"
    size = abs(100 * c.estimate)
    gap = f"{size:.1f} points" if size >= 0.05 else f"{size:.1g} points"
    if plan.n <= n:
        return f"{n:,} rows find a true gap of {gap} 80 % of the time; more rows of this kind would settle it."
    return f"about {rows:,} {kind} settle a gap of {gap} between {best} and {open_[0]} (80 % power); there are {n:,}."


def _more_grades(c: Contrast, made: Comparison, best: str, other: str) -> str:
    """The same of paired grades, by the standard deviation of their differences, as it would be without one."""
    if not c.n or c.estimate == 0 or not math.isfinite(c.statistic) or not c.statistic:
        return ""
    sd = abs(c.estimate / c.statistic) * math.sqrt(c.n)
    a, b = (made.estimates[m].estimate for m in (best, other))
    alpha = (1 - made.confidence) / (1 if made.adjust == "none" else len(made.pairs))
    try:
        plan = sample_size(test="paired-t", first=a, second=b, sd=sd, alpha=alpha)
    except InputError:
        return ""
    if plan.n <= c.n:
        return ""
    gap = number(abs(c.estimate))
    return (
        f"about {_rounded(plan.n):,} rows of this kind settle a gap of {gap} between {best} and {other} (80 % power); "
        f"there are {c.n:,.0f}."
    )


def _rounded(n: int) -> int:
    """Two significant figures: more would be false precision."""
    digits = max(0, len(str(n)) - 2)
    return int(round(n, -digits))


# What settles between models whose ROC curves cross.
BY_COST = "choose by the false alarms that you can afford: cost_fp= and cost_fn= compare the models by cost."
# What settles where rows left out decide.
BY_ANSWERS = 'get answers to the rows left out, or count them as wrong with missing="wrong" (--missing wrong).'
ADJUSTMENTS = ("holm", "hochberg", "hommel", "bonferroni", "sidak", "bh", "by", "none")
# From this share of one class on accuracy says little, and another metric leads.
MOSTLY_ONE_CLASS = 0.9


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Comparing(Resampling, Costs, Folding, Pairwise, RowOptions, ByPlace):
    """What `te.compare` is asked."""

    counts: Any = option(None, 'Rows by who was right: `{"both": 810, "a": 60, "b": 40, "neither": 90}`.')
    marginals: Mapping[str, Any] | None = option(
        None, 'Two shares of the same rows, `{"a": (456, 500), "b": (445, 500)}`: bounds over every agreement.'
    )
    columns: Mapping[str, Any] = further(TABLE_OPTIONS)


@takes_table_options
@asked_by(Comparing)
def compare(asked: Comparing) -> Comparison:
    """Which of two or more models is better, by how much, and how sure that is.

    Pass the truth with `predicted={"a": labels, "b": labels}` or `scores={…}`, or what `te.read` gave, or a path or a
    table of any kind that it takes (`columns` are its options then: `truth="y"`), or two of these (joined on ids, or by
    the same truth; `paired=False` for different rows). The method follows from the metric and the rows
    (`cmp.facts["why"]`).

    - Several models: each is compared with the best one, with limits and p-values that hold together and count that
      it was picked as the best (`cmp.simultaneous`); the other pairs of `cmp.pairs` have limits and
      p-values adjusted by `adjust`. `reference=` compares with one model only.
    - Metric: a name, accuracy where nothing else is asked for, or {"f_beta": {"beta": 2}} with its own options.
    - Alike? `margin=` asks besides whether pairs are alike within ±margin (adjusted too).
    - Costs: `costs=` (a cost matrix; `cost_fp=`, `cost_fn=` of two classes) compares by what calls cost.
      Probabilities make the calls that cost least: of two classes at the threshold that the costs name (a
      `CostComparison`). Labels alone, and scores with `threshold=`, are judged as they stand.
    - Another class mix: `prior=`, the share of the positive class, or of each class. Slices: `by=` compares in each
      too (`cmp.slices`, adjusted over all of them).
    - Folds: with `folds=` rows are ranked within folds; `method="corrected-t"` (or `repeats=` of folds) asks for the
      learners behind the models. `cv=`, the splitter, stands for the folds of cross_val_predict; what cross_validate
      returned, by name, is compared as learners.
    - From a paper: two confusion matrices, or {"a": te.Confusion(…), …} of several;
      `counts={"both": 810, "a": 60, "b": 40, "neither": 90}` of the same rows; or
      `marginals={"a": (456, 500), "b": (445, 500)}`, where only the two shares of the same rows were printed: the
      bounds over every possible agreement.

    >>> truth = [0, 1] * 100
    >>> a, b = [0, 1] * 90 + [1, 0] * 10, [0, 1] * 80 + [1, 0] * 20
    >>> print(compare(truth, {"a": a, "b": b})["a", "b"])
    accuracy: a − b = +0.100 [0.066, 0.149], 95 % mcnemar-mid-p, p < .001, n = 200 (interval: tango)
    """
    check_alternative(asked.alternative)
    check_word(asked.adjust, ADJUSTMENTS, "adjust")
    asked = _of_evaluations(asked)
    if asked.predicted is not None and asked.scores is None and is_multilabel(*asked.given_rows):
        asked = one_label_each(asked)
    if asked.counts is not None or asked.marginals is not None or of_counts(*asked.given_rows):
        from trueerror.verbs._published import compare_published

        refuse_columns(asked.columns)
        return compare_published(asked)
    if hasattr(type(asked.truth_or_predictions), "failures"):  # an experiment compares its own learners
        own = {name: getattr(asked, name) for name in asked.changed() if name != "columns"}
        return cast("Comparison", own.pop("truth_or_predictions").compare(**own))
    if isinstance(answers := asked.columns.get("right", asked.columns.get("grade")), Mapping):
        asked = replace(asked, truth_or_predictions=graded(answers), columns={})
    if asked.truth_or_predictions is None:
        raise InputError("there is nothing to compare: pass the truth and predictions, or counts= or marginals=")
    of_folds = _of_folds(asked)
    if of_folds is not None:
        from trueerror.verbs._cross_validation import compare_folds

        refuse_columns(asked.columns)
        return compare_folds(of_folds, Settings(confidence=asked.confidence, rng=asked.rng), asked)
    costs = named_costs(asked.costs, asked.cost_fp, asked.cost_fn)
    asked = replace(asked, costs=costs, cost_fp=None, cost_fn=None)
    measure, own_options = judged_by(asked.metric, asked.options, costs)
    given, second = _samples(asked)
    if second is None and (two := _two_costs(given, asked)) is not None:
        from trueerror.verbs._compare_costs import compare_costs

        check_keys(given, "costs at a threshold")
        return compare_costs(given, asked, *two)
    named = asked.metric is not None or costs is not None
    measure, own_options = judged_on(given, measure, own_options, asked=named)
    if given.scale is not None:
        refuse_classes(prior=asked.prior, threshold=asked.threshold)
    settings = Settings.of(asked, {measure.name: own_options}, costs=costs, threshold=asked.threshold)
    lowest, highest = measure.bounds(own_options) if measure.of_grades else measure.range
    if asked.margin is not None:
        check_margin(asked.margin, widest=highest - lowest)
    if second is not None:
        if asked.paired is False:
            samples = priced(given, settings), priced(second, settings)
            return _separate(*samples, measure, settings, asked)
        given = pair(given, second)
    elif asked.paired is False:
        raise InputError("paired=False compares two Predictions on different rows: pass both")
    given = priced(given, settings)
    compared: Comparer = partial(compare_predictions, measure=measure, settings=settings, asked=asked)
    usual, comparison = not named and asked.margin is None and asked.method is None, compared(given)
    other = _telling_metric(given, comparison, measure) if usual or _mostly_one_class(comparison) else None
    if other is not None:
        others, alike = (
            replace(settings, metrics={other.name: {}}),
            Pairwise(reference=asked.reference, adjust=asked.adjust),
        )
        by_other = partial(compare_predictions, measure=other, settings=others, asked=alike)
        with suppress(InputError):  # the other metric cannot be had of folds with one class and the like
            comparison, compared = _with_another(comparison, by_other(given), compared, by_other, usual=usual)
    return sliced(comparison, given, compared) if given.has_key("slices") else comparison


def _mostly_one_class(made: Comparison) -> bool:
    return made.facts.constant is not None and MOSTLY_ONE_CLASS <= made.facts.constant[1] < 1


def _with_another(
    made: Comparison, other: Comparison, by_this: Comparer, by_other: Comparer, *, usual: bool
) -> tuple[Comparison, Comparer]:
    """Both comparisons in one: the other leads where nobody named a metric and nearly all rows are of one class."""
    if not usual or not _mostly_one_class(made):
        return replace(made, also=other), by_this
    known = {(f.code, f.about) for f in other.findings}
    of_rows = [f for f in made.findings if f.code in (*ABOUT_THE_SAMPLE, "TE406") and (f.code, f.about) not in known]
    findings = sorted_findings([*other.findings, *of_rows])
    return replace(other, also=made, findings=findings), by_other


def _of_evaluations(asked: Comparing) -> Comparing:
    """The rows behind evaluations in the place of those."""
    if not any(isinstance(given, Evaluation) for given in asked.given_rows):
        return asked
    first, second = map(_evaluated, asked.given_rows)
    paired = asked.paired
    if paired is None and isinstance(first, Predictions) and isinstance(second, Predictions):
        paired = None if _same_rows(first, second) else False
    return replace(asked, truth_or_predictions=first, predicted=second, paired=paired)


def _of_folds(asked: Comparing) -> FoldTable | None:
    """Scores of folds in the place of rows; None where rows were given."""
    first, second = asked.given_rows
    if is_fold_result(first) and is_fold_result(second):
        first, second = {"first": first, "second": second}, None
    if second is not None or asked.scores is not None or isinstance(first, Predictions):
        return None
    from trueerror.verbs._cross_validation import taken_as_folds

    return taken_as_folds(first, asked.metric, asked.cv, asked.test_train_ratio)


def _samples(asked: Comparing) -> tuple[Predictions, Predictions | None]:
    """The rows, and those of a second sample where two were given."""
    given, predicted = asked.given_rows
    answers = {"predicted": predicted, "scores": asked.scores, "fitted": asked.fitted}
    of_rows = any(answer is not None for answer in answers.values())
    refuse_fold_sizes(asked.cv, asked.folds, asked.test_train_ratio, of_rows=of_rows)
    read_already = isinstance(given, Predictions)
    rows = asked.given(RowOptions) | dict(asked.columns)
    if asked.cv is not None:
        rows["folds"] = folds_of(asked.cv, given)
    answers = {"predicted": predicted} | {name: rows.pop(name) for name in ("scores", "fitted", "X")}
    threshold = rows.pop("threshold")
    second = None
    # A second table rather than columns beside the truth: a mapping is one only where the first is a mapping as well.
    table = is_openable(predicted) and (not isinstance(predicted, Mapping) or isinstance(given, Mapping))
    if isinstance(predicted, Predictions) or (table and (read_already or is_openable(given))):
        second = predictions(predicted, **columns_for(predicted, given, rows))
        rows = columns_for(given, predicted, rows)
        answers["predicted"] = None
    if read_already and any(answers[name] is not None for name in ("predicted", "scores", "fitted")):
        raise InputError("pass either predictions that were read, or arrays; not both")
    return predictions(given, **answers, threshold=None if read_already else threshold, **rows), second


def _two_costs(p: Predictions, asked: Comparing) -> tuple[float, float] | None:
    """What a false alarm and a miss cost, where probabilities are compared by nothing else."""
    unlike = (asked.metric, asked.options, asked.margin, asked.paired)
    if asked.costs is None or any(x is not None for x in unlike) or asked.alternative != "two-sided":
        return None
    as_said = [m.name for m in p.facts.models if m.threshold is not None and asked.threshold is None]
    of_scores = all(p.has_scores(m) and m not in as_said for m in p.models)
    if p.scale is not None or not of_scores or len(p.labels) != 2 or p.positive is None or len(p.models) < 2:
        return None
    prices, up = cost_matrix(asked.costs, p.labels, p.positive), p.labels.index(p.positive)
    fp, fn = float(prices[1 - up, up]), float(prices[up, 1 - up])
    inside = all(found.low >= 0 and found.high <= 1 for found in map(p.score_range, p.models))
    return (fp, fn) if inside and fp > 0 and fn > 0 and not prices[0, 0] and not prices[1, 1] else None


def of_counts(first: object, second: object) -> bool:
    """Whether confusion matrices are compared: two of them, or several by name."""
    tables = list(first.values()) if isinstance(first, Mapping) else [first, second]
    return any(isinstance(t, Confusion) for t in tables)


def _evaluated(given: Any) -> Any:
    """The rows behind an evaluation, such as one slice of another; where only counts are left, those."""
    if not isinstance(given, Evaluation):
        return given
    if len(given.parts) > 1:
        raise InputError(f"an evaluation of {len(given.parts)} models cannot be compared with another: name one model")
    part = given.parts[0]
    rows = None if part.counted is None else part.counted.predictions
    if rows is None and part.confusion is None:
        raise InputError("this evaluation holds neither rows nor counts: evaluate the rows again")
    return part.confusion if rows is None else rows


def compare_predictions(p: Predictions, measure: Measure, settings: Settings, asked: Pairwise) -> Comparison:
    """Compare the models of one sample."""
    p, reference, method = p.items_together(), asked.reference, asked.method
    check_keys(p, method, measure)
    if len(p.models) < 2:
        raise InputError(f"there is one model, {p.models[0]!r}; trueerror evaluate (te.evaluate) judges one by itself")
    if reference is not None and reference not in p.models:
        raise InputError(f"reference={reference!r} is not among the models{nearest(reference, p.models)}")
    p = p.side_by_side() if measure.area else p
    # Shares of different rows would not subtract.
    common = answered_by_all(p, of_labels=measure.of_labels, threshold=settings.threshold)
    # Over repeats the differences are of learners, and so is what stands beside them.
    over = "corrected-t" if p.folded and p.repeated else method
    estimand = fixed_model(common, settings, over)
    own = replace(settings, method=over) if p.folded and is_word_of_folds(over) else settings
    options = settings.options(measure.name)
    paired = partial(PairedRows, p, measure, options, threshold=settings.threshold, prior=settings.prior)
    rows = paired() if measure.area and method is None else None
    if rows is not None and rows.placed:
        estimates = {m: rows.own(m, settings.spec(estimand=estimand)) for m in p.models}
    else:
        estimates = {
            m: ModelMetrics(m, own, predictions=common, estimand=estimand).interval(measure.name) for m in p.models
        }
    undefined = [m for m, own in estimates.items() if math.isnan(own.estimate)]
    if undefined:
        raise InputError(_undefined(p, measure, undefined, estimates[undefined[0]].note))
    rows = rows or paired()
    spec = settings.spec(alternative=asked.alternative)
    wanted = _pairs(p.models, reference)
    contrasts = [rows.contrast(a, b, spec, method) for a, b in wanted]
    differ = [c for c in contrasts if common is not p and c.p_value <= 1 - settings.confidence]
    counted = [recount for c in differ if (recount := rows.silence_counted(c, spec, method)) is not None]
    contrasts = [both_readings(c, counted) for c in contrasts] if counted else contrasts
    discordance = _discordances(rows, wanted)
    # Whether two are alike within the margin is asked of both sides, whatever the alternative of the test.
    both_ways = None
    if asked.margin and asked.alternative != "two-sided":
        both_ways = [rows.contrast(a, b, settings.spec(), method) for a, b in wanted]
    sample = sample_evidence(p, measure, settings, estimates)
    comparison = assemble_comparison(
        measure,
        estimates,
        contrasts,
        asked,
        both_ways=both_ways,
        confidence=settings.confidence,
        within=measure.bounds(options),
        discordance=discordance,
        omnibus=None if p.has_key("clusters") else cochran_from_pairs(discordance, p.models),
        reading=compared_reading(p, measure, settings, contrasts, estimates),
        estimand=estimand,
        details=ComparisonDetails(
            twins=identical_pairs(p, settings, contrasts),
            infinite=infinite_losses({m: (p, m) for m in p.models}, measure, options, estimates, contrasts),
            **against_constant(sample),
        ),
        sample=[
            *sample,
            *row_evidence(p, settings.threshold),
            *gap_evidence(p, measure, settings, contrasts, counted),
            *fold_evidence(rows, contrasts, spec),
            *loss_evidence(rows, settings),
            *crossing_evidence(p, measure, settings, best_first(estimates, bool(measure.higher_is_better))),
        ],
    )
    if "TE219" in comparison.findings:
        comparison = replace(comparison, next_step=BY_ANSWERS)
    if "TE412" in comparison.findings and not comparison.next_step:
        comparison = replace(comparison, next_step=BY_COST)
    return replace(comparison, rows=rows)


def _telling_metric(p: Predictions, made: Comparison, measure: Measure) -> Measure | None:
    """What says more than the share of right rows: the AUC; of labels, where nearly all rows are of one class, balanced
    accuracy."""
    if not measure.right_or_wrong or p.scale is not None:
        return None
    ranked = len(p.labels) == 2 and p.positive is not None and all(p.has_scores(m) for m in p.models)
    if ranked and not any(p.unscored(m) for m in p.models):
        return find_measure("auc")
    return find_measure("balanced_accuracy") if _mostly_one_class(made) else None


def _undefined(p: Predictions, measure: Measure, models: list[str], note: str) -> str:
    """Which models a metric says nothing of, why, and what to do."""
    rest = [m for m in p.models if m not in models]
    listed = listing([*map(repr, models[:6]), *([f"{len(models) - 6} more"] if len(models) > 6 else [])])
    advice = [f"leave {listed} out by naming the others with models="] if len(rest) > 1 else []
    if measure.chance_corrected and (p.truth_counts() > 0).sum() > 1:
        advice.append('compare by metric="kappa", which has a value here')
    return f"{measure.name} of {listed} is undefined: {note}" + (f"; {', or '.join(advice)}" if advice else "")


def _pairs(models: tuple[str, ...], reference: str | None) -> list[tuple[str, str]]:
    if reference is None:
        return list(combinations(models, 2))
    return [(m, reference) for m in models if m != reference]


def _discordances(rows: PairedRows, wanted: list[tuple[str, str]]) -> dict[tuple[str, str], Discordance]:
    """Right and wrong row by row, for metrics that are shares of rows."""
    if not rows.measure.of_labels or rows.measure.share is None or rows.p.repeated or rows.weighted:
        return {}
    counted = {(a, b): rows.pair(a, b).discordance for a, b in wanted}
    return {names: counts for names, counts in counted.items() if counts is not None}


def assemble_comparison(
    measure: Measure, estimates: dict[str, Interval], contrasts: Sequence[Contrast], asked: Pairwise, *,
    confidence: float, both_ways: Sequence[Contrast] | None = None,
    discordance: Mapping[tuple[str, str], Discordance] | None = None, omnibus: Test | None = None, reading: str,
    estimand: str, details: ComparisonDetails | None = None, sample: Iterable[Evidence] = (), within: tuple[float,
    float] | None = None,
) -> Comparison:  # fmt: skip
    """The comparison that estimates and contrasts make: adjusted p-values, groups, what would settle it, findings.

    `both_ways` are the contrasts that equivalence within the margin is judged by, where the tests are one-sided;
    `sample` is what rows and models show by themselves; `within` is where the metric can lie, if not in its own range.
    """
    counts, details = discordance or {}, details or ComparisonDetails()
    ends = measure.range if within is None else within
    reach, reference, adjust = ends[1] - ends[0], asked.reference, asked.adjust
    margin = None if asked.margin is None else check_margin(asked.margin, widest=reach)
    pairs = tuple(_many.adjust_contrasts(contrasts, adjust, whole=(-reach, reach)))
    higher = bool(measure.higher_is_better)
    order = best_first(estimates, higher)
    together = _many.together_with_best(pairs, order, reference, adjust, reach) if len(pairs) > 1 else ()
    # A pair is one inference: with the best one it is judged together with the others that are.
    judged = {(c.first, c.second): c for one in together for c in (one, mirrored(one))}
    pairs = tuple(judged.get((c.first, c.second), c) for c in pairs)
    equivalent = (
        [_many.alike_by_pairs(c.alone(), counts, margin, confidence) for c in both_ways or pairs] if margin else []
    )
    sound = {(c.first, c.second): _many.sound_p_values(c, counts.get((c.first, c.second))) for c in pairs}
    several = reference is None and len(order) > 2
    picked = best_of_several(estimates, order[0], lowest=not higher, gaps=contrasts, ends=ends) if several else None
    kind = SAME if details.could_be_paired is None else DIFFERENT
    reason = reason_for(pairs[0].method, kind) if pairs else ""
    draft = Comparison(
        metric=measure.name,
        title=measure.title,
        higher_is_better=higher,
        estimates=estimates,
        pairs=pairs,
        # With very many models none.
        tiers=_many.groups_of_equals(order, pairs) if reference is None and len(order) <= 60 else (),
        reference=reference,
        margin=margin,
        within_margin=tuple(_many.adjust_contrasts(equivalent, adjust)),
        adjust=adjust,
        confidence=confidence,
        omnibus=omnibus,
        reading=reading,
        estimand=estimand,
        facts=replace(
            details,
            share=measure.range in ((0.0, 1.0), (-1.0, 1.0)) and (measure.share is not None or measure.row_hits),
            why=details.why or (f"{measure.title}: {reason}" if reason else ""),
            discordance={names: (*(d if higher else d.turned),) for names, d in counts.items()},
            borderline=len(pairs) == 1 and _many.straddles(*sound.values(), level=1 - confidence),
        ),
        simultaneous=together or None,
        expected=picked.interval if picked and picked.close else None,
    )
    return replace(draft, next_step=next_step(draft, measure), findings=comparison_findings(draft, sound, sample))


def _same_rows(first: Predictions, second: Predictions) -> bool:
    """Whether two samples that were compared as different rows look like the same rows."""
    if first.n != second.n or first.n < 2:
        return False
    if first.has_ids and second.has_ids:
        a, b = (p.source.fetched().ids for p in (first, second))
        return a is not None and b is not None and set(a.tolist()) == set(b.tolist())
    return first.fingerprint == second.fingerprint


def own_rows(p: Predictions | Confusion, model: str, measure: Measure, settings: Settings) -> ModelRows:
    """One model on rows of its own, for a contrast with one on other rows."""

    @cache
    def intervals() -> Callable[[float], Interval]:
        if isinstance(p, Confusion):
            return ModelMetrics(model, settings, confusion=p).intervals(measure)
        return ModelMetrics(model, settings, predictions=p).intervals(measure)

    return ModelRows(p, model, settings.threshold, settings.prior, lambda confidence: intervals()(confidence))


def _separate(
    first: Predictions, second: Predictions, measure: Measure, settings: Settings, asked: Comparing,
) -> Comparison:  # fmt: skip
    """Two samples of different rows, a model on each."""
    if len(first.models) > 1 or len(second.models) > 1:
        names = [listing(list(map(repr, p.models))) for p in (first, second)]
        raise InputError(
            f"on different rows one model is compared with one, and the first have {names[0]}, the second {names[1]}: "
            "name one of each with models="
        )
    options = settings.options(measure.name)
    samples = [own_rows(p, p.models[0], measure, settings) for p in (first, second)]
    two_sided = unpaired_contrast((samples[0], samples[1]), measure, settings.spec(), options, asked.method)
    contrast = two_sided
    if asked.alternative != "two-sided":
        spec = settings.spec(alternative=asked.alternative)
        contrast = unpaired_contrast((samples[0], samples[1]), measure, spec, options, asked.method)
    estimates: dict[str, Interval] = {}
    sample = []
    on = {contrast.first: (first, first.models[0]), contrast.second: (second, second.models[0])}
    for name, (p, model) in on.items():
        estimates[name] = ModelMetrics(model, settings, predictions=p).interval(measure.name)
        found = [*sample_evidence(p, measure, settings, {model: estimates[name]}), *row_evidence(p)]
        # What all rows of a sample show is said of the model that stands on them.
        sample += [replace(e, model=name) for e in (*found, *gap_evidence(p, measure, settings, (), ()))]
    sample += _mixes(first, second, measure, settings)
    return assemble_comparison(
        measure,
        estimates,
        [contrast],
        asked,
        both_ways=[two_sided],
        confidence=settings.confidence,
        within=measure.bounds(options),
        reading="First: {}\nSecond: {}\nDifferent rows: not paired.".format(
            *(p._noted_at(settings.threshold) for p in (first, second))
        ),
        estimand="Estimates: the difference between two models, each on rows drawn like its own.",
        details=ComparisonDetails(
            could_be_paired=_same_rows(first, second),
            infinite=infinite_losses(on, measure, options, estimates, [contrast]),
        ),
        sample=sample,
    )


def _mixes(first: Predictions, second: Predictions, measure: Measure, settings: Settings) -> list[Evidence]:
    """The class mixes of two samples of plain rows, where the metric depends on them."""
    classes = list(dict.fromkeys((*first.labels, *second.labels)))
    plain = not any(p.scale is not None or p.weights_kind is not None or p.has_key("clusters") for p in (first, second))
    if not plain or settings.prior is not None or measure.is_prior_free(len(classes)):
        return []
    counts = [dict(zip(p.labels, map(float, p.truth_counts()), strict=True)) for p in (first, second)]
    totals = {who: tuple(c.get(x, 0.0) for x in classes) for who, c in zip(("first", "second"), counts, strict=True)}
    return [Evidence(class_totals=totals, metrics=(measure.name,))]
