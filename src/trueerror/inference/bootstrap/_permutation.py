"""Permutation tests of two sets of scores, and of a metric of labels.

A paired test flips the signs of differences, an unpaired one exchanges members of the two sets: all, or many random,
permutations. Either way a permutation r comes with a typical value v: the shift of the first set at which r and the
observed arrangement give the same difference of means. The one-sided tests count typical values on either side of 0,
and the interval that inverts them lies between two typical values in size order.

Source: Fisher 1935, The Design of Experiments; Hartigan 1969, JASA 64:1303 (typical values); Tritchler 1984, JASA
79:200; Phipson and Smyth 2010, Stat. Appl. Genet. Mol. Biol. 9:39 (random ones count the observed one).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from trueerror.inference._contrast import REALS, check_test_options, contrast, tail_area
from trueerror.inference.bootstrap._tables import blocks
from trueerror.inference.counts._paired import paired_metric
from trueerror.inference.proportion._distributions import at_least
from trueerror.inputs._arrays import Floats, numbers, paired_numbers
from trueerror.inputs._labels import Label
from trueerror.inputs._memory import BLOCK
from trueerror.inputs._options import InputError, Rng, check_replicates, check_word, generator
from trueerror.inputs._settings import current
from trueerror.results import Alternative, Contrast
from trueerror.tallies._agreement import Agreement

# Up to so many differences all patterns of signs are held at once; up to twice as many halves of them are.
HALF = BLOCK.bit_length() - 1


class Permutations(NamedTuple):
    """What the permutations say; the observed arrangement is counted, and has no typical value.

    `exact`: the p-values are; `drawn`: the typical values are a random sample.
    """

    p_values: dict[str, float]
    typical: Floats
    total: int
    exact: bool
    drawn: bool

    @classmethod
    def judged(
        cls, statistics: Floats, losses: Floats, sizes: Floats, observed: float, dust: float, drawn: bool
    ) -> Permutations:
        """By how much each permutation lowers the sum of the first set, and how many members it moves.

        `dust` is what rounding can do to a sum.
        """
        counts = {
            "greater": int((losses <= dust).sum()),
            "less": int((losses >= -dust).sum()),
            "two-sided": int((np.abs(statistics) >= abs(observed) - 2 * dust).sum()),
        }
        total = len(losses) + drawn
        typical = losses[sizes > 0] / sizes[sizes > 0]
        return cls({side: (c + drawn) / total for side, c in counts.items()}, typical, total, not drawn, drawn)

    def turned(self) -> Permutations:
        """The same with the two sets exchanged."""
        p = self.p_values
        swapped = {"greater": p["less"], "less": p["greater"], "two-sided": p["two-sided"]}
        return self._replace(p_values=swapped, typical=-self.typical)

    def limits(self, tail: float) -> tuple[float, float]:
        """The shifts that neither one-sided test rejects at `tail`; infinite where there are too few arrangements."""
        k = math.floor(tail * self.total + 1e-9)
        if k < 1:
            return -math.inf, math.inf
        ranked = np.partition(self.typical, [k - 1, len(self.typical) - k])
        return float(ranked[k - 1]), float(ranked[len(self.typical) - k])


def _flips(a: Floats, b: Floats, dust: float, exact: bool | None, draws: int, rng: np.random.Generator) -> Permutations:
    """Paired differences with random signs."""
    d = a - b
    total = float(d.sum())
    if exact is not False and len(d) <= HALF:
        sums, sizes = _subset_sums(d)
        return Permutations.judged(total - 2 * sums, sums, sizes, total, dust, False)
    sums, sizes = _random_subsets(d, draws, rng)
    made = Permutations.judged(total - 2 * sums, sums, sizes, total, dust, True)
    known = None if exact is False else _exact_flips(d[d != 0], dust)
    return made if known is None else made._replace(p_values=known, exact=True)


def _exchanges(
    a: Floats, b: Floats, dust: float, exact: bool | None, draws: int, rng: np.random.Generator
) -> Permutations:
    """Two sets of scores whose members could as well be in the other set."""
    unit = 1 / len(a) + 1 / len(b)
    drawn = exact is False or (exact is None and math.comb(len(a) + len(b), len(a)) > BLOCK)
    gains, sizes = _random_exchanges(a, b, draws, rng) if drawn else _all_exchanges(a, b)
    observed = float(a.sum()) * unit - float(a.sum() + b.sum()) / len(b)
    return Permutations.judged(observed + gains * unit, -gains, sizes, observed, dust, drawn)


def _comes_before(a: Floats, b: Floats) -> bool:
    if len(a) != len(b):
        return len(a) < len(b)
    apart = np.flatnonzero(a != b)[:1]
    return bool((a[apart] < b[apart]).any())


def _subset_sums(d: Floats) -> tuple[Floats, Floats]:
    """The sum and size of every subset."""
    sums, sizes = np.zeros(1), np.zeros(1)
    for x in d:
        sums = np.concatenate((sums, sums + x))
        sizes = np.concatenate((sizes, sizes + 1))
    return sums, sizes


def _random_subsets(d: Floats, draws: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The sum and size of subsets at random; of few different values it is drawn how many of each are in."""
    values, counts = np.unique(d, return_counts=True)
    if len(values) * 8 <= len(d):
        sums, sizes = np.zeros(draws), np.zeros(draws)
        for value, count in zip(values, counts, strict=True):
            chosen = rng.binomial(count, 0.5, size=draws).astype(np.float64)
            sums += value * chosen
            sizes += chosen
        return sums, sizes
    width, found = -(-len(d) // 8), []
    both = np.column_stack((d, np.ones(len(d))))
    for block in blocks(draws, width):
        drawn = rng.integers(0, 256, size=(len(block), width), dtype=np.uint8)
        found.append(np.unpackbits(drawn, axis=1, count=len(d), bitorder="little") @ both)
    sums, sizes = np.concatenate(found).T
    return sums, sizes


def _exact_flips(d: Floats, dust: float) -> dict[str, float] | None:
    """Exact p-values where they are cheap: sizes all alike (a binomial), or halves of which each can be enumerated."""
    n, total = len(d), float(d.sum())
    size = np.abs(d)
    if n and float(size.max() - size.min()) <= dust:
        up = int((d > 0).sum())
        greater, less = (float(at_least(k, n, 0.5)) for k in (up, n - up))
        return {"greater": greater, "less": less, "two-sided": min(1.0, 2 * min(greater, less))}
    if n > 2 * HALF:
        return None
    left, right = _subset_sums(d[: n // 2])[0], np.sort(_subset_sums(d[n // 2 :])[0])

    def below(level: float, side: Literal["left", "right"]) -> float:
        """Share of subsets whose sum is below `level`, or at most that."""
        return int(np.searchsorted(right, level - left, side=side).sum()) / (len(left) * len(right))

    greater, less = below(dust, "right"), 1 - below(-dust, "left")
    # A flipped subset F gives total − 2·ΣF: at least |total| where ΣF ≤ min(0, total), at most −|total| where
    # ΣF ≥ max(0, total); all of them when the total is 0.
    both = below(min(0.0, total) + dust, "right") + 1 - below(max(0.0, total) - dust, "left")
    return {"greater": greater, "less": less, "two-sided": 1.0 if abs(total) <= dust else min(1.0, both)}


def _all_exchanges(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """What the first set gains by each exchange of c members for c others, and c."""
    most = min(len(a), len(b))
    leaving, coming = _sums_by_size(a, most), _sums_by_size(b, most)
    gains = [(coming[c][None, :] - leaving[c][:, None]).ravel() for c in range(most + 1)]
    sizes = np.repeat(np.arange(most + 1.0), [len(g) for g in gains])
    return np.concatenate(gains), sizes


def _sums_by_size(x: Floats, most: int) -> list[Floats]:
    sums: list[Floats] = [np.zeros(1)] + [np.zeros(0)] * most
    for value in x:
        sums = [sums[0], *(np.concatenate((sums[c], sums[c - 1] + value)) for c in range(1, most + 1))]
    return sums


def _random_exchanges(a: Floats, b: Floats, draws: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    scores = np.concatenate((a, b))
    gains, sizes = [], []
    for block in blocks(draws, len(scores)):
        order = np.broadcast_to(np.arange(len(scores)), (len(block), len(scores)))
        members = rng.permuted(order, axis=1)[:, : len(a)]
        gains.append(scores[members].sum(axis=1) - a.sum())
        sizes.append((members >= len(a)).sum(axis=1, dtype=np.float64))
    return np.concatenate(gains), np.concatenate(sizes)


def permutation(
    first: Any,
    second: Any,
    third: Any = None,
    *,
    metric: str | Callable[..., Any] | None = None,
    positive: Label | None = None,
    paired: bool = True,
    method: Literal["auto", "exact", "monte-carlo"] = "auto",
    replicates: int = 9_999,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    rng: Rng = None,
) -> Contrast:
    """Could the difference of two means come about by chance alone? All rearrangements of the scores, or many.

    Paired: every sign of the differences could as well be the other; p is the share of the 2^n sign patterns with a
    mean at least as far out. Unpaired: every score could as well be in the other set. "auto" enumerates while that is
    quick (paired up to 40 differences that are not 0, or any number of one size; unpaired up to a million splits),
    else draws `replicates` at random: p = (1 + those at least as far out)/(1 + replicates), never 0. Sums that differ
    by rounding alone are ties. The limits are the shifts that the same test does not reject.

    `permutation(truth, a, b, metric="macro_f1")` asks of any metric of labels, or of a function of (truth, predicted):
    where the models are equally good, each row's two labels could as well be the other way round; `replicates` times
    they are exchanged at random. It has no limits of its own: `paired_bootstrap` has.

    Source: Fisher 1935, The Design of Experiments; Hartigan 1969, JASA 64:1303; Phipson and Smyth 2010.

    >>> c = permutation([0.82, 0.79, 0.85, 0.88, 0.80, 0.83], [0.80, 0.78, 0.83, 0.85, 0.81, 0.79])
    >>> round(c.estimate, 4), c.p_value
    (0.0183, 0.09375)
    """
    check_word(method, ("auto", "exact", "monte-carlo"), "method")
    level = check_test_options(confidence, alternative)
    draws = check_replicates(replicates, least=99)
    random, seed = generator(rng)
    exact = {"auto": None, "exact": True, "monte-carlo": False}[method]
    if third is not None:
        if not paired or exact:
            raise InputError("labels of two models are exchanged row by row, at random: leave paired= and method= out")
        chosen = "accuracy" if metric is None else metric
        return _exchanged_labels(Agreement.count(first, second, third), chosen, positive, draws, random, seed, level,
                                 alternative)  # fmt: skip
    if metric is not None or positive is not None:
        raise InputError("metric= is of labels: te.significance.permutation(truth, first, second, metric=…)")
    if paired:
        a, b = paired_numbers(first, second)
    else:
        a, b = numbers(first, "first"), numbers(second, "second")
    if len(a) == 0 or len(b) == 0:
        empty = "first and second have" if paired else "first has" if len(a) == 0 else "second has"
        raise InputError(f"{empty} no rows; a permutation test needs at least one")
    # Half a dozen numbers of 8 bytes are held for each split.
    if exact and not paired and 48 * math.comb(len(a) + len(b), len(a)) > current().budget_bytes:
        raise InputError(f"{len(a) + len(b):,} scores are too many to enumerate; use method='monte-carlo'")
    # What rounding can do to a sum of these scores.
    dust = 16 * float(np.finfo(np.float64).eps) * float(np.abs(a).sum() + np.abs(b).sum())
    # One order of the two for both questions: exchanging them turns the signs and changes nothing else.
    swapped = _comes_before(a, b) == paired
    one, two = (b, a) if swapped else (a, b)
    permutations = (_flips if paired else _exchanges)(one, two, dust, exact, draws, random)
    if swapped:
        permutations = permutations.turned()
    if exact and not permutations.exact:
        raise InputError(f"{len(a):,} differences are too many to enumerate; use method='monte-carlo'")
    low, high = permutations.limits(tail_area(level, alternative))
    drawn = f"{'limits from ' if permutations.exact else ''}{draws:,} random rearrangements, {seed}"
    notes = [drawn] if permutations.drawn else []
    if high - low <= dust / len(a):
        low, high = REALS
        notes.append("the differences do not vary, so they put no limits on the true one")
    elif np.isinf(low):
        notes.append(f"{permutations.total:,} arrangements are too few for limits at this confidence")
    estimate = float(a.mean() - b.mean())
    return contrast(
        estimate=estimate, limits=(low, high), whole=REALS, confidence=level, alternative=alternative,
        method="permutation-paired" if paired else "permutation-unpaired", statistic=estimate,
        p_value=permutations.p_values[alternative], n=len(a) if paired else len(a) + len(b), notes=tuple(notes),
    )  # fmt: skip


def _exchanged_labels(
    agreement: Agreement,
    metric: str | Callable[..., Any],
    positive: Label | None,
    draws: int,
    rng: np.random.Generator,
    seed: str,
    level: float,
    alternative: Alternative,
) -> Contrast:
    """The labels of the two models exchanged in random rows: Bin(n, ½) of those in each cell of truth × a × b."""
    if agreement.n == 0:
        raise InputError("there are no rows; a permutation test needs at least one")
    compared = paired_metric(agreement.with_mirror(), metric, positive, {}, None)
    estimate, table = float(compared.estimate.value), compared.agreement
    width = len(table.labels) + 2
    places = (table.truth * width + table.first) * width + table.second
    mirror = np.searchsorted(places, (table.truth * width + table.second) * width + table.first)
    values = []
    for block in blocks(draws, len(places)):
        moved = rng.binomial(table.counts, 0.5, size=(len(block), len(places)))
        values.append(compared.differences((table.counts - moved + moved[:, mirror]).astype(np.float64)))
    drawn = np.concatenate(values)
    lost = int(np.isnan(drawn).sum())
    # Where the metric has no value the arrangement counts as being as far out: p is never too small for it.
    dust = 1e-12 * max(1.0, abs(estimate))
    beyond = {
        "greater": ~(drawn < estimate - dust),
        "less": ~(drawn > estimate + dust),
        "two-sided": ~(np.abs(drawn) < abs(estimate) - dust),
    }[alternative]
    notes = [f"{draws:,} random exchanges, {seed}", "no limits; te.significance.paired_bootstrap has some"]
    if lost:
        notes.append(f"{lost:,} exchanges leave the metric undefined and count as further out")
    p = math.nan if math.isnan(estimate) else (1 + int(beyond.sum())) / (1 + draws)
    return contrast(
        name=compared.measure.title, estimate=estimate, limits=(math.nan, math.nan), whole=(math.nan, math.nan),
        confidence=level, alternative=alternative, method="permutation-labels", statistic=estimate, p_value=p,
        n=agreement.n, notes=tuple(notes) if not math.isnan(estimate) else (compared.why,),
    )  # fmt: skip
