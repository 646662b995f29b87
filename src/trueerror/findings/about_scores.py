"""TE3xx: findings about scores, probabilities and thresholds."""
