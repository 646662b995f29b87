"""The cases that are frozen: metrics × designs × methods × sources × verbs, each a name and a call.

A case ends in a result (its JSON and its words are kept) or in an input error (its sentence is kept). Cases are small
and seeded, so that all of them run in seconds; what is frozen is what users see, not how it is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import trueerror as te

Case = tuple[str, Callable[[], Any]]


def two_classes() -> dict[str, Any]:
    """Labels and scores of three models on 160 rows of two classes, with clusters, weights, slices and folds."""
    rng = np.random.default_rng(1)
    y = (rng.random(160) < 0.4).astype(int)
    scores = {
        name: np.round(1 / (1 + np.exp(-(strength * (2 * y - 1) + rng.normal(size=160)))), 3)
        for name, strength in (("svm", 1.1), ("tree", 0.8), ("bayes", 0.3))
    }
    labels = {name: (s >= 0.5).astype(int) for name, s in scores.items()}
    return {
        "y": y,
        "labels": labels,
        "scores": scores,
        "clusters": np.arange(160) // 8,
        "weights": rng.integers(1, 4, 160),
        "by": np.where(np.arange(160) % 3 == 0, "north", "south"),
        "folds": np.arange(160) % 5,
    }


def many_classes(k: int) -> dict[str, Any]:
    """Labels and class probabilities of two models on 40 rows a class."""
    rng = np.random.default_rng(k)
    names = np.array(["ant", "bee", "cat", "dog", "elk"][:k])
    codes = rng.choice(k, 40 * k, p=np.arange(1, k + 1) / sum(range(k + 1)))
    scores = {}
    for name, strength in (("net", 1.6), ("tree", 1.0)):
        z = rng.normal(size=(len(codes), k))
        z[np.arange(len(codes)), codes] += strength
        scores[name] = np.round(np.exp(z) / np.exp(z).sum(axis=1, keepdims=True), 6)
        scores[name][:, -1] = 1 - scores[name][:, :-1].sum(axis=1)
    labels = {name: names[s.argmax(axis=1)] for name, s in scores.items()}
    return {"y": names[codes], "labels": labels, "scores": scores, "clusters": np.arange(len(codes)) // 5}


DESIGNS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "plain": lambda d: {},
    "clusters": lambda d: {"clusters": d["clusters"]},
    "frequency": lambda d: {"weights": d["weights"], "weights_kind": "frequency"},
    "sampling": lambda d: {"weights": d["weights"] + 0.5, "weights_kind": "sampling"},
    "prior": lambda d: {"prior": 0.1},
    "case-control": lambda d: {"design": "case-control", "prior": 0.1},
}
AVERAGED = (
    "macro_f1",
    "micro_f1",
    "weighted_f1",
    "macro_precision",
    "macro_recall",
    "weighted_recall",
    "micro_jaccard",
)
REPLICATES = 400


def metric_names() -> list[str]:
    """Every metric of the catalogue that classes have, once."""
    return [record["name"] for record in te.catalogue().records() if record["needs"] != "grades"]


def options_of(name: str) -> dict[str, Any]:
    return {"f_beta": {"beta": 2.0}, "weighted_accuracy": {"weights": [3.0, 3.0, 1.0, 1.0]}}.get(name, {})


def costs_of(name: str, classes: int = 2) -> dict[str, Any]:
    table = np.arange(classes * classes, dtype=float).reshape(classes, classes) % 7
    np.fill_diagonal(table, 0)
    return {"costs": table} if name in ("cost", "expected_cost", "savings") else {}


def intervals_of_metrics() -> Iterator[Case]:
    """Each metric's interval under each design."""
    d = two_classes()
    for name, design in product(metric_names(), DESIGNS):
        yield (
            f"{name} · {design}",
            lambda name=name, design=design: te.evaluate(
                d["y"],
                d["labels"]["tree"],
                scores=d["scores"]["tree"],
                positive=1,
                replicates=REPLICATES,
                metrics={name: options_of(name)},
                **costs_of(name),
                **DESIGNS[design](d),
            )[name],
        )
    for k in (3, 5):
        m = many_classes(k)
        names = [n for n in metric_names() if n not in ("f_beta", "weighted_accuracy")]
        for name, clustered in product([*names, *AVERAGED], (False, True)):
            yield (
                f"{name} · {k} classes{' · clusters' * clustered}",
                lambda m=m, k=k, name=name, clustered=clustered: te.evaluate(
                    m["y"],
                    m["labels"]["net"],
                    scores=m["scores"]["net"],
                    metrics=[name],
                    replicates=REPLICATES,
                    positive="cat",
                    clusters=m["clusters"] if clustered else None,
                    **costs_of(name, k),
                )[name],
            )


