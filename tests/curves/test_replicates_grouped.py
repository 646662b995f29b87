"""Resampling a score table: one multinomial over its cells, grouped where there are many."""

import numpy as np
import pytest

from trueerror.curves import _replicates as replicates
from trueerror.curves._precision_recall import step_area
from trueerror.curves._replicates import balanced_groups, bootstrap_area, cell_sizes, resampled_tables, table_replicates
from trueerror.inference.bootstrap import _tables as score_cells
from trueerror.inputs._options import InputError
from trueerror.tallies import ScoreTable


def table(n=100, seed=0, share=0.3):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < share
    truth[:2] = True, False
    return ScoreTable.count(truth, truth + rng.normal(size=n))


def test_resamples_have_as_many_rows_and_only_scores_that_occur():
    t = ScoreTable([0.1, 0.5, 0.9], [0, 3, 7], [9, 1, 0])
    for up, down in resampled_tables(t, replicates=500, rng=1):
        assert ((up + down).sum(axis=1) == 20).all()
        assert not up[:, 0].any()
        assert not down[:, 2].any()
        # Rows are drawn together: the number of positives varies.
        assert len(np.unique(up.sum(axis=1))) > 3
        np.testing.assert_allclose(up.mean(axis=0), [0, 3, 7], atol=0.5)


def test_the_block_size_changes_no_draw(monkeypatch):
    t = table()
    whole = [np.concatenate(parts) for parts in zip(*resampled_tables(t, replicates=150, rng=3), strict=True)]
    monkeypatch.setattr(score_cells, "BLOCK", 700)
    parts = [np.concatenate(parts) for parts in zip(*resampled_tables(t, replicates=150, rng=3), strict=True)]
    assert np.array_equal(whole[0], parts[0])
    assert np.array_equal(whole[1], parts[1])


def test_groups_spread_each_class_evenly():
    """One positive in a thousand, all at the top: groups by rows alone would put them together."""
    rng = np.random.default_rng(0)
    truth = np.arange(200_000) < 200
    t = ScoreTable.count(truth, 4.0 * truth + rng.normal(size=len(truth)))
    up, down = balanced_groups(t)
    assert len(up) <= 1026
    assert (up.sum(), down.sum()) == (200, 199_800)
    assert up.max() <= 2
    assert down.max() < 199_800 / 300


def test_grouping_does_not_move_the_limits():
    t = table(5000)
    estimate = float(step_area(t.positives[None], t.negatives[None])[0])
    options = {"name": "AP", "estimate": estimate, "confidence": 0.95, "fallback": (0, 1, "wilson"), "replicates": 400}
    few = bootstrap_area(t, step_area, **options)
    original = replicates.GROUPS
    try:
        balanced_groups.__defaults__ = (10**9,)
        all_ = bootstrap_area(t, step_area, **options)
    finally:
        balanced_groups.__defaults__ = (original,)
    assert few.width == pytest.approx(all_.width, rel=0.2)
    assert few.low == pytest.approx(all_.low, abs=0.3 * all_.width)


def test_jackknife_values_belong_to_the_cells():
    t = table(40)
    drawn, one_less, centre = table_replicates(t, step_area, replicates=100)
    assert len(one_less) == len(cell_sizes(t)) == 40
    assert len(drawn) == 100
    first = np.flatnonzero(t.positives)[0]
    up = t.positives.copy()
    up[first] -= 1
    assert one_less[0] == pytest.approx(float(step_area(up[None], t.negatives[None])[0]))
    assert centre == pytest.approx(float(step_area(t.positives[None], t.negatives[None])[0]))


def test_fallbacks_are_named():
    facts = {"name": "x", "confidence": 0.9, "fallback": (0.2, 0.9, "wilson"), "replicates": 200}
    lost = bootstrap_area(ScoreTable([1, 2], [0, 1], [20, 0]), step_area, estimate=1.0, **facts)
    assert (lost.method, lost.low, lost.high) == ("wilson", 0.2, 1.0)
    assert "had no value" in lost.note
    flat = bootstrap_area(ScoreTable([1, 2], [0, 20], [20, 0]), step_area, estimate=1.0, **facts)
    assert "no spread" in flat.note
    with pytest.raises(InputError, match="from 100 to"):
        bootstrap_area(table(), step_area, estimate=0.5, **{**facts, "replicates": 10})
    weighted = ScoreTable.count([0, 1], [1, 2], weights=[0.5, 1], weights_kind="sampling")
    with pytest.raises(InputError, match="sampling weights"):
        list(resampled_tables(weighted, replicates=100))


def test_a_generator_is_taken_as_it_is():
    t = table()
    facts = {"name": "x", "estimate": 0.5, "confidence": 0.9, "fallback": (0.2, 0.9, "wilson"), "replicates": 200}
    a = bootstrap_area(t, step_area, rng=np.random.default_rng(1), **facts)
    b = bootstrap_area(t, step_area, rng=np.random.default_rng(1), **facts)
    assert a == b
    assert "the caller's generator" in a.note
