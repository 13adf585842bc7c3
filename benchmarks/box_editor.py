"""Frames of the box editor with thousands of boxes, and labeling with boxes, in a real browser.

``python -m benchmarks.box_editor --boxes 5000 --images 200 --json results/box_editor.json``

Starts Karat and a project of boxes. One image of 12 megapixels is answered with ``--boxes`` boxes
over the API and opened again on the label page; then it is panned, enlarged with the wheel, gone
through with Tab, and a box is dragged and another drawn. Of every frame two times are taken: from
the frame before (the screen shows one each 16.7 ms at best), and how long the page worked for it,
from its turn to render until it had painted.

After that ``--images`` images are labeled with three boxes each, by pointer and keys. In the middle
the network is cut for ten of them. What the database holds is compared with what was drawn.
"""

import argparse
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import psycopg
from PIL import Image
from playwright.sync_api import Page, sync_playwright
from rich.console import Console

from karat import Client
from karat.client.project import ProjectClient
from karat.local.stack import Stack

_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
Size = tuple[int, int]
LARGE: Size = (4000, 3000)
SMALL = (320, 240)
DRAWN = ((20, 20, 140, 120), (60, 50, 100, 90), (180, 60, 300, 220))
CUT = 10

TIMES = """() => {
    window.frameTimes = { between: [], work: [] };
    const { port1, port2 } = new MessageChannel();
    let last = 0;
    let began = 0;
    port2.onmessage = () => frameTimes.work.push(performance.now() - began);
    const frame = (now) => {
        if (last) frameTimes.between.push(now - last);
        last = now;
        began = performance.now();
        // Its turn comes when the page has rendered and painted this frame.
        port1.postMessage(null);
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
}"""


def pictures(folder: Path, images: int, large: Size) -> Path:
    """One large image, and small ones."""
    folder.mkdir()
    for index in range(images):
        generator = np.random.default_rng(index)
        blocks = generator.integers(0, 256, (15, 20, 3), dtype=np.uint8)
        picture = Image.fromarray(blocks).resize(
            SMALL if index else large, Image.Resampling.NEAREST
        )
        picture.save(folder / f"{index:04d}.png")
    return folder


def prepare(stack: Stack, folder: Path) -> tuple[Client, ProjectClient]:
    """A project of boxes that asks about all images of a folder."""
    client = Client(stack.url)
    client.login("admin@karat.local", stack.admin_password or "")
    body = {
        "name": "Boxes",
        "task": "boxes",
        "classes": [{"name": name} for name in ("car", "bicycle", "sign", "light")],
        "settings": {"budget": len(list(folder.iterdir())), "strategy": {"name": "random"}},
    }
    made = client._transport.request("POST", "/projects", body=body)
    project = ProjectClient(client._transport, made["id"])
    client.wait(project.import_images(folder)["id"])
    project.start()
    while project.rounds()[0]["state"] != "open":
        time.sleep(0.5)
    return client, project


def crowd(client: Client, project: ProjectClient, boxes: int, size: Size) -> None:
    """Answer the large image with many boxes."""
    path = f"/projects/{project.id}/labeling"
    tab = str(uuid4())
    lease = client._transport.request("POST", f"{path}/lease", body={"n": 256, "client": tab})
    [large] = [one for one in lease["items"] if one["width"] == size[0]]
    generator = np.random.default_rng(0)
    classes = [one["id"] for one in project.get()["classes"]]
    sides = generator.uniform(12, 60, (boxes, 2))
    corners = generator.uniform(0, 1, (boxes, 2)) * (np.array(size) - 60)
    label = [
        {"class_id": classes[index % len(classes)], "x": x, "y": y, "w": w, "h": h}
        for index, ((x, y), (w, h)) in enumerate(zip(corners.tolist(), sides.tolist(), strict=True))
    ]
    answer = {
        "key": str(uuid4()),
        "query_id": large["query_id"],
        "verdict": "label",
        "label": {"type": "boxes", "boxes": label},
        "seconds": 1,
    }
    client._transport.request("POST", f"{path}/answers", body={"answers": [answer]})
    client._transport.request("POST", f"{path}/release", body={"client": tab, "after_seconds": 0})


def measured(page: Page, act: Callable[[], None]) -> dict[str, float]:
    """Times of the frames while something is done."""
    page.evaluate("frameTimes.between.length = frameTimes.work.length = 0")
    act()
    times = page.evaluate("frameTimes")
    between, work = np.array(times["between"]), np.array(times["work"])
    return {
        "frames": len(between),
        "between_p50_ms": float(np.percentile(between, 50)),
        "between_p95_ms": float(np.percentile(between, 95)),
        "between_max_ms": float(between.max()),
        "work_p50_ms": float(np.percentile(work, 50)),
        "work_p95_ms": float(np.percentile(work, 95)),
        "work_max_ms": float(work.max()),
    }


