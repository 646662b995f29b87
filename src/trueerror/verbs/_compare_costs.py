"""Which model to run, and from which score up, when a miss and a false alarm cost different things.

The comparison, and how it is said: in misses, false alarms and cost per 100 rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial

from trueerror.curves._calibration import calibration
from trueerror.curves._hull import HullChoice, roc_hull
from trueerror.curves._operating_point import OperatingPoint
from trueerror.curves._roc import roc
from trueerror.findings import Evidence, Findings, find
from trueerror.findings._rules import sorted_findings
from trueerror.inference._tuned import Tuned, cost_of_errors
from trueerror.inputs._groups import Pairwise
from trueerror.inputs._labels import need_positive
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import Prior, class_shares, find_measure
from trueerror.results import Contrast, Interval, Table
from trueerror.results._document import Document, Paragraph, TableBlock, page
from trueerror.results._format import (
    ci_words,
    common_format,
    number,
    one_line,
    p_value,
    per_100,
    percent,
    some,
    threshold_words,
)
from trueerror.results._values import common_decimals, decided, deciding_p, short, short_percent, surety
from trueerror.sources._predictions import Predictions
from trueerror.verbs._compare import Comparing, compare_predictions, sliced
from trueerror.verbs._comparison import Comparison, slice_words, slices_block
from trueerror.verbs._model_metrics import ModelMetrics, Settings, against_constant_cost, priced

USUAL = 0.5
# A threshold chosen on rows must be so much cheaper on rows not used to choose it to be spoken of.
WORTH_TUNING = 0.05


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CostComparison(Comparison):
    """A comparison by cost at the threshold that the costs themselves name, so that nothing is tuned on these rows.

    `calls` holds (misses, positives, false alarms, negatives) of each model at `threshold`, `usual` the same at 0.5;
    `tuned` is each model's cheapest threshold on these rows and how much of its cheapness is luck; `chosen` the
    cheapest model at its cheapest threshold, both chosen here, with a cost that allows for both choices. Where that
    stays cheaper, its scores are not the probabilities that `threshold` takes them for, and the verdict says so
    (`cheaper_tuned`).
    """

    threshold: float
    cost_fp: float = 1.0
    cost_fn: float = 1.0
    prior: float | None = None
    positive: object = None
    calls: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    usual: dict[str, tuple[int, int, int, int]] = field(default_factory=dict)
    areas: dict[str, Interval] = field(default_factory=dict)
    area_pairs: tuple[Contrast, ...] = ()
    against_constant: Contrast | None = None
    tuned: dict[str, OperatingPoint] = field(default_factory=dict)
    chosen: HullChoice | None = None
    slopes: dict[str, Interval] = field(default_factory=dict)

    @property
    def _power(self) -> int:
        return 2

    @property
    def _worst(self) -> Findings:
        return self.findings.without("TE201", "TE304")

    def _verdict_lines(self) -> tuple[str, ...]:
        return _verdict_lines(self)

    def document(self) -> Document:
        trust = _trust(self)
        mix = "the class mix of these rows" if self.prior is None else f"{percent(round(self.prior, 4))} positives"
        costs = f"Costs: a false alarm {self.cost_fp:g}, a miss {self.cost_fn:g}, at {mix}."
        methods = ", ".join(dict.fromkeys(c.method for c in self.pairs))
        return page(
            self.reading, self._verdict_lines(), TableBlock(_costs_table(self), beneath=at_usual(self)),
            slices_block(self), self.findings.block(several=True, said=self._worst.worst(self.leaders)),
            Paragraph((trust,)) if trust else None, footer=[f"{costs} Methods: {methods}; .explain() for more."],
            names=self.models,
        )  # fmt: skip

    @property
    def cheaper_tuned(self) -> str | None:
        """The model that would be cheaper at a threshold of its own than the best at the costs' own, after what the
        choice of model and threshold on these rows flatters.

        None where tuning gains less than 5 %: a difference that small is not worth a threshold that can go astray.
        """
        worth = self.estimates[self.best].estimate * (1 - WORTH_TUNING)
        if self.chosen is None:
            return None
        # Calling one answer for all rows needs no threshold, so nothing of it flatters.
        real = self.chosen.cost if self.chosen.corrected is None else self.chosen.corrected.estimate
        if math.isnan(real) or not real < worth:
            return None
        known = {m: point.corrected.estimate for m, point in self.tuned.items()}
        constant = self.chosen.corrected is None
        return min(known, key=known.__getitem__) if constant else self.chosen.classifier

    @property
    def usual_is_cheaper(self) -> bool:
        """Whether the best model would have cost less on these rows at 0.5, the threshold used without a thought."""
        return self.cost_per_100(self.best, self.usual) < self.cost_per_100(self.best) - 1e-9

    @property
    def from_costs(self) -> bool:
        """Whether the threshold follows from the costs; else it was given."""
        return abs(self.tuned[self.best].untuned - self.threshold) <= 1e-9

    @cached_property
    def _cost_decimals(self) -> int:
        """Of all costs per 100 rows in the answer."""
        return common_decimals(self.estimates.values(), least=1, power=2)

    def _money(self, cost: float) -> str:
        """A cost of a row as the answer says it, of 100 rows."""
        return per_100(cost, decimals=self._cost_decimals)

    def cost_per_100(self, model: str, calls: dict[str, tuple[int, int, int, int]] | None = None) -> float:
        """What 100 rows cost with these misses and false alarms, at the class mix asked for."""
        missed, positives, alarms, negatives = (self.calls if calls is None else calls)[model]
        share = positives / (positives + negatives) if self.prior is None else self.prior
        return 100 * (self.cost_fn * share * missed / positives + self.cost_fp * (1 - share) * alarms / negatives)


def compare_costs(p: Predictions, asked: Comparing, cost_fp: float, cost_fn: float) -> CostComparison:
    """Compare models by what their calls cost when a false alarm costs `cost_fp` and a miss `cost_fn`.

    Probabilities are cut where calling becomes cheaper than not, cost_fp/(cost_fp + cost_fn) for rows like these
    (Elkan 2001, IJCAI 17:973), which needs no tuning; the finding TE304 says what tuning on these rows would promise
    and what would be left of it on other rows. Slices are compared at the same threshold.
    """
    prior, threshold = positive_share(p, asked.prior), asked.threshold
    confidence, rng = asked.confidence, 0 if asked.rng is None else asked.rng
    if prior is not None and not 0 < prior < 1:
        raise InputError(f"prior={prior!r} must lie between 0 and 1: the share of positives where the model will run")
    points = {
        m: roc(p, model=m).operating_point(prior=prior, cost_fp=cost_fp, cost_fn=cost_fn, rng=rng) for m in p.models
    }
    cut = points[p.models[0]].untuned if threshold is None else float(threshold)
    measure, prices = find_measure("expected_cost"), {"fp": cost_fp, "fn": cost_fn}
    settings = Settings.of(asked, {"expected_cost": {}}, costs=prices, threshold=threshold, prior=prior)
    p = priced(p, settings)
    compared = partial(compare_predictions, measure=measure, settings=settings, asked=asked)
    by_cost = compared(p)
    best = by_cost.best
    own = Settings(confidence=confidence, metrics={"auc": {}})
    by_area = compare_predictions(p, find_measure("auc"), own, Pairwise(reference=best, adjust=asked.adjust))
    comparison = CostComparison(
        **{f.name: getattr(by_cost, f.name) for f in fields(Comparison)}, threshold=cut, cost_fp=cost_fp,
        cost_fn=cost_fn, prior=prior, positive=p.positive, calls={m: _calls(p, m, cut) for m in p.models}, usual={m:
        _calls(p, m, USUAL) for m in p.models}, areas=by_area.estimates, area_pairs=by_area.pairs,
        against_constant=against_constant_cost(ModelMetrics(best, settings, predictions=p)), tuned=points,
        chosen=roc_hull(p).best(prior=prior, cost_fp=cost_fp, cost_fn=cost_fn, rng=rng), slopes={m: slope for m
        in p.models if (slope := _slope(p, m, confidence)) is not None},
    )  # fmt: skip
    comparison = replace(comparison, findings=_findings(comparison, p))
    return sliced(comparison, p, compared) if p.has_key("slices") else comparison


def positive_share(p: Predictions, prior: Prior | None) -> float | None:
    """The share of positives in a class distribution, which may be given as {label: share}."""
    if not isinstance(prior, Mapping):
        return prior
    if p.positive is None:
        raise need_positive(p.labels, "a comparison by cost")
    return float(class_shares(prior, p.labels, p.positive)[p.labels.index(p.positive)])


def _calls(p: Predictions, model: str, cut: float) -> tuple[int, int, int, int]:
    t = p.confusion(model, threshold=cut).binary()
    return int(t.fn), int(t.tp + t.fn), int(t.fp), int(t.fp + t.tn)


def _slope(p: Predictions, model: str, confidence: float) -> Interval | None:
    """The calibration slope of a model's probabilities, where it can be had."""
    try:
        return calibration(p, model=model).slope(confidence=confidence)
    except InputError:
        return None


