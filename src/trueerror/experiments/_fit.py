"""One task: fit a fresh copy of a learner to the training rows, and let it predict the test rows.

With over- or undersampling of the training rows, a limit on the time, and the warnings of the learner, which are kept
with the task that caused them also where several threads fit at once.
"""

from __future__ import annotations

import ctypes
import faulthandler
import inspect
import os
import signal
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trueerror.experiments._dataset import Dataset, Features
from trueerror.experiments._learners import Learner, fresh, text_seed
from trueerror.experiments._store import NO_LABELS, Outcome, Status, Task
from trueerror.inputs._arrays import column
from trueerror.inputs._labels import Label, code_column, find_label, plain_label, recode
from trueerror.kernels._random import words
from trueerror.resampling._assignment import shuffled
from trueerror.resampling._plan import Ints, Split

Balance = Literal["over", "under"]


def balanced(train: Ints, codes: Ints, how: Balance | None, *, seed: int) -> Ints:
    """Training rows with the classes made equal: rare ones drawn again ("over"), or frequent ones thinned ("under").

    Only rows of `train` come out, so nothing of a test fold can come in.

    >>> codes = np.array([0] * 8 + [1] * 3)
    >>> np.bincount(codes[balanced(np.arange(11), codes, "over", seed=0)]).tolist()
    [8, 8]
    >>> np.bincount(codes[balanced(np.arange(11), codes, "under", seed=0)]).tolist()
    [3, 3]
    """
    if how is None:
        return train
    inside = codes[train]
    present, sizes = np.unique(inside, return_counts=True)
    parts = []
    for code, size in zip(present, sizes, strict=True):
        rows = train[inside == code]
        if how == "under":
            parts.append(rows[shuffled(size, seed, int(code))[: sizes.min()]])
        else:
            # Every row of the class stays, and the rest is drawn from them with replacement.
            lanes = words(seed, int(code), 0, int(sizes.max() - size)) >> np.uint64(32)
            again = ((lanes * np.uint64(size)) >> np.uint64(32)).astype(np.intp)
            parts.append(np.concatenate([rows, rows[again]]))
    return np.sort(np.concatenate(parts))


MOST = 20


class TaskWarnings:
    """The warnings of one task."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def messages(self) -> tuple[str, ...]:
        """Each warning once, with how often it came."""
        return tuple(text if n == 1 else f"{text} ({n} times)" for text, n in self.counts.most_common(MOST))


_thread = threading.local()


@contextmanager
def collect_warnings() -> Iterator[TaskWarnings]:
    """Collect the warnings of this thread; `listening` must be on around it."""
    heard = TaskWarnings()
    _thread.heard = heard
    try:
        yield heard
    finally:
        _thread.heard = None


@contextmanager
def listening() -> Iterator[None]:
    """Send every warning to the task of the thread that gives it. Python's own recorder is for one thread only."""
    with warnings.catch_warnings():
        before = warnings.showwarning

        def hear(message: Warning | str, category: type[Warning], *more: Any, **named: Any) -> None:
            heard: TaskWarnings | None = getattr(_thread, "heard", None)
            if heard is None:
                before(message, category, *more, **named)
            else:
                heard.counts[f"{category.__name__}: {' '.join(str(message).split())[:500]}"] += 1

        warnings.simplefilter("always")
        warnings.showwarning = hear
        yield


class PastLimit(BaseException):
    """The time is up. Not an Exception, so that a learner that catches everything does not swallow it."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `PastLimit` in this thread when the time is up: at the next step of Python code.

    One long call into compiled code ends first; the caller looks at the clock as well. The main thread of a process is
    woken by a signal, so that waiting ends too; other threads get the exception from a timer.
    """
    if seconds is None:
        yield
    elif threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        with _by_signal(seconds):
            yield
    else:
        with _by_timer(seconds):
            yield


