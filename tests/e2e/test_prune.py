"""Pruning labels in the browser: start, look at what is dropped, train on the rest, take back."""

from pathlib import Path

from playwright.sync_api import Page, expect

from karat import Client
from tests.e2e.labeled import labeled_project
from tests.processes import eventually


def test_an_admin_prunes_trains_on_it_and_takes_back(
    signed_in: Page, karat: Client, tmp_path: Path
) -> None:
    page = signed_in
    project = labeled_project(karat, "Pruning", tmp_path)
    page.goto(f"/projects/{project.id}/jobs")
    card = page.get_by_role("region", name="Prune labels")
    card.locator("summary").click()
    card.get_by_label("Network").select_option("cnn_tiny")
    card.get_by_label("Width").fill("8")
    card.get_by_label("Epochs").fill("2")
    card.get_by_label("Ratio").fill("0.4")
    card.get_by_role("button", name="Start", exact=True).click()
    card.get_by_role("link", name="Show the subset").click(timeout=120_000)

    (job,) = karat.jobs(project_id=project.id, kind="prune")
    assert job["result"] is not None
    kept, labels = job["result"]["kept"], job["result"]["labeled"]
    assert kept == round(0.4 * labels)
    expect(page.get_by_text(f"keeps {kept} of {labels} labels")).to_be_visible()
    for name, count in (("Dropped", min(24, labels - kept)), ("First to keep", min(24, kept))):
        images = page.get_by_role("region", name=name).get_by_role("img")
        expect(images).to_have_count(count)
        images.first.scroll_into_view_if_needed()
        first = images.first
        eventually(lambda one=first: one.evaluate("it => it.naturalWidth") > 0, "it loads")  # type: ignore[misc]

    first = page.get_by_role("region", name="First to keep").get_by_role("listitem").first
    for fact in ("Rank", "Gain", "Confidence", "Neighbourhood", "Loss"):
        expect(first.get_by_role("term").filter(has_text=fact)).to_be_visible()

    page.get_by_role("button", name="Train on it").click()
    expect(page.get_by_text("In use")).to_be_visible()
    assert project.get()["settings"]["subset"] == job["result"]["subset_id"]
    page.get_by_role("button", name="Train on all labels").click()
    expect(page.get_by_text("In use")).to_have_count(0)
    assert project.get()["settings"]["subset"] is None
