"""What is known about each method, as data: read by `.explain()` and the docs; and which are chosen, by the code."""

from trueerror.methods._facts import (
    Decision,
    Method,
    decision,
    decisions,
    every_measurement,
    every_method,
    explain,
    explain_parts,
    method,
)
from trueerror.methods._registry import (
    Default,
    default_for,
    inference_method,
    reason_for,
)

__all__ = [
    "Decision",
    "Default",
    "Method",
    "decision",
    "decisions",
    "default_for",
    "every_measurement",
    "every_method",
    "explain",
    "explain_parts",
    "inference_method",
    "method",
    "reason_for",
]
