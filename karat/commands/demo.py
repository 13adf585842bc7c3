"""``karat demo``."""

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.client.intervals import accuracy, inside_share
from karat.commands.demo_instructions import INSTRUCTIONS, run_instructions, show_login
from karat.commands.services import DEFAULT_DATA
from karat.progress import job_bar
from karat.terminal import console, echo

if TYPE_CHECKING:
    from rich.table import Table

    from karat.client.client import Client
    from karat.client.findings import Round
    from karat.client.project import ProjectClient
    from karat.demo.demo import Plan
    from karat.demo.demo_pool import DemoPool

_DATA = "A real pool"
_MODELS = {"image": "patch_kmeans", "text": "minilm"}
_SOURCES = {"image": "digits", "text": "mailbox"}


def demo(
    rounds: Annotated[int, typer.Option(min=1, help="Rounds to run.")] = 6,
    budget: Annotated[
        float | None, typer.Option(min=1, help="Verdicts a round; 40, or 300 with --data.")
    ] = None,
    strategy: Annotated[str, typer.Option(help="Query strategy.")] = "expected_value",
    purity: Annotated[str | None, typer.Option(help="Purity score.")] = None,
    informativeness: Annotated[str | None, typer.Option(help="Informativeness score.")] = None,
    task: Annotated[
        str,
        typer.Option(
            help="image: handwritten digits; text: a support mailbox; instructions: rows to tune a "
            "model on, of which a stand-in judge and you choose the best."
        ),
    ] = "image",
    model: Annotated[
        str | None,
        typer.Option(help="Target model; patch_kmeans, minilm for text, or auto with --data."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Decides everything that is random.")] = 0,
    annotators: Annotated[
        int | None,
        typer.Option(min=1, help="Simulated annotators: 3, or 1 with --exit, to be reproducible."),
    ] = None,
    exit_: Annotated[bool, typer.Option("--exit", help="End after the last round.")] = False,
    json_: Annotated[
        Path | None, typer.Option("--json", dir_okay=False, help="File for the results.")
    ] = None,
    human: Annotated[
        bool, typer.Option("--human", help="Simulate nobody: you label from the beginning.")
    ] = False,
    data_dir: Annotated[
        Path | None,
        typer.Option(help="Where to keep everything; karat-data/demo, or nowhere with --exit."),
    ] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port; 8080 or the next free one.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, help="Parquet file of images.", rich_help_panel=_DATA
        ),
    ] = None,
    in_classes: Annotated[
        str | None, typer.Option(help="Its classes that count: a,b,c.", rich_help_panel=_DATA)
    ] = None,
    label_column: Annotated[
        str | None,
        typer.Option(
            help="Its column of classes; class_name, class or label unless you say so.",
            rich_help_panel=_DATA,
        ),
    ] = None,
    noise: Annotated[
        float, typer.Option(min=0, max=1, help="Share of OOD images.", rich_help_panel=_DATA)
    ] = 0.6,
    pool_size: Annotated[
        int, typer.Option(min=10, help="Images in the pool.", rich_help_panel=_DATA)
    ] = 10_000,
    evaluation: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Parquet file to evaluate on.",
            rich_help_panel=_DATA,
        ),
    ] = None,
) -> None:
    """Watch active learning on a pool where most images are out of distribution.

    Simulated annotators label handwritten digits (0 to 3 are the classes, 4 to 9 are not), or with
    --task text a mailbox (tickets of four topics, among much else), through the public API, 2 % of
    their verdicts wrong, while Karat chooses what they see. Then it stays up so that you can label
    yourself. With --task instructions a stand-in judge, which is no model, ranks rows that were
    made up, people rank what it leaves open, and the best of each cluster are kept.
    """
    from karat.demo.demo import Plan, fault
    from karat.demo.demo_pool import digits, from_parquet
    from karat.demo.demo_texts import mailbox

    if (data is None) != (in_classes is None):
        raise typer.BadParameter("--data and --in-classes go together.")
    if task not in (*_MODELS, INSTRUCTIONS):
        own = " Draw boxes in a project of your own: karat project create NAME --task boxes."
        hint = own if task == "boxes" else ""
        raise typer.BadParameter(f"It is image, text or instructions.{hint}", param_hint="--task")
    if data is not None and task != "image":
        raise typer.BadParameter("--data names images; leave --task out.")
    if task == INSTRUCTIONS:
        with _directory_until_stopped(data_dir, exit_) as directory:
            run_instructions(directory, port, seed, json_, exit_, human)
        return
    plan = Plan(
        rounds=rounds,
        budget=budget or (40 if data is None else 300),
        strategy=strategy,
        purity=purity,
        informativeness=informativeness,
        model=model or (_MODELS[task] if data is None else "auto"),
        input_size=16 if data is None and task == "image" else None,
        seed=seed,
        annotators=annotators or (1 if exit_ else 3),
        watchable=not exit_,
    )
    if data is not None and in_classes is not None:
        classes = [one.strip() for one in in_classes.split(",") if one.strip()]
        pool = from_parquet(
            data,
            classes,
            noise=noise,
            size=pool_size,
            evaluation=evaluation,
            seed=seed,
            label_column=label_column,
        )
    else:
        pool = mailbox(seed) if task == "text" else digits(seed)
    if wrong := fault(plan, pool):
        raise typer.BadParameter(wrong[1], param_hint=f"--{wrong[0]}")
    with _directory_until_stopped(data_dir, exit_) as directory:
        _run(directory, port, pool, plan, str(data or _SOURCES[task]), json_, exit_, human)


