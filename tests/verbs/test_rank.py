"""te.rank: sheets of scores in every shape, tests over data sets and within them, and the words."""

from __future__ import annotations

import pickle
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import trueerror as te
from trueerror.inference._many import adjust
from trueerror.inference.ranking._rank_tests import friedman, iman_davenport, nemenyi, wilcoxon
from trueerror.inference.ranking._ranking import Ranking
from trueerror.inputs._options import ColumnError, InputError

RNG = np.random.default_rng(6)
SETS = [f"set {i}" for i in range(12)]
BASE = RNG.uniform(0.6, 0.9, 12)
WIDE = {
    name: np.round(BASE + shift + RNG.normal(0, 0.015, 12), 4)
    for name, shift in {"svm": 0.03, "forest": 0.028, "tree": -0.03, "bayes": -0.06}.items()
}
NAMES = list(WIDE)


def long(wide: dict[str, Any], sets: list[str] = SETS) -> pd.DataFrame:
    rows = [{"dataset": d, "learner": m, "accuracy": wide[m][i]} for i, d in enumerate(sets) for m in wide]
    return pd.DataFrame(rows)


def folded(sets: dict[str, dict[str, float]], k: int = 10, repeats: int = 1, sd: float = 0.02) -> pd.DataFrame:
    """Scores of folds whose difficulty the learners share, around given means."""
    rng = np.random.default_rng(1)
    rows = []
    for d, means in sets.items():
        for r in range(repeats):
            shared = rng.normal(0, sd, k)
            for m, mean in means.items():
                own = rng.normal(0, sd / 4, k)
                values = mean + (shared - shared.mean()) + (own - own.mean())
                rows += [{"dataset": d, "learner": m, "repeat": r, "fold": f, "accuracy": values[f]} for f in range(k)]
    return pd.DataFrame(rows)


THREE = folded({
    "cancer": {"logreg": 0.95, "forest": 0.955, "tree": 0.91},
    "digits": {"logreg": 0.96, "forest": 0.955, "tree": 0.83},
    "wine": {"logreg": 0.955, "forest": 0.95, "tree": 0.93},
})  # fmt: skip


def same(a: te.significance.Ranking, b: te.significance.Ranking) -> bool:
    return a.names == b.names and a.mean_ranks == pytest.approx(b.mean_ranks) and a.pairs == b.pairs


def test_every_shape_gives_one_ranking(tmp_path: Path) -> None:
    made = te.rank(WIDE)
    matrix = np.column_stack(list(WIDE.values()))
    frame = pd.DataFrame(WIDE, index=SETS)
    tall = long(WIDE)
    wide_csv, long_csv = tmp_path / "wide.csv", tmp_path / "long.csv"
    frame.rename_axis("dataset").to_csv(wide_csv)
    tall.to_csv(long_csv, index=False)
    shapes = [
        te.rank(matrix, names=NAMES), te.rank(matrix.tolist(), names=NAMES), te.rank(matrix[:, :, None], names=NAMES),
        te.rank(frame), te.rank(pl.DataFrame(WIDE)), te.rank({"dataset": SETS, **WIDE}), te.rank(wide_csv),
        te.rank(tall), te.rank(pl.DataFrame(tall)), te.rank(str(long_csv)),
    ]  # fmt: skip
    assert all(same(made, other) for other in shapes)
    assert te.rank(frame).data_sets == tuple(SETS) == te.rank(wide_csv).data_sets
    shuffled = te.rank(tall.sample(frac=1, random_state=0))
    assert shuffled.ranks == pytest.approx(made.ranks)
    assert isinstance(made, Ranking)


def test_pairs_are_judged_by_wilcoxon_and_adjusted_by_holm_on_request() -> None:
    made = te.rank(WIDE, adjust="holm")
    plain = [wilcoxon(WIDE[a], WIDE[b]).p_value for a, b in combinations(NAMES, 2)]
    assert [p.p_value for p in made.pairs] == pytest.approx(plain)
    assert [p.p_adjusted for p in made.pairs] == pytest.approx(adjust(plain).tolist())
    assert made.friedman == friedman(WIDE)
    assert made.iman_davenport == iman_davenport(WIDE)
    assert made.method == "wilcoxon"


def test_holm_depends_on_the_pairs_but_wilcoxon_not_on_the_pool() -> None:
    both = te.rank({m: WIDE[m] for m in ("svm", "tree")})
    assert te.rank(WIDE)["svm", "tree"].p_value == both["svm", "tree"].p_value
    assert nemenyi(WIDE)["svm", "tree"].p_value != nemenyi({m: WIDE[m] for m in ("svm", "tree")})["svm", "tree"].p_value


