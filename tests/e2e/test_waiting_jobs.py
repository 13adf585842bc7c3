"""A job that cannot begin says why, wherever it is shown."""

from pathlib import Path

from playwright.sync_api import Page, expect

from karat import Client
from tests.e2e.labeled import labeled_project
from tests.processes import eventually

QUICK = {"network": "cnn_tiny", "width": 8, "epochs": 2}


def test_a_job_behind_another_says_so(signed_in: Page, karat: Client, tmp_path: Path) -> None:
    page = signed_in
    folders = [tmp_path / name for name in ("busy", "patient")]
    for folder in folders:
        folder.mkdir()
    busy, project = (labeled_project(karat, folder.name, folder) for folder in folders)
    first = busy.start_job("learn_features", {"network": "cnn_tiny", "width": 4, "epochs": 10_000})
    try:
        eventually(lambda: karat.job(first["id"])["state"] == "running", "the worker is busy")
        second = project.start_job("prune", QUICK)
        page.goto(f"/projects/{project.id}/jobs")
        said = "Waits for a worker of the queue gpu, with one job before it."
        card = page.get_by_role("region", name="Prune labels")
        expect(card.get_by_role("progressbar", name=said)).to_be_visible(timeout=20_000)
        row = page.get_by_role("row").filter(has_text=f"job {second['id']}")
        expect(row).to_contain_text(said)
        page.goto(f"/projects/{project.id}/jobs/{second['id']}")
        expect(page.get_by_text(said)).to_be_visible()
    finally:
        karat.cancel_job(first["id"])
    expect(page.get_by_role("heading", name="Labels pruned")).to_be_visible(timeout=60_000)
