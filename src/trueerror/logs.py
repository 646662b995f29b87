"""Readers of what other tools wrote: a table of predictions in, the same verbs after.

`te.read` and the commands recognise files of lm-evaluation-harness, Inspect, promptfoo, OpenAI evals, deepeval, HELM,
lighteval, mlflow.genai, SWE-bench, EvalPlus and WEKA by themselves; these functions say which it is, name models, and
have further options.
"""

from __future__ import annotations

from trueerror.inputs._words import speaks
from trueerror.sources.logs.code_benchmark import code_benchmark
from trueerror.sources.logs.deepeval import deepeval
from trueerror.sources.logs.helm import helm
from trueerror.sources.logs.inspect_ai import inspect
from trueerror.sources.logs.lighteval import lighteval
from trueerror.sources.logs.lm_eval import lm_eval
from trueerror.sources.logs.mlflow import mlflow
from trueerror.sources.logs.openai_evals import openai_evals
from trueerror.sources.logs.promptfoo import promptfoo
from trueerror.sources.logs.sklearn_cv import cross_val_predict, cross_validate, fold_scores, grid_search
from trueerror.sources.logs.weka import weka, weka_results

__all__ = [
    "code_benchmark",
    "cross_val_predict",
    "cross_validate",
    "deepeval",
    "fold_scores",
    "grid_search",
    "helm",
    "inspect",
    "lighteval",
    "lm_eval",
    "mlflow",
    "openai_evals",
    "promptfoo",
    "weka",
    "weka_results",
]

for _name in __all__:
    globals()[_name] = speaks(globals()[_name], "te.logs")
