"""Generated pages and pictures are up to date, and the site has a place for every page."""

import re
from pathlib import Path

import numpy as np
import pytest
import yaml

DOCS = Path(__file__).resolve().parents[2] / "docs"
PICTURES = sorted(p.stem for p in (DOCS / "pictures").glob("*.svg"))
STALE = "run: python docs/build.py"


def stored(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def test_metrics_page():
    from making.knowledge import metrics_page

    assert stored("reference/metrics.md") == metrics_page(), STALE


def test_methods_pages():
    from making.knowledge import decisions_page, methods_page

    assert stored("reference/methods.md") == methods_page(), STALE
    assert stored("reference/decisions.md") == decisions_page(), STALE


def test_interface_page():
    from making.interface import interface_page

    assert stored("reference/api.md") == interface_page(), STALE


def test_every_public_name_is_in_the_interface_page():
    import trueerror as te

    text = stored("reference/api.md")
    for name in te.__all__:
        if name not in ("__version__", "data", "logs", "significance", "testing"):
            assert f"{{#te.{name}}}" in text, f"{name}: {STALE}"
    for module in (te.significance, te.logs, te.testing):
        for name in module.__all__:
            place = f"{module.__name__.replace('trueerror', 'te')}.{name}"
            assert f"{{#{place}}}" in text, f"{place}: {STALE}"


def test_commands_page():
    """Word by word, not line by line: how lines are filled is the business of the library that prints them."""
    from making.programs import help_words

    text = re.sub(r"\s", "", stored("reference/command-line.md"))
    for command, words in help_words().items():
        assert f"##{command}" in text
        for word in words:
            assert re.sub(r"\s", "", word) in text, f"{command}: {word!r}: {STALE}"


def test_list_of_decisions():
    from making.notes import notes_page

    assert stored("decisions/index.md") == notes_page(DOCS / "decisions"), STALE


def test_every_picture_has_a_maker_and_is_shown():
    from making.pictures import PICTURES as made

    assert sorted(made) == PICTURES, STALE
    text = "".join(p.read_text(encoding="utf-8") for p in DOCS.rglob("*.md"))
    for name in PICTURES:
        assert f"pictures/{name}.svg" in text


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_show_what_the_library_gives(name):
    from making.pictures import figure, fingerprint, shown_figures

    svg = stored(f"pictures/{name}.svg")
    assert shown_figures(svg) == fingerprint(figure(name).picture), STALE


def test_a_fingerprint_changes_with_the_figures_only():
    from making.pictures import fingerprint

    from trueerror.plots._specs import Axis, Curves, Line

    def shown(x=0.123456789, title="a", size=(100, 100)):
        line = Line(x=np.array([0.0, x]), y=np.array([0.0, 1.0]))
        return fingerprint(Curves(title=title, x=Axis(title="x"), y=Axis(title="y"), lines=(line,), size=size))

    assert shown() == shown(size=(200, 100))
    assert shown() == shown(x=0.12345678)
    assert shown() != shown(x=0.1235)
    assert shown() != shown(title="b")


def test_links_lead_somewhere():
    for page in DOCS.rglob("*.md"):
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", re.sub(r"`[^`]*`", "", text)):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_page_is_in_the_navigation():
    config = yaml.safe_load((DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8"))
    listed = set(_leaves(config["nav"]))
    pages = {p.relative_to(DOCS).as_posix() for p in DOCS.rglob("*.md")}
    notes = {p for p in pages if re.match(r"decisions/0", p)}
    assert listed == pages - notes


def _leaves(nav):
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        for value in nav.values():
            yield from _leaves(value)
    else:
        for item in nav:
            yield from _leaves(item)
