"""Verdicts a minute, one image at a time against the grid, on the same images, in a real browser.

``python -m benchmarks.label_modes --answers 200 --json results/label_modes.json``

Two projects with the same digits, four classes and OOD, get the same first answers; so the second
round asks both for the same images, with the same predictions. A script that knows the truth labels
one of them image by image and the other in the grid. What the page takes from a key to the next
image is measured. What a person takes is a model, after the keystroke-level model (Card, Moran and
Newell, 1980): see ``Think``. The script never errs; people do, in either mode.
"""

import argparse
import json
import shutil
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from sklearn.datasets import load_digits

from karat import Client
from karat.client.labeling_types import Answer
from karat.client.project import ProjectClient
from karat.local.stack import Stack

_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
_NAMES = ("zero", "one", "two", "three")
_FIRST = 300
_SCANS = (0.15, 0.25, 0.4, 0.6)


@dataclass(frozen=True)
class Think:
    """Seconds that a person takes.

    Attributes:
        recognise: To see what one image shows, and to choose.
        key: To press a key.
        scan: To see of one image among others that it is what its heading says, or is not.
        group: To read a heading and set to it.
        point: To move the mouse to an image or a button, and click.
    """

    recognise: float = 0.6
    key: float = 0.28
    scan: float = 0.25
    group: float = 1.35
    point: float = 1.3


@dataclass
class Work:
    """What was done, from which the time follows."""

    verdicts: int = 0
    singles: int = 0
    scanned: int = 0
    groups: int = 0
    picked: int = 0
    confirmed: int = 0
    keys: int = 0
    machine: float = 0.0

    def think(self, think: Think) -> float:
        """Seconds of the person."""
        return (
            self.singles * think.recognise
            + self.scanned * think.scan
            + self.groups * think.group
            + self.picked * (think.recognise + think.point)
            + self.confirmed * think.point
            + self.keys * think.key
        )

    def per_minute(self, think: Think) -> float:
        return 60 * self.verdicts / (self.think(think) + self.machine)


def key_for(name: str) -> str:
    """The key for a file such as ``3-17.png``."""
    digit = int(name.partition("-")[0])
    return str(digit + 1) if digit < len(_NAMES) else "x"


def prepare(client: Client, name: str, images: Path, answers: int) -> ProjectClient:
    """A project whose second round is open and pays for ``answers`` verdicts."""
    settings = {"input_size": 8, "budget": _FIRST, "zero_wait": False, "max_rounds": 2}
    project = client.create_project(name, list(_NAMES), settings=settings)
    client.wait(project.import_images(images)["id"])
    project.start()
    _until(lambda: project.rounds()[0]["state"] == "open")
    project.update(settings={"budget": answers})
    ids = [item["id"] for item in project.get()["classes"]]
    left = _FIRST
    while left > 0:
        items = project.lease(min(left, 100))["items"]
        given: list[Answer] = []
        for query in items:
            key = key_for(query["name"])
            answer: Answer = {"query_id": query["query_id"], "seconds": 1.0, "verdict": "ood"}
            if key != "x":
                answer |= {"verdict": "label", "class_id": ids[int(key) - 1]}
            given.append(answer)
        project.answer(given)
        left -= len(items)
    _until(lambda: len(found := project.rounds()) > 1 and found[1]["state"] == "open")
    return project


def _until(condition: Any) -> None:
    while not condition():
        time.sleep(0.2)


def label_singly(page: Page, answers: int) -> tuple[Work, set[str]]:
    """One key an image."""
    work, names = Work(), set[str]()
    shown = page.locator("img[data-query-id]")
    shown.wait_for()
    for _ in range(answers):
        before = shown.get_attribute("data-query-id")
        name = (shown.get_attribute("alt") or "").rpartition(" ")[2]
        names.add(name)
        started = time.perf_counter()
        page.keyboard.press(key_for(name))
        page.wait_for_function(
            "id => document.querySelector('[data-query-id]')?.dataset.queryId !== id", arg=before
        )
        work.machine += time.perf_counter() - started
        work.singles += 1
        work.keys += 1
        work.verdicts += 1
    return work, names


