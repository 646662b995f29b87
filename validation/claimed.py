"""What is claimed of each cell, whether lines bear it out, and the tables that say so.

`python -m validation.claims` runs them; `--facts` finds what `claims.json` holds anew, from draws alone.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from scipy import special

from validation.frame import Line, added, lines, run_block
from validation.textbook import Question, Rows, Told, Z, intervals, told, units

if TYPE_CHECKING:
    from validation.claims import Claim

KEPT, RESULTS = Path(__file__).with_name("claims.json"), Path(__file__).with_name("RESULTS.md")
# Kinds of claims with an interval, whose truth and width are looked at.
MEASURED = ("one", "pair", "apart", "learner")
TITLE = "Coverage, width and power"
FACT_SAMPLES, POPULATION = 4_000, 1_500_000

# What is claimed. Widths are in those of the oracle, times t(G_eff − 1)/z; events are effective ones.
COVERAGE, LEVEL, GATE, FINDINGS = 0.925, 0.07, 0.05, 0.05
WIDTHS = ((20.0, 1.20), (10.0, 1.40), (5.0, 1.60))
# Of a learner by the default plan; here by rows.
LEARNER_COVERAGE, LEARNER_WIDTHS = 0.93, ((200.0, 1.25),)
BESIDE_RIVAL, RIVAL_EVENTS = 1.5, 10.0
POWER_LOST = 0.05
EVENTS = 5.0
MEAN_COVERAGE, MEAN_LEVEL, MEAN_WIDTH = 0.945, 0.055, 1.08
# A claim fails beyond its limit by more than so many Monte Carlo errors.
SURE = 2.5


@dataclass(frozen=True)
class Fact:
    """What draws alone tell of one question of a claim."""

    truth: float
    sd: float  # of the estimate (of the difference), over samples
    events: float  # effective: p(1 − p)/sd² rows, times the rarer side; (mean/sd)² of a loss; the fewer of two models
    groups: float  # effective number of independent units, (Σn)²/Σn²
    rival: str = ""  # the narrowest textbook limits that cover .925 on these samples
    rival_width: float = math.nan
    rival_coverage: float = math.nan
    found: float = math.nan  # how often the textbook's test finds a difference
    samples: int = FACT_SAMPLES

    @property
    def oracle(self) -> float:
        """How wide limits would be that knew the sampling error."""
        return 2 * Z * self.sd

    @property
    def stretch(self) -> float:
        """What few clusters cost anybody: t(G_eff − 1)/z."""
        return -float(special.stdtrit(max(self.groups - 1, 1.0), 0.025)) / Z


@cache
def _kept() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    return found


def facts(key: str, metric: str) -> Fact:
    """What is kept of a claim."""
    return Fact(**{k: math.nan if v is None else v for k, v in _kept()[key][metric].items()})


# Facts, from draws.


def _pooled(draws: Sequence[Rows]) -> Rows:
    """Many samples as one, their clusters apart."""
    models = range(len(draws[0].said))
    keys = None
    if draws[0].keys is not None:
        starts = np.cumsum([0, *(d.clusters for d in draws[:-1])])
        keys = np.concatenate([d.keys + s for d, s in zip(draws, starts, strict=True) if d.keys is not None])
    weights = None if draws[0].weights is None else np.concatenate([d.weights for d in draws if d.weights is not None])
    said = tuple(np.concatenate([d.said[i] for d in draws]) for i in models)
    return Rows(np.concatenate([d.y for d in draws]), said, keys, weights)


def _population(c: Claim, rng: np.random.Generator) -> list[Rows]:
    """Rows that stand for all, of each of the samples."""
    first = c.draw(rng)
    size = len(first.y) if isinstance(first, Rows) else min(len(r.y) for r in first)
    drawn = [c.draw(rng) for _ in range(min(20_000, max(200, POPULATION // size)))]
    if isinstance(first, Rows):
        return [_pooled([d for d in drawn if isinstance(d, Rows)])]
    enough = [drawn[: max(200, POPULATION // len(rows.y))] for rows in first]
    return [_pooled([d[i] for d in part if not isinstance(d, Rows)]) for i, part in enumerate(enough)]


def _effective(rows: Rows) -> float:
    sizes = np.bincount(rows.keys) if rows.keys is not None else rows.weights
    return float(len(rows.y)) if sizes is None else float(sizes.sum() ** 2 / (sizes**2).sum())


def _events(value: float, sd: float, q: Question) -> float:
    low, high = q.range
    if math.isinf(high):
        return (value / sd) ** 2
    p, sd = (value - low) / (high - low), sd / (high - low)
    return p * (1 - p) / sd**2 * min(p, 1 - p)


def find_facts(c: Claim, samples: int = FACT_SAMPLES) -> dict[str, Fact]:
    """Truths, sampling errors, and what the textbook's methods do on these samples."""
    rng = np.random.Generator(np.random.Philox(np.random.SeedSequence(11, spawn_key=(crc32(c.key.encode()),))))
    if c.learner is not None:
        return {q.metric: _fact_of_learner(c, q, rng, samples // 4) for q in c.questions}
    whole = _population(c, rng)
    drawn = [c.draw(rng) for _ in range(samples)]
    return {q.metric: _fact(c, q, whole, drawn) for q in c.questions}


def _fact(c: Claim, q: Question, whole: Sequence[Rows], drawn: Sequence[Rows | tuple[Rows, Rows]]) -> Fact:
    two = c.kind in ("pair", "apart")
    true = [units(q, whole[min(i, len(whole) - 1)], i if len(whole) == 1 else 0).value for i in range(1 + two)]
    truth = true[0] if not two else 0.0 if c.equal else true[0] - true[1]
    values: list[list[float]] = [[] for _ in true]
    limits: dict[str, list[tuple[float, float]]] = {}
    found = 0
    groups = float(np.mean([min(_effective(r) for r in ((d,) if isinstance(d, Rows) else d)) for d in drawn[:500]]))
    for sample in drawn:
        if c.kind == "apart" and not isinstance(sample, Rows):
            told_each = [told(units(q, rows), rows) for rows in sample]
            v, w = (t.error**2 for t in told_each)
            df = (v + w) ** 2 / (v * v / told_each[0].df + w * w / told_each[1].df) if v + w > 0 else 1.0
            made = Told(told_each[0].value - told_each[1].value, math.sqrt(v + w), df)
            own = [t.value for t in told_each]
        elif c.kind == "pair" and isinstance(sample, Rows):
            a, b = units(q, sample, 0), units(q, sample, 1)
            made = told(type(a)(a.value - b.value, a.adds - b.adds), sample)
            own = [a.value, b.value]
        else:
            assert isinstance(sample, Rows)
            value, named = intervals(q, sample)
            own = [value]
            for name, pair in named.items():
                limits.setdefault(name, []).append(pair)
        if two:
            reach = -float(special.stdtrit(made.df, 0.025)) * made.error
            limits.setdefault("t", []).append((made.value - reach, made.value + reach))
            found += made.error > 1e-12 and abs(made.value) > reach
        for kept, value in zip(values, own, strict=True):
            kept.append(value)
    columns = [np.array(v) for v in values]
    each = [float(np.nanstd(v)) for v in columns]
    spread = float(np.nanstd(columns[0] - columns[1])) if two else each[0]
    events = min(_events(t, s, q) for t, s in zip(true, each, strict=True)) if min(each) > 0 else 0.0
    rival, width, coverage = _best(limits, truth)
    return Fact(
        truth=truth, sd=spread, events=min(events, c.expected), groups=groups, rival=rival, rival_width=width,
        rival_coverage=coverage, found=found / len(drawn) if two else math.nan, samples=len(drawn),
    )  # fmt: skip


def _fact_of_learner(c: Claim, q: Question, rng: np.random.Generator, samples: int) -> Fact:
    """The mean accuracy over training sets of nine tenths of the rows, and how that over ten rounds of folds varies."""
    from validation.designs import across_folds

    assert c.learner is not None
    drawn = [c.draw(rng) for _ in range(samples)]
    rows = [d for d in drawn if isinstance(d, Rows)]
    asked = _pooled(rows[:50])
    X, n = asked.said[0], len(rows[0].y)
    used = n - n // 10
    sets = (c.draw(rng) for _ in range(max(200, samples)))
    right = [c.learner().fit(d.said[0][:used], d.y[:used]).right(X, asked.y) for d in sets if isinstance(d, Rows)]
    sd = float(np.std([across_folds(c.learner, d, rng) for d in rows]))
    truth = float(np.mean(right))
    return Fact(truth=truth, sd=sd, events=_events(truth, sd, q), groups=float(n), samples=samples)


def _best(limits: dict[str, list[tuple[float, float]]], truth: float) -> tuple[str, float, float]:
    """The narrowest that covers .925."""
    best = "", math.nan, math.nan
    for name, pairs in limits.items():
        low, high = np.array(pairs).T
        known = np.isfinite(high - low)
        covers = float(((low <= truth + 1e-12) & (truth - 1e-12 <= high))[known].mean())
        width = float((high - low)[known].mean())
        if covers >= COVERAGE and not width >= best[1]:
            best = name, width, covers
    return best


# Judging.


@dataclass(frozen=True)
class Verdict:
    """One claim about one metric of a cell."""

    cell: str
    metric: str
    what: str
    value: float
    limit: float
    error: float
    below: bool  # whether the value must lie below the limit

    @property
    def excess(self) -> float:
        """By how many Monte Carlo errors it lies beyond the limit."""
        off = self.value - self.limit if self.below else self.limit - self.value
        return off / self.error if self.error > 0 else math.copysign(math.inf, off) if off else 0.0

    @property
    def fails(self) -> bool:
        return not self.excess <= SURE

    @property
    def words(self) -> str:
        side = "≤" if self.below else "≥"
        return f"{self.what} {self.value:.3f}, claimed {side} {self.limit:.3f} (± {self.error:.3f})"

    def __str__(self) -> str:
        return f"{self.cell}, {self.metric}: {self.words}"


def _binomial(rate: float, samples: float) -> float:
    return math.sqrt(max(rate * (1 - rate), 0.25 / samples) / samples)


def over_oracle(line: Line, fact: Fact) -> float:
    """The mean width in that of the oracle, with what few clusters cost anybody taken out."""
    return line.width / (fact.oracle * fact.stretch)


def verdicts(c: Claim, found: Iterable[Line]) -> list[Verdict]:
    """Every claim that is made of a cell."""
    made: list[Verdict] = []
    for line in found:
        judged = line.samples * (1 - line.undefined)
        of_tests = {
            "silent interval": ("missed", 1 - COVERAGE),
            "warned": ("findings", FINDINGS),
            "gate": ("passes", GATE),
        }

        def say(what: str, value: float, limit: float, error: float, *, below: bool, metric: str = line.metric) -> None:
            made.append(Verdict(c.key, metric, what, value, limit, error, below))

        if c.kind not in MEASURED:
            what, limit = of_tests.get(c.kind, ("level", LEVEL))
            say(what, line.rate, limit, _binomial(limit, judged), below=True)
            continue
        fact = facts(c.key, line.metric)
        if line.kind == "test":
            if not c.equal:
                error = math.hypot(_binomial(fact.found, judged), _binomial(fact.found, fact.samples))
                say("power", line.rate, fact.found - POWER_LOST, error, below=False)
            elif c.expected >= EVENTS:
                say("level", line.rate, LEVEL, _binomial(LEVEL, judged), below=True)
            continue
        least_coverage = LEARNER_COVERAGE if c.kind == "learner" else COVERAGE
        if fact.events >= EVENTS:
            say("coverage", line.rate, least_coverage, _binomial(least_coverage, judged), below=False)
        # The oracle's width is known to 1/√(2 · samples), the mean width to its own error.
        for least, limit in LEARNER_WIDTHS if c.kind == "learner" else WIDTHS:
            if (fact.groups if c.kind == "learner" else fact.events) >= least:
                ratio = over_oracle(line, fact)
                error = ratio * math.hypot(line.width_error / line.width, 1 / math.sqrt(2 * fact.samples))
                say("width", ratio, limit, error, below=True)
                break
        if fact.events >= RIVAL_EVENTS and fact.rival:
            ratio = line.width / fact.rival_width
            say("width over a textbook's", ratio, BESIDE_RIVAL, ratio * line.width_error / line.width, below=True)
    return made


def aggregates(cells: Iterable[tuple[Claim, Sequence[Line]]]) -> list[Verdict]:
    """Mean coverage, level and width; means of rates have the Monte Carlo error of all samples together."""
    cover, level, width = [], [], []
    samples: dict[str, float] = {"coverage": 0.0, "level": 0.0}
    for c, found in cells:
        if c.kind == "learner" or c.kind not in MEASURED:
            continue
        for line in found:
            fact = facts(c.key, line.metric)
            if line.kind == "test":
                if c.equal and c.expected >= EVENTS:
                    level.append(line.rate)
                    samples["level"] += line.samples
                continue
            if fact.events >= EVENTS:
                cover.append(line.rate)
                samples["coverage"] += line.samples
            if fact.events >= WIDTHS[0][0]:
                width.append(over_oracle(line, fact))
    made = []
    for what, values, limit, below in (
        ("coverage", cover, MEAN_COVERAGE, False), ("level", level, MEAN_LEVEL, True),
        ("width", width, MEAN_WIDTH, True),
    ):  # fmt: skip
        if values:
            error = _binomial(limit, samples[what]) if what in samples else 0.01 / math.sqrt(len(values))
            made.append(
                Verdict("all cells", "all metrics", f"mean {what}", float(np.mean(values)), limit, error, below)
            )
    return made


# Running and writing.


def run(c: Claim, samples: int) -> list[Line]:
    """The lines of a claim by so many samples."""
    cell = replace(c.cell, block=max(1, math.ceil(samples * c.effort)))
    return lines(cell, run_block(cell, 0))


def _task(given: tuple[str, int, int]) -> tuple[str, Any]:
    from validation.claims import every_claim

    key, block, size = given
    return key, run_block(replace(every_claim()[key].cell, block=size), block)


def _fact_task(given: tuple[str, int]) -> tuple[str, dict[str, Any]]:
    from validation.claims import every_claim

    return given[0], {m: asdict(f) for m, f in find_facts(every_claim()[given[0]], given[1]).items()}


def shown(cells: Sequence[tuple[Claim, Sequence[Line]]]) -> list[dict[str, Any]]:
    """A row for each metric of each cell."""
    rows = []
    for c, found in cells:
        said = verdicts(c, found)
        for metric in dict.fromkeys(line.metric for line in found):
            row: dict[str, Any] = {"family": c.family, "cell": c.scenario, "metric": metric, "events": c.expected}
            for line in found:
                if line.metric != metric:
                    continue
                row["samples"] = line.samples
                if line.kind == "test":
                    row["finds" if c.kind in ("pair", "apart") else "rate"] = line.rate
                    continue
                fact = facts(c.key, metric)
                row |= {
                    "events": fact.events, "coverage": line.rate, "below": line.below, "above": line.above,
                    "width": over_oracle(line, fact), "rival": fact.rival, "method": line.method,
                    "over rival": line.width / fact.rival_width, "rival finds": fact.found,
                }  # fmt: skip
            row["fails"] = [v.words for v in said if v.metric == metric and v.fails]
            rows.append(row)
    return rows


def grouped(found: Iterable[Line]) -> list[tuple[Claim, list[Line]]]:
    """The lines of claims among others, cell by cell."""
    from validation.claims import PREFIX, every_claim

    by_name: dict[str, list[Line]] = {}
    for line in found:
        by_name.setdefault(f"{line.family}: {line.scenario}", []).append(line)
    return [(c, by_name[PREFIX + key]) for key, c in every_claim().items() if PREFIX + key in by_name]


COLUMNS = ("events", "coverage", "below", "above", "width", "over rival", "finds", "rival finds", "rate")


ABOUT = (
    "Each cell with what draws alone tell of it (`claims.json`): `events` are effective ones, `width` is the mean "
    "width over 2 · 1.96 of the estimate's true standard deviation, less what few clusters cost anybody, "
    "t(G_eff − 1)/z; `over rival` is the mean width over that of the narrowest textbook limits that cover .925 on "
    "other samples of the design; `finds` is how often the difference is found (the level where models are equal), "
    "beside the textbook's test. "
    f"Claimed: coverage at least {COVERAGE} from {EVENTS:g} events on, level at most {LEVEL}, width at most "
    + ", ".join(f"{limit} from {least:g} events on" for least, limit in WIDTHS)
    + f" (a learner's, from 200 rows on, {LEARNER_WIDTHS[0][1]}, at coverage {LEARNER_COVERAGE})"
    f", at most {BESIDE_RIVAL} times a rival's from {RIVAL_EVENTS:g}, power at most {POWER_LOST} below the "
    f"textbook's; on average coverage {MEAN_COVERAGE}, level {MEAN_LEVEL}, width {MEAN_WIDTH}; gates pass in {GATE} at "
    f"the margin; findings come up in {FINDINGS} of clean samples. A claim fails beyond {SURE} Monte Carlo errors."
)


def section(cells: Sequence[tuple[Claim, Sequence[Line]]]) -> str:
    """What RESULTS.md says of them."""
    rows = shown(cells)
    failing = sum(bool(row["fails"]) for row in rows)
    least = min(line.samples for _, found in cells for line in found)
    overall = "\n".join(f"- {v.words}: {'fails' if v.fails else 'holds'}" for v in aggregates(cells))
    told = f"{len(rows)} cells of at least {least:,} samples; in {failing} a claim fails."
    return "\n\n".join([ABOUT, f"**{told}**", overall, as_table(rows)])


def as_table(rows: Sequence[dict[str, Any]]) -> str:
    """Markdown: what was found, with what fails in the last column."""
    head = ("family", "cell", "metric", *COLUMNS, "rival", "fails")
    shown_rows = []
    for row in rows:
        numbers = [row.get(name, math.nan) for name in COLUMNS]
        digits = [
            ""
            if v is None or math.isnan(v)
            else ("∞" if math.isinf(v) else f"{v:.0f}")
            if name == "events"
            else f"{v:.3f}"
            for name, v in zip(COLUMNS, numbers, strict=True)
        ]
        shown_rows.append(
            (row["family"], row["cell"], row["metric"], *digits, row.get("rival", ""), "; ".join(row["fails"]))
        )
    out = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*out, *("| " + " | ".join(map(str, row)) + " |" for row in shown_rows)])


