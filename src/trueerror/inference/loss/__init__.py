"""Means of row losses: intervals and t tests."""
