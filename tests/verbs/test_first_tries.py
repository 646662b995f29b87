"""What people type first, with the habits of other libraries, and what is answered.

A number is that of scikit-learn, SciPy or statsmodels (its value beside the call); a result is known by its kind and
a phrase of its text; what cannot be answered ends in one sentence that names the call that works.
"""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import binomtest
from sklearn import metrics as sk
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import trueerror as te
from trueerror.cli import main
from trueerror.inputs._options import InputError

X, y = make_classification(300, 6, n_informative=3, flip_y=0.15, random_state=0)
X, X_test, y, y_test = X[:150], X[150:], y[:150], y[150:]
a, b = LogisticRegression().fit(X, y), GaussianNB().fit(X, y)
pa, pb = a.predict(X_test), b.predict(X_test)
pc = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y).predict(X_test)
proba = a.predict_proba(X_test)
sa, sb = proba[:, 1], b.predict_proba(X_test)[:, 1]
n = len(y_test)
right = int((pa == y_test).sum())
group, cluster = np.array(["f", "m"])[np.arange(n) % 2], np.arange(n) // 3
weights = np.arange(n) % 3 + 1
frame = pd.DataFrame({"y": y_test, "pred_a": pa, "pred_b": pb})
lazy = pl.DataFrame({"y": y_test, "pred_a": pa, "s": sa})

iris = load_iris()
order = np.random.default_rng(0).permutation(150)
Xi, yi = iris.data[order][:, :2], iris.target[order]
y3, many = yi[90:], LogisticRegression().fit(Xi[:90], yi[:90])
p3, q3 = many.predict(Xi[90:]), GaussianNB().fit(Xi[:90], yi[:90]).predict(Xi[90:])
proba3 = many.predict_proba(Xi[90:])
by_hand = np.random.default_rng(1).integers(0, 3, (60, 3)).astype(float)  # ties

grid = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, cv=3).fit(X, y)
folds_a, folds_b = (cross_val_score(m, X, y, cv=4) for m in (a, b))
full_a, full_b = (cross_validate(m, X, y, cv=4) for m in (a, b))
indexed = [cross_validate(m, X, y, cv=KFold(4), return_indices=True) for m in (a, b)]


def hits(truth, predicted):
    return float(np.mean(truth == predicted))


Evaluation, Comparison, Gate, Test = te.Evaluation, te.Comparison, te.Gate, te.Test
accuracy, area = sk.accuracy_score(y_test, pa), sk.roc_auc_score(y_test, sa)

