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

from trueerror.experiments._estimate import ask, learner_at, learner_interval, left_out, plan_situation, rounds_of_folds
from trueerror.experiments._outcomes import FoldPairLosses, FoldScores, ResampleResults, mean_over_rows
from trueerror.findings import Evidence, Findings, find
from trueerror.findings._rules import sorted_findings
from trueerror.inference._contrast import check_margin, contrast, normal_p, normal_quantile
from trueerror.inference.learner._intervals import nested_error
from trueerror.inference.loss._t_tests import corrected_t, five_by_two_f, five_by_two_t, paired_t, unpaired_t
from trueerror.inputs._options import InputError, check_alternative, check_confidence, check_word, nearest
from trueerror.methods import decision
from trueerror.metrics._registry import Measure, find_measure
from trueerror.results import Alternative, Contrast
from trueerror.verbs._compare import ADJUSTMENTS, assemble_comparison, compare_predictions
from trueerror.verbs._comparison import Comparison, ComparisonDetails
from trueerror.verbs._model_metrics import Settings
from trueerror.verbs._rank import rank_sheet
from trueerror.verbs._rank_input import FoldKey, ScoreSheet
from trueerror.verbs._ranking_result import LearnerRanking

Floats = NDArray[np.float64]
FOLD_METHODS = ("corrected-t", "plain-t", "unpaired", "five-by-two-t", "five-by-two-f", "bates")
# Keys of the catalogue and other names that people may write.
WORDS = {
    "corrected-t-test": "corrected-t", "paired-t": "plain-t", "fold-t": "plain-t", "conservative-t": "unpaired",
    "5x2-t": "five-by-two-t", "5x2-f": "five-by-two-f", "bates-difference": "bates",
}  # fmt: skip
# What the linter calls a method, or the situation that a plan is.
LINTED = {"unpaired": "plain-t", "learner-leave-one-out": "leave-one-out", "learner-pairs-of-folds": "bates"}


def fold_method(method: str) -> str:
    """The word that the linter knows a method by."""
    return LINTED.get(method, method)


class _Losses(NamedTuple):
    single: list[Floats]
    pair: dict[tuple[int, int], tuple[Floats, Floats]]


