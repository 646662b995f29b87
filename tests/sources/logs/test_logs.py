"""Logs of other tools become predictions: who was right is kept, models pair by item, epochs are clusters."""

from __future__ import annotations

import gzip
import json
import math
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError

DATA = Path(__file__).parent / "data"
BIG, SMALL = DATA / "acme__tiny-7b", DATA / "acme__tiny-1b"
RIDDLES = "samples_riddles_2026-03-01T10-15-00.123456.jsonl"
INSPECT = DATA / "squares_tiny-7b.json"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# lm-evaluation-harness


def test_harness_by_te_read() -> None:
    p = te.read(BIG / RIDDLES, score="acc")
    rows = lines(BIG / RIDDLES)
    assert p.models == ("acme/tiny-7b",)
    assert p.n == len(rows) == 24
    assert te.evaluate(p)["accuracy"].estimate == pytest.approx(np.mean([r["acc"] for r in rows]))
    assert te.evaluate(te.logs.lm_eval(BIG / RIDDLES, score="acc_norm"))["accuracy"].estimate == pytest.approx(
        np.mean([r["acc_norm"] for r in rows])
    )


def test_harness_pairs_models_by_item() -> None:
    p = te.read(str(DATA / "*" / "samples_riddles*.jsonl"), score="acc")
    assert p.models == ("acme/tiny-1b", "acme/tiny-7b")
    small, big = ({r["doc_id"]: r["acc"] for r in lines(folder / RIDDLES)} for folder in (SMALL, BIG))
    c = te.compare(p)["acme/tiny-7b", "acme/tiny-1b"]
    only = [sum(a[i] > b[i] for i in big) for a, b in ((big, small), (small, big))]
    assert c.p_value == te.significance.mcnemar(*only).p_value
    assert c.estimate == pytest.approx((only[0] - only[1]) / 24)


def test_several_measures_and_filters_are_not_guessed_between() -> None:
    with pytest.raises(InputError, match="several metrics, 'acc', 'acc_norm'"):
        te.read(BIG / RIDDLES)
    sums = next(BIG.glob("samples_sums*"))
    with pytest.raises(InputError, match="several filters, 'exact_match,strict-match'"):
        te.read(sums)
    with pytest.raises(InputError, match="did you mean 'acc'"):
        te.read(BIG / RIDDLES, score="ac")
    strict = te.evaluate(te.read(sums, score="exact_match,strict-match"))["accuracy"]
    assert (strict.estimate, strict.n) == (pytest.approx(8 / 12), 12)


