"""Fingerprints of rows."""

from __future__ import annotations

import numpy as np

from trueerror.inputs._labels import fingerprint

CODES = np.array([0, 1, 1, 0])


def test_the_same_rows_have_the_same_fingerprint_however_they_are_stored() -> None:
    expected = fingerprint(CODES, ("a", "b"))
    for kind in (np.int8, np.int16, np.int64, ">i4"):
        assert fingerprint(CODES.astype(kind), ("a", "b")) == expected
    assert fingerprint(np.repeat(CODES, 2)[::2], ("a", "b")) == expected
    assert fingerprint(CODES, (0, 1)) == fingerprint(CODES, (False, True))


def test_other_rows_have_another() -> None:
    prints = [
        fingerprint(CODES, ("a", "b")),
        fingerprint(CODES[::-1] * 0, ("a", "b")),
        fingerprint(CODES[[1, 0, 2, 3]], ("a", "b")),
        fingerprint(CODES[:3], ("a", "b")),
        fingerprint(CODES, ("a", "c")),
        fingerprint(CODES, (0, 1)),
        fingerprint(CODES, ("0", "1")),
    ]
    assert len(set(prints)) == len(prints)


def test_long_columns_are_digested_whole() -> None:
    long = np.zeros((1 << 20) + 5, dtype=np.int8)
    other = long.copy()
    other[-1] = 1
    assert fingerprint(long, ("a", "b")) != fingerprint(other, ("a", "b"))
