"""`trueerror agreement`: do raters agree?  `trueerror ppi`: few labels of people and many of a judge.

`trueerror label-plan`: which rows to label next.  `trueerror arena`: models by pairwise preferences.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from trueerror.cli import _option_groups as o
from trueerror.cli._app import COLUMNS, Without, command, flag
from trueerror.cli._terminal import target
from trueerror.inputs._options import InputError
from trueerror.results._document import Words

if TYPE_CHECKING:
    from trueerror.inputs._arrays import Column
    from trueerror.sources._tables import InputTable

AGREEMENT_HELP = "How far raters or judges agree, from a file of ratings."
AGREEMENT_EPILOG = (
    "A wide file has a row for each item and a column for each rater; a long one has columns item, rater and label. "
    "Examples: trueerror agreement ratings.csv · trueerror agreement ratings.csv --level ordinal · "
    "trueerror agreement long.csv --item doc --rater who --label grade --method krippendorff"
)


@dataclass(kw_only=True, eq=False, repr=False)
class RatingColumns:
    """Which column of a file of ratings is what."""

    GROUP: ClassVar[str] = COLUMNS
    rater: Annotated[str | None, flag("In a long file: column of raters.", "COLUMN")] = None
    item: Annotated[str | None, flag("Column that names the items.", "COLUMN")] = None
    label: Annotated[str | None, flag("In a long file: column of labels.", "COLUMN")] = None
    raters: Annotated[list[str] | None, flag("A rater to look at, by column or name; repeat for several.", "RATER")] = (
        None
    )
    table: o.Table = None


@command
def agreement_command(
    *,
    file: o.File,
    columns: RatingColumns,
    labels: Annotated[
        str | None, flag("The labels from lowest to highest, such as 'poor,fair,good'.", "LABELS")
    ] = None,
    level: Annotated[str, flag("What labels are: nominal, ordinal, interval or ratio.", "WORD")] = "nominal",
    weights: Annotated[
        str | None, flag("How near labels agree: none, linear, quadratic, ordinal or ratio.", "WORD")
    ] = None,
    method: Annotated[str | None, flag("One of percent, cohen, fleiss, gwet, krippendorff; else all.", "WORD")] = None,
    confidence: o.Confidence = 0.95,
    output: Annotated[o.OutputOptions, Without("ignore", "columns")],
) -> None:
    """How far raters agree."""
    from trueerror.inference._rater_agreement import agreement

    rater_agreement = agreement(
        file,
        method=method,
        level=level,  # type: ignore[arg-type]
        weights=weights,  # type: ignore[arg-type]
        labels=None if labels is None else _labels(labels),
        confidence=confidence,
        **asdict(columns),
    )
    output.show(rater_agreement)


def _labels(text: str) -> list[object]:
    """Labels with commas between them; numbers where all of them are."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    try:
        return [float(word) for word in words]
    except ValueError:
        return list(words)


PICTURES = (".svg", ".html", ".png", ".pdf")
LISTS = (".csv", ".json", ".md", ".tex", ".txt", ".html")
ARENA_HELP = "Models ranked by pairwise preferences, from a file of battles."
ARENA_EPILOG = (
    "The file has columns model_a, model_b and winner (a model's name, model_a, model_b or tie); battles of one prompt "
    "depend on each other, so a column of prompts makes clusters. Examples: trueerror arena battles.csv · "
    "trueerror arena battles.csv --position --anchor gpt=1000 · trueerror arena long.csv --battle id --model "
    "system --score grade"
)


@dataclass(kw_only=True, eq=False, repr=False)
class BattleColumns:
    """Which column of a file of battles is what."""

    GROUP: ClassVar[str] = COLUMNS
    model_a: Annotated[str | None, flag("Column of the models shown first.", "COLUMN")] = None
    model_b: Annotated[str | None, flag("Column of the models shown second.", "COLUMN")] = None
    winner: Annotated[str | None, flag("Column that says who won.", "COLUMN")] = None
    battle: Annotated[str | None, flag("In a long file: column of battles.", "COLUMN")] = None
    model: Annotated[str | None, flag("In a long file: column of models.", "COLUMN")] = None
    score: Annotated[str | None, flag("In a long file: column of scores, higher wins.", "COLUMN")] = None
    cluster: Annotated[
        str | None, flag("Column of prompts, whose battles depend on each other; or 'none'.", "COLUMN")
    ] = None
    table: o.Table = None


@command
def arena_command(
    *,
    file: o.File,
    columns: BattleColumns,
    ties: Annotated[str, flag("davidson, half (a win each) or drop.", "WORD")] = "davidson",
    position: Annotated[bool, flag("Estimate the advantage of being shown first.")] = False,
    anchor: Annotated[str | None, flag("A model and its Elo, such as gpt=1000.", "MODEL=ELO")] = None,
    penalised: Annotated[bool, flag("Firth's penalised fit, also where it is not needed.")] = False,
    adjust: o.Adjust = "holm",
    picture: Annotated[Path | None, flag("Draw the strengths to .svg, .html, .png or .pdf.", "FILE")] = None,
    confidence: o.Confidence = 0.95,
    output: Annotated[o.OutputOptions, Without("ignore", "columns")],
) -> None:
    """Models ranked by pairwise preferences."""
    from trueerror.verbs._arena import arena

    drawn = None if picture is None else target(picture, PICTURES, "a picture")
    named = asdict(columns)
    cluster = named.pop("cluster")
    standings = arena(
        file,
        clusters=False if cluster == "none" else cluster,
        ties=ties,  # type: ignore[arg-type]
        position=position,
        anchor=None if anchor is None else _anchor(anchor),
        penalised=penalised,
        adjust=adjust,  # type: ignore[arg-type]
        confidence=confidence,
        **named,
    )
    if drawn is not None:
        standings.save(drawn)
    output.show(standings)


