"""Many models on many data sets: rank tests and groups."""
