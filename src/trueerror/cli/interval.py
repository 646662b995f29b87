"""`trueerror interval`: how far the true rate may lie from X of N.

`trueerror difference`: do two rates from different rows differ?
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from trueerror.cli import _option_groups as o
from trueerror.cli._app import Without, command, flag
from trueerror.inputs._options import InputError
from trueerror.results import Alternative, Side
from trueerror.results._format import (
    chance_words,
    ci_words,
    common_format,
    decimals_apart,
    filled,
    in_points,
    one_time_in,
    p_value,
    percent,
    percents,
    whole,
)
from trueerror.results._values import surety

if TYPE_CHECKING:
    from trueerror.results import Contrast

INTERVAL_HELP = "Where the true rate lies, given X of N."
INTERVAL_EPILOG = (
    "Examples: trueerror interval 750/1000 --confidence 0.8 · trueerror interval 0/20 --method mid-p --side upper"
)


def parse_counts(text: str) -> tuple[float, int]:
    """ "750/1000" as (750, 1000); a rate, written with a point as in "0.15/30" or "1.0/30", is a float."""
    written = re.fullmatch(r"\s*([-+]?[\d_,.]*\d\.?)\s*(?:/|of)\s*([-+]?[\d_,.]+)\s*", text)
    try:
        if not written:
            raise ValueError
        x, n = (_number(part) for part in written.groups())
    except ValueError:
        raise InputError(f"cannot read {text!r}: write counts as X/N, such as 750/1000, or a rate: 0.75/1000") from None
    if not n.is_integer():
        raise InputError(f"{text!r}: the number of rows must be whole")
    if not x.is_integer() and x > 1:
        raise InputError(f"{text!r}: {x:g} is neither a whole number of rows nor a rate between 0 and 1")
    return x if "." in written[1] and x <= 1 else int(x), int(n)


def _number(written: str) -> float:
    """A number with thousands set off by commas or underscores, if at all."""
    if "," in written and not re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d*)?", written):
        raise ValueError
    return float(written.replace(",", "").replace("_", ""))


def one_pair(words: list[str], trials: int | None) -> str:
    """X/N from what was typed: "456/500", "456 500", "456 of 500", or a count or rate with --n.

    >>> one_pair(["456", "500"], None), one_pair(["0.912"], 500), one_pair(["4/5"], None)
    ('456/500', '0.912/500', '4/5')
    """
    typed = [word for word in words if word not in ("of", "/")]
    if trials is not None:
        typed.append(str(trials))
    if len(typed) == 1 and re.search(r"/|of", typed[0]):
        return typed[0]
    if len(typed) == 2 and not any(re.search(r"/|of", word) for word in typed):
        return "/".join(typed)
    if len(typed) == 2 and trials is None:
        raise InputError("one rate is X/N, such as 456/500; two rates are compared by: trueerror difference X/N X/N")
    text = " ".join(words)
    raise InputError(f"cannot read {text!r:.60}: write counts as X/N, such as 456/500, or a rate with --n 500")


@command
def interval_command(
    *,
    counts: Annotated[list[str], typer.Argument(help="Successes and trials as X/N, such as 750/1000.", metavar="X/N")],
    out_of: Annotated[int | None, flag("The trials, where X or a rate stands alone.", "N", words="--n")] = None,
    confidence: o.Confidence = 0.95,
    method: Annotated[
        str, flag("wilson, wilson-cc, wald, wald-cc, clopper-pearson, mid-p, agresti-coull or jeffreys.", "WORD")
    ] = "wilson",
    side: Annotated[Side, flag("two-sided, lower (only a lower limit) or upper.", "WORD")] = "two-sided",
    output: Annotated[o.OutputOptions, Without("ignore", "columns")],
) -> None:
    """Where the true rate lies, given X of N."""
    from trueerror.inference.proportion._interval import interval

    x, n = parse_counts(one_pair(counts, out_of))
    is_rate = isinstance(x, float) and 0 <= x <= 1
    limits = interval(
        None if is_rate else x,
        n,
        rate=x if is_rate else None,
        method=method,  # type: ignore[arg-type]
        confidence=confidence,
        side=side,
    )

    def words() -> str:
        shown = common_format(limits.estimate, limits.low, limits.high)
        seen = f"{whole(x * n) if is_rate else whole(x)} of {whole(n)} is {shown(limits.estimate)}"
        reach = ci_words(limits.low, limits.high, limits.confidence, shown, side=side)
        note = f"\n! {limits.note}" if limits.note else ""
        return f"{seen}, {reach}\n({limits.method}; --explain for more).{note}"

    output.show(limits, words)


DIFFERENCE_HELP = "Whether two rates from different rows differ, given X of N twice."
DIFFERENCE_EPILOG = (
    "Examples: trueerror difference 20/100 30/100 · trueerror difference 0.15/30 0.25/5000 --method wald · "
    "trueerror difference 56/70 48/80 --alternative greater. "
    "Two models on the same rows: trueerror compare --counts both=810 new=60 old=40 neither=90"
)
WIDTH = 80
ALTERNATIVES = {"two-sided": "a difference either way", "greater": "a higher first rate", "less": "a lower first rate"}


@command
def difference_command(
    *,
    first: Annotated[str, typer.Argument(help="Successes and rows of the first as X/N.", metavar="X/N")],
    second: Annotated[str, typer.Argument(help="Successes and rows of the second as X/N.", metavar="X/N")],
    confidence: o.Confidence = 0.95,
    method: Annotated[
        str | None,
        flag(
            "miettinen-nurminen (the default), newcombe, newcombe-cc, agresti-caffo or wald; a rate such as "
            "0.15/30 takes newcombe or wald.",
            "WORD",
        ),
    ] = None,
    alternative: Annotated[Alternative, flag("two-sided, greater or less (than the second).", "WORD")] = "two-sided",
    output: Annotated[o.OutputOptions, Without("ignore", "columns")],
) -> None:
    """Whether two rates from different rows differ."""
    from trueerror.inference.proportion._two_samples import difference

    # A rate of 1 is written 1.0 here, which Python could not tell from a count.
    pairs = [(n if isinstance(x, float) and x == 1 else x, n) for x, n in map(parse_counts, (first, second))]
    contrast = difference(
        pairs[0],
        pairs[1],
        method=method,  # type: ignore[arg-type]
        confidence=confidence,
        alternative=alternative,
    )
    rates = [x if isinstance(x, float) and x < 1 else x / n if n else float("nan") for x, n in pairs]
    output.show(contrast, lambda: difference_words(contrast, rates[0], rates[1]))


def difference_words(c: Contrast, first: float, second: float) -> str:
    """Verdict, size, how surprising it would be by luck, what would settle it, and what was tested."""
    from trueerror.inference.proportion._two_samples import prior_words

    level = 1 - c.confidence
    significant = c.p_value <= level
    side = "higher" if c.estimate > 0 else "lower"
    digits = decimals_apart(c.estimate, c.low, c.high, least=1, power=2)
    points = partial(in_points, digits=digits)
    figures = f"{percents(first, digits)} % against {percents(second, digits)} %"
    size = f"{points(c.estimate)} points, {ci_words(c.low, c.high, c.confidence, points, side=c.side)}"
    if c.estimate != c.estimate:
        return f"  Cannot be judged: {c.note}."
    if significant and (c.alternative == "two-sided" or (c.alternative == "greater") == (c.estimate > 0)):
        lead = (
            f"The first rate is {'' if surety(c.p_value, level) == 'clear' else 'probably '}{side}: {figures}, {size}."
        )
    else:
        lead = f"Too close to call: {figures}, {size}."
    surprise = (
        f"If they did not differ, a gap this large would come up {one_time_in(c.p_value)} ({p_value(c.p_value)})."
    )
    if c.p_better is not None and c.estimate != 0:
        chance = c.p_better if c.estimate > 0 else 1 - c.p_better
        surprise += f" Posterior P(first {side}) {chance_words(chance, equals=True)} ({prior_words(c)})."
    blocks = [_filled(f"{lead} {surprise}", "  ")]
    if c.note:
        blocks.append(_filled(f"! {c.note}", more="  "))
    step = "" if significant else _next_step(c, first, second)
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


def _next_step(c: Contrast, first: float, second: float) -> str:
    from trueerror.inference.power._sample_size import sample_size

    if first == second:
        return ""
    try:
        plan = sample_size(test="two-proportions", first=first, second=second, alpha=1 - c.confidence)
    except InputError:
        return ""
    digits = max(0, len(str(plan.n)) - 2)
    gap = percents(abs(first - second), decimals_apart(c.estimate, c.low, c.high, least=1, power=2))
    return f"Next: about {round(plan.n, -digits):,} rows in each group settle a gap of {gap} points (80 % power)."


def _filled(text: str, indent: str = "", more: str = "") -> str:
    return filled(text, WIDTH - len(indent), initial_indent=indent, subsequent_indent=more or indent)


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
