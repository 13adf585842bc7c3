"""``karat project`` and ``karat round``."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from core.media.nouns import noun
from karat.client.intervals import accuracy, inside_share
from karat.client.notebook import project_columns, strategy_of
from karat.client.task_types import FIRST, known_task
from karat.commands.connection import (
    JsonOption,
    ProjectArgument,
    assigned,
    connect,
    find_project,
    read_object,
    read_text,
)
from karat.progress import job_bar
from karat.terminal import confirm, echo, show_estimate, show_json, show_table, spent, when

if TYPE_CHECKING:
    from karat.client.resources import Medium, Project, Retention

projects = typer.Typer(help="Make and run projects.", no_args_is_help=True)
rounds = typer.Typer(help="Look at and close rounds.", no_args_is_help=True)


@projects.command("create")
def create(
    name: Annotated[str, typer.Argument(help="Its name.")],
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            help="A class; give the option once for each. Without any, karat import --add-classes "
            "makes them of what it brings.",
        ),
    ] = None,
    task: Annotated[
        str,
        typer.Option(
            help="What a label is: classification or boxes; or instructions, of which people rank "
            "rows; or one that a package has added to the server. It stays so.",
            metavar="TASK",
        ),
    ] = FIRST,
    from_project: Annotated[
        str | None,
        typer.Option(
            help="A project of another task, whose pool and classes are taken over.",
            metavar="PROJECT",
        ),
    ] = None,
    medium: Annotated[
        str | None,
        typer.Option(
            help="What its examples are: image or text; image if left out, and text for "
            "instructions. It stays so."
        ),
    ] = None,
    guidelines: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="File with what annotators should know."),
    ] = None,
    goal: Annotated[
        str | None,
        typer.Option(
            help="What you are after: best_model, or find_all examples of the classes.",
            metavar="GOAL",
        ),
    ] = None,
    settings: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="JSON file with settings.")
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A setting, such as budget=200 or model.name=…"
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a project."""
    values = read_object(settings, "--settings") if settings else {}
    about = read_text(guidelines, "--guidelines") if guidelines else ""
    if goal is not None:
        values["goal"] = goal
    assigned(set_ or [], "--set", values)
    if medium not in ("image", "text", None):
        raise typer.BadParameter("It is image or text.", param_hint="--medium")
    if not all(one.strip() for one in classes or ()):
        raise typer.BadParameter("A class has a name.", param_hint="--class")
    with connect() as client:
        source = None if from_project is None else find_project(client, from_project).id
        project = client.create_project(
            name,
            classes or [],
            medium=cast("Medium | None", medium),
            task=task,
            guidelines=about,
            settings=values,
            from_project=source,
        )
        _show(project.get(), as_json)


@projects.command("list")
def list_projects(as_json: JsonOption = False) -> None:
    """List the projects you may see."""
    with connect() as client:
        found = client.projects()
    if as_json:
        return show_json(found)
    rows = [
        (
            one["id"],
            one["name"],
            one["state"],
            one["counts"]["pool"],
            one["counts"]["labeled_in"],
            one["counts"]["labeled_ood"],
            now and now["number"],
        )
        for one in found
        for now in [one["current_round"]]
    ]
    headings = project_columns(found)
    columns = (
        "#id", "name", "state", f"#{headings['counts.pool']}", "#labeled", "#OOD", "#round",
    )  # fmt: skip
    return show_table(columns, rows, "There are no projects yet. See: karat project create --help")


@projects.command("show")
def show(project: ProjectArgument, as_json: JsonOption = False) -> None:
    """Show a project."""
    with connect() as client:
        _show(find_project(client, project).get(), as_json)


@projects.command("start")
def start(project: ProjectArgument, as_json: JsonOption = False) -> None:
    """Begin with round 0, or go on after a pause or with another round after the last."""
    with connect() as client:
        _show(find_project(client, project).start(), as_json)


@projects.command("pause")
def pause(project: ProjectArgument, as_json: JsonOption = False) -> None:
    """Give annotators nothing more for now."""
    with connect() as client:
        _show(find_project(client, project).pause(), as_json)


