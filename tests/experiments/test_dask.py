"""A real Dask cluster with two worker processes, one of them killed in the middle of a run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed")

CODE = """
import sys, threading, time
sys.path.insert(0, {learners!r})
import numpy as np

def main():
    import os, signal
    from distributed import Client, LocalCluster
    import trueerror as te
    from killable import Counted

    rng = np.random.Generator(np.random.Philox(5))
    y = np.repeat([0, 1], 40)
    X = rng.normal(size=(80, 2)) + y[:, None]
    learners = {{"a": Counted({folder!r}, "a"), "b": Counted({folder!r}, "b")}}
    plan = te.KFold(5, repeats=6)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=60) as cluster:
        with Client(cluster) as client:
            pids = list(client.run(os.getpid).values())
            assert len(set(pids)) == 2 and os.getpid() not in pids

            def murder():
                while len(os.listdir({folder!r})) < 12:
                    time.sleep(0.005)
                os.kill(pids[0], signal.SIGKILL)

            killer = threading.Thread(target=murder)
            killer.start()
            run = te.experiment(learners, (X, y), plan=plan, engine=client, store={store!r})
            killer.join()
            after = set(client.run(os.getpid).values())
            assert pids[0] not in after
    fitted = len(os.listdir({folder!r}))
    here = te.experiment(learners, (X, y), plan=plan)
    same = all(a.same_result(b) for k in here.outcomes for a, b in zip(here.outcomes[k], run.outcomes[k], strict=True))
    again = te.experiment(learners, (X, y), plan=plan, store={store!r})
    print(same, len(run.failures), again.resumed, fitted)

if __name__ == "__main__":
    main()
"""


def test_a_dask_worker_killed_in_the_middle_changes_nothing(tmp_path):
    folder = tmp_path / "fits"
    folder.mkdir()
    script = tmp_path / "script.py"
    script.write_text(CODE.format(learners=str(Path(__file__).parent), folder=str(folder), store=str(tmp_path / "run")))
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=90, check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    same, failures, resumed, fitted = done.stdout.split()
    assert (same, failures, resumed) == ("True", "0", "60")
    # What the dead worker had not yet handed over is done again, and no more: three chunks of at most eight.
    assert 60 <= int(fitted) <= 60 + 24
