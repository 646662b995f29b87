"""`trueerror rank`: which learner is best over several data sets?"""

from __future__ import annotations

from typing import Annotated

from trueerror.cli import _option_groups as o
from trueerror.cli._app import Without, command, flag

RANK_HELP = "Which learner is best over several data sets, from a file of scores."
RANK_EPILOG = (
    "A wide file has a row for each data set and a column for each learner; a long one has columns dataset, learner, "
    "value and, where there are folds, fold. Examples: trueerror rank scores.csv · trueerror rank cv.csv --value error "
    "--lower-is-better · trueerror rank scores.csv --method nemenyi"
)


@command
def rank_command(
    *,
    file: o.File,
    dataset: Annotated[str | None, flag("--dataset", "Column that names the data sets.", "COLUMN")] = None,
    learner: Annotated[str | None, flag("--learner", "In a long file: column of learners.", "COLUMN")] = None,
    fold: o.Fold = None,
    repeat: o.Repeat = None,
    value: Annotated[str | None, flag("--value", "In a long file: column of scores.", "COLUMN")] = None,
    lower: Annotated[bool, flag("--lower-is-better", "For errors, losses and costs; else higher is better.")] = False,
    missing: Annotated[
        str, flag("--missing", "A learner without a score: error, or drop (leaves out its data set).", "RULE")
    ] = "error",
    method: Annotated[
        str, flag("--method", "wilcoxon, sign, nemenyi, shaffer or bonferroni-dunn.", "WORD")
    ] = "wilcoxon",
    adjust: o.Adjust = "holm",
    reference: Annotated[
        str | None, flag("--reference --control", "Compare only with this learner.", "LEARNER")
    ] = None,
    rope: Annotated[
        float | None, flag("--rope", "For two learners: the largest difference that does not matter.", "NUMBER")
    ] = None,
    test_train_ratio: Annotated[
        float | None, flag("--test-train-ratio", "Of the folds, where it is not 1/(folds − 1).", "NUMBER")
    ] = None,
    chance: o.ChanceOptions,
    output: Annotated[o.OutputOptions, Without("columns")],
) -> None:
    """Which learner is best over several data sets."""
    from trueerror.verbs._rank import rank

    found = rank(
        file,
        higher_is_better=not lower,
        method=method,  # type: ignore[arg-type]
        adjust=adjust,  # type: ignore[arg-type]
        reference=reference,
        confidence=chance.confidence,
        missing=missing,  # type: ignore[arg-type]
        dataset=dataset,
        learner=learner,
        fold=fold,
        repeat=repeat,
        value=value,
        test_train_ratio=test_train_ratio,
        rope=rope,
        rng=chance.seed,
    )
    output.show(output.kept(found))
