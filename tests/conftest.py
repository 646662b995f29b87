"""What `make quick` leaves out: tests in a browser, on Spark, in other processes, and those of long runs."""

from pathlib import Path

import pytest
from hypothesis import settings

# A slow machine is no error; the same examples each time, so that a run can be repeated (`make fuzz` draws new ones).
settings.register_profile("any-machine", deadline=None, derandomize=True)
settings.load_profile("any-machine")
HERE = Path(__file__).parent
# Folders and files of long runs: simulations, learners that are fitted, whole pages, notebooks, faults by the dozen.
SLOW = (
    "benchmarks",
    "docs",
    "experiments",
    "faults",
    "findings/test_clean_samples.py",
    "golden",
    "kernels/test_cell_draws.py",
    "laws",
    "reports",
    "results/test_notebooks.py",
    "seeds",
    "sources/test_every_source.py",
    "studies",
    "tallies/test_streaming.py",
    "validation",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    slow = [HERE / name for name in SLOW]
    lost = [str(path) for path in slow if not path.exists()]
    if lost:
        raise pytest.UsageError(f"tests/conftest.py calls these slow, but they are gone: {', '.join(lost)}")
    long = {path: any(at in (path, *path.parents) for at in slow) for path in {item.path for item in items}}
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
        if "spark" in item.name:
            item.add_marker(pytest.mark.spark)
        elsewhere = (
            hasattr(getattr(item, "module", None), "subprocess") and HERE / "architecture" not in item.path.parents
        )
        if elsewhere or long[item.path]:
            item.add_marker(pytest.mark.slow)
