"""Experiments in TOML: what they make, and what they refuse."""

import numpy as np
import pytest

import trueerror as te
from trueerror.experiments import _toml
from trueerror.experiments._dataset import read_dataset
from trueerror.experiments._toml import plan_from_toml, read_recipe
from trueerror.inputs._options import FileError, InputError

HEAD = """
seed = 3
store = "out"
metrics = ["accuracy"]
[plan]
kind = "KFold"
k = 3
"""
DATA = """
[data.flowers]
file = "flowers.csv"
target = "kind"
positive = "tulip"
id = "name"
"""
LEARNER = """
[learners.bayes]
class = "sklearn.naive_bayes.GaussianNB"
"""


@pytest.fixture
def folder(tmp_path):
    rows = [f"f{i},{i % 7},{i * 0.5},{'red' if i % 3 else 'blue'},{'tulip' if i % 2 else 'rose'}" for i in range(60)]
    (tmp_path / "flowers.csv").write_text("name,petals,height,colour,kind\n" + "\n".join(rows) + "\n")
    return tmp_path


def write(folder, text):
    path = folder / "experiment.toml"
    path.write_text(text)
    return path


def test_a_recipe_is_read_with_paths_beside_it(folder):
    recipe = read_recipe(write(folder, HEAD + DATA + LEARNER))
    assert recipe.options["plan"] == te.KFold(3)
    assert recipe.options["rng"] == 3
    assert recipe.options["store"] == str(folder / "out")
    flowers = recipe.data["flowers"]
    # petals, height, and a column for each colour
    assert flowers.X.shape == (60, 4)
    assert flowers.positive == "tulip"
    assert flowers.ids[:2].tolist() == ["f0", "f1"]
    assert type(recipe.learners["bayes"]).__name__ == "GaussianNB"


def test_pipelines_and_learners_inside_learners(folder):
    more = """
[learners.bagged]
steps = [
  {class = "sklearn.preprocessing.StandardScaler", with_mean = false},
  {class = "sklearn.ensemble.BaggingClassifier", n_estimators = 3, estimator = {class = "sklearn.svm.SVC", C = 2.0}},
]
"""
    bagged = read_recipe(write(folder, HEAD + DATA + more)).learners["bagged"]
    assert bagged[0].with_mean is False
    assert bagged[1].estimator.C == 2.0


def test_plans_by_kind():
    assert plan_from_toml(7) == te.KFold(7)
    assert plan_from_toml({"kind": "Holdout", "test": 0.25}) == te.Holdout(0.25)
    assert plan_from_toml({"kind": "NestedCV", "outer": 4, "inner": {"kind": "Holdout"}}) == te.NestedCV(
        4, te.Holdout()
    )


