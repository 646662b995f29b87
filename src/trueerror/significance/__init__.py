"""Is the difference real? Tests of two or many models, from counts, scores or areas, each with the size beside it.

Two things give a Contrast, several a Test, a Posterior or a Ranking. Every test is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trueerror.significance.anytime import confidence_sequence as confidence_sequence
    from trueerror.significance.anytime import e_value as e_value
    from trueerror.significance.areas import delong as delong
    from trueerror.significance.areas import delong_unpaired as delong_unpaired
    from trueerror.significance.bayesian import bayes_correlated_t as bayes_correlated_t
    from trueerror.significance.bayesian import bayes_signed_rank as bayes_signed_rank
    from trueerror.significance.margins import equivalence as equivalence
    from trueerror.significance.margins import noninferiority as noninferiority
    from trueerror.significance.means import corrected_t as corrected_t
    from trueerror.significance.means import five_by_two_f as five_by_two_f
    from trueerror.significance.means import five_by_two_t as five_by_two_t
    from trueerror.significance.means import paired_t as paired_t
    from trueerror.significance.means import unpaired_t as unpaired_t
    from trueerror.significance.multiplicity import adjust as adjust
    from trueerror.significance.paired import bowker as bowker
    from trueerror.significance.paired import cochran_q as cochran_q
    from trueerror.significance.paired import mcnemar as mcnemar
    from trueerror.significance.planning import Power as Power
    from trueerror.significance.planning import smallest_difference as smallest_difference
    from trueerror.significance.proportions import one_proportion as one_proportion
    from trueerror.significance.proportions import two_proportions as two_proportions
    from trueerror.significance.ranking import Ranking as Ranking
    from trueerror.significance.ranks import bonferroni_dunn as bonferroni_dunn
    from trueerror.significance.ranks import friedman as friedman
    from trueerror.significance.ranks import iman_davenport as iman_davenport
    from trueerror.significance.ranks import nemenyi as nemenyi
    from trueerror.significance.ranks import quade as quade
    from trueerror.significance.ranks import shaffer as shaffer
    from trueerror.significance.resampled import paired_bootstrap as paired_bootstrap
    from trueerror.significance.resampled import permutation as permutation
    from trueerror.significance.signed import sign as sign
    from trueerror.significance.signed import wilcoxon as wilcoxon

# Public name → the module of this package that defines it.
_HOMES = {
    "one_proportion": "proportions",
    "two_proportions": "proportions",
    "mcnemar": "paired",
    "cochran_q": "paired",
    "bowker": "paired",
    "paired_t": "means",
    "unpaired_t": "means",
    "corrected_t": "means",
    "five_by_two_t": "means",
    "five_by_two_f": "means",
    "wilcoxon": "signed",
    "sign": "signed",
    "permutation": "resampled",
    "paired_bootstrap": "resampled",
    "delong": "areas",
    "delong_unpaired": "areas",
    "equivalence": "margins",
    "noninferiority": "margins",
    "bayes_correlated_t": "bayesian",
    "bayes_signed_rank": "bayesian",
    "friedman": "ranks",
    "iman_davenport": "ranks",
    "quade": "ranks",
    "nemenyi": "ranks",
    "bonferroni_dunn": "ranks",
    "shaffer": "ranks",
    "Ranking": "ranking",
    "adjust": "multiplicity",
    "e_value": "anytime",
    "confidence_sequence": "anytime",
    "Power": "planning",
    "smallest_difference": "planning",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'trueerror.significance' has no attribute {name!r}")
    value = getattr(import_module(f"trueerror.significance.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
