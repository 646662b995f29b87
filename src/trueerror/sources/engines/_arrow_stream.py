"""Batches of numbers out of DuckDB as NumPy arrays, without copies and without pyarrow; counts of all pairs of models.

DuckDB hands over a stream by the Arrow C interface (https://arrow.apache.org/docs/format/CStreamInterface.html). The
queries of this package give numbers without gaps, so one buffer a column is all that has to be read. `PairCounts` turns
the answers of a batch into a matrix of zeros and ones, a column for each model and code; its products with itself are
the counts of all pairs, and the last code of a model follows from the others.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import BoundedSemaphore, get_ident
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from trueerror.inputs._arrays import Array, Foreign
from trueerror.inputs._options import FileError, current


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", ctypes.c_void_p),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))),
    ("private_data", ctypes.c_void_p),
]


class Batch:
    """Columns of some rows; the arrays hold until `release`. `number` counts the batches of a stream."""

    def __init__(self, batch: _Array, kinds: Sequence[np.dtype[Any]], number: int) -> None:
        self._batch: _Array | None = batch
        self.number = number
        if batch.n_children != len(kinds):
            raise AssertionError(f"{batch.n_children} columns came for {len(kinds)}")
        self.columns = [_column(batch.children[i].contents, kind, batch.offset) for i, kind in enumerate(kinds)]

    def release(self) -> None:
        """Give the memory back; the arrays must not be used any more."""
        self.columns = []
        if self._batch is not None:
            self._batch.release(ctypes.byref(self._batch))
            self._batch = None


def batches(relation: Foreign, dtypes: Sequence[DTypeLike]) -> Iterator[Batch]:
    """The columns of a relation, batch by batch; each is to be released by whoever took it.

    `dtypes` are the NumPy types of the columns: the query must give exactly these, and no missing value.
    """
    capsule = relation.__arrow_c_stream__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = ctypes.cast(pointer(capsule, b"arrow_array_stream"), ctypes.POINTER(_Stream))
    kinds = [np.dtype(dtype) for dtype in dtypes]
    for number in count():
        batch = _Array()
        failed = stream.contents.get_next(stream, ctypes.byref(batch))
        if failed:
            words = stream.contents.get_last_error(stream) or b"the stream of rows broke off"
            raise FileError(words.decode("utf-8", "replace").splitlines()[0])
        if not batch.release:
            return
        yield Batch(batch, kinds, number)


def in_flight(found: Iterable[Batch], work: Callable[[Batch], None]) -> None:
    """Work on batches in threads while the next ones are read; a few wait at most, so that memory stays bounded."""
    threads = current().thread_count
    if threads < 2:
        for batch in found:
            try:
                work(batch)
            finally:
                batch.release()
        return
    waiting = BoundedSemaphore(2 * threads)

    def one(batch: Batch) -> None:
        try:
            work(batch)
        finally:
            batch.release()
            waiting.release()

    with ThreadPoolExecutor(threads) as pool:
        done = []
        for batch in found:
            waiting.acquire()
            done.append(pool.submit(one, batch))
            # What went wrong in a thread is told soon, not after all rows.
            while done and done[0].done():
                done.pop(0).result()
        for each in done:
            each.result()


def _column(column: _Array, dtype: np.dtype[Any], offset: int) -> Array:
    if column.null_count > 0:
        raise AssertionError("a column that must not have gaps has some")
    if column.length == 0:
        return np.empty(0, dtype=dtype)
    start = column.buffers[1] + (column.offset + offset) * dtype.itemsize
    raw = (ctypes.c_char * (column.length * dtype.itemsize)).from_address(start)
    return np.frombuffer(raw, dtype=dtype)


Ints = NDArray[np.int64]
# Rows of a matrix at a time: sums of so many ones are exact in 32 bits, and the matrix stays small.
BLOCK = 1 << 14
# Columns of the matrix: beyond it pairs are counted one by one.
MOST_COLUMNS = 1024


class PairCounts:
    """Counts over truth × model × code × model × code. Codes run from 0; the last one may stand for absent answers."""

    def __init__(self, classes: int, models: int, codes: int) -> None:
        self.classes, self.models, self.codes = classes, models, codes
        self.sums = np.zeros((classes, models * (codes - 1) + 1, models * (codes - 1) + 1), dtype=np.int64)

    def add(self, truth: Array, calls: Array) -> None:
        """Count rows: their classes, and (rows, models) codes."""
        for start in range(0, len(truth), BLOCK):
            rows = slice(start, start + BLOCK)
            told = calls[rows, :, None] == np.arange(self.codes - 1, dtype=calls.dtype)
            matrix = np.ones((len(told), self.sums.shape[1]), dtype=np.float32)
            matrix[:, :-1] = told.reshape(len(told), -1)
            for c in range(self.classes):
                mine = matrix[truth[rows] == c]
                self.sums[c] += np.rint(mine.T @ mine).astype(np.int64)

    def pair(self, first: int, second: int) -> Ints:
        """Truth × codes of the first × codes of the second."""
        width = self.codes - 1
        a, b = (slice(i * width, (i + 1) * width) for i in (first, second))
        found = np.zeros((self.classes, self.codes, self.codes), dtype=np.int64)
        found[:, :width, :width] = self.sums[:, a, b]
        found[:, :width, width] = self.sums[:, a, -1] - found[:, :width, :width].sum(axis=2)
        found[:, width, :width] = self.sums[:, -1, b] - found[:, :width, :width].sum(axis=1)
        found[:, width, width] = self.sums[:, -1, -1] - found.sum(axis=(1, 2))
        return found


def count_pairs(found: Iterable[Batch], classes: int, models: int, codes: int) -> PairCounts:
    """All batches counted in threads; the columns are the truth and the models' codes, −1 for absent answers."""
    mine: dict[int, PairCounts] = {}

    def add(batch: Batch) -> None:
        counts = mine.setdefault(get_ident(), PairCounts(classes, models, codes))
        truth, *calls = batch.columns
        side_by_side = np.stack(calls, axis=1)
        counts.add(truth, np.where(side_by_side < 0, codes - 1, side_by_side))

    in_flight(found, add)
    total = PairCounts(classes, models, codes)
    for counts in mine.values():
        total.sums += counts.sums
    return total
