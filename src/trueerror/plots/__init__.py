"""Pictures of results: Altair charts, matplotlib axes, and files. The only room that knows Altair and matplotlib.

Neither is imported before a picture is asked for; files need no Altair at all.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["chart", "draw", "picture", "save", "spec"]


def picture(result: Any, **options: Any) -> Any:
    """What is to be seen of a result, or of several of one kind (a list, or a dictionary by name), as plain values."""
    from trueerror.plots._dispatch import compose

    return compose(result, options)


def spec(result: Any, **options: Any) -> dict[str, Any]:
    """The Vega-Lite specification as a dictionary, for reports and files."""
    from trueerror.plots._dispatch import write_spec

    return write_spec(picture(result, **options))


def chart(result: Any, **options: Any) -> Any:
    """The picture as an Altair chart.

    >>> import trueerror as te
    >>> made = chart(te.interval(750, 1000))
    >>> sorted({type(made).__name__, made.to_dict()["title"]["text"]})
    ['LayerChart', 'proportion']
    """
    from trueerror.plots.vega._curves import altair_chart

    return altair_chart(spec(result, **options))


def draw(result: Any, ax: Any = None, **options: Any) -> Any:
    """The same picture on matplotlib axes, which are returned."""
    from trueerror.plots._dispatch import draw_picture

    return draw_picture(picture(result, **options), ax)


def save(result: Any, path: str | Path, **options: Any) -> Path:
    """Write the picture to a .html, .png, .svg or .pdf file, without a network."""
    from trueerror.plots._save import write_file

    return write_file(spec(result, **options), Path(path))
