"""What is planned, in one shape for all tests: the chances at n rows, and a first guess at how many rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

from trueerror.inputs.errors import InputError
from trueerror.inputs.numbers import open_share
from trueerror.inputs.options import check_share, check_word
from trueerror.results import Alternative
from trueerror.significance.chances import (
    Chances,
    NormalDesign,
    area_design,
    paired_design,
    two_group_design,
)
from trueerror.significance.contrasts import check_margin
from trueerror.significance.enumeration import binomial_chances, margin_chances, mcnemar_chances

PlannedTest = Literal[
    "mcnemar", "two-proportions", "one-proportion", "auc", "equivalence", "noninferiority",
    "paired-mean", "paired-t", "unpaired-t",
]  # fmt: skip
PlannedMethod = Literal["mid-p", "exact", "chi2", "chi2-cc", "normal"]

# With more differing rows than this, enumeration and the normal formula agree to the fourth decimal.
ENUMERATE_UP_TO = 100_000


class Options(NamedTuple):
    """What the caller said, unchecked."""

    first: float | None
    second: float | None
    disagreement: float | None
    prevalence: float | None
    margin: float | None
    alpha: float
    alternative: Alternative
    method: PlannedMethod | None
    correlation: float | None
    sd: float | None


class Plan(NamedTuple):
    """One test of one true difference; `groups` is 2 where n is the rows of each of two groups."""

    chances: Callable[[int], Chances]
    guess: Callable[[float], float]
    first: float
    second: float
    method: str
    note: str = ""
    groups: int = 1
    # Whether the normal formula's answer is a lower bound for the rows that are asked for.
    formula_counts: bool = False


def make_plan(test: PlannedTest, options: Options) -> Plan:
    """The plan of a test, with every option checked."""
    check_word(test, MAKERS, "test")
    open_share(options.alpha, "alpha")
    return MAKERS[test](options)


def _mcnemar(o: Options) -> Plan:
    first, second = _accuracies(o)
    p10, p01, note = _discordant(o, first, second)
    method = o.method or "mid-p"
    check_word(method, ("mid-p", "exact", "chi2", "chi2-cc", "normal"), "method")
    design = paired_design(p10, p01)

    def chances(n: int) -> Chances:
        if method == "normal" or n * (p10 + p01) > ENUMERATE_UP_TO:
            return design.chances(n, o.alpha, o.alternative)
        return mcnemar_chances(n, p10, p01, o.alpha, method, o.alternative)

    key = "power-mcnemar-normal" if method == "normal" else "power-mcnemar"
    note = "; ".join(part for part in ("" if method == "normal" else f"{method} test", note) if part)
    return Plan(chances, _guess(design, o), first, second, key, note, formula_counts=True)


def _two_proportions(o: Options) -> Plan:
    first, second = _accuracies(o)
    design = two_group_design(first, second)
    return Plan(
        _normal(design, o), _guess(design, o), first, second, "power-two-proportions", "n rows in each group", groups=2
    )


def _one_proportion(o: Options) -> Plan:
    first, second = _accuracies(o, "the true proportion", "the proportion that is tested, p0")
    open_share(second, "second")
    design = NormalDesign(first - second, math.sqrt(second * (1 - second)), math.sqrt(first * (1 - first)))

    def chances(n: int) -> Chances:
        return binomial_chances(n, first, second, o.alpha, o.alternative)

    return Plan(chances, _guess(design, o), first, second, "power-one-proportion")


def _auc(o: Options) -> Plan:
    first = open_share(_needed(o.first, "first", "the area under the ROC curve"), "first")
    second = None if o.second is None else open_share(o.second, "second")
    notes = []
    prevalence, correlation = o.prevalence, o.correlation
    if prevalence is None:
        prevalence = 0.5
        notes.append("half of the rows taken as positive: give prevalence=")
    if correlation is None:
        correlation = 0.0
        if second is not None:
            notes.append(
                "the two areas taken as uncorrelated, as on different rows; on the same rows give correlation="
            )
    if not 0 <= correlation < 1:
        raise InputError(f"correlation={correlation!r} must lie in [0, 1)")
    design = area_design(first, second, open_share(prevalence, "prevalence"), correlation)
    baseline = 0.5 if second is None else second
    return Plan(_normal(design, o), _guess(design, o), first, baseline, "power-auc", "; ".join(notes))


def _margin_plan(o: Options, *, both: bool) -> Plan:
    first = check_share(_needed(o.first, "first", "the accuracy of the first model"), "first")
    second = first if o.second is None else check_share(o.second, "second")
    if o.margin is None:
        raise InputError("margin= is needed: how large a difference still does not matter?")
    margin = check_margin(o.margin)
    p10, p01, note = _discordant(o, first, second)
    room = margin - abs(first - second) if both else margin + first - second
    if room <= 0:
        raise InputError(f"the true difference {first - second:+g} lies outside the margin {margin:g}")
    spread = math.sqrt(max(0.0, p10 + p01 - (p10 - p01) ** 2))
    design = NormalDesign(room, spread, spread)

    def chances(n: int) -> Chances:
        return margin_chances(n, p10, p01, margin, o.alpha, both=both)

    def guess(power: float) -> float:
        # A model and its twin never differ: then only the z²·(1 − margin)/margin rows of Tango's test are needed.
        return max(2 / margin, design.rows(o.alpha, power, "greater"))

    return Plan(chances, guess, first, second, "power-equivalence" if both else "power-noninferiority", note)


def _means(o: Options, *, kind: str) -> Plan:
    first, second = _needed(o.first, "first", "a mean"), o.second if o.second is not None else 0.0
    if o.sd is None or not (math.isfinite(o.sd) and o.sd > 0):
        raise InputError(f"sd={o.sd!r} must be a positive number: the standard deviation of the row differences")
    groups = 2 if kind == "unpaired-t" else 1
    sd = o.sd * math.sqrt(groups)
    design = NormalDesign(first - second, sd, sd)
    if kind == "paired-mean":
        return Plan(_normal(design, o), _guess(design, o), first, second, "power-paired-mean")

    def chances(n: int) -> Chances:
        return design.student_chances(n, float(groups * (n - 1)), o.alpha, o.alternative)

    note = "n values in each group" if groups == 2 else ""
    return Plan(chances, _guess(design, o), first, second, "power-t", note, groups=groups)


MAKERS: dict[str, Callable[[Options], Plan]] = {
    "mcnemar": _mcnemar,
    "two-proportions": _two_proportions,
    "one-proportion": _one_proportion,
    "auc": _auc,
    "equivalence": lambda o: _margin_plan(o, both=True),
    "noninferiority": lambda o: _margin_plan(o, both=False),
    "paired-mean": lambda o: _means(o, kind="paired-mean"),
    "paired-t": lambda o: _means(o, kind="paired-t"),
    "unpaired-t": lambda o: _means(o, kind="unpaired-t"),
}


def _normal(design: NormalDesign, o: Options) -> Callable[[int], Chances]:
    return lambda n: design.chances(n, o.alpha, o.alternative)


def _guess(design: NormalDesign, o: Options) -> Callable[[float], float]:
    return lambda power: design.rows(o.alpha, power, o.alternative) if design.delta else math.inf


def _needed(value: float | None, name: str, what: str) -> float:
    if value is None:
        raise InputError(f"{name}= is needed: {what}")
    number = float(value)
    if not math.isfinite(number):
        raise InputError(f"{name}={value!r} must be a number")
    return number


def _accuracies(
    o: Options, what_first: str = "the accuracy of the first model", what_second: str = "the accuracy of the second"
) -> tuple[float, float]:
    first = check_share(_needed(o.first, "first", what_first), "first")
    return first, check_share(_needed(o.second, "second", what_second), "second")


def _discordant(o: Options, first: float, second: float) -> tuple[float, float, str]:
    """P(only the first is right), P(only the second is right)."""
    note = ""
    if o.disagreement is None:
        differ = first * (1 - second) + second * (1 - first)
        note = f"errors taken as independent (disagreement {differ:.3g}); models that err together need fewer rows"
    else:
        differ = check_share(o.disagreement, "disagreement")
    gap, most = abs(first - second), min(first + second, 2 - first - second)
    # Rounding must not refuse an exact bound such as 0.82 − 0.80.
    slack = 1e-9
    if not gap - slack <= differ <= most + slack:
        raise InputError(
            f"disagreement={differ:g} is not possible with accuracies {first:g} and {second:g}: "
            f"it lies between {gap:g} and {most:g}"
        )
    low = max(0.0, (differ - gap) / 2)
    return (low + gap, low, note) if first >= second else (low, low + gap, note)
