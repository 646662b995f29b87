"""The parts of a system that can be taken out: columns, pipeline steps, settings, transformations, other learners."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from trueerror.inputs.errors import InputError, nearest
from trueerror.studies.lesioned import How, Lesioned

PartKind = Literal["columns", "step", "settings", "transformation", "learner"]
STEP = "step:"
# More columns than this are not each a part of their own unless somebody says so.
MOST_PARTS = 60


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LesionPart:
    """A part under its name, and what taking it out means."""

    name: str
    kind: PartKind
    columns: tuple[int, ...] = ()
    step: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    function: Callable[[Any], Any] | None = None
    learner: Any = None


def find_parts(parts: Any, X: Any, learner: Any, names: Sequence[str] = ()) -> tuple[LesionPart, ...]:
    """The parts as given; without any, every column is one. `names` are those of the columns, where X has none.

    >>> import numpy as np
    >>> found = find_parts({"first two": [0, 1], "third": 2}, np.zeros((5, 3)), None)
    >>> [(p.name, p.columns) for p in found]
    [('first two', (0, 1)), ('third', (2,))]
    """
    names, width = list(names) or column_names(X), int(X.shape[1])
    if parts is None:
        if width > MOST_PARTS:
            raise InputError(f"there are {width:,} columns; say which of them make up the parts: parts={{…}}")
        parts = dict(zip(names, names, strict=True)) if names else {f"column {i}": i for i in range(width)}
    if not isinstance(parts, Mapping):
        if isinstance(parts, str) or not isinstance(parts, Iterable):
            raise InputError('parts must be {"name": columns, step, settings or transformation}')
        parts = {str(p): p for p in parts}
    if not parts:
        raise InputError('parts is empty; pass {"name": columns}')
    return tuple(_part(str(name), given, names, width, learner) for name, given in parts.items())


def column_names(X: Any) -> list[str]:
    """The names of the columns of a frame; none of an array."""
    named = getattr(X, "column_names", None)
    if named is None:
        named = getattr(X, "columns", None)
    return [] if named is None else [str(name) for name in named]


def _part(name: str, given: Any, names: list[str], width: int, learner: Any) -> LesionPart:
    steps = [step for step, _ in getattr(learner, "steps", [])]
    if isinstance(given, Mapping):
        known = list(learner.get_params(deep=True)) if hasattr(learner, "get_params") else []
        for key in given:
            if key not in known:
                raise InputError(f"part {name!r}: the learner has no setting {key!r}{nearest(str(key), known)}")
        return LesionPart(name=name, kind="settings", settings=dict(given))
    if all(callable(getattr(given, method, None)) for method in ("fit", "predict")) and not isinstance(given, type):
        return LesionPart(name=name, kind="learner", learner=given)
    if callable(given):
        return LesionPart(name=name, kind="transformation", function=given)
    if isinstance(given, str) and (given.startswith(STEP) or (given in steps and given not in names)):
        return LesionPart(name=name, kind="step", step=_step(name, given.removeprefix(STEP), steps))
    columns = sorted({i for spec in _listed(given) for i in _columns(name, spec, names, width)})
    if not columns:
        raise InputError(f"part {name!r} has no columns")
    return LesionPart(name=name, kind="columns", columns=tuple(columns))


def _step(name: str, step: str, steps: list[str]) -> str:
    if step not in steps:
        there = "the learner is no pipeline" if not steps else f"there is no step {step!r}{nearest(step, steps)}"
        raise InputError(f"part {name!r}: {there}")
    if step == steps[-1]:
        raise InputError(f"part {name!r}: {step!r} is the last step, without which nothing is learned")
    return step


def _listed(given: Any) -> Sequence[Any]:
    if isinstance(given, str | slice | bool) or not isinstance(given, Iterable):
        return [given]
    values = list(given)
    if values and all(isinstance(v, bool | np.bool_) for v in values):
        return [np.asarray(values)]
    return values


def _columns(name: str, spec: Any, names: list[str], width: int) -> list[int]:
    """Positions of columns: by name, by a prefix such as "mean_*", by position, slice or mask."""
    if isinstance(spec, str):
        if not names:
            raise InputError(f"part {name!r}: X has no column names, so {spec!r} cannot be found; use positions")
        if spec.endswith("*"):
            found = [i for i, column in enumerate(names) if column.startswith(spec[:-1])]
            if not found:
                raise InputError(f"part {name!r}: no column begins with {spec[:-1]!r}; there are {_some(names)}")
            return found
        if spec not in names:
            raise InputError(f"part {name!r}: there is no column {spec!r}{nearest(spec, names)}")
        return [i for i, column in enumerate(names) if column == spec]
    if isinstance(spec, slice):
        return list(range(width))[spec]
    if isinstance(spec, np.ndarray):
        if len(spec) != width:
            raise InputError(f"part {name!r}: the mask has {len(spec):,} values for {width:,} columns")
        return np.flatnonzero(spec).tolist()
    if isinstance(spec, bool) or not isinstance(spec, int | np.integer) or not -width <= spec < width:
        raise InputError(f"part {name!r}: {spec!r} is no column; there are {width:,}")
    return [int(spec) % width]


def _some(names: list[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")


def without(learner: Any, parts: Sequence[LesionPart], how: How) -> Lesioned:
    """The learner with these parts taken out."""
    made = copy.deepcopy(learner)
    columns: set[int] = set()
    functions: list[Callable[[Any], Any]] = []
    for part in parts:
        if part.kind == "learner":
            if len(parts) > 1:
                raise InputError(
                    f"part {part.name!r} is a learner of its own, which cannot be taken out together with others"
                )
            made = copy.deepcopy(part.learner)
        elif part.kind == "step":
            made.set_params(**{part.step: "passthrough"})
        elif part.kind == "settings":
            made.set_params(**part.settings)
        elif part.function is not None:
            functions.append(part.function)
        columns.update(part.columns)
    return Lesioned(made, tuple(sorted(columns)), how, tuple(functions))
