"""Methods for areas under curves."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

_DELONG = "DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837"

METHODS: tuple[Method, ...] = (
    Method(
        key="delong-logit",
        title="DeLong's variance on the logit scale",
        formula="logit(A) ± z·SE/(A(1 − A)), SE² = S10/m + S01/n; where min(m, n)·min(A, 1 − A) < 10 the outer "
        "limits of this and Newcombe's method 5",
        source=f"{_DELONG}; Pepe 2003, The Statistical Evaluation of Medical Tests, 5.2; Newcombe 2006, "
        "Stat. Med. 25:559",
        assumes="independent rows; higher scores are more positive",
        measured="AUC .95 of 20 and 20 rows: .946 (simulated), where DeLong's straight interval covers .84–.86",
    ),
    Method(
        key="delong-clustered",
        title="DeLong's placements summed within clusters, on the logit scale",
        formula="logit(A) ± t(G − 1)·SE/(A(1 − A)), SE² = G/(G − 1)·Σ_g(Σ h_i)², h a row's placement less A, over its "
        "class's rows; with few errors of order the outer limits of this and Newcombe's method 5 at the effective rows",
        source="Obuchowski 1997, Biometrics 53:567",
        assumes="independent clusters, any dependence within; higher scores are more positive",
    ),
    Method(
        key="delong",
        title="DeLong's interval",
        formula="A ± z·√(S10/m + S01/n), cut to [0, 1]",
        source=_DELONG,
        assumes="independent rows, many of each class; higher scores are more positive",
        measured="AUC .95 of 20 and 20 rows: .84–.86; .99 of 50 and 50: .79–.80 (simulated)",
        advice="prefer delong-logit",
    ),
    Method(
        key="hanley-mcneil",
        title="Hanley and McNeil's interval",
        formula="A ± z·√((A(1−A) + (m−1)(Q1−A²) + (n−1)(Q2−A²))/mn), Q1 = A/(2−A), Q2 = 2A²/(1+A)",
        source="Hanley and McNeil 1982, Radiology 143:29",
        assumes="independent rows; scores near to exponential in shape",
        advice="prefer delong-logit",
    ),
    Method(
        key="newcombe-auc",
        title="Newcombe's interval of an area, method 5",
        formula="θ with (A − θ)² = z²·θ(1−θ)(1 + ν(1−θ)/(2−θ) + νθ/(1+θ))/mn, ν = (m + n)/2 − 1",
        source="Newcombe 2006, Stat. Med. 25:559",
        assumes="independent rows; higher scores are more positive",
        measured="at A = 1 the lower limit is .8987 of 20 and 20 rows, .9603 of 50 and 50",
    ),
    Method(
        key="boyd-logit",
        title="Boyd's logit interval of an area under PR",
        formula="logit(θ) ± z/√(P·θ(1 − θ)), P positives",
        source="Boyd, Eng and Page 2013, ECML PKDD, LNCS 8190:451",
        assumes="independent rows; many negatives",
        measured=".949–.993, where the percentile bootstrap covers .87–.92 (simulated)",
    ),
    Method(
        key="boyd-clustered",
        title="Boyd's logit interval of an area under PR, for clustered rows",
        formula="logit(θ) ± t(G − 1)·√V/(θ(1 − θ)), V the larger of θ(1 − θ)/P and (G − 1)/G·Σ(θ₋g − mean)², θ₋g "
        "without cluster g; where P·θ(1 − θ) < 1 Wilson's limits at the clusters that hold positives",
        source="Boyd, Eng and Page 2013, ECML PKDD, LNCS 8190:451; Efron and Stein 1981, Ann. Stat. 9:586 (jackknife)",
        assumes="independent clusters; any dependence within",
        measured=".94–.98 with 12 to 40 clusters of 5 to 20 rows, where BCa over clusters covers .89 (simulated)",
    ),
    Method(
        key="wilson-boyd",
        title="Wilson score interval of an area under PR at the number of positives",
        formula="Wilson's limits of θ as a proportion of P rows, where P·θ(1 − θ) < 1",
        source="Wilson 1927, JASA 22:209; Boyd, Eng and Page 2013, ECML PKDD, LNCS 8190:451",
        assumes="independent rows; many negatives",
        measured=".94–.99 with 5 to 50 positives (simulated)",
    ),
    Method(
        key="delong-classes-paired",
        title="difference of two means of areas over classes on the same rows, Satterthwaite t",
        formula="t = (A₁ − A₂)/√V, V = Σ over classes of n_c/(n_c − 1)·Σ d², d the difference of a row's shares in "
        "the two means; df = V²/Σ v_c²/(n_c − 1)",
        source=f"{_DELONG}; Hand and Till 2001, Mach. Learn. 45:171; Satterthwaite 1946, Biometrics Bull. 2:110",
        assumes="independent rows; both models scored the same rows",
        measured="type I error .042–.045 with 60 to 200 rows of 3 to 10 classes (simulated)",
    ),
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
        key="delong-classes",
        title="DeLong's variance of a mean of areas over classes, on the logit scale",
        formula="logit A ± z·√V/(A(1 − A)), V = Σ_c n_c/(n_c − 1)·Σ h² over the rows' shares h of the mean of areas; "
        "where min(n_c)·min(A, 1 − A) < 10 the outer limits with θ of (A − θ)² = z²·V(θ), V from Hanley and McNeil's",
        source=f"{_DELONG}; Hand and Till 2001, Mach. Learn. 45:171; Newcombe 2006, Stat. Med. 25:559, for two classes",
        assumes="independent rows with one score for each class; class sizes taken as they are",
        measured=".92–1.00 with classes of 1 to 100 rows; DeLong's variance alone: .28 with a class of one row "
        "and .78 with one of three (simulated)",
    ),
    Method(
        key="delong-classes-clustered",
        title="DeLong's variance of a mean of areas over classes, rows in clusters",
        formula="logit A ± t(G − 1)·√V/(A(1 − A)), V = G/(G − 1)·Σ_g(Σ h)² over the clusters' sums of the rows' shares",
        source="Obuchowski 1997, Biometrics 53:567; Hand and Till 2001, Mach. Learn. 45:171",
        assumes="independent clusters, any dependence within; one score for each class",
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
