"""te.lesion_study: parts of every kind, the same folds and seeds, tests, seeds apart from folds."""

import math
import pickle
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from study_learners import Nearest

import trueerror as te
from trueerror.studies._ablation import Ablated, find_parts


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(3)
    y = np.arange(240) % 2
    X = pd.DataFrame(
        {
            "a_1": rng.normal(size=240) + 2.2 * y,
            "a_2": rng.normal(size=240) + 0.6 * y,
            "b_1": rng.normal(size=240) + 0.6 * y,
            "noise": rng.normal(size=240),
        }
    )
    return X, y


PARTS = {"a": "a_*", "b": "b_1", "noise": ["noise"]}


@pytest.fixture(scope="module")
def study(frame):
    return te.lesion_study(
        Nearest(), *frame, parts=PARTS, variants=("leave-one-out", "add-one-in", "pairs"), plan=te.KFold(10, repeats=2),
        progress=False,
    )  # fmt: skip


def test_the_informative_part_is_found_and_noise_is_not(study):
    assert study["a"].helps()
    assert study["a"].difference.low > 0
    assert not study["noise"].helps()
    assert not study["noise"].hurts()
    assert next(c.name for c in study.of_kind("leave-one-out")) == "a"
    words = " ".join(str(study).split())
    assert "a contributes" in words
    assert "No clear effect: b and noise" in words


def test_a_contribution_is_the_full_system_less_the_one_without(study, frame):
    X, y = frame
    learners = {"full": Nearest(), "without": Nearest(columns=(2, 3))}
    run = te.experiment(learners, (X, y), plan=te.KFold(10, repeats=2), progress=False)
    expected = run.compare("accuracy")["full", "without"]
    made = study["a"].difference.alone()
    assert made.estimate == pytest.approx(expected.estimate)
    assert (made.low, made.high) == pytest.approx((expected.low, expected.high))
    assert made.p_value == pytest.approx(expected.p_value)
    assert study.full.estimate == pytest.approx(run.estimate("full").estimate)


def test_a_table_of_variants_has_one_number_of_decimals(study):
    narrow = replace(study.contributions[0].difference, estimate=0.1, low=0.0996, high=0.1004)
    changed = replace(
        study, contributions=(replace(study.contributions[0], difference=narrow), *study.contributions[1:])
    )
    assert {len(x) for row in changed._variants().rows for cell in row[1:4] for x in re.findall(r"\.(\d+)", cell)} == {
        4
    }


def test_holm_within_each_kind(study):
    for kind in study.kinds:
        own = study.of_kind(kind)
        values = [c.difference.p_value for c in own]
        np.testing.assert_allclose([c.difference.p_adjusted for c in own], te.significance.adjust(values))


def test_pairs_have_an_interaction(study):
    pair = study["a + b"]
    single = study["a"].difference.estimate + study["b"].difference.estimate
    assert pair.interaction.estimate == pytest.approx(pair.difference.estimate - single)
    assert pair.removed == ("a", "b")
    assert study["a"].interaction is None


def test_added_parts_stand_against_none_of_them(study):
    alone = {c.name: c for c in study.of_kind("add-one-in")}
    assert set(alone) == {"a", "b", "noise"}
    assert alone["a"].removed == ("b", "noise")
    assert alone["a"].helps()
    assert study.base.estimate == pytest.approx(0.5, abs=0.1)
    assert alone["a"].difference.estimate == pytest.approx(alone["a"].estimate.estimate - study.base.estimate)


def test_lower_is_better_turns_the_difference(frame):
    made = te.ablation(
        Nearest(), *frame, parts=PARTS, metric="error_rate", plan=te.KFold(10, repeats=2), progress=False
    )
    assert made["a"].difference.estimate > 0
    assert made["a"].helps()


@pytest.mark.parametrize(
    ("given", "columns"),
    [("a_*", (0, 1)), ("noise", (3,)), (["a_1", "b_*"], (0, 2)), (2, (2,)), (-1, (3,)), ([0, 3], (0, 3)),
     (slice(1, 3), (1, 2)), ([True, False, False, True], (0, 3))],
)  # fmt: skip
def test_columns_by_name_prefix_position_slice_and_mask(frame, given, columns):
    (part,) = find_parts({"p": given}, frame[0], Nearest())
    assert (part.kind, part.columns) == ("columns", columns)


@pytest.mark.parametrize(
    ("given", "words"),
    [("c_*", "no column begins"), ("nois", "noise"), (9, "no column"), ([True], "mask"), ("step:scale", "no pipeline"),
     ({"depth": 1}, "no setting 'depth'"), ([], "no columns")],
)  # fmt: skip
def test_parts_that_do_not_exist_are_told(frame, given, words):
    with pytest.raises(ValueError, match=words):
        find_parts({"p": given}, frame[0], Nearest())


def test_names_need_a_frame():
    with pytest.raises(ValueError, match="no column names"):
        find_parts({"p": "a"}, np.zeros((3, 2)), Nearest())
    with pytest.raises(ValueError, match="say which"):
        find_parts(None, np.zeros((3, 100)), Nearest())
    assert [p.name for p in find_parts(None, np.zeros((3, 2)), Nearest())] == ["column 0", "column 1"]


