"""A critical-difference picture on matplotlib axes."""

from __future__ import annotations

from typing import Any

from trueerror.plots import theme
from trueerror.plots.axes import AS_TEXT, axes_for, drawable, write_title
from trueerror.plots.pictures import Ranks
from trueerror.plots.rank_layout import lay_out, ruler

RULER = -2.3


def draw_ranks(picture: Ranks, ax: Any = None) -> Any:
    """Ranks across with the best at the left, names beside their level."""
    layout = lay_out(picture)
    ax = axes_for(ax, 720, 26 * (layout.depth + 4) + 70)
    for elbow in layout.elbows:
        edge = layout.low if elbow.left else layout.high
        ax.plot([elbow.rank, elbow.rank, edge], [0, elbow.level, elbow.level], color=theme.REFERENCE, lw=1.0, zorder=1)
        ax.plot([elbow.rank], [0], "o", color=theme.ACCENT, ms=5, zorder=4, clip_on=False)
        name = picture.names[elbow.place] + (" (control)" if picture.control == elbow.place else "")
        words = f"{name} · {elbow.rank:.2f}" if elbow.left else f"{elbow.rank:.2f} · {name}"
        ax.annotate(
            drawable(words), (edge, elbow.level), (-6 if elbow.left else 6, 0), textcoords="offset points",
            ha="right" if elbow.left else "left", va="center", fontsize=9, color=theme.INK, annotation_clip=False,
            **AS_TEXT,
        )  # fmt: skip
    for bar in layout.bars:
        ax.plot(bar.ranks, [bar.level] * len(bar.ranks), "-o", color=theme.INK, lw=3.2, ms=5.5, zorder=3)
    if picture.difference is not None:
        start, end, words = ruler(picture, layout)
        ax.plot([start, end], [RULER, RULER], "-|", color=theme.PALETTE[1], lw=1.8, ms=8, clip_on=False)
        ax.annotate(
            words, (end, RULER), (6, 0), textcoords="offset points", va="center", fontsize=8, annotation_clip=False
        )
    ax.set_xlim(layout.low, layout.high)
    ax.set_ylim(layout.depth + 0.5, RULER - 0.5 if picture.difference is not None else -1.7)
    ax.xaxis.set_ticks_position("top")
    ax.xaxis.set_label_position("top")
    ax.spines["top"].set_position(("data", 0))
    for side in ("left", "right", "bottom"):
        ax.spines[side].set_visible(False)
    ax.set_yticks([])
    ax.tick_params(labelsize=8.5)
    # The label belongs to the axis at level 0, not to the top of the plot.
    ax.text(
        (layout.low + layout.high) / 2,
        -1.3,
        "mean rank (1 is best)",
        ha="center",
        va="center",
        fontsize=9,
        color=theme.INK,
    )
    write_title(ax, picture.title, picture.subtitle)
    return ax
