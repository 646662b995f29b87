"""Proportions: intervals, paired and unpaired tests, looking while data arrive."""