def _findings(made: CostComparison, p: Predictions) -> Findings:
    """What the comparison found, whose probabilities are off, and what tuning on these rows would promise."""
    scores = [Evidence(model=m, scores=p.scores(m), probabilities=True) for m in made.ranked]
    point = made.tuned[made.best]
    if not math.isnan(point.optimism):
        corrected = Interval(estimate=-100 * _on_other_rows(made, made.best), low=math.nan, high=math.nan)
        per_100 = cost_of_errors(1.0, 1.0)._replace(name="cost per 100 rows")
        promise = Tuned(point.threshold, per_100, -100 * point.cost, corrected, used=False)
        scores.append(Evidence(model=made.best, tuned_threshold=promise))
    return sorted_findings([*made.findings, *find(scores)])


def _verdict_lines(cmp: CostComparison) -> tuple[str, ...]:
    """Which model to run, at which threshold, or none; how sure that is; and the worst finding."""
    cut = threshold_words(cmp.threshold)
    cheaper = cmp.cheaper_tuned
    rivals = [m for m in cmp.ranked[1:] if cmp.reference in (None, m, cmp.best)]
    worse = [m for m in rivals if cmp.told_apart(cmp.best, m)]
    open_ = [m for m in rivals if m not in (*worse, *cmp.leaders)]
    clear = all(surety(deciding_p(cmp[m, cmp.best]), 1 - cmp.confidence) == "clear" for m in worse)
    sure = "Not certain:" if open_ or not worse else "Clear differences:" if clear else "Probable differences:"
    words = []
    for m in open_[:3]:
        c = cmp[m, cmp.best]
        size = _size_words(cmp, c)
        words.append(f"{one_line(m)} may be as cheap ({size}).")
    for m in worse[:3]:
        c = cmp[m, cmp.best]
        size = _size_words(cmp, c)
        words.append(f"{one_line(m)} costs more ({size}; {decided(c)}).")
    none = _no_model(cmp)
    lead = none or (_use(cmp, cut) if cheaper is None else _not_yet(cmp, cheaper))
    words += [] if none else _constant_words(cmp)
    where = f" at {cut}," if cheaper and words else ""
    words += _ranking_words(cmp)
    opening = f"{'Among the models: ' if none else ''}{sure}{where}" if words else sure.replace(":", ".")
    # A constant that is as cheap has been said, if it is so.
    return (lead, " ".join([opening, *words]), *slice_words(cmp), *cmp._worst.but(cmp.leaders))


