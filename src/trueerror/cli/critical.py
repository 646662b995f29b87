"""`trueerror critical`: critical values of z and of Student's t."""

from __future__ import annotations

from trueerror.cli._option_groups import OutputOptions
from trueerror.results import Side
from trueerror.results._format import percent


def critical_command(
    *, confidence: list[float] | None, df: list[float] | None, side: Side, output: OutputOptions
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
    value = cells[0][0]
    of = "the normal distribution" if freedoms[0] is None else f"t with {freedoms[0]:g} df"
    places = {
        "two-sided": f"between −{value:.3f} and {value:.3f}",
        "upper": f"below {value:.3f}",
        "lower": f"above −{value:.3f}",
    }
    one = f"{value:.3f}: {percent(levels[0])} of {of} lies {places[side]}."
    words = one if len(levels) == len(freedoms) == 1 else f"{table}\n({side})"
    output.show(table, lambda: words)
