"""Names that people bring from other libraries are answered with what it is called here."""

from __future__ import annotations

import pytest

import trueerror as te


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("wilson", "te.interval"), ("confusion_matrix", "te.Confusion.count"), ("roc_curve", r"te.roc\("),
        ("f1_score", r'te.evaluate\(truth, predicted\)\["f1"\]'), ("matthews_corrcoef", r'\["mcc"\]'),
        ("read_csv", "te.read"), ("mcnemar", "te.significance.mcnemar"), ("compair", "did you mean te.compare"),
    ],
)  # fmt: skip
def test_functions(name: str, answer: str) -> None:
    with pytest.raises(AttributeError, match=answer):
        getattr(te, name)


@pytest.mark.parametrize("name", ["to_csv", "show", "to_html", "ci_low", "pvalue"])
def test_attributes(name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; ."):
        getattr(te.interval(3, 20), name)
    assert not hasattr(te.interval(3, 20), name)
