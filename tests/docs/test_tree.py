"""The tree of questions, the gallery and the parameters hold what the code offers."""

import re
import warnings
from pathlib import Path

import pytest

from trueerror.methods import decisions


def test_every_default_is_an_answer_of_the_tree():
    from making.tree import leaves

    named = [leaf.name for leaf in leaves()]
    assert len(named) == len(set(named))
    stands_in = {"mean-of-rounds", "corrected-t", "the method of its plan"}
    assert {d.default for d in decisions()} - stands_in <= {leaf.method for leaf in leaves()}


@pytest.fixture(scope="module")
def data():
    from making.tree import DATA

    names = {}
    exec(DATA, names)
    return names


@pytest.mark.slow
def test_calls_of_the_tree_take_the_method_that_it_names(data):
    from making.tree import leaves

    # Named by words in the note, and by the metric's own method in the place of "pooled".
    elsewhere = {
        "paired-difference": '"note": "interval: tango"', "learner-holdout": '"method": "wilson"',
        "learner-folds": '"method": "wilson"', "learner-auc": '"method": "within-folds"',
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for leaf in leaves():
            made = eval(leaf.call, data).to_json()
            used = re.findall(r'"(?:method|adjust)": "([^"]*)"', made)
            assert leaf.method in used or elsewhere.get(leaf.name, "\0") in made, (leaf.name, leaf.method, used)


def write(name, columns):
    lines = [list(columns), *zip(*columns.values(), strict=True)]
    Path(name).write_text("\n".join(",".join(map(str, line)) for line in lines) + "\n")


@pytest.mark.slow
def test_commands_of_the_tree_run(data):
    from making.examples import Session
    from making.tree import leaves

    columns = {"y": data["y"], "a": data["a_scores"], "b": data["b_scores"]}
    extra = {"patient": data["patient"], "w": data["weights"], "fold": data["fold"]}
    with Session() as session:
        write("results.csv", {"dataset": range(20), **data["many_data_sets_wide"]})
        for leaf in leaves():
            if leaf.shell:
                words = leaf.shell.split()
                write("preds.csv", {**columns, **{k: v for k, v in extra.items() if k in words}})
                said = session.shell(leaf.shell)
                assert session.code == 0, (leaf.shell, said)


@pytest.mark.slow
def test_the_gallery_shows_every_kind_of_picture():
    from making.gallery import results

    from trueerror.curves._base import TableCurve, every_curve_kind
    from trueerror.plots._dispatch import OF_ONE, OF_SEVERAL, _kind, _members

    made = results()
    shown = {_kind(member) for result in made.values() for member in _members(result)}
    assert set(OF_ONE) | set(OF_SEVERAL) <= shown
    curves = {m.kind.key for result in made.values() for m in _members(result) if isinstance(m, TableCurve)}
    assert {kind.key for kind in every_curve_kind()} <= curves


def test_every_public_parameter_is_described_once():
    from making.interface import parameters
    from making.parameters import meaning, unused

    known = set(parameters())
    assert len(known) > 1000
    assert sorted(k for k in known if not meaning(*k)) == []
    assert unused(known) == []
