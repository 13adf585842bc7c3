"""A job that waits, for its turn or for somebody to decide, says why wherever it is shown."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from karat import Client
from karat.demo.stand_in_judge import known, stand_in
from tests.e2e.labeled import labeled_project
from tests.e2e.rankings import ranking_project, row
from tests.processes import eventually

CHOICE = {"features": "hashed_ngrams", "largest": 4}
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
        said = "Waits for its turn, with one job before it."
        card = page.get_by_role("region", name="Prune labels")
        expect(card.get_by_role("progressbar", name=said)).to_be_visible(timeout=20_000)
        row = page.get_by_role("row").filter(has_text=f"job {second['id']}")
        expect(row).to_contain_text(said)
        page.goto(f"/projects/{project.id}/jobs/{second['id']}")
        expect(page.get_by_text(said)).to_be_visible()
    finally:
        karat.cancel_job(first["id"])
    expect(page.get_by_role("heading", name="Labels pruned")).to_be_visible(timeout=60_000)


def test_a_job_at_its_cap_spends_more_and_ends_with_what_is_there(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    rows = [row(group, place) for group in range(12) for place in range(3)]
    project = ranking_project(karat, "Dear judge", tmp_path, rows)
    with stand_in(known({})) as (url, served):
        prices: dict[str, Any] = {
            "price_in": 1000,
            "price_out": 2000,
            "max_tokens": 64,
            "concurrency": 1,
        }
        judge = karat.judges.add("Dear", base_url=url, model="stand-in", **prices)
        given = CHOICE | {"judge_id": judge["id"], "spend_at_most": 1}
        job = project.start_job("select_instructions", given)
        eventually(lambda: karat.job(job["id"])["state"] == "paused", "it comes to its cap")
        asked = served.answered.total()
        page.goto(f"/projects/{project.id}/jobs/{job['id']}")
        most = page.get_by_label("May spend in all")
        for wrong in ("1e999", "0.1"):
            most.fill(wrong)
            page.keyboard.press("Enter")
            expect(page.get_by_text("A number is needed, more than the 0.")).to_be_visible()
        # As many write it; groups of thousands are told from it.
        most.fill("1,6")
        page.keyboard.press("Enter")
        expect(page.get_by_text("of 1.60 is spent")).to_be_visible(timeout=60_000)
        assert served.answered.total() > asked
        page.get_by_role("button", name="Finish with what is there").click()
        told = page.get_by_text("The judge was not asked about").first
        expect(told).to_be_visible(timeout=60_000)
