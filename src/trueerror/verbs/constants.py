"""One answer for every row, at the costs or the class mix that were asked for: free, and hard to beat."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from trueerror.findings.about_metrics import ConstantAnswer
from trueerror.inputs.costs import cost_matrix
from trueerror.metrics.priors import class_shares
from trueerror.results.tables import one_line
from trueerror.significance.one_answer import against_one_answer, gains_in_accuracy
from trueerror.significance.paired import mcnemar
from trueerror.tallies.grading import is_graded

if TYPE_CHECKING:
    from trueerror.verbs.bench import Bench
    from trueerror.verbs.evaluation import ModelEvaluation


def cost_words(bench: Bench) -> str:
    """What each error costs, by name, and what the cheapest constant answer costs; "" without costs."""
    if bench.settings.costs is None or not bench.calls or bench.confusion.n == 0:
        return ""
    labels = bench.labels
    prices = cost_matrix(bench.settings.costs, labels, bench.positive)
    if len(labels) == 2:
        a, b = (f'"{one_line(str(label))}"' for label in labels)
        words = f"Costs: {a} called {b} {prices[0, 1]:g}, {b} called {a} {prices[1, 0]:g}"
    else:
        words = f"Costs: a table of {len(labels)} × {len(labels)}, in the order {one_line(str(labels[0]))}, …"
    label, cost = cheapest_constant(bench)
    return f'{words}. Always answering "{one_line(str(label))}" costs {cost:.3g} a row.'


def cheapest_constant(bench: Bench) -> tuple[object, float]:
    """The cheapest answer for every row and its mean cost, at the class mix of the rows or the one asked for."""
    t = bench.confusion
    totals = t.classes().truth.astype(float)
    prior = bench.settings.prior
    shares = totals / totals.sum() if prior is None else class_shares(prior, t.labels, t.positive)
    costs = np.asarray(shares) @ cost_matrix(bench.settings.costs, t.labels, t.positive)[:, : len(t.labels)]
    best = int(np.argmin(costs))
    return t.labels[best], float(costs[best])


def commonest_p(bench: Bench) -> float:
    """The p-value of a model's accuracy against always answering the commonest class, on the same rows.

    McNemar's mid-p for plain rows; clusters and sampling weights have their own variance. NaN where there is nothing to
    test: no rows, rows that are only graded, one cluster.
    """
    t = bench.confusion
    if t.n == 0 or is_graded(t):
        return math.nan
    index = int(np.argmax(t.classes().truth))
    clusters = bench.clusters
    if clusters is not None:
        answer = clusters.table.labels.index(t.labels[index])
        return against_one_answer(t, gains_in_accuracy(clusters.table, answer), clusters=clusters).p_value
    if t.weight_sums is not None:
        return against_one_answer(t, gains_in_accuracy(t, index)).p_value
    counted = t.classes(weighted=False)
    only_model = int(counted.hits.sum() - counted.hits[index])
    only_constant = int(counted.truth[index] - counted.hits[index])
    return mcnemar(only_model, only_constant, n=t.n).p_value


def constant_answers(part: ModelEvaluation) -> list[ConstantAnswer]:
    """How a model stands against constant answers where costs or a class mix were asked for."""
    bench, found = part.bench, []
    accuracy, cost = part.overall.get("accuracy"), part.overall.get("expected_cost")
    if bench.settings.prior is not None and accuracy is not None and not math.isnan(part.baseline.estimate):
        share = part.baseline.estimate
        clear = accuracy.low > share
        found.append(ConstantAnswer("accuracy", accuracy.estimate, share, str(part.baseline_label), True, clear))
    if bench.settings.costs is not None and cost is not None and bench.calls and bench.confusion.n:
        label, price = cheapest_constant(bench)
        found.append(ConstantAnswer("expected cost", cost.estimate, price, str(label), False, cost.high < price))
    return found
