"""Which kernels run: by setting, by size, and without numba."""

import sys

import pytest

import trueerror.kernels as kernels
from trueerror.inputs._options import InputError
from trueerror.inputs._settings import config


@pytest.fixture(autouse=True)
def _restore():
    yield
    config(kernels="auto")


def test_small_work_is_plain_and_the_choice_can_be_forced():
    assert kernels.chosen(1000) is kernels.plain
    config(kernels="plain")
    assert kernels.chosen(10**12) is kernels.plain


def test_large_work_is_fast_where_numba_is():
    pytest.importorskip("numba")
    assert kernels.chosen(10**12).__name__ == "trueerror.kernels._numba"
    assert kernels.chosen(1000) is kernels.plain
    config(kernels="fast")
    assert kernels.chosen(1).__name__ == "trueerror.kernels._numba"


def test_compiling_has_to_pay_where_no_code_was_kept(monkeypatch, tmp_path):
    pytest.importorskip("numba")
    monkeypatch.delitem(sys.modules, "trueerror.kernels._numba", raising=False)
    monkeypatch.setattr(kernels, "__file__", str(tmp_path / "__init__.py"))
    assert kernels.chosen(kernels.COLD) is kernels.plain
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "_numba.placements-1.py311.nbi").touch()
    assert kernels.chosen(kernels.COLD - 1) is kernels.plain
    assert kernels.chosen(kernels.COLD).__name__ == "trueerror.kernels._numba"


def test_without_numba_everything_still_works(monkeypatch):
    monkeypatch.setattr(kernels, "find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "trueerror.kernels._numba", raising=False)
    assert kernels.chosen(10**12) is kernels.plain


def test_a_broken_numba_is_passed_over_unless_asked_for(monkeypatch):
    pytest.importorskip("numba")
    for name in ("_numba",):
        monkeypatch.delitem(sys.modules, f"trueerror.kernels.{name}", raising=False)
        monkeypatch.delattr(kernels, name, raising=False)
    config(kernels="fast")
    monkeypatch.setattr(kernels, "find_spec", lambda name: object())
    monkeypatch.setitem(sys.modules, "numba", None)
    with pytest.raises(InputError, match="cannot be loaded"):
        kernels.chosen(1)
    config(kernels="auto")
    assert kernels.chosen(10**12) is kernels.plain
