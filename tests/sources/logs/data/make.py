"""Makes the logs beside this file with the tools themselves, each in an environment that has it:

    python make.py inspect      inspect_ai 0.3.285 (its mock model); inspect_set too
    python make.py lm_eval      lm_eval 0.4.13 (its dummy model)
    python make.py weka JAR     WEKA 3.9 and 3.6 (the jar as a path)
    python make.py mlflow       mlflow 3.17.2; mlflow_classic too
    python make.py promptfoo    promptfoo 0.121.20 (`npm install promptfoo`, on the path)

The first promptfoo.* are made by `promptfoo eval -c promptfoo.yaml -o promptfoo.json -o promptfoo.csv -o
promptfoo.jsonl`, promptfoo_no_assertions.csv the same way from tests without `assert`. Logs that hold
long JSON are gzipped afterwards.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent


def inspect() -> None:
    """Two models on two tasks, with and without epochs, with metadata; several scorers; failed samples."""
    from inspect_ai import Epochs, Task, eval, task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import Score, accuracy, includes, match, mean, model_graded_qa, scorer
    from inspect_ai.solver import generate

    subjects = ("algebra", "history", "law")

    def samples(n: int) -> list[Sample]:
        return [
            Sample(
                id=f"q{i}", input=f"What is {i} + {i}?", target=str(2 * i),
                metadata={"subject": subjects[i % 3], "passage": f"text {i // 2}", "hard": i % 5 == 0},
            )
            for i in range(n)
        ]  # fmt: skip

    def model(name: str, skill: float, n: int, epochs: int = 1):
        chance = random.Random(f"{name}{n}{epochs}")
        outputs = []
        for i in [j for _ in range(epochs) for j in range(n)]:
            answer = str(2 * i) if chance.random() < skill else "no idea"
            output = ModelOutput.from_content(name, answer)
            # Tokens that are counted already are not counted by a tokenizer from the network.
            output.usage = ModelUsage(input_tokens=8, output_tokens=2, total_tokens=10)
            outputs.append(output)
        return get_model(f"mockllm/{name}", custom_outputs=outputs)

    @scorer(metrics=[mean()])
    def partial():
        async def score(state, target):
            return Score(value=(len(state.output.completion) % 5) / 4)

        return score

    @scorer(metrics={"brief": [accuracy()], "right": [accuracy()]})
    def several():
        async def score(state, target):
            text = state.output.completion
            return Score(value={"brief": "C" if len(text) < 5 else "I", "right": "C" if target.text in text else "I"})

        return score

    @scorer(metrics=[accuracy()])
    def in_words():
        async def score(state, target):
            return Score(value="yes" if state.output.completion == target.text else "no")

        return score

    @scorer(metrics=[mean()])
    def stars():
        async def score(state, target):
            return Score(value=5 if state.output.completion == target.text else 2)

        return score

    def out(text: str):
        made = ModelOutput.from_content("grader", text)
        made.usage = ModelUsage(input_tokens=8, output_tokens=2, total_tokens=10)
        return made

    @task
    def judged(n: int = 6):
        verdicts = [out(f"GRADE: {word}") for word in ("C", "P", "I", "?", "P", "C")]
        grader = get_model("mockllm/grader", custom_outputs=verdicts)
        scorers = [model_graded_qa(partial_credit=True, model=grader), in_words(), stars()]
        return Task(dataset=samples(n), solver=generate(), scorer=scorers)

    @task
    def sums(n: int = 12):
        return Task(dataset=samples(n), solver=generate(), scorer=match())

    @task
    def doubles(n: int = 4):
        return Task(dataset=samples(n), solver=generate(), scorer=match())

    @task
    def two_scorers(n: int = 8):
        return Task(dataset=samples(n), solver=generate(), scorer=[includes(), several(), partial()])

    with tempfile.TemporaryDirectory() as folder:

        def run(
            name: str, made, who: str, skill: float, n: int, epochs: int = 1, form: str = "eval", way: str = "mean",
        ) -> None:  # fmt: skip
            logs = Path(folder) / name
            eval(
                made, model=model(who, skill, n, epochs), log_dir=str(logs), log_format=form,
                epochs=Epochs(epochs, way), display="none", max_samples=1, max_connections=1,
            )  # fmt: skip
            (log,) = logs.glob(f"*.{form}")
            shutil.copyfile(log, HERE / f"inspect_{name}.{form}")
            if form == "json":
                subprocess.run(["gzip", "--best", "--force", "--no-name", HERE / f"inspect_{name}.{form}"], check=True)

        run("sums_big", sums(), "big", 0.9, 12)
        run("sums_small", sums(), "small", 0.4, 12)
        run("doubles_big_epochs", doubles(), "big", 0.8, 4, epochs=3)
        run("doubles_small_epochs", doubles(), "small", 0.5, 4, epochs=3)
        run("doubles_small", doubles(), "small", 0.5, 4)
        run("two_scorers", two_scorers(), "big", 0.7, 8)
        run("two_scorers", two_scorers(), "big", 0.7, 8, form="json")
        run("judged", judged(), "big", 0.7, 6)
        run("pass_at_2", doubles(), "big", 0.6, 4, epochs=3, way="pass_at_2")
        for again in ("rerun_first", "rerun_second"):
            run(again, sums(4), "big", 0.5, 4)
            time.sleep(1)  # Inspect tells runs apart by the second.


def inspect_set() -> None:
    """A set of one task with two settings: epochs that failed, long metadata; and a log with invalid samples."""
    from inspect_ai import Task, eval_set, task
    from inspect_ai.dataset import Sample
    from inspect_ai.log import ProvenanceData, invalidate_samples, read_eval_log, write_eval_log
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import match
    from inspect_ai.solver import generate, solver

    chance = random.Random(5)

    def answered(messages, *_):
        output = ModelOutput.from_content("one", messages[-1].text if chance.random() < 0.6 else "no idea")
        output.usage = ModelUsage(input_tokens=8, output_tokens=2, total_tokens=10)
        return output

    @solver
    def flaky(every: int):
        calls = iter(range(1, 1000))

        async def solve(state, generate):
            if next(calls) % every == 0:
                raise RuntimeError("no connection")
            return await generate(state)

        return solve

    @task
    def echo(shots: int = 0):
        samples = [
            Sample(id=f"q{i}", input=str(i), target=str(i), metadata={"passage": "word " * 300 + str(i // 2)})
            for i in range(4)
        ]
        return Task(dataset=samples, solver=[flaky(3 + shots), generate()], scorer=match())

    with tempfile.TemporaryDirectory() as folder:
        eval_set(
            [echo(0), echo(2)], log_dir=folder, model=get_model("mockllm/one", custom_outputs=answered), epochs=2,
            fail_on_error=False, retry_attempts=0, display="none", max_samples=1, max_connections=1, max_tasks=1,
        )  # fmt: skip
        shutil.rmtree(HERE / "inspect_set", ignore_errors=True)
        shutil.copytree(folder, HERE / "inspect_set", ignore=shutil.ignore_patterns(".*"))
    log = read_eval_log(str(min((HERE / "inspect_set").glob("*.eval"))))
    log = invalidate_samples(log, [log.samples[0].uuid], ProvenanceData(author="someone", reason="a wrong question"))
    write_eval_log(log, str(HERE / "inspect_invalid.eval"))
    for file in (HERE / "inspect_invalid.eval", *(HERE / "inspect_set").iterdir()):
        without_paths(file)


def without_paths(file: Path) -> None:
    """The log without the folder of the machine that wrote it: tasks and tracebacks name their files."""
    import zipfile_zstd as zipfile  # a part of Inspect: zip files with Zstandard

    tops = {Path(place).parts[1] for place in (HERE, sys.prefix, tempfile.gettempdir())}
    folder = re.compile(rf"/(?:{'|'.join(map(re.escape, tops))})(?:/[\w.+-]+)*/".encode())

    def cleaned(content: bytes) -> bytes:
        return folder.sub(b"", content)

    if file.suffix != ".eval":
        file.write_bytes(cleaned(file.read_bytes()))
        return
    with zipfile.ZipFile(file) as log:
        members = [(info, cleaned(log.read(info))) for info in log.infolist()]
    with zipfile.ZipFile(file, "w") as log:
        for info, content in members:
            log.writestr(info, content)


def lm_eval() -> None:
    """The dummy model on small tasks of its own: choices, two filters of generated text, perplexity."""
    import json

    with tempfile.TemporaryDirectory() as folder:
        tasks = {
            "parity": (
                [{"question": f"Is {i} even?", "choices": ["yes", "no"], "answer": i % 2, "subject": "abc"[i % 3],
                  "source": {"book": f"b{i // 4}"}} for i in range(30)],
                "output_type: multiple_choice\ndoc_to_text: '{{question}}'\ndoc_to_choice: choices\n"
                "doc_to_target: answer\nmetric_list:\n  - {metric: acc, aggregation: mean, higher_is_better: true}\n",
            ),
            "echo": (
                [{"question": f"say {i}", "answer": "lol" if i % 3 else "#### 7"} for i in range(12)],
                "output_type: generate_until\ndoc_to_text: '{{question}}'\ndoc_to_target: '{{answer}}'\n"
                "generation_kwargs: {until: ['.']}\n"
                "metric_list:\n  - {metric: exact_match, aggregation: mean, higher_is_better: true}\n"
                "filter_list:\n"
                "  - {name: strict, filter: [{function: regex, regex_pattern: '(#+)'}, {function: take_first}]}\n"
                "  - {name: flexible, filter: [{function: regex, regex_pattern: '(lol)'}, {function: take_first}]}\n",
            ),
            "texts": (
                [{"text": f"some text number {i}"} for i in range(6)],
                "output_type: loglikelihood_rolling\ndoc_to_text: ''\ndoc_to_target: '{{text}}'\n"
                "metric_list:\n  - metric: word_perplexity\n  - metric: bits_per_byte\n",
            ),
        }  # fmt: skip
        for name, (rows, rest) in tasks.items():
            docs = Path(folder) / f"{name}.jsonl"
            docs.write_text("".join(json.dumps(row) + "\n" for row in rows))
            (Path(folder) / f"{name}.yaml").write_text(
                f"task: {name}\ndataset_path: json\ndataset_kwargs:\n  data_files:\n    test: {docs}\n"
                f"test_split: test\n{rest}"
            )
        out = Path(folder) / "out"
        subprocess.run(
            [
                sys.executable, "-m", "lm_eval", "--model", "dummy", "--model_args", "pretrained=acme/dummy", "--tasks",
                ",".join(tasks), "--include_path", folder, "--output_path", str(out), "--log_samples",
            ],
            check=True, env={**os.environ, "HF_DATASETS_OFFLINE": "1", "HF_HUB_OFFLINE": "1"},
        )  # fmt: skip
        alone = {"results": "lm_eval_results.json", "samples_parity": "lm_eval_samples.jsonl"}
        for file in (out / "acme__dummy").iterdir():
            name = next((name for begins, name in alone.items() if file.name.startswith(begins)), None)
            shutil.copyfile(file, HERE / name if name else HERE / "acme__dummy" / file.name)


def weka(jar: str) -> None:
    """Trees on classes whose names have spaces, in every form that WEKA writes."""
    chance = random.Random(7)
    lines = ["@relation tests", "@attribute a numeric", "@attribute b numeric"]
    lines += ["@attribute class {'tested negative','tested positive'}", "@data"]
    for _ in range(120):
        a, b = chance.gauss(0, 1), chance.gauss(0, 1)
        lines.append(f"{a:.3f},{b:.3f},'tested {'positive' if a + b + chance.gauss(0, 1) > 0 else 'negative'}'")
    version = "36" if "3.6" in jar or jar.startswith("/usr/share") else "39"
    with tempfile.TemporaryDirectory() as folder:
        arff = Path(folder) / "tests.arff"
        arff.write_text("\n".join(lines) + "\n")
        learner = ["java", "-cp", jar, "weka.classifiers.trees.J48", "-t", str(arff), "-x", "5"]
        if version == "36":
            forms = {"plain.txt": ["-p", "0"], "distribution.txt": ["-p", "0", "-distribution"]}
        else:
            output = "weka.classifiers.evaluation.output.prediction"
            forms = {
                "plain.txt": ["-classifications", f"{output}.PlainText"],
                "distribution.txt": ["-classifications", f"{output}.PlainText -distribution"],
                "plain.csv": ["-classifications", f"{output}.CSV"],
                "distribution.csv": ["-classifications", f"{output}.CSV -distribution"],
                "plain.html": ["-classifications", f"{output}.HTML"],
                "distribution.html": ["-classifications", f"{output}.HTML -distribution"],
            }
        for name, options in forms.items():
            done = subprocess.run([*learner, *options], capture_output=True, text=True, check=True)
            (HERE / f"weka{version}_spaces_{name}").write_text(done.stdout)
        done = subprocess.run([*learner, "-o", "-v"], capture_output=True, text=True, check=True)
        (HERE / f"weka{version}_spaces_summary.txt").write_text(done.stdout)


def mlflow() -> None:
    """The tables of mlflow.models.evaluate and mlflow.genai.evaluate."""
    import mlflow
    import pandas as pd

    chance = random.Random(3)
    rows = pd.DataFrame({"x": range(60), "truth": [chance.random() < 0.5 for _ in range(60)]})
    rows["said"] = [t if chance.random() < 0.8 else not t for t in rows["truth"]]
    with tempfile.TemporaryDirectory() as folder:
        mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
        mlflow.set_experiment("kept")
        with mlflow.start_run():
            made = mlflow.genai.evaluate(
                data=[
                    {"inputs": {"question": f"q{i}"}, "outputs": str(s), "expectations": {"expected_response": str(t)}}
                    for i, (t, s) in enumerate(zip(rows["truth"], rows["said"], strict=True))
                ],
                scorers=[_exact(mlflow)],
            )
        for name, table in made.tables.items():
            table.to_csv(HERE / f"mlflow_genai_{name}.csv", index=False)
            table.to_json(HERE / f"mlflow_genai_{name}.json", orient="split", default_handler=str)


def mlflow_classic() -> None:
    """The table that mlflow.models.evaluate leaves, of two measures of its own kind."""
    import mlflow
    import pandas as pd
    from mlflow.metrics import MetricValue, make_metric

    def right(predictions, targets, metrics):
        scores = [float(p == t) for p, t in zip(predictions, targets, strict=True)]
        return MetricValue(scores=scores, aggregate_results={"mean": sum(scores) / len(scores)})

    def brief(predictions, targets, metrics):
        scores = [len(p) / 4 for p in predictions]
        return MetricValue(scores=scores, justifications=["why"] * len(scores))

    chance = random.Random(3)
    truth = ["yes" if chance.random() < 0.5 else "no" for _ in range(60)]
    said = [t if chance.random() < 0.7 else {"yes": "no", "no": "yes"}[t] for t in truth]
    rows = pd.DataFrame({"inputs": [f"q{i}" for i in range(60)], "topic": list("abc" * 20), "truth": truth})
    measures = [make_metric(eval_fn=f, greater_is_better=True, name=f.__name__) for f in (right, brief)]
    with tempfile.TemporaryDirectory() as folder:
        mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
        with mlflow.start_run() as run:
            mlflow.models.evaluate(
                data=rows.assign(said=said), targets="truth", predictions="said", extra_metrics=measures
            )
        kept = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, dst_path=folder)
        shutil.copyfile(Path(kept) / "eval_results_table.json", HERE / "mlflow_classic.json")


PROVIDER = """module.exports = class {
  constructor(given) { this.skill = given.config.skill; this.name = given.id || 'mine'; }
  id() { return this.name; }
  async callApi(prompt, about) {
    const chance = [...(prompt + this.name)].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 1000, 7) / 1000;
    return {output: chance < this.skill ? String(about.vars.answer) : 'no idea', tokenUsage: {total: 10}};
  }
};
"""


def deepeval() -> None:
    """A run of twelve tests by two metrics of our own, which need no model (DEEPEVAL_RESULTS_FOLDER=out)."""
    from deepeval import evaluate
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase

    class Same(BaseMetric):
        def __init__(self, name: str, threshold: float, otherwise: float) -> None:
            self.name, self.threshold, self.otherwise, self.async_mode = name, threshold, otherwise, False

        def measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
            same = test_case.actual_output == test_case.expected_output
            self.score = 1.0 if same else self.otherwise
            self.success = self.score >= self.threshold
            return self.score

        async def a_measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
            return self.measure(test_case)

        def is_successful(self) -> bool:
            return self.success

        @property
        def __name__(self) -> str:
            return self.name

    chance = random.Random(2)
    cases = [LLMTestCase(f"q{i}?", "yes" if chance.random() < 0.7 else "no", "yes", name=f"t{i}") for i in range(12)]
    evaluate(cases, metrics=[Same("Exact", 1.0, 0.0), Same("Close", 0.3, 0.4)])


def promptfoo() -> None:
    """Two providers with named scores and metadata; and one whose tests are repeated."""
    providers = '[{id: "file://provider.js", label: big, config: {skill: 0.9}}, '
    providers += '{id: "file://provider.js", label: small, config: {skill: 0.5}}]'
    named = [f'prompts: ["What is the capital of {{{{country}}}}?"]\nproviders: {providers}\ntests:']
    named += [
        f'  - vars: {{country: c{i}, answer: town{i}}}\n    metadata: {{region: "{"NSEW"[i % 4]}"}}\n    assert:\n'
        f"      - {{type: contains, value: town{i}, metric: right}}\n"
        '      - {type: javascript, value: "output.length < 7 ? 1 : 0.5", metric: brief, threshold: 0.1}'
        for i in range(25)
    ]
    repeats = ['prompts: ["{{q}}"]\nproviders: [{id: "file://provider.js", label: big, config: {skill: 0.7}}]\ntests:']
    repeats += [
        f'  - vars: {{q: q{i}, answer: "x y z {i}"}}\n    threshold: 0.5\n    assert:\n'
        f'      - {{type: rouge-n, value: "x y z {i}", weight: 2}}\n      - {{type: contains-any, value: ["{i}", z]}}'
        for i in range(15)
    ]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "provider.js").write_text(PROVIDER)
        for name, lines, more in (("named", named, []), ("repeats", repeats, ["--repeat", "3"])):
            (Path(folder) / f"{name}.yaml").write_text("\n".join(lines) + "\n")
            written = [f"promptfoo_{name}.{ending}" for ending in ("json", "csv")]
            subprocess.run(
                ["promptfoo", "eval", "-c", f"{name}.yaml", "--no-cache", "-o", written[0], "-o", written[1], *more],
                cwd=folder, env={**os.environ, "PROMPTFOO_CONFIG_DIR": folder, "PROMPTFOO_DISABLE_TELEMETRY": "1"},
            )  # fmt: skip
            for file in written:
                shutil.copyfile(Path(folder) / file, HERE / file)


def _exact(mlflow):
    @mlflow.genai.scorer
    def exact(outputs, expectations):
        return outputs == expectations["expected_response"]

    return exact


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
