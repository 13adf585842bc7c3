"""What 200 verdicts on photographs are worth, through the product as it is installed.

``python -m benchmarks.photographs --photos FILE --seeds 5 --json FILE``

One Karat of its own, as ``karat up`` starts it, and for each run a new project with the settings of
new projects but for the budget: a zip is imported whose photographs of wanted groups are in
part in ``evaluation/<group>/``, and a client answers round after round by what they show. Accuracy
is what the page of the round says. ``--sides`` names sizes for the model; 0 is what the
import chooses.
"""

import argparse
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from benchmarks.photo_groups import GROUPS
from benchmarks.runs import Runs, spread
from karat import Client
from karat.client.project import ProjectClient
from karat.demo.annotators import Judge
from karat.local.stack import Stack

VERDICTS: Final = 200
HELD_OUT: Final = 86
"""A third of the photographs of the four groups."""
_BATCH: Final = 20
_PATIENCE: Final = 1_800.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--photos", type=Path, required=True, help="Parquet: image, group")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--sides", default="0", help="0 is what the import chooses")
    parser.add_argument("--budget", type=int, default=40, help="verdicts a round")
    parser.add_argument("--json", type=Path, default=Path("results/photographs.json"))
    arguments = parser.parse_args()
    budget = arguments.budget
    sides = [int(side) for side in arguments.sides.split(",")]
    runs = Runs(
        arguments.json,
        {"budget": budget, "verdicts": VERDICTS, "held_out": HELD_OUT},
        ("side", "seed"),
    )
    table = pq.read_table(arguments.photos, columns=["image", "group"]).to_pydict()
    waiting = [
        {"side": side, "seed": seed}
        for seed in range(arguments.seeds)
        for side in sides
        if {"side": side, "seed": seed} not in runs
    ]
    if waiting:
        with (
            tempfile.TemporaryDirectory(prefix="karat-bench-") as name,
            Stack(Path(name) / "data", port=0) as stack,
            Client(stack.url) as client,
        ):
            assert stack.admin_password is not None
            client.login("admin@karat.local", stack.admin_password)
            for run in waiting:
                file = Path(name) / "photographs.zip"
                truth = _pack(file, table["image"], table["group"], run["seed"])
                runs.add(run | _labeled(client, file, truth, budget, **run))
    Console(width=140).print(_table(runs))


def _pack(file: Path, images: list[bytes], groups: list[str], seed: int) -> dict[str, str | None]:
    """Write a zip; what each photograph of the pool shows, by its name, None if it is OOD."""
    inside = [row for row, group in enumerate(groups) if group in GROUPS]
    drawn = np.random.default_rng(seed).permutation(inside)[:HELD_OUT]
    held_out = set(drawn.tolist())
    truth: dict[str, str | None] = {}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for row, (content, group) in enumerate(zip(images, groups, strict=True)):
            if row in held_out:
                archive.writestr(f"evaluation/{group}/{row:04}.jpg", content)
                continue
            archive.writestr(f"{row:04}.jpg", content)
            truth[f"{row:04}.jpg"] = group if group in GROUPS else None
    return truth


def _labeled(
    client: Client, file: Path, truth: dict[str, str | None], budget: int, *, side: int, seed: int
) -> dict[str, Any]:
    """Accuracy and verdicts of each class after each round, and what the import took."""
    settings: dict[str, Any] = {"budget": budget, "seed": seed, "input_size": side or None}
    name = f"Photographs {side} {seed} {time.time_ns()}"
    project = client.create_project(name, list(GROUPS), settings=settings)
    began = time.perf_counter()
    client.wait(project.import_images(file)["id"], timeout=_PATIENCE)
    imported = time.perf_counter() - began
    project.start()
    judge = Judge.of(truth, project.get()["classes"], wrong=0.0, seed=seed)
    for number in range(VERDICTS // budget):
        _answer(project, judge, number, budget)
        _wait(project, number)
    rounds = project.rounds()[: VERDICTS // budget]
    result = {
        "chosen": project.get()["settings"]["input_size"],
        "import_seconds": round(imported, 1),
        "accuracy": [one["accuracy"] for one in rounds],
        "in_share": [one["in_share"] for one in rounds],
    }
    project.pause()
    return result


def _answer(project: ProjectClient, judge: Judge, number: int, left: int) -> None:
    """Answer so many queries of a round by the truth, which is what its budget allows."""
    ends = time.monotonic() + _PATIENCE
    while left > 0:
        queries = [
            one for one in project.lease(min(left, _BATCH))["items"] if one["round"] == number
        ]
        if not queries:
            if time.monotonic() > ends:
                raise SystemExit(f"Round {number} of project {project.id} asks nothing.")
            time.sleep(0.5)
            continue
        receipt = project.answer([judge.answer(one) for one in queries[:left]])
        left -= len(receipt["results"])


def _wait(project: ProjectClient, number: int) -> None:
    """Until a round is closed and the next one is open, or there is none."""
    ends = time.monotonic() + _PATIENCE
    while time.monotonic() < ends:
        rounds = project.rounds()
        if rounds[number]["state"] == "closed" and not any(
            one["state"] in ("selecting", "closing") for one in rounds
        ):
            return
        if any(one["state"] == "failed" for one in rounds):
            raise SystemExit(f"A round of project {project.id} failed.")
        time.sleep(0.5)
    raise SystemExit(f"Round {number} of project {project.id} does not close.")


def _table(runs: Runs) -> Table:
    """Accuracy in % on the held-out photographs, by the size that the model sees."""
    shown = Table()
    shown.add_column("model sees")
    budget = runs.config["budget"]
    places = [place for place in range(VERDICTS // budget) if budget * (place + 1) % 40 == 0]
    for place in places:
        shown.add_column(f"{budget * (place + 1)} verdicts", justify="right")
    for title in ("of them IN, %", "runs"):
        shown.add_column(title, justify="right")
    for side in sorted({run["chosen"] for run in runs.all}):
        found = [run for run in runs.all if run["chosen"] == side]
        shown.add_row(
            f"{side} px",
            *(spread([100 * run["accuracy"][place] for run in found]) for place in places),
            spread([100 * float(np.mean(run["in_share"])) for run in found]),
            str(len(found)),
        )
    return shown


if __name__ == "__main__":
    main()
