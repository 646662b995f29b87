"""What a comparison tells the linter: facts about each pair and about all models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from trueerror.findings import Evidence, Finding, Findings, find
from trueerror.findings.finding import sorted_findings
from trueerror.metrics.registry import Measure
from trueerror.rows.predictions import Predictions
from trueerror.tallies import Discordance
from trueerror.tallies.grading import is_graded
from trueerror.verbs.bench import Bench
from trueerror.verbs.comparison import Comparison, told_apart
from trueerror.verbs.constants import commonest_p
from trueerror.verbs.settings import Settings

# What the rows and each model by itself may show beside the difference; more would bury it.
ABOUT_THE_SAMPLE = ("TE103", "TE104", "TE201")


def sample_evidence(p: Predictions, measure: Measure, settings: Settings) -> list[Evidence]:
    """The rows once, and each model against the commonest class where the comparison is one of accuracy."""
    benches = [b for b in (Bench(m, settings, predictions=p) for m in p.models) if b.calls]
    counted = measure.needs in ("binary", "classes", "cells")
    if not benches or not (counted or int((p.truth_counts() > 0).sum()) == 1):
        return []
    found = [Evidence(confusion=benches[0].confusion, facts={"metrics": (measure.name,)})]
    if measure.name in ("accuracy", "error_rate") and not is_graded(benches[0].confusion):
        found += [Evidence(model=b.model, confusion=b.confusion, facts={"baseline_p": commonest_p(b)}) for b in benches]
    return found


def comparison_findings(
    made: Comparison, sound: Mapping[tuple[str, str], Mapping[str, float]], sample: Iterable[Evidence] = ()
) -> Findings:
    """Run the rules on a comparison; `sound` holds the p-values of several sound tests of each pair."""
    closest = _closest(made)
    evidence = [
        Evidence(
            model=f"{c.first} and {c.second}",
            facts={**_pair_facts(made, c, sound), "closest": (c.first, c.second) == closest},
        )
        for c in made.pairs
    ]
    of_sample: dict[tuple[str, str, str], Finding] = {}
    for f in find(sample):
        if f.code in ABOUT_THE_SAMPLE:
            about = "" if f.code != "TE201" else f.about
            of_sample.setdefault((f.code, f.message, about), replace(f, about=about))
    return sorted_findings([*find([*evidence, Evidence(facts=_whole_facts(made))]), *of_sample.values()])


def _pair_facts(made: Comparison, c: Any, sound: Mapping[tuple[str, str], Mapping[str, float]]) -> dict[str, Any]:
    pair = (c.first, c.second)
    counts = made.facts["discordance"].get(pair)
    facts: dict[str, Any] = {
        "pair": pair,
        "p_values": dict(sound.get(pair, {})),
        "level": 1 - made.confidence,
        "difference": c.estimate,
        "limits": (c.low, c.high),
        "p_value": c.p_value if c.p_adjusted is None else c.p_adjusted,
        "told_apart": told_apart(c),
        "comparisons": len(made.pairs),
        "share": bool(made.facts.get("share")),
        "with_best": made.best in pair,
        "n": c.n,
    }
    # Two models alone are shown by their difference: there are no two intervals that could mislead.
    if len(made.models) > 2:
        facts["intervals"] = tuple((made.estimates[m].low, made.estimates[m].high) for m in pair)
    facts |= made.facts.get("twins", {}).get(pair, {})
    if counts is not None:
        facts["discordance"] = Discordance(*counts)
    if made.margin is not None:
        facts["margin"] = made.margin
    return facts


def _closest(made: Comparison) -> tuple[str, str] | None:
    """The pair of the best models, by rank, that differ and cannot be told apart: one word about power is enough."""
    rank = {m: i for i, m in enumerate(made.ranked)}
    same = made.facts.get("twins", {})
    open_ = [(c.first, c.second) for c in made.pairs if not told_apart(c) and (c.first, c.second) not in same]
    return min(open_, key=lambda pair: (rank[pair[0]] + rank[pair[1]], max(rank[m] for m in pair)), default=None)


def _whole_facts(made: Comparison) -> dict[str, Any]:
    compared = [m for m in made.models if m != made.best and made.reference in (None, m, made.best)]
    facts: dict[str, Any] = {
        "n_models": len(made.models),
        "best": made.best,
        "comparisons": len(made.pairs),
        "adjusted": made.adjust != "none" or len(made.pairs) < 2,
        "not_told_from_best": sum(not told_apart(made[made.best, m]) for m in compared if _has(made, m)),
    }
    if "could_be_paired" in made.facts:
        facts |= {"paired": False, "could_be_paired": made.facts["could_be_paired"]}
    return facts


def _has(made: Comparison, model: str) -> bool:
    """Whether the model was compared with the best one."""
    wanted = {made.best, model}
    return any({c.first, c.second} == wanted for c in made.pairs)
