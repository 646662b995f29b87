"""te.learning_curve: sizes, pairing, extrapolation, refusal, crossing, stopping, the store."""

import math

import numpy as np
import pytest
from study_learners import Late, Nearest, Neighbours, Spoilt, two_normals

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.studies._curve_shapes import curve_crossing

SIZES = [10, 20, 40, 80, 160]


@pytest.fixture(scope="module")
def curve():
    X, y = two_normals(200, np.random.default_rng(1))
    learners = {"means": Nearest(), "neighbour": Neighbours()}
    return te.learning_curve(learners, X, y, sizes=SIZES, repeats=3, progress=False)


def test_every_learner_has_a_point_at_every_size(curve):
    assert [(p.learner, p.size) for p in curve.points] == [(m, s) for m in ("means", "neighbour") for s in SIZES]
    for p in curve.points:
        assert p.low < p.estimate < p.high
        assert p.training_low <= p.training <= p.training_high
        assert p.splits == 15
        assert p.rmse == pytest.approx(math.hypot(p.bias, p.sd))
    assert all(p.training == 0 and p.training_high > 0 for p in curve.of("neighbour"))
    assert curve.of("means")[-1].bias == 0


def test_points_are_what_an_experiment_finds(curve):
    X, y = two_normals(200, np.random.default_rng(1))
    run = te.experiment({"means": Nearest()}, (X, y), plan=te.KFold(5, repeats=3), progress=False)
    # The largest size is the whole training set, so the errors are those of plain cross-validation.
    assert curve.of("means")[-1].estimate == pytest.approx(run.fold_scores("error_rate").values.mean())
    whole = run.estimate("means", metric="error_rate", method="corrected-t")
    assert curve["means", 160].low == pytest.approx(whole.low)


def test_twice_the_data_in_words(curve):
    made = curve.extrapolate(learner="means")
    assert made.low < made.estimate < made.high
    assert "at 400 training rows" in made.estimand
    assert made.estimate <= curve.of("means")[-1].high
    said = " ".join(str(curve).split())
    expected = f"At twice the data (400 rows, 2.5 times the largest size) expect error rate {made.estimate:.3f}"
    assert expected in said
    assert "the median of curves fitted to resampled splits" in said
    assert "Formula:" in made.explain()
    wider = curve.extrapolate(400, "means", confidence=0.99)
    assert wider.width > made.width
    assert "too far to be reliable" in curve.extrapolate(10_000, "means").note


def test_no_hope_is_said_where_nothing_better_is_expected(curve):
    for learner in curve.learners:
        ahead = curve.extrapolate(learner=learner)
        if math.isnan(ahead.estimate):
            continue
        line = next(one for one in curve.verdict.split("\n") if one.startswith(f"{learner}:"))
        assert ("No clear gain" in line) == (curve.benefit(learner=learner).high >= 0)


def test_the_training_rows_stand_in_the_legend_once(curve):
    svg = curve.plot().svg
    legend = svg[svg.index('class="legend"') :]
    assert legend.count(">on the training rows<") == 1
    # One entry for each learner, one for the training rows.
    assert legend.count('y2="-4"') == len(curve.learners) + 1
    legend = curve.draw().get_legend()
    assert [t.get_text() for t in legend.get_texts()].count("on the training rows") == 1


def test_a_forced_form_is_used(curve):
    X, y = two_normals(200, np.random.default_rng(1))
    flat = te.learning_curve(Nearest(), X, y, sizes=SIZES, repeats=3, form="flat", progress=False)
    assert flat.best_form().form == "flat"
    assert flat.extrapolate(400).estimate > curve.extrapolate(400, "means").estimate


def test_a_curve_that_rises_is_not_extrapolated():
    X, y = two_normals(200, np.random.default_rng(2))
    made = te.learning_curve({"spoilt": Spoilt()}, X, y, sizes=SIZES, progress=False)
    assert not made.well_behaved()
    assert made.rise().p_adjusted < 0.05
    ahead = made.extrapolate()
    assert math.isnan(ahead.estimate)
    assert "gets worse" in ahead.note
    assert "more rows made it worse" in str(made)
    assert not math.isnan(made.extrapolate(anyway=True).estimate)


def test_a_curve_that_no_form_fits_is_not_extrapolated():
    X, y = two_normals(400, np.random.default_rng(5))
    made = te.learning_curve({"late": Late()}, X, y, sizes=[10, 20, 40, 80, 160, 320], progress=False)
    size, off = made.misfit()
    assert size in (10, 40, 80)
    assert abs(off) > 0.05
    assert math.isnan(made.extrapolate().estimate)
    assert "no fitted curve passes through the points" in str(made).replace("\n  ", " ")
    assert not math.isnan(made.extrapolate(anyway=True).estimate)


