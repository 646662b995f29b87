"""Engines: where the fits run. This process, joblib's back ends (loky by default, threads, Ray), or a Dask cluster.

An engine takes chunks of tasks and gives back their outcomes in any order; results do not depend on it. A worker does
the tasks of a chunk one after the other and records each before the next begins. `ExperimentRun` has pending tasks
done, also where workers die.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

from trueerror.experiments._dataset import Dataset
from trueerror.experiments._fit import FitOptions, Job, listening, process_ends, run_job
from trueerror.experiments._store import NO_LABELS, Outcome, Store, Task, open_writer
from trueerror.inputs._options import InputError, nearest

LARGEST = 32
# How many tasks a chunk had, and its outcomes where workers did not record them.
Finished = Iterator[tuple[int, list[Outcome]]]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Chunk:
    """Tasks of one data set that travel to a worker together."""

    jobs: tuple[Job, ...]
    data: Dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class Spool:
    """Where workers record: a store, and the process that directs them."""

    location: str
    director: int


def chunked(jobs: Sequence[Job], datasets: Sequence[Dataset], workers: int, largest: int = LARGEST) -> Iterator[Chunk]:
    """Chunks that get smaller towards the end, so that all workers end together."""
    at = 0
    while at < len(jobs):
        size = max(1, min(largest, (len(jobs) - at) // (4 * workers)))
        number = jobs[at].task.data
        end = at + 1
        while end < min(at + size, len(jobs)) and jobs[end].task.data == number:
            end += 1
        yield Chunk(jobs=tuple(jobs[at:end]), data=datasets[number])
        at = end


def run_chunk(chunk: Chunk, options: FitOptions, spool: Spool | None, *, expendable: bool = False) -> list[Outcome]:
    """In a worker process: all tasks of a chunk on one BLAS thread, with the outcomes that were not spooled.

    An expendable worker has one task at a time and is replaced when it ends: it may end over a fit that never does.
    """
    with one_thread(), listening():
        return run_jobs(chunk, options, spool, options.timeout if expendable else None)


def run_jobs(chunk: Chunk, options: FitOptions, spool: Spool | None, end_after: float | None = None) -> list[Outcome]:
    """The tasks of a chunk. Workers whose director has died stop, so that a new run does not meet them."""
    outcomes = []
    with nullcontext() if spool is None else closing(open_writer(spool.location)) as writer:
        for job in chunk.jobs:
            if spool is not None and os.getpid() != spool.director and os.getppid() != spool.director:
                return []
            with process_ends(end_after):
                outcome = run_job(job, chunk.data, options)
            if writer is None:
                outcomes.append(outcome)
            else:
                writer.write(outcome)
    return outcomes


@contextmanager
def one_thread() -> Iterator[None]:
    """BLAS and OpenMP on one thread: learners' results change with the number of threads, and workers would fight."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield


WATCH_SECONDS = 0.5


