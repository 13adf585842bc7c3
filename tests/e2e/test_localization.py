"""Where things are, in the browser: what localizers find, and where a model looks."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect

from karat import Client
from karat.local.stack import Stack
from tests.e2e.labeled import labeled_project
from tests.processes import eventually

SIDE = 32


def boxed(path: Path, count: int) -> Path:
    """A COCO zip of images with one red or green square each."""
    images, annotations = [], []
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(1, count + 1):
            draw = np.random.default_rng(number)
            pixels = draw.integers(0, 60, (SIDE, SIDE, 3), dtype=np.uint8)
            left, top = (int(one) for one in draw.integers(0, 20, 2))
            pixels[top : top + 10, left : left + 12, number % 2] = 230
            file = io.BytesIO()
            Image.fromarray(pixels).save(file, "PNG")
            archive.writestr(f"{number}.png", file.getvalue())
            size = {"width": SIDE, "height": SIDE}
            images.append({"id": number, "file_name": f"{number}.png", **size})
            box = {"bbox": [left, top, 12, 10], "area": 120, "iscrowd": 0}
            kind = {"image_id": number, "category_id": 1 + number % 2}
            annotations.append({"id": number, **kind, **box})
        categories = [{"id": 1, "name": "red"}, {"id": 2, "name": "green"}]
        document = {"images": images, "annotations": annotations, "categories": categories}
        archive.writestr("annotations.json", json.dumps(document))
    return path


def noise(path: Path, count: int) -> Path:
    """Images of nothing."""
    path.mkdir()
    for seed in range(count):
        pixels = np.random.default_rng(1000 + seed).integers(0, 256, (SIDE, SIDE, 3), np.uint8)
        Image.fromarray(pixels).save(path / f"{seed}.png")
    return path


def test_localizers_are_compared_beside_the_truth(
    signed_in: Page, karat: Client, stack: Stack, tmp_path: Path
) -> None:
    page = signed_in
    answer = page.request.post(
        "/api/projects",
        data={
            "name": "Squares",
            "task": "boxes",
            "classes": [{"name": "red"}, {"name": "green"}],
            "settings": {"input_size": SIDE},
        },
        headers={"Origin": stack.url},
    )
    assert answer.ok, answer.text()
    project = karat.project(answer.json()["id"])
    karat.wait(project.import_images(boxed(tmp_path / "pool.zip", 60))["id"])
    karat.wait(project.import_images(noise(tmp_path / "ood", 12), split="auxiliary_ood")["id"])
    page.goto(f"/projects/{project.id}/jobs")
    # What knows labels as classes only is not offered.
    expect(page.get_by_role("button", name="Which labels are wrong?")).to_have_count(0)
    page.get_by_role("button", name="How well are things found?").click()
    card = page.get_by_role("region", name="Compare localization")
    card.locator("summary").click()
    card.get_by_label("Network").select_option("cnn_tiny")
    card.get_by_label("Width").fill("8")
    card.get_by_label("Steps").fill("60")
    card.get_by_label("Batch size").fill("16")
    card.get_by_role("button", name="Start", exact=True).click()
    card.get_by_role("link", name="Show what was found").click(timeout=120_000)

    figures = page.get_by_role("group", name="Figures")
    expect(figures.get_by_role("row", name="GT-known Loc")).to_contain_text("%")
    expect(figures.get_by_role("columnheader", name="Whole image")).to_be_visible()
    found = page.get_by_role("img", name="IoU 0.")
    expect(found.first).to_be_visible()
    # The true box and the one found.
    expect(found.first.locator("[data-tone=truth]")).to_have_count(1)
    expect(found.first.locator("[data-tone=found]")).to_have_count(1)
    expect(found.first.locator("image")).to_have_count(1)
    page.get_by_text("Boxes and map").click()
    expect(found.first.locator("image")).to_have_count(2)


def test_the_pool_shows_where_the_model_looks(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = labeled_project(karat, "Looks", tmp_path, model={"name": "efficientnet_lite0"})
    page.goto(f"/projects/{project.id}/pool")
    first = next(iter(project.pool.find()))
    page.goto(f"/projects/{project.id}/pool?image={first['id']}")
    page.get_by_role("button", name="Where does the model look?").click()
    # Nothing was trained yet.
    expect(page.get_by_text("No round has trained a model yet")).to_be_visible()
    page.keyboard.press("w")
    (left,) = project.lease(1)["items"]
    project.answer([{"query_id": left["query_id"], "seconds": 1.0, "verdict": "ood"}])
    eventually(lambda: project.rounds()[0]["state"] == "closed", "the first round closes")
    page.keyboard.press("w")
    expect(
        page.get_by_text("Bright is what speaks for the class").or_(
            page.get_by_text("Nothing stands out")
        )
    ).to_be_visible(timeout=60_000)
    looked = page.get_by_role("img", name="lit up where the model sees")
    expect(looked).to_be_visible()
    page.get_by_label("Class", exact=True).last.select_option("dark")
    expect(page.get_by_role("img", name="the model sees dark")).to_be_visible(timeout=60_000)
    page.keyboard.press("w")
    expect(looked).to_have_count(0)