# A number that another library gives as well.
NUMBERS = {
    "evaluate(clf, X, y)": (lambda: te.evaluate(a, X_test, y_test)["accuracy"], accuracy),
    "evaluate(y, pred)": (lambda: te.evaluate(y_test, pa)["accuracy"], accuracy),
    "evaluate(y, proba)": (lambda: te.evaluate(y_test, proba)["auc"], area),
    "evaluate(y, pred, proba)": (lambda: te.evaluate(y_test, pa, proba)["auc"], area),
    "evaluate(y_true=, y_pred=)": (lambda: te.evaluate(y_true=y_test, y_pred=pa)["accuracy"], accuracy),
    "evaluate(y, y_score=, pos_label=)": (lambda: te.evaluate(y_test, y_score=sa, pos_label=1)["auc"], area),
    "evaluate(y, y_proba=)": (lambda: te.evaluate(y_test, y_proba=proba)["log_loss"], sk.log_loss(y_test, proba)),
    "pos_label=": (lambda: te.evaluate(y_test, pa, pos_label=0)["recall"], sk.recall_score(y_test, pa, pos_label=0)),
    "sample_weight=": (
        lambda: te.evaluate(y_test, pa, sample_weight=weights, weights_kind="sampling")["accuracy"],
        sk.accuracy_score(y_test, pa, sample_weight=weights),
    ),
    "groups=": (lambda: te.evaluate(y_test, pa, groups=cluster)["accuracy"], accuracy),
    "random_state=": (lambda: te.evaluate(y_test, pa, random_state=0)["accuracy"], accuracy),
    "metric='f1', average='macro'": (
        lambda: te.evaluate(y3, p3, metric="f1", average="macro")["macro_f1"],
        sk.f1_score(y3, p3, average="macro"),
    ),
    "metric='f1_macro'": (
        lambda: te.evaluate(y3, p3, metric="f1_macro")["macro_f1"],
        sk.f1_score(y3, p3, average="macro"),
    ),
    "metric='precision_weighted'": (
        lambda: te.evaluate(y3, p3, metric="precision_weighted")["weighted_precision"],
        sk.precision_score(y3, p3, average="weighted", zero_division=np.nan),
    ),
    "metric='roc_auc_ovr'": (
        lambda: te.evaluate(y3, proba3, metric="roc_auc_ovr")["ovr_auc"],
        sk.roc_auc_score(y3, proba3, multi_class="ovr"),
    ),
    "metric='neg_log_loss'": (
        lambda: te.evaluate(y3, proba3, metric="neg_log_loss")["log_loss"],
        sk.log_loss(y3, proba3),
    ),
    "metric='matthews_corrcoef'": (
        lambda: te.evaluate(y_test, pa, metric="matthews_corrcoef")["mcc"],
        sk.matthews_corrcoef(y_test, pa),
    ),
    "metric=cohen_kappa_score": (
        lambda: te.evaluate(y_test, pa, metric=sk.cohen_kappa_score)["kappa"],
        sk.cohen_kappa_score(y_test, pa),
    ),
    "metric=f(truth, predicted)": (lambda: te.evaluate(y_test, pa, metric=hits)["hits"], accuracy),
    "metric=make_scorer(fbeta_score, beta=2)": (
        lambda: (
            te.evaluate(y_test, pa, metric=sk.make_scorer(sk.fbeta_score, beta=2), n_bootstrap=100)
            .parts[0]
            .overall.popitem()[1]
        ),
        sk.fbeta_score(y_test, pa, beta=2),
    ),
    "metric='top_k_accuracy'": (
        lambda: te.evaluate(y3, proba3, metric="top_k_accuracy")["top_k_accuracy"],
        sk.top_k_accuracy_score(y3, proba3, k=2),
    ),
    "metric('top_k_accuracy', k=1)": (
        lambda: te.metric("top_k_accuracy", y3, scores=by_hand, k=1),
        sk.top_k_accuracy_score(y3, by_hand, k=1),
    ),
    "metric(f1_score)": (lambda: te.metric("f1_score", y_test, pa), sk.f1_score(y_test, pa)),
    "roc(clf, X, y)": (lambda: te.roc(a, X_test, y_test).auc(), area),
    "roc(y, proba)": (lambda: te.roc(y_test, proba).auc(), area),
    "precision_recall(y, scores)": (
        lambda: te.evaluate(y_test, sa, metric="average_precision")["average_precision"],
        sk.average_precision_score(y_test, sa),
    ),
    "pandas columns": (lambda: te.evaluate(frame["y"], frame["pred_a"])["accuracy"], accuracy),
    "polars columns": (lambda: te.evaluate(lazy["y"], lazy["pred_a"])["accuracy"], accuracy),
    "evaluate(frame, 'y', 'pred')": (lambda: te.evaluate(frame, "y", "pred_a")["accuracy"], accuracy),
    "evaluate(frame, truth=, predicted=)": (
        lambda: te.evaluate(frame, truth="y", predicted="pred_a")["accuracy"],
        accuracy,
    ),
    "Confusion(crosstab)": (lambda: te.evaluate(te.Confusion(pd.crosstab(y_test, pa)))["accuracy"], accuracy),
    "Confusion(confusion_matrix)": (
        lambda: te.evaluate(te.Confusion(sk.confusion_matrix(y_test, pa)))["recall"],
        sk.recall_score(y_test, pa),
    ),
    "evaluate(search, X, y)": (lambda: te.evaluate(grid, X_test, y_test)["accuracy"], grid.score(X_test, y_test)),
    "evaluate(cross_validate)": (
        lambda: te.evaluate(full_a, cv=4).parts[0].overall.popitem()[1],
        full_a["test_score"].mean(),
    ),
    "evaluate(cross_val_score)": (lambda: te.evaluate(folds_a, cv=4).parts[0].overall.popitem()[1], folds_a.mean()),
    "compare(cross_val_score, cross_val_score)": (
        lambda: te.compare(folds_a, folds_b, cv=4)["first", "second"],
        (folds_a - folds_b).mean(),
    ),
    "compare(y, a, b, metric=make_scorer(f1_score))": (
        lambda: te.compare(y_test, pa, pb, metric=sk.make_scorer(sk.f1_score))["first", "second"],
        sk.f1_score(y_test, pa) - sk.f1_score(y_test, pb),
    ),
    "interval(truth == predicted)": (lambda: te.interval(pa == y_test), accuracy),
    "binomtest(456, 500).proportion_ci": (
        lambda: te.interval(456, 500).low,
        binomtest(456, 500).proportion_ci(method="wilson").low,
    ),
    "alpha=": (lambda: te.interval(456, 500, alpha=0.1).confidence, 0.9),
    # statsmodels.stats.contingency_tables.mcnemar([[101, 121], [59, 33]], exact=True)
    "mcnemar(table), exact": (
        lambda: te.significance.mcnemar([[101, 121], [59, 33]], method="exact").p_value,
        4.434444049376e-06,
    ),
    "bootstrap((truth, predicted), f)": (lambda: te.bootstrap((y_test, pa), hits, replicates=100), accuracy),
    "bootstrap((truth, scores), roc_auc_score)": (
        lambda: te.bootstrap((y_test, sa), sk.roc_auc_score, replicates=100, random_state=0),
        area,
    ),
    "permutation(y, a, b, metric=f)": (
        lambda: te.significance.permutation(y_test, pa, pb, metric=hits, n_permutations=999),
        accuracy - sk.accuracy_score(y_test, pb),
    ),
    "paired_bootstrap(y, a, b, metric=f)": (
        lambda: te.significance.paired_bootstrap(y_test, pa, pb, metric=hits, n_bootstrap=200),
        accuracy - sk.accuracy_score(y_test, pb),
    ),
}

