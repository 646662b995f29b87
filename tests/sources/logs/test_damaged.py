"""Logs from strangers: whatever stands in them, an error is one that names the file, never a crash."""

from __future__ import annotations

import contextlib
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trueerror as te
from trueerror.inputs._options import InputError

DATA = Path(__file__).parent / "data"
ROW = json.loads(next((DATA / "acme__tiny-7b").glob("samples_riddles*")).read_text().splitlines()[0])
LOG = json.loads((DATA / "squares_tiny-7b.json").read_text())
ODD: Any = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([]), st.just({}),
    st.just([1, "a"]), st.just({"value": {"a": 1}}), st.just({"value": [1]}), st.just("C"),
)  # fmt: skip
SLOW = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def read(call: Any) -> None:
    # Any other error is a crash, and fails the test.
    with contextlib.suppress(InputError):
        te.evaluate(call())


@SLOW
@given(st.dictionaries(st.sampled_from([*ROW, "acc"]), ODD, min_size=1, max_size=3), st.booleans())
def test_items_of_the_harness(tmp_path: Path, odd: dict[str, Any], first: bool) -> None:
    file = tmp_path / "samples_x.jsonl"
    rows = [ROW, {**ROW, "doc_id": 1, **odd}]
    file.write_text("".join(json.dumps(r) + "\n" for r in (rows if first else rows[::-1])))
    read(lambda: te.logs.lm_eval(file, score="acc", missing="wrong"))
    read(lambda: te.logs.lm_eval(file))


@SLOW
@given(st.dictionaries(st.sampled_from([*LOG["samples"][0]]), ODD, min_size=1, max_size=3))
def test_samples_of_inspect(tmp_path: Path, odd: dict[str, Any]) -> None:
    file = tmp_path / "log.json"
    file.write_text(json.dumps({**LOG, "samples": [{**LOG["samples"][0], **odd}, *LOG["samples"][1:4]]}))
    read(lambda: te.logs.inspect(file, missing="wrong"))


@SLOW
@given(st.dictionaries(st.sampled_from([*LOG]), ODD, min_size=1, max_size=3))
def test_headers_of_inspect(tmp_path: Path, odd: dict[str, Any]) -> None:
    made = {**LOG, **odd}
    file = tmp_path / "log.json"
    file.write_text(json.dumps(made))
    read(lambda: te.logs.inspect(file, missing="wrong"))
    packed = tmp_path / "log.eval"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("header.json", json.dumps(made))
        archive.writestr("summaries.json", json.dumps(made["samples"]))
    read(lambda: te.logs.inspect(packed, missing="wrong"))


@SLOW
@given(st.integers(0, 40), st.integers(0, 60), st.text(alphabet="01:,+*?ax. '\"{}%@\t", max_size=4))
def test_lines_of_weka(tmp_path: Path, line: int, place: int, odd: str) -> None:
    for name in ("weka_j48.csv", "weka_plain.txt", "weka_distribution.csv", "weka_predicted.arff"):
        lines = (DATA / name).read_text().splitlines()
        at = min(line, len(lines) - 1)
        lines[at] = lines[at][:place] + odd + lines[at][place + 1 :]
        file = tmp_path / name
        file.write_text("\n".join(lines))
        read(lambda file=file: te.logs.weka(file, missing="wrong"))


def test_a_zip_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trueerror.sources._bytes.LONGEST_LINE", 1000)
    file = tmp_path / "x.eval"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"eval": {}, "padding": "x" * 5000}))
    with pytest.raises(InputError, match="unpacks to more than"):
        te.logs.inspect(file)
