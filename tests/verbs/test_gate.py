"""`te.gate`: the decision follows the one-sided limits, never the estimate."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.verbs._gate import decide

RNG = np.random.default_rng(7)
N = 600
TRUTH = RNG.integers(0, 2, N)
GOOD = np.where(RNG.random(N) < 0.92, TRUTH, 1 - TRUTH)
POOR = np.where(RNG.random(N) < 0.82, TRUTH, 1 - TRUTH)


def counted(both: int, new: int, old: int, neither: int) -> te.Predictions:
    """Two models with exactly these rows both, only one, or neither gets right; half of the rows positive."""
    right = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [both, new, old, neither], axis=0).astype(bool)
    truth = np.arange(len(right)) % 2
    return te.predictions(
        truth, {name: np.where(right[:, i], truth, 1 - truth) for i, name in ((0, "new"), (1, "old"))}
    )


def same(n: int) -> te.Predictions:
    truth = np.arange(n) % 2
    return te.predictions(truth, {"new": truth, "old": truth})


def both_ways() -> tuple[te.Predictions, te.Predictions]:
    return (
        te.predictions(TRUTH, {"new": GOOD, "old": POOR}, positive=1),
        te.predictions(TRUTH, {"new": POOR, "old": GOOD}, positive=1),
    )


@pytest.mark.parametrize("n", [2, 50, 1_000, 1_000_000])
def test_identical_models_never_pass_for_better(n: int) -> None:
    made = te.gate(same(n))
    assert (made.decision, made.exit_code, made.rows_needed) == ("cannot tell", 3, None)
    assert te.gate(same(n), sequential=True).decision == "cannot tell"


def test_identical_models_are_not_worse_from_133_rows() -> None:
    assert te.gate(same(132), margin=0.02).decision == "cannot tell"
    assert te.gate(same(132), margin=0.02).rows_needed == 133
    assert te.gate(same(133), margin=0.02).decision == "pass"
    assert te.gate(same(133), margin=0.02).exit_code == 0


def test_better_worse_and_not_known() -> None:
    better, worse = both_ways()
    assert te.gate(better).decision == "pass"
    assert te.gate(worse).decision == "fail"
    assert te.gate(worse).exit_code == 1
    assert te.gate(worse, margin=0.5).decision == "pass"
    close = te.gate(counted(80, 6, 4, 10))
    assert close.decision == "cannot tell"
    assert close.checks[0].estimate > 0, "the estimate alone is not enough"
    assert close.rows_needed is not None
    assert close.rows_needed > 100


def test_limits_are_those_of_noninferiority() -> None:
    made = te.gate(counted(500, 30, 20, 50), margin=0.03)["accuracy"]
    one = te.significance.noninferiority(30, 20, n=600, margin=0.03)
    assert made.low == pytest.approx(one.low)
    assert (made.decision == "pass") == (one.p_value < 0.05)
    assert made.n == 600


def test_few_differing_rows_do_not_pass_where_the_exact_test_would_not() -> None:
    # 3 to 0 has z = 1.73 but mid-p 1/16.
    made = te.gate(counted(90, 3, 0, 7))["accuracy"]
    assert made.decision == "cannot tell"
    assert made.low == 0.0
    assert "mid-p" in made.note
    assert te.gate(counted(90, 0, 3, 7)).decision == "cannot tell"
    assert te.gate(counted(90, 6, 0, 4)).decision == "pass"


@pytest.mark.parametrize("sequential", [False, True])
@settings(max_examples=15, deadline=None)
@given(st.tuples(*[st.integers(0, 60)] * 4).filter(lambda t: sum(t) > 1), st.floats(0, 0.3))
def test_the_rule_and_its_mirror(sequential: bool, counts: tuple[int, int, int, int], margin: float) -> None:
    both, new, old, neither = counts
    made = te.gate(counted(both, new, old, neither), margin=margin, sequential=sequential)
    c = made.checks[0]
    expected = "pass" if c.low > -margin else "fail" if c.high < -margin else "cannot tell"
    assert made.decision == c.decision == expected
    assert c.low <= c.estimate <= c.high
    assert c.low < c.high
    mirrored = te.gate(counted(both, old, new, neither), margin=margin, sequential=sequential).checks[0]
    assert (mirrored.low, mirrored.high) == pytest.approx((-c.high, -c.low), abs=1e-9)
    error = te.gate(counted(both, new, old, neither), margin=margin, sequential=sequential, metric="error_rate")
    assert error.decision == made.decision, "an error rate is an accuracy seen from the other side"


@settings(max_examples=30, deadline=None)
@given(st.tuples(*[st.integers(0, 60)] * 4).filter(lambda t: sum(t) > 1))
def test_a_larger_margin_never_hurts(counts: tuple[int, int, int, int]) -> None:
    order = {"fail": 0, "cannot tell": 1, "pass": 2}
    found = [order[te.gate(counted(*counts), margin=m).decision] for m in (0.0, 0.01, 0.05, 0.2, 0.9)]
    assert found == sorted(found)


def test_an_absolute_threshold_by_wilsons_one_sided_limit() -> None:
    p = te.predictions(TRUTH, {"new": GOOD})
    right = int((GOOD == TRUTH).sum())
    low = te.interval(right, N, side="lower").low
    high = te.interval(right, N, side="upper").high
    made = te.gate(p, at_least=low - 1e-6)
    assert made.decision == "pass"
    assert (made.checks[0].low, made.checks[0].high) == pytest.approx((low, high))
    assert te.gate(p, at_least=low + 1e-6).decision == "cannot tell"
    assert te.gate(p, at_least=high + 1e-6).decision == "fail"


def test_lower_is_better() -> None:
    p = te.predictions(TRUTH, {"new": GOOD})
    assert te.gate(p, metric="error_rate", at_least=0.2).decision == "pass"
    assert te.gate(p, metric="error_rate", at_least=0.01).decision == "fail"
    assert "at most 20.0 %" in te.gate(p, metric="error_rate", at_least=0.2).verdict
    x = RNG.random(N)
    sharp, blunt = np.clip(TRUTH * 0.8 + x * 0.2, 0, 1), np.clip(TRUTH * 0.2 + x * 0.6, 0, 1)
    scores = te.predictions(TRUTH, scores={"new": sharp, "old": blunt})
    for metric in ("log_loss", "brier", "auc"):
        assert te.gate(scores, metric=metric).decision == "pass", metric
        assert te.gate(scores, "new", metric=metric).decision == "fail", metric


def test_several_metrics_are_corrected_and_one_failure_fails() -> None:
    better, worse = both_ways()
    made = te.gate(better, metric=["accuracy", "recall"], at_least={"accuracy": 0.5})
    assert [c.kind for c in made.checks] == ["difference", "threshold", "difference"]
    assert [c.confidence for c in made.checks] == pytest.approx([1 - 0.05 / 3] * 3)
    z = float(special.ndtri(1 - 0.05 / 3))
    alone = te.gate(better, confidence=float(special.ndtr(z)))["accuracy"]
    assert made["accuracy"].low == pytest.approx(alone.low)
    assert te.gate(better, metric=["accuracy", "recall"], adjust="none")["recall"].confidence == 0.95
    assert te.gate(better, metric=["accuracy", "f1"], adjust="sidak")["f1"].confidence == pytest.approx(0.95**0.5)
    mixed = te.gate(better, at_least=0.999)
    assert [c.decision for c in mixed.checks] == ["pass", "fail"]
    assert mixed.decision == "fail"
    assert "at least 99.9 %" in mixed.verdict
    assert te.gate(worse, metric=["accuracy", "f1", "recall"], margin={"accuracy": 0.3, "f1": 0.3}).decision == "fail"


def test_clusters_are_respected() -> None:
    truth = np.tile([0, 1], 30)
    new, old = truth.copy(), truth.copy()
    old[:8] = 1 - old[:8]
    groups = np.arange(60) // 10
    alone = te.predictions(truth, {"new": new, "old": old})
    clustered = te.predictions(truth, {"new": new, "old": old}, clusters=groups)
    assert te.gate(alone).decision == "pass"
    made = te.gate(clustered)
    assert made.decision == "cannot tell", "all differences are in one cluster"
    assert made.checks[0].method == "effective-t"
    watched = te.gate(clustered, sequential=True).checks[0]
    assert watched.n == 6
    assert "cluster" in watched.note
    assert te.gate(clustered, metric="accuracy", at_least=0.3, sequential=True)["accuracy"].n == 6


def test_sequential_is_one_sided_and_wider() -> None:
    better, worse = both_ways()
    assert te.gate(better, sequential=True).decision == "pass"
    assert te.gate(worse, sequential=True).decision == "fail", "a two-sided e-value would have been large here too"
    once, always = te.gate(better)["accuracy"], te.gate(better, sequential=True)["accuracy"]
    assert always.low < once.low < once.high < always.high
    e = te.significance.e_value(40, 10, n=500, alternative="greater", margin=0.02)
    made = te.gate(counted(400, 10, 40, 50), margin=0.02, sequential=True)
    assert e.statistic >= 20
    assert made.decision == "fail"


def test_sequential_threshold_holds_the_share() -> None:
    p = te.predictions(TRUTH, {"new": GOOD})
    found = te.gate(p, at_least=0.85, sequential=True).checks[0]
    plain = te.gate(p, at_least=0.85).checks[0]
    assert found.estimate == pytest.approx(float((GOOD == TRUTH).mean()))
    assert 0 <= found.low < plain.low < plain.high < found.high <= 1
    assert found.method == "betting-sequence"


def test_sequential_looks_keep_their_level() -> None:
    # Two equal models, 5 looks at 40 rows each: a better one is claimed too often by limits that are for one look.
    wins = np.random.default_rng(3).binomial(40, 0.5, size=(40, 5)).cumsum(axis=1)
    runs = [[counted(0, int(b), int(40 * (i + 1) - b), 0) for i, b in enumerate(won)] for won in wins]
    once = [any(te.gate(p).passed for p in run) for run in runs]
    assert sum(once) > 2, "more than 5 % of the runs"
    watched = [any(te.gate(p, sequential=True).passed for p in run) for run, bad in zip(runs, once, strict=True) if bad]
    assert sum(watched) <= 2


def test_two_files(tmp_path: Path) -> None:
    order = RNG.permutation(N)
    paths = []
    for name, calls, rows in (("new", GOOD, np.arange(N)), ("old", POOR, order)):
        path = tmp_path / f"{name}.csv"
        path.write_text("id,truth,pred\n" + "".join(f"{i},{TRUTH[i]},{calls[i]}\n" for i in rows))
        paths.append(str(path))
    made = te.gate(paths[0], paths[1])
    assert made.decision == "pass"
    assert (made.candidate, made.baseline) == ("candidate", "baseline")
    assert "2 models with labels: candidate, baseline" in made.reading
    assert "(first)" not in made.reading
    assert te.gate(paths[0], paths[0]).decision == "cannot tell"
    assert te.gate(paths[0], paths[0], margin=0.02).decision == "pass"
    assert te.gate(paths[0], paths[1], paired=False)["accuracy"].method == "miettinen-nurminen"


def test_who_is_the_baseline() -> None:
    p = te.predictions(TRUTH, {"a": GOOD, "b": POOR, "c": POOR})
    assert te.gate(p, "b", model="a").decision == "pass"
    assert te.gate(p, "a", model="b").decision == "fail"
    with pytest.raises(InputError, match="candidate"):
        te.gate(p, "b")
    with pytest.raises(InputError, match="one to beat"):
        te.gate(p.select(["a", "b"]))
    with pytest.raises(InputError, match="both the candidate and the baseline"):
        te.gate(p, "b", model="b")
    assert te.gate(te.predictions(TRUTH, {"baseline": POOR, "x": GOOD})).candidate == "x"


def test_a_demand_that_names_a_metric_asks_for_it() -> None:
    p = te.predictions(TRUTH, {"new": GOOD, "old": POOR})
    checks = te.gate(p, "old", at_least={"recall": 0.5}, margin=0.1).checks
    assert [(c.metric, c.kind) for c in checks] == [("accuracy", "difference"), ("recall", "threshold")]
    checks = te.gate(p, "old", margin={"recall": 0.1}).checks
    assert [(c.metric, c.kind) for c in checks] == [("accuracy", "difference"), ("recall", "difference")]
    assert [c.metric for c in te.gate(p.select("new"), at_least={"recall": 0.5}).checks] == ["recall"]


def test_bad_input() -> None:
    p = te.predictions(TRUTH, {"new": GOOD})
    with pytest.raises(InputError, match="nothing to compare"):
        te.gate(p)
    for wrong in ({"margin": -0.1}, {"margin": "x"}, {"margin": math.nan}, {"at_least": 1.5}, {"confidence": 1.0}):
        with pytest.raises(InputError):
            te.gate(same(10), **wrong)
    with pytest.raises(InputError, match=r"above 0\.5"):
        te.gate(same(10), confidence=0.4)
    with pytest.raises(InputError, match="did you mean"):
        te.gate(same(10), margin={"recal": 0.1})
    with pytest.raises(InputError, match="better when low"):
        te.gate(p, metric=["accuracy", "error_rate"], at_least=0.9)
    with pytest.raises(InputError, match="no better end"):
        te.gate(same(10), metric="prevalence")
    with pytest.raises(InputError, match="share of fixed rows"):
        te.gate(same(10), metric="f1", sequential=True)
    with pytest.raises(InputError, match="read already"):
        te.gate(p, at_least=0.5, truth="y")


def test_undefined_cannot_be_told() -> None:
    truth = np.array([0, 1] * 20)
    p = te.predictions(truth, {"new": np.zeros(40, dtype=int), "old": truth}, positive=1)
    made = te.gate(p, metric="precision")
    assert made.decision == "cannot tell"
    assert math.isnan(made.checks[0].estimate)
    assert "cannot be judged" in made.verdict
    assert made.checks[0].note


def test_words_and_forms() -> None:
    better, _ = both_ways()
    made = te.gate(better, margin=0.02, metric=["accuracy", "recall"])
    text = str(made)
    assert text.index("Pass:") < text.index("metric") < text.index("Limits:")
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "not worse than old by more than 2 points" in text
    comment = made.to_markdown()
    assert comment.startswith("### ✅ Pass: `new` against `old`")
    assert "| accuracy |" in comment
    assert te.load(made.to_json()) == made
    assert "one-sided limit" in made.explain()
    assert "Tango" in made.explain()
    assert [r["metric"] for r in made.records()] == ["accuracy", "recall"]
    hostile = te.predictions(TRUTH, {"<b>|x": GOOD, "old": POOR})
    head, *rest = te.gate(hostile).to_markdown().split("\n\n")
    assert head == "### ✅ Pass: `<b>|x` against `old`"
    assert "<b>" not in "".join(rest)
    assert "<b>|x" not in te.gate(hostile)._repr_html_()


@pytest.mark.parametrize(
    ("low", "high", "up", "strictly", "decision"),
    [
        (0.0, 0.1, True, True, "cannot tell"),
        (0.0, 0.1, True, False, "pass"),
        (-0.1, 0.0, True, True, "cannot tell"),
        (-0.1, -0.01, True, True, "fail"),
        (-0.1, -0.01, False, True, "pass"),
        (0.01, 0.1, False, True, "fail"),
        (math.nan, 0.1, True, True, "cannot tell"),
    ],
)
def test_decide(low: float, high: float, up: bool, strictly: bool, decision: str) -> None:
    assert decide(low, high, 0.0, higher_is_better=up, strictly=strictly) == decision


@pytest.mark.parametrize("low", [-0.0049, -0.00499, -0.0051])
def test_a_limit_that_rounds_to_the_margin_gets_another_digit(low: float) -> None:
    from trueerror.verbs._gate import GateCheck, gap_words

    passed = low > -0.005
    check = GateCheck(
        metric="accuracy", title="accuracy", kind="difference", decision="pass" if passed else "cannot tell",
        candidate=0.9, baseline=0.9, estimate=0.0, low=low, high=0.01, margin=0.005, confidence=0.95,
        higher_is_better=True, share=True,
    )  # fmt: skip
    shown, line = (float(gap_words(check, x).replace("−", "-")) for x in (low, check.bound))
    assert shown != line
    assert (shown > line) == passed
    assert gap_words(check, 0.0).strip("0.") == ""


@pytest.mark.parametrize("margin", [1, 2.5, {"accuracy": 1}])
def test_a_margin_that_lets_anything_pass_is_refused(margin):
    truth = np.tile([0, 1], 50)
    p = te.predictions(truth, {"new": truth, "old": 1 - truth})
    with pytest.raises(ValueError, match=r"as wide as the whole range, so anything would pass; is 0\.0(1|25) meant"):
        te.gate(p, "old", model="new", margin=margin)
    with pytest.raises(ValueError, match="as wide as the whole range"):
        te.compare(p, margin=1)


def test_each_check_says_what_was_asked_and_what_was_found() -> None:
    truth = [0, 1] * 200
    good = [1 - t if i % 20 == 0 else t for i, t in enumerate(truth)]
    poor = [1 - t if i % 5 == 0 else t for i, t in enumerate(truth)]
    p = te.predictions(truth, {"new": good, "old": poor}, positive=1)
    passed, failed = te.gate(p, "old", model="new", margin=0.02, at_least=0.99).checks
    assert passed.reason.startswith(
        "Asked: accuracy not worse than the baseline by more than 2 points. Found: +15.0 points from the baseline, "
    )
    assert ", at worst " in passed.reason
    assert passed.reason.endswith(": passed.")
    assert failed.reason.startswith("Asked: accuracy at least 99.0 %. Found: 95.0 %, at best ")
    assert failed.reason.endswith(": failed.")
    (same,) = te.gate(p, "new", model="old").checks
    assert same.reason.startswith("Asked: accuracy better than the baseline. Found: −15.0 points from the baseline, ")
    (tie,) = te.gate(te.predictions(truth, {"a": good, "b": good}), "a", model="b").checks
    assert ", one-sided limits " in tie.reason
    assert tie.reason.endswith(": cannot tell.")
    (empty,) = te.gate(
        te.predictions([0] * 9, {"a": [0] * 9}, labels=[0, 1], positive=1), metric="recall", at_least=0.5
    ).checks
    assert "nothing to judge by" in empty.reason
    assert empty.reason.endswith(": cannot tell.")


def test_where_scores_are_cut_is_said_when_calls_are_judged() -> None:
    truth = [0, 1] * 50
    scores = {"a": [0.2, 0.9] * 50, "b": [0.3, 0.6] * 50}
    given = te.predictions(truth, scores=scores, positive=1)
    assert te.gate(given, "b", model="a", margin=0.1).reading.endswith(". Threshold 0.5.")
    assert te.gate(given, "b", model="a", margin=0.1, threshold=0.4).reading.endswith("Threshold 0.4.")
    assert "cut" not in te.gate(given, "b", model="a", metric="auc", margin=0.1).reading
    called = te.predictions(truth, {"a": truth, "b": truth}, positive=1)
    assert "cut" not in te.gate(called, "b", model="a", margin=0.1).reading
    other = te.predictions(truth, scores={"b": scores["b"]}, positive=1)
    apart = te.gate(given.select(["a"]), other, margin=0.1, paired=False)
    assert apart.reading.endswith("not paired. Threshold 0.5.")


def test_two_models_of_the_same_grades_are_alike() -> None:
    grades = np.linspace(0.1, 0.9, 40)
    same = te.gate(te.graded({"new": grades, "old": grades}), "old", model="new")
    assert same.checks[0].identical
    other = te.gate(te.graded({"new": grades, "old": grades[::-1]}), "old", model="new")
    assert other.checks[0].estimate == 0
    assert not other.checks[0].identical


def test_a_folder_does_not_hide_a_model_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old").mkdir()
    p = counted(500, 60, 20, 20)
    inside = te.gate(p, "old")
    monkeypatch.chdir(tmp_path)
    assert te.gate(p, "old") == inside


def test_the_gate_judges_losses_of_clusters_on_the_rows_that_both_answered() -> None:
    draw = np.random.default_rng(0)
    truth = draw.integers(0, 2, 2000)
    scores = np.clip(truth * 0.4 + 0.3 + draw.normal(0, 0.15, 2000), 0.01, 0.99)
    gaps = np.where(draw.random(2000) < 0.3, np.nan, scores)  # the same model, with rows that it left out
    p = te.predictions(truth, scores={"new": gaps, "old": scores}, clusters=np.arange(2000) // 4, missing="drop")
    check = te.gate(p, "old", metric="brier")["brier"]
    assert check.estimate == 0
    assert check.decision == "cannot tell"


@pytest.mark.parametrize(
    ("share", "estimate", "low", "high", "words"),
    [
        (True, 0.0062, 0.0058, 0.0066, "+0.62 points of accuracy, at worst +0.58."),
        (False, 0.008, 0.005, 0.0109, "+0.008 of accuracy, at worst +0.005."),
    ],
)
def test_estimate_and_limits_of_a_gate_have_the_same_decimals(
    share: bool, estimate: float, low: float, high: float, words: str
) -> None:
    from trueerror.verbs._gate import Gate, GateCheck

    check = GateCheck(
        metric="accuracy", title="accuracy", kind="difference", decision="pass", candidate=0.9, baseline=0.894,
        estimate=estimate, low=low, high=high, margin=0.0, confidence=0.95, higher_is_better=True, share=share,
    )  # fmt: skip
    text = str(Gate(decision="pass", checks=(check,), candidate="new", baseline="old"))
    assert words in " ".join(text.split())
    assert ("[+0.58, +0.66]" if share else "[+0.005, +0.011]") in text
