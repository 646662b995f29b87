"""The page "Which test do I need?": questions that lead to a call, its method and why.

The questions are written here, with the method that each call takes; why it does is read off the code's own table of
decisions (`trueerror.methods.decisions`). Every default of that table is a leaf's; tests/docs runs each call and looks
whether the method is the one that the leaf names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from making.markdown import cell, page
from trueerror.methods import decisions, every_method

# What stands for the reader's own data in the calls; tests run them after this.
DATA = """\
import numpy as np
import trueerror as te
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

random = np.random.default_rng(7)
y = (np.arange(240) % 3 == 0).astype(int)
a_scores = np.clip(0.3 + 0.25 * y + random.normal(0, 0.2, 240), 0.01, 0.99)
b_scores = np.clip(0.3 + 0.2 * y + random.normal(0, 0.2, 240), 0.01, 0.99)
a, b = (a_scores > 0.45).astype(int), (b_scores > 0.45).astype(int)
y3 = np.array(["cat", "cow", "dog"])[np.arange(240) % 3]
a3, b3 = (np.where(random.random(240) < p, y3, random.permutation(y3)) for p in (0.7, 0.6))
a3_scores, b3_scores = (random.dirichlet((1, 1, 1), 240) * 0.5 + 0.5 * (y3[:, None] == np.unique(y3)) for _ in "ab")
patient, weights = np.arange(240) // 3, random.lognormal(0, 0.5, 240)
fold, repeat = np.arange(240) % 5, np.zeros(240, int)
seconds = random.lognormal(0, 0.3, 40)
grades, other_grades = random.integers(2, 6, 60), random.integers(1, 6, 60)
X = np.column_stack([random.normal(size=(240, 2)) + y[:, None], random.normal(size=240)])
bayes, tree = GaussianNB(), DecisionTreeClassifier(max_depth=2)
two_data_sets_wide = {"bayes": random.normal(0.8, 0.03, 20), "tree": random.normal(0.78, 0.03, 20)}
many_data_sets_wide = {**two_data_sets_wide, "knn": random.normal(0.77, 0.03, 20)}
"""
COLUMNS = "y: true labels; a, b: predicted labels; a_scores, b_scores: scores; patient, weights, fold: one value a row"


# An address may name a box: which-test.html#paired-auc. The boxes themselves need no script.
OPEN = (
    "(() => { const show = () => { const named = document.getElementById(location.hash.slice(1)); "
    "for (let e = named; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true; "
    "if (named) named.scrollIntoView(); }; addEventListener('hashchange', show); show(); "
    "document.querySelectorAll('.tree details').forEach((d) => d.addEventListener('toggle', () => "
    "{ if (d.open) history.replaceState(null, '', '#' + d.id); })); })();"
)


@dataclass(frozen=True)
class Leaf:
    """An answer: the call that leads there with the method that it takes, and its command where there is one.

    `name` is the box's address on the page.
    """

    title: str
    name: str
    method: str
    call: str
    shell: str = ""


@dataclass(frozen=True)
class Question:
    """A choice between answers and further questions."""

    title: str
    ask: str
    choices: tuple[Leaf | Question, ...]


PRED = "preds.csv --truth y"
TREE = (
    Question(
        "How good is one model?",
        "Which figure do you report?",
        (
            Question(
                "Accuracy, recall, precision, specificity, any share of rows",
                "Do rows depend on each other, or count differently?",
                (
                    Leaf(
                        "No: one row, one item",
                        "proportion",
                        "wilson",
                        "te.evaluate(y, a)",
                        f"trueerror evaluate {PRED}",
                    ),
                    Leaf(
                        "Several rows of one patient, user or document",
                        "clustered-rows",
                        "effective-t",
                        "te.evaluate(y, a, clusters=patient)",
                        f"trueerror evaluate {PRED} --cluster patient",
                    ),
                    Leaf(
                        "Rows have sampling weights",
                        "weighted-rows",
                        "effective-t",
                        'te.evaluate(y, a, weights=weights, weights_kind="sampling")',
                        f"trueerror evaluate {PRED} --weight w --weights-kind sampling",
                    ),
                ),
            ),
            Question(
                "F1",
                "Of one class, or over all classes?",
                (
                    Leaf(
                        "One class",
                        "f1",
                        "wilson-f1",
                        'te.evaluate(y, a, metrics="f1")',
                        f"trueerror evaluate {PRED} --metric f1",
                    ),
                    Leaf(
                        "Macro-F1",
                        "macro-f1",
                        "effective-t",
                        'te.evaluate(y3, a3, metrics="macro_f1")',
                        f"trueerror evaluate {PRED} --metric macro_f1",
                    ),
                    Leaf(
                        "Weighted F1, and other weighted averages",
                        "weighted-averages",
                        "effective-t",
                        'te.evaluate(y3, a3, metrics="weighted_f1")',
                        f"trueerror evaluate {PRED} --metric weighted_f1",
                    ),
                ),
            ),
            Question(
                "Balanced accuracy, macro averages, Matthews correlation, kappa",
                "Which one?",
                (
                    Leaf(
                        "Balanced accuracy, informedness, or accuracy at another class mix",
                        "balanced-accuracy",
                        "effective-t",
                        'te.evaluate(y, a, metrics="balanced_accuracy")',
                    ),
                    Leaf(
                        "Macro precision, macro specificity",
                        "macro-averages",
                        "effective-t",
                        'te.evaluate(y3, a3, metrics="macro_precision")',
                    ),
                    Leaf(
                        "Geometric mean of the recalls",
                        "g-mean",
                        "effective-t",
                        'te.evaluate(y3, a3, metrics="g_mean")',
                    ),
                    Leaf("Matthews correlation (MCC)", "mcc", "effective-t", 'te.evaluate(y, a, metrics="mcc")'),
                    Leaf("Cohen's kappa", "kappa", "effective-t", 'te.evaluate(y, a, metrics="kappa")'),
                    Leaf(
                        "Averages between −1 and 1",
                        "macro-informedness",
                        "effective-t",
                        'te.evaluate(y3, a3, metrics="macro_informedness")',
                    ),
                ),
            ),
            Question(
                "AUC, average precision",
                "How were the scores made?",
                (
                    Leaf(
                        "AUC of one model, two classes",
                        "auc",
                        "effective-t",
                        'te.evaluate(y, scores=a_scores, metrics="auc")',
                        f"trueerror evaluate {PRED} --metric auc",
                    ),
                    Leaf(
                        "AUC over many classes (one-vs-rest, Hand and Till)",
                        "class-areas",
                        "effective-t",
                        'te.evaluate(y3, scores=a3_scores, metrics="hand_till_auc")',
                    ),
                    Leaf(
                        "Average precision (area under PR)",
                        "average-precision",
                        "effective-t",
                        'te.evaluate(y, scores=a_scores, metrics="average_precision")',
                    ),
                    Leaf(
                        "Out-of-fold scores of cross-validation",
                        "metric-over-folds",
                        "within-folds",
                        'te.evaluate(y, scores=a_scores, folds=fold, metrics="auc")',
                        f"trueerror evaluate {PRED} --fold fold --metric auc",
                    ),
                ),
            ),
            Question(
                "Probabilities: calibration, Brier score, log loss",
                "Which one?",
                (
                    Leaf(
                        "Brier score or log loss",
                        "mean-loss",
                        "effective-t",
                        'te.evaluate(y, scores=a_scores, metrics="log_loss")',
                    ),
                    Leaf(
                        "Expected calibration error (ECE)",
                        "calibration-error",
                        "calibration-gaps",
                        'te.evaluate(y, scores=a_scores, metrics="ece")',
                    ),
                    Leaf(
                        "Brier skill score, another metric of scores",
                        "score-metric",
                        "effective-t",
                        'te.evaluate(y, scores=a_scores, metrics="brier_skill")',
                    ),
                ),
            ),
            Question(
                "Costs, ratios, something else",
                "Which one?",
                (
                    Leaf(
                        "What the errors cost",
                        "costs",
                        "effective-t",
                        'te.evaluate(y, a, cost_fp=1, cost_fn=10, metrics="cost")',
                        f"trueerror evaluate {PRED} --cost-fn 10",
                    ),
                    Leaf("Likelihood ratio, odds ratio", "ratio", "delta-log", 'te.evaluate(y, a, metrics="lr_plus")'),
                    Leaf(
                        "A metric of my own, or another one of labels",
                        "any-label-metric",
                        "effective-t",
                        "te.evaluate(y, a, metrics=lambda truth, said: float((truth == said)[truth == 1].mean() ** 2))",
                    ),
                    Leaf(
                        "Grades, such as 1 to 5 by a judge",
                        "mean-score",
                        "effective-t",
                        "te.evaluate(te.graded(grades, scale=(1, 5)))",
                    ),
                    Leaf(
                        "A measured value, such as seconds a query",
                        "mean",
                        "t-mean",
                        "te.mean_interval(seconds)",
                    ),
                ),
            ),
        ),
    ),
    Question(
        "Is model A better than model B?",
        "Both are fitted and stay as they are. Were they tested on the same rows?",
        (
            Question(
                "Yes, the same test set (paired)",
                "By which figure?",
                (
                    Leaf(
                        "Accuracy, recall, any share: McNemar's test",
                        "paired-proportions",
                        "mcnemar-mid-p",
                        'te.compare(y, {"a": a, "b": b})',
                        f"trueerror compare {PRED}",
                    ),
                    Leaf(
                        "… and how large is the difference?",
                        "paired-difference",
                        "tango",
                        "te.significance.mcnemar(30, 20, n=240)",
                        "trueerror compare --counts both=150 a=30 b=20 neither=40",
                    ),
                    Leaf(
                        "Any share, several rows of one patient or user",
                        "clustered-difference",
                        "effective-t",
                        'te.compare(y, {"a": a, "b": b}, clusters=patient)',
                        f"trueerror compare {PRED} --cluster patient",
                    ),
                    Leaf(
                        "F1, MCC, balanced accuracy, another metric of labels",
                        "paired-metric",
                        "effective-t",
                        'te.compare(y, {"a": a, "b": b}, metric="f1")',
                        f"trueerror compare {PRED} --metric f1",
                    ),
                    Leaf(
                        "AUC: DeLong's test",
                        "paired-auc",
                        "effective-t",
                        'te.compare(y, scores={"a": a_scores, "b": b_scores}, metric="auc")',
                        f"trueerror compare {PRED} --metric auc",
                    ),
                    Leaf(
                        "AUC over many classes",
                        "paired-class-areas",
                        "effective-t",
                        'te.compare(y3, scores={"a": a3_scores, "b": b3_scores}, metric="hand_till_auc")',
                    ),
                    Leaf(
                        "Average precision",
                        "paired-average-precision",
                        "effective-t",
                        'te.compare(y, scores={"a": a_scores, "b": b_scores}, metric="average_precision")',
                    ),
                    Leaf(
                        "Log loss, Brier score",
                        "paired-loss",
                        "effective-t",
                        'te.compare(y, scores={"a": a_scores, "b": b_scores}, metric="brier")',
                    ),
                    Leaf(
                        "Grades, such as 1 to 5 by a judge",
                        "paired-score",
                        "effective-t",
                        'te.compare(te.graded({"a": grades, "b": other_grades}, scale=(1, 5)))',
                    ),
                    Leaf(
                        "Calibration error",
                        "paired-calibration-error",
                        "calibration-gaps-difference",
                        'te.compare(y, scores={"a": a_scores, "b": b_scores}, metric="ece")',
                    ),
                    Leaf(
                        "Another metric of scores",
                        "paired-score-metric",
                        "effective-t",
                        'te.compare(y, scores={"a": a_scores, "b": b_scores}, metric="brier_skill")',
                    ),
                ),
            ),
            Question(
                "No, different rows (unpaired)",
                "By which figure?",
                (
                    Leaf(
                        "Accuracy, any share: difference of two proportions",
                        "independent-proportions",
                        "miettinen-nurminen",
                        "te.difference((180, 240), (150, 220))",
                        "trueerror difference 180/240 150/220",
                    ),
                    Leaf(
                        "AUC",
                        "independent-auc",
                        "newcombe-hybrid",
                        "te.compare(te.predictions(y[:120], scores={'a': a_scores[:120]}), "
                        "te.predictions(y[120:], scores={'b': b_scores[120:]}), paired=False, metric='auc')",
                    ),
                    Leaf(
                        "F1 or another metric",
                        "independent-metric",
                        "newcombe-hybrid",
                        "te.compare(te.predictions(y[:120], {'a': a[:120]}), te.predictions(y[120:], {'b': b[120:]}), "
                        "paired=False, metric='f1')",
                    ),
                    Leaf(
                        "Calibration error",
                        "independent-calibration-error",
                        "calibration-gaps-difference",
                        "te.compare(te.predictions(y[:120], scores={'a': a_scores[:120]}), "
                        "te.predictions(y[120:], scores={'b': b_scores[120:]}), paired=False, metric='ece')",
                    ),
                ),
            ),
            Leaf(
                "The same rows, tested in several repeats of cross-validation",
                "paired-over-folds",
                "corrected-t-test",
                'te.compare(np.tile(y, 2), {"a": np.tile(a, 2), "b": np.tile(b, 2)}, ids=np.tile(np.arange(240), 2), '
                "folds=np.tile(fold, 2), repeats=np.repeat([0, 1], 240))",
            ),
            Leaf(
                "Rows are still arriving, and I look more than once (peeking)",
                "arriving-rows",
                "e-value",
                "te.significance.e_value(30, 20, n=240)",
            ),
        ),
    ),
    Leaf(
        "Which of many models is best? (multiple comparisons)",
        "many-pairs",
        "holm",
        'te.compare(y, {"a": a, "b": b, "c": 1 - b})',
        f"trueerror compare {PRED}",
    ),
    Question(
        "Which learning algorithm is better?",
        "The question is about training again, by cross-validation or on several data sets.",
        (
            Leaf(
                "Two learners, one data set: cross-validation",
                "two-learners",
                "corrected-t-test",
                'te.experiment({"bayes": bayes, "tree": tree}, X, y, plan=te.KFold(5, repeats=2)).compare()',
            ),
            Leaf(
                "Two learners, many data sets",
                "two-learners-many-data-sets",
                "wilcoxon",
                "te.rank(two_data_sets_wide)",
                "trueerror rank results.csv",
            ),
            Leaf(
                "Many learners, many data sets: Friedman and pairs",
                "many-learners-many-data-sets",
                "iman-davenport",
                "te.rank(many_data_sets_wide)",
                "trueerror rank results.csv",
            ),
            Question(
                "How good is one learner?",
                "How are rows split?",
                (
                    Leaf(
                        "k-fold cross-validation, random subsampling",
                        "learner-folds",
                        "pooled",
                        "te.experiment(bayes, X, y, plan=te.KFold(5, repeats=2)).estimate()",
                    ),
                    Leaf(
                        "One holdout",
                        "learner-holdout",
                        "pooled",
                        "te.experiment(bayes, X, y, plan=te.Holdout()).estimate()",
                    ),
                    Leaf(
                        "Leave-one-out",
                        "learner-leave-one-out",
                        "bayle",
                        "te.experiment(bayes, X[:60], y[:60], plan=te.LeaveOneOut()).estimate()",
                    ),
                    Leaf(
                        "Bootstrap samples (.632+)",
                        "learner-bootstrap",
                        "bootstrap-632+",
                        "te.experiment(bayes, X, y, plan=te.Bootstrap(20)).estimate()",
                    ),
                    Leaf(
                        "Folds with all pairs left out",
                        "learner-pairs-of-folds",
                        "bates",
                        "te.experiment(bayes, X, y, plan=te.BatesCV(5, repeats=2)).estimate()",
                    ),
                    Leaf(
                        "Disjoint halves",
                        "learner-halves",
                        "conservative-z",
                        "te.experiment(bayes, X, y, plan=te.DisjointHalves(3, splits_each=4)).estimate()",
                    ),
                    Leaf(
                        "By AUC, over folds",
                        "learner-auc",
                        "pooled",
                        'te.experiment(bayes, X, y, plan=te.KFold(5, repeats=2)).estimate(metric="auc")',
                    ),
                    Leaf(
                        "The best of several settings (tuning)",
                        "chosen-setting",
                        "corrected-t",
                        'te.experiment({"1": bayes, "2": tree}, X, y, plan=te.NestedCV(5, 3)).estimate()',
                    ),
                ),
            ),
        ),
    ),
)


def leaves(choices: tuple[Leaf | Question, ...] = TREE) -> Iterator[Leaf]:
    """All answers."""
    for choice in choices:
        if isinstance(choice, Leaf):
            yield choice
        else:
            yield from leaves(choice.choices)


def tree_page() -> str:
    """The tree as boxes that open by a click, one at each level."""
    parts = [
        "Open what fits your question. Each answer has the call, its default method and the reason. You need not "
        "choose: `te.evaluate` and `te.compare` use the same table (`.explain()` names the method).",
        f"Names in the calls: {COLUMNS}.",
        '<div class="tree">',
        *_boxes(TREE, "q"),
        "</div>",
        f"<script>{OPEN}</script>",
        "How large must the test set be for this? [Sample size and power](howto/plan-a-test-set.md). Which method by "
        "default, as one table: [decisions](reference/decisions.md).",
    ]
    keywords = (
        "which test; which test do I need; which test to use; statistical test; choose a test; decision tree; "
        "which statistical test for comparing classifiers; hypothesis test; paired or unpaired"
    )
    return page("Which test do I need?", *parts, keywords=[keywords])


def _boxes(choices: tuple[Leaf | Question, ...], group: str) -> Iterator[str]:
    for i, choice in enumerate(choices):
        place = f"{group}{i + 1}"
        name = choice.name if isinstance(choice, Leaf) else place
        kind = "leaf" if isinstance(choice, Leaf) else "question"
        yield f'<details class="{kind}" id="{name}" name="{group}"><summary>{escape(choice.title)}</summary>'
        if isinstance(choice, Leaf):
            yield from _answer(choice)
        else:
            yield f"*{cell(choice.ask)}*"
            yield from _boxes(choice.choices, f"{place}-")
        yield "</details>"


def _answer(leaf: Leaf) -> Iterator[str]:
    known = every_method()

    def link(key: str) -> str:
        return f"[{cell(known[key].title)}](reference/methods.md#{key})" if key in known else f"`{key}`"

    yield f"```python\n{leaf.call}\n```"
    if leaf.shell:
        yield f"```bash\n{leaf.shell}\n```"
    yield f"**Method**: {link(leaf.method)} (`{leaf.method}`)."
    row = next((d for d in decisions() if d.default == leaf.method), None)
    why = row.why if row is not None else known[leaf.method].assumes
    if why:
        yield f"**Why**: {cell(why)}."
    if row is not None and row.also:
        yield "**Also**, by `method=`: " + ", ".join(link(k) for k in row.also) + "."
