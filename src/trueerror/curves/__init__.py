"""Curves and what is read off them: views that compute, each over a score table.

Every curve is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trueerror.curves._brier import BrierCurve as BrierCurve
    from trueerror.curves._brier import brier_curve as brier_curve
    from trueerror.curves._calibration import Calibration as Calibration
    from trueerror.curves._calibration import CalibrationError as CalibrationError
    from trueerror.curves._calibration import calibration as calibration
    from trueerror.curves._cost import CostCurve as CostCurve
    from trueerror.curves._cost import cost_curve as cost_curve
    from trueerror.curves._decision import DecisionCurve as DecisionCurve
    from trueerror.curves._decision import decision_curve as decision_curve
    from trueerror.curves._det import Det as Det
    from trueerror.curves._det import det as det
    from trueerror.curves._folds import AverageCurve as AverageCurve
    from trueerror.curves._folds import auc_over_folds as auc_over_folds
    from trueerror.curves._folds import average_curves as average_curves
    from trueerror.curves._folds import comparability as comparability
    from trueerror.curves._folds import pool_curves as pool_curves
    from trueerror.curves._gains import Gains as Gains
    from trueerror.curves._gains import Lift as Lift
    from trueerror.curves._gains import gains as gains
    from trueerror.curves._gains import lift as lift
    from trueerror.curves._hull import HullChoice as HullChoice
    from trueerror.curves._hull import Mixture as Mixture
    from trueerror.curves._hull import RocHull as RocHull
    from trueerror.curves._hull import roc_hull as roc_hull
    from trueerror.curves._measure import MeasureCurve as MeasureCurve
    from trueerror.curves._measure import measure_curve as measure_curve
    from trueerror.curves._operating_point import IsoLine as IsoLine
    from trueerror.curves._operating_point import OperatingPoint as OperatingPoint
    from trueerror.curves._precision_recall import PrecisionRecall as PrecisionRecall
    from trueerror.curves._precision_recall import PrecisionRecallGain as PrecisionRecallGain
    from trueerror.curves._precision_recall import precision_recall as precision_recall
    from trueerror.curves._precision_recall import precision_recall_gain as precision_recall_gain
    from trueerror.curves._risk_coverage import RiskCoverage as RiskCoverage
    from trueerror.curves._risk_coverage import risk_coverage as risk_coverage
    from trueerror.curves._roc import Roc as Roc
    from trueerror.curves._roc import RocBand as RocBand
    from trueerror.curves._roc import RocPoint as RocPoint
    from trueerror.curves._roc import roc as roc
    from trueerror.curves._roc_difference import RocDifference as RocDifference
    from trueerror.curves._roc_difference import roc_difference as roc_difference

# Public name → the module of this room that defines it.
_HOMES = {
    "AverageCurve": "trueerror.curves._folds",
    "average_curves": "trueerror.curves._folds",
    "pool_curves": "trueerror.curves._folds",
    "auc_over_folds": "trueerror.curves._folds",
    "comparability": "trueerror.curves._folds",
    "BrierCurve": "trueerror.curves._brier",
    "brier_curve": "trueerror.curves._brier",
    "Calibration": "trueerror.curves._calibration",
    "CalibrationError": "trueerror.curves._calibration",
    "calibration": "trueerror.curves._calibration",
    "CostCurve": "trueerror.curves._cost",
    "cost_curve": "trueerror.curves._cost",
    "DecisionCurve": "trueerror.curves._decision",
    "decision_curve": "trueerror.curves._decision",
    "Det": "trueerror.curves._det",
    "det": "trueerror.curves._det",
    "Gains": "trueerror.curves._gains",
    "gains": "trueerror.curves._gains",
    "Lift": "trueerror.curves._gains",
    "lift": "trueerror.curves._gains",
    "MeasureCurve": "trueerror.curves._measure",
    "measure_curve": "trueerror.curves._measure",
    "PrecisionRecall": "trueerror.curves._precision_recall",
    "precision_recall": "trueerror.curves._precision_recall",
    "PrecisionRecallGain": "trueerror.curves._precision_recall",
    "precision_recall_gain": "trueerror.curves._precision_recall",
    "Roc": "trueerror.curves._roc",
    "roc": "trueerror.curves._roc",
    "RocPoint": "trueerror.curves._roc",
    "RocBand": "trueerror.curves._roc",
    "RocHull": "trueerror.curves._hull",
    "roc_hull": "trueerror.curves._hull",
    "RocDifference": "trueerror.curves._roc_difference",
    "roc_difference": "trueerror.curves._roc_difference",
    "OperatingPoint": "trueerror.curves._operating_point",
    "IsoLine": "trueerror.curves._operating_point",
    "HullChoice": "trueerror.curves._hull",
    "Mixture": "trueerror.curves._hull",
    "RiskCoverage": "trueerror.curves._risk_coverage",
    "risk_coverage": "trueerror.curves._risk_coverage",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'trueerror.curves' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
