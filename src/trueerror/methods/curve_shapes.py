"""How curves are drawn through their points, and what is read off them without an interval of its own."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

METHODS: tuple[Method, ...] = (
    Method(
        key="roc-curve",
        title="ROC curve through all thresholds, one point for each distinct score",
        formula="at threshold t: FPR = #{negatives ≥ t}/#negatives, TPR = #{positives ≥ t}/#positives; points joined "
        "by straight lines, so equal scores count half in the area: AUC = P(s⁺ > s⁻) + P(s⁺ = s⁻)/2",
        source="Fawcett 2006, Pattern Recognit. Lett. 27:861",
        advice="the share of positives does not move it; thresholds read off it flatter on the same rows",
    ),
    Method(
        key="precision-recall-curve",
        title="precision against recall at every threshold",
        formula="at threshold t: recall = TP/(TP + FN), precision = TP/(TP + FP); average precision = Σ "
        "precision·Δrecall; between points FP grows in proportion to TP, which is no straight line",
        source="Davis and Goadrich 2006, ICML:233",
        advice="it depends on the share of positives: compare areas on rows with the same share only",
    ),
    Method(
        key="precision-recall-gain-curve",
        title="precision gain against recall gain",
        formula="gain of x = (x − π)/((1 − π)·x), π the share of positives, for precision and for recall",
        source="Flach and Kull 2015, NIPS 28:838",
    ),
    Method(
        key="gains-curve",
        title="cumulative gains over the share of rows called, best scores first",
        formula="gain at the top share r = #{positives among the top r·n rows}/#positives; within equal scores as if "
        "in random order; area = π/2 + (1 − π)·AUC",
        source="Ash and Hughes-Oliver 2022, J. Cheminformatics 14:50",
    ),
    Method(
        key="lift-curve",
        title="lift over the share of rows called, best scores first",
        formula="lift at the top share r = gain(r)/r = precision there/prevalence",
        source="Ash and Hughes-Oliver 2022, J. Cheminformatics 14:50",
    ),
    Method(
        key="cost-curve",
        title="lower envelope of the cost lines of all thresholds",
        formula="PC = P(+)·C(miss)/(P(+)·C(miss) + P(−)·C(false alarm)), the weight of the positives; a threshold "
        "costs NE = FNR·PC + FPR·(1 − PC); the curve is the lowest line at each PC",
        source="Drummond and Holte 2006, Machine Learning 65:95",
        advice="the envelope takes the threshold that is cheapest on these rows, so it lies too low for new ones",
    ),
    Method(
        key="reliability-curve",
        title="share of positives against the mean forecast, bin by bin",
        formula="in each bin ȳ = #positives/#rows against p̄, the mean forecast",
        source="Bröcker and Smith 2007, Weather Forecast. 22:651; without bins Dimitriadis, Gneiting and Jordan 2021, "
        "PNAS 118:e2016191118",
        advice="the intervals hold for one bin each: of 20 bins about one falls outside by chance",
    ),
    Method(
        key="decision-curve",
        title="net benefit of acting from each threshold up",
        formula="net benefit at t = TP/n − (FP/n)·t/(1 − t); acting on all: π − (1 − π)·t/(1 − t); acting on none: 0",
        source="Vickers and Elkin 2006, Med. Decis. Making 26:565",
        assumes="scores are probabilities that hold",
    ),
    Method(
        key="det-curve",
        title="misses against false alarms on normal-deviate axes",
        formula="FNR against FPR at every threshold, both axes by Φ⁻¹; the equal error rate is where FNR = FPR on the "
        "points joined by straight lines",
        source="Martin et al. 1997, Eurospeech:1895",
    ),
    Method(
        key="brier-curve",
        title="loss over the cost proportion when forecasts are cut at it",
        formula="loss at c = 2(c·FP + (1 − c)·FN)/n, cut at c; its area is the Brier score",
        source="Hernández-Orallo, Flach and Ferri 2011, ICML:585",
    ),
    Method(
        key="risk-coverage-curve",
        title="share of wrong answers among the most confident rows",
        formula="at coverage k/n: #wrong among the k most confident/k; AURC is the mean over k = 1 … n",
        source="El-Yaniv and Wiener 2010, J. Mach. Learn. Res. 11:1605; Geifman, Uziel and El-Yaniv 2019, ICLR",
    ),
    Method(
        key="measure-curve",
        title="two measures of the calls at every threshold",
        formula="both are computed from TP, FP, FN, TN at each cutoff; undefined values are left out",
        source="Sing et al. 2005, Bioinformatics 21:3940",
        advice="it carries no intervals: for one threshold take te.evaluate",
    ),
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