# A result of this kind, with these words.
ANSWERS = {
    "compare({a, b}, X, y)": (lambda: te.compare({"a": a, "b": b}, X_test, y_test), Comparison, "accuracy"),
    "compare(a, b, X, y)": (lambda: te.compare(a, b, X_test, y_test), Comparison, "GaussianNB"),
    "compare(y, a, b)": (lambda: te.compare(y_test, pa, pb), Comparison, "first, second"),
    "compare(y, {a, b}, groups=)": (
        lambda: te.compare(y_test, {"a": pa, "b": pb}, groups=cluster),
        Comparison,
        "With 50 clusters",
    ),
    "compare(y, {a, b}, metric='roc_auc')": (
        lambda: te.compare(y_test, {"a": sa, "b": sb}, metric="roc_auc", pos_label=1),
        Comparison,
        "AUC",
    ),
    "compare(metric=f)": (
        lambda: te.compare(y_test, pa, pb, metric=hits, n_bootstrap=200, random_state=0),
        Comparison,
        "hits",
    ),
    "compare(frame)": (lambda: te.compare(frame), Comparison, "2 models with labels: a, b"),
    "compare(cross_validate, cross_validate)": (lambda: te.compare(*indexed), Comparison, "Scores of 2 learners"),
    "compare({a: cross_val_score}, cv=)": (
        lambda: te.compare({"a": folds_a, "b": folds_b}, cv=4),
        Comparison,
        "the same test folds",
    ),
    "compare(Confusion, Confusion)": (
        lambda: te.compare(te.Confusion([[90, 10], [20, 80]]), te.Confusion([[85, 15], [30, 70]])),
        Comparison,
        "not paired",
    ),
    "compare(metric='top_k_accuracy')": (
        lambda: te.compare(y3, {"a": proba3, "b": by_hand / 3}, metric="top_k_accuracy"),
        Comparison,
        "top-k accuracy",
    ),
    "compare().classes()": (lambda: te.compare(y3, p3, q3).classes(), object, "Recall of each class"),
    "compare().cells()": (lambda: te.compare(y3, p3, q3).cells(), object, "taken for another"),
    "evaluate(search)": (lambda: te.evaluate(grid), Evaluation, "A search over 2 settings"),
    "evaluate(frame)": (lambda: te.evaluate(frame), Evaluation, "2 models"),
    "evaluate(y, {a, b})": (lambda: te.evaluate(y_test, {"a": pa, "b": pb}), Evaluation, "Highest accuracy"),
    "evaluate().gaps('recall')": (lambda: te.evaluate(y_test, pa, by=group).gaps("recall"), object, "2 groups"),
    "gaps(sensitive_features=)": (lambda: te.gaps(y_test, pa, sensitive_features=group), te.Gaps, "2 groups"),
    "rank(cross_val_score, cv=)": (lambda: te.rank({"a": folds_a, "b": folds_b}, cv=4), object, "4 folds"),
    "rank(frame of folds, cv=)": (
        lambda: te.rank(pd.DataFrame({"a": folds_a, "b": folds_b}), cv=KFold(4)),
        object,
        "1 data set",
    ),
    "roc(y, {a, b})": (lambda: te.roc(y_test, {"a": sa, "b": sb}), object, "ROC curve of b"),
    "calibration(n_bins=)": (lambda: te.calibration(y_test, sa, n_bins=5), object, "Calibration"),
    "difference(Interval, Interval)": (
        lambda: te.difference(te.interval(456, 500), te.interval(445, 500)),
        te.Contrast,
        "p = .244",
    ),
    "gate(y, new, old)": (lambda: te.gate(y_test, pa, pb), Gate, "candidate"),
    "gate(y, {new, old})": (lambda: te.gate(y_test, {"new": pa, "old": pb}), Gate, "new"),
    "gate(y, {a, b}, candidate=, baseline=)": (
        lambda: te.gate(y_test, {"a": pa, "b": pb}, candidate="b", baseline="a"),
        Gate,
        "candidate",
    ),
    "gate(predictions, candidate=, baseline=)": (
        lambda: te.gate(te.predictions(y_test, {"a": pa, "b": pb}), candidate="b", baseline="a"),
        Gate,
        "candidate",
    ),
    "gate(y, new, baseline=old)": (lambda: te.gate(y_test, pa, baseline=pb), Gate, "baseline"),
    "read(score={model: column})": (
        lambda: te.compare(
            pd.DataFrame({"y": y_test, "p": sa, "q": sb}), score={"svm": "p", "tree": "q"}, metric="auc"
        ),
        Comparison,
        "2 models with scores: svm, tree",
    ),
    "evaluate(frame, score=)": (
        lambda: te.evaluate(pd.DataFrame({"y": y_test, "p": sa}), score="p"),
        Evaluation,
        "1 model with scores",
    ),
    "read(label={model: column})": (
        lambda: te.evaluate(frame, truth="y", label={"one": "pred_a", "two": "pred_b"}),
        Evaluation,
        "2 models with labels: one, two",
    ),
    "cost_curve({name: (fpr, tpr)})": (
        lambda: te.cost_curve({"C4.5": (0.2, 0.84), "SVM": (0.604, 0.951)}),
        object,
        "Cost curve of SVM: one point, given by its rates",
    ),
    "roc({name: Confusion})": (
        lambda: te.roc({"a": te.Confusion(tp=80, fp=5, fn=20, tn=95), "b": te.Confusion(tp=85, fp=15, fn=15, tn=85)}),
        object,
        "ROC curve of b: 100 positives",
    ),
    "print(experiment)": (
        lambda: te.experiment({"nb": GaussianNB(), "lr": LogisticRegression()}, X, y, cv=4),
        te.Experiment,
        "95 % CI",
    ),
    "assert_at_least(y, pred, .5)": (lambda: te.testing.assert_at_least(y_test, pa, 0.3), Gate, "Pass"),
    "assert_not_worse(y, new, old)": (
        lambda: te.testing.assert_not_worse(y_test, pa, pb, margin=0.5),
        Gate,
        "not worse",
    ),
    "experiment(cv=, n_jobs=, random_state=)": (
        lambda: te.experiment([GaussianNB(), LogisticRegression()], X, y, cv=2, n_jobs=1, random_state=0),
        te.Experiment,
        "2 learners",
    ),
    "compare of three: omnibus": (
        lambda: te.compare(y_test, {"a": pa, "b": pb, "c": pc}).omnibus,
        Test,
        "Cochran's Q",
    ),
    "check(clf, X, y)": (lambda: te.check(a, X_test, y_test), object, ""),
}

