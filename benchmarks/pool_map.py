"""Frames of the map of a large pool, in a real browser, while it is panned, zoomed and pointed at.

``python -m benchmarks.pool_map --n 1000000 --json results/pool_map.json``

The pool is that of ``benchmarks.pool_browser``: rows and scores, no image files. Chromium draws
without a graphics card. A frame is the time from one animation frame to the next; at 60 Hz and with
nothing else to do it is 17 ms.
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from rich.table import Table

from benchmarks.pool_browser import TOKEN, served
from tests.e2e.chromium import launch

STEPS = 60
_COUNT_FRAMES = """() => {
    const found = [];
    let last = performance.now();
    const step = (now) => {
        found.push(now - last);
        last = now;
        window.__next = requestAnimationFrame(step);
    };
    window.__next = requestAnimationFrame(step);
    window.__frames = found;
}"""
_FRAMES = "() => { cancelAnimationFrame(window.__next); return window.__frames.slice(1); }"


def frames(page: Page, act: Callable[[], None]) -> dict[str, float]:
    """Milliseconds of the frames while something is done."""
    page.evaluate(_COUNT_FRAMES)
    act()
    found = sorted(page.evaluate(_FRAMES))
    return {
        "frames": len(found),
        "median": statistics.median(found),
        "p95": found[int(0.95 * (len(found) - 1))],
        "worst": found[-1],
    }


def measure(page: Page, project: int) -> dict[str, Any]:
    """Open the page, then do with the map what there is to do."""
    started = time.perf_counter()
    page.goto(f"/projects/{project}/rounds/0")
    chart = page.get_by_role("img", name="Map of")
    chart.wait_for()
    opened = time.perf_counter() - started
    page.wait_for_timeout(2_000)
    box = chart.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def along(reach: float) -> None:
        for step in range(STEPS):
            page.mouse.move(x + reach * (step / STEPS - 0.5), y + reach / 4 * (step % 7 - 3) / 7)

    def pan() -> None:
        page.mouse.move(x, y)
        page.mouse.down()
        along(box["width"] / 2)
        page.mouse.up()

    def wheel(by: int) -> None:
        page.mouse.move(x, y)
        for _ in range(STEPS // 3):
            page.mouse.wheel(0, by)
            page.wait_for_timeout(16)

    acts: dict[str, Callable[[], None]] = {
        "point, whole": lambda: along(box["width"] / 2),
        "zoom in": lambda: wheel(-120),
        "pan, zoomed in": pan,
        "point, zoomed in": lambda: along(box["width"] / 2),
        "zoom out": lambda: wheel(120),
    }
    rows = {name: frames(page, act) for name, act in acts.items()}
    page.get_by_role("button", name="Whole pool").click()
    page.wait_for_timeout(500)
    rows["pan, whole"] = frames(page, pan)
    page.get_by_role("button", name="Draw an outline").click()

    def outline() -> None:
        page.mouse.move(x - 120, y - 60)
        page.mouse.down()
        for corner in ((x + 120, y - 60), (x + 120, y + 60), (x - 120, y + 60)):
            page.mouse.move(*corner, steps=STEPS // 3)
        page.mouse.up()

    rows["outline"] = frames(page, outline)
    started = time.perf_counter()
    inside = page.get_by_role("region", name="Inside the outline")
    inside.get_by_role("img").first.wait_for(state="attached")
    return {
        "opened": opened,
        "gallery": time.perf_counter() - started,
        "hint": inside.locator("header p").inner_text(),
        "acts": rows,
    }


def run(n: int) -> dict[str, Any]:
    """Fill, serve, measure in Chromium."""
    with served(n) as (port, project), sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page(
            viewport={"width": 1440, "height": 900},
            base_url=f"http://127.0.0.1:{port}",
            extra_http_headers={"Authorization": f"Bearer {TOKEN}"},
        )
        page.set_default_timeout(120_000)
        result = measure(page, project)
        browser.close()
    return {"n": n, "load": os.getloadavg()[0], **result}


def show(result: dict[str, Any]) -> None:
    """Print the table."""
    title = f"{result['n']:,} images; milliseconds a frame; load {result['load']:.1f}"
    table = Table(title=title)
    for column in ("what", "frames", "median", "p95", "worst"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for name, row in result["acts"].items():
        table.add_row(name, *(f"{row[key]:.0f}" for key in ("frames", "median", "p95", "worst")))
    console = Console()
    console.print(table)
    console.print(f"opened after {result['opened']:.1f} s; gallery after {result['gallery']:.1f} s")
    console.print(result["hint"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=100_000)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args(arguments)
    result = run(chosen.n)
    show(result)
    if chosen.json:
        chosen.json.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
