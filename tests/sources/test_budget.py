"""Beyond the memory budget: binned score tables whose bounds hold the exact values, on files and on every engine."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import trueerror as te
from tests.sources.lazy_places import LAZY, QUIET, _parquet, dask_frame, ibis_table, sqlite_table
from trueerror.inputs._options import InputError
from trueerror.metrics.scores import auc
from trueerror.sources.engines._duckdb import StreamedCounts
from trueerror.sources.engines._groupby import RANKED_BYTES
from trueerror.sources.engines._narwhals import LazyTable

pytestmark = list(QUIET)
N = 4000
rng = np.random.default_rng(5)
UP = rng.random(N) < 0.3
BASE = rng.normal(size=N) + UP
SCORES: dict[str, Any] = {
    "even": 1 / (1 + np.exp(-BASE)),
    "tiny": np.exp(6 * (BASE - 4) + rng.normal(size=N)),
    "tied": np.where(rng.random(N) < 0.6, 0.25, np.round(1 / (1 + np.exp(-BASE)), 2)),
    "wide": 1e6 * BASE - 3,
}
EXACT = te.predictions(UP, scores=SCORES)


def parquet_file(columns: dict[str, Any], folder: Path) -> Any:
    return _parquet(columns, folder)


@pytest.fixture(params=[parquet_file, *LAZY], ids=lambda place: place.__name__)
def p(request: pytest.FixtureRequest, tmp_path: Path) -> te.Predictions:
    made: Callable[..., Any] = request.param
    frame = made({"truth": UP.astype(int), **SCORES}, tmp_path)
    return te.read(frame, models={name: {"score": name} for name in SCORES}, budget="250kB")


@pytest.fixture
def names(request: pytest.FixtureRequest) -> list[str]:
    """Every query is a job in Spark, so that a part must do there."""
    return ["even", "tied"] if "spark" in request.node.name else list(SCORES)


def test_bounds_hold_the_exact_values(p: te.Predictions, names: list[str]) -> None:
    for model in (name for name in names if name != "tied"):
        table, exact = p.scores(model), EXACT.scores(model)
        assert not table.exact
        assert (table.n_positive, table.n_negative) == (exact.n_positive, exact.n_negative)
        low, high = table.bounds.auc()
        assert low <= auc(exact) <= high
        # 250 kB allow few bins, and they are cut again and again where rows crowd.
        assert high - low < 1e-3
        curve = te.roc(p, model=model)
        at = float(np.quantile(SCORES[model], 0.7))
        truth = (SCORES[model] >= at)[UP].mean()
        found = table.bounds.at(at)
        assert found.tpr.low <= truth <= found.tpr.high
        # The points of the curve are at the bins' own thresholds, where nothing is open.
        thresholds = curve.thresholds[1:]
        rates = [(SCORES[model] >= t)[UP].mean() for t in thresholds]
        assert curve.tpr[1:] == pytest.approx(rates)
        interval, sharp = curve.auc(), te.roc(EXACT, model=model).auc()
        assert interval.low <= sharp.low
        assert interval.high >= sharp.high
        assert "binned scores: the exact value lies in" in interval.note


def test_few_distinct_scores_stay_exact(p: te.Predictions) -> None:
    assert p.scores("tied") == EXACT.scores("tied")


def test_paired_areas(p: te.Predictions, names: list[str]) -> None:
    # "wide" ranks the rows just as "even" does.
    models = [name for name in names if name != "wide"]
    ours, theirs = (te.compare(x.select(models), metric="auc") for x in (p, EXACT))
    for mine, exact in zip(ours.pairs, theirs.pairs, strict=True):
        assert mine.estimate == pytest.approx(exact.estimate, abs=2e-2)
        assert mine.low <= exact.low
        assert mine.high >= exact.high
        assert mine.p_value >= exact.p_value * 0.999
        assert mine.high - mine.low < 1.6 * (exact.high - exact.low)
    assert any("binned scores: the exact difference lies within" in mine.note for mine in ours.pairs)


def test_the_target_is_reached_where_the_budget_allows(tmp_path: Path) -> None:
    path = parquet_file({"truth": UP.astype(int), **SCORES}, tmp_path)
    read = te.read(path, models={name: {"score": name} for name in SCORES}, budget="300kB")
    # The skewed and the heavily tied ones need bins where the rows are.
    for model in SCORES:
        table = read.scores(model)
        low, high = table.bounds.auc()
        assert low <= auc(EXACT.scores(model)) <= high
        assert high - low < 2e-4


@pytest.mark.parametrize("make", LAZY[:2], ids=lambda place: place.__name__)
def test_rows_that_share_the_lowest_score_are_known_to_be_tied(make: Callable[..., Any], tmp_path: Path) -> None:
    certain = np.where(rng.random(N) < 0.4, 0.0, np.where(rng.random(N) < 0.3, 1.0, SCORES["tiny"]))
    # A sample from the top shows none of it.
    order = np.argsort(certain == 0, kind="stable")
    frame = make({"truth": UP[order].astype(int), "m": certain[order]}, tmp_path)
    table = te.read(frame, models={"m": {"score": "m"}}, budget="100kB").scores("m")
    exact = te.ScoreTable.count(UP, certain, positive=True)
    low, high = table.bounds.auc()
    assert not table.exact
    assert low <= auc(exact) <= high
    assert high - low < 2e-4
    assert table.positives[0] == UP[certain == 0].sum()


def test_gaps_and_weights(tmp_path: Path) -> None:
    holes = SCORES["even"].copy()
    holes[:50] = np.nan
    weights = rng.integers(0, 3, N)
    path = parquet_file({"truth": UP.astype(int), "m": holes, "w": weights}, tmp_path)
    dropped = te.read(path, models={"m": {"score": "m"}}, missing="drop", budget="60kB").scores("m")
    assert not dropped.exact
    assert dropped.n == N - 50
    exact = te.ScoreTable.count(UP[50:], holes[50:], positive=True)
    low, high = dropped.bounds.auc()
    assert low <= auc(exact) <= high
    with pytest.raises(InputError, match="no score in 50 rows"):
        te.read(path, models={"m": {"score": "m"}}, missing="wrong", budget="60kB").scores("m")
    counted = te.read(
        path, models={"m": {"score": "m"}}, missing="drop", weight="w", weights_kind="frequency", budget="60kB"
    ).scores("m")
    assert counted.n == weights[50:].sum()


@pytest.mark.parametrize("make", [parquet_file, *LAZY], ids=lambda place: place.__name__)
def test_models_with_gaps_are_compared_on_the_rows_that_both_answered(make: Callable[..., Any], tmp_path: Path) -> None:
    gone = {"even": slice(0, 300), "tiny": slice(200, 900), "tied": slice(3900, N)}
    models = ["even", "tiny"] if make is LAZY[-1] else list(gone)
    holes = {
        m: [None if gone[m].start <= i < gone[m].stop else float(v) for i, v in enumerate(SCORES[m])] for m in models
    }
    frame = make({"truth": UP.astype(int).tolist(), **holes}, tmp_path)
    named = {m: {"score": m} for m in models}
    ours = te.read(frame, models=named, missing="drop", budget="150kB")
    theirs = te.predictions(UP, scores={m: np.array(v, dtype=float) for m, v in holes.items()}, missing="drop")
    made, sharp = (te.compare(x, metric="auc") for x in (ours, theirs))
    for mine, exact in zip(made.pairs, sharp.pairs, strict=True):
        assert mine.n == exact.n < N
        # How much wider all pairs together make them follows from how they go together, which bins change a little.
        assert mine.low <= exact.low + 1e-5 < exact.high - 1e-5 <= mine.high
        assert mine.p_value >= exact.p_value * 0.999
        assert mine.high - mine.low < 1.6 * (exact.high - exact.low)
        assert "binned scores: the exact difference lies within" in mine.note
    assert f"Two models are compared on the {min(c.n for c in sharp.pairs):,}" in made.reading
    for model in models:
        own, exact_own = made.estimates[model], sharp.estimates[model]
        assert own.n == exact_own.n
        assert own.low <= exact_own.low < exact_own.high <= own.high
    # As few rows as both answered may fit where all do not: then nothing is binned.
    answered = int((~np.isnan([np.array(holes[m], dtype=float) for m in models[:2]]).any(axis=0)).sum())
    room = te.read(frame, models=named, missing="drop", budget=answered * 3 * RANKED_BYTES + 64).select(models[:2])
    close = te.compare(room, metric="auc").pairs[0]
    alone = te.compare(theirs.select(models[:2]), metric="auc").pairs[0]
    assert (close.estimate, close.low, close.n) == (alone.estimate, alone.low, answered)
    if make is parquet_file:
        with pytest.raises(InputError, match="no score in 300 rows"):
            te.read(frame, models=named, missing="wrong", budget="60kB").source.placements(["even", "tiny"])


@pytest.mark.parametrize("make", [parquet_file, LAZY[1]], ids=lambda place: place.__name__)
@pytest.mark.parametrize("metric", ["brier", "log_loss"])
def test_losses_are_compared_batch_by_batch(make: Callable[..., Any], metric: str, tmp_path: Path) -> None:
    other = np.clip(SCORES["even"] ** 2, 1e-9, 1)
    holes = {"even": SCORES["even"].copy(), "other": other}
    holes["even"][:400] = np.nan
    named = {m: {"score": m} for m in holes}
    for columns in ({"even": SCORES["even"], "other": other}, holes):
        filled = {m: [None if v != v else float(v) for v in values] for m, values in columns.items()}
        frame = make({"truth": UP.astype(int).tolist(), **filled}, tmp_path)
        ours = te.read(frame, models=named, missing="drop", budget="40kB")
        theirs = te.predictions(UP, scores=columns, missing="drop")
        mine, exact = (te.compare(x, metric=metric).pairs[0] for x in (ours, theirs))
        assert mine.n == exact.n
        assert (mine.estimate, mine.low, mine.p_value) == pytest.approx((exact.estimate, exact.low, exact.p_value))
    wrong = te.read(frame, models=named, missing="wrong", budget="40kB")
    with pytest.raises(InputError, match="no score in 400 rows"):
        wrong.source.paired_moments("even", "other", lambda codes, table: table[:, 0])


def test_slices_of_models_with_gaps(tmp_path: Path) -> None:
    site = np.where(np.arange(N) % 3 == 0, "x'y", "z")
    holes = {"even": SCORES["even"].copy(), "tiny": SCORES["tiny"].copy()}
    for scores in holes.values():
        scores[:400] = np.nan
    path = parquet_file({"truth": UP.astype(int), "site": site, **holes}, tmp_path)
    named = {m: {"score": m} for m in holes}
    ours = te.read(path, models=named, by="site", missing="drop", budget="60kB")
    theirs = te.predictions(UP, scores=holes, by=site, missing="drop")
    made, sharp = (te.compare(x, metric="auc") for x in (ours, theirs))
    for value in ("x'y", "z"):
        mine, exact = made.slices[value].pairs[0], sharp.slices[value].pairs[0]
        assert mine.n == exact.n
        assert mine.low <= exact.low < exact.high <= mine.high


def test_the_budget_may_be_set_for_all(tmp_path: Path) -> None:
    path = parquet_file({"truth": UP.astype(int), "even": SCORES["even"]}, tmp_path)
    te.config(budget="20kB")
    try:
        assert not te.read(path).scores("even").exact
        with pytest.raises(InputError, match="memory budget is 20kB"):
            te.read(path).source.fetched()
        found = te.read(path).moments("even", lambda codes, table: table[:, 0])
        negatives = 1 - SCORES["even"]
        assert found.mean == pytest.approx(negatives.mean(), rel=1e-12)
        assert found.squares == pytest.approx(((negatives - negatives.mean()) ** 2).sum(), rel=1e-12)
    finally:
        te.config(budget="2GB")
    assert te.read(path).scores("even").exact
    with pytest.raises(InputError, match="not an amount of memory"):
        te.read(path, budget="much")


def test_the_result_says_what_was_done(tmp_path: Path) -> None:
    path = parquet_file({"truth": UP.astype(int), "even": SCORES["even"]}, tmp_path)
    p = te.read(path, budget="60kB")
    assert "in bins" not in str(p)
    evaluation = te.evaluate(p)
    assert "Scores are in bins, since exact tables would take more than the memory budget of 60kB" in str(
        evaluation.reading
    )
    assert "binned scores: the exact value lies in" in evaluation["auc"].note
    curve = te.roc(p)
    inside = float((p.scores().scores[100] + p.scores().uppers[100]) / 2)
    assert "binned scores: the exact TPR lies in" in curve.at(threshold=inside).note
    assert curve.at(threshold=float(p.scores().scores[100])).note == ""
    low, high = p.scores().bounds.average_precision()
    exact = te.precision_recall(EXACT, model="even").average_precision()
    assert low <= exact.estimate <= high
    found = te.precision_recall(p).average_precision()
    assert "binned scores: the exact value lies in" in found.note
    assert found.low <= exact.low
    assert found.high >= exact.high
    assert "in bins" not in str(te.evaluate(te.read(path)).reading)


def test_everything_can_be_said_of_rows_that_do_not_fit(tmp_path: Path) -> None:
    path = parquet_file({"truth": UP.astype(int), "even": SCORES["even"], "other": SCORES["even"] ** 2}, tmp_path)
    p = te.read(path, models={"even": {"score": "even"}, "other": {"score": "other"}}, budget="20kB")
    evaluation = te.evaluate(p.select(["even"]))
    assert "a larger budget narrows that" in str(evaluation.reading)
    # Ranking rows by confidence needs the rows.
    assert "most confident" not in str(evaluation)
    assert "Scores are in bins" in evaluation.explain()
    assert "binned scores" in evaluation.to_json()
    whole = te.read(path, models={"even": {"score": "even"}, "other": {"score": "other"}})
    assert {f.code for f in te.check(p)} == {f.code for f in te.check(whole)}
    report = tmp_path / "report.html"
    te.report(p, report)
    assert "binned scores, rates within a bin off by" in report.read_text(encoding="utf-8")


def test_exact_tables_of_many_models_stay_within_the_budget(tmp_path: Path) -> None:
    columns = {f"m{i}_score": np.random.default_rng(i).random(N) + UP for i in range(12)}
    budget = 250 * N
    many = te.read(parquet_file({"truth": UP.astype(int), **columns}, tmp_path), budget=budget)
    areas = [many.scores(model) for model in many.models]
    assert all(table.exact for table in areas)
    kept = [t for key, t in many._memory.items() if key[0] == "scores"]
    assert sum(table.nbytes for table in kept) <= budget // 2
    # The first and the last stay; what was let go is counted again to the same table. Rows in memory keep all theirs.
    assert kept[0] is areas[0]
    assert kept[-1] is areas[-1]
    assert te.metric("auc", many, model="m7") == auc(areas[7])
    # One that someone holds is not counted again; it is once nobody does.
    assert many.scores("m7") is areas[7]
    del areas, kept
    gc.collect()
    assert not many._held
    held = te.predictions(UP, scores=columns)
    assert [held.scores(m) is held.scores(m) for m in held.models] == [True] * 12


def test_who_holds_the_curves_of_all_models_has_each_table_counted_once(tmp_path: Path) -> None:
    columns = {f"m{i}_score": np.random.default_rng(i).random(N) + UP for i in range(12)}
    many = te.read(parquet_file({"truth": UP.astype(int), **columns}, tmp_path), budget=250 * N)

    def kept() -> list[te.ScoreTable]:
        return [table for key, table in many._memory.items() if key[0] == "scores"]

    with many._tables_kept():
        first = [id(many.scores(model)) for model in many.models]
        assert [id(many.scores(model)) for model in many.models] == first
        assert len(kept()) == 12
    assert sum(table.nbytes for table in kept()) <= 250 * N // 4


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("metric", ["auc", "average_precision"])
def test_different_rows_that_do_not_fit(metric: str, alternative: Any, tmp_path: Path) -> None:
    halves = [slice(0, 1700), slice(1700, N)]
    exact = [te.predictions(UP[part], scores={"m": SCORES["even"][part]}) for part in halves]
    ours = []
    for i, part in enumerate(halves):
        (tmp_path / str(i)).mkdir()
        path = parquet_file({"truth": UP[part].astype(int), "m": SCORES["even"][part]}, tmp_path / str(i))
        ours.append(te.read(path, models={"m": {"score": "m"}}, budget="8kB"))
    mine, sharp = (
        te.compare(*pair, metric=metric, paired=False, alternative=alternative).pairs[0] for pair in (ours, exact)
    )
    assert mine.low <= sharp.low
    assert mine.high >= sharp.high
    assert mine.p_value >= sharp.p_value
    assert "binned scores: the exact difference lies within" in mine.note


@pytest.mark.parametrize("lazy", [False, True])
def test_clusters_beyond_the_budget_say_so_and_how_much_is_enough(tmp_path: Path, lazy: bool) -> None:
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(1)
    n = 20_057
    truth = rng.integers(0, 2, n)
    models = {name: rng.random(n) * 0.7 + 0.3 * truth for name in ("a", "b", "c")}
    frame = pl.DataFrame({"truth": truth, "patient": np.arange(n) // 3, **models})
    frame.write_parquet(tmp_path / "rows.parquet")
    source = frame.lazy() if lazy else tmp_path / "rows.parquet"
    with pytest.raises(
        InputError, match=r"rows in clusters are not binned.*cluster=False.*budget=\"[\d.]+kB\""
    ) as said:
        te.evaluate(te.read(source, budget="100kB"))
    enough = str(said.value).split('budget="')[1].rstrip('"')
    found = te.evaluate(te.read(source, budget=enough))
    assert "clusters" in found.model("a")["auc"].note
    assert te.compare(te.read(source, budget=enough), metric="auc").models == ("a", "b", "c")
    binned = te.evaluate(te.read(source, budget="100kB", cluster=False))
    assert "binned" in str(binned.model("a")["auc"])


UNDER_A_LIMIT = """
import resource, sys
import duckdb, trueerror as te
folder, budget = sys.argv[1:]
duckdb.execute("SET enable_progress_bar = false")

