"""Methods that the comparing verb adds: clustered rows, row losses, two samples with any metric."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

METHODS: tuple[Method, ...] = (
    Method(
        key="cluster-t-difference",
        title="cluster-robust t-test of a paired difference",
        formula="d ± t(G − 1)·√(G/(G − 1)·Σ_g s_g²), s_g the sum of the rows' influences within cluster g",
        source="Liang and Zeger 1986, Biometrika 73:13; for areas Obuchowski 1997, Biometrics 53:567",
        assumes="independent clusters; any dependence within them",
        advice="rests on the number of clusters, not of rows",
    ),
    Method(
        key="mover-paired",
        title="difference of two dependent intervals, combined by MOVER",
        formula="d − √(x² − 2ρxy + y²), x = θ1 − l1, y = u2 − θ2, likewise above; l, u each model's own limits, ρ the "
        "delta-method correlation of the two; p by inversion. Where fewer than 10 rows differ, at least as wide as "
        "z² more rows of one kind would move the difference",
        source="Zou and Donner 2008, Stat. Med. 27:1693; Newcombe 1998, Stat. Med. 17:2635, for proportions",
        assumes="the same rows for both models, drawn at random and independent of each other",
        measured="type I error .00–.07 at .05 and coverage .92–1.00 with 60 to 1,000 rows, where the BCa bootstrap has "
        ".04–.19 and .80–.97 (F1, macro F1, MCC, kappa, balanced accuracy, precision, costs; simulated)",
    ),
    Method(
        key="paired-t-losses",
        title="t-test of the paired differences of row losses",
        formula="mean d ± t(n − 1)·sd(d)/√n, d the first model's loss on a row minus the second's",
        source="Student 1908, Biometrika 6:1; Diebold and Mariano 1995, J. Bus. Econ. Stat. 13:253",
        assumes="independent rows; enough of them for the mean to be near normal",
    ),
    Method(
        key="newcombe-hybrid",
        title="difference of two independent intervals, combined by their distances from the estimates",
        formula="d − √((θ1 − l1)² + (u2 − θ2)²), d + √((u1 − θ1)² + (θ2 − l2)²); p by inversion",
        source="Zou and Donner 2008, Stat. Med. 27:1693",
        assumes="two independent samples, each with a sound interval",
    ),
)
