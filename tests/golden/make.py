"""Freezes the cases: `python -m tests.golden.make` writes tests/golden/*.json and figures/*.json anew; see the diff."""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from pathlib import Path

from tests.golden.cases import families, frozen
from tests.golden.sweeps import figures_of, sweeps
from tests.golden.test_golden import differences

HERE = Path(__file__).parent


def main() -> None:
    warnings.simplefilter("ignore")
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for family, cases in families(Path(folder)).items():
            if wanted and family not in wanted:
                continue
            kept = {name: frozen(call) for name, call in cases}
            assert len(kept) == len(cases), "each case has a name of its own"
            # What differs in its last digits only, as between processors, stays as it was.
            path = HERE / f"{family}.json"
            was = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            now = {name: json.loads(json.dumps(value)) for name, value in kept.items()}
            kept = {name: was[name] if name in was and not differences(was[name], v) else v for name, v in now.items()}
            text = json.dumps(kept, ensure_ascii=False, indent=1, sort_keys=True)
            path.write_text(text + "\n", encoding="utf-8")
            sys.stderr.write(
                f"{family}: {len(kept)} cases, {sum('error' in k for k in kept.values())} of them errors\n"
            )
    for family, swept in sweeps().items():
        if not wanted or family in wanted:
            path = HERE / "figures" / f"{family}.json"
            was = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
            figures = {name: figures_of(call) for name, call in swept}
            figures = {k: was[k] if k in was and not differences(was[k], v) else v for k, v in figures.items()}
            lines = (
                f" {json.dumps(k, ensure_ascii=False)}: {json.dumps(v, ensure_ascii=False)}" for k, v in figures.items()
            )
            path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
            sys.stderr.write(
                f"{family}: {len(figures)} cases, {sum(isinstance(f, str) for f in figures.values())} errors\n"
            )


if __name__ == "__main__":
    main()
