"""The catalogue's entries, by family."""
