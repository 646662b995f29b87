"""Readers of what other tools wrote: evaluation logs become predictions, and the same verbs follow."""
