"""Metrics: tally → number, one file a family, all in one registry."""

FAMILIES = ("rates", "overall", "cells", "probabilities", "areas")
