"""Several answers to each question: the best, the worst and the majority of k of them, how alike they are, and what a
mean over questions varies by."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._problem import IntervalSpec, Range
from trueerror.inference.loss._mean import ClusterSums, difference_of_means
from trueerror.inputs._arrays import Floats
from trueerror.results import Contrast
from trueerror.tallies._moments import Moments


class AnswerGrades(NamedTuple):
    """Grades of several answers to each question, (questions, answers), NaN beyond a question's last one."""

    grades: Floats
    scale: Range

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many answers each question has."""
        return np.asarray((~np.isnan(self.grades)).sum(axis=1), dtype=np.int64)

    def _weighted(self, weights: Callable[[int], Floats], fewest: int) -> Floats:
        """Σ w_j·x_(j) of each question's grades in order, the weights by its number of answers; NaN below `fewest`."""
        ordered, counts = np.sort(self.grades, axis=1), self.counts
        sums = np.full(len(ordered), np.nan)
        for n in np.unique(counts[counts >= fewest]):
            rows = counts == n
            sums[rows] = ordered[rows, :n] @ weights(int(n))
        return sums

    def best_of(self, k: int) -> Floats:
        """The expected best grade of k answers, question by question: of right and wrong ones pass@k.

        Without bias: Σ_j C(j − 1, k − 1)/C(n, k)·x_(j), which with c of n right is 1 − C(n − c, k)/C(n, k) (Chen and
        others 2021, arXiv 2107.03374).

        >>> AnswerGrades(np.array([[1.0, 0.0, 0.0, 1.0, 0.0]]), (0.0, 1.0)).best_of(2).round(3)
        array([0.7])
        """
        return self._weighted(lambda n: _choices(np.arange(n), k - 1, n, k), k).clip(*self.scale)

    def worst_of(self, k: int) -> Floats:
        """The expected worst grade of k answers: of right and wrong ones pass^k, C(c, k)/C(n, k).

        >>> AnswerGrades(np.array([[1.0, 0.0, 1.0, 1.0, 0.0]]), (0.0, 1.0)).worst_of(2).round(3)
        array([0.3])
        """
        return self._weighted(lambda n: _choices(np.arange(n)[::-1], k - 1, n, k), k).clip(*self.scale)

    def majority_of(self, k: int) -> Floats:
        """The chance that most of k answers are right, a tie counting half: hypergeometric, without bias.

        >>> AnswerGrades(np.array([[1.0, 0.0, 1.0, 1.0, 0.0]]), (0.0, 1.0)).majority_of(3).round(3)
        array([0.7])
        """
        counts, right = self.counts, np.nansum(self.grades == self.scale[1], axis=1)
        majorities = np.full(len(counts), np.nan)
        for i in np.flatnonzero(counts >= k):
            n, c, j = int(counts[i]), int(right[i]), np.arange(k + 1)
            chances = np.exp(_log_choose(c, j) + _log_choose(n - c, k - j) - _log_choose(n, np.array(k)))
            majorities[i] = chances[2 * j > k].sum() + chances[2 * j == k].sum() / 2
        return majorities.clip(0.0, 1.0)

    def alike(self) -> Floats:
        """How alike two answers to a question are: 1 − mean |x − x′|/(b − a) over its pairs, the share of equal ones
        where answers are right or wrong."""
        low, high = self.scale

        def apart(n: int) -> Floats:
            return (2 * np.arange(1, n + 1) - n - 1) / (n * (n - 1) / 2)

        return np.clip(1 - self._weighted(apart, 2) / (high - low), 0.0, 1.0)

    def components(self) -> Components:
        """The variance between questions and within them: analysis of variance with unequal numbers of answers.

        within = Σ(n_i − 1)·s_i²/Σ(n_i − 1); between = (MSB − within)/n₀, n₀ = (N − Σn_i²/N)/(Q − 1), at least 0
        (Searle, Casella and McCulloch 1992, chapter 3).

        >>> AnswerGrades(np.array([[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]), (0.0, 1.0)).components()
        Components(between=0.16666666666666669, within=0.16666666666666666)
        """
        counts = self.counts
        x, n = self.grades[counts > 0], counts[counts > 0].astype(np.float64)
        spare = float((n - 1).sum())
        if len(n) < 2 or spare == 0:
            return Components(math.nan, math.nan)
        means = np.nanmean(x, axis=1)
        within = float(np.nansum((x - means[:, None]) ** 2)) / spare
        total = float(n.sum())
        msb = float((n * (means - float(n @ means) / total) ** 2).sum()) / (len(n) - 1)
        return Components(max((msb - within) / ((total - float(n @ n) / total) / (len(n) - 1)), 0.0), within)


class Components(NamedTuple):
    """Variance of a question's true mean between questions, and of one answer within its question."""

    between: float
    within: float

    @property
    def share_within(self) -> float:
        """The share of one answer's variance that other answers to the same question show."""
        total = self.between + self.within
        return self.within / total if total > 0 else math.nan

    def error(self, questions: float, repeats: float) -> float:
        """The standard error of the mean: √((between + within/repeats)/questions)."""
        return math.sqrt((self.between + self.within / repeats) / questions)

    @property
    def break_even(self) -> float:
        """How many answers a new question must cost until two answers to each are better than one: 2·between/within."""
        return 2 * self.between / self.within if self.within > 0 else math.inf

    def best_repeats(self, cost_ratio: float) -> float:
        """Answers to each question that make the mean surest for a given outlay, a new question costing as much as
        `cost_ratio` answers: the least r with r·(r + 1) ≥ cost_ratio·within/between; infinite without between.

        The whole-number form of √(cost_ratio·within/between) (Cochran 1977, Sampling Techniques, section 10.6).

        >>> Components(0.1, 0.1).best_repeats(1.0), Components(0.1, 0.1).best_repeats(10.0)
        (1.0, 3.0)
        """
        if self.between == 0:
            return math.inf if self.within > 0 and cost_ratio > 0 else 1.0
        wanted = cost_ratio * self.within / self.between
        return float(max(1, math.ceil((math.sqrt(1 + 4 * wanted) - 1) / 2 - 1e-9)))


def _log_choose(n: float | Floats, k: NDArray[np.int64]) -> Floats:
    """log C(n, k); −∞ where k is not in 0 … n."""
    n = np.asarray(n, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        logs = special.gammaln(n + 1) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1)
    return np.where((k < 0) | (k > n), -np.inf, logs)


def _choices(above: NDArray[np.int64], k: int, n: int, chosen: int) -> Floats:
    """C(above, k)/C(n, chosen), made to add up to 1."""
    weights = np.exp(_log_choose(above.astype(np.float64), np.full(n, k)) - _log_choose(n, np.array(chosen)))
    return np.asarray(weights / weights.sum())


def question_units(values: Floats, clusters: NDArray[np.int64] | None) -> Moments | ClusterSums:
    """One value a question, those without one left out; clusters of questions where there are any."""
    known = ~np.isnan(values)
    x = values[known]
    if clusters is None:
        return Moments.of(x)
    _, codes = np.unique(clusters[known], return_inverse=True)
    sums = np.bincount(codes, weights=x).astype(np.float64)
    return ClusterSums(np.bincount(codes).astype(np.float64), sums, float(len(x)))


def question_contrast(
    first: Floats, second: Floats, scale: Range, clusters: NDArray[np.int64] | None, spec: IntervalSpec
) -> Contrast:
    """First − second over the questions that both have, paired; over clusters of questions where there are any."""
    reach = scale[0] - scale[1], scale[1] - scale[0]
    return difference_of_means(question_units(first - second, clusters), reach, spec, True)
