"""trueerror: how good is a classifier really, is it better than that one, and which one to run.

Every verb is imported when it is first used, so that `import trueerror` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from trueerror.version import __version__

if TYPE_CHECKING:
    from trueerror import data as data
    from trueerror import significance as significance
    from trueerror.inputs.settings import config as config
    from trueerror.intervals.binomial import interval as interval
    from trueerror.intervals.means import mean_interval as mean_interval
    from trueerror.metrics.compute import cost as cost
    from trueerror.metrics.compute import metric as metric
    from trueerror.metrics.listing import catalogue as catalogue
    from trueerror.reports.page import report as report
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
    from trueerror.tallies import Confusion as Confusion
    from trueerror.tallies import ScoreTable as ScoreTable
    from trueerror.verbs.comparing import compare as compare
    from trueerror.verbs.comparison import Comparison as Comparison
    from trueerror.verbs.evaluating import evaluate as evaluate
    from trueerror.verbs.evaluation import Evaluation as Evaluation

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
    "evaluate": "trueerror.verbs.evaluating",
    "compare": "trueerror.verbs.comparing",
    "Comparison": "trueerror.verbs.comparison",
    "Evaluation": "trueerror.verbs.evaluation",
    "report": "trueerror.reports.page",
    "metric": "trueerror.metrics.compute",
    "catalogue": "trueerror.metrics.listing",
    "cost": "trueerror.metrics.compute",
    "config": "trueerror.inputs.settings",
}
_MODULES = (
    "data",
    "significance",
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
