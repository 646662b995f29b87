"""Options that all verbs share, and errors that help."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from trueerror.inputs._options import (
    InputError,
    check_alternative,
    check_confidence,
    check_share,
    check_word,
    generator,
    nearest,
)


def test_confidence() -> None:
    assert check_confidence(0.9) == 0.9
    for value, words in (
        (95, r"did you mean 0\.95"),
        (0, "between"),
        (1, "between"),
        (math.nan, "between"),
        ("x", "number"),
    ):
        with pytest.raises(InputError, match=words):
            check_confidence(value)  # type: ignore[arg-type]


def test_words_suggest_the_nearest() -> None:
    assert check_word("wald", ("wald", "wilson"), "method") == "wald"
    with pytest.raises(InputError, match="method='wilsn' is not known; did you mean 'wilson'"):
        check_word("wilsn", ("wald", "wilson"), "method")
    with pytest.raises(InputError, match="'two-sided', 'greater', 'less'"):
        check_alternative("both")


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, "half", None])
def test_shares(value: Any) -> None:
    assert check_share(1, "icc") == 1
    with pytest.raises(InputError, match="icc="):
        check_share(value, "icc")


def test_randomness_is_an_argument() -> None:
    first, name = generator(None)
    again, _ = generator(0)
    assert name == "seed 0"
    assert first.random() == again.random()
    assert generator(np.int64(7))[1] == "seed 7"  # type: ignore[arg-type]
    assert generator(7)[0].random() != generator(8)[0].random()
    own = np.random.default_rng(1)
    assert generator(own)[0] is own
    sequence, name = generator(np.random.SeedSequence(5))
    assert name == "seed 5"
    assert sequence.random() == generator(np.random.SeedSequence(5))[0].random()
    for wrong in (-1, 1.5, "seed", True):
        with pytest.raises(InputError, match="rng="):
            generator(wrong)  # type: ignore[arg-type]


def test_hints() -> None:
    assert nearest("recal", ["recall", "f1"]) == "; did you mean 'recall'?"
    assert nearest("zzz", range(40)) == ""
    assert nearest("zzz", []) == ""
    assert nearest(7, [1, 2]) == "; there are '1', '2'"
