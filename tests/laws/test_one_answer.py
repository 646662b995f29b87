"""One question has one answer: verbs, files, shell, report, slices, gates and saved results give the same numbers."""

from __future__ import annotations

import base64
import csv
import gzip
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import trueerror as te
from tests.cli.program import run
from trueerror.results._format import p_value
from trueerror.results._values import deciding_p, surety

Figures = tuple[float, float, float, float]
RNG = np.random.default_rng(11)
N = 240
TRUTH = (RNG.random(N) < 0.4).astype(int)
SCORES = {
    m: np.round(1 / (1 + np.exp(-(k * (2 * TRUTH - 1) + RNG.normal(size=N)))), 6)
    for m, k in (("a", 1.2), ("b", 0.8), ("c", 0.5), ("d", 0.45))
}
CLASSES = np.array(["bird", "cat", "dog"])[RNG.integers(0, 3, N)]
NAMED = {
    m: np.where(RNG.random(N) < hit, CLASSES, np.array(["bird", "cat", "dog"])[RNG.integers(0, 3, N)])
    for m, hit in (("a", 0.7), ("b", 0.5))
}
PATIENT = np.repeat(np.arange(60), 4)
WEIGHT = np.round(RNG.lognormal(0, 0.7, N), 3)


@dataclass
class Question:
    """Rows, and what is asked of them; the same for each door."""

    metric: str
    labels: dict[str, Any] = field(default_factory=dict)
    scores: dict[str, Any] = field(default_factory=dict)
    truth: Any = None
    columns: dict[str, Any] = field(default_factory=dict)
    costs: dict[str, Any] = field(default_factory=dict)
    prior: float | None = None

    @cached_property
    def rows(self) -> te.Predictions:
        kinds = {"weights_kind": "sampling"} if "weights" in self.columns else {}
        return te.predictions(
            TRUTH if self.truth is None else self.truth, self.labels or None, scores=self.scores or None,
            **self.columns, **kinds,
        )  # fmt: skip

    @property
    def asked(self) -> dict[str, Any]:
        named = {} if self.costs else {"metric": self.metric}
        return named | self.costs | ({} if self.prior is None else {"prior": self.prior})

    @cached_property
    def compared(self) -> te.Comparison:
        return te.compare(self.rows, **self.asked)

    @cached_property
    def folder(self) -> Path:
        import tempfile

        return Path(tempfile.mkdtemp())

    @cached_property
    def file(self) -> Path:
        made = {"truth": TRUTH if self.truth is None else self.truth, **self.labels, **self.scores, **self.columns}
        path = self.folder / "rows.csv"
        pd.DataFrame(made).to_csv(path, index=False)
        return path

    @property
    def words(self) -> list[str]:
        """The same question in the shell."""
        names = {"clusters": "--cluster", "weights": "--weight", "by": "--by"}
        words = ["--truth", "truth", *(w for m in (self.labels or self.scores) for w in ("--model", m))]
        words += [w for column in self.columns for w in (names[column], column)]
        words += ["--weights-kind", "sampling"] if "weights" in self.columns else []
        for option, value in self.asked.items():
            words += [f"--{option.replace('_', '-')}", str(value)]
        return words

    def without_metric(self, *names: str) -> dict[str, Any]:
        return {name: value for name, value in self.asked.items() if name not in ("metric", *names)}


QUESTIONS = {
    "accuracy of labels": Question("accuracy", {m: (s > 0.5).astype(int) for m, s in list(SCORES.items())[:2]}),
    "error rate of scores": Question("error_rate", scores=dict(list(SCORES.items())[:2])),
    "F1": Question("f1", {m: (s > 0.5).astype(int) for m, s in list(SCORES.items())[:2]}),
    "AUC": Question("auc", scores=dict(list(SCORES.items())[:2])),
    "Brier score": Question("brier", scores=dict(list(SCORES.items())[:2])),
    "log loss": Question("log_loss", scores=dict(list(SCORES.items())[:2])),
    "macro F1 of three classes": Question("macro_f1", NAMED, truth=CLASSES),
    "MCC of three classes": Question("mcc", NAMED, truth=CLASSES),
    "costs": Question("expected_cost", scores=dict(list(SCORES.items())[:2]), costs={"cost_fn": 4.0}),
    "costs at a prior": Question(
        "expected_cost", scores=dict(list(SCORES.items())[:2]), costs={"cost_fn": 4.0}, prior=0.2
    ),
    "four models": Question("accuracy", {m: (s > 0.5).astype(int) for m, s in SCORES.items()}),
    "AUC of four models": Question("auc", scores=SCORES),
    "clusters": Question(
        "accuracy", {m: (s > 0.5).astype(int) for m, s in list(SCORES.items())[:2]}, columns={"clusters": PATIENT}
    ),
    "AUC of clusters": Question("auc", scores=dict(list(SCORES.items())[:2]), columns={"clusters": PATIENT}),
    "weights": Question(
        "recall", {m: (s > 0.5).astype(int) for m, s in list(SCORES.items())[:2]}, columns={"weights": WEIGHT}
    ),
    "precision at a prior": Question(
        "precision", {m: (s > 0.5).astype(int) for m, s in list(SCORES.items())[:2]}, prior=0.1
    ),
}


