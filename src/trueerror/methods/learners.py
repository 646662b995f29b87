"""Methods for learners: cross-validation, the bootstrap, and a setting that was chosen."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

_FOLDS = "test parts drawn from one sample of independent rows"

METHODS: tuple[Method, ...] = (
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
