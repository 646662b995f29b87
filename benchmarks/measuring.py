"""Clocks and memory: what every case measures with, and the one shape in which it answers."""

from __future__ import annotations

import math
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

Answer = TypeVar("Answer")
Row = dict[str, Any]

STATUS = Path("/proc/self/status")
PEAK_RESET = Path("/proc/self/clear_refs")


def timed(call: Callable[[], Answer]) -> tuple[float, Answer]:
    """Seconds that one call took, and what it gave."""
    started = time.perf_counter()
    answer = call()
    return time.perf_counter() - started, answer


def cpu_seconds(call: Callable[[], Any]) -> float:
    """CPU seconds of all threads of this process for one call: other programs do not count."""
    started = time.process_time()
    call()
    return time.process_time() - started


def cpu_side_by_side(ours: Callable[[], Any], peer: Callable[[], Any], rounds: int = 5) -> tuple[float, float]:
    """Median CPU seconds of both, taken in turns, after one call of each."""
    ours(), peer()
    turns = [(cpu_seconds(ours), cpu_seconds(peer)) for _ in range(rounds)]
    return median(mine for mine, _ in turns), median(theirs for _, theirs in turns)


def best_of(call: Callable[[], Answer], rounds: int = 3) -> tuple[float, Answer]:
    """The shortest of several runs: noise only ever adds time."""
    best, answer = timed(call)
    for _ in range(rounds - 1):
        again, answer = timed(call)
        best = min(best, again)
    return best, answer


def side_by_side(
    ours: Callable[[], Any], peer: Callable[[], Any], *, rounds: int = 3, inner: int = 3
) -> tuple[float, float, Any, Any]:
    """Best times of both, taken in turns so that a busy spell hits both; then what they gave.

    Ours is run `inner` times a round, since it is the shorter one.
    """
    best = [math.inf, math.inf]
    ours()  # what is loaded or compiled at the first call is not what these cases ask about
    for _ in range(rounds):
        seconds, mine = best_of(ours, inner)
        best[0] = min(best[0], seconds)
        seconds, theirs = timed(peer)
        best[1] = min(best[1], seconds)
    return best[0], best[1], mine, theirs


def peak_beyond(call: Callable[[], Any]) -> float | None:
    """Megabytes at the peak of one call beyond what was held before it; None where the system does not say."""
    try:
        PEAK_RESET.write_text("5")
        before = _memory("VmRSS")
    except OSError:
        return None
    call()
    return (_memory("VmHWM") - before) / 1024


def peak_of_process() -> float | None:
    """Megabytes at the peak of this process, its input and Python included."""
    try:
        return _memory("VmHWM") / 1024
    except OSError:
        return None


def _memory(field: str) -> int:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1])


def quickest_process(commands: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """The shortest wall time of each command, taken in turns."""
    best = dict.fromkeys(commands, math.inf)
    for _ in range(rounds):
        for name, command in commands.items():
            started = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            best[name] = min(best[name], time.perf_counter() - started)
    return best


def row(
    name: str,
    *,
    ours_s: float,
    peer: str = "",
    peer_s: float = math.nan,
    faster: float | None = None,
    slower: float | None = None,
    seconds: float | None = None,
    megabytes: float | None = None,
    memory_mb: float | None = None,
    agree: bool | None = None,
    note: str = "",
) -> Row:
    """One line of the table.

    A target is one of: at least `faster` times as fast as the peer, at most `slower` times the peer's time, under
    `seconds`, under `megabytes` at the peak.
    """
    ratio = peer_s / ours_s
    targets = []
    if faster is not None:
        targets.append((f"≥ {faster:,g}×", ratio >= faster))
    if slower is not None:
        targets.append((f"≤ {slower:g}× its time", ours_s <= slower * peer_s))
    if seconds is not None:
        targets.append((f"< {seconds:g} s", ours_s < seconds))
    if megabytes is not None:
        targets.append((f"< {megabytes:g} MB", memory_mb is not None and memory_mb < megabytes))
    return {
        "name": name,
        "ours_s": ours_s,
        "peer": peer,
        "peer_s": peer_s,
        "ratio": ratio,
        "target": ", ".join(words for words, _ in targets),
        "met": all(met for _, met in targets) if targets else None,
        "memory_mb": memory_mb,
        "agree": agree,
        "note": note,
    }


def skipped(name: str, peer: str) -> Row:
    """A case whose peer is not there."""
    return {**row(name, ours_s=math.nan, peer=peer), "note": "peer not installed"}
