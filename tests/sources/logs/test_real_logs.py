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
from trueerror.sources.logs.inspect_ai import _open

DATA = Path(__file__).parent / "data"
BIG, SMALL = (DATA / f"inspect_sums_{who}.eval" for who in ("big", "small"))


def accuracy(given: object, model: str | None = None) -> float:
    found = te.evaluate(given if model is None else given.select(model))
    return float(found["accuracy"].estimate)


def own_accuracy(log: Path) -> float:
    """What Inspect itself reports in the header."""
    header, _ = _open(log, False)
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


def test_models_with_unequal_epochs_are_compared_by_the_means_of_their_answers() -> None:
    often, once = DATA / "inspect_doubles_big_epochs.eval", DATA / "inspect_doubles_small.eval"
    for rule in ("error", "wrong"):
        p = te.read([often, once], missing=rule)
        assert p.n == 4
        assert any("small answered questions of doubles once and mockllm/big 3 times" in note for note in p.notes)
        for log, model in ((often, "mockllm/big"), (once, "mockllm/small")):
            assert te.evaluate(p.select(model))["mean_score"].estimate == pytest.approx(own_accuracy(log))
    assert te.compare(te.read([often, once], missing="drop")).pairs
    found = te.repeats([often, once])
    assert [found.model(m).most for m in ("mockllm/big", "mockllm/small")] == [3, 1]


def test_epochs_that_failed_leave_each_question_its_weight() -> None:
    logs = sorted((DATA / "inspect_set").glob("*.eval"))
    p = te.read(DATA / "inspect_set", missing="drop")
    # One task with two settings: what was compared, beside a list of headers that is no log.
    assert p.models == ("mockllm/one, shots=2", "mockllm/one, shots=0")
    assert p.n == 4
    assert any("3 answers have no grade" in note for note in p.notes)
    for log, model in zip(logs, p.models, strict=True):
        assert te.evaluate(p.select(model))["mean_score"].estimate == pytest.approx(own_accuracy(log))
        alone = te.evaluate(te.read(log, missing="drop"))
        assert alone["mean_score"].estimate == pytest.approx(own_accuracy(log))
    assert te.read(logs, missing="wrong").n == 8
    # Inspect's summaries cut texts of more than a thousand letters.
    assert len(te.read(logs, missing="drop", cluster="passage").keys("clusters").names) == 2


def test_samples_that_people_marked_as_invalid_are_not_counted() -> None:
    p = te.read(DATA / "inspect_invalid.eval", missing="drop")
    assert te.evaluate(p)["accuracy"].n == 6
    assert any("marks 1 sample as invalid" in note for note in p.notes)


def test_reduced_epochs_are_named_and_repeats_gives_the_reduced_figure() -> None:
    log = DATA / "inspect_pass_at_2.eval"
    p = te.read(log)
    assert any("by pass_at_2" in note for note in p.notes)
    assert te.repeats(log)["pass@2"].estimate == pytest.approx(own_accuracy(log))
    assert te.repeats(log, grade="match", clusters="passage").model("mockllm/big").answers == 12
    with pytest.raises(InputError, match="ids= names a column"):
        te.repeats(log, ids="question")
    with pytest.raises(InputError, match="models= names 'bog'"):
        te.repeats(log, models=["bog"])


def test_grades_of_a_judge_and_words_and_scales() -> None:
    log = DATA / "inspect_judged.eval"
    header, _ = _open(log, False)
    own = {s["name"]: next(iter(s["metrics"].values()))["value"] for s in header["results"]["scores"]}
    with pytest.raises(InputError, match="1 of 6 rows have no grade"):
        te.read(log, score="model_graded_qa")
    judged = te.evaluate(te.read(log, score="model_graded_qa", missing="drop"))["mean_score"]
    assert (judged.estimate, judged.n) == (pytest.approx(own["model_graded_qa"]), 5)
    assert accuracy(te.read(log, score="in_words")) == pytest.approx(own["in_words"])
    with pytest.raises(FileError, match=r"as in scale=\(1, 5\), or pass right_from="):
        te.read(log, score="stars")
    for asked in ({"score": "stars"}, {"grade": "stars"}):
        stars = te.evaluate(te.read(log, scale=(1, 5), **asked))["mean_score"]
        assert stars.estimate == pytest.approx(own["stars"])
    assert te.evaluate(te.read(log, score="stars", right_from=5))["accuracy"].n == 6
    for wrong in ({"right_from": 3}, {"grade": "stars"}):
        with pytest.raises(InputError):
            te.read(log, score="stars", scale=(1, 5), **wrong)


