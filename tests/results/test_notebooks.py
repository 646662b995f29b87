"""What notebooks show: every type of result as HTML, with hostile names escaped; and the example runs as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trueerror as te

HOSTILE = "<script>alert('x')</script>&\"<img src=x onerror=y>"
RNG = np.random.default_rng(0)
N = 120
TRUTH = np.where(RNG.random(N) < 0.4, HOSTILE, "plain")
SCORES = {name: np.clip((TRUTH == HOSTILE) * 0.4 + RNG.random(N) * 0.6, 0, 1) for name in (HOSTILE, "other", "third")}
EXAMPLES = Path(__file__).parents[2] / "examples"


def results() -> Iterator[Any]:
    p = te.predictions(
        TRUTH, scores=SCORES, positive=HOSTILE, by=np.where(np.arange(N) % 2, "<b>even</b>", "odd"), ids=range(N)
    )
    one = p.select("other")
    ev = te.evaluate(p, cost_fn=5)
    yield from (p, ev, ev.model(HOSTILE), ev.parts[0], ev.findings, *ev.findings.items[:1], ev.parts[0].overall["auc"])
    cmp = te.compare(p)
    yield from (cmp, cmp.pairs[0], cmp.wins(), te.compare(p, cost_fn=5))
    g = te.gate(p, HOSTILE, model="other", margin=0.02)
    yield from (g, g.checks[0], p.confusion(HOSTILE), p.scores(HOSTILE), p.roles, te.check(p))
    roc = te.roc(p, model=HOSTILE)
    hull = te.roc_hull({HOSTILE: roc, "other": te.roc(one)})
    yield from (roc, hull, hull.ranges(), roc.at(fpr=0.1), roc.operating_point(cost_fn=3), roc.band())
    for curve in ("precision_recall", "gains", "lift", "det", "cost_curve", "calibration", "decision_curve"):
        yield getattr(te, curve)(p, model=HOSTILE)
    yield te.rank({"dataset": [HOSTILE, "b", "c"], HOSTILE: [0.1, 0.2, 0.3], "y": [0.3, 0.4, 0.2]})
    yield te.significance.nemenyi([[0.1, 0.2, 0.3], [0.2, 0.3, 0.5], [0.3, 0.1, 0.6], [0.1, 0.4, 0.5]])
    yield from (te.catalogue(), te.power(n=500, first=0.82, second=0.8, disagreement=0.03), te.interval(3, 4))
    yield te.significance.friedman([[0.1, 0.2, 0.3], [0.2, 0.3, 0.5], [0.3, 0.1, 0.6]])


def test_results_show_as_html_with_hostile_names_escaped() -> None:
    seen = set()
    for result in results():
        shown = result._repr_html_()
        seen.add(type(result).__name__)
        assert shown.startswith("<"), type(result)
        assert "<script" not in shown, type(result)
        assert "<img" not in shown, type(result)
        assert "<b>even" not in shown, type(result)
        # Tags open and close.
        for tag in ("div", "table", "pre", "p", "ul", "li", "b"):
            assert len(re.findall(rf"<{tag}[ >]", shown)) == shown.count(f"</{tag}>"), (type(result), tag)
    assert len(seen) >= 30


def test_every_type_has_a_form_for_notebooks(result_types: dict[str, type]) -> None:
    assert len(result_types) >= 60
    for name, kind in result_types.items():
        assert callable(getattr(kind, "_repr_html_", None)), name


def test_pictures_show_themselves_and_answer_the_pointer_without_a_network() -> None:
    p = te.predictions(TRUTH, scores=SCORES, positive=HOSTILE)
    for figure in (te.evaluate(p).plot(), te.compare(p).plot(), te.roc(p, model="other").plot()):
        data = figure._repr_mimebundle_()
        assert data["text/html"].startswith("<svg")
        assert "<script" not in data["text/html"]
        assert "<img" not in data["text/html"]
        attributes = re.findall(r' ([\w:-]+)="', data["text/html"])
        assert not {"src", "href", "xlink:href", "style"} & set(attributes)
        assert not re.search(r"url\(|@import", data["text/html"])
        assert data["image/svg+xml"].startswith("<svg")
    assert "<title>threshold: " in te.roc(p, model="other").plot().svg


@pytest.mark.parametrize("notebook", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_example_notebooks_run(notebook: Path, tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    book = nbformat.read(notebook, as_version=4)
    nbclient.NotebookClient(book, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [out for cell in book.cells if cell.cell_type == "code" for out in cell.outputs]
    assert not [out for out in shown if out.output_type == "error"]
    answers = [out.data for out in shown if out.output_type == "execute_result"]
    assert sum("<table>" in data.get("text/html", "") for data in answers) >= 5
    assert sum(data.get("text/html", "").startswith("<svg") and "image/svg+xml" in data for data in answers) == 3
    assert not [out.text for out in shown if out.output_type == "stream" and out.name == "stderr"]


def test_results_show_their_picture_inline_after_their_words() -> None:
    p = te.predictions(TRUTH, scores=SCORES, positive=HOSTILE)
    compared = te.compare(p)
    shown = {
        "evaluation": te.evaluate(p), "comparison": compared, "by cost": te.compare(p, cost_fn=5), "curve": te.roc(p),
        "of one": te.roc(p, model="other"), "matrix": p.confusion("other"), "interval": te.interval(3, 4),
        "hull": te.roc_hull(te.roc(p)), "point": te.roc(p, model="other").at(fpr=0.1), "pair": compared.pairs[0],
    }  # fmt: skip
    for what, result in shown.items():
        bundle = result._repr_mimebundle_()
        assert set(bundle) == {"text/html", "text/plain"}, what
        assert bundle["text/plain"] == repr(result), what
        page = bundle["text/html"]
        assert page.count("<svg ") > 0, what
        assert page.count('role="img"') == 1, what
        attributes = re.findall(r' ([\w:-]+)="', page)
        assert not {"src", "href", "xlink:href"} & set(attributes), what
        assert not re.search(r"url\(|@import|<script", page), what
    page = compared._repr_html_()
    assert page.index("<b>") < page.index("<svg") < page.index("<table>")
    assert set(compared._repr_mimebundle_(include={"text/plain"})) == {"text/plain"}
    assert set(compared._repr_mimebundle_(exclude={"text/plain"})) == {"text/html"}


def test_sentences_of_curves_are_whole_paragraphs() -> None:
    page = te.roc(te.predictions(TRUTH, scores=SCORES, positive=HOSTILE), model="other")._html()
    assert all(re.match(r"[A-Z\[]|auc", words) for words in re.findall("<p>(.*?)</p>", page)), page
    assert "<pre>" not in page


def test_results_without_a_picture_show_their_words_alone() -> None:
    for result in (te.catalogue(), te.check(te.predictions(TRUTH, scores=SCORES, positive=HOSTILE))):
        assert "<svg" not in result._repr_html_()
    empty = te.compare([0, 1] * 20, {"a": [0, 1] * 20, "b": [0, 1] * 20})
    assert "<table>" in empty._repr_html_()


def test_models_of_an_evaluation_stand_best_first() -> None:
    ev = te.evaluate([0, 1] * 50, {"low": [0, 1] * 30 + [1, 0] * 20, "high": [0, 1] * 45 + [1, 0] * 5})
    text, page = str(ev).partition("In brackets")[2], ev._html()
    assert text.index("high") < text.index("low")
    assert page.index('<td style="text-align:left">high') < page.index('<td style="text-align:left">low')
    assert ev.models == ("low", "high")
