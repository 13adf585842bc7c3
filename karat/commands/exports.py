"""``karat export``."""

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Final, cast

import typer

from karat.client.arguments import BY_ENDING
from karat.client.saving import stream_of
from karat.commands.connection import ProjectArgument, connect, find_project
from karat.commands.filters import WhereOption, chosen_filters
from karat.commands.imports import words
from karat.progress import bytes_bar
from karat.terminal import echo

if TYPE_CHECKING:
    from karat.client.findings import ExportedClass
    from karat.client.resources import ExportFormat

_NAMED_CLASSES = 10
_TABLES = ("csv", "jsonl")
_DOCUMENTS = ("coco", "label_studio")
_OF_TEXTS = ("doccano",)
_OF_BOXES = ("voc", "cvat")
# Those that a model is trained and measured with.
_SPLITS = ("yolo", "parquet", "coco")
_OF_ROWS = ("alpaca", "messages", "rankings")
_FORMATS = (*BY_ENDING.values(), "yolo", *_DOCUMENTS, *_OF_TEXTS, *_OF_BOXES, *_OF_ROWS)

BomOption = Annotated[
    bool, typer.Option("--bom", help="CSV: begin it so that Excel reads it as UTF-8.")
]
PeopleOnlyOption = Annotated[
    bool, typer.Option("--people-only", help="Leave out what models have labeled.")
]

STDOUT_HELP: Final = "`-` is the standard output, with --format."


@contextmanager
def receiving(path: Path) -> Iterator[tuple[Path, Callable[[int], None]]]:
    """Tell of a file on its way, and in the end that it was written.

    Args:
        path: The file; `-` is the standard output, which gets all of it once it is there.

    Yields:
        Where to save it, and what takes the bytes received so far.
    """
    piped = path == Path("-")
    with ExitStack() as stack:
        file = Path(stack.enter_context(TemporaryDirectory()), "export") if piped else path
        with bytes_bar(f"receiving {path.name}") as bar:
            yield file, lambda received: bar(received, 0)
        if piped:
            with file.open("rb") as whole:
                shutil.copyfileobj(whole, sys.stdout.buffer)
            sys.stdout.flush()
        size = f" ({file.stat().st_size:,} bytes)" if stream_of(file) is None else ""
    # What is piped is the file alone.
    echo(f"Wrote {path}{size}.", err=piped or stream_of(path) is not None)


def export(
    project: ProjectArgument,
    path: Annotated[
        Path,
        typer.Argument(help=f"File to write: .csv, .jsonl, .parquet, .zip or .json; {STDOUT_HELP}"),
    ],
    format_: Annotated[
        str | None,
        typer.Option("--format", help=f"{', '.join(_FORMATS)}; else by the file's ending."),
    ] = None,
    effective: Annotated[
        bool,
        typer.Option(
            "--effective", help="CSV, JSONL: of each example only the annotation that holds now."
        ),
    ] = False,
    unlabeled: Annotated[
        bool, typer.Option("--unlabeled", help="Also what nobody has judged.")
    ] = False,
    bom: BomOption = False,
    snapshot: Annotated[
        str | None,
        typer.Option(help="Name of a snapshot: as everything was when it was taken."),
    ] = None,
    people_only: PeopleOnlyOption = False,
    after: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="CSV, JSONL: only annotations above this annotation_id, the last that you have.",
        ),
    ] = None,
    where: WhereOption = None,
) -> None:
    """Save annotations (CSV, JSONL), or images or texts with what is known of them.

    Label Studio's and COCO's format are a zip with the images, or with a name that ends in .json
    the document alone. Texts leave as csv, jsonl, parquet, label_studio or doccano; boxes as csv,
    jsonl, parquet, label_studio, coco, yolo, voc or cvat; instruction data as alpaca
    (.jsonl), messages or parquet, and what people said of it as rankings. `karat import` reads all
    of them. With --where only what matches leaves, as in `karat pool list`.
    """
    suffix = path.suffix.lower()
    chosen = format_ or BY_ENDING.get(suffix)
    if chosen not in _FORMATS:
        wrong = (
            f"The ending of {path.name} does not tell a format."
            if format_ is None
            else f"There is no format {format_!r}."
        )
        raise typer.BadParameter(
            f"{wrong} Choose one of {', '.join(_FORMATS)}.", param_hint="--format"
        )
    if effective and chosen not in _TABLES:
        raise typer.BadParameter(f"Only {' and '.join(_TABLES)} take --effective; leave it out.")
    if bom and chosen != "csv":
        raise typer.BadParameter("Only csv takes --bom; leave it out.")
    if suffix == ".json" and chosen not in _DOCUMENTS:
        raise typer.BadParameter(f"Only {' and '.join(_DOCUMENTS)} are written as .json.")
    with connect() as client:
        found = find_project(client, project)
        filters = chosen_filters(found, where) if where else None
        with receiving(path) as (file, on_received):
            found.export(
                file,
                # What .jsonl holds depends on the project.
                cast("ExportFormat | None", format_),
                effective=effective,
                unlabeled=unlabeled,
                images=suffix != ".json",
                bom=bom,
                snapshot=snapshot,
                people_only=people_only,
                after=after,
                filters=filters,
                on_received=on_received,
            )
        # What is lacking is told of the whole.
        has_classes = filters is None and bool(found.get()["classes"])
        if has_classes and (chosen == "imagefolder" or chosen in _SPLITS):
            say, _ = words(found)
            for line, names in _lacking(found.exported_classes(), splits=chosen in _SPLITS):
                echo(f"Warning: {say(line).format(_listed(names))}", err=True)


def _lacking(
    classes: Sequence["ExportedClass"], *, splits: bool
) -> Iterator[tuple[str, Sequence[str]]]:
    """What is to be known of classes without images, a line for each of the ``splits`` or one.

    Each with the classes that belong in its braces.
    """
    unseen = [one["name"] for one in classes if splits and not one["evaluation"]]
    if unseen and len(unseen) == len(classes):
        yield "there is no evaluation image, so that nothing can be measured with this export.", ()
    elif unseen:
        yield "no evaluation image shows {}: what is measured says nothing of it.", unseen
    unlabeled = [one["name"] for one in classes if not one["labeled"]]
    if unlabeled:
        yield "no labeled image shows {}: nothing can be trained on it.", unlabeled


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED_CLASSES:,} more" if len(names) > _NAMED_CLASSES else ""
    return ", ".join(map(repr, names[:_NAMED_CLASSES])) + more
