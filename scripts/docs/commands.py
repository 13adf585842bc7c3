"""The reference of the command line as Markdown, from the command line itself."""

import re
from collections.abc import Iterator
from typing import Any

import typer

from karat.cli import app


def commands(group: Any = None, path: str = "karat") -> Iterator[tuple[str, Any]]:
    """Every command with its full name, such as ``karat job start``."""
    found: Any = typer.main.get_command(app) if group is None else group
    for name, command in found.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def reference() -> str:
    """A section for each command: what it does, its arguments and its options."""
    return "\n".join("\n".join(_command(name, command)) for name, command in commands())


def _command(name: str, command: Any) -> Iterator[str]:
    shown = [one for one in command.params if not getattr(one, "hidden", False)]
    arguments = [one for one in shown if one.param_type_name == "argument"]
    options = [one for one in shown if one.param_type_name == "option" and "--help" not in one.opts]
    yield f"### {name}\n"
    yield _plain(command.help or "") + "\n"
    usage = [name, *(["[OPTIONS]"] if options else []), *map(_usage, arguments)]
    yield f"```text\n{' '.join(usage)}\n```\n"
    if arguments or options:
        yield "| | default | |\n|---|---|---|"
        for one in (*arguments, *options):
            yield f"| {_names(one)} | {_default(one)} | {_meaning(one)} |"
        yield ""


def _usage(argument: Any) -> str:
    name = str(argument.metavar or argument.name.upper()).strip("[]")
    return name if argument.required else f"[{name}]"


def _names(param: Any) -> str:
    if param.param_type_name == "argument":
        return f"`{_usage(param)}`"
    value = "" if param.is_flag else f" {param.metavar or param.opts[0].strip('-').upper()}"
    names = sorted({*param.opts, *param.secondary_opts}, key=lambda one: (len(one) < 3, one))
    return ", ".join(f"`{name}{value}`" for name in names)


def _default(param: Any) -> str:
    if param.required:
        return "required"
    if param.default in (None, "", (), []) or param.default is False or callable(param.default):
        return ""
    return f"`{param.default}`"


def _meaning(param: Any) -> str:
    text = _plain(param.help or "").replace("|", "\\|").replace("\n", " ")
    repeated = " May be repeated." if getattr(param, "multiple", False) else ""
    variable = f" Also `{param.envvar}`." if param.envvar else ""
    return f"{text}{repeated}{variable}".strip()


def _plain(text: str) -> str:
    """Help as written, each paragraph in one line."""
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))
