"""Results to JSON and back: plain data only, so a file from a stranger is safe to read.

NaN becomes null and the infinities become "Infinity" and "-Infinity" (a text of that name becomes an object); each
object carries its type's name under `"type"`, and the outermost one the version of the schema. Only results of this
library can be read back.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import math
import stat
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from trueerror._errors import InputError, one_line
from trueerror.results._format import clip

SCHEMA = "trueerror/1"
MOST_SAVED = 256 << 20  # bytes of a saved result
DAMAGED = "this saved result is damaged: "
# Sentences that a type makes from its own fields: written for those who read the JSON, made anew when it is loaded.
SENTENCES = ("verdict", "reason")

Made = TypeVar("Made")
# Types that can be read back, by name: each result registers itself when its module is imported (see `Result`).
TYPES: dict[str, type] = {}
# How the infinities are written; a text that reads the same, such as a class of that name, is written as an object.
INFINITIES = {"Infinity": math.inf, "-Infinity": -math.inf}


def encode(value: Any, around: str = "") -> Any:
    """Any result, or what results hold, as JSON-ready data.

    Said once is enough: optional fields that are empty are left out, and so is an `estimand` that is that of the result
    `around`. A mapping with names for keys is an object; other keys, such as numbers, travel as pairs.
    """
    if isinstance(value, str) and value in INFINITIES:
        return {"type": "text", "text": str(value)}
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return None
        if math.isinf(value):
            return next(word for word, meant in INFINITIES.items() if meant == value)
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
    estimand = data.get("estimand")
    kind: Any = type(value)
    left_out = {
        k
        for k, usual in _optional(kind).items()
        if k not in data or data[k] is None or (isinstance(data[k], str) and data[k] == usual)
    }
    if isinstance(estimand, str) and "estimand" in _optional(kind):
        # Beside another one an empty estimand must be written, or it would be taken for that.
        left_out = left_out | {"estimand"} if estimand == around else left_out - {"estimand"}
    inner = estimand if isinstance(estimand, str) and estimand else around
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
def _optional(kind: type) -> dict[str, str | None]:
    """Fields that are empty unless something is said, and what they are then."""
    if not dataclasses.is_dataclass(kind):
        return {}
    return {f.name: f.default for f in dataclasses.fields(kind) if f.default is None or f.default == ""}


def decode(data: Any, around: str = "") -> Any:
    """The inverse of `encode`; lists come back as tuples."""
    if isinstance(data, str):
        return INFINITIES.get(data, data)
    if isinstance(data, list):
        return tuple(decode(item, around) for item in data)
    if not isinstance(data, dict):
        return data
    name = data.get("type")
    if name is None:
        return {k: decode(v, around) for k, v in data.items()}
    if name == "text":
        return str(data["text"])
    if name == "mapping":
        return {decode(k): decode(v, around) for k, v in data["pairs"]}
    kind: Any = _type_named(name)
    estimand = data.get("estimand")
    inner = estimand if isinstance(estimand, str) and estimand else around
    fields = {k: decode(v, inner) for k, v in data.items() if k not in ("type", "schema", *_sentences(kind))}
    if estimand is None and around and "estimand" in _fields(kind):
        fields["estimand"] = around
    return kind._from_data(fields)


def _type_named(name: object) -> type:
    """The type of a saved result; the module that defines it is imported when a file asks for it."""
    if name not in TYPES and isinstance(name, str):
        package = Path(__file__).parents[1]
        for path in sorted(package.rglob("*.py")):
            if f"\nclass {name}(" in path.read_text(encoding="utf-8"):
                import_module(".".join(path.relative_to(package.parent).with_suffix("").parts))
    if name not in TYPES:
        raise InputError(f"this is not a saved trueerror result: unknown type {name!r:.40}")
    return TYPES[str(name)]


def fields_of(result: object) -> tuple[dataclasses.Field[object], ...]:
    """The fields of a dataclass or of one made of it; none of anything else."""
    return dataclasses.fields(result) if dataclasses.is_dataclass(result) else ()


def from_fields(kind: type[Made], data: dict[str, Any]) -> Made:
    """A dataclass from its decoded fields: null in a float field was NaN; unknown fields are refused."""
    fields = {f.name: f for f in fields_of(kind)}
    unknown = sorted(set(data) - set(fields))
    if unknown:
        raise InputError(f"a saved {kind.__name__} has unknown fields: {', '.join(unknown)}")
    # None in a field that may be absent is left out, so null was NaN there too.
    absent = {k for k, f in fields.items() if f.type == "float" or (f.type == "float | None" and f.default is None)}
    restored = {k: math.nan if v is None and k in absent else v for k, v in data.items()}
    made: Any = kind
    hints = _hints(made)
    for name, value in restored.items():
        if not fits(value, hints[name]):
            raise InputError(f"{DAMAGED}{name} of {kind.__name__} is {value!r:.40}")
    low: Any = restored.get("low")
    high: Any = restored.get("high")
    if isinstance(low, int | float) and isinstance(high, int | float) and low > high:
        raise InputError(f"{DAMAGED}its low limit {low:g} lies above its high limit {high:g}")
    estimate: Any = restored.get("estimate")
    if "confidence" in fields and all(isinstance(x, int | float) for x in (low, estimate, high)):
        slack = 1e-9 * max(1.0, abs(estimate))
        if estimate < low - slack or estimate > high + slack:
            raise InputError(f"{DAMAGED}its estimate {estimate:g} lies outside its limits")
    for name, (least, most) in RANGES.items():
        value = restored.get(name)
        if isinstance(value, int | float) and not (math.isnan(value) or value == math.inf or least <= value <= most):
            raise InputError(f"{DAMAGED}{name} of {kind.__name__} is {value!r:.40}")
    return kind(**restored)


# What fields of these names can be, wherever they are; a number of rows or of degrees of freedom may be infinite.
RANGES = {
    **dict.fromkeys(("confidence", "alpha", "p_value"), (0, 1)),
    **dict.fromkeys(("n", "rows", "df", "replicates"), (0, 1e150)),
}


@functools.cache
def _hints(kind: type) -> dict[str, object]:
    return get_type_hints(kind)


def fits(value: object, hint: object) -> bool:
    """Whether a decoded value can stand where a type is written; None among numbers was NaN, arrays come as tuples.

    >>> fits((1, 2.5, None), tuple[float, ...]), fits("1", float), fits(True, int), fits({"a": 1}, dict[str, int])
    (True, False, False, True)
    """
    hint = getattr(hint, "__bound__", None) or hint
    kind, inner = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return any(fits(value, one) for one in inner)
    if kind is Literal:
        return any(value is one or (isinstance(value, str) and value == one) for one in inner)
    if kind is float:
        return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind is tuple and isinstance(value, tuple):
        each = inner[:1] * len(value) if inner[1:] == (...,) else inner
        return len(value) == len(each) and all(map(fits, value, each))
    if isinstance(kind, type) and issubclass(kind, Mapping) and kind.__name__ not in TYPES:
        return isinstance(value, Mapping) and (
            not inner or all(fits(k, inner[0]) and fits(v, inner[1]) for k, v in value.items())
        )
    # Arrays are checked where they are made.
    return not isinstance(kind, type) or kind.__module__ in ("numpy", "typing") or isinstance(value, kind)


def dumps(value: Any, *, indent: int | None = 2) -> str:
    """A result as a JSON text with its schema's version."""
    data = encode(value)
    return json.dumps({"schema": SCHEMA, **data}, indent=indent, ensure_ascii=False, allow_nan=False)


