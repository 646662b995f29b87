"""Rows in order of time, and rows that belong to two keys, through the public doors."""

from __future__ import annotations

import datetime
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import trueerror as te
from tests.cli.program import run
from trueerror.inference._dependence import held_by, in_order, runs_of

N = 500
TRUTH = np.arange(N) % 5 // 3
DAYS = np.array([datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(N)])


def in_runs(seed: int, length: int = 25) -> NDArray[Any]:
    """Calls whose errors come in runs."""
    rng = np.random.default_rng(seed)
    wrong = np.repeat(rng.random(N // length) < 0.25, length)
    return np.where(wrong, 1 - TRUTH, TRUTH)


def users_and_items(seed: int, users: int = 20, items: int = 25) -> tuple[NDArray[Any], ...]:
    """A truth, calls that hang on the user and on the item, users and items."""
    rng = np.random.default_rng(seed)
    user, item = np.repeat(np.arange(users), items), np.tile(np.arange(items), users)
    ease = rng.normal(size=users)[user] + rng.normal(size=items)[item]
    wrong = rng.random(users * items) > 1 / (1 + np.exp(-1.5 - ease))
    truth = np.arange(users * items) % 2
    return truth, np.where(wrong, 1 - truth, truth), user, item


def test_limits_in_order_of_time_do_not_hang_on_the_order_of_the_rows() -> None:
    called, mixed = in_runs(1), np.random.default_rng(2).permutation(N)
    one = te.evaluate(TRUTH, called, time=DAYS, positive=1)["f1"]
    other = te.evaluate(TRUTH[mixed], called[mixed], time=DAYS[mixed], positive=1)["f1"]
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


@pytest.mark.parametrize("metric", ["accuracy", "f1", "mcc"])
def test_errors_in_runs_widen_limits_several_times_and_errors_by_chance_hardly(metric: str) -> None:
    rng = np.random.default_rng(3)
    by_chance = np.where(rng.random(N) < 0.2, 1 - TRUTH, TRUTH)
    for called, least, most in ((in_runs(1), 2.0, 9.0), (by_chance, 0.8, 1.3)):
        alone = te.evaluate(TRUTH, called, positive=1, metrics=[metric])[metric]
        timed = te.evaluate(TRUTH, called, positive=1, metrics=[metric], time=np.arange(N))[metric]
        assert least < timed.width / alone.width < most


def test_scores_and_losses_take_time_too() -> None:
    rng = np.random.default_rng(4)
    mood = np.repeat(rng.normal(size=20), 25)
    scores = 1 / (1 + np.exp(-(2 * TRUTH - 1 + mood + rng.normal(size=N))))
    for metric in ("brier_score", "log_loss", "auc"):
        alone = te.evaluate(TRUTH, scores=scores, metrics=[metric])[metric]
        timed = te.evaluate(TRUTH, scores=scores, metrics=[metric], time=DAYS)[metric]
        assert timed.estimate == pytest.approx(alone.estimate, abs=0.01)
        assert timed.width > alone.width * (1.0 if metric == "auc" else 1.15)


def test_a_difference_is_judged_in_order_of_time() -> None:
    models = {"a": in_runs(5), "b": in_runs(6)}
    alone = te.compare(TRUTH, models)["a", "b"]
    timed = te.compare(TRUTH, models, time=DAYS)["a", "b"]
    assert timed.p_value > alone.p_value
    assert timed.note == "500 moments in order of time"


def test_two_keys_are_wider_than_either_and_stand_in_any_order() -> None:
    truth, called, user, item = users_and_items(1)
    either = [te.evaluate(truth, called, clusters=k)["accuracy"].width for k in (user, item)]
    both, turned = (te.evaluate(truth, called, clusters=list(k))["accuracy"] for k in ((user, item), (item, user)))
    assert both.width > max(either)
    assert (both.low, both.high) == pytest.approx((turned.low, turned.high))
    assert "20 clusters and 25 clusters" in both.note


def test_the_variance_over_two_keys_is_that_over_each_less_that_over_both() -> None:
    """By hand: Cameron, Gelbach and Miller 2011, with G/(G − 1) for each."""
    rng = np.random.default_rng(8)
    user, item = np.repeat(np.arange(12), 12), np.tile(np.arange(12), 12)
    grades = np.clip(0.5 + 0.1 * (rng.normal(size=12)[user] + rng.normal(size=12)[item] + rng.normal(size=144)), 0, 1)
    found = te.compare(te.graded({"a": grades, "b": np.full(144, 0.5)}, clusters=[user, item]))["a", "b"]
    apart = grades - grades.mean()
    parts = [(np.bincount(k, apart) ** 2).sum() for k in (user, item)]
    # Clusters left out: each deviation over 1 − 1/12, and so √(12/11) more than the plain form.
    by_hand = math.sqrt((144 / 121 * 11 / 12 * sum(parts) - (apart**2).sum() * 144 / 143) / 144**2)
    p = 0.5 + (found.estimate) / 2
    assert found.statistic == pytest.approx(found.estimate / (by_hand * math.sqrt(0.25 / (p * (1 - p)))), rel=1e-6)
    assert found.df is not None
    assert found.df <= 11


def test_the_same_key_twice_is_that_key() -> None:
    truth, called, user, _ = users_and_items(2)
    once, twice = (te.evaluate(truth, called, clusters=k)["accuracy"] for k in (user, [user, user]))
    assert (once.low, once.high) == pytest.approx((twice.low, twice.high))


def test_a_file_names_two_keys_or_the_time(tmp_path: Any) -> None:
    truth, called, user, item = users_and_items(3)
    path = tmp_path / "rows.csv"
    lines = [f"{t},{c},{u},i{i},{d}" for t, c, u, i, d in zip(truth, called, user, item, DAYS, strict=True)]
    path.write_text("\n".join(["truth,model,user,item,day", *lines]))
    from_file = te.evaluate(path, models=["model"], clusters=["user", "item"])["accuracy"]
    assert from_file.width == pytest.approx(te.evaluate(truth, called, clusters=[user, item])["accuracy"].width)
    timed = te.evaluate(path, models=["model"], time="day", clusters=False)["accuracy"]
    assert timed.width == pytest.approx(te.evaluate(truth, called, time=DAYS)["accuracy"].width)
    both = te.evaluate(path, models=["model"], time="day", clusters="user")["accuracy"]
    assert both.note == "20 clusters and 500 moments in order of time"


def test_a_gate_knows_of_time_and_of_two_keys() -> None:
    truth, called, user, item = users_and_items(4)
    right = te.predictions(truth, {"new": truth * 1, "old": called}, clusters=[user, item])
    assert te.gate(right, candidate="new", baseline="old").checks[0].method == "effective-t"
    with pytest.raises(te.InputError, match="a sequential gate is not offered with time="):
        te.gate(right, candidate="new", baseline="old", sequential=True)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"clusters": [np.arange(N) % 5, np.arange(N) % 7, np.arange(N) % 9]}, "two keys at once"),
        ({"clusters": [np.arange(N) % 5, np.arange(N) % 7], "time": DAYS}, "two keys at once"),
        ({"time": np.array(["3/1/2024"] * N)}, "whose place in time is not plain"),
        ({"time": DAYS, "folds": np.arange(N) % 5}, "folds= or repeats= is not offered with time="),
        ({"time": DAYS, "method": "bootstrap", "metrics": ["accuracy"]}, "not offered"),
    ],
)
def test_what_cannot_be_answered_is_said(more: dict[str, Any], words: str) -> None:
    with pytest.raises(te.InputError, match=words):
        te.evaluate(TRUTH, in_runs(1), **more)


