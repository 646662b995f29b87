"""Methods for learners: cross-validation, the bootstrap, and a setting that was chosen.

Methods for studies: learning curves, lesions, bias and variance.

Tests over many models or data sets, and adjustments of p-values.

Methods for planning: power, sample size, smallest difference.
"""

from __future__ import annotations

from trueerror.methods._registry import Method

_FOLDS = "test parts drawn from one sample of independent rows"

LEARNERS_METHODS: tuple[Method, ...] = (
    Method(
        key="fold-t",
        title="t-interval over folds, uncorrected",
        formula="mean ± t(k − 1)·s/√k",
        source="Mitchell 1997, Machine Learning, 5.6; Dietterich 1998, Neural Comput. 10:1895",
        assumes="independent folds, which overlapping training sets are not",
        measured="for the learner .32–.51 over 10 × 5 folds of 50 to 100 rows; as a test at .05: "
        "10 folds .04–.08, 30 random splits .57–.60, 10 × 10 folds .53–.57 (simulated)",
        advice="optimistic: corrected-t takes the overlap in",
    ),
    Method(
        key="corrected-t",
        title="corrected t-interval over resampled test parts",
        formula="mean ± t(J − 1)·√(s²(1/J + n_test/n_train)), J test parts over all repeats",
        source="Nadeau and Bengio 2003, Machine Learning 52:239; Bouckaert and Frank 2004, PAKDD, 3",
        assumes=_FOLDS,
        measured="over 5 × 10 folds of 40 to 100 rows .93–.96 for naive Bayes and logistic regression, .89–.93 for "
        "5 neighbours and boosted stumps (simulated); over one round of 10 folds .95–.98 for all of them",
        advice="more repeats cannot shrink the variance below s²·n_test/n_train; only more rows can",
    ),
    Method(
        key="bates",
        title="nested cross-validation with all pairs of folds left out",
        formula="mean pair loss − bias ± z·inflation·sd/√n; inflation² = mean((ē_in − ē_out)² − var(e_out)/|fold|)"
        "/(var/⌊n(K−1)/K⌋), kept within [1, K]",
        source="Bates, Hastie and Tibshirani 2024, J. Am. Stat. Assoc. 119:1434",
        assumes="a metric that is a mean over rows; independent rows",
        measured=".90–.98 for nearest centroid and 1-nearest neighbour of 50 to 100 rows, 10 × 5 folds (simulated)",
        advice="R·K(K + 1)/2 fits: 2,750 for 50 repeats of 10 folds",
    ),
    Method(
        key="bates-difference",
        title="nested cross-validation of the difference of two learners' losses",
        formula="as for one learner, with the differences of the losses row by row; z = difference/SE",
        source="Bates, Hastie and Tibshirani 2024, J. Am. Stat. Assoc. 119:1434",
        assumes="a metric that is a mean over rows; independent rows; the same folds for both",
    ),
    Method(
        key="bayle",
        title="central limit theorem of cross-validation",
        formula="mean ± z·√(mean (ℓ − ℓ̄)²/n)",
        source="Bayle, Bayle, Janson and Mackey 2020, NeurIPS 33:16339",
        assumes="each row tested once; a stable learner; it speaks of these K models",
        measured="leave-one-out, of these models: .90, .93 and .95 with 40, 100 and 400 rows for naive Bayes and "
        "logistic regression, .87–.91 for 5 neighbours, .72–.80 for trees and boosted stumps (simulated)",
        advice="for the learner take repeated folds and corrected-t",
    ),
    Method(
        key="conservative-z",
        title="Nadeau and Bengio's conservative z",
        formula="mean ± z·σ̂, σ̂² = Σ(μ̂₁ − μ̂₂)²/2M over M pairs of estimates from disjoint halves",
        source="Nadeau and Bengio 2003, Machine Learning 52:239, 4.2",
        assumes="independent rows; halves with the same number of test rows",
        measured=".93–.96 with 5 pairs of halves and 8 test parts, 50 to 100 rows (simulated): few pairs make σ̂ unsure",
        advice="too wide by construction: the variance is that of half the rows",
    ),
    Method(
        key="bootstrap-632+",
        title="bootstrap error, .632+",
        formula="(1 − w)err + w·Err1′, w = .632/(1 − .368R), R = (Err1′ − err)/(γ − err) in [0, 1], γ = Σp(1 − q), "
        "Err1′ = min(Err1, γ); limits by the corrected t of the out-of-bag errors",
        source="Efron and Tibshirani 1997, J. Am. Stat. Assoc. 92:548; Nadeau and Bengio 2003, for the limits",
        assumes="a metric that is a mean over rows; independent rows",
        measured="nearest centroid .96–.99, 1-nearest neighbour .78–.98, whose error it puts too low (simulated, "
        "50–100 rows, 60 samples)",
    ),
    Method(
        key="bootstrap-632",
        title="bootstrap error, .632",
        formula=".368·err + .632·Err1; limits by the corrected t of the out-of-bag errors",
        source="Efron 1983, J. Am. Stat. Assoc. 78:316",
        assumes="a learner that does not learn its rows by heart",
        measured="nearest centroid .97–.98; 1-nearest neighbour .00–.73 (simulated, 50–100 rows, 60 samples)",
        advice="1-nearest neighbour without any signal: .316 where the truth is .5; .632+ says .5",
    ),
    Method(
        key="bootstrap-out-of-bag",
        title="bootstrap error, out of bag",
        formula="Err1: for each row the mean of its losses over samples without it; limits by the corrected t",
        source="Efron and Tibshirani 1997, J. Am. Stat. Assoc. 92:548",
        assumes="a metric that is a mean over rows; independent rows",
        measured="nearest centroid .97–.99, 1-nearest neighbour .92–.98 (simulated, 50–100 rows, 60 samples)",
        advice="too high: a bootstrap sample holds .632 of the rows",
    ),
    Method(
        key="bbc-cv",
        title="bootstrap-bias-corrected cross-validation",
        formula="B times: draw rows, choose the best setting on them, score it on those not drawn; mean, percentiles",
        source="Tsamardinos, Greasidou and Borboudakis 2018, Machine Learning 107:1895",
        assumes="each row tested once by each setting; independent rows",
        advice="each score rests on the .368 of the rows that were not drawn, so the limits are wide",
    ),
)


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


_DEMSAR = "Demšar 2006, JMLR 7:1"
_RANKS = "independent data sets; scores of one data set can be compared with each other"
_POOL = "mean ranks, and so the verdict on two models, depend on which other models are in the pool"

OMNIBUS_METHODS: tuple[Method, ...] = (
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


PLANNING_METHODS: tuple[Method, ...] = (
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
