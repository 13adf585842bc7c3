"""Weights from a file: uploaded by an admin, checked by a worker, chosen by a project."""

from pathlib import Path

import torch
from playwright.sync_api import Page, expect
from safetensors.torch import save_file

from karat import Client
from tests.captions import tiny, weights
from tests.e2e.importing import saved
from tests.e2e.labeled import images
from tests.e2e.test_choose_algorithm import choose, project_on
from tests.weight_files import TINY, tiny_weights


def add(page: Page, file: Path, architecture: str, name: str = "") -> None:
    """Fill the dialog in and send it."""
    page.get_by_role("button", name="Add weights").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("File").set_input_files(file)
    dialog.get_by_label("Architecture").fill(architecture)
    dialog.get_by_label("Name").fill(name)
    dialog.get_by_role("button", name="Upload").click()


def test_weights_are_uploaded_checked_chosen_and_kept_while_they_are_used(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    tiny_weights(tmp_path / "from a file.safetensors")
    torch.save({"a": torch.ones(2)}, tmp_path / "old.pth")
    page.goto("/admin/weights")
    add(page, tmp_path / "old.pth", TINY)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("old.pth is a pickle, which can run code")
    dialog.get_by_label("File").set_input_files(tmp_path / "from a file.safetensors")
    dialog.get_by_role("button", name="Upload").click()
    expect(dialog).to_have_count(0)
    row = page.get_by_role("row").filter(has_text="from a file")
    expect(row).to_contain_text(TINY)
    expect(row).to_contain_text("Ready", timeout=60_000)
    expect(row).to_contain_text("2 tensors of the head left aside")
    expect(row).to_contain_text("No project")

    wrong = tmp_path / "wrong.safetensors"
    save_file({"a": torch.ones(2)}, wrong)
    add(page, wrong, "resnet18", "not mine")
    other = page.get_by_role("row").filter(has_text="not mine")
    expect(other).to_contain_text("Does not fit", timeout=60_000)
    expect(other).to_contain_text("is this file of resnet18?")
    other.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(other).to_have_count(0)

    project = project_on(karat, "From a file")
    page.goto(f"/projects/{project.id}/settings#method")
    model = choose(page, "Model", "Any timm network")
    model.get_by_text("Parameters").click()
    weights = model.get_by_label("Weights", exact=True)
    expect(weights.get_by_role("option")).to_have_text(["Published weights"])
    model.get_by_label("Architecture").fill(TINY)
    expect(weights.get_by_role("option").first).to_have_text("Published weights")
    weights.select_option("from a file")
    model.get_by_label("Mode", exact=True).select_option("frozen")
    saved(page)
    chosen = project.get()["settings"]["model"]
    assert (chosen["name"], chosen["params"]["weights"]) == ("timm", "from a file")
    assert project.get()["warnings"] == []

    page.goto("/admin/weights")
    expect(row.get_by_role("link", name="From a file")).to_be_visible()
    row.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_contain_text("From a file")
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(row).to_have_count(1)


def test_published_weights_that_cannot_be_had_are_told_where_the_model_is_chosen(
    signed_in: Page, karat: Client
) -> None:
    page = signed_in
    project = project_on(karat, "Without a hub")
    page.goto(f"/projects/{project.id}/settings#method")
    model = choose(page, "Model", "Any torchvision network")
    model.get_by_text("Parameters").click()
    # Published nowhere, whatever reaches the hub from here.
    model.get_by_label("Architecture").fill("resnet18000")
    saved(page)
    told = page.get_by_text("torchvision has no classification network 'resnet18000'")
    expect(told.first).to_be_visible(timeout=60_000)


def test_images_are_searched_by_words_where_weights_understand_them(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    made = karat.create_project("By words", ["light", "dark"], settings={"input_size": 16})
    karat.wait(made.import_images(images(tmp_path / "pool", 12))["id"])
    field = page.get_by_label("What the images show")
    page.goto(f"/projects/{made.id}/pool")
    expect(page.get_by_role("heading", name="12 images")).to_be_visible()
    expect(field).to_have_count(0)
    file = tmp_path / "captions.safetensors"
    file.write_bytes(weights(tiny()))
    added = karat.weights.add(file, "ViT-B-32", library="open_clip", timeout=60)
    page.reload()
    field.fill("a light image")
    field.press("Enter")
    compared = page.get_by_role("region", name="Similar to")
    expect(compared).to_contain_text("a light image", timeout=60_000)
    expect(page.get_by_role("heading", name="12 images")).to_be_visible()
    page.reload()
    # The address keeps what was looked for.
    expect(field).to_have_value("a light image")
    compared.get_by_role("button", name="Show all images").click()
    expect(compared).to_have_count(0)
    expect(field).to_have_value("")
    karat.weights.remove(added["id"])
