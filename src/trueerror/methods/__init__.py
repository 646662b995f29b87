"""What is known about each method, as data: read by `.explain()` and the docs; and which are chosen, by the code."""

from trueerror.methods._facts import (
    Decision,
    Method,
    decisions,
    every_measurement,
    every_method,
    explain,
    explain_parts,
    method,
    usual_method,
)
from trueerror.methods._registry import inference_method

__all__ = [
    "Decision",
    "Method",
    "decisions",
    "every_measurement",
    "every_method",
    "explain",
    "explain_parts",
    "inference_method",
    "method",
    "usual_method",
]
