from __future__ import annotations

import re

from trueerror.plots._text import distinct, fold, fold_all, plain
from trueerror.results._format import width


def test_control_characters_never_reach_a_picture() -> None:
    assert plain("a\x1b[31m\n\tb\u2028c") == "a [31m b c"


def test_long_names_fold_into_two_lines_and_are_then_cut() -> None:
    lines = fold("word " * 60, 20)
    assert len(lines) == 2
    assert all(width(line) <= 20 for line in lines)
    assert "…" in lines[-1]
    assert all(width(line) <= 10 for line in fold("名" * 300, 10))
    assert fold("", 10) == [""]


def test_clipping_does_not_make_different_models_one() -> None:
    names = distinct(["x" * 100 + "a", "x" * 100 + "b", "x" * 100 + "a", ""], columns=20)
    assert len(set(names)) == 4
    assert all(width(name) <= 20 for name in names)


def test_names_that_differ_in_the_middle_differ_in_every_picture() -> None:
    names = [f"gradient boosting, max_depth={i}, learning_rate=0.05, tuned" for i in range(9)]
    assert all(f"depth={i}" in short for i, short in enumerate(distinct(names, columns=34)))
    folded = fold_all(names, 20)
    assert all(f"depth={i}" in "".join(lines) for i, lines in enumerate(folded))
    assert all(width(line) <= 20 for lines in folded for line in lines)


def test_a_line_never_ends_between_a_sign_and_its_number_or_within_limits() -> None:
    text = "gbm costs more, 95 % CI +9.3 to +15.7 [0.694, 2.204] or -3.2 per 100 rows (p = .001) and so on"
    for room in range(20, 60):
        for line in fold(text, room, lines=9):
            assert not re.search(r"[+\-.=,]$|\[[^\]]*$", line) or line.endswith("costs more,"), line