def frames(page: Page) -> dict[str, dict[str, float]]:
    """Frame times of everything that is done with an image full of boxes."""
    place = page.get_by_role("application").bounding_box()
    assert place is not None
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    mouse = page.mouse

    def dragged(button: Any, start: tuple[float, float], steps: int) -> None:
        mouse.move(*start)
        mouse.down(button=button)
        for step in range(steps):
            mouse.move(start[0] + 3 * (step % 60), start[1] + 2 * (step % 40))
        mouse.up(button=button)

    def zoom() -> None:
        for step in range(60):
            mouse.wheel(0, -60 if step < 30 else 60)
            page.wait_for_timeout(15)

    def tab() -> None:
        for _ in range(15):
            page.keyboard.press("Tab")
            page.wait_for_timeout(200)

    mouse.move(x, y)
    found = {"zoom": measured(page, zoom)}
    page.keyboard.press("Home")
    mouse.wheel(0, -400)
    page.wait_for_timeout(300)
    found["pan"] = measured(page, lambda: dragged("middle", (x, y), 120))
    found["draw"] = measured(page, lambda: dragged("left", (x - 200, y - 150), 150))
    page.wait_for_timeout(300)
    middle = page.locator("[data-box] circle").bounding_box()
    assert middle is not None
    start = (middle["x"] + middle["width"] / 2, middle["y"] + middle["height"] / 2)
    found["move"] = measured(page, lambda: dragged("left", start, 150))
    page.keyboard.press("Escape")
    found["tab"] = measured(page, tab)
    return found


def label(page: Page, images: int) -> float:
    """Three boxes on each image, ten of them without a network; seconds an image."""
    began = time.perf_counter()
    for number in range(images):
        image = page.locator("img[data-query-id]")
        before = image.get_attribute("data-query-id")
        place = image.bounding_box()
        assert place is not None
        scale = place["width"] / SMALL[0]
        if number == images // 2:
            page.wait_for_timeout(2_000)
            page.context.set_offline(True)
        if number == images // 2 + CUT:
            page.context.set_offline(False)
        for key, (left, top, right, bottom) in enumerate(DRAWN, start=1):
            page.keyboard.press(str(key))
            page.mouse.move(place["x"] + left * scale, place["y"] + top * scale)
            page.mouse.down()
            page.mouse.move(place["x"] + right * scale, place["y"] + bottom * scale, steps=3)
            page.mouse.up()
        page.keyboard.press("Enter")
        page.wait_for_function(
            "id => document.querySelector('[data-query-id]')?.dataset.queryId !== id", arg=before
        )
    return (time.perf_counter() - began) / images


def arrived(stack: Stack, project_id: int, images: int) -> dict[str, int]:
    """What the database holds of the labeled images, once all is there."""
    statement = """
        SELECT count(*), count(DISTINCT query_id),
            coalesce(sum(jsonb_array_length(label->'boxes')), 0)
        FROM annotations WHERE project_id = %s AND jsonb_array_length(label->'boxes') < 100
    """
    url = stack.environment["DATABASE_URL"].replace("+psycopg", "")
    for _ in range(60):
        with psycopg.connect(url) as connection:
            row = connection.execute(statement, [project_id]).fetchone()
        if row and row[0] >= images:
            break
        time.sleep(1)
    assert row is not None
    return {"answers": row[0], "images": row[1], "boxes": row[2]}


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="karat-bench-") as name:
        folder = pictures(Path(name) / "images", arguments.images + 30, arguments.size)
        with Stack(Path(name) / "data", port=0) as stack, sync_playwright() as playwright:
            client, project = prepare(stack, folder)
            crowd(client, project, arguments.boxes, arguments.size)
            executable = shutil.which("chromium") or shutil.which("google-chrome")
            browser = playwright.chromium.launch(executable_path=executable, args=_ARGUMENTS)
            page = browser.new_page(viewport={"width": 1440, "height": 900}, base_url=stack.url)
            page.add_init_script(f"({TIMES})()")
            page.goto("/")
            page.get_by_label("Email").fill("admin@karat.local")
            page.get_by_label("Password").fill(stack.admin_password or "")
            page.keyboard.press("Enter")
            page.get_by_role("heading", name="Projects", exact=True).wait_for()
            page.goto(f"/projects/{project.id}/label")
            page.locator("img[data-query-id]").wait_for()
            page.get_by_text(f"{arguments.boxes:,} boxes").first.wait_for()
            page.keyboard.press("ArrowLeft")
            page.get_by_text("You said").wait_for()
            page.wait_for_timeout(1_000)
            times = frames(page)
            if arguments.screenshot:
                page.screenshot(path=arguments.screenshot)
            report: dict[str, Any] = {
                "boxes": arguments.boxes,
                "image": arguments.size,
                "frames": times,
            }
            if arguments.images:
                page.keyboard.press("Enter")
                page.reload()
                page.locator("img[data-query-id]").wait_for()
                seconds = label(page, arguments.images)
                report["labeled"] = arguments.images
                report["seconds_an_image"] = seconds
                report["arrived"] = arrived(stack, project.id, arguments.images)
            browser.close()
    return report


def _size(text: str) -> Size:
    width, height = map(int, text.split("x"))
    return width, height


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boxes", type=int, default=5000)
    parser.add_argument("--images", type=int, default=200, help="images to label with boxes")
    parser.add_argument("--size", type=_size, default=LARGE, help="of the large one: 8688x5792")
    parser.add_argument("--screenshot", type=Path)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    report = run(arguments)
    for name, times in report["frames"].items():
        Console().print(
            f"{name}: {times['frames']} frames, {times['between_p50_ms']:.1f} ms apart, "
            f"95 % within {times['between_p95_ms']:.1f} ms; "
            f"at work {times['work_p50_ms']:.1f} ms, 95 % within {times['work_p95_ms']:.1f} ms"
        )
    if "arrived" in report:
        Console().print(f"{report['labeled']} images labeled; arrived: {report['arrived']}")
    if arguments.json:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
