"""kill -9 at random moments: nothing finished is lost or repeated, and the result is the same to the bit."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

LEARNERS = Path(__file__).parents[1] / "experiments"
SCRIPT = """
import sys, time
sys.path.insert(0, {learners!r})
import numpy as np
import trueerror as te
from killable import Counted

rng = np.random.Generator(np.random.Philox(5))
y = np.repeat([0, 1], 40)
X = rng.normal(size=(80, 2)) + y[:, None]
run = te.experiment({{"a": Counted({folder!r}, "a"), "b": Counted({folder!r}, "b")}}, (X, y),
                    plan=te.KFold(5, repeats={repeats}), store={store!r}, jobs={jobs})
print(run.resumed, [o.labels.tobytes() + o.scores.tobytes() for key in run.outcomes for o in run.outcomes[key]])
"""


def start(folder: Path, store: Path, repeats: int, jobs: int) -> subprocess.Popen[bytes]:
    code = SCRIPT.format(learners=str(LEARNERS), folder=str(folder), store=str(store), repeats=repeats, jobs=jobs)
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(process: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err.decode()
    assert err == b""
    resumed, _, table = out.partition(b" ")
    return int(resumed), table


def fits(folder: Path) -> int:
    return sum(1 for _ in folder.iterdir())


@pytest.mark.parametrize(("jobs", "kills", "repeats"), [(1, 12, 12), (2, 3, 12)])
def test_killing_at_random_moments_changes_nothing(tmp_path, jobs, kills, repeats):
    chance = random.Random(jobs)
    folder, other = tmp_path / "fits", tmp_path / "others"
    folder.mkdir()
    other.mkdir()
    tasks = 2 * 5 * repeats
    cut_short = 0
    for kill in range(kills):
        before = fits(folder)
        process = start(folder, tmp_path / "run", repeats, jobs)
        if kill % 4 == 3:
            # Some die before their first fit: while the store is opened and read.
            time.sleep(chance.uniform(0.05, 0.35))
        else:
            # One that begins after as many as there are workers has a predecessor that is recorded.
            while fits(folder) <= before + jobs and process.poll() is None:
                time.sleep(0.005)
            time.sleep(chance.uniform(0, 0.08))
        cut_short += process.poll() is None
        process.kill()
        # The pipes close when the last worker has ended: none outlives its director for long.
        process.communicate(timeout=300)
    assert cut_short == kills
    resumed, table = finish(start(folder, tmp_path / "run", repeats, jobs))
    assert 0 < resumed < tasks
    # Each kill costs at most the tasks in flight.
    assert tasks <= fits(folder) <= tasks + kills * jobs
    again, same = finish(start(folder, tmp_path / "run", repeats, jobs))
    assert again == tasks
    _, expected = finish(start(other, tmp_path / "clean", repeats, 1))
    assert table == same == expected
    assert fits(other) == tasks
