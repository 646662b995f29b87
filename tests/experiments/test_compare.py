"""`.compare` and `.rank`: pairs over the same test folds, corrected by default; data sets are not folds."""

import numpy as np
import pytest

import trueerror as te
from trueerror.inference._bayes import bayes_correlated_t
from trueerror.inference._contrast import student_quantile
from trueerror.inference._many import with_anchor
from trueerror.inference.learner._intervals import nested_error
from trueerror.inference.loss._t_tests import corrected_t, five_by_two_f, five_by_two_t, paired_t, unpaired_t
from trueerror.inputs._options import InputError


class Centroid:
    """The nearest class mean over the first columns."""

    def __init__(self, columns=2):
        self.columns = columns

    def get_params(self, deep=True):
        return {"columns": self.columns}

    def set_params(self, **given):
        return self

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means = np.array([X[y == c, : self.columns].mean(axis=0) for c in self.classes_])
        return self

    def predict_proba(self, X):
        gaps = ((X[:, None, : self.columns] - self.means[None]) ** 2).sum(axis=2)
        weight = np.exp(-(gaps - gaps.min(axis=1, keepdims=True)) / 2)
        return weight / weight.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def rows(n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(0, 1, (n, 4)) + y[:, None] * np.array([0.8, 0.8, 0.8, 0]), y


LEARNERS = {"one": Centroid(1), "two": Centroid(2), "three": Centroid(3)}


def made(plan, data=None, learners=None):
    return te.experiment(learners or LEARNERS, data or rows(), plan=plan, jobs=1, progress=False)


@pytest.fixture(scope="module")
def tens():
    return made(te.KFold(10, repeats=10))


def same(a, b):
    assert (a.estimate, a.low, a.high, a.statistic, a.p_value) == pytest.approx(
        (b.estimate, b.low, b.high, b.statistic, b.p_value), abs=1e-12
    )


def test_corrected_t_of_each_pair_adjusted_by_holm_or_from_the_best(tens):
    cmp = tens.compare()
    scores = tens.fold_scores("accuracy")
    raw = {}
    for a, b in (("one", "two"), ("one", "three"), ("two", "three")):
        known = corrected_t(scores.of(a) - scores.of(b), test_train_ratio=1 / 9)
        same(cmp[a, b].alone(), known)
        assert cmp[a, b].low < known.low < known.high < cmp[a, b].high
        assert cmp[a, b].df == 99
        raw[a, b] = known.p_value
    holm = te.significance.adjust(list(raw.values()))
    assert cmp.best == cmp.ranked[0]
    from_best = {c.first: c.p_adjusted for c in with_anchor([c.alone() for c in cmp.pairs], cmp.best, chosen=True)}
    for c, p in zip(cmp.pairs, holm.tolist(), strict=True):
        other = {c.first, c.second} - {cmp.best}
        assert c.p_adjusted == pytest.approx(p if len(other) == 2 else from_best[other.pop()], abs=1e-12)
    assert "TE504" not in cmp.findings
    assert "TE503" not in cmp.findings
    assert "the two learners, at 108 training rows" in cmp.pairs[0].estimand


def test_plain_t_on_request_is_optimistic_and_says_so(tens):
    plain = tens.compare(method="plain-t")
    scores = tens.fold_scores("accuracy")
    same(plain["one", "two"].alone(), paired_t(scores.of("one"), scores.of("two")))
    assert plain["one", "two"].p_value < tens.compare()["one", "two"].p_value
    assert "TE503" in plain.findings
    assert plain.estimates["one"].method == "fold-t"


def test_one_round_is_conservative_and_small_parts_are_found():
    cmp = made(te.KFold(10)).compare()
    assert "TE504" in cmp.findings
    assert "TE506" in cmp.findings
    assert "TE506" not in made(te.KFold(4)).compare().findings


def test_unpaired_folds_on_request(tens):
    scores = tens.fold_scores("accuracy")
    same(
        tens.compare(method="unpaired")["one", "two"].alone(),
        unpaired_t(scores.of("one"), scores.of("two"), df="conservative"),
    )


def test_five_by_two():
    run = made(te.KFold(2, repeats=5))
    d = (run.fold_scores("accuracy").of("one") - run.fold_scores("accuracy").of("two")).reshape(5, 2)
    same(run.compare(method="five-by-two-t")["one", "two"].alone(), five_by_two_t(d))
    found = run.compare(method="five-by-two-f")
    same(found["one", "two"].alone(), five_by_two_f(d))
    assert "TE505" in found.findings
    with pytest.raises(InputError, match=r"KFold\(2, repeats=5\)"):
        made(te.KFold(5)).compare(method="five-by-two-t")
    with pytest.raises(InputError, match="no sides"):
        run.compare(method="five-by-two-f", alternative="greater")


def test_bayesian_correlated_t(tens):
    """Under a flat prior the corrected t is the correlated t-test of Corani and Benavoli: ρ/(1 − ρ) = test/train."""
    d = tens.fold_scores("accuracy").of("two") - tens.fold_scores("accuracy").of("one")
    known = bayes_correlated_t(d, rho=0.1, rope=0.01)
    mine = tens.compare().bayes("two", "one", rope=0.01)
    assert (mine.left, mine.rope, mine.right) == pytest.approx((known.left, known.rope, known.right), abs=1e-9)


def test_bates_of_the_difference():
    run = made(te.BatesCV(4, repeats=2))
    cmp = run.compare()
    c = cmp["two", "one"]
    assert c.method == "bates-difference"
    # Swapped, the sign flips and the error stays.
    again = made(te.BatesCV(4, repeats=2), learners={"two": Centroid(2), "one": Centroid(1)}).compare()["two", "one"]
    same(c.alone(), again)
    losses = [run.pair_losses(x) for x in ("one", "two")]
    means = [nested_error(x).mean for x in losses]
    assert c.estimate == pytest.approx(means[0] - means[1], abs=1e-12)  # the estimate is linear in the losses
    assert run.compare(metric="auc").pairs[0].method == "corrected-t-test"


def test_holdout_and_leave_one_out_compare_models_row_by_row():
    for plan in (te.Holdout(), te.LeaveOneOut()):
        cmp = made(plan).compare()
        assert cmp.pairs[0].method == "mcnemar-mid-p"
        # The rows of a holdout are new to both models; those of leave-one-out are new to one model each.
        assert ("TE510" in cmp.findings) is (plan.name == "LeaveOneOut")


def test_bootstrap_counts_distinct_training_rows():
    run = made(te.Bootstrap(20))
    scores = run.fold_scores("accuracy")
    tested = scores.tests.mean()
    known = corrected_t(scores.of("one") - scores.of("two"), test_train_ratio=tested / (120 - tested))
    cmp = run.compare()
    same(cmp["one", "two"].alone(), known)
    assert run.summary().verdicts["data"].startswith("On the rows left out (the table: 632+): ")
    assert f"at {round(120 - tested)} training rows" in cmp.estimand
    assert scores.test_train_ratio == pytest.approx(tested / (120 - tested))


@pytest.mark.parametrize(
    ("plan", "method"),
    [(te.Bootstrap(10), None), (te.BatesCV(3, repeats=2), None), (te.BatesCV(3, repeats=2), "corrected-t"),
     (te.KFold(5), "plain-t"), (te.DisjointHalves(2, 3), None), (te.LeaveOneOut(), None), (te.Holdout(), None)],
    ids=str,
)  # fmt: skip
def test_differences_are_those_of_the_estimates_beside_them(plan, method):
    cmp = made(plan).compare(method=method)
    for c in cmp.pairs:
        gap = cmp.estimates[c.first].estimate - cmp.estimates[c.second].estimate
        assert c.estimate == pytest.approx(gap, abs=1e-12)


def test_lower_is_better_turns_the_probability_about(tens):
    up, down = tens.compare()["two", "one"], tens.compare("error_rate")["two", "one"]
    assert up.estimate == pytest.approx(-down.estimate, abs=1e-12)
    assert up.p_better == pytest.approx(down.p_better, abs=1e-9)
    assert tens.compare("error_rate").best == tens.compare().best


def test_identical_learners_are_not_told_apart():
    run = made(te.KFold(5, repeats=2), learners={"a": Centroid(), "b": Centroid()})
    z2 = student_quantile(0.95, "two-sided") ** 2
    for metric in ("accuracy", "brier"):
        both = run.compare(metric)["a", "b"]
        assert both.p_value == 1
        assert (both.low, both.high) == pytest.approx((-z2 / (120 + z2), z2 / (120 + z2)), abs=1e-12)
        assert "the models agree on every test row" in both.note
    # An AUC is no mean over rows: all that is known are the ends of its range.
    assert (run.compare("auc")["a", "b"].low, run.compare("auc")["a", "b"].high) == (-1, 1)
    assert "infinite" not in str(run.compare())


def test_limits_never_leave_the_range_of_a_difference():
    cmp = made(te.KFold(2), rows(12)).compare()
    assert all(-1 <= c.low <= c.estimate <= c.high <= 1 for c in cmp.pairs)
    assert any(c.high == 1 for c in cmp.pairs)
    assert made(te.KFold(5)).compare(alternative="greater").pairs[0].high == 1


def test_one_reference_margin_and_words(tens):
    cmp = tens.compare(reference="one", margin=0.05)
    assert len(cmp.pairs) == 2
    assert len(cmp.within_margin) == 2
    assert "these learners at 108 training rows" in str(cmp)
    assert "Nadeau" in str(cmp.explain())
    assert te.load(cmp.to_json()) == cmp


def test_questions_that_cannot_be_answered(tens):
    with pytest.raises(InputError, match="one learner"):
        tens.compare(learners=["one"])
    with pytest.raises(InputError, match="reference='on' is not among"):
        tens.compare(reference="on")
    with pytest.raises(InputError, match="not known for learners"):
        tens.compare(method="z")
    run = made(te.KFold(3), {"a": rows(seed=1), "b": rows(seed=2)})
    with pytest.raises(InputError, match="2 data sets; choose one of a, b"):
        run.compare()


def test_rank_over_data_sets_counts_data_sets_not_folds():
    data = {f"d{i}": rows(60, seed=i) for i in range(6)}
    run = made(te.KFold(3, repeats=2), data)
    ranking = run.rank()
    assert ranking.data_sets == tuple(data)
    for i, name in enumerate(data):
        assert ranking.scores[i] == pytest.approx(run.fold_scores("accuracy", name).values.mean(axis=1), abs=1e-9)
    known = corrected_t(
        run.fold_scores("accuracy", "d0").of("one") - run.fold_scores("accuracy", "d0").of("two"),
        test_train_ratio=1 / 2,
    )
    same(ranking.on("d0", "one", "two").alone(), known)
    table = {x: [float(run.fold_scores("accuracy", d).of(x).mean()) for d in data] for x in LEARNERS}
    assert ranking.order == te.rank(table).order
    assert "TE507" not in run.rank().findings
    assert "TE507" in run.rank(adjust="holm").findings  # six data sets and three pairs: 2^-5 · 3 is beyond .05
    assert run.rank(metric="error_rate").order == ranking.order


def test_rank_takes_families_of_data_sets():
    run = made(te.KFold(3), {f"{f}{i}": rows(60, seed=i) for i, f in enumerate("aabbc")})
    by_stem, alone = run.rank(family="stem"), run.rank()
    assert by_stem.data_sets == ("a", "b", "c")
    assert by_stem.scores[0] == pytest.approx(np.mean(alone.scores[:2], axis=0))
    assert run.rank(family=dict(zip(alone.data_sets, "xxyyz", strict=True))).scores == by_stem.scores
    with pytest.raises(InputError, match="has no family of"):
        run.rank(family="kind")


def test_the_picture_shows_the_test_parts_behind_the_intervals(tens):
    from trueerror.plots.compose.forests import comparison_picture

    cmp = tens.compare()
    made = comparison_picture(cmp)
    differences, own = made.panels
    scores = tens.fold_scores("accuracy")
    other = differences.rows[0]
    assert other.points == pytest.approx(tuple(100 * (scores.of(other.label) - scores.of(cmp.best))), abs=1e-9)
    assert np.mean(other.points) == pytest.approx(other.estimate, abs=1e-9)
    assert {r.label: r.points for r in own.rows}["one"] == pytest.approx(100 * scores.of("one"))
    assert own.domain[0] <= min(min(r.points) for r in own.rows)
    assert made.title == "3 learners compared"
    points = sum(min(len(r.points), 100) for panel in made.panels for r in panel.rows)
    assert points > 400
    assert cmp.plot().svg.count('class="dot"') == points
    cmp.draw()
