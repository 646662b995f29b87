"""Settings are few, checked and visible."""

from importlib.util import find_spec

import pytest

from trueerror.inputs import _settings as settings
from trueerror.inputs._options import InputError
from trueerror.inputs._settings import config, memory_bytes


@pytest.fixture(autouse=True)
def _restore():
    yield
    config(kernels="auto", budget="2GB", threads=None)


def test_looking_changes_nothing():
    assert config() == config()
    assert config().kernels == "auto"


def test_settings_hold_until_changed():
    assert config(kernels="plain", threads=2).thread_count == 2
    assert config().kernels == "plain"
    assert config(budget="500MB").budget_bytes == 500_000_000
    assert config().threads == 2


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"kernel": "fast"}, "did you mean 'kernels'"),
        ({"kernels": "quick"}, "kernels='quick' is not known"),
        ({"budget": "lots"}, "amount of memory"),
        ({"budget": 0}, "amount of memory"),
        ({"budget": True}, "amount of memory"),
        ({"threads": 0}, "whole number"),
        ({"threads": True}, "whole number"),
    ],
)
def test_wrong_settings_say_what_is_right(wrong, words):
    before = config()
    with pytest.raises(InputError, match=words):
        config(**wrong)
    assert config() == before


def test_fast_needs_numba(monkeypatch):
    monkeypatch.setattr(settings, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="trueerror\\[fast\\]"):
        config(kernels="fast")
    assert "numba is not installed" in str(config())


def test_memory_in_words():
    assert memory_bytes("1.5 gb") == 1_500_000_000
    assert memory_bytes(1000) == 1000
    assert memory_bytes("2G") == 2_000_000_000
    assert memory_bytes("10 b") == 10


def test_the_kernels_in_use_are_shown() -> None:
    try:
        assert config(kernels="plain").kernels_in_use == "plain"
        assert "kernels plain, plain in use" in str(config())
        if find_spec("numba"):
            assert config(kernels="fast").kernels_in_use == "fast"
    finally:
        config(kernels="auto")
    assert config().kernels_in_use in ("plain", "fast")
