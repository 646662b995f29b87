"""Methods for areas under curves.

Methods for points and areas of curves, for calibration, and for curves over folds.

How curves are drawn through their points, and what is read off them without an interval of its own.
"""

from __future__ import annotations

from trueerror.methods._registry import Method

_DELONG = "DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837"

AREAS_METHODS: tuple[Method, ...] = (
    Method(
        key="delong-paired-t",
        title="DeLong's test of two areas on the same rows, Satterthwaite t",
        formula="t = (A₁ − A₂)/√(S10/m + S01/n), S over differences of placements; df = V²/(v₁²/(m−1) + v₀²/(n−1))",
        source=f"{_DELONG}; Satterthwaite 1946, Biometrics Bull. 2:110",
        assumes="independent rows; both models scored the same rows; higher scores are more positive",
        measured="with few positives the normal reference has type I .072–.088 at .05; the t reference holds it",
    ),
    Method(
        key="delong-paired-z",
        title="DeLong's test of two areas on the same rows, normal",
        formula="z = (A₁ − A₂)/√(S10/m + S01/n), S over differences of placements",
        source=_DELONG,
        assumes="independent rows, many of each class; both models scored the same rows",
        measured="type I .072–.088 at .05 with few positives",
        advice='reference="t" holds its level better when a class has few rows',
    ),
    Method(
        key="delong-unpaired-t",
        title="DeLong's test of two areas on different rows, t",
        formula="t = (A₁ − A₂)/√(V₁ + V₂); df by Welch over rows, or by Satterthwaite over the four classes",
        source=f"{_DELONG}; Robin et al. 2011, BMC Bioinformatics 12:77",
        assumes="independent rows, and no row in both samples",
        measured="type I at .05 with 10 positives and 100 negatives each: Welch .067, Satterthwaite .054",
        advice='df="satterthwaite" holds its level better when a class has few rows',
    ),
    Method(
        key="delong-unpaired-z",
        title="DeLong's test of two areas on different rows, normal",
        formula="z = (A₁ − A₂)/√(V₁ + V₂)",
        source=_DELONG,
        assumes="independent rows, many of each class, and no row in both samples",
        measured="type I .068 at .05 with 10 positives and 100 negatives each",
    ),
    Method(
        key="roc-band-wilson",
        title="Pointwise band around a ROC curve from Wilson's limits of both rates",
        formula="T − √((T − l)² + (T − T(t_l))²) and T + √((u − T)² + (T(t_u) − T)²); l, u Wilson's limits of the TPR "
        "T at FPR t, t_l and t_u those of t",
        source="Zou and Donner 2008, Stat. Med. 27:1693; Wilson 1927, JASA 22:209",
        assumes="independent rows; holds at each FPR by itself, not over the whole curve",
        measured=".935–1 at FPRs of .01 to .8, AUC .76 to .98, 20 to 300 rows a class; the percentile bootstrap "
        ".01–.98 (simulated)",
    ),
    Method(
        key="roc-band-fixed-width",
        title="Simultaneous band around a ROC curve by the bootstrap",
        formula="the curve moved by d/2√m up and d/2√n left, and back; d the quantile of the farthest distance of "
        "replicates along that direction; nowhere narrower than the pointwise band",
        source="Campbell 1994, Stat. Med. 13:499; Macskassy and Provost 2004, ROCAI:61",
        assumes="independent rows, drawn at random from the population",
        measured="whole curve covered in .957–1 of samples, AUC .5 to .98, 20 to 300 rows a class (simulated)",
    ),
    Method(
        key="roc-difference-band",
        title="Band on the difference of two ROC curves by the bootstrap",
        formula="d(t) ± c·max(s(t), s_max/4), s the replicates' error at FPR t; c the quantile of the farthest "
        "standardised distance (simultaneous) or z (pointwise)",
        source="Jensen, Müller and Schäfer 2000, Stat. Med. 19:493",
        assumes="independent rows, drawn at random; paired where both curves are of the same rows",
        measured="whole difference covered in .967–1 of samples, 30 to 300 rows a class (simulated)",
    ),
    Method(
        key="cost-out-of-bag",
        title="Cost of a chosen threshold: chosen in the bag, scored out of the bag",
        formula="mean over resamples of the cost out of the bag at the threshold cheapest in the bag; outer limits of "
        "its spread, shrunk by √e⁻¹, and of the interval of the cost at the threshold as if fixed",
        source="Efron and Tibshirani 1997, JASA 92:548; Tsamardinos, Greasidou and Borboudakis 2018, Mach. Learn. "
        "107:1895",
        assumes="independent rows, drawn at random from the population",
        measured=".94–.995 of the cost of the chosen threshold with 50 to 1,000 rows; an interval that ignores the "
        "choice .88–.97 (simulated)",
    ),
)


ROWS = "independent rows, drawn at random from the population that you care about"

CURVES_METHODS: tuple[Method, ...] = (
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


CURVE_SHAPES_METHODS: tuple[Method, ...] = (
    Method(
        key="average-curve",
        title="mean of ROC curves, with the spread over the curves",
        formula="the mean of TPRs at each FPR (vertical), of FPRs at each TPR (horizontal), or of both at each "
        "threshold; error bars mean ± t(k − 1)·sd/√k",
        source="Fawcett 2006, Pattern Recognit. Lett. 27:861; Provost, Fawcett and Kohavi 1998, ICML:445",
        assumes="independent curves, which curves of folds of one data set are not",
    ),
    Method(
        key="roc-hull",
        title="upper convex hull of all ROC points",
        formula="corners where the slope falls; a corner is the cheapest where the slope of equal cost, "
        "P(−)(C(false alarm) − C(TN))/(P(+)(C(miss) − C(TP))), lies between the slopes beside it",
        source="Provost and Fawcett 2001, Machine Learning 42:203",
        advice="corners are chosen on these rows, so the hull flatters: .best() says how sure a choice is",
    ),
    Method(
        key="iso-performance",
        title="line of equal cost, or of equal accuracy, in ROC space",
        formula="slope P(−)(C(false alarm) − C(TN))/(P(+)(C(miss) − C(TP))); for accuracy P(−)/P(+)",
        source="Provost and Fawcett 2001, Machine Learning 42:203",
    ),
    Method(
        key="hull-choice",
        title="share of bootstrap resamples in which each classifier is the cheapest",
        formula="rows are drawn with replacement, the same for all classifiers where the rows are known; in each "
        "resample every classifier takes its own cheapest threshold; ties are shared",
        source="Efron 1979, Ann. Stat. 7:1, for the bootstrap; Provost and Fawcett 2001, Machine Learning 42:203",
        assumes="independent rows",
        advice="a share is not a p-value; the cost beside it is as on these rows, .operating_point() corrects it",
    ),
    Method(
        key="stable-thresholds",
        title="range that holds nine tenths of the thresholds that resamples choose",
        formula="5 % and 95 % quantiles over bootstrap resamples of the cheapest threshold; no confidence level",
        source="Kim and Pollard 1990, Ann. Stat. 18:191, for why: its error shrinks with the cube root of the rows",
    ),
)