@dataclass(frozen=True, eq=False)
class LearnerPairs:
    """Contrasts of any two learners of an experiment on one data set."""

    run: ResampleResults
    data: str
    measure: Measure
    positive: Any
    options: Mapping[str, Any]
    confidence: float
    alternative: Alternative
    method: str | None
    chosen: str = ""

    def __post_init__(self) -> None:
        chosen = self.method
        if chosen is None:
            plain = not self.options and self.positive is None
            chosen = "bates" if self.run.plan.name == "BatesCV" and self.of_rows and plain else "corrected-t"
        chosen = WORDS.get(chosen, chosen)
        if chosen not in FOLD_METHODS:
            raise InputError(f"method={self.method!r} is not known for learners{nearest(chosen, FOLD_METHODS)}")
        if chosen == "bates" and not self.of_rows:
            raise InputError(f"method='bates' needs a metric that is a mean over rows, and {self.measure.name} is not")
        object.__setattr__(self, "chosen", chosen)

    @cached_property
    def table(self) -> FoldScores:
        """The metric of every learner on every test part."""
        return self.run.fold_scores(self.measure.name, self.data, positive=self.positive, **self.options)

    def scores_of(self, learners: Sequence[str]) -> dict[str, tuple[float, ...]]:
        """The scores of these learners on the test parts that all of them have: what a picture shows."""
        values = np.stack([self.table.of(x) for x in learners])
        known = ~np.isnan(values.sum(axis=0))
        return {x: tuple(row[known].tolist()) for x, row in zip(learners, values, strict=True)}

    def contrast(self, first: str, second: str) -> Contrast:
        """First − second."""
        raw = self._bates(first, second) if self.chosen == "bates" else self._over_folds(first, second)
        difference = self._within_range(raw, first, second)
        better = difference.p_better
        if better is not None and not self.measure.higher_is_better:
            better = 1 - better
        return replace(
            difference, name=self.measure.title, first=first, second=second, p_better=better,
            estimand=f"the difference in {self.measure.title} between the two learners, "
            f"at {round(float(self.table.trains.mean())):,} training rows",
        )  # fmt: skip

    @property
    def of_rows(self) -> bool:
        """Whether the metric is a mean over rows."""
        return mean_over_rows(self.measure)

    def _within_range(self, difference: Contrast, first: str, second: str) -> Contrast:
        """Limits within what a difference can be; where no row was judged differently, within Tango's for such rows."""
        reach = self.measure.range[1] - self.measure.range[0]
        note = difference.note
        if difference.p_value == 1 and difference.estimate == 0 and self.of_rows and self._never_differ(first, second):
            z = normal_quantile(self.confidence, self.alternative)
            rows = self.run.datasets[self.data].n
            reach *= z**2 / (rows + z**2)
            note = "no test row was judged differently: limits for these models by their number alone"
        return replace(difference, low=max(difference.low, -reach), high=min(difference.high, reach), note=note)

    def _never_differ(self, first: str, second: str) -> bool:
        both = (self.run.losses(x, self.data, self.measure.name) for x in (first, second))
        return all(np.array_equal(a, b) for (_, a), (_, b) in zip(*both, strict=True))

    def _over_folds(self, first: str, second: str) -> Contrast:
        a, b = self.table.of(first), self.table.of(second)
        known = ~(np.isnan(a) | np.isnan(b))
        if known.sum() < 2:
            folds = "no test part" if not known.any() else "one test part"
            raise InputError(
                f"{first!r} and {second!r} both have a score ({self.measure.name}) on {folds} only; comparing over "
                "parts takes two: see .failures"
            )
        for name, scores in ((first, a), (second, b)):
            if np.isinf(scores).any():
                raise InputError(
                    f"the {self.measure.title} of {name!r} is infinite on {int(np.isinf(scores).sum())} test parts (a "
                    "row that was called certain was wrong), so no difference can be told; clip=1e-6 sets the highest"
                )
        if self.chosen in ("five-by-two-t", "five-by-two-f"):
            return self._five_by_two(a - b)
        a, b, level, side = a[known], b[known], self.confidence, self.alternative
        if self.chosen == "plain-t":
            difference = paired_t(a, b, confidence=level, alternative=side)
        elif self.chosen == "unpaired":
            difference = unpaired_t(a, b, df="conservative", confidence=level, alternative=side)
        else:
            ratio = self.table.ratio_of(known)
            difference = corrected_t(a - b, test_train_ratio=ratio, confidence=level, alternative=side)
        note = left_out(int((~known).sum()), len(known))
        return replace(difference, note="; ".join(w for w in (difference.note, note) if w)) if note else difference

    def _five_by_two(self, differences: Floats) -> Contrast:
        repeats, folds = self.table.repeats, self.table.folds
        if len(differences) != 10 or len(set(repeats.tolist())) != 5 or len(set(folds.tolist())) != 2:
            raise InputError(f"method={self.chosen!r} needs the plan te.KFold(2, repeats=5), not {self.run.plan!r}")
        if np.isnan(differences).any():
            raise InputError(f"method={self.chosen!r} needs all ten test parts, but some have no score: see .failures")
        grid = differences[np.lexsort((folds, repeats))].reshape(5, 2)
        if self.chosen == "five-by-two-t":
            return five_by_two_t(grid, confidence=self.confidence, alternative=self.alternative)
        if self.alternative != "two-sided":
            raise InputError("the 5×2 F-test has no sides; use method='five-by-two-t' for a one-sided test")
        return five_by_two_f(grid, confidence=self.confidence)

    def _bates(self, first: str, second: str) -> Contrast:
        """Nested cross-validation of the losses' differences, row by row; of accuracy, losses are errors."""
        sign = -1.0 if self.measure.right_or_wrong == 1 else 1.0
        both = [self.run.pair_losses(x, self.data, self.measure.name) for x in (first, second)]
        gap = nested_error([_difference(a, b, sign) for a, b in zip(*both, strict=True)])
        reach = self.measure.range[1] - self.measure.range[0]
        made = partial(
            contrast, estimate=gap.mean, whole=(-reach, reach), confidence=self.confidence,
            alternative=self.alternative, method="bates-difference", n=gap.rows,
        )  # fmt: skip
        if not gap.error > 0:
            same = gap.mean == 0
            note = "no row differs: the difference has no variance" if same else "the losses' differences do not vary"
            return made(
                limits=(-np.inf, np.inf), p_value=1.0 if same else np.nan, statistic=0.0, notes=(note,),
                p_better=0.5 if same else None,
            )  # fmt: skip
        half = normal_quantile(self.confidence, self.alternative) * gap.error
        z = gap.mean / gap.error
        return made(
            limits=(gap.mean - half, gap.mean + half), statistic=z, p_value=normal_p(z, self.alternative),
            p_better=float(special.ndtr(z)), notes=(f"{gap.inflation:.2f} times the naive standard error",),
        )  # fmt: skip


