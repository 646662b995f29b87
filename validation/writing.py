"""RESULTS.md and the summary on the screen, from lines alone."""

from __future__ import annotations

import datetime
import math
import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from trueerror.methods import decisions
from validation.claimed import TITLE, grouped, section
from validation.claims import PREFIX
from validation.frame import (
    ESTABLISHED,
    ESTABLISHED_LEARNERS,
    LEAST,
    LEAST_LEARNERS,
    POINTWISE,
    SURE,
    TYPE_ONE,
    Cell,
    Exact,
    Line,
)
from validation.judging import EVENTS, MEAN, Judgement, Warned, judge, place
from validation.peers import START, absent, installed
from validation.picturing import picture
from validation.warning import warned

RESULTS = Path(__file__).parent / "RESULTS.md"


def _rate(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.4f}".lstrip("0") if value < 1 else "1.0000"


def _unsure(line: Line) -> str:
    return "" if line.established else f" (not established: {line.samples:,} samples)"


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3g}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table in columns of even width."""
    lines = [tuple(header), *map(tuple, rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    shown = ["| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |" for line in lines]
    shown.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(shown)


def summary(lines: Sequence[Line], warned: Warned | None = None, units: Iterable[Cell | Exact] = ()) -> str:
    """Every default at 95 %, with its means and its worst scenarios."""
    head = ("family", "default", "cells", "mean", "mean from 5", "worst from 5", "where", "worst anywhere", "claim")
    return table(head, (_summary_row(j) for j in judge(lines, warned, units)))


def _summary_row(j: Judgement) -> tuple[str, ...]:
    verdict = _verdict(j)
    worst, anywhere = j.worst, j.worst_anywhere
    return (
        j.family,
        j.procedure,
        str(j.cells),
        _rate(j.mean),
        _rate(j.mean_enough),
        "" if worst is None else _rate(worst.rate),
        "no cell has so many" if worst is None else worst.scenario,
        "" if anywhere is None or anywhere is worst else f"{_rate(anywhere.rate)} ({anywhere.scenario})",
        f"{verdict} (not established)" if j.verdict == "not established" else verdict,
    )


def _verdict(j: Judgement) -> str:
    warn = f"{' or '.join(j.standing)} {'warn' if len(j.standing) > 1 else 'warns'}"
    return {
        "everywhere": "holds",
        "from five events": f"holds from {EVENTS:g} events"
        + (f"; below, {' or '.join(j.findings)} warns" if j.findings else ""),
        "missed, warned": f"missed in {j.spared} of {j.cells} cells, where {warn}",
        "missed": "**missed**: " + "; ".join(j.reasons[:3]) + (" …" if len(j.reasons) > 3 else ""),
        "not tested": f"not tested: no cell has {EVENTS:g} events",
    }[j.found]


def headline(judged: Sequence[Judgement]) -> str:
    """How many procedures hold, and how; those without enough samples are in no other count."""
    counts = Counter(j.verdict for j in judged)
    codes = sorted({code for j in judged if j.verdict == "missed, warned" for code in j.standing})
    named = f" ({', '.join(codes)})" if codes else ""
    return (
        f"{len(judged)} default procedures: {counts['everywhere']} hold over the whole grid, "
        f"{counts['from five events']} hold wherever {EVENTS:g} events are expected and are warned of below that, "
        f"{counts['missed, warned']} miss in some cells, each with a finding that comes up there{named}, "
        f"{counts['missed']} miss without one; {counts['not tested']} not tested, since no cell has {EVENTS:g} "
        f"events; {counts['not established']} not established yet."
    )


def details(lines: Sequence[Line]) -> str:
    """The lines of one family at 95 %."""
    lines = [line for line in lines if line.shown]
    test = all(line.kind == "test" for line in lines)
    header = ("scenario", "procedure", "events", "rejects" if test else "coverage", "±", "samples")
    if not test:
        header += ("truth", "truth below", "truth above", "mean width", "over the oracle's", "undefined")
    rows = []
    for line in lines:
        cells: tuple[str, ...] = (
            line.scenario,
            line.procedure if line.default else f"{line.procedure} (other)",
            _number(line.events),
            _rate(line.rate),
            "exact" if line.samples == 0 else f"{2 * line.error:.4f}".lstrip("0"),
            f"{line.samples:,}" + ("" if line.established else " (not established)") if line.samples else "all",
        )
        if not test:
            cells += (
                _number(line.truth),
                _rate(line.below),
                _rate(line.above),
                _number(line.width),
                _number(line.over_oracle),
                "" if line.undefined == 0 else _rate(line.undefined),
            )
        rows.append(cells)
    return table(header, rows)


def _other_confidences(lines: Sequence[Line]) -> str:
    """Mean coverage at other confidences, over the cells in which they were tried."""
    groups: dict[tuple[str, str, float], list[float]] = {}
    for line in lines:
        whole = line.shown and "least" not in line.scenario
        if line.default and line.kind == "interval" and line.confidence != 0.95 and whole and line.undefined < 0.5:
            groups.setdefault((line.family, line.procedure, line.confidence), []).append(line.rate)
    rows = (
        (family, procedure, f"{confidence:.0%}", str(len(rates)), _rate(sum(rates) / len(rates)), _rate(min(rates)))
        for (family, procedure, confidence), rates in groups.items()
    )
    return table(("family", "default", "confidence", "cells", "mean", "least"), rows)


def _titled(words: str) -> str:
    return words[0].upper() + words[1:]


def _beside(lines: Sequence[Line]) -> str:
    """Ours and the peers', on the same scenarios."""
    parts = []
    for family in dict.fromkeys(line.family for line in lines):
        own = [line for line in lines if line.family == family]
        names = list(dict.fromkeys(line.procedure for line in own))
        # Metrics of one scenario share a row: what stands after the last comma of the name.
        rows: dict[tuple[str, str], dict[str, str]] = {}
        for line in own:
            power = line.purpose == "power"
            told = _rate(line.rate) + (" (power)" if power else "") + _unsure(line)
            metric = "" if line.kind == "test" else line.metric
            rows.setdefault((line.scenario, metric), {})[line.procedure] = told
        body = [
            (scenario if len({m for s, m in rows if s == scenario}) == 1 else f"{scenario}, {metric}",
             *(found.get(n, "") for n in names))
            for (scenario, metric), found in rows.items()
        ]  # fmt: skip
        used = [k for k in range(len(names)) if any(row[k + 1] for row in body)]
        what = "how often it rejects equal models" if own[0].kind == "test" else "coverage of 95 % intervals"
        parts.append(f"### {_titled(family.removeprefix(START))}: {what}")
        parts.append(table(("scenario", *(names[k] for k in used)), ((r[0], *(r[k + 1] for k in used)) for r in body)))
    return "\n\n".join(parts)


