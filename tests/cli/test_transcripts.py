"""The three transcripts that the program was designed after come out of it, in their shape, from one command each."""

import csv
import re
from pathlib import Path

import pytest

from tests.cli.program import run
from trueerror.data import path

CV = Path(__file__).parent / "data" / "cv.csv"


def answer(*args: str) -> str:
    done = run(*args)
    assert (done.returncode, done.stderr) == (0, "")
    assert max(map(len, done.stdout.splitlines())) <= 80
    return done.stdout


@pytest.fixture(scope="module")
def predictions(tmp_path_factory) -> str:
    """The bundled tumours as a file that someone else would have written: y_true of 0 and 1, three models."""
    target = tmp_path_factory.mktemp("transcripts") / "preds.csv"
    with path("breast_cancer").open(encoding="utf-8") as source, target.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["y_true", "logreg", "forest", "bayes"])
        for row in csv.DictReader(source):
            writer.writerow([int(row["truth"] == "malignant"), row["logreg"], row["forest"], row["bayes"]])
    return str(target)


def test_which_model_and_threshold_under_costs(predictions):
    text = answer("compare", predictions, "--truth", "y_true", "--positive", "1", "--cost-fn", "10")
    plain = " ".join(text.split())
    lines = text.splitlines()
    # What was read comes first, then the verdict, then the table, then what to beware of, then the methods.
    assert plain.startswith("285 rows, 106 positive, 3 models with scores: logreg, forest, bayes.")
    assert "Run logreg at threshold 0.091 (not 0.5): " in text
    assert re.search(r"Probable differences: forest costs more \(\+8\.1 per 100 rows, 95 % CI [−+]\d", plain)
    assert "But" not in text.split("At 0.091  ")[0]
    head = next(line for line in lines if line.startswith("At 0.091"))
    assert re.split(r"\s{2,}", head) == ["At 0.091", "misses", "false alarms", "cost per 100", "ranking (AUC)"]
    assert re.search(r"logreg +0 of 106 +23 of 179 +8\.1 \[ *\d+\.\d, +\d+\.\d\] +0\.997 \[0\.98\d, 0\.999\]", text)
    assert "At 0.5 logreg would miss 6 and cost 21.8 per 100." in text
    assert "! TE304 logreg: a threshold tuned on these rows would be 0.139" in text
    assert "needs no tuning, but trusts logreg's probabilities (calibration slope" in plain
    order = ["285 rows", "Run logreg", "Probable differences", "At 0.091", "At 0.5 logreg", "! TE304", "--explain"]
    assert [text.index(word) for word in order] == sorted(text.index(word) for word in order)


def test_no_single_winner_over_three_data_sets():
    text = answer("rank", str(CV))
    plain = " ".join(text.split())
    assert plain.startswith("Read 3 data sets × 4 learners × 10 folds; the same folds for all learners.")
    assert "No clear winner: logreg, knn and forest are too close to call." in plain
    assert "tree is worse on all three (by 5 to 12 points), clearly on digits" in plain
    assert '! TE507 three data sets are too few for "best overall"' in text
    assert "(no p-value can go below 0.25 here). Folds were not counted as data sets." in plain


def test_a_close_call_from_counts():
    text = answer("compare", "--counts", "both=810", "new=60", "old=40", "neither=90")
    plain = " ".join(text.split())
    for words in (
        "new is probably better; a close call. 87.00 % against 85.00 % accuracy: +2.00 points, 95 % CI +0.04 to +4.01.",
        "new wins 60 of the 100 rows on which they differ. If they were equally good, a split this uneven would come "
        "up about 1 time in 22 (p = .046).",
        "! TE410 sound tests straddle 5 % here (.046 to .057): do not pick among them",
        "Next: about 2,000 rows of this kind settle a gap of 2.0 points",
        "(80 % power)",
    ):
        assert words in plain
    assert text.count("! TE") == 1


def test_long_names_do_not_push_tables_off_the_page(tmp_path):
    names = [f"gradient-boosted trees with {k} leaves and shrinkage 0.{k}" for k in range(1, 8)]
    file = tmp_path / "wide.csv"
    rows = [f"set {d}," + ",".join(f"0.{(7 * d + 3 * i) % 97 + 1:02d}" for i in range(len(names))) for d in range(20)]
    file.write_text("dataset," + ",".join(names) + "\n" + "\n".join(rows) + "\n")
    assert "to first" in answer("rank", str(file))
