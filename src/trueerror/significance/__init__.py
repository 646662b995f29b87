"""Is the difference real? Tests of two or many models, from counts, scores or areas, each with the size beside it.

Two things give a Contrast, several a Test, a Posterior or a Ranking. Every test is imported when it is first used.
"""

from trueerror import _attach

__getattr__, __dir__, __all__ = _attach(__name__)
