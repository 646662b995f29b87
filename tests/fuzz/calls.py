"""Calls of every public function with sensible and odd values, and what a sound result is.

A call is drawn from Hypothesis strategies: a small test sample, values for all arguments that a function must have, and
for some that it may have. Each ends in a sound result or in an input error; anything else is a defect.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.results import Contrast, Interval, Result

# Learners are fitted, files are written and settings of the process are changed elsewhere.
LEFT_OUT = {
    "ablation", "bias_variance", "estimator_laboratory", "experiment", "learning_curve", "lesion_study", "overfitting",
    "config", "report", "catalogue", "Power", "Ranking",
}  # fmt: skip
NAMES = ["a", "b", "", "naïve, yes", "=1+1", "<script>", "\x1b[5m", "x" * 200, "Infinity", "1", 'q"uote']
NUMBERS = [0, 1, 2, 3, 7, 30, 0.0, 0.05, 0.3, 0.5, 0.95, 0.999, 1.0, 1.5, -1, -0.2, 1e-300, 1e12, 1e200]
ODD = [None, math.nan, math.inf, -math.inf, "", "abc", [], {}, True, b"x", 2**70, object, 1 + 2j, [[1], [2, 3]], ()]
WORDS: dict[str, list[Any]] = {
    "alternative": ["two-sided", "greater", "less"],
    "adjust": ["holm", "bonferroni", "bh", "by", "none"],
    "side": ["two-sided", "lower", "upper"],
    "weights_kind": ["frequency", "sampling", None],
    "missing": ["error", "wrong", "drop"],
    "kind": ["pointwise", "simultaneous"],
    "design": ["random", "case-control"],
    "paired": [True, False, None],
    "higher_is_better": [True, False],
    "simultaneous": [True, False],
    "sequential": [True, False],
    "mean": [True, False, 0.5],
    "ties": ["average", "min", "half"],
    "binning": ["width", "mass"],
    "how": ["vertical", "threshold"],
    "df": ["welch", "conservative", "pooled"],
    "zeros": ["wilcox", "pratt", "zsplit"],
    "metric": ["accuracy", "f1", "auc", "brier", "mcc", "macro_f1", "expected_cost", "average_precision", "log_loss"],
    "name": ["accuracy", "f1", "auc", "brier", "mcc", "macro_f1", "recall", "g_mean", "kappa", "log_loss"],
    "method": ["wilson", "wald", "exact", "mid-p", "bootstrap", "delong", "t", "newcombe", "percentile", "bca"],
    "test": ["mcnemar", "two-proportions", "auc", "paired-t", "proportion"],
    "statistic": ["mean", "median", "sd"],
    "x": ["recall", "fpr", 3, 0], "y": ["precision", "recall"],
}  # fmt: skip


@st.composite
def samples(draw: st.DrawFn) -> dict[str, Any]:
    """A small test sample with everything that an argument may be called."""
    n = draw(st.sampled_from([0, 1, 2, 3, 8, 25]))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    classes = draw(st.sampled_from([[0, 1], ["no", "yes"], [0, 1, 2], ["b"], [True, False], ["Infinity", "-"]]))
    labels = np.array(classes, dtype=object)[rng.integers(0, len(classes), n)]
    truth: Any = labels.tolist() if draw(st.booleans()) else np.array(labels.tolist())
    scale = draw(st.sampled_from([2, 5, 1000]))
    scores = rng.integers(0, scale + 1, n) / scale
    other = np.array(classes, dtype=object)[rng.integers(0, len(classes), n)].tolist()
    names = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=3, unique=True))
    models = {name: (truth, other, other[::-1])[i % 3] for i, name in enumerate(names)}
    scored = {name: (scores, scores[::-1], scores * 0)[i % 3] for i, name in enumerate(names)}
    return {
        "n": n, "truth": truth, "predicted": models if draw(st.booleans()) else other, "scores": scored,
        "one": scores, "classes": classes, "names": names, "rng": rng,
        "keys": rng.integers(0, 4, n).tolist(), "weights": rng.integers(0, 4, n).tolist(),
        "values": rng.normal(size=max(n, 1)), "more": rng.normal(size=max(n, 1)),
    }  # fmt: skip


def usual(name: str, s: dict[str, Any], function: str) -> list[Any]:
    """Values that make sense for an argument of this name."""
    n, p = s["n"], None
    if name in ("truth_or_predictions", "truth", "source", "candidate", "baseline", "test", "training", "data"):
        try:
            p = te.predictions(s["truth"], scores=s["scores"], positive=s["classes"][-1])
        except InputError:
            p = s["truth"]
    if function in ("test", "power", "sample_size", "smallest_difference") and name in ("first", "second"):
        return [0.7, 0.8, 0.9]
    table: dict[str, list[Any]] = {
        "truth_or_predictions": [s["truth"], s["truth"], p], "truth": [s["truth"], p], "source": [p], "candidate": [p],
        "baseline": [p, None, s["names"][0]], "test": [*WORDS["test"], p], "training": [p],
        "data": [p, s["truth"]], "curves": [{"a": s["one"]}, [], [p]],
        "predicted": [s["predicted"]], "scores": [s["scores"], s["one"]], "labels": [s["classes"], None],
        "positive": [*s["classes"], None], "ids": [list(range(n))], "clusters": [s["keys"]], "by": [s["keys"]],
        "folds": [s["keys"]], "repeats": [s["keys"]], "weights": [s["weights"]], "threshold": [0.5, 0.2],
        "costs": [[[0, 1], [5, 0]], {"fp": 1}], "cost_fp": [1, 0], "cost_fn": [5], "prior": [0.1, 0.5],
        "reference": [s["names"][0], None], "control": [s["names"][0]], "model": [s["names"][0], None],
        "metrics": [["accuracy", "f1"], "all", ["auc"]], "first": [s["values"], 3, s["names"][0], (3, 10)],
        "second": [s["more"], 9, s["names"][-1], (5, 12)], "differences": [s["values"], np.ones((5, 2)) * 0.1],
        "values": [s["values"]], "p_values": [[0.01, 0.5, 1.0], [0.0]], "matrix": [np.ones((3, 3))],
        "correct": [np.eye(4)], "confusion": [te.Confusion([[5, 1], [2, 3]])], "successes": [0, 3, 8],
        "trials": [0, 10, 8], "rate": [0.5], "confidence": [0.9, 0.95, 0.5], "replicates": [100, 200],
        "rng": [0, 1], "margin": [0.05, 0.2], "alpha": [0.05], "at_least": [0.5], "power": [0.8],
        "path_or_text": [te.interval(3, 10).to_json(), "{}", "nosuch.json"],
        "path_or_table": [{"truth": s["truth"], "a": s["one"]}, "nosuch.csv"], "rho": [0.1], "rope": [0.01],
        "test_train_ratio": [0.1, 1 / 9], "truth1": [s["truth"]], "truth2": [s["truth"]], "scores1": [s["one"]],
        "scores2": [s["one"]], "only_first": [3, 0], "only_second": [9, 0], "thresholds": [[0.1, 0.5]],
        "X": [None], "fitted": [None], "cv": [None], "samples": [1000], "bins": [5],
    }  # fmt: skip
    return table.get(name) or WORDS.get(name) or NUMBERS


def functions() -> dict[str, Callable[..., Any]]:
    """Every public function that answers from arrays, by name."""
    found = {name: getattr(te, name) for name in te.__all__} | {
        f"significance.{name}": getattr(te.significance, name) for name in te.significance.__all__
    }
    return {
        name: f
        for name, f in found.items()
        if callable(f) and not inspect.isclass(f) and name.split(".")[-1] not in LEFT_OUT
    }


@st.composite
def calls(draw: st.DrawFn, names: tuple[str, ...] | None = None) -> tuple[str, dict[str, Any]]:
    """The name of a function and its arguments."""
    known = functions()
    name = draw(st.sampled_from(names or sorted(known)))
    sample = draw(samples())
    given: dict[str, Any] = {}
    for p in inspect.signature(known[name]).parameters.values():
        if p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL):
            continue
        wanted = p.default is p.empty or draw(st.integers(0, 5)) == 0
        if wanted:
            odd = draw(st.integers(0, 9)) == 0
            pool = ODD + NUMBERS if odd else usual(p.name, sample, name.split(".")[-1])
            given[p.name] = draw(st.sampled_from(pool))
    return name, given


METHODS = ("__str__", "__repr__", "to_json", "records", "to_markdown", "to_latex", "explain", "_repr_html_")


def run(name: str, given: dict[str, Any]) -> int:
    """Make a call, and those of its result; how many there were. Raises AssertionError where something is unsound."""
    function = functions()[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            positional, named = split(function, given)
            result = function(*positional, **named)
        except InputError as error:
            said = str(error)
            need(len(said) <= 300 and said.isprintable(), f"a message that nobody can read: {said[:80]!r}")
            return 1
        except ValueError as error:
            # What te.load says of a file is no input error in the narrow sense.
            if name != "load":
                raise AssertionError(f"{type(error).__name__}: {error}") from error
            return 1
        made = 1
        check(result)
        if isinstance(result, Result):
            for method in METHODS:
                if hasattr(result, method):
                    getattr(result, method)()
                    made += 1
            try:
                text = result.to_json()
            except NotImplementedError:
                return made
            assert te.load(text) == result, "another result after JSON"
            made += 1
        return made


def need(sound: bool, words: str) -> None:
    """What must hold of a call."""
    if not sound:
        raise AssertionError(words)


def split(function: Callable[..., Any], given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Positional arguments by place, the others by name."""
    parameters = inspect.signature(function).parameters
    positional: list[Any] = []
    for p in parameters.values():
        if p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) or p.name not in given:
            break
        positional.append(given[p.name])
    return positional, {k: v for k, v in given.items() if k not in list(parameters)[: len(positional)]}


