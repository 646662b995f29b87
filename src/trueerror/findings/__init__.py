"""The evaluation linter: one rule a function, with a code, declaring the tallies that it needs."""

from trueerror.findings._rules import Evidence, Finding, Findings, Rule, Severity, every_rule, find

__all__ = ["Evidence", "Finding", "Findings", "Rule", "Severity", "every_rule", "find"]
