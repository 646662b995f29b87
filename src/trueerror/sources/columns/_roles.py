"""Which column is the truth, the id, the cluster, the fold …: by name where that is plain, else by asking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trueerror.inputs._arrays import WeightsKind
from trueerror.inputs._labels import (
    Label,
    code_column,
    find_label,
    label_from_text,
    natural_labels,
    natural_positive,
    ordered,
    plain_label,
    typed_label,
    with_declared,
)
from trueerror.inputs._options import ColumnError, InputError
from trueerror.sources._protocols import (
    KINDS,
    ColumnRole,
    ColumnRoles,
    Layout,
    RoleKind,
    Table,
    need_column,
    role_words,
)
from trueerror.sources.columns import _names as naming
from trueerror.sources.columns._models import ModelFinder, left_out
from trueerror.sources.columns._names import item_column

# A column's name, False for "there is none, whatever it looks like", None for "see for yourself".
ColumnChoice = str | bool | None
ModelChoice = str | Sequence[str] | Mapping[str, Any] | None
WEAK_TRUTH = frozenset({"label", "labels", "class"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the user said of the columns."""

    truth: str | None = None
    models: ModelChoice = None
    label: str | None = None
    score: Any = None
    id: ColumnChoice = None
    cluster: ColumnChoice = None
    by: str | None = None
    fold: ColumnChoice = None
    repeat: ColumnChoice = None
    weight: ColumnChoice = None
    weights_kind: WeightsKind | None = None
    labels: Iterable[Any] | None = None
    positive: Any = None


def resolve(table: Table, asked: Asked) -> tuple[Layout, tuple[Label, ...]]:
    """The roles of all columns, and the labels that the truth holds."""
    roles: dict[str, ColumnRoles] = {}
    model = _model_column(table, asked)
    truth = _truth_column(table, asked, long=model is not None)
    roles[truth] = (ColumnRole("truth"),)
    if model is not None:
        roles[model] = (ColumnRole("model"),)
    named = _other_roles(table, asked, roles, long=model is not None)
    labels = _known_labels(table, truth, asked.labels)
    declared = with_declared(labels, asked.positive) if asked.labels is None else labels
    fresh, labels = declared != labels, declared
    positive = _positive(asked.positive, labels)
    finder = ModelFinder(table, labels, positive, roles)
    models = finder.long(asked.label, asked.score) if model is not None else finder.wide(
        asked.models, asked.label, asked.score
    )  # fmt: skip
    for column in table.columns:
        roles.setdefault(column, left_out())
    if model is not None and "id" not in named and asked.id is None:
        spare = [c for c in table.columns if roles[c][0].kind == "left out"]
        found = item_column(table, model, spare)
        if found is not None:
            named["id"], roles[found] = found, (ColumnRole("id"),)
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
        notes=tuple(finder.notes) + _left_out(table, roles),
        declared=labels if fresh else None,
    )
    return layout, labels


def _model_column(table: Table, asked: Asked) -> str | None:
    """In a long table, the column that says whose answer a row is."""
    if isinstance(asked.models, str) and asked.models in table.columns:
        column = asked.models
        # models="svm" may also name the one column that holds a model's answers.
        return column if table.kind(column) in ("text", "integer") and _answers(table, column, asked) else None
    if isinstance(asked.models, Mapping):
        return None
    found = [c for c in table.columns if naming.bare(c) in naming.MODEL and table.kind(c) in ("text", "integer")]
    if len(found) != 1 or not _answers(table, found[0], asked):
        return None
    return found[0]


def _answers(table: Table, model: str, asked: Asked) -> bool:
    """Whether there is a column of labels or scores beside a column of model names."""
    if asked.label is not None or asked.score is not None:
        return True
    names = {naming.bare(c) for c in table.columns if c not in (model, asked.truth)}
    if names & (naming.PREDICTED | naming.SCORE):
        return True
    others = [c for c in table.columns if naming.bare(c) in naming.TRUTH and c != model]
    return len(others) > 1 and bool(names & WEAK_TRUTH)


def _truth_column(table: Table, asked: Asked, *, long: bool) -> str:
    if asked.truth is not None:
        return need_column(table, asked.truth, "truth")
    spoken = _mentioned(asked)
    found = [c for c in table.columns if naming.bare(c) in naming.TRUTH and c not in spoken]
    if long and len(found) > 1:
        found = [c for c in found if naming.bare(c) not in WEAK_TRUTH] or found
    if len(found) == 1:
        return found[0]
    if found:
        raise ColumnError(
            f"several columns of {table.name} could be the truth: {_listed(found)}; say which with truth="
        )
    raise ColumnError(
        f"cannot tell which column of {table.name} holds the truth; name it with truth=; there are "
        f"{_listed(table.columns)}"
    )


def _mentioned(asked: Asked) -> set[str]:
    """Columns that the user gave another role."""
    found: set[str] = {c for c in (asked.label, asked.score, asked.by) if isinstance(c, str)}
    for choice in (asked.id, asked.cluster, asked.fold, asked.repeat, asked.weight):
        found |= {choice} if isinstance(choice, str) else set()
    if isinstance(asked.models, str):
        found.add(asked.models)
    elif isinstance(asked.models, Mapping):
        for spec in asked.models.values():
            found |= {spec} if isinstance(spec, str) else set()
            if isinstance(spec, Mapping):
                for part in spec.values():
                    found |= set(part.values()) if isinstance(part, Mapping) else {part}
    elif asked.models is not None:
        found |= set(asked.models)
    return found


