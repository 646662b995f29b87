"""Resampling rows or clusters: replicates, their limits, and paired tests."""