def label_in_grid(page: Page, answers: int, classes: list[int]) -> tuple[Work, set[str]]:
    """Pick out of each group what differs, by mouse, then confirm the rest by its button."""
    work, names = Work(), set[str]()
    while work.verdicts < answers:
        group = page.locator("section[data-group]:not([data-leaving])").first
        group.wait_for()
        # Nothing is said of what is not seen; whoever looks at a group has it there.
        page.wait_for_function("() => !document.querySelector('[data-tile][aria-busy]')")
        key = group.get_attribute("data-group") or ""
        section = page.locator(f"section[data-group='{key}']")
        shown: list[tuple[int, str]] = section.locator("[data-tile]").evaluate_all(
            "tiles => tiles.map(tile => [Number(tile.dataset.tile), tile.ariaLabel])"
        )
        names |= {name for _, name in shown}
        heading = "x" if key == "ood" else str(classes.index(int(key.rpartition("-")[2])) + 1)
        by_key: dict[str, list[int]] = {}
        for number, name in shown:
            by_key.setdefault(key_for(name), []).append(number)
        rest = by_key.pop(heading, [])
        work.groups += 1
        work.scanned += len(shown)
        work.picked += sum(map(len, by_key.values()))
        for other, numbers in by_key.items():
            for number in numbers:
                page.locator(f"[data-tile='{number}']").click()
            work.machine += _give(page, other, numbers)
            work.keys += 1
        if rest:
            section.get_by_role("button").last.focus()
            work.machine += _give(page, "Enter", rest)
            work.confirmed += 1
        work.verdicts += len(shown)
    return work, names


def _give(page: Page, key: str, numbers: list[int]) -> float:
    """Press a key that gives a verdict; seconds until all of these have it."""
    started = time.perf_counter()
    page.keyboard.press(key)
    page.wait_for_function(
        """numbers => numbers.every(number => {
            const tile = document.querySelector(`[data-tile="${number}"]`);
            return !tile || "done" in tile.dataset;
        })""",
        arg=numbers,
    )
    return time.perf_counter() - started


def _sign_in(page: Page, stack: Stack) -> None:
    page.goto("/")
    page.get_by_label("Email").fill("admin@karat.local")
    page.get_by_label("Password").fill(stack.admin_password or "")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Projects", exact=True).wait_for()


def run(answers: int, think: Think) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="karat-bench-") as name:
        images = Path(name) / "images"
        images.mkdir()
        digits = load_digits()
        for index, (pixels, digit) in enumerate(zip(digits.images, digits.target, strict=True)):
            picture = np.clip(255 - pixels * 16, 0, 255).astype(np.uint8)
            Image.fromarray(picture).save(images / f"{digit}-{index}.png")
        with (
            Stack(Path(name) / "data", port=0) as stack,
            Client(stack.url) as client,
            sync_playwright() as playwright,
        ):
            client.login("admin@karat.local", stack.admin_password or "")
            singly = prepare(client, "Single", images, answers)
            gridded = prepare(client, "Grid", images, answers)
            executable = shutil.which("chromium") or shutil.which("google-chrome")
            browser = playwright.chromium.launch(executable_path=executable, args=_ARGUMENTS)
            page = browser.new_page(viewport={"width": 1440, "height": 900}, base_url=stack.url)
            _sign_in(page, stack)
            page.goto(f"/projects/{singly.id}/label")
            single, seen = label_singly(page, answers)
            page.goto(f"/projects/{gridded.id}/label/grid")
            classes = [item["id"] for item in gridded.get()["classes"]]
            grid, seen_too = label_in_grid(page, answers, classes)
            browser.close()
    return report(single, grid, think) | {"answers": answers, "same": len(seen & seen_too)}


def report(single: Work, grid: Work, think: Think) -> dict[str, Any]:
    """Verdicts a minute of both, and how their ratio depends on the time to look at an image."""
    by_scan = {scan: replace(think, scan=scan) for scan in _SCANS}
    return {
        "think": asdict(think),
        "single": asdict(single) | {"per_minute": single.per_minute(think)},
        "grid": asdict(grid) | {"per_minute": grid.per_minute(think)},
        "ratio": grid.per_minute(think) / single.per_minute(think),
        "ratio_by_scan": {
            str(scan): grid.per_minute(other) / single.per_minute(other)
            for scan, other in by_scan.items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=200)
    for name, seconds in asdict(Think()).items():
        parser.add_argument(f"--{name}", type=float, default=seconds)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    think = Think(**{name: getattr(arguments, name) for name in asdict(Think())})
    found = run(arguments.answers, think)
    console = Console()
    for mode in ("single", "grid"):
        work = found[mode]
        console.print(
            f"{mode}: {work['per_minute']:.0f} verdicts/minute, the page took "
            f"{1000 * work['machine'] / found['answers']:.0f} ms a verdict"
        )
    console.print(f"ratio {found['ratio']:.2f}; by seconds of scan: {found['ratio_by_scan']}")
    console.print(f"{found['same']} of {found['answers']} images were the same")
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