def _decided(lines: Sequence[Line]) -> str:
    """Every default of the decision table, with what was measured of it."""
    rows = []
    for decision in decisions():
        own = [x for x in lines if x.method == decision.default and x.confidence == 0.95 and x.undefined < 0.5]
        own = [x for x in own if x.shown and "mean over" not in x.scenario and x.measured]
        own = [x for x in own if x.default] or own
        covers = [x for x in own if x.kind == "interval" and x.events >= EVENTS]
        errs = [x for x in own if x.kind == "test" and x.purpose == "level"]
        told = []
        if covers:
            least = min(covers, key=lambda x: x.rate)
            told.append(f"covers at least {_rate(least.rate)} ({least.metric.replace('_', ' ')}, {least.scenario})")
        if errs:
            most = max(errs, key=lambda x: x.rate)
            told.append(f"type I error at most {_rate(most.rate)} ({most.scenario})")
        rows.append((decision.title, decision.default, str(len(own) or ""), "; ".join(told) or "not established"))
    return table(("situation", "default", "cells", f"measured, with {EVENTS:g} events or more"), rows)


def _power(lines: Sequence[Line]) -> str:
    rows = ((x.family, x.scenario, x.procedure, _rate(x.rate), _unsure(x).strip(" ()")) for x in lines)
    return table(("family", "scenario", "test", "finds the difference", ""), rows)


def _missing(units: Mapping[str, Cell | Exact], lines: Sequence[Line]) -> str:
    """Cells of the grid that were not reached, or not often enough."""
    often = {place(line): line.samples for line in lines}
    open_ = {place(line) for line in lines if not line.established}
    found = []
    for key, unit in units.items():
        if isinstance(unit, Cell) and (key in open_ or key not in often):
            found.append(f"- {key} ({often.get(key, 0):,} of {unit.wanted:,} samples)")
    return "\n".join(found)


