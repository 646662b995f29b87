"""Whatever has a picture, as a figure of the page: a table with lines, curves, a matrix; else an image."""

from __future__ import annotations

import base64
from typing import Any

from markupsafe import Markup

from trueerror.plots import picture as picture_of
from trueerror.plots.choosing import write_spec
from trueerror.plots.pictures import Curves, Forest
from trueerror.plots.saving import to_bytes
from trueerror.reports.html_forest import html_forest
from trueerror.reports.markup import el, joined
from trueerror.reports.svg_curves import svg_curves


class Gallery:
    """Draws figures, and keeps what their points tell the pointer until the page is written."""

    def __init__(self) -> None:
        self.hover: dict[str, Any] = {}

    def figure(self, result: Any, caption: str = "", **options: Any) -> Markup:
        """The figure of a result, or of several of one kind by name."""
        return self.draw(picture_of(result, **options), caption)

    def draw(self, picture: Any, caption: str = "") -> Markup:
        """The figure of a picture that was already composed."""
        if isinstance(picture, Forest):
            return html_forest(picture)
        words = ". ".join([caption or picture.title, *picture.subtitle])
        if isinstance(picture, Curves):
            key = f"p{len(self.hover) + 1}"
            drawn, hover = svg_curves(picture, key=key, words=words)
            if hover:
                self.hover[key] = hover
            return el("figure", drawn, _caption(caption or picture.title, picture.subtitle))
        return el("figure", image(picture, words), _caption(caption or picture.title, ()))


def image(picture: Any, words: str) -> Markup:
    """A picture as an image, which can run no script: SVG behind a data address."""
    svg = base64.b64encode(to_bytes(write_spec(picture), ".svg")).decode("ascii")
    return el("img", src=f"data:image/svg+xml;base64,{svg}", alt=words, loading="lazy")


def _caption(title: str, notes: tuple[str, ...]) -> Markup:
    return el("figcaption", el("b", title), joined([el("span", note) for note in notes if note]))
