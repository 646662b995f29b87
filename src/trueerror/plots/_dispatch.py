"""Which picture belongs to which result, by the name of its type."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeGuard

from trueerror.curves._base import TableCurve
from trueerror.curves._verb import ModelCurves
from trueerror.inputs._options import InputError, nearest
from trueerror.plots._headings import LEGEND_NAME, MOST_BANDS, Named
from trueerror.plots._specs import Picture
from trueerror.plots._text import distinct
from trueerror.results import Contrast, Interval, TrackedResult

# Result → where its picture is composed; the rooms are loaded when one of theirs is to be drawn.
OF_ONE = {
    "Confusion": "matrices.confusion_picture",
    "Evaluation": "forests.evaluation_forest",
    "ModelEvaluation": "forests.model_forest",
    "RocDifference": "roc.difference_picture",
    "HullChoice": "roc.choice_picture",
    "HullRanges": "roc.ranges_picture",
    "Arena": "forests.arena_forest",
    "Gate": "forests.gate_forest",
    "Repeats": "forests.repeats_forest",
    "Bootstrapped": "distributions.bootstrap_picture",
    "Plan": "studies.plan_picture",
    "RaterAgreement": "forests.agreement_forest",
    "Gap": "forests.gap_forest",
    "Gaps": "forests.gaps_forest",
    "TrainingGap": "forests.training_forest",
    "Comparison": "forests.comparison_picture",
    "Summary": "forests.summary_forest",
    "Ranking": "matrices.ranking_picture",
    "LearnerRanking": "matrices.ranking_picture",
    "Posterior": "distributions.posterior_picture",
    "LearningCurve": "studies.learning_picture",
    "TrainingShares": "studies.shares_picture",
    "LesionStudy": "studies.lesion_picture",
    "BiasVariance": "studies.bias_picture",
    "EstimatorLaboratory": "studies.laboratory_picture",
    "Overfitting": "studies.overfitting_picture",
    "TrainingHistory": "studies.overfitting_picture",
    "Test": "distributions.test_picture",
    "Power": "distributions.power_picture",
    "FoldDifferences": "distributions.folds_picture",
    "ScoreTable": "distributions.score_table_picture",
}
# Other pictures of a result, by the word of `kind=`; the first is the one that it has without.
KINDS = {
    "Comparison": {
        "differences": "forests.differences_forest",
        "pairs": "forests.pairs_heat",
        "confusion": "matrices.confusion_difference",
        "folds": "distributions.folds_picture",
    },
    "Confusion": {"matrix": "matrices.confusion_picture", "sets": "matrices.sets_picture"},
    "Repeats": {"metrics": "forests.repeats_forest", "allocation": "distributions.repeats_picture"},
    "Evaluation": {"metrics": "forests.evaluation_forest", "slices": "matrices.slices_heat"},
    "LearnerRanking": {
        "ranks": "matrices.ranking_picture",
        "profile": "distributions.profile_picture",
        "improvement": "matrices.improvement_picture",
    },
    "Contrast": {"interval": "forests.contrasts_forest", "test": "distributions.test_picture"},
}
# Other pictures of a ROC curve.
OF_ROC = {
    "scores": "distributions.scores_picture",
    "thresholds": "distributions.thresholds_picture",
    "precision-recall": "roc.roc_beside_precision_recall",
}
# These take several results of their kind at once, by name, and so do the curves that name their own picture.
OF_SEVERAL = {
    "RocBand": "roc.band_picture",
    "AverageCurve": "roc.average_picture",
    "PrecisionRecallBand": "curves.precision_recall_band_picture",
    "AveragePrecisionRecall": "curves.average_precision_recall_picture",
    "IsoLine": "roc.iso_picture",
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
    "Table": "it is a table; print it",
}


def compose(result: object, options: Mapping[str, object]) -> Picture:
    """The picture of one result, or of several of one kind; `kind` among the options is a word of `KINDS`."""
    one = next(iter(_members(result)), None)
    if one is None:
        raise InputError("there is nothing to plot: the list of results is empty")
    if "kind" in options:
        return _of_kind(result, one, options)
    if all(isinstance(r, Interval) for r in _members(result)):
        contrasts = all(isinstance(r, Contrast) for r in _members(result))
        return _call("forests.contrasts_forest" if contrasts else "forests.intervals_forest", result, options)
    kinds = {_kind(r) for r in _members(result)}
    if len(kinds) > 1:
        raise InputError(f"one picture shows results of one kind, not {' and '.join(sorted(kinds))} together")
    kind = kinds.pop()
    if kind == "RocHull":
        return compose(dict(one.curves), options)
    if isinstance(one, TableCurve) or kind in OF_SEVERAL:
        home = one.kind.picture if isinstance(one, TableCurve) else OF_SEVERAL[kind]
        if (
            isinstance(result, ModelCurves)
            and len(result) <= MOST_BANDS
            and "band" in inspect.signature(_find(home)).parameters
        ):
            options = {"band": True, **options}
        return _call(home, _brief(_named(result)), options)
    if kind in AS_INTERVALS and not _is_several(result):
        intervals = [getattr(result, field) for field in AS_INTERVALS[kind]]
        return _call("forests.intervals_forest", intervals, options)
    if kind in OF_ONE:
        if _is_several(result):
            if len(result) > 1:
                raise InputError(f"one picture shows one {kind}; plot them one by one")
            result = one
        return _call(OF_ONE[kind], result, options)
    hint = INSTEAD.get(kind, "print it, or see its .frame()")
    raise InputError(f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind} has no picture: {hint}")


def _of_kind(result: object, one: object, options: Mapping[str, object]) -> Picture:
    """The picture that was asked for by name."""
    from trueerror.curves._roc import Roc

    word = str(options["kind"])
    rest = {name: value for name, value in options.items() if name != "kind"}
    names = [t.__name__ for t in type(one).__mro__]
    known = OF_ROC if isinstance(one, Roc) else next((KINDS[n] for n in names if n in KINDS), {})
    if isinstance(one, Roc) and word == "roc":
        return compose(result, rest)
    if word not in known:
        kinds = ["roc", *OF_ROC] if isinstance(one, Roc) else list(known)
        hint = f"; there are {', '.join(kinds)}" if kinds else "; it has one picture, without kind="
        raise InputError(f"kind={word!r} is no picture of this result{nearest(word, kinds) if kinds else ''}{hint}")
    if isinstance(one, Roc):
        return _call(known[word], _brief(_named(result)), rest)
    if _is_several(result) and len(result) > 1 and not isinstance(one, Interval):
        raise InputError(f"one picture shows one {names[0]}; plot them one by one")
    return _call(known[word], result if isinstance(one, Interval) and word == "interval" else one, rest)


def has_picture(result: object) -> bool:
    """Whether a picture belongs to a result of this kind."""
    if isinstance(result, ModelCurves):
        return len(result) > 0
    known = (OF_ONE, OF_SEVERAL, AS_INTERVALS, ("RocHull",))
    return isinstance(result, Interval | TableCurve) or any(_kind(result) in kinds for kinds in known)


def _kind(result: object) -> str:
    """The name under which a result's picture is known: that of its type, or of one that its type builds on."""
    names = [t.__name__ for t in type(result).__mro__]
    return next((n for n in names if n in OF_ONE or n in OF_SEVERAL or n in AS_INTERVALS), names[0])