INTERVAL_WORDS = (
    "wald",
    "wilson",
    "wilson-cc",
    "clopper-pearson",
    "mid-p",
    "agresti-coull",
    "jeffreys",
    "delta",
    "takahashi",
    "mover",
    "bootstrap-percentile",
    "bootstrap-bca",
    "delong",
    "delong-logit",
    "hanley-mcneil",
    "newcombe",
    "t",
    "nonsense",
)
TEST_WORDS = ("mid-p", "exact", "chi2", "chi2-cc", "delong", "bootstrap", "t", "permutation", "nonsense")


def methods_by_name() -> Iterator[Case]:
    """A method that was asked for, of a metric of each kind."""
    d = two_classes()
    chosen = ("accuracy", "precision", "f1", "macro_f1", "kappa", "mcc", "auc", "average_precision", "brier", "ece")
    for name, word in product(chosen, INTERVAL_WORDS):
        yield (
            f"{name} by {word}",
            lambda name=name, word=word: te.evaluate(
                d["y"],
                d["labels"]["svm"],
                scores=d["scores"]["svm"],
                positive=1,
                metrics=[name],
                method=word,
                replicates=REPLICATES,
            )[name],
        )
    for word, (x, n), side in product(
        (*INTERVAL_WORDS[:7], "nonsense"), ((0, 10), (7, 10), (750, 1000)), ("two-sided", "lower", "upper")
    ):
        yield (
            f"{x}/{n} by {word} · {side}",
            lambda word=word, x=x, n=n, side=side: te.interval(x, n, method=word, side=side),
        )


def comparisons() -> Iterator[Case]:
    """Two and three models: metrics × designs, methods by name, margins, references."""
    d = two_classes()
    two = {"svm": d["scores"]["svm"], "tree": d["scores"]["tree"]}
    for name, design in product(metric_names(), ("plain", "clusters", "prior", "frequency")):
        yield (
            f"{name} · {design}",
            lambda name=name, design=design: te.compare(
                d["y"],
                scores=two,
                positive=1,
                metric=name,
                options=options_of(name),
                replicates=REPLICATES,
                **costs_of(name),
                **DESIGNS[design](d),
            )["svm", "tree"],
        )
    for name, word in product(("accuracy", "f1", "kappa", "auc", "brier", "average_precision"), TEST_WORDS):
        yield (
            f"{name} by {word}",
            lambda name=name, word=word: te.compare(
                d["y"], scores=two, positive=1, metric=name, method=word, replicates=REPLICATES
            )["svm", "tree"],
        )
    for name, extra in product(
        ("accuracy", "recall", "auc", "brier"),
        ({}, {"reference": "tree"}, {"margin": 0.05}, {"by": d["by"]}, {"adjust": "bh"}, {"alternative": "greater"}),
    ):
        yield (
            f"three by {name} · {'-'.join(extra) or 'plain'}",
            lambda name=name, extra=extra: te.compare(
                d["y"], scores=d["scores"], positive=1, metric=name, replicates=REPLICATES, **extra
            ),
        )
    m = many_classes(3)
    for name in ("accuracy", "macro_f1", "kappa", "log_loss", "hand_till_auc", "balanced_accuracy"):
        yield (
            f"3 classes by {name}",
            lambda name=name: te.compare(m["y"], scores=m["scores"], metric=name, replicates=REPLICATES),
        )
    half = slice(0, 80), slice(80, 160)
    for name in ("accuracy", "f1", "auc", "brier", "ece"):
        yield (
            f"different rows by {name}",
            lambda name=name: te.compare(
                *(
                    te.predictions(d["y"][h], scores={n: d["scores"][n][h]}, positive=1)
                    for h, n in zip(half, two, strict=True)
                ),
                metric=name,
                paired=False,
                replicates=REPLICATES,
            ),
        )
    yield "by cost", lambda: te.compare(d["y"], scores=d["scores"], positive=1, cost_fn=10, replicates=REPLICATES)
    yield "identical models", lambda: te.compare(d["y"], {"a": d["labels"]["svm"], "b": d["labels"]["svm"]}, positive=1)


