"""Predictions and results that WEKA wrote."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.sources.logs.weka import read_arff, split_row

DATA = Path(__file__).parent / "data"


def written(name: str) -> list[tuple[str, str, float]]:
    rows = [line.split(",") for line in (DATA / name).read_text().splitlines() if re.match(r"\d+,", line)]
    return [(r[1].split(":")[1], r[2].split(":")[1], float(r[4].lstrip("*"))) for r in rows]


def test_csv_of_predictions() -> None:
    p = te.read(DATA / "weka_j48.csv", positive="tested_positive")
    rows = written("weka_j48.csv")
    assert p.n == len(rows) == 40
    ev = te.evaluate(p)
    assert ev["accuracy"].estimate == pytest.approx(np.mean([a == b for a, b, _ in rows]))
    score = [c if b == "tested_positive" else 1 - c for _, b, c in rows]
    truth = [a == "tested_positive" for a, _, _ in rows]
    assert ev["auc"].estimate == pytest.approx(te.roc(truth, score).auc().estimate)
    other = te.evaluate(te.read(DATA / "weka_j48.csv", positive="tested_negative"))
    assert other["auc"].estimate == pytest.approx(ev["auc"].estimate)


def test_plain_text_with_folds() -> None:
    p = te.read(DATA / "weka_plain.txt", positive="tested_po")
    assert p.n == 40
    assert len(p.keys("folds").names) == 4
    csv_ = te.evaluate(te.read(DATA / "weka_j48.csv", positive="tested_positive"))
    assert te.evaluate(p)["accuracy"].estimate == csv_["accuracy"].estimate
    # The text knows the folds, so that rows are ranked within them.
    assert te.evaluate(p, method="pooled", metrics=["auc"])["auc"].estimate == pytest.approx(csv_["auc"].estimate)
    assert te.evaluate(p)["auc"].estimate != csv_["auc"].estimate


def test_distribution_and_further_attributes() -> None:
    p = te.read(DATA / "weka_distribution.csv")
    assert p.labels == ("setosa", "versicolor", "virginica")
    ev = te.evaluate(p)
    assert ev["accuracy"].estimate == pytest.approx(np.mean([a == b for a, b, _ in written("weka_distribution.csv")]))
    assert ev["hand_till_auc"].estimate > 0.9
    assert "TE303" not in str(ev.findings)


def test_arff_with_a_predicted_class() -> None:
    p = te.read(DATA / "weka_predicted.arff", positive="tested_positive")
    expected = te.evaluate(te.read(DATA / "weka_j48.csv", positive="tested_positive"))["accuracy"]
    assert te.evaluate(p)["accuracy"] == expected
    with pytest.raises(InputError, match="did you mean 'class'"):
        te.logs.weka(DATA / "weka_predicted.arff", truth="clas")


def test_two_models_on_the_same_instances(tmp_path: Path) -> None:
    text = (DATA / "weka_j48.csv").read_text()
    other = tmp_path / "other.csv"
    other.write_text(re.sub(r"^(\d+),(\S+?),(\S+?),[+]?,", r"\1,\2,\2,,", text, flags=re.M))
    p = te.logs.weka({"J48": DATA / "weka_j48.csv", "oracle": other}, positive="tested_positive")
    assert te.compare(p).best == "oracle"
    other.write_text(text.replace("2:tested_positive,1:tested_negative", "1:tested_negative,1:tested_negative", 1))
    with pytest.raises(InputError, match="other instances"):
        te.logs.weka({"J48": DATA / "weka_j48.csv", "other": other})


def test_unknown_classes_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "new.csv"
    file.write_text("inst#,actual,predicted,error,prediction\n1,1:?,1:a,,0.9\n2,1:a,1:a,,0.8\n3,2:b,1:a,+,0.6\n")
    p = te.read(file, positive="b")
    assert p.n == 2
    assert "1 instances without an actual class" in str(p)
    file.write_text("inst#,actual,predicted,error,prediction\n1,1:?,1:a,,0.9\n")
    with pytest.raises(InputError, match="no instance has an actual class"):
        te.read(file)


@pytest.mark.parametrize("ending", ["csv", "arff"])
def test_experimenter_results_are_ranked(ending: str) -> None:
    file = DATA / f"weka_experiment.{ending}"
    ranking = te.rank(str(file))
    table = te.logs.weka_results(file)
    assert set(table["learner"]) == {"J48", "NaiveBayes", "RandomForest"}
    assert len(table["correct"]) == 6 * 2 * 10 * 3
    assert ranking.best == "RandomForest"
    means = {
        name: np.mean([v for v, k in zip(table["correct"], table["learner"], strict=True) if k == name])
        for name in ranking.names
    }
    assert ranking.means == pytest.approx(means)
    errors = te.rank(str(file), value="Percent_incorrect", higher_is_better=False)
    assert errors.best == ranking.best
    with pytest.raises(InputError, match="did you mean 'Percent_correct'"):
        te.rank(str(file), value="Percent_corect")


@pytest.mark.parametrize("ending", ["csv", "arff"])
def test_experimenter_results_are_no_predictions(ending: str) -> None:
    with pytest.raises(InputError, match=r"te\.rank take it"):
        te.read(DATA / f"weka_experiment.{ending}")


def test_schemes_with_several_options_are_told_apart(tmp_path: Path) -> None:
    head = "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Key_Scheme_options,Percent_correct\n"
    body = "".join(f"d,1,{f},weka.classifiers.lazy.IBk,'-K {k}',{90 + k}\n" for f in (1, 2) for k in (1, 3))
    file = tmp_path / "r.csv"
    file.write_text(head + body)
    assert set(te.logs.weka_results(file)["learner"]) == {"IBk -K 1", "IBk -K 3"}


def test_arff_is_parsed(tmp_path: Path) -> None:
    file = tmp_path / "x.arff"
    file.write_text(
        "% a comment\n@RELATION 'a b'\n@ATTRIBUTE 'it\\'s' NUMERIC\n@attribute c {'yes, sir',no}\n@data\n"
        "1,'yes, sir'\n?,no\n"
    )
    made = read_arff(file)
    assert made.values == {"it's": None, "c": ("yes, sir", "no")}
    assert made.columns == {"it's": ["1", None], "c": ["yes, sir", "no"]}
    assert split_row("a,'?',?") == ["a", "?", None]
    file.write_text("@relation x\n@attribute a numeric\n@data\n{0 1}\n")
    with pytest.raises(InputError, match="sparse"):
        read_arff(file)
    file.write_text("@relation x\n@attribute a numeric\n@data\n1,2\n")
    with pytest.raises(InputError, match="line 4: 2 values for 1 attributes"):
        read_arff(file)
