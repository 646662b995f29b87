"""Which model to run, and from which score up, when a miss and a false alarm cost different things."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from trueerror.curves.calibrating import calibration
from trueerror.curves.operating import OperatingPoint
from trueerror.curves.receiver import roc
from trueerror.findings import Evidence, Findings, find
from trueerror.findings.finding import sorted_findings
from trueerror.findings.tuning import TunedThreshold
from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import need_positive
from trueerror.metrics.registry import find_measure
from trueerror.results import Contrast, Interval, Table
from trueerror.rows.predictions import Predictions
from trueerror.significance.one_answer import against_one_answer
from trueerror.tallies import Moments
from trueerror.verbs.comparing import compare_predictions
from trueerror.verbs.comparison import Comparison
from trueerror.verbs.pairs import Pairs
from trueerror.verbs.settings import Rng, Settings

USUAL = 0.5
# A threshold chosen on rows must be so much cheaper, out of the bag, to be spoken of.
WORTH_TUNING = 0.05


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CostComparison(Comparison):
    """A comparison by cost at the threshold that the costs themselves name, so that nothing is tuned on these rows.

    `calls` holds (misses, positives, false alarms, negatives) of each model at `threshold`, `usual` the same at 0.5;
    `tuned` is each model's cheapest threshold on these rows and how much of its cheapness is luck. Where a tuned
    threshold stays cheaper out of the bag, its scores are not the probabilities that `threshold` takes them for, and
    the verdict says so (`cheaper_tuned`).
    """

    threshold: float
    cost_fp: float = 1.0
    cost_fn: float = 1.0
    prior: float | None = None
    positive: Any = None
    calls: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    usual: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    areas: dict[str, Interval] = field(default_factory=dict)
    area_pairs: tuple[Contrast, ...] = ()
    against_constant: Contrast | None = None
    tuned: dict[str, OperatingPoint] = field(default_factory=dict)
    slopes: dict[str, Interval] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """Which model to use, from which score up, and how sure that is."""
        from trueerror.verbs.costing_words import verdict

        return verdict(self)

    def __str__(self) -> str:
        from trueerror.verbs.costing_words import costing_text

        return costing_text(self)

    def _table(self) -> Table:
        from trueerror.verbs.costing_words import costing_table

        return costing_table(self)

    @property
    def cheaper_tuned(self) -> str | None:
        """The model that would be cheaper at a threshold of its own, out of the bag, than the best at the costs' own.

        None where tuning gains less than 5 %: a difference that small is not worth a threshold that can go astray.
        """
        known = {m: point.corrected.estimate for m, point in self.tuned.items()}
        known = {m: cost for m, cost in known.items() if not math.isnan(cost)}
        cheapest = min(known, key=known.__getitem__, default=None)
        worth = self.estimates[self.best].estimate * (1 - WORTH_TUNING)
        return cheapest if cheapest is not None and known[cheapest] < worth else None

    def cost_per_100(self, model: str, calls: dict[str, tuple[int, int, int, int]] | None = None) -> float:
        """What 100 rows cost with these misses and false alarms, at the class mix asked for."""
        missed, positives, alarms, negatives = (self.calls if calls is None else calls)[model]
        share = positives / (positives + negatives) if self.prior is None else self.prior
        return 100 * (self.cost_fn * share * missed / positives + self.cost_fp * (1 - share) * alarms / negatives)


def compare_costs(
    p: Predictions,
    *,
    cost_fp: float = 1.0,
    cost_fn: float = 1.0,
    prior: float | None = None,
    threshold: float | None = None,
    reference: str | None = None,
    adjust: str = "holm",
    confidence: float = 0.95,
    replicates: int = 10_000,
    rng: Rng = None,
) -> CostComparison:
    """Compare models by what their calls cost when a false alarm costs `cost_fp` and a miss `cost_fn`.

    Probabilities are cut where calling becomes cheaper than not, cost_fp/(cost_fp + cost_fn) for rows like these
    (Elkan 2001, IJCAI 17:973), which needs no tuning; the finding TE304 says what tuning on these rows would promise
    and what would be left of it out of the bag.
    """
    _check(p, cost_fp, cost_fn, prior)
    points = {
        m: roc(p, model=m).operating_point(prior=prior, cost_fp=cost_fp, cost_fn=cost_fn, rng=_seed(rng))
        for m in p.models
    }
    cut = points[p.models[0]].untuned if threshold is None else float(threshold)
    index = p.labels.index(p.positive)
    counts = p.truth_counts()
    share = float(counts[index]) / p.n
    # A class that is rarer than here costs that much less for each of its rows: the prior enters through the prices.
    weight = (1.0, 1.0) if prior is None else ((1 - prior) / (1 - share), prior / share)
    prices = [[0.0, 0.0], [0.0, 0.0]]
    prices[1 - index][index] = cost_fp * weight[0]
    prices[index][1 - index] = cost_fn * weight[1]
    measure = find_measure("expected_cost")
    settings = Settings(
        confidence=confidence,
        costs=prices,
        threshold=cut,
        metrics={"expected_cost": {}},
        replicates=replicates,
        rng=rng,
    )
    by_cost = compare_predictions(p, measure, settings, reference=reference, adjust=adjust)
    best = by_cost.best
    by_area = compare_predictions(
        p, find_measure("auc"), Settings(confidence=confidence, metrics={"auc": {}}), reference=best, adjust=adjust
    )
    made = CostComparison(
        **{f.name: getattr(by_cost, f.name) for f in fields(Comparison)},
        threshold=cut,
        cost_fp=cost_fp,
        cost_fn=cost_fn,
        prior=prior,
        positive=p.positive,
        calls={m: _calls(p, m, cut) for m in p.models},
        usual={m: _calls(p, m, USUAL) for m in p.models},
        areas=by_area.estimates,
        area_pairs=by_area.pairs,
        against_constant=_against_constant(p, best, cut, prices, settings),
        tuned=points,
        slopes={m: slope for m in p.models if (slope := _slope(p, m, confidence)) is not None},
    )
    return replace(made, findings=_findings(made, p))


def _check(p: Predictions, cost_fp: float, cost_fn: float, prior: float | None) -> None:
    for name, cost in (("cost_fp", cost_fp), ("cost_fn", cost_fn)):
        if not (math.isfinite(cost) and cost > 0):
            raise InputError(f"{name}={cost!r} must be a number above 0: what one such error costs")
    if prior is not None and not 0 < prior < 1:
        raise InputError(f"prior={prior!r} must lie between 0 and 1: the share of positives where the model will run")
    if len(p.models) < 2:
        raise InputError(f"there is one model, {p.models[0]!r}; te.roc(…).operating_point finds its threshold")
    if len(p.labels) != 2:
        raise InputError(f"cost_fp and cost_fn speak of two classes, and there are {len(p.labels)}: pass costs=")
    if p.positive is None:
        raise need_positive(p.labels, "choosing by costs")
    for m in p.models:
        if not p.has_scores(m):
            raise InputError(f"{m!r} has labels only: choosing a threshold takes scores; leave it out, or pass costs=")
        low, high, *_ = p.score_range(m)
        if low < 0 or high > 1:
            raise InputError(
                f"the scores of {m!r} run from {low:.4g} to {high:.4g}: costs name a threshold for probabilities only; "
                "recalibrate them, or use te.roc(…).operating_point"
            )


def _seed(rng: Rng) -> Any:
    return 0 if rng is None else rng


def _calls(p: Predictions, model: str, cut: float) -> tuple[int, int, int, int]:
    t = p.confusion(model, threshold=cut).binary()
    return int(t.fn), int(t.tp + t.fn), int(t.fp), int(t.fp + t.tn)


def _against_constant(p: Predictions, best: str, cut: float, prices: list[list[float]], settings: Settings) -> Contrast:
    """The chosen model's cost of a row less that of the cheaper constant answer, row by row on the same rows."""
    table = p.confusion(best, threshold=cut)
    price = np.asarray(prices)
    constant = int(np.argmin((price * table.classes().truth[:, None]).sum(axis=0)))
    clusters = p.keyed_confusion(best, "clusters", threshold=cut) if p.has_key("clusters") else None
    if clusters is not None:
        table = clusters.table
    values = price[table.row, table.col] - price[table.row, constant]
    if clusters is None and table.weight_sums is None:
        n, mean = table.n, float((values * table.counts).sum() / table.n)
        moments = Moments(n, mean, float(((values - mean) ** 2 * table.counts).sum()))
        engine = Pairs(p, find_measure("expected_cost"), settings, method=None, alternative="two-sided")
        found = engine.of_moments(moments)
    else:
        dearest = float(price.max())
        found = against_one_answer(
            table, values, clusters=clusters, confidence=settings.confidence, whole=(-dearest, dearest)
        )
    return replace(found, name="expected cost", first=best, second=str(p.labels[constant]))


def _slope(p: Predictions, model: str, confidence: float) -> Interval | None:
    """The calibration slope of a model's probabilities, where it can be had."""
    try:
        return calibration(p, model=model).slope(confidence=confidence)
    except InputError:
        return None


def _findings(made: CostComparison, p: Predictions) -> Findings:
    """What the comparison found, whose probabilities do not hold, and what tuning on these rows would promise."""
    scores = [Evidence(model=m, scores=p.scores(m), facts={"probabilities": True}) for m in made.ranked]
    point = made.tuned[made.best]
    if not math.isnan(point.optimism):
        promise = TunedThreshold(
            point.threshold, "cost per 100 rows", 100 * point.cost, 100 * point.corrected.estimate, used=False
        )
        scores.append(Evidence(model=made.best, facts={"tuned_threshold": promise}))
    return sorted_findings([*made.findings, *find(scores)])
