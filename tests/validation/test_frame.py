"""The machinery of the validation: stores that go on, stores that notice, judgements, the shipped table."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import trueerror as te
from validation import (
    bayes_cells,
    clustered_scores,
    count_metrics,
    dependent,
    familywise,
    looking,
    margins,
    running,
    shipping,
    storing,
)
from validation.compared import Answer, Numbers
from validation.frame import Cell, Exact, Line, Procedure, lines, run_block
from validation.judging import ComesUp, Warned, judge
from validation.storing import Store
from validation.warning import warned
from validation.writing import headline, summary


def cell(shift: float = 0.0) -> Cell:
    """The mean of nine normals, with known variance."""

    def apply(sample: float, confidence: float) -> SimpleNamespace:
        return SimpleNamespace(
            estimate=sample, low=sample - 0.6533 + shift, high=sample + 0.6533 + shift, n=9, method="z"
        )

    return Cell(
        family="toy", scenario="nine normals", draw=lambda rng: float(rng.standard_normal(9).mean()),
        procedures=(Procedure("z", apply, target="mean"),), truth={"mean": 0.0}, events={"mean": 9.0},
        confidences=(0.95,), wanted=2_000, block=400,
    )  # fmt: skip


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(storing, "STORE", tmp_path)
    monkeypatch.setattr(Store.__init__, "__defaults__", (tmp_path,))
    monkeypatch.setattr(running, "registry", lambda quick: {cell().key: cell()})
    return tmp_path


def test_a_run_goes_on_where_it_was_stopped(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []

    def counted(unit: Cell, block: int) -> object:
        done.append(block)
        if len(done) == 3:
            raise KeyboardInterrupt
        return run_block(unit, block)

    monkeypatch.setattr(running, "run_block", counted)
    with pytest.raises(KeyboardInterrupt):
        running.run(quick=False, jobs=1)
    (line,) = Store(False).lines(cell())
    assert line.samples == 800
    assert not line.established
    assert "not established" not in line.scenario
    (line,) = running.run(quick=False, jobs=1)
    # 1,200 samples tell that it covers more than 92.5 %: it is not taken to 2,000.
    assert done == [0, 1, 2, 2]
    assert line.samples == 1_200
    assert line.established
    # What is decided is left alone.
    assert running.run(quick=False, jobs=1) == [line]
    assert len(done) == 4
    assert line.rate == pytest.approx(0.95, abs=0.04)
    assert (line.n, line.method) == (9, "z")
    # In one go it is the same.
    whole = run_block(cell(), 0)
    assert whole["z", 0.95].values[0] == 400
    # Limits that know the sampling error are as wide as the oracle's.
    assert line.over_oracle == pytest.approx(1, abs=0.06)
    assert line.spread == pytest.approx(1 / 3, abs=0.02)


def test_a_store_notices_that_the_code_answers_otherwise(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running.run(quick=False, jobs=1)
    store = Store(False)
    assert store.counts(cell())[0] == 3
    # Other code with the same answers: kept. Other answers: gone.
    monkeypatch.setattr(storing, "fingerprint", lambda: "another")
    assert store.counts(cell())[0] == 3
    monkeypatch.setattr(storing, "fingerprint", lambda: "a third")
    assert store.counts(cell(shift=0.1))[0] == 0


def test_the_counts_of_the_last_run_are_read_where_there_is_no_store(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (line,) = running.run(quick=False, jobs=1)
    assert not Store(False, tmp_path / "elsewhere").knows(cell())
    assert Store(False).keep_together([cell()], tmp_path / "counts.jsonl") == 1
    monkeypatch.setattr(storing, "KEPT", tmp_path / "counts.jsonl")
    fresh = Store(False, tmp_path / "elsewhere")
    assert fresh.knows(cell())
    # Seven digits are kept.
    again = [replace(line, **{name: pytest.approx(getattr(line, name)) for name in ("width", "width_error", "spread")})]
    assert fresh.lines(cell()) == again
    assert not Store(True, tmp_path / "elsewhere").knows(cell())
    assert fresh.lines(cell(shift=0.1)) == fresh.lines(cell())  # it is in the store now, by the same code
    assert Store(False, tmp_path / "a third").lines(cell(shift=0.1)) == []


def test_enumerated_parts_are_kept_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [a_line(rate=1 / 3, width=math.nan), a_line(scenario="another", rate=1.0)]
    unit = Exact(family="f", name="two lines", make=lambda: found, probe=lambda: [1.0])
    store = Store(False, tmp_path / "one")
    store.keep_exact(unit, found)
    assert repr(store.lines(unit)) == repr(found)
    assert store.keep_together([unit], tmp_path / "counts.jsonl") == 1
    monkeypatch.setattr(storing, "KEPT", tmp_path / "counts.jsonl")
    first, second = Store(False, tmp_path / "two").lines(unit)
    assert first.rate == pytest.approx(1 / 3)
    unknown = ("below", "above", "width", "width_error", "spread")
    assert second == replace(found[1], **{name: getattr(first, name) for name in unknown})


def test_a_line_is_established_when_more_samples_would_not_change_its_verdict() -> None:
    # Two Monte Carlo errors at 2,000 samples are about .01.
    assert a_line(rate=0.95, samples=2_000).established
    assert a_line(rate=0.89, samples=2_000).established
    assert not a_line(rate=0.94, samples=2_000).established
    assert a_line(rate=0.94, samples=10_000).established
    assert not a_line(rate=1.0, samples=1_500).established
    assert a_line(rate=0.98, samples=500, needed=2_000).established
    assert a_line(rate=0.02, samples=2_000, kind="test").established
    assert not a_line(rate=0.05, samples=4_000, kind="test").established
    # Nothing is claimed of others, of other confidences and of power.
    assert a_line(rate=0.94, samples=2_000, default=False).established
    assert a_line(rate=0.94, samples=2_000, confidence=0.9).established
    assert a_line(rate=0.05, samples=2_000, kind="test", purpose="power").established


def test_warnings_beside_the_wrong_answers_are_told() -> None:
    def test_of(unit: Cell, heard: object) -> str:
        (line,) = lines(unit, run_block(unit, 0))
        return judge([line], warned([replace(unit, heard=heard)], [line]))[0].verdict  # type: ignore[arg-type]

    half_off = replace(cell(shift=0.5), wanted=400)
    assert test_of(half_off, lambda _: []) == "not established"
    established = replace(cell(shift=0.5), block=2_000)
    assert test_of(established, lambda _: []) == "missed"
    assert test_of(established, lambda _: ["TE999"]) == "missed, warned"
    # It is the wrong answers that count: the limits lie too high, so these are the high samples.
    assert test_of(established, lambda x: ["TE999"] if x > 0 else []) == "missed, warned"
    assert test_of(established, lambda x: ["TE999"] if x < 0 else []) == "missed"


def test_no_time_means_no_samples(toy: Path) -> None:
    assert running.run(quick=False, jobs=1, minutes=0) == []


def a_line(**facts: object) -> Line:
    usual = {
        "family": "f", "scenario": "s", "procedure": "p", "kind": "interval", "default": True, "confidence": 0.95,
        "truth": 0.5, "events": 10.0, "rate": 0.95, "samples": 0, "n": 50.0, "method": "wilson", "metric": "m",
    }  # fmt: skip
    return Line(**{**usual, **facts})  # type: ignore[arg-type]


def test_judgements() -> None:
    (fine,) = judge([a_line()], {})
    assert fine.holds
    assert fine.everywhere
    (low,) = judge([a_line(rate=0.92)], {})
    assert not low.holds
    (noisy,) = judge([a_line(rate=0.944, samples=500)], {})
    assert noisy.holds
    assert not noisy.established
    few = a_line(events=1.0, rate=0.7)
    (bare,) = judge([a_line(), few], {})
    assert not bare.holds
    assert "no finding warns" in bare.reasons[0]
    (told,) = judge([a_line(), few], {"f: s": ComesUp(0.97, {"TE101": 0.1, "TE102": 0.9})})
    assert told.holds
    assert not told.everywhere
    assert told.findings == ("TE102",)
    (seldom,) = judge([a_line(), few], {"f: s": ComesUp(0.5, {"TE102": 0.5})})
    assert not seldom.holds
    (test,) = judge([a_line(kind="test", rate=0.06)], {})
    assert test.reasons == ("type I error 0.060",)
    assert judge([a_line(kind="test", rate=0.9, purpose="power")], {}) == []


def several(*rates: float, **facts: object) -> list[Line]:
    return [a_line(scenario=f"s{i}", rate=rate, **facts) for i, rate in enumerate(rates)]


def with_finding(lines: list[Line], code: str = "TE511", share: float = 1.0) -> Warned:
    return {f"f: {line.scenario}": ComesUp(0.0, {code: share}) for line in lines}


def test_a_standing_finding_takes_no_cell_out_of_the_figures() -> None:
    lines = several(0.70, 0.72, 0.75, 0.94)
    (told,) = judge(lines, with_finding(lines))
    assert not told.holds
    assert told.verdict == "missed, warned"
    assert (told.spared, told.standing) == (4, ("TE511",))
    assert told.mean == told.mean_enough == pytest.approx(0.7775)
    assert told.worst == told.worst_anywhere == lines[0]
    assert "missed in 4 of 4 cells, where TE511 warns" in summary(lines, with_finding(lines))


def test_cells_just_below_the_mean_are_not_left_out_of_it() -> None:
    lines = several(*[0.935] * 6, 0.951)
    (told,) = judge(lines, with_finding(lines))
    assert told.verdict == "missed, warned"
    assert told.spared == 6
    assert told.mean_enough == pytest.approx((6 * 0.935 + 0.951) / 7)
    (bare,) = judge(lines, {})
    assert bare.reasons == ("mean coverage 0.937",)
    # One cell without the finding is enough, and so are the others where they do not bear the claim.
    assert judge(lines, with_finding(lines[1:]))[0].verdict == "missed"
    noisy = several(0.80, *[0.942] * 9, samples=10_000)
    assert judge(noisy, with_finding(noisy))[0].verdict == "missed"
    # A cell that is a little low spoils nothing where the claims hold with it.
    assert judge(several(0.94, 0.955), {})[0].verdict == "everywhere"


def test_a_test_that_is_often_wrong_does_not_hold_for_a_finding() -> None:
    lines = several(0.80, 0.05, kind="test")
    (told,) = judge(lines, with_finding(lines))
    assert told.verdict == "missed, warned"
    assert told.spared == 1
    assert told.worst == lines[0]
    (bare,) = judge(lines, with_finding(lines[1:]))
    assert bare.reasons == ("type I error 0.800",)


def test_only_the_standing_finding_itself_excuses() -> None:
    lines = several(0.70, 0.95)
    seldom = {"f: s0": ComesUp(1.0, {"TE101": 1.0, "TE511": 0.3})}
    for there in (seldom, with_finding(lines, "TE101"), with_finding(lines, share=0.89), {}):
        assert judge(lines, there)[0].verdict == "missed"
    assert judge(lines, with_finding(lines, share=0.9))[0].verdict == "missed, warned"


def test_without_five_events_nothing_is_tested() -> None:
    lines = several(0.93, 0.93, 0.93, events=4.3)
    (untested,) = judge(lines, {})
    assert not untested.holds
    assert untested.verdict == "not tested"
    assert math.isnan(untested.mean_enough)
    assert "not tested: no cell has 5 events" in summary(lines, {})
    # What is claimed of few events is tested all the same.
    assert judge(several(0.9, events=4.3), {})[0].verdict == "missed"


def test_the_headline_counts_each_procedure_once() -> None:
    standing = several(0.7, procedure="standing")
    lines = [
        *several(0.95, procedure="fine"), *several(0.95, procedure="few"), *standing,
        a_line(scenario="small", procedure="few", events=1.0, rate=0.7), *several(0.7, procedure="bad", family="g"),
        *several(0.95, procedure="untested", events=1.0), *several(0.95, procedure="begun", samples=500),
        *several(0.5, procedure="begun badly", samples=500),
    ]  # fmt: skip
    there = {**with_finding(standing), "f: small": ComesUp(1.0, {"TE101": 1.0})}
    assert headline(judge(lines, there)) == (
        "7 default procedures: 1 hold over the whole grid, 1 hold wherever 5 events are expected and are warned of "
        "below that, 1 miss in some cells, each with a finding that comes up there (TE511), 1 miss without one; 1 not "
        "tested, since no cell has 5 events; 2 not established yet."
    )


def test_a_cell_that_was_not_reached_leaves_a_procedure_open() -> None:
    there, left = cell(), replace(cell(), scenario="nine others")
    line = a_line(family="toy", scenario=there.scenario, procedure="z")
    assert judge([line], {}, [there])[0].verdict == "everywhere"
    assert judge([line], {}, [there, left])[0].verdict == "not established"
    other = replace(left, procedures=(replace(left.procedures[0], default=False),))
    assert judge([line], {}, [there, other])[0].verdict == "everywhere"
    # A miss stays one.
    assert judge([replace(line, rate=0.7)], {}, [there, left])[0].verdict == "missed"


def test_standing_findings_are_asked_for_where_a_cell_misses() -> None:
    unit = bayes_cells.PLANS.leave_one_out(40)
    low = a_line(family=unit.family, scenario=unit.scenario, rate=0.89)
    assert warned([unit], [low]) == {unit.key: ComesUp(0.0, {"TE510": 1.0})}
    # Where the claim is kept nothing is asked.
    assert warned([unit], [replace(low, rate=0.95)]) == {}


def test_clusters_of_scores_are_seen_with_the_errors_that_were_drawn() -> None:
    rng = np.random.default_rng(1)
    for unit in (clustered_scores.one_model_cell(40, 10, 0.9), clustered_scores.two_models_cell(40, 10, 0.9, 0.9)):
        assert unit.evident is not None
        seen = unit.evident(rng).clusters
        wrong = seen.sums((seen.table.row != seen.table.col).astype(float))
        # About one row in five is called wrong.
        assert 40 < wrong.sum() < 140
        line = a_line(family=unit.family, scenario=unit.scenario, events=4.3, rate=0.9)
        assert warned([unit], [line])[unit.key].about_size == 0


def test_small_tables_are_warned_of() -> None:
    unit = count_metrics.random_rows("f", "1% positive", count_metrics.two(0.01, 0.7, 0.95), 100, ("kappa",))
    (found,) = warned([unit], [a_line(scenario=unit.scenario, events=0.7, rate=0.5)]).values()
    assert found.about_size > 0.9
    assert found.about_size >= max(found.each.values()) >= found.each["TE102"] > 0.5


def test_shipped_rows_are_established_single_places() -> None:
    kept = a_line()
    left = [
        a_line(samples=500), a_line(scenario="mean over p"), a_line(scenario="n = 9, least"), a_line(method="no such"),
        a_line(undefined=0.6), a_line(n=math.nan), a_line(kind="test", purpose="power"),
    ]  # fmt: skip
    assert shipping.rows([kept, *left]) == [["wilson", "m", "interval", 0.95, 50.0, 0.5, 0.95, 0, "s"]]


def test_the_shipped_file_is_written_as_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "SHIPPED", tmp_path / "coverage.json")
    assert shipping.ship([a_line()]) == 1
    read = json.loads((tmp_path / "coverage.json").read_text())
    assert read["columns"] == list(shipping.COLUMNS)


def test_pairs_have_the_p_values_of_compare() -> None:
    rng = np.random.default_rng(5)
    unit = familywise.pairs_cell(3, 120, 0.8, 0.5)
    p = unit.draw(np.random.default_rng(5))
    hard = math.sqrt(0.5) * rng.standard_normal(120)
    right = hard + math.sqrt(0.5) * rng.standard_normal((3, 120)) < 0.8416212335729143
    truth = np.arange(120) % 2
    made = te.compare(truth, {f"m{i}": np.where(ok, truth, 1 - truth) for i, ok in enumerate(right)})
    assert sorted(c.p_value for c in made.pairs) == pytest.approx(sorted(p))
    adjusted = {q.name: q.apply for q in unit.procedures}["Holm"]
    assert adjusted(p, 0.05) == any((c.p_adjusted or 1.0) <= 0.05 for c in made.pairs)


def test_looking_is_a_walk_over_counts() -> None:
    # A test that rejects as soon as one side is three ahead: ±3 within four steps, 2·(1/8 + 3/16·…) by hand.
    found = looking.ever_rejected(lambda b, c: abs(b - c) >= 3, 0.5, 5)
    assert found.tolist() == pytest.approx([0, 0, 0.25, 0.25, 0.4375])


def test_margins_hold_by_enumeration() -> None:
    lines = list(margins.lines_of_size(30))
    assert max(line.rate for line in lines if line.purpose == "level") <= 0.055
    assert all(line.method.startswith("tango-") for line in lines)


def test_every_table_is_counted_once() -> None:
    assert len(count_metrics.every_table(6)) == math.comb(9, 3)
    assert (count_metrics.every_table(6).sum(axis=(1, 2)) == 6).all()


def test_enumeration_agrees_with_simulation() -> None:
    small = count_metrics.enumerated(8, (0.95,), rivals=False)
    exact = {(x.scenario, x.procedure): x for x in small.make()}
    words = "50% positive, sensitivity 0.7, specificity 0.95"
    drawn = count_metrics.random_rows("f", words, count_metrics.SCENARIOS[words], 8, ("f1", "balanced_accuracy"))
    counts = run_block(replace(drawn, block=2_000, confidences=(0.95,)), 0)
    for metric in ("f1", "balanced_accuracy"):
        samples, undefined, _, below, above, *_ = counts[metric, 0.95].values
        line = exact[f"{words}, n = 8", metric]
        assert 1 - (below + above) / (samples - undefined) == pytest.approx(line.rate, abs=0.03)
        assert undefined / samples == pytest.approx(line.undefined, abs=0.02)


def test_names_are_unique_and_every_family_is_in_a_quick_run() -> None:
    for quick in (True, False):
        units = running.registry(quick=quick)
        assert all(key == unit.key for key, unit in units.items())
        assert any(isinstance(unit, Exact) for unit in units.values())


@pytest.mark.parametrize(
    "drawn",
    [dependent.unequal_cell("lognormal sizes (sd 1)", 20, "f1"), clustered_scores.two_models_cell(12, 10, 0.8, 0.8)],
    ids=lambda drawn: drawn.family,
)
def test_numbers_are_those_of_the_public_call(drawn: Cell, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[te.Predictions, str, int]] = []
    made = Numbers.__init__

    def noted(self: Numbers, rows: te.Predictions, metric: str, replicates: int = 10_000) -> None:
        given.append((rows, metric, replicates))
        made(self, rows, metric, replicates)

    monkeypatch.setattr(Numbers, "__init__", noted)
    rng = np.random.default_rng(8)
    for _ in range(10):
        sample = drawn.draw(rng)
        rows, metric, replicates = given[-1]
        public = te.compare(rows, metric=metric, replicates=replicates)
        assert sample.at(0.95) == Answer(*(getattr(public.pairs[0], field) for field in Answer._fields))
        own, shown = sample.own(0.95), public.estimates["a"]
        assert (own.estimate, own.low, own.high, own.method) == (shown.estimate, shown.low, shown.high, shown.method)
