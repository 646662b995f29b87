"""A comparison: who is better, by how much, how sure, and who cannot be told apart."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from trueerror.findings import Findings
from trueerror.inference._contrast import mirrored
from trueerror.inputs._options import InputError, nearest
from trueerror.results import Contrast, Interval, Posterior, Result, Table, Test, Text


def told_apart(c: Contrast) -> bool:
    """Whether a pair's adjusted p-value is at or below 1 − confidence."""
    p = c.p_value if c.p_adjusted is None else c.p_adjusted
    return p <= 1 - c.confidence + 1e-12


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Comparison(Result):
    """Models compared pair by pair on one metric.

    `pairs` holds first − second for each pair, `cmp["a", "b"]` gives either way round. `tiers` are the largest sets
    of models of which no two could be told apart (they may overlap); `p_adjusted` of a pair decides, at 1 − confidence.
    `slices[value]` is the comparison on the rows of a slice.
    """

    metric: str
    title: str
    higher_is_better: bool
    estimates: dict[str, Interval]
    pairs: tuple[Contrast, ...]
    tiers: tuple[tuple[str, ...], ...] = ()
    reference: str | None = None
    margin: float | None = None
    within_margin: tuple[Contrast, ...] = ()
    adjust: str = "holm"
    confidence: float = 0.95
    omnibus: Test | None = None
    reading: str = ""
    estimand: str = ""
    next_step: str = ""
    findings: Findings = field(default_factory=Findings)
    facts: dict[str, Any] = field(default_factory=dict)
    slices: dict[Any, Comparison] = field(default_factory=dict)

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in the order given."""
        return tuple(self.estimates)

    @property
    def ranked(self) -> tuple[str, ...]:
        """The models, best estimate first."""
        sign = -1 if self.higher_is_better else 1
        return tuple(sorted(self.estimates, key=lambda m: sign * self.estimates[m].estimate))

    @property
    def best(self) -> str:
        """The model with the best estimate, the first of `leaders`; the tiers say whether it is told apart."""
        return self.ranked[0]

    @property
    def leaders(self) -> tuple[str, ...]:
        """The models with the best estimate: more than one where they tie."""
        top = self.estimates[self.best].estimate
        return tuple(m for m in self.ranked if math.isclose(self.estimates[m].estimate, top, rel_tol=1e-12))

    @property
    def verdict(self) -> str:
        """Who is better and how sure that is, in plain words."""
        from trueerror.verbs._comparison_text import verdict

        return verdict(self)

    def __getitem__(self, key: tuple[str, str]) -> Contrast:
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputError(f'ask for a pair of models, such as ["{self.models[0]}", "{self.models[-1]}"]')
        for name in key:
            if name not in self.estimates:
                raise InputError(f"there is no model {name!r}{nearest(name, self.models)}")
        for c in self.pairs:
            if (c.first, c.second) == key:
                return c
            if (c.second, c.first) == key:
                return mirrored(c)
        raise InputError(f"{key[0]!r} and {key[1]!r} were not compared: only pairs with {self.reference!r} were")

    def told_apart(self, first: str, second: str) -> bool:
        """Whether the pair's adjusted p-value is at or below 1 − confidence."""
        return told_apart(self[first, second])

    def better(self, first: str, second: str) -> bool:
        """Whether the first is told apart from the second and better."""
        gap = self[first, second].estimate
        return self.told_apart(first, second) and (gap > 0) == self.higher_is_better and gap != 0

    def bayes(self, first: str, second: str, *, rope: float = 0.01) -> Posterior:
        """How probable it is that the first is better by more than `rope`, worse by more, or neither."""
        from trueerror.inference._bayes import pair_posterior

        counts = self.facts.get("discordance", {})
        pairs = counts.get((first, second))
        if pairs is None and (second, first) in counts:
            both, one, two, neither = counts[second, first]
            pairs = (both, two, one, neither)
        return pair_posterior(self[first, second], pairs, rope=rope, higher_is_better=self.higher_is_better)

    def wins(self) -> Table:
        """Who beats whom in WEKA's manner: v where the column is better than the row, * where it is worse."""
        names = self.models
        numbered = [f"({i})" for i in range(1, len(names) + 1)]
        rows = []
        for number, a in zip(numbered, names, strict=True):
            marks, won, lost, tied = [], 0, 0, 0
            for b in names:
                if a == b or (self.reference is not None and self.reference not in (a, b)):
                    marks.append("")
                    continue
                if self.better(b, a):
                    marks.append("v")
                    lost += 1
                elif self.better(a, b):
                    marks.append("*")
                    won += 1
                else:
                    marks.append("?")
                    tied += 1
            rows.append((f"{number} {a}", *marks, f"{won}/{tied}/{lost}"))
        return Table(columns=("model", *numbered, "won/not told/lost"), rows=tuple(rows))

    def records(self) -> list[dict[str, object]]:
        """One record for each pair, and the same for each slice."""
        rows = [record for c in self.pairs for record in c.records()]
        if not self.slices:
            return rows
        inner = [{"slice": value, **record} for value, one in self.slices.items() for record in one.records()]
        return [*({"slice": None, **record} for record in rows), *inner]

    def _table(self) -> Table:
        from trueerror.verbs._comparison_text import differences_table

        return differences_table(self)

    def _tables(self) -> list[Table]:
        """The models' own estimates, then their differences; a table of costs holds both."""
        from trueerror.verbs._compare import slices_table
        from trueerror.verbs._comparison_text import models_table

        own = [models_table(self)] if type(self)._table is Comparison._table else []
        return [*own, self._table(), *([slices_table(self)] if self.slices else [])]

    def to_markdown(self) -> str:
        """The models' own estimates and their differences as Markdown tables."""
        return "\n\n".join(table.to_markdown() for table in self._tables())

    def to_latex(self) -> str:
        """The same as LaTeX tabulars (booktabs)."""
        return "\n\n".join(table.to_latex() for table in self._tables())

    def __str__(self) -> str:
        from trueerror.verbs._comparison_text import comparison_text

        return comparison_text(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from trueerror.verbs._comparison_text import comparison_html

        return comparison_html(self)

    def without(self, *codes: str) -> Comparison:
        """The same comparison with some findings silenced, by code."""
        return replace(self, findings=self.findings.without(*codes)) if codes else self

    def explain(self) -> Text:
        """Each method that was used, with formula, source and what it assumes."""
        from trueerror.methods import explain

        keys = dict.fromkeys([*(c.method for c in self.pairs), *(i.method for i in self.estimates.values())])
        blocks = [f"{self.reading}\n{self.estimand}".strip(), self.facts.get("why", "")]
        blocks += [explain(key) for key in keys if key]
        if self.adjust != "none" and len(self.pairs) > 1:
            blocks.append(explain(self.adjust))
        return Text("\n\n".join(b for b in blocks if b))
