"""Cochran's Q over all models at once, from the counts of their pairs: no row is looked at again."""

from __future__ import annotations

from collections.abc import Mapping

from scipy import special

from trueerror.results import Test
from trueerror.tallies import Discordance


def cochran_from_pairs(pairs: Mapping[tuple[str, str], Discordance], models: tuple[str, ...]) -> Test | None:
    """Is any of the models different? None unless all pairs were counted on the same rows.

    Q = (k − 1)(k·ΣC² − (ΣC)²) / (k·ΣC − ΣT²), C the rows that each model got right and T the models that got each row
    right. ΣT² is ΣC + 2·Σ over pairs of the rows that both got right. Source: Cochran 1950, Biometrika 37:256.
    """
    k = len(models)
    if k < 3 or len(pairs) < k * (k - 1) // 2 or len({d.n for d in pairs.values()}) > 1:
        return None
    right: dict[str, int] = {}
    for (a, b), d in pairs.items():
        right[a] = d.both_right + d.only_first
        right[b] = d.both_right + d.only_second
    total = sum(right.values())
    spread = k * total - (total + 2 * sum(d.both_right for d in pairs.values()))
    top = (k - 1) * (k * sum(c * c for c in right.values()) - total * total)
    n = next(iter(pairs.values())).n
    if spread == 0:
        note = "all models are right on the same rows"
        return Test(name="Cochran's Q", statistic=0.0, df=k - 1, p_value=1.0, method="cochran-q", n=n, note=note)
    q = top / spread
    p = float(special.chdtrc(k - 1, q))
    return Test(name="Cochran's Q", statistic=q, df=k - 1, p_value=p, method="cochran-q", n=n)
