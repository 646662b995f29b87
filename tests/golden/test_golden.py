"""What users see stays as it was: JSON to 1e-8, words to the letter. A change is meant, named in the changelog, and
frozen anew by `python -m tests.golden.make`."""

import json
import math
import re
from pathlib import Path

import pytest

from tests.golden.cases import families, frozen
from tests.golden.sweeps import figures_of, sweeps

HERE = Path(__file__).parent
FAMILIES = ("intervals", "methods", "comparisons", "evaluations", "verbs", "curves", "learners", "graded", "sources")


# A float with all its digits, as JSON in a terminal has it: the last one differs between processors.
LONG = re.compile(r"-?\d+\.\d{9,}(?:e[+-]?\d+)?")


def differences(was, now, path=""):
    """Where two JSON values differ, floats by more than 1e-8, to which the t of all versions of SciPy agrees."""
    if isinstance(was, float | int) and isinstance(now, float | int) and not isinstance(was, bool):
        return [] if math.isclose(was, now, rel_tol=1e-8, abs_tol=1e-12) else [f"{path}: {was} is now {now}"]
    if isinstance(was, dict) and isinstance(now, dict):
        keys = [*was, *(k for k in now if k not in was)]
        return [d for k in keys for d in differences(was.get(k, "absent"), now.get(k, "absent"), f"{path}.{k}")]
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        return [d for i, (a, b) in enumerate(zip(was, now, strict=True)) for d in differences(a, b, f"{path}[{i}]")]
    if isinstance(was, str) and isinstance(now, str) and LONG.split(was) == LONG.split(now):
        pairs = zip(LONG.findall(was), LONG.findall(now), strict=True)
        return [d for a, b in pairs for d in differences(float(a), float(b), path)]
    return [] if was == now else [f"{path}: {was!r} is now {now!r}"]


KEPT = {family: json.loads((HERE / f"{family}.json").read_text(encoding="utf-8")) for family in FAMILIES}


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    return {family: dict(some) for family, some in families(tmp_path_factory.mktemp("golden")).items()}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_case_is_frozen(family, cases):
    assert sorted(KEPT[family]) == sorted(cases[family])


@pytest.mark.parametrize(("family", "name"), [(family, name) for family, kept in KEPT.items() for name in kept])
@pytest.mark.filterwarnings("ignore")
def test_results_are_as_they_were_frozen(family, name, cases):
    now = json.loads(json.dumps(frozen(cases[family][name])))
    told = differences(KEPT[family][name], now)
    assert not told, "\n".join(told[:40])


TOGETHER = 8
FIGURES = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((HERE / "figures").glob("*.json"))
}
SOME = [
    (family, list(held)[i : i + TOGETHER]) for family, held in FIGURES.items() for i in range(0, len(held), TOGETHER)
]


@pytest.fixture(scope="module")
def swept():
    return {family: dict(some) for family, some in sweeps().items()}


def test_every_sweep_is_frozen(swept):
    assert {family: sorted(held) for family, held in FIGURES.items()} == {k: sorted(v) for k, v in swept.items()}


@pytest.mark.parametrize(("family", "names"), SOME, ids=[f"{family}-{names[0]}" for family, names in SOME])
@pytest.mark.filterwarnings("ignore")
def test_figures_are_as_they_were_frozen(family, names, swept):
    now = {name: figures_of(swept[family][name]) for name in names}
    told = differences({name: FIGURES[family][name] for name in names}, now)
    assert not told, "\n".join(told[:40])
