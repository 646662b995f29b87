"""An option that is taken has an effect or is refused: every public function × every option of its signature.

Each function has a call that works (`CALLS`); each option has another value (`OTHER`, or `HERE` for one function). The
answer with it must differ, or the call must be refused. A new function or option without an entry fails.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import trueerror as te
from trueerror import testing
from trueerror.inputs._options import InputError

N = 120
DRAWN = np.random.default_rng(5)
TRUTH = (DRAWN.random(N) < 0.35).astype(int)
ROWS = np.column_stack([TRUTH + DRAWN.normal(size=N), DRAWN.normal(size=N)]).round(2)
A_SCORES, B_SCORES = (
    np.clip(0.5 + 0.3 * (TRUTH - 0.5) * k + DRAWN.normal(size=N) * 0.2, 0, 1).round(2) for k in (2, 1)
)
A, B = ((s >= 0.5).astype(int) for s in (A_SCORES, B_SCORES))
HALF = np.arange(N) // 2
FOLDS = np.arange(N) % 4
LABELS = {"a": A, "b": B}
RIGHT = float((A == TRUTH).mean())
SCORES = {"a": A_SCORES, "b": B_SCORES}
TABLE = {"y": TRUTH, "a": A, "b": B, "pa": A_SCORES, "g": FOLDS + 10, "k": [f"r{i}" for i in range(N)]}
COSTS = [[0, 1], [5, 0]]
BINARY = te.predictions(TRUTH, scores=SCORES)
CALLED = te.predictions(TRUTH, LABELS)
FOLDED = te.predictions(TRUTH, scores=SCORES, folds=FOLDS)
CURVES = [te.roc(TRUTH[f == FOLDS], A_SCORES[f == FOLDS]) for f in range(4)]
RANKS = {
    "a": [0.9, 0.8, 0.9, 0.7, 0.8, 0.95],
    "b": [0.8, 0.7, 0.8, 0.6, 0.75, 0.9],
    "c": [0.7, 0.9, 0.6, 0.5, 0.6, 0.8],
}
BAYES, TREE = GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0)
QUICK: dict[str, Any] = {"progress": False}
GAPS = [0.1, 0.2, -0.05, 0.3, 0.12, 0.09, 0.2, 0.11, 0.05, 0.02]
FIVE = [[0.1, 0.2], [0.05, 0.1], [0.2, 0.1], [0.1, -0.1], [0.3, 0.1]]

FEW_HUMAN, JUDGED = TRUTH, np.where(np.arange(N) % 6 == 0, 1 - TRUTH, TRUTH)
GAPPY_HUMAN = np.where(np.arange(N) < 60, TRUTH, None)
FEW = ("prediction_powered", "ppi", "corrected")
MET = [
    ("xyz"[i % 3], "xyz"[(i + 1 + i % 2) % 3], ("model_a", "model_b", "tie", "model_a")[i * 7 % 11 % 4])
    for i in range(90)
]
GAMES = {
    "model_a": [a for a, _, _ in MET], "model_b": [b for _, b, _ in MET], "winner": [w for *_, w in MET],
    "other": ["model_b"] * 30 + ["model_a"] * 60, "g": np.arange(90) // 6, "third": ["w"] * 45 + ["v"] * 45,
}  # fmt: skip
LONG_GAMES = {
    "battle": np.repeat(np.arange(60), 2), "model": ["x", "y", "y", "z"] * 30, "who": ["p", "q"] * 60,
    "score": DRAWN.integers(0, 4, 120), "points": DRAWN.integers(0, 4, 120), "pair": np.repeat(np.arange(30), 4),
}  # fmt: skip

# Function → (arguments by place, options) of a call that works.
CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "evaluate": ((TRUTH, LABELS), {}),
    "compare": ((TRUTH, LABELS), {}),
    "predictions": ((TRUTH, LABELS), {}),
    "read": ((TABLE,), {"truth": "y", "models": ["a", "b"]}),
    "graded": ((SCORES,), {}),
    "repeats": (({"a": A.reshape(40, 3), "b": B.reshape(40, 3)},), {}),
    "pass_at_k": ((A.reshape(40, 3),), {}),
    "gate": ((CALLED, "b"), {}),
    "check": ((CALLED,), {}),
    "report": ((CALLED,), {}),
    "metric": (("recall", TRUTH, A), {}),
    "critical": ((), {}),
    "gaps": ((TRUTH, A), {"by": FOLDS % 2}),
    "cost": ((te.Confusion.count(TRUTH, A), COSTS), {}),
    "interval": ((30, 40), {}),
    "mean_interval": (([1.0, 2.0, 4.0],), {}),
    "difference": (((30, 40), (20, 40)), {}),
    "probability_less": (((20, 40), (24, 40)), {}),
    "bootstrap": (([1.0, 2.0, 4.0, 7.0, 8.0],), {}),
    "power": ((), {"n": 100, "first": 0.8, "second": 0.7, "disagreement": 0.3}),
    "sample_size": ((), {"first": 0.8, "second": 0.7, "disagreement": 0.3}),
    "rank": ((RANKS,), {}),
    "agreement": (({"a": A, "b": B, "c": TRUTH},), {}),
    **{name: ((FEW_HUMAN, JUDGED, np.tile(JUDGED, 20)), {}) for name in ("prediction_powered", "ppi", "corrected")},
    "label_plan": ((np.tile(A_SCORES, 5), 60), {}),
    "arena": ((GAMES,), {}),
    "training_history": ((TRUTH, {1: B, 2: A, 3: B}), {}),
    "training_gap": ((CALLED, te.predictions(TRUTH, {"a": TRUTH, "b": TRUTH})), {}),
    "average_curves": ((CURVES,), {}),
    "pool_curves": ((CURVES,), {}),
    "auc_over_folds": ((FOLDED,), {"model": "a"}),
    "roc_difference": ((BINARY, "a", "b"), {}),
    "roc_hull": ((BINARY,), {}),
    "measure_curve": ((TRUTH, A_SCORES), {"x": "fpr", "y": "recall"}),
    "risk_coverage": ((TRUTH, A_SCORES), {}),
    "catalogue": ((), {}),
    "config": ((), {}),
    "load": ((te.interval(3, 10).to_json(),), {}),
    "experiment": (({"bayes": BAYES, "tree": TREE}, ROWS, TRUTH), {"plan": 3, **QUICK}),
    "learning_curve": ((BAYES, ROWS, TRUTH), {"steps": 3, "folds": 3, "repeats": 1, **QUICK}),
    "training_shares": ((BAYES, ROWS, TRUTH), {"shares": (0.5, 0.8), "repeats": 3, **QUICK}),
    "lesion_study": ((BAYES, ROWS, TRUTH), {"plan": te.KFold(3), **QUICK}),
    "ablation": ((BAYES, ROWS, TRUTH), {"plan": te.KFold(3), **QUICK}),
    "overfitting": ((TREE, ROWS, TRUTH), {"parameter": "max_depth", "values": [1, 3], "plan": te.KFold(3), **QUICK}),
    "bias_variance": ((TREE, ROWS, TRUTH), {"rounds": 6, **QUICK}),
    "estimator_laboratory": ((BAYES,), {"runs": 3, "n": 30, "test_rows": 100, "estimators": ("k-fold",), **QUICK}),
    **{
        curve: ((TRUTH, A_SCORES), {})
        for curve in (
            "roc",
            "precision_recall",
            "precision_recall_gain",
            "det",
            "gains",
            "lift",
            "cost_curve",
            "brier_curve",
            "decision_curve",
            "calibration",
        )
    },
    "significance.adjust": (([0.01, 0.02, 0.3],), {}),
    "significance.bayes_correlated_t": ((GAPS,), {"rho": 0.1}),
    "significance.bayes_signed_rank": ((RANKS["a"], RANKS["b"]), {}),
    "significance.bonferroni_dunn": ((RANKS,), {"control": "a"}),
    "significance.bowker": (([[10, 3], [8, 20]],), {}),
    "significance.cochran_q": (([[1, 0, 1], [1, 1, 0], [0, 0, 1], [1, 0, 0]],), {}),
    "significance.confidence_sequence": ((30, 12), {"n": 100}),
    "significance.corrected_t": ((GAPS,), {"test_train_ratio": 1 / 9}),
    "significance.delong": ((TRUTH, A_SCORES, B_SCORES), {}),
    "significance.delong_unpaired": ((TRUTH, A_SCORES, TRUTH[:90], B_SCORES[:90]), {}),
    "significance.e_value": ((30, 12), {"n": 100}),
    "significance.equivalence": ((20, 18), {"n": 200, "margin": 0.1}),
    "significance.five_by_two_f": ((FIVE,), {}),
    "significance.five_by_two_t": ((FIVE,), {}),
    "significance.fold_differences": ((RANKS["a"], RANKS["c"]), {}),
    "significance.friedman": ((RANKS,), {}),
    "significance.iman_davenport": ((RANKS,), {}),
    "significance.mcnemar": ((30, 12), {"n": 100}),
    "significance.nemenyi": ((RANKS,), {}),
    "significance.noninferiority": ((20, 18), {"n": 200, "margin": 0.1}),
    "significance.one_proportion": ((30, 40, 0.6), {}),
    "significance.paired_bootstrap": ((TRUTH, A, B), {}),
    "significance.paired_t": ((RANKS["a"], RANKS["b"]), {}),
    "significance.permutation": ((RANKS["a"], RANKS["b"]), {}),
    "significance.quade": ((RANKS,), {}),
    "significance.shaffer": ((RANKS,), {}),
    "significance.sign": ((RANKS["a"], RANKS["c"]), {}),
    "significance.smallest_difference": ((), {"n": 200, "baseline": 0.8, "disagreement": 0.2}),
    "significance.two_proportions": ((30, 40, 20, 40), {}),
    "significance.unpaired_t": ((RANKS["a"], RANKS["b"]), {}),
    "significance.wilcoxon": ((RANKS["a"], RANKS["c"]), {}),
    "testing.assert_not_worse": ((CALLED, "b"), {"margin": 0.3}),
    "testing.assert_at_least": ((CALLED, 0.4), {"model": "a"}),
}

# Option → another value than the usual one.
OTHER: dict[str, Any] = {
    "confidence": 0.8, "alpha": 0.2, "alternative": "greater", "side": "lower", "adjust": "bonferroni", "margin": 0.15,
    "metric": "recall", "metrics": ["recall"], "reference": "b", "baseline": "b", "control": "b", "model": "b",
    "models": ["a"], "labels": [1, 0], "positive": 0, "ids": [f"r{i}" for i in range(N)], "clusters": HALF,
    "time": np.arange(N), "by": FOLDS, "folds": FOLDS, "repeats": FOLDS, "weights": np.arange(N) % 3 + 1,
    "weights_kind": "frequency", "missing": "drop", "threshold": 0.7, "costs": COSTS, "cost_fp": 3.0, "cost_fn": 5.0,
    "prior": 0.2, "design": "case-control", "simultaneous": True, "replicates": 1500, "rng": 7, "scores": SCORES,
    "predicted": LABELS,
    "fitted": {"bayes": BAYES.fit(ROWS, TRUTH)}, "X": ROWS, "options": {"beta": 2}, "paired": False, "at_least": 0.5,
    "sequential": True, "training": te.predictions(TRUTH, {"a": TRUTH, "b": TRUTH}), "title": "Another title",
    "file": "rows.csv",
    "ignore": ("TE204",), "also": te.interval(3, 20), "command": "make report", "how": "threshold", "grid": [0, 0.5, 1],
    "interpolation": "linear", "higher_is_better": False, "ties": False, "test_train_ratio": 0.5, "rope": 0.05, "n": 60,
    "bins": 5, "binning": "mass", "thresholds": [0.2, 0.4], "mean": True, "rate": 0.5, "power": 0.9, "icc": 0.05,
    "cluster_size": 5, "disagreement": 0.4, "prevalence": 0.3, "correlation": 0.5, "sd": 2.0, "first": 0.85,
    "second": 0.72, "accuracy": 0.9, "half_width": 0.02, "balance": "over", "stratify": False, "steps": 4, "ratio": 2.0,
    "step": 20, "smallest": 10, "sizes": [20, 40], "schedule": "arithmetic", "form": "power", "stop": 0.5,
    "parts": {"first": [0], "second": [1]}, "variants": "leave-one-in", "seeds": 2, "held_out": 0.5, "test_rows": 50,
    "loss": "squared", "decomposition": "domingos", "sampling": "subsample", "runs": 4, "bootstraps": 10,
    "zeros": "pratt", "df": "conservative", "prior_strength": 2.0, "samples": 3000, "kernels": "plain",
    "budget": "1GB", "on_cannot_tell": "warn", "retry": True, "plan": te.KFold(4), "quantile": "lower", "model_": "b",
    "dataset": "d", "learner": "l", "value": "v", "names": ["x", "y", "z"], "fold": "g", "repeat": "g", "truth": "y",
    "id": "k", "cluster": "g", "weight": "g", "label": "a", "score": "pa", "generator": "xor", "rounds": 8,
    "estimators": ("holdout",), "interval": "wald", "both_right": 40, "both_wrong": 18, "table": "t",
    "x_options": {"beta": 2}, "y_options": {"beta": 2}, "kind": "pointwise", "values": [1, 2],
    "parameter": "min_samples_leaf", "grade": "pa", "scale": (0, 2), "cost_ratio": 20.0,
}  # fmt: skip
# The same for one function: options besides, and the other value.
WITHOUT = A.astype(object)
WITHOUT[:5] = None
GAPPY = {"args": (TRUTH, {"a": WITHOUT, "b": B})}
TIED = {"a": [0.9, 0.8, 0.8], "b": [0.9, 0.7, 0.9], "c": [0.7, 0.8, 0.6]}
BOOTSTRAP = {"method": "bootstrap"}
OF_FOLDS = {"args": ({name: np.array(scores) for name, scores in RANKS.items()},), "test_train_ratio": 0.2}
COUNTED = {"both": 810, "a": 60, "b": 40, "neither": 90}
IN_CLUSTERS = {"icc_right": 0.3, "icc_between": 0.1, "cluster_size": 5}
GRADED = [[1, 1], [2, 3], [3, 3], [2, 2], [1, 2], [3, 1], [3, 3], [2, 2], [1, 1], [2, 3]] * 3
LONG_RATINGS = {
    "item": np.repeat(np.arange(N), 2), "rater": ["x", "y"] * N, "label": np.column_stack([A, B]).ravel(),
    "second": np.column_stack([A, TRUTH]).ravel(), "other": np.arange(2 * N),
}  # fmt: skip
HERE: dict[tuple[str, str], tuple[dict[str, Any], Any]] = {
    ("evaluate", "ids"): ({}, ["twice"] * N),
    ("compare", "ids"): ({}, ["twice"] * N),
    ("evaluate", "missing"): (GAPPY | {"missing": "wrong"}, "drop"),
    ("compare", "missing"): (GAPPY | {"missing": "wrong"}, "drop"),
    ("predictions", "missing"): (GAPPY | {"missing": "wrong"}, "drop"),
    ("read", "missing"): ({"args": ({**TABLE, "a": WITHOUT},), "missing": "wrong"}, "drop"),
    ("metric", "missing"): ({"args": ("accuracy", TRUTH, WITHOUT), "missing": "wrong"}, "drop"),
    ("risk_coverage", "missing"): ({}, "ignore"),
    ("graded", "missing"): ({"args": ({"a": np.r_[np.nan, A_SCORES[1:]]},), "missing": "wrong"}, "drop"),
    ("repeats", "k"): ({}, 3),
    ("repeats", "grade"): ({"args": ({**TABLE, "id": HALF},), "grade": "a"}, "b"),
    ("repeats", "models"): ({"args": ({**TABLE, "id": HALF},), "grade": "a"}, "g"),
    ("repeats", "ids"): ({"args": ({**TABLE, "id": HALF},), "grade": "a"}, "g"),
    ("repeats", "clusters"): ({}, np.arange(40) // 4),
    ("repeats", "method"): ({}, "t"),
    ("repeats", "missing"): ({"args": ([[1, None], [0, 1], [1, 1]],), "missing": "wrong"}, "drop"),
    ("repeats", "adjust"): (
        {"args": ({"a": A.reshape(40, 3), "b": B.reshape(40, 3), "c": 1 - A.reshape(40, 3)},)},
        "none",
    ),
    ("pass_at_k", "k"): ({}, 2),
    ("pass_at_k", "every"): ({"k": 2}, True),
    ("pass_at_k", "of"): ({}, 3),
    ("pass_at_k", "clusters"): ({}, np.arange(40) // 4),
    ("pass_at_k", "method"): ({}, "t"),
    ("graded", "grade"): ({"args": (TABLE,), "grade": "pa"}, ["pa", "a"]),
    ("graded", "models"): ({"args": (TABLE,), "grade": ["pa", "a"]}, ["x", "y"]),
    ("evaluate", "method"): ({}, "wald"),
    ("compare", "method"): ({}, "exact"),
    ("compare", "labels"): ({}, [0, 1, 2]),
    ("metric", "labels"): ({}, [0]),
    ("risk_coverage", "labels"): ({}, [0]),
    ("compare", "counts"): ({"args": (), "counts": COUNTED}, {**COUNTED, "b": 30}),
    ("compare", "marginals"): (
        {"args": (), "marginals": {"a": (456, 500), "b": (445, 500)}},
        {"a": (456, 500), "b": (425, 500)},
    ),
    ("compare", "cv"): ({}, 4),
    ("compare", "test_train_ratio"): (OF_FOLDS, 0.5),
    ("evaluate", "cv"): ({}, 4),
    ("evaluate", "test_train_ratio"): (OF_FOLDS, 0.5),
    ("rank", "cv"): ({}, 6),
    ("critical", "df"): ({}, 10),
    ("gaps", "by"): ({}, FOLDS),
    ("gaps", "min_rows"): ({}, 20),
    ("power", "icc_right"): (IN_CLUSTERS, 0.4),
    ("power", "icc_between"): (IN_CLUSTERS, 0.2),
    ("sample_size", "icc_right"): (IN_CLUSTERS, 0.4),
    ("sample_size", "icc_between"): (IN_CLUSTERS, 0.2),
    ("significance.fold_differences", "names"): ({}, ("svm", "tree")),
    ("significance.fold_differences", "repeats"): ({}, 2),
    ("significance.fold_differences", "paired"): ({}, False),
    ("compare", "rng"): (BOOTSTRAP, 7),
    ("compare", "replicates"): (BOOTSTRAP, 1500),
    ("compare", "options"): ({"metric": "f_beta"}, {"beta": 2}),
    ("evaluate", "rng"): ({"metrics": ["mcc"], "method": "bootstrap-percentile"}, 7),
    ("evaluate", "replicates"): ({"metrics": ["mcc"], "method": "bootstrap-percentile"}, 1500),
    ("metric", "prior"): ({"args": ("precision", TRUTH, A)}, 0.2),
    ("gate", "adjust"): ({"metric": ["recall", "precision"]}, "none"),
    ("gate", "rng"): ({"metric": "auc", "args": (BINARY, "b")}, 7),
    ("gate", "replicates"): ({"metric": "auc", "args": (BINARY, "b")}, 1500),
    ("report", "ignore"): ({"args": (te.predictions(TRUTH, {"a": 0 * A}),)}, ("TE201",)),
    ("report", "rng"): ({"metric": "mcc"}, 7),
    ("report", "path"): ({}, Path("page.txt")),
    ("read", "truth"): ({"models": ["b"]}, "a"),
    ("read", "right"): ({"truth": None, "models": None}, ["a", "b"]),
    ("read", "right_from"): ({"truth": None, "models": None, "right": ["pa"]}, 0.7),
    ("read", "predictions"): (
        {"args": ({"y": TRUTH},), "models": None, "predictions": {"a": {"a": A}}},
        {"b": {"b": B}},
    ),
    ("read", "table"): ({}, "other"),
    ("read", "models"): ({}, ["a"]),
    ("read", "weights_kind"): ({}, "frequency"),
    ("rank", "missing"): ({"args": ({"a": [0.9, None, 0.8], "b": [0.8, 0.7, 0.7]},)}, "drop"),
    ("rank", "rng"): ({"args": ({"a": RANKS["a"], "b": [0.85, 0.82, 0.8, 0.75, 0.7, 0.9]},)}, 7),
    ("rank", "method"): ({}, "nemenyi"),
    ("rank", "family"): ({}, {str(i + 1): i // 2 for i in range(6)}),
    ("roc_difference", "rng"): ({}, 7),
    ("overfitting", "positive"): ({"metric": "recall"}, 0),
    ("lesion_study", "positive"): ({"metric": "recall"}, 0),
    ("ablation", "positive"): ({"metric": "recall"}, 0),
    ("learning_curve", "positive"): ({"metric": "recall", "positive": 1}, 0),
    ("training_shares", "positive"): ({"metric": "recall", "positive": 1}, 0),
    ("training_shares", "shares"): ({}, (0.3, 0.8)),
    ("training_shares", "repeats"): ({}, 4),
    ("learning_curve", "stop"): ({"steps": 8}, 5.0),
    ("learning_curve", "smallest"): ({}, 30),
    ("learning_curve", "plan"): ({"folds": ..., "repeats": ...}, te.KFold(3)),
    ("estimator_laboratory", "bootstraps"): ({"estimators": (".632",)}, 10),
    ("estimator_laboratory", "generator"): ({}, "checkerboard"),
    ("bias_variance", "test"): ({}, (ROWS[:50], TRUTH[:50])),
    ("bias_variance", "sampling"): ({}, "half"),
    ("bias_variance", "plan"): ({"rounds": ...}, te.Bootstrap(7)),
    ("bias_variance", "generator"): ({}, "two-normals"),
    ("measure_curve", "x"): ({}, "precision"),
    ("measure_curve", "y"): ({}, "precision"),
    ("measure_curve", "x_options"): ({"x": "f_beta"}, {"beta": 2}),
    ("measure_curve", "y_options"): ({"y": "f_beta"}, {"beta": 2}),
    ("average_curves", "interpolation"): ({"how": "threshold"}, "linear"),
    ("average_curves", "model"): ({"args": (FOLDED,), "model": "a"}, "b"),
    ("auc_over_folds", "rng"): ({"method": "pooled-bootstrap"}, 7),
    ("auc_over_folds", "replicates"): ({"method": "pooled-bootstrap"}, 1500),
    ("auc_over_folds", "method"): ({}, "corrected-t"),
    ("auc_over_folds", "test_train_ratio"): ({"method": "corrected-t", "test_train_ratio": 0.2}, 0.5),
    ("bootstrap", "statistic"): ({}, "median"),
    ("bootstrap", "method"): ({}, "percentile"),
    ("training_history", "training"): ({}, {1: 0.3, 2: 0.2, 3: 0.1}),
    ("training_history", "positive"): ({"metric": "recall", "positive": 1}, 0),
    ("training_history", "parameter"): ({}, "step"),
    ("training_history", "method"): ({}, "exact"),
    ("interval", "method"): ({}, "wald"),
    ("interval", "rate"): ({"args": (), "trials": 40, "rate": 0.75}, 0.5),
    ("difference", "method"): ({}, "newcombe"),
    ("probability_less", "method"): ({}, "beta"),
    ("power", "test"): ({"disagreement": ...}, "two-proportions"),
    ("power", "method"): ({}, "exact"),
    ("sample_size", "test"): ({"disagreement": ...}, "two-proportions"),
    ("sample_size", "method"): ({}, "exact"),
    ("significance.smallest_difference", "test"): ({"disagreement": ...}, "two-proportions"),
    ("significance.smallest_difference", "method"): ({}, "exact"),
    ("significance.smallest_difference", "baseline"): ({}, 0.7),
    ("significance.adjust", "method"): ({}, "bh"),
    ("significance.bayes_correlated_t", "rho"): ({}, 0.5),
    ("significance.bayes_signed_rank", "prior_strength"): ({"args": ([1, 2, 3, 4], [2, 1, 1, 4.5])}, 4.0),
    ("significance.confidence_sequence", "n"): ({}, 90),
    ("significance.mcnemar", "method"): ({}, "exact"),
    ("significance.mcnemar", "both_right"): ({"interval": "newcombe", "both_right": 20}, 30),
    ("significance.mcnemar", "both_wrong"): ({"interval": "newcombe", "both_wrong": 20}, 30),
    ("significance.friedman", "ties"): ({"args": (TIED,)}, False),
    ("significance.iman_davenport", "ties"): ({"args": (TIED,)}, False),
    ("significance.one_proportion", "method"): ({}, "score"),
    ("significance.paired_bootstrap", "method"): ({}, "basic"),
    ("significance.paired_bootstrap", "positive"): ({"metric": "recall"}, 0),
    ("significance.permutation", "third"): ({"args": (TRUTH, A)}, B),
    ("significance.permutation", "method"): ({}, "normal"),
    ("significance.permutation", "rng"): ({"args": (np.arange(40.0), np.arange(40.0)[::-1] + 0.5)}, 7),
    ("significance.permutation", "replicates"): ({"args": (np.arange(40.0), np.arange(40.0)[::-1] + 0.5)}, 1500),
    ("significance.two_proportions", "method"): ({}, "fisher"),
    ("significance.wilcoxon", "method"): ({}, "normal"),
    ("significance.wilcoxon", "zeros"): ({"args": ([1, 2, 3, 4.0, 5], [1, 1, 1, 5, 2])}, "pratt"),
    ("agreement", "method"): ({}, "fleiss"),
    ("arena", "model_a"): ({}, "third"),
    ("arena", "model_b"): ({}, "third"),
    ("arena", "winner"): ({}, "other"),
    ("arena", "battle"): ({"args": (LONG_GAMES,)}, "pair"),
    ("arena", "model"): ({"args": (LONG_GAMES,)}, "who"),
    ("arena", "score"): ({"args": (LONG_GAMES,)}, "points"),
    ("arena", "clusters"): ({}, "g"),
    ("arena", "ties"): ({}, "half"),
    ("arena", "position"): ({}, True),
    ("arena", "anchor"): ({}, {"x": 1500}),
    ("arena", "penalised"): ({}, True),
    ("arena", "adjust"): ({}, "none"),
    **{(name, "judge_unlabelled"): ({}, np.tile(TRUTH, 20)) for name in FEW},
    **{(name, "positive"): ({}, 0) for name in FEW},
    **{(name, "strata"): ({"args": (GAPPY_HUMAN, JUDGED)}, FOLDS) for name in FEW},
    **{(name, "strata_unlabelled"): ({"strata": FOLDS}, np.tile(FOLDS, 20)) for name in FEW},
    **{(name, "inclusion"): ({}, 0.1 + 0.2 * (FOLDS == 1)) for name in FEW},
    **{(name, "bounds"): ({}, (0, 2)) for name in FEW},
    **{(name, "method"): ({}, "ppi++") for name in FEW},
    **{(name, "power"): ({"method": "ppi++"}, 0.3) for name in FEW},
    ("label_plan", "human"): ({}, np.where(np.arange(5 * N) < 80, np.tile(TRUTH, 5), None)),
    ("label_plan", "method"): ({}, "active"),
    ("label_plan", "mix"): ({"method": "active"}, 0.7),
    ("agreement", "level"): ({"args": (GRADED,)}, "ordinal"),
    ("agreement", "weights"): ({"args": (GRADED,)}, "linear"),
    ("agreement", "labels"): ({}, [0, 1, 2]),
    ("agreement", "raters"): ({}, ["a", "b"]),
    ("agreement", "item"): ({"args": (LONG_RATINGS,)}, "other"),
    ("agreement", "rater"): ({"args": (LONG_RATINGS,)}, "other"),
    ("agreement", "label"): ({"args": (LONG_RATINGS,)}, "second"),
    ("testing.assert_not_worse", "on_cannot_tell"): (
        {"args": (te.predictions(TRUTH, {"a": A, "b": np.r_[1 - A[:3], A[3:]]}), "b"), "margin": 0.0},
        "warn",
    ),
    ("testing.assert_at_least", "on_cannot_tell"): ({"args": (CALLED, RIGHT), "model": "a"}, "warn"),
}
# What cannot be seen in an answer, and why.
UNSEEN = {
    "jobs": "the same answer by more processes", "engine": "the same answer by another back end",
    "progress": "a bar on the terminal", "timeout": "only a fit that takes longer shows it",
    "store": "a folder, which tests/experiments look into", "retry": "only failed fits show it",
    "budget": "only tables beyond it show it", "significance.quade higher_is_better": "the same from either end",
    "metric scores": "a metric takes labels or scores, whichever it is of",
}  # fmt: skip


def functions() -> dict[str, Callable[..., Any]]:
    found = {name: getattr(te, name) for name in te.__all__}
    found |= {f"significance.{name}": getattr(te.significance, name) for name in te.significance.__all__}
    found |= {f"testing.{name}": getattr(testing, name) for name in testing.__all__}
    return {name: f for name, f in found.items() if inspect.isfunction(f)}


def options_of(function: Callable[..., Any]) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]


def answer(name: str, options: dict[str, Any], folder: Path) -> Any:
    args, usual = CALLS[name]
    options = dict(options)
    args = options.pop("args", args)
    given = {k: v for k, v in {**usual, **options}.items() if v is not ...}
    if name == "report":
        given.setdefault("path", folder / "page.html")
    try:
        return seen(functions()[name](*args, **given))
    except InputError as error:
        return f"refused: {error}"
    except (AssertionError, UserWarning) as error:
        return f"{type(error).__name__}: {error}"


def seen(made: Any) -> Any:
    if isinstance(made, Path):
        return made.read_text(encoding="utf-8")
    if isinstance(made, te.Predictions):
        if made.scale is not None:
            return [str(made), made.scale, made.has_ids, [made.class_scores(m)[1].tolist() for m in made.models]]
        parts = [made.threshold] if hasattr(made, "threshold") else []
        counted = [made.confusion(m).matrix.tolist() if made.has_predictions(m) else made.scores(m).scores.tolist()
                   for m in made.models]  # fmt: skip
        return [str(made), str(made.roles), made.labels, made.positive, made.has_ids, counted, *parts]
    if isinstance(made, te.Experiment):
        return f"{made}\n{made.records(('accuracy', 'auc'))}"
    if hasattr(made, "to_json"):
        return f"{made}\n{made.to_json()}"
    return repr(made.tolist() if isinstance(made, np.ndarray) else made)


PAIRS = [(name, option) for name, f in functions().items() for option in options_of(f)]


@cache
def usual_answer(name: str, folder: Path) -> Any:
    return answer(name, {}, folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("options")


@pytest.mark.parametrize(("name", "option"), PAIRS, ids=[f"{n}-{o}" for n, o in PAIRS])
def test_every_option_has_an_effect_or_is_refused(name: str, option: str, folder: Path) -> None:
    assert name in CALLS, f"te.{name} is new: give it a call in CALLS"
    places = options_of(functions()[name])[: len(CALLS[name][0])]
    if option in places or option in UNSEEN or f"{name} {option}" in UNSEEN:
        return
    beside, value = HERE.get((name, option), ({}, OTHER.get(option, ...)))
    assert value is not ..., f"te.{name}({option}=) is new: give it another value in OTHER or HERE"
    before = answer(name, beside, folder) if beside else usual_answer(name, folder)
    after = answer(name, {**beside, option: value}, folder)
    assert not all(str(a).startswith("refused") for a in (before, after)), before
    assert after != before, f"te.{name}({option}={value!r:.60}) changes nothing"