def test_constant_answers_are_well_behaved_and_have_width():
    X, y = two_normals(60, np.random.default_rng(2))
    X[:, 0] = 100.0 * y
    made = te.learning_curve(Nearest(columns=(0,)), X, y, sizes=[8, 16, 32, 48], repeats=2, progress=False)
    assert made.well_behaved()
    assert all(p.estimate == 0 and p.low == 0 and p.high > 0.02 for p in made.points)
    ahead = made.extrapolate()
    assert (ahead.estimate, ahead.low >= 0, ahead.high > 0.005) == (0, True, True)


def test_too_few_sizes_are_not_fitted(rows):
    made = te.learning_curve(Nearest(), *rows, sizes=[20, 100], repeats=2, progress=False)
    assert "too few" in made.extrapolate().note
    assert made.fits == ()
    assert "not extrapolated" in str(made)


def test_crossing_of_a_quick_and_a_late_learner():
    X, y = two_normals(400, np.random.default_rng(5))
    learners = {"late": Late(), "quick": Nearest(columns=(0,))}
    made = te.learning_curve(learners, X, y, sizes=[10, 20, 40, 80, 160, 320], progress=False)
    (found,) = made.crossings
    assert (found.first, found.second) == ("quick", "late")
    assert found.share >= 0.95
    assert 40 <= found.low <= found.size <= found.high <= 80
    assert "late overtakes quick at about" in str(made).replace("\n  ", " ")


def test_crossing_has_the_size_at_which_the_mean_curves_meet():
    rng = np.random.default_rng(0)
    sizes = np.array([10.0, 100.0, 1000.0])
    first = 0.30 + rng.normal(0, 0.01, (20, 3))
    second = np.array([0.40, 0.30, 0.20]) + rng.normal(0, 0.01, (20, 3))
    found = curve_crossing(sizes, first, second, 0.25, 0.95, np.random.default_rng(1))
    assert found.share == 1.0
    assert found.low < 100 < found.high
    assert found.size == pytest.approx(100, rel=0.2)
    # Noisier curves leave more open.
    noisy = curve_crossing(sizes, first, second + rng.normal(0, 0.05, (20, 3)), 0.25, 0.95, np.random.default_rng(1))
    assert noisy.high / noisy.low > found.high / found.low


def test_learners_that_do_not_differ_do_not_cross(rows):
    made = te.learning_curve({"a": Nearest(), "b": Nearest()}, *rows, sizes=SIZES, repeats=2, progress=False)
    assert made.crossings[0].share == 0
    assert math.isnan(made.crossings[0].size)
    assert "overtakes" not in str(made)


def test_progressive_sampling_stops_when_flat():
    X, y = two_normals(1000, np.random.default_rng(3), shift=1.5)
    made = te.learning_curve(Nearest(), X, y, stop=0.02, progress=False)
    assert made.sizes[-1] < 800
    assert "Stopped at" in str(made)
    assert made.gain().high < 0.02
    whole = te.learning_curve(Nearest(), X, y, progress=False)
    assert made.of() == whole.of()[: len(made.sizes)] or made.of()[0].estimate == whole.of()[0].estimate


@pytest.mark.parametrize("metric", ["accuracy", "auc", "brier"])
def test_other_metrics(metric, rows):
    made = te.learning_curve(Nearest(), *rows, sizes=SIZES, repeats=2, metric=metric, progress=False)
    ahead = made.extrapolate()
    assert 0 <= ahead.low < ahead.estimate < ahead.high <= 1
    if metric == "accuracy":
        wrong = te.learning_curve(Nearest(), *rows, sizes=SIZES, repeats=2, progress=False).extrapolate()
        assert ahead.estimate == pytest.approx(1 - wrong.estimate)
        assert ahead.low == pytest.approx(1 - wrong.high)


