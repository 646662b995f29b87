"""LesionStudy: what each part of a system contributes, ready to be read and drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trueerror.inputs._options import InputError, nearest
from trueerror.results import Contrast, DocumentResult, Interval, Result, Table
from trueerror.results._document import WIDTH, Document, Footer, TableBlock, Verdict, data_summary
from trueerror.results._format import limits, listing, number, one_line, p_cell, p_value, percent


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Contribution(Result):
    """One variant of the system: which parts are out, how good it is, and what those parts contribute.

    `difference` is above 0 where the parts help, whichever way the metric goes; of an addition it is what the part
    brings to a system without any of them. Of a pair, `interaction` is the joint contribution less the two single ones:
    above 0 where each stands in for the other. `seed_sd` is how much differences vary by the learner's random state
    within one test part (NaN with one seed), `fold_sd` how much by the test parts.
    """

    name: str
    kind: str
    removed: tuple[str, ...]
    estimate: Interval
    difference: Contrast
    interaction: Contrast | None = None
    fold_sd: float = math.nan
    seed_sd: float = math.nan

    def __str__(self) -> str:
        d = self.difference
        return f"{one_line(self.name)}: {d.name} {d.estimate:+.3f} {limits(d.low, d.high)}, {p_value(self.p)}"

    @property
    def p(self) -> float:
        """The p-value that decides: adjusted where several were made."""
        return self.difference.p_value if self.difference.p_adjusted is None else self.difference.p_adjusted

    def helps(self, level: float = 0.05) -> bool:
        """Whether the parts help, beyond chance."""
        return self.p <= level and self.difference.estimate > 0

    def hurts(self, level: float = 0.05) -> bool:
        """Whether the system is better without them, beyond chance."""
        return self.p <= level and self.difference.estimate < 0


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LesionStudy(DocumentResult):
    """A system with parts taken out. Made by `te.lesion_study`; `te.ablation` is the same.

    study["part"] is a `Contribution`; `.curves` are the ROC curves of all variants where there are scores
    (`.plot(show="roc")`).
    """

    metric: str
    title: str
    full: Interval
    contributions: tuple[Contribution, ...]
    base: Interval | None = None
    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    curves: Mapping[str, Any] = field(default_factory=dict)
    plan: str = ""
    rows: int = 0
    seeds: int = 1
    adjust: str = "holm"
    confidence: float = 0.95
    seed: int = 0
    notes: tuple[str, ...] = ()
    method: str = "lesion"

    def __getitem__(self, name: str) -> Contribution:
        for c in self.contributions:
            if c.name == name:
                return c
        known = [c.name for c in self.contributions]
        raise InputError(f"there is no variant {name!r}{nearest(name, known)}")

    def of_kind(self, kind: str) -> tuple[Contribution, ...]:
        """The variants of one kind ("leave-one-out", "add-one-in", "pairs"), largest contribution first."""
        own = [c for c in self.contributions if c.kind == kind]
        return tuple(sorted(own, key=lambda c: 0.0 if math.isnan(c.difference.estimate) else -c.difference.estimate))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of variants that there are."""
        return tuple(dict.fromkeys(c.kind for c in self.contributions))

    def records(self) -> list[dict[str, object]]:
        """One record for each variant."""
        return [
            {
                "variant": c.name,
                "kind": c.kind,
                "removed": ", ".join(c.removed),
                self.metric: c.estimate.estimate,
                "contribution": c.difference.estimate,
                "low": c.difference.low,
                "high": c.difference.high,
                "p_value": c.difference.p_value,
                "p_adjusted": c.difference.p_adjusted,
                "interaction": None if c.interaction is None else c.interaction.estimate,
                "interaction_p": None if c.interaction is None else c.interaction.p_adjusted,
                "fold_sd": c.fold_sd,
                "seed_sd": c.seed_sd,
            }
            for c in self.contributions
        ]

    def _variants(self) -> Table:
        rows = tuple(
            (
                {"leave-one-out": "without ", "pairs": "without ", "add-one-in": "only "}[c.kind] + c.name,
                number(c.estimate.estimate),
                f"{c.difference.estimate:+.3f}",
                limits(c.difference.low, c.difference.high),
                p_cell(p_value(c.p)),
            )
            for kind in self.kinds
            for c in self.of_kind(kind)
        )
        ends = [
            (name, number(i.estimate), "", limits(i.low, i.high), "")
            for name, i in (("full system", self.full), ("none of them", self.base))
            if i is not None
        ]
        rows = (ends[0], *rows, *ends[1:])
        return Table(columns=("", self.title, "contribution", "interval", "p"), rows=rows)

    @property
    def verdict(self) -> str:
        """What each part contributes, in words: one paragraph a kind."""
        return "\n".join(self.verdict_lines)

    @property
    def verdict_lines(self) -> tuple[str, ...]:
        """The same, paragraph by paragraph."""
        return tuple(_kind_words(self, kind) for kind in self.kinds)

    def document(self) -> Document:
        several = "" if self.seeds == 1 else f", {self.seeds} seeds in each"
        head = f"{self.rows:,} rows, {self.plan}{several}; the same test parts and seeds for all variants."
        last = [
            f"Corrected t over the same test parts; p-values are adjusted within each kind ({self.adjust}), the "
            f"{percent(self.confidence)} intervals are not."
        ]
        if self.seeds > 1:
            last.append(_seed_words(self))
        verdict, table = Verdict(self.verdict_lines, width=WIDTH), TableBlock(self._variants())
        return Document((data_summary(head), verdict, table, Footer((*last, *self.notes))))


