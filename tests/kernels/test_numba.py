"""The compiled loops give what the NumPy loops give."""

import logging

import numpy as np
import pytest

pytest.importorskip("numba")


from trueerror.kernels import _numba as fast
from trueerror.kernels import _numba as fast_tables
from trueerror.kernels import _numba as radix
from trueerror.kernels import _numpy as plain

RNG = np.random.default_rng(8)
SCORES = {
    "normal": RNG.normal(size=40_000),
    "ties": np.round(RNG.random(40_000), 2),
    "skewed": np.exp(9 * RNG.normal(size=40_000)),
    "crowded": np.concatenate([RNG.random(20_000) * 1e-9, RNG.random(200)]),
    "subnormal beside large": np.array([5e-324, 1e-310, 3.0, 0.0, 3.0, 1e-320]),
    "awkward": np.array([np.inf, -np.inf, 0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, 1.0, 1.0]),
    "float32": RNG.normal(size=3_000).astype(np.float32),
    "one value": np.full(500, -2.0),
    "one row": np.array([0.3]),
    "strided": RNG.normal(size=2_000)[::2],
}


@pytest.mark.parametrize("name", SCORES)
def test_score_groups_and_placements_are_the_same(name):
    scores = SCORES[name]
    positive = RNG.random(len(scores)) < 0.4
    for ours, other in zip(fast.score_groups(scores, positive), plain.score_groups(scores, positive), strict=True):
        assert ours.dtype == other.dtype
        assert (ours == other).all()
    assert (fast.placements(scores, positive) == plain.placements(scores, positive)).all()


def test_many_rows_in_many_stretches(monkeypatch):
    for module in (fast, fast_tables, radix):
        monkeypatch.setattr(module, "STRETCH", 1000)
    scores = np.concatenate([np.round(RNG.random(30_000), 3), RNG.normal(size=30_000), np.full(5_000, 0.5)])
    positive = RNG.random(len(scores)) < 0.5
    for ours, other in zip(fast.score_groups(scores, positive), plain.score_groups(scores, positive), strict=True):
        assert (ours == other).all()
    ups, downs = plain.score_groups(scores, positive)[1:]
    ours, other = fast.placement_sums(ups, downs), plain.placement_sums(ups, downs)
    assert ours[0] == other[0] == fast.ordered_pairs(ups, downs)
    assert ours == pytest.approx(other, rel=1e-12)


def test_weighted_tables_take_the_plain_way():
    ups, downs = np.array([0.5, 1.5]), np.array([2.0, 1.0])
    assert fast.placement_sums(ups, downs) == plain.placement_sums(ups, downs)
    assert fast.ordered_pairs(ups, downs) == plain.ordered_pairs(ups, downs)


def test_the_first_compilation_is_announced_once(monkeypatch, tmp_path, caplog, capsys):
    monkeypatch.setattr(radix, "_announced", False)
    with caplog.at_level(logging.INFO, logger="trueerror"):
        radix.announce(tmp_path / "nothing here")
        radix.announce(tmp_path / "nothing here")
    assert [r.name for r in caplog.records] == ["trueerror"]
    assert "once" in caplog.records[0].getMessage()
    assert capsys.readouterr().err == ""  # stderr is no terminal here


def test_what_is_compiled_already_is_not_announced(monkeypatch, tmp_path, caplog):
    monkeypatch.setattr(radix, "_announced", False)
    (tmp_path / "compiled_ranks.f-1.nbi").touch()
    with caplog.at_level(logging.INFO, logger="trueerror"):
        radix.announce(tmp_path)
    assert caplog.records == []