# One sentence, with the call that works.
SENTENCES = {
    "compare(59, 6, 16, 80)": (lambda: te.compare(59, 6, 16, 80), 'counts={"both": 59'),
    "compare(.912, .89, n=500)": (lambda: te.compare(0.912, 0.89, n=500), 'marginals={"a": (456, 500)'),
    "evaluate(45, 50)": (lambda: te.evaluate(45, 50), "te.interval(45, 50)"),
    "weights without their kind": (lambda: te.evaluate(y_test, pa, sample_weight=weights), 'weights_kind="frequency"'),
    "evaluate(n_jobs=)": (lambda: te.evaluate(y_test, pa, n_jobs=2), "te.experiment and te.learning_curve have jobs="),
    "evaluate(k=)": (lambda: te.evaluate(y3, proba3, metric="top_k_accuracy", k=2), '{"top_k_accuracy": {"k": 5}}'),
    "metric='top_5_accuracy'": (lambda: te.metric("top_5_accuracy", y3, scores=proba3), '{"top_k_accuracy": {"k": 5}}'),
    "target_names=": (lambda: te.evaluate(y_test, pa, target_names=["n", "p"]), "labels= orders them"),
    "evaluate(cross_val_score)": (lambda: te.evaluate(folds_a), "cv=10 for ten folds"),
    "compare(cross_val_score)": (lambda: te.compare(folds_a, folds_b), "pass the splitter as cv="),
    "compare(cross_validate)": (lambda: te.compare(full_a, full_b), "return_indices=True"),
    "rank(frame of folds)": (lambda: te.rank(pd.DataFrame({"a": folds_a, "b": folds_b})), "for folds pass cv="),
    "evaluate(confusion_matrix)": (lambda: te.evaluate(sk.confusion_matrix(y_test, pa)), "te.evaluate(te.Confusion("),
    "evaluate(crosstab)": (lambda: te.evaluate(pd.crosstab(y_test, pa)), "te.evaluate(te.Confusion("),
    "Confusion(y, pred)": (lambda: te.Confusion(y_test, pa), "te.Confusion.count(truth, predicted)"),
    "metric(y, pred, name)": (lambda: te.metric(y_test, pa, "accuracy"), "te.metric('accuracy', truth, labels)"),
    "compare(Interval, Interval)": (
        lambda: te.compare(te.interval(456, 500), te.interval(445, 500)),
        "te.difference(first, second)",
    ),
    "mcnemar(exact=)": (lambda: te.significance.mcnemar([[5, 3], [2, 1]], exact=True), 'method=: "exact"'),
    "mcnemar(correction=)": (lambda: te.significance.mcnemar([[5, 3], [2, 1]], correction=True), 'method="chi2-cc"'),
    "mcnemar(y, a, b)": (lambda: te.significance.mcnemar(y_test, pa, pb), "te.compare(truth, first, second)"),
    "cochran_q(y, a, b, c)": (lambda: te.significance.cochran_q(y_test, pa, pb, pc), ".omnibus"),
    "corrected_t(a, b)": (lambda: te.significance.corrected_t(folds_a, folds_b), "te.compare(first, second, cv=5)"),
    "permutation(a, b, metric=)": (lambda: te.significance.permutation(pa, pb, metric=hits), "(truth, first, second"),
    "bootstrap(y, pred, f)": (lambda: te.bootstrap(y_test, pa, hits), "te.bootstrap((truth, predicted), f)"),
    "bootstrap(pair, name)": (lambda: te.bootstrap((y_test, pa), "f1"), "te.evaluate(truth, predicted, metric='f1')"),
    "difference([x1, x2], [n1, n2])": (lambda: te.difference([456, 445], [500, 500]), "te.difference((x1, n1)"),
    "interval(share, n=)": (lambda: te.interval(0.912, n=500), "rate=0.912, trials=500"),
    "interval(method='beta')": (lambda: te.interval(456, 500, method="beta"), "'clopper-pearson'"),
    "gate(y, pred, number)": (lambda: te.gate(y_test, pa, 0.7), "at_least=0.7"),
    "experiment(scoring=)": (lambda: te.experiment([GaussianNB()], X, y, scoring="f1"), 'run.compare("f1")'),
    "sample_size(p1, p2)": (lambda: te.sample_size(0.9, 0.92), "te.sample_size(first=0.90, second=0.92)"),
    "power(p1, p2)": (lambda: te.power(0.9, 0.92), "te.power(n=500, first=0.90, second=0.92)"),
    "ev.accuracy": (lambda: te.evaluate(y_test, pa).accuracy, 'ev["accuracy"]'),
    "ev.to_frame()": (lambda: te.evaluate(y_test, pa).to_frame(), ".frame() is the table"),
    "contrast.pvalue": (lambda: te.difference((4, 9), (3, 9)).pvalue, ".p_value"),
}

