"""Over- and undersampling of the training rows; test rows are never touched."""

from __future__ import annotations

from typing import Literal

import numpy as np

from trueerror.kernels.draws import words
from trueerror.resampling.dealing import Ints, shuffled

Balance = Literal["over", "under"]


def balanced(train: Ints, codes: Ints, how: Balance | None, *, seed: int) -> Ints:
    """Training rows with the classes made equal: rare ones drawn again ("over"), or frequent ones thinned ("under").

    Only rows of `train` come out, so nothing of a test part can come in.

    >>> codes = np.array([0] * 8 + [1] * 3)
    >>> np.bincount(codes[balanced(np.arange(11), codes, "over", seed=0)]).tolist()
    [8, 8]
    >>> np.bincount(codes[balanced(np.arange(11), codes, "under", seed=0)]).tolist()
    [3, 3]
    """
    if how is None:
        return train
    inside = codes[train]
    present, sizes = np.unique(inside, return_counts=True)
    parts = []
    for code, size in zip(present, sizes, strict=True):
        rows = train[inside == code]
        if how == "under":
            parts.append(rows[shuffled(size, seed, int(code))[: sizes.min()]])
        else:
            # Every row of the class stays, and the rest is drawn from them with replacement.
            lanes = words(seed, int(code), 0, int(sizes.max() - size)) >> np.uint64(32)
            again = ((lanes * np.uint64(size)) >> np.uint64(32)).astype(np.intp)
            parts.append(np.concatenate([rows, rows[again]]))
    return np.sort(np.concatenate(parts))
