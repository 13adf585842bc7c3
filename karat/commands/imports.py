"""``karat import``."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from core.media.nouns import how_many, in_words_of, noun
from karat.commands.connection import JsonOption, ProjectArgument, connect, find_project
from karat.commands.import_reasons import by_reason, refused_by_reason
from karat.commands.new_classes import label_hints, lacks_classes, start_with_classes
from karat.progress import bytes_bar, job_bar
from karat.terminal import echo, show_json, show_table

if TYPE_CHECKING:
    from typing import Literal

    from karat.client.client import Client
    from karat.client.project import ProjectClient
    from karat.client.resources import FolderChoice, Job, Split
    from karat.client.results import ImportPlan, PlannedGroup

# Labels of a folder that are named, and classes that are listed, in a dry run.
_NAMED = 3
_LISTED = 100

SplitOption = Annotated[str, typer.Option(help="pool, evaluation or auxiliary_ood.")]
LabelColumnOption = Annotated[str | None, typer.Option(help="Column of the classes.")]
SplitColumnOption = Annotated[str | None, typer.Option(help="Column of the splits.")]
AnnotationColumnOption = Annotated[
    list[str] | None, typer.Option(help="Column whose labels become annotations; repeat it.")
]
FolderSplitOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FOLDER=SPLIT",
        help="What a folder, or a value of the split column, is: a split, leave_out or class; "
        "repeat it.",
    ),
]
CountFromOption = Annotated[
    int | None,
    typer.Option(min=0, max=1, help="Number of the first class in columns of numbers."),
]
PredictionsOption = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="What the file says is what this model predicts, to be suggested, and no label.",
    ),
]
ProbabilityColumnOption = Annotated[
    str | None, typer.Option(help="Column of how sure the model is of the class.")
]
AddClassesOption = Annotated[
    bool,
    typer.Option(
        "--add-classes",
        help="Make classes of all names that its folders, lists and column of labels have and no "
        "class has; of another --annotation-column only if it is the --label-column, too.",
    ),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Only show what would go where; nothing is stored.")
]
ReportOption = Annotated[
    Path | None, typer.Option(dir_okay=False, help="CSV file for what became of each.")
]


def import_images(
    project: ProjectArgument,
    path: Annotated[
        Path,
        typer.Argument(
            exists=True,
            help="Folder, zip, tar or Parquet file of images, or one image; or labels for images "
            "that are there, as .csv, .jsonl, or .json of Label Studio or COCO. Texts: .csv, .tsv, "
            ".jsonl, .json, .parquet, or .txt and .md files, in a folder, zip or tar. Instruction "
            "data: .jsonl, .json, .parquet or .csv (Alpaca, chats, ShareGPT). Each may be "
            "compressed: .gz, .bz2, .xz.",
        ),
    ],
    split: SplitOption = "pool",
    image_column: Annotated[str | None, typer.Option(help="Parquet column of the images.")] = None,
    text_column: Annotated[
        str | None, typer.Option(help="Column of the texts, where several could be meant.")
    ] = None,
    label_column: LabelColumnOption = None,
    split_column: SplitColumnOption = None,
    annotation_column: AnnotationColumnOption = None,
    key_column: Annotated[
        str | None, typer.Option(help="Column that says which example a row is about.")
    ] = None,
    predictions: PredictionsOption = None,
    probability_column: ProbabilityColumnOption = None,
    folder_split: FolderSplitOption = None,
    count_from: CountFromOption = None,
    add_classes: AddClassesOption = False,
    dry_run: DryRunOption = False,
    report: ReportOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add images, texts or labels to a project. What is there already is not added twice."""
    require_stored(dry_run, report, add_classes)
    choices = folder_choices(folder_split)
    with connect() as client:
        found = find_project(client, project)
        with _left_out() as on_left_out, bytes_bar(f"sending {path.name}") as on_sent:
            job = found.import_images(
                path,
                split=cast("Split", split),
                image_column=image_column,
                text_column=text_column,
                label_column=label_column,
                split_column=split_column,
                annotation_columns=annotation_column or (),
                key_column=key_column,
                predictions=predictions,
                probability_column=probability_column,
                folder_split=choices,
                count_from=cast("Literal[0, 1] | None", count_from),
                dry_run=dry_run or add_classes,
                on_sent=on_sent,
                on_left_out=on_left_out,
            )
        if dry_run:
            return show_plan(client, found, job, as_json)
        if add_classes:
            job = start_with_classes(client, found, job, as_json)
        return finish_import(client, found, job, report, as_json)


