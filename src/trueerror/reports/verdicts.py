"""How sure a verdict is, as one word with a sign: never by colour alone."""

from __future__ import annotations

import math
from typing import NamedTuple

from trueerror.significance.ranking import Ranking
from trueerror.verbs.comparison import Comparison
from trueerror.verbs.comparison_words import PROVEN, adjusted
from trueerror.verbs.costing import CostComparison
from trueerror.verbs.evaluation import ModelEvaluation


class Surety(NamedTuple):
    """A word, its sign, and the class that colours it."""

    word: str
    sign: str
    kind: str


CLEAR = Surety("Proven", "✔", "proven")
LIKELY = Surety("Probable", "≈", "probable")
UNCLEAR = Surety("Cannot tell", "?", "open")
# Where one must be run all the same.
UNSURE = Surety("Not fully sure", "?", "open")


def of_comparison(cmp: Comparison) -> Surety:
    """By the pairs that decide: the best model (or the reference) against each other one."""
    anchor = cmp.reference or cmp.best
    found = _by([adjusted(cmp[m, anchor]) for m in cmp.models if m != anchor], 1 - cmp.confidence)
    return UNSURE if found is UNCLEAR and isinstance(cmp, CostComparison) else found


def of_ranking(ranking: Ranking) -> Surety:
    """By the pairs with the best ranked model (or the control)."""
    anchor = ranking.control or ranking.best
    pairs = [c for c in ranking.pairs if anchor in (c.first, c.second)]
    return _by([adjusted(c) for c in pairs], ranking.alpha)


def of_model(part: ModelEvaluation) -> Surety | None:
    """By the test against the constant answer, where there was one."""
    accuracy = part.overall.get("accuracy")
    if accuracy is None or math.isnan(part.baseline_p):
        return None
    return _by([part.baseline_p if accuracy.estimate != part.baseline.estimate else 1.0], 0.05)


def _by(p_values: list[float], level: float) -> Surety:
    """The weakest pair decides.

    >>> _by([0.0001, 0.03], 0.05).word, _by([0.2], 0.05).word, _by([float("nan")], 0.05).word
    ('Probable', 'Cannot tell', 'Cannot tell')
    """
    if not p_values or any(math.isnan(p) or p > level + 1e-12 for p in p_values):
        return UNCLEAR
    return CLEAR if max(p_values) <= min(PROVEN, level) else LIKELY
