"""te.report: one self-contained page, with hostile names escaped and nothing from the network."""

import re

import numpy as np
import pytest

import trueerror as te
from trueerror.data import path

HOSTILE = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'


def page(source, tmp_path, **options) -> str:
    return te.report(source, tmp_path / "report.html", **options).read_text(encoding="utf-8")


def cancer():
    return te.read(path("breast_cancer"), positive="malignant")


def test_the_verdict_comes_first_then_what_was_read(tmp_path):
    text = page(cancer(), tmp_path)
    assert text.index("No single winner") < text.index("Read 285 rows") < text.index("Differences")
    for model in ("logreg", "forest", "bayes", "knn"):
        assert f">{model}</h2>" in text


def test_nothing_is_fetched_and_nothing_runs(tmp_path):
    text = page(cancer(), tmp_path)
    assert "default-src 'none'" in text
    assert not re.findall(r"<script|<link|<iframe|@import|url\(", text)
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:image/svg)""", text)
    assert len(text) < 2_000_000


def test_hostile_names_are_text(tmp_path):
    truth = np.array([HOSTILE, "b"] * 30)
    text = page(te.predictions(truth, {HOSTILE: truth, "m": truth[::-1]}, positive="b"), tmp_path, title=HOSTILE)
    assert "<script" not in text
    assert "<img src=x" not in text


@pytest.mark.parametrize("models", [1, 2, 12])
def test_any_number_of_models(models, tmp_path):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 150)
    calls = {f"model {i} with a long name": np.where(rng.random(150) < 0.8, truth, 0) for i in range(models)}
    text = page(te.predictions(truth, calls), tmp_path)
    assert text.count("<section>") >= models


def test_evaluations_comparisons_and_rankings_too(tmp_path):
    assert "right on" in page(te.evaluate(cancer()), tmp_path)
    assert "Differences" in page(te.compare(cancer(), metric="auc"), tmp_path)
    scores = {
        "a": [0.9, 0.8, 0.85, 0.9, 0.7, 0.88],
        "b": [0.8, 0.7, 0.8, 0.82, 0.6, 0.8],
        "c": [0.7, 0.75, 0.6, 0.8, 0.5, 0.7],
    }
    assert "Mean ranks" in page(te.rank(scores), tmp_path)


def test_bad_targets_are_refused_before_working(tmp_path):
    with pytest.raises(ValueError, match=r"ends in \.html"):
        te.report(cancer(), tmp_path / "report.pdf")
    with pytest.raises(ValueError, match="no folder"):
        te.report(cancer(), tmp_path / "nowhere" / "report.html")
    with pytest.raises(ValueError, match="not of int"):
        te.report(3, tmp_path / "report.html")
