"""What people have, in the place of rows: fitted models, matrices, frames of classes or models, tensors."""

import numpy as np
import pandas as pd
import pytest

import trueerror as te
from trueerror.inputs._options import InputError

Y = np.array([0, 1, 1, 0, 1, 0, 1, 0])
SCORES = np.array([0.1, 0.9, 0.4, 0.3, 0.8, 0.6, 0.7, 0.2])
X = SCORES.reshape(-1, 1)
PROBA = np.column_stack([1 - SCORES, SCORES])


class Fitted:
    """The least that a fitted classifier has."""

    def __init__(self, cut=0.5, classes=(0, 1)):
        self.cut, self.classes_ = cut, np.array(classes)

    def predict(self, X):
        return self.classes_[(np.asarray(X)[:, 0] >= self.cut).astype(int)]

    def predict_proba(self, X):
        p = np.asarray(X)[:, 0]
        return np.column_stack([1 - p, p])


class Booster:
    """A native booster: predict gives probabilities, and there are no classes."""

    def predict(self, X):
        return np.asarray(X)[:, 0]


def frame_of(columns, library):
    return pytest.importorskip(library).DataFrame(columns)


LABELS = (SCORES >= 0.5).astype(int)


@pytest.mark.parametrize(
    "call",
    [
        lambda: te.evaluate(Fitted(), X, Y),
        lambda: te.evaluate(Fitted(), X=X, y=Y),
        lambda: te.evaluate(Fitted(), X_test=X, y_test=Y),
        lambda: te.evaluate(Fitted(), pd.DataFrame(X), pd.Series(Y)),
        lambda: te.evaluate(Booster(), X, Y),
        lambda: te.evaluate(lambda rows: LABELS, X, Y),
        lambda: te.evaluate([Fitted()], X, Y),
        lambda: te.evaluate(Y, PROBA),
        lambda: te.evaluate(Y, PROBA.tolist()),
        lambda: te.evaluate(Y, SCORES),
        lambda: te.evaluate(Y, list(SCORES)),
        lambda: te.evaluate(Y, LABELS, SCORES),
        lambda: te.evaluate(Y, LABELS, PROBA),
        lambda: te.evaluate(Y, pd.DataFrame(PROBA)),
        lambda: te.evaluate(Y, pd.DataFrame(PROBA[:, ::-1], columns=[1, 0])),
        lambda: te.evaluate(Y, scores={"0": PROBA[:, 0], "1": PROBA[:, 1]}),
        lambda: te.evaluate(Y, frame_of({"1": PROBA[:, 1], "0": PROBA[:, 0]}, "polars")),
        lambda: te.evaluate(te.predictions(Fitted(), X, Y)),
    ],
)
def test_one_model_however_it_is_given(call):
    assert call()["accuracy"].estimate == te.evaluate(Y, LABELS)["accuracy"].estimate


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: te.compare({"a": Fitted(), "b": Fitted(0.25)}, X, Y), ("a", "b")),
        (lambda: te.compare([Fitted(), Fitted(0.25)], X, Y), ("Fitted", "Fitted 2")),
        (lambda: te.compare([("a", Fitted()), ("b", Fitted(0.25))], X, Y), ("a", "b")),
        (lambda: te.compare(Fitted(), Fitted(0.25), X, Y), ("Fitted", "Fitted 2")),
        (lambda: te.compare(Y, LABELS, (SCORES >= 0.25).astype(int)), ("first", "second")),
        (lambda: te.compare(Y, [LABELS, (SCORES >= 0.25).astype(int)]), ("first", "second")),
        (lambda: te.compare(Y, pd.DataFrame({"a": LABELS, "b": (SCORES >= 0.25).astype(int)})), ("a", "b")),
        (lambda: te.compare(Y, frame_of({"a": SCORES, "b": SCORES**2}, "polars")), ("a", "b")),
        (lambda: te.compare(Y, scores=pd.DataFrame({"a": SCORES, "b": SCORES**2})), ("a", "b")),
        (lambda: te.compare(Y, pd.Series(LABELS, name="x"), pd.Series(1 - LABELS, name="z")), ("x", "z")),
    ],
)
def test_two_models_however_they_are_given(call, names):
    assert tuple(call().estimates) == names


def test_floats_beside_scores_are_scores():
    """A tree that is always sure says 0.0 and 1.0, which alone could be labels."""
    p = te.predictions(Y, pd.DataFrame({"net": SCORES, "tree": LABELS.astype(float)}))
    assert p.has_scores("net")
    assert p.has_scores("tree")
    assert te.predictions(Y, pd.DataFrame({"tree": LABELS.astype(float), "one": 1.0 - LABELS})).has_labels("tree")


def test_a_class_that_no_row_has_is_named_by_the_columns():
    truth = ["a", "b", "a", "b"]
    frame = pd.DataFrame([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7], [0.3, 0.4, 0.3]], columns=["a", "b", "c"])
    ev = te.evaluate(truth, frame)
    assert ev.labels == ("a", "b", "c")
    assert ev["accuracy"].estimate == 0.75
    with pytest.raises(InputError, match="a frame with the classes as columns"):
        te.evaluate(truth, frame.to_numpy())
    with pytest.raises(InputError, match="no column for 'b'"):
        te.evaluate(truth, frame[["a", "c"]])


