"""Curves and what is read off them: views that compute, each over a score table.

Every curve is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trueerror.curves.averaging import AverageCurve as AverageCurve
    from trueerror.curves.averaging import average_curves as average_curves
    from trueerror.curves.averaging import pool_curves as pool_curves
    from trueerror.curves.bands import RocBand as RocBand
    from trueerror.curves.benefit import DecisionCurve as DecisionCurve
    from trueerror.curves.benefit import decision_curve as decision_curve
    from trueerror.curves.brier_curves import BrierCurve as BrierCurve
    from trueerror.curves.brier_curves import brier_curve as brier_curve
    from trueerror.curves.calibrating import Calibration as Calibration
    from trueerror.curves.calibrating import calibration as calibration
    from trueerror.curves.calibration_errors import CalibrationError as CalibrationError
    from trueerror.curves.costs import CostCurve as CostCurve
    from trueerror.curves.costs import cost_curve as cost_curve
    from trueerror.curves.crossing import RocDifference as RocDifference
    from trueerror.curves.crossing import roc_difference as roc_difference
    from trueerror.curves.detection import Det as Det
    from trueerror.curves.detection import det as det
    from trueerror.curves.fold_areas import auc_over_folds as auc_over_folds
    from trueerror.curves.folds import comparability as comparability
    from trueerror.curves.gain import Gains as Gains
    from trueerror.curves.gain import Lift as Lift
    from trueerror.curves.gain import gains as gains
    from trueerror.curves.gain import lift as lift
    from trueerror.curves.hull import RocHull as RocHull
    from trueerror.curves.hull import roc_hull as roc_hull
    from trueerror.curves.hull_choice import HullChoice as HullChoice
    from trueerror.curves.hull_parts import Mixture as Mixture
    from trueerror.curves.isolines import IsoLine as IsoLine
    from trueerror.curves.measures import MeasureCurve as MeasureCurve
    from trueerror.curves.measures import measure_curve as measure_curve
    from trueerror.curves.operating import OperatingPoint as OperatingPoint
    from trueerror.curves.receiver import Roc as Roc
    from trueerror.curves.receiver import roc as roc
    from trueerror.curves.retrieval import PrecisionRecall as PrecisionRecall
    from trueerror.curves.retrieval import precision_recall as precision_recall
    from trueerror.curves.retrieval_gain import PrecisionRecallGain as PrecisionRecallGain
    from trueerror.curves.retrieval_gain import precision_recall_gain as precision_recall_gain
    from trueerror.curves.roc_points import RocPoint as RocPoint
    from trueerror.curves.selective import RiskCoverage as RiskCoverage
    from trueerror.curves.selective import risk_coverage as risk_coverage

# Public name → the module of this room that defines it.
_HOMES = {
    "AverageCurve": "averaging",
    "average_curves": "averaging",
    "pool_curves": "averaging",
    "auc_over_folds": "fold_areas",
    "comparability": "folds",
    "BrierCurve": "brier_curves",
    "brier_curve": "brier_curves",
    "Calibration": "calibrating",
    "CalibrationError": "calibration_errors",
    "calibration": "calibrating",
    "CostCurve": "costs",
    "cost_curve": "costs",
    "DecisionCurve": "benefit",
    "decision_curve": "benefit",
    "Det": "detection",
    "det": "detection",
    "Gains": "gain",
    "gains": "gain",
    "Lift": "gain",
    "lift": "gain",
    "MeasureCurve": "measures",
    "measure_curve": "measures",
    "PrecisionRecall": "retrieval",
    "precision_recall": "retrieval",
    "PrecisionRecallGain": "retrieval_gain",
    "precision_recall_gain": "retrieval_gain",
    "Roc": "receiver",
    "roc": "receiver",
    "RocPoint": "roc_points",
    "RocBand": "bands",
    "RocHull": "hull",
    "roc_hull": "hull",
    "RocDifference": "crossing",
    "roc_difference": "crossing",
    "OperatingPoint": "operating",
    "IsoLine": "isolines",
    "HullChoice": "hull_choice",
    "Mixture": "hull_parts",
    "RiskCoverage": "selective",
    "risk_coverage": "selective",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'trueerror.curves' has no attribute {name!r}")
    value = getattr(import_module(f"trueerror.curves.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
