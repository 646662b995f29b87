"""Options of te.read beside a path or a table, in functions that take arrays as well."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar, cast

Made = TypeVar("Made", bound=Callable[..., Any])


def takes_table_options(make: Made) -> Made:
    """A function whose `**columns` are options of te.read: others are refused, with the nearest one named.

    `truth=` goes on as `truth_column=` where the first argument is given by its place: it may be called truth as well.

    >>> @takes_table_options
    ... def rows(truth, **columns):
    ...     return truth, columns
    >>> rows("rows.csv", truth="y"), rows(truth=[0, 1])
    (('rows.csv', {'truth_column': 'y'}), ([0, 1], {}))
    >>> rows("rows.csv", truht="y")
    Traceback (most recent call last):
    trueerror.inputs.errors.InputError: te.rows has no option truht=; did you mean 'truth'?
    """
    own = [name for name, p in signature(make).parameters.items() if p.kind is not Parameter.VAR_KEYWORD]

    @wraps(make)
    def called(*args: Any, **options: Any) -> Any:
        if any(option not in own for option in options):
            # te.read itself is made of parts that take tables.
            from trueerror.rows.openable import check_read_options

            check_read_options((o for o in options if o not in own), make.__name__, own)
        if args and "truth" in options:
            options["truth_column"] = options.pop("truth")
        return make(*args, **options)

    return cast("Made", called)
