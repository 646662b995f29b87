"""Which picture belongs to which result, by the name of its type, and who draws which picture."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from trueerror.inputs.errors import InputError
from trueerror.plots.curve_words import LEGEND_NAME
from trueerror.plots.labels import distinct
from trueerror.plots.pictures import Picture
from trueerror.results import Contrast, Interval

# Result → where its picture is composed; the rooms are loaded when one of theirs is to be drawn.
OF_ONE = {
    "Confusion": ("heats", "confusion_picture"),
    "Evaluation": ("evaluations", "evaluation_forest"),
    "ModelEvaluation": ("evaluations", "model_forest"),
    "RocDifference": ("receiver_pictures", "difference_picture"),
    "HullChoice": ("receiver_pictures", "choice_picture"),
    "HullRanges": ("receiver_pictures", "ranges_picture"),
    "TrainingGap": ("comparisons", "training_forest"),
    "Comparison": ("comparisons", "comparison_picture"),
    "Summary": ("experiment_pictures", "summary_forest"),
    "Ranking": ("ranks_pictures", "ranking_picture"),
    "LearnerRanking": ("ranks_pictures", "ranking_picture"),
    "Posterior": ("ranks_pictures", "posterior_picture"),
    "LearningCurve": ("study_pictures", "learning_picture"),
    "LesionStudy": ("lesion_pictures", "lesion_picture"),
    "BiasVariance": ("bias_pictures", "bias_picture"),
    "EstimatorLaboratory": ("bias_pictures", "laboratory_picture"),
    "Overfitting": ("study_pictures", "overfitting_picture"),
}
# These take several results of their kind at once, by name.
OF_SEVERAL = {
    "Roc": ("receiver_pictures", "roc_picture"),
    "RocBand": ("receiver_pictures", "band_picture"),
    "PrecisionRecall": ("ranked_curves", "precision_recall_picture"),
    "PrecisionRecallGain": ("ranked_curves", "gain_picture"),
    "Gains": ("ranked_curves", "gains_picture"),
    "Lift": ("ranked_curves", "lift_picture"),
    "Det": ("ranked_curves", "det_picture"),
    "CostCurve": ("decision_pictures", "cost_curve_picture"),
    "DecisionCurve": ("decision_pictures", "decision_curve_picture"),
    "BrierCurve": ("decision_pictures", "brier_curve_picture"),
    "RiskCoverage": ("decision_pictures", "risk_coverage_picture"),
    "AverageCurve": ("receiver_pictures", "average_picture"),
    "MeasureCurve": ("ranked_curves", "measure_picture"),
    "Calibration": ("calibration_pictures", "calibration_picture"),
}
# Results that hold intervals and are best seen as those.
AS_INTERVALS = {
    "RocPoint": ("tpr_interval", "fpr_interval"),
    "OperatingPoint": ("corrected",),
    "RetrievalPoint": ("precision", "recall"),
    "ErrorPoint": ("fpr", "fnr"),
    "CostPoint": ("cost",),
}
INSTEAD = {
    "ScoreTable": "te.roc(table).plot() shows it",
    "Test": "it is one number; print it",
    "Table": "it is a table; print it",
}
WRITERS = {
    "Forest": ("vega_forest", "forest_spec"),
    "Heat": ("vega_heat", "heat_spec"),
    "Bars": ("vega_heat", "bars_spec"),
    "Curves": ("vega_curves", "curves_spec"),
    "Ranks": ("vega_ranks", "ranks_spec"),
}
DRAWERS = {
    "Forest": ("axes_forest", "draw_forest"),
    "Heat": ("axes_heat", "draw_heat"),
    "Bars": ("axes_heat", "draw_bars"),
    "Curves": ("axes_curves", "draw_curves"),
    "Ranks": ("axes_ranks", "draw_ranks"),
}


def compose(result: Any, options: dict[str, Any]) -> Picture:
    """The picture of one result, or of several of one kind."""
    one = next(iter(_members(result)), None)
    if one is None:
        raise InputError("there is nothing to plot: the list of results is empty")
    if all(isinstance(r, Interval) for r in _members(result)):
        name = "contrasts_forest" if all(isinstance(r, Contrast) for r in _members(result)) else "intervals_forest"
        return _call(_find(("forests", name)), result, options)
    kinds = {_kind(r) for r in _members(result)}
    if len(kinds) > 1:
        raise InputError(f"one picture shows results of one kind, not {' and '.join(sorted(kinds))} together")
    kind = kinds.pop()
    if kind == "RocHull":
        return compose(dict(one.curves), options)
    if kind in OF_SEVERAL:
        return _call(_find(OF_SEVERAL[kind]), _brief(_named(result)), options)
    if kind in AS_INTERVALS and not isinstance(result, Mapping | list | tuple):
        intervals = [getattr(result, field) for field in AS_INTERVALS[kind]]
        return _call(_find(("forests", "intervals_forest")), intervals, options)
    if kind in OF_ONE:
        if isinstance(result, Mapping | list | tuple):
            if len(result) > 1:
                raise InputError(f"one picture shows one {kind}; plot them one by one")
            result = one
        return _call(_find(OF_ONE[kind]), result, options)
    hint = INSTEAD.get(kind, "print it, or see its .frame()")
    raise InputError(f"a {kind} has no picture: {hint}")


def _kind(result: Any) -> str:
    """The name under which a result's picture is known: that of its type, or of one that its type builds on."""
    names = [t.__name__ for t in type(result).__mro__]
    return next((n for n in names if n in OF_ONE or n in OF_SEVERAL or n in AS_INTERVALS), names[0])


def _members(result: Any) -> list[Any]:
    if isinstance(result, Mapping):
        return list(result.values())
    return list(result) if isinstance(result, list | tuple) else [result]


def _named(result: Any) -> list[tuple[str, Any]]:
    if isinstance(result, Mapping):
        return [(str(name), one) for name, one in result.items()]
    several = _members(result)
    fallback = [""] if len(several) == 1 else [f"curve {i + 1}" for i in range(len(several))]
    return [(str(getattr(one, "name", "") or fallback[i]), one) for i, one in enumerate(several)]


def _brief(named: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Names short enough for a legend, each different."""
    if len(named) == 1:
        return named
    return list(zip(distinct((name for name, _ in named), LEGEND_NAME), (one for _, one in named), strict=True))


def _call(composer: Any, given: Any, options: dict[str, Any]) -> Picture:
    known = [p.name for p in inspect.signature(composer).parameters.values() if p.kind is p.KEYWORD_ONLY]
    for option in options:
        if option not in known:
            raise InputError(f"this picture has no option {option!r}; it has {', '.join(known) or 'none'}")
    made: Picture = composer(given, **options)
    return made


def write_spec(picture: Picture) -> dict[str, Any]:
    """The Vega-Lite specification of a picture."""
    made: dict[str, Any] = _find(WRITERS[type(picture).__name__])(picture)
    return made


def draw_picture(picture: Picture, ax: Any) -> Any:
    """The picture on matplotlib axes."""
    return _find(DRAWERS[type(picture).__name__])(picture, ax)


def _find(home: tuple[str, str]) -> Any:
    return getattr(import_module(f"trueerror.plots.{home[0]}"), home[1])
