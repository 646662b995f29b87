"""What is known about each method, as data: read by `.explain()`, by the code's own choice, and by the docs."""

from trueerror.methods._decision_table import DECISIONS, Decision, default_for
from trueerror.methods._registry import Method, every_method, explain, explain_parts, method

__all__ = ["DECISIONS", "Decision", "Method", "default_for", "every_method", "explain", "explain_parts", "method"]