def test_missing_numbers_are_nan(tmp_path):
    (tmp_path / "x.csv").write_text("a,b,y\n1,,0\n2,3,1\n,4,1\n")
    X = read_dataset(tmp_path / "x.csv", target="y").X
    assert np.isnan(X).tolist() == [[False, True], [False, False], [True, False]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("seed = ", "is not TOML"),
        ("sed = 1", "'sed' is not known; did you mean 'seed'"),
        (HEAD + LEARNER, r"there must be at least one table \[data.NAME\]"),
        (HEAD + DATA, r"there must be at least one table \[learners.NAME\]"),
        (HEAD.replace("accuracy", "acuracy") + DATA + LEARNER, "did you mean 'accuracy'"),
        (HEAD.replace("KFold", "KFolds") + DATA + LEARNER, "plan.kind = 'KFolds' is not known; did you mean 'KFold'"),
        (HEAD.replace("k = 3", "folds = 3") + DATA + LEARNER, "plan.folds is not a setting of KFold"),
        (HEAD.replace("k = 3", "k = 1") + DATA + LEARNER, "k=1 must be"),
        (HEAD + DATA.replace("flowers.csv", "no.csv") + LEARNER, "no.csv"),
        (HEAD + DATA.replace('"kind"', '"sort"') + LEARNER, "target='sort'"),
        (
            HEAD + DATA.replace('id = "name"', "") + LEARNER,
            r"'name' \(text with 60 different values\) cannot be features",
        ),
        (HEAD + DATA + 'features = ["kind"]' + LEARNER, "features= names 'kind', the column of classes"),
        (HEAD + DATA.replace("tulip", "oak") + LEARNER, "positive='oak' is not among the labels"),
        (HEAD + '[data.x]\nbundled = "iriss"\n' + LEARNER, "did you mean 'iris'"),
        (HEAD + DATA + LEARNER.replace("GaussianNB", "GausianNB"), "has no 'GausianNB'; did you mean 'GaussianNB'"),
        (HEAD + DATA + LEARNER.replace("sklearn.naive_bayes", "nosuch"), "cannot be imported"),
        (HEAD + DATA + LEARNER + "depth = 2\n", "learners.bayes.depth is not a parameter of GaussianNB"),
        (HEAD + DATA + '[learners.x]\nclass = "os.system"\n', "is not an estimator class"),
        (HEAD + DATA + "[learners.x]\nclass = \"__import__('os').system\"\n", "is not an import path"),
        (HEAD + DATA + '[learners.x]\nclass = "sklearn.base.clone"\n', "is not an estimator class"),
        (HEAD + DATA + "[learners.x]\nC = 1\n", "needs either class"),
    ],
)
def test_mistakes_are_named_with_their_place(folder, text, message):
    path = write(folder, text)
    with pytest.raises(InputError, match=message) as error:
        read_recipe(path)
    assert "experiment.toml" in str(error.value)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_every_kind_of_file_gives_the_same_data_set(folder, ending):
    import duckdb

    path = folder / f"again.{ending}"
    form = {"csv": "(HEADER)", "parquet": "(FORMAT parquet)", "jsonl": "(FORMAT json)"}[ending]
    duckdb.sql(f"COPY (SELECT * FROM '{folder / 'flowers.csv'}') TO '{path}' {form}")
    known = te.Dataset.read(folder / "flowers.csv", target="kind", positive="tulip", id="name")
    found = te.Dataset.read(path, target="kind", positive="tulip", id="name")
    assert found.fingerprint == known.fingerprint
    assert found.words() == "60 rows, 30 tulip (positive), 4 features"
    fewer = te.Dataset.read(path, target="kind", features=["petals"], cluster="name")
    assert fewer.words() == "60 rows (30 rose, 30 tulip), 1 feature, 60 clusters"


@pytest.mark.parametrize("ending", ["sqlite", "duckdb"])
def test_a_table_of_a_data_base_is_a_data_set(folder, ending):
    import sqlite3

    import duckdb

    table = duckdb.sql(f"SELECT * FROM '{folder / 'flowers.csv'}'")
    rows, marks = table.fetchall(), ", ".join("?" * len(table.columns))
    named = ", ".join(f"{c} {t}" for c, t in zip(table.columns, table.types, strict=True))
    with (sqlite3 if ending == "sqlite" else duckdb).connect(str(folder / f"two.{ending}")) as database:
        for name in ("may", "june"):
            database.execute(f"CREATE TABLE {name} ({named})")
            database.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    known = te.Dataset.read(folder / "flowers.csv", target="kind", id="name")
    assert te.Dataset.read(folder / f"two.{ending}", target="kind", id="name", table="may").fingerprint == (
        known.fingerprint
    )
    with pytest.raises(FileError, match=r"holds 2 tables \(.*\): name the one that is meant with table="):
        te.Dataset.read(folder / f"two.{ending}", target="kind")
    text = (HEAD + DATA + LEARNER).replace('file = "flowers.csv"', f'file = "two.{ending}"\ntable = "june"')
    (dataset,) = read_recipe(write(folder, text)).data.values()
    assert dataset.n == known.n


def test_a_file_without_end_is_no_experiment(tmp_path, monkeypatch):
    monkeypatch.setattr(_toml, "LONGEST", 20)
    (tmp_path / "long.toml").write_text("# " + "x" * 40)
    with pytest.raises(FileError, match="more than 20 characters"):
        _toml.read_recipe(tmp_path / "long.toml")
