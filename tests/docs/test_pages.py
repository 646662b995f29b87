"""Every example of the written pages is run: what they show is what happens."""

import pytest
from build import DOCS, written

PAGES = [name for name in written() if not name.startswith("decisions/")]


def test_there_are_pages():
    assert len(PAGES) > 25


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_is_what_happens(page):
    from making.examples import real  # also fails where a picture that the page shows was not saved by its examples

    text = (DOCS / page).read_text(encoding="utf-8")
    assert real(text) == text, "run: python docs/build.py --examples"


def test_pages_hold_no_place_of_this_machine():
    for page in PAGES:
        text = (DOCS / page).read_text(encoding="utf-8")
        assert "/home/" not in text
        assert "site-packages" not in text
        assert str(DOCS.parent) not in text