def require_stored(dry_run: bool, report: Path | None, add_classes: bool) -> None:
    """Refuse what stores something, or tells what became of each, where nothing is stored.

    Args:
        dry_run: Whether nothing is.
        report: Where to write what became of each.
        add_classes: Whether to make classes.

    Raises:
        typer.BadParameter: One of them is given beside ``dry_run``.
    """
    if dry_run and report is not None:
        raise typer.BadParameter("A dry run has no --report; leave one of them out.")
    if dry_run and add_classes:
        raise typer.BadParameter("A dry run takes no --add-classes; leave one of them out.")


def folder_choices(given: list[str] | None) -> "dict[str, FolderChoice]":
    """What ``--folder-split`` says, by folder.

    Args:
        given: As it was typed.

    Raises:
        typer.BadParameter: One has no ``=``.
    """
    found: dict[str, FolderChoice] = {}
    for text in given or ():
        name, equals, choice = text.rpartition("=")
        if not equals or not name:
            raise typer.BadParameter(
                f"{text!r} must be FOLDER=SPLIT, such as dev=evaluation.",
                param_hint="--folder-split",
            )
        found[name] = cast("FolderChoice", choice)
    return found


def show_plan(client: "Client", project: "ProjectClient", job: "Job", as_json: bool) -> None:
    """Wait for the plan of an import, show it, and remove what was sent for it.

    Args:
        client: The connection.
        project: The project.
        job: The dry run.
        as_json: Whether to show it as JSON.
    """
    from karat.client.transport import KaratError

    try:
        with job_bar() as on_progress:
            plan = cast("ImportPlan", client.wait(job["id"], on_progress)["result"])
    finally:
        # What cannot be removed now goes by itself, a day later.
        with suppress(KaratError):
            project.discard_import(job["id"])
    if as_json:
        return show_json(plan)
    rows = [
        (
            one["name"] or "(no split)",
            one["proposal"].replace("_", " "),
            one["count"],
            _labels_of(one),
            one["reason"] or "",
        )
        for one in plan["groups"]
    ]
    say, many = words(project)
    show_table(
        ("folder or value", "becomes", f"#{many}", "classes", "why"), rows, say("No images.")
    )
    parts = [f"{count:,} {split}" for split, count in plan["by_split"].items() if count]
    parts += [f"{plan['left_out']:,} left out"] if plan["left_out"] else []
    parts += [f"{plan['refused']:,} refused"] if plan["refused"] else []
    parts += [say(f"{plan['rows']:,} rows about images that are there")] if plan["rows"] else []
    echo(f"{', '.join(parts) or 'nothing'}. Nothing was stored.")
    if size := plan.get("input_size"):
        whole = "all of each within " if size.get("fit") == "pad" else ""
        echo(
            f"Images are typically {size['width']} × {size['height']}; the model would see "
            f"{whole}{size['side']} × {size['side']}."
        )
    # Earlier versions list none.
    if names := plan.get("class_names"):
        more = f" and {len(names) - _LISTED:,} more, which --json shows"
        shown = ", ".join(names[:_LISTED]) + (more if len(names) > _LISTED else "")
        echo(f"It lists these classes, by their numbers: {shown}.")
    for note in plan.get("notes", ()):
        echo(note)
    if plan.get("doubts"):
        echo(
            "Of some numbers it is not certain which class they count: say which number the first "
            "class has with --count-from 0 or --count-from 1."
        )
    for line in label_hints(plan, [one["name"] for one in project.get()["classes"]]):
        echo(say(line))
    if any(one["reason"] for one in plan["groups"]):
        echo("Say what a folder or value is with --folder-split NAME=SPLIT.")
    for column in plan["labels"]:
        if column["chosen"]:
            echo(
                f"Labels in {column['column']}: {column['readable']:,} readable, "
                f"{column['unreadable']:,} not."
            )
    # Earlier versions know of none.
    for one in plan.get("predictions", ()):
        echo(say(f"{one['model']} predicts something of {one['readable']:,} images."))
        for line in by_reason(one["left_aside"], {}):
            echo(f"  {line}")
    for document in plan["documents"]:
        echo(f"{document['name']} says something of the {many} ({document['format']}).")
    for line in refused_by_reason({**plan}):
        echo(f"  {line}")
    return None


