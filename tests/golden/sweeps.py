"""Figures of the textbook's methods by name, and of plans, over odd samples and every option, each a name and a call.

Unlike the other cases these keep figures without words: of each interval or test its estimate, limits, method, p-value
and note. Digits of defaults are not frozen: `tests/claims` holds how true and how sharp they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import product
from typing import Any

import numpy as np

import trueerror as te
from tests.golden import cases
from trueerror.results import Contrast, Interval, Posterior, Test

Case = tuple[str, Callable[[], Any]]
REPLICATES = 200
SIDES = ("two-sided", "greater", "less")


def figures(value: Any) -> Any:
    """The figures of a result as plain values of JSON."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float | np.number):
        number = float(value)
        return float(f"{number:.12g}") if math.isfinite(number) else str(number)
    if isinstance(value, Interval):
        row = [value.estimate, value.low, value.high, value.n, value.method, str(value.note)]
        if isinstance(value, Contrast):
            row += [value.statistic, value.df, value.p_value, value.p_adjusted]
        return [figures(x) for x in row]
    if isinstance(value, Test):
        return [figures(x) for x in (value.statistic, value.df, value.p_value, value.n, value.method, str(value.note))]
    if isinstance(value, Posterior):
        return [figures(x) for x in (value.left, value.rope, value.right)]
    if isinstance(value, Mapping):
        return {str(k): figures(v) for k, v in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [figures(v) for v in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: figures(getattr(value, f.name)) for f in fields(value)}
    raise TypeError(f"no figures of {type(value).__name__}")


def figures_of(call: Callable[[], Any]) -> Any:
    """The figures of a call, or the sentence of its error."""
    try:
        return figures(call())
    except (ValueError, TypeError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"


def samples() -> dict[str, dict[str, Any]]:
    """Truth, two models' scores, clusters and weights of samples at the edges."""
    rng = np.random.default_rng(20)

    def made(y: Any, strength: float, digits: int = 3) -> dict[str, Any]:
        y = np.asarray(y)
        n = len(y)
        scores = {
            name: np.round(1 / (1 + np.exp(-(k * (2 * y - 1) + rng.normal(size=n)))), digits)
            for name, k in (("a", strength), ("b", strength / 2))
        }
        return {"y": y, "scores": scores, "clusters": np.arange(n) // 3, "weights": 1 + np.arange(n) % 4}

    found = {
        "nine rows": made([1, 0, 0, 1, 0, 1, 0, 0, 1], 0.8),
        "one positive": made([1] + [0] * 29, 1.0),
        "rare": made(np.arange(90) % 15 == 0, 1.2) | {"clusters": np.arange(90) // 6},
        "few clusters": made(np.arange(48) % 3 == 0, 0.7) | {"clusters": np.repeat([0, 1, 2, 3], [4, 8, 12, 24])},
        "ties": made(np.arange(70) % 2, 0.6, 1),
        "heavy weights": made(np.arange(60) % 4 == 0, 0.8) | {"weights": np.where(np.arange(60) % 10, 1, 40)},
    }
    y = np.arange(24) % 2
    right = np.where(y, 0.8, 0.3)
    found["all right"] = {"y": y, "scores": {"a": right, "b": np.where(np.arange(24) < 3, 1 - right, right)},
                          "clusters": np.arange(24) // 4, "weights": 1 + np.arange(24) % 3}  # fmt: skip
    for one in found.values():
        one["y"] = one["y"].astype(int)
    return found


DESIGNS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    **cases.DESIGNS,
    "prior": lambda d: {"prior": 0.2},
    "case-control": lambda d: {"design": "case-control", "prior": 0.2},
    "clusters, sampling": lambda d: {
        "clusters": d["clusters"], "weights": d["weights"] + 0.5, "weights_kind": "sampling"
    },
    "clusters, prior": lambda d: {"clusters": d["clusters"], "prior": 0.2},
    "frequency, prior": lambda d: {"weights": d["weights"], "weights_kind": "frequency", "prior": 0.2},
    "80 %": lambda d: {"confidence": 0.8},
    "simultaneous": lambda d: {"simultaneous": True},
}  # fmt: skip


def counts_alone() -> Iterator[Case]:
    """Proportions, differences and tests of counts, at and near the ends."""
    methods = ("wald", "wald-cc", "wilson", "wilson-cc", "clopper-pearson", "mid-p", "agresti-coull", "jeffreys")
    counted = (0, 5), (1, 5), (5, 5), (3, 8), (7, 100), (99, 100), (0, 1), (5000, 10000)
    for method, (x, n), side in product(methods, counted, ("two-sided", "lower", "upper")):
        for confidence in (0.95, 0.6):
            yield (
                f"{x} of {n} by {method} · {side} · {confidence}",
                lambda x=x, n=n, m=method, s=side, c=confidence: te.interval(x, n, method=m, side=s, confidence=c),
            )
    tables = ((0, 5), (5, 5)), ((3, 8), (3, 8)), ((7, 100), (19, 90)), ((0, 9), (0, 7)), ((450, 500), (30, 35))
    for (a, b), alternative in product(tables, SIDES):
        for method in ("wald", "newcombe", "newcombe-cc", "agresti-caffo", "miettinen-nurminen"):
            yield (
                f"difference {a} {b} by {method} · {alternative}",
                lambda a=a, b=b, m=method, s=alternative: te.difference(a, b, method=m, alternative=s, confidence=0.9),
            )
        for method in ("pooled-z", "unpooled-z", "fisher", "yates"):
            yield (
                f"two proportions {a} {b} by {method} · {alternative}",
                lambda a=a, b=b, m=method, s=alternative: te.significance.two_proportions(
                    *a, *b, method=m, alternative=s
                ),
            )
        for method in ("normal", "beta"):
            yield (
                f"P({a} < {b}) by {method} · {alternative}",
                lambda a=a, b=b, m=method: te.probability_less(a, b, method=m),
            )
    for (x, n), p0, method, alternative in product(counted, (0.5, 0.93), ("exact", "score"), SIDES):
        yield (
            f"one proportion {x} of {n} against {p0} by {method} · {alternative}",
            lambda x=x, n=n, p0=p0, m=method, s=alternative: te.significance.one_proportion(
                x, n, p0, method=m, alternative=s
            ),
        )
    for (b, c), method, interval, alternative in product(
        ((0, 0), (5, 0), (9, 3), (40, 61)),
        ("mid-p", "exact", "chi2", "chi2-cc"),
        ("tango", "bonett-price", "newcombe", "wald"),
        SIDES,
    ):
        yield (
            f"mcnemar {b} {c} by {method}, {interval} · {alternative}",
            lambda b=b, c=c, m=method, i=interval, s=alternative: te.significance.mcnemar(
                b, c, both_right=50, both_wrong=7, method=m, interval=i, alternative=s
            ),
        )
    for (b, c), alternative in product(((0, 0), (5, 0), (9, 3), (40, 61)), SIDES):
        yield (
            f"e value {b} {c} · {alternative}",
            lambda b=b, c=c, s=alternative: te.significance.e_value(b, c, n=200, alternative=s),
        )
        yield (
            f"e value {b} {c} margin · {alternative}",
            lambda b=b, c=c, s=alternative: te.significance.e_value(b, c, n=200, alternative=s, margin=0.05),
        )
        yield (
            f"confidence sequence {b} {c} · {alternative}",
            lambda b=b, c=c, s=alternative: te.significance.confidence_sequence(b, c, n=200, alternative=s),
        )
    agreements = (810, 60, 40, 90), (12, 5, 0, 3), (0, 0, 0, 7), (20, 3, 3, 0)
    for counts, alternative in product(agreements, SIDES):
        table = dict(zip(("both", "a", "b", "neither"), counts, strict=True))
        yield (
            f"counts {counts} · {alternative}",
            lambda table=table, alternative=alternative: te.compare(counts=table, alternative=alternative)["a", "b"],
        )
    for pair in ({"A": (456, 500), "B": (445, 500)}, {"A": (9, 10), "B": (4, 10)}, {"A": (30, 30), "B": (30, 30)}):
        yield f"marginals {pair}", lambda pair=pair: te.compare(marginals=pair)["A", "B"]


def tests_of_columns() -> Iterator[Case]:
    """Tests of two columns and of tables of models, with ties, zeros, constants and one-sided."""
    s = te.significance
    rng = np.random.default_rng(22)
    a = np.round(rng.normal(0.8, 0.05, 14), 2)
    pairs = {
        "plain": (a, np.round(a - rng.normal(0.02, 0.03, 14), 2)),
        "tied": (np.round(a, 1), np.round(a - 0.03, 1)),
        "shifted": (a, a - 0.01),
        "equal": (a, a),
        "three": (a[:3], a[3:6]),
        "graded": (np.clip(a, 0, 1), np.clip(a[::-1] - 0.1, 0, 1)),
    }
    for (name, (x, y)), alternative in product(pairs.items(), SIDES):
        calls: dict[str, Callable[..., Any]] = {
            "paired t": lambda x=x, y=y, **k: s.paired_t(x, y, **k),
            "welch": lambda x=x, y=y, **k: s.unpaired_t(x, y, **k),
            "pooled": lambda x=x, y=y, **k: s.unpaired_t(x[:-1], y, df="pooled", **k),
            "conservative": lambda x=x, y=y, **k: s.unpaired_t(x, y[1:], df="conservative", **k),
            "corrected t": lambda x=x, y=y, **k: s.corrected_t(x - y, test_train_ratio=1 / 9, **k),
            "sign": lambda x=x, y=y, **k: s.sign(x, y, **k),
            "permutation": lambda x=x, y=y, **k: s.permutation(x, y, replicates=300, **k),
            "permutation, drawn": lambda x=x, y=y, **k: s.permutation(x, y, method="monte-carlo", replicates=300, **k),
            "permutation, unpaired": lambda x=x, y=y, **k: s.permutation(x[:5], y[:5], paired=False, **k),
            "permutation, unpaired, drawn": lambda x=x, y=y, **k: s.permutation(
                x, y[:-1], paired=False, method="monte-carlo", replicates=300, **k
            ),
            "sequence": lambda x=x, y=y, **k: s.confidence_sequence(x, y, **k),
            "e value": lambda x=x, y=y, **k: s.e_value(x, y, **k),
        }
        for zeros, method in product(("wilcox", "pratt"), ("auto", "exact", "normal", "normal-cc")):
            calls[f"wilcoxon {zeros} {method}"] = lambda x=x, y=y, z=zeros, m=method, **k: s.wilcoxon(
                x, y, zeros=z, method=m, **k
            )
        yield (
            f"{name} · {alternative}",
            lambda calls=calls, alternative=alternative: {
                k: figures_of(lambda call=call: call(alternative=alternative)) for k, call in calls.items()
            },
        )
    for name, (x, y) in pairs.items():
        yield (
            f"{name} · margins",
            lambda x=x, y=y: {
                "equivalence": figures_of(lambda: s.equivalence(x, y, margin=0.03)),
                "equivalence, unpaired": figures_of(lambda: s.equivalence(x, y, margin=0.03, paired=False)),
                "noninferiority": figures_of(lambda: s.noninferiority(x, y, margin=0.02)),
                "noninferiority of losses": figures_of(
                    lambda: s.noninferiority(x, y, margin=0.02, higher_is_better=False)
                ),
                "signed rank": figures_of(lambda: s.bayes_signed_rank(x, y, rope=0.01, samples=2000)),
                "correlated t": figures_of(lambda: s.bayes_correlated_t(x - y, rho=0.1, rope=0.01)),
                "folds": figures_of(lambda: s.fold_differences(x, y).records()),
            },
        )
    ten = np.round(rng.normal(0.02, 0.03, (5, 2)), 3)
    yield "5 × 2 t", lambda: [s.five_by_two_t(ten, alternative=k) for k in SIDES]
    yield "5 × 2 F", lambda: [s.five_by_two_f(ten), s.five_by_two_f(ten, confidence=0.8)]
    for rows, models, digits in product((2, 7), (3, 5), (3, 1)):
        sheet = np.round(rng.normal(0.8, 0.06, (rows, models)) + 0.03 * np.arange(models), digits)
        yield (
            f"{rows} sets × {models} models, {digits} digits",
            lambda sheet=sheet, models=models: {
                "friedman": figures_of(lambda: s.friedman(sheet)),
                "friedman, no ties": figures_of(lambda: s.friedman(sheet, ties=False, higher_is_better=False)),
                "iman": figures_of(lambda: s.iman_davenport(sheet)),
                "iman, no ties": figures_of(lambda: s.iman_davenport(sheet, ties=False)),
                "quade": figures_of(lambda: s.quade(sheet)),
                "cochran": figures_of(lambda: s.cochran_q((sheet > 0.85).astype(int))),
                "nemenyi": figures_of(lambda: s.nemenyi(sheet).records()),
                "dunn": figures_of(lambda: s.bonferroni_dunn(sheet, control=1).records()),
                "shaffer": figures_of(lambda: s.shaffer(sheet, confidence=0.9).records()),
                "rank": figures_of(lambda: te.rank(sheet).records()),
                "rank, rope": figures_of(lambda: te.rank(sheet, rope=0.02, rng=1).records()),
            },
        )
    p = [0.001, 0.04, 0.03, 0.5, 0.012, 0.9, 0.03]
    for method in ("holm", "hochberg", "hommel", "bonferroni", "sidak", "holm-sidak", "bh", "by", "none"):
        yield f"adjusted by {method}", lambda method=method: s.adjust(p, method)
    yield "bowker", lambda: [s.bowker([[3, 2, 0], [7, 9, 1], [0, 1, 4]]), s.bowker([[3, 0], [0, 9]])]
    y = np.arange(30) % 2
    one, two = (np.round(k * y + rng.normal(size=30), 1) for k in (1.2, 0.7))
    for reference, alternative in product(("t", "z"), SIDES):
        yield (
            f"delong by {reference} · {alternative}",
            lambda r=reference, k=alternative: [
                s.delong(y, one, two, reference=r, alternative=k),
                s.delong(y, one, one, reference=r, alternative=k),
                s.delong(y, y + 1.0, two, reference=r, alternative=k),
                s.delong_unpaired(y[:16], one[:16], y[14:], two[14:], reference=r, alternative=k),
                s.delong_unpaired(y, one, y[:20], two[:20], reference=r, alternative=k, df="satterthwaite"),
                s.delong_unpaired(y, y + 1.0, y[:20], two[:20], reference=r, alternative=k),
            ],
        )
    for metric, method, ties, quantile in product(
        ("f1", "mcc"), ("bca", "percentile", "basic", "normal"), ("half", "strict"),
        ("linear", "weibull", "r-boot", "order"),
    ):  # fmt: skip
        yield (
            f"paired bootstrap of {metric} by {method}, {ties}, {quantile}",
            lambda metric=metric, m=method, t=ties, q=quantile: [
                s.paired_bootstrap(
                    y, (one > 0.5).astype(int), (two > 0.5).astype(int), metric=metric, positive=1, method=m,
                    replicates=REPLICATES, ties=t, quantile=q, alternative=k,
                )
                for k in SIDES
            ],
        )  # fmt: skip
    for statistic, method in product(
        ("mean", "median", "sd", "variance"), ("bootstrap-t", "bca-t", "bca", "percentile", "basic", "normal")
    ):
        yield (
            f"bootstrap of the {statistic} by {method}",
            lambda st=statistic, m=method: te.bootstrap(a, st, method=m, replicates=REPLICATES).interval,
        )


def plans() -> Iterator[Case]:
    """Power, sample size and smallest difference of every test and method."""
    given: dict[str, dict[str, Any]] = {
        "mcnemar": {"first": 0.85, "second": 0.8, "disagreement": 0.15},
        "two-proportions": {"first": 0.85, "second": 0.8},
        "one-proportion": {"first": 0.85, "second": 0.8},
        "auc": {"first": 0.85, "second": 0.8, "prevalence": 0.3, "correlation": 0.4},
        "equivalence": {"first": 0.85, "second": 0.85, "margin": 0.05, "disagreement": 0.1},
        "noninferiority": {"first": 0.85, "second": 0.84, "margin": 0.05, "disagreement": 0.1},
        "paired-mean": {"first": 0.5, "second": 0.4, "sd": 0.3},
        "paired-t": {"first": 0.5, "second": 0.4, "sd": 0.3},
        "unpaired-t": {"first": 0.5, "second": 0.4, "sd": 0.3},
    }
    methods: dict[str, tuple[str | None, ...]] = {"mcnemar": (None, "exact", "chi2", "chi2-cc", "normal")}

    def all_of(p: Any) -> Any:
        return p.records()

    for test, options in given.items():
        for method, alternative, n in product(methods.get(test, (None,)), SIDES, (12, 90, 400)):
            yield (
                f"power of {test} by {method} · {alternative} · {n}",
                lambda t=test, o=options, m=method, k=alternative, n=n: all_of(
                    te.power(test=t, n=n, method=m, alternative=k, **o)
                ),
            )
        for alpha, wanted in ((0.05, 0.8), (0.01, 0.9)):
            yield (
                f"rows of {test} · {alpha} · {wanted}",
                lambda t=test, o=options, a=alpha, w=wanted: all_of(te.sample_size(test=t, power=w, alpha=a, **o)),
            )
        yield (
            f"power of {test} in clusters",
            lambda t=test, o=options: [
                figures_of(lambda: all_of(te.power(test=t, n=200, icc=0.2, cluster_size=4, **o))),
                figures_of(lambda: all_of(te.power(test=t, n=99, icc_right=0.3, icc_between=0.1, cluster_size=4, **o))),
                figures_of(lambda: all_of(te.sample_size(test=t, icc=0.2, cluster_size=4, **o))),
                figures_of(lambda: all_of(te.power(test=t, n=200, **(o | {"disagreement": None})))),
                figures_of(
                    lambda: all_of(
                        te.power(
                            test=t, n=200, icc_right=0.3, icc_between=0.1, cluster_size=4,
                            **(o | {"disagreement": None}),
                        )
                    )
                ),
            ],
        )  # fmt: skip
        more = {k: v for k, v in options.items() if k not in ("first", "second", "margin")}
        yield (
            f"smallest difference of {test}",
            lambda t=test, m=more: all_of(te.significance.smallest_difference(test=t, n=150, baseline=0.8, **m)),
        )
    for accuracy, half in product((0.5, 0.9, 0.99), (0.2, 0.05, 0.01)):
        yield (
            f"rows for ±{half} at {accuracy}",
            lambda a=accuracy, h=half: [
                all_of(te.sample_size(accuracy=a, half_width=h)),
                all_of(te.sample_size(accuracy=a, half_width=h, icc=0.1, cluster_size=5, alpha=0.1)),
            ],
        )
    for confidence, df, side in product((0.5, 0.95, 0.999), (None, 1, 4.5, 200), ("two-sided", "lower", "upper")):
        yield (
            f"critical {confidence} · {df} · {side}",
            lambda c=confidence, df=df, side=side: te.critical(c, df=df, side=side),
        )


def people() -> Iterator[Case]:
    """Raters, battles, judges with few labels, groups, repeated answers, graded rows."""
    rng = np.random.default_rng(23)
    true = rng.integers(1, 4, 24)
    seen = np.where(rng.random((24, 3)) < 0.75, true[:, None], rng.integers(1, 4, (24, 3))).astype(float)
    gaps = seen.copy()
    gaps[::5, 2] = gaps[3, 0] = np.nan
    tables = {"full": seen, "two raters": seen[:, :2], "gaps": gaps, "four items": seen[:4], "same": seen[:, [0, 0]]}
    levels = ("nominal", "ordinal", "interval", "ratio")
    for (name, table), level in product(tables.items(), levels):
        yield f"agreement · {name} · {level}", lambda t=table, k=level: te.agreement(t, level=k).records()
    for weights, method in product(("none", "linear", "quadratic", "ordinal", "ratio"), ("cohen", "fleiss", "gwet")):
        yield (
            f"agreement by {method} · {weights}",
            lambda w=weights, m=method: te.agreement(seen[:, :2], weights=w, method=m, confidence=0.9).records(),
        )
    names = "abcd"
    games = []
    for _ in range(90):
        i, j = rng.choice(4, 2, replace=False)
        u = rng.normal(0.4 * (j - i), 1.2)
        games.append((names[i], names[j], "tie" if abs(u) < 0.3 else names[i] if u > 0 else names[j]))
    prompts = list(np.arange(90) // 3)
    swept = [*games, *[("z", "a", "z")] * 5]
    for ties, position, penalised in product(("davidson", "half", "drop"), (False, True), (False, True)):
        yield (
            f"arena · {ties}{' · position' * position}{' · penalised' * penalised}",
            lambda t=ties, p=position, f=penalised: te.arena(games, ties=t, position=p, penalised=f).records(),
        )
    yield "arena · clusters", lambda: te.arena(games, clusters=prompts).records()
    yield "arena · clusters, half", lambda: te.arena(games, clusters=prompts, ties="half", adjust="bh").records()
    yield "arena · anchor", lambda: te.arena(games, anchor={"b": 1200}, confidence=0.8).records()
    yield "arena · unbeaten", lambda: te.arena(swept).records()

    def pairs_of(**options: Any) -> Any:
        found = te.arena(games, **options)
        return [found[i, j] for i in names for j in names if i < j] + [found.beats("a", "d")]

    yield "arena · pairs", lambda: pairs_of()
    yield "arena · pairs · clusters", lambda: pairs_of(clusters=prompts)
    yield "arena · pairs · half", lambda: pairs_of(ties="half")

    truth = (rng.random(300) < 0.7).astype(float)
    judge = np.where(rng.random(300) < 0.85, truth, 1 - truth)
    score = np.round(np.clip(0.5 + 0.35 * (2 * truth - 1) + rng.normal(0, 0.2, 300), 0, 1), 3)
    grades = np.round(np.clip(truth * 0.6 + rng.beta(2, 5, 300), 0, 1), 2)
    strata = np.arange(300) % 3
    chance = np.where(score > 0.6, 0.1, 0.4)
    for (name, human), method in product(
        {"labels": truth, "grades": grades}.items(), (None, "post-stratified", "ppi++", "classical")
    ):
        for said, values in {"labels": judge, "scores": score}.items():
            for extra, options in {
                "plain": {},
                "strata": {"strata": strata[:60], "strata_unlabelled": strata[60:]},
                "inclusion": {"inclusion": chance[:60]},
                "80 %": {"confidence": 0.8},
                "few": {},
            }.items():
                few = 12 if extra == "few" else 60
                yield (
                    f"{name} by a judge's {said} · {method} · {extra}",
                    lambda h=human[:few], j=values[:few], u=values[60:], m=method, o=options: te.corrected(
                        h, j, u, method=m, **o
                    ).records(),
                )
    yield (
        "two models by a judge",
        lambda: te.corrected(
            {"a": truth[:60], "b": grades[:60]},
            {"a": judge[:60], "b": score[:60]},
            {"a": judge[60:], "b": score[60:]},
        ).records(),
    )
    yield (
        "grades 1 to 5",
        lambda: te.corrected(1 + 4 * grades[:50], 1 + 4 * score[:50], 1 + 4 * score[50:], bounds=(1, 5)).records(),
    )
    yield "without bounds", lambda: te.corrected(9 * grades[:50] - 3, 9 * score[:50], 9 * score[50:]).records()
    known = np.where(np.arange(300) % 6 == 0, grades, np.nan)
    for method, said in product(("neyman", "active", "random"), ({"labels": judge, "scores": score}).items()):
        yield (
            f"label plan {method} · {said[0]}",
            lambda m=method, j=said[1]: _plan(te.label_plan(j, 40, method=m)),
        )
        yield (
            f"label plan {method} · {said[0]} · known",
            lambda m=method, j=said[1]: _plan(te.label_plan(j, 40, method=m, human=known)),
        )
    yield "label plan, mix", lambda: _plan(te.label_plan(score, 40, method="active", mix=0.5))
    d = samples()["few clusters"]
    groups = np.array(["n", "s"])[np.arange(48) % 2]
    for metric in ("accuracy", "recall", "fpr", "precision", "auc", "brier"):
        yield (
            f"gaps in {metric}",
            lambda m=metric: te.gaps(
                d["y"], scores=d["scores"]["a"], positive=1, by=groups, metrics=m, min_rows=3
            ).records(),
        )
    tries = (rng.random((20, 5)) < rng.beta(2, 2, 20)[:, None]).astype(int)
    for k, every in product((1, 2, 5), (False, True)):
        yield f"pass@{k}{' all' * every}", lambda k=k, e=every: te.pass_at_k(tries, k, every=e)
        yield (
            f"pass@{k}{' all' * every} · clusters",
            lambda k=k, e=every: te.pass_at_k(tries, k, every=e, clusters=np.arange(20) // 4),
        )
    yield "repeats", lambda: te.repeats({"a": tries, "b": 1 - tries}, cost_ratio=4).records()
    yield (
        "repeats, uneven",
        lambda: te.repeats({"a": np.where(np.arange(100).reshape(20, 5) % 7, tries, np.nan)}, missing="drop").records(),
    )
    few = np.array([0.2, 0.9, 0.4, 1.0, 0.0, 0.7])
    for name, values in {"few": few, "ones": np.ones(6), "flat": np.full(6, 0.4), "two": few[:2]}.items():
        for method in (None, "half-row", "t"):
            yield (
                f"mean score · {name} · {method}",
                lambda v=values, m=method: te.evaluate(te.graded(v, scale=(0, 1)), method=m)["mean_score"],
            )
        yield f"mean · {name}", lambda v=values: [te.mean_interval(v, side=k) for k in ("two-sided", "lower", "upper")]


def _plan(plan: Any) -> Any:
    return [plan.labels, plan.rows, plan.worth]


def folds() -> Iterator[Case]:
    """Areas over folds by named methods, and the intervals of learners from losses."""
    from types import SimpleNamespace

    from trueerror.inference.learner import _intervals as learner

    rng = np.random.default_rng(25)
    y = np.arange(60) % 2
    s = {
        k: np.round(1 / (1 + np.exp(-(v * (2 * y - 1) + rng.normal(size=60)))), 3) for k, v in (("a", 1.0), ("b", 0.4))
    }
    fold = np.arange(60) // 12
    for method in ("within-folds", "ledell", "mean-t", "corrected-t", "pooled-bootstrap"):
        yield (
            f"auc over folds by {method}",
            lambda m=method: te.auc_over_folds(
                te.predictions(y, scores=s["a"], positive=1, folds=fold), method=m, replicates=100
            ),
        )
    scores = np.round(rng.normal(0.8, 0.04, 10), 3)
    yield (
        "fold t",
        lambda: [
            learner.fold_t(scores),
            learner.fold_t(mean=0.1, sd=0.02, folds=7, confidence=0.9, bounds=(0, 1), rows=70),
            learner.fold_t(np.full(5, 0.3), bounds=(0, 1)),
        ],
    )
    yield (
        "corrected t",
        lambda: [
            learner.corrected_t_interval(scores, test_train_ratio=1 / 9, repeats=1),
            learner.corrected_t_interval(
                scores.reshape(2, 5), test_train_ratio=1 / 4, round_of=[0] * 5 + [1] * 5, rows=50
            ),
            learner.corrected_t_interval(np.full(6, 0.9), test_train_ratio=0.5, bounds=(0, 1)),
        ],
    )
    yield (
        "bayle",
        lambda: [
            learner.bayle([1] * 3 + [0] * 40, bounds=(0, 1)),
            learner.bayle([0] * 20, bounds=(0, 1)),
            learner.bayle(scores, confidence=0.8),
            learner.bayle([0.4]),
        ],
    )
    yield (
        "halves",
        lambda: [
            learner.conservative_z(0.2, [[0.22, 0.18], [0.24, 0.20]], rows=40, bounds=(0, 0.23)),
            learner.conservative_z(0.2, [[0.22, 0.22]]),
        ],
    )

    def nested(seed: int, share: float, k: int = 4) -> Any:
        draw = np.random.default_rng(seed)
        size = [9, 7, 8, 8, 6][:k]
        return [
            SimpleNamespace(
                single=[(draw.random(n) < share).astype(float) for n in size],
                pair={
                    (i, j): tuple((draw.random(size[x]) < share + 0.03).astype(float) for x in (i, j))
                    for i in range(k)
                    for j in range(i + 1, k)
                },
            )
            for _ in range(3)
        ]

    for share, k in product((0.0, 0.2, 0.6), (3, 5)):
        yield f"bates {share} · {k}", lambda p=share, k=k: learner.bates(nested(1, p, k), bounds=(0, 1))

    def bags(seed: int, share: float) -> Any:
        draw = np.random.default_rng(seed)
        rows = [np.unique(draw.integers(0, 40, 15)) for _ in range(12)]
        return [learner.Bagged(r, (draw.random(len(r)) < share).astype(float)) for r in rows]

    for kind, share, apparent in product(("632+", "632", "out-of-bag"), (0.0, 0.3, 0.7), (0.0, 0.25)):
        yield (
            f"{kind} · {share} · {apparent}",
            lambda k=kind, p=share, a=apparent: learner.bootstrap_error(
                bags(2, p), n=40, apparent=a, no_information=0.5, kind=k, bounds=(0, 1)
            ),
        )
    table = (rng.random((30, 6)) < 0.3).astype(float)
    for better, clusters in product((False, True), (None, np.arange(30) // 3)):
        yield (
            f"bbc-cv · {better} · {clusters is not None}",
            lambda b=better, c=clusters: [
                learner.bbc_cv(table, higher_is_better=b, clusters=c, replicates=150),
                learner.bbc_cv(np.zeros((30, 2)), higher_is_better=b, clusters=c, replicates=100),
            ],
        )


def results_of_results() -> Iterator[Case]:
    """Differences of results, posteriors, gaps of gaps, permutations of metrics, odd ways to give counts."""
    d = samples()
    f, w = d["few clusters"], d["ties"]
    groups = np.array(["n", "s", "w"])[np.arange(48) % 3]

    def compared(metric: str, which: dict[str, Any] = f, **options: Any) -> Any:
        return te.compare(which["y"], scores=which["scores"], positive=1, metric=metric, replicates=100, **options)

    for metric, rope in product(("accuracy", "recall", "f1", "auc", "brier"), (0.0, 0.02)):
        yield f"posterior of {metric} · {rope}", lambda m=metric, r=rope: compared(m).bayes("a", "b", rope=r)
        yield (
            f"posterior of {metric} · {rope} · less",
            lambda m=metric, r=rope: compared(m, w, alternative="less").bayes("a", "b", rope=r),
        )
    for metric in ("accuracy", "recall", "brier", "auc"):
        yield f"gaps of a difference · {metric}", lambda m=metric: te.gaps(compared(m, by=groups), min_rows=3).records()
        yield (
            f"difference of results · {metric}",
            lambda m=metric: (
                [
                    figures_of(lambda k=k, one=one, two=two: te.difference(one()[m], two()[m], alternative=k))
                    for k in SIDES
                    for one, two in ((first, second), (second, first))
                ]
                + [figures_of(lambda: te.difference(first(), second(), metric=m, confidence=0.9))]
            ),
        )

        def first(m: str = metric) -> Any:
            return te.evaluate(f["y"], scores=f["scores"]["a"], positive=1, metrics=[m], replicates=100)

        def second(m: str = metric) -> Any:
            return te.evaluate(w["y"], scores=w["scores"]["b"], positive=1, metrics=[m], replicates=100)

    y, a, b = f["y"], (f["scores"]["a"] > 0.5).astype(int), (f["scores"]["b"] > 0.5).astype(int)
    for metric, alternative in product(("accuracy", "f1", "mcc", "kappa"), SIDES):
        yield (
            f"permutation of {metric} · {alternative}",
            lambda m=metric, k=alternative: te.significance.permutation(
                y, a, b, metric=m, positive=1, replicates=150, alternative=k
            ),
        )
    s = te.significance
    yield (
        "counts in other ways",
        lambda: [
            figures_of(call)
            for call in (
                lambda: te.interval([1, 0, 1, 1]),
                lambda: te.interval(0, 0),
                lambda: te.interval(rate=0.75, trials=40),
                lambda: te.interval(rate=1.0, trials=40),
                lambda: te.interval(3.5, 10),
                lambda: te.interval(10**17, 3 * 10**17),
                lambda: te.interval(0.3, 10),
                lambda: te.mean_interval(mean=0.4, sd=0.2, n=9),
                lambda: te.mean_interval(mean=0.4, sd=0.2, n=9, side="upper", confidence=0.8),
                lambda: te.difference((0.25, 40), (0.4, 50), method="wald"),
                lambda: te.difference((1.0, 40), (0.4, 50), method="newcombe"),
                lambda: te.difference((0, 0), (4, 5)),
                lambda: te.difference((10, 10), (10, 10), method="wald"),
                lambda: s.mcnemar([[40, 9], [3, 8]]),
                lambda: s.mcnemar(9, 3, n=60),
                lambda: s.mcnemar(9, 3),
                lambda: s.mcnemar(0, 0, n=0),
                lambda: s.one_proportion(0, 0, 0.5),
                lambda: s.two_proportions(0, 0, 3, 4),
                lambda: s.two_proportions(4, 4, 3, 3, method="unpooled-z"),
                lambda: s.equivalence((40, 50), (42, 50), margin=0.2),
                lambda: s.equivalence(9, 3, margin=0.2, n=80),
                lambda: s.noninferiority((40, 50), (42, 50), margin=0.15),
                lambda: s.noninferiority(9, 3, margin=0.05, n=80, higher_is_better=False),
                lambda: s.e_value(400, 10, n=1000),
                lambda: s.confidence_sequence([0.2, 0.4], [0.1, 0.9], confidence=0.8),
                lambda: s.wilcoxon(np.arange(60.0) ** 1.1 % 7, np.arange(60.0) % 5),
                lambda: s.wilcoxon(np.arange(2300.0) ** 1.1 % 7, np.arange(2300.0) % 5 + 0.7),
                lambda: s.sign(np.arange(60.0) ** 1.1 % 7, np.arange(60.0) % 5),
                lambda: s.cochran_q(np.ones((4, 3), int)),
                lambda: s.iman_davenport(np.ones((4, 3))),
                lambda: s.iman_davenport([[0.1, 0.2, 0.3]]),
                lambda: s.quade(np.ones((4, 3))),
                lambda: s.quade([[0.1, 0.2, 0.3]]),
                lambda: s.bayes_signed_rank([0.5, 0.6, 0.7], [0.5, 0.5, 0.8], samples=500),
                lambda: s.bayes_correlated_t([0.1, 0.1, 0.1], rho=0.1, rope=0.05),
                lambda: s.bayes_correlated_t([0.0, 0.0], rho=0.1),
            )
        ],
    )
    for method in ("bootstrap", "bootstrap-percentile", "bootstrap-basic", "bootstrap-normal", "bootstrap-studentised"):
        for metric, design in product(
            ("f1", "mcc", "auc", "average_precision", "brier"), ("plain", "clusters", "sampling")
        ):
            yield (
                f"{metric} by {method} · {design}",
                lambda m=metric, by=method, design=design: te.evaluate(
                    f["y"], scores=f["scores"]["a"], positive=1, metrics=[m], method=by, replicates=100,
                    **DESIGNS[design](f),
                )[m],
            )  # fmt: skip
    costs = [[0, 1], [4, 0]]
    for design in ("plain", "clusters", "sampling", "prior"):
        yield (
            f"by cost · {design}",
            lambda design=design: te.compare(
                f["y"], scores=f["scores"], positive=1, costs=costs, replicates=100, **DESIGNS[design](f)
            ).records(),
        )
    for metric in ("accuracy", "recall", "f1"):
        yield (
            f"gaps between groups with clusters in both · {metric}",
            lambda m=metric: te.gaps(
                f["y"], scores=f["scores"]["a"], positive=1, by=np.arange(48) // 2 % 2, clusters=np.arange(48) // 6,
                metrics=m, min_rows=3,
            ).records(),
        )  # fmt: skip
    yield "classes in which models differ", lambda: compared("accuracy").classes().records()
    offered = {"auc": ("delong", "bootstrap"), "average_precision": ("t", "bootstrap"), "brier": ("half-row", "t"),
               "ece": ("gaps", "bootstrap"), "log_loss": ("half-row", "t")}  # fmt: skip
    for metric, methods in offered.items():
        for method, alternative, clusters in product(methods, SIDES, (None, f["clusters"])):
            yield (
                f"{metric} of two models by {method} · {alternative}{' · clusters' * (clusters is not None)}",
                lambda m=metric, by=method, k=alternative, c=clusters: compared(
                    m, method=by, alternative=k, clusters=c
                )["a", "b"],
            )
    wrong = np.where(w["y"] == 1, 0.0, 1.0)
    sure = {"a": w["scores"]["a"], "b": np.where(np.arange(70) < 2, wrong, w["scores"]["b"])}
    yield "certain and wrong", lambda: te.compare(w["y"], scores=sure, positive=1, metric="log_loss").records()
    at = np.linspace(0.05, 0.95, 7)
    for prior in (None, 0.1):
        yield (
            f"precision and recall · {prior}",
            lambda prior=prior: [
                figures_of(lambda x=x, curve=curve: curve.at(threshold=float(x)))
                for curve in [te.precision_recall(f["y"], f["scores"]["a"], positive=1, prior=prior)]
                for x in at
            ],
        )


def words() -> Iterator[Case]:
    """What results say of themselves."""
    rng = np.random.default_rng(26)
    s = te.significance
    sheet = np.round(rng.normal(0.8, 0.06, (9, 4)) + 0.05 * np.arange(4), 2)
    shown: dict[str, Callable[[], Any]] = {
        "nemenyi": lambda: s.nemenyi(sheet),
        "dunn": lambda: s.bonferroni_dunn(sheet, control=0),
        "dunn, best": lambda: s.bonferroni_dunn(sheet, control=3),
        "shaffer": lambda: s.shaffer(sheet),
        "one data set": lambda: s.nemenyi(sheet[:1]),
        "folds": lambda: s.fold_differences(sheet[:, 0], sheet[:, 1]),
        "folds, repeated": lambda: s.fold_differences(sheet[:8, 0], sheet[:8, 1], repeats=2, test_train_ratio=0.25),
        "half width": lambda: te.sample_size(accuracy=0.9, half_width=0.03),
        "agreement": lambda: te.agreement(rng_labels(3)),
        "agreement of two": lambda: te.agreement(rng_labels(2)),
        "agreement, ordinal": lambda: te.agreement(rng_labels(3), level="ordinal"),
        "agreement by columns": lambda: te.agreement(*rng_labels(3).T.tolist(), labels=[0, 1, 2]),
        "arena": lambda: te.arena([("a", "b", "a")] * 9 + [("b", "c", "tie")] * 7 + [("a", "c", "c")] * 5),
        "judge": lambda: te.corrected([1, 1, 0, 1] * 12, [1, 0, 0, 1] * 12, [1, 0, 1] * 90),
        "judge, labels": lambda: te.corrected(["y", "n"] * 20, ["y", "y"] * 20, ["y", "n", "y"] * 50, positive="y"),
        "two models by a judge": lambda: te.corrected(
            {"a": [1, 1, 0, 1] * 12, "b": [0, 1, 0, 1] * 12}, {"a": [1, 0, 0, 1] * 12, "b": [0, 1, 0, 1] * 12},
            {"a": [1, 0, 1] * 90, "b": [0, 0, 1] * 90},
        ),
        "label plan": lambda: te.label_plan([0.02] * 80 + [0.5] * 20, 30),
        "label plan, answered": lambda: te.label_plan([0.02] * 80 + [0.5] * 20, 30).estimate(
            [0, 1, 0] * 10, [0.02] * 80 + [0.5] * 20
        ),
        "confused": lambda: te.Confusion([[9, 2, 1], [3, 7, 0], [0, 4, 8]], labels=["a", "b", "c"]).most_confused(),
    }  # fmt: skip

    def rng_labels(raters: int) -> Any:
        draw = np.random.default_rng(27)
        return (draw.integers(0, 3, (20, 1)) + (draw.random((20, raters)) < 0.2)) % 3

    for name, call in shown.items():
        yield name, lambda call=call: str(call())
        yield f"{name} · page", lambda call=call: call().to_markdown()


def around_limits() -> Iterator[Case]:
    """Sizes just below, at and above those where an exact distribution gives way to another algorithm."""
    rng = np.random.default_rng(32)
    s = te.significance
    noise = rng.normal(size=(2, 400))
    for n in (5, 6, 7, 8, 39, 40, 41, 99, 100, 101):
        x, z = np.round(noise[0, :n], 1), np.round(noise[1, :n] - 0.2, 1)
        yield (
            f"columns of {n}",
            lambda x=x, z=z: [
                figures_of(call)
                for call in (
                    lambda: s.wilcoxon(x, z),
                    lambda: s.sign(x, z),
                    lambda: s.permutation(x, z, replicates=200),
                    lambda: te.bootstrap(x, "mean", replicates=100).interval,
                    lambda: te.bootstrap(x, "median", replicates=100).interval,
                    lambda: s.paired_t(x, z),
                )
            ],
        )
    for n, share in product((28, 29, 30, 31, 60), (0.1, 0.3, 0.5)):
        x = round(share * n)
        yield (
            f"unpublished agreement of {x} of {n}",
            lambda x=x, n=n: te.compare(marginals={"A": (x, n), "B": (n - x, n)})["A", "B"],
        )
    for models in (3, 11, 12, 13):
        games = [(f"m{i:02}", f"m{j:02}", f"m{i if (i * 7 + j * 3 + k) % 3 else j:02}")
                 for i in range(models) for j in range(i + 1, models) for k in range(3)]  # fmt: skip
        yield f"arena of {models}", lambda g=games: te.arena(g).records()
    for answers, labels in product((7, 8, 9), (19, 20, 21, 60)):
        judge = np.arange(400) % answers / answers
        human = (judge + noise[0] * 0.3 > 0.5).astype(float)
        yield (
            f"{labels} labels of {answers} answers",
            lambda h=human[:labels], j=judge, k=labels: te.corrected(h, j[:k], j[k:]).records(),
        )


def sweeps() -> dict[str, list[Case]]:
    """Every case, by the file that keeps it."""
    return {
        "counts": list(counts_alone()),
        "columns": list(tests_of_columns()),
        "plans": list(plans()),
        "people": list(people()),
        "folds": list(folds()),
        "results_of_results": list(results_of_results()),
        "words": list(words()),
        "limits": list(around_limits()),
    }
