"""Intervals for learners, whose test rows share training rows."""