def words(project: "ProjectClient") -> tuple[Callable[[str], str], str]:
    """What puts a sentence into words for the project's examples, and what these are called.

    Args:
        project: The project.
    """
    medium = project.get()["medium"]
    return partial(in_words_of, medium), noun(medium).many


def _labels_of(group: "PlannedGroup") -> str:
    labels = group["labels"]
    shown = [one["name"] + ("" if one["known"] else " (no class)") for one in labels[:_NAMED]]
    return ", ".join(shown) + (f", … {len(labels)} in all" if len(labels) > _NAMED else "")


@contextmanager
def _left_out() -> Iterator[Callable[[str, str], None]]:
    """Takes files that are not sent, and tells of them in the end, on stderr."""
    names: dict[str, list[str]] = {}
    try:
        yield lambda name, reason: names.setdefault(reason, []).append(name)
    finally:
        for line in by_reason({reason: len(of) for reason, of in names.items()}, names):
            echo(f"Left out: {line}", err=True)


def finish_import(
    client: "Client", project: "ProjectClient", job: "Job", report: Path | None, as_json: bool
) -> None:
    """Wait for an import and show what came of it; exits with 1 if all was refused.

    Args:
        client: The connection.
        project: The project.
        job: The import.
        report: File for what became of each image.
        as_json: Whether to show it as JSON.
    """
    with job_bar() as on_progress:
        job = client.wait(job["id"], on_progress)
    if report is not None:
        project.import_report(job["id"], report)
    result = job["result"] or {}
    if as_json:
        show_json(result)
    else:
        _show_result(result, report, words(project)[0])
    brought = ("added", "annotations", "labeled", "predicted", "unchanged", "duplicates")
    if result["refused"] and not any(result.get(name) for name in brought):
        raise typer.Exit(1)


def _show_result(result: dict[str, Any], report: Path | None, say: Callable[[str], str]) -> None:
    echo(
        say(
            f"{how_many(result['added'], 'image')} added, {result['duplicates']:,} there already, "
            f"{result['refused']:,} refused."
        )
    )
    if measuring := result.get("by_split", {}).get("evaluation"):
        echo(say(f"{measuring:,} of these images are for evaluation, with their labels."))
    for note in result.get("notes", ()):
        echo(note)
    # Imports of an earlier version left nothing out.
    for line in by_reason(result.get("left_out_by_reason", {}), {}):
        echo(f"Left out: {line}.")
    if result["total"] == 0:
        echo("There was nothing in it: no file, and no row below the header.")
    # Imports of an earlier version did not tell these apart.
    counted = ("labeled", "predicted", "unchanged", "empty")
    labeled, predicted, unchanged, empty = (result.get(name, 0) for name in counted)
    if labeled or predicted or unchanged or empty:
        of_models = f"{predicted:,} with predictions, " if predicted else ""
        echo(
            say(
                f"Rows about images that were there: {labeled:,} labeled, {of_models}{unchanged:,} "
                f"known already, {empty:,} without any."
            )
        )
    if result["annotations"]:
        echo(say(f"{how_many(result['annotations'], 'label')} added, of new images and of others."))
    if predictions := result.get("predictions"):
        echo(
            say(
                f"{how_many(predictions, 'prediction')} added, or put in the place of others; "
                "images are asked about with them from now on."
            )
        )
    if result.get("contradicting"):
        echo(
            say(
                f"{result['contradicting']:,} images have labels that contradict each other; all "
                "are kept, and reviewers find them among the disagreements."
            )
        )
    for line in by_reason(result.get("noted", {}), {}):
        echo(f"  {line}")
    for line in refused_by_reason(result):
        echo(f"  {line}")
    if lacks_classes(result):
        echo("  To make classes of names that images come with, import again with --add-classes.")
    said = {**result.get("noted", {}), **result.get("refused_by_reason", {})}
    if any("as predictions of that model" in reason for reason in said):
        echo(
            "  To take these as predictions, import again with --predictions and the model's name."
        )
    if report is not None:
        echo(f"What became of each is in {report}.")
    elif result["refused"] or result.get("noted"):
        echo("  To see what became of each, add --report FILE.")
