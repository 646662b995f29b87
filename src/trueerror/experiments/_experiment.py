"""Experiment: what the learners said of the test rows, ready to be asked.

te.experiment: learners × data sets × plan → predictions.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trueerror.experiments._backends import ExperimentRun, choose_engine, progress_bar, ran_short
from trueerror.experiments._dataset import Dataset, as_datasets
from trueerror.experiments._fit import Balance, FitOptions, Job
from trueerror.experiments._learners import (
    Learner,
    as_learners,
    describe_learner,
    learner_fingerprint,
    package_versions,
    text_seed,
)
from trueerror.experiments._outcomes import CHOSEN, ResampleResults, part_records
from trueerror.experiments._store import Manifest, Store, Task
from trueerror.inputs._options import InputError, Rng, check_word
from trueerror.resampling._cross_validation import KFold, as_plan
from trueerror.resampling._plan import Plan, Split
from trueerror.results._document import to_frame

if TYPE_CHECKING:
    from trueerror.curves._folds import AverageCurve
    from trueerror.curves._roc import Roc
    from trueerror.experiments._summary import Summary
    from trueerror.findings import Findings
    from trueerror.results import Interval, Text
    from trueerror.verbs._comparison import Comparison
    from trueerror.verbs._ranking_result import LearnerRanking


def _several(metrics: Any) -> tuple[Any, ...]:
    """One metric, by name or as a function, or several."""
    return (metrics,) if isinstance(metrics, str) or callable(metrics) else tuple(metrics)


class FitTime(NamedTuple):
    """How long one fit and its predictions took."""

    data: str
    learner: str
    repeat: int
    fold: int
    part: str
    fit_seconds: float
    predict_seconds: float


class FitWarning(NamedTuple):
    """A warning that a learner gave while it was fitted or tested."""

    data: str
    learner: str
    repeat: int
    fold: int
    message: str


class Experiment(ResampleResults):
    """Learners × data sets × plan, fitted and tested. Made by `te.experiment`.

    It is about *learners*: what to expect of a model that this algorithm makes from so many rows. `.summary` says it
    all, `.estimate`, `.compare` and `.rank` answer one question each; `.predictions` gives the out-of-fold predictions
    to the verbs for models.
    """

    def __str__(self) -> str:
        return str(self.summary())

    def summary(
        self, metrics: Sequence[str] | str = ("accuracy",), *, confidence: float = 0.95, ignore: Sequence[str] = ()
    ) -> Summary:
        """Every learner on every data set, who is better where and over all, and what a reader should know.

        `ignore` silences findings by their codes.
        """
        from trueerror.experiments._summary import summarise

        named = _several(metrics)
        return summarise(self, named, confidence=confidence, ignore=ignore)

    def estimate(
        self, learner: str | None = None, data: str | None = None, metric: str = "accuracy", **options: Any
    ) -> Interval:
        """How good a learner is, with an interval of the kind that the plan calls for."""
        from trueerror.experiments._estimate import estimate_learner

        return estimate_learner(self, learner, data, metric, **options)

    def compare(self, metric: str = "accuracy", data: str | None = None, **options: Any) -> Comparison:
        """Every pair of learners on one data set."""
        from trueerror.experiments._compare import compare_learners

        return compare_learners(self, metric, data, **options)

    def rank(self, metric: str = "accuracy", **options: Any) -> LearnerRanking:
        """The learners over all data sets."""
        from trueerror.experiments._compare import rank_learners

        return rank_learners(self, metric, **options)

    def roc(
        self, learner: str | None = None, data: str | None = None, *, how: str = "pooled", **options: Any
    ) -> Roc | AverageCurve:
        """The ROC curve of a learner: test folds pooled, or averaged."""
        from trueerror.experiments._estimate import learner_roc

        return learner_roc(self, learner, data, how=how, **options)

    # What happened.

    @property
    def findings(self) -> Findings:
        """What a reader should know before believing the results: small test folds, failed fits and so on."""
        from trueerror.experiments._compare import experiment_findings

        return experiment_findings(self)

    @property
    def warnings(self) -> tuple[FitWarning, ...]:
        """Warnings of the learners."""
        return tuple(
            FitWarning(data, learner, s.repeat, s.fold, text)
            for (data, learner), s, o in self._each_fit()
            for text in o.warnings
        )

    @property
    def times(self) -> tuple[FitTime, ...]:
        """How long each fit took."""
        return tuple(
            FitTime(data, learner, s.repeat, s.fold, s.part, o.fit_seconds, o.predict_seconds)
            for (data, learner), s, o in self._each_fit()
        )

    # In tables, pictures and words.

    def records(self, metrics: Sequence[str] = ("accuracy",)) -> list[dict[str, object]]:
        """One record for each learner on each test fold: rows, times, metrics; `te.rank` reads such a table."""
        return part_records(self, metrics)

    def frame(self, backend: str | None = None, *, metrics: Sequence[str] = ("accuracy",)) -> Any:
        """The records as a data frame."""
        return to_frame(self.records(metrics), backend)

    def explain(self, metrics: Sequence[str] | str = ("accuracy",)) -> Text:
        """Each method behind the summary, with formula, source and what it assumes."""
        return self.summary(metrics).explain()

    def to_json(self, metrics: Sequence[str] | str = ("accuracy",), *, indent: int | None = 2) -> str:
        """The summary as JSON; `te.load` reads it back, as a summary. A `store` keeps the experiment itself."""
        return self.summary(metrics).to_json(indent=indent)

    def to_markdown(self, metrics: Sequence[str] | str = ("accuracy",)) -> str:
        """The table of the summary as Markdown."""
        return self.summary(metrics).to_markdown()

    def to_latex(
        self, metrics: Sequence[str] | str = ("accuracy",), *, caption: str | None = None, label: str | None = None,
        bold: bool = True,
    ) -> str:  # fmt: skip
        """The same as a LaTeX tabular (booktabs), the best figure of each column in bold."""
        return self.summary(metrics).to_latex(caption=caption, label=label, bold=bold)

    def plot(self, metric: str = "accuracy", **options: Any) -> Any:
        """Each learner on each data set: its interval over the scores of its test folds; `kind` as in the summary."""
        return self.summary(metric).plot(**options)

    def draw(self, ax: Any = None, metric: str = "accuracy", **options: Any) -> Any:
        """The same picture on matplotlib axes (extra `matplotlib`)."""
        return self.summary(metric).draw(ax, **options)

    def save(self, path: str | Path, metrics: Sequence[str] | str = ("accuracy",)) -> Path:
        """The summary by the file's ending: .json .md .tex .txt, .csv (one line a test fold), or the picture."""
        target = Path(path)
        if target.suffix.lower() == ".csv":
            from trueerror.results._document import to_csv
            from trueerror.results._files import write_file

            named = _several(metrics)
            return write_file(target, to_csv(self.records(named)))
        return self.summary(metrics).save(target)

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()


