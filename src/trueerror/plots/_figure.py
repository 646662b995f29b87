"""What `.plot()` returns: a picture that shows itself in notebooks and pages, and is saved by its file's ending."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueerror.inputs._options import InputError
from trueerror.plots._specs import Bars, Curves, Forest, Heat, Picture, Row
from trueerror.plots._text import plain
from trueerror.plots.svg._charts import write_bars, write_forest, write_heat, write_ranks
from trueerror.plots.svg._curves import write_curves, write_row
from trueerror.plots.svg._elements import Drawing, PictureFrame, document, frame_of, picture_page
from trueerror.results._files import write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENDINGS = (".html", ".png", ".svg", ".pdf")


def need_matplotlib(what: str) -> None:
    """An input error that names the extra, where matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise InputError(f'{what} needs matplotlib: pip install "trueerror[matplotlib]"; .svg and .html do without')


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Figure:
    """The picture of a result. As the last value of a notebook's cell it shows itself, without a network.

    >>> import trueerror as te
    >>> figure = te.interval(750, 1000).plot()
    >>> figure
    Figure('proportion')
    >>> figure.svg[:4], "0.750 [0.722, 0.776]" in figure.svg
    ('<svg', True)
    """

    picture: Picture

    @property
    def title(self) -> str:
        """What stands above the picture."""
        return plain(self.picture.title)

    @property
    def svg(self) -> str:
        """The picture as an SVG document: text stays text, and colours follow light and dark."""
        return document(write_drawing(self.picture), self.picture.title, self.picture.subtitle)

    @property
    def html(self) -> str:
        """A page with the picture that loads nothing and runs nothing."""
        return picture_page(self.svg, self.title)

    def draw(
        self,
        ax: Axes | None = None,
        *,
        label: str | Sequence[str] | None = None,
        color: Any = None,
        title: bool | str | None = None,
        annotate: bool | None = None,
    ) -> Axes:
        """The same picture on matplotlib axes, which are returned; without axes, on a new figure of pyplot.

        Curves drawn on the same axes one after the other share them: each takes the next colour of the axes (or
        `color`) and a line of the legend (its name, or `label`); references, title and words are those of the first.
        `title` is another one, or False for none; `annotate=False` leaves marks and words out.
        """
        need_matplotlib(".draw()")
        from trueerror.plots.matplotlib._draw import Look, draw_picture

        look = Look(label=label, color=color, title=title, annotate=annotate)
        axes: Axes = draw_picture(self.picture, ax, look, _frame)
        return axes

    def save(self, path: str | Path) -> Path:
        """Write the picture as .svg, .html, .png or .pdf, by the file's ending."""
        target = Path(path)
        return write_file(target, self.to_bytes(target.suffix.lower()))

    def to_bytes(self, ending: str) -> bytes:
        """The content of a file with that ending."""
        if ending == ".svg":
            return self.svg.encode(errors="backslashreplace")
        if ending == ".html":
            return self.html.encode(errors="backslashreplace")
        if ending in (".png", ".pdf"):
            need_matplotlib(f"a picture as {ending}")
            from trueerror.plots.matplotlib._draw import file_bytes

            return file_bytes(self.picture, _frame(self.picture), "png" if ending == ".png" else "pdf")
        known = f"{' '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        raise InputError(f"a picture cannot be saved as {ending or 'a file without ending'!r}; use {known}")

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg

    def _repr_mimebundle_(
        self, include: Container[str] | None = None, exclude: Container[str] | None = None
    ) -> dict[str, str]:
        """Inline SVG, and an image for front ends that show no HTML."""
        svg = self.svg
        bundle = {"text/html": svg, "image/svg+xml": svg, "text/plain": repr(self)}
        return {k: v for k, v in bundle.items() if (include is None or k in include) and not (exclude and k in exclude)}

    def __repr__(self) -> str:
        return f"Figure({self.title!r})"

    def __str__(self) -> str:
        return f'Picture: {self.title or "untitled"}; .save("picture.svg") writes it (also .html, .png, .pdf)'


def _frame(picture: Picture) -> PictureFrame:
    return frame_of(write_drawing(picture), picture.title, picture.subtitle)


def write_drawing(picture: Picture) -> Drawing:
    """What a picture shows beneath its title."""
    if isinstance(picture, Forest):
        return write_forest(picture)
    if isinstance(picture, Heat):
        return write_heat(picture)
    if isinstance(picture, Bars):
        return write_bars(picture)
    if isinstance(picture, Curves):
        return write_curves(picture)
    if isinstance(picture, Row):
        return write_row(picture)
    return write_ranks(picture)
