"""Another class distribution: what a result would be where the classes come in other proportions.

What happens within a class (its recall, its errors) is kept; how many rows it has is not. So the accuracy at the prior
is pos·TPR + neg·(1 − FPR) for any pos + neg = 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError
from trueerror.inputs.labels import Label, find_label, need_positive
from trueerror.metrics.registry import ratio
from trueerror.tallies.confusion import Confusion
from trueerror.tallies.counts import sum_columns
from trueerror.tallies.scores import ScoreTable

Floats = NDArray[np.float64]
Prior = float | Mapping[Any, float]
# Shares that were typed with few digits (0.333, 0.333, 0.334) need not add up to the last bit.
TOLERANCE = 1e-6


def class_shares(prior: Prior, labels: Sequence[Label], positive: Label | None = None) -> Floats:
    """The prior as one share for each label, adding up to 1.

    >>> class_shares(0.1, ("no", "yes"), "yes").tolist()
    [0.9, 0.1]
    >>> class_shares({"a": 0.5, "b": 0.25, "c": 0.25}, ("a", "b", "c")).tolist()
    [0.5, 0.25, 0.25]
    """
    if isinstance(prior, Mapping):
        return _from_mapping(prior, labels)
    share = _share(prior, "prior")
    if len(labels) != 2:
        raise InputError(
            f"prior={prior!r} is the share of the positives among two classes, but there are {len(labels)}: "
            "give every class its share, as in {label: share}"
        )
    if positive is None:
        raise need_positive(labels, "prior=")
    return np.array([share if label == positive else 1 - share for label in labels])


def _from_mapping(prior: Mapping[Any, float], labels: Sequence[Label]) -> Floats:
    given = {find_label(key, labels, "prior"): _share(value, f"prior[{key!r}]") for key, value in prior.items()}
    absent = [label for label in labels if label not in given]
    if absent:
        raise InputError(
            f"prior= does not name the class {absent[0]!r}; give every class a share (0 where it is absent)"
        )
    shares = np.array([given[label] for label in labels])
    if abs(shares.sum() - 1) > TOLERANCE:
        raise InputError(f"prior= adds up to {shares.sum():.6g}; the shares of all classes must add up to 1")
    return np.asarray(shares / shares.sum())


def _share(value: Any, name: str) -> float:
    try:
        share = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name}={value!r:.40} is not a number; a prior is a share between 0 and 1") from None
    if not 0 <= share <= 1:
        raise InputError(f"{name}={value!r} must lie between 0 and 1")
    return share


def reweighted(table: Confusion, shares: Floats, masses: Any = None) -> Any:
    """The cells' masses with the classes in the given shares; their sum stays what it was.

    All NaN where a class with a share has no rows: what would happen to its rows is not known. Leading axes of
    `masses` (bootstrap replicates) are kept, each replicate being brought to the prior by itself.

    >>> t = Confusion([[40, 10], [5, 45]])
    >>> reweighted(t, np.array([0.9, 0.1])).tolist()
    [72.0, 18.0, 1.0, 9.0]
    """
    m = table.masses if masses is None else masses
    rows = sum_columns(m, table.row, len(table.labels))
    wanted = shares * np.asarray(m.sum(axis=-1))[..., None]
    scale = np.where((rows == 0) & (shares == 0), 0, ratio(wanted, rows))
    unknown = np.isnan(scale).any(axis=-1, keepdims=True)
    return np.where(unknown, np.nan, m * scale[..., table.row])


def reweighted_scores(table: ScoreTable, share: float, masses: Any = None) -> tuple[Any, Any]:
    """The positives and negatives of a score table with the positives in the given share."""
    up, down = (np.asarray(x) for x in ((table.positives, table.negatives) if masses is None else masses))
    total = up.sum(axis=-1) + down.sum(axis=-1)
    parts = []
    for mass, wanted in ((up, share), (down, 1 - share)):
        rows = mass.sum(axis=-1)
        scale = np.where((rows == 0) & (wanted == 0), 0, ratio(wanted * total, rows))
        parts.append(mass * np.asarray(scale)[..., None])
    return parts[0], parts[1]


def missing_class(sizes: Floats, shares: Floats, labels: Sequence[Label]) -> str:
    """Why a result at a prior is undefined: the class that has a share but no rows."""
    for size, share, label in zip(sizes, shares, labels, strict=True):
        if size == 0 and share > 0:
            return f"the prior gives class {label!r} a share of {share:.4g}, but it has no rows"
    return ""
