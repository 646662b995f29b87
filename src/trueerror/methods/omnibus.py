"""Tests over many models or data sets, and adjustments of p-values."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

_DEMSAR = "Demšar 2006, JMLR 7:1"
_RANKS = "independent data sets; scores of one data set can be compared with each other"
_POOL = "mean ranks, and so the verdict on two models, depend on which other models are in the pool"

METHODS: tuple[Method, ...] = (
    Method(
        key="friedman",
        title="Friedman's test of equal mean ranks",
        formula="χ² = 12N/(k(k+1))·(Σ R̄ⱼ² − k(k+1)²/4) on k − 1 df, divided by 1 − Σ(t³ − t)/(N(k³ − k)) for ties",
        source=f"Friedman 1937, JASA 32:675; {_DEMSAR}",
        assumes=_RANKS,
        measured="too careful with few data sets; Iman and Davenport's F is closer to its level",
        advice="Demšar's paper leaves out the correction for ties: ties=False",
    ),
    Method(
        key="iman-davenport",
        title="Iman and Davenport's F for equal mean ranks",
        formula="F = (N − 1)χ²/(N(k − 1) − χ²) on k − 1 and (k − 1)(N − 1) df",
        source=f"Iman and Davenport 1980, Commun. Stat. A 9:571; {_DEMSAR}",
        assumes=_RANKS,
        advice="when every data set ranks alike F is infinite; p is then the chance of that, (Πt!/k!)^(N − 1)",
    ),
    Method(
        key="quade",
        title="Quade's test: ranks weighted by how far the models lie apart on a data set",
        formula="Sᵢⱼ = Qᵢ(rᵢⱼ − (k+1)/2), Q the rank of the range; F = (N − 1)B/(A − B), A = ΣΣS², B = Σⱼ(Σᵢ S)²/N",
        source="Quade 1979, JASA 74:680; Conover 1999, Practical Nonparametric Statistics, 3rd ed., 5.8",
        assumes="independent data sets whose score ranges can be compared",
        advice="ranges that differ by rounding alone count as tied",
    ),
    Method(
        key="nemenyi",
        title="Nemenyi's test of all pairs on mean ranks",
        formula="critical difference q_α·√(k(k+1)/(6N)), q from the studentized range with infinite df over √2",
        source=f"Nemenyi 1963, PhD thesis, Princeton; {_DEMSAR}",
        assumes=_RANKS,
        advice=f"{_POOL}; signed-rank tests with Holm's correction do not",
    ),
    Method(
        key="bonferroni-dunn",
        title="Bonferroni–Dunn test of all models against one control on mean ranks",
        formula="critical difference z_{α/(2(k−1))}·√(k(k+1)/(6N)); adjusted p = (k − 1)·p",
        source=f"Dunn 1961, JASA 56:52; {_DEMSAR}",
        assumes=f"{_RANKS}; the control was named before the results were seen",
        advice=_POOL,
    ),
    Method(
        key="shaffer",
        title="Shaffer's static procedure for all pairs on mean ranks",
        formula="step i multiplies p₍ᵢ₎ by the most pairs that can be equal when i − 1 differ",
        source="Shaffer 1986, JASA 81:826; García and Herrera 2008, JMLR 9:2677",
        assumes=_RANKS,
        advice=f"{_POOL}; more powerful than Nemenyi and Holm",
    ),
    Method(
        key="holm",
        title="Holm's step-down adjustment",
        formula="running maximum of (m − i + 1)·p₍ᵢ₎",
        source="Holm 1979, Scand. J. Stat. 6:65",
        assumes="nothing about dependence",
    ),
    Method(
        key="hochberg",
        title="Hochberg's step-up adjustment",
        formula="running minimum, from the largest, of (m − i + 1)·p₍ᵢ₎",
        source="Hochberg 1988, Biometrika 75:800",
        assumes="independent or positively dependent p-values",
    ),
    Method(
        key="hommel",
        title="Hommel's adjustment",
        formula="closed testing with Simes' test",
        source="Hommel 1988, Biometrika 75:383; Wright 1992, Biometrics 48:1005",
        assumes="independent or positively dependent p-values",
    ),
    Method(
        key="bonferroni",
        title="Bonferroni's adjustment",
        formula="m·p",
        source="Dunn 1961, JASA 56:52",
        assumes="nothing about dependence",
        advice="Holm is never worse",
    ),
    Method(
        key="sidak",
        title="Šidák's adjustment",
        formula="1 − (1 − p)^m",
        source="Šidák 1967, JASA 62:626",
        assumes="independent p-values, or two-sided ones of jointly normal statistics",
    ),
    Method(
        key="holm-sidak",
        title="Holm's step-down adjustment with Šidák's levels",
        formula="running maximum of 1 − (1 − p₍ᵢ₎)^(m − i + 1)",
        source="Holm 1979, Scand. J. Stat. 6:65",
        assumes="independent p-values, or two-sided ones of jointly normal statistics",
    ),
    Method(
        key="bh",
        title="Benjamini and Hochberg's false discovery rate",
        formula="running minimum, from the largest, of m·p₍ᵢ₎/i",
        source="Benjamini and Hochberg 1995, JRSS B 57:289",
        assumes="independent or positively dependent p-values; controls the share of false discoveries, not any error",
    ),
    Method(
        key="by",
        title="Benjamini and Yekutieli's false discovery rate",
        formula="running minimum, from the largest, of m·(Σ 1/j)·p₍ᵢ₎/i",
        source="Benjamini and Yekutieli 2001, Ann. Stat. 29:1165",
        assumes="nothing about dependence; controls the share of false discoveries, not any error",
    ),
)
