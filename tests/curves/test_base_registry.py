"""A curve declares itself: catalogue, pictures and `trueerror plot` read the registry."""

import inspect
from importlib import import_module
from types import SimpleNamespace
from typing import get_overloads

import pytest

import trueerror as te
from trueerror.cli.plot import KINDS
from trueerror.curves import PLOT_WORDS
from trueerror.curves._base import TableCurve, every_curve_kind
from trueerror.curves._calibration import CalibrationVerb
from trueerror.curves._cost import DecisionVerb
from trueerror.curves._measure import MeasureVerb
from trueerror.curves._verb import CurveVerb
from trueerror.methods import every_method


def asked_for(protocol):
    """The forms of a call that a protocol has; its `__call__` itself forgets of whom they are."""
    return get_overloads(SimpleNamespace(__module__=protocol.__module__, __qualname__=f"{protocol.__name__}.__call__"))


def subclasses(kind):
    return {kind, *(c for direct in kind.__subclasses__() for c in subclasses(direct))}


@pytest.mark.parametrize("kind", every_curve_kind(), ids=lambda k: k.key)
def test_every_curve_has_a_method_a_verb_and_a_picture(kind):
    assert every_method()[kind.key].formula
    assert kind.make() is getattr(te, kind.verb)
    module, composer = kind.picture.split(".")
    assert callable(getattr(import_module(f"trueerror.plots.compose.{module}"), composer))


def test_every_curve_of_a_score_table_is_declared():
    declared = {c.__name__ for c in subclasses(TableCurve) if "kind" in vars(c)}
    public = {c.__name__ for c in subclasses(TableCurve) if not c.__name__.startswith("_")} - {"TableCurve"}
    assert declared == public
    assert len(every_curve_kind()) == len(public)


def test_words_of_pictures_are_their_own():
    words = [word for kind, aliases in KINDS.items() for word in (kind, *aliases)]
    assert len(words) == len(set(words))


def test_words_of_pictures_are_of_curves_that_are_declared():
    without = {"precision_recall_gain", "measure_curve"}
    assert set(PLOT_WORDS) == {kind.verb for kind in every_curve_kind()} - without


@pytest.mark.parametrize("kind", every_curve_kind(), ids=lambda k: k.key)
def test_every_verb_shows_all_its_parameters(kind):
    shared = [n for form in asked_for(CurveVerb) for n in inspect.signature(form).parameters if n != "self"]
    shown = inspect.signature(kind.make())
    assert {"truth", "scores", "weights_kind"} <= set(shared) <= set(shown.parameters)
    assert shown.return_annotation in {c.__name__ for c in subclasses(TableCurve)}
    assert ">>>" in kind.make().__doc__


@pytest.mark.parametrize(
    ("verb", "form"),
    [("calibration", CalibrationVerb), ("decision_curve", DecisionVerb), ("measure_curve", MeasureVerb)],
)
def test_type_checkers_see_the_options_that_there_are(verb, form):
    several, one = ({*inspect.signature(o).parameters} - {"self"} for o in asked_for(form))
    assert one == several | {"model"} == {*inspect.signature(getattr(te, verb)).parameters}