SHELL = {
    "interval 456 500": "456 of 500 is 0.912",
    "interval 0.912 --n 500": "0.884 to 0.934",
    "gate a.csv b.csv": "candidate",
    "compare a.csv b.csv": "2 models with labels: a, b",
    "evaluate a.csv --pos-label 1": "--positive",
    "evaluate a.csv --metric f1_macro": "macro F1",
}


@pytest.mark.parametrize("typed", NUMBERS)
def test_first_try_gives_the_number_of_the_peer(typed):
    call, expected = NUMBERS[typed]
    answer = call()
    assert getattr(answer, "estimate", answer) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("typed", ANSWERS)
def test_first_try_is_answered(typed):
    call, kind, phrase = ANSWERS[typed]
    answer = call()
    assert isinstance(answer, kind)
    assert phrase in " ".join(str(answer).split())


@pytest.mark.parametrize("typed", SENTENCES)
def test_first_try_ends_in_one_sentence_with_the_call_that_works(typed):
    call, phrase = SENTENCES[typed]
    with pytest.raises((InputError, AttributeError)) as raised:
        call()
    assert phrase in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("typed", SHELL)
def test_first_try_in_the_shell(typed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["trueerror", *typed.split()])
    for name, labels in (("a", pa), ("b", pb)):
        pd.DataFrame({"id": range(n), "truth": y_test, "predicted": labels}).to_csv(f"{name}.csv", index=False)
    with pytest.raises(SystemExit):
        main()
    said = capsys.readouterr()
    assert SHELL[typed] in " ".join((said.out + said.err).split())


def test_there_are_many_first_tries():
    assert len(NUMBERS) + len(ANSWERS) + len(SENTENCES) + len(SHELL) >= 100


def test_a_name_in_another_room_is_shown_the_way():
    with pytest.raises(AttributeError, match=r"it is te\.significance\.mcnemar"):
        te.mcnemar
    with pytest.raises(AttributeError, match=r"did you mean te\.evaluate\?"):
        te.evalute
    with pytest.raises(AttributeError, match=r"te\.roc_hull\(truth, scores\)\.best"):
        te.roc(y_test, sa).best


def test_errors_of_input_can_be_caught_by_their_public_name():
    with pytest.raises(te.InputError):
        te.interval(5, 3)
    assert te.InputError is InputError


def test_one_data_set_is_judged_by_its_folds():
    """The p-value beside learners on one data set is that of its folds, not of a rank test of one data set."""
    made = te.rank({"a": folds_a, "b": folds_b}, cv=4)
    told = str(made).splitlines()
    row = next(line for line in told if line.startswith(made.order[1]))
    pair = made.on(made.data_sets[0], *made.order[:2])
    assert row.endswith(f"{pair.p_value:.3f}"[1:])