def write(
    lines: Sequence[Line], units: Mapping[str, Cell | Exact], *, command: str, took: float, code: str
) -> list[Judgement]:
    """RESULTS.md and the pictures; the judgements that miss a claim where no finding says so."""
    there = warned(units.values(), lines)
    judged = judge(lines, there, units.values())
    missed = [j for j in judged if j.found == "missed"]
    told = [j for j in judged if j.found == "missed, warned"]
    stated = (
        f"Claims, at nominal 95 %: mean coverage at least {MEAN} over the cells in which {EVENTS:g} or more events are "
        f"expected on each side of the metric's own denominator, and at least {POINTWISE} in each of them; in a cell "
        "with fewer events that covers less, a finding about too few rows or events comes up in nine of ten samples. "
        f"Type I error of tests at 5 %: at most {TYPE_ONE} in every cell. A claim is missed when it fails by more than "
        "two Monte Carlo errors. `mean from 5` is the mean that is claimed; `mean`, over all cells, stands beside it, "
        "and nothing is claimed of it. Where all values of the truth were gone through, both are the mean over all of "
        "these. A procedure without a cell of five events is not tested. A miss with a finding that always comes with "
        "the plan, in nine of ten samples of every cell that misses, or with warnings beside nine of ten of its wrong "
        "answers, is a miss and is counted apart; means, worst "
        "cells and type I errors are over all cells, warned of or not. Samples in which a metric is "
        "undefined are left out, and cells in which most are do not count; limits that cannot be told count as a miss. "
        "`truth below` and `truth above` are the two tails, `over the oracle's` is the mean width in that of limits "
        "which know the estimate's standard deviation (blank where a cell was run before it was counted), ± is twice "
        "the Monte Carlo error, and `exact` is "
        f"enumeration of all samples. A cell is established with {ESTABLISHED:,} samples ({ESTABLISHED_LEARNERS:,} "
        f"where a sample takes long, as with learners that are fitted), or from {LEAST:,} ({LEAST_LEARNERS:,}) on as "
        f"soon as every default lies {SURE:g} or more Monte Carlo errors on one side of {POINTWISE} (a test: "
        f"{TYPE_ONE}); other procedures and confidences need {LEAST:,} ({LEAST_LEARNERS:,}). A procedure with a "
        "cell that is not established is not established."
    )
    here = ", ".join(f"{name} {number}" for name, number in installed().items())
    gone = f"; absent, so not compared: {', '.join(absent())}" if absent() else ""
    parts = [
        "# Validation",
        "Generated by `make validate`; do not edit.",
        f"- Command: `{command}`, {took:.0f} s, {datetime.date.today().isoformat()}\n"
        f"- Versions: Python {platform.python_version()}, trueerror {version('trueerror')}, NumPy {version('numpy')}, "
        f"SciPy {version('scipy')}, scikit-learn {version('scikit-learn')}\n"
        f"- Peers: {here}{gone}\n"
        f"- Code: fingerprint {code} of the library's statistics and of the scenarios; a cell that was run by earlier "
        "code is kept while the code gives the same answers to its first samples\n"
        "- Samples: Philox generators keyed by the cell's name; the same for any number of processes",
        f"**{headline(judged)}**",
        stated,
        "## Defaults",
        summary(lines, there, units.values()),
    ]
    if missed or told:
        rows = [f"- {j.family}, {j.procedure}: {'; '.join(j.reasons)}" for j in missed]
        rows += [f"- {j.family}, {j.procedure}: {_verdict(j)}" for j in told]
        parts += ["### What is missed", "\n".join(rows)]
    parts += ["## The decision table", _decided(lines)]
    claims, left = grouped(lines), _missing(units, lines)
    if claims:
        parts += [f"## {TITLE}", section(claims)]
    lines = [line for line in lines if not line.family.startswith(PREFIX)]
    beside = [line for line in lines if line.family.startswith(START)]
    if beside:
        parts += ["## Side by side with peers", _beside(beside)]
    power = [line for line in lines if line.purpose == "power" and line.kind == "test" and line not in beside]
    if power:
        parts += ["## Power", _power(power)]
    if any(line.confidence != 0.95 for line in lines):
        parts += ["## Other confidences", _other_confidences(lines)]
    if left:
        parts += ["## Not established", left]
    for family in dict.fromkeys(line.family for line in lines if not line.family.startswith(START)):
        own = [line for line in lines if line.family == family and line.confidence == 0.95]
        parts.append(f"## {_titled(family)}")
        drawn = picture(family, own)
        if drawn is not None:
            parts.append(f"![{family}](pictures/{drawn.name})")
        kinds = dict.fromkeys(line.kind for line in own)
        parts += [
            details([x for x in own if x.kind == kind and not (kind == "test" and x.purpose == "power")])
            for kind in kinds
        ]
    RESULTS.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return missed
