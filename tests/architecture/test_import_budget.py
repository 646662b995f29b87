"""Importing costs next to nothing, and the light paths stay light."""

import json
import subprocess
import sys

PROBE = """
import sys, json
{code}
print(json.dumps(sorted(m for m in {heavy!r} if m in sys.modules)))
"""
HEAVY = [
    "numpy",
    "scipy",
    "sklearn",
    "pandas",
    "polars",
    "duckdb",
    "matplotlib",
    "jinja2",
    "numba",
    "scipy.stats",
    "pyarrow",
]


def loaded(code: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(code=code, heavy=HEAVY)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return json.loads(done.stdout.splitlines()[-1])


def import_seconds(tries: int = 7) -> float:
    """Processor time of the import alone, in a fresh process: a busy machine does not disturb it."""
    code = "import time; s = time.process_time(); import trueerror; print(time.process_time() - s)"
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(tries)
    ]
    return min(float(run.stdout) for run in runs)


def test_import_loads_nothing_heavy():
    assert loaded("import trueerror") == []


def test_import_takes_less_than_50_ms_beyond_bare_python():
    assert import_seconds() < 0.05


def test_an_interval_needs_neither_numpy_nor_scipy():
    assert loaded("import trueerror as te; te.interval(750, 1000, confidence=0.8)") == []


def test_evaluate_keeps_out_scikit_learn_scipy_stats_and_data_frames():
    code = "import trueerror as te; str(te.evaluate([0, 1] * 20, [0, 1] * 15 + [1, 0] * 5))"
    assert not set(loaded(code)) & {"sklearn", "pandas", "polars", "duckdb", "scipy.stats", "matplotlib", "jinja2"}


def test_compare_keeps_out_scikit_learn_and_data_frames():
    code = "import trueerror as te; str(te.compare([0, 1] * 20, {'a': [0, 1] * 20, 'b': [1, 0] * 20}))"
    assert not set(loaded(code)) & {"sklearn", "pandas", "polars", "duckdb", "matplotlib", "jinja2"}


def test_a_picture_in_a_notebook_needs_no_plotting_library():
    code = (
        "import trueerror as te\n"
        "te.evaluate([0, 1] * 20, [0, 1] * 15 + [1, 0] * 5).plot()._repr_mimebundle_()\n"
        "te.roc([0, 1] * 20, [0.2, 0.7] * 15 + [0.6, 0.4] * 5).plot().html"
    )
    assert not set(loaded(code)) & {"sklearn", "pandas", "polars", "duckdb", "matplotlib", "jinja2", "scipy.stats"}


def test_polars_in_polars_out_without_pandas():
    code = (
        "import polars as pl, trueerror as te\n"
        "t = pl.DataFrame({'truth': [0, 1] * 20, 'm': [0, 1] * 15 + [1, 0] * 5})\n"
        "f = te.evaluate(te.read(t)).frame()\n"
        "assert isinstance(f, pl.DataFrame), type(f)"
    )
    assert "pandas" not in loaded(code)
