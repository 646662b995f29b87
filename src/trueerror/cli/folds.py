"""`trueerror folds`: two learners fold by fold."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from trueerror.cli._option_groups import OutputOptions, file_notes
from trueerror.inputs._options import InputError, nearest

if TYPE_CHECKING:
    from trueerror.sources._tables import InputTable


def folds_command(
    given: list[str], *, first: str | None, second: str | None, table: str | None, unpaired: bool,
    output: OutputOptions, **how: Any,
) -> None:  # fmt: skip
    """Two learners fold by fold, or one."""
    from trueerror.inference.loss._t_tests import fold_differences
    from trueerror.sources._open_tables import file_table

    typed = "=" in given[0]
    if typed and (first is not None or second is not None):
        raise InputError("--first and --second name columns of a file; typed scores have their names: NAME=V1,V2,…")
    if typed and table is not None:
        raise InputError("--table names a table of a file, and these scores are typed; leave it out")
    if not typed and len(given) != 1:
        raise InputError("give one file, or the scores of one or two learners as NAME=V1,V2,…")
    opened = None if typed else file_table(given[0], table)
    scores = _typed_scores(given) if opened is None else _scores_of_table(opened, first, second)
    a, b, *_ = *scores, ""
    made = fold_differences(*scores.values(), names=(a, b), paired=not unpaired, **how)
    output.show(made, more=() if opened is None else file_notes(opened))


def _typed_scores(words: list[str]) -> dict[str, list[float]]:
    """a=0.81,0.84 b=0.80,0.82 as names and scores."""
    scores: dict[str, list[float]] = {}
    for word in words:
        name, mark, values = word.partition("=")
        try:
            scores[name] = [float(v) for v in re.split(r"[,;\s]+", values) if v]
        except ValueError:
            raise InputError(f"cannot read {word!r}: write NAME=0.81,0.84,…") from None
        if not mark or not scores[name]:
            raise InputError(f"cannot read {word!r}: write NAME=0.81,0.84,…")
    if len(scores) > 2:
        raise InputError(f"there must be the scores of one or two learners, not of {len(scores)}; rank takes more")
    return scores


def _scores_of_table(table: InputTable, first: str | None, second: str | None) -> dict[str, list[float]]:
    """Two columns of numbers of a file, or one; without names the only ones that are there."""
    wanted = [c for c in (first, second) if c is not None]
    unknown = next((c for c in wanted if c not in table.columns), None)
    if unknown is not None:
        raise InputError(f"there is no column {unknown!r}{nearest(unknown, table.columns)}")
    numeric = [c for c in table.columns if table.kind(c) in ("integer", "number")]
    columns = {c: [math.nan if v is None else float(v) for v in table.values(c).tolist()] for c in numeric}
    scores = {c: values for c, values in columns.items() if not any(map(math.isnan, values))}
    names = [c for c in scores if c.lower() not in ("fold", "repeat", "split", "round", "")]
    if len(wanted) == 2:
        names = wanted
    elif wanted and len(names) == 2 and wanted[0] in names:
        (other,) = (c for c in names if c != wanted[0])
        names = [other, wanted[0]] if first is None else [wanted[0], other]
    elif wanted:
        names = wanted
    if len(names) not in (1, 2):
        raise InputError(
            f"name two columns of scores with --first and --second: {', '.join(scores) or 'there are none'}"
        )
    if strange := next((name for name in names if name not in scores), None):
        raise InputError(f"column {strange!r} holds something that is no number")
    return {name: scores[name] for name in names}
