"""The pictures of the pages, by running the library.

Each file carries a fingerprint of the figures that it shows, to six digits: a picture is up to date when the library
still gives those figures, whatever the last digit is on another machine.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import trueerror as te
from trueerror.plots._figure import Figure
from trueerror.plots._specs import Axis, Curves, Line

MARK = re.compile(r"<!-- figures ([0-9a-f]{16}) -->")


def cancer() -> te.Predictions:
    """The bundled scores of four learners on 285 tumours."""
    return te.read(te.data.path("breast_cancer"), positive="malignant")


def digits() -> te.Predictions:
    """The bundled labels of three learners on 899 digits."""
    return te.read(te.data.path("digits"))


def evaluation() -> Figure:
    """Accuracy, recall and precision of four models."""
    return te.evaluate(cancer(), metrics=["accuracy", "recall", "precision"]).plot()


def confusion() -> Figure:
    """Which digits naive Bayes takes for which."""
    return te.evaluate(digits()).model("bayes").confusion.plot()


def hull() -> Figure:
    """ROC curves of four models, and the hull over them."""
    rows = cancer()
    return te.roc_hull({name: te.roc(rows, model=name) for name in rows.models}).plot()


def precision_recall() -> Figure:
    """Precision against recall of naive Bayes."""
    return te.precision_recall(cancer(), model="bayes").plot()


def calibration() -> Figure:
    """Whether the forest's probabilities mean what they say."""
    return te.calibration(cancer(), model="forest", bins=5).plot()


def risk_coverage() -> Figure:
    """Errors on the most confident rows."""
    return te.risk_coverage(cancer(), model="bayes").plot()


def gains() -> Figure:
    """Share of the tumours found by looking at the highest scores first."""
    return te.gains(cancer(), model="bayes").plot()


def comparison() -> Figure:
    """How far each model is from the leader, on the digits."""
    return te.compare(digits()).plot()


def ranking() -> Figure:
    """Mean ranks of four learners over 14 data sets: the table of the page that shows it."""
    page = (Path(__file__).parents[1] / "howto" / "many-data-sets.md").read_text(encoding="utf-8")
    table = page.split("<!-- file: auc.csv -->\n```text\n")[1].split("\n```")[0]
    head, *rows = (line.split(",") for line in table.split("\n"))
    columns = {name: [float(row[i]) for row in rows] for i, name in enumerate(head) if i}
    return te.rank(columns).plot()


def coverage() -> Figure:
    """How often 95 % intervals hold the true rate, by enumeration over all outcomes of 50 rows."""
    from scipy.special import gammaln

    n = 50
    x = np.arange(n + 1)
    rates = np.linspace(0.005, 0.995, 199)
    ways = gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1)
    chance = np.exp(ways + x * np.log(rates[:, None]) + (n - x) * np.log1p(-rates[:, None]))
    level = np.array([0.95, 0.95])
    lines = [Line(x=np.array([0.0, 1.0]), y=level, role="reference", words="95 %", words_at=(1.0, 0.95), shift=(5, 0))]
    for method in ("wilson", "wald"):
        limits = [te.interval(int(k), n, method=method) for k in x]
        low, high = np.array([i.low for i in limits]), np.array([i.high for i in limits])
        if method == "wald":  # as it is usually computed: no width at 0 and n
            low[0] = high[0] = 0.0
            low[n] = high[n] = 1.0
        holds = (low <= rates[:, None]) & (rates[:, None] <= high)
        lines.append(Line(x=rates, y=(chance * holds).sum(axis=1), name=method))
    picture = Curves(
        title="Coverage of 95 % intervals, 50 rows",
        x=Axis(title="true rate"),
        y=Axis(title="share of intervals that hold it", low=0.7, high=1.0),
        lines=tuple(lines),
        size=(520, 260),
    )
    return Figure(picture)