def _difference(a: FoldPairLosses, b: FoldPairLosses, sign: float) -> _Losses:
    return _Losses(
        [sign * (x - y) for x, y in zip(a.single, b.single, strict=True)],
        {key: (sign * (a.pair[key][0] - b.pair[key][0]), sign * (a.pair[key][1] - b.pair[key][1])) for key in a.pair},
    )


PAIRS_OF_MODELS = ("learner-holdout", "learner-leave-one-out")


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
    positive: Any = None,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    rng: Any = None,
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
    width = None if margin is None else check_margin(margin)
    splits = [run.splits[name][i] for i in run.parts(name)]
    situation = plan_situation(run.plan, splits)
    asked = run.learners if learners is None else names
    if situation in PAIRS_OF_MODELS and method not in FOLD_METHODS:
        p = run.predictions(name, learners=names)
        settings = Settings(confidence=level, metrics={measure.name: options}, rng=rng)
        of_models = compare_predictions(
            p if positive is None else p.with_positive(positive), measure, settings, reference=reference,
            method=method, adjust=adjust, margin=width, alternative=alternative,
        )  # fmt: skip
        return _with_findings(of_models, learner_evidence(run, name, situation, asked))
    pairs = LearnerPairs(
        run=run, data=name, measure=measure, positive=positive, options=options, confidence=level,
        alternative=alternative, method=method,
    )  # fmt: skip
    wanted = list(combinations(names, 2)) if reference is None else [(x, reference) for x in names if x != reference]
    contrasts = [pairs.contrast(a, b) for a, b in wanted]
    own = own_method(run, pairs.chosen)
    estimates = {
        x: learner_interval(ask(run, x, name, metric, positive=positive, confidence=level, rng=rng, **options), own)
        for x in names
    }
    sizes = [s.distinct for s in splits]
    made = assemble_comparison(
        measure,
        estimates,
        contrasts,
        reference=reference,
        margin=width,
        adjust=adjust,
        confidence=level,
        reading=_reading(run, name, names),
        estimand=f"Estimates: {learner_at(run.datasets[name], sizes).replace('this learner', 'these learners')}.",
        details=ComparisonDetails(why=f"{measure.title}: {decision('two-learners').why}", parts=pairs.scores_of(names)),
    )
    return _with_findings(made, learner_evidence(run, name, pairs.chosen, asked))


def _with_findings(made: Comparison, evidence: Evidence) -> Comparison:
    """What the linter says of the resampling, besides what it said of the comparison."""
    return replace(made, findings=sorted_findings([*made.findings, *find([evidence])]))


