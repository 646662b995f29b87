"""What the claims hold the library against: the same metrics, by formulas of their own, and limits of textbooks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from trueerror.inference._metric_interval import metric_interval
from trueerror.inference.auc._tests import delong
from trueerror.tallies import ScoreTable
from validation import designs
from validation.asking import as_sample
from validation.claimed import MEASURED, facts
from validation.claims import Claim, every_claim
from validation.textbook import Question, Rows, intervals, paired_p, units

CLAIMS = every_claim()


@pytest.mark.parametrize("key", [key for key, c in CLAIMS.items() if c.kind in ("one", "pair", "apart")])
def test_facts_are_of_the_metric_that_the_library_computes(key: str) -> None:
    c = CLAIMS[key]
    drawn = c.draw(np.random.default_rng(3))
    sample = as_sample(drawn)
    for q in c.questions:
        if isinstance(drawn, Rows) and c.kind == "one":
            ours, theirs = units(q, drawn).value, sample.interval(q).estimate
        elif isinstance(drawn, Rows):
            ours, theirs = units(q, drawn, 0).value - units(q, drawn, 1).value, sample.pair(q).estimate
        else:
            ours, theirs = units(q, drawn[0]).value - units(q, drawn[1]).value, sample.apart(q).estimate
        assert theirs == pytest.approx(ours, abs=1e-9), q


def known(c: Claim) -> bool:
    return all(facts(c.key, q.metric).sd > 0 for q in c.questions)


def test_every_claim_with_limits_has_its_facts() -> None:
    assert all(known(c) for c in CLAIMS.values() if c.kind in MEASURED)


def test_what_rows_add_is_the_derivative_of_the_metric() -> None:
    rows = designs.binormal((0.8,), 60, 0.4, levels=6)(np.random.default_rng(1))
    for q in (Question("auc"), Question("average_precision")):
        made = units(q, rows)
        assert made.adds.sum() == pytest.approx(0, abs=1e-12)
        # One more row like row i, as a thousandth of all rows repeated.
        for i in (0, 7, 31):
            more = Rows(
                np.append(np.tile(rows.y, 1000), rows.y[i]), (np.append(np.tile(rows.said[0], 1000), rows.said[0][i]),)
            )
            assert (units(q, more).value - made.value) * 1000 == pytest.approx(made.adds[i], abs=2e-4)


def test_textbook_limits_are_those_of_the_library_by_name() -> None:
    rows = designs.binormal((0.9, 0.85), 120, 0.4)(np.random.default_rng(2))
    made = intervals(Question("auc"), rows)[1]["Newcombe 5"]
    found = metric_interval("auc", ScoreTable.count(rows.y == 1, rows.said[0]), method="newcombe")
    assert made == pytest.approx((found.low, found.high), abs=1e-9)
    theirs = delong(rows.y == 1, *rows.said, reference="t").p_value
    assert math.log(paired_p(Question("auc"), rows)) == pytest.approx(math.log(theirs), abs=0.05)
