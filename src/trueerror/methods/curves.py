"""Methods for points and areas of curves, for calibration, and for curves over folds."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

ROWS = "independent rows, drawn at random from the population that you care about"

METHODS: tuple[Method, ...] = (
    Method(
        key="wilson-enrichment",
        title="Wilson's interval of the gain in the top share, at the number of rows that its variance is worth",
        formula="Var θ̂ = (θ(1−θ)(1−2Λ) + Λ²r(1−r)/π)/P: θ the gain, r the share, π the prevalence, Λ the share of "
        "positives near the cut; Wilson at n = θ(1−θ)/Var, at most 4P; lift: limits over r",
        source="Ash and Hughes-Oliver 2022, J. Cheminformatics 14:50; Wilson 1927, JASA 22:209",
        assumes=ROWS + "; the cut moves with the sample, as “the best tenth” does",
        measured=".93–.99 with 100 to 5,000 rows; .85 where nearly all positives are in a top share equal to the "
        "prevalence (simulated; Wilson on the positives alone: .76–1.00)",
    ),
    Method(
        key="bootstrap-optimism",
        title="bootstrap, moved by the optimism of thresholds that were chosen on the same rows",
        formula="apparent + mean(cost on all rows − cost on the resample, thresholds chosen in the resample), and the "
        "resamples' quantiles about it",
        source="Efron 1983, JASA 78:316; Harrell, Lee and Mark 1996, Stat. Med. 15:361",
        assumes=ROWS,
        measured=".86–.94 with 60 to 1,000 rows (simulated; BCa without the correction: .73–.95)",
    ),
    Method(
        key="wilson-lines",
        title="envelopes of all cost lines at their lower and at their upper Wilson limits",
        formula="area under min over thresholds of FNR_limit·PC + FPR_limit·(1 − PC)",
        source="Wilson 1927, JASA 22:209, for the ends of each line; Drummond and Holte 2006, Machine Learning 65:95",
        assumes=ROWS,
        advice="wide; taken only where resampling gives no limits",
    ),
    Method(
        key="unseen-share",
        title="limits from what may have gone unseen",
        formula="a share 1 − (α/2)^(1/n) of a class goes unseen among n rows with probability α/2; it is put in its "
        "worst and in its best place",
        source="Clopper and Pearson 1934, Biometrika 26:404, at 0 of n; with sampling weights Massart 1990, "
        "Ann. Probab. 18:1269",
        assumes=ROWS,
        advice="wide; taken only where resampling gives no limits, as without a single error",
    ),
    Method(
        key="profile-likelihood",
        title="profile likelihood of logistic recalibration",
        formula="the values at which 2(ℓ_max − ℓ_profile) = z², in logit P = a + b·logit p",
        source="Cox 1958, Biometrika 45:562; Venzon and Moolgavkar 1988, Appl. Stat. 37:87",
        assumes=ROWS,
        measured="slope .93–.95, in the large .93–.96 with 60 to 1,000 rows (simulated)",
    ),
    Method(
        key="wald-logistic",
        title="Wald interval of logistic recalibration",
        formula="b ± z·SE from the information matrix of logit P = a + b·logit p",
        source="Cox 1958, Biometrika 45:562",
        assumes=ROWS + "; classes that no cut parts",
        measured="slope .94–.97 with 60 to 1,000 rows (simulated)",
    ),
    Method(
        key="wald-sandwich",
        title="Wald interval of logistic recalibration with sampling weights",
        formula="b ± z·SE, SE² from H⁻¹(Σw²uu′)H⁻¹, u the score of a row",
        source="Binder 1983, Int. Stat. Rev. 51:279",
        assumes="rows sampled independently with known weights",
    ),
    Method(
        key="spiegelhalter",
        title="Spiegelhalter's test of calibration",
        formula="z = Σ(y − p)(1 − 2p) / √Σ(1 − 2p)²p(1 − p)",
        source="Spiegelhalter 1986, Stat. Med. 5:421",
        assumes="independent rows",
    ),
    Method(
        key="ece-null",
        title="expected calibration error against its distribution under perfect calibration",
        formula="ECE = Σ(n_b/n)|ȳ_b − p̄_b|; under calibration a bin's positives are a sum of Bernoulli(p): exact up to "
        "5,000 rows, normal beyond; p = (1 + count of ≥)/(1 + B)",
        source="Naeini, Cooper and Hauskrecht 2015, AAAI:2901; Bröcker and Smith 2007, Weather Forecast. 22:651",
        assumes="independent rows",
        advice="the error is never 0 by chance: read it beside its mean under calibration",
    ),
    Method(
        key="calibration-gaps",
        title="calibration error, limits from the noise of its gaps",
        formula="ECE: from ECE − q(Σ|ε|) to ECE + z·√Σe²; MCE ± q(max|ε|); q the upper quantile, ε independent normal "
        "with the standard errors e of the bins' gaps: e² is the larger of Σ(y − p)² and Σp(1 − p) of the bin, over n²",
        source="the triangle inequality; Cornish and Fisher 1938, Rev. Inst. Int. Stat. 5:307",
        assumes="independent rows",
        measured=".97–1.00; the BCa bootstrap covers .00 where forecasts are calibrated (simulated)",
    ),
    Method(
        key="calibration-gaps-difference",
        title="two calibration errors, from the limits of either",
        formula="from l1 − u2 to u1 − l2, l and u the limits of calibration-gaps with half of the tail each; p is the "
        "smallest level at which they exclude 0",
        source="Bonferroni's inequality: Dunn 1961, JASA 56:52; the limits as in calibration-gaps",
        assumes="independent rows; the same or different ones for the two models",
        advice="conservative: a difference that it finds is there, one that it does not find may be too",
    ),
    Method(
        key="ledell",
        title="influence curves of the cross-validated AUC, limits on the logit scale",
        formula="IC = (share of the other class beaten, ties half, − AUC of the fold)/share of the own class; "
        "SE² = mean over folds of mean IC² / n",
        source="LeDell, Petersen and van der Laan 2015, Electron. J. Stat. 9:1583",
        assumes="independent rows, one round of folds; it speaks of these K models",
        measured=".84–.91 for the learner, which it is not meant for (simulated)",
        advice='for the learner take repeated folds and "corrected-t"',
    ),
    Method(
        key="mean-t",
        title="t-interval of the mean over folds",
        formula="mean ± t(K − 1)·s/√K",
        source="Student 1908, Biometrika 6:1",
        assumes="independent folds, which overlapping training sets are not",
        advice="too narrow for the learner; corrected-t takes the overlap in",
    ),
    Method(
        key="corrected-t-auc",
        title="corrected t-interval of the AUC over folds",
        formula="mean ± t(J − 1)·s·√(1/J + test/train), J folds over all repeats",
        source="Nadeau and Bengio 2003, Machine Learning 52:239; Bouckaert and Frank 2004, PAKDD:3",
        assumes="folds of one learner on one sample",
        measured=".956–.966 over 5×10 folds or more (simulated for error rates); conservative on one round",
    ),
)
