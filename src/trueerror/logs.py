"""Readers of what other tools wrote: a table of predictions in, the same verbs after.

`te.read` and the commands recognise files of lm-evaluation-harness, Inspect and WEKA by themselves; these functions
say which it is, name models, and have further options.
"""

from __future__ import annotations

from trueerror.rows.logs.crossvalidation import cross_val_predict, cross_validate, fold_scores
from trueerror.rows.logs.harness import lm_eval
from trueerror.rows.logs.inspected import inspect
from trueerror.rows.logs.weka import weka
from trueerror.rows.logs.weka_results import weka_results

__all__ = ["cross_val_predict", "cross_validate", "fold_scores", "inspect", "lm_eval", "weka", "weka_results"]