def test_the_reading_says_what_was_taken_for_scores():
    assert "taken as scores" in str(te.predictions(Y, SCORES))
    assert "taken as scores" not in str(te.predictions(Y, scores=SCORES))
    assert "taken as scores" not in str(te.predictions(Y, PROBA))


class Unfitted:
    def predict(self, X):
        raise type("NotFittedError", (ValueError,), {})("call fit first")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: te.evaluate(Fitted()), r"te.evaluate\(model, X_test, y_test\)"),
        (lambda: te.evaluate(Fitted(), Y, X), "swapped"),
        (lambda: te.evaluate(Unfitted(), X, Y), "is not fitted"),
        (lambda: te.evaluate(Fitted(), pd.DataFrame(X), pd.Series(Y, index=range(8, 16))), "different indexes"),
        (lambda: te.roc(te.predictions(Y, scores=SCORES), SCORES, SCORES), "several models go into one mapping"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_gate_report_check_and_assertions_take_the_same(tmp_path):
    old = (SCORES >= 0.25).astype(int)
    assert te.gate(Y, LABELS, old, margin=0.5).candidate == "candidate"
    assert te.gate({"new": Fitted(), "old": Fitted(0.25)}, X, Y, margin=0.5).baseline == "old"
    assert te.gate(Y, scores={"new": SCORES, "old": SCORES**2}, margin=0.5).baseline == "old"
    assert te.testing.assert_at_least(Y, Y, 0.5).passed
    assert te.testing.assert_at_least(Fitted(), X, Y, 0.1).passed
    assert te.testing.assert_not_worse(np.tile(Y, 30), np.tile(Y, 30), np.tile(Y, 30), margin=0.2).passed
    assert str(te.check(Y, LABELS)) == str(te.check(te.predictions(Y, LABELS)))
    assert te.report(Fitted(), X, Y, tmp_path / "a.html").exists()
    assert te.report(Y, LABELS, tmp_path / "b.html").exists()


class Tensor:
    """What torch's tensors do: gradients must be left behind, devices left, bfloat16 widened."""

    def __init__(self, values, grad=True, device="cuda:0", dtype="torch.bfloat16"):
        self.values, self.grad, self.device, self.dtype = np.asarray(values), grad, device, dtype
        self.shape = self.values.shape

    def __len__(self):
        return len(self.values)

    def __dlpack__(self, **_):
        raise BufferError("cannot export")

    def detach(self):
        return Tensor(self.values, False, self.device, self.dtype)

    def cpu(self):
        return Tensor(self.values, self.grad, "cpu", self.dtype)

    def float(self):
        return Tensor(self.values, self.grad, self.device, "torch.float32")

    def __array__(self, dtype=None, copy=None):
        if self.grad or self.device != "cpu" or self.dtype == "torch.bfloat16":
            raise RuntimeError("a tensor that cannot be an array")
        return self.values


class OnDevice:
    """CuPy: implicit conversion is refused, `get` moves."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.shape, self.dtype = self.values.shape, self.values.dtype

    def __len__(self):
        return len(self.values)

    def __dlpack__(self, **_):
        raise BufferError("on a device")

    def get(self):
        return self.values


def test_tensors_leave_gradient_device_and_short_floats_behind():
    wanted = te.roc(Y, SCORES).auc().estimate
    assert te.roc(Y, Tensor(SCORES)).auc().estimate == wanted
    assert te.roc(Tensor(Y, dtype="torch.int64"), OnDevice(SCORES)).auc().estimate == wanted
    assert te.evaluate(Y, Tensor(PROBA))["accuracy"].estimate == te.evaluate(Y, LABELS)["accuracy"].estimate
    broken = Tensor(SCORES)
    broken.cpu = lambda: (_ for _ in ()).throw(NotImplementedError("no data"))
    broken.detach = lambda: broken
    with pytest.raises(InputError, match="whose values cannot be had"):
        te.roc(Y, broken)


def test_real_tensors():
    torch = pytest.importorskip("torch")
    out = torch.tensor(SCORES, dtype=torch.float32, requires_grad=True)
    assert te.roc(torch.tensor(Y), out).auc().estimate == te.roc(Y, SCORES).auc().estimate
    assert te.roc(torch.tensor(Y), out.bfloat16()).n == 8


def test_learners_one_after_the_other():
    class Learner(Fitted):
        def fit(self, X, y):
            return self

    run = te.experiment([Learner(), Learner(0.25)], X.repeat(4, axis=0), Y.repeat(4), plan=4, progress=False)
    assert run.learners == ("Learner", "Learner 2")


def test_numbers_in_text_are_models_unless_their_scores_sum_to_one():
    truth, scores = np.array([0, 1] * 20), np.random.default_rng(0).random(40)
    assert te.predictions(truth, scores={"0": scores, "1": scores**2}).models == ("0", "1")
    assert te.predictions(truth, scores={"0": 1 - scores, "1": scores}).models == ("model",)
    assert te.predictions(truth, scores={0: -scores, 1: scores}).models == ("model",)