def own_method(run: ResampleResults, chosen: str) -> str | None:
    """The method of each learner's own estimate, such that the differences are those of the estimates.

    .632+ and nested cross-validation move estimates away from the means over test parts, which most pairs rest on.
    """
    if chosen == "plain-t":
        return "fold-t"
    moved = run.plan.name == "Bootstrap" or (run.plan.name == "BatesCV" and chosen != "bates")
    return "corrected-t" if moved else None


def fitted_learners(run: ResampleResults, datasets: Sequence[str]) -> tuple[str, ...]:
    """The learners with at least one successful fit on these data sets: the others have nothing to be judged by."""
    return tuple(x for x in run.learners if any(run.failed(x, data) < len(run.outcomes[data, x]) for data in datasets))


def experiment_findings(run: ResampleResults) -> Findings:
    """What the linter says of the whole experiment, each data set by its name where there are several."""
    evidence = []
    for data in run.datasets:
        situation = plan_situation(run.plan, [run.splits[data][i] for i in run.parts(data)])
        method = "corrected-t" if situation == "learner-folds" else situation
        about = data if len(run.datasets) > 1 else ""
        evidence.append(replace(learner_evidence(run, data, method, run.learners), model=about))
    return find(evidence)


def learner_evidence(run: ResampleResults, data: str, method: str, learners: Sequence[str]) -> Evidence:
    """What the linter may know of the way in which learners were resampled and judged."""
    splits = [run.splits[data][i] for i in run.parts(data)]
    return Evidence(
        fold_method=fold_method(method),
        rounds=rounds_of_folds(splits),
        test_parts=len(splits),
        smallest_test=run.smallest_test_part(data),
        data_rows=run.datasets[data].n,
        failed={x: (run.failed(x, data), len(run.outcomes[data, x])) for x in learners},
    )


def _reading(run: ResampleResults, data: str, learners: Sequence[str]) -> str:
    dataset = run.datasets[data]
    shown = "" if len(run.datasets) == 1 else f"{data}: "
    return f"{shown}{len(learners)} learners on {dataset.n:,} rows, {run.plan!r}; the same test parts for all."


def rank_learners(
    run: ResampleResults,
    metric: str = "accuracy",
    *,
    learners: Sequence[str] | None = None,
    positive: Any = None,
    method: Any = "wilcoxon",
    adjust: Any = "holm",
    control: str | None = None,
    alpha: float = 0.05,
    rope: float | None = None,
    rng: Any = None,
    **options: Any,
) -> LearnerRanking:
    """The learners over all data sets: mean ranks, pairs over data sets, and pairs within each data set.

    A data set counts once, however many test parts it has; within each the corrected t judges. See `te.rank` for the
    methods. Test parts on which a learner has no score are left out for all learners, and said so.
    """
    measure = find_measure(metric)
    names = fitted_learners(run, list(run.datasets)) if learners is None else tuple(map(run.learner_name, learners))
    if len(names) < 2:
        raise InputError("ranking takes at least two learners; .estimate judges one by itself")
    if control is not None and control not in names:
        raise InputError(f"control={control!r} is not among the learners{nearest(control, names)}")
    parts, folds, kept, ratios = [], [], [], []
    dropped: list[str] = []
    for data in run.datasets:
        table = run.fold_scores(metric, data, positive=positive, **options)
        values = np.stack([table.of(x) for x in names], axis=1)
        known = ~np.isnan(values.sum(axis=1))
        if not known.all():
            lost = int((~known).sum())
            dropped.append(data if lost == len(known) else f"{lost} of {len(known)} test parts of {data}")
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
    return rank_sheet(
        sheet, higher_is_better=bool(measure.higher_is_better), method=method, adjust=adjust, control=control,
        alpha=alpha, test_train_ratio=None if math.isnan(ratio) else ratio, rope=rope, rng=rng,
    )  # fmt: skip