DEFAULT_PLAN = KFold(10, repeats=10)


def experiment(
    learners: Learner | Mapping[str, Learner] | Sequence[Learner],
    data: Any,
    y: Any = None,
    *,
    plan: object = DEFAULT_PLAN,
    store: str | os.PathLike[str] | None = None,
    engine: object = None,
    jobs: int | None = None,
    timeout: float | None = None,
    rng: Rng = None,
    progress: bool = True,
    balance: Balance | None = None,
    retry: bool = False,
) -> Experiment:
    """Fit every learner on every training set of every data set, and keep what it said of the test fold.

    `learners` is {"name": estimator}, one estimator or a list, anything with scikit-learn's fit and predict,
    pipelines too; `data` a `te.Dataset` or (X, y), or {"name": data set}, or X with `y` after it; `plan` one of the
    plans, a number of folds, or any scikit-learn splitter. The same seed (`rng`) gives the same splits and the same
    random states on every engine and for any number of `jobs`: open `random_state`s are set, and BLAS runs on one
    thread. A fit that fails or takes more than `timeout` seconds is recorded (`.failures`) and does not stop the
    rest. `balance="over"` or "under" evens out the classes of the training set only. With a `store`, a folder or
    URL, a run that was stopped goes on where it stopped; `retry=True` does its failed fits again.

    `engine`: "loky" (processes; the default when `jobs` is not 1), "threading", "dask" or a Dask client, "ray".

    >>> import numpy as np
    >>> class Nearest:
    ...     def fit(self, X, y):
    ...         self.means = {c: X[y == c].mean() for c in np.unique(y)}
    ...     def predict(self, X):
    ...         return [min(self.means, key=lambda c: abs(x[0] - self.means[c])) for x in X]
    >>> X, y = np.arange(40.0).reshape(-1, 1), np.repeat([0, 1], 20)
    >>> run = experiment({"nearest": Nearest()}, (X, y), plan=5)
    >>> run
    1 learner × 1 data set, KFold(k=5, repeats=1, stratify=True): 5 fits, seed 0.
    """
    options = RunOptions(
        store=store, engine=engine, jobs=jobs, timeout=timeout, rng=rng, progress=progress, balance=balance, retry=retry
    )
    return run_experiment(learners, data if y is None else Dataset(data, y), plan, options)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RunOptions:
    """Where and how fits run: the options of `te.experiment` that every study hands on."""

    store: str | os.PathLike[str] | None = None
    engine: object = None
    jobs: int | None = None
    timeout: float | None = None
    rng: Rng = None
    progress: bool = True
    balance: Balance | None = None
    retry: bool = False

    def __post_init__(self) -> None:
        if self.balance is not None:
            check_word(self.balance, ("over", "under"), "balance")
        if self.timeout is not None and not (isinstance(self.timeout, int | float | np.number) and self.timeout > 0):
            raise InputError(f"timeout={self.timeout!r} must be a number of seconds above 0, or None")

    def inside(self, folder: str) -> RunOptions:
        """The same in a folder of the store: for studies of several experiments."""
        return self if self.store is None else replace(self, store=f"{os.fspath(self.store).rstrip('/')}/{folder}")


