"""REQUIREMENTS F1, F5, F7 and C7's law, through the public names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import trueerror as te

RNG = np.random.default_rng(0)
Y = np.arange(400) % 2
SCORES = np.clip(Y * 0.3 + RNG.normal(0.35, 0.2, 400), 0, 1)
LABELS = (SCORES > 0.6).astype(int)


def test_F1_labels_beside_scores_keep_the_curves(tmp_path: Path) -> None:
    rows = te.predictions(Y, {"C45": LABELS}, scores={"net": SCORES}, positive=1)
    te.report(rows, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "No curves" not in page
    assert 'id="explore"' in page


def test_F5_answers_that_are_turned_round_are_told() -> None:
    turned = te.evaluate(Y, 1 - LABELS)
    right = float(np.mean(Y == LABELS))
    (found,) = [f.message for f in turned.findings if f.code == "TE201"]
    assert f"swapped it would be right on {100 * right:.1f} %" in found
    assert "swapped" not in str(te.evaluate(Y, LABELS))


def test_F7_one_call_draws_roc_and_precision_at_another_mix() -> None:
    curve = te.roc(Y, SCORES)
    assert curve.plot(kind="precision-recall", prior=0.01).svg != curve.plot(kind="precision-recall").svg


def test_C7_one_object_has_one_area() -> None:
    fold = np.arange(400) % 5
    rows = te.read({"truth": Y, "m": (SCORES + 0.3 * fold) / 2.2, "fold": fold}, truth="truth", fold="fold")
    curve = te.roc(rows)
    assert curve.gini == pytest.approx(2 * curve.auc().estimate - 1)
    pooled = curve.auc("delong").estimate
    assert f"within folds, {pooled:.3f} as drawn" in curve.plot().svg