def _no_model(cmp: CostComparison) -> str:
    """The verdict where one answer for every row is as cheap as the best model, at whatever threshold."""
    c = cmp.against_constant
    if c is None or c.estimate < 0:
        return ""
    price, model_cost = cmp.estimates[cmp.best].estimate - c.estimate, cmp.estimates[cmp.best].estimate
    tuned = [x.corrected.estimate for x in cmp.tuned.values() if math.isfinite(x.threshold)]
    if any(cost < price for cost in tuned):
        return ""
    as_cheap = "is as cheap as" if c.estimate == 0 else "is cheaper than"
    return (
        f'Use no model: always answering "{one_line(c.second)}" {as_cheap} {_best(cmp)}, {cmp._money(price)} against '
        f"{cmp._money(model_cost)} per 100 rows."
    )


def _use(cmp: CostComparison, cut: str) -> str:
    instead = "" if abs(cmp.threshold - USUAL) < 0.005 or cmp.usual_is_cheaper else f" (not {USUAL:g})"
    cost = cmp.estimates[cmp.best]
    shown = cmp._money
    price = f"cost {shown(cost.estimate)} per 100 rows, {ci_words(cost.low, cost.high, cost.confidence, shown)}"
    return f"Run {_best(cmp)} at threshold {cut}{instead}: {price}."


