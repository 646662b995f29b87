"""What is known about each method, as data: read by `.explain()`, by the code's own choice, and by the docs."""

from trueerror.methods._registry import (
    SITUATIONS,
    Decision,
    Default,
    Method,
    decision,
    decisions,
    declare,
    default_for,
    every_method,
    explain,
    explain_parts,
    inference_method,
    method,
    reason_for,
)

__all__ = [
    "SITUATIONS",
    "Decision",
    "Default",
    "Method",
    "decision",
    "decisions",
    "declare",
    "default_for",
    "every_method",
    "explain",
    "explain_parts",
    "inference_method",
    "method",
    "reason_for",
]
