"""Estimates, logs and subsets in the browser."""

from pathlib import Path

from playwright.sync_api import Page, expect

from karat import Client
from tests.e2e.labeled import labeled_project

QUICK = {"network": "cnn_tiny", "width": 8, "epochs": 2, "batch_size": 16, "flip": False}


def test_an_admin_estimates_reads_the_log_and_compares_subsets(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = labeled_project(karat, "Subsets", tmp_path)
    jobs = [
        karat.wait(project.start_job("prune", {**QUICK, "ratio": ratio})["id"])
        for ratio in (0.3, 0.6)
    ]
    page.goto(f"/projects/{project.id}/jobs")
    card = page.get_by_role("region", name="Prune labels")
    card.get_by_role("button", name="Estimate").click()
    notice = card.get_by_text("Takes less than a minute")
    notice.wait_for(timeout=120_000)
    expect(notice).to_contain_text("for 39 images")
    # An estimate is no result: the subsets of before are still there, and no third.
    assert len(project.subsets()) == 2

    page.goto(f"/projects/{project.id}/jobs/{jobs[0]['id']}")
    page.locator("summary", has_text="Log").click()
    expect(page.get_by_role("log")).to_contain_text("attempt 1: succeeded")

    page.get_by_role("link", name="Compare subsets").click()
    newest, oldest = project.subsets()
    expect(page.get_by_label("One", exact=True)).to_have_value(str(oldest["id"]))
    expect(page.get_by_label("Other", exact=True)).to_have_value(str(newest["id"]))
    both = project.compare_subsets(oldest["id"], newest["id"])
    expect(page.get_by_text(f"Both keep {both['intersection']} of the")).to_be_visible()
    only = page.get_by_role("region", name=f"Only in subset {newest['id']}")
    expect(only.get_by_role("img")).to_have_count(len(both["first_only_b"]))

    row = page.get_by_role("row", name=f"Subset {oldest['id']}").first
    row.get_by_role("button", name="Train on it").click()
    expect(row.get_by_text("In use")).to_be_visible()
    assert [one["active"] for one in project.subsets()] == [False, True]
    row.get_by_role("button", name="Train on all labels").click()
    expect(row.get_by_text("In use")).to_have_count(0)
    with page.expect_download() as download:
        row.get_by_role("link", name="Kept ids").click()
    assert len(download.value.path().read_text().split()) == oldest["kept"]
