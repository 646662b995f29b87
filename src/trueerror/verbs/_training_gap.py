"""`te.training_gap`: how much better are models on the rows that they were trained on, and which of them overfit?"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from trueerror.findings import Evidence, Findings, find
from trueerror.findings.models import Overfit
from trueerror.inference._many import adjust
from trueerror.inference.proportion._paired import mcnemar
from trueerror.inference.proportion._two_samples import difference
from trueerror.inputs._options import InputError, check_confidence
from trueerror.results import Contrast, DocumentResult, Table
from trueerror.results._document import Document, TableBlock, page
from trueerror.results._format import (
    ci_words,
    common_format,
    estimate_and_limits,
    in_points,
    listing,
    one_line,
    p_cell,
    p_value,
    percent,
)
from trueerror.sources._collect import opened
from trueerror.sources._open_tables import columns_for
from trueerror.sources._predictions import Predictions

ESTIMAND = "this model: accuracy on the rows that it was fitted to, less that on rows like the test rows"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainingGap(DocumentResult):
    """For each model accuracy on the training rows − accuracy on the test rows, and the models that overfit.

    A model overfits against another one when it is better on the training rows, and clearly worse on the test
    rows (McNemar's mid-p test, Holm's correction). Training accuracy is biased upward, so a gap above 0 is usual.
    """

    gaps: tuple[Contrast, ...]
    training: tuple[float, ...]
    test: tuple[float, ...]
    overfits: tuple[Overfit, ...] = ()
    confidence: float = 0.95
    findings: Findings = field(default_factory=Findings)
    method: str = "miettinen-nurminen"

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in order."""
        return tuple(g.name for g in self.gaps)

    def __getitem__(self, model: str) -> Contrast:
        for gap in self.gaps:
            if gap.name == model:
                return gap
        raise InputError(f"there is no model {model!r}; there are {', '.join(map(repr, self.models))}")

    def records(self) -> list[dict[str, object]]:
        """One record for each model."""
        return [
            {
                "model": g.name,
                "training": training,
                "test": test,
                "gap": g.estimate,
                "low": g.low,
                "high": g.high,
                "p_value": g.p_value,
                "overfits_against": ", ".join(o.rival for o in self.overfits if o.model == g.name),
            }
            for g, training, test in zip(self.gaps, self.training, self.test, strict=True)
        ]

    @property
    def verdict(self) -> str:
        """Who overfits, and how large the gaps are."""
        parts = []
        for model in dict.fromkeys(o.model for o in self.overfits):
            worst = [o for o in self.overfits if o.model == model]
            rivals = listing([one_line(o.rival) for o in worst[:4]])
            first = worst[0]
            parts.append(
                f"{one_line(model)} overfits: it is better than {rivals} on the training rows "
                f"({in_points(first.training_lead)} points) and worse on the test rows "
                f"({in_points(first.test_lead)} points, {p_value(first.p_value)})."
            )
        wide = max(self.gaps, key=lambda g: g.estimate)
        shown = common_format(wide.estimate, wide.low, wide.high, least=1, power=2, sign=wide.low <= 0)
        reach = f"{shown(wide.estimate)} points{{}}, {ci_words(wide.low, wide.high, wide.confidence, shown)}."
        if wide.low > 0:
            parts.append(f"{one_line(wide.name)} loses {reach.format(' from training to test rows')}")
        elif not parts:
            parts.append(
                "No model is clearly better on the training rows than on the test rows; the widest gap is "
                f"{one_line(wide.name)}'s, {reach.format('')}"
            )
        return " ".join(parts)

    def document(self) -> Document:
        rows = tuple(
            (
                g.name,
                f"{100 * training:.1f} %",
                f"{100 * test:.1f} %",
                *estimate_and_limits(g.estimate, g.low, g.high, least=1, power=2, sign=True),
                p_cell(p_value(g.p_value)),
            )
            for g, training, test in zip(self.gaps, self.training, self.test, strict=True)
        )
        interval = f"{percent(self.confidence)} CI"
        table = Table(columns=("model", "training", "test", "gap (points)", interval, "p"), rows=rows)
        return page("", [self.verdict], TableBlock(table))

    def _to_data(self) -> dict[str, Any]:
        data = DocumentResult._to_data(self)
        return {**data, "overfits": tuple(tuple(o) for o in self.overfits)}

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> TrainingGap:
        return cls(**{**data, "overfits": tuple(Overfit(*o) for o in data["overfits"])})


