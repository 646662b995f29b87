"""Methods that may be looked at while data arrive."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

ARRIVING = "rows arrive in random order; a cluster of dependent rows enters as one; the side is chosen before looking"

METHODS: tuple[Method, ...] = (
    Method(
        key="e-value",
        title="paired e-value",
        formula="E = 2^(b+c)·B(b + ½, c + ½)/B(½, ½); one-sided 2E·P(Beta(b + ½, c + ½) > ½); "
        "reject at E ≥ 1/α, p = min(1, 1/E)",
        source="Ville 1939; Ramdas, Grünwald, Vovk and Shafer 2023, Stat. Sci. 38:576",
        assumes=ARRIVING,
        measured="valid at every look; a mid-p test looked at 100 times has type I error .36",
        advice="to look only once use mcnemar, which needs fewer rows",
    ),
    Method(
        key="e-value-margin",
        title="e-value against a margin",
        formula="Π(1 + λ(D − δ₀)) with D in [−1, 1], mixed over λ = f/(1 + δ₀), f of density 2/(π√(1 − f²)) on (0, 1)",
        source="Waudby-Smith and Ramdas 2024, J. R. Stat. Soc. B 86:1",
        assumes=ARRIVING,
        measured="valid at every look",
    ),
    Method(
        key="betting-sequence",
        title="betting confidence sequence",
        formula="every δ₀ whose e-value (the mean of both sides) is below 1/α",
        source="Waudby-Smith and Ramdas 2024, J. R. Stat. Soc. B 86:1",
        assumes=ARRIVING,
        measured="all looks together hold the true difference with the stated confidence",
        advice="wider than an interval for one look; that is the price of looking",
    ),
)
