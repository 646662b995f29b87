"""Pictures on matplotlib axes."""
