"""Tables that people copy: LaTeX and Markdown with their words, frames with whole numbers, folds, critical values."""

import re

import numpy as np
import pytest
import typer
from scipy import stats
from typer.testing import CliRunner

import trueerror as te
from trueerror.cli._app import command_of

TRUTH = np.repeat([0, 1], 100)
A = np.where(np.arange(200) % 5 == 0, 1 - TRUTH, TRUTH)
B = np.where(np.arange(200) % 3 == 0, 1 - TRUTH, TRUTH)


def shell(*words):
    # A program of its own: other tests register commands too.
    made = typer.Typer()
    made.callback()(lambda: None)
    made.command(words[0])(command_of(words[0]))
    return CliRunner().invoke(made, list(words))


def test_latex_has_caption_label_bold_and_note():
    ev = te.evaluate(TRUTH, {"a_1": A, "b": B})
    text = ev.to_latex(caption="Right & wrong", label="tab:all")
    assert text.startswith("\\begin{table}")
    assert r"\caption{Right \& wrong}" in text
    assert r"\label{tab:all}" in text
    assert "textbf" not in text  # no test says which is better
    assert r"95 \% intervals" in text
    assert "Matthews" in text  # every metric, not only those that fit a terminal
    assert r"a\_1" in text
    bare = ev.to_latex(bold=False)
    assert "textbf" not in bare
    assert bare.startswith("\\begin{tabular}")
    turned = te.compare(TRUTH, {"a": B, "b": A}, reference="b").to_latex()
    assert "$-$13.5" in turned or "$-$" in turned
    assert not re.search(r"[ \[]-\d", turned)


def test_markdown_begins_with_the_verdict_and_says_what_brackets_are():
    ev = te.evaluate(TRUTH, {"a": A, "b": B})
    text = ev.to_markdown()
    assert text.startswith("Highest accuracy")
    assert "In brackets: 95 % intervals" in text
    assert te.compare(TRUTH, {"a": A, "b": B}).to_markdown().startswith("a is")


def test_frames_keep_whole_numbers_and_say_things_once():
    frame = te.evaluate(TRUTH, A).frame()
    assert set(frame["class"].dropna()) == {0, 1}
    assert all(isinstance(v, (int, np.integer)) for v in frame["class"].dropna())
    assert frame["n"].dtype.kind in "iu" or str(frame["n"].dtype) == "Int64"
    assert not frame.duplicated(["model", "metric", "class"]).any()
    f1 = frame[(frame.metric == "f1") & (frame["class"] == 1)]
    assert f1.n.tolist() == [200]
    text = te.evaluate(np.where(TRUTH, "yes", "no"), np.where(A, "yes", "no"), positive="yes").frame()
    assert set(text["class"].dropna()) == {"yes", "no"}


def test_asked_metrics_without_accuracy_leave_the_constant_answer_out():
    scores = TRUTH + np.linspace(0, 1.5, 200)
    asked = str(te.evaluate(TRUTH, scores=scores / 3, metrics=["auc"]))
    assert "always" not in asked
    assert "TE201" not in asked
    assert "most confident" not in asked
    assert "always" in str(te.evaluate(TRUTH, scores=scores / 3))


def test_most_confused_classes():
    table = te.Confusion([[8, 2, 0], [3, 6, 1], [0, 0, 9]], labels=["a", "b", "c"])
    found = table.most_confused()
    assert [(p.first, p.second, p.errors) for p in found] == [("a", "b", 5), ("b", "c", 1)]
    assert found[0].first_as_second == 2
    assert found.frame()["share_of_errors"].sum() == pytest.approx(1)
    assert len(table.most_confused(1)) == 1
    assert "a and b (5), b and c (1)" in str(te.evaluate(table))
    assert str(te.Confusion(np.diag([3, 4, 5])).most_confused()).startswith("no errors")
    assert "confused" not in str(te.evaluate(te.Confusion([[5, 1], [2, 6]])))


