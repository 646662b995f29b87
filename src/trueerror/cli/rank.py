"""`trueerror rank`: which learner is best over several data sets?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trueerror.cli._answers import repeated
from trueerror.cli._option_groups import OutputOptions
from trueerror.inputs._groups import Certainty


def rank_command(file: str, *, lower: bool, chance: Certainty, output: OutputOptions, **options: Any) -> None:
    """Which learner is best over several data sets."""
    from trueerror.verbs._rank import rank

    page = options.pop("page")
    ranking = output.kept(rank(file, higher_is_better=not lower, **options, **chance.given()))
    if page is not None:
        from trueerror.reports import report

        report(ranking, page, command=repeated("rank"), file=Path(file).name)
    output.show(ranking)
