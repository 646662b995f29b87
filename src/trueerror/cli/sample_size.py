"""`trueerror sample-size`: how many rows does an answer take?"""

from __future__ import annotations

from typing import Any

from trueerror.cli._option_groups import OutputOptions
from trueerror.cli.power import plan_text


def sample_size_command(*, output: OutputOptions, **planned: Any) -> None:
    """How many rows an answer takes."""
    from trueerror.inference.power._sample_size import sample_size

    plan = sample_size(**planned)
    output.show(plan, lambda: plan_text(plan))
