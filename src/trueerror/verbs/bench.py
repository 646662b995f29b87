"""The bench: one model's tallies and the settings under which its metrics are taken from them."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import Any

from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import Label, find_label, need_positive
from trueerror.intervals.class_areas import class_area_interval
from trueerror.intervals.clustered_scores import clustered_loss_interval, clustered_score_interval
from trueerror.intervals.of_metric import class_intervals, metric_interval
from trueerror.intervals.terms import Terms
from trueerror.metrics.registry import Measure, find_measure
from trueerror.results import Interval
from trueerror.rows.predictions import Predictions
from trueerror.tallies import Confusion, KeyedConfusion, ScoreTable
from trueerror.verbs.scored_rows import class_scored_rows, scored_rows
from trueerror.verbs.settings import Settings

# Replicates of a statistic of ranks cost more than those of a table of counts.
SCORE_REPLICATES = 2_000
CLASS_METRICS = ("precision", "recall", "f1")
# What a case-control sample shows of a class without a prior.
WITHIN_A_CLASS = ("recall",)


class Bench:
    """Computes any metric of one model, each tally counted once and only when it is needed."""

    def __init__(
        self,
        model: str,
        settings: Settings,
        *,
        predictions: Predictions | None = None,
        confusion: Confusion | None = None,
        estimand: str = "",
    ) -> None:
        self.model = model
        self.settings = settings
        self.estimand = estimand
        self._predictions = predictions
        self._given = confusion

    def with_facts(self, facts: dict[str, Any]) -> Bench:
        """The same tallies under settings with other facts."""
        return Bench(
            self.model,
            replace(self.settings, facts=facts),
            predictions=self._predictions,
            confusion=self._given,
            estimand=self.estimand,
        )

    @cached_property
    def confusion(self) -> Confusion:
        """Truth × predicted."""
        if self._given is not None:
            return self._given
        assert self._predictions is not None
        return self._predictions.confusion(self.model, threshold=self.settings.threshold)

    @property
    def calls(self) -> bool:
        """Whether the model calls classes; scores outside [0, 1] without a threshold do not."""
        p = self._predictions
        return p is None or p.can_call(self.model, threshold=self.settings.threshold)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, in order."""
        return self.confusion.labels if self._predictions is None else self._predictions.labels

    @property
    def positive(self) -> Label | None:
        """The positive class, where it is known."""
        return self.confusion.positive if self._predictions is None else self._predictions.positive

    @property
    def predictions(self) -> Predictions | None:
        """The rows, where the evaluation was not loaded or made from counts."""
        return self._predictions

    @cached_property
    def clusters(self) -> KeyedConfusion | None:
        """The same, for each cluster, where rows are clustered and called."""
        p = self._predictions
        if p is None or not p.has_key("clusters") or not self.calls:
            return None
        return p.keyed_confusion(self.model, "clusters", threshold=self.settings.threshold)

    @property
    def has_scores(self) -> bool:
        """Whether metrics of scores can be had: a row without a score has no rank, unless it is left out."""
        p = self._predictions
        return p is not None and p.has_scores(self.model) and not (p.missing == "wrong" and p.unscored(self.model))

    @property
    def has_class_scores(self) -> bool:
        """Whether there is one score for each class."""
        return self.has_scores and self._predictions is not None and self._predictions.has_class_scores(self.model)

    @property
    def ranks_classes(self) -> bool:
        """Whether areas over the classes can be had: they rank rows, which sampling weights do not allow."""
        return self.has_class_scores and self._predictions is not None and self._predictions.weights_kind != "sampling"

    @cached_property
    def has_probabilities(self) -> bool:
        """Whether the scores can be probabilities: within [0, 1], and adding up to 1 where each class has one."""
        if not self.has_scores:
            return False
        assert self._predictions is not None
        if self.positive is None and not self._predictions.has_class_scores(self.model):
            return False
        reach = self._predictions.score_range(self.model)
        sums_fit = math.isnan(reach.lowest_sum) or (reach.lowest_sum > 0.999 and reach.highest_sum < 1.001)
        return reach.low >= 0 and reach.high <= 1 and sums_fit

    def score_table(self, label: Label | None = None) -> ScoreTable:
        """Distinct scores of one class, or of the positive class."""
        if self._predictions is None or not self._predictions.has_scores(self.model):
            raise InputError(f"{self.model} has no scores here: pass scores= to evaluate for metrics of scores")
        return self._predictions.scores(self.model, positive=label)

    def interval(self, metric: str, label: Any = None) -> Interval:
        """One metric with its interval; `label` asks for one class against the rest."""
        measure = find_measure(metric)
        chosen = None if label is None else find_label(label, self.labels, "class")
        if chosen is not None and measure.needs in ("classes", "cells", "losses", "class_scores"):
            raise InputError(f"{measure.name} is a metric of all classes together; ask for it without a class")
        if chosen is None and measure.needs == "binary":
            chosen = self._positive(measure)
        options = self.settings.options(measure.name)
        common: dict[str, Any] = {
            "options": options,
            "confidence": self.settings.confidence,
            "method": self.settings.method if measure.situation == "proportion" else None,
            "rng": self.settings.rng,
            "replicates": self.settings.replicates,
            "simultaneous_over": self.settings.facts.get("simultaneous_over", 1),
            "estimand": self.estimand,
        }
        if measure.needs in ("binary", "classes", "cells"):
            return metric_interval(
                measure,
                self.confusion,
                positive=chosen,
                clusters=self.clusters,
                prior=self.settings.prior,
                design=self.settings.design,
                **common,
            )
        return self._from_scores(measure, chosen, common)

    def _from_scores(self, measure: Measure, label: Label | None, common: dict[str, Any]) -> Interval:
        if self._predictions is None or not self._predictions.has_scores(self.model):
            raise InputError(f"{measure.name} needs scores, and {self.model} has labels only: pass scores=")
        assert self._predictions is not None
        if self._predictions.has_key("clusters") and measure.needs != "class_scores":
            return self._from_clustered_scores(measure, label, common)
        elsewhere = self.settings.prior is not None or self.settings.design == "case-control"
        if measure.needs == "scores" or (measure.needs == "losses" and elsewhere and self.positive is not None):
            at = {"prior": self.settings.prior, "design": self.settings.design}
            few = common | {"replicates": min(self.settings.replicates, SCORE_REPLICATES)}
            return metric_interval(measure, self.score_table(label), **at, **few)
        if measure.needs == "losses":
            if elsewhere:
                raise InputError(
                    f"{measure.name} of several classes is not offered at another class mix; leave prior= out"
                )
            moments = self._predictions.moments(self.model, measure.function, **common["options"])
            return metric_interval(measure, moments, **common)
        if not self._predictions.has_class_scores(self.model):
            raise InputError(f"{measure.name} needs one column of scores for each class; {self.model!r} has one in all")
        rows = class_scored_rows(self._predictions, [self.model])
        terms = Terms(confidence=self.settings.confidence, over=common["simultaneous_over"], estimand=self.estimand)
        return class_area_interval(
            measure, rows.codes, rows.scores[0], self.labels, common["options"], terms, rows.clusters
        )

    def _from_clustered_scores(self, measure: Measure, label: Label | None, common: dict[str, Any]) -> Interval:
        """Rows of one cluster may repeat each other: the intervals rest on whole clusters."""
        p, options = self._predictions, dict(common["options"])
        assert p is not None
        terms = Terms(confidence=self.settings.confidence, over=common["simultaneous_over"], estimand=self.estimand)
        if measure.needs == "losses":
            if self.settings.prior is not None or self.settings.design == "case-control":
                raise InputError(f"{measure.name} at another class mix is not offered with clusters; leave one out")
            losses = p.keyed_losses(self.model, "clusters", measure.function, **options)
            return clustered_loss_interval(measure, losses.sizes, losses.sums, options, terms)
        rows = scored_rows(p, [self.model], positive=label)
        assert rows.clusters is not None
        return clustered_score_interval(
            measure, rows.up, rows.scores[:, 0], rows.clusters, options, terms, prior=self.settings.prior,
            rng=common["rng"], replicates=min(self.settings.replicates, SCORE_REPLICATES),
        )  # fmt: skip

    def _positive(self, measure: Measure) -> Label:
        if self.positive is None:
            shown = repr(self.labels[-1]) if self.labels else "a class"
            raise InputError(
                f"{need_positive(self.labels, measure.name)}, or ask for one class with "
                f"[{measure.name!r}, {shown}], or for macro_{measure.name}"
            )
        return self.positive

    def per_class(self) -> dict[tuple[str, Label], Interval]:
        """Precision, recall and F1 of each class that occurs, on the same terms as the other metrics."""
        found: dict[tuple[str, Label], Interval] = {}
        known_mix = self.settings.design == "random" or self.settings.prior is not None
        for name in CLASS_METRICS if known_mix else WITHIN_A_CLASS:
            measure = find_measure(name)
            intervals = class_intervals(
                measure,
                self.confusion,
                confidence=self.settings.confidence,
                method=self.settings.method if measure.situation == "proportion" else None,
                clusters=self.clusters,
                prior=self.settings.prior,
                design=self.settings.design,
                rng=self.settings.rng,
                replicates=self.settings.replicates,
                estimand=self.estimand,
            )
            found |= {(name, label): interval for label, interval in intervals.items()}
        return found
