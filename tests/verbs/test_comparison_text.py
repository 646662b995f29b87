"""Sentences of comparisons in which limits and p-values seem to disagree, or limits are missing."""

import numpy as np

import trueerror as te
from trueerror.verbs._comparison import letters_of
from trueerror.verbs._published import parse_pairs


def three(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 200)
    shares = (("a", 0.85), ("b", 0.78), ("c", 0.77))
    return te.compare(y, {name: np.where(rng.random(200) < share, y, 1 - y) for name, share in shares})


def test_the_interval_that_is_shown_and_the_verdict_agree():
    seen = {True: 0, False: 0}
    clashed = 0
    for seed in range(40):
        cmp = three(seed)
        best = cmp.best
        for m in cmp.models:
            if m != best:
                shown = cmp[m, best]
                assert (shown.low > 0 or shown.high < 0) == cmp.told_apart(m, best) == (shown.p_adjusted <= 0.05)
                alone = shown.alone()
                assert shown.low <= alone.low
                assert shown.high >= alone.high
                seen[cmp.told_apart(m, best)] += 1
                clashed += alone.high < 0 < shown.high
    assert min(seen.values()) > 0
    assert clashed > 0
    other = te.compare([0, 1] * 50, {"a": [0, 1] * 45 + [1, 0] * 5, "b": [0, 1] * 40 + [1, 0] * 10,
                                     "c": [0, 1] * 39 + [1, 0] * 11}, adjust="bonferroni")  # fmt: skip
    assert other.simultaneous is None


def test_two_models_need_no_such_words():
    cmp = te.compare(counts=parse_pairs(["both=810", "new=60", "old=40", "neither=90"]))
    assert "correction" not in cmp.verdict


def test_no_limits_are_not_printed_as_numbers():
    y = np.tile([0, 1], 30)
    calls = {"a": y, "b": 1 - y, "c": np.tile([0, 1, 1, 0], 15)}
    text = te.compare(y, calls, clusters=np.zeros(60, int)).verdict
    assert "no limits can be given" in text
    assert "infinite" not in text
    assert "undefined to" not in text


def equal_models(seed, k, n=300, rate=0.8, best=0.0):
    rng = np.random.default_rng(seed)
    y, hard = rng.integers(0, 2, n), rng.standard_normal(n)
    right = {f"m{i}": hard + rng.standard_normal(n) < 1.2 * (rate + (best if i == 0 else 0)) for i in range(k)}
    return te.compare(y, {m: np.where(ok, y, 1 - y) for m, ok in right.items()}, margin=0.03)


def test_the_leader_of_ten_equal_models_is_not_made_to_look_good():
    for seed in range(6):
        cmp = equal_models(seed, 10)
        assert not cmp.verdict.startswith(f"{cmp.best} is ")
        assert "P(better)" not in str(cmp)
    two = equal_models(0, 2)
    assert "P(better), flat prior" in str(two)
    assert "flat prior and this pair alone" in " ".join(str(two).split())
    assert "flat prior" in str(two.explain())


def test_alike_within_a_margin_is_adjusted_for_the_pairs_and_says_so():
    cmp = equal_models(1, 4)
    p = te.significance.adjust([c.p_value for c in cmp.within_margin])
    assert np.allclose([c.p_adjusted for c in cmp.within_margin], p)
    assert "adjusted over the 6 pairs (holm)" in " ".join(str(cmp).split())
    assert equal_models(1, 2).within_margin[0].p_adjusted is None


def test_differences_from_a_reference_hold_together():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 400)
    calls = {f"m{i}": np.where(rng.random(400) < 0.9 - 0.03 * i, y, 1 - y) for i in range(5)}
    cmp = te.compare(y, calls, reference="m2")
    assert {c.first for c in cmp.simultaneous} == set(calls) - {"m2"}
    for c in cmp.simultaneous:
        assert c.second == "m2"
        assert (c.low > 0 or c.high < 0) == cmp.told_apart(c.first, "m2") == (c.p_adjusted <= 0.05)
        assert c.p_value <= c.p_adjusted <= min(1, 4 * c.p_value) + 0.02
    assert "hold together for the 4 differences from the reference" in " ".join(str(cmp).split())


def test_no_model_is_best_that_a_constant_matches():
    rng = np.random.default_rng(0)
    y = (rng.random(800) < 0.06).astype(int)
    none, some = np.zeros(800, int), np.where(rng.random(800) < 0.06, 1, 0)
    for calls in (
        {"none": none, "some": some},
        {"none": none, "some": some, "more": np.where(np.arange(800) < 9, 1, some)},
    ):
        cmp = te.compare(y, calls)
        assert "is best" not in cmp.verdict
        assert "is better:" not in cmp.verdict.split("By balanced accuracy")[-1].split("No model")[-1]
        assert 'of the rows are "0", so accuracy mostly says how common that is. By balanced accuracy' in cmp.verdict
        assert 'No model is shown to be better than always answering "0"' in cmp.verdict
        assert "TE408" in cmp.findings
        assert cmp.metric == "balanced_accuracy"
        assert "By accuracy: " in cmp.verdict
        assert cmp.also.facts.hollow == tuple(calls)
    scored = te.compare(y, scores={"a": rng.random(800) * 0.3 + 0.2 * y, "b": rng.random(800) * 0.3}, positive=1)
    assert (scored.metric, scored.also.metric) == ("auc", "accuracy")
    assert "By AUC: a is better" in scored.verdict


