"""Curves and what is read off them: views that compute, each over a score table.

Every curve stands in `__init__.pyi` and is imported when it is first used.
"""

from trueerror import _attach

__getattr__, __dir__, __all__ = _attach(__name__)

# The words of `trueerror plot --kind`, and other words for each, by the function that makes the curve. They stand here
# and not beside the curves, since help and shell completion need them without NumPy.
PLOT_WORDS: dict[str, tuple[str, ...]] = {
    "brier_curve": ("brier",),
    "cost_curve": ("cost",),
    "decision_curve": ("decision",),
    "det": ("det",),
    "gains": ("gains",),
    "lift": ("lift",),
    "precision_recall": ("pr", "precision-recall", "precision_recall"),
    "calibration": ("calibration", "reliability"),
    "risk_coverage": ("risk", "risk-coverage", "risk_coverage"),
    "roc": ("roc",),
}
