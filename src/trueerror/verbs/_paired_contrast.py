"""Two models on the same rows: which test and interval their metric calls for, by the decision table."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from trueerror.inference._contrast import contrast, student_p, student_quantile, tail_area
from trueerror.inference.auc._binned import binned_area_contrast
from trueerror.inference.auc._delong import AreaCovariance, delong_covariance
from trueerror.inference.auc._multiclass import class_area_contrast, class_area_rows
from trueerror.inference.auc._tests import area_contrast
from trueerror.inference.bootstrap._paired import paired_bootstrap
from trueerror.inference.bootstrap._paired_scores import paired_score_contrast
from trueerror.inference.calibration import TOO_NARROW, calibration_contrast
from trueerror.inference.counts._paired import mover_paired, paired_metric
from trueerror.inference.loss._mean import infinite_contrast, infinite_rows, loss_range
from trueerror.inference.proportion._paired import mcnemar
from trueerror.inputs._labels import Label, need_positive
from trueerror.inputs._options import InputError, check_word
from trueerror.kernels import chosen
from trueerror.metrics._registry import Measure
from trueerror.results import Alternative, Contrast
from trueerror.sources._predictions import Predictions
from trueerror.tallies import Agreement, Discordance, Moments, ScoreTable
from trueerror.tallies._confusion import BinaryCounts
from trueerror.tallies._moments import Placements
from trueerror.verbs._model_metrics import ScoredRows, Settings, class_scored_rows, scored_rows

Floats = NDArray[np.float64]
MCNEMAR = ("mid-p", "exact", "chi2", "chi2-cc")
ROW_REPLICATES = 2_000


class Pairs:
    """Contrasts of any two of the models, each tally counted once."""

    def __init__(
        self, p: Predictions, measure: Measure, settings: Settings, *, method: str | None, alternative: Alternative
    ) -> None:
        if p.weights_kind == "sampling":
            raise InputError("models cannot yet be compared under sampling weights; evaluate gives each one's interval")
        self.p = p
        self.measure = measure
        self.settings = settings
        self.method = method
        self.alternative = alternative
        self.options = settings.options(measure.name)
        if method is not None:
            check_word(method, ("bootstrap", "delong", "t", *MCNEMAR), "method")

    def contrast(self, first: str, second: str) -> Contrast:
        """First − second, by the method that the metric and the rows call for."""
        found = self._of_two(first, second)._contrast(first, second)
        return replace(found, name=self.measure.title, first=first, second=second, estimand=self.estimand)

    def _of_two(self, first: str, second: str) -> Pairs:
        """With gaps two models are compared on the rows that both answered, whatever the others left out."""
        gaps = any(self.p.absent(m) for m in self.p.models)
        if not gaps or len(self.p.models) == 2 or self.measure.of_labels:
            return self
        two = self.p.select([first, second])
        return Pairs(two, self.measure, self.settings, method=self.method, alternative=self.alternative)

    @property
    def estimand(self) -> str:
        """What the difference is of."""
        return f"the difference in {self.measure.title} between these two models, on rows like these {self.p.n:,}"

    def _contrast(self, first: str, second: str) -> Contrast:
        if self.measure.of_labels:
            if self.p.has_key("clusters"):
                return self._clustered_counts(first, second)
            table = self.p.agreement(first, second, threshold=self.settings.threshold)
            pairs = self.discordance(table)
            if pairs is not None and self.method != "bootstrap":
                return self._mcnemar(pairs)
            self._refuse_mcnemar()
            if self.method is None:
                compared = paired_metric(table, self.measure.name, self._positive(), self.options)
                found = mover_paired(compared, confidence=self.settings.confidence, alternative=self.alternative)
                if found is not None:
                    return found
            return paired_bootstrap(
                table, metric=self.measure.name, positive=self._positive(), replicates=self.settings.replicates,
                confidence=self.settings.confidence, alternative=self.alternative, rng=self.settings.rng,
                **self.options,
            )  # fmt: skip
        self._refuse_mcnemar()
        if self.measure.of_losses:
            return self._losses(first, second)
        if self.measure.area and self.method != "bootstrap":
            return self._areas(first, second)
        if self.measure.calibration_error:
            return self._calibration_errors(first, second)
        if self.measure.of_scores:
            return self._score_bootstrap(first, second)
        return self._class_areas(first, second)

    def _refuse_mcnemar(self) -> None:
        if self.method in MCNEMAR:
            raise InputError(
                f"method={self.method!r} is a form of McNemar's test, which compares shares of rows; "
                f"{self.measure.name} is not one: leave method out"
            )

    def _positive(self) -> Label | None:
        if not self.measure.of_one_class:
            return None
        if self.p.positive is None:
            raise need_positive(self.p.labels, self.measure.name)
        return self.p.positive

    def discordance(self, table: Agreement) -> Discordance | None:
        """Right and wrong row by row, where the metric is a share of rows that the truth alone picks; else None."""
        if self.measure.share is None:
            return None
        if self.measure.right_or_wrong:
            found = table.discordance()
            if self.measure.right_or_wrong == 1:
                return found
            right, first, second, wrong = found
            return Discordance(wrong, second, first, right)
        if not self.measure.of_one_class:
            return None
        index = table.labels.index(self._positive())
        parts = [self._unit_shares(table.truth == index, calls == index) for calls in (table.first, table.second)]
        (x1, n1), (x2, n2) = parts
        if not np.array_equal(n1, n2):
            return None
        counts = table.counts * n1
        both, one, two = (int((counts * w).sum()) for w in (x1 * x2, x1 * (1 - x2), (1 - x1) * x2))
        return Discordance(both, one, two, int(counts.sum()) - both - one - two)

    def _unit_shares(self, positive: NDArray[np.bool_], called: NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """What one row of each cell adds to the metric's successes and trials."""
        assert self.measure.share is not None
        unit = BinaryCounts(
            *(
                part.astype(float)
                for part in (positive & called, ~positive & called, positive & ~called, ~positive & ~called)
            )
        )
        x, n = self.measure.share(unit)
        return np.asarray(x, dtype=float), np.asarray(n, dtype=float)

    def _mcnemar(self, pairs: Discordance) -> Contrast:
        form: Any = self.method if self.method in MCNEMAR else "mid-p"
        return mcnemar(
            pairs.only_first, pairs.only_second, both_right=pairs.both_right, both_wrong=pairs.both_wrong, method=form,
            confidence=self.settings.confidence, alternative=self.alternative,
        )  # fmt: skip

    def _clustered_counts(self, first: str, second: str) -> Contrast:
        """First − second with the variance G/(G − 1)·Σ_g(Σ_c n_gc·d_c)² of its influences, and t(G − 1)."""
        keyed = self.p.keyed_agreement(first, second, "clusters", threshold=self.settings.threshold)
        compared = paired_metric(keyed.table, self.measure.name, self._positive(), self.options)
        influences = compared.influences()
        estimate = compared.difference()
        if influences is None or math.isnan(estimate):
            raise InputError(f"{self.measure.name} cannot be compared over clusters: {compared.why}")
        # A cluster none of whose rows both answered is no unit.
        return self._cluster_t(estimate, keyed.sums(influences)[keyed.sizes > 0], compared.range, keyed.table.n)

    def _cluster_t(self, estimate: float, sums: Floats, whole: tuple[float, float], n: int) -> Contrast:
        groups = len(sums)
        confidence, alternative = self.settings.confidence, self.alternative
        common: dict[str, Any] = {
            "estimate": estimate, "whole": whole, "confidence": confidence, "alternative": alternative,
            "method": "cluster-t-difference", "n": n,
        }  # fmt: skip
        if groups < 2:
            return self._one_cluster(estimate, n)
        df = groups - 1.0
        t = student_quantile(confidence, alternative, df)
        error = math.sqrt(groups / df * float(np.sum(sums**2)))
        if error <= 1e-15:
            half = t * t / (groups + t * t) * whole[1]
            p = 1.0 if estimate == 0 else math.nan
            note = f"no spread between the {groups:,} clusters: limits as for {groups:,} rows that agree"
            return contrast(
                limits=(estimate - half, estimate + half),
                p_value=p,
                statistic=0.0,
                df=df,
                p_better=0.5,
                notes=(note,),
                **common,
            )
        statistic = estimate / error
        return contrast(
            limits=(estimate - t * error, estimate + t * error), statistic=statistic, df=df,
            p_value=student_p(statistic, df, alternative), p_better=self._better(statistic, df),
            notes=(f"{groups:,} clusters",), **common,
        )  # fmt: skip

    def _one_cluster(self, estimate: float, n: int) -> Contrast:
        note = "one cluster alone shows no spread between clusters"
        return contrast(
            estimate=estimate, limits=(math.nan, math.nan), p_value=math.nan, statistic=math.nan, whole=self._reach(),
            confidence=self.settings.confidence, alternative=self.alternative, method="cluster-t-difference", n=n,
            notes=(note,),
        )  # fmt: skip

    def _better(self, statistic: float, df: float) -> float:
        """A flat-prior posterior probability that the first is better."""
        ahead = float(special.stdtr(df, statistic))
        return ahead if self.measure.higher_is_better is not False else 1 - ahead

    def _losses(self, first: str, second: str) -> Contrast:
        loss, options = self.measure.function, self.options
        if not self.p.has_key("clusters"):
            found = self.p.paired_moments(first, second, loss, **options)
            if found.n and not math.isfinite(found.mean):
                return self._infinite(first, second, found.mean, "paired-t-losses", found.n)
            return self.of_moments(found)
        _, sizes, sums = self.p.paired_keyed_losses(first, second, "clusters", loss, **options)
        there = sizes > 0
        sizes, sums = sizes[there], sums[there]
        n = int(sizes.sum())
        if n == 0:
            return self.of_moments(Moments(0, 0.0, 0.0))
        with np.errstate(invalid="ignore"):
            estimate = float(sums.sum()) / n
        if not math.isfinite(estimate):
            return self._infinite(first, second, estimate, "cluster-t-difference", n)
        return self._cluster_t(estimate, (sums - sizes * estimate) / n, self._reach(), n)

    def _infinite(self, first: str, second: str, estimate: float, method: str, n: int) -> Contrast:
        """Nothing can be said of the difference from a loss that is infinite."""
        rows = {m: infinite_rows(self.p, m, self.measure, self.options) for m in (first, second)}
        return infinite_contrast(
            estimate, {m: k for m, k in rows.items() if k}, self.measure, confidence=self.settings.confidence,
            alternative=self.alternative, method=method, n=n,
        )  # fmt: skip

    def _reach(self) -> tuple[float, float]:
        low, high = loss_range(self.measure, self.options)
        return low - high, high - low

    def of_moments(self, m: Moments) -> Contrast:
        """The t-test of paired differences of row losses, from their moments."""
        confidence, alternative = self.settings.confidence, self.alternative
        common: dict[str, Any] = {
            "estimate": m.mean if m.n else math.nan, "whole": self._reach(), "confidence": confidence,
            "alternative": alternative, "method": "paired-t-losses", "n": m.n,
        }  # fmt: skip
        if m.n < 2 or not math.isfinite(m.mean) or not m.squares > 0:
            same = m.n > 0 and m.mean == 0
            note = "the losses are the same on every row" if same else "the losses show no spread to judge by"
            note = note if m.n else "no row has an answer of both"
            reach = self._reach()
            # No row differed: by the rule of three at most a share 1 − α^(1/n) of rows can, each by the whole range.
            half = (1 - tail_area(confidence, alternative) ** (1 / m.n)) * reach[1] if same else math.inf
            return contrast(
                limits=(m.mean - half, m.mean + half), p_value=1.0 if same else math.nan, statistic=0.0,
                p_better=0.5 if m.n else None, notes=(note,), **common,
            )  # fmt: skip
        df = m.n - 1.0
        t, error = student_quantile(confidence, alternative, df), m.standard_error
        statistic = m.mean / error
        return contrast(
            limits=(m.mean - t * error, m.mean + t * error), statistic=statistic, df=df,
            p_value=student_p(statistic, df, alternative), p_better=self._better(statistic, df), **common,
        )  # fmt: skip

    @cached_property
    def _columns(self) -> ScoredRows:
        return scored_rows(self.p, self.p.models)

    @cached_property
    def _placements(self) -> Placements | None:
        """Counted where the rows are, when they are too many to be ranked in memory."""
        return self.p.placements(self.p.models)

    @cached_property
    def _covariance(self) -> AreaCovariance:
        up, scores, _ = self._columns
        return delong_covariance(up, [scores[:, i] for i in range(scores.shape[1])])

    def _areas(self, first: str, second: str) -> Contrast:
        i, j = self.p.models.index(first), self.p.models.index(second)
        scale = self.measure.area
        if self.p.has_key("clusters"):
            found = self._clustered_areas(i, j)
        else:
            confidence, alternative = self.settings.confidence, self.alternative
            binned = self._placements
            if binned is not None:
                found = binned_area_contrast(binned, i, j, confidence=confidence, alternative=alternative)
            else:
                found = area_contrast(self._covariance, i, j, confidence=confidence, alternative=alternative)
        if scale == 1.0:
            return found
        return replace(found, estimate=scale * found.estimate, low=scale * found.low, high=scale * found.high)

    def _clustered_areas(self, i: int, j: int) -> Contrast:
        """Obuchowski's (1997) variance: the rows' placements, summed within clusters."""
        up, scores, keys = self._columns
        assert keys is not None
        _, codes = np.unique(keys, return_inverse=True)
        sizes, others = (np.where(side, up.sum(), (~up).sum()) for side in (up, ~up))
        placed = [chosen(len(up)).placements(scores[:, m], up) / (2.0 * others) for m in (i, j)]
        areas = [float(v[up].mean()) for v in placed]
        rows = ((placed[0] - areas[0]) - (placed[1] - areas[1])) / sizes
        sums = np.bincount(codes, weights=rows).astype(float)
        return self._cluster_t(areas[0] - areas[1], sums, (-1.0, 1.0), len(up))

    def _class_areas(self, first: str, second: str) -> Contrast:
        """Means of areas over classes: DeLong's variance of their difference, by cluster where there are any."""
        if self.method is not None:
            raise InputError(f"method={self.method!r} is not offered for {self.measure.name}: leave it out")
        rows = class_scored_rows(self.p, (first, second))
        if rows.clusters is not None:
            one, two = rows.scores
            estimate, parts = class_area_rows(self.measure, rows.codes, one, two, self.options)
            _, groups = np.unique(rows.clusters, return_inverse=True)
            sums = np.bincount(groups, weights=parts).astype(float)
            return self._cluster_t(estimate, sums, (-1.0, 1.0), len(parts))
        confidence, alternative = self.settings.confidence, self.alternative
        return class_area_contrast(
            self.measure, rows.codes, *rows.scores, options=self.options, confidence=confidence, alternative=alternative
        )

    def _calibration_errors(self, first: str, second: str) -> Contrast:
        """From each model's own limits; clusters are drawn again, for want of a standard error of their gaps."""
        up, scores, keys = self._columns
        if keys is not None or self.method == "bootstrap" or len(up) < 2:
            found = self._score_bootstrap(first, second)
            return replace(found, note="; ".join(note for note in (TOO_NARROW, found.note) if note))
        tables = [ScoreTable.from_codes(up, scores[:, self.p.models.index(m)], 1) for m in (first, second)]
        return calibration_contrast(
            self.measure, *tables, options=self.options, confidence=self.settings.confidence,
            alternative=self.alternative,
        )  # fmt: skip

    def _score_bootstrap(self, first: str, second: str) -> Contrast:
        """Rows, or whole clusters, drawn again, the same ones for both models; expanded percentile limits."""
        up, scores, keys = self._columns
        one, two = (scores[:, self.p.models.index(m)] for m in (first, second))
        if (len(up) if keys is None else len(np.unique(keys))) < 2:
            values = [float(self.measure.function(ScoreTable.from_codes(up, s, 1), **self.options)) for s in (one, two)]
            return self._one_cluster(values[0] - values[1], len(up))
        return paired_score_contrast(
            self.measure, up, one, two, clusters=keys, options=self.options,
            replicates=min(self.settings.replicates, ROW_REPLICATES), confidence=self.settings.confidence,
            alternative=self.alternative, rng=self.settings.rng,
        )  # fmt: skip