def _is_several(result: object) -> TypeGuard[Mapping[str, Any] | list[Any] | tuple[Any, ...]]:
    """Whether these are results, by name or in order; one that trackers take for a mapping is one."""
    return isinstance(result, Mapping | list | tuple) and not isinstance(result, TrackedResult)


def _members(result: object) -> list[Any]:
    if not _is_several(result):
        return [result]
    return list(result.values() if isinstance(result, Mapping) else result)


def _named(result: object) -> Named:
    several = _members(result)
    if _is_several(result) and isinstance(result, Mapping):
        return [(str(name), one) for name, one in zip(result, several, strict=True)]
    fallback = [""] if len(several) == 1 else [f"curve {i + 1}" for i in range(len(several))]
    return [(str(getattr(one, "name", "") or fallback[i]), one) for i, one in enumerate(several)]


def _brief(named: Named) -> Named:
    """Names short enough for a legend, each different."""
    if len(named) == 1:
        return named
    return list(zip(distinct((name for name, _ in named), LEGEND_NAME), (one for _, one in named), strict=True))


def _call(home: str, given: object, options: Mapping[str, object]) -> Picture:
    composer = _find(home)
    known = [p.name for p in inspect.signature(composer).parameters.values() if p.kind is p.KEYWORD_ONLY]
    if unknown := [option for option in options if option not in known]:
        drawn = "; .draw(ax) draws on axes of matplotlib" if "ax" in unknown else ""
        raise InputError(f"this picture has no option {unknown[0]!r}; it has {', '.join(known) or 'none'}{drawn}")
    return composer(given, **options)


def _find(home: str) -> Callable[..., Picture]:
    module, name = home.split(".")
    composer: Callable[..., Picture] = getattr(import_module(f"trueerror.plots.compose.{module}"), name)
    return composer
