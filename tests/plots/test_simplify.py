"""The drawn line is never further from the true one than it says, and never a pixel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueerror.plots._simplify import LARGEST_ERROR, thin


def along(x: np.ndarray, y: np.ndarray, step: float) -> np.ndarray:
    """Points along a polyline, at most a step apart."""
    parts = [np.array([[x[0], y[0]]])]
    for i in range(len(x) - 1):
        count = max(1, int(np.ceil(np.hypot(x[i + 1] - x[i], y[i + 1] - y[i]) / step)))
        t = np.arange(1, count + 1)[:, None] / count
        parts.append((1 - t) * [x[i], y[i]] + t * [x[i + 1], y[i + 1]])
    return np.concatenate(parts)


def farthest(points: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    """The largest distance of a point from a polyline."""
    if len(x) == 1:
        return float(np.hypot(points[:, 0] - x[0], points[:, 1] - y[0]).max())
    a, b = np.stack([x[:-1], y[:-1]], 1), np.stack([x[1:], y[1:]], 1)
    d = b - a
    square = np.maximum((d**2).sum(1), 1e-300)
    t = np.clip(((points[:, None] - a) * d).sum(2) / square, 0, 1)
    nearest = a + t[..., None] * d
    return float(np.sqrt(((points[:, None] - nearest) ** 2).sum(2)).min(1).max())


def hausdorff(x: np.ndarray, y: np.ndarray, index: np.ndarray, pixels: tuple[int, int]) -> float:
    px = (x - x.min()) / (np.ptp(x) or 1) * pixels[0]
    py = (y - y.min()) / (np.ptp(y) or 1) * pixels[1]
    kx, ky = px[index], py[index]
    step = 0.05
    return max(farthest(along(px, py, step), kx, ky), farthest(along(kx, ky, step), px, py)) - step


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 400), st.sampled_from(["steps", "noise", "smooth", "walk"]))
def test_drawn_line_is_as_near_as_it_says(seed: int, size: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    x = np.sort(rng.random(size).round(2 if kind == "steps" else 8))
    y = {
        "steps": np.cumsum(rng.random(size) < 0.3),
        "noise": rng.random(size),
        "smooth": np.sqrt(x),
        "walk": np.cumsum(rng.normal(size=size)),
    }[kind].astype(float)
    pixels = (12, 9)
    kept = thin(x, y, pixels)
    assert kept.error <= LARGEST_ERROR < 1
    assert (np.diff(kept.index) > 0).all()
    assert kept.index[0] == 0
    assert kept.index[-1] == size - 1
    assert hausdorff(x, y, kept.index, pixels) <= kept.error + 1e-9


def test_a_million_points_become_a_few() -> None:
    rng = np.random.default_rng(0)
    n = 1_000_000
    tpr = np.cumsum(rng.random(n) < np.linspace(0.9, 0.1, n))
    kept = thin(np.arange(n) / n, tpr / tpr[-1], (420, 420))
    assert len(kept.index) < 200
    wild = thin(np.linspace(0, 1, n), rng.random(n), (420, 420))
    assert len(wild.index) < 4000
    assert wild.error <= LARGEST_ERROR
    assert "of 1,000,000 points are drawn" in str(wild)


def test_columns_keep_the_extremes_that_a_chord_would_lose() -> None:
    x = np.linspace(0, 1, 100_000)
    y = np.zeros_like(x)
    y[54_321] = 1.0
    assert 54_321 in thin(x, y, (420, 420)).index


@pytest.mark.parametrize("size", [0, 1, 2])
def test_short_lines_stay(size: int) -> None:
    assert len(thin(np.zeros(size), np.zeros(size), (10, 10)).index) == size


def test_equal_points_are_two() -> None:
    assert len(thin(np.ones(1000), np.ones(1000), (10, 10)).index) == 2


def test_refuses_what_cannot_be_drawn() -> None:
    with pytest.raises(ValueError, match="finite"):
        thin([0, 1, 2], [0, np.inf, 1], (10, 10), ranges=((0, 2), (0, 1)))
    with pytest.raises(ValueError, match="equally long"):
        thin([0, 1, 2], [0, 1], (10, 10))
