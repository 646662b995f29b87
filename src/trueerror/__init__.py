"""trueerror: how good is a classifier really, is it better than that one, and which one to run.

The public names stand in the stub beside this file, `__init__.pyi`, which type checkers and editors read too; each is
imported when it is first used, so that `import trueerror` costs next to nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module

# The rooms whose classes users make themselves; the other classes are results.
MADE_BY_USERS = ("trueerror.resampling", "trueerror.experiments._dataset", "trueerror.tallies")


def _public_names(package: str) -> dict[str, str]:
    """Public name → the module that it is imported from; that of a module is the package around it.

    The lines of a stub that name them are `from MODULE import NAME as NAME`, of six words.

    >>> names = _public_names("trueerror")
    >>> names["roc"], names["logs"]
    ('trueerror.curves._roc', 'trueerror')
    """
    folder = os.path.dirname(str(sys.modules[package].__file__))
    with open(os.path.join(folder, "__init__.pyi"), encoding="utf-8") as stub:
        return {words[3]: words[1] for line in stub if len(words := line.split()) == 6}


def _spoken(package: str, home: str, name: str) -> object:
    """A public name of a module; a function, or a class that users make, takes other people's words for its options."""
    from trueerror.inputs._words import list_parameters, speaks

    module = import_module(home)
    value: object = getattr(module, name)
    if isinstance(value, type):
        if "__init__" in vars(value) and value.__module__.startswith(MADE_BY_USERS):
            value.__init__ = speaks(value.__init__, name=value.__name__, bound=True)  # type: ignore[misc]
            list_parameters(value, f"te.{name}")
    elif callable(value):
        value = speaks(value, package.replace("trueerror", "te"))
        # Under its own name in its own module as well: otherwise it could not be pickled.
        setattr(module, name, value)
    return value


def _attach(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """The `__getattr__`, `__dir__` and `__all__` of a package with a stub."""
    homes = _public_names(package)
    names = sorted(homes)

    def first_use(name: str) -> object:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}{_meant(name, names)}")
        value = import_module(f"{package}.{name}") if home == package else _spoken(package, home, name)
        setattr(sys.modules[package], name, value)
        return value

    return first_use, lambda: names, names


def _meant(name: str, names: list[str]) -> str:
    """Where a name that is asked for in the wrong room may be found.

    >>> _meant("mcnemar", []), _meant("precision_recal", ["precision_recall"]), _meant("__path__", [])
    ('; it is te.significance.mcnemar', '; did you mean te.precision_recall?', '')
    """
    if name.startswith("_"):
        return ""
    import difflib

    if name in _public_names(import_module("trueerror.significance").__name__):
        return f"; it is te.significance.{name}"
    from trueerror.inputs._words import said_of
    from trueerror.metrics._registry import find_measure

    if said := said_of(name, "elsewhere"):
        return f"; {said}"
    with suppress(ValueError):
        measure = find_measure(name.removesuffix("_score")).name
        return f'; te.evaluate(truth, predicted)["{measure}"] has it with its interval, te.metric("{measure}", …) alone'
    return "".join(f"; did you mean te.{near}?" for near in difflib.get_close_matches(name, names, 1, 0.75))


__getattr__, __dir__, __all__ = _attach(__name__)
