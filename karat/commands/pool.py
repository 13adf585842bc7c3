"""``karat pool``."""

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

import typer

from core.media.nouns import noun
from karat.client.task_types import known_task
from karat.commands.connection import JsonOption, ProjectArgument, connect, find_project, first
from karat.commands.filters import WhereOption, chosen_filters, class_id
from karat.commands.imports import (
    AddClassesOption,
    AnnotationColumnOption,
    CountFromOption,
    DryRunOption,
    FolderSplitOption,
    LabelColumnOption,
    ReportOption,
    SplitColumnOption,
    SplitOption,
    finish_import,
    folder_choices,
    require_stored,
    show_plan,
)
from karat.commands.labels import label_of
from karat.commands.new_classes import NO_CLASS, start_with_classes
from karat.terminal import confirm, echo, show_json, show_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from karat.client.filters import Sort, Which
    from karat.client.pool_types import Changed, Example, Filters
    from karat.client.project import ProjectClient
    from karat.client.resources import Split, Verdict

pool = typer.Typer(help="Find images or texts, and act on many at once.", no_args_is_help=True)

IdOption = Annotated[list[int] | None, typer.Option("--id", help="An image or text; repeat it.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
_SHOWN = 60


@pool.command("list")
def list_images(
    project: ProjectArgument,
    where: WhereOption = None,
    sort: Annotated[str, typer.Option(help="pool_index, or a score; -purity: highest first.")] = (
        "pool_index"
    ),
    search: Annotated[
        str | None, typer.Option(help="Words of texts, or beginnings of words.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List images or texts that match, and say how many there are."""
    with connect() as client:
        found = find_project(client, project)
        filters = chosen_filters(found, where)
        if search is not None:
            filters["search"] = search
        images = first(found.pool.find(filters, sort=cast("Sort", sort)), limit)
        count = found.pool.count(filters)
        shown = found.get()
        one_of = noun(shown["medium"]).one
        names = {one["id"]: one["name"] for one in shown["classes"]}
    if as_json:
        return show_json({**count, "items": images})
    rows = [(one["id"], _shown(one), one["state"], label_of(one, names)) for one in images]
    show_table(("#id", _heading(images), "state", "label"), rows, f"No {one_of} matches.")
    return echo(f"{'' if count['exact'] else 'about '}{count['count']:,} match.")


def _shown(example: "Example") -> str:
    """What tells an image or a text from others in a table."""
    if (excerpt := example["excerpt"]) is None:
        return example["name"]
    return textwrap.shorten(excerpt, _SHOWN, placeholder="…")


def _heading(examples: "Sequence[Example]") -> str:
    return "text" if any(one["excerpt"] is not None for one in examples) else "name"


@pool.command("similar")
def similar(
    project: ProjectArgument,
    file: Annotated[
        Path | None, typer.Argument(help="An image, or a file of text, that is not in the pool.")
    ] = None,
    text: Annotated[
        str | None, typer.Option(help="A text that is not in the pool; of images what they show.")
    ] = None,
    ids: IdOption = None,
    where: WhereOption = None,
    limit: Annotated[int, typer.Option(min=1, help="How many.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List what is most similar to a file or a text, or to one or several of the pool."""
    if file is None and text is None and not ids:
        raise typer.BadParameter("Name a file, a text with --text, or some of the pool with --id.")
    if file is not None and text is not None:
        raise typer.BadParameter("Name a file, or a text with --text; not both.")
    if file is not None and not file.is_file():
        raise typer.BadParameter(f"There is no file {file}.")
    with connect() as client:
        found = find_project(client, project)
        filters = chosen_filters(found, where)
        shown = found.get()
        medium = shown["medium"]
        if ids:
            filters["similar_to"] = ",".join(map(str, ids))
        if file is not None or text is not None:
            by_words = text is not None and medium == "image"
            job = (
                found.pool.find_by_words(text or "")
                if by_words
                else found.pool.look_up(file, text=text)
            )
            filters["similar_file"] = client.wait(job["id"])["id"]
        images = first(found.pool.find(filters, sort="-similarity"), limit)
        one_of = noun(medium).one
        names = {one["id"]: one["name"] for one in shown["classes"]}
    if as_json:
        return show_json({"items": images})
    rows = [
        (one["id"], _shown(one), f"{one['similarity']:.3f}", one["state"], label_of(one, names))
        for one in images
    ]
    columns = ("#id", _heading(images), "#similarity", "state", "label")
    return show_table(columns, rows, f"No {one_of} matches.")


@pool.command("duplicates")
def duplicates(
    project: ProjectArgument,
    which: Annotated[str, typer.Option(help="all, leaking or contradicting.")] = "all",
    hold_copies: Annotated[
        bool, typer.Option("--hold-out", help="Keep one of each group, hold the others out.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, help="How many groups.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List groups that are the same picture or text, as the job compare has found them."""
    if which not in get_args(_which()):
        raise typer.BadParameter("--which is all, leaking or contradicting.")
    with connect() as client:
        found = find_project(client, project)
        kind = cast("Which", which)
        if hold_copies:
            return _show_changed(found, found.pool.hold_copies(which=kind), as_json)
        groups = first(found.pool.duplicates(kind), limit)
    if as_json:
        return show_json({"items": groups})
    rows = [
        (
            one["id"], one["images"], one["pool"], one["evaluation"], one["held_out"],
            "yes" if one["is_contradicting"] else "", _shown(one["items"][0]),
        )
        for one in groups
    ]  # fmt: skip
    names = ("#id", "#members", "#pool", "#evaluation", "#held out", "contradicting", "first")
    return show_table(names, rows, "No such group. The job compare finds them.")


def _which() -> Any:
    from karat.client.filters import Which

    return Which


@pool.command("verdict")
def verdict(
    project: ProjectArgument,
    said: Annotated[
        str,
        typer.Argument(
            help="A class, or ood, unsure, or skip to take it back; of boxes no-objects instead "
            "of a class."
        ),
    ],
    where: WhereOption = None,
    ids: IdOption = None,
    note: Annotated[
        str | None, typer.Option(help="Plain text beside the verdict, at most 500 characters.")
    ] = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Say what images or texts are: a review, which stands above all answers and costs nothing."""
    with connect() as client:
        found = find_project(client, project)
        shown = found.get()
        class_: int | None = None
        label: dict[str, Any] | None = None
        known = {one["name"]: one["id"] for one in shown["classes"]}
        if known_task(shown["task"]).lists_objects:
            if said not in {"no-objects", *NO_CLASS}:
                raise typer.BadParameter(f"{said!r} is neither no-objects, ood, unsure nor skip.")
            label = {"type": shown["task"], "boxes": []} if said == "no-objects" else None
        elif said in known:
            class_ = known[said]
        elif said not in NO_CLASS:
            class_ = class_id(shown, said, "SAID")
        chosen = _chosen(found, where, ids, yes)
        is_label = class_ is not None or label is not None
        given = cast("Verdict", "label" if is_label else said)
        changed = found.pool.judge(given, chosen, class_id=class_, label=label, note=note)
        return _show_changed(found, changed, as_json)


@pool.command("add")
def add(
    project: ProjectArgument,
    location: Annotated[
        str, typer.Argument(help="s3://bucket/folder, or file:///folder of the server.")
    ],
    include: Annotated[
        list[str] | None,
        typer.Option(help="Pattern of paths below it, such as `*/2024/*.jpg`; repeat it."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(
            help="CSV, JSONL or Parquet file that names the images: here, or below the location."
        ),
    ] = None,
    split: SplitOption = "pool",
    key_column: Annotated[str | None, typer.Option(help="Table column of the paths.")] = None,
    label_column: LabelColumnOption = None,
    split_column: SplitColumnOption = None,
    annotation_column: AnnotationColumnOption = None,
    folder_split: FolderSplitOption = None,
    count_from: CountFromOption = None,
    add_classes: AddClassesOption = False,
    dry_run: DryRunOption = False,
    report: ReportOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take in images that stay in a bucket. What is there already is not added twice."""
    require_stored(dry_run, report, add_classes)
    if table is not None and include:
        raise typer.BadParameter("--table names the images, and takes no --include; leave it out.")
    choices = folder_choices(folder_split)
    with connect() as client:
        found = find_project(client, project)
        job = found.pool.add(
            location,
            include=include or (),
            table=Path(table) if table and Path(table).is_file() else table,
            split=cast("Split", split),
            key_column=key_column,
            label_column=label_column,
            split_column=split_column,
            annotation_columns=annotation_column or (),
            folder_split=choices,
            count_from=cast("Literal[0, 1] | None", count_from),
            dry_run=dry_run or add_classes,
        )
        if dry_run:
            return show_plan(client, found, job, as_json)
        if add_classes:
            job = start_with_classes(client, found, job, as_json)
        return finish_import(client, found, job, report, as_json)


@pool.command("link")
def link(
    project: ProjectArgument,
    example: Annotated[int, typer.Argument(help="The image or text.")],
    seconds: Annotated[
        int, typer.Option(min=60, max=604_800, help="How long it is good for.")
    ] = 3600,
) -> None:
    """Print an address that shows an example to whoever has it, without logging in."""
    with connect() as client:
        echo(find_project(client, project).pool.link(example, seconds=seconds))


@pool.command("queue")
def queue(
    project: ProjectArgument,
    where: WhereOption = None,
    ids: IdOption = None,
    back: Annotated[bool, typer.Option("--back", help="Take them back instead.")] = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Send images or texts to the head of the open round's queue."""
    _act(project, where, ids, "unqueue" if back else "queue", yes, as_json)


@pool.command("hold-out")
def hold_out(
    project: ProjectArgument,
    where: WhereOption = None,
    ids: IdOption = None,
    back: Annotated[bool, typer.Option("--back", help="Give them back instead.")] = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Leave what is unlabeled out of all rounds to come."""
    _act(project, where, ids, "release" if back else "hold_out", yes, as_json)


@pool.command("promote")
def promote(
    project: ProjectArgument,
    name: Annotated[str, typer.Argument(help="Name of the class.")],
    where: WhereOption = None,
    ids: IdOption = None,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a class for a group that is OOD, and ask about it again."""
    with connect() as client:
        found = find_project(client, project)
        chosen = _chosen(found, where, ids, yes)
        made = found.pool.promote(name, chosen)
    if as_json:
        return show_json(made)
    return echo(f"{made['name']} is class {made['id']}.")


def _act(
    project: str,
    where: list[str] | None,
    ids: list[int] | None,
    verb: str,
    yes: bool,
    as_json: bool,
) -> None:
    with connect() as client:
        found = find_project(client, project)
        changed: Changed = getattr(found.pool, verb)(_chosen(found, where, ids, yes))
        return _show_changed(found, changed, as_json)


def _show_changed(project: "ProjectClient", changed: "Changed", as_json: bool) -> None:
    if as_json:
        return show_json(changed)
    left = ", ".join(f"{count} {why}" for why, count in changed["left_out"].items())
    count = len(changed["example_ids"]) + changed["moved"]
    echo(f"{noun(project.get()['medium']).counted(count)} changed.")
    return echo(f"Left out: {left}.") if left else None


def _chosen(
    project: "ProjectClient", where: list[str] | None, ids: list[int] | None, yes: bool
) -> "list[int] | Filters":
    if bool(ids) == bool(where):
        raise typer.BadParameter("Name some with --id, or filters with --where; not both.")
    if ids:
        return ids
    filters = chosen_filters(project, where)
    if not yes:
        count = project.pool.count(filters)
        about = "" if count["exact"] else "about "
        what = noun(project.get()["medium"]).counted(count["count"])
        confirm(f"That is {about}{what}. Go on?")
    return filters