def figures(c: Any) -> Figures:
    return c.estimate, c.low, c.high, c.p_value if c.p_adjusted is None else c.p_adjusted


def of_comparison(cmp: te.Comparison) -> Iterator[tuple[tuple[str, ...], Figures]]:
    for c in cmp.pairs:
        yield (c.first, c.second), figures(c)
        d = cmp[c.second, c.first]
        yield (c.first, c.second), (-d.estimate, -d.high, -d.low, figures(d)[3])
    for m, i in cmp.estimates.items():
        yield (m,), (i.estimate, i.low, i.high, math.nan)


Answers = Iterator[tuple[tuple[str, ...], Figures]]


def saved(q: Question) -> Answers:
    yield from of_comparison(te.load(q.compared.to_json()))


def exported(q: Question) -> Answers:
    q.compared.save(q.folder / "pairs.csv")
    for row in csv.DictReader((q.folder / "pairs.csv").read_text(encoding="utf-8").splitlines()):
        p = row["p_value"] if row.get("p_adjusted") in (None, "") else row["p_adjusted"]
        yield (row["first"], row["second"]), tuple(float(x) for x in (row["estimate"], row["low"], row["high"], p))  # type: ignore[misc]


def in_a_file(q: Question) -> Answers:
    kinds = {"weights_kind": "sampling"} if "weights" in q.columns else {}
    names = {"clusters": "cluster", "weights": "weight"}
    read = te.read(
        q.file, truth="truth", models=list(q.labels or q.scores), **{names[c]: c for c in q.columns}, **kinds
    )
    yield from of_comparison(te.compare(read, **q.asked))


def in_the_shell(q: Question) -> Answers:
    out = run("compare", str(q.file), *q.words, "--format", "json")
    assert out.returncode == 0, out.stderr
    yield from of_comparison(te.load(out.stdout))


def in_the_report(q: Question) -> Answers:
    page = q.folder / "page.html"
    te.report(q.rows, page, **q.asked)
    text = page.read_text(encoding="utf-8")
    packed = re.search(r'id="results-data"[^>]*>([^<]+)<', text)
    assert packed is not None
    results = json.loads(gzip.decompress(base64.b85decode(packed[1].strip().replace(".", "<"))))
    yield from of_comparison(te.load(json.dumps(results["comparison"])))
    for part in te.load(json.dumps(results["evaluation"])).parts:
        if q.metric in part.overall:
            i = part.overall[q.metric]
            yield (part.name,), (i.estimate, i.low, i.high, math.nan)


def in_one_slice(q: Question) -> Answers:
    if len(q.compared.models) > 2 or "weights" in q.columns:
        return  # pairs of slices are one family, those of all rows are judged with the best
    rows = q.rows.source
    sliced = te.predictions(
        TRUTH if q.truth is None else q.truth, q.labels or None, scores=q.scores or None, by=["all"] * N, **q.columns
    )
    assert rows is not None
    yield from of_comparison(te.compare(sliced, **q.asked).slices["all"])


def at_a_gate(q: Question) -> Answers:
    for a, b in [(c.first, c.second) for c in q.compared.pairs if len(q.compared.pairs) == 1]:
        made = te.gate(q.rows, b, model=a, confidence=0.975, **q.asked)
        (check,) = made.checks
        c = q.compared[a, b]
        yield (a, b), (check.estimate, check.low, check.high, figures(c)[3])
        own = q.compared.estimates
        assert check.candidate == pytest.approx(own[a].estimate)
        assert check.baseline == pytest.approx(own[b].estimate)


def evaluated(q: Question) -> Answers:
    ev = te.evaluate(q.rows, metrics=[q.metric], **q.without_metric())
    for part in ev.parts:
        i = part.overall[q.metric]
        yield (part.name,), (i.estimate, i.low, i.high, math.nan)
    for row in ev.records():
        if row["metric"] == q.metric and row["class"] in (None, 1):
            yield (str(row["model"]),), (row["estimate"], row["low"], row["high"], math.nan)  # type: ignore[misc]


def evaluated_in_the_shell(q: Question) -> Answers:
    out = run("evaluate", str(q.file), *q.words, "--format", "json")
    assert out.returncode == 0, out.stderr
    for part in te.load(out.stdout).parts:
        if q.metric in part.overall:
            i = part.overall[q.metric]
            yield (part.name,), (i.estimate, i.low, i.high, math.nan)


def as_a_floor(q: Question) -> Answers:
    for m in q.compared.models:
        made = te.gate(q.rows.select(m), at_least={q.metric: 0.5}, metric=q.metric, confidence=0.975,
                       **q.without_metric())  # fmt: skip
        (check,) = made.checks
        yield (m,), (check.estimate, check.low, check.high, math.nan)


