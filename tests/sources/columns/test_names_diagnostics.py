"""A cell that spoils a model's column is told, not the model left out."""

from __future__ import annotations

from pathlib import Path

import pytest

import trueerror as te
from trueerror.inputs._options import InputError

TRUTH = ["yes", "no", "no", "yes"] * 5
SCORES = [0.9, 0.2, 0.35, 0.7] * 5


def csv(path: Path, **columns: list[object]) -> str:
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("models", [None, ["good", "spoilt"], {"m": "spoilt"}])
def test_one_cell_that_is_no_number(tmp_path: Path, models: object) -> None:
    spoilt = [*SCORES[:6], "oops", *SCORES[7:]]
    path = csv(tmp_path / "x.csv", truth=TRUTH, good=SCORES, spoilt=spoilt)
    with pytest.raises(InputError, match=r"'spoilt' of x.csv holds numbers, but 'oops' in row 7; mend it"):
        te.read(path, positive="yes", models=models)
    assert te.read(path, positive="yes", models=["good"]).models == ("good",)


def test_labels_in_other_letters(tmp_path: Path) -> None:
    path = csv(tmp_path / "x.csv", truth=TRUTH, good=TRUTH, shouting=[v.upper() for v in TRUTH])
    with pytest.raises(InputError, match=r"'shouting' of x.csv says '(YES|NO)' where the truth says '(yes|no)'"):
        te.read(path)


def test_text_codes_and_house_numbers_stay_left_out(tmp_path: Path) -> None:
    house = [*map(str, range(18)), "7a", "9b"]
    path = csv(tmp_path / "x.csv", truth=TRUTH, good=TRUTH, house=house, city=["Oslo"] * 20)
    p = te.read(path)
    assert p.models == ("good",)
    assert p.roles["house"] == "left out: text"
    assert te.read({"truth": TRUTH, "good": TRUTH, "zip": ["01234"] * 20}).models == ("good",)


def test_one_cell_among_a_handful(tmp_path: Path) -> None:
    path = csv(tmp_path / "x.csv", truth=[0, 1, 1, 0], svm=["0.1", "none", "0.8", "0.3"])
    with pytest.raises(InputError, match=r"'svm' of x.csv holds numbers, but 'none' in row 2"):
        te.read(path)
