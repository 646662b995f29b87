"""Methods for one proportion and for a mean."""

from __future__ import annotations

from trueerror.methods.catalogue import Method

METHODS: tuple[Method, ...] = (
    Method(
        key="wilson",
        title="Wilson score interval",
        formula="(p + z²/2n ± z√(pq/n + z²/4n²)) / (1 + z²/n)",
        source="Wilson 1927, JASA 22:209; Brown, Cai and DasGupta 2001, Stat. Sci. 16:101",
        assumes="independent rows, drawn at random from the population that you care about",
        measured="mean coverage .952 at n = 50; at least .927 where np and nq are 5 or more (enumeration)",
        advice="with fewer than 5 successes or failures mid-p is closer to its nominal coverage",
    ),
)
