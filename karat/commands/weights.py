"""``karat weights``."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from karat.commands.connection import JsonOption, connect
from karat.progress import bytes_bar
from karat.terminal import echo, show_json, show_table, when

if TYPE_CHECKING:
    from karat.client.weights import Library
    from karat.client.weights_types import Weights

weights = typer.Typer(
    help="Weights of networks that projects start from instead of published ones.",
    no_args_is_help=True,
)

_MEGABYTE = 1_000_000
# A worker that trains looks at them after that.
_SECONDS = 60.0


@weights.command("list")
def list_weights(as_json: JsonOption = False) -> None:
    """List uploaded weights, and which projects start from them."""
    with connect() as client:
        found = client.weights.list()
    if as_json:
        return show_json(found)
    rows = [
        (
            one["name"],
            f"{one['library']} {one['architecture']}",
            one["state"],
            f"{one['bytes'] / _MEGABYTE:,.1f}",
            one["sha256"][:16],
            ", ".join(project["name"] for project in one["used_by"]) or None,
            one["created_by"]["name"] if one["created_by"] else None,
            when(one["created_at"]),
        )
        for one in found
    ]
    columns = ("name", "of", "state", "#MB", "SHA-256", "used by", "by", "added")
    return show_table(columns, rows, "There are no weights; an admin adds some: karat weights add")


@weights.command("add")
def add(
    file: Annotated[Path, typer.Argument(help="A .safetensors file.")],
    architecture: Annotated[
        str, typer.Option(help="What it is of, as the library calls it, such as resnet18.")
    ],
    library: Annotated[str, typer.Option(help="timm, torchvision or open_clip.")] = "timm",
    name: Annotated[
        str | None, typer.Option(help="What projects choose it by; else that of the file.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Upload weights (admins), and wait for a worker to say whether they fit.

    Ends with status 1 if they do not.
    """
    if library not in ("timm", "torchvision", "open_clip"):
        raise typer.BadParameter("--library is timm, torchvision or open_clip.")
    with connect() as client:
        with bytes_bar(f"sending {file.name}") as bar:
            made = client.weights.add(
                file, architecture, library=cast("Library", library), name=name, on_sent=bar
            )
        with suppress(TimeoutError):
            made = client.weights.wait(made["id"], timeout=_SECONDS)
    if as_json:
        show_json(made)
    else:
        echo(_came_of(made))
    if made["state"] in ("refused", "lost"):
        raise typer.Exit(1)


def _came_of(made: "Weights") -> str:
    what = f"Weights {made['name']} ({made['tensors']} tensors, SHA-256 {made['sha256'][:16]}…)"
    if made["state"] == "refused":
        return (
            f"{what} do not fit {made['library']} {made['architecture']}. {made['problem']}\n"
            f"Remove them with: karat weights remove {made['name']}"
        )
    if made["state"] == "lost":
        return f"{what} are lost: their file is not on the server any more. Upload it once more."
    if made["state"] == "checking":
        return f"{what} are there; no worker had time to check them yet: karat weights list"
    aside = len(made["left_aside"])
    return f"{what} fit {made['library']} {made['architecture']}; {aside} of the head left aside."


@weights.command("remove")
def remove(name: Annotated[str, typer.Argument(help="Their name.")]) -> None:
    """Delete weights that no project starts from (admins)."""
    with connect() as client:
        client.weights.remove(client.weights.named(name)["id"])
    echo(f"Weights {name} are removed.")