def _kind_words(study: LesionStudy, kind: str) -> str:
    level = 1 - study.confidence
    own = study.of_kind(kind)
    helpful = [c for c in own if c.helps(level)]
    harmful = [c for c in own if c.hurts(level)]
    open_ = [c for c in own if c not in helpful and c not in harmful]
    said = []
    verb = "brings" if kind == "add-one-in" else "contributes"
    for c in helpful[:4]:
        gap, names = c.difference, one_line(" and ".join(c.removed) if kind == "pairs" else c.name)
        verb = "contribute" if kind == "pairs" else verb
        said.append(
            f"{names} {verb} {number(gap.estimate)} to {study.title} {limits(gap.low, gap.high)}, {p_value(c.p)}."
        )
    if len(helpful) > 4:
        said.append(f"So do {listing([one_line(c.name) for c in helpful[4:10]])}{', …' if len(helpful) > 10 else ''}.")
    for c in harmful[:4]:
        said.append(
            f"Better without {one_line(c.name)}: {number(-c.difference.estimate)} "
            f"{limits(-c.difference.high, -c.difference.low)}, {p_value(c.p)}."
        )
    if open_:
        widest = max(open_, key=lambda c: 0.0 if math.isnan(c.difference.high) else c.difference.high)
        most = widest.difference.high
        reach = "" if not math.isfinite(most) else f"; none may contribute more than {number(most)}"
        names = listing([one_line(c.name) for c in open_[:8]]) + (", …" if len(open_) > 8 else "")
        said.append(f"Cannot tell whether {names} {'help' if len(open_) > 1 else 'helps'}{reach}.")
    for c in own:
        both = c.interaction
        if both is not None and both.p_adjusted is not None and both.p_adjusted <= level:
            names = one_line(" and ".join(c.removed))
            word = "stand in for each other" if both.estimate > 0 else "are worth more together"
            said.append(f"{names} {word}: interaction {both.estimate:+.3f} {limits(both.low, both.high)}.")
    head = {"leave-one-out": "Left out one at a time", "pairs": "Left out in pairs", "add-one-in": "Added alone"}[kind]
    return f"{head}: {' '.join(said)}"


def _seed_words(study: LesionStudy) -> str:
    widest = max(study.contributions, key=lambda c: -1.0 if math.isnan(c.seed_sd) else c.seed_sd)
    return (
        f"Seeds by themselves move a difference by {number(widest.seed_sd)} within one test part "
        f"({one_line(widest.name)}, the most), test parts by {number(widest.fold_sd)}; "
        "differences are means over the seeds."
    )