def test_a_model_above_the_constant_may_be_better():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    cmp = te.compare(y, {name: np.where(rng.random(400) < r, y, 1 - y) for name, r in (("a", 0.95), ("b", 0.8))})
    assert cmp.facts.hollow == ()
    assert cmp.verdict.startswith("a is better: ")


def test_small_samples_are_warned_of_in_comparisons_too():
    y = [0, 1] * 10
    cmp = te.compare(y, {"a": y, "b": [1 - v if i < 8 else v for i, v in enumerate(y)]})
    assert {"TE101", "TE202"} <= set(cmp.findings.codes)
    assert "But: only 20 rows: read the interval, not the estimate (TE101)." in cmp.verdict


def test_crossing_roc_curves_are_said():
    """Who finds more where, with what to do; noise alone does not make curves cross."""
    rng = np.random.default_rng(0)
    y = np.arange(1000) % 2
    steady = y + rng.normal(size=1000)
    wide = np.where(y == 1, 1.6 + 2.2 * rng.normal(size=1000), rng.normal(size=1000))
    made = te.compare(y, scores={"steady": steady, "wide": wide}, metric="auc")
    (found,) = [f for f in made.findings if f.code == "TE412"]
    assert "wide finds more at an FPR of 0.0" in found.message
    assert "steady finds more at an FPR of" in found.message
    assert "cross" in str(made)
    assert made.next_step.startswith("choose by the false alarms")
    again = steady + rng.normal(size=1000)
    assert "TE412" not in te.compare(y, scores={"steady": steady, "noisier": again}, metric="auc").findings
    assert "TE412" not in te.compare(y, scores={"steady": steady, "same": steady.copy()}, metric="auc").findings


def test_figures_and_their_difference_have_the_same_decimals():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1_000_000)
    scores = {m: np.round(y * d + rng.normal(size=len(y)), 2) for m, d in (("a", 1.9), ("b", 1.8))}
    cmp = te.compare(y, scores=scores, metric="auc")
    a, b = (f"{cmp.estimates[m].estimate:.4f}" for m in "ab")
    assert f"a is better: {a} against {b} AUC, +0.0" in cmp.verdict
    low, high = (f"{x:.4f}" for x in (cmp.estimates["a"].low, cmp.estimates["a"].high))
    assert f"| a | {a} \\[{low}, {high}\\] |" in cmp.to_markdown()


def test_a_slice_that_says_the_opposite_is_in_the_verdict():
    rng = np.random.default_rng(1)
    y, where = rng.integers(0, 2, 900), np.repeat(["Nairobi", "Osaka", "Bonn"], 300)
    right = {
        "cnn": {"Nairobi": 0.92, "Osaka": 0.75, "Bonn": 0.85},
        "net": {"Nairobi": 0.75, "Osaka": 0.92, "Bonn": 0.85},
    }
    shares = {m: np.array([by[w] for w in where]) for m, by in right.items()}
    cmp = te.compare(y, {m: np.where(rng.random(900) < p, y, 1 - y) for m, p in shares.items()}, by=where)
    best, other = cmp.ranked
    behind = {"cnn": "Osaka", "net": "Nairobi"}[best]
    assert f'But in "{behind}" {other} is better than {best} (+' in cmp.verdict
    alike = te.compare(y, {"cnn": y, "net": y}, by=where)
    assert "But in" not in alike.verdict


def test_one_line_says_what_the_other_metric_says():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 600)
    scores = {m: 1 / (1 + np.exp(-(rng.normal(size=600) + k * (2 * y - 1)))) for m, k in (("a", 0.9), ("b", 1.4))}
    cmp = te.compare(y, scores=scores)
    c = cmp.also["b", "a"]
    assert f"By AUC: b is better (+{c.estimate:.3f} from a, p < .001)." in cmp.verdict
    assert (cmp.metric, cmp.also.metric) == ("accuracy", "auc")
    assert te.compare(y, scores=scores, metric="accuracy").also is None
    rare = te.compare((np.arange(600) % 30 == 0).astype(int), scores=scores)
    assert rare.metric == "auc"
    assert "By accuracy: " in rare.verdict


def test_the_other_metric_names_nobody_where_models_tie() -> None:
    rng = np.random.default_rng(5)
    truth = (rng.random(2000) < 0.01).astype(int)
    scores = {name: 0.4 / (1 + np.exp(-(by * truth + rng.normal(size=2000)))) for name, by in (("a", 1.0), ("b", 3.0))}
    assert "By accuracy: a and b have the same estimate." in te.compare(truth, scores=scores, positive=1).verdict


def test_bold_says_that_the_order_is_clear():
    y = [0, 1] * 100
    calls = {"a": y[:190] + [0] * 10, "b": [0, 1] * 50 + [1, 0] * 50}
    assert r"\textbf{97.5" in te.compare(y, calls).to_latex()
    assert "textbf" not in te.compare(y, calls | {"c": [1, 0, *y[2:190], *[0] * 10]}).to_latex()


def test_letters_in_a_row_are_a_range():
    assert letters_of("wxyz", ["wx", "xy", "x", "xz"]) == {"w": "a", "x": "a–d", "y": "b", "z": "d"}