def made(rows):
    path = f"{folder}/{rows}.parquet"
    score = "(hash(i) % 10 < 3)::INT * 0.2 + (hash(i * 3 + {}) % 100000007) / 130000010.0 AS {}"
    duckdb.execute(f"COPY (SELECT (hash(i) % 10 < 3)::INT AS truth, {score.format(1, 'a')}, {score.format(2, 'b')} "
                   f"FROM range({rows}) t(i)) TO '{path}'")
    return te.read(path, budget=budget)

verbs = [
    lambda p: te.evaluate(p), lambda p: te.check(p), lambda p: te.roc(p, model="a").auc(),
    *(lambda p, m=m: te.compare(p, metric=m) for m in ("accuracy", "auc", "brier", "log_loss")),
]
small, large = made(5_000), made(4_000_000)
for verb in verbs:  # what is loaded and started once does not count
    verb(small)
with open("/proc/self/statm") as now:
    used = int(now.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 600 * 2**20,) * 2)
for verb in verbs:
    verb(large)
print("done")
"""


@pytest.mark.slow
def test_every_verb_stays_within_a_hard_limit_of_memory(tmp_path: Path) -> None:
    ends = {}
    for budget in ("20MB", "8GB"):
        command = [sys.executable, "-W", "ignore", "-c", UNDER_A_LIMIT, str(tmp_path), budget]
        done = subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, "MALLOC_ARENA_MAX": "2"}, check=False
        )
        ends[budget] = (done.stdout.strip(), done.stderr[-2000:])
    assert ends["20MB"][0] == "done", ends["20MB"][1]
    # The limit is one that bites: without a budget the exact tables of the same rows do not fit.
    assert ends["8GB"][0] == "", "the limit is too wide to show anything"


def _hostile() -> dict[str, tuple[Any, Any]]:
    """Layouts of scores that no grid of equal steps, or of leading bits, suits."""
    n, rng = 6_000, np.random.default_rng(8)
    up = rng.random(n) < 0.3
    u, z = rng.random(n), rng.normal(size=n) + up
    spikes = np.where(rng.random(n) < 0.5 + 0.1 * up, 0.999999 + 1e-9 * u, 1e-6 + 1e-12 * u)
    rare = np.arange(n) % 1500 == 7
    return {
        "close to a half": (up, 0.5 + 1e-9 * (u + 0.3 * up)),
        "mostly ties": (up, np.where(rng.random(n) < 0.99, 0.25, u + 0.1 * up)),
        "powers": (up, 10.0 ** (-300 * u) * (1 + up)),
        "powers and zeros": (up, np.where(u < 0.3, 0.0, 10.0 ** (-300 * rng.random(n)) * (1 + up))),
        "powers of both signs": (up, np.sign(u - 0.5) * 10.0 ** (-200 * rng.random(n))),
        "denormals": (up, 5e-324 * np.floor(1e6 * (u + 0.2 * up))),
        "two spikes": (up, spikes),
        "steep": (up, 1 / (1 + np.exp(-12 * z))),
        "zeros of both signs": (up, np.where(u < 0.3, -0.0, np.where(u < 0.6, 0.0, z))),
        "heavy tails": (up, 1e3 * np.tan(np.pi * (u - 0.5)) + up),
        "rare positives": (rare, 0.5 * u + 0.5 * rare * rng.random(n)),
        "in order": (np.sort(up), np.sort(z)),
        "four digits": (up, np.round(1 / (1 + np.exp(-z)), 4)),
    }


HOSTILE = _hostile()


def float_file(columns: dict[str, Any], folder: Path) -> Any:
    return _parquet({c: v if c == "truth" else v.astype(np.float32) for c, v in columns.items()}, folder)


@pytest.mark.parametrize("make", [parquet_file, float_file, *LAZY[:2]], ids=lambda place: place.__name__)
@pytest.mark.parametrize("layout", HOSTILE)
def test_limits_hold_the_exact_ones_however_scores_lie(
    layout: str, make: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    up, scores = HOSTILE[layout]
    scores = scores.astype(np.float32).astype(np.float64) if make is float_file else scores
    other = scores[np.random.default_rng(9).permutation(len(scores))]
    looks = []
    for place, name in ((StreamedCounts, "_pass"), (StreamedCounts, "_placements"), (LazyTable, "group_bins")):
        before = getattr(place, name)
        counted = lambda *given, before=before, **more: (looks.append(1), before(*given, **more))[1]  # noqa: E731
        monkeypatch.setattr(place, name, counted)
    frame = make({"truth": up.astype(int), "a": scores, "b": other}, tmp_path)
    models = {m: {"score": m} for m in "ab"}
    found = te.compare(te.read(frame, models=models, budget="400kB"), metric="auc")
    exact = te.compare(te.predictions(up, scores={"a": scores, "b": other}), metric="auc")
    for mine, sharp in ((found["a", "b"], exact["a", "b"]), *((found.estimates[m], exact.estimates[m]) for m in "ab")):
        # How heavy the tails of placements are is not counted there: t has the degrees of freedom of the class sizes.
        near = 0.02 * (sharp.high - sharp.low)
        assert mine.low <= sharp.low + near
        assert mine.high >= sharp.high - near
    assert found["a", "b"].p_value >= exact["a", "b"].p_value - 0.002
    # A few bins only, of all models by the same looks: once, and once more where some are split.
    assert len(looks) <= (2 if "lazy" in make.__name__ else 5)


@pytest.mark.filterwarnings("ignore:The .future.infer_string")
@pytest.mark.parametrize("make", [sqlite_table, dask_frame, ibis_table], ids=lambda place: place.__name__)
def test_engines_beside_the_usual_ones_count_bins_too(make: Callable[..., Any], tmp_path: Path) -> None:
    columns = {"truth": UP.astype(int).tolist(), **{m: SCORES[m].tolist() for m in ("even", "tiny", "wide")}}
    p = te.read(make(columns, tmp_path), truth="truth", models=["even", "tiny", "wide"], budget="250kB")
    found, exact = (te.compare(x, metric="auc") for x in (p, EXACT.select(["even", "tiny", "wide"])))
    for mine, sharp in zip(found.pairs, exact.pairs, strict=True):
        assert mine.low <= sharp.low <= sharp.high <= mine.high


def test_areas_of_a_pair_come_from_the_same_bins_and_one_model_is_exact(tmp_path: Path) -> None:
    """A table of distinct scores fits, two models side by side do not: each by itself stays exact."""
    n, rng = 60_000, np.random.default_rng(3)
    up = rng.random(n) < 0.4
    columns = {m: np.round(rng.random(n) * 0.7 + 0.3 * up, 4).astype(np.float32) for m in "ab"}
    p = te.read(parquet_file({"truth": up.astype(int), **columns}, tmp_path), models=list("ab"), budget="4MB")
    exact = te.predictions(up, scores={m: v.astype(np.float64) for m, v in columns.items()})
    assert p.scores("a") == exact.scores("a")
    compared, sharp = te.compare(p, metric="auc")["a", "b"], te.compare(exact, metric="auc")["a", "b"]
    assert compared.low <= sharp.low + 1e-12 <= sharp.high <= compared.high + 1e-12
    assert p.scores("a").exact


@pytest.mark.parametrize("threads", [1, 3])
def test_any_number_of_threads_gives_the_same_bins(threads: int, tmp_path: Path) -> None:
    n, rng = 300_000, np.random.default_rng(4)
    up = rng.random(n) < 0.4
    columns = {m: (rng.random(n) * 0.7 + 0.3 * up).astype(np.float32) for m in "ab"}
    path = parquet_file({"truth": up.astype(int), **columns}, tmp_path)
    found = []
    try:
        for k in (threads, 2):
            te.config(threads=k)
            found.append(te.compare(te.read(path, models=list("ab"), budget="4MB"), metric="auc"))
    finally:
        te.config(threads=None)
    assert found[0].pairs == found[1].pairs
    assert found[0].estimates == found[1].estimates


PASSES = """
import json, sys
from pathlib import Path
from pyspark.sql import SparkSession
import trueerror as te
folder, path = sys.argv[1:]
settings = {"spark.ui.enabled": "false", "spark.eventLog.enabled": "true", "spark.eventLog.dir": Path(folder).as_uri(),
            "spark.eventLog.compress": "false", "spark.eventLog.rolling.enabled": "false", "spark.driver.memory": "1g",
            "spark.sql.shuffle.partitions": "2", "spark.log.level": "ERROR"}
