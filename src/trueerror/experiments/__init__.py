"""Experiments: learners × data sets × plan → out-of-fold predictions, on one machine or many, resumable."""