def _run(
    directory: Path,
    port: int | None,
    pool: "DemoPool",
    plan: "Plan",
    source: str,
    json_: Path | None,
    exit_: bool,
    human: bool,
) -> None:
    from karat.client.client import Client
    from karat.demo.demo import admin_login, create_project, report
    from karat.local.stack import Stack

    started = time.monotonic()
    stack = Stack(directory, port=port, notify=lambda message: echo(message, err=True))
    try:
        with console().status("Starting Karat …"):
            stack.start()
        login = admin_login(stack)
        seconds = {"start": time.monotonic() - started}
        console().print(f"Karat is ready: [bold cyan]{stack.url}[/]")
        show_login(login)
        with Client(stack.url) as client:
            client.login(login.email, login.password)
            project = create_project(client, pool, plan)
            seconds["import"] = _import(client, project, pool)
            project.start()
            if not human:
                console().print(f"Watch: [bold cyan]{stack.url}/projects/{project.id}[/]")
                closed = _simulate(client, project, pool, plan)
                if json_ is not None:
                    results = report(closed, pool, plan, seconds, source)
                    json_.write_text(json.dumps(results, indent=2) + "\n")
                    echo(f"Wrote {json_}.")
            if not exit_:
                project.update(settings={"zero_wait": True})
                console().print(
                    f"Now label yourself: [bold cyan]{stack.url}/projects/{project.id}/label[/]"
                )
                show_login(login)
                echo("Stop with Ctrl-C.")
                stack.wait()
    finally:
        stack.stop()


def _import(client: "Client", project: "ProjectClient", pool: "DemoPool") -> float:
    from karat.demo.demo import import_pool

    started = time.monotonic()
    with job_bar() as on_progress:
        import_pool(client, project, pool, on_progress)
    seconds = time.monotonic() - started
    counts = project.get()["counts"]
    console().print(
        f"{counts['pool']:,} {pool.medium}s to label, [bold]{pool.in_share:.0%}[/] of them in "
        f"distribution ({', '.join(pool.classes)}); {counts['evaluation']:,} held out to evaluate "
        f"on; imported in {seconds:.1f} s."
    )
    return seconds


def _simulate(
    client: "Client", project: "ProjectClient", pool: "DemoPool", plan: "Plan"
) -> "list[Round]":
    from karat.demo.demo import Simulation

    with _shown(plan) as show:
        closed = Simulation(client, project, pool, plan).run(show)
    console().print(_table(closed, plan))
    return closed


@contextmanager
def _shown(plan: "Plan") -> "Iterator[Callable[[Sequence[Round], str], None]]":
    """Takes the rounds so far: a table that grows, and in a log a line for each that has ended."""
    if not console().is_interactive:
        yield _Lines()
        return
    from rich.console import Group
    from rich.live import Live
    from rich.spinner import Spinner

    spinner = Spinner("dots")
    with Live(console=console(), refresh_per_second=8, transient=True) as live:

        def show(rounds: "Sequence[Round]", activity: str) -> None:
            spinner.update(text=activity)
            live.update(Group(_table(rounds, plan), spinner))

        yield show


class _Lines:
    """Tells of each round once, as soon as it has ended."""

    def __init__(self) -> None:
        self._told = set[int]()

    def __call__(self, rounds: "Sequence[Round]", activity: str) -> None:
        del activity
        for one in rounds:
            has_ended = one["state"] == "closed" and one["accuracy"] is not None
            if has_ended and one["number"] not in self._told:
                self._told.add(one["number"])
                number, right, inside, cost, seconds = _cells(one)
                echo(
                    f"Round {number}: accuracy {right}, IN share {inside}, cost {cost}, {seconds} s"
                )


def _table(rounds: "Sequence[Round]", plan: "Plan") -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, title=f"{plan.strategy}, {plan.model}")
    for column in ("round", "accuracy", "IN share", "cost", "seconds"):
        table.add_column(column, justify="right")
    for one in rounds:
        if one["state"] != "selecting":
            table.add_row(*_cells(one))
    return table


def _cells(one: "Round") -> tuple[str, ...]:
    """Number, accuracy, IN share, cost and seconds of a round."""
    seconds = sum(one["seconds"].values())
    return (
        str(one["number"]),
        accuracy(one) or "…",
        inside_share(one) or "…",
        f"{one['spent']:g}",
        f"{seconds:.1f}" if seconds else "…",
    )


@contextmanager
def _directory_until_stopped(chosen: Path | None, exit_: bool) -> Iterator[Path]:
    """The directory to work in until somebody stops it: with ``--exit`` that ends it too early."""
    from karat.local.signals import Interrupted, interruptible

    with interruptible():
        try:
            with _directory(chosen, temporary=exit_) as directory:
                yield directory
        except Interrupted:
            echo("Stopped.")
            if exit_:
                raise typer.Exit(130) from None


@contextmanager
def _directory(chosen: Path | None, *, temporary: bool) -> Iterator[Path]:
    """The directory to work in; one that nobody asked for is removed, unless its logs matter."""
    from karat.local.stack import DEMO_DIRECTORY

    if chosen is not None or not temporary:
        yield chosen or DEFAULT_DATA / DEMO_DIRECTORY
        return
    made = Path(tempfile.mkdtemp(prefix="karat-demo-"))
    try:
        yield made
    except Exception:
        echo(f"Data and logs are kept in {made}.", err=True)
        raise
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
    shutil.rmtree(made, ignore_errors=True)
