"""``karat job`` and ``algorithms``."""

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from core.media.nouns import noun
from karat.commands.connection import (
    JsonOption,
    ProjectArgument,
    assigned,
    connect,
    find_project,
    first,
)
from karat.progress import job_bar
from karat.terminal import echo, show_estimate, show_json, show_table, when

if TYPE_CHECKING:
    from karat.client.resources import Job

jobs = typer.Typer(help="Start, follow, resume and cancel jobs.", no_args_is_help=True)

JobArgument = Annotated[int, typer.Argument(metavar="JOB", help="The job's number.")]


@jobs.command("list")
def list_jobs(
    project: Annotated[
        str | None,
        typer.Argument(metavar="PROJECT", help="Only this project's: its name or number."),
    ] = None,
    state: Annotated[
        str | None, typer.Option(help="queued, running, paused, succeeded, failed or cancelled.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many at most.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """List jobs, the latest first."""
    from karat.client.resources import JobState

    with connect() as client:
        project_id = find_project(client, project).id if project else None
        every = client.jobs(project_id=project_id, state=cast("JobState | None", state))
        found = first(every, limit)
    if as_json:
        return show_json(found)
    rows = [
        (
            one["id"],
            one["kind"],
            one["project_id"],
            one["state"],
            one["progress"]["phase"] if one["progress"] else None,
            when(one["created_at"]),
            _message(one),
        )
        for one in found
    ]
    columns = ("#id", "kind", "#project", "state", "phase", "made", "message")
    return show_table(columns, rows, "There are no such jobs.")


@jobs.command("start")
def start(
    project: ProjectArgument,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="Which, such as learn_features.")],
    params: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=VALUE", help="A parameter, such as epochs=100."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only check it, and say what it would take.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Start a job; `karat algorithms --kind job` lists what can be started."""
    values = assigned(params or [], "--param")
    with connect() as client:
        found = find_project(client, project)
        job = found.start_job(kind, values, dry_run=dry_run)
        if dry_run:
            with job_bar() as on_progress:
                job = client.wait(job["id"], on_progress)
        if as_json:
            show_json(job)
        elif dry_run:
            show_estimate(job, noun(found.get()["medium"]).many)
        else:
            echo(f"Job {job['id']} is {job['state']}. Follow it with: karat job watch {job['id']}")


@jobs.command("log")
def log(
    job: JobArgument,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on until the job ends.")
    ] = False,
) -> None:
    """Show what a job has said of itself, with times in UTC."""
    with connect() as client:
        if not follow:
            echo(client.job_log(job), nl=False)
            return
        for lines in client.follow_log(job):
            echo(lines, nl=False)


@jobs.command("watch")
def watch(job: JobArgument, as_json: JsonOption = False) -> None:
    """Follow a job until it ends; the exit code tells whether it succeeded."""
    with connect() as client, job_bar() as on_progress:
        done = client.wait(job, on_progress)
    if as_json:
        show_json(done)
    else:
        echo(f"Job {job} {done['state']}.")
        for note in (done["result"] or {}).get("notes", ()):
            echo(note)


@jobs.command("cancel")
def cancel(job: JobArgument, as_json: JsonOption = False) -> None:
    """Ask a job to stop."""
    with connect() as client:
        asked = client.cancel_job(job)
    if as_json:
        show_json(asked)
    elif asked["state"] == "running":
        echo(f"Job {job} stops at its next step.")
    else:
        echo(f"Job {job} is {asked['state']}.")


@jobs.command("resume")
def resume(
    job: JobArgument,
    spend_at_most: Annotated[
        float | None,
        typer.Option(min=0, help="What it may spend in all, more than it has.", show_default=False),
    ] = None,
    finish: Annotated[
        bool, typer.Option("--finish", help="Ask nothing more, and end with what is there.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Have a paused job go on, with more to spend or to its end with what is there."""
    if finish == (spend_at_most is not None):
        raise typer.BadParameter("give --spend-at-most or --finish, and not both")
    with connect() as client:
        again = client.resume_job(job, spend_at_most=spend_at_most, finish=finish)
    if as_json:
        show_json(again)
    else:
        echo(f"Job {job} is {again['state']}.")


@jobs.command("retry")
def retry(job: JobArgument, as_json: JsonOption = False) -> None:
    """Run a failed or cancelled job again."""
    with connect() as client:
        again = client.retry_job(job)
    if as_json:
        show_json(again)
    else:
        echo(f"Job {job} is {again['state']}.")


def _message(job: "Job") -> str | None:
    """What there is to say of a job."""
    from karat.client.pauses import paused_words

    if job["pause"] is not None:
        return paused_words(job["pause"])
    return job["error"]["detail"] if job["error"] else job["message"]


def algorithms(
    kind: Annotated[
        str | None,
        typer.Option(
            help="Only this kind: model, strategy, purity, informativeness, pruning, learner, "
            "instruction_selection or job."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the algorithms that projects can use and the jobs there are, and which to choose."""
    with connect() as client:
        try:
            found = client.algorithms(kind)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--kind") from error
        if as_json:
            return show_json(found)
        usual = _chosen(client.default_settings())
        finding = _chosen(client.default_settings("find_all"))

    def use(one: tuple[str, str]) -> str:
        if one in usual:
            return "unless you choose"
        return "to find all" if one in finding else ""

    rows = [
        (one["kind"], one["name"], use((one["kind"], one["name"])), one["summary"]) for one in found
    ]
    return show_table(("kind", "name", "used", "what it is"), rows, "There are no such algorithms.")


def _chosen(settings: dict[str, Any]) -> set[tuple[str, str]]:
    """Kind and name of the algorithms that settings name."""
    return {
        (kind, value["name"])
        for kind, value in settings.items()
        if isinstance(value, dict) and "name" in value
    }
