"""Reports of experiments and of studies beneath them."""

import re

import numpy as np
import pytest
from report_sources import experiment
from sklearn.naive_bayes import GaussianNB

import trueerror as te


@pytest.fixture(scope="module")
def run():
    return experiment(1)


def written(source, tmp_path, **options):
    made = te.report(source, tmp_path / "report.html", **options).read_text(encoding="utf-8")
    return made.replace("\u00a0", " ")


def test_an_experiment_on_one_data_set(run, tmp_path):
    text = written(run, tmp_path)
    assert run.compare().verdict.split(":")[0].replace('"', "&#34;") in text
    header = text[text.index("<header>") : text.index("</header>")]
    for words in ("2 learners × 1 data set by accuracy; 3 folds, 1 round: 6 fits", " rows, ", "Always answering"):
        assert words in header
    assert ">always " in text
    for words in ("2 learners × 1 data set", "Test folds", "ROC curves, averaged", "6 fits took", "KFold(k=3"):
        assert words in text
    assert 'id="explore"' in text
    assert "Dots: the test folds" in text


def test_an_experiment_on_several_data_sets_ranks(tmp_path):
    run = experiment(2)
    by_accuracy = written(run, tmp_path)
    assert by_accuracy.index('id="sets"') < by_accuracy.index('id="ranks"')
    assert "commonest class</th>" in by_accuracy
    assert 'title="always &#34;' in by_accuracy
    text = written(run, tmp_path, metric="auc", confidence=0.9)
    assert "commonest class</th>" not in text
    assert "set 0 and set 1: the corrected t on one round" in text
    for words in ("Ranks over the data sets", "One data set", "Test folds", "90 %"):
        assert words in text
    assert 'id="explore"' not in text


def test_one_learner_and_failures(tmp_path):
    class Broken(GaussianNB):
        def fit(self, X, y):
            raise ValueError("no <fit>")

    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    alone = te.experiment({"bayes": GaussianNB()}, (X, y), plan=te.KFold(3), progress=False, jobs=1)
    assert "bayes on data" in written(alone, tmp_path)
    both = te.experiment({"bayes": GaussianNB(), "broken": Broken()}, (X, y), plan=te.KFold(3), progress=False, jobs=1)
    text = written(both, tmp_path)
    assert "no &lt;fit&gt;" in text
    assert "3 failed" in text


def test_what_does_not_apply_is_refused(run, tmp_path):
    with pytest.raises(ValueError, match="cost_fn= cannot be used on an experiment"):
        te.report(run, tmp_path / "x.html", cost_fn=3)


def test_a_learning_curve_beneath(run, tmp_path):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    curve = te.learning_curve({"bayes": GaussianNB()}, X, y, rng=0)
    text = written(run, tmp_path, also={"How it learns": curve})
    assert ">How it learns<" in text
    assert "Learning curve of bayes" in text


def test_settings_are_reported_by_what_choosing_among_them_gives(tmp_path):
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(90, 3)), rng.integers(0, 2, 90)
    learners = {f"depth {k}": DecisionTreeClassifier(max_depth=k, random_state=k) for k in (1, 3)}
    run = te.experiment(learners, (X, y), plan=te.NestedCV(te.KFold(3), 3), progress=False)
    te.report(run, tmp_path / "nested.html")
    text = (tmp_path / "nested.html").read_text(encoding="utf-8")
    assert "Choosing inside the training rows gives" in text
    assert "the chosen one" in text
    assert "highest estimate" not in text


@pytest.mark.parametrize(
    ("metric", "title", "figure"), [("accuracy", "mean accuracy, %", r"\d\d\.\d"), ("auc", "mean AUC", r"0\.\d{3}")]
)
def test_mean_scores_are_in_the_unit_of_the_page(tmp_path, metric, title, figure):
    text = written(experiment(2), tmp_path, metric=metric)
    assert f">{title}</th>" in text
    assert len(re.findall(rf'data-label="mean">{figure}</td>', text)) == 2
