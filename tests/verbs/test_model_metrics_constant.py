"""One answer for every row beside the models: with clusters, with weights, in comparisons, and by cost."""

import math
import re

import numpy as np
import pytest

import trueerror as te

N = 600
RNG = np.random.default_rng(1)
RARE = (RNG.random(N) < 0.06).astype(int)
CLUSTERS = np.arange(N) // 10
USELESS = {"a": RNG.random(N), "b": RNG.random(N)}
LOW = {"a": RNG.random(N) * 0.1, "b": RNG.random(N) * 0.1}
NO_NUMBER = re.compile(r"\b(inf|nan|infinite)\b")


@pytest.mark.parametrize("scores", [USELESS, LOW], ids=["useless", "low"])
@pytest.mark.parametrize("rows", [{}, {"clusters": CLUSTERS}, {"clusters": np.zeros(N, int)}], ids=["", "many", "one"])
def test_a_comparison_by_cost_sets_the_constant_answer_beside_the_models(scores, rows):
    cmp = te.compare(RARE, scores=scores, cost_fn=5, **rows)
    assert cmp.verdict.startswith('Use no model: always answering "0" is ')
    assert 'always "0"' in str(cmp)
    assert not cmp.verdict.rstrip().endswith(":")
    assert not NO_NUMBER.search(str(cmp)), str(cmp)


def test_the_cost_of_the_constant_answer_is_judged_by_clusters():
    good = 0.8 * RARE + 0.1
    args = {"scores": {"a": good, "b": USELESS["b"]}, "cost_fn": 5}
    plain = te.compare(RARE, **args).against_constant
    single = te.compare(RARE, clusters=np.arange(N), **args).against_constant
    assert single.method == "effective-t"
    assert (single.estimate, single.low) == pytest.approx((plain.estimate, plain.low), rel=0.1)
    assert "is cheaper than" in te.compare(RARE, clusters=CLUSTERS, **args).verdict


@pytest.mark.parametrize(
    "rows",
    [{"clusters": CLUSTERS}, {"weights": RNG.random(N) + 0.5, "weights_kind": "sampling"}],
    ids=["clusters", "weights"],
)
def test_TE201_and_the_verdict_speak_with_clusters_and_weights(rows):
    ev = te.evaluate(RARE, scores=USELESS["a"], **rows)
    assert "TE201" in ev.findings
    assert "clearly worse than that (p < .001)" in ev.verdict
    better = te.evaluate(RARE, scores=RARE * 0.9, **rows)
    assert "TE201" not in better.findings
    assert "clearly better than that" in better.verdict


def test_TE201_reads_weighted_figures():
    """Unweighted the model is below the constant; the weights say that the rows it gets right stand for more."""
    truth, calls = np.repeat([0, 0, 1, 1], [60, 20, 10, 10]), np.repeat([0, 1, 1, 0], [60, 20, 10, 10])
    weights = np.repeat([1.0, 0.1, 5.0, 0.1], [60, 20, 10, 10])
    ev = te.evaluate(truth, calls, weights=weights, weights_kind="sampling")
    assert "TE201" not in ev.findings
    assert "TE201" in te.evaluate(truth, calls).findings


def test_one_cluster_and_a_prior_are_judged_without_a_test():
    one = te.evaluate(RARE, scores=USELESS["a"], clusters=np.zeros(N, int))
    assert math.isnan(one.parts[0].baseline_p)
    assert "the model did no better than that" in one.verdict
    assert "no limits can be given" in one.verdict
    assert "TE201" in one.findings
    assert "the model is better than that" in te.evaluate(RARE, scores=RARE * 0.9, prior=0.3).verdict


def test_a_comparison_reports_what_rows_and_models_show_by_themselves():
    calls = {"good": (RNG.random(N) < 0.05) * 1, "bad": (RNG.random(N) < 0.01) * 1}
    one_class = te.compare(np.zeros(N, int), calls, labels=[0, 1])
    assert [f.about for f in one_class.findings if f.code == "TE104"] == [""]
    rare = te.compare(RARE, scores=USELESS)
    assert [f.about for f in rare.findings if f.code == "TE103"] == [""]
    assert {f.about for f in rare.findings if f.code == "TE201"} == {"a", "b"}
    assert "TE201 a: right on" in str(rare)
    assert {"TE103", "TE201"}.isdisjoint(te.compare(RARE, scores=USELESS, metric="auc").findings.codes)


def test_a_comparison_of_losses_says_that_there_is_one_class():
    cmp = te.compare(np.zeros(N, int), scores=USELESS, metric="brier", labels=[0, 1])
    assert "TE104" in cmp.findings


def test_TE406_suspects_one_column_only_where_scores_or_varying_labels_agree():
    def words(*args, **named):
        return [f.message for f in te.compare(RARE, *args, **named).findings if f.code == "TE406"]

    always = f'both always answer "0" at this threshold ({N} rows)'
    assert [m.split(":")[0] for m in words(scores=LOW)] == [always]
    checked = [f.message for f in te.check(te.predictions(RARE, scores=LOW)) if f.code == "TE406"]
    assert [m.split(":")[0] for m in checked] == [always]
    assert "same column twice?" in words(scores={"a": LOW["a"], "b": LOW["a"]})[0]
    calls = (USELESS["a"] > 0.5) * 1
    assert "same column twice?" in words({"a": calls, "b": calls})[0]
    assert "at this threshold" not in words({"a": calls * 0, "b": calls * 0})[0]
    # A recalibrated model calls every row alike with other scores: nothing is wrong with that.
    assert words(scores={"a": USELESS["a"], "b": 0.5 + (USELESS["a"] - 0.5) / 2}) == []


@pytest.mark.parametrize("costs", [{"cost_fn": 5}, {"cost_fp": 3, "prior": 0.1}], ids=["misses", "alarms"])
def test_scores_that_part_the_classes_have_no_infinite_slope_in_words(costs):
    truth = np.tile([0, 1], 30)
    cmp = te.compare(truth, scores={"a": USELESS["a"][:60], "b": truth * 0.9}, **costs)
    assert re.search(r"calibration slope 1\.33\d or more", " ".join(str(cmp).split()))
    assert not NO_NUMBER.search(str(cmp)), str(cmp)
