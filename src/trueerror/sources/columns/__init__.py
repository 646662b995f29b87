"""Which column is what."""
