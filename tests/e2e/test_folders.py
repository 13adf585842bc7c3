"""Folders that are dropped: what says something of the images comes along."""

import gzip
import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from karat import Client
from tests.check_cases import put
from tests.e2e.importing import confirm
from tests.karat.helpers import png

BOX = {"label": "cat", "shape_type": "rectangle", "points": [[8, 9], [2, 3]], "flags": {}}
LABELME: dict[str, object] = {
    "version": "5.5.0", "flags": {}, "shapes": [BOX], "imagePath": "../images/a.png",
    "imageData": None, "imageHeight": 12, "imageWidth": 12,
}  # fmt: skip
COCO = {
    "images": [{"id": 1, "file_name": "a.png"}], "categories": [{"id": 1, "name": "cat"}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [2, 3, 6, 6]}],
}  # fmt: skip
VOC = """<annotation><size><width>12</width><height>12</height></size><object><name>cat</name>
<bndbox><xmin>2</xmin><ymin>3</ymin><xmax>6</xmax><ymax>9</ymax></bndbox></object></annotation>"""
FOLDERS = {
    "YOLO": {
        "images/train/a.png": png(1),
        "labels/train/a.txt": b"0 0.5 0.5 0.5 0.25\n",
        "data.yaml": b"names: [cat]\n",
    },
    "Pascal VOC": {"JPEGImages/a.png": png(2), "Annotations/a.xml": VOC.encode()},
    "LabelMe": {"images/a.png": png(5), "said/a.json": json.dumps(LABELME).encode()},
    "COCO": {
        "a.png": png(6),
        "_annotations.coco.json.gz": gzip.compress(json.dumps(COCO).encode()),
    },
}


@pytest.mark.parametrize("format_", FOLDERS)
def test_a_folder_of_boxes_brings_its_boxes(
    signed_in: Page, karat: Client, tmp_path: Path, format_: str
) -> None:
    folder = put(tmp_path / "set", FOLDERS[format_])
    project = karat.create_project(f"Folder of {format_}", ["cat"], task="boxes")
    page = signed_in
    page.goto(f"/projects/{project.id}/settings")
    page.get_by_label("Choose a folder").set_input_files(folder)
    dialog = page.get_by_role("dialog", name="Import set?")
    expect(dialog).to_contain_text(f"{format_}: 1 label", timeout=60_000)
    confirm(page, "set")
    (found,) = karat.wait(project.imports()[0]) and project.examples()
    assert found["state"] == "labeled"


def test_what_stands_beside_images_comes_with_them(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    files = {
        "1.png": png(3), "1.cls": b"cat", "1.json": b'{"url": "https://host.example/1"}',
        "2.png": png(4), "2.cls": b"dog", "README.txt": b"about",
    }  # fmt: skip
    project = karat.create_project("Shard", ["cat", "dog"])
    page = signed_in
    page.goto(f"/projects/{project.id}/settings")
    page.get_by_label("Choose a folder").set_input_files(put(tmp_path / "shard", files))
    dialog = page.get_by_role("dialog", name="Import shard?")
    expect(dialog.get_by_role("status")).to_have_text("2 pool", timeout=60_000)
    expect(dialog).to_contain_text("3 × .cls, .json says something of the images (WebDataset).")
    dialog.get_by_role("button", name="Not now").click()
    expect(page.get_by_text("README.txt was left where it is.")).to_be_visible()


def test_the_first_page_leads_a_folder_to_a_project_of_what_it_holds(
    home: Page, karat: Client, tmp_path: Path
) -> None:
    page = home
    folder = page.get_by_role("region", name="Drop images or texts here").get_by_label(
        "Choose a folder"
    )
    boxes = {**FOLDERS["Pascal VOC"], "notes.docx": b"about", "Thumbs.db": b"junk"}
    folder.set_input_files(put(tmp_path / "streets", boxes))
    dialog = page.get_by_role("dialog", name="What is to be done with streets?")
    expect(dialog.get_by_role("radio", name="Objects in images")).to_be_checked()
    expect(dialog).to_contain_text("notes.docx was left where it is.")
    go_on = dialog.get_by_role("button", name="Go on with the boxes")
    # A dialog scrolls where the window is small; what can be done stays in sight.
    page.set_viewport_size({"width": 390, "height": 480})
    expect(go_on).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1440, "height": 900})
    go_on.click()
    plan = page.get_by_role("dialog", name="Import streets?")
    expect(plan).to_contain_text("Pascal VOC: 1 label", timeout=60_000)
    confirm(page, "streets")
    project = karat.project("streets")
    assert project.get()["task"] == "boxes"
    (found,) = karat.wait(project.imports()[0]) and project.examples()
    assert found["state"] == "labeled"

    page.goto("/")
    names = ("a.png", "b.png", "c.psd", "d.docx", "e.docx")
    photographs = {name: png(number) for number, name in enumerate(names)}
    folder.set_input_files(put(tmp_path / "holiday", photographs))
    dialog = page.get_by_role("dialog", name="What is to be done with holiday?")
    expect(dialog).to_contain_text("3 files were left where they are: 2 .docx, 1 .psd.")
    # There are no labels to be judged.
    expect(dialog.get_by_role("button", name="Find the wrong labels")).to_have_count(0)
    dialog.get_by_role("button", name="Label by hand").click()
    plan = page.get_by_role("dialog", name="Import holiday?")
    expect(plan.get_by_role("status")).to_have_text("2 pool", timeout=60_000)
    plan.get_by_role("button", name="Not now").click()
    # What was put off waits where one can see it.
    waits = page.get_by_role("list", name="Imports that wait for your answer")
    expect(waits).to_be_in_viewport()
    assert karat.project("holiday").get()["task"] == "classification"


def test_the_first_page_leads_instructions_to_a_project_of_these(
    home: Page, karat: Client, tmp_path: Path
) -> None:
    page = home
    file = tmp_path / "alpaca.json"
    file.write_text(json.dumps([{"instruction": "Say hello", "input": "", "output": "Hello"}]))
    page.get_by_label("Choose a file").set_input_files(file)
    dialog = page.get_by_role("dialog", name="What is to be done with alpaca.json?")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_have_count(0)
    page.get_by_label("Choose a file").set_input_files(file)
    # Nobody asks which column its texts are in, or whether they are labeled right.
    expect(dialog.get_by_role("button")).to_have_text(["Cancel", "Go on with the instructions"])
    dialog.get_by_role("button", name="Go on with the instructions").click()
    confirm(page, "alpaca.json")
    project = karat.project("alpaca")
    assert project.get()["task"] == "instructions"
    (found,) = karat.wait(project.imports()[0]) and project.examples()
    assert found["state"] == "unlabeled"
