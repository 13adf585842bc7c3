"""An owner keeps the data set as it is, goes on, and sees what changed since."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from karat import Client
from tests.e2e.labeled import labeled_project


def test_what_changed_since_is_shown(signed_in: Page, karat: Client, tmp_path: Path) -> None:
    page = signed_in
    project = labeled_project(karat, "Kept", tmp_path, zero_wait=False)
    project.snapshots.take("release 1.0")
    (dark,) = project.pool.find({"name": "light-0.png"})
    classes = {one["name"]: one["id"] for one in project.get()["classes"]}
    project.pool.judge("label", [dark["id"]], class_id=classes["dark"])

    page.goto(f"/projects/{project.id}/settings#snapshots")
    card = page.get_by_role("region", name="Snapshots")
    card.get_by_role("button", name="Take a snapshot").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("release 1.0")
    dialog.get_by_role("button", name="Take a snapshot").click()
    expect(dialog.get_by_text("choose another name")).to_be_visible()
    dialog.get_by_label("Name").fill("release 1.1")
    dialog.get_by_role("button", name="Take a snapshot").click()
    expect(card.get_by_role("listitem")).to_have_count(2)

    card.get_by_role("button", name="Compare release 1.1").click()
    row = dialog.get_by_role("row").filter(has_text="light")
    expect(row).to_have_text(re.compile("light.*dark.*1"))
    expect(
        dialog.get_by_role("img", name="light-0.png: light (person) → dark (person)")
    ).to_be_visible()
    page.keyboard.press("Escape")

    page.get_by_label("Labels as of").select_option("release 1.0")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download JSON Lines").click()
    rows = download.value.path().read_text().splitlines()
    assert len(rows) == 59
    card.get_by_role("button", name="Remove release 1.0").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(card.get_by_role("listitem")).to_have_count(1)
