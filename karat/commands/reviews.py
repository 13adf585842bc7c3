"""``karat review`` and ``karat project agreement``."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from core.media.nouns import noun
from karat.client.intervals import measured
from karat.client.task_types import known_task
from karat.commands.connection import JsonOption, ProjectArgument, connect, find_project
from karat.commands.projects import projects
from karat.terminal import confirm, echo, show_json, show_table, when

if TYPE_CHECKING:
    from karat.client.review_types import Agreement, ProposalFates, ReviewDecision, Voter

reviews = typer.Typer(
    help="Follow and take back reviews of suggested labels.", no_args_is_help=True
)

_DECISIONS: "Final[tuple[ReviewDecision, ...]]" = ("keep", "accept", "other", "ood", "unsure")


@reviews.command("list")
def list_reviews(project: ProjectArgument, as_json: JsonOption = False) -> None:
    """List the reviews of a project: disagreements, then jobs, the latest first."""
    with connect() as client:
        found = find_project(client, project).reviews()
    if as_json:
        return show_json(found)
    rows = [
        (
            one["job_id"] or "disagreements",
            one["open"],
            *(one["decided"][decision] for decision in _DECISIONS),
            when(one["created_at"]),
        )
        for one in found
    ]
    columns = ("job", "#open", "#kept", "#accepted", "#other", "#OOD", "#unsure", "made")
    nothing = "There are no reviews: annotators do not disagree, and no job relabel has run."
    return show_table(columns, rows, nothing)


@reviews.command("revert")
def revert(
    project: ProjectArgument,
    job: Annotated[
        int | None,
        typer.Argument(
            metavar="JOB",
            help="The job that made the suggestions; disagreements of annotators if left out.",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Take back every decision of a review. The decisions stay on record."""
    with connect() as client:
        found = find_project(client, project)
        review = found.disagreements() if job is None else found.review(job)
        decided = sum(review.get()["decided"].values())
        if decided and not yes:
            confirm(f"Take back {decided} decisions?")
        echo(f"{review.revert()} decisions taken back.")


@projects.command("agreement")
def agreement(project: ProjectArgument, as_json: JsonOption = False) -> None:
    """Show how far those agree who have judged the same images."""
    with connect() as client:
        named = find_project(client, project)
        found = named.agreement()
        made = named.get()
        one_of = noun(made["medium"]).one
    if as_json:
        return show_json(found)
    if found["examples"] == 0:
        echo(f"No {one_of} has more than one verdict.")
        return _show_proposed(found)
    rows: list[tuple[Any, ...]] = [("all together", None, *_figures(found))]
    rows += [(one["name"], one["votes"], *_figures(one)) for one in found["voters"]]
    compared = known_task(made["task"]).compared
    columns = ("who", "#verdicts", "#IN or OOD", "#alpha", f"#{compared}", "#alpha")
    show_table(columns, rows, "")
    return _show_proposed(found)


def _show_proposed(found: "Agreement") -> None:
    """What annotators made of what models proposed, if any did."""
    voters = [(one["name"], one["proposals"]) for one in found["voters"]]
    # Earlier versions tell nothing of models.
    models = found.get("models", [])
    of_models = [(one["model"] or "Karat's own", one["proposals"]) for one in models]
    names = ("#proposed", "#kept", "#adjusted", "#rejected", "#overlap", "#a box")
    for who, made in (("who", voters), ("model", of_models)):
        rows = [(name, *_fates(fates)) for name, fates in made if fates and fates["proposals"]]
        if rows:
            show_table((who, *names, "#shifted ones kept"), rows, "")
    agreed = [
        (one["model"], one["answers"], measured(one["agreed"] / one["answers"], one["answers"]))
        for one in models
        if one["agreed"] is not None
    ]
    if agreed:
        show_table(("model", "#answers to its suggestions", "#agree with it"), agreed, "")


def _fates(made: "ProposalFates") -> Iterator[Any]:
    yield from (made[name] for name in ("proposals", "kept", "adjusted", "rejected"))
    yield None if made["iou"] is None else f"{100 * made['iou']:.0f} %"
    yield None if made["seconds_per_box"] is None else f"{made['seconds_per_box']:.1f} s"
    yield f"{made['shifted_kept']} of {made['shifted']}" if made["shifted"] else None


def _figures(found: "Agreement | Voter") -> Iterator[str | None]:
    for one in (found["in_ood"], found["classes"]):
        yield measured(one["share"], one["pairs"])
        yield None if one["alpha"] is None else f"{one['alpha']:.2f}"
