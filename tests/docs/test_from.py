"""Tables of equivalents: our lines run, Python peers give the same numbers, figures are measured ones."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from build import DOCS

ROOT = DOCS.parent
PAGES = sorted(p.stem for p in (DOCS / "from").glob("*.md") if p.stem != "index")
ROW = re.compile(r"^\| (?:`([^`]+)`|[^|]+) \| `([^`]+)` \|$", re.MULTILINE)
# How the left column of a page is imported, where it is Python and is installed for development.
IMPORTS = {
    "scikit-learn": (
        "from sklearn.metrics import *\nfrom sklearn.calibration import calibration_curve\n"
        "from sklearn.model_selection import cross_val_score, learning_curve\nfrom sklearn.dummy import DummyClassifier"
    ),
    "statsmodels": (
        "from statsmodels.stats.proportion import proportion_confint, confint_proportions_2indep, proportions_ztest\n"
        "from statsmodels.stats.contingency_tables import mcnemar, cochrans_q, SquareTable\n"
        "from statsmodels.stats.multitest import multipletests"
    ),
    "mlxtend": "from mlxtend.evaluate import mcnemar, mcnemar_table, cochrans_q",
}


def lines(page: str) -> list[tuple[str, str]]:
    text = (DOCS / "from" / f"{page}.md").read_text(encoding="utf-8")
    return [(theirs, ours) for theirs, ours in ROW.findall(text)]


def names_of(page: str) -> dict[str, Any]:
    """What the page's own code defines."""
    text = (DOCS / "from" / f"{page}.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    exec(re.search(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1], names)  # type: ignore[index]
    return names


def number(value: Any) -> Any:
    """A number or an array of numbers, else None."""
    if isinstance(value, np.ndarray):
        return value if value.dtype.kind in "iuf" else None
    return float(value) if isinstance(value, int | float | np.number) else None


@pytest.mark.parametrize("page", PAGES)
def test_every_line_runs_and_says_something(page: str) -> None:
    names = names_of(page)
    found = lines(page)
    assert len(found) >= 6
    for _, ours in found:
        made = eval(ours, names)
        assert made is not None, ours
        assert str(made), ours


@pytest.mark.parametrize("page", IMPORTS)
def test_the_same_numbers_where_both_give_numbers(page: str) -> None:
    names = names_of(page)
    exec(IMPORTS[page], names)
    compared = 0
    for theirs, ours in lines(page):
        if not theirs:
            continue
        a, b = number(eval(theirs, names)), number(eval(ours, names))
        if a is not None and b is not None:
            np.testing.assert_allclose(a, b, rtol=2e-6, atol=1e-9, err_msg=theirs)
            compared += 1
    assert compared >= 4


# What R 4.2.2 with pROC 1.18.0 prints for the arrays of its page, with options(digits=10).
PROC = {
    "te.roc(y, score).auc().estimate": 0.8031295028,  # auc(r)
    'te.roc(y, score).auc(method="delong").low': 0.7617839298,  # ci.auc(r)
    'te.roc(y, score).auc(method="delong").high': 0.8444750757,
    "te.significance.delong_unpaired(y, score, y, rival).p_value": 0.05042462344,  # roc.test(r1, r2, paired=FALSE)
    "te.roc(y, score).partial_auc(0, 0.1).estimate": 0.04037261,  # auc(r, partial.auc=c(1, 0.9))
    "te.roc(y, score).at(threshold=0.5).tpr": 0.7104072398,  # coords(r, 0.5)
    "1 - te.roc(y, score).at(threshold=0.5).fpr": 0.6648044693,
    "te.roc(y, score).best_threshold().tpr": 0.7692307692,  # coords(r, "best")
    "1 - te.roc(y, score).best_threshold().fpr": 0.6536312849,
}


def test_the_numbers_of_proc() -> None:
    names = names_of("proc")
    for ours, theirs in PROC.items():
        assert eval(ours, names) == pytest.approx(theirs, rel=2e-7), ours
    # Student's t instead of the normal: a little larger, and no more than that.
    assert names["te"].significance.delong(names["y"], names["score"], names["rival"]).p_value == pytest.approx(
        0.04628877381, abs=0.001
    )


def test_figures_of_promises_are_the_measured_ones() -> None:
    measured = (ROOT / "benchmarks" / "PROMISES.md").read_text(encoding="utf-8")
    speed = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    for page in PAGES:
        why = (DOCS / "from" / f"{page}.md").read_text(encoding="utf-8").split("## Why not just use it?")[1]
        for figure in re.findall(r"(?<![\w.])\d\.\d{3}\b(?!\.)|\[\d\.\d\d, \d\.\d\d\]", why):
            assert figure in measured, f"{page}: {figure}; run python -m benchmarks.promises --write"
        for figure in re.findall(r"\d[\d.]* (?:ms|s)\b", why):
            assert figure in speed, f"{page}: {figure}; run make bench"
        for package, told in re.findall(r"(scikit-learn|mlxtend|statsmodels|autorank|pROC) (\d+\.\d+\.\d+)", why):
            assert f"{package} {told}" in measured, page
