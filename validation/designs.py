"""How the rows of the claims are drawn: clean designs, and those in which a rule that is too sure breaks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy import special

from validation.textbook import Rows

Rng = np.random.Generator
Draw = Callable[[Rng], Rows]
Sizes = Callable[[Rng], np.ndarray]


def shift(area: float) -> float:
    """How far apart two unit normals lie whose area is this."""
    return math.sqrt(2) * float(special.ndtri(area))


def classes(rng: Rng, n: int, share: float) -> np.ndarray:
    """Classes at random, drawn anew where one has fewer than two rows."""
    y = np.zeros(n, dtype=int)
    while not 1 < y.sum() < n - 1:
        y = (rng.random(n) < share).astype(int)
    return y


def noise(rng: Rng, n: int, models: int, common: float = 0.5) -> list[np.ndarray]:
    """Unit normals of several models with a part of their variance in common."""
    if models == 1:
        return [rng.standard_normal(n)]
    shared = rng.standard_normal(n)
    return [math.sqrt(common) * shared + math.sqrt(1 - common) * rng.standard_normal(n) for _ in range(models)]


def forecast(scores: np.ndarray, d: float, share: float, slope: float = 1.0) -> np.ndarray:
    """The probability that such a score means a positive; a slope above 1 is too sure of it."""
    return np.asarray(special.expit(slope * (math.log(share / (1 - share)) + d * scores - d * d / 2)))


def binormal(areas: Sequence[float], n: int, share: float, *, levels: int = 0) -> Draw:
    """Normal scores of models with these areas; cut into a few levels they tie."""

    def draw(rng: Rng) -> Rows:
        y = classes(rng, n, share)
        scores = [e + shift(a) * y for e, a in zip(noise(rng, n, len(areas)), areas, strict=True)]
        if levels:
            cuts = [special.ndtri((np.arange(1, levels)) / levels) + shift(a) / 2 for a in areas]
            scores = [np.searchsorted(c, s).astype(float) for c, s in zip(cuts, scores, strict=True)]
        return Rows(y, tuple(scores))

    return draw


def forecasts(areas: Sequence[float], n: int, share: float, slopes: Sequence[float] = ()) -> Draw:
    """Probabilities from normal scores; models of one area and several slopes share their scores: one recalibrated."""

    def draw(rng: Rng) -> Rows:
        y = classes(rng, n, share)
        if slopes and len(areas) == 1:
            s = rng.standard_normal(n) + shift(areas[0]) * y
            return Rows(y, tuple(forecast(s, shift(areas[0]), share, slope) for slope in slopes))
        drawn = zip(noise(rng, n, len(areas)), areas, strict=True)
        return Rows(y, tuple(forecast(e + shift(a) * y, shift(a), share) for e, a in drawn))

    return draw


def lost_positives(n: int, positives: int, part: float, area: float) -> Draw:
    """A part of the positives scores like nothing at all: far below the negatives."""

    def draw(rng: Rng) -> Rows:
        y = (np.arange(n) < positives).astype(int)
        lost = (rng.random(n) < part) & (y == 1)
        return Rows(y, (rng.standard_normal(n) + np.where(lost, -1.5, shift(area) * y),))

    return draw


def look_alikes(positives: int, negatives: int, part: float, area: float) -> Draw:
    """A part of the negatives scores like the best of the positives."""

    def draw(rng: Rng) -> Rows:
        y = (np.arange(positives + negatives) < positives).astype(int)
        alike = (rng.random(len(y)) < part) & (y == 0)
        return Rows(y, (rng.standard_normal(len(y)) + np.where(alike, shift(area) + 1.0, shift(area) * y),))

    return draw


def grades(draw_one: Callable[[Rng], np.ndarray]) -> Draw:
    """Grades of one model."""
    return lambda rng: _grades(draw_one(rng))


def _grades(*said: np.ndarray) -> Rows:
    return Rows(np.zeros(len(said[0]), dtype=int), said)


def two_graders(n: int, gap: float) -> Draw:
    """Grades of two models that share what a question asks; the second is worse by so much on average."""

    def draw(rng: Rng) -> Rows:
        hard = rng.standard_normal(n)
        first, second = (special.expit(1 + hard + rng.standard_normal(n) - drop) for drop in (0.0, gap))
        return _grades(np.round(first, 2), np.round(second, 2))

    return draw


def disasters(n: int, part: float) -> Draw:
    """Equal mean log loss: one model is a little better on nearly every row and loses it all on rare ones."""

    def draw(rng: Rng) -> Rows:
        y, bad = rng.integers(0, 2, n), rng.random(n) < part
        own = -np.log(np.clip(0.6 + 0.02 * rng.standard_normal(n), 0.05, 0.95))
        gain = min(part * 9.2 / (1 - part), 0.3)
        right = np.exp(-np.where(bad, own + gain * (1 - part) / part, own - gain)), np.exp(-own)
        return Rows(y, tuple(np.where(y == 1, r, 1 - r) for r in right))

    return draw


def labelled(share: Sequence[float], right: Sequence[float], n: int, *, second: Sequence[float] | None = None) -> Draw:
    """Classes with these shares, each called rightly so often, else any other; two models find half the same rows hard.

    Every row's luck is half that of both models.
    """
    p, k = np.array(share, dtype=float) / sum(share), len(share)

    def draw(rng: Rng) -> Rows:
        y = rng.choice(k, n, p=p)
        common, shared = rng.random(n), rng.random(n) < 0.5
        said = []
        for rates in (right,) if second is None else (right, second):
            luck = np.where(shared, common, rng.random(n)) if second is not None else rng.random(n)
            found = luck < np.array(rates)[y]
            said.append(np.where(found, y, (y + rng.integers(1, k, n)) % k))
        return Rows(y, tuple(said))

    return draw


def case_control(negatives: int, positives: int, tpr: float, fpr: float) -> Draw:
    """So many rows of each class, by design."""

    def draw(rng: Rng) -> Rows:
        y = np.repeat([0, 1], [negatives, positives])
        return Rows(y, ((rng.random(len(y)) < np.where(y == 1, tpr, fpr)).astype(int),))

    return draw


def weighed(n: int, sd: float, right: float, link: float, *, models: int = 1) -> Draw:
    """Lognormal sampling weights, errors where weights are heavy (link above 0) or light."""
    base = math.log(right / (1 - right))

    def draw(rng: Rng) -> Rows:
        z, y = rng.standard_normal(n), rng.integers(0, 2, n)
        said = tuple(np.where(rng.random(n) < special.expit(base - link * z), y, 1 - y) for _ in range(models))
        return Rows(y, said, weights=np.exp(sd * z))

    return draw


def weighed_scores(n: int, sd: float, area: float) -> Draw:
    """Lognormal sampling weights of rows with forecasts; heavy rows are a little harder."""

    def draw(rng: Rng) -> Rows:
        z, y = rng.standard_normal(n), classes(rng, n, 0.3)
        scores = rng.standard_normal(n) + (shift(area) - 0.2 * z) * y
        return Rows(y, (forecast(scores, shift(area), 0.3),), weights=np.exp(sd * z))

    return draw


# Clusters.

SIZES: dict[str, Sizes] = {
    "4 of 60": lambda rng: np.full(4, 60),
    "6 of 40": lambda rng: np.full(6, 40),
    "10 of 20": lambda rng: np.full(10, 20),
    "15 of 12": lambda rng: np.full(15, 12),
    "40 of 10": lambda rng: np.full(40, 10),
    "60 of 10": lambda rng: np.full(60, 10),
    "100 of 10": lambda rng: np.full(100, 10),
    "200 of 10": lambda rng: np.full(200, 10),
    "25 lognormal": lambda rng: np.maximum(1, np.exp(rng.normal(2.2, 0.8, 25)).astype(int)),
    "40 lognormal": lambda rng: np.maximum(1, np.exp(rng.normal(2, 1, 40)).astype(int)),
    "70 Pareto": lambda rng: np.maximum(2, (3 * (1 + rng.pareto(1.3, 70))).astype(int)).clip(max=900),
    "two giants": lambda rng: np.r_[np.full(45, 6), [150, 90]],
}


def keys_of(rng: Rng, sizes: str) -> np.ndarray:
    """The cluster of each row."""
    drawn = SIZES[sizes](rng)
    return np.repeat(np.arange(len(drawn)), drawn)


def clustered_labels(
    sizes: str, share: Sequence[float], right: float, sd: float, models: int = 1, link: float = 0.0
) -> Draw:
    """Clusters that differ in how hard they are (large ones by `link`), and in how many of two classes they hold."""
    p, k = np.array(share, dtype=float) / sum(share), len(share)
    base = math.log(right / (1 - right))

    def draw(rng: Rng) -> Rows:
        g = keys_of(rng, sizes)
        n, groups = len(g), int(g[-1]) + 1
        y = np.zeros(n, dtype=int)
        while len(np.unique(y)) < k:
            if k == 2:
                tilt = math.log(p[1] / p[0]) + 0.7 * rng.standard_normal(groups)
                y = (rng.random(n) < special.expit(tilt[g])).astype(int)
            else:
                y = rng.choice(k, n, p=p)
        said = []
        for _ in range(models):
            ease = base + sd * rng.standard_normal(groups) - link * (np.log(np.bincount(g)) - 2)
            found = rng.random(n) < special.expit(ease[g])
            said.append(np.where(found, y, (y + rng.integers(1, k, n)) % k))
        return Rows(y, tuple(said), g)

    return draw


def clustered_scores(sizes: str, models: int = 1) -> Draw:
    """Clusters that differ in how common positives are and in how well each model reads them; forecasts."""

    def draw(rng: Rng) -> Rows:
        g = keys_of(rng, sizes)
        n, groups = len(g), int(g[-1]) + 1
        y = np.zeros(n, dtype=int)
        while not 1 < y.sum() < n - 1:
            own = 0.7 * rng.standard_normal(groups)[g]
            x = 1.3 * rng.standard_normal(n) + own
            y = (rng.random(n) < special.expit(x)).astype(int)
        said = []
        for _ in range(models):
            off = 0.5 * rng.standard_normal(groups)[g] + 0.5 * rng.standard_normal(n)
            said.append(np.asarray(special.expit(x - 0.5 * own + off)))
        return Rows(y, tuple(said), g)

    return draw


def failing_clusters(sizes: str, part: float, *, kind: str = "labels") -> Draw:
    """Equal models: the first fails in whole clusters, the errors of the second are spread out."""

    def draw(rng: Rng) -> Rows:
        g = keys_of(rng, sizes)
        n, groups = len(g), int(g[-1]) + 1
        y, base = rng.integers(0, 2, n), rng.random(n) < 0.05
        failed = (rng.random(groups) < part)[g] & (rng.random(n) < 0.9)
        wrong = base | failed, base | (rng.random(n) < 0.9 * part)
        if kind == "labels":
            return Rows(y, tuple(np.where(w, 1 - y, y) for w in wrong), g)
        sure = [special.expit(1.5 + 0.5 * rng.standard_normal(n)) for _ in wrong]
        right = [np.where(w, 1 - s, s) for w, s in zip(wrong, sure, strict=True)]
        return Rows(y, tuple(np.where(y == 1, r, 1 - r) for r in right), g)

    return draw


# Learners, fitted to rows of two normal classes in four features.


class Learner:
    """What `te.experiment` asks of a learner."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Learner:
        self.X, self.y = X, y
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def right(self, X: np.ndarray, y: np.ndarray) -> float:
        """Its accuracy on these rows."""
        return float((self.predict(X) == y).mean())


