"""Laws of rows: wherever they are kept and however they are cut, the counts are the same."""

from __future__ import annotations

import csv
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trueerror as te
from trueerror.sources._pairing import pair
from trueerror.sources.engines._duckdb import FileSource

QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
FEWER = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])

# No control characters other than line breaks (a CSV file of them is not text), and no text that stands for missing.
TEXT = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Cn"), include_characters="\n\t"), min_size=1, max_size=6
).filter(lambda s: s not in ("NA", "NaN", "nan") and s.strip() == s and s.lower() not in ("true", "false"))
SCORES = st.sampled_from([0.0, -0.0, 0.25, 0.5, 0.75, 1.0]) | st.floats(0, 1, allow_subnormal=False)


@st.composite
def tables(draw: Any) -> dict[str, list[Any]]:
    """A binary table with labels, scores, gaps and two keys."""
    n = draw(st.integers(2, 25))

    def column(values: Any) -> list[Any]:
        return draw(st.lists(values, min_size=n, max_size=n))

    return {
        "truth": [0, 1, *column(st.integers(0, 1))[2:]],
        "labels": column(st.none() | st.integers(0, 1)),
        "scores": column(SCORES),
        "more": column(st.none() | SCORES),
        "site": column(st.sampled_from(["x", "y'", 'z"', "new\nline"])),
        "who": column(st.integers(-2, 3)),
    }


def direct(t: dict[str, list[Any]], missing: Any) -> te.Predictions:
    return te.predictions(
        t["truth"],
        {"labels": t["labels"]} if any(v is not None for v in t["labels"]) else None,
        scores={name: t[name] for name in ("scores", "more") if any(v is not None for v in t[name])},
        by=t["site"],
        clusters=t["who"],
        missing=missing,
    )


def write_csv(t: dict[str, list[Any]], folder: str) -> Path:
    path = Path(folder) / "t.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(t)
        writer.writerows(zip(*t.values(), strict=True))
    return path


@FEWER
@given(tables(), st.sampled_from(["drop", "wrong"]), st.sampled_from([None, 0.0, 0.25, 0.6, math.inf]))
def test_a_file_counts_like_arrays(t: dict[str, list[Any]], missing: Any, threshold: float | None) -> None:
    d = direct(t, missing)
    models = {m: {"label" if m == "labels" else "score": m} for m in d.models}
    with tempfile.TemporaryDirectory() as folder:
        p = te.read(write_csv(t, folder), truth="truth", models=models, by="site", cluster="who", missing=missing)
        assert isinstance(p.source, FileSource)
        assert p.fingerprint == d.fingerprint
        for model in d.models:
            cut = None if model == "labels" else threshold
            assert p.confusion(model, threshold=cut) == d.confusion(model, threshold=cut)
            assert p.absent(model) == d.absent(model)
            for kind in ("clusters", "slices"):
                mine, other = (x.keyed_confusion(model, kind, threshold=cut) for x in (p, d))
                assert list(mine.items()) == list(other.items())
            if model != "labels" and (missing == "drop" or d.absent(model) == 0):
                assert p.scores(model) == d.scores(model)
        first, second = d.models[0], d.models[-1]
        assert p.agreement(first, second) == d.agreement(first, second)
        for value in d.slices():
            assert p.slice(value).confusion(first) == d.slice(value).confusion(first)


@FEWER
@given(st.lists(st.tuples(TEXT, TEXT), min_size=2, max_size=12))
def test_any_text_is_a_label_in_a_file(pairs: list[tuple[str, str]]) -> None:
    # A marker keeps the column text even when all drawn labels look like numbers.
    truth = [f"l{a}" for a, _ in pairs]
    called = [f"l{b}" for _, b in pairs]
    with tempfile.TemporaryDirectory() as folder:
        p = te.read(write_csv({"truth": truth, "m": called}, folder), models=["m"])
        d = te.predictions(truth, {"m": called})
        assert p.labels == d.labels
        assert p.confusion("m") == d.confusion("m")
        assert p.fingerprint == d.fingerprint


