"""te.compare, as a user would call it."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.verbs._published import parse_pairs

RNG = np.random.default_rng(11)
TRUTH = RNG.integers(0, 2, 400)


def noisy(share: float) -> np.ndarray:
    return np.where(RNG.random(400) < share, TRUTH, 1 - TRUTH)


def scored(gap: float) -> np.ndarray:
    return 1 / (1 + np.exp(-((TRUTH - 0.5) * gap + RNG.normal(0, 1, 400))))


GOOD, POOR = noisy(0.92), noisy(0.6)
# Worse than GOOD on 12 rows and better on 6: no clear difference (mid-p .17).
FAIR = GOOD.copy()
FAIR[np.flatnonzero(GOOD == TRUTH)[:12]] ^= 1
FAIR[np.flatnonzero(GOOD != TRUTH)[:6]] ^= 1
SHARP, DULL = scored(3), scored(1)


def three():
    return te.compare(TRUTH, {"good": GOOD, "fair": FAIR, "poor": POOR})


def test_two_models_are_mcnemars_test():
    cmp = te.compare(TRUTH, {"good": GOOD, "poor": POOR})
    b, c = int(((GOOD == TRUTH) & (POOR != TRUTH)).sum()), int(((GOOD != TRUTH) & (POOR == TRUTH)).sum())
    want = te.significance.mcnemar(b, c, n=400)
    got = cmp["good", "poor"]
    assert (got.estimate, got.low, got.high, got.p_value) == (want.estimate, want.low, want.high, want.p_value)
    assert got.p_adjusted is None


def test_swapping_flips_signs_and_sides():
    there, back = three()["good", "poor"], three()["poor", "good"]
    assert there.estimate == -back.estimate
    assert (there.low, there.high) == (-back.high, -back.low)
    assert there.p_value == back.p_value
    assert there.p_better == pytest.approx(1 - back.p_better)


def test_best_tiers_and_wins():
    cmp = three()
    assert cmp.best == "good"
    assert cmp.tiers == (("good", "fair"), ("poor",))
    assert cmp.better("good", "poor")
    assert not cmp.better("good", "fair")
    table = {row[0]: row for row in cmp.wins().rows}
    assert table["(3) poor"][1:] == ("v", "v", "", "0/0/2")
    assert table["(1) good"][-1] == "1/1/0"


@pytest.mark.parametrize("adjust", ["holm", "hochberg", "hommel", "bonferroni", "bh"])
def test_limits_and_p_values_are_adjusted_together(adjust):
    rng = np.random.default_rng(0)
    y, hard = rng.integers(0, 2, 400), rng.standard_normal(400)
    shares = {"a": 0.9, "b": 0.85, "c": 0.82, "d": 0.8, "e": 0.7}
    right = {m: np.abs(hard + rng.standard_normal(400)) < 3.2 * share**2 for m, share in shares.items()}
    cmp = te.compare(y, {m: np.where(ok, y, 1 - y) for m, ok in right.items()}, adjust=adjust)
    others = [c for c in cmp.pairs if cmp.best not in (c.first, c.second)]
    if adjust != "holm":
        raw = [c.p_value for c in cmp.pairs]
        assert [c.p_adjusted for c in cmp.pairs] == pytest.approx(te.significance.adjust(raw, adjust))
    assert len({c.p_adjusted <= 0.05 for c in others}) == 2
    for c in cmp.pairs:
        assert (c.low > 0 or c.high < 0) == (c.p_adjusted <= 0.05)
        alone = te.compare(y, {m: np.where(right[m], y, 1 - y) for m in (c.first, c.second)})[c.first, c.second]
        assert (c.alone().low, c.alone().high) == (alone.low, alone.high)
        assert c.low <= alone.low <= alone.high <= c.high
        assert "p = " not in str(c).replace("adjusted p = ", "")


def test_cochrans_q_from_the_pairs_counts():
    correct = np.stack([m == TRUTH for m in (GOOD, FAIR, POOR)], axis=1)
    want = te.significance.cochran_q(correct)
    assert three().omnibus.statistic == pytest.approx(want.statistic)
    assert three().omnibus.p_value == pytest.approx(want.p_value)


def test_reference_compares_with_one_model_only():
    cmp = te.compare(TRUTH, {"good": GOOD, "fair": FAIR, "poor": POOR}, reference="fair")
    assert len(cmp.pairs) == 2
    with pytest.raises(ValueError, match="only pairs with 'fair'"):
        cmp["good", "poor"]
    with pytest.raises(ValueError, match="did you mean 'fair'"):
        te.compare(TRUTH, {"good": GOOD, "fair": FAIR}, reference="fiar")


@pytest.mark.parametrize("metric", ["accuracy", "error_rate", "recall", "macro_f1", "mcc", "kappa", "precision", "f1"])
def test_identical_models_have_p_1_difference_0_and_a_sound_interval(metric):
    c = te.compare(TRUTH, {"a": FAIR, "b": FAIR.copy()}, metric=metric, replicates=500)["a", "b"]
    assert c.estimate == 0
    assert c.p_value == 1
    assert c.low < 0 < c.high
    assert c.low > -1


@pytest.mark.parametrize("metric", ["auc", "average_precision", "brier", "log_loss", "gini"])
def test_identical_scores_have_p_1_and_a_sound_interval(metric):
    c = te.compare(TRUTH, scores={"a": SHARP, "b": SHARP.copy()}, metric=metric, replicates=300)["a", "b"]
    assert c.estimate == 0
    assert c.p_value == 1
    assert c.low < 0 < c.high


def test_recall_is_compared_on_the_positives():
    c = te.compare(TRUTH, {"good": GOOD, "poor": POOR}, metric="recall")["good", "poor"]
    up = TRUTH == 1
    want = te.significance.mcnemar(int((GOOD[up] > POOR[up]).sum()), int((GOOD[up] < POOR[up]).sum()), n=int(up.sum()))
    assert c.p_value == want.p_value
    assert c.n == up.sum()


def test_lower_is_better_for_errors():
    cmp = te.compare(TRUTH, {"good": GOOD, "poor": POOR}, metric="error_rate")
    assert cmp.best == "good"
    assert cmp["good", "poor"].estimate < 0
    assert cmp["good", "poor"].p_value == te.compare(TRUTH, {"good": GOOD, "poor": POOR})["good", "poor"].p_value


def test_areas_by_delong():
    c = te.compare(TRUTH, scores={"sharp": SHARP, "dull": DULL}, metric="auc", method="delong")["sharp", "dull"]
    want = te.significance.delong(TRUTH, SHARP, DULL)
    assert (c.estimate, c.low, c.high, c.p_value) == (want.estimate, want.low, want.high, want.p_value)


def test_losses_by_the_paired_t():
    scores = {"sharp": SHARP, "dull": DULL}
    c = te.compare(TRUTH, scores=scores, metric="brier", method="t")["sharp", "dull"]
    d = (SHARP - TRUTH) ** 2 - (DULL - TRUTH) ** 2
    want = te.significance.paired_t((SHARP - TRUTH) ** 2, (DULL - TRUTH) ** 2)
    assert c.estimate == pytest.approx(d.mean())
    assert c.p_value == pytest.approx(want.p_value)
    assert c.low == pytest.approx(want.low)
    usual = te.compare(TRUTH, scores=scores, metric="brier")["sharp", "dull"]
    assert (usual.low, usual.high) == pytest.approx((c.low, c.high), abs=0.02 * c.width)


def test_costs():
    costs = [[0, 1], [10, 0]]
    cmp = te.compare(TRUTH, {"good": GOOD, "poor": POOR}, metric="expected_cost", costs=costs, replicates=1000)
    assert cmp.best == "good"
    each = [np.mean(np.where(TRUTH == 1, 10 * (m == 0), 1 * (m == 1))) for m in (GOOD, POOR)]
    assert cmp["good", "poor"].estimate == pytest.approx(each[0] - each[1])


def test_clusters_count_as_units():
    clusters = np.repeat(np.arange(40), 10)
    calls = {"a": np.where(np.repeat(RNG.random(40) < 0.9, 10), TRUTH, 1 - TRUTH), "b": GOOD}
    plain, robust = te.compare(TRUTH, calls), te.compare(TRUTH, calls, clusters=clusters)
    assert robust["a", "b"].estimate == pytest.approx(plain["a", "b"].estimate)
    assert robust["a", "b"].width > 1.5 * plain["a", "b"].width
    assert robust["a", "b"].df <= 39
    rows = te.compare(TRUTH, calls, clusters=np.arange(400))["a", "b"]
    assert rows.width == pytest.approx(plain["a", "b"].width, rel=0.1)


def test_clustered_areas_match_delong_when_each_row_is_a_cluster():
    scores = {"sharp": SHARP, "dull": DULL}
    each = te.compare(TRUTH, scores=scores, metric="auc", clusters=np.arange(400))["sharp", "dull"]
    plain = te.compare(TRUTH, scores=scores, metric="auc")["sharp", "dull"]
    assert each.estimate == pytest.approx(plain.estimate)
    assert each.width == pytest.approx(plain.width, rel=0.02)


def test_margin_asks_for_equivalence():
    cmp = te.compare(TRUTH, {"a": FAIR, "b": FAIR}, margin=0.05)
    assert cmp.within_margin[0].p_value < 0.05
    assert "alike within ±5.0 points: shown" in str(cmp)
    far = te.compare(TRUTH, {"a": GOOD, "b": POOR}, margin=0.05)
    assert "not shown" in str(far)


def test_two_files_of_the_same_rows_are_joined_on_ids():
    ids = np.arange(400)
    order = RNG.permutation(400)
    a = te.predictions(TRUTH, {"good": GOOD}, ids=ids)
    b = te.predictions(TRUTH[order], {"poor": POOR[order]}, ids=ids[order])
    direct = te.compare(TRUTH, {"good": GOOD, "poor": POOR})["good", "poor"]
    assert te.compare(a, b)["good", "poor"].p_value == direct.p_value
    other = te.predictions(1 - TRUTH, {"poor": POOR})
    with pytest.raises(ValueError, match="not the same rows"):
        te.compare(te.predictions(TRUTH, {"good": GOOD}), other)


def test_different_rows():
    a = te.predictions(TRUTH[:150], {"m": GOOD[:150]})
    b = te.predictions(TRUTH[150:], {"m": POOR[150:]})
    cmp = te.compare(a, b, paired=False)
    x1, x2 = int((GOOD[:150] == TRUTH[:150]).sum()), int((POOR[150:] == TRUTH[150:]).sum())
    want = te.difference((x1, 150), (x2, 250))
    c = cmp["m (first)", "m (second)"]
    assert (c.estimate, c.low, c.p_value) == (want.estimate, want.low, want.p_value)
    f1 = te.compare(a, b, paired=False, metric="f1")["m (first)", "m (second)"]
    assert f1.p_value < 0.01
    assert f1.low > 0
    assert f1.p_at_most is None
    wrong = te.predictions(TRUTH[150:], {"m": 1 - TRUTH[150:]})
    inverse = te.compare(a, wrong, paired=False, metric="f1")["m (first)", "m (second)"]
    assert (inverse.p_value, inverse.p_at_most) == (1e-9, True)
    area = te.compare(
        te.predictions(TRUTH[:150], scores={"s": SHARP[:150]}), te.predictions(TRUTH[150:], scores={"d": DULL[150:]}),
        paired=False, metric="auc",
    )["s", "d"]  # fmt: skip
    assert area.p_value < 0.05


@pytest.mark.parametrize("metric", ["accuracy", "f1", "recall"])
def test_a_sample_without_limits_leaves_different_rows_unjudged(metric):
    truth = np.array([0, 1] * 20)
    one = te.predictions(truth, {"a": truth}, clusters=np.zeros(40, int))
    made = te.compare(one, te.predictions(truth, {"b": np.r_[1 - truth[:20], truth[20:]]}), paired=False, metric=metric)
    assert np.isnan([made["a", "b"].p_value, made["a", "b"].low]).all()
    assert "one cluster" in made["a", "b"].note
    assert "cannot be judged" in made.verdict


@pytest.mark.parametrize("metric", ["auc", "average_precision", "brier", "accuracy"])
def test_different_rows_say_whose_rows_are_few(metric):
    def rows(positives, negatives, **more):
        truth = np.r_[np.ones(positives, int), np.zeros(negatives, int)]
        noise = np.random.default_rng(3).normal(size=truth.size)
        return te.predictions(truth, scores={"m": 1 / (1 + np.exp(-noise - truth))}, **more)

    few = te.compare(rows(8, 80), rows(45, 400), paired=False, metric=metric).findings
    assert [f.about for f in few if f.code == "TE102"] == ["m (first)"]
    assert "TE413" not in few
    clustered = te.compare(rows(40, 40), rows(40, 40, clusters=np.arange(80) % 9), paired=False, metric=metric)
    assert [f.about for f in clustered.findings if f.code == "TE204"] == ["m (second)"]
    mixed = te.compare(rows(20, 180), rows(100, 100), paired=False, metric=metric).findings
    assert ("TE413" in mixed) == (metric != "auc")


def test_the_users_transcript_of_four_counts():
    cmp = te.compare(counts=parse_pairs(["both=810", "new=60", "old=40", "neither=90"]))
    text = " ".join(str(cmp).split())
    assert "new is probably better; a close call. 87.00 % against 85.00 %" in text
    assert "new wins 60 of the 100 rows on which they differ" in text
    assert "about 1 time in 22 (p = .046)" in text
    assert "about 2,000 rows of this kind" in text


def test_words_never_call_an_open_question_equal():
    for cmp in (te.compare(TRUTH, {"a": FAIR, "b": FAIR}), te.compare(TRUTH, {"a": GOOD, "b": FAIR}), three()):
        text = str(cmp).lower()
        for word in ("equal.", "are equal ", "the same as", "identical", "no difference."):
            assert word not in text
        assert "95 % ci" in " ".join(text.split())


def test_every_p_value_has_its_size_beside_it():
    text = three().verdict
    assert "points" in text
    assert "p " in text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: te.compare(TRUTH, GOOD), "there is one model"),
        (lambda: te.compare(TRUTH, {"a": GOOD, "b": FAIR}, metric="prevalence"), "no better end"),
        (lambda: te.compare(TRUTH, {"a": GOOD, "b": FAIR}, adjust="tukey"), "adjust='tukey' is not known"),
        (
            lambda: te.compare(TRUTH, {"a": GOOD, "b": FAIR}, method="exact", metric="macro_f1"),
            "not offered for macro_f1; there are .effective-t., .bootstrap.",
        ),
        (lambda: te.compare(TRUTH, {"a": GOOD, "b": FAIR}, margin=-1), "margin"),
        (lambda: te.compare(TRUTH, {"a": GOOD, "b": FAIR}, metric="auc"), "scores"),
        (lambda: three()["good"], "pair of models"),
        (lambda: parse_pairs(["both=1", "a=x", "b=2", "neither=3"]), "whole number"),
        (lambda: parse_pairs(["both=1", "a=1", "neither=3"]), "two models"),
    ],
)
def test_bad_input_gets_one_clear_sentence(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_json_comes_back_equal():
    for cmp in (three(), te.compare(TRUTH, scores={"a": SHARP, "b": DULL}, metric="auc")):
        again = te.load(cmp.to_json())
        assert again == cmp
        assert str(again) == str(cmp)


def test_text_fits_a_terminal():
    names = {
        f"model number {i} with a long name, longer than any sane person would choose": noisy(0.8) for i in range(12)
    }
    assert max(map(len, str(te.compare(TRUTH, names)).splitlines())) <= 80


def test_one_sided():
    cmp = te.compare(TRUTH, {"good": GOOD, "poor": POOR}, alternative="greater")
    assert cmp["good", "poor"].p_value < 0.001
    assert cmp["good", "poor"].high == 1
    back = cmp["poor", "good"]
    assert back.alternative == "less"
    assert back.low == -1


def test_all_pairs_of_many_models():
    models = {f"m{i}": noisy(0.8) for i in range(15)}
    cmp = te.compare(TRUTH, models)
    assert len(cmp.pairs) == 105
    assert not math.isnan(cmp.omnibus.p_value)


@pytest.mark.parametrize(("costs", "decimals"), [((1000, 70), 0), ((10, 1), 1)])
def test_costs_have_one_number_of_decimals_in_an_answer(costs: tuple[float, float], decimals: int):
    fn, fp = costs
    cmp = te.compare(TRUTH, scores={"sharp": SHARP, "dull": DULL}, cost_fn=fn, cost_fp=fp, replicates=200)
    text = " ".join(str(cmp).split())
    figure = rf"[\d,]+{rf'[.][0-9]{{{decimals}}}' if decimals else ''}"
    row = re.search(rf"sharp \d+ of \d+ \d+ of \d+ ({figure}) +\[ *({figure}), +({figure})\]", text)
    assert row is not None
    costs_said = re.findall(r"(?:cost|by|\() ?([+−]?[\d,.]*\d) per 100|not ([\d,.]*\d)\. The", text)
    found = [x.lstrip("+−") for pair in costs_said for x in pair if x]
    assert len(found) >= 3
    assert all(re.fullmatch(figure, x) for x in found)


def test_costs_name_the_threshold_and_nothing_is_tuned():
    cmp = te.compare(TRUTH, scores={"sharp": SHARP, "dull": DULL}, cost_fn=10, replicates=1000)
    assert cmp.threshold == pytest.approx(1 / 11)
    assert cmp.best == "sharp"
    calls = SHARP >= 1 / 11
    missed, positives, alarms, negatives = cmp.calls["sharp"]
    assert (missed, alarms) == (int((~calls & (TRUTH == 1)).sum()), int((calls & (TRUTH == 0)).sum()))
    assert (positives, negatives) == (int((TRUTH == 1).sum()), int((TRUTH == 0).sum()))
    each = 100 * (10 * missed + alarms) / 400
    assert cmp.cost_per_100("sharp") == pytest.approx(each)
    assert 100 * cmp.estimates["sharp"].estimate == pytest.approx(each)
    assert "TE304" in cmp.findings
    assert te.load(cmp.to_json()) == cmp
    assert max(map(len, str(cmp).splitlines())) <= 80


def of_costs(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 120)
    scores = {n: (1 / (1 + np.exp(-((truth - 0.5) * 2 + rng.normal(0, 1.4, 120))))).round(3) for n in "ab"}
    p = te.predictions(truth, scores=scores)
    return te.compare(p, cost_fn=3), te.roc_hull(p)


def test_a_threshold_that_costs_more_than_the_usual_one_here_says_why():
    cmp, _ = of_costs(23)
    assert cmp.usual_is_cheaper
    assert cmp.cost_per_100(cmp.best, cmp.usual) < 100 * cmp.estimates[cmp.best].estimate
    text = " ".join(str(cmp).split())
    assert f"Run {cmp.best} at threshold 0.25: " in text
    assert ", less than at 0.25 on these rows: chance, if its probabilities are calibrated; if not, choose" in text
    plain, _ = of_costs(0)
    assert not plain.usual_is_cheaper
    assert "at threshold 0.25 (not 0.5): " in str(plain)
    assert "on these rows: chance" not in " ".join(str(plain).split())


def test_who_is_cheapest_at_thresholds_chosen_here_is_said_as_the_hull_says_it():
    cmp, hull = of_costs(6)
    best = hull.best(cost_fn=3)
    assert (cmp.best, best.classifier, cmp.cheaper_tuned) == ("b", "a", None)
    assert (cmp.chosen.classifier, cmp.chosen.threshold, cmp.chosen.cost) == ("a", best.threshold, best.cost)
    here, elsewhere = 100 * best.cost, 100 * best.corrected.estimate
    want = f"expect a cost of {elsewhere:.1f} per 100 rows (bootstrap). The {here:.1f}"
    assert f"{want} on" in " ".join(str(cmp).split())
    same, _ = of_costs(0)
    assert "is cheapest: expect" not in " ".join(str(same).split())


def test_costs_at_a_class_mix_given_by_label_or_by_its_share():
    asked = {"scores": {"sharp": SHARP, "dull": DULL}, "cost_fn": 10, "replicates": 200}
    assert te.compare(TRUTH, prior={0: 0.9, 1: 0.1}, **asked) == te.compare(TRUTH, prior=0.1, **asked)


def forecasts(sharpness, n=3000, seed=4):
    """Truth that follows probabilities, and those probabilities made too timid (below 1) or too bold."""
    rng = np.random.default_rng(seed)
    honest = rng.beta(0.3, 1.2, n)
    odds = (honest / (1 - honest)) ** sharpness
    return (rng.random(n) < honest).astype(int), honest, odds / (1 + odds)


def test_honest_probabilities_need_no_tuning_and_timid_ones_are_told():
    truth, honest, timid = forecasts(0.4)
    blunt = np.clip(honest + np.random.default_rng(1).normal(0, 0.15, len(honest)), 0.001, 0.999)
    settled = te.compare(truth, scores={"honest": honest, "blunt": blunt}, cost_fn=10, replicates=500)
    assert settled.cheaper_tuned is None
    assert "Run honest at threshold 0.091 (not 0.5): " in str(settled)
    open_ = te.compare(truth, scores={"timid": timid, "blunt": blunt}, cost_fn=10, replicates=500)
    assert open_.best == "blunt"
    assert open_.cheaper_tuned == "timid"
    point = te.roc(truth, timid).operating_point(cost_fn=10)
    assert open_.tuned["timid"].threshold == point.threshold
    assert open_.verdict.startswith("Not settled: at threshold 0.091")
    assert "The probabilities of timid are not calibrated" in open_.verdict
    assert "Probable differences: at 0.091, timid costs more (" in open_.verdict
    assert any(f.code == "TE306" and f.about == "timid" for f in open_.findings)
    alone = te.compare(truth, scores={"timid": timid, "coin": np.full(len(truth), 0.3)}, cost_fn=10, replicates=500)
    assert alone.verdict.startswith("Run timid, but not at threshold 0.091")
    assert te.load(open_.to_json()) == open_
    assert max(map(len, str(open_).splitlines())) <= 80


def test_costs_at_another_class_mix():
    cmp = te.compare(TRUTH, scores={"sharp": SHARP, "dull": DULL}, cost_fn=10, prior=0.05, replicates=500)
    missed, positives, alarms, negatives = cmp.calls["sharp"]
    want = 10 * 0.05 * missed / positives + 0.95 * alarms / negatives
    assert cmp.estimates["sharp"].estimate == pytest.approx(want)
    assert cmp.threshold > 1 / 11


@pytest.mark.parametrize("metric", ["accuracy", "precision", "f1", "mcc", "npv", "recall", "auc"])
def test_models_are_compared_at_the_class_mix_asked_for(metric):
    scores = {"sharp": SHARP, "dull": DULL}
    made = te.compare(TRUTH, scores=scores, metric=metric, prior=0.05)
    own = te.evaluate(TRUTH, scores=scores, metrics=[metric], prior=0.05)
    for name in scores:
        one, alone = made.estimates[name], own.model(name)[metric]
        assert (one.estimate, one.low, one.high) == pytest.approx((alone.estimate, alone.low, alone.high), abs=1e-9)
    c = made["sharp", "dull"]
    assert c.estimate == pytest.approx(
        own.model("sharp")[metric].estimate - own.model("dull")[metric].estimate, abs=1e-9
    )
    assert c.low < c.estimate < c.high
    assert "5 %" in made.estimand
    turned = te.compare(TRUTH, scores=scores, metric=metric, prior=0.05)["dull", "sharp"]
    assert (turned.low, turned.high) == pytest.approx((-c.high, -c.low), abs=1e-9)


def test_costs_at_a_given_class_mix_have_no_noise_of_the_mix():
    scores = {"sharp": SHARP, "dull": DULL}
    made = te.compare(TRUTH, scores=scores, cost_fn=10, prior=0.01)
    own = te.evaluate(
        TRUTH, scores=scores, costs=[[0, 1], [10, 0]], prior=0.01, threshold=made.threshold, metrics=["expected_cost"]
    )
    for name in scores:
        one, alone = made.estimates[name], own.model(name)["expected_cost"]
        assert (one.estimate, one.low, one.high) == pytest.approx((alone.estimate, alone.low, alone.high), abs=1e-9)
    assert "1 %" in made.estimand
    assert "% are" not in made.estimand
    assert made.against_constant.estimate == pytest.approx(made.estimates[made.best].estimate - 0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cost_fn": 0}, "above 0"),
        ({"cost_fn": 2, "prior": 2}, "prior=2"),
        ({"prior": 0.2, "metric": "brier"}, "by metrics of labels and by areas, not by brier"),
    ],
)
def test_bad_costs_get_one_clear_sentence(options, message):
    with pytest.raises(ValueError, match=message):
        te.compare(TRUTH, scores={"sharp": SHARP, "dull": DULL}, **options)
    with pytest.raises(ValueError, match="pass threshold="):
        te.compare(TRUTH, scores={"sharp": 5 * SHARP, "dull": DULL}, cost_fn=3)


def test_identical_predictions_are_found():
    cmp = te.compare(TRUTH, {"a": FAIR, "b": FAIR})
    assert any(f.code.startswith("TE4") for f in cmp.findings)


def test_the_bayesian_view_adds_to_one_and_flips():
    cmp = three()
    there, back = cmp.bayes("good", "fair", rope=0.02), cmp.bayes("fair", "good", rope=0.02)
    assert there.left + there.rope + there.right == pytest.approx(1)
    assert there.left == pytest.approx(back.right, abs=0.005)
    assert cmp.bayes("good", "poor").right > 0.999
    assert cmp.bayes("good", "fair", rope=0).right == pytest.approx(cmp["good", "fair"].p_better, abs=0.01)
    area = te.compare(TRUTH, scores={"sharp": SHARP, "dull": DULL}, metric="auc")
    assert area.bayes("sharp", "dull").right > 0.9
    loss = te.compare(TRUTH, scores={"sharp": SHARP, "dull": DULL}, metric="brier")
    assert loss.bayes("sharp", "dull", rope=0.001).right > 0.9
    with pytest.raises(ValueError, match="rope=-1"):
        cmp.bayes("good", "fair", rope=-1)


SCORED = ("auc", "gini", "average_precision", "ece", "brier", "log_loss")


def _scored(seed=0, n=120):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, {k: 1 / (1 + np.exp(-(pull * (y - 0.5) + rng.normal(size=n)))) for k, pull in (("a", 2.5), ("b", 1.0))}


@pytest.mark.parametrize("metric", SCORED)
def test_frequency_weights_of_scores_are_rows_written_out(metric):
    y, scores = _scored()
    w = np.random.default_rng(1).integers(1, 4, len(y))
    given = te.predictions(y, scores=scores, weights=w, weights_kind="frequency")
    long = te.predictions(np.repeat(y, w), scores={k: np.repeat(s, w) for k, s in scores.items()})
    short, rows = (te.compare(p, metric=metric, replicates=200)["a", "b"] for p in (given, long))
    assert short.n == rows.n == w.sum()
    for part in ("estimate", "low", "high", "p_value"):
        assert getattr(short, part) == pytest.approx(getattr(rows, part), rel=1e-9), part


@pytest.mark.parametrize("metric", SCORED)
def test_clusters_of_equal_rows_are_worth_one_row_each(metric):
    y, scores = _scored()
    often = 8
    many = te.compare(
        np.repeat(y, often), scores={k: np.repeat(s, often) for k, s in scores.items()}, metric=metric,
        clusters=np.repeat(np.arange(len(y)), often), replicates=300,
    )["a", "b"]  # fmt: skip
    one = te.compare(y, scores=scores, metric=metric, replicates=300)["a", "b"]
    # Gaps of a bin are judged by its own rows, of which a cluster is not always one.
    assert many.high - many.low == pytest.approx(one.high - one.low, rel=0.2 if metric == "ece" else 0.1)


@pytest.mark.parametrize("metric", ["f1", "auc", "brier", "accuracy"])
def test_alike_within_a_margin_does_not_depend_on_the_alternative(metric):
    y, scores = _scored()
    found = [
        te.compare(y, scores=scores, metric=metric, margin=0.2, alternative=word).within_margin[0].p_value
        for word in ("two-sided", "greater", "less")
    ]
    assert found[1:] == pytest.approx([found[0]] * 2)
    apart = [
        te.compare(
            te.predictions(y[:60], scores={"a": scores["a"][:60]}),
            te.predictions(y[60:], scores={"b": scores["b"][60:]}),
            paired=False, metric=metric, margin=0.2, alternative=word,
        ).within_margin[0].p_value
        for word in ("two-sided", "greater")
    ]  # fmt: skip
    assert apart[1] == pytest.approx(apart[0])


def test_other_metrics_are_compared_by_their_own_intervals_and_resampled_on_request():
    y, scores = _scored()
    assert te.compare(y, scores=scores, metric="f1")["a", "b"].method == "effective-t"
    assert te.compare(y, scores=scores, metric="f1", method="bootstrap")["a", "b"].method == "paired-bootstrap-bca"


def test_tables_hold_the_models_own_estimates_too() -> None:
    cmp = te.compare(te.read(te.data.path("breast_cancer"), positive="malignant"))
    markdown, latex = cmp.to_markdown(), cmp.to_latex()
    # Several models are one table: what each has, and its difference from the best.
    assert markdown.count("| --- |") == latex.count("\\begin{tabular}") == 1
    assert "| logreg | 97.2 \\[94.6, 98.6\\] |  |  |" in markdown
    c = cmp["forest", "logreg"]
    assert f"−{-100 * c.estimate:.1f} \\[−{-100 * c.low:.1f}, +{100 * c.high:.1f}\\]" in markdown
    costs = te.compare(te.read(te.data.path("breast_cancer"), positive="malignant"), cost_fn=10)
    assert costs.to_markdown().count("| --- |") == 1
    assert "misses" in costs._repr_html_()


def test_words_show_the_width_of_narrow_intervals():
    made = str(te.compare(counts=parse_pairs(["both=1000000000", "a=5", "b=3", "neither=0"])))
    assert "95 % CI −0.0000004 to +0.0000009" in " ".join(made.split())
    assert "gap of 2e-07 points" in made
    usual = str(te.compare(counts=parse_pairs(["both=810", "new=60", "old=40", "neither=90"])))
    assert "+2.00 points, 95 % CI +0.04 to +4.01" in " ".join(usual.split())


def test_a_tie_for_best_is_called_one() -> None:
    truth = [0, 1] * 150
    good = [1 - t if i % 20 == 0 else t for i, t in enumerate(truth)]
    other = [1 - t if i % 20 == 1 else t for i, t in enumerate(truth)]
    near = [1 - t if i % 20 == 0 or i == 7 else t for i, t in enumerate(truth)]
    poor = [1 - t if i % 3 == 0 else t for i, t in enumerate(truth)]
    tied = te.compare(truth, {"a": good, "b": other, "near": near, "poor": poor})
    assert tied.leaders == ("a", "b")
    assert tied.verdict.startswith("a and b tie for the best estimate, 95.0 % accuracy each; 95 % CI ")
    assert "near has no clear difference from either." in tied.verdict
    assert "poor is worse: −28.3 points from a" in tied.verdict
    assert "highest" not in tied.verdict
    every = te.compare(truth, {"a": good, "b": other, "c": good})
    assert every.verdict.startswith("a, b and c tie, 95.0 % accuracy each. That does not mean that they are equally")
    assert "But a and c: the two give every row the same label" in every.verdict
    assert te.compare(truth, {"a": good, "poor": poor, "near": near}).leaders == ("a",)


def test_a_rival_of_one_of_two_leaders_is_not_called_worse_than_both() -> None:
    truth = np.zeros(400, dtype=int)
    first, second, third = truth.copy(), truth.copy(), truth.copy()
    first[:20], second[100:120] = 1, 1
    # The third errs where the first does and twelve times more, and shares nothing with the second.
    third[:32] = 1
    found = te.compare(truth, {"a": first, "b": second, "c": third}, labels=[0, 1])
    assert found.told_apart("a", "c")
    assert not found.told_apart("b", "c")
    assert "c is worse than a, with no clear difference from b." in found.verdict


def test_a_tie_in_costs_is_called_one() -> None:
    rng = np.random.default_rng(5)
    truth = np.arange(300) % 2
    score = np.where(rng.random(300) < 0.9, np.where(truth == 1, 0.9, 0.1), np.where(truth == 1, 0.1, 0.9))
    worse = np.clip(0.2 * truth + 0.7 * rng.random(300), 0, 1)
    found = te.compare(truth, scores={"a": score, "b": score, "c": worse}, positive=1, cost_fn=2)
    assert found.verdict.startswith("Run a or b (they cost the same) at threshold ")
    assert "may be as cheap" not in found.verdict


@pytest.mark.parametrize("metric", ["auc", "average_precision", "brier", "ece"])
def test_a_third_model_with_gaps_does_not_change_a_pair(metric: str) -> None:
    rng = np.random.default_rng(0)
    y, hard = rng.integers(0, 2, 600), np.arange(600) < 60
    a = np.where(hard, rng.random(600), (y * 0.6 + rng.random(600)) / 2)
    b = np.where(hard, (y * 0.9 + rng.random(600)) / 2, (y * 0.4 + rng.random(600)) / 2)
    c = np.where(hard, rng.random(600), np.nan)
    p = te.predictions(y, scores={"a": a, "b": b, "c": c}, positive=1, missing="drop")
    pair, alone = (
        te.compare(p, metric=metric)["a", "b"].alone(),
        te.compare(p.select(["a", "b"]), metric=metric)["a", "b"],
    )
    assert pair.n == alone.n == 600
    assert (pair.estimate, pair.low, pair.high, pair.p_value) == pytest.approx(
        (alone.estimate, alone.low, alone.high, alone.p_value)
    )
    assert "Two models are compared on the 60 to 600 rows that both answered" in te.compare(p, metric=metric).reading


def test_calibration_errors_on_different_rows_add_up_their_reaches() -> None:
    """Chance pushes both errors up: a rule that takes the reaches for independent noise is too narrow."""
    rng = np.random.default_rng(6)
    held = 0
    for _ in range(20):
        logit = [1.5 * rng.standard_normal(n) for n in (300, 3_000)]
        truth = [rng.random(len(x)) < 1 / (1 + np.exp(-s * x)) for x, s in zip(logit, (1.0, 0.6), strict=True)]
        one, two = (
            te.predictions(y, scores={name: 1 / (1 + np.exp(-x))}, positive=True)
            for name, y, x in zip("ab", truth, logit, strict=True)
        )
        pair = te.compare(one, two, metric="ece", paired=False).pairs[0]
        assert pair.method == "calibration-gaps-difference"
        held += pair.low <= -0.0734 <= pair.high
    assert held >= 19


def test_a_chance_that_no_pair_has_gets_no_column() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 80)
    scores = {name: (y + rng.random(80)) / 2 for name in "ab"}
    assert "P(better)" in str(te.compare(y, scores=scores, positive=1, metric="auc"))
    assert "P(better)" not in str(te.compare(y, scores=scores, positive=1, metric="ece"))


@pytest.mark.parametrize("clustered", [True, False])
@pytest.mark.parametrize(
    "metric",
    ["brier", "log_loss", "ranked_probability_score", "accuracy", "recall", "f1", "kappa", "mcc", "auc", "gini",
     "average_precision"],
)  # fmt: skip
def test_gaps_are_rows_that_were_never_there(metric: str, clustered: bool) -> None:
    draw = np.random.default_rng(2)
    truth = draw.integers(0, 2, 240)
    one, two = (np.clip(truth * 0.3 + draw.random(240) * 0.7, 0.01, 0.99) for _ in range(2))
    groups = np.arange(240) // 6
    gone = [draw.random(240) < share for share in (0.2, 0.3)]
    gone[1][groups == 3] = True
    kept = ~(gone[0] | gone[1])
    scores = {"a": np.where(gone[0], np.nan, one), "b": np.where(gone[1], np.nan, two)}
    gaps = te.compare(truth, scores=scores, metric=metric, missing="drop", clusters=groups if clustered else None)
    common = te.compare(
        truth[kept], scores={"a": one[kept], "b": two[kept]}, metric=metric,
        clusters=groups[kept] if clustered else None,
    )  # fmt: skip
    mine, want = gaps["a", "b"], common["a", "b"]
    assert (mine.n, mine.df, mine.method) == (want.n, want.df, want.method)
    for name in ("estimate", "low", "high", "p_value"):
        assert getattr(mine, name) == pytest.approx(getattr(want, name), rel=1e-9, abs=1e-12), name
    assert f"compared on the {kept.sum()} rows that both answered" in gaps.reading


def test_a_metric_without_a_value_says_of_which_model_and_what_to_do() -> None:
    truth = [0, 1] * 20
    calls = {"a": [0, 1] * 15 + [1, 0] * 5, "b": [0, 1] * 10 + [1, 0] * 10, "never": [0] * 40}
    with pytest.raises(
        InputError, match=r"^mcc of 'never' is undefined: .*; leave 'never' out by naming the others.*ka"
    ):
        te.compare(truth, calls, metric="mcc")
    assert te.compare(truth, calls, metric="kappa").models == ("a", "b", "never")
    with pytest.raises(InputError, match=r'^mcc of .never. is undefined: [^;]*; compare by metric="kappa"'):
        te.compare(truth, {m: calls[m] for m in ("a", "never")}, metric="mcc")
    with pytest.raises(InputError, match=r"^mcc of 'a' and 'never' is undefined: [^;]*$"):
        te.compare([0] * 40, {m: calls[m] for m in ("a", "never")}, labels=[0, 1], metric="mcc")


@pytest.mark.parametrize(
    ("metric", "method", "words"),
    [
        ("accuracy", "delong", "'mid-p', 'exact', 'chi2', 'chi2-cc', 'bootstrap'"),
        ("accuracy", "t", "'mid-p', 'exact', 'chi2', 'chi2-cc', 'bootstrap'"),
        ("brier", "bootstrap", "'effective-t', 't'"),
        ("brier", "delong", "'effective-t', 't'"),
        ("f1", "t", "'effective-t', 'bootstrap'"),
        ("auc", "t", "'effective-t', 'delong', 'bootstrap'"),
    ],
)
def test_a_method_that_does_not_apply_is_refused_with_the_words_that_do(metric, method, words):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    scores = {name: np.clip(truth * 0.4 + rng.random(60) * 0.6, 0, 1) for name in ("a", "b")}
    with pytest.raises(ValueError, match=f"not offered for {metric}; there are {words}$"):
        te.compare(truth, scores=scores, positive=1, metric=metric, method=method)


def test_a_method_for_plain_rows_is_refused_where_rows_come_in_clusters():
    truth, first, second = [0, 1] * 30, [0, 1] * 25 + [1, 0] * 5, [0, 1] * 20 + [1, 0] * 10
    with pytest.raises(ValueError, match="method='mid-p' is not offered for accuracy; there are 'effective-t', 't'"):
        te.compare(truth, {"a": first, "b": second}, clusters=[i // 4 for i in range(60)], method="mid-p")


def test_details_are_fields_and_a_mapping_of_what_was_recorded():
    truth = [0, 1] * 50
    cmp = te.compare(truth, {"a": [0, 1] * 40 + [1, 0] * 10, "b": [0, 1] * 45 + [1, 0] * 5})
    assert list(cmp.facts) == ["share", "why", "discordance", "twins", "borderline", "constant", "hollow"]
    assert cmp.facts.share is cmp.facts["share"] is True
    assert cmp.facts.get("parts") is None
    assert "parts" not in cmp.facts
    with pytest.raises(KeyError, match="parts"):
        cmp.facts["parts"]
    assert cmp.facts.counts("a", "b") == (80, 0, 10, 10)
    assert cmp.facts.counts("b", "a") == (80, 10, 0, 10)
    assert te.load(cmp.to_json()).facts == cmp.facts


def _gaps(seed=0, n=1000):
    rng = np.random.default_rng(seed)
    hard, truth = rng.random(n) < 0.3, rng.integers(0, 2, n)
    bold, careful = (
        np.where(rng.random(n) < np.where(hard, 0.55, 0.95), truth, 1 - truth).astype(object) for _ in range(2)
    )
    return truth, bold, careful, hard


def test_the_numbers_of_a_comparison_with_gaps_subtract() -> None:
    truth, bold, careful, hard = _gaps()
    careful[hard] = None
    cmp = te.compare(truth, {"careful": careful, "bold": bold}, missing="drop")
    own = cmp.estimates
    assert own["careful"].estimate - own["bold"].estimate == pytest.approx(cmp["careful", "bold"].estimate)
    assert own["careful"].n == own["bold"].n == (~hard).sum()
    assert {"TE206", "TE213"} <= set(cmp.findings.codes)
    assert "bold is right on" in str(cmp)
    wrong = te.compare(truth, {"careful": careful, "bold": bold}, missing="wrong")
    assert "TE206" in wrong.findings
    assert "TE213" not in wrong.findings
    assert wrong["careful", "bold"].estimate < -0.1


def test_limits_beside_a_model_that_hides_rows_hold_both_readings() -> None:
    random = np.random.default_rng(3)
    truth = (random.random(600) < 0.5).astype(int)
    calls = {m: np.where(random.random(600) < 0.86, truth, 1 - truth).astype(object) for m in "abc"}
    calls["a"][calls["a"] != truth] = None
    made = te.compare(truth, {m: c.tolist() for m, c in calls.items()}, missing="drop")
    for other in "bc":
        c = made["a", other]
        assert -0.2 < c.low < 0 < c.high < 0.25  # to −100 points once
        assert not made.told_apart("a", other)


def test_a_lead_that_rests_on_silence_is_said_to() -> None:
    truth = np.arange(400) % 2
    bold = np.where(np.arange(400) % 7 == 0, 1 - truth, truth).astype(object)  # 85.5 % right
    for right, told in ((0.8, True), (0.95, False)):
        careful = truth.astype(object)
        careful[np.arange(400) % 20 >= 20 * right] = None  # silent rather than wrong
        cmp = te.compare(truth, {"careful": careful, "bold": bold}, missing="drop")
        c = cmp["careful", "bold"]
        assert (c.p_value < 0.001) != told
        assert (c.low > 0) != told
        assert ("TE219" in cmp.findings) == told
        assert ("with its 80 rows left out counted as wrong the difference is −5.5 points" in str(cmp.findings)) == told
        assert cmp.better("careful", "bold") != told
        assert cmp.verdict.startswith("Too close to call: careful is ahead," if told else "careful")
        wrong = te.compare(truth, {"careful": careful, "bold": bold}, missing="wrong")
        assert "TE219" not in wrong.findings
        assert (wrong["careful", "bold"].estimate < 0) == told
        p = te.predictions(truth, {"careful": careful, "bold": bold}, missing="drop")
        assert te.gate(p, "bold", model="careful").decision == ("cannot tell" if told else "pass")


@pytest.mark.parametrize("metric", ["f1", "auc", "brier", "average_precision"])
def test_hidden_errors_win_by_no_metric(metric: str) -> None:
    rng = np.random.default_rng(7)
    truth = np.arange(400) % 2
    scores = {m: 1 / (1 + np.exp(1 - 2 * truth - rng.standard_normal(400))) for m in ("hides", "bold")}
    scores["hides"][np.abs(truth - scores["hides"]) > 0.5] = np.nan
    cmp = te.compare(truth, scores=scores, metric=metric, missing="drop", positive=1)
    c = cmp["hides", "bold"]
    assert c.low < 0 < c.high
    assert c.p_value > 0.05
    assert not cmp.told_apart("hides", "bold")
    assert "TE219" in cmp.findings


def test_copies_of_rows_are_found_without_being_asked_for() -> None:
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], (240, 60))
    scores = {m: 1 / (1 + np.exp(-rng.standard_normal(300) - 1.5 * truth)) for m in "ab"}
    oversampled = np.r_[np.arange(300), 240 + rng.integers(0, 60, 180)]
    for rows, found in ((np.arange(300), False), (oversampled, True)):
        drawn = {m: s[rows] for m, s in scores.items()}
        cmp = te.compare(truth[rows], scores=drawn, metric="auc", positive=1)
        ev = te.evaluate(truth[rows], scores=drawn["a"], positive=1)
        together = te.evaluate(truth[rows], scores=drawn["a"], positive=1, clusters=rows)
        assert ("TE108" in cmp.findings) == ("TE108" in ev.findings) == found
        assert "TE108" not in together.findings


def test_rows_left_out_at_random_are_no_harder() -> None:
    for seed in range(5):
        truth, bold, careful, _ = _gaps(seed)
        careful[np.random.default_rng(100 + seed).random(1000) < 0.2] = None
        for clusters in (None, np.arange(1000) // 10):
            cmp = te.compare(truth, {"careful": careful, "bold": bold}, missing="drop", clusters=clusters)
            assert "TE213" not in cmp.findings


@pytest.mark.parametrize("metric", ["auc", "average_precision", "brier", "log_loss", "f1"])
def test_few_rows_and_few_that_weigh_are_said_whatever_the_metric(metric: str) -> None:
    random = np.random.default_rng(2)
    truth = np.repeat([1, 0], [5, 100])
    scores = {m: special.expit(random.standard_normal(105) + 1.5 * truth) for m in "ab"}
    assert "TE102" in te.compare(truth, scores=scores, metric=metric).findings
    small = {m: s[:20] for m, s in scores.items()}
    assert "TE101" in te.compare(truth[:20], scores=small, metric=metric).findings
    heavy = te.compare(
        truth, scores=scores, metric="brier", weights=random.pareto(1.1, 105) + 1, weights_kind="sampling"
    )
    assert "TE212" in heavy.findings


def test_costs_of_two_errors_compare_labels_as_they_stand():
    random = np.random.default_rng(0)
    truth = random.integers(0, 2, 200)
    labels = {name: np.where(random.random(200) < share, 1 - truth, truth) for name, share in (("a", 0.1), ("b", 0.3))}
    priced = te.compare(truth, labels, cost_fn=5)
    assert priced.to_json() == te.compare(truth, labels, costs={"fp": 1, "fn": 5}).to_json()
    assert "expected cost" in priced.verdict


def test_rows_are_ranked_once_for_areas_and_their_differences(monkeypatch):
    from trueerror.inference import _two_models
    from trueerror.verbs import _evidence

    # Curves that cross are looked for among fewer rows.
    monkeypatch.setattr(_evidence, "MOST_CURVE_ROWS", 0)
    scores = {"sharp": SHARP, "dull": DULL.round(1), "both": (SHARP + DULL) / 2}
    for metric, clusters in (("auc", None), ("gini", None), ("auc", np.arange(len(TRUTH)) // 4)):
        with monkeypatch.context() as patched:
            patched.setattr(_two_models.ScoreTable, "from_codes", lambda *given, **more: pytest.fail("sorted again"))
            made = te.compare(TRUTH, scores=scores, metric=metric, clusters=clusters)
        for model, mine in made.estimates.items():
            alone = te.evaluate(TRUTH, scores=scores[model], metrics=[metric], clusters=clusters)[metric]
            assert (mine.n, mine.method, mine.note) == (alone.n, alone.method, alone.note)
            assert [mine.estimate, mine.low, mine.high] == pytest.approx([alone.estimate, alone.low, alone.high])
    with pytest.raises(InputError, match="one class"):
        te.compare(TRUTH * 0 + 1, scores=scores, metric="auc", positive=1, labels=[0, 1])


def test_limits_that_hold_together_do_not_follow_a_bound_on_p() -> None:
    """Of many rows p is at the least that a search or replicates show: the limits are as narrow as alone."""
    n, rng = 100_000, np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    calls = {
        m: np.where(rng.random(n) < right, truth, 1 - truth) for m, right in zip("abc", (0.9, 0.8, 0.6), strict=True)
    }
    options: tuple[dict[str, Any], ...] = ({}, {"clusters": rng.integers(0, 500, n)}, {"metric": "f1"})
    for more in options:
        compared = te.compare(truth, calls, **more)
        for c in compared.simultaneous or ():
            alone = compared["a", c.first]
            assert c.high - c.low < 1.5 * (alone.high - alone.low)


@pytest.mark.parametrize("source", ["arrays", "frame", "file", "relation", "lazy"])
def test_metrics_of_labels_take_the_rows_that_lack_a_score_only(source: str, tmp_path: Path) -> None:
    """Pairs and own figures are of the same rows: labels are there, so all of them; areas leave the others out."""
    duckdb, pl = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 200)
    labels = {m: np.where(rng.random(200) < right, truth, 1 - truth) for m, right in (("a", 0.8), ("b", 0.7))}
    scores = {m: 0.6 * label + 0.4 * rng.random(200) for m, label in labels.items()}
    scores["a"][rng.random(200) < 0.1] = np.nan
    gone = int(np.isnan(scores["a"]).sum())
    table = pl.DataFrame({"y": truth, **labels, **{f"{m}_score": s for m, s in scores.items()}}, nan_to_null=True)
    models = {m: {"label": m, "score": f"{m}_score"} for m in labels}
    table.write_csv(tmp_path / "rows.csv")
    given = {
        "frame": lambda: table, "file": lambda: tmp_path / "rows.csv", "lazy": table.lazy,
        "relation": lambda: duckdb.sql(f"SELECT * FROM '{tmp_path}/rows.csv'"),
    }  # fmt: skip
    rows = (
        te.predictions(truth, labels, scores=scores, missing="drop")
        if source == "arrays"
        else te.read(given[source](), truth="y", models=models, missing="drop")
    )
    by_labels, by_scores = te.compare(rows), te.compare(rows, metric="auc")
    assert [by_labels["a", "b"].n, *(i.n for i in by_labels.estimates.values())] == [200] * 3
    assert by_labels["a", "b"].estimate == pytest.approx(
        by_labels.estimates["a"].estimate - by_labels.estimates["b"].estimate
    )
    assert [by_scores["a", "b"].n, *(i.n for i in by_scores.estimates.values())] == [200 - gone] * 3
    assert "TE206" not in by_labels.findings
    assert f"{gone} of 200 rows have a label and no score" in str(by_scores.findings)
    assert f"{gone} of 200 rows have no score of a; metrics of its scores leave them out" in by_labels.reading
    # Scores that are cut take the place of labels, so rows without one have no call.
    for cut in (te.compare(rows, threshold=0.3), te.compare(rows.with_threshold(0.3))):
        assert [cut["a", "b"].n, *(i.n for i in cut.estimates.values())] == [200 - gone] * 3
        assert f"a: {gone} of 200 rows have no prediction and were left out" in " ".join(str(cut.findings).split())
        assert f"{gone} of 200 rows have no score of a to cut; they are left out" in " ".join(cut.reading.split())
    apart = te.compare(rows.select("a"), rows.select("b"), threshold=0.3, paired=False)
    for reading in (te.gate(rows, "b", threshold=0.3).reading, apart.reading):
        assert f"{gone} of 200 rows have no score of a to cut; they are left out" in " ".join(reading.split())
    assert f"{gone} of 200 rows have no prediction" in str(te.evaluate(rows.select("a"), threshold=0.3).findings)


def test_models_with_the_same_grades_are_asked_about():
    grades = np.random.default_rng(3).integers(0, 5, 60) / 4
    alike = te.compare(te.graded({"a": grades, "b": grades.copy(), "c": grades[::-1]}))
    [same] = [f for f in alike.findings if f.code == "TE406"]
    assert "the two have the same grade in every row (60 rows)" in same.message
    assert "a and b: the two have the same grade" in " ".join(alike.verdict.split())
    # Two with one and the same grade everywhere may be two.
    assert not [
        f for f in te.compare(te.graded({"a": np.full(60, 0.5), "b": np.full(60, 0.5)})).findings if f.code == "TE406"
    ]


def test_many_rows_in_clusters_with_sampling_weights_have_limits():
    draw = np.random.default_rng(8)
    truth = draw.integers(0, 2, 6000)
    scores = 1 / (1 + np.exp(-(2 * truth - 1) - draw.normal(0, 1.5, 6000)))
    p = te.predictions(
        truth, scores={"m": scores}, clusters=np.arange(6000) // 10, weights=draw.uniform(0.5, 2, 6000),
        weights_kind="sampling",
    )  # fmt: skip
    ev = te.evaluate(p, metrics=["auc", "average_precision", "brier", "brier_skill_score"], replicates=200, rng=1)
    for name in ("auc", "average_precision", "brier", "brier_skill_score"):
        assert ev[name].low < ev[name].estimate < ev[name].high
    assert ev["auc"].n == 6000
    assert not [f for f in te.check(p) if f.severity == "error"]


def test_the_same_costs_give_one_answer_however_they_are_said():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    scores = {m: 1 / (1 + np.exp(-(rng.normal(size=400) + k * (2 * y - 1)))) for m, k in (("a", 1.0), ("b", 1.4))}
    by_two = te.compare(y, scores=scores, cost_fn=10)
    for costs in ([[0, 1], [10, 0]], {"fp": 1, "fn": 10}):
        assert str(te.compare(y, scores=scores, costs=costs)) == str(by_two)
    # A threshold that is given, and labels, are judged as they stand.
    at_half = te.compare(y, scores=scores, costs=[[0, 1], [10, 0]], threshold=0.5)
    calls = {m: (s >= 0.5).astype(int) for m, s in scores.items()}
    assert at_half.estimates == te.compare(y, scores=scores, cost_fn=10, threshold=0.5).estimates
    as_labels = te.compare(y, calls, costs=[[0, 1], [10, 0]])
    assert [c.estimate for c in at_half.pairs] == [c.estimate for c in as_labels.pairs]
