"""Metrics of one's own: functions of (truth, labels) or (truth, scores), and scorers of scikit-learn.

Which of the two a function takes is told by the scorer, by the name of its second argument, or by what was passed:
scores alone, or labels alone. Where none tells it, the user is asked: `metric={function: {"needs": "scores"}}`.

A function of labels that does not care about the order of the rows is a function of the confusion matrix, so it is
given rows made from the counts: the whole machinery of intervals, clusters, pairs and learners works for it. Functions
that take `sample_weight` are given one row a cell with its weight. Its slope by a cell is how far one row more and one
row less move it: (f(n + 1) − f(n − 1))/2.

`te.metric`, and how rows are counted into the tally that a metric needs.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from trueerror.inputs._arrays import (
    Floats,
    Scores,
    check_indexes,
    check_probabilities,
    column,
    default_threshold,
    matrix,
    same_length,
    score_array,
)
from trueerror.inputs._labels import (
    Codes,
    Label,
    check_labels,
    code_column,
    find_label,
    natural_labels,
    natural_positive,
    need_positive,
    recode,
)
from trueerror.inputs._options import InputError, check_word
from trueerror.metrics._registry import (
    _REGISTRY,
    AVERAGES,
    NEEDED,
    ClassScores,
    Measure,
    MetricOptions,
    Prior,
    Tally,
    check_metric_options,
    check_same_positive,
    find_measure,
    score_share,
    value,
)
from trueerror.metrics.scores import NO_BOUND, bound_words, metric_bounds, middled
from trueerror.sources._collect import is_openable, opened, predictions
from trueerror.sources._predictions import Predictions, labels_only
from trueerror.tallies._confusion import Amount, Confusion
from trueerror.tallies._missing import Missing
from trueerror.tallies._moments import MultiLabel
from trueerror.tallies._scores import ScoreTable

Function = Callable[..., Any]
# By scikit-learn's convention a function with such a name is better when low.
LOSSES = ("_loss", "_error", "_deviance")
# What a scorer asks a model for, where it is not its labels.
OF_SCORES = ("predict_proba", "decision_function", "threshold")
RECORD = ("needs", "best", "range", "title")
OWN_NEEDS = ("labels", "scores", "probabilities")


def own_measure(
    given: Any, *, needs: str | None = None, best: str | None = None, range: tuple[float, float] | None = None,
    title: str | None = None,
) -> Measure:  # fmt: skip
    """The metric behind a function or a scorer; one that the registry has is that one, with its sharper intervals.

    >>> def hits(truth, predicted):
    ...     return (truth == predicted).mean()
    >>> own_measure(hits).name, find_measure("hits").higher_is_better
    ('hits', True)
    """
    function, options, sign, asks = _taken_apart(given)
    said = needs or asks or _said_by_name(function)
    check_word(said or "labels", OWN_NEEDS, "needs")
    check_word(best or "high", ("high", "low"), "best")
    if (known := _registered(function, options)) is not None:
        return known
    low, high = (-math.inf, math.inf) if range is None else (float(x) for x in range)
    good = sign > 0 if best is None else best == "high"
    name, call, scored = _free_name(function), _weighing(function, options), said in ("scores", "probabilities")
    measure = Measure(
        name=name, title=title or name.replace("_", " "), needs="scores" if scored else "cells",
        function=_of_scores(call, name) if scored else _of_labels(call, name), best=high if good else low,
        range=(low, high), probabilities=said == "probabilities", gradient=None if scored else _slopes(call),
        undefined=f"{name} has no value on these rows", origin=function, origin_options=tuple(options.items()),
        unsaid=not said,
    )  # fmt: skip
    fixed = ("needs", "best", "range", "probabilities", "origin", "origin_options", "unsaid")
    for custom in _REGISTRY.own.values():
        if title in (None, custom.title) and all(getattr(custom, x) == getattr(measure, x) for x in fixed):
            return custom
    _REGISTRY.own[name] = measure
    return measure


def as_passed(measure: Measure, *, labels: bool, scores: bool) -> Measure:
    """A function of one's own as what was passed tells it: it is given scores where there are no labels."""
    if not measure.unsaid or not scores:
        return measure
    if labels:
        raise InputError(
            f"does {measure.name} take labels or scores? Both are here: say metric={{{measure.name}: "
            f'{{"needs": "labels"}}}} or metric={{{measure.name}: {{"needs": "scores"}}}}'
        )
    best = "high" if measure.higher_is_better else "low"
    return own_measure(measure.origin, needs="scores", best=best, range=measure.range, title=measure.title)


