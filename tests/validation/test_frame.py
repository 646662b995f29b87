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
from validation import bayes_cells, count_metrics, familywise, looking, margins, running, shipping, storing
from validation.frame import Cell, Exact, Line, Procedure, run_block
from validation.judging import judge
from validation.storing import Store
from validation.warning import warned
from validation.writing import summary


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
    assert done == [0, 1, 2, 2, 3, 4]
    assert line.samples == 2_000
    assert line.established
    assert line.rate == pytest.approx(0.95, abs=0.04)
    assert (line.n, line.method) == (9, "z")
    # In one go it is the same.
    whole = run_block(cell(), 0)
    assert whole["z", 0.95].values[0] == 400


def test_a_store_notices_that_the_code_answers_otherwise(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running.run(quick=False, jobs=1)
    store = Store(False)
    assert store.counts(cell())[0] == 5
    # Other code with the same answers: kept. Other answers: gone.
    monkeypatch.setattr(storing, "fingerprint", lambda: "another")
    assert store.counts(cell())[0] == 5
    monkeypatch.setattr(storing, "fingerprint", lambda: "a third")
    assert store.counts(cell(shift=0.1))[0] == 0


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
    (told,) = judge([a_line(), few], {"f: s": (0.97, "TE102")})
    assert told.holds
    assert not told.everywhere
    assert told.findings == ("TE102",)
    (seldom,) = judge([a_line(), few], {"f: s": (0.5, "TE102")})
    assert not seldom.holds
    (test,) = judge([a_line(kind="test", rate=0.06)], {})
    assert test.reasons == ("type I error 0.060",)
    assert judge([a_line(kind="test", rate=0.9, purpose="power")], {}) == []


def test_cells_that_miss_are_spared_where_a_finding_always_warns() -> None:
    unit = bayes_cells.PLANS.leave_one_out(40)
    low = a_line(family=unit.family, scenario=unit.scenario, rate=0.89)
    there = warned([unit], [low])
    assert there == {unit.key: (1.0, "TE510")}
    fine = a_line(family=unit.family, scenario="another")
    (told,) = judge([low, fine], there)
    assert told.holds
    assert not told.everywhere
    assert (told.spared, told.mean_enough) == (1, 0.95)
    assert "holds in 1 of 2 cells; in the others TE510 warns" in summary([low, fine], there)
    # Cells in which it does not come up are judged as ever, and so are all without the finding.
    assert not judge([low, replace(fine, rate=0.89)], there)[0].holds
    assert not judge([low], {})[0].holds
    wrong = replace(low, kind="test", rate=0.2)
    (test,) = judge([wrong], there)
    assert test.holds
    assert not judge([wrong], {})[0].holds
    # Where the claim is kept nothing is asked.
    assert warned([unit], [replace(low, rate=0.95)]) == {}


def test_small_tables_are_warned_of() -> None:
    unit = count_metrics.random_rows("f", "1% positive", count_metrics.two(0.01, 0.7, 0.95), 100, ("kappa",))
    (found,) = warned([unit], [a_line(scenario=unit.scenario, events=0.7, rate=0.5)]).values()
    assert found[0] > 0.9
    assert "TE10" in found[1]


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
