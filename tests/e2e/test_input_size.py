"""How large the model sees images: chosen by the first import, shown, and changed by a job."""

import io
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect

from karat import Client


def photographs(path: Path, count: int) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for seed in range(count):
            pixels = np.random.default_rng(seed).integers(0, 256, (150, 200, 3), dtype=np.uint8)
            stream = io.BytesIO()
            Image.fromarray(pixels).save(stream, "PNG")
            archive.writestr(f"{seed}.png", stream.getvalue())
    return path


def test_the_first_import_chooses_and_the_settings_page_changes_it(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = karat.create_project(f"Sizes {tmp_path.name}", ["a", "b"])
    assert project.get()["settings"]["input_size"] is None
    page.goto(f"/projects/{project.id}/settings#images")
    field = page.get_by_label("Model input size")
    expect(field).to_have_value("")
    expect(field).to_have_attribute("placeholder", "Chosen by the first import")
    file = photographs(tmp_path / "pool.zip", 40)
    page.get_by_label("Choose a file").set_input_files(file)
    plan = page.get_by_role("dialog")
    said = "Images are typically 200 × 150; the model"
    expect(plan).to_contain_text(f"{said} will see 128 × 128.", timeout=60_000)
    plan.get_by_role("button", name="Import", exact=True).click()
    imports = page.get_by_role("list", name="Imports", exact=True)
    expect(imports).to_contain_text(f"{said} sees 128 × 128.", timeout=60_000)
    expect(field).to_have_value("128")

    field.fill("48")
    panel = page.get_by_role("region", name="Resize images")
    expect(panel).to_contain_text("From 128 × 128 to 48 × 48")
    panel.get_by_role("button", name="Estimate").click()
    expect(panel).to_contain_text("for 40 images", timeout=60_000)
    expect(panel).to_contain_text("The pixels take 0.3 MB")
    assert project.get()["settings"]["input_size"] == 128
    panel.get_by_role("button", name="Resize images").click()
    expect(panel).to_have_count(0, timeout=60_000)
    expect(field).to_have_value("48")
    page.reload()
    expect(field).to_have_value("48")
    assert project.get()["settings"]["input_size"] == 48
    sees = page.get_by_label("Models see")
    expect(sees).to_have_value("crop")
    sees.select_option("The whole image")
    expect(panel).to_contain_text("From the middle square to the whole image")
    panel.get_by_role("button", name="Resize images").click()
    expect(panel).to_have_count(0, timeout=60_000)
    assert project.get()["settings"]["fit"] == "pad"
    # Nothing of it waits to be saved.
    expect(page.get_by_role("button", name="Save changes")).to_have_count(0)
