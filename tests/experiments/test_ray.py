"""A real Ray cluster of two processes, and a learner that kills its process. `make test-ray` installs Ray for it."""

import os
import signal

import numpy as np
import pytest

import trueerror as te

pytest.importorskip("ray", reason="Ray is not installed: make test-ray")


class Means:
    def fit(self, X, y):
        self.classes = np.unique(y)
        self.means = np.array([X[y == c].mean(axis=0) for c in self.classes])
        return self

    def predict(self, X):
        return self.classes[((X[:, None] - self.means) ** 2).sum(axis=2).argmin(axis=1)]


class Killer(Means):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)


def test_the_same_results_and_a_killer_is_named():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 2)) + y[:, None]
    run = te.experiment({"means": Means(), "killer": Killer()}, X, y, plan=3, engine="ray", jobs=2, progress=False)
    here = te.experiment({"means": Means()}, X, y, plan=3, progress=False)
    assert np.array_equal(run.fold_scores().of("means"), here.fold_scores().of("means"))
    assert [f.learner for f in run.failures] == ["killer"] * 3
    assert all("worker process died" in f.error for f in run.failures)


@pytest.mark.filterwarnings("ignore")
def test_a_dataset_of_ray_is_read_as_a_table():
    import pyarrow as pa
    import ray
    import ray.data

    rng = np.random.default_rng(0)
    truth = (rng.random(400) < 0.3).astype(int)
    scores = 0.3 * truth + 0.6 * rng.random(400)
    parts = [pa.table({"truth": truth[part], "score": scores[part]}) for part in (slice(250), slice(250, 400))]
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    try:
        blocks = ray.data.from_arrow(parts)
        whole = te.roc(truth, scores).auc()
        for dataset in (blocks, blocks.map_batches(lambda batch: batch)):
            assert te.roc(dataset).auc().low == whole.low
    finally:
        ray.shutdown()
