"""Metrics of the confusion matrix: intervals and paired contrasts."""
