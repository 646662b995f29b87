"""The catalogue of metrics."""

from __future__ import annotations

import json
import pickle

import pytest

import trueerror as te
from trueerror.metrics._registry import every_measure


def test_it_lists_every_metric_with_its_facts() -> None:
    listed = te.catalogue()
    assert len(listed) == len(every_measure())
    records = listed.records()
    assert [r["name"] for r in records] == list(every_measure())
    recall = next(r for r in records if r["name"] == "recall")
    assert recall["best"] == 1
    assert (recall["low"], recall["high"]) == (0, 1)
    assert recall["interval"] == "wilson"
    assert "tpr" in str(recall["aliases"])
    assert set(listed.frame().columns) == set(recall)
    assert set(listed.frame("polars").columns) == set(recall)


def test_it_can_be_asked() -> None:
    listed = te.catalogue()
    assert "tpr" in listed
    assert "nonsense" not in listed
    assert listed["macro_f1"].average == "macro"
    assert next(iter(listed)).name == "precision"
    with pytest.raises(AttributeError):
        listed.measures = ()


def test_it_prints_within_80_columns_and_as_tables() -> None:
    text = str(te.catalogue())
    assert max(map(len, text.splitlines())) <= 80
    assert "diagnostic_odds_ratio" in text
    assert te.catalogue().to_markdown().count("\n") == len(every_measure()) + 1
    assert json.loads(te.catalogue().to_json())["type"] == "Catalogue"
    assert te.load(te.catalogue().to_json()) == te.catalogue()
    assert te.catalogue() == te.catalogue()


def test_every_named_metric_of_the_interface_exists() -> None:
    names = """accuracy error_rate precision recall specificity fpr fnr npv f1 f_beta weighted_accuracy
        balanced_accuracy informedness markedness mcc kappa g_mean jaccard fowlkes_mallows prevalence auc
        average_precision log_loss brier ece hand_till_auc ovr_auc macro_f1 micro_f1
        weighted_f1 youden lr_plus lr_minus diagnostic_odds_ratio
        hamming_loss cost expected_cost savings"""
    for name in names.split():
        assert te.catalogue()[name].name


def test_it_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(te.catalogue())) == te.catalogue()
