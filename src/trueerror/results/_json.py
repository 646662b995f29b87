"""Results to JSON and back: plain data only, so a file from a stranger is safe to read.

NaN becomes null and the infinities become "Infinity" and "-Infinity"; each object carries its type's name under
`"type"`, and the outermost one the version of the schema. Only the types that are named here can be read back.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

SCHEMA = "trueerror/1"
# Sentences that a type makes from its own fields: written for those who read the JSON, made anew when it is loaded.
SENTENCES = ("verdict", "reason")

# Where each readable type lives. The rooms below this one are reached by name, when a file asks for them.
HOMES = {
    "Interval": "trueerror.results._values",
    "Contrast": "trueerror.results._values",
    "Test": "trueerror.results._values",
    "Posterior": "trueerror.results._values",
    "Table": "trueerror.results._tables",
    "Confusion": "trueerror.tallies._confusion",
    "ScoreTable": "trueerror.tallies._scores",
    "Catalogue": "trueerror.metrics._registry",
    "PrecisionRecall": "trueerror.curves._precision_recall",
    "RetrievalPoint": "trueerror.curves._precision_recall",
    "PrecisionRecallGain": "trueerror.curves._precision_recall",
    "Gains": "trueerror.curves._gains",
    "Lift": "trueerror.curves._gains",
    "Det": "trueerror.curves._det",
    "ErrorPoint": "trueerror.curves._det",
    "RiskCoverage": "trueerror.curves._risk_coverage",
    "CostCurve": "trueerror.curves._cost",
    "CostPoint": "trueerror.curves._cost",
    "BrierCurve": "trueerror.curves._brier",
    "Calibration": "trueerror.curves._calibration",
    "CalibrationError": "trueerror.curves._calibration",
    "DecisionCurve": "trueerror.curves._decision",
    "MeasureCurve": "trueerror.curves._measure",
    "AverageCurve": "trueerror.curves._folds",
    "Roc": "trueerror.curves._roc",
    "RocPoint": "trueerror.curves._roc",
    "RocBand": "trueerror.curves._roc",
    "RocHull": "trueerror.curves._hull",
    "HullCorner": "trueerror.curves._hull",
    "HullRanges": "trueerror.curves._hull",
    "HullChoice": "trueerror.curves._hull",
    "Mixture": "trueerror.curves._hull",
    "IsoLine": "trueerror.curves._operating_point",
    "OperatingPoint": "trueerror.curves._operating_point",
    "RocDifference": "trueerror.curves._roc_difference",
    "Finding": "trueerror.findings._rules",
    "Findings": "trueerror.findings._rules",
    "Evaluation": "trueerror.verbs._evaluation",
    "ModelEvaluation": "trueerror.verbs._evaluation",
    "Comparison": "trueerror.verbs._comparison",
    "CostComparison": "trueerror.verbs._compare_costs",
    "Gate": "trueerror.verbs._gate_result",
    "GateCheck": "trueerror.verbs._gate_result",
    "Ranking": "trueerror.inference.ranking._ranking",
    "LearnerRanking": "trueerror.verbs._ranking_result",
    "TrainingGap": "trueerror.verbs._training_gap",
    "Power": "trueerror.inference.power._plan",
    "Bootstrapped": "trueerror.verbs._bootstrap",
    "Summary": "trueerror.experiments._summary",
    "LearnerEstimate": "trueerror.experiments._summary",
    "LearningCurve": "trueerror.studies._learning_curve_result",
    "CurvePoint": "trueerror.studies._learning_curve_result",
    "CurveFit": "trueerror.studies._learning_curve_result",
    "Crossing": "trueerror.studies._learning_curve_result",
    "LesionStudy": "trueerror.studies._ablation",
    "Contribution": "trueerror.studies._ablation",
    "BiasVariance": "trueerror.studies._bias_variance",
    "LossParts": "trueerror.studies._bias_variance",
    "EstimatorLaboratory": "trueerror.studies._simulation",
    "EstimatorQuality": "trueerror.studies._simulation",
    "Overfitting": "trueerror.studies._overfitting",
    "ComplexityPoint": "trueerror.studies._overfitting",
    "OverfitPair": "trueerror.studies._overfitting",
}


def encode(value: Any, around: str = "") -> Any:
    """Any result, or what results hold, as JSON-ready data.

    Said once is enough: optional fields that are empty are left out, and so is an `estimand` that is that of the result
    `around`. A mapping with names for keys is an object; other keys, such as numbers, travel as pairs.
    """
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return None
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return value
    if hasattr(value, "_to_data"):
        return _encode_result(value, around)
    if isinstance(value, Mapping):
        if all(isinstance(k, str) for k in value) and "type" not in value:
            return {k: encode(v, around) for k, v in value.items()}
        return {"type": "mapping", "pairs": [[encode(k), encode(v, around)] for k, v in value.items()]}
    if isinstance(value, tuple | list):
        return [encode(item, around) for item in value]
    if hasattr(value, "tolist"):  # NumPy scalars and arrays, without loading NumPy here
        return encode(value.tolist(), around)
    raise TypeError(f"cannot write a {type(value).__name__} as JSON")


def _encode_result(value: Any, around: str) -> dict[str, Any]:
    data = value._to_data()
    own = data.get("estimand")
    kind: Any = type(value)
    left_out = {k for k in _optional(kind) if data.get(k) is None or (isinstance(data[k], str) and not data[k])}
    if isinstance(own, str) and "estimand" in _fields(kind):
        # Beside another one an empty estimand must be written, or it would be taken for that.
        left_out = left_out | {"estimand"} if own == around else left_out - {"estimand"}
    inner = own if isinstance(own, str) and own else around
    return {
        "type": type(value).__name__,
        **{k: words for k in _sentences(kind) if (words := getattr(value, k))},
        **{k: encode(v, inner) for k, v in data.items() if k not in left_out},
    }  # fmt: skip


@functools.cache
def _sentences(kind: type) -> tuple[str, ...]:
    return tuple(name for name in SENTENCES if isinstance(getattr(kind, name, None), property))


@functools.cache
def _fields(kind: type) -> frozenset[str]:
    return frozenset(f.name for f in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else frozenset()


@functools.cache
def _optional(kind: type) -> frozenset[str]:
    """Fields that are empty unless something is said."""
    if not dataclasses.is_dataclass(kind):
        return frozenset()
    return frozenset(f.name for f in dataclasses.fields(kind) if f.default is None or f.default == "")


def decode(data: Any, around: str = "") -> Any:
    """The inverse of `encode`; lists come back as tuples."""
    if data == "Infinity":
        return math.inf
    if data == "-Infinity":
        return -math.inf
    if isinstance(data, list):
        return tuple(decode(item, around) for item in data)
    if not isinstance(data, dict):
        return data
    name = data.get("type")
    if name is None:
        return {k: decode(v, around) for k, v in data.items()}
    if name == "mapping":
        return {decode(k): decode(v, around) for k, v in data["pairs"]}
    if name not in HOMES:
        raise ValueError(f"this is not a saved trueerror result: unknown type {name!r}")
    kind = getattr(import_module(HOMES[name]), name)
    own = data.get("estimand")
    inner = own if isinstance(own, str) and own else around
    fields = {k: decode(v, inner) for k, v in data.items() if k not in ("type", "schema", *_sentences(kind))}
    if own is None and around and "estimand" in _fields(kind):
        fields["estimand"] = around
    return kind._from_data(fields)


def from_fields(kind: type, data: dict[str, Any]) -> Any:
    """A dataclass from its decoded fields: null in a float field was NaN; unknown fields are refused."""
    fields = {f.name: f for f in dataclasses.fields(kind)}
    unknown = sorted(set(data) - set(fields))
    if unknown:
        raise ValueError(f"a saved {kind.__name__} has unknown fields: {', '.join(unknown)}")
    restored = {k: math.nan if v is None and fields[k].type == "float" else v for k, v in data.items()}
    return kind(**restored)


def dumps(value: Any, *, indent: int | None = 2) -> str:
    """A result as a JSON text with its schema's version."""
    data = encode(value)
    return json.dumps({"schema": SCHEMA, **data}, indent=indent, ensure_ascii=False, allow_nan=False)


def load(path_or_text: str | Path) -> Any:
    """Read back what `.to_json()` wrote, from a file or from the text itself.

    >>> import trueerror as te
    >>> te.load(te.interval(15, 20).to_json()) == te.interval(15, 20)
    True
    """
    text = str(path_or_text)
    if isinstance(path_or_text, Path) or not text.lstrip().startswith("{"):
        path = Path(path_or_text)
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise ValueError(f"cannot read {path}: {error.strerror or error}") from None
        except UnicodeDecodeError:
            raise ValueError(f"{path} is not a text file") from None
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"not valid JSON at line {error.lineno}, column {error.colno}: {error.msg}; "
            "te.load reads what .to_json() wrote"
        ) from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        raise ValueError(f'this is not a saved trueerror result: its "schema" is {schema!r}, not {SCHEMA!r}')
    try:
        return decode(data)
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"this saved result is damaged: {error}") from None
