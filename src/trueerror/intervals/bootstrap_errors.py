"""Bootstrap estimates of a learner's error: out of bag, .632 and .632+.

Source: Efron and Tibshirani 1997, J. Am. Stat. Assoc. 92:548.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError
from trueerror.inputs.options import check_word
from trueerror.intervals.losses import mean_limits
from trueerror.intervals.terms import Range, Terms
from trueerror.results import Interval
from trueerror.variances.corrected import corrected_spread

Floats = NDArray[np.float64]
BootstrapError = Literal["632+", "632", "out-of-bag"]
BOOTSTRAP_ERRORS: tuple[BootstrapError, ...] = ("632+", "632", "out-of-bag")
# The share of rows that a bootstrap sample holds, and the share that it leaves out: 1 − 1/e and 1/e.
DRAWN, LEFT = 0.632, 0.368


class Bagged(NamedTuple):
    """The rows that one bootstrap sample left out, and their losses."""

    rows: NDArray[np.intp]
    losses: Floats


def no_information_rate(truth: Any, called: Any) -> float:
    """γ = Σ p_k(1 − q_k): the error if classes and calls had nothing to do with each other.

    p_k is the share of rows of class k, q_k the share of rows that the model of all rows calls k.

    >>> no_information_rate([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    first, second = np.asarray(truth), np.asarray(called)
    if len(first) != len(second) or len(first) == 0:
        raise InputError(
            f"truth has {len(first):,} rows and called {len(second):,}; they must be the same rows, at least 1"
        )
    classes = np.unique(np.concatenate([first, second]))
    p, q = (np.array([(part == c).mean() for c in classes]) for part in (first, second))
    return float((p * (1 - q)).sum())


def point_632(apparent: float, out_of_bag: float) -> float:
    """.368·err + .632·Err1.

    >>> point_632(0.0, 0.5)
    0.316
    """
    return LEFT * apparent + DRAWN * out_of_bag


def point_632_plus(apparent: float, out_of_bag: float, no_information: float) -> float:
    """(1 − w)·err + w·Err1′ with w = .632/(1 − .368R), R = (Err1′ − err)/(γ − err) in [0, 1], Err1′ = min(Err1, γ).

    R says how much of the way to no information at all the learner overfits; a nearest neighbour that learns nothing
    has error 0 on its own rows, and .632 believes it too much.

    >>> point_632_plus(0.0, 0.5, 0.5)
    0.5
    """
    bounded = min(out_of_bag, no_information)
    overfit = 0.0
    if bounded > apparent and no_information > apparent:
        overfit = min(1.0, max(0.0, (bounded - apparent) / (no_information - apparent)))
    weight = DRAWN / (1 - LEFT * overfit)
    return (1 - weight) * apparent + weight * bounded


def leave_one_out_bootstrap(samples: Sequence[Bagged], n: int) -> tuple[float, int]:
    """Err1: for each row the mean of its losses over the samples without it, then the mean over rows.

    Also how many rows were in every sample and so have no loss.

    >>> leave_one_out_bootstrap([Bagged(np.array([0, 1]), np.array([1.0, 0.0])),
    ...                          Bagged(np.array([1]), np.array([1.0]))], 3)
    (0.75, 1)
    """
    sums, often = np.zeros(n), np.zeros(n)
    for sample in samples:
        np.add.at(sums, sample.rows, sample.losses)
        np.add.at(often, sample.rows, 1.0)
    left = often > 0
    if not left.any():
        raise InputError("no row was ever left out; draw more bootstrap samples")
    return float((sums[left] / often[left]).mean()), int(n - left.sum())


def bootstrap_error(
    samples: Sequence[Bagged],
    *,
    n: int,
    apparent: float = math.nan,
    no_information: float = math.nan,
    kind: BootstrapError = "632+",
    bounds: Range = (0.0, 1.0),
    confidence: float = 0.95,
    name: str = "error",
    estimand: str = "this learner",
) -> Interval:
    """The learner's mean loss from bootstrap samples, and its limits.

    `samples` hold the losses of the rows left out, `apparent` is the loss of the model of all rows on the same rows,
    `no_information` the loss if classes and calls were unrelated. The limits are those of the out-of-bag error by the
    corrected t (J samples, test to distinct training rows .368/.632), moved to the estimate.

    >>> rng = np.random.default_rng(0)
    >>> rows = [np.unique(rng.integers(0, 100, 37)) for _ in range(50)]
    >>> drawn = [Bagged(r, (rng.random(len(r)) < 0.3).astype(float)) for r in rows]
    >>> made = bootstrap_error(drawn, n=100, apparent=0.1, no_information=0.5)
    >>> made.method, round(made.estimate, 2)
    ('bootstrap-632+', 0.27)
    """
    check_word(kind, BOOTSTRAP_ERRORS, "kind")
    terms = Terms(confidence=confidence, estimand=estimand)
    held = [s for s in samples if len(s.rows)]
    if len(held) < 2:
        raise InputError(f"{len(held)} bootstrap samples leave rows out; an interval needs at least two, better 200")
    outside, never = leave_one_out_bootstrap(held, n)
    notes = [f"{never:,} rows were in every sample"] if never else []
    estimate = outside
    if kind == "632":
        estimate = point_632(apparent, outside)
    elif kind == "632+":
        estimate = point_632_plus(apparent, outside, no_information)
    if math.isnan(estimate):
        raise InputError(f"kind={kind!r} needs apparent=" + (" and no_information=" if kind == "632+" else ""))
    tested = float(np.mean([len(s.rows) for s in held]))
    spread = corrected_spread(np.array([float(s.losses.mean()) for s in held]), tested / (n - tested))
    method = f"bootstrap-{kind}"
    if spread.error > 0:
        reach = terms.factor(spread.df) * spread.error
        low, high = estimate - reach, estimate + reach
    else:
        low, high, used, note = mean_limits(estimate, 0.0, n - 1.0, n, bounds, terms)
        method = method if used == "t-mean" else used
        notes.append(note)
    return terms.interval(name, estimate, low, high, bounds=bounds, method=method, n=n, note="; ".join(notes))
