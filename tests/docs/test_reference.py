"""What the pages made from the code hold, the pictures, and the site's own rules; test_site.py builds the whole."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from build import DOCS, HEADS, first_sentence, written

PICTURES = sorted(p.stem for p in (DOCS / "pictures").glob("*.svg"))
STALE = "run: python docs/build.py --examples"
TREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def generated():
    from build import generated

    return generated()


def test_every_public_name_has_a_page(generated):
    from making.interface import file_of, public

    for name in public():
        text = generated[f"reference/python/{file_of(name)}.md"]
        assert text.startswith(f"# {name}\n".replace("_", "\\_"))
        assert "## Returns" in text or "## What it holds" in text
    assert "| `metric` |" in generated["reference/python/compare.md"]
    files = [name.lower() for name in generated]
    assert len(files) == len(set(files))  # also where upper and lower case are one


def test_commands_page(generated):
    """Word by word, not line by line: how lines are filled is the business of the library that prints them."""
    from making.programs import help_words

    text = re.sub(r"\s", "", generated["reference/command-line.md"])
    for command, words in help_words().items():
        assert f"##{command}" in text
        for word in words:
            assert re.sub(r"\s", "", word) in text, f"{command}: {word!r}"


def test_every_finding_has_an_anchor(generated):
    from trueerror.findings import every_rule

    text = generated["reference/findings.md"]
    for code in every_rule():
        assert f"({code.lower()})=\n\n### {code}: " in text


def test_every_picture_of_the_readme_has_a_maker_and_is_shown():
    from making.pictures import PICTURES as made

    assert set(PICTURES) <= set(made)
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    for name in PICTURES:
        assert f"docs/pictures/{name}.svg" in readme


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_show_what_the_library_gives(name):
    from making.pictures import figure, fingerprint, shown_figures

    svg = (DOCS / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
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


def test_links_lead_somewhere(generated):
    from making.examples import shown_pictures
    from making.gallery import every_picture
    from making.pictures import PICTURES

    made = {f"pictures/{name}.svg" for name in PICTURES} | {f"gallery/{p.name}.svg" for p in every_picture()}
    pages = {**written(), **generated}
    for name, text in pages.items():
        bare = re.sub(r"`[^`]*`", "", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", bare):
            place = (DOCS / name).parent.joinpath(target).resolve()
            inside = place.relative_to(DOCS).as_posix() if place.is_relative_to(DOCS) else ""
            drawn = inside in made or target in shown_pictures(text)
            assert "://" in target or inside in pages or drawn or place.exists(), f"{name}: {target}"


def test_every_page_is_in_the_navigation(generated):
    pages = {**written(), **generated}
    listed = {f"{head}.md" for head in HEADS} | {"index.md"}
    for name, text in pages.items():
        for tree in TREE.findall(text):
            for line in tree.splitlines():
                if line and not line.startswith(":"):
                    entry = re.sub(r"^.*<(.*)>$", r"\1", line.strip())
                    place = Path(DOCS / name).parent.joinpath(f"{entry}.md").resolve()
                    listed.add(place.relative_to(DOCS).as_posix())
    assert set(pages) <= listed, sorted(set(pages) - listed)


def test_first_sentence_of_a_page_is_plain_text():
    assert first_sentence("# T\n\n<!-- x -->\n\nA `b` [c](d.md) of *e*. Next. Last.\n") == "A b c of e. Next."
    assert first_sentence("# T\n\n```python\nx\n```\n") == ""


def test_help_lists_every_parameter_of_every_public_function():
    """`help(te.compare)` lists each parameter once and none that is gone; the lists are made from the code."""
    from build import PARAMETERS
    from making.interface import LISTED, called, help_lists, public

    assert PARAMETERS.read_text(encoding="utf-8") == help_lists(), "run: python docs/build.py --parameters"
    wrong = {}
    for name, thing in public().items():
        if not called(name, thing) or (inspect.isclass(thing) and issubclass(thing, Exception)):
            continue
        listed = re.search(rf"^{LISTED}((?:\n.+)+)", inspect.getdoc(thing) or "", re.MULTILINE)
        names = [] if listed is None else re.findall(r"^\**(\w+)", listed[1], re.MULTILINE)
        if names != list(inspect.signature(thing).parameters):
            wrong[name] = names
    assert wrong == {}
