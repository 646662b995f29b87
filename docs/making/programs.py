"""The reference page of the command line: the help of each command, at a fixed width."""

from __future__ import annotations

from typing import Any

from making.markdown import page

WIDTH = 80


def commands_page() -> str:
    """The help of `trueerror` and of each command."""
    group, contexts = _contexts()
    names = list(group.commands)
    parts = [
        "`trueerror COMMAND --help` prints what stands here. Only the answer goes to standard output. Exit codes: 0 "
        "done or pass, 1 gate failed or findings at the chosen severity, 2 wrong usage or bad input (one sentence on "
        "standard error), 3 gate cannot tell.",
        f"```text\n{group.get_help(contexts['']).rstrip()}\n```",
    ]
    for name in names:
        parts += [f"## {name}", f"```text\n{group.commands[name].get_help(contexts[name]).rstrip()}\n```"]
    return page("Command line", *parts)


def _contexts() -> tuple[Any, dict[str, Any]]:
    import typer

    from trueerror.cli import _app as program

    group: Any = typer.main.get_command(program.app)
    group.commands = {name: program.made(name) for name in program.COMMANDS}
    group.rich_markup_mode = None
    settings = {**group.context_settings, "terminal_width": WIDTH, "max_content_width": WIDTH}
    top = group.context_class(group, info_name="trueerror", **settings)
    contexts = {"": top}
    for name, command in group.commands.items():
        command.rich_markup_mode = None
        contexts[name] = command.context_class(
            command, parent=top, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH
        )
    return group, contexts


def help_words() -> dict[str, list[str]]:
    """Command → all that its help must say: options, help texts, examples."""
    group, _ = _contexts()
    words: dict[str, list[str]] = {}
    for name, command in group.commands.items():
        options = [word for p in command.params for word in p.opts if word.startswith("--")]
        texts = [p.help for p in command.params if getattr(p, "help", None)]
        # \b keeps lines as they are and is not shown.
        epilog = [command.epilog.replace("\b", "")] if command.epilog else []
        words[name] = [command.help, *options, *texts, *epilog]
    return words
