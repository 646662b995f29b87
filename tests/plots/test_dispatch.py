"""Which picture belongs to which result, and that nothing heavy is loaded before one is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import trueerror as te
from trueerror.inputs._options import InputError
from trueerror.plots import _dispatch as choosing
from trueerror.plots import picture
from trueerror.plots._dispatch import OF_ONE, OF_SEVERAL
from trueerror.results import Table
from trueerror.tallies import Confusion, ScoreTable


@pytest.mark.parametrize("home", [*OF_ONE.values(), *OF_SEVERAL.values()])
def test_every_place_named_exists(home: str) -> None:
    assert callable(choosing._find(home))


def test_results_without_a_picture_say_what_to_do() -> None:
    test = te.Test(name="Q", statistic=1.0, p_value=0.5)
    with pytest.raises(InputError, match="not the tail of a normal, t, χ² or F density: print it"):
        test.plot()
    assert picture(ScoreTable.count([0, 1], [0.1, 0.9])).title == "Scores by class"
    with pytest.raises(InputError, match="a Table has no picture"):
        picture(Table(columns=("a",), rows=()))
    with pytest.raises(InputError, match="a int has no picture"):
        picture(3)


def test_one_picture_shows_one_matrix() -> None:
    t = Confusion([[1, 2], [3, 4]])
    with pytest.raises(InputError, match="one picture shows one Confusion"):
        picture([t, t])
    assert picture([t]).title == "Confusion matrix"


LAZY = """
import sys
import trueerror as te
import trueerror.plots
assert not {"matplotlib", "numpy", "markupsafe"} & set(sys.modules)
i = te.Interval(name="a", estimate=0.5, low=0.4, high=0.6)
i.plot()._repr_mimebundle_()
i.save(sys.argv[1] + "/x.svg")
i.save(sys.argv[1] + "/x.html")
assert not {"matplotlib", "pandas", "scipy.stats"} & set(sys.modules), "text needs none of them"
i.save(sys.argv[1] + "/x.png")
i.save(sys.argv[1] + "/x.pdf")
assert "matplotlib" in sys.modules and "matplotlib.pyplot" not in sys.modules and "pandas" not in sys.modules
"""


def test_nothing_heavy_is_loaded_before_it_is_needed(tmp_path: object) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LAZY, str(tmp_path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
