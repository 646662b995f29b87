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
    from trueerror.curves.averaging import average_curves as average_curves
    from trueerror.curves.averaging import pool_curves as pool_curves
    from trueerror.curves.benefit import decision_curve as decision_curve
    from trueerror.curves.brier_curves import brier_curve as brier_curve
    from trueerror.curves.calibrating import calibration as calibration
    from trueerror.curves.costs import cost_curve as cost_curve
    from trueerror.curves.crossing import roc_difference as roc_difference
    from trueerror.curves.detection import det as det
    from trueerror.curves.fold_areas import auc_over_folds as auc_over_folds
    from trueerror.curves.gain import gains as gains
    from trueerror.curves.gain import lift as lift
    from trueerror.curves.hull import roc_hull as roc_hull
    from trueerror.curves.measures import measure_curve as measure_curve
    from trueerror.curves.receiver import roc as roc
    from trueerror.curves.retrieval import precision_recall as precision_recall
    from trueerror.curves.retrieval_gain import precision_recall_gain as precision_recall_gain
    from trueerror.curves.selective import risk_coverage as risk_coverage
    from trueerror.experiments.datasets import Dataset as Dataset
    from trueerror.experiments.gathered import Experiment as Experiment
    from trueerror.experiments.running import experiment as experiment
    from trueerror.inputs.settings import config as config
    from trueerror.intervals.binomial import interval as interval
    from trueerror.intervals.means import mean_interval as mean_interval
    from trueerror.metrics.compute import cost as cost
    from trueerror.metrics.compute import metric as metric
    from trueerror.metrics.listing import catalogue as catalogue
    from trueerror.reports.page import report as report
    from trueerror.resampling.folds import BatesCV as BatesCV
    from trueerror.resampling.folds import KFold as KFold
    from trueerror.resampling.folds import LeaveOneOut as LeaveOneOut
    from trueerror.resampling.halves import DisjointHalves as DisjointHalves
    from trueerror.resampling.nested import NestedCV as NestedCV
    from trueerror.resampling.ordered import TimeOrdered as TimeOrdered
    from trueerror.resampling.random_parts import Bootstrap as Bootstrap
    from trueerror.resampling.random_parts import Holdout as Holdout
    from trueerror.resampling.random_parts import Subsampling as Subsampling
    from trueerror.results import Contrast as Contrast
    from trueerror.results import Interval as Interval
    from trueerror.results import Posterior as Posterior
    from trueerror.results import Test as Test
    from trueerror.results import load as load
    from trueerror.rows.collecting import predictions as predictions
    from trueerror.rows.predictions import Predictions as Predictions
    from trueerror.rows.reading import read as read
    from trueerror.significance.independent import difference as difference
    from trueerror.significance.independent import probability_less as probability_less
    from trueerror.significance.planning import power as power
    from trueerror.significance.planning import sample_size as sample_size
    from trueerror.studies.bias_and_variance import bias_variance as bias_variance
    from trueerror.studies.bias_result import BiasVariance as BiasVariance
    from trueerror.studies.laboratory import estimator_laboratory as estimator_laboratory
    from trueerror.studies.laboratory_result import EstimatorLaboratory as EstimatorLaboratory
    from trueerror.studies.learning import learning_curve as learning_curve
    from trueerror.studies.learning_result import LearningCurve as LearningCurve
    from trueerror.studies.lesion_result import LesionStudy as LesionStudy
    from trueerror.studies.lesions import ablation as ablation
    from trueerror.studies.lesions import lesion_study as lesion_study
    from trueerror.studies.overfit_result import Overfitting as Overfitting
    from trueerror.studies.overfits import overfitting as overfitting
    from trueerror.tallies import Confusion as Confusion
    from trueerror.tallies import ScoreTable as ScoreTable
    from trueerror.verbs.bootstrapped import bootstrap as bootstrap
    from trueerror.verbs.checking import check as check
    from trueerror.verbs.comparing import compare as compare
    from trueerror.verbs.comparison import Comparison as Comparison
    from trueerror.verbs.evaluating import evaluate as evaluate
    from trueerror.verbs.evaluation import Evaluation as Evaluation
    from trueerror.verbs.gate_result import Gate as Gate
    from trueerror.verbs.gating import gate as gate
    from trueerror.verbs.ranked import rank as rank
    from trueerror.verbs.training_gaps import training_gap as training_gap

