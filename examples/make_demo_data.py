"""Make the demonstration files: real learners on real data, each row predicted by a model that never saw it.

Both data sets come with scikit-learn: the Wisconsin diagnostic breast cancer data (Street, Wolberg and Mangasarian
1993) and the UCI handwritten digits (Alpaydin and Kaynak 1998). One stratified half trains, the other half is
predicted and written down. Run from the repository root:

    python examples/make_demo_data.py
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

SEED = 2024
FOLDER = Path(__file__).resolve().parent.parent / "src" / "trueerror" / "data"


def write(path: Path, header: list[str], rows: list[list[Any]]) -> None:
    """A CSV file with Unix line ends, so that it is the same on every platform."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
    print(f"{path.name}: {len(rows)} rows, {path.stat().st_size:,} bytes")


def breast_cancer(folder: Path) -> None:
    """Scores (probability of malignant) of four learners."""
    data = load_breast_cancer()
    names = np.array(data.target_names)[data.target]
    train, test = train_test_split(np.arange(len(names)), test_size=0.5, stratify=names, random_state=SEED)
    test = np.sort(test)
    learners = {
        "logreg": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "forest": RandomForestClassifier(n_estimators=200, random_state=SEED),
        "bayes": GaussianNB(),
        "knn": make_pipeline(StandardScaler(), KNeighborsClassifier(n_neighbors=7)),
    }
    columns = []
    for learner in learners.values():
        learner.fit(data.data[train], names[train])
        malignant = list(learner.classes_).index("malignant")
        columns.append(learner.predict_proba(data.data[test])[:, malignant])
    rows = [[int(i), str(names[i]), *(f"{p:.9g}" for p in scores)] for i, *scores in zip(test, *columns, strict=True)]
    write(folder / "breast_cancer.csv", ["id", "truth", *learners], rows)


def digits(folder: Path) -> None:
    """Labels of three learners."""
    data = load_digits()
    train, test = train_test_split(np.arange(len(data.target)), test_size=0.5, stratify=data.target, random_state=SEED)
    test = np.sort(test)
    learners = {
        "svm": SVC(gamma=0.001),
        "forest": RandomForestClassifier(n_estimators=200, random_state=SEED),
        "bayes": GaussianNB(),
    }
    columns = [model.fit(data.data[train], data.target[train]).predict(data.data[test]) for model in learners.values()]
    rows = [[int(i), int(data.target[i]), *map(int, labels)] for i, *labels in zip(test, *columns, strict=True)]
    write(folder / "digits.csv", ["id", "truth", *learners], rows)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    breast_cancer(target)
    digits(target)
