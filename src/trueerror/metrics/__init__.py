"""Metrics: tally → number, one file a family, all in one registry."""

FAMILIES = ("counts", "scores")
