"""Bootstrap, permutation and fold-based methods.

Bayesian methods.

Methods that may be looked at while data arrive.

Methods that the comparing verb adds: clustered rows, row losses, two samples with any metric.
"""

from __future__ import annotations

from trueerror.methods._registry import Method

_DRAWN = "rows drawn at random from the population, and drawn again together: one multinomial draw over the cells"
_BOOTSTRAP = "Efron and Tibshirani 1993, An Introduction to the Bootstrap"

RESAMPLED_METHODS: tuple[Method, ...] = (
    Method(
        key="paired-bootstrap-bca",
        title="Paired bootstrap, bias-corrected and accelerated",
        formula="quantiles of B replicates at Φ(z₀ + (z₀ + z)/(1 − a(z₀ + z))), a = Σnd³/(6(Σnd²)^1.5)",
        source=f"Efron 1987, JASA 82:171; {_BOOTSTRAP}",
        assumes=_DRAWN,
        measured="coverage .92–.94, type I .058–.070 at .05 with 50 to 200 rows; ties counted half in z₀ (.930 against "
        ".884 for accuracy .8 and more of 30 rows)",
    ),
    Method(
        key="paired-bootstrap-percentile",
        title="Paired bootstrap, percentiles",
        formula="the α/2 and 1 − α/2 quantiles of B replicates",
        source=_BOOTSTRAP,
        assumes=_DRAWN,
    ),
    Method(
        key="paired-bootstrap-expanded",
        title="Paired bootstrap, expanded percentiles",
        formula="the Φ(−√(m/(m − 1))·t) and opposite quantiles of B replicates, t Student's with m − 1 degrees of "
        "freedom, m the rows (or clusters) of the rarer class; θ̂ ± t·√(m/(m − 1))·sd where fewer than one replicate is "
        "expected beyond them; p is the level at which a limit reaches 0",
        source="Hesterberg 2015, The American Statistician 69:371",
        assumes=_DRAWN,
    ),
    Method(
        key="paired-bootstrap-basic",
        title="Paired bootstrap, basic",
        formula="2θ̂ less the 1 − α/2 and α/2 quantiles of B replicates",
        source="Davison and Hinkley 1997, Bootstrap Methods and their Application, 5.2",
        assumes=_DRAWN,
    ),
    Method(
        key="paired-bootstrap-normal",
        title="Paired bootstrap, normal",
        formula="θ̂ − bias ± z·sd of B replicates",
        source="Davison and Hinkley 1997, Bootstrap Methods and their Application, 5.2",
        assumes=_DRAWN,
    ),
)


ARRIVING = "rows arrive in random order; a cluster of dependent rows enters as one; the side is chosen before looking"

SEQUENTIAL_METHODS: tuple[Method, ...] = (
    Method(
        key="e-value",
        title="paired e-value",
        formula="E = 2^(b+c)·B(b + ½, c + ½)/B(½, ½); one-sided 2E·P(Beta(b + ½, c + ½) > ½); "
        "reject at E ≥ 1/α, p = min(1, 1/E)",
        source="Ville 1939; Ramdas, Grünwald, Vovk and Shafer 2023, Stat. Sci. 38:576",
        assumes=ARRIVING,
        measured="valid at every look; a mid-p test looked at 100 times has type I error .36",
        advice="to look only once use mcnemar, which needs fewer rows",
    ),
    Method(
        key="e-value-margin",
        title="e-value against a margin",
        formula="Π(1 + λ(D − δ₀)) with D in [−1, 1], mixed over λ = f/(1 + δ₀), f of density 2/(π√(1 − f²)) on (0, 1)",
        source="Waudby-Smith and Ramdas 2024, J. R. Stat. Soc. B 86:1",
        assumes=ARRIVING,
        measured="valid at every look",
    ),
    Method(
        key="betting-sequence",
        title="betting confidence sequence",
        formula="every δ₀ whose e-value (the mean of both sides) is below 1/α",
        source="Waudby-Smith and Ramdas 2024, J. R. Stat. Soc. B 86:1",
        assumes=ARRIVING,
        measured="all looks together hold the true difference with the stated confidence",
        advice="wider than an interval for one look; that is the price of looking",
    ),
)


VERDICTS_METHODS: tuple[Method, ...] = (
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