@pytest.mark.parametrize("method", ["nemenyi", "shaffer", "sign", "wilcoxon"])
def test_other_post_hocs(method: Any) -> None:
    made = te.rank(WIDE, method=method)
    assert made.method == method
    assert made.best == "svm"
    assert made.told_apart("svm", "bayes")
    if method in ("nemenyi", "shaffer"):
        expected = getattr(te.significance, method)(WIDE)
        assert made.pairs == expected.pairs
        assert made.critical_difference == expected.critical_difference


def test_against_one_control() -> None:
    made = te.rank(WIDE, reference="tree")
    assert {(p.first, p.second) for p in made.pairs} == {("tree", m) for m in NAMES if m != "tree"}
    assert "svm is better than tree (by " in made.verdict
    assert "bayes is worse than tree (by " in made.verdict
    dunn = te.rank(WIDE, method="bonferroni-dunn", reference="tree")
    assert dunn.critical_difference is not None
    with pytest.raises(InputError, match="needs reference="):
        te.rank(WIDE, method="bonferroni-dunn")
    with pytest.raises(InputError, match="compares all pairs"):
        te.rank(WIDE, method="nemenyi", reference="tree")
    with pytest.raises(InputError, match="did you mean 'tree'"):
        te.rank(WIDE, reference="treee")


def test_direction_is_explicit() -> None:
    errors = {m: 1 - v for m, v in WIDE.items()}
    down = te.rank(errors, higher_is_better=False)
    up = te.rank(WIDE)
    assert down.ranks == pytest.approx(up.ranks)
    assert down.verdict == up.verdict
    assert te.rank(errors).best == "bayes"
    assert "Lower scores are better" in " ".join(str(down).split())
    assert "Higher scores are better" in " ".join(str(up).split())


def test_a_column_called_error_that_is_ranked_upwards_is_noticed() -> None:
    tall = long({m: 1 - v for m, v in WIDE.items()}).rename(columns={"accuracy": "error"})
    assert "TE502" in te.rank(tall).findings
    assert "TE502" not in te.rank(tall, higher_is_better=False).findings
    assert "TE502" in te.rank(tall).without("TE501").findings
    assert "TE502" not in te.rank(tall).without("TE502").findings


def test_folds_are_averaged_and_never_counted_as_data_sets() -> None:
    made = te.rank(THREE)
    assert made.n == 3
    means = THREE.groupby(["dataset", "learner"])["accuracy"].mean().unstack()
    again = te.rank(means[["logreg", "forest", "tree"]])
    assert made.mean_ranks == again.mean_ranks
    assert [p.p_value for p in made.pairs] == pytest.approx([p.p_value for p in again.pairs])
    assert min(p.p_value for p in made.pairs) == 0.25
    assert made.reading.startswith("Read 3 data sets × 3 learners × 10 folds; the same folds for all learners.")
    assert "Folds were not counted as data sets." in str(made.findings)


def test_wide_tables_with_folds() -> None:
    wide = THREE.pivot(index=["dataset", "fold"], columns="learner", values="accuracy").reset_index()
    made = te.rank(wide)
    assert made.n == 3
    assert made.ranks == pytest.approx(te.rank(THREE).ranks)
    assert {c.name for c in made.within} == {"cancer", "digits", "wine"}


def test_within_each_data_set_the_corrected_t_test() -> None:
    made = te.rank(THREE)
    assert len(made.within) == 9
    c = made.on("digits", "logreg", "tree")
    rows = THREE[THREE.dataset == "digits"].pivot(index="fold", columns="learner", values="accuracy")
    expected = te.significance.corrected_t(rows["logreg"] - rows["tree"], test_train_ratio=1 / 9)
    assert c is not None
    alone = c.alone()
    assert (c.estimate, c.p_value, alone.low) == pytest.approx((expected.estimate, expected.p_value, expected.low))
    assert c.p_adjusted >= c.p_value
    assert c.low < alone.low  # limits are adjusted with the p-value
    flipped = made.on("digits", "tree", "logreg")
    assert flipped is not None
    assert flipped.estimate == -c.estimate
    assert te.rank(THREE, test_train_ratio=0.5).on("digits", "logreg", "tree").p_value > c.p_value  # type: ignore[union-attr]


