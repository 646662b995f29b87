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
    assert {"TE201", "TE506", "TE507", "TE511"} == set(made.findings.codes)
    assert "two: 90 rows, 30 positive, 3 features." in made.reading
    assert "three: 90 rows (30 maybe, 30 no, 30 yes), 3 features." in made.reading
    numbered = te.experiment({"means": Means()}, (three["two"].X, np.arange(90) % 3), plan=2).summary()
    assert "(0: 30, 1: 30, 2: 30)" in numbered.reading
    text = str(made)
    assert text.index("Over all data sets:") < text.index("  two: ") < text.index("! TE506") < text.index("Methods:")
    assert max(map(len, text.splitlines())) <= 80
    assert te.load(made.to_json()) == made
    assert "<table>" in made._repr_html_()
    assert "Nadeau" in made.explain()
    assert made.without("TE201", "TE506", "TE507", "TE511").findings.codes == ()


def test_many_metrics_have_lines_of_their_own(rows):
    run = te.experiment({"means": Means()}, rows, plan=PLAN)
    made = run.summary(["accuracy", "auc", "mcc", "brier"])
    assert [line.split()[0] for line in made.to_markdown().splitlines()[2:]] == ["|"] * 5
    assert made.to_markdown().splitlines()[-1].startswith('| always "0" | accuracy | 0.667')
    assert "| means | Matthews correlation |" in made.to_markdown()
    assert made.verdicts["data"].startswith("means has accuracy")


def test_what_needs_no_learner_stands_beside_accuracy_and_error(three):
    run = te.experiment({"means": Means()}, three, plan=PLAN)
    made = run.summary(["accuracy", "error_rate", "brier"])
    assert made.constants == {"two": ("0", 60 / 90), "three": ("maybe", 30 / 90)}
    lines = [line.split() for line in made._table().text(120).splitlines()]
    assert ["two", "always", '"0"', "0.667", "0.333"] in lines
    assert ["three", "always", '"maybe"', "0.333", "0.667"] in lines
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
    with pytest.raises(InputError, match="on no test fold only"):
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
    assert {"TE201", "TE511"} == set(run.findings.codes)
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


def test_no_better_than_a_constant_is_said():
    rng = np.random.default_rng(3)
    y = (np.arange(120) % 5 > 1).astype(int)
    X = rng.normal(size=(120, 3))
    run = te.experiment({"means": Means(), "sharp": Means(4.0)}, X, y, plan=5)
    for made in (run.summary(), run.summary("error_rate")):
        assert {f.about for f in made.findings if f.code == "TE201"} == {"means", "sharp"}
        assert 'No model is shown to be better than always answering "1"' in made.verdicts["data"]
    assert "TE201" in te.check(run)
    assert "TE201" not in run.summary("auc").findings
    single = te.experiment({"means": Means()}, X, y, plan=te.KFold(5, repeats=2)).summary()
    assert "always answering" in single.verdicts["data"]
    assert "TE201" in single.verdicts["data"]
    both = te.experiment({"means": Means()}, {"noise": (X, y), "clear": (X + 4.0 * y[:, None], y)}, plan=5).summary()
    assert {f.about for f in both.findings if f.code == "TE201"} == {"means on noise"}
    chosen = te.experiment({"means": Means(), "sharp": Means(4.0)}, X, y, plan=te.NestedCV(3, 2)).summary()
    assert {f.about for f in chosen.findings if f.code == "TE201"} == {"the chosen one"}


def test_the_constant_is_that_of_the_tested_rows():
    y = np.r_[np.zeros(60, int), np.arange(60) % 3 > 0].astype(int)
    X = np.random.default_rng(0).normal(size=(120, 2))
    run = te.experiment({"means": Means()}, te.Dataset(X, y, time=np.arange(120)), plan=te.TimeOrdered(3))
    tested = np.concatenate([s.test for s in run.splits["data"]])
    label, share = run.summary().constants["data"]
    assert share == pytest.approx((y[tested] == int(label)).mean())
    assert share != pytest.approx(run.datasets["data"].commonest[1])


def test_of_many_learners_the_best_come_first_and_the_luck_is_named():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 2
    X = rng.normal(size=(90, 3)) + 1.2 * y[:, None]
    run = te.experiment({f"s{i}": Means(0.5 + i) for i in range(15)}, X, y, plan=3)
    made = run.summary()
    lines = str(made).splitlines()
    assert "… and 3 more learners behind these." in lines
    shown = [line.split() for line in lines if line.startswith("s")]
    assert len(shown) == 12
    figures = [float(line[1]) for line in shown]
    assert figures == sorted(figures, reverse=True)
    assert len(made.to_markdown().splitlines()) == 2 + 15 + 1
    (found,) = [f for f in made.findings if f.code == "TE407"]
    assert "best of 15 learners" in found.message
    assert "NestedCV" in found.message
    assert "bbc-cv" in found.message


def test_an_experiment_has_what_results_have(rows):
    run = te.experiment({"means": Means()}, rows, plan=3)
    made = run.summary()
    assert te.load(run.to_json()) == made
    assert run.to_markdown() == made.to_markdown()
    assert run.to_latex(caption="c", label="tab:x") == made.to_latex(caption="c", label="tab:x")
    assert run.explain() == made.explain()
    assert run.to_markdown(["accuracy", "auc"]) == run.summary(["accuracy", "auc"]).to_markdown()
    assert len(run.frame("pandas")) == len(run.records()) == 3
