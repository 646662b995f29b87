"""How an evaluation was asked for: the options that its numbers depend on, in one frozen place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_confidence, check_word
from trueerror.metrics.registry import find_measure

Design = Literal["random", "case-control"]
Rng = int | np.random.SeedSequence | np.random.Generator | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Options of an evaluation; `metrics` maps names to their options, or is None for the usual ones."""

    confidence: float = 0.95
    method: str | None = None
    prior: Any = None
    costs: Any = None
    design: Design = "random"
    threshold: float | None = None
    metrics: Mapping[str, Mapping[str, Any]] | None = None
    simultaneous: bool = False
    replicates: int = 10_000
    rng: Rng = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        check_word(self.design, ("random", "case-control"), "design")
        if self.replicates < 100:
            raise InputError(f"replicates={self.replicates} is too few for an interval; use 1,000 or more")

    @property
    def unknown_mix(self) -> bool:
        """Whether nothing says how common each class is: class totals fixed by design, and no prior."""
        return self.design == "case-control" and self.prior is None

    def options(self, metric: str) -> dict[str, Any]:
        """The options of one metric: those that were asked for, and the costs where it takes them."""
        measure = find_measure(metric)
        given = dict((self.metrics or {}).get(metric, {}))
        if "costs" in measure.options and "costs" not in given:
            if self.costs is None:
                raise InputError(f"{measure.name} needs costs=, a table of what each kind of call costs")
            given["costs"] = self.costs
        return given


def named_metrics(metrics: str | Iterable[str] | Mapping[str, Mapping[str, Any]] | None) -> dict[str, dict[str, Any]]:
    """Metrics as the user gave them (a name, names, or names with options), by their registered names."""
    if metrics is None:
        return {}
    if isinstance(metrics, str):
        metrics = [metrics]
    given = dict(metrics) if isinstance(metrics, Mapping) else {name: {} for name in metrics}
    named: dict[str, dict[str, Any]] = {}
    for name, options in given.items():
        measure = find_measure(name)
        unknown = [o for o in options if o not in measure.options]
        if unknown:
            takes = f"it takes {', '.join(measure.options)}" if measure.options else "it takes none"
            raise InputError(f"metric {name!r} has no option {unknown[0]!r}; {takes}")
        named[measure.name] = dict(options)
    return named
