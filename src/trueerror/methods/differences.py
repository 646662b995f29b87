"""Methods for the difference of two: independent and paired."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

METHODS: tuple[Method, ...] = ()
