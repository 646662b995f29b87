"""Files without a header: data and predictions of fastText, LIBSVM and Vowpal Wabbit, lists, and named columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

import trueerror as te
from trueerror.cli._app import command_of
from trueerror.inputs._options import FileError, InputError

DRAWN = np.random.default_rng(4)
TRUTH = DRAWN.choice([-1, 1], 40)
CHANCE = np.clip(0.5 + 0.2 * TRUTH + DRAWN.normal(size=40) * 0.3, 0, 1).round(3)
SAID = np.where(CHANCE >= 0.5, 1, -1)
RIGHT = float((SAID == TRUTH).mean())
AUC = te.evaluate(TRUTH, scores=CHANCE, metrics=["auc"])["auc"].estimate
WORDS = {-1: "neg", 1: "pos"}


def other(chance: float) -> float:
    return round(1 - chance, 3)


FILES = {
    "libsvm.data": [f"{y:+d} 1:0.5 3:{i}" if i else f"{y:+d}" for i, y in enumerate(TRUTH)],
    "libsvm.out": [str(s) for s in SAID],
    "libsvm-b.out": ["labels 1 -1", *(f"{s} {c} {other(c)}" for s, c in zip(SAID, CHANCE, strict=True))],
    "vowpal.data": [f"{y} 'row{i} |words a b:{i} |more c" for i, y in enumerate(TRUTH)],
    "vowpal.out": [f"{c} row{i}" for i, c in reversed(list(enumerate(CHANCE)))],
    "vowpal-p.out": [f"-1:{other(c)} 1:{c} row{i}" for i, c in enumerate(CHANCE)],
    "fasttext.data": [f"__label__{WORDS[y]} some | words: 3" for y in TRUTH],
    "fasttext.out": [f"__label__{WORDS[s]}" for s in SAID],
    "fasttext-p.out": [
        f"__label__{WORDS[s]} {max(c, other(c))} __label__{WORDS[-s]} {min(c, other(c))}"
        for s, c in zip(SAID, CHANCE, strict=True)
    ],
    "list.data": ["id,y", *(f"{i},{WORDS[y]}" for i, y in enumerate(TRUTH))],
    "list.out": [WORDS[s] for s in SAID],
}


def write(folder: Path, name: str) -> Path:
    file = folder / name
    file.write_text("\n".join(FILES[name]) + "\n")
    return file


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".out")])
def test_data_and_predictions(name: str, tmp_path: Path) -> None:
    tool = name.partition(".")[0].partition("-")[0]
    data, said = write(tmp_path, f"{tool}.data"), write(tmp_path, name)
    p = te.read(data, predictions=[said], positive="pos" if tool in ("fasttext", "list") else None)
    assert te.evaluate(p)["accuracy"].estimate == pytest.approx(RIGHT)
    if "-" in name or tool == "vowpal":
        assert te.evaluate(p, metrics=["auc"])["auc"].estimate == pytest.approx(AUC)


def test_several_labels_a_line_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("__label__a __label__b some words\n" * 3)
    with pytest.raises(FileError, match="line 1 has 2 labels of fastText"):
        te.read(tmp_path / "t.txt")


def test_headers_are_headers_still(tmp_path: Path) -> None:
    for text in ("y,svm\n0,0\n1,1\n", "y|svm\n0|0\n1|1\n", "y\tsvm\n0\t0\n1\t1\n"):
        (tmp_path / "t.txt").write_text(text)
        assert te.read(tmp_path / "t.txt").models == ("svm",)


def test_names_of_columns(tmp_path: Path) -> None:
    file = tmp_path / "batch.csv.out"
    file.write_text("".join(f"{y},{i / 7:.3f},{c}\n" for i, (y, c) in enumerate(zip(TRUTH, CHANCE, strict=True))))
    with pytest.raises(FileError, match="name them with names="):
        te.read(file)
    for names in (["truth", "id", "net"], {1: "truth", 3: "net"}):
        p = te.read(file, names=names)
        assert (p.n, p.models) == (40, ("net",))
        assert te.evaluate(p)["accuracy"].estimate == pytest.approx(RIGHT)
    wrong: list[tuple[Any, str]] = [
        (["truth", "net"], "names 2 columns, and the first line of batch.csv.out has 3"),
        ({0: "truth"}, "with places from 1 up"),
        ("truth", "is a list of column names"),
    ]
    for names, words in wrong:
        with pytest.raises((FileError, InputError), match=words):
            te.read(file, names=names)
    with pytest.raises(InputError, match="a table has names"):
        te.read({"y": [0, 1], "a": [0, 1]}, names=["y", "a"])


def run(name: str, **options: object) -> None:
    import inspect

    command = command_of(name)
    usual = {p.name: p.default for p in inspect.signature(command).parameters.values()}
    command(**{**usual, **options})


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, said = str(write(tmp_path, "libsvm.data")), str(write(tmp_path, "libsvm.out"))
    run("evaluate", file=[data, said])
    assert "40 rows" in capsys.readouterr().out
    better = tmp_path / "better.out"
    better.write_text("\n".join(map(str, TRUTH)))
    for files, baseline in (([data, str(better), said], None), ([data, str(better)], said)):
        run("gate", files=files, baseline=baseline)
        assert "better" in capsys.readouterr().out
    run("gate", files=[data, str(better)], at_least=["0.8"])
    assert capsys.readouterr().out
    with pytest.raises(typer.Exit):
        run("gate", files=[data, said, said, said])
    assert "one candidate against one baseline, not 4 files" in capsys.readouterr().err
