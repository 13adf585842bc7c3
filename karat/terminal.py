"""What the terminal shows: tables, JSON, errors."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from core.security.private import private_files
from core.states import MOST_BUDGET

if TYPE_CHECKING:
    from rich.console import Console

    from karat.client.resources import Job
    from karat.client.results import Estimate

# Parameters that messages of the server name as the API does.
_PARAMETERS = re.compile(
    r"(?<![\w-])(folder_split|count_from|medium(?==)"
    r"|(?:annotation|image|key|label|probability|split|text)_column)(?!\w)=?"
)

# Whatever a terminal takes for a command: to write to the clipboard, or over what is there.
_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def plain(text: object) -> str:
    """What is shown of a text, which may be a name that others have given.

    Args:
        text: Of any characters; lines and tabs stay.
    """
    return _COMMANDS.sub("\ufffd", str(text).replace("\r\n", "\n"))


def echo(text: object, *, err: bool = False, nl: bool = True, fg: str | None = None) -> None:
    """Write a text for people.

    Args:
        text: What to say.
        err: Whether it goes where the output of a command does not go to.
        nl: Whether a line ends with it.
        fg: A colour of click's, where the terminal has any.
    """
    shown = plain(text)
    typer.echo(typer.style(shown, fg=fg) if fg else shown, err=err, nl=nl)


def ask_password(words: str) -> str:
    """What is typed without being shown; of a pipe, its next line.

    Args:
        words: What is asked for.

    Raises:
        BadParameter: Nothing is in the pipe.
    """
    if sys.stdin.isatty():
        said: str = typer.prompt(words, hide_input=True)
        return said
    if said := sys.stdin.readline().rstrip("\r\n"):
        return said
    raise typer.BadParameter(
        f"Nobody is there to ask: write it to standard input, or set KARAT_{words.upper()}.",
        param_hint=f"--{words.lower()}",
    )


def with_options(message: str) -> str:
    """A message of the server, with the names that parameters have on the command line.

    Args:
        message: What it says.
    """

    def option(found: re.Match[str]) -> str:
        return f"--{found[1].replace('_', '-')}{' ' if found[0].endswith('=') else ''}"

    return _PARAMETERS.sub(option, message)


@cache
def console() -> "Console":
    """The terminal, or whatever the output goes to."""
    from rich.console import Console

    # Whatever reads a pipe wants whole lines.
    return Console(highlight=False, width=None if sys.stdout.isatty() else 500)


def show_json(value: Any) -> None:
    """Write a value for programs.

    Args:
        value: Anything JSON can hold.
    """
    echo(_json(value, indent=2))


@contextmanager
def json_lines(file: Path | None, mode: Literal["a", "w"]) -> Iterator[Callable[[Any], None]]:
    """Where values go for programs, a line each: a file that only its owner reads.

    Args:
        file: Which; the terminal if None.
        mode: Whether lines are added to those that it has, or take their place.

    Yields:
        Writes one, which is there at once.
    """
    if file is None:
        yield lambda value: echo(_json(value))
        return
    with private_files():
        target = file.open(mode, encoding="utf-8", buffering=1)
    with target:
        yield lambda value: print(_json(value), file=target)


def _json(value: Any, indent: int | None = None) -> str:
    """With the letters of all languages, and what a terminal takes for a command escaped."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return _COMMANDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def show_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], empty: str) -> None:
    """Write rows for people.

    Args:
        columns: Headings; one that begins with "#" is right-aligned and loses it. Without any
            text in them there is no heading.
        rows: Values; None is shown as a dash.
        empty: What to say when there are no rows.
    """
    if not rows:
        echo(empty)
        return
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_header=any(columns))
    for column in columns:
        table.add_column(
            column.removeprefix("#"), justify="right" if column.startswith("#") else "left"
        )
    for row in rows:
        table.add_row(*(Text("–" if value is None else plain(value)) for value in row))
    console().print(table)


def show_error(message: str, remedy: str = "") -> None:
    """Write what went wrong and what to do about it.

    Args:
        message: What went wrong.
        remedy: What to do about it.
    """
    typer.secho("Error: ", fg="red", bold=True, err=True, nl=False)
    echo(with_options(message), err=True)
    if remedy:
        echo(f"  {remedy}", err=True)


def confirm(question: str) -> None:
    """Ask whether to go on, where the output of a command does not go to; ends it if not.

    Args:
        question: What ``--yes`` answers.
    """
    typer.confirm(f"{plain(question)} (--yes does not ask)", abort=True, err=True)


def spent(round_: Mapping[str, Any]) -> str:
    """What the answers of a round have cost, and of how much where there is an end: 7.5/40.

    Args:
        round_: With ``spent`` and ``budget``, both in answers or both in seconds.
    """
    has_end = round_["budget"] < MOST_BUDGET
    costs = (round_["spent"], round_["budget"]) if has_end else (round_["spent"],)
    return "/".join(f"{cost:,.1f}".removesuffix(".0") for cost in costs)


def about(seconds: float) -> str:
    """A guess at a time, as people say it.

    Args:
        seconds: How long.
    """
    if seconds < 50:
        return "less than a minute"
    if (minutes := round(seconds / 60)) < 90:
        return "about a minute" if minutes == 1 else f"about {minutes} minutes"
    if seconds < 36 * 3600:
        return f"about {seconds / 3600:.1f} hours"
    return f"about {seconds / 86_400:.1f} days"


def when(time: str | None) -> str | None:
    """A time of the API's in this machine's time zone, or None."""
    if time is None:
        return None
    return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def show_estimate(job: "Job", many: str) -> None:
    """Say what a dry run has found.

    Args:
        job: The dry run, ended.
        many: What the examples of its project are called.
    """
    assert job["result"] is not None
    found: Estimate = job["result"]["estimate"]
    what = "rows" if job["kind"] == "select_instructions" else many
    echo(
        f"Takes {about(found['seconds'])} and {found['memory_bytes'] / 2**30:.1f} GiB on "
        f"this worker's {found['device']}, for {found['labeled']:,} {what}."
    )
    for name, seconds in sorted(found["phases"].items(), key=lambda one: -one[1]):
        echo(f"  {name}: {seconds:,.1f} s")
    if "requests" in found:
        price = found.get("price")
        costs = "" if price is None else f", about {price:,.2f} by its prices"
        tokens = f"{found['tokens_in']:,} + {found['tokens_out']:,} tokens"
        echo(f"Asks the judge {found['requests']:,} times: {tokens}{costs}.")
    if "answers" in found:
        within = f"{found['answers_low']:,} to {found['answers_high']:,}"
        echo(
            f"Takes about {found['answers']:,} checks by people ({within}) and labels about "
            f"{found['auto']:,}; with a chance of {found['in_vain']:.0%} none."
        )
    if less := found.get("less"):
        within = f"{less['answers_low']:,} to {less['answers_high']:,}"
        echo(
            f"With at most {100 * less['target']:g} of 100 wrong it takes about "
            f"{less['answers']:,} checks ({within}) and labels about {less['auto']:,}."
        )
    for note in found["notes"]:
        echo(note)
