"""Fitted models: what they call and how they score rows, by the conventions of scikit-learn, without importing it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import plain_label
from trueerror.rows.building import GivenModel


def read_fitted(name: str, model: Any, X: Any) -> GivenModel:
    """Labels by `predict`; scores by `predict_proba`, else by `decision_function`, in the order of `classes_`.

    A two-class decision value d speaks for the second class, so the two classes score −d and d.
    """
    if not hasattr(model, "predict"):
        raise InputError(
            f"fitted={{{name!r}: …}} is a {type(model).__name__} without predict(); pass its labels in predicted, or "
            "its scores in scores="
        )
    places: dict[str, Any] = {
        "place_of_labels": f"the labels of {name!r}",
        "place_of_scores": f"the scores of {name!r}",
    }
    labels = model.predict(X)
    if not hasattr(model, "classes_"):
        return GivenModel(labels=labels, **places)
    classes = tuple(plain_label(v, f"a class of {name!r}") for v in np.asarray(model.classes_).tolist())
    if hasattr(model, "predict_proba"):
        scores = np.asarray(model.predict_proba(X))
        return GivenModel(labels=labels, scores=scores, classes=classes, fill=0.0, **places)
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X))
        if scores.ndim == 1:
            scores = np.stack([-scores, scores], axis=1)
        if scores.shape[1] != len(classes):
            # One column a pair of classes (one-vs-one) ranks nothing for a single class.
            return GivenModel(labels=labels, **places)
        return GivenModel(labels=labels, scores=scores, classes=classes, fill=-math.inf, **places)
    return GivenModel(labels=labels, **places)
