"""An evaluation: what is known about models on one test sample, each number with its interval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, Self

from trueerror.curves._operating_point import OperatingPoint
from trueerror.findings import Findings
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError, nearest
from trueerror.metrics._registry import find_measure
from trueerror.results import Interval, Result, Table, Text
from trueerror.tallies import Confusion
from trueerror.tallies._confusion import is_graded
from trueerror.verbs._model_metrics import ModelMetrics, Settings


class ModelEvaluation(Result):
    """One model: its confusion matrix, its metrics, and the constant classifier beside it.

    `confusion` is None for scores that were never cut into calls. `counts_suffice` says whether the confusion matrix
    alone, as a saved evaluation has it, gives further metrics: not where rows are clustered or another class mix or
    design was asked for. `cheapest` is the cost-optimal threshold, where costs or a class mix were given with scores.
    """

    __slots__ = (
        "_bench",
        "_classes",
        "_selective",
        "baseline",
        "baseline_label",
        "baseline_p",
        "cheapest",
        "confusion",
        "counts_suffice",
        "name",
        "overall",
        "positive",
    )
    name: str
    confusion: Confusion | None
    positive: Label | None
    overall: dict[str, Interval]
    baseline: Interval
    baseline_label: Label | None
    baseline_p: float
    counts_suffice: bool
    cheapest: OperatingPoint | None
    _bench: ModelMetrics | None
    _classes: dict[tuple[str, Label], Interval] | None
    _selective: dict[float, Interval] | None

    def __init__(
        self,
        *,
        name: str,
        confusion: Confusion | None,
        positive: Label | None,
        overall: dict[str, Interval],
        baseline: Interval,
        baseline_label: Label | None,
        baseline_p: float,
        counts_suffice: bool = True,
        cheapest: OperatingPoint | None = None,
        selective: dict[float, Interval] | None = None,
        classes: dict[tuple[str, Label], Interval] | None = None,
        bench: ModelMetrics | None = None,
    ) -> None:
        fields = {
            "name": name,
            "confusion": confusion,
            "positive": positive,
            "overall": overall,
            "baseline": baseline,
            "baseline_label": baseline_label,
            "baseline_p": baseline_p,
            "counts_suffice": counts_suffice,
            "cheapest": cheapest,
            "_selective": selective,
            "_classes": classes,
            "_bench": bench,
        }
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("an evaluation is frozen")

    def __reduce__(self) -> Any:
        return (ModelEvaluation._from_data, (self._to_data(),))

    @property
    def bench(self) -> ModelMetrics:
        """Where further metrics come from; a loaded evaluation still has its confusion matrix."""
        if self._bench is None:
            if self.confusion is None:
                raise InputError(f"a loaded evaluation of {self.name} holds no counts, so no further metric can be had")
            if not self.counts_suffice:
                raise InputError(
                    f"a loaded evaluation of {self.name} holds its counts, but not the clusters, prior= or design= "
                    "that its intervals rest on, so no further metric can be had: evaluate the rows again"
                )
            level = next((i.confidence for i in self.overall.values()), 0.95)
            made = ModelMetrics(
                self.name, Settings(confidence=level), confusion=self.confusion, estimand=self.baseline.estimand
            )
            object.__setattr__(self, "_bench", made)
            return made
        return self._bench

    @property
    def classes(self) -> dict[tuple[str, Label], Interval]:
        """Precision, recall and F1 of each class."""
        if self._classes is None:
            none = self.confusion is None or is_graded(self.confusion)
            found = {} if none else self.bench.per_class()
            object.__setattr__(self, "_classes", found)
            return found
        return self._classes

    @property
    def selective(self) -> dict[float, Interval]:
        """Accuracy on the most confident share of the rows, by share, where the model has scores."""
        if self._selective is None:
            from trueerror.verbs._model_metrics import confident_shares

            found = {} if self._bench is None else confident_shares(self._bench)
            object.__setattr__(self, "_selective", found)
            return found
        return self._selective

    def metric(self, name: str, label: Any = None) -> Interval:
        """A metric that was asked for, or any other that the counts can give."""
        measure = find_measure(name)
        if label is None:
            return self.overall.get(measure.name) or self.bench.interval(measure.name)
        return self.classes.get((measure.name, label)) or self.bench.interval(measure.name, label)

    def _made_by(self) -> list[tuple[str, object]]:
        return [(name, made) for name, made in self.overall.items()]

    def records(self) -> list[dict[str, object]]:
        rows: list[tuple[str, Label | None, Interval]] = [(m, None, i) for m, i in self.overall.items()]
        rows += [(m, label, i) for (m, label), i in self.classes.items()]
        rows += [(f"accuracy of always {self.baseline_label}", None, self.baseline)]
        rows += [(f"accuracy on the most confident {share:.0%}", None, i) for share, i in self.selective.items()]
        return [
            {
                "model": self.name,
                "metric": metric,
                "class": label,
                "estimate": i.estimate,
                "low": i.low,
                "high": i.high,
                "confidence": i.confidence,
                "method": i.method,
                "n": i.n,
                "note": i.note,
            }
            for metric, label, i in rows
        ]

    def _to_data(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "confusion": self.confusion,
            "positive": self.positive,
            "overall": self.overall,
            "baseline": self.baseline,
            "baseline_label": self.baseline_label,
            "baseline_p": self.baseline_p,
            "counts_suffice": self.counts_suffice,
            "cheapest": self.cheapest,
            "selective": self.selective,
            "classes": self.classes,
        }

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        restored = data | {"baseline_p": float("nan") if data["baseline_p"] is None else data["baseline_p"]}
        return cls(**restored)

    def __str__(self) -> str:
        from trueerror.verbs._evaluation_text import one_model

        return one_model(self)


class Evaluation(Result):
    """One or several models on one test sample.

    `ev["accuracy"]` is an Interval, `ev["recall", "b"]` that of one class; any registered metric can be asked for.
    With several models, `ev.model(name)` gives one; `ev.slices[value]` gives the evaluation of a slice.
    """

    __slots__ = ("_frames", "estimand", "findings", "labels", "n", "parts", "reading", "settings", "slices")
    n: int
    labels: tuple[Label, ...]
    parts: tuple[ModelEvaluation, ...]
    reading: str
    estimand: str
    findings: Findings
    slices: dict[Label, Evaluation]
    settings: dict[str, Any]
    _frames: str | None

    def __init__(
        self,
        *,
        n: int,
        labels: tuple[Label, ...],
        parts: tuple[ModelEvaluation, ...],
        reading: str,
        estimand: str,
        findings: Findings,
        slices: Mapping[Label, Evaluation] | None = None,
        settings: Mapping[str, Any] | None = None,
        backend: str | None = None,
    ) -> None:
        fields = {
            "n": n,
            "labels": labels,
            "parts": parts,
            "reading": reading,
            "estimand": estimand,
            "findings": findings,
            "slices": dict(slices or {}),
            "settings": dict(settings or {}),
            "_frames": backend,
        }
        for field, value in fields.items():
            object.__setattr__(self, field, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("an evaluation is frozen")

    def __reduce__(self) -> Any:
        return (Evaluation._from_data, ({**self._to_data(), "backend": self._frames},))

    @property
    def _backend(self) -> str | None:  # type: ignore[override]
        return self._frames

    @property
    def models(self) -> tuple[str, ...]:
        """The models' names."""
        return tuple(p.name for p in self.parts)

    @property
    def positive(self) -> Label | None:
        """The positive class, where there is one."""
        return self.parts[0].positive

    def model(self, name: str) -> Evaluation:
        """The evaluation of one of the models."""
        for part in self.parts:
            if part.name == name:
                kept = Findings(items=tuple(f for f in self.findings if f.about in ("", name)))
                slices = {value: s.model(name) for value, s in self.slices.items()}
                return Evaluation(
                    n=self.n,
                    labels=self.labels,
                    parts=(part,),
                    reading=self.reading,
                    estimand=self.estimand,
                    findings=kept,
                    slices=slices,
                    settings=self.settings,
                    backend=self._frames,
                )
        raise InputError(f"there is no model {name!r}{nearest(name, self.models)}")

    def without(self, *codes: str) -> Evaluation:
        """The same evaluation with some findings silenced, by code."""
        if not codes:
            return self
        slices = {value: inner.without(*codes) for value, inner in self.slices.items()}
        return Evaluation(
            n=self.n,
            labels=self.labels,
            parts=self.parts,
            reading=self.reading,
            estimand=self.estimand,
            findings=self.findings.without(*codes),
            slices=slices,
            settings=self.settings,
            backend=self._frames,
        )

    @property
    def only(self) -> ModelEvaluation:
        """The one model; an error that names them when there are several."""
        if len(self.parts) != 1:
            names = ", ".join(repr(m) for m in self.models[:6])
            raise InputError(f"there are {len(self.parts)} models: choose one with .model(name) among {names}")
        return self.parts[0]

    @property
    def confusion(self) -> Confusion:
        """The confusion matrix of the one model."""
        if self.only.confusion is None:
            raise InputError(f"the scores of {self.only.name} were not cut into calls: pass threshold= to evaluate")
        return self.only.confusion

    @property
    def verdict(self) -> str:
        """How good the models are, in a sentence or two of plain words."""
        from trueerror.verbs._evaluation_text import spoken_verdict

        return spoken_verdict(self)

    @property
    def cheapest(self) -> OperatingPoint | None:
        """The cost-optimal threshold of the one model, where costs or a class mix were given with scores."""
        return self.only.cheapest

    @property
    def baseline(self) -> Interval:
        """The accuracy of always answering the commonest class."""
        return self.parts[0].baseline

    @property
    def risk_coverage(self) -> dict[float, Interval]:
        """Accuracy on the most confident share of the rows, by share, where the model has scores."""
        return self.only.selective

    def __getitem__(self, key: str | tuple[str, Any]) -> Interval:
        name, label = key if isinstance(key, tuple) else (key, None)
        return self.only.metric(name, label)

    def records(self) -> list[dict[str, object]]:
        """One record for each model, metric and class, and the same for each slice."""
        rows = [record for part in self.parts for record in part.records()]
        if not self.slices:
            return rows
        rows = [{"slice": None, **record} for record in rows]
        for value, inner in self.slices.items():
            rows += [{"slice": value, **record} for record in inner.records()]
        return rows

    def _table(self) -> Table:
        from trueerror.verbs._evaluation_text import overall_table

        return overall_table(self)

    def __str__(self) -> str:
        from trueerror.verbs._evaluation_text import evaluation_text

        return evaluation_text(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from trueerror.verbs._evaluation_text import evaluation_html

        return evaluation_html(self)

    def explain(self) -> Text:
        """Each method that was used, with formula, source and what it assumes."""
        from trueerror.methods import explain, method

        used: dict[str, list[str]] = {}
        for part in self.parts:
            for name, interval in part.overall.items():
                if interval.method and name not in used.setdefault(interval.method, []):
                    used[interval.method].append(name)
        blocks = [f"{self.reading}\n{self.estimand}"]
        for key, names in used.items():
            blocks.append(f"{method(key).title}: {', '.join(names)}\n{explain(key)}")
        return Text("\n\n".join(blocks))

    def _to_data(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "labels": self.labels,
            "parts": self.parts,
            "reading": self.reading,
            "estimand": self.estimand,
            "findings": self.findings,
            "slices": self.slices,
            "settings": self.settings,
        }

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> Self:
        return cls(**data)
