"""Reports and pictures of very many scores are drawn at few cutoffs, and what they say in numbers stays."""

from __future__ import annotations

import base64
import gzip
import json
import re

import numpy as np
import pytest

import trueerror as te
from trueerror.curves import _replicates
from trueerror.plots import picture
from trueerror.plots._simplify import drawn
from trueerror.plots._specs import Curves
from trueerror.reports import _explorer
from trueerror.tallies import _scores


def rows(n: int = 4000) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(0)
    truth = rng.random(n) < 0.3
    # A tenth of the rows share one score: a step that is seen.
    made = {m: np.round(truth * shift + rng.normal(size=n), 6) for m, shift in (("a", 1.4), ("b", 0.9))}
    return truth.astype(int), {m: np.where(rng.random(n) < 0.1, 0.5, 1 / (1 + np.exp(-s))) for m, s in made.items()}


@pytest.fixture
def few_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_scores, "DRAWN", 256)
    monkeypatch.setattr(_scores, "FINER", 20)


@pytest.mark.usefixtures("few_drawn")
def test_cutoffs_that_stay_have_the_counts_of_the_whole_table() -> None:
    truth, scores = rows()
    table = te.ScoreTable.count(truth, scores["a"])
    few = table.drawable()
    assert len(few.scores) < len(table.scores) / 2
    whole, thinned = te.roc(table), te.roc(few)
    at = np.searchsorted(-whole.thresholds, -thinned.thresholds)
    assert np.array_equal(whole.thresholds[at], thinned.thresholds)
    assert np.array_equal(whole.tpr[at], thinned.tpr)
    assert np.array_equal(whole.fpr[at], thinned.fpr)


@pytest.mark.usefixtures("few_drawn")
def test_between_cutoffs_lies_a_step_of_one_score_or_little_of_either_class() -> None:
    truth, scores = rows()
    table = te.ScoreTable.count(truth, scores["a"])
    few = table.drawable()
    inside = np.diff(np.append(np.searchsorted(table.scores, few.scores), len(table.scores)))
    for counts, total in ((few.positives, truth.sum()), (few.negatives, len(truth) - truth.sum())):
        assert counts[inside > 1].max() <= 1 + 1.01 * total / 256
    assert (few.positives + few.negatives).max() > len(truth) / 11


def test_pictures_differ_by_less_than_a_pixel(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, scores = rows(20_000)
    kinds = (te.roc, te.precision_recall, te.gains, te.lift, te.det, te.risk_coverage)
    whole = [picture(kind(truth, scores["a"])) for kind in kinds]
    monkeypatch.setattr(_scores, "DRAWN", 1200)
    for kind, before in zip(kinds, whole, strict=True):
        after = picture(kind(truth, scores["a"]))
        assert isinstance(before, Curves)
        assert isinstance(after, Curves)
        assert after.subtitle == before.subtitle
        assert [n.name for n in after.lines] == [n.name for n in before.lines]
        for old, new in zip(before.lines, after.lines, strict=True):
            if old.role == "curve":
                assert len(new.x) < len(old.x)
                assert _far_apart(before, old, new) < 1.5, kind.__name__


def _far_apart(frame: Curves, old: object, new: object) -> float:
    """How many pixels a point of one line is from the other line at most, both thinned as they are drawn."""
    spans = [axis_ends(axis) for axis in (frame.x, frame.y)]
    paths = []
    for line in (old, new):
        shape = drawn(line, frame)  # type: ignore[arg-type]
        paths.append(np.column_stack([
            (v - low) / (high - low) * size for v, (low, high), size in zip((shape.x, shape.y), spans, frame.size,
                                                                           strict=True)
        ]))  # fmt: skip
    return max(_from_path(a, b) for a, b in (paths, paths[::-1]))


def axis_ends(axis: object) -> tuple[float, float]:
    from trueerror.plots._simplify import ends

    return ends(axis)  # type: ignore[arg-type]


def _from_path(points: np.ndarray, path: np.ndarray) -> float:
    start, step = path[:-1], np.diff(path, axis=0)
    square = np.maximum((step**2).sum(axis=1), 1e-300)
    worst = 0.0
    for point in points:
        along = np.clip(((point - start) * step).sum(axis=1) / square, 0.0, 1.0)
        worst = max(worst, float(np.hypot(*(start + along[:, None] * step - point).T).min()))
    return worst


@pytest.mark.usefixtures("few_drawn")
def test_a_report_drawn_at_few_cutoffs_says_the_same(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    truth, scores = rows()
    pages = []
    for least in (256, 1 << 14):
        monkeypatch.setattr(_scores, "DRAWN", least)
        page = te.report(te.predictions(truth, scores=scores), tmp_path / "page.html").read_text(encoding="utf-8")
        pages.append(page)
    packed = [re.findall(r'id="page-data">(.*?)</script>', page)[0].replace(".", "<") for page in pages]
    few, whole = (json.loads(gzip.decompress(base64.b85decode(text)))["explorer"] for text in packed)
    assert few == whole
    words = [re.sub(r"<svg.*?</svg>|<script.*?</script>", "", p, flags=re.S) for p in pages]
    assert words[0] == words[1]


KEYS = {"text": lambda k: [f"c{i}" for i in k], "whole": lambda k: (7 * k - 3).tolist(), "halves": lambda k: k / 2}


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("filed", [False, True])
def test_the_explorer_counts_clusters_in_rows_as_the_source_does(kind, filed, tmp_path) -> None:
    truth, scores = rows(600)
    keys = KEYS[kind](np.random.default_rng(1).integers(0, 40, len(truth)))
    if filed:
        path = tmp_path / "rows.csv"
        lines = zip(truth, scores["a"].tolist(), scores["b"].tolist(), keys, strict=True)
        path.write_text("truth,a,b,who\n" + "".join(f"{t},{a!r},{b!r},{k}\n" for t, a, b, k in lines), "utf-8")
        p = te.read(path, truth="truth", cluster="who")
    else:
        p = te.predictions(truth, scores=scores, clusters=keys)
    cuts = {m: _explorer.Cuts(np.array([0.9, 0.5, 0.31, 0.02]), np.arange(4), []) for m in p.models}
    by_rows, by_source = _explorer._in_clusters(p, cuts, 0), _explorer._in_keys(p, cuts)
    for m in p.models:
        for one, other in zip(by_rows[m], by_source[m], strict=True):
            np.testing.assert_array_equal(one[0], other[0])
            np.testing.assert_array_equal(one[1], other[1])


def test_a_report_of_clusters_asks_its_source_for_no_threshold(monkeypatch, tmp_path) -> None:
    truth, scores = rows(600)
    p = te.predictions(truth, scores=scores, clusters=np.arange(600) // 6)
    asked, count = [], type(p).keyed_confusion
    monkeypatch.setattr(
        type(p), "keyed_confusion", lambda self, *a, threshold=None: asked.append(threshold) or count(self, *a)
    )
    te.report(p, tmp_path / "report.html")
    assert set(asked) == {None}


def test_very_many_clusters_are_drawn_in_groups(monkeypatch) -> None:
    truth, scores = rows(2000)
    p = te.predictions(truth, scores=scores, clusters=np.arange(2000) // 2)
    each = _explorer.explore(p)
    monkeypatch.setattr(_replicates, "MOST_GROUPS", 100)
    grouped = _explorer.explore(p)
    for m, knots in each.knots.items():
        assert grouped.marks[m] == each.marks[m]
        seen = (knots.unit > 0) & (grouped.knots[m].unit > 0)
        ratio = (grouped.knots[m].unit[seen] / knots.unit[seen]).mean()
        assert 0.85 < ratio < 1.15
