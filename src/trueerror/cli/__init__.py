"""The command line: one file a command, each importing what it needs when it runs."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """The entry point of `trueerror`."""
    try:
        from trueerror.cli._app import run

        run()
    except KeyboardInterrupt:  # while modules are loaded, too
        raise SystemExit(130) from None
