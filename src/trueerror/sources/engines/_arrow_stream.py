"""Rows that an engine hands out batch by batch through Arrow's C interface: read without a copy, counted in threads."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import BoundedSemaphore, Lock, get_ident
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from trueerror.inputs._arrays import Array, Foreign
from trueerror.inputs._options import FileError
from trueerror.inputs._settings import current
from trueerror.sources.engines._group_tallies import PairCounts

# Rows that are counted at a time at least.
LEAST_ROWS = 1 << 18


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


def counted_places(found: Iterable[Batch], cells: int) -> NDArray[np.int64]:
    """How many rows there are in each place; the only column is the place of each row."""
    total, lock = np.zeros(cells, dtype=np.int64), Lock()
    waiting: dict[int, list[Array]] = {}

    def count(places: list[Array]) -> None:
        counted = np.bincount(np.concatenate(places), minlength=cells)
        with lock:
            np.add(total, counted, out=total)

    def add(batch: Batch) -> None:
        mine = waiting.setdefault(get_ident(), [])
        mine.append(batch.columns[0].copy())
        # As many rows at a time as there are places: emptying the table and adding it up takes no longer then.
        if sum(map(len, mine)) >= max(cells, LEAST_ROWS):
            count(mine)
            mine.clear()

    in_flight(found, add)
    for mine in waiting.values():
        if mine:
            count(mine)
    return total