def test_clusters_stay_together_and_are_counted():
    X, y = two_normals(240, np.random.default_rng(4))
    data = te.Dataset(X, y, clusters=np.arange(240) // 4)
    made = te.learning_curve(Nearest(), data, sizes=[20, 40, 80, 160], repeats=2, progress=False)
    plain = te.learning_curve(Nearest(), X, y, sizes=[20, 40, 80, 160], repeats=2, progress=False)
    assert "60 clusters" in str(made)
    assert made.extrapolate().width > plain.extrapolate().width


def test_a_store_is_gone_on_with(rows, tmp_path):
    first = te.learning_curve(Nearest(), *rows, sizes=SIZES, repeats=2, store=tmp_path / "run", progress=False)
    again = te.learning_curve(Nearest(), *rows, sizes=SIZES, repeats=2, store=tmp_path / "run", progress=False)
    assert first == again
    with pytest.raises(ValueError, match="another plan"):
        te.learning_curve(Nearest(), *rows, sizes=SIZES[1:], repeats=2, store=tmp_path / "run", progress=False)
    stopped = te.learning_curve(Nearest(), *rows, repeats=2, stop=0.5, store=tmp_path / "more", progress=False)
    assert len(stopped.sizes) == 3
    assert sorted(p.name for p in (tmp_path / "more").iterdir()) == sorted(f"size-{s}" for s in stopped.sizes)


def test_it_is_written_down_and_read_back(curve):
    assert te.load(curve.to_json()) == curve
    assert len(curve.frame()) == len(curve.points)
    assert te.load(curve.to_json()).extrapolate(learner="means") == curve.extrapolate(learner="means")


def test_the_same_seed_gives_the_same_curve(rows):
    a, b = (te.learning_curve(Nearest(), *rows, sizes=SIZES, repeats=1, rng=7, progress=False) for _ in range(2))
    assert a == b
    assert a != te.learning_curve(Nearest(), *rows, sizes=SIZES, repeats=1, rng=8, progress=False)


def test_failed_fits_are_left_out(rows):
    class Fussy(Nearest):
        def fit(self, X, y):
            if len(y) == 10 and X[0, 0] > 0:
                raise RuntimeError("too few")
            return super().fit(X, y)

    made = te.learning_curve({"fussy": Fussy(), "means": Nearest()}, *rows, sizes=SIZES, progress=False)
    assert any("left out" in note for note in made.notes)
    assert made.of("fussy")[0].splits < 20 == made.of("means")[0].splits


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"metric": "prevalence"}, "better end"),
        ({"form": "powder"}, "power"),
        ({"stop": 0}, "stop=0"),
        ({"sizes": [10, 1000]}, "neither"),
        ({"confidence": 95}, "0.95"),
        ({"folds": 1}, "at least 2"),
    ],
)
def test_what_cannot_be_is_told(rows, options, words):
    with pytest.raises(ValueError, match=words):
        te.learning_curve(Nearest(), *rows, progress=False, **options)


def test_pictures(curve, tmp_path):
    for name, options in (("curve", {}), ("spread", {"show": "spread"})):
        curve.save(tmp_path / f"{name}.svg", **options)
        text = (tmp_path / f"{name}.svg").read_text()
        assert "training rows" in text
        assert "means" in text
    ax = curve.draw()
    assert ax.get_xlabel() == "training rows"
    assert "400" in [t.get_text() for t in ax.get_xticklabels()]
    with pytest.raises(ValueError, match="spread"):
        curve.plot(show="spred")


def test_infinite_losses_are_told():
    class Sure(Nearest):
        def predict_proba(self, X):
            return (super().predict_proba(X) > 0.5).astype(float)

    X, y = two_normals(100, np.random.default_rng(0), shift=0.3)
    with pytest.raises(ValueError, match="finite log loss at every size in 0 of 5 splits"):
        te.learning_curve({"sure": Sure()}, X, y, repeats=1, metric="log_loss", progress=False)


def test_jobs_change_nothing(rows):
    from sklearn.naive_bayes import GaussianNB

    options = {"sizes": SIZES, "repeats": 1, "progress": False}
    alone = te.learning_curve(GaussianNB(), *rows, **options)
    # Processes are tested where experiments are: starting them takes longer than this curve.
    assert te.learning_curve(GaussianNB(), *rows, jobs=2, engine="threading", **options) == alone


def test_hostile_names_stay_text(rows, tmp_path):
    name = "<script>alert(1)</script>\n| `x`"
    made = te.learning_curve({name: Nearest()}, *rows, sizes=SIZES, repeats=1, progress=False)
    assert "<script>alert" not in made._repr_html_()
    assert te.load(made.to_json()) == made
    made.save(tmp_path / "curve.html")
    assert "<script>alert" not in (tmp_path / "curve.html").read_text()


def test_training_shares_trade_bias_for_spread():
    X, y = two_normals(240, np.random.default_rng(3), d=10, shift=0.5)
    made = te.training_shares(Nearest(), X, y, shares=[0.9, 0.1, 0.5], repeats=25, progress=False, rng=0)
    few, half, most = made.of()
    assert made.shares == (0.1, 0.5, 0.9)
    assert (few.size, half.size, most.size) == (24, 120, 216)
    assert few.bias > half.bias > most.bias == 0
    assert few.sd < most.sd
    # One test fold of 24 rows varies at least as much as 24 fresh rows with this error.
    p = most.estimate
    assert most.sd == pytest.approx(np.sqrt(p * (1 - p) / 24), rel=0.35)
    assert few.rmse == pytest.approx(np.hypot(few.bias, few.sd))
    assert made.best() == min(zip([q.rmse for q in made.of()], made.shares, strict=True))[1]
    words = " ".join(str(made).split())
    assert "Training on 10 % of the rows instead of 90 % costs error rate +" in words
    assert "216 test rows" in words
    assert [r["test_rows"] for r in made.records()] == [216, 120, 24]
    assert str(te.load(made.to_json())) == str(made)
    from trueerror.plots.compose.studies import shares_picture

    assert len(shares_picture(made).lines) == 3


@pytest.mark.parametrize("shares", [[0.5], [0, 0.5], [0.5, 1.0], [0.5, 0.501]])
def test_training_shares_that_cannot_be_told_apart(shares):
    X, y = two_normals(40, np.random.default_rng(3))
    with pytest.raises(InputError, match="shares"):
        te.training_shares(Nearest(), X, y, shares=shares, progress=False)