def _numbers_raise() -> contextlib.AbstractContextManager[object]:
    """Where NumPy is there, an overflow is an error and not a warning."""
    numpy = sys.modules.get("numpy")
    return contextlib.nullcontext() if numpy is None else numpy.errstate(over="raise", invalid="raise", divide="raise")


def _saved(path: Path) -> str:
    """The text of a file; nothing of a pipe or a device, which may never end."""
    name = clip(one_line(str(path)), 60)
    try:
        about = path.stat()
        fits = stat.S_ISREG(about.st_mode) and about.st_size <= MOST_SAVED
        text = path.read_text(encoding="utf-8") if fits else ""
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror or error}") from None
    except ValueError as error:  # a name with a zero byte
        raise InputError(f"{name} is not a {'text file' if isinstance(error, UnicodeError) else 'path'}") from None
    if not fits:
        raise InputError(f"{name} is no saved trueerror result: a folder, a pipe, a device, or too large")
    return text


def load(path_or_text: str | Path) -> Any:
    """Read back what `.to_json()` wrote, from a file or from the text itself.

    >>> import trueerror as te
    >>> te.load(te.interval(15, 20).to_json()) == te.interval(15, 20)
    True
    """
    if not isinstance(path_or_text, str | Path):
        raise InputError(f"te.load takes the path of a saved result, or its text, not {path_or_text!r:.40}")
    is_text = isinstance(path_or_text, str) and path_or_text.lstrip().startswith("{")
    text = str(path_or_text) if is_text else _saved(Path(path_or_text))
    if text.count("[") + text.count("{") > 1_000_000 + len(text) // 16:
        raise InputError("this is not a saved trueerror result: it holds too many lists")
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}: {error.msg}"
        raise InputError(f"not valid JSON at {place}; te.load reads what .to_json() wrote") from None
    except (ValueError, RecursionError) as error:  # Python refuses to read numbers of thousands of digits
        what = "is nested too deeply" if isinstance(error, RecursionError) else "holds a number with too many digits"
        raise InputError(f"this is not a saved trueerror result: it {what}") from None
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        raise InputError(f'this is not a saved trueerror result: its "schema" is {schema!r:.40}, not {SCHEMA!r}')
    try:
        result = decode(data)
        with _numbers_raise():  # what cannot be shown is damaged as well
            str(result)
            result.records()
            result._repr_html_()
        return result
    except ValueError as error:
        known = str(error).startswith(("this ", "a saved"))
        raise InputError(f"{'' if known else DAMAGED}{error!s:.250}") from None
    except RecursionError:
        raise InputError("this is not a saved trueerror result: it is nested too deeply") from None
    except (TypeError, KeyError, AttributeError, IndexError, ArithmeticError, StopIteration) as error:
        raise InputError(f"{DAMAGED}{error!s:.250}") from None