def winners_curse() -> Figure:
    """How often 95 % intervals hold the true score of the best of equally good models, errors correlated by a half."""
    from trueerror.inference._chosen import quantile_of_largest

    counts, rng = np.array([1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100]), np.random.default_rng(0)
    errors = np.sqrt(0.5) * (rng.standard_normal((40_000, 1)) + rng.standard_normal((40_000, counts[-1])))
    best = [errors[:, :k].max(axis=1) for k in counts]
    further = [quantile_of_largest([0.5] * (k - 1), 0.025) for k in counts.tolist()]
    level = Line(x=np.array([1.0, 100.0]), y=np.array([0.95, 0.95]), role="reference", words="95 %",
                 words_at=(100.0, 0.95), shift=(5, 0))  # fmt: skip
    lines = [
        Line(
            x=counts,
            y=np.array([((e >= -1.96) & (e <= q)).mean() for e, q in zip(best, limits, strict=True)]),
            name=name,
        )
        for name, limits in (("allowing for the choice", further), ("its own interval", [1.96] * len(counts)))
    ]
    picture = Curves(
        title="The best of equally good models",
        x=Axis(title="models to choose from"),
        y=Axis(title="share of intervals that hold its true score", low=0.0, high=1.0),
        lines=(level, *lines),
        size=(520, 260),
    )
    return Figure(picture)


def measured(design: str) -> tuple[list[re.Match[str]], list[list[float]]]:
    """The designs of validation/DEPENDENCE.md whose name fits, and the coverage of each of its first three columns."""
    page = (Path(__file__).parents[2] / "validation" / "DEPENDENCE.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    found = [(fits, row) for row in rows if (fits := re.fullmatch(design, row[0]))]
    return [fits for fits, _ in found], [[float(cell.split()[0]) for cell in row[1:4]] for _, row in found]


def coverages(title: str, axis: Axis, x: list[float], columns: list[list[float]], names: tuple[str, ...]) -> Figure:
    """Coverage of three kinds of limits, as lines."""
    at, level = np.array(x), np.full(2, 0.95)
    reference = Line(x=np.array([axis.low, axis.high]), y=level, role="reference", words="95 %",
                     words_at=(axis.high, 0.95), shift=(5, 0))  # fmt: skip
    lines = [Line(x=at, y=np.array(y), name=name) for y, name in zip(zip(*columns, strict=True), names, strict=True)]
    shares = Axis(title="share of intervals that hold the truth", low=0.0, high=1.0)
    return Figure(Curves(title=title, x=axis, y=shares, lines=(reference, *lines), size=(520, 260)))


def errors_in_time() -> Figure:
    """Coverage as errors come in longer runs, 500 rows in order of time."""
    designs, columns = measured(r"(?:independent|ar (\.\d+)), 500 rows, error 0\.2")
    axis = Axis(title="correlation of neighbours (φ)", high=1.0)
    names = ("as independent", "time=", "Newey and West")
    return coverages("Errors in runs, 500 rows", axis, [float(d[1] or 0) for d in designs], columns, names)


def users_and_items() -> Figure:
    """Coverage where rows belong to users and to items, twenty items."""
    designs, columns = measured(r"(\d+) × 20, .*, sd 1 and 1")
    order = sorted(range(len(designs)), key=lambda i: int(designs[i][1]))
    users = [float(designs[i][1]) for i in order]
    axis = Axis(title="users (20 items)", low=users[0], high=users[-1], scale="log", ticks=tuple(users))
    names = ("as independent", "users alone", "both keys")
    return coverages("Users and items", axis, users, [columns[i] for i in order], names)


MAKERS = (
    evaluation, confusion, hull, precision_recall, calibration, risk_coverage, gains, comparison, ranking, coverage,
    winners_curse, errors_in_time, users_and_items,
)  # fmt: skip
PICTURES: dict[str, Callable[[], Figure]] = {maker.__name__.replace("_", "-"): maker for maker in MAKERS}


def figure(name: str) -> Figure:
    """One picture as a figure."""
    return PICTURES[name]()


def fingerprint(picture: Any) -> str:
    """A hash of the figures and words that a picture shows, to six digits; how large it is drawn is left out."""
    shown = json.dumps(_shown(picture), ensure_ascii=False)
    return hashlib.sha256(shown.encode()).hexdigest()[:16]


def _shown(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        names = [f.name for f in dataclasses.fields(value) if f.name not in ("size", "shift", "align")]
        return [(name, _shown(getattr(value, name))) for name in names]
    if isinstance(value, dict):
        return [(key, _shown(held)) for key, held in value.items()]
    if hasattr(value, "tolist"):
        return _shown(value.tolist())
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return [_shown(held) for held in value] if isinstance(value, list | tuple) else value


def draw(name: str) -> str:
    """A picture as SVG, with the fingerprint of its figures."""
    made = figure(name)
    return f"{made.svg}\n<!-- figures {fingerprint(made.picture)} -->\n"


def shown_figures(svg: str) -> str:
    """The fingerprint that a file carries."""
    found = MARK.search(svg)
    return found[1] if found else ""
