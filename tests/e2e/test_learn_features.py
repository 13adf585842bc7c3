"""A score that needs learned features: the settings say so, and start and follow the job."""

from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, expect

from karat import Client
from tests.e2e.importing import saved


def image_folder(path: Path, count: int) -> Path:
    path.mkdir()
    for seed in range(count):
        pixels = np.random.default_rng(seed).integers(0, 256, (16, 16, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(path / f"{seed}.png")
    return path


def test_settings_start_and_follow_the_job(signed_in: Page, karat: Client, tmp_path: Path) -> None:
    page = signed_in
    project = karat.create_project("Features", ["a", "b"], settings={"input_size": 16})
    page.goto(f"/projects/{project.id}/settings#method")
    panel = page.get_by_role("region", name="Learned features")
    page.get_by_role("button", name="Change: Purity score").click()
    page.get_by_role("radio", name="Probe").wait_for()
    expect(panel).to_have_count(0)
    page.get_by_role("radio", name="CSI", exact=True).check()
    page.get_by_role("button", name="Use CSI", exact=True).click()
    expect(panel).to_contain_text("have to be learned from the pool first")
    expect(panel.get_by_role("button", name="Start", exact=True)).to_be_disabled()
    saved(page)
    assert "start the job learn_features" in project.get()["warnings"][0]

    karat.wait(project.import_images(image_folder(tmp_path / "pool", 40))["id"])
    # Far more epochs than can be waited for; stopped as soon as it is seen to be at work.
    panel.locator("summary").click()
    panel.get_by_label("Network").select_option("cnn_tiny")
    panel.get_by_label("Epochs", exact=True).fill("100000")
    panel.get_by_role("button", name="Start", exact=True).click()
    panel.get_by_text("of 125,000").wait_for(timeout=60_000)
    panel.get_by_role("button", name="Stop").click()
    panel.get_by_text("It was stopped").wait_for(timeout=60_000)
    expect(panel.get_by_role("button", name="Go on")).to_be_enabled()

    panel.locator("summary").click()
    panel.get_by_label("Epochs", exact=True).fill("1")
    panel.get_by_role("button", name="Start", exact=True).click()
    expect(panel).to_contain_text("Learned from the pool on", timeout=60_000)
    assert project.get()["warnings"] == []
