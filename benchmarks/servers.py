"""A PostgreSQL server of one's own, for cases and for tests."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple


class Server(NamedTuple):
    """A connection of Ibis, and the file into which the server writes."""

    engine: Any
    log: Path


def postgres(*settings: str) -> Server | str:
    """A server with such settings ("log_statement=all") on a free port, gone with this process; in words what is not
    installed."""
    if find_spec("ibis") is None or find_spec("psycopg") is None:
        return "Ibis and psycopg (pip install 'ibis-framework[postgres]')"
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    found = shutil.which("pg_ctl")
    if not programs and found is None:
        return "a PostgreSQL server (on Debian: apt-get install postgresql)"
    import ibis

    program = Path(found).parent if found else programs[-1]
    # The server refuses to run as root.
    user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="trueerror-postgres-"))
    # Beside the folder, which belongs to the server.
    log = folder.with_suffix(".log")
    if user:
        shutil.chown(folder, "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def run(name: str, *arguments: str) -> None:
        command = [*user, str(program / name), "-D", str(folder / "data"), *arguments]
        with open(log, "a") as out:
            subprocess.run(command, check=True, cwd="/", stdout=out, stderr=out)

    run("initdb", "-A", "trust", "-U", "tester", "-E", "UTF8", "--locale=C", "--no-sync")
    given = [f"port={port}", "listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", *settings]
    run("pg_ctl", "-w", "-t", "120", "-o", " ".join(f"-c {setting}" for setting in given), "start")
    engine = ibis.postgres.connect(host="127.0.0.1", port=port, user="tester", database="postgres")

    def stop() -> None:
        engine.disconnect()
        run("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)
        log.unlink()

    atexit.register(stop)
    return Server(engine, log)
