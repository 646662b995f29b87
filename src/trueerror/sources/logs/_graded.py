"""Right or wrong, item by item: what the readers of logs have in common, and tables that say who was right."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, update_wrapper
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from trueerror.inputs._arrays import Numeric, missing_rows
from trueerror.inputs._options import ColumnError, FileError, InputError, nearest
from trueerror.sources._collect import predictions
from trueerror.sources._grades import graded as mean_grades
from trueerror.sources._models import intersections
from trueerror.sources._predictions import ONE_MODEL, Predictions, Roles, Scale
from trueerror.sources._tables import InputTable, need_column, remade
from trueerror.sources.columns._names import ID, TRUTH, bare, item_column, word_set
from trueerror.sources.columns._roles import ColumnRequest, whose_column
from trueerror.sources.logs._registry import LogForm, Source, files_of
from trueerror.tallies import Missing
from trueerror.tallies._graded import GRADES, RIGHT, WRONG

# Which measure says right or wrong: one, or several of which each log takes the first that it has.
Measures = str | Sequence[str] | None


class UngradedError(FileError):
    """A log says nothing of single items; beside others it is passed over."""


class Item(NamedTuple):
    """One answer: `right` is None where there is none, and a grade between 0 and 1 where it is partly right.

    `mark` tells items apart that have the same id in two files.
    `fields` is what the log says of the question beside: slices and clusters are made of it.
    """

    right: bool | float | None
    mark: str = ""
    fields: Mapping[str, object] = {}


# A question's id, and which of several answers to it this is.
Key = tuple[str, int]


@dataclass(slots=True)
class Run:
    """What one model did on one task. `measure` is what decided between right and wrong, `time` when it ran, `settings`
    how.

    A model that its log does not name is "": it is called by its folder where there are several.
    """

    model: str
    task: str
    measure: str
    place: str
    items: dict[Key, Item] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    time: str = ""
    folder: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)


# Which fields of a log make the slices, and the clusters: False says that there are none.
Slices = str | Sequence[str] | None
Clusters = str | bool | None


class LogRequest(NamedTuple):
    """What is asked of a log: the measure that decides, and from which value on it says right."""

    score: Measures = None
    right_from: float | None = None
    scale: Scale | None = None
    # Whether slices or clusters are made of what the log says of its questions.
    fields: bool = False

    def measure(self, names: list[str], place: str, what: str, usual: str | None = None) -> str:
        """The one measure of a log, or the first of those asked for that it has, or the usual one."""
        # A scorer's values may be named by their keys alone, where one scorer has such a key.
        keys = Counter(name.rpartition("/")[2] for name in names)
        known = {name.rpartition("/")[2]: name for name in names if keys[name.rpartition("/")[2]] == 1}
        words = [word if word in names else known.get(word, word) for word in self.words()]
        return one_measure(names, next((w for w in words if w in names), next(iter(words), usual)), place, what)

    def words(self) -> list[str]:
        """The measures that were asked for."""
        return [self.score] if isinstance(self.score, str) else list(self.score or ())

    def grade(self, value: object, place: str) -> bool | float | None:
        """A value of the measure as right, wrong, partly right, or (None) not answered."""
        return grade(value, self.right_from, place, self.scale)


@dataclass(slots=True)
class Record:
    """One answer as its log has it: measure → value. `epoch` says which of several it is, else they are counted.
    Logs of several models have a `model`, and a `part` that is said behind its name."""

    key: object
    scores: Mapping[str, object]
    fields: Mapping[str, object] = field(default_factory=dict)
    mark: object = ""
    epoch: int | None = None
    model: str = ""
    part: str = ""


@dataclass(slots=True)
class Log:
    """What a reader finds in one file; the rest is the same for all of them.

    `what` and `item` are its program's words for a measure and an answer, `usual` the measure (or the first that is
    there of several) taken where none is asked for, `measure` one that is chosen already; `of_measures` are notes that
    hold for one measure.
    """

    records: list[Record] = field(default_factory=list)
    model: str = ""
    task: str = "task"
    time: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    of_measures: dict[str, str] = field(default_factory=dict)
    what: str = "score"
    item: str = "item"
    usual: str | tuple[str, ...] = ()
    measure: str = ""

    def runs(self, file: Path, name: str | None, asked: LogRequest) -> list[Run]:
        """The runs of its models, `name` where the user gave one."""
        names = list(dict.fromkeys(measure for record in self.records for measure in record.scores))
        usual = next((u for u in ([self.usual] if isinstance(self.usual, str) else self.usual) if u in names), None)
        measure = self.measure or asked.measure(names, file.name, self.what, usual)
        about = self.of_measures.get(measure)
        runs: dict[str, Run] = {}
        seen: Counter[tuple[str, str]] = Counter()
        for record in self.records:
            model, key = f"{name or record.model or self.model}{record.part}", str(record.key)
            run = runs.setdefault(
                model, Run(model, self.task, measure, file.name, time=self.time, settings=self.settings)
            )
            seen[model, key] += 1
            right = asked.grade(record.scores.get(measure), f"{file.name}, {self.item} {key}: {measure}")
            place = key, record.epoch or seen[model, key]
            if place in run.items:
                raise FileError(f"{file.name} holds item {key} more than once")
            run.items[place] = Item(right, str(record.mark), record.fields)
        for run in runs.values():
            run.notes = [*self.notes, *([about] if about else [])]
        return list(runs.values())


def part(row: object, name: object) -> dict[str, Any]:
    """The object under a name; none where something else is there."""
    inner = row.get(name) if isinstance(row, Mapping) else None
    return inner if isinstance(inner, dict) else {}


class LogReader:
    """A function from a file and what is asked of it to its Log, as a reader of files, folders, patterns and lists. All
    readers take the same options; their words are those of the function."""

    def __init__(self, read: Callable[[Path, LogRequest], Log], forms: tuple[LogForm, ...] = ()) -> None:
        self.read, self.forms = read, forms
        update_wrapper(self, read, assigned=("__module__", "__name__", "__qualname__", "__doc__"), updated=())
        del self.__dict__["__wrapped__"]

    def __call__(
        self, source: Source, *, score: Measures = None, right_from: float | None = None, scale: Scale | None = None,
        by: Slices = None, cluster: Clusters = None, missing: Missing = "error",
    ) -> Predictions:  # fmt: skip
        if scale is not None and right_from is not None:
            raise InputError("scale= takes grades as they are, and right_from= makes them right or wrong: give one")
        fields = by is not None or isinstance(cluster, str)
        log_runs = self.runs(source, LogRequest(score, right_from, scale, fields))
        return graded_runs(log_runs, missing=missing, by=by, cluster=cluster, scale=scale)

    def runs(self, source: Source, asked: LogRequest) -> list[Run]:
        """The runs in its files, for those who want each answer by itself."""
        files = files_of(source, self.read.__name__)
        folders = {file.parent for _, file in files}
        log_runs: list[Run] = []
        errors: list[UngradedError] = []
        for name, file in files:
            try:
                file_runs = self.read(file, asked).runs(file, name, asked)
            except UngradedError as error:
                errors.append(error)
                continue
            for run in file_runs:
                run.folder = "" if name else file.resolve().parent.name
                run.model = run.model or (run.folder if len(folders) > 1 else ONE_MODEL)
                log_runs.append(run)
        if not log_runs and errors:
            raise errors[0]
        if errors:
            log_runs[0].notes += [f"Left out: {reason}." for reason in errors]
        return _told_apart(log_runs)


def reads(*forms: LogForm) -> Callable[[Callable[[Path, LogRequest], Log]], LogReader]:
    """A function that reads one file into a Log, as a reader; `forms` say how its files are known."""
    return partial(LogReader, forms=forms)


def _told_apart(runs: list[Run]) -> list[Run]:
    """Runs of one model on one task are models of their own, called by their settings, time, folder or file."""
    in_order: dict[tuple[str, str], list[Run]] = {}
    for run in sorted(runs, key=lambda run: run.time):
        in_order.setdefault((run.model, run.task), []).append(run)
    again = {
        model for (model, _), group in in_order.items()
        if any(one.items.keys() & other.items.keys() for one, other in pairwise(group))
    }  # fmt: skip
    for model in again:
        mine = [group for (whose, _), group in in_order.items() if whose == model]
        words = {id(run): _own_settings(run, group) for group in mine for run in group}
        if all(len({words[id(run)] for run in group}) == len(group) for group in mine):
            for run in (run for group in mine for run in group):
                run.model = f"{model}, {words[id(run)]}" if words[id(run)] else model
        elif all(len({run.time for run in group}) == len(group) for group in mine):
            for place in range(max(map(len, mine))):
                together = [group[place] for group in mine if place < len(group)]
                for run in together:
                    run.model = f"{model}, {min(run.time for run in together)[:19]}"
        elif all(len({run.folder for run in group if run.folder}) == len(group) for group in mine):
            for run in (run for group in mine for run in group):
                run.model = run.folder
        elif all(len({run.place for run in group}) == len(group) for group in mine):
            for run in (run for group in mine for run in group):
                run.model = run.place.partition(".")[0]
    return runs


def _own_settings(run: Run, runs: Sequence[Run]) -> str:
    """The settings of a run in which others differ."""
    names = dict.fromkeys(name for one in runs for name in one.settings)
    differing = [name for name in names if any(one.settings.get(name) != run.settings.get(name) for one in runs)]
    return ", ".join(f"{name}={run.settings.get(name)}" for name in differing)


def graded_runs(
    runs: Iterable[Run], *, missing: Missing = "error", by: Slices = None, cluster: Clusters = None,
    scale: Scale | None = None,
) -> Predictions:  # fmt: skip
    """Runs of any models on any tasks as predictions: rows are items, joined on their ids; tasks are slices.

    Where a question was answered several times (epochs), each question is a cluster; where models answered it unequally
    often, it is a row, graded by the mean of each model's answers. `by` and `cluster` name fields of the questions.
    """
    runs = list(runs)
    if not runs or not any(run.items for run in runs):
        raise FileError(f"{runs[0].place if runs else 'the log'} holds no graded items")
    tasks = tuple(dict.fromkeys(run.task for run in runs))
    by_model = _by_model(runs)
    keys = list(dict.fromkeys(key for items in by_model.values() for key in items))
    _same_items(by_model, keys)
    notes = list(dict.fromkeys(note for run in runs for note in run.notes))
    ungraded = sum(item.right is None for items in by_model.values() for item in items.values())
    if uneven := _unequal_epochs(by_model, missing):
        by_model = {model: _means(items, missing) for model, items in by_model.items()}
        keys = list(dict.fromkeys(key for items in by_model.values() for key in items))
        notes.append(f"{uneven}: each question is graded by the mean of a model's answers to it.")
        if missing == "drop" and ungraded:
            notes.append(f"{ungraded:,} answers have no grade; they are left out.")
    repeated = {task for task, (_, epoch) in keys if epoch != 1}
    several = len(tasks) > 1
    fields = [next(m[key].fields for m in by_model.values() if key in m) for key in keys]
    questions = [f"{task}: {name}" if several else name for task, (name, _) in keys]
    by = [by] if isinstance(by, str) else by
    slices: object = [task for task, _ in keys] if several else None
    if by is not None:
        slices = intersections({name: _field(name, keys, fields, "by") for name in by})
    if cluster is True:
        raise InputError("cluster=True says nothing; name a field of the log, or False for none")
    clusters: list[object] | None = list(questions) if repeated and cluster is None else None
    if isinstance(cluster, str):
        named = _field(cluster, keys, fields, "cluster")
        clusters = [f"{task}: {name}" if several else name for (task, _), name in zip(keys, named, strict=True)]
    ids = [
        f"{question}, epoch {epoch}" if task in repeated else question
        for question, (task, (_, epoch)) in zip(questions, keys, strict=True)
    ]
    none = Item(None)
    if scale or any(isinstance(item.right, float) for items in by_model.values() for item in items.values()):
        grades = {
            model: [math.nan if (given := items.get(key, none).right) is None else given for key in keys]
            for model, items in by_model.items()
        }
        rows = mean_grades(grades, ids=ids, clusters=clusters, by=slices, missing=missing, scale=scale)
        what = "grades"
    else:
        words_of: dict[object, str | None] = {True: RIGHT, False: WRONG, None: None}
        called = {m: [words_of[items.get(key, none).right] for key in keys] for m, items in by_model.items()}
        rows = predictions(
            [RIGHT] * len(keys), called, labels=GRADES, ids=ids, clusters=clusters, by=slices, missing=missing
        )
        what = "right or wrong"
    words = {run.measure: f"{what} of {', '.join(by_model)}" for run in runs}
    words |= dict.fromkeys(by or (), "slice")
    words |= {cluster: "cluster"} if isinstance(cluster, str) else {}
    return replace(rows, roles=Roles({"id": "id", **words}), notes=(*rows.notes, *notes))


# What a model answered: (task, key) → item.
Answers = dict[tuple[str, Key], Item]


def _by_model(runs: Iterable[Run]) -> dict[str, Answers]:
    by_model: dict[str, Answers] = {}
    for run in runs:
        mine = by_model.setdefault(run.model, {})
        for key, item in run.items.items():
            if (run.task, key) in mine:
                raise FileError(
                    f"{run.place} is another run of {run.model} on {run.task}: read one of the two, or name them, as "
                    'in {"first": path, "second": path}'
                )
            mine[run.task, key] = item
    return by_model


class GradedAnswer(NamedTuple):
    """One answer to one question, with the cluster of the question where one was named."""

    model: str
    question: str
    grade: float
    cluster: object = None


def log_answers(source: Source, reader: object, asked: LogRequest, cluster: str | None) -> list[GradedAnswer]:
    """Every answer in logs by itself, NaN where there is no grade: for those who ask about repeats."""
    if not isinstance(reader, LogReader):
        name = getattr(reader, "__name__", "another program")
        raise InputError(f"a log of {name} holds classes, and repeats are of answers that are right, wrong or graded")
    by_model = _by_model(reader.runs(source, asked))
    several = len({task for items in by_model.values() for task, _ in items}) > 1
    answers = []
    for model, items in by_model.items():
        groups = cluster and _field(cluster, list(items), [item.fields for item in items.values()], "clusters")
        for place, ((task, (name, _)), item) in enumerate(items.items()):
            grade = math.nan if item.right is None else float(item.right)
            question = f"{task}: {name}" if several else name
            answers.append(GradedAnswer(model, question, grade, groups[place] if groups else None))
    return answers


def _means(items: Answers, missing: Missing) -> Answers:
    """One item a question, graded by the mean; a missing answer leaves none, unless it is left out or wrong."""
    answers: dict[tuple[str, str], list[Item]] = {}
    for (task, (name, _)), item in items.items():
        answers.setdefault((task, name), []).append(item)
    means = {}
    for (task, name), those in answers.items():
        grades = [0.0 if item.right is None and missing == "wrong" else item.right for item in those]
        known = [float(grade) for grade in grades if grade is not None]
        whole = known and (missing == "drop" or len(known) == len(grades))
        mean = math.fsum(known) / len(known) if whole else None
        means[task, (name, 1)] = those[0]._replace(right=mean)
    return means


def _field(name: str, keys: list[tuple[str, Key]], told: list[Mapping[str, object]], option: str) -> list[object]:
    """What the log says under one name of each item; the task, the id and the epoch are known of all."""
    built_in: dict[str, list[object]] = {
        "task": [task for task, _ in keys],
        "id": [question for _, (question, _) in keys],
        "epoch": [epoch for _, (_, epoch) in keys],
    }
    values = [_reached(fields, name) for fields in told]
    if all(value is None for value in values) and not any(name in fields for fields in told):
        if name in built_in:
            return built_in[name]
        known = list(dict.fromkeys([*(word for fields in told for word in fields), *built_in]))
        raise InputError(f"{option}={name!r}: the log has no such field{nearest(name, known)}")
    return ["not given" if value is None else _plain(value) for value in values]


def _reached(fields: Mapping[str, object], name: str) -> object:
    """A field by its name, or within others as in source.book."""
    if name in fields:
        return fields[name]
    outer, _, inner = name.partition(".")
    within = fields.get(outer)
    return _reached(within, inner) if inner and isinstance(within, Mapping) else None


def _plain(value: object) -> object:
    """A field as the name of a group."""
    return value if isinstance(value, str | int | float) else str(value)


def _unequal_epochs(by_model: Mapping[str, Answers], missing: Missing) -> str:
    """Who answered the same questions how often, where models differ: epochs that one never ran are not wrong. Answers
    that are left out make a difference too, also between the questions of one model: each question counts the same."""
    gone = missing == "drop"
    times = {
        m: Counter((task, name) for (task, (name, _)), item in items.items() if not gone or item.right is not None)
        for m, items in by_model.items()
    }
    for question in dict.fromkeys(q for counted in times.values() for q in counted):
        often = {m: counted[question] for m, counted in times.items() if question in counted}
        low, high = min(often, key=lambda m: often[m]), max(often, key=lambda m: often[m])
        if often[low] < often[high]:
            return f"{low} answered questions of {question[0]} {_times(often[low])} and {high} {_times(often[high])}"
    for model, counted in times.items() if gone else ():
        some = len(counted) < sum(counted.values()) < len(by_model[model])
        for task in {task for task, _ in counted} if some else ():
            mine = {n for (which, _), n in counted.items() if which == task}
            if len(mine) > 1:
                return f"{model} answered some questions of {task} {_times(min(mine))} and others {_times(max(mine))}"
    return ""


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _same_items(by_model: Mapping[str, Mapping[tuple[str, Key], Item]], keys: list[tuple[str, Key]]) -> None:
    """Models that answered other questions under the same ids cannot be paired."""
    for key in keys:
        marks = {m: items[key].mark for m, items in by_model.items() if key in items and items[key].mark}
        if len(set(marks.values())) > 1:
            names = list(marks)
            raise InputError(
                f"item {key[1][0]} of {key[0]} is not the same for {names[0]} and {names[1]}: their logs hold "
                "different questions, so the models cannot be compared row by row"
            )


def grade(value: object, right_from: float | None, place: str, scale: Scale | None = None) -> bool | float | None:
    """A score as right or wrong: 1 is right, 0 is wrong, None and NaN are no answer; between them it is a grade, unless
    `right_from` says from which score an answer is right; beyond them it has to, or `scale` says what grades can be."""
    if value is None or (isinstance(value, str) and value.strip().lower() in NO_GRADE):
        return None
    if isinstance(value, bool):
        return value if scale is None else float(value)
    if isinstance(value, str) and (word := value.strip().lower()) in SAYS_RIGHT | SAYS_WRONG:
        value = float(word in SAYS_RIGHT)
    try:
        number = float(cast("Numeric", value))
    except (TypeError, ValueError):
        raise FileError(f"{place} is {value!r:.40}, which is neither right nor wrong") from None
    if math.isnan(number):
        return None
    if scale is not None:
        return number
    if right_from is not None:
        return number >= right_from
    if number in (0.0, 1.0):
        return number == 1.0
    if 0 < number < 1:
        return number
    raise FileError(
        f"{place} is {number:g}, neither right (1) nor wrong (0) nor between them: say between which values it can "
        "lie, as in scale=(1, 5), or pass right_from=, the score from which an answer counts as right"
    )


def one_measure(names: list[str], asked: str | None, place: str, what: str) -> str:
    """The one measure of a log, or the one asked for; several are never guessed between."""
    if asked is not None:
        if asked in names:
            return asked
        raise InputError(f"{place} has no {what} {asked!r}{nearest(asked, names)}")
    if len(names) == 1:
        return names[0]
    if not names:
        raise FileError(f"{place} holds no {what}")
    raise InputError(f"{place} has several {what}s, {', '.join(map(repr, names[:12]))}: choose one with score=")


# Columns whose name says that they hold right or wrong, alone or beside a model's name, and the words for both.
RIGHT_NAMES = word_set(
    "correct iscorrect wascorrect correctness isright wasright rightwrong passed ispassed success succeeded solved "
    "resolved exactmatch em acc accuracy"
)
MARKED = re.compile(r"(?:(.+)[ _.:\-])?(is[ _.\-]?correct|correct|passed|exact[ _.\-]match|solved|acc)", re.IGNORECASE)
MARKED_BEFORE = re.compile(r"(is[ _.\-]?correct|correct|passed)[ _.:\-](.+)", re.IGNORECASE)
SAYS_RIGHT = word_set("1 1.0 true t yes y right correct c pass passed success ok")
SAYS_WRONG = word_set("0 0.0 false f no n wrong incorrect i fail failed failure")
# What stands where there is no grade.
NO_GRADE = frozenset(("", "none", "nan", "null", "na", "n/a", "error"))
# Words that say right or wrong by themselves, whatever the column is called.
PLAIN_WORDS = word_set("right wrong correct incorrect pass fail passed failed")
# Columns that number several answers to one question.
EPOCH_NAMES = word_set("epoch epochs trial attempt sampleindex completion iteration seed run turn")
TRUTH_OF_GRADES = "the right answer"
RightColumns = str | Sequence[str] | bool | None


def right_or_wrong(
    table: InputTable, asked: ColumnRequest, right: RightColumns, right_from: float | None
) -> tuple[InputTable, ColumnRequest] | None:
    """A table of right and wrong answers as one of predictions whose truth is "right"; None where it is none.

    `right` names the columns (True: all that hold 0 and 1); without it they are known by their names or their words,
    where no column is the truth. One column beside a column of models is a long table; else each is a model.
    """
    columns = _right_columns(table, asked, right)
    if not columns:
        if right_from is not None:
            raise InputError("right_from= says from which score an answer is right: name the column with right=")
        return None
    for option in ("truth", "label", "score"):
        if getattr(asked, option) is not None:
            raise InputError(f"right= says who was right, so there is no {option}=; leave one of the two out")
    whose = _whose(table, asked) if len(columns) == 1 else None
    values: dict[str, object] = {name: table.values(name) for name in table.columns}
    for column in columns.values():
        values[column] = _grades_of(table, column, right_from)
    values[TRUTH_OF_GRADES] = [RIGHT] * table.n
    request = replace(asked, truth=TRUTH_OF_GRADES, labels=GRADES)
    if whose is None:
        if not isinstance(asked.models, Mapping):
            request = replace(request, models={name: {"label": column} for name, column in columns.items()})
    else:
        request = replace(request, models=asked.models or whose, label=next(iter(columns.values())))
    return remade(table, values), _with_epochs(table, request, whose)


def says_who_was_right(table: InputTable) -> bool:
    """Whether a table holds right and wrong answers, by its names and words."""
    return bool(_right_columns(table, ColumnRequest(), None))


def _right_columns(table: InputTable, asked: ColumnRequest, right: RightColumns) -> dict[str, str]:
    """Model → its column of right and wrong; nothing where there is none."""
    if right is False:
        return {}
    if right is True:
        words = SAYS_RIGHT | SAYS_WRONG
        every = {c: c for c in table.columns if table.kind(c) != "date" and _two_words(table, c, words)}
        if not every:
            raise InputError(f"right=True: no column of {table.name} holds 0 and 1, or right and wrong, alone")
        return every
    if right is not None:
        named = list(right) if isinstance(right, Iterable) and not isinstance(right, str) else [right]
        if not named:
            raise InputError("right= names no column")
        asked_names = [need_column(table, name, "right") for name in named]
        marks = {c: _marked_right(c) for c in asked_names}
        alone = len(asked_names) == 1
        return {(marks[c] or (ONE_MODEL if alone and marks[c] == "" else c)): c for c in asked_names}
    if asked.truth is not None or asked.label is not None or isinstance(asked.models, Mapping):
        return {}
    if any(bare(c) in TRUTH for c in table.columns):
        return {}
    named_so = {m or ONE_MODEL: c for c in table.columns if (m := _marked_right(c)) is not None and _graded(table, c)}
    if named_so:
        return named_so
    return {c: c for c in table.columns if _two_words(table, c, PLAIN_WORDS)}


def _marked_right(name: str) -> str | None:
    """Whose right and wrong a column holds by its name: "" for nobody's; None where the name does not say so.

    >>> [_marked_right(name) for name in ("correct", "gpt-4o_correct", "is_correct_llama", "score")]
    ['', 'gpt-4o', 'llama', None]
    """
    if bare(name) in RIGHT_NAMES:
        return ""
    before = MARKED_BEFORE.fullmatch(name)
    if before:
        return before[2]
    after = MARKED.fullmatch(name)
    return None if after is None else after[1] or ""


def _two_words(table: InputTable, column: str, words: frozenset[str]) -> bool:
    values = table.few(column, 3)
    return bool(values) and len(values or ()) <= 2 and all(str(v).strip().lower() in words for v in values or ())


def _graded(table: InputTable, column: str) -> bool:
    """Whether a column could hold grades: words for right and wrong, numbers, or both; some may be gone."""
    if table.kind(column) in ("boolean", "integer", "number"):
        return True
    words = {str(v).strip().lower() for v in table.few(column, 20) or ()} - NO_GRADE
    rest = words - SAYS_RIGHT - SAYS_WRONG
    return bool(words) and (not rest or (rest < words and all(re.fullmatch(r"-?[\d.]+", v) for v in rest)))


def _whose(table: InputTable, asked: ColumnRequest) -> str | None:
    """The column of a long table that says whose answer a row is."""
    if isinstance(asked.models, str):
        return need_column(table, asked.models, "models")
    if isinstance(asked.models, Mapping):
        return None
    return whose_column(table)


def _grades_of(table: InputTable, column: str, right_from: float | None) -> list[str | None]:
    """The column in two words."""
    grades: list[str | None] = []
    values = table.values(column)
    for row, (value, gone) in enumerate(zip(values, missing_rows(values), strict=True), 1):
        if gone:
            grades.append(None)
            continue
        word = str(value).strip().lower()
        if right_from is None and word in SAYS_RIGHT | SAYS_WRONG:
            grades.append(RIGHT if word in SAYS_RIGHT else WRONG)
            continue
        right = grade(
            value.item() if isinstance(value, np.generic) else value,
            right_from,
            f"row {row:,} of {column!r} in {table.name}",
        )
        if isinstance(right, float):
            raise FileError(
                f"row {row:,} of {column!r} in {table.name} is {right:g}, which is neither right (1) nor wrong (0): "
                f"grade={column!r} takes grades as they are, and right_from= says which scores are right"
            )
        grades.append(None if right is None else RIGHT if right else WRONG)
    return grades


def _with_epochs(table: InputTable, asked: ColumnRequest, whose: str | None) -> ColumnRequest:
    """Several answers to one question are repeats of it; and rows of several models pair by ids, never by their order:
    where every truth is "right", nothing would show that the orders differ."""
    if asked.id is None and asked.repeat is None:
        numbered = [c for c in table.columns if bare(c) in EPOCH_NAMES]
        if len(numbered) == 1:
            asked = replace(asked, repeat=numbered[0])
    if whose is not None and asked.id is None and not any(bare(c) in ID for c in table.columns):
        spare = [c for c in table.columns if c not in (whose, asked.label)]
        if item_column(table, whose, spare) is None:
            raise ColumnError(
                f"no column of {table.name} says which question a row answers, so the models cannot be paired: name it "
                "with id=, or id=False where all models have their rows in one order"
            )
    return asked
