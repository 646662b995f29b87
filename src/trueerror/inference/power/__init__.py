"""Planning: how many rows, what power, the smallest difference."""
