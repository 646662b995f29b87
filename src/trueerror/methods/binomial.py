"""Methods for one proportion and for a mean."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

ROWS = "independent rows, drawn at random from the population that you care about"

METHODS: tuple[Method, ...] = (
    Method(
        key="wilson",
        title="Wilson score interval",
        formula="(p + z²/2n ± z√(pq/n + z²/4n²)) / (1 + z²/n)",
        source="Wilson 1927, JASA 22:209; Brown, Cai and DasGupta 2001, Stat. Sci. 16:101",
        assumes=ROWS,
        measured="mean coverage .952 at n = 50; at least .927 where np and nq are 5 or more (enumeration)",
        advice="with fewer than 5 successes or failures mid-p is closer to its nominal coverage",
    ),
    Method(
        key="wald",
        title="simple normal interval",
        formula="p ± z√(pq/n), cut to [0, 1]",
        source="Laplace 1812; Brown, Cai and DasGupta 2001, Stat. Sci. 16:101",
        assumes=ROWS + "; n of 30 or more and n·p·(1 − p) of 5 or more",
        measured="mean coverage .902 at n = 50, falling to 0 near the ends (enumeration)",
        advice="prefer wilson; at 0 or n successes this has no width and Wilson's interval is given instead",
    ),
    Method(
        key="wald-cc",
        title="simple normal interval with continuity correction",
        formula="p ± (z√(pq/n) + 1/2n), cut to [0, 1]",
        source="Newcombe 1998, Stat. Med. 17:857, method 2",
        assumes=ROWS,
        advice="prefer wilson",
    ),
    Method(
        key="wilson-cc",
        title="Wilson score interval with continuity correction",
        formula="Wilson's limits for x − ½ (lower) and x + ½ (upper); 0 at x = 0 and 1 at x = n",
        source="Newcombe 1998, Stat. Med. 17:857, method 4",
        assumes=ROWS,
        advice="comes near to the exact interval, and is as wide",
    ),
    Method(
        key="clopper-pearson",
        title="exact interval of Clopper and Pearson",
        formula="α/2 quantile of Beta(x, n − x + 1) to 1 − α/2 quantile of Beta(x + 1, n − x)",
        source="Clopper and Pearson 1934, Biometrika 26:404",
        assumes=ROWS,
        measured="mean coverage .969 at n = 50, never below .95 (enumeration): wider than it needs to be",
    ),
    Method(
        key="mid-p",
        title="mid-p interval",
        formula="the p at which P(X beyond x) + ½P(X = x) is α/2, on either side",
        source="Lancaster 1949, Biometrika 36:370; Berry and Armitage 1995, The Statistician 44:417",
        assumes=ROWS,
        measured="mean coverage .955 at n = 50, at least about .925 (enumeration)",
    ),
    Method(
        key="agresti-coull",
        title="Agresti–Coull interval",
        formula="p̃ ± z√(p̃(1 − p̃)/ñ), ñ = n + z², p̃ = (x + z²/2)/ñ, cut to [0, 1]",
        source="Agresti and Coull 1998, Am. Stat. 52:119",
        assumes=ROWS,
        advice="never narrower than Wilson's, which it imitates",
    ),
    Method(
        key="jeffreys",
        title="Jeffreys interval",
        formula="α/2 and 1 − α/2 quantiles of Beta(x + ½, n − x + ½); 0 at x = 0 and 1 at x = n",
        source="Brown, Cai and DasGupta 2001, Stat. Sci. 16:101",
        assumes=ROWS + "; a Beta(½, ½) prior",
        measured="mean coverage .950 at n = 50 (enumeration)",
    ),
    Method(
        key="t-mean",
        title="t-interval of a mean",
        formula="mean ± t(n − 1)·s/√n, cut to the range where there is one",
        source="Student 1908, Biometrika 6:1",
        assumes="independent values; near to normal, or many of them",
        advice="the errors of cross-validation folds share training rows: use a corrected interval for those",
    ),
    Method(
        key="t-log-mean",
        title="t-interval of a mean loss, on the scale of the logarithm",
        formula="mean·exp(±t(m)·s/(√n·mean)), m = min(n − 1, max(2, (Σℓ)²/Σℓ²)); of a loss in [0, c] within "
        "c times Wilson's limits for Σℓ/c of n",
        source=(
            "the delta method for the logarithm of a mean; Student 1908, Biometrika 6:1; the rows that a loss is worth "
            "as Kish 1965, Survey Sampling, counts weights"
        ),
        assumes=ROWS + "; a loss that is never negative",
        measured="covers .94–.96 with 30 to 1,000 rows; the plain t-interval covers .89–.95 and misses on one side",
        advice="where (mean/standard error)² is below 5 a few rows decide, and the limits are wide",
    ),
    Method(
        key="wilson-constant-loss",
        title="limits for a loss that was the same on all rows",
        formula="c − u·(c − min) to c + u·(max − c), u = z²/(n + z²): Wilson's limit for the share of rows that differ",
        source="Wilson 1927, JASA 22:209, on the share of rows with another loss",
        assumes=ROWS + "; a loss that cannot leave [min, max]",
    ),
)