def evaluations() -> Iterator[Case]:
    """Whole evaluations: one model and three, slices, costs, several classes, one class, all right, all wrong."""
    d, m = two_classes(), many_classes(4)
    y, svm = d["y"], d["scores"]["svm"]
    yield "labels", lambda: te.evaluate(y, d["labels"]["svm"])
    yield "scores", lambda: te.evaluate(y, scores=svm, positive=1)
    yield "three models", lambda: te.evaluate(y, scores=d["scores"], positive=1)
    for design in DESIGNS:
        yield (
            f"design {design}",
            lambda design=design: te.evaluate(y, scores=svm, positive=1, replicates=REPLICATES, **DESIGNS[design](d)),
        )
    yield "slices", lambda: te.evaluate(y, scores=svm, positive=1, by=d["by"])
    yield "costs", lambda: te.evaluate(y, scores=svm, positive=1, cost_fn=5, cost_fp=1)
    yield "threshold", lambda: te.evaluate(y, scores=svm, positive=1, threshold=0.3)
    yield (
        "simultaneous",
        lambda: te.evaluate(y, d["labels"]["tree"], metrics=["accuracy", "recall", "precision"], simultaneous=True),
    )
    yield "four classes", lambda: te.evaluate(m["y"], scores=m["scores"]["net"])
    yield "four classes, labels", lambda: te.evaluate(m["y"], m["labels"]["tree"])
    yield "all right", lambda: te.evaluate(y, y)
    yield "all wrong", lambda: te.evaluate(y, 1 - y)
    yield "one class", lambda: te.evaluate([1] * 9, [1] * 8 + [0])
    yield "one row", lambda: te.evaluate([1], [1])
    yield "no rows", lambda: te.evaluate([], [])
    yield "missing as wrong", lambda: te.evaluate(["a", "b", "a"], ["a", None, "b"], missing="wrong")
    yield "several labels", lambda: te.evaluate([[1, 0, 1], [0, 1, 1], [1, 1, 0]], [[1, 0, 0], [0, 1, 1], [1, 0, 0]])


def other_verbs() -> Iterator[Case]:
    """gate, check, rank, power, bootstrap, counts, tests by hand."""
    d = two_classes()
    y = d["y"]
    old = te.predictions(y, scores={"old": d["scores"]["bayes"]}, positive=1)
    new = te.predictions(y, scores={"new": d["scores"]["svm"]}, positive=1)
    for metric, margin in product(("accuracy", "recall", "auc", "brier", "f1"), (0.0, 0.05)):
        yield (
            f"gate by {metric} · {margin}",
            lambda metric=metric, margin=margin: te.gate(new, old, metric=metric, margin=margin, replicates=REPLICATES),
        )
    yield "gate at least", lambda: te.gate(new, metric="accuracy", at_least=0.8)
    yield "gate of two metrics", lambda: te.gate(new, old, metric=["accuracy", "auc"], margin=0.02)
    yield "check", lambda: te.check(te.predictions(y, scores=d["scores"], positive=1, clusters=d["clusters"]))
    sheet = np.round(np.random.default_rng(3).normal([0.8, 0.78, 0.7], 0.03, (12, 3)), 3)
    for method in ("wilcoxon", "nemenyi", "bonferroni-dunn", "shaffer", "sign"):
        yield (
            f"rank by {method}",
            lambda method=method: te.rank(
                dict(zip(["a", "b", "c"], sheet.T, strict=True)),
                method=method,
                control="a" if method == "bonferroni-dunn" else None,
            ),
        )
    for test in ("mcnemar", "two-proportions", "one-proportion", "auc", "equivalence"):
        extra: dict[str, Any] = {
            "mcnemar": {"disagreement": 0.2},
            "auc": {"prevalence": 0.3},
            "equivalence": {"margin": 0.05, "disagreement": 0.1},
        }.get(test, {})
        yield (
            f"power of {test}",
            lambda test=test, extra=extra: te.power(test=test, n=400, first=0.85, second=0.8, **extra),
        )
        yield (
            f"sample size of {test}",
            lambda test=test, extra=extra: te.sample_size(test=test, first=0.85, second=0.8, **extra),
        )
    for statistic in ("mean", "median", "sd"):
        yield (
            f"bootstrap of the {statistic}",
            lambda statistic=statistic: te.bootstrap(sheet[:, 0], statistic, replicates=200),
        )
    for method in ("wald", "newcombe", "newcombe-cc", "agresti-caffo", "miettinen-nurminen", "nonsense"):
        yield f"difference by {method}", lambda method=method: te.difference((20, 100), (30, 100), method=method)
    s = te.significance
    for method, interval in product(
        ("mid-p", "exact", "chi2", "chi2-cc"), ("tango", "bonett-price", "newcombe", "wald")
    ):
        yield (
            f"mcnemar {method} {interval}",
            lambda method=method, interval=interval: s.mcnemar(
                14, 5, both_right=70, both_wrong=11, method=method, interval=interval
            ),
        )
    a, b, c = sheet.T
    yield "paired t", lambda: s.paired_t(a, b)
    yield "unpaired t", lambda: s.unpaired_t(a, b)
    yield "corrected t", lambda: s.corrected_t(a - b, test_train_ratio=1 / 9)
    yield "wilcoxon", lambda: s.wilcoxon(a, c)
    yield "sign", lambda: s.sign(a, b)
    yield "permutation", lambda: s.permutation(a, b)
    yield "delong", lambda: s.delong(y, d["scores"]["svm"], d["scores"]["tree"], positive=1)
    yield "cochran", lambda: s.cochran_q(np.column_stack([labels == y for labels in d["labels"].values()]))
    yield "friedman", lambda: s.friedman(sheet)
    yield "iman-davenport", lambda: s.iman_davenport(sheet)
    yield "quade", lambda: s.quade(sheet)
    yield "bowker", lambda: s.bowker([[20, 5, 1], [3, 30, 4], [2, 2, 15]])
    yield "one proportion", lambda: s.one_proportion(40, 60, 0.5)
    yield "two proportions", lambda: s.two_proportions(40, 60, 30, 60)
    yield "equivalence", lambda: s.equivalence(a, b, margin=0.05)
    yield "bayes signed rank", lambda: s.bayes_signed_rank(a, b, rope=0.01)
    yield "bayes correlated t", lambda: s.bayes_correlated_t(a - b, rho=0.1, rope=0.01)
    yield "e value", lambda: s.e_value(14, 5)
    yield "confidence sequence", lambda: s.confidence_sequence(14, 5, n=100)