def check(result: object) -> None:
    """Limits around the estimate and within reason, probabilities within [0, 1], nothing undefined without a word."""
    for part in parts(result):
        if isinstance(part, Interval):
            assert not part.low > part.high, f"limits the wrong way round: {part!r}"
            if not math.isnan(part.estimate) and not math.isnan(part.low):
                slack = 1e-9 * max(1.0, abs(part.estimate))
                assert part.low - slack <= part.estimate <= part.high + slack, f"the estimate lies outside: {part!r}"
            if math.isnan(part.estimate):
                assert part.note, f"undefined without a reason: {part!r}"
        if isinstance(part, Contrast) and part.p_value is not None and not math.isnan(part.p_value):
            assert 0 < part.p_value <= 1, f"p = {part.p_value}"


def parts(result: object, depth: int = 0) -> Iterator[object]:
    """A result and all that it holds."""
    yield result
    if depth > 4:
        return
    inside: list[object] = []
    if isinstance(result, dict):
        inside = list(result.values())
    elif isinstance(result, list | tuple):
        inside = list(result)[:50]
    elif dataclasses.is_dataclass(result) and not isinstance(result, type):
        inside = [getattr(result, f.name, None) for f in dataclasses.fields(result)]
    for one in inside:
        if isinstance(one, Result | dict | list | tuple):
            yield from parts(one, depth + 1)
