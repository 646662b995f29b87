"""Pictures of results: composed as plain values, written as SVG, drawn on matplotlib axes.

The only room that knows matplotlib, which is not imported before axes, a PNG or a PDF file is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from trueerror.plots._figure import Figure
    from trueerror.plots._specs import Picture

__all__ = ["draw", "figure", "inline_svg", "picture", "save"]

# Characters of SVG that a cell of a notebook holds; a larger picture (hundreds of classes) is made when asked for.
LARGEST = 1_000_000


def picture(result: object, **options: object) -> Picture:
    """What is to be seen of a result, or of several of one kind (a list, or a dictionary by name), as plain values."""
    from trueerror.plots._dispatch import compose

    return compose(result, options)


def figure(result: object, **options: object) -> Figure:
    """The picture as a figure that shows itself.

    >>> import trueerror as te
    >>> figure({"first": te.interval(750, 1000), "second": te.interval(700, 1000)})
    Figure('proportion')
    """
    from trueerror.plots._figure import Figure

    return Figure(picture(result, **options))


def inline_svg(result: object) -> str:
    """The picture that a notebook shows with a result; "" where it has none, or there is nothing to draw."""
    from trueerror.inputs._options import InputError
    from trueerror.plots._dispatch import has_picture

    if not has_picture(result):
        return ""
    try:
        svg = figure(result).svg
    except InputError:
        return ""
    return svg if len(svg) <= LARGEST else ""


def draw(
    result: object,
    ax: Axes | None = None,
    *,
    label: str | Sequence[str] | None = None,
    color: Any = None,
    title: bool | str | None = None,
    annotate: bool | None = None,
    **options: object,
) -> Axes:
    """The same picture on matplotlib axes, which are returned; see `Figure.draw`."""
    return figure(result, **options).draw(ax, label=label, color=color, title=title, annotate=annotate)


def save(result: object, path: str | Path, **options: object) -> Path:
    """Write the picture to a .html, .png, .svg or .pdf file, without a network."""
    return figure(result, **options).save(path)