# Public name → the module that defines it; a name mapped to its own module is the module.
_HOMES = {
    "Interval": "trueerror.results",
    "Contrast": "trueerror.results",
    "Test": "trueerror.results",
    "Posterior": "trueerror.results",
    "load": "trueerror.results",
    "Predictions": "trueerror.rows.predictions",
    "predictions": "trueerror.rows.collecting",
    "read": "trueerror.rows.reading",
    "interval": "trueerror.intervals.binomial",
    "mean_interval": "trueerror.intervals.means",
    "difference": "trueerror.significance.independent",
    "probability_less": "trueerror.significance.independent",
    "power": "trueerror.significance.planning",
    "sample_size": "trueerror.significance.planning",
    "Confusion": "trueerror.tallies",
    "ScoreTable": "trueerror.tallies",
    "average_curves": "trueerror.curves.averaging",
    "pool_curves": "trueerror.curves.averaging",
    "auc_over_folds": "trueerror.curves.fold_areas",
    "brier_curve": "trueerror.curves.brier_curves",
    "calibration": "trueerror.curves.calibrating",
    "cost_curve": "trueerror.curves.costs",
    "decision_curve": "trueerror.curves.benefit",
    "det": "trueerror.curves.detection",
    "gains": "trueerror.curves.gain",
    "lift": "trueerror.curves.gain",
    "measure_curve": "trueerror.curves.measures",
    "precision_recall": "trueerror.curves.retrieval",
    "precision_recall_gain": "trueerror.curves.retrieval_gain",
    "risk_coverage": "trueerror.curves.selective",
    "roc": "trueerror.curves.receiver",
    "roc_difference": "trueerror.curves.crossing",
    "roc_hull": "trueerror.curves.hull",
    "evaluate": "trueerror.verbs.evaluating",
    "compare": "trueerror.verbs.comparing",
    "Comparison": "trueerror.verbs.comparison",
    "Evaluation": "trueerror.verbs.evaluation",
    "gate": "trueerror.verbs.gating",
    "Gate": "trueerror.verbs.gate_result",
    "rank": "trueerror.verbs.ranked",
    "check": "trueerror.verbs.checking",
    "bootstrap": "trueerror.verbs.bootstrapped",
    "training_gap": "trueerror.verbs.training_gaps",
    "Dataset": "trueerror.experiments.datasets",
    "Experiment": "trueerror.experiments.gathered",
    "experiment": "trueerror.experiments.running",
    "Holdout": "trueerror.resampling.random_parts",
    "Subsampling": "trueerror.resampling.random_parts",
    "KFold": "trueerror.resampling.folds",
    "LeaveOneOut": "trueerror.resampling.folds",
    "Bootstrap": "trueerror.resampling.random_parts",
    "BatesCV": "trueerror.resampling.folds",
    "NestedCV": "trueerror.resampling.nested",
    "DisjointHalves": "trueerror.resampling.halves",
    "TimeOrdered": "trueerror.resampling.ordered",
    "learning_curve": "trueerror.studies.learning",
    "LearningCurve": "trueerror.studies.learning_result",
    "lesion_study": "trueerror.studies.lesions",
    "ablation": "trueerror.studies.lesions",
    "LesionStudy": "trueerror.studies.lesion_result",
    "bias_variance": "trueerror.studies.bias_and_variance",
    "BiasVariance": "trueerror.studies.bias_result",
    "estimator_laboratory": "trueerror.studies.laboratory",
    "EstimatorLaboratory": "trueerror.studies.laboratory_result",
    "overfitting": "trueerror.studies.overfits",
    "Overfitting": "trueerror.studies.overfit_result",
    "report": "trueerror.reports.page",
    "metric": "trueerror.metrics.compute",
    "catalogue": "trueerror.metrics.listing",
    "cost": "trueerror.metrics.compute",
    "config": "trueerror.inputs.settings",
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
