"""Small files of real predictions, for demonstrations and tests; `examples/make_demo_data.py` makes them."""

from __future__ import annotations

from pathlib import Path

from trueerror._errors import InputError

FILES = {
    "breast_cancer": "285 rows, malignant or benign; scores (probability of malignant) of four learners",
    "digits": "899 rows, digits 0 to 9; labels of three learners",
}


def path(name: str) -> Path:
    """Where one of the files is; `FILES` describes them.

    >>> path("breast_cancer").name
    'breast_cancer.csv'
    """
    bare = name.removesuffix(".csv")
    if bare not in FILES:
        known = ", ".join(repr(known) for known in FILES)
        raise InputError(f"there is no demonstration file {name!r}; there are {known}")
    return Path(__file__).with_name(f"{bare}.csv")
