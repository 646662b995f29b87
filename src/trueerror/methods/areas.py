"""Methods for areas under curves."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

_DELONG = "DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837"

METHODS: tuple[Method, ...] = (
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
)
