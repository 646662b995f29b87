"""Results where people keep and check them: MLflow, Weights & Biases, and pytest.

Every number goes with its limits: `accuracy`, `accuracy/low`, `accuracy/high`. The table and the words go along, and
the report where one was written. pytest has the fixture `model_gate`, whose verdicts are listed at the end of a run:

    def test_new_model(model_gate):
        model_gate.not_worse("new.csv", "old.csv", margin=0.01)
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from trueerror.inputs._options import InputError
from trueerror.results import Result
from trueerror.results._format import one_line

if TYPE_CHECKING:
    from trueerror.verbs._gate import Gate

__all__ = ["numbers_of", "to_mlflow", "to_wandb"]
# What the number of a row is called in tables: the first that it has.
ESTIMATES = ("estimate", "elo", "mean_difference")


def numbers_of(result: Result) -> dict[str, float]:
    """The numbers of a result by name, each with its limits: what a tracker plots over runs.

    >>> import trueerror as te
    >>> found = numbers_of(te.evaluate([0, 1, 1, 0] * 25, {"svm": [0, 1, 0, 0] * 25}, metrics=["accuracy"]))
    >>> {name: round(found[name], 3) for name in ("accuracy", "accuracy/low", "accuracy/high")}
    {'accuracy': 0.75, 'accuracy/low': 0.657, 'accuracy/high': 0.825}
    """
    rows = _rows(result)
    several = len({row.get("model") for row in rows}) > 1
    metrics: dict[str, float] = {}
    for row in rows:
        name = _name(row, several)
        if name in metrics:
            name += f"/{row.get('raters') or len(metrics)}"
        values = {name: next((row[k] for k in ESTIMATES if row.get(k) is not None), None)}
        values |= {f"{name}/{end}": row.get(key) for end, key in (("low", "low"), ("high", "high"), ("p", "p_value"))}
        numbers = {k: v for k, v in values.items() if isinstance(v, int | float) and not isinstance(v, bool)}
        metrics |= {k: float(v) for k, v in numbers.items() if math.isfinite(v)}
    if not metrics:
        raise InputError(f"a {type(result).__name__} has no numbers with limits to log: pass what a verb answered")
    return metrics


def to_mlflow(result: Result, *, report: str | os.PathLike[str] | None = None, client: Any = None) -> dict[str, float]:
    """Log a result to the active run of MLflow: its numbers, what it says (trueerror/evaluation.md, .json; likewise
    for other results), the `report`.

    `client` is the module mlflow, or anything with its log_metrics, log_text and log_artifact. The numbers that were
    logged come back. `mlflow.log_metrics(ev)` logs the numbers alone.

        with mlflow.start_run():
            to_mlflow(te.evaluate(y, predicted), report="report.html")
    """
    client = _library("mlflow") if client is None else client
    metrics = {re.sub(r"[^\w\-. /]", "_", name): value for name, value in numbers_of(result).items()}
    client.log_metrics(metrics)
    file = f"trueerror/{type(result).__name__.lower()}"
    client.log_text(result.to_json(), f"{file}.json")
    client.log_text(f"```\n{result}\n```\n", f"{file}.md")
    if report is not None:
        client.log_artifact(os.fspath(report))
    return metrics


def to_wandb(result: Result, *, report: str | os.PathLike[str] | None = None, run: Any = None) -> dict[str, float]:
    """Log a result to a run of Weights & Biases, the active one unless another is given: numbers, table, words, the
    `report`.

    `wandb.log(ev)` and `run.log(ev)` log the numbers alone.

        run = wandb.init(project="churn")
        to_wandb(te.compare(y, predicted), run=run)
    """
    wandb = _library("wandb")
    metrics = numbers_of(result)
    rows = result.records()
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [
        [v if isinstance(v := row.get(name), str | int | float | None) else str(v) for name in names] for row in rows
    ]
    kind = type(result).__name__.lower()
    pages = {f"{kind} table": wandb.Table(columns=names, data=cells, allow_mixed_types=True), kind: str(result)}
    if report is not None:
        with open(report, encoding="utf-8") as page:
            pages["report"] = wandb.Html(page.read())
    (wandb if run is None else run).log({**metrics, **pages})
    return metrics


def _rows(result: Result) -> list[dict[str, Any]]:
    """The rows of a result's table; a comparison has each model's own figure beside."""
    attribute: object = getattr(result, "estimates", None)
    estimates = attribute if isinstance(attribute, Mapping) else {}
    metric = getattr(result, "metric", None)
    rows = [{"model": m, "metric": metric, **i.records()[0]} for m, i in estimates.items()]
    return rows + (result.records() if hasattr(result, "records") else [])


def _name(row: Mapping[str, Any], several: bool) -> str:
    """What a number is called: its metric, with the slice, and the model or the pair that it is of."""
    parts = [str(row["slice"])] if row.get("slice") not in (None, "") else []
    if row.get("first") is not None:
        return "/".join([*parts, f"{row['first']} - {row['second']}"])
    parts += [str(row["model"])] if several and row.get("model") is not None else []
    parts += [
        str(
            next(
                (row[k] for k in ("metric", "coefficient", "what", "name") if row.get(k)),
                "elo" if "elo" in row else "estimate",
            )
        )
    ]
    parts += [str(row["class"])] if row.get("class") not in (None, "") else []
    return "/".join(parts)


def _library(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise InputError(f"{name} is not installed: pip install {name}") from None


class ModelGate:
    """Assertions about models that remember what they found, whether it failed or not."""

    def __init__(self) -> None:
        self.verdicts: list[str] = []

    def not_worse(self, *rows: Any, **options: Any) -> Gate:
        """`te.testing.assert_not_worse`: fails unless the candidate is shown to be not worse, up to the margin."""
        __tracebackhide__ = True
        from trueerror.testing import assert_not_worse

        return self._kept(lambda: assert_not_worse(*rows, **options))

    def at_least(self, *rows: Any, **options: Any) -> Gate:
        """`te.testing.assert_at_least`: fails unless the limit of the metric reaches a value."""
        __tracebackhide__ = True
        from trueerror.testing import assert_at_least

        return self._kept(lambda: assert_at_least(*rows, **options))

    def _kept(self, judge: Callable[[], Gate]) -> Gate:
        __tracebackhide__ = True
        try:
            gate = judge()
        except AssertionError as failed:
            self.verdicts.append(str(failed).strip().split("\n\n")[0])
            raise
        self.verdicts.append(one_line(gate.verdict))
        return gate


def pytest_configure(config: Any) -> None:
    """The fixture `model_gate` and the list of its verdicts, for pytest, which calls this as it starts."""
    import pytest

    kept: list[tuple[str, str]] = []

    class Models:
        """What pytest is given."""

        @pytest.fixture
        def model_gate(self, request: pytest.FixtureRequest) -> Iterator[ModelGate]:
            """Assertions about models; their verdicts are listed after the tests."""
            gate = ModelGate()
            yield gate
            kept.extend((request.node.nodeid, verdict) for verdict in gate.verdicts)

        def pytest_terminal_summary(self, terminalreporter: Any) -> None:
            """The verdicts of all gates, one line each."""
            for number, (place, verdict) in enumerate(kept):
                if number == 0:
                    terminalreporter.section("models")
                terminalreporter.write_line(f"{place}: {verdict}")

    config.pluginmanager.register(Models(), "trueerror-models")