def test_runs_of_one_model_at_two_times_are_two_models(tmp_path: Path) -> None:
    logs = [DATA / f"inspect_rerun_{which}.eval" for which in ("first", "second")]
    p = te.read(logs)
    assert len(p.models) == 2
    assert all(re.fullmatch(r"mockllm/big, \d{4}-\d\d-\d\dT[\d:]{8}", m) for m in p.models)
    assert [accuracy(p, m) for m in p.models] == [pytest.approx(own_accuracy(log)) for log in logs]
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        shutil.copy(DATA / "mlflow_classic.json", tmp_path / place / "eval_results_table.json")
    assert te.read([tmp_path / "a" / "eval_results_table.json", tmp_path / "b"], score="right").models == ("a", "b")


def test_a_log_without_scores_is_passed_over_beside_others(tmp_path: Path) -> None:
    (tmp_path / "stopped.json").write_text(
        json.dumps({"version": 2, "status": "error", "eval": {"task": "t", "model": "m"}, "samples": [{"id": 1}]})
    )
    with pytest.raises(FileError, match="holds no scores"):
        te.read(tmp_path / "stopped.json")
    shutil.copy(DATA / "squares_tiny-7b.json", tmp_path)
    p = te.read(tmp_path)
    assert p.n == te.read(DATA / "squares_tiny-7b.json").n
    assert any("Left out: stopped.json" in note for note in p.notes)


def test_fields_within_fields(tmp_path: Path) -> None:
    with gzip.open(DATA / "inspect_two_scorers.json.gz", "rt") as file:
        log = json.load(file)
    for sample in log["samples"]:
        sample["metadata"] = {"source": {"text": sample["metadata"]["passage"]}}
    (tmp_path / "log.json").write_text(json.dumps(log))
    p = te.read(tmp_path / "log.json", score="includes", cluster="source.text")
    assert len(p.keys("clusters").names) == 4


def test_several_scorers_in_zip_and_json() -> None:
    packed, plain = DATA / "inspect_two_scorers.eval", DATA / "inspect_two_scorers.json.gz"
    with pytest.raises(InputError, match="several scorers, 'includes', 'several/brief', 'several/right', 'partial'"):
        te.read(packed)
    for name in ("includes", "several/right"):
        assert accuracy(te.read(packed, score=name)) == accuracy(te.read(plain, score=name))
    grades = te.evaluate(te.read(packed, score="partial"))["mean_score"]
    header, _ = _open(packed, False)
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
    assert te.read(logs).models == ("monday", "tuesday")
    with pytest.raises(FileError, match="another run of mockllm/big"):
        te.read([logs[0], logs[0]])
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


def test_a_score_of_promptfoo_that_is_no_number_is_told(tmp_path: Path) -> None:
    file = tmp_path / "evals.csv"
    file.write_text("q,[m] {{q}},Status,Score,Named Scores,Grader Reason,Comment\nx,a,PASS,1.\x0e0,,fine,\n")
    with pytest.raises(FileError, match="neither right nor wrong"):
        te.logs.promptfoo(file, score="score")


def test_tests_of_promptfoo_that_assert_nothing_are_not_right(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="its tests have no assertions"):
        te.read(DATA / "promptfoo_no_assertions.csv")
    for name, head in (("out.yaml", "evalId: eval-7cI\nresults:\n"), ("out.xml", "<promptfoo>\n<evalId>x</evalId>\n")):
        (tmp_path / name).write_text(head)
        with pytest.raises(InputError, match="write them as JSON, with promptfoo export"):
            te.read(tmp_path / name)