def _other_roles(table: Table, asked: Asked, roles: dict[str, ColumnRoles], *, long: bool) -> dict[str, str]:
    """id, clusters, slices, folds, repeats and weight, each where it was named or is plain."""
    spoken = _mentioned(asked)
    named: dict[str, str] = {}
    refused: dict[str, ColumnRoles] = {}

    def settle(role: str, option: str, choice: ColumnChoice, known: frozenset[str], kind: RoleKind) -> None:
        if choice is not None:
            # A column that looks like this role and does not have it is no model either.
            for column in table.columns:
                if naming.bare(column) in known and column not in spoken and column not in roles:
                    why = "it was said that there is none" if choice is False else f"{choice!r} was named instead"
                    refused[column] = left_out(f"its name says {option}, but {why}")
        if choice is False:
            return
        if choice is not None:
            if choice is True:
                raise ColumnError(f"{option}=True says nothing; name a column, or False for none")
            column = need_column(table, choice, option)
            if column in roles:
                raise ColumnError(f"{option}={column!r}: that column is the {role_words(roles[column])} already")
        else:
            found = [c for c in table.columns if naming.bare(c) in known and c not in roles and c not in spoken]
            if not found:
                return
            plain = [c for c in found if c.lower() == option]
            if len(found) > 1 and len(plain) != 1:
                raise ColumnError(
                    f"several columns of {table.name} could be the {option}: {_listed(found)}; say which with "
                    f"{option}=, or {option}=False for none"
                )
            column = found[0] if len(found) == 1 else plain[0]
        named[role] = column
        roles[column] = (ColumnRole(kind, why=str(asked.weights_kind) if kind == "weight" else ""),)

    settle("slices", "by", asked.by, frozenset(), "slice")
    settle("id", "id", asked.id, naming.ID, "id")
    settle("folds", "fold", asked.fold, naming.FOLD, "fold")
    settle("repeats", "repeat", asked.repeat, naming.REPEAT, "repeat")
    settle("clusters", "cluster", asked.cluster, naming.CLUSTER, "cluster")
    if asked.weight is not None or asked.weights_kind is not None:
        settle("weight", "weight", asked.weight, naming.WEIGHT, "weight")
    for column in table.columns:
        if column in roles or column in spoken:
            continue
        if column in refused and naming.bare(column) not in naming.ID:
            roles[column] = refused[column]
        elif naming.bare(column) in naming.WEIGHT:
            roles[column] = left_out("weights are used when weight= and weights_kind= are given")
        elif naming.bare(column) in naming.ROW_NUMBER | naming.ID:
            if "id" not in named and asked.id is None and not long and table.distinct(column) == table.n:
                named["id"], roles[column] = column, (ColumnRole("id"),)
            else:
                roles[column] = left_out("row numbers")
    if asked.cluster is None and "clusters" in named and table.distinct(named["clusters"]) == table.n:
        roles[named.pop("clusters")] = left_out("it is different in every row, so it groups nothing")
    return named


def _known_labels(table: Table, truth: str, given: Iterable[Any] | None) -> tuple[Label, ...]:
    place = f"column {truth!r} of {table.name}"
    if table.filled(truth) == 0:
        raise InputError(f"{place} is empty: there is no truth to compare with")
    if table.kind(truth) == "other":
        raise InputError(f"{place} holds neither text nor whole numbers nor booleans; it cannot be the truth")
    try:
        labels = ordered(plain_label(v, place) for v in table.few(truth, table.n) or ())
    except InputError:
        labels = ()
    # Where a value is no label, the column itself says in which row.
    labels = natural_labels(labels or code_column(table.values(truth), place).values)
    if given is None:
        return labels
    typed = [typed_label(v, labels) for v in given]
    return (*typed, *(v for v in labels if v not in typed))


def _positive(positive: Any, labels: tuple[Label, ...]) -> Label | None:
    if positive is None:
        return natural_positive(labels)
    if isinstance(positive, str):
        return label_from_text(positive, labels)
    return find_label(positive, labels)


def _left_out(table: Table, roles: Mapping[str, ColumnRoles]) -> tuple[str, ...]:
    shown = [f"{column!r} ({roles[column][0].why})" for column in table.columns if is_left_out(roles[column])]
    more = f" and {len(shown) - 12} more" if len(shown) > 12 else ""
    return (f"Left out: {', '.join(shown[:12])}{more}.",) if shown else ()


def is_left_out(roles: ColumnRoles) -> bool:
    """Whether a column was left out for a reason."""
    return roles[0].kind == "left out" and bool(roles[0].why)


def _listed(columns: Iterable[str]) -> str:
    names = [repr(c) for c in columns]
    return ", ".join(names[:30]) + (f" and {len(names) - 30} more" if len(names) > 30 else "")