def _anchor(text: str) -> dict[str, float]:
    name, mark, value = text.rpartition("=")
    try:
        return {name: float(value)} if mark else {text: 1000.0}
    except ValueError:
        raise InputError(f"--anchor {text!r}: write a model and its Elo, such as gpt=1000") from None


PPI_HELP = "The true mean of many rows, of which people labelled few and a judge all."
PPI_EPILOG = (
    "The file has a row for each item, with gaps in the column of people's labels. Examples: trueerror ppi items.csv "
    "--human human --judge judge · trueerror ppi items.csv --human human --judge score --positive right · "
    "trueerror ppi two.csv --human a_human --human b_human --judge a_judge --judge b_judge"
)


@command
def ppi_command(
    *,
    file: o.File,
    human: Annotated[
        list[str], flag("Column of people's labels, with gaps; twice for two models.", "COLUMN", group=COLUMNS)
    ],
    judge: Annotated[
        list[str], flag("Column of the judge's labels or scores, in the same order.", "COLUMN", group=COLUMNS)
    ],
    positive: Annotated[str | None, flag("The label that is counted.", "LABEL", group=COLUMNS)] = None,
    strata: Annotated[
        str | None, flag("Column of strata, within which rows were labelled at random.", "COLUMN", group=COLUMNS)
    ] = None,
    inclusion: Annotated[
        str | None, flag("Column of the chances to be labelled, where they differ.", "COLUMN", group=COLUMNS)
    ] = None,
    table: o.Table = None,
    bounds: Annotated[str | None, flag("Lowest and highest value of a grade, such as 1,5.", "LOW,HIGH")] = None,
    method: Annotated[str | None, flag("post-stratified (the default), ppi++ or classical.", "WORD")] = None,
    power: Annotated[float | None, flag("λ of ppi++, where it is not tuned.", "NUMBER")] = None,
    confidence: o.Confidence = 0.95,
    output: Annotated[o.OutputOptions, Without("ignore", "columns")],
) -> None:
    """Few labels of people and many of a judge."""
    from trueerror.inference._prediction_powered import prediction_powered
    from trueerror.sources._tables import file_table

    if len(human) != len(judge):
        raise InputError(f"--human names {len(human)} columns and --judge {len(judge)}: one of each for each model")
    items = file_table(file, table)
    two = len(human) > 1
    people: Any = {name: _values(items, name, "human") for name in human}
    answers: Any = dict(zip(human, (_values(items, name, "judge") for name in judge), strict=True))
    estimate = prediction_powered(
        people if two else people[human[0]],
        answers if two else answers[human[0]],
        positive=None if positive is None else _label(positive, people[human[0]]),
        strata=None if strata is None else _values(items, strata, "strata"),
        inclusion=None if inclusion is None else _values(items, inclusion, "inclusion"),
        bounds=None if bounds is None else _two_numbers(bounds),
        method=method,  # type: ignore[arg-type]
        power=power,
        confidence=confidence,
    )
    output.show(replace(estimate, reading=" ".join((estimate.reading, *items.notes))))


LABEL_PLAN_HELP = "Which rows to label next, so that few labels say most."
LABEL_PLAN_EPILOG = (
    "Examples: trueerror label-plan items.csv --judge score --budget 200 · trueerror label-plan items.csv --judge "
    "score --budget 200 --method active --rows rows.csv · trueerror label-plan items.csv --judge score --budget 100 "
    "--human human"
)


@command
def label_plan_command(
    *,
    file: o.File,
    judge: Annotated[str, flag("Column of the judge's labels or scores.", "COLUMN", group=COLUMNS)],
    budget: Annotated[int, flag("How many rows to label.", "NUMBER", min=2)],
    human: Annotated[
        str | None, flag("Column of labels that exist already, with gaps.", "COLUMN", group=COLUMNS)
    ] = None,
    table: o.Table = None,
    method: Annotated[str, flag("neyman (by groups of answers), active (by each score) or random.", "WORD")] = "neyman",
    mix: Annotated[float, flag("For active: the even part of the chances.", "SHARE")] = 0.2,
    rows: Annotated[Path | None, flag("CSV file for the rows and their chances.", "FILE")] = None,
    seed: Annotated[int, flag("Seed of everything random.", "NUMBER", min=0)] = 0,
    output: Annotated[o.OutputOptions, Without("ignore", "columns")],
) -> None:
    """Which rows to label next."""
    from trueerror.inference._prediction_powered import label_plan
    from trueerror.sources._tables import file_table

    written = None if rows is None else target(rows, LISTS, "a list of rows")
    items = file_table(file, table)
    known = None if human is None else _values(items, human, "human")
    plan = label_plan(
        _values(items, judge, "judge"),
        budget,
        human=known,
        method=method,  # type: ignore[arg-type]
        mix=mix,
        rng=seed,
    )
    if written is not None:
        plan.save(written)
    hint = () if rows is not None else (Words("--rows FILE writes which rows to label."),)
    output.show(plan, more=(*hint, *o.file_notes(items)))


def _values(table: InputTable, name: str, option: str) -> Column:
    """A column of a file, named by an option."""
    from trueerror.sources._tables import need_column

    return table.values(need_column(table, name, option))


def _label(text: str, column: Any) -> object:
    """A label as it stands in a column: "1" is 1 where labels are numbers."""
    from trueerror.inputs._arrays import missing_rows
    from trueerror.inputs._labels import label_from_text, ordered, plain_label

    kept = column[~missing_rows(column)]
    labels = ordered({plain_label(v) for v in kept.tolist()})
    return label_from_text(text, labels)


def _two_numbers(text: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--bounds {text!r}: write the lowest and the highest value, such as 1,5") from None
    return low, high