def in_gaps(q: Question) -> Answers:
    if "weights" in q.columns or q.prior is not None:
        return
    half = np.repeat(["first", "second"], N // 2)
    sliced = te.predictions(TRUTH if q.truth is None else q.truth, q.labels or None, scores=q.scores or None, by=half,
                            **q.columns)  # fmt: skip
    ev = te.evaluate(sliced, metrics=[q.metric], simultaneous=False, **q.without_metric())
    for gap in ev.gaps(q.metric):
        for group, i in gap.groups.items():
            own = ev.slices[group].model(gap.model)[q.metric]
            assert (i.estimate, i.low, i.high) == pytest.approx((own.estimate, own.low, own.high), nan_ok=True)
    return
    yield


def by_its_curve(q: Question) -> Answers:
    if q.metric != "auc":
        return
    for m in q.compared.models:
        i = te.roc(q.rows, model=m).auc()
        yield (m,), (i.estimate, i.low, i.high, math.nan)


def by_hand(q: Question) -> Answers:
    plain = not q.columns and q.prior is None and q.labels
    if q.metric != "accuracy" or not plain:
        return
    right = {m: np.asarray(v) == TRUTH for m, v in q.labels.items()}
    for m, r in right.items():
        i = te.interval(int(r.sum()), N)
        yield (m,), (i.estimate, i.low, i.high, math.nan)
    if len(right) == 2:
        a, b = right.values()
        four = {"both": int((a & b).sum()), "a": int((a & ~b).sum()), "b": int((b & ~a).sum()),
                "neither": int((~a & ~b).sum())}  # fmt: skip
        yield from of_comparison(te.compare(counts=four))
        out = run("compare", "--counts", *(f"{k}={v}" for k, v in four.items()), "--format", "json")
        yield from of_comparison(te.load(out.stdout))


DOORS: dict[str, Callable[[Question], Answers]] = {
    door.__name__: door
    for door in (saved, exported, in_a_file, in_the_shell, in_the_report, in_one_slice, at_a_gate, evaluated,
                 evaluated_in_the_shell, as_a_floor, in_gaps, by_its_curve, by_hand)
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_door_gives_the_same_numbers(name: str) -> None:
    q, wrong = QUESTIONS[name], []
    expected = dict(of_comparison(q.compared))
    for door, answers in DOORS.items():
        for key, found in answers(q):
            if found != pytest.approx(expected[key], rel=2e-6, abs=2e-7, nan_ok=True):
                wrong.append(f"{door} {key}: {found} for {expected[key]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_words_say_these_numbers(name: str) -> None:
    q = QUESTIONS[name]
    cmp, said = q.compared, " ".join(str(q.compared).split())
    best, other = cmp.ranked[:2]
    c = cmp[best, other]
    assert (surety(deciding_p(c), 0.05) != "open") == (c.low > 0 or c.high < 0)
    if not q.costs:
        assert p_value(deciding_p(c)).removeprefix("p ").removeprefix("= ") in said
        assert cmp.best == max(
            cmp.models, key=lambda m: cmp.estimates[m].estimate * (1 if cmp.higher_is_better else -1)
        )


TWO = [
    te.predictions(TRUTH[half], {name: (SCORES[m][half] > 0.5).astype(int)})
    for half, name, m in ((slice(0, 130), "new", "a"), (slice(130, N), "old", "b"))
]


def apart(cmp: te.Comparison) -> Figures:
    (c,) = cmp.pairs
    return figures(c)


@pytest.mark.parametrize("metric", ["accuracy", "error_rate", "recall", "f1", "balanced_accuracy"])
def test_models_on_different_rows_have_one_answer_too(metric: str, tmp_path: Path) -> None:
    cmp = te.compare(*TWO, paired=False, metric=metric)
    tables = [p.confusion() for p in TWO]
    found = {"matrices": apart(te.compare(*tables, metric=metric)), "saved": apart(te.load(cmp.to_json()))}
    typed = [f"{m}={' '.join(map(str, t.matrix.ravel()))}" for m, t in zip(("new", "old"), tables, strict=True)]
    out = run("compare", "--matrix", typed[0], "--matrix", typed[1], "--metric", metric, "--format", "json")
    found["typed matrices"] = apart(te.load(out.stdout))
    files = []
    for p, name in zip(TWO, ("new", "old"), strict=True):
        rows = p.source.fetched()
        files.append(tmp_path / f"{name}.csv")
        pd.DataFrame({"truth": rows.truth, name: rows.columns[name].labels}).to_csv(files[-1], index=False)
    out = run("compare", str(files[0]), "--with", str(files[1]), "--unpaired", "--metric", metric, "--format", "json")
    found["files"] = apart(te.load(out.stdout))
    (check,) = te.gate(*TWO, paired=False, metric=metric, confidence=0.975).checks
    found["gate"] = (check.estimate, check.low, check.high, apart(cmp)[3])
    if metric == "accuracy":
        x = [int(np.diag(t.matrix).sum()) for t in tables]
        c = te.difference((x[0], 130), (x[1], N - 130))
        found["difference"] = (c.estimate, c.low, c.high, c.p_value)
    expected = pytest.approx(apart(cmp), rel=1e-6, abs=1e-7)
    assert {door: f for door, f in found.items() if f != expected} == {}
