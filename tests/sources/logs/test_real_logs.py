"""Files that the tools themselves wrote (`data/make.py`): what they counted is what is read; hostile ones are not."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import zipfile
from pathlib import Path

import pytest

import trueerror as te
from trueerror.cli._app import command_of
from trueerror.inputs._options import FileError, InputError
from trueerror.sources.logs.inspect_ai import _open_zip

DATA = Path(__file__).parent / "data"
BIG, SMALL = (DATA / f"inspect_sums_{who}.eval" for who in ("big", "small"))


def accuracy(given: object, model: str | None = None) -> float:
    found = te.evaluate(given if model is None else given.select(model))
    return float(found["accuracy"].estimate)


def own_accuracy(log: Path) -> float:
    """What Inspect itself reports in the header."""
    header, _ = _open_zip(log)
    return header["results"]["scores"][0]["metrics"]["accuracy"]["value"]


# Inspect


@pytest.mark.parametrize("log", sorted(DATA.glob("inspect_[ds]*.eval")), ids=lambda log: log.stem)
def test_inspect_logs_of_the_current_version_say_what_inspect_counted(log: Path) -> None:
    with zipfile.ZipFile(log) as archive:
        assert {info.compress_type for info in archive.infolist()} == {93}
    assert accuracy(te.read(log)) == pytest.approx(own_accuracy(log))


def test_two_inspect_logs_are_compared_sample_by_sample() -> None:
    p = te.read([BIG, SMALL])
    assert p.models == ("mockllm/big", "mockllm/small")
    assert accuracy(p, "mockllm/small") == pytest.approx(own_accuracy(SMALL))
    found = te.compare(p)["mockllm/big", "mockllm/small"]
    assert found.estimate == pytest.approx(own_accuracy(BIG) - own_accuracy(SMALL))
    assert te.read(str(DATA / "inspect_sums_*.eval")).n == 12


def test_metadata_makes_slices_and_clusters() -> None:
    p = te.read(BIG, by="subject", cluster="passage")
    assert p.slices() == ("algebra", "history", "law")
    assert len(p.keys("clusters").names) == 6
    assert te.read(BIG, by=["subject", "hard"]).slices()[0] == "algebra, False"
    assert te.read([BIG, SMALL], by="task").slices() == ("sums",)
    with pytest.raises(InputError, match="by='sujbect': the log has no such field; did you mean 'subject'"):
        te.read(BIG, by="sujbect")
    with pytest.raises(InputError, match="cluster=True says nothing"):
        te.read(BIG, cluster=True)


def test_epochs_beside_a_task_without_them_leave_each_question_a_cluster() -> None:
    epochs = DATA / "inspect_doubles_big_epochs.eval"
    p = te.read([BIG, epochs])
    assert p.n == 12 + 12
    assert len(p.keys("clusters").names) == 12 + 4
    assert sorted(te.evaluate(p).slices) == ["doubles", "sums"]
    assert not te.read([BIG, epochs], cluster=False).has_key("clusters")


def test_epochs_that_one_model_never_ran_are_not_wrong_answers() -> None:
    logs = [DATA / "inspect_doubles_big_epochs.eval", DATA / "inspect_doubles_small.eval"]
    for rule in ("error", "wrong"):
        with pytest.raises(InputError, match=r"small answered the questions of doubles once and mockllm/big 3 times"):
            te.read(logs, missing=rule)
    assert te.compare(te.read(logs, missing="drop")).pairs


def test_several_scorers_in_zip_and_json() -> None:
    packed, plain = DATA / "inspect_two_scorers.eval", DATA / "inspect_two_scorers.json.gz"
    with pytest.raises(InputError, match="several scorers, 'includes', 'several/brief', 'several/right', 'partial'"):
        te.read(packed)
    for name in ("includes", "several/right"):
        assert accuracy(te.read(packed, score=name)) == accuracy(te.read(plain, score=name))
    grades = te.evaluate(te.read(packed, score="partial"))["mean_score"]
    header, _ = _open_zip(packed)
    assert grades.estimate == pytest.approx(header["results"]["scores"][-1]["metrics"]["mean"]["value"])
    assert accuracy(te.read(packed, score="partial", right_from=0.2)) > 0


def test_folders_of_logs_pass_over_what_is_no_log(tmp_path: Path) -> None:
    for log in (BIG, SMALL):
        shutil.copy(log, tmp_path)
    assert te.read(tmp_path).models == ("mockllm/big", "mockllm/small")
    other = tmp_path / "json"
    other.mkdir()
    shutil.copy(DATA / "squares_tiny-7b.json", other)
    (other / "eval-set.json").write_text('{"logs": []}')
    assert te.read(other).n == te.read(DATA / "squares_tiny-7b.json").n
    assert te.logs.inspect(other).n == te.read(other).n


def test_two_runs_of_one_model_are_named_by_their_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("monday", "tuesday"):
        shutil.copy(BIG, tmp_path / f"{name}.eval")
    logs = [str(tmp_path / f"{name}.eval") for name in ("monday", "tuesday")]
    with pytest.raises(FileError, match="another run of mockllm/big"):
        te.read(logs)
    run("compare", file=logs)
    assert "monday" in capsys.readouterr().out


def run(name: str, **options: object) -> None:
    import inspect

    command = command_of(name)
    usual = {p.name: p.default for p in inspect.signature(command).parameters.values()}
    command(**{**usual, **options})


def test_shell_expanded_lists_of_logs(capsys: pytest.CaptureFixture[str]) -> None:
    run("compare", file=[str(BIG), str(SMALL)], by="subject")
    said = capsys.readouterr().out
    assert "mockllm/big" in said
    assert "3 slices" in " ".join(said.split())
    run("evaluate", file=[str(SMALL), str(DATA / "inspect_doubles_small.eval")])
    assert "With 2 slices" in " ".join(capsys.readouterr().out.split())


def test_a_packed_member_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    """The sizes in a zip's directory are what its writer claims."""
    bytes_ = bytearray(BIG.read_bytes())
    with zipfile.ZipFile(BIG) as archive:
        info = archive.getinfo("summaries.json")
    for place in [m.start() for m in re.finditer(re.escape(info.file_size.to_bytes(4, "little")), bytes(bytes_))]:
        bytes_[place : place + 4] = (100).to_bytes(4, "little")
    liar = tmp_path / "liar.eval"
    liar.write_bytes(bytes_)
    with pytest.raises(FileError, match=r"liar\.eval is damaged"):
        te.read(liar)


