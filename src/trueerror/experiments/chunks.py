"""What a worker does: the tasks of a chunk one after the other, each recorded before the next begins."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from trueerror.experiments.datasets import Dataset
from trueerror.experiments.fitting import Job, Terms, run_job
from trueerror.experiments.logs import Writer
from trueerror.experiments.outcomes import Outcome
from trueerror.experiments.timing import process_ends
from trueerror.experiments.warned import listening

LARGEST = 32


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Chunk:
    """Tasks of one data set that travel to a worker together."""

    jobs: tuple[Job, ...]
    data: Dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class Spool:
    """Where workers record: a store, a round of work in it, and the process that directs them."""

    location: str
    round: str
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


def run_chunk(chunk: Chunk, terms: Terms, spool: Spool | None, *, expendable: bool = False) -> list[Outcome]:
    """In a worker process: all tasks of a chunk on one BLAS thread, with the outcomes that were not spooled.

    An expendable worker has one task at a time and is replaced when it ends: it may end over a fit that never does.
    """
    with one_thread(), listening():
        return run_jobs(chunk, terms, spool, terms.timeout if expendable else None)


def run_jobs(chunk: Chunk, terms: Terms, spool: Spool | None, end_after: float | None = None) -> list[Outcome]:
    """The tasks of a chunk. Workers whose director has died stop, so that a new run does not meet them."""
    writer = None if spool is None else _writer(spool)
    outcomes = []
    for job in chunk.jobs:
        if spool is not None and os.getpid() != spool.director and os.getppid() != spool.director:
            return []
        with process_ends(end_after):
            outcome = run_job(job, chunk.data, terms)
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


def end_with(director: int) -> None:
    """End this worker when its parent, the director of the run, has died: a killed run leaves no process behind."""

    def watch() -> None:
        while os.getppid() == director:
            time.sleep(WATCH_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


# One log for each thread of each process; a new round of work has a new log, since the old one may be compacted.
_writers = threading.local()


def _writer(spool: Spool) -> Writer:
    known: tuple[Spool, int, Writer] | None = getattr(_writers, "open", None)
    if known is not None and known[0] == spool and known[1] == os.getpid():
        return known[2]
    if known is not None and known[1] == os.getpid():
        known[2].close()
    writer = Writer(spool.location)
    _writers.open = (spool, os.getpid(), writer)
    return writer
