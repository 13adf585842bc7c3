"""What is similar and what is there twice: found, judged, held out and taken back on the page."""

import base64
import re
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect

from karat import Client
from tests.processes import eventually

_DROP = """([data, type]) => {
    const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], "dropped.png", { type }));
    for (const name of ["dragenter", "dragover", "drop"]) {
        window.dispatchEvent(new DragEvent(name, { dataTransfer: transfer, cancelable: true }));
    }
}"""


def pictures(folder: Path, count: int) -> Path:
    """Images with a structure of their own; the last three are brighter copies of the first."""
    folder.mkdir(parents=True)
    generator = np.random.default_rng(11)
    for number in range(count - 3):
        small = Image.fromarray(generator.integers(20, 180, (4, 4, 3)).astype(np.uint8))
        small.resize((32, 32), Image.Resampling.BICUBIC).save(folder / f"picture-{number:02}.png")
    first = np.asarray(Image.open(folder / "picture-00.png"))
    for number in range(3):
        copy = Image.fromarray((first * (1.04 + 0.03 * number)).astype(np.uint8))
        copy.save(folder / f"z-copy-{number}.png")
    return folder


def test_an_engineer_finds_what_is_similar_and_what_is_there_twice(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    settings = {
        "input_size": 32,
        "budget": 5,
        "model": {"name": "patch_kmeans", "params": {"features": 16, "iterations": 2}},
    }
    project = karat.create_project("Look around", ["light", "dark"], settings=settings)
    folder = pictures(tmp_path / "pool", 40)
    karat.wait(project.import_images(folder)["id"])
    project.start()
    eventually(lambda: project.rounds()[0]["state"] == "open", "the first round opens")
    for job in karat.jobs(project_id=project.id, kind="advance_round"):
        karat.wait(job["id"])
    every = {one["name"]: one for one in project.pool.find({"split": "all"})}
    first = every["picture-00.png"]

    # By a key in the detail panel, and back.
    page.goto(f"/projects/{project.id}/pool?image={first['id']}")
    expect(page.get_by_role("complementary", name="Image")).to_contain_text("picture-00.png")
    page.keyboard.press("s")
    expect(page).to_have_url(re.compile(f"similar_to={first['id']}$"))
    tiles = page.get_by_role("listbox", name="Images").get_by_role("option")
    expect(tiles.first).to_have_accessible_name(re.compile("picture-00.png"))
    expect(tiles.nth(1)).to_have_accessible_name(re.compile("z-copy"))
    expect(tiles.first).to_contain_text("1.00")
    expect(page.get_by_role("region", name="Similar to")).to_be_visible()
    page.reload()
    expect(tiles.nth(3)).to_have_accessible_name(re.compile("z-copy"))
    page.get_by_role("button", name="Show all images").click()
    expect(page).not_to_have_url(re.compile("similar_to"))

    # By a file that is dropped anywhere on the page.
    dropped = base64.b64encode((folder / "picture-07.png").read_bytes()).decode()
    page.evaluate(_DROP, [dropped, "image/png"])
    expect(page).to_have_url(re.compile("similar_file=[0-9]+"))
    expect(tiles.first).to_have_accessible_name(re.compile("picture-07.png"))
    page.evaluate(_DROP, [base64.b64encode(b"no image").decode(), "image/png"])
    expect(page.get_by_role("alert")).to_contain_text("not an image")

    # Nobody has compared them; from the order by isolation the way leads to where that is done.
    page.goto(f"/projects/{project.id}/pool?sort=-isolation")
    page.get_by_role("link", name="Compare all images").click()
    page.get_by_role("region", name="Compare all images").get_by_role(
        "button", name="Start"
    ).click()
    group = page.get_by_role("listitem", name=re.compile("Group of image"))
    expect(group).to_have_count(1)
    expect(group).to_contain_text("4 images")

    # One verdict for all, taken back; then one is kept.
    group.get_by_role("button", name="A verdict for 4 images").click()
    group.get_by_role("button", name="dark").click()
    expect(page.get_by_text(re.compile("images? have the verdict"))).to_be_visible()
    expect(group).to_contain_text("dark: ")
    page.get_by_role("button", name="Undo").click()
    expect(group).not_to_contain_text("dark: ")
    assert project.pool.count({"state": "labeled"})["count"] == 0
    group.get_by_role("button", name="Keep one, hold out the others").click()
    expect(page.get_by_text(re.compile("images? held out"))).to_be_visible()
    held = [one["name"] for one in project.pool.find({"state": "held_out"})]
    assert 1 <= len(held) <= 3
    assert set(held) <= {"picture-00.png", *(f"z-copy-{number}.png" for number in range(3))}
    expect(group).to_contain_text("held out")
    page.get_by_role("button", name="Undo").click()
    expect(group).not_to_contain_text("held out")
    assert project.pool.count({"state": "held_out"})["count"] == 0

    # And outliers come first now.
    page.goto(f"/projects/{project.id}/pool?sort=-isolation")
    expect(tiles.first).to_be_visible()
    alone = next(iter(project.pool.find(sort="-isolation")))
    expect(tiles.first).to_have_accessible_name(re.compile(re.escape(alone["name"])))