def end_with(director: int, main: bool) -> None:
    """End this worker when its parent, the director of the run, has died: a killed run leaves no process behind.

    Linux sees to it, also in compiled code, where the `main` thread started the worker. Elsewhere a thread watches.
    """
    if main and sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))  # PR_SET_PDEATHSIG

    def watch() -> None:
        while os.getppid() == director:
            time.sleep(WATCH_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _director() -> tuple[int, bool]:
    """What `end_with` asks of this process."""
    return os.getpid(), threading.current_thread() is threading.main_thread()


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Hold Ctrl-C back for a moment in which workers start: they inherit that, so that it reaches this process alone,
    which ends them; each would print a traceback of its own."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


WORDS = ("loky", "threading", "dask", "ray")
GUARD = "if __name__ == '__main__':"


class WorkersLost(Exception):
    """Worker processes died; what they had recorded stands, and the rest can be run again."""


def died(job: Job, reason: str, limit: float | None = None) -> Outcome:
    """The outcome of a task whose worker died of it; past its limit, the worker was ended for that."""
    if limit is not None:
        error = f"stopped after {limit:g} seconds, with its process: it did not come back from compiled code"
        return Outcome(task=job.task, status="timeout", labels=NO_LABELS, error=error, limit=limit)
    error = f"the worker process died: killed, crashed or out of memory ({' '.join(reason.split())[:300]})"
    return Outcome(task=job.task, status="failed", labels=NO_LABELS, error=error)


def run_alone(chunk: Chunk, options: FitOptions) -> list[Outcome]:
    """One task in a process of its own, whose death is an outcome too."""
    from joblib.externals.loky import ProcessPoolExecutor
    from joblib.externals.loky.process_executor import BrokenProcessPool

    started = time.monotonic()
    with ProcessPoolExecutor(max_workers=1, initializer=end_with, initargs=_director()) as pool:
        try:
            with interrupts_wait():
                waited = pool.submit(run_chunk, chunk, options, None, expendable=True)
            return list(waited.result())
        except BrokenProcessPool as error:
            late = options.timeout is not None and time.monotonic() - started > options.timeout
            return [died(chunk.jobs[0], str(error), options.timeout if late else None)]


class Engine:
    """Where chunks run."""

    name = ""
    workers = 1
    # How many tasks may travel together; whether other threads of this process fit at the same time; whether workers
    # are on this machine and record outcomes themselves.
    largest = 8
    shared = False
    records = False

    def run(self, chunks: Iterator[Chunk], options: FitOptions, spool: Spool | None) -> Finished:
        """How many tasks each chunk had, and its outcomes where they were not spooled."""
        raise NotImplementedError


def choose_engine(engine: object, jobs: int | None) -> Engine:
    """The engine that a word, or a Dask client, stands for."""
    workers = _workers(jobs)
    if engine is None:
        engine = "loky"
    if isinstance(engine, str) and engine == "loky" and workers == 1:
        return Here()
    if not isinstance(engine, str):
        if hasattr(engine, "submit") and hasattr(engine, "scheduler_info"):
            return Dask(engine)
        raise InputError(f"engine={engine!r:.60} must be one of {', '.join(WORDS)}, or a Dask client")
    if engine not in WORDS:
        raise InputError(f"engine={engine!r} is not known{nearest(engine, WORDS)}")
    if engine == "dask":
        return Dask(None, workers if jobs is not None else None)
    if engine == "ray":
        return Ray(workers if jobs is not None else None)
    return Joblib(engine, workers)


def _workers(jobs: int | None) -> int:
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs == 0):
        raise InputError(f"jobs={jobs!r} must be a whole number from 1 up, or -1 for all processors")
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if jobs is None:
        return 1
    return max(1, count + 1 + jobs) if jobs < 0 else jobs


class Here(Engine):
    """This process, one task at a time."""

    name = "this process"
    largest = 1

    def run(self, chunks: Iterator[Chunk], options: FitOptions, spool: Spool | None) -> Finished:
        for chunk in chunks:
            yield len(chunk.jobs), run_jobs(chunk, options, spool)


class Joblib(Engine):
    """A joblib back end."""

    def __init__(self, backend: str, workers: int) -> None:
        self.name = backend
        self.workers = workers
        self.shared = backend == "threading"
        self.records = backend in ("loky", "threading")
        self.largest = 1 if self.shared else LARGEST

    def run(self, chunks: Iterator[Chunk], options: FitOptions, spool: Spool | None) -> Finished:
        import joblib
        from joblib.externals.loky.process_executor import BrokenProcessPool

        # A worker that never gets a task has to end with this process too.
        more = {"initializer": end_with, "initargs": _director()} if self.name == "loky" else {}
        # Chunks are of the right size already, so joblib need not gather them again.
        pool = joblib.Parallel(
            n_jobs=self.workers, backend=self.name, batch_size=1, pre_dispatch="2 * n_jobs",
            return_as="generator_unordered", **more,
        )  # fmt: skip
        call = joblib.delayed(CALLS.get(self.name, _counted))
        try:
            with interrupts_wait():
                finished = pool(call(chunk, options, spool) for chunk in chunks)
            yield from finished
        except BrokenProcessPool as error:
            raise WorkersLost(str(error)) from None


def _counted(
    chunk: Chunk, options: FitOptions, spool: Spool | None, *, expendable: bool = False
) -> tuple[int, list[Outcome]]:
    return len(chunk.jobs), run_chunk(chunk, options, spool, expendable=expendable)


def _counted_jobs(chunk: Chunk, options: FitOptions, spool: Spool | None) -> tuple[int, list[Outcome]]:
    # OpenMP keeps its number of threads for each thread, so the limit of the main thread is not enough.
    with one_thread():
        return len(chunk.jobs), run_jobs(chunk, options, spool)


