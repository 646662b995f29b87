"""What an experiment costs beyond its fits: beside a bare loop of clone, fit and predict, and beside bare joblib."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import trueerror as te
from benchmarks.measuring import Row, best_of, row, side_by_side, timed

LOOP = "clone, fit, predict in a loop"
# The cost of a task where the fit itself takes next to nothing, and the share of it where a fit takes 100 ms.
MOST_MS, MOST_SHARE = 2.0, 1.05


def _data() -> tuple[Any, Any]:
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    return X, y


def _one(learner: Any, X: Any, y: Any, train: Any, test: Any) -> Any:
    from sklearn.base import clone

    return clone(learner).fit(X[train], y[train]).predict(X[test])


def _splits(plan: te.KFold) -> list[tuple[Any, Any]]:
    return [(s.train, s.test) for s in plan.splits(te.Dataset(*_data()).rows, 0)]


def _agree(run: te.Experiment, answers: list[Any]) -> bool:
    """Whether the experiment predicted what the loop did."""
    (outcomes,) = run.outcomes.values()
    return all(np.array_equal(o.labels, answer) for o, answer in zip(outcomes, answers, strict=True))


def _short(quick: bool, store: bool) -> Row:
    """Many fits of about a millisecond each."""
    from sklearn.naive_bayes import GaussianNB

    X, y = _data()
    plan = te.KFold(10, repeats=10 if quick else 50)
    splits = _splits(plan)

    def ours() -> te.Experiment:
        if not store:
            return te.experiment({"bayes": GaussianNB()}, (X, y), plan=plan, progress=False)
        with tempfile.TemporaryDirectory() as folder:
            return te.experiment({"bayes": GaussianNB()}, (X, y), plan=plan, progress=False, store=Path(folder) / "run")

    def loop() -> list[Any]:
        return [_one(GaussianNB(), X, y, train, test) for train, test in splits]

    ours_s, peer_s, run, answers = side_by_side(ours, loop, rounds=3, inner=1)
    more = (ours_s - peer_s) / len(splits) * 1e3
    found = row(
        f"{len(splits)} fits of a millisecond{', into a store' if store else ''}", ours_s=ours_s, peer=LOOP,
        peer_s=peer_s, agree=_agree(run, answers), note=f"{more:.2f} ms more a task",
    )  # fmt: skip
    return found | {"target": f"≤ {MOST_MS:g} ms more a task", "met": more <= MOST_MS}


def case_short_fits(quick: bool) -> Row:
    return _short(quick, store=False)


def case_short_fits_stored(quick: bool) -> Row:
    return _short(quick, store=True)


def _forest() -> Any:
    """About 100 ms a fit on 500 rows."""
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=60, random_state=0)


def case_long_fits(quick: bool) -> Row:
    X, y = _data()
    plan = te.KFold(10, repeats=1 if quick else 3)
    splits = _splits(plan)

    def ours() -> te.Experiment:
        with tempfile.TemporaryDirectory() as folder:
            return te.experiment({"forest": _forest()}, (X, y), plan=plan, progress=False, store=Path(folder) / "run")

    def loop() -> list[Any]:
        return [_one(_forest(), X, y, train, test) for train, test in splits]

    ours_s, peer_s, run, answers = side_by_side(ours, loop, rounds=3, inner=1)
    return row(
        f"{len(splits)} fits of {peer_s / len(splits) * 1e3:.0f} ms, into a store", ours_s=ours_s, peer=LOOP,
        peer_s=peer_s, slower=MOST_SHARE, agree=_agree(run, answers),
    )  # fmt: skip


def case_resume(quick: bool) -> Row:
    """All of a second call that finds its 10,000 tasks done: reading, checking, gathering."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    plan = te.KFold(10, repeats=100 if quick else 1000)

    class Constant:
        def fit(self, X: Any, y: Any) -> None:
            self.classes_ = np.unique(y)

        def predict(self, X: Any) -> Any:
            return np.zeros(len(X), dtype=int)

        def predict_proba(self, X: Any) -> Any:
            return np.full((len(X), 3), 1 / 3)

    with tempfile.TemporaryDirectory() as folder:

        def call() -> te.Experiment:
            return te.experiment(
                {"constant": Constant()}, (X, y), plan=plan, progress=False, store=Path(folder) / "run"
            )

        first_s, _ = timed(call)
        seconds, run = best_of(call, 3)
    tasks = plan.k * plan.repeats
    return row(
        f"resuming a store of {tasks:,} finished tasks", ours_s=seconds, seconds=2, agree=run.resumed == tasks,
        note=f"the first run took {first_s:.1f} s",
    )  # fmt: skip


def case_two_jobs(quick: bool) -> Row:
    """Speed-up of two processes over one, beside that of bare joblib on the same fits; processes start afresh."""
    import joblib
    from joblib.externals.loky import get_reusable_executor

    X, y = _data()
    plan = te.KFold(10, repeats=2 if quick else 8)
    splits = _splits(plan)

    def ours(jobs: int) -> Any:
        return te.experiment({"forest": _forest()}, (X, y), plan=plan, progress=False, jobs=jobs)

    def bare(jobs: int) -> Any:
        return joblib.Parallel(n_jobs=jobs)(joblib.delayed(_one)(_forest(), X, y, *split) for split in splits)

    best = {(who, jobs): math.inf for who in (ours, bare) for jobs in (1, 2)}
    for _ in range(1 if quick else 2):
        for who, jobs in best:
            seconds, answer = timed(lambda who=who, jobs=jobs: who(jobs))
            best[who, jobs] = min(best[who, jobs], seconds)
            get_reusable_executor().shutdown(wait=True)
            if who is ours:
                run = answer
    mine, theirs = (best[who, 1] / best[who, 2] for who in (ours, bare))
    found = row(
        f"{len(splits)} fits on two processes", ours_s=best[ours, 2], peer="joblib.Parallel(n_jobs=2)",
        peer_s=best[bare, 2], agree=_agree(run, answer), note=f"speed-up {mine:.2f} beside {theirs:.2f}",
    )  # fmt: skip
    return found | {"target": "≥ .95 of its speed-up", "met": mine >= 0.95 * theirs}
