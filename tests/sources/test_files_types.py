"""Types that only later rows or files show: nothing is cut to fit those of the first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import trueerror as te

EARLY, LATE = "0,0,1\n1,1,1\n" * 15_000, "1,0,0.4\n" * 10_000


def test_decimals_far_down_a_csv_file_are_not_rounded(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text(f"truth,m,w\n{EARLY}{LATE}")
    p = te.read(tmp_path / "w.csv", weight="w", weights_kind="sampling")
    assert p.labels == (0, 1)
    assert te.evaluate(p)["accuracy"].estimate == pytest.approx(30_000 / 34_000)
    (tmp_path / "s.csv").write_text("truth,m\n" + "0,0\n1,1\n" * 15_000 + "1,0.7\n0,0.2\n" * 10)
    p = te.read(tmp_path / "s.csv")
    assert p.has_scores("m")
    assert te.roc(p).auc().estimate == 1.0


@pytest.mark.parametrize(
    ("late", "labels"),
    [
        ("2,2", (0, 1, 2)),
        ("b,b", ("0", "1", "b")),
        (f"{2**60},{2**60}\n{2**60 + 1},{2**60 + 1}", (0, 1, 2**60, 2**60 + 1)),
        (f"{2**70},{2**70}\n{2**70 + 1},{2**70 + 1}", ("0", "1", str(2**70), str(2**70 + 1))),
    ],
)
def test_labels_far_down_a_csv_file(tmp_path: Path, late: str, labels: tuple[object, ...]) -> None:
    (tmp_path / "x.csv").write_text("truth,m\n" + "0,0\n1,1\n" * 15_000 + f"{late}\n" * 4)
    p = te.read(tmp_path / "x.csv")
    assert p.labels == labels
    assert p.confusion("m").matrix.trace() == p.n


def test_whole_numbers_of_a_long_csv_file_stay_whole(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,truth,m\n" + "".join(f"{2**60 + i},{i % 2},\n" for i in range(25_000)))
    with pytest.raises(te.InputError, match="'m' \\(empty\\)"):
        te.read(tmp_path / "x.csv")
    (tmp_path / "x.csv").write_text("id,truth,m\n" + "".join(f"{2**60 + i},{i % 2},1\n" for i in range(25_000)))
    p = te.read(tmp_path / "x.csv")
    assert (p.n, p.labels) == (25_000, (0, 1))


def written(folder: Path, first: Any, second: Any) -> Path:
    for name, values in (("a", first), ("b", second)):
        (folder / name).mkdir(exist_ok=True)
        pyarrow.parquet.write_table(pa.table({"truth": [0, 1] * 50, "m": values}), folder / name / "x.parquet")
    return folder


@pytest.mark.parametrize(
    "first",
    [[False, True] * 50, [0, 1] * 50, pa.array([0, 1] * 50, pa.int8()), pa.array([0.25, 0.75] * 50, pa.float32())],
)
def test_files_of_other_types_are_read_as_they_are(tmp_path: Path, first: Any) -> None:
    folder = written(tmp_path, first, [0.1, 0.9] * 50)
    for source in (folder, [folder / "b" / "x.parquet", folder / "a" / "x.parquet"]):
        p = te.read(source)
        assert p.has_scores("m")
        assert te.evaluate(p)["accuracy"].estimate == 1.0
        assert (p.score_range("m").low, p.score_range("m").high) in ((0.0, 1.0), (0.1, 0.9))


def test_a_file_whose_column_is_empty_takes_the_type_of_the_others(tmp_path: Path) -> None:
    folder = written(tmp_path, pa.nulls(100), [0.1, 0.9] * 50)
    p = te.read(folder, missing="drop")
    assert (p.n, p.unscored("m")) == (200, 100)


def test_a_folder_of_a_table_with_a_log_is_not_read_as_its_files(tmp_path: Path) -> None:
    folder = written(tmp_path, [0, 1] * 50, [0, 1] * 50)
    (folder / "_delta_log").mkdir()
    (folder / "_delta_log" / "0.json").write_text(json.dumps({"remove": {"path": "a/x.parquet"}}))
    with pytest.raises(te.InputError, match=r"is a Delta table, .* polars\.scan_delta"):
        te.read(folder)
    (folder / "_delta_log").rename(folder / "metadata")
    (folder / "metadata" / "v1.metadata.json").write_text("{}")
    with pytest.raises(te.InputError, match=r"is an Iceberg table, .* polars\.scan_iceberg"):
        te.read(folder)