builder = SparkSession.builder.master("local[1]")
for name, value in settings.items():
    builder = builder.config(name, value)
session = builder.getOrCreate()
te.compare(te.read(session.read.parquet(path), truth="truth", models=list("abc"), budget="20MB"), metric="auc")
session.stop()
read = jobs = 0
for log in Path(folder).iterdir():
    for event in map(json.loads, log.read_text().splitlines()):
        jobs += event["Event"] == "SparkListenerJobStart"
        if event["Event"] == "SparkListenerTaskEnd":
            read += event["Task Metrics"]["Input Metrics"]["Records Read"]
print(read, jobs)
"""


@pytest.mark.slow
def test_spark_reads_every_row_four_times_at_most(tmp_path: Path) -> None:
    """By its own log: ranges and labels, bins of all models, those that were split, placements of all pairs."""
    pytest.importorskip("pyspark")
    if not shutil.which("java") and not os.environ.get("JAVA_HOME"):
        pytest.skip("Spark needs Java 17")
    n, rng = 400_000, np.random.default_rng(6)
    up = rng.random(n) < 0.3
    path = parquet_file({"truth": up.astype(int), **{m: rng.random(n) + 0.3 * up for m in "abc"}}, tmp_path)
    (log := tmp_path / "log").mkdir()
    command = [sys.executable, "-W", "ignore", "-c", PASSES, str(log), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=400)
    read, jobs = map(int, done.stdout.split()[-2:])
    # Beside whole passes the first rows, and a sample of a hundred thousand.
    assert read <= 3 * n + 140_000
    assert jobs <= 9


def test_slices_by_several_columns_keep_to_the_budget(tmp_path: Path) -> None:
    columns = {"truth": [0, 1] * 500, "m": [0, 1, 1, 0] * 250, "g": ["a", "b"] * 500, "h": [1, 2, 3, 4] * 250}
    path = tmp_path / "rows.csv"
    path.write_text(
        "\n".join([",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))])
    )
    assert te.read(path, models=["m"], by=["g", "h"]).keys("slices").names == ("a, 1", "a, 3", "b, 2", "b, 4")
    with pytest.raises(te.InputError, match=r"budget is 10kB: name one column that holds the combinations.*allow more"):
        te.read(path, models=["m"], by=["g", "h"], budget="10kB")


def test_scores_that_are_missing_are_in_no_bin(tmp_path: Path) -> None:
    """On a scale of logarithms too, where one model lacks scores and the next one has them all."""
    n, rng = 20_000, np.random.default_rng(0)
    up = rng.random(n) < 0.5
    scores = {m: np.exp(rng.uniform(-200, -60, n) + up) for m in "ab"}
    kept = rng.random(n) > 0.005
    frame = pytest.importorskip("polars").DataFrame(
        {
            "truth": up.astype(int),
            "a": [x if k else None for x, k in zip(scores["a"], kept, strict=True)],
            "b": scores["b"],
        }
    )
    p = te.read(frame.lazy(), models={m: {"score": m} for m in "ab"}, missing="drop", budget="2MB")
    exact = te.compare(up[kept], scores={m: s[kept] for m, s in scores.items()}, metric="auc")["a", "b"]
    found = te.compare(p, metric="auc")["a", "b"]
    assert found.low <= exact.low <= exact.high <= found.high
    assert (p.scores("a").n, p.scores("b").n) == (kept.sum(), n)


def test_a_finding_beyond_the_budget_stops_no_answer(tmp_path: Path) -> None:
    """Areas of rare positives differ enough for a band of their curves to be looked at, which takes the rows."""
    draw = np.random.default_rng(0)
    truth = (draw.random(20_000) < 0.01).astype(int)
    columns = {"truth": truth, "a": truth + draw.normal(size=20_000), "b": 0.8 * truth + draw.normal(size=20_000)}
    pandas.DataFrame(columns).to_parquet(tmp_path / "x.parquet")
    models = {m: {"score": m} for m in "ab"}
    binned, exact = (
        te.compare(te.read(tmp_path / "x.parquet", models=models, budget=budget), metric="auc")["a", "b"]
        for budget in ("200kB", "100MB")
    )
    assert binned.low <= exact.low < exact.high <= binned.high