def _size_words(cmp: CostComparison, c: Contrast) -> str:
    """A difference of costs with its limits, with the decimals of the costs or as many as show that they differ."""
    shown = common_format(c.estimate, c.low, c.high, least=cmp._cost_decimals, power=2, sign=True)
    return f"{shown(c.estimate)} per 100 rows, {ci_words(c.low, c.high, c.confidence, shown)}"


def _best(cmp: CostComparison) -> str:
    """The cheapest model, or those that tie for it."""
    tied = [one_line(m) for m in cmp.leaders]
    return tied[0] if len(tied) == 1 else f"{some(tied, joint='or')} (they cost the same)"


def _on_other_rows(cmp: CostComparison, model: str) -> float:
    """What a model would cost, at the threshold tuned on these rows, on rows not used to choose the two."""
    choice = cmp.chosen
    both = choice is not None and choice.corrected is not None and choice.classifier == model
    return choice.corrected.estimate if both and choice and choice.corrected else cmp.tuned[model].corrected.estimate


def _not_yet(cmp: CostComparison, cheaper: str) -> str:
    """The costs name a threshold for calibrated probabilities; some model's are not, and it shows in the costs."""
    best, point, cut = cmp.best, cmp.tuned[cheaper], threshold_words(cmp.threshold)
    slope = f" ({_slope_words(cmp.slopes[cheaper])})" if cheaper in cmp.slopes else ""
    real = cmp._money(_on_other_rows(cmp, cheaper))
    gain = f"{real} per 100 rows on rows not used to choose it, not {cmp._money(cmp.estimates[best].estimate)}"
    constant = math.isinf(point.threshold)
    instead = f"{one_line(cheaper)} at {threshold_words(point.threshold)}"
    if constant:
        instead = f"flagging {'nothing' if point.threshold > 0 else 'everything'}"
    lead = (
        f"Run {_best(cmp)}, but not at threshold {cut}: at {threshold_words(point.threshold)} "
        f"{'it' if len(cmp.leaders) == 1 else one_line(cheaper)} would cost {gain}."
        if cheaper in cmp.leaders and not constant
        else f"Not settled: at threshold {cut}, which follows from the costs, {one_line(best)} "
        f"{'is cheapest' if len(cmp.leaders) == 1 else 'and others tie for cheapest'}, but "
        f"{instead} would cost less, {gain}."
    )
    off = cheaper in cmp.slopes and not cmp.slopes[cheaper].low <= 1 <= cmp.slopes[cheaper].high
    return (
        f"{lead} The probabilities of {one_line(cheaper)} {'are not' if off else 'may not be'} calibrated{slope}: "
        "recalibrate them, or choose the threshold, on other rows."
    )


def _slope_words(found: Interval) -> str:
    """A calibration slope; scores that part the classes without an error have one beyond every number."""
    if math.isfinite(found.low) and math.isinf(found.high):
        return f"calibration slope {number(found.low)} or more"
    if math.isfinite(found.high) and math.isinf(found.low):
        return f"calibration slope {number(found.high)} or less"
    return f"calibration slope {short(found)}" if math.isfinite(found.estimate) else "calibration slope not known"


def _constant_words(cmp: CostComparison) -> list[str]:
    """Whether the chosen model is cheaper than one answer for every row."""
    c = cmp.against_constant
    if c is None:
        return []
    answer = f'always answering "{one_line(c.second)}"'
    shown = common_format(c.estimate, c.low, c.high, least=cmp._cost_decimals, power=2)
    size = f"{shown(-c.estimate)} per 100 rows, {ci_words(-c.high, -c.low, c.confidence, shown)}"
    if c.p_value <= 1 - c.confidence and c.estimate < 0:
        return [f"{_best(cmp)} is cheaper than {answer}, by {size}."]
    if c.estimate >= 0:
        return [f"At this threshold {answer} is as cheap or cheaper."]
    tested = "" if math.isnan(c.p_value) else f" ({p_value(c.p_value)})"
    return [f"{_best(cmp)} may be no cheaper than {answer}: it saves {size}{tested}."]