def curves() -> Iterator[Case]:
    """Every curve verb: plain, weighted, of many ties, and its areas."""
    d = two_classes()
    y, s = d["y"], d["scores"]["svm"]
    verbs = (
        "roc",
        "precision_recall",
        "precision_recall_gain",
        "lift",
        "gains",
        "cost_curve",
        "brier_curve",
        "calibration",
        "det",
        "decision_curve",
        "risk_coverage",
    )
    for verb, kind in product(verbs, ("plain", "weights", "ties")):
        yield (
            f"{verb} · {kind}",
            lambda verb=verb, kind=kind: getattr(te, verb)(
                y,
                np.round(s, 1) if kind == "ties" else s,
                positive=1,
                **({"weights": d["weights"], "weights_kind": "frequency"} if kind == "weights" else {}),
            ),
        )
    for method in ("delong-logit", "delong", "hanley-mcneil", "newcombe", "bootstrap", "nonsense"):
        yield f"auc by {method}", lambda method=method: te.roc(y, s, positive=1).auc(method=method)
    yield "partial auc", lambda: te.roc(y, s, positive=1).partial_auc(0, 0.2)
    yield "operating point", lambda: te.roc(y, s, positive=1).operating_point(prior=0.2, cost_fn=3)
    yield "average precision", lambda: te.precision_recall(y, s, positive=1).average_precision()
    yield "hull", lambda: te.roc_hull({n: te.roc(y, v, positive=1) for n, v in d["scores"].items()}).best(prior=0.3)
    yield "hull ranges", lambda: te.roc_hull({n: te.roc(y, v, positive=1) for n, v in d["scores"].items()})
    yield "averaged", lambda: te.average_curves([te.roc(y[f::4], s[f::4], positive=1) for f in range(4)])
    yield "over folds", lambda: te.auc_over_folds(te.predictions(y, scores=s, positive=1, folds=d["folds"]))
    yield (
        "difference of curves",
        lambda: te.roc_difference(y, d["scores"]["svm"], d["scores"]["tree"], positive=1, replicates=200),
    )
    yield "measure curve", lambda: te.measure_curve(y, s, x="fpr", y="f1", positive=1)