def test_lm_eval_documents_make_slices_and_sums_are_refused() -> None:
    p = te.read(DATA / "lm_eval_samples.jsonl", by="subject")
    assert accuracy(p) == 0.7  # as lm_eval's own results say
    assert p.slices() == ("a", "b", "c")
    with pytest.raises(InputError, match="run it with --log_samples"):
        te.read(DATA / "lm_eval_results.json")


def test_lm_eval_filters_and_texts_without_grades() -> None:
    """As lm_eval's own table says: echo .667 by flexible, 0 by strict; texts have perplexity alone."""
    folder = DATA / "acme__dummy"
    with pytest.raises(InputError, match="several filters, 'exact_match,strict', 'exact_match,flexible'"):
        te.read(folder)
    for name, own in (("strict", 0.0), ("flexible", 2 / 3)):
        p = te.read(folder, score=["acc", f"exact_match,{name}"])
        assert (p.models, accuracy(p)) == (("acme/dummy",), pytest.approx(own))
        assert any("word_perplexity, bits_per_byte are of all texts together" in note for note in p.notes)
    with pytest.raises(FileError, match="has no grades of items"):
        te.read(next(folder.glob("samples_texts*")))


@pytest.mark.parametrize("ending", ["csv", "json.gz"])
def test_promptfoo_repeats_are_answers_to_one_test(ending: str) -> None:
    p = te.read(DATA / f"promptfoo_repeats.{ending}")
    assert (p.n, len(p.keys("clusters").names)) == (45, 15)
    assert accuracy(p) == pytest.approx(21 / 45)
    assert te.repeats(DATA / f"promptfoo_repeats.{ending}").model("big").fewest == 3


@pytest.mark.parametrize("ending", ["csv", "json.gz"])
def test_promptfoo_named_scores(ending: str) -> None:
    """As promptfoo's own sums say: right 22 and 12 of 25, brief 23.5 and 18.5."""
    file = DATA / f"promptfoo_named.{ending}"
    right, brief = te.read(file, score="right"), te.read(file, score="brief")
    assert [accuracy(right, m) for m in ("big", "small")] == pytest.approx([0.88, 0.48])
    means = [te.evaluate(brief.select(m))["mean_score"].estimate for m in ("big", "small")]
    assert means == pytest.approx([0.94, 0.74])


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


