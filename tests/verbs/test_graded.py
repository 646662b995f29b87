"""Rows that carry grades, through every verb."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import trueerror as te
from trueerror.inputs._options import InputError

RNG = np.random.default_rng(8)
HARD = RNG.beta(4, 2, 90)
GRADES = {
    name: np.clip(RNG.beta(8 * HARD, 8 * (1 - HARD)) + gain, 0, 1).round(3)
    for name, gain in (("new", 0.1), ("old", 0.0), ("tiny", -0.2))
}
TOPIC = np.where(np.arange(90) % 3 == 0, "code", "math")
P = te.graded(GRADES, ids=np.arange(90), by=TOPIC)


def test_evaluate_gives_the_mean_with_an_interval_and_slices() -> None:
    ev = te.evaluate(P)
    assert ev.model("new")["mean_score"].estimate == pytest.approx(GRADES["new"].mean())
    code = ev.slices["code"].model("new")["mean_score"]
    assert code.n == 30
    assert "mean score" in str(ev)
    again = te.load(ev.to_json())
    assert again.model("old")["mean_score"] == ev.model("old")["mean_score"]
    assert "Satterthwaite" in ev.explain()


def test_compare_adjusts_over_several_models_and_takes_margins_on_the_scale() -> None:
    made = te.compare(P)
    assert made.metric == "mean_score"
    assert made.best == "new"
    assert made["new", "tiny"].p_adjusted < 0.01
    assert made.slices["code"].metric == "mean_score"
    five = te.graded({m: 1 + 4 * v for m, v in GRADES.items()}, scale=(1, 5))
    wide = te.compare(five, reference="old", margin=2.5)
    assert wide["new", "old"].estimate == pytest.approx(4 * (GRADES["new"] - GRADES["old"]).mean())
    assert wide.within_margin[0].p_value < 0.05
    with pytest.raises(InputError, match="margin"):
        te.compare(five, margin=5)


def test_clusters_are_the_units() -> None:
    grades = {m: GRADES[m] for m in ("new", "old")}
    apart, together = (te.compare(te.graded(grades, clusters=np.arange(90) // k))["new", "old"] for k in (1, 45))
    rows = te.compare(te.graded(grades))["new", "old"]
    assert (apart.low, apart.high) == pytest.approx((rows.low, rows.high), abs=1e-6)
    assert together.high - together.low > 2 * (rows.high - rows.low)


def test_different_rows() -> None:
    a, b = te.graded({"a": GRADES["new"]}), te.graded({"b": GRADES["tiny"][:60]})
    made = te.compare(a, b, paired=False)["a", "b"]
    assert made.method == "newcombe-hybrid"
    assert made.low > 0


def test_gate_and_assertions() -> None:
    two = P.select(["new", "old"]).without("slices")
    assert te.gate(two, "old").decision == "pass"
    assert te.gate(two, "new", margin=0.01).decision == "fail"
    assert te.gate(P.select("new").without("slices"), at_least=0.6).decision == "pass"
    five = te.graded({m: 1 + 4 * v for m, v in GRADES.items()}, scale=(1, 5))
    assert te.gate(five.select("new"), at_least=3.2).decision == "pass"
    with pytest.raises(InputError, match="runs 1 to 5"):
        te.gate(five.select("new"), at_least=6)
    te.testing.assert_not_worse(two, "old", metric="mean_score", margin=0.05)


def test_report_check_and_plot(tmp_path: Path) -> None:
    page = te.report(P, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "mean score" in page
    assert "accuracy" not in page.split("<body")[1].split("<script")[0].lower()
    assert "ROC" not in page.split("<body")[1].split("<script")[0]
    assert "new is clearly the best of 3" in page
    five = te.evaluate(te.graded({m: 1 + 4 * v for m, v in GRADES.items()}, scale=(1, 5)))
    assert "3.5" in five.plot().svg
    assert te.check(P) is not None
    assert te.evaluate(P).plot().save(tmp_path / "picture.svg").exists()


def test_what_speaks_of_classes_is_refused() -> None:
    with pytest.raises(InputError, match="their metric is mean_score"):
        te.evaluate(P, metrics="accuracy")
    with pytest.raises(InputError, match="their metric is mean_score"):
        te.compare(P, metric="auc")
    for options in ({"prior": 0.2}, {"threshold": 0.5}):
        with pytest.raises(InputError, match="is about classes"):
            te.evaluate(P, **options)
        with pytest.raises(InputError, match="is about classes"):
            te.compare(P, **options)
    with pytest.raises(InputError, match=r"te\.graded"):
        te.evaluate([0, 1, 1], [0, 1, 0], metrics="mean_score")
    with pytest.raises(InputError):
        te.roc(P)


def test_method_words() -> None:
    made = {m: te.evaluate(P, method=m).model("new")["mean_score"].method for m in ("effective-t", "t")}
    assert made == {"effective-t": "effective-t", "t": "t-mean"}
    with pytest.raises(InputError, match="effective-t"):
        te.evaluate(P, metrics="mean_score", method="wilson")


def test_a_table_goes_straight_into_the_verbs() -> None:
    table = {"id": list(range(90)), "new": GRADES["new"], "old": GRADES["old"]}
    assert te.compare(table, grade=["new", "old"]).best == "new"
    assert te.evaluate(table, grade="new")["mean_score"].estimate == pytest.approx(GRADES["new"].mean())


def test_what_would_settle_it_is_told_by_the_spread_of_the_differences() -> None:
    rng = np.random.default_rng(3)
    first = rng.random(60).round(2)
    made = te.compare(te.graded({"a": first, "b": np.clip(first + rng.normal(0.01, 0.3, 60), 0, 1)}))
    assert "rows of this kind settle a gap" in made.next_step
    c = made.pairs[0]
    sd = abs(c.estimate / c.statistic) * 60**0.5
    wanted = te.sample_size(test="paired-t", first=0.5 + abs(c.estimate), second=0.5, sd=sd).n
    assert f"{wanted:,}"[:1] in made.next_step


def test_findings_where_grades_hardly_differ() -> None:
    ev = te.evaluate(te.graded(np.full(30, 0.0), scale=(0, 5)))
    assert "TE218" in ev.findings
    assert ev["mean_score"].width > 0
    rng = np.random.default_rng(1)
    two = te.graded(rng.choice([0.0, 0.5], 40), scale=(0, 1))
    assert "0.500 and nothing else" in str(te.evaluate(two))


def test_findings_are_silent_on_ordinary_grades() -> None:
    fired = 0
    rng = np.random.default_rng(2)
    for _ in range(40):
        hard = rng.beta(4, 2, 200)
        grades = {m: rng.beta(8 * hard, 8 * (1 - hard)).round(2) for m in "ab"}
        fired += len(list(te.compare(te.graded(grades)).findings)) > 0
    assert fired <= 2


def test_another_scale_reaches_folds_gaps_metrics_and_sequential_gates() -> None:
    rows = {m: 1 + 4 * GRADES[m] for m in ("new", "old")}
    folded = te.graded(rows, scale=(1, 5), folds=np.arange(90) % 5)
    learners = te.compare(folded, method="corrected-t")
    assert learners.estimates["new"].estimate == pytest.approx(rows["new"].mean(), abs=0.01)
    assert learners.next_step == ""
    five = te.graded(rows, scale=(1, 5), by=TOPIC)
    gap = te.gaps(five)["mean_score", "new"]
    assert 0 <= gap.difference.low <= gap.difference.estimate <= gap.difference.high <= 4
    assert te.metric("mean_score", five, model="new") == pytest.approx(rows["new"].mean())
    plain = five.without("slices")
    watched = te.gate(plain, "old", sequential=True)
    assert watched.checks[0].method == "betting-sequence"
    assert watched.checks[0].estimate == pytest.approx((rows["new"] - rows["old"]).mean())
    assert te.gate(plain.select("new"), at_least=3.0, sequential=True).decision == "pass"
    in_groups = te.graded(rows, scale=(1, 5), clusters=np.arange(90) // 3)
    assert "each cluster counts as one" in te.gate(in_groups, "old", sequential=True).checks[0].note
    with pytest.raises(InputError, match="carry grades from 1 to 5, not classes"):
        te.roc(plain)


def test_the_mean_of_grades_that_are_all_0_or_1_is_the_accuracy() -> None:
    grades = np.repeat([1.0, 0.0], [20, 10])
    for given in (te.graded({"a": grades}), te.graded({"a": grades}, clusters=np.arange(30) // 3)):
        asked, usual = te.evaluate(given, metrics=["mean_score"]), te.evaluate(given)
        assert asked["mean_score"] == usual["mean_score"] == usual["accuracy"]
    groups = te.graded({"a": grades}, by=np.arange(30) % 2)
    assert te.gaps(groups, metrics="mean_score").parts[0].difference.estimate == pytest.approx(0.0, abs=0.01)
