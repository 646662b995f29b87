"""The learners: anything with fit and predict by scikit-learn's conventions; copies, seeds, fingerprints."""

from __future__ import annotations

import copy
import hashlib
import json
import platform
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np

from trueerror.inputs._options import InputError
from trueerror.sources._models import named_estimators

Value = TypeVar("Value")

# Anything with fit and predict, by scikit-learn's conventions.
Learner: TypeAlias = Any


def as_learners(learners: Learner | Mapping[str, Learner] | Sequence[Learner]) -> dict[str, Learner]:
    """Learners by name; estimators without one go by the name of their class, or of their pipeline's last step."""
    if not isinstance(learners, Mapping):
        learners = named_estimators(learners)
    if not learners:
        raise InputError('learners is empty; pass {"name": estimator}')
    for name, learner in learners.items():
        if isinstance(learner, type):
            raise InputError(
                f"learner {name!r} is the class {learner.__name__}; pass an instance: {learner.__name__}()"
            )
        for method in ("fit", "predict"):
            if not callable(getattr(learner, method, None)):
                raise InputError(f"learner {name!r} is a {type(learner).__name__} without {method}()")
    return by_name(learners, "learners")


def by_name(given: Mapping[Any, Value], option: str) -> dict[str, Value]:
    """The same under names of text; two names with the same text are an error."""
    named = {str(name): value for name, value in given.items()}
    if len(named) < len(given):
        raise InputError(f"two of {option} have the same name: {', '.join(map(repr, given))}")
    return named


def fresh(learner: Learner, seed: int) -> Learner:
    """An unfitted copy whose open random states are seeded.

    Every parameter `random_state` that is None, nested ones too, gets a number of its own; one that the user has set
    stays. scikit-learn is asked for the copy only where it is loaded already: other learners do not need it.
    """
    base = sys.modules.get("sklearn.base")
    clone = copy.deepcopy if base is None or not hasattr(learner, "get_params") else base.clone
    unfitted = clone(learner)
    if hasattr(unfitted, "get_params") and hasattr(unfitted, "set_params"):
        states = {
            key: text_seed(f"{seed}/{key}") % (1 << 31)
            for key, value in unfitted.get_params(deep=True).items()
            if (key == "random_state" or key.endswith("__random_state")) and value is None
        }
        if states:
            unfitted.set_params(**states)
    return unfitted


def text_seed(text: str) -> int:
    """A number of 63 bits for a text."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little") >> 1


def describe_learner(learner: Learner) -> str:
    """A learner in one line."""
    return " ".join(str(repr(learner)).split())[:200]


def package_versions(learners: Iterable[Learner]) -> dict[str, str]:
    """The versions of Python, of NumPy and of the packages that the learners come from."""
    packages = {"numpy", *(type(learner).__module__.partition(".")[0] for learner in learners)}
    versions = {name: str(getattr(sys.modules.get(name), "__version__", "")) for name in sorted(packages)}
    return {"python": platform.python_version()} | {name: version for name, version in versions.items() if version}


def learner_fingerprint(learner: Learner) -> str:
    """A digest of a learner's class and settings, the same in every process."""
    text = json.dumps(_plain(learner, 0), sort_keys=True)
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _plain(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return [str(value.dtype), list(value.shape), hashlib.blake2b(repr(value.tolist()).encode()).hexdigest()]
    if depth > 12:
        return type(value).__name__
    if isinstance(value, Mapping):
        return {str(k): _plain(v, depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v, depth + 1) for v in value]
    if isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
        name = f"{value.__module__}.{value.__qualname__}"
        code = getattr(value, "__code__", None)
        # A function without a name of its own is known by what it does.
        return [name, code.co_code.hex(), repr(code.co_consts)] if code is not None and "<" in name else name
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if hasattr(value, "get_params"):
        return {"class": kind, "parameters": _plain(value.get_params(deep=False), depth + 1)}
    inside = getattr(value, "__dict__", None)
    if inside is not None:
        return {"class": kind, "inside": _plain(inside, depth + 1)}
    return [kind, re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))]
