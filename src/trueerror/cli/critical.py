"""`trueerror critical`: critical values of z and of Student's t."""

from __future__ import annotations

from typing import Annotated

from trueerror.cli import _option_groups as o
from trueerror.cli._app import Without, command, flag
from trueerror.results import Side
from trueerror.results._format import percent

CRITICAL_HELP = "Critical values of z and of Student's t."
CRITICAL_EPILOG = (
    "Examples: trueerror critical --confidence 0.95 --df 10 · trueerror critical -c 0.9 -c 0.95 -c 0.99 · "
    "trueerror critical --df 2 --df 30 --side upper"
)


@command
def critical_command(
    *,
    confidence: Annotated[
        list[float] | None,
        flag("Confidence, between 0 and 1 (default 0.95); repeat for a table.", "SHARE", words="--confidence -c"),
    ] = None,
    df: Annotated[
        list[float] | None, flag("Degrees of freedom of t; without it z. Repeat for a table.", "NUMBER")
    ] = None,
    side: Annotated[Side, flag("two-sided, lower or upper.", "WORD")] = "two-sided",
    output: Annotated[o.OutputOptions, Without("ignore", "columns", "explain")],
) -> None:
    """Critical values of z and t."""
    from trueerror.inference._problem import critical
    from trueerror.results import Table

    levels = confidence or [0.95]
    freedoms: list[float | None] = [*df] if df else [None]
    cells = [[critical(level, df=f, side=side) for level in levels] for f in freedoms]
    rows = tuple(
        ("z" if f is None else f"t, {f:g} df", *(f"{x:.3f}" for x in line))
        for f, line in zip(freedoms, cells, strict=True)
    )
    table = Table(columns=("", *(percent(level) for level in levels)), rows=rows)

    def words() -> str:
        if len(levels) > 1 or len(freedoms) > 1:
            return f"{table}\n({side})"
        value, of = cells[0][0], "the normal distribution" if freedoms[0] is None else f"t with {freedoms[0]:g} df"
        where = f"between −{value:.3f} and {value:.3f}" if side == "two-sided" else (
            f"below {value:.3f}" if side == "upper" else f"above −{value:.3f}"
        )  # fmt: skip
        return f"{value:.3f}: {percent(levels[0])} of {of} lies {where}."

    output.show(table, words)
