"""Tests over many models or data sets, and adjustments of p-values."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

METHODS: tuple[Method, ...] = ()
