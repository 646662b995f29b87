"""A limit on the time of a fit."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class PastLimit(BaseException):
    """The time is up. Not an Exception, so that a learner that catches everything does not swallow it."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `PastLimit` in this thread when the time is up: at the next step of Python code.

    One long call into compiled code ends first; the caller looks at the clock as well. The main thread of a process is
    woken by a signal, so that waiting ends too; other threads get the exception from a timer.
    """
    if seconds is None:
        yield
    elif threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        with _by_signal(seconds):
            yield
    else:
        with _by_timer(seconds):
            yield


@contextmanager
def process_ends(limit: float | None) -> Iterator[None]:
    """End this process where a fit does not heed its limit: a call into compiled code that never comes back.

    The watch is not a thread of Python's, so it runs while compiled code keeps Python's lock. It leaves the softer
    limit time to work.
    """
    if limit is None:
        yield
        return
    with open(os.devnull, "w") as nowhere:
        faulthandler.dump_traceback_later(1.5 * limit + 1, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


@contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise PastLimit

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        with suppress(PastLimit):
            signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _by_timer(seconds: float) -> Iterator[None]:
    target = ctypes.c_ulong(threading.get_ident())
    guard = threading.Lock()
    over = False

    def stop() -> None:
        with guard:
            if not over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(target, ctypes.py_object(PastLimit))

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        # The exception may arrive while the limit is being lifted; it is then taken back or caught here.
        with suppress(PastLimit):
            with guard:
                over = True
            ctypes.pythonapi.PyThreadState_SetAsyncExc(target, None)
        timer.cancel()
