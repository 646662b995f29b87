"""Is the difference real? Tests of two or many models, from counts, scores or areas, each with the size beside it.

Two things give a Contrast, several a Test, a Posterior or a Ranking. Every test is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trueerror.inference._bayes import bayes_correlated_t as bayes_correlated_t
    from trueerror.inference._bayes import bayes_signed_rank as bayes_signed_rank
    from trueerror.inference._multiplicity import adjust as adjust
    from trueerror.inference.auc._tests import delong as delong
    from trueerror.inference.auc._tests import delong_unpaired as delong_unpaired
    from trueerror.inference.bootstrap._paired import paired_bootstrap as paired_bootstrap
    from trueerror.inference.bootstrap._paired import permutation as permutation
    from trueerror.inference.loss._t_tests import corrected_t as corrected_t
    from trueerror.inference.loss._t_tests import five_by_two_f as five_by_two_f
    from trueerror.inference.loss._t_tests import five_by_two_t as five_by_two_t
    from trueerror.inference.loss._t_tests import paired_t as paired_t
    from trueerror.inference.loss._t_tests import unpaired_t as unpaired_t
    from trueerror.inference.power._plan import Power as Power
    from trueerror.inference.power._plan import smallest_difference as smallest_difference
    from trueerror.inference.proportion._paired import bowker as bowker
    from trueerror.inference.proportion._paired import cochran_q as cochran_q
    from trueerror.inference.proportion._paired import equivalence as equivalence
    from trueerror.inference.proportion._paired import mcnemar as mcnemar
    from trueerror.inference.proportion._paired import noninferiority as noninferiority
    from trueerror.inference.proportion._sequential import confidence_sequence as confidence_sequence
    from trueerror.inference.proportion._sequential import e_value as e_value
    from trueerror.inference.proportion._two_samples import one_proportion as one_proportion
    from trueerror.inference.proportion._two_samples import two_proportions as two_proportions
    from trueerror.inference.ranking._rank_tests import bonferroni_dunn as bonferroni_dunn
    from trueerror.inference.ranking._rank_tests import friedman as friedman
    from trueerror.inference.ranking._rank_tests import iman_davenport as iman_davenport
    from trueerror.inference.ranking._rank_tests import nemenyi as nemenyi
    from trueerror.inference.ranking._rank_tests import quade as quade
    from trueerror.inference.ranking._rank_tests import shaffer as shaffer
    from trueerror.inference.ranking._ranking import Ranking as Ranking
    from trueerror.inference.ranking._signed import sign as sign
    from trueerror.inference.ranking._signed import wilcoxon as wilcoxon

# Public name → the module that defines it.
_HOMES = {
    "one_proportion": "trueerror.inference.proportion._two_samples",
    "two_proportions": "trueerror.inference.proportion._two_samples",
    "mcnemar": "trueerror.inference.proportion._paired",
    "cochran_q": "trueerror.inference.proportion._paired",
    "bowker": "trueerror.inference.proportion._paired",
    "paired_t": "trueerror.inference.loss._t_tests",
    "unpaired_t": "trueerror.inference.loss._t_tests",
    "corrected_t": "trueerror.inference.loss._t_tests",
    "five_by_two_t": "trueerror.inference.loss._t_tests",
    "five_by_two_f": "trueerror.inference.loss._t_tests",
    "wilcoxon": "trueerror.inference.ranking._signed",
    "sign": "trueerror.inference.ranking._signed",
    "permutation": "trueerror.inference.bootstrap._paired",
    "paired_bootstrap": "trueerror.inference.bootstrap._paired",
    "delong": "trueerror.inference.auc._tests",
    "delong_unpaired": "trueerror.inference.auc._tests",
    "equivalence": "trueerror.inference.proportion._paired",
    "noninferiority": "trueerror.inference.proportion._paired",
    "bayes_correlated_t": "trueerror.inference._bayes",
    "bayes_signed_rank": "trueerror.inference._bayes",
    "friedman": "trueerror.inference.ranking._rank_tests",
    "iman_davenport": "trueerror.inference.ranking._rank_tests",
    "quade": "trueerror.inference.ranking._rank_tests",
    "nemenyi": "trueerror.inference.ranking._rank_tests",
    "bonferroni_dunn": "trueerror.inference.ranking._rank_tests",
    "shaffer": "trueerror.inference.ranking._rank_tests",
    "Ranking": "trueerror.inference.ranking._ranking",
    "adjust": "trueerror.inference._multiplicity",
    "e_value": "trueerror.inference.proportion._sequential",
    "confidence_sequence": "trueerror.inference.proportion._sequential",
    "Power": "trueerror.inference.power._plan",
    "smallest_difference": "trueerror.inference.power._plan",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'trueerror.significance' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
