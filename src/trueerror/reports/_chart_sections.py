"""The charts of the page about models: calibration, ranking curves, classes, confusion matrices and slices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from markupsafe import Markup

from trueerror.curves._base import TableCurve
from trueerror.curves._calibration import calibration
from trueerror.curves._gains import gains, lift
from trueerror.curves._precision_recall import precision_recall
from trueerror.curves._roc import roc
from trueerror.inputs._labels import Label
from trueerror.inputs._options import InputError
from trueerror.plots import picture
from trueerror.plots._dispatch import estimate_words
from trueerror.plots._specs import Axis, Curves, Picture
from trueerror.plots.compose.roc import FPR, TPR, diagonal, roc_line
from trueerror.plots.svg._elements import el, joined
from trueerror.reports._explorer import Explored
from trueerror.reports._html import Section, brief, clipped, confusion_block, html_table
from trueerror.reports._svg import Gallery
from trueerror.sources._predictions import Predictions
from trueerror.verbs._evaluation import Evaluation, class_table, confused_lines
from trueerror.verbs._gaps import evaluation_gaps

# Curves in one picture; the ROC panel shows every model.
MOST_CURVES = 12
# Models whose classes are shown one by one, and how many classes of each.
MOST_MODELS = 4
MOST_CLASSES = 7

KINDS: tuple[tuple[str, str, Callable[..., TableCurve]], ...] = (
    ("precision-recall", "Precision and recall", precision_recall),
    ("gains", "Gains: how many positives are in the top rows", gains),
    ("lift", "Lift: how many times better than random rows", lift),
)


def chart_sections(
    ev: Evaluation | None, p: Predictions | None, explored: Explored | None, reason: str, gallery: Gallery
) -> Iterator[Section]:
    """The folded sections: confusion matrices, curves of scores; `reason` says why there are no curves."""
    if ev is not None and any(part.confusion is not None for part in ev.parts):
        yield Section(key="confusions", title="Confusion matrices", blocks=(confusions(ev),), folded=True)
    if explored is not None and p is not None:
        yield from curve_sections(p, [m for m, c in explored.curves.items() if not c.calls], gallery)
    elif p is not None and not reason:
        yield from class_sections(p, gallery)
    elif reason:
        yield Section(key="curves", title="Curves", blocks=(el("p", reason),), folded=True)


def curve_sections(p: Predictions, models: Sequence[str], gallery: Gallery) -> Iterator[Section]:
    """All of them; of many models those with the largest areas."""
    kept = list(models)[:MOST_CURVES]
    lead = "" if len(kept) == len(models) else f"The {len(kept)} of {len(models)} models with the largest areas."
    # Bins with their intervals cross each other where models share a picture, so each has one of its own.
    blocks = [_drawn(partial(_of_each, calibration, p, [m]), gallery, models) for m in kept]
    yield Section(
        key="calibration",
        title="Calibration: do the scores hold as probabilities?",
        blocks=(el("div", joined(blocks), class_="multiples"),),
        lead=lead,
        folded=True,
    )
    for key, title, make in KINDS:
        block = _drawn(partial(_of_each, make, p, kept), gallery, models)
        yield Section(key=key, title=title, blocks=(block,), lead=lead, folded=True)


def class_sections(p: Predictions, gallery: Gallery) -> Iterator[Section]:
    """Of models with a score for each class: the ROC curve of each class against the rest, commonest classes first."""
    models = [m for m in p.models if p.scale is None and p.has_class_scores(m)][:MOST_MODELS]
    if p.positive is not None or not models:
        return
    counts = p.truth_counts().tolist()
    common = sorted((i for i in range(len(counts)) if counts[i]), key=lambda i: -counts[i])[:MOST_CLASSES]
    labels = [p.labels[i] for i in sorted(common)]

    blocks = [el("h3", clipped(m)) + _drawn(partial(_against_rest, p, m, labels), gallery, models) for m in models]
    lead = "" if len(labels) == len(p.labels) else f"The {len(labels)} commonest of {len(p.labels)} classes."
    yield Section(
        key="classes", title="ROC curves of each class against the rest", blocks=tuple(blocks), lead=lead, folded=True
    )


def _against_rest(p: Predictions, model: str, labels: Sequence[Label]) -> Curves:
    """One curve a class. They have no hull together: each is about another question."""
    lines = [diagonal()]
    for i, label in enumerate(labels):
        c = roc(p, model=model, positive=label)
        lines.append(roc_line(c, f"{clipped(label)}: AUC {estimate_words(c.auc())}", i))
    return Curves(
        title=f"{clipped(model)}: each class against the rest", x=Axis(title=FPR), y=Axis(title=TPR), lines=tuple(lines)
    )


def _of_each(make: Callable[..., TableCurve], p: Predictions, models: Sequence[str]) -> Picture:
    return picture({m: make(p, model=m) for m in models})


def _drawn(make: Callable[[], Picture], gallery: Gallery, names: Sequence[str]) -> Markup:
    """A picture, or why there is none."""
    try:
        return gallery.draw(make())
    except InputError as reason:
        return el("p", brief(f"Not shown: {reason}.", names))


def confusions(ev: Evaluation) -> Markup:
    """The matrix of each model, with its classes where there are several."""
    blocks = []
    for part in ev.parts:
        if part.confusion is None:
            continue
        inner = [confusion_block(part.confusion, part.name)]
        if len(part.confusion.labels) > 2 or part.positive is None:
            inner.append(html_table(class_table(part), title=f"{clipped(part.name)} by class", sortable=True))
            inner += [el("p", line) for line in confused_lines(part)]
        blocks.append(el("div", *inner, class_="matrix"))
    return el("div", joined(blocks), class_="matrices")


def gap_figures(ev: Evaluation, metric: str | None, gallery: Gallery) -> tuple[tuple[Markup, ...], str]:
    """The groups of each model as a picture, and what the largest gap says; nothing where they cannot be compared."""
    try:
        found = evaluation_gaps(ev, metric or next(iter(ev.parts[0].overall)))
        return (gallery.figure(found),), found.verdict
    except InputError:
        return (), ""
