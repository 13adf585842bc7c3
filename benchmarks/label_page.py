"""Key to next image on the label page, in a real browser.

``python -m benchmarks.label_page --answers 200 --json results/label_page.json``

Starts Karat, imports scikit-learn's digits, and presses X for every image. The page itself measures
from the key event to the next image painted, the answer stored durably in the browser in between.
"""

import argparse
import json
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from sklearn.datasets import load_digits

from karat import Client
from karat.stack import Stack

_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


def prepare(stack: Stack, directory: Path, answers: int) -> int:
    """A running project whose first round is longer than the benchmark."""
    for index, pixels in enumerate(load_digits().images):
        picture = np.clip(255 - pixels * 16, 0, 255).astype(np.uint8)
        Image.fromarray(picture).save(directory / f"{index}.png")
    assert stack.admin_password is not None
    client = Client(stack.url)
    client.login("admin@karat.local", stack.admin_password)
    project = client.create_project(
        "Key to paint", ["zero", "one"], settings={"budget": answers * 2, "zero_wait": False}
    )
    job = project.import_images(directory)
    client.wait(job["id"])
    project.start()
    for job in client.jobs():
        client.wait(job["id"])
    return project.id


def label(page: Page, answers: int) -> list[float]:
    """Press X until all is answered; milliseconds from each key to the next image."""
    page.locator("[data-query-id]").wait_for()
    for _ in range(answers):
        before = page.locator("[data-query-id]").get_attribute("data-query-id")
        page.keyboard.press("x")
        page.wait_for_function(
            "id => document.querySelector('[data-query-id]')?.dataset.queryId !== id", arg=before
        )
    return _measures(page)


def _measures(page: Page) -> list[float]:
    found: list[float] = page.evaluate(
        "performance.getEntriesByName('karat:key-to-paint').map(entry => entry.duration)"
    )
    return found


def layout_shift(page: Page) -> float:
    """How much of the page moved by itself, summed over all answers: 0 is nothing."""
    total: float = page.evaluate(
        """() => new Promise((resolve) => {
            let total = 0;
            new PerformanceObserver((list) => {
                for (const { hadRecentInput, value } of list.getEntries())
                    if (!hadRecentInput) total += value;
            }).observe({ type: "layout-shift", buffered: true });
            setTimeout(() => resolve(total), 200);
        })"""
    )
    return total


def run(answers: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="karat-bench-") as name:
        images = Path(name) / "images"
        images.mkdir()
        with Stack(Path(name) / "data", port=0) as stack, sync_playwright() as playwright:
            project = prepare(stack, images, answers)
            executable = shutil.which("chromium") or shutil.which("google-chrome")
            browser = playwright.chromium.launch(executable_path=executable, args=_ARGUMENTS)
            page = browser.new_page(viewport={"width": 1440, "height": 900}, base_url=stack.url)
            page.goto("/")
            page.get_by_label("Email").fill("admin@karat.local")
            page.get_by_label("Password").fill(stack.admin_password or "")
            page.keyboard.press("Enter")
            page.get_by_role("heading", name="Projects", exact=True).wait_for()
            page.goto(f"/projects/{project}/label")
            times = label(page, answers)
            shift = layout_shift(page)
            browser.close()
    return {
        "answers": answers,
        "measured": len(times),
        "p50_ms": statistics.median(times),
        "p95_ms": statistics.quantiles(times, n=20)[-1],
        "max_ms": max(times),
        "layout_shift": shift,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    report = run(arguments.answers)
    Console().print(
        f"{report['measured']} keys: median {report['p50_ms']:.1f} ms, 95 % within "
        f"{report['p95_ms']:.1f} ms, slowest {report['max_ms']:.1f} ms; "
        f"layout shift {report['layout_shift']:.4f}"
    )
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
