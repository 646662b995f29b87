"""What `make quick` leaves out: tests in a browser, on Spark, in other processes, and those of long runs."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# A slow machine is no error; the same examples each time, so that a run can be repeated (`make fuzz` draws new ones).
settings.register_profile("any-machine", deadline=None, derandomize=True)
settings.load_profile("any-machine")
HERE = Path(__file__).parent
# Folders and files of long runs: simulations, learners that are fitted, whole pages, notebooks, faults by the dozen,
# every verb with every input or option.
SLOW = (
    "architecture/test_import_budget.py",
    "benchmarks",
    "claims",
    "cli/test_options_have_effects.py",
    "curves/test_base_input.py",
    "curves/test_binned_curves.py",
    "curves/test_hull_choice.py",
    "curves/test_operating_point.py",
    "curves/test_recalibration.py",
    "curves/test_roc_difference.py",
    "docs",
    "experiments",
    "faults",
    "findings/test_clean_samples.py",
    "fuzz",
    "golden",
    "inference/auc/test_binned.py",
    "inference/bootstrap/test_paired_scores.py",
    "inference/counts/test_at_prior.py",
    "inference/counts/test_paired.py",
    "inference/counts/test_paired_constant.py",
    "inference/test_metric_interval_binned.py",
    "people/test_judges.py",
    "laws",
    "plots/matplotlib/test_draw.py",
    "plots/test_hostile_names.py",
    "reports",
    "results/test_base.py",
    "results/test_notebooks.py",
    "seeds",
    "sources/engines/test_duckdb_tables_nan.py",
    "sources/logs/test_damaged.py",
    "sources/logs/test_real_logs.py",
    "sources/logs/test_sklearn_cv.py",
    "sources/test_every_source.py",
    "sources/test_many_models.py",
    "sources/test_more_engines.py",
    "sources/test_queries.py",
    "studies",
    "tallies/test_streaming.py",
    "validation",
    "verbs/test_every_input.py",
    "verbs/test_gaps.py",
    "verbs/test_model_metrics_constant.py",
    "verbs/test_no_option_ignored.py",
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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file stays in one process, and so does Spark with all its files: to start it takes ten seconds."""
    from xdist.scheduler import LoadFileScheduling

    class OneSpark(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "spark" if "spark" in nodeid.partition("::")[2] else super()._split_scope(nodeid)

    return OneSpark(config, log)
