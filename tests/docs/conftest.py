"""The tools that make the documentation live beside it."""

import sys
from pathlib import Path

from tests.reports.conftest import browser  # noqa: F401

DOCS = Path(__file__).resolve().parents[2] / "docs"
if str(DOCS) not in sys.path:
    sys.path.insert(0, str(DOCS))
