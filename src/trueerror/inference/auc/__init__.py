"""Areas under the ROC curve: variances, intervals and tests."""
