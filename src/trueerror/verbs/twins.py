"""Two models that call every row alike: one model read twice, or two that never reach the threshold?"""

from __future__ import annotations

from typing import Any

import numpy as np

from trueerror.results import Contrast
from trueerror.rows.predictions import Predictions
from trueerror.tallies import Agreement
from trueerror.verbs.settings import Settings


def twin_facts(p: Predictions, table: Agreement, models: tuple[str, str]) -> dict[str, Any] | None:
    """What the linter should know of two models that agree on every row; None of two that differ somewhere.

    `identical` where their scores are the same too, or where labels that vary are; `one_answer` where both give one
    and the same answer to every row, which says nothing of where the answers come from.
    """
    if not (table.first == table.second).all():
        return None
    facts: dict[str, Any] = {"n": table.n}
    scored = all(p.has_scores(m) and not p.unscored(m) for m in models)
    answers = np.unique(table.first[table.counts > 0])
    if scored and _same_scores(p, *models):
        return facts | {"identical": True}
    if len(answers) == 1 and answers[0] < len(table.labels):
        cut = any(not p.has_labels(m) for m in models)
        return facts | {"identical": False, "one_answer": table.labels[int(answers[0])], "cut": cut}
    return None if scored else facts | {"identical": True}


def twins(p: Predictions, settings: Settings, contrasts: list[Contrast]) -> dict[tuple[str, str], dict[str, Any]]:
    """The same of each pair that was compared; only pairs without a difference need a second look."""
    found = {}
    for c in contrasts:
        models = (c.first, c.second)
        if c.estimate == 0 and all(p.can_call(m, threshold=settings.threshold) for m in models):
            facts = twin_facts(p, p.agreement(*models, threshold=settings.threshold), models)
            if facts is not None:
                found[models] = facts
    return found


def _same_scores(p: Predictions, first: str, second: str) -> bool:
    """Whether both have the same scores as often in each class, by the tables that areas are counted from."""
    if p.has_class_scores(first) != p.has_class_scores(second):
        return False
    for label in p.labels if p.has_class_scores(first) or p.positive is None else (p.positive,):
        a, b = (p.scores(m, positive=label) for m in (first, second))
        parts = ((a.scores, b.scores), (a.positives, b.positives), (a.negatives, b.negatives))
        if not all(np.array_equal(x, y) for x, y in parts):
            return False
    return True
