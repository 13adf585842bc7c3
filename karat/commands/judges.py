"""``karat judge``."""

import sys
from typing import Annotated, Any

import typer

from karat.commands.connection import JsonOption, connect
from karat.terminal import echo, show_json, show_table, when

judges = typer.Typer(help="Models behind an address that rank instructions.", no_args_is_help=True)

NameArgument = Annotated[str, typer.Argument(metavar="JUDGE", help="Its name.")]


@judges.command("list")
def list_judges(as_json: JsonOption = False) -> None:
    """List judges, without their keys."""
    with connect() as client:
        found = client.judges.list()
    if as_json:
        return show_json(found)
    rows = [
        (
            one["name"],
            one["model"],
            one["base_url"],
            "yes" if one["has_key"] else "no",
            one["price_in"],
            one["price_out"],
            one["concurrency"],
            _tried(one["trial"]),
        )
        for one in found
    ]
    columns = ("name", "model", "address", "key", "#price in", "#out", "#at once", "tried")
    return show_table(columns, rows, "There are no judges; an admin adds one: karat judge add")


def _tried(trial: Any) -> str | None:
    if trial is None or trial["tried_at"] is None:
        return None
    return f"{'well' if trial['ok'] else 'with a problem'}, {when(trial['tried_at'])}"


@judges.command("add")
def add(
    name: NameArgument,
    base_url: Annotated[str, typer.Argument(help="Of its server, such as https://….org/v1.")],
    model: Annotated[str, typer.Argument(help="Its name there.")],
    key_stdin: Annotated[
        bool, typer.Option("--key-stdin", help="Read its key from standard input, one line.")
    ] = False,
    embedding_model: Annotated[
        str | None, typer.Option(help="Model of the server that embeds, if there is one.")
    ] = None,
    price_in: Annotated[
        float | None, typer.Option(min=0, help="Of a million tokens of prompts.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option(min=0, help="Of a million tokens of answers.")
    ] = None,
    concurrency: Annotated[
        int, typer.Option(min=1, help="Requests on their way at the same time, at most.")
    ] = 8,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds that one may take.")] = 60.0,
    requests_per_minute: Annotated[
        int | None, typer.Option(min=1, help="At most; any number if left out.")
    ] = None,
    max_tokens: Annotated[
        int, typer.Option(min=16, help="Of an answer; models that reason need thousands.")
    ] = 256,
    as_json: JsonOption = False,
) -> None:
    """Add a judge (admins): a server that speaks OpenAI's API.

    Its key is kept encrypted and never shown again. It is asked for where none is piped in, and
    may be empty.
    """
    with connect() as client:
        made = client.judges.add(
            name,
            base_url,
            model,
            key=_key(piped=key_stdin),
            embedding_model=embedding_model,
            price_in=price_in,
            price_out=price_out,
            concurrency=concurrency,
            timeout=timeout,
            requests_per_minute=requests_per_minute,
            max_tokens=max_tokens,
        )
    if as_json:
        return show_json(made)
    has = "with a key" if made["has_key"] else "without a key"
    echo(f"Judge {made['name']} is {made['model']} at {made['base_url']}, {has}.")
    echo(f"See whether it answers: karat judge try {made['name']}")
    return None


def _key(*, piped: bool) -> str | None:
    """The key: never an option, which others read in the list of processes."""
    if piped:
        return sys.stdin.readline().strip() or None
    if not sys.stdin.isatty():
        return None
    said: str = typer.prompt(
        "Key (empty for none)", default="", hide_input=True, show_default=False
    )
    return said.strip() or None


@judges.command("try")
def attempt(name: NameArgument, as_json: JsonOption = False) -> None:
    """Have it rank two made-up rows (admins); ends with status 1 if it does not do that well."""
    with connect() as client:
        trial = client.judges.attempt(client.judges.named(name)["id"])
    if as_json:
        show_json(trial)
    elif trial["ok"]:
        echo(f"It answered as it should, {trial['text']}, within {trial['seconds']:.2f} s.")
    else:
        said = f" It said: {trial['text']}" if trial["text"] else ""
        echo(f"{trial['problem']}{said}")
    if not trial["ok"]:
        raise typer.Exit(1)


@judges.command("remove")
def remove(name: NameArgument) -> None:
    """Delete a judge that no job asks, with its kept answers (admins)."""
    with connect() as client:
        client.judges.remove(client.judges.named(name)["id"])
    echo(f"Judge {name} is removed.")
