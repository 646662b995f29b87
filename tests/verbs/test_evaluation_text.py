"""Headlines and methods of several models, some of which lack a figure."""

import numpy as np

import trueerror as te

N = 400
TRUTH = np.zeros(N, int)
TRUTH[:8] = 1
GOOD = np.zeros(N, int)
GOOD[:6], GOOD[20:26] = 1, 1
SPOTTY = np.zeros(N, int)
SPOTTY[5:60] = 1
MODELS = {"good": GOOD, "never": np.zeros(N, int), "spotty": SPOTTY}


def verdict(*metrics):
    return te.evaluate(TRUTH, MODELS, metrics=list(metrics)).verdict


def test_the_headline_is_of_a_metric_that_every_model_has():
    assert verdict("precision", "f1").startswith("Highest F1: good")
    assert verdict("kappa", "mcc", "precision").startswith("Highest Cohen's kappa: good")


def test_a_metric_that_some_models_lack_is_said_to_be_undefined_for_them():
    assert "It is undefined for never." in verdict("precision")


def test_any_metric_alone_has_a_headline():
    assert verdict("kappa").startswith("Highest Cohen's kappa: good with")
    rng = np.random.default_rng(0)
    scores = {"a": TRUTH * 0.5 + rng.random(N) / 2, "b": rng.random(N)}
    ap = te.evaluate(TRUTH, scores=scores, metrics=["average_precision"])
    assert ap.verdict.startswith("Highest average precision: a with")


def test_all_metrics_have_the_same_headline_as_none_chosen():
    for metrics in ("all", None):
        said = te.evaluate(TRUTH, MODELS, metrics=metrics).verdict
        assert said.startswith(
            "Nearly all rows are of one class, so accuracy says little. Highest balanced accuracy: good"
        )
    assert verdict("accuracy").startswith("Highest accuracy: good")


def test_a_metric_with_two_methods_is_named_once():
    truth = np.tile([0, 1], 200)
    ev = te.evaluate(truth, scores={"a": np.tile([0.1, 0.9, 0.8, 0.3], 100), "b": truth / 2 + 0.2},
                     metrics=["average_precision"], method="bootstrap", replicates=100)  # fmt: skip
    methods = {p.overall["average_precision"].method for p in ev.parts}
    assert len(methods) == 2
    line = " ".join(str(ev).split("Methods:")[1].split())
    assert line.count("average precision") == 1
    assert all(m in line for m in methods)
    assert " or " in line


def test_limits_that_are_not_there_are_not_printed():
    ev = te.evaluate(TRUTH, GOOD, clusters=np.zeros(N, int))
    assert "no limits can be given" in ev.verdict
    assert "nan" not in ev.verdict
