"""Which columns are whose labels and scores: by what was named, by their names, and by what they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from trueerror.inputs._labels import Label, label_from_text, plain_label
from trueerror.inputs._options import ColumnError, InputError, nearest
from trueerror.sources._protocols import ONE_MODEL, ColumnRole, ColumnRoles, ModelLayout, Table, need_column, role_words
from trueerror.sources.columns import _names as naming
from trueerror.sources.columns._names import respelt_labels, spoilt_scores

NUMERIC = ("boolean", "integer", "number")


def left_out(why: str = "") -> ColumnRoles:
    """The role of a column that has none."""
    return (ColumnRole("left out", why=why),)


class ModelFinder:
    """Finds the models of a table; `roles` says how each column was read, and grows on the way."""

    def __init__(
        self, table: Table, labels: tuple[Label, ...], positive: Label | None, roles: dict[str, ColumnRoles]
    ) -> None:
        self.table = table
        self.labels = labels
        self.known = frozenset(labels)
        self.positive = positive
        self.roles = roles
        self.notes: list[str] = []
        self.models: dict[str, ModelLayout] = {}

    # What was named.

    def wide(self, models: Any, label: str | None, score: Any) -> dict[str, ModelLayout]:
        """The models of a table with one row for each item."""
        if label is not None or score is not None:
            if models is not None:
                raise InputError('label= and score= name the columns of one model; for several use models={"name": …}')
            inner = naming.marked(label or score) if isinstance(label or score, str) else None
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

    def long(self, label: str | None, score: Any) -> dict[str, ModelLayout]:
        """The columns that hold every model's answers in a table with one row for each item and model."""
        found = ModelLayout()
        rest = [c for c in self.table.columns if c not in self.roles and self.table.filled(c)]
        if label is None and score is None:
            labelled = [c for c in rest if naming.bare(c) in naming.PREDICTED | {"label", "labels", "class"}]
            scored = [c for c in rest if naming.bare(c) in naming.SCORE]
            for columns, option in ((labelled, "label"), (scored, "score")):
                if len(columns) > 1:
                    shown = ", ".join(map(repr, columns))
                    raise ColumnError(f"several columns could hold the {option}s: {shown}; say which with {option}=")
            label = labelled[0] if labelled else None
            score = scored[0] if scored else None
        if label is not None:
            found = replace(found, label=self._take(label, "label", ColumnRole("labels")))
        if score is not None:
            found = self._with_scores(found, score, "score", "the model")
        classes = None if found.score or found.class_scores else self._class_groups(rest).get("")
        if classes is not None:
            found = replace(found, class_scores=classes)
        for column in self.table.columns:
            self.roles.setdefault(column, left_out("it has no role in a long table"))
        if not found.columns():
            raise self._nothing()
        return {"": found}

    def _enter(self, name: str, spec: Any) -> None:
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

    def _enter_named(self, name: Any) -> None:
        """A name in models=[…]: a column, or what stands before _label and _score in two of them."""
        if name in self.table.columns:
            inner = naming.marked(name)
            self._add((inner.model or ONE_MODEL) if inner else name, self._explicit_part(name), name)
            return
        parts = {c: naming.marked(c) for c in self.table.columns if c not in self.roles}
        mine = [(c, m) for c, m in parts.items() if m is not None and m.model == name]
        if not mine:
            known = [*self.table.columns, *(m.model for m in parts.values() if m is not None)]
            raise ColumnError(f"models= names {name!r}: {self.table.name} has no such column{nearest(name, known)}")
        for column, found in mine:
            self._add(name, found.part, column)

    def _explicit_part(self, column: str) -> naming.Part:
        """A column that the user named holds labels, unless it can only hold scores."""
        kind = self.table.kind(column)
        if self.holds_labels(column):
            return "label"
        if kind == "text":
            self._refuse_spoilt(column)
        if kind in ("text", "boolean"):
            return "label"
        if kind not in NUMERIC:
            raise InputError(f"column {column!r} of {self.table.name} holds neither labels nor scores")
        return "label" if len(self.labels) > 2 and self.table.is_whole(column) else "score"

    def _with_scores(self, layout: ModelLayout, score: Any, option: str, name: str) -> ModelLayout:
        if not isinstance(score, Mapping):
            column = self._take(score, option, ColumnRole("scores", model=name))
            self._need_numbers(column)
            return replace(layout, score=column)
        classes: dict[Label, str] = {}
        for label, given in score.items():
            typed = isinstance(label, str) and not any(isinstance(v, str) for v in self.labels)
            known = label_from_text(label, self.labels) if typed else plain_label(label, option)
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

    def _refuse_spoilt(self, column: str) -> None:
        """A model that is left out because of one cell would be missed by nobody."""
        wrong = spoilt_scores(self.table, column) or respelt_labels(self.table, column, self.labels)
        if wrong:
            raise InputError(f"{wrong}; or name the models that are meant with models=")

    def _need_positive(self, label: Label, column: str) -> None:
        if self.positive is None:
            raise InputError(f"column {column!r} holds scores of {label!r}: say positive={label!r} to use them")
        if self.positive != label:
            raise InputError(f"column {column!r} holds scores of {label!r}, but positive is {self.positive!r}")

    def _take(self, column: Any, option: str, role: ColumnRole) -> str:
        found = need_column(self.table, column, option)
        before = self.roles.get(found, left_out())
        if before[0].kind == "truth":
            raise ColumnError(f"{option}={found!r}: that column is the truth; it cannot also be a model's answer")
        self.roles[found] = (role,) if before[0].kind == "left out" else (*before, role)
        return found

    # What can be seen.

    def _look(self) -> None:
        rest = tuple(c for c in self.table.columns if c not in self.roles)
        for name, columns in self._class_groups(rest).items():
            self.models[name or ONE_MODEL] = ModelLayout(class_scores=columns)
            for label, column in columns.items():
                self.roles[column] = (ColumnRole("scores", model=name or ONE_MODEL, label=str(label)),)
        generic = any((m := naming.marked(c)) is not None and not m.model for c in rest)
        for column in rest:
            if column not in self.roles:
                self._look_at(column, generic)

    def _look_at(self, column: str, generic: bool) -> None:
        reason = self._unfit(column)
        if reason:
            self.roles[column] = left_out(reason)
            return
        name = naming.marked(column)
        labels = self.holds_labels(column)
        kind = self.table.kind(column)
        if name is not None:
            fractions = kind == "number" and not self.table.is_whole(column)
            part: naming.Part = "score" if name.part == "score" or fractions else "label"
            if part == "score" and kind not in NUMERIC:
                self._refuse_spoilt(column)
                self.roles[column] = left_out("text, where its name speaks of scores")
            elif part == "score" and len(self.labels) != 2 and self.positive is None:
                self.roles[column] = left_out(self._no_choice())
            else:
                self._add(name.model or ONE_MODEL, part, column)
        elif labels:
            self._add(column, "label", column)
        elif kind not in NUMERIC or kind == "boolean":
            if kind == "text":
                self._refuse_spoilt(column)
            self.roles[column] = left_out(self._odd_value(column))
        elif self.table.is_whole(column) and self.table.n > 2 and self.table.distinct(column) == self.table.n:
            self.roles[column] = left_out("another whole number in every row, as ids are")
        elif len(self.labels) != 2 and self.positive is None:
            self.roles[column] = left_out(self._no_choice())
        elif generic:
            self.roles[column] = left_out("other columns say that they are the predictions")
        else:
            self._add(column, "score", column)

    def _unfit(self, column: str) -> str:
        """Why a column cannot be a model's answer, whatever its values."""
        word = naming.bare(column)
        if self.table.filled(column) == 0:
            return "empty"
        if self.table.kind(column) == "date":
            return "dates"
        if self.table.kind(column) == "other":
            return "neither labels nor numbers"
        if word in naming.TRUTH or word.startswith(naming.TRUTH_BEGINS):
            return "it looks like another truth; name the models if it is one"
        if word in naming.CONFIDENCE:
            return (
                "it may say how sure a model was of its own call; name it with score= if it scores the positive class"
            )
        return ""

    def holds_labels(self, column: str) -> bool:
        """Whether all values are among the truth's labels."""
        values = self.table.few(column, len(self.labels))
        if not values or self.table.kind(column) in ("date", "other"):
            return False
        try:
            return all(plain_label(v) in self.known for v in values)
        except InputError:
            return False

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
        found: dict[str, dict[Label, str]] = {}
        said: dict[str, bool] = {}
        endings = frozenset(str(label) for label in self.labels)
        for column in columns:
            if self.table.kind(column) not in NUMERIC or len(self.labels) < 2:
                continue
            for label in self.labels:
                ends = naming.ends_in_class(column, str(label))
                if ends is None or naming.has_other_ending(ends.stem, self.table.columns, endings):
                    continue
                found.setdefault(ends.model, {}).setdefault(label, column)
                said[ends.model] = said.get(ends.model, False) or ends.says_score
                break
        whole = {}
        for model, classes in found.items():
            ordered = {label: classes[label] for label in self.labels if label in classes}
            if len(ordered) == len(self.labels):
                if said[model] or self.table.sum_to_one(list(ordered.values())):
                    whole[model] = ordered
            elif len(self.labels) == 2 and said[model]:
                ((label, column),) = ordered.items()
                self._need_positive(label, column)
                self._add(model or ONE_MODEL, "score", column)
        return whole

    def _add(self, name: str, part: naming.Part, column: str) -> None:
        layout = self.models.get(name, ModelLayout())
        before = layout.label if part == "label" else layout.score or next(iter(layout.class_scores or {}), None)
        if before is not None:
            raise ColumnError(
                f"both {before!r} and {column!r} could hold the {part}s of {name!r}; say which with "
                f'models={{{name!r}: {{"{part}": …}}}}'
            )
        found = self._take(column, f"models[{name!r}]", ColumnRole(f"{part}s", model=name))  # type: ignore[arg-type]
        if part == "score":
            self._need_numbers(found)
        self.models[name] = replace(layout, label=found) if part == "label" else replace(layout, score=found)

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
        shown = ", ".join(
            f"{c!r} ({self.roles[c][0].why or role_words(self.roles[c])})" for c in self.table.columns[:30]
        )
        return ColumnError(
            f"no column of {self.table.name} could be read as a model's labels or scores; name them with models=; "
            f"there are {shown}"
        )