def test_repeats_of_folds_use_the_folds_of_one_repeat() -> None:
    tall = folded({"a": {"x": 0.9, "y": 0.88}, "b": {"x": 0.8, "y": 0.79}}, k=5, repeats=4)
    made = te.rank(tall)
    assert "× 4 repeats of 5 folds" in made.reading
    rows = tall[tall.dataset == "a"].pivot(index=["repeat", "fold"], columns="learner", values="accuracy")
    expected = te.significance.corrected_t(rows["x"] - rows["y"], test_train_ratio=1 / 4)
    found = made.on("a", "x", "y")
    assert found is not None
    assert found.p_value == pytest.approx(expected.p_value)


def test_the_words_of_the_transcript() -> None:
    made = te.rank(THREE)
    assert made.verdict == (
        "No clear winner: logreg and forest are too close to call. tree is worse on all three (by 2 to 13 "
        "points), clearly on cancer, digits and wine. That is by the folds of single data sets; over all three tree "
        "has no clear difference from logreg (p = .500)."
    )
    text = str(made)
    assert '! TE507 three data sets are too few for "best overall" (no p-value can go below\n  0.25 here)' in text
    assert max(len(line) for line in text.splitlines()) <= 80
    lines = text.splitlines()
    verdict, table = (next(i for i, x in enumerate(lines) if w in x) for w in ("No clear winner", "mean rank"))
    assert 0 < verdict < table


def test_one_data_set_speaks_for_itself_only() -> None:
    one = THREE[THREE.dataset == "digits"].drop(columns="dataset")
    made = te.rank(one)
    assert made.n == 1
    assert made.verdict == (
        "logreg is probably best on this data set. forest is worse (by 0.5 points), probably. tree is worse (by 13 "
        "points), clearly."
    )
    jitter = np.where(one.learner == "forest", 0.02 * (-1.0) ** one.fold, 0.0)
    open_ = te.rank(one.assign(accuracy=one.accuracy + jitter))
    assert open_.verdict.startswith(
        "No clear winner on this data set: logreg and forest are too close to call. forest is 0.5 points "
    )
    assert open_.verdict.endswith(" tree is worse (by 13 points), clearly.")
    assert "one data set is too few" in str(made.findings)
    two = te.rank(one[one.learner != "forest"])
    assert two.verdict == "logreg is best on this data set. tree is worse (by 13 points), clearly."
    assert two.posterior is None
    bare = te.rank([[0.9, 0.8, 0.7]], names=["a", "b", "c"])
    assert bare.verdict == "a has the best score, but one score each on one data set cannot show a difference."


def test_two_learners_get_a_posterior_too() -> None:
    made = te.rank({"svm": WIDE["svm"], "tree": WIDE["tree"]})
    assert made.verdict.startswith("svm is better over data sets like these: svm is ahead on all 12 data sets, by 5.9")
    assert made.posterior is not None
    assert made.posterior.right > 0.99
    assert made.posterior.rope_width == 0.01
    assert "tree better < .001" in " ".join(str(made).split())
    assert "prior: half a data set without a difference" in " ".join(str(made).split())
    down = te.rank({"svm": 1 - WIDE["svm"], "tree": 1 - WIDE["tree"]}, higher_is_better=False)
    assert down.posterior is not None
    assert down.posterior.right == pytest.approx(made.posterior.right, abs=0.01)
    open_ = te.rank({"svm": WIDE["svm"], "forest": WIDE["forest"]}, rope=0.02)
    assert open_.verdict.startswith("Too close to call overall: svm is ahead on")
    assert open_.posterior is not None
    assert open_.posterior.rope > 0.9
    assert te.rank(WIDE).posterior is None


def test_ties_and_twins() -> None:
    twins = te.rank({"a": WIDE["svm"], "b": WIDE["svm"]})
    assert twins["a", "b"].p_value == 1
    assert twins["a", "b"].estimate == 0
    assert twins.verdict.startswith("No clear difference: a and b tie on every data set.")
    # 0.8 and 0.9 have the mean of 0.85 twice, although floats add up differently.
    tied = te.rank(np.array([[[0.8, 0.9], [0.85, 0.85]]] * 6), names=["a", "b"])
    assert tied.outcomes == ((0, 6, 0),)


