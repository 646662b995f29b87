"""Makes the logs beside this file with the tools themselves, each in an environment that has it:

    python make.py inspect      inspect_ai 0.3.285 (its mock model)
    python make.py lm_eval      lm_eval 0.4.13 (its dummy model)
    python make.py weka JAR     WEKA 3.9 and 3.6 (the jar as a path)
    python make.py mlflow       mlflow 3.17.2

promptfoo's are made by `promptfoo eval -c promptfoo.yaml -o promptfoo.json -o promptfoo.csv -o promptfoo.jsonl`.
What was seen at the time is in `MADE.md`.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent


def inspect() -> None:
    """Two models on two tasks, with and without epochs, with metadata; several scorers; failed samples."""
    from inspect_ai import Task, eval, task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import Score, accuracy, includes, match, mean, scorer
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

        def run(name: str, made, who: str, skill: float, n: int, epochs: int = 1, form: str = "eval") -> None:
            logs = Path(folder) / name
            eval(
                made, model=model(who, skill, n, epochs), log_dir=str(logs), log_format=form, epochs=epochs,
                display="none", max_samples=1, max_connections=1,
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


def lm_eval() -> None:
    """The dummy model on a small task of its own, with documents that say what they are about."""
    import json

    with tempfile.TemporaryDirectory() as folder:
        docs = Path(folder) / "docs.jsonl"
        rows = [
            {"question": f"Is {i} even?", "choices": ["yes", "no"], "answer": i % 2, "subject": "abc"[i % 3]}
            for i in range(30)
        ]
        docs.write_text("".join(json.dumps(r) + "\n" for r in rows))
        (Path(folder) / "parity.yaml").write_text(
            f"task: parity\ndataset_path: json\ndataset_kwargs:\n  data_files:\n    test: {docs}\ntest_split: test\n"
            "output_type: multiple_choice\ndoc_to_text: '{{question}}'\ndoc_to_choice: choices\n"
            "doc_to_target: answer\nmetric_list:\n  - metric: acc\n    aggregation: mean\n"
            "    higher_is_better: true\n"
        )
        out = Path(folder) / "out"
        subprocess.run(
            [
                sys.executable, "-m", "lm_eval", "--model", "dummy", "--tasks", "parity", "--include_path", folder,
                "--output_path", str(out), "--log_samples",
            ],
            check=True, env={**os.environ, "HF_DATASETS_OFFLINE": "1", "HF_HUB_OFFLINE": "1"},
        )  # fmt: skip
        for file in out.rglob("*.json*"):
            shutil.copyfile(file, HERE / f"lm_eval_{'results.json' if file.suffix == '.json' else 'samples.jsonl'}")


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


def _exact(mlflow):
    @mlflow.genai.scorer
    def exact(outputs, expectations):
        return outputs == expectations["expected_response"]

    return exact


if __name__ == "__main__":
    {"inspect": inspect, "lm_eval": lm_eval, "weka": weka, "mlflow": mlflow}[sys.argv[1]](*sys.argv[2:])
