"""te.check: findings from rows, files, counts and results."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te
from trueerror.data import path
from trueerror.findings import Findings
from trueerror.inputs._options import InputError

RNG = np.random.default_rng(11)
N = 400
X = RNG.normal(size=N)
TRUTH = (RNG.random(N) < 1 / (1 + np.exp(-2 * X))).astype(int)
SCORE = 1 / (1 + np.exp(-2 * X))


def write(file: Path, columns: dict[str, Any]) -> Path:
    rows = zip(*columns.values(), strict=True)
    file.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n")
    return file


def test_a_clean_sample_has_no_findings() -> None:
    found = te.check(te.predictions(TRUTH, scores={"logit": SCORE}, ids=np.arange(N)))
    assert isinstance(found, Findings)
    assert len(found) == 0


def test_every_kind_of_source(tmp_path: Path) -> None:
    constant = np.zeros(N, dtype=int)
    p = te.predictions(TRUTH, {"constant": constant})
    codes = te.check(p).codes
    assert "TE201" in codes
    file = write(tmp_path / "preds.csv", {"truth": TRUTH, "constant": constant})
    assert te.check(file).codes == te.check(str(file)).codes == codes
    assert te.check({"truth": TRUTH, "constant": constant}).codes == codes
    assert te.check(te.evaluate(p)).codes == te.evaluate(p).findings.codes
    assert "TE201" in te.check(p.confusion("constant")).codes
    assert te.check(te.rank(RNG.random((3, 4)))).codes == ("TE507",)


def test_what_cannot_be_checked() -> None:
    with pytest.raises(InputError, match="cannot check a int"):
        te.check(3)
    p = te.predictions(TRUTH, {"a": TRUTH})
    with pytest.raises(InputError, match="truth= says how to read a table"):
        te.check(p, truth="y")
    with pytest.raises(InputError, match="has its findings already"):
        te.check(te.evaluate(p), training=p)
    with pytest.raises(InputError, match="only counts"):
        te.check(p.confusion(), training=p)
    with pytest.raises(InputError, match="no model is in both"):
        te.check(p, training=te.predictions(TRUTH, {"b": TRUTH}))


def test_files_are_read_as_te_read_reads_them(tmp_path: Path) -> None:
    file = write(tmp_path / "preds.csv", {"y": ["sick" if t else "well" for t in TRUTH], "p": SCORE})
    assert te.check(file, truth="y", positive="sick").codes == ()
    inverted = te.check(file, truth="y", positive="well")
    assert "TE302" in inverted
    assert "is the direction of the scores or the positive class swapped?" in str(inverted)


def test_TE107_repeated_ids_are_reported_not_refused(tmp_path: Path) -> None:
    ids = np.arange(N)
    ids[-5:] = 0
    columns = {"id": ids, "truth": TRUTH, "logit": SCORE}
    file = write(tmp_path / "preds.csv", columns)
    with pytest.raises(InputError, match="is at rows 1 and"):
        te.read(file)
    for source in (file, columns):
        found = te.check(source)
        assert found.codes[0] == "TE107"
        assert "5 rows repeat the id of an earlier row, such as 0" in found[0].message


def test_TE112_missing_predictions_are_reported_not_refused(tmp_path: Path) -> None:
    gaps = SCORE.copy()
    gaps[3:9] = np.nan
    ids = np.arange(N)
    ids[-5:] = 0
    columns = {"id": ids, "truth": TRUTH, "logit": gaps, "full": 1 - SCORE}
    file = write(
        tmp_path / "preds.csv", {name: ["" if v != v else v for v in values] for name, values in columns.items()}
    )
    with pytest.raises(InputError, match=r"missing at row 4 \(6 in all"):
        te.evaluate(te.read(file, id=False))
    for source in (file, columns):
        # Two things that reading refuses, one after the other; and all that can be seen of the other rows.
        found = te.check(source)
        assert {"TE107", "TE112", "TE302"} <= set(found.codes)
        assert "TE206" not in found
        message = next(f.message for f in found if f.code == "TE112")
        assert message == f"logit lacks 6 of {N} predictions; those rows were left out here"
    decided = te.check(file, missing="drop")
    assert "TE112" not in decided
    assert "TE206" in decided


def test_TE108_and_TE109_copies() -> None:
    rows = np.concatenate((np.arange(N), np.arange(40)))
    p = te.predictions(TRUTH[rows], scores={"logit": SCORE[rows]}, clusters=np.arange(N + 40) // 4)
    assert {"TE108", "TE109"} <= set(te.check(p).codes)


def test_TE110_repeats_are_judged_one_at_a_time() -> None:
    repeats = te.predictions(
        np.tile(TRUTH, 5), scores={"logit": np.tile(SCORE, 5)}, repeats=np.repeat(np.arange(5), N),
        folds=np.tile(np.arange(N) % 10, 5),
    )  # fmt: skip
    found = te.check(repeats)
    message = next(f.message for f in found if f.code == "TE110")
    assert "400 rows stand there 5 times" in message
    undeclared = te.predictions(np.tile(TRUTH, 2), {"logit": (np.tile(SCORE, 2) > 0.5).astype(int)})
    assert "TE110" in te.check(undeclared)


def test_TE111_TE208_and_TE209_with_training_rows(tmp_path: Path) -> None:
    memory = np.where(RNG.random(N) < 0.5, TRUTH, 1 - TRUTH)  # knows nothing of new rows
    rule = (SCORE > 0.5).astype(int)
    test = te.predictions(TRUTH, {"memory": memory, "rule": rule}, ids=np.arange(N))
    training = te.predictions(TRUTH, {"memory": TRUTH, "rule": rule}, ids=np.arange(N) + N - 7)
    found = te.check(test, training=training)
    assert {f.code: f.about for f in found if f.code in ("TE111", "TE208", "TE209")} == {
        "TE111": "", "TE208": "memory", "TE209": "memory"
    }  # fmt: skip
    assert "7 of 400 test rows" in str(found)
    files = [
        write(tmp_path / f"{name}.csv", {"id": ids, "truth": TRUTH, "memory": called, "rule": rule})
        for name, ids, called in (("test", np.arange(N), memory), ("train", np.arange(N) + N - 7, TRUTH))
    ]
    assert te.check(files[0], training=files[1]).codes == found.codes


def test_TE304_a_threshold_found_on_these_rows() -> None:
    table = te.ScoreTable.count(TRUTH, SCORE)
    tp, fp = (np.cumsum(c[::-1])[::-1] for c in (table.positives, table.negatives))
    best = float(table.scores[int(np.argmax(tp - fp))])
    assert "TE304" in te.evaluate(TRUTH, scores=SCORE, threshold=best).findings
    assert "TE304" not in te.evaluate(TRUTH, scores=SCORE, threshold=0.5).findings
    assert "TE304" in te.check(te.predictions(TRUTH, scores=SCORE, threshold=best))
    dear = np.argmin(1 * fp + 10 * (tp[0] - tp))
    costs = [[0, 1], [10, 0]]
    found = te.evaluate(TRUTH, scores=SCORE, threshold=float(table.scores[int(dear)]), costs=costs).findings
    assert "looks best for expected cost" in next(f.message for f in found if f.code == "TE304")


def test_scores_are_looked_at_in_evaluate() -> None:
    def codes(scores: Any, **options: Any) -> tuple[str, ...]:
        return te.evaluate(TRUTH, scores=scores, **options).findings.codes

    assert "TE301" in codes(np.full(N, 0.3))
    assert "TE302" in codes(1 - SCORE)
    assert "TE303" in codes(SCORE * 1.05)
    assert "TE303" in codes(np.column_stack((1 - SCORE, SCORE * 0.9)))
    assert "TE305" in codes((SCORE > 0.5).astype(float))
    assert "TE306" in codes(SCORE**4 / (SCORE**4 + (1 - SCORE) ** 4))
    assert codes(SCORE) == ()
    assert codes(np.column_stack((1 - SCORE, SCORE))) == ()
    # Margins and logits are no probabilities, and nothing is wrong with them.
    assert codes(4 * X, threshold=0.0) == ()
    assert codes(4 * X) == ()


def test_TE303_leaves_rounded_probabilities_alone() -> None:
    rng = np.random.default_rng(0)
    chances = rng.dirichlet(np.ones(8), 300)
    truth = np.array([rng.choice(8, p=row) for row in chances])
    for decimals in (1, 2, 3):
        rounded = te.predictions(truth, scores={"m": np.round(chances, decimals)}, labels=range(8))
        assert "TE303" not in te.check(rounded).codes
    assert "TE303" in te.check(te.predictions(truth, scores={"m": 0.4 * chances}, labels=range(8))).codes


def test_TE205_replicates_that_lose_a_class() -> None:
    # Three rows of a class: about 5 % of the resamples hold none of them, and what can be saved there is undefined.
    costs = [[0, 1], [5, 0]]
    asked = {"costs": costs, "method": "bootstrap", "metrics": ["savings"]}
    found = te.evaluate([0] * 196 + [1] * 3, [0] * 190 + [1] * 6 + [0, 1, 1], **asked, rng=0).findings
    assert "of the bootstrap replicates of savings against the best constant call lost a class" in next(
        f.message for f in found if f.code == "TE205"
    )  # fmt: skip
    enough = te.evaluate([0] * 170 + [1] * 30, [0] * 160 + [1] * 40, **asked).findings
    assert "TE205" not in enough


def test_TE406_one_model_read_twice() -> None:
    called = (SCORE > 0.5).astype(int)
    p = te.predictions(TRUTH, {"a": called, "copy of a": called, "b": (SCORE > 0.4).astype(int)})
    found = [f for f in te.check(p) if f.code == "TE406"]
    assert [f.about for f in found] == ["a and copy of a"]
    # Equal confusion matrices are not enough.
    shifted = called.copy()
    wrong = np.flatnonzero((called != TRUTH) & (TRUTH == 1))[0]
    right = np.flatnonzero((called == TRUTH) & (TRUTH == 1))[0]
    shifted[[wrong, right]] = shifted[[right, wrong]]
    q = te.predictions(TRUTH, {"a": called, "b": shifted})
    assert q.confusion("a") == q.confusion("b")
    assert "TE406" not in te.check(q)


def test_slices_are_left_to_their_own_evaluations() -> None:
    p = te.predictions(TRUTH, scores=SCORE, by=np.arange(N) % 40)
    assert len(te.check(p)) == 0


def test_bundled_predictions() -> None:
    assert {f.severity for f in te.check(path("breast_cancer"), positive="malignant")} <= {"note"}
    assert len(te.check(path("digits"))) == 0


def test_checking_is_quick() -> None:
    n = 200_000
    x = np.random.default_rng(0).normal(size=n)
    truth = (np.random.default_rng(1).random(n) < 1 / (1 + np.exp(-x))).astype(int)
    p = te.predictions(truth, scores=1 / (1 + np.exp(-x)))
    began = time.process_time()
    te.check(p)
    assert time.process_time() - began < 10
