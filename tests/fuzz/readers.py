"""`python -m tests.fuzz.readers --inputs 100000`: files that atheris writes, led by the lines that they reach.

The first byte says which kind of file the rest is. The corpus begins with a small file of each kind and with the logs
in tests/sources/logs/data; inputs that reach new lines are kept in build/readers, so that runs go on from each other.
A file that ends neither in a result nor in an input error stops the run, and is kept in build/ under the name that
libFuzzer gives it; name it on the command line to read it again.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONGEST = 4096


def corpus(folder: Path, files: Mapping[str, Callable[[], bytes]]) -> None:
    """Files to begin with, each with the number of its kind before it."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, make in enumerate(files.values()):
        (folder / f"first-{number}").write_bytes(bytes([number]) + make())
    for path in sorted((ROOT / "tests" / "sources" / "logs" / "data").iterdir()):
        if path.is_file() and path.suffix != ".py":
            content = path.read_bytes()
            content = gzip.decompress(content) if path.suffix == ".gz" else content
            for number, kind in enumerate(files):
                if len(content) < LONGEST and kind in path.name:
                    (folder / f"log-{number}-{path.name}").write_bytes(bytes([number]) + content)


def main() -> None:
    """Give libFuzzer the corpus and the number of inputs."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.readers", description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000, metavar="N", help="how many files (100,000)")
    parser.add_argument("--seconds", type=int, default=0, metavar="S", help="stop then (0: never)")
    parser.add_argument("--seed", type=int, default=1, metavar="SEED", help="of the changes (1)")
    parser.add_argument("files", nargs="*", help="files to read again")
    asked = parser.parse_args()
    try:
        import atheris
    except ImportError:
        sys.exit("coverage-guided fuzzing needs atheris: make fuzz-readers installs it where there is one")
    # What is imported here is watched.
    with atheris.instrument_imports(include=["trueerror.sources", "trueerror.results"]):
        from tests.fuzz.calls import FILES, read_file
    kinds = tuple(FILES)

    def read(data: bytes) -> None:
        if data:
            read_file(kinds[data[0] % len(kinds)], data[1:])

    warnings.simplefilter("ignore")
    kept = ROOT / "build" / "readers"
    corpus(kept, FILES)
    options = [f"-runs={asked.inputs}", f"-max_total_time={asked.seconds}", f"-seed={asked.seed}",
               f"-max_len={LONGEST}", "-timeout=60", "-rss_limit_mb=4096", "-print_final_stats=1",
               f"-artifact_prefix={kept.parent}/"]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, *(asked.files or [str(kept)])], read)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
