"""A PostgreSQL server of one's own, for cases and for tests."""

from __future__ import annotations

import atexit
import math
import os
import shutil
import socket
import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple


class Server(NamedTuple):
    """A connection of Ibis, the file into which the server writes, and the number of its first process."""

    engine: Any
    log: Path
    process: int

    def cpu_seconds(self) -> float:
        """CPU time of all processes of the server so far; NaN where the system does not say (Linux does)."""
        try:
            children = Path(f"/proc/{self.process}/task/{self.process}/children").read_text().split()
            ticks = sum(sum(_ticks(child)[:2]) for child in children) + sum(_ticks(str(self.process)))
        except OSError:
            return math.nan
        return ticks / os.sysconf("SC_CLK_TCK")


def _ticks(process: str) -> list[int]:
    """User and system time of a process, and of its children that have ended."""
    return [int(field) for field in Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11:15]]


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
    process = engine.con.execute("SELECT (string_to_array(pg_read_file('postmaster.pid'), chr(10)))[1]::int").fetchone()
    return Server(engine, log, process[0])
