"""`trueerror plot`: one picture of the models in a file."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from trueerror.cli._answers import tell
from trueerror.cli._option_groups import OutputOptions, RowsOptions
from trueerror.cli._target import PICTURES, target
from trueerror.curves import PLOT_WORDS
from trueerror.inputs._groups import Certainty, Costs
from trueerror.inputs._options import InputError, check_word, nearest
from trueerror.results._format import listing

if TYPE_CHECKING:
    from trueerror.curves._base import TableCurve
    from trueerror.curves._folds import AverageCurve, AveragePrecisionRecall
    from trueerror.curves._verb import CurveVerb
    from trueerror.results import Result
    from trueerror.sources._predictions import Predictions

# Pictures that are not curves of a score table, and other words for them.
TABLES: dict[str, tuple[str, ...]] = {
    "confusion": ("matrix",),
    "forest": ("metrics",),
    "differences": ("compare",),
    "hull": (),
    "scores": ("histogram",),
    "thresholds": ("sweep",),
    "slices": (),
    "pairs": (),
    "confusion-difference": (),
}
# Kinds that are judged, so that a metric and a confidence matter.
JUDGED = ("forest", "differences", "pairs", "slices")
# Kinds of command line that are a word of `.plot(kind=)`.
OTHER_KINDS = {
    **{kind: kind for kind in ("scores", "thresholds", "slices", "pairs")},
    "confusion-difference": "confusion",
}
# Curves that classifiers without scores have as well.
OF_LABELS = ("roc", "cost")
# Word of a curve → the function that makes it.
CURVES = {words[0]: verb for verb, words in PLOT_WORDS.items()}
# What there is to show, with other words for it.
KINDS: dict[str, tuple[str, ...]] = {**{word: tuple(aliases) for word, *aliases in PLOT_WORDS.values()}, **TABLES}


def kind_named(word: str) -> str:
    """A kind of picture by its name.

    >>> kind_named("precision-recall")
    'pr'
    """
    for kind, aliases in KINDS.items():
        if word in (kind, *aliases):
            return kind
    raise InputError(f"{word!r} is not a kind of picture{nearest(word, list(KINDS))}")


def plot_command(
    file: list[str],
    *,
    picture: Path,
    kind: str,
    how: Literal["vertical", "threshold", "pooled"] | None,
    metric: str | None,
    band: str | None,
    rows: RowsOptions,
    costs: Costs,
    chance: Certainty,
    output: OutputOptions,
) -> None:
    """One picture of the models in a file."""
    path, kind = target(picture, PICTURES, "a picture"), kind_named(kind)
    if how is not None:
        check_word(how, ("vertical", "threshold", "pooled"), "how")
    if metric is not None and kind not in JUDGED:
        raise InputError(f"--metric goes with --kind {listing(list(JUDGED), 'or')}, not with {kind}")
    given = rows.read(file, cut=True)
    if rows.columns:
        output.show_columns(given)
        return
    from trueerror.plots import save

    how_drawn = picture_options(kind, band, costs)
    if band == "simultaneous":
        how_drawn["rng"] = chance.rng
    if kind not in JUDGED and "confidence" in chance.changed():
        raise InputError(f"--confidence goes with --kind {listing(list(JUDGED), 'or')}, not with {kind}")
    if kind == "slices" and rows.by is None:
        raise InputError("--kind slices needs a column of slices: --by COLUMN")
    if rows.by is not None and kind in TABLES and kind != "slices":
        raise InputError(f"--by goes with curves, not with --kind {kind}: evaluate and compare show slices")
    if given.has_key("repeats") and not given.folded and len(given.keys("repeats").names) > 1:
        raise InputError("these rows hold several repeats of the same items; draw one repeat at a time")
    if how is not None and (kind != "roc" or not given.folded):
        raise InputError("--how goes with --kind roc and a column of folds (--fold COLUMN)")
    drawable: Any
    if kind in TABLES:
        drawable = tables(given, kind, metric, chance, costs)
    elif kind == "roc" and given.folded and how != "pooled":
        drawable = averages(given, how or "vertical")
        tell(f"Curves of {len(given.keys('folds').names):,} folds, averaged; --how pooled for one curve of all rows.")
    else:
        drawable = curves(given, kind, **({"prior": costs.prior} if kind == "pr" and costs.prior is not None else {}))
    tell(f"Wrote {save(drawable, path, **how_drawn)}.")


def picture_options(kind: str, band: str | None, costs: Costs) -> dict[str, Any]:
    """What a picture itself is drawn by; options that it does not know are refused."""
    options: dict[str, Any] = {}
    if band is not None:
        if kind not in ("roc", "pr") or (kind == "pr" and band != "pointwise"):
            raise InputError("--band goes with --kind roc (pointwise or simultaneous) or pr (pointwise)")
        options["band"] = band if kind == "roc" else True
    conditions = {"prior": costs.prior, "cost_fp": costs.cost_fp, "cost_fn": costs.cost_fn}
    given = {name: value for name, value in conditions.items() if value is not None}
    if kind in OTHER_KINDS:
        options["kind"] = OTHER_KINDS[kind]
    if kind == "thresholds" and costs.prior is None and costs.costs is None:
        return options | {name: given[name] for name in ("cost_fp", "cost_fn") if name in given}
    if kind in JUDGED:
        return options
    if kind == "pr" and set(given) <= {"prior"} and costs.costs is None:
        # The curve itself is at that mix.
        return options
    if costs.costs is not None or (given and kind not in ("roc", "hull")):
        raise InputError(
            "--prior, --cost-fp and --cost-fn go with --kind roc, hull, forest, differences, pairs and slices, the two "
            "costs with thresholds and --prior with pr as well; --costs with those that are judged"
        )
    return options | given


def curves(p: Predictions, kind: str, **options: Any) -> dict[str, TableCurve]:
    """The same curve of each model that has scores."""
    make: CurveVerb[TableCurve] = getattr(import_module("trueerror.curves"), CURVES[kind])
    # A classifier that gives labels is a point of a ROC curve, and a line of a cost curve.
    models = [m for m in p.models if p.has_scores(m) or kind in OF_LABELS]
    if not models:
        raise InputError(f"--kind {kind} needs scores, and the file has labels only; name them with --score")
    if p.has_key("slices"):
        return {f"{m}, {value}": make(p.slice(value), model=m, **options) for m in models for value in p.slices()}
    return {m: make(p, model=m, **options) for m in models}


def averages(p: Predictions, how: Literal["vertical", "threshold"]) -> dict[str, AverageCurve | AveragePrecisionRecall]:
    """The ROC curves of the folds of each model that has scores, averaged."""
    from trueerror.curves._folds import average_curves

    scored = [m for m in p.models if p.has_scores(m)]
    if not scored:
        raise InputError("--kind roc needs scores, and the file has labels only; name them with --score")
    return {m: average_curves(p, how=how, model=m) for m in scored}


def tables(p: Predictions, kind: str, metric: str | None, chance: Certainty, costs: Costs) -> Result:
    """A confusion matrix, the metrics of the models, their differences from the leader, or their common hull."""
    if kind == "confusion":
        if len(p.models) > 1:
            names = ", ".join(p.models[:12])
            raise InputError(f"--kind confusion shows one model; choose one with --model: {names}")
        return p.confusion()
    if kind in ("scores", "thresholds"):
        roc_curves = curves(p, "roc")
        if len(roc_curves) > 1:
            raise InputError(
                f"--kind {kind} shows one model; choose one with --model: {', '.join(list(roc_curves)[:12])}"
            )
        return next(iter(roc_curves.values()))
    if kind in ("differences", "pairs", "confusion-difference"):
        from trueerror.verbs._compare import compare

        return compare(p, metric=metric, **costs.given(), **chance.given())
    if kind == "hull":
        from trueerror.curves._hull import roc_hull

        return roc_hull(curves(p, "roc"))
    from trueerror.verbs._evaluate import evaluate

    return evaluate(p, metrics=metric, **costs.given(), **chance.given())
