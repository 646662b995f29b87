"""What is known about each method, as data: read by `.explain()`, by the code's own choice, and by the docs."""

from trueerror.methods.catalogue import Method, every_method, explain, explain_parts, method
from trueerror.methods.decisions import DECISIONS, Decision, default_for

__all__ = ["DECISIONS", "Decision", "Method", "default_for", "every_method", "explain", "explain_parts", "method"]
