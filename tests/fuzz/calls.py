"""Calls of every public function with sensible and odd values, and what a sound result is.

A call is drawn by `pick`, which takes one of a pool: Hypothesis does it in the tests, a seed in long runs. There is a
small test sample, values for all arguments that a function must have and for some that it may have; now and then one
cell is spoiled or the container is another one. Then methods of the result are called in the same way, and its JSON is
damaged and read. Each call ends in a sound result or in an input error; anything else is a defect.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import datetime as dt
import decimal
import fractions
import functools
import gzip
import inspect
import io
import json
import math
import random
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.results import Contrast, Interval, Result

Pick = Callable[[Sequence[Any]], Any]
# Files are written, settings of the process are changed elsewhere; the laboratory draws its own data by the thousand.
LEFT_OUT = {"estimator_laboratory", "config", "report", "catalogue"}
# Learners are fitted: tried, but less often.
FITTED = {"ablation", "bias_variance", "experiment", "learning_curve", "lesion_study", "overfitting", "training_shares"}
MADE = {"KFold", "BatesCV", "DisjointHalves", "LeaveOneOut", "NestedCV", "Bootstrap", "Holdout", "Subsampling",
        "TimeOrdered", "Confusion", "ScoreTable", "Dataset"}  # fmt: skip
READERS = {"csv": te.read, "jsonl": te.read, "json": te.read, "csv.gz": te.read, "arff": te.logs.weka,
           "weka": te.logs.weka_results, "eval": te.logs.inspect, "lm": te.logs.lm_eval, "promptfoo": te.logs.promptfoo,
           "openai": te.logs.openai_evals, "result": te.load}  # fmt: skip
NAMES = ["a", "b", "", "naïve, yes", "=1+1", "<script>", "\x1b[5m", "x" * 200, "Infinity", "1", 'q"uote', "None"]
NUMBERS = [0, 1, 2, 3, 7, 30, 0.0, 0.05, 0.3, 0.5, 0.95, 0.999, 1.0, 1.5, -1, -0.2, 1e-300, 1e12, 1e200]
ODD = [None, math.nan, math.inf, -math.inf, "", "abc", [], {}, True, b"x", 2**70, object, 1 + 2j, [[1], [2, 3]], (),
       pd.NA, pd.NaT, np.float16(0.1), np.datetime64("NaT", "s"), dt.datetime(2024, 1, 1, tzinfo=dt.UTC), "nan",
       decimal.Decimal("0.5"), decimal.Decimal("sNaN"), range(3), 10**400, -0.0, 5e-324, 1.7e308, np.int64(3), "null",
       np.array(2), np.zeros((2, 0)), lambda *_: 1, {1, 2}, "\ud800", "-", Path("nosuch"), {"a": 1}, "/", int,
       pd.Timedelta(1, "D"), dt.timedelta(1), np.timedelta64(1, "D"), np.void(b"x"), fractions.Fraction(1, 3),
       pa.scalar(1), pd.Series(["accuracy"]), pd.DataFrame(), dt.date(9999, 1, 1), 1 - 1e-12, np.longdouble(0.5),
       np.ma.masked,
       collections.UserDict(a=1), np.timedelta64("NaT"), 2**63, 2**64]  # fmt: skip
CELLS = [None, math.nan, math.inf, "", "-", "None", "nan", 2**70, 1 + 2j, pd.NA, pd.NaT, 1e308, -1e308, True, b"x", [1],
         decimal.Decimal("NaN"), dt.date(2024, 1, 1), np.float32(0.1), 7, -1, "Infinity", 5e-324, 10**400,
         pd.Timedelta(1, "D"), np.void(b"x"), dt.date(9999, 12, 31), dt.timedelta(999999999), fractions.Fraction(1, 3),
         2**63, 2**63 - 1, {}, (), np.ma.masked, np.longdouble(0.1), "1e3", "0x10", pa.scalar(1)]  # fmt: skip
CONTAINERS: list[Callable[[Any], Any]] = [
    list, tuple, np.array, lambda v: np.array(v, dtype=object), pd.Series, lambda v: pd.Series(v, dtype="category"),
    lambda v: pd.Series(v).convert_dtypes(), pl.Series, lambda v: memoryview(np.array(v)), iter,
    lambda v: np.array([v]),
    lambda v: pl.Series(v, dtype=pl.Int128), lambda v: np.array(v, dtype=np.float16), lambda v: np.ma.array(v),
    lambda v: pd.Series([decimal.Decimal(str(one)) for one in v]), lambda v: np.array(v, dtype=complex), reversed,
    lambda v: pd.Series(pd.to_datetime(pd.Series(v), unit="s", utc=True)), lambda v: pd.DataFrame({"v": v}), str, set,
    lambda v: np.array(v, dtype="T"), lambda v: dict(enumerate(v)), pa.array, lambda v: pa.chunked_array([v, v[:0]]),
    lambda v: pa.record_batch({"a": v}), lambda v: pd.array(v), lambda v: pl.Series(v).to_frame("a").lazy(), pd.Index,
    lambda v: np.array([(x,) for x in v], dtype=[("a", object)]), lambda v: map(v.__getitem__, range(len(v))),
    collections.deque,
    lambda v: pd.to_timedelta(pd.Series(v)), lambda v: np.array(v, dtype=np.longdouble), lambda v: [[x] for x in v],
    lambda v: np.ma.array(v, mask=[True, *[False] * (len(v) - 1)]), lambda v: [fractions.Fraction(x) for x in v],
    lambda v: pl.Series(v).cast(pl.Categorical),
]  # fmt: skip
WORDS: dict[str, list[Any]] = {
    "alternative": ["two-sided", "greater", "less"],
    "adjust": ["holm", "bonferroni", "bh", "by", "none"],
    "side": ["two-sided", "lower", "upper"],
    "weights_kind": ["frequency", "sampling", None],
    "missing": ["error", "wrong", "drop"],
    "kind": ["pointwise", "simultaneous"],
    "level": ["nominal", "ordinal", "interval", "ratio"],
    "paired": [True, False, None],
    "ties": ["average", "min", "half", "davidson", "half-win", True],
    "binning": ["width", "mass"],
    "how": ["vertical", "threshold", "drop"],
    "df": ["welch", "conservative", "pooled"],
    "zeros": ["wilcox", "pratt", "zsplit"],
    "metric": ["accuracy", "f1", "auc", "brier", "mcc", "macro_f1", "expected_cost", "average_precision", "log_loss"],
    "name": ["accuracy", "f1", "auc", "brier", "mcc", "macro_f1", "recall", "g_mean", "kappa", "log_loss"],
    "method": ["wilson", "wald", "exact", "mid-p", "bootstrap", "delong", "t", "newcombe", "percentile", "bca", "auto",
               "active", "random", "nemenyi", "wilcoxon", "bayes", "krippendorff", "kappa", "prediction-powered"],
    "test": ["mcnemar", "two-proportions", "auc", "paired-t", "proportion"],
    "statistic": ["mean", "median", "sd", np.mean],
    "x": ["recall", "fpr", 3, 0], "y": ["precision", "recall"], "schedule": ["geometric", "arithmetic"],
    "criterion": ["youden", "closest", "cost"], "interpolation": ["step", "linear", "davis-goadrich"],
    **{word: [True, False] for word in ("simultaneous", "sequential", "every", "position", "penalised", "stratify",
                                        "higher_is_better", "weighted", "anyway", "several")},
    "mean": [True, False, 0.5],
}  # fmt: skip


class Constant:
    """A learner that always answers the first label."""

    def __init__(self, answer: int = 0) -> None:
        self.answer = answer

    def fit(self, X: Any, y: Any) -> Constant:
        self.said = sorted(set(y), key=str)[self.answer % len(set(y))]
        return self

    def predict(self, X: Any) -> Any:
        return np.array([self.said] * len(X))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"answer": self.answer}


def sample(pick: Pick) -> dict[str, Any]:
    """A small test sample with everything that an argument may be called."""
    n = pick([0, 1, 2, 3, 8, 25])
    rng = np.random.default_rng(pick(range(2**16)))
    classes = pick([[0, 1], ["no", "yes"], [0, 1, 2], ["b"], [True, False], ["Infinity", "-"], ["None", "True", "nan"]])
    labels = np.array(classes, dtype=object)[rng.integers(0, len(classes), n)]
    truth: Any = labels.tolist() if pick([True, False]) else np.array(labels.tolist())
    scale = pick([2, 5, 1000])
    scores = rng.integers(0, scale + 1, n) / scale
    other = np.array(classes, dtype=object)[rng.integers(0, len(classes), n)].tolist()
    names = list(dict.fromkeys(pick(NAMES) for _ in range(pick([2, 3]))))
    models = {name: (truth, other, other[::-1])[i % 3] for i, name in enumerate(names)}
    scored = {name: (scores, scores[::-1], scores * 0)[i % 3] for i, name in enumerate(names)}
    return {
        "n": n, "truth": truth, "predicted": models if pick([True, False]) else other, "scores": scored,
        "one": scores, "classes": classes, "names": names, "rng": rng, "other": other,
        "keys": rng.integers(0, 4, n).tolist(), "weights": rng.integers(0, 4, n).tolist(),
        "values": rng.normal(size=max(n, 1)), "more": rng.normal(size=max(n, 1)),
    }  # fmt: skip


def usual(name: str, s: dict[str, Any], function: str) -> Sequence[Any]:
    """Values that make sense for an argument of this name."""
    names = s["names"]
    if function in ("test", "power", "sample_size", "smallest_difference") and name in ("first", "second"):
        return [0.7, 0.8, 0.9]
    if function == "rank" and name == "scores":
        return [dict.fromkeys(names, s["values"]), np.outer(s["values"], [1.0, 2.0, 3.0])]
    if function in FITTED:
        here = {
            "learner": [Constant(), Constant], "learners": [{"a": Constant(), "b": Constant(1)}, Constant()],
            "data": [te.Dataset(np.arange(24.0).reshape(12, 2), [0, 1] * 6)],
            "values": [{"0": Constant(), "1": Constant(1)}],
            "X": [np.arange(24.0).reshape(12, 2)], "y": [[0, 1] * 6], "plan": [te.KFold(2), te.Bootstrap(3)],
            "sizes": [[4, 8]], "folds": [2], "repeats": [2], "rounds": [3], "shares": [[0.3, 0.5]], "test_rows": [20],
            "parts": [{"left": [0], "right": [1]}], "progress": [False], "jobs": [1], "engine": ["threading"], "metric":
            ["accuracy", "error_rate", "f1"], "parameter": ["depth"],
        }.get(name)  # fmt: skip
        if here:
            return here
    if "table" not in s:
        s["table"] = table_of(s)
    return s["table"].get(name) or WORDS.get(name) or NUMBERS


@dataclasses.dataclass
class Late:
    """A value that takes long to make: made where it is picked."""

    make: Callable[[], Any]


def judged(s: dict[str, Any]) -> Any:
    """The sample as predictions; its truth alone where it cannot be."""
    try:
        return te.predictions(s["truth"], scores=s["scores"], positive=s["classes"][-1], by=s["keys"])
    except InputError:
        return s["truth"]


def table_of(s: dict[str, Any]) -> dict[str, Sequence[Any]]:
    """Values that make sense by the name of an argument, whatever the function."""
    n, names, p = s["n"], s["names"], Late(lambda: judged(s))
    battles = [{"model_a": "a", "model_b": "bcd"[i % 3], "winner": ["a", "bcd"[i % 3], "tie"][k % 3]}
               for i, k in enumerate(s["keys"])]  # fmt: skip
    answers = {m: [(s["weights"][i:] + s["weights"][:i])[:3] for i in range(n)] for m in names}
    right = np.asarray(s["truth"], dtype=object) == np.asarray(s["other"], dtype=object)
    return {
        "truth_or_predictions": [s["truth"], s["truth"], p], "truth": [s["truth"], p], "source": [p], "candidate": [p],
        "baseline": [p, None, names[0]], "test": [*WORDS["test"], p], "training": [p], "more": [p],
        "data": [p, s["truth"]], "curves": [{"a": s["one"]}, [], Late(lambda: [judged(s)])],
        "predicted": [s["predicted"]], "scores": [s["scores"], s["one"]], "labels": [s["classes"], None],
        "positive": [*s["classes"], None], "ids": [list(range(n))], "clusters": [s["keys"]], "by": [s["keys"]],
        "folds": [s["keys"]], "repeats": [s["keys"]], "threshold": [0.5, 0.2],
        "costs": [[[0, 1], [5, 0]], {"fp": 1}], "cost_fp": [1, 0], "cost_fn": [5], "prior": [0.1, 0.5],
        "reference": [names[0], None], "control": [names[0]], "model": [names[0], None], "learner": [names[0], None],
        "metrics": [["accuracy", "f1"], "all", ["auc"]], "first": [s["values"], 3, names[0], (3, 10)],
        "second": [s["more"], 9, names[-1], (5, 12)], "differences": [s["values"], np.ones((5, 2)) * 0.1],
        "values": [s["values"]], "p_values": [[0.01, 0.5, 1.0], [0.0]],
        "matrix": [np.ones((3, 3)), [[5, 1], [2, 3]], [[0, 0], [0, 0]]],
        "correct": [np.eye(4)], "confusion": [te.Confusion([[5, 1], [2, 3]])], "successes": [0, 3, 8],
        "trials": [0, 10, 8], "rate": [0.5], "confidence": [0.9, 0.95, 0.5], "replicates": [100, 200],
        "weights": [s["weights"], s["weights"], *heavy(n)], "weights_kind": [*WORDS["weights_kind"], "frequency"],
        "rng": [0, 1], "margin": [0.05, 0.2], "alpha": [0.05], "at_least": [0.5], "power": [0.8],
        "path_or_text": [te.interval(3, 10).to_json(), "{}", "nosuch.json"],
        "path_or_table": [{"truth": s["truth"], "a": s["one"]}, {"truth": s["truth"], **s["scores"]}, "nosuch.csv"],
        "rho": [0.1], "rope": [0.01], "test_train_ratio": [0.1, 1 / 9], "truth1": [s["truth"]], "truth2": [s["truth"]],
        "scores1": [s["one"]], "scores2": [s["one"]], "only_first": [3, 0], "only_second": [9, 0],
        "thresholds": [[0.1, 0.5]], "X": [None], "fitted": [None], "cv": [None], "samples": [1000], "bins": [5],
        "counts": [{m: (min(3, n), n) for m in names}], "marginals": [{m: (min(3, n), n) for m in names}],
        "grades": [dict.fromkeys(names, s["weights"]), s["one"]], "grade": [None], "scale": [(0, 3), None],
        "answers": [answers, [s["weights"]], s["weights"]], "k": [1, 2, None], "of": [5, None],
        "ratings": [dict.fromkeys(names, s["other"]), np.array([s["keys"], s["weights"]]).T, s["truth"]],
        "raters": [names],
        "battles": [battles, Late(lambda: pd.DataFrame(battles))], "human": [s["other"], right, s["one"][: n // 2]],
        "judge": [s["truth"], s["one"], right], "judge_unlabelled": [s["one"], right, None], "budget": [1, 5, n],
        "strata": [s["keys"]], "strata_unlabelled": [s["keys"]], "inclusion": [s["one"]], "bounds": [(0, 1), None],
        "mix": [0.2], "history": [{1: s["other"], 2: s["truth"], 3: s["other"]}, {1: s["one"], 2: s["one"]}],
        "parameter": ["epoch"], "estimators": [("training",)], "fpr": [0.2], "tpr": [0.8], "recall": [0.5], "y":
        [*WORDS["y"], s["truth"]], "min_rows": [1, 10], "x": [*WORDS["x"], 3], "n": [10, 30], "p0": [0.5],
        "codes": [()],
        "positives": [s["weights"]], "negatives": [s["keys"]], "most": [80],
        "disagreement": [0.2], "prevalence": [0.3], "cost_ratio": [2.0], "share": [0.5], "coverage": [0.5],
    }  # fmt: skip


def heavy(n: int) -> list[list[float]]:
    """Weights whose sums do not fit, or hardly."""
    return [[2**62] * n, [2**63 - 1, *[1] * (n - 1)][:n], [2**53 + 1] * n, [1e300] * n, [10**400] * n, [5e-324] * n]


def spoiled(pick: Pick, value: Any) -> Any:
    """The same value with one odd cell, or in another container; what cannot be one is as it was."""
    if isinstance(value, dict) and value:
        key = pick(list(value))
        return {**value, key: spoiled(pick, value[key])}
    if not isinstance(value, list | tuple | np.ndarray) or not len(value):
        return pick(ODD)
    if pick([True, False]):
        cells = list(value)
        cells[pick(range(len(cells)))] = pick(CELLS)
        return cells
    with contextlib.suppress(Exception), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pick(CONTAINERS)(value)
    return value


@functools.cache
def functions() -> dict[str, Callable[..., Any]]:
    """Every public function, and every class that users make, by name."""
    found = {name: getattr(te, name) for name in te.__all__}
    found |= {f"significance.{name}": getattr(te.significance, name) for name in te.significance.__all__}
    found |= {f"testing.{name}": getattr(te.testing, name) for name in te.testing.__all__}
    return {
        name: f
        for name, f in found.items()
        if callable(f) and (not inspect.isclass(f) or name in MADE) and name.split(".")[-1] not in LEFT_OUT
    }


@functools.cache
def parameters(function: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(function).parameters.values())


# What is written to, and what one room hands to another.
INNER = {"store", "path", "command", "masses", "squares", "uppers", "sources"}


def arguments(pick: Pick, function: Callable[..., Any], s: dict[str, Any], name: str) -> dict[str, Any]:
    """Values for all arguments that must be there, and for some of the others."""
    given: dict[str, Any] = {}
    for p in parameters(function):
        if p.name == "self" or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) or p.name in INNER:
            continue
        cheap = p.name in ("replicates", "samples", "progress", "jobs", "engine", "repeats", "plan", "rounds")
        if p.default is p.empty or (cheap and name in FITTED) or pick(range(3 if cheap else 6)) == 0:
            names_one = "." not in function.__qualname__ or not str(p.annotation).startswith("str")
            pool = usual(p.name, s, name) if names_one else [*s["names"], "nosuch", 3, None]
            how = pick(range(12))
            given[p.name] = pick(ODD + NUMBERS if how == 0 and names_one else pool)
            if isinstance(given[p.name], Late):
                given[p.name] = given[p.name].make()
            if how == 1 and names_one:
                given[p.name] = spoiled(pick, given[p.name])
            if callable(given[p.name]) and p.name in ("statistic", "metric", "values"):
                given[p.name] = np.mean  # functions of users raise what they like
    return given


Call = tuple[str, dict[str, Any], int]


def make(pick: Pick, names: Sequence[str] | None = None) -> Call:
    """The name of a function, its arguments, and the seed of what is done with the result."""
    known = functions()
    name = pick(names or _often())
    if name.startswith("file."):
        return name, {"source": damaged(pick, FILES[name[5:]]())}, pick(range(2**16))
    return name, arguments(pick, known[name], sample(pick), name.split(".")[-1]), pick(range(2**16))


@functools.cache
def _often() -> tuple[str, ...]:
    """Names as often as they are drawn: what is dear less often."""
    dear = FITTED | {"read", "cost_curve", "arena"}
    return tuple(name for name in sorted(functions()) for _ in range(1 if name in dear else 6))


@functools.cache
def readers() -> tuple[str, ...]:
    """Kinds of file, as often: `te.read` opens a database."""
    return tuple(f"file.{kind}" for kind in sorted(READERS) for _ in range(1 if READERS[kind] is te.read else 6))


@st.composite
def calls(draw: st.DrawFn, names: tuple[str, ...] | None = None) -> Call:
    """A call that Hypothesis draws, and can make smaller."""
    return make(lambda pool: pool[draw(st.integers(0, len(pool) - 1))], names)


def seeded(number: int | str) -> Pick:
    """The same choices for the same seed."""
    return random.Random(f"trueerror {number}").choice


METHODS = ("__str__", "__repr__", "to_json", "records", "to_markdown", "to_latex", "explain", "_repr_html_")
UNLIKE = {"save", "draw", "frame", "plot", "block", "but", "document", *METHODS}


@functools.cache
def methods(kind: type) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Public methods of a class that are called with drawn values, and its properties."""
    mine = {name: inspect.getattr_static(kind, name) for name in dir(kind) if not name.startswith("_")}
    inner = kind is te.Predictions or "get" in mine  # for the other rooms, or those of a dictionary
    called = tuple(n for n, m in mine.items() if inspect.isfunction(m) and n not in UNLIKE and not inner)
    return called, tuple(n for n, m in mine.items() if isinstance(m, property | functools.cached_property))


