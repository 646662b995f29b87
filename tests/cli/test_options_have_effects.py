"""An option of a command changes what it answers, or is refused: every command × every option.

`COMMANDS_RUN` has a command line that works for each command, `OTHER` another value for each option (`HERE` for one
command). A new command or option without an entry fails.
"""

from __future__ import annotations

import contextlib
import inspect
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

from trueerror.cli._app import COMMANDS, command_of

N = 90
DRAWN = np.random.default_rng(3)
TRUTH = (DRAWN.random(N) < 0.4).astype(int)
A, B = (np.clip(0.5 + k * (TRUTH - 0.5) + DRAWN.normal(size=N) * 0.2, 0, 1).round(2) for k in (0.7, 0.3))
SEEN = np.argsort((A >= 0.5) == TRUTH).argsort()  # the wrong answers of `a` come first
LINES = ["y,a,b,c,g,w,k,t"] + [
    f"{TRUTH[i]},{A[i]},{B[i]},{int(B[i] >= 0.5)},{i % 3},{i % 4 + 1},r{i},{SEEN[i]}" for i in range(N)
]
FOLDED = ["dataset,learner,fold,accuracy,other"] + [
    f"d{d},{m},{f},{0.7 + 0.01 * d + 0.02 * k + 0.005 * ((f * 7 + d * 3 + k) % 5):.3f},{0.5 + 0.1 * k + 0.01 * d}"
    for d in range(5) for k, m in enumerate("pq") for f in range(4)
]  # fmt: skip
USUAL: dict[str, Any] = {"truth": "y", "models": ["a", "b"], "id": "none", "cluster": "none", "weight": "none"}
COMMANDS_RUN: dict[str, dict[str, Any]] = {
    "interval": {"counts": ["30/40"]},
    "difference": {"first": "30/40", "second": "20/40"},
    "critical": {},
    "power": {"n": 100, "first": 0.8, "second": 0.7, "disagreement": 0.3},
    "sample-size": {"first": 0.8, "second": 0.7, "disagreement": 0.3},
    "evaluate": {"file": "rows.csv", **USUAL},
    "repeats": {"file": ["rows.csv"], "grade": "c", "ids": "g"},
    "compare": {"file": ["rows.csv"], **USUAL},
    "report": {"file": "rows.csv", "page": Path("page.html"), **USUAL},
    "plot": {"file": "rows.csv", "picture": Path("page.svg"), **USUAL},
    "hull": {"file": "rows.csv", **USUAL},
    "check": {"file": "rows.csv", **USUAL},
    "gate": {"files": ["rows.csv"], "baseline": "b", **USUAL},
    "rank": {"file": "folds.csv", "value": "accuracy"},
    "folds": {"given": ["two.csv"]},
    "arena": {"file": "battles.csv"},
    "agreement": {"file": "raters.csv"},
    "ppi": {"file": "few.csv", "human": ["human"], "judge": ["judge"]},
    "label-plan": {"file": "few.csv", "judge": "score", "budget": 30},
    "schema": {"of": "gate"},
    "demo": {"page": Path("page.html")},
}
OTHER: dict[str, Any] = {
    "confidence": 0.8, "method": "exact", "side": "lower", "alternative": "greater", "form": "json", "explain":
    True, "first": 0.85, "second": 0.65, "disagreement": 0.25, "prevalence": 0.3, "icc": 0.1, "cluster_size": 5.0,
    "margin": 0.1, "alpha": 0.1, "correlation": 0.3, "sd": 1.0, "power": 0.9, "accuracy": 0.9, "half_width": 0.05,
    "test": "two-proportions", "n": 200, "truth": "c", "models": ["a"], "score": ["a"], "positive": "0", "id": "k",
    "cluster": "g", "by": "g", "fold": "g", "repeat": "g", "weight": "w", "weights_kind": "frequency", "missing":
    "ignore", "threshold": 0.6, "metric": ["recall"], "prior": 0.2, "costs": "[[0, 1], [5, 0]]", "cost_fp": 3.0,
    "cost_fn": 5.0, "design": "case-control", "seed": 7, "ignore": ["TE101", "TE102", "TE103", "TE202"], "columns":
    True, "reference": "b", "adjust": "bonferroni", "title": "Another", "kind": "pr", "how": "pooled", "band":
    "pointwise", "fail_on": "warning", "training": "rows.csv", "baseline": "c", "at_least": ["0.5"],
    "sequential": True, "unpaired": True, "model": "b", "counts": True, "other_file": "rows.csv", "dataset":
    "learner", "learner": "dataset", "value": "other", "lower": True, "rope": 0.05, "test_train_ratio": 0.5,
    "out_of": 40, "repeats": 2, "df": [9.0], "gap": ["recall"], "grade": ["a"], "scale": "0,2", "k": [3],
    "cost_ratio": 20.0, "point": ["p=0.2,0.9"], "color": "always", "time": "t", "names": "y,a,b,c,g,w,k,t",
}  # fmt: skip
OTHER |= {"rng": 7, "metrics": ["recall"], "right": ["a"], "right_from": 0.5, "table": "rows"}
CLUSTERED = {"icc_right": 0.4, "icc_between": 0.3, "cluster_size": 5.0}
NO_ROWS: dict[str, Any] = dict.fromkeys(("file", *USUAL))
ONE_MATRIX = {**NO_ROWS, "matrix": ["150 40 60 250"]}
TWO_MATRICES = {**NO_ROWS, "matrix": ["a=150 40 60 250", "b=140 50 60 250"]}
HERE: dict[tuple[str, str], tuple[dict[str, Any], Any]] = {
    ("interval", "method"): ({}, "wald"),
    ("interval", "out_of"): ({"counts": ["30"], "out_of": 40}, 50),
    ("difference", "method"): ({}, "newcombe"),
    ("critical", "confidence"): ({}, [0.8]),
    ("power", "icc_right"): (CLUSTERED, 0.5),
    ("power", "icc_between"): (CLUSTERED, 0.2),
    ("sample-size", "icc_right"): (CLUSTERED, 0.5),
    ("sample-size", "icc_between"): (CLUSTERED, 0.2),
    ("power", "test"): ({"disagreement": None}, "two-proportions"),
    ("power", "power"): ({"first": None}, 0.9),
    ("sample-size", "test"): ({"disagreement": None}, "two-proportions"),
    ("evaluate", "models"): ({}, ["a"]),
    ("evaluate", "method"): ({}, "wald"),
    ("evaluate", "rng"): ({"metrics": ["mcc"], "method": "bootstrap-percentile"}, 7),
    ("evaluate", "weights_kind"): ({"weight": "w", "weights_kind": "frequency"}, "sampling"),
    ("evaluate", "ignore"): ({"models": ["c"], "cluster": "g"}, ["TE204"]),
    ("evaluate", "id"): ({}, "g"),
    ("evaluate", "gap"): ({"by": "g"}, ["recall"]),
    ("evaluate", "matrix"): (ONE_MATRIX, ["150 40 70 240"]),
    ("evaluate", "labels"): (ONE_MATRIX, "no yes"),
    ("compare", "counts"): ({**NO_ROWS, "file": ["both=80", "a=12", "b=3", "neither=5"], "counts": True}, False),
    ("compare", "marginals"): ({**NO_ROWS, "file": ["a=450/500", "b=420/500"], "marginals": True}, False),
    ("compare", "agreement"): ({**NO_ROWS, "file": ["a=450/500", "b=420/500"], "marginals": True}, 0.9),
    ("compare", "matrix"): (TWO_MATRICES, ["a=150 40 70 240", "b=150 40 60 250"]),
    ("compare", "labels"): ({**TWO_MATRICES, "positive": None, "form": "json"}, "no yes"),
    ("compare", "id"): ({}, "g"),
    ("compare", "metric"): ({}, "auc"),
    ("compare", "rng"): ({"method": "bootstrap", "form": "json"}, 7),
    ("compare", "reference"): ({"models": ["a", "b", "c"]}, "b"),
    ("compare", "adjust"): ({"models": ["a", "b", "c"]}, "none"),
    ("compare", "ignore"): ({"models": ["a", "b", "c"]}, ["TE406"]),
    ("compare", "weights_kind"): ({"weight": "w", "weights_kind": "frequency"}, "sampling"),
    ("compare", "pairs"): ({"models": ["a", "b", "c"]}, True),
    ("demo", "open_it"): ({}, True),
    ("report", "open_it"): ({}, True),
    ("report", "metric"): ({}, "recall"),
    ("report", "ignore"): ({"cluster": "g"}, ["TE204"]),
    ("report", "id"): ({}, "g"),
    ("report", "rng"): ({"metric": "mcc"}, 7),
    ("plot", "metric"): ({"kind": "forest"}, "recall"),
    ("plot", "confidence"): ({"kind": "forest"}, 0.8),
    ("plot", "prior"): ({}, 0.1),
    ("plot", "costs"): ({"kind": "forest"}, "[[0, 1], [5, 0]]"),
    ("plot", "threshold"): ({"kind": "forest"}, 0.7),
    ("plot", "cluster"): ({"kind": "forest"}, "g"),
    ("plot", "time"): ({"kind": "forest"}, "t"),
    ("plot", "id"): ({}, "g"),
    ("plot", "how"): ({"fold": "g"}, "threshold"),
    ("plot", "rng"): ({"band": "simultaneous"}, 7),
    ("hull", "matrix"): ({}, ["m=150 40 60 250"]),
    ("hull", "labels"): ({"matrix": ["m=150 40 60 250"], "form": "json"}, "no yes"),
    ("hull", "seed"): ({"prior": 0.4, "form": "json"}, 7),
    ("hull", "weights_kind"): ({"prior": 0.4, "weight": "w", "weights_kind": "frequency"}, "sampling"),
    ("hull", "cluster"): ({"form": "json"}, "g"),
    ("hull", "time"): ({"form": "json"}, "t"),
    ("hull", "id"): ({}, "g"),
    ("check", "id"): ({}, "g"),
    ("check", "ignore"): ({"cluster": "g"}, ["TE204"]),
    ("check", "fail_on"): ({"cluster": "g", "models": ["c"]}, "warning"),
    ("gate", "adjust"): ({"metric": ["recall", "specificity"]}, "none"),
    ("gate", "margin"): ({}, ["0.1"]),
    ("gate", "id"): ({}, "g"),
    ("gate", "models"): ({}, ["c"]),
    ("gate", "model"): ({"models": ["a", "b", "c"], "model": "a"}, "c"),
    ("gate", "baseline"): ({"models": ["a", "b", "c"], "model": "a"}, "c"),
    ("gate", "rng"): ({"metric": ["mcc"], "form": "json"}, 7),
    ("gate", "weights_kind"): ({"weight": "w", "weights_kind": "frequency"}, "sampling"),
    ("repeats", "grade"): ({}, "a"),
    ("repeats", "ids"): ({}, "w"),
    ("repeats", "clusters"): ({"ids": "k"}, "g"),
    ("repeats", "method"): ({}, "t"),
    ("rank", "reference"): ({"file": "three.csv", "value": None}, "q"),
    ("rank", "adjust"): ({"file": "three.csv", "value": None}, "bonferroni"),
    ("rank", "method"): ({}, "nemenyi"),
    ("rank", "rng"): ({"rope": 0.01, "form": "json"}, 7),
    ("rank", "test_train_ratio"): ({"form": "json"}, 0.9),
    ("rank", "ignore"): ({}, ["TE507"]),
    ("rank", "repeat"): ({}, "other"),
    ("rank", "fold"): ({}, "other"),
    ("rank", "family"): ({}, "dataset"),
    ("rank", "dataset"): ({}, "fold"),
    ("rank", "learner"): ({}, "fold"),
    ("folds", "first"): ({}, "q"),
    ("folds", "second"): ({}, "p"),
    ("arena", "model_a"): ({}, "third"),
    ("arena", "model_b"): ({}, "third"),
    ("arena", "winner"): ({}, "other"),
    ("arena", "battle"): ({}, "g"),
    ("arena", "model"): ({"file": "long.csv"}, "who"),
    ("arena", "score"): ({"file": "long.csv"}, "points"),
    ("arena", "cluster"): ({}, "g"),
    ("arena", "ties"): ({}, "half"),
    ("arena", "position"): ({"form": "json"}, True),
    ("arena", "anchor"): ({}, "x=1500"),
    ("arena", "penalised"): ({}, True),
    ("arena", "adjust"): ({}, "none"),
    ("arena", "picture"): ({}, Path("page.svg")),
    ("agreement", "method"): ({}, "fleiss"),
    ("ppi", "human"): ({}, ["grade"]),
    ("ppi", "judge"): ({}, ["score"]),
    ("ppi", "strata"): ({}, "g"),
    ("ppi", "inclusion"): ({}, "chance"),
    ("ppi", "bounds"): ({}, "0,2"),
    ("ppi", "method"): ({}, "classical"),
    ("ppi", "power"): ({"method": "ppi++"}, 0.9),
    ("label-plan", "judge"): ({}, "judge"),
    ("label-plan", "budget"): ({}, 40),
    ("label-plan", "human"): ({}, "human"),
    ("label-plan", "method"): ({}, "active"),
    ("label-plan", "mix"): ({"method": "active", "form": "json"}, 0.7),
    ("label-plan", "rows"): ({}, Path("page.csv")),
    ("label-plan", "seed"): ({"form": "json"}, 7),
    ("agreement", "level"): ({}, "ordinal"),
    ("agreement", "weights"): ({}, "linear"),
    ("agreement", "labels"): ({}, "1,2,3,4"),
    ("agreement", "raters"): ({}, ["ann", "bob"]),
    ("agreement", "item"): ({"file": "ratings.csv"}, "other"),
    ("agreement", "rater"): ({"file": "ratings.csv"}, "other"),
    ("agreement", "label"): ({"file": "ratings.csv"}, "second"),
}
# What cannot be seen in an answer, and why.
UNSEEN = {
    "budget": "only tables beyond it show it", "page": "where the answer goes", "picture": "where the answer goes",
    "check by": "each slice has an evaluation of its own", "check fold": "where nothing is wrong with folds",
    "check threshold": "findings of these rows stand at any threshold",
    "check positive": "findings of these rows are of both classes",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("commands")
    (place / "rows.csv").write_text("\n".join(LINES))
    (place / "folds.csv").write_text("\n".join(FOLDED))
    scores = ["dataset,p,q,r"] + [f"d{i},{0.8 + i / 90},{0.75 + i / 100},{0.82 - i / 70}" for i in range(7)]
    folded = ["fold,p,q"] + [f"{i},{0.8 + (i * 7 % 5) / 90:.4f},{0.78 + (i * 3 % 4) / 80:.4f}" for i in range(12)]
    (place / "two.csv").write_text("\n".join(folded))
    (place / "three.csv").write_text("\n".join(scores))
    graded = [(i, 1 + i % 3, 1 + (i + i // 7 % 2) % 3, 1 + (i + i // 5 % 2) % 3) for i in range(40)]
    (place / "raters.csv").write_text("\n".join(["item,ann,bob,eve", *(",".join(map(str, row)) for row in graded)]))
    met = [("xyz"[i % 3], "xyz"[(i + 1 + i % 2) % 3], ("model_a", "model_b", "tie", "model_a")[i * 7 % 11 % 4])
           for i in range(N)]  # fmt: skip
    rows = [f"{a},{b},{w},{'model_b' if i < 30 else 'model_a'},{i // 6},{'w' if i < 45 else 'v'}"
            for i, (a, b, w) in enumerate(met)]  # fmt: skip
    (place / "battles.csv").write_text("\n".join(["model_a,model_b,winner,other,g,third", *rows]))
    long = [f"{i // 2},{'xyyz'[i % 4]},{i * 7 % 5},{i * 5 % 7},{'pq'[i % 2]}" for i in range(120)]
    (place / "long.csv").write_text("\n".join(["battle,model,score,points,who", *long]))
    known = [f"{TRUTH[i]},{(i % 5) / 4}" if i < 60 else "," for i in range(N)]
    few = [f"{int(A[i] >= 0.5)},{A[i]},{i % 3},{0.3 + 0.2 * (i % 2)},{known[i]}" for i in range(N)]
    (place / "few.csv").write_text("\n".join(["judge,score,g,chance,human,grade", *few]))
    said = [f"{i},{who},{x},{1 + x % 2},{i}{who}" for i, *xs in graded for who, x in zip("abc", xs, strict=True)]
    (place / "ratings.csv").write_text("\n".join(["item,rater,label,second,other", *said]))
    return place


@pytest.fixture(autouse=True)
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webbrowser.open", lambda page: page.startswith("file://"))


def answer(name: str, options: dict[str, Any], folder: Path) -> str:
    """What the command says, its exit code, and the page or picture that it writes."""
    run = command_of(name)
    usual = {p.name: p.default for p in inspect.signature(run).parameters.values()}
    said = io.StringIO()
    code = 0
    with contextlib.chdir(folder), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            run(**{**usual, **COMMANDS_RUN[name], **options})
        except typer.Exit as ended:
            code = ended.exit_code
    written = [f.read_text(encoding="utf-8") for f in sorted(folder.glob("page.*"))]
    for page in folder.glob("page.*"):
        page.unlink()
    return f"{code}\n{said.getvalue()}\n{''.join(written)}"


ANSWERS: dict[str, str] = {}


def answer_before(name: str, beside: dict[str, Any], folder: Path) -> str:
    """The same without the option that is tried, asked for once."""
    asked = f"{name} {beside!r} {folder}"
    if asked not in ANSWERS:
        ANSWERS[asked] = answer(name, beside, folder)
    return ANSWERS[asked]


PAIRS = [
    (name, option)
    for name in COMMANDS
    if name != "run"  # tests/cli/test_run.py and test_studies.py run experiments
    for option in inspect.signature(command_of(name)).parameters
]


@pytest.mark.parametrize(("name", "option"), PAIRS, ids=[f"{n}-{o}" for n, o in PAIRS])
def test_every_option_has_an_effect_or_is_refused(name: str, option: str, folder: Path) -> None:
    assert name in COMMANDS_RUN, f"trueerror {name} is new: give it a line in COMMANDS_RUN"
    argument = option in ("file", "files", "of", "given") or (name, option) in (("interval", "counts"),)
    if argument or option in UNSEEN or f"{name} {option}" in UNSEEN:
        return
    beside, value = HERE.get((name, option), ({}, OTHER.get(option, ...)))
    if name in ("difference",) and option in ("first", "second"):
        return
    assert value is not ..., f"--{option} of {name} is new: give it another value in OTHER or HERE"
    before = answer_before(name, beside, folder)
    after = answer(name, {**beside, option: value}, folder)
    assert not before.startswith("2"), before
    assert after != before, f"trueerror {name} --{option} {value!r:.60} changes nothing"
