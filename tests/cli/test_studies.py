"""`trueerror run` with a [study] in the file."""

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from trueerror.cli._app import command_of

LEARNER = """
[learners.bayes]
class = "sklearn.naive_bayes.GaussianNB"
"""
DATA = """
[data.rows]
file = "rows.csv"
target = "y"
"""


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    lines = ["y,a_1,a_2,colour"]
    for i in range(120):
        a = rng.normal(size=2) + 2 * y[i] * np.array([1, 0])
        lines.append(f"{'yes' if y[i] else 'no'},{a[0]:.3f},{a[1]:.3f},{'red' if rng.random() < 0.5 else 'blue'}")
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def run(folder: Path, text: str, *options: str):
    (folder / "study.toml").write_text(text)
    program = typer.Typer()
    program.callback()(lambda: None)
    program.command("run")(command_of("run"))
    return CliRunner().invoke(program, ["run", str(folder / "study.toml"), "--no-progress", *options])


def test_a_learning_curve(folder):
    study = '[study]\nkind = "learning-curve"\nsizes = [10, 20, 40, 80]\nrepeats = 2\n'
    done = run(folder, study + DATA + LEARNER, "-o", str(folder / "curve.svg"))
    assert (done.exit_code, done.stderr) == (0, "")
    assert "At twice the data (240 rows, 3 times the largest size) expect error rate" in " ".join(done.stdout.split())
    assert "training rows" in (folder / "curve.svg").read_text()
    other = run(folder, study + DATA + LEARNER, "--metric", "accuracy", "--format", "json")
    assert json.loads(other.stdout)["metric"] == "accuracy"
    planned = run(folder, 'plan = 3\n[study]\nkind = "learning-curve"\nsizes = [10, 20, 40]\n' + DATA + LEARNER)
    assert planned.stdout.startswith("120 rows, 3 sizes from 10 to 40; 3 folds × 1 repeat;")


def test_a_lesion_study_by_names_of_columns(folder):
    study = (
        'plan = 10\n[study]\nkind = "lesion-study"\n[study.parts]\nsignal = "a_1"\ncolour = "colour"\n'
        'smoothing = { var_smoothing = 1000.0 }\nmajority = { class = "sklearn.dummy.DummyClassifier" }\n'
    )
    done = run(folder, study + DATA + LEARNER)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "without signal" in done.stdout
    assert "signal contributes" in " ".join(done.stdout.split()) or "majority contributes" in done.stdout


def test_overfitting_over_a_parameter(folder):
    study = 'plan = 5\n[study]\nkind = "overfitting"\nparameter = "max_depth"\nvalues = [1, 10]\n'
    tree = '[learners.tree]\nclass = "sklearn.tree.DecisionTreeClassifier"\n'
    done = run(folder, study + DATA + tree)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "max_depth" in done.stdout


def test_bias_variance_and_the_laboratory_need_no_data(folder):
    study = '[study]\nkind = "bias-variance"\ngenerator = "two-normals"\nn = 30\nrounds = 5\ntest_rows = 100\n'
    done = run(folder, study + LEARNER)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "Test error minus training error:" in " ".join(done.stdout.split())
    study = (
        '[study]\nkind = "estimator-laboratory"\nn = 20\nruns = 3\ntest_rows = 50\n'
        'estimators = ["training", "holdout"]\n'
    )
    done = run(folder, study + LEARNER, "--format", "markdown")
    assert (done.exit_code, done.stderr) == (0, "")
    assert "| holdout |" in done.stdout


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[study]\nkind = "learning-curves"\n', "did you mean"),
        ("[study]\nsteps = 3\n", "there are learning-curve"),
        ('[study]\nkind = "learning-curve"\nstep_size = 3\n', "study.step_size is not an option"),
        ('balance = true\n[study]\nkind = "estimator-laboratory"\n', "balance has no place"),
        ('[study]\nkind = "lesion-study"\nparts = { x = "nothing" }\n', "no column"),
    ],
)
def test_what_cannot_be_is_told_in_one_sentence(folder, text, words):
    done = run(folder, text + DATA + LEARNER)
    assert done.exit_code == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
