"""Bayesian methods."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

METHODS: tuple[Method, ...] = (
    Method(
        key="bayes-correlated-t",
        title="Bayesian correlated t-test",
        formula="mean difference ~ t(n − 1) around d̄ with scale s·√(1/n + ρ/(1 − ρ)), flat prior",
        source="Corani and Benavoli 2015, Mach. Learn. 100:285; Benavoli et al. 2017, JMLR 18:77",
        assumes="differences over folds of one data set, about normal, with the same correlation ρ between any two",
        advice="ρ is the share of rows that a fold tests: 0.1 for 10 folds, also when they are repeated",
    ),
    Method(
        key="bayes-signed-rank",
        title="Bayesian signed-rank test",
        formula="shares of Dirichlet samples in which left, rope or right has the largest Σ wᵢwⱼ[zᵢ + zⱼ …]",
        source="Benavoli et al. 2014, ICML; Benavoli et al. 2017, JMLR 18:77",
        assumes="independent data sets; differences on different data sets can be compared",
        advice="the probabilities say which is more probable on a new data set of this kind, not by how much",
    ),
    Method(
        key="dirichlet-paired",
        title="posterior of a paired difference of shares",
        formula="(both, first, second, neither) ~ Dirichlet(counts + ½); shares of 200,000 draws of first − second",
        source="Jeffreys' prior for multinomial shares: Jeffreys 1946, Proc. R. Soc. A 186:453",
        assumes="independent rows, both models on the same rows; a flat (Jeffreys) prior",
        advice="probabilities about the difference given these rows, not p-values",
    ),
    Method(
        key="flat-prior",
        title="posterior of a difference under a flat prior",
        formula="difference ~ estimate + standard error · t(df), or normal",
        source="Gelman et al. 2013, Bayesian Data Analysis, section 3.2",
        assumes="an estimate that is about normal; a flat prior",
        advice="probabilities about the difference given these rows, not p-values",
    ),
)
