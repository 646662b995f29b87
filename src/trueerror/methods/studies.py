"""Methods for studies: learning curves, lesions, bias and variance."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

METHODS: tuple[Method, ...] = (
    Method(
        key="learning-curve",
        title="learning curve, extrapolated from resampled splits",
        formula="quantiles over draws of the splits of a + b·φ(n), fitted by weighted least squares with a, b ≥ 0; φ "
        "is n^(−c), exp(−cn) or n^(−½), whichever foretells the largest sizes best in that draw; each draw's error p "
        "then becomes Beta(pN + ½, (1 − p)N + ½), N being the distinct rows",
        source="Cortes et al. 1994, NIPS 6:327, for the power law; Viering and Loog 2023, IEEE TPAMI 45:7799, for what "
        "curves do; Efron 1979, Ann. Stat. 7:1, for the resampling",
        assumes="a loss that falls with more rows and levels off; independent rows; folds as in the study",
        advice="refused where the loss rises from one size to a larger one beyond chance (corrected t, Holm): about "
        "one real curve in seven is ill-behaved",
    ),
    Method(
        key="crossing-resampled",
        title="where two learning curves cross, from draws of both",
        formula="sign changes of d(n) on the scale of log n; d drawn from a multivariate t(J − 1) around the mean "
        "difference with covariance S(1/J + n_test/n_train)",
        source="Nadeau and Bengio 2003, Machine Learning 52:239, for the covariance",
        assumes="the same splits and subsets for both learners; one crossing between the smallest and the largest size",
        advice="only a crossing in 95 % of the draws is called one",
    ),
    Method(
        key="lesion",
        title="lesion study: the system without a part, on the same test parts",
        formula="d = score(full) − score(without), by test part (turned about where lower is better), averaged over "
        "seeds; t = d̄/√(s²(1/J + n_test/n_train)), J − 1 df; Holm within each kind of variant",
        source="Cohen and Howe 1988, AI Magazine 9(4):35, for lesions; Nadeau and Bengio 2003, Machine Learning "
        "52:239, for the test; Holm 1979, Scand. J. Stat. 6:65",
        assumes="test parts of one sample of independent rows; the learner is fitted again without the part",
        advice="parts that stand in for each other contribute little one at a time: see their interaction in pairs",
    ),
)
