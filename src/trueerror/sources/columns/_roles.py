"""The role of each column (truth, id, cluster, fold, models, …): as the user named it, else by its name and values."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from trueerror.inputs._arrays import WeightsKind, as_objects, missing_rows
from trueerror.inputs._cells import are_dates
from trueerror.inputs._labels import (
    Label,
    code_column,
    find_label,
    natural_labels,
    natural_positive,
    typed_label,
    with_declared,
)
from trueerror.inputs._options import ColumnError, InputError, nearest
from trueerror.sources._paths import check_width
from trueerror.sources._predictions import KINDS, ONE_MODEL, ColumnRole, ColumnRoles, RoleKind, Roles, role_words
from trueerror.sources._tables import (
    LOOKED_AT,
    InputTable,
    Layout,
    ModelLayout,
    need_column,
    odd_labels,
    respelt_labels,
    spoilt_scores,
)
from trueerror.sources.columns._names import (
    CLUSTER,
    CONFIDENCE,
    CORRECT,
    EVERYDAY,
    FOLD,
    GRADE,
    ID,
    LEARNER,
    MODEL,
    NO_NUMBER,
    PREDICTED,
    REPEAT,
    ROW_NUMBER,
    SCORE,
    TRUTH,
    TRUTH_BEGINS,
    TRUTH_WORD,
    WEAK_MODEL,
    WEIGHT,
    Part,
    bare,
    ends_in_class,
    has_other_ending,
    item_column,
    marked,
    refuse_nothing,
)

# A column's name, False for "there is none, whatever it looks like", None for "see for yourself".
ColumnChoice = str | bool | None
ModelChoice = str | Sequence[str] | Mapping[str, object] | None
WEAK_TRUTH = frozenset({"label", "labels", "class"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRequest:
    """What the user said of the columns."""

    truth: str | None = None
    models: ModelChoice = None
    label: str | None = None
    score: object = None
    id: ColumnChoice = None
    cluster: ColumnChoice = None
    crossed: ColumnChoice = None
    time: ColumnChoice = None
    by: str | None = None
    fold: ColumnChoice = None
    repeat: ColumnChoice = None
    weight: ColumnChoice = None
    weights_kind: WeightsKind | None = None
    labels: Iterable[object] | None = None
    positive: object = None


def resolve(table: InputTable, asked: ColumnRequest) -> tuple[Layout, tuple[Label, ...]]:
    """The roles of all columns, and the labels that the truth holds."""
    check_width(len(table.columns), table.name)
    roles: dict[str, ColumnRoles] = {}
    model = _model_column(table, asked)
    truth = _truth_column(table, asked, long=model is not None)
    roles[truth] = (ColumnRole("truth"),)
    if model is not None:
        roles[model] = (ColumnRole("model"),)
    named = _other_roles(table, asked, roles, long=model is not None)
    _as_written(table, truth, named)
    labels = _known_labels(table, truth, asked.labels)
    declared = with_declared(labels, asked.positive) if asked.labels is None else labels
    fresh, labels = declared != labels, declared
    positive = natural_positive(labels) if asked.positive is None else find_label(asked.positive, labels)
    if asked.labels is None and asked.positive is None:
        refuse_nothing(table, truth, labels)
    finder = ModelFinder(table, labels, positive, roles)
    models = finder.long(asked.label, asked.score) if model is not None else finder.wide(
        asked.models, asked.label, asked.score
    )  # fmt: skip
    for column in table.columns:
        roles.setdefault(column, unused_column())
    if model is not None and "id" not in named and asked.id is None:
        spare = [c for c in table.columns if roles[c][0].kind == "left out"]
        id_column = item_column(table, model, spare)
        if id_column is not None:
            named["id"], roles[id_column] = id_column, (ColumnRole("id"),)
        else:
            finder.notes.append("Without ids, rows of the models were matched by their order.")
    layout = Layout(
        truth=truth,
        models=models,
        id=named.get("id"),
        keys={kind: named[kind] for kind in KINDS if kind in named},
        weight=named.get("weight"),
        model=model,
        roles={column: roles[column] for column in table.columns},
        notes=(*finder.notes, *Roles({column: roles[column] for column in table.columns}).left_out),
        declared=labels if fresh else None,
    )
    return layout, labels


def _as_written(table: InputTable, truth: str, named: Mapping[str, str]) -> None:
    """Labels and keys are numbers only where each is written as it is printed; so are answers beside such a truth."""
    numbers = {"integer": ("number",), "number": ("integer", "number")}.get(table.kind(truth), ())
    values = set(table.few(truth, MOST_CLASSES) or ()) if numbers else set()
    answers = [c for c in table.columns if values and c != truth and table.kind(c) in numbers]
    answers = [c for c in answers if set(table.few(c, len(values)) or (math.nan,)) <= values]
    table.as_written([truth, *answers], [c for role, c in named.items() if role != "weight"])


def _model_column(table: InputTable, asked: ColumnRequest) -> str | None:
    """In a long table, the column that says whose answer a row is."""
    if isinstance(asked.models, str) and asked.models in table.columns:
        column = asked.models
        # models="svm" may also name the one column that holds a model's answers.
        return column if table.kind(column) in ("text", "integer") and _answers(table, column, asked) else None
    if isinstance(asked.models, Mapping):
        return None
    candidates = [c for c in table.columns if bare(c) in MODEL and table.kind(c) in ("text", "integer")]
    if len(candidates) != 1 or not _answers(table, candidates[0], asked):
        return None
    return candidates[0]


def _answers(table: InputTable, model: str, asked: ColumnRequest) -> bool:
    """Whether there is a column of labels or scores beside a column of model names."""
    if asked.label is not None or asked.score is not None:
        return True
    names = {bare(c) for c in table.columns if c not in (model, asked.truth)}
    if names & (PREDICTED | SCORE):
        return True
    others = [c for c in table.columns if bare(c) in TRUTH and c != model]
    return len(others) > 1 and bool(names & WEAK_TRUTH)


def _truth_column(table: InputTable, asked: ColumnRequest, *, long: bool) -> str:
    if asked.truth is not None:
        return need_column(table, asked.truth, "truth")
    spoken = _mentioned(asked)
    candidates = [c for c in table.columns if bare(c) in TRUTH and c not in spoken]
    candidates = [c for c in candidates if bare(c) != "reference" or not _is_prose(table, c)]
    if long and len(candidates) > 1:
        candidates = [c for c in candidates if bare(c) not in WEAK_TRUTH] or candidates
    candidates = candidates or [
        c for c in table.columns if c not in spoken and _says_truth(c) and not _is_prose(table, c)
    ]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise ColumnError(
            f"several columns of {table.name} could be the truth: {_listed(candidates)}; say which with truth="
        )
    raise ColumnError(
        f"cannot tell which column of {table.name} holds the truth; name it with truth=; there are "
        f"{_listed(table.columns)}{_maybe_grades(table)}"
    )


MOST_CLASSES = 200


def _is_prose(table: InputTable, column: str) -> bool:
    """Whether a column holds answers in words rather than classes: nearly every row has its own."""
    return table.few(column, MOST_CLASSES) is None or (table.n > 9 and 2 * (table.distinct(column) or 0) > table.n)


def whose_column(table: InputTable, taken: Collection[str] = ()) -> str | None:
    """The column of a long table of grades that says whose answer a row is, by its name."""
    left = [c for c in table.columns if c not in taken and table.kind(c) in ("text", "integer")]
    weak = [c for c in left if bare(c) in WEAK_MODEL and 1 < len(table.few(c, 20) or ()) < table.n / 2]
    found = [c for c in left if bare(c) in MODEL] or weak
    return max(found, key=lambda c: len(table.few(c, 1000) or ()), default=None)  # a model rather than its provider


def _says_truth(name: str) -> bool:
    """Whether a part of a name says that the column holds the truth.

    >>> [_says_truth(name) for name in ("churn (actual)", "true_class", "instance.label", "svm_label", "actuality")]
    [True, True, True, False, False]
    """
    words = re.findall(r"[a-z]+", name.lower()) or [""]
    return bool({words[0], words[-1]} & TRUTH_WORD) or ("." in name and bare(name.rpartition(".")[2]) in TRUTH)


def _maybe_grades(table: InputTable) -> str:
    """Columns of 0 and 1 may say who was right, scores may be grades, and rows battles; that is never guessed."""
    names = {bare(c) for c in table.columns}
    if any({f"{word}{end}" for end in ends} <= names for word in ("model", "generator") for ends in ("ab", "12")):
        return ". If its rows are battles of two models: te.arena, trueerror arena"
    binary_columns = [c for c in table.columns if set(table.few(c, 2) or (2,)) <= {0, 1}]
    if len(binary_columns) == 1 and any(table.kind(c) == "number" and _is_grade(table, c) for c in table.columns):
        return f". Is it {binary_columns[0]!r}, which holds 0 and 1? truth={binary_columns[0]!r}"
    if binary_columns:
        return f". Or if {_listed(binary_columns)} say who was right (1) or wrong (0): right=True"
    scored = [c for c in table.columns if bare(c) in GRADE and table.kind(c) in ("integer", "number")]
    if not scored:
        classes = any(not _is_prose(table, c) for c in table.columns if table.kind(c) != "number")
        parts = [c for c in table.columns if not classes and table.kind(c) == "number" and _is_grade(table, c)]
        return f". Or if {_listed(parts)} hold grades of each answer, choose one: grade={parts[0]!r}" if parts else ""
    seen = table.few(scored[0], 50) or table.first(scored[0], 50)
    scale = " with scale=, its two ends" if any(isinstance(v, int | float) and not 0 <= v <= 1 for v in seen) else ""
    return f". Or if {scored[0]!r} is a grade of each answer: grade={scored[0]!r}{scale}"


def _is_grade(table: InputTable, column: str) -> bool:
    return all(isinstance(v, float) and 0 <= v <= 1 for v in table.few(column, 50) or table.first(column, 50))


def _mentioned(asked: ColumnRequest) -> set[str]:
    """Columns that the user gave another role."""
    mentioned: set[str] = {c for c in (asked.label, asked.score, asked.by) if isinstance(c, str)}
    for choice in (asked.id, asked.cluster, asked.crossed, asked.time, asked.fold, asked.repeat, asked.weight):
        mentioned |= {choice} if isinstance(choice, str) else set()
    if isinstance(asked.models, str):
        mentioned.add(asked.models)
    elif isinstance(asked.models, Mapping):
        for spec in asked.models.values():
            mentioned |= {spec} if isinstance(spec, str) else set()
            if isinstance(spec, Mapping):
                for part in spec.values():
                    mentioned |= set(part.values()) if isinstance(part, Mapping) else {part}
    elif asked.models is not None:
        if not isinstance(asked.models, Iterable):
            raise InputError(f"models={asked.models!r:.40} must be a list of columns, or {{name: column}}")
        mentioned |= {name for name in asked.models if isinstance(name, str)}
    return mentioned


def _other_roles(
    table: InputTable, asked: ColumnRequest, roles: dict[str, ColumnRoles], *, long: bool
) -> dict[str, str]:
    """id, clusters, slices, folds, repeats and weight, each where it was named or is plain."""
    spoken = _mentioned(asked)
    named: dict[str, str] = {}
    refused: dict[str, ColumnRoles] = {}

    def settle(role: str, option: str, choice: ColumnChoice, known: frozenset[str], kind: RoleKind) -> None:
        if choice is not None:
            # A column that looks like this role and does not have it is no model either.
            for column in table.columns:
                if bare(column) in known and column not in spoken and column not in roles:
                    why = "it was said that there is none" if choice is False else f"{choice!r} was named instead"
                    refused[column] = unused_column(f"its name says {option}, but {why}")
        if choice is False:
            return
        if choice is not None:
            if choice is True:
                raise ColumnError(f"{option}=True says nothing; name a column, or False for none")
            column = need_column(table, choice, option)
            if column in roles:
                raise ColumnError(f"{option}={column!r}: that column is the {role_words(roles[column])} already")
        else:
            candidates = [c for c in table.columns if bare(c) in known and c not in roles and c not in spoken]
            if not candidates:
                return
            plain = [c for c in candidates if c.lower() == option]
            if len(candidates) > 1 and len(plain) != 1:
                raise ColumnError(
                    f"several columns of {table.name} could be the {option}: {_listed(candidates)}; say which with "
                    f"{option}=, or {option}=False for none"
                )
            column = candidates[0] if len(candidates) == 1 else plain[0]
        named[role] = column
        why = str(asked.weights_kind) if kind == "weight" else "its name" if choice is None else ""
        roles[column] = (ColumnRole(kind, why=why),)

    settle("slices", "by", asked.by, frozenset(), "slice")
    settle("id", "id", asked.id, ID, "id")
    settle("folds", "fold", asked.fold, FOLD, "fold")
    settle("repeats", "repeat", asked.repeat, REPEAT, "repeat")
    settle("clusters", "cluster", asked.cluster, CLUSTER, "cluster")
    settle("crossed", "cluster", asked.crossed, frozenset(), "cluster")
    settle("times", "time", asked.time, frozenset(), "time")
    if asked.weight is not None or asked.weights_kind is not None:
        settle("weight", "weight", asked.weight, WEIGHT, "weight")
    for column in table.columns:
        if column in roles or column in spoken:
            continue
        if column in refused and bare(column) not in ID:
            roles[column] = refused[column]
        elif bare(column) in WEIGHT:
            roles[column] = unused_column("weights are used when weight= and weights_kind= are given")
        elif bare(column) in ROW_NUMBER | ID:
            if "id" not in named and asked.id is None and not long and table.distinct(column) == table.n:
                named["id"], roles[column] = column, (ColumnRole("id"),)
            else:
                roles[column] = unused_column("row numbers")
    if asked.cluster is None and "clusters" in named and table.distinct(named["clusters"]) == table.n:
        roles[named.pop("clusters")] = unused_column("every row has a different value, so it cannot define groups")
    return named


def _known_labels(table: InputTable, truth: str, given: Iterable[object] | None) -> tuple[Label, ...]:
    place = f"column {truth!r} of {table.name}"
    if table.filled(truth) == 0:
        raise InputError(f"{place} is empty: there is no truth to compare with")
    if table.kind(truth) == "other":
        raise InputError(f"{place} holds neither text nor whole numbers nor booleans; it cannot be the truth")
    try:
        labels = code_column(as_objects(table.few(truth, table.n) or ()), place).values
    except InputError:
        labels = ()
    # Where a value is no label, the column itself says in which row.
    labels = natural_labels(labels or code_column(table.values(truth), place).values)
    if given is None:
        return labels
    typed = [typed_label(v, labels) for v in given]
    return (*typed, *(v for v in labels if v not in typed))


def _listed(columns: Iterable[str]) -> str:
    names = [repr(c) for c in columns]
    return ", ".join(names[:30]) + (f" and {len(names) - 30} more" if len(names) > 30 else "")


NUMERIC = ("boolean", "integer", "number")


def unused_column(why: str = "") -> ColumnRoles:
    """The role of a column that has none."""
    return (ColumnRole("left out", why=why),)


class ModelFinder:
    """Finds the models of a table; `roles` says how each column was read, and grows on the way."""

    def __init__(
        self, table: InputTable, labels: tuple[Label, ...], positive: Label | None, roles: dict[str, ColumnRoles]
    ) -> None:
        self.table = table
        self.labels = labels
        self.known = frozenset(labels)
        self.positive = positive
        self.roles = roles
        self.notes: list[str] = []
        self.models: dict[str, ModelLayout] = {}
        self.spoilt: dict[str, str] = {}

    # What was named.

    def wide(self, models: ModelChoice, label: str | None, score: object) -> dict[str, ModelLayout]:
        """The models of a table with one row for each item."""
        if label is not None or score is not None:
            if models is None and (columns := self._by_model(label, score)):
                return self.wide(columns, None, None)
            if models is not None:
                raise InputError('label= and score= name the columns of one model; for several use models={"name": …}')
            named = score if label is None else label
            inner = marked(named) if isinstance(named, str) else None
            self._enter((inner.model if inner else "") or ONE_MODEL, {"label": label, "score": score})
        elif models is None:
            self._look()
        elif isinstance(models, Mapping):
            for name, spec in models.items():
                self._enter(str(name), spec)
        else:
            for name in [models] if isinstance(models, str) else models:
                self._enter_named(name)
        if not self.models:
            raise self._nothing()
        return self.models

    def _by_model(self, label: object, score: object) -> dict[str, dict[str, object]]:
        """`score={"svm": "p_svm", "tree": "p_tree"}`: names that are no classes are models; the same for labels."""
        classes = {str(v) for v in self.labels}
        given = {"label": label, "score": score}
        maps = {kind: v for kind, v in given.items() if isinstance(v, Mapping) and not classes & {str(k) for k in v}}
        if not maps or any(v is not None and kind not in maps for kind, v in given.items()):
            return {}
        names = dict.fromkeys(name for columns in maps.values() for name in columns)
        return {str(m): {kind: columns[m] for kind, columns in maps.items() if m in columns} for m in names}

    def long(self, label: str | None, score: object) -> dict[str, ModelLayout]:
        """The columns that hold every model's answers in a table with one row for each item and model."""
        layout = ModelLayout()
        rest = [c for c in self.table.columns if c not in self.roles and self.table.filled(c)]
        if label is None and score is None:
            labelled = [c for c in rest if bare(c) in PREDICTED | {"label", "labels", "class"}]
            scored = [c for c in rest if bare(c) in SCORE]
            for columns, option in ((labelled, "label"), (scored, "score")):
                if len(columns) > 1:
                    listed = ", ".join(map(repr, columns))
                    raise ColumnError(f"several columns could hold the {option}s: {listed}; say which with {option}=")
            label = labelled[0] if labelled else None
            score = scored[0] if scored else None
        if label is not None:
            layout = replace(layout, label=self._take(label, "label", ColumnRole("labels")))
        if score is not None:
            layout = self._with_scores(layout, score, "score", "the model")
        classes = None if layout.score is not None or layout.class_scores else self._class_groups(rest).get("")
        if classes is not None:
            layout = replace(layout, class_scores=classes)
        for column in self.table.columns:
            self.roles.setdefault(column, unused_column("it has no role in a long table"))
        if not layout.columns():
            raise self._nothing()
        return {"": layout}

    def _enter(self, name: str, spec: object) -> None:
        option = f"models[{name!r}]"
        if isinstance(spec, str):
            column = need_column(self.table, spec, option)
            self._add(name, self._explicit_part(column), column)
            return
        if not isinstance(spec, Mapping):
            raise InputError(f'{option} must be a column, or {{"label": column, "score": column}}, not {spec!r:.40}')
        unknown = next((key for key in spec if key not in ("label", "score")), None)
        if unknown is not None:
            raise InputError(f"{option} has {unknown!r}{nearest(unknown, ('label', 'score'))}")
        layout = ModelLayout()
        if spec.get("label") is not None:
            layout = replace(
                layout, label=self._take(spec["label"], f"{option}['label']", ColumnRole("labels", model=name))
            )
        if spec.get("score") is not None:
            layout = self._with_scores(layout, spec["score"], f"{option}['score']", name)
        if not layout.columns():
            raise InputError(f"{option} names neither a label column nor a score column")
        self.models[name] = layout

    def _enter_named(self, name: str) -> None:
        """A name in models=[…]: a column, or what stands before _label and _score in two of them."""
        if name in self.table.columns:
            inner = marked(name)
            self._add((inner.model or ONE_MODEL) if inner else name, self._explicit_part(name), name)
            return
        parts = {c: marked(c) for c in self.table.columns if c not in self.roles}
        mine = [(c, m) for c, m in parts.items() if m is not None and m.model == name]
        if not mine:
            known = [*self.table.columns, *(m.model for m in parts.values() if m is not None)]
            raise ColumnError(f"models= names {name!r}: {self.table.name} has no such column{nearest(name, known)}")
        for column, mark in mine:
            self._add(name, mark.part, column)

    def _explicit_part(self, column: str) -> Part:
        """A column that the user named holds labels, unless it can only hold scores."""
        kind = self.table.kind(column)
        if self.holds_labels(column):
            return "label"
        if kind == "text":
            self._refuse_spoilt(column, named=True)
        if kind in ("text", "boolean"):
            return "label"
        if kind not in NUMERIC:
            raise InputError(f"column {column!r} of {self.table.name} holds neither labels nor scores")
        return "label" if len(self.labels) > 2 and self.table.is_whole(column) else "score"

    def _with_scores(self, layout: ModelLayout, score: object, option: str, name: str) -> ModelLayout:
        if not isinstance(score, Mapping):
            column = self._take(score, option, ColumnRole("scores", model=name))
            self._need_numbers(column)
            return replace(layout, score=column)
        classes: dict[Label, str] = {}
        for label, given in score.items():
            known = typed_label(label, self.labels, option)
            role = ColumnRole("scores", model=name, label=str(known))
            column = self._take(given, f"{option}[{label!r}]", role)
            self._need_numbers(column)
            classes[known] = column
        if len(classes) == 1 and len(self.labels) == 2:
            ((label, column),) = classes.items()
            self._need_positive(label, column)
            return replace(layout, score=column)
        return replace(layout, class_scores=classes)

    def _need_numbers(self, column: str) -> None:
        if self.table.filled(column) == 0:
            raise InputError(f"column {column!r} of {self.table.name} is empty")
        if self.table.kind(column) not in NUMERIC:
            what = {"text": "text", "date": "dates"}.get(self.table.kind(column), "something else")
            raise InputError(f"column {column!r} of {self.table.name} holds {what}, not scores")

    def _refuse_spoilt(self, column: str, *, named: bool = False) -> None:
        """A model that is left out because of one cell would be missed by nobody; one that is named is not left out."""
        if wrong := self._spoilt(column, named=named):
            raise InputError(f"{wrong}; or name the models that are meant with models=")

    def _spoilt(self, column: str, *, named: bool = False) -> str:
        return (
            spoilt_scores(self.table, column)
            or respelt_labels(self.table, column, self.labels)
            or ("" if named else odd_labels(self.table, column, self.labels))
        )

    def _need_positive(self, label: Label, column: str) -> None:
        if self.positive is None:
            raise InputError(f"column {column!r} holds scores of {label!r}: say positive={label!r} to use them")
        if self.positive != label:
            raise InputError(f"column {column!r} holds scores of {label!r}, but positive is {self.positive!r}")

    def _take(self, column: object, option: str, role: ColumnRole) -> str:
        name = need_column(self.table, column, option)
        before = self.roles.get(name, unused_column())
        if before[0].kind == "truth":
            raise ColumnError(f"{option}={name!r}: that column is the truth; it cannot also be a model's answer")
        self.roles[name] = (role,) if before[0].kind == "left out" else (*before, role)
        return name

    # What can be seen.

    def _look(self) -> None:
        rest = tuple(c for c in self.table.columns if c not in self.roles)
        for name, columns in self._class_groups(rest).items():
            self.models[name or ONE_MODEL] = ModelLayout(class_scores=columns)
            for label, column in columns.items():
                self.roles[column] = (ColumnRole("scores", model=name or ONE_MODEL, label=str(label)),)
        any_marked = {m.model for m in map(marked, rest) if m is not None}
        weak: dict[str, str] = {}
        for column in rest:
            if column not in self.roles:
                known = set(self.models)
                self._look_at(column, any_marked)
                weak |= {name: column for name in set(self.models) - known if marked(column) is None}
        self._leave_features(weak, [c for c in rest if self.roles[c][0].kind == "left out"])

    def _leave_features(self, weak: dict[str, str], others: Sequence[str]) -> None:
        """Leave out columns that only might be models, by their values, where the table holds features too: numbers
        beyond 0 and 1 beside labels or probabilities, or much text. Answers in words such as "benign" are no feature.
        """
        everyday = bool({str(label).lower() for label in self.labels} & EVERYDAY)
        weak = {name: c for name, c in weak.items() if everyday or self.models[name].label is None}
        scores = [c for name, c in weak.items() if self.models[name].label is None]
        wide = [c for c in scores if self.table.is_whole(c) or not self._may_be_score(c)]
        numbers = [c for c in others if self.table.kind(c) in ("integer", "number")]
        features = any(1 < self.table.distinct(c) < self.table.n for c in numbers) or 0 < len(wide) < len(self.models)
        features = features or sum(self.table.kind(c) == "text" for c in others) > len(weak) + 2
        for wrong in [said for c, said in self.spoilt.items() if not features or LEARNER.search(c)]:
            raise InputError(f"{wrong}; or name the models that are meant with models=")
        named = {name for name, c in weak.items() if not features or LEARNER.search(c)}
        named = {name for name in named if not features or weak[name] not in wide} or named
        if weak and len(weak) == len(self.models) and not named:
            each = f"name each model, models={min(weak.values(), key=wide.__contains__)!r}"
            raise ColumnError(f"{_listed(weak.values())} of {self.table.name} may be models or features: {each}")
        for name in weak.keys() - named:
            del self.models[name]
            self.roles[weak[name]] = unused_column("taken for a feature")

    def _may_be_score(self, column: str) -> bool:
        """Whether numbers lie within 0 and 1, or on both sides of 0 as margins do."""
        seen = self.table.first(column, LOOKED_AT).astype(float)
        return bool((seen < 0).any() or not (seen > 1).any())

    def _look_at(self, column: str, said: set[str]) -> None:
        reason = self._unfit(column)
        if reason:
            self.roles[column] = unused_column(reason)
            return
        name = marked(column)
        labels = self.holds_labels(column)
        kind = self.table.kind(column)
        if name is not None:
            fractions = kind == "number" and not self.table.is_whole(column)
            part: Part = "score" if name.part == "score" or fractions else "label"
            if part == "score" and kind not in NUMERIC:
                self._refuse_spoilt(column)
                self.roles[column] = unused_column("text, although its name says scores")
            elif part == "score" and len(self.labels) != 2 and self.positive is None:
                self.roles[column] = unused_column(self._no_choice())
            else:
                self._add(name.model or ONE_MODEL, part, column)
        elif labels:
            self._add(column, "label", column)
        elif kind not in NUMERIC or kind == "boolean":
            self.roles[column] = unused_column(self._odd_value(column))
            if kind == "text" and (wrong := self._spoilt(column)):
                self.spoilt[column] = wrong
        elif self._mostly_labels(column, named=column in said):
            self._refuse_spoilt(column)
        elif self.table.is_whole(column) and self.table.n > 2 and self.table.distinct(column) == self.table.n:
            self.roles[column] = unused_column("another whole number in every row, as ids are")
        elif len(self.labels) != 2 and self.positive is None:
            self.roles[column] = unused_column(self._no_choice())
        elif said:
            self.roles[column] = unused_column("other columns say that they are the predictions")
        else:
            self._add(column, "score", column)

    def _unfit(self, column: str) -> str:
        """Why a column cannot be a model's answer, whatever its values."""
        word = bare(column)
        if self.table.filled(column) == 0:
            return "empty"
        seen = [v for v in self.table.first(column, LOOKED_AT) if v is not None and self.table.kind(column) == "text"]
        if (self.table.kind(column) == "date" or are_dates(seen)) and not are_dates(self.labels):
            return "dates"
        if self.table.kind(column) == "other":
            return "neither labels nor numbers"
        if word in TRUTH or word.startswith(TRUTH_BEGINS):
            return "it looks like another truth; name the models if it is one"
        if word in CORRECT:
            return "it says whether an answer was right; name it with right= to go by it"
        if word in CONFIDENCE or word.endswith(("confidence", "conf")):
            return (
                "it may say how sure a model was of its own call; name it with score= if it scores the positive class"
            )
        return ""

    def holds_labels(self, column: str) -> bool:
        """Whether all values are among the truth's labels."""
        values = self.table.few(column, len(self.labels))
        if not values or self.table.kind(column) == "other":
            return False
        try:
            return self.known.issuperset(code_column(as_objects(values), column).values)
        except InputError:
            return False

    def _mostly_labels(self, column: str, *, named: bool) -> bool:
        """Whether numbers are the truth's labels but for a mark such as 99 or, where it is a model's name, for any."""
        values = self.table.few(column, len(self.labels) + 3) or ()
        odd = [v for v in values if v not in self.known]
        if not values or not (named or (len(odd) == 1 and len(values) > 2 and odd[0] in NO_NUMBER)):
            return False
        seen = self.table.first(column, LOOKED_AT)
        seen = seen[~missing_rows(seen)]
        # A vote of -1, 0 or 1 is a score: a mark for nothing is rare.
        return sum(v in self.known for v in seen) >= (0.5 if named else 0.9) * max(1, len(seen))

    def _odd_value(self, column: str) -> str:
        kind = self.table.kind(column)
        if kind == "boolean":
            return "true and false, which the truth never is"
        values = self.table.few(column, 4 * len(self.labels) + 4) or ()
        odd = next((v for v in values if v not in self.known), None)
        if odd is not None and any(v in self.known for v in values):
            return f"text with {odd!r:.30}, which the truth never is; name the models if it is one"
        return "text"

    def _class_groups(self, columns: Sequence[str]) -> dict[str, dict[Label, str]]:
        """Models with one column for each class, named by it."""
        by_model: dict[str, dict[Label, str]] = {}
        says_score: dict[str, bool] = {}
        endings = frozenset(str(label) for label in self.labels)
        for column in columns:
            if self.table.kind(column) not in NUMERIC or len(self.labels) < 2:
                continue
            for label in self.labels:
                ends = ends_in_class(column, str(label))
                if ends is None or has_other_ending(ends.stem, self.table.columns, endings):
                    continue
                by_model.setdefault(ends.model, {}).setdefault(label, column)
                says_score[ends.model] = says_score.get(ends.model, False) or ends.says_score
                break
        whole = self._bare_classes(columns)
        for model, classes in by_model.items():
            ordered = {label: classes[label] for label in self.labels if label in classes}
            if len(ordered) == len(self.labels):
                if says_score[model] or self.table.sum_to_one(list(ordered.values())):
                    whole[model] = ordered
            elif len(self.labels) == 2 and says_score[model]:
                ((label, column),) = ordered.items()
                self._need_positive(label, column)
                self._add(model or ONE_MODEL, "score", column)
        return whole

    def _bare_classes(self, columns: Sequence[str]) -> dict[str, dict[Label, str]]:
        """The probabilities of one model under the names of the classes alone, or as p0 and p1, which add up to 1."""
        for form in ("p{}", "{}"):
            named = {label: form.format(label) for label in self.labels}
            all_present = all(c in columns and self.table.kind(c) in NUMERIC for c in named.values())
            if len(named) > 1 and all_present and self.table.sum_to_one(list(named.values())):
                return {"": named}
        return {}

    def _add(self, name: str, part: Part, column: str) -> None:
        layout = self.models.get(name, ModelLayout())
        before = layout.label if part == "label" else layout.score or next(iter(layout.class_scores or {}), None)
        if before is not None:
            raise ColumnError(
                f"both {before!r} and {column!r} could hold the {part}s of {name!r}; say which with "
                f'models={{{name!r}: {{"{part}": …}}}}'
            )
        taken = self._take(column, f"models[{name!r}]", ColumnRole(f"{part}s", model=name))  # type: ignore[arg-type]
        if part == "score":
            self._need_numbers(taken)
        self.models[name] = replace(layout, label=taken) if part == "label" else replace(layout, score=taken)

    def _no_choice(self) -> str:
        if len(self.labels) > 1:
            return f"one score cannot choose among {len(self.labels)} classes"
        return f"one score tells two classes apart, and the truth is always {self.labels[0]!r}"

    def _nothing(self) -> ColumnError:
        if len(self.labels) == 1 and any(roles[0].why == self._no_choice() for roles in self.roles.values()):
            one = self.labels[0]
            return ColumnError(
                f"the truth of {self.table.name} is always {one!r}, and one score tells two classes apart: say which "
                f"class the scores are for with positive=, be it {one!r} or one that no row shows"
            )
        listed = ", ".join(
            f"{c!r} ({self.roles[c][0].why or role_words(self.roles[c])})" if c in self.roles else repr(c)
            for c in self.table.columns[:30]
        )
        # Another truth in most rows is a text to be matched, and numbers beside it grade how well it was.
        free = len(self.labels) > max(10, self.table.n // 2) and isinstance(self.labels[0], str)
        grades = [c for c in self.table.columns if free and self.table.kind(c) in ("integer", "number")]
        hint = f". Or if {grades[0]!r} grades each answer: grade={grades[0]!r}" if grades else ""
        return ColumnError(
            f"no column of {self.table.name} could be read as a model's labels or scores; name them with models=; "
            f"there are {listed}{hint}"
        )