def run_experiment(
    learners: Learner | Mapping[str, Learner] | Sequence[Learner], data: Any, plan: object, options: RunOptions
) -> Experiment:
    """`te.experiment` with its options as one."""
    named, datasets, chosen = as_learners(learners), as_datasets(data), as_plan(plan)
    if CHOSEN in named:
        raise InputError(f"{CHOSEN!r} is what a choice among the learners is called; give the learner another name")
    seed = experiment_seed(options.rng)
    engine = choose_engine(options.engine, options.jobs)
    splits = {name: _splits(chosen, d, seed, name) for name, d in datasets.items()}
    manifest = _manifest(chosen, seed, named, datasets, options.balance)
    store = None if options.store is None else Store(options.store, manifest)
    try:
        if store is not None:
            # In a store, learners have the numbers that they got when they first came.
            manifest = store.manifest
        learner_numbers = {item["name"]: i for i, item in enumerate(manifest.learners)}
        data_numbers = {item["name"]: i for i, item in enumerate(manifest.data)}
        jobs = list(_jobs(named, data_numbers, splits, learner_numbers, seed))
        if store is not None and options.retry:
            store.forget_failed()
        finished = {} if store is None else store.load()
        classes = {i: len(datasets[name].labels) for name, i in data_numbers.items()}
        shapes = {job.task: (len(job.split.test), classes[job.task.data]) for job in jobs}
        finished = {
            task: o
            for task, o in finished.items()
            if not ran_short(o, options.timeout) and (task not in shapes or o.fits(*shapes[task]))
        }
        resumed = sum(job.task in finished for job in jobs)
        with progress_bar(len(jobs), resumed, wanted=options.progress) as advance:
            run = ExperimentRun(
                datasets=[datasets[name] for name in data_numbers],
                engine=engine,
                options=FitOptions(balance=options.balance, timeout=options.timeout, alone=not engine.shared),
                store=store,
                advance=advance,
                outcomes=finished,
            )
            run.finish(jobs)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(_stopped_words(store)) from None
    finally:
        if store is not None:
            store.close()
    outcomes = {
        (name, learner): [
            run.outcomes[Task(data_numbers[name], learner_numbers[learner], at)] for at in range(len(splits[name]))
        ]
        for name in datasets
        for learner in named
    }
    return Experiment(
        learners=tuple(named), datasets=datasets, plan=chosen, seed=seed, splits=splits, outcomes=outcomes,
        store=None if store is None else store.location, resumed=resumed,
    )  # fmt: skip


def _stopped_words(store: Store | None) -> str:
    """What is kept of an experiment that was stopped, and how it goes on."""
    if store is None:
        return (
            'stopped, and no fit is kept; te.experiment(..., store="folder") keeps them, and goes on where it stopped'
        )
    return (
        f"stopped; finished fits are kept in {store.location}: the same call again, "
        f"te.experiment(..., store={str(store.location)!r}), goes on from there"
    )


def experiment_seed(rng: Rng) -> int:
    """The seed of an experiment; None is 0, a generator gives its next number."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(0, 1 << 62))
    if isinstance(rng, np.random.SeedSequence):
        return int(rng.generate_state(1, np.uint64)[0] >> np.uint64(2))
    if rng is None:
        return 0
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or not 0 <= rng < 1 << 63:
        raise InputError(f"rng={rng!r} must be a whole number from 0 up, a SeedSequence or a Generator")
    return int(rng)


def _splits(plan: Plan, data: Dataset, seed: int, name: str) -> list[Split]:
    try:
        splits = list(plan.splits(data.rows, seed))
    except InputError as error:
        raise InputError(f"data set {name!r}: {error}") from None
    if not splits:
        raise InputError(f"the plan gives no splits of data set {name!r}")
    return splits


def _jobs(
    learners: Mapping[str, Learner],
    numbers: Mapping[str, int],
    splits: Mapping[str, list[Split]],
    order: Mapping[str, int],
    seed: int,
) -> Iterator[Job]:
    """All tasks: a split with all its learners before the next, so that learners can be compared early."""
    for name, number in numbers.items():
        for at, split in enumerate(splits[name]):
            state = text_seed(f"{seed}/{name}/{at}")
            for learner, estimator in learners.items():
                yield Job(task=Task(number, order[learner], at), learner=estimator, split=split, seed=state)


def _manifest(
    plan: Plan, seed: int, learners: Mapping[str, Learner], datasets: Mapping[str, Dataset], balance: Balance | None
) -> Manifest:
    return Manifest(
        seed=seed,
        plan={"plan": plan.name, **plan.settings()},
        plan_fingerprint=plan.fingerprint,
        data=tuple(
            {"name": name, "rows": d.n, "labels": list(d.labels), "fingerprint": d.fingerprint}
            for name, d in datasets.items()
        ),
        learners=tuple(
            {"name": name, "words": describe_learner(item), "fingerprint": learner_fingerprint(item)}
            for name, item in learners.items()
        ),
        balance=balance,
        versions=package_versions(learners.values()),
    )