def _said_by_name(function: Function) -> str:
    """What the second argument is by its name, as scikit-learn names it."""
    try:
        name = [*signature(function).parameters][1].lower()
    except (TypeError, ValueError, IndexError):
        return ""
    return "scores" if re.search("score|prob", name) else "labels" if re.search("pred|label|call", name) else ""


def _taken_apart(given: Any) -> tuple[Function, dict[str, Any], int, str]:
    """The function, its options, +1 where high is good, and what a scorer gives it."""
    inner = getattr(given, "_score_func", None)
    if callable(inner):
        response = str(getattr(given, "_response_method", "predict"))
        asks = "scores" if any(word in response for word in OF_SCORES) else "labels"
        return inner, dict(getattr(given, "_kwargs", {})), int(getattr(given, "_sign", 1)), asks
    name = str(getattr(given, "__name__", ""))
    return given, {}, -1 if name.endswith(LOSSES) else 1, ""


def _registered(function: Function, options: Mapping[str, Any]) -> Measure | None:
    """scikit-learn's own function as the metric of the registry that it is."""
    if not str(getattr(function, "__module__", "")).startswith("sklearn.metrics"):
        return None
    rest = dict(options)
    average = rest.pop("average", "binary")
    if average not in ("binary", *AVERAGES):
        return None
    base = function.__name__.removesuffix("_score").replace("fbeta", "f_beta").replace("cohen_kappa", "kappa")
    try:
        known = find_measure(base if average == "binary" else f"{average}_{base}")
    except InputError:
        return None
    if not rest or not set(rest) <= set(known.options):
        return None if rest else known
    name = _free_name(function)
    title = f"{known.title} with {' and '.join(f'{word} = {given}' for word, given in rest.items())}"
    bound: dict[str, Any] = {w: partial(f, **rest) for w in ("function", "gradient") if (f := getattr(known, w))}
    other = _REGISTRY.own.get(name)
    if other is None or other.title != title:
        kept = tuple(word for word in known.options if word not in rest)
        other = _REGISTRY.own[name] = replace(known, name=name, title=title, options=kept, **bound)
    return other


def _free_name(function: Function) -> str:
    """The function's name as metrics are written, with a number where a metric of the library has it.

    A function of the user's own that is defined anew takes its name over; functions without a name are numbered.
    """
    name = str(getattr(function, "__name__", type(function).__name__)).strip("<>").lower() or "metric"
    nameless = name == "lambda"
    name = "metric" if nameless else name.replace("-", "_").replace(" ", "_")
    taken = {*_REGISTRY.measures, *_REGISTRY.aliases, *(_REGISTRY.own if nameless else ())}
    if name not in taken:
        return name
    return next(f"{name}_{i}" for i in range(2, 10_000) if f"{name}_{i}" not in taken)


def _weighing(function: Function, options: Mapping[str, Any]) -> Callable[[Any, Any, Floats], float]:
    """The function of values and how often each occurs; it is given weights where it takes them, else rows."""
    try:
        weighs = "sample_weight" in signature(function).parameters
    except (TypeError, ValueError):
        weighs = False

    def call(truth: Any, said: Any, times: Floats) -> float:
        occurring = times > 0
        truth, said, times = truth[occurring], said[occurring], times[occurring]
        whole = bool((times == np.floor(times)).all())
        if weighs:
            return _value(function, truth, said, {**options, "sample_weight": times})
        if not whole:
            raise InputError(f"{getattr(function, '__name__', 'the metric')} takes no sample_weight, so it is not "
                             "offered with weights or at another class mix")  # fmt: skip
        rows = np.repeat(np.arange(len(times)), times.astype(np.int64))
        return _value(function, truth[rows], said[rows], options)

    return call


