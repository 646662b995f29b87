"""The first page of the reference."""

from __future__ import annotations

from making.markdown import page, toctree


def reference_page() -> str:
    """What there is to look up."""
    return page(
        "Reference",
        "Made from the code at every build: signatures, help texts, methods and findings are those of this version.",
        toctree(
            "python/index",
            "command-line",
            "metrics",
            "decisions",
            "methods",
            "findings",
            "json",
            "../glossary",
            "../words",
            "../decisions/index",
        ),
    )