def main() -> int:
    from validation.claims import every_claim

    parser = argparse.ArgumentParser(prog="python -m validation.claims", description="Claims with their widths.")
    parser.add_argument("--samples", type=int, default=3_000, metavar="N", help="of each cell (3,000)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="J", help="processes")
    parser.add_argument("--only", default="", metavar="WORD", help="cells whose name holds this word")
    parser.add_argument("--quick", action="store_true", help="only those that the tests hold")
    parser.add_argument("--out", type=Path, metavar="FILE", help="the rows, as JSON")
    parser.add_argument("--write", action="store_true", help=f"put the table into {RESULTS.name}")
    parser.add_argument("--facts", action="store_true", help=f"find what {KEPT.name} holds anew")
    given = parser.parse_args()
    chosen = {k: c for k, c in every_claim().items() if given.only in k and (c.quick or not given.quick)}
    if find_spec("threadpoolctl") is None:  # `te.experiment` needs it; all else needs NumPy and SciPy alone
        chosen = {k: c for k, c in chosen.items() if c.learner is None}
        print("threadpoolctl is not installed: learners are left out", file=sys.stderr)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"  # of the processes to come: one core each
    started = time.perf_counter()
    with get_context("spawn").Pool(given.jobs) as pool:
        if given.facts:
            measured = [(k, given.samples) for k, c in chosen.items() if c.kind in (*MEASURED, "silent interval")]
            known = {} if not given.only else dict(_kept())
            for done, (key, found) in enumerate(pool.imap_unordered(_fact_task, measured), 1):
                known[key] = {m: {k: _digits(v) for k, v in f.items()} for m, f in found.items()}
                print(f"{done}/{len(measured)} {key}", flush=True)
            ordered = {key: known[key] for key in every_claim() if key in known}
            text = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in ordered.items())
            KEPT.write_text("{\n" + text + "\n}\n", encoding="utf-8")
            return 0
        tasks = [
            (key, block, 250) for key, c in chosen.items()
            for block in range(max(1, math.ceil(given.samples * c.effort / 250)))
        ]  # fmt: skip
        counts: dict[str, Any] = {}
        for key, more in pool.imap_unordered(_task, tasks):
            counts[key] = added(counts[key], more) if key in counts else more
    cells = [(c, lines(c.cell, counts[k])) for k, c in chosen.items()]
    print(section(cells))
    print(f"\n{time.perf_counter() - started:.0f} s")
    if given.out:
        given.out.write_text("".join(json.dumps(row) + "\n" for row in shown(cells)), encoding="utf-8")
    if given.write:
        replace_section(section(cells))
    return 0


def replace_section(words: str) -> None:
    """Write it into RESULTS.md in the place of what stands there, before the families."""
    text = RESULTS.read_text(encoding="utf-8")
    before, found, after = text.partition(f"## {TITLE}\n")
    if found:
        rest = after[after.index("\n## ") + 1 :]
    else:
        cut = text.index("## Side by side with peers")
        before, rest = text[:cut], text[cut:]
    RESULTS.write_text(f"{before}## {TITLE}\n\n{words}\n\n{rest}", encoding="utf-8")


def _digits(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return float(f"{value:.6g}") if math.isfinite(value) else None
