"""`trueerror difference`: do two rates from different rows differ?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from trueerror.cli.one_proportion import parse_counts
from trueerror.cli.options import Confidence, Explain, OutputFormat
from trueerror.cli.output import Format, answers, show
from trueerror.results.words import filled, number, p_value, percent

if TYPE_CHECKING:
    from trueerror.results import Contrast

HELP = "Whether two rates from different rows differ, given X of N twice."
EPILOG = (
    "Examples: trueerror difference 20/100 30/100 · trueerror difference 0.15/30 0.25/5000 --method wald · "
    "trueerror difference 56/70 48/80 --alternative greater. "
    "Two models on the same rows: trueerror compare --counts both=810 new=60 old=40 neither=90"
)
WIDTH = 80
PROVEN = 0.005
ALTERNATIVES = {"two-sided": "a difference either way", "greater": "a higher first rate", "less": "a lower first rate"}


@answers
def command(
    first: Annotated[str, typer.Argument(help="Successes and rows of the first as X/N.", metavar="X/N")],
    second: Annotated[str, typer.Argument(help="Successes and rows of the second as X/N.", metavar="X/N")],
    confidence: Confidence = 0.95,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help="miettinen-nurminen (the default), newcombe, newcombe-cc, agresti-caffo or wald; a rate such as "
            "0.15/30 takes newcombe or wald.",
            metavar="WORD",
        ),
    ] = None,
    alternative: Annotated[
        str, typer.Option("--alternative", help="two-sided, greater or less (than the second).", metavar="WORD")
    ] = "two-sided",
    form: OutputFormat = Format.text,
    explain: Explain = False,
) -> None:
    """Whether two rates from different rows differ."""
    from trueerror.significance.independent import difference

    pairs = [parse_counts(text) for text in (first, second)]
    is_rate = any(0 < x < 1 and not (x * n).is_integer() for x, n in pairs)
    found = difference(
        pairs[0],
        pairs[1],
        method=method or ("newcombe" if is_rate else "miettinen-nurminen"),  # type: ignore[arg-type]
        confidence=confidence,
        alternative=alternative,  # type: ignore[arg-type]
    )
    rates = [x if 0 < x < 1 else x / n if n else float("nan") for x, n in pairs]
    show(found, form, explain=explain, text=lambda: difference_words(found, rates[0], rates[1]))


def difference_words(c: Contrast, first: float, second: float) -> str:
    """Verdict, size, how surprising it would be by luck, what would settle it, and what was tested."""
    level = 1 - c.confidence
    told = c.p_value <= level
    side = "higher" if c.estimate > 0 else "lower"
    figures = f"{100 * first:.1f} % against {100 * second:.1f} %"
    reach = {"lower": f"{_points(c.low)} or more", "upper": f"{_points(c.high)} or less"}
    size = f"{_points(c.estimate)} points, plausibly {reach.get(c.side, f'{_points(c.low)} to {_points(c.high)}')}"
    if c.estimate != c.estimate:
        return f"  Cannot be judged: {c.note}."
    if told and (c.alternative == "two-sided" or (c.alternative == "greater") == (c.estimate > 0)):
        lead = f"The first rate is {'' if c.p_value <= PROVEN else 'probably '}{side}: {figures}, {size}."
    else:
        lead = f"Cannot tell whether the rates differ: {figures}, {size}."
    surprise = (
        f"If they did not differ, a gap this large would come up {one_time_in(c.p_value)} ({p_value(c.p_value)})."
    )
    if c.p_better is not None and c.estimate != 0:
        chance = c.p_better if c.estimate > 0 else 1 - c.p_better
        shown = "above 0.999" if chance > 0.999 else number(chance)
        surprise += f" That the first is {side} has posterior probability {shown} (Jeffreys' prior)."
    blocks = [_filled(f"{lead} {surprise}", "  ")]
    if c.note:
        blocks.append(_filled(f"! {c.note}", more="  "))
    step = "" if told else _next_step(c, first, second)
    if step:
        blocks.append(_filled(step))
    blocks.append(
        _filled(
            f"Tested: no difference (null hypothesis) against {ALTERNATIVES[c.alternative]} (alternative), at the "
            f"{percent(round(level, 6))} level. {percent(c.confidence)} {c.method} interval, for different rows; "
            "--explain for more."
        )
    )
    return "\n".join(blocks)


def one_time_in(p: float) -> str:
    """A p-value as people picture it.

    >>> one_time_in(0.0461), one_time_in(1e-9), one_time_in(0.8)
    ('about 1 time in 22', 'less than 1 time in 1,000', 'more often than not')
    """
    if p < 0.001:
        return "less than 1 time in 1,000"
    return f"about 1 time in {round(1 / p):,}" if p < 0.4 else "about every other time" if p < 0.6 else (
        "more often than not"
    )  # fmt: skip


def _next_step(c: Contrast, first: float, second: float) -> str:
    from trueerror.inputs.errors import InputError
    from trueerror.significance.planning import sample_size

    if first == second:
        return ""
    try:
        plan = sample_size(test="two-proportions", first=first, second=second, alpha=1 - c.confidence)
    except InputError:
        return ""
    digits = max(0, len(str(plan.n)) - 2)
    return (
        f"Next: about {round(plan.n, -digits):,} rows in each group settle a gap of {100 * abs(first - second):.1f} "
        "points (80 % power)."
    )


def _points(x: float) -> str:
    shown = f"{100 * x:+.1f}"
    return "0.0" if shown in ("+0.0", "-0.0") else shown


def _filled(text: str, indent: str = "", more: str = "") -> str:
    return filled(text, WIDTH - len(indent), initial_indent=indent, subsequent_indent=more or indent)
