"""Methods for functions of several counts: F1, averages, correlations, costs, weights, clusters.

Bootstrap, permutation and fold-based methods.

Bayesian methods.

Methods that may be looked at while data arrive.

Methods that the comparing verb adds: clustered rows, row losses, two samples with any metric.
"""

from __future__ import annotations

from trueerror.methods._registry import Method

_ROWS = "independent rows, drawn at random from the population that you care about"
_DELTA = "Agresti 2013, Categorical Data Analysis, 3rd ed., section 16.1"
_MOVER = "Zou and Donner 2008, Stat. Med. 27:1693"

COMPOSITE_METHODS: tuple[Method, ...] = (
    Method(
        key="wilson-f1",
        title="Wilson score interval of the Jaccard index, as an interval of F",
        formula="J = TP/(TP + FP + FN) as a proportion; F = 2J/(1 + J) of its limits. F-beta and Fowlkes–Mallows: "
        "J = F/(2 − F) at the effective number of rows J(1 − J)/V, at most TP + FP + FN",
        source="Wilson 1927, JASA 22:209; Takahashi et al. 2022, Appl. Intell. 52:4961 (the delta method)",
        assumes=_ROWS,
        measured="F1 .949–.957 (simulated), where the delta method covers .87–.94; F-beta .93–.965",
    ),
    Method(
        key="mover-f1",
        title="MOVER over the classes' F1 intervals",
        formula="θ̂ − √(ΣΣ w²·ρ_ij·(F_i − l_i)(F_j − l_j)), likewise above; ρ by the delta method, "
        "cov_ij = (n_ij + n_ji)·F_i·F_j/(S_i·S_j), S = row + column",
        source=_MOVER,
        assumes=_ROWS,
        measured="macro-F1 .92–.95 (simulated) for two or three classes, where the delta method covers .76–.945",
    ),
    Method(
        key="mover-wilson",
        title="MOVER over Wilson intervals",
        formula="θ̂ − √(ΣΣ w_i·w_j·ρ_ij·(p_i − l_i)(p_j − l_j)), likewise above; l, u Wilson's limits of each "
        "proportion; ρ = 0 where they are of different rows, else by the delta method. At another prior, for two "
        "classes: f(r) − √Σ(f(r) − f(r with one recall at its limit))²",
        source=_MOVER,
        assumes=_ROWS + ", or at random within each class",
        measured="balanced accuracy .91–.95 (simulated) for two or three classes, where the delta method covers "
        ".65–.94; with 100 classes of 10 rows it would cover .84–.92. At another prior (NPV, Matthews correlation, "
        "kappa, macro-F1) .86–.98 with 3 to 60 rows of a class, where the delta method covers .40–.98",
    ),
    Method(
        key="wilson-of-classes",
        title="Wilson score interval of a mean over many classes, at its effective number of rows",
        formula="Wilson of θ̂ + b at t(1 − t)/V rows; V = ΣΣ w_i·w_j·ρ_ij·s_i·s_j, s² = p̃(1 − p̃)/n, t = Σ w·p̃, "
        "p̃ with two rows at the rate of all classes added. F1 through J = TP/(TP + FP + FN), "
        "b = Σ w·2J̃(1 − J̃)/((1 + J̃)³·n), else 0. Geometric mean: "
        "exp(mean log p + mean c ± z·√(Σ2c)/K), c = (1 − p̃)/(2·n·p̃)",
        source="Wilson 1927, JASA 22:209; Agresti and Coull 1998, Am. Stat. 52:119 (borrowed rows); "
        "Korn and Graubard 1998, Surv. Methodol. 24:193 (effective rows)",
        assumes=_ROWS + ", or at random within each class",
        measured=".92–.965 for 4 to 100 classes of 10 to 50 rows, and for sizes that fall as 1/rank (simulated): "
        "balanced accuracy, macro-F1, macro precision, macro F2, geometric mean. MOVER covers .49–.95 there",
        advice="used where the classes that carry the uncertainty are four or more",
    ),
    Method(
        key="mover-log",
        title="MOVER over the logarithms of Wilson intervals",
        formula="exp(mean log p − √(Σ(log p_i − log l_i)²)/K), likewise above; l, u Wilson's limits of each recall",
        source=_MOVER,
        assumes=_ROWS + ", or at random within each class",
        measured=".90–.97 (simulated), where the delta method falls to .45 with a rare class",
    ),
    Method(
        key="mover-cost",
        title="MOVER over Wilson intervals of the share of rows at each price",
        formula="mean cost ∓ √(ΣΣ c_i·c_j·ρ_ij·δ_i·δ_j), δ the distance to Wilson's limit of the share at price c_i, "
        "prices counted from the commonest, ρ_ij = −√(p_i·p_j/((1 − p_i)(1 − p_j)))",
        source=_MOVER,
        assumes=_ROWS + "; prices that are known, also of errors that did not occur",
        measured=".93–.97 with rare dear errors, where a t-interval covers .26–.95 (simulated)",
    ),
    Method(
        key="fisher-z",
        title="Fisher's z with the delta-method standard error",
        formula="tanh(atanh(m) ± z·SE/(1 − m²))",
        source=f"Fisher 1915, Biometrika 10:507; {_DELTA}",
        assumes=_ROWS,
        measured="Matthews correlation .93–.96 (simulated); with SE 1/√(n − 3), as for Pearson's, it would be wrong",
    ),
    Method(
        key="delta",
        title="delta method",
        formula="θ̂ ± z·√(Σ n_c·d_c²), d_c = ∂θ/∂n_c, cut to the range",
        source=f"{_DELTA}; kappa: Fleiss, Cohen and Everitt 1969, Psychol. Bull. 72:323",
        assumes=_ROWS + "; many rows in each class",
        measured="kappa .93–.99 (simulated), with Fisher's scale where the straight interval would leave the range",
        advice="fisher-z covers a high kappa better",
    ),
    Method(
        key="takahashi",
        title="delta method of Takahashi and others",
        formula="macro-F1 ± z·√(2(a + b)/(n·r²)), a = ΣF(S − 2p_ii)/S²·((S − 2p_ii)/S + F/2), "
        "b = Σ p_ij·F_i·F_j/(S_i·S_j)",
        source="Takahashi, Yamamoto, Kuchiba and Koyama 2022, Appl. Intell. 52:4961",
        assumes=_ROWS + "; many rows in each class",
        measured="macro-F1 .76–.945 (simulated)",
        advice="prefer mover-f1",
    ),
    Method(
        key="delta-logit",
        title="delta method on the logit scale",
        formula="logit(θ̂) ± z·SE/(θ̂(1 − θ̂)), and back; precision at another prior: SE of the logit is "
        "√((1 − Se)/(Se·n₁) + Sp/((1 − Sp)·n₀))",
        source=f"{_DELTA}; Mercaldo, Lau and Zhou 2007, Stat. Med. 26:2170",
        assumes=_ROWS + ", or at random within each class where a prior is given",
        measured=".93–.97 where the straight delta method covers .78–.95 (simulated)",
    ),
    Method(
        key="delta-log",
        title="delta method on the log scale",
        formula="θ̂·exp(±z·SE/θ̂)",
        source="Simel, Samsa and Matchar 1991, J. Clin. Epidemiol. 44:763; Woolf 1955, Ann. Hum. Genet. 19:251",
        assumes=_ROWS + ", or at random within each class",
    ),
    Method(
        key="haldane-log",
        title="delta method on the log scale with ½ added to each count",
        formula="as delta-log, from TP + ½, FP + ½, FN + ½, TN + ½; open above where the estimate is infinite",
        source="Haldane 1956, Ann. Hum. Genet. 20:309; Anscombe 1956, Biometrika 43:461",
        assumes=_ROWS + ", or at random within each class",
    ),
    Method(
        key="mean-of-limits",
        title="mean of the labels' limits",
        formula="Σ l_i/L to Σ u_i/L over the labels' own limits",
        source="MOVER with every correlation at 1: Zou and Donner 2008, Stat. Med. 27:1693",
        assumes="independent rows; labels of one row may depend on each other in any way",
        advice="wider than it needs to be where the labels are nearly independent",
    ),
    Method(
        key="wilson-effective",
        title="Wilson score interval where the counts show no variance",
        formula="Wilson's limits of the place in the range, as a proportion of all rows (or clusters)",
        source="Wilson 1927, JASA 22:209",
        assumes=_ROWS,
    ),
    Method(
        key="wilson-agreement",
        title="MCC or kappa of a table without errors",
        formula="1 − ε/(1 − Σ share²), ε = z²/(n + z²), Wilson's limit of the error rate",
        source="Wilson 1927, JASA 22:209, through kappa = 1 − error/(1 − chance)",
        assumes=_ROWS,
    ),
    Method(
        key="haldane-z",
        title="kappa or Matthews correlation of a class that was hardly found, or an error never seen",
        formula="the outer limits of the plain ones and of tanh(atanh(m̃) ± z·SE/(1 − m̃²)), m̃ and its delta-method SE "
        "from n_c + ½",
        source=f"Haldane 1956, Ann. Hum. Genet. 20:309; Fisher 1915, Biometrika 10:507; {_DELTA}",
        assumes=_ROWS + "; two classes, one of which was found fewer than five times or never confused",
        measured="kappa .93–1.00 over all tables of 20 rows with 1–50 % positives (enumerated), where the delta method "
        "falls to .58; .87 for a nearly perfect model with one positive expected",
    ),
    Method(
        key="wilson-clustered",
        title="Wilson score interval at the effective number of rows, for clustered rows",
        formula="Wilson with n_eff = p̂q̂/V and t(G − 1) for z; V = G/(G − 1)·Σ_g(Σ d_i)²; n_eff ≤ n, "
        "and = G where V = 0",
        source="Liang and Zeger 1986, Biometrika 73:13; Korn and Graubard 1998, Surv. Methodol. 24:193",
        assumes="independent clusters; any dependence within",
        measured=".92–.98 (simulated), where a plain cluster-robust t-interval falls to .74 near 1",
    ),
    Method(
        key="cluster-t",
        title="cluster-robust t-interval",
        formula="p̂ ± t(G − 1)·√V, V = G/(G − 1)·Σ_g(Σ d_i)², cut to [0, 1]",
        source="Liang and Zeger 1986, Biometrika 73:13; Cameron and Miller 2015, J. Hum. Resour. 50:317",
        assumes="many independent clusters",
        measured="falls to .74 near 1 (simulated)",
        advice="prefer wilson-clustered",
    ),
    Method(
        key="wilson-weighted",
        title="Wilson score interval at the effective number of rows, for weighted rows",
        formula="Wilson with n_eff = p̂q̂/V, V = n/(n − 1)·Σ(w_i·d_i)²; n_eff ≤ n, and = (Σw)²/Σw² where V = 0",
        source="Korn and Graubard 1998, Surv. Methodol. 24:193; Kish 1965, Survey Sampling",
        assumes="rows drawn independently with the chances that the weights undo",
    ),
)


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
