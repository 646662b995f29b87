"""Methods for one proportion and for a mean.

Methods for the difference of two: independent and paired.
"""

from __future__ import annotations

from trueerror.methods._registry import Method

ROWS = "independent rows, drawn at random from the population that you care about"

APART = "two samples of different rows, each drawn at random; for the same rows use mcnemar"
TOGETHER = "the same rows for both models, drawn at random and independent of each other"
PAIRED_SCORES = "independent pairs of scores, such as one pair a data set"

DIFFERENCES_METHODS: tuple[Method, ...] = (
    Method(
        key="binomial-exact",
        title="exact binomial test of one proportion",
        formula="two-sided p = Σ P(k) over all counts k at most as likely as the one seen; one-sided p is a tail",
        source="Clopper and Pearson 1934, Biometrika 26:404; Blaker 2000, Can. J. Stat. 28:783, on two-sided rules",
        assumes="independent rows with one common success probability",
        advice="p and interval invert different tests and can disagree at the border; the p-value decides",
    ),
    Method(
        key="binomial-score",
        title="score test of one proportion",
        formula="z = (p̂ − p0)/√(p0(1 − p0)/n); the interval is Wilson's, which inverts it",
        source="Wilson 1927, JASA 22:209",
        assumes="independent rows; n·p0 and n·(1 − p0) of 5 or more",
    ),
    Method(
        key="miettinen-nurminen",
        title="score interval of Miettinen and Nurminen",
        formula="all Δ with |d − Δ| ≤ z√(V(Δ)·N/(N − 1)), V at the shares that fit best under p1 − p2 = Δ; "
        "p from the same statistic at 0",
        source="Miettinen and Nurminen 1985, Stat. Med. 4:213",
        assumes=APART,
        measured="minimum coverage .935",
    ),
    Method(
        key="newcombe-difference",
        title="Newcombe's hybrid score interval (method 10)",
        formula="d − √((p1 − l1)² + (u2 − p2)²) to d + √((u1 − p1)² + (p2 − l2)²), l and u Wilson limits; "
        "p by inversion of the interval",
        source="Newcombe 1998, Stat. Med. 17:873",
        assumes=APART,
        measured="minimum coverage .902 at 30 and 30 rows",
    ),
    Method(
        key="newcombe-difference-cc",
        title="Newcombe's hybrid score interval with continuity correction (method 11)",
        formula="as method 10, from Wilson limits with continuity correction; p by inversion of the interval",
        source="Newcombe 1998, Stat. Med. 17:873",
        assumes=APART,
        advice="wider than it needs to be",
    ),
    Method(
        key="agresti-caffo",
        title="Agresti and Caffo's interval",
        formula="Wald's interval after one success and one failure more in each sample; p by the score test",
        source="Agresti and Caffo 2000, Am. Stat. 54:280",
        assumes=APART,
    ),
    Method(
        key="wald-difference",
        title="simple normal interval of a difference",
        formula="d ± z√(p1q1/n1 + p2q2/n2), p from z = d/√(p1q1/n1 + p2q2/n2), cut to [−1, 1]",
        source="any textbook; Agresti and Caffo 2000, Am. Stat. 54:280, on its failings",
        assumes=APART + "; 30 rows or more in each, and errors that are not rare",
        measured="coverage falls far below its level with few or no errors",
        advice="with no variance at all Newcombe's method takes over",
    ),
    Method(
        key="pooled-z",
        title="pooled z-test of two proportions (chi²)",
        formula="z = d/√(p̄q̄(1/n1 + 1/n2)), p̄ over both samples; z² is Pearson's chi²",
        source="Pearson 1900, Philos. Mag. 50:157",
        assumes=APART + "; expected counts of 5 or more",
    ),
    Method(
        key="unpooled-z",
        title="unpooled z-test of two proportions",
        formula="z = d/√(p1q1/n1 + p2q2/n2)",
        source="any textbook",
        assumes=APART + "; 30 rows or more in each, and errors that are not rare",
    ),
    Method(
        key="yates",
        title="chi² test with Yates' continuity correction",
        formula="pooled z with |d| less ½(1/n1 + 1/n2), at most to 0",
        source="Yates 1934, Suppl. J. R. Stat. Soc. 1:217",
        assumes=APART,
        advice="conservative, close to Fisher's",
    ),
    Method(
        key="fisher",
        title="Fisher's exact test",
        formula="hypergeometric given both margins; two-sided p sums the tables at most as likely as the one seen",
        source="Fisher 1935, The Design of Experiments",
        assumes=APART,
        advice="conservative, the more so the fewer the rows",
    ),
    Method(
        key="mcnemar-mid-p",
        title="McNemar's test, mid-p",
        formula="2·P(Bin(b + c, ½) ≤ min(b, c)) − P(Bin = min); 1 − ½P at b = c; 1 at b + c = 0",
        source="Fagerland, Lydersen and Laake 2013, BMC Med. Res. Methodol. 13:91",
        assumes=TOGETHER,
        measured="with Tango's interval for the size, which covers .93 or more (enumeration)",
        advice="where p-value and interval disagree the case is borderline, and the p-value decides",
    ),
    Method(
        key="mcnemar-exact",
        title="McNemar's exact test",
        formula="min(1, 2·P(Bin(b + c, ½) ≤ min(b, c)))",
        source="McNemar 1947, Psychometrika 12:153",
        assumes=TOGETHER,
        advice="conservative; mid-p keeps its level better",
    ),
    Method(
        key="mcnemar-chi2",
        title="McNemar's chi² test",
        formula="(b − c)²/(b + c), 1 degree of freedom; one-sided by its signed root",
        source="McNemar 1947, Psychometrika 12:153",
        assumes=TOGETHER + "; 25 rows or so on which they differ",
    ),
    Method(
        key="mcnemar-chi2-cc",
        title="McNemar's chi² test with continuity correction",
        formula="max(0, |b − c| − 1)²/(b + c), 1 degree of freedom",
        source="Edwards 1948, Psychometrika 13:185",
        assumes=TOGETHER,
        advice="conservative, close to the exact test",
    ),
    Method(
        key="tango",
        title="Tango's score interval for paired proportions",
        formula="all Δ with |b − c − nΔ| ≤ z√(n(2q + Δ(1 − Δ))), q the best-fitting share of c under Δ",
        source="Tango 1998, Stat. Med. 17:891",
        assumes=TOGETHER,
        measured="coverage of .93 or more at 40 rows (enumeration)",
    ),
    Method(
        key="bonett-price",
        title="Bonett and Price's interval for paired proportions",
        formula="Wald's interval with one more in b and in c, and two more rows",
        source="Bonett and Price 2012, J. Educ. Behav. Stat. 37:479",
        assumes=TOGETHER,
    ),
    Method(
        key="newcombe-paired",
        title="Newcombe's interval for paired proportions (method 10)",
        formula="Wilson limits of both shares combined with −2φ(p1 − l1)(u2 − p2); φ is corrected by n/2",
        source="Newcombe 1998, Stat. Med. 17:2635",
        assumes=TOGETHER,
    ),
    Method(
        key="wald-paired",
        title="simple normal interval for paired proportions",
        formula="(b − c)/n ± z√((b + c − (b − c)²/n))/n, cut to [−1, 1]",
        source="any textbook",
        assumes=TOGETHER + "; many rows on which they differ",
        advice="with no variance at all Tango's interval takes over",
    ),
    Method(
        key="cochran-q",
        title="Cochran's Q test",
        formula="(k − 1)(kΣC² − T²)/(kT − ΣR²), chi² with k − 1 degrees of freedom",
        source="Cochran 1950, Biometrika 37:256",
        assumes=TOGETHER,
    ),
    Method(
        key="bowker",
        title="Bowker's test of symmetry",
        formula="Σ (n_ij − n_ji)²/(n_ij + n_ji) over pairs that were ever confused, one degree of freedom each",
        source="Bowker 1948, JASA 43:572",
        assumes=TOGETHER,
    ),
    *(
        Method(
            key=f"{family}-{kind}",
            title=f"{title} by {test}",
            formula=f"{formula}; {statistic}",
            source=f"Schuirmann 1987, J. Pharmacokinet. Biopharm. 15:657; {source}",
            assumes=assumes + "; a margin that was fixed before looking",
        )
        for family, test, statistic, source, assumes in (
            ("tango", "Tango's score test", "paired rows", "Tango 1998, Stat. Med. 17:891", TOGETHER),
            ("miettinen-nurminen", "Miettinen and Nurminen's score test", "different rows",
             "Miettinen and Nurminen 1985, Stat. Med. 4:213", APART),
            ("paired-t", "a paired t-test", "paired scores", "Student 1908, Biometrika 6:1", PAIRED_SCORES),
            ("welch-t", "Welch's t-test", "scores from different rows", "Welch 1947, Biometrika 34:28",
             "independent scores in each of two groups"),
        )
        for kind, title, formula in (
            ("equivalence", "equivalence",
             "two one-sided tests, against −margin and +margin; p is the larger; the interval has 1 − 2α"),
            ("noninferiority", "non-inferiority", "one one-sided test against −margin; one-sided limit"),
        )
    ),
)  # fmt: skip