def test_code_benchmarks(tmp_path: Path) -> None:
    ids = [f"django__django-{i}" for i in range(10)]
    # As swebench/harness/reporting.py (schema 2) writes it.
    swe = {
        "total_instances": 10, "submitted_instances": 9, "resolved_instances": 4, "completed_ids": ids[:7],
        "incomplete_ids": ids[9:], "empty_patch_ids": [ids[8]], "submitted_ids": ids[:9], "resolved_ids": ids[:4],
        "unresolved_ids": ids[4:7], "error_ids": [ids[7]], "schema_version": 2,
    }  # fmt: skip
    (tmp_path / "gpt.run1.json").write_text(json.dumps(swe, indent=4))
    with pytest.raises(InputError, match="missing"):
        te.read(tmp_path / "gpt.run1.json")
    assert accuracy(te.read(tmp_path / "gpt.run1.json", missing="wrong")) == 0.4
    # As evalplus.evaluate (0.3) writes it: "plus" is passed with both.
    answers = [("pass", "pass"), ("pass", "fail"), ("fail", "fail"), ("pass", "pass")]
    found = {
        f"HumanEval/{i}": [
            {"task_id": f"HumanEval/{i}", "base_status": b, "plus_status": p} for b, p in answers[i:] + answers[:i]
        ]
        for i in range(4)
    }
    (tmp_path / "eval_results.json").write_text(json.dumps({"date": "", "hash": "", "eval": found}))
    p = te.read(tmp_path / "eval_results.json")
    assert (accuracy(p), len(p.keys("clusters").names)) == (0.5, 4)
    assert accuracy(te.read(tmp_path / "eval_results.json", score="base")) == 0.75
    lines = [
        {"task_id": f"HumanEval/{i % 5}", "completion": "", "result": "passed", "passed": i < 6} for i in range(10)
    ]
    (tmp_path / "samples_results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    p = te.logs.code_benchmark({"mine": tmp_path / "samples_results.jsonl"})
    assert (p.models, accuracy(p), len(p.keys("clusters").names)) == (("mine",), 0.6, 5)


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


def test_tables_and_traces_of_mlflow(tmp_path: Path) -> None:
    """The means are those that MLflow logged: right .717, brief .6."""
    file = DATA / "mlflow_classic.json"
    assert accuracy(te.read(file, score="right")) == pytest.approx(43 / 60)
    assert te.read(file, score="right", by="topic").slices() == ("a", "b", "c")
    assert te.evaluate(te.read(file, score="brief"))["mean_score"].estimate == pytest.approx(0.6)
    table = json.loads(file.read_text())
    lines = [table["columns"], *table["data"]]
    (tmp_path / "t.csv").write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
    assert accuracy(te.read(tmp_path / "t.csv", score="right")) == pytest.approx(43 / 60)
    packed = "mlflow_genai_eval_results"
    with gzip.open(DATA / f"{packed}.json.gz", "rt") as stream:
        kept = json.load(stream)
    traces = [dict(zip(kept["columns"], row, strict=True)) for row in kept["data"]]
    scored = accuracy(te.read(DATA / f"{packed}.json.gz", missing="drop"))
    plain = [{k: v for k, v in trace.items() if "/" not in k} for trace in traces]
    (tmp_path / "traces.json").write_text(json.dumps(plain))
    assert accuracy(te.read(tmp_path / "traces.json", score="exact", missing="drop")) == pytest.approx(scored)


# deepeval, HELM


def test_deepeval_runs_say_what_deepeval_counted(tmp_path: Path) -> None:
    log = DATA / "deepeval.json"
    own = json.loads(log.read_text())
    assert accuracy(te.read(log)) == pytest.approx(own["testPassed"] / (own["testPassed"] + own["testFailed"]))
    for metric in own["metricsScores"]:
        found = te.evaluate(log, score=metric["metric"])
        assert next(iter(found.copy().values())) == pytest.approx(sum(metric["scores"]) / len(metric["scores"]))
    with pytest.raises(InputError, match=r"'Exakt'.*did you mean 'Exact'"):
        te.read(log, score="Exakt")
    # Two runs pair by the inputs of their tests, in whatever order these ran.
    own["testCases"].reverse()
    (tmp_path / "again.json").write_text(json.dumps({"testRunData": own}))
    assert te.compare(te.read({"new": log, "old": tmp_path / "again.json"}))["new", "old"].estimate == 0


def helm_run(folder: Path, model: str, right: list[int]) -> Path:
    """A run as HELM lays it out: each instance, and a perturbed twin of it, with its statistics."""
    place = folder / f"mmlu:subject=law,model={model}"
    place.mkdir()
    rows = []
    for i, grade in enumerate(right):
        stats = [{"name": {"name": "num_references", "split": "test"}, "count": 1, "mean": 4.0}]
        stats += [
            {"name": {"name": n, "split": "test"}, "count": 1, "mean": grade} for n in ("exact_match", "f1_score")
        ]
        rows.append({"instance_id": f"id{i}", "train_trial_index": 0, "stats": stats})
        rows.append({**rows[-1], "perturbation": {"name": "robustness"}})
    (place / "per_instance_stats.json").write_text(json.dumps(rows, indent=2))
    shown = [
        {"instance_id": f"id{i}", "train_trial_index": 0, "stats": {"exact_match": g}} for i, g in enumerate(right)
    ]
    (place / "display_predictions.json").write_text(json.dumps(shown))
    return place


def test_helm_runs_are_compared_instance_by_instance(tmp_path: Path) -> None:
    place = helm_run(tmp_path, "a", [1, 1, 0, 1])
    helm_run(tmp_path, "b", [1, 0, 0, 0])
    p = te.read(tmp_path)
    assert (p.models, p.n) == (("a", "b"), 4)
    assert te.compare(p)["a", "b"].estimate == 0.5
    assert accuracy(te.read(place / "display_predictions.json")) == accuracy(te.logs.helm(place)) == 0.75
    assert accuracy(te.read(place / "per_instance_stats.json", score="f1_score")) == 0.75
