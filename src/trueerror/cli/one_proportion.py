"""`trueerror interval`: how far the true rate may lie from X of N."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from trueerror.cli.options import Confidence, Explain, OutputFormat
from trueerror.cli.output import Format, answers, show
from trueerror.results.words import number, percent, whole

HELP = "Where the true rate lies, given X of N."
EPILOG = "Examples: trueerror interval 750/1000 --confidence 0.8 · trueerror interval 0/20 --method mid-p --side upper"


def parse_counts(text: str) -> tuple[float, int]:
    """ "750/1000" as (750, 1000); a rate such as "0.15/30" keeps its fraction."""
    from trueerror.inputs.errors import InputError

    found = re.fullmatch(r"\s*([-+]?[\d_,.]*\d\.?)\s*(?:/|of)\s*([-+]?[\d_,.]+)\s*", text)
    try:
        if not found:
            raise ValueError
        x = float(found[1].replace(",", "").replace("_", ""))
        n = float(found[2].replace(",", "").replace("_", ""))
    except ValueError:
        raise InputError(f"cannot read {text!r}: write counts as X/N, such as 750/1000") from None
    if not n.is_integer():
        raise InputError(f"{text!r}: the number of rows must be whole")
    return x, int(n)


@answers
def command(
    counts: Annotated[str, typer.Argument(help="Successes and trials as X/N, such as 750/1000.", metavar="X/N")],
    confidence: Confidence = 0.95,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="wilson, wilson-cc, wald, wald-cc, clopper-pearson, mid-p, agresti-coull or jeffreys.",
            metavar="WORD",
        ),
    ] = "wilson",
    side: Annotated[
        str, typer.Option("--side", help="two-sided, lower (only a lower limit) or upper.", metavar="WORD")
    ] = "two-sided",
    form: OutputFormat = Format.text,
    explain: Explain = False,
) -> None:
    """Where the true rate lies, given X of N."""
    from trueerror.intervals.binomial import interval

    x, n = parse_counts(counts)
    is_rate = 0 < x < 1
    found = interval(
        None if is_rate else int(x) if x.is_integer() else x,
        n,
        rate=x if is_rate else None,
        method=method,  # type: ignore[arg-type]
        confidence=confidence,
        side=side,  # type: ignore[arg-type]
    )

    def words() -> str:
        level = f"{percent(found.confidence)} {found.method}"
        seen = f"{whole(x) if not is_rate else number(x * n)} of {whole(n)} is {number(found.estimate)}"
        if side == "lower":
            verdict = f"the true rate is plausibly {number(found.low)} or more"
        elif side == "upper":
            verdict = f"the true rate is plausibly {number(found.high)} or less"
        else:
            verdict = f"the true rate is plausibly {number(found.low)} to {number(found.high)}"
        note = f"\n! {found.note}" if found.note else ""
        return f"{seen}; {verdict}\n({level} interval; --explain for more).{note}"

    show(found, form, explain=explain, text=words)
