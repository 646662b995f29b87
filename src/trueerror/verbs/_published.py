"""`te.compare` from what papers print: confusion matrices, four counts, or two shares of the same rows.

Confusion matrices are models on different rows, compared on any metric or cost of labels, at one class mix where
`prior=` names it. The four counts (both right, only one, only the other, neither) are all that McNemar's test needs.
Two shares of the same rows without their agreement leave it open between bounds, which are given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, cast

from trueerror.findings import Evidence
from trueerror.inference._unpaired import unpaired_contrast
from trueerror.inference.proportion._interval import interval, is_float, one_or_all
from trueerror.inference.proportion._paired import McNemarMethod, mcnemar, mcnemar_bounds
from trueerror.inputs._arrays import count, count_matrix
from trueerror.inputs._groups import Folding, RowOptions
from trueerror.inputs._options import InputError, check_share, nearest
from trueerror.metrics._registry import find_measure
from trueerror.results import Alternative, Contrast, Table
from trueerror.results._document import Document, TableBlock, page
from trueerror.results._format import figures, in_points, one_line, percent, whole
from trueerror.sources._predictions import Predictions
from trueerror.tallies import Confusion, Discordance
from trueerror.verbs._compare import Comparing, assemble_comparison, own_rows
from trueerror.verbs._comparison import Comparison, ComparisonDetails
from trueerror.verbs._model_metrics import ModelMetrics, Settings, counts_reading, judged_by, mix_words, named_costs

# What four counts, or two shares, of right answers cannot answer.
OF_CLASSES = ("metric", "positive", "costs", "cost_fp", "cost_fn", "prior", "options")


def _refuse(asked: Comparing, what: str, *names: str) -> None:
    """Refuse the options that say nothing of such counts."""
    for name in asked.changed():
        if name in names:
            raise InputError(f"{name}= says nothing of {what}, which hold right and wrong answers alone")


def compare_published(asked: Comparing) -> Comparison:
    """Compare counts; options that need rows are refused."""
    counts, marginals, paired = asked.counts, asked.marginals, asked.paired
    first, second = asked.given_rows
    given = [name for name, value in (("counts=", counts), ("marginals=", marginals), ("predictions", first))
             if value is not None]  # fmt: skip
    if len(given) > 1:
        raise InputError(f"pass {given[0]} or {given[1]}, not both")
    needless = next((name for name in asked.changed(RowOptions, Folding) if name != "positive"), None)
    if needless is not None:
        raise InputError(f"{needless}= cannot be used here: it needs rows, and these are counts")
    if counts is None and marginals is None:
        if paired:
            raise InputError(
                "confusion matrices do not say which rows two models share: pass counts= (both right, only one, "
                "neither), or marginals= for the bounds over every agreement"
            )
        return compare_tables(_named_tables(first, second), asked)
    if paired is False:
        raise InputError(
            "these are counts of the same rows; for different rows pass two te.Confusion, or te.difference"
        )
    if asked.metric == "accuracy":
        asked = replace(asked, metric=None)  # what such counts are of anyway
    if counts is not None:
        _refuse(asked, "four counts", *OF_CLASSES, "reference")
        return compare_counts(_four(counts), asked)
    _refuse(asked, "two shares", *OF_CLASSES, "reference", "margin")
    assert marginals is not None
    return compare_marginals(marginals, asked)


def _named_tables(first: Any, second: Any) -> dict[str, Confusion]:
    given = {str(k): v for k, v in first.items()} if isinstance(first, Mapping) else {"first": first, "second": second}
    if isinstance(first, Mapping) and second is not None:
        raise InputError("confusion matrices go into one dictionary by name, or two of them side by side")
    tables = {name: _table(value, name) for name, value in given.items()}
    if len(tables) < 2:
        raise InputError("there is one confusion matrix; trueerror evaluate (te.evaluate) judges one by itself")
    labels = next(iter(tables.values())).labels
    return {name: _in_the_order(t, labels, name) for name, t in tables.items()}


def _table(value: Any, name: str) -> Confusion:
    if isinstance(value, Confusion):
        return value
    if isinstance(value, Predictions):
        if len(value.models) > 1:
            raise InputError(f"{name} has {len(value.models)} models: name one with .select([…])")
        return value.confusion(value.models[0])
    if value is None:
        raise InputError("a second confusion matrix is missing: comparing takes two")
    raise InputError(f"{name} is no confusion matrix, as the other is: wrap its counts in te.Confusion(…)")


def _in_the_order(t: Confusion, labels: tuple[object, ...], name: str) -> Confusion:
    if t.labels == labels:
        return t
    if set(t.labels) != set(labels):
        classes = ", ".join(f"{v!r}" for v in t.labels[:6])
        raise InputError(f"{name} has the classes {classes}, the first matrix {', '.join(map(repr, labels[:6]))}")
    return Confusion(t.matrix[[t.labels.index(v) for v in labels]][:, [t.labels.index(v) for v in labels]], labels,
                     positive=t.positive)  # fmt: skip


def compare_tables(tables: Mapping[str, Confusion], asked: Comparing) -> Comparison:
    """Confusion matrices of different rows on one metric, or by what calls cost, at one class mix with `prior=`."""
    if asked.positive is not None:
        tables = {name: t.with_positive(asked.positive) for name, t in tables.items()}
    costs = named_costs(asked.costs, asked.cost_fp, asked.cost_fn)
    measure, own_options = judged_by(asked.metric, asked.options, costs)
    if not measure.of_labels:
        raise InputError(f"{measure.name} needs scores, and a confusion matrix has none")
    settings = Settings.of(asked, {measure.name: own_options}, costs=costs)
    if asked.reference is not None and asked.reference not in tables:
        raise InputError(f"reference={asked.reference!r} is not among the models{nearest(asked.reference, tables)}")
    options = settings.options(measure.name)
    estimates = {m: ModelMetrics(m, settings, confusion=t).interval(measure.name) for m, t in tables.items()}
    undefined = next((m for m, figure in estimates.items() if figure.estimate != figure.estimate), None)
    if undefined is not None:
        raise InputError(f"{measure.name} of {undefined!r} is undefined: {estimates[undefined].note}")
    rows = {m: own_rows(t, m, measure, settings) for m, t in tables.items()}
    pairs = [p for p in combinations(tables, 2) if asked.reference is None or asked.reference in p]
    pairs = [p if p[1] == asked.reference or asked.reference is None else (p[1], p[0]) for p in pairs]

    def contrasts(alternative: Alternative) -> list[Contrast]:
        spec = settings.spec(alternative=alternative)
        return [unpaired_contrast((rows[a], rows[b]), measure, spec, options, asked.method) for a, b in pairs]

    positive = next(iter(tables.values())).positive
    mix = "" if asked.prior is None else f", at one class mix: {mix_words(asked.prior, positive)}"
    free = asked.prior is not None or measure.is_prior_free(len(next(iter(tables.values())).labels))
    totals = {m: tuple(float(x) for x in t.classes(weighted=False).truth) for m, t in tables.items()}
    sample = [] if free else [Evidence(class_totals=totals, metrics=(measure.name,))]
    return assemble_comparison(
        measure,
        estimates,
        contrasts(asked.alternative),
        asked,
        both_ways=contrasts("two-sided") if asked.margin and asked.alternative != "two-sided" else None,
        confidence=settings.confidence,
        reading=f"{counts_reading(tables, asked.prior)} Different rows: not paired.",
        estimand=f"Estimates: the difference between models, each on rows drawn like its own{mix}.",
        sample=sample,
    )


def _four(counts: Any) -> tuple[tuple[str, str], Discordance]:
    """{"both": …, "a": …, "b": …, "neither": …}, or the table [[both, first], [second, neither]]."""
    if isinstance(counts, tuple) and isinstance(counts[-1], Discordance):
        return counts
    if isinstance(counts, Mapping):
        return _named_counts({str(k): v for k, v in counts.items()})
    cells = count_matrix(counts)
    if cells.shape != (2, 2):
        raise InputError('counts= are four: {"both": 810, "a": 60, "b": 40, "neither": 90}')
    both, one, two, neither = (int(x) for x in cells.ravel())
    return ("first", "second"), Discordance(both, one, two, neither)


def _named_counts(given: Mapping[str, Any]) -> tuple[tuple[str, str], Discordance]:
    for needed in ("both", "neither"):
        if needed not in given:
            raise InputError(f"{needed}=N is missing: the four counts are both=N A=N B=N neither=N")
    names = [n for n in given if n not in ("both", "neither")]
    if len(names) != 2:
        raise InputError(f"there must be two models beside both= and neither=, not {len(names)}")
    a, b = names
    return (a, b), Discordance(*(count(given[name], name) for name in ("both", a, b, "neither")))


def parse_pairs(words: list[str]) -> tuple[tuple[str, str], Discordance]:
    """both=810 new=60 old=40 neither=90 as the two names and the four counts."""
    given: dict[str, int] = {}
    for word in words:
        name, mark, number = word.rpartition("=")
        if not mark or not name:
            raise InputError(f"cannot read {word!r}: write counts as NAME=N, such as both=810 new=60 old=40 neither=90")
        if name in given:
            raise InputError(f"{name!r} is given twice")
        given[name] = count(_whole(number, name), name)
    return _named_counts(given)


def _whole(text: str, name: str) -> int:
    try:
        return int(text.replace(",", "").replace("_", ""))
    except ValueError:
        raise InputError(f"{name}={text}: a count is a whole number") from None


def compare_counts(pairs: tuple[tuple[str, str], Discordance], asked: Comparing) -> Comparison:
    """The comparison that the counts of rows both, only one, or neither model got right allow.

    >>> cmp = compare_counts((("new", "old"), Discordance(810, 60, 40, 90)), Comparing())
    >>> round(cmp["new", "old"].p_value, 3)
    0.046
    """
    ((a, b), d), confidence, method = pairs, asked.confidence, cast("McNemarMethod", asked.method or "mid-p")
    if d.n == 0:
        raise InputError("the counts are all 0: there is nothing to compare")
    difference = replace(
        mcnemar(
            d.only_first, d.only_second, both_right=d.both_right, both_wrong=d.both_wrong, method=method,
            confidence=confidence, alternative=asked.alternative,
        ),
        name="accuracy", first=a, second=b,
    )  # fmt: skip
    estimates = {
        name: replace(interval(d.both_right + only, d.n, confidence=confidence), name="accuracy")
        for name, only in ((a, d.only_first), (b, d.only_second))
    }
    return assemble_comparison(
        find_measure("accuracy"),
        estimates,
        [difference],
        asked,
        confidence=confidence,
        discordance={(a, b): d},
        reading=f"Counts of {d.n:,} rows: {a} and {b} on the same rows.",
        estimand=f"Estimates: these two models as they stand, on rows drawn at random like these {d.n:,}.",
    )


CASES = ("as few as possible", "errors independent", "as many as possible")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MarginalComparison(Comparison):
    """Two models on the same rows of which only the shares of right answers are known: bounds over every agreement.

    `cases` are McNemar's contrasts where the two differ on as few rows as the shares allow, on as many as independent
    errors would give, and on as many as possible, `differ` how many rows those are; the last one, the most cautious, is
    what `cmp["a", "b"]` gives. `.at(agreement=0.9)` is the contrast for a known share of rows on which both are right
    or both wrong. `p_low` to `p_high` hold the p-value whatever the agreement; `deciding` is the largest number of
    differing rows at which it is at or below the level.
    """

    n: int
    differ: tuple[int, int, int]
    cases: tuple[Contrast, ...]
    p_low: float
    p_high: float
    deciding: int | None = None
    form: McNemarMethod = "mid-p"

    @property
    def right(self) -> dict[str, int]:
        """How many rows each got right."""
        return {m: round(share.estimate * self.n) for m, share in self.estimates.items()}

    def at(self, *, agreement: float) -> Contrast:
        """The contrast where both are right or both wrong on this share of the rows, or the nearest that is possible.

        >>> found = compare_marginals({"A": (456, 500), "B": (445, 500)}, Comparing())
        >>> round(found.at(agreement=0.9).p_value, 3)
        0.126
        """
        share = check_share(agreement, "agreement")
        least, _, most = self.differ
        wanted = round((1 - share) * self.n)
        # One row more or less: the two shares fix whether the number is odd.
        differ = wanted if (wanted - least) % 2 == 0 else wanted + (1 if wanted < most else -1)
        if not least <= differ <= most:
            raise InputError(
                f"agreement={agreement:g} is not possible: with these shares both are right or both wrong on "
                f"{1 - most / self.n:.3f} to {1 - least / self.n:.3f} of the rows"
            )
        (a, x), (b, y) = self.right.items()
        only = (differ + x - y) // 2
        contrast = mcnemar(
            only, differ - only, both_right=x - only, both_wrong=self.n - y - only, method=self.form,
            confidence=self.confidence, alternative=self.cases[0].alternative,
        )  # fmt: skip
        return replace(contrast, name="accuracy", first=a, second=b)

    def _verdict_lines(self) -> tuple[str, ...]:
        (a, x), (b, y) = ((one_line(name), count) for name, count in self.right.items())
        gap, level = self.cases[0].estimate, 1 - self.confidence
        lead = f"{a} {100 * x / self.n:.1f} % against {b} {100 * y / self.n:.1f} %, {in_points(gap)} points"
        span = f"McNemar's p ({self.form}) lies between {_p(self.p_low)} and {_p(self.p_high)}"
        if _p(self.p_low) == _p(self.p_high):
            span = f"McNemar's p ({self.form}) is {_p(self.p_low)} throughout"
        if self.p_high <= level:
            return (f"{a if gap > 0 else b} is better, on whichever rows they agree: {lead}; {span}.",)
        if self.p_low > level:
            return (f"Too close to call, on whichever rows they agree: {lead}; {span}.",)
        words = f"Too close to call without the pairs: {lead}; {span}."
        if self.deciding is None:
            return (words,)
        return (
            f"{words} It is {_p(round(level, 6))} or less only where they differ on at most {whole(self.deciding)} of "
            f"the {whole(self.n)} rows (agreement of {100 * (1 - self.deciding / self.n):.1f} % or more).",
        )

    def records(self) -> list[dict[str, object]]:
        """One record for each agreement that is shown."""
        return [
            {"case": case, "differ": rows, "agreement": 1 - rows / self.n, **c.records()[0]}
            for case, rows, c in zip(CASES, self.differ, self.cases, strict=True)
        ]

    def document(self) -> Document:
        a, b = (one_line(name) for name in self.right)
        rows = tuple(
            (case, whole(d), f"{100 * (1 - d / self.n):.1f} %", _limits(c), _p(c.p_value))
            for case, d, c in zip(CASES, self.differ, self.cases, strict=True)
        )
        head = ("they differ on", "rows", "agreement", f"{a} − {b}, {percent(self.confidence)} CI (points)", "p")
        return page(
            self.reading,
            self._verdict_lines(),
            TableBlock(Table(columns=head, rows=rows)),
            footer=(
                f"{self.estimand} Models of one task mostly err together, so that they differ on fewer rows than with "
                "independent errors.",
                f"Methods: mcnemar-{self.form} with Tango's interval, at every agreement that the two shares allow.",
            ),
        )


def _p(p: float) -> str:
    """A p-value as a number: two digits of small ones too, since bounds are read as numbers."""
    digits = f"{p:.3f}" if p >= 0.0995 else f"{p:.2g}" if p >= 0.0001 else ""
    return digits.replace("0.", ".", 1) if digits else "below .0001"


def _limits(c: Contrast) -> str:
    _, low, high = figures(c.estimate, c.low, c.high, least=1, power=2, sign=True)
    return {"lower": f"{low} or more", "upper": f"{high} or less"}.get(c.side, f"[{low}, {high}]")


def compare_marginals(marginals: Mapping[str, Any], asked: Comparing) -> MarginalComparison:
    """Two published shares of the same rows, {"A": (456, 500), "B": (445, 500)}; a rate (0.912, 500) is rounded.

    >>> found = compare_marginals({"A": (456, 500), "B": (445, 500)}, Comparing())
    >>> round(found.p_low, 4), round(found.p_high, 2), found.deciding
    (0.0005, 0.27, 29)
    """
    if not isinstance(marginals, Mapping) or len(marginals) != 2:
        raise InputError('marginals= are the shares of two models: {"A": (456, 500), "B": (445, 500)}')
    confidence, method = asked.confidence, cast("McNemarMethod", asked.method or "mid-p")
    right, sizes = {}, []
    for name, given in marginals.items():
        right[str(name)], n = _right_of(given, str(name))
        sizes.append(n)
    if sizes[0] != sizes[1]:
        raise InputError(
            f"marginals= are of the same rows, but there are {sizes[0]:,} and {sizes[1]:,}; for different rows see "
            "te.difference"
        )
    x, y = right.values()
    bounds = mcnemar_bounds(x, y, sizes[0], method=method, confidence=confidence, alternative=asked.alternative)
    (a, b), n = right, sizes[0]
    cases = tuple(replace(c, name="accuracy", first=a, second=b) for c in bounds.contrasts)
    measure = find_measure("accuracy")
    return MarginalComparison(
        metric=measure.name,
        title=measure.title,
        higher_is_better=True,
        estimates={m: replace(interval(k, n, confidence=confidence), name="accuracy") for m, k in right.items()},
        pairs=cases[-1:],
        tiers=((a, b),) if bounds.p_high > 1 - confidence else ((a,), (b,)) if x > y else ((b,), (a,)),
        confidence=confidence,
        reading=f"Right answers on the same {n:,} rows: {one_line(a)} {x:,}, {one_line(b)} {y:,}. On which rows both "
        "were right was not given.",
        estimand=f"Estimates: these two models as they stand, on rows drawn at random like these {n:,}.",
        facts=ComparisonDetails(share=True),
        n=n,
        differ=bounds.differ,
        cases=cases,
        p_low=bounds.p_low,
        p_high=bounds.p_high,
        deciding=bounds.deciding,
        form=method,
    )


def _right_of(given: Any, name: str) -> tuple[int, int]:
    """Right answers and rows, from a count or from a rate as it was printed."""
    try:
        x, n = given
    except (TypeError, ValueError):
        raise InputError(f"{name}: give (right, rows), such as (456, 500), not {given!r:.40}") from None
    rows = count(n, f"{name} rows")
    if is_float(x) and 0 < x < 1:
        return round(float(x) * rows), rows
    if is_float(x) and x == 1 and rows > 1:
        raise InputError(one_or_all(name, rows))
    right = count(x, f"{name} right")
    if right > rows:
        raise InputError(f"{name}=({right:,}, {rows:,}) has more right answers than rows")
    return right, rows


def parse_marginals(words: list[str]) -> dict[str, tuple[float, int]]:
    """A=456/500 B=0.89/500 as {"A": (456, 500), "B": (0.89, 500)}."""
    marginals: dict[str, tuple[float, int]] = {}
    for word in words:
        name, mark, counts = word.rpartition("=")
        x, slash, n = counts.partition("/")
        try:
            if not (mark and name and slash):
                raise ValueError
            share = float(x[:-1]) / 100 if x.endswith("%") else float(x) if "." in x else int(x.replace(",", ""))
            marginals[name] = (share, int(n.replace(",", "")))
        except ValueError:
            raise InputError(f"cannot read {word!r}: write NAME=RIGHT/ROWS, such as A=456/500 B=445/500") from None
    return marginals
