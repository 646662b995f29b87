"""Fingerprints: two models are paired only when their rows are the same rows."""

from __future__ import annotations

import hashlib

import numpy as np

from trueerror.inputs.labels import Codes, Label


def fingerprint(codes: Codes, labels: tuple[Label, ...]) -> str:
    """A digest of labels in row order, the same whatever the codes' storage.

    >>> fingerprint(np.array([0, 1, 1]), ("a", "b")) == fingerprint(np.array([0, 1, 1], np.int8), ("a", "b"))
    True
    """
    digest = hashlib.blake2b(digest_size=16)
    # True equals 1, but the text "1" does not.
    digest.update(repr([v if isinstance(v, str) else int(v) for v in labels]).encode())
    for start in range(0, len(codes), 1 << 20):
        digest.update(np.ascontiguousarray(codes[start : start + (1 << 20)], dtype="<i4").tobytes())
    return digest.hexdigest()
