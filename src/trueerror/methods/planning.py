"""Methods for planning: power, sample size, smallest difference."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

METHODS: tuple[Method, ...] = (
    Method(
        key="power-mcnemar",
        title="power of McNemar's test by enumeration",
        formula="Σ over the number m of differing rows, Bin(n, pd), of P(the test rejects | m), Bin(m, p10/pd)",
        source="enumeration; normal formula for the sample size: Connor 1987, Biometrics 43:207",
        assumes="the accuracies and the share of rows on which the models disagree",
    ),
    Method(
        key="power-mcnemar-normal",
        title="power of McNemar's test by the normal formula",
        formula="n = (z_{α/2}√pd + z_β√(pd − δ²))²/δ²",
        source="Connor 1987, Biometrics 43:207",
        assumes="the accuracies and the share of rows on which the models disagree; many differing rows",
    ),
    Method(
        key="power-two-proportions",
        title="power of the pooled z-test of two proportions",
        formula="Φ((√n·|p1 − p2| − z_{α/2}√(2p̄q̄))/√(p1q1 + p2q2)), n in each group",
        source="Fleiss, Levin and Paik 2003, Statistical Methods for Rates and Proportions, ch. 4",
        assumes="two samples of different rows",
    ),
    Method(
        key="power-one-proportion",
        title="power of the exact binomial test by enumeration",
        formula="Σ P(k | p) over the counts k that the test of p0 rejects",
        source="enumeration",
        assumes="independent rows",
    ),
    Method(
        key="power-auc",
        title="power for areas under ROC curves",
        formula="V = 0.0099·exp(−A²/2)(5A² + 8 + (A² + 8)m/n), A = 1.414·Φ⁻¹(area), per positive; normal test",
        source="Obuchowski and McClish 1997, Stat. Med. 16:1529",
        assumes="scores that are normal in each class after some monotone change",
    ),
    Method(
        key="power-equivalence",
        title="power of equivalence on the same rows by enumeration",
        formula="Σ P(b, c) over the outcomes that pass both of Tango's one-sided tests",
        source="enumeration; Tango 1998, Stat. Med. 17:891",
        assumes="the accuracies and the share of rows on which the models disagree",
    ),
    Method(
        key="power-noninferiority",
        title="power of non-inferiority on the same rows by enumeration",
        formula="Σ P(b, c) over the outcomes that pass Tango's one-sided test against −margin",
        source="enumeration; Tango 1998, Stat. Med. 17:891",
        assumes="the accuracies and the share of rows on which the models disagree",
    ),
    Method(
        key="power-paired-mean",
        title="power for a mean difference by the normal formula",
        formula="n = (z_{α/2} + z_β)²·sd²/δ²; with K answers a row sd² = ω² + σA²/KA + σB²/KB",
        source="any textbook; Miller 2024, arXiv:2411.00640, for repeated answers",
        assumes="many independent rows; a known standard deviation",
    ),
    Method(
        key="power-t",
        title="power of a t-test",
        formula="non-central t with shift δ/(sd/√n)",
        source="Cohen 1988, Statistical Power Analysis, ch. 2",
        assumes="independent normal values; extra repeats of cross-validation are not extra values",
    ),
    Method(
        key="wilson-half-width",
        title="rows for an accuracy within ± a half width",
        formula="n = z²/u with h²(1 + u)² = u·pq + u²/4: Wilson's interval has half width h",
        source="Wilson 1927, JASA 22:209",
        assumes="independent rows",
    ),
)
