"""The complete experiments in `examples/`: the same in Python and in TOML, and they run."""

import runpy
from pathlib import Path

import trueerror as te
from trueerror.experiments._learners import learner_fingerprint
from trueerror.experiments._toml import read_recipe

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_script_and_the_recipe_are_one_experiment():
    script = runpy.run_path(str(EXAMPLES / "experiment.py"))
    recipe = read_recipe(EXAMPLES / "experiment.toml")
    assert len(recipe.learners) >= 5
    assert {name: learner_fingerprint(x) for name, x in recipe.learners.items()} == {
        name: learner_fingerprint(x) for name, x in script["learners"].items()
    }
    assert {name: d.fingerprint for name, d in recipe.data.items()} == {
        name: d.fingerprint for name, d in script["data"].items()
    }
    assert recipe.options["plan"] == te.KFold(10, repeats=2)
    # All of it at a fraction of the fits.
    run = te.experiment(recipe.learners, recipe.data, **(recipe.options | {"plan": te.KFold(2)}))
    assert not run.failures
    assert len(run.summary(recipe.metrics).estimates) == 5 * 3 * 2
