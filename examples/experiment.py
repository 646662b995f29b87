"""Five learners on three real data sets: how good is each, which is best on each data set, and over all of them?

    python examples/experiment.py

Run it again after stopping it: it goes on where it was, since its results are kept in a folder.
"""

import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import trueerror as te

learners = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
    "forest": RandomForestClassifier(n_estimators=30),
    "tree": DecisionTreeClassifier(min_samples_leaf=5),
    "bayes": GaussianNB(),
}


def named(bunch, positive=None):
    return te.Dataset(bunch.data, bunch.target_names[bunch.target], positive=positive)


data = {
    "iris": named(load_iris()),
    "wine": named(load_wine()),
    "cancer": named(load_breast_cancer(), positive="malignant"),
}

if __name__ == "__main__":
    folder = Path(tempfile.gettempdir()) / "trueerror-example"
    run = te.experiment(learners, data, plan=te.KFold(10, repeats=2), store=folder / "run", jobs=2, rng=1)
    print(run.summary(["accuracy", "brier"]))

    print("\nHow well does the forest rank tumours, as a learner, and as the models of one round?")
    print(run.estimate("forest", "cancer", "auc"))
    print(run.roc("forest", "cancer").auc())

    print("\nIs it better than the others there?")
    print(run.compare("accuracy", "cancer"))

    print("\nAnd over all data sets?")
    print(run.rank("accuracy"))

    print("\nHow good is the best number of neighbours, when choosing it takes no test row?")
    settings = {f"{k} neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(k)) for k in (1, 5, 15)}
    nested = te.experiment(settings, data["cancer"], plan=te.NestedCV(5, 5), store=folder / "nested", jobs=2, rng=1)
    print(nested.summary().verdicts["data"])

    run.save(folder / "learners.png")
    run.compare("accuracy", "cancer").save(folder / "differences.png")
    run.roc("forest", "cancer", how="vertical").save(folder / "roc.png")
    run.rank("accuracy", method="nemenyi").save(folder / "ranks.png")
    te.report(run, folder / "report.html")
    print(f"\nPictures and a report: {folder}")
