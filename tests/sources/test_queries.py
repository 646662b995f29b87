"""How often an engine is asked: every question of a lazy table is a job in Spark, so none is asked twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import trueerror as te
from trueerror.metrics.scores import brier, log_loss
from trueerror.sources.engines import _groupby, _narwhals
from trueerror.sources.engines._duckdb_tables import SqlFrame
from trueerror.sources.engines._score_bins import EXACT_BYTES
from trueerror.verbs import _compare

N = 9_000
rng = np.random.default_rng(1)
TRUTH = rng.random(N) < 0.4
FRAME = pl.DataFrame({"truth": TRUTH.astype(int), **{f"{m}_score": rng.random(N) for m in "abc"}})


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    seen: list[Any] = []
    before = _narwhals._answered

    def answer(frame: Any) -> Any:
        seen.append(frame)
        return before(frame)

    monkeypatch.setattr(_narwhals, "_answered", answer)
    return seen


def test_accuracy_of_three_models_takes_three_queries(asked: list[Any]) -> None:
    made = te.evaluate(FRAME.lazy(), metrics=["accuracy"])
    # The first rows; classes, gaps and ranges; the confusion matrices.
    assert len(asked) == 3
    eager = te.evaluate(FRAME, metrics=["accuracy"])
    for model in "abc":
        assert made.model(model)["accuracy"] == eager.model(model)["accuracy"]


def test_comparing_takes_no_more(asked: list[Any]) -> None:
    made = te.compare(FRAME.lazy(), metric="accuracy")
    assert len(asked) == 3
    assert made["a", "b"] == te.compare(FRAME, metric="accuracy")["a", "b"]


def test_scores_that_hardly_repeat_are_taken_once_for_all_models(asked: list[Any]) -> None:
    made = te.evaluate(FRAME.lazy(), metrics=["auc", "brier"])
    # The first rows; classes, gaps and ranges; truth and all scores, in which the calls are counted too.
    assert len(asked) == 3
    compared = te.compare(FRAME.lazy(), metric="auc")
    assert len(asked) == 3 + 3
    eager = te.evaluate(FRAME, metrics=["auc", "brier"])
    for model in "abc":
        assert made.model(model)["auc"] == eager.model(model)["auc"]
        assert made.model(model)["brier"].estimate == pytest.approx(eager.model(model)["brier"].estimate, rel=1e-14)
    assert compared["a", "b"] == te.compare(FRAME, metric="auc")["a", "b"]


@pytest.mark.parametrize("threshold", [None, 0.3])
def test_rows_that_are_fetched_for_areas_serve_the_calls(asked: list[Any], threshold: float | None) -> None:
    scores = FRAME.select("truth", a="a_score", b="b_score", c="c_score")
    made = te.evaluate(scores.lazy(), threshold=threshold)
    assert len(asked) == 3
    eager = te.evaluate(scores, threshold=threshold)
    for model in "abc":
        assert made.model(model).confusion == eager.model(model).confusion
        assert made.model(model)["auc"] == eager.model(model)["auc"]
    p = te.read(scores.lazy())
    p.source.expect_scores()
    asked.clear()
    assert p.agreement("a", "b", threshold=threshold) == te.read(scores).agreement("a", "b", threshold=threshold)
    assert not asked


def test_groups_of_scores_serve_areas_and_losses(asked: list[Any]) -> None:
    te.evaluate(FRAME.with_columns(pl.selectors.float().round(2)).lazy(), metrics=["auc", "brier"])
    # The first rows; classes, gaps and ranges; the calls; the scores of each model; and the rows, once, by which the
    # limits of a difference go.
    assert len(asked) == 3 + 3 + 1


@pytest.mark.parametrize("how", ["numbers", "words", "gaps", "little room", "repeated"])
def test_rows_and_groups_make_the_same_tables(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = FRAME
    if how == "words":
        frame = frame.with_columns(truth=pl.when(pl.col("truth") == 1).then(pl.lit("yes")).otherwise(pl.lit("no")))
    if how == "gaps":
        gone = pl.Series(np.arange(N) % 7 == 0)
        frame = frame.with_columns(b_score=pl.when(gone).then(None).otherwise(pl.col("b_score")))
    if how == "repeated":
        frame = frame.with_columns(b_score=pl.col("b_score").round(2))
    options: dict[str, Any] = {"gaps": {"missing": "drop"}, "words": {"positive": "yes"}}.get(how, {})
    # Room for the rows of one model, but not for all of them beside a table.
    options |= {"budget": N * (EXACT_BYTES + 10)} if how == "little room" else {}
    with monkeypatch.context() as patched:
        patched.setattr(_groupby.GroupedSource, "nearly_distinct", lambda self, column: False)
        grouped = te.read(frame.lazy(), **options)
        tables = {m: grouped.scores(m) for m in "abc"}
        losses = {m: grouped.moments(m, _loss) for m in "abc"}
    rows = te.read(frame.lazy(), **options)
    assert rows.source.nearly_distinct("a_score")
    assert rows.source.nearly_distinct("b_score") == (how != "repeated")
    for m in "abc":
        assert rows.scores(m) == tables[m]
        assert rows.moments(m, _loss) == losses[m]


def test_the_first_rows_tell_whether_scores_repeat(asked: list[Any]) -> None:
    """Of so many rows they cannot tell how many scores are distinct, and a larger sample would be a query more."""
    n = 3_500_000
    frame = pl.LazyFrame({"truth": np.arange(n) % 2, "a": np.arange(n) / n, "b": (np.arange(n) % 1000) / 1000})
    p = te.read(frame, models=list("ab"))
    asked.clear()
    assert p.source.nearly_distinct("a")
    assert not p.source.nearly_distinct("b")
    assert not asked


def _loss(codes: Any, chances: Any) -> Any:
    return (1 - np.take_along_axis(chances, codes[:, None], axis=1)[:, 0]) ** 2


def test_binned_tables_are_counted_once(asked: list[Any]) -> None:
    p = te.read(FRAME.lazy(), budget="400kB")
    first = p.source.scores("a")
    before = len(asked)
    assert p.source.scores("a") is first
    assert len(asked) == before
    assert not first.exact


def test_classes_are_those_of_the_rows() -> None:
    gaps = pl.DataFrame({"truth": ["yes", "no", "yes", "no"], "a": ["yes", None, "no", "no"]})
    p = te.read(gaps.lazy(), truth="truth", models={"a": {"label": "a"}}, missing="drop", positive="yes")
    assert p.truth_counts().tolist() == [2, 2]


LABELS = FRAME.with_columns(**{m: (pl.col(f"{m}_score") > 0.6).cast(pl.Int64) for m in "abc"})
NAMED = {m: {"label": m, "score": f"{m}_score"} for m in "abc"}


def test_labels_of_all_models_are_counted_by_one_look_at_the_rows(asked: list[Any]) -> None:
    p = te.read(LABELS.lazy(), truth="truth", models={m: {"label": m} for m in "abc"})
    made = te.compare(p, metric="f1")
    # The first rows; truth and all labels together, with gaps and ranges.
    assert len(asked) == 2
    assert made["a", "b"] == te.compare(TRUTH.astype(int), {m: LABELS[m] for m in "abc"}, metric="f1")["a", "b"]


def test_slices_with_scores_take_one_query_more(asked: list[Any]) -> None:
    frame = LABELS.with_columns(part=pl.Series(rng.integers(0, 40, N)))
    made = te.evaluate(te.read(frame.lazy(), truth="truth", models=NAMED, by="part"), metrics=["f1", "auc", "brier"])
    # The two of labels, which count the slices too; all scores with their slices.
    assert len(asked) == 3
    held = te.predictions(TRUTH.astype(int), {m: frame[m] for m in "abc"}, by=frame["part"],
                          scores={m: frame[f"{m}_score"] for m in "abc"})  # fmt: skip
    assert made.records() == te.evaluate(held, metrics=["f1", "auc", "brier"]).records()


def test_gaps_and_nan_are_known_from_the_first_look(asked: list[Any]) -> None:
    holes = np.arange(N)
    frame = LABELS.with_columns(
        a=pl.when(pl.Series(holes % 11 == 0)).then(None).otherwise(pl.col("a")),
        b_score=pl.when(pl.Series(holes % 7 == 0)).then(float("nan")).otherwise(pl.col("b_score")),
        c_score=pl.when(pl.Series(holes > 4500)).then(None).otherwise(pl.col("c_score")),
    )
    table = te.read(frame.lazy(), truth="truth", models=NAMED, missing="drop").source.table
    # NaN is found in the second query; gaps take a third, with NaN as one of them.
    assert [table.filled(c) for c in ("a", "b_score", "c_score", "truth")] == [
        N - len(range(0, N, 11)), N - len(range(0, N, 7)), 4501, N,
    ]  # fmt: skip
    present = frame["b_score"].to_numpy()[holes % 7 != 0]
    assert table.range("b_score") == (present.min(), present.max())
    assert table.range("a") == (0.0, 1.0)
    assert table.n == N


def test_tables_without_rows_or_columns_are_refused() -> None:
    with pytest.raises(te.InputError, match="no columns"):
        te.read(pl.LazyFrame())
    with pytest.raises(te.InputError, match="no rows"):
        te.read(LABELS.head(0).lazy())


def test_values_that_come_after_the_first_rows_are_counted(asked: list[Any]) -> None:
    """A column that shows few values first, and very many later, makes too many groups; all is asked without it."""
    late = np.where(np.arange(200_000) < 5000, 0, np.arange(200_000))
    truth = np.arange(200_000) % 2
    p = te.read(pl.DataFrame({"truth": truth, "a": truth, "late": late}).lazy(), truth="truth", models=["a"])
    table = p.source.table
    assert (table.n, table.filled("late"), table.range("late")) == (200_000, 200_000, (0.0, 199_999.0))
    assert p.confusion("a").matrix.tolist() == [[100_000, 0], [0, 100_000]]


@pytest.mark.parametrize("metric", ["brier", "log_loss"])
@pytest.mark.parametrize("lazy", [True, False])
def test_losses_of_all_pairs_are_summed_by_one_query(
    metric: str, lazy: bool, asked: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(_groupby, "SUMMED", 1000)
    monkeypatch.setattr(_groupby.GroupedSource, "fetched", lambda self: pytest.fail("rows were fetched"))
    # A finding looks at the rows of a file in their order; what is counted does without.
    monkeypatch.setattr(_compare, "row_evidence", lambda p, threshold: [])
    LABELS.write_parquet(tmp_path / "rows.parquet")
    named = {m: {"score": f"{m}_score"} for m in "abc"}
    p = te.read(LABELS.lazy() if lazy else tmp_path / "rows.parquet", truth="truth", models=named)
    before = len(asked)
    made = te.compare(p, metric=metric)
    assert len(asked) - before <= lazy
    want = te.compare(TRUTH.astype(int), scores={m: LABELS[f"{m}_score"] for m in "abc"}, metric=metric)
    for mine, other in zip(made.pairs, want.pairs, strict=True):
        for name in ("estimate", "low", "high", "p_value"):
            assert getattr(mine, name) == pytest.approx(getattr(other, name), rel=1e-10, abs=1e-14), name
    for m in "abc":
        assert made.estimates[m].low == pytest.approx(want.estimates[m].low, rel=1e-10)


@pytest.mark.parametrize("lazy", [True, False])
def test_sums_of_losses_leave_gaps_out_and_go_by_key(
    lazy: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = pl.Series(np.arange(N) % 7 == 0)
    frame = FRAME.with_columns(c_score=pl.when(gone).then(None).otherwise(pl.col("c_score")), unit=np.arange(N) // 9)
    frame.write_parquet(tmp_path / "rows.parquet")
    scores = {m: frame[f"{m}_score"] for m in "abc"}
    held = te.predictions(TRUTH.astype(int), scores=scores, missing="drop", clusters=frame["unit"])
    monkeypatch.setattr(_groupby, "SUMMED", 1000)
    monkeypatch.setattr(_groupby.GroupedSource, "fetched", lambda self: pytest.fail("rows were fetched"))
    named = {m: {"score": f"{m}_score"} for m in "abc"}
    rows = frame.lazy() if lazy else tmp_path / "rows.parquet"
    p = te.read(rows, truth="truth", models=named, missing="drop", cluster="unit")
    for loss in (log_loss, brier):
        for first, second in (("a", "b"), ("c", "a")):
            mine, other = (x.paired_moments(first, second, loss) for x in (p, held))
            assert mine.n == other.n
            assert [mine.mean, mine.squares] == pytest.approx([other.mean, other.squares], rel=1e-11)
            keyed, arrays = (x.paired_keyed_losses(first, second, "clusters", loss) for x in (p, held))
            assert keyed.names == arrays.names
            assert keyed.sizes.tolist() == arrays.sizes.tolist()
            assert keyed.sums == pytest.approx(arrays.sums, rel=1e-11, abs=1e-14)
        assert p.moments("c", loss).mean == pytest.approx(held.moments("c", loss).mean, rel=1e-12)
        assert p.keyed_losses("c", "clusters", loss).sums == pytest.approx(
            held.keyed_losses("c", "clusters", loss).sums, rel=1e-11, abs=1e-14
        )


def test_an_infinite_loss_is_asked_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_groupby, "SUMMED", 1000)
    frame = FRAME.with_columns(a_score=pl.when(pl.Series(TRUTH)).then(0.0).otherwise(pl.col("a_score")))
    made, want = (te.compare(f, truth="truth", metric="log_loss") for f in (frame.lazy(), frame))
    assert [c.estimate for c in made.pairs] == [c.estimate for c in want.pairs]
    assert np.isinf(made.estimates["a"].estimate)


def test_three_areas_beyond_the_budget_take_three_looks_at_the_rows(asked: list[Any]) -> None:
    named = {m: {"score": f"{m}_score"} for m in "abc"}
    p = te.read(FRAME.lazy(), truth="truth", models=named, budget="400kB")
    made = te.compare(p, metric="auc")
    # The first rows; classes, gaps and ranges; a sample; bins of all models, and some in finer ones; all pairs.
    assert len(asked) == 6
    held = te.compare(TRUTH.astype(int), scores={m: FRAME[f"{m}_score"] for m in "abc"}, metric="auc")
    for mine, sharp in zip(made.pairs, held.pairs, strict=True):
        assert mine.low <= sharp.low <= sharp.high <= mine.high
    te.compare(p, metric="auc")
    assert len(asked) == 6 + 1


@pytest.mark.parametrize("labels", [(0, 1), (-1, 0), (4, 5)])
def test_two_neighbouring_labels_are_counted_by_their_sum(
    labels: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FRAME.with_columns(truth=np.where(TRUTH, *labels[::-1])).write_parquet(tmp_path / "rows.parquet")
    p = te.read(tmp_path / "rows.parquet", truth="truth", models={"a": {"score": "a_score"}}, positive=labels[1])
    monkeypatch.setattr(SqlFrame, "group_by", lambda self, *names: pytest.fail("rows were grouped"))
    assert p.truth_counts().tolist() == [int((~TRUTH).sum()), int(TRUTH.sum())]
