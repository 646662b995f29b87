"""Curves and what is read off them: views that compute, each over a score table.

Every curve stands in `__init__.pyi` and is imported when it is first used.
"""

from trueerror import _attach

__getattr__, __dir__, __all__ = _attach(__name__)
