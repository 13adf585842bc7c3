"""A drop is shown before anything is stored: changed, put off, discarded, and lost by no reload."""

import zipfile
from pathlib import Path

import pyarrow as pa
from playwright.sync_api import Page, expect
from pyarrow import parquet

from karat import Client
from tests.karat.helpers import png

FILES = {
    **{f"xray/train/{name}/{seed}.png": seed for seed, name in enumerate(("cat", "dog", "bird"))},
    **{f"xray/test/{name}/{seed}.png": seed for seed, name in enumerate(("cat", "dog"), 10)},
    "xray/samples/20.png": 20,
}


def archive(path: Path, first: int = 0) -> Path:
    with zipfile.ZipFile(path, "w") as found:
        for name, seed in FILES.items():
            found.writestr(name, png(first + seed))
        found.writestr("xray/test/notes.txt", b"hello")
    return path


def test_a_drop_is_shown_changed_and_started(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = karat.create_project("Planned", [])
    page.goto(f"/projects/{project.id}/settings")
    page.get_by_label("Choose a file").set_input_files(archive(tmp_path / "xray.zip"))
    dialog = page.get_by_role("dialog", name="Import xray.zip?")
    sums = dialog.get_by_role("status")
    expect(sums).to_have_text("3 pool, 2 evaluation, 1 left out, 1 refused", timeout=60_000)
    expect(dialog.get_by_text("samples/ stands beside test/, train/")).to_be_visible()
    dialog.get_by_text("What cannot come in, and why?").click()
    expect(dialog.get_by_text("not an image by its name (.txt)")).to_be_visible()
    # The names of the folders are what evaluation images are matched by.
    makes = dialog.get_by_label("Make these 3 the classes")
    expect(makes).to_be_checked()
    makes.uncheck()
    expect(sums).to_have_text("3 pool, 1 left out, 3 refused")
    expect(dialog.get_by_text("No evaluation image would come in")).to_be_visible()
    names = dialog.get_by_role("list", name="Which of these names are classes?")
    names.get_by_label("cat").check()
    expect(sums).to_have_text("3 pool, 1 evaluation, 1 left out, 2 refused")
    expect(dialog.get_by_text("No evaluation image would come in")).to_have_count(0)
    makes.check()
    expect(names.get_by_role("checkbox", checked=True)).to_have_count(3)
    # Put off by the keyboard, it waits; a reload loses nothing of it.
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.reload()
    waiting = page.get_by_role("list", name="Imports that wait for your answer")
    expect(waiting).to_contain_text("Waits for your answer")
    assert project.get()["counts"]["pool"] == 0
    waiting.get_by_role("button", name="Continue").press("Enter")
    dialog.get_by_label("What becomes of samples").select_option("Evaluation")
    expect(dialog.get_by_text("1 without a label that is a class")).to_be_visible()
    dialog.get_by_label("What becomes of samples").select_option("Pool")
    expect(sums).to_have_text("4 pool, 2 evaluation, 1 refused")
    dialog.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("6 images added, 1 refused").wait_for(timeout=60_000)
    expect(page.get_by_text("Imported in part")).to_be_visible()
    expect(waiting).to_have_count(0)
    expect(page.get_by_label("Name of class 3")).to_have_value("dog")
    counts = project.get()["counts"]
    assert (counts["pool"], counts["evaluation"]) == (4, 2)


def test_a_drop_beside_classes_that_are_being_typed_loses_and_fixes_nothing(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = karat.create_project("Planned while typing", [])
    page.goto(f"/projects/{project.id}/settings")
    page.get_by_role("button", name="Add a class").click()
    for name in ("cow", "horse"):
        page.keyboard.type(name)
        page.keyboard.press("Enter")
    # What is dropped beside the zone does not take the browser away from the page.
    assert page.evaluate(
        """() => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File(["?"], "a.zip"));
            const drop = { dataTransfer, bubbles: true, cancelable: true };
            return !document.querySelector("h1").dispatchEvent(new DragEvent("drop", drop));
        }"""
    )
    page.get_by_label("Choose a file").set_input_files(archive(tmp_path / "xray.zip", 800))
    dialog = page.get_by_role("dialog", name="Import xray.zip?")
    expect(dialog.get_by_label("Make these 3 the classes")).not_to_be_checked(timeout=60_000)
    expect(dialog.get_by_text("No evaluation image would come in")).to_be_visible()
    dialog.get_by_label("Model input size").fill("24")
    assert project.get()["settings"]["input_size"] in (None, 24)
    dialog.get_by_role("button", name="Import", exact=True).click()
    # Nothing is called done of which the part that measures accuracy stayed out.
    listed = page.get_by_role("list", name="Imports", exact=True)
    expect(listed).to_contain_text("Imported in part", timeout=60_000)
    expect(listed).to_contain_text("as their labels are no classes here: cat, dog")
    expect(listed).to_contain_text("None of its evaluation images came in")
    expect(listed.get_by_text("Imported", exact=True)).to_have_count(0)
    page.reload()
    for number, name in enumerate(("cow", "horse"), 1):
        expect(page.get_by_label(f"Name of class {number}")).to_have_value(name)
    stored = project.get()
    assert [one["name"] for one in stored["classes"]] == ["cow", "horse"]
    assert stored["settings"]["input_size"] == 24


def test_several_drops_are_asked_about_one_by_one(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = karat.create_project("Planned twice", ["cat", "dog"])
    page.goto(f"/projects/{project.id}/settings")
    files = [archive(tmp_path / f"{name}.zip", seed) for name, seed in (("a", 100), ("b", 200))]
    page.get_by_label("Choose a file").set_input_files(files)
    page.get_by_role("dialog").wait_for(timeout=60_000)
    for _ in files:
        dialog = page.get_by_role("dialog")
        title = dialog.get_by_role("heading").inner_text()
        # A class that a draft lacks is offered, and not made unasked.
        expect(dialog.get_by_label("Make this a class")).not_to_be_checked()
        if title == "Import b.zip?":
            dialog.get_by_role("button", name="Discard").click()
        else:
            dialog.get_by_role("button", name="Import", exact=True).click()
        expect(page.get_by_role("heading", name=title)).to_have_count(0)
    page.get_by_text("5 images added, 1 left out, 1 refused").wait_for(timeout=60_000)
    page.get_by_text("What was left out, and why?").click()
    expect(page.get_by_text("choose what becomes of it in the plan")).to_be_visible()
    assert [job["params"]["filename"] for job in project.imports()] == ["a.zip"]


def test_of_more_values_than_have_a_line_it_is_shown_what_becomes(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = karat.create_project("Planned values", ["cat"])
    page.goto(f"/projects/{project.id}/settings")
    splits = [*(f"camera {number}" for number in range(103)), "train"]
    images = [{"bytes": png(400 + seed), "path": f"{seed}.png"} for seed in range(len(splits))]
    file = tmp_path / "cameras.parquet"
    parquet.write_table(pa.table({"image": images, "split": splits}), file)
    page.get_by_label("Choose a file").set_input_files(file)
    dialog = page.get_by_role("dialog", name="Import cameras.parquet?")
    sums = dialog.get_by_role("status")
    expect(sums).to_have_text("1 pool, 100 left out, 3 refused", timeout=60_000)
    dialog.get_by_label("What becomes of camera 7", exact=True).select_option("Pool")
    expect(sums).to_have_text("2 pool, 99 left out, 3 refused")
    more = dialog.get_by_role("listitem").filter(has_text="More folders or values")
    expect(more).to_have_count(2)
    expect(more.get_by_role("combobox")).to_have_count(0)
    expect(more.filter(has_text="3 images")).to_contain_text("Refused")
    dialog.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("2 images added, 99 left out, 3 refused").wait_for(timeout=60_000)


def test_the_plan_fits_a_phone(signed_in: Page, karat: Client, tmp_path: Path) -> None:
    page = signed_in
    project = karat.create_project("Planned on a phone", [])
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/projects/{project.id}/settings")
    page.get_by_label("Choose a file").set_input_files(archive(tmp_path / "xray.zip", 300))
    dialog = page.get_by_role("dialog")
    dialog.wait_for(timeout=60_000)
    for control in (dialog.get_by_role("combobox").last, dialog.get_by_role("button").last):
        control.scroll_into_view_if_needed()
        box = control.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    assert dialog.evaluate("it => it.scrollWidth <= it.clientWidth")
    dialog.get_by_role("button", name="Discard").click()
    expect(dialog).to_have_count(0)


def test_numbers_are_taken_once_it_is_said_what_they_count(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = karat.create_project("Planned numbers", ["cat", "dog"])
    page.goto(f"/projects/{project.id}/settings")
    file = tmp_path / "numbers.zip"
    with zipfile.ZipFile(file, "w") as found:
        for seed in (1, 2):
            found.writestr(f"{seed}.png", png(600 + seed))
        found.writestr("metadata.csv", "file_name,y\n1.png,1\n2.png,2\n")
    page.get_by_label("Choose a file").set_input_files(file)
    dialog = page.get_by_role("dialog", name="Import numbers.zip?")
    first = dialog.get_by_label("Numbers of classes")
    expect(first).to_be_visible(timeout=60_000)
    expect(dialog.get_by_label("y", exact=True)).to_have_count(0)
    first.select_option("The first class is 1")
    column = dialog.get_by_label("y", exact=True)
    expect(column).to_be_visible(timeout=60_000)
    expect(dialog.get_by_text("2 labels: 1, 2")).to_be_visible()
    column.check()
    dialog.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("Numbers in y are classes, counted from 1: 1 = cat, 2 = dog.").wait_for(
        timeout=60_000
    )
    images = {one["name"]: one["label"] for one in project.pool.find()}
    assert images == {"1.png": "cat", "2.png": "dog"}


def test_a_table_is_asked_which_column_names_images_and_what_its_numbers_count(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = karat.create_project("Table of numbers", ["cat", "dog"])
    archive = tmp_path / "images.zip"
    with zipfile.ZipFile(archive, "w") as found:
        for seed in (1, 2):
            found.writestr(f"{seed}.png", png(700 + seed))
    karat.wait(project.import_images(archive)["id"])
    one, two = (image["id"] for image in project.pool.find())
    file = tmp_path / "labels.csv"
    file.write_text(f"example_id;name;y\n{two};1.png;1\n{one};2.png;2\n", encoding="utf-16")
    page.goto(f"/projects/{project.id}/settings")
    page.get_by_label("Choose a file").set_input_files(file)
    dialog = page.get_by_role("dialog", name="Which columns of labels.csv are labels?")
    expect(dialog.get_by_label("y", exact=True)).to_be_checked()
    dialog.get_by_label("Column that names the image").select_option("name")
    dialog.get_by_label("Numbers of classes").select_option("The first class is 1")
    dialog.get_by_role("button", name="Import labels").click()
    page.get_by_text("Numbers in y are classes, counted from 1").wait_for(timeout=60_000)
    images = {image["name"]: image["label"] for image in project.pool.find()}
    assert images == {"1.png": "cat", "2.png": "dog"}
