"""Directing a run: pending tasks in rounds, workers that die, records into the store."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from trueerror.experiments.chunks import Chunk, Spool, chunked, one_thread
from trueerror.experiments.datasets import Dataset
from trueerror.experiments.engines import Engine, Joblib, WorkersLost, run_alone
from trueerror.experiments.fitting import Job, Terms
from trueerror.experiments.logs import Writer
from trueerror.experiments.outcomes import Outcome, Task
from trueerror.experiments.store import Store
from trueerror.experiments.warned import listening
from trueerror.inputs.errors import InputError

# After so many tasks the logs are made into Parquet.
ROUND = 5_000
# Deaths of workers in a row without any finished task, after which each task gets a process of its own.
PATIENCE = 1


@dataclass(slots=True, eq=False, kw_only=True)
class Run:
    """A run under way."""

    datasets: Sequence[Dataset]
    engine: Engine
    terms: Terms
    store: Store | None
    advance: Callable[[int], None]
    found: dict[Task, Outcome] = field(default_factory=dict)

    def finish(self, jobs: Sequence[Job]) -> None:
        """Do all jobs that are not found yet."""
        deaths = 0
        while pending := [job for job in jobs if job.task not in self.found]:
            before = len(self.found)
            try:
                if deaths > PATIENCE:
                    self._alone(pending)
                    deaths = 0
                else:
                    self._round(pending[:ROUND])
            except WorkersLost:
                deaths += 1
            if self.store is not None:
                self.found.update(
                    (t, o) for t, o in self.store.compact().items() if not ran_short(o, self.terms.timeout)
                )
            if len(self.found) > before:
                deaths = 0
            elif not deaths:
                raise InputError("the engine gave no results back; run again with jobs=1 to see why")

    def _round(self, jobs: Sequence[Job]) -> None:
        spool = writer = None
        largest = self.engine.largest
        if self.store is not None and self.engine.local and self.store.local:
            spool = Spool(location=self.store.location, round=uuid.uuid4().hex, director=os.getpid())
        elif self.store is not None:
            # Outcomes come back to this process, which records them: one by one where that is cheap.
            writer = self.store.writer()
            largest = 1 if self.engine.local else largest
        chunks = chunked(jobs, self.datasets, self.engine.workers, largest)
        try:
            with one_thread(), listening():
                for count, outcomes in self.engine.run(chunks, self.terms, spool):
                    self._keep(outcomes, writer)
                    self.advance(count)
        finally:
            if writer is not None:
                writer.close()

    def _alone(self, jobs: Sequence[Job]) -> None:
        """One task at a time until the one is found that kills its worker."""
        writer = None if self.store is None else self.store.writer()
        try:
            for job in jobs:
                outcomes = run_alone(Chunk(jobs=(job,), data=self.datasets[job.task.data]), self.terms)
                self._keep(outcomes, writer)
                self.advance(1)
                if any(o.status != "done" and not o.trace for o in outcomes) and isinstance(self.engine, Joblib):
                    return
        finally:
            if writer is not None:
                writer.close()

    def _keep(self, outcomes: Sequence[Outcome], writer: Writer | None) -> None:
        for outcome in outcomes:
            if writer is None:
                self.found[outcome.task] = outcome
            else:
                writer.write(outcome)


def ran_short(outcome: Outcome, timeout: float | None) -> bool:
    """Whether a task that ran out of time would have more time now."""
    if outcome.status != "timeout":
        return False
    return timeout is None or (outcome.limit is not None and timeout > outcome.limit)