CALLS = {"loky": partial(_counted, expendable=True), "threading": _counted_jobs}


class Dask(Engine):
    """A Dask cluster: its client, or one made here. Outcomes come back to this process, which records them.

    Workers may be on machines that do not see the store. A worker that dies has its tasks run elsewhere.
    """

    name = "dask"

    def __init__(self, client: Any, jobs: int | None = None) -> None:
        self._client = client
        self._jobs = jobs
        self.workers = jobs or (1 if client is None else max(1, len(client.scheduler_info()["workers"])))

    def run(self, chunks: Iterator[Chunk], options: FitOptions, spool: Spool | None) -> Finished:
        with self._open() as client:
            yield from self._run(client, chunks, options)

    def _run(self, client: Any, chunks: Iterator[Chunk], options: FitOptions) -> Finished:
        from distributed import KilledWorker, as_completed
        from distributed.client import FutureCancelledError

        scattered: dict[int, Any] = {}
        flying: dict[str, Chunk] = {}
        waiting = as_completed()

        def submit(chunk: Chunk | None) -> None:
            if chunk is None:
                return
            if id(chunk.data) not in scattered:
                scattered[id(chunk.data)] = client.scatter(chunk.data, broadcast=True, hash=False)
            future = client.submit(_remote, chunk.jobs, scattered[id(chunk.data)], options, pure=False)
            flying[future.key] = chunk
            waiting.add(future)

        for _ in range(3 * self.workers):
            submit(next(chunks, None))
        for future in waiting:
            chunk = flying.pop(future.key)
            try:
                outcomes = future.result()
            except FutureCancelledError as error:
                raise WorkersLost(str(error)) from None
            except KilledWorker as error:
                # Several workers died of this chunk: its tasks go one by one, and the one that kills is known.
                if len(chunk.jobs) > 1:
                    for job in chunk.jobs:
                        submit(Chunk(jobs=(job,), data=chunk.data))
                    continue
                outcomes = [died(chunk.jobs[0], str(error))]
            submit(next(chunks, None))
            yield len(outcomes), outcomes

    @contextmanager
    def _open(self) -> Iterator[Any]:
        try:
            import distributed
        except ImportError:
            raise InputError('engine="dask" needs Dask: pip install "trueerror[dask]"') from None
        client = self._client
        with suppress(ValueError):
            client = client or distributed.get_client()
        if client is not None:
            yield client
            return
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            # A worker imports the script that started it; without the guard it would start workers of its own.
            raise InputError(f"engine='dask' starts processes: put the call under {GUARD}")
        try:
            cluster = distributed.LocalCluster(
                n_workers=self._jobs, threads_per_worker=1, dashboard_address=None, silence_logs=50
            )
        except RuntimeError as error:
            raise InputError(
                f"no Dask workers could be started ({error}); in a script, put the call under {GUARD}"
            ) from None
        with cluster, distributed.Client(cluster) as client:
            self.workers = max(1, len(client.scheduler_info()["workers"]))
            yield client


def _remote(jobs: tuple[Job, ...], data: Dataset, options: FitOptions) -> list[Outcome]:
    return run_chunk(Chunk(jobs=jobs, data=data), options, None)


