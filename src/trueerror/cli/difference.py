"""`trueerror difference`: do two rates from different rows differ?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from trueerror.cli._option_groups import OutputOptions
from trueerror.cli.interval import parse_counts
from trueerror.inputs._options import InputError
from trueerror.results._format import (
    chance_words,
    ci_words,
    decimals_apart,
    filled,
    in_points,
    one_time_in,
    p_value,
    percent,
    percents,
)
from trueerror.results._values import surety

if TYPE_CHECKING:
    from trueerror.results import Contrast

WIDTH = 80
ALTERNATIVES = {"two-sided": "a difference either way", "greater": "a higher first rate", "less": "a lower first rate"}


def difference_command(first: str, second: str, *, output: OutputOptions, **how: Any) -> None:
    """Whether two rates from different rows differ."""
    from trueerror.inference.proportion._two_samples import difference

    # A rate of 1 is written 1.0 here, which Python could not tell from a count.
    pairs = [(n if isinstance(x, float) and x == 1 else x, n) for x, n in map(parse_counts, (first, second))]
    contrast = difference(*pairs, **how)
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
