"""The command line: one file a command, each importing what it needs when it runs."""

from __future__ import annotations

import signal
from contextlib import suppress

__all__ = ["main"]


def main() -> None:
    """The entry point of `trueerror`; SIGTERM ends it as Ctrl-C does, with exit code 143."""
    stopped = []

    def stop(number: int, frame: object) -> None:
        signal.signal(number, signal.SIG_IGN)  # what cleans up is left in peace
        stopped.append(number)
        raise KeyboardInterrupt

    with suppress(ValueError):  # a thread cannot have it
        signal.signal(signal.SIGTERM, stop)
    try:
        from trueerror.cli._app import run

        run()
    except (KeyboardInterrupt, SystemExit) as end:  # while modules are loaded, too
        code = end.code if isinstance(end, SystemExit) else 130
        raise SystemExit(143 if stopped and code == 130 else code) from None