@QUICK
@given(tables())
def test_slices_add_up_to_the_whole(t: dict[str, list[Any]]) -> None:
    p = direct(t, "drop")
    for kind in ("clusters", "slices"):
        names = p.keys(kind).names
        assert p.keys(kind).sizes.sum() == p.n
        for model in p.models:
            parts = [p.slice(name, kind) for name in names]
            total = parts[0].confusion(model)
            for part in parts[1:]:
                total = total + part.confusion(model)
            assert total == p.confusion(model)
            keyed = p.keyed_confusion(model, kind)
            assert keyed.pooled() == p.confusion(model)
            assert [keyed[name] for name in names] == [part.confusion(model) for part in parts]


@QUICK
@given(tables(), st.randoms(use_true_random=False))
def test_row_order_changes_no_count(t: dict[str, list[Any]], random: Any) -> None:
    order = list(range(len(t["truth"])))
    random.shuffle(order)
    a = direct(t, "drop")
    b = direct({name: [values[i] for i in order] for name, values in t.items()}, "drop")
    for model in a.models:
        assert a.confusion(model) == b.confusion(model)
    assert a.scores("scores") == b.scores("scores")
    assert a.agreement("scores", a.models[-1]) == b.agreement("scores", a.models[-1])


@QUICK
@given(tables(), st.randoms(use_true_random=False))
def test_joining_on_ids_undoes_any_order(t: dict[str, list[Any]], random: Any) -> None:
    n = len(t["truth"])
    order = list(range(n))
    random.shuffle(order)
    both = te.predictions(t["truth"], scores={"a": t["scores"], "b": t["scores"][::-1]})
    a = te.predictions(t["truth"], scores={"a": t["scores"]}, ids=[f"r{i}" for i in range(n)])
    b = te.predictions(
        [t["truth"][i] for i in order],
        scores={"b": [t["scores"][::-1][i] for i in order]},
        ids=[f"r{i}" for i in order],
    )
    assert pair(a, b).agreement("a", "b") == both.agreement("a", "b")
    assert pair(b, a).agreement("a", "b") == both.agreement("a", "b")


@QUICK
@given(tables())
def test_agreement_holds_both_confusions(t: dict[str, list[Any]]) -> None:
    p = direct(t, "wrong")
    first, second = p.models[0], p.models[-1]
    table = p.agreement(first, second)
    assert table.model(0) == p.confusion(first)
    assert table.model(1) == p.confusion(second)
    assert p.agreement(second, first) == table.swapped()


@QUICK
@given(tables(), st.floats(0, 1))
def test_the_score_table_holds_every_threshold(t: dict[str, list[Any]], threshold: float) -> None:
    p = te.predictions(t["truth"], scores={"m": t["scores"]})
    table = p.scores("m")
    above = table.scores >= threshold
    counts = p.confusion("m", threshold=threshold).binary()
    assert (counts.tp, counts.fp) == (table.positives[above].sum(), table.negatives[above].sum())


@QUICK
@given(tables(), st.lists(st.integers(0, 3), min_size=25, max_size=25).filter(lambda w: any(w[:2])))
def test_a_frequency_weight_is_so_many_rows(t: dict[str, list[Any]], weights: list[int]) -> None:
    n = len(t["truth"])
    w = weights[:n]
    rows = np.repeat(np.arange(n), w)
    weighted = te.predictions(t["truth"], scores={"m": t["scores"]}, weights=w, weights_kind="frequency")
    repeated = te.predictions(
        [t["truth"][i] for i in rows], scores={"m": [t["scores"][i] for i in rows]}, labels=[0, 1]
    )

    def brier(codes: Any, table: Any) -> Any:
        return ((table - np.eye(2)[codes]) ** 2).sum(axis=1)

    assert weighted.confusion("m") == repeated.confusion("m")
    a, b = weighted.moments("m", brier), repeated.moments("m", brier)
    assert a.n == b.n
    assert math.isclose(a.mean, b.mean, rel_tol=1e-9, abs_tol=1e-12)
    assert math.isclose(a.squares, b.squares, rel_tol=1e-9, abs_tol=1e-12)