def test_a_damaged_packed_member_is_refused(tmp_path: Path) -> None:
    bytes_ = bytearray(BIG.read_bytes())
    with zipfile.ZipFile(BIG) as archive:
        info = archive.getinfo("header.json")
    start = info.header_offset + 30 + len(info.filename) + 40
    bytes_[start : start + 400] = b"\x00" * 400
    broken = tmp_path / "broken.eval"
    broken.write_bytes(bytes_)
    with pytest.raises(FileError, match=r"broken\.eval"):
        te.read(broken)


# WEKA


@pytest.mark.parametrize("file", sorted(DATA.glob("weka3*_spaces_[pd]*")), ids=lambda file: file.name)
def test_weka_classes_with_spaces(file: Path) -> None:
    p = te.read(file)
    assert p.labels == (("tested n", "tested p") if "36" in file.name else ("tested negative", "tested positive"))
    # The confusion matrix of WEKA's own summary.
    assert p.confusion().matrix.tolist() == [[39, 20], [9, 52]]
    area = te.evaluate(p.with_positive(p.labels[1]), metrics=["auc"])["auc"].estimate
    assert area == pytest.approx(0.745, abs=0.02)


# lm-evaluation-harness, promptfoo, MLflow, OpenAI evals, lighteval


def test_lm_eval_documents_make_slices_and_sums_are_refused() -> None:
    p = te.read(DATA / "lm_eval_samples.jsonl", by="subject")
    assert accuracy(p) == 0.7  # as lm_eval's own results say
    assert p.slices() == ("a", "b", "c")
    with pytest.raises(InputError, match="run it with --log_samples"):
        te.read(DATA / "lm_eval_results.json")


@pytest.mark.parametrize("ending", ["json.gz", "jsonl.gz", "csv"])
def test_promptfoo(ending: str) -> None:
    p = te.read(DATA / f"promptfoo.{ending}", by="subject")
    assert p.models == ("big (prompt 1)", "big (prompt 2)", "small (prompt 1)", "small (prompt 2)")
    assert [accuracy(p, m) for m in p.models] == [0.9, 0.9, 0.6, 0.6]
    assert p.slices() == ("a", "b", "c")
    assert te.compare(p)["big (prompt 1)", "small (prompt 1)"].estimate == pytest.approx(0.3)


def test_promptfoo_metadata_groups_tests_and_failed_calls_are_no_answers(tmp_path: Path) -> None:
    packed = DATA / "promptfoo.jsonl.gz"
    assert len(te.read(packed, cluster="passage").keys("clusters").names) == 5
    rows = [json.loads(line) for line in gzip.decompress(packed.read_bytes()).splitlines()]
    rows[0] |= {"success": False, "failureReason": 2}
    file = tmp_path / "run.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match="missing"):
        te.read(file)


@pytest.mark.parametrize("ending", ["csv.gz", "json.gz"])
def test_mlflow_genai(ending: str) -> None:
    """MLflow wrote 35 of 60 traces, and lost the feedback of 4: they have no answer."""
    p = te.read(DATA / f"mlflow_genai_eval_results.{ending}", missing="drop")
    assert te.evaluate(p)["accuracy"].n == 31
    assert accuracy(p) == pytest.approx(27 / 31)


def test_openai_evals(tmp_path: Path) -> None:
    for model, wrong in (("gpt-a", {3}), ("gpt-b", {1, 3, 5})):
        lines = [{"spec": {"completion_fns": [model], "eval_name": "sums.dev.v0", "base_eval": "sums"}}]
        for i in range(8):
            lines.append({"run_id": "r", "event_id": 2 * i, "sample_id": f"sums.dev.{i}", "type": "sampling",
                          "data": {"prompt": [], "sampled": ["7"]}})  # fmt: skip
            lines.append({"run_id": "r", "event_id": 2 * i + 1, "sample_id": f"sums.dev.{i}", "type": "match",
                          "data": {"correct": i not in wrong, "expected": str(i), "picked": "7"}})  # fmt: skip
        lines.append({"final_report": {"accuracy": 0.9}})
        (tmp_path / f"{model}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    p = te.read([tmp_path / "gpt-a.jsonl", tmp_path / "gpt-b.jsonl"])
    assert {m: accuracy(p, m) for m in p.models} == {"gpt-a": 7 / 8, "gpt-b": 5 / 8}


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_lighteval_details(tmp_path: Path, ending: str) -> None:
    rows = [
        {"doc": {"query": f"q{i}", "id": str(i), "specific": {"subject": "ab"[i % 2]}}, "metric": {"acc": float(i < 6)}}
        for i in range(8)
    ]
    folder = tmp_path / "my-model"
    folder.mkdir()
    file = folder / f"details_sums|0_2026-01-01.{ending}"
    if ending == "jsonl":
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        arrow = pytest.importorskip("pyarrow")
        parquet.write_table(arrow.Table.from_pylist(rows), file)
    p = te.read(file, by="subject")
    assert (p.models, accuracy(p), p.slices()) == (("my-model",), 0.75, ("a", "b"))
