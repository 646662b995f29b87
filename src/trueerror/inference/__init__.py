"""How sure: intervals, tests, posteriors and plans, from counts, scores or losses."""
