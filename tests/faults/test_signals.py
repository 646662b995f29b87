"""Real processes that are killed, ended and forked: none outlives its parent, and nothing is left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
RUN = """
[learners.a]
class = "waiting.Waiting"
folder = "{folder}"
[data.d]
file = "{data}"
target = "y"
[plan]
kind = "KFold"
k = 5
"""
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="what ends a worker in a call of C is the Linux kernel")


def until(true: object, seconds: float = 60) -> float:
    """How long it took to become true."""
    started = time.monotonic()
    while not true():  # type: ignore[operator]
        assert time.monotonic() - started < seconds
        time.sleep(0.02)
    return time.monotonic() - started


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    for name in ("fits", "temp"):
        (tmp_path / name).mkdir()
    rows = "".join(f"{i},{i % 7},{i % 2}\n" for i in range(60))
    (tmp_path / "d.csv").write_text(f"a,b,y\n{rows}")
    yield tmp_path
    for pid in working(tmp_path):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def working(folder: Path) -> set[int]:
    """The processes that have begun a fit."""
    return {int(one.name.split("-")[0]) for one in (folder / "fits").iterdir()}


def start(folder: Path, how: str, *more: str) -> subprocess.Popen[str]:
    file = folder / "run.toml"
    file.write_text(RUN.format(folder=folder / "fits", data=folder / "d.csv"))
    return subprocess.Popen(
        [sys.executable, "-m", "trueerror", "run", str(file), "--store", str(folder / "store"), *more],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(HERE), "TMPDIR": str(folder / "temp"), "WAITING": how},
    )  # fmt: skip


@LINUX
@pytest.mark.parametrize("how", ["holds the lock", "sleeps"])
def test_workers_end_with_their_parent_within_two_seconds(folder: Path, how: str) -> None:
    process = start(folder, how, "--jobs", "2")
    until(lambda: len(working(folder)) == 2)
    workers = working(folder)
    assert process.pid not in workers
    assert all(map(alive, workers))
    process.kill()
    assert until(lambda: not any(map(alive, workers))) < 2
    process.communicate()


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("group", [False, True], ids=["alone", "group"])
def test_sigterm_ends_a_run_as_ctrl_c_does(folder: Path, jobs: int, group: bool) -> None:
    process = start(folder, "sleeps", "--jobs", str(jobs))
    until(lambda: len(working(folder)) == jobs)
    (os.killpg if group else os.kill)(process.pid, signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (143, "")
    assert err == "Stopped; finished fits are kept: go on with --resume\n"
    until(lambda: not any(map(alive, working(folder))), 2)
    assert list((folder / "temp").iterdir()) == []


def test_sigterm_while_modules_load_or_a_file_is_read(folder: Path) -> None:
    big = folder / "big.csv"
    with big.open("w") as file:
        file.write("truth,a\n")
        file.writelines("1,0.25\n0,0.5\n" for _ in range(400_000))
    for wait in (0.05, 0.3, 0.9, 1.5):
        process = subprocess.Popen(
            [sys.executable, "-m", "trueerror", "evaluate", str(big), "--positive", "1", "--metric", "auc"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "TMPDIR": str(folder / "temp")},
        )  # fmt: skip
        time.sleep(wait)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
        # Before Python runs a line of ours the system ends it, and it can be done already.
        assert process.returncode in (143, -signal.SIGTERM, 0)
        assert "Traceback" not in err
        assert list((folder / "temp").iterdir()) == []


def test_of_two_runs_on_one_store_the_second_is_refused_and_the_first_goes_on(folder: Path) -> None:
    first = start(folder, "sleeps", "--jobs", "2")
    until(lambda: len(working(folder)) == 2)
    second = start(folder, "at once", "--resume")
    _, err = second.communicate(timeout=60)
    assert second.returncode == 2
    assert "another run is using the store" in " ".join(err.split())
    assert first.poll() is None
    first.kill()
    first.communicate()
    third = start(folder, "at once", "--resume")
    _, err = third.communicate(timeout=60)
    assert (third.returncode, err) == (0, "")


FORKED = """
import os, signal, sys
import trueerror as te

def judge():
    assert te.evaluate([0, 1] * 50, [0, 1, 1, 0] * 25)["accuracy"].estimate == 0.5
    assert te.evaluate(te.read(sys.argv[1]))["accuracy"].estimate == 0.5

judge()
child = os.fork()
if child == 0:
    signal.alarm(60)
    judge()
    os._exit(0)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_goes_on_where_its_parent_used_the_library(tmp_path: Path) -> None:
    """With arrays and files; threads of polars do not live on in a child, which docs/reliability.md says."""
    (tmp_path / "p.csv").write_text("truth,svm\n" + "0,0\n1,1\n0,1\n1,0\n" * 25)
    words = [sys.executable, "-c", FORKED, tmp_path / "p.csv"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=90)
    assert (done.returncode, done.stderr) == (0, "")
