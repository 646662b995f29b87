"""Hypothesis without deadlines: a slow machine is no error."""

from hypothesis import settings

settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")