def training_gap(test: Any, training: Any, *, confidence: float = 0.95, **columns: Any) -> TrainingGap:
    """Accuracy on the training rows against accuracy on the test rows, for each model, with its uncertainty.

    Both are Predictions, or paths or tables (`columns` go to `te.read`), with the same models by name. The gap is a
    difference of two proportions from different rows (Miettinen and Nurminen's interval). A hypothesis overfits when
    another one has a higher training error and a lower true error (Mitchell 1997, Machine Learning, 3.7); the second
    half is tested on the test rows.

    >>> import trueerror as te
    >>> seen = te.predictions([0, 1] * 100, {"tree": [0, 1] * 100, "logreg": [0, 1] * 85 + [1, 0] * 15})
    >>> new = te.predictions([0, 1] * 100, {"tree": [0, 1] * 75 + [1, 0] * 25, "logreg": [0, 1] * 84 + [1, 0] * 16})
    >>> made = training_gap(new, seen)
    >>> round(made["tree"].estimate, 3), [(o.model, o.rival) for o in made.overfits]
    (0.25, [('tree', 'logreg')])
    """
    level = check_confidence(confidence)
    test, training = (
        opened(source, **columns_for(source, other, columns)) for source, other in ((test, training), (training, test))
    )
    gaps, overfits = _gaps(test, training, level), _overfits(test, training, 1 - level)
    if not gaps:
        raise InputError("no model calls the rows: pass threshold= with scores outside [0, 1]")
    return TrainingGap(
        gaps=gaps, training=tuple(_accuracy(training, g.name) for g in gaps), test=tuple(_accuracy(test, g.name) for g
        in gaps), overfits=overfits, confidence=level, findings=find(_evidence(gaps, overfits)),
    )  # fmt: skip


def training_gap_evidence(test: Predictions, training: Predictions) -> list[Evidence]:
    """What the linter sees of the training rows."""
    return _evidence(_gaps(test, training, 0.95), _overfits(test, training, 0.05))


def _evidence(gaps: tuple[Contrast, ...], overfits: tuple[Overfit, ...]) -> list[Evidence]:
    return [
        Evidence(model=g.name, training_gap=g, overfits=tuple(o for o in overfits if o.model == g.name)) for g in gaps
    ]


def _gaps(test: Predictions, training: Predictions, confidence: float) -> tuple[Contrast, ...]:
    gaps = []
    for model in _common(test, training):
        (x1, n1), (x2, n2) = (_right(p, model) for p in (training, test))
        contrast = difference((x1, n1), (x2, n2), confidence=confidence)
        gaps.append(replace(contrast, name=model, first="training rows", second="test rows", estimand=ESTIMAND))
    return tuple(gaps)


def _overfits(test: Predictions, training: Predictions, level: float) -> tuple[Overfit, ...]:
    pairs = []
    for a, b in combinations(_common(test, training), 2):
        d = test.agreement(a, b).discordance()
        tested = mcnemar(d.only_first, d.only_second, n=d.n)
        pairs.append((a, b, _accuracy(training, a) - _accuracy(training, b), tested.estimate, tested.p_value))
    adjusted = adjust([p for *_, p in pairs]).tolist()
    overfits = []
    for (a, b, on_training, on_test, _), p in zip(pairs, adjusted, strict=True):
        if p <= level and on_training * on_test < 0:
            model, rival = (a, b) if on_training > 0 else (b, a)
            overfits.append(Overfit(model, rival, abs(on_training), -abs(on_test), p))
    return tuple(overfits)


def _common(test: Predictions, training: Predictions) -> list[str]:
    for p, what in ((test, "test"), (training, "training")):
        if p.has_key("repeats"):
            raise InputError(f"the {what} rows hold several repeats of the same items; pass one repeat")
        if p.weights_kind == "sampling":
            raise InputError("the gap to the training rows cannot be had under sampling weights")
    models = [m for m in test.models if m in training.models]
    if not models:
        raise InputError(
            f"no model is in both: the test rows have {', '.join(map(repr, test.models[:6]))}, the training rows "
            f"{', '.join(map(repr, training.models[:6]))}; give them the same names"
        )
    return [m for m in models if test.has_predictions(m) and training.has_predictions(m)]


def _right(p: Predictions, model: str) -> tuple[int, int]:
    t = p.confusion(model)
    return int(t.classes(weighted=False).hits.sum()), t.n


def _accuracy(p: Predictions, model: str) -> float:
    x, n = _right(p, model)
    return x / n if n else float("nan")
