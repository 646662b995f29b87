"""Twelve jobs, typed once for trueerror and once for the peer that is nearest: lines, and whether uncertainty is given.

    python -m benchmarks.jobs [--write]      half a minute; --write puts the table into benchmarks/JOBS.md

Both sides are run on the same rows. What is set up before (data, splits, fitted models) is shared and not counted;
imports of the peer are. A package that is not installed is named as absent.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

RESULTS = Path(__file__).with_name("JOBS.md")
SHARED = """
import numpy as np
import pandas as pd
import trueerror as te
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
tree, bayes = DecisionTreeClassifier(max_depth=3, random_state=0), GaussianNB()
a, b = tree.fit(X_train, y_train), bayes.fit(X_train, y_train)
p, q = a.predict(X_test), b.predict(X_test)
s, t = a.predict_proba(X_test)[:, 1], b.predict_proba(X_test)[:, 1]
group = np.where(X_test[:, 0] > np.median(X_test[:, 0]), "large", "small")
patient = np.arange(len(y_test)) // 3
D, k = load_digits(return_X_y=True)
d = GaussianNB().fit(D[::2], k[::2]).predict(D[1::2])
search = GridSearchCV(tree, {"max_depth": [1, 2, 3, 4, 6]}, cv=5).fit(X_train, y_train)
svm, forest = [.91, .83, .77, .95, .88, .69], [.90, .80, .78, .91, .84, .66]
table = pd.DataFrame({"svm": svm, "forest": forest}, index=list("abcdef"))
"""


class Job(NamedTuple):
    """A question, the nearest peer with what is typed there and what it gives of uncertainty; what is typed here."""

    question: str
    peer: str
    theirs: str
    gives: str
    ours: str


JOBS = (
    Job("How good is it?", "scikit-learn", """
from sklearn.metrics import classification_report, roc_auc_score
print(classification_report(y_test, p))
print(roc_auc_score(y_test, s))""", "no", "print(te.evaluate(y_test, p, s))"),
    Job("Which of two learners, by cross-validation?", "mlxtend", """
from mlxtend.evaluate import paired_ttest_kfold_cv
print(paired_ttest_kfold_cv(tree, bayes, X, y))""", "a test that takes folds as independent",
        "print(te.experiment({'tree': tree, 'bayes': bayes}, X, y, cv=10))"),
    Job("At which threshold, where a miss costs ten times a false alarm?", "scikit-learn", """
from sklearn.metrics import confusion_matrix, make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV
def gain(truth, said):
    (tn, fp), (fn, tp) = confusion_matrix(truth, said)
    return -(fp + 10 * fn)
tuned = TunedThresholdClassifierCV(tree, scoring=make_scorer(gain)).fit(X_train, y_train)
print(tuned.best_threshold_, gain(y_test, tuned.predict(X_test)))""", "no",
        "print(te.compare(y_test, scores={'tree': s, 'bayes': t}, cost_fn=10))"),
    Job("Macro-F1 of ten classes", "confidenceinterval", """
from confidenceinterval import f1_score
print(f1_score(k[1::2], d, average='macro'))""", "an interval",
        "print(te.evaluate(k[1::2], d, metrics='macro_f1'))"),
    Job("Does recall differ between groups?", "fairlearn", """
from fairlearn.metrics import MetricFrame
from sklearn.metrics import recall_score
frame = MetricFrame(metrics=recall_score, y_true=y_test, y_pred=p, sensitive_features=group)
print(frame.by_group, frame.difference())""", "no", "print(te.gaps(y_test, p, by=group, metric='recall'))"),
    Job("Accuracy where rows come from patients", "statsmodels", """
import statsmodels.api as sm
right = (p == y_test).astype(float)
fit = sm.OLS(right, np.ones_like(right)).fit(cov_type='cluster', cov_kwds={'groups': patient})
print(fit.conf_int())""", "a normal interval", "print(te.evaluate(y_test, p, clusters=patient))"),
    Job("How good is the winner of a search?", "scikit-learn", """
from sklearn.model_selection import cross_val_score
print(cross_val_score(search, X, y, cv=5).mean())""", "no", "print(te.evaluate(search))"),
    Job("May the new one replace the old one?", "none", "", "", "print(te.gate(y_test, p, q, margin=0.02))"),
    Job("A table for a paper", "scikit-learn, pandas", """
from sklearn.metrics import classification_report
print(pd.DataFrame(classification_report(y_test, p, output_dict=True)).T.to_latex())""", "no",
        "print(te.evaluate(y_test, {'tree': p, 'bayes': q}).to_latex())"),
    Job("456 and 445 of 500 right, two papers, different rows", "statsmodels", """
from statsmodels.stats.proportion import confint_proportions_2indep
print(confint_proportions_2indep(456, 500, 445, 500, method='score'))""", "an interval",
        "print(te.difference((456, 500), (445, 500)))"),
    Job("Which learner over several data sets?", "autorank", """
from autorank import autorank, create_report
create_report(autorank(table))""", "a test; an interval of each mean", "print(te.rank(table))"),
    Job("Would more rows help?", "scikit-learn", """
from sklearn.model_selection import learning_curve
sizes, train, test = learning_curve(tree, X, y, cv=5)
print(sizes, test.mean(axis=1), test.std(axis=1))""", "the spread of folds",
        "print(te.learning_curve(tree, X, y, cv=5))"),
)  # fmt: skip


def typed(code: str) -> int:
    """Lines of code."""
    return sum(bool(line.strip()) for line in code.splitlines())


def ran(code: str, names: dict[str, Any]) -> str:
    """What the code prints; the name of a package that is not there."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(code, "job", "exec"), dict(names))  # our own lines, from above
        except ImportError as error:
            return f"absent: {error.name}"
    assert out.getvalue().strip(), f"nothing was said: {code}"
    return out.getvalue()


def table(jobs: tuple[Job, ...] = JOBS) -> str:
    """The table, after every line in it was run."""
    names: dict[str, Any] = {}
    exec(compile(SHARED, "shared", "exec"), names)
    lines = [
        "| job | peer | lines there | uncertainty there | lines here | here |",
        "|---|---|---:|---|---:|---|",
    ]
    for job in jobs:
        said = ran(job.theirs, names) if job.theirs else "–"
        gives = said if said.startswith("absent") else job.gives
        ran(job.ours, names)
        there = typed(job.theirs) if job.theirs else "–"
        lines.append(f"| {job.question} | {job.peer} | {there} | {gives} | {typed(job.ours)} | `{job.ours}` |")
    return "\n".join(lines)


def main() -> None:
    """Run the jobs, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    packages = ("trueerror", "scikit-learn", "statsmodels", "mlxtend", "autorank", "fairlearn", "confidenceinterval")
    known = []
    for package in packages:
        with contextlib.suppress(PackageNotFoundError):
            known.append(f"{package} {version(package)}")
    page = (
        "# Twelve jobs, side by side\n\nGenerated by `python -m benchmarks.jobs --write`; do not edit. Both sides ran "
        "on the same rows; every answer here has an interval or a test.\n\n"
        f"- Versions: {', '.join(known)}\n\n{table()}\n"
    )
    if write:
        RESULTS.write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
