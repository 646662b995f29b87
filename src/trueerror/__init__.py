"""trueerror: how good is a classifier really, is it better than that one, and which one to run.

Every verb is imported when it is first used, so that `import trueerror` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from trueerror.version import __version__

if TYPE_CHECKING:
    from trueerror import data as data
    from trueerror import logs as logs
    from trueerror import significance as significance
    from trueerror import testing as testing
    from trueerror.curves._brier import brier_curve as brier_curve
    from trueerror.curves._calibration import calibration as calibration
    from trueerror.curves._cost import cost_curve as cost_curve
    from trueerror.curves._decision import decision_curve as decision_curve
    from trueerror.curves._det import det as det
    from trueerror.curves._folds import auc_over_folds as auc_over_folds
    from trueerror.curves._folds import average_curves as average_curves
    from trueerror.curves._folds import pool_curves as pool_curves
    from trueerror.curves._gains import gains as gains
    from trueerror.curves._gains import lift as lift
    from trueerror.curves._hull import roc_hull as roc_hull
    from trueerror.curves._measure import measure_curve as measure_curve
    from trueerror.curves._precision_recall import precision_recall as precision_recall
    from trueerror.curves._precision_recall import precision_recall_gain as precision_recall_gain
    from trueerror.curves._risk_coverage import risk_coverage as risk_coverage
    from trueerror.curves._roc import roc as roc
    from trueerror.curves._roc_difference import roc_difference as roc_difference
    from trueerror.experiments._dataset import Dataset as Dataset
    from trueerror.experiments._experiment import experiment as experiment
    from trueerror.experiments._result import Experiment as Experiment
    from trueerror.inference.loss._interval import mean_interval as mean_interval
    from trueerror.inference.power._plan import power as power
    from trueerror.inference.power._plan import sample_size as sample_size
    from trueerror.inference.proportion._interval import interval as interval
    from trueerror.inference.proportion._two_samples import difference as difference
    from trueerror.inference.proportion._two_samples import probability_less as probability_less
    from trueerror.inputs._options import config as config
    from trueerror.metrics._compute import cost as cost
    from trueerror.metrics._compute import metric as metric
    from trueerror.metrics._registry import catalogue as catalogue
    from trueerror.reports._report import report as report
    from trueerror.resampling._cross_validation import BatesCV as BatesCV
    from trueerror.resampling._cross_validation import DisjointHalves as DisjointHalves
    from trueerror.resampling._cross_validation import KFold as KFold
    from trueerror.resampling._cross_validation import LeaveOneOut as LeaveOneOut
    from trueerror.resampling._cross_validation import NestedCV as NestedCV
    from trueerror.resampling._splits import Bootstrap as Bootstrap
    from trueerror.resampling._splits import Holdout as Holdout
    from trueerror.resampling._splits import Subsampling as Subsampling
    from trueerror.resampling._splits import TimeOrdered as TimeOrdered
    from trueerror.results import Contrast as Contrast
    from trueerror.results import Interval as Interval
    from trueerror.results import Posterior as Posterior
    from trueerror.results import Test as Test
    from trueerror.results import load as load
    from trueerror.sources._api import read as read
    from trueerror.sources._collect import predictions as predictions
    from trueerror.sources._predictions import Predictions as Predictions
    from trueerror.studies._ablation import LesionStudy as LesionStudy
    from trueerror.studies._ablation import ablation as ablation
    from trueerror.studies._ablation import lesion_study as lesion_study
    from trueerror.studies._bias_variance import BiasVariance as BiasVariance
    from trueerror.studies._bias_variance import bias_variance as bias_variance
    from trueerror.studies._learning_curve import learning_curve as learning_curve
    from trueerror.studies._learning_curve_result import LearningCurve as LearningCurve
    from trueerror.studies._overfitting import Overfitting as Overfitting
    from trueerror.studies._overfitting import overfitting as overfitting
    from trueerror.studies._simulation import EstimatorLaboratory as EstimatorLaboratory
    from trueerror.studies._simulation import estimator_laboratory as estimator_laboratory
    from trueerror.tallies import Confusion as Confusion
    from trueerror.tallies import ScoreTable as ScoreTable
    from trueerror.verbs._bootstrap import bootstrap as bootstrap
    from trueerror.verbs._check import check as check
    from trueerror.verbs._compare import compare as compare
    from trueerror.verbs._comparison import Comparison as Comparison
    from trueerror.verbs._evaluate import evaluate as evaluate
    from trueerror.verbs._evaluation import Evaluation as Evaluation
    from trueerror.verbs._gate import gate as gate
    from trueerror.verbs._gate_result import Gate as Gate
    from trueerror.verbs._rank import rank as rank
    from trueerror.verbs._training_gap import training_gap as training_gap

# Public name → the module that defines it; a name mapped to its own module is the module.
_HOMES = {
    "Interval": "trueerror.results",
    "Contrast": "trueerror.results",
    "Test": "trueerror.results",
    "Posterior": "trueerror.results",
    "load": "trueerror.results",
    "Predictions": "trueerror.sources._predictions",
    "predictions": "trueerror.sources._collect",
    "read": "trueerror.sources._api",
    "interval": "trueerror.inference.proportion._interval",
    "mean_interval": "trueerror.inference.loss._interval",
    "difference": "trueerror.inference.proportion._two_samples",
    "probability_less": "trueerror.inference.proportion._two_samples",
    "power": "trueerror.inference.power._plan",
    "sample_size": "trueerror.inference.power._plan",
    "Confusion": "trueerror.tallies",
    "ScoreTable": "trueerror.tallies",
    "average_curves": "trueerror.curves._folds",
    "pool_curves": "trueerror.curves._folds",
    "auc_over_folds": "trueerror.curves._folds",
    "brier_curve": "trueerror.curves._brier",
    "calibration": "trueerror.curves._calibration",
    "cost_curve": "trueerror.curves._cost",
    "decision_curve": "trueerror.curves._decision",
    "det": "trueerror.curves._det",
    "gains": "trueerror.curves._gains",
    "lift": "trueerror.curves._gains",
    "measure_curve": "trueerror.curves._measure",
    "precision_recall": "trueerror.curves._precision_recall",
    "precision_recall_gain": "trueerror.curves._precision_recall",
    "risk_coverage": "trueerror.curves._risk_coverage",
    "roc": "trueerror.curves._roc",
    "roc_difference": "trueerror.curves._roc_difference",
    "roc_hull": "trueerror.curves._hull",
    "evaluate": "trueerror.verbs._evaluate",
    "compare": "trueerror.verbs._compare",
    "Comparison": "trueerror.verbs._comparison",
    "Evaluation": "trueerror.verbs._evaluation",
    "gate": "trueerror.verbs._gate",
    "Gate": "trueerror.verbs._gate_result",
    "rank": "trueerror.verbs._rank",
    "check": "trueerror.verbs._check",
    "bootstrap": "trueerror.verbs._bootstrap",
    "training_gap": "trueerror.verbs._training_gap",
    "Dataset": "trueerror.experiments._dataset",
    "Experiment": "trueerror.experiments._result",
    "experiment": "trueerror.experiments._experiment",
    "Holdout": "trueerror.resampling._splits",
    "Subsampling": "trueerror.resampling._splits",
    "KFold": "trueerror.resampling._cross_validation",
    "LeaveOneOut": "trueerror.resampling._cross_validation",
    "Bootstrap": "trueerror.resampling._splits",
    "BatesCV": "trueerror.resampling._cross_validation",
    "NestedCV": "trueerror.resampling._cross_validation",
    "DisjointHalves": "trueerror.resampling._cross_validation",
    "TimeOrdered": "trueerror.resampling._splits",
    "learning_curve": "trueerror.studies._learning_curve",
    "LearningCurve": "trueerror.studies._learning_curve_result",
    "lesion_study": "trueerror.studies._ablation",
    "ablation": "trueerror.studies._ablation",
    "LesionStudy": "trueerror.studies._ablation",
    "bias_variance": "trueerror.studies._bias_variance",
    "BiasVariance": "trueerror.studies._bias_variance",
    "estimator_laboratory": "trueerror.studies._simulation",
    "EstimatorLaboratory": "trueerror.studies._simulation",
    "overfitting": "trueerror.studies._overfitting",
    "Overfitting": "trueerror.studies._overfitting",
    "report": "trueerror.reports._report",
    "metric": "trueerror.metrics._compute",
    "catalogue": "trueerror.metrics._registry",
    "cost": "trueerror.metrics._compute",
    "config": "trueerror.inputs._options",
}
_MODULES = (
    "data",
    "logs",
    "significance",
    "testing",
)

__all__ = ["__version__", *sorted(_HOMES), *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _MODULES:
        value = import_module(f"trueerror.{name}")
    else:
        raise AttributeError(f"module 'trueerror' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
