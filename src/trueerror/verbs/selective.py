"""Accuracy on the most confident share of the predictions, where a model has scores."""

from __future__ import annotations

from trueerror.curves.selective import risk_coverage
from trueerror.results import Interval
from trueerror.rows.room import NoRoom
from trueerror.verbs.bench import Bench

SHARES = (0.5, 0.8, 0.9)


def confident_shares(bench: Bench) -> dict[float, Interval]:
    """Accuracy on the most confident 50, 80 and 90 % of the rows; empty for labels alone and for counts.

    Empty too where accuracy at the class mix of these rows is not what is asked for, and where rows are clustered: the
    intervals of the curve take rows as independent. Rows beyond the memory budget cannot be ranked by confidence, and
    bins of scores do not tell which of two rows on either side of the threshold is farther from it: empty as well.
    """
    if bench.settings.prior is not None or bench.settings.design == "case-control" or bench.clusters is not None:
        return {}
    if bench.predictions is None or not bench.has_scores or not bench.calls or bench.confusion.n == 0:
        return {}
    try:
        curve = risk_coverage(bench.predictions, model=bench.model, threshold=bench.settings.threshold)
    except NoRoom:
        return {}
    return {share: curve.at(coverage=share, confidence=bench.settings.confidence) for share in SHARES}