def learners() -> Iterator[Case]:
    """An experiment with two quick learners, its answers, and the studies."""
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 3)) + y[:, None] * 0.8
    models = {"bayes": GaussianNB(), "constant": DummyClassifier()}
    plans = {
        "10-fold": te.KFold(10),
        "2 × 5-fold": te.KFold(5, repeats=2),
        "holdout": te.Holdout(1 / 3),
        "bootstrap": te.Bootstrap(8),
        "subsampling": te.Subsampling(6, 1 / 3),
    }
    done: dict[str, Any] = {}

    def run(plan: str) -> Any:
        if plan not in done:
            done[plan] = te.experiment(models, (X, y), plan=plans[plan], jobs=1, progress=False)
        return done[plan]

    for plan, metric in product(plans, ("accuracy", "auc", "brier", "f1")):
        yield f"estimate {metric} · {plan}", lambda plan=plan, metric=metric: run(plan).estimate("bayes", metric=metric)
        yield f"compare {metric} · {plan}", lambda plan=plan, metric=metric: run(plan).compare(metric=metric)
    yield "summary", lambda: _words_only(run("10-fold"))
    yield (
        "learning curve",
        lambda: te.learning_curve({"bayes": GaussianNB()}, X, y, steps=4, folds=3, repeats=2, jobs=1, progress=False),
    )
    yield "lesion study", lambda: te.lesion_study(GaussianNB(), X, y, plan=te.KFold(5), jobs=1, progress=False)
    yield (
        "bias and variance",
        lambda: te.bias_variance({"bayes": GaussianNB()}, X, y, rounds=10, jobs=1, progress=False),
    )


class Words:
    """The words of something that has no JSON of its own."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


def _words_only(result: Any) -> Words:
    return Words(str(result))


def sources(folder: Path) -> Iterator[Case]:
    """One small table through every door, by each verb; the shell's text, JSON and Markdown."""
    import duckdb
    import pandas as pd
    import polars as pl

    d = two_classes()
    frame = pd.DataFrame(
        {
            "truth": d["y"],
            "svm": d["scores"]["svm"],
            "tree": d["scores"]["tree"],
            "site": d["by"],
            "patient": d["clusters"],
        }
    )
    folder.mkdir(parents=True, exist_ok=True)
    frame.to_csv(folder / "rows.csv", index=False)
    frame.to_parquet(folder / "rows.parquet")
    long = frame.assign(id=range(len(frame))).melt(
        ["id", "truth"], ["svm", "tree"], var_name="model", value_name="score"
    )
    long.to_csv(folder / "long.csv", index=False)
    doors: dict[str, Callable[[], Any]] = {
        "pandas": lambda: frame[["truth", "svm", "tree"]],
        "polars": lambda: pl.DataFrame(frame[["truth", "svm", "tree"]].to_dict("list")),
        "duckdb": lambda: duckdb.connect().sql(f"select truth, svm, tree from '{folder / 'rows.parquet'}'"),
        "csv": lambda: folder / "rows.csv",
        "parquet": lambda: folder / "rows.parquet",
        "long": lambda: folder / "long.csv",
    }
    for door, verb in product(doors, ("evaluate", "compare", "check", "read")):
        yield (
            f"{verb} of {door}",
            lambda door=door, verb=verb: (
                _words_only(te.read(doors[door](), truth="truth", positive=1))
                if verb == "read"
                else getattr(te, verb)(te.read(doors[door](), truth="truth", positive=1))
            ),
        )
    shell = {
        "evaluate": ["evaluate", "rows.csv", "--truth", "truth", "--positive", "1"],
        "compare": ["compare", "rows.csv", "--truth", "truth", "--positive", "1"],
        "compare by auc": ["compare", "rows.csv", "--truth", "truth", "--positive", "1", "--metric", "auc"],
        "compare by cost": ["compare", "rows.csv", "--truth", "truth", "--positive", "1", "--cost-fn", "10"],
        "check": ["check", "rows.csv", "--truth", "truth", "--positive", "1"],
        "interval": ["interval", "750/1000", "--confidence", "0.8"],
        "difference": ["difference", "20/100", "30/100"],
        "sample-size": ["sample-size", "--first", "0.85", "--second", "0.8", "--disagreement", "0.2"],
        "wrong column": ["evaluate", "rows.csv", "--truth", "nosuch"],
        "wrong metric": ["compare", "rows.csv", "--truth", "truth", "--positive", "1", "--metric", "acuracy"],
    }
    for name, words in shell.items():
        for form in ("text", "json", "markdown", "latex"):
            yield f"shell {name} · {form}", lambda words=words, form=form: _shell([*words, "--format", form], folder)


