"""te.learning_curve: how does the error fall with the number of training rows, and what would more rows bring?

Training-set sizes come on a schedule: geometric (each a multiple of the last) or arithmetic (each a step more). Models
are tested on rows held out and on their own training rows.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np

from trueerror.experiments._compare import constant_evidence
from trueerror.experiments._dataset import Dataset, Features
from trueerror.experiments._experiment import Experiment, RunOptions, run_experiment
from trueerror.experiments._fit import Balance
from trueerror.experiments._learners import Learner, as_learners, text_seed
from trueerror.findings import Findings
from trueerror.inputs._arrays import Floats
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError, Rng, check_confidence, check_word, in_few_words
from trueerror.metrics._registry import Measure
from trueerror.resampling._cross_validation import KFold, as_k_fold
from trueerror.resampling._growing_subsets import GrowingSubsets
from trueerror.resampling._random_splits import Subsampling
from trueerror.resampling._wrapped import WithTraining
from trueerror.results import Contrast
from trueerror.results._format import number
from trueerror.studies._curve_bands import FEWEST_SIZES, compared_forms
from trueerror.studies._curve_forms import FORMS, Fitted, parameters
from trueerror.studies._curve_shapes import SURE, curve_crossing, last_gain, worst_rise
from trueerror.studies._learning_curve_result import Crossing, CurveFit, CurvePoint, LearningCurve, TrainingShares
from trueerror.studies._study import (
    SeenScores,
    as_study_data,
    judged_measure,
    row_variance,
    seen_scores,
    shortfall,
    spread_interval,
    study_findings,
    why_failed,
)

Schedule = Literal["geometric", "arithmetic"]
# Below this many rows hardly any learner has anything to go by.
FEWEST_ROWS = 10
# The smallest size is at least this share of the largest: one curve does not fit much more than two decades.
SMALLEST_SHARE = 1 / 64


def sizes_of(
    schedule: Schedule,
    largest: int,
    *,
    classes: int = 2,
    steps: int = 8,
    smallest: int | None = None,
    ratio: float | None = None,
    step: int | None = None,
) -> tuple[int, ...]:
    """The sizes up to the largest, which always ends the schedule.

    Geometric: smallest · ratio^i (Provost, Jensen and Oates 1999, KDD, 23); arithmetic: smallest + i · step (John and
    Langley 1996, KDD, 367). Without `ratio` or `step` there are `steps` sizes.

    >>> sizes_of("geometric", 320, smallest=20, ratio=2)
    (20, 40, 80, 160, 320)
    >>> sizes_of("arithmetic", 100, smallest=20, step=30)
    (20, 50, 80, 100)
    """
    check_word(schedule, ("geometric", "arithmetic"), "schedule")
    least = math.ceil(max(FEWEST_ROWS, 2 * classes, largest * SMALLEST_SHARE))
    first = min(least, max(2, largest // 2)) if smallest is None else smallest
    if isinstance(first, bool) or not isinstance(first, int | np.integer) or not 2 <= first < largest:
        raise InputError(f"smallest={smallest!r} must be a whole number of rows from 2 to below {largest:,}")
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 2:
        raise InputError(f"steps={steps!r} must be a whole number of sizes, at least 2")
    if schedule == "geometric":
        if step is not None:
            raise InputError('step= belongs to schedule="arithmetic"; for "geometric" pass ratio=')
        factor = (largest / first) ** (1 / (steps - 1)) if ratio is None else float(ratio)
        if not 1 < factor <= (largest / first) ** 2:
            raise InputError(f"ratio={ratio!r:.40} must be a number above 1, such as 2, and leave two sizes")
        count = math.floor(math.log(largest / first) / math.log(factor) + 1e-9)
        sizes = [round(first * factor**i) for i in range(count + 1)]
        # A last size just below the largest would tell nothing more.
        sizes = [s for s in sizes if s * math.sqrt(factor) <= largest]
    else:
        if ratio is not None:
            raise InputError('ratio= belongs to schedule="geometric"; for "arithmetic" pass step=')
        width = (largest - first) / (steps - 1) if step is None else float(step)
        if not (math.isfinite(width) and width >= 1):
            raise InputError(f"step={step!r} must be a whole number of rows, at least 1")
        sizes = [round(first + i * width) for i in range(int((largest - first) / width + 1e-9) + 1)]
        sizes = [s for s in sizes if s + width / 2 <= largest]
    return tuple(sorted({*sizes, largest}))


def given_sizes(sizes: Sequence[int | float], largest: int) -> tuple[int, ...]:
    """Sizes as given: whole numbers of rows, or shares of the largest.

    >>> given_sizes([0.1, 0.5, 1.0], 200), given_sizes([50, 100], 200)
    ((20, 100, 200), (50, 100))
    """
    row_counts = []
    for size in sizes:
        if isinstance(size, float) and 0 < size <= 1:
            row_counts.append(max(1, round(size * largest)))
        elif isinstance(size, bool) or float(size) != int(size) or not 1 <= size <= largest:
            raise InputError(f"sizes: {size!r} is neither a whole number of rows up to {largest:,} nor a share")
        else:
            row_counts.append(int(size))
    if len(set(row_counts)) < 2:
        raise InputError("a learning curve needs at least two different sizes")
    return tuple(sorted(set(row_counts)))


# A flat end is looked for from so many sizes on.
LOOK_FROM = 3


def learning_curve(
    learners: Learner | Mapping[str, Learner],
    X: Features,
    y: Any = None,
    *,
    schedule: Schedule = "geometric",
    steps: int = 8,
    ratio: float | None = None,
    step: int | None = None,
    smallest: int | None = None,
    sizes: Sequence[int | float] | None = None,
    folds: int = 5,
    repeats: int = 4,
    stratify: bool = True,
    plan: KFold | int | None = None,
    metric: str = "error_rate",
    positive: Label | None = None,
    form: str = "auto",
    stop: float | None = None,
    confidence: float = 0.95,
    store: str | os.PathLike[str] | None = None,
    engine: object = None,
    jobs: int | None = None,
    timeout: float | None = None,
    rng: Rng = None,
    progress: bool = True,
    balance: Balance | None = None,
) -> LearningCurve:
    """Learners fitted to growing numbers of rows: training and test error at each size, and what more rows would bring.

    `X, y` are the rows, or `X` a `te.Dataset`. In each of `repeats` × `folds` splits the training rows come in an order
    whose every beginning keeps the shares of the classes; the sizes are beginnings of it, one inside the next, so that
    points are paired, and all learners get the same. Sizes: `steps` of them on a "geometric" or "arithmetic"
    `schedule` from `smallest` up to the whole training set, or by `ratio` or `step`, or given (`sizes`, rows or
    shares). `plan=te.KFold(5, repeats=4)` says folds and repeats at once. Everything runs through `te.experiment`, with
    its `store`, `engine`, `jobs` and failures.

    `stop=0.01` samples progressively: larger sizes are tried only while the last step may have gained more than 0.01
    (one-sided limit at `confidence`) for some learner.

    `form` is what is extrapolated: "power" a + b·n^(−c), "exponential", "root", "logarithm", "flat", or "auto": of the
    first three the one that foretells the largest sizes best, chosen anew in each resampling.

    >>> import numpy as np
    >>> from sklearn.neighbors import NearestCentroid
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(200) % 2
    >>> X = rng.normal(size=(200, 8)) + 0.6 * y[:, None]
    >>> curve = learning_curve({"nearest": NearestCentroid()}, X, y, sizes=[10, 20, 40, 80, 160])
    >>> curve.extrapolate(400).low < curve.of()[0].estimate
    True
    """
    named, data = as_learners(learners), as_study_data(X, y)
    level, measure = check_confidence(confidence), judged_measure(metric)
    if plan is not None:
        if (folds, repeats, stratify) != (5, 4, True):
            raise InputError("plan= says folds, repeats and strata at once; leave folds=, repeats= and stratify= out")
        chosen = as_k_fold(plan, "a learning curve")
        folds, repeats, stratify = chosen.k, chosen.repeats, chosen.stratify
    if sizes is not None and (schedule, steps, ratio, step, smallest) != ("geometric", 8, None, None, None):
        raise InputError("sizes= are all sizes; leave schedule=, steps=, ratio=, step= and smallest= out")
    check_word(form, ("auto", *FORMS), "form")
    if not math.isfinite(float(measure.best or 0.0)):
        raise InputError(f"{measure.name} has no finite best value, so its curve cannot be fitted")
    if stop is not None and not (isinstance(stop, int | float) and 0 < stop < math.inf):
        raise InputError(f"stop={stop!r} must be a gain that is too small to matter, such as 0.01")
    largest = _pool(data, folds, stratify)
    wanted = (
        sizes_of(schedule, largest, classes=len(data.labels), steps=steps, smallest=smallest, ratio=ratio, step=step)
        if sizes is None
        else given_sizes(sizes, largest)
    )
    options = RunOptions(
        store=store, engine=engine, jobs=jobs, timeout=timeout, rng=rng, progress=progress, balance=balance
    )
    setup = _CurveOptions(metric=metric, positive=positive, confidence=level, form=form)
    subsets = GrowingSubsets(wanted, folds=folds, repeats=repeats, stratify=stratify)
    if stop is None:
        run = run_experiment(named, data, subsets, options)
        return made_curve([run], wanted, subsets, setup)
    runs: list[Experiment] = []
    for at, size in enumerate(wanted):
        runs.append(run_experiment(named, data, replace(subsets, sizes=(size,)), options.inside(f"size-{size}")))
        if at + 1 >= LOOK_FROM:
            curve = made_curve(runs, wanted[: at + 1], subsets, setup)
            if at + 1 < len(wanted) and all(_flat(g, stop) for g in curve.gains):
                words = f"Stopped at {size:,} rows: the last step gained less than {number(stop)} (upper limits)."
                return replace(curve, stopped=words)
    return made_curve(runs, wanted, subsets, setup)


def training_shares(
    learners: Learner | Mapping[str, Learner],
    X: Features,
    y: Any = None,
    *,
    shares: Sequence[float] = (0.3, 0.5, 2 / 3, 0.8, 0.9),
    repeats: int = 30,
    stratify: bool = True,
    metric: str = "error_rate",
    positive: Label | None = None,
    confidence: float = 0.95,
    store: str | os.PathLike[str] | None = None,
    engine: object = None,
    jobs: int | None = None,
    timeout: float | None = None,
    rng: Rng = None,
    progress: bool = True,
    balance: Balance | None = None,
) -> TrainingShares:
    """How many rows to train on and how many to test on: bias against spread of one random split.

    For each training share in `shares`, `repeats` random splits. A small training set gives models that are worse
    than those of all rows (bias); a small test fold gives an estimate that varies (sd). Both come together in
    √(bias² + sd²), how far one split is off. Source: Kohavi 1995, IJCAI 2:1137.

    >>> import numpy as np
    >>> from sklearn.neighbors import NearestCentroid
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(200) % 2
    >>> X = rng.normal(size=(200, 8)) + 0.4 * y[:, None]
    >>> made = training_shares({"nearest": NearestCentroid()}, X, y, shares=[0.2, 0.5, 0.9], progress=False)
    >>> few, half, most = made.of()
    >>> few.sd < most.sd, few.bias > half.bias > most.bias == 0
    (True, True)
    """
    named, data = as_learners(learners), as_study_data(X, y)
    level = check_confidence(confidence)
    judged_measure(metric)
    wanted = tuple(sorted({float(s) for s in shares}))
    if len(wanted) < 2 or not 0 < wanted[0] <= wanted[-1] < 1:
        raise InputError("shares= are at least two different training shares between 0 and 1, such as [0.5, 0.8]")
    if not isinstance(repeats, (int, np.integer)) or repeats < 2:
        raise InputError(f"repeats={in_few_words(repeats)}: how much splits vary takes at least two")
    options = RunOptions(
        store=store, engine=engine, jobs=jobs, timeout=timeout, rng=rng, progress=progress, balance=balance
    )
    runs = [
        run_experiment(
            named, data, WithTraining(Subsampling(repeats, 1 - share, stratify=stratify)),
            options.inside(f"share-{share:.4g}"),
        )
        for share in wanted
    ]  # fmt: skip
    tables = [seen_scores(run, metric, positive=positive) for run in runs]
    sizes = tuple(round(float(t.trains.mean())) for t in tables)
    if len(set(sizes)) < len(sizes):
        raise InputError(f"{data.n:,} rows are too few for these shares to differ: leave some out")
    setup = _CurveOptions(metric=metric, positive=positive, confidence=level, form="auto")
    points: list[CurvePoint] = []
    for row, learner in enumerate(runs[0].learners):
        finals = tables[-1].held_out[row]
        if np.isnan(finals).all():
            raise InputError(f"{learner!r} has no score on any split{why_failed(runs, learner)}")
        curve = [_points(learner, [n], t.held_out[row][:, None], t.training[row][:, None], t, data.rows.units, setup)[0]
               for n, t in zip(sizes, tables, strict=True)]  # fmt: skip
        # Test rows are a share t of all, drawn without replacement: between splits their mean has 1 − t of the variance
        # that fresh rows would give it. What one row adds is told best where models differ least.
        tested = [t.test_train_ratio / (1 + t.test_train_ratio) for t in tables]
        one_row = curve[-1].sd ** 2 * tested[-1] * data.n / (1 - tested[-1])
        for p in curve:
            bias, sd = p.estimate - curve[-1].estimate, math.sqrt(p.sd**2 + one_row / data.n)
            points.append(replace(p, bias=bias, sd=sd, rmse=math.hypot(bias, sd)))
    return TrainingShares(
        metric=tables[0].measure.name, title=tables[0].measure.title, learners=runs[0].learners, shares=wanted,
        sizes=sizes, rows=data.n, points=tuple(points), confidence=level, seed=runs[0].seed,
        notes=tuple(f"{x}: {sum(r.failed(x) for r in runs)} fits failed." for x in runs[0].learners
                    if any(r.failed(x) for r in runs)),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _CurveOptions:
    metric: str
    positive: Label | None
    confidence: float
    form: str


def _pool(data: Dataset, folds: int, stratify: bool) -> int:
    """The smallest training set of any fold."""
    from trueerror.resampling._cross_validation import KFold

    return min(s.train_size for s in KFold(folds, stratify=stratify).splits(data.rows, 0))


def _flat(gain: Contrast, small: float) -> bool:
    # Where nothing differs between the sizes there is no limit, and no gain either.
    upper = gain.estimate if math.isnan(gain.high) else gain.high
    return upper < small


def made_curve(
    runs: Sequence[Experiment], sizes: tuple[int, ...], plan: GrowingSubsets, asked: _CurveOptions
) -> LearningCurve:
    """The result, from one run with all sizes or from one run for each size."""
    run, data = runs[0], runs[0].datasets[runs[0].data_name(None)]
    tables = [seen_scores(r, asked.metric, positive=asked.positive) for r in runs]
    test, training = (_by_size(tables, len(sizes), field) for field in ("held_out", "training"))
    measure, ratio = tables[0].measure, tables[0].test_train_ratio
    units = data.rows.units
    places = np.asarray(sizes, dtype=np.float64)
    complete: dict[str, Floats] = {}
    points, fits, rises, gains, notes = [], [], [], [], []
    variances: dict[str, float] = {}
    for row, learner in enumerate(run.learners):
        points += _points(learner, sizes, test[row], training[row], tables[0], units, asked)
        whole = test[row][~np.isnan(test[row]).any(axis=1)]
        complete[learner] = whole
        lost = len(test[row]) - len(whole)
        if lost:
            notes.append(f"{learner}: {lost} of {len(test[row])} splits lack a finite score at some size; left out.")
        if len(whole) < 2:
            raise InputError(
                f"{learner!r} has a finite {measure.title} at every size in {len(whole)} of {len(test[row])} splits, "
                "but it takes two: use another metric or larger sizes" + why_failed(runs, learner)
            )
        losses = shortfall(whole, measure)
        rises.append(worst_rise(places, losses, ratio, asked.confidence))
        gains.append(last_gain(places, losses, ratio, asked.confidence))
        variances[learner] = _variance(
            runs[-1], learner, asked, losses[:, -1], ratio=ratio, units=units, measure=measure,
            sizes_each=len(sizes) if len(runs) == 1 else 1,
        )  # fmt: skip
        if len(sizes) >= FEWEST_SIZES:
            fits += [_fit(learner, fitted, error) for fitted, error in compared_forms(places, losses).values()]
    if data.cluster_codes is not None:
        notes.append(f"Rows of one cluster stay together; the limits count {units:,} clusters, not rows.")
    return LearningCurve(
        metric=measure.name, title=measure.title, learners=run.learners, sizes=sizes, rows=data.n,
        points=tuple(points), fits=tuple(fits), rises=tuple(rises), gains=tuple(gains),
        crossings=_crossings(
            places, dict(zip(run.learners, test, strict=True)), measure, ratio, asked.confidence, run.seed
        ),
        values={k: tuple(map(tuple, v.tolist())) for k, v in complete.items()}, units=units, ratio=ratio,
        variances=variances, constant=_constant(data, measure),
        plan=f"{plan.folds} folds × {plan.repeats} repeat{'s' * (plan.repeats > 1)}", form=asked.form,
        confidence=asked.confidence, seed=run.seed, notes=tuple(notes),
        findings=_findings(runs, len(sizes) if len(runs) == 1 else 1, plan, measure),
    )  # fmt: skip


def _findings(runs: Sequence[Experiment], sizes_each: int, plan: GrowingSubsets, measure: Measure) -> Findings:
    """About the test folds, and whether learners with the most rows are better than a constant answer."""
    last, data = runs[-1], runs[-1].data_name(None)
    largest = [(i, last.splits[data][i]) for i in last.parts(data, "seen")][sizes_each - 1 :: sizes_each]
    tested = {
        learner: [
            (split.test[: split.second], outcome.labels[: split.second].astype(np.intp))
            for i, split in largest
            if (outcome := last.outcomes[data, learner][i]).status == "done"
        ]
        for learner in last.learners
    }
    judged = [constant_evidence(last.datasets[data], parts, x) for x, parts in tested.items()]
    return study_findings(
        runs, [int(split.second or 0) for _, split in largest], rounds=plan.repeats,
        judged=judged if measure.right_or_wrong else (),
    )  # fmt: skip


def _constant(data: Dataset, measure: Measure) -> float:
    """What answering every row with the commonest class, or with the classes' shares, scores; of an area a half."""
    top = float(np.bincount(data.codes).max()) / data.n
    if measure.right_or_wrong:
        return top if measure.right_or_wrong == 1 else 1 - top
    if measure.of_losses:
        shares = np.bincount(data.codes, minlength=len(data.labels)) / data.n
        return float(np.mean(measure.function(data.codes, np.tile(shares, (data.n, 1)))))
    return 0.5 if measure.area == 1 else math.nan