@contextmanager
def process_ends(limit: float | None) -> Iterator[None]:
    """End this process where a fit does not heed its limit: a call into compiled code that never comes back.

    The watch is not a thread of Python's, so it runs while compiled code keeps Python's lock. It leaves the softer
    limit time to work.
    """
    if limit is None:
        yield
        return
    with open(os.devnull, "w") as nowhere:
        faulthandler.dump_traceback_later(1.5 * limit + 1, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


@contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise PastLimit

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        with suppress(PastLimit):
            signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _by_timer(seconds: float) -> Iterator[None]:
    target = ctypes.c_ulong(threading.get_ident())
    guard = threading.Lock()
    over = False

    def stop() -> None:
        with guard:
            if not over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(target, ctypes.py_object(PastLimit))

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        # The exception may arrive while the limit is being lifted; it is then taken back or caught here.
        with suppress(PastLimit):
            with guard:
                over = True
            ctypes.pythonapi.PyThreadState_SetAsyncExc(target, None)
        timer.cancel()


LONGEST_TRACE = 20_000


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Job:
    """A task with all that it needs."""

    task: Task
    learner: Learner
    split: Split
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FitOptions:
    """What holds for all tasks of a run, in every worker."""

    balance: Balance | None = None
    timeout: float | None = None
    # NumPy's old global state is seeded where no other thread can draw from it meanwhile.
    alone: bool = True


def run_job(job: Job, data: Dataset, options: FitOptions) -> Outcome:
    """The outcome of a task; a failure is an outcome too."""
    started = time.perf_counter()
    fitted = predicted = None
    labels, scores = NO_LABELS, None
    error = trace = ""
    status: Status = "done"
    with collect_warnings() as heard, seeded(job.seed, options.alone):
        try:
            with time_limit(options.timeout):
                model = fresh(job.learner, job.seed)
                train = balanced(job.split.train, data.codes, options.balance, seed=job.seed)
                more = {}
                if data.weights is not None:
                    more = weights_for(model, data.weights[train])
                X, y = data.features(train), data.y[train]
                started = time.perf_counter()
                model.fit(X, y, **more)
                fitted = time.perf_counter()
                labels, scores = predict(model, data.features(job.split.test), data.labels, len(job.split.test))
                predicted = time.perf_counter()
        except PastLimit:
            status, error = "timeout", f"stopped after {options.timeout:g} seconds"
        except (Exception, SystemExit) as problem:  # noqa: BLE001  whatever a learner raises is recorded
            status, error = "failed", _described(problem)
            trace = "".join(traceback.format_exception(problem))[-LONGEST_TRACE:]
    ended = time.perf_counter()
    if status == "done" and options.timeout is not None and ended - started > options.timeout:
        # A long call into compiled code cannot be interrupted, but it was too long all the same.
        status, error = "timeout", f"took {ended - started:.3g} seconds, more than {options.timeout:g}"
    if status != "done":
        labels, scores = NO_LABELS, None
    return Outcome(
        task=job.task,
        status=status,
        labels=labels,
        scores=scores,
        fit_seconds=(fitted or ended) - started,
        predict_seconds=0.0 if fitted is None else (predicted or ended) - fitted,
        warnings=heard.messages(),
        error=error[:2000],
        trace=trace,
        limit=options.timeout,
    )


def _described(problem: BaseException) -> str:
    """What an exception says; its class alone where it cannot even say that."""
    try:
        return f"{type(problem).__name__}: {problem}"
    except Exception:  # noqa: BLE001  a learner's own class may raise anything
        return type(problem).__name__


def predict(
    model: Learner, X: Features, labels: tuple[Label, ...], n: int
) -> tuple[NDArray[np.int32], NDArray[np.float64] | None]:
    """Labels as codes, and one score for each row and label where the model gives scores.

    Scores come from `predict_proba`, else from `decision_function`. A class that was not in the training rows has
    probability 0 (−∞ on the scale of decisions).
    """
    probabilities = np.asarray(model.predict_proba(X), dtype=np.float64) if calls_most_probable(model) else None
    given = model.predict(X) if probabilities is None else model.classes_.take(probabilities.argmax(axis=1))
    called = column(given, "the predictions")
    if len(called) != n:
        raise ValueError(f"predict gave {len(called)} labels for {n} rows")
    coded = code_column(called, "the predictions")
    if (coded.codes < 0).any():
        raise ValueError("predict gave a missing label")
    codes = recode(coded, labels, "the predictions").astype("<i4")
    if not hasattr(model, "classes_"):
        return codes, None
    if probabilities is not None:
        scores, fill = probabilities, 0.0
    elif hasattr(model, "predict_proba"):
        scores, fill = np.asarray(model.predict_proba(X), dtype=np.float64), 0.0
    elif hasattr(model, "decision_function"):
        scores, fill = np.asarray(model.decision_function(X), dtype=np.float64), -np.inf
        scores = np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
    else:
        return codes, None
    classes = [find_label(plain_label(c), labels) for c in np.asarray(model.classes_).tolist()]
    if scores.shape != (n, len(classes)):
        return codes, None  # one column a pair of classes says nothing of a single class
    if np.isnan(scores).any():
        row, k = np.argwhere(np.isnan(scores))[0].tolist()
        raise ValueError(f"the scores hold NaN: that of class {classes[k]} in row {row + 1:,} of {n:,} test rows")
    if fill == 0:
        # Sums of rounded shares pass 1 by a hair.
        near = (scores > -DUST) & (scores < 1 + DUST)
        scores = np.where(near, np.clip(scores, 0.0, 1.0), scores)
        if not near.all():
            row, k = np.argwhere(~near)[0].tolist()
            warnings.warn(
                f"predict_proba gave {scores[row, k]:.4g} for {classes[k]} in row {row + 1:,} of {n:,} test rows: "
                "no probability, which lies in [0, 1]; the scores are ranked alone",
                UserWarning,
                stacklevel=2,
            )
    aligned = np.full((n, len(labels)), fill, dtype="<f8")
    aligned[:, [labels.index(c) for c in classes]] = scores
    return codes, aligned


# How far rounding, of 32 bits too, takes a probability beyond 0 and 1.
DUST = 1e-6
# scikit-learn's own `predict` that asks every tree for probabilities and calls the largest: asking once is enough.
ARGMAX = ("sklearn.ensemble._forest.ForestClassifier.predict", "sklearn.ensemble._bagging.BaggingClassifier.predict")


def calls_most_probable(model: Learner) -> bool:
    """Whether `predict` is known to be the argmax of `predict_proba`, which takes long where there are many trees."""
    how = getattr(type(model), "predict", None)
    return f"{getattr(how, '__module__', '')}.{getattr(how, '__qualname__', '')}" in ARGMAX


def weights_for(model: Learner, weights: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """The keyword that hands row weights to `fit`: to a pipeline's last step, or to the learner itself.

    A learner that takes no weights is fitted without, and a warning says so.
    """
    steps = getattr(model, "steps", None)
    last = steps[-1][1] if steps else model
    known = inspect.signature(last.fit).parameters.values()
    if not any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in known):
        warnings.warn(f"{type(last).__name__} takes no weights: fitted without", UserWarning, stacklevel=2)
        return {}
    return {f"{steps[-1][0]}__sample_weight" if steps else "sample_weight": weights}


@contextmanager
def seeded(seed: int, wanted: bool) -> Iterator[None]:
    """Rng NumPy's old global random state for a while, for learners that draw from it."""
    if not wanted:
        yield
        return
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(text_seed(f"global/{seed}") % (1 << 32))  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
