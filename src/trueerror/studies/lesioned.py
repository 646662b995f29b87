"""A learner with a part taken out: columns that it does not see, or rows that are transformed before it sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from trueerror.experiments.fitting import weights_for
from trueerror.inputs.errors import InputError

How = Literal["drop", "constant"]
# What a learner may have beside fit and predict; the lesioned one has it where the learner does.
DELEGATED = ("predict_proba", "decision_function")


class Lesioned:
    """An estimator around an estimator. The full system is one without lesions: so that random states are the same.

    `lesioned` are the positions of columns, left out (how="drop") or made the same for all rows (how="constant": as in
    the first training row); `transformations` are applied to X before that, in order.
    """

    def __init__(
        self,
        learner: Any,
        lesioned: tuple[int, ...] = (),
        how: How = "drop",
        transformations: tuple[Callable[[Any], Any], ...] = (),
    ) -> None:
        self.learner = learner
        self.lesioned = lesioned
        self.how = how
        self.transformations = transformations

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, and those of the learner under learner__."""
        own = {name: getattr(self, name) for name in ("learner", "lesioned", "how", "transformations")}
        if deep and hasattr(self.learner, "get_params"):
            own |= {f"learner__{key}": value for key, value in self.learner.get_params(deep=True).items()}
        return own

    def set_params(self, **given: Any) -> Lesioned:
        """Set parameters; those under learner__ are the learner's."""
        inner = {key.removeprefix("learner__"): v for key, v in given.items() if key.startswith("learner__")}
        for key, value in given.items():
            if not key.startswith("learner__"):
                setattr(self, key, value)
        if inner:
            self.learner.set_params(**inner)
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Lesioned:
        """Fit the learner to what is left of the rows."""
        changed = self._transformed(X)
        if self.how == "constant" and self.lesioned:
            self._fill = [_cell(changed, column) for column in self.lesioned]
        more = {} if sample_weight is None else weights_for(self.learner, sample_weight)
        self.learner.fit(self._left(changed), y, **more)
        return self

    def predict(self, X: Any) -> Any:
        """What the learner predicts from what is left of the rows."""
        return self.learner.predict(self._left(self._transformed(X)))

    def __getattr__(self, name: str) -> Any:
        learner = self.__dict__.get("learner")
        if learner is None or name not in (*DELEGATED, "classes_"):
            raise AttributeError(name)
        found = getattr(learner, name)
        if name == "classes_":
            return found
        return lambda X: found(self._left(self._transformed(X)))

    def _transformed(self, X: Any) -> Any:
        for function in self.transformations:
            X = function(X)
        return X

    def _left(self, X: Any) -> Any:
        if not self.lesioned:
            return X
        if self.how == "constant":
            return _filled(X, self.lesioned, self._fill)
        gone = set(self.lesioned)
        return _columns(X, [i for i in range(X.shape[1]) if i not in gone])

    def __repr__(self) -> str:
        return f"Lesioned({self.learner!r}, {self.lesioned!r})"


def _columns(X: Any, kept: list[int]) -> Any:
    """Columns by position; where none is left, one that says nothing."""
    if not kept:
        return np.zeros((X.shape[0], 1))
    if hasattr(X, "iloc"):
        return X.iloc[:, kept]
    if hasattr(X, "column_names"):
        return X.select(kept)
    return X[:, kept]


def _cell(X: Any, column: int) -> Any:
    return X.iloc[0, column] if hasattr(X, "iloc") else X[0, column]


def _filled(X: Any, columns: tuple[int, ...], values: list[Any]) -> Any:
    if hasattr(X, "iloc"):
        made = X.copy()
        for column, value in zip(columns, values, strict=True):
            made.isetitem(column, [value] * len(made))
        return made
    if not isinstance(X, np.ndarray):
        raise InputError('how="constant" takes NumPy arrays and pandas frames; use how="drop"')
    made = X.copy()
    made[:, list(columns)] = values
    return made
