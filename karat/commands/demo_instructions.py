"""``karat demo --task instructions``."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from karat.client.intervals import band
from karat.progress import job_bar
from karat.terminal import console, echo

if TYPE_CHECKING:
    from karat.client.client import Client
    from karat.client.project import ProjectClient
    from karat.client.selections import Selection
    from karat.demo.demo import Login
    from karat.demo.demo_instructions import InstructionPool

INSTRUCTIONS: Final = "instructions"
_PAUSE: Final = 0.3
_LEFT: Final = 12
"""Groups that simulated people leave to whoever looks at the demo."""


def run_instructions(
    directory: Path, port: int | None, seed: int, json_: Path | None, exit_: bool, human: bool
) -> None:
    """Choose among rows with a stand-in judge and simulated people, then stay up."""
    from karat.client.client import Client
    from karat.demo.demo import admin_login
    from karat.demo.demo_instructions import instructions
    from karat.demo.ranking import create_project, judge_at_hand
    from karat.local.stack import Stack

    pool = instructions(seed)
    stack = Stack(
        directory,
        port=port,
        environment={"KARAT_JUDGE_ALLOW": "127.0.0.1"},
        notify=lambda message: echo(message, err=True),
    )
    try:
        with console().status("Starting Karat …"):
            stack.start()
        login = admin_login(stack)
        console().print(f"Karat is ready: [bold cyan]{stack.url}[/]")
        show_login(login)
        with Client(stack.url) as client:
            client.login(login.email, login.password)
            with judge_at_hand(client, pool) as judge_id:
                console().print(
                    "The judge is a [bold]stand-in[/], no model: it was told which rows are wrong, "
                    "and errs on purpose."
                )
                with job_bar() as on_progress:
                    project = create_project(client, pool, on_progress)
                found = _judged(client, project, judge_id, pool)
                if not human:
                    found |= _ranked(client, project, pool, found, left=0 if exit_ else _LEFT)
                if json_ is not None:
                    json_.write_text(json.dumps(found, indent=2) + "\n")
                    echo(f"Wrote {json_}.")
                if not exit_:
                    address = f"{stack.url}/projects/{project.id}"
                    console().print(f"Look around: [bold cyan]{address}[/]")
                    console().print(f"Rank some yourself: [bold cyan]{address}/label[/]")
                    echo("Stop with Ctrl-C.")
                    stack.wait()
    finally:
        stack.stop()


def _judged(
    client: "Client", project: "ProjectClient", judge_id: int, pool: "InstructionPool"
) -> dict[str, Any]:
    """Let the judge choose; returns what came of it."""
    from karat.demo.ranking import choose, wrong_share

    console().print(
        f"{len(pool.rows):,} rows to choose from, [bold]{pool.wrong:.0%}[/] of them wrong."
    )
    with job_bar() as on_progress:
        job = choose(client, project, judge_id, on_progress)
    judged = project.selection(job["id"]).get()
    wrong = wrong_share(project, job["id"], pool)
    judge = judged["judge"]
    assert judge is not None
    console().print(
        f"The judge was asked {judge['requests']:,} times about {judged['clusters']:,} clusters "
        f"and kept {judged['kept']:,} rows, [bold]{wrong:.0%}[/] of them wrong; it was undecided "
        f"about {judged['undecided']:,} clusters."
    )
    return {"job": job["id"], "wrong": pool.wrong, "judge": judged, "wrong_of_judge": wrong}


def _ranked(
    client: "Client",
    project: "ProjectClient",
    pool: "InstructionPool",
    found: dict[str, Any],
    *,
    left: int,
) -> dict[str, Any]:
    """Let simulated people rank what the judge leaves open, but for some; what came of that."""
    from karat.demo.ranking import Ranker, after_people, wrong_share

    asked = found["judge"]["people"]
    if asked is None or asked["refused"] is not None:
        return {}
    most = asked["asked"] - left
    with console().status("People rank …") as status:
        Ranker(client, project, pool).run(
            most,
            _PAUSE if left else 0.0,
            lambda done: status.update(f"People rank: {done} of {most}"),
        )
        if left:
            console().print(
                f"People ranked {most:,} of {asked['asked']:,} clusters, and leave {left} to you: "
                "when these are ranked as well, people's order decides."
            )
            return {}
        after = after_people(project, found["job"])
    wrong = wrong_share(project, found["job"], pool)
    console().print(_said(after, wrong))
    return {"people": after, "wrong_of_both": wrong}


def _said(after: "Selection", wrong: float) -> str:
    people = after["people"]
    assert people is not None
    said = f"People ranked {people['answered']:,} clusters: {after['kept']:,} rows are kept, "
    said += f"[bold]{wrong:.0%}[/] of them wrong."
    if (agreement := people["agreement"]) is not None:
        said += (
            f" Of {agreement['of']} clusters that were drawn by chance they put first what the "
            f"judge had put first in {agreement['agree']} "
            f"({band(agreement['low'], agreement['high'])})."
        )
    return said


def show_login(login: "Login") -> None:
    """Say how to log in to a demo."""
    console().print(f"Log in as [bold]{login.email}[/] with the password [bold]{login.password}[/]")
