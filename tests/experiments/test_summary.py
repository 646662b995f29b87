"""`.summary`, tables and pictures of an experiment: verdict first, and what could not be told is named once."""

import csv
import math

import numpy as np
import pytest
from simple_learners import Broken, Means

import trueerror as te
from trueerror.inputs._options import InputError

PLAN = te.KFold(5, repeats=2)


@pytest.fixture
def three(rows):
    X, y = rows
    names = np.array(["no", "maybe", "yes"])[np.arange(90) % 3]
    return {"two": te.Dataset(X, y), "three": te.Dataset(X, names)}


def test_estimates_verdicts_and_ranks(three):
    run = te.experiment({"means": Means(), "sharp": Means(4.0)}, three, plan=PLAN)
    made = run.summary(["accuracy", "brier"])
    assert [(e.data, e.metric, e.learner) for e in made.estimates[:4]] == [
        ("two", metric, learner) for metric in ("accuracy", "brier") for learner in ("means", "sharp")
    ]
    for e in made.estimates:
        assert e.interval == run.estimate(e.learner, e.data, e.metric)
        assert e.parts == tuple(run.fold_scores(e.metric, e.data).of(e.learner).tolist())
    assert made.verdicts["two"] == run.compare("accuracy", "two").verdict
    assert made.overall == run.rank("accuracy").verdict
    assert {"TE506", "TE507", "TE511"} == set(made.findings.codes)
    assert "two: 90 rows (30 positive = 1), 3 features." in made.reading
    assert "three: 90 rows (30 maybe, 30 no, 30 yes), 3 features." in made.reading
    numbered = te.experiment({"means": Means()}, (three["two"].X, np.arange(90) % 3), plan=2).summary()
    assert "(0: 30, 1: 30, 2: 30)" in numbered.reading
    text = str(made)
    assert text.index("Over all data sets:") < text.index("  two: ") < text.index("! TE506") < text.index("Methods:")
    assert max(map(len, text.splitlines())) <= 80
    assert te.load(made.to_json()) == made
    assert "<table>" in made._repr_html_()
    assert "Nadeau" in made.explain()
    assert made.without("TE506", "TE507", "TE511").findings.codes == ()


def test_many_metrics_have_lines_of_their_own(rows):
    run = te.experiment({"means": Means()}, rows, plan=PLAN)
    made = run.summary(["accuracy", "auc", "mcc", "brier"])
    assert [line.split()[0] for line in made.to_markdown().splitlines()[2:]] == ["|"] * 5
    assert made.to_markdown().splitlines()[-1].startswith('| always "0" | accuracy | .667')
    assert "| means | Matthews correlation |" in made.to_markdown()
    assert made.verdicts["data"].startswith("means has accuracy")


def test_what_needs_no_learner_stands_beside_accuracy_and_error(three):
    run = te.experiment({"means": Means()}, three, plan=PLAN)
    made = run.summary(["accuracy", "error_rate", "brier"])
    assert made.constants == {"two": ("0", 60 / 90), "three": ("maybe", 30 / 90)}
    lines = [line.split() for line in made._table().text(80).splitlines()]
    assert ["two", "always", '"0"', ".667", ".333"] in lines
    assert ["three", "always", '"maybe"', ".333", ".667"] in lines
    assert te.load(made.to_json()) == made
    assert "always" not in str(run.summary(["brier"]))
    from trueerror.plots.compose.forests import summary_forest

    told = [(panel.references, panel.heading) for panel in summary_forest(run.summary(["accuracy", "brier"])).panels]
    for references, heading in told:
        said = any(name.startswith("always") for _, name in references) or "always" in heading
        assert said == ("accuracy" in heading)


def test_of_settings_the_chosen_one_comes_first(rows):
    run = te.experiment({"means": Means(), "sharp": Means(4.0)}, rows, plan=te.NestedCV(3, 3))
    made = run.summary()
    assert made.estimates[0].learner == "the chosen one"
    assert made.estimates[0].interval == run.estimate()
    assert made.verdicts["data"].startswith("Choosing inside the training rows gives accuracy")
    assert "Chosen: " in made.verdicts["data"]
    assert made.overall == ""


def test_what_cannot_be_told_is_named_once_and_the_rest_stands(three):
    learners = {"means": Means(), "sharp": Means(4.0), "broken": Broken()}
    run = te.experiment(learners, three, plan=PLAN)
    made = run.summary(["auc"])
    told = [note for note in made.notes if "which class is positive" in note]
    assert len(told) == 1
    assert told[0].startswith("Not told: auc of means and sharp on three: ")
    assert "TE509" in made.findings
    # One learner that fails everywhere does not stop the comparison of the others.
    assert run.compare("accuracy", "two").models == ("means", "sharp")
    assert "all fits of broken failed" in str(run.compare("accuracy", "two").findings)
    assert run.rank("accuracy").names == ("means", "sharp")
    with pytest.raises(InputError, match="on no test part only"):
        run.compare("accuracy", "two", learners=["means", "broken"])


def test_a_record_for_each_test_part_that_rank_reads(three, tmp_path):
    run = te.experiment({"means": Means(), "sharp": Means(4.0)}, three, plan=PLAN)
    path = run.save(tmp_path / "parts.csv", ["accuracy", "auc"])
    with path.open() as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 2 * 2 * 10
    assert (lines[0]["repeat"], lines[0]["fold"], lines[0]["train_rows"], lines[0]["test_rows"]) == (
        "1",
        "1",
        "72",
        "18",
    )
    assert float(lines[0]["accuracy"]) == run.fold_scores("accuracy", "two").of("means")[0]
    assert math.isnan(float(next(x for x in lines if x["dataset"] == "three")["auc"]))
    again = te.rank(path, value="accuracy")
    assert again.scores == run.rank("accuracy").scores
    assert len(run.frame("pandas")) == 40
    with pytest.raises(InputError, match="did you mean 'accuracy'"):
        run.records(["acuracy"])


def test_findings_are_there_for_check(rows):
    run = te.experiment({"means": Means()}, rows, plan=5)
    assert te.check(run) == run.findings
    assert {"TE504", "TE506"} == set(run.findings.codes)
    assert "TE506" not in te.experiment({"means": Means()}, rows, plan=te.KFold(3, repeats=2)).findings
    # Parts in order of time are no round of folds, for which alone "conservative" was measured.
    ordered = te.experiment({"means": Means()}, (rows[0][::-1], np.arange(90) % 2), plan=te.TimeOrdered(5))
    assert "TE504" not in ordered.findings
    assert "conservative" not in ordered.estimate().note
    assert "at 15 to 75 training rows" in ordered.estimate().estimand


def test_the_picture_shows_every_learner_and_test_part(three, tmp_path):
    from trueerror.plots.compose.forests import summary_forest

    run = te.experiment({"means": Means(), "sharp": Means(4.0)}, three, plan=PLAN)
    made = summary_forest(run.summary())
    assert [p.heading for p in made.panels] == [
        "two: accuracy (higher is better)",
        "three: accuracy (higher is better)",
    ]
    row = made.panels[0].rows[1]
    assert (row.label, row.points) == ("sharp", tuple(run.fold_scores("accuracy", "two").of("sharp").tolist()))
    with pytest.raises(InputError, match="is not in this summary"):
        run.summary().plot(metric="brier")
    assert run.save(tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    run.draw()
