"""What several tests of results need."""

import pkgutil
from dataclasses import is_dataclass
from importlib import import_module

import pytest

import trueerror as te
from trueerror.results._json import TYPES


@pytest.fixture(scope="session")
def result_types() -> dict[str, type]:
    """Every type that `te.load` reads, by name."""
    for module in pkgutil.walk_packages(te.__path__, "trueerror."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    # What others are made from is no dataclass.
    return {name: kind for name, kind in TYPES.items() if is_dataclass(kind) or not kind.__subclasses__()}
