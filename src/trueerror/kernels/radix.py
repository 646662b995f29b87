"""Bookkeeping of the compiled radix sorts: digits, places, cuts; and the word that compiling takes a while."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trueerror.kernels.threads import parts

Counts = NDArray[np.int64]

# Bits of the leading digit.
LEADING = 14
# Rows that one task of a thread goes through.
STRETCH = 1 << 18


def leading(low: int, high: int) -> tuple[int, int]:
    """By how many bits keys are shifted to leave their leading digit, and how many digits there are."""
    shift = max(0, (high - low).bit_length() - LEADING)
    return shift, ((high - low) >> shift) + 1


def places_of(counts: Counts, n: int) -> tuple[Counts, Counts]:
    """Where each piece puts its keys of each digit, and where the digits start.

    Within a digit the pieces follow one another, so that each piece knows its places without the others.
    """
    flat = counts.T.ravel()
    places = np.ascontiguousarray((np.cumsum(flat) - flat).reshape(counts.shape[1], len(counts)).T)
    return places, np.append(places[0], n)


def run_cuts(starts: Counts, n: int) -> list[int]:
    """The runs of digits, cut into parts of about equally many rows."""
    cuts = np.searchsorted(starts, [p.start for p in parts(n, max(1, min(64, n // STRETCH)))])
    return [*(int(c) for c in cuts), len(starts) - 1]


_announced = False


def announce(folder: Path) -> None:
    """Say once that loops are being compiled: on the logger, and on stderr where a person is looking."""
    global _announced
    if _announced:
        return
    _announced = True
    if folder.is_dir() and any(folder.glob("compiled_*.nbi")):
        return
    words = "compiling the fast kernels with Numba: some seconds, once for this installation"
    logging.getLogger("trueerror").info(words)
    if sys.stderr.isatty():
        sys.stderr.write(f"trueerror: {words}\n")