def _shell(words: list[str], folder: Path) -> Words:
    """What the command printed, and its exit code, with the folder's name taken out."""
    import contextlib
    import io
    import os
    import sys

    from trueerror.cli import main

    out, err, code = io.StringIO(), io.StringIO(), 0
    before, typed = Path.cwd(), sys.argv
    os.chdir(folder)
    sys.argv = ["trueerror", *words]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
            except SystemExit as end:
                code = int(end.code or 0)
    finally:
        os.chdir(before)
        sys.argv = typed
    return Words(f"{out.getvalue()}{err.getvalue()}exit {code}")


def graded_rows() -> Iterator[Case]:
    """Rows that carry grades, through the verbs."""
    rng = np.random.default_rng(12)
    hard = rng.beta(4, 2, 60)
    grades = {m: np.clip(rng.beta(8 * hard, 8 * (1 - hard)) + k, 0, 1).round(2) for m, k in (("a", 0.1), ("b", 0.0))}
    third = {**grades, "c": np.clip(grades["b"] - 0.2, 0, 1)}
    groups, topics = np.arange(60) // 5, np.arange(60) % 2
    yield "evaluate", lambda: te.evaluate(te.graded(third))
    yield "evaluate, clusters", lambda: te.evaluate(te.graded(grades, clusters=groups))
    yield "evaluate, slices", lambda: te.evaluate(te.graded(grades, by=topics))
    yield "evaluate, 1 to 5", lambda: te.evaluate(te.graded({m: 1 + 4 * v for m, v in grades.items()}, scale=(1, 5)))
    yield "evaluate, all at the end", lambda: te.evaluate(te.graded(np.full(25, 0.0), scale=(0, 10)))
    for method in ("half-row", "t"):
        yield f"evaluate, {method}", lambda m=method: te.evaluate(te.graded(grades), method=m)
    yield "compare", lambda: te.compare(te.graded(grades))
    yield "compare, three", lambda: te.compare(te.graded(third))
    yield "compare, clusters", lambda: te.compare(te.graded(grades, clusters=groups))
    yield "compare, margin", lambda: te.compare(te.graded(grades), margin=0.2)
    yield (
        "compare, different rows",
        lambda: te.compare(te.graded({"a": grades["a"]}), te.graded({"b": grades["b"][:40]}), paired=False),
    )
    yield "gate", lambda: te.gate(te.graded(grades), "b", margin=0.02)
    yield "gate, at least", lambda: te.gate(te.graded({"a": grades["a"]}), at_least=0.7)
    tries = (rng.random((2, 30, 4)) < hard[None, :30, None] - np.array([0.0, 0.2])[:, None, None]).astype(int)
    yield "repeats", lambda: te.repeats({"a": tries[0], "b": tries[1]}, cost_ratio=10)
    yield "repeats, graded", lambda: te.repeats(grades["a"].reshape(15, 4), k=3)
    yield "repeats, clusters", lambda: te.repeats(tries[0], clusters=np.arange(30) // 5)
    yield "pass@k", lambda: te.pass_at_k([3, 0, 4, 1, 2], 3, of=4)
    yield "accuracy is refused", lambda: te.evaluate(te.graded(grades), metrics="accuracy")


def families(folder: Path) -> dict[str, list[Case]]:
    """Every case, by the file that keeps it."""
    return {
        "intervals": list(intervals_of_metrics()),
        "methods": list(methods_by_name()),
        "comparisons": list(comparisons()),
        "evaluations": list(evaluations()),
        "verbs": list(other_verbs()),
        "curves": list(curves()),
        "learners": list(learners()),
        "graded": list(graded_rows()),
        "sources": list(sources(folder)),
    }


def frozen(call: Callable[[], Any]) -> dict[str, Any]:
    """What users see of one case: its JSON and its words, or the sentence of its error."""
    import json

    try:
        result = call()
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        return {"error": f"{type(error).__name__}: {error}"}
    kept: dict[str, Any] = {"text": str(result)}
    if hasattr(result, "to_json"):
        kept["json"] = json.loads(result.to_json())
    return kept