def test_steps_settings_transformations_and_learners(frame):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = frame
    system = Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())])
    parts = {
        "scaling": "step:scale",
        "penalty": {"model__C": 1e-6},
        "values": lambda rows: 0 * rows,
        "learning": LogisticRegression(C=1e-6),
    }
    made = te.lesion_study(system, X, y, parts=parts, plan=5, progress=False)
    assert made["values"].helps()
    assert made["penalty"].estimate.estimate < made.full.estimate + 1e-9
    assert set(made.curves) == {"full system", *(f"without {p}" for p in parts)}
    assert made.curves["full system"].auc().estimate > made.curves["without values"].auc().estimate
    with pytest.raises(ValueError, match="last step"):
        te.lesion_study(system, X, y, parts={"model": "step:model"}, plan=5)
    with pytest.raises(ValueError, match="learner of its own"):
        te.lesion_study(system, X, y, parts=parts, variants="pairs", plan=5)


def test_seeds_are_apart_from_folds(frame):
    steady = te.lesion_study(Nearest(), *frame, parts=PARTS, plan=5, seeds=3, progress=False)
    shaky = te.lesion_study(Nearest(noise=0.8), *frame, parts=PARTS, plan=5, seeds=3, progress=False)
    assert all(c.seed_sd == 0 for c in steady.contributions)
    once = te.lesion_study(Nearest(), *frame, parts=PARTS, plan=5, progress=False)
    assert steady["a"].difference == once["a"].difference
    assert shaky["a"].seed_sd > 0.01
    assert "Seeds alone" in str(shaky)
    assert math.isnan(once["a"].seed_sd)


def test_variants_share_their_random_states(frame):
    # Without a lesion, a noisy learner is the same noisy learner: the full system against itself.
    same = te.lesion_study(Nearest(noise=0.5), *frame, parts={"nothing": lambda X: X}, plan=5, progress=False)
    assert same["nothing"].difference.estimate == 0
    assert same["nothing"].p == 1
    assert 0 < same["nothing"].difference.high < 0.05
    assert not same["nothing"].helps()


@pytest.mark.parametrize("how", ["drop", "constant"])
def test_columns_are_dropped_or_made_constant(frame, how):
    made = te.lesion_study(Nearest(), *frame, parts={"a": "a_*"}, how=how, plan=5, progress=False)
    assert made["a"].helps()


@pytest.mark.parametrize(
    "build", [pd.DataFrame, pl.DataFrame, lambda d: pa.table(d), lambda d: np.column_stack(list(d.values()))]
)
def test_every_kind_of_table(frame, build):
    X = build({c: frame[0][c].to_numpy() for c in frame[0]})
    kept = Ablated(Watch(), (1, 3)).fit(X, frame[1]).learner.shape
    assert kept == (240, 2)


class Watch:
    def fit(self, X, y):
        self.shape = X.shape
        return self

    def predict(self, X):
        return np.zeros(X.shape[0])


def test_an_ablated_learner_has_what_the_learner_has():
    plain, scored = Ablated(Watch()), Ablated(Nearest(), (1,))
    assert not hasattr(plain, "predict_proba")
    assert hasattr(scored, "predict_proba")
    assert not hasattr(scored, "classes_")
    copied = pickle.loads(pickle.dumps(scored))
    assert copied.get_params()["learner__noise"] == 0.0
    assert copied.set_params(learner__noise=2.0).learner.noise == 2.0


def test_it_is_written_down_and_read_back(study, tmp_path):
    again = te.load(study.to_json())
    assert again == study
    assert again["a"].difference == study["a"].difference
    assert len(study.frame()) == len(study.contributions) == 9
    assert "Formula:" in study.explain()


def test_a_store_is_gone_on_with(frame, tmp_path):
    made = [te.lesion_study(Nearest(), *frame, parts=PARTS, plan=5, store=tmp_path / "s", progress=False) for _ in "ab"]
    assert made[0] == made[1]


def test_pictures(study, frame, tmp_path):
    study.save(tmp_path / "parts.svg")
    assert "noise" in (tmp_path / "parts.svg").read_text()
    study.save(tmp_path / "roc.svg", show="roc")
    assert "without noise" in (tmp_path / "roc.svg").read_text()
    assert study.draw() is not None
    silent = te.lesion_study(Watch(), *frame, parts=PARTS, plan=5, progress=False)
    with pytest.raises(ValueError, match="no ROC curves"):
        silent.plot(show="roc")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"variants": "leave-two-out"}, "variants="),
        ({"plan": te.Holdout()}, "several test folds"),
        ({"parts": {}}, "empty"),
        ({"parts": {"a": 0}, "variants": "add-one-in"}, "at least two"),
        ({"metric": "prevalence"}, "better end"),
    ],
)
def test_what_cannot_be_is_told(frame, options, words):
    with pytest.raises(ValueError, match=words):
        te.lesion_study(Nearest(), *frame, **{"parts": PARTS, "plan": 5, "progress": False, **options})


def test_studies_carry_findings():
    rng = np.random.default_rng(2)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 2))
    study = te.lesion_study(Nearest(), X, y, plan=te.KFold(5), progress=False)
    curve = te.learning_curve(Nearest(), X, y, sizes=[10, 20, 40], folds=3, repeats=1, progress=False)
    for made in (study, curve):
        assert {"TE201", "TE504", "TE506"} <= set(made.findings.codes)
        assert "! TE506" in str(made)
        assert te.load(made.to_json()).findings == made.findings
    assert {f.about for f in study.findings if f.code == "TE201"} == {"full system"}
    clear = te.lesion_study(Nearest(), X + 4.0 * y[:, None], y, plan=te.KFold(2, repeats=2), progress=False)
    assert "TE201" not in clear.findings
    assert "TE506" not in clear.findings
