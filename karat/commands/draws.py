"""``karat audit``: how often the newest model is right, by random draws."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from core.media.nouns import in_words_of
from karat.client.intervals import at_least, at_most, percent, sure
from karat.commands.connection import JsonOption, ProjectArgument, connect, find_project
from karat.terminal import echo, show_json, show_table

if TYPE_CHECKING:
    from karat.client.findings import AuditEstimate, DrawnShare


def audit(
    project: ProjectArgument,
    ask: Annotated[
        int | None,
        typer.Option(
            min=1, max=10_000, help="Draw so many images at random and ask about them first of all."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say how often the newest model is right on what nobody chose, by images drawn at random."""
    with connect() as client:
        found = find_project(client, project)
        shown = found.get()
        say = partial(in_words_of, shown["medium"])
        if ask is not None:
            asked = found.ask_audit(ask)
            if as_json:
                return show_json(asked)
            return echo(say(f"{asked['asked']:,} images were drawn; round {asked['round']} asks."))
        estimate = found.audit()
    if as_json:
        return show_json(estimate)
    return _show(estimate, {one["id"]: one["name"] for one in shown["classes"]}, say)


def _show(found: "AuditEstimate", names: dict[int, str], say: Callable[[str], str]) -> None:
    if found["refused"] is not None:
        echo(found["refused"])
        return
    echo(
        say(
            f"{found['drawn']:,} images were drawn at random, {found['answered']:,} of them "
            f"answered; {found['unlooked']:,} of the pool nobody has judged."
        )
    )
    if found["round"] is None:
        echo("Nothing was measured yet: it is when a round closes that draws were part of.")
        return
    rows = [
        _row("all", found["accuracy"]),
        _row("of a class", found["inside"]),
        _row("OOD", found["ood"]),
        *(
            _row(names.get(one["class_id"], str(one["class_id"])), one)
            for one in found["per_class"]
        ),
    ]
    show_table(
        (say("images"), "#draws", "#labeled rightly", "#at least", "#at most"),
        [row for row in rows if row is not None],
        "No draw was answered.",
    )
    echo(
        f"By the model of round {found['round']}; each interval is {sure(found['confidence'])} "
        "sure, however often you look."
    )
    if found["of"] is not None:
        echo(say(f"The shares are of {found['of']:,} images that nobody chose to ask about."))
    if found["beyond"]:
        echo(f"They say nothing of {found['beyond']:,} more that came later.")
    if found["past"]:
        echo(
            f"{found['past']:,} that were answered count no more: too much of what they were drawn "
            "from was labeled otherwise, or held out."
        )
    if found["unsure"]:
        echo(f"{found['unsure']:,} that people were unsure of count as labeled wrongly.")
    if (people := found["people"]) is not None:
        echo(
            say(
                f"People differed on {people['disagreed']:,} of {people['pairs']:,} images that "
                f"were judged twice: at most {at_most(people['high'])} of single answers are wrong."
            )
        )


def _row(name: str, one: "DrawnShare | None") -> tuple[str, int, str, str, str] | None:
    if one is None:
        return None
    return name, one["n"], percent(one["share"], 1), at_least(one["low"]), at_most(one["high"])
