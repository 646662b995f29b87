from dataclasses import replace

import numpy as np
import pytest

from trueerror.inference._variance import influence, variance
from trueerror.inputs._options import InputError
from trueerror.metrics._registry import AVERAGES, averaged, every_measure, find_measure
from trueerror.tallies import Confusion

THREE = Confusion([[50, 5, 2], [6, 30, 4], [1, 3, 19]])
# Classes of unequal sizes: where two constant calls are equally cheap, savings has no derivative.
MISSED = Confusion.count(list("abacbcaba"), ["a", "b", "c", "c", "a", None, "a", "b", "a"], missing="wrong")


def every_count_metric():
    for measure in every_measure().values():
        if measure.needs in ("binary", "classes", "cells"):
            yield measure
        if measure.needs == "binary":
            yield from (averaged(measure, average) for average in AVERAGES)


def value(measure, table, masses, options):
    if measure.needs == "binary":
        return measure.function(table.binary(table.labels[1], masses), **options)
    if measure.needs == "classes":
        return measure.function(table.classes(masses), **options)
    return measure.function(table, masses, **options)


@pytest.mark.parametrize("measure", list(every_count_metric()), ids=lambda m: m.name)
@pytest.mark.parametrize("table", [THREE, MISSED], ids=["three", "unanswered"])
def test_influences_are_derivatives(measure, table):
    variants = [{"weights": w} for w in (None, "linear", "quadratic")] if measure.name == "kappa" else [{}]
    for options in variants:
        slopes = influence(measure, table, positive=table.labels[1], options=options)
        step = 1e-4
        for c in range(len(table.counts)):
            moved = np.zeros(len(table.counts))
            moved[c] = step
            up, down = (value(measure, table, table.masses + s * moved, options) for s in (1, -1))
            if np.isfinite(up) and np.isfinite(down):
                assert slopes[c] == pytest.approx((up - down) / (2 * step), rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "mcc", "g_mean", "error_rate"])
def test_derivatives_written_out_agree_with_the_complex_step(name):
    measure = find_measure(name)
    assert measure.gradient is not None
    assert influence(replace(measure, gradient=None), THREE) == pytest.approx(influence(measure, THREE), rel=1e-12)


def test_replicates_are_done_at_once():
    masses = np.stack([THREE.masses, 2 * THREE.masses, THREE.masses + 1])
    for name in ("f1", "macro_f1", "mcc", "kappa", "weighted_precision", "micro_jaccard", "balanced_accuracy"):
        many = influence(find_measure(name), THREE, positive=1, masses=masses)
        for i in range(3):
            assert many[i] == pytest.approx(influence(find_measure(name), THREE, positive=1, masses=masses[i]))


def test_variance_of_a_proportion_is_pq_over_n():
    v = variance(influence(find_measure("accuracy"), THREE), THREE.counts)
    assert v == pytest.approx(99 / 120 * 21 / 120 / 120)
    v = variance(influence(find_measure("recall"), THREE, positive=1), THREE.counts)
    assert v == pytest.approx(0.75 * 0.25 / 40)


def test_a_total_is_centred():
    assert variance(influence(find_measure("cost"), THREE), THREE.counts) == pytest.approx(120 * 99 / 120 * 21 / 120)


def test_scores_have_no_influence_here():
    with pytest.raises(InputError, match="not a function of a confusion matrix"):
        influence(find_measure("auc"), THREE)


def test_very_many_classes_need_a_derivative_written_out():
    k = 400
    t = Confusion(np.eye(k, dtype=int) * 3 + 1)
    unknown = replace(find_measure("mcc"), name="unknown", gradient=None)
    with pytest.raises(InputError, match="160,000 cells"):
        influence(unknown, t)
    for name in ("mcc", "kappa", "macro_f1", "weighted_f1", "micro_f1", "g_mean"):
        assert np.isfinite(influence(find_measure(name), t)).all()


@pytest.mark.parametrize("name", ["mcc", "g_mean", "kappa", "expected_cost"])
def test_a_step_in_each_cell_gives_the_derivative_written_out(name):
    measure = find_measure(name)
    table = Confusion(np.random.default_rng(1).integers(1, 9, (30, 30)))
    stepped = influence(replace(measure, gradient=None), table)
    assert stepped == pytest.approx(influence(measure, table), rel=1e-9, abs=1e-15)
    both = np.stack([table.masses, 2 * table.masses])
    twice = influence(replace(measure, gradient=None), table, masses=both)
    assert twice == pytest.approx(np.stack([stepped, stepped / 2]), rel=1e-9, abs=1e-15)
