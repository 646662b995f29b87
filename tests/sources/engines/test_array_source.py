"""Moments of row losses under weights, against the formulas written out."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.metrics.scores import brier, log_loss
from trueerror.sources.engines import _array_source
from trueerror.sources.engines._array_source import moments_of, probabilities

VALUES = np.array([0.1, 0.4, 0.9, 0.0])


def test_without_weights_it_is_the_plain_mean() -> None:
    m = moments_of(VALUES, None, None)
    assert m.mean == pytest.approx(VALUES.mean())
    assert m.standard_error == pytest.approx(VALUES.std(ddof=1) / 2)
    assert moments_of(np.zeros(0), None, None).n == 0


def test_frequency_weights_repeat_rows() -> None:
    w = np.array([2.0, 0.0, 1.0, 3.0])
    repeated = np.repeat(VALUES, w.astype(int))
    m = moments_of(VALUES, w, "frequency")
    assert m.n == 6
    assert m.mean == pytest.approx(repeated.mean())
    assert m.variance == pytest.approx(repeated.var(ddof=1))


def test_sampling_weights_give_the_linearised_error_of_a_ratio() -> None:
    w = np.array([0.5, 2.0, 1.0, 4.0])
    m = moments_of(VALUES, w, "sampling")
    mean = (w * VALUES).sum() / w.sum()
    error = math.sqrt(4 / 3 * (w**2 * (VALUES - mean) ** 2).sum()) / w.sum()
    assert m.mean == pytest.approx(mean)
    assert m.standard_error == pytest.approx(error)
    # The unit of the weights means nothing.
    assert moments_of(VALUES, 10 * w, "sampling").standard_error == pytest.approx(error)
    assert moments_of(VALUES, np.full(4, 3.0), "sampling").squares == pytest.approx(
        moments_of(VALUES, None, None).squares
    )


def test_an_infinite_loss_stays_infinite() -> None:
    m = moments_of(np.array([0.0, math.inf]), np.array([1.0, 1.0]), "frequency")
    assert m.mean == math.inf


def test_one_column_is_the_probability_of_the_positive_class() -> None:
    facts = te.predictions(["b", "a"], scores=[0.75, 0.5], positive="a").facts
    assert probabilities(np.array([0.75, 0.5]), facts, "m").tolist() == [[0.75, 0.25], [0.5, 0.5]]
    many = te.predictions([0, 1, 2], scores=[0.1, 0.2, 0.3], positive=1).facts
    with pytest.raises(InputError, match="there are 3 classes"):
        probabilities(np.array([0.1]), many, "m")


@pytest.mark.parametrize("classes", [2, 3])
def test_blocks_give_the_losses_of_one_go(monkeypatch: pytest.MonkeyPatch, classes: int) -> None:
    rng = np.random.default_rng(5)
    scores = rng.dirichlet(np.ones(classes), 1001)
    truth = rng.integers(0, classes, 1001)
    p = te.predictions(truth, scores={"m": scores if classes > 2 else scores[:, 1]})
    whole = [te.evaluate(p, metrics=[m])[m] for m in ("brier", "log_loss")]
    monkeypatch.setattr("trueerror.sources.engines._array_source.BLOCK", 100)
    q = te.predictions(truth, scores={"m": scores if classes > 2 else scores[:, 1]})
    assert [te.evaluate(q, metrics=[m])[m] for m in ("brier", "log_loss")] == whole
    gap = scores - np.eye(classes)[truth]
    assert whole[0].estimate == pytest.approx((gap * gap).sum(axis=1).mean() / 2, rel=1e-14)


def test_a_row_that_does_not_add_up_is_named_wherever_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trueerror.sources.engines._array_source.BLOCK", 4)
    scores = np.full((10, 3), 1 / 3)
    scores[8] = [0.5, 0.5, 0.5]
    with pytest.raises(InputError, match=r"row 9 adds up to 1\.5"):
        te.evaluate([0, 1, 2, 0, 1, 2, 0, 1, 2, 0], scores={"m": scores}, metrics=["brier"])["brier"]


def test_a_loss_is_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    p = te.predictions([0, 1, 1, 0] * 30, scores={"m": [0.2, 0.8, 0.4, 0.3] * 30})
    moments = type(p.source).moments
    monkeypatch.setattr(type(p.source), "moments", lambda *args: asked.append(args[1]) or moments(*args))
    str(te.evaluate(p))
    assert asked == ["m"]


def three_models(n: int = 60) -> te.Predictions:
    draw = np.random.default_rng(5)
    return te.predictions(np.arange(n) % 2, scores={m: draw.random(n) for m in "abc"})


@pytest.mark.parametrize(("metric", "made"), [("brier", 3), ("log_loss", 3), ("accuracy", 0)])
def test_losses_of_a_model_are_made_once_for_all_pairs(metric: str, made: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    before = _array_source.row_losses

    def row_losses(*given: object) -> object:
        asked.append(given)
        return before(*given)

    monkeypatch.setattr(_array_source, "row_losses", row_losses)
    first = te.compare(three_models(), metric=metric)
    assert len(asked) == made
    monkeypatch.setattr(_array_source, "KEPT", 0)
    assert te.compare(three_models(), metric=metric).to_json() == first.to_json()
    assert len(asked) == 4 * made


def test_what_is_kept_of_rows_belongs_to_these_rows_and_does_not_travel() -> None:
    p = three_models()
    whole, wrong = p.moments("a", brier), p.source.predicted_codes("a")
    assert set(p.source.kept) == {("losses", "a", brier), ("predicted", "a", ("cut", None, None)), ("range", "a")}
    assert not wrong.flags.writeable
    assert not pickle.loads(pickle.dumps(p.source)).kept
    few = p.source.take(np.arange(10))
    assert few.moments("a", brier).n == 10
    assert few.moments("a", log_loss) != few.moments("a", brier) != whole
    assert p.source.predicted_codes("a", 0.9).sum() < wrong.sum()
    # A function that is a new one each time is not kept; options make another loss of it.
    assert p.moments("a", lambda *given: brier(*given)) == whole
    assert len(p.source.kept) == 4
    assert p.moments("a", brier, scale="sum").mean == pytest.approx(2 * whole.mean)
