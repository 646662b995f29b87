"""`trueerror run`, for real."""

import trueerror as te
from tests.cli import program

RECIPE = """
seed = 1
store = "out"
metrics = ["accuracy", "auc"]
[plan]
kind = "KFold"
k = 5
[data.flowers]
file = "flowers.csv"
target = "kind"
positive = "tulip"
# Learners that need no scikit-learn, whose import takes longer than these experiments.
[learners.bayes]
class = "simple_learners.Means"
[learners.tree]
class = "simple_learners.Means"
power = {depth}
"""


def run(*args):
    return program.run("run", *map(str, args))


def flowers(folder):
    rows = [f"{i % 7},{i % 2 + (i % 5) * 0.3},{'tulip' if i % 2 else 'rose'}" for i in range(60)]
    (folder / "flowers.csv").write_text("petals,height,kind\n" + "\n".join(rows) + "\n")


def test_run_resume_and_refuse(tmp_path):
    flowers(tmp_path)
    recipe = tmp_path / "experiment.toml"
    recipe.write_text(RECIPE.format(depth=2))

    first = run(recipe, "--format", "json")
    assert first.returncode == 0, first.stderr
    assert first.stderr == ""
    found = te.load(first.stdout)
    assert [(e.data, e.metric, e.learner) for e in found.estimates] == [
        ("flowers", metric, learner) for metric in ("accuracy", "auc") for learner in ("bayes", "tree")
    ]
    assert all(e.interval.low <= e.interval.estimate <= e.interval.high for e in found.estimates)
    assert list(found.verdicts) == ["flowers"]
    assert (tmp_path / "out" / "results.sqlite").is_file()

    again = run(recipe)
    assert again.returncode == 2
    assert "holds a run already; add --resume" in again.stderr

    resumed = run(recipe, "--resume", "--jobs", "2", "--engine", "threading", "--format", "json")
    assert resumed.stdout == first.stdout

    recipe.write_text(RECIPE.format(depth=3))
    other = run(recipe, "--resume")
    assert other.returncode == 2
    assert "a learner 'tree' with other settings" in other.stderr
    assert "Traceback" not in other.stderr


def test_failures_are_told_and_the_rest_stands(tmp_path):
    flowers(tmp_path)
    recipe = tmp_path / "experiment.toml"
    recipe.write_text(
        'plan = 3\n[data.flowers]\nfile = "flowers.csv"\ntarget = "kind"\n'
        '[learners.means]\nclass = "simple_learners.Means"\n[learners.wrong]\nclass = "simple_learners.Broken"\n'
    )
    done = run(recipe)
    assert done.returncode == 1  # one of the learners has no result at all
    assert done.stderr == (
        "Warning: wrong on flowers: 3 fits failed, first in repeat 1, fold 1: RuntimeError: no luck with 40 rows\n"
    )
    assert "means" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    refused = run(recipe, "--resume")
    assert refused.returncode == 2
    assert "--resume needs a store" in refused.stderr


def test_the_verdict_comes_first_and_a_file_holds_every_test_part(tmp_path):
    flowers(tmp_path)
    recipe = tmp_path / "experiment.toml"
    recipe.write_text(RECIPE.format(depth=3).replace('store = "out"\n', ""))
    done = run(recipe, "-o", tmp_path / "parts.csv")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("2 learners × 1 data set, KFold(k=5, repeats=1, stratify=True): 10 fits")
    assert lines[1] == "flowers: 60 rows, 30 tulip (positive), 2 features."
    assert lines[3].startswith("  ")
    assert lines.index("! TE506 the smallest test fold has 12 rows; t intervals need 30 or more") > 5
    assert "Add --explain for methods" in done.stdout
    assert max(map(len, lines)) <= 80
    parts = (tmp_path / "parts.csv").read_text().splitlines()
    assert parts[0].split(",")[:4] == ["dataset", "learner", "repeat", "fold"]
    assert len(parts) == 11
    page = run(recipe, "-o", tmp_path / "report.html")
    assert (page.stdout, page.stderr) == (done.stdout, "")
    assert "<html" in (tmp_path / "report.html").read_text()
    silent = run(recipe, "--ignore", "TE506", "--explain")
    assert "Nadeau and Bengio" in silent.stdout
    assert "TE506" not in run(recipe, "--ignore", "TE506").stdout


def test_what_cannot_be_answered_is_refused_before_anything_is_fitted(tmp_path):
    flowers(tmp_path)
    recipe = tmp_path / "experiment.toml"
    recipe.write_text(RECIPE.format(depth=3).replace('positive = "tulip"\n', ""))
    for options, message in (
        (
            (),
            'auc needs to know which class is positive; in the file: positive = "…" under [data.flowers]',
        ),
        (("--metric", "acuracy"), "did you mean 'accuracy'"),
        (("-o", tmp_path / "x.xls"), "not as 'x.xls'"),
    ):
        if options:
            recipe.write_text(RECIPE.format(depth=3))
        done = run(recipe, *options)
        assert done.returncode == 2
        assert message in done.stderr
    assert not (tmp_path / "out").exists()
