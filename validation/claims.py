"""Claims about truth and sharpness together: coverage and level, width beside the true sampling error, power.

A claim is a design with its questions. What is true there, the sampling error of the estimate (the oracle's width is
2 · 1.96 of it) and what the textbook's methods reach on other samples of the design stand in `claims.json`, found from
draws alone, without the library. `tests/claims` holds a few hundred samples of some of them against their limits;
`python -m validation.claims` all of them with thousands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from validation import designs
from validation.asking import Answer, Sample, as_sample
from validation.claimed import MEASURED, facts
from validation.frame import CONFIDENCES, Cell, Procedure
from validation.textbook import Question, Rows

Kind = Literal["one", "pair", "apart", "learner", "silent", "silent interval", "warned", "several", "gate"]
Drawn = Rows | tuple[Rows, Rows]
PREFIX = "claims: "


@dataclass(frozen=True)
class Claim:
    """A design and what is asked of it."""

    family: str
    scenario: str
    kind: Kind
    draw: Callable[[np.random.Generator], Drawn]
    questions: tuple[Question, ...]
    equal: bool = True  # of two models: no difference
    expected: float = math.inf  # how many units of the kind that hurts most are expected, where rows cannot show it
    margin: float = 0.0
    learner: type[designs.Learner] | None = None
    quick: bool = False  # held by the tests
    effort: float = 1.0  # slow ones take a part of the samples

    @property
    def key(self) -> str:
        return f"{self.family}: {self.scenario}"

    @property
    def cell(self) -> Cell:
        """As it is run; truths and events are told by `claims.json`."""
        known = {q.metric: facts(self.key, q.metric) for q in self.questions} if self.kind in MEASURED else {}
        return Cell(
            family=PREFIX + self.family, scenario=self.scenario, draw=lambda rng: as_sample(self.draw(rng)),
            procedures=tuple(p for q in self.questions for p in procedures(self, q)),
            truth={m: f.truth for m, f in known.items()}, events={m: f.events for m, f in known.items()},
            confidences=CONFIDENCES[:1], block=250, effort=self.effort,
            purpose="level" if self.equal else "power", wanted=3_000, whole=True,
        )  # fmt: skip


def procedures(c: Claim, q: Question) -> tuple[Procedure, ...]:
    """What is looked at: limits, and whether a difference is found. They are judged by `claimed.verdicts`."""
    asked: dict[str, Callable[[Sample], Answer]] = {
        "one": lambda s: s.interval(q), "pair": lambda s: s.pair(q), "apart": lambda s: s.apart(q),
        "learner": lambda s: s.learner(c.learner() if c.learner else None),
    }  # fmt: skip
    rejects: dict[str, Callable[[Sample], bool]] = {
        "silent": lambda s: s.silently_told_apart(q),
        "silent interval": lambda s: s.missed_silently(q, truth(c, q)),
        "warned": lambda s: s.warned(q),
        "several": lambda s: s.told_apart(q),
        "gate": lambda s: s.passes(q, c.margin),
    }
    if c.kind in rejects:
        test = rejects[c.kind]
        return (Procedure(f"{q.metric}, test", lambda s, level: test(s), default=False, kind="test", target=q.metric),)
    ask = _once(asked[c.kind], q)
    limits = Procedure(q.metric, lambda s, level: ask(s), default=False, target=q.metric)
    if c.kind in ("one", "learner"):
        return (limits,)
    name = f"{q.metric}, test"
    return limits, Procedure(name, lambda s, level: ask(s).p_value <= 0.05, default=False, kind="test", target=q.metric)


def _once(ask: Callable[[Sample], Answer], q: Question) -> Callable[[Sample], Answer]:
    """The interval and the test of a sample are one answer."""
    last: list[tuple[Sample, Answer]] = []

    def asked(sample: Sample) -> Answer:
        if not last or last[0][0] is not sample:
            last[:] = [(sample, ask(sample))]
        return last[0][1]

    return asked


def truth(c: Claim, q: Question) -> float:
    """The metric of the whole population."""
    return facts(c.key, q.metric).truth


AREAS = (Question("auc"), Question("average_precision"))
LOSSES = (Question("brier"), Question("log_loss"))
AUC, PRECISION = AREAS
BRIER, LOG_LOSS = LOSSES
GRADE = Question("mean_score")
TWO = ("accuracy", "balanced_accuracy", "recall", "precision", "f1", "mcc", "kappa", "g_mean")
MANY = ("accuracy", "balanced_accuracy", "macro_f1", "mcc", "kappa")
DEAR = ((0.0, 1.0), (10.0, 0.0))


def of_labels(k: int, *names: str, prior: float | None = None) -> tuple[Question, ...]:
    """Questions about a table of k classes."""
    return tuple(Question(name, k, prior=prior) for name in names)


def areas() -> Iterator[Claim]:
    """AUC and average precision of one model."""
    for area, n, share, quick in (
        (0.8, 60, 0.5, False), (0.9, 60, 0.3, True), (0.8, 200, 0.5, False), (0.95, 200, 0.5, True),
        (0.98, 200, 0.5, True), (0.85, 300, 0.1, True), (0.99, 500, 0.5, True), (0.85, 1000, 0.1, False),
        (0.98, 1000, 0.1, False), (0.95, 2000, 0.02, True), (0.99, 2000, 0.5, False), (0.97, 300, 0.3, False),
        (0.96, 1500, 0.04, False),
    ):  # fmt: skip
        draw = designs.binormal((area,), n, share)
        yield Claim("areas", f"AUC {area}, n {n}, {share:.0%} positive", "one", draw, AREAS, quick=quick)
    for area, n, share, levels, quick in ((0.85, 200, 0.3, 5, True), (0.8, 120, 0.5, 3, False)):
        draw = designs.binormal((area,), n, share, levels=levels)
        yield Claim(
            "areas", f"AUC {area}, n {n}, {share:.0%} positive, {levels} levels", "one", draw, AREAS, quick=quick
        )
    for n, positives, part, quick in ((300, 60, 0.1, True), (200, 20, 0.1, False)):
        yield Claim(
            "areas", f"n {n}, {part:.0%} of {positives} positives lost", "one",
            designs.lost_positives(n, positives, part, 0.97), AREAS, expected=positives * part, quick=quick,
        )  # fmt: skip
    for positives, negatives, part, quick in ((100, 300, 0.03, True), (20, 60, 0.03, False)):
        yield Claim(
            "areas", f"{positives} positives, {part:.0%} of {negatives} negatives look alike", "one",
            designs.look_alikes(positives, negatives, part, 0.95), AREAS, expected=negatives * part, quick=quick,
        )  # fmt: skip


def losses() -> Iterator[Claim]:
    """Brier score, log loss, grades, calibration error of one model."""
    for area, n, share, quick in (
        (0.85, 60, 0.5, True), (0.85, 300, 0.3, True), (0.95, 200, 0.5, False), (0.95, 2000, 0.02, True),
        (0.97, 300, 0.3, False),
    ):  # fmt: skip
        draw = designs.forecasts((area,), n, share)
        yield Claim("losses", f"AUC {area}, n {n}, {share:.0%} positive", "one", draw, LOSSES, quick=quick)
    draw = designs.forecasts((0.85,), 300, 0.3, (2.0,))
    yield Claim("losses", "AUC 0.85, n 300, twice too sure", "one", draw, LOSSES, quick=True)
    shapes: tuple[tuple[str, Callable[[np.random.Generator], np.ndarray], bool], ...] = (
        ("beta(8, 4), n 50", lambda rng: rng.beta(8, 4, 50), True),
        ("beta(8, 4), n 400", lambda rng: rng.beta(8, 4, 400), False),
        ("beta(.4, .15), n 40", lambda rng: rng.beta(0.4, 0.15, 40), False),
        ("close together, n 100", lambda rng: np.clip(0.75 + 0.05 * rng.standard_normal(100), 0, 1), True),
        ("mostly 0, n 60", lambda rng: np.where(rng.random(60) < 0.8, 0.0, rng.beta(2, 2, 60)), True),
        ("rubric of five, n 100", lambda rng: rng.choice(5, 100, p=[0.1, 0.1, 0.2, 0.25, 0.35]) / 4, True),
        ("mostly 1, n 80", lambda rng: rng.choice([0, 0.5, 1], 80, p=[0.02, 0.06, 0.92]), False),
    )  # fmt: skip
    for words, one, quick in shapes:
        yield Claim("losses", f"grades, {words}", "one", designs.grades(one), (GRADE,), quick=quick)
    draw = designs.forecasts((0.85,), 1000, 0.3, (1.6,))
    yield Claim("losses", "calibration error, n 1000, too sure", "one", draw, (Question("ece"),), quick=True)


def tables() -> Iterator[Claim]:
    """Metrics of label tables, one model."""
    rank6 = [1 / (i + 1) for i in range(6)]
    for words, share, right, n, names, quick in (
        ("2 classes, even, .9, n 100", (1, 1), (0.9, 0.9), 100, TWO, False),
        ("2 classes, 10% positive, n 200", (9, 1), (0.95, 0.6), 200, TWO, True),
        ("2 classes, .99, n 200", (1, 1), (0.99, 0.99), 200, TWO, False),
        ("3 classes, 10:3:1, n 60", (10, 3, 1), (0.95, 0.8, 0.6), 60, MANY, True),
        ("3 classes, 10:3:1, n 200", (10, 3, 1), (0.95, 0.8, 0.6), 200, MANY, False),
        ("6 classes by rank, n 120", rank6, (0.9, 0.85, 0.8, 0.75, 0.7, 0.6), 120, MANY, True),
        ("10 classes, .95, n 100", (1,) * 10, (0.95,) * 10, 100, MANY, True),
        ("20 classes, .8, n 400", (1,) * 20, (0.8,) * 20, 400, MANY, False),
    ):  # fmt: skip
        draw = designs.labelled(share, right, n)
        yield Claim("label tables", words, "one", draw, of_labels(len(share), *names), quick=quick)
    draw = designs.labelled((9, 1), (0.95, 0.9), 400)
    yield Claim(
        "label tables",
        "costs 1 and 10, n 400",
        "one",
        draw,
        (Question("expected_cost", 2, DEAR),),
        expected=4,
        quick=True,
    )
    for negatives, positives, tpr, fpr, prior, quick in (
        (100, 100, 0.9, 0.05, 0.05, True), (200, 50, 0.9, 0.02, 0.02, False), (1000, 100, 0.9, 0.02, 0.01, False),
    ):  # fmt: skip
        yield Claim(
            "label tables", f"{negatives} and {positives} by design, at {prior:.0%}", "one",
            designs.case_control(negatives, positives, tpr, fpr),
            of_labels(2, "precision", "f1", "accuracy", "mcc", prior=prior),
            expected=min(negatives * fpr, positives * (1 - tpr)), quick=quick,
        )  # fmt: skip


def clusters() -> Iterator[Claim]:
    """One model over clusters of equal and unlike sizes."""
    for sizes, right, sd, quick in (
        ("6 of 40", 0.85, 0.7, False), ("15 of 12", 0.85, 0.7, True), ("40 lognormal", 0.85, 0.7, True),
        ("two giants", 0.85, 0.7, True), ("40 lognormal", 0.97, 0.7, False),
    ):  # fmt: skip
        draw = designs.clustered_labels(sizes, (0.7, 0.3), right, sd)
        names = of_labels(2, "accuracy", "recall", "f1", "mcc")
        yield Claim("clusters", f"{sizes}, right on {right:.0%}", "one", draw, names, quick=quick)
    names = of_labels(2, "accuracy", "f1")
    yield Claim("clusters", "4 of 60", "one", designs.clustered_labels("4 of 60", (0.7, 0.3), 0.8, 0.5), names)
    yield Claim(
        "clusters", "40 of 10, average precision", "one", designs.clustered_scores("40 of 10"), (PRECISION,), quick=True
    )
    for sizes, quick in (("15 of 12", False), ("40 lognormal", True)):
        draw = designs.clustered_labels(sizes, (6, 3, 1), 0.85, 0.7)
        yield Claim("clusters", f"{sizes}, 3 classes", "one", draw, of_labels(3, "macro_f1", "kappa"), quick=quick)
    for sizes, quick in (
        ("10 of 20", False), ("15 of 12", True), ("40 of 10", True), ("25 lognormal", True), ("70 Pareto", False),
        ("two giants", True),
    ):  # fmt: skip
        draw = designs.clustered_scores(sizes)
        yield Claim("clusters", f"{sizes}, scores", "one", draw, (AUC, *LOSSES), quick=quick)


def weights() -> Iterator[Claim]:
    """One model, rows that were sampled with unlike chances."""
    for sd, link, right, n, quick in (
        (0.5, 0.0, 0.85, 150, False), (1.2, 0.0, 0.9, 500, True), (1.0, 0.8, 0.9, 500, True),
        (1.0, -0.8, 0.9, 500, False),
    ):  # fmt: skip
        words = (
            f"sd {sd}, right on {right:.0%}, errors where {'heavy' if link > 0 else 'light' if link else 'any'}, n {n}"
        )
        yield Claim(
            "weights", words, "one", designs.weighed(n, sd, right, link), of_labels(2, "accuracy", "f1"), quick=quick
        )
    yield Claim("weights", "scores, sd 0.8, n 400", "one", designs.weighed_scores(400, 0.8, 0.85), LOSSES, quick=True)


def pairs() -> Iterator[Claim]:
    """Two models on the same rows: without a difference, and with one."""
    for n, share, area, quick in (
        (60, 0.5, 0.85, True), (300, 0.5, 0.85, True), (1000, 0.1, 0.85, False), (150, 0.2, 0.97, True),
        (300, 0.05, 0.9, False),
    ):  # fmt: skip
        words = f"equal models of AUC {area}, n {n}, {share:.0%} positive"
        yield Claim("pairs", words, "pair", designs.binormal((area, area), n, share), AREAS, quick=quick)
        yield Claim("pairs", words + ", losses", "pair", designs.forecasts((area, area), n, share), LOSSES, quick=quick)
    for n, share, first, second, quick in (
        (300, 0.5, 0.85, 0.8, True), (800, 0.5, 0.95, 0.92, False), (600, 0.3, 0.97, 0.94, True),
    ):  # fmt: skip
        words = f"AUC {first} and {second}, n {n}"
        yield Claim(
            "pairs", words, "pair", designs.binormal((first, second), n, share), AREAS, equal=False, quick=quick
        )
        draw = designs.forecasts((first, second), n, share)
        yield Claim("pairs", words + ", losses", "pair", draw, LOSSES, equal=False, quick=quick)
    draw = designs.forecasts((0.85,), 2000, 0.3, (1.0, 0.85))
    yield Claim("pairs", "recalibrated, slope .85, n 2000", "pair", draw, (LOG_LOSS,), equal=False, quick=True)
    yield Claim("pairs", "rare disasters, n 1000", "pair", designs.disasters(1000, 0.02), (LOG_LOSS,), quick=True)
    for words, n, gap, quick in (("equal, n 40", 40, 0.0, True), ("apart, n 100", 100, 0.35, True)):
        yield Claim(
            "pairs", f"grades, {words}", "pair", designs.two_graders(n, gap), (GRADE,), equal=not gap, quick=quick
        )
    for words, share, first, second, n, quick in (
        ("2 classes, equal, n 100", (7, 3), (0.9, 0.7), (0.9, 0.7), 100, True),
        ("3 classes, equal, n 200", (10, 3, 1), (0.9, 0.8, 0.7), (0.9, 0.8, 0.7), 200, True),
        ("3 classes, apart, n 300", (6, 3, 1), (0.9, 0.85, 0.7), (0.85, 0.78, 0.6), 300, True),
    ):  # fmt: skip
        draw = designs.labelled(share, first, n, second=second)
        names = ("macro_f1", "mcc", "kappa", "f1") if len(share) == 2 else ("macro_f1", "mcc", "kappa")
        yield Claim("pairs", words, "pair", draw, of_labels(len(share), *names), equal=first == second, quick=quick)
    draw = designs.weighed(500, 1.0, 0.9, 0.8, models=2)
    yield Claim("pairs", "weights heavy where wrong, n 500", "pair", draw, of_labels(2, "accuracy"), quick=True)
    for sizes, quick in (("15 of 12", False), ("40 lognormal", True)):
        draw = designs.clustered_labels(sizes, (0.7, 0.3), 0.85, 0.7, models=2)
        yield Claim("pairs", f"{sizes}, equal", "pair", draw, of_labels(2, "accuracy", "f1", "macro_f1"), quick=quick)
        yield Claim(
            "pairs", f"{sizes}, equal, scores", "pair", designs.clustered_scores(sizes, 2), (AUC, *LOSSES), quick=quick
        )
    for sizes, part, quick in (("100 of 10", 0.05, False), ("200 of 10", 0.05, True)):
        draw = designs.failing_clusters(sizes, part)
        words = f"{sizes}, one fails in whole clusters"
        yield Claim("pairs", words, "pair", draw, of_labels(2, "accuracy"), quick=quick)
    draw = designs.failing_clusters("200 of 10", 0.05, kind="scores")
    yield Claim("pairs", "200 of 10, one fails in whole clusters, scores", "pair", draw, (AUC, LOG_LOSS), quick=True)


def two_samples() -> Iterator[Claim]:
    """Two models, each on rows of its own."""
    for n, m, share, first, second, quick in (
        (20, 2000, 0.5, 0.9, 0.9, True), (100, 400, 0.3, 0.9, 0.9, True), (300, 300, 0.5, 0.9, 0.9, False),
        (60, 60, 0.3, 0.97, 0.97, False), (300, 300, 0.5, 0.97, 0.94, True),
    ):  # fmt: skip
        words = f"{n} + {m}, AUC {first} and {second}"
        for questions, make in ((AREAS, designs.binormal), ((LOG_LOSS,), designs.forecasts)):
            one, other = make((first,), n, share), make((second,), m, share)
            yield Claim(
                "two samples", words + (", log loss" if questions[0] is LOG_LOSS else ""), "apart", _both(one, other),
                questions, equal=first == second, quick=quick, effort=0.5,
            )  # fmt: skip
    one, other = designs.labelled((7, 3), (0.9, 0.8), 60), designs.labelled((7, 3), (0.9, 0.8), 400)
    yield Claim(
        "two samples", "60 + 400, labels", "apart", _both(one, other), of_labels(2, "f1", "mcc"), quick=True, effort=0.5
    )


def _both(one: designs.Draw, other: designs.Draw) -> Callable[[np.random.Generator], Drawn]:
    return lambda rng: (one(rng), other(rng))


def learners() -> Iterator[Claim]:
    """The accuracy of a learner over what it is trained on, by the default plan."""
    for learner, n, quick in ((designs.Bayes, 200, True), (designs.Bayes, 60, False), (designs.Nearest, 200, True)):
        yield Claim(
            "learners", f"{learner.__name__}, n {n}", "learner", designs.features(n), of_labels(2, "accuracy"),
            learner=learner, quick=quick, effort=0.3,
        )  # fmt: skip


def verbs() -> Iterator[Claim]:
    """What a reader is told: verdicts with their findings, several models, gates."""
    whole, accuracy = "one fails in whole clusters", of_labels(2, "accuracy")
    for words, draw, questions, expected in (
        ("rare disasters, n 60", designs.disasters(60, 0.02), (LOG_LOSS,), 1.2),
        ("rare disasters, n 250", designs.disasters(250, 0.02), (LOG_LOSS,), 5.0),
        (f"60 of 10, {whole}", designs.failing_clusters("60 of 10", 0.02), accuracy, 1.2),
        (f"60 of 10, {whole}, scores", designs.failing_clusters("60 of 10", 0.03, kind="scores"), (LOG_LOSS,), 1.8),
    ):  # fmt: skip
        yield Claim(
            "verbs",
            f"told apart without a word: {words}",
            "silent",
            draw,
            questions,
            expected=expected,
            quick=True,
            effort=0.5,
        )
    yield Claim(
        "verbs", "missed without a word: 2 of 20 positives lost", "silent interval",
        designs.lost_positives(200, 20, 0.1, 0.97), (AUC,), expected=2, quick=True, effort=0.5,
    )  # fmt: skip
    draw = designs.clustered_labels("40 lognormal", (0.7, 0.3), 0.85, 0.7, link=0.5)
    words = "missed without a word: 40 lognormal clusters, large ones are harder"
    yield Claim("verbs", words, "silent interval", draw, accuracy, expected=10, effort=0.5)
    for words, draw, questions in (
        ("equal models, n 300", designs.forecasts((0.85, 0.85), 300, 0.4), (LOG_LOSS,)),
        ("40 of 10, equal", designs.clustered_labels("40 of 10", (0.6, 0.4), 0.85, 0.5, models=2), accuracy),
    ):  # fmt: skip
        yield Claim("verbs", f"a finding though clean: {words}", "warned", draw, questions, quick=True, effort=0.5)
    five = (0.85,) * 5
    yield Claim(
        "verbs", "five equal models, n 300", "several", designs.binormal(five, 300, 0.4), (AUC,), quick=True, effort=0.4
    )
    yield Claim(
        "verbs",
        "five equal models, n 300, losses",
        "several",
        designs.forecasts(five, 300, 0.4),
        (LOG_LOSS,),
        quick=True,
        effort=0.4,
    )
    draw = designs.labelled((7, 3), (0.87, 0.87), 300, second=(0.9, 0.9))
    yield Claim("verbs", "gate at the margin, n 300", "gate", draw, of_labels(2, "accuracy"), margin=0.03, quick=True)
    yield Claim(
        "verbs",
        "gate at the margin, rare disasters, n 250",
        "gate",
        _worse(designs.disasters(250, 0.02)),
        (LOG_LOSS,),
        margin=0.02,
        expected=5,
        quick=True,
    )
    for part, quick in ((0.02, True), (0.05, False)):
        yield Claim(
            "verbs", f"gate at the margin, 100 of 10, {part:.0%} fail whole", "gate",
            failing_gate("100 of 10", part), accuracy, margin=0.9 * part * 0.95, expected=100 * part, quick=quick,
        )  # fmt: skip


def _worse(draw: designs.Draw) -> designs.Draw:
    """The first model's log loss is larger by .02 on every row."""

    def drawn(rng: np.random.Generator) -> Rows:
        rows = draw(rng)
        right = np.where(rows.y == 1, rows.said[0], 1 - rows.said[0]) * math.exp(-0.02)
        return rows._replace(said=(np.where(rows.y == 1, right, 1 - right), rows.said[1]))

    return drawn


def failing_gate(sizes: str, part: float) -> designs.Draw:
    """The first model has the errors of the second, and fails in whole clusters besides."""

    def drawn(rng: np.random.Generator) -> Rows:
        g = designs.keys_of(rng, sizes)
        y, base = rng.integers(0, 2, len(g)), rng.random(len(g)) < 0.05
        failed = (rng.random(int(g[-1]) + 1) < part)[g] & (rng.random(len(g)) < 0.9)
        return Rows(y, tuple(np.where(w, 1 - y, y) for w in (base | failed, base)), g)

    return drawn


FAMILIES = (areas, losses, tables, clusters, weights, pairs, two_samples, learners, verbs)


def every_claim() -> dict[str, Claim]:
    """All claims by name."""
    found: dict[str, Claim] = {}
    for family in FAMILIES:
        for claim in family():
            if claim.key in found:
                raise ValueError(f"two claims are named {claim.key!r}")
            found[claim.key] = claim
    return found


def cells(*, quick: bool) -> Iterator[Cell]:
    """As the validation runs them."""
    if not quick:
        yield from (replace(claim.cell, rank=2) for claim in every_claim().values())


if __name__ == "__main__":
    import sys

    from validation.claimed import main

    sys.exit(main())