def _value(function: Function, truth: Any, said: Any, options: Mapping[str, Any]) -> float:
    if len(truth) == 0:
        return math.nan
    try:
        return float(function(truth, said, **options))
    except (ZeroDivisionError, FloatingPointError):
        return math.nan
    except (TypeError, ValueError, IndexError, KeyError, AttributeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(f"{getattr(function, '__name__', 'the metric')}(truth, predicted) fails: {reason}") from None


def _in_any_order(call: Callable[[Any, Any, Floats], float], name: str, *rows: Any) -> float:
    """The value of the observed rows, which is refused where it hangs on their order."""
    order = np.random.default_rng(0).permutation(len(rows[0]))
    there, turned = call(*rows), call(*(column_[order] for column_ in rows))
    if not math.isclose(there, turned, rel_tol=1e-9, abs_tol=1e-12) and not math.isnan(there + turned):
        raise InputError(
            f"{name} depends on the order of the rows: {there:.4g} and {turned:.4g} for the same rows in another "
            "order. Let it treat rows of equal scores alike"
        )
    return there


def _of_labels(call: Callable[[Any, Any, Floats], float], name: str) -> Function:
    def metric(table: Confusion, masses: Amount | None = None) -> Amount:
        """A function of the user's own."""
        labels = np.asarray(table.labels)
        if len(table.col) and int(table.col.max()) >= len(labels):
            raise InputError('a metric of your own needs a label for every row: leave rows out with missing="drop"')
        counts = np.asarray(table.masses if masses is None else masses, dtype=np.float64)
        truth, predicted = labels[table.row], labels[table.col]
        if counts.ndim == 1 and np.array_equal(counts, table.masses):
            return _in_any_order(call, name, truth, predicted, counts)
        # Many tables are alike, as those without one of many clusters.
        tables, place = np.unique(counts.reshape(-1, counts.shape[-1]), axis=0, return_inverse=True)
        flat = np.array([call(truth, predicted, row) for row in tables])
        values = flat[place.ravel()].reshape(counts.shape[:-1])
        return values if values.ndim else values.item()

    return metric


def _slopes(call: Callable[[Any, Any, Floats], float]) -> Function:
    def gradient(table: Confusion, masses: Floats) -> Floats:
        labels = np.asarray(table.labels)
        truth, predicted = labels[table.row], labels[table.col]
        counts = np.asarray(masses, dtype=np.float64)
        if counts.ndim > 1:
            raise InputError("a metric of your own has no analytic interval here; use method='bootstrap-percentile'")
        here, slopes = call(truth, predicted, counts), np.empty(len(counts))
        for cell in range(len(counts)):
            moved = counts.copy()
            moved[cell] += 1
            up = call(truth, predicted, moved)
            moved[cell] = max(0.0, moved[cell] - 2)
            down = call(truth, predicted, moved) if moved[cell] > 0 else math.nan
            slopes[cell] = (up - down) / 2 if math.isfinite(down) else up - here
        # Doubling all counts changes nothing, so influences add up to 0 over the rows; whole steps miss that a little.
        return slopes - float((counts * slopes).sum()) / float(counts.sum())

    return gradient


def _of_scores(call: Callable[[Any, Any, Floats], float], name: str) -> Function:
    def metric(table: ScoreTable, masses: tuple[Any, Any] | None = None) -> Amount:
        """A function of the user's own, of the truth (1 is positive) and scores."""
        up, down = (table.positives, table.negatives) if masses is None else masses
        truth = np.repeat([1, 0], len(table.scores))
        scores = np.concatenate([table.scores, table.scores]).astype(np.float64)
        both = np.concatenate([np.asarray(up), np.asarray(down)], axis=-1).astype(np.float64)
        if masses is None:
            return _in_any_order(call, name, truth, scores, both)
        values = np.array([call(truth, scores, row) for row in both.reshape(-1, both.shape[-1])])
        values = values.reshape(both.shape[:-1])
        return values if values.ndim else values.item()

    return metric


LABEL_METRICS = ("binary", "classes", "cells")


def tally_rows(
    measure: Measure, truth: Any, predicted: Any = None, *, scores: Any = None, positive: object = None,
    labels: Iterable[Any] | None = None, threshold: float | None = None, missing: Missing = "error",
) -> tuple[Tally, Any]:  # fmt: skip
    """Count rows into what the metric needs, and the positive class as that tally knows it.

    Labels come from `predicted`, else from `scores` and a threshold.
    """
    if hasattr(truth, "__len__") and getattr(truth, "shape", True) != () and len(truth) == 0:
        raise InputError("truth is empty: a metric needs rows")
    if _is_table(truth):
        return _multilabel(measure, truth, predicted, labels), positive
    wants_labels = measure.needs in LABEL_METRICS
    if wants_labels and predicted is not None:
        if threshold is not None:
            raise InputError("threshold= is for scores; here the labels come from predicted")
        return Confusion.count(truth, predicted, labels=labels, missing=missing), positive
    if scores is None:
        raise InputError(f"{measure.name} cannot be computed from what was given: {NEEDED[measure.needs]}")
    if threshold is not None and not wants_labels:
        raise InputError(f"threshold= has no effect on {measure.name}, which looks at the scores themselves")
    check_indexes({"truth": truth, "scores": scores})
    array = score_array(scores)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    codes, names = coded_truth(truth, labels)
    same_length({"truth": codes, "scores": array})
    if array.ndim == 2:
        check_columns(array, names)
    chosen = natural_positive(names) if positive is None else find_label(positive, names)
    if wants_labels:
        table = called_by_scores(codes, names, array, chosen, threshold, measure.name)
        return table, True if table.labels != names else positive
    if array.ndim == 2:
        tally = _from_class_scores(measure, ClassScores(codes, array, names), positive, chosen)
    else:
        tally = _from_one_column(measure, codes, names, array, chosen)
    return tally, None


def tally_predictions(
    measure: Measure, p: Predictions, model: str | None, *, positive: object = None, threshold: float | None = None
) -> Tally:
    """What the metric needs, counted from predictions that were read."""
    name = p.only(model)
    if measure.needs in LABEL_METRICS:
        return p.confusion(name, threshold=threshold)
    if threshold is not None:
        raise InputError(f"threshold= has no effect on {measure.name}, which looks at the scores themselves")
    if not p.has_scores(name):
        raise labels_only(measure.name, name)
    whole = measure.needs in ("class_scores", "grades") or (
        measure.needs == "losses" and positive is None and len(p.labels) > 2
    )
    if whole:
        codes, scores = p.class_scores(name)
        return ClassScores(codes, scores, p.labels)
    return p.scores(name, positive=positive)


def check_columns(scores: Scores, names: tuple[Label, ...]) -> None:
    """(n, K) scores have one column for each label."""
    if scores.shape[1] != len(names):
        classes = ", ".join(map(repr, names[:6])) + (", …" if len(names) > 6 else "")
        raise InputError(
            f"scores has {scores.shape[1]} columns but there are {len(names)} classes ({classes}); columns follow the "
            "label order: pass labels= with one for each column"
        )


def coded_truth(truth: Any, labels: Iterable[Any] | None) -> tuple[Codes, tuple[Label, ...]]:
    """The truth as codes in label order; a missing truth is an error."""
    coded = code_column(column(truth, "truth"), "truth")
    names = natural_labels(coded.values) if labels is None else check_labels(labels)
    codes = recode(coded, names, "truth")
    if len(codes) and int(codes.min()) < 0:
        gone = codes < 0
        raise InputError(
            f"truth is missing at row {int(np.argmax(gone)) + 1:,} ({int(gone.sum()):,} in all); leave those rows out"
        )
    return codes, names


def called_by_scores(
    codes: Codes, names: tuple[Label, ...], scores: Scores, positive: Label | None, threshold: float | None, what: str
) -> Confusion:
    """The confusion matrix of calls made from scores: one column by a threshold, several by the highest."""
    if scores.ndim == 2 and not (len(names) == 2 and threshold is not None):
        if threshold is not None:
            raise InputError("threshold= is for one column of scores; of several columns the highest score is called")
        calls = scores.argmax(axis=1) if len(scores) else np.zeros(0, dtype=np.intp)
        return Confusion.from_codes(codes, calls, names, positive=positive, declared=True)
    if positive is None:
        raise need_positive(names, f"{what} from scores")
    index = names.index(positive)
    column_of = scores[:, index] if scores.ndim == 2 else scores
    called = column_of.astype(np.float64, copy=False) >= default_threshold(column_of, threshold)
    if len(names) == 2:
        calls = np.where(called, index, 1 - index)
        return Confusion.from_codes(codes, calls, names, positive=positive, declared=True)
    # One column says nothing about which of the other classes was meant: the class against the rest.
    return Confusion.from_codes(
        (codes == index).astype(np.int8), called.astype(np.int8), (False, True), positive=True, declared=True
    )


def _from_one_column(
    measure: Measure, codes: Codes, names: tuple[Label, ...], scores: Scores, positive: Label | None
) -> Tally:
    if measure.needs == "class_scores" and len(names) != 2:
        raise InputError(f"{measure.name}: {NEEDED['class_scores']}")
    if positive is None:
        raise need_positive(names, measure.name)
    if measure.needs == "class_scores":
        return ClassScores(codes, np.column_stack([scores if v == positive else -scores for v in names]), names)
    if measure.probabilities:
        check_probabilities(scores)
    return ScoreTable.from_codes(codes == names.index(positive), scores, positive)


def _from_class_scores(measure: Measure, rows: ClassScores, named: Any, chosen: Label | None) -> Tally:
    if measure.needs == "class_scores":
        if named is not None and len(rows.labels) > 2:
            raise InputError(f"{measure.name} is of all classes together; leave positive= out")
        return rows
    if measure.probabilities:
        check_probabilities(rows.scores)
    if named is None and len(rows.labels) > 2:
        if measure.needs == "losses":
            return rows
        if measure.top_label:
            return rows.top_label()
        raise need_positive(rows.labels, measure.name)
    if measure.needs == "losses" and len(rows.labels) == 2:
        return rows
    if chosen is None:
        raise need_positive(rows.labels, measure.name)
    index = rows.labels.index(chosen)
    return ScoreTable.from_codes(rows.codes == index, np.ascontiguousarray(rows.scores[:, index]), chosen)


def _is_table(truth: Any) -> bool:
    """Whether the truth has one column for each of several labels."""
    shape = getattr(truth, "shape", None)
    if shape is None and isinstance(truth, list | tuple):
        first = truth[0] if len(truth) else None
        shape = (len(truth), len(first)) if isinstance(first, list | tuple | np.ndarray) else None
    return shape is not None and len(shape) == 2 and shape[1] > 1 and shape[0] != 1


def _multilabel(measure: Measure, truth: Any, predicted: Any, labels: Iterable[Any] | None) -> MultiLabel:
    if measure.needs not in ("binary", "classes"):
        raise InputError(f"{measure.name} is not defined for rows with several labels; macro_f1 or hamming_loss are")
    if predicted is None:
        raise InputError(
            f"truth has {matrix(truth, 'truth').shape[1]} columns, one for each label: pass predicted as a table of "
            "0 and 1 of the same shape"
        )
    return MultiLabel.count(truth, predicted, labels=labels)


def metric(
    name: str, data: Any, predicted: Any = None, *, scores: Any = None, positive: object = None,
    labels: Iterable[Any] | None = None, threshold: float | None = None, prior: Prior | None = None,
    missing: Missing = "error", model: str | None = None, **options: Any,
) -> float:  # fmt: skip
    """One metric as a plain number; NaN where it is undefined. `te.catalogue()` lists the names.

    `data` is a `Confusion`, a `ScoreTable`, what `te.predictions` or `te.read` gave or a path or a table of any kind
    that it takes (`model` chooses one), or the truth with `predicted` labels or `scores` (higher = more positive; one
    column, or one for each class in label order). Metrics of one class need `positive`, unless the labels are
    False/True, 0/1 or −1/1; of several classes, `positive="b"` is one class against the rest. macro_, micro_ and
    weighted_ in front of such a metric average it over the classes. Truth and predictions with one 0/1 column for each
    label are rows with several labels. `threshold` calls a score at or above it positive (0.5 when all scores are in
    [0, 1]). `prior` is another class distribution: P(positive) or {label: share}. `options` are the metric's own:
    f_beta(beta=), weighted_accuracy(weights=), kappa(weights=), cost(costs=), log_loss(clip=), ece(bins=, binning=), …

    >>> metric("accuracy", ["a", "b", "b"], ["a", "b", "a"])
    0.6666666666666666
    >>> metric("recall", ["a", "b", "b"], ["a", "b", "a"], positive="b")
    0.5
    >>> metric("macro_f1", Confusion([[40, 10], [10, 40]]))
    0.8
    >>> metric("auc", [0, 0, 1, 1], scores=[0.1, 0.4, 0.4, 0.8])
    0.875
    """
    said = {word: options.pop(word) for word in RECORD if callable(name) and word in options}
    called = predicted is not None or threshold is not None
    measure = as_passed(find_measure({name: said} if said else name), labels=called, scores=scores is not None)
    if options.get("average") in AVERAGES and "average" not in measure.options:
        measure = find_measure(f"{options.pop('average')}_{name}")
    check_metric_options(measure, options)
    if predicted is None and scores is None and is_openable(data):
        data, labels = opened(data, positive=positive, labels=labels, missing=missing), None
    elif is_openable(scores) and not isinstance(scores, str | list):  # a table: classes or models
        data = predictions(data, predicted, scores=scores, positive=positive, labels=labels, missing=missing)
        predicted = scores = labels = None
    if isinstance(data, Predictions):
        _nothing_beside(predicted=predicted, scores=scores, labels=labels)
        measure = as_passed(measure, labels=data.has_labels(data.only(model)), scores=data.has_scores(data.only(model)))
        tally = tally_predictions(measure, data, model, positive=positive, threshold=threshold)
        named = positive if isinstance(tally, Confusion) else None
        return value(measure, _warned(measure, tally, prior, options), positive=named, prior=prior, **options)
    if model is not None:
        raise InputError("model= chooses among the models of predictions that were read; it has no effect here")
    if not isinstance(data, Confusion | ScoreTable | MultiLabel | ClassScores):
        told: Any = {"scores": scores, "positive": positive, "labels": labels, "threshold": threshold}
        tally, positive = tally_rows(measure, data, predicted, missing=missing, **told)
        return value(measure, tally, positive=positive, prior=prior, **options)
    _nothing_beside(predicted=predicted, scores=scores, labels=labels)
    if isinstance(data, ScoreTable) and measure.needs in LABEL_METRICS:
        check_same_positive(data, positive)
        prior = None if prior is None else score_share(prior, data)
        return value(measure, confusion_at(data, threshold), prior=prior, **options)
    if threshold is not None:
        raise InputError("threshold= calls scores positive or negative; it has no effect here")
    return value(measure, _warned(measure, data, prior, options), positive=positive, prior=prior, **options)


def _warned(measure: Measure, tally: Tally, prior: Prior | None, options: MetricOptions) -> Tally:
    """The tally; a warning where it is of binned scores, since a plain number cannot say how far it is off."""
    if not isinstance(tally, ScoreTable) or tally.exact:
        return tally
    bounds = metric_bounds(measure, tally, options=options, prior=prior)
    words = NO_BOUND if bounds is None else bound_words(bounds, allowed=False)
    if bounds is None or bounds.low < bounds.high:
        warnings.warn(f"{measure.name}: {words}", UserWarning, stacklevel=3)
    return middled(tally) if measure.probabilities else tally


def _nothing_beside(**given: object) -> None:
    for word, value_ in given.items():
        if value_ is not None:
            raise InputError(f"{word} has no place beside a table that is already counted; leave it out")


def confusion_at(table: ScoreTable, threshold: float | None = None) -> Confusion:
    """The confusion matrix (False, True) of calling every score at or above the threshold positive.

    >>> confusion_at(ScoreTable.count([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8])).matrix.tolist()
    [[1, 1], [1, 1]]
    """
    if table.squares is not None:
        raise InputError(
            "a score table with sampling weights does not know its rows; count labels with weights instead"
        )
    cut = default_threshold(table.scores, threshold)
    if table.bounds.words_at(cut):
        raise InputError(
            f"threshold={cut:g} lies within a bin of scores, so that its calls cannot be counted from the bins; count "
            "the rows (predictions.confusion(threshold=…)), or allow more memory (budget=)"
        )
    called = table.scores >= cut
    parts = [(mass, where) for mass in (table.negatives, table.positives) for where in (~called, called)]
    counts = np.array([mass[where].sum() for mass, where in parts], dtype=np.int64).reshape(2, 2)
    return Confusion(counts, labels=(False, True))
