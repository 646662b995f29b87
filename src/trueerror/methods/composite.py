"""Methods for functions of several counts: F1, averages, correlations, weights, clusters."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

METHODS: tuple[Method, ...] = ()
