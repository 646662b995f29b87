"""`te.arena`: models by pairwise preferences, their strengths on Elo's scale, and who shows no clear difference."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from trueerror.inference._contrast import mirrored
from trueerror.inference._many import ADJUSTMENTS, Adjustment, adjust_contrasts, groups_not_told_apart
from trueerror.inference._problem import IntervalSpec
from trueerror.inputs._arrays import column, missing_rows
from trueerror.inputs._options import InputError, check_confidence, check_word, nearest
from trueerror.people._preferences import (
    ELO,
    FIRST,
    SECOND,
    TIE,
    Battles,
    Strengths,
    head_to_head,
    lack_of_fit,
    strengths,
)
from trueerror.results import Contrast, DocumentResult, Interval, Table, Test
from trueerror.results._document import Bullets, Document, TableBlock, page
from trueerror.results._format import Text, counted, listing, one_line, p_cell, p_value, percent, percents, some, whole
from trueerror.results._values import Note, deciding_p, surety
from trueerror.sources._open_tables import check_table_name, file_table, open_frame
from trueerror.sources._table_types import is_table
from trueerror.sources._tables import InputTable, need_column
from trueerror.sources.columns._names import bare

Ties = Literal["davidson", "half", "drop"]
TIES: tuple[Ties, ...] = ("davidson", "half", "drop")
FIRST_MODEL = frozenset(
    ("modela", "a", "first", "model1", "playera", "player1", "left", "modelfirst", "assistanta", "generator1")
)
SECOND_MODEL = frozenset(("modelb", "b", "second", "model2", "playerb", "player2", "right", "assistantb", "generator2"))
WINNER = frozenset(
    ("winner", "won", "result", "outcome", "preference", "vote", "label", "choice", "verdict", "judgment")
)
PROMPT = frozenset(("prompt", "promptid", "question", "questionid", "cluster", "item", "itemid", "task", "taskid"))
BATTLE = frozenset(("battle", "battleid", "game", "gameid", "match", "matchid", "round"))
MODEL = frozenset(("model", "player", "system", "name"))
SCORE = frozenset(("score", "rating", "points", "grade", "value", "rank"))
# What stands for the first model, for neither, and for the second.
WORDS = {
    **dict.fromkeys(("a", "modela", "model_a", "first", "left", "1", "model1", "model_1", "assistant_a"), FIRST),
    **dict.fromkeys(("b", "modelb", "model_b", "second", "right", "2", "model2", "model_2", "assistant_b"), SECOND),
    **dict.fromkeys(("tie", "draw", "both", "neither", "equal", "same", "tie (bothbad)", "bothbad", "0.5", "1.5"), TIE),
}
MIDDLE = 1000.0
ODD_FIT = 0.01
SHOWN_PAIRS = 12


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class Arena(DocumentResult):
    """Models by pairwise preferences, strongest first.

    `elo` are strengths with limits on Elo's scale (400 points are odds of ten to one; the mean of all is 1,000),
    `pairs` their differences in points, tested and adjusted over all pairs: `found["a", "b"]` is one. `beats` is the
    chance that one is preferred to another. `battles_of` are the pairs' own battles: win rate − ½, p-values adjusted,
    and won–tied–lost. `tiers` are the largest sets of models that show no clear difference.
    """

    names: tuple[str, ...]
    elo: dict[str, Interval]
    pairs: tuple[Contrast, ...]
    battles_of: tuple[tuple[Contrast, tuple[int, int, int]], ...]
    tiers: tuple[tuple[str, ...], ...]
    played: dict[str, int]
    rates: dict[str, float]
    n: int
    ties: float
    method: str
    confidence: float = 0.95
    clusters: int | None = None
    position: Interval | None = None
    fit: Test | None = None
    note: str = ""
    reading: str = ""

    @property
    def best(self) -> str:
        """The strongest model; the tiers say whether others are too close to call."""
        return self.names[0]

    def __getitem__(self, pair: tuple[str, str]) -> Contrast:
        """The difference of two strengths in Elo points, first − second."""
        for c in self.pairs:
            if (c.first, c.second) == tuple(pair):
                return c
            if (c.second, c.first) == tuple(pair):
                return mirrored(c)
        unknown = next((name for name in pair if name not in self.names), "")
        raise InputError(f"{unknown!r} is not in this arena{nearest(unknown, self.names)}")

    def beats(self, first: str, second: str) -> Interval:
        """The chance that the first is preferred to the second, ties aside, with its limits."""
        c = self[first, second]
        low, middle, high = (1 / (1 + math.exp(-min(max(x / ELO, -700), 700))) for x in (c.low, c.estimate, c.high))
        return Interval(
            name=f"P({first} beats {second})", estimate=middle, low=low, high=high, confidence=c.confidence,
            method=self.method, n=self.n,
        )  # fmt: skip

    def letters(self) -> dict[str, str]:
        """The tiers of each model as letters: models that share one show no clear difference."""
        return {m: "".join(_letter(i) for i, tier in enumerate(self.tiers) if m in tier) for m in self.names}

    @property
    def verdict(self) -> str:
        """Who is strongest, and who is too close to call."""
        level = 1 - self.confidence
        rest = {m: self[self.best, m] for m in self.names[1:]}
        close = [m for m, c in rest.items() if surety(deciding_p(c), level) == "open"]
        if close:
            weaker = {m: surety(deciding_p(c), level) for m, c in rest.items() if m not in close}
            words = f"No clear winner: {some([one_line(m) for m in (self.best, *close)])} are too close to call."
            return f"{words} {_behind(weaker)}" if weaker else words
        second = self.names[1]
        chance = self.beats(self.best, second)
        sure = all(surety(deciding_p(c), level) == "clear" for c in rest.values())
        return (
            f"{one_line(self.best)} is {'' if sure else 'probably '}the strongest: it is preferred to "
            f"{one_line(second)}, the next, in {_in_hundred(chance.estimate)} % of the battles that are not tied "
            f"({percent(self.confidence)} CI {_in_hundred(chance.low)} to {_in_hundred(chance.high)} %, "
            f"{p_value(deciding_p(rest[second]))})."
        )

    def records(self) -> list[dict[str, object]]:
        """One record for each model, strongest first."""
        letters = self.letters()
        return [
            {"model": m, "elo": i.estimate, "low": i.low, "high": i.high, "tier": letters[m], "battles": self.played[m],
             "win_rate": self.rates[m]}
            for m, i in self.elo.items()
        ]  # fmt: skip

    def explain(self) -> Text:
        """The methods, with formula and source."""
        from trueerror.methods import explain_parts

        return Text(explain_parts(self, [("strengths", self.method), ("battles of two models", "head-to-head")]))

    def document(self) -> Document:
        letters, level = self.letters(), percent(self.confidence)
        rows = []
        for m, i in self.elo.items():
            chance = "" if m == self.best else f"{_in_hundred(self.beats(self.best, m).estimate)} %"
            elo_words = f"{i.estimate:,.0f} {_whole_limits(i)}"
            rate = f"{100 * self.rates[m]:.1f} %"
            rows.append((m, elo_words, letters[m], whole(self.played[m]), rate, chance))
        head = ("model", f"Elo {level} CI", "tier", "battles", "win rate", f"{one_line(self.best)} beats it")
        notes = tuple(f"! {text}" for text in self._notes())
        return page(
            self.reading, (self.verdict,), TableBlock(Table(columns=head, rows=tuple(rows))),
            Bullets(notes) if notes else None, _own_battles(self),
            footer=_footer(self),
        )  # fmt: skip

    def _notes(self) -> list[str]:
        notes = [f"{self.note[:1].upper()}{self.note[1:]}."] if self.note else []
        if self.ties == 1:
            notes.append("All battles are tied: nothing shows how far apart the models may be, so there are no limits.")
        if self.fit is not None and self.fit.p_value < ODD_FIT:
            notes.append(
                f"One strength each does not explain who beats whom ({p_value(self.fit.p_value)}): look at the "
                "pairs' own battles."
            )
        if self.position is not None:
            where = "first" if self.position.estimate > 0.5 else "second"
            clear = not self.position.low <= 0.5 <= self.position.high
            effect = f"The model shown {where} is preferred" if clear else "No clear effect of being shown first"
            share, low, high = (100 * x for x in (self.position.estimate, self.position.low, self.position.high))
            notes.append(
                f"{effect}: between equals the first wins {share:.0f} % ({percent(self.position.confidence)} CI "
                f"{low:.0f} to {high:.0f} %); strengths are corrected for it."
            )
        return notes


def _in_hundred(share: float) -> str:
    """A chance in a hundred, never 0 or 100."""
    return "> 99" if share > 0.995 else "< 1" if share < 0.005 else f"{100 * share:.0f}"


def _behind(weaker: Mapping[str, str]) -> str:
    """Who is weaker than the first, and how surely."""
    sure = "clearly" if set(weaker.values()) == {"clear"} else "probably" if len(weaker) == 1 else "clearly or probably"
    return f"{some([one_line(m) for m in weaker])} {'is' if len(weaker) == 1 else 'are'} {sure} weaker."


def _letter(place: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[place] if place < 26 else f"({place + 1})"


def _whole_limits(i: Interval) -> str:
    return "no interval" if math.isnan(i.low) else f"[{i.low:,.0f}, {i.high:,.0f}]"


def _own_battles(a: Arena) -> TableBlock | None:
    if len(a.names) < 2 or not a.battles_of:
        return None
    clearest = sorted(a.battles_of, key=lambda pair: deciding_p(pair[0]))[:SHOWN_PAIRS]
    rows = tuple(
        (one_line(c.first), one_line(c.second), f"{won}–{tied}–{lost}", f"{percents(c.estimate + 0.5)} %",
         f"[{percents(c.low + 0.5)}, {percents(c.high + 0.5)}]", p_cell(p_value(deciding_p(c))))
        for c, (won, tied, lost) in clearest
    )  # fmt: skip
    more = "" if len(clearest) == len(a.battles_of) else f" (the {SHOWN_PAIRS} clearest of {len(a.battles_of)} pairs)"
    adjusted = "adjusted p" if len(a.battles_of) > 1 else "p"
    head = ("first", "second", "won–tied–lost", "win rate", f"{percent(a.confidence)} CI, %", adjusted)
    return TableBlock(Table(columns=head, rows=rows, names=2, title=f"Head to head, by the battles of the two{more}"))


def _footer(a: Arena) -> tuple[str, ...]:
    letters = "Models that share a tier letter show no clear difference (all pairs, adjusted)."
    how = "Elo: 400 points are odds of 10 to 1; limits are of the distance from the mean of all models."
    return letters, how


def arena(
    battles: Any,
    *,
    model_a: str | None = None,
    model_b: str | None = None,
    winner: str | None = None,
    battle: str | None = None,
    model: str | None = None,
    score: str | None = None,
    clusters: str | bool | Sequence[object] | None = None,
    ties: Ties = "davidson",
    position: bool = False,
    anchor: Mapping[str, float] | None = None,
    penalised: bool = False,
    adjust: Adjustment = "holm",
    confidence: float = 0.95,
    table: str | None = None,
) -> Arena:
    """Models ranked by pairwise preferences: Bradley–Terry strengths on Elo's scale, with limits, tiers and tests.

    `battles` is a table or a file with columns model_a, model_b and winner (a model's name, "model_a", "model_b" or
    "tie"), a list of (first, second, winner), or a long table with a row for each battle and model: battle, model and
    score, of which the higher wins. Other names of columns are told by the options of those names. `clusters` is the
    column of prompts, whose battles depend on each other; it is found by its name unless it is False. `ties`:
    Davidson's model, "half" a win each, or "drop". `position` estimates the advantage of being shown first. `anchor`,
    {"gpt": 1000}, moves the scale. If a model won or lost every battle the fit is penalised (Firth's), and says so;
    `penalised=True` asks for it. Models that never met, not even through others, are refused. `table="name"` chooses a
    table of a SQLite or DuckDB file that holds several, or a sheet of a workbook.

    Sources: Bradley and Terry 1952, Biometrika 39:324; Davidson 1970, JASA 65:317; Firth 1993, Biometrika 80:27.

    >>> games = [("a", "b", "a")] * 30 + [("a", "b", "b")] * 15 + [("b", "c", "b")] * 25 + [("b", "c", "c")] * 20
    >>> found = arena(games)
    >>> found.names, [round(i.estimate) for i in found.elo.values()]
    (('a', 'b', 'c'), [1093, 973, 934])
    >>> print(found.beats("a", "b"))
    P(a beats b) 0.667 [0.484, 0.810], 95 % bradley-terry, n = 90
    """
    spec = IntervalSpec(confidence=check_confidence(confidence))
    check_word(ties, TIES, "ties")
    columns = {
        "model_a": model_a,
        "model_b": model_b,
        "winner": winner,
        "battle": battle,
        "model": model,
        "score": score,
    }
    check_table_name(battles, table)
    opened = file_table(battles, table) if isinstance(battles, str | os.PathLike) else None
    given, names_of_columns = (
        _read(battles, columns, clusters) if opened is None else _of_table(opened, columns, clusters)
    )
    if ties == "drop":
        kept = given.outcome != TIE
        given = replace(
            given, first=given.first[kept], second=given.second[kept], outcome=given.outcome[kept],
            clusters=None if given.clusters is None else given.clusters[kept],
        )  # fmt: skip
    if not given.n:
        raise InputError("there are no battles with a winner")
    if position and not given.ordered:
        raise InputError("position= needs the order in which models were shown, and here each winner stands first")
    fitted = strengths(given, spec, position=position, ties=ties == "davidson", penalised=penalised)
    standings = _assembled(fitted, anchor, adjust, names_of_columns)
    return standings if opened is None else replace(standings, reading=" ".join((standings.reading, *opened.notes)))


def _assembled(s: Strengths, anchor: Mapping[str, float] | None, adjust: Adjustment, columns: str) -> Arena:
    b, spec, order = s.battles, s.spec, s.order
    k, names = len(b.names), tuple(b.names[i] for i in order)
    played = np.bincount(np.concatenate([b.first, b.second]), minlength=k)
    shift = MIDDLE
    if anchor is not None:
        if len(anchor) != 1 or str(next(iter(anchor))) not in b.names:
            known = nearest(next(iter(anchor), ""), b.names)
            raise InputError(f'anchor= is one model with its Elo, such as {{"{names[0]}": 1000}}{known}')
        ((whose, at),) = anchor.items()
        shift = float(at) - ELO * float(s.values[b.names.index(str(whose))])

    def points(i: Interval) -> Interval:
        moved = {f: shift + ELO * getattr(i, f) for f in ("estimate", "low", "high")}
        return replace(i, **moved)

    elo = {b.names[i]: points(s.own(i, int(played[i]))) for i in order}
    pairs = [_in_points(s.difference(i, j)) for i, j in combinations(order, 2)]
    pairs = adjust_contrasts(pairs, check_word(adjust, ADJUSTMENTS, "adjust"))
    apart = {frozenset((c.first, c.second)) for c in pairs if deciding_p(c) <= 1 - spec.confidence}
    duels = [(i, j, duel) for i, j in combinations(order, 2) if (duel := head_to_head(b, i, j, spec)) is not None]
    judged = adjust_contrasts([duel[0] for *_, duel in duels], adjust)
    wins = b.wins
    rates = {b.names[i]: float(wins[i].sum() / played[i]) for i in order}
    note = Note("never-beaten", (some(_extreme(b, names)),)) if s.penalised else None
    place = None
    if s.position:
        middle, _, *limits = s.told(np.eye(k + 1)[k])
        low, at_middle, high = (1 / (1 + math.exp(-x)) for x in (limits[0], middle, limits[1]))
        place = Interval(
            name="first wins between equals", estimate=at_middle, low=low, high=high, confidence=spec.confidence,
            method=s.method, n=b.n,
        )  # fmt: skip
    count = None if b.clusters is None else len(np.unique(b.clusters))
    tied = float((b.outcome == TIE).mean())
    return Arena(
        names=names, elo=elo, pairs=tuple(pairs), tiers=groups_not_told_apart(names, apart),
        battles_of=tuple((c, duel[1]) for c, (*_, duel) in zip(judged, duels, strict=True)),
        played={b.names[i]: int(played[i]) for i in order}, rates=rates, n=b.n, ties=tied, method=s.method,
        confidence=spec.confidence, clusters=count, position=place, fit=lack_of_fit(s), note=str(note or ""),
        reading=_reading(b, tied, count, columns),
    )  # fmt: skip


def _in_points(c: Contrast) -> Contrast:
    moved = {f: ELO * getattr(c, f) for f in ("estimate", "low", "high")}
    return replace(c, name="Elo points", **moved)


def _extreme(b: Battles, names: Sequence[str]) -> list[str]:
    wins = b.wins
    rows = {b.names[i]: (wins[i].sum(), wins[:, i].sum()) for i in range(len(b.names))}
    phrases = [f"{m} won all" for m in names if rows[m][1] == 0] + [f"{m} won none" for m in names if rows[m][0] == 0]
    return phrases or ["some never lost to the others"]


def _reading(b: Battles, tied: float, count: int | None, columns: str) -> str:
    text = f"Read {whole(b.n)} battles of {len(b.names)} models, {100 * tied:.0f} % ties"
    text += f"; {counted(count, 'cluster')} ({columns})" if count is not None else ""
    return f"{text}."


def _read(battles: Any, asked: Mapping[str, str | None], clusters: Any) -> tuple[Battles, str]:
    if isinstance(battles, Mapping) or is_table(battles):
        return _of_table(open_frame(battles), asked, clusters)
    rows = list(battles) if isinstance(battles, Iterable) and getattr(battles, "shape", True) != () else []
    if rows and all(isinstance(row, Mapping) for row in rows):
        names = dict.fromkeys(name for row in rows for name in row)
        return _of_table(open_frame({name: [row.get(name) for row in rows] for name in names}), asked, clusters)
    if not rows or any(isinstance(row, str) or not hasattr(row, "__len__") or len(row) != 3 for row in rows):
        raise InputError(
            "battles are a table with columns model_a, model_b and winner, or a list of (first, second, winner)"
        )
    named = next((f"{word}=" for word, name in asked.items() if name is not None), None)
    if named:
        raise InputError(f"{named} names a column of a table; a list of (first, second, winner) has none")
    table = open_frame(
        {"model_a": [r[0] for r in rows], "model_b": [r[1] for r in rows], "winner": [r[2] for r in rows]}
    )
    return _of_table(table, asked, clusters)


def _known(table: InputTable, given: str | None, option: str, names: frozenset[str]) -> str | None:
    if given is not None:
        return need_column(table, given, option)
    return next((c for c in table.columns if bare(c) in names), None)


def _of_table(table: InputTable, asked: Mapping[str, str | None], clusters: Any) -> tuple[Battles, str]:
    first = _known(table, asked["model_a"], "model_a", FIRST_MODEL)
    second = _known(table, asked["model_b"], "model_b", SECOND_MODEL)
    long = any(asked[word] is not None for word in ("battle", "model", "score"))
    named = {bare(c): c for c in table.columns}
    if first is None and second is None and not long and {"winner", "loser"} <= named.keys():
        groups, name = _clusters_of(table, clusters, {named["winner"], named["loser"]})
        a, b = (_texts(table, named[word]) for word in ("winner", "loser"))
        return replace(_battles(a, b, [FIRST] * len(a), groups), ordered=False), name
    if first is None or second is None or long:
        return _of_long_table(table, asked, clusters)
    winner = _known(table, asked["winner"], "winner", WINNER)
    several = _winners(table) if asked["winner"] is None else None
    if winner is None and several is None:
        raise InputError(
            f"cannot tell which column of {table.name} says who won ({_listed(table.columns)}); say which with winner="
        )
    winner = winner or "winner"
    groups, name = _clusters_of(table, clusters, {first, second, winner})
    a, b = (_texts(table, c) for c in (first, second))
    won = column(table.values(winner) if several is None else several, winner)
    gone = missing_rows(won)
    if gone.any():
        raise InputError(f"column {winner!r} of {table.name} is empty at row {int(np.flatnonzero(gone)[0]) + 1:,}")
    outcomes = [
        _outcome(value, x, y, i, winner) for i, (value, x, y) in enumerate(zip(won.tolist(), a, b, strict=True))
    ]
    return _battles(a, b, outcomes, groups), name


def _winners(table: InputTable) -> list[object] | None:
    """Who won where several columns say so: one for each outcome, as on Kaggle, or one for each order in which the
    judge was shown the answers, as in MT-bench, where only both together decide; None where there is one column."""
    known = {bare(c): c for c in table.columns}
    if {"winnermodela", "winnermodelb"} <= known.keys():
        flags = [table.values(known[f"winnermodel{end}"]) for end in "ab"]
        return ["a" if float(x) else "b" if float(y) else "tie" for x, y in zip(*flags, strict=True)]
    if {"g1winner", "g2winner"} <= known.keys():
        orders = [table.values(known[f"g{order}winner"]) for order in (1, 2)]
        return [x if x == y else "tie" for x, y in zip(*orders, strict=True)]
    return None


def _of_long_table(table: InputTable, asked: Mapping[str, str | None], clusters: Any) -> tuple[Battles, str]:
    """A row for each battle and model: the higher score wins; more than two models in a battle meet in pairs."""
    battle = _known(table, asked["battle"], "battle", BATTLE | PROMPT)
    model = _known(table, asked["model"], "model", MODEL)
    score = _known(table, asked["score"], "score", SCORE)
    if battle is None or model is None or score is None:
        raise InputError(
            f"{table.name} has the columns {_listed(table.columns)}: name model_a=, model_b= and winner=, or battle=, "
            "model= and score= of a long table"
        )
    groups, name = _clusters_of(table, clusters, {model, score, battle})
    keys, models = (_texts(table, c) for c in (battle, model))
    points = column(table.values(score), score)
    rows: dict[str, list[int]] = {}
    for i, key in enumerate(keys):
        rows.setdefault(key, []).append(i)
    a, b, outcomes, where = [], [], [], []
    several = any(len(places) > 2 for places in rows.values())
    for number_, places in enumerate(rows.values()):
        for i, j in combinations(places, 2):
            a.append(models[i])
            b.append(models[j])
            outcomes.append(TIE if points[i] == points[j] else FIRST if points[i] > points[j] else SECOND)
            where.append(number_ if groups is None else int(groups[i]))
    if not a:
        raise InputError(f"no battle of {table.name} has two models: {battle!r} must be the same for both")
    # Pairs of one battle of several models depend on each other.
    joint = np.array(where) if groups is not None or several else None
    return _battles(a, b, outcomes, joint), name or (battle if several else "")


def _clusters_of(table: InputTable, clusters: Any, taken: set[str]) -> tuple[Any, str]:
    if clusters is False:
        return None, ""
    if clusters is None or clusters is True:
        prompt_column = next((c for c in table.columns if bare(c) in PROMPT and c not in taken), None)
        if prompt_column is None and clusters is True:
            raise InputError(
                f"no column of {table.name} is known as prompts ({_listed(table.columns)}); name it, clusters="
            )
        if prompt_column is None or (clusters is None and table.distinct(prompt_column) == table.n):
            return None, ""
        clusters = prompt_column
    if isinstance(clusters, str):
        name = need_column(table, clusters, "clusters")
        values = table.values(name)
    else:
        name, values = "clusters", column(clusters, "clusters")
        if len(values) != table.n:
            raise InputError(f"clusters= has {len(values):,} entries for {table.n:,} battles")
    return np.unique(np.asarray([str(v) for v in values.tolist()]), return_inverse=True)[1], name


def _texts(table: InputTable, name: str) -> list[str]:
    values = column(table.values(name), name)
    gone = missing_rows(values)
    if gone.any():
        raise InputError(f"column {name!r} of {table.name} is empty at row {int(np.flatnonzero(gone)[0]) + 1:,}")
    return [str(v) for v in values.tolist()]


def _outcome(value: object, first: str, second: str, row: int, name: str) -> int:
    """Who won, by name or by place."""
    text = str(value).strip()
    if text in (first, second) and first != second:
        return FIRST if text == first else SECOND
    if isinstance(value, float) and value.is_integer():
        text = str(int(value))
    outcome = WORDS.get(text.lower())
    if outcome is None:
        chance = isinstance(value, float) and 1 < value < 2
        hint = "; a preference between 1 and 2 is a grade: te.graded takes it, with scale=(1, 2)" if chance else ""
        raise InputError(
            f"{name}={text!r} in row {row + 1:,} is neither {first!r}, {second!r}, model_a, model_b nor tie{hint}"
        )
    return outcome


def _battles(a: Sequence[str], b: Sequence[str], outcomes: Sequence[int], clusters: Any) -> Battles:
    same = next((i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x == y), None)
    if same is not None:
        raise InputError(f"row {same + 1:,} has {a[same]!r} against itself; leave it out")
    names = sorted({*a, *b})
    place = {name: i for i, name in enumerate(names)}
    first, second = (np.array([place[x] for x in side], dtype=np.int64) for side in (a, b))
    return Battles(tuple(names), first, second, np.array(outcomes, dtype=np.int64), clusters)


def _listed(names: Sequence[str]) -> str:
    return listing([repr(name) for name in names])