def _by_size(tables: Sequence[SeenScores], sizes: int, field: str) -> Floats:
    """(learners, splits, sizes): a run with all sizes has them beside each other in each split."""
    if len(tables) == 1:
        values: Floats = getattr(tables[0], field)
        return values.reshape(len(values), -1, sizes)
    return np.stack([getattr(t, field) for t in tables], axis=2)


def _points(
    learner: str,
    sizes: Sequence[int],
    test: Floats,
    training: Floats,
    table: SeenScores,
    units: int,
    asked: _CurveOptions,
) -> list[CurvePoint]:
    interval = partial(
        spread_interval, ratio=table.test_train_ratio, bounds=table.measure.range, confidence=asked.confidence,
        name=table.measure.title, rounds=table.rounds[:: max(1, len(table.rounds) // len(test))],
    )  # fmt: skip
    with np.errstate(invalid="ignore"):
        final = float(np.nanmean(test[:, -1])) if not np.isnan(test[:, -1]).all() else math.nan
    points = []
    for at, size in enumerate(sizes):
        words = f"this learner at {size:,} training rows"
        held_out = interval(test[:, at], rows=units, estimand=words)
        seen = interval(training[:, at], rows=size, estimand=f"{words}, on its own training rows")
        known = test[:, at][~np.isnan(test[:, at])]
        sd = float(known.std(ddof=1)) if len(known) > 1 else math.nan
        bias = held_out.estimate - final
        points.append(
            CurvePoint(
                learner=learner, size=int(size), estimate=held_out.estimate, low=held_out.low, high=held_out.high,
                training=seen.estimate, training_low=seen.low, training_high=seen.high, bias=bias, sd=sd,
                rmse=math.sqrt(bias**2 + sd**2), splits=len(known), method=held_out.method,
            )
        )  # fmt: skip
    return points


def _variance(
    run: Experiment, learner: str, asked: _CurveOptions, losses: Floats, *, ratio: float, units: int, measure: Measure,
    sizes_each: int,
) -> float:  # fmt: skip
    """What the choice of the rows leaves open at the largest size; of shares their number says it all."""
    if measure.right_or_wrong:
        return 0.0
    variance = math.nan
    if asked.positive is None:
        # The largest size comes last in each split.
        numbers = run.parts(None, "seen")[sizes_each - 1 :: sizes_each]
        variance = row_variance(run, learner, asked.metric, numbers) / units
    if math.isnan(variance):
        variance = float(losses.var(ddof=1)) * ratio
    return variance


def _fit(learner: str, made: Fitted, error: float) -> CurveFit:
    a, b, c = parameters(made)
    words = {
        "power": f"{number(a)} + {number(b)}·n^(−{c:.2f})", "exponential": f"{number(a)} + {number(b)}·exp(−{c:.2g}·n)",
        "root": f"{number(a)} + {number(b)}/√n", "logarithm": f"{number(a)} − {number(b)}·log n", "flat": number(a),
    }  # fmt: skip
    return CurveFit(learner=learner, form=made.form, formula=words[made.form], a=a, b=b, c=c, held_out=error)


def _crossings(
    sizes: Floats, values: dict[str, Floats], measure: Measure, ratio: float, confidence: float, seed: int
) -> tuple[Crossing, ...]:
    """Every pair of learners; `first` is the one that is better on fewer rows."""
    crossings = []
    for a, b in combinations(values, 2):
        both = ~np.isnan(values[a] + values[b]).any(axis=1)
        if both.sum() < 2:
            continue
        generator = np.random.Generator(np.random.Philox(text_seed(f"{seed}/{a}/{b}/crossing")))
        first, second = (shortfall(values[x][both], measure) for x in (a, b))
        cross = curve_crossing(sizes, first, second, ratio, confidence, generator)
        start = float((first[:, 0] - second[:, 0]).mean())
        before, after = (a, b) if start <= 0 else (b, a)
        crossings.append(
            Crossing(first=before, second=after, size=cross.size, low=cross.low, high=cross.high, share=cross.share,
                     confidence=confidence)
        )  # fmt: skip
    return tuple(sorted(crossings, key=lambda c: c.share < SURE))
