"""Engines: where the fits run. This process, joblib's back ends (loky by default, threads, Ray), or a Dask cluster.

An engine takes chunks and gives back what `run_chunk` returned for each, in any order. Results do not depend on it.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from trueerror.experiments.chunks import LARGEST, Chunk, Spool, end_with, one_thread, run_chunk, run_jobs
from trueerror.experiments.fitting import Job, Terms
from trueerror.experiments.outcomes import NO_LABELS, Outcome
from trueerror.inputs.errors import InputError, nearest

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


def run_alone(chunk: Chunk, terms: Terms) -> list[Outcome]:
    """One task in a process of its own, whose death is an outcome too."""
    from joblib.externals.loky import ProcessPoolExecutor
    from joblib.externals.loky.process_executor import BrokenProcessPool

    started = time.monotonic()
    with ProcessPoolExecutor(max_workers=1) as pool:
        try:
            found: list[Outcome] = pool.submit(run_chunk, chunk, terms, None, expendable=True).result()
        except BrokenProcessPool as error:
            late = terms.timeout is not None and time.monotonic() - started > terms.timeout
            return [died(chunk.jobs[0], str(error), terms.timeout if late else None)]
    return found


class Engine(Protocol):
    """Where chunks run."""

    name: str
    workers: int
    # How many tasks may travel together; whether other threads of this process fit at the same time; whether workers
    # can write to a folder of this machine.
    largest: int
    shared: bool
    local: bool

    def run(self, chunks: Iterator[Chunk], terms: Terms, spool: Spool | None) -> Iterator[tuple[int, list[Outcome]]]:
        """How many tasks each chunk had, and its outcomes where they were not spooled."""
        ...


def choose_engine(engine: Any, jobs: int | None) -> Engine:
    """The engine that a word, or a Dask client, stands for."""
    workers = _workers(jobs)
    if engine is None:
        engine = "loky"
    if engine == "loky" and workers == 1:
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
        _register_ray()
    return Joblib(engine, workers)


def _workers(jobs: int | None) -> int:
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs == 0):
        raise InputError(f"jobs={jobs!r} must be a whole number from 1 up, or -1 for all processors")
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if jobs is None:
        return 1
    return max(1, count + 1 + jobs) if jobs < 0 else jobs


class Here:
    """This process, one task at a time."""

    name = "this process"
    workers = 1
    largest = 1
    shared = False
    local = True

    def run(self, chunks: Iterator[Chunk], terms: Terms, spool: Spool | None) -> Iterator[tuple[int, list[Outcome]]]:
        for chunk in chunks:
            yield len(chunk.jobs), run_jobs(chunk, terms, spool)


class Joblib:
    """A joblib back end."""

    def __init__(self, backend: str, workers: int) -> None:
        self.name = backend
        self.workers = workers
        self.shared = backend == "threading"
        self.local = backend in ("loky", "threading")
        self.largest = 1 if self.shared else LARGEST

    def run(self, chunks: Iterator[Chunk], terms: Terms, spool: Spool | None) -> Iterator[tuple[int, list[Outcome]]]:
        import joblib
        from joblib.externals.loky.process_executor import BrokenProcessPool

        # A worker that never gets a task has to end with this process too.
        more = {"initializer": end_with, "initargs": (os.getpid(),)} if self.name == "loky" else {}
        # Chunks are of the right size already, so joblib need not gather them again.
        pool = joblib.Parallel(
            n_jobs=self.workers, backend=self.name, batch_size=1, pre_dispatch="2 * n_jobs",
            return_as="generator_unordered", **more,
        )  # fmt: skip
        call = joblib.delayed(CALLS.get(self.name, _counted))
        try:
            yield from pool(call(chunk, terms, spool) for chunk in chunks)
        except BrokenProcessPool as error:
            raise WorkersLost(str(error)) from None


def _counted(chunk: Chunk, terms: Terms, spool: Spool | None) -> tuple[int, list[Outcome]]:
    return len(chunk.jobs), run_chunk(chunk, terms, spool)


def _counted_expendable(chunk: Chunk, terms: Terms, spool: Spool | None) -> tuple[int, list[Outcome]]:
    return len(chunk.jobs), run_chunk(chunk, terms, spool, expendable=True)


def _counted_jobs(chunk: Chunk, terms: Terms, spool: Spool | None) -> tuple[int, list[Outcome]]:
    # OpenMP keeps its number of threads for each thread, so the limit of the main thread is not enough.
    with one_thread():
        return len(chunk.jobs), run_jobs(chunk, terms, spool)


CALLS = {"loky": _counted_expendable, "threading": _counted_jobs}


class Dask:
    """A Dask cluster: its client, or one made here. Outcomes come back to this process, which records them.

    Workers may be on machines that do not see the store. A worker that dies has its tasks run elsewhere.
    """

    name = "dask"
    largest = 8
    shared = False
    local = False

    def __init__(self, client: Any, jobs: int | None = None) -> None:
        self._client = client
        self._jobs = jobs
        self.workers = jobs or (1 if client is None else max(1, len(client.scheduler_info()["workers"])))

    def run(self, chunks: Iterator[Chunk], terms: Terms, spool: Spool | None) -> Iterator[tuple[int, list[Outcome]]]:
        with self._open() as client:
            yield from self._run(client, chunks, terms)

    def _run(self, client: Any, chunks: Iterator[Chunk], terms: Terms) -> Iterator[tuple[int, list[Outcome]]]:
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
            future = client.submit(_remote, chunk.jobs, scattered[id(chunk.data)], terms, pure=False)
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
        with cluster, distributed.Client(cluster) as made:
            self.workers = max(1, len(made.scheduler_info()["workers"]))
            yield made


def _remote(jobs: Any, data: Any, terms: Terms) -> list[Outcome]:
    return run_chunk(Chunk(jobs=jobs, data=data), terms, None)


def _register_ray() -> None:
    try:
        from ray.util.joblib import register_ray  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise InputError('engine="ray" needs Ray: pip install ray') from None
    register_ray()
