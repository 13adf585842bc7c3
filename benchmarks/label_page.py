"""Key to next image on the label page, in a real browser.

``python -m benchmarks.label_page --answers 200 --json results/label_page.json``

Starts Karat, imports scikit-learn's digits, and presses X for every image. The page itself measures
from the key event to the next image painted, the answer stored durably in the browser in between.

With ``--photographs FILE``, a Parquet of images, they are enlarged to ``--side`` pixels and some
grain is added, as cameras do; ``--form`` says how they come: in a form that browsers show as it is,
or as CMYK JPEG or TIFF, of which they are shown a rendition. ``--pace`` is the time that a person
looks before they press a key.
"""

import argparse
import io
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright
from pyarrow import parquet
from rich.console import Console
from sklearn.datasets import load_digits

from karat import Client
from karat.local.stack import Stack

_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


FORMS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "jpeg": ("RGB", ".jpg", {"quality": 98}),
    "cmyk": ("CMYK", ".jpg", {"quality": 90}),
    "tiff": ("RGB", ".tiff", {"compression": "tiff_lzw"}),
}


def write_digits(directory: Path) -> None:
    """All of scikit-learn's, black on white."""
    for index, pixels in enumerate(load_digits().images):
        picture = np.clip(255 - pixels * 16, 0, 255).astype(np.uint8)
        Image.fromarray(picture).save(directory / f"{index}.png")


def write_photographs(directory: Path, file: Path, n: int, side: int, form: str) -> None:
    """The first ``n`` of ``file``, their longer side ``side`` pixels."""
    mode, suffix, options = FORMS[form]
    random = np.random.default_rng(0)
    grain = random.integers(-16, 17, (side, side, 3), dtype=np.int16)
    for index, found in enumerate(parquet.read_table(file, columns=["image"])["image"][:n]):
        content = found.as_py()
        content = content["bytes"] if isinstance(content, dict) else content
        image = Image.open(io.BytesIO(content)).convert("RGB")
        scale = side / max(image.size)
        image = image.resize((round(image.width * scale), round(image.height * scale)))
        pixels = np.asarray(image) + grain[: image.height, : image.width]
        noisy = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
        noisy.convert(mode).save(directory / f"{index:04d}{suffix}", **options)


def prepare(stack: Stack, directory: Path, answers: int) -> tuple[int, float]:
    """A running project whose first round is longer than the benchmark; seconds of its import."""
    assert stack.admin_password is not None
    client = Client(stack.url)
    client.login("admin@karat.local", stack.admin_password)
    project = client.create_project(
        "Key to paint",
        ["zero", "one"],
        settings={"budget": answers * 2, "zero_wait": False, "input_size": 32},
    )
    began = time.perf_counter()
    job = project.import_images(directory)
    client.wait(job["id"], timeout=3600)
    seconds = time.perf_counter() - began
    project.start()
    for job in client.jobs():
        client.wait(job["id"])
    return project.id, seconds


def label(page: Page, answers: int, pace: float) -> list[float]:
    """Press X until all is answered; milliseconds from each key to the next image."""
    page.locator("[data-query-id]").wait_for()
    for _ in range(answers):
        before = page.locator("[data-query-id]").get_attribute("data-query-id")
        page.wait_for_timeout(pace * 1000)
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


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    answers = arguments.answers
    with tempfile.TemporaryDirectory(prefix="karat-bench-") as name:
        images = Path(name) / "images"
        images.mkdir()
        if arguments.photographs:
            many, side, form = answers + 40, arguments.side, arguments.form
            write_photographs(images, arguments.photographs, many, side, form)
        else:
            write_digits(images)
        sizes = [file.stat().st_size for file in images.iterdir()]
        with Stack(Path(name) / "data", port=0) as stack, sync_playwright() as playwright:
            project, seconds = prepare(stack, images, answers)
            executable = shutil.which("chromium") or shutil.which("google-chrome")
            browser = playwright.chromium.launch(executable_path=executable, args=_ARGUMENTS)
            page = browser.new_page(viewport={"width": 1440, "height": 900}, base_url=stack.url)
            page.goto("/")
            page.get_by_label("Email").fill("admin@karat.local")
            page.get_by_label("Password").fill(stack.admin_password or "")
            page.keyboard.press("Enter")
            page.get_by_role("heading", name="Projects", exact=True).wait_for()
            page.goto(f"/projects/{project}/label")
            times = label(page, answers, arguments.pace)
            shift = layout_shift(page)
            browser.close()
    return {
        "answers": answers,
        "images": len(sizes),
        "image_mb": statistics.fmean(sizes) / 1e6,
        "import_per_s": len(sizes) / seconds,
        "measured": len(times),
        "p50_ms": statistics.median(times),
        "p95_ms": statistics.quantiles(times, n=20)[-1],
        "max_ms": max(times),
        "layout_shift": shift,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--photographs", type=Path, help="a Parquet file with a column image")
    parser.add_argument("--side", type=int, default=4000, help="longer side of photographs")
    parser.add_argument("--form", choices=FORMS, default="jpeg", help="how photographs come")
    parser.add_argument("--pace", type=float, default=0.0, help="seconds before each key")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    report = run(arguments)
    Console().print(
        f"{report['images']:,} images of {report['image_mb']:.2f} MB, imported at "
        f"{report['import_per_s']:.1f} a second"
    )
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