def test_win_tables_and_the_matrix() -> None:
    made = te.rank({"x": [1.0, 2, 3, 4], "y": [1.0, 1, 4, 2], "z": [0.0, 0, 0, 0]})
    assert made.wins().records()[0] == {"won–tied–lost": "x", "x": "", "y": "2–1–1", "z": "4–0–0"}
    assert made.matrix().records()[1]["z"].startswith("+2 · 4–0–0 · p = ")  # type: ignore[union-attr]
    record = made.records()[0]
    assert (record["wins"], record["ties"], record["losses"]) == (2, 1, 1)
    assert record["mean_difference"] == pytest.approx(0.5)


def test_scores_that_are_no_shares_are_not_in_points() -> None:
    made = te.rank({"x": [120.0, 130, 140, 150, 160, 170], "y": [100.0, 101, 99, 98, 120, 111]})
    assert "points" not in str(made)
    assert made.posterior is not None
    assert made.posterior.rope_width == 0


MISSING = long(WIDE)
MISSING.loc[5, "accuracy"] = np.nan


@pytest.mark.parametrize("table", [MISSING, MISSING.dropna()], ids=["empty cell", "no row"])
def test_missing_cells_are_an_error_that_names_them(table: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="'forest' has no score on 'set 1'"):
        te.rank(table)
    made = te.rank(table, missing="drop")
    assert made.n == 11
    assert "set 1" not in made.data_sets
    assert "left out because a score is missing: set 1" in str(made.findings)
    complete = te.rank({m: np.delete(v, 1) for m, v in WIDE.items()})
    assert made.mean_ranks == complete.mean_ranks


def test_missing_folds() -> None:
    lacking = THREE.drop(index=THREE.index[(THREE.dataset == "wine") & (THREE.learner == "tree") & (THREE.fold == 3)])
    with pytest.raises(InputError, match="'tree' has no score on fold '3' of 'wine'"):
        te.rank(lacking)
    made = te.rank(lacking, missing="drop")
    assert made.n == 3
    assert "× 9 to 10 folds" in made.reading
    assert "fold 3 of wine" in str(made.findings)
    nowhere = MISSING.assign(accuracy=np.where(MISSING.learner == "svm", np.nan, MISSING.accuracy))
    with pytest.raises(InputError, match="no data set has a score of every learner"):
        te.rank(nowhere, missing="drop")


