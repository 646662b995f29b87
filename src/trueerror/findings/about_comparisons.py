"""TE4xx: findings about comparisons."""
