"""Methods that a test entered are taken out again."""

from trueerror.methods._registry import ORDERED, RUNNABLE


def withdraw(key: str) -> None:
    """Take a method out."""
    ORDERED.clear()
    RUNNABLE[:] = [m for m in RUNNABLE if m.key != key]
