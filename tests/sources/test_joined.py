"""The truth in one file and predictions in others, joined on an id."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import ColumnError, InputError

DRAWN = np.random.default_rng(3)
TRUTH = DRAWN.integers(0, 2, 60)
SAID = np.where(DRAWN.random(60) < 0.8, TRUTH, 1 - TRUTH)
SCORES = np.clip(TRUTH * 0.4 + DRAWN.random(60) * 0.6, 0, 1).round(3)
SOLUTION = {"PassengerId": np.arange(60) + 892, "Survived": TRUTH, "Usage": ["Public", "Private"] * 30}


def submission(values: Any, order: Any = None) -> dict[str, Any]:
    order = DRAWN.permutation(60) if order is None else order
    return {"PassengerId": (np.arange(60) + 892)[order], "Survived": np.asarray(values)[order]}


def write(path: Path, table: dict[str, Any]) -> Path:
    rows = zip(*table.values(), strict=True)
    path.write_text("\n".join([",".join(table), *(",".join(map(str, row)) for row in rows)]))
    return path


def test_solution_and_submissions(tmp_path: Path) -> None:
    truth = write(tmp_path / "solution.csv", SOLUTION)
    files = [write(tmp_path / "svm.csv", submission(SAID)), write(tmp_path / "net.csv", submission(SCORES))]
    p = te.read(truth, predictions=files)
    assert p.models == ("svm", "net")
    expected = te.evaluate(TRUTH, {"svm": SAID})["accuracy"].estimate
    assert te.evaluate(p.select("svm"))["accuracy"].estimate == expected
    assert p.scores("net") == te.predictions(TRUTH, scores=SCORES).scores()


def test_in_memory_with_names_slices_and_one_file() -> None:
    p = te.read(SOLUTION, predictions={"mine": submission(SAID)}, by="Usage")
    assert p.models == ("mine",)
    assert p.slices() == ("Private", "Public")


@pytest.mark.parametrize("name", ["passengerid", "Passenger_Id", "id", "ref"])
def test_ids_are_joined_under_another_name_too(name: str) -> None:
    given = submission(SAID)
    given[name] = given.pop("PassengerId")
    p = te.read(SOLUTION, predictions={"svm": given, "net": submission(SCORES)})
    assert te.evaluate(p.select("svm"))["accuracy"].estimate == te.evaluate(TRUTH, SAID)["accuracy"].estimate


def test_rows_that_one_side_lacks() -> None:
    some = submission(SAID, np.arange(50))
    with pytest.raises(InputError, match=r"'a: Survived' of .* is missing at row 51 \(10 in all\)"):
        te.read(SOLUTION, predictions={"a": some})
    assert te.evaluate(te.read(SOLUTION, predictions={"a": some}, missing="drop"))["accuracy"].n == 50
    half = {name: column[:30] for name, column in SOLUTION.items()}
    p = te.read(half, predictions={"a": submission(SAID)})
    assert p.n == 30
    assert any("30 of 60 rows" in note for note in p.notes)


def test_a_column_for_each_class() -> None:
    truth = {"id": [1, 2, 3, 4], "author": ["EAP", "HPL", "MWS", "EAP"]}
    chances = {
        "id": [4, 3, 2, 1],
        "EAP": [0.5, 0.2, 0.3, 0.9],
        "HPL": [0.3, 0.2, 0.6, 0.1],
        "MWS": [0.2, 0.6, 0.1, 0.0],
    }
    p = te.read(truth, predictions={"a": chances})
    assert p.has_class_scores("a")
    assert te.evaluate(p)["accuracy"].estimate == 1


def test_probabilities_called_p0_and_p1_are_of_one_model() -> None:
    said = {"predict": SAID, "p0": 1 - SCORES, "p1": SCORES}
    p = te.read({"y": TRUTH}, predictions={"h2o": said})
    assert (p.models, p.scores("h2o")) == (("h2o",), te.predictions(TRUTH, scores=SCORES).scores())


def test_several_models_in_one_file_and_rows_by_position() -> None:
    p = te.read({"y": TRUTH}, predictions=[{"svm": SAID, "net": SCORES}])
    assert p.models == ("svm", "net")
    assert any("by their order" in note for note in p.notes)
    with pytest.raises(ColumnError, match="share no id"):
        te.read({"y": TRUTH}, predictions=[{"svm": SAID[:9]}])


def test_what_cannot_be_joined_is_refused() -> None:
    twice = submission(SAID)
    twice["PassengerId"][1] = twice["PassengerId"][0]
    with pytest.raises(InputError, match="has two rows with PassengerId"):
        te.read(SOLUTION, predictions={"a": twice})
    with pytest.raises(InputError, match="no PassengerId of"):
        te.read(SOLUTION, predictions={"a": {"PassengerId": [1, 2], "Survived": [0, 1]}})
    with pytest.raises(InputError, match="leave models= and right= out"):
        te.read(SOLUTION, predictions={"a": submission(SAID)}, models=["a"])
    with pytest.raises(ColumnError, match=r"cannot tell which column of .* holds the truth"):
        te.read({**SOLUTION, "Age": TRUTH}, predictions={"a": {"PassengerId": SOLUTION["PassengerId"], "p": SAID}})


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import inspect

    from trueerror.cli._app import command_of

    truth = write(tmp_path / "solution.csv", SOLUTION)
    files = [str(write(tmp_path / f"{n}.csv", submission(v))) for n, v in (("svm", SAID), ("net", TRUTH))]
    for name in ("compare", "evaluate"):
        command = command_of(name)
        usual = {p.name: p.default for p in inspect.signature(command).parameters.values()}
        command(**{**usual, "file": [str(truth), *files]})
        assert "2 models with labels: svm, net" in capsys.readouterr().out
