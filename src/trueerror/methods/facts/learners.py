"""Methods for studies: learning curves, lesions, bias and variance."""

from __future__ import annotations

from trueerror.methods._registry import Method

STUDIES_METHODS: tuple[Method, ...] = (
    Method(
        key="learning-curve",
        title="learning curve, extrapolated from resampled splits",
        formula="quantiles over draws of the splits of a + b·φ(n), fitted by weighted least squares with a, b ≥ 0; φ "
        "is n^(−c), exp(−cn) or n^(−½), whichever foretells the largest sizes best in that draw; each draw's error p "
        "then becomes Beta(pN + ½, (1 − p)N + ½), N being the distinct rows",
        source="Cortes et al. 1994, NIPS 6:327, for the power law; Viering and Loog 2023, IEEE TPAMI 45:7799, for what "
        "curves do; Efron 1979, Ann. Stat. 7:1, for the resampling",
        assumes="a loss that falls with more rows and levels off; independent rows; folds as in the study",
        measured="error at twice the data .93–.97 (nearest mean, discriminant, nearest neighbour, 200 to 300 rows, 400 "
        "samples each); median width 1.0–1.1 times that of one who knows the true curve up to level and scale",
        advice="refused where the loss rises from one size to a larger one beyond chance (corrected t, Holm), or no "
        "form passes through the points: about one real curve in seven is ill-behaved",
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
        measured="nearest mean, one column that tells and one of noise: noise said to help, one-sided at .05, in .001 "
        "of 1,000 samples of 100 rows and .003 of 400 of 200; the other column found in .998 and 1.000 (Holm)",
        advice="parts that stand in for each other contribute little one at a time: see their interaction in pairs",
    ),
    Method(
        key="domingos",
        title="bias and variance of 0-1 loss by Domingos",
        formula="main prediction = the class that most models call; error = noise + [main ≠ best] + variance, "
        "variance = P(ŷ ≠ main) where the main prediction is right, −P(ŷ = best) where it is wrong",
        source="Domingos 2000, ICML, 231",
        assumes="test rows and training sets drawn independently; without known probabilities noise counts as bias",
        measured="30 training sets of a nearest mean: bias .021 where 1,500 sets give .003, variance .071 for .093, "
        "which the limits held in 70 % of 150 runs",
        advice="variance can be negative: where the main prediction is wrong, disagreeing with it helps. With few "
        "training sets the main prediction is a toss-up near the boundary: take hundreds, or kohavi-wolpert",
    ),
    Method(
        key="kohavi-wolpert",
        title="bias and variance of 0-1 loss by Kohavi and Wolpert",
        formula="noise ½(1 − ΣP(y)²) + bias² ½Σ(P(y) − P(ŷ = y))² + variance ½(1 − ΣP(ŷ)²), the last two corrected for "
        "the number of training sets",
        source="Kohavi and Wolpert 1996, ICML, 275",
        assumes="test rows and training sets drawn independently; without known probabilities noise counts as bias",
        measured="parts .91–.95 from 30 training sets of a nearest mean and 200 test rows (150 runs)",
    ),
    Method(
        key="squared",
        title="bias and variance of squared loss",
        formula="½Σ over classes: noise P(1 − P), bias² (P − p̄)², variance var(p), the last two corrected for the "
        "number of training sets",
        source="Geman, Bienenstock and Doursat 1992, Neural Comput. 4:1",
        assumes="probabilities; without known ones of the rows noise counts as bias",
    ),
    Method(
        key="rows-and-rounds",
        title="limits from test rows and training sets together",
        formula="mean ± z·√(s²(rows)/n + variance over draws of the training sets)",
        source="Efron 1979, Ann. Stat. 7:1, for the draws",
        assumes="test rows independent of each other and of the training sets; for training sets drawn like these",
    ),
    Method(
        key="estimator-laboratory",
        title="bias, variance and mean squared error of error estimates, by simulation",
        formula="bias = mean estimate − true error, MSE = bias² + variance, over samples from a known source",
        source="Kohavi 1995, IJCAI, 1137; Efron and Tibshirani 1997, J. Am. Stat. Assoc. 92:548",
        assumes="the true error is the mean error, on fresh rows, of the models of all rows of each sample",
    ),
    Method(
        key="overfitting",
        title="overfitting of one setting against another",
        formula="for each pair: one-sided corrected t that training error is lower and that test error is higher; p is "
        "the larger of the two, Holm over pairs",
        source="Mitchell 1997, Machine Learning, 3.7; Berger 1982, Technometrics 24:295, for tests of both; Nadeau and "
        "Bengio 2003, Machine Learning 52:239",
        assumes="the same splits for all settings; test parts of one sample of independent rows",
        advice="a gap between training and test error alone is no overfitting: almost every learner has one",
    ),
)