def test_no_limits_rather_than_too_narrow_ones_for_a_calibration_error() -> None:
    scores = np.clip(np.random.default_rng(9).random(N) * 0.6 + 0.4 * TRUTH, 0, 1)
    found = te.evaluate(TRUTH, scores=scores, time=DAYS, metrics=["ece"])["ece"]
    assert math.isnan(found.low)
    assert "in order of time" in found.note


def test_one_moment_shows_no_spread() -> None:
    assert np.isnan(in_order(np.array([0.3]))[0])


def test_runs_are_seen_and_chance_is_not() -> None:
    rng = np.random.default_rng(10)
    kinds = np.zeros(N, dtype=np.int64)
    by_chance = [runs_of((rng.random(N) < rate) * 1.0, kinds)[0] for rate in (0.02, 0.2, 0.5, 0.9) for _ in range(250)]
    assert np.mean(np.array(by_chance) < 0.01) < 0.02
    in_time = np.repeat(rng.random((100, N // 5)) < 0.2, 5, axis=1) * 1.0
    assert np.mean([runs_of(x, kinds)[0] < 1e-6 for x in in_time]) > 0.95


def test_errors_in_runs_are_told_whatever_verb_and_whatever_was_measured() -> None:
    grades = np.repeat(np.random.default_rng(11).random(50), 10)
    one = te.evaluate(TRUTH, in_runs(1)).findings
    assert "TE220" in one
    assert "time=" in next(f.fix for f in one if f.code == "TE220")
    assert "TE220" in te.compare(TRUTH, {"a": in_runs(1), "b": in_runs(2)}).findings
    assert "TE220" in te.compare(te.graded({"a": grades, "b": grades[::-1]})).findings
    assert "TE220" not in te.evaluate(TRUTH, in_runs(1), time=DAYS).findings


def test_the_variance_over_two_keys_is_that_of_plain_loops() -> None:
    rng = np.random.default_rng(5)
    user, item = rng.integers(0, 25, 600), rng.integers(0, 18, 600)
    one = np.clip(0.6 + 0.1 * rng.normal(size=25)[user] + 0.1 * rng.normal(size=600), 0, 1)
    other = np.clip(0.5 + 0.1 * rng.normal(size=18)[item] + 0.1 * rng.normal(size=600), 0, 1)

    def variance(*keys: NDArray[Any]) -> float:
        sums: dict[tuple[int, ...], float] = {}
        for apart, *names in zip(one - other - (one - other).mean(), *keys, strict=True):
            sums[tuple(names)] = sums.get(tuple(names), 0.0) + apart
        return len(sums) / (len(sums) - 1) * sum(x * x for x in sums.values()) / 600**2

    found = te.compare(te.graded({"a": one, "b": other}, clusters=[user, item])).pairs[0]
    error = math.sqrt(variance(user) + variance(item) - variance(user, item))
    assert found.df is not None
    assert found.df <= 17
    assert found.width / 2 / stats.t.ppf(0.975, found.df) == pytest.approx(error, rel=2e-3)
    alone = te.compare(te.graded({"a": one, "b": other}, clusters=user)).pairs[0]
    assert alone.df is not None
    assert alone.width / 2 / stats.t.ppf(0.975, alone.df) == pytest.approx(math.sqrt(variance(user)), rel=2e-3)


def test_a_second_key_is_told_by_its_slices(tmp_path: Any) -> None:
    truth, called, user, item = users_and_items(4)
    found = te.evaluate(truth, called, clusters=user, by=item).findings
    assert "clusters=[user, item]" in next(f.fix for f in found if f.code == "TE220")
    assert "TE220" in te.compare(truth, {"one": called, "right": truth * 1}, clusters=user, by=item).findings
    path = tmp_path / "rows.csv"
    rows = zip(truth * 1, called * 1, user, item, strict=True)
    path.write_text("\n".join(["truth,one,user,text", *(",".join(map(str, row)) for row in rows)]))
    assert "'text' repeats across the clusters" in str(te.evaluate(path, cluster="user", by="text").findings)
    assert "TE220" not in te.evaluate(path, cluster=["user", "text"]).findings


def test_a_second_key_that_holds_nothing_is_not_told() -> None:
    told, rng = 0, np.random.default_rng(14)
    for _ in range(200):
        user, item = rng.integers(0, 30, 400), rng.integers(0, 20, 400)
        apart = ((rng.random(30) * 2)[user] * rng.random(400) > 1) * 1.0
        told += held_by((apart - apart.mean())[None], user, item)[1] <= 0.01
    assert told <= 6  # P(X > 6) of 200 at .01 is .004


def test_errors_in_runs_are_told_of_a_file_too(tmp_path: Any) -> None:
    path = tmp_path / "rows.csv"
    rows = zip(TRUTH, in_runs(1), in_runs(2), strict=True)
    path.write_text("\n".join(["truth,a,b", *(",".join(map(str, row)) for row in rows)]))
    for verb in (te.evaluate, te.compare):
        held = verb(TRUTH, {"a": in_runs(1), "b": in_runs(2)}).findings
        assert [(f.code, f.message) for f in verb(path, truth="truth").findings] == [(f.code, f.message) for f in held]
    assert "TE220" in run("evaluate", str(path), "--truth", "truth").stdout


def test_rows_that_were_sorted_by_an_answer_are_not_taken_for_runs() -> None:
    rng = np.random.default_rng(12)
    scores = rng.random(N)
    truth = (rng.random(N) < scores) * 1
    for order in (np.argsort(scores), np.argsort(truth, kind="stable"), np.lexsort((-scores, truth))):
        assert "TE220" not in te.evaluate(truth[order], scores=scores[order]).findings


def test_bad_calibration_of_a_few_users_is_not_taken_for_that_of_all() -> None:
    rng = np.random.default_rng(13)
    user = np.repeat(np.arange(20), 30)
    truth = np.repeat(rng.random(20) < 0.5, 30) * 1
    scores = np.repeat(rng.uniform(0.3, 0.7, 20), 30)
    assert "TE306" in te.evaluate(truth, scores=scores).findings
    assert "TE306" not in te.evaluate(truth, scores=scores, clusters=user).findings
    off = np.where(rng.random(600) < 0.5, 0.95, 0.05)
    assert "TE306" in te.evaluate((rng.random(600) < 0.5) * 1, scores=off, clusters=user).findings


def test_the_shell_names_the_time_and_two_keys(tmp_path: Any) -> None:
    path = tmp_path / "rows.csv"
    truth, called, user, item = users_and_items(3)
    lines = [f"{t},{c},{u},i{i},{d}" for t, c, u, i, d in zip(truth, called, user, item, DAYS, strict=True)]
    path.write_text("\n".join(["truth,model,user,item,day", *lines]))
    for flags, more in (
        (["--cluster", "user", "--cluster", "item"], {"clusters": ["user", "item"]}),
        (["--cluster", "none", "--time", "day"], {"clusters": False, "time": "day"}),
        (["--cluster", "item"], {"clusters": "item"}),
    ):
        shown = run("evaluate", str(path), "--model", "model", *flags)
        expected = te.evaluate(path, models=["model"], **more)["accuracy"]
        assert f"[{expected.low:.3f}, {expected.high:.3f}]" in shown.stdout


def test_curves_say_that_their_limits_know_of_one_key_alone() -> None:
    scores = np.random.default_rng(14).random(N) * 0.7 + 0.3 * TRUTH
    assert "ignore time and a second key" in te.roc(te.predictions(TRUTH, scores=scores, time=DAYS)).caution
    assert "second key" not in te.roc(te.predictions(TRUTH, scores=scores)).caution