def _ranking_words(cmp: CostComparison) -> list[str]:
    """Who has a lower AUC than the chosen model."""
    sentences = []
    for c in cmp.area_pairs:
        other = c.first if c.second == cmp.best else c.second
        gap = c.estimate if c.first == other else -c.estimate
        if deciding_p(c) <= 1 - c.confidence and gap < 0:
            sentences.append(f"{one_line(other)} has a lower AUC ({decided(c)}).")
    return sentences[:3]


def _costs_table(cmp: CostComparison) -> Table:
    """Misses, false alarms, cost per 100 rows and AUC of each model, cheapest first."""
    rows = []
    area_digits = common_decimals(cmp.areas.values())
    for m in cmp.ranked:
        missed, positives, alarms, negatives = cmp.calls[m]
        cost = cmp.estimates[m]
        known = math.isfinite(cost.low) and math.isfinite(cost.high)
        money = short_percent(cost, cmp._cost_decimals) if known else cmp._money(cost.estimate)
        area = short(cmp.areas[m], area_digits)
        rows.append((m, f"{missed:,} of {positives:,}", f"{alarms:,} of {negatives:,}", money, area))
    if cmp.against_constant is not None:
        label = cmp.against_constant.second
        positives, negatives = cmp.calls[cmp.best][1], cmp.calls[cmp.best][3]
        all_positive = label == str(cmp.positive)
        missed, alarms = (0, negatives) if all_positive else (positives, 0)
        price = cmp._money(cmp.estimates[cmp.best].estimate - cmp.against_constant.estimate)
        rows.append((f'always "{label}"', f"{missed:,} of {positives:,}", f"{alarms:,} of {negatives:,}", price, ""))
    head = (f"At {threshold_words(cmp.threshold)}", "misses", "false alarms", "cost per 100", "ranking (AUC)")
    return Table(columns=head, rows=tuple(rows))


def at_usual(cmp: CostComparison) -> tuple[str, ...]:
    """What the model would do at the threshold that people use without a thought, and why that is not the advice
    where it is cheaper on these rows.
    """
    if cmp.threshold == USUAL:
        return ()
    best, cut = one_line(cmp.best), threshold_words(cmp.threshold)
    missed, price = cmp.usual[cmp.best][0], cmp._money(cmp.cost_per_100(cmp.best, cmp.usual) / 100)
    words = f"At {USUAL:g} {best} would miss {missed:,} and cost {price} per 100"
    if not cmp.usual_is_cheaper:
        return (f"{words}.",)
    words += f", less than at {cut} on these rows"
    if not cmp.from_costs or cmp.cheaper_tuned is not None:  # either is spoken of elsewhere
        return (f"{words}.",)
    return (f"{words}: chance, if its probabilities are calibrated; if not, choose the threshold on other rows.",)


def _trust(cmp: CostComparison) -> str:
    """Where the threshold comes from, what it takes on trust, and who would be cheapest at thresholds chosen here."""
    cut = threshold_words(cmp.threshold)
    if not cmp.from_costs:
        untuned = threshold_words(cmp.tuned[cmp.best].untuned)
        given = f"{cut} was given; the costs alone give {untuned} for calibrated probabilities."
    elif cmp.best in cmp.slopes:
        given = (
            f"{cut} follows from the costs and needs no tuning, but trusts {one_line(cmp.best)}'s "
            f"probabilities ({_slope_words(cmp.slopes[cmp.best])})."
        )
    else:
        given = ""
    return " ".join(filter(None, (given, _chosen_words(cmp))))


def _chosen_words(cmp: CostComparison) -> str:
    """Which other model is cheapest where each has the threshold that suits it best on these rows: another question,
    the one that a hull answers. Empty where the answer is the same, or the verdict has said it.
    """
    choice = cmp.chosen
    if choice is None or choice.corrected is None or choice.classifier in cmp.leaders or cmp.cheaper_tuned is not None:
        return ""
    here, elsewhere = cmp._money(choice.cost), cmp._money(choice.corrected.estimate)
    return (
        f"If each model may use its best threshold on these rows, {one_line(choice.classifier)} at "
        f"{threshold_words(choice.threshold)} is cheapest: expect a cost of {elsewhere} per 100 rows (bootstrap). The "
        f"{here} on these rows is optimistic."
    )
