"""The gallery: every picture that the library draws, with the lines that make it; the pictures come from running them.

Which results have a picture is read off the library's own lists (`trueerror.plots._dispatch`, the kinds of curves);
tests/docs asks that each of them is shown here.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from making.markdown import page
from trueerror import plots

# What the examples begin with.
START = """\
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import trueerror as te
from trueerror import plots

# Predictions that come with the package.
p = te.read(te.data.path("breast_cancer"), positive="malignant")
digits = te.read(te.data.path("digits"))

# Rows and learners, for what trains again.
X, y = load_breast_cancer(return_X_y=True)
X, y = X[:300, :8], y[:300]
bayes, tree = GaussianNB(), DecisionTreeClassifier(max_depth=3, random_state=0)
known, fresh = slice(0, 150), slice(150, 300)
both = {"bayes": bayes.fit(X[known], y[known]), "tree": tree.fit(X[known], y[known])}
depths = {d: DecisionTreeClassifier(max_depth=d, random_state=0).fit(X[known], y[known]) for d in (1, 2, 3, 5, 8)}
ward = np.array(["north", "south", "west"])[np.arange(150) % 3]
options = {"progress": False, "rng": 0}

# Accuracies of four learners on 14 data sets.
scores = np.random.default_rng(1).normal([0.86, 0.85, 0.82, 0.8], 0.03, (14, 4))
results = {name: scores[:, i] for i, name in enumerate(("forest", "svm", "knn", "tree"))}
"""


@dataclass(frozen=True)
class Picture:
    """One picture: what it is called, lines whose last one gives what is drawn, and its options."""

    name: str
    title: str
    code: str

    @property
    def shown(self) -> str:
        """The lines as a reader would write them."""
        *before, last = self.code.split("\n")
        several = last.startswith(("[", "{")) or last.endswith(".pairs")
        line = f'plots.save({last}, "{self.name}.svg")' if several else f'{last}.save("{self.name}.svg")'
        return "\n".join([*before, line])


CHAPTERS: dict[str, tuple[Picture, ...]] = {
    "One model or several": (
        Picture("evaluation", "Metrics with their intervals", 'te.evaluate(p, metrics=["accuracy", "recall", "f1"])'),
        Picture("model", "One model", 'te.evaluate(p).model("logreg").only'),
        Picture("comparison", "Differences from the best model", "te.compare(digits)"),
        Picture(
            "intervals", "Any intervals", "{m: te.interval(81, 100, method=m) for m in ('wilson', 'wald', 'mid-p')}"
        ),
        Picture("contrasts", "Any differences", "te.compare(p, reference='logreg').pairs"),
        Picture(
            "posterior", "Better, alike or worse: a posterior", "te.compare(digits).bayes('svm', 'bayes', rope=0.01)"
        ),
        Picture("confusion", "Confusion matrix", 'te.evaluate(digits).model("bayes").confusion'),
        Picture("scores", "Scores of both classes", 'p.scores("bayes")'),
        Picture(
            "gate",
            "A gate's demands",
            "te.gate(p, model='logreg', metrics=['accuracy', 'recall'], at_least={'accuracy': 0.9, 'recall': 0.95})",
        ),
        Picture(
            "repeats",
            "Several answers to the same questions",
            "right = np.random.default_rng(3).random((40, 5)) < np.linspace(0.2, 1, 40)[:, None]\n"
            "te.repeats({'a': right, 'b': right[::-1] & right})",
        ),
        Picture("gaps", "Gaps between groups", "te.gaps(y[fresh], fitted=both, X=X[fresh], by=ward, metrics='recall')"),
        Picture(
            "gap",
            "One gap",
            "te.gaps(y[fresh], fitted=both, X=X[fresh], by=ward, metrics='recall')['recall', 'bayes']",
        ),
        Picture(
            "arena",
            "Strengths from pairwise preferences",
            "won = {('a', 'b'): 30, ('b', 'a'): 15, ('b', 'c'): 25, ('c', 'b'): 20}\n"
            "te.arena([(first, second, first) for (first, second), times in won.items() for _ in range(times)])",
        ),
        Picture("raters", "Agreement of raters", "te.agreement(y[fresh], both['bayes'].predict(X[fresh]))"),
        Picture(
            "training-gap",
            "Training rows against test rows",
            "test = te.predictions(y[fresh], fitted=both, X=X[fresh])\n"
            "te.training_gap(test, te.predictions(y[known], fitted=both, X=X[known]))",
        ),
    ),
    "Curves": (
        Picture("roc", "ROC curve", 'te.roc(p, model="bayes")'),
        Picture("roc-band", "ROC curve with a band", 'te.roc(p, model="bayes").band(kind="simultaneous", rng=0)'),
        Picture("hull", "ROC curves and their hull", "te.roc_hull(p)"),
        Picture("hull-choice", "Which classifier under these costs", "te.roc_hull(p).best(prior=0.1, cost_fn=10)"),
        Picture("hull-ranges", "The best classifier for each class mix", "te.roc_hull(p).ranges(cost_fn=10)"),
        Picture("iso-lines", "Iso-accuracy lines", "[te.roc(p, model='bayes').iso_accuracy(a) for a in (0.9, 0.94)]"),
        Picture("roc-difference", "Difference of two ROC curves", "te.roc_difference(p, 'logreg', 'bayes', rng=0)"),
        Picture(
            "average-roc",
            "ROC curves of folds, averaged",
            "run = te.experiment(bayes, X, y, plan=te.KFold(5), **options)\nrun.roc(how='vertical')",
        ),
        Picture("precision-recall", "Precision and recall", 'te.precision_recall(p, model="bayes")'),
        Picture(
            "precision-recall-band", "Precision and recall with a band", "te.precision_recall(p, model='bayes').band()"
        ),
        Picture(
            "average-precision-recall",
            "Precision and recall of folds, averaged",
            "folds = [\n"
            "    te.precision_recall(y[test], GaussianNB().fit(X[train], y[train]).predict_proba(X[test])[:, 1])\n"
            "    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y)\n"
            "]\n"
            "te.average_curves(folds)",
        ),
        Picture("precision-recall-gain", "Precision–recall–gain", 'te.precision_recall_gain(p, model="bayes")'),
        Picture("det", "DET curve: misses against false alarms", 'te.det(p, model="bayes")'),
        Picture("gains", "Gains", 'te.gains(p, model="bayes")'),
        Picture("lift", "Lift", 'te.lift(p, model="bayes")'),
        Picture("calibration", "Calibration (reliability diagram)", 'te.calibration(p, model="forest", bins=5)'),
        Picture("cost-curve", "Cost curve", 'te.cost_curve(p, model="bayes")'),
        Picture("brier-curve", "Brier curve", 'te.brier_curve(p, model="bayes")'),
        Picture("decision-curve", "Decision curve: net benefit", 'te.decision_curve(p, model="bayes")'),
        Picture("risk-coverage", "Accuracy on the most confident rows", 'te.risk_coverage(p, model="bayes")'),
        Picture(
            "measure-curve",
            "Any measure against the threshold",
            "te.measure_curve(p, model='bayes', x='threshold', y='f1')",
        ),
    ),
    "Learners": (
        Picture("ranking", "Critical difference diagram", "te.rank(results)"),
        Picture("bootstrap", "Bootstrap samples of a statistic", "te.bootstrap(X[:60, 0], 'median', rng=0)"),
        Picture("plan", "Which rows a plan trains on and tests on", "te.KFold(5)"),
        Picture(
            "fold-differences",
            "Differences over folds",
            "te.significance.fold_differences(scores[:10, 0], scores[:10, 1])",
        ),
        Picture("test", "A statistic and its tails", "te.significance.friedman(results)"),
        Picture("power", "Power over the number of rows", "te.power(n=500, first=0.90, second=0.87)"),
        Picture("mean-ranks", "Mean ranks by one test", "te.significance.nemenyi(results)"),
        Picture(
            "summary",
            "An experiment at a glance",
            "run = te.experiment({'bayes': bayes, 'tree': tree}, X, y, plan=5, **options)\nrun.summary()",
        ),
        Picture(
            "learning-curve",
            "Learning curve",
            "te.learning_curve({'bayes': bayes, 'tree': tree}, X, y, steps=5, repeats=2, **options)",
        ),
        Picture(
            "training-shares",
            "How much to train on, how much to test on",
            "te.training_shares(tree, X, y, repeats=8, **options)",
        ),
        Picture(
            "ablation",
            "Ablation (lesion) study",
            "te.ablation(bayes, X, y, parts={'size': [0, 2, 3], 'shape': [4, 5]}, plan=5, **options)",
        ),
        Picture(
            "overfitting",
            "Overfitting",
            "te.overfitting(tree, X, y, parameter='max_depth', values=[1, 2, 4, 8], plan=5, **options)",
        ),
        Picture(
            "training-history",
            "Where to stop training",
            "te.training_history(y[fresh], {d: m.predict(X[fresh]) for d, m in depths.items()}, parameter='depth')",
        ),
        Picture(
            "bias-variance",
            "Bias and variance",
            "te.bias_variance({'bayes': bayes, 'tree': tree}, X, y, rounds=20, **options)",
        ),
        Picture(
            "laboratory",
            "Estimates of the error, on data with a known one",
            "ways = ['training', 'k-fold', '.632+']\n"
            "te.estimator_laboratory(bayes, n=40, runs=10, estimators=ways, bootstraps=10, **options)",
        ),
    ),
}


def every_picture() -> Iterator[Picture]:
    """All pictures of the gallery."""
    for pictures in CHAPTERS.values():
        yield from pictures


def results() -> dict[str, Any]:
    """Name → what is drawn, by running the lines."""
    names: dict[str, Any] = {}
    made: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(START, "<gallery>", "exec"), names)
        for picture in every_picture():
            *before, last = picture.code.split("\n")
            exec(compile("\n".join(before), f"<{picture.name}>", "exec"), names)
            made[picture.name] = eval(compile(last, f"<{picture.name}>", "eval"), names)
    return made


def drawn() -> dict[str, bytes]:
    """File → picture."""
    return {f"gallery/{name}.svg": plots.figure(made).svg.encode() for name, made in results().items()}


def gallery_page() -> str:
    """Cards, a picture and its lines each."""
    parts = [
        "Every picture that the library draws, made by the lines below it. A result shows its picture in a notebook, "
        "`.plot()` gives the figure, `.save()` writes .svg, .png, .pdf or .html, `.draw(ax)` draws on matplotlib axes.",
        'Many of them on one page: <a href="sample-report.html">a sample report</a>, as `te.report` writes it.',
        f":::{{dropdown}} The lines before: data and learners\n```python\n{START}```\n:::",
    ]
    for chapter, pictures in CHAPTERS.items():
        cards = [_card(p) for p in pictures]
        parts += [
            f"## {chapter}",
            "\n".join(["::::{grid} 1 1 2 2", ":gutter: 3", ":class-container: gallery", "", *cards, "::::"]),
        ]
    words = "; ".join(["gallery", "plots", "pictures", "charts", "figures", "plot", "matplotlib", "visualisation"])
    return page("Gallery: every picture, with its code", *parts, keywords=[words])


def _card(p: Picture) -> str:
    shot = f"![{p.title}](gallery/{p.name}.svg)"
    return f":::{{grid-item-card}} {p.title}\n\n{shot}\n\n```python\n{p.shown}\n```\n:::\n"