def test_tasks_are_slices_and_models_are_named(tmp_path: Path) -> None:
    rows = lines(BIG / RIDDLES)
    for task in ("a", "b"):
        for r in rows:
            r.pop("acc_norm")
            r["metrics"] = ["acc"]
        (tmp_path / f"samples_{task}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))
        rows = [{**r, "acc": 1.0 - r["acc"], "acc_norm": 0} for r in rows]
    p = te.logs.lm_eval({"mine": tmp_path})
    assert p.models == ("mine",)
    assert p.n == 48
    ev = te.evaluate(p)
    assert ev["accuracy"].estimate == pytest.approx(0.5)
    assert ev.slices["a"]["accuracy"].estimate + ev.slices["b"]["accuracy"].estimate == pytest.approx(1)


def test_tasks_with_different_metrics() -> None:
    p = te.read(BIG, score=["acc", "exact_match,strict-match"])
    assert p.n == 24 + 12
    ev = te.evaluate(p)
    assert ev.slices["sums"]["accuracy"].estimate == pytest.approx(8 / 12)
    with pytest.raises(InputError, match="has no metric 'acc'"):
        te.read(BIG, score="acc")


def test_gzipped_and_damaged_files(tmp_path: Path) -> None:
    packed = tmp_path / "samples_x.jsonl.gz"
    packed.write_bytes(gzip.compress((BIG / RIDDLES).read_bytes()))
    assert te.read(packed, score="acc").n == 24
    broken = tmp_path / "samples_broken.jsonl"
    broken.write_text((BIG / RIDDLES).read_text() + '{"doc_id": 3, "filtered_resps"')
    with pytest.raises(InputError, match=r"samples_broken.jsonl, line 25: not valid JSON"):
        te.read(broken, score="acc")
    twice = tmp_path / "samples_twice.jsonl"
    twice.write_text((BIG / RIDDLES).read_text() * 2)
    with pytest.raises(InputError, match="item 0 more than once"):
        te.read(twice, score="acc")


def test_scores_between_0_and_1_are_grades_unless_a_line_is_drawn(tmp_path: Path) -> None:
    rows = [{**r, "metrics": ["f1"], "f1": i / 24} for i, r in enumerate(lines(BIG / RIDDLES))]
    file = tmp_path / "samples_f.jsonl"
    file.write_text("".join(json.dumps(r) + "\n" for r in rows))
    assert te.evaluate(te.read(file))["mean_score"].estimate == pytest.approx(np.mean([r["f1"] for r in rows]))
    assert te.evaluate(te.logs.lm_eval(file, right_from=0.5))["accuracy"].estimate == 0.5
    rows[0]["f1"] = 7
    file.write_text("".join(json.dumps(r) + "\n" for r in rows))
    with pytest.raises(InputError, match="right_from"):
        te.read(file)


def test_other_questions_under_the_same_ids_are_refused(tmp_path: Path) -> None:
    rows = [{**r, "doc_hash": "other"} for r in lines(SMALL / RIDDLES)]
    (tmp_path / RIDDLES).write_text("".join(json.dumps(r) + "\n" for r in rows))
    with pytest.raises(InputError, match="different questions"):
        te.logs.lm_eval({"a": BIG / RIDDLES, "b": tmp_path / RIDDLES}, score="acc")


def test_items_that_one_model_lacks(tmp_path: Path) -> None:
    (tmp_path / RIDDLES).write_text("".join(json.dumps(r) + "\n" for r in lines(SMALL / RIDDLES)[:20]))
    both = {"a": BIG / RIDDLES, "b": tmp_path / RIDDLES}
    with pytest.raises(InputError, match="missing"):
        te.logs.lm_eval(both, score="acc")
    assert te.logs.lm_eval(both, score="acc", missing="wrong").absent("b") == 4


# Inspect


def packed(tmp_path: Path, *, summaries: bool, header: str = "header.json") -> Path:
    log = json.loads(INSPECT.read_text())
    file = tmp_path / "2026-03-01_squares.eval"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(header, json.dumps({k: v for k, v in log.items() if k != "samples"}))
        for s in log["samples"]:
            archive.writestr(f"samples/{s['id']}_epoch_{s['epoch']}.json", json.dumps(s))
        if summaries:
            short = [{k: s[k] for k in ("id", "epoch", "input", "target", "scores")} for s in log["samples"]]
            archive.writestr("summaries.json", json.dumps(short))
    return file


def test_inspect_epochs_are_clusters() -> None:
    p = te.read(INSPECT)
    samples = json.loads(INSPECT.read_text())["samples"]
    assert p.models == ("acme/tiny-7b",)
    assert (p.n, len(p.keys("clusters").names)) == (30, 15)
    ev = te.evaluate(p)["accuracy"]
    assert ev.estimate == pytest.approx(np.mean([s["scores"]["match"]["value"] == "C" for s in samples]))
    assert "15 clusters" in ev.note


@pytest.mark.parametrize("summaries", [True, False])
@pytest.mark.parametrize("header", ["header.json", "_journal/start.json"])
def test_inspect_zip_is_the_same(tmp_path: Path, summaries: bool, header: str) -> None:
    plain, zipped = te.read(INSPECT), te.read(packed(tmp_path, summaries=summaries, header=header))
    assert te.evaluate(zipped) == te.evaluate(plain)


def test_inspect_partial_answers_absent_scores_and_status(tmp_path: Path) -> None:
    log = json.loads(INSPECT.read_text())
    log["status"] = "cancelled"
    log["samples"][0]["scores"] = None
    log["samples"][1]["scores"]["match"]["value"] = "P"
    file = tmp_path / "log.json"
    file.write_text(json.dumps(log))
    with pytest.raises(InputError, match="missing"):
        te.read(file)
    assert te.evaluate(te.read(file, missing="drop"))["mean_score"].n == 15
    with pytest.raises(InputError, match="missing"):
        te.logs.inspect(file, right_from=0.5)
    p = te.logs.inspect(file, right_from=0.5, missing="wrong")
    assert p.absent("acme/tiny-7b") == 1
    assert any("cancelled" in note for note in p.notes)


def test_inspect_scorers_with_several_values(tmp_path: Path) -> None:
    log = json.loads(INSPECT.read_text())
    for s in log["samples"]:
        s["scores"]["match"]["value"] = {"exact": 1, "close": 0}
    file = tmp_path / "log.json"
    file.write_text(json.dumps(log))
    with pytest.raises(InputError, match="'match/exact', 'match/close'"):
        te.read(file)
    assert te.evaluate(te.read(file, score="match/close"))["accuracy"].estimate == 0


def test_inspect_damaged_zip(tmp_path: Path) -> None:
    file = tmp_path / "x.eval"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("else.txt", "x")
    with pytest.raises(InputError, match="not a log of Inspect"):
        te.read(file)


# All of them


def test_graded_rows_have_no_classes() -> None:
    p = te.read(BIG / RIDDLES, score="acc")
    assert p.graded
    ev = te.evaluate(p)
    assert list(ev.only.overall) == ["accuracy"]
    assert math.isnan(ev.baseline.estimate)
    assert "Always answering" not in str(ev)
    assert "TE104" not in str(te.check(p))
    assert te.load(ev.to_json()) == ev
    assert not te.predictions(["cat", "dog"] * 9, ["cat"] * 18).graded


def test_tables_are_no_logs_and_logs_take_no_columns(tmp_path: Path) -> None:
    plain = tmp_path / "plain.jsonl"
    plain.write_text("".join(json.dumps({"truth": i % 2, "svm": i % 2, "doc_id": i}) + "\n" for i in range(10)))
    assert not te.read(plain).graded
    with pytest.raises(InputError, match="truth= says how to read a table"):
        te.read(BIG / RIDDLES, truth="target")


def test_gate_and_check_on_logs(tmp_path: Path) -> None:
    for name, folder in (("new", BIG), ("old", SMALL)):
        (tmp_path / name).mkdir()
        shutil.copy(folder / RIDDLES, tmp_path / name / RIDDLES)
    new, old = (te.read(tmp_path / name, score="acc") for name in ("new", "old"))
    assert te.gate(new, old, margin=0.5).decision == "pass"


def test_logs_of_the_bigcode_harness(tmp_path: Path) -> None:
    passed = [[True, False], [False, False], [True, True]]
    log = {
        str(t): [[c, {"task_id": t, "passed": p, "completion_id": c}] for c, p in enumerate(own)]
        for t, own in enumerate(passed)
    }
    (tmp_path / "starcoder_logs.json").write_text(json.dumps(log))
    found = te.read(tmp_path / "starcoder_logs.json")
    assert (found.n, te.evaluate(found)["accuracy"].estimate) == (6, 0.5)
