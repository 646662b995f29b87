"""What users see stays as it was: JSON to 1e-9, words to the letter. A change is meant, named in the changelog, and
frozen anew by `python -m tests.golden.make`."""

import json
import math
import re
import warnings
from pathlib import Path

import pytest

from tests.golden.cases import families, frozen

HERE = Path(__file__).parent
FAMILIES = ("intervals", "methods", "comparisons", "evaluations", "verbs", "curves", "learners", "graded", "sources")


# A float with all its digits, as JSON in a terminal has it: the last one differs between processors.
LONG = re.compile(r"-?\d+\.\d{9,}(?:e[+-]?\d+)?")


def differences(was, now, path=""):
    """Where two JSON values differ, floats by more than 1e-9."""
    if isinstance(was, float | int) and isinstance(now, float | int) and not isinstance(was, bool):
        return [] if math.isclose(was, now, rel_tol=1e-9, abs_tol=1e-12) else [f"{path}: {was} is now {now}"]
    if isinstance(was, dict) and isinstance(now, dict):
        keys = [*was, *(k for k in now if k not in was)]
        return [d for k in keys for d in differences(was.get(k, "absent"), now.get(k, "absent"), f"{path}.{k}")]
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        return [d for i, (a, b) in enumerate(zip(was, now, strict=True)) for d in differences(a, b, f"{path}[{i}]")]
    if isinstance(was, str) and isinstance(now, str) and LONG.split(was) == LONG.split(now):
        pairs = zip(LONG.findall(was), LONG.findall(now), strict=True)
        return [d for a, b in pairs for d in differences(float(a), float(b), path)]
    return [] if was == now else [f"{path}: {was!r} is now {now!r}"]


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    return families(tmp_path_factory.mktemp("golden"))


@pytest.mark.parametrize("family", FAMILIES)
def test_results_are_as_they_were_frozen(family, cases):
    kept = json.loads((HERE / f"{family}.json").read_text(encoding="utf-8"))
    assert sorted(kept) == sorted(name for name, _ in cases[family])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        now = {name: json.loads(json.dumps(frozen(call))) for name, call in cases[family]}
    changed = {name: differences(kept[name], now[name]) for name in kept}
    told = [f"{name}{line}" for name, lines in changed.items() for line in lines]
    assert not told, "\n".join(told[:40])
