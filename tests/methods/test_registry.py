"""Every method that is offered works and explains itself, and every default of the decision table exists."""

import ast
import inspect

import numpy as np
import pytest

import trueerror as te
from trueerror.inference import _choose
from trueerror.inference._answer import words_for
from trueerror.inference._choose import TABLE
from trueerror.inference._metric_interval import metric_interval
from trueerror.inference._problem import IntervalSpec, Problem
from trueerror.inference._variance import Sample
from trueerror.inference.counts._one_class import LabelSample
from trueerror.methods import decisions, every_method, explain, method, usual_method
from trueerror.methods._registry import MODULES, always, methods_on
from trueerror.metrics._registry import AVERAGES, every_measure, find_measure
from trueerror.tallies import Confusion, ScoreTable

AREA_METHODS = ("delong-logit", "delong", "hanley-mcneil", "newcombe")
# Words that users may say and the key that results carry.
SHORT = {"bootstrap": "bootstrap-bca", "newcombe": "newcombe-auc"}


@pytest.mark.parametrize("row", decisions(), ids=lambda row: row.title)
def test_every_default_and_alternative_is_known(row):
    for key in (row.default, *row.also):
        assert key in every_method() or "its plan" in key, (row.title, key)


def test_the_table_is_short_and_has_no_numbers():
    assert len(TABLE) <= 15
    assert all(row.title and row.why for row in TABLE)
    tree = ast.parse(inspect.getsource(_choose))
    numbers = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and type(n.value) in (int, float)]
    assert set(numbers) <= {0}  # the first of several


def test_every_kind_of_question_has_a_row_that_always_holds():
    assert {kind for row in TABLE if row.when is always for kind in row.on} == set(MODULES)


def test_every_row_names_a_method_of_its_kinds():
    for row in TABLE:
        for kind in row.on:
            if isinstance(row.method, str):
                assert any(m.is_called(row.method) for m in methods_on(kind)), (row.title, kind)


def test_every_count_metric_has_a_default():
    names = [m for m in every_measure().values() if m.needs in ("binary", "classes", "cells")]
    names += [find_measure(f"{a}_{m.name}") for m in names if m.needs == "binary" for a in AVERAGES]
    assert len(names) > 60
    for measure in names:
        assert usual_method(measure) in every_method(), measure.name


def test_every_offered_method_is_known_and_explains_itself():
    offered = {m.key for kind in MODULES for m in methods_on(kind)}
    assert len(offered) > 25
    offered |= {SHORT.get(m, m) for m in AREA_METHODS}
    for key in offered:
        assert method(key).title in " ".join(explain(key).split())


def test_every_offered_method_works_where_it_is_offered():
    t = Confusion([[50, 5, 2], [6, 30, 4], [1, 3, 19]])
    for name in ("accuracy", "f1", "macro_f1", "lr_plus"):
        measure = find_measure(name)
        positive = 1 if measure.needs == "binary" else None
        sample = LabelSample.of(measure, Sample.of(measure, t, positive=positive), {})
        words = words_for(Problem(metric=measure, sample=sample, spec=IntervalSpec()))
        assert len(words) >= 5
        assert next(iter(words.values())).key == usual_method(measure)
        for key in (m.key for m in words.values()):
            made = metric_interval(name, t, positive=positive, method=key, replicates=200)
            assert made.method == key, (name, key, made)
            assert made.low < made.estimate < made.high
            assert method(key).title in made.explain()
    assert metric_interval("informedness", t, positive=1, method="fisher-z").method == "fisher-z"


def test_the_catalogue_of_metrics_names_the_interval_that_is_given():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 80)
    scores = np.clip(truth * 0.3 + 0.7 * rng.random(80), 0.01, 0.99)
    table, ranked = Confusion([[80, 10], [8, 30]]), ScoreTable.count(truth, scores)
    for record in te.catalogue().records():
        measure = find_measure(str(record["name"]))
        if measure.needs == "class_scores":
            used = te.evaluate(truth, scores=np.column_stack([1 - scores, scores]), metrics=[measure.name])
            assert used[measure.name].method == record["interval"]
            continue
        if measure.needs == "grades":
            assert te.evaluate(te.graded(scores))[measure.name].method == record["interval"]
            continue
        counted = ranked if measure.needs in ("scores", "losses") else table
        options = {"costs": [[0, 1], [5, 0]]} if "costs" in measure.options else {}
        made = metric_interval(measure, counted, options=options, replicates=200)
        assert made.method == record["interval"], measure.name


def test_areas_explain_themselves():
    rng = np.random.default_rng(0)
    t = ScoreTable.count(rng.integers(0, 2, 60), rng.random(60))
    for word in AREA_METHODS:
        made = metric_interval("auc", t, method=word)
        assert made.method == SHORT.get(word, word)
        assert "Formula:" in made.explain()


def test_an_interval_from_counts_explains_itself():
    words = te.interval(3, 40, method="mid-p").explain()
    assert "mid-p interval" in words
    assert "Lancaster" in words