class Bayes(Learner):
    """Gaussian naive Bayes: a learner that few rows hardly change."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        says = []
        for c in (0, 1):
            own = self.X[self.y == c]
            spread = own.var(axis=0) + 1e-9
            says.append(np.log(len(own)) - 0.5 * (((X - own.mean(axis=0)) ** 2 / spread) + np.log(spread)).sum(axis=1))
        return (says[1] > says[0]).astype(int)


class Nearest(Learner):
    """The nearest row: a learner that each row changes."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        far = (self.X * self.X).sum(axis=1) - 2 * X @ self.X.T
        return np.asarray(self.y[far.argmin(axis=1)])


def features(n: int, apart: float = 1.2) -> Draw:
    """Half of each class, apart in two of four features; what was `said` of a row are its features."""

    def draw(rng: Rng) -> Rows:
        y = np.arange(n) % 2
        X = rng.standard_normal((n, 4))
        X[:, :2] += apart * y[:, None] / math.sqrt(2)
        return Rows(y, (X,))

    return draw


def across_folds(learner: type[Learner], rows: Rows, rng: Rng, rounds: int = 10, folds: int = 10) -> float:
    """The learner's mean accuracy over repeated folds."""
    n, (X,) = len(rows.y), rows.said
    found = []
    for _ in range(rounds):
        place = rng.permutation(n) % folds
        for k in range(folds):
            test = place == k
            found.append(learner().fit(X[~test], rows.y[~test]).right(X[test], rows.y[test]))
    return float(np.mean(found))