@projects.command("settings")
def change_settings(
    project: ProjectArgument,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A setting to change, such as budget=200."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the settings of a project, and change those of --set from the next round on."""
    values = assigned(set_ or [], "--set")
    with connect() as client:
        found = find_project(client, project)
        settings = (found.update(settings=values) if values else found.get())["settings"]
    if as_json:
        return show_json(settings)
    rows = [(name, json.dumps(value, ensure_ascii=False)) for name, value in _flat(settings)]
    return show_table(("setting", "value"), rows, "Only those who manage a project see them.")


def _flat(settings: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Settings by the names that ``--set`` takes."""
    for name, value in settings.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


@projects.command("delete")
def delete(
    project: ProjectArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a project with its examples and all that was said of them; for admins."""
    with connect() as client:
        found = find_project(client, project)
        now = found.get()
        if not yes:
            counts = now["counts"]
            count = counts["pool"] + counts["evaluation"] + counts["auxiliary_ood"]
            examples = f"{count:,} {noun(now['medium']).many}"
            confirm(
                f"Delete {now['name']} (number {found.id}) with its {examples} and every answer? "
                "Nothing brings them back."
            )
        found.delete()
    echo(f"{now['name']} is deleted.")


@projects.command("retain")
def retain(
    project: ProjectArgument,
    days: Annotated[
        int | None, typer.Option(min=7, help="Delete it so many days after it is finished.")
    ] = None,
    forever: Annotated[bool, typer.Option("--forever", help="Keep it.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show how long a project is kept, or have an admin change it."""
    if forever and days is not None:
        raise typer.BadParameter("Choose one of --days and --forever.")
    with connect() as client:
        found = find_project(client, project)
        said = found.retain(days) if forever or days is not None else found.retention()
    if as_json:
        return show_json(said)
    return _show_retention([said], "")


@projects.command("retention")
def retention(as_json: JsonOption = False) -> None:
    """List what will be deleted when; for admins. Nothing is done by asking."""
    with connect() as client:
        found = client.retentions()
    if as_json:
        return show_json(found)
    return _show_retention(found, "Every project is kept for good.")


def _show_retention(found: "list[Retention]", empty: str) -> None:
    rows = [
        (
            one["project_id"],
            one["project"],
            one["state"],
            one["days"] or "kept",
            when(one["due_at"]),
            one["images"],
            one["answers"],
        )
        for one in found
    ]
    columns = ("#id", "project", "state", "#days", "deleted on", "#examples", "#answers")
    return show_table(columns, rows, empty)


@rounds.command("list")
def list_rounds(project: ProjectArgument, as_json: JsonOption = False) -> None:
    """List the rounds of a project."""
    with connect() as client:
        reached = find_project(client, project)
        found = reached.rounds()
        if as_json:
            return show_json(found)
        is_learned = known_task(reached.get()["task"]).is_learned
    rows = [
        (
            one["number"],
            one["state"],
            strategy_of(one),
            spent(one),
            *((inside_share(one), accuracy(one)) if is_learned else ()),
            f"{sum(one['seconds'].values()):.1f}" if one["seconds"] else None,
        )
        for one in found
    ]
    measures = ("#IN share", "#accuracy") if is_learned else ()
    columns = ("#round", "state", "strategy", "#cost", *measures, "#seconds")
    return show_table(columns, rows, "There are no rounds yet. See: karat project start --help")


@rounds.command("estimate")
def estimate_round(
    project: ProjectArgument,
    model: Annotated[
        str | None, typer.Option(help="A model to measure with; the project's if left out.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say how long a round would take, before its model is chosen."""
    with connect() as client:
        found = find_project(client, project)
        job = found.estimate_round(model)
        with job_bar() as on_progress:
            job = client.wait(job["id"], on_progress)
        if as_json:
            show_json(job)
        else:
            show_estimate(job, noun(found.get()["medium"]).many)


@rounds.command("close")
def close_round(
    project: ProjectArgument,
    number: Annotated[
        int | None, typer.Argument(help="The round; the open one if left out.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask when the round has no answers.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Close a round before its budget is spent."""
    from karat.client.transport import KaratError

    with connect() as client:
        found = find_project(client, project)
        all_rounds = found.rounds()
        if number is None:
            number = next((one["number"] for one in all_rounds if one["state"] == "open"), None)
            if number is None:
                raise KaratError("round_not_open", f"{project} has no open round.")
        chosen = next((one for one in all_rounds if one["number"] == number), None)
        if (
            chosen
            and chosen["state"] == "open"
            and not any(chosen["answered"].values())
            and not yes
        ):
            confirm(
                f"Round {number} has no answers, so the model learns nothing new from it. "
                "Close it all the same?"
            )
        closed = found.close_round(number)
    if as_json:
        show_json(closed)
    else:
        echo(f"Round {number} is {closed['state']}.")


def _show(project: "Project", as_json: bool) -> None:
    if as_json:
        return show_json(project)
    counts, now = project["counts"], project["current_round"]
    task = known_task(project["task"])
    classes = ", ".join(one["name"] for one in project["classes"])
    learned = [
        (part, project["settings"].get(part, {}).get("name")) for part in ("strategy", "model")
    ]
    rows = [
        ("project", f"{project['name']} (number {project['id']})"),
        ("state", project["state"]),
        *([("classes", classes)] if classes or task.is_learned else []),
        (
            noun(project["medium"]).many,
            f"{counts['pool']} in the pool, {counts['evaluation']} for evaluation",
        ),
        ("answers", f"{_labeled(project)}, {counts['labeled_ood']} {task.none}"),
        ("round", now and f"{now['number']} {now['state']}, {spent(now)}"),
        *(learned if task.is_learned else []),
        ("made", when(project["created_at"])),
        *(("note", warning) for warning in project["warnings"]),
    ]
    return show_table(("", ""), rows, "")


def _labeled(project: "Project") -> str:
    """How many have a label; of boxes, how many have any, and in how many nothing is."""
    labeled = project["counts"]["labeled_in"]
    task = known_task(project["task"])
    if not task.lists_objects:
        return f"{labeled} {task.labeled}"
    # Servers of before do not tell.
    nothing = project["counts"].get("no_objects", 0)
    return f"{labeled - nothing} with boxes, {nothing} with no objects"
