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
        key="wilson-boyd",
        title="Wilson score interval of an area under PR at the number of positives",
        formula="Wilson's limits of θ as a proportion of P rows, where P·θ(1 − θ) < 1",
        source="Wilson 1927, JASA 22:209; Boyd, Eng and Page 2013, ECML PKDD, LNCS 8190:451",
        assumes="independent rows; many negatives",
        measured=".94–.99 with 5 to 50 positives (simulated)",
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
        formula="logit A ± z·√V/(A(1 − A)), V = Σ_c n_c/(n_c − 1)·Σ h² over the rows' shares h of the mean of areas",
        source=f"{_DELONG}; Hand and Till 2001, Mach. Learn. 45:171",
        assumes="independent rows with one score for each class; class sizes taken as they are",
    ),
)
