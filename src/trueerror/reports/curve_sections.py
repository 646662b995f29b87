"""The folded sections of curves: calibration, precision and recall, gains, lift, and each class against the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from markupsafe import Markup

from trueerror.curves.calibrating import calibration
from trueerror.curves.gain import gains, lift
from trueerror.curves.receiver import roc
from trueerror.curves.retrieval import precision_recall
from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import Label
from trueerror.plots import picture
from trueerror.plots.pictures import Axis, Curves, Line
from trueerror.plots.receiver_pictures import FPR, TPR, diagonal
from trueerror.reports.markup import Section, brief, el, joined, named
from trueerror.reports.pictures import Gallery
from trueerror.results.words import limits, number
from trueerror.rows.predictions import Predictions

# Curves in one picture; the ROC panel shows every model.
MOST_CURVES = 12
# Models whose classes are shown one by one, and how many classes of each.
MOST_MODELS = 4
MOST_CLASSES = 7

KINDS: tuple[tuple[str, str, Callable[..., Any]], ...] = (
    ("precision-recall", "Precision and recall", precision_recall),
    ("gains", "Gains: how many positives are in the top rows", gains),
    ("lift", "Lift: how many times better than random rows", lift),
)


def curve_sections(p: Predictions, models: Sequence[str], gallery: Gallery) -> Iterator[Section]:
    """All of them; of many models those with the largest areas."""
    kept = list(models)[:MOST_CURVES]
    lead = "" if len(kept) == len(models) else f"The {len(kept)} of {len(models)} models with the largest areas."
    # Bins with their intervals cross each other where models share a picture, so each has one of its own.
    blocks = [_figure(partial(calibration, p, model=m), gallery, models) for m in kept]
    yield Section(
        key="calibration",
        title="Calibration: do the scores hold as probabilities?",
        blocks=(el("div", joined(blocks), class_="multiples"),),
        lead=lead,
        folded=True,
    )
    for key, title, make in KINDS:
        block = _figure(partial(_of_each, make, p, kept), gallery, models)
        yield Section(key=key, title=title, blocks=(block,), lead=lead, folded=True)


def class_sections(p: Predictions, gallery: Gallery) -> Iterator[Section]:
    """Of models with a score for each class: the ROC curve of each class against the rest, commonest classes first."""
    models = [m for m in p.models if p.has_class_scores(m)][:MOST_MODELS]
    if p.positive is not None or not models:
        return
    counts = p.truth_counts().tolist()
    common = sorted((i for i in range(len(counts)) if counts[i]), key=lambda i: -counts[i])[:MOST_CLASSES]
    labels = [p.labels[i] for i in sorted(common)]

    blocks = [el("h3", named(m)) + _drawn(partial(_against_rest, p, m, labels), gallery, models) for m in models]
    lead = "" if len(labels) == len(p.labels) else f"The {len(labels)} commonest of {len(p.labels)} classes."
    yield Section(
        key="classes", title="ROC curves of each class against the rest", blocks=tuple(blocks), lead=lead, folded=True
    )


def _against_rest(p: Predictions, model: str, labels: Sequence[Label]) -> Curves:
    """One curve a class. They have no hull together: each is about another question."""
    lines = [diagonal()]
    for i, label in enumerate(labels):
        c = roc(p, model=model, positive=label)
        area = c.auc()
        words = f"{named(label)}: AUC {number(area.estimate)} {limits(area.low, area.high)}"
        tips = {"threshold": c.thresholds, "false positive rate": c.fpr, "true positive rate": c.tpr}
        lines.append(Line(x=c.fpr, y=c.tpr, name=words, series=i, tips=tips))
    return Curves(
        title=f"{named(model)}: each class against the rest", x=Axis(title=FPR), y=Axis(title=TPR), lines=tuple(lines)
    )


def _of_each(make: Callable[..., Any], p: Predictions, models: Sequence[str]) -> dict[str, Any]:
    return {m: make(p, model=m) for m in models}


def _figure(make: Callable[[], Any], gallery: Gallery, names: Sequence[str]) -> Markup:
    """The figure of a result, or why there is none."""
    return _drawn(lambda: picture(make()), gallery, names)


def _drawn(make: Callable[[], Any], gallery: Gallery, names: Sequence[str]) -> Markup:
    """A picture, or why there is none."""
    try:
        return gallery.draw(make())
    except InputError as reason:
        return el("p", brief(f"Not shown: {reason}.", names))
