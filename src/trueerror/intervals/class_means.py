"""The mean of a metric over many classes, by "wilson-of-classes".

MOVER gives a mean of K parts the skew of one part, whereas the skew of a mean falls with √K; and the square root of a
sum of Wilson's squared reaches is too short where each class has few rows. Both grow with K: balanced accuracy of 100
classes of 10 rows, each found at .95, is covered .84 by MOVER. From four classes on that carry the uncertainty the
mean is taken for what it is then: nearly a proportion, of as many rows as its variance tells. Where the parts are
curved (F1, logarithms) the mean of their estimates is too low by about ½·f''·variance, which does not average out
over classes; limits are moved up by it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trueerror.intervals.scales import as_jaccard, at_size, from_jaccard
from trueerror.intervals.terms import Terms
from trueerror.variances.mover import Cross

Floats = NDArray[np.float64]
# From this many parts on, counted by how evenly they share the variance, a mean has lost most of its parts' skew.
MANY_PARTS = 3.5
# With fewer than five errors a class MOVER's limits are too short already for three classes of like sizes.
THREE_PARTS = 2.5
FEW_ERRORS = 5
# Each class borrows this many rows from all classes together, and those as many right and wrong ones (Agresti and
# Coull's 2 and 2): a class of one row then has a variance too. Both are the same for every confidence, so that more
# confidence is always wider.
BORROWED = 2.0
ADDED = 2.0


def parts_that_count(weights: Floats, rows: Floats) -> float:
    """(Σa)²/Σa² with a = w²/n: the number of equal parts that would share the variance as evenly.

    >>> round(parts_that_count(np.full(5, 0.2), np.full(5, 30.0)), 6)
    5.0
    >>> round(parts_that_count(np.full(3, 1 / 3), np.array([500.0, 50.0, 5.0])), 1)
    1.2
    """
    known = rows > 0
    a = weights[known] ** 2 / rows[known]
    square = float((a * a).sum())
    return float(a.sum()) ** 2 / square if square > 0 else 0.0


def few_errors(successes: Floats, rows: Floats) -> bool:
    """Whether there are fewer than five errors a class (or, of classes hardly ever found, successes), on average.

    >>> few_errors(np.array([16.0, 17.0, 15.0]), np.array([17.0, 17.0, 16.0]))
    True
    >>> few_errors(np.array([45.0, 15.0, 20.0]), np.array([50.0, 30.0, 40.0]))
    False
    """
    right = float(successes.sum())
    return min(right, float(rows.sum()) - right) < FEW_ERRORS * len(rows)


def shrunk(successes: Floats, rows: Floats) -> Floats:
    """Each class's share, with two rows at the rate of all classes added to it; classes without rows have that rate.

    >>> shrunk(np.array([8.0, 4.0]), np.array([8.0, 8.0]))
    array([0.94, 0.54])
    """
    overall = (float(successes.sum()) + ADDED) / (float(rows.sum()) + 2 * ADDED)
    return np.asarray((successes + BORROWED * overall) / (rows + BORROWED), dtype=np.float64)


def mean_of_shares(
    estimate: float, successes: Floats, rows: Floats, weights: Floats, terms: Terms, cross: Cross | None = None
) -> tuple[Floats, Floats]:
    """Wilson's limits of Σ w·p at t(1 − t)/V rows, V = ΣΣ w_i·w_j·ρ_ij·s_i·s_j, s² = p̃(1 − p̃)/n, t = Σ w·p̃.

    >>> low, high = mean_of_shares(0.9, np.full(10, 45.0), np.full(10, 50.0), np.full(10, 0.1), Terms())
    >>> [round(float(v[0]), 4) for v in (low, high)]     # equal classes: Wilson's of 450 of 500
    [0.8706, 0.9233]
    """
    share = shrunk(successes, rows)
    return _limits(estimate, share, share * (1 - share) / np.maximum(rows, 1.0), weights, terms, cross)


def mean_of_f1s(
    estimate: float, values: Floats, rows: Floats, weights: Floats, terms: Terms, cross: Cross | None = None
) -> tuple[Floats, Floats]:
    """The same for F1 through the Jaccard index of each class: J̃ is shrunk, F = 2J/(1 + J), s = s_J·2/(1 + J̃)².

    Among the rows in play the hits are binomial, so J is unbiased and F is too low by 2·s_J²/(1 + J)³.
    """
    jaccard = shrunk(as_jaccard(values) * rows, rows)
    spread = jaccard * (1 - jaccard) / np.maximum(rows, 1.0)
    short = float((weights * 2 * spread / (1 + jaccard) ** 3).sum())
    slope = 2 / (1 + jaccard) ** 2
    return _limits(estimate + short, from_jaccard(jaccard), spread * slope**2, weights, terms, cross)


def geometric_mean_of_shares(successes: Floats, rows: Floats, terms: Terms) -> tuple[Floats, Floats]:
    """exp(mean log p + mean b ± z·√(Σ 2b)/K), b = (1 − p̃)/(2·n·p̃): the variance of log p is 2b, its bias −b.

    A class that was never found has no logarithm; p̃ stands in for its share.

    >>> low, high = geometric_mean_of_shares(np.full(10, 45.0), np.full(10, 50.0), Terms())
    >>> [round(float(v[0]), 3) for v in (low, high)]
    [0.875, 0.928]
    """
    share = shrunk(successes, rows)
    short = (1 - share) / (2 * rows * share)
    middle = np.log(np.where(successes > 0, successes, share * rows) / rows) + np.where(successes > 0, short, 0.0)
    centre, reach = float(middle.mean()), terms.factor() * float(np.sqrt(2 * short.sum())) / len(rows)
    return np.exp(np.array([centre - reach])), np.exp(np.minimum(np.array([centre + reach]), 0.0))


def _limits(
    estimate: float, values: Floats, variances: Floats, weights: Floats, terms: Terms, cross: Cross | None
) -> tuple[Floats, Floats]:
    reach = np.where(weights > 0, weights * np.sqrt(variances), 0.0)
    alone = float((reach * reach).sum())
    joint = alone if cross is None else alone + cross(reach)
    # Parts that cancel each other leave rounding dust or less: then they count as independent.
    variance = joint if joint > 1e-9 * alone else alone
    middle = float((weights * values).sum()) / float(weights.sum())
    size = float(weights.sum()) ** 2 * middle * (1 - middle) / variance
    return at_size(np.array([estimate]), np.array([size]), terms, terms.factor())