def run(name: str, given: dict[str, Any], seed: int = 0) -> int:
    """Make a call, and those of its result; how many there were. Raises AssertionError where something is unsound."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if name.startswith("file."):
            return read_file(name[5:], given["source"])
        function = functions()[name]
        positional, named = split(function, given)
        if name.startswith("testing."):
            with contextlib.suppress(AssertionError, UserWarning):
                asked(lambda: function(*positional, **named))
            return 1
        result = asked(lambda: function(*positional, **named), narrow=name != "load")
        if result is REFUSED or not isinstance(result, Result | te.Predictions | te.Dataset):
            return 1
        return 1 + more_of(result, seeded(seed))


REFUSED = object()


def asked(call: Callable[[], Any], narrow: bool = True) -> Any:
    """What the call gives, or REFUSED where it says in one line what is wrong with the input."""
    try:
        result = call()
        check(result)
    except (InputError, NotImplementedError) as error:
        said = str(error)
        need(len(said) <= 300 and said.isprintable(), f"a message that nobody can read: {said[:80]!r}")
        return REFUSED
    except ValueError as error:
        # What te.load says of a file is no input error in the narrow sense.
        if narrow:
            raise AssertionError(f"{type(error).__name__}: {error}") from error
        return REFUSED
    return result


def more_of(result: Any, pick: Pick) -> int:
    """Calls of a result: as text and JSON, its properties, two of its methods and its picture; how many there were."""
    made = 0
    for method in METHODS:
        if hasattr(result, method):
            text = asked(getattr(result, method))
            if method in ("__str__", "to_markdown", "to_latex") and isinstance(text, str):
                need(not [c for c in text if not c.isprintable() and c not in "\r\n"], f"an escape in {method}")
            made += 1
    own, properties = methods(type(result))
    for name in properties:
        asked(lambda name=name: getattr(result, name))
    for name in {pick(own), pick(own)} if own else ():
        function = getattr(type(result), name)
        positional, named = split(function, arguments(pick, function, sample(pick), name))
        asked(lambda name=name, a=positional, k=named: getattr(result, name)(*a, **k))
        made += 1
    if isinstance(result, Result) and pick(range(8)) == 0:
        asked(lambda: result.plot().svg)
        made += 1
    if not isinstance(result, Result) or (text := asked(result.to_json)) is REFUSED:
        return made
    need(te.load(text) == result, "another result after JSON")
    made += 1
    if pick(range(4)) == 0:
        with contextlib.suppress(ValueError):
            te.load(json.dumps(damaged_tree(pick, json.loads(text)))).to_markdown()
        made += 1
    return made


def damaged_tree(pick: Pick, tree: Any) -> Any:
    """JSON with one value taken away or put in the place of another."""
    if isinstance(tree, dict) and tree and pick(range(4)):
        key = pick(list(tree))
        if pick(range(5)) == 0:
            return {k: v for k, v in tree.items() if k != key}
        return {**tree, key: damaged_tree(pick, tree[key])}
    if isinstance(tree, list) and tree and pick(range(4)):
        at = pick(range(len(tree)))
        return [*tree[:at], *([damaged_tree(pick, tree[at])] if pick(range(5)) else []), *tree[at + 1 :]]
    return pick([None, True, -1, 0, 1e308, 2**70, "", "x", "NaN", "Infinity", [], {}, [[]], {"a": []}, 0.5, "1"])


LOGS = Path(__file__).parents[1] / "sources" / "logs" / "data"
ROWS = [{"truth": "ab"[i % 2], "svm": "ab"[i % 3 == 0], "p": round(i / 24, 3), "id": i} for i in range(24)]


def as_csv(rows: Sequence[dict[str, Any]] = ROWS) -> bytes:
    lines = [",".join(rows[0]), *(",".join(str(cell) for cell in row.values()) for row in rows)]
    return "\n".join(lines).encode()


def an_eval() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"eval": {"model": "m", "task": "t"}, "status": "success"}))
        for i in range(4):
            row = {"id": i, "epoch": 1, "scores": {"match": {"value": "CI"[i % 2]}}, "target": "a"}
            archive.writestr(f"samples/{i}_epoch_1.json", json.dumps(row))
    return packed.getvalue()


FILES: dict[str, Callable[[], bytes]] = {
    "csv": as_csv, "csv.gz": lambda: gzip.compress(as_csv(), mtime=0),

    "jsonl": lambda: "\n".join(json.dumps(row) for row in ROWS).encode(), "json": lambda: json.dumps(ROWS).encode(),
    "arff": lambda: b"inst#,actual,predicted,error,prediction\n1,1:a,1:a,,0.9\n2,2:b,1:a,+,0.6\n3,2:b,2:b,,0.8\n",
    "weka": lambda: as_csv([{"Key_Dataset": "iris", "Key_Run": 1 + i // 10, "Key_Fold": 1 + i % 10,
                             "Key_Scheme": "x.J48", "Key_Scheme_options": "",
                             "Percent_correct": 90 + i % 7} for i in range(20)]),
    "eval": an_eval,
    "lm": lambda: "\n".join(json.dumps({"doc_id": i, "target": "a", "filtered_resps": ["a"], "acc": i % 2, "doc": {}})
                            for i in range(6)).encode(),
    "promptfoo": lambda: json.dumps({"results": {"results": [
        {"provider": {"id": "m"}, "vars": {"q": i}, "success": i % 2 == 0, "score": i % 2, "promptIdx": 0, "testIdx": i}
        for i in range(4)]}}).encode(),
    "openai": lambda: "\n".join([json.dumps({"spec": {"completion_fns": ["m"], "eval_name": "e"}})] + [json.dumps(
        {"run_id": "r", "sample_id": f"e.{i}", "type": "match", "data": {"correct": i % 2 == 0}})
        for i in range(4)]).encode(),
    "result": functools.cache(lambda: te.evaluate([0, 1, 1, 0], [0, 1, 0, 0]).to_json().encode()),
}  # fmt: skip
TOKENS = [b"", b",", b"\n", b'"', b"{", b"[", b"]}", b"\x00", b"\xff", b"null", b"NaN", b"1e400", b"-", b"\r\n",
          b"[" * 3000, b"9" * 400, b"\x1b[5m", b"truth", b"\xef\xbb\xbf", b"=1+1", b":", b"'", b"True", b";", b"\t",
          b"\\u0000"]  # fmt: skip


def damaged(pick: Pick, content: bytes) -> bytes:
    """The bytes of a file with some cut out, doubled, or put in."""
    for _ in range(pick([0, 1, 1, 2, 5])):
        at, to = sorted((pick(range(len(content) + 1)), pick(range(len(content) + 1))))
        way = pick(range(4))
        near = min(to, at + pick([1, 2, 8, 64]))
        if way == 0:
            content = content[:at] + content[near:]
        elif way == 1:
            content = content[:near] + content[at:]
        elif way == 2:
            content = content[:at]
        else:
            content = content[:at] + pick(TOKENS) + content[near if pick([True, False]) else at :]
    return content


def read_file(kind: str, content: bytes) -> int:
    """Read a damaged file, and judge what was read."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        ending = {"weka": "csv", "arff": "csv", "lm": "jsonl", "openai": "jsonl", "promptfoo": "json", "result": "json"}
        file = Path(folder) / f"samples_x.{ending.get(kind, kind)}"
        file.write_bytes(content)
        result = asked(lambda: READERS[kind](file), narrow=kind != "result")
        if not isinstance(result, te.Predictions):
            return 1
        judged = asked(lambda: te.evaluate(result))
        return 2 if judged is REFUSED else 3 + bool(asked(judged.__str__))


def need(sound: bool, words: str) -> None:
    """What must hold of a call."""
    if not sound:
        raise AssertionError(words)


def split(function: Callable[..., Any], given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Positional arguments by place, the others by name."""
    positional: list[Any] = []
    for p in (p for p in parameters(function) if p.name != "self"):
        if p.kind not in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) or p.name not in given:
            break
        positional.append(given[p.name])
    return positional, dict(list(given.items())[len(positional) :])


def check(result: object) -> None:
    """Limits around the estimate and within reason, probabilities within [0, 1], nothing undefined without a word."""
    for part in parts(result):
        counted = getattr(part, "n", None)
        assert not (isinstance(counted, int) and counted < 0), f"n = {counted}"
        if isinstance(part, Interval):
            assert not part.low > part.high, f"limits the wrong way round: {part!r}"
            if not any(map(math.isnan, (part.estimate, part.low, part.high))):
                slack = 1e-9 * max(1.0, abs(part.estimate))
                assert part.low - slack <= part.estimate <= part.high + slack, f"the estimate lies outside: {part!r}"
            else:
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
