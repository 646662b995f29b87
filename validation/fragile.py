"""How often a difference is called fragile (TE215), and what a gate makes of it.

`python -m validation.fragile [SAMPLES]` prints the rates.

Clean designs without a difference and with one that is found in about half and in about nine of ten samples; then
designs where few events decide, whose models are equal, or exactly a margin apart.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

import trueerror as te
from trueerror.results._values import deciding_p
from validation import designs
from validation.asking import Sample
from validation.claims import failing_gate
from validation.textbook import Question, Rows

Draw = Callable[[np.random.Generator], Rows]


class Design(NamedTuple):
    """Rows with a question; `margin` is that of the gate, by which the first model is worse."""

    words: str
    draw: Draw
    question: Question
    margin: float | None = None


def clean() -> Iterator[Design]:
    """Without a difference, found in about half, found in about nine of ten."""
    accuracy, macro = Question("accuracy", 2), Question("macro_f1", 3)
    for second in (0.9, 0.862, 0.838):
        draw = designs.labelled((7, 3), (0.9, 0.9), 500, second=(second, second))
        yield Design(f"accuracy .90 and {second}, 500 rows", draw, accuracy)
    for second in (0.85, 0.79, 0.755):
        draw = designs.labelled((6, 3, 1), (0.85,) * 3, 300, second=(second,) * 3)
        yield Design(f"3 classes, right on .85 and {second}, 300 rows", draw, macro)
    for n, share, first, seconds in ((400, 0.4, 0.9, (0.9, 0.867, 0.845)), (1000, 0.3, 0.97, (0.97, 0.957, 0.95))):
        for second in seconds:
            draw = designs.binormal((first, second), n, share)
            for name in ("auc", "average_precision"):
                yield Design(f"AUC {first} and {second}, {n} rows, {name}", draw, Question(name))
            draw = designs.forecasts((first, second), n, share)
            for name in ("brier", "log_loss"):
                yield Design(f"AUC {first} and {second}, {n} rows, {name}", draw, Question(name))
    draw = designs.clustered_labels("40 of 10", (0.7, 0.3), 0.85, 0.7, models=2)
    yield Design("40 clusters of 10, equal", draw, accuracy)
    for name in ("auc", "average_precision", "log_loss"):
        yield Design(f"40 clusters of 10, equal, {name}", designs.clustered_scores("40 of 10", 2), Question(name))
    for n, second in ((200, 0.867), (200, 0.85)):
        for name in ("auc", "average_precision", "log_loss"):
            draw = _in_clusters(designs.forecasts((0.9, second), 5 * n, 0.4), 5)
            yield Design(f"AUC .90 and {second}, {n} clusters of 5, {name}", draw, Question(name))


def _in_clusters(draw: Draw, size: int) -> Draw:
    """Rows in clusters that have nothing in common."""
    return lambda rng: (rows := draw(rng))._replace(keys=np.arange(len(rows.y)) // size)


def few_events() -> Iterator[Design]:
    """Equal models, one of which fails on few rows or clusters; and the first worse by the margin of a gate."""
    log_loss, accuracy = Question("log_loss"), Question("accuracy", 2)
    for n in (60, 100, 250, 1000):
        yield Design(f"2 % disasters, {n} rows", designs.disasters(n, 0.02), log_loss, 0.0)
    for sizes, part in (("60 of 10", 0.02), ("100 of 10", 0.02), ("200 of 10", 0.05)):
        words = f"{sizes}, one fails in {part:.0%} of the clusters"
        yield Design(words, designs.failing_clusters(sizes, part), accuracy)
        yield Design(f"{words}, log loss", designs.failing_clusters(sizes, part, kind="scores"), log_loss)
        draw = failing_gate(sizes, part)
        yield Design(f"{words}, worse by the margin", draw, accuracy, 0.9 * part * 0.95)


def main() -> None:
    """Print the rates."""
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print("| design | found | found, fragile | gate passes | gate cannot tell for that |\n|---|---|---|---|---|")
    for of in (clean, few_events):
        for d in of():
            seen = np.zeros(4)
            for i in range(samples):
                sample = Sample(d.draw(np.random.default_rng([7, i])))
                pair = sample.compared(d.question).pairs[0]
                found = deciding_p(pair) <= 0.05
                p = sample.predictions(d.question)
                gate = te.gate(p, p.models[1], model=p.models[0], metric=d.question.metric, margin=d.margin or 0.0)
                seen += found, found and pair.fragile, gate.decision == "pass", "fragile" in gate.checks[0].note
            print(f"| {d.words} |", *(f"{x:.3f} |" for x in seen / samples), flush=True)


if __name__ == "__main__":
    main()
