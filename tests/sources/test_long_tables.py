"""Long tables beyond the memory budget are put side by side in their engine, and counted as any wide table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te
from tests.sources.lazy_places import LAZY, QUIET, _parquet
from trueerror.inputs._options import InputError
from trueerror.sources.engines import _groupby

pytestmark = list(QUIET)
N = 60
MODELS = ("a", "it's {b}?")
rng = np.random.default_rng(3)
TRUTH = rng.integers(0, 2, N)
SCORES = {m: np.round(np.clip(0.3 * TRUTH + 0.6 * rng.random(N), 0, 1), 2) for m in MODELS}
CALLS = {m: [["no", "yes"][int(s > 0.5)] for s in SCORES[m]] for m in MODELS}
DIRECT = te.predictions([["no", "yes"][t] for t in TRUTH], CALLS, scores=SCORES, positive="yes")


def long(**change: Any) -> dict[str, list[Any]]:
    order = rng.permutation(2 * N)
    whose, item = [MODELS[i] for i in order // N], order % N
    columns = {
        "id": (item + 1000).tolist(),
        "model": whose,
        "truth": [["no", "yes"][TRUTH[i]] for i in item],
        "label": [CALLS[m][i] for m, i in zip(whose, item, strict=True)],
        "score": [float(SCORES[m][i]) for m, i in zip(whose, item, strict=True)],
        "site": [["north", "south"][i % 2] for i in item],
    }
    return columns | change


def parquet_file(columns: dict[str, Any], folder: Path) -> Any:
    return _parquet(columns, folder)


@pytest.fixture(params=[parquet_file, *LAZY], ids=lambda place: place.__name__)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[dict[str, Any]], Any]:
    return lambda columns: request.param(columns, tmp_path)


def test_they_are_counted_where_they_are(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_groupby, "GROUPED_BYTES", 60)
    p = te.read(place(long()), positive="yes", by="site", budget="4kB")
    assert type(p.source).__name__ != "ArraySource"
    assert (p.n, p.models) == (N, MODELS)
    for model in MODELS:
        assert p.confusion(model) == DIRECT.confusion(model)
        # Sixty distinct scores fit into this budget, so that the tables are exact.
        assert p.scores(model).scores.tolist() == DIRECT.scores(model).scores.tolist()
        assert p.scores(model).positives.tolist() == DIRECT.scores(model).positives.tolist()
    assert p.agreement(*MODELS) == DIRECT.agreement(*MODELS)
    assert sorted(p.slices()) == ["north", "south"]
    assert p.slice("north").n == N // 2


def test_within_the_budget_they_are_pulled(place: Any) -> None:
    p = te.read(place(long()), positive="yes", models=[MODELS[0]])
    assert type(p.source).__name__ == "ArraySource"
    assert p.confusion(MODELS[0]) == DIRECT.confusion(MODELS[0])


def test_what_does_not_hold_together_is_said(place: Any) -> None:
    columns = long()
    columns["truth"][5] = "yes" if columns["truth"][5] == "no" else "no"
    with pytest.raises(InputError, match=r"column 'truth' of .* differs between rows of one 'id'"):
        te.read(place(columns), budget="4kB")
    columns = long()
    same = next(i for i in range(1, 2 * N) if columns["model"][i] == columns["model"][0])
    columns["id"][same] = columns["id"][0]
    columns["truth"][same], columns["site"][same] = columns["truth"][0], columns["site"][0]
    with pytest.raises(InputError, match="two rows of one model for one 'id'"):
        te.read(place(columns), budget="4kB")


def test_without_ids_they_are_refused_beyond_the_budget(tmp_path: Path) -> None:
    columns = long()
    del columns["id"]
    with pytest.raises(InputError, match=r"long table without an id column .* memory budget is 4kB"):
        te.read(_parquet(columns, tmp_path), budget="4kB")


def test_one_model_that_is_missing_for_an_item_follows_the_rule(tmp_path: Path) -> None:
    columns = {name: values[:-1] for name, values in long().items()}
    p = te.read(_parquet(columns, tmp_path), positive="yes", missing="drop", budget="4kB")
    assert sum(p.absent(m) for m in MODELS) == 1