@pytest.mark.parametrize(("scores", "options", "words"), [
    ({"a": [0.1, 0.2]}, {}, "there is 1 learner"),
    (THREE.drop(columns=["fold", "repeat"]), {}, "'logreg' has more than one score on 'cancer'; name the column"),
    (THREE.assign(auc=0.5), {}, r"cannot tell which column of the table holds the scores \('accuracy', 'auc'\)"),
    (THREE, {"value": "acuracy"}, "value='acuracy': the table has no such column; did you mean 'accuracy'"),
    (THREE, {"dataset": "data"}, "dataset='data': the table has no such column"),
    (pd.concat([THREE, THREE.iloc[[0]]]), {}, "more than one score on fold '0' of 'cancer'"),
    ({"a": [0.1, np.inf], "b": [0.1, 0.2]}, {}, "'a' has inf on '2'"),
    ({"a": ["x", "y"], "b": [0.1, 0.2], "c": ["u", "v"]}, {}, "'a' of the table holds text"),
    (np.zeros(3), {}, "two dimensions"),
    (np.zeros((3, 2)), {"fold": "f"}, "an array has none"),
    (np.zeros((3, 2)), {"names": ["a"]}, "names= has 1 names for 2 columns"),
    (np.zeros((3, 2)), {"names": ["a", "a"]}, "the same name twice"),
    (np.zeros((3, 2)), {"method": "wilcox"}, "did you mean 'wilcoxon'"),
    (np.zeros((3, 2)), {"alpha": 1.5}, "alpha=1.5 is not a significance level"),
    (np.zeros((3, 2)), {"confidence": 1.5}, "must lie between 0 and 1"),
    (np.zeros((3, 2)), {"missing": "skip"}, "missing='skip' is not known"),
    ({"a": [1, 2], "b": [2, 3]}, {"value": "a"}, "long table"),
    ("no such file.csv", {}, "no such file"),
    ([["a", "b"], ["c", "d"]], {}, "numbers: data sets × learners"),
], ids=lambda v: v if isinstance(v, str) else "")  # fmt: skip
def test_errors_say_what_to_do(scores: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises((InputError, ColumnError), match=words):
        te.rank(scores, **options)


def test_results_travel() -> None:
    for made in (te.rank(WIDE), te.rank(THREE), te.rank({m: WIDE[m] for m in ("svm", "tree")})):
        assert te.load(made.to_json()) == made
        assert pickle.loads(pickle.dumps(made)) == made
        assert "svm" in made.to_markdown() or "logreg" in made.to_latex()
        assert made.best in made._repr_html_()
        assert "Wilcoxon" in made.explain()
    assert "corrected" in te.rank(THREE).explain()
    assert list(te.rank(WIDE).frame("pandas").columns)[:2] == ["first", "second"]


def test_a_picture() -> None:
    made = te.rank(WIDE).plot()
    assert made.svg.count('class="elbow"') == len(te.rank(WIDE).order)


def test_many_learners_stay_quick_and_short() -> None:
    rng = np.random.default_rng(0)
    made = te.rank(rng.random((100, 40, 5)))
    text = str(made)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "and 35 more" in " ".join(text.split())
    assert len(made.within) == 39 * 100


EIGHT = {
    "svm": [0.912, 0.812, 0.873, 0.912, 0.878, 0.883, 0.866, 0.786],
    "knn": [0.852, 0.767, 0.825, 0.864, 0.827, 0.824, 0.806, 0.742],
    "tree": [0.838, 0.756, 0.812, 0.858, 0.819, 0.816, 0.805, 0.735],
    "cart": [0.831, 0.761, 0.810, 0.851, 0.822, 0.811, 0.801, 0.731],
    "nb": [0.802, 0.719, 0.770, 0.807, 0.783, 0.770, 0.749, 0.699],
}


def test_a_test_that_could_tell_no_pair_apart_is_not_a_verdict_on_the_learners() -> None:
    made = te.rank(EIGHT, adjust="holm")
    assert made.smallest_p == pytest.approx(10 * 2**-7)
    assert "told apart" not in made.verdict
    assert made.verdict.startswith("Eight data sets are too few for the signed-rank test to show a clear difference")
    assert "smallest p is 0.078" in made.verdict
    assert "nb (by 9 to 12 points)" in made.verdict
    assert all(way in made.verdict for way in ("(reference=)", "nemenyi", "nine data sets or more"))
    # What it names does help.
    assert te.rank(EIGHT, reference="svm").told_apart("svm", "nb")
    assert te.rank(EIGHT, method="nemenyi").told_apart("svm", "nb")
    nine = {name: [*scores, scores[0]] for name, scores in EIGHT.items()}
    assert te.rank(nine).told_apart("svm", "nb")
    assert te.rank(EIGHT, adjust="bh").smallest_p == pytest.approx(2**-7)
    assert "too few" not in te.rank(EIGHT, adjust="bh").verdict


def test_the_picture_draws_no_bar_where_nothing_could_be_told_apart() -> None:
    from trueerror.plots.compose.matrices import ranking_picture

    picture = ranking_picture(te.rank(EIGHT, adjust="holm"))
    assert picture.groups == ()
    assert "no bars" in picture.subtitle[0]
    assert ranking_picture(te.rank(EIGHT, method="nemenyi")).groups != ()


def test_tests_of_mean_ranks_do_not_have_the_limit_of_the_signed_rank_test() -> None:
    assert "TE507" in te.rank(EIGHT, adjust="holm").findings
    assert "TE507" not in te.rank(EIGHT, adjust="holm", method="nemenyi").findings
    assert "no p-value can go below 0.078" in str(te.rank(EIGHT, adjust="holm", method="sign").findings)


def test_eight_data_sets_show_what_holm_cannot() -> None:
    made = te.rank(EIGHT)
    assert made.smallest_p == 2**-7
    assert sum(made.told_apart(c.first, c.second) for c in made.pairs) >= 8
    assert not any(te.rank(EIGHT, adjust="holm").told_apart(c.first, c.second) for c in made.pairs)
    assert made.explain().count("Westfall and Young") > 0


def test_the_joint_p_values_are_those_of_all_patterns_of_signs() -> None:
    """By hand: ranks of all differences together, the signs of data sets turned in all 2^5 ways."""
    x = np.random.default_rng(3).normal(size=(5, 3)) + np.array([0, 0, 2])
    made = te.rank(x)
    apart = np.stack([x[:, i] - x[:, j] for i, j in combinations(range(3), 2)], axis=1)
    ranks = np.sign(apart) * stats.rankdata(abs(apart)).reshape(apart.shape)
    patterns = np.array(list(product((1, -1), repeat=5)))
    out = abs(patterns @ ranks) / np.sqrt((ranks**2).sum(axis=0))
    order, least, expected = np.argsort(-out[0]), 0.0, {}
    for step, j in enumerate(order):
        least = max(least, float(np.mean(out[:, order[step:]].max(axis=1) >= out[0, j] - 1e-12)))
        expected[int(j)] = max(least, made.pairs[j].p_value)
    assert [c.p_adjusted for c in made.pairs] == pytest.approx([expected[j] for j in range(3)])


def test_two_learners_have_the_p_value_of_wilcoxon() -> None:
    pair = {m: WIDE[m] for m in ("svm", "forest")}
    made = te.rank(pair)["svm", "forest"]
    assert made.p_adjusted == pytest.approx(wilcoxon(*pair.values()).p_value)


KIN = [f"{source}-{i}" for source in ("mnist", "uci", "kc", "pmlb", "kaggle", "openml", "nlp") for i in (1, 2)]


def kindred(seed: int, spread: float, effect: float = 0.0) -> dict[str, Any]:
    """Two learners and a third on 14 data sets of 7 sources, which share `spread` of a difference."""
    rng = np.random.default_rng(seed)
    shared = np.repeat(rng.normal(size=(7, 3)), 2, axis=0)
    scores = 0.7 + 0.02 * (spread * shared + rng.normal(size=(14, 3))) + [0, 0, effect]
    return {"dataset": KIN, "a": scores[:, 0], "b": scores[:, 1], "c": scores[:, 2]}


def test_families_are_averaged_and_counted() -> None:
    table = kindred(1, 3.0, 0.05)
    made = te.rank(table, family="stem")
    assert made.data_sets == ("mnist", "uci", "kc", "pmlb", "kaggle", "openml", "nlp")
    assert made.smallest_p == 2**-6
    assert "14 data sets are averaged within 7 families." in made.reading
    a, c = (np.asarray(table[m]).reshape(7, 2).mean(axis=1) for m in "ac")
    expected = wilcoxon(a, c)
    assert (made["a", "c"].p_value, made["a", "c"].low) == pytest.approx((expected.p_value, expected.low))
    assert te.rank(table, family="stem", method="nemenyi").n == 7


def test_families_are_named_in_three_ways(tmp_path: Path) -> None:
    table = kindred(2, 1.0)
    sources = [name.split("-")[0] for name in KIN]
    by_name = te.rank(table, family="stem")
    assert te.rank(table, family=dict(zip(KIN, sources, strict=True))).pairs == by_name.pairs
    assert te.rank(table | {"source": sources}, family="source").pairs == by_name.pairs
    alone = te.rank(table, family={name: name for name in KIN})
    assert [c.p_adjusted for c in alone.pairs] == [c.p_adjusted for c in te.rank(table).pairs]
    assert [c.low for c in alone.pairs] == pytest.approx([c.low for c in te.rank(table).pairs])
    tall = pd.DataFrame(table).melt(id_vars="dataset", var_name="learner", value_name="accuracy")
    tall["suite"] = tall["dataset"].str.split("-").str[0]
    assert te.rank(tall, family="suite").pairs == by_name.pairs
    for wrong, words in (({"mnist-1": "m"}, "no family of 'mnist-2'"), ("origin", "no such column")):
        with pytest.raises(InputError, match=words):
            te.rank(table, family=wrong)
    with pytest.raises(InputError, match="where names begin alike"):
        te.rank(np.array([table[m] for m in "abc"]).T, family="stem")
    tall.loc[0, "suite"] = "other"
    with pytest.raises(InputError, match="holds whole data sets"):
        te.rank(tall, family="suite")


def test_data_sets_that_are_alike_by_family_are_told_and_others_hardly_ever() -> None:
    alike = [te.rank(kindred(seed, 3.0)).findings.codes for seed in range(20)]
    assert np.mean(["TE517" in codes for codes in alike]) > 0.7
    apart = [te.rank(kindred(seed, 0.0)).findings.codes for seed in range(100)]
    assert sum("TE517" in codes for codes in apart) <= 4
    (found,) = te.rank(kindred(0, 3.0)).findings
    assert 'count families instead, by "stem"' in found.message
    assert "TE517" not in te.rank(kindred(0, 3.0), family="stem").findings


def test_equal_learners_are_rarely_called_different_where_families_are_named() -> None:
    """Named, the level holds; taken as independent, these data sets call equal learners different far too often."""
    rates = {
        family: np.mean([
            any(c.p_adjusted <= 0.05 for c in te.rank(kindred(seed, 3.0), family=family).pairs) for seed in range(150)
        ])
        for family in (None, "stem")
    }  # fmt: skip
    assert rates["stem"] <= 0.10
    assert rates[None] > 0.15


def test_the_sign_of_a_difference_follows_the_numbers_shown() -> None:
    errors = {name: [1 - s for s in scores] for name, scores in EIGHT.items()}
    made = te.rank(errors, higher_is_better=False)
    row = next(line for line in str(made).splitlines() if line.startswith("nb"))
    assert row.split()[2:4] == ["0.238", "+10.3"]
    assert next(row for row in made.matrix().rows if row[0] == "nb")[1].startswith("+10.3")
    assert "−10.3" in str(te.rank(EIGHT))


def test_long_names_of_learners_do_not_take_the_scores_away() -> None:
    scores = {
        f"gradient boosting, depth {i}, rate 0.05": [0.8 + 0.01 * i + 0.001 * j for j in range(6)] for i in range(4)
    }
    table = str(te.rank(scores)).split("\n\n")[3]
    assert "data set" in table
    assert all(f"depth {i}" in table for i in range(4))
    assert max(map(len, table.splitlines())) <= 80


def test_what_an_experiment_notes_beside_its_scores_is_no_score():
    rows = [
        {"dataset": d, "learner": m, "fold": f, "train_rows": 90, "fit_seconds": 0.1,
         "accuracy": 0.8 + 0.01 * f + (m == "a") / 20}
        for d in "xyz" for m in "ab" for f in range(3)
    ]  # fmt: skip
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    assert te.rank(columns).best == "a"


def test_ties_for_the_first_place_are_called_ties() -> None:
    one = te.rank({"a": [0.9], "b": [0.9], "c": [0.8]})
    assert one.verdict.startswith("a and b tie for the best score, but")
    few = te.rank({"a": [0.9, 0.8], "b": [0.8, 0.9], "c": [0.7, 0.7]})
    assert "a and b tie for the best mean rank, 1.50; a is ahead of c (by 10 to 20 points) on both." in few.verdict


@pytest.mark.parametrize(
    ("scores", "ahead"),
    [
        ({"tree": [0.63, 0.59], "bayes": [0.62, 0.68]}, "bayes is ahead on 1 of 2 data sets, by 4.0 points"),
        ({"a": [0.7, 0.7, 0.6, 0.6], "b": [0.69, 0.69, 0.7, 0.7]}, "b is ahead on 2 of 4 data sets, by 4.5 points"),
        # Better more often, worse in the middle: both are said, and whose favour it is.
        (
            {"a": [0.61, 0.61, 0.61, 0.5, 0.5], "b": [0.6] * 5},
            "a is ahead on 3 of 5 data sets, but 4.5 points behind b",
        ),
    ],
)
def test_the_verdict_on_ties_has_the_sign_of_the_difference(scores: dict[str, list[float]], ahead: str) -> None:
    for given in (scores, dict(reversed(scores.items()))):
        made = te.rank(given)
        assert ahead in made.verdict
        # The table and the words show one difference by one estimator.
        first, second = made.order
        shown = f"{100 * made.gap(second, first):+.1f}".replace("-", "−")
        assert shown in str(made)
        assert shown.lstrip("+−") in made.verdict


def test_probably_and_best_follow_one_rule_of_p() -> None:
    rng = np.random.default_rng(0)
    scores = rng.random((8, 1)) * 0.2 + 0.7 + rng.normal(0, 0.01, (8, 3)) + [0.06, 0.0, 0.01]
    made = te.rank(scores, names=["a", "b", "c"])
    assert max(c.p_adjusted or 0 for c in made.pairs if "a" in (c.first, c.second)) > 0.005
    assert made.verdict.startswith("a is probably best overall.")
    more = rng.random((20, 1)) * 0.2 + 0.7 + rng.normal(0, 0.01, (20, 3)) + [0.06, 0.0, 0.01]
    assert te.rank(more, names=["a", "b", "c"]).verdict.startswith("a is best overall.")


def test_no_posterior_where_the_data_sets_are_too_few_for_a_test() -> None:
    four = te.rank({"dataset": list("abcd"), "A": [83, 82, 84, 81], "B": [80] * 4})
    assert four.posterior is None
    assert "better >" not in str(four)
    asked = te.rank({"dataset": list("abcd"), "A": [0.83, 0.82, 0.84, 0.81], "B": [0.8] * 4}, rope=0.01)
    assert asked.posterior is not None


def test_percentages_have_the_region_of_shares() -> None:
    share = te.rank({"svm": WIDE["svm"], "tree": WIDE["tree"]}, rng=0)
    percent = te.rank({"svm": 100 * WIDE["svm"], "tree": 100 * WIDE["tree"]}, rng=0)
    assert share.posterior is not None
    assert percent.posterior is not None
    assert percent.posterior.rope_width == 1
    assert percent.posterior.rope == pytest.approx(share.posterior.rope, abs=0.01)
    assert percent.verdict == share.verdict
    # Shares of which one is above 1 are none either, by whatever name.
    odd = {
        "dataset": list("abcdef") * 2,
        "model": ["x"] * 6 + ["y"] * 6,
        "accuracy": [0.8, 0.9, 0.7, 0.8, 0.9, 1.2] * 2,
    }
    assert te.rank(odd).percent is None
    # Losses are no percentages, whatever their size.
    assert te.rank({"a": [30.0, 31, 32, 33, 34, 36], "b": [40.0] * 6}, higher_is_better=False).percent is None


def test_rows_that_only_numbers_name_are_asked_about() -> None:
    folds = pd.DataFrame({"a": [0.8, 0.82, 0.81], "b": [0.79, 0.8, 0.8]})
    with pytest.raises(ValueError, match="data sets, or folds of one"):
        te.rank(folds)
    assert te.rank(folds.assign(fold=range(3))).n == 1
    assert te.rank(folds.assign(dataset=list("xyz"))).n == 3
    one = str(te.rank(folds.assign(fold=range(3), c=[0.7, 0.7, 0.71])))
    assert "F = undefined" not in one
    assert "one data set cannot show a difference of mean ranks" in one


def test_skewed_differences_are_not_called_better_without_a_word() -> None:
    gaps = np.array([0.01, 0.011, 0.012, 0.013, 0.014, 0.015, 0.016, 0.017, 0.018, -0.15])
    made = te.rank({"a": 0.7 + gaps, "b": np.full(10, 0.7)})
    assert made["a", "b"].p_value <= 0.1
    sure = te.rank({"a": 0.7 + np.r_[gaps, gaps[:9] + 0.0005], "b": np.full(19, 0.7)})
    assert sure["a", "b"].p_value <= 0.05
    assert "signed ranks describe the middle of the differences" in sure.verdict


def _splits(k: int, **sizes: int) -> list[dict[str, object]]:
    gaps = np.random.default_rng(3).normal(0.02, 0.02, k)
    return [
        {"learner": m, "split": i, "accuracy": 0.8 + gap * (m == "a"), **sizes}
        for i, gap in enumerate(gaps.tolist())
        for m in "ab"
    ]


@pytest.mark.parametrize("names", [("n_test", "n_train"), ("test size", "train size"), ("test_rows", "train_rows")])
def test_rows_of_random_splits_in_the_table_make_the_correction(names):
    sizes = dict(zip(names, (20, 80), strict=True))
    made = te.rank(pd.DataFrame(_splits(30, **sizes)), fold="split")
    asked = te.rank(pd.DataFrame(_splits(30)), fold="split", value="accuracy", test_train_ratio=0.25)
    assert made.within[0].p_value == pytest.approx(asked.within[0].p_value)
    unsaid = te.rank(pd.DataFrame(_splits(30)), fold="split")
    assert unsaid.within[0].p_value < made.within[0].p_value
    assert [("test_train_ratio=" in r.reading) for r in (made, asked, unsaid)] == [False, False, True]
    # Nor are they learners of a wide table.
    wide = {"fold": range(5), "a": [0.9, 0.8, 0.7, 0.8, 0.9], "b": [0.8] * 5, **{n: [v] * 5 for n, v in sizes.items()}}
    assert {c.first for c in te.rank(wide).within} | {c.second for c in te.rank(wide).within} == {"a", "b"}


@pytest.mark.parametrize(("name", "share"), [("log loss", False), ("brier", False), ("zero_one_loss", True)])
def test_losses_below_one_are_no_shares(name, share):
    scores = {"dataset": list("aabbcc"), "learner": list("xy") * 3, name: [0.2, 0.3, 0.4, 0.35, 0.5, 0.7]}
    made = te.rank(scores, higher_is_better=False)
    assert made.share is share
    assert ("points" in str(made)) is share
