"""Square tables of counts, as people type them in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueerror.inputs.errors import InputError


def count_matrix(matrix: Any) -> NDArray[np.int64]:
    """A square table of whole numbers from 0 up.

    >>> count_matrix([[50, 5], [10, 35]]).sum()
    np.int64(100)
    """
    values = matrix.to_numpy() if hasattr(matrix, "to_numpy") else matrix
    try:
        cells = np.asarray(values, dtype=object if isinstance(values, list) else None)
        cells = np.asarray(cells, dtype=np.float64) if cells.dtype.kind not in "iu" else cells
    except (TypeError, ValueError):
        raise InputError("the confusion matrix must be a square table of counts") from None
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1]:
        shape = " × ".join(map(str, cells.shape))
        raise InputError(f"the confusion matrix must be square, but it is {shape or 'a single value'}")
    wrong = ~np.isfinite(cells) | (cells < 0) | (cells != np.floor(cells))
    if wrong.any():
        i, j = (int(x) for x in np.argwhere(wrong)[0])
        raise InputError(f"counts are whole numbers from 0 up, but row {i + 1}, column {j + 1} is {cells[i, j]:g}")
    return cells.astype(np.int64)