def test_fold_differences_are_those_of_the_textbook():
    a, b = [0.81, 0.84, 0.79, 0.85, 0.83], [0.80, 0.80, 0.78, 0.82, 0.84]
    found = te.significance.fold_differences(a, b)
    d = np.subtract(a, b)
    assert found.mean == pytest.approx(d.mean())
    assert found.s == pytest.approx(d.std(ddof=1))
    assert found.plain.p_value == pytest.approx(stats.ttest_rel(a, b).pvalue)
    t = d.mean() / np.sqrt(d.var(ddof=1) * (1 / 5 + 1 / 4))  # Nadeau and Bengio
    assert found.corrected.statistic == pytest.approx(t)
    assert found.frame()["difference"].tolist() == pytest.approx(d.tolist())
    twice = te.significance.fold_differences(a * 2, b * 2, repeats=2)
    assert twice.test_train_ratio == pytest.approx(1 / 4)
    assert te.load(found.to_json()) == found
    for call, words in (
        (lambda: te.significance.fold_differences(a, b, repeats=2), "not 2 rounds"),
        (lambda: te.significance.fold_differences([0.5], [0.4]), "two folds or more"),
        (lambda: te.significance.fold_differences(a, b[:3]), "5"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def test_folds_in_the_shell(tmp_path):
    typed = shell("folds", "a=0.81,0.84,0.79,0.85", "b=0.80,0.80,0.78,0.82")
    assert typed.exit_code == 0
    assert "corrected t" in typed.stdout
    assert "+0.0225" in typed.stdout
    file = tmp_path / "cv.csv"
    file.write_text("fold,a,b\n1,0.81,0.80\n2,0.84,0.80\n3,0.79,0.78\n4,0.85,0.82\n")
    assert shell("folds", str(file)).stdout == typed.stdout
    assert "NAME=" in shell("folds", "a=x", "b=0.8").stderr
    assert "rank takes more" in shell("folds", "a=0.8,0.7", "b=0.8,0.7", "c=0.8,0.7").stderr
    assert "no column" in shell("folds", str(file), "--first", "svm", "--second", "b").stderr


# The tables of the lectures, two-sided.
@pytest.mark.parametrize(
    ("confidence", "df", "value"),
    [(0.5, None, 0.67), (0.8, None, 1.28), (0.9, None, 1.64), (0.95, None, 1.96), (0.98, None, 2.33),
     (0.99, None, 2.58),
     (0.95, 10, 2.23), (0.95, 30, 2.04), (0.9, 2, 2.92), (0.99, 120, 2.62)],
)  # fmt: skip
def test_critical_values(confidence, df, value):
    assert te.critical(confidence, df=df) == pytest.approx(value, abs=0.006)


def test_critical_values_in_the_shell():
    assert shell("critical", "--confidence", "0.95", "--df", "10").stdout.startswith("2.228: 95 %")
    table = shell("critical", "-c", "0.9", "-c", "0.95", "--df", "2").stdout
    assert "2.920" in table
    assert "4.303" in table
    assert te.critical(0.95, side="upper") == pytest.approx(1.645, abs=1e-3)
    for wrong in (["--df", "0"], ["-c", "95"], ["--side", "left"]):
        assert shell("critical", *wrong).exit_code == 2


def test_the_hull_in_the_shell(tmp_path):
    out = shell("hull", "--point", "C4.5=0.2,0.84", "--point", "SVM=0.604,0.951", "--point", "CN2=0.0491,0.4964",
                "-o", str(tmp_path / "hull.svg"))  # fmt: skip
    assert out.exit_code == 0
    assert "86.0 %" in out.stdout
    assert (tmp_path / "hull.svg").read_text(encoding="utf-8").count("CN2")
    assert "Flag nothing" in shell("hull", "--matrix", "M=150 40 60 250", "--prior", "0.05").stdout
    assert "NAME=FPR,TPR" in shell("hull", "--point", "C4.5").stderr
    assert "--point" in shell("hull").stderr