class Ray(Engine):
    """A Ray cluster: the one that is connected, or one made here. Outcomes come back to this process.

    joblib's own back end for Ray hands results over only when all are there, so tasks are sent and awaited here. Ray
    runs a task again whose worker died; one that kills its workers again and again is recorded as such.
    """

    name = "ray"

    def __init__(self, jobs: int | None = None) -> None:
        self._ray = _load_ray()
        self._jobs = jobs
        self.workers = jobs or 1

    def run(self, chunks: Iterator[Chunk], options: FitOptions, spool: Spool | None) -> Finished:
        ray, ours = self._ray, not self._ray.is_initialized()
        if ours:
            ray.init(num_cpus=self._jobs, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        self.workers = self._jobs or max(1, int(ray.cluster_resources().get("CPU", 1)))
        try:
            yield from self._run(chunks, options)
        finally:
            if ours:
                ray.shutdown()

    def _run(self, chunks: Iterator[Chunk], options: FitOptions) -> Finished:
        ray = self._ray
        call = ray.remote(max_retries=2, num_cpus=1)(_remote)
        object_refs: dict[int, Any] = {}
        flying: dict[Any, Chunk] = {}

        def submit(chunk: Chunk | None) -> None:
            if chunk is None:
                return
            if id(chunk.data) not in object_refs:
                object_refs[id(chunk.data)] = ray.put(chunk.data)
            flying[call.remote(chunk.jobs, object_refs[id(chunk.data)], options)] = chunk

        for _ in range(2 * self.workers):
            submit(next(chunks, None))
        while flying:
            (ready,), _ = ray.wait(list(flying), num_returns=1)
            chunk = flying.pop(ready)
            try:
                outcomes = ray.get(ready)
            except ray.exceptions.WorkerCrashedError as error:
                # Several workers died of this chunk: its tasks go one by one, and the one that kills is known.
                if len(chunk.jobs) > 1:
                    for job in chunk.jobs:
                        submit(Chunk(jobs=(job,), data=chunk.data))
                    continue
                outcomes = [died(chunk.jobs[0], str(error).splitlines()[0])]
            submit(next(chunks, None))
            yield len(outcomes), outcomes


def _load_ray() -> Any:
    try:
        return import_module("ray")
    except ImportError:
        raise InputError('engine="ray" needs Ray: pip install ray') from None


# Deaths of workers in a row without any finished task, after which each task gets a process of its own.
PATIENCE = 1


@dataclass(slots=True, eq=False, kw_only=True)
class ExperimentRun:
    """A run under way."""

    datasets: Sequence[Dataset]
    engine: Engine
    options: FitOptions
    store: Store | None
    advance: Callable[[int], None]
    outcomes: dict[Task, Outcome] = field(default_factory=dict)

    def finish(self, jobs: Sequence[Job]) -> None:
        """Do all jobs that are not done yet."""
        deaths = 0
        while pending := [job for job in jobs if job.task not in self.outcomes]:
            before = len(self.outcomes)
            try:
                if deaths > PATIENCE:
                    self._alone(pending)
                    deaths = 0
                else:
                    self._round(pending)
            except WorkersLost:
                deaths += 1
            if self.store is not None:
                self.outcomes.update(
                    (t, o) for t, o in self.store.load().items() if not ran_short(o, self.options.timeout)
                )
            if len(self.outcomes) > before:
                deaths = 0
            elif not deaths:
                raise InputError("the engine gave no results back; run again with jobs=1 to see why")

    def _round(self, jobs: Sequence[Job]) -> None:
        spool, largest = None, self.engine.largest
        if self.store is not None and self.engine.records and self.store.local:
            spool = Spool(location=self.store.location, director=os.getpid())
        elif self.store is not None and self.engine.records:
            # Outcomes come back to this process, which records them: one by one where that is cheap.
            largest = 1
        chunks = chunked(jobs, self.datasets, self.engine.workers, largest)
        with one_thread(), listening():
            for count, outcomes in self.engine.run(chunks, self.options, spool):
                self._keep(outcomes)
                self.advance(count)

    def _alone(self, jobs: Sequence[Job]) -> None:
        """One task at a time until the one is found that kills its worker."""
        for job in jobs:
            outcomes = run_alone(Chunk(jobs=(job,), data=self.datasets[job.task.data]), self.options)
            self._keep(outcomes)
            self.advance(1)
            if any(o.status != "done" and not o.trace for o in outcomes) and isinstance(self.engine, Joblib):
                return

    def _keep(self, outcomes: Sequence[Outcome]) -> None:
        for outcome in outcomes:
            if self.store is None:
                self.outcomes[outcome.task] = outcome
            else:
                self.store.write(outcome)


def ran_short(outcome: Outcome, timeout: float | None) -> bool:
    """Whether a task that ran out of time would have more time now."""
    if outcome.status != "timeout":
        return False
    return timeout is None or (outcome.limit is not None and timeout > outcome.limit)


@contextmanager
def progress_bar(total: int, done: int, *, wanted: bool) -> Iterator[Callable[[int], None]]:
    """A function to call with the number of tasks that are newly done."""
    if not wanted or total == done or not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("fits"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("left"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        # What an earlier run did says nothing about the speed of this one.
        task = bar.add_task("fits", total=total - done)
        yield lambda count: bar.advance(task, count)
